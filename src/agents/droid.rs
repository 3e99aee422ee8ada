//! Factory's droid: Claude Code's events and responses, its own tools. Exit code 3 ends its whole run.

use serde_json::Value;

use super::fields::{CanAsk, ResponseFields, claude_response, joined};
use super::parsed_event::{EventKind, ParsedEvent, ToolAction, claude_event_name, edit};
use super::replace::EXACT;

pub fn parse(event: &Value) -> ParsedEvent<'_> {
    let input = &event["tool_input"];
    let path = &input["file_path"];
    let action = match event["tool_name"].as_str() {
        Some("Create" | "Write") => ToolAction::write(path, &input["content"]),
        Some("Edit") => {
            let edit = edit(&input["old_str"], &input["new_str"], &input["change_all"]);
            ToolAction::edit(path, vec![edit], EXACT)
        }
        Some("MultiEdit") => {
            let edits = input["changes"].as_array().or_else(|| input["edits"].as_array());
            let edits = edits.into_iter().flatten();
            let edits = edits.map(|one| edit(&one["old_str"], &one["new_str"], &one["change_all"]));
            ToolAction::edit(path, edits.collect(), EXACT)
        }
        Some("ApplyPatch") => ToolAction::patch(&input["input"]),
        Some("Execute") => ToolAction::shell(&input["command"]),
        _ => ToolAction::from_unknown_tool(input),
    };
    ParsedEvent::with_tool(EventKind::from_claude_name(event), &event["cwd"], action).with_input(input)
}

/// The key of a tool input that carries context from the hook before the tool to the hook after it.
const CARRIED_CONTEXT: &str = "phaser";

/// droid drops context from a hook before a tool, but hands unknown keys of an updated input on to the hook after the
/// tool. Context for a fixed edit travels that way.
pub fn respond(event: &Value, fields: &ResponseFields) -> Value {
    let mut fields = fields.clone();
    let name = claude_event_name(event);
    if let (Some(input), Some(context)) = (&mut fields.input, &fields.context) {
        input[CARRIED_CONTEXT] = context.as_str().into();
        fields.context = None;
    } else if let (Some(carried), "PostToolUse") = (event["tool_input"][CARRIED_CONTEXT].as_str(), name) {
        fields.context = Some(joined([Some(carried), fields.context.as_deref()]));
    }
    claude_response(name, &fields, CanAsk::Yes)
}
