//! Qwen Code, a fork of Gemini CLI: Claude Code's events and responses, Gemini CLI's tools.

use serde_json::Value;

use super::fields::{CanAsk, ResponseFields, claude_response};
use super::gemini::original;
use super::parsed_event::{EventKind, ParsedEvent, ToolAction, claude_event_name, edit};
use super::replace::EXACT;

pub fn parse(event: &Value) -> ParsedEvent<'_> {
    let input = &event["tool_input"];
    let action = match event["tool_name"].as_str() {
        Some("write_file") => ToolAction::write(&input["file_path"], &input["content"]),
        Some("edit" | "replace") => {
            let edit = edit(&input["old_string"], &input["new_string"], &input["replace_all"]);
            ToolAction::edit(&input["file_path"], vec![edit], EXACT)
        }
        Some("run_shell_command") => ToolAction::shell(&input["command"]),
        _ => ToolAction::from_unknown_tool(input),
    };
    let took = event["duration_ms"].as_u64();
    ParsedEvent {
        original: original(event),
        took,
        ..ParsedEvent::with_tool(EventKind::from_claude_name(event), &event["cwd"], action)
    }
}

pub fn respond(event: &Value, fields: &ResponseFields) -> Value {
    claude_response(claude_event_name(event), fields, CanAsk::Yes)
}
