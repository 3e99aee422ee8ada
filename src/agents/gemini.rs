//! Gemini CLI. It has names of its own for events, and passes over Claude Code's decision: a denial stands at the top.
//!
//! An edit whose text is not in the file as it was given goes through several more attempts, one of them by a model: it is
//! judged when it has been made.

use serde_json::{Value, json};

use super::replace::EXACT;
use super::said::{Said, object, text};
use super::step::{Deed, Kind, Step, edit};
use phaser_project::tool_call::Original;

/// What an event is about.
pub fn step(event: &Value) -> Step<'_> {
    let is_again = event["stop_hook_active"].as_bool().unwrap_or(false);
    let kind = match event["hook_event_name"].as_str() {
        Some("BeforeTool") => Kind::Before,
        Some("AfterTool") => Kind::After,
        Some("SessionStart") => Kind::Beginning,
        Some("AfterAgent") if !is_again => Kind::End,
        _ => Kind::Other,
    };
    let input = &event["tool_input"];
    let deed = match event["tool_name"].as_str() {
        Some("write_file") => Deed::write(&input["file_path"], &input["content"]),
        Some("replace") => {
            let edit = edit(&input["old_string"], &input["new_string"], &input["allow_multiple"]);
            Deed::edit(&input["file_path"], vec![edit], EXACT)
        }
        Some("run_shell_command") => Deed::shell(&input["command"]),
        _ => Deed::of_foreign_tool(input),
    };
    Step { original: original(event), ..Step::with_tool(kind, &event["cwd"], deed).with_input(input) }
}

/// What the file was before, which the client says after it has changed it.
pub(super) fn original(event: &Value) -> Option<Original> {
    let shown = &event["tool_response"]["returnDisplay"];
    match (shown["originalContent"].as_str(), shown["isNewFile"].as_bool()) {
        (_, Some(true)) => Some(Original::Nothing),
        (Some(text), _) => Some(Original::Text(text.to_owned())),
        (None, _) => None,
    }
}

/// The answer. Nobody can be asked: a run without a person would wait for ever.
pub fn answer(event: &Value, said: &Said) -> Value {
    let reason = said.refused().or(said.go_on.as_deref());
    let name = event["hook_event_name"].as_str().unwrap_or_default();
    let context = said.context.as_ref().filter(|_| matches!(name, "AfterTool" | "SessionStart"));
    let is_specific = context.is_some() || said.input.is_some();
    let specific = is_specific.then(|| {
        object([
            ("hookEventName", Some(json!(name))),
            ("tool_input", said.input.clone()),
            ("additionalContext", text(context.map(String::as_str))),
        ])
    });
    object([
        ("decision", reason.map(|_| json!("deny"))),
        ("reason", text(reason)),
        ("systemMessage", text(said.message.as_deref())),
        ("hookSpecificOutput", specific),
    ])
}
