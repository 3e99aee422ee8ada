//! The globs of all contracts, indexed by directory, name and extension.
//!
//! `src/**/*.py` is tested only for paths under `src/` that end in `.py`. The distinct globs are indexed once a
//! few paths have been seen; before, each is tested directly, which is cheaper for a hook.

use std::cell::LazyCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use crate::contract::Contract;
use crate::contract::scope::FileSet;
use crate::deadline::Deadline;
use crate::file_kind::FileKinds;
use crate::path::RelPath;
use phaser_data::Format;
use phaser_glob::NamePattern;

/// The paths of one file.
#[derive(Debug, Clone, Copy)]
pub struct FileNames<'a> {
    /// The path that globs see and reports show.
    pub path: &'a RelPath,
    /// The real path, if it differs.
    pub alias: Option<&'a RelPath>,
}

impl<'a> FileNames<'a> {
    /// The data format of the file, by its name or else by its real name.
    pub fn format(self) -> Option<Format> {
        self.iter().find_map(|name| Format::of(name.as_bytes()))
    }

    /// The kinds that its paths show.
    pub fn kinds(self) -> FileKinds {
        let kinds = self.iter().map(|name| FileKinds::of_path(name.as_bytes()));
        kinds.fold(FileKinds::default(), FileKinds::union)
    }

    fn iter(self) -> impl Iterator<Item = &'a RelPath> {
        std::iter::once(self.path).chain(self.alias)
    }

    /// Whether the file is one of `places`, or a YAML file in one of them. The real path decides, so a symbolic link does
    /// not exempt its target.
    pub fn is_contract_file(self, places: &[RelPath]) -> bool {
        let real = self.alias.unwrap_or(self.path).as_bytes();
        let is_yaml = real.ends_with(b".yaml") || real.ends_with(b".yml");
        let inside = |place: &RelPath| real.strip_prefix(place.as_bytes());
        places.iter().any(|place| {
            inside(place).is_some_and(|rest| rest.is_empty() || is_yaml && rest.starts_with(b"/"))
        })
    }

    /// Whether every path of the file is in one of these sets.
    pub fn are_all_in(self, files: &[FileSet]) -> bool {
        !files.is_empty() && self.iter().all(|name| files.iter().any(|files| files.contains(name)))
    }
}

/// The number of paths tested before the globs are indexed.
const FEW_PATHS: usize = 4;

/// The distinct globs of some contracts.
#[derive(Debug, Default)]
pub struct GlobSet {
    /// For each glob the contracts that have it. The first one is tested.
    contracts: Vec<Vec<usize>>,
    /// The globs by their literal directory, which may be empty. Built after [`FEW_PATHS`] paths.
    under: OnceLock<HashMap<Vec<u8>, DirectoryGlobs>>,
    /// The number of paths tested.
    paths: AtomicUsize,
}

/// The globs with one literal directory.
#[derive(Debug, Default)]
struct DirectoryGlobs {
    /// Globs that may match any name.
    any: Vec<usize>,
    names: HashMap<Vec<u8>, Vec<usize>>,
    extensions: HashMap<Vec<u8>, Vec<usize>>,
}

impl GlobSet {
    pub fn of(contracts: &[Contract]) -> Self {
        let mut globs = Self::default();
        let mut known = HashMap::new();
        for (index, contract) in contracts.iter().enumerate() {
            let exclude = contract.exclude.as_ref().map(|exclude| exclude.glob.as_str());
            // A check that reads no text is decided by the path alone.
            let kinds = (contract.kinds, contract.check.judges_text());
            let at = *known
                .entry((contract.glob.as_str(), exclude, kinds, contract.scope.key()))
                .or_insert_with(|| {
                    globs.contracts.push(Vec::new());
                    globs.contracts.len() - 1
                });
            globs.contracts[at].push(index);
        }
        globs
    }

    /// Builds the index.
    fn in_order(&self, contracts: &[Arc<Contract>]) -> HashMap<Vec<u8>, DirectoryGlobs> {
        let mut under: HashMap<Vec<u8>, DirectoryGlobs> = HashMap::new();
        for (at, having) in self.contracts.iter().enumerate() {
            let contract = &contracts[having[0]];
            let inside = under.entry(directory(contract)).or_default();
            match contract.glob.names() {
                NamePattern::Any => inside.any.push(at),
                NamePattern::Name(name) => inside.names.entry(name.into()).or_default().push(at),
                NamePattern::Extensions(extensions) => {
                    for extension in extensions {
                        inside.extensions.entry(extension.into()).or_default().push(at);
                    }
                }
            }
        }
        under
    }

    /// The globs that match a path of the file, in order. After the deadline every candidate counts as matching.
    pub fn matching(
        &self,
        contracts: &[Arc<Contract>],
        names: FileNames<'_>,
        deadline: Deadline,
    ) -> Vec<usize> {
        let mut candidates = self.candidates(contracts, names);
        let kinds = |name: &'_ RelPath| FileKinds::of_path(name.as_bytes());
        let of_path = LazyCell::new(|| kinds(names.path));
        let of_alias = LazyCell::new(|| names.alias.map(kinds).unwrap_or_default());
        candidates.retain(|&at| {
            let contract = &contracts[self.contracts[at][0]];
            contract.is_about(names.path, || *of_path)
                || names.alias.is_some_and(|alias| contract.is_about(alias, || *of_alias))
                || deadline.has_passed()
        });
        candidates
    }

    /// The globs that may match, in order.
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

/// The literal directory of a contract's files, from the project root, with a final `/` or empty.
fn directory(contract: &Contract) -> Vec<u8> {
    match contract.scope.base.as_bytes() {
        [] => contract.glob.directory().into(),
        base => [base, b"/", contract.glob.directory().as_bytes()].concat(),
    }
}
