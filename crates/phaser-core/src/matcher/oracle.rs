//! The matcher against a naive search: each pattern compiled alone, with Unicode, run over the whole text. The two
//! must agree on every path through the matcher: in a hook, cold, warm, on short and long texts, on invalid UTF-8,
//! and with look-around.

use std::ops::{ControlFlow, Range};
use std::time::Duration;

use proptest::prelude::*;
use regex_automata::meta;
use regex_automata::util::syntax;

use super::check::MAX_MATCHES;
use super::limits::Budget;
use super::pattern::Haystack;
use super::pattern::dialect::{TranslationPurpose, translate};
use super::pattern::linear::Charset;
use super::*;

use crate::contract::{Check, Dialect, Pattern};
use crate::deadline::Deadline;
use crate::skipped::{SkipReason, Skipped};
use crate::text::{Region, Text};

pub use crate::testing::contract;

/// All non-empty, non-overlapping matches, found naively.
pub(super) fn matches(pattern: &str, dialect: Dialect, text: &[u8]) -> Vec<Range<usize>> {
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
                .configure(meta::Config::new().utf8_empty(false).nfa_size_limit(None))
                .syntax(syntax::Config::new().multi_line(true).crlf(true).utf8(false))
                .build(pattern)
                .expect("a regular expression");
            regex.find_iter(text).map(|found| found.range()).filter(|range| !range.is_empty()).collect()
        }
    }
}

/// The text as patterns see it, with the file offset of each of its bytes.
fn seen(bytes: &[u8]) -> (Vec<u8>, Vec<usize>) {
    let (mut seen, mut places, mut at) = (Vec::new(), Vec::new(), 0);
    while at < bytes.len() {
        let is_char = |length: &usize| {
            bytes.get(at..at + length).is_some_and(|bytes| std::str::from_utf8(bytes).is_ok())
        };
        match (1..=4).find(is_char) {
            Some(length) => {
                seen.extend_from_slice(&bytes[at..at + length]);
                places.extend(at..at + length);
                at += length;
            }
            None => {
                seen.extend_from_slice("\u{FFFD}".as_bytes());
                places.extend([at; 3]);
                at += 1;
            }
        }
    }
    (seen, places)
}

/// The matches of the naive search as ranges of the file, without leading white space.
fn places(pattern: &str, dialect: Dialect, bytes: &[u8]) -> Vec<Range<usize>> {
    let (seen, places) = seen(bytes);
    let matches =
        if translate(pattern, TranslationPurpose::Search).is_ok_and(|made| made.backtracks.is_some()) {
            backtracked(pattern, std::str::from_utf8(&seen).expect("is UTF-8 now"))
        } else {
            matches(pattern, dialect, &seen)
        };
    let in_file = |range: Range<usize>| {
        let whole = places[range.start]..places[range.end - 1] + 1;
        let (inside, inside_places) = self::seen(&bytes[whole.clone()]);
        let inside = String::from_utf8(inside).expect("is UTF-8 now");
        let visible = inside.char_indices().find(|(_, c)| !c.is_whitespace());
        whole.start + visible.map_or(0, |(at, _)| inside_places[at])..whole.end
    };
    matches.into_iter().map(in_file).collect()
}

/// All non-empty matches of the backtracking engine.
fn backtracked(pattern: &str, text: &str) -> Vec<Range<usize>> {
    let regex = translate(pattern, TranslationPurpose::Backtracking).expect("translates").regex;
    let regex = fancy_regex::RegexBuilder::new(&regex).multi_line(true).crlf(true).build().expect("is valid");
    let (mut found, mut at) = (Vec::new(), 0);
    while at <= text.len() {
        if !text.is_char_boundary(at) {
            at += 1;
            continue;
        }
        let Some(next) = regex.find_from_pos(text, at).expect("few steps") else { break };
        at = next.end().max(next.start() + 1);
        found.extend(Some(next.range()).filter(|range| !range.is_empty()));
    }
    found
}

/// A path through the matcher.
#[derive(Debug, Clone, Copy)]
enum Road {
    /// With a deadline, and one text.
    Hook,
    /// The first text of a selection.
    Cold,
    /// A later text of a selection.
    Warm,
}

type Seen = (String, Option<(Region, String)>);

/// The matcher's result; `None` if a pattern is too large for the text.
fn found(contracts: Vec<Contract>, text: &Text<'_>, road: Road) -> Option<(Vec<Seen>, Vec<usize>)> {
    let options = Options::new(Duration::from_secs(3600), Directives::Disregarded);
    let path = RelPath::from("a.txt");
    let matcher = match road {
        Road::Hook => {
            let limits = Limits { deadline: Deadline::after(Duration::from_secs(3600)), ..Limits::default() };
            Matcher::new(contracts, Options { limits, ..options })
        }
        Road::Cold | Road::Warm => Matcher::validated(contracts, options).0,
    };
    let selection = matcher.select(&path, None);
    if matches!(road, Road::Warm) {
        selection.warm_up(&matcher);
    }
    let checked = matcher.check(&selection, &path, Some(text));
    let is_too_large = |skipped: &Skipped| matches!(skipped.why, SkipReason::TooComplex { .. });
    if !checked.skipped.is_empty() && checked.skipped.iter().all(is_too_large) {
        return None;
    }
    assert_eq!((checked.skipped, matcher.warnings()), (vec![], vec![]));
    let shown = checked.violations.into_iter().map(|violation| {
        let found = violation.found.map(|found| (found.region, start_of(&found.text)));
        (violation.contract.id.clone(), found)
    });
    let mut shown: Vec<_> = shown.collect();
    shown.sort();
    Some((shown, checked.satisfied))
}

/// The start of a matched text. A violation carries no more of a long one.
fn start_of(matched: &str) -> String {
    matched.chars().take(200).collect()
}

/// The result of the naive search.
fn expected(demands: &[(String, Dialect, Demand)], text: &Text<'_>) -> (Vec<Seen>, Vec<usize>) {
    let (mut violations, mut satisfied) = (Vec::new(), Vec::new());
    for (index, (source, dialect, demand)) in demands.iter().enumerate() {
        let places = places(source, *dialect, text.bytes());
        match demand {
            Demand::Forbid => violations.extend(places.into_iter().take(MAX_MATCHES).map(|range| {
                let matched = start_of(&String::from_utf8_lossy(&text.bytes()[range.clone()]));
                (format!("c{index}"), Some((text.region(range), matched)))
            })),
            Demand::Require if places.is_empty() => violations.push((format!("c{index}"), None)),
            Demand::RequireSomewhere if !places.is_empty() => satisfied.push(index),
            Demand::Require | Demand::RequireSomewhere => {}
        }
    }
    violations.sort();
    (violations, satisfied)
}

fn contracts(demands: &[(String, Dialect, Demand)]) -> Vec<Contract> {
    let check = |(source, dialect, demand): &(String, Dialect, Demand)| {
        let pattern = Pattern { source: source.clone(), dialect: *dialect, line: 1, literals: None };
        match demand {
            Demand::Forbid => Check::forbid(pattern),
            Demand::Require => Check::require(pattern),
            Demand::RequireSomewhere => Check::require_somewhere(pattern),
        }
    };
    demands.iter().map(check).enumerate().map(|(index, check)| contract(index, check)).collect()
}

proptest! {
    #[test]
    fn matcher_equals_naive_search(
        demands in prop::collection::vec(demand(), 1..14),
        content in content(),
        road in prop::sample::select(&[Road::Hook, Road::Cold, Road::Warm]),
    ) {
        let Some(text) = Text::new(content) else { return Ok(()) };
        let Some(found) = found(contracts(&demands), &text, road) else { return Ok(()) };
        prop_assert_eq!(found, expected(&demands, &text));
    }

    #[test]
    fn look_around_equals_naive_search(
        sources in prop::collection::vec(with_look_around(), 1..6),
        content in content(),
        road in prop::sample::select(&[Road::Hook, Road::Cold, Road::Warm]),
    ) {
        let Some(text) = Text::new(content) else { return Ok(()) };
        let demands: Vec<_> =
            sources.into_iter().map(|source| (source, Dialect::Regex, Demand::Forbid)).collect();
        let Some(found) = found(contracts(&demands), &text, road) else { return Ok(()) };
        prop_assert_eq!(found, expected(&demands, &text));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn long_texts_equal_naive_search(
        demands in prop::collection::vec(demand(), 1..4),
        content in content(),
        filler in prop::sample::select(&["lorem ipsum dolor\n", "-", " \t", "\n\n", "x\u{E9} "]),
        road in prop::sample::select(&[Road::Hook, Road::Cold, Road::Warm]),
    ) {
        let filler = filler.repeat(300 * 1024 / filler.len());
        let Some(text) = Text::new([filler.as_bytes(), &content, filler.as_bytes()].concat()) else { return Ok(()) };
        let expected = expected(&demands, &text);
        let many = |(id, _): &Seen| expected.0.iter().filter(|(other, _)| other == id).count() >= MAX_MATCHES;
        prop_assume!(!expected.0.iter().any(many));
        prop_assume!(!demands.iter().any(|(source, ..)| matches_empty(source)));
        let Some(found) = found(contracts(&demands), &text, road) else { return Ok(()) };
        prop_assert_eq!(found, expected);
    }
}

/// Whether a pattern can match the empty string. Searching a long text for one naively takes too long.
fn matches_empty(pattern: &str) -> bool {
    meta::Regex::new(pattern).is_ok_and(|regex| regex.is_match(""))
        || regex_syntax::parse(pattern).map_or(true, |hir| hir.properties().minimum_len() == Some(0))
}

/// The ranges of `word` in `text` with, or without, `beside` next to it, not overlapping.
fn beside(text: &[u8], word: &str, (look, beside): (&str, &str)) -> Vec<Range<usize>> {
    let holds = |range: &Range<usize>| match look {
        "?=" => text[range.end..].starts_with(beside.as_bytes()),
        "?!" => !text[range.end..].starts_with(beside.as_bytes()),
        "?<=" => text[..range.start].ends_with(beside.as_bytes()),
        _ => !text[..range.start].ends_with(beside.as_bytes()),
    };
    let mut found: Vec<Range<usize>> = Vec::new();
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
    fn look_around_works_on_any_bytes(
        word in prop::sample::select(WORDS),
        look in prop::sample::select(&["?=", "?!", "?<=", "?<!"]),
        other in prop::sample::select(WORDS),
        content in content(),
    ) {
        let Some(text) = Text::new(content) else { return Ok(()) };
        let (escaped, look_around) = (regex_syntax::escape(word), format!("({look}{})", regex_syntax::escape(other)));
        let ahead = matches!(look, "?=" | "?!");
        let source = if ahead { escaped + &look_around } else { look_around + &escaped };
        let pattern = Pattern { source, dialect: Dialect::Regex, line: 1, literals: None };
        let (pattern, _) = super::CompiledPattern::new(&pattern).expect("a pattern");
        let mut found = Vec::new();
        let (bytes, budget) = (seen(text.bytes()).0, Budget::new(0));
        let all = 0..bytes.len();
        let within = Haystack { text: &bytes, charset: Charset::of(&bytes), windows: &[all] };
        let effort = Effort { timeout: Duration::from_secs(3600), deadline: Deadline::NEVER, budget: &budget };
        let finished = pattern.search(&within, &effort, |range| {
            found.push(range);
            ControlFlow::Continue(())
        });
        prop_assert_eq!(finished, Ok(()));
        prop_assert_eq!(found, beside(&bytes, word, (look, other)));
    }
}

/// Shared by patterns and texts, so that they match often.
pub(super) const WORDS: &[&str] = &[
    "foo", "bar", "key", "skill", "Pass", "sk-", "ab", "oo", "x", "k", "s", "_", "7", "42", "0a1", "::", "=",
    " ", "\t", "é", "ſ", "\u{212A}", "ß", "日本",
];

/// Parts of texts that no word covers.
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

/// Expressions with the same meaning in Python and here.
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

pub fn expression() -> impl Strategy<Value = String> {
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
pub enum Demand {
    Forbid,
    Require,
    RequireSomewhere,
}

/// A pattern, its dialect, and what a contract demands of it.
pub fn demand() -> impl Strategy<Value = (String, Dialect, Demand)> {
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

pub fn content() -> impl Strategy<Value = Vec<u8>> {
    let words: Vec<&[u8]> = WORDS.iter().map(|word| word.as_bytes()).collect();
    let plain = |all: &[&'static [u8]]| all.iter().copied().filter(|one| one.is_ascii()).collect::<Vec<_>>();
    let text = |words: Vec<&'static [u8]>, pieces: Vec<&'static [u8]>| {
        let part = prop_oneof![4 => prop::sample::select(words), 1 => prop::sample::select(pieces)];
        prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
    };
    prop_oneof![text(plain(&words), plain(PIECES)), text(words, PIECES.to_vec())]
}

/// An expression with look-around or a back-reference.
pub fn with_look_around() -> impl Strategy<Value = String> {
    let looks = &["(?=", "(?!", "(?<=", "(?<!"];
    let part = || prop_oneof![3 => word(), 1 => prop::sample::select(PLAIN_ATOMS).prop_map(str::to_owned)];
    let repeated = (part(), prop::sample::select(&["", "", "+", "*?", "{0,2}"]))
        .prop_map(|(part, times)| format!("(?:{part}){times}"));
    let piece = prop_oneof![
        3 => repeated,
        2 => (prop::sample::select(looks), part(), part())
            .prop_map(|(look, one, other)| format!("{look}{one}{other})")),
        1 => part().prop_map(|part| format!("({part})x?(?:\\1)")),
        1 => part().prop_map(|part| format!("(?>{part}+)")),
    ];
    let flags = prop::sample::select(&["", "(?i)", "(?s)"]);
    let end = prop_oneof![
        1 => Just("(?!zzz)".to_owned()),
        1 => (part(), part()).prop_map(|(one, other)| format!("(?={one}{other})")),
    ];
    (flags, prop::collection::vec(piece, 1..4), part(), end).prop_map(|(flags, pieces, last, end)| {
        // Back-references are to group 1, so at most one piece has a group.
        let (refers, others): (Vec<_>, Vec<_>) = pieces.into_iter().partition(|piece| piece.ends_with("1)"));
        let refers = refers.into_iter().next().unwrap_or_default();
        format!("{flags}{}{refers}{last}{end}", others.concat())
    })
}

/// Atoms that both engines know.
const PLAIN_ATOMS: &[&str] =
    &[r"\w", r"\d", r"\s", r"\S", r"\W", ".", r"[\s\S]", "[^o]", "[k-s]", r"\b", "^", "$", r"\n", "[^\\n]"];
