//! Counts the violations of past commits, with the current contracts, for `phaser history`.
//!
//! # Each blob once
//!
//! A history of 500 commits with 2,000 files has a million files but only a few thousand distinct blobs. The result
//! of a file depends on its content, on the contracts that apply to its path, and on its name (which decides the
//! language). Each distinct combination, a `Version`, gets a number and is searched once, whatever the number of
//! commits it is in.
//!
//! The newest commit is the sum of the tallies of its versions. For each older commit, the tallies of the versions
//! that differ are subtracted or added. Example, newest first:
//!
//! | commit | difference from the newer one          | open violations |
//! |--------|----------------------------------------|-----------------|
//! | C      | all files: versions 0 (2), 1 (0), 2 (1) | 2 + 0 + 1 = 3   |
//! | B      | version 2 → version 3 (4)              | 3 − 1 + 4 = 6   |
//! | A      | version 0 removed                      | 6 − 2 = 4       |
//!
//! Four versions are searched, not eight files. Only open violations count; the baseline does not apply.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::path::RelPath;
use crate::scan::tally::{Tally, tally};
use crate::scan::{ProgressSink, ScanOptions};
use crate::source::Target;
use crate::source::git::history::{Commit, CommitHistory, CommittedFile, Difference, HistoryNote, Stored};
use phaser_core::contract::Severity;
use phaser_core::matcher::{Matcher, Selection};
use phaser_core::skipped::{Gap, SkipReason};

pub mod backtest;
mod imports;

use imports::ImportCounts;

/// The open violations of the sampled commits.
#[derive(Debug)]
pub struct ViolationHistory {
    /// The samples, oldest first.
    pub samples: Vec<CommitSample>,
    /// The highest severity of each violated contract.
    pub severities: BTreeMap<String, Severity>,
    /// What was not checked, by path.
    pub gaps: BTreeMap<RelPath, Unchecked>,
    /// Git LFS pointer files.
    pub pointers: Vec<RelPath>,
    /// Where the history is incomplete.
    pub notes: Vec<HistoryNote>,
}

/// The open violations of one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitSample {
    /// The commit.
    pub commit: Commit,
    /// Those of severity `error`.
    pub errors: usize,
    /// Those of severity `warning`.
    pub warnings: usize,
    /// The number per violated contract.
    pub contracts: BTreeMap<String, usize>,
}

impl CommitSample {
    /// Errors and warnings.
    pub fn total(&self) -> usize {
        self.errors + self.warnings
    }
}

/// Versions of a file that were not fully checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unchecked {
    /// The reason for the newest of them.
    pub why: SkipReason,
    /// Their number.
    pub versions: usize,
}

impl ViolationHistory {
    /// Whether something could not be read.
    pub fn has_failed(&self) -> bool {
        self.notes.iter().any(HistoryNote::is_failure)
            || self.gaps.values().any(|unchecked| unchecked.why.gap() == Gap::Failure)
    }
}

/// Counts the violations of each sampled commit.
pub fn count(
    matcher: &Matcher,
    past: CommitHistory,
    options: ScanOptions,
    progress: &dyn ProgressSink,
) -> ViolationHistory {
    let CommitHistory { commits, files, steps, has_all, notes } = past;
    let mut versions = VersionTable::new(matcher);
    let first: Vec<usize> =
        files.iter().filter_map(|CommittedFile { path, stored }| versions.number(path, stored)).collect();
    let differences = steps;
    let steps: Vec<VersionChanges> =
        differences.iter().map(|step| VersionChanges::of(step, &mut versions)).collect();
    let mut tallies = versions.tally(options, progress);
    let mut imports = ImportCounts::new(matcher, &files, options);
    drop(files);
    if let Some(imports) = &imports {
        tallies.iter_mut().for_each(|tally| tally.open.retain(|(contract, _)| !imports.has(*contract)));
    }
    let mut now = OpenCounts::new(matcher);
    first.iter().for_each(|&at| now.add(&tallies[at]));
    let mut samples = Vec::new();
    let mut steps = steps.into_iter().zip(differences);
    for commit in commits {
        let of_imports = imports.iter().flat_map(ImportCounts::open);
        samples.push(now.sample(commit, has_all, of_imports));
        if let Some((VersionChanges { taken, added }, differences)) = steps.next() {
            imports.iter_mut().for_each(|imports| imports.step(&differences));
            taken.iter().for_each(|&at| now.take(&tallies[at]));
            added.iter().for_each(|&at| now.add(&tallies[at]));
        }
    }
    samples.reverse();
    let mut history = ViolationHistory {
        samples,
        severities: BTreeMap::new(),
        gaps: BTreeMap::new(),
        pointers: Vec::new(),
        notes,
    };
    history.note(matcher, &versions.found, tallies);
    history
}

impl ViolationHistory {
    /// Collects gaps, pointers and severities.
    fn note(&mut self, matcher: &Matcher, found: &[SearchedVersion], tallies: Vec<Tally>) {
        for (found, tally) in found.iter().zip(tallies) {
            if tally.is_pointer {
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

/// The versions by which an older commit differs from the next newer one.
struct VersionChanges {
    taken: Vec<usize>,
    added: Vec<usize>,
}

impl VersionChanges {
    fn of(differences: &[Difference], versions: &mut VersionTable<'_>) -> Self {
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

/// The distinct versions of files.
struct VersionTable<'m> {
    matcher: &'m Matcher,
    /// The contracts of each path, memoized.
    paths: HashMap<RelPath, Arc<Selection>>,
    known: HashMap<Version, usize>,
    found: Vec<SearchedVersion>,
}

/// Everything that the result of a file depends on.
#[derive(PartialEq, Eq, Hash)]
struct Version {
    /// The content; `None` if no contract reads it.
    stored: Option<Stored>,
    /// The address of the selection of contracts.
    group: usize,
    /// The lower-case file name, which decides the language.
    name: Box<[u8]>,
}

/// A version, under the first path that has it.
struct SearchedVersion {
    path: RelPath,
    /// The content; `None` if no contract reads it.
    stored: Option<Stored>,
    group: Arc<Selection>,
}

impl<'m> VersionTable<'m> {
    fn new(matcher: &'m Matcher) -> Self {
        Self { matcher, paths: HashMap::new(), known: HashMap::new(), found: Vec::new() }
    }

    /// The number of a version; `None` if no contract applies.
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
            self.found.push(SearchedVersion { path: path.clone(), stored, group });
        }
        Some(number)
    }

    /// Checks every version once. Versions of one file are read in sequence, newest first, which is the order of
    /// git's deltas.
    fn tally(&self, options: ScanOptions, progress: &dyn ProgressSink) -> Vec<Tally> {
        let numbers = 0..self.found.len();
        let mut order: Vec<usize> = numbers.filter(|&at| self.found[at].stored.is_some()).collect();
        order.sort_by(|&one, &other| self.found[one].path.cmp(&self.found[other].path));
        let target = |SearchedVersion { path, stored, .. }: &SearchedVersion| {
            Some(Target::new(path.clone(), stored.as_ref()?.content()))
        };
        let targets: Vec<Target> = order.iter().filter_map(|&at| target(&self.found[at])).collect();
        let mut tallies = vec![Tally::default(); self.found.len()];
        let counted = tally(self.matcher, &targets, &self.paths, options, progress);
        for (at, counted) in order.into_iter().zip(counted) {
            tallies[at] = counted;
        }
        for (tally, SearchedVersion { group, .. }) in tallies.iter_mut().zip(&self.found) {
            tally.satisfied.extend(group.satisfied_by_existence());
        }
        tallies
    }
}

/// The running totals of one commit.
struct OpenCounts<'m> {
    matcher: &'m Matcher,
    /// The number of open violations per contract.
    open: Vec<usize>,
    /// The number of files that satisfy each contract about the project as a whole.
    satisfied: Vec<usize>,
}

impl<'m> OpenCounts<'m> {
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

    /// The sample of a commit with the current totals, and these.
    fn sample(
        &self,
        commit: Commit,
        has_all: bool,
        others: impl Iterator<Item = (usize, usize)>,
    ) -> CommitSample {
        let mut open = self.open.clone();
        others.for_each(|(contract, count)| open[contract] += count);
        let mut sample = CommitSample { commit, errors: 0, warnings: 0, contracts: BTreeMap::new() };
        for (at, contract) in self.matcher.contracts().iter().enumerate() {
            let is_missing = contract.check.is_about_project() && has_all && self.satisfied[at] == 0;
            let count = open[at] + usize::from(is_missing);
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
