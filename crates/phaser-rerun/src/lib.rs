//! Runs the program again, without a part of its work, after that part crashed or never returned.
//!
//! The parsers of `phaser-syntax` are C. A bug in one of them ends the process by a signal, or keeps a scanner in a loop
//! that no callback leaves. In a hook everything else that was found would be lost with it, and nobody would learn of it.
//!
//! [`attempt`] runs a piece of such work. If it crashes, a signal handler starts the program again in the same process
//! (`execve`), with the same arguments, the same standard input, and a variable that lists the piece. In the second run
//! [`attempt`] returns [`Abandoned`] for it, which the caller reports as a gap.
//!
//! # Example
//!
//! A hook receives an event on stdin, and the parser crashes on the file in it:
//!
//! 1. [`allow`] stores the event and the deadline. Nothing is prepared yet: most hooks parse nothing.
//! 2. The first [`attempt`] copies the event to a file in memory, prepares arguments and environment as C strings, installs
//!    the handlers, and starts a timer for the deadline.
//! 3. The parser reads a wild address. The handler runs on the alternate stack that std gives every thread, so that it also
//!    runs after a stack overflow. It makes the file in memory stdin, writes `crashed` into the prepared variable, and calls
//!    `execve`.
//! 4. The second run reads the same event. [`attempt`] does no work and returns [`Abandoned::Crashed`], every time.
//!
//! If the parser had hung, the timer's signal would have done the same with `timed-out`.
//!
//! # Which pieces
//!
//! With a deadline there is time for one more run at most, so it skips all pieces. Without one, the second run skips the
//! piece that crashed; after [`MAX_CRASHES`] of them, or if the crash is in no piece, it skips all. A run that skips all
//! pieces installs no handler. So there are at most [`MAX_CRASHES`] more runs.
//!
//! # Limits
//!
//! [`end`] must precede the first output: after it, a crash ends the process as usual. Memory that a parser overwrites
//! without a crash is not noticed. On systems other than Unix nothing is prepared.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

#[cfg(unix)]
mod signals;

/// The environment variable that lists the abandoned pieces of work. It only ever leads to less work, which is reported.
pub const VARIABLE: &str = "PHASER_ABANDONED";

/// The number of crashes after which all work is abandoned.
pub const MAX_CRASHES: usize = 8;

/// The value of the variable for all work.
const ALL_CRASHED: &str = "crashed";
const ALL_TIMED_OUT: &str = "timed-out";

/// Why a piece of work is not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Abandoned {
    /// It, or another piece, crashed in an earlier run.
    Crashed,
    /// It, or another piece, did not return in an earlier run.
    TimedOut,
}

/// What another run needs.
#[derive(Debug, Default)]
pub struct Rerun {
    /// What was read from stdin; `None` if nothing was.
    pub stdin: Option<Vec<u8>>,
    /// When work must have returned.
    pub deadline: Option<Instant>,
}

/// The state of this process, from [`allow`] on.
static STATE: OnceLock<State> = OnceLock::new();

/// Whether [`end`] was called.
static IS_OVER: AtomicBool = AtomicBool::new(false);

/// The number of pieces that run now.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The piece that runs on this thread; 0 for none. Without a destructor, so that a signal handler can read it.
    static CURRENT: Cell<u64> = const { Cell::new(0) };
}

#[cfg_attr(not(unix), expect(dead_code, reason = "used by the signal handlers"))]
struct State {
    abandoned: AbandonedWork,
    rerun: Rerun,
    armed: OnceLock<()>,
}

/// Allows this process to run again. `variable` is the value of [`VARIABLE`]. Only the first call counts.
pub fn allow(variable: Option<&str>, rerun: Rerun) {
    let abandoned = variable.map(AbandonedWork::parse).unwrap_or_default();
    STATE.get_or_init(|| State { abandoned, rerun, armed: OnceLock::new() });
}

/// From now on the process does not run again.
pub fn end() {
    IS_OVER.store(true, Ordering::SeqCst);
}

/// Does a piece of work with this digest, unless it was abandoned in an earlier run. The digest is computed only where a
/// rerun is [allowed](allow).
pub fn attempt<T>(digest: impl FnOnce() -> u64, work: impl FnOnce() -> T) -> Result<T, Abandoned> {
    let Some(state) = STATE.get() else { return Ok(work()) };
    let digest = digest().max(1);
    if let Some(why) = state.abandoned.why(digest) {
        return Err(why);
    }
    let _running = RunningWork::start(digest);
    #[cfg(unix)]
    state.armed.get_or_init(|| signals::arm(state));
    Ok(work())
}

/// Marks the work of this thread until it is dropped.
struct RunningWork;

impl RunningWork {
    fn start(digest: u64) -> Self {
        CURRENT.set(digest);
        RUNNING.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Drop for RunningWork {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::SeqCst);
        CURRENT.set(0);
    }
}

/// The work that is not done, as in the variable: digests in hexadecimal, separated by commas, or a word for all.
#[derive(Debug, Default, PartialEq, Eq)]
struct AbandonedWork {
    crashed: Vec<u64>,
    all: Option<Abandoned>,
}

impl AbandonedWork {
    /// Ignores what has no meaning.
    fn parse(value: &str) -> Self {
        let mut work = Self::default();
        for entry in value.split(',').take(MAX_CRASHES) {
            match entry {
                ALL_CRASHED => work.all = Some(Abandoned::Crashed),
                ALL_TIMED_OUT => work.all = Some(Abandoned::TimedOut),
                _ if entry.len() == 16 => work.crashed.extend(u64::from_str_radix(entry, 16)),
                _ => {}
            }
        }
        work
    }

    /// Why the piece with this digest is not done.
    fn why(&self, digest: u64) -> Option<Abandoned> {
        self.all.or_else(|| self.crashed.contains(&digest).then_some(Abandoned::Crashed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_variable() {
        let why = |value: &str| AbandonedWork::parse(value).why(0xab);
        assert_eq!(why("00000000000000cd,00000000000000ab"), Some(Abandoned::Crashed));
        assert_eq!(why("00000000000000cd"), None);
        assert_eq!(why("crashed"), Some(Abandoned::Crashed));
        assert_eq!(why("00000000000000cd,timed-out"), Some(Abandoned::TimedOut));
        for nonsense in ["", ",", "ab", "1", "crash", "zzzzzzzzzzzzzzzz"] {
            assert_eq!(why(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn works_without_permission() {
        assert_eq!(attempt(|| unreachable!("no digest is needed"), || 7), Ok(7));
    }
}
