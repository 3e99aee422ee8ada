//! Follows a track through a text, to one side of a part that a match would have: how far could the match reach, if
//! there is one at all?
//!
//! What is known at each step is an interval: the nearest and the furthest place that the steps so far can end at.

use crate::matcher::literals::byte_set::ByteSet;
use crate::matcher::literals::context::ContextStep;

/// How far a track is followed before its end is looked for without a look at what it needs.
const NEAR: usize = 512;

/// Where a track leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Followed {
    /// The text does not have what it needs.
    Nowhere,
    /// So many bytes at most.
    To(usize),
    /// Further than is looked at.
    Far,
}

/// One side of a part.
#[derive(Debug, Clone, Copy)]
pub enum Side<'t> {
    /// What stands before it.
    Before(&'t [u8]),
    /// What stands behind it.
    Behind(&'t [u8]),
}

impl Side<'_> {
    /// Follows the steps, which are in the order of the text; a character has at most `width` bytes.
    pub fn follow(self, steps: &[ContextStep], width: usize) -> Followed {
        match self {
            Self::Before(text) => {
                let near = &text[text.len().saturating_sub(NEAR)..];
                let (last, is_all) = (near.len(), near.len() == text.len());
                let at = |distance: usize| near[last - 1 - distance];
                NearText { at, len: last, is_all }.follow(steps.iter().rev(), width)
            }
            Self::Behind(text) => {
                let near = &text[..text.len().min(NEAR)];
                let at = |distance: usize| near[distance];
                NearText { at, len: near.len(), is_all: near.len() == text.len() }.follow(steps.iter(), width)
            }
        }
    }

    /// How far the steps can reach at most, however far that is.
    pub fn furthest(self, steps: &[ContextStep], width: usize) -> usize {
        match self {
            Self::Before(text) => {
                let at = |distance: usize| text[text.len() - 1 - distance];
                NearText { at, len: text.len(), is_all: true }.furthest(steps.iter().rev(), width)
            }
            Self::Behind(text) => {
                let at = |distance: usize| text[distance];
                NearText { at, len: text.len(), is_all: true }.furthest(steps.iter(), width)
            }
        }
    }
}

/// The bytes next to a part, by their distance from it.
struct NearText<At> {
    at: At,
    len: usize,
    /// Is there no more text than that?
    is_all: bool,
}

impl<At: Fn(usize) -> u8> NearText<At> {
    fn follow<'s>(&self, steps: impl Iterator<Item = &'s ContextStep>, width: usize) -> Followed {
        let (mut nearest, mut furthest) = (0, 0);
        for step in steps {
            let (bytes, least) = (step.bytes(), step.least());
            if least > 0 {
                let Some(first) = self.first_run(nearest, furthest, step) else {
                    let may_be_further = !self.is_all && furthest + least > self.len;
                    return if may_be_further { Followed::Far } else { Followed::Nowhere };
                };
                while furthest > first && !(furthest < self.len && bytes.contains((self.at)(furthest))) {
                    furthest -= 1;
                }
                nearest = first + least;
            }
            furthest = self.walk(furthest, step.most(width), bytes).max(nearest);
            if furthest >= self.len && !self.is_all {
                return Followed::Far;
            }
        }
        Followed::To(furthest)
    }

    fn furthest<'s>(&self, steps: impl Iterator<Item = &'s ContextStep>, width: usize) -> usize {
        steps.fold(0, |at, step| self.walk(at, step.most(width), step.bytes()))
    }

    /// From a place on, at most so far, over bytes of the set.
    fn walk(&self, from: usize, most: usize, bytes: &ByteSet) -> usize {
        let last = from.saturating_add(most).min(self.len);
        if *bytes == ByteSet::ALL {
            return last;
        }
        (from..last).find(|&place| !bytes.contains((self.at)(place))).unwrap_or(last)
    }

    /// The first place in an interval at which what the step needs can start. A byte that is not in the set rules out
    /// all places before it.
    fn first_run(&self, nearest: usize, furthest: usize, step: &ContextStep) -> Option<usize> {
        let (bytes, least, mut start) = (step.bytes(), step.least(), nearest);
        while start <= furthest && least <= self.len - start.min(self.len) {
            match (start..start + least).rev().find(|&place| !bytes.contains((self.at)(place))) {
                Some(stop) => start = stop + 1,
                None => return Some(start),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::literals;
    use crate::matcher::pattern::linear::{Charset, parse};

    /// Where the track behind the anchor of an expression leads.
    fn behind(expression: &str, text: &str) -> Followed {
        let anchor = literals::of(&parse(expression, Charset::Ascii).expect("an expression")).anchor;
        Side::Behind(text.as_bytes()).follow(anchor.expect("an anchor").after.steps(), 1)
    }

    /// Where the track before it leads.
    fn before(expression: &str, text: &str) -> Followed {
        let anchor = literals::of(&parse(expression, Charset::Ascii).expect("an expression")).anchor;
        Side::Before(text.as_bytes()).follow(anchor.expect("an anchor").before.steps(), 1)
    }

    #[test]
    fn a_track_is_followed_as_far_as_it_goes() {
        for (expression, text, expected) in [
            (r"zqxj\s*=\s*[a-z]*", "  =  abc;", Followed::To(8)),
            (r"zqxj\s*=\s*[a-z]*", "  ;  abc;", Followed::Nowhere),
            (r"zqxj.{0,9}[0-9]{3}", " a 12 345 6", Followed::To(9)),
            (r"zqxj.{0,5}[0-9]{3}", " a 12 345 6", Followed::Nowhere),
            (r"zqxj(?:\s|bb)*c", "b bc", Followed::To(4)),
            (r"zqxj(?:\s|bb)*c", "b xc", Followed::Nowhere),
            (r"zqxj\s*[ab]+", "zzz", Followed::Nowhere),
            (r"zqxj\s*[ab]+", "", Followed::Nowhere),
            (r"zqxj\s*[ab]*", "", Followed::To(0)),
        ] {
            assert_eq!(behind(expression, text), expected, "{expression} {text:?}");
        }
        assert_eq!(before(r"[0-9]{3}\s*-zqxj", "x123  "), Followed::To(5));
        assert_eq!(before(r"[0-9]{3}\s*-zqxj", "x1-3  "), Followed::Nowhere);
    }

    #[test]
    fn what_is_far_is_not_looked_at() {
        let long = "a".repeat(2 * NEAR);
        assert_eq!(behind(r"zqxj\s*[a-z]*;", &long), Followed::Far);
        assert_eq!(behind(r"zqxj\s*[a-z]{10};", &long), Followed::Nowhere);
        assert_eq!(behind(r"zqxj(?s:.)*;", &long), Followed::Far);
        assert_eq!(before(r"=[a-z]*\s*zqxj", &long), Followed::Far);
        let anchor = literals::of(&parse(r"zqxj\s*[a-z]*;", Charset::Ascii).expect("an expression")).anchor;
        let steps = anchor.expect("an anchor").after;
        assert_eq!(Side::Behind(long.as_bytes()).furthest(steps.steps(), 1), long.len());
    }
}
