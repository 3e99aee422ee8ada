//! A change as contracts about changes see it: each file in the base, and after the change.
//!
//! The base is what a change is compared with: the last commit for an edit and for staged files, the commits at the start
//! of a command or a turn, the merge base for a range. During a merge there are several; what is as in one of them is
//! not the work of this change.
//!
//! Nothing is read before a contract asks for it: contents are blobs, or files on disk.

use super::Content;
use super::git::ProjectState;
use crate::path::RelPath;

/// A file that a change touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// The path for globs and reports; the old one, if the file was renamed.
    pub path: RelPath,
    /// The real path, if `path` leads through a link.
    pub alias: Option<RelPath>,
    /// The content in each base; `None` where the file is not in it.
    pub before: Vec<Option<Content>>,
    /// The content on disk before an edit.
    pub previous: Option<Content>,
    /// The content after the change; `None` if the file is gone.
    pub after: Option<Content>,
    /// The new path of a file that was renamed.
    pub moved_to: Option<RelPath>,
}

impl ChangedFile {
    /// Whether every base has the file.
    pub fn is_in_base(&self) -> bool {
        !self.before.is_empty() && self.before.iter().all(Option::is_some)
    }
}

/// The files of one change.
#[derive(Debug)]
pub struct ChangeSet {
    /// The files that differ from the base, sorted by path.
    pub files: Vec<ChangedFile>,
    /// The project after the change, where companions are looked for; `None` if they are not judged.
    pub state: Option<ProjectState>,
    /// Whether other files that are not committed may hold what the change moved out of these.
    pub has_others: bool,
}
