//! The files that a shell command, or a whole turn of an agent, may have written.
//!
//! The event does not name them, so the project is walked. After a command, the candidates are the files whose ctime
//! is not before its start; ctime cannot be set back (see `tree/change_filter.rs`). At the end of a turn they must
//! also differ from the commit at its start, as far as size and times in the index tell. The files of commits made since
//! are candidates whatever their times: git may have ignored them when they were written. Each candidate
//! gets its previous versions from git (`git/previous.rs`), and unchanged ones are dropped. Example: a command starts
//! at 10:00 and runs `sed -i s/a/b/ x.py; touch y.py`.
//!
//! | file   | ctime | index entry       | result                                       |
//! |--------|-------|-------------------|----------------------------------------------|
//! | `x.py` | 10:01 | other content     | target; the entry's blob is its previous text |
//! | `y.py` | 10:01 | same content      | dropped                                      |
//! | `z.py` | 9:00  | other content     | not a candidate: changed before the command  |
//!
//! Without a repository the previous text is what the agent recorded at its first edit of the file in the turn; without
//! that, all violations of a file count as new. A repository that cannot
//! be read is a gap. Other checkouts inside the project, linked worktrees and submodules, are not searched.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::git;
use super::git::excludes::Worktrees;
use super::git::{CompareWith, GitError, GitLocation, PreviousVersions, RepositoryRole};
use super::tree::{ChangeFilter, Walk, WalkResult};
use super::{Content, Target, Targets, WalkedDirectories};
use crate::checkout;
use crate::path::{RelPath, Root, real_path, resolve};
use phaser_core::deadline::Deadline;
use phaser_core::skipped::{SkipReason, Skipped};

/// Which changes to find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeWindow {
    /// Those of a command.
    Command {
        /// The changed files, if the agent names them; a relative path starts at the location's `cwd`. Otherwise
        /// files whose ctime is not before `since`.
        changed: Option<Vec<PathBuf>>,
        /// When the command started.
        since: SystemTime,
    },
    /// Those of a turn: files that differ from the commit at its start and whose ctime is not before `since`, and the files
    /// of commits made since.
    Turn {
        /// When the turn started, if known; otherwise everything uncommitted counts.
        since: Option<SystemTime>,
        /// The texts of files before the agent's first edit in the turn, as far as the agent recorded them.
        originals: Vec<(PathBuf, String)>,
    },
}

impl ChangeWindow {
    /// A turn of which no texts are recorded.
    pub fn turn(since: Option<SystemTime>) -> Self {
        Self::Turn { since, originals: Vec::new() }
    }

    /// The start of the window, if known.
    pub fn since(&self) -> Option<SystemTime> {
        match self {
            Self::Command { since, .. } => Some(*since),
            Self::Turn { since, .. } => *since,
        }
    }
}

/// Limits of a walk.
#[derive(Debug, Clone, Copy)]
pub struct WalkLimits {
    /// The maximum number of threads.
    pub threads: usize,
    /// When to stop. Unvisited files are a gap.
    pub deadline: Deadline,
}

/// The files of `window`, sorted by path, with their previous versions.
pub fn changed_files(
    root: &Root,
    location: &GitLocation,
    window: &ChangeWindow,
    limits: WalkLimits,
) -> Targets {
    // The project's repository counts, wherever the command left the shell.
    let own = match location.git_dir {
        Some(_) => location.clone(),
        None => GitLocation { cwd: root.path().to_owned(), ..location.clone() },
    };
    let search = WorktreeSearch { root, location: &own, limits };
    match window {
        ChangeWindow::Command { changed: Some(paths), since }
            if paths.is_empty() && !git::may_have_changed(root, &own, *since) =>
        {
            Targets::none()
        }
        ChangeWindow::Command { changed: Some(paths), since } => {
            let found = search.named(&location.cwd, paths);
            search.compare(found, CompareWith::Command(*since), None)
        }
        ChangeWindow::Command { changed: None, since } => {
            let found = search.walk(Some(*since), None);
            search.compare(found, CompareWith::Command(*since), None)
        }
        ChangeWindow::Turn { since, originals } => {
            let mut found = search.turn(*since);
            add_originals(&mut found.targets, root, originals);
            found
        }
    }
}

/// A search in one project.
#[derive(Clone, Copy)]
struct WorktreeSearch<'a> {
    root: &'a Root,
    location: &'a GitLocation,
    limits: WalkLimits,
}

impl WorktreeSearch<'_> {
    fn turn(self, since: Option<SystemTime>) -> Targets {
        let reference = since.map_or(CompareWith::LastCommit, CompareWith::Turn);
        match PreviousVersions::open(self.root, self.location, reference, RepositoryRole::Project) {
            Ok(before) => {
                let found = self.walk(since, Some(&before));
                self.compare(found, reference, Some(before))
            }
            // Without a commit and a start time there is nothing to compare with.
            Err(GitError::NotARepository(_)) => match since {
                Some(_) => self.compare(self.walk(since, None), reference, None),
                None => Targets::none(),
            },
            Err(error) => Targets { skipped: vec![gap(&RelPath::from("."), &error)], ..Targets::none() },
        }
    }

    /// The files whose ctime is not before `since`, without those unchanged since `before`.
    fn walk(self, since: Option<SystemTime>, before: Option<&PreviousVersions>) -> WalkResult {
        let known = before.map(PreviousVersions::index);
        let is_as_before = |path: &[u8], metadata: &fs::Metadata| {
            known.is_some_and(|known| known.is_as_committed(path, metadata))
        };
        let filter = ChangeFilter { since, is_as_before: &is_as_before, deadline: self.limits.deadline };
        let walk = Walk::new(self.root, self.location).with_filter(&filter);
        walk.files_in(self.root.path(), self.limits.threads)
    }

    /// The files that the agent names, if they belong to the project.
    fn named(self, cwd: &Path, paths: &[PathBuf]) -> WalkResult {
        let worktrees = Worktrees::new(self.location);
        let mut found = WalkResult::default();
        for path in paths {
            let Ok(file) = resolve(cwd, path) else { continue };
            // The path may lead through links, but not out of the project.
            let (Some(parent), Some(name)) = (file.parent(), file.file_name()) else { continue };
            let file = real_path(parent).join(name);
            if !self.root.contains(&file) {
                continue;
            }
            let path = self.root.relative(&file);
            let Ok(metadata) = fs::symlink_metadata(&file) else {
                found.gone.push(path);
                continue;
            };
            if !metadata.is_file() || self.is_elsewhere(&path, &mut found.repositories) {
                continue;
            }
            match worktrees.leave_out(&file) {
                Ok(true) => {}
                Ok(false) => found.targets.push(Target::new(path, Content::File(file))),
                Err(error) => found.skipped.push(Skipped { path, why: SkipReason::Unreadable(error) }),
            }
        }
        found.targets.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        found.targets.dedup_by(|a, b| a.path == b.path);
        found.repositories.sort_unstable();
        found.repositories.dedup();
        found
    }

    /// Whether a file is in `.git`, or in another checkout inside the project. Records the nested repositories above
    /// it.
    fn is_elsewhere(self, path: &RelPath, repositories: &mut Vec<RelPath>) -> bool {
        if path.as_bytes().split(|&byte| byte == b'/').any(|name| name == b".git") {
            return true;
        }
        for directory in path.directories().map(RelPath::from_bytes) {
            let dot_git = self.root.path().join(directory.to_native()).join(".git");
            match fs::symlink_metadata(&dot_git) {
                Ok(metadata) if metadata.is_file() && self.is_known_checkout(&directory) => return true,
                Ok(metadata) if metadata.is_dir() => repositories.push(directory),
                Ok(_) | Err(_) => {}
            }
        }
        false
    }

    /// Whether a worktree around this directory of the project knows it as a checkout of its own.
    fn is_known_checkout(self, directory: &RelPath) -> bool {
        let inner = self.root.path().join(directory.to_native());
        let mut outer = inner.ancestors().skip(1).filter(|outer| outer.join(".git").exists());
        outer.next().is_none_or(|outer| checkout::is_known(&inner, outer))
    }

    /// Adds the files of commits made since, and the previous versions: each file by the project's repository if that has it,
    /// otherwise by the innermost one that contains it.
    fn compare(self, found: WalkResult, reference: CompareWith, own: Option<PreviousVersions>) -> Targets {
        let WalkResult { targets, mut skipped, mut gone, repositories, seen, left, unfinished, .. } = found;
        let walked =
            Some(WalkedDirectories { folders: found.folders, has_changed: found.has_changed_directories })
                .filter(|_| seen > 0 || !unfinished.is_empty());
        let is_over = !left.is_empty();
        let may_have_committed = || match reference {
            CompareWith::Command(since) => git::may_have_changed(self.root, self.location, since),
            CompareWith::Turn(_) | CompareWith::LastCommit => false,
        };
        let open = || PreviousVersions::open(self.root, self.location, reference, RepositoryRole::Project);
        let own = match own {
            Some(own) => Some(Ok(own)),
            None => (!targets.is_empty() || is_over || may_have_committed()).then(open),
        };
        let has =
            |path: &RelPath| own.as_ref().is_some_and(|own| own.as_ref().is_ok_and(|own| own.has(path)));
        let mut compared = Vec::new();
        let mut groups: Vec<Vec<Target>> = vec![Vec::new(); repositories.len() + 1];
        for target in targets {
            // Repositories are sorted, so the innermost one is the last that matches.
            let inside = repositories.iter().rposition(|top| target.path.below(top).is_some());
            let inside = inside.filter(|_| !has(&target.path));
            groups[inside.map_or(0, |at| at + 1)].push(target);
        }
        let mut groups = groups.into_iter();
        let mut first = groups.next().unwrap_or_default();
        for (top, inside) in repositories.iter().zip(groups).filter(|(_, inside)| !inside.is_empty()) {
            let config_home = self.location.config_home.clone();
            let cwd = self.root.path().join(top.to_native());
            let location = GitLocation { cwd, config_home, ..GitLocation::default() };
            match PreviousVersions::open(self.root, &location, reference, RepositoryRole::Nested) {
                Ok(before) => {
                    let targets = before.compare(inside, self.limits.deadline).into_iter();
                    let (known, new): (Vec<_>, Vec<_>) = targets.partition(|target| target.before.is_some());
                    compared.extend(known);
                    // The project's repository may know where it was before.
                    first.extend(new);
                }
                Err(error) => skipped.push(gap(top, &error)),
            }
        }
        let mut tracked = None;
        match own {
            Some(Ok(before)) => {
                gone.extend(before.gone());
                tracked = is_over.then(|| before.tracked_below(&left));
                if !is_over {
                    before.add_committed(&mut first);
                }
                compared.extend(before.compare(first, self.limits.deadline));
            }
            Some(Err(GitError::NotARepository(_))) | None => compared.extend(first),
            Some(Err(error)) if !first.is_empty() || is_over => {
                skipped.push(gap(&RelPath::from("."), &error));
            }
            Some(Err(_)) => {}
        }
        if is_over {
            let why = SkipReason::TimedOut { checked: seen, directories: unfinished.len(), tracked };
            skipped.push(Skipped { path: RelPath::from("."), why });
        }
        compared.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        skipped.sort_unstable();
        Targets { targets: compared, skipped, gone, walked, ..Targets::none() }
    }
}

/// Gives the targets without a previous version in git the text that the agent recorded. A file that the agent did not edit
/// may have been moved there: it gets the texts of all edited files that are gone.
fn add_originals(targets: &mut [Target], root: &Root, originals: &[(PathBuf, String)]) {
    if originals.is_empty() {
        return;
    }
    let original = |(path, text): &(PathBuf, String)| {
        let path = root.relative(&real_path(path));
        Target::new(path, Content::Bytes(text.clone().into_bytes()))
    };
    let known: Vec<Target> = originals.iter().map(original).collect();
    let is_gone = |path: &Path| fs::symlink_metadata(path).is_err();
    let gone = originals.iter().zip(&known).filter(|((path, _), _)| is_gone(path)).map(|(_, target)| target);
    for target in targets.iter_mut().filter(|target| target.before.is_none()) {
        target.before = match known.iter().find(|known| known.path == target.path) {
            Some(known) => Some(Box::new(known.clone())),
            None => gone.clone().fold(None, |before, gone| {
                Some(Box::new(Target { path: target.path.clone(), before, ..gone.clone() }))
            }),
        };
    }
}

/// The gap left by an unreadable repository: none of its files is checked.
fn gap(top: &RelPath, error: &GitError) -> Skipped {
    Skipped { path: top.clone(), why: SkipReason::Unreadable(error.to_string()) }
}

#[cfg(test)]
mod tests;
