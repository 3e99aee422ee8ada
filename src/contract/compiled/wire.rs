//! Values as bytes: the only user of postcard.

use std::io;

use serde::{Deserialize, Serialize};

/// The bytes of a value.
pub fn encode(value: &impl Serialize) -> io::Result<Vec<u8>> {
    postcard::to_stdvec(value).map_err(io::Error::other)
}

/// The value at the start of some bytes, and the bytes after it.
pub fn take<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Option<(T, &'a [u8])> {
    postcard::take_from_bytes(bytes).ok()
}
