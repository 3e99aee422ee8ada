//! Searches texts for code: parses each text once per language, compiles each rule once per language.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::OnceLock;

use phaser_syntax::{
    CodeRule, CompiledRule, FileImports, Language, MAX_BYTES, RuleError, Stop, SyntaxTree, Unfinished,
};

use super::{CodePattern, CodeSource};
use crate::contract::Contract;
use crate::deadline::Deadline;
use crate::notebook;
use crate::path::RelPath;
use crate::skipped::ParseLimit;
use phaser_glob::{Glob, NamePattern};

/// The problem of a value that is valid in no language.
pub(crate) fn mistake(source: &CodeSource) -> Option<String> {
    let error = rule(source).err()?;
    Some(format!("'code' is not valid: {error} (write a pattern, or an ast-grep rule)"))
}

/// A regular expression that matches in every text that the value matches in.
pub(crate) fn prefilter(source: &CodeSource) -> Option<String> {
    rule(source).ok()?.prefilter()
}

/// The names that `language` takes; empty without the feature `syntax`.
pub fn languages() -> Vec<&'static str> {
    Language::all().map(Language::name).collect()
}

/// The name of the language that a user means by `name`.
pub(crate) fn language(name: &str) -> Option<String> {
    Language::find(name).map(|language| language.name().to_owned())
}

/// The metavariables of a value: `X` for `$X`.
pub(crate) fn metavariables(source: &CodeSource) -> Vec<String> {
    rule(source).map(|rule| rule.metavariables()).unwrap_or_default()
}

/// The languages of a contract's files that its code does not fit, each with the reason. Code that fits none is invalid and
/// not listed.
pub fn misfits(contract: &Contract) -> Vec<(&'static str, String)> {
    let Some((code, rule)) = contract.check.code().and_then(|code| Some((code, rule(&code.source).ok()?)))
    else {
        return Vec::new();
    };
    // A glob that names no language is meant for those that the code fits.
    if code.language.is_none() && matches!(contract.glob.names(), NamePattern::Any) {
        return Vec::new();
    }
    let misfit = |language: Language| match rule.compile(language) {
        Err(RuleError::NotParsed(_)) => None,
        Err(error) => Some((language.name(), error.to_string())),
        Ok(rule) if rule.has_syntax_error() => Some((language.name(), "it has a syntax error".to_owned())),
        Ok(_) => None,
    };
    languages_of(contract, code).into_iter().filter_map(misfit).collect()
}

/// Whether no file of a contract is in a language that is parsed.
pub fn is_for_no_language(contract: &Contract) -> bool {
    contract.check.code().is_some_and(|code| languages_of(contract, code).is_empty())
}

fn rule(source: &CodeSource) -> Result<CodeRule, RuleError> {
    match source {
        CodeSource::Pattern(pattern) => CodeRule::pattern(pattern),
        CodeSource::Rule(json) => CodeRule::object(&serde_json::from_str(json).unwrap_or_default()),
    }
}

/// The compiled forms of one value, made on first use.
#[derive(Debug, Default)]
pub(crate) struct LazyCode([OnceLock<Result<Box<CompiledRule>, RuleError>>; Language::COUNT]);

impl LazyCode {
    /// The rule in `language`, or why it does not fit.
    fn compiled(&self, code: &CodePattern, language: Language) -> Result<&CompiledRule, &RuleError> {
        let compile = || rule(&code.source).and_then(|rule| rule.compile(language)).map(Box::new);
        self.0[language.index()].get_or_init(compile).as_deref()
    }

    /// The problem of a value that fits no language of its files; `None` if it fits one.
    pub fn mistake(&self, contract: &Contract, code: &CodePattern) -> Option<String> {
        let mut first = None;
        for language in languages_of(contract, code) {
            match self.compiled(code, language) {
                // What was not parsed may be valid.
                Ok(_) | Err(RuleError::NotParsed(_)) => return None,
                Err(error) => first = first.or(Some((language, error))),
            }
        }
        first.map(|(language, error)| format!("'code' is not valid in {language}: {error}"))
    }

    /// The same, unless no language has shown a problem so far.
    pub fn known_mistake(&self, contract: &Contract, code: &CodePattern) -> Option<String> {
        let has_failed = self.0.iter().any(|compiled| matches!(compiled.get(), Some(Err(_))));
        has_failed.then(|| self.mistake(contract, code)).flatten()
    }
}

/// The languages of the files that a contract applies to, as far as its globs tell.
fn languages_of(contract: &Contract, code: &CodePattern) -> Vec<Language> {
    if let Some(language) = code.language.as_deref().and_then(Language::find) {
        return vec![language];
    }
    languages_of_glob(&contract.glob)
}

/// The languages of the files of a glob, as far as it tells.
pub(crate) fn languages_of_glob(glob: &Glob) -> Vec<Language> {
    let named = match glob.names() {
        NamePattern::Any => return Language::all().collect(),
        NamePattern::Name(name) => vec![language_of(name)],
        NamePattern::Extensions(extensions) => {
            extensions.iter().map(|extension| language_of(&format!("a.{extension}"))).collect()
        }
    };
    let mut languages: Vec<Language> = named.into_iter().flatten().collect();
    languages.sort_by_key(|language| language.index());
    languages.dedup();
    languages
}

/// The language of a file. Cells of a notebook are Python.
fn language_of(path: &str) -> Option<Language> {
    if notebook::is_named(&RelPath::from(path)) { Some(Language::PYTHON) } else { Language::of_path(path) }
}

/// A tree that is parsed on first use.
type LazyTree = Rc<OnceCell<Result<SyntaxTree, Unfinished>>>;

/// The trees of one text.
pub(crate) struct CodeTrees<'a> {
    bytes: &'a [u8],
    /// `bytes` as text, on first use; empty if they are not UTF-8.
    text: OnceCell<&'a str>,
    host: Option<Language>,
    stop: Stop,
    trees: RefCell<HashMap<Language, LazyTree>>,
}

/// Why a text has no result for a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotSearched {
    /// The value is about files of other languages.
    OtherLanguage,
    /// The deadline has passed.
    TimedOut,
    /// A limit was exceeded.
    Limit(ParseLimit),
}

impl From<Unfinished> for NotSearched {
    fn from(why: Unfinished) -> Self {
        match why {
            Unfinished::Stopped => Self::TimedOut,
            Unfinished::TooLarge => Self::Limit(ParseLimit::Size(MAX_BYTES)),
            Unfinished::TooDeep => Self::Limit(ParseLimit::Depth),
            Unfinished::TooComplex => Self::Limit(ParseLimit::Steps),
            Unfinished::Crashed => Self::Limit(ParseLimit::Crash),
        }
    }
}

impl<'a> CodeTrees<'a> {
    /// `text` is the content of the file at `path`.
    pub fn new(path: &RelPath, text: &'a [u8], deadline: Deadline) -> Self {
        let host = language_of(&path.to_text());
        let stop: Stop = Rc::new(move || deadline.has_passed());
        Self { bytes: text, text: OnceCell::new(), host, stop, trees: RefCell::default() }
    }

    fn text(&self) -> &'a str {
        self.text.get_or_init(|| std::str::from_utf8(self.bytes).unwrap_or_default())
    }

    /// The rule for this text.
    fn rule<'c>(&self, lazy: &'c LazyCode, code: &CodePattern) -> Result<&'c CompiledRule, NotSearched> {
        let named = code.language.as_deref().and_then(Language::find);
        let language = named.or(self.host).ok_or(NotSearched::OtherLanguage)?;
        lazy.compiled(code, language).map_err(|error| match error {
            RuleError::Invalid(_) => NotSearched::OtherLanguage,
            RuleError::NotParsed(why) => NotSearched::from(*why),
        })
    }

    /// Fails if the value is not about files of the language of this text, or if that is not known.
    pub fn is_of(&self, lazy: &LazyCode, code: &CodePattern) -> Result<(), NotSearched> {
        let rule = self.rule(lazy, code)?;
        let fits = code.language.is_some() || !rule.has_syntax_error();
        if fits { Ok(()) } else { Err(NotSearched::OtherLanguage) }
    }

    /// The spans of all matches.
    pub fn find(&self, lazy: &LazyCode, code: &CodePattern) -> Result<Vec<Range<usize>>, NotSearched> {
        let rule = self.rule(lazy, code)?;
        if !rule.may_match(self.text()) {
            return Ok(Vec::new());
        }
        self.with_tree(rule.language(), |tree| rule.find(tree))
    }

    /// The imports of the text, and its language.
    pub fn imports(&self) -> Result<(Language, FileImports), NotSearched> {
        let language = self.host.filter(|host| host.has_imports()).ok_or(NotSearched::OtherLanguage)?;
        let has = |word: &&str| memchr::memmem::find(self.bytes, word.as_bytes()).is_some();
        if !language.import_words().iter().any(has) {
            return Ok((language, FileImports::default()));
        }
        self.with_tree(language, |tree| Ok((language, tree.imports()?)))
    }

    /// The text that `template` gives for the match with each of these spans.
    pub fn replacements(
        &self,
        lazy: &LazyCode,
        code: &CodePattern,
        template: &str,
        spans: &[Range<usize>],
    ) -> Result<Vec<Option<Vec<u8>>>, NotSearched> {
        let rule = self.rule(lazy, code)?;
        self.with_tree(rule.language(), |tree| rule.replacements(tree, template, spans))
    }

    /// Parses the text: as the language itself, or as HTML, which contains it.
    fn with_tree<T>(
        &self,
        language: Language,
        search: impl FnOnce(&SyntaxTree) -> Result<T, Unfinished>,
    ) -> Result<T, NotSearched> {
        let language = self.host.filter(|host| host.embeds(language)).unwrap_or(language);
        let tree = Rc::clone(self.trees.borrow_mut().entry(language).or_default());
        let parsed = tree.get_or_init(|| SyntaxTree::parse(self.text(), language, &self.stop));
        parsed.as_ref().map_err(|why| *why).and_then(search).map_err(NotSearched::from)
    }
}
