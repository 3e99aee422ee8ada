//! The decision on a command line, before it runs.

use std::path::{Path, PathBuf};

use super::{FixedCommand, HookDecision, HookVerdict, MAX_TEXT, repetition};
use crate::decisions::repeats::{self, DenialCounts};
use phaser_core::command::{CommandLine, CommandPlace, ForbiddenCommand};
use phaser_core::contract::{BlockDecision, Contract, Severity};
use phaser_core::deadline::Deadline;
use phaser_core::sanitize::{cut, inert, printable};
use phaser_project::config::{Fixes, Repeated};

/// The maximum length of a quoted command, in characters.
const MAX_QUOTE: usize = 300;

/// The end of a denial.
pub const NOT_RUN: &str = "\nThe command was not run.";

/// The end of a question to the user. The model receives it if nobody answers.
const ASKED: &str = "\nThe command was not run. The user has to agree to it.";

/// Command lines and how they are judged.
pub struct CheckedCommand<'a> {
    pub lines: &'a [String],
    /// The contracts about commands. Those without directories hold everywhere else.
    pub contracts: &'a [CommandContracts],
    pub place: &'a CommandPlace<'a>,
    pub fixes: Fixes,
    pub repeated: Repeated,
    pub deadline: Deadline,
}

/// The contracts of some directories.
#[derive(Debug, Default)]
pub struct CommandContracts {
    /// The directories; empty for those of the agent's shell, and of every command whose directory is not listed elsewhere.
    pub directories: Vec<PathBuf>,
    pub contracts: Vec<Contract>,
}

/// A contract and the command that it forbids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandViolation<'a> {
    pub contract: &'a Contract,
    pub forbidden: ForbiddenCommand,
    /// The line after the fix of the contract, if it has one.
    pub fixed: Option<String>,
}

impl<'a> CheckedCommand<'a> {
    /// The violations of the lines, errors first, and why lines are not judged.
    pub fn violations(&self) -> (Vec<CommandViolation<'a>>, Vec<String>) {
        let (mut violations, mut unjudged) = (Vec::new(), Vec::new());
        for line in self.lines {
            match CommandLine::parse(line, self.deadline) {
                Ok(parsed) => {
                    for of in self.contracts {
                        violations.extend(self.violations_of(of, &parsed));
                    }
                }
                Err(why) => unjudged.push(format!("{}: {why}", cut(&printable(line), MAX_QUOTE))),
            }
        }
        violations.sort_by_key(|one| std::cmp::Reverse(one.contract.severity));
        (violations, unjudged)
    }

    /// The violations of these contracts, in the directories that they are for.
    fn violations_of(
        &self,
        of: &'a CommandContracts,
        parsed: &CommandLine<'_>,
    ) -> impl Iterator<Item = CommandViolation<'a>> {
        let elsewhere = || self.contracts.iter().flat_map(|other| &other.directories);
        let is_wanted = |directory: Option<&Path>| match of.directories.is_empty() {
            true => directory.is_none_or(|directory| !elsewhere().any(|other| other == directory)),
            false => directory.is_some_and(|directory| of.directories.iter().any(|own| own == directory)),
        };
        let parsed = match self.contracts {
            [_] => parsed.clone(),
            _ => parsed.in_directories(self.place, is_wanted),
        };
        of.contracts.iter().filter_map(move |contract| {
            let forbidden = parsed.judge(contract, self.place)?;
            let fix = contract.fix.as_ref();
            let fixed = fix.and_then(|fix| parsed.fixed(&forbidden, &fix.template));
            Some(CommandViolation { contract, forbidden, fixed })
        })
    }

    /// The line with all fixes applied, if that leaves nothing that denies it.
    fn fixed(&self) -> Option<String> {
        let ([line], Fixes::Apply) = (self.lines, self.fixes) else { return None };
        let mut line = line.clone();
        let number: usize = self.contracts.iter().map(|of| of.contracts.len()).sum();
        for _ in 0..=number {
            let one = CheckedCommand { lines: std::slice::from_ref(&line), ..*self };
            let (violations, _) = one.violations();
            let Some(first) = violations.first().filter(|one| one.contract.severity == Severity::Error)
            else {
                return Some(line);
            };
            line = first.fixed.clone()?;
        }
        None
    }
}

/// Decides on command lines before they run. Never allows one: the agent's own permission flow applies.
pub fn decide_on_command_line(
    checked: &CheckedCommand<'_>,
    violations: &[CommandViolation<'_>],
    denials: &DenialCounts,
) -> HookDecision {
    let (errors, warnings): (Vec<_>, Vec<_>) =
        violations.iter().partition(|one| one.contract.severity == Severity::Error);
    let context = (!warnings.is_empty()).then(|| listed(&warnings, MAX_TEXT));
    if errors.is_empty() {
        return HookDecision { context, ..HookDecision::NOTHING };
    }
    let ordinal =
        |one: &&CommandViolation<'_>| denials.earlier(&one.contract.id, &one.forbidden.normalised) + 1;
    let asks = errors.iter().all(|one| one.contract.decision == BlockDecision::Ask)
        || (checked.repeated == Repeated::Ask && errors.iter().all(|one| ordinal(one) >= repeats::ASKED));
    let repeated = errors.iter().map(|one| repetition::Repetition {
        contract: one.contract,
        what: &one.forbidden.normalised,
        ordinal: ordinal(one),
    });
    let repeated = repetition::text(repeated);
    let reason = |end: &str| {
        let room = MAX_TEXT - end.chars().count() - repeated.chars().count();
        format!("{}{repeated}{end}", listed(&errors, room))
    };
    let verdict = match checked.fixed() {
        Some(line) => HookVerdict::FixedCommand(FixedCommand {
            explanation: format!(
                "phaser fixed the command before it ran ({}). It runs as: {}",
                errors.iter().map(|one| one.contract.id.as_str()).collect::<Vec<_>>().join(", "),
                cut(&inert(&line), MAX_TEXT / 2)
            ),
            denial: reason(NOT_RUN),
            line,
        }),
        None if asks => HookVerdict::Ask(reason(ASKED)),
        None => HookVerdict::Deny(reason(NOT_RUN)),
    };
    HookDecision { verdict, context, message: None }
}

/// The line of a denial that quotes the command.
pub fn listed_command(violation: &CommandViolation<'_>) -> String {
    quoted(&violation.forbidden)
}

fn quoted(forbidden: &ForbiddenCommand) -> String {
    format!("command: {}", cut(&printable(&forbidden.shown), MAX_QUOTE))
}

/// For each contract its message, the command, what its fix would run, and its rationale; at most `most` characters.
fn listed(violations: &[&CommandViolation<'_>], most: usize) -> String {
    let mut lines = Vec::new();
    for CommandViolation { contract, forbidden, fixed } in violations.iter().copied() {
        lines.push(format!("{}: {}", contract.id, printable(&contract.message)));
        lines.push(quoted(forbidden));
        lines.extend(fixed.as_ref().map(|fixed| format!("Fix: {}", cut(&printable(fixed), 2 * MAX_QUOTE))));
        lines.extend(contract.rationale.as_deref().map(|why| format!("Why: {}", printable(why))));
    }
    cut(&lines.join("\n"), most.saturating_sub(1)).into_owned()
}
