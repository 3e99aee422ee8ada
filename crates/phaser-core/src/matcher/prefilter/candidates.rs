//! The windows of each pattern in one text, and the work that finding them may take.

use std::ops::Range;

use super::windows::Windows;
use super::{ContextId, Owner, WINDOW_WORK};
use crate::deadline::Deadline;

/// Cap on the windows of all patterns in one text.
pub(super) const MAX_WINDOWS: usize = 1_000_000;

/// The work, in bytes of text, after which every pattern gets the whole text as its window; more if searching all
/// patterns without windows costs more. Beyond that, windows cost more than they save.
const MIN_WORK: usize = 256 * 1024 * 1024;

/// The work for the windows of one pattern, as a multiple of the text and at least. Beyond it the pattern gets the
/// whole text; the others keep their windows.
const TIMES_OF_ONE: usize = 4;
const MIN_OF_ONE: usize = 64 * 1024;

/// The work between two reads of the clock.
pub(super) const WORK_BETWEEN_CLOCK_READS: usize = 1024 * 1024;

/// The windows of each pattern in one text. Reusable for the next text without allocating.
#[derive(Debug)]
pub struct Candidates {
    pub(super) windows: Vec<Windows>,
    pub(super) touched: Vec<usize>,
    pub(super) work: ScanWork,
    /// The work for the windows of one pattern.
    pub(super) most_of_one: usize,
    /// A context and the offset from which following it failed. Patterns with the same context there need not be
    /// followed.
    dead_end: Option<(ContextId, usize)>,
}

/// The work done, and its limit.
#[derive(Debug)]
pub(super) struct ScanWork {
    pub(super) done: usize,
    pub(super) most: usize,
    pub(super) deadline: Deadline,
    next_look: usize,
    late: bool,
}

impl ScanWork {
    pub(super) fn new(most: usize, deadline: Deadline) -> Self {
        Self { done: 0, most, deadline, next_look: WORK_BETWEEN_CLOCK_READS, late: false }
    }

    /// Whether the limit or the deadline has passed. Reads the clock rarely.
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
            work: ScanWork::new(MIN_WORK, Deadline::NEVER),
            most_of_one: MIN_OF_ONE,
            dead_end: None,
        }
    }
}

impl Candidates {
    /// The windows of the pattern with this index, in order, not overlapping.
    pub fn windows(&self, index: usize) -> &[Range<usize>] {
        self.windows[index].as_slice()
    }

    /// Sets the deadline for all further searches.
    pub fn end_by(&mut self, deadline: Deadline) {
        self.work.deadline = deadline;
    }

    /// Prepares for `count` patterns and this text.
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
        self.work = ScanWork::new(MIN_WORK.max(count.saturating_mul(text.len())), self.work.deadline);
        self.dead_end = None;
    }

    /// Adds a window around an anchor, unless its context is a known dead end. Inlined, since most are.
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
        let searched = windows.add(&owner.around, text, part, width);
        let cost = WINDOW_WORK + searched.unwrap_or_default();
        self.work.done += cost;
        windows.cost += cost;
        if windows.cost > self.most_of_one {
            windows.set_whole(text);
        }
        if searched.is_none() {
            self.dead_end = owner.after.map(|id| (id, end));
        }
        if was_empty && !windows.is_empty() {
            self.touched.push(owner.index);
        }
    }
}
