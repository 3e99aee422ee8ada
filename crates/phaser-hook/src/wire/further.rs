//! The answers to the events around tool calls, as the client reads them.

use super::{Response, Specific};
use crate::response::{
    Action, BlockResponse, ContextResponse, Decision, ElicitationResponse, Elicits, Keeps,
    MessageDisplayResponse, PermissionDeniedResponse, PreModelSwitchResponse, Tells, WatchResponse, Watches,
    WorktreeCreateResponse,
};

impl From<ContextResponse> for Response {
    fn from(ContextResponse { event, context }: ContextResponse) -> Self {
        let events: &'static [&'static str] = match event {
            Tells::SubagentStart => &["SubagentStart"],
            Tells::Setup => &["Setup"],
            Tells::PostToolBatch => &["PostToolBatch"],
            Tells::UserPromptExpansion => &["UserPromptExpansion"],
            Tells::PostModelSwitch => &["PostModelSwitch"],
            Tells::Notification => &["Notification"],
        };
        Self::context(events, context)
    }
}

impl From<BlockResponse> for Response {
    fn from(BlockResponse { event, block }: BlockResponse) -> Self {
        let events: &'static [&'static str] = match event {
            Keeps::ConfigChange => &["ConfigChange"],
            Keeps::PreCompact => &["PreCompact"],
        };
        Self { events, ..Self::empty() }.block(block)
    }
}

impl From<PreModelSwitchResponse> for Response {
    fn from(PreModelSwitchResponse { decision, reason }: PreModelSwitchResponse) -> Self {
        let specific = Specific {
            permission_decision: Some(Decision::as_str(decision)),
            permission_decision_reason: reason,
            ..Specific::default()
        };
        Self::about(&["PreModelSwitch"], specific)
    }
}

impl From<PermissionDeniedResponse> for Response {
    fn from(PermissionDeniedResponse { retry }: PermissionDeniedResponse) -> Self {
        Self::about(&["PermissionDenied"], Specific { retry, ..Specific::default() })
    }
}

impl From<WatchResponse> for Response {
    fn from(WatchResponse { event, paths }: WatchResponse) -> Self {
        let events: &'static [&'static str] = match event {
            Watches::CwdChanged => &["CwdChanged"],
            Watches::FileChanged => &["FileChanged"],
        };
        let paths = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        Self::about(events, Specific { watch_paths: Some(paths), ..Specific::default() })
    }
}

impl From<WorktreeCreateResponse> for Response {
    fn from(WorktreeCreateResponse { path }: WorktreeCreateResponse) -> Self {
        let worktree_path = Some(path.to_string_lossy().into_owned());
        Self::about(&["WorktreeCreate"], Specific { worktree_path, ..Specific::default() })
    }
}

impl From<MessageDisplayResponse> for Response {
    fn from(MessageDisplayResponse { content }: MessageDisplayResponse) -> Self {
        Self::about(&["MessageDisplay"], Specific { display_content: Some(content), ..Specific::default() })
    }
}

impl From<ElicitationResponse> for Response {
    fn from(ElicitationResponse { event, action, content }: ElicitationResponse) -> Self {
        let events: &'static [&'static str] = match event {
            Elicits::Elicitation => &["Elicitation"],
            Elicits::ElicitationResult => &["ElicitationResult"],
        };
        let action = match action {
            Action::Accept => "accept",
            Action::Decline => "decline",
            Action::Cancel => "cancel",
        };
        Self::about(events, Specific { action: Some(action), content, ..Specific::default() })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    #[test]
    fn each_answer_has_the_form_that_the_client_reads() {
        let specific = |name: &str, key: &str, value: serde_json::Value| json!({ "hookSpecificOutput": { "hookEventName": name, key: value } });
        let answers: [(Response, serde_json::Value); 9] = [
            (
                ContextResponse::to(Tells::Setup, "c").into(),
                specific("Setup", "additionalContext", json!("c")),
            ),
            (
                BlockResponse::block(Keeps::ConfigChange, "no").into(),
                json!({ "decision": "block", "reason": "no" }),
            ),
            (BlockResponse::allow(Keeps::PreCompact).into(), json!({})),
            (
                PreModelSwitchResponse::new(Decision::Ask, "why").into(),
                json!({ "hookSpecificOutput": { "hookEventName": "PreModelSwitch",
                    "permissionDecision": "ask", "permissionDecisionReason": "why" } }),
            ),
            (PermissionDeniedResponse::retry().into(), specific("PermissionDenied", "retry", json!(true))),
            (
                WatchResponse::watch(Watches::CwdChanged, ["/p"]).into(),
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
                ElicitationResponse::accept(Elicits::Elicitation, Map::new()).into(),
                json!({ "hookSpecificOutput": { "hookEventName": "Elicitation", "action": "accept",
                    "content": {} } }),
            ),
        ];
        for (response, expected) in answers {
            let written: serde_json::Value = serde_json::from_str(&response.to_json()).expect("is JSON");
            assert_eq!(written, expected);
        }
        let cancelled = ElicitationResponse::refuse(Elicits::ElicitationResult, Action::Cancel);
        assert!(Response::from(cancelled).to_json().contains(r#""action":"cancel""#));
    }
}
