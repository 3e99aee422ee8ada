//! Windsurf, written from its documentation. It reads no JSON and blocks only on exit code 2, which phaser never returns:
//! the installed shell command turns a denial into exit code 2.

use serde_json::Value;

use super::fields::{ResponseFields, object, text};
use super::parsed_event::{EventKind, ParsedEvent, ToolAction, edit};
use super::replace::EXACT;

pub fn parse(event: &Value) -> ParsedEvent<'_> {
    let info = &event["tool_info"];
    let (kind, action) = match event["agent_action_name"].as_str() {
        Some("pre_write_code") => (EventKind::BeforeTool, edits(info)),
        Some("post_write_code") => (EventKind::AfterTool, ToolAction::unknown(&info["file_path"])),
        Some("pre_run_command") => (EventKind::BeforeTool, ToolAction::shell(&info["command_line"])),
        Some("post_run_command") => (EventKind::AfterTool, ToolAction::shell(&info["command_line"])),
        _ => (EventKind::Other, ToolAction::Nothing),
    };
    ParsedEvent::with_tool(kind, &info["cwd"], action)
}

fn edits(info: &Value) -> ToolAction<'_> {
    let edits = info["edits"].as_array().into_iter().flatten();
    let edits = edits.map(|one| edit(&one["old_string"], &one["new_string"], &Value::Null));
    ToolAction::edit(&info["file_path"], edits.collect(), EXACT)
}

pub fn respond(_: &Value, fields: &ResponseFields) -> Value {
    object([("deny", text(fields.denial())), ("context", text(fields.context.as_deref()))])
}
