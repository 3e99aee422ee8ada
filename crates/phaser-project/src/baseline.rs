//! The baseline: a file of known violations, which do not fail a run.
//!
//! `phaser baseline` writes one JSON object per line, sorted bytewise, so that a merge of two branches is a merge of
//! lines:
//!
//! ```text
//! {"contract":"no-todo","path":"src/a.rs","digest":"5f0c3b1e9a77d204","count":2}
//! ```
//!
//! This entry covers two violations of `no-todo` in `src/a.rs`, on lines whose text has this digest. The digest
//! is that of the line without its white space (see [`LineDigest`]), not of its number, so an entry survives edits
//! elsewhere in the file. Say the file has three such lines now: two become baselined, the third stays open.
//!
//! A violation of a file as a whole (`file_not_exists`, a missing `require_pattern`) has no line; its digest is that of
//! the contents when it was recorded. The entry covers the file whatever its contents are now. The digest matters when
//! the file is gone: the entry then covers another file only if that one has these contents.
//!
//! An entry of a contract about changes is the approval of one change: its digest is that of the removed line, or of the new
//! contents of the file. It covers nothing else, and `phaser baseline --prune` drops it once the change is merged.
//!
//! This module reads and writes the file. [`states`](crate::states) decides which violations an entry covers.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::path::{BASELINE, Root, baseline_file};
use phaser_core::contract::Warning;
use phaser_core::violation::{LineDigest, Violation};

/// The largest baseline that is read, in bytes: room for more than half a million entries.
const MAX_SIZE: u64 = 64 << 20;

/// The entries of a baseline with their counts, sorted, without duplicates.
#[derive(Debug, Clone, Default)]
pub struct Baseline {
    entries: Vec<(BaselineEntry, u32)>,
}

/// Violations of one contract in one file on lines with the same text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BaselineEntry {
    /// The contract's id.
    pub contract: String,
    /// The path, as text.
    pub path: String,
    /// The digest of the line, or of the contents for a violation of the file as a whole.
    pub digest: LineDigest,
}

impl BaselineEntry {
    /// The entry that covers a violation.
    pub fn of(violation: &Violation) -> Self {
        Self {
            contract: violation.contract.id.clone(),
            path: violation.path.to_text().into_owned(),
            digest: Self::digest_of(violation),
        }
    }

    /// The digest of the entry that covers a violation.
    pub fn digest_of(violation: &Violation) -> LineDigest {
        match violation.found {
            Some(_) => violation.fingerprint.line,
            None => violation.fingerprint.text,
        }
    }

    /// Whether the path is not UTF-8 on disk. Such an entry cannot follow its file, because the exact path is
    /// unknown.
    pub fn is_lossy(&self) -> bool {
        self.path.contains('\u{FFFD}')
    }
}

impl Baseline {
    /// Reads the baseline of a project; `None` if there is none.
    pub fn read(root: &Root) -> Result<Option<Self>, Warning> {
        Self::read_file(root, baseline_file(root))
    }

    /// Reads the baseline `name` of a project; `None` if there is none.
    pub fn read_file(root: &Root, name: &str) -> Result<Option<Self>, Warning> {
        let path = root.path().join(name);
        let unreadable = |error: io::Error| {
            let what = format!("cannot be read: {error} (fix it, or skip it with --no-baseline)");
            Warning::about(Path::new(name), what)
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
        let mut text = Vec::new();
        File::open(&path).and_then(|file| file.take(MAX_SIZE).read_to_end(&mut text)).map_err(unreadable)?;
        Self::parse_as(name, &text).map(Some)
    }

    /// Parses [`BASELINE`].
    pub fn parse(text: &[u8]) -> Result<Self, Warning> {
        Self::parse_as(BASELINE, text)
    }

    /// Parses the baseline `file`. Of duplicate entries, which a merge may leave, the one with the larger count is kept.
    pub fn parse_as(file: &str, text: &[u8]) -> Result<Self, Warning> {
        let mut entries = Vec::new();
        for (line, number) in text.split(|&byte| byte == b'\n').zip(1..) {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if !line.is_empty() {
                let broken = |what| Warning::at(Path::new(file), number, what);
                entries.push(parse_line(line).map_err(broken)?);
            }
        }
        entries.sort_unstable_by(|(one, count), (other, more)| one.cmp(other).then(more.cmp(count)));
        entries.dedup_by(|(other, _), (one, _)| one == other);
        Ok(Self { entries })
    }

    /// What is wrong with the baseline of a project, if it is broken. Faster than reading it: entries as phaser writes them
    /// are recognised by their shape.
    pub fn problem(root: &Root) -> Option<Warning> {
        let name = baseline_file(root);
        let read = fs::read(root.path().join(name)).ok();
        match read.filter(|text| text.len() as u64 <= MAX_SIZE) {
            Some(text) if is_as_written(&text) => None,
            _ => Self::read_file(root, name).err(),
        }
    }

    /// The entry at an index, with the number of its violations, at least 1.
    pub fn entry(&self, at: usize) -> (&BaselineEntry, u32) {
        let (entry, count) = &self.entries[at];
        (entry, *count)
    }

    /// All entries, sorted, with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (&BaselineEntry, u32)> {
        self.entries.iter().map(|(entry, count)| (entry, *count))
    }

    /// The index of the entry with this contract, path and digest.
    pub fn find(&self, contract: &str, path: &str, digest: LineDigest) -> Option<usize> {
        let wanted = (contract, path, digest);
        let order = |(entry, _): &(BaselineEntry, u32)| {
            (entry.contract.as_str(), entry.path.as_str(), entry.digest).cmp(&wanted)
        };
        self.entries.binary_search_by(order).ok()
    }

    /// The indices of the entries that may cover a violation at its own path: those of its line or its change, or all of its
    /// file if it has neither.
    pub fn covering(&self, violation: &Violation) -> Range<usize> {
        let (contract, path) = (violation.contract.id.as_str(), violation.path.to_text());
        if violation.found.is_some() || violation.is_about_change() {
            let at = self.find(contract, &path, BaselineEntry::digest_of(violation));
            return at.map_or(0..0, |at| at..at + 1);
        }
        let order = |(entry, _): &(BaselineEntry, u32)| {
            (entry.contract.as_str(), entry.path.as_str()).cmp(&(contract, &*path))
        };
        let start = self.entries.partition_point(|entry| order(entry).is_lt());
        let count = self.entries[start..].partition_point(|entry| order(entry).is_eq());
        start..start + count
    }

    /// The number of violations that an entry covers; 0 if there is none.
    pub fn count(&self, entry: &BaselineEntry) -> u32 {
        self.find(&entry.contract, &entry.path, entry.digest).map_or(0, |at| self.entries[at].1)
    }
}

/// One line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireEntry<'a> {
    #[serde(borrow)]
    contract: Cow<'a, str>,
    #[serde(borrow)]
    path: Cow<'a, str>,
    #[serde(borrow)]
    digest: Cow<'a, str>,
    count: u32,
}

/// Parses a line, or returns what is wrong with it.
fn parse_line(line: &[u8]) -> Result<(BaselineEntry, u32), String> {
    if [&b"<<<<<<<"[..], b"=======", b">>>>>>>", b"|||||||"].iter().any(|marker| line.starts_with(marker)) {
        let hint = "keep the entries of both sides, remove the markers, and run 'phaser baseline --prune'";
        return Err(format!("merge conflict ({hint})"));
    }
    let wrong = |why: &str| format!("not a baseline entry: {why} (remove the line)");
    let WireEntry { contract, path, digest, count } = serde_json::from_slice(line).map_err(|error| {
        let error = error.to_string();
        wrong(error.split(" at line ").next().unwrap_or_default())
    })?;
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let digits = Some(&*digest).filter(|digest| digest.len() == 16 && digest.bytes().all(is_digit));
    let digest = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    let digest = LineDigest(digest.ok_or_else(|| wrong("a digest has 16 hexadecimal digits"))?);
    if count == 0 {
        return Err(wrong("a count is at least 1"));
    }
    Ok((BaselineEntry { contract: contract.into_owned(), path: path.into_owned(), digest }, count))
}

/// Whether every line is an entry in the form that [`write()`] gives it, with nothing escaped. Such a text is not broken.
fn is_as_written(text: &[u8]) -> bool {
    let is_plain = |byte: &u8| *byte >= b' ' && *byte != b'\\';
    let is_hexadecimal = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let is_count = |end: &[u8]| {
        let count = end.strip_prefix(b":").and_then(|end| end.strip_suffix(b"}")).unwrap_or_default();
        let is_small = (1..=9).contains(&count.len());
        is_small && count[0] != b'0' && count.iter().all(u8::is_ascii_digit)
    };
    let is_entry = |line: &[u8]| {
        let parts: Vec<&[u8]> = line.split(|&byte| byte == b'"').collect();
        let [
            b"{",
            b"contract",
            b":",
            _,
            b",",
            b"path",
            b":",
            _,
            b",",
            b"digest",
            b":",
            digest,
            b",",
            b"count",
            count,
        ] = parts[..]
        else {
            return false;
        };
        line.iter().all(is_plain)
            && digest.len() == 16
            && digest.iter().all(is_hexadecimal)
            && is_count(count)
    };
    std::str::from_utf8(text).is_ok()
        && text.split(|&byte| byte == b'\n').all(|line| line.is_empty() || is_entry(line))
}

/// The size limit in megabytes, if a baseline of this many bytes exceeds it.
pub fn too_large(bytes: usize) -> Option<u64> {
    (bytes as u64 > MAX_SIZE).then_some(MAX_SIZE >> 20)
}

/// The text of a baseline with these entries and counts.
pub fn write<'a>(entries: impl Iterator<Item = (&'a BaselineEntry, u32)>) -> String {
    let line = |(entry, count): (&BaselineEntry, u32)| {
        let BaselineEntry { contract, path, digest } = entry;
        let digest = format!("{:016x}", digest.0).into();
        let entry = WireEntry { contract: contract.into(), path: path.into(), digest, count };
        serde_json::to_string(&entry).unwrap_or_default() + "\n"
    };
    let mut lines: Vec<String> = entries.map(line).collect();
    lines.sort_unstable();
    lines.concat()
}

#[cfg(test)]
mod tests;
