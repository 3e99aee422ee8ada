//! Which commits hold what was there before: before a command, or at the last commit.
//!
//! What a command commits is its own work, but what it checks out, pulls or merges is not. So the commits that count are
//! the newest ones that the command did not make (by the committer's time) on every way back from `HEAD`, and the one that
//! `HEAD` was before, as the reflog has it. While a merge or a rebase is under way, the other side counts, too. Without
//! a reflog it is the ways back alone.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::time::SystemTime;

use gix::ObjectId;

use super::Error;
use super::repository::Repository;

/// How many commits of one command, and entries of the reflog, are looked through.
const MAX_LOOKED_AT: usize = 1000;

/// How many commits count at most.
const MAX_PASTS: usize = 8;

/// The longest file with the names of commits that is read, in bytes.
const MAX_NAMES: u64 = 4096;

/// The trees of the commits from before a command that began at this time. The first one is what was checked out.
pub(super) fn of_command(repository: &Repository, since: SystemTime) -> Result<Vec<ObjectId>, Error> {
    let seconds = since.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let since_seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
    let head = repository.head()?;
    let log = Log::read(repository, since, since_seconds);
    let mut pasts: Vec<ObjectId> = log.head_before.into_iter().collect();
    add_older(repository, head.into_iter().chain(under_way(repository)), since_seconds, &mut pasts);
    if log.has_rebased {
        pasts.extend(named_in(repository, "ORIG_HEAD"));
    }
    trees(repository, head, pasts)
}

/// The tree of the last commit, and of those that are being merged into it.
pub(super) fn of_last_commit(repository: &Repository) -> Result<Vec<ObjectId>, Error> {
    let head = repository.head()?;
    trees(repository, head, head.into_iter().chain(under_way(repository)).collect())
}

/// The trees of commits. That of `HEAD` must be readable; others may be lost.
fn trees(
    repository: &Repository,
    head: Option<ObjectId>,
    commits: Vec<ObjectId>,
) -> Result<Vec<ObjectId>, Error> {
    let mut trees = Vec::new();
    for commit in commits {
        match repository.commit_tree(commit) {
            Ok(tree) if trees.contains(&tree) => {}
            Ok(tree) => trees.push(tree),
            Err(error) if Some(commit) == head => return Err(error),
            Err(_) => {}
        }
        if trees.len() == MAX_PASTS {
            break;
        }
    }
    Ok(trees)
}

/// What the reflog of `HEAD` says about a command.
#[derive(Default)]
struct Log {
    /// The commit before the command, if `HEAD` has moved since.
    head_before: Option<ObjectId>,
    has_rebased: bool,
}

impl Log {
    fn read(repository: &Repository, since: SystemTime, since_seconds: i64) -> Self {
        let mut found = Self::default();
        let file = fs::metadata(repository.git.git_dir().join("logs/HEAD"));
        let is_recent =
            |file: fs::Metadata| file.is_file() && file.modified().is_ok_and(|time| time >= since);
        let (true, Ok(head)) = (file.is_ok_and(is_recent), repository.git.head()) else { return found };
        let mut log = head.log_iter();
        let Ok(Some(lines)) = log.rev() else { return found };
        for line in lines.take(MAX_LOOKED_AT).map_while(Result::ok) {
            if line.signature.time.seconds < since_seconds {
                break;
            }
            found.head_before = Some(line.previous_oid).filter(|id| !id.is_null());
            found.has_rebased |= line.message.starts_with(b"rebase");
        }
        found
    }
}

/// Adds the newest commits that are older than this time on every way back from `from`.
fn add_older(
    repository: &Repository,
    from: impl Iterator<Item = ObjectId>,
    since_seconds: i64,
    pasts: &mut Vec<ObjectId>,
) {
    let mut seen: Vec<ObjectId> = Vec::new();
    let mut next: Vec<ObjectId> = from.collect();
    while let Some(id) = next.pop().filter(|_| seen.len() < MAX_LOOKED_AT && pasts.len() < MAX_PASTS) {
        if seen.contains(&id) || pasts.contains(&id) {
            continue;
        }
        seen.push(id);
        let commit = repository.git.find_commit(id);
        let is_new = |commit: &gix::Commit<'_>| commit.time().is_ok_and(|time| time.seconds >= since_seconds);
        match commit.ok().filter(is_new) {
            Some(commit) => next.extend(commit.parent_ids().map(gix::Id::detach)),
            None => pasts.push(id),
        }
    }
}

/// The commits on the other side of what is under way: of a merge, or of a rebase.
fn under_way(repository: &Repository) -> Vec<ObjectId> {
    let files = ["MERGE_HEAD", "rebase-merge/orig-head", "rebase-apply/orig-head"];
    files.into_iter().flat_map(|file| named_in(repository, file)).collect()
}

/// The commits that a file of the repository names, one on each line.
fn named_in(repository: &Repository, file: &str) -> Vec<ObjectId> {
    let text = read_small(&repository.git.git_dir().join(file)).unwrap_or_default();
    let lines = text.split(|&byte| byte == b'\n');
    lines.filter_map(|line| ObjectId::from_hex(line.trim_ascii()).ok()).take(MAX_PASTS).collect()
}

fn read_small(path: &Path) -> Option<Vec<u8>> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = Vec::new();
    File::open(path).ok()?.take(MAX_NAMES).read_to_end(&mut text).ok()?;
    Some(text)
}
