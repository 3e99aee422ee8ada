//! Compares two trees, or a tree with the index.
//!
//! The index is not expanded into trees. A directory whose tree id the index caches is skipped in one step, so the
//! cost grows with the number of changes and not with the size of the project.

use std::ops::Range;

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::index::entry::{Flags, Mode, Stage};
use gix::index::{State, extension};
use gix::objs::TreeRef;
use gix::objs::tree::{EntryKind, EntryRef, name_order};

use super::GitError;
use super::repository::Repository;

/// The deepest tree that is compared; the comparison recurses per level.
const MAX_DEPTH: usize = 256;

/// The object at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TreeEntry {
    pub(super) id: ObjectId,
    pub(super) kind: EntryKind,
}

impl TreeEntry {
    fn of_tree(entry: &EntryRef<'_>) -> Self {
        Self { id: entry.oid.to_owned(), kind: entry.mode.kind() }
    }

    pub(super) fn of_index(entry: &gix::index::Entry) -> Self {
        let kind = match entry.mode {
            Mode::FILE_EXECUTABLE => EntryKind::BlobExecutable,
            Mode::SYMLINK => EntryKind::Link,
            Mode::COMMIT => EntryKind::Commit,
            Mode::DIR => EntryKind::Tree,
            _ => EntryKind::Blob,
        };
        Self { id: entry.id, kind }
    }
}

/// A path that is new or different.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TreeChange {
    pub(super) path: Vec<u8>,
    pub(super) now: TreeEntry,
    pub(super) was: Option<TreeEntry>,
}

/// The difference between two states.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TreeChanges {
    /// New or different paths, sorted.
    pub(super) present: Vec<TreeChange>,
    /// Removed paths, sorted, with their previous object.
    pub(super) gone: Vec<(Vec<u8>, TreeEntry)>,
}

/// Compares the trees `was` and `now`.
pub(super) fn trees(repository: &Repository, was: ObjectId, now: ObjectId) -> Result<TreeChanges, GitError> {
    TreeComparison::run(repository, |comparison| comparison.tree(&mut Vec::new(), Some(was), Some(now)))
}

/// Compares the trees of a directory, which one of the states may lack. `path` is empty or ends in `/`.
pub(super) fn directories(
    repository: &Repository,
    path: &[u8],
    was: Option<ObjectId>,
    now: Option<ObjectId>,
) -> Result<TreeChanges, GitError> {
    TreeComparison::run(repository, |comparison| comparison.tree(&mut path.to_vec(), was, now))
}

/// Compares the index with the tree `was`. An entry that no commit would contain counts as absent.
pub(super) fn index(
    repository: &Repository,
    was: Option<ObjectId>,
    index: &State,
) -> Result<TreeChanges, GitError> {
    let whole = IndexDirectory { entries: 0..index.entries().len(), prefix: 0, cached: index.tree() };
    TreeComparison::run(repository, |comparison| comparison.index(index, &whole, was))
}

/// All files below a tree. `path`, its place, is empty or ends in `/`.
pub(super) fn files(
    repository: &Repository,
    path: &[u8],
    tree: ObjectId,
) -> Result<Vec<TreeChange>, GitError> {
    Ok(TreeComparison::run(repository, |comparison| comparison.tree(&mut path.to_vec(), None, Some(tree)))?
        .present)
}

/// Whether a commit would contain this entry: it has no conflict and is not intent-to-add.
pub(super) fn is_committed(entry: &gix::index::Entry) -> bool {
    entry.stage() == Stage::Unconflicted && !entry.flags.contains(Flags::INTENT_TO_ADD)
}

/// A directory in the index: its range of entries, the length of its path with the final `/`, and its cached tree.
struct IndexDirectory<'a> {
    entries: Range<usize>,
    prefix: usize,
    cached: Option<&'a extension::Tree>,
}

impl<'a> IndexDirectory<'a> {
    /// Whether the index caches this tree for the directory. A cached tree is what a commit would contain.
    fn is(&self, tree: ObjectId) -> bool {
        let whole = |cached: &extension::Tree| {
            cached.num_entries.is_some_and(|count| count as usize == self.entries.len())
        };
        self.cached.is_some_and(|cached| cached.id == tree && whole(cached))
    }

    fn cached_child(&self, name: &[u8]) -> Option<&'a extension::Tree> {
        let children = &self.cached?.children;
        let at = children.binary_search_by(|child| child.name.as_slice().cmp(name)).ok()?;
        children.get(at)
    }
}

struct TreeComparison<'a> {
    repository: &'a Repository,
    changes: TreeChanges,
}

impl<'a> TreeComparison<'a> {
    fn run(
        repository: &'a Repository,
        compare: impl FnOnce(&mut Self) -> Result<(), GitError>,
    ) -> Result<TreeChanges, GitError> {
        let mut comparison = Self { repository, changes: TreeChanges::default() };
        compare(&mut comparison)?;
        comparison.changes.gone.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(comparison.changes)
    }

    fn index(
        &mut self,
        index: &State,
        directory: &IndexDirectory<'_>,
        was: Option<ObjectId>,
    ) -> Result<(), GitError> {
        if was.is_some_and(|was| directory.is(was)) {
            return Ok(());
        }
        let first = index.entries().get(directory.entries.start);
        let mut path = first.map_or_else(Vec::new, |first| first.path(index)[..directory.prefix].to_vec());
        let data = self.load(&path, was)?;
        let mut before = TreeLevel::new(self.decode(&path, &data)?);
        let mut at = directory.entries.start;
        while at < directory.entries.end {
            let entry = &index.entries()[at];
            let full = entry.path(index);
            let rest = &full[directory.prefix..];
            let Some(slash) = rest.find_byte(b'/') else {
                let now = is_committed(entry).then(|| TreeEntry::of_index(entry));
                self.leaf(full, now, before.take(rest, NodeShape::Leaf));
                at += 1;
                continue;
            };
            let was = before.take(&rest[..slash], NodeShape::Directory).map(|entry| entry.id);
            if entry.mode.is_sparse() {
                self.tree(&mut full.to_vec(), was, Some(entry.id))?;
                at += 1;
                continue;
            }
            let prefix = directory.prefix + slash + 1;
            let after = &index.entries()[at..directory.entries.end];
            let end = at + after.partition_point(|entry| entry.path(index).starts_with(&full[..prefix]));
            let cached = directory.cached_child(&rest[..slash]);
            self.index(index, &IndexDirectory { entries: at..end, prefix, cached }, was)?;
            at = end;
        }
        self.gone(&mut path, before)
    }

    fn tree(
        &mut self,
        path: &mut Vec<u8>,
        was: Option<ObjectId>,
        now: Option<ObjectId>,
    ) -> Result<(), GitError> {
        if was == now {
            return Ok(());
        }
        let (before, after) = (self.load(path, was)?, self.load(path, now)?);
        let mut before = TreeLevel::new(self.decode(path, &before)?);
        for entry in self.decode(path, &after)?.entries {
            let length = path.len();
            path.extend_from_slice(entry.filename);
            if entry.mode.is_tree() {
                let was = before.take(entry.filename, NodeShape::Directory).map(|entry| entry.id);
                path.push(b'/');
                self.tree(path, was, Some(entry.oid.to_owned()))?;
            } else {
                let was = before.take(entry.filename, NodeShape::Leaf);
                self.leaf(path, Some(TreeEntry::of_tree(&entry)), was);
            }
            path.truncate(length);
        }
        self.gone(path, before)
    }

    fn leaf(&mut self, path: &[u8], now: Option<TreeEntry>, was: Option<TreeEntry>) {
        match (now, was) {
            (now, was) if now == was => {}
            (Some(now), was) => self.changes.present.push(TreeChange { path: path.to_vec(), now, was }),
            (None, Some(was)) => self.changes.gone.push((path.to_vec(), was)),
            (None, None) => {}
        }
    }

    fn gone(&mut self, path: &mut Vec<u8>, before: TreeLevel<'_>) -> Result<(), GitError> {
        for entry in before.untaken() {
            let length = path.len();
            path.extend_from_slice(entry.filename);
            if entry.mode.is_tree() {
                path.push(b'/');
                self.tree(path, Some(entry.oid.to_owned()), None)?;
            } else {
                self.leaf(path, None, Some(TreeEntry::of_tree(&entry)));
            }
            path.truncate(length);
        }
        Ok(())
    }

    fn load(&self, path: &[u8], tree: Option<ObjectId>) -> Result<Vec<u8>, GitError> {
        if path.find_iter("/").count() > MAX_DEPTH {
            let path = String::from_utf8_lossy(path);
            return Err(GitError::TooDeep { path: path.chars().take(80).collect() });
        }
        tree.map_or_else(|| Ok(Vec::new()), |tree| self.repository.tree(tree, path))
    }

    fn decode<'d>(&self, path: &[u8], data: &'d [u8]) -> Result<TreeRef<'d>, GitError> {
        TreeRef::from_bytes(data, self.repository.git.object_hash()).map_err(|error| {
            GitError::broken(format!("directory {:?}", String::from_utf8_lossy(path)), &error)
        })
    }
}

/// Whether a name is a directory. Trees sort directories as if their names ended in `/`.
#[derive(Clone, Copy)]
enum NodeShape {
    Leaf,
    Directory,
}

/// The entries of one tree, each of which can be taken once.
struct TreeLevel<'a> {
    entries: Vec<EntryRef<'a>>,
    taken: Vec<bool>,
}

impl<'a> TreeLevel<'a> {
    fn new(tree: TreeRef<'a>) -> Self {
        Self { taken: vec![false; tree.entries.len()], entries: tree.entries }
    }

    fn take(&mut self, name: &[u8], shape: NodeShape) -> Option<TreeEntry> {
        let directory = matches!(shape, NodeShape::Directory);
        let order = |entry: &EntryRef<'_>| name_order(entry.filename, entry.mode.is_tree(), name, directory);
        let at = self.entries.binary_search_by(order).ok()?;
        let again = std::mem::replace(&mut self.taken[at], true);
        (!again).then(|| TreeEntry::of_tree(&self.entries[at]))
    }

    fn untaken(self) -> impl Iterator<Item = EntryRef<'a>> {
        self.entries.into_iter().zip(self.taken).filter_map(|(entry, taken)| (!taken).then_some(entry))
    }
}
