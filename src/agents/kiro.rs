//! Kiro CLI, written from its documentation. It blocks only on exit code 2, which phaser never returns: the installed shell
//! command turns a denial into exit code 2.

use serde_json::Value;

use super::fields::{ResponseFields, object, text};
use super::parsed_event::{EventKind, ParsedEvent, ToolAction, edit};
use super::replace::{APPEND, EXACT};

pub fn parse(event: &Value) -> ParsedEvent<'_> {
    let kind = match event["hook_event_name"].as_str() {
        Some("preToolUse") => EventKind::BeforeTool,
        Some("postToolUse") => EventKind::AfterTool,
        Some("agentSpawn") => EventKind::SessionStart,
        _ => EventKind::Other,
    };
    let input = &event["tool_input"];
    let action = match event["tool_name"].as_str() {
        Some("fs_write" | "write") => write(input),
        Some("execute_bash" | "shell") => ToolAction::shell(&input["command"]),
        _ => ToolAction::from_unknown_tool(input),
    };
    ParsedEvent::with_tool(kind, &event["cwd"], action)
}

fn write(input: &Value) -> ToolAction<'_> {
    let path = &input["path"];
    let edit = || edit(&input["old_str"], &input["new_str"], &Value::Null);
    match input["command"].as_str() {
        Some("create") => ToolAction::write(path, &input["file_text"]),
        Some("str_replace") => ToolAction::edit(path, vec![edit()], EXACT),
        Some("append") => ToolAction::edit(path, vec![edit()], APPEND),
        _ => ToolAction::unknown(path),
    }
}

pub fn respond(_: &Value, fields: &ResponseFields) -> Value {
    object([("deny", text(fields.denial())), ("context", text(fields.context.as_deref()))])
}
