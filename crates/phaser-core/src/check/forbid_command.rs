//! `forbid_command`: a command that an agent must not run.

use super::{Check, CheckInput, CheckTarget, CheckVerdict, ContractType, Evaluator};
use crate::contract::Pattern;

/// The row of `forbid_command`.
pub static FORBID_COMMAND: ContractType = ContractType {
    name: "forbid_command",
    meaning: "No command that an agent runs may be `command` with one of `args`, or match the pattern.",
    required_keys: &[],
    one_of_keys: &["command", "pattern"],
    optional_keys: &["args", "fix", "file_glob"],
    v1_2_report: None,
    build: |values| {
        let check = ForbidCommand { commands: values.commands, args: values.args, pattern: values.pattern };
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
