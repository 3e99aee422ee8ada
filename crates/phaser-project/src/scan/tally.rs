//! Counts violations per target and contract, for `phaser history`.
//!
//! Each target is checked as in a scan, but only counts are kept: a history has many versions of every file.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::{ProgressSink, ScanOptions, Worker, each, names, note_unread, size};
use crate::path::RelPath;
use crate::source::Target;
use phaser_core::contract::Contract;
use phaser_core::matcher::{Checked, Matcher, Selection};
use phaser_core::skipped::{SkipReason, Skipped};
use phaser_core::text::{self, Text};

/// The first bytes of a Git LFS pointer file.
const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// The counts of one target. Contracts are indices into [`Matcher::contracts`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Pairs of a contract and its number of open violations, if there are any.
    pub open: Vec<(usize, usize)>,
    /// Contracts about the project as a whole that the text satisfies, or might if it was not fully checked.
    pub satisfied: Vec<usize>,
    /// What was not checked, and why.
    pub skipped: Vec<Skipped>,
    /// Whether the file is a Git LFS pointer; the large file is stored elsewhere.
    pub is_pointer: bool,
}

/// Counts each target separately, in the order of the targets. `groups` has the contracts that apply to a path.
pub fn tally(
    matcher: &Matcher,
    targets: &[Target],
    groups: &HashMap<RelPath, Arc<Selection>>,
    options: ScanOptions,
    progress: &dyn ProgressSink,
) -> Vec<Tally> {
    let numbers: Numbers = matcher.contracts().iter().map(place).zip(0..).collect();
    progress.start(targets.len());
    let worker = || Worker::new(matcher, options);
    let (tallies, _) = each(targets, options.threads, worker, |worker, target| {
        let group = groups.get(&target.path).map(Arc::clone);
        let group = group.unwrap_or_else(|| matcher.select(&target.path, None));
        let checked = check(matcher, worker, target, &group);
        progress.advance();
        tally_of(checked, matcher, target, &numbers)
    });
    progress.finish();
    tallies
}

/// Contract indices by address, because several contracts may share an id.
type Numbers = HashMap<usize, usize>;

fn place(contract: &Arc<Contract>) -> usize {
    Arc::as_ptr(contract).addr()
}

fn check(matcher: &Matcher, worker: &mut Worker<'_>, target: &Target, group: &Selection) -> (Checked, bool) {
    let read = worker.now.read(&target.content).map(|bytes| Cow::Owned(bytes.into_owned()));
    let bytes = read.as_deref().unwrap_or_default();
    let text = read.is_ok().then(|| Text::new(bytes)).flatten();
    let mut checked = matcher.check_with(&mut worker.scratch, group, names(target), text.as_ref());
    if let Some(size) = group.needs_size().then(|| size::of(target, &read, text.as_ref())).flatten() {
        checked.violations.extend(matcher.check_size(group, &target.path, size, text.as_ref()));
    }
    let why = match &read {
        Ok(_) if text.is_some() => None,
        Ok(bytes) if group.reads_text() && text::is_expected(&target.path, bytes) => {
            Some(SkipReason::not_text(bytes).unexpected())
        }
        Ok(bytes) => Some(SkipReason::not_text(bytes)),
        Err(why) => Some(why.clone()),
    };
    checked.skipped.extend(why.map(|why| Skipped { path: target.path.clone(), why }));
    let is_pointer = bytes.starts_with(POINTER);
    drop(text);
    if let Ok(Cow::Owned(bytes)) = read {
        worker.now.take_back(bytes);
    }
    (checked, is_pointer)
}

fn tally_of(
    (checked, is_pointer): (Checked, bool),
    matcher: &Matcher,
    target: &Target,
    numbers: &Numbers,
) -> Tally {
    let Checked { violations, skipped, satisfied, .. } = checked;
    let mut tally = Tally { open: Vec::new(), satisfied, skipped, is_pointer };
    for violation in violations.iter().filter(|violation| violation.is_open()) {
        let Some(&contract) = numbers.get(&place(&violation.contract)) else { continue };
        match tally.open.iter_mut().find(|(known, _)| *known == contract) {
            Some((_, count)) => *count += 1,
            None => tally.open.push((contract, 1)),
        }
    }
    if !tally.skipped.is_empty() {
        let mut unread = vec![false; matcher.contracts().len()];
        note_unread(matcher, target, &tally.skipped, &mut unread);
        let unread = unread.iter().zip(0..).filter_map(|(&unread, contract)| unread.then_some(contract));
        tally.satisfied.extend(unread);
    }
    tally.satisfied.sort_unstable();
    tally.satisfied.dedup();
    tally
}
