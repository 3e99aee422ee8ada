//! The key of a cache file: a SHA-256 of everything that results depend on, except path and content of a file.
//!
//! `hash_for_cache` of contracts and options destructures them, so a new field does not compile until it is either
//! hashed or declared irrelevant. What only a report shows, such as a contract's message, is not hashed: results
//! reference contracts by index.

use std::fmt::Write as _;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::path::Root;
use phaser_core::contract::Contract;
use phaser_core::matcher::Options;

/// The length of a SHA-256, in bytes.
pub const LENGTH: usize = 32;

/// A SHA-256. Collision resistant, so that a crafted file cannot pass for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sha256Digest(pub [u8; LENGTH]);

impl Sha256Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The first 8 bytes in hexadecimal, for a file name.
    pub fn short(&self) -> String {
        self.0[..8].iter().fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").expect("writing to a string cannot fail");
            text
        })
    }
}

/// Everything that results depend on, except the binary.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    /// The project.
    pub root: &'a Root,
    /// The contracts, in the order of their indices in results.
    pub contracts: &'a [Arc<Contract>],
    /// How they are matched.
    pub options: &'a Options,
    /// The largest file that is read, in bytes.
    pub max_file_size: u64,
    /// Whether violations carry fixes.
    pub has_fixes: bool,
}

impl Inputs<'_> {
    /// The key, with the version and `program`, which distinguishes builds of one version.
    pub fn key(&self, program: &str) -> Sha256Digest {
        let mut hasher = Sha256Hasher(Sha256::new());
        let Self { root, contracts, options, max_file_size, has_fixes } = self;
        (env!("CARGO_PKG_VERSION"), program).hash(&mut hasher);
        (root, max_file_size, has_fixes).hash(&mut hasher);
        contracts.len().hash(&mut hasher);
        contracts.iter().for_each(|contract| contract.hash_for_cache(&mut hasher));
        options.hash_for_cache(&mut hasher);
        Sha256Digest(hasher.0.finalize().into())
    }
}

/// Feeds `Hash` implementations into SHA-256. They hash lengths and discriminants, so adjacent values cannot be
/// confused.
struct Sha256Hasher(Sha256);

impl Hasher for Sha256Hasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        unreachable!("the key is all 32 bytes")
    }
}
