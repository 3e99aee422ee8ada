//! The commits from `HEAD` back along first parents, and the differences from one sampled commit to the next.
//!
//! Trees are compared pairwise, so only the newest one is listed in full, and blobs are named but not read. Where the
//! history ends early (a shallow clone, a missing object), and what is not followed, is noted.

use std::collections::BTreeSet;
use std::fmt;
use std::thread;
use std::time::SystemTime;

use gix::ObjectId;
use gix::objs::TreeRefIter;
use gix::objs::tree::EntryKind;

use super::compare::{self, TreeChange, TreeChanges, TreeEntry};
use super::repository::{ConfigSource, ProjectNesting, Repository};
use super::{Blob, Collection, GitError, GitLocation, Renames};
use crate::path::{RelPath, Root};
use crate::source::change::ChangeSet;
use crate::source::view::ListedFiles;
use crate::source::{Content, Targets};
use phaser_core::skipped::SkipReason;

mod walk;

pub use walk::{Every, HistoryReach};

use walk::{CommitWalk, Parent, VisitedCommit};

/// Which commits to sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommitSelection {
    /// How far back.
    pub reach: HistoryReach,
    /// How many of those.
    pub every: Every,
}

/// The sampled commits of a project.
#[derive(Debug)]
pub struct CommitHistory {
    /// The commits, newest first.
    pub commits: Vec<Commit>,
    /// The files of the newest commit.
    pub files: Vec<CommittedFile>,
    /// For each further commit, the differences from the next newer one.
    pub steps: Vec<Vec<Difference>>,
    /// Whether the repository contains the whole project.
    pub has_all: bool,
    /// Where the history is incomplete.
    pub notes: Vec<HistoryNote>,
}

/// A sampled commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The full id.
    pub id: String,
    /// The committer time, in seconds since 1970.
    pub time: i64,
    /// The date, as `2026-01-31`, in UTC.
    pub date: String,
    /// The first line of the message.
    pub subject: String,
    /// The number of commits from this one to the next older sample, at least 1.
    pub stands_for: usize,
}

impl Commit {
    /// The first ten digits of the id.
    pub fn short_id(&self) -> &str {
        self.id.get(..10).unwrap_or(&self.id)
    }
}

/// A file of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedFile {
    /// The path.
    pub path: RelPath,
    /// The content.
    pub stored: Stored,
}

/// The content of a file in a commit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Stored {
    /// A regular file.
    File(Blob),
    /// A symbolic link.
    Link,
}

impl Stored {
    /// The content of a target.
    pub fn content(&self) -> Content {
        match self {
            Self::File(blob) => Content::Blob(blob.clone()),
            Self::Link => Content::Opaque(SkipReason::Link),
        }
    }
}

/// A path at which two commits differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The path.
    pub path: RelPath,
    /// The file in the newer commit.
    pub newer: Option<Stored>,
    /// The file in the older commit.
    pub older: Option<Stored>,
}

/// Reads the history of a project. Compares trees on up to `threads` threads.
pub fn past(
    root: &Root,
    location: &GitLocation,
    wanted: CommitSelection,
    threads: usize,
) -> Result<CommitHistory, GitError> {
    let repository = Repository::open(root, location, ConfigSource::Repository)?.with_caches();
    let CommitWalk { visited, mut notes } = walk::walk(&repository, wanted.reach)?;
    let mut notes_here = of_repository(&repository);
    notes.append(&mut notes_here);
    let part = match &repository.nesting {
        ProjectNesting::WorktreeInside(prefix) if !prefix.is_empty() => {
            Some(RelPath::from_bytes(prefix.strip_suffix(b"/").unwrap_or(prefix)))
        }
        ProjectNesting::ProjectInside(_) | ProjectNesting::WorktreeInside(_) => None,
    };
    let has_all = part.is_none();
    notes.extend(part.map(HistoryNote::Part));
    let chosen = walk::sampled(&visited, wanted.every);
    let mut past =
        CommitHistory { commits: Vec::new(), files: Vec::new(), steps: Vec::new(), has_all, notes };
    let Some(&newest) = chosen.first() else { return Ok(past) };
    let mut reading = TreeReader { repository: &repository, submodules: BTreeSet::new() };
    past.files = reading.files(&visited[newest])?;
    let pairs: Vec<Pair> = chosen.windows(2).map(|pair| Pair::of(&visited, pair)).collect();
    let mut ends_at = chosen.len();
    for (at, changes) in all_changes(&repository, &pairs, threads).into_iter().enumerate() {
        match changes {
            Ok(changes) => past.steps.push(reading.differences(changes)),
            Err(error) => {
                past.notes.push(HistoryNote::Broken(error.to_string()));
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
        past.notes.push(HistoryNote::Submodules(reading.submodules.into_iter().collect()));
    }
    Ok(past)
}

/// A commit and its changes.
#[derive(Debug)]
pub struct CommitChanges {
    /// The commit.
    pub commit: Commit,
    /// The files that it changes, each with its previous version.
    pub targets: Targets,
    /// The change from its first parent, if it was asked for. Without a parent, every file is new.
    pub change: Option<ChangeSet>,
}

/// Whether commits come with their change, for contracts about changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WithChange {
    /// Yes.
    Yes,
    /// No.
    No,
}

/// Calls `visit` with each of the last `count` commits, newest first, compared with its first parent, and with the
/// total number of commits and a function that lists all its files.
pub fn each_change(
    root: &Root,
    location: &GitLocation,
    (count, with_change): (usize, WithChange),
    mut visit: impl FnMut(CommitChanges, usize, &dyn Fn() -> Result<ListedFiles, GitError>),
) -> Result<Vec<HistoryNote>, GitError> {
    let repository = Repository::open(root, location, ConfigSource::Repository)?.with_caches();
    let CommitWalk { visited, mut notes } = walk::walk(&repository, HistoryReach::Commits(count))?;
    let all = visited.len();
    for one in &visited {
        let changes = match one.parent {
            // The parent is not in this clone, so the changes are unknown.
            Parent::Beyond => {
                notes.push(HistoryNote::Shallow(one.id.to_string()));
                break;
            }
            Parent::Known(parent) => repository
                .commit_tree(parent)
                .and_then(|before| compare::trees(&repository, before, one.tree)),
            Parent::None => compare::files(&repository, b"", one.tree)
                .map(|present| TreeChanges { present, gone: Vec::new() }),
        };
        match changes {
            Ok(changes) => {
                let mut targets = Collection::of(&repository, &changes, Renames::Similar);
                targets.targets.extend(super::messages::target_of(&repository, one.id, &changes)?);
                let base = match one.parent {
                    Parent::Known(parent) => Some(repository.commit_tree(parent)?),
                    Parent::None | Parent::Beyond => None,
                };
                let change = match with_change {
                    WithChange::Yes => {
                        Some(super::change::change_of_commit(&repository, (base, one.tree), &changes)?)
                    }
                    WithChange::No => None,
                };
                let files = || Ok(super::listed(&repository, &compare::files(&repository, b"", one.tree)?));
                let changes = CommitChanges { commit: walk::commit(&repository, one, 1), targets, change };
                visit(changes, all, &files);
            }
            Err(error) => {
                notes.push(HistoryNote::Broken(error.to_string()));
                break;
            }
        }
    }
    notes.dedup();
    notes.extend(of_repository(&repository));
    Ok(notes)
}

/// Notes about a repository that hold for all its commits.
fn of_repository(repository: &Repository) -> Vec<HistoryNote> {
    let mut notes = Vec::new();
    let references = repository.git.references();
    let replaced = references.and_then(|all| Ok(all.prefixed(b"refs/replace/")?.count()));
    if let Ok(count @ 1..) = replaced {
        notes.push(HistoryNote::Replaced(count));
    }
    let grafts = repository.git.common_dir().join("info/grafts");
    if grafts.metadata().is_ok_and(|file| file.is_file() && file.len() > 0) {
        notes.push(HistoryNote::Grafted);
    }
    notes
}

/// The trees of two adjacent samples.
#[derive(Debug, Clone, Copy)]
struct Pair {
    newer: ObjectId,
    older: ObjectId,
}

impl Pair {
    fn of(visited: &[VisitedCommit], pair: &[usize]) -> Self {
        let tree = |at: usize| visited[pair[at]].tree;
        Self { newer: tree(0), older: tree(1) }
    }
}

/// Compares each pair. Adjacent pairs share trees, so each thread takes a contiguous run of them.
fn all_changes(
    repository: &Repository,
    pairs: &[Pair],
    threads: usize,
) -> Vec<Result<TreeChanges, GitError>> {
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

/// The project's directory in the repository, empty or with a final `/`.
fn project_prefix(repository: &Repository) -> &[u8] {
    match &repository.nesting {
        ProjectNesting::ProjectInside(prefix) => prefix,
        ProjectNesting::WorktreeInside(_) => b"",
    }
}

/// The tree of the project's directory in the tree of a commit.
fn project_tree(repository: &Repository, commit: ObjectId) -> Result<Option<ObjectId>, GitError> {
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

/// Turns tree entries into files of the project, and collects submodules.
struct TreeReader<'a> {
    repository: &'a Repository,
    submodules: BTreeSet<RelPath>,
}

impl TreeReader<'_> {
    /// All files of a commit.
    fn files(&mut self, commit: &VisitedCommit) -> Result<Vec<CommittedFile>, GitError> {
        let Some(tree) = project_tree(self.repository, commit.tree)? else { return Ok(Vec::new()) };
        let present = compare::files(self.repository, project_prefix(self.repository), tree)?;
        let files = present.into_iter().filter_map(|TreeChange { path, now, .. }| {
            let path = self.repository.project_path(&path)?;
            let stored = self.stored(&path, now)?;
            Some(CommittedFile { path, stored })
        });
        Ok(files.collect())
    }

    /// The differences, from the changes that turn the newer commit into the older one.
    fn differences(&mut self, TreeChanges { present, gone }: TreeChanges) -> Vec<Difference> {
        let changed = present.into_iter().map(|TreeChange { path, now, was }| (path, was, Some(now)));
        let gone = gone.into_iter().map(|(path, was)| (path, Some(was), None));
        let differences = changed.chain(gone).filter_map(|(path, newer, older)| {
            let path = self.repository.project_path(&path)?;
            let newer = newer.and_then(|entry| self.stored(&path, entry));
            let older = older.and_then(|entry| self.stored(&path, entry));
            (newer != older).then_some(Difference { path, newer, older })
        });
        differences.collect()
    }

    /// The file at an entry. A submodule is not a file; it is recorded.
    fn stored(&mut self, path: &RelPath, entry: TreeEntry) -> Option<Stored> {
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

/// A way in which a history is incomplete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HistoryNote {
    /// It ends at this commit because the clone is shallow.
    Shallow(String),
    /// It ends because an object cannot be read.
    Broken(String),
    /// The number of objects with a replacement (`git replace`), which is not followed.
    Replaced(usize),
    /// There are grafts, which are not followed.
    Grafted,
    /// Submodules, which are not searched.
    Submodules(Vec<RelPath>),
    /// The repository is this directory of the project.
    Part(RelPath),
}

impl HistoryNote {
    /// Whether something could not be read.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Broken(_))
    }

    /// Whether the history ends early.
    pub fn is_end(&self) -> bool {
        matches!(self, Self::Broken(_) | Self::Shallow(_))
    }
}

impl fmt::Display for HistoryNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shallow(id) => write!(
                f,
                "the history ends at {id}, because this clone is shallow; get the rest with `git fetch --unshallow` \
                 (GitHub Actions: `fetch-depth: 0` for actions/checkout)"
            ),
            Self::Broken(what) => write!(f, "older commits skipped: {what}"),
            Self::Replaced(count) => {
                let s = if *count == 1 { "" } else { "s" };
                write!(f, "{count} object{s} with a replacement (`git replace`) counted as committed")
            }
            Self::Grafted => f.write_str("the file info/grafts is not followed: parents are as committed"),
            Self::Submodules(paths) => {
                let names: Vec<_> = paths.iter().take(3).map(ToString::to_string).collect();
                let more = if paths.len() > names.len() { ", …" } else { "" };
                let s = if paths.len() == 1 { "" } else { "s" };
                write!(f, "{} submodule{s} not searched: {}{more}", paths.len(), names.join(", "))
            }
            Self::Part(path) => {
                write!(
                    f,
                    "only {path} is in the repository: contracts about the whole project are not checked"
                )
            }
        }
    }
}

/// Parses a date in any format that git accepts, in seconds since 1970. Relative dates count from `now`.
///
/// # Errors
///
/// The expected formats, if `text` is not a date.
pub fn seconds_of(text: &str, now: SystemTime) -> Result<i64, String> {
    let text = text.trim();
    // gix parses a numeric offset but no `Z`.
    let in_numbers =
        text.strip_suffix(['Z', 'z']).filter(|rest| rest.ends_with(|c: char| c.is_ascii_digit()));
    let in_numbers = in_numbers.map(|rest| format!("{rest}+00:00"));
    let parsed = gix::date::parse(in_numbers.as_deref().unwrap_or(text), now.try_into().ok());
    parsed
        .map(|time| time.seconds)
        .map_err(|_| "write a date such as 2026-01-31, 2026-01-31T12:00:00Z or '6 weeks ago'".to_owned())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const DAY: i64 = 24 * 60 * 60;

    fn at(text: &str) -> Result<i64, String> {
        // 2026-01-31, noon.
        seconds_of(text, SystemTime::UNIX_EPOCH + Duration::from_secs(1_769_860_800))
    }

    #[test]
    fn dates_are_read_as_git_reads_them() {
        let day = 1_769_817_600;
        for (text, expected) in [
            ("2026-01-31", day),
            ("2026-01-31T12:00:00Z", day + DAY / 2),
            ("2026-01-31T12:00:00+00:00", day + DAY / 2),
            ("2026-01-31T12:00:00+02:00", day + DAY / 2 - 7200),
            ("2026-01-31 12:00:00 +0000", day + DAY / 2),
            ("1969-12-31", -DAY),
            ("@0", 0),
            (" 1 day ago ", day + DAY / 2 - DAY),
            ("2 weeks ago", day + DAY / 2 - 14 * DAY),
            ("2.weeks.ago", day + DAY / 2 - 14 * DAY),
            ("1 year ago", day + DAY / 2 - 365 * DAY),
            ("yesterday", day + DAY / 2 - DAY),
        ] {
            assert_eq!(at(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn explains_date_formats_on_error() {
        for text in ["", "soon", "2026-13-01", "2026-02-30", "week", "Z", "--", "1e9", "🦀"] {
            let error = at(text).expect_err(text);
            assert!(error.starts_with("write a date such as 2026-01-31"), "{text}: {error}");
        }
    }
}
