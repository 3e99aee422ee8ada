//! `keep_pattern`: what matches a pattern must not be taken away by a change.

use super::{Check, CheckInput, ContractType, Evaluator};
use crate::contract::Pattern;

/// The most matches of one file that are compared. A file with more is a gap.
pub const MAX_KEPT: usize = 100_000;

/// The row of `keep_pattern`.
pub static KEEP_PATTERN: ContractType = ContractType {
    name: "keep_pattern",
    meaning: "No change may remove a match of the pattern that is already committed. Moving it is allowed.",
    required_keys: &["pattern"],
    one_of_keys: &[],
    optional_keys: &["in"],
    v1_2_report: None,
    build: |values| Some(Check::Keep(KeepPattern { pattern: values.pattern? })),
};

/// Reports each match of a pattern that a change removes.
///
/// The matcher finds the matches of one text, in both versions of each file; the scan of a change compares them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeepPattern {
    /// The pattern to keep.
    pub pattern: Pattern,
}

impl Evaluator for KeepPattern {
    fn input(&self) -> CheckInput {
        CheckInput::Change
    }

    fn pattern(&self) -> Option<&Pattern> {
        Some(&self.pattern)
    }

    fn match_limit(&self) -> usize {
        MAX_KEPT
    }

    fn reports_matches(&self) -> bool {
        true
    }
}
