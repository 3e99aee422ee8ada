//! The entries of a few violations in a large baseline, found without reading all of it: its lines are sorted.
//!
//! Whoever finds all that is asked for need not read the rest. A file whose lines are not in order, which a merge may leave,
//! hides entries from this, and never shows one that is not there.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

use super::{Baseline, MAX_SIZE, Reading, frame};
use crate::path::{BASELINE, Root};
use phaser_core::violation::{LineDigest, Violation};

/// A file with fewer bytes is read as a whole: that costs next to nothing, and nothing in it stays unseen.
const LARGE: u64 = 256 << 10;

/// How much is read for one look, in bytes: a line or a few.
const LOOK: u64 = 1 << 10;

/// How close a place must be known before it is read, in bytes.
const BLOCK: u64 = 4 << 10;

impl Baseline {
    /// The entries that cover all of these violations, if the file is large and has them where they should stand.
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
        let mut lines = Lines { file: File::open(path).ok()?, size, buffer: Vec::new() };
        let mut found = Reading::new(None);
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

/// The sorted lines of a file.
struct Lines {
    file: File,
    size: u64,
    buffer: Vec<u8>,
}

impl Lines {
    /// The lines that start with these bytes; nothing if a line is longer than any that phaser writes.
    fn starting_with(&mut self, start: &[u8]) -> io::Result<Option<Vec<u8>>> {
        // Lines that start before `low` are smaller; the first that is not starts before `high`, or there.
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

    /// The lines that start with these bytes, from a place before all of them.
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
                let wanted: Vec<u8> =
                    found.by_ref().take_while(|line| line.starts_with(start)).flatten().copied().collect();
                return Ok(Some(wanted));
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
    use crate::baseline::{Key, write};

    fn lines(entries: &[Key]) -> (tempfile::TempDir, Lines, String) {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let text = write(entries.iter().map(|key| (key, 1)));
        let path = directory.path().join("baseline");
        fs::write(&path, &text).expect("written");
        let size = text.len() as u64;
        (directory, Lines { file: File::open(path).expect("opened"), size, buffer: Vec::new() }, text)
    }

    #[test]
    fn the_lines_of_a_file_are_found_wherever_they_stand() {
        let key = |contract: usize, path: usize, digest: u64| Key {
            contract: format!("rule-{contract}"),
            path: format!("src/{path}/été \"{}\".py", "x".repeat(path % 90)),
            digest: LineDigest(digest.wrapping_mul(0x9E37_79B9_7F4A_7C15)),
        };
        let entries: Vec<Key> = (0..4_000).map(|number| key(number % 7, number / 5, number as u64)).collect();
        let (_directory, mut lines, text) = lines(&entries);
        assert!(lines.size > 4 * BLOCK);
        for contract in 0..9 {
            for path in (0..900).step_by(13) {
                let Key { contract, path, .. } = key(contract, path, 0);
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
