//! Targets counted one by one: for whoever looks at many versions of the same files.
//!
//! What a target has is found as in every scan; only how often each contract is violated is kept.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Back, Options, Watch, Worker, check_target, each, note_unread};
use crate::contract::Contract;
use crate::matcher::Matcher;
use crate::skipped::Skipped;
use crate::source::{Content, Target};

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

/// Counts each target by itself, in the order of the targets.
pub fn tally(matcher: &Matcher, targets: &[Target], options: Options, watch: &dyn Watch) -> Vec<Tally> {
    let numbers: Numbers = matcher.contracts().iter().map(place).zip(0..).collect();
    watch.start(targets.len());
    let worker = || Worker::new(matcher, options);
    let (tallies, _) = each(targets, options.threads, worker, |worker, target| {
        let tally = count(matcher, worker, target, &numbers);
        watch.advance();
        tally
    });
    watch.finish();
    tallies
}

/// Contracts by where they are in memory: several may have one id.
type Numbers = HashMap<usize, usize>;

fn place(contract: &Arc<Contract>) -> usize {
    Arc::as_ptr(contract).addr()
}

fn count(matcher: &Matcher, worker: &mut Worker<'_>, target: &Target, numbers: &Numbers) -> Tally {
    let mut tally = Tally::default();
    let content = match worker.now.read(&target.content) {
        Ok(bytes) => Content::Bytes(bytes.into_owned()),
        Err(why) => Content::Opaque(why),
    };
    if matches!(&content, Content::Bytes(bytes) if bytes.starts_with(POINTER)) {
        tally.stands_for = StandsFor::Another;
    }
    let target = Target { alias: target.alias.clone(), ..Target::new(target.path.clone(), content) };
    let checked = check_target(matcher, worker, &target, Back::NOT_AT_ALL).checked;
    for violation in checked.violations.iter().filter(|violation| violation.is_open()) {
        let Some(&contract) = numbers.get(&place(&violation.contract)) else { continue };
        match tally.open.iter_mut().find(|(known, _)| *known == contract) {
            Some((_, count)) => *count += 1,
            None => tally.open.push((contract, 1)),
        }
    }
    tally.satisfied = checked.satisfied;
    if !checked.skipped.is_empty() {
        let mut unread = vec![false; matcher.contracts().len()];
        note_unread(matcher, &target, &checked.skipped, &mut unread);
        tally
            .satisfied
            .extend(unread.iter().zip(0..).filter_map(|(&unread, contract)| unread.then_some(contract)));
    }
    tally.satisfied.sort_unstable();
    tally.satisfied.dedup();
    tally.skipped = checked.skipped;
    if let Content::Bytes(bytes) = target.content {
        worker.now.take_back(bytes);
    }
    tally
}
