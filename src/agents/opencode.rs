//! opencode and its fork Kilo. They have no command hooks: a plugin that phaser installs sends each call as JSON and acts on
//! the response. It throws `deny`, which becomes the tool's result, replaces the tool's arguments by `args`, and appends
//! `context` to the result.

use serde_json::Value;

use super::fields::{ResponseFields, object, text};
use super::parsed_event::{EventKind, ParsedEvent, ToolAction, edit};
use super::replace::EXACT;

pub fn parse(event: &Value) -> ParsedEvent<'_> {
    let (kind, args) = match event["hook"].as_str() {
        Some("tool.execute.before") => (EventKind::BeforeTool, &event["output"]["args"]),
        Some("tool.execute.after") => (EventKind::AfterTool, &event["input"]["args"]),
        Some("event") if event["event"]["type"] == "session.created" => {
            (EventKind::SessionStart, &Value::Null)
        }
        _ => (EventKind::Other, &Value::Null),
    };
    let path = &args["filePath"];
    let action = match event["input"]["tool"].as_str() {
        Some("write") => ToolAction::write(path, &args["content"]),
        Some("edit") => {
            let edit = edit(&args["oldString"], &args["newString"], &args["replaceAll"]);
            ToolAction::edit(path, vec![edit], EXACT)
        }
        Some("apply_patch" | "patch") => ToolAction::patch(&args["patchText"]),
        Some("bash") => ToolAction::shell(&args["command"]),
        _ => ToolAction::from_unknown_tool(args),
    };
    ParsedEvent::with_tool(kind, &event["directory"], action).with_input(args)
}

pub fn respond(_: &Value, fields: &ResponseFields) -> Value {
    object([
        ("deny", text(fields.denial())),
        ("args", fields.input.clone()),
        ("context", text(fields.context.as_deref())),
    ])
}
