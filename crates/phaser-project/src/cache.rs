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

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::atomic_write::{new_file_metadata, write_private};
use crate::path::RelPath;
use crate::stamp::Stamp;
use phaser_core::contract::Contract;

mod eviction;
mod key;
mod record;
mod store;
mod violations;

pub use eviction::used;
pub use key::{Inputs, Sha256Digest};
pub use record::FileResult;

use eviction::evict;
use store::{CacheEntry, CacheFile, Unusable, Variant, merged};

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
    directory: PathBuf,
    context: Sha256Digest,
    kept: CacheFile,
    /// The contracts, which results reference by index.
    contracts: Vec<Arc<Contract>>,
    /// The stamp of a file created at the start of the run, or why there is none. Without it nothing is saved.
    start: Result<Stamp, String>,
    /// Why earlier results are ignored.
    unusable: Option<CacheNote>,
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

/// Which files the project has, to forget those that are gone.
#[derive(Debug, Clone, Copy)]
pub enum PresentFiles<'a> {
    /// All of them, sorted.
    Everything(&'a [&'a RelPath]),
    /// Unknown.
    Some,
}

/// A problem with the cache. It never changes a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CacheNote {
    /// Earlier results cannot be read.
    Unreadable(PathBuf, String),
    /// Earlier results are damaged.
    Damaged(PathBuf),
    /// The results of this run cannot be saved.
    NotKept(PathBuf, String),
}

impl fmt::Display for CacheNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(path, error) => {
                write!(f, "ignoring cache {}: cannot read it: {error}", path.display())
            }
            Self::Damaged(path) => {
                write!(f, "ignoring cache {}: damaged or not phaser's", path.display())
            }
            Self::NotKept(path, error) => {
                write!(f, "cannot write cache {}: {error}", path.display())
            }
        }
    }
}

impl Cache {
    /// Opens the cache for these inputs. Creates its directory.
    pub fn open(place: &CacheLocation, inputs: Inputs<'_>) -> Self {
        let (directory, contracts) = (place.directory.clone(), inputs.contracts.to_vec());
        let context = inputs.key(&place.program);
        let start = make(&directory).and_then(|()| {
            let metadata = new_file_metadata(&directory).map_err(|error| error.to_string())?;
            Stamp::from_metadata(&metadata).ok_or_else(|| "the system has no time of change".to_owned())
        });
        let file = file(&directory, &context);
        let (kept, unusable) = match CacheFile::read(&file, &context) {
            Ok(kept) => (kept, None),
            Err(Unusable::Unreadable(error)) => {
                (CacheFile::default(), Some(CacheNote::Unreadable(file, error)))
            }
            Err(Unusable::Damaged) => (CacheFile::default(), Some(CacheNote::Damaged(file))),
        };
        Self { directory, context, kept, contracts, start, unusable, fresh: Mutex::default() }
    }

    /// A reader for one thread.
    pub fn reader(&self) -> CacheReader<'_> {
        CacheReader { cache: self, next: 0 }
    }

    /// Saves new results. Returns the problems with the cache.
    pub fn save(self, seen: PresentFiles<'_>) -> Vec<CacheNote> {
        let Self { directory, context, kept, start, unusable, fresh, .. } = self;
        let mut notes = Vec::from_iter(unusable);
        let mut fresh = fresh.into_inner().unwrap_or_else(PoisonError::into_inner);
        if fresh.is_empty() {
            return notes;
        }
        fresh.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        let file = file(&directory, &context);
        let written = start.and_then(|_| {
            let bytes = merged(&context, &kept, &fresh, seen);
            write_private(&file, &bytes).map_err(|error| error.to_string())
        });
        match written {
            Ok(()) => evict(&directory, &file),
            Err(error) => notes.push(CacheNote::NotKept(file, error)),
        }
        notes
    }

    fn keep(&self, fresh: NewResult) {
        self.fresh.lock().unwrap_or_else(PoisonError::into_inner).push(fresh);
    }
}

/// The cache file for a key.
fn file(directory: &Path, context: &Sha256Digest) -> PathBuf {
    directory.join(format!("{PREFIX}{}", context.short()))
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

/// Looks files up, fastest in the order of their paths.
#[derive(Debug)]
pub struct CacheReader<'c> {
    cache: &'c Cache,
    /// The index of the next entry in path order.
    next: usize,
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

impl<'c> CacheReader<'c> {
    /// Looks up a file by its path in the project. `on_disk` is its path on disk; `stamp` saves a `stat` if the walk
    /// took it.
    pub fn find(&mut self, path: &RelPath, on_disk: &Path, stamp: Option<&Stamp>) -> CacheLookup<'c> {
        let cache = self.cache;
        let entry = cache.kept.find(path.as_bytes(), &mut self.next);
        let mut stamp = stamp.copied();
        if let Some(CacheEntry { stamp: Some(known), .. }) = entry {
            stamp = stamp.or_else(|| Stamp::of(on_disk));
            let unchanged = entry.filter(|_| stamp == Some(known)).and_then(|entry| entry.variants().next());
            let decode = |variant: Variant<'_>| record::decode(variant.record, &cache.contracts, path);
            if let Some(remembered) = unchanged.and_then(decode) {
                return CacheLookup::Unchanged(remembered);
            }
        }
        CacheLookup::ToRead(ToRead { cache, entry, stamp })
    }
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
        let known = entry.and_then(|entry| entry.variants().find(|variant| variant.content == content));
        let remembered = known.and_then(|known| {
            let remembered = record::decode(known.record, &cache.contracts, path)?;
            Some((remembered, known.record.to_vec()))
        });
        match remembered {
            Some((remembered, record)) => {
                cache.keep(NewResult { path: path.clone(), stamp, content, record });
                Ok(remembered)
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
