//! Devin: Claude Code's events and responses, its own tools. Written from its documentation.

use serde_json::Value;

use super::fields::{CanAsk, ResponseFields, claude_response};
use super::parsed_event::{EventKind, ParsedEvent, ToolAction, claude_event_name, edit};
use super::replace::EXACT;

pub fn parse(event: &Value) -> ParsedEvent<'_> {
    let input = &event["tool_input"];
    let path = input.get("file_path").unwrap_or_else(|| &input["path"]);
    let action = match event["tool_name"].as_str() {
        Some("write") => ToolAction::write(path, &input["content"]),
        Some("edit") => {
            let edit = edit(&input["old_string"], &input["new_string"], &input["replace_all"]);
            ToolAction::edit(path, vec![edit], EXACT)
        }
        Some("apply_patch") => ToolAction::patch(input.get("input").unwrap_or_else(|| &input["patch"])),
        Some("exec") => ToolAction::shell(&input["command"]),
        _ => ToolAction::from_unknown_tool(input),
    };
    ParsedEvent::with_tool(EventKind::from_claude_name(event), &event["cwd"], action)
}

pub fn respond(event: &Value, fields: &ResponseFields) -> Value {
    claude_response(claude_event_name(event), fields, CanAsk::No)
}
