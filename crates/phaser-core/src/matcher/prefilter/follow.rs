//! Follows a [`Context`](crate::matcher::literals::context::Context) through a text, away from an anchor: how far
//! can the match extend, if it can exist at all?
//!
//! Several ends are possible after each step, since steps have ranges. They are kept as an interval of distances
//! from the anchor. For `\s{0,} [=]{1} \s{0,} [a-z]{0,}` after the anchor in `zqxj  =  abc;`:
//!
//! ```text
//! step        text      nearest..furthest
//! \s{0,}      "  "      0..2
//! [=]{1}      "="       3..3
//! \s{0,}      "  "      3..5
//! [a-z]{0,}   "abc"     3..8        the match extends 8 bytes at most
//! ```
//!
//! With `;` instead of `=`, no distance of 0..2 has the required byte: the candidate is dropped. An interval
//! covers more ends than are possible, so the result is an upper bound, which is all that soundness needs. The
//! cost is bounded by [`NEAR`] bytes per candidate.

use crate::matcher::literals::byte_set::ByteSet;
use crate::matcher::literals::context::ContextStep;

/// The distance, in bytes, up to which required steps are tested. Beyond it only the reach counts.
const NEAR: usize = 512;

/// The result of following a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Followed {
    /// The text does not fit the context: no match.
    Nowhere,
    /// The maximum distance, in bytes.
    To(usize),
    /// Further than [`NEAR`].
    Far,
}

/// The text on one side of an anchor.
#[derive(Debug, Clone, Copy)]
pub enum Side<'t> {
    /// The text up to the anchor.
    Before(&'t [u8]),
    /// The text from the anchor on.
    Behind(&'t [u8]),
}

impl Side<'_> {
    /// Follows `steps`, given in text order, for characters of up to `width` bytes.
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

    /// The maximum distance, without testing required steps and without a limit.
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

/// Bytes indexed by their distance from the anchor.
struct NearText<At> {
    at: At,
    len: usize,
    /// Whether the text ends here.
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

    /// The distance reached from `from` over at most `most` bytes of the set.
    fn walk(&self, from: usize, most: usize, bytes: &ByteSet) -> usize {
        let last = from.saturating_add(most).min(self.len);
        if *bytes == ByteSet::ALL {
            return last;
        }
        (from..last).find(|&place| !bytes.contains((self.at)(place))).unwrap_or(last)
    }

    /// The first distance in an interval at which the required bytes of a step start. A byte outside the set rules
    /// out every start before it.
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

    /// Follows the context after the anchor of an expression.
    fn behind(expression: &str, text: &str) -> Followed {
        let anchor = literals::of(&parse(expression, Charset::Ascii).expect("an expression")).anchor;
        Side::Behind(text.as_bytes()).follow(anchor.expect("an anchor").after.steps(), 1)
    }

    /// Follows the context before the anchor of an expression.
    fn before(expression: &str, text: &str) -> Followed {
        let anchor = literals::of(&parse(expression, Charset::Ascii).expect("an expression")).anchor;
        Side::Before(text.as_bytes()).follow(anchor.expect("an anchor").before.steps(), 1)
    }

    #[test]
    fn follows_context_to_its_end() {
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
    fn stops_following_beyond_near() {
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
