//! Which violations are in the baseline: as many of a contract on the same text in the same file as were written down.
//!
//! An entry whose file is gone counts for another path, so that a file may move. No file is looked at here: whoever
//! asks says which files are gone.

use std::collections::{HashMap, VecDeque};

use crate::baseline::Baseline;
use crate::outcome::Outcome;
use crate::path::RelPath;
use crate::violation::{LineDigest, State, Violation};

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

/// Marks the violations that entries cover, in their order, and says how much is left of each entry.
pub(super) fn mark(mut violations: Vec<&mut Violation>, tolerated: &Tolerated) -> Vec<u32> {
    let baseline = tolerated.baseline;
    let mut left: Vec<u32> = baseline.iter().map(|entry| entry.count).collect();
    violations.retain_mut(|violation| {
        if !violation.is_open() || !violation.contract.ignorable {
            return false;
        }
        let path = violation.path.to_text();
        let at = baseline.find(violation.contract.id.as_bytes(), path.as_bytes(), violation.fingerprint.line);
        match at.filter(|&at| left[at] > 0) {
            None => true,
            Some(at) => {
                left[at] -= 1;
                violation.state = State::Baselined;
                false
            }
        }
    });
    if !violations.is_empty() {
        follow_moved_files(violations, &mut left, tolerated);
    }
    left
}

/// Marks the violations that entries of files cover that are gone. What a file as a whole violates is recognised by the
/// contract alone, because its digest is that of the path.
fn follow_moved_files(violations: Vec<&mut Violation>, left: &mut [u32], tolerated: &Tolerated) {
    let mut waiting: HashMap<Vec<u8>, HashMap<Option<LineDigest>, VecDeque<&mut Violation>>> = HashMap::new();
    for violation in violations {
        let line = violation.found.as_ref().map(|_| violation.fingerprint.line);
        let of_contract = waiting.entry(violation.contract.id.clone().into_bytes()).or_default();
        of_contract.entry(line).or_default().push_back(violation);
    }
    for (entry, left) in tolerated.baseline.iter().zip(left) {
        let Some(of_contract) = waiting.get_mut(entry.contract).filter(|_| *left > 0) else { continue };
        let line = Some(entry.digest).filter(|_| !entry.is_lineless());
        let Some(alike) = of_contract.get_mut(&line).filter(|alike| !alike.is_empty()) else { continue };
        if entry.is_lossy() || !(tolerated.is_gone)(&RelPath::from_bytes(entry.path)) {
            continue;
        }
        while *left > 0
            && let Some(violation) = alike.pop_front()
        {
            violation.state = State::Baselined;
            *left -= 1;
        }
    }
}

/// How many entries have something left, of those whose contracts were checked on files that were read.
pub(super) fn stale(outcome: &Outcome, baseline: &Baseline, left: &[u32]) -> usize {
    let entries = baseline.iter().zip(left).filter(|(_, left)| **left > 0);
    entries.filter(|(entry, _)| outcome.has_judged(entry.contract, entry.path)).count()
}
