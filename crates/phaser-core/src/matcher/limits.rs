//! How much one run of the matcher may take: of work, of memory, and of what it reports.
//!
//! Outside a hook no limit is a matter of time, so that the same files give the same report whatever else the machine
//! does. A hook has a deadline in addition. The limits that follow from what is searched stand where it is searched;
//! these are the totals.

use std::sync::atomic::{AtomicIsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::deadline::Deadline;

/// How long a hook may take, from the end of its event on. What is not checked by then is said. The promise is twice
/// that: a search, or a file of contracts, that has been started is not given up at once.
pub const HOOK_TIME: Duration = Duration::from_millis(1_000);

/// The most memory for automata that are kept for the next file, in bytes. Beyond it, each is made for one
/// search and dropped.
pub const MAX_KEPT: usize = 64 * 1024 * 1024;

/// The most violations that are reported for one file, whatever the number of contracts.
pub const MAX_VIOLATIONS: usize = 10_000;

/// The most bytes that the anchors of all patterns may take. Further patterns are searched for in every text.
pub const MAX_ANCHORS: usize = 8 * 1024 * 1024;

/// What a matcher may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// When everything must have ended: never, but in a hook.
    pub deadline: Deadline,
    /// The most memory for automata that are kept, in bytes.
    pub kept: usize,
    /// The most violations that are reported for one file.
    pub violations: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { deadline: Deadline::NEVER, kept: MAX_KEPT, violations: MAX_VIOLATIONS }
    }
}

/// How often a pattern may backtrack for each millisecond of `--timeout`: what takes about that long.
const STEPS_PER_MS: u128 = 20_000;

/// How many times longer than `--timeout` a search of a hook is waited for: on a busy machine all takes longer, and whether
/// a search comes to its end should be a matter of its budget.
const PATIENCE: u32 = 4;

/// What one search may take.
#[derive(Debug, Clone, Copy)]
pub struct Effort<'a> {
    /// How much work a pattern that backtracks may do: what takes about so long.
    pub timeout: Duration,
    /// When everything must have ended.
    pub deadline: Deadline,
    /// What all patterns share.
    pub budget: &'a Budget,
}

impl Effort<'_> {
    /// How often a pattern may backtrack.
    pub fn steps(&self) -> u64 {
        u64::try_from(self.timeout.as_millis().max(1) * STEPS_PER_MS).unwrap_or(u64::MAX)
    }

    /// When a search that starts now must have ended.
    pub fn clock(&self) -> Deadline {
        self.deadline.within(self.timeout.saturating_mul(PATIENCE))
    }
}

/// How many searches that cannot be stopped may go on after they were given up. While they do, no further one is
/// started: each can take tens of megabytes.
const MAX_GIVEN_UP: usize = 1;

/// What all patterns share.
#[derive(Debug)]
pub struct Budget {
    /// The bytes left for automata that are kept. One automaton for each thread may overdraw it.
    kept: AtomicIsize,
    given_up: Arc<GivenUp>,
}

/// The searches that were given up and go on, and a call when one has ended.
#[derive(Debug, Default)]
struct GivenUp {
    count: Mutex<usize>,
    ended: Condvar,
}

impl Budget {
    /// With memory for so many bytes of automata.
    pub fn new(kept: usize) -> Self {
        Self { kept: AtomicIsize::new(signed(kept)), given_up: Arc::default() }
    }

    /// Is no memory left?
    pub fn is_spent(&self) -> bool {
        self.kept.load(Ordering::Relaxed) <= 0
    }

    /// Takes some memory.
    pub fn take(&self, bytes: usize) {
        self.kept.fetch_sub(signed(bytes), Ordering::Relaxed);
    }

    /// Gives back what was taken.
    pub fn give(&self, bytes: usize) {
        self.kept.fetch_add(signed(bytes), Ordering::Relaxed);
    }

    /// Does `work` that cannot be stopped in a thread of its own; `None` when it is not done by then.
    pub fn in_time<T: Send + 'static>(
        &self,
        clock: Deadline,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let detached = self.detach(clock)?;
        let (done, result) = sync_channel(1);
        let apart = {
            let detached = detached.clone();
            move || {
                // Nobody may wait for it any more.
                done.send(work()).ok();
                detached.end();
            }
        };
        thread::Builder::new().spawn(apart).ok()?;
        let result = match clock.left() {
            Some(left) => result.recv_timeout(left).ok(),
            None => result.recv().ok(),
        };
        detached.give_up();
        result
    }

    /// Waits until a search may be started that cannot be stopped; `None` when there is no time for that.
    pub fn detach(&self, clock: Deadline) -> Option<Detached> {
        let GivenUp { count, ended } = &*self.given_up;
        let mut going_on = count.lock().unwrap_or_else(PoisonError::into_inner);
        while *going_on >= MAX_GIVEN_UP {
            let left = clock.left().unwrap_or(Duration::MAX);
            if left.is_zero() {
                return None;
            }
            (going_on, _) = ended.wait_timeout(going_on, left).unwrap_or_else(PoisonError::into_inner);
        }
        (!clock.has_passed())
            .then(|| Detached { given_up: Arc::clone(&self.given_up), state: Arc::default() })
    }
}

/// A search that cannot be stopped; who searches and who waits for it have one each.
#[derive(Debug, Clone)]
pub struct Detached {
    given_up: Arc<GivenUp>,
    state: Arc<Mutex<DetachedState>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum DetachedState {
    #[default]
    Awaited,
    GivenUp,
    Ended,
}

impl Detached {
    /// Nobody waits for it any more.
    pub fn give_up(&self) {
        self.become_(DetachedState::GivenUp);
    }

    /// It has come to its end.
    pub fn end(&self) {
        self.become_(DetachedState::Ended);
    }

    fn become_(&self, new: DetachedState) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut count = self.given_up.count.lock().unwrap_or_else(PoisonError::into_inner);
        match (*state, new) {
            (DetachedState::Awaited, DetachedState::GivenUp) => *count += 1,
            (DetachedState::GivenUp, DetachedState::Ended) => {
                *count -= 1;
                self.given_up.ended.notify_all();
            }
            (DetachedState::Ended, _) => return,
            (DetachedState::Awaited | DetachedState::GivenUp, _) => {}
        }
        *state = new;
    }
}

fn signed(bytes: usize) -> isize {
    isize::try_from(bytes).unwrap_or(isize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_given_back_is_there_again() {
        let budget = Budget::new(10);
        budget.take(9);
        assert!(!budget.is_spent());
        budget.take(9);
        assert!(budget.is_spent());
        budget.give(9);
        assert!(!budget.is_spent());
        assert!(Budget::new(0).is_spent());
    }

    #[test]
    fn work_is_waited_for_and_no_longer_than_there_is_time() {
        let budget = Budget::new(0);
        assert_eq!(budget.in_time(Deadline::NEVER, || 1), Some(1));
        let soon = || Deadline::after(Duration::from_millis(20));
        assert_eq!(budget.in_time(Deadline::after(Duration::from_secs(600)), || 2), Some(2));
        let (go_on, wait) = sync_channel::<()>(0);
        assert_eq!(budget.in_time(soon(), move || wait.recv().is_ok()), None);
        assert_eq!(budget.in_time(soon(), || 3), None, "the other one goes on");
        go_on.send(()).expect("it waits");
        assert_eq!(budget.in_time(Deadline::NEVER, || 4), Some(4));
    }

    #[test]
    fn while_a_search_that_was_given_up_goes_on_no_other_is_started() {
        let budget = Budget::new(0);
        let late = Deadline::after(Duration::ZERO);
        let turns: Vec<_> = (0..MAX_GIVEN_UP).filter_map(|_| budget.detach(Deadline::NEVER)).collect();
        assert!(budget.detach(Deadline::NEVER).is_some(), "as long as somebody waits for them");
        assert!(budget.detach(late).is_none(), "there is no time");
        turns.iter().for_each(Detached::give_up);
        assert!(budget.detach(Deadline::after(Duration::from_millis(1))).is_none());
        let waiting = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| budget.detach(Deadline::NEVER).is_some());
            turns[0].end();
            waiting.join()
        });
        assert!(waiting.expect("no panic"), "one has ended");
        turns[0].give_up();
        assert!(budget.detach(Deadline::NEVER).is_some(), "what has ended is not given up");
    }
}
