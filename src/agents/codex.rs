//! Codex CLI. It edits files only by `apply_patch`, as a tool or inside a shell command. Its responses have Claude Code's
//! format; an unknown key makes it drop the whole response.

use serde_json::Value;

use super::fields::{CanAsk, ResponseFields, claude_response};
use super::parsed_event::{EventKind, ParsedEvent, ToolAction, claude_event_name};

pub fn parse(event: &Value) -> ParsedEvent<'_> {
    let input = &event["tool_input"];
    let action = match event["tool_name"].as_str() {
        Some("apply_patch" | "Edit" | "Write") => ToolAction::patch(&input["command"]),
        Some("Bash") => ToolAction::shell(&input["command"]),
        _ => ToolAction::from_unknown_tool(input),
    };
    ParsedEvent::with_tool(EventKind::from_claude_name(event), &event["cwd"], action).with_input(input)
}

/// Codex takes `updatedInput` only together with `allow`.
pub fn respond(event: &Value, fields: &ResponseFields) -> Value {
    let mut response = claude_response(claude_event_name(event), fields, CanAsk::No);
    if fields.input.is_some() {
        response["hookSpecificOutput"]["permissionDecision"] = "allow".into();
    }
    response
}
