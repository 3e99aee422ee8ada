//! A violation: a file, or the project, breaks a contract. It is self-contained: reporting, comparing and counting
//! violations needs neither the text nor the matcher.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::contract::Contract;
use crate::digest::digest;
use crate::path::RelPath;
use crate::text::Region;

/// A contract that a file, or the project, does not keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The violated contract.
    pub contract: Arc<Contract>,
    /// The file. For a project-wide contract, the contract's glob.
    pub path: RelPath,
    /// The match; `None` for a violation by the file as a whole. Boxed, because violations are moved and sorted.
    pub found: Option<Box<Match>>,
    /// Identifies the violation when lines move.
    pub fingerprint: Fingerprint,
    /// Whether it counts.
    pub state: State,
    /// An addition for reports.
    pub note: Option<Note>,
    /// A fix that adds no violation, if there is one.
    pub fix: Option<Box<Replacement>>,
    /// What else there is to report, for the types that find more than a match.
    pub detail: Option<Box<ViolationDetail>>,
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
            detail: None,
        }
    }

    /// A violation at a match.
    pub fn at(contract: &Arc<Contract>, path: &RelPath, found: Match, digests: MatchDigests) -> Self {
        let MatchDigests { line, text } = digests;
        Self {
            found: Some(Box::new(found)),
            fingerprint: Fingerprint { line, text, repeat: 1 },
            ..Self::of_file(contract, path)
        }
    }

    /// The digests of the match. `None` for a violation by the file as a whole, so that it stays the same when the file
    /// is renamed or changed.
    pub fn match_digests(&self) -> Option<MatchDigests> {
        let Fingerprint { line, text, .. } = self.fingerprint;
        self.found.as_ref().map(|_| MatchDigests { line, text })
    }

    /// What a violation of the same contract in another version of the text has in common with this one: the lines of
    /// the match, without their white space. `None` for a violation by the file as a whole.
    pub fn identity(&self) -> Option<LineDigest> {
        self.match_digests().map(|digests| digests.text)
    }

    /// Sets the contents of the file, if the violation is by the file as a whole.
    pub fn set_contents(&mut self, contents: LineDigest) {
        if self.found.is_none() {
            self.fingerprint.text = contents;
        }
    }

    /// Whether it is about one change, and not about the state after it.
    pub fn is_about_change(&self) -> bool {
        self.detail.as_ref().is_some_and(|detail| detail.is_about_change())
    }

    /// The message of the contract, and what the change did. A removed text is quoted, since no file has it any more.
    pub fn message(&self) -> Cow<'_, str> {
        let Some(detail) = self.detail.as_ref().and_then(|detail| detail.describe()) else {
            return Cow::Borrowed(&self.contract.message);
        };
        let message = self.contract.message.trim_end();
        match &self.found {
            Some(found) if self.is_removed() => {
                Cow::Owned(format!("{message} ({detail}: {})", found.line.trim()))
            }
            _ => Cow::Owned(format!("{message} ({detail})")),
        }
    }

    /// Whether the content of the file decides it, and not a change or other files.
    pub fn is_of_content(&self) -> bool {
        matches!(self.detail.as_deref(), None | Some(ViolationDetail::Syntax(_)))
    }

    /// Whether its place is in the base of a change, because the change removed it.
    pub fn is_removed(&self) -> bool {
        self.detail.as_deref() == Some(&ViolationDetail::Removed)
    }

    /// Whether it fails a run or denies an edit.
    pub fn is_open(&self) -> bool {
        self.state == State::Open
    }

    /// The order of reports: path, position, contract id.
    pub fn by_place(&self, other: &Self) -> Ordering {
        let region = |violation: &Self| violation.found.as_ref().map(|found| found.region);
        let by_region = self.path.cmp(&other.path).then_with(|| region(self).cmp(&region(other)));
        by_region.then_with(|| self.contract.id.cmp(&other.contract.id))
    }

    /// A name that is stable when lines move, and unique within the file.
    pub fn name(&self) -> String {
        let Fingerprint { line, repeat, .. } = self.fingerprint;
        let contract = format!("{}\0{:016x}", self.contract.id, line.0);
        format!("{:016x}:{repeat}", digest(contract.as_bytes()))
    }
}

/// What a change did to the file, what is missing beside it, or why it does not parse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ViolationDetail {
    /// The change removed the match. Its place is in the base.
    Removed,
    /// The change modified the file.
    Modified,
    /// The change deleted the file.
    Deleted,
    /// The change renamed the file to this path.
    Renamed(RelPath),
    /// The change left all companions of the file as they are.
    CompanionUnchanged(Vec<RelPath>),
    /// The file has none of these companions.
    NoCompanion(Vec<RelPath>),
    /// The file does not parse, in the parser's words.
    Syntax(String),
}

impl ViolationDetail {
    /// Whether only this one change can be approved, and not the state after it.
    pub fn is_about_change(&self) -> bool {
        !matches!(self, Self::NoCompanion(_) | Self::Syntax(_))
    }

    /// The words for reports; `None` if the place says it all.
    pub fn describe(&self) -> Option<String> {
        let any = |paths: &[RelPath]| paths.iter().map(RelPath::to_text).collect::<Vec<_>>().join(" or ");
        match self {
            Self::Removed => Some("removed".to_owned()),
            Self::Modified => None,
            Self::Deleted => Some("deleted".to_owned()),
            Self::Renamed(to) => Some(format!("renamed to {}", to.to_text())),
            Self::CompanionUnchanged(paths) => Some(format!("{} did not change", any(paths))),
            Self::NoCompanion(paths) => Some(format!("{} is missing", any(paths))),
            Self::Syntax(problem) => Some(problem.clone()),
        }
    }
}

/// The position and the text of a match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Match {
    /// The matched bytes, without leading white space.
    pub range: Range<usize>,
    /// The start of the match, with leading white space.
    pub start: usize,
    /// The lines and columns of `range`.
    pub region: Region,
    /// The matched text; cut if it is very long.
    pub text: String,
    /// The first line of the match; cut if it is very long. Shared by the matches on a line.
    pub line: Arc<str>,
    /// The place in the cell of a notebook; `range`, `start` and `region` are those in the file.
    pub cell: Option<CellMatch>,
}

/// The place of a match in the decoded source of a notebook's cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellMatch {
    /// The number of the cell, from 1.
    pub number: usize,
    /// The matched bytes, without leading white space.
    pub range: Range<usize>,
    /// The start of the match, with leading white space.
    pub start: usize,
    /// The lines and columns of `range`.
    pub region: Region,
}

impl Match {
    /// The matched bytes, with leading white space.
    pub fn whole(&self) -> Range<usize> {
        self.start..self.range.end
    }

    /// The lines and columns as the author counts them: in the cell of a notebook, else in the file.
    pub fn source_region(&self) -> Region {
        self.cell.as_ref().map_or(self.region, |cell| cell.region)
    }

    /// The matched bytes of the cell or the file.
    pub fn source_range(&self) -> Range<usize> {
        self.cell.as_ref().map_or(&self.range, |cell| &cell.range).clone()
    }

    /// The place after the path of the file: `12`, or `cell 3:2` in a notebook.
    pub fn line_place(&self) -> String {
        let line = self.source_region().start.line;
        self.cell.as_ref().map_or_else(|| line.to_string(), |cell| format!("cell {}:{line}", cell.number))
    }
}

/// A replacement of a part of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replacement {
    /// The bytes of the file to replace.
    pub range: Range<usize>,
    /// The lines and columns of `range`.
    pub region: Region,
    /// The text at `range`.
    pub old: String,
    /// The new text.
    pub text: String,
}

/// Identifies a violation when lines move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Fingerprint {
    /// The first line of the match, or the path for a violation without a line. For a value of a data file, its path in
    /// the file and its text.
    pub line: LineDigest,
    /// All lines of the match, from the first to the last; for a value, as `line`. For a violation without a line, the contents of the file, or
    /// the path if there are none.
    pub text: LineDigest,
    /// The number of this violation, from 1, among those of its contract in its file with an equal line.
    pub repeat: u32,
}

impl Fingerprint {
    /// For a violation without a line.
    pub fn of_path(path: &RelPath) -> Self {
        let path = LineDigest(digest(path.as_bytes()));
        Self { line: path, text: path, repeat: 1 }
    }
}

/// The digests of the lines of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MatchDigests {
    /// The first line.
    pub line: LineDigest,
    /// All lines, from the first to the last.
    pub text: LineDigest,
}

/// A digest of one or more lines without their white space. Stable over machines and versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LineDigest(pub u64);

impl LineDigest {
    /// The digest of a text.
    pub fn of(line: &[u8]) -> Self {
        Self(digest(line.iter().filter(|byte| !byte.is_ascii_whitespace())))
    }
}

/// The state of a violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum State {
    /// It fails a run or denies an edit.
    Open,
    /// By a directive.
    Ignored,
    /// It was there before the change.
    Existing,
    /// Recorded in the baseline.
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

/// An addition to a violation in a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Note {
    /// A directive without an id is where one with an id would have suppressed it.
    BareIgnore,
    /// A directive names this contract, which is not ignorable.
    NotIgnorable,
}

impl Note {
    /// The sentence for reports.
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
    fn line_digest_ignores_white_space() {
        let digest = LineDigest::of(b"if (x) {");
        assert_eq!(digest, LineDigest::of(b"\tif ( x )\t{ \r"));
        assert_ne!(digest, LineDigest::of(b"if (y) {"));
        assert_eq!(LineDigest::of(b""), LineDigest::of(b" \t"));
    }
}
