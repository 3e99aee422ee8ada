//! What a decision comes to for clients whose answers have few parts, and the JSON that several of them share.

use serde_json::{Map, Value, json};

use super::decision::{Decision, Mended, Verdict};
use phaser_project::tool_call::Change;

/// What is said to a client, part by part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// The tool must not run, for this reason.
    pub denied: Option<String>,
    /// A person is to be asked, for this reason.
    pub asked: Option<String>,
    /// The turn must not end, for this reason.
    pub go_on: Option<String>,
    /// The tool is to run with this input instead.
    pub input: Option<Value>,
    /// What the model should know.
    pub context: Option<String>,
    /// What the person should know.
    pub message: Option<String>,
}

impl Said {
    /// What a decision comes to. What has happened is told as context: a client that takes a reason puts it in the place
    /// of what the tool gave back. `input` has the input of the tool that makes other changes, if there is one.
    pub fn of(decision: &Decision, input: impl FnOnce(&[Change]) -> Option<Value>) -> Self {
        let Decision { verdict, context, message } = decision;
        let mut said = Self { context: context.clone(), message: message.clone(), ..Self::default() };
        match verdict {
            Verdict::Nothing | Verdict::Clean(_) => {}
            Verdict::Mended(Mended { changes, told, otherwise }) => {
                said.input = input(changes);
                match said.input {
                    Some(_) => said.context = Some(joined([Some(told), context.as_deref()])),
                    None => said.denied = Some(otherwise.clone()),
                }
            }
            Verdict::Deny(reason) => said.denied = Some(reason.clone()),
            Verdict::Ask(reason) => said.asked = Some(reason.clone()),
            Verdict::Block(reason) => said.go_on = Some(reason.clone()),
            Verdict::Violated { reason, lines } => {
                said.context = Some(joined([reason.as_deref(), Some(lines), context.as_deref()]));
            }
        }
        said
    }

    /// Tells the model what the person should know, in a client that tells a person nothing.
    pub fn tell_the_model(&mut self) {
        self.context = match (self.context.take(), self.message.take()) {
            (Some(context), Some(message)) => Some(format!("{context}\n{message}")),
            (context, message) => context.or(message),
        };
    }

    /// Why the tool must not run, for a client that cannot ask a person.
    pub fn refused(&self) -> Option<&str> {
        self.denied.as_deref().or(self.asked.as_deref())
    }
}

/// The texts that there are, one after another.
pub fn joined<const N: usize>(parts: [Option<&str>; N]) -> String {
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// An answer: the parts that there are, by their keys.
pub fn object<const N: usize>(parts: [(&str, Option<Value>); N]) -> Value {
    let there = parts.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(there.collect::<Map<_, _>>())
}

/// A text as a part of an answer.
pub fn text(text: Option<&str>) -> Option<Value> {
    text.map(Value::from)
}

/// Where a client takes what it is told that answers as Claude Code does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asking {
    /// It can ask a person.
    Asks,
    /// It cannot: what a person would be asked is refused.
    Refuses,
}

/// An answer in Claude Code's words, for clients that took them over: an event of this name, and what is said to it. A
/// warning never takes the place of what a tool gave back.
pub fn in_claudes_words(event: &str, said: &Said, asking: Asking) -> Value {
    let (decision, reason) = match (&said.denied, &said.asked, asking) {
        (Some(reason), _, _) => (Some("deny"), Some(reason)),
        (None, Some(reason), Asking::Asks) => (Some("ask"), Some(reason)),
        (None, Some(reason), Asking::Refuses) => (Some("deny"), Some(reason)),
        (None, None, _) => (None, None),
    };
    let is_specific = decision.is_some() || said.input.is_some() || said.context.is_some();
    let specific = is_specific.then(|| {
        object([
            ("hookEventName", Some(json!(event))),
            ("permissionDecision", text(decision)),
            ("permissionDecisionReason", text(reason.map(String::as_str))),
            ("updatedInput", said.input.clone()),
            ("additionalContext", text(said.context.as_deref())),
        ])
    });
    object([
        ("systemMessage", text(said.message.as_deref())),
        ("decision", said.go_on.as_ref().map(|_| json!("block"))),
        ("reason", text(said.go_on.as_deref())),
        ("hookSpecificOutput", specific),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(verdict: Verdict) -> Said {
        Said::of(&Decision { verdict, ..Decision::NOTHING }, |_| None)
    }

    #[test]
    fn what_has_happened_is_context() {
        let violated = |reason: Option<&str>| Verdict::Violated {
            reason: reason.map(str::to_owned),
            lines: "Error: x".to_owned(),
        };
        assert_eq!(said(violated(Some("why"))).context.as_deref(), Some("why\nError: x"));
        assert_eq!(said(violated(None)).context.as_deref(), Some("Error: x"));
        let more = Decision { verdict: violated(None), context: Some("old".into()), message: None };
        assert_eq!(Said::of(&more, |_| None).context.as_deref(), Some("Error: x\nold"));
    }

    #[test]
    fn a_client_that_cannot_ask_refuses() {
        let asked = said(Verdict::Ask("why".into()));
        assert_eq!(asked.refused(), Some("why"));
        let answer = |asking| in_claudes_words("PreToolUse", &asked, asking);
        assert_eq!(answer(Asking::Asks)["hookSpecificOutput"]["permissionDecision"], "ask");
        assert_eq!(answer(Asking::Refuses)["hookSpecificOutput"]["permissionDecision"], "deny");
    }

    #[test]
    fn a_client_is_given_another_input_or_refuses() {
        let mended = Mended { changes: Vec::new(), told: "changed".into(), otherwise: "why".into() };
        let decision =
            Decision { verdict: Verdict::Mended(mended), context: Some("old".into()), ..Decision::NOTHING };
        let refused = Said::of(&decision, |_| None);
        assert_eq!((refused.refused(), refused.context.as_deref()), (Some("why"), Some("old")));
        let changed = Said::of(&decision, |_| Some(json!({ "a": 1 })));
        assert_eq!((changed.refused(), changed.context.as_deref()), (None, Some("changed\nold")));
        let answer = in_claudes_words("PreToolUse", &changed, Asking::Asks);
        assert_eq!(answer["hookSpecificOutput"]["updatedInput"], json!({ "a": 1 }));
        assert_eq!(answer["hookSpecificOutput"].get("permissionDecision"), None);
    }

    #[test]
    fn nothing_to_say_is_an_empty_object() {
        assert_eq!(in_claudes_words("PreToolUse", &Said::default(), Asking::Asks), json!({}));
    }
}
