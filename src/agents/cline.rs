//! Cline. Its hooks can deny a tool only by ending the whole run, so phaser denies nothing: it fixes the edit before it is
//! made (`fixes: apply`) or reports the violation afterwards.

use serde_json::Value;

use super::fields::{ResponseFields, object, text};
use super::parsed_event::{EventKind, ParsedEvent, ToolAction, edit};
use super::replace::EXACT;

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
        Some("editor") => ToolAction::unknown(&input["path"]),
        Some("apply_patch") => ToolAction::patch(&input["input"]),
        Some("run_commands") => ToolAction::shell(&input["commands"]),
        _ => ToolAction::from_unknown_tool(input),
    };
    let step = ParsedEvent::with_tool(kind, &event["workspaceRoots"][0], action).with_input(input);
    ParsedEvent { took: tool["durationMs"].as_u64(), ..step }
}

/// The `editor` tool replaces text, creates a file or inserts lines. Insertions are checked afterwards.
fn edited(input: &Value) -> ToolAction<'_> {
    let path = &input["path"];
    if !input["insert_line"].is_null() {
        return ToolAction::Nothing;
    }
    match &input["old_text"] {
        Value::Null => ToolAction::write(path, &input["new_text"]),
        old => ToolAction::edit(path, vec![edit(old, &input["new_text"], &Value::Null)], EXACT),
    }
}

pub fn respond(_: &Value, fields: &ResponseFields) -> Value {
    object([("overrideInput", fields.input.clone()), ("context", text(fields.context.as_deref()))])
}
