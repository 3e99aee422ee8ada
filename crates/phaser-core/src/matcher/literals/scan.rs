//! Required literals of a pattern, read off its source without parsing it.
//!
//! A hook has one small text and hundreds of patterns, nearly all about something else. Parsing a pattern costs
//! about as much as searching 16 KB of text. This scan reads the source once, left to right, and allocates one
//! buffer. It returns the literals and the run that every match contains, in lower case:
//!
//! ```text
//! \bprint\(                        print(
//! (?i)(TODO|FIXME):                todo or fixme
//! ^\s*assert\b(?!.*,)              assert
//! SK[0-9a-fA-F]{32}                sk, and 32 of [0-9a-f]
//! [a-z]+                           nothing: must be parsed and searched
//! ```
//!
//! Look-around contributes no literal: what it requires is outside the match. A back-reference may be anything.
//!
//! # Soundness
//!
//! The [rules](super::rules) are those of a parsed pattern; only the reader differs. Everything is compared in
//! lower case, so flags like `(?i)` cannot hide a match. Texts with U+212A or U+017F, which fold to `k` and `s`,
//! are never rejected (see [`QuickReject`](crate::matcher::prefilter::quick_reject::QuickReject)).
//!
//! A scan that succeeds also proves the pattern valid and free of warnings, so a rejected pattern is never parsed
//! and nothing is left unreported. For that the reader knows the common constructs only and returns `None` for the
//! rest: `(?x)`, POSIX classes, named references, characters beyond ASCII, sizes near a limit of the engines.
//! Those patterns are parsed.

use super::ByteRun;
use crate::contract::syntax::MAX_PATTERN;
use crate::contract::{self, Dialect, RequiredLiterals};

mod reader;
mod slices;

use reader::PatternReader;
use slices::OneOf;

/// Cap on the size of a pattern with its repetitions written out. Below the limits of the engines.
const MAX_SIZE: usize = 2_000;

/// Cap on the estimated memory of a backtracking pattern, in bytes, times its groups. Below the limits of the
/// engine. `LARGE_CLASS` and `OTHER` are the estimates for a large class and for any other piece.
const MAX_COMPILED: usize = 8 * 1024 * 1024;
const LARGE_CLASS: usize = 64 * 1024;
const OTHER: usize = 1024;

/// The literals and the run that every match contains. `Some` also proves that the pattern is valid.
pub fn required_literals(pattern: &contract::Pattern) -> Option<RequiredLiterals> {
    match pattern.dialect {
        Dialect::Literal => Some(RequiredLiterals {
            texts: vec![pattern.source.to_ascii_lowercase().into_bytes().into()],
            run: None,
        }),
        Dialect::Regex => {
            let scanned = ScannedPattern::of(&pattern.source)?;
            Some(RequiredLiterals {
                texts: scanned.texts(),
                run: scanned.run.map(|run| (run.bytes.to_bits(), run.count)),
            })
        }
    }
}

/// The facts about a pattern, in lower case.
#[derive(Debug)]
struct ScannedPattern {
    letters: Vec<u8>,
    held: Option<OneOf>,
    run: Option<ByteRun>,
}

impl ScannedPattern {
    /// `None` if the pattern uses a construct that the reader does not know.
    fn of(pattern: &str) -> Option<Self> {
        let is_plain = |byte: u8| matches!(byte, b' '..=b'~');
        if pattern.len() > MAX_PATTERN || !pattern.bytes().fold(true, |plain, byte| plain & is_plain(byte)) {
            return None;
        }
        let mut reader = PatternReader::new(pattern.as_bytes());
        let mut part = reader.alternatives()?;
        let size = part.measure;
        let is_small = if reader.backtracks {
            let compiled =
                size.large.saturating_mul(LARGE_CLASS).saturating_add(size.pieces.saturating_mul(OTHER));
            compiled.saturating_mul(reader.groups + 1) <= MAX_COMPILED
        } else {
            // A class that may be negated twice is parsed with Unicode, where it is larger.
            reader.negates != [true; 2]
        };
        let is_whole = reader.rest.is_empty() && size.pieces <= MAX_SIZE && is_small;
        is_whole.then(|| Self { letters: reader.letters, held: part.choice(), run: part.run })
    }

    /// Literals of which every match contains one; empty if there are none.
    fn texts(&self) -> Vec<Box<[u8]>> {
        self.held.map(|held| held.texts(&self.letters)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::matcher::limits::{Budget, Effort};
    use crate::matcher::literals::byte_set::ByteSet;
    use crate::matcher::pattern::linear::Charset;
    use crate::matcher::pattern::{CompiledPattern, Haystack, Unfinished};
    use crate::matcher::prefilter::quick_reject::QuickReject;
    use std::ops::{ControlFlow, Range};
    use std::time::Duration;

    fn texts(pattern: &str) -> Option<Vec<String>> {
        let text = |text: Box<[u8]>| String::from_utf8(text.into()).expect("text");
        Some(ScannedPattern::of(pattern)?.texts().into_iter().map(text).collect())
    }

    fn one(pattern: &str) -> String {
        texts(pattern).unwrap_or_default().join("|")
    }

    #[test]
    fn takes_the_longest_literal() {
        assert_eq!(one("foobar"), "foobar");
        assert_eq!(one(r"\bprint\("), "print(");
        assert_eq!(
            one(r#"(?i)[\w.-]{0,50}?(?:Adafruit)(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=)"#),
            "adafruit"
        );
        assert_eq!(one(r"ab+cde?fgh"), "bcd");
        assert_eq!(one(r"ab(?:c(d))ef+|x(?:yz)+(?:0|1)"), "abcdef|xyz");
        assert_eq!(one(r"(TODO|FIXME):"), "todo|fixme");
        assert_eq!(one(r"foo|barbaz"), "foo|barbaz");
        assert_eq!(one(r"(?:a(?:bcd|efgh){2})+x"), "bcd|efgh");
        assert_eq!(one(r"\x41KI\x41\.[0-9A-Z]{16}\b"), "akia.");
        assert_eq!(one(r"^import\s+os$"), "import");
        assert_eq!(one(r"(?P<n_1>foo)\z"), "foo");
        assert_eq!(one(r"\{\{foo}}"), "{{foo}}");
        assert_eq!(one(r"(?im)^the\ \#foo$"), "the #foo");
        assert_eq!(one(r"x(?s)(?<n>foo)\z"), "xfoo");
    }

    #[test]
    fn takes_the_rarest_run() {
        let run = |pattern| ScannedPattern::of(pattern).and_then(|scanned| scanned.run);
        let of = |bytes: &[u8], count| {
            let bytes = bytes.iter().fold(ByteSet::EMPTY, |set, byte| set.with(*byte));
            Some(ByteRun { bytes, count })
        };
        let hex = b"0123456789abcdef";
        assert_eq!(run("SK[0-9a-fA-F]{32}"), of(hex, 32));
        assert_eq!(run("(?i)(?:[A-F0-9]{20,}|x[0-9]{16})+"), of(hex, 16));
        assert_eq!(run(r"[\w-]{90}[0-9]{40}"), of(b"0123456789", 40));
        assert_eq!(run("X{16}"), of(b"x", 16));
        let word = ByteSet::HIGH.union(of(b"_0123456789abcdefghijklmnopqrstuvwxyz", 0).expect("a run").bytes);
        assert_eq!(run(r"\w{20}"), Some(ByteRun { bytes: word, count: 20 }));
        for none in
            ["[0-9]{15}", "(?:[0-9]{20})?", "[0-9]{20}|x", ".{20}", "[^a]{20}", r"\S{20}", "[0-9]{0,20}"]
        {
            assert_eq!(run(none), None, "{none}");
        }
    }

    #[test]
    fn ignores_parts_that_may_be_absent() {
        for pattern in
            ["(?:foo)?", "(foo)*", "foo|b?", "(foo|)", "(?:foo){0,3}", "o*", "[foo]", r"\w+", ".o?"]
        {
            assert_eq!(texts(pattern), Some(vec![]), "{pattern}");
        }
    }

    #[test]
    fn gives_up_on_unknown_constructs() {
        for pattern in [
            "(foo",
            "foo)",
            "foo**",
            "foo{2",
            "foo{2,1}",
            "foo{,2}",
            "[foo",
            "[b-a]foo",
            r"[\w-a]foo",
            "*foo",
            r"foo\",
            r"foo\q",
            r"foo\1",
            r"foo\Z",
            r"foo\r$",
            r"foo\r(?>$)",
            r"foo\r+",
            r"foo(x)\2",
            r"(foo\1)",
            r"(?P<n>foo)\1",
            "(?(1)foo|bar)",
            r"\10foo",
            "(?=foo)*bar",
            "foo(?:)++",
            "foo(?:^)+",
            r"foo(?=\w{500})",
            "(?x)foo bar",
            "(?P<n>foo)(?P<n>x)",
            "(?P<1>foo)",
            "(?<n>foo)(?<n>x)",
            "(?ii)foo",
            "(?mx)foo",
            "(?)foo",
            "(?i",
            "föö",
            "foo+++",
            "[[:alpha:]]foo",
            r"[^\S]foo",
            r"[^a]\Wfoo",
            "foo{2000,}[a]{2000}",
            "(?:foo{40}){60}",
            "[a-z]{2001}foo",
            "^*foo",
            "foo\tbar",
        ] {
            assert_eq!(texts(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn takes_nothing_from_look_around() {
        for (pattern, text) in [
            (r"^\s*assert\b(?!.*,)", "assert"),
            (r"(?<!x)foo(?=bar)baz", "foobaz"),
            (r"(['a])password\1", "password"),
            (r"(?>foo)++bar", "oobar"),
            ("(?=foo)", ""),
        ] {
            assert_eq!(one(pattern), text, "{pattern}");
        }
    }

    fn fragments(of: &'static [&'static str], most: usize) -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(of), 0..most).prop_map(|parts| parts.concat())
    }

    const PATTERN: &[&str] = &[
        "abc",
        "AnchorKind",
        "s",
        "k",
        "x",
        "abc",
        "(",
        ")",
        "(?:",
        "(?i)",
        "(?i:",
        "(?-i:",
        "(?s:",
        "|",
        "*",
        "+",
        "?",
        "{2}",
        "{1,}",
        "{0,2}",
        "{2,1}",
        "{",
        "}",
        "[",
        "]",
        "[a-c]",
        "[^a]",
        "[-a]",
        "[a-]",
        "[]",
        "[^]]",
        "[\\w-]",
        "[a&&b]",
        "[a--b]",
        "^",
        "$",
        ".",
        "\\b",
        "\\w",
        "\\S",
        "\\x41",
        "\\xe9",
        "\\.",
        "\\-",
        "\\/",
        "\\_",
        "\\<",
        "\\n",
        "\\ ",
        "-",
        "#",
        " ",
        "&",
        "~",
        "<",
        "'",
        "!",
        "{1000}",
        "(?P<a>",
        "(?=",
        "(?!",
        "(?<=",
        "(?<!",
        "(?>",
        "++",
        "(x)",
        "\\r",
        "\\1",
        "\\2",
        "\\Z",
        "}}",
        "(?P<_b1>",
        "(?<_c1>",
        "(?m)",
        "(?si)",
        "(?ii)",
        "\\ ",
        "\\#",
        "[0-9A-F]{16}",
        "\\w{20}",
        "\\d{16,}",
        "\\s{16}",
        "X{16}",
        "[\\w.]{17}",
    ];

    const TEXT: &[&str] = &[
        "abc",
        "ABC",
        "key",
        "KEY",
        "s",
        "k",
        "x",
        "a",
        "b",
        "c",
        "A",
        " ",
        "\n",
        ".",
        "-",
        "/",
        "é",
        "_",
        "&",
        "~",
        "0123456789aBcDeF",
        "xxxxxxxxxxxxxxxX",
        "ééééééééé",
        "                ",
        "٠١٢٣٤٥٦٧٨٩٠١٢٣٤٥",
        "}",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn rejects_only_valid_patterns_without_match(
            source in fragments(PATTERN, 9),
            content in fragments(TEXT, 12),
        ) {
            let quick = QuickReject::new(content.as_bytes(), usize::MAX).expect("small and usual");
            let pattern = contract::Pattern { source, dialect: Dialect::Regex, line: 1, literals: None };
            if let Some(literals) = required_literals(&pattern) {
                let (parsed, notes) = CompiledPattern::new(&pattern).map_err(|error| {
                    TestCaseError::fail(format!("{:?}: {error}", pattern.source))
                })?;
                prop_assert_eq!(notes, Vec::<&str>::new());
                let possible = quick.may_match(&literals);
                prop_assert!(possible || !matches(&parsed, &content), "{:?} in {:?}", pattern.source, content);
            }
        }
    }

    fn matches(pattern: &CompiledPattern, content: &str) -> bool {
        let all = [Range { start: 0, end: content.len() }];
        let within = Haystack { text: content.as_bytes(), charset: Charset::Any, windows: &all };
        let mut matches = false;
        let (deadline, budget) = (crate::deadline::Deadline::NEVER, Budget::new(0));
        let effort = Effort { timeout: Duration::from_secs(60), deadline, budget: &budget };
        let finished = pattern.search(&within, &effort, |_| {
            matches = true;
            ControlFlow::Break(())
        });
        assert!(matches!(finished, Ok(()) | Err(Unfinished::TooLarge)));
        matches
    }
}
