//! The files of a directory tree, as git sees them: the only user of the `ignore` crate.
//!
//! Git's own exclusion rules hold; hidden files are included, `.git` is not, links are not followed.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use ignore::{DirEntry, WalkBuilder, WalkState};

use super::{Content, Coverage, Target, Targets};
use crate::path::{RelPath, Root};
use crate::skipped::{Skipped, Why};

/// All files of the project. Those in `cwd`, which must be the current directory, are opened from there: each directory
/// on the way costs time.
pub fn tree(root: &Root, cwd: Option<&Path>, threads: usize) -> Targets {
    let (targets, skipped) = walk((root, root.path()), cwd, threads);
    Targets { targets, coverage: Coverage::Whole, skipped }
}

/// The files under `directory`, in the order of their paths.
pub(super) fn walk(
    (root, directory): (&Root, &Path),
    cwd: Option<&Path>,
    threads: usize,
) -> (Vec<Target>, Vec<Skipped>) {
    if directory.ancestors().any(has_special_rules) {
        return (Vec::new(), vec![special_rules(root, directory)]);
    }
    let collected = Mutex::new((Vec::new(), Vec::new()));
    let special = Arc::new(Mutex::new(Vec::new()));
    let found_special = Arc::clone(&special);
    let walker = WalkBuilder::new(directory)
        .hidden(false)
        .ignore(false)
        .follow_links(false)
        .threads(threads)
        .filter_entry(move |entry| {
            let directory = entry.file_type().is_some_and(|kind| kind.is_dir());
            let special = directory && has_special_rules(entry.path());
            if special {
                found_special.lock().unwrap_or_else(PoisonError::into_inner).push(entry.path().to_owned());
            }
            entry.file_name() != ".git" && !special
        })
        .to_owned();
    let batch = || Batch { root, cwd, collected: &collected, targets: Vec::new(), skipped: Vec::new() };
    if threads > 1 && can_start(threads) {
        walker.build_parallel().run(|| {
            let mut found = batch();
            Box::new(move |entry| {
                found.take(entry);
                WalkState::Continue
            })
        });
    } else {
        let mut found = batch();
        walker.build().for_each(|entry| found.take(entry));
    }
    let (mut targets, mut skipped) = collected.into_inner().unwrap_or_else(PoisonError::into_inner);
    let special = special.lock().unwrap_or_else(PoisonError::into_inner);
    skipped.extend(special.iter().map(|directory| special_rules(root, directory)));
    targets.sort_unstable_by(|a: &Target, b: &Target| a.path.cmp(&b.path));
    skipped.sort_unstable();
    (targets, skipped)
}

/// Would reading the rules of this directory hang, or never end? A link to a device can be committed.
fn has_special_rules(directory: &Path) -> bool {
    let rules = fs::metadata(directory.join(".gitignore"));
    rules.is_ok_and(|rules| !rules.is_file() && !rules.is_dir())
}

fn special_rules(root: &Root, directory: &Path) -> Skipped {
    let why = Why::Unreadable("its .gitignore is not a regular file; put one there".to_owned());
    Skipped { path: root.relative(directory), why }
}

type Collected = Mutex<(Vec<Target>, Vec<Skipped>)>;

/// What one thread has found; it hands everything over when it is done.
struct Batch<'a> {
    root: &'a Root,
    cwd: Option<&'a Path>,
    collected: &'a Collected,
    targets: Vec<Target>,
    skipped: Vec<Skipped>,
}

/// Can this many threads be had at once? Where they cannot, the parallel walk would panic.
fn can_start(threads: usize) -> bool {
    let gate = Mutex::new(());
    thread::scope(|scope| {
        let closed = gate.lock();
        let wait = || drop(gate.lock());
        let started = (0..threads).all(|_| thread::Builder::new().spawn_scoped(scope, wait).is_ok());
        drop(closed);
        started
    })
}

impl Batch<'_> {
    fn take(&mut self, entry: Result<DirEntry, ignore::Error>) {
        match entry {
            Ok(entry) => self.add(&entry),
            Err(error) => self.fail(&error),
        }
    }

    fn add(&mut self, entry: &DirEntry) {
        let Some(kind) = entry.file_type() else { return };
        if kind.is_dir() {
            return;
        }
        let content = if kind.is_file() {
            let inside = self.cwd.and_then(|cwd| entry.path().strip_prefix(cwd).ok());
            Content::File(inside.unwrap_or(entry.path()).to_owned())
        } else if kind.is_symlink() {
            Content::Opaque(Why::Link)
        } else {
            Content::Opaque(Why::NotAFile)
        };
        self.targets.push(Target::new(self.relative(entry.path()), content));
    }

    /// An unreadable directory is a gap; a loop or a broken rule in an ignore file is not.
    fn fail(&mut self, error: &ignore::Error) {
        let Some(cause) = error.io_error() else { return };
        let path = path_of(error).map_or_else(|| RelPath::from("."), |path| self.relative(path));
        self.skipped.push(Skipped { path, why: Why::Unreadable(cause.to_string()) });
    }

    fn relative(&self, path: &Path) -> RelPath {
        match path.strip_prefix(self.root.path()) {
            Ok(inside) => RelPath::from_native(inside),
            Err(_) => self.root.relative(path),
        }
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        let mut collected = self.collected.lock().unwrap_or_else(PoisonError::into_inner);
        collected.0.append(&mut self.targets);
        collected.1.append(&mut self.skipped);
    }
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        _ => None,
    }
}
