//! Which violations are in the baseline: as many of a contract on the same text in the same file as were written down.
//!
//! An entry whose file is gone counts for another path, so that a file may move. No file is looked at here: whoever
//! asks says which files are gone.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::baseline::Baseline;
use crate::path::RelPath;
use crate::report::Report;
use phaser_core::violation::{LineDigest, State, Violation};

/// The old violations that are written down.
pub struct Tolerated<'a> {
    /// The entries.
    pub baseline: &'a Baseline,
    /// Is there no such file any more?
    pub is_gone: &'a dyn Fn(&RelPath) -> bool,
    /// How much of the project the violations are from.
    pub seen: Seen,
}

/// How much of the project was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// All of it: what an entry has left over is gone.
    Everything,
    /// A part.
    Some,
}

/// What is left of entries while violations are marked.
pub(super) struct Marking<'a> {
    tolerated: &'a Tolerated<'a>,
    left: Vec<u32>,
}

/// An entry that may have moved with its file.
struct Moved {
    entry: usize,
    /// Is the file gone, if that has been looked at?
    is_gone: Option<bool>,
}

impl<'a> Marking<'a> {
    pub(super) fn new(tolerated: &'a Tolerated<'a>) -> Self {
        let left = tolerated.baseline.iter().map(|entry| entry.count).collect();
        Self { tolerated, left }
    }

    /// Marks the violations that entries cover, in the order of the walk, which is taken twice: an entry is for its own file
    /// first.
    pub(super) fn run(&mut self, mut walk: impl FnMut(&mut dyn FnMut(&mut Violation))) {
        let mut uncovered: HashSet<String> = HashSet::new();
        walk(&mut |violation| {
            if may_be_covered(violation)
                && !self.cover(violation)
                && !uncovered.contains(&violation.contract.id)
            {
                uncovered.insert(violation.contract.id.clone());
            }
        });
        if !uncovered.is_empty() {
            let mut moved = self.moved(&uncovered);
            walk(&mut |violation| {
                if may_be_covered(violation)
                    && let Some(of_contract) = moved.get_mut(violation.contract.id.as_bytes())
                    && let Some(entries) = of_contract.get_mut(&violation.line_digest())
                {
                    self.follow(violation, entries);
                }
            });
        }
    }

    /// Marks a violation that an entry for its own file covers.
    fn cover(&mut self, violation: &mut Violation) -> bool {
        let (contract, path) = (violation.contract.id.as_bytes(), violation.path.to_text());
        let at = self.tolerated.baseline.find(contract, path.as_bytes(), violation.fingerprint.line);
        let Some(at) = at.filter(|&at| self.left[at] > 0) else { return false };
        self.left[at] -= 1;
        violation.state = State::Baselined;
        true
    }

    /// The entries of some contracts that have something left, by what they cover in another file. What a file as a whole
    /// violates is recognised by the contract alone, because its digest is that of the path.
    fn moved(
        &self,
        contracts: &HashSet<String>,
    ) -> HashMap<&'a [u8], HashMap<Option<LineDigest>, VecDeque<Moved>>> {
        let contracts: HashSet<&[u8]> = contracts.iter().map(String::as_bytes).collect();
        let mut moved: HashMap<_, HashMap<_, VecDeque<Moved>>> = HashMap::new();
        for (at, entry) in self.tolerated.baseline.iter().enumerate() {
            if self.left[at] > 0 && contracts.contains(entry.contract) && !entry.is_lossy() {
                let line = Some(entry.digest).filter(|_| !entry.is_lineless());
                let alike = moved.entry(entry.contract).or_default().entry(line).or_default();
                alike.push_back(Moved { entry: at, is_gone: None });
            }
        }
        moved
    }

    /// Marks a violation that one of these entries covers, if the file of the entry is gone.
    fn follow(&mut self, violation: &mut Violation, entries: &mut VecDeque<Moved>) {
        let Tolerated { baseline, is_gone, .. } = self.tolerated;
        while let Some(Moved { entry, is_gone: known }) = entries.front_mut() {
            let left = &mut self.left[*entry];
            let path = || RelPath::from_bytes(baseline.entry(*entry).path);
            if *left > 0 && *known.get_or_insert_with(|| is_gone(&path())) {
                *left -= 1;
                violation.state = State::Baselined;
                return;
            }
            entries.pop_front();
        }
    }

    /// How many entries have something left, of those whose contracts were checked on files that were read.
    pub(super) fn stale(&self, report: &Report) -> usize {
        let entries = self.tolerated.baseline.iter().zip(&self.left).filter(|(_, left)| **left > 0);
        entries.filter(|(entry, _)| report.has_judged(entry.contract, entry.path)).count()
    }
}

fn may_be_covered(violation: &Violation) -> bool {
    violation.is_open() && violation.contract.ignorable
}
