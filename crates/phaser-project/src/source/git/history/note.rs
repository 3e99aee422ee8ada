//! What is said about a past: where it ends before it should, and what of it is not followed.

use std::fmt;

use crate::path::RelPath;

/// Something to say about a past.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// It ends at this commit, because the clone is shallow.
    Shallow(String),
    /// It ends because something cannot be read.
    Broken(String),
    /// So many objects have a replacement, which does not count.
    Replaced(usize),
    /// There are grafts, which do not count.
    Grafted,
    /// These submodules are not looked into.
    Submodules(Vec<RelPath>),
    /// The repository is a directory of the project.
    Part(RelPath),
}

impl Note {
    /// Does it mean that something could not be read which should have been?
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Broken(_))
    }

    /// Does the past end before it should?
    pub fn is_end(&self) -> bool {
        matches!(self, Self::Broken(_) | Self::Shallow(_))
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shallow(id) => write!(
                f,
                "the history ends at {id}, because this clone is shallow; get the rest with `git fetch --unshallow` \
                 (GitHub Actions: `fetch-depth: 0` for actions/checkout)"
            ),
            Self::Broken(what) => write!(f, "older commits are left out: {what}"),
            Self::Replaced(count) => {
                let s = if *count == 1 { "" } else { "s" };
                write!(f, "{count} object{s} with a replacement (`git replace`) counted as committed")
            }
            Self::Grafted => f.write_str("the file info/grafts is not followed: parents are as committed"),
            Self::Submodules(paths) => {
                let names: Vec<_> = paths.iter().take(3).map(ToString::to_string).collect();
                let more = if paths.len() > names.len() { ", …" } else { "" };
                let s = if paths.len() == 1 { "" } else { "s" };
                write!(f, "{} submodule{s} not looked into: {}{more}", paths.len(), names.join(", "))
            }
            Self::Part(path) => {
                write!(f, "only {path} is in the repository: what is about the whole project is not judged")
            }
        }
    }
}
