//! Gaps: what was not checked, or not to the end, and the reason. Carried to the report, never hidden.

use std::fmt;

use crate::path::RelPath;
use crate::text;

/// A file that was not checked, or not to the end.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// The file, or the directory for [`SkipReason::TimedOut`].
    pub path: RelPath,
    /// Why it was not checked.
    pub why: SkipReason,
}

/// Why a file was not checked.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkipReason {
    /// Not text.
    Binary,
    /// Not text, although the file has the name of text, or was text before the change, and a contract is about its text.
    UnexpectedBinary(String),
    /// Text in an encoding that is recognised but not decoded.
    Encoding(&'static str),
    /// A directory, a FIFO, a device.
    NotAFile,
    /// A symbolic link in a tree or an index.
    Link,
    /// A git submodule.
    Submodule,
    /// Over the size limit.
    TooLarge {
        /// In bytes.
        size: u64,
        /// In bytes.
        limit: u64,
    },
    /// More matches than are reported for one contract.
    TooManyMatches {
        /// The contract.
        id: String,
        /// The number of matches reported.
        limit: usize,
    },
    /// The error of the system or of git.
    Unreadable(String),
    /// The path has a `..` component.
    ParentComponent,
    /// Named on the command line, but outside the project.
    Outside,
    /// The path exceeds what is supported.
    PathTooLong {
        /// In bytes.
        limit: usize,
    },
    /// The text after a tool call could not be reconstructed.
    NotReconstructed(String),
    /// The pattern is too large to be compiled for text beyond ASCII.
    TooComplex {
        /// The contract.
        id: String,
    },
    /// The pattern exceeded its time or its budget.
    OutOfTime {
        /// The contract.
        id: String,
    },
    /// The data file does not parse, so that its values are unknown.
    Unparsable {
        /// The line that the parser stopped at.
        line: usize,
        /// What the parser reports.
        why: String,
        /// The contracts about its values.
        ids: Vec<String>,
    },
    /// The path of the contract visits too many values.
    TooBroad {
        /// The contract.
        id: String,
    },
    /// The file was not parsed for a contract about code, or its tree not searched to the end.
    NotParsed {
        /// The contract.
        id: String,
        /// What kept it from being parsed.
        limit: ParseLimit,
    },
    /// The deadline passed before these contracts were searched.
    NoTimeLeft {
        /// At least one.
        ids: Vec<String>,
    },
    /// The deadline passed before all files were checked.
    TimedOut {
        /// The number of files checked.
        checked: usize,
        /// The number of directories unchecked.
        directories: usize,
        /// The number of files that git tracks in them, if known.
        tracked: Option<usize>,
    },
    /// More violations than are reported for one file.
    TooManyViolations {
        /// The number of violations reported.
        limit: usize,
        /// The contracts with unreported violations.
        ids: Vec<String>,
    },
}

/// What kept code from being parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ParseLimit {
    /// The number of bytes.
    Size(usize),
    /// The nesting of brackets, or of nodes that are compared.
    Depth,
    /// The number of steps.
    Steps,
    /// The parser crashed.
    Crash,
}

/// The severity of a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gap {
    /// Nothing that a contract is about was missed.
    None,
    /// A documented gap. `--strict` makes it a failure.
    Known,
    /// Something was missed that should have been checked.
    Failure,
}

impl SkipReason {
    /// Why `bytes` are not text.
    pub fn not_text(bytes: &[u8]) -> Self {
        text::unread_encoding(bytes).map_or(Self::Binary, Self::Encoding)
    }

    /// Whether the file is not text, or a change of an agent makes it so.
    pub fn is_binary(&self) -> bool {
        matches!(self, Self::Binary | Self::NotReconstructed(_))
    }

    /// A reason that [is binary](Self::is_binary), where text is expected: a gap.
    #[must_use]
    pub fn unexpected(self) -> Self {
        match self {
            Self::Binary => Self::UnexpectedBinary(
                "binary, but it has the name of text or was text before (remove the NUL bytes, or exclude the file)".to_owned(),
            ),
            Self::NotReconstructed(reason) => Self::UnexpectedBinary(reason),
            other => other,
        }
    }

    /// The ids of the contracts that the reason is about; `None` if it is about the file as a whole, and so about every
    /// contract that applies.
    fn contracts(&self) -> Option<&[String]> {
        match self {
            Self::TooManyMatches { id, .. }
            | Self::TooComplex { id }
            | Self::TooBroad { id }
            | Self::NotParsed { id, .. }
            | Self::OutOfTime { id } => Some(std::slice::from_ref(id)),
            Self::NoTimeLeft { ids } | Self::TooManyViolations { ids, .. } | Self::Unparsable { ids, .. } => {
                Some(ids)
            }
            Self::Binary
            | Self::UnexpectedBinary(_)
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
            | Self::TimedOut { .. } => None,
        }
    }

    /// Whether the reason is about the contract with this id, not about the file as a whole.
    pub fn concerns(&self, contract: &str) -> bool {
        self.contracts().is_some_and(|ids| ids.iter().any(|id| id == contract))
    }

    /// Whether the reason is about the file as a whole.
    pub fn is_about_file(&self) -> bool {
        self.contracts().is_none()
    }

    /// How serious the gap is.
    pub fn gap(&self) -> Gap {
        match self {
            Self::Binary | Self::NotAFile | Self::Link | Self::Submodule => Gap::None,
            Self::Encoding(_)
            | Self::UnexpectedBinary(_)
            | Self::TooLarge { .. }
            | Self::TooManyMatches { .. }
            | Self::TooManyViolations { .. }
            | Self::NotParsed { limit: ParseLimit::Size(_), .. }
            | Self::NotReconstructed(_) => Gap::Known,
            Self::Unreadable(_)
            | Self::ParentComponent
            | Self::Outside
            | Self::PathTooLong { .. }
            | Self::TooComplex { .. }
            | Self::TooBroad { .. }
            | Self::Unparsable { .. }
            | Self::OutOfTime { .. }
            | Self::NotParsed { .. }
            | Self::NoTimeLeft { .. }
            | Self::TimedOut { .. } => Gap::Failure,
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Binary => f.write_str("binary"),
            Self::UnexpectedBinary(reason) => f.write_str(reason),
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
            Self::TooBroad { id } => {
                write!(f, "{id} visits too many values of the file (make its path more exact)")
            }
            Self::Unparsable { line, why, ids } => {
                let first = ids.first().map_or("", String::as_str);
                match ids.len() {
                    1 => write!(f, "line {line} does not parse: {why}; unchecked: {first}"),
                    count => write!(
                        f,
                        "line {line} does not parse: {why}; {count} contracts unchecked, from {first} on"
                    ),
                }
            }
            Self::OutOfTime { id } => {
                write!(f, "{id} ran out of time (simplify its pattern, or raise --timeout)")
            }
            Self::NotParsed { id, limit } => match limit {
                ParseLimit::Size(bytes) => {
                    write!(
                        f,
                        "{id} is not checked: code of more than {bytes} bytes is not parsed (split the file)"
                    )
                }
                ParseLimit::Depth => {
                    write!(
                        f,
                        "{id} is not checked: the file is nested too deeply to be parsed (split its expressions)"
                    )
                }
                ParseLimit::Steps => {
                    write!(
                        f,
                        "{id} is not checked: parsing the file takes too many steps (correct its syntax, or split it)"
                    )
                }
                ParseLimit::Crash => {
                    write!(f, "{id} is not checked: the parser crashed (report the file as a bug of phaser)")
                }
            },
            Self::NoTimeLeft { ids } => {
                let first = ids.first().map_or("", String::as_str);
                match ids.len() {
                    1 => write!(f, "no time was left for {first}")?,
                    count => write!(f, "no time was left for {count} contracts, from {first} on")?,
                }
                f.write_str(" (simplify the patterns that apply to this file, or split it)")
            }
            Self::TimedOut { checked, directories, tracked } => {
                let s = |count: usize| if count == 1 { "y" } else { "ies" };
                write!(f, "timed out after {checked} files; {directories} director{} ", s(*directories))?;
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
