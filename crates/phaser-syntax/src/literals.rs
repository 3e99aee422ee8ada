//! The literals that every match of a rule contains, from the text of the rule.
//!
//! A pattern matches a node if the leaves of both trees agree, and a *named* leaf (an identifier, a literal, a field)
//! agrees by its text. So each word of `user.setPassword($X, "admin")` that becomes a named leaf is in the text of every
//! match: `user`, `setPassword`, `admin`. The longest one is the required literal.
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
//! In a rule object, all keys must hold: the best literal of any of them is taken, also that of `inside` or `has`, since a
//! text is tested, not a match. For `any`, one of the literals of all alternatives is required. `not` requires nothing.
//!
//! A pattern with a syntax error has no such guarantee: the parser may drop any part of it. `contracts lint` reports it.
//!
//! A property test compares the words with the leaves of the parsed pattern in every language.

use regex_syntax::hir::{Hir, HirKind};
use serde_json::Value;

use crate::keywords::KEYWORDS;

/// The shortest word that is worth a search.
const MIN_LENGTH: usize = 2;

/// Cap on the alternatives.
const MAX_ALTERNATIVES: usize = 32;

/// Cap on the rules followed through `matches`.
const MAX_NESTING: usize = 32;

/// Keywords that always start a production of several tokens, in every grammar that has them. Sorted.
const LEADING: [&str; 11] =
    ["assert", "await", "delete", "echo", "exec", "goto", "new", "print", "throw", "typeof", "unset"];

/// A text that every match contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Literal {
    pub text: String,
    /// Whether case does not matter.
    pub any_case: bool,
}

/// Texts of which every match of a rule contains one; `None` if there is no such list.
pub(crate) fn of_rule(rule: &Value, utils: Option<&Value>) -> Option<Vec<Literal>> {
    of_nested(rule, utils, 0)
}

fn of_nested(rule: &Value, utils: Option<&Value>, nesting: usize) -> Option<Vec<Literal>> {
    let keys = rule.as_object().filter(|_| nesting < MAX_NESTING)?;
    let nested = |rule: &Value| of_nested(rule, utils, nesting + 1);
    let mut best: Option<Vec<Literal>> = None;
    for (key, value) in keys {
        let found = match key.as_str() {
            "pattern" => of_pattern_value(value),
            "regex" => value.as_str().and_then(of_regex),
            "inside" | "has" | "precedes" | "follows" => nested(value),
            "all" => value.as_array().and_then(|rules| rules.iter().filter_map(nested).reduce(better)),
            "any" => value.as_array().and_then(|rules| {
                let all: Option<Vec<Vec<Literal>>> = rules.iter().map(nested).collect();
                all.map(|all| all.concat())
            }),
            "matches" => value.as_str().and_then(|name| nested(utils?.get(name)?)),
            _ => None,
        };
        let found = found.filter(|found| !found.is_empty() && found.len() <= MAX_ALTERNATIVES);
        best = match (best, found) {
            (Some(best), Some(found)) => Some(better(best, found)),
            (best, found) => best.or(found),
        };
    }
    best
}

/// The list that fewer texts contain: by its shortest text, then by its length.
fn better(one: Vec<Literal>, other: Vec<Literal>) -> Vec<Literal> {
    let worth = |list: &[Literal]| {
        let shortest = list.iter().map(|literal| literal.text.len()).min().unwrap_or_default();
        (shortest.min(8), std::cmp::Reverse(list.len()), shortest)
    };
    if worth(&other) > worth(&one) { other } else { one }
}

/// The literal of the key `pattern`: a text, or an object.
fn of_pattern_value(value: &Value) -> Option<Vec<Literal>> {
    match value {
        Value::String(pattern) => of_pattern(pattern),
        // With a selector only a part of the context counts, which the grammar decides.
        Value::Object(keys) if keys.get("selector").is_none_or(Value::is_null) => {
            // This one compares no text.
            let is_signature = keys.get("strictness").and_then(Value::as_str) == Some("signature");
            keys.get("context")?.as_str().filter(|_| !is_signature).and_then(of_pattern)
        }
        _ => None,
    }
}

/// The longest word of a pattern that is a named leaf, or a part of one.
pub(crate) fn of_pattern(pattern: &str) -> Option<Vec<Literal>> {
    let longest = words(pattern).into_iter().rev().max_by_key(|word| word.len());
    let literal = |text: &str, any_case| vec![Literal { text: text.to_owned(), any_case }];
    longest.map(|word| literal(word, false)).or_else(|| leading(pattern).map(|word| literal(word, true)))
}

/// The keyword that a pattern starts with, if it cannot be missing.
fn leading(pattern: &str) -> Option<&str> {
    let pattern = pattern.trim();
    let length = pattern.bytes().take_while(|byte| is_of_word(*byte)).count();
    let word = &pattern[..length];
    (length < pattern.len() && LEADING.binary_search(&word).is_ok()).then_some(word)
}

/// The words of a pattern that are named leaves, or parts of them.
pub(crate) fn words(pattern: &str) -> Vec<&str> {
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
                    words.push(word);
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
                (text.len() >= MIN_LENGTH).then(|| vec![Literal { text, any_case: false }])
            }
            HirKind::Capture(capture) => of(&capture.sub),
            HirKind::Repetition(repetition) if repetition.min > 0 => of(&repetition.sub),
            HirKind::Concat(parts) => parts.iter().filter_map(of).reduce(better),
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
            let found = of_pattern(pattern).map(|found| found[0].text.clone());
            assert_eq!(found.as_deref(), expected, "{pattern}");
        }
    }

    #[test]
    fn combines_literals_of_rule_object() {
        let of = |rule: Value| of_rule(&rule, Some(&json!({ "call": { "pattern": "danger($A)" } })));
        let of = |rule| of(rule).map(|list| list.into_iter().map(|literal| literal.text).collect::<Vec<_>>());
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
                        named.iter().any(|leaf| leaf.contains(word)),
                        "{}: {:?} is not in {:?} of {:?}", language, word, named, pattern
                    );
                }
            }
        }
    }
}
