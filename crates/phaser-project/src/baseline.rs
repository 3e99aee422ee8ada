//! The baseline: old violations that a project has written down, so that they do not count.
//!
//! One JSON object a line, the lines sorted as text: the contract, the path, a digest of the line, and how many there are.
//! This is the file and no more; which violations an entry covers is for settling to say.

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

use frame::Frame;

/// The largest file that is read, in bytes: more than half a million entries.
const MAX_SIZE: u64 = 64 << 20;

/// How much of it is read at once, in bytes.
const BUFFER: usize = 64 << 10;

/// The entries of a baseline, each once, by contract, path and digest.
#[derive(Debug, Clone, Default)]
pub struct Baseline {
    /// The contracts and paths that entries name.
    text: Vec<u8>,
    entries: Vec<Span>,
}

/// Where an entry stands in the text.
#[derive(Debug, Clone)]
struct Span {
    contract: Range<usize>,
    path: Range<usize>,
    digest: LineDigest,
    count: u32,
}

/// Violations of one contract in one file that look alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The contract's id.
    pub contract: &'a [u8],
    /// The path as text.
    pub path: &'a [u8],
    /// What they are recognised by.
    pub digest: LineDigest,
    /// How many there are.
    pub count: u32,
}

impl Entry<'_> {
    /// Is it about a file as a whole? Then its digest is that of its path.
    pub fn is_lineless(&self) -> bool {
        self.digest == LineDigest(digest(self.path))
    }

    /// Does the path stand for one that is not UTF-8, so that nobody can tell whether there is such a file?
    pub fn is_lossy(&self) -> bool {
        memchr::memmem::find(self.path, "\u{FFFD}".as_bytes()).is_some()
    }
}

impl Baseline {
    /// The baseline of a project, if it has one; with `wanted`, only the entries that concern these violations.
    pub fn read(root: &Root, wanted: Option<&Wanted>) -> Result<Option<Self>, Warning> {
        let path = root.path().join(BASELINE);
        let unreadable = |error: io::Error| {
            let what = format!("cannot be read: {error} (mend it, or leave it out with --no-baseline)");
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
        let mut reading = Reading::new(wanted);
        // A small buffer: memory that is new costs a hook more than the rest of its reading.
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
            reading.lines(&buffer[..whole])?;
            buffer.copy_within(whole..filled, 0);
            filled -= whole;
            if filled == buffer.len() {
                buffer.resize(2 * filled, 0);
            }
        }
        reading.lines(&buffer[..filled])?;
        Ok(Some(reading.baseline()))
    }

    /// The baseline in these bytes.
    pub fn parse(text: &[u8]) -> Result<Self, Warning> {
        let mut reading = Reading::new(None);
        reading.lines(text)?;
        Ok(reading.baseline())
    }

    /// Two lines about the same, which a merge may leave, count as the one that allows more.
    fn put_in_order(&mut self) {
        let Self { text, entries } = self;
        let order = |one: &Span, other: &Span| key(text, one).cmp(&key(text, other));
        if !entries.is_sorted_by(|one, other| order(one, other) == Ordering::Less) {
            entries.sort_by(|one, other| order(one, other).then(other.count.cmp(&one.count)));
            entries.dedup_by(|other, one| order(one, other) == Ordering::Equal);
        }
    }

    fn push(&mut self, entry: Entry) {
        let known = self.entries.last().map(|last| last.contract.clone());
        let known = known.filter(|known| self.text[known.clone()] == *entry.contract);
        let contract = known.unwrap_or_else(|| self.keep(entry.contract));
        let path = self.keep(entry.path);
        self.entries.push(Span { contract, path, digest: entry.digest, count: entry.count });
    }

    fn keep(&mut self, bytes: &[u8]) -> Range<usize> {
        let start = self.text.len();
        self.text.extend_from_slice(bytes);
        start..self.text.len()
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// An entry.
    pub fn entry(&self, at: usize) -> Entry<'_> {
        let Span { contract, path, digest, count } = &self.entries[at];
        Entry {
            contract: &self.text[contract.clone()],
            path: &self.text[path.clone()],
            digest: *digest,
            count: *count,
        }
    }

    /// All entries, in order.
    pub fn iter(&self) -> impl Iterator<Item = Entry<'_>> {
        (0..self.len()).map(|at| self.entry(at))
    }

    /// Where the entry stands that has this contract, path and digest.
    pub fn find(&self, contract: &[u8], path: &[u8], digest: LineDigest) -> Option<usize> {
        let wanted = (contract, path, digest);
        self.entries.binary_search_by(|entry| key(&self.text, entry).cmp(&wanted)).ok()
    }
}

fn key<'a>(text: &'a [u8], entry: &Span) -> (&'a [u8], &'a [u8], LineDigest) {
    (&text[entry.contract.clone()], &text[entry.path.clone()], entry.digest)
}

/// What a hook asks of a baseline: the entries that may cover these violations.
#[derive(Debug, Default)]
pub struct Wanted {
    /// The digests as they are written, in order.
    digests: Vec<[u8; 16]>,
    /// The last characters that they have, as a set of [`end`]s: few other digests have to be looked for.
    ends: Vec<bool>,
    /// How the lines of contracts start that are violated by files as a whole.
    lineless: Vec<Vec<u8>>,
}

impl Wanted {
    /// What may cover these violations.
    pub fn of(violations: impl Iterator<Item = impl Borrow<Violation>>) -> Self {
        let mut wanted = Self { ends: vec![false; 256], ..Self::default() };
        for violation in violations {
            let violation = violation.borrow();
            let digest = frame::hexadecimal(violation.fingerprint.line);
            wanted.ends[end(&digest)] = true;
            wanted.digests.push(digest);
            if violation.found.is_none() {
                wanted.lineless.push(frame::contract_field(&violation.contract.id));
            }
        }
        wanted.digests.sort_unstable();
        wanted.lineless.sort_unstable();
        wanted.lineless.dedup();
        wanted
    }

    #[inline]
    fn asks_for(&self, frame: &Frame) -> bool {
        self.ends[end(frame.digest)] && self.digests.binary_search(frame.digest).is_ok()
            || self.lineless.iter().any(|contract| frame.front.starts_with(contract))
    }
}

/// A number for the last two digits of a digest.
#[inline]
fn end(digest: &[u8; 16]) -> usize {
    usize::from(digest[14].wrapping_mul(31) ^ digest[15])
}

/// One line, whatever its layout.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireEntry {
    contract: String,
    path: String,
    digest: String,
    count: u32,
}

/// A baseline of which some lines have been read.
struct Reading<'a> {
    wanted: Option<&'a Wanted>,
    /// How many lines.
    number: usize,
    baseline: Baseline,
}

impl<'a> Reading<'a> {
    fn new(wanted: Option<&'a Wanted>) -> Self {
        Self { wanted, number: 0, baseline: Baseline::default() }
    }

    /// Reads further lines. Of those that nobody wants, only the outline is looked at.
    fn lines(&mut self, text: &[u8]) -> Result<(), Warning> {
        let mut start = 0;
        let rest = Some(text.len()).filter(|_| text.last().is_some_and(|&last| last != b'\n'));
        for end in memchr::memchr_iter(b'\n', text).chain(rest) {
            let line = &text[start..end];
            start = end + 1;
            self.number += 1;
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let frame = Frame::of(line);
            if let (Some(frame), Some(wanted)) = (&frame, self.wanted)
                && !wanted.asks_for(frame)
            {
                continue;
            }
            match frame.and_then(|frame| frame.entry()) {
                Some(entry) => self.baseline.push(entry),
                None if line.is_empty() => {}
                None => self.spelled_out(line)?,
            }
        }
        Ok(())
    }

    /// Reads a line that is not laid out as phaser writes it, or that has escapes.
    fn spelled_out(&mut self, line: &[u8]) -> Result<(), Warning> {
        let broken = |what: String| Warning::at(Path::new(BASELINE), self.number, what);
        if [&b"<<<<<<<"[..], b"=======", b">>>>>>>", b"|||||||"].iter().any(|marker| line.starts_with(marker))
        {
            let help =
                "keep the entries of both sides, take the markers out, and run 'phaser baseline --prune'";
            return Err(broken(format!("a merge conflict: {help}")));
        }
        let wrong = |why: &str| broken(format!("not an entry of a baseline ({why}): take the line out"));
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
        self.baseline.push(Entry { contract: contract.as_bytes(), path: path.as_bytes(), digest, count });
        Ok(())
    }

    fn baseline(mut self) -> Baseline {
        self.baseline.put_in_order();
        self.baseline
    }
}

/// An entry to write.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The contract's id.
    pub contract: String,
    /// The path as text.
    pub path: String,
    /// What the violations are recognised by.
    pub digest: LineDigest,
}

impl Key {
    /// What a violation is written as.
    pub fn of(violation: &Violation) -> Self {
        Self {
            contract: violation.contract.id.clone(),
            path: violation.path.to_text().into_owned(),
            digest: violation.fingerprint.line,
        }
    }
}

impl From<Entry<'_>> for Key {
    fn from(entry: Entry<'_>) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { contract: text(entry.contract), path: text(entry.path), digest: entry.digest }
    }
}

/// How many megabytes a baseline may have, if so many bytes are more.
pub fn too_large(bytes: usize) -> Option<u64> {
    (bytes as u64 > MAX_SIZE).then_some(MAX_SIZE >> 20)
}

/// The file with these entries.
pub fn write<'a>(entries: impl Iterator<Item = (&'a Key, u32)>) -> String {
    let mut lines: Vec<String> = entries.map(|(key, count)| frame::line(key, count)).collect();
    lines.sort_unstable();
    lines.iter().fold(String::new(), |mut file, line| {
        let _ = writeln!(file, "{line}");
        file
    })
}

#[cfg(test)]
mod tests;
