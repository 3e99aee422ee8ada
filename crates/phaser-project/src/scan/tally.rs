//! Targets counted one by one: for whoever looks at many versions of the same files.
//!
//! What a target has is found as in every scan; only how often each contract is violated is kept.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::{Options, Watch, Worker, each, note_unread};
use crate::path::RelPath;
use crate::source::Target;
use phaser_core::contract::Contract;
use phaser_core::matcher::{Checked, Matcher, Selection};
use phaser_core::skipped::{Skipped, Why};
use phaser_core::text::Text;

/// What a file starts with that stands for a large one kept elsewhere (Git LFS).
const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// What one target has. Contracts are named by their place in the matcher.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many open violations, by contract, as far as there are any.
    pub open: Vec<(usize, usize)>,
    /// Contracts about the project as a whole that its text satisfies, or might: it was not read to its end.
    pub satisfied: Vec<usize>,
    /// What was not checked, and why.
    pub skipped: Vec<Skipped>,
    /// What is meant by it.
    pub stands_for: StandsFor,
}

/// What is meant by a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StandsFor {
    /// Its own bytes.
    #[default]
    Itself,
    /// A large file that is kept elsewhere.
    Another,
}

/// What is counted.
#[derive(Debug, Clone, Copy)]
pub struct Counted<'a> {
    /// The targets.
    pub targets: &'a [Target],
    /// The contracts of their paths.
    pub groups: &'a HashMap<RelPath, Arc<Selection>>,
}

/// Counts each target by itself, in the order of the targets.
pub fn tally(matcher: &Matcher, counted: Counted<'_>, options: Options, watch: &dyn Watch) -> Vec<Tally> {
    let Counted { targets, groups } = counted;
    let numbers: Numbers = matcher.contracts().iter().map(place).zip(0..).collect();
    watch.start(targets.len());
    let worker = || Worker::new(matcher, options);
    let (tallies, _) = each(targets, options.threads, worker, |worker, target| {
        let group = groups.get(&target.path).map(Arc::clone);
        let group = group.unwrap_or_else(|| matcher.select(&target.path, None));
        let checked = check(matcher, worker, target, &group);
        watch.advance();
        checked.into_tally(matcher, target, &numbers)
    });
    watch.finish();
    tallies
}

/// Contracts by where they are in memory: several may have one id.
type Numbers = HashMap<usize, usize>;

fn place(contract: &Arc<Contract>) -> usize {
    Arc::as_ptr(contract).addr()
}

/// What was found in a target.
struct Found {
    checked: Checked,
    stands_for: StandsFor,
}

fn check(matcher: &Matcher, worker: &mut Worker<'_>, target: &Target, group: &Selection) -> Found {
    let read = worker.now.read(&target.content).map(Cow::into_owned);
    let bytes = read.as_deref().unwrap_or_default();
    let text = read.is_ok().then(|| Text::new(bytes)).flatten();
    let mut checked = matcher.check_with(&mut worker.scratch, group, &target.path, text.as_ref());
    let why = match &read {
        Ok(_) if text.is_some() => None,
        Ok(bytes) => Some(Why::not_text(bytes)),
        Err(why) => Some(why.clone()),
    };
    checked.skipped.extend(why.map(|why| Skipped { path: target.path.clone(), why }));
    let is_pointer = bytes.starts_with(POINTER);
    drop(text);
    if let Ok(bytes) = read {
        worker.now.take_back(bytes);
    }
    Found { checked, stands_for: if is_pointer { StandsFor::Another } else { StandsFor::Itself } }
}

impl Found {
    fn into_tally(self, matcher: &Matcher, target: &Target, numbers: &Numbers) -> Tally {
        let Self { checked: Checked { violations, skipped, satisfied, .. }, stands_for } = self;
        let mut tally = Tally { open: Vec::new(), satisfied, skipped, stands_for };
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
}
