//! Finds the commits that hold the previous versions of files: those before a command or a turn, or the last commit.
//!
//! Commits made in that time are its work, but what it checks out, pulls or merges is not. So the bases are
//!
//! - the commit that `HEAD` was before, by the reflog,
//! - on every path back from `HEAD`, the newest commit that was not made in that time,
//! - during a merge or rebase, the same for the other side.
//!
//! A commit was made in that time if its committer time is in it, or if its object was written then (a committer time can
//! be set at will), unless it was fetched: a remote-tracking branch or `FETCH_HEAD` has it, and the reflog of `HEAD` does
//! not record that it was made here. A commit that was made here and pushed is thus still the work of the turn.
//!
//! Example: `git pull` at 10:00 moves `HEAD` from A to a merge M of A and P. M was made after 10:00, so the search
//! goes on to its parents: A and P (committed at 9:30) are the bases. Files that came with P are not new.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use gix::ObjectId;
use gix::bstr::ByteSlice as _;

use super::GitError;
use super::repository::Repository;
use crate::source::tree::changed_at;

/// The limit on commits and reflog entries visited.
const MAX_VISITED: usize = 1000;

/// The limit on bases.
const MAX_BASES: usize = 8;

/// The largest file of commit ids that is read, in bytes.
const MAX_NAMES: u64 = 4096;

/// The commits before a command or a turn.
pub(super) struct Bases {
    /// The trees with previous versions, without duplicates. The first is the one that was checked out.
    pub(super) trees: Vec<ObjectId>,
    /// The trees that enforcement may come from: the one that was checked out, and that of a branch switched to since.
    pub(super) checked_out: Vec<ObjectId>,
}

/// The bases of a command or turn that started at `since`.
pub(super) fn before(repository: &Repository, since: SystemTime) -> Result<Bases, GitError> {
    let head = repository.head()?;
    let window = Window::new(repository, since);
    let Moves { head_before, switched_to, has_rebased } = window.moves();
    let mut bases: Vec<ObjectId> = head_before.into_iter().collect();
    window.add_older(head.into_iter().chain(under_way(repository)), &mut bases);
    if has_rebased {
        bases.extend(named_in(repository, "ORIG_HEAD"));
    }
    let head_before = head_before.or_else(|| head.filter(|head| !window.is_made(*head)));
    let checked_out = head_before.into_iter().chain(switched_to).collect();
    Ok(Bases { trees: trees(repository, head, bases)?, checked_out: trees(repository, None, checked_out)? })
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

/// The time of a command or a turn, and which commits were made in it.
struct Window<'r> {
    repository: &'r Repository,
    since: SystemTime,
    seconds: i64,
    /// The entries of `HEAD`'s reflog in that time, newest first.
    log: Vec<LogEntry>,
    /// The commit of the newest entry before that time.
    logged_before: Option<ObjectId>,
    /// The fetched commits that may be from that time, found on first use.
    fetched: OnceCell<HashSet<ObjectId>>,
}

/// An entry of a reflog.
struct LogEntry {
    previous: ObjectId,
    new: ObjectId,
    message: Vec<u8>,
}

/// How `HEAD` moved in a [`Window`].
struct Moves {
    head_before: Option<ObjectId>,
    /// The commit of the branch that was switched to in the end, if it is another one and was there before.
    switched_to: Option<ObjectId>,
    has_rebased: bool,
}

impl<'r> Window<'r> {
    fn new(repository: &'r Repository, since: SystemTime) -> Self {
        let seconds = since.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
        let (log, fetched) = (Vec::new(), OnceCell::new());
        let mut window = Self { repository, since, seconds, log, logged_before: None, fetched };
        window.read_log();
        window
    }

    fn read_log(&mut self) {
        let is_file = |path: PathBuf| fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
        let git = &self.repository.git;
        let (true, Ok(head)) = (is_file(git.git_dir().join("logs/HEAD")), git.head()) else { return };
        let mut log = head.log_iter();
        let Ok(Some(lines)) = log.rev() else { return };
        for line in lines.take(MAX_VISITED).map_while(Result::ok) {
            if line.signature.time.seconds < self.seconds && !self.was_written(line.new_oid) {
                self.logged_before = Some(line.new_oid);
                break;
            }
            let (previous, new) = (line.previous_oid, line.new_oid);
            self.log.push(LogEntry { previous, new, message: line.message.to_vec() });
        }
    }

    fn moves(&self) -> Moves {
        let oldest = self.log.last();
        let switches = || self.log.iter().filter_map(|entry| Some((entry, switched(&entry.message)?)));
        let switched_to =
            switches().next().zip(switches().next_back()).and_then(|((last, to), (_, from))| {
                (to.1 != from.0 && !self.is_made(last.new)).then_some(last.new)
            });
        Moves {
            // A command can move `HEAD` without an entry, or start a history without a parent.
            head_before: oldest.map(|entry| entry.previous).filter(|id| !id.is_null()).or(self.logged_before),
            switched_to,
            has_rebased: self.log.iter().any(|entry| entry.message.starts_with(b"rebase")),
        }
    }

    /// Whether a commit was made in this time, here.
    fn is_made(&self, id: ObjectId) -> bool {
        let is_recent = |commit: &gix::Commit<'_>| self.may_be_made(commit);
        self.repository.git.find_commit(id).ok().as_ref().is_some_and(is_recent)
            && (self.is_made_here(id) || !self.fetched().contains(&id))
    }

    fn may_be_made(&self, commit: &gix::Commit<'_>) -> bool {
        commit.time().is_ok_and(|time| time.seconds >= self.seconds) || self.was_written(commit.id)
    }

    /// Whether the object has a file of its own that was written in this time.
    fn was_written(&self, id: ObjectId) -> bool {
        written_at(self.repository, id).is_some_and(|changed| changed >= self.since)
    }

    /// Whether the reflog records that git made this commit here.
    fn is_made_here(&self, id: ObjectId) -> bool {
        const MAKE: [&[u8]; 7] = [b"commit", b"merge", b"pull", b"rebase", b"cherry-pick", b"revert", b"am"];
        let makes = |message: &[u8]| {
            let lower = message.to_ascii_lowercase();
            MAKE.iter().any(|word| lower.starts_with(word))
                && ![&b"fast-forward"[..], b"(start)", b": checkout"]
                    .iter()
                    .any(|word| lower.contains_str(word))
        };
        self.log.iter().any(|entry| entry.new == id && makes(&entry.message))
    }

    fn fetched(&self) -> &HashSet<ObjectId> {
        self.fetched.get_or_init(|| {
            let mut found = HashSet::new();
            let git = &self.repository.git;
            let Ok(references) = git.references() else { return found };
            let Ok(remote) = references.remote_branches() else { return found };
            let tips = remote.filter_map(|reference| Some(reference.ok()?.try_id()?.detach()));
            let named = named_in(self.repository, "FETCH_HEAD");
            let mut next: Vec<ObjectId> = tips.chain(named).take(MAX_VISITED).collect();
            while let Some(id) = next.pop().filter(|_| found.len() < MAX_VISITED) {
                let Ok(commit) = git.find_commit(id) else { continue };
                if found.insert(id) && self.may_be_made(&commit) {
                    next.extend(commit.parent_ids().map(gix::Id::detach));
                }
            }
            found
        })
    }

    /// Adds, for every path back from `from`, the newest commit that was not made in this time.
    fn add_older(&self, from: impl Iterator<Item = ObjectId>, bases: &mut Vec<ObjectId>) {
        let mut seen: Vec<ObjectId> = Vec::new();
        let mut next: Vec<ObjectId> = from.collect();
        while let Some(id) = next.pop().filter(|_| seen.len() < MAX_VISITED && bases.len() < MAX_BASES) {
            if seen.contains(&id) || bases.contains(&id) {
                continue;
            }
            seen.push(id);
            match self.repository.git.find_commit(id).ok().filter(|_| self.is_made(id)) {
                Some(commit) => next.extend(commit.parent_ids().map(gix::Id::detach)),
                None => bases.push(id),
            }
        }
    }
}

/// When git last wrote an object to a file of its own; `None` if it is only in a pack. Adding the same bytes again counts.
pub(super) fn written_at(repository: &Repository, id: ObjectId) -> Option<SystemTime> {
    let name = id.to_hex().to_string();
    let file = repository.git.common_dir().join("objects").join(&name[..2]).join(&name[2..]);
    changed_at(&file.metadata().ok()?)
}

/// The branches in the message of a switch, from and to.
fn switched(message: &[u8]) -> Option<(&[u8], &[u8])> {
    let branches = message.strip_prefix(b"checkout: moving from ")?;
    branches.split_once_str(b" to ")
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
    // `FETCH_HEAD` has more on each line.
    let ids = lines.map(|line| line.split(u8::is_ascii_whitespace).next().unwrap_or_default());
    ids.filter_map(|id| ObjectId::from_hex(id).ok()).take(MAX_BASES).collect()
}

fn read_small(path: &Path) -> Option<Vec<u8>> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = Vec::new();
    File::open(path).ok()?.take(MAX_NAMES).read_to_end(&mut text).ok()?;
    Some(text)
}
