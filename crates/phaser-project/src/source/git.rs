//! Git as a source: staged files, and files that changed since a base.
//!
//! Staged bytes come from the index, never from the worktree. No program that a repository configures is run
//! (filters, hooks, monitors), nothing is fetched and nothing is written.

mod base_commits;
mod blob;
mod change;
mod committed;
mod compare;
mod error;
pub(in crate::source) mod excludes;
pub mod history;
mod listing;
mod messages;
mod moves;
mod named;
mod previous;
mod previous_settings;
mod renames;
mod repository;
mod revisions;
mod rules;
mod to_git;
mod tracked;

use std::path::{Path, PathBuf};

use gix::objs::tree::EntryKind;

use crate::path::Root;
use crate::source::view::ListedFiles;
use crate::source::{Compared, Content, Coverage, Target, Targets};
use phaser_core::skipped::SkipReason;

pub use blob::{Blob, BlobReader};
pub use change::{ChangeBase, ProjectState, change_of_window, change_since, staged_change, uncommitted};
pub use committed::{Committed, committed};
pub use error::GitError;
pub use excludes::Untracked;
pub use listing::{FilesOutsideCheckout, Listing};
pub use messages::{CommitMessage, comment_prefix, messages, staged_paths};
pub use previous_settings::{PreviousSettings, SettingsFile, may_have_changed};
pub use renames::Renames;
pub use revisions::Revisions;

pub(in crate::source) use previous::{CompareWith, PreviousVersions, RepositoryRole};

use compare::{TreeChange, TreeChanges, TreeEntry};
use renames::RenamedFrom;
pub use repository::{CommitName, commit_name, common_directory, hooks_directory};
use repository::{ConfigSource, Repository};
use revisions::ComparedTrees;

/// Where git looks for the repository, after git's environment variables. Relative paths have git's meaning.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitLocation {
    /// The directory to start from; absolute.
    pub cwd: PathBuf,
    /// `GIT_DIR`.
    pub git_dir: Option<PathBuf>,
    /// `GIT_WORK_TREE`.
    pub work_tree: Option<PathBuf>,
    /// `GIT_INDEX_FILE`.
    pub index_file: Option<PathBuf>,
    /// The user's configuration directory: `XDG_CONFIG_HOME` or its default.
    pub config_home: Option<PathBuf>,
}

/// The files of `paths` that git does not track. Empty outside a repository.
pub fn untracked<'p>(
    location: &GitLocation,
    paths: impl Iterator<Item = &'p Path>,
    are: Untracked,
) -> Vec<&'p Path> {
    excludes::Worktrees::new(location).untracked_of(paths, are)
}

/// Which files of the index to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StagedFiles<'a> {
    /// Those that the next commit would change.
    Changed,
    /// These, changed or not.
    Named(&'a [PathBuf]),
}

/// Files as the next commit would contain them, each with its version in `HEAD`.
pub fn staged(
    root: &Root,
    location: &GitLocation,
    wanted: StagedFiles<'_>,
    renames: Renames,
) -> Result<Targets, GitError> {
    let repository = Repository::open(root, location, ConfigSource::Repository)?;
    let index = repository.index()?;
    if let Some(entry) = index.entries().iter().find(|entry| entry.stage_raw() != 0) {
        return Err(GitError::Unmerged { path: entry.path(&index).to_string() });
    }
    let head = repository.head()?.map(|head| repository.commit_tree(head)).transpose()?;
    let changes = compare::index(&repository, head, &index)?;
    let mut found = match wanted {
        StagedFiles::Changed => Collection::of(&repository, &changes, renames),
        StagedFiles::Named(paths) => {
            let names = named::IndexNames::new(&repository, &location.cwd, paths);
            let (present, skipped) = named::find(&repository, &index, names, &changes)?;
            let changes = TreeChanges { present, gone: changes.gone };
            Targets { skipped, ..Collection::of(&repository, &changes, renames) }
        }
    };
    if repository.holds_project() {
        found.coverage = Coverage::Listed(Listing::new(repository, index));
    }
    Ok(found)
}

/// The files that changed since the merge base of two commits, or of a commit and the worktree.
pub fn changed(
    root: &Root,
    location: &GitLocation,
    revisions: &Revisions,
    renames: Renames,
) -> Result<Targets, GitError> {
    let configuration = match revisions.head {
        Some(_) => ConfigSource::Repository,
        None => ConfigSource::User,
    };
    let repository = Repository::open(root, location, configuration)?;
    let ComparedTrees { base, head } = revisions::resolve(&repository, revisions)?;
    let Some(head) = head else {
        return tracked::changed(&repository, base, renames);
    };
    let changes = compare::trees(&repository, base, head)?;
    Ok(Collection::of(&repository, &changes, renames))
}

/// The files of the commit that a range ends at; `None` if it ends at the worktree.
pub fn files_at_head(
    root: &Root,
    location: &GitLocation,
    revisions: &Revisions,
) -> Result<Option<ListedFiles>, GitError> {
    let repository = Repository::open(root, location, ConfigSource::Repository)?;
    let Some(head) = revisions::resolve(&repository, revisions)?.head else { return Ok(None) };
    Ok(Some(listed(&repository, &compare::files(&repository, b"", head)?)))
}

/// The files of a tree, as the resolution of imports sees them.
fn listed(repository: &Repository, files: &[TreeChange]) -> ListedFiles {
    let listed = files.iter().filter_map(|TreeChange { path, now, .. }| {
        let path = repository.project_path(path)?;
        let is_file = matches!(now.kind, EntryKind::Blob | EntryKind::BlobExecutable);
        Some((path.to_text().into_owned(), is_file.then(|| repository.objects.blob(now.id))))
    });
    listed.collect()
}

/// Collects the targets of a comparison.
struct Collection<'a> {
    repository: &'a Repository,
    moved: RenamedFrom<'a>,
    found: Targets,
}

impl<'a> Collection<'a> {
    fn new(repository: &'a Repository, changes: &'a TreeChanges, renames: Renames) -> Self {
        let gone = changes.gone.iter().filter_map(|(path, _)| repository.project_path(path)).collect();
        let found = Targets { gone, ..Targets::none() };
        Self { repository, moved: renames::find(repository, changes, renames), found }
    }

    fn of(repository: &'a Repository, changes: &'a TreeChanges, renames: Renames) -> Targets {
        let mut collection = Self::new(repository, changes, renames);
        changes.present.iter().for_each(|change| collection.add_committed(change));
        collection.found
    }

    fn add_committed(&mut self, change: &TreeChange) {
        let at = self.found.targets.len();
        self.add(&change.path, content(self.repository, change.now), change.was);
        if let Some(target) = self.found.targets.get_mut(at).filter(|_| change.was == Some(change.now)) {
            target.compared = Compared::Unchanged;
        }
    }

    fn add(&mut self, path: &[u8], content: Content, was: Option<TreeEntry>) {
        let was = was.map(|was| (path, was)).or_else(|| self.moved.get(path).copied());
        let before = was.and_then(|(path, was)| {
            let path = self.repository.project_path(path)?;
            Some(Box::new(Target::new(path, self::content(self.repository, was))))
        });
        if let Some(path) = self.repository.project_path(path) {
            self.found.targets.push(Target { before, ..Target::new(path, content) });
        }
    }
}

fn content(repository: &Repository, entry: TreeEntry) -> Content {
    match entry.kind {
        EntryKind::Blob | EntryKind::BlobExecutable => Content::Blob(repository.objects.blob(entry.id)),
        EntryKind::Link => Content::Opaque(SkipReason::Link),
        EntryKind::Commit => Content::Opaque(SkipReason::Submodule),
        EntryKind::Tree => Content::Opaque(SkipReason::NotAFile),
    }
}

#[cfg(test)]
mod tests;
