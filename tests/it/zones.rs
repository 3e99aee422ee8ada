//! The key `in`: a match counts only where it starts in code, in a comment, in a string, as the contract says; in every
//! mode, in every encoding.

use serde_json::json;

use crate::harness::{Output, Sandbox, contract, forbid};

fn zoned(id: &str, glob: &str, zones: &str) -> String {
    format!("{}in: {zones}\n", forbid(id, "X", glob))
}

fn sandbox() -> Sandbox {
    Sandbox::new()
        .git_init()
        .contract(&zoned("in-code", "**", "code"))
        .contract(&zoned("in-comments", "**", "comments"))
        .contract(&zoned("in-strings", "**", "[strings]"))
        .contract(&zoned("in-text", "**", "[comments, strings]"))
        .contract(&forbid("anywhere", "X", "**"))
}

/// Violations of a text at a path, each as `LINE:COLUMN ID`, those of `anywhere` left out.
fn found(path: &str, text: impl AsRef<[u8]>) -> Vec<String> {
    let output = sandbox().file(path, text.as_ref()).run(["enforce", path, "--format", "json"]);
    let violations = output.violations().into_iter();
    let placed = violations.map(|violation| violation.replace(&format!("{path}:"), ""));
    placed.filter(|violation| !violation.ends_with("anywhere")).collect()
}

const PYTHON: &str = "X = 'X'  # X\n";
const IN_PYTHON: [&str; 5] =
    ["1:1 in-code", "1:6 in-strings", "1:6 in-text", "1:12 in-comments", "1:12 in-text"];

#[test]
fn match_counts_in_named_zone_only() {
    assert_eq!(found("a.py", PYTHON), IN_PYTHON);
    assert_eq!(
        found("a.js", "`X${X}` // X\n"),
        ["1:2 in-strings", "1:2 in-text", "1:5 in-code", "1:12 in-comments", "1:12 in-text",]
    );
}

#[test]
fn key_does_nothing_in_unknown_language() {
    let all = ["in-code", "in-comments", "in-strings", "in-text"].map(|id| format!("1:2 {id}"));
    assert_eq!(found("a.xyz", "'X'\n"), all);
}

#[test]
fn notebook_cell_has_zones_of_python() {
    let zones = |source: &str| {
        let notebook = serde_json::json!({ "cells": [{ "cell_type": "code", "source": [source] }] });
        let found = found("a.ipynb", notebook.to_string());
        found.iter().filter_map(|one| Some(one.split_once(' ')?.1.to_owned())).collect::<Vec<_>>()
    };
    assert_eq!(zones("X"), ["in-code"]);
    assert_eq!(zones("# X"), ["in-comments", "in-text"]);
}

#[test]
fn every_encoding_has_zones() {
    let utf16: Vec<u8> = "\u{feff}é = 'X'  # X\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let expected = ["1:6 in-strings", "1:6 in-text", "1:12 in-comments", "1:12 in-text"];
    assert_eq!(found("a.py", utf16), expected);
    assert_eq!(found("a.py", b"\xE9 = 'X'  # X\n"), expected);
    assert_eq!(found("a.py", "\u{feff}X = 'X'  # X\r\n"), IN_PYTHON);
}

#[test]
fn a_match_stands_where_its_violation_does() {
    let contract = format!("{}in: code\n", forbid("no-x", r"\s*X", "**"));
    let run = |text: &str| {
        let sandbox = Sandbox::new().contract(&contract).file("a.py", text);
        sandbox.run(["enforce", "a.py", "--format", "json"]).violations()
    };
    assert_eq!(run("# a comment\n  X\n"), ["a.py:2:3 no-x"]);
    assert_eq!(run("'a'\n  # X\n"), ["a.py:2:5 no-x"; 0]);
}

#[test]
fn search_continues_behind_other_zone() {
    let contract = format!("{}in: code\n", forbid("no-x", "X+", "**"));
    let text = format!("{}X = 1\n", "# XX\n".repeat(2_000));
    let output =
        Sandbox::new().contract(&contract).file("a.py", &text).run(["enforce", "a.py", "--format", "json"]);
    assert_eq!(output.violations(), ["a.py:2001:1 no-x"]);
    assert_eq!(output.stderr, "");
}

#[test]
fn requirement_is_met_in_its_zone() {
    for kind in ["require_pattern", "file_contains"] {
        let contract = format!("{}in: comments\n", contract("needs-x", kind, Some("X"), "**"));
        let run = |text: &str| {
            let sandbox = Sandbox::new().contract(&contract).file("a.py", text);
            sandbox.run(["enforce", "a.py", "--format", "json"]).violations()
        };
        assert_eq!(run("X = 'X'\n# X\n"), [""; 0]);
        assert_eq!(run("X = 'X'\n"), ["a.py needs-x"]);
    }
}

#[test]
fn every_mode_sees_the_same_zones() {
    let sandbox = sandbox().file("a.py", "").git_commit("one").file("a.py", PYTHON);
    let ids = |output: &Output| -> Vec<String> {
        let mut ids: Vec<_> =
            output.violations().iter().map(|violation| violation.replace("a.py:", "")).collect();
        ids.retain(|id| !id.ends_with("anywhere"));
        ids
    };
    for mode in ["--all", "a.py"] {
        let output = sandbox.run(["enforce", "--format", "json", mode]);
        assert_eq!(ids(&output), IN_PYTHON, "{mode}");
    }
    let expected: Vec<&str> = IN_PYTHON.iter().filter_map(|found| found.split(' ').nth(1)).collect();
    let event = |event, tool, input| {
        let json = sandbox.hook(event).tool(tool, input).run().json();
        let message = &json["hookSpecificOutput"];
        let text = message["permissionDecisionReason"].as_str().or(message["additionalContext"].as_str());
        let id = |line: &str| line.split(": ").nth(1)?.split(" at ").next().map(str::to_owned);
        let mut ids: Vec<String> = text.expect("a report").lines().filter_map(id).collect();
        ids.retain(|id| id != "anywhere");
        ids
    };
    let path = sandbox.path("a.py");
    assert_eq!(event("PreToolUse", "Write", json!({ "file_path": path, "content": PYTHON })), expected);
    let edit = json!({ "file_path": path, "old_string": "X = ", "new_string": "X = " });
    assert_eq!(event("PreToolUse", "Edit", edit.clone()), expected);
    assert_eq!(event("PostToolUse", "Edit", edit), expected);
    sandbox.git(&["add", "--all"]);
    assert_eq!(ids(&sandbox.run(["enforce", "--staged", "--format", "json"])), IN_PYTHON);
    let sandbox = sandbox.git_commit("two");
    for range in ["HEAD~1", "HEAD~1..HEAD"] {
        let output = sandbox.run(["enforce", "--format", "json", "--diff", range]);
        assert_eq!(ids(&output), IN_PYTHON, "{range}");
    }
}

#[test]
fn a_cell_of_a_notebook_is_python() {
    let notebook = json!({ "cells": [{
        "cell_type": "code", "id": "a", "metadata": {}, "outputs": [], "execution_count": null, "source": ["y\n"],
    }], "metadata": {}, "nbformat": 4, "nbformat_minor": 5 });
    let sandbox =
        Sandbox::new().contract(&zoned("in-code", "**", "code")).file("n.ipynb", notebook.to_string());
    let edit = |source: &str| {
        let input = json!({ "notebook_path": sandbox.path("n.ipynb"), "cell_id": "a", "new_source": source });
        let answer = sandbox.hook("PreToolUse").tool("NotebookEdit", input).run().json();
        answer["hookSpecificOutput"]["permissionDecision"].as_str().expect("a decision").to_owned()
    };
    assert_eq!(edit("y = 'X'  # X"), "allow");
    assert_eq!(edit("X = 1"), "deny");
}

#[test]
fn unknown_zone_is_reported_with_line() {
    let run = |zones: &str| {
        let contract = format!("{}in: {zones}\n", forbid("no-x", "X", "**"));
        Sandbox::new().contract(&contract).file("a.py", "X").run(["enforce", "--all"]).stderr
    };
    let first = |text: String| text.lines().next().unwrap_or_default().to_owned();
    insta::assert_snapshot!(first(run("comment")), @".claude/contracts/no-x.yaml:7: 'in' knows no 'comment' (did you mean 'comments'?)");
    insta::assert_snapshot!(first(run("[code, nowhere]")), @".claude/contracts/no-x.yaml:7: 'in' knows no 'nowhere' (use code, comments, strings)");
    insta::assert_snapshot!(first(run("[]")), @".claude/contracts/no-x.yaml:7: 'in' is an empty list (name some of code, comments, strings)");
}

#[test]
fn key_does_nothing_without_pattern() {
    let contract = format!("{}in: code\n", contract("no-zip", "file_not_exists", None, "**/*.zip"));
    let output = Sandbox::new().contract(&contract).file("a.zip", "").run(["enforce", "--all"]);
    insta::assert_snapshot!(output, @r#"
    exit: 1
    --- stdout
    a.zip: error: no-zip
      Do not no-zip.

    1 error, 0 warnings

    --- stderr
    .claude/contracts/no-zip.yaml:6: key 'in' has no effect for file_not_exists (remove it: such a contract is not about what files hold)
    "#);
}

#[test]
fn show_explain_and_json_have_the_key() {
    let sandbox = Sandbox::new().contract(&zoned("no-x", "**/*.py", "[strings, code]"));
    let shown = sandbox.run(["contracts", "show", "no-x"]).stdout;
    assert!(shown.lines().any(|line| line == "in:        strings, code"), "{shown}");
    let explained = sandbox.run(["explain", "no-x"]).stdout;
    assert!(explained.contains("\nwhat counts:\n  matches that start in strings or code\n"), "{explained}");
    let json = sandbox.run(["contracts", "show", "no-x", "--format", "json"]).json();
    assert_eq!(json["contract"]["in"], json!(["strings", "code"]));
}

#[test]
fn create_writes_the_key() {
    let sandbox = Sandbox::new();
    let create = |zone| {
        let what = ["--rule-id=no-x", "--type=forbid_pattern", "--pattern=X", "--glob=**", "--message=m"];
        let [id, kind, pattern, glob, message] = what;
        sandbox.run(["contracts", "create", id, kind, pattern, glob, message, "--in", zone])
    };
    let mistake = create("string").stderr;
    assert!(mistake.contains("'string'") && mistake.contains("'strings'"), "{mistake}");
    assert_eq!(create("strings").stdout, "Created contract: no-x\n");
    let written = std::fs::read_to_string(sandbox.path(".claude/contracts/no-x.yaml")).expect("is written");
    assert!(written.contains("\nin: strings\n"), "{written}");
}
