//! The local agent of Visual Studio Code. It runs the hooks of `.claude/settings.json` for every tool, whatever their matcher
//! says, and answers are Claude Code's.

use serde_json::{Value, json};

use super::replace::EXACT;
use super::said::{Asking, Said, in_claudes_words};
use super::step::{Deed, Kind, Step, claudes_name, edit};

/// What an event is about.
pub fn step(event: &Value) -> Step<'_> {
    let input = &event["tool_input"];
    let path = &input["filePath"];
    let deed = match event["tool_name"].as_str() {
        Some("create_file") => Deed::write(path, &input["content"]),
        Some("replace_string_in_file") => replacement(input),
        Some("multi_replace_string_in_file") => {
            let replacements = input["replacements"].as_array();
            Deed::Changes(replacements.into_iter().flatten().map(replacement).collect())
        }
        // A model works out the file.
        Some("insert_edit_into_file") => Deed::unknown(path),
        Some("apply_patch") => Deed::patch(&input["input"]),
        Some("run_in_terminal") => Deed::shell(&input["command"]),
        _ => Deed::of_foreign_tool(input),
    };
    Step::with_tool(Kind::in_claudes_words(event), &event["cwd"], deed).with_input(input)
}

fn replacement(input: &Value) -> Deed<'_> {
    let edit = edit(&input["oldString"], &input["newString"], &Value::Null);
    Deed::edit(&input["filePath"], vec![edit], EXACT)
}

/// The answer. That a turn must not end stands with what is specific to the event.
pub fn answer(event: &Value, said: &Said) -> Value {
    let name = claudes_name(event);
    match &said.go_on {
        Some(reason) => {
            json!({ "hookSpecificOutput": { "hookEventName": name, "decision": "block", "reason": reason } })
        }
        None => in_claudes_words(name, said, Asking::Asks),
    }
}
