//! Codex CLI. It edits files only by `apply_patch`, as a tool or inside a shell command. Its responses have Claude Code's
//! format; an unknown key makes it drop the whole response.

use serde_json::Value;

use super::fields::{ResponseFields, claude_response};
use super::parsed_event::{ParsedEvent, ToolKind};

const TOOLS: [(&str, ToolKind); 4] = [
    ("apply_patch", ToolKind::Patch),
    ("Edit", ToolKind::Patch),
    ("Write", ToolKind::Patch),
    ("Bash", ToolKind::Shell),
];

pub fn parse(event: &Value) -> ParsedEvent<'_> {
    ParsedEvent::in_claude_format(event, &TOOLS).with_input(&event["tool_input"])
}

/// Codex takes `updatedInput` only together with `allow`.
pub fn respond(event: &Value, fields: &ResponseFields) -> Value {
    let mut response = claude_response(event, fields);
    if fields.input.is_some() {
        response["hookSpecificOutput"]["permissionDecision"] = "allow".into();
    }
    response
}
