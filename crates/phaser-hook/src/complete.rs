//! Combines the results of several checks into one response: a block wins, then a question, then allow.
//!
//! Exit code 2 blocks in hooks that respond by exit code. phaser's own commands never use it.

use serde_json::{Map, Value};

use super::codec::Response;
use super::event::Event;
use super::request::Request;
use super::response::{
    AfterDeny, ContextEvent, ContextResponse, Decision, PermissionRequestResponse, PostToolUseResponse,
    PreToolUseResponse, SessionStartResponse, UpdatedInput, UserPromptSubmitResponse,
};
use super::result::{FieldConflict, HookResult};

const NO_REASON: &str = "blocked by a hook";

/// The combined response of several results.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    response: Response,
    block: Option<String>,
    conflicts: Vec<FieldConflict>,
}

impl Completion {
    /// The response for stdout.
    pub fn response(&self) -> &Response {
        &self.response
    }

    /// 2 for a block, otherwise 0. With 2, Claude Code ignores stdout and reads
    /// [`block_reason`](Self::block_reason) from stderr.
    pub fn exit_code(&self) -> u8 {
        if self.block.is_some() { 2 } else { 0 }
    }

    /// The reason of a block; `None` without one.
    pub fn block_reason(&self) -> Option<&str> {
        self.block.as_deref()
    }

    /// Results whose `decision` contradicts their `blocked`.
    pub fn conflicts(&self) -> &[FieldConflict] {
        &self.conflicts
    }
}

/// Results that cannot be combined.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompleteError {
    /// Two results set one field of the tool input to different values.
    #[error("two results set '{0}' of the tool input to different values; let only one of them change it")]
    UpdateConflict(String),
    /// Ask, at an event without a permission prompt.
    #[error("the user cannot be asked at the event '{0}'; allow or block")]
    CannotAsk(String),
    /// An update, at an event without a tool input to change.
    #[error("the tool input cannot be changed by this answer to the event '{0}'")]
    CannotUpdate(String),
}

/// Combines `results` into one response to `request`: deny outranks ask, and ask outranks allow.
///
/// The reasons of the winning decision are joined by newlines. Updates of the tool input are merged, unless the call
/// is denied. Without results the response is empty.
pub fn complete(request: &Request, results: &[HookResult]) -> Result<Completion, CompleteError> {
    let conflicts = results.iter().filter_map(HookResult::conflict).collect();
    let Some(decision) = results.iter().map(HookResult::verdict).max() else {
        return Ok(Completion { response: Response::empty(), block: None, conflicts });
    };
    let winners = results.iter().filter(|result| result.verdict() == decision);
    let reason = join(winners.filter_map(|result| result.message.as_deref()));
    let context = join(results.iter().filter_map(|result| result.system_prompt.as_deref()));
    let (reason, update) = match decision {
        Decision::Deny => (reason.or_else(|| Some(NO_REASON.to_owned())), None),
        Decision::Allow | Decision::Ask => (reason, merge_updates(results)?),
    };
    let block = reason.clone().filter(|_| decision == Decision::Deny);
    let updated_input = update.map(|update| UpdatedInput::merge(request.tool_input(), update));
    let name = request.hook_event_name();
    let response = match (request.event(), decision) {
        (Event::PreToolUse(_), decision) => {
            PreToolUseResponse { decision: Some(decision), reason, updated_input, context }.into()
        }
        (Event::PermissionRequest(_), Decision::Allow) => {
            PermissionRequestResponse::Allow { updated_input }.into()
        }
        (Event::PermissionRequest(_), Decision::Deny) => {
            let message = reason.unwrap_or_default();
            PermissionRequestResponse::Deny { message, then: AfterDeny::GoOn }.into()
        }
        _ if updated_input.is_some() => return Err(CompleteError::CannotUpdate(name.to_owned())),
        // The prompt is already open, with the original input.
        (Event::PermissionRequest(_), Decision::Ask) => Response::empty(),
        (_, Decision::Ask) => return Err(CompleteError::CannotAsk(name.to_owned())),
        (event, Decision::Allow) => {
            with_context(event, join(reason.iter().chain(&context).map(String::as_str)))
        }
        (event, Decision::Deny) => with_context(event, context).block(reason),
    };
    Ok(Completion { response, block, conflicts })
}

/// A response with context for Claude, or a message to the user where the event takes no context.
fn with_context(event: Event<'_>, context: Option<String>) -> Response {
    let to = |event| ContextResponse { event, block: None, context: context.clone() }.into();
    match event {
        Event::PostToolUse(_) => PostToolUseResponse { block: None, context }.into(),
        Event::UserPromptSubmit { .. } => UserPromptSubmitResponse { block: None, context }.into(),
        Event::SessionStart { .. } => {
            SessionStartResponse { context, ..SessionStartResponse::acknowledge() }.into()
        }
        Event::PostToolUseFailure(_) => to(ContextEvent::PostToolUseFailure),
        Event::SubagentStart(_) => to(ContextEvent::SubagentStart),
        Event::Setup { .. } => to(ContextEvent::Setup),
        _ => context.into_iter().fold(Response::empty(), Response::system_message),
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

    fn with_message(message: &str) -> HookResult {
        HookResult { message: Some(message.into()), ..HookResult::allow() }
    }

    #[track_caller]
    fn check(event: &str, results: &[HookResult], exit_code: u8, json: &str) {
        let completion = complete(&request(event), results).expect("one response");
        assert_eq!(completion.exit_code(), exit_code);
        let json_sent = completion.response().to_json_for(&request(event)).expect("for this event");
        assert_eq!(json_sent, json);
    }

    #[test]
    fn any_block_wins() {
        let results = [
            with_message("fine"),
            HookResult::block("no a"),
            HookResult::ask("sure?"),
            HookResult::block("no b"),
        ];
        check(
            "PreToolUse",
            &results,
            2,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no a\nno b"}}"#,
        );
        let completion = complete(&request("PreToolUse"), &results).expect("one response");
        assert_eq!(completion.block_reason(), Some("no a\nno b"));
    }

    #[test]
    fn ask_wins_over_allow() {
        check(
            "PreToolUse",
            &[with_message("fine"), HookResult::ask("a?"), HookResult::ask("b?")],
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"a?\nb?"}}"#,
        );
    }

    #[test]
    fn all_allow_is_allow() {
        check(
            "PreToolUse",
            &[with_message("a"), HookResult::allow(), with_message("b")],
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"a\nb"}}"#,
        );
    }

    #[test]
    fn no_results_give_empty_response() {
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
    fn rejects_conflicting_updates() {
        let results = [update(json!({"command": "ls"})), update(json!({"command": "cat"}))];
        let refused = complete(&request("PreToolUse"), &results);
        assert_eq!(refused, Err(CompleteError::UpdateConflict("command".into())));
        let types = [update(json!({"timeout": 5})), update(json!({"timeout": "5"}))];
        assert!(complete(&request("PreToolUse"), &types).is_err());
    }

    #[test]
    fn denied_call_ignores_conflicting_updates() {
        let results =
            [update(json!({"command": "ls"})), update(json!({"command": "cat"})), HookResult::block("no")];
        let completion = complete(&request("PreToolUse"), &results).expect("denied");
        assert!(!completion.response().to_json().contains("updatedInput"));
    }

    #[test]
    fn block_has_default_reason() {
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
            &[result, with_message("done")],
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
            check(event, &[with_message("note")], 0, &json);
        }
        for event in ["Stop", "SubagentStop", "Notification", "PreCompact", "SessionEnd", "TeaTime"] {
            check(event, &[with_message("note")], 0, r#"{"systemMessage":"note"}"#);
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
    fn asks_only_about_tools() {
        let ask = [HookResult::ask("sure?")];
        check("PermissionRequest", &ask, 0, "{}");
        for event in ["PostToolUse", "Stop", "TeaTime"] {
            assert_eq!(complete(&request(event), &ask), Err(CompleteError::CannotAsk(event.into())));
        }
    }

    #[test]
    fn updates_only_pending_input() {
        let updates = [update(json!({"timeout": 5}))];
        let refused = complete(&request("PostToolUse"), &updates);
        assert_eq!(refused, Err(CompleteError::CannotUpdate("PostToolUse".into())));
        let ask = [HookResult { decision: Some(Decision::Ask), ..update(json!({"timeout": 5})) }];
        assert!(complete(&request("PermissionRequest"), &ask).is_err());
    }

    #[test]
    fn reports_contradictions() {
        let result = HookResult { blocked: true, ..HookResult::allow() };
        let completion = complete(&request("PreToolUse"), &[result]).expect("one response");
        assert_eq!(completion.conflicts(), [FieldConflict(Decision::Allow)]);
        assert_eq!(completion.exit_code(), 0);
    }
}
