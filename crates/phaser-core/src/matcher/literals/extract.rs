//! Reads required literals off the syntax tree of a pattern, with the [rules](super::rules).

use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind};

use super::byte_set::ByteSet;
use super::rules::{LiteralSet, PartMeasure, PatternPart, RepeatCount, Sequence, alternation, repeated};

/// A class of more bytes may also match characters beyond ASCII, in a tree parsed without Unicode.
pub(super) const NARROW: u32 = 4;

/// A [`LiteralSet`] with a constructor for each leaf of a syntax tree.
pub(super) trait FromHir: LiteralSet {
    fn literal(literal: &[u8]) -> PatternPart<Self>;
    fn class(class: ClassBytes) -> PatternPart<Self>;
}

/// The bytes that the characters of a class consist of.
#[derive(Debug, Clone, Copy)]
pub(super) enum ClassBytes {
    /// Every character is one byte.
    One(ByteSet),
    /// Some characters are several bytes.
    Several(ByteSet),
}

/// The facts about an expression. Recursive; the parser limits the depth.
pub(super) fn part<T: FromHir>(hir: &Hir) -> PatternPart<T> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => PatternPart::look(PartMeasure::NONE),
        HirKind::Literal(literal) => T::literal(&literal.0),
        HirKind::Class(class) => T::class(class_bytes(class)),
        HirKind::Capture(capture) => part(&capture.sub),
        HirKind::Repetition(repetition) => {
            let times = RepeatCount {
                least: repetition.min as usize,
                most: repetition.max.map(|most| most as usize),
            };
            repeated(part(&repetition.sub), times)
        }
        HirKind::Concat(parts) => {
            let mut sequence = Sequence::new();
            parts.iter().for_each(|hir| sequence.push(part(hir)));
            sequence.finish()
        }
        HirKind::Alternation(parts) => alternation(parts.iter().map(part).collect()),
    }
}

/// Whether every match contains a character beyond ASCII.
pub(super) fn is_beyond_ascii(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => false,
        HirKind::Literal(literal) => !literal.0.is_ascii(),
        HirKind::Class(Class::Bytes(class)) => class.ranges().iter().all(|range| !range.start().is_ascii()),
        HirKind::Class(Class::Unicode(class)) => class.ranges().iter().all(|range| !range.start().is_ascii()),
        HirKind::Capture(capture) => is_beyond_ascii(&capture.sub),
        HirKind::Repetition(repetition) => repetition.min > 0 && is_beyond_ascii(&repetition.sub),
        HirKind::Concat(parts) => parts.iter().any(is_beyond_ascii),
        HirKind::Alternation(parts) => parts.iter().all(is_beyond_ascii),
    }
}

/// The bytes that the characters of a class consist of.
pub(super) fn hir_bytes(class: &Class) -> ByteSet {
    match class_bytes(class) {
        ClassBytes::One(bytes) | ClassBytes::Several(bytes) => bytes,
    }
}

fn class_bytes(class: &Class) -> ClassBytes {
    let bytes = match class {
        Class::Bytes(class) => class
            .ranges()
            .iter()
            .fold(ByteSet::EMPTY, |bytes, range| bytes.union(ByteSet::range(range.start(), range.end()))),
        Class::Unicode(class) => ascii_bytes(class),
    };
    match class {
        Class::Unicode(class) if !class.is_ascii() => ClassBytes::Several(bytes.union(ByteSet::HIGH)),
        _ if bytes.size() > NARROW => ClassBytes::One(bytes.union(ByteSet::HIGH)),
        _ => ClassBytes::One(bytes),
    }
}

fn ascii_bytes(class: &ClassUnicode) -> ByteSet {
    let ascii = class.ranges().iter().filter(|range| range.start().is_ascii());
    ascii.fold(ByteSet::EMPTY, |bytes, range| {
        let last = if range.end().is_ascii() { range.end() as u8 } else { 0x7F };
        bytes.union(ByteSet::range(range.start() as u8, last))
    })
}
