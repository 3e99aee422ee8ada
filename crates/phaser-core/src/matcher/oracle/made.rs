//! Random patterns and texts for the comparison with the naive search.

use proptest::prelude::*;

use crate::contract::Dialect;

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
