//! opencode, and Kilo. They have no hooks that are commands: a plugin, which phaser installs, hands each call on as JSON and
//! does what the answer says. `deny` is thrown, so that it becomes the tool's result; `args` take the place of the tool's;
//! `context` goes behind the result.

use serde_json::Value;

use super::replace::EXACT;
use super::said::{Said, object, text};
use super::step::{Deed, Kind, Step, edit};

/// What an event is about.
pub fn step(event: &Value) -> Step<'_> {
    let (kind, args) = match event["hook"].as_str() {
        Some("tool.execute.before") => (Kind::Before, &event["output"]["args"]),
        Some("tool.execute.after") => (Kind::After, &event["input"]["args"]),
        Some("event") if event["event"]["type"] == "session.created" => (Kind::Beginning, &Value::Null),
        _ => (Kind::Other, &Value::Null),
    };
    let path = &args["filePath"];
    let deed = match event["input"]["tool"].as_str() {
        Some("write") => Deed::write(path, &args["content"]),
        Some("edit") => {
            let edit = edit(&args["oldString"], &args["newString"], &args["replaceAll"]);
            Deed::edit(path, vec![edit], EXACT)
        }
        Some("apply_patch" | "patch") => Deed::patch(&args["patchText"]),
        Some("bash") => Deed::shell(&args["command"]),
        _ => Deed::of_foreign_tool(args),
    };
    Step::with_tool(kind, &event["directory"], deed).with_input(args)
}

/// The answer.
pub fn answer(_: &Value, said: &Said) -> Value {
    object([
        ("deny", text(said.refused())),
        ("args", said.input.clone()),
        ("context", text(said.context.as_deref())),
    ])
}
