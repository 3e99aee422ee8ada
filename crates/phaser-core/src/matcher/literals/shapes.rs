//! Literals as shapes, a byte set per position. The prefilter searches for the rarest of them.

use super::context::Context;
use super::extract::{ClassBytes, FromHir};
use super::rules::{Choice, LiteralSet, PartMeasure as _, PatternPart, Sequence};
use super::{Anchor, AnchorKind, ByteRun, LiteralShape, MAX_SHAPE, shape};

/// Cap on the shapes of one part. An alternation of choices may have twice as many.
const MAX_SHAPES: usize = 16;
/// How much of a repetition is joined with the part after it, in bytes.
const MAX_TAIL: usize = 2;

/// A set of literals: all texts of any of these shapes.
#[derive(Clone)]
pub(super) struct Shapes(Vec<LiteralShape>);

impl Shapes {
    pub(super) fn one(shape: LiteralShape) -> Self {
        Self(vec![shape])
    }

    fn longest(&self) -> usize {
        self.0.iter().map(Vec::len).max().unwrap_or_default()
    }
}

impl LiteralSet for Shapes {
    type Choice = Anchor;
    type Measure = Context;
    const MIN_RUN: usize = 6;

    fn empty() -> Self {
        Self::one(Vec::new())
    }

    /// `None` if the result has too many or too long shapes.
    fn joined(&self, behind: &Self) -> Option<Self> {
        let (left, right) = (&self.0, &behind.0);
        if left.len() * right.len() > MAX_SHAPES || self.longest() + behind.longest() > MAX_SHAPE {
            return None;
        }
        let all = left.iter().flat_map(|left| right.iter().map(move |right| [&left[..], right].concat()));
        Some(Self(all.collect()))
    }

    /// `None` if the union has too many shapes.
    fn either(mut self, other: &Self) -> Option<Self> {
        (self.0.len() + other.0.len() <= MAX_SHAPES).then(|| {
            self.0.extend(other.0.iter().cloned());
            self
        })
    }

    fn tail(&self) -> Self {
        let tail = |shape: &LiteralShape| shape[shape.len().saturating_sub(MAX_TAIL)..].to_vec();
        Self(self.0.iter().map(tail).collect())
    }

    fn choice(&self) -> Option<Anchor> {
        Anchor::shapes(&self.0)
    }
}

impl FromHir for Shapes {
    fn literal(literal: &[u8]) -> PatternPart<Self> {
        let mut sequence = Sequence::new();
        for bytes in literal.chunks(MAX_SHAPE) {
            let shape = shape(bytes);
            let measure = Context::across(&shape);
            sequence.push(PatternPart::exact(Self::one(shape), measure));
        }
        sequence.finish()
    }

    fn class(class: ClassBytes) -> PatternPart<Self> {
        let (ClassBytes::One(bytes) | ClassBytes::Several(bytes)) = class;
        let measure = Context::across(&[bytes]);
        let run = ByteRun { bytes: measure.reach().bytes, count: 1 };
        let part = match class {
            ClassBytes::One(bytes) => PatternPart::exact(Self::one(vec![bytes]), measure),
            ClassBytes::Several(_) => PatternPart::opaque(measure),
        };
        part.of_one_character(run)
    }
}

impl Choice for Anchor {
    type Measure = Context;

    fn is_better_than(&self, other: &Self) -> bool {
        self.cost < other.cost
    }

    fn or(self, other: Self) -> Option<Self> {
        let (AnchorKind::Shapes(mut shapes), AnchorKind::Shapes(others)) = (self.kind, other.kind) else {
            return None;
        };
        shapes.extend(others);
        (shapes.len() <= 2 * MAX_SHAPES).then(|| Self {
            kind: AnchorKind::Shapes(shapes),
            before: self.before.or(other.before),
            after: self.after.or(other.after),
            cost: self.cost + other.cost,
        })
    }

    fn widen(&mut self, before: Context, after: Context) {
        let [known_before, known_after] =
            [&mut self.before, &mut self.after].map(|known| std::mem::replace(known, Context::NONE));
        self.before = before.then(known_before);
        self.after = known_after.then(after);
    }
}
