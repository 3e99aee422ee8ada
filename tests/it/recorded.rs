//! Events that the real client sent, in the order of its fields and with all of them: `.ci/client --corpus` records them.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::harness::{Output, Sandbox, forbid, violations_in, warning};

/// The project that the events were recorded in.
fn project() -> Sandbox {
    let notebook = json!({
        "cells": [{
            "cell_type": "code", "id": "c1", "metadata": {}, "source": ["x = 1\n"], "outputs": [], "execution_count": null,
        }],
        "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
    });
    let sandbox = Sandbox::new()
        .contract(&forbid("no-eval", r"\beval\(", "**/*.{py,ipynb}"))
        .contract(&warning(&forbid("no-print", r"\bprint\(", "**/*.py")))
        .file(".claude/phaser.yaml", "existing: report\nprotect: deny\n")
        .file("src/app.py", "def main():\n    return 1\n")
        .file("src/legacy.py", "OLD = eval(input())\nx = 1\ny = 2\n")
        .file("work.ipynb", notebook.to_string())
        .git_init();
    sandbox.git(&["add", "--all"]);
    commit_long_ago(&sandbox);
    sandbox
}

/// Commits what is staged, long before any of the recorded commands began.
fn commit_long_ago(sandbox: &Sandbox) {
    let mut command = sandbox.tool("git");
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_DATE"), "2020-01-01T00:00:00Z");
    }
    let output = sandbox.run_with(command.args(["commit", "--quiet", "--message", "one"]), b"");
    assert_eq!(output.code, Some(0), "{output}");
    // Objects in files of their own would be from now.
    sandbox.git(&["gc", "--quiet", "--prune=now"]);
}

fn recordings() -> Vec<PathBuf> {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus/claude-code");
    let mut paths: Vec<_> = fs::read_dir(directory)
        .expect("it exists")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    paths
}

/// Sends a recorded event to the guard, as if it had come from this project.
fn replay(sandbox: &Sandbox, name: &str) -> Output {
    let path = format!("{}/tests/corpus/claude-code/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let event = fs::read_to_string(path).expect("readable");
    let event = event.replace("/home/dev/project", &sandbox.root().display().to_string());
    let event = event.replace("/home/dev", &sandbox.home().display().to_string());
    // However busy the machine is, a file that the test wrote counts as written by the command.
    let event = event.replace("\"duration_ms\": 100", "\"duration_ms\": 60000");
    sandbox.run_stdin(["enforce", "--stdin", "--guard"], event)
}

fn denied(name: &str, place: &str) {
    let answer = replay(&project(), name);
    answer.assert_denied(&[&format!("no-eval at {place}")]);
}

#[test]
fn every_event_gets_one_object() {
    let sandbox = project();
    let recordings = recordings();
    assert!(recordings.len() >= 20, "{recordings:?}");
    for path in recordings {
        let name = path.file_stem().expect("has a name").to_str().expect("is text");
        let event: Value = serde_json::from_slice(&fs::read(&path).expect("readable")).expect("is JSON");
        let answer = replay(&sandbox, name);
        assert_eq!(answer.code, Some(0), "{name}: {answer}");
        let specific = &answer.json()["hookSpecificOutput"];
        let event_name = &event["hook_event_name"];
        assert!(specific.is_null() || &specific["hookEventName"] == event_name, "{name}: {answer}");
    }
}

#[test]
fn recorded_edits_that_violate_are_denied() {
    denied("pre-write", "src/new.py:3");
    denied("pre-write-subagent", "src/new.py:1");
    denied("pre-edit", "src/app.py:2");
    denied("pre-mcp", "src/new.py:1");
    denied("pre-notebook", "work.ipynb:2");
}

#[test]
fn sessions_and_subagents_receive_contracts() {
    for name in ["session-start", "session-start-resume", "session-start-compact", "subagent-start"] {
        let answer = replay(&project(), name).json();
        let message =
            answer["hookSpecificOutput"]["additionalContext"].as_str().expect("a briefing").to_owned();
        assert!(message.contains("no-eval") && message.contains("no-print"), "{name}: {message}");
    }
}

#[test]
fn reports_violations_of_recorded_commands() {
    for name in ["post-shell", "post-shell-with-diff", "post-shell-diff-unavailable", "post-shell-failed"] {
        let sandbox = project().file("src/new.py", "x = eval(y)\n");
        let answer = replay(&sandbox, name);
        assert_eq!(violations_in(&answer.context()), ["no-eval at src/new.py:1"], "{name}: {answer}");
    }
}

#[test]
fn end_of_turn_is_blocked_once() {
    let transcript = include_str!("../corpus/claude-code/transcript.jsonl");
    let sandbox = project().file("src/new.py", "x = eval(y)\n");
    let place = sandbox.home().join(".claude/projects/-home-dev-project");
    fs::create_dir_all(&place).expect("created");
    fs::write(place.join("0b7c1d2e-3f40-4a5b-8c6d-7e8f90a1b2c3.jsonl"), transcript).expect("written");
    let answer = replay(&sandbox, "stop");
    assert_eq!(answer.json()["decision"], "block", "{answer}");
    assert_eq!(answer.reported(), ["no-eval at src/new.py:1"], "{answer}");
    assert_eq!(replay(&sandbox, "stop-again").json(), json!({}));
    assert_eq!(replay(&sandbox, "subagent-stop-of-the-client").json(), json!({}));
}

#[test]
fn harmless_events_get_empty_response() {
    let quiet = [
        "post-shell-read-only",
        "post-shell-background",
        "stop",
        "stop-again",
        "subagent-stop-of-the-client",
        "pre-shell",
    ];
    for name in quiet {
        let answer = replay(&project(), name);
        assert_eq!(answer.json(), json!({}), "{name}: {answer}");
    }
}

#[test]
fn settings_without_hooks_are_blocked() {
    let answer = replay(&project(), "config-change").json();
    assert_eq!(answer["decision"], "block", "{answer}");
}
