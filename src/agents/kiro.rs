//! Kiro CLI, as its documentation has it. It blocks by exit code 2 alone, which phaser never gives: the command in its
//! settings turns a denial into that.

use serde_json::Value;

use super::replace::{AT_THE_END, EXACT};
use super::said::{Said, object, text};
use super::step::{Deed, Kind, Step, edit};

/// What an event is about.
pub fn step(event: &Value) -> Step<'_> {
    let kind = match event["hook_event_name"].as_str() {
        Some("preToolUse") => Kind::Before,
        Some("postToolUse") => Kind::After,
        Some("agentSpawn") => Kind::Beginning,
        _ => Kind::Other,
    };
    let input = &event["tool_input"];
    let deed = match event["tool_name"].as_str() {
        Some("fs_write" | "write") => write(input),
        Some("execute_bash" | "shell") => Deed::shell(&input["command"]),
        _ => Deed::of_foreign_tool(input),
    };
    Step::with_tool(kind, &event["cwd"], deed)
}

fn write(input: &Value) -> Deed<'_> {
    let path = &input["path"];
    let edit = || edit(&input["old_str"], &input["new_str"], &Value::Null);
    match input["command"].as_str() {
        Some("create") => Deed::write(path, &input["file_text"]),
        Some("str_replace") => Deed::edit(path, vec![edit()], EXACT),
        Some("append") => Deed::edit(path, vec![edit()], AT_THE_END),
        _ => Deed::unknown(path),
    }
}

/// The answer.
pub fn answer(_: &Value, said: &Said) -> Value {
    object([("deny", text(said.refused())), ("context", text(said.context.as_deref()))])
}
