//! Which globs match a path. A glob is compared only with paths in the directory that it spells out, if it does, and with
//! names or extensions that it spells out.

use std::collections::HashMap;
use std::sync::Arc;

use crate::contract::Contract;
use crate::contract::scope::FileSet;
use crate::deadline::Deadline;
use crate::glob::Names as GlobNames;
use crate::path::RelPath;

/// The names of one file.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a> {
    /// The path that globs see and reports show.
    pub path: &'a RelPath,
    /// Its real path, if that is another one.
    pub alias: Option<&'a RelPath>,
}

impl<'a> Names<'a> {
    fn iter(self) -> impl Iterator<Item = &'a RelPath> {
        std::iter::once(self.path).chain(self.alias)
    }

    /// Does the file lie in one of these directories? Its real name decides: a link there that leads elsewhere does not.
    pub fn lies_in(self, directories: &[RelPath]) -> bool {
        let real = self.alias.unwrap_or(self.path).as_bytes();
        let inside = |directory: &RelPath| real.strip_prefix(directory.as_bytes());
        directories
            .iter()
            .any(|directory| inside(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/")))
    }

    /// Is each name one of these files? A file that is called something else too is judged by that.
    pub fn are_all_in(self, files: &[FileSet]) -> bool {
        !files.is_empty() && self.iter().all(|name| files.iter().any(|files| files.contains(name)))
    }
}

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
    /// The globs of the contracts.
    pub fn of(contracts: &[Contract]) -> Self {
        let mut globs = Self::default();
        let mut known = HashMap::new();
        for (index, contract) in contracts.iter().enumerate() {
            let exclude = contract.exclude.as_ref().map(|exclude| exclude.glob.as_str());
            let at =
                *known.entry((contract.glob.as_str(), exclude, contract.scope.key())).or_insert_with(|| {
                    let new = globs.contracts.len();
                    globs.contracts.push(Vec::new());
                    let inside = globs.under.entry(directory(contract)).or_default();
                    match contract.glob.names() {
                        GlobNames::Any => inside.any.push(new),
                        GlobNames::Name(name) => inside.names.entry(name.into()).or_default().push(new),
                        GlobNames::Extensions(extensions) => {
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

    /// The globs that match one of the names of a file, in order. When there is no time left to compare a glob, it is
    /// taken to match.
    pub fn matching(&self, contracts: &[Arc<Contract>], names: Names<'_>, deadline: Deadline) -> Vec<usize> {
        let mut candidates: Vec<usize> = Vec::new();
        for path in names.iter().map(RelPath::as_bytes) {
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
        candidates.retain(|&at| {
            let contract = &contracts[self.contracts[at][0]];
            contract.applies_to(names.path, names.alias) || deadline.has_passed()
        });
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

/// The directory that the paths of a contract's files start with, from the project root and with a final `/`; it may be
/// none.
fn directory(contract: &Contract) -> Vec<u8> {
    match contract.scope.base.as_bytes() {
        [] => contract.glob.directory().into(),
        base => [base, b"/", contract.glob.directory().as_bytes()].concat(),
    }
}
