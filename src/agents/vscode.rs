//! The local agent of Visual Studio Code. It runs the hooks of `.claude/settings.json` for every tool and ignores their
//! matchers. Its responses have Claude Code's format.

use serde_json::{Value, json};

use super::fields::{ResponseFields, claude_response};
use super::parsed_event::{ParsedEvent, ToolAction, ToolKind, claude_event_name};

/// A model computes the new text of `insert_edit_into_file`.
const TOOLS: [(&str, ToolKind); 5] = [
    ("create_file", ToolKind::Write),
    ("replace_string_in_file", ToolKind::Edit),
    ("insert_edit_into_file", ToolKind::Unknown),
    ("apply_patch", ToolKind::Patch),
    ("run_in_terminal", ToolKind::Shell),
];

pub fn parse(event: &Value) -> ParsedEvent<'_> {
    let input = &event["tool_input"];
    let parsed = ParsedEvent::in_claude_format(event, &TOOLS).with_input(input);
    match (event["tool_name"].as_str(), &input["replacements"]) {
        (Some("multi_replace_string_in_file"), Value::Array(all)) => {
            let replacements = all.iter().map(|one| ToolKind::Edit.action(one)).collect();
            ParsedEvent { action: ToolAction::Changes(replacements), ..parsed }
        }
        _ => parsed,
    }
}

/// The decision that blocks the end of a turn belongs into `hookSpecificOutput`, unlike Claude Code's.
pub fn respond(event: &Value, fields: &ResponseFields) -> Value {
    match &fields.go_on {
        Some(reason) => {
            let name = claude_event_name(event);
            json!({ "hookSpecificOutput": { "hookEventName": name, "decision": "block", "reason": reason } })
        }
        None => claude_response(event, fields),
    }
}
