//! One pattern: validated when it is made, compiled when it is first searched for.
//!
//! Three engines give the same kind of answer. A literal is searched for as bytes; a regular
//! expression runs in linear time; one with look-around or back-references backtracks within a
//! budget, and running out of it is said, never taken for "no match".

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};
use std::time::{Duration, Instant};

use memchr::memmem;

use super::anatomy::{self, Anatomy};
use super::dialect::{self, Backtracks, DialectError};
use super::linear::{self, Charset, Invalid, Linear, SIZE_LIMIT};
use super::sketch::{self, Looks};
use crate::contract::{self, Dialect};

/// How often the backtracking engine may backtrack in each millisecond it is given.
const BACKTRACKS_PER_MS: u128 = 20_000;

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
    Backtracking { regex: Box<fancy_regex::Regex>, because: Backtracks },
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
        let translation = dialect::translate(&pattern.source)?;
        let (engine, anatomy) = match translation.backtracks {
            Some(because) => {
                let needed = sketch::needed(&pattern.source, Looks::Hold);
                let anatomy = needed.map_or(Anatomy::UNKNOWN, |texts| anatomy::of_texts(&texts));
                (backtracking(&translation.regex, because, timeout)?, anatomy)
            }
            None => {
                let (linear, anatomy) = Linear::new(translation.regex)?;
                (Engine::Linear(Box::new(linear)), anatomy)
            }
        };
        Ok((Self { engine, anatomy, timeout }, translation.notes))
    }

    /// Calls `each` with every non-empty match, leftmost first, none overlapping, until it breaks.
    pub fn search(
        &self,
        within: Within<'_>,
        mut each: impl FnMut(Range<usize>) -> ControlFlow<()>,
    ) -> Result<(), Unfinished> {
        let deadline = Deadline::start(self.timeout);
        let readable = match &self.engine {
            Engine::Backtracking { .. } => readable(within.text),
            Engine::Literal(_) | Engine::Linear(_) => Cow::Borrowed(""),
        };
        let mut finished = Ok(());
        for window in within.windows {
            let mut at = window.start;
            while at <= window.end {
                let found = match &self.engine {
                    Engine::Literal(finder) => find_literal(finder, within.text, at..window.end),
                    Engine::Linear(linear) => match linear.compiled(within.charset_of(window)) {
                        Some(regex) => linear::find(regex, within.text, at..window.end),
                        None => {
                            finished = Err(Unfinished::TooLarge);
                            break;
                        }
                    },
                    Engine::Backtracking { regex, .. } => backtrack(regex, &readable, at)?,
                };
                let Some(found) = found else { break };
                at = found.end.max(found.start + 1);
                if !found.is_empty() && each(found).is_break() {
                    return Ok(());
                }
                deadline.check()?;
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
            Engine::Backtracking { because, .. } => Some(*because),
            Engine::Literal(_) | Engine::Linear(_) => None,
        }
    }
}

fn backtracking(regex: &str, because: Backtracks, timeout: Duration) -> Result<Engine, PatternError> {
    let budget = usize::try_from(timeout.as_millis().max(1) * BACKTRACKS_PER_MS).unwrap_or(usize::MAX);
    let built = fancy_regex::RegexBuilder::new(regex)
        .multi_line(true)
        .crlf(true)
        .backtrack_limit(budget)
        .delegate_size_limit(SIZE_LIMIT)
        .build();
    match built {
        Ok(regex) => Ok(Engine::Backtracking { regex: Box::new(regex), because }),
        Err(fancy_regex::Error::ParseError(_, error)) => Err(PatternError::Syntax(error.to_string())),
        Err(fancy_regex::Error::CompileError(error)) => Err(PatternError::Syntax(error.to_string())),
        Err(error) => Err(PatternError::Syntax(error.to_string())),
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

fn backtrack(
    regex: &fancy_regex::Regex,
    text: &str,
    mut at: usize,
) -> Result<Option<Range<usize>>, Unfinished> {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    match regex.find_from_pos(text, at) {
        Ok(found) => Ok(found.map(|found| found.range())),
        Err(_) => Err(Unfinished::OutOfTime),
    }
}

/// The text for the backtracking engine, which takes the bytes after one that is not UTF-8 for a part of it. Such a
/// byte becomes a NUL, which text does not have, so that every place stays where it is.
fn readable(text: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(text) {
        return Cow::Borrowed(text);
    }
    let mut readable = String::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        readable.push_str(chunk.valid());
        readable.extend(chunk.invalid().iter().map(|_| '\0'));
    }
    Cow::Owned(readable)
}

/// When a search must stop.
struct Deadline {
    start: Instant,
    timeout: Duration,
}

impl Deadline {
    fn start(timeout: Duration) -> Self {
        Self { start: Instant::now(), timeout }
    }

    fn check(&self) -> Result<(), Unfinished> {
        if self.start.elapsed() > self.timeout { Err(Unfinished::OutOfTime) } else { Ok(()) }
    }
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "lists of ranges, some of them short")]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn new(source: &str, dialect: Dialect) -> Result<(Pattern, Vec<&'static str>), PatternError> {
        Pattern::new(&contract::Pattern { source: source.to_owned(), dialect, line: 1 }, HOUR)
    }

    fn whole<'a>(text: &'a [u8], windows: &'a [Range<usize>]) -> Within<'a> {
        Within { text, charset: Charset::of(text), windows }
    }

    fn found(source: &str, dialect: Dialect, text: &str) -> Vec<Range<usize>> {
        let (pattern, _) = new(source, dialect).expect("a pattern");
        let mut found = Vec::new();
        let finished = pattern.search(whole(text.as_bytes(), &[0..text.len()]), |range| {
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
        let mut count = 0;
        let finished = pattern.search(whole(b"aaaa", &[0..4]), |_| {
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
    }

    #[test]
    fn a_byte_that_is_not_utf8_becomes_one_byte() {
        let text = b"a\xFF\xE2\x84b\xC3";
        assert_eq!(readable(text), "a\0\0\0b\0");
        assert!(matches!(readable("é".as_bytes()), Cow::Borrowed("é")));
    }
}
