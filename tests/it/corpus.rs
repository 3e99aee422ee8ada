//! A corpus of known violations, in many languages: none is missed, and none is made up.
//!
//! `expected.txt` and `ignored.txt` are written by hand, never by phaser.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::scrub;

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(name)
}

/// The corpus as a project of its own, with its contracts.
fn project() -> TempDir {
    let project = tempfile::tempdir().expect("a temporary directory");
    copy(&corpus("project"), project.path());
    copy(&corpus("contracts"), &project.path().join(".claude/contracts"));
    project
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("created");
    for entry in fs::read_dir(from).expect("a directory") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("copied");
        }
    }
}

fn listed(name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(corpus(name)).expect("the list is there");
    text.lines().map(str::to_owned).collect()
}

/// The report of a run in the corpus, which must end with `exit`.
fn report(exit: i32, args: &[&str]) -> Value {
    let (home, project) = (tempfile::tempdir().expect("a temporary directory"), project());
    let output = scrub(&mut Command::new(env!("CARGO_BIN_EXE_phaser")))
        .args(["enforce", "--format", "json", "--timeout", "10000"])
        .args(args)
        .current_dir(project.path())
        .env("HOME", home.path())
        .output()
        .expect("phaser starts");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(exit), "{message}");
    serde_json::from_slice(&output.stdout).expect("one JSON document")
}

/// Each violation as the lists spell it, in the order of the report.
fn violations(report: &Value) -> Vec<String> {
    let shown = |violation: &Value| {
        let text = |key: &str| violation[key].as_str().expect("a string").to_owned();
        let (path, id) = (text("file_path"), text("rule_id"));
        match violation["line_number"].as_u64() {
            Some(line) => format!("{path}:{line}:{} {id}", violation["column"]),
            None => format!("{path} {id}"),
        }
    };
    report["violations"].as_array().expect("a list").iter().map(shown).collect()
}

#[track_caller]
fn assert_same(actual: &[String], expected: &[String]) {
    let missed: Vec<_> = expected.iter().filter(|line| !actual.contains(line)).collect();
    let made_up: Vec<_> = actual.iter().filter(|line| !expected.contains(line)).collect();
    assert!(missed.is_empty() && made_up.is_empty(), "missed: {missed:#?}\nmade up: {made_up:#?}");
    assert_eq!(actual, expected, "the order differs");
}

#[test]
fn finds_every_known_violation_and_no_other() {
    let report = report(1, &["--all"]);
    assert_same(&violations(&report), &listed("expected.txt"));
    assert_eq!(report["summary"]["ignored"], listed("ignored.txt").len());
    assert_eq!(report["warnings"], Value::Array(Vec::new()));
}

#[test]
fn no_ignores_finds_ignored_ones_too() {
    let actual = violations(&report(1, &["--all", "--no-ignores"]));
    let mut sorted = [listed("expected.txt"), listed("ignored.txt")].concat();
    let mut actual_sorted = actual.clone();
    sorted.sort();
    actual_sorted.sort();
    assert_same(&actual_sorted, &sorted);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    assert_eq!(report(1, &["--all", "--threads", "1"]), report(1, &["--all", "--threads", "7"]));
}

#[test]
fn named_files_have_the_same_violations() {
    let whole = report(1, &["--all"]);
    let paths = |key: &str, entry: fn(&Value) -> &Value| -> Vec<String> {
        let entries = whole[key].as_array().expect("a list").iter();
        entries.map(|value| entry(value).as_str().expect("a path").to_owned()).collect()
    };
    let mut named = paths("files_checked", |path| path);
    named.extend(paths("skipped", |skipped| &skipped["file_path"]));
    let args: Vec<_> = named.iter().map(String::as_str).collect();
    let about_files = listed("expected.txt").into_iter().filter(|line| !line.contains(['*', '{']));
    assert_same(&violations(&report(1, &args)), &about_files.collect::<Vec<_>>());
}

#[test]
fn corpus_covers_every_type_and_form() {
    let contracts = std::fs::read_dir(corpus("contracts")).expect("contracts");
    let texts: Vec<_> = contracts
        .map(|entry| std::fs::read_to_string(entry.expect("an entry").path()).expect("a contract"))
        .collect();
    // The corpus is a tree, which is no commit and no change.
    let others =
        ["file_unchanged", "keep_pattern", "companion_exists", "companion_changed", "forbid_command"];
    let about_files = |kind: &&phaser_core::check::ContractType| {
        !kind.name.ends_with("_in_message") && !others.contains(&kind.name)
    };
    for kind in phaser_core::check::TYPES.into_iter().filter(about_files) {
        let of_kind = |nested: bool| {
            let line = format!("type: {kind}\n");
            texts.iter().any(|text| text.contains(&line) && text.contains("\nrule:") == nested)
        };
        assert!(of_kind(true) && of_kind(false), "{kind}");
    }
}
