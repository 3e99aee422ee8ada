//! A contract tried on the past: which commits bring new violations of it in.
//!
//! What is new is decided as for any other change: by comparing the violations of both texts.

use crate::path::Root;
use crate::report::Report;
use crate::scan::{Options, Watch, scan};
use crate::source::git::history::{Changed, Commit, Note, each_change};
use crate::source::git::{Error, Location};
use crate::states::settle;
use phaser_core::matcher::Matcher;
use phaser_core::skipped::Gap;

/// How many targets one thread takes without help: starting others takes time, too.
const FEW: usize = 32;

/// What a contract would have done.
#[derive(Debug)]
pub struct Backtest {
    /// The commits of which there is something to say, the newest first.
    pub tried: Vec<Tried>,
    /// How many commits were looked at.
    pub commits: usize,
    /// The days of the oldest and of the newest of them.
    pub days: Option<[String; 2]>,
    /// What there is to say about the past as a whole.
    pub notes: Vec<Note>,
}

/// A commit that brings new violations in, or could not be checked to the end.
#[derive(Debug)]
pub struct Tried {
    /// The commit.
    pub commit: Commit,
    /// What its files violate; open violations are new.
    pub report: Report,
}

impl Backtest {
    /// Was something not read that should have been?
    pub fn has_failed(&self) -> bool {
        let mut gaps = self.tried.iter().flat_map(|tried| tried.report.gaps());
        self.notes.iter().any(Note::is_failure) || gaps.any(|skipped| skipped.why.gap() == Gap::Failure)
    }

    /// The commits that bring new violations in, the newest first.
    pub fn caught(&self) -> impl Iterator<Item = &Tried> {
        self.tried.iter().filter(|tried| tried.report.open().next().is_some())
    }
}

/// Where to look, and how far back.
#[derive(Debug, Clone, Copy)]
pub struct Past<'a> {
    /// The project.
    pub root: &'a Root,
    /// Where git is to look.
    pub location: &'a Location,
    /// How many commits.
    pub commits: usize,
}

/// Tries the contracts of a matcher on the commits of a past.
///
/// # Errors
///
/// When the repository cannot be read. Where the past ends before it should is in the notes.
pub fn backtest(
    matcher: &Matcher,
    past: Past<'_>,
    options: Options,
    watch: &dyn Watch,
) -> Result<Backtest, Error> {
    let mut backtest = Backtest { tried: Vec::new(), commits: 0, days: None, notes: Vec::new() };
    let look = |Changed { commit, targets }, all| {
        if backtest.commits == 0 {
            watch.start(all);
        }
        backtest.commits += 1;
        let newest = backtest.days.take().map_or_else(|| commit.date.clone(), |[_, newest]| newest);
        backtest.days = Some([commit.date.clone(), newest]);
        let threads = if targets.targets.len() > FEW { options.threads } else { 1 };
        let mut report = scan(matcher, &targets, Options { threads, ..options }, &());
        settle(&mut report, None);
        if report.open().next().is_some() || report.gaps().next().is_some() {
            backtest.tried.push(Tried { commit, report });
        }
        watch.advance();
    };
    let notes = each_change(past.root, past.location, past.commits, look)?;
    watch.finish();
    backtest.notes = notes;
    Ok(backtest)
}
