//! The files of a directory tree, as git sees them.
//!
//! What git leaves out is left out, unless git tracks it; hidden files are included, `.git` is not, links are not followed.

use std::ffi::OsString;
use std::fs::{self, DirEntry, FileType};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::git::Location;
use super::git::excludes::{Kind, Tracked, WorktreeDirectory, Worktrees};
use super::git::leads_through_link;
use super::{Content, Coverage, Target, Targets};
use crate::path::{RelPath, Root, SETTINGS, real_path};
use crate::stamp::Stamp;
use phaser_core::skipped::{Skipped, Why};

mod order;
mod queue;
mod sieve;

pub(super) use sieve::Sieve;
pub use sieve::changed_at;

use order::{Part, in_order};
use sieve::Moved;

/// All files of the project.
pub fn tree(root: &Root, location: &Location, threads: usize) -> Targets {
    all(&Walk::new(root, location), threads)
}

/// All files of the project, with their states if these are taken.
pub fn stamped(root: &Root, location: &Location, threads: usize, stamps: Stamps) -> Targets {
    all(&Walk { stamps, ..Walk::new(root, location) }, threads)
}

fn all(walk: &Walk<'_>, threads: usize) -> Targets {
    let Found { targets, skipped, folders, .. } = walk.files_in(walk.root.path(), threads);
    Targets { targets, coverage: Coverage::Whole, skipped, folders: Some(folders) }
}

/// Whether the states of files are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stamps {
    /// They are in the targets.
    Taken,
    /// They are not looked at.
    NotTaken,
}

/// How many files of one directory are looked at before the clock is, once more.
const LOOK_AT_CLOCK: usize = 1024;

/// What was found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) targets: Vec<Target>,
    /// The files of directories that have been looked into, before all of them are put in order.
    parts: Vec<Part>,
    pub(super) skipped: Vec<Skipped>,
    /// Directories with a directory for settings in them.
    pub(super) folders: Vec<RelPath>,
    /// For a walk with a sieve: the tops of repositories inside the project.
    pub(super) repositories: Vec<RelPath>,
    /// How many files were looked at.
    pub(super) looked_at: usize,
    /// The directories that there was no time for.
    pub(super) left: Vec<RelPath>,
}

impl Found {
    fn skip(&mut self, path: RelPath, error: impl ToString) {
        self.skipped.push(Skipped { path, why: Why::Unreadable(error.to_string()) });
    }

    fn append(&mut self, mut other: Self) {
        self.parts.append(&mut other.parts);
        self.skipped.append(&mut other.skipped);
        self.folders.append(&mut other.folders);
        self.repositories.append(&mut other.repositories);
        self.looked_at += other.looked_at;
        self.left.append(&mut other.left);
    }
}

/// Looks for files in directories of one project.
pub(super) struct Walk<'a> {
    root: &'a Root,
    /// What is in the current directory is opened from there: each directory on the way costs time.
    cwd: Option<&'a Path>,
    worktrees: Worktrees<'a>,
    /// What is wanted, if not everything.
    sieve: Option<&'a Sieve<'a>>,
    stamps: Stamps,
}

/// A directory to look into.
struct Directory {
    /// How it is opened: from the current directory if it is in there, which may be empty, or else absolute.
    open: PathBuf,
    /// Its path as globs see it, empty or with a final `/`.
    path: Vec<u8>,
    /// Where it is in a worktree.
    in_worktree: Option<WorktreeDirectory>,
    /// Whether it, or one that it is in, was moved to where it is; known only with a sieve.
    moved: Moved,
}

/// Something in a directory.
struct Entry {
    name: OsString,
    kind: FileType,
    entry: DirEntry,
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

    /// A walk that takes only some files. It leaves out what belongs to another checkout: linked worktrees and submodules.
    pub(super) fn with_sieve(self, sieve: &'a Sieve<'a>) -> Self {
        Self { sieve: Some(sieve), ..self }
    }

    /// The files under `directory`, which is absolute, in the order of their paths.
    pub(super) fn files_in(&self, directory: &Path, threads: usize) -> Found {
        let mut path = self.root.relative(directory).as_bytes().to_vec();
        if !path.is_empty() {
            path.push(b'/');
        }
        let from_here = self.cwd.and_then(|cwd| directory.strip_prefix(cwd).ok());
        let open = from_here.unwrap_or(directory).to_owned();
        let in_worktree = self.worktrees.above(&real_path(directory));
        let start = Directory { open, path, in_worktree, moved: Moved::No };
        let mut found = Found::default();
        for part in queue::run(start, threads, |directory, found| self.look_into(directory, found)) {
            found.append(part);
        }
        found.targets = in_order(std::mem::take(&mut found.parts));
        found.skipped.sort_unstable();
        found.skipped.dedup();
        found.folders.sort_unstable();
        found.folders.dedup();
        found.repositories.sort_unstable();
        found.left.sort_unstable();
        found
    }

    /// Takes the files of one directory, and gives the directories in it.
    fn look_into(&self, mut directory: Directory, found: &mut Found) -> Vec<Directory> {
        if self.is_over() {
            found.left.push(directory.shown());
            return Vec::new();
        }
        let entries = match directory.entries() {
            Ok(entries) => entries,
            Err(error) => {
                found.skip(directory.shown(), error);
                return Vec::new();
            }
        };
        self.enter_worktree(&mut directory, &entries);
        if self.sieve.is_some() && self.is_other_checkout(&directory, &entries, found) {
            return Vec::new();
        }
        if entries.iter().any(|entry| entry.name == SETTINGS) {
            found.folders.push(directory.folder());
        }
        let mut below = Vec::new();
        for (number, entry) in entries.iter().filter(|entry| entry.name != ".git").enumerate() {
            if number % LOOK_AT_CLOCK == LOOK_AT_CLOCK - 1 && self.is_over() {
                found.left.push(directory.shown());
                break;
            }
            let Entry { name, kind, .. } = entry;
            let bytes = name.as_encoded_bytes();
            let what = if kind.is_dir() { Kind::Directory } else { Kind::File };
            let excluded_from = directory.in_worktree.as_ref().filter(|here| here.excludes(bytes, what));
            match (excluded_from, what) {
                (None, Kind::Directory) => below.push(self.child(&directory, entry)),
                (None, Kind::File) => self.take(&directory, entry, found),
                (Some(here), Kind::File) => match here.tracks(bytes) {
                    Ok(true) => self.take(&directory, entry, found),
                    Ok(false) => {}
                    Err(error) => found.skip(directory.top_of(here), error),
                },
                (Some(here), Kind::Directory) => match here.tracked_in(bytes) {
                    Ok(tracked) => {
                        below.extend(
                            tracked.iter().filter_map(|one| self.take_tracked(&directory, one, found)),
                        );
                    }
                    Err(error) => found.skip(directory.top_of(here), error),
                },
            }
        }
        if !found.targets.is_empty() {
            let part = Part::new(directory.path, found.targets.drain(..).collect());
            found.parts.push(part);
        }
        below
    }

    /// Is there no time left?
    fn is_over(&self) -> bool {
        self.sieve.is_some_and(|sieve| sieve.deadline.has_passed())
    }

    /// Does a directory below the top of the project belong to another checkout, which is looked at by itself? A
    /// repository inside the project does not: it is noted.
    fn is_other_checkout(&self, directory: &Directory, entries: &[Entry], found: &mut Found) -> bool {
        let Some(dot_git) = entries.iter().find(|entry| entry.name == ".git") else { return false };
        let is_top = |here: &WorktreeDirectory| here.path().is_empty() && here.has_repository();
        if directory.path.is_empty() || !directory.in_worktree.as_ref().is_some_and(is_top) {
            return false;
        }
        if !dot_git.kind.is_file() {
            found.repositories.push(directory.folder());
        }
        dot_git.kind.is_file()
    }

    /// Takes a file, if it is wanted.
    fn take(&self, directory: &Directory, entry: &Entry, found: &mut Found) {
        found.looked_at += 1;
        let is_wanted = |sieve: &Sieve<'_>| match entry.entry.metadata() {
            Ok(metadata) => {
                sieve.takes(&directory.path_of(Path::new(&entry.name)), &metadata, directory.moved)
            }
            // What is gone already is not wanted; the rest is left to whoever reads it.
            Err(error) => error.kind() != ErrorKind::NotFound,
        };
        if self.sieve.is_none_or(is_wanted) {
            let stamp = match self.stamps {
                // It is at hand here, where the directory is open; later its whole path would have to be followed.
                Stamps::Taken => entry.entry.metadata().ok().as_ref().and_then(Stamp::from_metadata),
                Stamps::NotTaken => None,
            };
            let target = directory.target(Path::new(&entry.name), entry.kind);
            found.targets.push(Target { stamp: stamp.map(Box::new), ..target });
        }
    }

    /// A directory in another one.
    fn child(&self, directory: &Directory, entry: &Entry) -> Directory {
        let child = directory.child(&entry.name);
        let has_moved =
            |sieve: &Sieve<'_>| entry.entry.metadata().is_ok_and(|metadata| sieve.has_moved(&metadata));
        match child.moved {
            Moved::No if self.sieve.is_some_and(has_moved) => Directory { moved: Moved::Yes, ..child },
            Moved::No | Moved::Yes => child,
        }
    }

    /// Takes what is tracked, if it is there; a submodule is a directory to look into.
    fn take_tracked(&self, directory: &Directory, tracked: &Tracked, found: &mut Found) -> Option<Directory> {
        let Tracked { path, kind } = tracked;
        let file = directory.open.join(path);
        let metadata = file.symlink_metadata().ok()?;
        if leads_through_link(&directory.open, &file) {
            return None;
        }
        match (kind, metadata.is_dir()) {
            (Kind::Directory, true) => return Some(directory.child(path)),
            (Kind::File, false) => {
                let above = path.ancestors().skip(1).filter(|above| {
                    !above.as_os_str().is_empty() && directory.open.join(above).join(SETTINGS).exists()
                });
                found.folders.extend(above.map(|above| directory.child(above).folder()));
                found.looked_at += 1;
                let wanted =
                    |sieve: &Sieve<'_>| sieve.takes(&directory.path_of(path), &metadata, directory.moved);
                if self.sieve.is_none_or(wanted) {
                    found.targets.push(directory.target(path, metadata.file_type()));
                }
            }
            (Kind::Directory, false) | (Kind::File, true) => {}
        }
        None
    }

    /// Notes that a directory is the top of a worktree, and the rules that it has.
    fn enter_worktree(&self, directory: &mut Directory, entries: &[Entry]) {
        let find = |name: &str| entries.iter().find(|entry| entry.name == name);
        if find(".git").is_some()
            && let Ok(real) = directory.on_disk().canonicalize()
            && let Some(top) = self.worktrees.at(&real, directory.in_worktree.as_ref())
        {
            directory.in_worktree = Some(top);
        }
        // Git does not follow a link here either.
        let rules = find(".gitignore").filter(|rules| rules.kind.is_file());
        let file = rules.map(|rules| directory.open.join(&rules.name));
        if let (Some(here), Some(file)) = (&mut directory.in_worktree, file) {
            here.read_rules(&file);
        }
    }
}

impl Directory {
    fn on_disk(&self) -> &Path {
        if self.open.as_os_str().is_empty() { Path::new(".") } else { &self.open }
    }

    /// Its path as globs see it.
    fn folder(&self) -> RelPath {
        RelPath::from_bytes(self.path.strip_suffix(b"/").unwrap_or(&self.path))
    }

    /// Its path for a message.
    fn shown(&self) -> RelPath {
        match self.path.strip_suffix(b"/") {
            Some(path) => RelPath::from_bytes(path),
            None => RelPath::from("."),
        }
    }

    /// The path of the top of its worktree for a message; `.` when the project is in the worktree.
    fn top_of(&self, here: &WorktreeDirectory) -> RelPath {
        let top = self.path.strip_suffix(here.path()).and_then(|top| top.strip_suffix(b"/"));
        top.map_or_else(|| RelPath::from("."), RelPath::from_bytes)
    }

    fn entries(&self) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(self.on_disk())? {
            let entry = entry?;
            match entry.file_type() {
                Ok(kind) => entries.push(Entry { name: entry.file_name(), kind, entry }),
                // It is gone already.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(entries)
    }

    /// The directory at `path`, from here.
    fn child(&self, path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        let name = RelPath::from_native(path);
        Self {
            open: self.open.join(path),
            path: [&self.path, name.as_bytes(), b"/"].concat(),
            in_worktree: self.in_worktree.as_ref().map(|here| here.child(name.as_bytes())),
            moved: self.moved,
        }
    }

    /// The file at `path`, from here.
    fn target(&self, path: &Path, kind: FileType) -> Target {
        let content = if kind.is_file() {
            Content::File(self.open_path(path))
        } else if kind.is_symlink() {
            Content::Opaque(Why::Link)
        } else {
            Content::Opaque(Why::NotAFile)
        };
        Target::new(RelPath::from_bytes(self.path_of(path)), content)
    }

    /// How what is at `path` from here is opened. There are very many of them, so each takes memory once.
    fn open_path(&self, path: &Path) -> PathBuf {
        let length = self.open.as_os_str().len() + path.as_os_str().len();
        let mut open = PathBuf::with_capacity(length + 1);
        open.push(&self.open);
        open.push(path);
        open
    }

    /// The path, as globs see it, of what is at `path` from here.
    fn path_of(&self, path: &Path) -> Vec<u8> {
        [&self.path, &*RelPath::slashed(path)].concat()
    }
}

#[cfg(test)]
mod tests;
