//! Which files of a tree are wanted, by what the system says of them: those whose state changed not before some time.
//!
//! The state of a file (ctime) also changes when its times are set back or when it is moved, so nobody hides a change by
//! that. A directory that is moved takes its files with it, and theirs does not change: it is looked at, too.

use std::fs::Metadata;
use std::time::SystemTime;

use phaser_core::deadline::Deadline;

/// What a walk takes, and how long it may take.
pub(in crate::source) struct Sieve<'a> {
    /// What changed before this time is not wanted. A time in the future is not before it.
    pub(in crate::source) since: Option<SystemTime>,
    /// Is the file at this path of the project known to be as it was?
    pub(in crate::source) is_as_before: &'a (dyn Fn(&[u8], &Metadata) -> bool + Sync),
    /// When to stop.
    pub(in crate::source) deadline: Deadline,
}

/// Whether a directory was moved to where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moved {
    Yes,
    No,
}

impl Sieve<'_> {
    /// Is this file wanted?
    pub(super) fn takes(&self, path: &[u8], metadata: &Metadata, moved: Moved) -> bool {
        let is_recent = moved == Moved::Yes || self.is_recent(changed_at(metadata));
        is_recent && !(self.is_as_before)(path, metadata)
    }

    /// Was this directory moved? That changes its state, but not what is in it.
    pub(super) fn has_moved(&self, metadata: &Metadata) -> bool {
        self.since.is_some()
            && self.is_recent(changed_at(metadata))
            && !self.is_recent(metadata.modified().ok())
    }

    /// What has no time is taken to be recent.
    fn is_recent(&self, time: Option<SystemTime>) -> bool {
        match (self.since, time) {
            (Some(since), Some(time)) => time >= since,
            (None, _) | (_, None) => true,
        }
    }
}

/// When the state of a file changed last; `None` before 1970.
#[cfg(unix)]
pub fn changed_at(metadata: &Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt as _;
    use std::time::Duration;
    let seconds = u64::try_from(metadata.ctime()).ok()?;
    let nanoseconds = u32::try_from(metadata.ctime_nsec()).ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanoseconds))
}

/// When a file was written last: there is nothing better.
#[cfg(not(unix))]
pub fn changed_at(metadata: &Metadata) -> Option<SystemTime> {
    metadata.modified().ok()
}
