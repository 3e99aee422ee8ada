//! The local agent of Visual Studio Code. It runs the hooks of `.claude/settings.json` for every tool and ignores their
//! matchers. Its responses have Claude Code's format.

use serde_json::{Value, json};

use super::fields::{CanAsk, ResponseFields, claude_response};
use super::parsed_event::{EventKind, ParsedEvent, ToolAction, claude_event_name, edit};
use super::replace::EXACT;

pub fn parse(event: &Value) -> ParsedEvent<'_> {
    let input = &event["tool_input"];
    let path = &input["filePath"];
    let action = match event["tool_name"].as_str() {
        Some("create_file") => ToolAction::write(path, &input["content"]),
        Some("replace_string_in_file") => replacement(input),
        Some("multi_replace_string_in_file") => {
            let replacements = input["replacements"].as_array();
            ToolAction::Changes(replacements.into_iter().flatten().map(replacement).collect())
        }
        // A model computes the new text.
        Some("insert_edit_into_file") => ToolAction::unknown(path),
        Some("apply_patch") => ToolAction::patch(&input["input"]),
        Some("run_in_terminal") => ToolAction::shell(&input["command"]),
        _ => ToolAction::from_unknown_tool(input),
    };
    ParsedEvent::with_tool(EventKind::from_claude_name(event), &event["cwd"], action).with_input(input)
}

fn replacement(input: &Value) -> ToolAction<'_> {
    let edit = edit(&input["oldString"], &input["newString"], &Value::Null);
    ToolAction::edit(&input["filePath"], vec![edit], EXACT)
}

/// The decision that blocks the end of a turn belongs into `hookSpecificOutput`, unlike Claude Code's.
pub fn respond(event: &Value, fields: &ResponseFields) -> Value {
    let name = claude_event_name(event);
    match &fields.go_on {
        Some(reason) => {
            json!({ "hookSpecificOutput": { "hookEventName": name, "decision": "block", "reason": reason } })
        }
        None => claude_response(name, fields, CanAsk::Yes),
    }
}
