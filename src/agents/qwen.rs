//! Qwen Code, a fork of Gemini CLI: Claude Code's events and responses, Gemini CLI's tools.

use serde_json::Value;

use super::gemini::original;
use super::parsed_event::{ParsedEvent, ToolKind};

const TOOLS: [(&str, ToolKind); 4] = [
    ("write_file", ToolKind::Write),
    ("edit", ToolKind::Edit),
    ("replace", ToolKind::Edit),
    ("run_shell_command", ToolKind::Shell),
];

pub fn parse(event: &Value) -> ParsedEvent<'_> {
    let took = event["duration_ms"].as_u64();
    ParsedEvent { original: original(event), took, ..ParsedEvent::in_claude_format(event, &TOOLS) }
}
