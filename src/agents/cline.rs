//! Cline. Its hooks can deny a tool only by ending the whole run, so phaser denies nothing: it fixes the edit before it is
//! made (`fixes: apply`) or reports the violation afterwards.

use serde_json::{Value, json};

use super::fields::ResponseFields;
use super::parsed_event::{EventKind, ParsedEvent, ToolAction, ToolKind};
use crate::json::without_nulls;

const TOOLS: [(&str, ToolKind); 2] = [("apply_patch", ToolKind::Patch), ("run_commands", ToolKind::Shell)];

pub fn parse(event: &Value) -> ParsedEvent<'_> {
    let (kind, tool) = match event["hookName"].as_str() {
        Some("tool_call") => (EventKind::BeforeTool, &event["tool_call"]),
        Some("tool_result") => (EventKind::AfterTool, &event["tool_result"]),
        Some("agent_start") => (EventKind::SessionStart, &Value::Null),
        _ => (EventKind::Other, &Value::Null),
    };
    let input = &tool["input"];
    let action = match tool["name"].as_str() {
        Some("editor") if kind == EventKind::BeforeTool => edited(input),
        Some("editor") => ToolKind::Unknown.action(input),
        _ => ToolAction::of(&tool["name"], input, &TOOLS),
    };
    let parsed = ParsedEvent::new(kind, &event["workspaceRoots"][0], action).with_input(input);
    ParsedEvent { took: tool["durationMs"].as_u64(), ..parsed }
}

/// The `editor` tool replaces text, creates a file or inserts lines. Insertions are checked afterwards.
fn edited(input: &Value) -> ToolAction<'_> {
    match (&input["insert_line"], &input["old_text"]) {
        (Value::Null, Value::Null) => ToolKind::Write.action(input),
        (Value::Null, _) => ToolKind::Edit.action(input),
        (_, _) => ToolAction::Nothing,
    }
}

pub fn respond(_: &Value, fields: &ResponseFields) -> Value {
    without_nulls(json!({ "overrideInput": fields.input, "context": fields.context }))
}
