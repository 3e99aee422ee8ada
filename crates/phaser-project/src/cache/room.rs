//! How much room results take: files that were not written for long make room for others.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::PREFIX;
use super::store::MAX_SIZE;
use crate::atomic_write::is_left_over;

/// The most files with results in a directory: one for each project, set of contracts and phaser.
const MAX_FILES: usize = 16;

/// The most bytes that they have together.
const MAX_TOTAL: u64 = 4 * MAX_SIZE as u64;

/// After this time, nobody is still writing a file.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// How much room results take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Used {
    /// How many files there are.
    pub files: usize,
    /// How many bytes they have.
    pub bytes: u64,
}

/// How much room the results in a directory take.
pub fn used(directory: &Path) -> Used {
    let mut used = Used::default();
    for Named { metadata, .. } in files(directory).filter(Named::holds_results) {
        used.files += 1;
        used.bytes += metadata.len();
    }
    used
}

/// Removes the files that were written longest ago, so that what is left is bounded, and what a run has left that was
/// killed. The one that was just written stays. That something cannot be removed changes nothing.
pub fn make_room(directory: &Path, written: &Path) {
    let (mut results, others): (Vec<_>, Vec<_>) = files(directory).partition(Named::holds_results);
    let age = |named: &Named| {
        let written = named.metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        SystemTime::now().duration_since(written).unwrap_or_default()
    };
    for left in others.iter().filter(|named| is_left_over(&named.path) && age(named) > ABANDONED) {
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

/// A regular file in a directory.
struct Named {
    path: PathBuf,
    metadata: Metadata,
}

impl Named {
    fn holds_results(&self) -> bool {
        self.path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(PREFIX.as_bytes()))
    }
}

fn files(directory: &Path) -> impl Iterator<Item = Named> {
    let is_directory = fs::symlink_metadata(directory).is_ok_and(|metadata| metadata.is_dir());
    let entries = is_directory.then(|| fs::read_dir(directory).ok()).flatten();
    entries.into_iter().flatten().flatten().filter_map(|entry| {
        let metadata = entry.metadata().ok().filter(Metadata::is_file)?;
        Some(Named { path: entry.path(), metadata })
    })
}
