//! The text before or after a required literal, as a list of steps: n to m characters out of a byte set, then n to
//! m out of another.
//!
//! After `password` in `password\s*=\s*"[0-9a-z]{8,}"` the context is
//!
//! ```text
//! [ \t-\r]{0,}  [=]{1}  [ \t-\r]{0,}  ["]{1}  [0-9a-z]{8,}  ["]{1}
//! ```
//!
//! A context is an over-approximation of the expression: alternatives become one step with the union of their
//! bytes (`ab|c` is `[abc]{1,2}`), a repeated group too (`(?:ab){2,}` is `[ab]{4,}`). So a text that does not fit
//! the context has no match there, and [`follow`](crate::matcher::prefilter) can drop a candidate after a few
//! bytes. The converse does not hold: `[abc]{1,2}` also fits `ca`.

use super::byte_set::ByteSet;
use super::rules::{PartMeasure, RepeatCount};
use super::{MatchReach, folds};

/// Cap on the steps of a context. The steps in the middle are merged: those next to the literal reject most.
const MAX_STEPS: usize = 24;

/// Unbounded.
const ENDLESS: u32 = u32::MAX;

/// `least` to `most` characters out of a byte set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContextStep {
    bytes: ByteSet,
    least: u32,
    most: u32,
}

impl ContextStep {
    fn one(bytes: &ByteSet) -> Self {
        // U+212A and U+017F fold to `k` and `s`, and have several bytes.
        let bytes = if folds(bytes) { bytes.union(ByteSet::HIGH) } else { *bytes };
        Self { bytes, least: 1, most: 1 }
    }

    /// The bytes that the characters consist of.
    pub fn bytes(&self) -> &ByteSet {
        &self.bytes
    }

    /// The minimum length in bytes.
    pub fn least(&self) -> usize {
        self.least as usize
    }

    /// The maximum length in bytes, for characters of up to `width` bytes.
    pub fn most(&self, width: usize) -> usize {
        let width = if self.bytes.has_high() { width } else { 1 };
        if self.most == ENDLESS { usize::MAX } else { (self.most as usize).saturating_mul(width) }
    }

    /// A step that covers both alternatives.
    fn or(self, other: Self) -> Self {
        let bytes = self.bytes.union(other.bytes);
        Self { bytes, least: self.least.min(other.least), most: self.most.max(other.most) }
    }

    /// A step that covers `self` followed by `other`, in any order.
    fn with(self, other: Self) -> Self {
        let bytes = self.bytes.union(other.bytes);
        let least = self.least.saturating_add(other.least).min(ENDLESS - 1);
        Self { bytes, least, most: self.most.saturating_add(other.most) }
    }

    fn times(self, times: RepeatCount) -> Self {
        let count = |times: usize| u32::try_from(times).unwrap_or(ENDLESS);
        let least = self.least.saturating_mul(count(times.least)).min(ENDLESS - 1);
        let most =
            if self.most == 0 { 0 } else { self.most.saturating_mul(times.most.map_or(ENDLESS, count)) };
        Self { least, most, ..self }
    }
}

/// Steps in text order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Context(Vec<ContextStep>);

impl Context {
    /// One character for each byte set of a shape.
    pub fn across(shape: &[ByteSet]) -> Self {
        Self(shape.iter().map(ContextStep::one).collect()).shortened()
    }

    /// A single step that covers everything within `reach`.
    pub fn within(reach: MatchReach) -> Self {
        let most = reach.most.map_or(ENDLESS, |most| u32::try_from(most).unwrap_or(ENDLESS));
        Self(vec![ContextStep { bytes: reach.bytes, least: 0, most }])
    }

    /// The steps in text order.
    pub fn steps(&self) -> &[ContextStep] {
        &self.0
    }

    /// The maximum length, and the bytes of all steps.
    pub fn reach(&self) -> MatchReach {
        let Some(step) = self.as_one() else { return MatchReach::NONE };
        let most = (step.most != ENDLESS).then_some(step.most as usize);
        MatchReach { most, bytes: step.bytes.union(ByteSet::HIGH) }
    }

    /// Heap memory, in bytes.
    pub fn size(&self) -> usize {
        size_of_val(self.0.as_slice())
    }

    /// A single step that covers the whole context; `None` if it is empty.
    fn as_one(&self) -> Option<ContextStep> {
        self.0.iter().copied().reduce(ContextStep::with)
    }

    fn shortened(mut self) -> Self {
        if self.0.len() > MAX_STEPS {
            let middle = MAX_STEPS / 2..self.0.len() + 1 - MAX_STEPS / 2;
            let one = self.0[middle.clone()].iter().copied().reduce(ContextStep::with);
            self.0.splice(middle, one);
        }
        self
    }
}

impl PartMeasure for Context {
    const NONE: Self = Self(Vec::new());

    fn then(mut self, other: Self) -> Self {
        let mut others = other.0.into_iter();
        if let (Some(last), [next, ..]) = (self.0.last_mut(), others.as_slice())
            && last.bytes == next.bytes
        {
            *last = last.with(*next);
            others.next();
        }
        self.0.extend(others);
        self.shortened()
    }

    fn or(self, other: Self) -> Self {
        if self == other {
            return self;
        }
        match (self.as_one(), other.as_one()) {
            (Some(one), Some(other)) => Self(vec![one.or(other)]),
            (Some(step), None) | (None, Some(step)) => Self(vec![ContextStep { least: 0, ..step }]),
            (None, None) => Self::NONE,
        }
    }

    fn times(self, times: RepeatCount) -> Self {
        if times == RepeatCount::ONCE {
            return self;
        }
        Self(self.as_one().map(|step| step.times(times)).filter(|step| step.most > 0).into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(bytes: &str) -> ByteSet {
        ByteSet::of(bytes)
    }

    fn across(text: &str) -> Context {
        Context::across(&text.bytes().map(|byte| ByteSet::range(byte, byte)).collect::<Vec<_>>())
    }

    /// Each step as its ASCII bytes, its minimum and its maximum.
    fn shown(track: &Context) -> Vec<(String, u32, Option<u32>)> {
        let show = |step: &ContextStep| {
            let bytes = step.bytes.iter().filter(u8::is_ascii).map(char::from).collect();
            (bytes, step.least, (step.most != ENDLESS).then_some(step.most))
        };
        track.0.iter().map(show).collect()
    }

    #[test]
    fn joins_steps_with_equal_bytes() {
        let two = across("aa").then(across("ab"));
        assert_eq!(
            shown(&two),
            [("a".to_owned(), 1, Some(1)), ("a".to_owned(), 2, Some(2)), ("b".to_owned(), 1, Some(1))]
        );
        let digits = Context::across(&[set("01")]).times(RepeatCount { least: 3, most: None });
        assert_eq!(shown(&digits), [("01".to_owned(), 3, None)]);
        assert_eq!(digits.reach().most, None);
    }

    #[test]
    fn merges_alternatives_into_one_step() {
        let either = across("ab").or(across("c"));
        assert_eq!(shown(&either), [("abc".to_owned(), 1, Some(2))]);
        assert_eq!(shown(&across("ab").or(across("ab"))).len(), 2);
        assert_eq!(shown(&across("ab").or(Context::NONE)), [("ab".to_owned(), 0, Some(2))]);
        assert_eq!(
            shown(&across("ab").times(RepeatCount { least: 0, most: Some(3) })),
            [("ab".to_owned(), 0, Some(6))]
        );
        assert!(shown(&across("ab").times(RepeatCount { least: 0, most: Some(0) })).is_empty());
    }

    #[test]
    fn merges_steps_in_the_middle() {
        let long = (0..9).fold(Context::NONE, |track, _| track.then(across("abcdefghij")));
        assert_eq!(long.0.len(), MAX_STEPS);
        assert_eq!(long.reach().most, Some(90));
        assert_eq!((shown(&long)[0].0.as_str(), shown(&long)[MAX_STEPS - 1].0.as_str()), ("a", "j"));
    }

    #[test]
    fn widens_letters_with_unusual_folds() {
        let track = Context::across(&[set("kK"), set("aA")]);
        assert_eq!(track.0.iter().map(|step| step.most(4)).collect::<Vec<_>>(), [4, 1]);
    }
}
