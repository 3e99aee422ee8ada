//! `forbid_in_message` and `require_in_message`: contracts about commit messages.

use super::{Check, CheckInput, CheckTarget, CheckVerdict, ContractType, Evaluator};
use crate::contract::Pattern;

/// The row of `forbid_in_message`.
pub static FORBID_IN_MESSAGE: ContractType = ContractType {
    name: "forbid_in_message",
    meaning: "No commit message may match the pattern; each match is a violation.",
    required_keys: &["pattern"],
    one_of_keys: &[],
    optional_keys: &["file_glob"],
    v1_2_report: None,
    build: |values| {
        Some(Check::Message(MessageCheck { pattern: values.pattern?, demand: MessageDemand::Forbids }))
    },
};

/// The row of `require_in_message`.
pub static REQUIRE_IN_MESSAGE: ContractType = ContractType {
    name: "require_in_message",
    meaning: "Every commit message must match the pattern.",
    required_keys: &["pattern"],
    one_of_keys: &[],
    optional_keys: &["file_glob"],
    v1_2_report: None,
    build: |values| {
        Some(Check::Message(MessageCheck { pattern: values.pattern?, demand: MessageDemand::Requires }))
    },
};

/// Reports each match of a pattern in a commit message, or a message without one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MessageCheck {
    /// The forbidden or required pattern.
    pub pattern: Pattern,
    /// What is demanded of the pattern.
    pub demand: MessageDemand,
}

/// What a contract demands of a commit message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageDemand {
    /// The pattern does not match.
    Forbids,
    /// The pattern matches.
    Requires,
}

impl Evaluator for MessageCheck {
    fn input(&self) -> CheckInput {
        CheckInput::Message
    }

    fn pattern(&self) -> Option<&Pattern> {
        Some(&self.pattern)
    }

    fn reports_matches(&self) -> bool {
        self.demand == MessageDemand::Forbids
    }

    fn evaluate(&self, target: CheckTarget<'_>) -> CheckVerdict {
        match self.demand {
            MessageDemand::Forbids => CheckVerdict::Spans(target.matches),
            MessageDemand::Requires => target.requires_a_match(),
        }
    }
}
