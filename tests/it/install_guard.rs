//! `phaser enforce install --guard`: the hooks it writes, what they take the place of, and the command line itself in the
//! shells that clients use.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Output, Sandbox, forbid};

const PROJECT: &str = ".claude/settings.json";
const COMMAND: &str = "hash phaser && exec phaser enforce --stdin --guard; echo {}";

fn read(sandbox: &Sandbox) -> String {
    fs::read_to_string(sandbox.path(PROJECT)).expect("is there")
}

fn hooks(sandbox: &Sandbox) -> Value {
    serde_json::from_str::<Value>(&read(sandbox)).expect("valid JSON")["hooks"].clone()
}

fn install(sandbox: &Sandbox, args: &str) -> Output {
    sandbox.install();
    let mut command = sandbox.command();
    sandbox.run_with(command.args(["enforce", "install"]).args(args.split_whitespace()), b"")
}

#[test]
fn reports_result_and_meaning() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(install(&sandbox, "--guard"), @r#"
    exit: 0
    --- stdout
    phaser's hooks are in .claude/settings.json:
      SessionStart        *                                                   hash phaser && exec phaser enforce --stdin --guard; echo {}
      SubagentStart       *                                                   hash phaser && exec phaser enforce --stdin --guard; echo {}
      PreToolUse          ^(Write|Edit|MultiEdit|NotebookEdit|Bash|mcp__.+)$  hash phaser && exec phaser enforce --stdin --guard; echo {}
      PostToolUse         ^(Write|Edit|MultiEdit|NotebookEdit|Bash|mcp__.+)$  hash phaser && exec phaser enforce --stdin --guard; echo {}
      PostToolUseFailure  Bash                                                hash phaser && exec phaser enforce --stdin --guard; echo {}
      Stop                *                                                   hash phaser && exec phaser enforce --stdin --guard; echo {}
      SubagentStop        *                                                   hash phaser && exec phaser enforce --stdin --guard; echo {}
      ConfigChange        *                                                   hash phaser && exec phaser enforce --stdin --guard; echo {}

    The guard lists the contracts at session start, denies an edit that violates one, checks what shell commands write, and
    sends a turn back once if it ends with new violations.
    Without phaser on the PATH, the hooks allow everything.
    An edit that violates nothing is answered with 'allow': Claude Code then makes it without asking you for permission.
    To keep its permission prompts, run 'phaser enforce install --guard --on-clean defer'.

    Next: start a new Claude Code session, which reads its hooks at the start, and run 'phaser doctor' to check them.

    --- stderr
    "#);
    insta::assert_snapshot!(install(&sandbox, "--guard").stdout, @"phaser's hooks are already in .claude/settings.json; nothing changed.");
}

#[test]
fn options_stand_in_every_command() {
    let sandbox = Sandbox::new();
    let output = install(&sandbox, "--guard --severity error --on-clean defer --pack secrets --pack go");
    assert_eq!(output.code, Some(0), "{output}");
    let expected = "hash phaser && exec phaser enforce --stdin --guard --severity error --on-clean defer \
                    --pack secrets --pack go; echo {}";
    for (event, groups) in hooks(&sandbox).as_object().expect("events") {
        assert_eq!(groups[0]["hooks"][0]["command"], expected, "{event}");
    }
    let before = read(&sandbox);
    assert_eq!(install(&sandbox, "--guard").code, Some(0));
    assert_eq!(read(&sandbox), before);
}

#[test]
fn plain_hooks_take_the_same_options() {
    let sandbox = Sandbox::new();
    assert_eq!(install(&sandbox, "--severity all --pack all --on-fail block").code, Some(0));
    let hooks = hooks(&sandbox);
    let handler = &hooks["PreToolUse"][0]["hooks"][0];
    assert_eq!(handler["command"], "phaser enforce --stdin --severity all --pack all");
    assert_eq!(handler["onFailure"], "block");
    let after = &hooks["PostToolUse"][0]["hooks"][0];
    assert_eq!(after["command"], "phaser enforce --stdin --severity all --pack all");
    assert_eq!(after.get("onFailure"), None);
}

#[test]
fn on_fail_block_shows_missing_phaser() {
    let sandbox = Sandbox::new();
    let output = install(&sandbox, "--guard --on-fail block");
    assert_eq!(output.code, Some(0), "{output}");
    for message in ["Claude Code 2.1.325 or later", "every edit is denied", "--on-fail continue"] {
        assert!(output.stdout.contains(message), "{output}");
    }
    assert!(!output.stdout.contains("allow everything"), "{output}");
    let handler = hooks(&sandbox)["PreToolUse"][0]["hooks"][0].clone();
    assert_eq!(
        handler,
        json!({"type": "command", "command": "phaser enforce --stdin --guard", "timeout": 60, "onFailure": "block"})
    );
    assert_eq!(read(&sandbox).matches("onFailure").count(), 1);
    assert_eq!(read(&sandbox).matches(COMMAND).count(), 7);
    install(&sandbox, "--guard --on-fail continue");
    assert_eq!(read(&sandbox).matches(COMMAND).count(), 8);
}

#[test]
fn an_older_installation_is_upgraded_in_place() {
    let before = r#"{
    "model": "opus",
    "hooks": {
        "Stop": [{ "hooks": [{ "type": "command", "command": "mine.sh" }] }]
    }
}"#;
    let sandbox = Sandbox::new().file(PROJECT, before);
    install(&sandbox, "--on-clean defer");
    let output = install(&sandbox, "--guard");
    assert_eq!(output.code, Some(0), "{output}");
    let after = read(&sandbox);
    assert!(
        after.starts_with("{\n    \"model\": \"opus\",\n    \"hooks\": {\n        \"Stop\": [{"),
        "{after}"
    );
    assert_eq!(after.matches("phaser enforce").count(), 8, "{after}");
    assert_eq!(after.matches("--on-clean defer; echo").count(), 8, "the permission prompts stay: {after}");
    assert_eq!(hooks(&sandbox)["Stop"][0]["hooks"][0]["command"], "mine.sh");
    let output = install(&sandbox, "--guard --on-clean allow");
    assert_eq!(read(&sandbox).matches("defer").count(), 0, "{output}");
    sandbox.run([
        "enforce",
        "uninstall",
        "--guard",
        "--pack",
        "x",
        "--severity",
        "all",
        "--on-fail",
        "block",
    ]);
    assert_eq!(read(&sandbox), before);
}

#[test]
fn changed_hook_is_replaced_by_force_only() {
    let sandbox = Sandbox::new();
    install(&sandbox, "");
    let mine = read(&sandbox).replace("--severity error", "--severity error --timeout 500");
    let sandbox = sandbox.file(PROJECT, &mine);
    let output = install(&sandbox, "--guard");
    assert_eq!(output.code, Some(3), "{output}");
    assert!(
        output.stderr.contains("--timeout 500\nphaser: run again with --force to replace them\n"),
        "{output}"
    );
    assert_eq!(read(&sandbox), mine);
    assert_eq!(install(&sandbox, "--guard --force").code, Some(0));
    assert_eq!(read(&sandbox).matches(COMMAND).count(), 8);
}

#[test]
fn plain_hooks_replace_guard_by_force_only() {
    let sandbox = Sandbox::new();
    install(&sandbox, "--guard");
    let guard = read(&sandbox);
    let output = install(&sandbox, "");
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.starts_with("The guard is already in .claude/settings.json"), "{output}");
    let output = install(&sandbox, "--on-clean defer");
    assert_eq!(output.code, Some(3), "{output}");
    assert!(output.stderr.contains("run again with --guard to change them"), "{output}");
    assert_eq!(read(&sandbox), guard);
    assert_eq!(install(&sandbox, "--force").code, Some(0));
    let plain = Sandbox::new();
    install(&plain, "");
    assert_eq!(hooks(&sandbox), hooks(&plain));
}

#[test]
fn dry_run_shows_and_uninstall_removes_file() {
    let sandbox = Sandbox::new();
    let output = install(&sandbox, "--guard --dry-run");
    assert_eq!(output.json()["hooks"].as_object().expect("events").len(), 8);
    assert!(!sandbox.path(PROJECT).exists());
    install(&sandbox, "--guard");
    assert!(sandbox.run(["enforce", "uninstall", "--dry-run"]).stderr.contains("would be empty and removed"));
    assert!(sandbox.path(PROJECT).exists());
    sandbox.run(["enforce", "uninstall"]);
    assert!(!sandbox.path(PROJECT).exists());
    for kept in ["{}", "{\"a\": 1}\n"] {
        let sandbox = Sandbox::new().file(PROJECT, kept);
        install(&sandbox, "--guard");
        sandbox.run(["enforce", "uninstall"]);
        assert!(sandbox.path(PROJECT).exists(), "{kept}");
    }
}

#[test]
fn tools_cannot_be_chosen() {
    let output = install(&Sandbox::new(), "--guard --tools all");
    assert_eq!(output.code, Some(3), "{output}");
}

/// Runs the command as a client would, with this PATH before the usual one.
fn run_in(shell: &[&str], sandbox: &Sandbox, path: &str) -> Output {
    let event = sandbox.hook("PreToolUse").write("a.rs", "// TODO\n").json();
    let mut command = sandbox.tool(shell[0]);
    sandbox.run_with(command.args(&shell[1..]).arg("-c").arg(COMMAND).env("PATH", path), event.as_bytes())
}

#[test]
fn command_works_in_every_shell() {
    let sandbox = Sandbox::new().contract(&forbid("no-todo", "TODO", "**/*.rs"));
    let bin = sandbox.install();
    let failing = sandbox.home().join("failing");
    fs::create_dir_all(&failing).expect("created");
    fs::write(failing.join("phaser"), "#!/bin/sh\nexit 3\n").expect("written");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(failing.join("phaser"), mode).expect("a mode");
    let shells: [&[&str]; 4] = [&["/bin/sh"], &["/bin/dash"], &["/bin/bash"], &["/bin/bash", "--posix"]];
    let there: Vec<_> = shells.into_iter().filter(|shell| fs::metadata(shell[0]).is_ok()).collect();
    assert!(!there.is_empty());
    for shell in there {
        let found = run_in(shell, &sandbox, &bin.display().to_string());
        assert_eq!(found.decision(), "deny", "{shell:?}: {found}");
        let missing = run_in(shell, &sandbox, "/nowhere");
        assert_eq!((missing.code, &*missing.stdout), (Some(0), "{}\n"), "{shell:?}: {missing}");
        let failed = run_in(shell, &sandbox, &failing.display().to_string());
        assert_eq!((failed.code, &*failed.stdout), (Some(3), ""), "{shell:?}: {failed}");
    }
}
