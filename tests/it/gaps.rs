//! What could not be checked is never taken for clean: not by a hook, not by a report, not for the project as a whole.

use serde_json::{Value, json};

use crate::harness::{Output, Sandbox, contract, forbid, unchecked_in};

/// A hook event for `tool`, answered in this format.
fn shown(sandbox: &Sandbox, tool: &str, input: Value, format: &str) -> Value {
    sandbox.hook("PreToolUse").tool(tool, input).args(["--format", format]).run().json()
}

#[test]
fn unreconstructable_event_shows_gaps_in_reports() {
    let sandbox = Sandbox::new()
        .contract(&forbid("no-x", "x", "**"))
        .file(".claude/contracts/broken.yaml", "rule_id: [")
        .file("dir/a.txt", "");
    let input = json!({ "file_path": sandbox.path("dir"), "old_string": "a", "new_string": "b" });
    let report = shown(&sandbox, "Edit", input.clone(), "json");
    assert_eq!(report["skipped"][0]["file_path"], "dir");
    assert_eq!(report["warnings"][0]["file_path"], ".claude/contracts/broken.yaml");
    let answer = shown(&sandbox, "Edit", input, "hook");
    let message = answer["systemMessage"].as_str().expect("a message for the user");
    assert!(message.contains(".claude/contracts/broken.yaml:1: "), "{message}");
    assert_eq!(answer["hookSpecificOutput"], Value::Null);
}

#[test]
fn broken_contracts_reach_user_and_never_allow() {
    let sandbox = Sandbox::new()
        .contract(&forbid("no-x", "x", "**"))
        .file(".claude/contracts/a.yaml", "rule_id: [")
        .file(".claude/contracts/b.yaml", "");
    for (content, decision) in [("x", "deny"), ("y", "")] {
        let output = sandbox.pre_write("a.txt", content);
        assert_eq!(output.decision(), decision, "{output}");
        let message = output.json()["systemMessage"].to_string();
        assert!(message.contains("a.yaml:1: ") && message.contains("(and 1 more)"), "{message}");
    }
    let alone = Sandbox::new().file(".claude/contracts/a.yaml", "rule_id: [");
    let output = alone.pre_write("a.txt", "x");
    assert!(output.json()["systemMessage"].to_string().contains("a.yaml:1: "), "{output}");
}

#[test]
fn size_limit_bounds_write_like_file() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "**")).file("a.txt", "x".repeat(19));
    let input = json!({ "file_path": sandbox.path("a.txt"), "content": "x".repeat(19) });
    let write = |limit| {
        sandbox.hook("PreToolUse").tool("Write", input.clone()).args(["--max-file-size", limit]).run()
    };
    assert_eq!(write("19").decision(), "deny");
    let output = write("18");
    assert_eq!(output.decision(), "", "{output}");
    let file = sandbox.run(["enforce", "a.txt", "--max-file-size", "18", "--format", "json"]);
    let reason = file.json()["skipped"][0]["reason"].as_str().expect("a reason").to_owned();
    assert_eq!(unchecked_in(&output.message()), [format!("a.txt: {reason}")], "{output}");
}

#[test]
fn binary_with_name_of_text_is_gap() {
    let sandbox = Sandbox::new()
        .git_init()
        .contract(&forbid("no-eval", "eval", "**/*.{js,bin,dat}"))
        .contract(&contract("no-py", "file_not_exists", None, "vendor/**"))
        .file("data.dat", "text\n")
        .git_add("data.dat")
        .git_commit("text")
        .file("data.dat", b"eval(x) \0")
        .file("a.js", b"eval(x) // \0")
        .file("a.bin", b"eval(x) \0")
        .file("vendor/readme.txt", b"\0")
        .file("other.py", b"\0");
    sandbox.git(&["add", "--all"]);
    let gaps = |args: &[&str]| {
        let output = sandbox.run_with(sandbox.command().arg("enforce").args(args), b"");
        let gaps: Vec<String> = output.unchecked();
        let paths =
            gaps.iter().filter_map(|gap| Some(gap.split_once(": ")?.0.to_owned())).collect::<Vec<_>>();
        (output.code, paths)
    };
    let named = vec!["a.js".to_owned()];
    assert_eq!(gaps(&["--all", "--skip", "no-py"]), (Some(0), named.clone()));
    assert_eq!(gaps(&["--all", "--skip", "no-py", "--strict"]), (Some(3), named.clone()));
    assert_eq!(gaps(&["a.js", "a.bin", "--strict"]), (Some(3), named));
    let both = vec!["a.js".to_owned(), "data.dat".to_owned()];
    for mode in [&["--staged"][..], &["--diff", "HEAD"]] {
        let args = [mode, &["--skip", "no-py", "--strict"]].concat();
        assert_eq!(gaps(&args), (Some(3), both.clone()), "{mode:?}: it was text before");
    }
}

#[test]
fn guard_reports_binary_change_of_text() {
    let sandbox = Sandbox::new()
        .contract(&forbid("no-eval", "eval", "**/*.{js,dat}"))
        .file("data.dat", "text")
        .file("old.js", b"x \0");
    let write = |path: &str| sandbox.hook("PreToolUse").write(path, "eval(x) // \0");
    for path in ["a.js", "data.dat"] {
        let output = write(path).guard().run();
        assert_eq!((output.decision().as_str(), output.message().contains(path)), ("", true), "{output}");
        assert_eq!(write(path).run().stdout.trim(), "{}", "without the guard a skip stays one");
    }
    assert_eq!(write("new.dat").guard().run().stdout.trim(), "{}");
    assert_eq!(write("a.py").guard().run().message(), "", "no contract names it");
    let output = sandbox.hook("PreToolUse").edit("old.js", "x", "eval(x)").guard().run();
    assert_eq!((output.decision().as_str(), output.message().contains("old.js")), ("", true), "{output}");
}

#[test]
fn unread_file_makes_no_requirement_missing() {
    let somewhere = "version: '1.2'\naudit_source: x\nrule:\n  id: has-mark\n  type: require_pattern\n  \
                     pattern: MARK\n  file_glob: '**/*.txt'\n  message: m\n  severity: error\n  rationale: r\n\
                     created_at: '2024-01-01'\nenabled: true\n";
    let sandbox = Sandbox::new()
        .contract(somewhere)
        .file("a.txt", "MARK and more than the limit")
        .file("b.txt", "none");
    let run = |limit: &str| sandbox.run(["enforce", "--all", "--format", "json", "--max-file-size", limit]);
    assert_eq!(run("100").violations(), Vec::<String>::new());
    let output = run("10");
    assert_eq!((output.violations(), output.code), (Vec::new(), Some(0)), "{output}");
    let sandbox = sandbox.file("a.txt", "short");
    assert_eq!(run_all(&sandbox).violations(), ["**/*.txt has-mark"]);
}

fn run_all(sandbox: &Sandbox) -> Output {
    sandbox.run(["enforce", "--all", "--format", "json"])
}

#[test]
fn notebook_requirement_is_judged_on_whole() {
    let notebook = json!({ "cells": [
        { "cell_type": "code", "id": "one", "source": "MARK\n", "outputs": [], "execution_count": 1 },
        { "cell_type": "code", "id": "two", "source": "b = 1\n" },
    ], "nbformat": 4 });
    let sandbox = Sandbox::new()
        .contract(&contract("has-format", "require_pattern", Some("\"nbformat\": 4"), "**/*.ipynb"))
        .contract(&contract("has-mark", "file_contains", Some("MARK"), "**/*.ipynb"))
        .file("n.ipynb", serde_json::to_string_pretty(&notebook).expect("is JSON"));
    assert_eq!(run_all(&sandbox).violations(), Vec::<String>::new());
    let edit = |event: &str, cell: &str, mode: &str| {
        let input = json!({ "notebook_path": sandbox.path("n.ipynb"), "cell_id": cell, "new_source": "c = 2\n",
            "edit_mode": mode });
        sandbox.hook(event).tool("NotebookEdit", input).run()
    };
    for mode in ["replace", "insert", "delete"] {
        edit("PreToolUse", "two", mode).assert_allowed();
    }
    for mode in ["replace", "delete"] {
        edit("PreToolUse", "one", mode).assert_denied(&["has-mark"]);
    }
    assert_eq!(edit("PostToolUse", "two", "replace").stdout, "{}\n");
}

#[test]
fn clean_write_outside_project_is_deferred() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "**"));
    let write = |path: &str, content: &str| {
        let input = json!({ "file_path": sandbox.home().join(path), "content": content });
        sandbox.hook("PreToolUse").tool("Write", input).run()
    };
    assert_eq!(write("a.txt", "fine").stdout, "{}\n");
    assert_eq!(write("a.txt", "x").decision(), "deny");
    std::os::unix::fs::symlink(sandbox.home(), sandbox.path("out")).expect("linked");
    assert_eq!(sandbox.pre_write("out/a.txt", "fine").stdout, "{}\n", "a link that leads outside");
    assert_eq!(sandbox.pre_write("a.txt", "fine").decision(), "allow");
}

#[test]
fn nested_worktree_has_own_contracts() {
    let sandbox = Sandbox::new().git_init().contract(&forbid("no-x", "x", "src/**")).file("src/a.txt", "");
    sandbox.git(&["add", "--all"]);
    let sandbox = sandbox.git_commit("all");
    sandbox.git(&["worktree", "add", "-q", ".claude/worktrees/topic"]);
    let event = json!({ "cwd": sandbox.path(".claude/worktrees/topic"), "tool_name": "Write", "tool_input":
        { "file_path": sandbox.path(".claude/worktrees/topic/src/b.txt"), "content": "x" } });
    let mut command = sandbox.command();
    command.args(["enforce", "--stdin"]).env("CLAUDE_PROJECT_DIR", sandbox.root());
    let output = sandbox.run_with(&mut command, event.to_string().as_bytes());
    assert_eq!(output.decision(), "deny", "{output}");
}

#[test]
fn long_message_makes_no_long_response() {
    let long = forbid("no-x", "x", "**").replace("Do not no-x.", &"m".repeat(40_000));
    let sandbox = Sandbox::new().contract(&long);
    let output = sandbox.pre_write("a.txt", &"x ".repeat(200));
    assert_eq!(output.decision(), "deny");
    let reason = output.reason();
    assert!(reason.chars().count() <= 9_500, "{} characters", reason.chars().count());
    assert!(reason.contains("180"), "{reason}");
}

#[test]
fn unused_number_stops_no_check() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "**"));
    let path = sandbox.path("a.txt");
    let event = format!(
        r#"{{"n": 1e400, "tool_name": "Write", "cwd": "/", "tool_input": {{"file_path": {path:?}, "content": "x"}}}}"#
    );
    assert_eq!(sandbox.run_stdin(["enforce", "--stdin"], event).decision(), "deny");
}
