//! Qwen Code: Claude Code's events and answers, with the tools of Gemini CLI, which it began as.

use serde_json::Value;

use super::gemini::original;
use super::replace::EXACT;
use super::said::{Asking, Said, in_claudes_words};
use super::step::{Deed, Kind, Step, claudes_name, edit};

/// What an event is about.
pub fn step(event: &Value) -> Step<'_> {
    let input = &event["tool_input"];
    let deed = match event["tool_name"].as_str() {
        Some("write_file") => Deed::write(&input["file_path"], &input["content"]),
        Some("edit" | "replace") => {
            let edit = edit(&input["old_string"], &input["new_string"], &input["replace_all"]);
            Deed::edit(&input["file_path"], vec![edit], EXACT)
        }
        Some("run_shell_command") => Deed::shell(&input["command"]),
        _ => Deed::of_foreign_tool(input),
    };
    let took = event["duration_ms"].as_u64();
    Step {
        original: original(event),
        took,
        ..Step::with_tool(Kind::in_claudes_words(event), &event["cwd"], deed)
    }
}

/// The answer.
pub fn answer(event: &Value, said: &Said) -> Value {
    in_claudes_words(claudes_name(event), said, Asking::Asks)
}
