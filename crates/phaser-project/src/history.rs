//! Violations over time: what each commit of a project's past violates, counted with the contracts of today.
//!
//! Each version of a file is searched once for each group of contracts that applies to its path; the rest is adding and
//! taking away what differs from one commit to the next. Only open violations count, and no baseline does.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::path::RelPath;
use crate::scan::tally::{Counted, StandsFor, Tally, tally};
use crate::scan::{Options, Watch};
use crate::source::Target;
use crate::source::git::history::{Commit, Difference, Extent, File, Note, Past, Stored};
use phaser_core::contract::Severity;
use phaser_core::matcher::{Matcher, Selection};
use phaser_core::skipped::{Gap, Why};

pub mod backtest;

/// How many open violations the commits of a past have.
#[derive(Debug)]
pub struct History {
    /// The commits that were looked at, the oldest first.
    pub samples: Vec<Sample>,
    /// For each contract that was violated in any of them, how bad that is.
    pub severities: BTreeMap<String, Severity>,
    /// What was not checked, by path.
    pub gaps: BTreeMap<RelPath, Unchecked>,
    /// Files that stand for large ones which are kept elsewhere.
    pub pointers: Vec<RelPath>,
    /// What there is to say about the past as a whole.
    pub notes: Vec<Note>,
}

/// The open violations of one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// The commit.
    pub commit: Commit,
    /// Those of severity `error`.
    pub errors: usize,
    /// Those of severity `warning`.
    pub warnings: usize,
    /// By contract, as far as there are any.
    pub contracts: BTreeMap<String, usize>,
}

impl Sample {
    /// All of them.
    pub fn total(&self) -> usize {
        self.errors + self.warnings
    }
}

/// Versions of a file that were not checked, or not to the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unchecked {
    /// Why, for the newest of them.
    pub why: Why,
    /// How many.
    pub versions: usize,
}

impl History {
    /// Was something not read that should have been?
    pub fn has_failed(&self) -> bool {
        self.notes.iter().any(Note::is_failure)
            || self.gaps.values().any(|unchecked| unchecked.why.gap() == Gap::Failure)
    }
}

/// Counts what each commit of the past violates.
pub fn count(matcher: &Matcher, past: Past, options: Options, watch: &dyn Watch) -> History {
    let Past { commits, files, steps, extent, notes } = past;
    let mut versions = Versions::new(matcher);
    let first: Vec<usize> =
        files.iter().filter_map(|File { path, stored }| versions.number(path, stored)).collect();
    let steps: Vec<Step> = steps.iter().map(|step| Step::of(step, &mut versions)).collect();
    drop(files);
    let tallies = versions.tally(options, watch);
    let mut now = Counts::new(matcher);
    first.iter().for_each(|&at| now.add(&tallies[at]));
    let mut samples = Vec::new();
    let mut steps = steps.into_iter();
    for commit in commits {
        samples.push(now.sample(commit, extent));
        if let Some(Step { taken, added }) = steps.next() {
            taken.iter().for_each(|&at| now.take(&tallies[at]));
            added.iter().for_each(|&at| now.add(&tallies[at]));
        }
    }
    samples.reverse();
    let mut history =
        History { samples, severities: BTreeMap::new(), gaps: BTreeMap::new(), pointers: Vec::new(), notes };
    history.note(matcher, &versions.found, tallies);
    history
}

impl History {
    /// Notes what was not checked, and how bad violations are.
    fn note(&mut self, matcher: &Matcher, found: &[Found], tallies: Vec<Tally>) {
        for (found, tally) in found.iter().zip(tallies) {
            if tally.stands_for == StandsFor::Another {
                self.pointers.push(found.path.clone());
            }
            for skipped in tally.skipped.into_iter().filter(|skipped| skipped.why.gap() > Gap::None) {
                let first = Unchecked { why: skipped.why, versions: 0 };
                self.gaps.entry(skipped.path).or_insert(first).versions += 1;
            }
        }
        self.pointers.sort_unstable();
        self.pointers.dedup();
        for contract in matcher.contracts() {
            if self.samples.iter().any(|sample| sample.contracts.contains_key(&contract.id)) {
                let severity = self.severities.entry(contract.id.clone()).or_insert(contract.severity);
                *severity = contract.severity.max(*severity);
            }
        }
    }
}

/// What is different in an older commit from the one after it: versions of files, by their number.
struct Step {
    taken: Vec<usize>,
    added: Vec<usize>,
}

impl Step {
    fn of(differences: &[Difference], versions: &mut Versions<'_>) -> Self {
        let mut step = Self { taken: Vec::new(), added: Vec::new() };
        for Difference { path, newer, older } in differences {
            let [newer, older] = [newer, older].map(|stored| versions.number(path, stored.as_ref()?));
            if newer != older {
                step.taken.extend(newer);
                step.added.extend(older);
            }
        }
        step
    }
}

/// The versions of files that differ to the matcher.
struct Versions<'m> {
    matcher: &'m Matcher,
    /// The contracts of paths: most of them are asked for more than once.
    paths: HashMap<RelPath, Arc<Selection>>,
    known: HashMap<Version, usize>,
    found: Vec<Found>,
}

/// All that the matcher's answer depends on.
#[derive(PartialEq, Eq, Hash)]
struct Version {
    /// The bytes, unless no contract that applies is about them.
    stored: Option<Stored>,
    /// The contracts that apply, by where they are in memory.
    group: usize,
    /// The name of the file, which says in what language it is written.
    name: Box<[u8]>,
}

/// A version, where it was first seen.
struct Found {
    path: RelPath,
    /// What to read, if any contract is about that.
    stored: Option<Stored>,
    group: Arc<Selection>,
}

impl<'m> Versions<'m> {
    fn new(matcher: &'m Matcher) -> Self {
        Self { matcher, paths: HashMap::new(), known: HashMap::new(), found: Vec::new() }
    }

    /// The number of a version; none if no contract is about it.
    fn number(&mut self, path: &RelPath, stored: &Stored) -> Option<usize> {
        let group = match self.paths.get(path) {
            Some(group) => Arc::clone(group),
            None => {
                let group = self.matcher.select(path, None);
                self.paths.insert(path.clone(), Arc::clone(&group));
                group
            }
        };
        let is_read = !group.is_empty();
        if !is_read && group.satisfied_by_existence().is_empty() {
            return None;
        }
        let stored = is_read.then(|| stored.clone());
        let name = if is_read { path.file_name().to_ascii_lowercase().into() } else { Box::default() };
        let version = Version { stored: stored.clone(), group: Arc::as_ptr(&group).addr(), name };
        let next = self.found.len();
        let number = *self.known.entry(version).or_insert(next);
        if number == next {
            self.found.push(Found { path: path.clone(), stored, group });
        }
        Some(number)
    }

    /// Counts them all. The versions of one file are read one after another, the newest first: that is how they are stored.
    fn tally(&self, options: Options, watch: &dyn Watch) -> Vec<Tally> {
        let numbers = 0..self.found.len();
        let mut order: Vec<usize> = numbers.filter(|&at| self.found[at].stored.is_some()).collect();
        order.sort_by(|&one, &other| self.found[one].path.cmp(&self.found[other].path));
        let target =
            |Found { path, stored, .. }: &Found| Some(Target::new(path.clone(), stored.as_ref()?.content()));
        let targets: Vec<Target> = order.iter().filter_map(|&at| target(&self.found[at])).collect();
        let mut tallies = vec![Tally::default(); self.found.len()];
        let counted = Counted { targets: &targets, groups: &self.paths };
        for (at, counted) in order.into_iter().zip(tally(self.matcher, counted, options, watch)) {
            tallies[at] = counted;
        }
        for (tally, Found { group, .. }) in tallies.iter_mut().zip(&self.found) {
            tally.satisfied.extend(group.satisfied_by_existence());
        }
        tallies
    }
}

/// What is in one commit.
struct Counts<'m> {
    matcher: &'m Matcher,
    /// For each contract, how many open violations.
    open: Vec<usize>,
    /// For each contract, how many files satisfy it, if it is about the project as a whole.
    satisfied: Vec<usize>,
}

impl<'m> Counts<'m> {
    fn new(matcher: &'m Matcher) -> Self {
        let nothing = vec![0; matcher.contracts().len()];
        Self { matcher, open: nothing.clone(), satisfied: nothing }
    }

    fn add(&mut self, tally: &Tally) {
        tally.open.iter().for_each(|&(contract, count)| self.open[contract] += count);
        tally.satisfied.iter().for_each(|&contract| self.satisfied[contract] += 1);
    }

    fn take(&mut self, tally: &Tally) {
        tally.open.iter().for_each(|&(contract, count)| self.open[contract] -= count);
        tally.satisfied.iter().for_each(|&contract| self.satisfied[contract] -= 1);
    }

    /// What is said of a commit.
    fn sample(&self, commit: Commit, extent: Extent) -> Sample {
        let mut sample = Sample { commit, errors: 0, warnings: 0, contracts: BTreeMap::new() };
        for (at, contract) in self.matcher.contracts().iter().enumerate() {
            let is_missing =
                contract.check.is_about_project() && extent == Extent::Whole && self.satisfied[at] == 0;
            let count = self.open[at] + usize::from(is_missing);
            if count == 0 {
                continue;
            }
            match contract.severity {
                Severity::Error => sample.errors += count,
                Severity::Warning => sample.warnings += count,
            }
            *sample.contracts.entry(contract.id.clone()).or_default() += count;
        }
        sample
    }
}
