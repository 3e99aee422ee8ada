//! The past of a project: the commits on the way back from `HEAD` along first parents, those of them that are looked at,
//! and what differs from one to the next.
//!
//! Trees are compared commit to commit and never listed anew, and blobs are named, not read. Where the past ends before it
//! should (a shallow clone, a missing object), and what is not followed, is noted.

use std::collections::BTreeSet;
use std::thread;

use gix::ObjectId;
use gix::objs::TreeRefIter;
use gix::objs::tree::EntryKind;

use super::compare::{self, Change, Changes, Entry};
use super::repository::{Configuration, Nesting, Repository};
use super::{Blob, Collection, Error, Location, Renames};
use crate::path::{RelPath, Root};
use crate::source::{Content, Targets};
use phaser_core::skipped::Why;

mod note;
mod walk;
mod when;

pub use note::Note;
pub use walk::{Every, Reach};
pub use when::seconds_of;

use walk::{Parent, Visited, Walked};

/// Which commits are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// How far back.
    pub reach: Reach,
    /// How many of those.
    pub every: Every,
}

/// The past of a project.
#[derive(Debug)]
pub struct Past {
    /// The commits that are looked at, the newest first.
    pub commits: Vec<Commit>,
    /// The files of the newest one.
    pub files: Vec<File>,
    /// For each further commit, what is different in it from the one before it in the list.
    pub steps: Vec<Vec<Difference>>,
    /// Does the repository hold the whole project?
    pub extent: Extent,
    /// What there is to say about it.
    pub notes: Vec<Note>,
}

/// A commit that is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Its id, in full.
    pub id: String,
    /// When it was made, in seconds since 1970.
    pub time: i64,
    /// The day of that, as `2026-01-31`, in UTC.
    pub date: String,
    /// The first line of its message.
    pub subject: String,
    /// How many commits it stands for: itself, and those before it up to the next older one that is looked at.
    pub stands_for: usize,
}

impl Commit {
    /// Its id as people write it.
    pub fn short_id(&self) -> &str {
        self.id.get(..10).unwrap_or(&self.id)
    }
}

/// A file of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its path.
    pub path: RelPath,
    /// What stands there.
    pub stored: Stored,
}

/// What stands at a path of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Stored {
    /// A regular file.
    File(Blob),
    /// A symbolic link.
    Link,
}

impl Stored {
    /// As the content of a target.
    pub fn content(&self) -> Content {
        match self {
            Self::File(blob) => Content::Blob(blob.clone()),
            Self::Link => Content::Opaque(Why::Link),
        }
    }
}

/// A path where two commits differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The path.
    pub path: RelPath,
    /// What stands there in the newer commit, if it is a file.
    pub newer: Option<Stored>,
    /// What stands there in the older one.
    pub older: Option<Stored>,
}

/// How much of a project a repository holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Whole,
    /// A directory of it.
    Part,
}

/// The past of a project, read on up to so many threads.
pub fn past(root: &Root, location: &Location, wanted: Wanted, threads: usize) -> Result<Past, Error> {
    let repository = Repository::open(root, location, Configuration::Repository)?.with_caches();
    let Walked { visited, mut notes } = walk::walk(&repository, wanted.reach)?;
    let mut notes_here = of_repository(&repository);
    notes.append(&mut notes_here);
    let (extent, part) = match &repository.nesting {
        Nesting::WorktreeInside(prefix) if !prefix.is_empty() => {
            (Extent::Part, Some(RelPath::from_bytes(prefix.strip_suffix(b"/").unwrap_or(prefix))))
        }
        Nesting::ProjectInside(_) | Nesting::WorktreeInside(_) => (Extent::Whole, None),
    };
    notes.extend(part.map(Note::Part));
    let chosen = walk::sampled(&visited, wanted.every);
    let mut past = Past { commits: Vec::new(), files: Vec::new(), steps: Vec::new(), extent, notes };
    let Some(&newest) = chosen.first() else { return Ok(past) };
    let mut reading = Reading { repository: &repository, submodules: BTreeSet::new() };
    past.files = reading.files(&visited[newest])?;
    let pairs: Vec<Pair> = chosen.windows(2).map(|pair| Pair::of(&visited, pair)).collect();
    let mut ends_at = chosen.len();
    for (at, changes) in all_changes(&repository, &pairs, threads).into_iter().enumerate() {
        match changes {
            Ok(changes) => past.steps.push(reading.differences(changes)),
            Err(error) => {
                past.notes.push(Note::Broken(error.to_string()));
                ends_at = at + 1;
                break;
            }
        }
    }
    let chosen = &chosen[..ends_at];
    let next = chosen.iter().skip(1).copied().chain([visited.len()]);
    past.commits = chosen
        .iter()
        .zip(next)
        .map(|(&at, next)| walk::commit(&repository, &visited[at], next.min(visited.len()) - at))
        .collect();
    if !reading.submodules.is_empty() {
        past.notes.push(Note::Submodules(reading.submodules.into_iter().collect()));
    }
    Ok(past)
}

/// A commit, with what it changes.
#[derive(Debug)]
pub struct Changed {
    /// The commit.
    pub commit: Commit,
    /// The files that it changes, each with its text before.
    pub targets: Targets,
}

/// What each of the last `count` commits changes in its first parent, the newest first. Gives each to `look`, together with
/// how many there are.
pub fn each_change(
    root: &Root,
    location: &Location,
    count: usize,
    mut look: impl FnMut(Changed, usize),
) -> Result<Vec<Note>, Error> {
    let repository = Repository::open(root, location, Configuration::Repository)?.with_caches();
    let Walked { visited, mut notes } = walk::walk(&repository, Reach::Commits(count))?;
    let all = visited.len();
    for one in &visited {
        let changes = match one.parent {
            // What it changes cannot be told.
            Parent::Beyond => {
                notes.push(Note::Shallow(one.id.to_string()));
                break;
            }
            Parent::Known(parent) => repository
                .commit_tree(parent)
                .and_then(|before| compare::trees(&repository, before, one.tree)),
            Parent::None => compare::files(&repository, b"", one.tree)
                .map(|present| Changes { present, gone: Vec::new() }),
        };
        match changes {
            Ok(changes) => {
                let targets = Collection::of(&repository, &changes, Renames::Similar);
                look(Changed { commit: walk::commit(&repository, one, 1), targets }, all);
            }
            Err(error) => {
                notes.push(Note::Broken(error.to_string()));
                break;
            }
        }
    }
    notes.dedup();
    notes.extend(of_repository(&repository));
    Ok(notes)
}

/// What there is to say about a repository, whatever commits are looked at.
fn of_repository(repository: &Repository) -> Vec<Note> {
    let mut notes = Vec::new();
    let references = repository.git.references();
    let replaced = references.and_then(|all| Ok(all.prefixed(b"refs/replace/")?.count()));
    if let Ok(count @ 1..) = replaced {
        notes.push(Note::Replaced(count));
    }
    let grafts = repository.git.common_dir().join("info/grafts");
    if grafts.metadata().is_ok_and(|file| file.is_file() && file.len() > 0) {
        notes.push(Note::Grafted);
    }
    notes
}

/// The trees of two commits that are looked at one after the other.
#[derive(Debug, Clone, Copy)]
struct Pair {
    newer: ObjectId,
    older: ObjectId,
}

impl Pair {
    fn of(visited: &[Visited], pair: &[usize]) -> Self {
        let tree = |at: usize| visited[pair[at]].tree;
        Self { newer: tree(0), older: tree(1) }
    }
}

/// What differs in the older of each pair. Neighbours are compared by the same thread, because they share trees.
fn all_changes(repository: &Repository, pairs: &[Pair], threads: usize) -> Vec<Result<Changes, Error>> {
    let one = |repository: &Repository, pair: &Pair| {
        let newer = project_tree(repository, pair.newer)?;
        let older = project_tree(repository, pair.older)?;
        compare::directories(repository, project_prefix(repository), newer, older)
    };
    let threads = threads.clamp(1, pairs.len().max(1));
    if threads == 1 {
        return pairs.iter().map(|pair| one(repository, pair)).collect();
    }
    let shares = pairs.chunks(pairs.len().div_ceil(threads));
    thread::scope(|scope| {
        let spawn = |share: &'_ [Pair]| {
            let repository = repository.another().with_caches();
            let share = share.to_vec();
            scope.spawn(move || share.iter().map(|pair| one(&repository, pair)).collect::<Vec<_>>())
        };
        let running: Vec<_> = shares.map(spawn).collect();
        let ended = running.into_iter().map(|thread| match thread.join() {
            Ok(changes) => changes,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        ended.flatten().collect()
    })
}

/// The directory of the project in the repository, empty or with a final `/`.
fn project_prefix(repository: &Repository) -> &[u8] {
    match &repository.nesting {
        Nesting::ProjectInside(prefix) => prefix,
        Nesting::WorktreeInside(_) => b"",
    }
}

/// The tree of the project in that of a commit, if it is there.
fn project_tree(repository: &Repository, commit: ObjectId) -> Result<Option<ObjectId>, Error> {
    let mut tree = commit;
    let mut path = Vec::new();
    for name in project_prefix(repository).split(|&byte| byte == b'/').filter(|name| !name.is_empty()) {
        let bytes = repository.tree(tree, &path)?;
        let entries = TreeRefIter::from_bytes(&bytes, repository.git.object_hash());
        let found = entries.filter_map(Result::ok).find(|entry| entry.filename == name);
        match found.filter(|entry| entry.mode.is_tree()) {
            Some(entry) => tree = entry.oid.to_owned(),
            None => return Ok(None),
        }
        path.extend_from_slice(name);
        path.push(b'/');
    }
    Ok(Some(tree))
}

/// Makes files of the project of what trees hold.
struct Reading<'a> {
    repository: &'a Repository,
    submodules: BTreeSet<RelPath>,
}

impl Reading<'_> {
    /// All files of a commit.
    fn files(&mut self, commit: &Visited) -> Result<Vec<File>, Error> {
        let Some(tree) = project_tree(self.repository, commit.tree)? else { return Ok(Vec::new()) };
        let present = compare::files(self.repository, project_prefix(self.repository), tree)?;
        let files = present.into_iter().filter_map(|Change { path, now, .. }| {
            let path = self.repository.project_path(&path)?;
            let stored = self.stored(&path, now)?;
            Some(File { path, stored })
        });
        Ok(files.collect())
    }

    /// What differs, from the changes that make the newer commit the older one.
    fn differences(&mut self, Changes { present, gone }: Changes) -> Vec<Difference> {
        let changed = present.into_iter().map(|Change { path, now, was }| (path, was, Some(now)));
        let gone = gone.into_iter().map(|(path, was)| (path, Some(was), None));
        let differences = changed.chain(gone).filter_map(|(path, newer, older)| {
            let path = self.repository.project_path(&path)?;
            let newer = newer.and_then(|entry| self.stored(&path, entry));
            let older = older.and_then(|entry| self.stored(&path, entry));
            (newer != older).then_some(Difference { path, newer, older })
        });
        differences.collect()
    }

    /// What stands at a path, if it is a file. A submodule is a directory, which is noted.
    fn stored(&mut self, path: &RelPath, entry: Entry) -> Option<Stored> {
        match entry.kind {
            EntryKind::Blob | EntryKind::BlobExecutable => {
                Some(Stored::File(self.repository.objects.blob(entry.id)))
            }
            EntryKind::Link => Some(Stored::Link),
            EntryKind::Commit => {
                self.submodules.insert(path.clone());
                None
            }
            EntryKind::Tree => None,
        }
    }
}
