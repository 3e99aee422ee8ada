//! The paths of all files in the index, listed on demand.
//!
//! In a large project the listing takes longer than everything else, and few contracts need it.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gix::bstr::ByteSlice;
use gix::index::Entry;
use gix::index::entry::{Flags, Mode};

use super::GitLocation;
use super::blob::BlobReader;
use super::change::entry_outside_checkout;
use super::compare;
use super::repository::{ConfigSource, Repository};
use super::tracked;
use crate::path::{RelPath, Root};
use crate::source::view::ListedFiles;
use phaser_core::skipped::{SkipReason, Skipped};

/// All files that the next commit would contain.
#[derive(Clone)]
pub struct Listing(Arc<Indexed>);

/// The committed files that a sparse checkout leaves out. The index is read on first use.
pub struct FilesOutsideCheckout<'a> {
    root: &'a Root,
    location: GitLocation,
    /// `None` without a readable repository.
    listing: OnceLock<Option<Listing>>,
}

impl<'a> FilesOutsideCheckout<'a> {
    /// Those of the project at `root`.
    pub fn new(root: &'a Root, location: GitLocation) -> Self {
        Self { root, location, listing: OnceLock::new() }
    }

    fn listing(&self) -> Option<&Listing> {
        let open = || {
            let repository = Repository::open(self.root, &self.location, ConfigSource::Repository).ok()?;
            let index = repository.index().ok()?;
            Some(Listing::new(repository, index))
        };
        self.listing.get_or_init(open).as_ref()
    }

    /// Whether the file is one of them.
    pub fn has(&self, path: &RelPath) -> bool {
        let Some(Listing(indexed)) = self.listing() else { return false };
        let repository = &*indexed.repository.lock().unwrap_or_else(PoisonError::into_inner);
        let inside = repository.path_in_worktree(path);
        inside.is_some_and(|inside| entry_outside_checkout(repository, &indexed.index, &inside).is_some())
    }

    /// Whether one of them is `wanted`.
    pub fn any(&self, wanted: &dyn Fn(&RelPath) -> bool) -> bool {
        let mut found = false;
        let each = |path: &RelPath| {
            found = wanted(path);
            if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        self.listing().is_some_and(|listing| {
            listing.each_among(&|entry| entry.flags.contains(Flags::SKIP_WORKTREE), each).is_ok()
        }) && found
    }
}

/// An index and its repository.
struct Indexed {
    /// gix repositories are not `Sync`.
    repository: Mutex<Repository>,
    index: gix::index::File,
}

impl Listing {
    pub(super) fn new(repository: Repository, index: gix::index::File) -> Self {
        Self(Arc::new(Indexed { repository: Mutex::new(repository), index }))
    }

    /// The files below a directory of the project that may differ on disk: relative path and staged bytes. Unreadable
    /// and irregular files are left out.
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
                && !tracked::is_as_remembered(repository, index, entry)
                && let Ok(bytes) = reader.read(&repository.objects.blob(entry.id), u64::MAX)
            {
                files.push((name.to_owned(), bytes));
            }
        }
        files
    }

    /// Whether the index has a file below a directory of the project.
    pub fn has_files_in(&self, directory: &RelPath) -> bool {
        let Indexed { repository, index } = &*self.0;
        let repository = &*repository.lock().unwrap_or_else(PoisonError::into_inner);
        let inside = repository.path_in_worktree(directory).map(|path| [&path[..], b"/"].concat());
        inside.is_some_and(|inside| index.prefixed_entries(inside.as_bstr()).is_some())
    }

    /// Whether the index has this file of the project.
    pub fn has_file(&self, path: &RelPath) -> bool {
        let Indexed { repository, index } = &*self.0;
        let repository = &*repository.lock().unwrap_or_else(PoisonError::into_inner);
        let path = repository.path_in_worktree(path);
        path.is_some_and(|path| index.entry_by_path(path.as_bstr()).is_some())
    }

    /// The staged bytes of a file, if it may differ on disk.
    pub fn differing_file(&self, path: &RelPath) -> Option<Vec<u8>> {
        let Indexed { repository, index } = &*self.0;
        let repository = &*repository.lock().unwrap_or_else(PoisonError::into_inner);
        let path = repository.path_in_worktree(path)?;
        let entry = index.entry_by_path(path.as_bstr()).filter(|entry| compare::is_committed(entry))?;
        let is_file = matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE);
        if !is_file || tracked::is_as_remembered(repository, index, entry) {
            return None;
        }
        BlobReader::default().read(&repository.objects.blob(entry.id), u64::MAX).ok()
    }

    /// Whether the index has this file. A file below a sparse directory entry is assumed to exist.
    pub fn has(&self, path: &RelPath) -> bool {
        let Indexed { repository, index } = &*self.0;
        let repository = &*repository.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(path) = repository.path_in_worktree(path) else { return false };
        let has = |path: &[u8]| index.entry_by_path(path.as_bstr());
        has(&path).is_some_and(compare::is_committed)
            || memchr::memchr_iter(b'/', &path).any(|slash| has(&path[..=slash]).is_some())
    }

    /// Like [`Self::has`], but `None` if the index has sparse directories.
    pub fn has_exactly(&self, path: &RelPath) -> Option<bool> {
        (!self.0.index.is_sparse()).then(|| self.has(path))
    }

    /// All files with their content. A sparse directory that cannot be listed is left out.
    pub fn files(&self) -> ListedFiles {
        let Indexed { repository, index } = &*self.0;
        let repository = &*repository.lock().unwrap_or_else(PoisonError::into_inner);
        let mut files = ListedFiles::new();
        for entry in index.entries().iter().filter(|entry| compare::is_committed(entry)) {
            if entry.mode.is_sparse() {
                let inside = compare::files(repository, entry.path(index), entry.id).unwrap_or_default();
                files.extend(super::listed(repository, &inside));
            } else if let Some(path) = repository.project_path(entry.path(index)) {
                let is_file = matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE);
                let blob = is_file.then(|| repository.objects.blob(entry.id));
                files.insert(path.to_text().into_owned(), blob);
            }
        }
        files
    }

    /// Calls `each` with every path until it breaks. Fails with the directory that cannot be listed.
    pub fn each_path(&self, each: impl FnMut(&RelPath) -> ControlFlow<()>) -> Result<(), Skipped> {
        self.each_among(&|_| true, each)
    }

    /// The same, for the files of some entries, and those in sparse directories.
    fn each_among(
        &self,
        some: &dyn Fn(&Entry) -> bool,
        mut each: impl FnMut(&RelPath) -> ControlFlow<()>,
    ) -> Result<(), Skipped> {
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
                    why: SkipReason::Unreadable(error.to_string()),
                })?;
                files.iter().try_for_each(|file| visit(&file.path))
            } else if some(entry) {
                visit(path)
            } else {
                continue;
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
