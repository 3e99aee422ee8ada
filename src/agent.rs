//! Coding agents: what each client sends becomes a [`Call`](crate::change::Call), and what phaser decides becomes an
//! answer in the client's own words, with the exit code that the client understands.
//!
//! Nobody else knows a client. An adapter is a file of its own; what all of them have in common is the
//! [`decision`].

use crate::exit::Exit;

pub mod claude;
pub mod decision;

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
