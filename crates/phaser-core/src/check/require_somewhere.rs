//! `require_pattern` of the v1.2 schema: a project without a match in any file of the glob is a violation.

use super::{CheckLevel, CheckTarget, CheckVerdict, Evaluator};
use crate::contract::Pattern;

/// Reports a project in which no file has a match of a pattern. Built by the row of `require_pattern`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RequireSomewhere {
    /// The required pattern.
    pub pattern: Pattern,
}

impl Evaluator for RequireSomewhere {
    fn level(&self) -> CheckLevel {
        CheckLevel::Project
    }

    fn pattern(&self) -> Option<&Pattern> {
        Some(&self.pattern)
    }

    fn needs_whole_file(&self) -> bool {
        true
    }

    fn evaluate(&self, target: CheckTarget<'_>) -> CheckVerdict {
        if target.matches.is_empty() { CheckVerdict::Pass } else { CheckVerdict::Satisfies }
    }
}
