//! What is known of the parts of an expression, and how it adds up to what is known of the whole.

use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind, Repetition};

use super::byte_set::ByteSet;
use super::{Anchor, Key, MAX_SHAPE, Reach, Run, Shape, shape};

/// A class with more bytes may match characters outside ASCII, too.
pub(super) const NARROW: u32 = 4;
/// The most shapes that one anchor has.
const MAX_SHAPES: usize = 16;
/// How much of a repetition is joined with what comes after it.
const MAX_TAIL: usize = 2;
/// The shortest run worth knowing.
const MIN_RUN: usize = 6;

/// What is known of a part of an expression.
pub(super) struct Part {
    pub(super) reach: Reach,
    /// All that it can match, if that is little.
    exact: Option<Vec<Shape>>,
    /// What it starts with, and what it ends with, if not all is known.
    ends: Option<Vec<Shape>>,
    /// The best anchor within, if not all is known.
    inner: Option<Anchor>,
    pub(super) run: Option<Run>,
}

impl Part {
    fn exact(shapes: Vec<Shape>) -> Self {
        let reach = shapes.iter().map(|shape| Reach::across(shape)).reduce(Reach::or).unwrap_or(Reach::NONE);
        Self { reach, exact: Some(shapes), ends: None, inner: None, run: None }
    }

    fn opaque(reach: Reach) -> Self {
        Self { reach, exact: None, ends: None, inner: None, run: None }
    }

    /// The best part to look for first.
    pub(super) fn anchor(&self) -> Option<Anchor> {
        match &self.exact {
            Some(shapes) => Anchor::shapes(shapes),
            None => self.inner.clone(),
        }
    }
}

/// What is known of an expression.
pub(super) fn part(hir: &Hir) -> Part {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Part::exact(vec![Vec::new()]),
        HirKind::Literal(literal) => {
            let pieces = literal.0.chunks(MAX_SHAPE).map(|bytes| Part::exact(vec![shape(bytes)]));
            concatenation(pieces.collect())
        }
        HirKind::Class(class) => class_part(class),
        HirKind::Capture(capture) => part(&capture.sub),
        HirKind::Repetition(repetition) => repeated(repetition),
        HirKind::Concat(parts) => concatenation(parts.iter().map(part).collect()),
        HirKind::Alternation(parts) => alternation(parts.iter().map(part).collect()),
    }
}

fn class_part(class: &Class) -> Part {
    match class {
        Class::Unicode(class) if !class.is_ascii() => {
            Part::opaque(Reach { most: Some(1), bytes: ascii_bytes(class).union(ByteSet::HIGH) })
        }
        class => Part::exact(vec![vec![class_bytes(class)]]),
    }
}

/// The bytes of a class without characters of several bytes.
pub(super) fn class_bytes(class: &Class) -> ByteSet {
    let bytes = match class {
        Class::Bytes(class) => class
            .ranges()
            .iter()
            .fold(ByteSet::default(), |bytes, range| bytes.union(ByteSet::range(range.start(), range.end()))),
        Class::Unicode(class) => ascii_bytes(class),
    };
    if bytes.len() > NARROW { bytes.union(ByteSet::HIGH) } else { bytes }
}

fn ascii_bytes(class: &ClassUnicode) -> ByteSet {
    let ascii = class.ranges().iter().filter(|range| range.start().is_ascii());
    ascii.fold(ByteSet::default(), |bytes, range| {
        let last = if range.end().is_ascii() { range.end() as u8 } else { 0x7F };
        bytes.union(ByteSet::range(range.start() as u8, last))
    })
}

fn repeated(repetition: &Repetition) -> Part {
    let sub = part(&repetition.sub);
    let reach = sub.reach.times(repetition.max);
    let least = repetition.min as usize;
    if repetition.max == Some(0) {
        return Part::exact(vec![Vec::new()]);
    }
    if least == 0 {
        let optional = repetition.max == Some(1);
        return match sub.exact {
            Some(mut shapes) if optional && shapes.len() < MAX_SHAPES => {
                shapes.push(Vec::new());
                Part::exact(shapes)
            }
            _ => Part::opaque(reach),
        };
    }
    let run = match repetition.sub.kind() {
        HirKind::Class(_) => Some(Run { bytes: sub.reach.bytes, count: least }),
        _ => sub.run,
    };
    let run = run.filter(|run| run.count >= MIN_RUN);
    let inner = sub.anchor().map(|anchor| anchor.between(reach, reach));
    let mut head = vec![Vec::new()];
    let mut copies = 0;
    while copies < least
        && let Some(longer) = sub.exact.as_ref().and_then(|shapes| joined(&head, shapes))
    {
        head = longer;
        copies += 1;
    }
    let exact = copies == least && repetition.max == Some(repetition.min);
    let (exact, ends) = if exact { (Some(head), None) } else { (None, Some(head)) };
    Part { reach, exact, ends, inner, run }
}

fn alternation(parts: Vec<Part>) -> Part {
    let reach = parts.iter().map(|part| part.reach).reduce(Reach::or).unwrap_or(Reach::NONE);
    let run = parts.iter().map(|part| part.run).reduce(|one, other| Some(one?.or(other?))).flatten();
    let count: usize = parts.iter().map(|part| part.exact.as_ref().map_or(usize::MAX / 256, Vec::len)).sum();
    if count <= MAX_SHAPES {
        let shapes = parts.into_iter().filter_map(|part| part.exact).flatten().collect();
        return Part { run, ..Part::exact(shapes) };
    }
    let inner = parts.iter().map(Part::anchor).reduce(|one, other| either(one?, other?)).flatten();
    Part { run, inner, ..Part::opaque(reach) }
}

fn either(one: Anchor, other: Anchor) -> Option<Anchor> {
    let (Key::Shapes(mut shapes), Key::Shapes(others)) = (one.key, other.key) else { return None };
    shapes.extend(others);
    (shapes.len() <= 2 * MAX_SHAPES).then(|| Anchor {
        key: Key::Shapes(shapes),
        before: one.before.or(other.before),
        after: one.after.or(other.after),
        cost: one.cost + other.cost,
    })
}

/// Parts one after the other: neighbours of which all is known are joined.
fn concatenation(parts: Vec<Part>) -> Part {
    let run =
        parts.iter().filter_map(|part| part.run).min_by(|one, other| one.cost().total_cmp(&other.cost()));
    let reach = parts.iter().fold(Reach::NONE, |reach, part| reach.then(part.reach));
    let mut afters = vec![Reach::NONE; parts.len() + 1];
    for (index, part) in parts.iter().enumerate().rev() {
        afters[index] = part.reach.then(afters[index + 1]);
    }
    let mut inner: Option<Anchor> = None;
    let mut offer = |anchor: Option<Anchor>, before: Reach, after: Reach| {
        if let Some(anchor) =
            anchor.filter(|anchor| inner.as_ref().is_none_or(|best| anchor.cost < best.cost))
        {
            inner = Some(anchor.between(before, after));
        }
    };
    let (mut joined_from, mut shapes, mut before) = (Reach::NONE, vec![Vec::new()], Reach::NONE);
    let mut whole = true;
    for (index, part) in parts.iter().enumerate() {
        let known = part.exact.as_ref().or(part.ends.as_ref());
        let longer = known.and_then(|known| joined(&shapes, known));
        let ends = part.exact.is_none() || longer.is_none();
        whole &= !ends;
        match (longer, &part.exact) {
            (Some(longer), Some(_)) => shapes = longer,
            (longer, exact) => {
                offer(Anchor::shapes(&longer.unwrap_or(shapes)), joined_from, afters[index]);
                offer(part.inner.clone(), before, afters[index + 1]);
                joined_from = if exact.is_some() { before } else { before.then(part.reach) };
                shapes = match (exact, &part.ends) {
                    (Some(exact), _) => exact.clone(),
                    (None, Some(ends)) => ends.iter().map(tail).collect(),
                    (None, None) => vec![Vec::new()],
                };
            }
        }
        before = before.then(part.reach);
    }
    if whole {
        return Part { run, ..Part::exact(shapes) };
    }
    offer(Anchor::shapes(&shapes), joined_from, Reach::NONE);
    Part { run, inner, ..Part::opaque(reach) }
}

/// The last bytes of a shape: enough to tell what stands before the next one.
fn tail(shape: &Shape) -> Shape {
    shape[shape.len().saturating_sub(MAX_TAIL)..].to_vec()
}

/// Every shape of `left` with every one of `right` behind it, if they are not too many or too long.
fn joined(left: &[Shape], right: &[Shape]) -> Option<Vec<Shape>> {
    let longest = |shapes: &[Shape]| shapes.iter().map(Vec::len).max().unwrap_or_default();
    if left.len() * right.len() > MAX_SHAPES || longest(left) + longest(right) > MAX_SHAPE {
        return None;
    }
    let all = left.iter().flat_map(|left| right.iter().map(move |right| [&left[..], right].concat()));
    Some(all.collect())
}
