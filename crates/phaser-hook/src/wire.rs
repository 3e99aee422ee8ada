//! The document that the client reads from a hook's stdout.
//!
//! The wire format of answers stands here and nowhere else. Writes nothing itself.

use serde::Serialize;
use serde_json::{Map, Value};

use super::request::Request;
use super::response::{
    AfterDeny, Decision, PermissionRequestResponse, PostToolUseFailureResponse, PostToolUseResponse,
    PreToolUseResponse, ResponseError, SessionStartResponse, StopResponse, UserPromptSubmitResponse,
};

mod further;

/// One document for the client, ready to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    wire: Wire,
    /// The events this may answer; none means any.
    events: &'static [&'static str],
}

impl Response {
    /// `{}`: nothing to say, whatever the event; the client goes on as if there were no hook.
    pub fn empty() -> Self {
        Self { wire: Wire::default(), events: &[] }
    }

    /// Stops Claude altogether; the user is shown the reason.
    pub fn stop(mut self, reason: impl Into<String>) -> Self {
        self.wire.go_on = Some(false);
        self.wire.stop_reason = Some(reason.into());
        self
    }

    /// Keeps what the hook prints out of the transcript.
    pub fn suppress_output(mut self) -> Self {
        self.wire.suppress_output = Some(true);
        self
    }

    /// Shows the user a warning.
    pub fn system_message(mut self, message: impl Into<String>) -> Self {
        self.wire.system_message = Some(message.into());
        self
    }

    /// The JSON to write to stdout; write nothing else there.
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.wire).expect("strings and JSON values always serialise")
    }

    /// The same document, laid out for people.
    pub fn to_pretty_json(&self) -> String {
        serde_json::to_string_pretty(&self.wire).expect("strings and JSON values always serialise")
    }

    /// [`to_json`](Self::to_json), after making sure that this is an answer to `request`: the client drops a
    /// response that names another event.
    pub fn answer(&self, request: &Request) -> Result<String, ResponseError> {
        let event = request.hook_event_name();
        match self.events {
            [first, ..] if !self.events.contains(&event) => {
                Err(ResponseError::WrongEvent { response: first, request: event.to_owned() })
            }
            _ => Ok(self.to_json()),
        }
    }

    fn about(events: &'static [&'static str], specific: Specific) -> Self {
        let hook_event_name = events.first().copied().unwrap_or_default();
        let specific = Specific { hook_event_name, ..specific };
        Self { wire: Wire { specific: Some(specific), ..Wire::default() }, events }
    }

    fn context(events: &'static [&'static str], context: Option<String>) -> Self {
        Self::about(events, Specific { additional_context: context, ..Specific::default() })
    }

    /// With a block, which any event understands, when there is a reason for one.
    pub(super) fn block(mut self, reason: Option<String>) -> Self {
        self.wire.decision = reason.as_ref().map(|_| "block");
        self.wire.reason = reason;
        self
    }
}

/// The document as the client reads it, keys in the order they are written.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Wire {
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
    specific: Option<Specific>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Specific {
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
    decision: Option<PermissionWire>,
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
enum PermissionWire {
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
            Specific {
                permission_decision: response.decision.map(Decision::as_str),
                permission_decision_reason: response.reason,
                updated_input: response.updated_input.map(|input| input.0),
                additional_context: response.context,
                ..Specific::default()
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
                PermissionWire::Allow { updated_input: updated_input.map(|input| input.0) }
            }
            PermissionRequestResponse::Deny { message, then } => {
                PermissionWire::Deny { message, interrupt: (then == AfterDeny::Interrupt).then_some(true) }
            }
        };
        Self::about(&["PermissionRequest"], Specific { decision: Some(decision), ..Specific::default() })
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
    fn pre_tool_use_ask_and_allow_with_updated_input() {
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
    fn an_empty_response_takes_the_fields_of_every_event() {
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
    fn a_response_answers_only_its_own_event() {
        let request = request(json!({"hook_event_name": "SubagentStop"}));
        assert_eq!(Response::from(StopResponse::allow()).answer(&request), Ok("{}".into()));
        assert_eq!(Response::empty().answer(&request), Ok("{}".into()));
        let wrong = Response::from(PreToolUseResponse::allow()).answer(&request);
        assert_eq!(
            wrong.expect_err("wrong event").to_string(),
            "a PreToolUse response cannot answer the event 'SubagentStop'"
        );
    }
}
