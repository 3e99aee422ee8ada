//! Work that brings more work, spread over threads.
//!
//! Threads are started once there is enough for all of them, so little work starts none; a thread that cannot be had is
//! done without.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// How much work for each thread makes it worth starting.
const WORTH_STARTING: usize = 2;

/// Does `start`, and all the work that comes of it, on at most this many threads. Each thread has a result of its own.
pub(super) fn run<Job: Send, Done: Default + Send>(
    start: Job,
    threads: usize,
    work: impl Fn(Job, &mut Done) -> Vec<Job> + Sync,
) -> Vec<Done> {
    let mut first = Done::default();
    let mut jobs = VecDeque::from([start]);
    while threads <= 1 || jobs.len() < threads * WORTH_STARTING {
        // The oldest first: what is near the top brings the most.
        let Some(job) = jobs.pop_front() else { return vec![first] };
        jobs.extend(work(job, &mut first));
    }
    let queue = Queue { state: Mutex::new(State { jobs: jobs.into(), busy: 0 }), changed: Condvar::new() };
    let own = || {
        let mut done = Done::default();
        queue.empty(|job| work(job, &mut done));
        done
    };
    thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, own).ok();
        let started: Vec<_> = (1..threads).map_while(start).collect();
        queue.empty(|job| work(job, &mut first));
        let mut all = vec![first];
        for thread in started {
            match thread.join() {
                Ok(done) => all.push(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    })
}

struct Queue<Job> {
    state: Mutex<State<Job>>,
    changed: Condvar,
}

struct State<Job> {
    jobs: Vec<Job>,
    /// How many threads are at work, and may bring more.
    busy: usize,
}

impl<Job> Queue<Job> {
    /// Works until nothing is left, and nothing can come any more.
    fn empty(&self, mut work: impl FnMut(Job) -> Vec<Job>) {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.jobs.pop() {
                state.busy += 1;
                drop(state);
                let mut turn = Turn { queue: self, more: Vec::new() };
                turn.more = work(job);
                drop(turn);
                state = self.lock();
            } else if state.busy == 0 {
                return;
            } else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<Job>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One job's time. At its end, also by a panic, the thread is no longer busy, so that the others come to an end, too.
struct Turn<'a, Job> {
    queue: &'a Queue<Job>,
    /// The work that came of it.
    more: Vec<Job>,
}

impl<Job> Drop for Turn<'_, Job> {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        state.jobs.append(&mut self.more);
        state.busy -= 1;
        self.queue.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts down in two ways from each number, so that `n` is 2^n ends.
    fn ends(from: u32, threads: usize) -> (usize, usize) {
        let all = run(from, threads, |number, ends: &mut usize| match number {
            0 => {
                *ends += 1;
                Vec::new()
            }
            _ => vec![number - 1; 2],
        });
        (all.iter().sum(), all.len())
    }

    #[test]
    fn all_work_is_done_on_any_number_of_threads() {
        for threads in [0, 1, 2, 3, 8] {
            assert_eq!(ends(10, threads), (1024, threads.max(1)));
        }
    }

    #[test]
    fn little_work_starts_no_thread() {
        assert_eq!(ends(0, 8), (1, 1));
        assert_eq!(ends(2, 8), (4, 1));
    }

    #[test]
    fn a_panic_is_passed_on_and_stops_nobody() {
        let run =
            || run(4, 2, |number, _: &mut ()| if number == 0 { panic!("here") } else { vec![number - 1; 2] });
        assert!(std::panic::catch_unwind(run).is_err());
    }
}
