//! The format of a cache file: magic, key, entries sorted by path, SHA-256 of all of it.
//!
//! The file is read and written as a whole. postcard encodes entries and results. The frame of an entry (path, length,
//! age) is written by hand, so that opening a cache decodes no entry and saving one copies most of them: decoding the
//! 78,000 entries of a kernel tree into a map takes twenty times as long as finding where each begins.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Read as _};
use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::NewResult;
use super::key::{LENGTH, Sha256Digest};
use crate::codec::{Decoder, put_bytes};
use crate::path::RelPath;
use crate::stamp::Stamp;

/// The first bytes of a cache file. The number is the format version.
const MAGIC: &[u8] = b"phaser results 7\n";

/// The largest cache file, in bytes.
pub(super) const MAX_SIZE: usize = 64 * 1024 * 1024;

/// The limit on contents remembered per file.
pub(super) const MAX_VARIANTS: usize = 4;

/// The number of saved runs after which a missing file is forgotten.
pub(super) const MAX_AGE: u8 = 16;

/// The entries of a cache file, sorted by path.
#[derive(Default)]
pub(super) struct CacheFile {
    bytes: Vec<u8>,
    entries: Vec<StoredEntry>,
}

impl std::fmt::Debug for CacheFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CacheFile({} entries)", self.entries.len())
    }
}

/// Ranges of [`CacheFile::bytes`].
struct StoredEntry {
    path: Range<usize>,
    /// The number of saved runs since the file was last present.
    age: u8,
    /// The encoded [`CacheEntry`].
    entry: Range<usize>,
}

/// What is cached for one path.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct CacheEntry<'a> {
    /// The stamp of the file with the content of the first variant.
    pub(super) stamp: Option<Stamp>,
    /// The contents, most recent first.
    #[serde(borrow)]
    pub(super) variants: Vec<Variant<'a>>,
}

/// A content of the file, and its result.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Variant<'a> {
    pub(super) content: Sha256Digest,
    /// The result, encoded.
    pub(super) record: &'a [u8],
}

impl CacheFile {
    /// Parses a cache file; `None` if it is damaged or has another key.
    pub(super) fn parse(bytes: Vec<u8>, key: &Sha256Digest) -> Option<Self> {
        let (body, checksum) = bytes.split_last_chunk::<LENGTH>()?;
        let mut rest = Decoder(body.strip_prefix(MAGIC)?.strip_prefix(&key.0)?);
        if Sha256Digest::of(body).0 != *checksum {
            return None;
        }
        let mut entries: Vec<StoredEntry> = Vec::with_capacity(rest.0.len() / 128);
        while !rest.0.is_empty() {
            let mut next = || {
                let length = rest.bytes()?.len();
                let end = body.len() - rest.0.len();
                Some(end - length..end)
            };
            let path = next()?;
            let entry = next()?;
            let age = rest.byte()?;
            if entries.last().is_some_and(|last| body[last.path.clone()] >= body[path.clone()]) {
                return None;
            }
            entries.push(StoredEntry { path, age, entry });
        }
        Some(Self { bytes, entries })
    }

    /// Looks up a path. `next` is a hint: the index that is tried first, and afterwards that of the following entry.
    pub(super) fn find(&self, path: &RelPath, next: &mut usize) -> Option<CacheEntry<'_>> {
        let path_of = |entry: &StoredEntry| &self.bytes[entry.path.clone()];
        if self.entries.get(*next).is_none_or(|entry| path_of(entry) != path.as_bytes()) {
            *next = self.entries.binary_search_by(|entry| path_of(entry).cmp(path.as_bytes())).ok()?;
        }
        let entry = &self.entries[*next];
        *next += 1;
        postcard::from_bytes(&self.bytes[entry.entry.clone()]).ok()
    }
}

/// Reads a cache file; empty if there is none. Fails with the reason to ignore it.
pub(super) fn read(file: &Path, key: &Sha256Digest) -> Result<CacheFile, String> {
    let unreadable = |error: std::io::Error| format!("cannot read it: {error}");
    let metadata = match fs::symlink_metadata(file) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(CacheFile::default());
        }
        other => other.map_err(unreadable)?,
    };
    let damaged = || "damaged or not phaser's".to_owned();
    // Opening anything else may block, or lead elsewhere.
    let size = Some(metadata).filter(Metadata::is_file).map(|metadata| metadata.len());
    let size = size.and_then(|size| usize::try_from(size).ok()).filter(|size| *size <= MAX_SIZE);
    let mut bytes = Vec::with_capacity(size.ok_or_else(damaged)?);
    let most = MAX_SIZE as u64 + 1;
    File::open(file).and_then(|file| file.take(most).read_to_end(&mut bytes)).map_err(unreadable)?;
    CacheFile::parse(bytes, key).ok_or_else(damaged)
}

/// The bytes of a cache file with the results of `kept` and new ones. With all files of the project in `present`, a
/// missing one is kept for [`MAX_AGE`] saved runs: it may come back with another branch. An entry that would make the
/// file too large is dropped.
pub(super) fn merged(
    key: &Sha256Digest,
    kept: &CacheFile,
    fresh: &[NewResult],
    present: Option<&HashSet<&[u8]>>,
) -> Vec<u8> {
    let mut entries: BTreeMap<&[u8], (Cow<'_, [u8]>, u8)> = BTreeMap::new();
    for StoredEntry { path, age, entry } in &kept.entries {
        let (path, entry) = (&kept.bytes[path.clone()], &kept.bytes[entry.clone()]);
        let age = match present {
            Some(present) if present.contains(path) => 0,
            Some(_) => age.saturating_add(1),
            None => *age,
        };
        if age <= MAX_AGE {
            entries.insert(path, (Cow::Borrowed(entry), age));
        }
    }
    for NewResult { path, stamp, content, record } in fresh {
        let CacheEntry { mut variants, .. } = kept.find(path, &mut 0).unwrap_or_default();
        variants.retain(|variant| variant.content != *content);
        variants.insert(0, Variant { content: *content, record });
        variants.truncate(MAX_VARIANTS);
        if let Ok(entry) = postcard::to_stdvec(&CacheEntry { stamp: *stamp, variants }) {
            entries.insert(path.as_bytes(), (Cow::Owned(entry), 0));
        }
    }
    let mut bytes = [MAGIC, &key.0].concat();
    for (path, (entry, age)) in entries {
        let before = bytes.len();
        put_bytes(&mut bytes, path);
        put_bytes(&mut bytes, &entry);
        bytes.push(age);
        if bytes.len() + LENGTH > MAX_SIZE {
            bytes.truncate(before);
        }
    }
    let checksum = Sha256Digest::of(&bytes);
    bytes.extend(checksum.0);
    bytes
}
