//! The backtracking engine (fancy-regex), with a budget of steps.
//!
//! A step is one backtrack. fancy-regex takes the limit when a regex is built and does not return how many steps a
//! call used. So a call starts with [`FREE_STEPS`]; one that hits the limit is repeated with a regex built for
//! [`GROWTH`] times as many, and only repeated calls count against the budget. `(?:(?!x)(?:a|aa))+c` on 500 `a`
//! hits 20,000, 80,000 and 320,000 steps, and so on until the budget of `--timeout` is spent:
//! [`Unfinished::OutOfTime`].
//!
//! A step may scan a long stretch of text, as `.*` does. The longest stretch of bytes that the expression can run
//! over without bound, up to the whole text for `[\s\S]*`, gives each step a weight. All of this depends on the
//! expression and the text alone, so a search ends in the same way on every machine.
//!
//! Under a deadline (a hook) the search runs in a thread of its own, which is abandoned when the deadline passes.

use std::ops::{ControlFlow, Range};
use std::sync::{Arc, OnceLock};

use fancy_regex::{CompileError, RegexInput, RuntimeError};

use super::dialect::{Backtracks, Facts};
use super::linear::SIZE_LIMIT;
use super::{Haystack, PatternError, Unfinished};
use crate::deadline::Deadline;
use crate::matcher::limits::{Budget, Effort};
use crate::matcher::literals::byte_set::ByteSet;

/// The limit of steps of the first call, which is free.
const FREE_STEPS: u64 = 20_000;

/// The factor from one limit to the next.
const GROWTH: u64 = 4;

/// Steps per byte of text, added to the budget.
const STEPS_PER_BYTE: u64 = 8;

/// A step that scans up to this number of bytes has weight one.
const STEP_BYTES: usize = 1024;

/// The bytes that a search may scan per step of its budget, beside those of free calls.
const BYTES_PER_STEP: u64 = 4096;

/// Cap on the program of an expression, in instructions.
const MAX_PROGRAM: usize = 100_000;

/// The estimated memory of an expression, in bytes: by itself, per large class, and if it has counted repetitions.
const SIZE: usize = 32 * 1024;
const CLASS_SIZE: usize = 128 * 1024;
const REPEATED_SIZE: usize = 4 * 1024 * 1024;

/// Above this number of bytes in reach of one step, a search can take tens of megabytes, and the engine keeps them
/// as long as it lives. It is then built for one search and dropped.
const LONG: usize = 16 * 1024;

/// An assertion that always holds. Without it the engine rewrites an expression that ends in look-ahead into a
/// plain one with a group, which cannot see beyond the end of a window.
const HARD: &str = r"(?![^\s\S])";

#[derive(Debug)]
pub struct Backtracking {
    expression: Expression,
    because: Backtracks,
    size: usize,
    /// The bytes that the expression can run over without bound.
    endless: ByteSet,
    scope: SearchScope,
    /// The engine for free calls, built on first use. `None` if the budget is spent.
    kept: OnceLock<Option<Arc<fancy_regex::Regex>>>,
}

/// How much of a text is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchScope {
    /// Windows around an anchor.
    Windows,
    /// Windows with little text in them, and hardly more to come: a hook.
    Little,
    /// The whole text.
    Whole,
}

/// An expression and the facts needed to build its engine.
#[derive(Debug)]
pub struct BacktrackingSource {
    pub regex: String,
    /// The construct that needs this engine.
    pub because: Backtracks,
    pub facts: Facts,
    /// The bytes that the expression can run over without bound.
    pub endless: ByteSet,
    pub scope: SearchScope,
    /// Whether the expression is known to be valid.
    pub is_valid: bool,
}

/// An expression with the number of its groups.
#[derive(Debug, Clone)]
struct Expression {
    text: Arc<str>,
    groups: usize,
}

impl Backtracking {
    /// Compiles the expression unless it is known to be valid.
    pub fn new(known: BacktrackingSource) -> Result<Self, PatternError> {
        let BacktrackingSource { regex, because, facts, endless, scope, is_valid } = known;
        let repeated = if facts.counts { REPEATED_SIZE } else { 0 };
        let size = SIZE + facts.large_classes * CLASS_SIZE + repeated;
        let text = match scope {
            SearchScope::Windows | SearchScope::Little => format!("{HARD}{regex}"),
            SearchScope::Whole => regex,
        };
        let expression = Expression { text: text.into(), groups: facts.groups };
        let kept = if is_valid {
            OnceLock::new()
        } else {
            OnceLock::from(Some(Arc::new(expression.build(FREE_STEPS)?)))
        };
        Ok(Self { expression, because, size, endless, scope, kept })
    }

    /// The construct that needs this engine.
    pub fn because(&self) -> Backtracks {
        self.because
    }

    /// Drops the compiled engine if the budget is spent.
    pub fn limit_memory(&mut self, budget: &Budget) {
        if budget.is_spent() {
            self.kept = OnceLock::from(None);
        } else {
            budget.take(self.size);
        }
    }

    /// Calls `each` with every match in the windows, until it breaks.
    pub fn search(
        &self,
        within: &Haystack<'_>,
        effort: &Effort<'_>,
        each: impl FnMut(Range<usize>) -> ControlFlow<()>,
    ) -> Result<(), Unfinished> {
        let Ok(text) = std::str::from_utf8(within.text) else { return Err(Unfinished::TooLarge) };
        let (clock, whole) = (effort.clock(), 0..text.len());
        let within = &match self.scope {
            SearchScope::Windows | SearchScope::Little => *within,
            SearchScope::Whole => Haystack { windows: std::slice::from_ref(&whole), ..*within },
        };
        if clock.is_never() {
            return self.start(within, effort).each_match(text, within.windows, each);
        }
        let (mut search, text) = (self.start(within, effort), text.to_owned());
        let windows = within.windows.to_vec();
        effort.budget.search_detached(clock, move |each| search.each_match(&text, &windows, each), each)
    }

    /// The engine for free calls, if it is kept.
    fn kept(&self) -> Option<Arc<fancy_regex::Regex>> {
        self.kept.get_or_init(|| self.expression.build(FREE_STEPS).ok().map(Arc::new)).clone()
    }

    fn start(&self, within: &Haystack<'_>, effort: &Effort<'_>) -> BacktrackingSearch {
        let text = within.text;
        let stretch =
            if text.len() <= STEP_BYTES { text.len() } else { longest_stretch(text, &self.endless) };
        let weight = weight(stretch);
        let longest = within.windows.iter().map(ExactSizeIterator::len).max().unwrap_or_default();
        let is_long = longest.saturating_add(stretch).min(text.len()) > LONG;
        let first = if weight == 1 && !is_long { self.kept() } else { None };
        let steps = effort.steps().saturating_add(text.len() as u64 * STEPS_PER_BYTE) / weight;
        BacktrackingSearch {
            expression: self.expression.clone(),
            engines: first.into_iter().collect(),
            weight,
            left: steps.min(effort.steps().saturating_mul(BYTES_PER_STEP) / stretch.max(1) as u64),
            clock: effort.clock(),
        }
    }
}

/// The limit of steps for captures of a known match.
const GROUP_STEPS: u64 = 1_000_000;

/// The expression with its groups, for captures of a known match.
pub fn with_groups(regex: &str, facts: &Facts) -> Option<fancy_regex::Regex> {
    Expression { text: format!("{HARD}{regex}").into(), groups: facts.groups }.build(GROUP_STEPS).ok()
}

/// The weight of a step that may scan `stretch` bytes: a power of [`GROWTH`].
fn weight(stretch: usize) -> u64 {
    let mut weight = 1;
    while (stretch / STEP_BYTES) as u64 >= weight * GROWTH {
        weight *= GROWTH;
    }
    weight
}

/// The length of the longest stretch of these bytes.
fn longest_stretch(text: &[u8], bytes: &ByteSet) -> usize {
    if *bytes == ByteSet::ALL {
        return text.len();
    }
    text.split(|byte| !bytes.contains(*byte)).map(<[u8]>::len).max().unwrap_or_default()
}

impl Expression {
    fn build(&self, steps: u64) -> Result<fancy_regex::Regex, PatternError> {
        let built = fancy_regex::RegexBuilder::new(&self.text)
            .multi_line(true)
            .crlf(true)
            .backtrack_limit(usize::try_from(steps).unwrap_or(usize::MAX))
            .delegate_size_limit(SIZE_LIMIT / (self.groups + 1))
            .max_prog_size(MAX_PROGRAM)
            .build();
        built.map_err(|error| match error {
            fancy_regex::Error::ParseError(_, error) => PatternError::Syntax(error.to_string()),
            fancy_regex::Error::CompileError(error) => match *error {
                CompileError::PatternTooComplex => PatternError::TooLarge,
                CompileError::InnerError(inner) if inner.size_limit().is_some() => PatternError::TooLarge,
                error => PatternError::Syntax(error.to_string()),
            },
            error => PatternError::Syntax(error.to_string()),
        })
    }
}

/// One search of one text.
struct BacktrackingSearch {
    expression: Expression,
    /// Engines with growing limits, as far as they were needed.
    engines: Vec<Arc<fancy_regex::Regex>>,
    weight: u64,
    /// The steps left for repeated calls.
    left: u64,
    clock: Deadline,
}

impl BacktrackingSearch {
    fn each_match(
        &mut self,
        text: &str,
        windows: &[Range<usize>],
        mut each: impl FnMut(Range<usize>) -> ControlFlow<()>,
    ) -> Result<(), Unfinished> {
        for window in windows {
            let mut at = window.start;
            while at <= window.end {
                while !text.is_char_boundary(at) {
                    at += 1;
                }
                if at > window.end {
                    break;
                }
                let Some(found) = self.next(text, at..window.end)? else { break };
                at = found.end.max(found.start + 1);
                if !found.is_empty() && each(found).is_break() {
                    return Ok(());
                }
                if self.clock.has_passed() {
                    return Err(Unfinished::OutOfTime);
                }
            }
        }
        Ok(())
    }

    /// The first match in a window.
    fn next(&mut self, text: &str, window: Range<usize>) -> Result<Option<Range<usize>>, Unfinished> {
        let mut steps = (FREE_STEPS / self.weight).max(1);
        for tries in 0.. {
            if self.engines.len() == tries {
                let engine = self.expression.build(steps).map_err(|_| Unfinished::TooLarge)?;
                self.engines.push(Arc::new(engine));
            }
            match self.engines[tries].find_input(RegexInput::new(text).range(window.clone())) {
                Ok(found) => return Ok(found.map(|found| found.range())),
                Err(fancy_regex::Error::RuntimeError(RuntimeError::BacktrackLimitExceeded)) => {}
                Err(_) => return Err(Unfinished::OutOfTime),
            }
            steps = steps.saturating_mul(GROWTH);
            self.left = self.left.checked_sub(steps).ok_or(Unfinished::OutOfTime)?;
        }
        Err(Unfinished::OutOfTime)
    }
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "lists of ranges, some of them short")]
mod tests {
    use std::time::Duration;

    use super::super::dialect::{Translation, TranslationPurpose, translate};
    use super::super::linear::Charset;
    use super::*;
    use crate::deadline::jumping;

    const HOUR: Duration = Duration::from_secs(3600);
    const TENTH: Duration = Duration::from_millis(100);

    fn try_new(expression: &str) -> Result<Backtracking, PatternError> {
        let Translation { regex, facts, .. } = translate(expression, TranslationPurpose::Backtracking)?;
        let (because, endless) = (Backtracks::LookAround, ByteSet::ALL);
        let (scope, is_valid) = (SearchScope::Windows, false);
        Backtracking::new(BacktrackingSource { regex, because, facts, endless, scope, is_valid })
    }

    fn new(expression: &str) -> Backtracking {
        try_new(expression).expect("an expression")
    }

    fn search(
        regex: &Backtracking,
        text: &str,
        effort: &Effort<'_>,
    ) -> (Vec<Range<usize>>, Result<(), Unfinished>) {
        let (mut found, whole) = (Vec::new(), [0..text.len()]);
        let within = Haystack { text: text.as_bytes(), charset: Charset::Any, windows: &whole };
        let finished = regex.search(&within, effort, |range| {
            found.push(range);
            ControlFlow::Continue(())
        });
        (found, finished)
    }

    #[test]
    fn abandons_search_at_deadline() {
        let slow = new("(?=[^x]*x)y(?!z)");
        let (text, budget) = ("a".repeat(20_000), Budget::new(0));
        let deadline = Deadline::after(Duration::from_millis(1));
        for _ in 0..3 {
            let (_, finished) = search(&slow, &text, &Effort { timeout: HOUR, deadline, budget: &budget });
            assert_eq!(finished, Err(Unfinished::OutOfTime));
        }
    }

    #[test]
    fn never_reads_clock_without_deadline() {
        let budget = Budget::new(0);
        let effort = Effort { timeout: TENTH, deadline: Deadline::NEVER, budget: &budget };
        let (endless, quick) = (new("(?:(?!x)(?:a|aa))+c"), new("a(?!b)"));
        let text = "a".repeat(5_000);
        let ((slow, quick), looks) =
            jumping::by(HOUR, || (search(&endless, &text, &effort), search(&quick, "ab a", &effort)));
        assert_eq!(slow, (vec![], Err(Unfinished::OutOfTime)), "out of steps");
        assert_eq!(quick, (vec![3..4], Ok(())));
        assert_eq!(looks, 0);
    }

    #[test]
    fn budget_counts_steps() {
        let budget = Budget::new(0);
        let regex = new("(?:(?!x)(?:a|aa))+c");
        let ends = |length: usize, timeout: Duration| {
            let effort = Effort { timeout, deadline: Deadline::NEVER, budget: &budget };
            search(&regex, &"a".repeat(length), &effort).1.is_ok()
        };
        assert!(ends(12, TENTH), "a few steps are free");
        assert!(!ends(26, Duration::from_millis(1)));
        assert!(ends(20, Duration::from_secs(10)), "what takes longer has a larger budget");
        assert!(!ends(60, Duration::from_secs(1)));
    }

    #[test]
    fn far_steps_weigh_more() {
        assert_eq!([0, 1_023, 4_095, 4_096, 100_000].map(weight), [1, 1, 1, 4, 64]);
        let lines = ByteSet::range(0, b'\n' - 1).union(ByteSet::range(b'\n' + 1, 0xFF));
        assert_eq!(longest_stretch(b"ab\nabcd\n\na", &lines), 4);
        assert_eq!(longest_stretch(b"ab\nab", &ByteSet::ALL), 5);
        assert_eq!(longest_stretch(b"", &lines), 0);
        // Each step scans the rest of the text: 10^10 bytes for 20,000 free steps.
        let budget = Budget::new(0);
        let effort = Effort { timeout: TENTH, deadline: Deadline::NEVER, budget: &budget };
        let far = new("(?=[^x]*x)y(?!z)");
        assert_eq!(search(&far, &"a".repeat(500_000), &effort).1, Err(Unfinished::OutOfTime));
    }

    #[test]
    fn assertions_see_beyond_windows() {
        let (regex, budget) = (new("(?<=x)a+(?=y)"), Budget::new(0));
        let effort = Effort { timeout: TENTH, deadline: Deadline::NEVER, budget: &budget };
        let mut found = Vec::new();
        let within = Haystack { text: b"xaay xay xay", charset: Charset::Ascii, windows: &[1..3, 10..11] };
        let finished = regex.search(&within, &effort, |range| {
            found.push(range);
            ControlFlow::Continue(())
        });
        assert_eq!((found, finished), (vec![1..3, 10..11], Ok(())));
    }

    #[test]
    fn builds_per_search_without_memory() {
        let budget = Budget::new(1);
        let [mut first, mut second] = ["a(?!b)", "b(?!c)"].map(new);
        first.limit_memory(&budget);
        second.limit_memory(&budget);
        assert!(first.kept().is_some() && second.kept().is_none());
        let effort = Effort { timeout: HOUR, deadline: Deadline::NEVER, budget: &budget };
        assert_eq!(search(&second, "bc b", &effort), (vec![3..4], Ok(())));
    }

    #[test]
    fn rejects_many_large_groups() {
        let refused = try_new(&r"(?=\w{90})".repeat(300));
        assert!(matches!(refused, Err(PatternError::TooLarge)), "{refused:?}");
        assert!(try_new(r"(?=\w{90})a").is_ok());
    }
}
