//! `ignores` and `protect`: what becomes of edits and commands that make phaser see less.

use serde_json::{Value, json};

use crate::harness::{Output, Sandbox, forbid, warning};

fn sandbox(policies: &str) -> Sandbox {
    Sandbox::new()
        .contract(&forbid("no-print", r"\bprint\(", "**/*.py"))
        .contract(&warning(&forbid("no-todo", "TODO", "**/*.py")))
        .file(".claude/phaser.yaml", policies)
        .file("a.py", "x = 1\n")
}

fn event(sandbox: &Sandbox, name: &str, mut fields: Value, args: &[&str]) -> Output {
    fields["hook_event_name"] = json!(name);
    fields["cwd"] = json!(sandbox.root());
    let mut command = sandbox.command();
    command.args(["enforce", "--stdin"]).args(args).env("CLAUDE_PROJECT_DIR", sandbox.root());
    let output = sandbox.run_with(&mut command, fields.to_string().as_bytes());
    assert_eq!(output.code, Some(0), "{output}");
    output
}

fn write(sandbox: &Sandbox, path: &str, content: &str) -> Output {
    let input = json!({ "file_path": sandbox.path(path), "content": content });
    event(sandbox, "PreToolUse", json!({ "tool_name": "Write", "tool_input": input }), &["--guard"])
}

fn said(output: &Output, key: &str) -> String {
    output.json()["hookSpecificOutput"][key].as_str().unwrap_or_default().to_owned()
}

const IGNORED: &str = "print(1)  # phaser:ignore no-print\n";

#[test]
fn an_added_ignore_meets_the_policy() {
    let answer = |policy: &str| write(&sandbox(&format!("ignores: {policy}\n")), "a.py", IGNORED);
    let output = answer("allow");
    assert_eq!(output.decision(), ("allow".to_owned(), "1 violation suppressed by ignore".to_owned()));
    assert_eq!(output.json()["systemMessage"], Value::Null);

    let output = answer("report");
    assert_eq!(output.decision().0, "allow", "{output}");
    assert!(said(&output, "additionalContext").contains("adds an ignore directive for no-print at a.py:1"));
    assert!(output.json()["systemMessage"].as_str().unwrap_or_default().contains("no-print at a.py:1"));

    for policy in ["ask", "deny"] {
        let (decision, reason) = answer(policy).decision();
        assert_eq!(decision, policy);
        assert!(reason.contains("adds an ignore directive for no-print at a.py:1"), "{reason}");
        assert!(reason.contains("a person"), "{reason}");
    }
}

#[test]
fn a_directive_that_was_there_or_suppresses_nothing_is_no_matter() {
    let sandbox = sandbox("ignores: deny\n").file("old.py", IGNORED);
    let moved = format!("\n{IGNORED}y = 2\n");
    assert_eq!(write(&sandbox, "old.py", &moved).decision().0, "allow");
    assert_eq!(write(&sandbox, "a.py", "x = 1  # phaser:ignore no-print\n").decision().0, "allow");
    let (decision, reason) = write(&sandbox, "a.py", "# TODO phaser:ignore no-todo\n").decision();
    assert_eq!(decision, "deny", "of a warning, too: {reason}");
}

#[test]
fn a_violation_and_an_ignore_are_both_told() {
    let sandbox = sandbox("ignores: ask\n");
    let (decision, reason) = write(&sandbox, "a.py", &format!("print(0)\n{IGNORED}")).decision();
    assert_eq!(decision, "deny");
    assert!(reason.starts_with("Contract violation: no-print at a.py:1."), "{reason}");
    assert!(reason.contains("ignore directive for no-print at a.py:2"), "{reason}");
}

#[test]
fn a_weakened_contract_meets_the_policy() {
    let weak = warning(&forbid("no-print", r"\bprint\(", "**/*.py"));
    let answer = |policy: &str| {
        let sandbox = sandbox(&format!("protect: {policy}\n"));
        let file = contract_file(&sandbox, "no-print");
        write(&sandbox, &file, &weak)
    };
    let output = answer("allow");
    assert_eq!(said(&output, "additionalContext"), "", "{output}");
    let output = answer("report");
    assert!(said(&output, "additionalContext").contains("no-print"), "{output}");
    assert!(output.json()["systemMessage"].as_str().unwrap_or_default().contains("no-print"));
    for policy in ["ask", "deny"] {
        let (decision, reason) = answer(policy).decision();
        assert_eq!(decision, policy);
        assert!(reason.contains("no-print") && reason.contains("erson"), "{reason}");
    }
}

/// The file of a contract, in the project.
fn contract_file(sandbox: &Sandbox, id: &str) -> String {
    let directory = sandbox.path(".claude/contracts");
    let files = std::fs::read_dir(&directory).expect("there").map(|entry| entry.expect("there").path());
    let holds = |path: &std::path::PathBuf| {
        std::fs::read_to_string(path).is_ok_and(|text| text.contains(&format!("rule_id: {id}")))
    };
    let file = files.into_iter().find(holds).expect("a file of this contract");
    format!(".claude/contracts/{}", file.file_name().expect("a name").to_string_lossy())
}

#[test]
fn every_way_to_see_less_is_seen_and_adding_a_contract_is_none() {
    let hooks = json!({ "hooks": { "PreToolUse": [{ "matcher": "Write|Edit", "hooks": [{ "type": "command",
        "command": "phaser enforce --stdin --guard" }] }] } });
    let sandbox = sandbox("protect: deny\n").file(".claude/settings.json", hooks.to_string());
    let file = contract_file(&sandbox, "no-print");
    let contract = forbid("no-print", r"\bprint\(", "**/*.py");
    for (path, content) in [
        (file.as_str(), ""),
        (&*file, &*format!("{contract}enabled: false\n")),
        (&*file, &*format!("{contract}exclude_glob: 'legacy/**'\n")),
        (".claude/phaser.yaml", "protect: allow\n"),
        (".claude/phaser.yaml", "protect: deny\nexclude: '**'\n"),
        (".claude/phaser.yaml", "protect: deny\nexisting: report\n"),
        (
            ".claude/phaser-baseline.jsonl",
            "{\"contract\":\"no-print\",\"path\":\"a.py\",\"digest\":\"0123456789abcdef\",\"count\":1}\n",
        ),
        (".claude/settings.json", "{}"),
        (".claude/settings.local.json", r#"{"disableAllHooks": true}"#),
        ("sub/.claude/contracts/off.yaml", &*format!("{contract}enabled: false\n")),
    ] {
        let output = write(&sandbox, path, content);
        assert_eq!(output.decision().0, "deny", "{path}: {content}: {output}");
    }
    for (path, content) in [
        (".claude/contracts/new.yaml", forbid("new", "x", "**/*.py")),
        (&*file, contract.clone()),
        (&*file, format!("# why\n{contract}")),
        (".claude/phaser.yaml", "protect: deny\nignores: deny\n".to_owned()),
        ("other.yaml", "rule_id: no-print\n".to_owned()),
    ] {
        let output = write(&sandbox, path, &content);
        assert_eq!(output.decision().0, "allow", "{path}: {content}: {output}");
    }
}

#[test]
fn what_a_command_weakened_is_told_afterwards() {
    let sandbox = sandbox("protect: ask\nignores: ask\n").git_init().git_add(".").git_commit("first");
    let file = contract_file(&sandbox, "no-print");
    let weak = warning(&forbid("no-print", r"\bprint\(", "**/*.py"));
    // The commit is older than what a command is given on a slow machine.
    std::thread::sleep(std::time::Duration::from_millis(4_100));
    let sandbox = sandbox.file(&file, weak).file("b.py", IGNORED);
    let fields = json!({ "tool_name": "Bash", "tool_input": { "command": "x" }, "duration_ms": 2_000 });
    let output = event(&sandbox, "PostToolUse", fields, &["--guard"]);
    let told = said(&output, "additionalContext");
    assert!(told.contains("weakened") && told.contains("no-print"), "{output}");
    assert!(told.contains("ignore directive was added for no-print at b.py:1"), "{output}");
    assert!(output.json()["systemMessage"].as_str().unwrap_or_default().contains("weakened"), "{output}");
}

#[test]
fn a_contract_that_a_command_removed_is_told_afterwards() {
    let protected = || sandbox("protect: ask\n").git_init().git_add(".").git_commit("first");
    let one = protected();
    let file = contract_file(&one, "no-print");
    let sandboxes = [(one, file.as_str()), (protected(), ".claude/contracts"), (protected(), ".claude")];
    let untouched = protected();
    std::thread::sleep(std::time::Duration::from_millis(4_100));
    let fields = json!({ "tool_name": "Bash", "tool_input": { "command": "x" }, "duration_ms": 2_000 });
    for (sandbox, path) in sandboxes {
        let removed = std::process::Command::new("rm").arg("-r").arg(sandbox.path(path)).status();
        assert!(removed.expect("runs").success());
        let told = said(&event(&sandbox, "PostToolUse", fields.clone(), &["--guard"]), "additionalContext");
        assert!(told.contains("weakened") && told.contains("no-print"), "{path}: {told}");
    }
    assert_eq!(event(&untouched, "PostToolUse", fields, &["--guard"]).json(), json!({}));
}

#[test]
fn policies_count_without_the_guard_too() {
    let sandbox = sandbox("ignores: deny\n");
    let input = json!({ "file_path": sandbox.path("a.py"), "content": IGNORED });
    let fields = json!({ "tool_name": "Write", "tool_input": input });
    let output = event(&sandbox, "PreToolUse", fields, &["--severity", "error"]);
    assert_eq!(output.decision().0, "deny", "{output}");
}
