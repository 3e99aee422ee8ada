//! What differs between a tree and another tree, or between a tree and the index.
//!
//! The index is compared without being expanded into trees, and a directory whose tree the index
//! has cached is skipped in one step, so the work grows with what changed and not with the project.
//! Knows neither the worktree nor what the paths mean to the project.

use std::ops::Range;

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::index::entry::{Flags, Mode, Stage};
use gix::index::{State, extension};
use gix::objs::TreeRef;
use gix::objs::tree::{EntryKind, EntryRef, name_order};

use super::Error;
use super::repository::Repository;

/// Trees deeper than this are refused: the comparison calls itself for each level.
const MAX_DEPTH: usize = 256;

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) id: ObjectId,
    pub(super) kind: EntryKind,
}

impl Entry {
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

/// A path where something stands that did not before.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) path: Vec<u8>,
    pub(super) now: Entry,
    pub(super) was: Option<Entry>,
}

/// What differs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// What is new or different, by path.
    pub(super) present: Vec<Change>,
    /// What is no longer there, by path.
    pub(super) gone: Vec<(Vec<u8>, Entry)>,
}

/// What differs in the tree `now` from the tree `was`.
pub(super) fn trees(repository: &Repository, was: ObjectId, now: ObjectId) -> Result<Changes, Error> {
    Comparison::run(repository, |comparison| comparison.tree(&mut Vec::new(), Some(was), Some(now)))
}

/// The same for the trees of a directory at `path`, which is empty or ends in `/`; it may be in one of them only.
pub(super) fn directories(
    repository: &Repository,
    path: &[u8],
    was: Option<ObjectId>,
    now: Option<ObjectId>,
) -> Result<Changes, Error> {
    Comparison::run(repository, |comparison| comparison.tree(&mut path.to_vec(), was, now))
}

/// What differs in the index from the tree `was`. An entry that no commit would contain counts as absent.
pub(super) fn index(repository: &Repository, was: Option<ObjectId>, index: &State) -> Result<Changes, Error> {
    let whole = Directory { entries: 0..index.entries().len(), prefix: 0, cached: index.tree() };
    Comparison::run(repository, |comparison| comparison.index(index, &whole, was))
}

/// The files below the tree that stands at `path`, which ends in `/`.
pub(super) fn files(repository: &Repository, path: &[u8], tree: ObjectId) -> Result<Vec<Change>, Error> {
    Ok(Comparison::run(repository, |comparison| comparison.tree(&mut path.to_vec(), None, Some(tree)))?
        .present)
}

/// Would a commit contain this entry?
pub(super) fn is_committed(entry: &gix::index::Entry) -> bool {
    entry.stage() == Stage::Unconflicted && !entry.flags.contains(Flags::INTENT_TO_ADD)
}

/// A directory in the index: its entries, the length of its path with the final `/`, and its tree as the
/// index has cached it.
struct Directory<'a> {
    entries: Range<usize>,
    prefix: usize,
    cached: Option<&'a extension::Tree>,
}

impl<'a> Directory<'a> {
    /// A cached tree is what a commit would contain, too.
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

struct Comparison<'a> {
    repository: &'a Repository,
    changes: Changes,
}

impl<'a> Comparison<'a> {
    fn run(
        repository: &'a Repository,
        compare: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<Changes, Error> {
        let mut comparison = Self { repository, changes: Changes::default() };
        compare(&mut comparison)?;
        comparison.changes.gone.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(comparison.changes)
    }

    fn index(
        &mut self,
        index: &State,
        directory: &Directory<'_>,
        was: Option<ObjectId>,
    ) -> Result<(), Error> {
        if was.is_some_and(|was| directory.is(was)) {
            return Ok(());
        }
        let first = index.entries().get(directory.entries.start);
        let mut path = first.map_or_else(Vec::new, |first| first.path(index)[..directory.prefix].to_vec());
        let data = self.load(&path, was)?;
        let mut before = Level::new(self.decode(&path, &data)?);
        let mut at = directory.entries.start;
        while at < directory.entries.end {
            let entry = &index.entries()[at];
            let full = entry.path(index);
            let rest = &full[directory.prefix..];
            let Some(slash) = rest.find_byte(b'/') else {
                let now = is_committed(entry).then(|| Entry::of_index(entry));
                self.leaf(full, now, before.take(rest, Shape::Leaf));
                at += 1;
                continue;
            };
            let was = before.take(&rest[..slash], Shape::Directory).map(|entry| entry.id);
            if entry.mode.is_sparse() {
                self.tree(&mut full.to_vec(), was, Some(entry.id))?;
                at += 1;
                continue;
            }
            let prefix = directory.prefix + slash + 1;
            let after = &index.entries()[at..directory.entries.end];
            let end = at + after.partition_point(|entry| entry.path(index).starts_with(&full[..prefix]));
            let cached = directory.cached_child(&rest[..slash]);
            self.index(index, &Directory { entries: at..end, prefix, cached }, was)?;
            at = end;
        }
        self.gone(&mut path, before)
    }

    fn tree(
        &mut self,
        path: &mut Vec<u8>,
        was: Option<ObjectId>,
        now: Option<ObjectId>,
    ) -> Result<(), Error> {
        if was == now {
            return Ok(());
        }
        let (before, after) = (self.load(path, was)?, self.load(path, now)?);
        let mut before = Level::new(self.decode(path, &before)?);
        for entry in self.decode(path, &after)?.entries {
            let length = path.len();
            path.extend_from_slice(entry.filename);
            if entry.mode.is_tree() {
                let was = before.take(entry.filename, Shape::Directory).map(|entry| entry.id);
                path.push(b'/');
                self.tree(path, was, Some(entry.oid.to_owned()))?;
            } else {
                let was = before.take(entry.filename, Shape::Leaf);
                self.leaf(path, Some(Entry::of_tree(&entry)), was);
            }
            path.truncate(length);
        }
        self.gone(path, before)
    }

    fn leaf(&mut self, path: &[u8], now: Option<Entry>, was: Option<Entry>) {
        match (now, was) {
            (now, was) if now == was => {}
            (Some(now), was) => self.changes.present.push(Change { path: path.to_vec(), now, was }),
            (None, Some(was)) => self.changes.gone.push((path.to_vec(), was)),
            (None, None) => {}
        }
    }

    fn gone(&mut self, path: &mut Vec<u8>, before: Level<'_>) -> Result<(), Error> {
        for entry in before.untaken() {
            let length = path.len();
            path.extend_from_slice(entry.filename);
            if entry.mode.is_tree() {
                path.push(b'/');
                self.tree(path, Some(entry.oid.to_owned()), None)?;
            } else {
                self.leaf(path, None, Some(Entry::of_tree(&entry)));
            }
            path.truncate(length);
        }
        Ok(())
    }

    fn load(&self, path: &[u8], tree: Option<ObjectId>) -> Result<Vec<u8>, Error> {
        if path.find_iter("/").count() > MAX_DEPTH {
            let path = String::from_utf8_lossy(path);
            return Err(Error::TooDeep { path: path.chars().take(80).collect() });
        }
        tree.map_or_else(|| Ok(Vec::new()), |tree| self.repository.tree(tree, path))
    }

    fn decode<'d>(&self, path: &[u8], data: &'d [u8]) -> Result<TreeRef<'d>, Error> {
        TreeRef::from_bytes(data, self.repository.git.object_hash())
            .map_err(|error| Error::broken(format!("directory {:?}", String::from_utf8_lossy(path)), &error))
    }
}

/// Does a name stand for a directory? Trees are sorted by it, and a name may even change from one to the other.
#[derive(Clone, Copy)]
enum Shape {
    Leaf,
    Directory,
}

/// The entries of one tree, each of which can be taken once.
struct Level<'a> {
    entries: Vec<EntryRef<'a>>,
    taken: Vec<bool>,
}

impl<'a> Level<'a> {
    fn new(tree: TreeRef<'a>) -> Self {
        Self { taken: vec![false; tree.entries.len()], entries: tree.entries }
    }

    fn take(&mut self, name: &[u8], shape: Shape) -> Option<Entry> {
        let directory = matches!(shape, Shape::Directory);
        let order = |entry: &EntryRef<'_>| name_order(entry.filename, entry.mode.is_tree(), name, directory);
        let at = self.entries.binary_search_by(order).ok()?;
        let again = std::mem::replace(&mut self.taken[at], true);
        (!again).then(|| Entry::of_tree(&self.entries[at]))
    }

    fn untaken(self) -> impl Iterator<Item = EntryRef<'a>> {
        self.entries.into_iter().zip(self.taken).filter_map(|(entry, taken)| (!taken).then_some(entry))
    }
}
