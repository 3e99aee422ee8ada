//! Kiro CLI, written from its documentation. It blocks only on exit code 2, which phaser never returns: the installed shell
//! command turns a denial into exit code 2.

use serde_json::{Value, json};

use super::fields::ResponseFields;
use super::parsed_event::{EventKind, ParsedEvent, ToolAction, ToolKind, edit};
use super::replace::APPEND;
use crate::json::without_nulls;

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
        Some("execute_bash" | "shell") => ToolKind::Shell.action(input),
        _ => ToolAction::from_unknown_tool(&event["tool_name"], input),
    };
    ParsedEvent::new(kind, &event["cwd"], action)
}

fn write(input: &Value) -> ToolAction<'_> {
    match input["command"].as_str() {
        Some("create") => ToolKind::Write.action(input),
        Some("str_replace") => ToolKind::Edit.action(input),
        Some("append") => ToolAction::edit(&input["path"], vec![edit(input)], APPEND),
        _ => ToolKind::Unknown.action(input),
    }
}

pub fn respond(_: &Value, fields: &ResponseFields) -> Value {
    without_nulls(json!({ "deny": fields.denied, "context": fields.context }))
}
