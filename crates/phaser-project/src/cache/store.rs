//! The format of a cache file: magic, key, one path and [`CacheEntry`] after another, SHA-256 of all of it.
//!
//! The file is read and written as a whole. Entries and results are encoded by postcard.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Read as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::NewResult;
use super::key::{LENGTH, Sha256Digest};
use crate::path::RelPath;
use crate::stamp::Stamp;

/// The first bytes of a cache file. The number is the format version.
const MAGIC: &[u8] = b"phaser results 4\n";

/// The largest cache file, in bytes.
pub(super) const MAX_SIZE: usize = 64 * 1024 * 1024;

/// The limit on contents remembered per file.
pub(super) const MAX_VARIANTS: usize = 4;

/// The number of saved runs after which a missing file is forgotten.
pub(super) const MAX_AGE: u8 = 16;

/// What is cached for each path.
pub(super) type Entries = HashMap<RelPath, CacheEntry>;

/// What is cached for one path.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct CacheEntry {
    /// The number of saved runs since the file was last present.
    pub(super) age: u8,
    /// The stamp of the file with the content of the first variant.
    pub(super) stamp: Option<Stamp>,
    /// The contents, most recent first.
    pub(super) variants: Vec<Variant>,
}

/// A content of the file, and its result.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Variant {
    pub(super) content: Sha256Digest,
    /// The result, encoded: most are not decoded in a run.
    pub(super) record: Vec<u8>,
}

/// Reads a cache file; empty if there is none. Fails with the reason to ignore it.
pub(super) fn read(file: &Path, key: &Sha256Digest) -> Result<Entries, String> {
    let unreadable = |error: std::io::Error| format!("cannot read it: {error}");
    let metadata = match fs::symlink_metadata(file) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Entries::default());
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
    parse(&bytes, key).ok_or_else(damaged)
}

/// Parses a cache file; `None` if it is damaged or has another key.
pub(super) fn parse(bytes: &[u8], key: &Sha256Digest) -> Option<Entries> {
    let (body, checksum) = bytes.split_last_chunk::<LENGTH>()?;
    let mut rest = body.strip_prefix(MAGIC)?.strip_prefix(&key.0)?;
    if Sha256Digest::of(body).0 != *checksum {
        return None;
    }
    let mut entries = Entries::with_capacity(rest.len() / 128);
    while !rest.is_empty() {
        let ((path, entry), after): ((&[u8], CacheEntry), _) = postcard::take_from_bytes(rest).ok()?;
        entries.insert(RelPath::from_bytes(path), entry);
        rest = after;
    }
    Some(entries)
}

/// The bytes of a cache file. An entry that would make it too large is dropped.
pub(super) fn encode(entries: Entries, key: &Sha256Digest) -> Vec<u8> {
    let mut bytes = [MAGIC, &key.0].concat();
    for (path, entry) in entries.into_iter().collect::<BTreeMap<_, _>>() {
        let entry = postcard::to_stdvec(&(path.as_bytes(), entry)).unwrap_or_default();
        if bytes.len() + entry.len() + LENGTH <= MAX_SIZE {
            bytes.extend(entry);
        }
    }
    let checksum = Sha256Digest::of(&bytes);
    bytes.extend(checksum.0);
    bytes
}

/// Adds new results. With all files of the project in `present`, a missing one is kept for [`MAX_AGE`] saved runs: it
/// may come back with another branch.
pub(super) fn merge(entries: &mut Entries, fresh: Vec<NewResult>, present: Option<&HashSet<&RelPath>>) {
    if let Some(present) = present {
        for (path, entry) in entries.iter_mut() {
            entry.age = if present.contains(path) { 0 } else { entry.age.saturating_add(1) };
        }
    }
    for NewResult { path, stamp, content, record } in fresh {
        let CacheEntry { age, stamp: known, variants } = entries.entry(path).or_default();
        (*age, *known) = (0, stamp);
        variants.retain(|variant| variant.content != content);
        variants.insert(0, Variant { content, record });
        variants.truncate(MAX_VARIANTS);
    }
    entries.retain(|_, entry| entry.age <= MAX_AGE);
}
