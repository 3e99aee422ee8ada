//! Devin: Claude Code's events and responses, its own tools. Written from its documentation.

use serde_json::Value;

use super::parsed_event::{ParsedEvent, ToolKind};

const TOOLS: [(&str, ToolKind); 4] = [
    ("write", ToolKind::Write),
    ("edit", ToolKind::Edit),
    ("apply_patch", ToolKind::Patch),
    ("exec", ToolKind::Shell),
];

pub fn parse(event: &Value) -> ParsedEvent<'_> {
    ParsedEvent::in_claude_format(event, &TOOLS)
}
