//! What the files of a worktree were before a command, or at the last commit.
//!
//! Before a command a file was what the index has for it: that is what was there when it was last staged or checked out.
//! But an entry that was made of a file written since the command began was made by the command, too (`git add`,
//! `git checkout OTHER -- FILE`, `git commit -a`). Then the commits from before the command count, see [`pasts`]; so what
//! came with whole commits, by changing branches or by pulling, is not new. In a conflict it is our side, and those
//! commits.
//! Nothing is written: the index is not refreshed.

use std::fs::{self, Metadata};
use std::path::Path;
use std::time::SystemTime;

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::index::entry::{self, Stage, Stat};
use gix::objs::tree::EntryKind;

use super::compare::{self, Change, Changes, Entry};
use super::repository::{Configuration, Nesting, Repository};
use super::to_git::{ToGit, is_object};
use super::worktree::{MAX_COMPARED, has_stat, native};
use super::{Error, Location, Renames, content, moves, pasts, renames, special};
use crate::path::{RelPath, Root};
use crate::source::Target;
use phaser_core::deadline::Deadline;

/// What files are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::source) enum Reference {
    /// What was there before a command that began at this time.
    Command(SystemTime),
    /// The last commit.
    LastCommit,
}

/// Which repository is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::source) enum Which {
    /// The one that the project is in, with the user's configuration.
    Own,
    /// One inside the project. It may have come with an archive, so only its own configuration is read.
    Inside,
}

/// A worktree, and what its files were before.
pub(in crate::source) struct Before {
    repository: Repository,
    known: Known,
    reference: Reference,
}

/// What several threads can look at.
pub(in crate::source) struct Known {
    pub(super) index: gix::index::File,
    pasts: Vec<Past>,
    nesting: Nesting,
}

/// A tree that files were in before, and how the index differs from it.
struct Past {
    tree: ObjectId,
    changes: Changes,
}

impl Past {
    /// How the index differs from it at a path.
    fn change(&self, path: &[u8]) -> Option<&Change> {
        let present = &self.changes.present;
        let at = present.binary_search_by(|change| change.path.as_slice().cmp(path)).ok()?;
        present.get(at)
    }

    fn gone(&self, path: &[u8]) -> Option<Entry> {
        let at = self.changes.gone.binary_search_by(|(gone, _)| gone.as_slice().cmp(path)).ok()?;
        self.changes.gone.get(at).map(|(_, entry)| *entry)
    }
}

impl Known {
    /// What a commit would contain at a path.
    fn staged(&self, path: &[u8]) -> Option<&gix::index::Entry> {
        let entry = self.index.entry_by_path_and_stage(path.as_bstr(), Stage::Unconflicted);
        entry.filter(|entry| compare::is_committed(entry))
    }

    /// Is the file at a path of the project what the index has for it and what it was in a commit, as far as size and
    /// times tell?
    pub(in crate::source) fn is_as_committed(&self, path: &[u8], metadata: &Metadata) -> bool {
        let Some(path) = self.nesting.path_in_worktree(path) else { return false };
        let Some(entry) = self.staged(&path) else { return false };
        self.is_as_staged(entry, metadata) && self.pasts.iter().any(|past| past.change(&path).is_none())
    }

    fn is_as_staged(&self, entry: &gix::index::Entry, metadata: &Metadata) -> bool {
        let is_link = Entry::of_index(entry).kind == EntryKind::Link;
        metadata.is_symlink() == is_link
            && stat(metadata).is_some_and(|stat| has_stat(&self.index, &entry.stat, &stat))
    }
}

impl Before {
    /// Opens the repository that `location` leads to.
    pub(in crate::source) fn open(
        root: &Root,
        location: &Location,
        reference: Reference,
        which: Which,
    ) -> Result<Self, Error> {
        let configuration = match which {
            Which::Own => Configuration::Everybody,
            Which::Inside => Configuration::Repository,
        };
        if let (Which::Inside, Some(special)) = (which, special::find(&location.cwd)) {
            return Err(Error::Open { path: special, what: "it is not a regular file".to_owned() });
        }
        let repository = Repository::open(root, location, configuration)?;
        let index = repository.index()?;
        let trees = match reference {
            Reference::Command(since) => pasts::of_command(&repository, since)?,
            Reference::LastCommit => pasts::of_last_commit(&repository)?,
        };
        let mut pasts = Vec::new();
        for tree in trees {
            pasts.push(Past { tree, changes: compare::index(&repository, Some(tree), &index)? });
        }
        let known = Known { index, pasts, nesting: repository.nesting.clone() };
        Ok(Self { repository, known, reference })
    }

    /// What several threads can look at.
    pub(in crate::source) fn known(&self) -> &Known {
        &self.known
    }

    /// Gives each target what it was before; those are left out that are what they were, as git would store them.
    pub(in crate::source) fn compare(&self, targets: Vec<Target>, deadline: Deadline) -> Vec<Target> {
        let mut converter =
            self.converts().then(|| ToGit::new(&self.repository, &self.known.index).ok()).flatten();
        let mut compared = Vec::with_capacity(targets.len());
        let mut new = Vec::new();
        for target in targets {
            let path = self.repository.path_in_worktree(&target.path).unwrap_or_default();
            let Some(file) = native(&path).map(|file| self.repository.worktree.join(file)) else {
                compared.push(target);
                continue;
            };
            let Ok(metadata) = fs::symlink_metadata(&file) else { continue };
            let were = self.were(&path);
            if self.is_as_it_was(&path, &metadata, &were) {
                continue;
            }
            let is_small = metadata.is_file() && metadata.len() <= MAX_COMPARED;
            if let Some(converter) = converter.as_mut().filter(|_| is_small && !deadline.has_passed())
                && is_stored_as_one_of(converter, &path, &file, &were)
            {
                continue;
            }
            if were.is_empty() {
                new.push(moves::Arrival { at: compared.len(), path: path.clone(), file, metadata });
            }
            let before = self.chain(&path, &were);
            compared.push(Target { before, ..target });
        }
        self.find_moved(&mut compared, &new, deadline);
        compared
    }

    /// The number of files that git tracks at or below these paths of the project, none of which is below another.
    pub(in crate::source) fn tracked_below(&self, paths: &[RelPath]) -> usize {
        let index = &self.known.index;
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

    /// What stood at a path before.
    fn were(&self, path: &[u8]) -> Vec<Entry> {
        let staged = self.known.staged(path);
        let mut were: Vec<Entry> = Vec::new();
        if let Reference::Command(since) = self.reference {
            match staged {
                Some(entry) if was_staged_before(entry, since) => return vec![Entry::of_index(entry)],
                Some(_) => {}
                None => {
                    let ours = self.known.index.entry_by_path_and_stage(path.as_bstr(), Stage::Ours);
                    were.extend(ours.map(Entry::of_index));
                }
            }
        }
        for past in &self.known.pasts {
            let was = match past.change(path) {
                Some(change) => change.was,
                None => past.gone(path).or_else(|| match staged {
                    Some(entry) => Some(Entry::of_index(entry)),
                    None => self.in_sparse_directory(past, path),
                }),
            };
            were.extend(was.filter(|was| !were.contains(was)));
        }
        were
    }

    /// What stands in a tree at a path that the index has only as part of a directory.
    fn in_sparse_directory(&self, past: &Past, path: &[u8]) -> Option<Entry> {
        let Self { repository, known, .. } = self;
        if !known.index.is_sparse() {
            return None;
        }
        let tree = repository.git.find_tree(past.tree).ok()?;
        let entry = tree.lookup_entry_by_path(native(path)?).ok()??;
        Some(Entry { id: entry.object_id(), kind: entry.mode().kind() })
    }

    fn is_as_it_was(&self, path: &[u8], metadata: &Metadata, were: &[Entry]) -> bool {
        let Some(entry) = self.known.staged(path) else { return false };
        let staged = Entry::of_index(entry);
        were.iter().any(|was| was.id == staged.id) && self.known.is_as_staged(entry, metadata)
    }

    /// Targets for what stood at a path, each one as what the one before it was.
    fn chain(&self, path: &[u8], were: &[Entry]) -> Option<Box<Target>> {
        let path = self.repository.project_path(path)?;
        were.iter().rev().fold(None, |before, was| {
            let target = Target::new(path.clone(), content(&self.repository, *was));
            Some(Box::new(Target { before, ..target }))
        })
    }

    /// Gives files that were nowhere what they were elsewhere: as git sees it in the index, or else on disk.
    fn find_moved(&self, targets: &mut [Target], new: &[moves::Arrival], deadline: Deadline) {
        if new.is_empty() {
            return;
        }
        let changes = self.known.pasts.iter().map(|past| &past.changes);
        let staged: Vec<renames::Moved<'_>> =
            changes.map(|changes| renames::find(&self.repository, changes, Renames::Similar)).collect();
        let mut rest = Vec::new();
        for arrival in new {
            match staged.iter().find_map(|moved| moved.get(arrival.path.as_slice())) {
                Some((path, was)) => targets[arrival.at].before = self.chain(path, &[*was]),
                None => rest.push(arrival),
            }
        }
        for (arrival, from) in moves::find(&self.repository, &self.known.index, &rest, deadline) {
            targets[arrival.at].before = self.chain(&from, &self.were(&from));
        }
    }

    /// May git store files of this worktree in another form than they have?
    fn converts(&self) -> bool {
        let Self { repository, known, .. } = self;
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

/// Would git store the file as one of these?
fn is_stored_as_one_of(converter: &mut ToGit<'_>, path: &[u8], file: &Path, were: &[Entry]) -> bool {
    let is_blob = |was: &&Entry| matches!(was.kind, EntryKind::Blob | EntryKind::BlobExecutable);
    let mut blobs = were.iter().filter(is_blob).peekable();
    if blobs.peek().is_none() {
        return false;
    }
    let Ok(bytes) = fs::read(file) else { return false };
    blobs.any(|was| is_object(&bytes, was.id) || converter.gives(path, &bytes, was.id))
}

/// Was an entry of the index made of a file that was not written since? It is not known of one without a time.
fn was_staged_before(entry: &gix::index::Entry, since: SystemTime) -> bool {
    let changed = entry.stat.ctime;
    changed != entry::stat::Time::default() && SystemTime::from(changed) < since
}

/// What the index remembers of a file.
#[cfg(unix)]
fn stat(metadata: &Metadata) -> Option<Stat> {
    use std::os::unix::fs::MetadataExt as _;
    // Only the lower bits of large values are kept, as git does.
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

/// What the index remembers of a file is not known here.
#[cfg(not(unix))]
fn stat(_: &Metadata) -> Option<Stat> {
    None
}

/// The number of a file in its file system, as the index has it.
pub(super) fn inode(metadata: &Metadata) -> Option<u32> {
    stat(metadata).map(|stat| stat.ino).filter(|&inode| inode != 0)
}
