//! The baseline: a file of known violations, which do not fail a run.
//!
//! `phaser baseline` writes one JSON object per line, sorted bytewise, so that a merge of two branches is a merge of
//! lines:
//!
//! ```text
//! {"contract":"no-todo","path":"src/a.rs","digest":"5f0c3b1e9a77d204","count":2}
//! ```
//!
//! An entry says: contract `no-todo` has two violations in `src/a.rs` on lines whose text has this digest. The digest
//! is that of the line without its white space (see [`LineDigest`]), not of its number, so an entry survives edits
//! elsewhere in the file. Say the file has three such lines now: two become baselined, the third stays open. A
//! violation of a file as a whole (`file_not_exists`, a missing `require_pattern`) has no line; its digest is that of
//! the path.
//!
//! This module reads and writes the file. [`states`](crate::states) decides which violations an entry covers.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::ops::Range;
use std::path::Path;

use serde::Deserialize;

use crate::path::{BASELINE, Root};
use phaser_core::contract::Warning;
use phaser_core::digest::digest;
use phaser_core::violation::{LineDigest, Violation};

mod frame;
mod lookup;

use frame::EntryLine;

/// The largest baseline that is read, in bytes: room for more than half a million entries.
const MAX_SIZE: u64 = 64 << 20;

/// The size of a read, in bytes.
const BUFFER: usize = 64 << 10;

/// The entries of a baseline, sorted by contract, path and digest, without duplicates.
#[derive(Debug, Clone, Default)]
pub struct Baseline {
    /// The contract ids and paths of all entries, one after another.
    text: Vec<u8>,
    entries: Vec<EntrySpan>,
}

/// An entry, as ranges of [`Baseline::text`].
#[derive(Debug, Clone)]
struct EntrySpan {
    contract: Range<usize>,
    path: Range<usize>,
    digest: LineDigest,
    count: u32,
}

/// Violations of one contract in one file on lines with the same text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BaselineEntry<'a> {
    /// The contract's id.
    pub contract: &'a [u8],
    /// The path, as text.
    pub path: &'a [u8],
    /// The digest of the line, or of the path for a violation of the file as a whole.
    pub digest: LineDigest,
    /// The number of violations, at least 1.
    pub count: u32,
}

impl BaselineEntry<'_> {
    /// Whether the entry is about a file as a whole: its digest is that of its path.
    pub fn is_lineless(&self) -> bool {
        self.digest == LineDigest(digest(self.path))
    }

    /// Whether the path is not UTF-8 on disk. Such an entry cannot follow its file, because the exact path is
    /// unknown.
    pub fn is_lossy(&self) -> bool {
        memchr::memmem::find(self.path, "\u{FFFD}".as_bytes()).is_some()
    }
}

impl Baseline {
    /// Reads the baseline of a project; `None` if there is none. With `filter`, only the entries that it accepts.
    pub fn read(root: &Root, filter: Option<&EntryFilter>) -> Result<Option<Self>, Warning> {
        let path = root.path().join(BASELINE);
        let unreadable = |error: io::Error| {
            let what = format!("cannot be read: {error} (fix it, or skip it with --no-baseline)");
            Warning::about(Path::new(BASELINE), what)
        };
        match fs::metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(error)),
            Ok(metadata) if !metadata.is_file() => {
                return Err(unreadable(io::Error::other("not a regular file")));
            }
            Ok(metadata) if metadata.len() > MAX_SIZE => {
                let size = format!("it has more than {} MB", MAX_SIZE >> 20);
                return Err(unreadable(io::Error::other(size)));
            }
            Ok(_) => {}
        }
        let mut file = File::open(&path).map_err(unreadable)?.take(MAX_SIZE);
        let mut parser = BaselineParser::new(filter);
        // A small buffer: a hook spends more on fresh memory than on parsing.
        let mut buffer = vec![0; BUFFER];
        let mut filled = 0;
        loop {
            match file.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(unreadable(error)),
            }
            let whole = memchr::memrchr(b'\n', &buffer[..filled]).map_or(0, |newline| newline + 1);
            parser.lines(&buffer[..whole])?;
            buffer.copy_within(whole..filled, 0);
            filled -= whole;
            if filled == buffer.len() {
                buffer.resize(2 * filled, 0);
            }
        }
        parser.lines(&buffer[..filled])?;
        Ok(Some(parser.baseline()))
    }

    /// Parses a whole baseline.
    pub fn parse(text: &[u8]) -> Result<Self, Warning> {
        let mut parser = BaselineParser::new(None);
        parser.lines(text)?;
        Ok(parser.baseline())
    }

    /// Sorts the entries. Of duplicates, which a merge may leave, the one with the larger count is kept.
    fn put_in_order(&mut self) {
        let Self { text, entries } = self;
        let order = |one: &EntrySpan, other: &EntrySpan| key(text, one).cmp(&key(text, other));
        if !entries.is_sorted_by(|one, other| order(one, other) == Ordering::Less) {
            entries.sort_by(|one, other| order(one, other).then(other.count.cmp(&one.count)));
            entries.dedup_by(|other, one| order(one, other) == Ordering::Equal);
        }
    }

    fn push(&mut self, entry: BaselineEntry) {
        let known = self.entries.last().map(|last| last.contract.clone());
        let known = known.filter(|known| self.text[known.clone()] == *entry.contract);
        let contract = known.unwrap_or_else(|| self.keep(entry.contract));
        let path = self.keep(entry.path);
        self.entries.push(EntrySpan { contract, path, digest: entry.digest, count: entry.count });
    }

    fn keep(&mut self, bytes: &[u8]) -> Range<usize> {
        let start = self.text.len();
        self.text.extend_from_slice(bytes);
        start..self.text.len()
    }

    /// The number of entries.
    pub fn entry_count(&self) -> usize {
        self.entries.len()
    }

    /// The entry at an index.
    pub fn entry(&self, at: usize) -> BaselineEntry<'_> {
        let EntrySpan { contract, path, digest, count } = &self.entries[at];
        BaselineEntry {
            contract: &self.text[contract.clone()],
            path: &self.text[path.clone()],
            digest: *digest,
            count: *count,
        }
    }

    /// All entries, sorted.
    pub fn iter(&self) -> impl Iterator<Item = BaselineEntry<'_>> {
        (0..self.entry_count()).map(|at| self.entry(at))
    }

    /// The index of the entry with this contract, path and digest.
    pub fn find(&self, contract: &[u8], path: &[u8], digest: LineDigest) -> Option<usize> {
        let filter = (contract, path, digest);
        self.entries.binary_search_by(|entry| key(&self.text, entry).cmp(&filter)).ok()
    }
}

fn key<'a>(text: &'a [u8], entry: &EntrySpan) -> (&'a [u8], &'a [u8], LineDigest) {
    (&text[entry.contract.clone()], &text[entry.path.clone()], entry.digest)
}

/// Selects the entries that may cover some violations. A hook has few violations and may have a large baseline.
#[derive(Debug, Default)]
pub struct EntryFilter {
    /// The digests in hexadecimal, sorted.
    digests: Vec<[u8; 16]>,
    /// The set of the digests' [`end`]s, a prefilter for `digests`.
    ends: Vec<bool>,
    /// For each contract with a violation of a file as a whole, its [`contract_field`](frame::contract_field).
    lineless: Vec<Vec<u8>>,
}

impl EntryFilter {
    /// The filter for entries that may cover `violations`.
    pub fn of(violations: impl Iterator<Item = impl Borrow<Violation>>) -> Self {
        let mut filter = Self { ends: vec![false; 256], ..Self::default() };
        for violation in violations {
            let violation = violation.borrow();
            let digest = frame::hexadecimal(violation.fingerprint.line);
            filter.ends[end(&digest)] = true;
            filter.digests.push(digest);
            if violation.found.is_none() {
                filter.lineless.push(frame::contract_field(&violation.contract.id));
            }
        }
        filter.digests.sort_unstable();
        filter.lineless.sort_unstable();
        filter.lineless.dedup();
        filter
    }

    #[inline]
    fn accepts(&self, frame: &EntryLine) -> bool {
        self.ends[end(frame.digest)] && self.digests.binary_search(frame.digest).is_ok()
            || self.lineless.iter().any(|contract| frame.front.starts_with(contract))
    }
}

/// A hash of the last two digits of a digest, below 256.
#[inline]
fn end(digest: &[u8; 16]) -> usize {
    usize::from(digest[14].wrapping_mul(31) ^ digest[15])
}

/// One line, in any JSON layout.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireEntry {
    contract: String,
    path: String,
    digest: String,
    count: u32,
}

/// A parser that is fed complete lines.
struct BaselineParser<'a> {
    filter: Option<&'a EntryFilter>,
    /// The number of lines read so far.
    number: usize,
    baseline: Baseline,
}

impl<'a> BaselineParser<'a> {
    fn new(filter: Option<&'a EntryFilter>) -> Self {
        Self { filter, number: 0, baseline: Baseline::default() }
    }

    /// Parses complete lines. A line that the filter rejects is not parsed further than its digest.
    fn lines(&mut self, text: &[u8]) -> Result<(), Warning> {
        let mut start = 0;
        let rest = Some(text.len()).filter(|_| text.last().is_some_and(|&last| last != b'\n'));
        for end in memchr::memchr_iter(b'\n', text).chain(rest) {
            let line = &text[start..end];
            start = end + 1;
            self.number += 1;
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let frame = EntryLine::of(line);
            if let (Some(frame), Some(filter)) = (&frame, self.filter)
                && !filter.accepts(frame)
            {
                continue;
            }
            match frame.and_then(|frame| frame.entry()) {
                Some(entry) => self.baseline.push(entry),
                None if line.is_empty() => {}
                None => self.parse_json(line)?,
            }
        }
        Ok(())
    }

    /// Parses a line with escapes or in another layout than phaser's own.
    fn parse_json(&mut self, line: &[u8]) -> Result<(), Warning> {
        let broken = |what: String| Warning::at(Path::new(BASELINE), self.number, what);
        if [&b"<<<<<<<"[..], b"=======", b">>>>>>>", b"|||||||"].iter().any(|marker| line.starts_with(marker))
        {
            let hint =
                "keep the entries of both sides, remove the markers, and run 'phaser baseline --prune'";
            return Err(broken(format!("merge conflict ({hint})")));
        }
        let wrong = |why: &str| broken(format!("not a baseline entry: {why} (remove the line)"));
        let WireEntry { contract, path, digest, count } = serde_json::from_slice(line).map_err(|error| {
            let error = error.to_string();
            wrong(error.split(" at line ").next().unwrap_or_default())
        })?;
        let digits = digest.as_bytes().first_chunk().filter(|_| digest.len() == 16);
        let digest =
            digits.and_then(frame::digest_of).ok_or_else(|| wrong("a digest has 16 hexadecimal digits"))?;
        if count == 0 {
            return Err(wrong("a count is at least 1"));
        }
        self.baseline.push(BaselineEntry {
            contract: contract.as_bytes(),
            path: path.as_bytes(),
            digest,
            count,
        });
        Ok(())
    }

    fn baseline(mut self) -> Baseline {
        self.baseline.put_in_order();
        self.baseline
    }
}

/// What identifies an entry, owned.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryKey {
    /// The contract's id.
    pub contract: String,
    /// The path, as text.
    pub path: String,
    /// See [`BaselineEntry::digest`].
    pub digest: LineDigest,
}

impl EntryKey {
    /// The key of the entry that covers a violation.
    pub fn of(violation: &Violation) -> Self {
        Self {
            contract: violation.contract.id.clone(),
            path: violation.path.to_text().into_owned(),
            digest: violation.fingerprint.line,
        }
    }
}

impl From<BaselineEntry<'_>> for EntryKey {
    fn from(entry: BaselineEntry<'_>) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { contract: text(entry.contract), path: text(entry.path), digest: entry.digest }
    }
}

/// The size limit in megabytes, if a baseline of this many bytes exceeds it.
pub fn too_large(bytes: usize) -> Option<u64> {
    (bytes as u64 > MAX_SIZE).then_some(MAX_SIZE >> 20)
}

/// The text of a baseline with these entries and counts.
pub fn write<'a>(entries: impl Iterator<Item = (&'a EntryKey, u32)>) -> String {
    let mut lines: Vec<String> = entries.map(|(key, count)| frame::line(key, count)).collect();
    lines.sort_unstable();
    lines.iter().fold(String::new(), |mut file, line| {
        let _ = writeln!(file, "{line}");
        file
    })
}

#[cfg(test)]
mod tests;
