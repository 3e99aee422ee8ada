//! The algebra of required literals: facts about the parts of a pattern, combined bottom-up into facts about the
//! whole.
//!
//! A [`PatternPart`] holds what is known of one part. Two readers produce the leaves: [`extract`](super::extract)
//! from the syntax tree, [`scan`](super::scan) from the source of the pattern. Three rules combine them, whatever
//! a reader keeps of a literal (see [`LiteralSet`]):
//!
//! # Concatenation ([`Sequence`])
//!
//! Neighbours whose literals are all known are joined: `foo` then `ba(?:r|z)` is exactly `{foobar, foobaz}`. A
//! part that is not exact ends the literal, and the literal becomes a choice: `foo\w+bar` offers `{foo}` and
//! `{bar}`, and keeps the better one. A repetition is only known at its ends, so the literal before it is joined
//! with its head, and a new literal starts with its tail: `x(?:ab)+c` offers `{xab}` and `{abc}`.
//!
//! # Alternation ([`alternation`])
//!
//! All branches exact: the union, `foo|ba(?:r|z)` is exactly `{foo, bar, baz}`. Otherwise one choice per branch,
//! united: `foo\d+|\d+bar` requires one of `{foo, bar}`. A branch without a choice voids the others: `foo|\d+`
//! requires nothing. Runs are united in the same way: `[0-9]{20}|[a-f]{16}` requires 16 bytes in a row out of
//! `[0-9a-f]`.
//!
//! # Repetition ([`repeated`])
//!
//! `(?:foo)?` is exactly `{foo, ""}`; any other part that may be absent requires nothing (`(?:foo)*`). `(?:ab){2}`
//! is exactly `{abab}`. `(?:ab){2,}` starts and ends with `abab`, without being exact. A repeated character is a
//! run: `[0-9a-f]{32,}` requires 32 hexadecimal digits in a row.
//!
//! # Soundness
//!
//! Invariant: every match of a part contains one literal of its choice, and one run like its run; the measure
//! covers every match. Each rule preserves it. Dropping a fact is always sound, it only weakens the filter. That
//! is why `joined` and `either` may return `None` when a set gets too large. The property tests of
//! [`literals`](super) and [`scan`](super::scan) check the invariant against random patterns and texts.

use super::ByteRun;

/// Cap on the copies of a repeated part that are written out. No reader keeps a literal that long.
const MAX_COPIES: usize = 32;

/// All literals that a part can match, in the representation of one reader. Operations are lossy: `None` means
/// that the result is not kept.
pub(super) trait LiteralSet: Clone {
    /// Literals of which every match contains at least one.
    type Choice: Choice<Measure = Self::Measure>;
    /// What else is known of a part: its context or its compiled size.
    type Measure: PartMeasure;
    /// The shortest run that is kept, in bytes.
    const MIN_RUN: usize;

    /// The set with only the empty literal.
    fn empty() -> Self;
    /// Each literal of `self` followed by each literal of `behind`.
    fn joined(&self, behind: &Self) -> Option<Self>;
    /// The union of both sets.
    fn either(self, other: &Self) -> Option<Self>;
    /// The last bytes of each literal: what is known to stand before the next part.
    fn tail(&self) -> Self;
    /// The literals as a choice, unless one of them is too short or too common to search for.
    fn choice(&self) -> Option<Self::Choice>;
}

/// Literals of which every match contains at least one, with the measure of the text around them.
pub(super) trait Choice: Sized {
    type Measure;

    /// Whether searching for this choice is cheaper than searching for `other`.
    fn is_better_than(&self, other: &Self) -> bool;
    /// The union: every match contains a literal of one of them.
    fn or(self, other: Self) -> Option<Self>;
    /// Adds text of these measures before and after the literal.
    fn widen(&mut self, before: Self::Measure, after: Self::Measure);
}

/// A quantity that adds up over parts: [`Context`](super::context::Context), compiled size, or nothing.
pub trait PartMeasure: Clone {
    /// The measure of the empty part.
    const NONE: Self;

    /// `self` followed by `other`.
    #[must_use]
    fn then(self, other: Self) -> Self;
    /// `self` or `other`.
    #[must_use]
    fn or(self, other: Self) -> Self;
    /// `self`, repeated.
    #[must_use]
    fn times(self, times: RepeatCount) -> Self;
}

/// The bounds of a repetition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepeatCount {
    pub least: usize,
    /// `None`: unbounded.
    pub most: Option<usize>,
}

impl RepeatCount {
    /// `{1}`.
    pub const ONCE: Self = Self { least: 1, most: Some(1) };
    /// `?`.
    const MAYBE: Self = Self { least: 0, most: Some(1) };
}

/// What is known of a part of a pattern.
pub(super) struct PatternPart<T: LiteralSet> {
    pub(super) measure: T::Measure,
    /// All literals that it matches, if they are few.
    exact: Option<T>,
    /// Literals that every match both starts and ends with. Set by repetitions that are not exact.
    ends: Option<T>,
    /// The best choice inside the part. Unset if `exact` is set.
    inner: Option<T::Choice>,
    /// The rarest run.
    pub(super) run: Option<ByteRun>,
    /// For a part that matches one character: its bytes, as a run of one.
    character: Option<ByteRun>,
}

impl<T: LiteralSet> PatternPart<T> {
    /// A part that matches exactly these literals.
    pub(super) fn exact(texts: T, measure: T::Measure) -> Self {
        Self { exact: Some(texts), ..Self::opaque(measure) }
    }

    /// A part whose literals are unknown.
    pub(super) fn opaque(measure: T::Measure) -> Self {
        Self { measure, exact: None, ends: None, inner: None, run: None, character: None }
    }

    /// A part that matches the empty string, such as `^`.
    pub(super) fn look(measure: T::Measure) -> Self {
        Self::exact(T::empty(), measure)
    }

    /// Marks the part as a single character, so that a repetition of it is a run.
    pub(super) fn of_one_character(self, run: ByteRun) -> Self {
        Self { character: Some(run), ..self }
    }

    /// All literals that the part matches, if they are known.
    pub(super) fn texts(&self) -> Option<&T> {
        self.exact.as_ref()
    }

    /// The best choice of the part. Takes it out of the part.
    pub(super) fn choice(&mut self) -> Option<T::Choice> {
        match &self.exact {
            Some(texts) => texts.choice(),
            None => self.inner.take(),
        }
    }
}

/// Concatenates parts from left to right.
pub(super) struct Sequence<T: LiteralSet> {
    /// The measure of everything so far.
    measure: T::Measure,
    /// The literals that everything so far ends with.
    open: T,
    /// The measure of everything before `open`.
    before_open: T::Measure,
    /// Whether `open` is everything so far.
    is_whole: bool,
    inner: Option<T::Choice>,
    run: Option<ByteRun>,
}

impl<T: LiteralSet> Sequence<T> {
    pub(super) fn new() -> Self {
        Self {
            measure: PartMeasure::NONE,
            open: T::empty(),
            before_open: PartMeasure::NONE,
            is_whole: true,
            inner: None,
            run: None,
        }
    }

    pub(super) fn push(&mut self, part: PatternPart<T>) {
        let PatternPart { measure, exact, ends, inner, run, .. } = part;
        if let Some(run) = run {
            self.run =
                Some(self.run.map_or(run, |known| if run.cost() < known.cost() { run } else { known }));
        }
        if let Some(inner) = &mut self.inner {
            inner.widen(T::Measure::NONE, measure.clone());
        }
        let longer = exact.as_ref().or(ends.as_ref()).and_then(|known| self.open.joined(known));
        match (longer, exact) {
            (Some(longer), Some(_)) => self.open = longer,
            (longer, exact) => {
                self.is_whole = false;
                // The text that `longer` shows must not be counted again in the measure after it.
                let rest = || measure.clone().times(RepeatCount::MAYBE);
                let after = if longer.is_some() { rest() } else { measure.clone() };
                let held = longer.as_ref().unwrap_or(&self.open).choice();
                self.offer(held, self.before_open.clone(), after);
                self.offer(inner, self.measure.clone(), T::Measure::NONE);
                self.before_open = match (&exact, &ends) {
                    (Some(_), _) => self.measure.clone(),
                    (None, Some(_)) => self.measure.clone().then(rest()),
                    (None, None) => self.measure.clone().then(measure.clone()),
                };
                self.open = exact.or_else(|| ends.map(|ends| ends.tail())).unwrap_or_else(T::empty);
            }
        }
        self.measure = self.measure.clone().then(measure);
    }

    /// Keeps a choice if it is better than the best so far.
    fn offer(&mut self, held: Option<T::Choice>, before: T::Measure, after: T::Measure) {
        let is_better = |held: &T::Choice| self.inner.as_ref().is_none_or(|best| held.is_better_than(best));
        if let Some(mut held) = held.filter(is_better) {
            held.widen(before, after);
            self.inner = Some(held);
        }
    }

    pub(super) fn finish(mut self) -> PatternPart<T> {
        if self.is_whole {
            return PatternPart { run: self.run, ..PatternPart::exact(self.open, self.measure) };
        }
        self.offer(self.open.choice(), self.before_open.clone(), T::Measure::NONE);
        PatternPart { run: self.run, inner: self.inner, ..PatternPart::opaque(self.measure) }
    }
}

/// The rule for `a|b`.
pub(super) fn alternation<T: LiteralSet>(mut parts: Vec<PatternPart<T>>) -> PatternPart<T> {
    let measure =
        parts.iter().map(|part| part.measure.clone()).reduce(PartMeasure::or).unwrap_or(PartMeasure::NONE);
    let run = parts.iter().map(|part| part.run).reduce(|one, other| Some(one?.or(other?))).flatten();
    if let Some(texts) = all_exact(&parts) {
        return PatternPart { run, ..PatternPart::exact(texts, measure) };
    }
    let inner = parts.iter_mut().map(PatternPart::choice).reduce(|one, other| one?.or(other?)).flatten();
    PatternPart { run, inner, ..PatternPart::opaque(measure) }
}

fn all_exact<T: LiteralSet>(parts: &[PatternPart<T>]) -> Option<T> {
    let (first, others) = parts.split_first()?;
    others.iter().try_fold(first.exact.clone()?, |all, part| all.either(part.exact.as_ref()?))
}

/// The rule for `a{least,most}`.
pub(super) fn repeated<T: LiteralSet>(mut part: PatternPart<T>, times: RepeatCount) -> PatternPart<T> {
    let measure = part.measure.clone().times(times);
    if times.least == 0 {
        return match (part.exact, times.most) {
            (_, Some(0)) => PatternPart::look(measure),
            (Some(texts), Some(1)) => {
                let texts = texts.either(&T::empty());
                match texts {
                    Some(texts) => PatternPart::exact(texts, measure),
                    None => PatternPart::opaque(measure),
                }
            }
            _ => PatternPart::opaque(measure),
        };
    }
    let character = part.character.map(|run| ByteRun { count: run.count.saturating_mul(times.least), ..run });
    let run = character.or(part.run).filter(|run| run.count >= T::MIN_RUN);
    let (mut head, mut copies) = (T::empty(), 0);
    while copies < times.least.min(MAX_COPIES)
        && let Some(longer) = part.exact.as_ref().and_then(|texts| head.joined(texts))
    {
        head = longer;
        copies += 1;
    }
    let mut inner = part.choice();
    let around = || measure.clone().times(RepeatCount::MAYBE);
    inner.iter_mut().for_each(|held| held.widen(around(), around()));
    let is_exact = copies == times.least && times.most == Some(times.least);
    let (exact, ends) = if is_exact { (Some(head), None) } else { (None, Some(head)) };
    PatternPart { measure, exact, ends, inner, run, character: None }
}
