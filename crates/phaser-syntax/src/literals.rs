//! The literals that every match of a rule contains, from the text of the rule.
//!
//! A pattern matches a node if the leaves of both trees agree, and a *named* leaf (an identifier, a literal, a field)
//! agrees by its text. So each word of `user.setPassword($X, "admin")` that becomes a named leaf is in the text of every
//! match: `user`, `setPassword`, `admin`. A text without one of them has no match.
//!
//! Finding the leaves would need the grammar of each language. The words are taken from the text of the pattern instead,
//! without those that may be something else:
//!
//! - a metavariable: any word after a `$`;
//! - a keyword, which is an anonymous leaf ([`KEYWORDS`] has those of all grammars): it may be skipped after `$$$`, or be
//!   inserted by the parser to recover from a syntax error. The latter never happens to the first of several tokens, so
//!   that a pattern may start with one of [`LEADING`], in any case: PHP has `PRINT`;
//! - a part of a token that is no node of its own: in comments, heredocs, declarations, colours, and in strings with
//!   escapes or interpolations, and in those of YAML;
//! - a part of a number.
//!
//! A word outside quotes is bounded like an identifier: a lexer takes all characters of a word, so `exists` is not a leaf of
//! `existsSync`. Only a number may stand directly before one (`10px`), and characters outside ASCII may or may not belong to
//! it. Inside quotes a leaf may start anywhere, for example behind an escape.
//!
//! # Clauses
//!
//! A [`Clause`] is a list of literals of which every text with a match contains one. In a rule object all keys must hold, so
//! each contributes its clauses: also `inside` and `has`, since a text is tested, not a match. `any` makes one clause of the
//! best clauses of its alternatives. `not` requires nothing.
//!
//! The best clause becomes the prefilter, which core searches together with the literals of all other contracts. The others are
//! searched in the few texts that pass it. A clause whose literals are part of the match itself, not of what surrounds it, also
//! bounds the search in the tree: only nodes around an occurrence are visited. In `document.write(x)` the clauses are
//! `document` and `write`; a text with `document.createElement` is not parsed, and in one with `document.write` only the nodes
//! from the root down to a `document` (or to a `write`, if there are fewer) are compared with the pattern.
//!
//! A pattern with a syntax error has no such guarantee: the parser may drop any part of it. `contracts lint` reports it.
//!
//! A property test compares the words with the leaves of the parsed pattern in every language.

use std::cmp::Reverse;
use std::ops::Range;

use memchr::memmem;
use regex_syntax::hir::{Hir, HirKind};
use serde_json::Value;

use crate::keywords::KEYWORDS;

/// The shortest word that is worth a search.
const MIN_LENGTH: usize = 2;

/// Cap on the alternatives.
const MAX_ALTERNATIVES: usize = 32;

/// Cap on the clauses.
const MAX_CLAUSES: usize = 16;

/// Cap on the rules followed through `matches`.
const MAX_NESTING: usize = 32;

/// Keywords that always start a production of several tokens, in every grammar that has them. Sorted.
const LEADING: [&str; 11] =
    ["assert", "await", "delete", "echo", "exec", "goto", "new", "print", "throw", "typeof", "unset"];

/// A text that matches contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Literal {
    pub text: String,
    /// Whether case does not matter.
    pub any_case: bool,
    /// Whether it is bounded like an identifier.
    pub is_word: bool,
}

/// Literals of which every text with a match contains one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clause {
    pub any_of: Vec<Literal>,
    /// Whether the match itself contains it.
    pub is_within: bool,
}

impl Clause {
    fn of(any_of: Vec<Literal>) -> Self {
        Self { any_of, is_within: true }
    }

    /// The clause that fewer texts satisfy: by its shortest literal, then by their number.
    fn better(self, other: Self) -> Self {
        let worth = |clause: &Self| {
            let shortest = clause.any_of.iter().map(|literal| literal.text.len()).min().unwrap_or_default();
            (shortest.min(8), Reverse(clause.any_of.len()), shortest)
        };
        if worth(&other) > worth(&self) { other } else { self }
    }

    /// The ranges in `text` of all its literals, none within another, in order.
    pub fn ranges(&self, text: &str) -> Vec<Range<usize>> {
        let mut all: Vec<_> = self.any_of.iter().flat_map(|literal| literal.ranges(text)).collect();
        all.sort_unstable_by_key(|range| (range.start, Reverse(range.end)));
        // From the end: a range that ends after a later one contains it.
        let mut earliest_end = usize::MAX;
        all.reverse();
        all.retain(|range| {
            let is_innermost = range.end < earliest_end;
            earliest_end = earliest_end.min(range.end);
            is_innermost
        });
        all.reverse();
        all
    }

    /// Whether `text` contains one of its literals.
    pub fn is_in(&self, text: &str) -> bool {
        self.any_of.iter().any(|literal| literal.ranges(text).next().is_some())
    }
}

impl Literal {
    fn ranges<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        let finder = memmem::Finder::new(&self.text);
        let mut at = 0;
        std::iter::from_fn(move || {
            loop {
                let start = at + finder.find(text.as_bytes().get(at..)?)?;
                at = start + 1;
                let range = start..start + self.text.len();
                if !self.is_word || is_bounded(text.as_bytes(), &range) {
                    return Some(range);
                }
            }
        })
    }
}

/// Whether a token may start and end with `range`: no character of a word stands directly around it, or it follows a number.
fn is_bounded(bytes: &[u8], range: &Range<usize>) -> bool {
    let before = bytes[..range.start].iter().rev().take_while(|byte| is_of_word(**byte)).count();
    let follows_number = before > 0 && bytes[range.start - before].is_ascii_digit();
    (before == 0 || follows_number) && !bytes.get(range.end).is_some_and(|byte| is_of_word(*byte))
}

/// The clauses of a rule.
pub(crate) fn of_rule(rule: &Value, utils: Option<&Value>) -> Vec<Clause> {
    let mut clauses = of_nested(rule, utils, 0);
    clauses.truncate(MAX_CLAUSES);
    clauses
}

/// The best of several clauses.
pub(crate) fn best(clauses: impl IntoIterator<Item = Clause>) -> Option<Clause> {
    clauses.into_iter().reduce(Clause::better)
}

fn of_nested(rule: &Value, utils: Option<&Value>, nesting: usize) -> Vec<Clause> {
    let Some(keys) = rule.as_object().filter(|_| nesting < MAX_NESTING) else { return Vec::new() };
    let nested = |rule: &Value| of_nested(rule, utils, nesting + 1);
    let outside = |clause: Clause| Clause { is_within: false, ..clause };
    let of_key = |(key, value): (&String, &Value)| -> Vec<Clause> {
        match (key.as_str(), value) {
            ("pattern", value) => of_pattern_value(value),
            ("regex", Value::String(regex)) => of_regex(regex).map(Clause::of).into_iter().collect(),
            ("has", value) => nested(value),
            ("inside" | "precedes" | "follows", value) => nested(value).into_iter().map(outside).collect(),
            ("all", Value::Array(rules)) => rules.iter().flat_map(nested).collect(),
            ("any", Value::Array(rules)) => {
                let all: Option<Vec<Clause>> = rules.iter().map(|rule| best(nested(rule))).collect();
                all.map(union).into_iter().collect()
            }
            ("matches", Value::String(name)) => {
                utils.and_then(|utils| utils.get(name)).map(nested).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    };
    let is_usable = |clause: &Clause| (1..=MAX_ALTERNATIVES).contains(&clause.any_of.len());
    keys.iter().flat_map(of_key).filter(is_usable).collect()
}

/// The clause that holds where one of `clauses` does.
fn union(clauses: Vec<Clause>) -> Clause {
    let is_within = clauses.iter().all(|clause| clause.is_within);
    Clause { any_of: clauses.into_iter().flat_map(|clause| clause.any_of).collect(), is_within }
}

/// The clauses of the key `pattern`: a text, or an object.
fn of_pattern_value(value: &Value) -> Vec<Clause> {
    match value {
        Value::String(pattern) => of_pattern(pattern),
        // With a selector only a part of the context counts, which the grammar decides.
        Value::Object(keys) if keys.get("selector").is_none_or(Value::is_null) => {
            // This one compares no text.
            let is_signature = keys.get("strictness").and_then(Value::as_str) == Some("signature");
            let context = keys.get("context").and_then(Value::as_str).filter(|_| !is_signature);
            context.map(of_pattern).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// A clause for each word of a pattern that is a named leaf, or a part of one.
pub(crate) fn of_pattern(pattern: &str) -> Vec<Clause> {
    let clause = |text: &str, any_case, is_word| {
        Clause::of(vec![Literal { text: text.to_owned(), any_case, is_word }])
    };
    let mut clauses: Vec<Clause> = Vec::new();
    for word in words(pattern) {
        let new = clause(word.text, false, !word.is_quoted);
        if !clauses.contains(&new) {
            clauses.push(new);
        }
    }
    if clauses.is_empty() {
        clauses.extend(leading(pattern).map(|word| clause(word, true, false)));
    }
    clauses
}

/// The keyword that a pattern starts with, if it cannot be missing.
fn leading(pattern: &str) -> Option<&str> {
    let pattern = pattern.trim();
    let length = pattern.bytes().take_while(|byte| is_of_word(*byte)).count();
    let word = &pattern[..length];
    (length < pattern.len() && LEADING.binary_search(&word).is_ok()).then_some(word)
}

/// A word of a pattern that is a named leaf, or a part of one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PatternWord<'p> {
    pub text: &'p str,
    is_quoted: bool,
}

/// The words of a pattern that are named leaves, or parts of them.
pub(crate) fn words(pattern: &str) -> Vec<PatternWord<'_>> {
    // What follows a heredoc or a declaration has its own rules.
    let pattern =
        &pattern[..pattern.find("<<").into_iter().chain(pattern.find("<!")).min().unwrap_or(pattern.len())];
    let reads_strings = !pattern.contains('\\') && !may_quote_yaml(pattern);
    let (bytes, mut at, mut quote) = (pattern.as_bytes(), 0, None);
    let mut words = Vec::new();
    while at < bytes.len() {
        let byte = bytes[at];
        match (byte, quote) {
            (b'\n', _) => quote = quote.filter(|quote| *quote == b'`'),
            (_, Some(open)) if byte == open => quote = None,
            (b'\'' | b'"' | b'`', None) => quote = Some(byte),
            // To the end of the line: a comment, a colour, a directive.
            (b'#', _) => at = line_end(bytes, at),
            (b'/', _) if bytes.get(at + 1) == Some(&b'/') => at = line_end(bytes, at),
            (b'/', _) if bytes.get(at + 1) == Some(&b'*') => break,
            _ if is_of_word(byte) => {
                let start = at;
                at += bytes[at..].iter().take_while(|byte| is_of_word(**byte)).count();
                let word = &pattern[start..at];
                let is_open = quote.is_none() || reads_strings && !is_interpolated(bytes, start);
                let is_literal = !word.starts_with(|c: char| c.is_ascii_digit())
                    && !is_after_sigil(bytes, start)
                    && word.len() >= MIN_LENGTH
                    && KEYWORDS.binary_search(&&*word.to_ascii_lowercase()).is_err();
                if is_open && is_literal {
                    words.push(PatternWord { text: word, is_quoted: quote.is_some() });
                }
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    words
}

/// Whether a pattern may have a quoted scalar of YAML, whose content is no leaf: after an indicator, not within a word.
fn may_quote_yaml(pattern: &str) -> bool {
    let starts_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '(');
    let after_indicator =
        pattern.split_inclusive([':', '\n']).skip(1).any(|part| part.starts_with(char::is_whitespace));
    !pattern.trim_start().starts_with(starts_word) || after_indicator || pattern.contains('\n')
}

/// The offset of the last byte of a line, or of the text.
fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| at + end - 1)
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether a word is a metavariable, a variable, the flags of a regular expression, or a part of a number with a sign or a point.
fn is_after_sigil(bytes: &[u8], start: usize) -> bool {
    match start.checked_sub(1).map(|before| bytes[before]) {
        Some(b'$' | b'/') => true,
        Some(b'.' | b'-' | b'+') => start.checked_sub(2).is_some_and(|before| bytes[before].is_ascii_digit()),
        _ => false,
    }
}

/// Whether the string around `at` may be interpolated: a brace stands between it and the end of its line, or before it.
fn is_interpolated(bytes: &[u8], at: usize) -> bool {
    let line = |byte: &u8| *byte != b'\n';
    let is_brace = |byte: &u8| matches!(byte, b'{' | b'}' | b'%');
    bytes[at..].iter().take_while(|byte| line(byte)).any(is_brace)
        || bytes[..at].iter().rev().take_while(|byte| line(byte)).any(is_brace)
}

/// Texts of which every match of a regular expression contains one.
fn of_regex(regex: &str) -> Option<Vec<Literal>> {
    fn of(hir: &Hir) -> Option<Vec<Literal>> {
        match hir.kind() {
            HirKind::Literal(literal) => {
                let text = String::from_utf8(literal.0.to_vec()).ok()?;
                let literal = Literal { text, any_case: false, is_word: false };
                (literal.text.len() >= MIN_LENGTH).then(|| vec![literal])
            }
            HirKind::Capture(capture) => of(&capture.sub),
            HirKind::Repetition(repetition) if repetition.min > 0 => of(&repetition.sub),
            HirKind::Concat(parts) => {
                best(parts.iter().filter_map(of).map(Clause::of)).map(|clause| clause.any_of)
            }
            HirKind::Alternation(parts) => {
                let all: Option<Vec<_>> = parts.iter().map(of).collect();
                all.map(|all| all.concat())
            }
            _ => None,
        }
    }
    of(&regex_syntax::parse(regex).ok()?)
}

#[cfg(test)]
mod tests {
    use ast_grep_core::Pattern;
    use ast_grep_core::matcher::PatternNode;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;
    use serde_json::json;

    use super::*;
    use crate::language::Language;
    use crate::rule::CodeRule;

    #[test]
    fn takes_longest_word_of_pattern() {
        for (pattern, expected) in [
            ("eval($X)", Some("eval")),
            ("console.log($$$ARGS)", Some("console")),
            ("user.setPassword($X, 'admin')", Some("setPassword")),
            ("import $X from 'lodash'", Some("lodash")),
            ("$A == $B", None),
            ("throw $X", Some("throw")),
            ("print($X)", Some("print")),
            ("print", None),
            ("raise", None),
            ("fooBAR(1_000px)", Some("fooBAR")),
            ("color: #abcdef", Some("color")),
            ("x  // password", None),
            ("ab /* password */", Some("ab")),
            ("print(\"hello\\n\")", Some("print")),
            ("f\"{x} hello\"", None),
            ("cat <<EOF", Some("cat")),
            ("<!doctype html>", None),
        ] {
            let found = best(of_pattern(pattern)).map(|found| found.any_of[0].text.clone());
            assert_eq!(found.as_deref(), expected, "{pattern}");
        }
    }

    #[test]
    fn combines_literals_of_rule_object() {
        let of = |rule: Value| of_rule(&rule, Some(&json!({ "call": { "pattern": "danger($A)" } })));
        let of = |rule| {
            best(of(rule)).map(|best| best.any_of.into_iter().map(|literal| literal.text).collect::<Vec<_>>())
        };
        let list = |texts: &[&str]| Some(texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        assert_eq!(
            of(json!({ "any": [{ "pattern": "eval($X)" }, { "pattern": "exec($X)" }] })),
            list(&["eval", "exec"])
        );
        assert_eq!(of(json!({ "any": [{ "pattern": "eval($X)" }, { "kind": "call" }] })), None);
        assert_eq!(
            of(json!({ "all": [{ "kind": "call" }, { "has": { "regex": "^(foo|bar)$" } }] })),
            list(&["foo", "bar"])
        );
        assert_eq!(
            of(json!({ "pattern": "eval($X)", "inside": { "pattern": "function handler() { $$$ }" } })),
            list(&["handler"])
        );
        assert_eq!(of(json!({ "not": { "pattern": "eval($X)" }, "kind": "call" })), None);
        assert_eq!(of(json!({ "matches": "call" })), list(&["danger"]));
        assert_eq!(of(json!({ "pattern": { "context": "class A { run() }", "selector": "method" } })), None);
        assert_eq!(of(json!({ "regex": "(?i)eval" })), None);
    }

    /// The texts of the named leaves of a pattern.
    fn leaves(node: &PatternNode, all: &mut Vec<String>) {
        match node {
            PatternNode::Terminal { text, is_named: true, .. } => all.push(text.clone()),
            PatternNode::Internal { children, .. } => children.iter().for_each(|child| leaves(child, all)),
            PatternNode::Terminal { .. } | PatternNode::MetaVar { .. } => {}
        }
    }

    const FRAGMENTS: &[&str] = &[
        "foo",
        "bar_baz",
        "print",
        "class",
        "return",
        "$X",
        "$$$",
        "$$$ARGS",
        "$x",
        "(",
        ")",
        "()",
        "{",
        "}",
        "[",
        "]",
        ".",
        "->",
        "::",
        ",",
        ";",
        ":",
        "=",
        " ",
        "\n",
        "\"",
        "'",
        "`",
        "\"text here\"",
        "'it'",
        "f\"{abc} def\"",
        "\\n",
        "#abc",
        "# note",
        "// note",
        "/* note */",
        "<b>",
        "</b>",
        "<!doc html>",
        "<<EOF\ntext\nEOF\n",
        "10px",
        "1.5em",
        "0x1F",
        "@",
        "!",
        "?",
        "if ",
        "new ",
        "r#\"raw\"#",
        "%w(one two)",
        "%",
        "--",
        "\u{e9}t\u{e9}",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn words_are_in_named_leaves(fragments in vec(select(FRAGMENTS), 1..8)) {
            let pattern = fragments.concat();
            for language in Language::all() {
                let rule = CodeRule::pattern(&pattern).expect("is a pattern").compile(language);
                if rule.is_err() || rule.is_ok_and(|rule| rule.has_syntax_error()) {
                    continue;
                }
                let Ok(parsed) = Pattern::try_new(&pattern, language.ast_grep()) else { continue };
                let mut named = Vec::new();
                leaves(&parsed.node, &mut named);
                // C has a leaf for each character of a literal.
                named.push(named.concat());
                for word in words(&pattern) {
                    prop_assert!(
                        named.iter().any(|leaf| leaf.contains(word.text)),
                        "{}: {:?} is not in {:?} of {:?}", language, word, named, pattern
                    );
                }
            }
        }
    }
}
