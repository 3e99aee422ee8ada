//! `--existing report`: an edit of old code is denied only for what it adds, in every mode that knows what was before.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Output, Sandbox, contract, count_in, forbid, violations_in, warning};

const OLD: usize = 29;

/// A Python file with 29 old violations, and room between them.
fn old_file() -> String {
    (1..=OLD).map(|n| format!("def f{n}():\n    print({n})\n\n")).collect()
}

fn sandbox() -> Sandbox {
    Sandbox::new().contract(&forbid("no-print", r"\bprint\(", "**/*.py")).file("old.py", old_file())
}

fn pre(sandbox: &Sandbox, tool: &str, input: Value) -> Output {
    sandbox.hook("PreToolUse").tool(tool, input).args(["--severity", "error", "--existing", "report"]).run()
}

fn edit(sandbox: &Sandbox, old: &str, new: &str) -> Output {
    let edit = sandbox.hook("PreToolUse").edit("old.py", old, new);
    edit.args(["--severity", "error", "--existing", "report"]).run()
}

fn write(sandbox: &Sandbox, content: &str) -> Output {
    pre(sandbox, "Write", json!({ "file_path": sandbox.path("old.py"), "content": content }))
}

#[test]
fn allows_edit_of_old_code_without_additions() {
    let sandbox = sandbox();
    let output = edit(&sandbox, "def f3():", "def f3(x):");
    output.assert_allowed();
    assert_eq!(output.reason(), "No new violations: 0 errors, 0 warnings, 29 existing");
    assert_eq!(output.context(), "", "{output}");

    let output = edit(&sandbox, "def f3():\n", "def f3():\n    print('new')\n");
    output.assert_denied(&["no-print at line 8"]);

    let output = edit(&sandbox, "    print(3)\n", "    return 3\n");
    assert_eq!(output.decision(), "allow", "{output}");
    assert_eq!(count_in(&output.reason(), "existing"), 28, "{output}");
}

#[test]
fn compares_every_line_of_match() {
    let sandbox = Sandbox::new()
        .git_init()
        .contract(&forbid("no-drop", r"run\(\s*\n\s*drop", "**/*.py"))
        .file("old.py", "run(\n    drop_old)\nx = 1\n")
        .git_add("old.py")
        .git_commit("old");
    edit(&sandbox, "drop_old", "drop_all_tables").assert_denied(&["no-drop at line 1"]);
    let output = edit(&sandbox, "run(\n    drop_old)\n", "\nrun( \n\tdrop_old )\n");
    assert_eq!(
        (output.decision(), count_in(&output.reason(), "existing")),
        ("allow".to_owned(), 1),
        "{output}"
    );
    let sandbox = sandbox.file("old.py", "run(\n    drop_all_tables)\nx = 1\n").git_add("old.py");
    for args in [["--staged", "--new-lines"], ["--diff=HEAD", "--new-lines"]] {
        let output = sandbox.run(["enforce", args[0], args[1]]);
        assert_eq!(output.report(), ["old.py:1 error no-drop"], "{args:?}: {output}");
    }
    let sandbox = sandbox.git_commit("another match");
    let output = sandbox.run(["contracts", "backtest", "no-drop", "--commits", "1", "--format", "json"]);
    assert_eq!(output.json()["refused"].as_array().map(Vec::len), Some(1), "{output}");
}

#[test]
fn existing_violations_deny_by_default() {
    let sandbox = sandbox();
    for args in [vec!["--severity", "error"], vec!["--severity", "error", "--existing", "deny"]] {
        let output = sandbox.hook("PreToolUse").edit("old.py", "f3()", "f3(x)").args(args).run();
        assert_eq!((output.decision(), output.reported().len()), ("deny".to_owned(), 20), "{output}");
    }
}

#[test]
fn copy_is_new_at_its_own_line() {
    let sandbox = sandbox();
    let output = edit(&sandbox, "def f1():\n", "def f1():\n    print(20)\n");
    output.assert_denied(&["no-print at line 2"]);
}

#[test]
fn moved_and_reindented_lines_keep_their_violations() {
    let sandbox = sandbox();
    let mut functions: Vec<_> = (1..=OLD).map(|n| format!("def f{n}():\n\tprint( {n} )\n\n")).collect();
    functions.reverse();
    let output = write(&sandbox, &functions.concat());
    assert_eq!(output.decision(), "allow", "{output}");
    let output = write(&sandbox, &(functions.concat() + "print(30)\n"));
    assert_eq!(output.decision(), "deny", "{output}");
    assert!(!output.reason().contains('\n'), "{output}");
}

#[test]
fn reports_existing_violations_on_touched_lines() {
    let sandbox = sandbox();
    let output =
        edit(&sandbox, "def f3():\n    print(3)\n\ndef f4():", "def g3():\n    print(3)\n\ndef g4():");
    assert_eq!(output.decision(), "allow", "{output}");
    insta::assert_snapshot!(output.context(), @r"
    Existing violations on lines that this edit touches (they do not block it):
    Existing violation: no-print at line 8. Do not no-print.
    ");
    let both = "def g3():\n    print(3)\n    print('new')\n\ndef g4():";
    let output = edit(&sandbox, "def f3():\n    print(3)\n\ndef f4():", both);
    output.assert_denied(&["no-print at line 9"]);
    assert_eq!(violations_in(&output.context()), ["no-print at line 8"], "{output}");
}

#[test]
fn defer_leaves_decision_and_reports_existing() {
    let sandbox = sandbox();
    let edit = sandbox.hook("PreToolUse").edit("old.py", "    print(3)", "  print(3)");
    let output = edit.args(["--existing", "report", "--on-clean", "defer"]).run();
    assert_eq!(output.decision(), "", "{output}");
    assert_eq!(output.reported(), ["no-print at line 8"], "{output}");
}

#[test]
fn new_file_and_removed_directive_add_violations() {
    let sandbox = sandbox().file("ignored.py", "print(1)  # phaser:ignore no-print\n");
    let new = json!({ "file_path": sandbox.path("new.py"), "content": old_file() });
    assert_eq!(pre(&sandbox, "Write", new).decision(), "deny");
    let input = json!({ "file_path": sandbox.path("ignored.py"), "old_string": "  # phaser:ignore no-print", "new_string": "" });
    assert_eq!(pre(&sandbox, "Edit", input).decision(), "deny");
}

#[test]
fn several_edits_and_old_requirements() {
    let sandbox = sandbox().contract(&contract("licence", "require_pattern", Some("Copyright"), "**/*.py"));
    let edits = json!([{ "old_string": "f1()", "new_string": "g1()" }, { "old_string": "f9()", "new_string": "g9()" }]);
    let input = json!({ "file_path": sandbox.path("old.py"), "edits": edits });
    let output = pre(&sandbox, "MultiEdit", input);
    assert_eq!(output.decision(), "allow", "{output}");
    assert_eq!(count_in(&output.reason(), "existing"), 30, "{output}");
    let sandbox = sandbox.file("new.py", "# Copyright\n");
    let input = json!({ "file_path": sandbox.path("new.py"), "old_string": "# Copyright\n", "new_string": "x = 1\n" });
    assert_eq!(pre(&sandbox, "Edit", input).decision(), "deny", "what the file had is missing now");
}

#[test]
fn link_is_compared_under_both_names() {
    let sandbox = sandbox();
    std::os::unix::fs::symlink("old.py", sandbox.path("link")).expect("linked");
    let input = json!({ "file_path": sandbox.path("link"), "old_string": "f3()", "new_string": "f3(x)" });
    let output = pre(&sandbox, "Edit", input);
    assert_eq!(output.decision(), "allow", "{output}");
}

fn notebook(cells: &[(&str, &str)]) -> String {
    let cell = |(id, source): &(&str, &str)| json!({ "cell_type": "code", "id": id, "metadata": {}, "source": source, "outputs": [], "execution_count": null });
    json!({ "cells": cells.iter().map(cell).collect::<Vec<_>>(), "metadata": {}, "nbformat": 4, "nbformat_minor": 5 }).to_string()
}

#[test]
fn cells_are_compared_with_what_they_were() {
    let sandbox = Sandbox::new()
        .contract(&forbid("no-print", r"\bprint\(", "**/*.ipynb"))
        .contract(&contract("seed", "require_pattern", Some("seed"), "**/*.ipynb"))
        .file("n.ipynb", notebook(&[("a", "print(1)\nx = 1"), ("b", "y = 1")]));
    let cell = |id: &str, mode: &str, source: &str| {
        let input = json!({ "notebook_path": sandbox.path("n.ipynb"), "cell_id": id, "edit_mode": mode, "new_source": source });
        pre(&sandbox, "NotebookEdit", input)
    };
    let decision = |id, mode, source| cell(id, mode, source).decision();
    assert_eq!(decision("a", "replace", "print(1)\nx = 2"), "allow");
    assert_eq!(decision("a", "replace", "print(1)\nprint(2)"), "deny");
    assert_eq!(decision("b", "replace", "print(1)"), "deny");
    assert_eq!(decision("b", "insert", "print(1)"), "deny", "a cell that is new was nothing");
    assert_eq!(decision("b", "insert", "z = 1"), "allow", "the notebook never had what it lacks");
    assert_eq!(decision("b", "delete", ""), "allow");
    let sandbox = Sandbox::new()
        .contract(&contract("seed", "require_pattern", Some("seed"), "**/*.ipynb"))
        .file("n.ipynb", notebook(&[("a", "seed(1)"), ("b", "y = 1")]));
    let input = json!({ "notebook_path": sandbox.path("n.ipynb"), "cell_id": "a", "edit_mode": "delete", "new_source": "" });
    assert_eq!(pre(&sandbox, "NotebookEdit", input).decision(), "deny", "it had what it lacks now");
}

/// The event after a Write or an Edit, as the client sends it; the file is already what the tool made of it.
fn post(sandbox: &Sandbox, tool: &str, original: Value) -> Output {
    let event = json!({
        "session_id": "s", "cwd": sandbox.root(), "hook_event_name": "PostToolUse", "tool_name": tool,
        "tool_input": { "file_path": sandbox.path("old.py"), "content": "", "old_string": "", "new_string": "" },
        "tool_response": {
            "filePath": sandbox.path("old.py"), "originalFile": original, "structuredPatch": [], "userModified": false,
        },
    });
    let args = ["enforce", "--stdin", "--severity", "warning", "--existing", "report"];
    sandbox.run_stdin(args, event.to_string())
}

#[test]
fn reports_warning_after_edit_once() {
    let sandbox = Sandbox::new().contract(&warning(&forbid("no-todo", "TODO", "**/*.py")));
    let first = "x = 1\n# TODO later\ny = 1\n";
    let sandbox = sandbox.file("old.py", first);
    for (tool, original) in [("Write", Value::Null), ("Edit", json!("x = 1\ny = 1\n"))] {
        let output = post(&sandbox, tool, original);
        assert_eq!(output.json()["decision"], "block", "{output}");
        assert_eq!(output.reported(), ["no-todo at line 2"], "{output}");
    }
    let sandbox = sandbox.file("old.py", "x = 1\n# TODO later\ny = 2\n");
    for tool in ["Write", "Edit"] {
        assert_eq!(post(&sandbox, tool, json!(first)).json(), json!({}));
    }
    let sandbox = sandbox.file("old.py", "x = 1\n    # TODO later\ny = 2\n");
    let output = post(&sandbox, "Edit", json!(first));
    assert_eq!(output.json()["decision"], Value::Null, "{output}");
    assert_eq!(output.reported(), ["no-todo at line 2"], "{output}");
}

#[test]
fn compares_notebook_cell_after_edit() {
    let before = notebook(&[("a", "# TODO\nx = 1")]);
    let sandbox = Sandbox::new()
        .contract(&warning(&forbid("no-todo", "TODO", "**/*.ipynb")))
        .file("n.ipynb", notebook(&[("a", "# TODO\nx = 2")]));
    let event = |original: &str| {
        json!({
            "cwd": sandbox.root(), "hook_event_name": "PostToolUse", "tool_name": "NotebookEdit",
            "tool_input": { "notebook_path": sandbox.path("n.ipynb"), "cell_id": "a", "new_source": "# TODO\nx = 2" },
            "tool_response": { "original_file": original, "cell_id": "a" },
        })
    };
    let run = |original: &str| {
        sandbox.run_stdin(["enforce", "--stdin", "--existing", "report"], event(original).to_string()).json()
    };
    assert_eq!(run(&before), json!({}));
    assert_eq!(run(&notebook(&[("a", "x = 1")]))["decision"], "block");
}

#[test]
fn kept_line_endings_add_nothing() {
    let sandbox = Sandbox::new()
        .contract(&warning(&forbid("no-crlf", r"\r\n", "**/*.py")))
        .file("old.py", "x = 1\r\ny = 2\r\n");
    let output = post(&sandbox, "Edit", json!("x = 1\ny = 1\n"));
    assert_eq!(output.reported(), ["no-crlf at line 2"], "{output}");
}

#[test]
fn staged_and_diff_follow_the_rule() {
    let sandbox = sandbox().git_init();
    sandbox.git(&["add", "--all"]);
    let sandbox =
        sandbox.git_commit("old").file("old.py", old_file().replace("f3()", "f3(x)") + "print(30)\n");
    let sandbox = sandbox.git_add("old.py");
    for (args, count) in [
        (vec!["--staged", "--existing", "report"], 1),
        (vec!["--staged", "--new-lines"], 1),
        (vec!["--staged", "--new-lines", "--existing", "report"], 1),
        (vec!["--diff", "HEAD", "--existing", "report"], 1),
        (vec!["--staged"], OLD + 1),
        (vec!["--staged", "--existing", "deny"], OLD + 1),
    ] {
        let mut command = sandbox.command();
        let output = sandbox.run_with(command.args(["enforce", "--format", "json"]).args(&args), b"");
        assert_eq!((output.code, output.violations().len()), (Some(1), count), "{args:?}");
        assert_eq!(output.json()["summary"]["existing"], OLD + 1 - count, "{args:?}");
    }
    let output = sandbox.run(["enforce", "--staged", "--existing", "report"]);
    assert_eq!((output.count("error"), output.count("existing")), (1, OLD), "{output}");
    let output = sandbox.run(["enforce", "--staged", "--new-lines", "--existing", "deny"]);
    assert_eq!(output.code, Some(3));
    assert!(output.stderr.contains("contradicts"), "{output}");
    fs::remove_file(sandbox.path("old.py")).expect("removed");
}

#[test]
fn configuration_sets_rule_and_flag_overrides() {
    let sandbox = sandbox().git_init();
    sandbox.git(&["add", "--all"]);
    let sandbox = sandbox.git_commit("old").file(".claude/phaser.yaml", "existing: report\n");
    sandbox.git(&["mv", "old.py", "moved.py"]);
    let sandbox = sandbox.file("moved.py", old_file().replace("f3()", "f3(x)"));
    sandbox.git(&["add", "--all"]);
    for args in [["--staged", "--strict"], ["--diff", "HEAD"]] {
        let run = |more: &[&str]| {
            let mut command = sandbox.command();
            sandbox.run_with(command.args(["enforce"]).args(args).args(more), b"")
        };
        let output = run(&[]);
        assert_eq!((output.code, output.count("existing")), (Some(0), OLD), "{output}");
        assert_eq!(output.report(), [""; 0]);
        assert_eq!(run(&["--existing", "deny"]).code, Some(1), "{args:?}");
    }
    let input = json!({ "file_path": sandbox.path("moved.py"), "old_string": "f4()", "new_string": "f4(x)" });
    let output = sandbox.hook("PreToolUse").tool("Edit", input.clone()).args(["--severity", "error"]).run();
    assert_eq!(output.decision(), "allow", "{output}");
    let output = sandbox.hook("PreToolUse").tool("Edit", input).args(["--existing", "deny"]).run();
    assert_eq!(output.decision(), "deny", "{output}");
}

/// As 'pre-commit run --all-files' names files, and --from-ref with --to-ref.
#[test]
fn named_unstaged_file_is_judged_whole() {
    let sandbox = Sandbox::new()
        .git_init()
        .file(".claude/phaser.yaml", "existing: report\n")
        .contract(&forbid("no-x", "x", "**/*.txt"))
        .file("old.txt", "x\n")
        .file("changed.txt", "x\n")
        .file("mode.txt", "x\n");
    sandbox.git(&["add", "--all"]);
    let sandbox = sandbox.git_commit("old").file("changed.txt", "x\nmore\n").git_add("changed.txt");
    sandbox.git(&["update-index", "--chmod=+x", "mode.txt"]);
    let staged = |more: &[&str]| {
        let mut command = sandbox.command();
        command.args(["enforce", "--staged", "--format", "json"]).args(more);
        sandbox.run_with(&mut command, b"").violations()
    };
    assert_eq!(staged(&[]), [""; 0]);
    assert_eq!(staged(&["old.txt", "changed.txt", "mode.txt"]), ["old.txt:1:1 no-x"]);
    assert_eq!(staged(&["changed.txt", "mode.txt"]), [""; 0]);
    assert_eq!(staged(&["--existing", "report", "old.txt"]), [""; 0]);
    sandbox.run(["baseline"]);
    assert_eq!(staged(&["old.txt"]), [""; 0]);
}
