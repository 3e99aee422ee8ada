//! Factory's droid: Claude Code's events and responses, its own tools. Exit code 3 ends its whole run.

use serde_json::Value;

use super::fields::{ResponseFields, claude_response, joined};
use super::parsed_event::{ParsedEvent, ToolKind, claude_event_name};

const TOOLS: [(&str, ToolKind); 6] = [
    ("Create", ToolKind::Write),
    ("Write", ToolKind::Write),
    ("Edit", ToolKind::Edit),
    ("MultiEdit", ToolKind::MultiEdit),
    ("ApplyPatch", ToolKind::Patch),
    ("Execute", ToolKind::Shell),
];

pub fn parse(event: &Value) -> ParsedEvent<'_> {
    ParsedEvent::in_claude_format(event, &TOOLS).with_input(&event["tool_input"])
}

/// The key of a tool input that carries context from the hook before the tool to the hook after it.
const CARRIED_CONTEXT: &str = "phaser";

/// droid drops context from a hook before a tool, but hands unknown keys of an updated input on to the hook after the
/// tool. Context for a fixed edit travels that way.
pub fn respond(event: &Value, fields: &ResponseFields) -> Value {
    let mut fields = fields.clone();
    if let (Some(input), Some(context)) = (&mut fields.input, &fields.context) {
        input[CARRIED_CONTEXT] = context.as_str().into();
        fields.context = None;
    } else if let (Some(carried), "PostToolUse") =
        (event["tool_input"][CARRIED_CONTEXT].as_str(), claude_event_name(event))
    {
        fields.context = Some(joined([Some(carried), fields.context.as_deref()]));
    }
    claude_response(event, &fields)
}
