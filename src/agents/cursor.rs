//! Cursor. Before a write it sends the whole new file, whichever tool the model used. It cannot run against a local model;
//! the events here are those of its SDK's runtime.

use serde_json::Value;

use super::fields::{ResponseFields, object, text};
use super::parsed_event::{EventKind, ParsedEvent, ToolAction};

pub fn parse(event: &Value) -> ParsedEvent<'_> {
    let input = &event["tool_input"];
    let action = || match event["tool_name"].as_str() {
        Some("Write") => ToolAction::write(&input["file_path"], &input["content"]),
        Some("Shell") => ToolAction::shell(&input["command"]),
        Some("Delete") => ToolAction::Nothing,
        _ => ToolAction::from_unknown_tool(input),
    };
    let (kind, action) = match event["hook_event_name"].as_str() {
        Some("preToolUse") => (EventKind::BeforeTool, action()),
        Some("postToolUse" | "postToolUseFailure") => (EventKind::AfterTool, action()),
        Some("beforeShellExecution") => (EventKind::BeforeTool, ToolAction::shell(&event["command"])),
        Some("afterShellExecution") => (EventKind::AfterTool, ToolAction::shell(&event["command"])),
        Some("sessionStart" | "subagentStart") => (EventKind::SessionStart, ToolAction::Nothing),
        // Cursor counts how often the turn was sent back.
        Some("stop" | "subagentStop") if event["loop_count"].as_u64().unwrap_or(0) == 0 => {
            (EventKind::TurnEnd, ToolAction::Nothing)
        }
        _ => (EventKind::Other, ToolAction::Nothing),
    };
    let cwd = event.get("cwd").unwrap_or_else(|| &event["workspace_roots"][0]);
    let took = event["duration"].as_f64().map(|milliseconds| milliseconds.max(0.0) as u64);
    ParsedEvent { took, ..ParsedEvent::with_tool(kind, cwd, action) }
}

/// The model receives the message to the user.
pub fn respond(event: &Value, fields: &ResponseFields) -> Value {
    let is_stop = matches!(event["hook_event_name"].as_str(), Some("stop" | "subagentStop"));
    if is_stop {
        return object([("followup_message", text(fields.go_on.as_deref()))]);
    }
    let (permission, reason) = match (&fields.denied, &fields.asked) {
        (Some(reason), _) => (Some("deny"), Some(reason.as_str())),
        (None, Some(reason)) => (Some("ask"), Some(reason.as_str())),
        (None, None) => (None, None),
    };
    object([
        ("permission", text(permission)),
        ("user_message", text(reason)),
        ("agent_message", text(reason)),
        ("additional_context", text(fields.context.as_deref())),
    ])
}
