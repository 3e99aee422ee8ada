//! The engine for look-around and back-references, which backtracks.
//!
//! Each search has a budget of steps: how often it may backtrack. The engine takes the limit of one call when it is
//! built and does not tell how much of it was used, so a call starts with a small limit, and one that reaches it is made
//! again with a larger one, as long as the budget allows. A step may look at a long stretch of text; where the text has
//! long stretches that the expression can run over, there are fewer steps. All of that depends on the expression and the
//! text alone: the same search ends in the same way on every machine.
//!
//! A hook cannot wait for that. There a search has a thread of its own, which is given up when the time is over.

use std::ops::{ControlFlow, Range};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread;

use fancy_regex::{CompileError, RegexInput, RuntimeError};

use super::dialect::{Backtracks, Facts};
use super::linear::SIZE_LIMIT;
use super::{Haystack, PatternError, Unfinished};
use crate::deadline::Deadline;
use crate::matcher::limits::{Budget, Effort};
use crate::matcher::literals::byte_set::ByteSet;

/// How often a call may backtrack at first, which counts for nothing.
const FREE_STEPS: u64 = 20_000;

/// How much more often when it is made again.
const GROWTH: u64 = 4;

/// How often a search may backtrack for each byte of the text, beside what its budget is.
const STEPS_PER_BYTE: u64 = 8;

/// A step that looks at no more bytes than this counts as one.
const STEP_BYTES: usize = 1024;

/// How many bytes a search may look at for each step of its budget, beside what the free ones look at.
const BYTES_PER_STEP: u64 = 4096;

/// The longest program that an expression becomes, in instructions.
const MAX_PROGRAM: usize = 100_000;

/// What an expression takes in memory, in bytes: by itself, for each large class in it, and when it repeats any so often.
const SIZE: usize = 32 * 1024;
const CLASS_SIZE: usize = 128 * 1024;
const REPEATED_SIZE: usize = 4 * 1024 * 1024;

/// When a search can look at more bytes than this at once, it can take tens of megabytes, and the engine keeps them as
/// long as it is there: then it is made for one search and dropped.
const LONG: usize = 16 * 1024;

/// Always holds, and keeps the engine from taking an expression that ends in look-ahead for a plain one with a group in
/// it: that could not look beyond the end of a window.
const HARD: &str = r"(?![^\s\S])";

/// How many matches may wait to be looked at.
const WAITING: usize = 64;

/// An expression that needs to backtrack.
#[derive(Debug)]
pub struct Backtracking {
    expression: Expression,
    because: Backtracks,
    size: usize,
    /// The bytes that it can run over without an end.
    endless: ByteSet,
    scope: SearchScope,
    /// Made when it is first needed, if there is memory for it.
    kept: OnceLock<Option<Arc<fancy_regex::Regex>>>,
}

/// Whether an expression is known to be valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validity {
    /// It is.
    Known,
    /// It has to be compiled to find out.
    Unknown,
}

/// How much of a text is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchScope {
    /// The windows in which the expression can match.
    Windows,
    /// The same, which are little text, and there is hardly any more to come.
    Little,
    /// All of it.
    Whole,
}

/// An expression, and what is known of it.
#[derive(Debug)]
pub struct BacktrackingSource {
    /// The expression.
    pub regex: String,
    /// Why it needs to backtrack.
    pub because: Backtracks,
    /// What it is made of.
    pub facts: Facts,
    /// The bytes that it can run over without an end.
    pub endless: ByteSet,
    /// How much of a text is to be searched for it.
    pub scope: SearchScope,
    /// Whether it is known to be valid.
    pub validity: Validity,
}

/// An expression, and how many groups it has.
#[derive(Debug, Clone)]
struct Expression {
    text: Arc<str>,
    groups: usize,
}

impl Backtracking {
    /// The expression, if it is valid.
    pub fn new(known: BacktrackingSource) -> Result<Self, PatternError> {
        let BacktrackingSource { regex, because, facts, endless, scope, validity } = known;
        let repeated = if facts.counts { REPEATED_SIZE } else { 0 };
        let size = SIZE + facts.large_classes * CLASS_SIZE + repeated;
        let text = match scope {
            SearchScope::Windows | SearchScope::Little => format!("{HARD}{regex}"),
            SearchScope::Whole => regex,
        };
        let expression = Expression { text: text.into(), groups: facts.groups };
        let kept = match validity {
            Validity::Known => OnceLock::new(),
            Validity::Unknown => OnceLock::from(Some(Arc::new(expression.build(FREE_STEPS)?))),
        };
        Ok(Self { expression, because, size, endless, scope, kept })
    }

    /// Why it needs to backtrack.
    pub fn because(&self) -> Backtracks {
        self.because
    }

    /// Drops what was made to find out whether the expression is valid, if there is no memory to keep it.
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
        mut each: impl FnMut(Range<usize>) -> ControlFlow<()>,
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
        let Some(detached) = effort.budget.detach(clock) else { return Err(Unfinished::OutOfTime) };
        let (found, matches) = sync_channel(WAITING);
        let search = {
            let (mut search, text) = (self.start(within, effort), text.to_owned());
            let (windows, detached) = (within.windows.to_vec(), detached.clone());
            move || {
                search.send_matches(&text, &windows, &found);
                detached.end();
            }
        };
        if thread::Builder::new().spawn(search).is_err() {
            return self.start(within, effort).each_match(text, within.windows, each);
        }
        let finished = receive(&matches, clock, &mut each);
        detached.give_up();
        finished
    }

    /// The engine with the fewest steps, if it is kept.
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

/// How often an expression may backtrack that only tells what its groups matched.
const GROUP_STEPS: u64 = 1_000_000;

/// The expression as it is, to tell what its groups matched where a match is known.
pub fn with_groups(regex: &str, facts: &Facts) -> Option<fancy_regex::Regex> {
    Expression { text: format!("{HARD}{regex}").into(), groups: facts.groups }.build(GROUP_STEPS).ok()
}

/// How many steps one step counts as that may look at so many bytes: a power of [`GROWTH`].
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
    /// Engines with a limit that grows from one to the next, as far as they were needed.
    engines: Vec<Arc<fancy_regex::Regex>>,
    weight: u64,
    /// The steps that are left for calls that are made again.
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

    /// Finds matches for somebody who may have stopped to wait for them.
    fn send_matches(
        &mut self,
        text: &str,
        windows: &[Range<usize>],
        found: &SyncSender<Result<Range<usize>, Unfinished>>,
    ) {
        let finished = self.each_match(text, windows, |range| match found.send(Ok(range)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        });
        if let Err(unfinished) = finished {
            found.send(Err(unfinished)).ok();
        }
    }
}

fn receive(
    matches: &Receiver<Result<Range<usize>, Unfinished>>,
    clock: Deadline,
    mut each: impl FnMut(Range<usize>) -> ControlFlow<()>,
) -> Result<(), Unfinished> {
    loop {
        let next = match clock.left() {
            Some(left) => matches.recv_timeout(left),
            None => matches.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match next {
            Ok(found) => {
                if each(found?).is_break() {
                    return Ok(());
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
            Err(RecvTimeoutError::Timeout) => return Err(Unfinished::OutOfTime),
        }
    }
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "lists of ranges, some of them short")]
mod tests {
    use std::time::Duration;

    use super::super::dialect::{Purpose, Translation, translate};
    use super::super::linear::Charset;
    use super::*;
    use crate::deadline::jumping;

    const HOUR: Duration = Duration::from_secs(3600);
    const TENTH: Duration = Duration::from_millis(100);

    fn try_new(expression: &str) -> Result<Backtracking, PatternError> {
        let Translation { regex, facts, .. } = translate(expression, Purpose::Backtracking)?;
        let (because, endless) = (Backtracks::LookAround, ByteSet::ALL);
        let (scope, validity) = (SearchScope::Windows, Validity::Unknown);
        Backtracking::new(BacktrackingSource { regex, because, facts, endless, scope, validity })
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
    fn a_search_is_not_waited_for_longer_than_a_hook_has_time() {
        let slow = new("(?=[^x]*x)y(?!z)");
        let (text, budget) = ("a".repeat(20_000), Budget::new(0));
        let deadline = Deadline::after(Duration::from_millis(1));
        for _ in 0..3 {
            let (_, finished) = search(&slow, &text, &Effort { timeout: HOUR, deadline, budget: &budget });
            assert_eq!(finished, Err(Unfinished::OutOfTime));
        }
    }

    #[test]
    fn without_a_deadline_the_clock_is_not_looked_at() {
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
    fn the_budget_is_a_number_of_steps() {
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
    fn steps_that_look_far_count_for_more() {
        assert_eq!([0, 1_023, 4_095, 4_096, 100_000].map(weight), [1, 1, 1, 4, 64]);
        let lines = ByteSet::ALL.without(b'\n');
        assert_eq!(longest_stretch(b"ab\nabcd\n\na", &lines), 4);
        assert_eq!(longest_stretch(b"ab\nab", &ByteSet::ALL), 5);
        assert_eq!(longest_stretch(b"", &lines), 0);
        // Every step looks at all of the rest. That would be 10^10 bytes for each of 20,000 free ones.
        let budget = Budget::new(0);
        let effort = Effort { timeout: TENTH, deadline: Deadline::NEVER, budget: &budget };
        let far = new("(?=[^x]*x)y(?!z)");
        assert_eq!(search(&far, &"a".repeat(500_000), &effort).1, Err(Unfinished::OutOfTime));
    }

    #[test]
    fn matches_lie_in_windows_and_looks_see_beyond() {
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
    fn no_search_is_started_while_another_goes_on() {
        let budget = Budget::new(0);
        let other = budget.detach(Deadline::NEVER).expect("nothing goes on");
        let quick = new("a(?!b)");
        let search = |deadline| search(&quick, "a", &Effort { timeout: HOUR, deadline, budget: &budget }).1;
        other.give_up();
        assert_eq!(search(Deadline::after(Duration::from_millis(1))), Err(Unfinished::OutOfTime));
        other.end();
        assert_eq!(search(Deadline::after(HOUR)), Ok(()));
    }

    #[test]
    fn what_there_is_no_memory_for_is_made_for_each_search() {
        let budget = Budget::new(1);
        let [mut first, mut second] = ["a(?!b)", "b(?!c)"].map(new);
        first.limit_memory(&budget);
        second.limit_memory(&budget);
        assert!(first.kept().is_some() && second.kept().is_none());
        let effort = Effort { timeout: HOUR, deadline: Deadline::NEVER, budget: &budget };
        assert_eq!(search(&second, "bc b", &effort), (vec![3..4], Ok(())));
    }

    #[test]
    fn many_large_groups_are_too_large_together() {
        let refused = try_new(&r"(?=\w{90})".repeat(300));
        assert!(matches!(refused, Err(PatternError::TooLarge)), "{refused:?}");
        assert!(try_new(r"(?=\w{90})a").is_ok());
    }
}
