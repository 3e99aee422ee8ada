//! Caches the results of a scan between runs.
//!
//! One cache file holds the results for one combination of project, contracts, options and binary; a SHA-256 of these
//! is its key, part of its name and of its header. A file is answered from the cache
//!
//! - without opening it, if its [`Stamp`] (device, inode, size, mtime, ctime) is the recorded one,
//! - without searching it, if its SHA-256 is that of one of the last four contents.
//!
//! # Why this is sound
//!
//! A cached result depends on the path, the content and the key, and on nothing else; one that depends on more (a
//! timeout, an unreadable file) is not cached. Content is identified by SHA-256, so a crafted file cannot pass for
//! another. A stamp identifies content because every write changes ctime, unless it falls into the same tick of the
//! clock. So a stamp is recorded only if the file's ctime is older than the start of the run by more than a tick, on
//! the clock of the file system ([`Stamp::is_settled`]); otherwise the file is hashed the next time. The stamp is
//! taken before the content is read: a write in between gives another stamp.
//!
//! A cache that is damaged, or not phaser's, is ignored and overwritten: its checksum does not match. Without a
//! usable cache the run is slower and its report the same.
//!
//! postcard encodes entries and results, with derived code; `store.rs` frames the entries.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::atomic_write::{new_file_metadata, write_private};
use crate::path::RelPath;
use crate::source::{Coverage, Targets};
use crate::stamp::Stamp;
use phaser_core::contract::Contract;

mod eviction;
mod key;
mod record;
mod store;

pub use eviction::{CacheSize, used};
pub use key::{Inputs, Sha256Digest};
pub use record::FileResult;

use eviction::evict;
use store::{CacheEntry, CacheFile, Variant};

/// The name of the cache directory, in git's common directory or in the user's cache directory.
pub const FOLDER: &str = "phaser";

/// The prefix of cache files.
const PREFIX: &str = "results-";

/// Where results are cached, and for which binary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheLocation {
    /// The directory, which may not exist yet.
    pub directory: PathBuf,
    /// Distinguishes builds of the same version.
    pub program: String,
}

/// Results of earlier runs, and new ones of this run.
#[derive(Debug)]
pub struct Cache {
    file: PathBuf,
    key: Sha256Digest,
    kept: CacheFile,
    /// The contracts, which results reference by index.
    contracts: Vec<Arc<Contract>>,
    /// The stamp of a file created at the start of the run, or why there is none. Without it nothing is saved.
    start: Result<Stamp, String>,
    /// Problems with the cache. They never change a report.
    notes: Vec<String>,
    fresh: Mutex<Vec<NewResult>>,
}

/// The result of one file in this run.
#[derive(Debug)]
struct NewResult {
    path: RelPath,
    /// The stamp from before the file was read, if every later change shows in it.
    stamp: Option<Stamp>,
    content: Sha256Digest,
    record: Vec<u8>,
}

impl Cache {
    /// Opens the cache for these inputs. Creates its directory.
    pub fn open(location: &CacheLocation, inputs: Inputs<'_>) -> Self {
        let directory = &location.directory;
        let key = inputs.key(&location.program);
        let start = make(directory).and_then(|()| {
            let metadata = new_file_metadata(directory).map_err(|error| error.to_string())?;
            Stamp::from_metadata(&metadata).ok_or_else(|| "the system has no time of change".to_owned())
        });
        let file = directory.join(format!("{PREFIX}{}", key.short()));
        let mut notes = Vec::new();
        let kept = store::read(&file, &key).unwrap_or_else(|what| {
            notes.push(format!("ignoring cache {}: {what}", file.display()));
            CacheFile::default()
        });
        Self { file, key, kept, contracts: inputs.contracts.to_vec(), start, notes, fresh: Mutex::default() }
    }

    /// Looks up a file by its path in the project. `on_disk` is its path on disk; `next` makes lookups in the order of
    /// paths fast.
    pub fn find(&self, path: &RelPath, on_disk: &Path, next: &mut usize) -> CacheLookup<'_> {
        let entry = self.kept.find(path, next);
        let mut stamp = None;
        if let Some(CacheEntry { stamp: Some(known), variants }) = &entry {
            stamp = Stamp::of(on_disk);
            let unchanged = variants.first().filter(|_| stamp == Some(*known));
            if let Some(result) = unchanged.and_then(|variant| self.decode(variant, path)) {
                return CacheLookup::Unchanged(result);
            }
        }
        CacheLookup::ToRead(ToRead { cache: self, entry, stamp })
    }

    /// Saves new results of a check of `targets`. Returns the problems with the cache.
    pub fn save(self, targets: &Targets) -> Vec<String> {
        let Self { file, key, kept, start, mut notes, fresh, .. } = self;
        let fresh = fresh.into_inner().unwrap_or_else(PoisonError::into_inner);
        if fresh.is_empty() {
            return notes;
        }
        let present: Option<HashSet<&[u8]>> = (targets.coverage == Coverage::Whole)
            .then(|| targets.targets.iter().map(|target| target.path.as_bytes()).collect());
        let written = start.and_then(|_| {
            let bytes = store::merged(&key, &kept, &fresh, present.as_ref());
            write_private(&file, &bytes).map_err(|error| error.to_string())
        });
        match written {
            Ok(()) => evict(&file),
            Err(error) => notes.push(format!("cannot write cache {}: {error}", file.display())),
        }
        notes
    }

    fn decode(&self, variant: &Variant<'_>, path: &RelPath) -> Option<FileResult> {
        record::decode(variant.record, &self.contracts, path)
    }

    fn keep(&self, fresh: NewResult) {
        self.fresh.lock().unwrap_or_else(PoisonError::into_inner).push(fresh);
    }
}

/// Creates the cache directory for the user only: results contain source text.
fn make(directory: &Path) -> Result<(), String> {
    match fs::symlink_metadata(directory) {
        // A link may lead anywhere.
        Ok(metadata) if !metadata.is_dir() => return Err("it is not a directory".to_owned()),
        Ok(_) => return Ok(()),
        Err(_) => {}
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(directory).map_err(|error| error.to_string())
}

/// The result of a lookup.
#[derive(Debug)]
pub enum CacheLookup<'c> {
    /// The file is unchanged.
    Unchanged(FileResult),
    /// The content decides.
    ToRead(ToRead<'c>),
}

/// A file to read before its result is known.
#[derive(Debug)]
pub struct ToRead<'c> {
    cache: &'c Cache,
    entry: Option<CacheEntry<'c>>,
    /// The stamp, if it was taken.
    stamp: Option<Stamp>,
}

/// A file with a content that is not in the cache.
#[derive(Debug)]
pub struct ToKeep<'c> {
    cache: &'c Cache,
    stamp: Option<Stamp>,
    content: Sha256Digest,
}

impl<'c> ToRead<'c> {
    /// Takes the stamp, which must happen before the file is read. Drops it if a later change might not show in it.
    #[must_use]
    pub fn stamped(self, on_disk: &Path) -> Self {
        let stamp = self.stamp.or_else(|| Stamp::of(on_disk));
        let would_show = |stamp: &Stamp| self.cache.start.as_ref().is_ok_and(|start| stamp.is_settled(start));
        Self { stamp: stamp.filter(would_show), ..self }
    }

    /// The cached result for this content.
    pub fn with_content(self, path: &RelPath, bytes: &[u8]) -> Result<FileResult, ToKeep<'c>> {
        let Self { cache, entry, stamp } = self;
        let content = Sha256Digest::of(bytes);
        let mut known = entry.into_iter().flat_map(|entry| entry.variants);
        let known = known.find(|variant| variant.content == content);
        match known.and_then(|known| Some((cache.decode(&known, path)?, known.record.to_vec()))) {
            Some((result, record)) => {
                cache.keep(NewResult { path: path.clone(), stamp, content, record });
                Ok(result)
            }
            None => Err(ToKeep { cache, stamp, content }),
        }
    }
}

impl ToKeep<'_> {
    /// Adds the result of this run, unless it depends on more than the content. `exists` are the contracts that the
    /// file satisfies by existing.
    pub fn keep(self, path: &RelPath, result: &FileResult, exists: &[usize]) {
        let Self { cache, stamp, content } = self;
        if let Some(record) = record::encode(result, exists, &cache.contracts, path) {
            cache.keep(NewResult { path: path.clone(), stamp, content, record });
        }
    }
}

#[cfg(test)]
mod tests;
