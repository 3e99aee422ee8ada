//! Bounds the size of the cache directory: the least recently written files are deleted.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::PREFIX;
use super::store::MAX_SIZE;
use crate::atomic_write::is_temporary;

/// The limit on cache files in a directory.
const MAX_FILES: usize = 16;

/// The limit on their total size, in bytes.
const MAX_TOTAL: u64 = 4 * MAX_SIZE as u64;

/// The age at which a temporary file is considered abandoned.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// The size of a cache directory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheSize {
    /// The number of cache files.
    pub files: usize,
    /// Their total size.
    pub bytes: u64,
}

/// The size of a cache directory.
pub fn used(directory: &Path) -> CacheSize {
    let mut used = CacheSize::default();
    for StoredFile { metadata, .. } in files(directory).filter(StoredFile::holds_results) {
        used.files += 1;
        used.bytes += metadata.len();
    }
    used
}

/// Deletes the oldest cache files beyond the limits, except `written`, and abandoned temporary files. Errors are
/// ignored.
pub(super) fn evict(written: &Path) {
    let Some(directory) = written.parent() else { return };
    let (mut results, others): (Vec<_>, Vec<_>) = files(directory).partition(StoredFile::holds_results);
    let age = |named: &StoredFile| {
        let written = named.metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        SystemTime::now().duration_since(written).unwrap_or_default()
    };
    for left in others.iter().filter(|named| is_temporary(&named.path) && age(named) > ABANDONED) {
        let _ = fs::remove_file(&left.path);
    }
    results.sort_by_key(|named| (named.path != written, age(named)));
    let mut total = 0;
    for (number, named) in results.iter().enumerate() {
        total += named.metadata.len();
        if number > 0 && (number >= MAX_FILES || total > MAX_TOTAL) {
            let _ = fs::remove_file(&named.path);
        }
    }
}

/// A regular file in the cache directory.
struct StoredFile {
    path: PathBuf,
    metadata: Metadata,
}

impl StoredFile {
    fn holds_results(&self) -> bool {
        self.path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(PREFIX.as_bytes()))
    }
}

fn files(directory: &Path) -> impl Iterator<Item = StoredFile> {
    let is_directory = fs::symlink_metadata(directory).is_ok_and(|metadata| metadata.is_dir());
    let entries = is_directory.then(|| fs::read_dir(directory).ok()).flatten();
    entries.into_iter().flatten().flatten().filter_map(|entry| {
        let metadata = entry.metadata().ok().filter(Metadata::is_file)?;
        Some(StoredFile { path: entry.path(), metadata })
    })
}
