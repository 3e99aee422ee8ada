//! Windows: the ranges of a text in which one pattern can match.
//!
//! A window extends from an anchor as far as a match can, to both sides. In `aaXaaXaa-aaXaa` with the anchor `X`,
//! up to two letters before it and up to three after it, the anchors at 2, 5 and 11 give the ranges 0..6, 3..8 and
//! 9..14.
//!
//! # Soundness
//!
//! Overlapping ranges are merged: 0..8 and 9..14. So a match that starts in a window also ends in it, and the
//! leftmost-first, non-overlapping matches inside a window are those that a search of the whole text finds there.
//! Without merging, a search of 3..8 would start in the middle of a match of 0..6. Ranges that only touch stay
//! apart: no match crosses the border, or one range would include it.
//!
//! Assertions such as `\b` see the text around a window, which engines get as a range of the whole text.
//!
//! # Limits
//!
//! At most [`MAX_WINDOWS`] per pattern; then the last one grows. The text between two windows contains no start of
//! a match, so including it changes nothing but the cost. A window that extends further than is followed byte by
//! byte is extended from the previous one, so all windows of a pattern cost one pass over the text at most.

use std::ops::{ControlFlow, Range};

use super::MAX_WIDTH;
use super::follow::{Followed, Side};
use crate::matcher::literals::byte_set::{ByteSet, Needles, likelihood};
use crate::matcher::literals::context::Context;
use crate::matcher::literals::end::{EndPosition, MatchEnd};
use crate::matcher::literals::{ByteRun, LiteralShape, MatchReach};

/// What the matches of a pattern contain around an anchor.
#[derive(Debug, Clone)]
pub struct AnchorContext {
    pub before: Context,
    pub after: Context,
    /// A run anywhere in the match.
    pub run: Option<ByteRun>,
    /// Literals one of which is anywhere in the match, or empty. Their bytes are whole characters.
    pub nearby: Vec<NearbyFinder>,
    /// The minimum length of a match, in bytes.
    pub least: usize,
}

/// Searches for a short literal by its rarest byte.
#[derive(Debug, Clone)]
pub struct NearbyFinder {
    shape: LiteralShape,
    rarest: usize,
    needles: Needles,
}

impl NearbyFinder {
    /// Panics if `shape` is empty.
    pub fn new(shape: &LiteralShape) -> Self {
        let rarer = |one: &(usize, &ByteSet), other: &(usize, &ByteSet)| {
            likelihood(one.1).total_cmp(&likelihood(other.1))
        };
        let (rarest, set) = shape.iter().enumerate().min_by(rarer).expect("a nearby has bytes");
        Self { shape: shape.clone(), rarest, needles: Needles::of(set) }
    }

    fn is_in(&self, window: &[u8]) -> bool {
        let stands = |at: usize| {
            let start = at.checked_sub(self.rarest)?;
            let bytes = window.get(start..start + self.shape.len())?;
            bytes.iter().zip(&self.shape).all(|(byte, set)| set.contains(*byte)).then_some(())
        };
        let found = |at| stands(at).map_or(ControlFlow::Continue(()), ControlFlow::Break);
        self.needles.each(window, found).is_break()
    }
}

impl AnchorContext {
    /// Whether a match in this window is possible.
    fn allows(&self, window: &[u8]) -> bool {
        window.len() >= self.least
            && self.run.is_none_or(|run| has_run(window, &run))
            && (self.nearby.is_empty() || self.nearby.iter().any(|nearby| nearby.is_in(window)))
    }
}

/// Cap on the windows of one pattern in one text.
pub const MAX_WINDOWS: usize = 10_000;

/// The lines in which a pattern without an anchor can match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineChoice {
    All,
    /// Lines with a character beyond ASCII.
    BeyondAscii,
}

/// The windows of one pattern.
#[derive(Debug, Clone)]
pub struct Windows {
    ranges: Vec<Range<usize>>,
    most: usize,
    /// The work spent on them.
    pub(super) cost: usize,
}

impl Default for Windows {
    fn default() -> Self {
        Self { ranges: Vec::new(), most: MAX_WINDOWS, cost: 0 }
    }
}

impl Windows {
    /// The windows. After [`Windows::join`] they are in order and do not overlap.
    pub fn as_slice(&self) -> &[Range<usize>] {
        &self.ranges
    }

    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    pub fn clear(&mut self) {
        self.ranges.clear();
    }

    /// Caps the number of windows, to at least one.
    pub fn limit(&mut self, most: usize) {
        self.most = most.clamp(1, MAX_WINDOWS);
    }

    /// Makes the whole text the only window.
    pub fn set_whole(&mut self, text: &[u8]) {
        self.ranges.clear();
        self.ranges.push(0..text.len());
    }

    /// Makes windows of lines, for a pattern whose matches lie within one: each line beyond ASCII, and the
    /// stretches of ASCII lines between them, if wanted, which are searched without Unicode.
    pub fn set_lines(&mut self, text: &[u8], wanted: LineChoice) {
        self.ranges.clear();
        let (mut start, mut open) = (0, None);
        for end in memchr::memchr_iter(b'\n', text).chain([text.len()]) {
            if text[start..end].is_ascii() {
                if wanted == LineChoice::All {
                    open.get_or_insert(start);
                }
            } else {
                if let Some(open) = open.take() {
                    self.push(open..start);
                }
                self.push(start..end);
            }
            start = end + 1;
        }
        if let Some(open) = open {
            self.push(open..text.len());
        }
    }

    /// Makes windows of the text before the possible ends of matches, for a pattern without an anchor whose matches end so and
    /// have at most `most` characters: the lines of such ends, or the whole text if a match may span lines.
    pub fn set_ends(&mut self, text: &[u8], end: MatchEnd, spans_lines: bool, most: Option<usize>) {
        self.ranges.clear();
        let is_end = |at: usize| at > 0 && end.last.contains(text[at - 1]);
        if end.at == EndPosition::Text {
            if is_end(text.len()) {
                let first = most.map_or(0, |most| text.len().saturating_sub(most.saturating_mul(MAX_WIDTH)));
                let is_within = |at: &usize| *at > 0 && (0x80..0xC0).contains(&text[*at]);
                let first = (0..=first).rev().find(|at| !is_within(at)).unwrap_or_default();
                self.push(first..text.len());
            }
            return;
        }
        let has_returns = memchr::memchr(b'\r', text).is_some();
        let mut start = 0;
        for line_end in memchr::memchr_iter(b'\n', text).chain([text.len()]) {
            let mut returns =
                has_returns.then(|| memchr::memchr_iter(b'\r', &text[start..line_end])).into_iter().flatten();
            if is_end(line_end) || returns.any(|at| is_end(start + at)) {
                if spans_lines {
                    self.set_whole(text);
                    return;
                }
                self.push(start..line_end);
            }
            start = line_end + 1;
        }
    }

    /// Adds a window around the anchor at `part`, for characters of up to `width` bytes. Returns the bytes read,
    /// or `None` if the text after the anchor rules out a match.
    pub fn add(
        &mut self,
        around: &AnchorContext,
        text: &[u8],
        part: Range<usize>,
        width: usize,
    ) -> Option<usize> {
        let behind = Side::Behind(&text[part.end..]).follow(around.after.steps(), width);
        if behind == Followed::Nowhere {
            return None;
        }
        let before = Side::Before(&text[..part.start]).follow(around.before.steps(), width);
        Some(match (behind, before) {
            (Followed::Nowhere, _) | (_, Followed::Nowhere) => 0,
            (Followed::To(after), Followed::To(before)) => {
                let window = part.start - before..part.end + after;
                if around.allows(&text[window.clone()]) {
                    self.push(window);
                }
                before + after
            }
            (Followed::Far, _) | (_, Followed::Far) => self.add_far(around, text, part, width),
        })
    }

    /// Adds a window that extends further than [`Side::follow`] reads. Bytes of the previous window are not read
    /// again, so that all windows of a pattern cost one pass over the text.
    fn add_far(&mut self, around: &AnchorContext, text: &[u8], part: Range<usize>, width: usize) -> usize {
        let most = |reach: &MatchReach| reach.most.map_or(usize::MAX, |most| most.saturating_mul(width));
        let (before, after) = (around.before.reach(), around.after.reach());
        let first = part.start.saturating_sub(most(&before));
        let reaches = |window: &&Range<usize>| {
            let (start, end) = (part.start, window.end);
            window.contains(&start)
                || first <= end && end <= start && walk_back(text, start, end, &before.bytes) == end
        };
        let (new, known) = match self.ranges.last().filter(reaches) {
            // Only the text before and after the previous window is new.
            Some(window) => {
                let last = part.end.saturating_add(most(&after)).min(text.len());
                let start = walk_back(text, window.start, first, &before.bytes);
                let end = walk(text, window.end.max(part.end), last, &after.bytes);
                (start.min(window.start)..end.max(window.end), window.len())
            }
            None => {
                let before = Side::Before(&text[..part.start]).furthest(around.before.steps(), width);
                let after = Side::Behind(&text[part.end..]).furthest(around.after.steps(), width);
                (part.start - before..part.end + after, 0)
            }
        };
        let more = new.len().saturating_sub(known);
        self.push(new);
        more
    }

    fn push(&mut self, new: Range<usize>) {
        let full = self.ranges.len() >= self.most;
        match self.ranges.last_mut() {
            Some(last) if full || last.start < new.end && new.start < last.end => {
                *last = last.start.min(new.start)..last.end.max(new.end);
            }
            Some(_) | None => self.ranges.push(new),
        }
    }

    /// Sorts the windows and merges those that overlap.
    pub fn join(&mut self) {
        if !self.ranges.is_sorted_by_key(|window| window.start) {
            self.ranges.sort_unstable_by_key(|window| window.start);
        }
        self.ranges.dedup_by(|next, window| {
            let overlap = next.start < window.end;
            if overlap {
                window.end = window.end.max(next.end);
            }
            overlap
        });
    }
}

/// The offset reached from `at` towards `last`, over bytes of the set.
pub fn walk(text: &[u8], at: usize, last: usize, bytes: &ByteSet) -> usize {
    let ahead = text.get(at..last).unwrap_or_default();
    if *bytes == ByteSet::ALL {
        return at + ahead.len();
    }
    at + ahead.iter().position(|&byte| !bytes.contains(byte)).unwrap_or(ahead.len())
}

/// The offset reached from `at` back towards `first`, over bytes of the set.
fn walk_back(text: &[u8], at: usize, first: usize, bytes: &ByteSet) -> usize {
    let behind = text.get(first..at).unwrap_or_default();
    if *bytes == ByteSet::ALL {
        return at - behind.len();
    }
    behind.iter().rposition(|&byte| !bytes.contains(byte)).map_or(at - behind.len(), |stop| first + stop + 1)
}

pub fn has_run(text: &[u8], run: &ByteRun) -> bool {
    next_run(text, 0, run.count, |byte| run.bytes.contains(byte)).is_some()
}

/// Calls `each` with every run in `text`, at its full length.
pub fn each_run(text: &[u8], run: &ByteRun, each: impl FnMut(Range<usize>)) {
    each_run_of(text, run.count, |byte| run.bytes.contains(byte), each);
}

/// [`each_run`] with a predicate for the bytes.
pub fn each_run_of(
    text: &[u8],
    count: usize,
    is_in: impl Fn(u8) -> bool,
    mut each: impl FnMut(Range<usize>),
) {
    let mut at = 0;
    while let Some(found) = next_run(text, at, count, &is_in) {
        at = found.end;
        each(found);
    }
}

/// The first run from `start` on, at its full length. Reads few bytes: one that is not in the set rules out every
/// run across it.
fn next_run(text: &[u8], mut start: usize, count: usize, is_in: impl Fn(u8) -> bool) -> Option<Range<usize>> {
    loop {
        let probe = start + count;
        let stretch = text.get(start..probe)?;
        match stretch.iter().rposition(|&byte| !is_in(byte)) {
            Some(stop) => start += stop + 1,
            None => {
                let more = text[probe..].iter().position(|&byte| !is_in(byte));
                return Some(start..more.map_or(text.len(), |more| probe + more));
            }
        }
    }
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "lists of ranges, some of them short")]
mod tests {
    use super::*;

    /// A distance that is not followed byte by byte.
    const FAR: usize = 2_000;

    fn reach(most: impl Into<Option<usize>>) -> Context {
        Context::within(MatchReach {
            most: most.into(),
            bytes: ByteSet::range(b'a', b'z').union(ByteSet::HIGH),
        })
    }

    fn around(before: impl Into<Option<usize>>, after: impl Into<Option<usize>>) -> AnchorContext {
        AnchorContext { before: reach(before), after: reach(after), run: None, nearby: Vec::new(), least: 0 }
    }

    fn windows(around: &AnchorContext, text: &str, parts: &[Range<usize>]) -> Vec<Range<usize>> {
        let mut windows = Windows::default();
        for part in parts {
            windows.add(around, text.as_bytes(), part.clone(), 1);
        }
        windows.join();
        windows.as_slice().to_vec()
    }

    #[test]
    fn window_ends_at_reach_and_other_bytes() {
        let text = "abcd-efXgh\nij";
        let all = |around| windows(&around, text, &[Range { start: 7, end: 8 }]);
        assert_eq!(all(around(None, None)), vec![5..10]);
        assert_eq!(all(around(1, 1)), vec![6..9]);
        assert_eq!(all(around(0, None)), vec![7..10]);
        let mut wide = Windows::default();
        wide.add(&around(1, 0), b"aaaaaaX", 6..7, 4);
        assert_eq!(wide.as_slice(), [Range { start: 2, end: 7 }], "one character, up to four bytes");
    }

    #[test]
    fn merges_overlapping_windows() {
        let text = "aaXaaXaa-aaXaa-";
        assert_eq!(windows(&around(2, 3), text, &[2..3, 5..6, 11..12]), [0..8, 9..14]);
        assert_eq!(windows(&around(2, 3), text, &[11..12, 5..6, 2..3]), [0..8, 9..14], "in any order");
        assert_eq!(windows(&around(1, 1), text, &[2..3, 5..6]), [1..4, 4..7], "touching is not overlapping");
    }

    #[test]
    fn grows_last_window_beyond_limit() {
        let (text, around) = ("X-X-X-X-X-", around(0, 0));
        let mut windows = Windows::default();
        windows.limit(2);
        for part in [2, 4, 6, 0] {
            windows.add(&around, text.as_bytes(), part..part + 1, 1);
        }
        windows.join();
        assert_eq!(windows.as_slice(), [0..7], "all of them, and what is between them");
        windows.clear();
        windows.limit(usize::MAX);
        assert_eq!(windows.most, MAX_WINDOWS);
        windows.limit(0);
        windows.add(&around, text.as_bytes(), 4..5, 1);
        assert_eq!(windows.as_slice(), [4..5], "there is one in any case");
    }

    #[test]
    fn follows_long_windows_to_their_end() {
        let text = "a".repeat(3 * FAR) + "X" + &"a".repeat(3 * FAR) + "X" + &"a".repeat(FAR);
        let parts = [3 * FAR..3 * FAR + 1, 6 * FAR + 1..6 * FAR + 2];
        assert_eq!(windows(&around(None, None), &text, &parts), vec![0..text.len()]);
        assert_eq!(
            windows(&around(2 * FAR, 10), &text, &parts),
            [FAR..3 * FAR + 11, 4 * FAR + 1..6 * FAR + 12]
        );
    }

    #[test]
    fn reads_text_once_for_far_windows() {
        let text = format!("{} X", "a ".repeat(FAR)).repeat(50);
        let parts: Vec<_> = memchr::memchr_iter(b'X', text.as_bytes()).map(|at| at..at + 1).collect();
        for bytes in [ByteSet::ALL, ByteSet::range(0, b'z')] {
            let around =
                AnchorContext { before: Context::within(MatchReach { most: None, bytes }), ..around(0, 0) };
            let mut windows = Windows::default();
            let searched: Option<usize> =
                parts.iter().map(|part| windows.add(&around, text.as_bytes(), part.clone(), 1)).sum();
            assert_eq!(windows.as_slice(), [0..text.len()]);
            assert_eq!(searched, Some(text.len()));
        }
    }

    #[test]
    fn separates_lines_beyond_ascii() {
        let chosen = |text: &str, wanted| {
            let mut windows = Windows::default();
            windows.set_lines(text.as_bytes(), wanted);
            windows.join();
            windows.as_slice().iter().map(|window| text[window.clone()].to_owned()).collect::<Vec<_>>()
        };
        let lines = |text| chosen(text, LineChoice::All);
        assert_eq!(lines("a\n\nb\r\né\nc\nd"), ["a\n\nb\r\n", "é", "c\nd"]);
        assert_eq!(lines("é\né"), ["é", "é"]);
        assert_eq!(lines("a\né\n"), ["a\n", "é", ""]);
        assert_eq!(lines("a"), ["a"]);
        assert_eq!(chosen("a\né1\nb\r\né2\n", LineChoice::BeyondAscii), ["é1", "é2"]);
        assert_eq!(chosen("a\nb", LineChoice::BeyondAscii), [""; 0]);
    }

    #[test]
    fn drops_window_without_run() {
        let run = ByteRun { bytes: ByteSet::range(b'0', b'9'), count: 4 };
        let digits =
            |most| Context::within(MatchReach { most: Some(most), bytes: ByteSet::range(b'0', b'9') });
        let around = AnchorContext {
            before: digits(0),
            after: digits(9),
            run: Some(run),
            nearby: Vec::new(),
            least: 0,
        };
        assert_eq!(windows(&around, "X123-X1234", &[0..1, 5..6]), vec![5..10]);
    }

    #[test]
    fn drops_window_that_is_too_short() {
        let around = AnchorContext { least: 4, ..around(None, None) };
        assert_eq!(windows(&around, "aXa-aXaa", &[1..2, 5..6]), vec![4..8]);
    }

    #[test]
    fn drops_window_without_nearby_literal() {
        let nearby = ["qx", "zz"].map(|nearby| {
            NearbyFinder::new(&nearby.bytes().map(|byte| ByteSet::range(byte, byte)).collect())
        });
        let around = AnchorContext { nearby: nearby.to_vec(), ..around(None, None) };
        assert_eq!(windows(&around, "aXqyz-aXqx-zzX", &[1..2, 7..8, 13..14]), [6..10, 11..14]);
    }

    #[test]
    fn finds_whole_runs() {
        let run = ByteRun { bytes: ByteSet::range(b'0', b'9'), count: 3 };
        for (text, expected) in [
            ("", vec![]),
            ("12", vec![]),
            ("123", vec![0..3]),
            ("a12b1234c12", vec![4..8]),
            ("1234567-123", vec![0..7, 8..11]),
            ("a1b2c3", vec![]),
        ] {
            let mut found = Vec::new();
            each_run(text.as_bytes(), &run, |range| found.push(range));
            assert_eq!(found, expected, "{text}");
        }
    }
}
