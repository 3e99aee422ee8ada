//! Devin: Claude Code's events and answers, with tools of its own, as its documentation has them.

use serde_json::Value;

use super::replace::EXACT;
use super::said::{Asking, Said, in_claudes_words};
use super::step::{Deed, Kind, Step, claudes_name, edit};

/// What an event is about.
pub fn step(event: &Value) -> Step<'_> {
    let input = &event["tool_input"];
    let path = input.get("file_path").unwrap_or_else(|| &input["path"]);
    let deed = match event["tool_name"].as_str() {
        Some("write") => Deed::write(path, &input["content"]),
        Some("edit") => {
            let edit = edit(&input["old_string"], &input["new_string"], &input["replace_all"]);
            Deed::edit(path, vec![edit], EXACT)
        }
        Some("apply_patch") => Deed::patch(input.get("input").unwrap_or_else(|| &input["patch"])),
        Some("exec") => Deed::shell(&input["command"]),
        _ => Deed::of_foreign_tool(input),
    };
    Step::with_tool(Kind::in_claudes_words(event), &event["cwd"], deed)
}

/// The answer.
pub fn answer(event: &Value, said: &Said) -> Value {
    in_claudes_words(claudes_name(event), said, Asking::Refuses)
}
