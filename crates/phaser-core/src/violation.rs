//! A violation: a contract that a file, or the project, does not keep.
//!
//! It stands on its own: whoever shows, compares or counts violations needs neither the text nor the
//! matcher. How one is found, and how one is shown, is not known here.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use crate::contract::Contract;
use crate::digest::digest;
use crate::path::RelPath;
use crate::text::Region;

/// A contract that is not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Which one.
    pub contract: Arc<Contract>,
    /// The file; for a contract about the project as a whole, the contract's glob.
    pub path: RelPath,
    /// Where in the file, if at a place.
    pub found: Option<Match>,
    /// What it is recognised by when lines move.
    pub fingerprint: Fingerprint,
    /// Whether it counts, and if not, why.
    pub state: State,
    /// Something to add to it in a report.
    pub note: Option<Note>,
    /// What would repair it, if that is known and does no harm.
    pub fix: Option<Box<Replacement>>,
}

impl Violation {
    /// A violation by the file as a whole.
    pub fn of_file(contract: &Arc<Contract>, path: &RelPath) -> Self {
        Self {
            contract: Arc::clone(contract),
            path: path.clone(),
            found: None,
            fingerprint: Fingerprint::of_path(path),
            state: State::Open,
            note: None,
            fix: None,
        }
    }

    /// A violation at a place.
    pub fn at(contract: &Arc<Contract>, path: &RelPath, found: Match, line: LineDigest) -> Self {
        Self {
            found: Some(found),
            fingerprint: Fingerprint { line, repeat: 1 },
            ..Self::of_file(contract, path)
        }
    }

    /// The digest of the line that it is on. A violation by a file as a whole has none, so that it stays the same when the
    /// file moves.
    pub fn line_digest(&self) -> Option<LineDigest> {
        self.found.as_ref().map(|_| self.fingerprint.line)
    }

    /// Does it fail a run or deny an edit?
    pub fn is_open(&self) -> bool {
        self.state == State::Open
    }

    /// The order of reports: path, position, rule id.
    pub fn by_place(&self, other: &Self) -> Ordering {
        let region = |violation: &Self| violation.found.as_ref().map(|found| found.region);
        let by_region = self.path.cmp(&other.path).then_with(|| region(self).cmp(&region(other)));
        by_region.then_with(|| self.contract.id.cmp(&other.contract.id))
    }

    /// A name for it that survives when lines move, unique within its file.
    pub fn name(&self) -> String {
        let Fingerprint { line, repeat } = self.fingerprint;
        let contract = format!("{}\0{:016x}", self.contract.id, line.0);
        format!("{:016x}:{repeat}", digest(contract.as_bytes()))
    }
}

/// The place and the text of a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// The bytes of the text that matched, without the white space that they start with.
    pub range: Range<usize>,
    /// Where the match starts, white space and all.
    pub start: usize,
    /// The same in lines and columns.
    pub region: Region,
    /// What matched; cut if it is very long.
    pub text: String,
    /// The line it starts on; cut if it is very long. Matches on one line share it.
    pub line: Arc<str>,
}

impl Match {
    /// The bytes of the text that matched, all of them.
    pub fn whole(&self) -> Range<usize> {
        self.start..self.range.end
    }
}

/// A text in the place of a part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// The bytes of the file to replace.
    pub range: Range<usize>,
    /// The same in lines and columns.
    pub region: Region,
    /// What stands there now.
    pub old: String,
    /// What to write there.
    pub text: String,
}

/// What a violation is recognised by when lines move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint {
    /// The line it starts on; the path for a violation without a line.
    pub line: LineDigest,
    /// Which one it is, from 1, among those of its contract in its file with the same line.
    pub repeat: u32,
}

impl Fingerprint {
    /// Of a violation without a line.
    pub fn of_path(path: &RelPath) -> Self {
        Self { line: LineDigest(digest(path.as_bytes())), repeat: 1 }
    }
}

/// A digest of a line without its white space, the same on every machine and in every version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineDigest(pub u64);

impl LineDigest {
    /// The digest of these bytes.
    pub fn of(line: &[u8]) -> Self {
        Self(digest(line.iter().filter(|byte| !byte.is_ascii_whitespace())))
    }
}

/// Whether a violation counts, and if not, why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum State {
    /// It counts.
    Open,
    /// An ignore directive covers it.
    Ignored,
    /// It was there before the change.
    Existing,
    /// It is in the baseline.
    Baselined,
}

impl State {
    /// The word used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Ignored => "ignored",
            Self::Existing => "existing",
            Self::Baselined => "baselined",
        }
    }
}

/// Something to add to a violation in a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Note {
    /// An ignore directive without an id stands where one with an id would have suppressed it.
    BareIgnore,
    /// An ignore directive names a contract that none suppresses.
    NotIgnorable,
}

impl Note {
    /// What it says.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BareIgnore => "phaser:ignore without an id ignores nothing",
            Self::NotIgnorable => "phaser:ignore does not count for this contract",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_does_not_change_what_a_line_is_recognised_by() {
        let digest = LineDigest::of(b"if (x) {");
        assert_eq!(digest, LineDigest::of(b"\tif ( x )\t{ \r"));
        assert_ne!(digest, LineDigest::of(b"if (y) {"));
        assert_eq!(LineDigest::of(b""), LineDigest::of(b" \t"));
    }
}
