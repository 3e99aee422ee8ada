//! Texts of which every match holds one, as stretches of the letters of a pattern.

/// The most texts of one pattern.
const MAX_TEXTS: usize = 8;

/// Some stretches of the letters that have been read; none at all says nothing.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Texts {
    ranges: [(u16, u16); MAX_TEXTS],
    count: usize,
    /// The length of the shortest.
    pub(super) shortest: u16,
}

impl Texts {
    /// Where they stand.
    pub(super) fn ranges(&self) -> &[(u16, u16)] {
        &self.ranges[..self.count]
    }

    /// One stretch.
    pub(super) fn one(start: u16, end: u16) -> Self {
        let mut ranges = [(0, 0); MAX_TEXTS];
        ranges[0] = (start, end);
        Self { ranges, count: 1, shortest: end - start }
    }

    /// One of these or one of the others.
    pub(super) fn or(mut self, other: Self) -> Self {
        let count = self.count + other.count;
        if self.count == 0 || other.count == 0 || count > MAX_TEXTS {
            return Self::default();
        }
        self.ranges[self.count..count].copy_from_slice(&other.ranges[..other.count]);
        Self { ranges: self.ranges, count, shortest: self.shortest.min(other.shortest) }
    }
}
