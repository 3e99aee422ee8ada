//! The targets of imports, by language. What the project's files do not resolve is compared as written.
//!
//! | language | is a path | by |
//! |---|---|---|
//! | Python | a module or package | relative dots; the root, `src/`, and directories with a `pyproject.toml` |
//! | JavaScript, TypeScript | a file, or the directory of a package | `./` and `../`; `paths` and `baseUrl` of `tsconfig.json`; `imports` of `package.json`; workspaces |
//! | Go | a package's directory | `module` and local `replace` of `go.mod`; `go.work` |
//! | Rust | a module | `crate`, `self`, `super`, child modules; path dependencies of `Cargo.toml` |
//! | Java | a class, or a package's directory | the source root of the file, and those of the other modules |
//! | C, C++ | a header | the directory of the file and those above it, each with `include/` and `src/` |
//! | Ruby | a file | `require_relative` |
//!
//! Namespaces of C# and PHP are names. Namespaces of PHP match with `/` between their parts, too.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use phaser_data::{NodeId, Tree, Value};
use phaser_syntax::{Import, ImportForm, Language};

use super::engine::Resolver;
use super::{EntryKind, ImportTarget, ResolvedImport, ResolvedMember};

mod c;
mod go;
mod java;
mod python;
mod rust;
mod script;

/// How deep directories are searched for configuration files.
const MAX_DEPTH: usize = 3;

/// Directories of other people's code, and of output.
const FOREIGN: [&str; 5] = ["node_modules", "target", "vendor", "dist", "build"];

/// The configuration files read so far.
#[derive(Default)]
pub(super) struct Configs {
    python: python::Configs,
    script: script::Configs,
    go: go::Configs,
    rust: rust::Configs,
    java: java::Configs,
}

/// Values that are computed once per key.
pub(super) struct Memo<T>(Mutex<HashMap<String, Arc<T>>>);

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Memo<T> {
    fn get(&self, key: &str, compute: impl FnOnce() -> T) -> Arc<T> {
        let values = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = values().get(key) {
            return Arc::clone(known);
        }
        // Computed without the lock, because one value may need another.
        let value = Arc::new(compute());
        Arc::clone(values().entry(key.to_owned()).or_insert(value))
    }
}

/// The file whose imports are resolved.
pub(super) struct Importer<'r> {
    resolver: &'r Resolver,
    path: &'r str,
    /// The package that a file of Java declares.
    package: Option<&'r str>,
}

impl<'r> Importer<'r> {
    pub fn new(resolver: &'r Resolver, path: &'r str, package: Option<&'r str>) -> Self {
        Self { resolver, path, package }
    }

    /// The import with its targets.
    pub fn resolve(&self, language: Language, import: &Import) -> ResolvedImport {
        let module = import.module.as_str();
        let name = || Some(vec![ImportTarget::Name(module.trim_start_matches("::").to_owned())]);
        let targets = match language.name() {
            "python" => return self.python(import),
            "javascript" | "typescript" | "tsx" => self.script(module),
            "go" => self.go(module),
            "rust" => self.rust(module, &import.inside),
            "java" => self.java(module, import.form),
            "c" | "cpp" if import.form == ImportForm::File => self.include(module),
            "ruby" if import.form == ImportForm::File => self.require_relative(module),
            "php" => {
                let slashed = module.replace('\\', "/");
                Some(vec![ImportTarget::Name(module.to_owned()), ImportTarget::Name(slashed)])
            }
            _ => None,
        };
        self.module(import.span.clone(), targets.or_else(name).unwrap_or_default())
    }

    /// An import of a module. A file does not import itself.
    fn module(&self, span: Range<usize>, targets: Vec<ImportTarget>) -> ResolvedImport {
        let is_module = !self.is_own(&targets);
        ResolvedImport { span, targets, is_module, members: Vec::new() }
    }

    /// Whether one of these is the importing file.
    fn is_own(&self, targets: &[ImportTarget]) -> bool {
        targets.iter().any(|target| matches!(target, ImportTarget::Path(path) if path == self.path))
    }

    fn directory(&self) -> &'r str {
        parent(self.path)
    }

    /// `require_relative "a"` names `a.rb`.
    fn require_relative(&self, module: &str) -> Option<Vec<ImportTarget>> {
        let path = joined(self.directory(), module)?;
        let has_ending = self.resolver.is_file(&path) || path.ends_with(".rb");
        Some(vec![ImportTarget::Path(if has_ending { path } else { path + ".rb" })])
    }
}

/// A member with its targets.
fn member(span: Range<usize>, targets: Vec<ImportTarget>) -> ResolvedMember {
    ResolvedMember { span, targets }
}

/// Paths as targets.
fn paths(paths: impl IntoIterator<Item = String>) -> Vec<ImportTarget> {
    let shown = |path: String| if path.is_empty() { ".".to_owned() } else { path };
    paths.into_iter().map(|path| ImportTarget::Path(shown(path))).collect()
}

/// The directory of a path; the root is empty.
fn parent(path: &str) -> &str {
    path.rfind('/').map_or("", |slash| &path[..slash])
}

/// A directory and those above it, nearest first, the root last.
fn ancestors(directory: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(directory), |directory| (!directory.is_empty()).then(|| parent(directory)))
}

/// A name in a directory.
fn child(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

/// A relative path from a directory, without `.` and `..`; `None` if it leads out of the project.
fn joined(directory: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The directories from the root down to a depth, sorted, without hidden and foreign ones.
fn directories(resolver: &Resolver) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut level = vec![String::new()];
    for _ in 0..MAX_DEPTH {
        let mut next = Vec::new();
        for directory in &level {
            let inner = resolver.list(directory).into_iter().filter(|(name, kind)| {
                *kind == EntryKind::Directory
                    && !name.starts_with(['.', '_'])
                    && !FOREIGN.contains(&name.as_str())
            });
            next.extend(inner.map(|(name, _)| child(directory, &name)));
        }
        all.extend(next.iter().cloned());
        level = next;
    }
    all
}

/// The keys and values of an object.
fn values_of<'t>(tree: &'t Tree<'_>, node: NodeId) -> impl Iterator<Item = (&'t str, NodeId)> {
    let members = match &tree.node(node).value {
        Value::Object(members) => members.as_slice(),
        _ => &[],
    };
    members.iter().map(|member| (&*member.name, member.value))
}

/// The value of a key.
fn value_of(tree: &Tree<'_>, node: NodeId, key: &str) -> Option<NodeId> {
    values_of(tree, node).find(|(name, _)| *name == key).map(|(_, value)| value)
}

#[cfg(test)]
mod tests;
