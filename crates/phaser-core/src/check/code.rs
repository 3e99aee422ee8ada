//! `forbid_code` and `require_code`: syntax nodes that match a pattern are violations, or a file without one is.

use super::{Check, CheckTarget, CheckVerdict, ContractType, Evaluator};
use crate::code::CodePattern;
use crate::contract::Pattern;

/// The row of `forbid_code`.
pub static FORBID_CODE: ContractType = ContractType {
    name: "forbid_code",
    meaning: "No syntax node of a file of the glob may match the code pattern; each match is a violation.",
    required_keys: &["code"],
    one_of_keys: &[],
    optional_keys: &["language", "fix"],
    v1_2_report: None,
    build: |values| Some(Check::ForbidCode(ForbidCode { code: values.code_pattern()? })),
};

/// The row of `require_code`.
pub static REQUIRE_CODE: ContractType = ContractType {
    name: "require_code",
    meaning: "A syntax node of every file of the glob must match the code pattern.",
    required_keys: &["code"],
    one_of_keys: &[],
    optional_keys: &["language"],
    v1_2_report: None,
    build: |values| Some(Check::RequireCode(RequireCode { code: values.code_pattern()? })),
};

/// Reports each syntax node that matches.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ForbidCode {
    /// The forbidden code.
    pub code: CodePattern,
}

impl Evaluator for ForbidCode {
    fn code(&self) -> Option<&CodePattern> {
        Some(&self.code)
    }

    fn prefilter(&self) -> Option<&Pattern> {
        Some(&self.code.prefilter)
    }

    fn reports_matches(&self) -> bool {
        true
    }
}

/// Reports a file without a syntax node that matches.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RequireCode {
    /// The required code.
    pub code: CodePattern,
}

impl Evaluator for RequireCode {
    fn code(&self) -> Option<&CodePattern> {
        Some(&self.code)
    }

    fn prefilter(&self) -> Option<&Pattern> {
        Some(&self.code.prefilter)
    }

    fn needs_whole_file(&self) -> bool {
        true
    }

    fn evaluate(&self, target: CheckTarget<'_>) -> CheckVerdict {
        target.requires_a_match()
    }
}
