//! How much memory violations may take: beyond that, those of a file are packed as soon as they are found.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Scanned;
use crate::contract::Contract;
use crate::violations::{Packer, size};

/// So much memory violations may take before they are packed, in bytes: some thirty thousand.
pub const MOST_HELD: usize = 8 << 20;

/// What all threads hold.
pub(super) struct Holding<'m> {
    contracts: &'m [Arc<Contract>],
    most: usize,
    held: AtomicUsize,
}

impl<'m> Holding<'m> {
    pub(super) fn new(contracts: &'m [Arc<Contract>], most: usize) -> Self {
        Self { contracts, most, held: AtomicUsize::new(0) }
    }

    /// Packs the violations of a target, unless there is room for them as they are.
    pub(super) fn hold(&self, scanned: &mut Scanned, packer: &mut Option<Packer>) {
        let violations = &mut scanned.checked.violations;
        if violations.is_empty() {
            return;
        }
        let size = size(violations);
        if self.held.fetch_add(size, Ordering::Relaxed).saturating_add(size) <= self.most {
            return;
        }
        self.held.fetch_sub(size, Ordering::Relaxed);
        let packer = packer.get_or_insert_with(Packer::new);
        match packer.pack(std::mem::take(violations), self.contracts) {
            Ok(packed) => scanned.packed = Some(Box::new(packed)),
            Err(as_they_were) => *violations = as_they_were,
        }
    }
}
