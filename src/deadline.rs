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
        Self(Instant::now().checked_add(time))
    }

    /// The earlier one of two.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self.0, other.0) {
            (Some(one), Some(other)) => Self(Some(one.min(other))),
            (one, other) => Self(one.or(other)),
        }
    }

    /// Is it over?
    pub fn has_passed(self) -> bool {
        self.0.is_some_and(|at| Instant::now() >= at)
    }

    /// What is left until then; `None` without an end.
    pub fn left(self) -> Option<Duration> {
        self.0.map(|at| at.saturating_duration_since(Instant::now()))
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
    fn the_earlier_one_counts() {
        let (now, later) = (Deadline::after(Duration::ZERO), Deadline::after(HOUR));
        assert_eq!((now.or(later), later.or(now)), (now, now));
        assert_eq!((later.or(Deadline::NEVER), Deadline::NEVER.or(later)), (later, later));
        assert_eq!(Deadline::NEVER.left(), None);
        assert!(later.left().is_some_and(|left| left > HOUR / 2));
    }
}
