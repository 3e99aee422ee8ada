//! What a shell command, or a whole turn of an agent, may have written: nobody says which files, so the project is looked at.
//!
//! Files are found by the time of their last change of state, and are given the text that they had before (see
//! [`git`](super::git)), so that only what is new counts. Without a repository everything in a file is new. What git cannot
//! say ends nothing: it is a gap. What another checkout inside the project holds, a linked worktree or a submodule, is left
//! to whoever works there.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::git::excludes::Worktrees;
use super::git::{Before, Error, Location, Reference, Which};
use super::tree::{Found, Sieve, Walk};
use super::{Content, Coverage, Target, Targets};
use crate::path::{RelPath, Root, real_path, resolve};
use phaser_core::deadline::Deadline;
use phaser_core::skipped::{Skipped, Why};

/// What to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sweep {
    /// After a command: the files that it changed.
    Command {
        /// Which those are, if the client says; a relative path starts where git is to look. Otherwise they are the files
        /// whose state changed not before `since`.
        changed: Option<Vec<PathBuf>>,
        /// When the command began.
        since: SystemTime,
    },
    /// At the end of a turn: the files that differ from the last commit, and whose state changed not before a time if that
    /// is known.
    Turn {
        /// When the turn began.
        since: Option<SystemTime>,
    },
}

/// How to look.
#[derive(Debug, Clone, Copy)]
pub struct Looking {
    /// On how many threads at most.
    pub threads: usize,
    /// When to stop. What could not be looked at is a gap.
    pub deadline: Deadline,
}

/// The files that `sweep` is about, in the order of their paths.
pub fn swept(root: &Root, location: &Location, sweep: &Sweep, looking: Looking) -> Targets {
    // The project decides, wherever the command has left the shell.
    let own = match location.git_dir {
        Some(_) => location.clone(),
        None => Location { cwd: root.path().to_owned(), ..location.clone() },
    };
    let sweeping = Sweeping { root, location: &own, looking };
    match sweep {
        Sweep::Command { changed: Some(paths), .. } if paths.is_empty() => Targets::none(),
        Sweep::Command { changed: Some(paths), since } => {
            let found = sweeping.named(&location.cwd, paths);
            sweeping.compare(found, Reference::Command(*since), None)
        }
        Sweep::Command { changed: None, since } => {
            let found = sweeping.walk(Some(*since), None);
            sweeping.compare(found, Reference::Command(*since), None)
        }
        Sweep::Turn { since } => sweeping.turn(*since),
    }
}

/// A look at one project.
#[derive(Clone, Copy)]
struct Sweeping<'a> {
    root: &'a Root,
    location: &'a Location,
    looking: Looking,
}

impl Sweeping<'_> {
    fn turn(self, since: Option<SystemTime>) -> Targets {
        match Before::open(self.root, self.location, Reference::LastCommit, Which::Own) {
            Ok(before) => {
                let found = self.walk(since, Some(&before));
                self.compare(found, Reference::LastCommit, Some(before))
            }
            // Without a commit and without a time there is nothing that a file could differ from.
            Err(Error::NotARepository(_)) => match since {
                Some(_) => self.compare(self.walk(since, None), Reference::LastCommit, None),
                None => Targets::none(),
            },
            Err(error) => Targets { skipped: vec![gap(&RelPath::from("."), &error)], ..Targets::none() },
        }
    }

    /// The files whose state changed not before `since`, without those that are as they were.
    fn walk(self, since: Option<SystemTime>, before: Option<&Before>) -> Found {
        let known = before.map(Before::known);
        let is_as_before = |path: &[u8], metadata: &fs::Metadata| {
            known.is_some_and(|known| known.is_as_committed(path, metadata))
        };
        let sieve = Sieve { since, is_as_before: &is_as_before, deadline: self.looking.deadline };
        let walk = Walk::new(self.root, self.location).with_sieve(&sieve);
        walk.files_in(self.root.path(), self.looking.threads)
    }

    /// The files that the client names, if they are files of the project.
    fn named(self, cwd: &Path, paths: &[PathBuf]) -> Found {
        let worktrees = Worktrees::new(self.location);
        let mut found = Found::default();
        for path in paths {
            let Ok(file) = resolve(cwd, path) else { continue };
            // The way to a file may lead through links, but not out of the project.
            let (Some(parent), Some(name)) = (file.parent(), file.file_name()) else { continue };
            let file = real_path(parent).join(name);
            if !self.root.contains(&file) {
                continue;
            }
            // What was deleted since is nothing to look at.
            let Ok(metadata) = fs::symlink_metadata(&file) else { continue };
            let path = self.root.relative(&file);
            if !metadata.is_file() || self.is_elsewhere(&path, &mut found.repositories) {
                continue;
            }
            match worktrees.leave_out(&file) {
                Ok(true) => {}
                Ok(false) => found.targets.push(Target::new(path, Content::File(file))),
                Err(error) => found.skipped.push(Skipped { path, why: Why::Unreadable(error) }),
            }
        }
        found.targets.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        found.targets.dedup_by(|a, b| a.path == b.path);
        found.repositories.sort_unstable();
        found.repositories.dedup();
        found
    }

    /// Is a file in git's own directory, or in another checkout inside the project? A repository that it is in is noted.
    fn is_elsewhere(self, path: &RelPath, repositories: &mut Vec<RelPath>) -> bool {
        if path.as_bytes().split(|&byte| byte == b'/').any(|name| name == b".git") {
            return true;
        }
        for directory in path.directories().map(RelPath::from_bytes) {
            let dot_git = self.root.path().join(directory.to_native()).join(".git");
            match fs::symlink_metadata(dot_git) {
                Ok(metadata) if metadata.is_file() => return true,
                Ok(_) => repositories.push(directory),
                Err(_) => {}
            }
        }
        false
    }

    /// Gives what was found the text that it had before: each file by the repository that it is in.
    fn compare(self, found: Found, reference: Reference, own: Option<Before>) -> Targets {
        let Found { targets, mut skipped, repositories, looked_at, left, unfinished, .. } = found;
        let is_over = !left.is_empty();
        let mut compared = Vec::new();
        let mut groups: Vec<Vec<Target>> = vec![Vec::new(); repositories.len() + 1];
        for target in targets {
            // A repository in another one stands after it.
            let inside = repositories.iter().rposition(|top| target.path.below(top).is_some());
            groups[inside.map_or(0, |at| at + 1)].push(target);
        }
        let mut groups = groups.into_iter();
        let first = groups.next().unwrap_or_default();
        let mut tracked = None;
        if !first.is_empty() || is_over {
            let open = || Before::open(self.root, self.location, reference, Which::Own);
            match own.map_or_else(open, Ok) {
                Ok(before) => {
                    tracked = is_over.then(|| before.tracked_below(&left));
                    compared = before.compare(first, self.looking.deadline);
                }
                Err(Error::NotARepository(_)) => compared = first,
                Err(error) => skipped.push(gap(&RelPath::from("."), &error)),
            }
        }
        for (top, inside) in repositories.iter().zip(groups).filter(|(_, inside)| !inside.is_empty()) {
            let config_home = self.location.config_home.clone();
            let cwd = self.root.path().join(top.to_native());
            let location = Location { cwd, config_home, ..Location::default() };
            match Before::open(self.root, &location, reference, Which::Inside) {
                Ok(before) => compared.extend(before.compare(inside, self.looking.deadline)),
                Err(error) => skipped.push(gap(top, &error)),
            }
        }
        if is_over {
            let why = Why::TimeOver { looked_at, directories: unfinished.len(), tracked };
            skipped.push(Skipped { path: RelPath::from("."), why });
        }
        compared.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        skipped.sort_unstable();
        Targets { targets: compared, coverage: Coverage::Partial, skipped, folders: None }
    }
}

/// That a repository cannot say what its files were, so that none of them is looked at.
fn gap(top: &RelPath, error: &Error) -> Skipped {
    Skipped { path: top.clone(), why: Why::Unreadable(error.to_string()) }
}

#[cfg(test)]
mod tests;
