//! The paths of all files that the next commit would contain, listed only when somebody asks.
//!
//! In a large project the list takes longer than everything else, and few contracts need it.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use gix::bstr::ByteSlice;
use gix::index::entry::Mode;

use super::blob::BlobReader;
use super::compare;
use super::repository::Repository;
use super::worktree;
use crate::path::RelPath;
use phaser_core::skipped::{Skipped, Why};

/// All files that the next commit would contain.
#[derive(Clone)]
pub struct Listing(Arc<Indexed>);

/// An index, and the repository that it belongs to.
struct Indexed {
    /// A repository serves one thread at a time.
    repository: Mutex<Repository>,
    index: gix::index::File,
}

impl Listing {
    pub(super) fn new(repository: Repository, index: gix::index::File) -> Self {
        Self(Arc::new(Indexed { repository: Mutex::new(repository), index }))
    }

    /// The files below a directory of the project that may not be the same on disk, by their paths from there, with their
    /// bytes; a file that cannot be read, or is not one, is left out.
    pub fn differing_files_in(&self, directory: &RelPath) -> Vec<(String, Vec<u8>)> {
        let Indexed { repository, index } = &*self.0;
        let repository = &*repository.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(directory) = repository.path_in_worktree(directory) else { return Vec::new() };
        let inside = [&directory[..], b"/"].concat();
        let entries = index.prefixed_entries(inside.as_bstr()).unwrap_or_default();
        let mut reader = BlobReader::default();
        let mut files = Vec::new();
        for entry in entries.iter().filter(|entry| compare::is_committed(entry)) {
            let Ok(name) = entry.path(index)[inside.len()..].to_str() else { continue };
            if matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE)
                && !worktree::is_as_remembered(repository, index, entry)
                && let Ok(bytes) = reader.read(&repository.objects.blob(entry.id), u64::MAX)
            {
                files.push((name.to_owned(), bytes));
            }
        }
        files
    }

    /// Is there a file below a directory of the project?
    pub fn has_files_in(&self, directory: &RelPath) -> bool {
        let Indexed { repository, index } = &*self.0;
        let repository = &*repository.lock().unwrap_or_else(PoisonError::into_inner);
        let inside = repository.path_in_worktree(directory).map(|path| [&path[..], b"/"].concat());
        inside.is_some_and(|inside| index.prefixed_entries(inside.as_bstr()).is_some())
    }

    /// The bytes of a file of the project, if it is staged and may not be the same on disk.
    pub fn differing_file(&self, path: &RelPath) -> Option<Vec<u8>> {
        let Indexed { repository, index } = &*self.0;
        let repository = &*repository.lock().unwrap_or_else(PoisonError::into_inner);
        let path = repository.path_in_worktree(path)?;
        let entry = index.entry_by_path(path.as_bstr()).filter(|entry| compare::is_committed(entry))?;
        let is_file = matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE);
        if !is_file || worktree::is_as_remembered(repository, index, entry) {
            return None;
        }
        BlobReader::default().read(&repository.objects.blob(entry.id), u64::MAX).ok()
    }

    /// Is this file of the project among them? What lies in a directory that the index has as a whole is taken to be.
    pub fn has(&self, path: &RelPath) -> bool {
        let Indexed { repository, index } = &*self.0;
        let repository = &*repository.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(path) = repository.path_in_worktree(path) else { return false };
        let has = |path: &[u8]| index.entry_by_path(path.as_bstr());
        has(&path).is_some_and(compare::is_committed)
            || memchr::memchr_iter(b'/', &path).any(|slash| has(&path[..=slash]).is_some())
    }

    /// The same without a guess: nothing when the index has directories as a whole.
    pub fn has_exactly(&self, path: &RelPath) -> Option<bool> {
        (!self.0.index.is_sparse()).then(|| self.has(path))
    }

    /// Calls `each` with one path after another until it breaks; fails with the directory that could not be listed.
    pub fn each_path(&self, mut each: impl FnMut(&RelPath) -> ControlFlow<()>) -> Result<(), Skipped> {
        let Indexed { repository, index } = &*self.0;
        let repository = &*repository.lock().unwrap_or_else(PoisonError::into_inner);
        let mut visit = |path: &[u8]| match repository.project_path(path) {
            Some(path) => each(&path),
            None => ControlFlow::Continue(()),
        };
        for entry in index.entries().iter().filter(|entry| compare::is_committed(entry)) {
            let path = entry.path(index);
            let seen = if entry.mode.is_sparse() {
                let files = compare::files(repository, path, entry.id).map_err(|error| Skipped {
                    path: RelPath::from_bytes(path.as_bytes()),
                    why: Why::Unreadable(error.to_string()),
                })?;
                files.iter().try_for_each(|file| visit(&file.path))
            } else {
                visit(path)
            };
            if seen.is_break() {
                break;
            }
        }
        Ok(())
    }
}

impl PartialEq for Listing {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Listing {}

impl fmt::Debug for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Listing({} entries)", self.0.index.entries().len())
    }
}
