//! What all threads found, as one report in order.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::{Back, Scanned, Was, Worker, check_target};
use crate::report::{AddedIgnore, Earlier, Report};
use crate::source::git::Listing;
use crate::source::{Coverage, Target};
use phaser_core::contract::Contract;
use phaser_core::matcher::Matcher;
use phaser_core::skipped::Skipped;
use phaser_core::violation::Violation;

/// What was found, before it is in order.
#[derive(Default)]
pub(super) struct Gathered {
    pub found: Vec<Violation>,
}

impl Gathered {
    /// Takes the violations that were found, and moves all else into the report.
    pub(super) fn add(&mut self, targets: &[Target], scanned: Vec<Scanned>, report: &mut Report) {
        self.found.reserve(scanned.iter().map(|scanned| scanned.checked.violations.len()).sum());
        for (target, scanned) in targets.iter().zip(scanned) {
            if scanned.applied {
                report.checked.push(target.path.clone());
            }
            self.found.extend(scanned.checked.violations);
            report.added_ignores.extend(scanned.added_ignores);
            let path = &target.path;
            let earlier = scanned.before.map(|Was { violations, changed }| Earlier {
                path: path.clone(),
                violations,
                changed,
            });
            report.before.extend(earlier);
            report.skipped.extend(scanned.checked.skipped);
        }
    }

    /// Puts everything in order.
    pub(super) fn sort_into(mut self, report: &mut Report) {
        self.found.sort_by(Violation::by_place);
        report.violations = self.found;
        let place = |added: &AddedIgnore| (added.path.clone(), added.line, added.contract.id.clone());
        report.added_ignores.sort_by_cached_key(place);
        report.checked.sort_unstable();
        report.skipped.sort_unstable();
    }
}

/// Notes the contracts about the project as a whole that a file satisfies which is checked elsewhere.
pub(super) fn survey_target(matcher: &Matcher, worker: &mut Worker<'_>, target: &Target) {
    let alias = target.alias.as_ref();
    let somewhere = |contract: &Arc<Contract>| {
        contract.check.is_about_project()
            && contract.check.reads_text()
            && contract.applies_to(&target.path, alias)
    };
    if matcher.contracts().iter().any(somewhere) {
        worker.mender = None;
        // What is known has fixes, and what is found here has none.
        worker.memory = None;
        check_target(matcher, worker, target, Back::NOT_AT_ALL);
        return;
    }
    for &contract in matcher.select(&target.path, alias).satisfied_by_existence() {
        worker.satisfied[contract] = true;
    }
}

/// Contracts about the project as a whole, which need to have seen all of it.
pub(super) fn judge_project(
    matcher: &Matcher,
    coverage: &Coverage,
    workers: &[Worker<'_>],
    report: &mut Report,
) -> Vec<Violation> {
    // A listing has paths and no texts.
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
        Coverage::Partial => return Vec::new(),
        Coverage::Whole | Coverage::Rest(_) => {}
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

/// Those of some contracts that no file of the listing satisfies.
fn not_listed(
    contracts: &[Arc<Contract>],
    missing: Vec<usize>,
    listing: &Listing,
) -> Result<Vec<usize>, Skipped> {
    let (mut not_there, mut unknown) = (Vec::new(), Vec::new());
    for index in missing {
        // One file is looked up; to list all of them takes longer than everything else.
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
