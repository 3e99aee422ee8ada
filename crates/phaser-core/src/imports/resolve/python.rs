//! Modules and packages of Python.

use std::sync::Arc;

use phaser_syntax::Import;

use super::{Importer, Memo, Resolver, ancestors, child, directories, member, paths};
use crate::imports::{EntryKind, ImportTarget, ResolvedImport};

/// The file that makes a directory a place of packages.
const PROJECT: &str = "pyproject.toml";

/// The directories with a `pyproject.toml`.
#[derive(Default)]
pub(crate) struct Configs(Memo<Vec<String>>);

/// A module of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Module {
    /// The file; `None` for a directory without `__init__.py`.
    file: Option<String>,
    /// The directory, if it is a package.
    package: Option<String>,
}

impl Module {
    fn targets(&self) -> Vec<ImportTarget> {
        paths(self.file.iter().chain(&self.package).cloned())
    }
}

impl Importer<'_> {
    /// `import a.b`, or `from a.b import c`, where `c` is a module or a name in `a.b`.
    pub(super) fn python(&self, import: &Import) -> ResolvedImport {
        let name = import.module.trim_start_matches('.');
        let level = import.module.len() - name.len();
        let found = match level {
            0 => self.absolute(name),
            _ => ancestors(self.directory()).nth(level - 1).and_then(|base| self.relative(base, name)),
        };
        let Some(module) = found else {
            let written = vec![ImportTarget::Name(import.module.clone())];
            return self.module(import.span.clone(), written);
        };
        let mut resolved = self.module(import.span.clone(), module.targets());
        for imported in &import.members {
            let inner =
                module.package.as_ref().and_then(|package| find(self.resolver, package, &imported.name));
            if let Some(inner) = inner.map(|inner| inner.targets()).filter(|targets| !self.is_own(targets)) {
                resolved.members.push(member(imported.span.clone(), inner));
            }
        }
        // `from a import b` with a module `b` imports nothing else of `a`.
        let only_modules = !import.members.is_empty() && resolved.members.len() == import.members.len();
        resolved.is_module &= !only_modules;
        resolved
    }

    /// A module by its dots, which lead to the package at `base`. It is in the project, whether its file exists or not.
    fn relative(&self, base: &str, name: &str) -> Option<Module> {
        if name.is_empty() {
            let init = package_file(self.resolver, base);
            return Some(Module { file: init, package: Some(base.to_owned()) });
        }
        let path = child(base, &name.replace('.', "/"));
        let unknown = || Module { file: None, package: Some(path.clone()) };
        Some(find(self.resolver, base, name).unwrap_or_else(unknown))
    }

    /// A module by its full name: in the directories that the importing file belongs to, else in the only other one.
    fn absolute(&self, name: &str) -> Option<Module> {
        let all = projects(self.resolver);
        let is_own =
            |directory: &str| directory.is_empty() || self.resolver.is_file(&child(directory, PROJECT));
        let own: Vec<&str> = ancestors(self.directory()).filter(|directory| is_own(directory)).collect();
        let places = |directory: &str| [directory.to_owned(), child(directory, "src")];
        let in_project = |directory: &str| {
            places(directory).into_iter().find_map(|place| find(self.resolver, &place, name))
        };
        if let Some(found) = own.iter().find_map(|directory| in_project(directory)) {
            return Some(found);
        }
        let others = all.iter().filter(|directory| !own.contains(&directory.as_str()));
        let mut found = others.filter_map(|directory| in_project(directory));
        let first = found.next()?;
        // The same name in two projects: only an installation knows which one is meant.
        found.all(|other| other == first).then_some(first)
    }
}

/// The module with a dotted name below a directory.
fn find(resolver: &Resolver, directory: &str, name: &str) -> Option<Module> {
    let path = child(directory, &name.replace('.', "/"));
    if let Some(init) = package_file(resolver, &path) {
        return Some(Module { file: Some(init), package: Some(path) });
    }
    if let Some(file) =
        [".py", ".pyi"].map(|ending| path.clone() + ending).into_iter().find(|file| resolver.is_file(file))
    {
        return Some(Module { file: Some(file), package: None });
    }
    // A package without `__init__.py` has modules. Any other directory is none.
    let has_modules = resolver.is_directory(&path) && {
        let is_module =
            |(name, kind): &(String, EntryKind)| *kind == EntryKind::File && name.ends_with(".py");
        resolver.list(&path).iter().any(is_module)
    };
    has_modules.then_some(Module { file: None, package: Some(path) })
}

fn package_file(resolver: &Resolver, directory: &str) -> Option<String> {
    let files = ["__init__.py", "__init__.pyi"].map(|name| child(directory, name));
    files.into_iter().find(|file| resolver.is_file(file))
}

/// The directories with a `pyproject.toml`, sorted.
fn projects(resolver: &Resolver) -> Arc<Vec<String>> {
    resolver.configs.python.0.get("", || {
        let has_project = |directory: &String| resolver.is_file(&child(directory, PROJECT));
        directories(resolver).into_iter().filter(has_project).collect()
    })
}
