//! `forbid_pattern` and `file_not_contains`: each match in a file is a violation.

use super::{Check, ContractType, Evaluator};
use crate::contract::Pattern;
use crate::verify::Verifier;

/// The row of `forbid_pattern`.
pub static FORBID_PATTERN: ContractType = ContractType {
    name: "forbid_pattern",
    meaning: "No file of the glob may match the pattern; each match is a violation.",
    required_keys: &["pattern"],
    one_of_keys: &[],
    optional_keys: &["in", "verify", "fix"],
    v1_2_report: Some("Forbidden pattern found"),
    build: |values| Some(Check::Forbid(ForbidPattern { pattern: values.pattern?, verify: values.verify })),
};

/// The row of `file_not_contains`: `forbid_pattern`, with a literal pattern in v1.2.
pub static FILE_NOT_CONTAINS: ContractType = ContractType {
    name: "file_not_contains",
    meaning: "No file of the glob may contain the pattern; each match is a violation.",
    required_keys: &["pattern"],
    one_of_keys: &[],
    optional_keys: &["in", "verify", "fix"],
    v1_2_report: None,
    build: |values| {
        let pattern = values.pattern?.literal_in_v1_2(values.schema);
        Some(Check::Forbid(ForbidPattern { pattern, verify: values.verify }))
    },
};

/// Reports each match of a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ForbidPattern {
    /// The forbidden pattern.
    pub pattern: Pattern,
    /// What a match must pass to count.
    pub verify: Vec<Verifier>,
}

impl Evaluator for ForbidPattern {
    fn pattern(&self) -> Option<&Pattern> {
        Some(&self.pattern)
    }

    fn verifiers(&self) -> &[Verifier] {
        &self.verify
    }

    fn reports_matches(&self) -> bool {
        true
    }
}
