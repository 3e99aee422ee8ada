//! Which violations were there before a change: those that the same contract had on the same text before.
//!
//! Violations are compared, not lines. So a moved line keeps its violation, and a file that moved
//! into a glob, a directive that was removed, or a second copy of a line brings new ones.

use std::collections::HashMap;

use crate::path::RelPath;
use crate::report::Earlier;
use phaser_core::violation::{LineDigest, State, Violation};

/// Marks the open violations that were open before, each earlier one for one of now.
pub(super) fn mark(violations: &mut [Violation], before: &[Earlier]) {
    for earlier in before {
        let mut left: HashMap<&str, HashMap<Option<LineDigest>, usize>> = HashMap::new();
        for violation in earlier.violations.iter().filter(|violation| violation.is_open()) {
            *left.entry(&violation.contract.id).or_default().entry(violation.line_digest()).or_default() += 1;
        }
        // Of several that are alike, the new one is on a line that changed.
        let mut now: Vec<&mut Violation> =
            of_file(violations, &earlier.path).iter_mut().filter(|violation| violation.is_open()).collect();
        now.sort_by_key(|violation| earlier.touches(violation));
        for violation in now {
            let of_contract = left.get_mut(violation.contract.id.as_str());
            if let Some(count @ 1..) = of_contract.and_then(|left| left.get_mut(&violation.line_digest())) {
                *count -= 1;
                violation.state = State::Existing;
            }
        }
    }
}

/// The violations of one file, among those of all files in order.
fn of_file<'a>(violations: &'a mut [Violation], path: &RelPath) -> &'a mut [Violation] {
    let start = violations.partition_point(|violation| violation.path < *path);
    let count = violations[start..].partition_point(|violation| violation.path == *path);
    &mut violations[start..start + count]
}
