//! Edits fixed in flight: the whole input of the tool, no decision, and context for the model.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Output, Sandbox};

const NONE: &str = "rule_id: is-none\ntype: forbid_pattern\npattern: '(\\w+) == None'\nfile_glob: '**'\n\
    message: 'Compare with is.'\nseverity: error\nfix: '$1 is None'\n";

const BAD: &str = "rule_id: no-bad\ntype: forbid_pattern\npattern: bad\nfile_glob: '**'\nmessage: 'Not this.'\nseverity: error\n";

fn sandbox() -> Sandbox {
    Sandbox::new().contract(NONE).contract(BAD).file(".claude/phaser.yaml", "fixes: apply\n")
}

fn specific(answer: &Output) -> Value {
    assert_eq!(answer.code, Some(0), "{answer}");
    let answer: Value = serde_json::from_str(&answer.stdout).expect("one JSON document");
    answer["hookSpecificOutput"].clone()
}

/// Sends an event before a call of a tool, in the manner of a guard and without.
fn before(sandbox: &Sandbox, tool: &str, input: Value) -> Value {
    let guard = specific(&sandbox.hook("PreToolUse").tool(tool, input.clone()).args(["--guard"]).run());
    let plain = specific(&sandbox.hook("PreToolUse").tool(tool, input).args(["--severity", "error"]).run());
    assert_eq!(guard["updatedInput"], plain["updatedInput"]);
    plain
}

#[test]
fn fixes_write_and_reports_it() {
    let sandbox = sandbox();
    let input =
        json!({ "file_path": sandbox.path("a.py"), "content": "if a == None:\n    b == None\n", "more": 7 });
    let answer = before(&sandbox, "Write", input);
    let expected = json!({
        "hookEventName": "PreToolUse",
        "updatedInput": { "file_path": "[ROOT]/a.py", "content": "if a is None:\n    b is None\n", "more": 7 },
        "additionalContext": "phaser fixed contract violations in your edit before it was made:\n\
            a.py:1 is-none: \"a == None\" → \"a is None\"\n\
            a.py:2 is-none: \"b == None\" → \"b is None\"\n\
            The file has the fixed text; use it in further edits.",
    });
    assert_eq!(answer, expected);
}

#[test]
fn maps_edit_back_into_new_text() {
    let sandbox = sandbox().file("a.py", "one\r\ntwo\r\ntwo\r\n");
    let edit = |all: bool| json!({ "file_path": sandbox.path("a.py"), "old_string": "two", "new_string": "a == None\nx", "replace_all": all });
    for all in [true, false] {
        let answer = before(&sandbox, "Edit", edit(all));
        assert_eq!(answer["updatedInput"]["new_string"], "a is None\nx", "{answer}");
        assert_eq!(answer["updatedInput"]["old_string"], "two");
        assert_eq!(answer["updatedInput"]["replace_all"], all);
        assert_eq!(answer.get("permissionDecision"), None);
    }
}

#[test]
fn denies_violation_outside_new_text() {
    let sandbox = sandbox()
        .file("a.py", "x == None\ntwo\n")
        .file(".claude/phaser.yaml", "fixes: apply\nexisting: deny\n");
    let input = json!({ "file_path": sandbox.path("a.py"), "old_string": "two", "new_string": "a == None" });
    let answer = before(&sandbox, "Edit", input);
    assert_eq!(answer["permissionDecision"], "deny", "{answer}");
    assert_eq!(answer.get("updatedInput"), None);
}

#[test]
fn reported_existing_violations_need_no_fix() {
    let sandbox = sandbox()
        .file("a.py", "x == None\nbad\ntwo\n")
        .file(".claude/phaser.yaml", "fixes: apply\nexisting: report\n");
    let input = json!({ "file_path": sandbox.path("a.py"), "old_string": "two", "new_string": "a == None" });
    let answer = before(&sandbox, "Edit", input);
    assert_eq!(answer["updatedInput"]["new_string"], "a is None", "{answer}");
    let bad = json!({ "file_path": sandbox.path("a.py"), "old_string": "two", "new_string": "bad == None" });
    assert_eq!(before(&sandbox, "Edit", bad)["permissionDecision"], "deny", "not all of it can be fixed");
}

#[test]
fn fix_that_adds_warning_is_dropped() {
    let no_is = "rule_id: no-is\ntype: forbid_pattern\npattern: ' is '\nfile_glob: '**'\nmessage: m\nseverity: warning\n";
    let sandbox = sandbox().contract(no_is);
    let answer = sandbox.pre_write("a.py", "a == None\n");
    assert_eq!(specific(&answer)["permissionDecision"], "deny", "{answer}");
}

#[test]
fn fixes_notebook_cell() {
    let notebook = json!({ "cells": [{ "id": "c1", "cell_type": "code", "source": "x", "metadata": {}, "outputs": [], "execution_count": null }],
        "metadata": {}, "nbformat": 4, "nbformat_minor": 5 });
    let sandbox = sandbox().file("n.ipynb", notebook.to_string());
    let input =
        json!({ "notebook_path": sandbox.path("n.ipynb"), "cell_id": "c1", "new_source": "a == None" });
    let answer = before(&sandbox, "NotebookEdit", input);
    assert_eq!(answer["updatedInput"]["new_source"], "a is None", "{answer}");
    assert_eq!(answer["updatedInput"]["cell_id"], "c1");
}

#[test]
fn denies_multi_edit_and_unconfigured_projects() {
    let sandbox = sandbox().file("a.py", "one\ntwo\n");
    let edits = json!([{ "old_string": "one", "new_string": "a == None" }, { "old_string": "two", "new_string": "2" }]);
    let input = json!({ "file_path": sandbox.path("a.py"), "edits": edits });
    assert_eq!(before(&sandbox, "MultiEdit", input)["permissionDecision"], "deny");
    let off = Sandbox::new().contract(NONE);
    assert_eq!(specific(&off.pre_write("a.py", "a == None\n"))["permissionDecision"], "deny");
}

#[test]
fn result_equals_phaser_fix() {
    let contents = ["a == None\n", "x\r\na == None\r\n", "a == None", "\u{feff}a == None\n"];
    for content in contents {
        let sandbox = sandbox();
        let input = json!({ "file_path": sandbox.path("a.py"), "content": content });
        let answer = before(&sandbox, "Write", input);
        let fixed = answer["updatedInput"]["content"].as_str().expect("text").as_bytes().to_vec();
        let sandbox = sandbox.file("a.py", content);
        assert_eq!(sandbox.run(["fix", "a.py"]).code, Some(0));
        assert_eq!(fs::read(sandbox.path("a.py")).expect("readable"), fixed);
    }
}
