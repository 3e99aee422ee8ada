//! Decides the state of every violation: open, ignored, existing or baselined.
//!
//! The matcher has already marked the violations that an ignore directive covers; they stay ignored. Of the open
//! ones, those that a baseline entry for their file covers become baselined, and then those that the previous text had
//! become existing. Last, entries of files that are gone cover what is left, and existing violations, too. The rest stays
//! open and counts.
//!
//! # Example
//!
//! Contract `no-todo`, and an edit that changes
//!
//! ```text
//! 1  // TODO one                1  // TODO one
//! 2  fn a() {}           to     2  fn a() {}
//!                               3  // TODO one
//!                               4  // TODO two
//! ```
//!
//! The previous text has one violation, with the digest of `// TODO one`. The current text has three. Violations are
//! compared, not lines: lines 1 and 3 have the digest of the previous one, but it covers only one of them. A
//! violation on an unchanged line is preferred, so line 1 becomes existing; lines 3 and 4 stay open. Because only
//! texts are compared, a moved line keeps its state, and a second copy of a line, a file that moves into a glob, or a
//! removed ignore directive brings new violations.
//!
//! No text is read here.

use std::collections::HashMap;

use crate::path::RelPath;
use crate::report::{Earlier, Report};
use phaser_core::violation::{Fingerprint, LineDigest, State, Violation};

mod baseline;

use baseline::BaselineMarker;
pub use baseline::{BaselineInput, OtherFiles, Scanned};

/// Decides the state of every violation, and numbers those with the same fingerprint.
pub fn decide_states(report: &mut Report, baseline: Option<&BaselineInput>) {
    match baseline {
        Some(baseline) => apply_baseline(report, baseline),
        None => mark_existing(&mut report.violations, &report.before),
    }
    drop_needless_fixes(&mut report.violations);
    report.by_file_mut().for_each(count_repeats);
}

/// Marks baselined and existing violations. What entries cover is marked in the previous texts as well, so that a baselined
/// violation is not existing, too.
fn apply_baseline(report: &mut Report, baseline: &BaselineInput) {
    let before = report.before.iter_mut().flat_map(|file| &mut file.violations);
    BaselineMarker::new(baseline).cover(before);
    let mut marker = BaselineMarker::new(baseline);
    let [unchanged, changed] = by_change(&mut report.violations, &report.before);
    marker.cover(unchanged.into_iter().chain(changed));
    mark_existing(&mut report.violations, &report.before);
    let [unchanged, changed] = by_change(&mut report.violations, &report.before);
    marker.follow(unchanged, changed);
    if baseline.seen == Scanned::Everything {
        report.stale = Some(marker.stale(report));
    }
}

/// The violations on unchanged lines and those on changed ones. Among violations that are equal, the one on a changed line is
/// the new one: it is marked last.
fn by_change<'v>(violations: &'v mut [Violation], before: &[Earlier]) -> [Vec<&'v mut Violation>; 2] {
    let before: HashMap<_, _> = before.iter().map(|file| (&file.path, file)).collect();
    let is_changed =
        |violation: &Violation| before.get(&violation.path).is_some_and(|file| file.touches(violation));
    let (changed, unchanged) = violations.iter_mut().partition(|violation| is_changed(violation));
    [unchanged, changed]
}

/// Pairs current with previous open violations, one to one, by contract and the lines of the match.
fn mark_existing(violations: &mut [Violation], before: &[Earlier]) {
    for earlier in before {
        let mut left: HashMap<&str, HashMap<Option<LineDigest>, usize>> = HashMap::new();
        for violation in earlier.violations.iter().filter(|violation| violation.is_open()) {
            *left.entry(&violation.contract.id).or_default().entry(violation.identity()).or_default() += 1;
        }
        // Among violations with one digest, the one on a changed line is the new one: pair it last.
        let mut now: Vec<&mut Violation> =
            of_file(violations, &earlier.path).iter_mut().filter(|violation| violation.is_open()).collect();
        now.sort_by_key(|violation| earlier.touches(violation));
        for violation in now {
            let of_contract = left.get_mut(violation.contract.id.as_str());
            if let Some(count @ 1..) = of_contract.and_then(|left| left.get_mut(&violation.identity())) {
                *count -= 1;
                violation.state = State::Existing;
            }
        }
    }
}

/// The violations of one file; `violations` is sorted by path.
fn of_file<'a>(violations: &'a mut [Violation], path: &RelPath) -> &'a mut [Violation] {
    let start = violations.partition_point(|violation| violation.path < *path);
    let count = violations[start..].partition_point(|violation| violation.path == *path);
    &mut violations[start..start + count]
}

/// Removes the fixes of violations that do not count.
fn drop_needless_fixes(violations: &mut [Violation]) {
    for violation in violations.iter_mut().filter(|violation| !violation.is_open()) {
        violation.fix = None;
    }
}

/// Numbers the violations of one file that share contract and line digest, from 1, in report order.
fn count_repeats(file: &mut [Violation]) {
    let mut seen: HashMap<(&str, _), u32> = HashMap::new();
    for Violation { contract, fingerprint: Fingerprint { line, repeat, .. }, .. } in file {
        let count = seen.entry((&contract.id, *line)).or_default();
        *count += 1;
        *repeat = *count;
    }
}

#[cfg(test)]
mod tests;
