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

use std::cell::{OnceCell, RefCell};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use memchr::memmem;

use super::limits::{Budget, Effort};
use super::literals::{self, MatchReach, Requirements, scan};
use super::prefilter::MAX_WIDTH;
use super::prefilter::windows::walk;
use crate::contract::{self, Dialect};
use crate::deadline::Deadline;
use crate::skipped::ParseLimit;

mod automaton;
pub(super) mod backtracking;
pub mod dialect;
pub(crate) mod facts;
pub(crate) mod linear;
pub mod mistake;
pub mod vacuous;

use automaton::{Automaton, AutomatonCache};
use backtracking::{Backtracking, SearchScope};
use dialect::{Backtracks, DialectError, Translation, TranslationPurpose};
use linear::{Charset, Linear};

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
    /// The text exceeds a limit on parsing code.
    NotParsed(ParseLimit),
}

/// A text, and the windows in which matches are possible.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Haystack<'a> {
    /// The text, as UTF-8.
    pub text: &'a [u8],
    /// Whether the text is known to be ASCII.
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
                    linear::tree(&translation.regex, &translation.facts)
                };
                let endless = facts::endless_bytes(&tree(TranslationPurpose::Plain)?);
                let superset = tree(TranslationPurpose::Superset)?;
                let requirements = literals::of(&superset);
                notes.extend(facts::return_before_end(&superset).then_some(facts::RETURN_BEFORE_END));
                let scope = scope(&requirements);
                let is_valid = scan::required_literals(pattern).is_some();
                let known =
                    backtracking::BacktrackingSource { regex, because, facts, endless, scope, is_valid };
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
        if let PatternEngine::Backtracking(regex) = &mut self.engine {
            regex.limit_memory(budget);
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
    pub(crate) fn search(
        &self,
        within: &Haystack<'_>,
        effort: &Effort<'_>,
        each: impl FnMut(Range<usize>) -> ControlFlow<()>,
    ) -> Result<(), Unfinished> {
        match &self.engine {
            PatternEngine::Literal(finder) => each_match(within, effort.clock(), each, |window, at| {
                let found = finder.find(&within.text[at..window.end]).map(|found| at + found);
                (found.map(|start| start..start + finder.needle().len()), 0)
            }),
            PatternEngine::Linear(linear) => self.search_linear(linear, within, effort, each),
            PatternEngine::Backtracking(regex) => regex.search(within, effort, each),
        }
    }

    fn search_linear(
        &self,
        linear: &Linear,
        within: &Haystack<'_>,
        effort: &Effort<'_>,
        each: impl FnMut(Range<usize>) -> ControlFlow<()>,
    ) -> Result<(), Unfinished> {
        let needed = |charset| within.windows.iter().any(|window| within.charset_of(window) == charset);
        let clock = effort.clock();
        let bytes: usize = within.windows.iter().map(|window| window.len()).sum();
        let is_little = !clock.is_never() && bytes <= LITTLE;
        let scope = if is_little { SearchScope::Little } else { linear.scope() };
        let forms = [Charset::Ascii, Charset::Any].map(|charset| {
            needed(charset).then(|| linear.automaton(charset, effort.budget, scope)).flatten()
        });
        let worst_case = forms.iter().flatten().map(|form| form.worst_case(bytes)).max().unwrap_or_default();
        let search = LinearSearch { forms, reach: self.requirements.whole, clock };
        if clock.left().is_none_or(|left| worst_case <= left) {
            return search.run(within, effort.budget, each);
        }
        let (text, windows) = (within.text.to_owned(), within.windows.to_vec());
        let (charset, budget) = (within.charset, effort.budget.clone());
        let run = move |each: &mut dyn FnMut(Range<usize>) -> ControlFlow<()>| {
            search.run(&Haystack { text: &text, charset, windows: &windows }, &budget, each)
        };
        effort.budget.search_detached(clock, run, each)
    }

    /// What every match contains.
    pub(crate) fn requirements(&self) -> &Requirements {
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

/// Searches many short texts for one pattern. Automata are made for the first text and serve the others, which
/// [`CompiledPattern::search`] does not promise for little text.
pub(crate) struct ShortSearch<'p> {
    pattern: &'p CompiledPattern,
    effort: Effort<'p>,
    /// For ASCII and for any text; `None` if it is too large.
    forms: [OnceCell<Option<ShortForm>>; 2],
}

/// An automaton with a cache for all searches of a [`ShortSearch`].
struct ShortForm {
    automaton: Arc<Automaton>,
    cache: RefCell<AutomatonCache>,
}

impl<'p> ShortSearch<'p> {
    pub fn new(pattern: &'p CompiledPattern, effort: Effort<'p>) -> Self {
        Self { pattern, effort, forms: Default::default() }
    }

    /// Whether the text has a match that is not empty.
    pub fn is_match(&self, text: &str) -> Result<bool, Unfinished> {
        let charset = Charset::of(text.as_bytes());
        if let PatternEngine::Linear(linear) = &self.pattern.engine
            && text.len() <= LITTLE
            && let Some(found) = self.find(linear, charset, text.as_bytes())
        {
            return Ok(found);
        }
        let whole = 0..text.len();
        let within = Haystack { text: text.as_bytes(), charset, windows: std::slice::from_ref(&whole) };
        let mut is_found = false;
        self.pattern.search(&within, &self.effort, |_| {
            is_found = true;
            ControlFlow::Break(())
        })?;
        Ok(is_found)
    }

    /// `None` if the first match is empty, or the search is not known to be short.
    fn find(&self, linear: &Linear, charset: Charset, text: &[u8]) -> Option<bool> {
        let clock = self.effort.clock();
        let scope = if clock.is_never() { linear.scope() } else { SearchScope::Little };
        let form = &self.forms[usize::from(charset == Charset::Any)];
        let form = form.get_or_init(|| {
            let automaton = linear.automaton(charset, self.effort.budget, scope)?;
            Some(ShortForm { cache: RefCell::new(automaton.cache()), automaton })
        });
        let ShortForm { automaton, cache } = form.as_ref()?;
        if !automaton.worst_case(text.len()).is_zero() {
            return None;
        }
        match automaton.find(&mut cache.borrow_mut(), text, 0..text.len()) {
            Some(found) if found.is_empty() => None,
            found => Some(found.is_some()),
        }
    }
}

impl Drop for ShortSearch<'_> {
    /// Keeps the caches for other files.
    fn drop(&mut self) {
        for ShortForm { automaton, cache } in self.forms.iter_mut().filter_map(|form| form.take().flatten()) {
            automaton.keep(cache.into_inner(), self.effort.budget);
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

/// A search with the automata for ASCII and for any text, as far as they are needed and not too large.
struct LinearSearch {
    forms: [Option<Arc<Automaton>>; 2],
    /// The extent of a match.
    reach: MatchReach,
    clock: Deadline,
}

impl LinearSearch {
    fn run(
        &self,
        within: &Haystack<'_>,
        budget: &Budget,
        mut each: impl FnMut(Range<usize>) -> ControlFlow<()>,
    ) -> Result<(), Unfinished> {
        let mut caches = self.forms.each_ref().map(|form| form.as_ref().map(|form| (form, form.cache())));
        let mut is_complete = true;
        let finished = each_match(within, self.clock, &mut each, |window, at| {
            let (form, width) = match within.charset_of(window) {
                Charset::Ascii => (0, 1),
                Charset::Any => (1, MAX_WIDTH),
            };
            let Some((automaton, cache)) = &mut caches[form] else {
                is_complete = false;
                return (None, 0);
            };
            let found = automaton.find(cache, within.text, at..window.end);
            let is_empty = found.as_ref().is_some_and(Range::is_empty);
            let scanned = if is_empty && self.clock.is_never() {
                let start = found.as_ref().map_or(at, |found| found.start);
                self.extent(start, within.text, window.end, width) - start
            } else {
                0
            };
            (found, scanned)
        });
        for (automaton, cache) in caches.into_iter().flatten() {
            automaton.keep(cache, budget);
        }
        finished?;
        if is_complete { Ok(()) } else { Err(Unfinished::TooLarge) }
    }

    /// The offset up to which a match that starts at `start` can extend, at most `end`.
    fn extent(&self, start: usize, text: &[u8], end: usize, width: usize) -> usize {
        let most = self.reach.most.map_or(usize::MAX, |most| most.saturating_mul(width));
        walk(text, start, end.min(start.saturating_add(most)), &self.reach.bytes)
    }
}

/// Calls `each` with every non-empty match in the windows, until it breaks. `next` returns the first match in a window
/// from an offset on, and the bytes that it may have scanned beyond an empty one.
fn each_match(
    within: &Haystack<'_>,
    clock: Deadline,
    mut each: impl FnMut(Range<usize>) -> ControlFlow<()>,
    mut next: impl FnMut(&Range<usize>, usize) -> (Option<Range<usize>>, usize),
) -> Result<(), Unfinished> {
    for window in within.windows {
        let (mut at, mut empty_scan) = (window.start, 0usize);
        while at <= window.end {
            let (Some(found), scanned) = next(window, at) else { break };
            at = found.end.max(found.start + 1);
            empty_scan = empty_scan.saturating_add(scanned);
            if !found.is_empty() && each(found).is_break() {
                return Ok(());
            }
            if empty_scan > MAX_EMPTY_SCAN || clock.has_passed() {
                return Err(Unfinished::OutOfTime);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "lists of ranges, some of them short")]
mod tests {
    use super::*;

    fn new(source: &str, dialect: Dialect) -> Result<(CompiledPattern, Vec<&'static str>), PatternError> {
        CompiledPattern::new(&contract::Pattern {
            source: source.to_owned(),
            dialect,
            line: 1,
            literals: None,
        })
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
    fn gives_up_slow_searches_at_deadline() {
        let mut seed = 1u32;
        let text: Vec<u8> = std::iter::repeat_with(|| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if seed >> 31 == 0 { b'a' } else { b'b' }
        })
        .take(200_000)
        .collect();
        let search = |source, text: &[u8], deadline| {
            let ((pattern, _), budget) = (new(source, Dialect::Regex).expect("a pattern"), Budget::new(0));
            let effort = Effort { deadline, ..effort(&budget) };
            pattern.search(&whole(text, &[0..text.len()]), &effort, |_| ControlFlow::Continue(()))
        };
        let late = Deadline::after(std::time::Duration::ZERO);
        assert_eq!(search("a[ab]{40}c", &text, late), Err(Unfinished::OutOfTime));
        assert_eq!(search("[ab]*c", &text, late), Ok(()), "what is quick needs no time");
        assert_eq!(search("a[ab]{40}c", &text[..20_000], Deadline::NEVER), Ok(()), "there is no hurry");
    }

    #[test]
    fn detached_search_finds_the_same() {
        let text = "é key=12 ab\nkey=3 ".repeat(40_000);
        for source in ["key=[0-9]{1,500}", r"é key=[0-9]{1,500}\b"] {
            let ((pattern, _), budget) =
                (new(source, Dialect::Regex).expect("a pattern"), Budget::new(usize::MAX / 2));
            let search = |deadline| {
                let mut found = Vec::new();
                let effort = Effort { deadline, ..effort(&budget) };
                let windows = [0..text.len() / 2 - 1, text.len() / 2 + 1..text.len()];
                let finished = pattern.search(&whole(text.as_bytes(), &windows), &effort, |range| {
                    found.push(range);
                    ControlFlow::Continue(())
                });
                (found, finished)
            };
            // At worst, 360 million positions of the expression take 20 s.
            let detached = search(Deadline::after(std::time::Duration::from_secs(15)));
            assert_eq!(detached, search(Deadline::NEVER), "{source}");
        }
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
