//! What becomes of the violations that a scan found: each one's state, decided once, before anybody shows them.
//!
//! Free functions over violations; no text is looked at again, and no report is known. The matcher has
//! already told which violations an ignore directive covers: these stay ignored, whatever else they are.

use std::collections::HashMap;

use crate::report::Report;
use phaser_core::violation::{Fingerprint, Violation};

mod baseline;
mod existing;

use baseline::Marking;
pub use baseline::{Seen, Tolerated};

/// Decides the state of every violation, and tells those apart that look alike.
pub fn settle(report: &mut Report, tolerated: Option<&Tolerated>) {
    if let Some(tolerated) = tolerated {
        mark_baselined(report, tolerated);
    }
    existing::mark(&mut report.violations, &report.before);
    drop_needless_fixes(&mut report.violations);
    report.by_file_mut().for_each(count_repeats);
}

/// Marks what is in the baseline, now and before: what it covers is neither new nor was it there without it.
fn mark_baselined(report: &mut Report, tolerated: &Tolerated) {
    let mut marking = Marking::new(tolerated);
    marking.run(|mark| report.before.iter_mut().flat_map(|file| &mut file.violations).for_each(mark));
    // Of several that are alike, the new one is on a line that changed.
    let before: HashMap<_, _> = report.before.iter().map(|file| (&file.path, file)).collect();
    let touches =
        |violation: &Violation| before.get(&violation.path).is_some_and(|file| file.touches(violation));
    let mut marking = Marking::new(tolerated);
    marking.run(|mark| {
        for is_touched in [false, true] {
            let open = report.violations.iter_mut().filter(|violation| violation.is_open());
            open.filter(|violation| touches(violation) == is_touched).for_each(&mut *mark);
        }
    });
    if tolerated.seen == Seen::Everything {
        report.stale = Some(marking.stale(report));
    }
}

/// Only what counts is to be repaired.
fn drop_needless_fixes(violations: &mut [Violation]) {
    for violation in violations.iter_mut().filter(|violation| !violation.is_open()) {
        violation.fix = None;
    }
}

/// Numbers the violations of one contract in one file that stand on the same text; they are in their final order.
fn count_repeats(file: &mut [Violation]) {
    let mut seen: HashMap<(&str, _), u32> = HashMap::new();
    for Violation { contract, fingerprint: Fingerprint { line, repeat }, .. } in file {
        let count = seen.entry((&contract.id, *line)).or_default();
        *count += 1;
        *repeat = *count;
    }
}

#[cfg(test)]
mod tests;
