//! Short literals of every match, for patterns whose anchor is a run.
//!
//! `[a-z]{3}\dQ~[a-z]{31,34}` has a run of 31 letters as its anchor. The literal `Q~` is too short for a gram, yet
//! a window without it holds no match. Nearby literals are compared within windows only, never searched for in a
//! text.

use regex_syntax::hir::Hir;

use super::byte_set::{ByteSet, likelihood};
use super::extract::{ClassBytes, FromHir, part};
use super::rules::{Choice, LiteralSet, PartMeasure, PatternPart, RepeatCount, Sequence};
use super::{LiteralShape, folds, shape};

/// Caps on the number of literals of one pattern, and on the length of one, in bytes.
const MAX_LITERALS: usize = 8;
const MAX_LITERAL: usize = 4;

/// Cap on the bytes that are kept in one piece.
const MAX_BYTES: usize = 24;

/// The rarest literals of two to [`MAX_LITERAL`] bytes of which every match contains one.
pub fn nearby(hir: &Hir) -> Option<Vec<LiteralShape>> {
    part::<NearbyBytes>(hir).choice().map(|literals| literals.0)
}

/// Bytes in a row, each of them a whole character.
#[derive(Clone)]
struct NearbyBytes(LiteralShape);

/// Shapes of two bytes or more.
struct NearbyLiterals(Vec<LiteralShape>);

impl LiteralSet for NearbyBytes {
    type Choice = NearbyLiterals;
    type Measure = Unmeasured;
    const MIN_RUN: usize = usize::MAX;

    fn empty() -> Self {
        Self(Vec::new())
    }

    fn joined(&self, behind: &Self) -> Option<Self> {
        (self.0.len() + behind.0.len() <= MAX_BYTES).then(|| Self([&self.0[..], &behind.0].concat()))
    }

    fn either(self, _: &Self) -> Option<Self> {
        None
    }

    fn tail(&self) -> Self {
        Self(self.0[self.0.len().saturating_sub(1)..].to_vec())
    }

    fn choice(&self) -> Option<NearbyLiterals> {
        let literals = self.0.chunks(MAX_LITERAL).filter(|bytes| bytes.len() > 1);
        let rarest = literals.min_by(|one, other| commonness(one).total_cmp(&commonness(other)))?;
        Some(NearbyLiterals(vec![rarest.to_vec()]))
    }
}

impl Choice for NearbyLiterals {
    type Measure = Unmeasured;

    fn is_better_than(&self, other: &Self) -> bool {
        let all = |literals: &Self| literals.0.iter().map(|literal| commonness(literal)).sum::<f32>();
        all(self) < all(other)
    }

    fn or(mut self, mut other: Self) -> Option<Self> {
        self.0.append(&mut other.0);
        (self.0.len() <= MAX_LITERALS).then_some(self)
    }

    fn widen(&mut self, _: Unmeasured, _: Unmeasured) {}
}

/// The measure of a reader that needs none.
#[derive(Clone, Copy)]
struct Unmeasured;

impl PartMeasure for Unmeasured {
    const NONE: Self = Self;

    fn then(self, _: Self) -> Self {
        self
    }

    fn or(self, _: Self) -> Self {
        self
    }

    fn times(self, _: RepeatCount) -> Self {
        self
    }
}

impl FromHir for NearbyBytes {
    fn literal(literal: &[u8]) -> PatternPart<Self> {
        let mut sequence = Sequence::new();
        let pieces =
            literal.chunks(MAX_BYTES).map(|bytes| PatternPart::exact(Self(shape(bytes)), Unmeasured));
        pieces.for_each(|piece| sequence.push(piece));
        sequence.finish()
    }

    fn class(class: ClassBytes) -> PatternPart<Self> {
        match class {
            ClassBytes::One(bytes) if !bytes.has_high() && !folds(&bytes) => {
                PatternPart::exact(Self(vec![bytes]), Unmeasured)
            }
            ClassBytes::One(_) | ClassBytes::Several(_) => PatternPart::opaque(Unmeasured),
        }
    }
}

fn commonness(literal: &[ByteSet]) -> f32 {
    literal.iter().map(likelihood).product()
}

#[cfg(test)]
mod tests {
    use regex_syntax::ParserBuilder;

    use super::*;

    fn of(regex: &str) -> String {
        let mut parser = ParserBuilder::new();
        let hir = parser.utf8(false).unicode(false).build().parse(regex).expect("a regex");
        let show = |nearby: &LiteralShape| {
            nearby.iter().filter_map(|set| set.iter().next()).map(char::from).collect::<String>()
        };
        nearby(&hir).unwrap_or_default().iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn takes_the_rarest_bytes() {
        assert_eq!(of(r"[a-z]{3}\dQ~[a-z]{31,34}"), "Q~");
        assert_eq!(of(r"(?:hvs\.\w{90}|s\.(?i:[a-z0-9]{24}))"), "hvs. s.");
        assert_eq!(of(r"ee[0-9]{20}zq"), "zq");
        assert_eq!(of(r"(?:e=)+\w{20}"), "e=");
        assert_eq!(of("a[ab]{40}~"), "a~", "the end of a repetition stands before what follows it");
    }

    #[test]
    fn skips_bytes_that_may_be_absent() {
        for regex in [r"(?:Q~)?\w{20}", r"(?:Q~|)\w{20}", r"(?:Q~|x)\w{20}", "Q[a-z]{20}~", "(?i)ks[a-z]{20}"]
        {
            assert_eq!(of(regex), "", "{regex}");
        }
        assert_eq!(of("(?i)ax[a-z]{20}"), "AX");
    }
}
