//! Makes one answer of many results: any block wins, then any question, then the rest.
//!
//! The exit code 2 for a block is that of hooks that speak by exit code; phaser's own commands never use it.

use serde_json::{Map, Value};

use super::event::Event;
use super::request::Request;
use super::response::{
    AfterDeny, ContextResponse, Decision, PermissionRequestResponse, PostToolUseFailureResponse,
    PostToolUseResponse, PreToolUseResponse, SessionStartResponse, Tells, UpdatedInput,
    UserPromptSubmitResponse,
};
use super::result::{FieldConflict, HookResult};
use super::wire::Response;

const NO_REASON: &str = "blocked by a hook";

/// One answer, made of many results.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    response: Response,
    block: Option<String>,
    conflicts: Vec<FieldConflict>,
}

impl Completion {
    /// The document for stdout.
    pub fn response(&self) -> &Response {
        &self.response
    }

    /// 2 for a block, else 0. With 2 the client passes over stdout, and takes
    /// [`block_reason`](Self::block_reason) from stderr.
    pub fn exit_code(&self) -> u8 {
        if self.block.is_some() { 2 } else { 0 }
    }

    /// Why there is a block, if there is one.
    pub fn block_reason(&self) -> Option<&str> {
        self.block.as_deref()
    }

    /// The results that contradicted themselves.
    pub fn conflicts(&self) -> &[FieldConflict] {
        &self.conflicts
    }
}

/// Why no single answer could be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompleteError {
    /// Two results set one field of the tool input to different values.
    #[error("two results set '{0}' of the tool input to different values; let only one of them change it")]
    UpdateConflict(String),
    /// A question about an event at which the user cannot be asked.
    #[error("the user cannot be asked at the event '{0}'; allow or block")]
    CannotAsk(String),
    /// An update at an event that has no tool input to change.
    #[error("the tool input cannot be changed by this answer to the event '{0}'")]
    CannotUpdate(String),
}

/// The answer to `request` that all of `results` come to: deny outranks ask, and ask outranks allow.
///
/// The reasons of the decision that won are joined, one to a line, and the updates of the tool input are
/// merged, unless the call is denied. Without results there is nothing to say.
pub fn complete(request: &Request, results: &[HookResult]) -> Result<Completion, CompleteError> {
    let conflicts = results.iter().filter_map(HookResult::conflict).collect();
    let Some(decision) = results.iter().map(HookResult::verdict).max() else {
        return Ok(Completion { response: Response::empty(), block: None, conflicts });
    };
    let winners = results.iter().filter(|result| result.verdict() == decision);
    let reason = join(winners.filter_map(|result| result.message.as_deref()));
    let sum = Sum {
        decision,
        reason: match decision {
            Decision::Deny => reason.or_else(|| Some(NO_REASON.to_owned())),
            Decision::Allow | Decision::Ask => reason,
        },
        context: join(results.iter().filter_map(|result| result.system_prompt.as_deref())),
        update: match decision {
            Decision::Deny => None,
            Decision::Allow | Decision::Ask => merge_updates(results)?,
        },
    };
    let block = sum.reason.clone().filter(|_| decision == Decision::Deny);
    Ok(Completion { response: sum.answer(request)?, block, conflicts })
}

/// What the results come to together.
struct Sum {
    decision: Decision,
    reason: Option<String>,
    context: Option<String>,
    update: Option<Map<String, Value>>,
}

impl Sum {
    fn answer(self, request: &Request) -> Result<Response, CompleteError> {
        match request.event() {
            Event::PreToolUse(_) => Ok(self.about_call(request)),
            Event::PermissionRequest(_) => self.about_permission(request),
            other => self.about_other(other, request.hook_event_name()),
        }
    }

    fn about_call(self, request: &Request) -> Response {
        let merge = |update| UpdatedInput::merge(request.tool_input(), update);
        Response::from(PreToolUseResponse {
            decision: Some(self.decision),
            reason: self.reason,
            updated_input: self.update.map(merge),
            context: self.context,
        })
    }

    /// A question needs no answer here: the user is being asked already, though about the input as it is.
    fn about_permission(self, request: &Request) -> Result<Response, CompleteError> {
        let merge = |update| UpdatedInput::merge(request.tool_input(), update);
        match self.decision {
            Decision::Allow => {
                Ok(PermissionRequestResponse::Allow { updated_input: self.update.map(merge) }.into())
            }
            Decision::Deny => {
                let message = self.reason.unwrap_or_default();
                Ok(PermissionRequestResponse::Deny { message, then: AfterDeny::GoOn }.into())
            }
            Decision::Ask if self.update.is_some() => {
                Err(CompleteError::CannotUpdate(request.hook_event_name().to_owned()))
            }
            Decision::Ask => Ok(Response::empty()),
        }
    }

    /// What is said about an allowed event is context for Claude where the event has room for that, and a
    /// message to the user elsewhere.
    fn about_other(self, event: Event<'_>, name: &str) -> Result<Response, CompleteError> {
        if self.update.is_some() {
            return Err(CompleteError::CannotUpdate(name.to_owned()));
        }
        let (block, said) = match self.decision {
            Decision::Allow => (None, join(self.reason.iter().chain(&self.context).map(String::as_str))),
            Decision::Ask => return Err(CompleteError::CannotAsk(name.to_owned())),
            Decision::Deny => (self.reason, self.context),
        };
        let response: Response = match event {
            Event::PostToolUse(_) => PostToolUseResponse { block: None, context: said }.into(),
            Event::PostToolUseFailure(_) => PostToolUseFailureResponse { block: None, context: said }.into(),
            Event::UserPromptSubmit { .. } => UserPromptSubmitResponse { block: None, context: said }.into(),
            Event::SessionStart { .. } => {
                SessionStartResponse { context: said, ..SessionStartResponse::acknowledge() }.into()
            }
            Event::SubagentStart(_) => ContextResponse { event: Tells::SubagentStart, context: said }.into(),
            Event::Setup { .. } => ContextResponse { event: Tells::Setup, context: said }.into(),
            // Everything else has no room for context.
            _ => said.into_iter().fold(Response::empty(), Response::system_message),
        };
        Ok(response.block(block))
    }
}

fn join<'a>(texts: impl Iterator<Item = &'a str>) -> Option<String> {
    let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

fn merge_updates(results: &[HookResult]) -> Result<Option<Map<String, Value>>, CompleteError> {
    let mut merged: Option<Map<String, Value>> = None;
    for update in results.iter().filter_map(|result| result.updated_input.as_ref()) {
        let merged = merged.get_or_insert_default();
        for (name, value) in update {
            match merged.insert(name.clone(), value.clone()) {
                Some(before) if before != *value => return Err(CompleteError::UpdateConflict(name.clone())),
                _ => {}
            }
        }
    }
    Ok(merged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn request(event: &str) -> Request {
        let input = json!({"command": "rm -rf /", "timeout": 30});
        let request = json!({"hook_event_name": event, "tool_name": "Bash", "tool_input": input});
        Request::read(request.to_string().as_bytes()).expect("a request")
    }

    fn update(update: Value) -> HookResult {
        HookResult { updated_input: update.as_object().cloned(), ..HookResult::allow() }
    }

    fn saying(message: &str) -> HookResult {
        HookResult { message: Some(message.into()), ..HookResult::allow() }
    }

    #[track_caller]
    fn check(event: &str, results: &[HookResult], exit_code: u8, json: &str) {
        let completion = complete(&request(event), results).expect("one answer");
        assert_eq!(completion.exit_code(), exit_code);
        let answer = completion.response().answer(&request(event)).expect("for this event");
        assert_eq!(answer, json);
    }

    #[test]
    fn any_block_wins() {
        let results =
            [saying("fine"), HookResult::block("no a"), HookResult::ask("sure?"), HookResult::block("no b")];
        check(
            "PreToolUse",
            &results,
            2,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no a\nno b"}}"#,
        );
        let completion = complete(&request("PreToolUse"), &results).expect("one answer");
        assert_eq!(completion.block_reason(), Some("no a\nno b"));
    }

    #[test]
    fn a_question_wins_over_allow() {
        check(
            "PreToolUse",
            &[saying("fine"), HookResult::ask("a?"), HookResult::ask("b?")],
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"a?\nb?"}}"#,
        );
    }

    #[test]
    fn all_allow_is_allow() {
        check(
            "PreToolUse",
            &[saying("a"), HookResult::allow(), saying("b")],
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"a\nb"}}"#,
        );
    }

    #[test]
    fn no_results_say_nothing() {
        check("PreToolUse", &[], 0, "{}");
        check("PostToolUse", &[], 0, "{}");
    }

    #[test]
    fn updates_are_merged_over_the_input() {
        let ask =
            HookResult { updated_input: update(json!({"timeout": 5})).updated_input, ..HookResult::ask("?") };
        check(
            "PreToolUse",
            &[update(json!({"command": "ls"})), ask, update(json!({"command": "ls"}))],
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"?","updatedInput":{"command":"ls","timeout":5}}}"#,
        );
    }

    #[test]
    fn updates_that_conflict_are_refused() {
        let results = [update(json!({"command": "ls"})), update(json!({"command": "cat"}))];
        let refused = complete(&request("PreToolUse"), &results);
        assert_eq!(refused, Err(CompleteError::UpdateConflict("command".into())));
        let types = [update(json!({"timeout": 5})), update(json!({"timeout": "5"}))];
        assert!(complete(&request("PreToolUse"), &types).is_err());
    }

    #[test]
    fn a_denied_call_has_no_update_to_conflict() {
        let results =
            [update(json!({"command": "ls"})), update(json!({"command": "cat"})), HookResult::block("no")];
        let completion = complete(&request("PreToolUse"), &results).expect("denied");
        assert!(!completion.response().to_json().contains("updatedInput"));
    }

    #[test]
    fn a_block_without_a_reason_still_has_one() {
        check(
            "PreToolUse",
            &[HookResult { blocked: true, ..HookResult::default() }],
            2,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"blocked by a hook"}}"#,
        );
    }

    #[test]
    fn system_prompts_become_context() {
        let result = HookResult { system_prompt: Some("be careful".into()), ..HookResult::allow() };
        check(
            "PreToolUse",
            std::slice::from_ref(&result),
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","additionalContext":"be careful"}}"#,
        );
        check(
            "PostToolUse",
            &[result, saying("done")],
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"done\nbe careful"}}"#,
        );
    }

    #[test]
    fn each_event_has_its_own_allow() {
        for event in ["PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SessionStart"] {
            let json = format!(
                r#"{{"hookSpecificOutput":{{"hookEventName":"{event}","additionalContext":"note"}}}}"#
            );
            check(event, &[saying("note")], 0, &json);
        }
        for event in ["Stop", "SubagentStop", "Notification", "PreCompact", "SessionEnd", "TeaTime"] {
            check(event, &[saying("note")], 0, r#"{"systemMessage":"note"}"#);
        }
        check(
            "PermissionRequest",
            &[update(json!({"timeout": 5}))],
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"command":"rm -rf /","timeout":5}}}}"#,
        );
    }

    #[test]
    fn each_event_has_its_own_block() {
        for event in ["PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SessionStart"] {
            let json = format!(
                r#"{{"decision":"block","reason":"no","hookSpecificOutput":{{"hookEventName":"{event}"}}}}"#
            );
            check(event, &[HookResult::block("no")], 2, &json);
        }
        for event in ["Stop", "SubagentStop", "Notification", "PreCompact", "SessionEnd", "TeaTime"] {
            check(event, &[HookResult::block("no")], 2, r#"{"decision":"block","reason":"no"}"#);
        }
        check(
            "PermissionRequest",
            &[HookResult::block("no")],
            2,
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no"}}}"#,
        );
    }

    #[test]
    fn the_user_can_only_be_asked_about_a_tool() {
        let ask = [HookResult::ask("sure?")];
        check("PermissionRequest", &ask, 0, "{}");
        for event in ["PostToolUse", "Stop", "TeaTime"] {
            assert_eq!(complete(&request(event), &ask), Err(CompleteError::CannotAsk(event.into())));
        }
    }

    #[test]
    fn only_input_that_is_still_to_be_used_can_be_updated() {
        let updates = [update(json!({"timeout": 5}))];
        let refused = complete(&request("PostToolUse"), &updates);
        assert_eq!(refused, Err(CompleteError::CannotUpdate("PostToolUse".into())));
        let ask = [HookResult { decision: Some(Decision::Ask), ..update(json!({"timeout": 5})) }];
        assert!(complete(&request("PermissionRequest"), &ask).is_err());
    }

    #[test]
    fn contradictions_are_passed_on_as_warnings() {
        let result = HookResult { blocked: true, ..HookResult::allow() };
        let completion = complete(&request("PreToolUse"), &[result]).expect("one answer");
        assert_eq!(completion.conflicts(), [FieldConflict(Decision::Allow)]);
        assert_eq!(completion.exit_code(), 0);
    }
}
