//! The model of a contract: one rule of a project with id, check, files, severity and message.
//!
//! A [`Contract`] is always valid. [`keys`] is the table of its keys, [`syntax`] reads and writes YAML, [`scope`] has the
//! files it applies to beside its globs, and [`crate::check`] has the contract types.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;

use crate::file_kind::{FileKinds, KindFilter};
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

/// The severity of a violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Reported only.
    Warning,
    /// Blocks an edit and fails a run.
    Error,
}

impl Severity {
    /// The value in contracts and reports.
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

/// The response to an agent whose edit violates a contract of severity error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockDecision {
    /// The edit is denied.
    Deny,
    /// The user is asked, where the agent can ask.
    Ask,
}

impl BlockDecision {
    /// All decisions.
    pub const ALL: [Self; 2] = [Self::Deny, Self::Ask];

    /// The value of `decision`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
        }
    }
}

/// The syntax of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// A regular expression.
    Regex,
    /// Literal text.
    Literal,
}

/// The pattern of a contract. The matcher validates it on first use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// The text of the pattern.
    pub source: String,
    /// Regular expression or literal text.
    pub dialect: Dialect,
    /// The line in the contract file.
    pub line: usize,
    /// Required literals, if computed in advance, as in the tables of packs.
    pub literals: Option<Box<RequiredLiterals>>,
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

/// Hashes what decides the matches: not the line, and not the required literals, which follow from the source.
impl Hash for Pattern {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.source, self.dialect).hash(state);
    }
}

/// The required literals of a pattern: every match, in lower case, contains them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RequiredLiterals {
    /// Every match contains one of these texts, unless the list is empty.
    pub texts: Vec<Box<[u8]>>,
    /// Every match contains a run of this length of bytes from this set, one bit per byte value.
    pub run: Option<([u64; 4], usize)>,
}

/// A literal filter over texts. May return false positives, never false negatives.
pub trait LiteralFilter {
    /// Whether a text may contain `text`, in lower case.
    fn may_contain(&self, text: &[u8]) -> bool;
    /// Whether a text may contain a run of `count` bytes of `set`, as in [`RequiredLiterals::run`].
    fn may_contain_run(&self, set: [u64; 4], count: usize) -> bool;
}

/// The schema of a contract file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ContractSchema {
    /// All keys at the top level.
    Flat,
    /// Version 1.2: most keys under `rule`.
    V1_2,
}

/// The kind of layer that a contract comes from, in order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LayerKind {
    /// A directory named on the command line.
    Named,
    /// The contract directory of the project, or of a directory in it.
    Project,
    /// A directory named by the project's configuration.
    Configured,
    /// The user's contract directory.
    User,
    /// A pack built into phaser.
    Pack,
}

impl LayerKind {
    /// The name for users.
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
    /// The layer of the file.
    pub layer: LayerKind,
    /// The path for reports.
    pub file: PathBuf,
}

/// A text, a change or a list of files that must violate a contract, or must pass.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Example {
    /// The path of the text; a matching path is generated if missing.
    pub path: Option<String>,
    /// The content of the file; after the change, if the example is one; the paths, one per line, if it is about files.
    pub text: String,
    /// Both versions of the file, if the example is a change.
    pub change: Option<Box<ExampleChange>>,
    /// The files of a project, or of a change, if the example is about companions.
    pub files: Vec<String>,
    /// The expected content after `phaser fix`.
    pub fixed: Option<String>,
    /// The line in the contract file.
    pub line: usize,
}

/// What an example consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExampleForm {
    /// The content of a file, or another text.
    Text,
    /// Both versions of a file.
    Change,
    /// Paths of files.
    Files,
}

impl Example {
    /// What the example consists of.
    pub fn form(&self) -> ExampleForm {
        match (&self.change, self.files.is_empty()) {
            (Some(_), _) => ExampleForm::Change,
            (None, false) => ExampleForm::Files,
            (None, true) => ExampleForm::Text,
        }
    }

    /// The example without its path, for people: what becomes of a text follows after `=>`.
    pub fn shown(&self) -> String {
        const NO_FILE: &str = "(no file)";
        let (text, result) = match (self.form(), &self.change) {
            (ExampleForm::Files, _) => return format!("files: {}", self.files.join(", ")),
            (_, Some(change)) => (
                change.before.as_deref().unwrap_or(NO_FILE),
                Some(change.after.as_deref().unwrap_or(NO_FILE)),
            ),
            (_, None) => (self.text.as_str(), self.fixed.as_deref()),
        };
        let mut shown = text.trim_end().to_owned();
        let mut sign = "=>";
        for line in result.into_iter().flat_map(|result| result.trim_end().lines()) {
            shown.push_str(&format!("\n{sign} {line}"));
            sign = "  ";
        }
        shown
    }

    /// Makes the example one about these files.
    pub fn set_files(&mut self, files: Vec<String>) {
        self.text = files.join("\n");
        self.files = files;
    }
}

/// A change as an example.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExampleChange {
    /// The content before; `None` for a new file.
    pub before: Option<String>,
    /// The content after; `None` for a deleted file.
    pub after: Option<String>,
}

/// The examples of one contract.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Examples {
    /// Those that violate the contract.
    pub violating: Vec<Example>,
    /// Those that pass.
    pub passing: Vec<Example>,
}

/// The value of `exclude_glob`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exclude {
    /// Matched against the same path as the contract's glob.
    pub glob: Glob,
    /// The line in the contract file.
    pub line: usize,
}

/// One rule of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contract {
    /// The id: letters, digits and hyphens.
    pub id: String,
    /// The schema of its file.
    pub schema: ContractSchema,
    /// The first line in its file.
    pub line: usize,
    /// The value of `type`.
    pub kind: &'static ContractType,
    /// The check with its parameters.
    pub check: Check,
    /// The files it applies to, relative to the scope's directory.
    pub glob: Glob,
    /// The line of the glob in the contract file.
    pub glob_line: usize,
    /// Files of the glob that it does not apply to.
    pub exclude: Option<Box<Exclude>>,
    /// The kinds of files it applies to.
    pub kinds: KindFilter,
    /// Zones in which a match must start; empty means all.
    pub zones: Vec<Zone>,
    /// The replacement for a match.
    pub fix: Option<Box<FixTemplate>>,
    /// The severity of its violations.
    pub severity: Severity,
    /// The text of a violation.
    pub message: String,
    /// Why the rule exists.
    pub rationale: Option<String>,
    /// Disabled contracts are loaded but never checked.
    pub enabled: bool,
    /// Whether ignore directives and the baseline suppress its violations.
    pub ignorable: bool,
    /// The response to an agent whose edit violates it.
    pub decision: BlockDecision,
    /// Labels for selection. A contract of a pack also has the name of the pack.
    pub tags: Vec<String>,
    /// Texts that must violate it, and texts that must pass.
    pub examples: Examples,
    /// The file it was read from.
    pub origin: Origin,
    /// The files it applies to, beside its globs.
    pub scope: ContractScope,
}

impl Contract {
    /// Parses a contract file, or returns all its errors. `file` is only used in warnings.
    pub fn from_yaml(yaml: &str, file: impl Into<PathBuf>) -> Result<Self, Vec<Warning>> {
        syntax::parse(yaml, Origin { layer: LayerKind::Named, file: file.into() })
    }

    /// Hashes every field that decides what the contract finds.
    pub fn hash_for_cache(&self, hasher: &mut impl Hasher) {
        let Self {
            id,
            schema: _,
            line: _,
            kind,
            check,
            glob,
            glob_line: _,
            exclude,
            kinds,
            zones,
            fix,
            severity,
            message: _,
            rationale: _,
            enabled,
            ignorable,
            decision: _,
            tags: _,
            examples: _,
            origin: Origin { layer, file },
            scope,
        } = self;
        (id, kind, check, glob, kinds, zones, severity, enabled, ignorable, scope).hash(hasher);
        (layer, file).hash(hasher);
        exclude.as_deref().map(|Exclude { glob, line: _ }| glob).hash(hasher);
        fix.as_deref()
            .map(|FixTemplate { template, is_literal, line: _ }| (template, is_literal))
            .hash(hasher);
    }

    /// Whether it has the tag.
    pub fn has_tag(&self, tag: &str) -> bool {
        self.tags.iter().any(|known| known == tag)
    }

    /// Whether it applies to a file at `path`, or at its real path `alias`. Of the kinds of files, only those that paths
    /// show are known.
    pub fn applies_to(&self, path: &RelPath, alias: Option<&RelPath>) -> bool {
        let kinds = |name: &RelPath| FileKinds::of_path(name.as_bytes());
        std::iter::once(path).chain(alias).any(|name| self.is_about(name, || kinds(name)))
    }

    /// Whether it applies to a file by one of its names. `kinds` are those that the name shows.
    pub(crate) fn is_about(&self, name: &RelPath, kinds: impl FnOnce() -> FileKinds) -> bool {
        let Some(inside) = self.scope.inside(name) else { return false };
        let excluded = |exclude: &Exclude| exclude.glob.is_match(inside);
        // The last is the most expensive: a glob may need a regex.
        (self.kinds.is_open() || self.kinds.may_admit(kinds(), self.check.judges_text()))
            && self.glob.is_match(inside)
            && !self.exclude.as_deref().is_some_and(excluded)
    }

    /// The glob, relative to the project root.
    pub fn glob_from_root(&self) -> RelPath {
        self.scope.base.join(self.glob.as_str())
    }

    /// Whether it applies to every file, because it names none. Kinds of files may still be excluded.
    pub fn is_about_every_file(&self) -> bool {
        self.glob.as_str() == keys::EVERY_FILE
    }

    /// The only file it can apply to, if the glob is a literal path.
    pub fn only_file(&self) -> Option<RelPath> {
        self.glob.exact().map(|path| self.scope.base.join(path))
    }

    /// The enabled contracts after overrides. A contract with overrides becomes one contract per severity.
    pub fn all_with_overrides(mut contracts: Vec<Self>) -> Vec<Self> {
        if contracts.iter().all(|contract| contract.scope.overrides().is_empty()) {
            contracts.retain(|contract| contract.enabled);
            return contracts;
        }
        contracts.into_iter().flat_map(Self::with_overrides).collect()
    }

    /// Splits a contract by the severities that its overrides give to files, with disjoint scopes. Overrides by file do
    /// not apply to a check on the whole project.
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
