//! Cline. A hook of its can refuse a tool only by ending the whole run, and so nothing is refused: what is wrong is mended
//! before, where that is wanted, or told when it has happened.

use serde_json::Value;

use super::replace::EXACT;
use super::said::{Said, object, text};
use super::step::{Deed, Kind, Step, edit};

/// What an event is about.
pub fn step(event: &Value) -> Step<'_> {
    let (kind, tool) = match event["hookName"].as_str() {
        Some("tool_call") => (Kind::Before, &event["tool_call"]),
        Some("tool_result") => (Kind::After, &event["tool_result"]),
        Some("agent_start") => (Kind::Beginning, &Value::Null),
        _ => (Kind::Other, &Value::Null),
    };
    let input = &tool["input"];
    let deed = match tool["name"].as_str() {
        Some("editor") if kind == Kind::Before => edited(input),
        Some("editor") => Deed::unknown(&input["path"]),
        Some("apply_patch") => Deed::patch(&input["input"]),
        Some("run_commands") => Deed::shell(&input["commands"]),
        _ => Deed::of_foreign_tool(input),
    };
    let step = Step::with_tool(kind, &event["workspaceRoots"][0], deed).with_input(input);
    Step { took: tool["durationMs"].as_u64(), ..step }
}

/// What the editor is about to do: replace a text, make a file, or put lines into one, which is judged afterwards.
fn edited(input: &Value) -> Deed<'_> {
    let path = &input["path"];
    if !input["insert_line"].is_null() {
        return Deed::Nothing;
    }
    match &input["old_text"] {
        Value::Null => Deed::write(path, &input["new_text"]),
        old => Deed::edit(path, vec![edit(old, &input["new_text"], &Value::Null)], EXACT),
    }
}

/// The answer.
pub fn answer(_: &Value, said: &Said) -> Value {
    object([("overrideInput", said.input.clone()), ("context", text(said.context.as_deref()))])
}
