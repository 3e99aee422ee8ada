//! The JSON that Claude Code reads from a hook's stdout. No other module knows its format.

use serde::Serialize;
use serde_json::{Map, Value};

use super::request::Request;
use super::response::{
    AfterDeny, BlockResponse, BlockableEvent, ContextEvent, ContextResponse, Decision, ElicitationAction,
    ElicitationEvent, ElicitationResponse, MessageDisplayResponse, PermissionDeniedResponse,
    PermissionRequestResponse, PostToolUseFailureResponse, PostToolUseResponse, PreModelSwitchResponse,
    PreToolUseResponse, ResponseError, SessionStartResponse, StopResponse, UserPromptSubmitResponse,
    WatchEvent, WatchResponse, WorktreeCreateResponse,
};

/// One response, ready to be printed.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    json: ResponseJson,
    /// The events that take this response; empty means all.
    events: &'static [&'static str],
}

impl Response {
    /// `{}`: valid for every event. Claude Code continues as if there were no hook.
    pub fn empty() -> Self {
        Self { json: ResponseJson::default(), events: &[] }
    }

    /// Stops Claude and shows the user the reason.
    pub fn stop(mut self, reason: impl Into<String>) -> Self {
        self.json.go_on = Some(false);
        self.json.stop_reason = Some(reason.into());
        self
    }

    /// Keeps the hook's output out of the transcript.
    pub fn suppress_output(mut self) -> Self {
        self.json.suppress_output = Some(true);
        self
    }

    /// Shows the user a warning.
    pub fn system_message(mut self, message: impl Into<String>) -> Self {
        self.json.system_message = Some(message.into());
        self
    }

    /// The JSON for stdout. Print nothing else there.
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.json).expect("strings and JSON values always serialise")
    }

    /// [`to_json`](Self::to_json), indented.
    pub fn to_pretty_json(&self) -> String {
        serde_json::to_string_pretty(&self.json).expect("strings and JSON values always serialise")
    }

    /// [`to_json`](Self::to_json), or an error if the response is for another event than `request`. Claude Code drops
    /// such a response.
    pub fn to_json_for(&self, request: &Request) -> Result<String, ResponseError> {
        let event = request.hook_event_name();
        match self.events {
            [first, ..] if !self.events.contains(&event) => {
                Err(ResponseError::WrongEvent { response: first, request: event.to_owned() })
            }
            _ => Ok(self.to_json()),
        }
    }

    fn about(events: &'static [&'static str], specific: EventJson) -> Self {
        let hook_event_name = events.first().copied().unwrap_or_default();
        let specific = EventJson { hook_event_name, ..specific };
        Self { json: ResponseJson { specific: Some(specific), ..ResponseJson::default() }, events }
    }

    fn context(events: &'static [&'static str], context: Option<String>) -> Self {
        Self::about(events, EventJson { additional_context: context, ..EventJson::default() })
    }

    /// Adds a block if there is a reason; every event accepts one.
    pub(super) fn block(mut self, reason: Option<String>) -> Self {
        self.json.decision = reason.as_ref().map(|_| "block");
        self.json.reason = reason;
        self
    }
}

/// The JSON document; fields are serialised in this order.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct ResponseJson {
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    go_on: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppress_output: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(rename = "hookSpecificOutput", skip_serializing_if = "Option::is_none")]
    specific: Option<EventJson>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct EventJson {
    hook_event_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_input: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<PermissionJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    watch_paths: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    worktree_path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Map<String, Value>>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", tag = "behavior")]
enum PermissionJson {
    #[serde(rename_all = "camelCase")]
    Allow {
        #[serde(skip_serializing_if = "Option::is_none")]
        updated_input: Option<Map<String, Value>>,
    },
    Deny {
        message: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        interrupt: Option<bool>,
    },
}

impl From<PreToolUseResponse> for Response {
    fn from(response: PreToolUseResponse) -> Self {
        Self::about(
            &["PreToolUse"],
            EventJson {
                permission_decision: response.decision.map(Decision::as_str),
                permission_decision_reason: response.reason,
                updated_input: response.updated_input.map(|input| input.0),
                additional_context: response.context,
                ..EventJson::default()
            },
        )
    }
}

impl From<PostToolUseResponse> for Response {
    fn from(PostToolUseResponse { block, context }: PostToolUseResponse) -> Self {
        Self::context(&["PostToolUse"], context).block(block)
    }
}

impl From<PostToolUseFailureResponse> for Response {
    fn from(response: PostToolUseFailureResponse) -> Self {
        Self::context(&["PostToolUseFailure"], response.context).block(response.block)
    }
}

impl From<UserPromptSubmitResponse> for Response {
    fn from(UserPromptSubmitResponse { block, context }: UserPromptSubmitResponse) -> Self {
        Self::context(&["UserPromptSubmit"], context).block(block)
    }
}

impl From<SessionStartResponse> for Response {
    fn from(response: SessionStartResponse) -> Self {
        Self::context(&["SessionStart"], response.context)
    }
}

impl From<StopResponse> for Response {
    fn from(StopResponse { block }: StopResponse) -> Self {
        Self { events: &["Stop", "SubagentStop"], ..Self::empty() }.block(block)
    }
}

impl From<PermissionRequestResponse> for Response {
    fn from(response: PermissionRequestResponse) -> Self {
        let decision = match response {
            PermissionRequestResponse::Allow { updated_input } => {
                PermissionJson::Allow { updated_input: updated_input.map(|input| input.0) }
            }
            PermissionRequestResponse::Deny { message, then } => {
                PermissionJson::Deny { message, interrupt: (then == AfterDeny::Interrupt).then_some(true) }
            }
        };
        Self::about(&["PermissionRequest"], EventJson { decision: Some(decision), ..EventJson::default() })
    }
}

impl From<ContextResponse> for Response {
    fn from(ContextResponse { event, context }: ContextResponse) -> Self {
        let events: &'static [&'static str] = match event {
            ContextEvent::SubagentStart => &["SubagentStart"],
            ContextEvent::Setup => &["Setup"],
            ContextEvent::PostToolBatch => &["PostToolBatch"],
            ContextEvent::UserPromptExpansion => &["UserPromptExpansion"],
            ContextEvent::PostModelSwitch => &["PostModelSwitch"],
            ContextEvent::Notification => &["Notification"],
        };
        Self::context(events, context)
    }
}

impl From<BlockResponse> for Response {
    fn from(BlockResponse { event, block }: BlockResponse) -> Self {
        let events: &'static [&'static str] = match event {
            BlockableEvent::ConfigChange => &["ConfigChange"],
            BlockableEvent::PreCompact => &["PreCompact"],
        };
        Self { events, ..Self::empty() }.block(block)
    }
}

impl From<PreModelSwitchResponse> for Response {
    fn from(PreModelSwitchResponse { decision, reason }: PreModelSwitchResponse) -> Self {
        let specific = EventJson {
            permission_decision: Some(Decision::as_str(decision)),
            permission_decision_reason: reason,
            ..EventJson::default()
        };
        Self::about(&["PreModelSwitch"], specific)
    }
}

impl From<PermissionDeniedResponse> for Response {
    fn from(PermissionDeniedResponse { retry }: PermissionDeniedResponse) -> Self {
        Self::about(&["PermissionDenied"], EventJson { retry, ..EventJson::default() })
    }
}

impl From<WatchResponse> for Response {
    fn from(WatchResponse { event, paths }: WatchResponse) -> Self {
        let events: &'static [&'static str] = match event {
            WatchEvent::CwdChanged => &["CwdChanged"],
            WatchEvent::FileChanged => &["FileChanged"],
        };
        let paths = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        Self::about(events, EventJson { watch_paths: Some(paths), ..EventJson::default() })
    }
}

impl From<WorktreeCreateResponse> for Response {
    fn from(WorktreeCreateResponse { path }: WorktreeCreateResponse) -> Self {
        let worktree_path = Some(path.to_string_lossy().into_owned());
        Self::about(&["WorktreeCreate"], EventJson { worktree_path, ..EventJson::default() })
    }
}

impl From<MessageDisplayResponse> for Response {
    fn from(MessageDisplayResponse { content }: MessageDisplayResponse) -> Self {
        Self::about(&["MessageDisplay"], EventJson { display_content: Some(content), ..EventJson::default() })
    }
}

impl From<ElicitationResponse> for Response {
    fn from(ElicitationResponse { event, action, content }: ElicitationResponse) -> Self {
        let events: &'static [&'static str] = match event {
            ElicitationEvent::Elicitation => &["Elicitation"],
            ElicitationEvent::ElicitationResult => &["ElicitationResult"],
        };
        let action = match action {
            ElicitationAction::Accept => "accept",
            ElicitationAction::Decline => "decline",
            ElicitationAction::Cancel => "cancel",
        };
        Self::about(events, EventJson { action: Some(action), content, ..EventJson::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::response::UpdatedInput;
    use super::*;
    use serde_json::json;

    fn request(value: Value) -> Request {
        Request::read(value.to_string().as_bytes()).expect("a request")
    }

    #[track_caller]
    fn check(response: impl Into<Response>, json: &str) {
        assert_eq!(response.into().to_json(), json);
    }

    fn updated() -> UpdatedInput {
        let request = request(json!({"tool_input": {"command": "rm -rf /", "timeout": 30}}));
        let update = json!({"command": "echo hello"});
        UpdatedInput::merge(request.tool_input(), update.as_object().expect("an object").clone())
    }

    #[test]
    fn pre_tool_use_allow() {
        check(
            PreToolUseResponse::allow().with_reason("Validation passed"),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"Validation passed"}}"#,
        );
        check(
            PreToolUseResponse::allow(),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#,
        );
    }

    #[test]
    fn pre_tool_use_deny() {
        check(
            PreToolUseResponse::deny("Data classes need #[TypeScript()]"),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Data classes need #[TypeScript()]"}}"#,
        );
    }

    #[test]
    fn pre_tool_use_with_updated_input() {
        check(
            PreToolUseResponse::ask("Sanitised").with_updated_input(updated()).expect("ask takes input"),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"Sanitised","updatedInput":{"command":"echo hello","timeout":30}}}"#,
        );
        check(
            PreToolUseResponse::allow().with_updated_input(updated()).expect("allow takes input"),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"echo hello","timeout":30}}}"#,
        );
    }

    #[test]
    fn pre_tool_use_with_context() {
        check(
            PreToolUseResponse::undecided().with_context("line 3 is old"),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"line 3 is old"}}"#,
        );
        check(
            PreToolUseResponse::deny("no").with_context("use the service"),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no","additionalContext":"use the service"}}"#,
        );
    }

    #[test]
    fn post_tool_use() {
        check(
            PostToolUseResponse::acknowledge(),
            r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse"}}"#,
        );
        for response in [PostToolUseResponse::with_context("c"), PostToolUseResponse::with_message("c")] {
            check(
                response,
                r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c"}}"#,
            );
        }
        check(
            PostToolUseResponse::block("r").and_context("c"),
            r#"{"decision":"block","reason":"r","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c"}}"#,
        );
    }

    #[test]
    fn post_tool_use_failure() {
        check(
            PostToolUseFailureResponse::acknowledge(),
            r#"{"hookSpecificOutput":{"hookEventName":"PostToolUseFailure"}}"#,
        );
        check(
            PostToolUseFailureResponse::with_context("c"),
            r#"{"hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"c"}}"#,
        );
    }

    #[test]
    fn user_prompt_submit() {
        check(
            UserPromptSubmitResponse::allow(),
            r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit"}}"#,
        );
        check(
            UserPromptSubmitResponse::deny("r"),
            r#"{"decision":"block","reason":"r","hookSpecificOutput":{"hookEventName":"UserPromptSubmit"}}"#,
        );
        check(
            UserPromptSubmitResponse::with_context("c"),
            r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"c"}}"#,
        );
        let modified = Response::from(UserPromptSubmitResponse::with_modified_prompt("Add tests")).to_json();
        assert!(modified.contains(r"instead:\n\nAdd tests"), "{modified}");
    }

    #[test]
    fn session_start() {
        check(
            SessionStartResponse::acknowledge(),
            r#"{"hookSpecificOutput":{"hookEventName":"SessionStart"}}"#,
        );
        let response = SessionStartResponse::with_context("c").and_env_vars([("A", "b")]).expect("valid");
        check(response, r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"c"}}"#);
    }

    #[test]
    fn stop() {
        check(StopResponse::allow(), "{}");
        check(StopResponse::block("not yet"), r#"{"decision":"block","reason":"not yet"}"#);
    }

    #[test]
    fn permission_request() {
        check(
            PermissionRequestResponse::Allow { updated_input: None },
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#,
        );
        check(
            PermissionRequestResponse::Allow { updated_input: Some(updated()) },
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"command":"echo hello","timeout":30}}}}"#,
        );
        check(
            PermissionRequestResponse::Deny { message: "no".into(), then: AfterDeny::GoOn },
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no"}}}"#,
        );
        check(
            PermissionRequestResponse::Deny { message: "no".into(), then: AfterDeny::Interrupt },
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no","interrupt":true}}}"#,
        );
    }

    #[test]
    fn empty_response_takes_common_fields() {
        check(Response::empty(), "{}");
        check(
            Response::empty().stop("enough").suppress_output().system_message("careful"),
            r#"{"continue":false,"stopReason":"enough","suppressOutput":true,"systemMessage":"careful"}"#,
        );
        check(
            Response::from(PostToolUseResponse::block("r")).system_message("careful"),
            r#"{"systemMessage":"careful","decision":"block","reason":"r","hookSpecificOutput":{"hookEventName":"PostToolUse"}}"#,
        );
    }

    #[test]
    fn rejects_response_to_another_event() {
        let request = request(json!({"hook_event_name": "SubagentStop"}));
        assert_eq!(Response::from(StopResponse::allow()).to_json_for(&request), Ok("{}".into()));
        assert_eq!(Response::empty().to_json_for(&request), Ok("{}".into()));
        let wrong = Response::from(PreToolUseResponse::allow()).to_json_for(&request);
        assert_eq!(
            wrong.expect_err("wrong event").to_string(),
            "a PreToolUse response cannot answer the event 'SubagentStop'"
        );
    }

    #[test]
    fn each_response_has_its_json() {
        let specific = |name: &str, key: &str, value: Value| json!({ "hookSpecificOutput": { "hookEventName": name, key: value } });
        let responses: [(Response, Value); 9] = [
            (
                ContextResponse::to(ContextEvent::Setup, "c").into(),
                specific("Setup", "additionalContext", json!("c")),
            ),
            (
                BlockResponse::block(BlockableEvent::ConfigChange, "no").into(),
                json!({ "decision": "block", "reason": "no" }),
            ),
            (BlockResponse::allow(BlockableEvent::PreCompact).into(), json!({})),
            (
                PreModelSwitchResponse::new(Decision::Ask, "why").into(),
                json!({ "hookSpecificOutput": { "hookEventName": "PreModelSwitch",
                    "permissionDecision": "ask", "permissionDecisionReason": "why" } }),
            ),
            (PermissionDeniedResponse::retry().into(), specific("PermissionDenied", "retry", json!(true))),
            (
                WatchResponse::watch(WatchEvent::CwdChanged, ["/p"]).into(),
                specific("CwdChanged", "watchPaths", json!(["/p"])),
            ),
            (
                WorktreeCreateResponse::at("/w").into(),
                specific("WorktreeCreate", "worktreePath", json!("/w")),
            ),
            (
                MessageDisplayResponse::show("x").into(),
                specific("MessageDisplay", "displayContent", json!("x")),
            ),
            (
                ElicitationResponse::accept(ElicitationEvent::Elicitation, Map::new()).into(),
                json!({ "hookSpecificOutput": { "hookEventName": "Elicitation", "action": "accept",
                    "content": {} } }),
            ),
        ];
        for (response, expected) in responses {
            let written: Value = serde_json::from_str(&response.to_json()).expect("is JSON");
            assert_eq!(written, expected);
        }
        let cancelled =
            ElicitationResponse::refuse(ElicitationEvent::ElicitationResult, ElicitationAction::Cancel);
        assert!(Response::from(cancelled).to_json().contains(r#""action":"cancel""#));
    }
}
