//! A corpus of known violations, in many languages: none is missed, and none is made up.
//!
//! `expected.txt` and `ignored.txt` are written by hand, never by phaser.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use phaser::contract::Place;
use phaser::contract::load::{Directory, load};
use phaser::matcher::{Directives, Matcher, Options, Violation};
use phaser::path::{PROJECT_CONTRACTS, Root};
use phaser::progress::{Progress, Visible};
use phaser::scan::{self, Outcome};
use phaser::source::tree::tree;

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(name)
}

fn lines(name: &str) -> BTreeSet<String> {
    let text = std::fs::read_to_string(corpus(name)).expect("the list is there");
    text.lines().map(str::to_owned).collect()
}

fn shown(matcher: &Matcher, violations: &[Violation]) -> BTreeSet<String> {
    let show = |violation: &Violation| {
        let id = &matcher.contracts()[violation.contract].id;
        match &violation.place {
            Some(found) => {
                let start = found.region.start;
                format!("{}:{}:{} {id}", violation.path, start.line, start.column)
            }
            None => format!("{} {id}", violation.path),
        }
    };
    violations.iter().map(show).collect()
}

fn scanned(threads: usize) -> (Matcher, Outcome) {
    let root = Root::new(corpus("project"));
    let contracts = root.path().join(PROJECT_CONTRACTS);
    let loaded = load(&[Directory { place: Place::Project, shown: contracts.clone(), path: contracts }]);
    assert_eq!(loaded.warnings, []);
    let enabled = loaded.contracts.into_iter().filter(|contract| contract.enabled).collect();
    let options = Options { timeout: Duration::from_secs(10), directives: Directives::Honoured };
    let (matcher, warnings) = Matcher::new(enabled, options);
    assert_eq!(warnings, []);
    let options = scan::Options { threads, max_file_size: 1 << 20 };
    let outcome = scan::scan(&matcher, tree(&root, threads), options, &Progress::new(Visible::No));
    (matcher, outcome)
}

fn assert_same(actual: &BTreeSet<String>, expected: &BTreeSet<String>) {
    let missed: Vec<_> = expected.difference(actual).collect();
    let made_up: Vec<_> = actual.difference(expected).collect();
    assert!(missed.is_empty() && made_up.is_empty(), "missed: {missed:#?}\nmade up: {made_up:#?}");
}

#[test]
fn every_known_violation_is_found_and_no_other() {
    let (matcher, outcome) = scanned(2);
    assert_same(&shown(&matcher, &outcome.violations), &lines("expected.txt"));
    assert_same(&shown(&matcher, &outcome.ignored), &lines("ignored.txt"));
    assert_eq!(outcome.violations.len(), lines("expected.txt").len());
    assert_eq!(outcome.ignored.len(), lines("ignored.txt").len());
}
