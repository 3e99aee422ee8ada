//! `file_exists`: a project without a file of the glob is a violation.

use super::{Check, CheckInput, CheckLevel, CheckTarget, CheckVerdict, ContractType, Evaluator};

/// The row of `file_exists`.
pub static FILE_EXISTS: ContractType = ContractType {
    name: "file_exists",
    meaning: "A file of the glob must exist.",
    required_keys: &[],
    one_of_keys: &[],
    optional_keys: &[],
    v1_2_report: None,
    build: |_| Some(Check::Exists),
};

/// Reports a project in which no file of the glob exists.
#[derive(Debug)]
pub struct FileExists;

impl Evaluator for FileExists {
    fn input(&self) -> CheckInput {
        CheckInput::Path
    }

    fn level(&self) -> CheckLevel {
        CheckLevel::Project
    }

    fn evaluate(&self, _target: CheckTarget<'_>) -> CheckVerdict {
        CheckVerdict::Satisfies
    }
}
