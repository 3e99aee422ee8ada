//! The rules: what is known of the parts of a pattern, and how it adds up to what is known of the whole.
//!
//! There is one set of rules for everybody who reads patterns: [`tree`](super::extract) reads them off the syntax tree,
//! [`glance`](super::glance) off the pattern as it is spelled. What is kept of the texts of a part differs with what it
//! is for, and is not known here: see [`LiteralSet`].

use super::ByteRun;

/// No more copies of a part are written out than this: no text is kept that long.
const MAX_COPIES: usize = 32;

/// All texts that a part can match, in whatever way they are kept. What cannot be kept is given up, which says less but
/// nothing wrong.
pub(super) trait LiteralSet: Clone {
    /// Some texts of which every match holds one, and where it holds it, as far as that is of interest.
    type Choice: Choice<Measure = Self::Measure>;
    /// What else is known of a part.
    type Measure: PartMeasure;
    /// The shortest run worth knowing.
    const MIN_RUN: usize;

    /// The empty text.
    fn empty() -> Self;
    /// Each of these with each of the others behind it.
    fn joined(&self, behind: &Self) -> Option<Self>;
    /// These and the others.
    fn either(self, other: &Self) -> Option<Self>;
    /// The last bytes of each.
    fn tail(&self) -> Self;
    /// What a match holds that is one of these.
    fn choice(&self) -> Option<Self::Choice>;
}

/// Some texts of which every match holds one.
pub(super) trait Choice: Sized {
    /// What is known of what stands around it.
    type Measure;

    /// Is it better to look for this than for the other?
    fn is_better_than(&self, other: &Self) -> bool;
    /// One of these or one of the others.
    fn or(self, other: Self) -> Option<Self>;
    /// With more around it.
    fn widen(&mut self, before: Self::Measure, after: Self::Measure);
}

/// A measure of a part, which adds up.
pub trait PartMeasure: Clone {
    /// That of nothing.
    const NONE: Self;

    /// Of one part after the other.
    #[must_use]
    fn then(self, other: Self) -> Self;
    /// Of one part or the other.
    #[must_use]
    fn or(self, other: Self) -> Self;
    /// Of a part that is repeated.
    #[must_use]
    fn times(self, times: RepeatCount) -> Self;
}

/// How often a part is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepeatCount {
    /// At least.
    pub least: usize,
    /// At most, or without an end.
    pub most: Option<usize>,
}

impl RepeatCount {
    /// Not repeated.
    pub const ONCE: Self = Self { least: 1, most: Some(1) };
    /// There, or a part of it, or not there.
    const MAYBE: Self = Self { least: 0, most: Some(1) };
}

/// What is known of a part of a pattern.
pub(super) struct PatternPart<T: LiteralSet> {
    pub(super) measure: T::Measure,
    /// All that it can match, if that is little.
    exact: Option<T>,
    /// What it starts with, and what it ends with, if not all is known.
    ends: Option<T>,
    /// The best of what is within, beside what it can match as a whole.
    inner: Option<T::Choice>,
    /// The rarest run.
    pub(super) run: Option<ByteRun>,
    /// The run of one byte or more that it is, if it is one character.
    character: Option<ByteRun>,
}

impl<T: LiteralSet> PatternPart<T> {
    /// It matches these texts and no others.
    pub(super) fn exact(texts: T, measure: T::Measure) -> Self {
        Self { exact: Some(texts), ..Self::opaque(measure) }
    }

    /// Nothing is known of its texts.
    pub(super) fn opaque(measure: T::Measure) -> Self {
        Self { measure, exact: None, ends: None, inner: None, run: None, character: None }
    }

    /// It matches no text, only a place.
    pub(super) fn look(measure: T::Measure) -> Self {
        Self::exact(T::empty(), measure)
    }

    /// The same, which is one character, whose bytes are those of the run.
    pub(super) fn of_one_character(self, run: ByteRun) -> Self {
        Self { character: Some(run), ..self }
    }

    /// All that it can match, if that is known.
    pub(super) fn texts(&self) -> Option<&T> {
        self.exact.as_ref()
    }

    /// The best of what every match holds.
    pub(super) fn choice(&mut self) -> Option<T::Choice> {
        match &self.exact {
            Some(texts) => texts.choice(),
            None => self.inner.take(),
        }
    }
}

/// Parts one after the other: neighbours of which all is known are joined.
pub(super) struct Sequence<T: LiteralSet> {
    /// Of everything so far.
    measure: T::Measure,
    /// What it ends with so far.
    open: T,
    /// What stands before that.
    before_open: T::Measure,
    /// Is that all there is?
    is_whole: bool,
    inner: Option<T::Choice>,
    run: Option<ByteRun>,
}

impl<T: LiteralSet> Sequence<T> {
    /// Nothing.
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

    /// Adds a part.
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
                // What the texts show of the part is not there a second time.
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

    /// Every match holds this, too.
    fn offer(&mut self, held: Option<T::Choice>, before: T::Measure, after: T::Measure) {
        let is_better = |held: &T::Choice| self.inner.as_ref().is_none_or(|best| held.is_better_than(best));
        if let Some(mut held) = held.filter(is_better) {
            held.widen(before, after);
            self.inner = Some(held);
        }
    }

    /// All of it.
    pub(super) fn finish(mut self) -> PatternPart<T> {
        if self.is_whole {
            return PatternPart { run: self.run, ..PatternPart::exact(self.open, self.measure) };
        }
        self.offer(self.open.choice(), self.before_open.clone(), T::Measure::NONE);
        PatternPart { run: self.run, inner: self.inner, ..PatternPart::opaque(self.measure) }
    }
}

/// One part or another.
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

/// A part that is repeated.
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
