//! Where text comes from: each source gives a list of targets, and says how much of the project it saw.
//!
//! Sources know nothing of contracts. A target's content is read only when the scan asks for it.

pub mod edit;
pub mod notebook;

use std::fmt;
use std::path::PathBuf;

use crate::path::RelPath;

/// One file to check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The path that globs see and reports show.
    pub path: RelPath,
    /// A second name of the same file, when the path given leads through a link; globs see both.
    pub alias: Option<RelPath>,
    /// Where its bytes are.
    pub content: Content,
}

/// Where the bytes of a target are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// In a file on disk.
    File(PathBuf),
    /// Here.
    Bytes(Vec<u8>),
    /// Nowhere that can be read as text, but the file is there: only its path is judged.
    Opaque,
}

/// How much of the project a source saw; what is about the project as a whole needs all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Coverage {
    /// Every file of the project is a target.
    Whole,
    /// The targets are some files, but these are the paths of all.
    Listed(Vec<RelPath>),
    /// Only the targets are known.
    Partial,
}

/// What a source found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Targets {
    /// The files to check.
    pub targets: Vec<Target>,
    /// How much of the project they are.
    pub coverage: Coverage,
    /// What was left out, and why.
    pub skipped: Vec<Skipped>,
}

/// Something that was not checked, or not checked to the end, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// The file.
    pub path: RelPath,
    /// Why.
    pub why: Why,
}

/// Why something was not checked.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// It is not text.
    Binary,
    /// It is not a regular file: a directory, a FIFO, a device.
    NotAFile,
    /// It is a symbolic link in a tree or an index.
    Link,
    /// It is a git submodule.
    Submodule,
    /// It is larger than the limit, both in bytes.
    TooLarge {
        /// Its size.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// A contract matched more often than is reported.
    TooManyMatches {
        /// The contract's id.
        id: String,
        /// How many are reported.
        limit: usize,
    },
    /// It could not be read.
    Unreadable(String),
    /// Its path has a `..` component.
    ParentComponent,
    /// A pattern ran out of its time or its budget.
    OutOfTime {
        /// The contract's id.
        id: String,
    },
}

/// How much a [`Why`] matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gap {
    /// Nothing that a contract is about was missed.
    None,
    /// Something was missed, as documented; `--strict` makes it a failure.
    Known,
    /// Something was missed that should have been checked.
    Failure,
}

impl Why {
    /// How much this matters.
    pub fn gap(&self) -> Gap {
        match self {
            Self::Binary | Self::NotAFile | Self::Link | Self::Submodule => Gap::None,
            Self::TooLarge { .. } | Self::TooManyMatches { .. } => Gap::Known,
            Self::Unreadable(_) | Self::ParentComponent | Self::OutOfTime { .. } => Gap::Failure,
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Binary => f.write_str("binary"),
            Self::NotAFile => f.write_str("not a regular file"),
            Self::Link => f.write_str("a symbolic link"),
            Self::Submodule => f.write_str("a submodule"),
            Self::TooLarge { size, limit } => {
                write!(f, "{size} bytes, over the limit of {limit} (raise it with --max-file-size)")
            }
            Self::TooManyMatches { id, limit } => {
                write!(f, "{id} has more than {limit} matches; only the first {limit} are reported")
            }
            Self::Unreadable(error) => write!(f, "cannot be read: {error}"),
            Self::ParentComponent => f.write_str("path contains '..'; name the file without it"),
            Self::OutOfTime { id } => {
                write!(f, "{id} ran out of time (simplify its pattern, or raise --timeout)")
            }
        }
    }
}
