//! GitHub Copilot CLI and the cloud agent. It has two dialects: its own in camelCase, and one for hooks in Claude Code's
//! settings, with Claude Code's event and tool names but Copilot's argument names. With some models the arguments of an
//! edit are the text of a patch.

use serde_json::{Value, json};

use super::fields::{ResponseFields, object, text};
use super::parsed_event::{EventKind, ParsedEvent, ToolAction, edit};
use super::replace::EXACT;

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
        (Some("create" | "Write"), _) => ToolAction::write(&input["path"], &input["file_text"]),
        (Some("edit" | "Edit"), _) => {
            let edit = edit(&input["old_str"], &input["new_str"], &Value::Null);
            ToolAction::edit(&input["path"], vec![edit], EXACT)
        }
        (Some("bash" | "Bash" | "powershell"), _) => ToolAction::shell(&input["command"]),
        (Some(_), _) => ToolAction::from_unknown_tool(input),
        (None, _) => ToolAction::Nothing,
    };
    ParsedEvent::with_tool(kind, &event["cwd"], action).with_input(input)
}

fn is_claudes(event: &Value) -> bool {
    event.get("hook_event_name").is_some() || event.get("tool_name").is_some()
}

/// The kind of an event in Copilot's own dialect, which has no field for it.
fn own_kind(event: &Value) -> EventKind {
    let has = |key: &str| event.get(key).is_some();
    if has("hookName") {
        EventKind::Other
    } else if has("toolResult") {
        EventKind::AfterTool
    } else if has("toolArgs") {
        EventKind::BeforeTool
    } else if has("stopReason") {
        if event["stop_hook_active"].as_bool().unwrap_or(false) {
            EventKind::Other
        } else {
            EventKind::TurnEnd
        }
    } else if has("source") {
        EventKind::SessionStart
    } else {
        EventKind::Other
    }
}

/// `additionalContext` is a top-level key in both dialects: Copilot drops it from `hookSpecificOutput` after a tool.
pub fn respond(event: &Value, fields: &ResponseFields) -> Value {
    let (decision, reason) = match (&fields.denied, &fields.asked) {
        (Some(reason), _) => (Some("deny"), Some(reason.as_str())),
        (None, Some(reason)) => (Some("ask"), Some(reason.as_str())),
        (None, None) => (None, None),
    };
    let go_on = fields.go_on.as_deref();
    if !is_claudes(event) {
        return object([
            ("permissionDecision", text(decision)),
            ("permissionDecisionReason", text(reason)),
            ("modifiedArgs", fields.input.clone()),
            ("decision", go_on.map(|_| json!("block"))),
            ("reason", text(go_on)),
            ("additionalContext", text(fields.context.as_deref())),
        ]);
    }
    let specific = (decision.is_some() || fields.input.is_some()).then(|| {
        object([
            ("hookEventName", Some(json!("PreToolUse"))),
            ("permissionDecision", text(decision)),
            ("permissionDecisionReason", text(reason)),
            ("updatedInput", fields.input.clone()),
        ])
    });
    object([
        ("hookSpecificOutput", specific),
        ("decision", go_on.map(|_| json!("block"))),
        ("reason", text(go_on)),
        ("additionalContext", text(fields.context.as_deref())),
    ])
}
