//! The result of one check, independent of the event, as a value and as JSON.
//!
//! [`complete`](super::complete()) combines results into a response.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::response::Decision;

/// The result of one check.
///
/// ```
/// use phaser_hook::{Decision, HookResult};
///
/// let result = HookResult::from_json(r#"{"blocked": true, "message": "no"}"#)?;
/// assert_eq!(result.verdict(), Decision::Deny);
/// # Ok::<(), phaser_hook::ResultError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HookResult {
    /// Takes precedence over `blocked`.
    pub decision: Option<Decision>,
    /// The reason: sent to Claude with a block, shown to the user with a question.
    pub message: Option<String>,
    /// Whether the call is blocked, if there is no decision.
    #[serde(deserialize_with = "null_as_false")]
    pub blocked: bool,
    /// Context for Claude.
    pub system_prompt: Option<String>,
    /// Fields of the tool input to change; the others keep their values.
    pub updated_input: Option<Map<String, Value>>,
}

/// An invalid result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResultError {
    /// Not JSON, or a field of the wrong type.
    #[error("the hook result is not valid")]
    Syntax(#[from] serde_json::Error),
    /// An unknown decision.
    #[error("'{0}' is not a decision; use allow, deny or ask")]
    Decision(String),
}

/// A result with `blocked: true` and another `decision` than deny. The decision wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the result has decision '{}' and blocked: true; the decision counts", .0.as_str())]
pub struct FieldConflict(pub Decision);

impl HookResult {
    /// Runs the call.
    pub fn allow() -> Self {
        Self { decision: Some(Decision::Allow), ..Self::default() }
    }

    /// Blocks the call.
    pub fn block(reason: impl Into<String>) -> Self {
        Self {
            decision: Some(Decision::Deny),
            message: Some(reason.into()),
            blocked: true,
            ..Self::default()
        }
    }

    /// Asks the user.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self { decision: Some(Decision::Ask), message: Some(reason.into()), ..Self::default() }
    }

    /// From a pair `(decision, message)`, as many hook scripts return it: `allow`, `block`, `deny` or `ask`.
    pub fn from_pair(word: &str, message: impl Into<String>) -> Result<Self, ResultError> {
        let message = message.into();
        match word {
            "allow" => Ok(Self { message: Some(message).filter(|text| !text.is_empty()), ..Self::allow() }),
            "block" | "deny" => Ok(Self::block(message)),
            "ask" => Ok(Self::ask(message)),
            other => Err(ResultError::Decision(other.to_owned())),
        }
    }

    /// From JSON. Every field is optional.
    pub fn from_json(json: &str) -> Result<Self, ResultError> {
        let fields: Value = serde_json::from_str(json)?;
        match fields.get("decision").and_then(Value::as_str) {
            None | Some("allow" | "ask" | "deny") => Ok(serde_json::from_value(fields)?),
            Some(other) => Err(ResultError::Decision(other.to_owned())),
        }
    }

    /// As JSON. A field without a value is null.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("strings and JSON values always serialise")
    }

    /// The effective decision: `decision`, or else `blocked` as allow or deny.
    pub fn verdict(&self) -> Decision {
        self.decision.unwrap_or(if self.blocked { Decision::Deny } else { Decision::Allow })
    }

    /// The conflict between `decision` and `blocked`, if any.
    pub fn conflict(&self) -> Option<FieldConflict> {
        let decision = self.decision.filter(|&decision| self.blocked && decision != Decision::Deny)?;
        Some(FieldConflict(decision))
    }
}

fn null_as_false<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(false))
}

#[cfg(test)]
mod tests {
    use super::super::complete::complete;
    use super::super::request::Request;
    use super::*;
    use serde_json::json;

    fn parse(value: Value) -> HookResult {
        HookResult::from_json(&value.to_string()).expect("a result")
    }

    /// The `hookSpecificOutput` for a Bash call with this result.
    fn output_of(result: HookResult) -> Value {
        let request = json!({
            "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": "rm -rf /", "timeout": 30},
        });
        let request = Request::read(request.to_string().as_bytes()).expect("a request");
        let completion = complete(&request, &[result]).expect("no conflict");
        let document: Value = serde_json::from_str(&completion.response().to_json()).expect("JSON");
        document["hookSpecificOutput"].clone()
    }

    #[test]
    fn ask_decision_with_updated_input() {
        let output = output_of(parse(json!({"decision": "ask", "updated_input": {"command": "ls"}})));
        assert_eq!(output["permissionDecision"], "ask");
        assert_eq!(output["updatedInput"], json!({"command": "ls", "timeout": 30}));
    }

    #[test]
    fn ask_decision_with_reason_and_updated_input() {
        let output = output_of(parse(json!({
            "decision": "ask",
            "message": "Command modified for safety",
            "updated_input": {"command": "sanitized-command"},
        })));
        assert_eq!(output["permissionDecision"], "ask");
        assert_eq!(output["permissionDecisionReason"], "Command modified for safety");
        assert_eq!(output["updatedInput"]["command"], "sanitized-command");
    }

    #[test]
    fn ask_decision_without_updated_input_backward_compatible() {
        let output = output_of(parse(json!({"decision": "ask"})));
        assert_eq!(output, json!({"hookEventName": "PreToolUse", "permissionDecision": "ask"}));
    }

    #[test]
    fn updated_input_partial_replacement() {
        let output = output_of(parse(json!({"updated_input": {"command": "echo hello"}})));
        assert_eq!(output["updatedInput"], json!({"command": "echo hello", "timeout": 30}));
    }

    #[test]
    fn decision_field_allow() {
        let result = parse(json!({"decision": "allow", "updated_input": {"timeout": 5}}));
        assert_eq!(result.verdict(), parse(json!({"blocked": false})).verdict());
        let output = output_of(result);
        assert_eq!(output["permissionDecision"], "allow");
        assert_eq!(output["updatedInput"], json!({"command": "rm -rf /", "timeout": 5}));
    }

    #[test]
    fn decision_field_deny() {
        let result = parse(json!({"decision": "deny", "message": "too dangerous"}));
        assert_eq!(result.verdict(), parse(json!({"blocked": true})).verdict());
        let output = output_of(result);
        assert_eq!(output["permissionDecision"], "deny");
        assert_eq!(output["permissionDecisionReason"], "too dangerous");
    }

    #[test]
    fn decision_field_ask() {
        let output =
            output_of(parse(json!({"decision": "ask", "message": "sure?", "updated_input": {"timeout": 5}})));
        assert_eq!(output["permissionDecision"], "ask");
        assert_eq!(output["permissionDecisionReason"], "sure?");
        assert_eq!(output["updatedInput"]["timeout"], 5);
    }

    #[test]
    fn decision_field_takes_precedence_over_blocked() {
        let result = parse(json!({"decision": "allow", "blocked": true}));
        assert_eq!(result.verdict(), Decision::Allow);
        assert_eq!(
            result.conflict().expect("a warning").to_string(),
            "the result has decision 'allow' and blocked: true; the decision counts"
        );
        assert_eq!(output_of(result)["permissionDecision"], "allow");
        assert_eq!(parse(json!({"decision": "deny", "blocked": true})).conflict(), None);
        assert_eq!(parse(json!({"blocked": true})).conflict(), None);
    }

    #[test]
    fn missing_decision_field_uses_blocked_field() {
        assert_eq!(output_of(parse(json!({"blocked": true})))["permissionDecision"], "deny");
        assert_eq!(output_of(parse(json!({"blocked": false})))["permissionDecision"], "allow");
        assert_eq!(output_of(parse(json!({})))["permissionDecision"], "allow");
    }

    #[test]
    fn serialization_includes_all_fields() {
        let result = HookResult {
            updated_input: json!({"command": "safe-cmd"}).as_object().cloned(),
            ..HookResult::ask("Review this")
        };
        assert_eq!(
            result.to_json(),
            r#"{"decision":"ask","message":"Review this","blocked":false,"system_prompt":null,"updated_input":{"command":"safe-cmd"}}"#
        );
    }

    #[test]
    fn null_fields_omitted_or_null() {
        let json = HookResult::default().to_json();
        assert_eq!(
            json,
            r#"{"decision":null,"message":null,"blocked":false,"system_prompt":null,"updated_input":null}"#
        );
        assert_eq!(HookResult::from_json(&json).expect("valid"), HookResult::default());
        assert_eq!(HookResult::from_json("{}").expect("valid"), HookResult::default());
    }

    #[test]
    fn updated_input_preserves_value_types() {
        let update = json!({
            "string": "7", "number": 7, "float": 7.0, "boolean": true,
            "array": [1, "1", null], "object": {"a": {"b": false}}, "null": null,
        });
        let result = HookResult { updated_input: update.as_object().cloned(), ..HookResult::allow() };
        let again = HookResult::from_json(&result.to_json()).expect("valid");
        assert_eq!(again, result);
        assert_eq!(again.to_json(), result.to_json());
        let output = output_of(again);
        for (name, value) in update.as_object().expect("an object") {
            assert_eq!(output["updatedInput"][name].to_string(), value.to_string());
        }
    }

    #[test]
    fn pairs_become_results() {
        let pair = |word, message| HookResult::from_pair(word, message).expect("valid");
        assert_eq!(pair("allow", ""), HookResult::allow());
        assert_eq!(pair("allow", "fine").message.as_deref(), Some("fine"));
        assert_eq!(pair("block", "no"), HookResult::block("no"));
        assert_eq!(pair("deny", "no"), HookResult::block("no"));
        assert_eq!(pair("ask", "sure?"), HookResult::ask("sure?"));
        assert!(HookResult::from_pair("maybe", "").is_err());
    }

    #[test]
    fn wrong_results_are_refused() {
        let error = |json: &str| HookResult::from_json(json).expect_err(json).to_string();
        assert_eq!(error(r#"{"decision": "maybe"}"#), "'maybe' is not a decision; use allow, deny or ask");
        assert_eq!(error(r#"{"blocked": "yes"}"#), "the hook result is not valid");
        assert_eq!(error(r#"{"updated_input": [1]}"#), "the hook result is not valid");
    }
}
