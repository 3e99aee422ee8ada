//! `file_not_exists`: the presence of a file of the glob is a violation.

use super::{Check, CheckInput, CheckTarget, CheckVerdict, ContractType, Evaluator};

/// The row of `file_not_exists`.
pub static FILE_NOT_EXISTS: ContractType = ContractType {
    name: "file_not_exists",
    meaning: "No file of the glob may exist.",
    required_keys: &[],
    one_of_keys: &[],
    optional_keys: &[],
    v1_2_report: None,
    build: |_| Some(Check::NotExists),
};

/// Reports each file of the glob.
#[derive(Debug)]
pub struct FileNotExists;

impl Evaluator for FileNotExists {
    fn input(&self) -> CheckInput {
        CheckInput::Path
    }

    fn evaluate(&self, _target: CheckTarget<'_>) -> CheckVerdict {
        CheckVerdict::File
    }
}
