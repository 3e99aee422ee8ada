//! The pass is linear for any text. Counts steps, not time.

use super::super::{Language, lexer};
use super::FRAGMENTS;

/// The limit of steps per byte.
const MOST: usize = 40;

/// The steps allowed for any text.
const MOST_ANYWAY: usize = 128 * 1024;

fn repeated(nasty: &str, length: usize) -> Vec<u8> {
    nasty.bytes().cycle().take(length).collect()
}

/// Languages in which a text takes too many steps.
fn slow<'t>(text: &'t [u8]) -> impl Iterator<Item = (&'static str, usize)> + 't {
    Language::all().filter_map(move |language| {
        let (_, steps) = lexer::zones(language, text);
        (steps > MOST * text.len() + MOST_ANYWAY).then(|| (language.name(), steps / text.len()))
    })
}

/// A quadratic pass would take hundreds of steps per byte at this length.
#[test]
fn no_repeated_text_takes_many_steps() {
    for nasty in FRAGMENTS {
        assert_eq!(slow(&repeated(nasty, 1 << 12)).collect::<Vec<_>>(), [], "{nasty:?}");
    }
}

#[test]
fn no_pair_of_texts_takes_many_steps() {
    let pairs = FRAGMENTS.iter().flat_map(|first| FRAGMENTS.iter().map(move |second| (first, second)));
    for (first, second) in pairs.step_by(457) {
        let mixed = repeated(&format!("{first}{second}"), 1 << 12);
        let halves = [repeated(first, 1 << 11), repeated(second, 1 << 11)].concat();
        for text in [mixed, halves] {
            assert_eq!(slow(&text).collect::<Vec<_>>(), [], "{first:?} {second:?}");
        }
    }
}

/// Deep nesting is read to its end without recursion.
#[test]
fn deep_nesting_needs_no_stack() {
    let nested = [
        ("a.js", "`${", "}`"),
        ("a.rb", "\"#{", "}\""),
        ("a.py", "f'{", "}'"),
        ("a.sh", "\"$(", ")\""),
        ("a.tsx", "<a>{", "}</a>"),
        ("a.swift", "\"\\(", ")\""),
        ("a.rs", "/*", "*/"),
        ("a.yaml", "[", "]"),
    ];
    for (path, open, close) in nested {
        let text = format!("{}x{}", open.repeat(100_000), close.repeat(100_000));
        let language = Language::of(path.as_bytes(), b"").expect("is known");
        let (zones, steps) = lexer::zones(language, text.as_bytes());
        assert_eq!(zones.iter().last().map(|(range, _)| range.end), Some(text.len()), "{path}");
        assert!(steps <= MOST * text.len() + MOST_ANYWAY, "{path}: {steps} steps");
    }
}
