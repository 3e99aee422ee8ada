//! Finds the entries of a few violations in a large baseline by binary search, without reading all of it.
//!
//! The lines are sorted. A lookup is accepted only if it covers all violations; otherwise the caller reads the whole
//! file. An unsorted file, which a merge may leave, can hide entries from the search but cannot invent any, so the
//! result is the same.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

use super::{Baseline, BaselineParser, MAX_SIZE, frame};
use crate::path::{BASELINE, Root};
use phaser_core::violation::{LineDigest, Violation};

/// A smaller file, in bytes, is read as a whole, which costs next to nothing.
const LARGE: u64 = 256 << 10;

/// The number of bytes read per probe: one line or a few.
const LOOK: u64 = 1 << 10;

/// The size of the last interval, in bytes, which is read as a whole.
const BLOCK: u64 = 4 << 10;

impl Baseline {
    /// The entries for these violations; `None` unless the file is large and covers every one of them.
    pub fn look_up(root: &Root, violations: impl Iterator<Item = impl Borrow<Violation>>) -> Option<Self> {
        let mut counts: HashMap<(String, String), HashMap<LineDigest, u32>> = HashMap::new();
        for violation in violations {
            let violation = violation.borrow();
            let file = (violation.contract.id.clone(), violation.path.to_text().into_owned());
            *counts.entry(file).or_default().entry(violation.fingerprint.line).or_default() += 1;
        }
        let path = root.path().join(BASELINE);
        let size = path.metadata().ok().filter(std::fs::Metadata::is_file)?.len();
        if !(LARGE..=MAX_SIZE).contains(&size) {
            return None;
        }
        let mut lines = SortedLines { file: File::open(path).ok()?, size, buffer: Vec::new() };
        let mut found = BaselineParser::new(None);
        for (contract, path) in counts.keys() {
            let start = frame::start_of(contract, path);
            found.lines(&lines.starting_with(&start).ok()??).ok()?;
        }
        let found = found.baseline();
        let is_covered = |((contract, path), digests): (&(String, String), &HashMap<LineDigest, u32>)| {
            digests.iter().all(|(digest, count)| {
                let entry = found.find(contract.as_bytes(), path.as_bytes(), *digest);
                entry.is_some_and(|at| found.entry(at).count >= *count)
            })
        };
        counts.iter().all(is_covered).then_some(found)
    }
}

/// A file with sorted lines.
struct SortedLines {
    file: File,
    size: u64,
    buffer: Vec<u8>,
}

impl SortedLines {
    /// The lines with this prefix. `None` if a line is longer than any that phaser writes.
    fn starting_with(&mut self, start: &[u8]) -> io::Result<Option<Vec<u8>>> {
        // Lines that start before `low` are smaller than `start`; the first line that is not starts at or before
        // `high`.
        let (mut low, mut high) = (0, self.size);
        while high - low > BLOCK {
            let middle = low + (high - low) / 2;
            self.read(middle, LOOK)?;
            let Some(newline) = memchr::memchr(b'\n', &self.buffer) else { return Ok(None) };
            let line = &self.buffer[newline + 1..];
            if line.len() < start.len() && middle + self.buffer.len() as u64 != self.size {
                return Ok(None);
            }
            if &line[..start.len().min(line.len())] < start && !line.is_empty() {
                low = middle + newline as u64 + 1;
            } else {
                high = middle;
            }
        }
        self.collect(low, start)
    }

    /// The lines with this prefix, from an offset at or before the first of them.
    fn collect(&mut self, from: u64, start: &[u8]) -> io::Result<Option<Vec<u8>>> {
        let mut length = 2 * BLOCK;
        loop {
            self.read(from, length)?;
            let is_end = from + self.buffer.len() as u64 == self.size;
            let whole = if is_end {
                self.buffer.len()
            } else {
                memchr::memrchr(b'\n', &self.buffer).map_or(0, |at| at + 1)
            };
            let lines = self.buffer[..whole].split_inclusive(|&byte| byte == b'\n');
            let mut found = lines.skip_while(|line| !line.starts_with(start) && **line < *start).peekable();
            let first_after = found.clone().find(|line| !line.starts_with(start));
            if first_after.is_some() || is_end {
                let filter: Vec<u8> =
                    found.by_ref().take_while(|line| line.starts_with(start)).flatten().copied().collect();
                return Ok(Some(filter));
            }
            length *= 2;
        }
    }

    fn read(&mut self, from: u64, length: u64) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(from))?;
        let length = usize::try_from(length.min(self.size - from)).unwrap_or(usize::MAX);
        self.buffer.resize(length, 0);
        self.file.read_exact(&mut self.buffer)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::baseline::{EntryKey, write};

    fn lines(entries: &[EntryKey]) -> (tempfile::TempDir, SortedLines, String) {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let text = write(entries.iter().map(|key| (key, 1)));
        let path = directory.path().join("baseline");
        fs::write(&path, &text).expect("written");
        let size = text.len() as u64;
        (directory, SortedLines { file: File::open(path).expect("opened"), size, buffer: Vec::new() }, text)
    }

    #[test]
    fn binary_search_finds_all_lines() {
        let key = |contract: usize, path: usize, digest: u64| EntryKey {
            contract: format!("rule-{contract}"),
            path: format!("src/{path}/été \"{}\".py", "x".repeat(path % 90)),
            digest: LineDigest(digest.wrapping_mul(0x9E37_79B9_7F4A_7C15)),
        };
        let entries: Vec<EntryKey> =
            (0..4_000).map(|number| key(number % 7, number / 5, number as u64)).collect();
        let (_directory, mut lines, text) = lines(&entries);
        assert!(lines.size > 4 * BLOCK);
        for contract in 0..9 {
            for path in (0..900).step_by(13) {
                let EntryKey { contract, path, .. } = key(contract, path, 0);
                let start = frame::start_of(&contract, &path);
                let expected: Vec<u8> = text
                    .as_bytes()
                    .split_inclusive(|&byte| byte == b'\n')
                    .filter(|line| line.starts_with(&start))
                    .flatten()
                    .copied()
                    .collect();
                let found = lines.starting_with(&start).expect("read").expect("short lines");
                assert_eq!(String::from_utf8_lossy(&found), String::from_utf8_lossy(&expected));
            }
        }
    }
}
