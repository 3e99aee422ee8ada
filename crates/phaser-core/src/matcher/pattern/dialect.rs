//! Translates patterns from the dialect of Python's `re`, which most authors know, into that of the engines, with
//! Python's meaning where the two differ.
//!
//! `a\Z` becomes `a\z`, `a{,3}` becomes `a{0,3}`, `{ x }` becomes `\{ x }`, `(?P=name)` becomes `\k<name>`. The
//! translation is textual: whether the result is valid is up to the engine. Differences that cannot be bridged are
//! returned as notes for the author.

use std::iter::Peekable;
use std::str::Chars;

mod class;
mod escape;
mod group;

/// A translated pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Translation {
    /// The expression in the dialect of the engines.
    pub regex: String,
    /// The first construct that needs the backtracking engine, if any.
    pub backtracks: Option<Backtracks>,
    /// Differences from Python, for the author.
    pub notes: Vec<&'static str>,
    /// What the translation has seen of the pattern.
    pub facts: Facts,
    /// The names of the capture groups, in order.
    pub captures: Vec<Option<String>>,
}

/// Syntactic facts about an expression.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Facts {
    /// Has a character beyond ASCII, a property, or the flag `u`.
    pub names_beyond_ascii: bool,
    /// Has `[^…]`.
    pub negates_class: bool,
    /// Has `\W`, `\D` or `\S`.
    pub negates_named_class: bool,
    /// The number of classes with many characters: `\w`, `\p{…}`, `[^…]` and the like.
    pub large_classes: usize,
    /// The number of classes given by a property, `\p{…}`.
    pub properties: usize,
    /// The number of groups of any kind.
    pub groups: usize,
    /// Has a counted repetition.
    pub counts: bool,
}

impl Facts {
    /// Whether a class may be negated twice, as in `[^\W\d]`. Parsed without Unicode, such a class looks smaller
    /// than it is.
    pub fn negates_twice(&self) -> bool {
        self.negates_class && self.negates_named_class
    }
}

/// The use of a translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TranslationPurpose {
    /// Searching, with either engine.
    Search,
    /// Searching with the backtracking engine.
    Backtracking,
    /// Extracting required literals: an expression for the linear parser that matches wherever the pattern does.
    /// Look-around is left out, and a back-reference is any text.
    Superset,
    /// Finding what a search can scan: an expression for the linear parser in which look-around is a group.
    Plain,
}

/// A construct that needs the backtracking engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Backtracks {
    /// `(?=…)`, `(?!…)`, `(?<=…)`, `(?<!…)`.
    LookAround,
    /// `\1`, `(?P=name)`.
    BackReference,
    /// `(?>…)`, `a++`.
    Atomic,
    /// `(?(1)…|…)`.
    Conditional,
    /// `$` under `(?-m)`, which also matches before a final newline.
    FinalNewline,
}

impl Backtracks {
    /// The name of the construct, with its article.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::LookAround => "look-around",
            Self::BackReference => "a back-reference",
            Self::Atomic => "an atomic group or a possessive quantifier",
            Self::Conditional => "a conditional",
            Self::FinalNewline => "'$' under '(?-m)'",
        }
    }
}

/// A construct without a counterpart in the engines.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DialectError {
    /// `\N{…}`.
    #[error("characters cannot be named with \\N{{…}} (write \\u and four hex digits)")]
    NamedCharacter,
    /// `(?L)`.
    #[error("the flag L depends on a locale (leave it out)")]
    LocaleFlag,
    /// A `[` without its `]`.
    #[error("a character class is not closed (add ']', or write '\\[' for the character)")]
    UnclosedClass,
    /// A `(?#` without its `)`.
    #[error("a comment is not closed (add ')')")]
    UnclosedComment,
    /// A `\` at the end.
    #[error("the pattern ends in a backslash (write '\\\\' for the character)")]
    TrailingBackslash,
    /// `[\400]`.
    #[error("an octal number over \\377 is no character (write \\u and four hex digits)")]
    OctalTooLarge,
    /// `\h`.
    #[error("'\\{0}' is not an escape sequence (write the character or the class that is meant)")]
    UnknownEscape(char),
    /// `a{1}{2}` next to look-around.
    #[error("a repetition is repeated (put the first one in a group: '(?:…)')")]
    RepeatedRepetition,
}

const BACKSPACE: &str =
    "'pattern' has a backspace in it, which is what '\\b' is in double quotes (use single quotes)";

/// Translates `pattern`.
pub fn translate(pattern: &str, purpose: TranslationPurpose) -> Result<Translation, DialectError> {
    let translation = Translation {
        regex: String::with_capacity(pattern.len() + 8),
        backtracks: None,
        notes: Vec::new(),
        facts: Facts::default(),
        captures: Vec::new(),
    };
    let rest = pattern.chars().peekable();
    let mut translator =
        Translator { rest, out: translation, purpose, flags: Flags::default(), outer: Vec::new() };
    translator.run()?;
    let mut translation = translator.out;
    if purpose == TranslationPurpose::Search && translation.backtracks.is_some() {
        return translate(pattern, TranslationPurpose::Backtracking);
    }
    if pattern.contains('\u{8}') {
        translation.notes.push(BACKSPACE);
    }
    Ok(translation)
}

struct Translator<'a> {
    rest: Peekable<Chars<'a>>,
    out: Translation,
    purpose: TranslationPurpose,
    flags: Flags,
    outer: Vec<OpenGroup>,
}

/// The flags that the translation depends on.
#[derive(Debug, Clone, Copy)]
struct Flags {
    verbose: bool,
    ascii: bool,
    multi_line: bool,
}

impl Default for Flags {
    fn default() -> Self {
        Self { verbose: false, ascii: false, multi_line: true }
    }
}

#[derive(Debug, Clone, Copy)]
struct OpenGroup {
    /// The flags outside the group.
    flags: Flags,
    close: GroupClose,
}

/// What the end of a group is translated to.
#[derive(Debug, Clone, Copy)]
enum GroupClose {
    With(&'static str),
    /// Nothing, and the output is truncated to this length: the group is left out.
    TakeBack(usize),
}

impl Translator<'_> {
    fn run(&mut self) -> Result<(), DialectError> {
        while let Some(c) = self.rest.next() {
            match c {
                '\\' => self.escape()?,
                '[' => self.class()?,
                '(' => self.group()?,
                ')' => self.close(),
                '*' | '+' | '?' => {
                    self.out.regex.push(c);
                    self.after_quantifier()?;
                }
                '{' => self.brace()?,
                '$' if !self.flags.multi_line => self.end_of_text(),
                '#' if self.flags.verbose => self.verbose_comment(),
                c => {
                    self.out.facts.names_beyond_ascii |= !c.is_ascii();
                    self.out.regex.push(c);
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, text: &str) {
        self.out.regex.push_str(text);
    }

    fn needs(&mut self, construct: Backtracks) {
        self.out.backtracks.get_or_insert(construct);
    }

    fn starts_with(&self, prefix: &str) -> bool {
        let mut ahead = self.rest.clone();
        prefix.chars().all(|expected| ahead.next() == Some(expected))
    }

    fn skip(&mut self, count: usize) {
        for _ in 0..count {
            self.rest.next();
        }
    }

    /// Whether the output is read by the linear parser.
    fn is_plain(&self) -> bool {
        matches!(self.purpose, TranslationPurpose::Superset | TranslationPurpose::Plain)
    }

    /// `$` without the flag `m`: the end of the text, or before a newline there.
    fn end_of_text(&mut self) {
        self.needs(Backtracks::FinalNewline);
        match self.purpose {
            TranslationPurpose::Superset => self.push("(?:)"),
            TranslationPurpose::Plain => self.push(r"(?:(?:\r?\n)?\z)"),
            TranslationPurpose::Search | TranslationPurpose::Backtracking => self.push(r"(?=(?:\r?\n)?\z)"),
        }
    }

    /// `{` starts a quantifier in one of five forms. Elsewhere it is a character.
    fn brace(&mut self) -> Result<(), DialectError> {
        let inside: String = self.rest.clone().take_while(|&c| c != '}').take(24).collect();
        let closed = self.starts_with(&format!("{inside}}}"));
        let Some((low, high)) = closed.then(|| quantifier(&inside)).flatten() else {
            self.push(r"\{");
            return Ok(());
        };
        self.skip(inside.chars().count() + 1);
        self.out.facts.counts = true;
        let low = if low.is_empty() { "0" } else { low };
        match high {
            None => self.push(&format!("{{{low}}}")),
            Some(high) => self.push(&format!("{{{low},{high}}}")),
        }
        self.after_quantifier()
    }

    fn after_quantifier(&mut self) -> Result<(), DialectError> {
        if self.rest.next_if_eq(&'?').is_some() {
            self.push("?");
        } else if self.rest.next_if_eq(&'+').is_some() {
            self.needs(Backtracks::Atomic);
            if !self.is_plain() {
                self.push("+");
            }
        }
        // The engines disagree about it, and Python rejects it.
        if self.purpose == TranslationPurpose::Backtracking && self.is_before_quantifier() {
            return Err(DialectError::RepeatedRepetition);
        }
        Ok(())
    }

    fn is_before_quantifier(&mut self) -> bool {
        match self.rest.peek() {
            Some('*' | '+' | '?') => true,
            Some('{') => {
                let inside: String = self.rest.clone().skip(1).take_while(|&c| c != '}').take(24).collect();
                self.starts_with(&format!("{{{inside}}}")) && quantifier(&inside).is_some()
            }
            _ => false,
        }
    }

    /// A comment up to the end of the line.
    fn verbose_comment(&mut self) {
        self.push("#");
        for c in self.rest.by_ref() {
            self.out.regex.push(c);
            if c == '\n' {
                return;
            }
        }
    }
}

/// The bounds of `{low}`, `{low,}`, `{,high}`, `{low,high}` or `{,}`, without the braces.
fn quantifier(inside: &str) -> Option<(&str, Option<&str>)> {
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    match inside.split_once(',') {
        None => (!inside.is_empty() && digits(inside)).then_some((inside, None)),
        Some((low, high)) => (digits(low) && digits(high)).then_some((low, Some(high))),
    }
}

#[cfg(test)]
mod tests {
    use super::class::{POSIX_CLASS, UNKNOWN_POSIX_CLASS};
    use super::*;

    fn regex(pattern: &str) -> String {
        translate(pattern, TranslationPurpose::Search).expect("translates").regex
    }

    #[test]
    fn translates_python_spellings() {
        let cases = [
            (r"a\Z", r"a\z"),
            (r"\bfoo\s*\(", r"\bfoo\s*\("),
            ("a{2,3}b{4}c{5,}", "a{2,3}b{4}c{5,}"),
            ("a{,3}", "a{0,3}"),
            ("if (x) {", r"if (x) \{"),
            ("{ x }", r"\{ x }"),
            ("${VAR}", r"$\{VAR}"),
            ("f{a,b}", r"f\{a,b}"),
            ("(?P<n>a)", "(?P<n>a)"),
            ("a(?#note)b", "ab"),
            (r"\<b\>", "<b>"),
            (r"\é", "é"),
            (r"\ ", r"\x20"),
            (r"\0", r"\x00"),
            (r"\012", r"\x0a"),
            (r"\141", r"\x61"),
            (r"\p{Greek}{2}", r"\p{Greek}{2}"),
            (r"\x41\u0041", r"\x41\u0041"),
            ("(?i)a", "(?i)a"),
            ("(?a)a", "a"),
            ("(?ai:a)", "(?i:a)"),
            (r"(?a)\w\D[\s\W]\b", r"[0-9A-Za-z_][^0-9][\t\n\x0b\x0c\r\x20[^0-9A-Za-z_]](?-u:\b)"),
            (r"(?a:\d(\d))\d", r"(?:[0-9]([0-9]))\d"),
            (r"(?a:(?u:\d)\d)", r"(?:(?u:\d)[0-9])"),
            ("(?:a|b)", "(?:a|b)"),
        ];
        for (pattern, expected) in cases {
            assert_eq!(regex(pattern), expected, "{pattern}");
        }
    }

    #[test]
    fn reads_classes_like_python() {
        let cases = [
            ("[abc]", "[abc]"),
            ("[^]a]", r"[^\]a]"),
            ("[[]", r"[\[]"),
            ("[a&&b]", r"[a\&\&b]"),
            ("[a~~b]", r"[a\~\~b]"),
            ("[+--]", r"[\+-\-]"),
            ("[a-]", r"[a\-]"),
            (r"[\w-]", r"[\w\-]"),
            (r"[\b]", r"[\x08]"),
            (r"[\0-\37]", r"[\x00-\x1f]"),
            ("[ #]", r"[\x20\#]"),
            (r"[\]]", r"[\]]"),
            ("[[:alpha:]_]", r"[[:alpha:]\_]"),
            ("[[:x]", r"[\[\:x]"),
        ];
        for (pattern, expected) in cases {
            assert_eq!(regex(pattern), expected, "{pattern}");
        }
    }

    #[test]
    fn recognises_backtracking_constructs() {
        let cases = [
            ("a(?=b)", Some(Backtracks::LookAround)),
            ("(?<!a)b", Some(Backtracks::LookAround)),
            (r"(a)\1", Some(Backtracks::BackReference)),
            ("(?P<n>a)(?P=n)", Some(Backtracks::BackReference)),
            ("(?>a)b", Some(Backtracks::Atomic)),
            ("a++b", Some(Backtracks::Atomic)),
            ("a{2}+b", Some(Backtracks::Atomic)),
            ("(a)?(?(1)b|c)", Some(Backtracks::Conditional)),
            ("(?-m:a$)", Some(Backtracks::FinalNewline)),
            ("(?-m:a)$", None),
            ("a+?b", None),
            (r"\(\?=", None),
            ("[(?=]", None),
            ("(?<n>a)", None),
        ];
        for (pattern, expected) in cases {
            assert_eq!(
                translate(pattern, TranslationPurpose::Search).expect("translates").backtracks,
                expected,
                "{pattern}"
            );
        }
        assert_eq!(regex("(?P<n>a)(?P=n)"), r"(?P<n>(?:a))\k<n>");
    }

    #[test]
    fn translates_for_each_purpose() {
        let spelled = |pattern, purpose| translate(pattern, purpose).expect("translates").regex;
        for (pattern, backtracking, superset, plain) in [
            ("a(?=b(c))d", "a(?=b((?:c)))d", "a(?:)d", "a(?:b(c))d"),
            (r"(a)\1", r"((?:a))\1", "(a)(?:(?s:.)*)", "(a)(?:(?s:.)*)"),
            ("(?P<q>a)(?P=q)", r"(?P<q>(?:a))\k<q>", "(?P<q>a)(?:(?s:.)*)", "(?P<q>a)(?:(?s:.)*)"),
            ("(?>a)b++", "(?>a)b++", "(?:a)b+", "(?:a)b+"),
            ("(a)?(?(1)b|c)", "((?:a))?(?(1)b|c)", "(a)?(?:b|c)?", "(a)?(?:b|c)?"),
            ("(?P<q>a)?(?(q)b)", "(?P<q>(?:a))?(?(<q>)b)", "(?P<q>a)?(?:b)?", "(?P<q>a)?(?:b)?"),
            (
                r"(?a)\b(?!x)",
                &format!("{}(?!x)", super::escape::ASCII_BOUNDARY),
                r"(?-u:\b)(?:)",
                r"(?-u:\b)(?:x)",
            ),
            ("(?-m:a$)", r"(?-m:a(?=(?:\r?\n)?\z))", "(?-m:a(?:))", r"(?-m:a(?:(?:\r?\n)?\z))"),
        ] {
            let all =
                [TranslationPurpose::Backtracking, TranslationPurpose::Superset, TranslationPurpose::Plain]
                    .map(|purpose| spelled(pattern, purpose));
            assert_eq!(all, [backtracking, superset, plain]);
            assert_eq!(spelled(pattern, TranslationPurpose::Search), backtracking);
        }
    }

    #[test]
    fn facts_ignore_lookalikes() {
        let facts = |pattern| translate(pattern, TranslationPurpose::Search).expect("translates").facts;
        assert!(facts(r"\[^\\S").eq(&Facts::default()), "escaped");
        assert!(facts(r"[^a]\S").negates_twice() && !facts(r"[\S]").negates_twice());
        for pattern in ["\u{e9}", r"\u00e9", r"[\x{e9}]", r"\xe9", r"\p{L}", "(?iu:a)", r"\351"] {
            assert!(facts(pattern).names_beyond_ascii, "{pattern}");
        }
        for pattern in [r"\x41", r"\\u00e9", "(?-u:a)", "(?x)a # \u{e9}"] {
            assert!(!facts(pattern).names_beyond_ascii, "{pattern}");
        }
        let Facts { large_classes, properties, groups, counts, .. } = facts(r"(\w)(?:[^a]\p{L}[a-z]){2}");
        assert_eq!((large_classes, properties, groups, counts), (3, 1, 2, true));
        assert!(!facts(r"a\{2}").counts);
    }

    #[test]
    fn notes_posix_classes() {
        assert_eq!(
            translate("[[:alpha:]]", TranslationPurpose::Search).expect("translates").notes,
            [POSIX_CLASS]
        );
        let unknown = translate("[[:alpa:]]", TranslationPurpose::Search).expect("translates");
        assert_eq!(unknown.notes, [UNKNOWN_POSIX_CLASS]);
        assert!(translate("[a:]", TranslationPurpose::Search).expect("translates").notes.is_empty());
    }

    #[test]
    fn untranslatable_patterns_get_hints() {
        for (pattern, error) in [
            (r"\N{DASH}", DialectError::NamedCharacter),
            ("(?L)a", DialectError::LocaleFlag),
            ("[a", DialectError::UnclosedClass),
            ("(?#a", DialectError::UnclosedComment),
            (r"a\", DialectError::TrailingBackslash),
            (r"[\777]", DialectError::OctalTooLarge),
            (r"[\400]", DialectError::OctalTooLarge),
            (r"\h", DialectError::UnknownEscape('h')),
            (r"\h(?!x)", DialectError::UnknownEscape('h')),
            (r"\e(?!x)", DialectError::UnknownEscape('e')),
            (r"a\K(?!x)", DialectError::UnknownEscape('K')),
            (r"\Ga(?!x)", DialectError::UnknownEscape('G')),
            (r"\R(?!x)", DialectError::UnknownEscape('R')),
            ("a{1}{2}(?!x)", DialectError::RepeatedRepetition),
            ("a*+*(?!x)", DialectError::RepeatedRepetition),
        ] {
            assert_eq!(translate(pattern, TranslationPurpose::Search), Err(error), "{pattern}");
        }
    }

    #[test]
    fn keeps_verbose_comments() {
        assert_eq!(regex("(?x)a # [ it's {\nb"), "(?x)a # [ it's {\nb");
        assert_eq!(regex("(?x:a # {\n)#{"), "(?x:a # {\n)#\\{");
        assert_eq!(regex("(?x)(?-x:#{) # {"), "(?x)(?-x:#\\{) # {");
    }
}
