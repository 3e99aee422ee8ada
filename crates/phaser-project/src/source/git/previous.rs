//! The previous versions of files in a worktree: before a command, or at the last commit.
//!
//! Before a command, the previous version of a file is its index entry: its content when it was last staged or
//! checked out. But `git add`, `git checkout OTHER -- FILE` and `git commit -a` write entries too. An entry whose
//! ctime is after the start of the command was made by the command; then the [base commits](base_commits) count
//! instead. Content that arrived with whole commits, by switching branches or pulling, is thus not new. In a
//! conflict, our side and the base commits count. At the end of a turn only the base commits count, and so they do for
//! the files of commits made since: an entry has the times of its file, which may be older than the commit.
//!
//! The index is not refreshed; nothing is written.

use std::fs::{self, Metadata};
use std::path::Path;
use std::time::SystemTime;

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::index::entry::{self, Stage, Stat};
use gix::objs::tree::EntryKind;

use super::compare::{self, TreeChange, TreeChanges, TreeEntry};
use super::repository::{ConfigSource, ProjectNesting, Repository, non_regular_file};
use super::to_git::{ToGit, is_object};
use super::tracked::{MAX_COMPARED, has_stat, native};
use super::{GitError, GitLocation, Renames, base_commits, content, moves, renames};
use crate::path::{RelPath, Root};
use crate::source::{Content, Target};
use phaser_core::deadline::Deadline;

/// What files are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::source) enum CompareWith {
    /// The state before a command that started at this time.
    Command(SystemTime),
    /// The commits before a turn that started at this time.
    Turn(SystemTime),
    /// The last commit.
    LastCommit,
}

/// Which configuration a repository may bring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::source) enum RepositoryRole {
    /// The project's repository, with the user's configuration.
    Project,
    /// A repository inside the project. It may have come with an archive, so only its own configuration is read.
    Nested,
}

/// A worktree and the previous versions of its files.
pub(in crate::source) struct PreviousVersions {
    repository: Repository,
    index: PreviousIndex,
    reference: CompareWith,
    /// The paths that commits changed since, sorted.
    committed: Vec<TreeChange>,
}

/// The part of [`PreviousVersions`] that threads can share.
pub(in crate::source) struct PreviousIndex {
    pub(super) index: gix::index::File,
    bases: Vec<BaseTree>,
    nesting: ProjectNesting,
}

/// A tree with previous versions, and its difference from the index.
struct BaseTree {
    tree: ObjectId,
    changes: TreeChanges,
}

impl BaseTree {
    /// The difference at a path.
    fn change(&self, path: &[u8]) -> Option<&TreeChange> {
        let present = &self.changes.present;
        let at = present.binary_search_by(|change| change.path.as_slice().cmp(path)).ok()?;
        present.get(at)
    }

    fn gone(&self, path: &[u8]) -> Option<TreeEntry> {
        let at = self.changes.gone.binary_search_by(|(gone, _)| gone.as_slice().cmp(path)).ok()?;
        self.changes.gone.get(at).map(|(_, entry)| *entry)
    }
}

impl PreviousIndex {
    /// The index entry that a commit would contain at a path.
    fn staged(&self, path: &[u8]) -> Option<&gix::index::Entry> {
        let entry = self.index.entry_by_path_and_stage(path.as_bstr(), Stage::Unconflicted);
        entry.filter(|entry| compare::is_committed(entry))
    }

    /// Whether a file has the size and times of its index entry, and that entry is unchanged since a base.
    pub(in crate::source) fn is_as_committed(&self, path: &[u8], metadata: &Metadata) -> bool {
        let Some(path) = self.nesting.path_in_worktree(path) else { return false };
        let Some(entry) = self.staged(&path) else { return false };
        self.is_as_staged(entry, metadata) && self.bases.iter().any(|base| base.change(&path).is_none())
    }

    fn is_as_staged(&self, entry: &gix::index::Entry, metadata: &Metadata) -> bool {
        let is_link = TreeEntry::of_index(entry).kind == EntryKind::Link;
        metadata.is_symlink() == is_link
            && stat(metadata).is_some_and(|stat| has_stat(&self.index, &entry.stat, &stat))
    }
}

impl PreviousVersions {
    /// Opens the repository at `location`.
    pub(in crate::source) fn open(
        root: &Root,
        location: &GitLocation,
        reference: CompareWith,
        which: RepositoryRole,
    ) -> Result<Self, GitError> {
        let configuration = match which {
            RepositoryRole::Project => ConfigSource::User,
            RepositoryRole::Nested => ConfigSource::Repository,
        };
        if let (RepositoryRole::Nested, Some(special)) = (which, non_regular_file(&location.cwd)) {
            return Err(GitError::Open { path: special, what: "it is not a regular file".to_owned() });
        }
        let repository = Repository::open(root, location, configuration)?;
        let index = repository.index()?;
        let trees = match reference {
            CompareWith::Command(since) | CompareWith::Turn(since) => {
                base_commits::before(&repository, since)?.trees
            }
            CompareWith::LastCommit => base_commits::of_last_commit(&repository)?,
        };
        let committed = committed_since(&repository, &trees)?;
        let mut bases = Vec::new();
        for tree in trees {
            bases.push(BaseTree { tree, changes: compare::index(&repository, Some(tree), &index)? });
        }
        let known = PreviousIndex { index, bases, nesting: repository.nesting.clone() };
        Ok(Self { repository, index: known, reference, committed })
    }

    /// Adds the files of commits made since, which may have been written before. A file that is not on disk as it was
    /// committed is added as in the commit, for what the disk does not have.
    pub(in crate::source) fn add_committed(&self, targets: &mut Vec<Target>) {
        for change in &self.committed {
            let is_file = matches!(change.now.kind, EntryKind::Blob | EntryKind::BlobExecutable);
            let (Some(path), true) = (self.repository.project_path(&change.path), is_file) else { continue };
            let Some(file) = native(&change.path).map(|file| self.repository.worktree.join(file)) else {
                continue;
            };
            let metadata = fs::symlink_metadata(&file).ok().filter(|metadata| metadata.is_file());
            let is_as_committed = metadata.is_some_and(|metadata| {
                let staged = self.index.staged(&change.path).filter(|entry| entry.id == change.now.id);
                staged.is_some_and(|entry| self.index.is_as_staged(entry, &metadata))
                    || (metadata.len() <= MAX_COMPARED
                        && fs::read(&file).is_ok_and(|bytes| is_object(&bytes, change.now.id)))
            });
            if !is_as_committed {
                let before = Some(Box::new(Target::new(path.clone(), Content::File(file))));
                targets.push(Target { before, ..Target::new(path, content(&self.repository, change.now)) });
            } else if !targets.iter().any(|target| target.path == path) {
                targets.push(Target::new(path, Content::File(file)));
            }
        }
    }

    /// The files of the first base that the index does not have.
    pub(in crate::source) fn gone(&self) -> impl Iterator<Item = RelPath> {
        let gone = self.index.bases.first().into_iter().flat_map(|base| &base.changes.gone);
        gone.filter_map(|(path, _)| self.repository.project_path(path))
    }

    /// Whether this repository has a file at a path of the project, or had one.
    pub(in crate::source) fn has(&self, path: &RelPath) -> bool {
        let Some(path) = self.repository.path_in_worktree(path) else { return false };
        self.index.index.entry_by_path(path.as_bstr()).is_some() || !self.were(&path).is_empty()
    }

    /// Whether an index entry was made before `since`. Its times are those of its file, which git may have ignored then;
    /// that of a file committed since must also have its object from before.
    fn was_staged_before(&self, path: &[u8], entry: &gix::index::Entry, since: SystemTime) -> bool {
        let is_old = || base_commits::written_at(&self.repository, entry.id).is_some_and(|time| time < since);
        was_staged_before(entry, since) && (!self.is_committed(path) || is_old())
    }

    /// Whether a commit changed this path since.
    fn is_committed(&self, path: &[u8]) -> bool {
        self.committed_at(path).is_some()
    }

    fn committed_at(&self, path: &[u8]) -> Option<&TreeChange> {
        let at = self.committed.binary_search_by(|change| change.path.as_slice().cmp(path)).ok()?;
        self.committed.get(at)
    }

    pub(in crate::source) fn index(&self) -> &PreviousIndex {
        &self.index
    }

    /// Adds the previous versions to targets, and drops those that are unchanged, as git would store them.
    pub(in crate::source) fn compare(&self, targets: Vec<Target>, deadline: Deadline) -> Vec<Target> {
        let mut converter =
            self.converts().then(|| ToGit::new(&self.repository, &self.index.index).ok()).flatten();
        let mut compared = Vec::with_capacity(targets.len());
        let mut new = Vec::new();
        for target in targets {
            let path = self.repository.path_in_worktree(&target.path).unwrap_or_default();
            if let Content::Blob(_) = target.content {
                let were = self.were(&path);
                let now = self.committed_at(&path).map(|change| change.now.id);
                if were.iter().any(|was| Some(was.id) == now) {
                    continue;
                }
                let on_disk =
                    target.before.map(|on_disk| Target { before: self.chain(&path, &were), ..*on_disk });
                compared.push(Target { before: on_disk.map(Box::new), ..target });
                continue;
            }
            let Some(file) = native(&path).map(|file| self.repository.worktree.join(file)) else {
                compared.push(target);
                continue;
            };
            let Ok(metadata) = fs::symlink_metadata(&file) else { continue };
            let were = self.were(&path);
            if self.is_as_it_was(&path, &were) && self.has_stat_of_index(&path, &metadata) {
                continue;
            }
            let is_small = metadata.is_file() && metadata.len() <= MAX_COMPARED;
            if let Some(converter) = converter.as_mut().filter(|_| is_small && !deadline.has_passed())
                && is_stored_as_one_of(converter, &path, &file, &were)
            {
                continue;
            }
            if were.is_empty() {
                new.push(moves::UntrackedFile { at: compared.len(), path: path.clone(), file, metadata });
            }
            let before = self.chain(&path, &were);
            compared.push(Target { before, ..target });
        }
        self.find_moved(&mut compared, &new, deadline);
        compared
    }

    /// The number of tracked files at or below these paths of the project, none of which is below another.
    pub(in crate::source) fn tracked_below(&self, paths: &[RelPath]) -> usize {
        let index = &self.index.index;
        let tracked = |path: &RelPath| {
            let inside = self.repository.path_in_worktree(path)?;
            if inside.is_empty() || path.as_bytes() == b"." {
                return Some(index.entries().len());
            }
            let below = index.prefixed_entries([&inside[..], b"/"].concat().as_bstr());
            let itself = usize::from(index.entry_by_path(inside.as_bstr()).is_some());
            Some(itself + below.map_or(0, <[_]>::len))
        };
        paths.iter().filter_map(tracked).sum()
    }

    /// The previous versions of a path, most relevant first.
    fn were(&self, path: &[u8]) -> Vec<TreeEntry> {
        let staged = self.index.staged(path);
        let mut were: Vec<TreeEntry> = Vec::new();
        match (self.reference, staged) {
            (CompareWith::Command(since), Some(entry)) => {
                if self.was_staged_before(path, entry, since) {
                    return vec![TreeEntry::of_index(entry)];
                }
            }
            (CompareWith::Command(_), None) => {
                let ours = self.index.index.entry_by_path_and_stage(path.as_bstr(), Stage::Ours);
                were.extend(ours.map(TreeEntry::of_index));
            }
            // What was staged before is not the work of the turn that commits it.
            (CompareWith::Turn(since), Some(entry)) if self.is_committed(path) => {
                let is_old = self.was_staged_before(path, entry, since);
                were.extend(is_old.then(|| TreeEntry::of_index(entry)));
            }
            (CompareWith::Turn(_) | CompareWith::LastCommit, _) => {}
        }
        for base in &self.index.bases {
            let was = match base.change(path) {
                Some(change) => change.was,
                None => base.gone(path).or_else(|| match staged {
                    Some(entry) => Some(TreeEntry::of_index(entry)),
                    None => self.in_sparse_directory(base, path),
                }),
            };
            were.extend(was.filter(|was| !were.contains(was)));
        }
        were
    }

    /// The entry of a tree at a path that is only part of a sparse directory in the index.
    fn in_sparse_directory(&self, base: &BaseTree, path: &[u8]) -> Option<TreeEntry> {
        let Self { repository, index: known, .. } = self;
        if !known.index.is_sparse() {
            return None;
        }
        let tree = repository.git.find_tree(base.tree).ok()?;
        let entry = tree.lookup_entry_by_path(native(path)?).ok()??;
        Some(TreeEntry { id: entry.object_id(), kind: entry.mode().kind() })
    }

    /// Whether the index has one of these at a path.
    fn is_as_it_was(&self, path: &[u8], were: &[TreeEntry]) -> bool {
        self.index.staged(path).is_some_and(|entry| were.iter().any(|was| was.id == entry.id))
    }

    fn has_stat_of_index(&self, path: &[u8], metadata: &Metadata) -> bool {
        self.index.staged(path).is_some_and(|entry| self.index.is_as_staged(entry, metadata))
    }

    /// The previous versions of a path as targets, chained through `before`.
    fn chain(&self, path: &[u8], were: &[TreeEntry]) -> Option<Box<Target>> {
        let path = self.repository.project_path(path)?;
        were.iter().rev().fold(None, |before, was| {
            let target = Target::new(path.clone(), content(&self.repository, *was));
            Some(Box::new(Target { before, ..target }))
        })
    }

    /// Adds the previous versions of files that were moved: staged renames first, then moves on disk.
    fn find_moved(&self, targets: &mut [Target], new: &[moves::UntrackedFile], deadline: Deadline) {
        if new.is_empty() {
            return;
        }
        let changes = self.index.bases.iter().map(|base| &base.changes);
        let staged: Vec<renames::RenamedFrom<'_>> =
            changes.map(|changes| renames::find(&self.repository, changes, Renames::Similar)).collect();
        let mut rest = Vec::new();
        for file in new {
            match staged.iter().find_map(|moved| moved.get(file.path.as_slice())) {
                Some((path, was)) => targets[file.at].before = self.chain(path, &[*was]),
                None => rest.push(file),
            }
        }
        let index = &self.index.index;
        let mut moved = moves::find(&self.repository, index, &rest, deadline);
        rest.retain(|file| !moved.iter().any(|(found, _)| found.at == file.at));
        if !rest.is_empty() {
            moved.extend(moves::find_similar(&self.repository, index, &rest, deadline));
        }
        for (file, from) in moved {
            targets[file.at].before = self.chain(&from, &self.were(&from));
        }
    }

    /// Whether git may store files of this worktree in another form than on disk (`autocrlf`, attributes).
    fn converts(&self) -> bool {
        let Self { repository, index: known, .. } = self;
        let config = repository.git.config_snapshot();
        let is_off = |value: &[u8]| matches!(value, b"false" | b"no" | b"off" | b"0");
        let is_attributes = |entry: &gix::index::Entry| entry.path(&known.index).ends_with(b".gitattributes");
        config.string("core.autocrlf").is_some_and(|value| !is_off(&value))
            || config.string("core.attributesFile").is_some()
            || repository.git.common_dir().join("info/attributes").exists()
            || repository.worktree.join(".gitattributes").exists()
            || known.index.entries().iter().any(is_attributes)
    }
}

/// The paths of `HEAD` that differ from all of these trees, sorted; none if `HEAD` is one of them.
fn committed_since(repository: &Repository, bases: &[ObjectId]) -> Result<Vec<TreeChange>, GitError> {
    let Some(head) = repository.head()? else { return Ok(Vec::new()) };
    let head = repository.commit_tree(head)?;
    if bases.contains(&head) {
        return Ok(Vec::new());
    }
    let Some((first, others)) = bases.split_first() else { return compare::files(repository, b"", head) };
    let mut committed = compare::trees(repository, *first, head)?.present;
    for other in others {
        let changes = compare::trees(repository, *other, head)?.present;
        let differs =
            |path: &[u8]| changes.binary_search_by(|change| change.path.as_slice().cmp(path)).is_ok();
        committed.retain(|change| differs(&change.path));
    }
    Ok(committed)
}

/// Whether git would store the file as one of these.
fn is_stored_as_one_of(converter: &mut ToGit<'_>, path: &[u8], file: &Path, were: &[TreeEntry]) -> bool {
    let is_blob = |was: &&TreeEntry| matches!(was.kind, EntryKind::Blob | EntryKind::BlobExecutable);
    let mut blobs = were.iter().filter(is_blob).peekable();
    if blobs.peek().is_none() {
        return false;
    }
    let Ok(bytes) = fs::read(file) else { return false };
    blobs.any(|was| is_object(&bytes, was.id) || converter.gives(path, &bytes, was.id))
}

/// Whether an index entry was made from a file with an older ctime than `since`. False if the entry has no time.
fn was_staged_before(entry: &gix::index::Entry, since: SystemTime) -> bool {
    let changed = entry.stat.ctime;
    changed != entry::stat::Time::default() && SystemTime::from(changed) < since
}

/// The metadata as the index stores it.
#[cfg(unix)]
pub(super) fn stat(metadata: &Metadata) -> Option<Stat> {
    use std::os::unix::fs::MetadataExt as _;
    // Like git, keeps only the lower 32 bits.
    let time = |seconds: i64, nanoseconds: i64| entry::stat::Time {
        secs: seconds as u32,
        nsecs: nanoseconds as u32,
    };
    Some(Stat {
        mtime: time(metadata.mtime(), metadata.mtime_nsec()),
        ctime: time(metadata.ctime(), metadata.ctime_nsec()),
        dev: metadata.dev() as u32,
        ino: metadata.ino() as u32,
        uid: metadata.uid(),
        gid: metadata.gid(),
        size: metadata.len() as u32,
    })
}

/// Not available on this system.
#[cfg(not(unix))]
pub(super) fn stat(_: &Metadata) -> Option<Stat> {
    None
}

/// The inode as the index stores it.
pub(super) fn inode(metadata: &Metadata) -> Option<u32> {
    stat(metadata).map(|stat| stat.ino).filter(|&inode| inode != 0)
}
