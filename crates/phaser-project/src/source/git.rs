//! Git as a source: what the next commit would contain, and what changed since a base.
//!
//! The bytes of staged files come from the index, never from the worktree. Nothing that a repository
//! configures is run (no filters, hooks or monitors), nothing is fetched, and nothing is written.

mod before;
mod blob;
mod committed;
mod compare;
mod error;
pub(in crate::source) mod excludes;
pub mod history;
mod listing;
mod moves;
mod named;
mod pasts;
mod renames;
mod repository;
mod revisions;
mod rules;
mod special;
mod to_git;
mod worktree;

use std::path::PathBuf;

use gix::objs::tree::EntryKind;

use crate::path::Root;
use crate::source::{Content, Coverage, Target, Targets};
use phaser_core::skipped::Why;

pub use blob::{Blob, BlobReader};
pub use committed::{Committed, committed};
pub use error::Error;
pub use listing::Listing;
pub use renames::Renames;
pub use revisions::Revisions;

pub(in crate::source) use before::{Before, Reference, Which};

use compare::{Change, Changes, Entry};
use renames::Moved;
pub use repository::common_directory;
use repository::{Configuration, Repository};
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
    /// Where the user's configuration files are: `XDG_CONFIG_HOME`, or what it is by default.
    pub config_home: Option<PathBuf>,
}

/// Which files of the index are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Staged<'a> {
    /// Those that the next commit would change.
    Changed,
    /// These, whether they changed or not.
    Named(&'a [PathBuf]),
}

/// Files as the next commit would contain them.
pub fn staged(
    root: &Root,
    location: &Location,
    wanted: Staged<'_>,
    renames: Renames,
) -> Result<Targets, Error> {
    let repository = Repository::open(root, location, Configuration::Repository)?;
    let index = repository.index()?;
    if let Some(entry) = index.entries().iter().find(|entry| entry.stage_raw() != 0) {
        return Err(Error::Unmerged { path: entry.path(&index).to_string() });
    }
    let head = repository.head()?.map(|head| repository.commit_tree(head)).transpose()?;
    let changes = compare::index(&repository, head, &index)?;
    let mut found = match wanted {
        Staged::Changed => Collection::of(&repository, &changes, renames),
        Staged::Named(paths) => {
            let names = named::Names::new(&repository, &location.cwd, paths);
            let (present, skipped) = named::find(&repository, &index, names, &changes)?;
            let changes = Changes { present, gone: changes.gone };
            Targets { skipped, ..Collection::of(&repository, &changes, renames) }
        }
    };
    if repository.holds_project() {
        found.coverage = Coverage::Listed(Listing::new(repository, index));
    }
    Ok(found)
}

/// The files that changed since the merge base of two commits, or of a commit and what is checked out.
pub fn changed(
    root: &Root,
    location: &Location,
    revisions: &Revisions,
    renames: Renames,
) -> Result<Targets, Error> {
    let configuration = match revisions.head {
        Some(_) => Configuration::Repository,
        None => Configuration::Everybody,
    };
    let repository = Repository::open(root, location, configuration)?;
    let Compared { base, head } = revisions::resolve(&repository, revisions)?;
    let Some(head) = head else {
        return worktree::changed(&repository, base, renames);
    };
    let changes = compare::trees(&repository, base, head)?;
    Ok(Collection::of(&repository, &changes, renames))
}

/// The targets found so far.
struct Collection<'a> {
    repository: &'a Repository,
    moved: Moved<'a>,
    found: Targets,
}

impl<'a> Collection<'a> {
    fn new(repository: &'a Repository, changes: &'a Changes, renames: Renames) -> Self {
        let found =
            Targets { targets: Vec::new(), coverage: Coverage::Partial, skipped: Vec::new(), folders: None };
        Self { repository, moved: renames::find(repository, changes, renames), found }
    }

    fn of(repository: &'a Repository, changes: &'a Changes, renames: Renames) -> Targets {
        let mut collection = Self::new(repository, changes, renames);
        changes.present.iter().for_each(|change| collection.add_committed(change));
        collection.found
    }

    fn add_committed(&mut self, change: &Change) {
        self.add(&change.path, content(self.repository, change.now), change.was);
    }

    fn add(&mut self, path: &[u8], content: Content, was: Option<Entry>) {
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
