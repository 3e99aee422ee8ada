//! Deadlines. What is unfinished at one is reported, never waited for.

use std::time::{Duration, Instant};

/// A point in time, or never.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// No deadline.
    pub const NEVER: Self = Self(None);

    /// `time` from now.
    pub fn after(time: Duration) -> Self {
        Self(now().checked_add(time))
    }

    /// The earlier of `self` and `time` from now. Never stays never.
    #[must_use]
    pub fn within(self, time: Duration) -> Self {
        Self(self.0.map(|at| now().checked_add(time).map_or(at, |soon| soon.min(at))))
    }

    /// Whether there is no deadline.
    pub fn is_never(self) -> bool {
        self.0.is_none()
    }

    /// Whether it lies in the past. Reads the clock unless there is no deadline.
    pub fn has_passed(self) -> bool {
        self.0.is_some_and(|at| now() >= at)
    }

    /// The time left; `None` if never.
    pub fn left(self) -> Option<Duration> {
        self.0.map(|at| at.saturating_duration_since(now()))
    }
}

/// Measures elapsed time, for adapting and for reports. No result may depend on it.
#[derive(Debug, Clone, Copy)]
pub struct Watch(Instant);

impl Watch {
    /// Starts now.
    pub fn start() -> Self {
        Self(now())
    }

    /// The time since the start.
    pub fn elapsed(self) -> Duration {
        now().saturating_duration_since(self.0)
    }
}

#[cfg(not(any(test, feature = "testing")))]
fn now() -> Instant {
    Instant::now()
}

/// In tests the clock can jump at every read.
#[cfg(any(test, feature = "testing"))]
fn now() -> Instant {
    jumping::now()
}

/// A clock per thread that jumps at every read.
#[cfg(any(test, feature = "testing"))]
pub mod jumping {
    use std::cell::Cell;
    use std::time::{Duration, Instant};

    thread_local! {
        static JUMP: Cell<Duration> = const { Cell::new(Duration::ZERO) };
        static AHEAD: Cell<Duration> = const { Cell::new(Duration::ZERO) };
        static LOOKS: Cell<usize> = const { Cell::new(0) };
    }

    pub(super) fn now() -> Instant {
        LOOKS.set(LOOKS.get() + 1);
        AHEAD.set(AHEAD.get() + JUMP.get());
        Instant::now() + AHEAD.get()
    }

    /// Runs `work` with a clock that jumps by `jump` at every read. Returns the number of reads.
    pub fn by<T>(jump: Duration, work: impl FnOnce() -> T) -> (T, usize) {
        let before = LOOKS.get();
        JUMP.set(jump);
        let done = work();
        JUMP.set(Duration::ZERO);
        AHEAD.set(Duration::ZERO);
        (done, LOOKS.get() - before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn passes_at_its_time() {
        assert!(Deadline::after(Duration::ZERO).has_passed());
        assert!(!Deadline::after(HOUR).has_passed());
        assert!(!Deadline::NEVER.has_passed());
        assert!(!Deadline::after(Duration::MAX).has_passed(), "too far away to be a time is never");
    }

    #[test]
    fn within_takes_the_earlier() {
        assert!(Deadline::after(Duration::ZERO).within(HOUR).has_passed());
        assert!(Deadline::after(HOUR).within(Duration::ZERO).has_passed());
        assert!(!Deadline::after(HOUR).within(HOUR).has_passed());
        assert!(!Deadline::after(HOUR).within(Duration::MAX).has_passed());
        assert!(Deadline::NEVER.within(Duration::ZERO).is_never());
        assert_eq!(Deadline::NEVER.left(), None);
        assert!(Deadline::after(HOUR).left().is_some_and(|left| left > HOUR / 2));
    }

    #[test]
    fn never_reads_no_clock() {
        let (passed, looks) = jumping::by(HOUR, || Deadline::NEVER.within(HOUR).has_passed());
        assert_eq!((passed, looks), (false, 0));
        let deadline = Deadline::after(HOUR);
        assert_eq!(jumping::by(2 * HOUR, || deadline.has_passed()), (true, 1));
    }
}
