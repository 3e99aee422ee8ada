//! What can go wrong with a repository as a whole, and the command that helps.

use std::path::PathBuf;

/// Why a repository cannot be a source.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no repository.
    #[error("{} is not in a git repository; make one with `git init`, or check files with `phaser enforce --all`", .0.display())]
    NotARepository(PathBuf),
    /// It has no worktree.
    #[error("{} is a bare repository, which has no index and no files; run phaser in a clone or a `git worktree`", .0.display())]
    Bare(PathBuf),
    /// It belongs to somebody else.
    #[error(
        "{} belongs to another user, so git does not trust it; if you do: `git config --global --add safe.directory {}`",
        .0.display(), .0.display()
    )]
    Untrusted(PathBuf),
    /// The project is somewhere else.
    #[error("the project {} is not in the git worktree {}; run phaser inside the project", root.display(), worktree.display())]
    Elsewhere {
        /// The project root.
        root: PathBuf,
        /// The root of the worktree.
        worktree: PathBuf,
    },
    /// It could not be opened.
    #[error("cannot open the git repository at {}: {what}; see what `git status` says", path.display())]
    Open {
        /// Where it is.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// It keeps its references in a way that is not known.
    #[error(
        "{} keeps its references in a format that phaser cannot read; change it with `git refs migrate --ref-format=files`",
        .0.display()
    )]
    ReferenceFormat(PathBuf),
    /// The index could not be read.
    #[error("cannot read the index {}: {what}; move it away and make a new one with `git reset`", path.display())]
    Index {
        /// The index file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The index has a merge conflict in it.
    #[error("{path} has a merge conflict; resolve it and run `git add {path}`")]
    Unmerged {
        /// The file, relative to the worktree.
        path: String,
    },
    /// An object is not there.
    #[error("{what}: {missing}")]
    MissingObject {
        /// What the object is for.
        what: String,
        /// Which one it is, and what helps.
        missing: String,
    },
    /// An object could not be read.
    #[error("{what} cannot be read: {error}; find out more with `git fsck`")]
    BrokenObject {
        /// What the object is for.
        what: String,
        /// What is wrong with it.
        error: String,
    },
    /// A directory is deeper than anybody's.
    #[error("the directory {path}… is too deep to be compared; name the files with --file")]
    TooDeep {
        /// How its path starts.
        path: String,
    },
    /// A revision does not exist.
    #[error("unknown revision {revision:?}; {help}")]
    UnknownRevision {
        /// The revision as it was written.
        revision: String,
        /// The command that helps.
        help: String,
    },
    /// A revision is not a commit.
    #[error("{revision:?} is not a commit; name a branch, a tag or a commit")]
    NotACommit {
        /// The revision as it was written.
        revision: String,
    },
    /// There is no commit yet.
    #[error("there is no commit yet to compare with; check the files with `phaser enforce --all`")]
    Unborn,
    /// Two commits have nothing in common.
    #[error("{base:?} and {head:?} have no common ancestor{help}")]
    NoMergeBase {
        /// The base as it was written.
        base: String,
        /// The head as it was written.
        head: String,
        /// What helps.
        help: &'static str,
    },
}

impl Error {
    pub(super) fn broken(what: impl Into<String>, error: &gix::Error) -> Self {
        Self::BrokenObject { what: what.into(), error: explain(error) }
    }
}

/// An error of gix on one line, without the places in its source.
pub(super) fn explain(error: &gix::Error) -> String {
    let mut said: Vec<String> = Vec::new();
    for error in error.iter_errors() {
        let text = error.to_string();
        if !said.contains(&text) {
            said.push(text);
        }
    }
    said.join(": ")
}
