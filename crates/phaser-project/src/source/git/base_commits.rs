//! Finds the commits that hold the previous versions of files: those before a command, or the last commit.
//!
//! A command's own commits are its work, but what it checks out, pulls or merges is not. So the bases of a command
//! are
//!
//! - the commit that `HEAD` was before the command, by the reflog,
//! - on every path back from `HEAD`, the newest commit that is older than the command, by committer time,
//! - during a merge or rebase, the same for the other side.
//!
//! Example: `git pull` at 10:00 moves `HEAD` from A to a merge M of A and P. M was made after 10:00, so the search
//! goes on to its parents: A and P (committed at 9:30) are the bases. Files that came with P are not new.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::time::SystemTime;

use gix::ObjectId;

use super::GitError;
use super::repository::Repository;

/// The limit on commits and reflog entries visited for one command.
const MAX_VISITED: usize = 1000;

/// The limit on bases.
const MAX_BASES: usize = 8;

/// The largest file of commit ids that is read, in bytes.
const MAX_NAMES: u64 = 4096;

/// The trees of the bases of a command that started at `since`. The first is the one that was checked out.
pub(super) fn of_command(repository: &Repository, since: SystemTime) -> Result<Vec<ObjectId>, GitError> {
    let seconds = since.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let since_seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
    let head = repository.head()?;
    let log = ReflogSummary::read(repository, since, since_seconds);
    let mut bases: Vec<ObjectId> = log.head_before.into_iter().collect();
    add_older(repository, head.into_iter().chain(under_way(repository)), since_seconds, &mut bases);
    if log.has_rebased {
        bases.extend(named_in(repository, "ORIG_HEAD"));
    }
    trees(repository, head, bases)
}

/// The trees of `HEAD` and of the commits being merged into it.
pub(super) fn of_last_commit(repository: &Repository) -> Result<Vec<ObjectId>, GitError> {
    let head = repository.head()?;
    trees(repository, head, head.into_iter().chain(under_way(repository)).collect())
}

/// The trees of commits, without duplicates. `HEAD` must be readable; others may be missing.
fn trees(
    repository: &Repository,
    head: Option<ObjectId>,
    commits: Vec<ObjectId>,
) -> Result<Vec<ObjectId>, GitError> {
    let mut trees = Vec::new();
    for commit in commits {
        match repository.commit_tree(commit) {
            Ok(tree) if trees.contains(&tree) => {}
            Ok(tree) => trees.push(tree),
            Err(error) if Some(commit) == head => return Err(error),
            Err(_) => {}
        }
        if trees.len() == MAX_BASES {
            break;
        }
    }
    Ok(trees)
}

/// The entries of `HEAD`'s reflog since a command started.
#[derive(Default)]
struct ReflogSummary {
    /// The commit before the command, if `HEAD` has moved.
    head_before: Option<ObjectId>,
    has_rebased: bool,
}

impl ReflogSummary {
    fn read(repository: &Repository, since: SystemTime, since_seconds: i64) -> Self {
        let mut found = Self::default();
        let file = fs::metadata(repository.git.git_dir().join("logs/HEAD"));
        let is_recent =
            |file: fs::Metadata| file.is_file() && file.modified().is_ok_and(|time| time >= since);
        let (true, Ok(head)) = (file.is_ok_and(is_recent), repository.git.head()) else { return found };
        let mut log = head.log_iter();
        let Ok(Some(lines)) = log.rev() else { return found };
        for line in lines.take(MAX_VISITED).map_while(Result::ok) {
            if line.signature.time.seconds < since_seconds {
                break;
            }
            found.head_before = Some(line.previous_oid).filter(|id| !id.is_null());
            found.has_rebased |= line.message.starts_with(b"rebase");
        }
        found
    }
}

/// Adds, for every path back from `from`, the newest commit before `since_seconds`.
fn add_older(
    repository: &Repository,
    from: impl Iterator<Item = ObjectId>,
    since_seconds: i64,
    bases: &mut Vec<ObjectId>,
) {
    let mut seen: Vec<ObjectId> = Vec::new();
    let mut next: Vec<ObjectId> = from.collect();
    while let Some(id) = next.pop().filter(|_| seen.len() < MAX_VISITED && bases.len() < MAX_BASES) {
        if seen.contains(&id) || bases.contains(&id) {
            continue;
        }
        seen.push(id);
        let commit = repository.git.find_commit(id);
        let is_new = |commit: &gix::Commit<'_>| commit.time().is_ok_and(|time| time.seconds >= since_seconds);
        match commit.ok().filter(is_new) {
            Some(commit) => next.extend(commit.parent_ids().map(gix::Id::detach)),
            None => bases.push(id),
        }
    }
}

/// The other side of a merge or rebase in progress.
fn under_way(repository: &Repository) -> Vec<ObjectId> {
    let files = ["MERGE_HEAD", "rebase-merge/orig-head", "rebase-apply/orig-head"];
    files.into_iter().flat_map(|file| named_in(repository, file)).collect()
}

/// The commit ids in a file of the repository, one per line.
fn named_in(repository: &Repository, file: &str) -> Vec<ObjectId> {
    let text = read_small(&repository.git.git_dir().join(file)).unwrap_or_default();
    let lines = text.split(|&byte| byte == b'\n');
    lines.filter_map(|line| ObjectId::from_hex(line.trim_ascii()).ok()).take(MAX_BASES).collect()
}

fn read_small(path: &Path) -> Option<Vec<u8>> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = Vec::new();
    File::open(path).ok()?.take(MAX_NAMES).read_to_end(&mut text).ok()?;
    Some(text)
}
