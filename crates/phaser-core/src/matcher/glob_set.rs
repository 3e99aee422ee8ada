//! Which globs match a path. A glob is compared only with paths in the directory that it spells out, if it does, and with
//! names or extensions that it spells out.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use crate::contract::Contract;
use crate::contract::scope::FileSet;
use crate::deadline::Deadline;
use crate::path::RelPath;
use phaser_glob::Names as GlobNames;

/// The names of one file.
#[derive(Debug, Clone, Copy)]
pub struct FileNames<'a> {
    /// The path that globs see and reports show.
    pub path: &'a RelPath,
    /// Its real path, if that is another one.
    pub alias: Option<&'a RelPath>,
}

impl<'a> FileNames<'a> {
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

/// After so many paths, globs are put in order; before, each is compared with each path.
const FEW_PATHS: usize = 4;

/// The distinct globs of some contracts.
#[derive(Debug, Default)]
pub struct GlobSet {
    /// For each glob the contracts that have it, by their index; the first one's is asked.
    contracts: Vec<Vec<usize>>,
    /// The globs by the directory that they spell out, which may be none, once there are many paths.
    under: OnceLock<HashMap<Vec<u8>, DirectoryGlobs>>,
    /// How many paths they have been compared with.
    paths: AtomicUsize,
}

/// GlobSet that spell out the same directory, by their index.
#[derive(Debug, Default)]
struct DirectoryGlobs {
    /// Those that may match any name.
    any: Vec<usize>,
    names: HashMap<Vec<u8>, Vec<usize>>,
    extensions: HashMap<Vec<u8>, Vec<usize>>,
}

impl GlobSet {
    /// The globs of the contracts.
    pub fn of(contracts: &[Contract]) -> Self {
        let mut globs = Self::default();
        // By the glob alone, which is short: contracts for the same files may leave out long lists of others.
        let mut known: HashMap<&str, Vec<(_, usize)>> = HashMap::new();
        let mut last = None;
        for (index, contract) in contracts.iter().enumerate() {
            let exclude = contract.exclude.as_ref().map(|exclude| exclude.glob.as_str());
            let (glob, rest) = (contract.glob.as_str(), (exclude, contract.scope.key()));
            // Contracts that stand together mostly have the same one.
            let at = match last {
                Some((same, at)) if same == (glob, rest) => at,
                _ => {
                    let same = known.entry(glob).or_default();
                    match same.iter().find(|(known, _)| *known == rest) {
                        Some((_, at)) => *at,
                        None => {
                            same.push((rest, globs.contracts.len()));
                            globs.contracts.push(Vec::new());
                            globs.contracts.len() - 1
                        }
                    }
                }
            };
            globs.contracts[at].push(index);
            last = Some(((glob, rest), at));
        }
        globs
    }

    /// The globs in order.
    fn in_order(&self, contracts: &[Arc<Contract>]) -> HashMap<Vec<u8>, DirectoryGlobs> {
        let mut under: HashMap<Vec<u8>, DirectoryGlobs> = HashMap::new();
        for (at, having) in self.contracts.iter().enumerate() {
            let contract = &contracts[having[0]];
            let inside = under.entry(directory(contract)).or_default();
            match contract.glob.names() {
                GlobNames::Any => inside.any.push(at),
                GlobNames::Name(name) => inside.names.entry(name.into()).or_default().push(at),
                GlobNames::Extensions(extensions) => {
                    for extension in extensions {
                        inside.extensions.entry(extension.into()).or_default().push(at);
                    }
                }
            }
        }
        under
    }

    /// The globs that match one of the names of a file, in order. When there is no time left to compare a glob, it is
    /// taken to match.
    pub fn matching(
        &self,
        contracts: &[Arc<Contract>],
        names: FileNames<'_>,
        deadline: Deadline,
    ) -> Vec<usize> {
        let mut candidates = self.candidates(contracts, names);
        candidates.retain(|&at| {
            let contract = &contracts[self.contracts[at][0]];
            contract.applies_to(names.path, names.alias) || deadline.has_passed()
        });
        candidates
    }

    /// The globs that may match one of the names of a file, in order.
    fn candidates(&self, contracts: &[Arc<Contract>], names: FileNames<'_>) -> Vec<usize> {
        if self.paths.fetch_add(1, Ordering::Relaxed) < FEW_PATHS {
            return (0..self.contracts.len()).collect();
        }
        let under = self.under.get_or_init(|| self.in_order(contracts));
        let mut candidates: Vec<usize> = Vec::new();
        for path in names.iter().map(RelPath::as_bytes) {
            let name = &path[memchr::memrchr(b'/', path).map_or(0, |slash| slash + 1)..];
            let extension = memchr::memrchr(b'.', name).map(|dot| &name[dot + 1..]);
            let mut collect = |directory: &[u8]| {
                let Some(inside) = under.get(directory) else { return };
                let named = inside.names.get(name);
                let extended = extension.and_then(|extension| inside.extensions.get(extension));
                candidates.extend([Some(&inside.any), named, extended].into_iter().flatten().flatten());
            };
            collect(b"");
            memchr::memchr_iter(b'/', path).for_each(|slash| collect(&path[..=slash]));
        }
        candidates.sort_unstable();
        candidates.dedup();
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
