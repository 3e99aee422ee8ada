//! Selects files by the time of their last status change (ctime).
//!
//! ctime also changes when a file's mtime is set back or when it is renamed, so neither hides a change. A moved
//! directory takes its files along without changing their ctime. It is recognised by its own times: the move changed
//! its ctime but not its mtime. All files below it are then selected.

use std::fs::Metadata;
use std::time::SystemTime;

use phaser_core::deadline::Deadline;

/// Selects the files of a walk, and limits its time.
pub(in crate::source) struct ChangeFilter<'a> {
    /// Files that changed before this time are not selected; those from the future are.
    pub(in crate::source) since: Option<SystemTime>,
    /// Whether a file is known to be unchanged, by its path in the project and its metadata.
    pub(in crate::source) is_as_before: &'a (dyn Fn(&[u8], &Metadata) -> bool + Sync),
    pub(in crate::source) deadline: Deadline,
}

impl ChangeFilter<'_> {
    /// Whether to take a file; `moved` if its directory was moved to its place.
    pub(super) fn takes(&self, path: &[u8], metadata: &Metadata, moved: bool) -> bool {
        let is_recent = moved || self.is_recent(changed_at(metadata));
        is_recent && !(self.is_as_before)(path, metadata)
    }

    /// Whether an entry of a directory was added, removed or renamed, or the directory itself.
    pub(super) fn has_changed(&self, metadata: &Metadata) -> bool {
        self.is_recent(changed_at(metadata))
    }

    /// Whether a directory was moved: its ctime is recent and its mtime, which changes with its entries, is not.
    pub(super) fn has_moved(&self, metadata: &Metadata) -> bool {
        self.since.is_some()
            && self.is_recent(changed_at(metadata))
            && !self.is_recent(metadata.modified().ok())
    }

    /// A missing time counts as recent.
    fn is_recent(&self, time: Option<SystemTime>) -> bool {
        match (self.since, time) {
            (Some(since), Some(time)) => time >= since,
            (None, _) | (_, None) => true,
        }
    }
}

/// The ctime of a file; `None` before 1970.
#[cfg(unix)]
pub fn changed_at(metadata: &Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt as _;
    use std::time::Duration;
    let seconds = u64::try_from(metadata.ctime()).ok()?;
    let nanoseconds = u32::try_from(metadata.ctime_nsec()).ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanoseconds))
}

/// The mtime: this system has no ctime.
#[cfg(not(unix))]
pub fn changed_at(metadata: &Metadata) -> Option<SystemTime> {
    metadata.modified().ok()
}
