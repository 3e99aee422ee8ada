//! Contracts, configuration and other settings as they were before a command or a turn.
//!
//! They come from the commit that was checked out at its start: what the command committed since is its own work. A switch
//! to another branch that was there before counts as another such state.

use std::collections::BTreeSet;
use std::time::SystemTime;

use gix::ObjectId;
use gix::bstr::ByteSlice as _;
use gix::objs::tree::EntryKind;

use super::repository::{ConfigSource, Repository};
use super::tracked::native;
use super::{GitError, GitLocation, base_commits, compare};
use crate::checkout;
use crate::path::{RelPath, Root};
use crate::source::tree::changed_at;

/// The largest file that is read, in bytes: the largest baseline.
const MAX_SIZE: usize = 64 << 20;

/// The limit on links that lead to a file.
const MAX_LINKS: usize = 10;

/// The settings of a project before a command or a turn.
pub struct PreviousSettings {
    repository: Repository,
    index: gix::index::File,
    trees: Vec<ObjectId>,
}

/// A file before a command or a turn: its bytes in each state, `None` where it did not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFile {
    /// The path in the project.
    pub path: RelPath,
    /// One per state.
    pub versions: Vec<Option<Vec<u8>>>,
}

impl PreviousSettings {
    /// The states before `since`; the last commit if it is not known.
    pub fn open(root: &Root, location: &GitLocation, since: Option<SystemTime>) -> Result<Self, GitError> {
        let repository = Repository::open(root, location, ConfigSource::Repository)?;
        let trees = match since {
            Some(since) => base_commits::before(&repository, since)?.checked_out,
            None => base_commits::of_last_commit(&repository)?.into_iter().take(1).collect(),
        };
        let index = repository.index()?;
        Ok(Self { repository, index, trees })
    }

    /// The number of states; 0 before the first commit.
    pub fn states(&self) -> usize {
        self.trees.len()
    }

    /// The paths that `is_wanted` accepts and that one of the states, or the index, has.
    pub fn paths(&self, is_wanted: impl Fn(&[u8]) -> bool) -> BTreeSet<RelPath> {
        let project_path = |path: &[u8]| {
            let path = self.repository.project_path(path)?;
            is_wanted(path.as_bytes()).then_some(path)
        };
        let staged = self.index.entries().iter().filter_map(|entry| project_path(entry.path(&self.index)));
        let mut paths: BTreeSet<RelPath> = staged.collect();
        for tree in &self.trees {
            let changes = compare::index(&self.repository, Some(*tree), &self.index).unwrap_or_default();
            paths.extend(changes.gone.iter().filter_map(|(path, _)| project_path(path)));
        }
        paths
    }

    /// A file in each state. Links are followed within the repository.
    pub fn file(&self, path: &RelPath) -> SettingsFile {
        let versions = self.trees.iter().map(|tree| self.bytes(*tree, path)).collect();
        SettingsFile { path: path.clone(), versions }
    }

    fn bytes(&self, tree: ObjectId, path: &RelPath) -> Option<Vec<u8>> {
        let tree = self.repository.git.find_tree(tree).ok()?;
        let mut path = self.repository.path_in_worktree(path)?;
        for _ in 0..MAX_LINKS {
            match step(&tree, &path)? {
                Step::File(bytes) => return Some(bytes),
                Step::Link(leads_to) => path = leads_to,
            }
        }
        None
    }
}

/// What is at a path, as far as the first link.
enum Step {
    File(Vec<u8>),
    /// The path that it leads to.
    Link(Vec<u8>),
}

fn step(tree: &gix::Tree<'_>, path: &[u8]) -> Option<Step> {
    for end in path.find_iter("/").chain([path.len()]) {
        let entry = tree.lookup_entry_by_path(native(&path[..end])?).ok()??;
        match entry.mode().kind() {
            EntryKind::Link => {
                return Some(Step::Link(joined(&path[..end], &entry.object().ok()?.data, &path[end..])?));
            }
            EntryKind::Blob | EntryKind::BlobExecutable if end == path.len() => {
                let object = entry.object().ok()?;
                return (object.data.len() <= MAX_SIZE).then(|| Step::File(object.data.clone()));
            }
            EntryKind::Tree => {}
            EntryKind::Blob | EntryKind::BlobExecutable | EntryKind::Commit => return None,
        }
    }
    None
}

/// The path that a link leads to, with the rest behind it; `None` if that is outside the worktree.
fn joined(link: &[u8], target: &[u8], rest: &[u8]) -> Option<Vec<u8>> {
    if target.starts_with(b"/") {
        return None;
    }
    let mut names: Vec<&[u8]> = link.split(|&byte| byte == b'/').collect();
    names.pop();
    for name in target.split(|&byte| byte == b'/').chain(rest.split(|&byte| byte == b'/')) {
        match name {
            b"" | b"." => {}
            b".." => drop(names.pop()?),
            name => names.push(name),
        }
    }
    Some(names.join(&b'/'))
}

/// Whether commits or staged files of the project's repository may have changed since, by the times of git's files. Opens no
/// repository.
pub fn may_have_changed(root: &Root, location: &GitLocation, since: SystemTime) -> bool {
    if location.git_dir.is_some() {
        return true;
    }
    let directory = root.path().ancestors().find(|top| top.join(".git").exists());
    let Some(directory) = directory.and_then(checkout::git_directory) else { return false };
    let is_recent = |name: &str| {
        let metadata = directory.join(name).metadata();
        metadata.is_ok_and(|metadata| changed_at(&metadata).is_none_or(|changed| changed >= since))
    };
    ["index", "HEAD", "logs/HEAD", "ORIG_HEAD", "COMMIT_EDITMSG", "refs/heads"].into_iter().any(is_recent)
}
