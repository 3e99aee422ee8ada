//! Stamps: metadata that identifies one state of a file, and whether a later change would show in it.

use std::fs::{self, Metadata};
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The resolution of ctime, with a margin, on a file system that stores fractions of seconds.
const FINE: Duration = Duration::from_millis(100);
/// The same on a file system that stores whole seconds.
const COARSE: Duration = Duration::from_secs(2);

/// The metadata that identifies a state of a file or directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// The device.
    pub device: u64,
    /// The inode.
    pub inode: u64,
    /// The size in bytes.
    pub size: u64,
    /// The mtime: seconds and nanoseconds.
    pub modified: (i64, i64),
    /// The ctime: seconds and nanoseconds.
    pub changed: (i64, i64),
}

impl Stamp {
    /// The stamp of the file at `path`, following links.
    pub fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().as_ref().and_then(Self::from_metadata)
    }

    /// The stamp in this metadata.
    #[cfg(unix)]
    pub fn from_metadata(metadata: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        Some(Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }

    /// Without a ctime there is no stamp.
    #[cfg(not(unix))]
    pub fn from_metadata(_: &Metadata) -> Option<Self> {
        None
    }

    /// Whether every change after `now`, on the clock of the file system, gives another stamp: the ctime is older
    /// than `now` by more than a clock tick.
    pub fn is_settled(&self, now: &Self) -> bool {
        let nanoseconds =
            |(seconds, rest): (i64, i64)| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
        let margin = if self.changed.1 == 0 { COARSE } else { FINE };
        nanoseconds(now.changed) - nanoseconds(self.changed) >= margin.as_nanos() as i128
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamp_settles_after_clock_tick() {
        let stamp = |changed| Stamp { device: 0, inode: 0, size: 0, modified: (0, 0), changed };
        let settled = |changed, now| stamp(changed).is_settled(&stamp(now));
        assert!(settled((1, 900_000_000), (2, 1)));
        assert!(!settled((1, 900_000_001), (2, 0)));
        assert!(!settled((1, 0), (2, 999_999_999)), "the file system may keep seconds only");
        assert!(settled((1, 0), (3, 0)));
        assert!(!settled((5, 1), (4, 1)), "the clock was set back");
    }
}
