//! What differs in the worktree from a tree: the files that git tracks, as they are on disk.
//!
//! A file whose size and times are those that the index remembers is not read. The others are compared as git would
//! store them.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::index::State;
use gix::index::entry::{Flags, Stat, stat};
use gix::index::fs::Metadata;
use gix::objs::tree::EntryKind;

use crate::source::{Content, Targets};
use phaser_core::skipped::Why;

use super::compare::{self, Change, Changes, Entry};
use super::repository::Repository;
use super::to_git::{ToGit, is_object};
use super::{Collection, Error, Renames};

/// Files larger than this are not read to find out whether they changed: they count as changed.
pub(super) const MAX_COMPARED: u64 = 64 << 20;

/// A modification time within the index's own tick says nothing, so nanoseconds are looked at. Where the file
/// system loses them, files are compared more often than needed.
const STAT: stat::Options =
    stat::Options { trust_ctime: true, check_stat: true, use_nsec: true, use_stdev: false };

/// The tracked files that differ from the tree `base`.
pub(super) fn changed(repository: &Repository, base: ObjectId, renames: Renames) -> Result<Targets, Error> {
    let index = repository.index()?;
    let changes = compare::index(repository, Some(base), &index)?;
    let mut comparison = Comparison::new(repository, &index, &changes);
    let mut collection = Collection::new(repository, &changes, renames);
    let mut previous: &[u8] = b"";
    for entry in index.entries() {
        let path: &[u8] = entry.path(&index);
        if entry.mode.is_sparse() {
            comparison.add_sparse(&mut collection, path, entry.id)?;
        } else if std::mem::replace(&mut previous, path) != path {
            comparison.add(&mut collection, comparison.tracked(path, entry))?;
        }
    }
    Ok(collection.found)
}

/// A file that git tracks.
struct Tracked<'a> {
    path: &'a [u8],
    /// What a commit would contain there.
    staged: Option<Entry>,
    /// What the index remembers of the file.
    stat: Option<&'a Stat>,
    /// What stood there in the base.
    was: Option<Entry>,
    /// How the index differs from the base.
    change: Option<&'a Change>,
    expected: Expected,
}

/// Where a tracked file is expected.
#[derive(Clone, Copy)]
enum Expected {
    /// On disk, or it was deleted.
    OnDisk,
    /// Only in the index, but what is on disk all the same counts.
    Sparse,
    /// Only in the index, whatever is on disk.
    InIndex,
}

/// The worktree, and what it is compared with.
struct Comparison<'a> {
    repository: &'a Repository,
    index: &'a State,
    /// How the index differs from the base.
    changes: &'a Changes,
    present: HashMap<&'a [u8], &'a Change>,
    gone: HashMap<&'a [u8], Entry>,
    settings: Settings,
    /// Made when the first file has to be converted; `None` in it when that cannot be done.
    converter: Option<Option<ToGit<'a>>>,
    /// A directory that is not there, with the final `/`.
    absent: Vec<u8>,
}

/// What the configuration says about the worktree.
#[derive(Clone, Copy)]
struct Settings {
    /// Does the executable bit of a file mean something?
    file_mode: bool,
    /// Do files on disk count which the sparse checkout leaves out?
    sparse_files: bool,
}

impl<'a> Comparison<'a> {
    fn new(repository: &'a Repository, index: &'a State, changes: &'a Changes) -> Self {
        let config = repository.git.config_snapshot();
        let is_set = |key: &str, default: bool| config.boolean(key).unwrap_or(default);
        let settings = Settings {
            file_mode: is_set("core.fileMode", true),
            sparse_files: is_set("core.sparseCheckout", false)
                && !is_set("sparse.expectFilesOutsideOfPatterns", false),
        };
        Self {
            repository,
            index,
            changes,
            present: changes.present.iter().map(|change| (change.path.as_slice(), change)).collect(),
            gone: changes.gone.iter().map(|(path, entry)| (path.as_slice(), *entry)).collect(),
            settings,
            converter: None,
            absent: Vec::new(),
        }
    }

    fn tracked(&self, path: &'a [u8], entry: &'a gix::index::Entry) -> Tracked<'a> {
        let staged = compare::is_committed(entry).then(|| Entry::of_index(entry));
        let change = self.present.get(path).copied();
        let was = match change {
            Some(change) => change.was,
            None => staged.or_else(|| self.gone.get(path).copied()),
        };
        let expected = if entry.mode.is_submodule() {
            Expected::InIndex
        } else if !entry.flags.contains(Flags::SKIP_WORKTREE) {
            Expected::OnDisk
        } else if self.settings.sparse_files {
            Expected::Sparse
        } else {
            Expected::InIndex
        };
        Tracked { path, staged, stat: Some(&entry.stat), was, change, expected }
    }

    /// Adds the files of a directory that the index has as one entry, its path with the final `/`.
    fn add_sparse(
        &mut self,
        collection: &mut Collection<'_>,
        directory: &[u8],
        tree: ObjectId,
    ) -> Result<(), Error> {
        let is_on_disk =
            || Metadata::from_path_no_follow(&self.repository.worktree.join(native(directory)?)).ok();
        if !self.settings.sparse_files || is_on_disk().is_none() {
            let inside = self.changes.present.iter().filter(|change| change.path.starts_with(directory));
            inside.for_each(|change| collection.add_committed(change));
            return Ok(());
        }
        for file in compare::files(self.repository, directory, tree)? {
            let change = self.present.get(file.path.as_slice()).copied();
            let tracked = Tracked {
                path: &file.path,
                staged: Some(file.now),
                stat: None,
                was: change.map_or(Some(file.now), |change| change.was),
                change,
                expected: Expected::Sparse,
            };
            self.add(collection, tracked)?;
        }
        Ok(())
    }

    /// Adds a file if it changed.
    fn add(&mut self, collection: &mut Collection<'_>, tracked: Tracked<'_>) -> Result<(), Error> {
        if self.repository.project_path(tracked.path).is_none() {
            return Ok(());
        }
        if matches!(tracked.expected, Expected::InIndex) || self.is_absent(&tracked) {
            tracked.change.into_iter().for_each(|change| collection.add_committed(change));
            return Ok(());
        }
        let file = self.file(tracked.path)?;
        let content = match Metadata::from_path_no_follow(&file) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(());
            }
            Err(_) => Content::File(file.clone()),
            Ok(metadata) if metadata.is_dir() || self.is_unchanged(&tracked, &file, &metadata) => {
                return Ok(());
            }
            Ok(metadata) if metadata.is_symlink() => Content::Opaque(Why::Link),
            Ok(metadata) if metadata.is_file() => Content::File(file.clone()),
            Ok(_) => Content::Opaque(Why::NotAFile),
        };
        if !leads_through_link(&self.repository.worktree, &file) {
            collection.add(tracked.path, content, tracked.was);
        }
        Ok(())
    }

    /// Is this a file that the sparse checkout leaves out, and is it not on disk? Most of them are in directories that
    /// are not there either.
    fn is_absent(&mut self, tracked: &Tracked<'_>) -> bool {
        if !matches!(tracked.expected, Expected::Sparse) {
            return false;
        }
        if !self.absent.is_empty() && tracked.path.starts_with(&self.absent) {
            return true;
        }
        let is_there = |path: &[u8]| {
            let path = native(path).map(|path| self.repository.worktree.join(path));
            path.is_some_and(|path| Metadata::from_path_no_follow(&path).is_ok())
        };
        if is_there(tracked.path) {
            return false;
        }
        let mut directories = tracked.path.find_iter("/").map(|slash| &tracked.path[..=slash]);
        self.absent = directories.find(|directory| !is_there(directory)).unwrap_or_default().to_vec();
        true
    }

    /// Git writes no path to an index that leads out of the worktree, or into its own directory.
    fn file(&self, path: &[u8]) -> Result<PathBuf, Error> {
        let native = native(path).ok_or_else(|| Error::Index {
            path: self.repository.index_file.clone(),
            what: format!("it contains the path {:?}", path.as_bstr()),
        })?;
        Ok(self.repository.worktree.join(native))
    }

    fn is_unchanged(&mut self, tracked: &Tracked<'_>, file: &Path, metadata: &Metadata) -> bool {
        let kind = self.kind(tracked, metadata);
        if self.is_as_in_index(tracked, kind, metadata) {
            return tracked.change.is_none();
        }
        let Some(was) = tracked.was.filter(|was| is_blob(was.kind) && Some(was.kind) == kind) else {
            return false;
        };
        if metadata.len() > MAX_COMPARED {
            return false;
        }
        let Ok(bytes) = std::fs::read(file) else { return false };
        is_object(&bytes, was.id)
            || self.converter().is_some_and(|converter| converter.gives(tracked.path, &bytes, was.id))
    }

    /// What git would store for the file, if it is one that can be stored.
    fn kind(&self, tracked: &Tracked<'_>, metadata: &Metadata) -> Option<EntryKind> {
        if metadata.is_symlink() {
            return Some(EntryKind::Link);
        }
        if !metadata.is_file() {
            return None;
        }
        Some(match tracked.staged {
            Some(staged) if !self.settings.file_mode && is_blob(staged.kind) => staged.kind,
            _ if self.settings.file_mode && metadata.is_executable() => EntryKind::BlobExecutable,
            _ => EntryKind::Blob,
        })
    }

    fn is_as_in_index(&self, tracked: &Tracked<'_>, kind: Option<EntryKind>, metadata: &Metadata) -> bool {
        let Some((remembered, staged)) = tracked.stat.zip(tracked.staged) else { return false };
        Some(staged.kind) == kind && is_remembered(self.index, remembered, metadata)
    }

    fn converter(&mut self) -> Option<&mut ToGit<'a>> {
        self.converter.get_or_insert_with(|| ToGit::new(self.repository, self.index).ok()).as_mut()
    }
}

/// Is the file on disk the one that the index remembers, as far as its size and times tell?
pub(super) fn is_as_remembered(repository: &Repository, index: &State, entry: &gix::index::Entry) -> bool {
    let Ok(path) = gix::path::from_byte_slice(entry.path(index)) else { return false };
    let metadata = Metadata::from_path_no_follow(&repository.worktree.join(path));
    metadata.is_ok_and(|metadata| metadata.is_file() && is_remembered(index, &entry.stat, &metadata))
}

fn is_remembered(index: &State, remembered: &Stat, metadata: &Metadata) -> bool {
    Stat::from_fs(metadata).is_ok_and(|stat| has_stat(index, remembered, &stat))
}

/// Does a file have the size and times that the index remembers, and were they taken long enough after its last change?
pub(super) fn has_stat(index: &State, remembered: &Stat, stat: &Stat) -> bool {
    remembered.matches(stat, STAT) && !remembered.is_racy(index.timestamp(), STAT)
}

fn is_blob(kind: EntryKind) -> bool {
    matches!(kind, EntryKind::Blob | EntryKind::BlobExecutable)
}

/// A path of the index as the system spells it, if git could have put it there.
pub(super) fn native(path: &[u8]) -> Option<PathBuf> {
    let bad = |name: &[u8]| matches!(name, b"" | b"." | b"..") || name.eq_ignore_ascii_case(b".git");
    let is_bad = path.strip_suffix(b"/").unwrap_or(path).split(|&byte| byte == b'/').any(bad);
    if is_bad { None } else { gix::path::from_byte_slice(path).ok().map(Path::to_owned) }
}

/// Does a directory on the way to the file turn out to be a link? Then the file itself is gone, as git sees it.
fn leads_through_link(worktree: &Path, file: &Path) -> bool {
    let mut parents = file.ancestors().skip(1).take_while(|parent| *parent != worktree);
    parents.any(|parent| parent.is_symlink())
}
