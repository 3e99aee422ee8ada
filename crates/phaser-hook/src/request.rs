//! What the client sends to a hook.
//!
//! Nothing that is a JSON object is refused: unknown events and tools come through by their names, and a
//! field of the wrong type is as good as missing. What to answer is the [`response`](super::response)'s business.

use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;

use serde_json::{Map, Value};

use super::conversation::Conversation;
use super::event::{Event, Subagent};
use super::input::{InputError, read_object};
use super::tool::{Fields, Tool, ToolInput};

/// One event, as the client sent it.
#[derive(Debug)]
pub struct Request {
    raw: Value,
    conversation: OnceLock<Conversation>,
}

/// A tool with what it was given.
#[derive(Debug, Clone, Copy)]
pub struct ToolCall<'a> {
    /// The tool; `None` when the request names none.
    pub tool: Option<Tool<'a>>,
    /// What it was given.
    pub input: ToolInput<'a>,
    /// The client's name for this call.
    pub id: Option<&'a str>,
}

/// A tool call that has happened.
#[derive(Debug, Clone, Copy)]
pub struct ToolRun<'a> {
    /// The call.
    pub call: ToolCall<'a>,
    /// What the tool gave back.
    pub response: Option<&'a Value>,
    /// What went wrong, in words.
    pub error: Option<&'a str>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<u64>,
    ending: Ending,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Success,
    Failure,
}

impl ToolRun<'_> {
    /// Did the tool complete without an error?
    pub fn succeeded(&self) -> bool {
        self.ending == Ending::Success
    }

    /// Did the tool run into an error?
    pub fn failed(&self) -> bool {
        self.ending == Ending::Failure
    }
}

/// The end of a turn.
#[derive(Debug, Clone, Copy)]
pub struct Stop<'a> {
    /// Is the assistant still going because a hook did not let it stop? A hook that blocks then as well
    /// keeps it going for ever.
    pub stop_hook_active: bool,
    /// What the assistant said last.
    pub last_assistant_message: Option<&'a str>,
    /// The subagent that stops, if it is one.
    pub agent: Subagent<'a>,
}

impl Request {
    /// The request in `reader`: the first JSON object, as soon as it is complete.
    pub fn read(reader: impl Read) -> Result<Self, InputError> {
        read_object(reader).map(Self::from)
    }

    /// The request as it came.
    pub fn raw(&self) -> &Value {
        &self.raw
    }

    /// A field by its snake_case name, read in camelCase too; `null` is as good as missing.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.fields().get(name)
    }

    /// The name of the event, exactly as received; `PreToolUse` when there is none.
    pub fn hook_event_name(&self) -> &str {
        self.fields().text("hook_event_name").unwrap_or("PreToolUse")
    }

    /// The event.
    pub fn event(&self) -> Event<'_> {
        Event::of(self)
    }

    /// The session.
    pub fn session_id(&self) -> Option<&str> {
        self.fields().text("session_id")
    }

    /// The directory the client is in.
    pub fn cwd(&self) -> Option<&str> {
        self.fields().text("cwd")
    }

    /// The file that holds the transcript of the session.
    pub fn transcript_path(&self) -> Option<&str> {
        self.fields().text("transcript_path")
    }

    /// `default`, `plan`, `acceptEdits`, …
    pub fn permission_mode(&self) -> Option<&str> {
        self.fields().text("permission_mode")
    }

    /// The name of the tool, exactly as received.
    pub fn tool_name(&self) -> Option<&str> {
        self.fields().text("tool_name")
    }

    /// The tool.
    pub fn tool(&self) -> Option<Tool<'_>> {
        self.tool_name().map(Tool::from_name)
    }

    /// What the tool was given.
    pub fn tool_input(&self) -> ToolInput<'_> {
        ToolInput::new(self.fields().get("tool_input"))
    }

    /// The client's name for this tool call.
    pub fn tool_use_id(&self) -> Option<&str> {
        self.fields().text("tool_use_id")
    }

    /// What the tool gave back; also read as `tool_result`.
    pub fn tool_response(&self) -> Option<&Value> {
        self.fields().get("tool_response").or_else(|| self.fields().get("tool_result"))
    }

    /// What went wrong in the tool, in words: `tool_error`, or the `error` of a failed call.
    pub fn tool_error(&self) -> Option<&str> {
        self.tool_error_value()?.as_str()
    }

    /// Did the tool complete without an error?
    pub fn succeeded(&self) -> bool {
        self.ending() == Ending::Success
    }

    /// Did the tool run into an error?
    pub fn failed(&self) -> bool {
        self.ending() == Ending::Failure
    }

    /// What the user wrote.
    pub fn prompt(&self) -> Option<&str> {
        self.fields().text("prompt")
    }

    /// The transcript of the session, loaded when it is first asked for.
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
            ending: self.ending(),
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

    fn ending(&self) -> Ending {
        let response = Fields::new(self.tool_response());
        let failed = self.hook_event_name() == "PostToolUseFailure"
            || self.tool_error_value().is_some()
            || response.flag("is_error")
            || response.get("success") == Some(&Value::Bool(false));
        if failed { Ending::Failure } else { Ending::Success }
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
    fn the_common_fields_are_read_in_both_spellings() {
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
    fn the_event_name_is_passed_on_as_received() {
        assert_eq!(request(json!({"hook_event_name": "pre-tool-use"})).hook_event_name(), "pre-tool-use");
        assert_eq!(request(json!({})).hook_event_name(), "PreToolUse");
        assert!(matches!(request(json!({})).event(), Event::PreToolUse(_)));
    }

    #[test]
    fn unknown_events_and_tools_keep_their_names() {
        let request = request(json!({"hook_event_name": "TeaTime", "tool_name": "Kettle", "sugar": 2}));
        assert!(matches!(request.event(), Event::Unknown("TeaTime")));
        assert_eq!(request.tool(), Some(Tool::Other("Kettle")));
        assert_eq!(request.raw()["sugar"], json!(2));
        assert_eq!(request.get("sugar"), Some(&json!(2)));
    }

    #[test]
    fn fields_of_the_wrong_type_do_not_refuse_the_request() {
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
    fn a_tool_failed_when_the_request_says_so_in_any_way() {
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
    fn session_start_has_a_source_and_an_env_file() {
        let request =
            request(json!({"hook_event_name": "SessionStart", "source": "startup", "env_file": "/tmp/e"}));
        let Event::SessionStart { source, env_file } = request.event() else { panic!() };
        assert_eq!((source, env_file), (Some("startup"), Some("/tmp/e")));
    }

    #[test]
    fn a_stop_says_whether_a_hook_keeps_it_going() {
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
    fn the_conversation_is_loaded_once_and_only_when_asked_for() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("session.jsonl");
        let request = request(json!({"transcript_path": path}));
        std::fs::write(&path, "{\"type\":\"user\",\"message\":{}}\n").expect("written");
        assert_eq!(request.conversation().entries().len(), 1);
        std::fs::remove_file(&path).expect("removed");
        assert_eq!(request.conversation().entries().len(), 1);
    }

    #[test]
    fn without_a_transcript_the_conversation_is_empty() {
        assert!(request(json!({})).conversation().entries().is_empty());
    }
}
