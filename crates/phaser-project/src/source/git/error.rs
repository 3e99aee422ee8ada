//! Errors of a repository as a whole, with the command that helps.

use std::path::PathBuf;

/// Why a repository cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no repository.
    #[error("{} is not in a git repository; make one with `git init`, or check files with `phaser enforce --all`", .0.display())]
    NotARepository(PathBuf),
    /// The repository has no worktree.
    #[error("{} is a bare repository, which has no index and no files; run phaser in a clone or a `git worktree`", .0.display())]
    Bare(PathBuf),
    /// The repository belongs to another user.
    #[error(
        "{} belongs to another user, so git does not trust it; if you do: `git config --global --add safe.directory {}`",
        .0.display(), .0.display()
    )]
    Untrusted(PathBuf),
    /// The project and the worktree do not contain each other.
    #[error("the project {} is not in the git worktree {}; run phaser inside the project", root.display(), worktree.display())]
    Elsewhere {
        /// The project root.
        root: PathBuf,
        /// The root of the worktree.
        worktree: PathBuf,
    },
    /// The repository cannot be opened.
    #[error("cannot open the git repository at {}: {what}; see `git status`", path.display())]
    Open {
        /// The repository.
        path: PathBuf,
        /// The cause.
        what: String,
    },
    /// The reference format is not supported.
    #[error(
        "{} keeps its references in a format that phaser cannot read; change it with `git refs migrate --ref-format=files`",
        .0.display()
    )]
    ReferenceFormat(PathBuf),
    /// The index cannot be read.
    #[error("cannot read the index {}: {what}; move it away and run `git reset`", path.display())]
    Index {
        /// The index file.
        path: PathBuf,
        /// The cause.
        what: String,
    },
    /// The index has a conflict.
    #[error("{path} has a merge conflict; resolve it and run `git add {path}`")]
    Unmerged {
        /// The file, relative to the worktree.
        path: String,
    },
    /// The deadline passed while the change was compared with its base.
    #[error(
        "no time was left to compare the change with its base (check it with: phaser enforce --diff HEAD)"
    )]
    OutOfTime,
    /// An object is missing.
    #[error("{what}: {missing}")]
    MissingObject {
        /// What the object is for.
        what: String,
        /// The object, and how to get it.
        missing: String,
    },
    /// An object cannot be read.
    #[error("{what} cannot be read: {error}; see `git fsck`")]
    BrokenObject {
        /// What the object is for.
        what: String,
        /// The cause.
        error: String,
    },
    /// A directory exceeds the depth limit.
    #[error("the directory {path}… is too deep to be compared; name the files with --file")]
    TooDeep {
        /// The start of its path.
        path: String,
    },
    /// A revision does not exist.
    #[error("unknown revision {revision:?}; {help}")]
    UnknownRevision {
        /// The revision.
        revision: String,
        /// How to get it.
        help: String,
    },
    /// A revision is not a commit.
    #[error("{revision:?} is not a commit; name a branch, a tag or a commit")]
    NotACommit {
        /// The revision.
        revision: String,
    },
    /// There is no commit yet.
    #[error("there is no commit yet to compare with; check the files with `phaser enforce --all`")]
    Unborn,
    /// Two commits have no common ancestor.
    #[error("{base:?} and {head:?} have no common ancestor{help}")]
    NoMergeBase {
        /// The base revision.
        base: String,
        /// The head revision.
        head: String,
        /// How to continue.
        help: &'static str,
    },
}

impl GitError {
    pub(super) fn broken(what: impl Into<String>, error: &gix::Error) -> Self {
        Self::BrokenObject { what: what.into(), error: explain(error) }
    }
}

/// The error chain of gix on one line, without source locations and repetitions.
pub(super) fn explain(error: &gix::Error) -> String {
    let mut messages: Vec<String> = Vec::new();
    for error in error.iter_errors() {
        let text = error.to_string();
        if !messages.contains(&text) {
            messages.push(text);
        }
    }
    messages.join(": ")
}
