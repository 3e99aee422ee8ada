use std::time::Duration;

use proptest::prelude::*;

use super::judge::EditSpan;
use super::trials::applied;
use super::*;
use crate::contract::{Check, Dialect, FixTemplate, Pattern};
use crate::matcher::{self, Directives, oracle};
use crate::path::RelPath;

/// A contract with the id `c{index}` that forbids a pattern.
fn forbid(index: usize, pattern: &str, fix: Option<&str>) -> Contract {
    let pattern = Pattern { source: pattern.to_owned(), dialect: Dialect::Regex, line: 1, literals: None };
    let fix = fix.map(|template| Box::new(FixTemplate::new(template, 2)));
    Contract { fix, ..oracle::contract(index, Check::forbid(pattern)) }
}

fn matcher(contracts: Vec<Contract>) -> Matcher {
    let options = matcher::Options::new(Duration::from_secs(3600), Directives::Honoured);
    let (matcher, warnings) = Matcher::validated(contracts, options);
    assert_eq!(warnings, []);
    matcher
}

fn fix_text(matcher: &Matcher, text: &[u8]) -> FixResult {
    let path = RelPath::from("a.py");
    let text = Text::new(text).expect("is text");
    Fixer::new(matcher).fix(FileNames { path: &path, alias: None }, &text, [])
}

/// The fixed text, and the reason for each violation that stays.
fn fixed_and_left(contracts: Vec<Contract>, text: &str) -> (String, Vec<String>) {
    let result = fix_text(&matcher(contracts), text.as_bytes());
    let left = result.left.iter().map(|left| format!("{}: {}", left.violation.contract.id, left.why));
    (String::from_utf8(result.text).expect("is text"), left.collect())
}

fn fixed(contracts: Vec<Contract>, text: &str) -> String {
    let (text, left) = fixed_and_left(contracts, text);
    assert_eq!(left, [""; 0]);
    text
}

#[test]
fn replaces_match_by_template() {
    assert_eq!(fixed(vec![forbid(0, "foo", Some("bar"))], "foo x foo"), "bar x bar");
    assert_eq!(
        fixed(vec![forbid(0, r"(\w+) == None", Some("$1 is None"))], "if a == None:"),
        "if a is None:"
    );
    assert_eq!(fixed(vec![forbid(0, r"(?P<a>\w)/(?P<b>\w)", Some("${b}.${a}0 $$"))], "x/y"), "y.x0 $");
    assert_eq!(fixed(vec![forbid(0, r"(a)|(b)", Some("<$1$2$0>"))], "q").as_str(), "q");
    assert_eq!(fixed(vec![forbid(0, r"(?<=x)(a)\1", Some("[$1]"))], "xaa yaa"), "x[a] yaa");
    assert_eq!(fixed(vec![forbid(0, r"[ \t]+$", Some(""))], "a \nb\t\n"), "a\nb\n");
}

#[test]
fn replaces_leading_white_space_too() {
    assert_eq!(fixed(vec![forbid(0, r"\s+== None", Some(" is None"))], "a  == None"), "a is None");
    assert_eq!(fixed(vec![forbid(0, r"^(\s*)print\b", Some("${1}log"))], "\n\n  print x"), "\n\n  log x");
}

#[test]
fn keeps_line_endings_and_invalid_bytes() {
    assert_eq!(fixed(vec![forbid(0, "foo", Some("a\nb"))], "foo\r\nx\r\n"), "a\r\nb\r\nx\r\n");
    assert_eq!(fixed(vec![forbid(0, r"(?m)a$", Some("b"))], "a\r\na"), "b\r\nb");
    let bytes = fix_text(&matcher(vec![forbid(0, "(.)=(.)", Some("$2:$1"))]), b"\xFF=\xE9 \x80");
    assert_eq!(bytes.text, b"\xE9:\xFF \x80");
}

#[test]
fn keeps_text_that_still_matches() {
    for (pattern, fix, text) in
        [("foo", "foo2", "foo"), ("a+", "$0", "aa"), ("ab", "", "aabb"), ("a", "aa", "a")]
    {
        let (result, left) = fixed_and_left(vec![forbid(0, pattern, Some(fix))], text);
        assert_eq!((result.as_str(), left), (text, vec!["c0: the result would still match".to_owned()]));
    }
}

#[test]
fn skips_fix_that_violates_another_contract() {
    let contracts = || vec![forbid(0, "foo(.?)", Some("bar$1")), forbid(1, "bar!", None)];
    let (text, left) = fixed_and_left(contracts(), "foo. foo! bar! foo?");
    assert_eq!(text, "bar. foo! bar! bar?");
    assert_eq!(left, ["c0: would violate c1"]);
    let (text, _) = fixed_and_left(vec![forbid(0, "a", Some("")), required(1, "a")], "a b a");
    assert_eq!(text, " b a", "one is needed");
}

fn required(index: usize, pattern: &str) -> Contract {
    let pattern = Pattern { source: pattern.to_owned(), dialect: Dialect::Regex, line: 1, literals: None };
    oracle::contract(index, Check::require(pattern))
}

#[test]
fn skips_fix_that_detaches_directive() {
    let contracts = || vec![forbid(0, "foo", None), forbid(1, "; ", Some("\n"))];
    let text = "foo; x  # phaser:ignore c0\n";
    assert_eq!(fixed_and_left(contracts(), text), (text.to_owned(), vec!["c1: would violate c0".to_owned()]));
    assert_eq!(
        fixed(vec![forbid(0, "foo", Some("bar"))], "foo  # phaser:ignore c0\n"),
        "foo  # phaser:ignore c0\n"
    );
}

#[test]
fn applies_overlapping_fixes_in_turn() {
    let contracts = vec![forbid(0, "ab", Some("x")), forbid(1, "bc", Some("y"))];
    assert_eq!(fixed(contracts, "abc bc"), "xc y");
    let contracts = vec![forbid(0, "ab", Some("abab")), forbid(1, "b", Some("y"))];
    assert_eq!(fixed(contracts, "ab"), "ay", "the first one is refused");
    let contracts = vec![forbid(0, "ab+", Some("x")), forbid(1, "bb", Some("y")), forbid(2, "xc", None)];
    assert_eq!(fixed_and_left(contracts, "abbc").0, "ayc", "the first one would violate another contract");
}

#[test]
fn fixes_more_matches_than_reported() {
    let text = "ab ".repeat(2_500);
    assert_eq!(fixed(vec![forbid(0, "ab", Some("c"))], &text), "c ".repeat(2_500));
}

#[test]
fn ends_after_max_rounds() {
    let contracts = vec![forbid(0, "a(b*)", Some("c${1}b")), forbid(1, "c(b*)", Some("a${1}b"))];
    let ended = fix_text(&matcher(contracts), b"a");
    assert!(ended.text.len() <= 1 + MAX_ROUNDS && ended.applied.len() <= MAX_ROUNDS, "{ended:?}");
}

#[test]
fn keeps_spared_violation_with_its_line() {
    let path = RelPath::from("a.py");
    let matcher = matcher(vec![forbid(0, "foo", Some("bar")), forbid(1, "== None", Some("is None"))]);
    let bytes = b"foo\nfoo == None\nx == None\n";
    let text = Text::new(&bytes[..]).expect("is text");
    let checked = matcher.check(&matcher.select(&path, None), &path, Some(&text));
    let spared =
        checked.violations.iter().find(|one| one.found.as_ref().expect("a place").region.start.line == 2);
    let result = Fixer::new(&matcher).fix(FileNames { path: &path, alias: None }, &text, spared);
    assert_eq!(String::from_utf8_lossy(&result.text), "bar\nfoo == None\nx is None\n");
    assert_eq!(result.left[0].why, WhyLeft::WouldViolate("c0".to_owned()), "its line would be another one");
}

/// Small contracts and texts whose fixes interfere.
fn world() -> impl Strategy<Value = (Vec<Contract>, Vec<u8>)> {
    let pattern = prop::sample::select(vec![
        "a", "b+", "(a)(b)", "c$", "^a", "(b)c?", "[ab]c", r"a\nb", "(?<=a)b", r"\s+$", "ca",
    ]);
    let fix = prop::sample::select(vec![
        None,
        Some(""),
        Some("c"),
        Some("$0c"),
        Some("b"),
        Some("\n"),
        Some("ca"),
        Some("d"),
    ]);
    let contract = (pattern, fix);
    let contracts = prop::collection::vec(contract, 1..5).prop_map(|all| {
        let one = |(index, (pattern, fix))| forbid(index, pattern, fix);
        all.into_iter().enumerate().map(one).collect::<Vec<_>>()
    });
    let piece = prop::sample::select(vec![
        "a",
        "b",
        "c",
        "d",
        " ",
        "\n",
        "\r\n",
        "ab",
        "# phaser:ignore c1\n",
        "\u{e9}",
    ]);
    let text = prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat().into_bytes());
    let bytes = prop_oneof![4 => text.clone(), 1 => text.prop_map(|text| [&text[..], b"\xFFb\xE9"].concat())];
    (contracts, bytes)
}

fn open(matcher: &Matcher, text: &[u8]) -> Vec<String> {
    let path = RelPath::from("a.py");
    let text = Text::new(text).expect("is text");
    let checked = matcher.check(&matcher.select(&path, None), &path, Some(&text));
    checked.violations.iter().filter(|one| one.is_open()).map(|one| one.contract.id.clone()).collect()
}

proptest! {
    #[test]
    fn fixing_twice_is_fixing_once((contracts, text) in world()) {
        let matcher = matcher(contracts);
        let once = fix_text(&matcher, &text);
        prop_assume!(once.applied.len() < MAX_ROUNDS);
        let twice = fix_text(&matcher, &once.text);
        prop_assert_eq!(twice.applied, []);
        prop_assert_eq!(twice.text, once.text);
    }

    #[test]
    fn never_adds_violations((contracts, text) in world()) {
        let matcher = matcher(contracts);
        let result = fix_text(&matcher, &text);
        let (before, after) = (open(&matcher, &text), open(&matcher, &result.text));
        for id in &after {
            let count = |ids: &[String]| ids.iter().filter(|one| *one == id).count();
            prop_assert!(count(&after) <= count(&before), "{} in {:?}", id, String::from_utf8_lossy(&result.text));
        }
    }

    #[test]
    fn changes_nothing_outside_matches((contracts, text) in world()) {
        let matcher = matcher(contracts);
        let path = RelPath::from("a.py");
        let text = Text::new(text.as_slice()).expect("is text");
        let checked = matcher.check(&matcher.select(&path, None), &path, Some(&text));
        let plan = Fixer::new(&matcher).plan(FileNames { path: &path, alias: None }, &text, &checked);
        let mut end = 0;
        for edit in &plan {
            let violation = &checked.violations[edit.violation];
            prop_assert!(violation.is_open());
            prop_assert_eq!(&edit.range, &violation.found.as_ref().expect("a place").whole());
            prop_assert!(end <= edit.range.start, "they are in order and apart");
            end = edit.range.end;
        }
        let (bytes, moves) = applied(text.bytes(), plan.iter().map(|edit| (edit, "")));
        let mut outside = (Vec::new(), Vec::new());
        let (mut old, mut new) = (0, 0);
        for EditSpan { old: was, new: is, .. } in moves {
            outside.0.extend_from_slice(&text.bytes()[old..was.start]);
            outside.1.extend_from_slice(&bytes[new..is.start]);
            (old, new) = (was.end, is.end);
        }
        prop_assert_eq!(outside.0, outside.1);
        prop_assert_eq!(&text.bytes()[old..], &bytes[new..]);
    }
}
