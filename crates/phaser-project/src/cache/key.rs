//! The key of a results file: a SHA-256 over everything that decides results beside the path and the content of a file.
//!
//! `hash_for_cache` of contracts and options takes them apart field by field: a new field does not compile until somebody
//! decides whether results depend on it. What only a report shows of a contract, such as its message, is no part of the
//! key; results name contracts by number, and a report shows the contracts of the run.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::identity::Identity;
use crate::path::Root;
use phaser_core::contract::Contract;
use phaser_core::matcher::Options;

/// What results depend on beside the program.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    /// The project.
    pub root: &'a Root,
    /// The contracts, in the order that results number them.
    pub contracts: &'a [Arc<Contract>],
    /// How they are matched.
    pub options: &'a Options,
    /// The largest file that is read, in bytes.
    pub max_file_size: u64,
    /// Whether violations carry fixes.
    pub has_fixes: bool,
}

impl Inputs<'_> {
    /// The key for a program, which its own description tells from others of the same version.
    pub fn key(&self, program: &str) -> Identity {
        let mut hasher = Sha256Hasher(Sha256::new());
        let Self { root, contracts, options, max_file_size, has_fixes } = self;
        (env!("CARGO_PKG_VERSION"), program).hash(&mut hasher);
        (root, max_file_size, has_fixes).hash(&mut hasher);
        contracts.len().hash(&mut hasher);
        contracts.iter().for_each(|contract| contract.hash_for_cache(&mut hasher));
        options.hash_for_cache(&mut hasher);
        Identity(hasher.0.finalize().into())
    }
}

/// Collects what `Hash` implementations write. Lengths and discriminants are part of it, so values cannot run together.
struct Sha256Hasher(Sha256);

impl Hasher for Sha256Hasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        unreachable!("the key is all 32 bytes")
    }
}
