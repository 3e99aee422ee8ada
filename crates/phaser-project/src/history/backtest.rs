//! Checks a contract against past commits: which of them would it have rejected?
//!
//! A commit is compared with its first parent like any other change, so only new violations are open.

use std::sync::Arc;

use crate::path::Root;
use crate::report::Report;
use crate::scan::change::{ChangeOptions, judge_change};
use crate::scan::{ProgressSink, ScanOptions, scan};
use crate::source::git::history::{Commit, CommitChanges, HistoryNote, WithChange, each_change};
use crate::source::git::{GitError, GitLocation};
use crate::source::view::ListedView;
use crate::states::decide_states;
use phaser_core::matcher::Matcher;
use phaser_core::skipped::Gap;

/// The number of targets below which one thread is faster than several.
const FEW: usize = 32;

/// The result of a backtest.
#[derive(Debug)]
pub struct BacktestResult {
    /// The commits with new violations or gaps, newest first.
    pub tried: Vec<CheckedCommit>,
    /// The number of commits checked.
    pub commits: usize,
    /// The dates of the oldest and the newest of them.
    pub days: Option<[String; 2]>,
    /// Where the history is incomplete.
    pub notes: Vec<HistoryNote>,
}

/// A commit with new violations or gaps.
#[derive(Debug)]
pub struct CheckedCommit {
    /// The commit.
    pub commit: Commit,
    /// The violations of the changed files; open ones are new.
    pub report: Report,
}

impl BacktestResult {
    /// Whether something could not be read.
    pub fn has_failed(&self) -> bool {
        let mut gaps = self.tried.iter().flat_map(|tried| tried.report.gaps());
        self.notes.iter().any(HistoryNote::is_failure)
            || gaps.any(|skipped| skipped.why.gap() == Gap::Failure)
    }

    /// The commits with new violations, newest first.
    pub fn caught(&self) -> impl Iterator<Item = &CheckedCommit> {
        self.tried.iter().filter(|tried| tried.report.open().next().is_some())
    }
}

/// Which commits to check.
#[derive(Debug, Clone, Copy)]
pub struct BacktestRange<'a> {
    /// The project.
    pub root: &'a Root,
    /// Where git looks for the repository.
    pub location: &'a GitLocation,
    /// The number of commits.
    pub commits: usize,
}

/// Checks each commit of `range` against the contracts of a matcher.
///
/// # Errors
///
/// If the repository cannot be read. Where the history ends early is in the notes.
pub fn backtest(
    matcher: &Matcher,
    past: BacktestRange<'_>,
    options: ScanOptions,
    progress: &dyn ProgressSink,
) -> Result<BacktestResult, GitError> {
    let mut backtest = BacktestResult { tried: Vec::new(), commits: 0, days: None, notes: Vec::new() };
    let about_changes = matcher.contracts().iter().any(|contract| contract.check.compares_change());
    let with_change = if about_changes { WithChange::Yes } else { WithChange::No };
    let mut unlisted = None;
    let look = |CommitChanges { commit, targets, change }: CommitChanges, all, files: &dyn Fn() -> _| {
        if backtest.commits == 0 {
            progress.start(all);
        }
        backtest.commits += 1;
        let newest = backtest.days.take().map_or_else(|| commit.date.clone(), |[_, newest]| newest);
        backtest.days = Some([commit.date.clone(), newest]);
        let threads = if targets.targets.len() > FEW { options.threads } else { 1 };
        if targets.targets.iter().any(|target| matcher.reads_project(&target.path, None)) {
            match files() {
                Ok(files) => matcher.resolve_in(Arc::new(ListedView::of(files))),
                Err(error) => {
                    unlisted.get_or_insert(error);
                }
            }
        }
        let mut report = scan(matcher, &targets, ScanOptions { threads, ..options }, &());
        if let Some(change) = change {
            let ScanOptions { max_file_size, existing, .. } = options;
            let judging = ChangeOptions { max_file_size, existing, others: &|_| Ok(Vec::new()) };
            judge_change(matcher, &change, &judging, &mut report);
        }
        decide_states(&mut report, None);
        if report.open().next().is_some() || report.gaps().next().is_some() {
            backtest.tried.push(CheckedCommit { commit, report });
        }
        progress.advance();
    };
    let notes = each_change(past.root, past.location, (past.commits, with_change), look)?;
    progress.finish();
    if let Some(error) = unlisted {
        return Err(error);
    }
    backtest.notes = notes;
    Ok(backtest)
}
