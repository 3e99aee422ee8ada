//! Decides which entries of a tree belong to the project.
//!
//! `ignore` gives each thread a visitor and calls it with one entry at a time, depth first, a directory before its entries.
//! The rules for an entry are those of all directories above it, so a visitor keeps the directories from the start of the
//! walk to the current one as a stack, each with its `.gitignore` already parsed. Take a `.gitignore` with the lines `*.log`
//! and `/build`, and an index that holds `build/gen.py`:
//!
//! | entry            | stack          | decision                                                                 |
//! |------------------|----------------|--------------------------------------------------------------------------|
//! | `./a.py`         | `.`            | taken                                                                    |
//! | `./a.log`        | `.`            | excluded, not in the index: dropped                                      |
//! | `./build`        | `.`            | excluded, but the index holds files below it: entered for tracked files  |
//! | `./build/gen.py` | `.`, `./build` | in the index: taken                                                      |
//! | `./build/gen.o`  | `.`, `./build` | not in the index: dropped                                                |
//!
//! A directory that is excluded and holds nothing tracked is not entered. A visitor may also receive an entry that its
//! thread stole from another one, `./src/cli/a.py` with `./build` on top of the stack. It then drops what is not above the
//! entry and enters what is missing: `./src`, `./src/cli`. Entering depends only on the tree, so every thread comes to the
//! same decisions.

use std::ffi::OsStr;
use std::fs::FileType;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::super::git::excludes::{PathKind, TrackedIn, WorktreeDirectory};
use super::super::{Content, Target};
use super::{Walk, WalkResult};
use crate::checkout;
use crate::path::{RelPath, SETTINGS, TOP_CONFIG, real_path};
use phaser_core::skipped::SkipReason;

/// Where a walk begins.
pub(super) struct WalkStart {
    /// The path that the walker opens: relative to the current directory if it is below that, else absolute.
    pub(super) path: PathBuf,
    /// Its path as globs see it, empty or with a final `/`.
    shown: Vec<u8>,
    directory: VisitedDirectory,
}

impl WalkStart {
    pub(super) fn new(walk: &Walk<'_>, directory: &Path) -> Self {
        let mut shown = walk.root.relative(directory).as_bytes().to_vec();
        if !shown.is_empty() {
            shown.push(b'/');
        }
        let path = match walk.cwd.and_then(|cwd| directory.strip_prefix(cwd).ok()) {
            Some(inside) if inside.as_os_str().is_empty() => PathBuf::from("."),
            // Never a bare `-`, which is standard input to `ignore`.
            Some(inside) => Path::new(".").join(inside),
            None => directory.to_owned(),
        };
        let in_worktree = walk.worktrees.above(&real_path(directory));
        let mut start = VisitedDirectory {
            path: path.clone(),
            in_worktree,
            in_outer: None,
            takes: TakenFiles::Everything,
            moved: false,
        };
        start.read_git(walk);
        Self { path, shown, directory: start }
    }

    /// The path of an entry as globs see it; that of a directory has no final `/`.
    fn shown(&self, path: &Path) -> RelPath {
        let bytes = path.as_os_str().as_encoded_bytes();
        let start = self.path.as_os_str().as_encoded_bytes();
        let inside = bytes.get(start.len()..).unwrap_or_default();
        let inside = match inside.split_first() {
            // The separator, unless the start has it: `/`.
            Some((first, rest)) if std::path::is_separator(char::from(*first)) => rest,
            _ => inside,
        };
        if inside.is_empty() {
            return RelPath::from_bytes(self.shown.strip_suffix(b"/").unwrap_or(&self.shown));
        }
        let mut shown = Vec::with_capacity(self.shown.len() + inside.len());
        shown.extend_from_slice(&self.shown);
        shown.extend_from_slice(inside);
        if std::path::MAIN_SEPARATOR != '/' {
            shown.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
        }
        RelPath::from_bytes(shown)
    }
}

/// A directory on the stack of a visitor.
#[derive(Clone)]
struct VisitedDirectory {
    path: PathBuf,
    /// Its place in a worktree, with the rules that apply there.
    in_worktree: Option<WorktreeDirectory>,
    /// Its place in the worktree around that one. A repository inside a worktree hides no file that the worktree tracks.
    in_outer: Option<WorktreeDirectory>,
    takes: TakenFiles,
    /// Whether it, or one that it is in, was moved to where it is; known only with a filter.
    moved: bool,
}

/// Which files of a directory are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TakenFiles {
    /// All that no rule excludes, and tracked ones.
    Everything,
    /// Tracked ones: a rule excludes the directory.
    Tracked,
}

/// Whether the walker enters what was visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Descent {
    Enter,
    Skip,
}

impl VisitedDirectory {
    /// Reads its `.gitignore`, and opens the repository whose worktree begins here. Returns `.git` if there is one.
    fn read_git(&mut self, walk: &Walk<'_>) -> Option<FileType> {
        let dot_git = self.path.join(".git").symlink_metadata().ok();
        if dot_git.is_some()
            && let Ok(real) = self.path.canonicalize()
            && let Some(top) = walk.worktrees.at(&real, self.in_worktree.as_ref())
        {
            self.in_outer = self.in_worktree.replace(top);
        }
        if let Some(here) = &mut self.in_worktree {
            here.read_rules_in(&self.path);
        }
        dot_git.map(|metadata| metadata.file_type())
    }

    /// What the worktree around its own tracks at `name`.
    fn outer_tracks(&self, name: &[u8]) -> TrackedIn {
        let tracked = self.in_outer.as_ref().and_then(|outer| outer.tracked_in(name).ok());
        tracked.unwrap_or(TrackedIn::Nothing)
    }

    /// Whether it is a checkout that the worktree around it knows.
    fn is_known(&self) -> bool {
        let Some(outer) = &self.in_outer else { return true };
        let depth = outer.path().iter().filter(|&&byte| byte == b'/').count();
        let is_known =
            |real: PathBuf| real.ancestors().nth(depth).is_some_and(|top| checkout::is_known(&real, top));
        self.path.canonicalize().is_ok_and(is_known)
    }

    /// Whether it is the top of a repository that can be read.
    fn is_top(&self) -> bool {
        self.in_worktree.as_ref().is_some_and(|here| here.path().is_empty() && here.has_repository())
    }
}

/// Decides about entries on one thread.
pub(super) struct Visitor<'w> {
    walk: &'w Walk<'w>,
    start: &'w WalkStart,
    /// The directories from the start of the walk to the current one; never empty.
    stack: Vec<VisitedDirectory>,
    found: WalkResult,
    /// Receives `found` in the end.
    all: &'w Mutex<WalkResult>,
}

impl Drop for Visitor<'_> {
    fn drop(&mut self) {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).append(&mut self.found);
    }
}

impl<'w> Visitor<'w> {
    pub(super) fn new(walk: &'w Walk<'w>, start: &'w WalkStart, all: &'w Mutex<WalkResult>) -> Self {
        Self { walk, start, stack: vec![start.directory.clone()], found: WalkResult::default(), all }
    }

    pub(super) fn visit(&mut self, path: &Path, kind: FileType) -> Descent {
        let is_start = path.as_os_str() == self.start.path.as_os_str();
        if self.walk.is_over() {
            let directory = if kind.is_dir() || is_start { Some(path) } else { path.parent() };
            self.found.unfinished.extend(directory.map(|directory| self.message_path(directory)));
            self.found.left.push(self.message_path(path));
            return Descent::Skip;
        }
        if is_start {
            return Descent::Enter;
        }
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Descent::Skip };
        if name == ".git" || !self.stand_in(parent) {
            return Descent::Skip;
        }
        if name == SETTINGS || (name == TOP_CONFIG && !kind.is_dir() && !parent.ends_with(SETTINGS)) {
            self.found.folders.push(self.start.shown(parent));
        }
        if kind.is_dir() {
            return self.enter(path, name);
        }
        if self.has_file(name) {
            self.take(path, kind);
        }
        Descent::Skip
    }

    /// Reports an error of the walker, unless the entry is gone.
    pub(super) fn fail(&mut self, path: Option<&Path>, error: Option<&io::Error>, whole: &dyn ToString) {
        let Some(path) = path else { return self.found.skip(RelPath::from("."), whole.to_string()) };
        let is_directory = self.current().path == path;
        match error {
            Some(error) if error.kind() == ErrorKind::NotFound && !is_directory => {}
            Some(error) => self.found.skip(self.message_path(path), error),
            None => self.found.skip(self.message_path(path), whole.to_string()),
        }
    }

    fn current(&self) -> &VisitedDirectory {
        self.stack.last().unwrap_or(&self.start.directory)
    }

    /// A path for a message.
    fn message_path(&self, path: &Path) -> RelPath {
        let shown = self.start.shown(path);
        if shown.as_bytes().is_empty() { RelPath::from(".") } else { shown }
    }

    /// Makes `directory` the top of the stack; false if it is not entered.
    fn stand_in(&mut self, directory: &Path) -> bool {
        if self.current().path.as_os_str() == directory.as_os_str() {
            return true;
        }
        while self.stack.len() > 1 && !directory.starts_with(&self.current().path) {
            self.stack.pop();
        }
        let top = self.current().path.as_os_str().len();
        let missing: Vec<_> =
            directory.ancestors().take_while(|above| above.as_os_str().len() > top).collect();
        missing
            .into_iter()
            .rev()
            .all(|above| above.file_name().is_some_and(|name| self.enter(above, name) == Descent::Enter))
    }

    /// Puts a directory in the current one on the stack, if it is to be entered.
    fn enter(&mut self, path: &Path, name: &OsStr) -> Descent {
        let parent = self.current();
        let bytes = name.as_encoded_bytes();
        let mut takes = parent.takes;
        if let Some(here) = &parent.in_worktree
            && (takes == TakenFiles::Tracked || here.excludes(bytes, PathKind::Directory))
        {
            let is_in_outer = || matches!(parent.outer_tracks(bytes), TrackedIn::Files);
            takes = match here.tracked_in(bytes) {
                Ok(TrackedIn::Nothing) if is_in_outer() => TakenFiles::Tracked,
                Ok(TrackedIn::Nothing) => return Descent::Skip,
                Ok(TrackedIn::Files) => TakenFiles::Tracked,
                Ok(TrackedIn::Submodule) => TakenFiles::Everything,
                Err(error) => {
                    self.found.skip(self.top_of_worktree(), error);
                    return Descent::Skip;
                }
            };
        }
        let [in_worktree, in_outer] =
            [&parent.in_worktree, &parent.in_outer].map(|here| here.as_ref().map(|here| here.child(bytes)));
        let mut moved = parent.moved;
        let mut has_changed = false;
        if let Some((filter, metadata)) = self.walk.filter.zip(path.symlink_metadata().ok()) {
            has_changed = filter.has_changed(&metadata);
            if filter.has_moved(&metadata) {
                moved = true;
            }
        }
        let mut directory = VisitedDirectory { path: path.to_owned(), in_worktree, in_outer, takes, moved };
        if takes == TakenFiles::Everything {
            let dot_git = directory.read_git(self.walk);
            if let (Some(_), Some(dot_git)) = (self.walk.filter, dot_git)
                && directory.is_top()
            {
                // A linked worktree or a submodule is another checkout. A repository inside the project is not.
                if dot_git.is_file() && directory.is_known() {
                    return Descent::Skip;
                }
                self.found.repositories.push(self.start.shown(path));
            }
        }
        self.stack.push(directory);
        self.found.has_changed_directories |= has_changed;
        Descent::Enter
    }

    /// The path of the top of the current worktree for a message; `.` when the project is in the worktree.
    fn top_of_worktree(&self) -> RelPath {
        let VisitedDirectory { path, in_worktree, .. } = self.current();
        let shown = self.start.shown(path);
        let inside = in_worktree.as_ref().map_or(&b""[..], |here| here.path());
        let inside = inside.strip_suffix(b"/").unwrap_or(inside);
        let top = shown.as_bytes().strip_suffix(inside).unwrap_or_default();
        let top = top.strip_suffix(b"/").unwrap_or(top);
        if top.is_empty() { RelPath::from(".") } else { RelPath::from_bytes(top) }
    }

    /// Whether the file of this name in the current directory is part of the project: not excluded, or tracked.
    fn has_file(&mut self, name: &OsStr) -> bool {
        let name = name.as_encoded_bytes();
        let VisitedDirectory { in_worktree, in_outer, takes, .. } = self.current();
        let Some(here) = in_worktree else { return true };
        if *takes == TakenFiles::Everything && !here.excludes(name, PathKind::File) {
            return true;
        }
        if in_outer.as_ref().is_some_and(|outer| outer.tracks(name).unwrap_or(false)) {
            return true;
        }
        here.tracks(name).unwrap_or_else(|error| {
            self.found.skip(self.top_of_worktree(), error);
            false
        })
    }

    /// Takes a file of the current directory, if the filter accepts it.
    fn take(&mut self, path: &Path, kind: FileType) {
        self.found.seen += 1;
        let shown = self.start.shown(path);
        if let Some(filter) = self.walk.filter {
            let is_wanted = match path.symlink_metadata() {
                Ok(metadata) => filter.takes(shown.as_bytes(), &metadata, self.current().moved),
                // A file that is gone is not taken. The reader of the file reports other errors.
                Err(error) => error.kind() != ErrorKind::NotFound,
            };
            if !is_wanted {
                return;
            }
        }
        let content = if kind.is_file() {
            Content::File(path.to_owned())
        } else if kind.is_symlink() {
            Content::Opaque(SkipReason::Link)
        } else {
            Content::Opaque(SkipReason::NotAFile)
        };
        self.found.targets.push(Target::new(shown, content));
    }
}
