//! Cursor. Before a write it sends the whole new file, whichever tool the model used. It cannot run against a local model;
//! the events here are those of its SDK's runtime.

use serde_json::{Value, json};

use super::fields::ResponseFields;
use super::parsed_event::{EventKind, ParsedEvent, ToolAction, ToolKind};
use crate::json::without_nulls;

const TOOLS: [(&str, ToolKind); 2] = [("Write", ToolKind::Write), ("Shell", ToolKind::Shell)];

pub fn parse(event: &Value) -> ParsedEvent<'_> {
    let input = &event["tool_input"];
    let action = || ToolAction::of(&event["tool_name"], input, &TOOLS);
    let (kind, action) = match event["hook_event_name"].as_str() {
        Some("preToolUse") => (EventKind::BeforeTool, action()),
        Some("postToolUse" | "postToolUseFailure") => (EventKind::AfterTool, action()),
        Some("beforeShellExecution") => (EventKind::BeforeTool, ToolKind::Shell.action(event)),
        Some("afterShellExecution") => (EventKind::AfterTool, ToolKind::Shell.action(event)),
        Some("sessionStart" | "subagentStart") => (EventKind::SessionStart, ToolAction::Nothing),
        // Cursor counts how often the turn was sent back.
        Some("stop" | "subagentStop") if event["loop_count"].as_u64().unwrap_or(0) == 0 => {
            (EventKind::TurnEnd, ToolAction::Nothing)
        }
        _ => (EventKind::Other, ToolAction::Nothing),
    };
    let cwd = event.get("cwd").unwrap_or_else(|| &event["workspace_roots"][0]);
    let took = event["duration"].as_f64().map(|milliseconds| milliseconds.max(0.0) as u64);
    ParsedEvent { took, ..ParsedEvent::new(kind, cwd, action) }
}

/// The model receives the message to the user.
pub fn respond(event: &Value, fields: &ResponseFields) -> Value {
    let is_stop = matches!(event["hook_event_name"].as_str(), Some("stop" | "subagentStop"));
    if is_stop {
        return without_nulls(json!({ "followup_message": fields.go_on }));
    }
    let (permission, reason) = fields.decision();
    without_nulls(json!({
        "permission": permission,
        "user_message": reason,
        "agent_message": reason,
        "additional_context": fields.context,
    }))
}
