//! `forbid_command`: what agents may not run.

use std::fs;

use serde_json::{Value, json};

use crate::agents::{ALL, Client, Deed, When};
use crate::harness::{Output, Sandbox};

const NO_VERIFY: &str = "rule_id: no-verify\ntype: forbid_command\ncommand: git commit\nargs: ['--no-verify', '-n']\n\
    message: 'Fix what the hooks report.'\nseverity: error\n";

fn sandbox() -> Sandbox {
    Sandbox::new().git_init().contract(NO_VERIFY)
}

fn bash(sandbox: &Sandbox, command: &str) -> Output {
    sandbox.hook("PreToolUse").tool("Bash", json!({ "command": command, "description": "d" })).guard().run()
}

#[test]
fn denies_command_before_it_runs() {
    let sandbox = sandbox()
        .contract(&(NO_VERIFY.replace("no-verify\n", "twice\n") + "rationale: CI runs them, too.\n"));
    let output = bash(&sandbox, "cd a && git -C . commit -nm 'x y'");
    assert_eq!(output.decision(), "deny", "{output}");
    insta::assert_snapshot!(output.reason(), @r"
    no-verify: Fix what the hooks report.
    command: git -C . commit -nm 'x y'
    twice: Fix what the hooks report.
    command: git -C . commit -nm 'x y'
    Why: CI runs them, too.
    The command was not run.
    ");
    assert_eq!(output.stderr, "");
}

#[test]
fn other_commands_leave_no_trace() {
    let sandbox = sandbox();
    for command in
        ["git commit -m x", "echo 'git commit --no-verify'", "git commit -m 'about --no-verify'", "ls"]
    {
        let output = bash(&sandbox, command);
        assert_eq!((output.json(), output.stderr.as_str()), (json!({}), ""), "{command}");
    }
}

#[test]
fn unparsable_command_is_not_judged() {
    let output = bash(&sandbox(), "git commit -n 'x");
    assert_eq!(output.json(), json!({}));
    assert!(output.stderr.starts_with("phaser: command not judged: git commit -n 'x: "), "{output}");
}

#[test]
fn warning_adds_context() {
    let sandbox = Sandbox::new().contract(&NO_VERIFY.replace("severity: error", "severity: warning"));
    let output = bash(&sandbox, "git commit -n");
    assert_eq!(output.decision(), "", "{output}");
    assert!(
        output.context().starts_with("no-verify: Fix what the hooks report.\ncommand: git commit -n"),
        "{output}"
    );
}

#[test]
fn contract_may_ask_the_user() {
    let output = bash(&Sandbox::new().contract(&(NO_VERIFY.to_owned() + "decision: ask\n")), "git commit -n");
    assert_eq!(output.decision(), "ask", "{output}");
    assert!(output.reason().ends_with("The command was not run. The user has to agree to it."), "{output}");
}

#[test]
fn fix_rewrites_command_if_configured() {
    let sandbox = sandbox().contract(&(NO_VERIFY.to_owned() + "fix: git commit\n"));
    let output = bash(&sandbox, "cd a && git commit -nm \"x\"");
    assert!(output.reason().contains("\nFix: cd a && git commit -m \"x\"\n"), "{output}");
    let sandbox = sandbox.file(".claude/phaser.yaml", "fixes: apply\n");
    let output = bash(&sandbox, "cd a && git commit -nm \"x\"");
    assert_eq!(output.decision(), "", "{output}");
    let input = &output.json()["hookSpecificOutput"]["updatedInput"];
    assert_eq!(*input, json!({ "command": "cd a && git commit -m \"x\"", "description": "d" }));
    assert!(
        output.context().contains("no-verify") && output.context().contains("git commit -m \"x\""),
        "{output}"
    );
    let nested = bash(&sandbox, "bash -c 'git commit -n'");
    assert_eq!(nested.decision(), "deny", "{nested}");
}

#[test]
fn override_changes_contract() {
    let of = |change: &str| {
        let config = format!("overrides:\n  - contracts: [no-verify]\n    {change}\n");
        bash(&sandbox().file(".claude/phaser.yaml", config), "git commit -n").decision()
    };
    assert_eq!(of("enabled: false"), "");
    assert_eq!(of("severity: warning"), "");
    assert_eq!(of("severity: error"), "deny");
    assert_eq!(of("files: ['src/**']\n    enabled: false"), "deny");
}

#[test]
fn without_guard_commands_are_not_judged() {
    let sandbox = sandbox();
    let hook = sandbox.hook("PreToolUse").tool("Bash", json!({ "command": "git commit -n" }));
    assert_eq!(hook.run().json(), json!({}));
}

#[test]
fn every_agent_with_a_shell_is_denied() {
    let mut denied = Vec::new();
    for client in ALL {
        let sandbox = sandbox();
        let Some(answer) = client.answer(&sandbox, When::Before, Deed::Shell("git commit -n")) else {
            continue;
        };
        let reason =
            "no-verify: Fix what the hooks report.\ncommand: git commit -n\nThe command was not run.";
        assert_eq!(answer, client.denial(reason), "{client:?}");
        let clean = client.answer(&sandbox, When::Before, Deed::Shell("git commit -m x"));
        assert_eq!(clean, Some(json!({})), "{client:?}");
        denied.push(client);
    }
    assert!(denied.len() >= 8, "{denied:?}");
}

#[test]
fn fix_rewrites_command_where_agent_permits() {
    for client in ALL {
        let sandbox = sandbox()
            .contract(&(NO_VERIFY.to_owned() + "fix: git commit\n"))
            .file(".claude/phaser.yaml", "fixes: apply\n");
        let Some(answer) = client.answer(&sandbox, When::Before, Deed::Shell("git commit -n")) else {
            continue;
        };
        let text = answer.to_string();
        let is_fixed =
            text.contains("\"command\":\"git commit\"") || text.contains("\"commands\":[\"git commit\"]");
        match client {
            Client::Copilot | Client::CopilotAsClaude | Client::Gemini | Client::Droid | Client::Opencode => {
                assert!(is_fixed && !text.contains("allow"), "{client:?}: {text}");
            }
            Client::Codex => assert!(text.contains("\"deny\"") && text.contains("Fix: git commit"), "{text}"),
            _ => {}
        }
    }
}

#[test]
fn repeated_command_adds_advice() {
    let sandbox = sandbox().file(".claude/phaser.yaml", "log: true\nrepeated: ask\n");
    let outputs: Vec<Output> =
        ["git commit -n", "sudo git commit  -n", "cd x; git commit -n", "git commit -n", "git commit -n"]
            .map(|command| bash(&sandbox, command))
            .into();
    assert!(!outputs[1].reason().contains("ask the user"), "{}", outputs[1]);
    assert!(outputs[2].reason().contains("no-verify has denied git commit -n 3 times"), "{}", outputs[2]);
    assert_eq!((outputs[3].decision(), outputs[4].decision()), ("deny".to_owned(), "ask".to_owned()));
    let text = fs::read_to_string(sandbox.path(".git/phaser/decisions.jsonl")).expect("is there");
    let first: Value = serde_json::from_str(text.lines().next().expect("a line")).expect("JSON");
    assert_eq!((&first["path"], &first["program"]), (&Value::Null, &json!("git")));
    assert_eq!((&first["decision"], &first["contracts"][0]["id"]), (&json!("deny"), &json!("no-verify")));
    assert_eq!(text.lines().count(), 5);
}

#[test]
fn examples_are_command_lines() {
    let examples = "fix: git commit\nexamples:\n  violating: ['git commit --no-verify -m x', \
        {text: 'git commit -nm x', fixed: 'git commit -m x'}]\n  passing: [\"echo 'git commit --no-verify'\"]\n";
    let sandbox = Sandbox::new().contract(&(NO_VERIFY.to_owned() + examples));
    let tested = sandbox.run(["contracts", "test"]);
    assert_eq!((tested.code, tested.stdout.as_str()), (Some(0), "Examples: 3 ok, 0 failed\n"), "{tested}");
    let wrong = examples.replace("passing: [", "passing: ['git commit -n', ");
    let sandbox = Sandbox::new().contract(&(NO_VERIFY.to_owned() + &wrong));
    assert_eq!(sandbox.run(["contracts", "test"]).code, Some(1));
    let all = sandbox.run(["enforce", "--all"]);
    assert_eq!(
        (all.code, all.stdout.as_str()),
        (Some(0), "0 errors, 0 warnings\n"),
        "not judged on files: {all}"
    );
}

#[test]
fn mistakes_name_their_line() {
    let broken = |keys: &str| {
        let yaml = format!("rule_id: a\ntype: forbid_command\nmessage: m\nseverity: error\n{keys}");
        Sandbox::new().contract(&yaml).run(["contracts", "lint"]).to_string()
    };
    assert!(broken("").contains("a.yaml:1: 'command' or 'pattern' is missing"), "{}", broken(""));
    assert!(broken("command: git\npattern: x\n").contains("a.yaml:6: 'pattern' is instead of 'command'"));
    assert!(broken("command: ''\n").contains("a.yaml:5: 'command' is empty"));
    assert!(
        broken("pattern: x\nargs: [y]\n").contains("a.yaml:6: key 'args' has no effect without 'command'")
    );
    let files = broken("command: git\nfile_glob: 'src/**'\n");
    assert!(
        files.contains("a.yaml:6: a: 'file_glob' has no effect for forbid_command (remove it)"),
        "{files}"
    );
    let files = broken("command: git\nexclude_glob: 'src/**'\n");
    assert!(
        files.contains("a.yaml:6: a: 'exclude_glob' has no effect for forbid_command (remove it)"),
        "{files}"
    );
    assert!(broken("pattern: '('\n").contains("a.yaml:5: "), "{}", broken("pattern: '('\n"));
}

#[test]
fn narrower_contract_weakens_enforcement() {
    let sandbox = sandbox().file(".claude/phaser.yaml", "protect: deny\n");
    let file = ".claude/contracts/no-verify.yaml";
    let edit = |old: &str, new: &str| sandbox.hook("PreToolUse").edit(file, old, new).guard().run();
    assert!(edit("args: ['--no-verify', '-n']", "args: ['-n']").reason().contains("forbids fewer commands"));
    assert!(edit("git commit", "git push").reason().contains("forbids fewer commands"));
    assert_eq!(edit("args: ['--no-verify', '-n']\n", "").decision(), "allow");
    assert_eq!(edit("command: git commit", "command: [git commit, git push]").decision(), "allow");
}

#[test]
fn briefing_names_the_command() {
    let briefing = sandbox().hook("SessionStart").guard().run().context();
    assert!(briefing.contains("- no-verify (command git commit with --no-verify or -n): Fix"), "{briefing}");
}
