//! Windsurf, as its documentation has it. It reads no JSON and blocks by exit code 2 alone, which phaser never gives: the
//! command in its settings turns a denial into that.

use serde_json::Value;

use super::replace::EXACT;
use super::said::{Said, object, text};
use super::step::{Deed, Kind, Step, edit};

/// What an event is about.
pub fn step(event: &Value) -> Step<'_> {
    let info = &event["tool_info"];
    let (kind, deed) = match event["agent_action_name"].as_str() {
        Some("pre_write_code") => (Kind::Before, edits(info)),
        Some("post_write_code") => (Kind::After, Deed::unknown(&info["file_path"])),
        Some("pre_run_command") => (Kind::Before, Deed::shell(&info["command_line"])),
        Some("post_run_command") => (Kind::After, Deed::shell(&info["command_line"])),
        _ => (Kind::Other, Deed::Nothing),
    };
    Step::with_tool(kind, &info["cwd"], deed)
}

fn edits(info: &Value) -> Deed<'_> {
    let edits = info["edits"].as_array().into_iter().flatten();
    let edits = edits.map(|one| edit(&one["old_string"], &one["new_string"], &Value::Null));
    Deed::edit(&info["file_path"], edits.collect(), EXACT)
}

/// The answer.
pub fn answer(_: &Value, said: &Said) -> Value {
    object([("deny", text(said.refused())), ("context", text(said.context.as_deref()))])
}
