//! The states of violations, decided from hand-made ones.

use std::sync::Arc;

use super::*;
use crate::contract::{Check, Contract};
use crate::matcher::oracle::contract;
use crate::outcome::Earlier;
use crate::text::{Position, Region};
use crate::violation::{LineDigest, Match, State};

fn rule(id: usize) -> Arc<Contract> {
    Arc::new(contract(id, Check::NotExists))
}

fn at(rule: &Arc<Contract>, path: &str, number: usize, line: &str) -> Violation {
    let position = Position { line: number, column: 1 };
    let region = Region { start: position, end: position };
    let found = Match { range: 0..1, region, text: line.to_owned(), line: line.to_owned() };
    Violation::at(rule, &RelPath::from(path), found, LineDigest::of(line.as_bytes()))
}

fn states(now: Vec<Violation>, before: Vec<Violation>) -> Vec<State> {
    let before = vec![Earlier { path: RelPath::from("a.py"), violations: before, changed: 1..1 }];
    let mut outcome = Outcome { violations: now, before, ..Outcome::default() };
    settle(&mut outcome);
    outcome.violations.iter().map(|violation| violation.state).collect()
}

#[test]
fn a_violation_is_existing_when_its_contract_matched_the_same_line_before() {
    let (one, other) = (rule(1), rule(2));
    let now =
        vec![at(&one, "a.py", 1, "x = 1"), at(&one, "a.py", 9, "  y=2"), at(&other, "a.py", 9, "y = 2")];
    let before = vec![at(&one, "old.py", 3, "y = 2")];
    assert_eq!(states(now, before), [State::Open, State::Existing, State::Open]);
}

#[test]
fn a_copy_is_new_and_the_first_one_is_not() {
    let rule = rule(1);
    let now = vec![at(&rule, "a.py", 1, "x"), at(&rule, "a.py", 2, "x"), at(&rule, "a.py", 3, "x")];
    let before = vec![at(&rule, "a.py", 1, "x"), at(&rule, "a.py", 5, "x")];
    assert_eq!(states(now, before), [State::Existing, State::Existing, State::Open]);
}

#[test]
fn what_a_directive_covered_before_is_new_without_it_and_what_it_covers_now_stays_ignored() {
    let rule = rule(1);
    let ignored = |violation| Violation { state: State::Ignored, ..violation };
    let now = vec![at(&rule, "a.py", 1, "x"), ignored(at(&rule, "a.py", 2, "y"))];
    let before = vec![ignored(at(&rule, "a.py", 1, "x")), at(&rule, "a.py", 2, "y")];
    assert_eq!(states(now, before), [State::Open, State::Ignored]);
}

#[test]
fn a_violation_without_a_line_is_existing_whatever_the_path_was() {
    let rule = rule(1);
    let whole = |path: &str| Violation::of_file(&rule, &RelPath::from(path));
    assert_eq!(states(vec![whole("a.py")], vec![whole("old.py")]), [State::Existing]);
    assert_eq!(states(vec![whole("a.py")], vec![at(&rule, "a.py", 1, "x")]), [State::Open]);
}

#[test]
fn only_the_file_that_changed_is_compared() {
    let rule = rule(1);
    let now = vec![at(&rule, "a.py", 1, "x"), at(&rule, "b.py", 1, "x")];
    assert_eq!(states(now, vec![at(&rule, "a.py", 1, "x")]), [State::Existing, State::Open]);
}

#[test]
fn violations_that_look_alike_are_numbered_within_their_file() {
    let (one, other) = (rule(1), rule(2));
    let violations = vec![
        at(&one, "a.py", 1, "x"),
        at(&other, "a.py", 1, "x"),
        at(&one, "a.py", 2, " x "),
        at(&one, "b.py", 1, "x"),
    ];
    let mut outcome = Outcome { violations, ..Outcome::default() };
    settle(&mut outcome);
    let repeats: Vec<_> = outcome.violations.iter().map(|violation| violation.fingerprint.repeat).collect();
    assert_eq!(repeats, [1, 1, 2, 1]);
    let names: std::collections::HashSet<_> =
        outcome.violations.iter().take(3).map(Violation::name).collect();
    assert_eq!(names.len(), 3);
}
