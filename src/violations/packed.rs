//! The violations of one file in few bytes.
//!
//! States are not among these bytes: they are decided later. All else is as it was found.

use std::sync::Arc;

use super::record::{put_violations, take_violations};
use super::{Change, in_order};
use crate::contract::{Contract, Severity};
use crate::deflate::{Deflater, inflate};
use crate::path::RelPath;
use crate::violation::{State, Violation};
use crate::wire::Bytes;

/// Fewer bytes stay as they are, because little can be saved.
const MIN_DEFLATED: usize = 512;

/// So much memory is kept for the next file.
const MOST_SPARE: usize = 1 << 20;

/// The violations of one file.
#[derive(Debug)]
pub(crate) struct Packed {
    path: RelPath,
    /// What is known of each without unpacking it.
    kinds: Box<[Kind]>,
    bytes: Box<[u8]>,
    /// How many bytes they are when they are inflated; nothing if they are not deflated.
    inflated: Option<usize>,
}

/// The state and the severity of a violation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind {
    pub state: State,
    pub severity: Severity,
}

impl Kind {
    pub(super) fn of(violation: &Violation) -> Self {
        Self { state: violation.state, severity: violation.contract.severity }
    }
}

/// What is needed to unpack.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unpacking<'a> {
    /// The contracts that are named by their numbers.
    pub contracts: &'a [Arc<Contract>],
    /// What has happened to the violations since they were packed, but for their states.
    pub changes: &'a [Change],
}

/// Packs one file after another.
pub(crate) struct Packer {
    deflater: Deflater,
    plain: Vec<u8>,
}

impl Packer {
    /// With memory of its own.
    pub(crate) fn new() -> Self {
        Self { deflater: Deflater::new(), plain: Vec::new() }
    }

    /// Packs the violations of one file, in order; gives them back if they are not of one file and of these contracts.
    pub(crate) fn pack(
        &mut self,
        mut violations: Vec<Violation>,
        contracts: &[Arc<Contract>],
    ) -> Result<Packed, Vec<Violation>> {
        let Some(path) = violations.first().map(|violation| violation.path.clone()) else {
            return Err(violations);
        };
        violations.sort_by(in_order);
        if put_violations(&mut self.plain, &violations, contracts, &path).is_none() {
            self.plain.clear();
            return Err(violations);
        }
        let kinds = violations.iter().map(Kind::of).collect();
        let is_worth_it = self.plain.len() >= MIN_DEFLATED;
        let deflated = is_worth_it.then(|| self.deflater.deflate(&self.plain)).flatten();
        let inflated = deflated.is_some().then_some(self.plain.len());
        let bytes = deflated.unwrap_or_else(|| self.plain.as_slice().into());
        self.plain.clear();
        self.plain.shrink_to(MOST_SPARE);
        Ok(Packed { path, kinds, bytes, inflated })
    }
}

impl Packed {
    /// The file.
    pub(crate) fn path(&self) -> &RelPath {
        &self.path
    }

    pub(super) fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// Is there a violation in a state that is wanted?
    pub(super) fn has(&self, wanted: impl Fn(State) -> bool) -> bool {
        self.kinds.iter().any(|kind| wanted(kind.state))
    }

    /// How much memory they take, in bytes.
    #[cfg(test)]
    pub(super) fn size(&self) -> usize {
        size_of_val(self) + self.path.as_bytes().len() + size_of_val(&*self.kinds) + self.bytes.len()
    }

    /// The violations as they are now.
    pub(super) fn unpack(&self, unpacking: Unpacking<'_>) -> Vec<Violation> {
        let violations = match self.inflated {
            Some(length) => inflate(&self.bytes, length).and_then(|bytes| self.read(&bytes, unpacking)),
            None => self.read(&self.bytes, unpacking),
        };
        let mut violations = violations.expect("what was packed can be unpacked");
        for (violation, kind) in violations.iter_mut().zip(&self.kinds) {
            violation.state = kind.state;
        }
        unpacking.changes.iter().for_each(|change| change(&mut violations));
        violations
    }

    fn read(&self, bytes: &[u8], unpacking: Unpacking<'_>) -> Option<Vec<Violation>> {
        take_violations(&mut Bytes(bytes), unpacking.contracts, &self.path)
    }

    /// Decides on the states of violations; nothing else of them changes.
    pub(super) fn decide(&mut self, unpacking: Unpacking<'_>, decide: impl FnOnce(&mut [Violation])) {
        let mut violations = self.unpack(unpacking);
        decide(&mut violations);
        for (kind, violation) in self.kinds.iter_mut().zip(&violations) {
            kind.state = violation.state;
        }
    }
}
