//! The JSON that Claude Code reads from a hook's stdout. No other module knows its format.

use serde::Serialize;
use serde_json::{Value, json};

use super::request::Request;
use super::response::{
    AfterDeny, BlockResponse, BlockableEvent, ContextEvent, ContextResponse, ElicitationAction,
    ElicitationEvent, ElicitationResponse, MessageDisplayResponse, PermissionDeniedResponse,
    PermissionRequestResponse, PostToolUseResponse, PreModelSwitchResponse, PreToolUseResponse,
    ResponseError, SessionStartResponse, StopResponse, UserPromptSubmitResponse, WatchEvent, WatchResponse,
    WorktreeCreateResponse,
};

/// One response, ready to be printed.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    json: ResponseJson,
    /// The event that takes this response; `None` for every event. `Stop` includes SubagentStop.
    event: Option<&'static str>,
}

impl Response {
    /// `{}`: valid for every event. Claude Code continues as if there were no hook.
    pub fn empty() -> Self {
        Self { json: ResponseJson::default(), event: None }
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
        let request = request.hook_event_name();
        match self.event {
            Some(response) if response != request && (response, request) != ("Stop", "SubagentStop") => {
                Err(ResponseError::WrongEvent { response, request: request.to_owned() })
            }
            _ => Ok(self.to_json()),
        }
    }

    /// A response to `event` with the fields of `specific` that are not null.
    fn about(event: &'static str, specific: Value) -> Self {
        let mut output = json!({ "hookEventName": event });
        for (name, value) in specific.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null())
        {
            output[name] = value.clone();
        }
        Self { json: ResponseJson { specific: Some(output), ..ResponseJson::default() }, event: Some(event) }
    }

    fn context(event: &'static str, context: Option<String>) -> Self {
        Self::about(event, json!({ "additionalContext": context }))
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
    specific: Option<Value>,
}

impl From<PreToolUseResponse> for Response {
    fn from(response: PreToolUseResponse) -> Self {
        let specific = json!({
            "permissionDecision": response.decision,
            "permissionDecisionReason": response.reason,
            "updatedInput": response.updated_input,
            "additionalContext": response.context,
        });
        Self::about("PreToolUse", specific)
    }
}

impl From<PostToolUseResponse> for Response {
    fn from(PostToolUseResponse { block, context }: PostToolUseResponse) -> Self {
        Self::context("PostToolUse", context).block(block)
    }
}

impl From<UserPromptSubmitResponse> for Response {
    fn from(UserPromptSubmitResponse { block, context }: UserPromptSubmitResponse) -> Self {
        Self::context("UserPromptSubmit", context).block(block)
    }
}

impl From<SessionStartResponse> for Response {
    fn from(response: SessionStartResponse) -> Self {
        Self::context("SessionStart", response.context)
    }
}

impl From<StopResponse> for Response {
    fn from(StopResponse { block }: StopResponse) -> Self {
        Self { event: Some("Stop"), ..Self::empty() }.block(block)
    }
}

impl From<PermissionRequestResponse> for Response {
    fn from(response: PermissionRequestResponse) -> Self {
        let decision = match response {
            PermissionRequestResponse::Allow { updated_input: None } => json!({ "behavior": "allow" }),
            PermissionRequestResponse::Allow { updated_input } => {
                json!({ "behavior": "allow", "updatedInput": updated_input })
            }
            PermissionRequestResponse::Deny { message, then: AfterDeny::GoOn } => {
                json!({ "behavior": "deny", "message": message })
            }
            PermissionRequestResponse::Deny { message, then: AfterDeny::Interrupt } => {
                json!({ "behavior": "deny", "message": message, "interrupt": true })
            }
        };
        Self::about("PermissionRequest", json!({ "decision": decision }))
    }
}

impl From<ContextResponse> for Response {
    fn from(ContextResponse { event, block, context }: ContextResponse) -> Self {
        let event = match event {
            ContextEvent::PostToolUseFailure => "PostToolUseFailure",
            ContextEvent::SubagentStart => "SubagentStart",
            ContextEvent::Setup => "Setup",
            ContextEvent::PostToolBatch => "PostToolBatch",
            ContextEvent::UserPromptExpansion => "UserPromptExpansion",
            ContextEvent::PostModelSwitch => "PostModelSwitch",
            ContextEvent::Notification => "Notification",
        };
        Self::context(event, context).block(block)
    }
}

impl From<BlockResponse> for Response {
    fn from(BlockResponse { event, block }: BlockResponse) -> Self {
        let event = match event {
            BlockableEvent::ConfigChange => "ConfigChange",
            BlockableEvent::PreCompact => "PreCompact",
        };
        Self { event: Some(event), ..Self::empty() }.block(block)
    }
}

impl From<PreModelSwitchResponse> for Response {
    fn from(PreModelSwitchResponse { decision, reason }: PreModelSwitchResponse) -> Self {
        let specific = json!({ "permissionDecision": decision, "permissionDecisionReason": reason });
        Self::about("PreModelSwitch", specific)
    }
}

impl From<PermissionDeniedResponse> for Response {
    fn from(PermissionDeniedResponse { retry }: PermissionDeniedResponse) -> Self {
        Self::about("PermissionDenied", json!({ "retry": retry }))
    }
}

impl From<WatchResponse> for Response {
    fn from(WatchResponse { event, paths }: WatchResponse) -> Self {
        let event = match event {
            WatchEvent::CwdChanged => "CwdChanged",
            WatchEvent::FileChanged => "FileChanged",
        };
        let paths: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
        Self::about(event, json!({ "watchPaths": paths }))
    }
}

impl From<WorktreeCreateResponse> for Response {
    fn from(WorktreeCreateResponse { path }: WorktreeCreateResponse) -> Self {
        Self::about("WorktreeCreate", json!({ "worktreePath": path.to_string_lossy() }))
    }
}

impl From<MessageDisplayResponse> for Response {
    fn from(MessageDisplayResponse { content }: MessageDisplayResponse) -> Self {
        Self::about("MessageDisplay", json!({ "displayContent": content }))
    }
}

impl From<ElicitationResponse> for Response {
    fn from(ElicitationResponse { event, action, content }: ElicitationResponse) -> Self {
        let event = match event {
            ElicitationEvent::Elicitation => "Elicitation",
            ElicitationEvent::ElicitationResult => "ElicitationResult",
        };
        let action = match action {
            ElicitationAction::Accept => "accept",
            ElicitationAction::Decline => "decline",
            ElicitationAction::Cancel => "cancel",
        };
        Self::about(event, json!({ "action": action, "content": content }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::response::{Decision, UpdatedInput};
    use super::*;
    use serde_json::Map;

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
            ContextResponse::acknowledge(ContextEvent::PostToolUseFailure),
            r#"{"hookSpecificOutput":{"hookEventName":"PostToolUseFailure"}}"#,
        );
        check(
            ContextResponse::to(ContextEvent::PostToolUseFailure, "c"),
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
