//! The file with results: entries in the order of their paths, between a head that says what they are for and a checksum.
//!
//! It is read whole, and replaced whole. Without the right head and the right checksum, nothing of it is believed.

use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Read as _};
use std::ops::Range;
use std::path::Path;

use super::identity::{Identity, LENGTH};
use crate::codec::{Bytes, put_bytes, put_number};
use crate::stamp::Stamp;

/// What a file with results starts with. The number changes with its form.
const MAGIC: &[u8] = b"phaser results 3\n";

/// The largest that is read or written, in bytes.
pub const MAX_SIZE: usize = 64 * 1024 * 1024;

/// The most contents that are known of one file.
pub const MAX_VARIANTS: usize = 4;

/// In how many runs that have something to write a file may be missing before it is forgotten.
pub const MAX_AGE: u8 = 16;

/// Why a file with results cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unusable {
    /// It cannot be read, for this reason.
    Unreadable(String),
    /// It is not what phaser has written.
    Damaged,
}

/// The results of earlier runs.
#[derive(Default)]
pub struct Kept {
    bytes: Vec<u8>,
    places: Vec<Place>,
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Kept({} files)", self.places.len())
    }
}

/// Where an entry is.
struct Place {
    path: Range<usize>,
    /// Its other parts.
    rest: Range<usize>,
}

/// What is known of one file.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// In how many runs with something to write it was missing, up to now.
    pub age: u8,
    /// Its state when its content was the first variant, if it is known.
    pub stamp: Option<Stamp>,
    variants: Bytes<'a>,
}

/// A content that a file had, and what became of it.
#[derive(Debug, Clone, Copy)]
pub struct Variant<'a> {
    /// The content.
    pub content: Identity,
    /// What became of it.
    pub record: &'a [u8],
}

impl<'a> Variant<'a> {
    fn take(bytes: &mut Bytes<'a>) -> Option<Self> {
        let (content, rest) = bytes.0.split_first_chunk()?;
        bytes.0 = rest;
        Some(Self { content: Identity(*content), record: bytes.bytes()? })
    }
}

impl<'a> Entry<'a> {
    fn take(bytes: &mut Bytes<'a>) -> Option<Self> {
        let age = bytes.byte()?;
        let stamp = match bytes.byte()? {
            0 => None,
            1 => Some(Stamp::take(bytes)?),
            _ => return None,
        };
        Some(Self { age, stamp, variants: Bytes(bytes.bytes()?) })
    }

    /// A file of which nothing is known.
    pub fn unknown() -> Self {
        Self { age: 0, stamp: None, variants: Bytes(&[]) }
    }

    /// The same, when the file is in this state now.
    pub fn seen(self, stamp: Option<Stamp>) -> Self {
        Self { age: 0, stamp, ..self }
    }

    /// The same, after so many runs without the file.
    pub fn aged(self, age: u8) -> Self {
        Self { age, ..self }
    }

    /// The contents that it had, the last one first.
    pub fn variants(&self) -> impl Iterator<Item = Variant<'a>> + use<'a> {
        let mut rest = self.variants;
        std::iter::from_fn(move || Variant::take(&mut rest))
    }
}

impl Kept {
    /// The results in a file; none when there is no file.
    pub fn read(file: &Path, context: &Identity) -> Result<Self, Unusable> {
        let unreadable = |error: std::io::Error| Unusable::Unreadable(error.to_string());
        let metadata = match fs::symlink_metadata(file) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(Self::default());
            }
            other => other.map_err(unreadable)?,
        };
        // Opening anything else might hang, or lead elsewhere.
        let size = Some(metadata).filter(Metadata::is_file).map(|metadata| metadata.len());
        let size = size.and_then(|size| usize::try_from(size).ok()).filter(|size| *size <= MAX_SIZE);
        let mut bytes = Vec::with_capacity(size.ok_or(Unusable::Damaged)?);
        let most = MAX_SIZE as u64 + 1;
        File::open(file).and_then(|file| file.take(most).read_to_end(&mut bytes)).map_err(unreadable)?;
        Self::parse(bytes, context).ok_or(Unusable::Damaged)
    }

    /// The results in some bytes, if they are for this context and whole.
    pub fn parse(bytes: Vec<u8>, context: &Identity) -> Option<Self> {
        let (body, checksum) = bytes.split_last_chunk::<LENGTH>()?;
        let entries = body.strip_prefix(MAGIC)?.strip_prefix(&context.0)?;
        if Identity::of(body).0 != *checksum {
            return None;
        }
        let mut rest = Bytes(entries);
        let mut places: Vec<Place> = Vec::with_capacity(entries.len() / 128);
        let at = |rest: &Bytes<'_>| body.len() - rest.0.len();
        while !rest.0.is_empty() {
            let path = rest.bytes()?;
            let path = at(&rest) - path.len()..at(&rest);
            let start = at(&rest);
            Entry::take(&mut rest)?;
            let in_order = places.last().is_none_or(|last| body[last.path.clone()] < body[path.clone()]);
            places.push(Place { path: Some(path).filter(|_| in_order)?, rest: start..at(&rest) });
        }
        Some(Self { bytes, places })
    }

    /// What is known of the file at a path; `next` is where it is expected, and where the one after it is afterwards.
    pub fn find(&self, path: &[u8], next: &mut usize) -> Option<Entry<'_>> {
        let is_next = self.places.get(*next).is_some_and(|place| self.bytes[place.path.clone()] == *path);
        if !is_next {
            let by_path = |place: &Place| self.bytes[place.path.clone()].cmp(path);
            *next = self.places.binary_search_by(by_path).ok()?;
        }
        let place = &self.places[*next];
        *next += 1;
        self.entry(place)
    }

    fn entry(&self, place: &Place) -> Option<Entry<'_>> {
        Entry::take(&mut Bytes(&self.bytes[place.rest.clone()]))
    }

    /// All files, in the order of their paths, and what is known of them.
    pub fn entries(&self) -> impl Iterator<Item = (&[u8], Entry<'_>)> {
        let entry = |place| self.entry(place);
        self.places.iter().filter_map(move |place| Some((&self.bytes[place.path.clone()], entry(place)?)))
    }
}

/// A file with results that is being put together.
#[derive(Debug)]
pub struct Draft {
    bytes: Vec<u8>,
}

impl Draft {
    /// The start of a file for a context.
    pub fn new(context: &Identity) -> Self {
        Self { bytes: [MAGIC, &context.0].concat() }
    }

    /// Adds what is known of the file at a path, which comes after all that are there, if there is room for it.
    pub fn add(&mut self, path: &[u8], about: Entry<'_>, first: Option<Variant<'_>>) {
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

    /// The bytes of the file.
    pub fn finish(mut self) -> Vec<u8> {
        let checksum = Identity::of(&self.bytes);
        self.bytes.extend(checksum.0);
        self.bytes
    }
}
