//! The cache of one run: opened for what results depend on, and saved.

use crate::cache::{Cache, CacheLocation, Inputs, PresentFiles};
use crate::path::{RelPath, Root};
use crate::scan::{self, Propose};
use crate::source::{Coverage, Targets};
use phaser_core::matcher::Matcher;

/// Fewer files than this are checked sooner than the cache is read.
const FEW: usize = 100;

/// Opens the cache, unless reading it would take longer than the check.
pub(super) fn open(
    place: &CacheLocation,
    root: &Root,
    matcher: &Matcher,
    options: &scan::ScanOptions<'_>,
    targets: &Targets,
) -> Option<Cache> {
    let is_whole = matches!(targets.coverage, Coverage::Whole | Coverage::Rest(_));
    if !is_whole && targets.targets.len() <= FEW {
        return None;
    }
    let inputs = Inputs {
        root,
        contracts: matcher.contracts(),
        options: matcher.options(),
        max_file_size: options.max_file_size,
        has_fixes: options.propose == Propose::Fixes,
    };
    Some(Cache::open(place, inputs))
}

/// Saves new results. Returns notes about what could not be saved.
pub(super) fn save(cache: Cache, targets: &Targets) -> Vec<String> {
    let paths: Vec<&RelPath> = targets.targets.iter().map(|target| &target.path).collect();
    let is_sorted = paths.is_sorted();
    let seen = match targets.coverage {
        Coverage::Whole if is_sorted => PresentFiles::Everything(&paths),
        _ => PresentFiles::Some,
    };
    cache.save(seen).iter().map(ToString::to_string).collect()
}
