//! The engine for look-around and back-references, which backtracks.
//!
//! It has a budget of steps, but a step may take any time, and it cannot be interrupted. So each search has a thread of
//! its own, which is waited for a little longer than the budget should last, and then given up.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use fancy_regex::CompileError;

use super::dialect::Backtracks;
use super::limits::Budget;
use super::linear::SIZE_LIMIT;
use super::pattern::{PatternError, Unfinished};
use crate::deadline::Deadline;

/// How often it may backtrack in each millisecond it is given.
const BACKTRACKS_PER_MS: u128 = 20_000;

/// How much longer than its time a search is waited for: whether it is given up should depend on its budget, which is
/// the same on every machine, wherever that is enough.
const GRACE: Duration = Duration::from_millis(100);

/// The longest program that an expression becomes, in instructions.
const MAX_PROGRAM: usize = 100_000;

/// What an expression takes in memory, in bytes: by itself, for each class in it, and when it repeats any so often.
const SIZE: usize = 32 * 1024;
const CLASS_SIZE: usize = 128 * 1024;
const REPEATED_SIZE: usize = 4 * 1024 * 1024;

/// What stands for many characters, each of them an automaton.
const CLASSES: [&str; 9] = [r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", r"\p", r"\P", "[^"];

/// In a longer text, in bytes, a search can take tens of megabytes, and the engine keeps them as long as it is there:
/// there it is made for one search and dropped.
const LONG: usize = 16 * 1024;

/// How many matches may wait to be looked at.
const WAITING: usize = 64;

/// An expression that needs to backtrack.
#[derive(Debug)]
pub struct Backtracking {
    expression: String,
    because: Backtracks,
    timeout: Duration,
    limit: usize,
    kept: Option<Arc<fancy_regex::Regex>>,
}

impl Backtracking {
    /// The expression, with so much time for each search.
    pub fn new(expression: String, because: Backtracks, timeout: Duration) -> Result<Self, PatternError> {
        let limit = usize::try_from(timeout.as_millis().max(1) * BACKTRACKS_PER_MS).unwrap_or(usize::MAX);
        let kept = Some(Arc::new(build(&expression, limit)?));
        Ok(Self { expression, because, timeout, limit, kept })
    }

    /// Why it needs to.
    pub fn because(&self) -> Backtracks {
        self.because
    }

    /// Drops what was made to find out whether the expression is valid, if there is no memory to keep it.
    pub fn settle(&mut self, budget: &Budget) {
        if budget.is_spent() {
            self.kept = None;
        } else {
            budget.take(size(&self.expression));
        }
    }

    /// Calls `each` with every match from the start of `text` on, until it breaks.
    pub fn search(
        &self,
        text: &[u8],
        deadline: Deadline,
        budget: &Budget,
        mut each: impl FnMut(Range<usize>) -> ControlFlow<()>,
    ) -> Result<(), Unfinished> {
        let Some(turn) = budget.turn(deadline) else { return Err(Unfinished::OutOfTime) };
        let regex = match &self.kept {
            Some(regex) if text.len() <= LONG => Arc::clone(regex),
            Some(_) | None => {
                Arc::new(build(&self.expression, self.limit).map_err(|_| Unfinished::TooLarge)?)
            }
        };
        let text: Arc<str> = readable(text).into();
        let clock = deadline.or(Deadline::after(self.timeout));
        let (found, matches) = sync_channel(WAITING);
        let search = {
            let (regex, text, turn) = (Arc::clone(&regex), Arc::clone(&text), turn.clone());
            move || {
                send(&regex, &text, clock, &found);
                turn.end();
            }
        };
        if thread::Builder::new().spawn(search).is_err() {
            return find(&regex, &text, clock, each);
        }
        let patience = deadline.or(Deadline::after(self.timeout.saturating_add(GRACE)));
        let finished = receive(&matches, patience, &mut each);
        turn.give_up();
        finished
    }
}

/// Finds matches for somebody who may have stopped to wait for them.
fn send(
    regex: &fancy_regex::Regex,
    text: &str,
    clock: Deadline,
    found: &SyncSender<Result<Range<usize>, Unfinished>>,
) {
    let finished = find(regex, text, clock, |range| match found.send(Ok(range)) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    });
    if let Err(unfinished) = finished {
        found.send(Err(unfinished)).ok();
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

fn find(
    regex: &fancy_regex::Regex,
    text: &str,
    clock: Deadline,
    mut each: impl FnMut(Range<usize>) -> ControlFlow<()>,
) -> Result<(), Unfinished> {
    let mut at = 0;
    while at <= text.len() {
        while !text.is_char_boundary(at) {
            at += 1;
        }
        let Some(found) = regex.find_from_pos(text, at).map_err(|_| Unfinished::OutOfTime)? else { break };
        at = found.end().max(found.start() + 1);
        if found.start() < found.end() && each(found.range()).is_break() {
            break;
        }
        if clock.has_passed() {
            return Err(Unfinished::OutOfTime);
        }
    }
    Ok(())
}

fn build(expression: &str, limit: usize) -> Result<fancy_regex::Regex, PatternError> {
    let groups = expression.matches('(').count();
    let built = fancy_regex::RegexBuilder::new(expression)
        .multi_line(true)
        .crlf(true)
        .backtrack_limit(limit)
        .delegate_size_limit(SIZE_LIMIT / (groups + 1))
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

/// How much memory an expression takes, roughly: the engine does not tell.
fn size(expression: &str) -> usize {
    let classes: usize = CLASSES.iter().map(|class| expression.matches(class).count()).sum();
    let repeated = if expression.contains('{') { REPEATED_SIZE } else { 0 };
    SIZE + classes * CLASS_SIZE + repeated
}

/// The text for this engine, which takes the bytes after one that is not UTF-8 for a part of it. Such a byte
/// becomes a NUL, which text does not have, so that every place stays where it is.
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

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn new(expression: &str, timeout: Duration) -> Backtracking {
        Backtracking::new(expression.to_owned(), Backtracks::LookAround, timeout).expect("an expression")
    }

    fn search(
        regex: &Backtracking,
        text: &str,
        clock: Deadline,
    ) -> (Vec<Range<usize>>, Result<(), Unfinished>) {
        let mut found = Vec::new();
        let finished = regex.search(text.as_bytes(), clock, &Budget::new(0), |range| {
            found.push(range);
            ControlFlow::Continue(())
        });
        (found, finished)
    }

    #[test]
    fn a_search_is_not_waited_for_longer_than_there_is_time() {
        let slow = new("(?=[^x]*x)y(?!z)", HOUR);
        let text = "a".repeat(20_000);
        let budget = Budget::new(0);
        let clock = Deadline::after(Duration::from_millis(1));
        for _ in 0..3 {
            let finished = slow.search(text.as_bytes(), clock, &budget, |_| ControlFlow::Continue(()));
            assert_eq!(finished, Err(Unfinished::OutOfTime));
        }
    }

    #[test]
    fn no_search_is_started_while_another_goes_on() {
        let budget = Budget::new(0);
        let other = budget.turn(Deadline::NEVER).expect("nothing goes on");
        let quick = new("a(?!b)", HOUR);
        let search = |clock| quick.search(b"a", clock, &budget, |_| ControlFlow::Continue(()));
        other.give_up();
        assert_eq!(search(Deadline::after(Duration::from_millis(1))), Err(Unfinished::OutOfTime));
        other.end();
        assert_eq!(search(Deadline::NEVER), Ok(()));
    }

    #[test]
    fn what_there_is_no_memory_for_is_made_for_each_search() {
        let budget = Budget::new(1);
        let [mut first, mut second] = ["a(?!b)", "b(?!c)"].map(|expression| new(expression, HOUR));
        first.settle(&budget);
        second.settle(&budget);
        assert!(first.kept.is_some() && second.kept.is_none());
        assert_eq!(search(&second, "bc b", Deadline::NEVER), (vec![Range { start: 3, end: 4 }], Ok(())));
    }

    #[test]
    fn many_large_groups_are_too_large_together() {
        let groups = r"(?=\w{90})".repeat(300);
        let refused = Backtracking::new(groups, Backtracks::LookAround, HOUR);
        assert!(matches!(refused, Err(PatternError::TooLarge)), "{refused:?}");
        assert!(Backtracking::new(r"(?=\w{90})a".to_owned(), Backtracks::LookAround, HOUR).is_ok());
    }

    #[test]
    fn a_byte_that_is_not_utf8_becomes_one_byte() {
        let text = b"a\xFF\xE2\x84b\xC3";
        assert_eq!(readable(text), "a\0\0\0b\0");
        assert!(matches!(readable("é".as_bytes()), Cow::Borrowed("é")));
    }
}
