//! Walks from `HEAD` back along first parents, and samples the commits.

use std::collections::HashSet;

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::date::Time;

use super::super::GitError;
use super::super::repository::Repository;
use super::{Commit, HistoryNote};

const DAY: i64 = 24 * 60 * 60;

/// How far back a history goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryReach {
    /// One year before the newest commit.
    Year,
    /// This time, in seconds since 1970.
    Since(i64),
    /// This number of commits.
    Commits(usize),
}

impl HistoryReach {
    /// Whether to include a commit made at `time`, after `newer` newer ones; `newest` is the time of the first.
    fn includes(self, time: i64, newer: usize, newest: i64) -> bool {
        match self {
            Self::Year => time >= newest.saturating_sub(365 * DAY),
            Self::Since(since) => time >= since,
            Self::Commits(count) => newer < count,
        }
    }
}

/// Which commits are sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Every {
    /// Every `n`th one, counted from the newest; 0 counts as 1.
    Commits(usize),
    /// The last one of each day, in UTC.
    Day,
    /// The last one of each week, Monday to Sunday, in UTC.
    Week,
}

impl Every {
    /// The number of the day or week of `time`.
    fn period(self, time: i64) -> i64 {
        let day = time.div_euclid(DAY);
        match self {
            Self::Commits(_) | Self::Day => day,
            // 1970-01-01 was a Thursday.
            Self::Week => (day + 3).div_euclid(7),
        }
    }
}

/// A commit on the walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct VisitedCommit {
    pub(super) id: ObjectId,
    pub(super) tree: ObjectId,
    pub(super) parent: Parent,
    /// The committer time, in seconds since 1970; that of the next newer commit if it cannot be read.
    pub(super) time: i64,
}

/// The first parent of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parent {
    /// A root commit.
    None,
    /// The id.
    Known(ObjectId),
    /// The parent is not in this shallow clone.
    Beyond,
}

/// The commits of a walk, newest first, and why it ended early.
#[derive(Debug)]
pub(super) struct CommitWalk {
    pub(super) visited: Vec<VisitedCommit>,
    pub(super) notes: Vec<HistoryNote>,
}

/// Walks back from `HEAD` up to the first commit out of reach. Like `git log --since`, does not continue behind it.
pub(super) fn walk(repository: &Repository, reach: HistoryReach) -> Result<CommitWalk, GitError> {
    let mut next = Some(repository.head()?.ok_or(GitError::Unborn)?);
    let boundary = boundary(repository);
    let mut walked = CommitWalk { visited: Vec::new(), notes: Vec::new() };
    while let Some(id) = next {
        let visited = &mut walked.visited;
        let after = visited.last().map(|after: &VisitedCommit| after.time);
        let mut commit = match read(repository, id, after.unwrap_or_default()) {
            Ok(commit) => commit,
            Err(error) if visited.is_empty() => return Err(error),
            Err(error) => {
                walked.notes.push(HistoryNote::Broken(error.to_string()));
                break;
            }
        };
        let newest = visited.first().map_or(commit.time, |newest| newest.time);
        if !reach.includes(commit.time, visited.len(), newest) {
            break;
        }
        if matches!(commit.parent, Parent::Known(_)) && boundary.contains(&id) {
            commit.parent = Parent::Beyond;
        }
        visited.push(commit);
        let is_enough = matches!(reach, HistoryReach::Commits(count) if count <= visited.len());
        next = match commit.parent {
            Parent::Known(parent) if !is_enough => Some(parent),
            Parent::Beyond if !is_enough => {
                walked.notes.push(HistoryNote::Shallow(id.to_string()));
                None
            }
            Parent::Known(_) | Parent::Beyond | Parent::None => None,
        };
    }
    Ok(walked)
}

/// The commits of a shallow clone whose parents are missing.
fn boundary(repository: &Repository) -> HashSet<ObjectId> {
    let known = repository.git.shallow_commits().ok().flatten();
    known.iter().flat_map(|known| known.iter().copied()).collect()
}

fn read(repository: &Repository, id: ObjectId, otherwise: i64) -> Result<VisitedCommit, GitError> {
    let what = || format!("commit {id}");
    let commit = repository.object(id, what)?.try_into_commit();
    let commit = commit.map_err(|error| GitError::broken(what(), &error))?;
    let tree = commit.tree_id().map_err(|error| GitError::broken(what(), &error))?.detach();
    let time = commit.time().map_or(otherwise, |time| time.seconds);
    let parent = commit.parent_ids().next().map_or(Parent::None, |parent| Parent::Known(parent.detach()));
    Ok(VisitedCommit { id, tree, parent, time })
}

/// The indices of the samples: the newest commit, then the first commit of each older period.
pub(super) fn sampled(visited: &[VisitedCommit], every: Every) -> Vec<usize> {
    if let Every::Commits(step) = every {
        return (0..visited.len()).step_by(step.max(1)).collect();
    }
    let mut chosen: Vec<usize> = Vec::new();
    let mut last = None;
    for (at, commit) in visited.iter().enumerate() {
        let period = every.period(commit.time);
        if last.is_none_or(|last| period < last) {
            chosen.push(at);
            last = Some(period);
        }
    }
    chosen
}

/// Describes a sampled commit.
pub(super) fn commit(repository: &Repository, visited: &VisitedCommit, stands_for: usize) -> Commit {
    let commit = repository.git.find_commit(visited.id);
    let subject = commit.ok().map(|commit| {
        let first = commit.message_raw_sloppy().lines().find(|line| !line.trim().is_empty());
        String::from_utf8_lossy(first.unwrap_or_default().trim()).into_owned()
    });
    let time = Time::new(visited.time, 0);
    Commit {
        id: visited.id.to_string(),
        time: visited.time,
        date: time.format_or_unix(gix::date::time::format::SHORT),
        subject: subject.unwrap_or_default(),
        stands_for,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visited(times: &[i64]) -> Vec<VisitedCommit> {
        let id = ObjectId::null(gix::hash::Kind::Sha1);
        times.iter().map(|&time| VisitedCommit { id, tree: id, parent: Parent::None, time }).collect()
    }

    #[test]
    fn samples_every_nth_commit_from_newest() {
        let times = visited(&[0; 7]);
        assert_eq!(sampled(&times, Every::Commits(3)), [0, 3, 6]);
        assert_eq!(sampled(&times, Every::Commits(1)).len(), 7);
        assert_eq!(sampled(&[], Every::Commits(3)), [0; 0]);
    }

    #[test]
    fn samples_last_commit_of_period() {
        // The first is a Monday, 1970-01-12.
        let days =
            visited(&[11 * DAY, 11 * DAY, 10 * DAY + 5, 10 * DAY, 4 * DAY, 3 * DAY, -2 * DAY, -9 * DAY]);
        assert_eq!(sampled(&days, Every::Day), [0, 2, 4, 5, 6, 7]);
        assert_eq!(sampled(&days, Every::Week), [0, 2, 5, 7]);
    }

    #[test]
    fn unordered_times_give_each_period_once() {
        let days = visited(&[5 * DAY, 3 * DAY, 9 * DAY, 3 * DAY, 2 * DAY]);
        assert_eq!(sampled(&days, Every::Day), [0, 1, 4]);
        assert_eq!(sampled(&visited(&[7, 7, 7]), Every::Week), [0]);
    }

    #[test]
    fn times_beyond_any_calendar_do_no_harm() {
        let times = visited(&[i64::MAX, 0, i64::MIN]);
        assert_eq!(sampled(&times, Every::Week), [0, 1, 2]);
        assert!(HistoryReach::Year.includes(i64::MIN, 1, i64::MIN));
    }
}
