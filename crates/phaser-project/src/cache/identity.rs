//! What tells one content from every other: its SHA-256. The home of sha2.
//!
//! Nobody finds a second text with the same one, so that no file is taken for another, not even one that was made for it.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// How many bytes it has.
pub const LENGTH: usize = 32;

/// What tells some bytes from all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity(pub [u8; LENGTH]);

impl Identity {
    /// The identity of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The start of it, for the name of a file.
    pub fn short(&self) -> String {
        self.0[..8].iter().fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").expect("writing to a string cannot fail");
            text
        })
    }
}
