//! Compares the tracked files on disk with a tree.
//!
//! A file with the size and times that the index records is not read. Others are compared in their stored form.

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
use phaser_core::skipped::SkipReason;

use super::compare::{self, TreeChange, TreeChanges, TreeEntry};
use super::repository::Repository;
use super::to_git::{ToGit, is_object};
use super::{Collection, GitError, Renames};

/// A larger file, in bytes, is not read for comparison and counts as changed.
pub(super) const MAX_COMPARED: u64 = 64 << 20;

/// Nanoseconds are compared, because a change within the second of the index's own time would not show. Where the
/// file system drops them, more files are read than needed.
const STAT: stat::Options =
    stat::Options { trust_ctime: true, check_stat: true, use_nsec: true, use_stdev: false };

/// The tracked files that differ from the tree `base`.
pub(super) fn changed(
    repository: &Repository,
    base: ObjectId,
    renames: Renames,
) -> Result<Targets, GitError> {
    let index = repository.index()?;
    let changes = compare::index(repository, Some(base), &index)?;
    let mut comparison = WorktreeComparison::new(repository, &index, &changes);
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

/// A tracked file.
struct TrackedFile<'a> {
    path: &'a [u8],
    /// The entry that a commit would contain.
    staged: Option<TreeEntry>,
    /// The metadata that the index records.
    stat: Option<&'a Stat>,
    /// The entry in the base.
    was: Option<TreeEntry>,
    /// The difference between base and index.
    change: Option<&'a TreeChange>,
    expected: ExpectedLocation,
}

/// Where a tracked file is expected.
#[derive(Clone, Copy)]
enum ExpectedLocation {
    /// On disk; if it is not there, it was deleted.
    OnDisk,
    /// In the index only (sparse checkout), but a file on disk counts.
    Sparse,
    /// In the index only; a file on disk does not count.
    InIndex,
}

/// A worktree and the base it is compared with.
struct WorktreeComparison<'a> {
    repository: &'a Repository,
    index: &'a State,
    /// The difference between base and index.
    changes: &'a TreeChanges,
    present: HashMap<&'a [u8], &'a TreeChange>,
    gone: HashMap<&'a [u8], TreeEntry>,
    /// `core.fileMode`: the executable bit is significant.
    file_mode: bool,
    /// Whether files on disk outside the sparse checkout count.
    sparse_files: bool,
    /// Created for the first file that needs it; the inner `None` means that this failed.
    converter: Option<Option<ToGit<'a>>>,
    /// A directory that does not exist, with a final `/`.
    absent: Vec<u8>,
}

impl<'a> WorktreeComparison<'a> {
    fn new(repository: &'a Repository, index: &'a State, changes: &'a TreeChanges) -> Self {
        let config = repository.git.config_snapshot();
        let is_set = |key: &str, default: bool| config.boolean(key).unwrap_or(default);
        Self {
            repository,
            index,
            changes,
            present: changes.present.iter().map(|change| (change.path.as_slice(), change)).collect(),
            gone: changes.gone.iter().map(|(path, entry)| (path.as_slice(), *entry)).collect(),
            file_mode: is_set("core.fileMode", true),
            sparse_files: is_set("core.sparseCheckout", false)
                && !is_set("sparse.expectFilesOutsideOfPatterns", false),
            converter: None,
            absent: Vec::new(),
        }
    }

    fn tracked(&self, path: &'a [u8], entry: &'a gix::index::Entry) -> TrackedFile<'a> {
        let staged = compare::is_committed(entry).then(|| TreeEntry::of_index(entry));
        let change = self.present.get(path).copied();
        let was = match change {
            Some(change) => change.was,
            None => staged.or_else(|| self.gone.get(path).copied()),
        };
        let expected = if entry.mode.is_submodule() {
            ExpectedLocation::InIndex
        } else if !entry.flags.contains(Flags::SKIP_WORKTREE) {
            ExpectedLocation::OnDisk
        } else if self.sparse_files {
            ExpectedLocation::Sparse
        } else {
            ExpectedLocation::InIndex
        };
        TrackedFile { path, staged, stat: Some(&entry.stat), was, change, expected }
    }

    /// Adds the files of a sparse directory entry; its path ends in `/`.
    fn add_sparse(
        &mut self,
        collection: &mut Collection<'_>,
        directory: &[u8],
        tree: ObjectId,
    ) -> Result<(), GitError> {
        let is_on_disk =
            || Metadata::from_path_no_follow(&self.repository.worktree.join(native(directory)?)).ok();
        if !self.sparse_files || is_on_disk().is_none() {
            let inside = self.changes.present.iter().filter(|change| change.path.starts_with(directory));
            inside.for_each(|change| collection.add_committed(change));
            return Ok(());
        }
        for file in compare::files(self.repository, directory, tree)? {
            let change = self.present.get(file.path.as_slice()).copied();
            let tracked = TrackedFile {
                path: &file.path,
                staged: Some(file.now),
                stat: None,
                was: change.map_or(Some(file.now), |change| change.was),
                change,
                expected: ExpectedLocation::Sparse,
            };
            self.add(collection, tracked)?;
        }
        Ok(())
    }

    /// Adds a file if it changed.
    fn add(&mut self, collection: &mut Collection<'_>, tracked: TrackedFile<'_>) -> Result<(), GitError> {
        if self.repository.project_path(tracked.path).is_none() {
            return Ok(());
        }
        if matches!(tracked.expected, ExpectedLocation::InIndex) || self.is_absent(&tracked) {
            tracked.change.into_iter().for_each(|change| collection.add_committed(change));
            return Ok(());
        }
        let file = self.file(tracked.path)?;
        let content = match Metadata::from_path_no_follow(&file) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                collection.found.gone.extend(self.repository.project_path(tracked.path));
                return Ok(());
            }
            Err(_) => Content::File(file.clone()),
            Ok(metadata) if metadata.is_dir() || self.is_unchanged(&tracked, &file, &metadata) => {
                return Ok(());
            }
            Ok(metadata) if metadata.is_symlink() => Content::Opaque(SkipReason::Link),
            Ok(metadata) if metadata.is_file() => Content::File(file.clone()),
            Ok(_) => Content::Opaque(SkipReason::NotAFile),
        };
        if !leads_through_link(&self.repository.worktree, &file) {
            collection.add(tracked.path, content, tracked.was);
        }
        Ok(())
    }

    /// Whether a file outside the sparse checkout is not on disk. Remembers a missing directory, because most of its
    /// siblings are missing with it.
    fn is_absent(&mut self, tracked: &TrackedFile<'_>) -> bool {
        if !matches!(tracked.expected, ExpectedLocation::Sparse) {
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

    /// The path on disk. Fails for a path that git would not write: outside the worktree, or inside `.git`.
    fn file(&self, path: &[u8]) -> Result<PathBuf, GitError> {
        let native = native(path).ok_or_else(|| GitError::Index {
            path: self.repository.index_file.clone(),
            what: format!("it contains the path {:?}", path.as_bstr()),
        })?;
        Ok(self.repository.worktree.join(native))
    }

    fn is_unchanged(&mut self, tracked: &TrackedFile<'_>, file: &Path, metadata: &Metadata) -> bool {
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

    /// The kind of the file in git; `None` if git cannot store it.
    fn kind(&self, tracked: &TrackedFile<'_>, metadata: &Metadata) -> Option<EntryKind> {
        if metadata.is_symlink() {
            return Some(EntryKind::Link);
        }
        if !metadata.is_file() {
            return None;
        }
        Some(match tracked.staged {
            Some(staged) if !self.file_mode && is_blob(staged.kind) => staged.kind,
            _ if self.file_mode && metadata.is_executable() => EntryKind::BlobExecutable,
            _ => EntryKind::Blob,
        })
    }

    fn is_as_in_index(
        &self,
        tracked: &TrackedFile<'_>,
        kind: Option<EntryKind>,
        metadata: &Metadata,
    ) -> bool {
        let Some((remembered, staged)) = tracked.stat.zip(tracked.staged) else { return false };
        Some(staged.kind) == kind && is_remembered(self.index, remembered, metadata)
    }

    fn converter(&mut self) -> Option<&mut ToGit<'a>> {
        self.converter.get_or_insert_with(|| ToGit::new(self.repository, self.index).ok()).as_mut()
    }
}

/// Whether the file on disk has the size and times that the index records.
pub(super) fn is_as_remembered(repository: &Repository, index: &State, entry: &gix::index::Entry) -> bool {
    let Ok(path) = gix::path::from_byte_slice(entry.path(index)) else { return false };
    let metadata = Metadata::from_path_no_follow(&repository.worktree.join(path));
    metadata.is_ok_and(|metadata| metadata.is_file() && is_remembered(index, &entry.stat, &metadata))
}

fn is_remembered(index: &State, remembered: &Stat, metadata: &Metadata) -> bool {
    Stat::from_fs(metadata).is_ok_and(|stat| has_stat(index, remembered, &stat))
}

/// Whether size and times match the index and were recorded safely after the last change.
pub(super) fn has_stat(index: &State, remembered: &Stat, stat: &Stat) -> bool {
    remembered.matches(stat, STAT) && !remembered.is_racy(index.timestamp(), STAT)
}

fn is_blob(kind: EntryKind) -> bool {
    matches!(kind, EntryKind::Blob | EntryKind::BlobExecutable)
}

/// The path in the system's form; `None` if git would not write it to an index.
pub(super) fn native(path: &[u8]) -> Option<PathBuf> {
    let bad = |name: &[u8]| matches!(name, b"" | b"." | b"..") || name.eq_ignore_ascii_case(b".git");
    let is_bad = path.strip_suffix(b"/").unwrap_or(path).split(|&byte| byte == b'/').any(bad);
    if is_bad { None } else { gix::path::from_byte_slice(path).ok().map(Path::to_owned) }
}

/// Whether a directory above the file is a link. To git, the file is then gone.
fn leads_through_link(worktree: &Path, file: &Path) -> bool {
    let mut parents = file.ancestors().skip(1).take_while(|parent| *parent != worktree);
    parents.any(|parent| parent.is_symlink())
}
