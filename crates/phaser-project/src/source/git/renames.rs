//! Which new files are old ones that moved.

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

use super::compare::{Change, Changes, Entry};
use super::repository::Repository;

/// How alike a new file and a lost one must be to count as the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renames {
    /// Byte by byte.
    Exact,
    /// By half, which is what git asks for, too.
    Similar,
}

/// By its new path, where a file was before it moved, and what it was there.
pub(super) type Moved<'a> = HashMap<&'a [u8], (&'a [u8], Entry)>;

/// The files that moved.
pub(super) fn find<'a>(repository: &Repository, changes: &'a Changes, renames: Renames) -> Moved<'a> {
    let is_new = changes.present.iter().any(|change| change.was.is_none());
    if changes.gone.is_empty() || !is_new {
        return Moved::new();
    }
    match renames {
        Renames::Exact => exact(changes),
        // An object that cannot be read is like no other.
        Renames::Similar => similar(repository, changes).unwrap_or_else(|_| exact(changes)),
    }
}

fn new(changes: &Changes) -> impl Iterator<Item = &Change> {
    changes.present.iter().filter(|change| change.was.is_none())
}

fn exact(changes: &Changes) -> Moved<'_> {
    let gone: HashMap<ObjectId, &[u8]> =
        changes.gone.iter().map(|(path, was)| (was.id, path.as_slice())).collect();
    let moved = |change: &'_ Change| Some((*gone.get(&change.now.id)?, change.now));
    new(changes).filter_map(|change| Some((change.path.as_slice(), moved(change)?))).collect()
}

fn similar<'a>(repository: &Repository, changes: &'a Changes) -> gix::Result<Moved<'a>> {
    let mut tracker = Tracker::new(Rewrites::default());
    let mut lost: HashMap<&[u8], (&[u8], Entry)> = HashMap::new();
    for (path, was) in &changes.gone {
        let change = visit::Change::Deletion { entry_mode: was.kind.into(), oid: was.id, relation: None };
        tracker.try_push_change(change, path.as_bstr());
        lost.insert(path, (path, *was));
    }
    let mut found: HashMap<&[u8], &[u8]> = HashMap::new();
    for Change { path, now, .. } in new(changes) {
        let change = visit::Change::Addition { entry_mode: now.kind.into(), oid: now.id, relation: None };
        tracker.try_push_change(change, path.as_bstr());
        found.insert(path, path);
    }
    // Without an index there are no attributes, and so no driver that could be run.
    let git = &repository.git;
    let nothing = gix::index::State::new(git.object_hash());
    let attributes = git.attributes_only(&nothing, Source::IdMapping)?.detach();
    let mut cache = gix::diff::resource_cache(git, Mode::ToGit, attributes, WorktreeRoots::default())?;
    let mut moved = Moved::new();
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
