//! `forbid_command`: a command that an agent must not run.

use super::{Check, CheckInput, CheckTarget, CheckVerdict, ContractType, Evaluator};
use crate::contract::Pattern;

/// The row of `forbid_command`.
pub static FORBID_COMMAND: ContractType = ContractType {
    name: "forbid_command",
    meaning: "No command that an agent runs may be `command` with one of `args`, or match the pattern.",
    required_keys: &[],
    one_of_keys: &["command", "pattern"],
    optional_keys: &["args", "piped_to", "operands", "when_exists", "unless_exists", "fix", "file_glob"],
    v1_2_report: None,
    build: |values| {
        let check = ForbidCommand {
            commands: values.commands,
            args: values.args,
            pattern: values.pattern,
            piped_to: values.piped_to,
            operands: values.operands,
            when_exists: values.when_exists,
            unless_exists: values.unless_exists,
        };
        (!check.commands.is_empty() || check.pattern.is_some()).then_some(Check::Command(check))
    },
};

/// Reports a command by its first words and arguments, or by a pattern. Judged by [`command`](crate::command), never on
/// files.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ForbidCommand {
    /// Alternatives for the first words, such as `git commit`. Empty with a pattern.
    pub commands: Vec<String>,
    /// Arguments of which one must be there. Empty if the command is forbidden with any arguments.
    pub args: Vec<String>,
    /// Matches the words of a command, joined by spaces, from the first word on.
    pub pattern: Option<Pattern>,
    /// Programs of which one must receive the output. Empty if the output does not matter.
    pub piped_to: Vec<String>,
    /// What an operand must be.
    pub operands: Option<OperandRule>,
    /// Files of which one must exist. Empty if none has to.
    pub when_exists: Vec<String>,
    /// Files of which none may exist.
    pub unless_exists: Vec<String>,
}

impl ForbidCommand {
    /// What a command must have beside its words: a label, and the values.
    pub fn conditions(&self) -> Vec<(&'static str, String)> {
        let listed = |label, values: &[String]| (!values.is_empty()).then(|| (label, values.join(" or ")));
        let operands = self.operands.map(|operands| match operands {
            OperandRule::Outside => ("with a path", "outside the project".to_owned()),
        });
        let all = [
            listed("with", &self.args),
            listed("piped to", &self.piped_to),
            operands,
            listed("where there is", &self.when_exists),
            listed("unless there is", &self.unless_exists),
        ];
        all.into_iter().flatten().collect()
    }
}

/// What an operand of a forbidden command must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OperandRule {
    /// A path outside the project and the temporary directories.
    Outside,
}

impl OperandRule {
    /// All values.
    pub const ALL: [Self; 1] = [Self::Outside];

    /// The value in a contract.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Outside => "outside",
        }
    }
}

impl Evaluator for ForbidCommand {
    fn input(&self) -> CheckInput {
        CheckInput::Command
    }

    fn pattern(&self) -> Option<&Pattern> {
        self.pattern.as_ref()
    }

    fn passes_unmatched(&self) -> bool {
        true
    }

    fn evaluate(&self, _: CheckTarget<'_>) -> CheckVerdict {
        CheckVerdict::Pass
    }
}
