//! GitHub Copilot CLI and the cloud agent. It has two dialects: its own in camelCase, and one for hooks in Claude Code's
//! settings, with Claude Code's event and tool names but Copilot's argument names. With some models the arguments of an
//! edit are the text of a patch.

use serde_json::{Value, json};

use super::fields::ResponseFields;
use super::parsed_event::{EventKind, ParsedEvent, ToolAction, ToolKind};
use crate::json::without_nulls;

const TOOLS: [(&str, ToolKind); 7] = [
    ("create", ToolKind::Write),
    ("Write", ToolKind::Write),
    ("edit", ToolKind::Edit),
    ("Edit", ToolKind::Edit),
    ("bash", ToolKind::Shell),
    ("Bash", ToolKind::Shell),
    ("powershell", ToolKind::Shell),
];

pub fn parse(event: &Value) -> ParsedEvent<'_> {
    let (kind, name, input) = if is_claudes(event) {
        (EventKind::from_claude_name(event), &event["tool_name"], &event["tool_input"])
    } else {
        (own_kind(event), &event["toolName"], &event["toolArgs"])
    };
    let action = match (name.as_str(), input) {
        (Some("create" | "edit" | "apply_patch" | "Write" | "Edit"), Value::String(_)) => {
            ToolAction::patch(input)
        }
        _ => ToolAction::of(name, input, &TOOLS),
    };
    ParsedEvent::new(kind, &event["cwd"], action).with_input(input)
}

fn is_claudes(event: &Value) -> bool {
    event.get("hook_event_name").is_some() || event.get("tool_name").is_some()
}

/// The kind of an event in Copilot's own dialect, which has no field for it.
fn own_kind(event: &Value) -> EventKind {
    let has = |key: &str| event.get(key).is_some();
    let is_again = event["stop_hook_active"].as_bool().unwrap_or(false);
    if has("hookName") {
        EventKind::Other
    } else if has("toolResult") {
        EventKind::AfterTool
    } else if has("toolArgs") {
        EventKind::BeforeTool
    } else if has("stopReason") && !is_again {
        EventKind::TurnEnd
    } else if has("source") && !has("stopReason") {
        EventKind::SessionStart
    } else {
        EventKind::Other
    }
}

/// `additionalContext` is a top-level key in both dialects: Copilot drops it from `hookSpecificOutput` after a tool.
pub fn respond(event: &Value, fields: &ResponseFields) -> Value {
    let (decision, reason) = fields.decision();
    let block = fields.go_on.as_ref().map(|_| "block");
    if !is_claudes(event) {
        return without_nulls(json!({
            "permissionDecision": decision,
            "permissionDecisionReason": reason,
            "modifiedArgs": fields.input,
            "decision": block,
            "reason": fields.go_on,
            "additionalContext": fields.context,
        }));
    }
    let specific = (decision.is_some() || fields.input.is_some()).then(|| {
        without_nulls(json!({
            "hookEventName": "PreToolUse",
            "permissionDecision": decision,
            "permissionDecisionReason": reason,
            "updatedInput": fields.input,
        }))
    });
    without_nulls(json!({
        "hookSpecificOutput": specific,
        "decision": block,
        "reason": fields.go_on,
        "additionalContext": fields.context,
    }))
}
