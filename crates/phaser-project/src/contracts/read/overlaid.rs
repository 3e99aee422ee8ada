//! Changes to contract files that are not on disk yet: some have other bytes, are deleted or are new.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{ContractDirectory, FileContents, folder};
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

    /// The files of a contract directory with these changes. A file may be reached through a link.
    pub fn contents_of(&self, directory: &ContractDirectory) -> FileContents {
        let mut changed: BTreeMap<OsString, Option<Vec<u8>>> = BTreeMap::new();
        let mut known: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
        let mut seen: Vec<PathBuf> = Vec::new();
        for name in folder::names(directory, &mut Vec::new()) {
            let real = real_path(&directory.path.join(&name));
            if let (Some(real), Some(inside)) = (real.parent(), name.parent()) {
                known.insert(real.to_owned(), inside.to_owned());
            }
            if let Some(bytes) = self.files.get(&real) {
                changed.insert(name.into_os_string(), bytes.clone());
            }
            seen.push(real);
        }
        let top = real_path(&directory.path);
        for (path, bytes) in self.files.iter().filter(|(path, bytes)| bytes.is_some() && !seen.contains(path))
        {
            let through_link = || Some(known.get(path.parent()?)?.join(path.file_name()?));
            let inside = path.strip_prefix(&top).map(Path::to_owned).ok().or_else(through_link);
            changed.extend(inside.map(|inside| (inside.into_os_string(), bytes.clone())));
        }
        FileContents::Changed(changed)
    }
}
