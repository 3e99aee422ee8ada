//! Limits on the work, the memory and the output of a matcher.
//!
//! Without a deadline no limit depends on time, so the same files give the same report on any machine. A hook has
//! a deadline in addition. Limits of a single mechanism are defined next to it; these are the totals.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicIsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::pattern::Unfinished;
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

/// The limits of a matcher.
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
    /// The deadline of the whole run.
    pub deadline: Deadline,
    /// Memory and threads, shared by all searches.
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

/// Resources shared by all patterns.
#[derive(Debug, Clone)]
pub struct Budget {
    /// The bytes left for kept automata. Each thread may overdraw it by one automaton.
    kept: Arc<AtomicIsize>,
    detached: Arc<DetachedSlot>,
}

/// Whether a detached search runs, and a signal when it ends.
#[derive(Debug, Default)]
struct DetachedSlot {
    is_taken: Mutex<bool>,
    ended: Condvar,
}

/// The matches of a detached search that may wait for their receiver.
const WAITING: usize = 64;

impl Budget {
    /// `kept` is the memory for automata, in bytes.
    pub fn new(kept: usize) -> Self {
        Self { kept: Arc::new(AtomicIsize::new(signed(kept))), detached: Arc::default() }
    }

    /// Whether no memory is left.
    pub fn is_spent(&self) -> bool {
        self.kept.load(Ordering::Relaxed) <= 0
    }

    /// Takes memory, in bytes.
    pub fn take(&self, bytes: usize) {
        self.kept.fetch_sub(signed(bytes), Ordering::Relaxed);
    }

    /// Returns memory, in bytes.
    pub fn give(&self, bytes: usize) {
        self.kept.fetch_add(signed(bytes), Ordering::Relaxed);
    }

    /// Runs a search that cannot be stopped in a thread, and calls `each` with its matches until `clock` passes. The
    /// thread is then abandoned. Only one such search runs at a time, since each can take tens of megabytes.
    pub fn search_detached(
        &self,
        clock: Deadline,
        search: impl FnOnce(&mut dyn FnMut(Range<usize>) -> ControlFlow<()>) -> Result<(), Unfinished>
        + Send
        + 'static,
        mut each: impl FnMut(Range<usize>) -> ControlFlow<()>,
    ) -> Result<(), Unfinished> {
        let turn = self.detached_turn(clock).ok_or(Unfinished::OutOfTime)?;
        let (sender, matches) = sync_channel(WAITING);
        let run = move || {
            // The receiver may be gone.
            let finished = search(&mut |found| match sender.send(Ok(found)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            });
            if let Err(unfinished) = finished {
                sender.send(Err(unfinished)).ok();
            }
            drop(turn);
        };
        thread::Builder::new().spawn(run).map_err(|_| Unfinished::OutOfTime)?;
        loop {
            match matches.recv_timeout(clock.left().unwrap_or(Duration::MAX)) {
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

    /// Waits until no detached search runs. `None` at the deadline.
    fn detached_turn(&self, clock: Deadline) -> Option<DetachedTurn> {
        let DetachedSlot { is_taken, ended } = &*self.detached;
        let taken = is_taken.lock().unwrap_or_else(PoisonError::into_inner);
        let left = clock.left().unwrap_or(Duration::MAX);
        let waited = ended.wait_timeout_while(taken, left, |taken| *taken);
        let (mut taken, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if *taken || clock.has_passed() {
            return None;
        }
        *taken = true;
        Some(DetachedTurn(Arc::clone(&self.detached)))
    }
}

/// The right to run a detached search, until dropped.
#[derive(Debug)]
struct DetachedTurn(Arc<DetachedSlot>);

impl Drop for DetachedTurn {
    fn drop(&mut self) {
        *self.0.is_taken.lock().unwrap_or_else(PoisonError::into_inner) = false;
        self.0.ended.notify_one();
    }
}

fn signed(bytes: usize) -> isize {
    isize::try_from(bytes).unwrap_or(isize::MAX)
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "lists of ranges, some of them short")]
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
    fn one_detached_search_runs_at_a_time() {
        let budget = Budget::new(0);
        let found = |clock, search: fn() -> Result<(), Unfinished>| {
            let mut found = Vec::new();
            let finished = budget.search_detached(
                clock,
                move |each| each(1..2).is_continue().then(search).unwrap_or(Ok(())),
                |range| {
                    found.push(range);
                    ControlFlow::Continue(())
                },
            );
            (found, finished)
        };
        let hour = || Deadline::after(Duration::from_secs(3600));
        let soon = || Deadline::after(Duration::from_millis(20));
        assert_eq!(found(hour(), || Ok(())), (vec![1..2], Ok(())));
        assert_eq!(found(hour(), || Err(Unfinished::TooLarge)), (vec![1..2], Err(Unfinished::TooLarge)));
        let (go_on, wait) = sync_channel::<()>(0);
        let abandoned = budget.search_detached(
            soon(),
            move |_| {
                wait.recv().ok();
                Ok(())
            },
            |_| ControlFlow::Continue(()),
        );
        assert_eq!(abandoned, Err(Unfinished::OutOfTime));
        assert_eq!(found(soon(), || Ok(())), (vec![], Err(Unfinished::OutOfTime)), "the other one goes on");
        go_on.send(()).expect("it waits");
        assert_eq!(found(hour(), || Ok(())), (vec![1..2], Ok(())));
        assert_eq!(found(Deadline::after(Duration::ZERO), || Ok(())), (vec![], Err(Unfinished::OutOfTime)));
    }
}
