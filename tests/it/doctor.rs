//! `phaser doctor`: every problem it knows, each with its fix.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::harness::{Output, Sandbox, forbid};

/// Installs phaser and runs doctor.
fn doctor(sandbox: &Sandbox) -> Output {
    sandbox.install();
    sandbox.run(["doctor"])
}

fn healthy() -> Sandbox {
    let sandbox = Sandbox::new().contract(&forbid("no-todo", "TODO", "**/*.rs"));
    assert_eq!(sandbox.run(["enforce", "install"]).code, Some(0));
    sandbox
}

/// The output without the duration of each hook.
fn timeless(output: &Output) -> String {
    let time = |line: &str| match line.strip_suffix(" ms").and_then(|line| line.rsplit_once(' ')) {
        Some((before, _)) => format!("{before} [TIME]"),
        None => line.to_owned(),
    };
    output.to_string().lines().map(time).collect::<Vec<_>>().join("\n")
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
    insta::assert_snapshot!(timeless(&doctor(&sandbox)), @r#"
    exit: 0
    --- stdout
    ok       .claude/settings.json has phaser's hooks for PreToolUse and PostToolUse
               event        matcher     response  time
               PreToolUse   Edit|Write  denied    [TIME]
               PostToolUse  Edit|Write  reported  [TIME]
    ok       the hooks run [HOME]/bin/phaser
    note     shell commands, ends of turns and settings are not guarded (run 'phaser enforce install --guard')
    ok       .claude/contracts has no-todo
    ok       ~/.phaser/contracts has old (disabled)
    ok       this phaser works: in a project made for it, a test edit was denied and another allowed

    result   edits in Claude Code are guarded

    --- stderr
    "#);
}

#[test]
fn nothing_is_there_yet() {
    insta::assert_snapshot!(doctor(&Sandbox::new()), @"
    exit: 1
    --- stdout
    problem  no settings have a hook of phaser for PreToolUse and PostToolUse
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
    assert_eq!(result(&sandbox), "edits in Claude Code are guarded; 1 problem to fix");
}

#[test]
fn hooks_count_in_any_scope() {
    let sandbox = Sandbox::new().contract(&forbid("no-todo", "TODO", "**/*.rs"));
    sandbox.run(["enforce", "install", "--scope", "user"]);
    let output = doctor(&sandbox);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.starts_with("ok       ~/.claude/settings.json "), "{output}");
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
    assert_problem(&output, ".claude/settings.local.json:2: JSON has no comments", "fix the file");
}

#[test]
fn hooks_that_are_turned_off() {
    let sandbox = healthy().file(".claude/settings.local.json", "{\"disableAllHooks\": true}");
    assert_problem(&doctor(&sandbox), "disables all hooks", "set 'disableAllHooks' to false");
}

#[test]
fn a_program_that_is_not_there() {
    let sandbox = healthy();
    let output = sandbox.run(["doctor"]);
    assert_problem(&output, "'phaser', which is not on the PATH", "to the PATH");
    let settings = fs::read_to_string(sandbox.path(".claude/settings.json")).expect("read");
    let elsewhere = settings.replace("phaser enforce", "/nowhere/phaser enforce");
    let sandbox = sandbox.file(".claude/settings.json", elsewhere);
    assert_problem(&doctor(&sandbox), "'/nowhere/phaser'", "to the PATH");
}

#[test]
fn hook_with_unknown_flag() {
    let sandbox = healthy();
    let settings = fs::read_to_string(sandbox.path(".claude/settings.json")).expect("read");
    let sandbox = sandbox.file(".claude/settings.json", settings.replace("--severity error", "--turbo"));
    assert_problem(
        &doctor(&sandbox),
        "rejects the flags of the hook 'phaser enforce --stdin --turbo'",
        "--force",
    );
}

#[test]
fn contracts_that_do_not_load() {
    let sandbox = healthy().file(".claude/contracts/broken.yaml", "rule_id: broken\n");
    assert_problem(&doctor(&sandbox), ".claude/contracts/broken.yaml", "");
}

fn guarded() -> Sandbox {
    let sandbox = Sandbox::new().contract(&forbid("no-todo", "TODO", "**/*.rs"));
    assert_eq!(sandbox.run(["enforce", "install", "--guard"]).code, Some(0));
    sandbox
}

#[test]
fn tries_and_shows_each_guard_hook() {
    let output = doctor(&guarded());
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output}");
    let table: Vec<_> =
        timeless(&output).lines().filter(|line| line.starts_with("    ")).map(str::to_owned).collect();
    insta::assert_snapshot!(table.join("\n"), @r#"
               event               matcher                                             response  time
               SessionStart        *                                                   reported  [TIME]
               SubagentStart       *                                                   reported  [TIME]
               PreToolUse          ^(Write|Edit|MultiEdit|NotebookEdit|Bash|mcp__.+)$  denied    [TIME]
               PostToolUse         ^(Write|Edit|MultiEdit|NotebookEdit|Bash|mcp__.+)$  reported  [TIME]
               PostToolUseFailure  Bash                                                reported  [TIME]
               Stop                *                                                   silent    [TIME]
               SubagentStop        *                                                   silent    [TIME]
               ConfigChange        *                                                   reported  [TIME]
    "#);
}

#[test]
fn notes_guard_that_misses_commands() {
    let sandbox = guarded();
    let settings = sandbox.path(".claude/settings.json");
    let text = fs::read_to_string(&settings).expect("is there");
    fs::write(&settings, text.replacen("NotebookEdit|Bash|", "NotebookEdit|", 1)).expect("written");
    let output = doctor(&sandbox);
    assert!(output.stdout.contains("forbid_command are not judged"), "{output}");
}

#[test]
fn notes_missing_guard() {
    let output = doctor(&healthy());
    assert!(output.code == Some(0) && output.stdout.contains("\nnote     "), "{output}");
    assert!(output.stdout.contains("'phaser enforce install --guard')\n"), "{output}");
    for without in [doctor(&guarded()), doctor(&Sandbox::new())] {
        assert!(!without.stdout.contains("\nnote     "), "{without}");
    }
}

/// A phaser on the PATH that answers like this.
fn with_phaser(sandbox: &Sandbox, script: &str) -> Output {
    let bin = sandbox.home().join("other");
    fs::create_dir_all(&bin).expect("created");
    fs::write(bin.join("phaser"), format!("#!/bin/sh\n{script}\n")).expect("written");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(bin.join("phaser"), mode).expect("a mode");
    sandbox.run_with(sandbox.command().env("PATH", bin).arg("doctor"), b"")
}

#[test]
fn hook_with_wrong_response() {
    for (script, message) in [
        ("echo '{}'", "silent"),
        ("echo hello", "no JSON"),
        ("echo '[]'", "no JSON object"),
        ("exit 3", "exit code 3"),
        ("kill -9 $$", "ended by a signal"),
        ("echo '{\"hookSpecificOutput\": {\"permissionDecision\": \"allow\"}}'", "allowed"),
    ] {
        let output = with_phaser(&guarded(), script);
        let what =
            format!("the hook for PreToolUse should have denied a violation; the response was: {message}");
        assert_problem(&output, &what, "to see its output");
    }
}

#[test]
fn finds_program_by_project_variable() {
    let sandbox = healthy();
    fs::create_dir(sandbox.path("bin")).expect("created");
    symlink(env!("CARGO_BIN_EXE_phaser"), sandbox.path("bin/phaser")).expect("linked");
    let settings = fs::read_to_string(sandbox.path(".claude/settings.json")).expect("read");
    let own = settings.replace("phaser enforce", r#"\"$CLAUDE_PROJECT_DIR\"/bin/phaser enforce"#);
    let output = doctor(&sandbox.file(".claude/settings.json", own));
    assert!(output.code == Some(0) && output.stdout.contains("Edit|Write  denied"), "{output}");
}

/// Notes of the client's about a plugin with the guard's hooks, as it keeps them.
fn with_plugin(sandbox: Sandbox, settings: &str) -> Sandbox {
    let directory = sandbox.home().join(".claude/plugins/cache/phaser/phaser/0.1.0");
    fs::create_dir_all(directory.join("hooks")).expect("created");
    let hooks = concat!(env!("CARGO_MANIFEST_DIR"), "/plugin/hooks/hooks.json");
    fs::copy(hooks, directory.join("hooks/hooks.json")).expect("copied");
    let entry = json!({"scope": "project", "projectPath": sandbox.root(), "installPath": directory});
    let notes = json!({"version": 2, "plugins": {"phaser@phaser": [entry]}}).to_string();
    fs::write(sandbox.home().join(".claude/plugins/installed_plugins.json"), notes).expect("written");
    sandbox.file(".claude/settings.json", settings)
}

const ENABLED: &str = r#"{"enabledPlugins": {"phaser@phaser": true}}"#;

#[test]
fn a_plugin_has_the_hooks_too() {
    let contract = forbid("no-todo", "TODO", "**/*.rs");
    let sandbox = with_plugin(Sandbox::new().contract(&contract), ENABLED);
    let output = doctor(&sandbox);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.starts_with("ok       the plugin phaser@phaser "), "{output}");
    let off = r#"{"enabledPlugins": {"phaser@phaser": false}}"#;
    let output = doctor(&sandbox.file(".claude/settings.local.json", off));
    assert_problem(&output, "PreToolUse", "phaser enforce install");
}

#[test]
fn plugin_and_settings_hooks_run_twice() {
    let sandbox = with_plugin(guarded(), ENABLED);
    sandbox.run(["enforce", "install", "--guard"]);
    let what = "phaser runs twice for each event: in .claude/settings.json and in the plugin phaser@phaser";
    assert_problem(
        &doctor(&sandbox),
        what,
        "'phaser enforce uninstall' or 'claude plugin disable phaser@phaser'",
    );
}

#[test]
fn equal_hooks_in_two_settings_run_once() {
    let sandbox = guarded();
    sandbox.run(["enforce", "install", "--guard", "--scope", "local"]);
    assert_eq!(doctor(&sandbox).code, Some(0));
    sandbox.run(["enforce", "install", "--scope", "user"]);
    assert_problem(&doctor(&sandbox), "~/.claude/settings.json", "--scope");
}

#[test]
fn a_plugin_that_is_not_installed_here() {
    let sandbox = Sandbox::new().file(".claude/settings.json", ENABLED);
    let what = "the plugin phaser@phaser is enabled but not installed";
    assert_problem(&doctor(&sandbox), what, "claude plugin install phaser@phaser");
}
