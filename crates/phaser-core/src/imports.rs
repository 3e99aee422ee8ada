//! The value of `import`, and what an import is compared with.
//!
//! An import has a *target*: a path of the project if the import is relative or the project's own files resolve it, else
//! the module's name as written. Globs are compared with the target.
//!
//! One import followed through, in `src/domain/order.py`, with `import: 'src/infra/**'` and the line
//! `from infra.db import connect`:
//!
//! 1. The prefilter finds a word that starts an import, so the file is parsed.
//! 2. The syntax tree has the import of `infra.db`, with the member `connect`, at bytes `5..13`.
//! 3. The resolver asks the project for `infra/db.py`, `infra/db/__init__.py`, …, `src/infra/db.py`. The last exists.
//!    `src/infra/db/connect.py` would be the target if it existed; it does not, so `connect` is a name in the module.
//! 4. The target is `src/infra/db.py`, which the glob matches: one violation, at `infra.db`.
//!
//! The target of `import requests` is the name `requests`: no file of the project is that module.
//!
//! No literal of the glob can be required of the text. `from . import db` names nothing of `src/infra`, and neither does an
//! alias of a `tsconfig.json`.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;

use crate::contract::{Contract, Dialect, Pattern};
use crate::path::RelPath;
use phaser_glob::Glob;

#[cfg_attr(not(feature = "syntax"), path = "imports/disabled.rs")]
pub(crate) mod engine;
#[cfg(feature = "syntax")]
mod resolve;

pub use engine::{Resolver, is_for_no_language};

/// The largest configuration file that resolution reads, in bytes.
pub const MAX_CONFIG: usize = 1 << 20;

/// Words of which every text with an import contains one, in any language.
const WORDS: &str = "import|require|include|use|using|extern|export";

/// What an entry of the project is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// A file, or a link.
    File,
    /// A directory with something in it.
    Directory,
}

/// The files of a project, as far as the resolution of imports asks for them. Paths are relative to the root, which is the
/// empty path.
pub trait ProjectView: Send + Sync {
    /// What is at a path.
    fn entry(&self, path: &str) -> Option<EntryKind>;

    /// The entries of a directory, sorted by name; empty if there is none.
    fn list(&self, directory: &str) -> Vec<(String, EntryKind)>;

    /// The text of a configuration file of at most [`MAX_CONFIG`] bytes.
    fn read(&self, path: &str) -> Option<String>;
}

/// A project without files.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProject;

impl ProjectView for NoProject {
    fn entry(&self, _: &str) -> Option<EntryKind> {
        None
    }

    fn list(&self, _: &str) -> Vec<(String, EntryKind)> {
        Vec::new()
    }

    fn read(&self, _: &str) -> Option<String> {
        None
    }
}

/// What a contract about imports searches for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportPattern {
    /// The values of `import`. One that matches is enough.
    pub globs: Vec<String>,
    compiled: Vec<Glob>,
    /// The line of `import` in the contract file.
    pub line: usize,
    /// Matches in every text with an import. A text without a match is not parsed.
    pub prefilter: Pattern,
}

/// Hashes what decides the matches.
impl Hash for ImportPattern {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.globs.hash(state);
    }
}

impl ImportPattern {
    /// A pattern of valid globs.
    pub fn new(globs: Vec<String>, line: usize) -> Self {
        let prefilter = Pattern { source: WORDS.to_owned(), dialect: Dialect::Regex, line, literals: None };
        let compiled = globs.iter().map(|glob| Glob::accepted(glob)).collect();
        Self { globs, compiled, line, prefilter }
    }

    /// The bytes of a text at which its imports violate `contract`, which has this pattern.
    pub fn violations(&self, contract: &Contract, imports: &[ResolvedImport]) -> Vec<Range<usize>> {
        let matches = |targets: &[ImportTarget]| {
            targets.iter().any(|target| match target {
                ImportTarget::Path(path) => {
                    let path = RelPath::from(path.as_str());
                    path.below(&contract.scope.base).is_some_and(|inside| self.matches(inside))
                }
                ImportTarget::Name(name) => self.matches(name.as_bytes()),
            })
        };
        let mut spans = Vec::new();
        for import in imports {
            let is_module = matches(&import.targets);
            let members = || import.members.iter().filter(|member| matches(&member.targets));
            if is_module && (import.is_module || members().next().is_some()) {
                spans.push(import.span.clone());
            } else {
                spans.extend(members().map(|member| member.span.clone()));
            }
        }
        spans
    }

    /// Whether a glob matches a target, or all that is in it: `src/infra/**` matches `src/infra`.
    fn matches(&self, target: &[u8]) -> bool {
        let inside = [target, b"/"].concat();
        self.compiled.iter().any(|glob| glob.is_match(target) || glob.is_match(&inside))
    }
}

/// What an import is compared with.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ImportTarget {
    /// A file or a directory of the project.
    Path(String),
    /// A module as written.
    Name(String),
}

impl fmt::Display for ImportTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(text) | Self::Name(text) => f.write_str(text),
        }
    }
}

/// An import with its targets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedImport {
    /// The bytes of the module's name.
    pub span: Range<usize>,
    /// The module: any of these names it.
    pub targets: Vec<ImportTarget>,
    /// Whether the module itself is imported, and not only modules in it.
    pub is_module: bool,
    /// Modules that are imported from the module.
    pub members: Vec<ResolvedMember>,
}

/// A module that is imported from another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedMember {
    /// The bytes of its name.
    pub span: Range<usize>,
    /// Any of these names it.
    pub targets: Vec<ImportTarget>,
}
