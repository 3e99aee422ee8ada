//! Contracts about the size of files, and `decision: ask`.

use crate::harness::{Sandbox, forbid};

const SMALL: &str = "rule_id: small\ntype: file_size\nmax_lines: 3\nmax_bytes: 40\nfile_glob: '**/*.txt'\n\
    message: 'Split the file.'\nseverity: error\n\
    examples:\n  violating: [\"1\\n2\\n3\\n4\\n\"]\n  passing: [\"1\\n2\\n3\\n\"]\n";

fn check(sandbox: &Sandbox) -> Vec<String> {
    sandbox.run(["enforce", "--all", "--format", "json"]).violations()
}

#[test]
fn counts_lines_and_bytes() {
    let sandbox = Sandbox::new()
        .contract(SMALL)
        .file("ok.txt", "1\n2\n3\n")
        .file("last.txt", "1\n2\n3\n4")
        .file("long.txt", "x".repeat(41))
        .file("binary.txt", [b"\0\n".repeat(20).as_slice(), b""].concat())
        .file("other.md", "\n".repeat(100));
    assert_eq!(check(&sandbox), ["last.txt small", "long.txt small"]);
    assert_eq!(sandbox.run(["contracts", "test"]).code, Some(0));
    assert_eq!(sandbox.run(["contracts", "lint"]).code, Some(0));
    sandbox.pre_write("new.txt", "1\n2\n3\n4\n5\n").assert_denied(&["small"]);
    sandbox.pre_write("new.txt", "1\n").assert_allowed();
}

#[test]
fn history_counts_sizes() {
    let sandbox = Sandbox::new().contract(SMALL).file("a.txt", "1\n2\n3\n4\n").git_init().git_add(".");
    let sandbox = sandbox.git_commit("long").file("a.txt", "1\n").git_add(".").git_commit("short");
    let history = sandbox.run(["history", "--every", "1", "--format", "json"]).json();
    let errors = |at: usize| history["commits"][at]["contracts"]["small"].as_u64();
    assert_eq!((errors(0), errors(1)), (Some(1), None), "{history}");
}

#[test]
fn directive_for_size_is_known() {
    let small = SMALL.replace("**/*.txt", "**/*.py");
    let text = "# phaser:ignore-file small -- generated\n2\n3\n4\n";
    let sandbox =
        Sandbox::new().contract(&small).file("a.py", text).file("b.py", "# phaser:ignore-file small\n");
    let lint = sandbox.run(["contracts", "lint"]);
    assert!(lint.stdout.contains("b.py:1: 'small' is not violated here (remove it)"), "{lint}");
    assert!(!lint.stdout.contains("a.py"), "{lint}");
    let sandbox = sandbox.file(".claude/phaser.yaml", "ignores: deny\n");
    let edit = sandbox.hook("PreToolUse").guard().edit("a.py", "4", "5").run();
    edit.assert_allowed();
    let new = sandbox.hook("PreToolUse").guard().write("c.py", text).run();
    assert_eq!(new.decision(), "deny", "{new}");
}

#[test]
fn limits_are_numbers_and_explained() {
    let sandbox = Sandbox::new().contract(SMALL);
    let explained = sandbox.run(["explain", "small"]).stdout;
    assert!(explained.contains("  max_lines: 3\n  max_bytes: 40\n"), "{explained}");
    let shown = sandbox.run(["contracts", "show", "small", "--format", "json"]).json();
    assert_eq!(shown["contract"]["max_lines"], 3, "{shown}");
    let created = sandbox.run([
        "contracts",
        "create",
        "--rule-id",
        "tiny",
        "--type",
        "file_size",
        "--max-lines",
        "5",
        "--message",
        "m",
        "--dry-run",
    ]);
    assert!(created.stdout.contains("\nmax_lines: 5\n"), "{created}");
    let list = Sandbox::new().contract(&SMALL.replace("max_lines: 3", "max_lines: [3]"));
    let list = list.run(["enforce", "--all"]);
    assert!(list.stderr.contains("small.yaml:3: 'max_lines' is not a number (write digits)"), "{list}");
}

#[test]
fn judges_files_too_large_to_search() {
    let sandbox = Sandbox::new().contract(SMALL).file("a.txt", "x\n".repeat(1000));
    let output = sandbox.run(["enforce", "--all", "--max-file-size", "100", "--format", "json"]);
    assert_eq!(output.violations(), ["a.txt small"]);
}

#[test]
fn file_that_did_not_grow_is_existing() {
    let sandbox = Sandbox::new()
        .contract(SMALL)
        .file(".claude/phaser.yaml", "existing: report\n")
        .file("a.txt", "1\n2\n3\n4\n5\n")
        .git_init()
        .git_add(".")
        .git_commit("first");
    sandbox.hook("PreToolUse").guard().edit("a.txt", "3\n", "x\n").run().assert_allowed();
    sandbox.hook("PreToolUse").guard().edit("a.txt", "3\n", "").run().assert_allowed();
    sandbox
        .hook("PreToolUse")
        .guard()
        .edit("a.txt", "3\n", "3\n4\n")
        .run()
        .assert_denied(&["small at a.txt"]);
    let sandbox = sandbox.file("a.txt", "1\n2\n3\n4\n").git_add(".");
    assert_eq!(sandbox.run(["enforce", "--staged", "--format", "json"]).violations(), [""; 0]);
    let sandbox = sandbox.file("a.txt", "1\n2\n3\n4\n5\n6\n").git_add(".");
    assert_eq!(sandbox.run(["enforce", "--staged", "--format", "json"]).violations(), ["a.txt small"]);
}

#[test]
fn ignore_file_suppresses_size() {
    let sandbox = Sandbox::new()
        .contract(&SMALL.replace("*.txt", "*.py"))
        .file("a.py", "# phaser:ignore-file small -- generated\n1\n2\n3\n4\n");
    assert_eq!(check(&sandbox), [""; 0]);
}

#[test]
fn limit_is_required_and_a_number() {
    let none = SMALL.replace("max_lines: 3\nmax_bytes: 40\n", "");
    let output = Sandbox::new().contract(&none).run(["enforce", "--all"]);
    assert!(output.stderr.contains("small.yaml:1: 'max_lines' or 'max_bytes' is missing"), "{output}");
    let text = SMALL.replace("max_lines: 3", "max_lines: many");
    let output = Sandbox::new().contract(&text).run(["enforce", "--all"]);
    assert!(output.stderr.contains("small.yaml:3: 'max_lines' is not a number"), "{output}");
    let other = forbid("no-x", "x", "**") + "max_lines: 3\n";
    let output = Sandbox::new().contract(&other).run(["enforce", "--all"]);
    assert!(output.stderr.contains("key 'max_lines' has no effect for forbid_pattern"), "{output}");
}

#[test]
fn decision_ask_asks_the_user() {
    let ask = forbid("no-x", "x", "**") + "decision: ask\n";
    let sandbox = Sandbox::new().contract(&ask).contract(&forbid("no-y", "y", "**"));
    for event in [sandbox.hook("PreToolUse"), sandbox.hook("PreToolUse").guard()] {
        let output = event.write("a.txt", "x\n").run();
        assert_eq!(output.decision(), "ask", "{output}");
        assert!(output.reason().contains("no-x"), "{output}");
    }
    let both = sandbox.hook("PreToolUse").guard().write("a.txt", "x y\n").run();
    assert_eq!(both.decision(), "deny", "{both}");
    let sandbox = sandbox.file("a.txt", "x\n");
    assert_eq!(sandbox.run(["enforce", "--all"]).code, Some(1));
    let lowered = sandbox
        .hook("PreToolUse")
        .guard()
        .edit(".claude/contracts/no-y.yaml", "severity: error", "severity: error\ndecision: ask")
        .run();
    assert!(lowered.reason().contains("asks the user"), "{lowered}");
}
