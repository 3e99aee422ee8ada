//! Edits that are mended in flight: the whole input of the tool, no decision, and a word to the model.

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
fn a_write_is_mended_and_the_model_is_told() {
    let sandbox = sandbox();
    let input =
        json!({ "file_path": sandbox.path("a.py"), "content": "if a == None:\n    b == None\n", "more": 7 });
    let answer = before(&sandbox, "Write", input);
    let expected = json!({
        "hookEventName": "PreToolUse",
        "updatedInput": { "file_path": "[ROOT]/a.py", "content": "if a is None:\n    b is None\n", "more": 7 },
        "additionalContext": "phaser changed your edit before it was made, so that it keeps the project's contracts:\n\
            a.py:1 is-none: \"a == None\" → \"a is None\"\n\
            a.py:2 is-none: \"b == None\" → \"b is None\"\n\
            The file has the new text: quote that if you edit the place again.",
    });
    assert_eq!(answer, expected);
}

#[test]
fn an_edit_is_mapped_back_into_its_new_text() {
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
fn a_violation_outside_of_the_new_text_is_denied_as_before() {
    let sandbox = sandbox().file("a.py", "x == None\ntwo\n");
    let input = json!({ "file_path": sandbox.path("a.py"), "old_string": "two", "new_string": "a == None" });
    let answer = before(&sandbox, "Edit", input);
    assert_eq!(answer["permissionDecision"], "deny", "{answer}");
    assert_eq!(answer.get("updatedInput"), None);
}

#[test]
fn old_violations_need_no_fix_when_they_are_only_reported() {
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
fn a_fix_that_would_violate_a_warning_is_not_applied() {
    let no_is = "rule_id: no-is\ntype: forbid_pattern\npattern: ' is '\nfile_glob: '**'\nmessage: m\nseverity: warning\n";
    let sandbox = sandbox().contract(no_is);
    let answer = sandbox.pre_write("a.py", "a == None\n");
    assert_eq!(specific(&answer)["permissionDecision"], "deny", "{answer}");
}

#[test]
fn a_cell_of_a_notebook_is_mended() {
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
fn several_edits_at_once_and_projects_that_do_not_ask_for_it_are_denied_as_before() {
    let sandbox = sandbox().file("a.py", "one\ntwo\n");
    let edits = json!([{ "old_string": "one", "new_string": "a == None" }, { "old_string": "two", "new_string": "2" }]);
    let input = json!({ "file_path": sandbox.path("a.py"), "edits": edits });
    assert_eq!(before(&sandbox, "MultiEdit", input)["permissionDecision"], "deny");
    let off = Sandbox::new().contract(NONE);
    assert_eq!(specific(&off.pre_write("a.py", "a == None\n"))["permissionDecision"], "deny");
}

#[test]
fn the_file_is_the_same_as_with_phaser_fix_after_the_edit() {
    let contents = ["a == None\n", "x\r\na == None\r\n", "a == None", "\u{feff}a == None\n"];
    for content in contents {
        let sandbox = sandbox();
        let input = json!({ "file_path": sandbox.path("a.py"), "content": content });
        let answer = before(&sandbox, "Write", input);
        let mended = answer["updatedInput"]["content"].as_str().expect("text").as_bytes().to_vec();
        let sandbox = sandbox.file("a.py", content);
        assert_eq!(sandbox.run(["fix", "a.py"]).code, Some(0));
        assert_eq!(fs::read(sandbox.path("a.py")).expect("readable"), mended);
    }
}
