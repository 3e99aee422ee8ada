//! What becomes of the violations that a scan found: each one's state, decided once, before anybody shows them.
//!
//! Free functions over violations; no text is looked at again, and no report is known. The matcher has
//! already told which violations an ignore directive covers: these stay ignored, whatever else they are.

use std::collections::HashMap;

use crate::outcome::Outcome;
use crate::path::RelPath;
use crate::violation::{Fingerprint, Violation};

mod baseline;
mod existing;

pub use baseline::{Seen, Tolerated};

/// Decides the state of every violation, and tells those apart that look alike.
pub fn settle(outcome: &mut Outcome, tolerated: Option<&Tolerated>) {
    if let Some(tolerated) = tolerated {
        mark_baselined(outcome, tolerated);
    }
    existing::mark(&mut outcome.violations, &outcome.before);
    for violation in outcome.violations.iter_mut().filter(|violation| !violation.is_open()) {
        violation.fix = None;
    }
    count_repeats(&mut outcome.violations);
}

/// Marks what is in the baseline, now and before: what it covers is neither new nor was it there without it.
fn mark_baselined(outcome: &mut Outcome, tolerated: &Tolerated) {
    let earlier = outcome.before.iter_mut().flat_map(|file| &mut file.violations);
    baseline::mark(earlier.collect(), tolerated);
    let mut now: Vec<&mut Violation> = outcome.violations.iter_mut().collect();
    // Of several that are alike, the new one is on a line that changed.
    let before: HashMap<_, _> = outcome.before.iter().map(|file| (&file.path, file)).collect();
    if !before.is_empty() {
        now.sort_by_key(|violation| before.get(&violation.path).is_some_and(|file| file.touches(violation)));
    }
    let left = baseline::mark(now, tolerated);
    if tolerated.seen == Seen::Everything {
        outcome.stale = Some(baseline::stale(outcome, tolerated.baseline, &left));
    }
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
