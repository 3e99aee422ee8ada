//! `file_parses`: a data file with a syntax error is a violation.

use super::{Check, CheckInput, CheckTarget, CheckVerdict, ContractType, Evaluator, Finding};
use crate::violation::LineDigest;
use phaser_data::ParseProblem;

/// The row of `file_parses`.
pub static FILE_PARSES: ContractType = ContractType {
    name: "file_parses",
    meaning: "Every JSON, YAML or TOML file of the glob must parse.",
    required_keys: &[],
    one_of_keys: &[],
    optional_keys: &[],
    v1_2_report: None,
    build: |_| Some(Check::Parses),
};

/// Reports a data file that does not parse, at the place where the parser stopped.
#[derive(Debug)]
pub struct FileParses;

impl Evaluator for FileParses {
    fn input(&self) -> CheckInput {
        CheckInput::Data
    }

    fn has_lines(&self) -> bool {
        true
    }

    fn needs_whole_file(&self) -> bool {
        true
    }

    fn evaluate(&self, target: CheckTarget<'_>) -> CheckVerdict {
        let Some(Err(error)) = target.data.map(|data| data.tree) else { return CheckVerdict::Pass };
        match &error.problem {
            // A file has one syntax error at most, wherever an edit moves it.
            ParseProblem::Syntax(problem) => CheckVerdict::Findings(vec![Finding {
                range: error.span.clone(),
                identity: Some(LineDigest::of(b"syntax error")),
                problem: Some(problem.clone()),
            }]),
            ParseProblem::Limit(_) => CheckVerdict::Unparsable,
        }
    }
}
