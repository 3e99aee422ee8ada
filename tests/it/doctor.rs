//! `phaser doctor`: every problem it knows, each with its fix.

use std::fs;
use std::os::unix::fs::symlink;

use crate::harness::{Output, Sandbox, forbid};

/// Runs doctor with a PATH that has only this phaser on it.
fn doctor(sandbox: &Sandbox) -> Output {
    let bin = sandbox.home().join("bin");
    fs::create_dir_all(&bin).expect("created");
    if !bin.join("phaser").exists() {
        symlink(env!("CARGO_BIN_EXE_phaser"), bin.join("phaser")).expect("linked");
    }
    sandbox.run_with(sandbox.command().env("PATH", bin).arg("doctor"), b"")
}

fn healthy() -> Sandbox {
    let sandbox = Sandbox::new().contract(&forbid("no-todo", "TODO", "**/*.rs"));
    assert_eq!(sandbox.run(["enforce", "install"]).code, Some(0));
    sandbox
}

#[track_caller]
fn assert_problem(output: &Output, what: &str, fix: &str) {
    assert_eq!(output.code, Some(1), "{output}");
    let lines: Vec<_> = output.stdout.lines().collect();
    let found = lines.windows(2).any(|pair| {
        pair[0].starts_with("problem")
            && pair[0].contains(what)
            && pair[1].contains("fix: ")
            && pair[1].contains(fix)
    });
    assert!(found, "no problem '{what}' with the fix '{fix}':\n{output}");
}

#[test]
fn all_is_well() {
    let disabled = forbid("old", "x", "**").replace("severity: error", "severity: error\nenabled: false");
    let sandbox = healthy().user_contract(&disabled);
    insta::assert_snapshot!(doctor(&sandbox), @r"
    exit: 0
    --- stdout
    ok       .claude/settings.json has phaser's hooks for PreToolUse and PostToolUse
    ok       the hooks start [HOME]/bin/phaser
    ok       .claude/contracts has no-todo
    ok       ~/.phaser/contracts has old (disabled)
    ok       this phaser works: in a project made for it, a test edit was denied and another allowed

    result   edits in Claude Code are guarded

    --- stderr
    ");
}

#[test]
fn what_was_compiled_is_fresh_or_not() {
    let sandbox = healthy();
    assert_eq!(sandbox.run(["contracts", "compile"]).code, Some(0));
    let output = doctor(&sandbox);
    assert!(output.stdout.contains("ok       .claude/contracts is compiled\n"), "{output}");
    let sandbox = sandbox.contract(&forbid("new", "x", "**"));
    let output = doctor(&sandbox);
    let expected = "is compiled, but for 1 of 2 files (run 'phaser contracts compile')";
    assert!(output.code == Some(0) && output.stdout.contains(expected), "{output}");
}

#[test]
fn nothing_is_there_yet() {
    insta::assert_snapshot!(doctor(&Sandbox::new()), @"
    exit: 1
    --- stdout
    problem  no settings have a hook of phaser's for PreToolUse and PostToolUse
             fix: run 'phaser enforce install'
    problem  there are no contracts that could be violated
             fix: run 'phaser init'
    ok       this phaser works: in a project made for it, a test edit was denied and another allowed

    result   nothing is guarded: there are no contracts, and no hook calls phaser before an edit

    --- stderr
    ");
}

#[test]
fn the_result_says_what_is_guarded() {
    let result = |sandbox: &Sandbox| {
        let output = doctor(sandbox);
        output.stdout.lines().last().expect("a result").trim_start_matches("result   ").to_owned()
    };
    let not = "edits in Claude Code are not guarded";
    let sandbox = Sandbox::new();
    sandbox.run(["enforce", "install"]);
    assert_eq!(result(&sandbox), "nothing is guarded: there are no contracts");
    let sandbox = Sandbox::new().contract(&forbid("no-todo", "TODO", "**/*.rs"));
    assert_eq!(result(&sandbox), format!("{not}: no hook calls phaser before an edit"));
    let sandbox = healthy().file(".claude/settings.local.json", "{\"disableAllHooks\": true}");
    assert_eq!(result(&sandbox), format!("{not}: the hook does not work"));
    let settings = fs::read_to_string(sandbox.path(".claude/settings.json")).expect("read");
    let sandbox =
        healthy().file(".claude/settings.json", settings.replace("phaser enforce", "/x/phaser enforce"));
    assert_eq!(result(&sandbox), format!("{not}: the hook does not work"));
    let sandbox = healthy().file(".claude/settings.json", settings.replace("--severity warning", "--turbo"));
    assert_eq!(result(&sandbox), "edits in Claude Code are guarded, with 1 problem to mend");
}

#[test]
fn hooks_count_in_any_scope() {
    let sandbox = Sandbox::new().contract(&forbid("no-todo", "TODO", "**/*.rs"));
    sandbox.run(["enforce", "install", "--scope", "user"]);
    let output = doctor(&sandbox);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.contains("~/.claude/settings.json has phaser's hooks"), "{output}");
}

#[test]
fn many_contracts_are_counted() {
    let add = |sandbox: Sandbox, number: usize| sandbox.contract(&forbid(&format!("no-{number}"), "x", "**"));
    let sandbox = (0..10).fold(healthy(), add);
    assert!(doctor(&sandbox).stdout.contains("ok       .claude/contracts has 11 contracts\n"));
    assert_eq!(sandbox.run(["contracts", "disable", "no-1"]).code, Some(0));
    assert!(doctor(&sandbox).stdout.contains("has 11 contracts, 1 of them disabled\n"));
}

#[test]
fn settings_that_do_not_parse() {
    let sandbox = healthy().file(".claude/settings.local.json", "{\n  // mine\n}");
    let output = doctor(&sandbox);
    assert_problem(&output, ".claude/settings.local.json:2: JSON has no comments", "mend the file");
}

#[test]
fn hooks_that_are_turned_off() {
    let sandbox = healthy().file(".claude/settings.local.json", "{\"disableAllHooks\": true}");
    assert_problem(&doctor(&sandbox), "turns every hook off", "set 'disableAllHooks' to false");
}

#[test]
fn a_program_that_is_not_there() {
    let sandbox = healthy();
    let output = sandbox.run_with(sandbox.command().env("PATH", sandbox.home()).arg("doctor"), b"");
    assert_problem(&output, "'phaser', which is not on the PATH", "on the PATH");
    let settings = fs::read_to_string(sandbox.path(".claude/settings.json")).expect("read");
    let elsewhere = settings.replace("phaser enforce", "/nowhere/phaser enforce");
    let sandbox = sandbox.file(".claude/settings.json", elsewhere);
    assert_problem(&doctor(&sandbox), "'/nowhere/phaser'", "on the PATH");
}

#[test]
fn a_hook_that_this_phaser_does_not_understand() {
    let sandbox = healthy();
    let settings = fs::read_to_string(sandbox.path(".claude/settings.json")).expect("read");
    let sandbox = sandbox.file(".claude/settings.json", settings.replace("--severity error", "--turbo"));
    assert_problem(
        &doctor(&sandbox),
        "does not understand the hook 'phaser enforce --stdin --turbo'",
        "--force",
    );
}

#[test]
fn contracts_that_do_not_load() {
    let sandbox = healthy().file(".claude/contracts/broken.yaml", "rule_id: broken\n");
    assert_problem(&doctor(&sandbox), ".claude/contracts/broken.yaml", "mend");
}
