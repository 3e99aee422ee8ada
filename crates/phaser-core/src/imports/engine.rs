//! Finds the imports of a text and their targets.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::resolve::{Configs, Importer};
use super::{EntryKind, ProjectView, ResolvedImport};
use crate::code::engine::{CodeTrees, NotSearched, languages_of_glob};
use crate::contract::Contract;
use crate::deadline::Deadline;
use crate::path::RelPath;

/// The problem of any value, if there is one.
pub(crate) fn mistake() -> Option<String> {
    None
}

/// Whether no file of a contract is in a language with imports.
pub fn is_for_no_language(contract: &Contract) -> bool {
    contract.check.imports().is_some()
        && languages_of_glob(&contract.glob).into_iter().all(|language| !language.has_imports())
}

/// Finds the targets of imports. Remembers what it asked the project.
pub struct Resolver {
    project: Arc<dyn ProjectView>,
    entries: Mutex<HashMap<String, Option<EntryKind>>>,
    pub(super) configs: Configs,
}

impl fmt::Debug for Resolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Resolver")
    }
}

impl Resolver {
    /// A resolver for the files of a project.
    pub fn new(project: Arc<dyn ProjectView>) -> Self {
        Self { project, entries: Mutex::default(), configs: Configs::default() }
    }

    /// The imports of a text as the file at `path`, with their targets. `None` if it has none that are known, or is too
    /// much to parse.
    pub fn imports_of(&self, path: &RelPath, text: &[u8]) -> Option<Vec<ResolvedImport>> {
        self.imports(path, &CodeTrees::new(path, text, Deadline::NEVER)).ok()
    }

    /// The imports of the file at `path` with their targets.
    pub(crate) fn imports(
        &self,
        path: &RelPath,
        trees: &CodeTrees<'_>,
    ) -> Result<Vec<ResolvedImport>, NotSearched> {
        let (language, found) = trees.imports()?;
        let path = path.to_text();
        let importer = Importer::new(self, &path, found.package.as_deref());
        Ok(found.imports.iter().map(|import| importer.resolve(language, import)).collect())
    }

    /// What is at a path.
    pub(super) fn entry(&self, path: &str) -> Option<EntryKind> {
        let entries = || self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = entries().get(path) {
            return *known;
        }
        let entry = self.project.entry(path);
        entries().insert(path.to_owned(), entry);
        entry
    }

    pub(super) fn is_file(&self, path: &str) -> bool {
        self.entry(path) == Some(EntryKind::File)
    }

    pub(super) fn is_directory(&self, path: &str) -> bool {
        self.entry(path) == Some(EntryKind::Directory)
    }

    pub(super) fn list(&self, directory: &str) -> Vec<(String, EntryKind)> {
        self.project.list(directory)
    }

    pub(super) fn read(&self, path: &str) -> Option<String> {
        if self.is_file(path) { self.project.read(path) } else { None }
    }
}
