//! Merges the results of all threads into one sorted report, and judges contracts about the project as a whole.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::{Existing, ScannedTarget, Worker, check_target};
use crate::cache::FileResult;
use crate::report::{AddedIgnore, Report};
use crate::source::git::Listing;
use crate::source::{Coverage, Target};
use phaser_core::contract::Contract;
use phaser_core::matcher::Matcher;
use phaser_core::skipped::Skipped;
use phaser_core::violation::Violation;

/// Moves the results of all targets into the report.
pub(super) fn collect(targets: &[Target], scanned: Vec<ScannedTarget>, report: &mut Report) {
    report.violations.reserve(scanned.iter().map(|scanned| scanned.result.checked.violations.len()).sum());
    for (target, scanned) in targets.iter().zip(scanned) {
        let FileResult { applied, checked } = scanned.result;
        if applied {
            report.checked.push(target.path.clone());
        }
        report.violations.extend(checked.violations);
        report.added_ignores.extend(scanned.added_ignores);
        report.before.extend(scanned.before);
        report.skipped.extend(checked.skipped);
    }
}

/// Sorts the lists of a report.
pub(super) fn sort(report: &mut Report) {
    report.violations.sort_by(Violation::by_place);
    let place = |added: &AddedIgnore| (added.path.clone(), added.line, added.contract.id.clone());
    report.added_ignores.sort_by_cached_key(place);
    report.checked.sort_unstable();
    report.skipped.sort_unstable();
}

/// Checks a target of another shard, only for the contracts about the project as a whole that it satisfies.
pub(super) fn survey_target(matcher: &Matcher, worker: &mut Worker<'_>, target: &Target) {
    let alias = target.alias.as_ref();
    let somewhere = |contract: &Arc<Contract>| {
        contract.check.is_about_project()
            && contract.check.reads_text()
            && contract.applies_to(&target.path, alias)
    };
    if matcher.contracts().iter().any(somewhere) {
        worker.fixer = None;
        // Cached results carry fixes, and those of this worker do not.
        worker.cache = None;
        (worker.existing, worker.added_ignores) = (Existing::Deny, false);
        check_target(matcher, worker, target);
        return;
    }
    for &contract in matcher.select(&target.path, alias).satisfied_by_existence() {
        worker.satisfied[contract] = true;
    }
}

/// The violations of contracts about the project as a whole. Empty if the source saw only a part of the project.
pub(super) fn judge_project(
    matcher: &Matcher,
    coverage: &Coverage,
    workers: &[Worker<'_>],
    report: &mut Report,
) -> Vec<Violation> {
    // A listing has paths but no texts.
    let has_texts = !matches!(coverage, Coverage::Listed(_));
    let judged = |contract: &Contract| {
        contract.check.is_about_project() && (has_texts || !contract.check.reads_text())
    };
    let contracts = matcher.contracts();
    let is_satisfied =
        |index: usize| workers.iter().any(|worker| worker.satisfied[index] || worker.unread[index]);
    let is_missing = |index: &usize| judged(&contracts[*index]) && !is_satisfied(*index);
    let mut missing: Vec<usize> = (0..contracts.len()).filter(is_missing).collect();
    match coverage {
        Coverage::Partial | Coverage::Shard { judges_project: false, .. } => return Vec::new(),
        Coverage::Whole | Coverage::Shard { judges_project: true, .. } => {}
        Coverage::Listed(_) if missing.is_empty() => {}
        Coverage::Listed(listing) => match not_listed(contracts, missing, listing) {
            Ok(rest) => missing = rest,
            Err(skipped) => {
                report.skipped.push(skipped);
                return Vec::new();
            }
        },
    }
    let violation = |index: usize| Violation::of_file(&contracts[index], &contracts[index].glob_from_root());
    missing.into_iter().map(violation).collect()
}

/// Those of the contracts that no listed file satisfies.
fn not_listed(
    contracts: &[Arc<Contract>],
    missing: Vec<usize>,
    listing: &Listing,
) -> Result<Vec<usize>, Skipped> {
    let (mut not_there, mut unknown) = (Vec::new(), Vec::new());
    for index in missing {
        // A literal path is looked up; listing all paths is slower than the rest of the scan.
        let only = contracts[index].only_file();
        match only.and_then(|path| Some((listing.has_exactly(&path)?, path))) {
            Some((true, path)) if contracts[index].applies_to(&path, None) => {}
            Some(_) => not_there.push(index),
            None => unknown.push(index),
        }
    }
    if !unknown.is_empty() {
        listing.each_path(|path| {
            unknown.retain(|&index| !contracts[index].applies_to(path, None));
            if unknown.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
    }
    not_there.append(&mut unknown);
    Ok(not_there)
}
