//! One pattern: validated when it is made, compiled when it is first searched for.
//!
//! Three engines give the same kind of answer. A literal is searched for as bytes; a regular
//! expression runs in linear time; one with look-around or back-references backtracks within a
//! budget, and running out of it is said, never taken for "no match".

use std::ops::{ControlFlow, Range};

use memchr::memmem;

use super::limits::{Budget, Effort};
use super::literals::{self, Requirements, scan};
use super::prefilter::MAX_WIDTH;
use crate::contract::{self, Dialect};
use crate::deadline::Deadline;

mod automaton;
pub(super) mod backtracking;
pub mod dialect;
pub mod facts;
pub mod linear;
pub mod mistake;
pub mod vacuous;

use automaton::{AutomatonSearch, MatchExtent};
use backtracking::{Backtracking, SearchScope, Validity};
use dialect::{Backtracks, DialectError, Purpose, Translation};
use linear::{Charset, Invalid, Linear};

/// The most Unicode properties (`\p{…}`) in one pattern: each is a list of hundreds of ranges, and they take long to
/// read, whatever becomes of them.
const MAX_PROPERTIES: usize = 100;

/// How much may be looked at in vain by a pattern that can match the empty string, in bytes for one window: each such
/// match may come after a look at all of the rest.
const MAX_IN_VAIN: usize = 1 << 35;

/// A pattern that can be searched for.
#[derive(Debug)]
pub struct Pattern {
    engine: PatternEngine,
    requirements: Requirements,
}

#[derive(Debug)]
enum PatternEngine {
    Literal(Box<memmem::Finder<'static>>),
    Linear(Box<Linear>),
    Backtracking(Box<Backtracking>),
}

/// Why a pattern is not valid.
#[derive(Debug, thiserror::Error)]
pub enum PatternError {
    /// It uses something that has no counterpart here.
    #[error("'pattern' is not valid: {0}")]
    Dialect(#[from] DialectError),
    /// It is not a regular expression.
    #[error(
        "'pattern' is not a regular expression: {0} (write '\\' before a character that is meant literally)"
    )]
    Syntax(String),
    /// Its automaton would be too large.
    #[error("'pattern' is too large once compiled (use smaller repetitions, or fewer Unicode classes)")]
    TooLarge,
}

/// Why a search did not come to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfinished {
    /// It ran out of its budget, or a hook out of its time.
    OutOfTime,
    /// For text that is not ASCII, the automaton would be too large.
    TooLarge,
}

/// A text to search, and the windows of it in which a match can be.
#[derive(Debug, Clone, Copy)]
pub struct Haystack<'a> {
    /// The text, which is UTF-8.
    pub text: &'a [u8],
    /// Its character set.
    pub charset: Charset,
    /// The windows, in order, none overlapping; all matches that start in one end in it.
    pub windows: &'a [Range<usize>],
}

impl Haystack<'_> {
    fn charset_of(&self, window: &Range<usize>) -> Charset {
        self.charset.within(self.text, window)
    }
}

impl Pattern {
    /// The pattern of a contract, and what its author should know about it.
    pub fn new(pattern: &contract::Pattern) -> Result<(Self, Vec<&'static str>), PatternError> {
        if pattern.dialect == Dialect::Literal {
            let literal = pattern.source.as_bytes();
            let engine = PatternEngine::Literal(Box::new(memmem::Finder::new(literal).into_owned()));
            return Ok((Self { engine, requirements: literals::of_literal(literal) }, Vec::new()));
        }
        let translation = dialect::translate(&pattern.source, Purpose::Search)?;
        if translation.facts.properties > MAX_PROPERTIES {
            return Err(PatternError::TooLarge);
        }
        let Translation { regex, backtracks, mut notes, facts } = translation;
        let (engine, requirements) = match backtracks {
            Some(because) => {
                let tree = |purpose| {
                    let translation = dialect::translate(&pattern.source, purpose)?;
                    Ok::<_, PatternError>(linear::tree(&translation.regex, &translation.facts)?)
                };
                let endless = facts::endless_bytes(&tree(Purpose::Plain)?);
                let superset = tree(Purpose::Superset)?;
                let requirements = literals::of(&superset);
                notes.extend(facts::return_before_end(&superset).then_some(facts::RETURN_BEFORE_END));
                let scope = scope(&requirements);
                let validity = scan::needs(pattern).map_or(Validity::Unknown, |_| Validity::Known);
                let known =
                    backtracking::BacktrackingSource { regex, because, facts, endless, scope, validity };
                (PatternEngine::Backtracking(Box::new(Backtracking::new(known)?)), requirements)
            }
            None => {
                let (linear, tree) = Linear::new(regex, &facts)?;
                notes.extend(facts::return_before_end(&tree).then_some(facts::RETURN_BEFORE_END));
                let requirements = literals::of(&tree);
                let linear = linear.with_scope(scope(&requirements));
                (PatternEngine::Linear(Box::new(linear)), requirements)
            }
        };
        Ok((Self { engine, requirements }, notes))
    }

    /// Keeps what was made to find out whether the pattern is valid only as far as there is memory for it, and the anchor
    /// only if there is `room` for it; returns how much it takes.
    pub fn limit_memory(&mut self, budget: &Budget, room: usize) -> usize {
        match &mut self.engine {
            PatternEngine::Backtracking(regex) => regex.limit_memory(budget),
            PatternEngine::Literal(_) | PatternEngine::Linear(_) => {}
        }
        let size = self.requirements.size();
        if size > room {
            self.requirements.anchor = None;
            self.requirements.nearby = Vec::new();
            return 0;
        }
        size
    }

    /// Calls `each` with every non-empty match, leftmost first, none overlapping, until it breaks.
    pub fn search(
        &self,
        within: &Haystack<'_>,
        effort: &Effort<'_>,
        each: impl FnMut(Range<usize>) -> ControlFlow<()>,
    ) -> Result<(), Unfinished> {
        match &self.engine {
            PatternEngine::Literal(finder) => search_literal(finder, within, effort.clock(), each),
            PatternEngine::Linear(linear) => self.search_linear(linear, within, effort, each),
            PatternEngine::Backtracking(regex) => regex.search(within, effort, each),
        }
    }

    fn search_linear(
        &self,
        linear: &Linear,
        within: &Haystack<'_>,
        effort: &Effort<'_>,
        mut each: impl FnMut(Range<usize>) -> ControlFlow<()>,
    ) -> Result<(), Unfinished> {
        let needed = |charset| within.windows.iter().any(|window| within.charset_of(window) == charset);
        let clock = effort.clock();
        let bytes: usize = within.windows.iter().map(|window| window.len()).sum();
        let is_little = !clock.is_never() && bytes <= LITTLE;
        let scope = if is_little { SearchScope::Little } else { linear.scope() };
        let automaton = |charset| linear.automaton(charset, effort.budget, scope);
        let forms = [Charset::Ascii, Charset::Any]
            .map(|charset| needed(charset).then(|| automaton(charset)).flatten());
        let extents = [1, MAX_WIDTH].map(|width| MatchExtent { reach: self.requirements.whole, width });
        let search = |at: usize| {
            let form = forms[at].as_deref()?;
            Some(AutomatonSearch::new(form, within.text, extents[at], effort))
        };
        let (mut ascii, mut any) = (search(0), search(1));
        let mut finished = Ok(());
        for window in within.windows {
            let (search, extent) = match within.charset_of(window) {
                Charset::Ascii => (&mut ascii, &extents[0]),
                Charset::Any => (&mut any, &extents[1]),
            };
            let Some(search) = search else {
                finished = Err(Unfinished::TooLarge);
                continue;
            };
            let matches = MatchLoop { clock, text: within.text, extent: Some(extent) };
            if matches.each_match(window, |window| search.next(window), &mut each)?.is_break() {
                return Ok(());
            }
        }
        finished
    }

    /// What every match has.
    pub fn requirements(&self) -> &Requirements {
        &self.requirements
    }

    /// Why this pattern needs the backtracking engine, if it does.
    pub fn backtracks(&self) -> Option<Backtracks> {
        match &self.engine {
            PatternEngine::Backtracking(regex) => Some(regex.because()),
            PatternEngine::Literal(_) | PatternEngine::Linear(_) => None,
        }
    }
}

/// For so many bytes, what makes a search fast takes longer to make than it saves.
const LITTLE: usize = 2 * 1024;

/// How much of a text has to be searched for a pattern.
fn scope(requirements: &Requirements) -> SearchScope {
    requirements.anchor.as_ref().map_or(SearchScope::Whole, |_| SearchScope::Windows)
}

/// Can a match start with blank lines before what the pattern is about, as one of `^\s*print` can?
pub fn starts_across_lines(pattern: &contract::Pattern) -> bool {
    if pattern.dialect == Dialect::Literal {
        return false;
    }
    let translation = dialect::translate(&pattern.source, Purpose::Superset).ok();
    let tree = translation.and_then(|made| linear::tree(&made.regex, &made.facts).ok());
    tree.is_some_and(|tree| facts::starts_across_lines(&tree))
}

impl From<Invalid> for PatternError {
    fn from(invalid: Invalid) -> Self {
        match invalid {
            Invalid::Syntax(what) => Self::Syntax(what),
            Invalid::TooLarge => Self::TooLarge,
        }
    }
}

fn search_literal(
    finder: &memmem::Finder<'_>,
    within: &Haystack<'_>,
    clock: Deadline,
    mut each: impl FnMut(Range<usize>) -> ControlFlow<()>,
) -> Result<(), Unfinished> {
    let matches = MatchLoop { clock, text: within.text, extent: None };
    for window in within.windows {
        let next = |window: Range<usize>| {
            let found = finder.find(&within.text[window.clone()]).map(|at| window.start + at);
            Ok(found.map(|start| start..start + finder.needle().len()))
        };
        if matches.each_match(window, next, &mut each)?.is_break() {
            break;
        }
    }
    Ok(())
}

/// How long to go on with matches.
struct MatchLoop<'a> {
    clock: Deadline,
    text: &'a [u8],
    /// How far a match reaches, for a pattern that may match the empty string.
    extent: Option<&'a MatchExtent>,
}

impl MatchLoop<'_> {
    /// Calls `each` with every match in a window that is not empty.
    fn each_match(
        &self,
        window: &Range<usize>,
        mut next: impl FnMut(Range<usize>) -> Result<Option<Range<usize>>, Unfinished>,
        each: &mut impl FnMut(Range<usize>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Unfinished> {
        let (mut at, mut in_vain) = (window.start, 0usize);
        while at <= window.end {
            let Some(found) = next(at..window.end)? else { break };
            at = found.end.max(found.start + 1);
            if found.is_empty() {
                in_vain = in_vain.saturating_add(self.looked_at(found.start, window.end));
            } else if each(found).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            if in_vain > MAX_IN_VAIN || self.clock.has_passed() {
                return Err(Unfinished::OutOfTime);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// How much a search for a longer match than the empty one at `start` may have looked at. Without a deadline that is
    /// a matter of bytes; with one the clock tells.
    fn looked_at(&self, start: usize, end: usize) -> usize {
        match self.extent {
            Some(extent) if self.clock.is_never() => extent.from(start, self.text, end) - start,
            Some(_) | None => 0,
        }
    }
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "lists of ranges, some of them short")]
mod tests {
    use super::*;

    fn new(source: &str, dialect: Dialect) -> Result<(Pattern, Vec<&'static str>), PatternError> {
        Pattern::new(&contract::Pattern { source: source.to_owned(), dialect, line: 1, needs: None })
    }

    fn whole<'a>(text: &'a [u8], windows: &'a [Range<usize>]) -> Haystack<'a> {
        Haystack { text, charset: Charset::of(text), windows }
    }

    fn effort(budget: &Budget) -> Effort<'_> {
        Effort { timeout: std::time::Duration::from_secs(3600), deadline: Deadline::NEVER, budget }
    }

    fn found(source: &str, dialect: Dialect, text: &str) -> Vec<Range<usize>> {
        let (pattern, _) = new(source, dialect).expect("a pattern");
        let (mut found, budget) = (Vec::new(), Budget::new(0));
        let finished = pattern.search(&whole(text.as_bytes(), &[0..text.len()]), &effort(&budget), |range| {
            found.push(range);
            ControlFlow::Continue(())
        });
        assert_eq!(finished, Ok(()));
        found
    }

    #[test]
    fn a_literal_is_its_own_text() {
        assert_eq!(found("a.", Dialect::Literal, "ab a. a.."), [3..5, 6..8]);
        assert_eq!(found("aa", Dialect::Literal, "aaaaa"), [0..2, 2..4]);
        assert!(found("A", Dialect::Literal, "a").is_empty());
    }

    #[test]
    fn a_search_stops_when_it_is_told_to() {
        let (pattern, _) = new("a", Dialect::Regex).expect("a pattern");
        let (mut count, budget) = (0, Budget::new(0));
        let finished = pattern.search(&whole(b"aaaa", &[0..4]), &effort(&budget), |_| {
            count += 1;
            if count == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!((finished, count), (Ok(()), 2));
    }

    #[test]
    fn a_match_that_overlaps_an_empty_one_is_not_lost() {
        assert_eq!(found("(?=a)|é", Dialect::Regex, "éaé"), [0..2, 3..5]);
        assert!(found("a??|b", Dialect::Regex, "éb").is_empty());
    }

    #[test]
    fn only_some_constructs_backtrack() {
        let backtracks = |source| new(source, Dialect::Regex).expect("a pattern").0.backtracks();
        assert_eq!(backtracks("a(?=b)"), Some(Backtracks::LookAround));
        assert_eq!(backtracks(r"(a)\1"), Some(Backtracks::BackReference));
        assert_eq!(backtracks("a|b"), None);
        assert_eq!(new("a(?=b)", Dialect::Literal).expect("a pattern").0.backtracks(), None);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let error = |source| new(source, Dialect::Regex).expect_err("not a pattern").to_string();
        assert!(error("a(").starts_with("'pattern' is not a regular expression: unclosed group"));
        assert!(error("(?L)a").starts_with("'pattern' is not valid: the flag L"));
        assert!(error("(?=a").starts_with("'pattern' is not a regular expression: "));
        assert!(error("(?:(?:a{100}){100}){100}").starts_with("'pattern' is too large"));
        assert!(new(&r"\p{L}".repeat(MAX_PROPERTIES), Dialect::Regex).is_ok());
        assert!(error(&r"\P{L}".repeat(MAX_PROPERTIES + 1)).starts_with("'pattern' is too large"));
    }
}
