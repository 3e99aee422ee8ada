//! Exit codes: 0, 1 and 3. Never 2, which makes Claude Code block the tool call.

use std::process::ExitCode;

use phaser_core::contract::Severity;
use phaser_core::skipped::Gap;
use phaser_project::report::Report;

/// The result of a run, as an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// 0: nothing at or above `--fail-on`.
    Clean,
    /// 1: violations at or above `--fail-on`.
    Violations,
    /// 3: the run failed, or left something unchecked.
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

/// The result of a run with this report. `fail_on` is the lowest severity that fails it; `None` if none does. Files that should
/// have been checked and could not be end it with 3; if `strict`, or with `strict: true` in the configuration, every gap, broken
/// contract file and stale baseline entry does.
pub fn judge(report: &Report, fail_on: Option<Severity>, strict: bool) -> Exit {
    let strict = strict || report.strict;
    let gap = report.skipped.iter().map(|skipped| skipped.why.gap()).max().unwrap_or(Gap::None);
    let tolerated = if strict { Gap::None } else { Gap::Known };
    let is_stale = report.stale.is_some_and(|stale| stale > 0);
    let unsure =
        report.no_contracts || !report.warnings.is_empty() || is_stale || !report.ignored_by_git.is_empty();
    if gap > tolerated || report.only_broken || (strict && unsure) {
        return Exit::Trouble;
    }
    let fails = |severity: Severity| fail_on.is_some_and(|least| severity >= least);
    if report.open().any(|violation| fails(violation.contract.severity)) {
        return Exit::Violations;
    }
    Exit::Clean
}
