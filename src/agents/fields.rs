//! The parts of a response that agents have in common, and the JSON format that several agents share with Claude Code.

use serde_json::{Value, json};

use super::decision::{FixedCall, FixedCommand, HookDecision, HookVerdict};
use super::parsed_event::claude_event_name;
use crate::json::without_nulls;
use phaser_project::tool_call::FileChange;

/// A decision, flattened into the parts of a response.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResponseFields {
    /// Why the tool must not run.
    pub denied: Option<String>,
    /// Why the user has to confirm the call.
    pub asked: Option<String>,
    /// Why the turn must not end.
    pub go_on: Option<String>,
    /// The input that replaces the tool's own.
    pub input: Option<Value>,
    /// Text for the model.
    pub context: Option<String>,
    /// Text for the user.
    pub message: Option<String>,
}

impl ResponseFields {
    /// Flattens a decision. Violations found after a tool go into `context`: agents put a reason in the place of the tool's
    /// result. `input` returns the tool input that makes the fixed changes; where it returns `None`, the call is denied.
    /// `command` returns the tool input that runs a fixed command line.
    pub fn new(
        decision: &HookDecision,
        input: impl FnOnce(&[FileChange]) -> Option<Value>,
        command: impl FnOnce(&str) -> Option<Value>,
    ) -> Self {
        let HookDecision { verdict, context, message } = decision;
        let mut fields = Self { context: context.clone(), message: message.clone(), ..Self::default() };
        match verdict {
            HookVerdict::Nothing | HookVerdict::Clean(_) => {}
            HookVerdict::Fixed(FixedCall { changes, explanation, denial }) => {
                fields.input = input(changes);
                match fields.input {
                    Some(_) => fields.context = Some(joined([Some(explanation), context.as_deref()])),
                    None => fields.denied = Some(denial.clone()),
                }
            }
            HookVerdict::FixedCommand(FixedCommand { line, explanation, denial }) => {
                fields.input = command(line);
                match fields.input {
                    Some(_) => fields.context = Some(joined([Some(explanation), context.as_deref()])),
                    None => fields.denied = Some(denial.clone()),
                }
            }
            HookVerdict::Deny(reason) => fields.denied = Some(reason.clone()),
            HookVerdict::Ask(reason) => fields.asked = Some(reason.clone()),
            HookVerdict::Block(reason) => fields.go_on = Some(reason.clone()),
            HookVerdict::Violated { reason, lines } => {
                fields.context = Some(joined([reason.as_deref(), Some(lines), context.as_deref()]));
            }
        }
        fields
    }

    /// Moves the message into the context, for agents that show the user nothing.
    pub fn send_message_to_model(&mut self) {
        self.context = match (self.context.take(), self.message.take()) {
            (Some(context), Some(message)) => Some(format!("{context}\n{message}")),
            (context, message) => context.or(message),
        };
    }

    /// Turns a question to the user into a denial, for agents that cannot ask.
    pub fn deny_instead_of_asking(&mut self) {
        self.denied = self.denied.take().or(self.asked.take());
    }

    /// The decision on a call and its reason.
    pub fn decision(&self) -> (Option<&'static str>, Option<&str>) {
        match (&self.denied, &self.asked) {
            (Some(reason), _) => (Some("deny"), Some(reason)),
            (None, Some(reason)) => (Some("ask"), Some(reason)),
            (None, None) => (None, None),
        }
    }
}

/// The texts that are present, one per line.
pub fn joined<const N: usize>(parts: [Option<&str>; N]) -> String {
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// A response in Claude Code's format. Warnings go into `additionalContext`, so that they never replace a tool's result.
pub fn claude_response(event: &Value, fields: &ResponseFields) -> Value {
    let (decision, reason) = fields.decision();
    let is_specific = decision.is_some() || fields.input.is_some() || fields.context.is_some();
    let specific = is_specific.then(|| {
        without_nulls(json!({
            "hookEventName": claude_event_name(event),
            "permissionDecision": decision,
            "permissionDecisionReason": reason,
            "updatedInput": fields.input,
            "additionalContext": fields.context,
        }))
    });
    without_nulls(json!({
        "systemMessage": fields.message,
        "decision": fields.go_on.as_ref().map(|_| "block"),
        "reason": fields.go_on,
        "hookSpecificOutput": specific,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(verdict: HookVerdict) -> ResponseFields {
        ResponseFields::new(&HookDecision { verdict, ..HookDecision::NOTHING }, |_| None, |_| None)
    }

    #[test]
    fn violations_after_tool_become_context() {
        let violated = |reason: Option<&str>| HookVerdict::Violated {
            reason: reason.map(str::to_owned),
            lines: "Error: x".to_owned(),
        };
        assert_eq!(fields(violated(Some("why"))).context.as_deref(), Some("why\nError: x"));
        assert_eq!(fields(violated(None)).context.as_deref(), Some("Error: x"));
        let more = HookDecision { verdict: violated(None), context: Some("old".into()), message: None };
        assert_eq!(ResponseFields::new(&more, |_| None, |_| None).context.as_deref(), Some("Error: x\nold"));
    }

    #[test]
    fn denies_where_agent_cannot_ask() {
        let mut asked = fields(HookVerdict::Ask("why".into()));
        let decision = |fields: &ResponseFields| {
            claude_response(&json!({}), fields)["hookSpecificOutput"]["permissionDecision"].clone()
        };
        assert_eq!(decision(&asked), "ask");
        asked.deny_instead_of_asking();
        assert_eq!(asked.denied.as_deref(), Some("why"));
        assert_eq!(decision(&asked), "deny");
    }

    #[test]
    fn sends_fixed_input_or_denies() {
        let fixed = FixedCall { changes: Vec::new(), explanation: "changed".into(), denial: "why".into() };
        let decision = HookDecision {
            verdict: HookVerdict::Fixed(fixed),
            context: Some("old".into()),
            ..HookDecision::NOTHING
        };
        let denied = ResponseFields::new(&decision, |_| None, |_| None);
        assert_eq!((denied.denied.as_deref(), denied.context.as_deref()), (Some("why"), Some("old")));
        let changed = ResponseFields::new(&decision, |_| Some(json!({ "a": 1 })), |_| None);
        assert_eq!((changed.denied.as_deref(), changed.context.as_deref()), (None, Some("changed\nold")));
        let response = claude_response(&json!({}), &changed);
        assert_eq!(response["hookSpecificOutput"]["updatedInput"], json!({ "a": 1 }));
        assert_eq!(response["hookSpecificOutput"].get("permissionDecision"), None);
    }

    #[test]
    fn empty_fields_make_empty_object() {
        assert_eq!(claude_response(&json!({}), &ResponseFields::default()), json!({}));
    }
}
