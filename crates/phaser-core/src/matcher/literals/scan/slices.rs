//! Literals as slices of one buffer. Cheaper than shapes: nothing is copied, and a set is a fixed array.

use crate::matcher::literals::rules::{Choice, LiteralSet, PartMeasure, RepeatCount};

/// Cap on the literals of one pattern.
const MAX_TEXTS: usize = 8;
/// How much of a repetition is joined with the part after it, in bytes.
const MAX_TAIL: u16 = 2;

/// One literal: a range of the reader's buffer.
#[derive(Debug, Clone, Copy)]
pub(super) struct LiteralSlice {
    start: u16,
    end: u16,
}

impl LiteralSlice {
    pub(super) fn new(start: u16, end: u16) -> Self {
        Self { start, end }
    }

    pub(super) fn len(self) -> u16 {
        self.end - self.start
    }
}

impl LiteralSet for LiteralSlice {
    type Choice = OneOf;
    type Measure = CompiledSize;
    const MIN_RUN: usize = 16;

    fn empty() -> Self {
        Self { start: 0, end: 0 }
    }

    /// `None` unless the slices are adjacent in the buffer.
    fn joined(&self, behind: &Self) -> Option<Self> {
        match (self.len(), behind.len()) {
            (0, _) => Some(*behind),
            (_, 0) => Some(*self),
            _ => (self.end == behind.start).then_some(Self { start: self.start, end: behind.end }),
        }
    }

    fn either(self, _: &Self) -> Option<Self> {
        None
    }

    fn tail(&self) -> Self {
        Self { start: self.end - self.len().min(MAX_TAIL), end: self.end }
    }

    fn choice(&self) -> Option<OneOf> {
        let mut texts = [Self::empty(); MAX_TEXTS];
        texts[0] = *self;
        (self.len() > 0).then_some(OneOf { texts, count: 1, shortest: self.len() })
    }
}

/// Up to [`MAX_TEXTS`] literals, none of them empty.
#[derive(Debug, Clone, Copy)]
pub(super) struct OneOf {
    texts: [LiteralSlice; MAX_TEXTS],
    count: u16,
    /// The length of the shortest, in bytes.
    shortest: u16,
}

impl OneOf {
    fn slices(&self) -> &[LiteralSlice] {
        &self.texts[..usize::from(self.count)]
    }

    /// The literals, copied out of the buffer.
    pub(super) fn texts(self, letters: &[u8]) -> Vec<Box<[u8]>> {
        let text = |slice: &LiteralSlice| letters[usize::from(slice.start)..usize::from(slice.end)].into();
        self.slices().iter().map(text).collect()
    }
}

impl Choice for OneOf {
    type Measure = CompiledSize;

    fn is_better_than(&self, other: &Self) -> bool {
        self.shortest > other.shortest
    }

    fn or(mut self, other: Self) -> Option<Self> {
        let (known, count) = (usize::from(self.count), self.count + other.count);
        self.texts.get_mut(known..usize::from(count))?.copy_from_slice(other.slices());
        Some(Self { count, shortest: self.shortest.min(other.shortest), ..self })
    }

    fn widen(&mut self, _: CompiledSize, _: CompiledSize) {}
}

/// An estimate of the size of a part once compiled.
#[derive(Debug, Clone, Copy)]
pub(super) struct CompiledSize {
    /// The number of pieces, with repetitions written out.
    pub(super) pieces: usize,
    /// How many of them are large classes.
    pub(super) large: usize,
}

impl PartMeasure for CompiledSize {
    const NONE: Self = Self { pieces: 0, large: 0 };

    fn then(self, other: Self) -> Self {
        let Self { pieces, large } = other;
        Self { pieces: self.pieces.saturating_add(pieces), large: self.large.saturating_add(large) }
    }

    fn or(self, other: Self) -> Self {
        self.then(other)
    }

    fn times(self, RepeatCount { least, most }: RepeatCount) -> Self {
        let times = most.unwrap_or(least).max(1);
        Self { pieces: self.pieces.saturating_mul(times), large: self.large.saturating_mul(times) }
    }
}
