//! Cursor. Before a write it sends the file as it would be, whatever tool the model used. It cannot be run against a model of
//! one's own: its events are those of the runtime in its SDK.

use serde_json::Value;

use super::said::{Said, object, text};
use super::step::{Deed, Kind, Step};

/// What an event is about.
pub fn step(event: &Value) -> Step<'_> {
    let input = &event["tool_input"];
    let deed = || match event["tool_name"].as_str() {
        Some("Write") => Deed::write(&input["file_path"], &input["content"]),
        Some("Shell") => Deed::shell(&input["command"]),
        Some("Delete") => Deed::Nothing,
        _ => Deed::of_foreign_tool(input),
    };
    let (kind, deed) = match event["hook_event_name"].as_str() {
        Some("preToolUse") => (Kind::Before, deed()),
        Some("postToolUse" | "postToolUseFailure") => (Kind::After, deed()),
        Some("beforeShellExecution") => (Kind::Before, Deed::shell(&event["command"])),
        Some("afterShellExecution") => (Kind::After, Deed::shell(&event["command"])),
        Some("sessionStart" | "subagentStart") => (Kind::Beginning, Deed::Nothing),
        // It counts how often it was sent back.
        Some("stop" | "subagentStop") if event["loop_count"].as_u64().unwrap_or(0) == 0 => {
            (Kind::End, Deed::Nothing)
        }
        _ => (Kind::Other, Deed::Nothing),
    };
    let cwd = event.get("cwd").unwrap_or_else(|| &event["workspace_roots"][0]);
    let took = event["duration"].as_f64().map(|milliseconds| milliseconds.max(0.0) as u64);
    Step { took, ..Step::with_tool(kind, cwd, deed) }
}

/// The answer. The model is told what stands in the message to the user.
pub fn answer(event: &Value, said: &Said) -> Value {
    let is_stop = matches!(event["hook_event_name"].as_str(), Some("stop" | "subagentStop"));
    if is_stop {
        return object([("followup_message", text(said.go_on.as_deref()))]);
    }
    let (permission, reason) = match (&said.denied, &said.asked) {
        (Some(reason), _) => (Some("deny"), Some(reason.as_str())),
        (None, Some(reason)) => (Some("ask"), Some(reason.as_str())),
        (None, None) => (None, None),
    };
    object([
        ("permission", text(permission)),
        ("user_message", text(reason)),
        ("agent_message", text(reason)),
        ("additional_context", text(said.context.as_deref())),
    ])
}
