//! The result of a check: what reports show and exit codes are derived from.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use crate::path::RelPath;
use phaser_core::contract::{Contract, Severity, Warning};
use phaser_core::matcher::profile::Costs;
use phaser_core::skipped::{Gap, Skipped};
use phaser_core::violation::{State, Violation};

/// The result of a check.
#[derive(Debug, Default)]
pub struct Report {
    /// The contracts that were checked.
    pub contracts: Vec<Arc<Contract>>,
    /// The files that at least one contract was checked on, sorted.
    pub checked: Vec<RelPath>,
    /// Violations in every state, sorted by path, position and contract id.
    pub violations: Vec<Violation>,
    /// Violations of the previous texts, where they are compared.
    pub before: Vec<Earlier>,
    /// Ignore directives that the change adds, where the configuration has a policy for them.
    pub added_ignores: Vec<AddedIgnore>,
    /// Files and contracts that were not checked, with the reason.
    pub skipped: Vec<Skipped>,
    /// Files of baseline entries that a sparse checkout leaves out.
    pub outside_checkout: BTreeSet<String>,
    /// Number of stale baseline entries, if the whole project was checked.
    pub stale: Option<usize>,
    /// Problems with contract files and configuration.
    pub warnings: Vec<Warning>,
    /// Whether no contract was enabled.
    pub no_contracts: bool,
    /// Whether contract files exist, or contracts were selected, and every one of them is broken.
    pub only_broken: bool,
    /// Contracts, configurations and the baseline that git ignores, so that another checkout does not have them.
    pub ignored_by_git: Vec<RelPath>,
    /// Whether the configuration has `strict: true`.
    pub strict: bool,
    /// Notes for stderr that belong to no file or contract.
    pub notes: Vec<String>,
    /// Durations of the phases, if measured.
    pub phases: Vec<(Phase, Duration)>,
    /// Cost of the scan, if measured.
    pub spent: Option<Spent>,
}

/// An ignore directive that a change adds, with one contract that it suppresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedIgnore {
    /// The suppressed contract.
    pub contract: Arc<Contract>,
    /// The file.
    pub path: RelPath,
    /// Line of the directive, from 1.
    pub line: usize,
}

/// The violations of a file before a change.
#[derive(Debug)]
pub struct Earlier {
    /// The current path.
    pub path: RelPath,
    /// The previous violations, under the previous path.
    pub violations: Vec<Violation>,
    /// Changed lines of the current text, from 1.
    pub changed: Range<usize>,
}

impl Earlier {
    /// Whether a current violation overlaps the changed lines.
    pub fn touches(&self, violation: &Violation) -> bool {
        violation.found.as_ref().is_some_and(|found| {
            found.region.start.line < self.changed.end && self.changed.start <= found.region.last_line()
        })
    }
}

impl Report {
    /// The violations that count.
    pub fn open(&self) -> impl Iterator<Item = &Violation> {
        self.violations.iter().filter(|violation| violation.is_open())
    }

    /// The violations that do not count.
    pub fn suppressed(&self) -> impl Iterator<Item = &Violation> {
        self.violations.iter().filter(|violation| !violation.is_open())
    }

    /// Existing and baselined violations.
    pub fn old(&self) -> impl Iterator<Item = &Violation> {
        let is_old = |violation: &&Violation| matches!(violation.state, State::Existing | State::Baselined);
        self.violations.iter().filter(is_old)
    }

    /// Existing and baselined violations on changed lines.
    pub fn touched(&self) -> impl Iterator<Item = &Violation> {
        self.old().filter(|violation| {
            self.before.iter().any(|file| file.path == violation.path && file.touches(violation))
        })
    }

    /// The violations, grouped by file.
    pub fn by_file(&self) -> impl Iterator<Item = &[Violation]> {
        self.violations.chunk_by(|one, next| one.path == next.path)
    }

    /// The violations, grouped by file, mutable.
    pub fn by_file_mut(&mut self) -> impl Iterator<Item = &mut [Violation]> {
        self.violations.chunk_by_mut(|one, next| one.path == next.path)
    }

    /// The skips that leave a contract unchecked.
    pub fn gaps(&self) -> impl Iterator<Item = &Skipped> {
        self.skipped.iter().filter(|skipped| skipped.why.gap() > Gap::None)
    }

    /// Whether a contract was checked on a path, with no gap there or in a directory above.
    pub fn has_judged(&self, contract: &str, path: &str) -> bool {
        let is_gap = |skipped: &Skipped| {
            let inside = path.as_bytes().strip_prefix(skipped.path.as_bytes());
            inside.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
        };
        self.contracts.iter().any(|checked| checked.id == contract)
            && !self.outside_checkout.contains(path)
            && !self.gaps().any(is_gap)
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

/// Numbers of violations by state and severity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// Open errors.
    pub errors: usize,
    /// Open warnings.
    pub warnings: usize,
    /// Suppressed by a directive.
    pub ignored: usize,
    /// Present before the change.
    pub existing: usize,
    /// In the baseline.
    pub baselined: usize,
}

impl Summary {
    /// Number of open violations.
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

/// Cost of a scan, summed over all threads.
#[derive(Debug, Clone, Default)]
pub struct Spent {
    /// Number of threads.
    pub threads: usize,
    /// Time spent selecting contracts for paths and preparing their search.
    pub selecting: Duration,
    /// Time spent reading files.
    pub reading: Duration,
    /// Cost per contract.
    pub costs: Costs,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_omits_zero_counts() {
        assert_eq!(Summary::default().to_string(), "0 errors, 0 warnings");
        let summary = Summary { errors: 1, warnings: 2, ignored: 1, existing: 14, baselined: 310 };
        assert_eq!(summary.to_string(), "1 error, 2 warnings, 1 ignored, 14 existing, 310 in the baseline");
        let summary = Summary { existing: 3, ..Summary::default() };
        assert_eq!(summary.to_string(), "0 errors, 0 warnings, 3 existing");
    }
}
