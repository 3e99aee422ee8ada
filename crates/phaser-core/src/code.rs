//! The value of `code`: a pattern or a rule over the syntax of a language.
//!
//! The model is part of every build, so that tables of keys and types do not depend on features. [`engine`] searches with
//! it. Without the feature `syntax` its stand-in refuses the value when a contract is read.

use std::hash::{Hash, Hasher};

use crate::contract::{Dialect, Pattern};

#[cfg_attr(not(feature = "syntax"), path = "code/disabled.rs")]
pub(crate) mod engine;

pub use engine::{is_for_no_language, languages, misfits};

/// A pattern, or a rule object.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CodeSource {
    /// A pattern: `eval($X)`.
    Pattern(String),
    /// A rule object, as JSON: `{"any": […]}`.
    Rule(String),
}

impl CodeSource {
    /// The text for users.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Pattern(text) | Self::Rule(text) => text,
        }
    }
}

/// What a contract about code searches for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodePattern {
    /// The value of `code`.
    pub source: CodeSource,
    /// The value of `language`; that of the file without it.
    pub language: Option<String>,
    /// The line of `code` in the contract file.
    pub line: usize,
    /// Matches in every text that `source` matches in. A text without a match is not parsed.
    pub prefilter: Pattern,
}

/// Hashes what decides the matches: not the line, and not the prefilter, which follows from the source.
impl Hash for CodePattern {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.source, &self.language).hash(state);
    }
}

impl CodePattern {
    /// A pattern whose source is valid in its form. Whether it fits a language is known when a file of it is searched.
    pub fn new(source: CodeSource, language: Option<String>, line: usize) -> Self {
        // Any text but the empty one.
        let literals = engine::prefilter(&source).unwrap_or_else(|| r"[\s\S]".to_owned());
        let prefilter = Pattern { source: literals, dialect: Dialect::Regex, line, literals: None };
        Self { source, language, line, prefilter }
    }
}
