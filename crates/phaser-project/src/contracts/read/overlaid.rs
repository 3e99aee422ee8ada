//! Reads contract files with changes that are not on disk yet: some have other bytes, are deleted or are new.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use super::folder::is_named_like_a_contract;
use super::{Candidate, ContractDirectory, ContractReader, ReadContracts, files, of_bytes};
use crate::path::real_path;

/// Changed files, by real path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overlay {
    files: BTreeMap<PathBuf, Option<Vec<u8>>>,
}

impl Overlay {
    /// Changed files with their bytes; `None` for a deleted one.
    pub fn new(files: impl IntoIterator<Item = (PathBuf, Option<Vec<u8>>)>) -> Self {
        Self { files: files.into_iter().map(|(path, bytes)| (real_path(&path), bytes)).collect() }
    }

    /// The bytes of a changed file; `Some(None)` if it is deleted, `None` if it is unchanged.
    pub fn file(&self, path: &Path) -> Option<Option<&[u8]>> {
        self.files.get(&real_path(path)).map(Option::as_deref)
    }

    /// Whether a changed file is below this directory.
    pub fn has_files_in(&self, directory: &Path) -> bool {
        let directory = real_path(directory);
        self.files.iter().any(|(path, bytes)| bytes.is_some() && path.starts_with(&directory))
    }

    /// The changed contract files of a directory, by real and by relative path. `known` maps the real path of each
    /// directory with contract files to its relative path, which may lead through a link.
    fn contracts_in(&self, directory: &Path, known: &BTreeMap<PathBuf, PathBuf>) -> Vec<(PathBuf, PathBuf)> {
        let mut found = Vec::new();
        for path in self.files.iter().filter(|(_, bytes)| bytes.is_some()).map(|(path, _)| path) {
            let through_link = || {
                let folder = known.get(path.parent()?)?;
                Some(folder.join(path.file_name()?))
            };
            let inside = path.strip_prefix(directory).map(Path::to_owned).ok().or_else(through_link);
            let inside = inside.filter(|inside| is_named_like_a_contract(inside));
            found.extend(inside.map(|inside| (path.clone(), inside)));
        }
        found
    }
}

impl ContractReader {
    /// Reads the contracts of a directory with changes.
    pub fn read_overlaid(&mut self, directory: &ContractDirectory, overlay: &Overlay) -> ReadContracts {
        let mut found = ReadContracts::default();
        let on_disk = files(directory, &mut found.warnings);
        let mut all: Vec<(PathBuf, Candidate)> =
            on_disk.into_iter().map(|file| (real_path(&file.path), file)).collect();
        let folder = |(real, file): &(PathBuf, Candidate)| {
            let inside = file.path.strip_prefix(&directory.path).ok()?;
            Some((real.parent()?.to_owned(), inside.parent()?.to_owned()))
        };
        let folders: BTreeMap<PathBuf, PathBuf> = all.iter().filter_map(folder).collect();
        let known: HashSet<PathBuf> = all.iter().map(|(real, _)| real.clone()).collect();
        for (real, inside) in overlay.contracts_in(&real_path(&directory.path), &folders) {
            if !known.contains(&real) {
                all.push((real, Candidate::new(directory, inside.as_os_str())));
            }
        }
        all.sort_unstable_by(|(_, one), (_, other)| one.path.as_os_str().cmp(other.path.as_os_str()));
        for (real, Candidate { path, origin }) in all {
            let built = match overlay.files.get(&real) {
                Some(None) => continue,
                Some(Some(bytes)) => of_bytes(bytes, origin, &mut self.room),
                None => super::read(&path, origin, &mut self.room, &mut self.bytes),
            };
            if self.deadline.has_passed() || self.keep(&mut found, built, directory).is_err() {
                break;
            }
        }
        found
    }
}
