//! The matcher against a naive search: each pattern compiled alone, in its full Unicode form, run over the whole
//! text. Whatever the matcher does to be fast, the two must agree.

use std::time::Duration;

use proptest::prelude::*;
use regex_automata::meta;
use regex_automata::util::syntax;

use super::*;
use crate::contract::{Dialect, Form, Kind, LayerKind, Origin, Pattern, Severity};
use crate::glob::Glob;

/// Patterns and texts are made of the same words, so that they meet.
const WORDS: &[&str] = &[
    "foo", "bar", "key", "skill", "Pass", "sk-", "ab", "oo", "x", "k", "s", "_", "7", "42", "0a1", "::", "=",
    " ", "\t", "é", "ſ", "\u{212A}", "ß", "日本",
];

/// Pieces of text that no word covers.
const PIECES: &[&[u8]] = &[
    b"\n",
    b"\r\n",
    b"\r",
    b"\xFF",
    b"\xC3",
    b"\xE2\x84",
    b"\x80",
    b"FOO",
    b"KEY",
    b"fo",
    b"ba r",
    b"\xEF\xBB\xBF",
];

/// Expressions that mean the same to Python and to the engines here.
const ATOMS: &[&str] = &[
    r"\w",
    r"\d",
    r"\s",
    r"\S",
    r"\W",
    ".",
    "(?s:.)",
    r"[\s\S]",
    "[a-f]",
    "[^o]",
    "[^\\n]",
    "[k-s]",
    "[ſ-ƀ]",
    "é",
    "(?i:k)",
    "(?i:S)",
    "(?i:skill)",
    "(?i:KEY)",
    "(?i:[^k])",
    r"\x6b",
    r"\n",
    r"\r\n",
    "[\\r\\n]",
    "\\u212a",
    "(?i:\\u017f)",
    "(?-u:\\xff)",
    "(?-u:[^a])",
    r"(?-u:\w)",
];

const LOOKS: &[&str] = &["^", "$", r"\b", r"\B", r"\A", r"\z"];

const REPETITIONS: &[&str] = &["*", "+", "?", "*?", "+?", "??", "{2}", "{0,2}", "{1,3}?", "{2,}", "{0,40}?"];

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(WORDS).prop_map(regex_syntax::escape)
}

/// A regular expression.
pub(super) fn expression() -> impl Strategy<Value = String> {
    let atom = prop_oneof![
        6 => word(),
        2 => word().prop_map(|word| format!("(?i:{word})")),
        3 => prop::sample::select(ATOMS).prop_map(str::to_owned),
        1 => prop::sample::select(LOOKS).prop_map(str::to_owned),
    ];
    let nested = atom.prop_recursive(3, 12, 4, |inner| {
        let parts = || prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            4 => parts().prop_map(|parts| parts.concat()),
            2 => parts().prop_map(|parts| format!("(?:{})", parts.join("|"))),
            2 => (inner.clone(), prop::sample::select(REPETITIONS))
                .prop_map(|(inner, times)| format!("(?:{inner}){times}")),
            1 => inner.clone().prop_map(|inner| format!("({inner})")),
        ]
    });
    (prop::sample::select(&["", "", "", "(?i)", "(?s)", "(?m)"]), nested)
        .prop_map(|(flags, nested)| format!("{flags}{nested}"))
}

#[derive(Debug, Clone, Copy)]
enum Demand {
    Forbid,
    Require,
    RequireSomewhere,
}

/// A pattern, how it is read, and what a contract demands with it.
fn demand() -> impl Strategy<Value = (String, Dialect, Demand)> {
    let pattern = prop_oneof![
        6 => expression().prop_map(|regex| (regex, Dialect::Regex)),
        1 => prop::collection::vec(prop::sample::select(WORDS), 1..4).prop_map(|words| (words.concat(), Dialect::Literal)),
    ];
    let demand = prop_oneof![
        6 => Just(Demand::Forbid),
        1 => Just(Demand::Require),
        1 => Just(Demand::RequireSomewhere),
    ];
    (pattern, demand).prop_map(|((pattern, dialect), demand)| (pattern, dialect, demand))
}

pub(super) fn content() -> impl Strategy<Value = Vec<u8>> {
    let words = || prop::sample::select(WORDS).prop_map(|word| word.as_bytes().to_vec());
    let plain = words().prop_filter("ASCII", |word| word.is_ascii());
    let piece = || prop::sample::select(PIECES).prop_map(<[u8]>::to_vec);
    let plain_piece = piece().prop_filter("ASCII", |piece| piece.is_ascii());
    prop_oneof![
        prop::collection::vec(prop_oneof![4 => plain, 1 => plain_piece], 0..40)
            .prop_map(|parts| parts.concat()),
        prop::collection::vec(prop_oneof![4 => words(), 1 => piece()], 0..40)
            .prop_map(|parts| parts.concat()),
    ]
}

pub(crate) fn contract(index: usize, check: Check) -> Contract {
    Contract {
        id: format!("c{index}"),
        form: Form::Flat,
        kind: Kind::ForbidPattern,
        check,
        glob: Glob::new("**").expect("a glob"),
        glob_line: 1,
        severity: Severity::Error,
        message: "m".to_owned(),
        rationale: None,
        enabled: true,
        tags: Vec::new(),
        examples: crate::contract::Examples::default(),
        origin: Origin { layer: LayerKind::Project, file: format!("c{index}.yaml").into() },
    }
}

/// All non-overlapping matches that are not empty, found the slow way.
pub(super) fn matches(pattern: &str, dialect: Dialect, text: &[u8]) -> Vec<std::ops::Range<usize>> {
    match dialect {
        Dialect::Literal => {
            let (mut found, mut at) = (Vec::new(), 0);
            while at + pattern.len() <= text.len() {
                if text[at..].starts_with(pattern.as_bytes()) {
                    found.push(at..at + pattern.len());
                    at += pattern.len();
                } else {
                    at += 1;
                }
            }
            found
        }
        Dialect::Regex => {
            let regex = meta::Builder::new()
                .configure(meta::Config::new().utf8_empty(false))
                .syntax(syntax::Config::new().multi_line(true).crlf(true).utf8(false))
                .build(pattern)
                .expect("a regular expression");
            regex.find_iter(text).map(|found| found.range()).filter(|range| !range.is_empty()).collect()
        }
    }
}

proptest! {
    #[test]
    fn the_matcher_finds_what_a_naive_search_finds(
        demands in prop::collection::vec(demand(), 1..14),
        content in content(),
    ) {
        let Some(text) = Text::new(content) else { return Ok(()) };
        let contracts = demands.iter().enumerate().map(|(index, (source, dialect, demand))| {
            let pattern = Pattern { source: source.clone(), dialect: *dialect, line: 1, needs: None };
            contract(index, match demand {
                Demand::Forbid => Check::Forbid(pattern),
                Demand::Require => Check::Require(pattern),
                Demand::RequireSomewhere => Check::RequireSomewhere(pattern),
            })
        });
        let options = Options { timeout: Duration::from_secs(3600), directives: Directives::Disregarded, limits: Limits::default() };
        let (matcher, warnings) = Matcher::new(contracts.collect(), options);
        prop_assert!(warnings.is_empty(), "{:?}", warnings);
        let path = RelPath::from("a.txt");
        let checked = matcher.check(&matcher.select(&path, None), &path, Some(&text));

        let (mut violations, mut satisfied) = (Vec::new(), Vec::new());
        for (index, (source, dialect, demand)) in demands.iter().enumerate() {
            let matches = matches(source, *dialect, text.bytes());
            match demand {
                Demand::Forbid => violations.extend(matches.into_iter().map(|range| {
                    let matched = String::from_utf8_lossy(&text.bytes()[range.clone()]).into_owned();
                    (format!("c{index}"), Some((text.region(range), matched)))
                })),
                Demand::Require if matches.is_empty() => violations.push((format!("c{index}"), None)),
                Demand::RequireSomewhere if !matches.is_empty() => satisfied.push(index),
                Demand::Require | Demand::RequireSomewhere => {}
            }
        }
        let found: Vec<_> = checked.violations.into_iter()
            .map(|violation| {
                let found = violation.found.map(|found| (found.region, found.text));
                (violation.contract.id.clone(), found)
            })
            .collect();
        prop_assert_eq!(found, violations);
        prop_assert_eq!(checked.satisfied, satisfied);
        prop_assert_eq!(checked.skipped, vec![]);
    }
}

/// Where `word` stands in `text` with, or without, `beside` next to it; none overlapping.
fn beside(text: &[u8], word: &str, (look, beside): (&str, &str)) -> Vec<std::ops::Range<usize>> {
    let holds = |range: &std::ops::Range<usize>| match look {
        "?=" => text[range.end..].starts_with(beside.as_bytes()),
        "?!" => !text[range.end..].starts_with(beside.as_bytes()),
        "?<=" => text[..range.start].ends_with(beside.as_bytes()),
        _ => !text[..range.start].ends_with(beside.as_bytes()),
    };
    let mut found: Vec<std::ops::Range<usize>> = Vec::new();
    for start in 0..text.len() {
        let range = start..start + word.len();
        let free = found.last().is_none_or(|last| last.end <= start);
        if free && text[start..].starts_with(word.as_bytes()) && holds(&range) {
            found.push(range);
        }
    }
    found
}

proptest! {
    #[test]
    fn look_around_is_right_on_any_bytes(
        word in prop::sample::select(WORDS),
        look in prop::sample::select(&["?=", "?!", "?<=", "?<!"]),
        other in prop::sample::select(WORDS),
        content in content(),
    ) {
        let Some(text) = Text::new(content) else { return Ok(()) };
        let (escaped, look_around) = (regex_syntax::escape(word), format!("({look}{})", regex_syntax::escape(other)));
        let ahead = matches!(look, "?=" | "?!");
        let source = if ahead { escaped + &look_around } else { look_around + &escaped };
        let pattern = Pattern { source, dialect: Dialect::Regex, line: 1, needs: None };
        let (pattern, _) = super::Pattern::new(&pattern, Duration::from_secs(3600)).expect("a pattern");
        let mut found = Vec::new();
        let all = 0..text.bytes().len();
        let within = Within { text: text.bytes(), charset: Charset::of(text.bytes()), windows: &[all] };
        let bounds = (Deadline::NEVER, &Budget::new(0));
        let finished = pattern.search(within, bounds, |range| {
            found.push(range);
            ControlFlow::Continue(())
        });
        prop_assert_eq!(finished, Ok(()));
        prop_assert_eq!(found, beside(text.bytes(), word, (look, other)));
    }
}
