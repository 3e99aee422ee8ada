//! What all threads found, as one outcome in order.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::{Scanned, Was, Worker};
use crate::contract::{Check, Contract};
use crate::matcher::Matcher;
use crate::outcome::{AddedIgnore, Earlier, Outcome};
use crate::skipped::Skipped;
use crate::source::git::Listing;
use crate::source::{Coverage, Target};
use crate::violation::Violation;

/// Moves what was found into the outcome.
pub(super) fn gather(targets: &[Target], scanned: Vec<Scanned>, outcome: &mut Outcome) {
    for (target, scanned) in targets.iter().zip(scanned) {
        if scanned.applied {
            outcome.checked.push(target.path.clone());
        }
        outcome.violations.extend(scanned.checked.violations);
        outcome.added_ignores.extend(scanned.added_ignores);
        let path = &target.path;
        let earlier = scanned.before.map(|Was { violations, changed }| Earlier {
            path: path.clone(),
            violations,
            changed,
        });
        outcome.before.extend(earlier);
        outcome.skipped.extend(scanned.checked.skipped);
    }
}

/// Contracts about the project as a whole, which need to have seen all of it.
pub(super) fn judge_project(
    matcher: &Matcher,
    coverage: &Coverage,
    workers: &[Worker<'_>],
    outcome: &mut Outcome,
) {
    let judged = |contract: &Contract| match contract.check {
        Check::Exists => true,
        Check::RequireSomewhere(_) => !matches!(coverage, Coverage::Listed(_)),
        Check::Forbid(_) | Check::Require(_) | Check::NotExists => false,
    };
    let contracts = matcher.contracts();
    let is_satisfied =
        |index: usize| workers.iter().any(|worker| worker.satisfied[index] || worker.unread[index]);
    let is_missing = |index: &usize| judged(&contracts[*index]) && !is_satisfied(*index);
    let mut missing: Vec<usize> = (0..contracts.len()).filter(is_missing).collect();
    match coverage {
        Coverage::Partial => return,
        Coverage::Whole | Coverage::Rest(_) => {}
        Coverage::Listed(_) if missing.is_empty() => {}
        Coverage::Listed(listing) => match not_listed(contracts, missing, listing) {
            Ok(rest) => missing = rest,
            Err(skipped) => return outcome.skipped.push(skipped),
        },
    }
    for index in missing {
        outcome.violations.push(Violation::of_file(&contracts[index], &contracts[index].glob_from_root()));
    }
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

pub(super) fn sort(outcome: &mut Outcome) {
    outcome.violations.sort_by(|one, other| {
        let key = |violation: &'_ Violation| violation.found.as_ref().map(|found| found.region);
        let by_place = one.path.cmp(&other.path).then_with(|| key(one).cmp(&key(other)));
        by_place.then_with(|| one.contract.id.cmp(&other.contract.id))
    });
    let place = |added: &AddedIgnore| (added.path.clone(), added.line, added.contract.id.clone());
    outcome.added_ignores.sort_by_cached_key(place);
    outcome.checked.sort_unstable();
    outcome.skipped.sort_unstable();
}
