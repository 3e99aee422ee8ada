//! Contracts from the rules of other tools.
//!
//! One file per source kind reads rules into [`Draft`]s; [`draft`] turns a draft into a contract and its file. A rule
//! that has no equivalent is [`ReadRule::Without`] a draft, with the reason. A condition that a contract cannot express is
//! listed in [`Draft::left_out`].
//!
//! `entropy = 3.5` of a gitleaks rule is such a condition: the contract finds what the regex finds. A semgrep rule in
//! taint mode has no equivalent: without its sources and sinks nothing is left to search for.

use std::path::{Path, PathBuf};

use phaser_core::sanitize::printable;
use phaser_data::Format;

mod ast_grep;
mod commitlint;
mod dialect;
mod document;
mod draft;
mod gitleaks;
mod hookify;
mod languages;
mod path_regex;
mod pre_commit;
mod semgrep;

use document::{DataNode, Documents};
pub use draft::{Draft, Finished, finish, valid_id};

/// The tool that a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    Gitleaks,
    Betterleaks,
    Semgrep,
    AstGrep,
    Hookify,
    Prek,
    PreCommit,
    Commitlint,
}

impl SourceKind {
    /// All kinds, in documentation order.
    pub const ALL: [Self; 8] = [
        Self::Gitleaks,
        Self::Betterleaks,
        Self::Semgrep,
        Self::AstGrep,
        Self::Hookify,
        Self::Prek,
        Self::PreCommit,
        Self::Commitlint,
    ];

    /// The value of `--from`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gitleaks => "gitleaks",
            Self::Betterleaks => "betterleaks",
            Self::Semgrep => "semgrep",
            Self::AstGrep => "ast-grep",
            Self::Hookify => "hookify",
            Self::Prek => "prek",
            Self::PreCommit => "pre-commit",
            Self::Commitlint => "commitlint",
        }
    }

    /// The kind with this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    fn of_data(file: &SourceFile, documents: &Documents<'_>) -> Option<Self> {
        let first = documents.roots().next()?;
        let has = |key: &str| first.get(key).is_some();
        let name = file.name();
        if commitlint::is_named(&name) || (has("commitlint") && name == "package.json") {
            return Some(Self::Commitlint);
        }
        if has("repos") || first.items().any(|hook| hook.get("entry").is_some()) {
            return Some(if pre_commit::uses_builtin(first) { Self::Prek } else { Self::PreCommit });
        }
        if documents.format() == Format::Toml {
            let is_leaks = has("rules") || has("allowlist") || has("allowlists") || has("extend");
            return is_leaks.then(|| gitleaks::kind(first));
        }
        if first.get("rules").is_some_and(|rules| rules.items().next().is_some()) {
            return Some(Self::Semgrep);
        }
        if has("ruleDirs")
            || (has("rule") && has("language"))
            || (has("id") && (has("valid") || has("invalid")))
        {
            return Some(Self::AstGrep);
        }
        let rules = first.get("rules").or_else(|| has("extends").then_some(first));
        rules.map(|_| Self::Commitlint)
    }
}

/// A file to import.
#[derive(Debug)]
pub struct SourceFile {
    pub path: PathBuf,
    /// The path in messages and in the contracts.
    pub shown: String,
    pub text: String,
}

impl SourceFile {
    fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The name without its last extension.
    fn stem(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn directory(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }
}

/// A rule of a source file.
#[derive(Debug)]
pub enum ReadRule {
    /// It becomes a contract.
    Drafted(Box<Draft>),
    /// It has no equivalent.
    Without(NotImported),
}

/// A rule, or a part of a source file, that becomes no contract.
#[derive(Debug)]
pub struct NotImported {
    /// The id of the rule; `None` for a part of the file.
    pub id: Option<String>,
    pub line: usize,
    pub reason: String,
}

impl ReadRule {
    fn without(id: &str, line: usize, reason: impl Into<String>) -> Self {
        Self::Without(NotImported { id: Some(id.to_owned()), line, reason: reason.into() })
    }

    fn part(line: usize, reason: impl Into<String>) -> Self {
        Self::Without(NotImported { id: None, line, reason: reason.into() })
    }

    /// The draft of a rule, or its reason for having none.
    fn of(id: &str, line: usize, draft: Result<Draft, String>) -> Self {
        match draft {
            Ok(draft) => Self::Drafted(Box::new(Draft { id: id.to_owned(), line, ..draft })),
            Err(reason) => Self::without(id, line, reason),
        }
    }
}

/// Why a file cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub struct SourceError {
    /// `None` for the whole file.
    pub line: Option<usize>,
    pub what: String,
}

impl SourceError {
    fn whole(what: impl Into<String>) -> Self {
        Self { line: None, what: what.into() }
    }
}

/// Reads source files.
#[derive(Debug, Default)]
pub struct RuleReader {
    named: Option<SourceKind>,
    projects: ast_grep::Projects,
}

impl RuleReader {
    /// A reader of files of this kind, or of every kind.
    pub fn new(named: Option<SourceKind>) -> Self {
        Self { named, projects: ast_grep::Projects::default() }
    }

    /// The files that a file stands for, such as the rules of ast-grep's configuration; `None` for the file itself.
    pub fn expanded(&self, file: &SourceFile) -> Option<Vec<PathBuf>> {
        let is_possible = self.named.is_none_or(|kind| kind == SourceKind::AstGrep);
        is_possible.then(|| ast_grep::rule_files(file)).flatten()
    }

    /// The rules of a file, in order, and its kind.
    pub fn read(&mut self, file: &SourceFile) -> Result<(SourceKind, Vec<ReadRule>), SourceError> {
        let named = self.named;
        if file.text.trim().is_empty() {
            return Err(SourceError::whole("the file is empty (name a file with rules)"));
        }
        if named.unwrap_or(SourceKind::Hookify) == SourceKind::Hookify && hookify::is_rule(&file.text) {
            return Ok((SourceKind::Hookify, hookify::read(file)));
        }
        let unknown = || {
            let names = SourceKind::ALL.map(SourceKind::as_str).join(", ");
            SourceError::whole(format!(
                "the kind of rules is not recognised (use '--from' with one of {names})"
            ))
        };
        let format =
            named.and_then(|kind| kind.format(file)).or_else(|| format_of(file)).ok_or_else(unknown)?;
        let documents = Documents::parse(&file.text, format)?;
        let kind = named.or_else(|| SourceKind::of_data(file, &documents)).ok_or_else(unknown)?;
        let rules = match kind {
            SourceKind::Gitleaks | SourceKind::Betterleaks => gitleaks::read(&documents),
            SourceKind::Semgrep => semgrep::read(file, &documents),
            SourceKind::AstGrep => ast_grep::read(file, &documents, &mut self.projects),
            SourceKind::Hookify => {
                return Err(SourceError::whole(
                    "a hookify rule starts with '---' and 'name:' (correct the file)",
                ));
            }
            SourceKind::Prek | SourceKind::PreCommit => pre_commit::read(&documents),
            SourceKind::Commitlint => commitlint::read(&documents),
        };
        if rules.is_empty() {
            let what = format!(
                "there are no {} rules in it (name another file, or another kind with '--from')",
                kind.as_str()
            );
            return Err(SourceError::whole(what));
        }
        Ok((kind, rules))
    }
}

impl SourceKind {
    /// The format of a file of this kind whose name does not tell.
    fn format(self, file: &SourceFile) -> Option<Format> {
        match (format_of(file), self) {
            (Some(format), _) => Some(format),
            (None, Self::Gitleaks | Self::Betterleaks) => Some(Format::Toml),
            (None, Self::Hookify) => None,
            (None, _) => Some(Format::Yaml),
        }
    }
}

fn format_of(file: &SourceFile) -> Option<Format> {
    let name = file.name();
    // JSON is YAML.
    let bare = (name == ".commitlintrc").then_some(Format::Yaml);
    bare.or_else(|| Format::of(name.as_bytes()))
}

/// Words of an id that mean its rule is about secrets.
const SECRET_WORDS: [&str; 9] = [
    "secret",
    "secrets",
    "credential",
    "credentials",
    "password",
    "token",
    "apikey",
    "private-key",
    "api-key",
];

/// Whether the id of a rule says that it is about secrets.
fn names_secrets(id: &str) -> bool {
    let words = format!("-{}-", id.to_ascii_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
    SECRET_WORDS.iter().any(|word| words.contains(&format!("-{word}-")))
}

/// Weaknesses whose rules find secrets: hard-coded credentials, passwords and keys.
fn is_secret_cwe(id: &str) -> bool {
    matches!(id, "CWE-259" | "CWE-321" | "CWE-798")
}

/// The ids of weaknesses in a text, such as `CWE-79`.
fn cwe_ids(text: &str) -> Vec<String> {
    let digits = |rest: &str| rest.chars().take_while(char::is_ascii_digit).collect::<String>();
    let numbers = text.match_indices("CWE-").map(|(at, prefix)| digits(&text[at + prefix.len()..]));
    numbers.filter(|number| !number.is_empty()).map(|number| format!("CWE-{number}")).collect()
}

/// The text of a required key, or what is wrong with it.
fn required<'a>(node: DataNode<'a>, key: &str) -> Result<&'a str, String> {
    node.text_of(key)
        .filter(|text| !text.trim().is_empty())
        .ok_or_else(|| format!("it has no '{}'", printable(key)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_tells_rule_about_secrets() {
        for (id, expected) in [
            ("no-secrets", true),
            ("detected-api-key", true),
            ("python.aws_secret_leak", true),
            ("secretary", false),
            ("no-print", false),
        ] {
            assert_eq!(names_secrets(id), expected, "{id}");
        }
    }
}
