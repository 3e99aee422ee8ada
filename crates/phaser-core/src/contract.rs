//! A contract: one rule of the project, with its id, what it demands, of which files, and how badly.
//!
//! These are validated values. [`syntax`] makes them from YAML, [`read`] reads the files of a directory, [`layers`]
//! decides which contract counts where several have one id. How a contract is matched is the matcher's business.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;

use crate::path::RelPath;
use phaser_glob::Glob;

use scope::{ContractScope, OverrideState, OverrideValues};

pub mod fix;
pub mod keys;
pub mod scope;
pub mod selector;
pub mod syntax;
mod warning;

pub use crate::check::{Check, ContractType};
pub use fix::FixTemplate;
pub use phaser_zones::Zone;
pub use warning::{Warning, WarningEffect};

/// How bad a violation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Advice.
    Warning,
    /// Blocks an edit and fails a run.
    Error,
}

impl Severity {
    /// The word used in contracts and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How the text of a pattern is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// A regular expression.
    Regex,
    /// The text itself.
    Literal,
}

/// A pattern as it is written in a contract. Whether a regular expression is valid is found out by the matcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// The text of the pattern.
    pub source: String,
    /// How to read it.
    pub dialect: Dialect,
    /// The line of the contract file it stands on.
    pub line: usize,
    /// What every match holds, if that was found out before.
    pub needs: Option<Box<Needs>>,
}

impl Pattern {
    /// The pattern of a type whose pattern is literal text in v1.2 and a regular expression otherwise.
    pub(crate) fn literal_in_v1_2(mut self, schema: ContractSchema) -> Self {
        if schema == ContractSchema::V1_2 {
            self.dialect = Dialect::Literal;
        }
        self
    }
}

/// Only what decides the matches: the line does not, and the required literals follow from the source.
impl Hash for Pattern {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.source, self.dialect).hash(state);
    }
}

/// What every match of a valid pattern holds in lower one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Needs {
    /// One of these texts, if there are any.
    pub texts: Vec<Box<[u8]>>,
    /// A run: a set of bytes, a bit for each, and how many of them stand in a row.
    pub run: Option<([u64; 4], usize)>,
}

/// Texts that can be asked whether they hold what patterns need. Whoever says no is certain.
pub trait MayHold {
    /// Does one of them hold this text, in lower one?
    fn may_hold(&self, text: &[u8]) -> bool;
    /// Does one of them hold so many bytes in a row of this set, as [`Needs`] has it?
    fn may_hold_run(&self, set: [u64; 4], count: usize) -> bool;
}

/// Which of the two forms a contract file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ContractSchema {
    /// All keys stand at the top.
    Flat,
    /// The form of version 1.2: most keys stand under `rule`.
    V1_2,
}

/// What kind of layer a contract comes from. Kinds stand in the order of their precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LayerKind {
    /// A directory named on the command line.
    Named,
    /// The project's own directory, or that of a directory of the project.
    Project,
    /// A further directory that the project's configuration names.
    Configured,
    /// The user's directory.
    User,
    /// A pack built into phaser.
    Pack,
}

impl LayerKind {
    /// The word that commands show.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Named => "named",
            Self::Project => "project",
            Self::Configured => "configured",
            Self::User => "user",
            Self::Pack => "pack",
        }
    }
}

/// The file that a contract was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// What kind of layer the file belongs to.
    pub layer: LayerKind,
    /// The file, as it should be shown.
    pub file: PathBuf,
}

/// A text that a contract must fire on, or must not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The path the text is judged under; a path that fits the glob is made up without one.
    pub path: Option<String>,
    /// The text.
    pub text: String,
    /// What the text is once it is fixed, if its author says so.
    pub fixed: Option<String>,
    /// The line of the contract file it stands on.
    pub line: usize,
}

/// The examples of one contract.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Examples {
    /// Texts that violate the contract.
    pub violating: Vec<Example>,
    /// Texts that do not.
    pub passing: Vec<Example>,
}

/// Files that a contract is not about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exclude {
    /// A glob on the same path as the contract's own.
    pub glob: Glob,
    /// The line of the contract file it stands on.
    pub line: usize,
}

/// One rule of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contract {
    /// The id: letters, digits and hyphens.
    pub id: String,
    /// The form of its file.
    pub schema: ContractSchema,
    /// The type, as it is written.
    pub kind: &'static ContractType,
    /// What it demands.
    pub check: Check,
    /// Of which files: a glob on the path relative to the project root.
    pub glob: Glob,
    /// The line of the contract file the glob stands on.
    pub glob_line: usize,
    /// Which of these files it is not about.
    pub exclude: Option<Box<Exclude>>,
    /// Where a match must start to count; anywhere, if none is named.
    pub zones: Vec<Zone>,
    /// What to write in the place of a match, if that is known.
    pub fix: Option<Box<FixTemplate>>,
    /// How bad a violation is.
    pub severity: Severity,
    /// What to tell whoever violates it.
    pub message: String,
    /// Why the rule exists.
    pub rationale: Option<String>,
    /// Is it switched on?
    pub enabled: bool,
    /// Do ignore directives and the baseline suppress its violations?
    pub ignorable: bool,
    /// Words to choose contracts by; a contract of a pack also has the name of the pack.
    pub tags: Vec<String>,
    /// Texts that show what it means.
    pub examples: Examples,
    /// Where it was read from.
    pub origin: Origin,
    /// For which files it counts, beside its globs.
    pub scope: ContractScope,
}

impl Contract {
    /// The contract in the text of a file, or everything that is wrong with it. The file is only named in warnings.
    pub fn from_yaml(yaml: &str, file: impl Into<PathBuf>) -> Result<Self, Vec<Warning>> {
        syntax::parse(yaml, Origin { layer: LayerKind::Named, file: file.into() })
    }

    /// Hashes every field that decides what the contract finds.
    pub fn hash_for_cache(&self, hasher: &mut impl Hasher) {
        let Self {
            id,
            schema: _,
            kind,
            check,
            glob,
            glob_line: _,
            exclude,
            zones,
            fix,
            severity,
            message: _,
            rationale: _,
            enabled,
            ignorable,
            tags: _,
            examples: _,
            origin: Origin { layer, file },
            scope,
        } = self;
        (id, kind, check, glob, zones, severity, enabled, ignorable, scope).hash(hasher);
        (layer, file).hash(hasher);
        exclude.as_deref().map(|Exclude { glob, line: _ }| glob).hash(hasher);
        fix.as_deref().map(|FixTemplate { template, line: _ }| template).hash(hasher);
    }

    /// Does it have this tag?
    pub fn has_tag(&self, tag: &str) -> bool {
        self.tags.iter().any(|known| known == tag)
    }

    /// Does it apply to a file known by these names?
    pub fn applies_to(&self, path: &RelPath, alias: Option<&RelPath>) -> bool {
        std::iter::once(path).chain(alias).any(|name| self.is_about(name))
    }

    fn is_about(&self, name: &RelPath) -> bool {
        let Some(inside) = self.scope.inside(name) else { return false };
        let excluded = |exclude: &Exclude| exclude.glob.is_match(inside);
        self.glob.is_match(inside) && !self.exclude.as_deref().is_some_and(excluded)
    }

    /// Its glob, from the project root.
    pub fn glob_from_root(&self) -> RelPath {
        self.scope.base.join(self.glob.as_str())
    }

    /// The only file that it can be about, if its glob is a path.
    pub fn only_file(&self) -> Option<RelPath> {
        self.glob.exact().map(|path| self.scope.base.join(path))
    }

    /// The contracts that are switched on once overrides count.
    pub fn all_with_overrides(mut contracts: Vec<Self>) -> Vec<Self> {
        if contracts.iter().all(|contract| contract.scope.overrides().is_empty()) {
            contracts.retain(|contract| contract.enabled);
            return contracts;
        }
        contracts.into_iter().flat_map(Self::with_overrides).collect()
    }

    /// The contracts that it is once overrides count, each for files of its own: none if it is switched off. One that is
    /// about the project as a whole has no files of its own, so that overrides for some files leave it alone.
    fn with_overrides(self) -> Vec<Self> {
        if self.scope.overrides().is_empty() || self.check.is_about_project() {
            return if self.enabled { vec![self] } else { Vec::new() };
        }
        let start = OverrideValues { severity: Some(self.severity), enabled: Some(self.enabled) };
        let severities_of = |change: OverrideValues| change.severity.into_iter().chain([self.severity]);
        let mut severities: Vec<_> =
            self.scope.overrides().iter().flat_map(|one| severities_of(one.change)).collect();
        severities.sort_unstable();
        severities.dedup();
        let one = |severity| Self {
            severity,
            enabled: true,
            scope: self.scope.only(OverrideState::On(severity), start),
            ..self.clone()
        };
        severities.into_iter().map(one).collect()
    }
}
