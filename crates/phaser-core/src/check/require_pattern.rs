//! `require_pattern` and `file_contains`: a file without a match is a violation.

use super::{Check, CheckTarget, CheckVerdict, ContractType, Evaluator};
use crate::contract::{ContractSchema, Pattern};

/// The row of `require_pattern`. In v1.2 one file of the glob is enough:
/// [`RequireSomewhere`](super::RequireSomewhere).
pub static REQUIRE_PATTERN: ContractType = ContractType {
    name: "require_pattern",
    meaning: "Every file of the glob must match the pattern.",
    required_keys: &["pattern"],
    one_of_keys: &[],
    optional_keys: &["in"],
    v1_2_report: Some("Required pattern not found"),
    build: |values| {
        let pattern = values.pattern?;
        Some(match values.schema {
            ContractSchema::Flat => Check::require(pattern),
            ContractSchema::V1_2 => Check::require_somewhere(pattern),
        })
    },
};

/// The row of `file_contains`: `require_pattern`, with a literal pattern in v1.2.
pub static FILE_CONTAINS: ContractType = ContractType {
    name: "file_contains",
    meaning: "Every file of the glob must contain the pattern.",
    required_keys: &["pattern"],
    one_of_keys: &[],
    optional_keys: &["in"],
    v1_2_report: None,
    build: |values| Some(Check::require(values.pattern?.literal_in_v1_2(values.schema))),
};

/// Reports a file without a match of a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RequirePattern {
    /// The required pattern.
    pub pattern: Pattern,
}

impl Evaluator for RequirePattern {
    fn pattern(&self) -> Option<&Pattern> {
        Some(&self.pattern)
    }

    fn needs_whole_file(&self) -> bool {
        true
    }

    fn evaluate(&self, target: CheckTarget<'_>) -> CheckVerdict {
        target.requires_a_match()
    }
}
