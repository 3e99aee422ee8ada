//! What a run found out about files, kept for the next one.
//!
//! One file holds the results for one project, one set of contracts and one phaser: its name, and its first bytes, say
//! which. A file of the project whose state (inode, size and times, as git compares them) is the one that was written down
//! is not opened; one with another state and a known content is not searched. What is kept is what the scan found, to the
//! byte. Whatever is doubtful is passed over: then files are searched, as without a cache.
//!
//! Sources and the matcher know nothing of it. The scan asks, and hands in what is new; whoever has opened it saves it.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::atomic_write::{of_a_new_file, replace_in_private};
use crate::path::RelPath;
use crate::stamp::Stamp;
use phaser_core::contract::Contract;

mod identity;
mod key;
mod merge;
mod record;
mod room;
mod store;
mod violations;

pub use identity::Identity;
pub use key::Inputs;
pub use record::{Known, Remembered};
pub use room::used;

use merge::merged;
use room::make_room;
use store::{Entry, Kept, Unusable, Variant};

/// The directory for results, in git's directory or in the user's directory for caches.
pub const FOLDER: &str = "phaser";

/// What the names of files with results start with.
const PREFIX: &str = "results-";

/// Where results are kept, and for which program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The directory, which need not be there yet.
    pub directory: PathBuf,
    /// What tells this phaser from others with the same version.
    pub program: String,
}

/// Results of earlier runs, and of this one.
#[derive(Debug)]
pub struct Cache {
    directory: PathBuf,
    context: Identity,
    kept: Kept,
    /// The contracts that results name by their number.
    contracts: Vec<Arc<Contract>>,
    /// The time before anything was looked at, by the clock of the file system; nothing can be kept without it.
    start: Result<Stamp, String>,
    /// What is wrong with the results of earlier runs.
    passed_over: Option<Note>,
    fresh: Mutex<Vec<Fresh>>,
}

/// What this run has found out about one file.
#[derive(Debug)]
struct Fresh {
    path: RelPath,
    /// Its state before it was read, if any change since then would show in it.
    stamp: Option<Stamp>,
    content: Identity,
    record: Vec<u8>,
}

/// How much of the project a run has looked at.
#[derive(Debug, Clone, Copy)]
pub enum Seen<'a> {
    /// These are all files that there are, in order.
    Everything(&'a [&'a RelPath]),
    /// There may be others.
    Some,
}

/// Something to say about the cache. It never changes what a run finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The results of earlier runs cannot be read, for this reason.
    Unreadable(PathBuf, String),
    /// They are not what phaser has written.
    Damaged(PathBuf),
    /// The results of this run could not be kept, for this reason.
    NotKept(PathBuf, String),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(path, error) => {
                write!(f, "the cache was passed over: {} cannot be read: {error}", path.display())
            }
            Self::Damaged(path) => {
                write!(f, "the cache was passed over: {} is damaged, or not phaser's", path.display())
            }
            Self::NotKept(path, error) => {
                write!(f, "nothing was kept for the next run: {}: {error}", path.display())
            }
        }
    }
}

impl Cache {
    /// The results that are kept at a place for these inputs.
    pub fn open(place: &Place, inputs: Inputs<'_>) -> Self {
        let (directory, contracts) = (place.directory.clone(), inputs.contracts.to_vec());
        let context = inputs.key(&place.program);
        let start = make(&directory).and_then(|()| {
            let metadata = of_a_new_file(&directory).map_err(|error| error.to_string())?;
            Stamp::from_metadata(&metadata).ok_or_else(|| "the system has no time of change".to_owned())
        });
        let file = file(&directory, &context);
        let (kept, passed_over) = match Kept::read(&file, &context) {
            Ok(kept) => (kept, None),
            Err(Unusable::Unreadable(error)) => (Kept::default(), Some(Note::Unreadable(file, error))),
            Err(Unusable::Damaged) => (Kept::default(), Some(Note::Damaged(file))),
        };
        Self { directory, context, kept, contracts, start, passed_over, fresh: Mutex::default() }
    }

    /// Looks for files one after another.
    pub fn look(&self) -> Look<'_> {
        Look { cache: self, next: 0 }
    }

    /// Keeps what is new for the next run. What there is to say about the cache, if anything.
    pub fn save(self, seen: Seen<'_>) -> Vec<Note> {
        let Self { directory, context, kept, start, passed_over, fresh, .. } = self;
        let mut notes = Vec::from_iter(passed_over);
        let mut fresh = fresh.into_inner().unwrap_or_else(PoisonError::into_inner);
        if fresh.is_empty() {
            return notes;
        }
        fresh.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        let file = file(&directory, &context);
        let written = start.and_then(|_| {
            let bytes = merged(&context, &kept, &fresh, seen);
            replace_in_private(&file, &bytes).map_err(|error| error.to_string())
        });
        match written {
            Ok(()) => make_room(&directory, &file),
            Err(error) => notes.push(Note::NotKept(file, error)),
        }
        notes
    }

    fn keep(&self, fresh: Fresh) {
        self.fresh.lock().unwrap_or_else(PoisonError::into_inner).push(fresh);
    }
}

/// The file with the results for a context.
fn file(directory: &Path, context: &Identity) -> PathBuf {
    directory.join(format!("{PREFIX}{}", context.short()))
}

/// Makes the directory for results, if it is not there, for nobody else to look into. What is kept may be secret.
fn make(directory: &Path) -> Result<(), String> {
    match fs::symlink_metadata(directory) {
        // A link might lead anywhere.
        Ok(metadata) if !metadata.is_dir() => return Err("it is not a directory".to_owned()),
        Ok(_) => return Ok(()),
        Err(_) => {}
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(directory).map_err(|error| error.to_string())
}

/// Looks for files one after another, mostly in the order of their paths.
#[derive(Debug)]
pub struct Look<'c> {
    cache: &'c Cache,
    /// Where the next one is expected.
    next: usize,
}

/// What is known of a file.
#[derive(Debug)]
pub enum Found<'c> {
    /// It is as it was, and this became of it.
    Unchanged(Remembered),
    /// It must be read.
    ToRead(ToRead<'c>),
}

/// A file that must be read.
#[derive(Debug)]
pub struct ToRead<'c> {
    cache: &'c Cache,
    entry: Option<Entry<'c>>,
    /// Its state, if it was taken.
    stamp: Option<Stamp>,
}

/// A file that was read, with a content that is not known.
#[derive(Debug)]
pub struct ToKeep<'c> {
    cache: &'c Cache,
    stamp: Option<Stamp>,
    content: Identity,
}

impl<'c> Look<'c> {
    /// What is known of the file at a path of the project, which is `on_disk` and had this state a moment ago, if that was
    /// looked at.
    pub fn find(&mut self, path: &RelPath, on_disk: &Path, stamp: Option<&Stamp>) -> Found<'c> {
        let cache = self.cache;
        let entry = cache.kept.find(path.as_bytes(), &mut self.next);
        let mut stamp = stamp.copied();
        if let Some(Entry { stamp: Some(known), .. }) = entry {
            stamp = stamp.or_else(|| Stamp::of(on_disk));
            let unchanged = entry.filter(|_| stamp == Some(known)).and_then(|entry| entry.variants().next());
            let decode = |variant: Variant<'_>| record::decode(variant.record, &cache.contracts, path);
            if let Some(remembered) = unchanged.and_then(decode) {
                return Found::Unchanged(remembered);
            }
        }
        Found::ToRead(ToRead { cache, entry, stamp })
    }
}

impl<'c> ToRead<'c> {
    /// Takes its state, if that has not been done. Before it is read: if it changes in between, it has another state
    /// afterwards.
    #[must_use]
    pub fn stamped(self, on_disk: &Path) -> Self {
        let stamp = self.stamp.or_else(|| Stamp::of(on_disk));
        let would_show = |stamp: &Stamp| self.cache.start.as_ref().is_ok_and(|start| stamp.is_settled(start));
        Self { stamp: stamp.filter(would_show), ..self }
    }

    /// What became of the file when it had this content, if that is known.
    pub fn with_content(self, path: &RelPath, bytes: &[u8]) -> Result<Remembered, ToKeep<'c>> {
        let Self { cache, entry, stamp } = self;
        let content = Identity::of(bytes);
        let known = entry.and_then(|entry| entry.variants().find(|variant| variant.content == content));
        let remembered = known.and_then(|known| {
            let remembered = record::decode(known.record, &cache.contracts, path)?;
            Some((remembered, known.record.to_vec()))
        });
        match remembered {
            Some((remembered, record)) => {
                cache.keep(Fresh { path: path.clone(), stamp, content, record });
                Ok(remembered)
            }
            None => Err(ToKeep { cache, stamp, content }),
        }
    }
}

impl ToKeep<'_> {
    /// Keeps what became of a file, unless it might be something else the next time.
    pub fn keep(self, path: &RelPath, found: Known<'_>) {
        let Self { cache, stamp, content } = self;
        if let Some(record) = record::encode(found, &cache.contracts, path) {
            cache.keep(Fresh { path: path.clone(), stamp, content, record });
        }
    }
}

#[cfg(test)]
mod tests;
