//! Where each of several patterns can match in a text, and how much may be looked at to find that out.

use std::ops::Range;

use super::windows::Windows;
use super::{ContextId, Owner, WINDOW_WORK};
use crate::deadline::Deadline;

/// The most windows of all patterns together, in one text.
pub(super) const MAX_WINDOWS: usize = 1_000_000;

/// How much may be looked at for the sake of windows, in bytes of text or something alike; more if all patterns would
/// look at more without windows. Beyond it windows cost more than they spare, and each pattern has the whole text for
/// its window.
const MIN_WORK: usize = 256 * 1024 * 1024;

/// How much of that one pattern may take: so many times the length of the text, and this in any case. Beyond it, it has the
/// whole text for its window, and the others keep theirs.
const TIMES_OF_ONE: usize = 4;
const MIN_OF_ONE: usize = 64 * 1024;

/// After how much of it the clock is looked at.
pub(super) const WORK_BETWEEN_CLOCK_READS: usize = 1024 * 1024;

/// Where each of the patterns can match; good for one text after another.
#[derive(Debug)]
pub struct Candidates {
    pub(super) windows: Vec<Windows>,
    pub(super) touched: Vec<usize>,
    pub(super) work: ScanWork,
    /// What the windows of one pattern may cost.
    pub(super) most_of_one: usize,
    /// Where a part ends behind which a track leads nowhere: patterns that go on alike need not be followed there.
    dead_end: Option<(ContextId, usize)>,
}

/// What has been looked at, and the most there may be.
#[derive(Debug)]
pub(super) struct ScanWork {
    pub(super) done: usize,
    pub(super) most: usize,
    /// What there may be in any case.
    least: usize,
    pub(super) deadline: Deadline,
    next_look: usize,
    late: bool,
}

impl ScanWork {
    pub(super) fn with_least(least: usize) -> Self {
        Self {
            done: 0,
            most: least,
            least,
            deadline: Deadline::NEVER,
            next_look: WORK_BETWEEN_CLOCK_READS,
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
            self.next_look = self.done + WORK_BETWEEN_CLOCK_READS;
            self.late = self.deadline.has_passed();
        }
        self.late || self.done > self.most
    }
}

impl Default for Candidates {
    fn default() -> Self {
        Self {
            windows: Vec::new(),
            touched: Vec::new(),
            work: ScanWork::with_least(MIN_WORK),
            most_of_one: MIN_OF_ONE,
            dead_end: None,
        }
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
        for windows in &mut self.windows[..count] {
            windows.limit(most);
            windows.cost = 0;
        }
        self.most_of_one = text.len().saturating_mul(TIMES_OF_ONE).max(MIN_OF_ONE);
        self.work.reset(count.saturating_mul(text.len()));
        self.dead_end = None;
    }

    /// Adds a window around a part of a match, unless it is known to be none. Most are: so that is not to be a call.
    #[inline]
    pub(super) fn add(&mut self, owner: &Owner, text: &[u8], part: Range<usize>, width: usize) {
        if owner.after.is_some_and(|after| self.dead_end == Some((after, part.end))) {
            self.work.done += 1;
        } else {
            self.add_window(owner, text, part, width);
        }
    }

    fn add_window(&mut self, owner: &Owner, text: &[u8], part: Range<usize>, width: usize) {
        let end = part.end;
        let windows = &mut self.windows[owner.index];
        if windows.cost > self.most_of_one {
            self.work.done += 1;
            return;
        }
        let was_empty = windows.is_empty();
        let looked_at = windows.add(&owner.around, text, part, width);
        let cost = WINDOW_WORK + looked_at.unwrap_or_default();
        self.work.done += cost;
        windows.cost += cost;
        if windows.cost > self.most_of_one {
            windows.set_whole(text);
        }
        if looked_at.is_none() {
            self.dead_end = owner.after.map(|id| (id, end));
        }
        if was_empty && !windows.is_empty() {
            self.touched.push(owner.index);
        }
    }
}
