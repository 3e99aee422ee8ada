//! One pattern: validated when it is made, compiled when it is first searched for.
//!
//! Three engines give the same kind of answer. A literal is searched for as bytes; a regular
//! expression runs in linear time; one with look-around or back-references backtracks within a
//! budget, and running out of it is said, never taken for "no match".

use std::ops::{ControlFlow, Range};
use std::time::Duration;

use memchr::memmem;

use super::anatomy::{self, Anatomy};
use super::automaton::Search;
use super::backtracking::Backtracking;
use super::dialect::{self, Backtracks, DialectError};
use super::limits::Budget;
use super::linear::{Charset, Invalid, Linear};
use super::prefilter::MAX_WIDTH;
use super::sketch::{Looks, Sketch};
use crate::contract::{self, Dialect};
use crate::deadline::Deadline;

/// The most Unicode properties (`\p{…}`) in one pattern: each is a list of hundreds of ranges, and they take long to
/// read, whatever becomes of them.
const MAX_PROPERTIES: usize = 100;

/// A pattern that can be searched for.
#[derive(Debug)]
pub struct Pattern {
    engine: Engine,
    anatomy: Anatomy,
    timeout: Duration,
}

#[derive(Debug)]
enum Engine {
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
    /// It ran out of its time or its budget.
    OutOfTime,
    /// For text that is not ASCII, the automaton would be too large.
    TooLarge,
}

/// A text to search, and the windows of it in which a match can be.
#[derive(Debug, Clone, Copy)]
pub struct Within<'a> {
    /// The text.
    pub text: &'a [u8],
    /// Its character set.
    pub charset: Charset,
    /// The windows, in order, none overlapping; all matches that start in one end in it.
    pub windows: &'a [Range<usize>],
}

impl Within<'_> {
    fn charset_of(&self, window: &Range<usize>) -> Charset {
        self.charset.within(self.text, window)
    }
}

impl Pattern {
    /// The pattern of a contract, and what its author should know about it.
    pub fn new(
        pattern: &contract::Pattern,
        timeout: Duration,
    ) -> Result<(Self, Vec<&'static str>), PatternError> {
        if pattern.dialect == Dialect::Literal {
            let literal = pattern.source.as_bytes();
            let engine = Engine::Literal(Box::new(memmem::Finder::new(literal).into_owned()));
            return Ok((Self { engine, anatomy: anatomy::of_literal(literal), timeout }, Vec::new()));
        }
        if [r"\p", r"\P"].iter().map(|class| pattern.source.matches(class).count()).sum::<usize>()
            > MAX_PROPERTIES
        {
            return Err(PatternError::TooLarge);
        }
        let translation = dialect::translate(&pattern.source)?;
        let (engine, anatomy) = match translation.backtracks {
            Some(because) => {
                let sketch = Sketch::of(&pattern.source, Looks::Hold);
                let texts = sketch.as_ref().and_then(Sketch::texts);
                let anatomy = texts.map_or(Anatomy::UNKNOWN, anatomy::of_texts);
                let regex = Backtracking::new(translation.regex, because, timeout)?;
                (Engine::Backtracking(Box::new(regex)), anatomy)
            }
            None => {
                let (linear, anatomy) = Linear::new(translation.regex)?;
                (Engine::Linear(Box::new(linear)), anatomy)
            }
        };
        Ok((Self { engine, anatomy, timeout }, translation.notes))
    }

    /// Keeps what was made to find out whether the pattern is valid only as far as there is memory for it, and the anchor
    /// only if there is `room` for it; returns how much it takes.
    pub fn settle(&mut self, budget: &Budget, room: usize) -> usize {
        match &mut self.engine {
            Engine::Backtracking(regex) => regex.settle(budget),
            Engine::Literal(_) | Engine::Linear(_) => {}
        }
        let size = self.anatomy.size();
        if size > room {
            self.anatomy.anchor = None;
            self.anatomy.clues = Vec::new();
            return 0;
        }
        size
    }

    /// Calls `each` with every non-empty match, leftmost first, none overlapping, until it breaks.
    pub fn search(
        &self,
        within: Within<'_>,
        (deadline, budget): (Deadline, &Budget),
        mut each: impl FnMut(Range<usize>) -> ControlFlow<()>,
    ) -> Result<(), Unfinished> {
        match &self.engine {
            Engine::Literal(finder) => {
                let clock = deadline.or(Deadline::after(self.timeout));
                for window in within.windows {
                    let next = |window| Ok(find_literal(finder, within.text, window));
                    if each_match(window, clock, next, &mut each)?.is_break() {
                        break;
                    }
                }
                Ok(())
            }
            Engine::Linear(linear) => self.search_linear(linear, within, (deadline, budget), each),
            Engine::Backtracking(regex) => regex.search(within.text, deadline, budget, each),
        }
    }

    fn search_linear(
        &self,
        linear: &Linear,
        within: Within<'_>,
        (deadline, budget): (Deadline, &Budget),
        mut each: impl FnMut(Range<usize>) -> ControlFlow<()>,
    ) -> Result<(), Unfinished> {
        let needed = |charset| within.windows.iter().any(|window| within.charset_of(window) == charset);
        let forms = [Charset::Ascii, Charset::Any]
            .map(|charset| needed(charset).then(|| linear.automaton(charset, budget)).flatten());
        let clock = deadline.or(Deadline::after(self.timeout));
        let reach = |width| (self.anatomy.whole, width);
        let [mut ascii, mut any] = [(&forms[0], 1), (&forms[1], MAX_WIDTH)].map(|(form, width)| {
            form.as_deref().map(|form| Search::new(form, (within.text, clock), reach(width), budget))
        });
        let mut finished = Ok(());
        for window in within.windows {
            let search = match within.charset_of(window) {
                Charset::Ascii => &mut ascii,
                Charset::Any => &mut any,
            };
            match search {
                None => finished = Err(Unfinished::TooLarge),
                Some(search) => {
                    if each_match(window, clock, |window| search.next(window), &mut each)?.is_break() {
                        return Ok(());
                    }
                }
            }
        }
        finished
    }

    /// What every match has.
    pub fn anatomy(&self) -> &Anatomy {
        &self.anatomy
    }

    /// Why this pattern needs the backtracking engine, if it does.
    pub fn backtracks(&self) -> Option<Backtracks> {
        match &self.engine {
            Engine::Backtracking(regex) => Some(regex.because()),
            Engine::Literal(_) | Engine::Linear(_) => None,
        }
    }
}

impl From<Invalid> for PatternError {
    fn from(invalid: Invalid) -> Self {
        match invalid {
            Invalid::Syntax(what) => Self::Syntax(what),
            Invalid::TooLarge => Self::TooLarge,
        }
    }
}

fn find_literal(finder: &memmem::Finder<'_>, text: &[u8], window: Range<usize>) -> Option<Range<usize>> {
    let start = window.start + finder.find(&text[window])?;
    Some(start..start + finder.needle().len())
}

/// Calls `each` with every match in a window that is not empty.
fn each_match(
    window: &Range<usize>,
    clock: Deadline,
    mut next: impl FnMut(Range<usize>) -> Result<Option<Range<usize>>, Unfinished>,
    each: &mut impl FnMut(Range<usize>) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, Unfinished> {
    let mut at = window.start;
    while at <= window.end {
        let Some(found) = next(at..window.end)? else { break };
        at = found.end.max(found.start + 1);
        if !found.is_empty() && each(found).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        if clock.has_passed() {
            return Err(Unfinished::OutOfTime);
        }
    }
    Ok(ControlFlow::Continue(()))
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "lists of ranges, some of them short")]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn new(source: &str, dialect: Dialect) -> Result<(Pattern, Vec<&'static str>), PatternError> {
        Pattern::new(&contract::Pattern { source: source.to_owned(), dialect, line: 1, needs: None }, HOUR)
    }

    fn whole<'a>(text: &'a [u8], windows: &'a [Range<usize>]) -> Within<'a> {
        Within { text, charset: Charset::of(text), windows }
    }

    fn found(source: &str, dialect: Dialect, text: &str) -> Vec<Range<usize>> {
        let (pattern, _) = new(source, dialect).expect("a pattern");
        let (mut found, budget) = (Vec::new(), Budget::new(0));
        let finished =
            pattern.search(whole(text.as_bytes(), &[0..text.len()]), (Deadline::NEVER, &budget), |range| {
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
        let finished = pattern.search(whole(b"aaaa", &[0..4]), (Deadline::NEVER, &budget), |_| {
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
