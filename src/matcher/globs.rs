//! Which globs match a path. A glob that spells out its directory is compared only with the paths in there.

use std::collections::HashMap;

use crate::contract::Contract;
use crate::path::RelPath;

/// The distinct globs of some contracts.
#[derive(Debug, Default)]
pub struct Globs {
    /// For each glob the contracts that have it, by their index; the first one's is asked.
    contracts: Vec<Vec<usize>>,
    /// The globs that may match in any directory, by their index.
    anywhere: Vec<usize>,
    /// The others, by the directory that they spell out.
    under: HashMap<Vec<u8>, Vec<usize>>,
}

impl Globs {
    /// The globs of the contracts, each with its index.
    pub fn of<'a>(contracts: impl Iterator<Item = (usize, &'a Contract)>) -> Self {
        let mut globs = Self::default();
        let mut known: HashMap<&str, usize> = HashMap::new();
        for (index, contract) in contracts {
            let at = *known.entry(contract.glob.as_str()).or_insert_with(|| {
                let new = globs.contracts.len();
                globs.contracts.push(Vec::new());
                match contract.glob.directory() {
                    "" => globs.anywhere.push(new),
                    directory => globs.under.entry(directory.into()).or_default().push(new),
                }
                new
            });
            globs.contracts[at].push(index);
        }
        globs
    }

    /// The globs that match one of the names of a file, in order.
    pub fn matching(&self, contracts: &[Contract], path: &RelPath, alias: Option<&RelPath>) -> Vec<usize> {
        let mut candidates = self.anywhere.clone();
        if !self.under.is_empty() {
            for name in std::iter::once(path).chain(alias).map(RelPath::as_bytes) {
                let directories = memchr::memchr_iter(b'/', name).map(|slash| &name[..=slash]);
                let globs = directories.filter_map(|directory| self.under.get(directory)).flatten();
                candidates.extend(globs);
            }
            candidates.sort_unstable();
            candidates.dedup();
        }
        candidates.retain(|&at| contracts[self.contracts[at][0]].applies_to(path, alias));
        candidates
    }

    /// The contracts that have one of these globs, in order.
    pub fn contracts(&self, globs: &[usize]) -> Vec<usize> {
        let mut all: Vec<usize> =
            globs.iter().filter_map(|&at| self.contracts.get(at)).flatten().copied().collect();
        all.sort_unstable();
        all
    }
}
