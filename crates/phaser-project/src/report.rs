//! Everything a run found out: the one value that reports show and exit codes are judged by.
//!
//! Only a carrier and its counts; who fills it, and how it is shown, is not known here.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use crate::path::RelPath;
use phaser_core::contract::{Contract, Severity, Warning};
use phaser_core::matcher::profile::Costs;
use phaser_core::skipped::{Gap, Skipped};
use phaser_core::text::Region;
use phaser_core::violation::{State, Violation};

/// Everything a run found out.
#[derive(Debug, Default)]
pub struct Report {
    /// The contracts that were checked.
    pub contracts: Vec<Arc<Contract>>,
    /// The files that at least one contract was checked on, in order.
    pub checked: Vec<RelPath>,
    /// The violations of every state, by path, place and rule id.
    pub violations: Vec<Violation>,
    /// What changed files were violating before, where that was asked for.
    pub before: Vec<Earlier>,
    /// The ignore directives that a change adds, where that was asked for.
    pub added_ignores: Vec<AddedIgnore>,
    /// What was not checked, and why.
    pub skipped: Vec<Skipped>,
    /// How many entries of the baseline have fewer violations than they say, when the whole project was looked at.
    pub stale: Option<usize>,
    /// What is wrong with contract files.
    pub warnings: Vec<Warning>,
    /// Whether there was any contract to check.
    pub no_contracts: bool,
    /// What there is to say to whoever runs it that is about no file and no contract, and part of no report.
    pub notes: Vec<String>,
    /// The phases of the check and how long each took, if that was measured.
    pub phases: Vec<(Phase, Duration)>,
    /// What it has cost, if that was measured.
    pub spent: Option<Spent>,
}

/// An ignore directive that a change adds, and a contract of which it suppresses a violation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedIgnore {
    /// The contract.
    pub contract: Arc<Contract>,
    /// The file.
    pub path: RelPath,
    /// The line that the directive stands on.
    pub line: usize,
}

/// The violations that a file had before it changed.
#[derive(Debug)]
pub struct Earlier {
    /// The path of the file now.
    pub path: RelPath,
    /// Its violations before, under the path it had then.
    pub violations: Vec<Violation>,
    /// Its lines now, from the first that changed to the last, counted from 1.
    pub changed: Range<usize>,
}

impl Earlier {
    /// Does a violation of the file now stand on lines that changed?
    pub fn touches(&self, violation: &Violation) -> bool {
        violation.found.as_ref().is_some_and(|found| {
            let Region { start, end } = found.region;
            // A match that takes the end of a line with it is not on the next one.
            let last = if end.column == 1 { end.line.saturating_sub(1).max(start.line) } else { end.line };
            start.line < self.changed.end && self.changed.start <= last
        })
    }
}

impl Report {
    /// The violations that count.
    pub fn open(&self) -> impl Iterator<Item = &Violation> {
        self.violations.iter().filter(|violation| violation.is_open())
    }

    /// The violations that do not count, whatever the reason.
    pub fn suppressed(&self) -> impl Iterator<Item = &Violation> {
        self.violations.iter().filter(|violation| !violation.is_open())
    }

    /// The violations that do not count because they are older than the change: existing ones and baselined ones.
    pub fn old(&self) -> impl Iterator<Item = &Violation> {
        let is_old = |violation: &&Violation| matches!(violation.state, State::Existing | State::Baselined);
        self.violations.iter().filter(is_old)
    }

    /// The violations that were there before, and stand on lines that the change touches.
    pub fn touched(&self) -> impl Iterator<Item = &Violation> {
        self.old().filter(|violation| {
            self.before.iter().any(|file| file.path == violation.path && file.touches(violation))
        })
    }

    /// The violations of one file after another.
    pub fn by_file(&self) -> impl Iterator<Item = &[Violation]> {
        self.violations.chunk_by(|one, next| one.path == next.path)
    }

    /// [`Self::by_file`], to change them.
    pub fn by_file_mut(&mut self) -> impl Iterator<Item = &mut [Violation]> {
        self.violations.chunk_by_mut(|one, next| one.path == next.path)
    }

    /// What was not checked and matters to some contract.
    pub fn gaps(&self) -> impl Iterator<Item = &Skipped> {
        self.skipped.iter().filter(|skipped| skipped.why.gap() > Gap::None)
    }

    /// Was this contract checked, and was no file left out that has this path or holds it?
    pub fn has_judged(&self, contract: &[u8], path: &[u8]) -> bool {
        let is_gap = |skipped: &Skipped| {
            let inside = path.strip_prefix(skipped.path.as_bytes());
            inside.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
        };
        self.contracts.iter().any(|checked| checked.id.as_bytes() == contract) && !self.gaps().any(is_gap)
    }

    /// Counts the violations.
    pub fn summary(&self) -> Summary {
        let mut summary = Summary::default();
        for violation in &self.violations {
            let count = match (violation.state, violation.contract.severity) {
                (State::Open, Severity::Error) => &mut summary.errors,
                (State::Open, Severity::Warning) => &mut summary.warnings,
                (State::Ignored, _) => &mut summary.ignored,
                (State::Existing, _) => &mut summary.existing,
                (State::Baselined, _) => &mut summary.baselined,
            };
            *count += 1;
        }
        summary
    }
}

/// How many violations there are of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// Open violations of contracts with severity `error`.
    pub errors: usize,
    /// Open violations of contracts with severity `warning`.
    pub warnings: usize,
    /// Violations that ignore directives cover.
    pub ignored: usize,
    /// Violations that were there before the change.
    pub existing: usize,
    /// Violations that are in the baseline.
    pub baselined: usize,
}

impl Summary {
    /// How many count.
    pub fn open(&self) -> usize {
        self.errors + self.warnings
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        let Self { errors, warnings, ignored, existing, baselined } = *self;
        write!(f, "{errors} error{}, {warnings} warning{}", plural(errors), plural(warnings))?;
        for (count, word) in [(ignored, "ignored"), (existing, "existing"), (baselined, "in the baseline")] {
            if count > 0 {
                write!(f, ", {count} {word}")?;
            }
        }
        Ok(())
    }
}

/// A phase of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Reading a hook event.
    EventRead,
    /// Reading contract files.
    ContractsRead,
    /// Listing targets; for a tool call, reconstructing its files.
    FilesListed,
    /// Validating patterns. A regex is compiled when it is first needed.
    ContractsCompiled,
    /// Reading and searching files.
    FilesScanned,
    /// Writing the report or the response.
    ReportWritten,
}

impl Phase {
    /// The name in `--timings`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::EventRead => "event read",
            Self::ContractsRead => "contracts read",
            Self::FilesListed => "files listed",
            Self::ContractsCompiled => "contracts compiled",
            Self::FilesScanned => "files scanned",
            Self::ReportWritten => "report written",
        }
    }
}

/// What a scan has cost, all threads together.
#[derive(Debug, Clone, Default)]
pub struct Spent {
    /// On how many threads.
    pub threads: usize,
    /// The time to find the contracts that apply to files, and to prepare the search for them.
    pub selecting: Duration,
    /// The time to read files.
    pub reading: Duration,
    /// What their checks have cost.
    pub costs: Costs,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zero_is_left_out_of_the_summary_except_for_errors_and_warnings() {
        assert_eq!(Summary::default().to_string(), "0 errors, 0 warnings");
        let summary = Summary { errors: 1, warnings: 2, ignored: 1, existing: 14, baselined: 310 };
        assert_eq!(summary.to_string(), "1 error, 2 warnings, 1 ignored, 14 existing, 310 in the baseline");
        let summary = Summary { existing: 3, ..Summary::default() };
        assert_eq!(summary.to_string(), "0 errors, 0 warnings, 3 existing");
    }
}
