//! What is kept from one run to the next: opened for what results depend on, and saved.

use super::Options;
use crate::cache::{Cache, Inputs, Seen};
use crate::path::{RelPath, Root};
use crate::scan::{AddedIgnores, Propose};
use crate::source::{Coverage, Targets};
use phaser_core::matcher::Matcher;

/// So many files are checked sooner than all that is known of a project is read.
const FEW: usize = 100;

/// What is kept for this run, if anything is to be kept.
pub(super) fn open(root: &Root, matcher: &Matcher, options: &Options, targets: &Targets) -> Option<Cache> {
    let Options { max_file_size, deadline, propose, added_ignores, cache, .. } = options;
    let place = cache.as_ref()?;
    let is_whole = matches!(targets.coverage, Coverage::Whole | Coverage::Rest(_));
    let is_worth_it = is_whole || targets.targets.len() > FEW;
    if !is_worth_it || !deadline.is_never() || *added_ignores == AddedIgnores::Wanted {
        return None;
    }
    let inputs = Inputs {
        root,
        contracts: matcher.contracts(),
        options: matcher.options(),
        max_file_size: *max_file_size,
        has_fixes: match propose {
            Propose::Fixes => true,
            Propose::Nothing => false,
        },
    };
    Some(Cache::open(place, inputs))
}

/// Keeps what is new. What there is to say about it.
pub(super) fn save(cache: Cache, targets: &Targets) -> Vec<String> {
    let paths: Vec<&RelPath> = targets.targets.iter().map(|target| &target.path).collect();
    let is_sorted = paths.is_sorted();
    let seen = match targets.coverage {
        Coverage::Whole if is_sorted => Seen::Everything(&paths),
        _ => Seen::Some,
    };
    cache.save(seen).iter().map(ToString::to_string).collect()
}
