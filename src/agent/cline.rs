//! Cline. A hook of its can refuse a tool only by ending the whole run, and so nothing is refused: what is wrong is told when
//! it has happened.

use serde_json::Value;

use super::said::{Said, object, text};
use super::step::{Deed, Kind, Step};

/// What an event is about.
pub fn step(event: &Value) -> Step<'_> {
    let kind = match event["hookName"].as_str() {
        Some("tool_result") => Kind::After,
        Some("agent_start") => Kind::Beginning,
        _ => Kind::Other,
    };
    let result = &event["tool_result"];
    let input = &result["input"];
    let deed = match result["name"].as_str() {
        Some("editor") => Deed::unknown(&input["path"]),
        Some("apply_patch") => Deed::patch(&input["input"]),
        Some("run_commands") => Deed::shell(&input["commands"]),
        _ => Deed::of_foreign_tool(input),
    };
    Step { took: result["durationMs"].as_u64(), ..Step::with_tool(kind, &event["workspaceRoots"][0], deed) }
}

/// The answer.
pub fn answer(_: &Value, said: &Said) -> Value {
    object([("context", text(said.context.as_deref()))])
}
