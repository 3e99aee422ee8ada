//! Which globs match a path. A glob is compared only with paths in the directory that it spells out, if it does, and with
//! names or extensions that it spells out.

use std::collections::HashMap;
use std::sync::Arc;

use crate::contract::Contract;
use crate::glob::Names;
use crate::path::RelPath;

/// The distinct globs of some contracts.
#[derive(Debug, Default)]
pub struct Globs {
    /// For each glob the contracts that have it, by their index; the first one's is asked.
    contracts: Vec<Vec<usize>>,
    /// The globs by the directory that they spell out, which may be none.
    under: HashMap<Vec<u8>, Inside>,
}

/// Globs that spell out the same directory, by their index.
#[derive(Debug, Default)]
struct Inside {
    /// Those that may match any name.
    any: Vec<usize>,
    names: HashMap<Vec<u8>, Vec<usize>>,
    extensions: HashMap<Vec<u8>, Vec<usize>>,
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
                let inside = globs.under.entry(contract.glob.directory().into()).or_default();
                match contract.glob.names() {
                    Names::Any => inside.any.push(new),
                    Names::Name(name) => inside.names.entry(name.into()).or_default().push(new),
                    Names::Extensions(extensions) => {
                        for extension in extensions {
                            inside.extensions.entry(extension.into()).or_default().push(new);
                        }
                    }
                }
                new
            });
            globs.contracts[at].push(index);
        }
        globs
    }

    /// The globs that match one of the names of a file, in order.
    pub fn matching(
        &self,
        contracts: &[Arc<Contract>],
        path: &RelPath,
        alias: Option<&RelPath>,
    ) -> Vec<usize> {
        let mut candidates: Vec<usize> = Vec::new();
        for path in std::iter::once(path).chain(alias).map(RelPath::as_bytes) {
            let name = &path[memchr::memrchr(b'/', path).map_or(0, |slash| slash + 1)..];
            let extension = memchr::memrchr(b'.', name).map(|dot| &name[dot + 1..]);
            let mut collect = |directory: &[u8]| {
                let Some(inside) = self.under.get(directory) else { return };
                let named = inside.names.get(name);
                let extended = extension.and_then(|extension| inside.extensions.get(extension));
                candidates.extend([Some(&inside.any), named, extended].into_iter().flatten().flatten());
            };
            collect(b"");
            memchr::memchr_iter(b'/', path).for_each(|slash| collect(&path[..=slash]));
        }
        candidates.sort_unstable();
        candidates.dedup();
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
