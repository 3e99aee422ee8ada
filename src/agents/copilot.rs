//! GitHub Copilot CLI and the cloud agent. It has two dialects: its own in camelCase, and one for hooks in Claude Code's
//! settings, with Claude Code's names of events and tools and Copilot's names of arguments. With some models the arguments
//! of an edit are the text of a patch.

use serde_json::{Value, json};

use super::replace::EXACT;
use super::said::{Said, object, text};
use super::step::{Deed, Kind, Step, edit};

/// What an event is about.
pub fn step(event: &Value) -> Step<'_> {
    let (kind, name, input) = if is_claudes(event) {
        (Kind::in_claudes_words(event), &event["tool_name"], &event["tool_input"])
    } else {
        (own_kind(event), &event["toolName"], &event["toolArgs"])
    };
    let deed = match (name.as_str(), input) {
        (Some("create" | "edit" | "apply_patch" | "Write" | "Edit"), Value::String(_)) => Deed::patch(input),
        (Some("create" | "Write"), _) => Deed::write(&input["path"], &input["file_text"]),
        (Some("edit" | "Edit"), _) => {
            let edit = edit(&input["old_str"], &input["new_str"], &Value::Null);
            Deed::edit(&input["path"], vec![edit], EXACT)
        }
        (Some("bash" | "Bash" | "powershell"), _) => Deed::shell(&input["command"]),
        (Some(_), _) => Deed::of_foreign_tool(input),
        (None, _) => Deed::Nothing,
    };
    Step::with_tool(kind, &event["cwd"], deed).with_input(input)
}

fn is_claudes(event: &Value) -> bool {
    event.get("hook_event_name").is_some() || event.get("tool_name").is_some()
}

/// What happens in an event that does not say its name.
fn own_kind(event: &Value) -> Kind {
    let has = |key: &str| event.get(key).is_some();
    if has("hookName") {
        Kind::Other
    } else if has("toolResult") {
        Kind::After
    } else if has("toolArgs") {
        Kind::Before
    } else if has("stopReason") {
        if event["stop_hook_active"].as_bool().unwrap_or(false) { Kind::Other } else { Kind::End }
    } else if has("source") {
        Kind::Beginning
    } else {
        Kind::Other
    }
}

/// The answer. Context stands at the top in both dialects: inside of `hookSpecificOutput` it is dropped after a tool.
pub fn answer(event: &Value, said: &Said) -> Value {
    let (decision, reason) = match (&said.denied, &said.asked) {
        (Some(reason), _) => (Some("deny"), Some(reason.as_str())),
        (None, Some(reason)) => (Some("ask"), Some(reason.as_str())),
        (None, None) => (None, None),
    };
    let go_on = said.go_on.as_deref();
    if !is_claudes(event) {
        return object([
            ("permissionDecision", text(decision)),
            ("permissionDecisionReason", text(reason)),
            ("modifiedArgs", said.input.clone()),
            ("decision", go_on.map(|_| json!("block"))),
            ("reason", text(go_on)),
            ("additionalContext", text(said.context.as_deref())),
        ]);
    }
    let specific = (decision.is_some() || said.input.is_some()).then(|| {
        object([
            ("hookEventName", Some(json!("PreToolUse"))),
            ("permissionDecision", text(decision)),
            ("permissionDecisionReason", text(reason)),
            ("updatedInput", said.input.clone()),
        ])
    });
    object([
        ("hookSpecificOutput", specific),
        ("decision", go_on.map(|_| json!("block"))),
        ("reason", text(go_on)),
        ("additionalContext", text(said.context.as_deref())),
    ])
}
