//! The files of a directory tree, as git sees them: what git excludes is left out unless git tracks it, hidden files are
//! included, `.git` is not, links are not followed.
//!
//! Two crates share the work. [`ignore`] walks: it reads directories on all threads and balances them. gix decides: it
//! parses the rules and reads the index (see [`excludes`](super::git::excludes)). `ignore` has rules of its own, which are
//! off, because they differ from git's: they exclude tracked files, and `*.{py,log}` excludes `a.py`, where git knows no
//! braces.
//!
//! # What it costs
//!
//! A visitor learns of a directory before its entries are known, so it probes for `.git` and `.gitignore`: two system calls
//! a directory. `ignore` sees entries in no order, so all files are sorted at the end. A walk on one thread uses `walkdir`,
//! the sequential half of `ignore`, with the same visitor: `ignore` would start a thread, which a hook must not.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;

use ignore::{WalkBuilder, WalkState};
use walkdir::WalkDir;

use super::git::Location;
use super::git::excludes::Worktrees;
use super::{Coverage, Target, Targets};
use crate::path::{RelPath, Root};
use phaser_core::skipped::{Skipped, Why};

mod sieve;
mod visitor;

pub(super) use sieve::Sieve;
pub use sieve::changed_at;

use visitor::{Below, Start, Visitor};

/// All files of the project.
pub fn tree(root: &Root, location: &Location, threads: usize) -> Targets {
    all(&Walk::new(root, location), threads)
}

/// All files of the project, with stamps if these are taken.
pub fn stamped(root: &Root, location: &Location, threads: usize, stamps: Stamps) -> Targets {
    all(&Walk { stamps, ..Walk::new(root, location) }, threads)
}

fn all(walk: &Walk<'_>, threads: usize) -> Targets {
    let Found { targets, skipped, folders, .. } = walk.files_in(walk.root.path(), threads);
    Targets { targets, coverage: Coverage::Whole, skipped, folders: Some(folders) }
}

/// Whether targets get the stamps of their files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stamps {
    /// They do, for one `lstat` a file.
    Taken,
    /// They do not.
    NotTaken,
}

/// The result of a walk.
#[derive(Default)]
pub(super) struct Found {
    pub(super) targets: Vec<Target>,
    pub(super) skipped: Vec<Skipped>,
    /// Directories that contain a settings directory.
    pub(super) folders: Vec<RelPath>,
    /// For a walk with a sieve: the tops of repositories inside the project.
    pub(super) repositories: Vec<RelPath>,
    /// The number of files seen.
    pub(super) looked_at: usize,
    /// Files and directories that were not visited before the deadline.
    pub(super) left: Vec<RelPath>,
    /// The directories among `left`, and those of the files among `left`.
    pub(super) unfinished: Vec<RelPath>,
}

impl Found {
    fn skip(&mut self, path: RelPath, error: impl ToString) {
        self.skipped.push(Skipped { path, why: Why::Unreadable(error.to_string()) });
    }

    fn append(&mut self, other: &mut Self) {
        self.targets.append(&mut other.targets);
        self.skipped.append(&mut other.skipped);
        self.folders.append(&mut other.folders);
        self.repositories.append(&mut other.repositories);
        self.looked_at += other.looked_at;
        self.left.append(&mut other.left);
        self.unfinished.append(&mut other.unfinished);
    }

    /// Brings everything into the order of paths. A directory that two threads entered was noted twice.
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

/// Finds files in directories of one project.
pub(super) struct Walk<'a> {
    root: &'a Root,
    /// The current directory. Files below it are opened by a relative path, which the kernel resolves faster.
    cwd: Option<&'a Path>,
    worktrees: Worktrees<'a>,
    /// Which files are wanted, if not all.
    sieve: Option<&'a Sieve<'a>>,
    stamps: Stamps,
}

impl<'a> Walk<'a> {
    pub(super) fn new(root: &'a Root, location: &'a Location) -> Self {
        let is_current = |path: &&PathBuf| {
            let current = Path::new(".").canonicalize();
            current.is_ok_and(|current| path.canonicalize().is_ok_and(|path| path == current))
        };
        let cwd = Some(&location.cwd).filter(is_current).map(PathBuf::as_path);
        Self { root, cwd, worktrees: Worktrees::new(location), sieve: None, stamps: Stamps::NotTaken }
    }

    /// A walk that takes only some files. It leaves out other checkouts: linked worktrees and submodules.
    pub(super) fn with_sieve(self, sieve: &'a Sieve<'a>) -> Self {
        Self { sieve: Some(sieve), ..self }
    }

    /// The files under `directory`, which is absolute, in the order of their paths.
    pub(super) fn files_in(&self, directory: &Path, threads: usize) -> Found {
        let start = Start::new(self, directory);
        let found = Mutex::new(Found::default());
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
                            Below::Enter => WalkState::Continue,
                            Below::Skip => WalkState::Skip,
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
                        if below == Below::Skip && (entry.file_type().is_dir() || entry.depth() == 0) {
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
        self.sieve.is_some_and(|sieve| sieve.deadline.has_passed())
    }
}

/// How many of `wanted` threads the system grants. `ignore` panics if it cannot start as many as it is given, so they are
/// all started once before.
fn startable(wanted: usize) -> usize {
    let until_counted = Mutex::new(());
    thread::scope(|scope| {
        let _held = until_counted.lock();
        let wait = || drop(until_counted.lock());
        (0..wanted).map_while(|_| thread::Builder::new().spawn_scoped(scope, wait).ok()).count()
    })
}

/// The path that an error of a walk is about.
fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } => path_of(err),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
