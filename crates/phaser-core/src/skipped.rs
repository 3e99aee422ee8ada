//! What was not checked, or not to the end, and why: a gap is carried to the report, never hidden.

use std::fmt;

use crate::path::RelPath;
use crate::text;

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
    /// It is text in this encoding, which is not read.
    Encoding(&'static str),
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
    /// It was named, and lies outside the project.
    Outside,
    /// Its path is longer than any file's.
    PathTooLong {
        /// The longest that is looked at, in bytes.
        limit: usize,
    },
    /// What a tool would make of it, or has made of it, could not be worked out, for this reason.
    NotReconstructed(String),
    /// A pattern is too large to be compiled for text that is not ASCII.
    TooComplex {
        /// The contract's id.
        id: String,
    },
    /// A pattern ran out of its time or its budget.
    OutOfTime {
        /// The contract's id.
        id: String,
    },
    /// The time for all patterns together was over before these had their turn.
    NoTimeLeft {
        /// The ids of their contracts; there is at least one.
        ids: Vec<String>,
    },
    /// Time was over before everything was looked at.
    TimeOver {
        /// How many files were looked at.
        looked_at: usize,
        /// How many directories were not.
        directories: usize,
        /// How many files git tracks in those, if that is known.
        tracked: Option<usize>,
    },
    /// All contracts together matched more often than is reported.
    TooManyViolations {
        /// How many are reported.
        limit: usize,
        /// The ids of the contracts with further ones.
        ids: Vec<String>,
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
    /// Why a text cannot be made of `bytes`.
    pub fn not_text(bytes: &[u8]) -> Self {
        text::unread_encoding(bytes).map_or(Self::Binary, Self::Encoding)
    }

    /// Is this about the contract with this id, and not about a file as a whole?
    pub fn concerns(&self, contract: &str) -> bool {
        match self {
            Self::TooManyMatches { id, .. } | Self::TooComplex { id } | Self::OutOfTime { id } => {
                id == contract
            }
            Self::NoTimeLeft { ids } | Self::TooManyViolations { ids, .. } => {
                ids.iter().any(|id| id == contract)
            }
            Self::Binary
            | Self::Encoding(_)
            | Self::NotAFile
            | Self::Link
            | Self::Submodule
            | Self::TooLarge { .. }
            | Self::Unreadable(_)
            | Self::ParentComponent
            | Self::Outside
            | Self::PathTooLong { .. }
            | Self::NotReconstructed(_)
            | Self::TimeOver { .. } => false,
        }
    }

    /// Is this about a file as a whole, and so about every contract that applies to it?
    pub fn is_about_file(&self) -> bool {
        match self {
            Self::TooManyMatches { .. }
            | Self::TooComplex { .. }
            | Self::OutOfTime { .. }
            | Self::NoTimeLeft { .. }
            | Self::TooManyViolations { .. } => false,
            Self::Binary
            | Self::Encoding(_)
            | Self::NotAFile
            | Self::Link
            | Self::Submodule
            | Self::TooLarge { .. }
            | Self::Unreadable(_)
            | Self::ParentComponent
            | Self::Outside
            | Self::PathTooLong { .. }
            | Self::NotReconstructed(_)
            | Self::TimeOver { .. } => true,
        }
    }

    /// How much this matters.
    pub fn gap(&self) -> Gap {
        match self {
            Self::Binary | Self::NotAFile | Self::Link | Self::Submodule => Gap::None,
            Self::Encoding(_)
            | Self::TooLarge { .. }
            | Self::TooManyMatches { .. }
            | Self::TooManyViolations { .. }
            | Self::NotReconstructed(_) => Gap::Known,
            Self::Unreadable(_)
            | Self::ParentComponent
            | Self::Outside
            | Self::PathTooLong { .. }
            | Self::TooComplex { .. }
            | Self::OutOfTime { .. }
            | Self::NoTimeLeft { .. }
            | Self::TimeOver { .. } => Gap::Failure,
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Binary => f.write_str("binary"),
            Self::Encoding(name) => write!(f, "text in {name}, which is not read (save it as UTF-8)"),
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
            Self::Outside => {
                f.write_str("it lies outside the project; run phaser in the project that it belongs to")
            }
            Self::PathTooLong { limit } => write!(f, "its path is longer than {limit} bytes"),
            Self::NotReconstructed(reason) => f.write_str(reason),
            Self::TooComplex { id } => {
                write!(f, "{id} is too large for text that is not ASCII (use fewer Unicode classes)")
            }
            Self::OutOfTime { id } => {
                write!(f, "{id} ran out of time (simplify its pattern, or raise --timeout)")
            }
            Self::NoTimeLeft { ids } => {
                let first = ids.first().map_or("", String::as_str);
                match ids.len() {
                    1 => write!(f, "no time was left for {first}")?,
                    count => write!(f, "no time was left for {count} contracts, from {first} on")?,
                }
                f.write_str(" (simplify the patterns that apply to this file, or split it)")
            }
            Self::TimeOver { looked_at, directories, tracked } => {
                let s = |count: usize| if count == 1 { "y" } else { "ies" };
                write!(f, "timed out after {looked_at} files; {directories} director{} ", s(*directories))?;
                if let Some(tracked) = tracked {
                    write!(f, "with {tracked} tracked files ")?;
                }
                f.write_str("unchecked (check everything with: phaser enforce --all)")
            }
            Self::TooManyViolations { limit, .. } => {
                write!(f, "more than {limit} violations; only the first {limit} are reported")
            }
        }
    }
}
