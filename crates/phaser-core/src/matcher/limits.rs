//! Limits on the work, the memory and the output of a matcher.
//!
//! Without a deadline no limit depends on time, so the same files give the same report on any machine. A hook has
//! a deadline in addition. Limits of a single mechanism are defined next to it; these are the totals.

use std::sync::atomic::{AtomicIsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::deadline::Deadline;

/// The deadline of a hook, from the end of its event on. Anything unchecked then is reported. The promise to users
/// is twice that, since a search or a contract file that was started is finished.
pub const HOOK_TIME: Duration = Duration::from_millis(1_000);

/// Cap on the memory of kept automata, in bytes. Beyond it an automaton is built for one search and dropped.
pub const MAX_KEPT: usize = 64 * 1024 * 1024;

/// Cap on the violations reported per file, over all contracts.
pub const MAX_VIOLATIONS: usize = 10_000;

/// Cap on the memory of all anchors, in bytes. Further patterns are searched in whole texts.
pub const MAX_ANCHORS: usize = 8 * 1024 * 1024;

#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Never, except in a hook.
    pub deadline: Deadline,
    /// Cap on the memory of kept automata, in bytes.
    pub kept: usize,
    /// Cap on the violations reported per file.
    pub violations: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { deadline: Deadline::NEVER, kept: MAX_KEPT, violations: MAX_VIOLATIONS }
    }
}

/// Backtracking steps per millisecond of `--timeout`: what a machine roughly does in that time.
const STEPS_PER_MS: u128 = 20_000;

/// How many times `--timeout` a hook waits for a search. On a busy machine everything takes longer, and a search
/// should end by its budget.
const PATIENCE: u32 = 4;

/// The limits of one search.
#[derive(Debug, Clone, Copy)]
pub struct Effort<'a> {
    /// The budget of a backtracking pattern, as the time that it roughly takes.
    pub timeout: Duration,
    pub deadline: Deadline,
    pub budget: &'a Budget,
}

impl Effort<'_> {
    /// The budget in backtracking steps.
    pub fn steps(&self) -> u64 {
        u64::try_from(self.timeout.as_millis().max(1) * STEPS_PER_MS).unwrap_or(u64::MAX)
    }

    /// The deadline of a search that starts now.
    pub fn clock(&self) -> Deadline {
        self.deadline.within(self.timeout.saturating_mul(PATIENCE))
    }
}

/// Cap on abandoned searches that still run. While they do, no further search that cannot be stopped is started:
/// each can take tens of megabytes.
const MAX_GIVEN_UP: usize = 1;

/// Resources shared by all patterns.
#[derive(Debug)]
pub struct Budget {
    /// The bytes left for kept automata. Each thread may overdraw it by one automaton.
    kept: AtomicIsize,
    given_up: Arc<GivenUp>,
}

/// The number of abandoned searches that still run, and a signal when one ends.
#[derive(Debug, Default)]
struct GivenUp {
    count: Mutex<usize>,
    ended: Condvar,
}

impl Budget {
    /// `kept` is the memory for automata, in bytes.
    pub fn new(kept: usize) -> Self {
        Self { kept: AtomicIsize::new(signed(kept)), given_up: Arc::default() }
    }

    pub fn is_spent(&self) -> bool {
        self.kept.load(Ordering::Relaxed) <= 0
    }

    pub fn take(&self, bytes: usize) {
        self.kept.fetch_sub(signed(bytes), Ordering::Relaxed);
    }

    pub fn give(&self, bytes: usize) {
        self.kept.fetch_add(signed(bytes), Ordering::Relaxed);
    }

    /// Runs `work`, which cannot be stopped, in a thread. `None` if it is not done by `clock`; the thread is then
    /// abandoned.
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
                // The receiver may be gone.
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

    /// Waits for the permission to start a search that cannot be stopped. `None` at the deadline.
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

/// A search that cannot be stopped. The searching and the waiting thread hold one each.
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
    /// Called by the waiting thread when it stops waiting.
    pub fn give_up(&self) {
        self.become_(DetachedState::GivenUp);
    }

    /// Called by the searching thread when it ends.
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
    fn returned_memory_is_available_again() {
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
    fn waits_for_work_until_deadline() {
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
    fn abandoned_search_blocks_further_ones() {
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
