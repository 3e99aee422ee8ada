//! `ignores` and `protect`: what becomes of edits and commands that make phaser see less.

use serde_json::json;

use crate::harness::{Output, Sandbox, forbid, warning};

fn sandbox(policies: &str) -> Sandbox {
    Sandbox::new()
        .contract(&forbid("no-print", r"\bprint\(", "**/*.py"))
        .contract(&warning(&forbid("no-todo", "TODO", "**/*.py")))
        .file(".claude/phaser.yaml", policies)
        .file("a.py", "x = 1\n")
}

fn write(sandbox: &Sandbox, path: &str, content: &str) -> Output {
    sandbox.hook("PreToolUse").write(path, content).guard().run()
}

/// The event after a command that took two seconds.
fn after_command(sandbox: &Sandbox) -> Output {
    let command = sandbox.hook("PostToolUse").tool("Bash", json!({ "command": "x" }));
    command.with(json!({ "duration_ms": 2_000 })).guard().run()
}

const IGNORED: &str = "print(1)  # phaser:ignore no-print\n";

#[test]
fn an_added_ignore_meets_the_policy() {
    let answer = |policy: &str| write(&sandbox(&format!("ignores: {policy}\n")), "a.py", IGNORED);
    let output = answer("allow");
    output.assert_allowed();
    assert_eq!(output.message(), "");

    let output = answer("report");
    assert_eq!(output.decision(), "allow", "{output}");
    assert!(output.context().contains("no-print at a.py:1"), "{output}");
    assert!(output.message().contains("no-print at a.py:1"), "{output}");

    for policy in ["ask", "deny"] {
        let output = answer(policy);
        assert_eq!(output.decision(), policy);
        assert!(output.reason().contains("suppresses no-print at a.py:1"), "{output}");
    }
}

#[test]
fn existing_or_idle_directive_is_allowed() {
    let sandbox = sandbox("ignores: deny\n").file("old.py", IGNORED);
    let moved = format!("\n{IGNORED}y = 2\n");
    assert_eq!(write(&sandbox, "old.py", &moved).decision(), "allow");
    assert_eq!(write(&sandbox, "a.py", "x = 1  # phaser:ignore no-print\n").decision(), "allow");
    let output = write(&sandbox, "a.py", "# TODO phaser:ignore no-todo\n");
    assert_eq!(output.decision(), "deny", "of a warning, too: {output}");
}

#[test]
fn reports_violation_and_ignore_together() {
    let sandbox = sandbox("ignores: ask\n");
    let output = write(&sandbox, "a.py", &format!("print(0)\n{IGNORED}"));
    output.assert_denied(&["no-print at a.py:1"]);
    assert!(output.reason().contains("no-print at a.py:2"), "{output}");
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
    assert_eq!(output.context(), "", "{output}");
    let output = answer("report");
    assert!(output.context().contains("no-print"), "{output}");
    assert!(output.message().contains("no-print"), "{output}");
    for policy in ["ask", "deny"] {
        let output = answer(policy);
        assert_eq!(output.decision(), policy);
        assert!(output.reason().contains("no-print"), "{output}");
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
fn sees_every_weakening_and_no_addition() {
    let hooks = json!({ "hooks": { "PreToolUse": [{ "matcher": "Write|Edit", "hooks": [{ "type": "command",
        "command": "phaser enforce --stdin --guard" }] }] } });
    let sandbox = sandbox("protect: deny\nexisting: deny\n").file(".claude/settings.json", hooks.to_string());
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
        assert_eq!(output.decision(), "deny", "{path}: {content}: {output}");
    }
    for (path, content) in [
        (".claude/contracts/new.yaml", forbid("new", "x", "**/*.py")),
        (&*file, contract.clone()),
        (&*file, format!("# why\n{contract}")),
        (".claude/phaser.yaml", "protect: deny\nignores: deny\nexisting: deny\n".to_owned()),
        ("other.yaml", "rule_id: no-print\n".to_owned()),
    ] {
        let output = write(&sandbox, path, &content);
        assert_eq!(output.decision(), "allow", "{path}: {content}: {output}");
    }
}

#[test]
fn reports_weakening_by_command() {
    let sandbox = sandbox("protect: ask\nignores: ask\n").git_init().git_add(".").git_commit("first");
    let file = contract_file(&sandbox, "no-print");
    let weak = warning(&forbid("no-print", r"\bprint\(", "**/*.py"));
    // The commit is older than what a command is given on a slow machine.
    std::thread::sleep(std::time::Duration::from_millis(4_100));
    let sandbox = sandbox.file(&file, weak).file("b.py", IGNORED);
    let output = after_command(&sandbox);
    assert!(output.context().contains("weakened") && output.context().contains("no-print"), "{output}");
    assert!(output.context().contains("no-print at b.py:1 is now suppressed"), "{output}");
    assert!(output.message().contains("no-print"), "{output}");
}

#[test]
fn reports_contract_removed_by_command() {
    let protected = || sandbox("protect: ask\n").git_init().git_add(".").git_commit("first");
    let one = protected();
    let file = contract_file(&one, "no-print");
    let sandboxes = [(one, file.as_str()), (protected(), ".claude/contracts"), (protected(), ".claude")];
    let untouched = protected();
    std::thread::sleep(std::time::Duration::from_millis(4_100));
    for (sandbox, path) in sandboxes {
        let removed = std::process::Command::new("rm").arg("-r").arg(sandbox.path(path)).status();
        assert!(removed.expect("runs").success());
        let message = after_command(&sandbox).context();
        assert!(message.contains("no-print"), "{path}: {message}");
    }
    assert_eq!(after_command(&untouched).json(), json!({}));
}

#[test]
fn policies_count_without_the_guard_too() {
    let sandbox = sandbox("ignores: deny\n");
    let output = sandbox.pre_write("a.py", IGNORED);
    assert_eq!(output.decision(), "deny", "{output}");
}
