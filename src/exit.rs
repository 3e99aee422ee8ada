//! How a run ends. There is no way to exit code 2: Claude Code takes that for "block the tool".

use std::process::ExitCode;

use phaser_core::contract::Severity;
use phaser_core::skipped::Gap;
use phaser_project::report::Report;

/// The end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// It ran, and nothing failed it.
    Clean,
    /// It ran, and there are violations.
    Violations,
    /// It could not run, or not to the end.
    Trouble,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Clean => Self::SUCCESS,
            Exit::Violations => Self::from(1),
            Exit::Trouble => Self::from(3),
        }
    }
}

/// Which gaps make a run fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// Only what should have been checked and could not be.
    Normal,
    /// Everything that was not checked, every contract file with something wrong, and entries of the baseline that are stale.
    Strict,
}

/// How a run with this report ends, when violations from `fail_on` up fail it.
pub fn judge(report: &Report, fail_on: Option<Severity>, strictness: Strictness) -> Exit {
    let gap = report.skipped.iter().map(|skipped| skipped.why.gap()).max().unwrap_or(Gap::None);
    let tolerated = match strictness {
        Strictness::Normal => Gap::Known,
        Strictness::Strict => Gap::None,
    };
    let is_stale = report.stale.is_some_and(|stale| stale > 0);
    let unsure = report.no_contracts || !report.warnings.is_empty() || is_stale;
    if gap > tolerated || (strictness == Strictness::Strict && unsure) {
        return Exit::Trouble;
    }
    let fails = |severity: Severity| fail_on.is_some_and(|least| severity >= least);
    if report.open().any(|violation| fails(violation.contract.severity)) {
        return Exit::Violations;
    }
    Exit::Clean
}
