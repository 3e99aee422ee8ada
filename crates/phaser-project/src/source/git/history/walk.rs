//! The way back from `HEAD` along first parents, and which of the commits on it are looked at.

use std::collections::HashSet;

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::date::Time;

use super::super::Error;
use super::super::repository::Repository;
use super::{Commit, Note};

const DAY: i64 = 24 * 60 * 60;

/// How far back commits are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// To a year before the newest one.
    Year,
    /// To this time, in seconds since 1970.
    Since(i64),
    /// So many of them.
    Commits(usize),
}

impl Reach {
    /// Is a commit of this time wanted, after so many newer ones, of which the first has its own time?
    fn includes(self, time: i64, newer: usize, newest: i64) -> bool {
        match self {
            Self::Year => time >= newest.saturating_sub(365 * DAY),
            Self::Since(since) => time >= since,
            Self::Commits(count) => newer < count,
        }
    }
}

/// How many of the commits are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Every {
    /// One of so many; at least one.
    Commits(usize),
    /// The last one of each day, in UTC.
    Day,
    /// The last one of each week, which begins on Monday, in UTC.
    Week,
}

impl Every {
    /// The number of the day or the week that a time is in.
    fn period(self, time: i64) -> i64 {
        let day = time.div_euclid(DAY);
        match self {
            Self::Commits(_) | Self::Day => day,
            // The first day of 1970 was a Thursday.
            Self::Week => (day + 3).div_euclid(7),
        }
    }
}

/// A commit on the way back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Visited {
    pub(super) id: ObjectId,
    pub(super) tree: ObjectId,
    pub(super) parent: Parent,
    /// In seconds since 1970. A commit whose time cannot be read has that of the one after it.
    pub(super) time: i64,
}

/// What a commit was made from, of which the first counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parent {
    /// Nothing: it is the first one.
    None,
    /// This commit.
    Known(ObjectId),
    /// A commit that is not here, because the clone is shallow.
    Beyond,
}

/// The commits on the way back, the newest first, and why there are no more.
#[derive(Debug)]
pub(super) struct Walked {
    pub(super) visited: Vec<Visited>,
    pub(super) notes: Vec<Note>,
}

/// Goes back from `HEAD`. The way ends at the first commit that is too old, as that of git does.
pub(super) fn walk(repository: &Repository, reach: Reach) -> Result<Walked, Error> {
    let mut next = Some(repository.head()?.ok_or(Error::Unborn)?);
    let boundary = boundary(repository);
    let mut walked = Walked { visited: Vec::new(), notes: Vec::new() };
    while let Some(id) = next {
        let visited = &mut walked.visited;
        let after = visited.last().map(|after: &Visited| after.time);
        let mut commit = match read(repository, id, after.unwrap_or_default()) {
            Ok(commit) => commit,
            Err(error) if visited.is_empty() => return Err(error),
            Err(error) => {
                walked.notes.push(Note::Broken(error.to_string()));
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
        let is_enough = matches!(reach, Reach::Commits(count) if count <= visited.len());
        next = match commit.parent {
            Parent::Known(parent) if !is_enough => Some(parent),
            Parent::Beyond if !is_enough => {
                walked.notes.push(Note::Shallow(id.to_string()));
                None
            }
            Parent::Known(_) | Parent::Beyond | Parent::None => None,
        };
    }
    Ok(walked)
}

/// The commits of a shallow clone whose parents are not in it.
fn boundary(repository: &Repository) -> HashSet<ObjectId> {
    let known = repository.git.shallow_commits().ok().flatten();
    known.iter().flat_map(|known| known.iter().copied()).collect()
}

fn read(repository: &Repository, id: ObjectId, otherwise: i64) -> Result<Visited, Error> {
    let what = || format!("commit {id}");
    let commit = repository.object(id, what)?.try_into_commit();
    let commit = commit.map_err(|error| Error::broken(what(), &error))?;
    let tree = commit.tree_id().map_err(|error| Error::broken(what(), &error))?.detach();
    let time = commit.time().map_or(otherwise, |time| time.seconds);
    let parent = commit.parent_ids().next().map_or(Parent::None, |parent| Parent::Known(parent.detach()));
    Ok(Visited { id, tree, parent, time })
}

/// Which of the commits are looked at: the newest one, and of the others one for each period that is older than the last.
pub(super) fn sampled(visited: &[Visited], every: Every) -> Vec<usize> {
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

/// What is said of a commit that stands for so many.
pub(super) fn commit(repository: &Repository, visited: &Visited, stands_for: usize) -> Commit {
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

    fn visited(times: &[i64]) -> Vec<Visited> {
        let id = ObjectId::null(gix::hash::Kind::Sha1);
        times.iter().map(|&time| Visited { id, tree: id, parent: Parent::None, time }).collect()
    }

    #[test]
    fn one_of_so_many_is_counted_from_the_newest() {
        let times = visited(&[0; 7]);
        assert_eq!(sampled(&times, Every::Commits(3)), [0, 3, 6]);
        assert_eq!(sampled(&times, Every::Commits(1)).len(), 7);
        assert_eq!(sampled(&[], Every::Commits(3)), [0; 0]);
    }

    #[test]
    fn of_each_day_or_week_it_is_the_last_one() {
        // The first is a Monday, 1970-01-12.
        let days =
            visited(&[11 * DAY, 11 * DAY, 10 * DAY + 5, 10 * DAY, 4 * DAY, 3 * DAY, -2 * DAY, -9 * DAY]);
        assert_eq!(sampled(&days, Every::Day), [0, 2, 4, 5, 6, 7]);
        assert_eq!(sampled(&days, Every::Week), [0, 2, 5, 7]);
    }

    #[test]
    fn times_that_go_forth_and_back_give_each_period_once() {
        let days = visited(&[5 * DAY, 3 * DAY, 9 * DAY, 3 * DAY, 2 * DAY]);
        assert_eq!(sampled(&days, Every::Day), [0, 1, 4]);
        assert_eq!(sampled(&visited(&[7, 7, 7]), Every::Week), [0]);
    }

    #[test]
    fn times_beyond_any_calendar_do_no_harm() {
        let times = visited(&[i64::MAX, 0, i64::MIN]);
        assert_eq!(sampled(&times, Every::Week), [0, 1, 2]);
        assert!(Reach::Year.includes(i64::MIN, 1, i64::MIN));
    }
}
