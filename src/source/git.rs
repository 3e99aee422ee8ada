//! Git as a source: what the next commit would contain, and what changed since a base.
//!
//! The bytes of staged files come from the index, never from the worktree. Nothing that a repository
//! configures is run (no filters, hooks or monitors), nothing is fetched, and nothing is written.

mod blob;
mod compare;
mod error;
mod repository;
mod revisions;
mod worktree;

use std::collections::HashSet;
use std::path::PathBuf;

use gix::ObjectId;
use gix::objs::tree::EntryKind;

use crate::path::{RelPath, Root};
use crate::skipped::Why;
use crate::source::{Content, Coverage, Target, Targets};

pub use blob::{Blob, BlobReader};
pub use error::Error;
pub use revisions::Revisions;

use compare::{Change, Changes, Entry};
use repository::Repository;
use revisions::Compared;

/// Where git is to look, in the words of its own environment variables. Relative paths mean what they mean to git.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Location {
    /// The directory to start from; absolute.
    pub cwd: PathBuf,
    /// `GIT_DIR`.
    pub git_dir: Option<PathBuf>,
    /// `GIT_WORK_TREE`.
    pub work_tree: Option<PathBuf>,
    /// `GIT_INDEX_FILE`.
    pub index_file: Option<PathBuf>,
}

/// The files that the next commit would change, as it would contain them.
pub fn staged(root: &Root, location: &Location) -> Result<Targets, Error> {
    let repository = Repository::open(root, location)?;
    let index = repository.index()?;
    if let Some(entry) = index.entries().iter().find(|entry| entry.stage_raw() != 0) {
        return Err(Error::Unmerged { path: entry.path(&index).to_string() });
    }
    let head = repository.head()?.map(|head| repository.commit_tree(head)).transpose()?;
    let changes = compare::index(&repository, head, &index)?;
    let coverage = if repository.holds_project() {
        Coverage::Listed(all_paths(&repository, &index)?)
    } else {
        Coverage::Partial
    };
    Ok(Collection::of(&repository, &changes, coverage))
}

/// The files that changed since the merge base of two commits, or of a commit and what is checked out.
pub fn changed(root: &Root, location: &Location, revisions: &Revisions) -> Result<Targets, Error> {
    let repository = Repository::open(root, location)?;
    let Compared { base, head } = revisions::resolve(&repository, revisions)?;
    let Some(head) = head else {
        return worktree::changed(&repository, base);
    };
    let changes = compare::trees(&repository, base, head)?;
    Ok(Collection::of(&repository, &changes, Coverage::Partial))
}

/// The paths of all files that the next commit would contain.
fn all_paths(repository: &Repository, index: &gix::index::State) -> Result<Vec<RelPath>, Error> {
    let mut paths = Vec::with_capacity(index.entries().len());
    for entry in index.entries().iter().filter(|entry| compare::is_committed(entry)) {
        let path = entry.path(index);
        if !entry.mode.is_sparse() {
            paths.extend(repository.project_path(path));
            continue;
        }
        let files = compare::files(repository, path, entry.id)?;
        paths.extend(files.iter().filter_map(|file| repository.project_path(&file.path)));
    }
    Ok(paths)
}

/// The targets found so far.
struct Collection<'a> {
    repository: &'a Repository,
    gone: HashSet<ObjectId>,
    found: Targets,
}

impl<'a> Collection<'a> {
    fn new(repository: &'a Repository, changes: &Changes, coverage: Coverage) -> Self {
        let gone = changes.gone.iter().map(|(_, entry)| entry.id).collect();
        Self { repository, gone, found: Targets { targets: Vec::new(), coverage, skipped: Vec::new() } }
    }

    fn of(repository: &'a Repository, changes: &Changes, coverage: Coverage) -> Targets {
        let mut collection = Self::new(repository, changes, coverage);
        changes.present.iter().for_each(|change| collection.add_committed(change));
        collection.found
    }

    fn add_committed(&mut self, change: &Change) {
        let Change { path, now, was } = change;
        // A file that is gone from one path and new at another has moved.
        let was = was.or_else(|| self.gone.contains(&now.id).then_some(*now));
        self.add(path, content(self.repository, *now), was);
    }

    fn add(&mut self, path: &[u8], content: Content, was: Option<Entry>) {
        let Some(path) = self.repository.project_path(path) else { return };
        let before = was.map(|was| Box::new(self::content(self.repository, was)));
        self.found.targets.push(Target { before, ..Target::new(path, content) });
    }
}

fn content(repository: &Repository, entry: Entry) -> Content {
    match entry.kind {
        EntryKind::Blob | EntryKind::BlobExecutable => Content::Blob(repository.objects.blob(entry.id)),
        EntryKind::Link => Content::Opaque(Why::Link),
        EntryKind::Commit => Content::Opaque(Why::Submodule),
        EntryKind::Tree => Content::Opaque(Why::NotAFile),
    }
}

#[cfg(test)]
mod tests;
