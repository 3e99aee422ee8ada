//! `enforce --stdin`: what Claude Code sends, and what it is answered.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Sandbox, contract, forbid, unchecked_in, warning};

/// The contract of most tests: an optional is force-unwrapped.
fn no_force_unwrap() -> String {
    "rule_id: no-force-unwrap\ntype: forbid_pattern\npattern: '\\w+!\\s*(?://|$)'\nfile_glob: '**/*.swift'\n\
     message: 'Avoid force unwrapping optionals. Use guard let or if let instead.'\nseverity: error\n"
        .to_owned()
}

fn sandbox() -> Sandbox {
    Sandbox::new().contract(&no_force_unwrap())
}

#[test]
fn a_clean_write_is_allowed() {
    insta::assert_snapshot!(sandbox().pre_write("src/new.swift", "import Foundation\n"), @r#"
    exit: 0
    --- stdout
    {
      "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "allow",
        "permissionDecisionReason": "All contracts passed"
      }
    }

    --- stderr
    "#);
}

#[test]
fn denies_violating_write_with_line_and_message() {
    let text = "import Foundation\n\nlet value = optional!\n";
    insta::assert_snapshot!(sandbox().pre_write("src/app.swift", text), @r#"
    exit: 0
    --- stdout
    {
      "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "Contract violation: no-force-unwrap at line 3. Avoid force unwrapping optionals. Use guard let or if let instead."
      }
    }

    --- stderr
    "#);
}

#[test]
fn judges_edit_by_resulting_file() {
    let sandbox = sandbox().file("src/app.swift", "// one\nlet value = optional\n// three\n");
    let output = sandbox.pre_edit("src/app.swift", "let value = optional", "let value = optional!");
    output.assert_denied(&["no-force-unwrap at line 2"]);
    sandbox.pre_edit("src/app.swift", "optional", "required").assert_allowed();
}

#[test]
fn accepts_older_names_of_edit() {
    let sandbox = sandbox().file("src/app.swift", "let value = optional\n");
    let input =
        json!({ "file_path": sandbox.path("src/app.swift"), "old_str": "optional", "new_str": "optional!" });
    assert_eq!(sandbox.hook("PreToolUse").tool("Edit", input).run().decision(), "deny");
}

#[test]
fn directive_in_proposed_text_suppresses() {
    let one = "let value = optional! // phaser:ignore no-force-unwrap\n";
    let output = sandbox().pre_write("src/app.swift", one);
    output.assert_allowed();
    assert_eq!(output.reason(), "1 violation suppressed by ignore");
    let output = sandbox().pre_write("src/app.swift", &one.repeat(2));
    output.assert_allowed();
    assert_eq!(output.reason(), "2 violations suppressed by ignore");
}

#[test]
fn directive_on_disk_does_not_count() {
    let sandbox = sandbox().file("src/app.swift", "let a = b! // phaser:ignore no-force-unwrap\n");
    assert_eq!(sandbox.pre_write("src/app.swift", "let a = b!\n").decision(), "deny");
}

/// Every reason for skipping: the answer is `{}`, and the reason goes to standard error.
#[test]
fn unreconstructable_edit_is_skipped() {
    let sandbox = sandbox()
        .file("src/app.swift", "let a = b\n")
        .file("src/binary.swift", b"a\0b!\n")
        .file("src/dir.swift/x", "");
    let edit = |path: &str, old: &str| {
        let input = json!({ "file_path": sandbox.path(path), "old_string": old, "new_string": "x!" });
        ("Edit", input)
    };
    let cases = [
        (("Write", json!({ "content": "a!" })), "Missing file_path"),
        (("Edit", json!({ "old_string": "a", "new_string": "b" })), "Missing file_path"),
        (
            ("Write", json!({ "file_path": sandbox.path("a.swift"), "content": "a!\u{0}" })),
            "Binary content detected",
        ),
        (edit("src/binary.swift", "a"), "Binary file detected"),
        (edit("src/gone.swift", "a"), "File not found: [ROOT]/src/gone.swift"),
        (edit("src/dir.swift", "a"), "Cannot read file: not a regular file"),
        (edit("src/app.swift", "absent"), "old_str not found in file"),
        (("Bash", json!({ "command": "ls" })), "Unknown tool: Bash"),
    ];
    for ((tool, input), reason) in cases {
        let output = sandbox.hook("PreToolUse").tool(tool, input.clone()).run();
        assert_eq!(output.json(), json!({}), "{reason}: {output}");
        assert_eq!(output.code, Some(0), "{reason}");
        assert_eq!(output.unchecked(), [reason], "{output}");
        let quiet = sandbox.hook("PreToolUse").tool(tool, input).args(["--quiet"]).run();
        assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("{}\n", ""), "{reason}");
    }
}

#[test]
fn without_contracts_the_answer_is_empty() {
    insta::assert_snapshot!(Sandbox::new().pre_write("src/app.swift", "let a = b!\n"), @"
    exit: 0
    --- stdout
    {}

    --- stderr
    ");
}

#[test]
fn contracts_that_do_not_apply_are_passed() {
    sandbox().pre_write("a.py", "a!\n").assert_allowed();
}

#[test]
fn input_that_is_no_object_is_trouble() {
    for input in ["", "not json", "[]", "\"text\"", "{\"a\": 1", "{\"a\" 1}"] {
        let output = sandbox().run_stdin(["enforce", "--stdin"], input);
        assert_eq!(output.code, Some(3), "{input}: {output}");
        assert_eq!(output.stdout, "", "{input}");
        assert!(output.stderr.starts_with("phaser: standard input"), "{output}");
    }
}

#[test]
fn warnings_are_reported_after_write_only() {
    let sandbox = Sandbox::new()
        .contract(&warning(&forbid("prefer-guard-let", "if let", "**/*.swift")))
        .file("src/app.swift", "\nif let a = b {}\n");
    sandbox.pre_write("src/app.swift", "if let\n").assert_allowed();
    insta::assert_snapshot!(sandbox.post_write("src/app.swift", "stale: the file on disk counts"), @r#"
    exit: 0
    --- stdout
    {
      "decision": "block",
      "reason": "Contract warning detected after file write",
      "hookSpecificOutput": {
        "hookEventName": "PostToolUse",
        "additionalContext": "Warning: prefer-guard-let at line 2. Do not prefer-guard-let."
      }
    }

    --- stderr
    "#);
}

#[test]
fn error_after_write_is_a_violation() {
    let sandbox = sandbox().file("src/app.swift", "let a = b!\n");
    let input = json!({ "file_path": sandbox.path("src/app.swift") });
    let output = sandbox.hook("PostToolUse").tool("Edit", input).run();
    assert_eq!(output.json()["decision"], "block");
    assert_eq!(output.reason(), "Contract violation detected after file write");
    assert!(output.context().starts_with("Error: no-force-unwrap at line 1. Avoid"), "{output}");
}

#[test]
fn clean_write_is_silent_afterwards() {
    let sandbox = sandbox().file("src/app.swift", "let a = b\n");
    assert_eq!(sandbox.post_write("src/app.swift", "let a = b!\n").stdout, "{}\n");
}

#[test]
fn missing_written_file_is_judged_by_content() {
    let sandbox = Sandbox::new().contract(&warning(&no_force_unwrap()));
    assert_eq!(sandbox.post_write("src/app.swift", "let a = b!\n").json()["decision"], "block");
}

#[test]
fn a_violation_without_a_line_names_none() {
    let sandbox = Sandbox::new().contract(&contract("needs-licence", "require_pattern", Some("MIT"), "**"));
    sandbox.pre_write("a.txt", "x\n").assert_denied(&["needs-licence"]);
}

#[test]
fn errors_come_first_and_twenty_are_named() {
    let sandbox = Sandbox::new()
        .contract(&warning(&forbid("a-warning", "w", "**")))
        .contract(&forbid("an-error", "e", "**"));
    let output = sandbox.hook("PreToolUse").write("a.txt", &format!("w\n{}", "e\n".repeat(25))).run();
    let expected: Vec<_> = (2..=21).map(|line| format!("an-error at line {line}")).collect();
    assert_eq!(output.reported(), expected);
    assert_eq!(output.reason().lines().last(), Some("… and 6 more"));
}

#[test]
fn the_rationale_is_not_in_the_reason() {
    let sandbox = Sandbox::new().contract(&(forbid("no-x", "x", "**") + "rationale: 'because of history'\n"));
    let reason = sandbox.pre_write("a.txt", "x\n").reason();
    assert!(!reason.contains("history"), "{reason}");
}

#[test]
fn defer_leaves_clean_edit_to_agent() {
    let sandbox = sandbox();
    let write = |content: &str| {
        sandbox.hook("PreToolUse").write("a.swift", content).args(["--on-clean", "defer"]).run()
    };
    assert_eq!(write("let a = b\n").stdout, "{}\n");
    assert_eq!(write("let a = b! // phaser:ignore no-force-unwrap\n").stdout, "{}\n");
    assert_eq!(write("let a = b!\n").decision(), "deny");
}

#[test]
fn other_events_have_nothing_to_check() {
    for name in ["Stop", "SessionStart", "UserPromptSubmit", "SomethingNew", "PostToolUseFailure"] {
        let input = json!({ "file_path": "/a.swift", "content": "a!" });
        let output = sandbox().hook(name).tool("Write", input).run();
        assert_eq!((output.stdout.as_str(), output.code), ("{}\n", Some(0)), "{name}");
    }
}

#[test]
fn missing_event_name_means_pre_tool_use() {
    let sandbox = sandbox();
    let write = sandbox.hook("").write("a.swift", "a!\n").with(json!({ "hook_event_name": null }));
    assert_eq!(write.run().decision(), "deny");
}

#[test]
fn camel_case_is_read_too() {
    let sandbox = sandbox();
    let event = json!({ "cwd": sandbox.root(), "hookEventName": "PreToolUse", "toolName": "Write",
        "toolInput": { "filePath": "a.swift", "content": "a!\n" }, "unknown": [1, 2] });
    assert_eq!(sandbox.run_stdin(["enforce", "--stdin"], event.to_string()).decision(), "deny");
}

#[test]
fn odd_json_is_read_leniently() {
    let sandbox = sandbox();
    let root = sandbox.root();
    let event = |content: &str| {
        format!(
            "{{\"cwd\": {root:?}, \"tool_name\": \"Write\", \"tool_input\": {{\"file_path\": \"a.swift\", \
             \"content\": \"{content}\"}}}}"
        )
    };
    let inputs = [
        format!("\u{feff}{}", event("a!\\n")),
        event("\\ud800 a!\\n"),
        event("raw\ttab and newline\na!\n"),
        format!("{} trailing", event("a!\\n")),
    ];
    for input in inputs {
        let output = sandbox.run_stdin(["enforce", "--stdin"], &input);
        assert_eq!(output.decision(), "deny", "{input:?}: {output}");
    }
    let mut bytes = event("a!\\n").into_bytes();
    let at = bytes.windows(3).position(|window| window == b"a!\\").expect("is there");
    bytes.insert(at, 0xff);
    assert_eq!(sandbox.run_stdin(["enforce", "--stdin"], &bytes).decision(), "deny");
}

#[test]
fn open_stdin_delays_nothing() {
    use std::io::Write as _;
    let sandbox = sandbox();
    let event = sandbox.hook("PreToolUse").write("a.swift", "a!\n").json();
    let mut child = sandbox
        .command()
        .args(["enforce", "--stdin"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("starts");
    let mut stdin = child.stdin.take().expect("is piped");
    stdin.write_all(event.as_bytes()).expect("written");
    stdin.flush().expect("flushed");
    let status = child.wait().expect("ends while its input is still open");
    assert_eq!(status.code(), Some(0));
    drop(stdin);
}

#[test]
fn more_than_ten_megabytes_is_trouble() {
    let input = format!("{{\"a\": \"{}\"}}", "x".repeat(10 * 1024 * 1024));
    let output = sandbox().run_stdin(["enforce", "--stdin"], input);
    assert_eq!((output.code, output.stdout.as_str()), (Some(3), ""));
}

#[test]
fn a_path_that_climbs_is_refused() {
    let sandbox = sandbox().file("a.swift", "let a = b!\n");
    let path = "src/../a.swift";
    let input = json!({ "file_path": path, "content": "fine" });
    let before = sandbox.hook("PreToolUse").tool("Write", input.clone()).run();
    assert_eq!(
        (before.decision().as_str(), before.reason()),
        ("deny", format!("Path contains '..': {path}"))
    );
    let after = sandbox.hook("PostToolUse").tool("Write", input).run().json();
    assert_eq!(after["decision"], "block");
    assert_eq!(
        after["hookSpecificOutput"]["additionalContext"],
        format!("Error: Path contains '..': {path}")
    );
}

#[test]
fn relative_path_starts_at_agents_directory() {
    let sandbox = sandbox().file("sub/app.swift", "let a = b\n");
    let input = json!({ "file_path": "app.swift", "old_string": "b", "new_string": "b!" });
    let edit = sandbox.hook("PreToolUse").tool("Edit", input).with(json!({ "cwd": sandbox.path("sub") }));
    assert_eq!(edit.run().decision(), "deny");
}

#[test]
fn multi_edit_applies_edits_in_order() {
    let sandbox = sandbox().file("a.swift", "let a = b\n");
    let input = json!({ "file_path": sandbox.path("a.swift"), "edits": [
        { "old_string": "b", "new_string": "c" },
        { "old_string": "c", "new_string": "c!" },
    ] });
    assert_eq!(sandbox.hook("PreToolUse").tool("MultiEdit", input).run().decision(), "deny");
}

#[test]
fn notebook_cell_has_its_own_lines() {
    let notebook = json!({ "cells": [
        { "id": "one", "cell_type": "code", "source": ["a = 1\n", "b = 2"] },
        { "id": "two", "cell_type": "code", "source": "print(0)" },
    ], "nbformat": 4 });
    let sandbox = Sandbox::new()
        .contract(&forbid("no-print", r"print\(", "**/*.ipynb"))
        .file("n.ipynb", notebook.to_string());
    let edit = |mode: &str, source: &str| {
        let input = json!({ "notebook_path": sandbox.path("n.ipynb"), "cell_id": "one", "new_source": source,
            "cell_type": "code", "edit_mode": mode });
        sandbox.hook("PreToolUse").tool("NotebookEdit", input).run()
    };
    edit("replace", "a = 1\nprint(a)\n").assert_denied(&["no-print at line 2"]);
    assert_eq!(edit("insert", "print(a)\n").decision(), "deny");
    assert_eq!(edit("replace", "a = 1\n").decision(), "allow");
    assert_eq!(edit("delete", "").decision(), "allow");
}

#[test]
fn denies_file_that_must_not_exist() {
    let sandbox = Sandbox::new().contract(&contract("no-env", "file_not_exists", None, "**/.env"));
    sandbox.pre_write(".env", "A=1\n").assert_denied(&["no-env"]);
    assert_eq!(sandbox.pre_write(".env", "A=\u{0}\n").decision(), "deny");
}

#[test]
fn required_file_blocks_no_other_edit() {
    let sandbox = Sandbox::new().contract(&contract("needs-readme", "file_exists", None, "README.md"));
    sandbox.pre_write("a.txt", "x\n").assert_allowed();
}

#[test]
fn file_selects_its_project() {
    let sandbox = Sandbox::new()
        .contract(&forbid("outer", "x", "**"))
        .file("inner/.claude/contracts/inner.yaml", forbid("inner", "x", "**"));
    let decide = |project: &str, file: &str, cwd: &str| {
        let write = sandbox.hook("PreToolUse").write(file, "x").with(json!({ "cwd": sandbox.path(cwd) }));
        write.project(sandbox.path(project)).run().reported()
    };
    let both = ["inner at line 1", "outer at line 1"];
    assert_eq!(decide("", "inner/a.txt", ""), both);
    assert_eq!(decide("", "inner/a.txt", "inner"), both);
    assert_eq!(decide("inner", "a.txt", "inner"), ["outer at line 1"]);
    assert_eq!(decide("inner", "inner/a.txt", ""), both);
    assert_eq!(decide("gone", "inner/a.txt", "inner"), both);
}

#[test]
fn linked_file_is_judged_under_both_names() {
    let sandbox = Sandbox::new()
        .contract(&forbid("by-link", "link", "links/**"))
        .contract(&forbid("by-file", "file", "real/**"))
        .file("real/a.txt", "")
        .file("links/keep", "");
    std::os::unix::fs::symlink(sandbox.path("real/a.txt"), sandbox.path("links/a.txt")).expect("linked");
    let output = sandbox.pre_write("links/a.txt", "link file\n");
    output.assert_denied(&["by-link at line 1", "by-file at line 1"]);
}

#[test]
fn timed_out_pattern_defers_and_reports() {
    let sandbox = Sandbox::new().contract(&forbid("slow", "(?:(?!x)(?:a|aa))+(?<!a)", "**"));
    let output = sandbox.pre_write("a.txt", &format!("{}!", "a".repeat(5000)));
    assert_eq!(output.json()["hookSpecificOutput"], Value::Null, "{output}");
    let unchecked = output.unchecked();
    assert!(unchecked.concat().starts_with("a.txt: slow "), "{output}");
    assert_eq!(unchecked_in(&output.message()), unchecked, "{output}");
}

#[test]
fn other_formats_show_the_event_too() {
    let sandbox = sandbox();
    let input = json!({ "file_path": sandbox.path("a.swift"), "content": "a!\n" });
    let output = sandbox.hook("PreToolUse").tool("Write", input).args(["--format", "json"]).run();
    assert_eq!((output.violations(), output.code), (vec!["a.swift:1:1 no-force-unwrap".to_owned()], Some(0)));
}

#[test]
fn user_contracts_count_without_project_contracts() {
    let sandbox = Sandbox::new().user_contract(&forbid("mine", "x", "**"));
    assert_eq!(sandbox.pre_write("a.txt", "x").decision(), "deny");
}

#[test]
fn the_hook_never_writes() {
    let sandbox = sandbox();
    sandbox.pre_write("new/a.swift", "a!\n");
    assert!(!sandbox.path("new").exists());
    let entries: Vec<_> = fs::read_dir(sandbox.home()).expect("readable").collect();
    assert!(entries.is_empty(), "{entries:?}");
}

#[test]
fn the_answer_is_one_json_document() {
    let output = sandbox().pre_write("a.swift", "a!\n");
    let documents: Result<Vec<Value>, _> =
        serde_json::Deserializer::from_str(&output.stdout).into_iter().collect();
    assert_eq!(documents.expect("is JSON").len(), 1);
}

#[test]
fn applies_edits_as_agent_does() {
    // The file, the old text, the new text, and the line of the one `X` that is alone on its line.
    let cases = [
        ("a\nb\na\n", "a", "X", Some(1)),
        ("b\na\n", "a\n", "X\n", Some(2)),
        ("one\r\ntwo\r\nthree\r\n", "one\ntwo", "one\nX", Some(2)),
        ("say “hi”\nX y\n", "say \"hi\"\nX y", "X", Some(1)),
        ("keep\ndrop\nX\n", "drop", "", Some(2)),
        ("X y\nz\n", " y", "", None),
        ("X y.\nz\n", " y", "", None),
        ("X\nX y z\n", " y", "", Some(1)),
        ("a\n", "a", "$1\n$&\nX", Some(3)),
        ("a b a\n", "a", "X", None),
        ("a\n", "", "X", None),
        ("", "", "X", Some(1)),
        ("  \n", "", "X", Some(1)),
    ];
    for (current, old, new, line) in cases {
        let sandbox = Sandbox::new().contract(&forbid("no-x", "^X$", "**/*.txt")).file("a.txt", current);
        let output = sandbox.hook("PreToolUse").edit("a.txt", old, new).run();
        let expected: Vec<_> = line.iter().map(|line| format!("no-x at line {line}")).collect();
        assert_eq!(output.reported(), expected, "{current:?} {old:?} {new:?}: {output}");
    }
}

#[test]
fn replace_all_replaces_every_occurrence() {
    let sandbox = sandbox().file("a.swift", "a = b\nc = b\n");
    let edit = |all: bool| {
        let input = json!({ "file_path": sandbox.path("a.swift"), "old_string": "b", "new_string": "b!", "replace_all": all });
        sandbox.hook("PreToolUse").tool("Edit", input).run().reported().len()
    };
    assert_eq!((edit(false), edit(true)), (1, 2));
}

#[test]
fn an_edit_may_create_a_file() {
    let sandbox = sandbox();
    assert_eq!(sandbox.pre_edit("new.swift", "", "let a = b!\n").decision(), "deny");
    assert_eq!(sandbox.pre_edit("new.swift", "", "let a = b\n").decision(), "allow");
}

#[test]
fn after_the_write_errors_stand_before_warnings() {
    let sandbox = sandbox()
        .contract(&warning(&forbid("no-import", "^import", "**/*.swift")))
        .file("a.swift", "import X\nlet a = b!\n");
    let input = json!({ "file_path": sandbox.path("a.swift") });
    let output = sandbox.hook("PostToolUse").tool("Write", input).run();
    assert_eq!(output.reported(), ["no-force-unwrap at line 2", "no-import at line 1"], "{output}");
}

#[test]
fn repository_is_project_without_contracts() {
    let sandbox = Sandbox::new()
        .git_init()
        .user_contract(&forbid("by-root", "x", "sub/deep/*.txt"))
        .file("sub/deep/keep", "");
    let write = sandbox.hook("PreToolUse").tool("Write", json!({ "file_path": "a.txt", "content": "x" }));
    assert_eq!(write.with(json!({ "cwd": sandbox.path("sub/deep") })).run().decision(), "deny");
}

#[test]
fn agents_directory_is_project_without_repository() {
    let sandbox = Sandbox::new().user_contract(&forbid("by-cwd", "x", "*.txt")).file("sub/keep", "");
    let decide = |path: &str| {
        let write = sandbox.hook("PreToolUse").write(path, "x").with(json!({ "cwd": sandbox.path("sub") }));
        write.run().decision()
    };
    assert_eq!((decide("sub/a.txt").as_str(), decide("a.txt").as_str()), ("deny", ""));
}

#[test]
fn foreign_file_meets_its_own_contracts() {
    let elsewhere = Sandbox::new();
    let sandbox = sandbox();
    let write = sandbox.hook("PreToolUse").write("a.swift", "a!\n").with(json!({ "cwd": elsewhere.root() }));
    assert_eq!(write.run().decision(), "deny");
}

#[test]
fn message_stays_on_its_line() {
    let yaml =
        forbid("id", "x", "**").replace("'Do not id.'", "\"One.\\nContract violation: other. \\e[31mTwo.\"");
    let output = Sandbox::new().contract(&yaml).pre_write("a.txt", "x");
    output.assert_denied(&["id at line 1"]);
    assert!(output.reason().ends_with(" One. Contract violation: other. \\u{1b}[31mTwo."), "{output}");
}

#[test]
fn utf16_file_is_checked_after_write() {
    let sandbox = Sandbox::new()
        .contract(&warning(&forbid("no-todo", "TODO", "**")))
        .file("a.txt", b"\xff\xfeT\0O\0D\0O\0\n\0");
    let output = sandbox.post_write("a.txt", "TODO\n");
    assert!(output.stdout.contains("no-todo"), "{output}");
}

/// A hook loads only the contracts of packs that the text may violate; a hook with `--skip` loads all of them.
#[test]
fn lazy_packs_change_no_response() {
    let texts = [
        "",
        "fn main() {}\n",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA04up8hoqzS1+\n",
        "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n",
        concat!("key = 'sk_live_", "k3Vq81zRt0LwXb7yNc2Dhg5P'\n"),
        "\u{212A}ey \u{202E}a // phaser:ignore rust-dbg-macro\ndbg!(1);\r\n",
    ];
    let mut denied = 0;
    for config in
        ["", "existing: report\n", "fixes: apply\n", "overrides: [{contracts: [secrets], enabled: false}]\n"]
    {
        let sandbox = Sandbox::new()
            .contract(&forbid("unrelated", "zzz", "**"))
            .file(".claude/phaser.yaml", format!("packs: [all]\n{config}"));
        for text in texts {
            let event = || sandbox.hook("PreToolUse").write("src/a.rs", text);
            let (lazy, all) = (event().run(), event().args(["--skip", "unrelated"]).run());
            assert_eq!(lazy.to_string(), all.to_string(), "{config}{text}");
            denied += usize::from(lazy.decision() == "deny");
        }
    }
    assert!(denied > 4, "{denied}");
}
