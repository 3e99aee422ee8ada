//! Stand-in.
use std::path::PathBuf;
use std::time::SystemTime;

/// What a shell command, or a whole turn of an agent, may have written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sweep {
    /// After a command.
    Command {
        /// The files that it changed, if the client says which.
        changed: Option<Vec<PathBuf>>,
        /// When it began.
        since: SystemTime,
    },
    /// At the end of a turn.
    Turn {
        /// When it began.
        since: Option<SystemTime>,
    },
}
