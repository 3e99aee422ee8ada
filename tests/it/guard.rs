//! `--guard`: what phaser says to every event of Claude Code, beyond edits.

use serde_json::{Value, json};

use crate::harness::{Output, Sandbox, forbid, warning};

fn sandbox() -> Sandbox {
    Sandbox::new()
        .contract(&forbid("no-print", r"\bprint\(", "**/*.py"))
        .contract(&warning(&forbid("no-todo", "TODO", "**/*.py")))
}

/// An event with these fields, through the hook of a guard.
fn guarded(sandbox: &Sandbox, event: &str, fields: Value) -> Output {
    with_args(sandbox, event, fields, &["--guard"])
}

fn with_args(sandbox: &Sandbox, event: &str, mut fields: Value, args: &[&str]) -> Output {
    fields["hook_event_name"] = json!(event);
    if fields.get("cwd").is_none() {
        fields["cwd"] = json!(sandbox.root());
    }
    let mut command = sandbox.command();
    command.args(["enforce", "--stdin"]).args(args).env("CLAUDE_PROJECT_DIR", sandbox.root());
    let output = sandbox.run_with(&mut command, fields.to_string().as_bytes());
    assert_eq!(output.code, Some(0), "{output}");
    output
}

fn tool(name: &str, input: Value) -> Value {
    json!({ "tool_name": name, "tool_input": input, "tool_use_id": "t" })
}

fn context(output: &Output) -> String {
    output.json()["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_denied_edit_is_told_with_its_file_and_warnings_do_not_deny() {
    let sandbox = sandbox();
    let write = |content: &str| {
        let input = json!({ "file_path": sandbox.path("src/a.py"), "content": content });
        guarded(&sandbox, "PreToolUse", tool("Write", input))
    };
    let output = write("x = 1\nprint(x)  # TODO\n");
    let expected = "Contract violation: no-print at src/a.py:2. Do not no-print.";
    assert_eq!(output.decision(), ("deny".to_owned(), expected.to_owned()), "{output}");
    let output = write("x = 1  # TODO\n");
    assert_eq!(output.decision(), ("allow".to_owned(), "All contracts passed".to_owned()), "{output}");
}

#[test]
fn after_an_edit_warnings_are_context_and_errors_have_a_reason_that_names_the_file() {
    let sandbox = sandbox().file("src/a.py", "x = 1  # TODO\n").file("src/b.py", "print(1)  # TODO\n");
    let after = |path: &str| {
        let input = json!({ "file_path": sandbox.path(path), "content": "" });
        guarded(&sandbox, "PostToolUse", tool("Write", input))
    };
    let told = "Warning: no-todo at src/a.py:1. Do not no-todo.";
    let expected =
        json!({ "hookSpecificOutput": { "hookEventName": "PostToolUse", "additionalContext": told } });
    assert_eq!(after("src/a.py").json(), expected);
    let output = after("src/b.py");
    assert_eq!(output.json()["decision"], "block");
    assert_eq!(output.json()["reason"], "1 contract violation in src/b.py");
    let told =
        "Error: no-print at src/b.py:1. Do not no-print.\nWarning: no-todo at src/b.py:1. Do not no-todo.";
    assert_eq!(context(&output), told);
}

#[test]
fn whoever_begins_is_told_the_contracts_errors_first() {
    let sandbox = sandbox()
        .contract("rule_id: [")
        .file("sub/.claude/contracts/own.yaml", forbid("own", "x", "**/*.rs"))
        .file("sub/a.rs", "")
        .git_init();
    for event in ["SessionStart", "SubagentStart"] {
        let output = guarded(&sandbox, event, json!({ "source": "startup", "agent_type": "k" }));
        assert_eq!(output.json()["hookSpecificOutput"]["hookEventName"], event);
        let told = context(&output);
        insta::allow_duplicates! {
            insta::assert_snapshot!(told, @r#"
            phaser enforces these contracts of the project:
            Errors, which an edit is denied for:
            - no-print (**/*.py): Do not no-print.
            - own (sub/**/*.rs): Do not own.
            Warnings, which are told after an edit:
            - no-todo (**/*.py): Do not no-todo.
            'phaser explain ID' says more about one.
            "#);
        }
        let message = output.json()["systemMessage"].as_str().unwrap_or_default().to_owned();
        assert!(message.starts_with("phaser: .claude/contracts/"), "{output}");
    }
    // From anywhere in the project, and from outside.
    let inside = guarded(&sandbox, "SessionStart", json!({ "cwd": sandbox.path("sub") }));
    let outside = guarded(&sandbox, "SessionStart", json!({ "cwd": sandbox.home() }));
    assert_eq!(context(&inside), context(&outside));
    assert!(context(&inside).contains("no-print"), "{inside}");
}

#[test]
fn a_thousand_contracts_are_told_within_the_length_that_the_client_passes_on() {
    let mut sandbox = Sandbox::new();
    for n in 0..1_000 {
        let yaml = forbid(&format!("rule-{n:04}"), &format!("word{n}"), "src/**/*.{py,js,ts}");
        sandbox = sandbox.file(&format!(".claude/contracts/{n}.yaml"), yaml);
    }
    let output = guarded(&sandbox, "SessionStart", json!({}));
    let told = context(&output);
    let length = told.chars().count();
    assert!((8_000..=9_500).contains(&length), "{length}");
    assert!(told.contains("rule-0000") && told.contains(" more: "), "{told}");
}

#[test]
fn a_project_without_contracts_has_nothing_to_say_to_any_event() {
    let sandbox = Sandbox::new().file("a.py", "print(1)");
    for event in
        ["SessionStart", "SubagentStart", "Stop", "SubagentStop", "ConfigChange", "PreCompact", "Novel"]
    {
        let output = guarded(&sandbox, event, json!({ "agent_type": "k" }));
        assert_eq!(output.json(), json!({}), "{event}");
    }
    let output = guarded(&sandbox, "PostToolUse", tool("Bash", json!({ "command": "ls" })));
    assert_eq!(output.json(), json!({}));
}

#[test]
fn a_server_that_writes_a_file_is_denied_and_never_allowed() {
    let sandbox = sandbox();
    for (path, content) in [("path", "text"), ("file_path", "content"), ("path", "content")] {
        let input = |text: &str| json!({ path: sandbox.path("a.py"), content: text });
        let output = guarded(&sandbox, "PreToolUse", tool("mcp__files__write", input("print(1)")));
        let expected = "Contract violation: no-print at a.py:1. Do not no-print.";
        assert_eq!(output.decision(), ("deny".to_owned(), expected.to_owned()), "{output}");
        let output = guarded(&sandbox, "PreToolUse", tool("mcp__files__write", input("x")));
        assert_eq!(output.json(), json!({}), "to allow it would be to allow more than was looked at");
    }
    let output = guarded(&sandbox, "PreToolUse", tool("mcp__files__read", json!({ "path": "a.py" })));
    assert_eq!(output.json(), json!({}));
}

#[test]
fn a_command_is_never_allowed() {
    let sandbox = sandbox();
    let output =
        guarded(&sandbox, "PreToolUse", tool("Bash", json!({ "command": "echo 'print(1)' > a.py" })));
    assert_eq!(output.json(), json!({}));
}

#[test]
fn a_file_outside_the_project_is_never_allowed() {
    let sandbox = sandbox();
    let input = json!({ "file_path": sandbox.home().join("a.py"), "content": "x" });
    let output = guarded(&sandbox, "PreToolUse", tool("Write", input));
    assert_eq!(output.json(), json!({}));
}

#[test]
fn without_the_flag_only_edits_are_looked_at() {
    let sandbox = sandbox().file(".claude/phaser.yaml", "protect: deny\n");
    for event in
        ["SessionStart", "SubagentStart", "Stop", "SubagentStop", "ConfigChange", "PostToolUseFailure"]
    {
        let output = with_args(&sandbox, event, json!({ "agent_type": "k", "tool_name": "Bash" }), &[]);
        assert_eq!(output.json(), json!({}), "{event}");
    }
}

const HOOKS: &str = r#"{ "hooks": { "PreToolUse": [ { "matcher": "Write", "hooks":
    [ { "type": "command", "command": "phaser enforce --stdin --guard" } ] } ] } }"#;

#[test]
fn settings_that_take_the_hooks_away_do_not_count_if_the_project_protects_them() {
    let change = |sandbox: &Sandbox| {
        let settings = sandbox.path(".claude/settings.json");
        let fields = json!({ "source": "project_settings", "file_path": settings });
        guarded(sandbox, "ConfigChange", fields).json()
    };
    let settings = ".claude/settings.json";
    for policy in ["report", "ask", "deny"] {
        let sandbox = sandbox().file(".claude/phaser.yaml", format!("protect: {policy}\n"));
        let sandbox = sandbox.file(settings, HOOKS);
        assert_eq!(change(&sandbox), json!({}), "they are there");
        let sandbox = sandbox.file(settings, "{}");
        let answer = change(&sandbox);
        assert_eq!(answer["decision"], "block");
        let reason = answer["reason"].as_str().unwrap_or_default();
        assert!(reason.starts_with("phaser's hooks are gone from the settings. "), "{reason}");
        let sandbox = sandbox.file(settings, HOOKS);
        let sandbox = sandbox.file(".claude/settings.local.json", r#"{ "disableAllHooks": true }"#);
        let reason = change(&sandbox)["reason"].as_str().unwrap_or_default().to_owned();
        assert!(reason.starts_with("'disableAllHooks' in "), "{reason}");
    }
    let elsewhere = sandbox().file(".claude/phaser.yaml", "protect: deny\n").file(settings, "{}");
    let user = elsewhere.home().join(".claude");
    std::fs::create_dir_all(&user).expect("created");
    std::fs::write(user.join("settings.json"), HOOKS).expect("written");
    assert_eq!(change(&elsewhere), json!({}), "all settings count together");
    assert_eq!(change(&sandbox().file(settings, "{}")), json!({}), "nobody protects them");
}

#[test]
fn a_broken_configuration_does_not_disarm_the_guard() {
    let sandbox = sandbox().file(".claude/phaser.yaml", "protect: perhaps\n");
    let input = json!({ "file_path": sandbox.path("a.py"), "content": "print(1)" });
    let output = guarded(&sandbox, "PreToolUse", tool("Write", input));
    assert_eq!(output.decision().0, "deny", "{output}");
    assert!(
        output.json()["systemMessage"].as_str().unwrap_or_default().contains("phaser.yaml:1"),
        "{output}"
    );
    let output = guarded(&sandbox, "SessionStart", json!({}));
    assert!(context(&output).contains("no-print"), "{output}");
    assert!(
        output.json()["systemMessage"].as_str().unwrap_or_default().contains("phaser.yaml:1"),
        "{output}"
    );
}
