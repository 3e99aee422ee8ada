//! Coding agents: what each client sends becomes an [`Occasion`], and what phaser decides becomes an
//! answer in the client's own words, with the exit code that the client understands.
//!
//! Nobody else knows a client. An adapter is a file of its own; what all of them have in common is the
//! [`decision`].

use std::path::PathBuf;

use crate::change::Call;
use crate::exit::Exit;
use crate::source::swept::Sweep;

pub mod claude;
pub mod decision;

/// What an event of an agent is an occasion for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Occasion {
    /// A tool changes files, or has changed them.
    Call(Call),
    /// A shell command has run: whatever it left in files.
    Command(Worktree),
    /// A turn is about to end: whatever it left in files.
    End {
        /// Which files.
        worktree: Worktree,
        /// What it was sent back for since the last prompt.
        told: Vec<String>,
    },
    /// Somebody begins to work, and should know the contracts.
    Beginning {
        /// Where.
        cwd: PathBuf,
    },
    /// The settings that hold phaser's own hooks may have changed.
    Settings {
        /// Where.
        cwd: PathBuf,
    },
    /// There is nothing to do.
    Nothing,
}

/// Files of a worktree to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    /// Where the agent is; absolute.
    pub cwd: PathBuf,
    /// Which files.
    pub sweep: Sweep,
}

/// In which manner a client is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// About edits only, in the words that there always were.
    Plain,
    /// About everything that may change a file; texts name the file, and warnings are no errors.
    Guard,
}

/// What a client is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The one document for standard output, without a final newline.
    pub stdout: String,
    /// How the process ends.
    pub exit: Exit,
}

/// What to answer when nothing is left to say against a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnClean {
    /// `allow`, which skips the user's permission prompt.
    Allow,
    /// `{}`, which leaves the decision to the client.
    Defer,
}
