//! Marks the violations that the baseline covers.
//!
//! An entry covers `count` violations of its contract with its digest in its file. If that file is gone, the entry
//! covers violations in other files, so a renamed file keeps its baseline.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::baseline::Baseline;
use crate::path::RelPath;
use crate::report::Report;
use phaser_core::violation::{LineDigest, State, Violation};

/// A baseline, and what is needed to apply it.
pub struct BaselineInput<'a> {
    /// The entries.
    pub baseline: &'a Baseline,
    /// Whether a file no longer exists.
    pub is_gone: &'a dyn Fn(&RelPath) -> bool,
    /// How much of the project was scanned.
    pub seen: Scanned,
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

/// An entry that may cover violations in other files, if its own file is gone.
struct MovableEntry {
    entry: usize,
    /// Whether the file is gone; `None` until it is needed.
    is_gone: Option<bool>,
}

impl<'a> BaselineMarker<'a> {
    pub(super) fn new(input: &'a BaselineInput<'a>) -> Self {
        let left = input.baseline.iter().map(|(_, count)| count).collect();
        Self { input, left }
    }

    /// Marks the violations that entries cover. Calls `walk` twice: an entry covers its own file first, then others.
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
                    && let Some(of_contract) = moved.get_mut(violation.contract.id.as_str())
                    && let Some(entries) = of_contract.get_mut(&violation.line_digest())
                {
                    self.follow(violation, entries);
                }
            });
        }
    }

    /// Marks a violation that an entry for its own file covers.
    fn cover(&mut self, violation: &mut Violation) -> bool {
        let (contract, path) = (&violation.contract.id, violation.path.to_text());
        let at = self.input.baseline.find(contract, &path, violation.fingerprint.line);
        let Some(at) = at.filter(|&at| self.left[at] > 0) else { return false };
        self.left[at] -= 1;
        violation.state = State::Baselined;
        true
    }

    /// The entries of these contracts with an unused count, by line digest. `None` stands for violations of a file as
    /// a whole, whose digest depends on the path.
    fn moved(
        &self,
        contracts: &HashSet<String>,
    ) -> HashMap<&'a str, HashMap<Option<LineDigest>, VecDeque<MovableEntry>>> {
        let mut moved: HashMap<_, HashMap<_, VecDeque<MovableEntry>>> = HashMap::new();
        for (at, (entry, _)) in self.input.baseline.iter().enumerate() {
            if self.left[at] > 0 && contracts.contains(&entry.contract) && !entry.is_lossy() {
                let line = Some(entry.digest).filter(|_| !entry.is_lineless());
                let alike = moved.entry(entry.contract.as_str()).or_default().entry(line).or_default();
                alike.push_back(MovableEntry { entry: at, is_gone: None });
            }
        }
        moved
    }

    /// Marks a violation that an entry of a file that is gone covers.
    fn follow(&mut self, violation: &mut Violation, entries: &mut VecDeque<MovableEntry>) {
        let BaselineInput { baseline, is_gone, .. } = self.input;
        while let Some(MovableEntry { entry, is_gone: known }) = entries.front_mut() {
            let left = &mut self.left[*entry];
            let path = || RelPath::from(baseline.entry(*entry).0.path.as_str());
            if *left > 0 && *known.get_or_insert_with(|| is_gone(&path())) {
                *left -= 1;
                violation.state = State::Baselined;
                return;
            }
            entries.pop_front();
        }
    }

    /// The number of entries with an unused count, among those whose contract and file were checked.
    pub(super) fn stale(&self, report: &Report) -> usize {
        let entries = self.input.baseline.iter().zip(&self.left).filter(|(_, left)| **left > 0);
        entries.filter(|((entry, _), _)| report.has_judged(&entry.contract, &entry.path)).count()
    }
}

fn may_be_covered(violation: &Violation) -> bool {
    violation.is_open() && violation.contract.ignorable
}
