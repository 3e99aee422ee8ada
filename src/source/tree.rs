//! The files of a directory tree, as git sees them.
//!
//! What git leaves out is left out, unless git tracks it; hidden files are included, `.git` is not, links are not followed.

use std::ffi::OsString;
use std::fs::{self, FileType};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::git::Location;
use super::git::excludes::{Kind, Tracked, WorktreeDirectory, Worktrees};
use super::git::leads_through_link;
use super::{Content, Coverage, Target, Targets};
use crate::path::{RelPath, Root, SETTINGS, real_path};
use crate::skipped::{Skipped, Why};

mod queue;

/// All files of the project.
pub fn tree(root: &Root, location: &Location, threads: usize) -> Targets {
    let Found { targets, skipped, folders } = Walk::new(root, location).files_in(root.path(), threads);
    Targets { targets, coverage: Coverage::Whole, skipped, folders: Some(folders) }
}

/// What was found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) targets: Vec<Target>,
    pub(super) skipped: Vec<Skipped>,
    /// Directories with a directory for settings in them.
    pub(super) folders: Vec<RelPath>,
}

impl Found {
    fn skip(&mut self, path: RelPath, error: impl ToString) {
        self.skipped.push(Skipped { path, why: Why::Unreadable(error.to_string()) });
    }

    fn append(&mut self, mut other: Self) {
        self.targets.append(&mut other.targets);
        self.skipped.append(&mut other.skipped);
        self.folders.append(&mut other.folders);
    }
}

/// Looks for files in directories of one project.
pub(super) struct Walk<'a> {
    root: &'a Root,
    /// What is in the current directory is opened from there: each directory on the way costs time.
    cwd: Option<&'a Path>,
    worktrees: Worktrees<'a>,
}

/// A directory to look into.
struct Directory {
    /// How it is opened: from the current directory if it is in there, which may be empty, or else absolute.
    open: PathBuf,
    /// Its path as globs see it, empty or with a final `/`.
    path: Vec<u8>,
    /// Where it is in a worktree.
    in_worktree: Option<WorktreeDirectory>,
}

/// Something in a directory.
struct Entry {
    name: OsString,
    kind: FileType,
}

impl<'a> Walk<'a> {
    pub(super) fn new(root: &'a Root, location: &'a Location) -> Self {
        let is_current = |path: &&PathBuf| {
            let current = Path::new(".").canonicalize();
            current.is_ok_and(|current| path.canonicalize().is_ok_and(|path| path == current))
        };
        let cwd = Some(&location.cwd).filter(is_current).map(PathBuf::as_path);
        Self { root, cwd, worktrees: Worktrees::new(location) }
    }

    /// The files under `directory`, which is absolute, in the order of their paths.
    pub(super) fn files_in(&self, directory: &Path, threads: usize) -> Found {
        let mut path = self.root.relative(directory).as_bytes().to_vec();
        if !path.is_empty() {
            path.push(b'/');
        }
        let from_here = self.cwd.and_then(|cwd| directory.strip_prefix(cwd).ok());
        let open = from_here.unwrap_or(directory).to_owned();
        let start = Directory { open, path, in_worktree: self.worktrees.above(&real_path(directory)) };
        let mut found = Found::default();
        for part in queue::run(start, threads, |directory, found| self.look_into(directory, found)) {
            found.append(part);
        }
        found.targets.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        found.skipped.sort_unstable();
        found.skipped.dedup();
        found.folders.sort_unstable();
        found.folders.dedup();
        found
    }

    /// Takes the files of one directory, and gives the directories in it.
    fn look_into(&self, mut directory: Directory, found: &mut Found) -> Vec<Directory> {
        let entries = match directory.entries() {
            Ok(entries) => entries,
            Err(error) => {
                found.skip(directory.shown(), error);
                return Vec::new();
            }
        };
        self.enter_worktree(&mut directory, &entries);
        if entries.iter().any(|entry| entry.name == SETTINGS) {
            found.folders.push(directory.folder());
        }
        let mut below = Vec::new();
        for Entry { name, kind } in entries.iter().filter(|entry| entry.name != ".git") {
            let bytes = name.as_encoded_bytes();
            let what = if kind.is_dir() { Kind::Directory } else { Kind::File };
            let excluded_from = directory.in_worktree.as_ref().filter(|here| here.excludes(bytes, what));
            match (excluded_from, what) {
                (None, Kind::Directory) => below.push(directory.child(name)),
                (None, Kind::File) => found.targets.push(directory.target(Path::new(name), *kind)),
                (Some(here), Kind::File) => match here.tracks(bytes) {
                    Ok(true) => found.targets.push(directory.target(Path::new(name), *kind)),
                    Ok(false) => {}
                    Err(error) => found.skip(directory.top_of(here), error),
                },
                (Some(here), Kind::Directory) => match here.tracked_in(bytes) {
                    Ok(tracked) => below.extend(tracked.iter().filter_map(|one| directory.take(one, found))),
                    Err(error) => found.skip(directory.top_of(here), error),
                },
            }
        }
        below
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
                Ok(kind) => entries.push(Entry { name: entry.file_name(), kind }),
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
        }
    }

    /// The file at `path`, from here.
    fn target(&self, path: &Path, kind: FileType) -> Target {
        let content = if kind.is_file() {
            Content::File(self.open.join(path))
        } else if kind.is_symlink() {
            Content::Opaque(Why::Link)
        } else {
            Content::Opaque(Why::NotAFile)
        };
        let name = RelPath::from_native(path);
        Target::new(RelPath::from_bytes([&self.path, name.as_bytes()].concat()), content)
    }

    /// Takes what is tracked, if it is there; a submodule is a directory to look into.
    fn take(&self, tracked: &Tracked, found: &mut Found) -> Option<Self> {
        let Tracked { path, kind } = tracked;
        let file = self.open.join(path);
        let on_disk = file.symlink_metadata().ok()?.file_type();
        if leads_through_link(&self.open, &file) {
            return None;
        }
        match (kind, on_disk.is_dir()) {
            (Kind::Directory, true) => return Some(self.child(path)),
            (Kind::File, false) => {
                let above = path.ancestors().skip(1).filter(|above| {
                    !above.as_os_str().is_empty() && self.open.join(above).join(SETTINGS).exists()
                });
                found.folders.extend(above.map(|above| self.child(above).folder()));
                found.targets.push(self.target(path, on_disk));
            }
            (Kind::Directory, false) | (Kind::File, true) => {}
        }
        None
    }
}

#[cfg(test)]
mod tests;
