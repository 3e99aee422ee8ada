//! One pattern: validated when it is made, compiled when it is first searched for.
//!
//! Three engines give the same kind of answer. A literal is searched for as bytes; a regular
//! expression runs in linear time; one with look-around or back-references backtracks within a
//! budget, and running out of it is said, never taken for "no match".

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use memchr::memmem;
use regex_automata::meta;
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;
use regex_syntax::hir::Hir;

use super::dialect::{self, Backtracks, DialectError};
use crate::contract::{self, Dialect};

/// The most memory the automaton of one pattern may take, in bytes.
const SIZE_LIMIT: usize = 10 * 1024 * 1024;

/// How often the backtracking engine may backtrack in each millisecond it is given.
const BACKTRACKS_PER_MS: u128 = 20_000;

/// A pattern that can be searched for.
#[derive(Debug)]
pub struct Pattern {
    engine: Engine,
    timeout: Duration,
}

#[derive(Debug)]
enum Engine {
    Literal(Box<memmem::Finder<'static>>),
    Linear(Box<Linear>),
    Backtracking { regex: Box<fancy_regex::Regex>, because: Backtracks },
}

#[derive(Debug)]
struct Linear {
    regex: String,
    hir: Hir,
    ascii: OnceLock<Option<meta::Regex>>,
    unicode: OnceLock<Option<meta::Regex>>,
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

/// Whether a text is known to be ASCII; patterns are much smaller there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charset {
    /// Nothing but ASCII.
    Ascii,
    /// Anything, also bytes that are not UTF-8.
    Any,
}

impl Charset {
    /// The character set of `text`.
    pub fn of(text: &[u8]) -> Self {
        if text.is_ascii() { Self::Ascii } else { Self::Any }
    }
}

impl Pattern {
    /// The pattern of a contract, and what its author should know about it.
    pub fn new(
        pattern: &contract::Pattern,
        timeout: Duration,
    ) -> Result<(Self, Vec<&'static str>), PatternError> {
        if pattern.dialect == Dialect::Literal {
            let finder = memmem::Finder::new(pattern.source.as_bytes()).into_owned();
            return Ok((Self { engine: Engine::Literal(Box::new(finder)), timeout }, Vec::new()));
        }
        let translation = dialect::translate(&pattern.source)?;
        let engine = match translation.backtracks {
            Some(because) => backtracking(&translation.regex, because, timeout)?,
            None => Engine::Linear(Box::new(Linear::new(translation.regex)?)),
        };
        Ok((Self { engine, timeout }, translation.notes))
    }

    /// Calls `each` with every non-empty match, leftmost first, none overlapping, until it breaks.
    pub fn search(
        &self,
        text: &[u8],
        charset: Charset,
        mut each: impl FnMut(Range<usize>) -> ControlFlow<()>,
    ) -> Result<(), Unfinished> {
        let deadline = Deadline::start(self.timeout);
        let readable = match &self.engine {
            Engine::Backtracking { .. } => readable(text),
            Engine::Literal(_) | Engine::Linear(_) => Cow::Borrowed(""),
        };
        let mut at = 0;
        while at <= text.len() {
            let found = match &self.engine {
                Engine::Literal(finder) => find_literal(finder, text, at),
                Engine::Linear(linear) => linear.find(text, charset, at)?,
                Engine::Backtracking { regex, .. } => backtrack(regex, &readable, at)?,
            };
            let Some(found) = found else { return Ok(()) };
            at = found.end.max(found.start + 1);
            if !found.is_empty() && each(found).is_break() {
                return Ok(());
            }
            deadline.check()?;
        }
        Ok(())
    }

    /// Why this pattern needs the backtracking engine, if it does.
    pub fn backtracks(&self) -> Option<Backtracks> {
        match &self.engine {
            Engine::Backtracking { because, .. } => Some(*because),
            Engine::Literal(_) | Engine::Linear(_) => None,
        }
    }

    /// What a match must contain, for engines that can tell.
    pub fn requirement(&self) -> Requirement<'_> {
        match &self.engine {
            Engine::Literal(finder) => Requirement::Literal(finder.needle()),
            Engine::Linear(linear) => Requirement::Regex(&linear.hir),
            Engine::Backtracking { .. } => Requirement::Unknown,
        }
    }
}

/// What is known about every match of a pattern.
#[derive(Debug, Clone, Copy)]
pub enum Requirement<'a> {
    /// It is these bytes.
    Literal(&'a [u8]),
    /// It matches this expression.
    Regex(&'a Hir),
    /// Nothing.
    Unknown,
}

impl Linear {
    fn new(regex: String) -> Result<Self, PatternError> {
        let hir = parse(&regex)?;
        let linear = Self { regex, hir, ascii: OnceLock::new(), unicode: OnceLock::new() };
        let small = estimated_states(&linear.hir) < SIZE_LIMIT / 1024;
        if small || linear.compiled(Charset::Ascii).is_some() {
            Ok(linear)
        } else {
            Err(PatternError::TooLarge)
        }
    }

    fn find(&self, text: &[u8], charset: Charset, at: usize) -> Result<Option<Range<usize>>, Unfinished> {
        let regex = self.compiled(charset).ok_or(Unfinished::TooLarge)?;
        let input = regex_automata::Input::new(text).range(at..);
        Ok(regex.search(&input).map(|found| found.range()))
    }

    /// The automaton for text of this character set, or `None` when it would be too large.
    fn compiled(&self, charset: Charset) -> Option<&meta::Regex> {
        if charset == Charset::Ascii && self.has_ascii_form() {
            let ascii = self.ascii.get_or_init(|| compile(&self.regex, charset).ok());
            if let Some(ascii) = ascii {
                return Some(ascii);
            }
        }
        self.unicode.get_or_init(|| compile(&self.regex, Charset::Any).ok()).as_ref()
    }

    /// Is the expression without Unicode classes the same on ASCII text? Not if it names characters
    /// beyond ASCII: `(?i)` folds two of them, U+017F and U+212A, to ASCII letters.
    fn has_ascii_form(&self) -> bool {
        let beyond = [r"\u", r"\U", r"\x{", r"\p", r"\P", "(?u"];
        self.regex.is_ascii() && !beyond.iter().any(|escape| self.regex.contains(escape))
    }
}

fn syntax_config(charset: Charset) -> syntax::Config {
    syntax::Config::new()
        .multi_line(true)
        .crlf(true)
        .unicode(charset == Charset::Any)
        .utf8(false)
        .nest_limit(128)
}

fn parse(regex: &str) -> Result<Hir, PatternError> {
    syntax::parse_with(regex, &syntax_config(Charset::Any)).map_err(|error| {
        let what = match &error {
            regex_syntax::Error::Parse(error) => error.kind().to_string(),
            regex_syntax::Error::Translate(error) => error.kind().to_string(),
            other => other.to_string(),
        };
        PatternError::Syntax(what)
    })
}

fn compile(regex: &str, charset: Charset) -> Result<meta::Regex, Box<meta::BuildError>> {
    let config = meta::Config::new()
        .utf8_empty(false)
        .nfa_size_limit(Some(SIZE_LIMIT))
        .which_captures(thompson::WhichCaptures::Implicit);
    meta::Builder::new().configure(config).syntax(syntax_config(charset)).build(regex).map_err(Box::new)
}

/// A rough count of the states of an expression's automaton, which never runs away itself.
fn estimated_states(hir: &Hir) -> usize {
    use regex_syntax::hir::{Class, HirKind};
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(Class::Unicode(class)) => class.ranges().len().saturating_mul(2),
        HirKind::Class(Class::Bytes(_)) => 1,
        HirKind::Capture(capture) => estimated_states(&capture.sub),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1) as usize;
            estimated_states(&repetition.sub).saturating_mul(times)
        }
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(estimated_states).fold(0, usize::saturating_add)
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

fn find_literal(finder: &memmem::Finder<'_>, text: &[u8], at: usize) -> Option<Range<usize>> {
    let start = at + finder.find(&text[at..])?;
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
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn new(source: &str, dialect: Dialect) -> Result<(Pattern, Vec<&'static str>), PatternError> {
        Pattern::new(&contract::Pattern { source: source.to_owned(), dialect, line: 1 }, HOUR)
    }

    fn found(source: &str, dialect: Dialect, text: &str) -> Vec<Range<usize>> {
        let (pattern, _) = new(source, dialect).expect("a pattern");
        let mut found = Vec::new();
        let finished = pattern.search(text.as_bytes(), Charset::of(text.as_bytes()), |range| {
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
        let finished = pattern.search(b"aaaa", Charset::Ascii, |_| {
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
