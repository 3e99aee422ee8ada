//! Gemini CLI. It has its own event names and ignores Claude Code's `permissionDecision`: a denial is a top-level
//! `decision`.
//!
//! When the old text of an edit is not in the file, Gemini CLI makes several more attempts, one of them by a model. Such an
//! edit is checked after it is made.

use serde_json::{Value, json};

use super::fields::ResponseFields;
use super::parsed_event::{EventKind, ParsedEvent, ToolKind};
use crate::json::without_nulls;
use phaser_project::tool_call::Original;

const TOOLS: [(&str, ToolKind); 3] =
    [("write_file", ToolKind::Write), ("replace", ToolKind::Edit), ("run_shell_command", ToolKind::Shell)];

pub fn parse(event: &Value) -> ParsedEvent<'_> {
    let is_again = event["stop_hook_active"].as_bool().unwrap_or(false);
    let kind = match event["hook_event_name"].as_str() {
        Some("BeforeTool") => EventKind::BeforeTool,
        Some("AfterTool") => EventKind::AfterTool,
        Some("SessionStart") => EventKind::SessionStart,
        Some("AfterAgent") if !is_again => EventKind::TurnEnd,
        _ => EventKind::Other,
    };
    let parsed = ParsedEvent::in_claude_format(event, &TOOLS).with_input(&event["tool_input"]);
    ParsedEvent { kind, original: original(event), ..parsed }
}

/// The previous text of the file, which Gemini CLI sends after an edit.
pub(super) fn original(event: &Value) -> Option<Original> {
    let shown = &event["tool_response"]["returnDisplay"];
    match (shown["originalContent"].as_str(), shown["isNewFile"].as_bool()) {
        (_, Some(true)) => Some(Original::Nothing),
        (Some(text), _) => Some(Original::Text(text.to_owned())),
        (None, _) => None,
    }
}

/// Context is sent only for events in which Gemini CLI reads it.
pub fn respond(event: &Value, fields: &ResponseFields) -> Value {
    let reason = fields.denied.as_ref().or(fields.go_on.as_ref());
    let name = event["hook_event_name"].as_str().unwrap_or_default();
    let context = fields.context.as_ref().filter(|_| matches!(name, "AfterTool" | "SessionStart"));
    let is_specific = context.is_some() || fields.input.is_some();
    let specific = json!({ "hookEventName": name, "tool_input": fields.input, "additionalContext": context });
    without_nulls(json!({
        "decision": reason.map(|_| "deny"),
        "reason": reason,
        "systemMessage": fields.message,
        "hookSpecificOutput": is_specific.then(|| without_nulls(specific)),
    }))
}
