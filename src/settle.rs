//! What becomes of the violations that a scan found: each one's state, decided once, before anybody shows them.
//!
//! Free functions over violations; no text is looked at again, and no report is known. The matcher has
//! already told which violations an ignore directive covers: these stay ignored, whatever else they are.

use std::collections::HashMap;

use crate::outcome::Outcome;
use crate::path::RelPath;
use crate::violation::{Fingerprint, Violation};

mod existing;

/// Decides the state of every violation, and tells those apart that look alike.
pub fn settle(outcome: &mut Outcome) {
    existing::mark(&mut outcome.violations, &outcome.before);
    count_repeats(&mut outcome.violations);
}

/// Numbers the violations of one contract in one file that stand on the same text; they are in their final order.
fn count_repeats(violations: &mut [Violation]) {
    for file in violations.chunk_by_mut(|one, next| one.path == next.path) {
        let mut seen: HashMap<(&str, _), u32> = HashMap::new();
        for Violation { contract, fingerprint: Fingerprint { line, repeat }, .. } in file {
            let count = seen.entry((&contract.id, *line)).or_default();
            *count += 1;
            *repeat = *count;
        }
    }
}

/// The violations of a file, among violations in the order of their paths.
fn of_file<'a>(violations: &'a mut [Violation], path: &RelPath) -> &'a mut [Violation] {
    let start = violations.partition_point(|violation| violation.path < *path);
    let count = violations[start..].partition_point(|violation| violation.path == *path);
    &mut violations[start..start + count]
}

#[cfg(test)]
mod tests;
