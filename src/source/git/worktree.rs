//! What differs in the worktree from a tree: the files that git tracks, as they are on disk.
//!
//! A file whose size and times are those that the index remembers is not read. The others are
//! compared byte by byte, because filters are never run; a file that only a filter changes counts as changed.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::index::State;
use gix::index::entry::{Flags, Mode, Stat, stat};
use gix::index::fs::Metadata;
use gix::objs::tree::EntryKind;

use crate::skipped::Why;
use crate::source::{Content, Targets};

use super::compare::{self, Change, Entry};
use super::repository::Repository;
use super::{Collection, Error, Renames};

/// Files larger than this are not read to find out whether they changed: they count as changed.
const MAX_COMPARED: u64 = 64 << 20;

/// A modification time within the index's own tick says nothing, so nanoseconds are looked at. Where the file
/// system loses them, files are compared more often than needed.
const STAT: stat::Options =
    stat::Options { trust_ctime: true, check_stat: true, use_nsec: true, use_stdev: false };

/// The tracked files that differ from the tree `base`.
pub(super) fn changed(repository: &Repository, base: ObjectId, renames: Renames) -> Result<Targets, Error> {
    let index = repository.index()?;
    let changes = compare::index(repository, Some(base), &index)?;
    let gone: HashMap<&[u8], Entry> =
        changes.gone.iter().map(|(path, entry)| (path.as_slice(), *entry)).collect();
    let mut present = changes.present.iter().peekable();
    let mut collection = Collection::new(repository, &changes, renames);
    let mut previous: &[u8] = b"";
    for entry in index.entries() {
        let path: &[u8] = entry.path(&index);
        if entry.mode.is_sparse() {
            while let Some(change) = present.next_if(|change| change.path.starts_with(path)) {
                collection.add_committed(change);
            }
            continue;
        }
        let change = present.next_if(|change| change.path == path);
        if std::mem::replace(&mut previous, path) == path {
            continue;
        }
        if repository.project_path(path).is_none() {
            continue;
        }
        let was = match change {
            Some(change) => change.was,
            None if compare::is_committed(entry) => Some(Entry::of_index(entry)),
            None => gone.get(path).copied(),
        };
        let tracked = Tracked { repository, index: &index, entry, was, change };
        tracked.add_to(&mut collection, path)?;
    }
    Ok(collection.found)
}

/// A file that git tracks.
struct Tracked<'a> {
    repository: &'a Repository,
    index: &'a State,
    entry: &'a gix::index::Entry,
    /// What stood there in the base.
    was: Option<Entry>,
    /// How the index differs from the base.
    change: Option<&'a Change>,
}

impl Tracked<'_> {
    fn add_to(&self, collection: &mut Collection<'_>, path: &[u8]) -> Result<(), Error> {
        if self.entry.flags.contains(Flags::SKIP_WORKTREE) || self.entry.mode.is_submodule() {
            self.change.into_iter().for_each(|change| collection.add_committed(change));
            return Ok(());
        }
        let file = self.file(path)?;
        let content = match Metadata::from_path_no_follow(&file) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(());
            }
            Err(_) => Content::File(file.clone()),
            Ok(metadata) if metadata.is_dir() || self.is_unchanged(&file, &metadata) => return Ok(()),
            Ok(metadata) if metadata.is_symlink() => Content::Opaque(Why::Link),
            Ok(metadata) if metadata.is_file() => Content::File(file.clone()),
            Ok(_) => Content::Opaque(Why::NotAFile),
        };
        if !leads_through_link(&self.repository.worktree, &file) {
            collection.add(path, content, self.was);
        }
        Ok(())
    }

    /// Git writes no path to an index that leads out of the worktree, or into its own directory.
    fn file(&self, path: &[u8]) -> Result<PathBuf, Error> {
        let bad = |name: &[u8]| matches!(name, b"" | b"." | b"..") || name.eq_ignore_ascii_case(b".git");
        let native =
            gix::path::from_byte_slice(path).ok().filter(|_| !path.split(|&byte| byte == b'/').any(bad));
        let native = native.ok_or_else(|| Error::Index {
            path: self.repository.index_file.clone(),
            what: format!("it contains the path {:?}", path.as_bstr()),
        })?;
        Ok(self.repository.worktree.join(native))
    }

    fn is_unchanged(&self, file: &Path, metadata: &Metadata) -> bool {
        if self.is_as_in_index(metadata) {
            return self.change.is_none();
        }
        let blob = |was: &Entry| matches!(was.kind, EntryKind::Blob | EntryKind::BlobExecutable);
        let Some(was) =
            self.was.filter(blob).filter(|_| metadata.is_file() && metadata.len() <= MAX_COMPARED)
        else {
            return false;
        };
        let Ok(bytes) = std::fs::read(file) else { return false };
        self.has_id(&bytes, was.id)
            || (bytes.contains(&b'\r') && self.has_id(&bytes.replace("\r\n", "\n"), was.id))
    }

    fn is_as_in_index(&self, metadata: &Metadata) -> bool {
        let remembered = self.entry.stat;
        compare::is_committed(self.entry)
            && metadata.is_symlink() == (self.entry.mode == Mode::SYMLINK)
            && Stat::from_fs(metadata).is_ok_and(|stat| remembered.matches(&stat, STAT))
            && !remembered.is_racy(self.index.timestamp(), STAT)
    }

    fn has_id(&self, bytes: &[u8], id: ObjectId) -> bool {
        let hash = gix::objs::compute_hash(id.kind(), gix::objs::Kind::Blob, bytes);
        hash.is_ok_and(|hash| hash == id)
    }
}

/// Does a directory on the way to the file turn out to be a link? Then the file itself is gone, as git sees it.
fn leads_through_link(worktree: &Path, file: &Path) -> bool {
    let mut parents = file.ancestors().skip(1).take_while(|parent| *parent != worktree);
    parents.any(|parent| parent.is_symlink())
}
