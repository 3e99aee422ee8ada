//! Changes and their base in git, for contracts about changes.
//!
//! | source                | base                                        | after the change        |
//! |-----------------------|---------------------------------------------|-------------------------|
//! | an edit               | the last commit                             | the reconstructed text  |
//! | staged files          | the last commit                             | the index               |
//! | a range of commits    | the merge base                              | a commit, or the disk   |
//! | a command or a turn   | the commits when it started                 | the disk, or the commit |
//!
//! The project's repository decides, whatever repositories are inside it: making one must not turn committed files into
//! new ones. A file that it does not have may be in an inner one.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use gix::ObjectId;
use gix::bstr::ByteSlice as _;
use gix::index::entry::Flags;
use gix::objs::tree::EntryKind;

use super::compare::{self, TreeChanges, TreeEntry};
use super::repository::{ConfigSource, Repository};
use super::revisions::{self, ComparedTrees};
use super::tracked::{MAX_COMPARED, native};
use super::{GitError, GitLocation, Renames, Revisions, base_commits, content, renames, to_git};
use crate::path::{RelPath, Root};
use crate::source::change::{ChangeSet, ChangedFile};
use crate::source::tree::{Walk, changed_at};
use crate::source::{Content, Target};
use phaser_core::deadline::Deadline;

/// The number of index entries between two looks at the clock.
const CHUNK: usize = 1024;

/// The base of a change: the trees of one or more commits; none before the first commit.
pub struct ChangeBase {
    repository: Repository,
    trees: Vec<ObjectId>,
}

impl ChangeBase {
    /// The last commit, and what is being merged into it.
    pub fn last_commit(root: &Root, location: &GitLocation) -> Result<Self, GitError> {
        let repository = Repository::open(root, location, ConfigSource::Repository)?;
        let trees = base_commits::of_last_commit(&repository)?;
        Ok(Self { repository, trees })
    }

    /// The commits at a time.
    fn at(root: &Root, location: &GitLocation, since: Option<SystemTime>) -> Result<Self, GitError> {
        let repository = Repository::open(root, location, ConfigSource::User)?;
        let trees = match since {
            Some(since) => base_commits::before(&repository, since)?.trees,
            None => base_commits::of_last_commit(&repository)?,
        };
        Ok(Self { repository, trees })
    }

    /// The content of a file of the project in each tree.
    pub fn versions(&self, path: &RelPath) -> Result<Vec<Option<Content>>, GitError> {
        let Some(inside) = self.repository.path_in_worktree(path) else { return Ok(Vec::new()) };
        self.trees.iter().map(|tree| self.version(*tree, &inside)).collect()
    }

    fn version(&self, tree: ObjectId, path: &[u8]) -> Result<Option<Content>, GitError> {
        let entry = entry_in(&self.repository, tree, path)?;
        Ok(entry.filter(|entry| is_file(*entry)).map(|entry| content(&self.repository, entry)))
    }

    /// The files of a comparison with the first tree.
    fn files(&self, changes: &TreeChanges) -> Result<Vec<ChangedFile>, GitError> {
        let moved = renames::find(&self.repository, changes, Renames::Similar);
        let moved: HashMap<&[u8], &[u8]> = moved.into_iter().map(|(to, (from, _))| (from, to)).collect();
        let mut files = Vec::new();
        for change in &changes.present {
            let is_mode =
                change.was.is_some_and(|was| was.id == change.now.id && is_file(was) && is_file(change.now));
            if is_mode || (change.was.is_none() && change.now.kind == EntryKind::Commit) {
                continue;
            }
            let after = Some(content(&self.repository, change.now));
            files.extend(self.file(&change.path, after, None)?);
        }
        for (path, _) in &changes.gone {
            let to = moved.get(path.as_slice()).and_then(|to| self.repository.project_path(to));
            files.extend(self.file(path, None, to)?);
        }
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(files)
    }

    fn file(
        &self,
        path: &[u8],
        after: Option<Content>,
        moved_to: Option<RelPath>,
    ) -> Result<Option<ChangedFile>, GitError> {
        let Some(in_project) = self.repository.project_path(path) else { return Ok(None) };
        let before = self.trees.iter().map(|tree| self.version(*tree, path)).collect::<Result<_, _>>()?;
        Ok(Some(ChangedFile { path: in_project, alias: None, before, previous: None, after, moved_to }))
    }

    /// The files of the index that are not on disk as they are in the base, among the `wanted`.
    fn on_disk(
        &self,
        wanted: &dyn Fn(&RelPath) -> bool,
        deadline: Deadline,
    ) -> Result<Vec<ChangedFile>, GitError> {
        let index = self.repository.index()?;
        let changes = compare::index(&self.repository, self.trees.first().copied(), &index)?;
        let mut files = Vec::new();
        for (at, entry) in index.entries().iter().enumerate() {
            if at % CHUNK == 0 && deadline.has_passed() {
                return Err(GitError::OutOfTime);
            }
            let path = entry.path(&index).as_bytes();
            let is_elsewhere = entry.mode.is_sparse() || entry.mode.is_submodule();
            if is_elsewhere || entry.flags.contains(Flags::SKIP_WORKTREE) || entry.stage_raw() > 1 {
                continue;
            }
            if !self.repository.project_path(path).is_some_and(|path| wanted(&path)) {
                continue;
            }
            let Some(file) = native(path).map(|file| self.repository.worktree.join(file)) else { continue };
            let after = match fs::symlink_metadata(&file) {
                Err(_) => None,
                Ok(metadata) => {
                    let is_as_staged = super::previous::stat(&metadata)
                        .is_some_and(|stat| super::tracked::has_stat(&index, &entry.stat, &stat));
                    let is_as_in_base = || {
                        changes.present.binary_search_by(|change| change.path.as_slice().cmp(path)).is_err()
                    };
                    if is_as_staged && compare::is_committed(entry) && is_as_in_base() {
                        continue;
                    }
                    Some(Content::File(file))
                }
            };
            files.extend(self.file(path, after, None)?);
        }
        for (path, _) in &changes.gone {
            if self.repository.project_path(path).is_some_and(|path| wanted(&path)) {
                files.extend(self.file(path, None, None)?);
            }
        }
        files.sort_by(|one, other| one.path.cmp(&other.path));
        files.dedup_by(|one, other| one.path == other.path);
        Ok(files)
    }

    /// Names the new path of files that are gone, where a new file has the same content.
    fn find_renamed(&self, gone: &mut [ChangedFile], new: &[(RelPath, Vec<u8>)]) {
        for file in gone.iter_mut().filter(|file| file.after.is_none() && file.moved_to.is_none()) {
            let Some(path) = self.repository.path_in_worktree(&file.path) else { continue };
            let Some(tree) = self.trees.first() else { continue };
            let Ok(Some(was)) = entry_in(&self.repository, *tree, &path) else { continue };
            let moved = new.iter().find(|(_, bytes)| to_git::is_object(bytes, was.id));
            file.moved_to = moved.map(|(path, _)| path.clone());
        }
    }
}

/// The staged change.
pub fn staged_change(root: &Root, location: &GitLocation) -> Result<ChangeSet, GitError> {
    let base = ChangeBase::last_commit(root, location)?;
    let index = base.repository.index()?;
    let changes = compare::index(&base.repository, base.trees.first().copied(), &index)?;
    let files = base.files(&changes)?;
    let state = ProjectState::of_index(base.repository, index);
    Ok(ChangeSet { files, state: Some(state), has_others: false })
}

/// The change of a range.
pub fn change_since(root: &Root, location: &GitLocation, range: &Revisions) -> Result<ChangeSet, GitError> {
    let configuration = if range.head.is_some() { ConfigSource::Repository } else { ConfigSource::User };
    let repository = Repository::open(root, location, configuration)?;
    let ComparedTrees { base, head } = revisions::resolve(&repository, range)?;
    let base = ChangeBase { repository, trees: vec![base] };
    let (files, state) = match head {
        Some(head) => {
            let changes = compare::trees(&base.repository, base.trees[0], head)?;
            let files = base.files(&changes)?;
            (files, ProjectState::of_commit(base.repository, head))
        }
        None => {
            let files = base.on_disk(&|_| true, Deadline::NEVER)?;
            (files, ProjectState::of_disk(base.repository))
        }
    };
    Ok(ChangeSet { files, state: Some(state), has_others: false })
}

/// The change of a commit, which `changes` compares with its parent, if it has one.
pub(super) fn change_of_commit(
    repository: &Repository,
    (parent, commit): (Option<ObjectId>, ObjectId),
    changes: &TreeChanges,
) -> Result<ChangeSet, GitError> {
    let base =
        ChangeBase { repository: repository.another().with_caches(), trees: parent.into_iter().collect() };
    let files = base.files(changes)?;
    Ok(ChangeSet { files, state: Some(ProjectState::of_commit(base.repository, commit)), has_others: false })
}

/// What was changed on disk since a time: these targets, and the files that are gone. Only `wanted` files count.
pub fn change_of_window(
    root: &Root,
    location: &GitLocation,
    since: Option<SystemTime>,
    targets: &[Target],
    wanted: &dyn Fn(&RelPath) -> bool,
    deadline: Deadline,
) -> Result<ChangeSet, GitError> {
    let base = ChangeBase::at(root, location, since)?;
    let mut files: Vec<ChangedFile> = Vec::new();
    for target in targets.iter().filter(|target| wanted(&target.path)) {
        let after = Some(target.content.clone());
        if let Some(known) = files.iter_mut().find(|known| known.path == target.path) {
            // The committed content counts, where the disk has another one.
            if matches!(target.content, Content::Blob(_)) {
                known.after = after;
            }
            continue;
        }
        let before = base.versions(&target.path)?;
        let (path, alias) = (target.path.clone(), target.alias.clone());
        files.push(ChangedFile { path, alias, before, previous: None, after, moved_to: None });
    }
    // A file that is still on disk is gone from the index.
    let is_recent = |file: &ChangedFile| {
        since.is_none_or(|since| match root.path().join(file.path.to_native()).symlink_metadata() {
            Ok(_) => super::may_have_changed(root, location, since),
            Err(_) => was_lost_since(root.path(), &file.path, since),
        })
    };
    let gone = base.on_disk(wanted, deadline)?.into_iter();
    let mut gone: Vec<ChangedFile> = gone.filter(|file| file.after.is_none() && is_recent(file)).collect();
    if !gone.is_empty() {
        let new = files.iter().filter(|file| file.before.iter().all(Option::is_none));
        let read = |file: &ChangedFile| match &file.after {
            Some(Content::File(path)) if path.metadata().is_ok_and(|file| file.len() <= MAX_COMPARED) => {
                Some((file.path.clone(), fs::read(path).ok()?))
            }
            _ => None,
        };
        let new: Vec<_> = new.filter_map(read).collect();
        base.find_renamed(&mut gone, &new);
    }
    gone.retain(|gone| !files.iter().any(|file| file.path == gone.path));
    files.append(&mut gone);
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(ChangeSet { files, state: Some(ProjectState::of_disk(base.repository)), has_others: true })
}

/// The `wanted` files that are not as in the last commit: on disk, new ones included, or gone.
pub fn uncommitted(
    root: &Root,
    location: &GitLocation,
    wanted: &dyn Fn(&RelPath) -> bool,
    deadline: Deadline,
) -> Result<Vec<ChangedFile>, GitError> {
    let base = ChangeBase::at(root, location, None)?;
    let mut files = base.on_disk(wanted, deadline)?;
    let index = base.repository.index()?;
    let walked = Walk::new(root, location).files_in(root.path(), 1).targets;
    for target in walked.into_iter().filter(|target| wanted(&target.path)) {
        let path = base.repository.path_in_worktree(&target.path).unwrap_or_default();
        if index.entry_by_path(path.as_bstr()).is_none() && !files.iter().any(|file| file.path == target.path)
        {
            let before = base.versions(&target.path)?;
            let after = Some(target.content);
            let Target { path, alias, .. } = target;
            files.push(ChangedFile { path, alias, before, previous: None, after, moved_to: None });
        }
    }
    Ok(files)
}

/// Whether a directory above a file that is gone was changed since.
fn was_lost_since(root: &Path, path: &RelPath, since: SystemTime) -> bool {
    let file = root.join(path.to_native());
    let above = file.ancestors().skip(1).find_map(|directory| directory.symlink_metadata().ok());
    above.is_some_and(|above| changed_at(&above).is_none_or(|changed| changed >= since))
}

/// The entry of a tree at a path.
fn entry_in(repository: &Repository, tree: ObjectId, path: &[u8]) -> Result<Option<TreeEntry>, GitError> {
    let Some(native) = native(path) else { return Ok(None) };
    let broken = |error: gix::Error| GitError::broken(format!("the base of {:?}", path.as_bstr()), &error);
    let tree = repository.object(tree, || "the base of the change".to_owned())?;
    let tree = tree.try_into_tree().map_err(|error| broken(gix::Error::from_error(error)))?;
    let entry = tree.lookup_entry_by_path(native).map_err(broken)?;
    Ok(entry.map(|entry| TreeEntry { id: entry.object_id(), kind: entry.mode().kind() }))
}

/// The entry of a file that is committed and that the checkout leaves out.
pub(super) fn entry_outside_checkout(
    repository: &Repository,
    index: &gix::index::File,
    path: &[u8],
) -> Option<TreeEntry> {
    if let Some(entry) = index.entry_by_path(path.as_bstr()) {
        let is_outside = compare::is_committed(entry) && entry.flags.contains(Flags::SKIP_WORKTREE);
        return is_outside.then(|| TreeEntry::of_index(entry));
    }
    let mut slashes = memchr::memchr_iter(b'/', path).filter(|_| index.is_sparse());
    slashes.find_map(|slash| {
        let directory =
            index.entry_by_path(path[..=slash].as_bstr()).filter(|entry| entry.mode.is_sparse())?;
        entry_in(repository, directory.id, &path[slash + 1..]).ok().flatten()
    })
}

fn is_file(entry: TreeEntry) -> bool {
    matches!(entry.kind, EntryKind::Blob | EntryKind::BlobExecutable)
}

/// The files of a project after a change.
pub struct ProjectState {
    /// gix repositories are not `Sync`.
    repository: Mutex<Repository>,
    holder: StateHolder,
}

/// What holds the files after a change.
enum StateHolder {
    Index(Box<gix::index::File>),
    Commit(ObjectId),
    /// With the index, read on first use; `None` if it cannot be read.
    Disk(Box<OnceLock<Option<gix::index::File>>>),
}

impl fmt::Debug for ProjectState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.holder {
            StateHolder::Index(_) => "ProjectState(index)",
            StateHolder::Commit(_) => "ProjectState(commit)",
            StateHolder::Disk(_) => "ProjectState(disk)",
        })
    }
}

impl ProjectState {
    fn of_index(repository: Repository, index: gix::index::File) -> Self {
        Self { repository: Mutex::new(repository), holder: StateHolder::Index(Box::new(index)) }
    }

    fn of_commit(repository: Repository, tree: ObjectId) -> Self {
        Self { repository: Mutex::new(repository), holder: StateHolder::Commit(tree) }
    }

    fn of_disk(repository: Repository) -> Self {
        Self { repository: Mutex::new(repository), holder: StateHolder::Disk(Box::default()) }
    }

    /// The content of a file; `None` if the project does not have it.
    pub fn content(&self, path: &RelPath) -> Option<Content> {
        let repository = &*self.repository.lock().unwrap_or_else(PoisonError::into_inner);
        let inside = repository.path_in_worktree(path)?;
        let entry = match &self.holder {
            StateHolder::Index(index) => {
                let entry = index.entry_by_path(inside.as_bstr());
                let entry = entry.filter(|entry| compare::is_committed(entry)).map(TreeEntry::of_index);
                entry.or_else(|| entry_outside_checkout(repository, index, &inside))
            }
            StateHolder::Commit(tree) => entry_in(repository, *tree, &inside).ok().flatten(),
            StateHolder::Disk(index) => {
                let file = repository.worktree.join(native(&inside)?);
                if file.symlink_metadata().is_ok_and(|file| !file.is_dir()) {
                    return Some(Content::File(file));
                }
                let index = index.get_or_init(|| repository.index().ok()).as_ref()?;
                entry_outside_checkout(repository, index, &inside)
            }
        };
        entry.filter(|entry| entry.kind != EntryKind::Tree).map(|entry| content(repository, entry))
    }

    /// All files of the project.
    pub fn files(&self) -> Result<Vec<RelPath>, GitError> {
        let repository = &*self.repository.lock().unwrap_or_else(PoisonError::into_inner);
        let of_index = |index: &gix::index::File| -> Vec<RelPath> {
            let entries = index.entries().iter().filter(|entry| compare::is_committed(entry));
            entries.filter_map(|entry| repository.project_path(entry.path(index))).collect()
        };
        Ok(match &self.holder {
            StateHolder::Index(index) => of_index(index),
            StateHolder::Commit(tree) => {
                let files = compare::files(repository, b"", *tree)?;
                files.iter().filter_map(|file| repository.project_path(&file.path)).collect()
            }
            StateHolder::Disk(_) => {
                let mut files = of_index(&repository.index()?);
                let root = |path: &RelPath| {
                    let inside = repository.path_in_worktree(path).unwrap_or_default();
                    native(&inside)
                        .is_some_and(|file| repository.worktree.join(file).symlink_metadata().is_ok())
                };
                files.retain(root);
                files
            }
        })
    }
}
