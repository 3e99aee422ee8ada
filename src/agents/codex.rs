//! Codex CLI. Files change by patches only, as a tool or inside a shell command; answers are Claude Code's, and a key that
//! it does not know makes it drop the whole answer.

use serde_json::Value;

use super::said::{Asking, Said, in_claudes_words};
use super::step::{Deed, Kind, Step, claudes_name};

/// What an event is about.
pub fn step(event: &Value) -> Step<'_> {
    let input = &event["tool_input"];
    let deed = match event["tool_name"].as_str() {
        Some("apply_patch" | "Edit" | "Write") => Deed::patch(&input["command"]),
        Some("Bash") => Deed::shell(&input["command"]),
        _ => Deed::of_foreign_tool(input),
    };
    Step::with_tool(Kind::in_claudes_words(event), &event["cwd"], deed).with_input(input)
}

/// The answer. Another input is taken only from an answer that also allows the call.
pub fn answer(event: &Value, said: &Said) -> Value {
    let mut answer = in_claudes_words(claudes_name(event), said, Asking::Refuses);
    if said.input.is_some() {
        answer["hookSpecificOutput"]["permissionDecision"] = "allow".into();
    }
    answer
}
