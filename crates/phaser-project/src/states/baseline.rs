//! Marks the violations that the baseline covers.
//!
//! An entry covers `count` violations of its contract with its digest in its file, or the violation of the file as a
//! whole. If that file is gone, the entry covers violations with its digest in other files, so a renamed file keeps its
//! baseline. Among several such files the entry covers the first by path, whichever of them a run checks: a run of a part
//! of the project looks the others up ([`OtherFiles`]).

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use crate::baseline::{Baseline, BaselineEntry};
use crate::path::RelPath;
use crate::report::Report;
use phaser_core::violation::{LineDigest, State, Violation};

/// A baseline, and what is needed to apply it.
pub struct BaselineInput<'a> {
    /// The entries.
    pub baseline: &'a Baseline,
    /// Whether a file no longer exists.
    pub is_gone: &'a dyn Fn(&RelPath) -> bool,
    /// The files that were not scanned.
    pub others: OtherFiles<'a>,
    /// How much of the project was scanned.
    pub seen: Scanned,
}

/// The files of the project that were not scanned, which may use an entry of a file that is gone.
pub enum OtherFiles<'a> {
    /// There are none, or they do not matter.
    None,
    /// Finds their violations of the contracts with these ids; `None` if that takes too long. Then no entry covers a
    /// violation in another file.
    Search(&'a dyn Fn(&BTreeSet<&str>) -> Option<Vec<Violation>>),
}

/// How much of the project was scanned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scanned {
    /// All of it, so an entry with an unused count is stale.
    Everything,
    /// A part of it.
    Some,
}

/// The unused counts of all entries.
pub(super) struct BaselineMarker<'a> {
    input: &'a BaselineInput<'a>,
    left: Vec<u32>,
}

/// The indices of entries of files that are gone, by contract and digest.
type MovedEntries<'a> = HashMap<&'a str, HashMap<LineDigest, VecDeque<usize>>>;

impl<'a> BaselineMarker<'a> {
    pub(super) fn new(input: &'a BaselineInput<'a>) -> Self {
        let left = input.baseline.iter().map(|(_, count)| count).collect();
        Self { input, left }
    }

    /// Marks the violations that entries for their own files cover, in this order.
    pub(super) fn cover<'v>(&mut self, violations: impl Iterator<Item = &'v mut Violation>) {
        for violation in violations.filter(|violation| violation.is_open() && violation.contract.ignorable) {
            let at = self.input.baseline.covering(violation).find(|&at| self.left[at] > 0);
            if let Some(at) = at {
                self.left[at] -= 1;
                violation.state = State::Baselined;
            }
        }
    }

    /// Marks the violations that entries of files that are gone cover: those on unchanged lines first, with those of other
    /// files, by path. Existing violations become baselined, too.
    pub(super) fn follow(&mut self, mut unchanged: Vec<&mut Violation>, mut changed: Vec<&mut Violation>) {
        unchanged.retain(|violation| may_follow(violation));
        changed.retain(|violation| may_follow(violation));
        let all = || unchanged.iter().chain(&changed).map(|violation| &**violation);
        let mut moved = self.moved(&all().map(key).collect());
        let mut others = Vec::new();
        if let OtherFiles::Search(search) = self.input.others {
            let is_moved = |violation: &Violation| {
                let (id, digest) = key(violation);
                moved.get(id).is_some_and(|of_contract| of_contract.contains_key(&digest))
            };
            if !all().any(|violation| violation.is_open() && is_moved(violation)) {
                return;
            }
            let Some(found) = search(&moved.keys().copied().collect()) else { return };
            others = found;
        }
        self.cover(others.iter_mut());
        let others = others.iter_mut().filter(|violation| may_follow(violation));
        let mut first: Vec<&mut Violation> = unchanged.into_iter().chain(others).collect();
        first.sort_by(|one, other| one.by_place(other));
        for violation in first.into_iter().chain(changed) {
            let (id, digest) = key(violation);
            let entries = moved.get_mut(id).and_then(|of_contract| of_contract.get_mut(&digest));
            let Some(entries) = entries else { continue };
            if let Some(&at) = entries.front() {
                self.left[at] -= 1;
                if self.left[at] == 0 {
                    entries.pop_front();
                }
                violation.state = State::Baselined;
            }
        }
    }

    /// The entries of files that are gone with an unused count, among those with one of these contracts and digests.
    fn moved(&self, wanted: &HashSet<(&str, LineDigest)>) -> MovedEntries<'a> {
        let mut moved = MovedEntries::new();
        if wanted.is_empty() {
            return moved;
        }
        for (at, (entry, _)) in self.input.baseline.iter().enumerate() {
            if self.left[at] > 0
                && wanted.contains(&(entry.contract.as_str(), entry.digest))
                && !entry.is_lossy()
                && (self.input.is_gone)(&RelPath::from(entry.path.as_str()))
            {
                let of_contract = moved.entry(&entry.contract).or_default();
                of_contract.entry(entry.digest).or_default().push_back(at);
            }
        }
        moved
    }

    /// The number of entries with an unused count, among those whose contract and file were checked.
    pub(super) fn stale(&self, report: &Report) -> usize {
        let entries = self.input.baseline.iter().zip(&self.left).filter(|(_, left)| **left > 0);
        // An approval of a change is used up by its merge, not by its absence.
        let is_approval = |entry: &BaselineEntry| {
            let mut contracts = report.contracts.iter().filter(|contract| contract.id == entry.contract);
            contracts.any(|contract| contract.check.needs_approval())
        };
        let judged = |entry: &BaselineEntry| report.has_judged(&entry.contract, &entry.path);
        entries.filter(|((entry, _), _)| !is_approval(entry) && judged(entry)).count()
    }
}

/// The contract and the digest of the entry that covers a violation.
fn key(violation: &Violation) -> (&str, LineDigest) {
    (&violation.contract.id, BaselineEntry::digest_of(violation))
}

fn may_follow(violation: &Violation) -> bool {
    // An approval is for one change of one file.
    let is_state = !violation.is_about_change();
    matches!(violation.state, State::Open | State::Existing) && violation.contract.ignorable && is_state
}
