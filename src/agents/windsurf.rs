//! Windsurf, written from its documentation. It reads no JSON and blocks only on exit code 2, which phaser never returns:
//! the installed shell command turns a denial into exit code 2.

use serde_json::Value;

use super::parsed_event::{EventKind, ParsedEvent, ToolAction, ToolKind};

pub fn parse(event: &Value) -> ParsedEvent<'_> {
    let info = &event["tool_info"];
    let (kind, action) = match event["agent_action_name"].as_str() {
        Some("pre_write_code") => (EventKind::BeforeTool, ToolKind::MultiEdit.action(info)),
        Some("post_write_code") => (EventKind::AfterTool, ToolKind::Unknown.action(info)),
        Some("pre_run_command") => (EventKind::BeforeTool, ToolKind::Shell.action(info)),
        Some("post_run_command") => (EventKind::AfterTool, ToolKind::Shell.action(info)),
        _ => (EventKind::Other, ToolAction::Nothing),
    };
    ParsedEvent::new(kind, &info["cwd"], action)
}
