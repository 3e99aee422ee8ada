//! The baseline: old violations that a project has written down, so that they do not count.
//!
//! One JSON object a line, the lines sorted as text: the contract, the path, a digest of the line, and how many there are.
//! This is the file and no more; which violations an entry covers is for settling to say.

use std::cmp::Ordering;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::Path;

use serde::Deserialize;

use crate::contract::Warning;
use crate::digest::digest;
use crate::path::{BASELINE, Root};
use crate::violation::{LineDigest, Violation};

mod frame;

use frame::Frame;

/// The largest file that is read, in bytes: more than half a million entries.
const MAX_SIZE: u64 = 64 << 20;

/// The entries of a baseline, each once, by contract, path and digest.
#[derive(Debug, Clone, Default)]
pub struct Baseline {
    /// The file, and after it what its lines spell with escapes.
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
        Self::parse(fs::read(&path).map_err(unreadable)?, wanted).map(Some)
    }

    /// The baseline in these bytes. Of lines that `wanted` does not ask for, only the outline is looked at.
    pub fn parse(mut text: Vec<u8>, wanted: Option<&Wanted>) -> Result<Self, Warning> {
        let mut entries = Vec::new();
        let mut unescaped = Vec::new();
        let mut start = 0;
        let ends = memchr::memchr_iter(b'\n', &text).chain([text.len()]);
        for (number, end) in ends.enumerate() {
            let line = &text[start..end];
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let frame = Frame::of(line);
            let is_wanted = |frame: &Frame| wanted.is_none_or(|wanted| wanted.asks_for(frame));
            match frame.map(|frame| (is_wanted(&frame), frame.entry(start))) {
                Some((false, _)) => {}
                Some((true, Some(entry))) => entries.push(entry),
                Some((true, None)) | None if line.is_empty() => {}
                Some((true, None)) | None => {
                    entries.push(spelled_out(line, number + 1, text.len(), &mut unescaped)?);
                }
            }
            start = end + 1;
        }
        text.append(&mut unescaped);
        let mut baseline = Self { text, entries };
        baseline.put_in_order();
        Ok(baseline)
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
    /// How the lines about their files go on after the contract, up to the digest.
    paths: Vec<Vec<u8>>,
    /// The digests as they are written, in order.
    digests: Vec<[u8; 16]>,
    /// How the lines of contracts start that are violated by files as a whole.
    lineless: Vec<Vec<u8>>,
}

impl Wanted {
    /// What may cover these violations.
    pub fn of<'a>(violations: impl Iterator<Item = &'a Violation>) -> Self {
        let mut wanted = Self::default();
        for violation in violations {
            wanted.paths.push(frame::path_field(&violation.path.to_text()));
            wanted.digests.push(frame::hexadecimal(violation.fingerprint.line));
            if violation.found.is_none() {
                wanted.lineless.push(frame::contract_field(&violation.contract.id));
            }
        }
        wanted.paths.dedup();
        wanted.digests.sort_unstable();
        wanted.lineless.sort_unstable();
        wanted.lineless.dedup();
        wanted
    }

    fn asks_for(&self, frame: &Frame) -> bool {
        self.digests.binary_search(frame.digest).is_ok()
            || self.paths.iter().any(|path| frame.front.ends_with(path))
            || self.lineless.iter().any(|contract| frame.front.starts_with(contract))
    }
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

/// Reads a line that is not laid out as phaser writes it, or that has escapes.
fn spelled_out(line: &[u8], number: usize, start: usize, unescaped: &mut Vec<u8>) -> Result<Span, Warning> {
    let broken = |what: String| Warning::at(Path::new(BASELINE), number, what);
    if [&b"<<<<<<<"[..], b"=======", b">>>>>>>", b"|||||||"].iter().any(|marker| line.starts_with(marker)) {
        let help = "keep the entries of both sides, take the markers out, and run 'phaser baseline --prune'";
        return Err(broken(format!("a merge conflict: {help}")));
    }
    let wrong = |why: &str| broken(format!("not an entry of a baseline ({why}): take the line out"));
    let wire: WireEntry = serde_json::from_slice(line).map_err(|error| {
        let error = error.to_string();
        wrong(error.split(" at line ").next().unwrap_or_default())
    })?;
    let digits = wire.digest.as_bytes().first_chunk().filter(|_| wire.digest.len() == 16);
    let digest =
        digits.and_then(frame::digest_of).ok_or_else(|| wrong("a digest has 16 hexadecimal digits"))?;
    if wire.count == 0 {
        return Err(wrong("a count is at least 1"));
    }
    let mut keep = |text: &str| {
        let from = start + unescaped.len();
        unescaped.extend_from_slice(text.as_bytes());
        from..start + unescaped.len()
    };
    Ok(Span { contract: keep(&wire.contract), path: keep(&wire.path), digest, count: wire.count })
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
