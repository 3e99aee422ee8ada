//! Where each of several patterns can match in a text, and how much may be looked at to find that out.

use std::ops::Range;

use super::windows::Windows;
use super::{Owner, TrackId, WINDOW_WORK};
use crate::deadline::Deadline;

/// The most windows of all patterns together, in one text.
pub(super) const MAX_WINDOWS: usize = 1_000_000;

/// How much may be looked at for the sake of windows, in bytes of text or something alike; more if all patterns would
/// look at more without windows. Beyond it windows cost more than they spare, and each pattern has the whole text for
/// its window.
const MIN_WORK: usize = 256 * 1024 * 1024;

/// After how much of it the clock is looked at.
pub(super) const WORK_BETWEEN_LOOKS: usize = 1024 * 1024;

/// Where each of the patterns can match; good for one text after another.
#[derive(Debug)]
pub struct Candidates {
    pub(super) windows: Vec<Windows>,
    pub(super) touched: Vec<usize>,
    pub(super) work: Work,
    /// Where a part ends behind which a track leads nowhere: patterns that go on alike need not be followed there.
    dead_end: Option<(TrackId, usize)>,
}

/// What has been looked at, and the most there may be.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) done: usize,
    pub(super) most: usize,
    /// What there may be in any case.
    least: usize,
    pub(super) deadline: Deadline,
    next_look: usize,
    late: bool,
}

impl Work {
    pub(super) fn with_least(least: usize) -> Self {
        Self {
            done: 0,
            most: least,
            least,
            deadline: Deadline::NEVER,
            next_look: WORK_BETWEEN_LOOKS,
            late: false,
        }
    }

    /// Starts anew, where all patterns would look at `all` without windows.
    pub(super) fn reset(&mut self, all: usize) {
        *self = Self { deadline: self.deadline, ..Self::with_least(self.least) };
        self.most = self.least.max(all);
    }

    /// Is it too late to look for windows?
    pub(super) fn is_exhausted(&mut self) -> bool {
        if self.done >= self.next_look {
            self.next_look = self.done + WORK_BETWEEN_LOOKS;
            self.late = self.deadline.has_passed();
        }
        self.late || self.done > self.most
    }
}

impl Default for Candidates {
    fn default() -> Self {
        Self { windows: Vec::new(), touched: Vec::new(), work: Work::with_least(MIN_WORK), dead_end: None }
    }
}

impl Candidates {
    /// Where the pattern with this index can match, in order, none overlapping.
    pub fn windows(&self, index: usize) -> &[Range<usize>] {
        self.windows[index].as_slice()
    }

    /// From now on, there must be an end to it by then.
    pub fn end_by(&mut self, deadline: Deadline) {
        self.work.deadline = deadline;
    }

    /// Starts anew, with so many patterns and this text.
    pub(super) fn reset(&mut self, count: usize, text: &[u8]) {
        for index in self.touched.drain(..) {
            self.windows[index].clear();
        }
        if self.windows.len() < count {
            self.windows.resize_with(count, Windows::default);
        }
        let most = MAX_WINDOWS / count.max(1);
        self.windows[..count].iter_mut().for_each(|windows| windows.limit(most));
        self.work.reset(count.saturating_mul(text.len()));
        self.dead_end = None;
    }

    /// Adds a window around a part of a match.
    pub(super) fn add(&mut self, owner: &Owner, text: &[u8], part: Range<usize>, width: usize) {
        let end = part.end;
        if owner.after.is_some()
            && owner.after == self.dead_end.filter(|(_, at)| *at == end).map(|(id, _)| id)
        {
            self.work.done += 1;
            return;
        }
        let windows = &mut self.windows[owner.index];
        let was_empty = windows.is_empty();
        let looked_at = windows.add(&owner.around, text, part, width);
        self.work.done += WINDOW_WORK + looked_at.unwrap_or_default();
        if looked_at.is_none() {
            self.dead_end = owner.after.map(|id| (id, end));
        }
        if was_empty && !windows.is_empty() {
            self.touched.push(owner.index);
        }
    }
}
