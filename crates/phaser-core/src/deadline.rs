//! When something must have ended. What is not done by then is left out and said, never waited for.

use std::time::{Duration, Instant};

/// A point in time, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// There is all the time in the world.
    pub const NEVER: Self = Self(None);

    /// So long from now.
    pub fn after(time: Duration) -> Self {
        Self(now().checked_add(time))
    }

    /// So long from now, or this one if it is earlier. Where there is no hurry, there is none: never stays never.
    #[must_use]
    pub fn within(self, time: Duration) -> Self {
        Self(self.0.map(|at| now().checked_add(time).map_or(at, |soon| soon.min(at))))
    }

    /// Is there no end?
    pub fn is_never(self) -> bool {
        self.0.is_none()
    }

    /// Is it over?
    pub fn has_passed(self) -> bool {
        self.0.is_some_and(|at| now() >= at)
    }

    /// What is left until then; `None` without an end.
    pub fn left(self) -> Option<Duration> {
        self.0.map(|at| at.saturating_duration_since(now()))
    }
}

/// How long something takes, for whoever adapts to it or asks for it. No result may depend on it.
#[derive(Debug, Clone, Copy)]
pub struct Watch(Instant);

impl Watch {
    /// Starts now.
    pub fn start() -> Self {
        Self(now())
    }

    /// The time since then.
    pub fn elapsed(self) -> Duration {
        now().saturating_duration_since(self.0)
    }
}

#[cfg(not(any(test, feature = "testing")))]
fn now() -> Instant {
    Instant::now()
}

/// In tests the clock can jump whenever somebody looks at it.
#[cfg(any(test, feature = "testing"))]
fn now() -> Instant {
    jumping::now()
}

/// A clock that jumps, for each thread.
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

    /// Does some work on this thread with a clock that jumps so far at every look, and counts the looks.
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
    fn it_passes_once_it_is_there() {
        assert!(Deadline::after(Duration::ZERO).has_passed());
        assert!(!Deadline::after(HOUR).has_passed());
        assert!(!Deadline::NEVER.has_passed());
        assert!(!Deadline::after(Duration::MAX).has_passed(), "too far away to be a time is never");
    }

    #[test]
    fn the_earlier_one_counts_and_never_stays_never() {
        assert!(Deadline::after(Duration::ZERO).within(HOUR).has_passed());
        assert!(Deadline::after(HOUR).within(Duration::ZERO).has_passed());
        assert!(!Deadline::after(HOUR).within(HOUR).has_passed());
        assert!(!Deadline::after(HOUR).within(Duration::MAX).has_passed());
        assert!(Deadline::NEVER.within(Duration::ZERO).is_never());
        assert_eq!(Deadline::NEVER.left(), None);
        assert!(Deadline::after(HOUR).left().is_some_and(|left| left > HOUR / 2));
    }

    #[test]
    fn never_is_no_matter_of_the_clock() {
        let (passed, looks) = jumping::by(HOUR, || Deadline::NEVER.within(HOUR).has_passed());
        assert_eq!((passed, looks), (false, 0));
        let deadline = Deadline::after(HOUR);
        assert_eq!(jumping::by(2 * HOUR, || deadline.has_passed()), (true, 1));
    }
}
