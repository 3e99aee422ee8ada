//! The format of a cache file: magic, key, entries sorted by path, SHA-256 of all of it.
//!
//! The file is read and written as a whole.

use std::cmp::Ordering;
use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Read as _};
use std::ops::Range;
use std::path::Path;

use super::key::{LENGTH, Sha256Digest};
use super::{NewResult, PresentFiles};
use crate::codec::{Decoder, put_bytes, put_number};
use crate::stamp::Stamp;

/// The first bytes of a cache file. The number is the format version.
const MAGIC: &[u8] = b"phaser results 3\n";

/// The largest cache file, in bytes.
pub const MAX_SIZE: usize = 64 * 1024 * 1024;

/// The limit on contents remembered per file.
pub const MAX_VARIANTS: usize = 4;

/// The number of saved runs after which a missing file is forgotten.
pub const MAX_AGE: u8 = 16;

/// Why a cache file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unusable {
    /// It cannot be read.
    Unreadable(String),
    /// Wrong magic, key or checksum, or malformed entries.
    Damaged,
}

/// The entries of a cache file.
#[derive(Default)]
pub struct CacheFile {
    bytes: Vec<u8>,
    places: Vec<EntryRange>,
}

impl std::fmt::Debug for CacheFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CacheFile({} files)", self.places.len())
    }
}

/// The position of an entry in the file.
struct EntryRange {
    path: Range<usize>,
    /// Everything after the path.
    rest: Range<usize>,
}

/// What is cached for one path.
#[derive(Debug, Clone, Copy)]
pub struct CacheEntry<'a> {
    /// The number of saved runs since the file was last present.
    pub age: u8,
    /// The stamp of the file with the content of the first variant.
    pub stamp: Option<Stamp>,
    variants: Decoder<'a>,
}

/// A content of the file, and its result.
#[derive(Debug, Clone, Copy)]
pub struct Variant<'a> {
    /// The digest of the content.
    pub content: Sha256Digest,
    /// The encoded result.
    pub record: &'a [u8],
}

impl<'a> Variant<'a> {
    fn take(bytes: &mut Decoder<'a>) -> Option<Self> {
        let (content, rest) = bytes.0.split_first_chunk()?;
        bytes.0 = rest;
        Some(Self { content: Sha256Digest(*content), record: bytes.bytes()? })
    }
}

impl<'a> CacheEntry<'a> {
    fn take(bytes: &mut Decoder<'a>) -> Option<Self> {
        let age = bytes.byte()?;
        let stamp = match bytes.byte()? {
            0 => None,
            1 => Some(Stamp::take(bytes)?),
            _ => return None,
        };
        Some(Self { age, stamp, variants: Decoder(bytes.bytes()?) })
    }

    /// An entry for a new path.
    pub fn unknown() -> Self {
        Self { age: 0, stamp: None, variants: Decoder(&[]) }
    }

    /// The entry of a file that is present, with this stamp.
    pub fn seen(self, stamp: Option<Stamp>) -> Self {
        Self { age: 0, stamp, ..self }
    }

    /// The entry with another age.
    pub fn aged(self, age: u8) -> Self {
        Self { age, ..self }
    }

    /// The contents, most recent first.
    pub fn variants(&self) -> impl Iterator<Item = Variant<'a>> + use<'a> {
        let mut rest = self.variants;
        std::iter::from_fn(move || Variant::take(&mut rest))
    }
}

impl CacheFile {
    /// Reads a cache file; empty if there is none.
    pub fn read(file: &Path, context: &Sha256Digest) -> Result<Self, Unusable> {
        let unreadable = |error: std::io::Error| Unusable::Unreadable(error.to_string());
        let metadata = match fs::symlink_metadata(file) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(Self::default());
            }
            other => other.map_err(unreadable)?,
        };
        // Opening anything else may block, or lead elsewhere.
        let size = Some(metadata).filter(Metadata::is_file).map(|metadata| metadata.len());
        let size = size.and_then(|size| usize::try_from(size).ok()).filter(|size| *size <= MAX_SIZE);
        let mut bytes = Vec::with_capacity(size.ok_or(Unusable::Damaged)?);
        let most = MAX_SIZE as u64 + 1;
        File::open(file).and_then(|file| file.take(most).read_to_end(&mut bytes)).map_err(unreadable)?;
        Self::parse(bytes, context).ok_or(Unusable::Damaged)
    }

    /// Parses a cache file; `None` if it is damaged or has another key.
    pub fn parse(bytes: Vec<u8>, context: &Sha256Digest) -> Option<Self> {
        let (body, checksum) = bytes.split_last_chunk::<LENGTH>()?;
        let entries = body.strip_prefix(MAGIC)?.strip_prefix(&context.0)?;
        if Sha256Digest::of(body).0 != *checksum {
            return None;
        }
        let mut rest = Decoder(entries);
        let mut places: Vec<EntryRange> = Vec::with_capacity(entries.len() / 128);
        let at = |rest: &Decoder<'_>| body.len() - rest.0.len();
        while !rest.0.is_empty() {
            let path = rest.bytes()?;
            let path = at(&rest) - path.len()..at(&rest);
            let start = at(&rest);
            CacheEntry::take(&mut rest)?;
            let in_order = places.last().is_none_or(|last| body[last.path.clone()] < body[path.clone()]);
            places.push(EntryRange { path: Some(path).filter(|_| in_order)?, rest: start..at(&rest) });
        }
        Some(Self { bytes, places })
    }

    /// Looks up a path. `next` is a hint: the index that is tried first, and afterwards that of the following entry.
    pub fn find(&self, path: &[u8], next: &mut usize) -> Option<CacheEntry<'_>> {
        let is_next = self.places.get(*next).is_some_and(|place| self.bytes[place.path.clone()] == *path);
        if !is_next {
            let by_path = |place: &EntryRange| self.bytes[place.path.clone()].cmp(path);
            *next = self.places.binary_search_by(by_path).ok()?;
        }
        let place = &self.places[*next];
        *next += 1;
        self.entry(place)
    }

    fn entry(&self, place: &EntryRange) -> Option<CacheEntry<'_>> {
        CacheEntry::take(&mut Decoder(&self.bytes[place.rest.clone()]))
    }

    /// All entries, sorted by path.
    pub fn entries(&self) -> impl Iterator<Item = (&[u8], CacheEntry<'_>)> {
        let entry = |place| self.entry(place);
        self.places.iter().filter_map(move |place| Some((&self.bytes[place.path.clone()], entry(place)?)))
    }
}

/// Builds a cache file.
#[derive(Debug)]
pub struct CacheWriter {
    bytes: Vec<u8>,
}

impl CacheWriter {
    /// An empty cache file for a key.
    pub fn new(context: &Sha256Digest) -> Self {
        Self { bytes: [MAGIC, &context.0].concat() }
    }

    /// Appends an entry, whose path sorts after all others, with `first` as its first variant. Dropped if the file
    /// would get too large.
    pub fn add(&mut self, path: &[u8], about: CacheEntry<'_>, first: Option<Variant<'_>>) {
        let before = self.bytes.len();
        let others =
            about.variants().filter(|other| first.is_none_or(|first| first.content != other.content));
        let mut variants = Vec::new();
        for Variant { content, record } in first.into_iter().chain(others).take(MAX_VARIANTS) {
            variants.extend(content.0);
            put_bytes(&mut variants, record);
        }
        put_bytes(&mut self.bytes, path);
        self.bytes.extend([about.age, u8::from(about.stamp.is_some())]);
        if let Some(stamp) = about.stamp {
            stamp.put(&mut self.bytes);
        }
        put_number(&mut self.bytes, variants.len());
        self.bytes.extend(variants);
        if self.bytes.len() + LENGTH > MAX_SIZE {
            self.bytes.truncate(before);
        }
    }

    /// The bytes of the file, with their checksum.
    pub fn finish(mut self) -> Vec<u8> {
        let checksum = Sha256Digest::of(&self.bytes);
        self.bytes.extend(checksum.0);
        self.bytes
    }
}

/// Merges cached and new results, both sorted. A missing file is kept for `MAX_AGE` saved runs: it may come back
/// with another branch.
pub fn merged(
    context: &Sha256Digest,
    kept: &CacheFile,
    fresh: &[NewResult],
    seen: PresentFiles<'_>,
) -> Vec<u8> {
    let mut draft = CacheWriter::new(context);
    let mut fresh = fresh.iter().peekable();
    let mut present = PresentPaths::new(seen);
    for (path, entry) in kept.entries() {
        while let Some(new) = fresh.next_if(|new| new.path.as_bytes() < path) {
            add(&mut draft, new, CacheEntry::unknown());
        }
        if let Some(new) = fresh.next_if(|new| new.path.as_bytes() == path) {
            add(&mut draft, new, entry);
            continue;
        }
        let age = if present.has(path) { 0 } else { entry.age.saturating_add(1) };
        let age = if present.is_known() { age } else { entry.age };
        if age <= MAX_AGE {
            draft.add(path, entry.aged(age), None);
        }
    }
    fresh.for_each(|new| add(&mut draft, new, CacheEntry::unknown()));
    draft.finish()
}

fn add(draft: &mut CacheWriter, new: &NewResult, known: CacheEntry<'_>) {
    let first = Variant { content: new.content, record: &new.record };
    draft.add(new.path.as_bytes(), known.seen(new.stamp), Some(first));
}

/// A cursor over the present files, queried in path order.
struct PresentPaths<'a> {
    seen: PresentFiles<'a>,
    passed: usize,
}

impl<'a> PresentPaths<'a> {
    fn new(seen: PresentFiles<'a>) -> Self {
        Self { seen, passed: 0 }
    }

    fn is_known(&self) -> bool {
        matches!(self.seen, PresentFiles::Everything(_))
    }

    fn has(&mut self, path: &[u8]) -> bool {
        let PresentFiles::Everything(paths) = self.seen else { return true };
        while let Some(next) = paths.get(self.passed) {
            match next.as_bytes().cmp(path) {
                Ordering::Less => self.passed += 1,
                Ordering::Equal => return true,
                Ordering::Greater => return false,
            }
        }
        false
    }
}
