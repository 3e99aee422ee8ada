//! The languages with a grammar.

use std::fmt;

use ast_grep_language::{Language as _, LanguageExt as _, SupportLang};

/// A language with a grammar in this build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Language(SupportLang);

/// The languages with their names for users, in documentation order. JSX is part of JavaScript.
const LANGUAGES: [(SupportLang, &str); 17] = [
    (SupportLang::Python, "python"),
    (SupportLang::JavaScript, "javascript"),
    (SupportLang::TypeScript, "typescript"),
    (SupportLang::Tsx, "tsx"),
    (SupportLang::Rust, "rust"),
    (SupportLang::Go, "go"),
    (SupportLang::Java, "java"),
    (SupportLang::C, "c"),
    (SupportLang::Cpp, "cpp"),
    (SupportLang::CSharp, "csharp"),
    (SupportLang::Ruby, "ruby"),
    (SupportLang::Php, "php"),
    (SupportLang::Bash, "bash"),
    (SupportLang::Html, "html"),
    (SupportLang::Css, "css"),
    (SupportLang::Json, "json"),
    (SupportLang::Yaml, "yaml"),
];

impl Language {
    /// The number of languages.
    pub const COUNT: usize = LANGUAGES.len();

    /// Bash.
    pub const BASH: Self = Self(SupportLang::Bash);

    /// Python.
    pub const PYTHON: Self = Self(SupportLang::Python);

    /// YAML.
    pub(crate) const YAML: Self = Self(SupportLang::Yaml);

    /// All languages, in documentation order.
    pub fn all() -> impl Iterator<Item = Self> {
        LANGUAGES.iter().map(|(language, _)| Self(*language))
    }

    /// The language with this name, or one of ast-grep's other names for it (`js`, `jsx`, `c++`), in any case.
    pub fn find(name: &str) -> Option<Self> {
        Self::known(name.parse().ok()?)
    }

    /// The language of a file, by the extension of its name, as ast-grep decides it.
    pub fn of_path(path: &str) -> Option<Self> {
        SupportLang::from_path(path).and_then(Self::known)
    }

    /// The name for users.
    pub fn name(self) -> &'static str {
        LANGUAGES[self.index()].1
    }

    /// The position in [`Language::all`].
    pub fn index(self) -> usize {
        LANGUAGES.iter().position(|(known, _)| *known == self.0).unwrap_or_default()
    }

    /// Whether files of this language may have parts in `other`: the scripts and styles of HTML.
    pub fn embeds(self, other: Self) -> bool {
        let is_embedded = matches!(
            other.0,
            SupportLang::Css | SupportLang::JavaScript | SupportLang::TypeScript | SupportLang::Tsx
        );
        self.0 == SupportLang::Html && is_embedded
    }

    /// Whether files of this language may have parts in another.
    pub(crate) fn embeds_others(self) -> bool {
        self.0 == SupportLang::Html
    }

    pub(crate) fn ast_grep(self) -> SupportLang {
        self.0
    }

    pub(crate) fn grammar(self) -> tree_sitter::Language {
        self.0.get_ts_language()
    }

    fn known(language: SupportLang) -> Option<Self> {
        LANGUAGES.iter().any(|(known, _)| *known == language).then_some(Self(language))
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_languages_by_name_and_path() {
        for (at, language) in Language::all().enumerate() {
            assert_eq!((Language::find(language.name()), language.index()), (Some(language), at));
            assert!(language.grammar().abi_version() > 0, "{language}");
        }
        assert_eq!(Language::find("JSX"), Language::find("javascript"));
        assert_eq!(Language::find("swift"), None, "its grammar is not part of the build");
        assert_eq!(Language::of_path("src/a.tsx"), Language::find("tsx"));
        assert_eq!(Language::of_path("a/b.jsx"), Language::find("js"));
        assert_eq!((Language::of_path("a.kt"), Language::of_path("py")), (None, None));
    }
}
