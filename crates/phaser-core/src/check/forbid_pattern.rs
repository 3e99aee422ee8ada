//! `forbid_pattern` and `file_not_contains`: each match in a file is a violation.

use super::{Check, CheckInput, CheckTarget, CheckVerdict, ContractType, Evaluator};
use crate::contract::Pattern;

/// The row of `forbid_pattern`.
pub static FORBID_PATTERN: ContractType = ContractType {
    name: "forbid_pattern",
    meaning: "No file of the glob may match the pattern; each match is a violation.",
    required_keys: &["pattern"],
    one_of_keys: &[],
    optional_keys: &["in", "fix"],
    v1_2_report: Some("Forbidden pattern found"),
    build: |values| Some(Check::forbid(values.pattern?)),
};

/// The row of `file_not_contains`: `forbid_pattern`, with a literal pattern in v1.2.
pub static FILE_NOT_CONTAINS: ContractType = ContractType {
    name: "file_not_contains",
    meaning: "No file of the glob may contain the pattern; each match is a violation.",
    required_keys: &["pattern"],
    one_of_keys: &[],
    optional_keys: &["in", "fix"],
    v1_2_report: None,
    build: |values| Some(Check::forbid(values.pattern?.literal_in_v1_2(values.schema))),
};

/// Reports each match of a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ForbidPattern {
    /// The forbidden pattern.
    pub pattern: Pattern,
}

impl Evaluator for ForbidPattern {
    fn input(&self) -> CheckInput {
        CheckInput::Text
    }

    fn pattern(&self) -> Option<&Pattern> {
        Some(&self.pattern)
    }

    fn max_matches(&self) -> usize {
        usize::MAX
    }

    fn passes_unmatched(&self) -> bool {
        true
    }

    fn has_lines(&self) -> bool {
        true
    }

    fn evaluate(&self, target: CheckTarget<'_>) -> CheckVerdict {
        CheckVerdict::Spans(target.matches)
    }
}
