//! Gemini CLI. It has its own event names and ignores Claude Code's `permissionDecision`: a denial is a top-level
//! `decision`.
//!
//! When the old text of an edit is not in the file, Gemini CLI makes several more attempts, one of them by a model. Such an
//! edit is checked after it is made.

use serde_json::{Value, json};

use super::fields::{ResponseFields, object, text};
use super::parsed_event::{EventKind, ParsedEvent, ToolAction, edit};
use super::replace::EXACT;
use phaser_project::tool_call::Original;

pub fn parse(event: &Value) -> ParsedEvent<'_> {
    let is_again = event["stop_hook_active"].as_bool().unwrap_or(false);
    let kind = match event["hook_event_name"].as_str() {
        Some("BeforeTool") => EventKind::BeforeTool,
        Some("AfterTool") => EventKind::AfterTool,
        Some("SessionStart") => EventKind::SessionStart,
        Some("AfterAgent") if !is_again => EventKind::TurnEnd,
        _ => EventKind::Other,
    };
    let input = &event["tool_input"];
    let action = match event["tool_name"].as_str() {
        Some("write_file") => ToolAction::write(&input["file_path"], &input["content"]),
        Some("replace") => {
            let edit = edit(&input["old_string"], &input["new_string"], &input["allow_multiple"]);
            ToolAction::edit(&input["file_path"], vec![edit], EXACT)
        }
        Some("run_shell_command") => ToolAction::shell(&input["command"]),
        _ => ToolAction::from_unknown_tool(input),
    };
    ParsedEvent {
        original: original(event),
        ..ParsedEvent::with_tool(kind, &event["cwd"], action).with_input(input)
    }
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

/// Gemini CLI cannot ask: an unattended run would wait forever.
pub fn respond(event: &Value, fields: &ResponseFields) -> Value {
    let reason = fields.denial().or(fields.go_on.as_deref());
    let name = event["hook_event_name"].as_str().unwrap_or_default();
    let context = fields.context.as_ref().filter(|_| matches!(name, "AfterTool" | "SessionStart"));
    let is_specific = context.is_some() || fields.input.is_some();
    let specific = is_specific.then(|| {
        object([
            ("hookEventName", Some(json!(name))),
            ("tool_input", fields.input.clone()),
            ("additionalContext", text(context.map(String::as_str))),
        ])
    });
    object([
        ("decision", reason.map(|_| json!("deny"))),
        ("reason", text(reason)),
        ("systemMessage", text(fields.message.as_deref())),
        ("hookSpecificOutput", specific),
    ])
}
