//! Factory's droid: Claude Code's events and answers, with tools of its own. Exit code 3 ends its whole run.

use serde_json::Value;

use super::replace::EXACT;
use super::said::{Asking, Said, in_claudes_words, joined};
use super::step::{Deed, Kind, Step, claudes_name, edit};

/// What an event is about.
pub fn step(event: &Value) -> Step<'_> {
    let input = &event["tool_input"];
    let path = &input["file_path"];
    let deed = match event["tool_name"].as_str() {
        Some("Create" | "Write") => Deed::write(path, &input["content"]),
        Some("Edit") => {
            let edit = edit(&input["old_str"], &input["new_str"], &input["change_all"]);
            Deed::edit(path, vec![edit], EXACT)
        }
        Some("MultiEdit") => {
            let edits = input["changes"].as_array().or_else(|| input["edits"].as_array());
            let edits = edits.into_iter().flatten();
            let edits = edits.map(|one| edit(&one["old_str"], &one["new_str"], &one["change_all"]));
            Deed::edit(path, edits.collect(), EXACT)
        }
        Some("ApplyPatch") => Deed::patch(&input["input"]),
        Some("Execute") => Deed::shell(&input["command"]),
        _ => Deed::of_foreign_tool(input),
    };
    Step::with_tool(Kind::in_claudes_words(event), &event["cwd"], deed).with_input(input)
}

/// The name under which an input carries what there is to say about it.
const TOLD: &str = "phaser";

/// The answer. It drops what a hook says before a tool runs; but what it does not know in an input, it hands on to the hook
/// after the tool, which says it then.
pub fn answer(event: &Value, said: &Said) -> Value {
    let mut said = said.clone();
    let name = claudes_name(event);
    if let (Some(input), Some(context)) = (&mut said.input, &said.context) {
        input[TOLD] = context.as_str().into();
        said.context = None;
    } else if let (Some(told), "PostToolUse") = (event["tool_input"][TOLD].as_str(), name) {
        said.context = Some(joined([Some(told), said.context.as_deref()]));
    }
    in_claudes_words(name, &said, Asking::Asks)
}
