//! The same bytes at the same path give the same violations in every mode: in every event of a hook, on disk, in the
//! index, in a diff, in any encoding, by any name, and among any number of files.

use serde_json::{Value, json};

use crate::harness::{Output, Sandbox, contract, forbid, warning};

const PATH: &str = "src/café.py";

/// Texts that exercise every kind of contract, line ending and directive.
const TEXTS: [&str; 7] = [
    "",
    "print(1)\nx = 'tab\there'\n",
    "a = 1\r\nprint(2)\r\n  print(3)\r\nTODO\r\n",
    "licence: mit\nprint(1)  # phaser:ignore no-print\n",
    "# phaser:ignore-file needs-licence\nbegin\nend\n",
    "été print(é) foo foobar\nTODO(me) print(x) # phaser:ignore\n",
    "one line without an end print(1)",
];

fn sandbox() -> Sandbox {
    Sandbox::new()
        .git_init()
        .contract(&forbid("no-print", r"\bprint\(", "**/*.py"))
        .contract(&forbid("no-end", "^end$", "**/*.py"))
        .contract(&forbid("no-block", r"begin\nend", "src/**"))
        .contract(&forbid("no-bare-foo", "foo(?!bar)", "**/*.py"))
        .contract(&forbid("no-quoted", r#"= "[^"]+""#, "**/*.py"))
        .contract(&forbid("no-quoted-here", r#"= "[^"]+"(?!z)"#, "**/*.py"))
        .contract(&warning(&forbid("no-accents", "é", "**")))
        .contract(&warning(&contract("needs-licence", "require_pattern", Some("licence"), "**/*.py")))
        .contract(&contract("no-such-file", "file_not_exists", None, "**/café.py"))
        .file("LICENSE", "x")
        .git_commit("one")
}

/// `line id` of each violation at [`PATH`]; a hook's reason has no columns.
fn from_json(output: &Output) -> Vec<String> {
    from_json_at(output, PATH)
}

fn from_json_at(output: &Output, path: &str) -> Vec<String> {
    let json = output.json();
    let violations = json["violations"].as_array().expect("a list").iter();
    let mut lines: Vec<_> = violations
        .filter(|violation| violation["file_path"] == path)
        .map(|violation| format!("{:?} {}", violation["line_number"].as_u64(), violation["rule_id"]))
        .collect();
    lines.sort();
    lines
}

/// The same from the answer to a hook event, before or after the call.
fn from_hook(output: &Output) -> Vec<String> {
    let json = output.json();
    let message = &json["hookSpecificOutput"];
    let text = message["permissionDecisionReason"].as_str().or(message["additionalContext"].as_str());
    let mut lines: Vec<_> = text
        .unwrap_or_else(|| panic!("no report: {output}"))
        .lines()
        .map(|line| {
            let (_, line) = line.split_once(": ").expect("a violation");
            let (head, _) = line.split_once(". ").expect("a message");
            let (id, line) = match head.split_once(" at line ") {
                Some((id, line)) => (id, Some(line.parse::<u64>().expect("a number"))),
                None => (head, None),
            };
            format!("{line:?} \"{id}\"")
        })
        .collect();
    lines.sort();
    lines
}

fn hook(sandbox: &Sandbox, event: &str, tool: &str, input: Value) -> Vec<String> {
    from_hook(&sandbox.hook(event).tool(tool, input).args(UNHURRIED).run())
}

/// A hook has a second, which a busy machine may take for something else: here it has more.
const UNHURRIED: [&str; 2] = ["--timeout", "60000"];

/// What every mode finds that reads the file from disk or from git.
fn found_in_files(sandbox: Sandbox) -> Vec<(&'static str, Vec<String>)> {
    let file_path = sandbox.path(PATH);
    let touched = json!({ "file_path": file_path, "old_string": "a", "new_string": "b" });
    let mut found = vec![("PostToolUse Edit", hook(&sandbox, "PostToolUse", "Edit", touched))];
    let mut add = |mode, output: Output| found.push((mode, from_json(&output)));
    add("--file", sandbox.run(["enforce", "--file", PATH, "--format", "json"]));
    add("path", sandbox.run(["enforce", PATH, "--format", "json"]));
    add("directory", sandbox.run(["enforce", "src", "--format", "json"]));
    add("--all", sandbox.run(["enforce", "--all", "--format", "json"]));
    sandbox.git(&["add", "--all"]);
    add("--staged", sandbox.run(["enforce", "--staged", "--format", "json"]));
    add("--staged PATH", sandbox.run(["enforce", "--staged", PATH, "--format", "json"]));
    let sandbox = sandbox.git_commit("two");
    add("--diff", sandbox.run(["enforce", "--diff", "HEAD~1", "--format", "json"]));
    add("--diff with a head", sandbox.run(["enforce", "--diff", "HEAD~1..HEAD", "--format", "json"]));
    found
}

#[track_caller]
fn all_equal(found: &[(&str, Vec<String>)], text: &dyn std::fmt::Debug) {
    let (first, expected) = &found[0];
    assert!(!expected.is_empty(), "{text:?} violates something");
    for (mode, violations) in found {
        assert_eq!(violations, expected, "{mode} differs from {first} for {text:?}");
    }
}

#[test]
fn every_mode_gives_the_same_violations() {
    for text in TEXTS {
        let sandbox = sandbox().file(PATH, "placeholder");
        let file_path = sandbox.path(PATH);
        let write = json!({ "file_path": file_path, "content": text });
        let mut found = vec![("Write", hook(&sandbox, "PreToolUse", "Write", write.clone()))];
        if !text.contains('\r') && !text.is_empty() {
            let edit = json!({ "file_path": file_path, "old_string": "placeholder", "new_string": text });
            found.push(("Edit", hook(&sandbox, "PreToolUse", "Edit", edit)));
            let (first, rest) = text.split_at(text.char_indices().nth(3).map_or(0, |(at, _)| at));
            let edits = json!([
                { "old_string": "holder", "new_string": rest },
                { "old_string": "place", "new_string": first },
            ]);
            let edits = json!({ "file_path": file_path, "edits": edits });
            found.push(("MultiEdit", hook(&sandbox, "PreToolUse", "MultiEdit", edits)));
        }
        let sandbox = sandbox.file(PATH, text);
        let report = sandbox
            .hook("PreToolUse")
            .tool("Write", write.clone())
            .args(["--format", "json", UNHURRIED[0], UNHURRIED[1]])
            .run();
        found.push(("--stdin json", from_json(&report)));
        found.push(("PostToolUse Write", hook(&sandbox, "PostToolUse", "Write", write)));
        found.extend(found_in_files(sandbox));
        all_equal(&found, &text);
    }
}

fn utf16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    "\u{FEFF}".encode_utf16().chain(text.encode_utf16()).flat_map(to_bytes).collect()
}

#[test]
fn every_encoding_has_the_same_violations() {
    let text = "print(1)\nété = \"x\"\nfoo\n";
    let plain = found_in_files(sandbox().file(PATH, text));
    let encodings = [
        ("UTF-8 with its mark", [b"\xEF\xBB\xBF", text.as_bytes()].concat()),
        ("UTF-16, little end first", utf16(text, u16::to_le_bytes)),
        ("UTF-16, big end first", utf16(text, u16::to_be_bytes)),
    ];
    for (encoding, bytes) in encodings {
        let mut found = plain[..1].to_vec();
        let sandbox = sandbox().file(PATH, &bytes);
        if encoding != "UTF-16, big end first" {
            // The client takes the other one for binary, and so does the hook before an edit.
            let edit = json!({ "file_path": sandbox.path(PATH), "old_string": "x", "new_string": "y" });
            found.push(("Edit", hook(&sandbox, "PreToolUse", "Edit", edit)));
        }
        found.extend(found_in_files(sandbox));
        all_equal(&found, &encoding);
    }
}

#[test]
fn text_beyond_utf8_has_the_same_violations() {
    let texts: [&[u8]; 4] = [
        b"password = \"gr\xfc\xdfe\"\nx = 1\n",
        b"x = \"\xE2\x84\"\nx = 1\n",
        b"\xFFprint(1)\nfoo\xC3\nx = 1\n",
        b"# licence \xa9 2020\n= \"\xed\xa0\x80\"\nx = 1\n",
    ];
    for text in texts {
        let sandbox = sandbox().file(PATH, text);
        let edit = json!({ "file_path": sandbox.path(PATH), "old_string": "x = 1", "new_string": "x = 2" });
        let mut found = vec![("Edit", hook(&sandbox, "PreToolUse", "Edit", edit))];
        found.extend(found_in_files(sandbox));
        all_equal(&found, &text);
    }
}

#[test]
fn size_limit_is_equal_in_every_mode() {
    let text = "print(1)\n";
    let sandbox = sandbox().file(PATH, text);
    sandbox.git(&["add", "--all"]);
    let write = json!({ "file_path": sandbox.path(PATH), "content": text });
    let reports = |limit: usize| {
        let limit = limit.to_string();
        let size = ["--format", "json", "--max-file-size", limit.as_str()];
        let run = |mode: &[&str]| {
            let mut command = sandbox.command();
            from_json(&sandbox.run_with(command.arg("enforce").args(mode).args(size), b""))
        };
        let event = |name: &str| from_json(&sandbox.hook(name).tool("Write", write.clone()).args(size).run());
        vec![
            ("Write", event("PreToolUse")),
            ("PostToolUse", event("PostToolUse")),
            ("--file", run(&["--file", PATH])),
            ("--all", run(&["--all"])),
            ("--staged", run(&["--staged"])),
            ("--diff", run(&["--diff", "HEAD"])),
        ]
    };
    all_equal(&reports(text.len()), &"at the limit");
    let above: Vec<_> = reports(text.len() - 1)
        .into_iter()
        .map(|(mode, found)| {
            (mode, found.into_iter().filter(|line| line.starts_with("Some")).collect::<Vec<_>>())
        })
        .collect();
    assert!(above.iter().all(|(_, found)| found.is_empty()), "{above:?}");
}

#[test]
fn linked_file_has_the_same_violations() {
    let text = "print(1)\n";
    let sandbox = sandbox().file(PATH, text).file("links/keep", "");
    std::os::unix::fs::symlink(sandbox.path(PATH), sandbox.path("links/b.py")).expect("linked");
    let by_link = |output: Output| from_json_at(&output, "links/b.py");
    let write = json!({ "file_path": sandbox.path("links/b.py"), "content": text });
    let event = |name| {
        sandbox
            .hook(name)
            .tool("Write", write.clone())
            .args(["--format", "json", UNHURRIED[0], UNHURRIED[1]])
            .run()
    };
    let found = [
        ("Write", by_link(event("PreToolUse"))),
        ("PostToolUse", by_link(event("PostToolUse"))),
        ("--file", by_link(sandbox.run(["enforce", "--file", "links/b.py", "--format", "json"]))),
        ("the file itself", from_json(&sandbox.run(["enforce", "--file", PATH, "--format", "json"]))),
    ];
    all_equal(&found, &text);
}

#[test]
fn violations_do_not_depend_on_other_files() {
    let text = "print(1)\nfoo été = \"é\"\n";
    let expected = &found_in_files(sandbox().file(PATH, text))[0].1;
    for count in [1, 8, 9, 100] {
        let mut sandbox = sandbox().file(PATH, text);
        for other in 1..count {
            sandbox = sandbox.file(&format!("src/other{other}.py"), "licence\n");
        }
        for (mode, found) in found_in_files(sandbox) {
            assert_eq!(found, *expected, "{mode} with {count} files");
        }
    }
}

#[test]
fn notebook_cell_has_the_same_violations() {
    let contracts =
        || sandbox().contract(&forbid("no-cell-print", r"print\(|foo(?!bar)|= .\w", "**/*.ipynb"));
    for source in ["a = 1\nprint(a)\n", "x = é\nfoo", "foobar\r\nprint(é)\r\n"] {
        let notebook = |source: &str| json!({ "cells": [{ "cell_type": "code", "id": "one", "source": source }], "nbformat": 4 });
        let sandbox = contracts().file("n.ipynb", notebook("old").to_string());
        let input =
            json!({ "notebook_path": sandbox.path("n.ipynb"), "cell_id": "one", "new_source": source });
        let before = hook(&sandbox, "PreToolUse", "NotebookEdit", input.clone());
        let sandbox = sandbox.file("n.ipynb", notebook(source).to_string());
        let after = hook(&sandbox, "PostToolUse", "NotebookEdit", input);
        let as_file = contracts().file("cell.ipynb", source);
        let file = as_file.run(["enforce", "--file", "cell.ipynb", "--format", "json"]);
        let found = [("before", before), ("after", after), ("as a file", from_json_at(&file, "cell.ipynb"))];
        all_equal(&found, &source);
    }
}
