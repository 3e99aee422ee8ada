//! Requests: the input of a hook.
//!
//! Every JSON object is accepted. Unknown events and tools keep their names, and a field of the wrong type counts as
//! missing.

use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;

use serde_json::{Map, Value};

use super::conversation::Conversation;
use super::event::{Event, Subagent};
use super::input::{InputError, read_object};
use super::tool::{Fields, Tool, ToolInput};

/// The input of a hook: one event of Claude Code.
#[derive(Debug)]
pub struct Request {
    raw: Value,
    conversation: OnceLock<Conversation>,
}

/// A call of a tool.
#[derive(Debug, Clone, Copy)]
pub struct ToolCall<'a> {
    /// `None` if the request names no tool.
    pub tool: Option<Tool<'a>>,
    /// The arguments.
    pub input: ToolInput<'a>,
    /// Unique within the session.
    pub id: Option<&'a str>,
}

/// A tool call that has ended.
#[derive(Debug, Clone, Copy)]
pub struct ToolRun<'a> {
    /// The tool and its arguments.
    pub call: ToolCall<'a>,
    /// The tool's output.
    pub response: Option<&'a Value>,
    /// The error message of a failed call.
    pub error: Option<&'a str>,
    /// The duration in milliseconds.
    pub duration_ms: Option<u64>,
    failed: bool,
}

impl ToolRun<'_> {
    /// Whether the tool ended without an error.
    pub fn succeeded(&self) -> bool {
        !self.failed
    }

    /// Whether the tool failed.
    pub fn failed(&self) -> bool {
        self.failed
    }
}

/// The end of a turn.
#[derive(Debug, Clone, Copy)]
pub struct Stop<'a> {
    /// Whether the agent continues because a hook blocked an earlier stop. A hook that blocks again may loop
    /// forever.
    pub stop_hook_active: bool,
    /// The last message of the turn.
    pub last_assistant_message: Option<&'a str>,
    /// The subagent that stops; empty fields for the main agent.
    pub agent: Subagent<'a>,
}

impl Request {
    /// Reads the first JSON object of `reader`, without waiting for the end of the stream.
    pub fn read(reader: impl Read) -> Result<Self, InputError> {
        read_object(reader).map(Self::from)
    }

    /// The unmodified JSON.
    pub fn raw(&self) -> &Value {
        &self.raw
    }

    /// A field by its snake_case name; its camelCase spelling is read too. `null` counts as missing.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.fields().get(name)
    }

    /// The name of the event as received; `PreToolUse` if missing.
    pub fn hook_event_name(&self) -> &str {
        self.fields().text("hook_event_name").unwrap_or("PreToolUse")
    }

    /// The event with its fields.
    pub fn event(&self) -> Event<'_> {
        Event::of(self)
    }

    /// The id of the session.
    pub fn session_id(&self) -> Option<&str> {
        self.fields().text("session_id")
    }

    /// The working directory. It follows the model's `cd` and may be outside the project.
    pub fn cwd(&self) -> Option<&str> {
        self.fields().text("cwd")
    }

    /// The path of the session's transcript.
    pub fn transcript_path(&self) -> Option<&str> {
        self.fields().text("transcript_path")
    }

    /// `default`, `plan`, `acceptEdits`, …
    pub fn permission_mode(&self) -> Option<&str> {
        self.fields().text("permission_mode")
    }

    /// The name of the tool as received.
    pub fn tool_name(&self) -> Option<&str> {
        self.fields().text("tool_name")
    }

    /// The tool; `None` if the request names none.
    pub fn tool(&self) -> Option<Tool<'_>> {
        self.tool_name().map(Tool::from_name)
    }

    /// The arguments of the tool.
    pub fn tool_input(&self) -> ToolInput<'_> {
        ToolInput::new(self.fields().get("tool_input"))
    }

    /// The id of the tool call.
    pub fn tool_use_id(&self) -> Option<&str> {
        self.fields().text("tool_use_id")
    }

    /// The tool's output: `tool_response`, or `tool_result`.
    pub fn tool_response(&self) -> Option<&Value> {
        self.fields().get("tool_response").or_else(|| self.fields().get("tool_result"))
    }

    /// The error message of a failed call: `tool_error`, or `error`.
    pub fn tool_error(&self) -> Option<&str> {
        self.tool_error_value()?.as_str()
    }

    /// Whether the tool ended without an error.
    pub fn succeeded(&self) -> bool {
        !self.failed()
    }

    /// Whether the tool failed.
    pub fn failed(&self) -> bool {
        let response = Fields::new(self.tool_response());
        self.hook_event_name() == "PostToolUseFailure"
            || self.tool_error_value().is_some()
            || response.flag("is_error")
            || response.get("success") == Some(&Value::Bool(false))
    }

    /// The user's prompt.
    pub fn prompt(&self) -> Option<&str> {
        self.fields().text("prompt")
    }

    /// The transcript of the session, loaded on first use.
    pub fn conversation(&self) -> &Conversation {
        let load = |path| Conversation::load(Path::new(path));
        self.conversation.get_or_init(|| self.transcript_path().map(load).unwrap_or_default())
    }

    pub(super) fn fields(&self) -> Fields<'_> {
        Fields::new(Some(&self.raw))
    }

    pub(super) fn tool_call(&self) -> ToolCall<'_> {
        ToolCall { tool: self.tool(), input: self.tool_input(), id: self.tool_use_id() }
    }

    pub(super) fn tool_run(&self) -> ToolRun<'_> {
        ToolRun {
            call: self.tool_call(),
            response: self.tool_response(),
            error: self.tool_error(),
            duration_ms: self.get("duration_ms").and_then(Value::as_u64),
            failed: self.failed(),
        }
    }

    pub(super) fn stop(&self) -> Stop<'_> {
        Stop {
            stop_hook_active: self.fields().flag("stop_hook_active"),
            last_assistant_message: self.fields().text("last_assistant_message"),
            agent: Subagent::of(self.fields()),
        }
    }

    fn tool_error_value(&self) -> Option<&Value> {
        let error = self.fields().get("tool_error").or_else(|| self.fields().get("error"))?;
        (error.as_str() != Some("")).then_some(error)
    }
}

impl From<Map<String, Value>> for Request {
    fn from(object: Map<String, Value>) -> Self {
        Self { raw: Value::Object(object), conversation: OnceLock::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn request(value: Value) -> Request {
        Request::read(value.to_string().as_bytes()).expect("a request")
    }

    #[test]
    fn reads_common_fields_in_both_spellings() {
        for request in [
            request(json!({
                "session_id": "s", "cwd": "/p", "hook_event_name": "PreToolUse",
                "transcript_path": "/t.jsonl", "permission_mode": "default",
                "tool_name": "Write", "tool_input": {"file_path": "/p/a"}, "tool_use_id": "toolu_1",
            })),
            request(json!({
                "sessionId": "s", "cwd": "/p", "hookEventName": "PreToolUse",
                "transcriptPath": "/t.jsonl", "permissionMode": "default",
                "toolName": "Write", "toolInput": {"filePath": "/p/a"}, "toolUseId": "toolu_1",
            })),
        ] {
            assert_eq!((request.session_id(), request.cwd()), (Some("s"), Some("/p")));
            assert_eq!(request.hook_event_name(), "PreToolUse");
            assert_eq!(request.transcript_path(), Some("/t.jsonl"));
            assert_eq!(request.permission_mode(), Some("default"));
            let Event::PreToolUse(call) = request.event() else { panic!("{:?}", request.event()) };
            assert_eq!(call.tool, Some(Tool::Write));
            assert_eq!((call.input.file_path(), call.id), (Some("/p/a"), Some("toolu_1")));
        }
    }

    #[test]
    fn snake_case_wins() {
        let request = request(json!({"toolName": "Edit", "tool_name": "Write"}));
        assert_eq!(request.tool_name(), Some("Write"));
    }

    #[test]
    fn keeps_event_name_as_received() {
        assert_eq!(request(json!({"hook_event_name": "pre-tool-use"})).hook_event_name(), "pre-tool-use");
        assert_eq!(request(json!({})).hook_event_name(), "PreToolUse");
        assert!(matches!(request(json!({})).event(), Event::PreToolUse(_)));
    }

    #[test]
    fn unknown_events_and_tools_keep_names() {
        let request = request(json!({"hook_event_name": "TeaTime", "tool_name": "Kettle", "sugar": 2}));
        assert!(matches!(request.event(), Event::Unknown("TeaTime")));
        assert_eq!(request.tool(), Some(Tool::Other("Kettle")));
        assert_eq!(request.raw()["sugar"], json!(2));
        assert_eq!(request.get("sugar"), Some(&json!(2)));
    }

    #[test]
    fn accepts_fields_of_wrong_type() {
        let request = request(json!({"hook_event_name": 7, "tool_name": [], "tool_input": "x", "cwd": {}}));
        assert_eq!(request.hook_event_name(), "PreToolUse");
        assert_eq!((request.tool_name(), request.cwd()), (None, None));
        assert!(request.tool_input().as_map().is_none());
    }

    #[test]
    fn post_tool_use_has_a_result() {
        for (key, value) in [("tool_response", json!({"filePath": "/p/a"})), ("tool_result", json!("done"))] {
            let request =
                request(json!({"hook_event_name": "PostToolUse", key: value.clone(), "tool_error": null}));
            let Event::PostToolUse(run) = request.event() else { panic!("{:?}", request.event()) };
            assert_eq!((run.response, run.error), (Some(&value), None));
            assert!(run.succeeded() && !run.failed());
            assert!(request.succeeded() && !request.failed());
        }
    }

    #[test]
    fn recognises_every_sign_of_failure() {
        for value in [
            json!({"hook_event_name": "PostToolUse", "tool_error": "no space"}),
            json!({"hook_event_name": "PostToolUse", "toolError": {"code": 1}}),
            json!({"hook_event_name": "PostToolUse", "tool_response": {"success": false}}),
            json!({"hook_event_name": "PostToolUse", "tool_response": {"is_error": true}}),
            json!({"hook_event_name": "PostToolUseFailure", "error": "no space"}),
            json!({"hook_event_name": "PostToolUseFailure"}),
        ] {
            let request = request(value);
            assert!(request.failed() && !request.succeeded(), "{:?}", request.raw());
        }
        assert!(request(json!({"hook_event_name": "PostToolUse", "tool_error": ""})).succeeded());
        let request = request(json!({"hook_event_name": "PostToolUseFailure", "error": "no space"}));
        let Event::PostToolUseFailure(run) = request.event() else { panic!("{:?}", request.event()) };
        assert_eq!(run.error, Some("no space"));
    }

    #[test]
    fn user_prompt_submit_has_a_prompt() {
        let request = request(json!({"hook_event_name": "UserPromptSubmit", "prompt": "Add a login"}));
        assert!(matches!(request.event(), Event::UserPromptSubmit { prompt: Some("Add a login") }));
    }

    #[test]
    fn session_start_has_source_and_env_file() {
        let request =
            request(json!({"hook_event_name": "SessionStart", "source": "startup", "env_file": "/tmp/e"}));
        let Event::SessionStart { source, env_file } = request.event() else { panic!() };
        assert_eq!((source, env_file), (Some("startup"), Some("/tmp/e")));
    }

    #[test]
    fn stop_reports_active_stop_hook() {
        let stop = |name: &str| {
            request(json!({
                "hook_event_name": name, "stop_hook_active": true, "last_assistant_message": "Done",
            }))
        };
        for request in [stop("Stop"), stop("SubagentStop")] {
            let (Event::Stop(stop) | Event::SubagentStop(stop)) = request.event() else { panic!() };
            assert!(stop.stop_hook_active);
            assert_eq!(stop.last_assistant_message, Some("Done"));
        }
    }

    #[test]
    fn the_remaining_events_have_their_fields() {
        let notification = request(json!({"hook_event_name": "Notification", "message": "m", "title": "t"}));
        assert!(matches!(notification.event(), Event::Notification { message: Some("m"), title: Some("t") }));
        let compact = request(json!({
            "hook_event_name": "PreCompact", "trigger": "auto", "custom_instructions": "keep x",
        }));
        assert!(matches!(
            compact.event(),
            Event::PreCompact { trigger: Some("auto"), custom_instructions: Some("keep x") }
        ));
        let end = request(json!({"hook_event_name": "SessionEnd", "reason": "logout"}));
        assert!(matches!(end.event(), Event::SessionEnd { reason: Some("logout") }));
        let permission = request(json!({"hook_event_name": "PermissionRequest", "tool_name": "Bash"}));
        assert!(matches!(
            permission.event(),
            Event::PermissionRequest(ToolCall { tool: Some(Tool::Bash), .. })
        ));
    }

    #[test]
    fn loads_conversation_once_on_first_use() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("session.jsonl");
        let request = request(json!({"transcript_path": path}));
        std::fs::write(&path, "{\"type\":\"user\",\"message\":{}}\n").expect("written");
        assert_eq!(request.conversation().entries().len(), 1);
        std::fs::remove_file(&path).expect("removed");
        assert_eq!(request.conversation().entries().len(), 1);
    }

    #[test]
    fn conversation_is_empty_without_transcript() {
        assert!(request(json!({})).conversation().entries().is_empty());
    }
}
