//! One pattern: parsed when it is first needed, compiled when it is first searched.
//!
//! Three engines implement one interface, [`CompiledPattern::search`]:
//!
//! - *literal*: a substring search, for contracts with a literal pattern;
//! - [`linear`]: an automaton, in time linear in the text, for every regular expression without the constructs
//!   below;
//! - [`backtracking`]: for look-around, back-references, atomic groups and conditionals.
//!
//! # Example
//!
//! `^\s*assert\b(?!.*,)` goes through these steps:
//!
//! 1. [`dialect::translate`] rewrites Python's spelling into that of the engines (nothing to do here) and finds
//!    the look-ahead, so the pattern needs the backtracking engine.
//! 2. A second translation, [`TranslationPurpose::Superset`], leaves look-around out: `^\s*assert\b(?:)` matches
//!    wherever the pattern does. Its required literal is `assert` ([`literals`]), so the engine runs in windows
//!    around `assert` only.
//! 3. A third, [`TranslationPurpose::Plain`], keeps the look-ahead as a group, `^\s*assert\b(?:.*,)`, to find what
//!    a single step can run over: any byte but a newline ([`facts::endless_bytes`]). The longest line of a text
//!    bounds the work of one step.
//! 4. The first search compiles the engine, with a small limit of steps. A search that hits the limit is repeated
//!    with a larger one, within the budget.
//!
//! `(?i)\bprint\(` takes the other path: one translation, one syntax tree, parsed without Unicode if that is
//! equivalent on ASCII text. The automaton for ASCII text is compiled at the first search, the larger one for
//! other text only if a window has a character beyond ASCII.
//!
//! # Guarantees
//!
//! All engines return the same kind of result: non-empty matches, leftmost first, not overlapping. A search that
//! runs out of its budget returns [`Unfinished`], which becomes a gap in the report, never "no match". Without a
//! deadline the budget counts steps and bytes, so the result does not depend on the machine.

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
use dialect::{Backtracks, DialectError, Translation, TranslationPurpose};
use linear::{Charset, Invalid, Linear};

/// Cap on the Unicode properties (`\p{…}`) of one pattern. Each is a list of hundreds of ranges, slow to parse.
const MAX_PROPERTIES: usize = 100;

/// Cap on the bytes scanned after empty matches, per window. Each empty match may cost a scan of the rest.
const MAX_EMPTY_SCAN: usize = 1 << 35;

/// A pattern that can be searched for.
#[derive(Debug)]
pub struct CompiledPattern {
    engine: PatternEngine,
    requirements: Requirements,
}

#[derive(Debug)]
enum PatternEngine {
    Literal(Box<memmem::Finder<'static>>),
    Linear(Box<Linear>),
    Backtracking(Box<Backtracking>),
}

/// Why a pattern is invalid.
#[derive(Debug, thiserror::Error)]
pub enum PatternError {
    /// A construct without a counterpart here.
    #[error("'pattern' is not valid: {0}")]
    Dialect(#[from] DialectError),
    /// Not a regular expression.
    #[error(
        "'pattern' is not a regular expression: {0} (write '\\' before a character that is meant literally)"
    )]
    Syntax(String),
    /// The automaton exceeds the size limit.
    #[error("'pattern' is too large once compiled (use smaller repetitions, or fewer Unicode classes)")]
    TooLarge,
}

/// Why a search ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfinished {
    /// The budget or the deadline is exceeded.
    OutOfTime,
    /// The automaton for text beyond ASCII exceeds the size limit.
    TooLarge,
}

/// A text, and the windows in which matches are possible.
#[derive(Debug, Clone, Copy)]
pub struct Haystack<'a> {
    /// The text, as UTF-8.
    pub text: &'a [u8],
    pub charset: Charset,
    /// In order, not overlapping. A match that starts in a window ends in it.
    pub windows: &'a [Range<usize>],
}

impl Haystack<'_> {
    fn charset_of(&self, window: &Range<usize>) -> Charset {
        self.charset.within(self.text, window)
    }
}

impl CompiledPattern {
    /// Parses the pattern of a contract. Returns it with notes for its author.
    pub fn new(pattern: &contract::Pattern) -> Result<(Self, Vec<&'static str>), PatternError> {
        if pattern.dialect == Dialect::Literal {
            let literal = pattern.source.as_bytes();
            let engine = PatternEngine::Literal(Box::new(memmem::Finder::new(literal).into_owned()));
            return Ok((Self { engine, requirements: literals::of_literal(literal) }, Vec::new()));
        }
        let translation = dialect::translate(&pattern.source, TranslationPurpose::Search)?;
        if translation.facts.properties > MAX_PROPERTIES {
            return Err(PatternError::TooLarge);
        }
        let Translation { regex, backtracks, mut notes, facts, .. } = translation;
        let (engine, requirements) = match backtracks {
            Some(because) => {
                let tree = |purpose| {
                    let translation = dialect::translate(&pattern.source, purpose)?;
                    Ok::<_, PatternError>(linear::tree(&translation.regex, &translation.facts)?)
                };
                let endless = facts::endless_bytes(&tree(TranslationPurpose::Plain)?);
                let superset = tree(TranslationPurpose::Superset)?;
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

    /// Drops the compiled engine if the budget is spent, and the anchor if it exceeds `room` bytes. Returns the
    /// memory of the anchor, in bytes.
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

    /// Calls `each` with every non-empty match, leftmost first, not overlapping, until it breaks.
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

    /// What every match contains.
    pub fn requirements(&self) -> &Requirements {
        &self.requirements
    }

    /// The construct that needs the backtracking engine, if any.
    pub fn backtracks(&self) -> Option<Backtracks> {
        match &self.engine {
            PatternEngine::Backtracking(regex) => Some(regex.because()),
            PatternEngine::Literal(_) | PatternEngine::Linear(_) => None,
        }
    }
}

/// Up to this number of bytes, building a lazy DFA costs more than it saves.
const LITTLE: usize = 2 * 1024;

fn scope(requirements: &Requirements) -> SearchScope {
    requirements.anchor.as_ref().map_or(SearchScope::Whole, |_| SearchScope::Windows)
}

/// Whether a match can start with blank lines, as one of `^\s*print` can.
pub fn starts_across_lines(pattern: &contract::Pattern) -> bool {
    if pattern.dialect == Dialect::Literal {
        return false;
    }
    let translation = dialect::translate(&pattern.source, TranslationPurpose::Superset).ok();
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

/// The loop over the matches in a window, with its limits.
struct MatchLoop<'a> {
    clock: Deadline,
    text: &'a [u8],
    /// The extent of a match, for patterns that can match the empty string.
    extent: Option<&'a MatchExtent>,
}

impl MatchLoop<'_> {
    /// Calls `each` with every non-empty match in a window.
    fn each_match(
        &self,
        window: &Range<usize>,
        mut next: impl FnMut(Range<usize>) -> Result<Option<Range<usize>>, Unfinished>,
        each: &mut impl FnMut(Range<usize>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Unfinished> {
        let (mut at, mut empty_scan) = (window.start, 0usize);
        while at <= window.end {
            let Some(found) = next(at..window.end)? else { break };
            at = found.end.max(found.start + 1);
            if found.is_empty() {
                empty_scan = empty_scan.saturating_add(self.scanned(found.start, window.end));
            } else if each(found).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            if empty_scan > MAX_EMPTY_SCAN || self.clock.has_passed() {
                return Err(Unfinished::OutOfTime);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The bytes that a search may have scanned beyond the empty match at `start`. Zero under a deadline, where
    /// the clock is the limit.
    fn scanned(&self, start: usize, end: usize) -> usize {
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

    fn new(source: &str, dialect: Dialect) -> Result<(CompiledPattern, Vec<&'static str>), PatternError> {
        CompiledPattern::new(&contract::Pattern { source: source.to_owned(), dialect, line: 1, needs: None })
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
    fn literal_matches_itself_only() {
        assert_eq!(found("a.", Dialect::Literal, "ab a. a.."), [3..5, 6..8]);
        assert_eq!(found("aa", Dialect::Literal, "aaaaa"), [0..2, 2..4]);
        assert!(found("A", Dialect::Literal, "a").is_empty());
    }

    #[test]
    fn search_stops_at_break() {
        let (pattern, _) = new("a", Dialect::Regex).expect("a pattern");
        let (mut count, budget) = (0, Budget::new(0));
        let finished = pattern.search(&whole(b"aaaa", &[0..4]), &effort(&budget), |_| {
            count += 1;
            if count == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!((finished, count), (Ok(()), 2));
    }

    #[test]
    fn keeps_matches_that_overlap_empty_ones() {
        assert_eq!(found("(?=a)|é", Dialect::Regex, "éaé"), [0..2, 3..5]);
        assert!(found("a??|b", Dialect::Regex, "éb").is_empty());
    }

    #[test]
    fn backtracks_for_some_constructs_only() {
        let backtracks = |source| new(source, Dialect::Regex).expect("a pattern").0.backtracks();
        assert_eq!(backtracks("a(?=b)"), Some(Backtracks::LookAround));
        assert_eq!(backtracks(r"(a)\1"), Some(Backtracks::BackReference));
        assert_eq!(backtracks("a|b"), None);
        assert_eq!(new("a(?=b)", Dialect::Literal).expect("a pattern").0.backtracks(), None);
    }

    #[test]
    fn reports_invalid_patterns() {
        let error = |source| new(source, Dialect::Regex).expect_err("not a pattern").to_string();
        assert!(error("a(").starts_with("'pattern' is not a regular expression: unclosed group"));
        assert!(error("(?L)a").starts_with("'pattern' is not valid: the flag L"));
        assert!(error("(?=a").starts_with("'pattern' is not a regular expression: "));
        assert!(error("(?:(?:a{100}){100}){100}").starts_with("'pattern' is too large"));
        assert!(new(&r"\p{L}".repeat(MAX_PROPERTIES), Dialect::Regex).is_ok());
        assert!(error(&r"\P{L}".repeat(MAX_PROPERTIES + 1)).starts_with("'pattern' is too large"));
    }
}
