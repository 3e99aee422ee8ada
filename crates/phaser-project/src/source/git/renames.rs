//! Detects renames between two states.

use std::collections::HashMap;
use std::convert::Infallible;
use std::ops::ControlFlow;

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::diff::Rewrites;
use gix::diff::blob::pipeline::{Mode, WorktreeRoots};
use gix::diff::rewrites::Tracker;
use gix::diff::tree::visit;
use gix::worktree::stack::state::attributes::Source;

use super::compare::{TreeChange, TreeChanges, TreeEntry};
use super::repository::Repository;

/// How similar two files must be to count as one that moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renames {
    /// Equal bytes.
    Exact,
    /// Half of the lines, git's default.
    Similar,
}

/// For each new path, the previous path and its entry.
pub(super) type RenamedFrom<'a> = HashMap<&'a [u8], (&'a [u8], TreeEntry)>;

/// Pairs new with removed files.
pub(super) fn find<'a>(
    repository: &Repository,
    changes: &'a TreeChanges,
    renames: Renames,
) -> RenamedFrom<'a> {
    let is_new = changes.present.iter().any(|change| change.was.is_none());
    if changes.gone.is_empty() || !is_new {
        return RenamedFrom::new();
    }
    match renames {
        Renames::Exact => exact(changes),
        // If an object cannot be read, only exact renames are found.
        Renames::Similar => similar(repository, changes).unwrap_or_else(|_| exact(changes)),
    }
}

fn new(changes: &TreeChanges) -> impl Iterator<Item = &TreeChange> {
    changes.present.iter().filter(|change| change.was.is_none())
}

fn exact(changes: &TreeChanges) -> RenamedFrom<'_> {
    let gone: HashMap<ObjectId, &[u8]> =
        changes.gone.iter().map(|(path, was)| (was.id, path.as_slice())).collect();
    let moved = |change: &'_ TreeChange| Some((*gone.get(&change.now.id)?, change.now));
    new(changes).filter_map(|change| Some((change.path.as_slice(), moved(change)?))).collect()
}

fn similar<'a>(repository: &Repository, changes: &'a TreeChanges) -> gix::Result<RenamedFrom<'a>> {
    let mut tracker = Tracker::new(Rewrites::default());
    let mut lost: HashMap<&[u8], (&[u8], TreeEntry)> = HashMap::new();
    for (path, was) in &changes.gone {
        let change = visit::Change::Deletion { entry_mode: was.kind.into(), oid: was.id, relation: None };
        tracker.try_push_change(change, path.as_bstr());
        lost.insert(path, (path, *was));
    }
    let mut found: HashMap<&[u8], &[u8]> = HashMap::new();
    for TreeChange { path, now, .. } in new(changes) {
        let change = visit::Change::Addition { entry_mode: now.kind.into(), oid: now.id, relation: None };
        tracker.try_push_change(change, path.as_bstr());
        found.insert(path, path);
    }
    // Without an index there are no attributes, so no diff driver can run.
    let git = &repository.git;
    let nothing = gix::index::State::new(git.object_hash());
    let attributes = git.attributes_only(&nothing, Source::IdMapping)?.detach();
    let mut cache = gix::diff::resource_cache(git, Mode::ToGit, attributes, WorktreeRoots::default())?;
    let mut moved = RenamedFrom::new();
    tracker.emit(
        |new, old| {
            let was = old.and_then(|old| lost.get(old.location.as_bytes()));
            if let (Some(path), Some(was)) = (found.get(new.location.as_bytes()), was) {
                moved.insert(path, *was);
            }
            ControlFlow::Continue(())
        },
        &mut cache,
        &git.objects,
        |_| Ok::<_, Infallible>(()),
    )?;
    Ok(moved)
}
