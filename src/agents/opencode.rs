//! opencode and its fork Kilo. They have no command hooks: a plugin that phaser installs sends each call as JSON and acts on
//! the response. It throws `deny`, which becomes the tool's result, replaces the tool's arguments by `args`, and appends
//! `context` to the result.

use serde_json::{Value, json};

use super::fields::ResponseFields;
use super::parsed_event::{EventKind, ParsedEvent, ToolAction, ToolKind};
use crate::json::without_nulls;

const TOOLS: [(&str, ToolKind); 5] = [
    ("write", ToolKind::Write),
    ("edit", ToolKind::Edit),
    ("apply_patch", ToolKind::Patch),
    ("patch", ToolKind::Patch),
    ("bash", ToolKind::Shell),
];

pub fn parse(event: &Value) -> ParsedEvent<'_> {
    let (kind, args) = match event["hook"].as_str() {
        Some("tool.execute.before") => (EventKind::BeforeTool, &event["output"]["args"]),
        Some("tool.execute.after") => (EventKind::AfterTool, &event["input"]["args"]),
        Some("event") if event["event"]["type"] == "session.created" => {
            (EventKind::SessionStart, &Value::Null)
        }
        _ => (EventKind::Other, &Value::Null),
    };
    let action = ToolAction::of(&event["input"]["tool"], args, &TOOLS);
    ParsedEvent::new(kind, &event["directory"], action).with_input(args)
}

pub fn respond(_: &Value, fields: &ResponseFields) -> Value {
    without_nulls(json!({ "deny": fields.denied, "args": fields.input, "context": fields.context }))
}
