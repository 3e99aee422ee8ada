//! Walks a directory tree and takes the files that belong to the project: not excluded by git, or tracked. Hidden
//! files are included, `.git` is not, links are not followed.
//!
//! Two crates share the work. [`ignore`] walks: it reads directories on all threads and balances them. gix decides:
//! it parses the rules and reads the index (see [`excludes`](super::git::excludes)). The rules of `ignore` itself are
//! off, because they differ from git's: they exclude tracked files, and `*.{py,log}` excludes `a.py`, where git knows
//! no braces.
//!
//! # Cost
//!
//! A visitor learns of a directory before its entries, so it probes for `.git` and `.gitignore`: two system calls per
//! directory. `ignore` yields entries in no order, so all files are sorted at the end. A walk on one thread uses
//! `walkdir`, the sequential half of `ignore`, with the same visitor: `ignore` would start a thread, which a hook
//! must not.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;

use ignore::{WalkBuilder, WalkState};
use walkdir::WalkDir;

use super::git::GitLocation;
use super::git::excludes::Worktrees;
use super::{Coverage, Target, Targets};
use crate::path::{RelPath, Root};
use phaser_core::skipped::{SkipReason, Skipped};

mod change_filter;
mod visitor;

pub(super) use change_filter::ChangeFilter;
pub use change_filter::changed_at;

use visitor::{Descent, Visitor, WalkStart};

/// All files of the project.
pub fn tree(root: &Root, location: &GitLocation, threads: usize) -> Targets {
    let WalkResult { targets, skipped, folders, .. } =
        Walk::new(root, location).files_in(root.path(), threads);
    Targets { targets, coverage: Coverage::Whole, skipped, folders: Some(folders), ..Targets::none() }
}

/// The result of a walk.
#[derive(Default)]
pub(super) struct WalkResult {
    pub(super) targets: Vec<Target>,
    pub(super) skipped: Vec<Skipped>,
    /// Named files that are not there.
    pub(super) gone: Vec<RelPath>,
    /// Directories that contain a settings directory.
    pub(super) folders: Vec<RelPath>,
    /// With a filter: the tops of repositories inside the project.
    pub(super) repositories: Vec<RelPath>,
    /// With a filter: whether a directory was changed in its time.
    pub(super) has_changed_directories: bool,
    /// The number of files visited.
    pub(super) seen: usize,
    /// Files and directories that were not visited before the deadline.
    pub(super) left: Vec<RelPath>,
    /// The directories among `left`, and those of the files among `left`.
    pub(super) unfinished: Vec<RelPath>,
}

impl WalkResult {
    fn skip(&mut self, path: RelPath, error: impl ToString) {
        self.skipped.push(Skipped { path, why: SkipReason::Unreadable(error.to_string()) });
    }

    fn append(&mut self, other: &mut Self) {
        self.targets.append(&mut other.targets);
        self.skipped.append(&mut other.skipped);
        self.folders.append(&mut other.folders);
        self.repositories.append(&mut other.repositories);
        self.has_changed_directories |= other.has_changed_directories;
        self.seen += other.seen;
        self.left.append(&mut other.left);
        self.unfinished.append(&mut other.unfinished);
    }

    /// Sorts by path. A directory that two threads entered is recorded twice.
    fn sort(&mut self) {
        self.targets.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        self.skipped.sort_unstable();
        self.skipped.dedup();
        for paths in [&mut self.folders, &mut self.repositories, &mut self.unfinished] {
            paths.sort_unstable();
            paths.dedup();
        }
    }
}

/// Finds the files in directories of one project.
pub(super) struct Walk<'a> {
    root: &'a Root,
    /// The current directory. Files below it are opened by a relative path, which the kernel resolves faster.
    cwd: Option<&'a Path>,
    worktrees: Worktrees<'a>,
    /// Selects files; all if `None`.
    filter: Option<&'a ChangeFilter<'a>>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(root: &'a Root, location: &'a GitLocation) -> Self {
        let is_current = |path: &&PathBuf| {
            let current = Path::new(".").canonicalize();
            current.is_ok_and(|current| path.canonicalize().is_ok_and(|path| path == current))
        };
        let cwd = Some(&location.cwd).filter(is_current).map(PathBuf::as_path);
        Self { root, cwd, worktrees: Worktrees::new(location), filter: None }
    }

    /// Takes only the files that `filter` accepts, and none of other checkouts (linked worktrees, submodules).
    pub(super) fn with_filter(self, filter: &'a ChangeFilter<'a>) -> Self {
        Self { filter: Some(filter), ..self }
    }

    /// The files below `directory`, which is absolute, sorted by path.
    pub(super) fn files_in(&self, directory: &Path, threads: usize) -> WalkResult {
        let start = WalkStart::new(self, directory);
        let found = Mutex::new(WalkResult::default());
        let threads = if threads > 1 { startable(threads) } else { threads };
        if threads > 1 {
            let mut builder = WalkBuilder::new(&start.path);
            builder.standard_filters(false).threads(threads);
            builder.build_parallel().run(|| {
                let mut visitor = Visitor::new(self, &start, &found);
                Box::new(move |entry| match entry {
                    // Only standard input has no type.
                    Ok(entry) => entry.file_type().map_or(WalkState::Continue, |kind| {
                        match visitor.visit(entry.path(), kind) {
                            Descent::Enter => WalkState::Continue,
                            Descent::Skip => WalkState::Skip,
                        }
                    }),
                    Err(error) => {
                        visitor.fail(path_of(&error), error.io_error(), &error);
                        WalkState::Continue
                    }
                })
            });
        } else {
            let mut visitor = Visitor::new(self, &start, &found);
            let mut entries = WalkDir::new(&start.path).into_iter();
            while let Some(entry) = entries.next() {
                match entry {
                    Ok(entry) => {
                        let below = visitor.visit(entry.path(), entry.file_type());
                        if below == Descent::Skip && (entry.file_type().is_dir() || entry.depth() == 0) {
                            entries.skip_current_dir();
                        }
                    }
                    Err(error) => visitor.fail(error.path(), error.io_error(), &error),
                }
            }
        }
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort();
        found
    }

    fn is_over(&self) -> bool {
        self.filter.is_some_and(|filter| filter.deadline.has_passed())
    }
}

/// The number of threads, up to `wanted`, that the system grants. `ignore` panics if it cannot start all of its
/// threads, so they are started once here first.
fn startable(wanted: usize) -> usize {
    let until_counted = Mutex::new(());
    thread::scope(|scope| {
        let _held = until_counted.lock();
        let wait = || drop(until_counted.lock());
        (0..wanted).map_while(|_| thread::Builder::new().spawn_scoped(scope, wait).ok()).count()
    })
}

/// The path in an error of the walker.
fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } => path_of(err),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
