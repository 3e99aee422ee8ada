//! `--guard`: the response to every event of Claude Code, beyond edits.

use std::path::PathBuf;

use serde_json::json;

use crate::harness::{Sandbox, forbid, warning};

fn sandbox() -> Sandbox {
    Sandbox::new()
        .contract(&forbid("no-print", r"\bprint\(", "**/*.py"))
        .contract(&warning(&forbid("no-todo", "TODO", "**/*.py")))
}

#[test]
fn denial_names_file_and_warnings_deny_nothing() {
    let sandbox = sandbox();
    let write = |content: &str| sandbox.hook("PreToolUse").write("src/a.py", content).guard().run();
    write("x = 1\nprint(x)  # TODO\n").assert_denied(&["no-print at src/a.py:2"]);
    write("x = 1  # TODO\n").assert_allowed();
}

#[test]
fn denial_quotes_lines_by_contract() {
    let sandbox = Sandbox::new()
        .contract(
            &(forbid("no-print", r"\bprint\(", "**/*.py") + "rationale: Other programs read our stdout.\n"),
        )
        .contract(&(forbid("no-key", "AKIA[A-Z0-9]{12}", "**/*.py") + "tags: [secret]\n"));
    let content = "print(1)\nif x:\n\tprint('AKIAEXAMPLEKEY22')\nprint(3)\nprint(4)\n";
    let output = sandbox.hook("PreToolUse").write("src/a.py", content).guard().run();
    assert_eq!(output.decision(), "deny", "{output}");
    insta::assert_snapshot!(output.reason(), @r"
    no-print: Do not no-print.
    src/a.py:1: print(1)
    src/a.py:3: print('AKIA************')
    src/a.py:4: print(3)
    … and 1 more
    Why: Other programs read our stdout.
    no-key: Do not no-key.
    src/a.py:3: print('AKIA************')
    Nothing was written. Fix these lines and retry.
    ");
}

#[test]
fn denial_ends_after_findings_of_policies() {
    let sandbox = sandbox().file(".claude/phaser.yaml", "ignores: deny\n");
    let content = "print(1)\nprint(2)  # phaser:ignore no-print\n";
    let reason = sandbox.hook("PreToolUse").write("a.py", content).guard().run().reason();
    let lines: Vec<&str> = reason.lines().collect();
    assert_eq!((lines[1], lines.len()), ("a.py:1: print(1)", 4), "{reason}");
    assert!(lines[2].contains("suppresses no-print at a.py:2"), "{reason}");
    assert!(lines[3].starts_with("Nothing was written. "), "{reason}");
    let only_policy = sandbox.hook("PreToolUse").write("a.py", "print(2)  # phaser:ignore no-print\n");
    assert!(!only_policy.guard().run().reason().contains("Nothing was written"));
}

#[test]
fn question_states_that_user_has_to_agree() {
    let sandbox = Sandbox::new().contract(&(forbid("no-x", "x", "**") + "decision: ask\n"));
    let output = sandbox.hook("PreToolUse").write("a", "x\n").guard().run();
    assert_eq!(output.decision(), "ask", "{output}");
    assert!(
        output.reason().ends_with("Nothing was written. The user has to agree to this edit."),
        "{output}"
    );
}

#[test]
fn warnings_are_context_and_errors_block() {
    let sandbox = sandbox().file("src/a.py", "x = 1  # TODO\n").file("src/b.py", "print(1)  # TODO\n");
    let after = |path: &str| sandbox.hook("PostToolUse").write(path, "").guard().run();
    let output = after("src/a.py");
    assert_eq!(output.reported(), ["no-todo at src/a.py:1"]);
    let specific = json!({ "hookEventName": "PostToolUse", "additionalContext": output.context() });
    assert_eq!(output.json(), json!({ "hookSpecificOutput": specific }));
    let output = after("src/b.py");
    assert_eq!(output.json()["decision"], "block");
    assert_eq!(output.reason(), "1 contract violation in src/b.py");
    assert_eq!(output.reported(), ["no-print at src/b.py:1", "no-todo at src/b.py:1"]);
}

#[test]
fn session_start_lists_errors_first() {
    let sandbox = sandbox()
        .contract("rule_id: [")
        .file("sub/.claude/contracts/own.yaml", forbid("own", "x", "**/*.rs"))
        .file("sub/a.rs", "")
        .git_init();
    for event in ["SessionStart", "SubagentStart"] {
        let fields = json!({ "source": "startup", "agent_type": "k" });
        let output = sandbox.hook(event).with(fields).guard().run();
        assert_eq!(output.json()["hookSpecificOutput"]["hookEventName"], event);
        insta::allow_duplicates! {
            insta::assert_snapshot!(output.context(), @r#"
            phaser enforces these contracts of the project:
            Errors (block the edit):
            - no-print (**/*.py): Do not no-print.
            - own (sub/**/*.rs): Do not own.
            Warnings (reported after the edit):
            - no-todo (**/*.py): Do not no-todo.
            'phaser explain ID' shows the details of one.
            "#);
        }
        assert!(output.message().contains(".claude/contracts/"), "{output}");
    }
    // From anywhere in the project, and from outside.
    let from = |directory: PathBuf| {
        sandbox.hook("SessionStart").with(json!({ "cwd": directory })).guard().run().context()
    };
    let inside = from(sandbox.path("sub"));
    assert_eq!(inside, from(sandbox.home()));
    assert!(inside.contains("no-print"), "{inside}");
}

#[test]
fn own_contracts_come_in_full_before_packs() {
    let mut sandbox = Sandbox::new().file(".claude/phaser.yaml", "packs: [secrets, hygiene, python]\n");
    let message =
        |n: usize| format!("Rule {n} of this project. {}The end of {n}.", "It has its reasons. ".repeat(20));
    for n in 1..=8 {
        let yaml = forbid(&format!("own-{n}"), &format!("word{n}"), "src/**/*.{py,js}");
        let yaml = yaml.replace(&format!("Do not own-{n}."), &message(n));
        sandbox =
            sandbox.file(&format!(".claude/contracts/own-{n}.yaml"), yaml + "exclude_glob: src/gen/**\n");
    }
    let briefing = sandbox.hook("SessionStart").guard().run().context();
    let export = sandbox.run(["contracts", "export"]).stdout;
    for n in 1..=8 {
        let line = format!("- own-{n} (src/**/*.{{py,js}}, not src/gen/**): {}", message(n));
        assert!(briefing.lines().any(|shown| shown == line), "{line}\n{briefing}");
        let line = format!("- `own-{n}` (`src/**/*.{{py,js}}, not src/gen/**`): {}", message(n));
        assert!(export.lines().any(|shown| shown == line), "{line}\n{export}");
    }
    for (text, tick) in [(&briefing, ""), (&export, "`")] {
        let packs: Vec<&str> = text.lines().filter(|line| line.contains(" contracts): ")).collect();
        let names = packs.iter().filter_map(|line| line.split(" (").next()).collect::<Vec<_>>().join("\n");
        assert_eq!(
            names,
            ["secrets", "hygiene", "python"].map(|name| format!("- {tick}{name}{tick}")).join("\n")
        );
        let last_own = text.find("own-8").expect("is listed");
        assert!(last_own < text.find(packs[0]).expect("is listed"), "{text}");
        assert!(!text.contains("python-bare-except") && !text.contains("vendor"), "{text}");
    }
}

#[test]
fn thousand_contracts_fit_the_context_limit() {
    let mut sandbox = Sandbox::new();
    for n in 0..1_000 {
        let yaml = forbid(&format!("rule-{n:04}"), &format!("word{n}"), "src/**/*.{py,js,ts}");
        sandbox = sandbox.file(&format!(".claude/contracts/{n}.yaml"), yaml);
    }
    let message = sandbox.hook("SessionStart").guard().run().context();
    let length = message.chars().count();
    assert!((8_000..=9_500).contains(&length), "{length}");
    assert!(message.contains("rule-0000") && message.contains(" more: "), "{message}");
}

#[test]
fn without_contracts_every_response_is_empty() {
    let sandbox = Sandbox::new().file("a.py", "print(1)");
    for event in
        ["SessionStart", "SubagentStart", "Stop", "SubagentStop", "ConfigChange", "PreCompact", "Novel"]
    {
        let output = sandbox.hook(event).with(json!({ "agent_type": "k" })).guard().run();
        assert_eq!(output.json(), json!({}), "{event}");
    }
    let output = sandbox.hook("PostToolUse").tool("Bash", json!({ "command": "ls" })).guard().run();
    assert_eq!(output.json(), json!({}));
}

#[test]
fn mcp_write_is_denied_never_allowed() {
    let sandbox = sandbox();
    for (path, content) in [
        ("path", "text"),
        ("file_path", "content"),
        ("file", "contents"),
        ("filename", "new_content"),
        ("relative_path", "data"),
    ] {
        let write = |text: &str| {
            let input = json!({ path: sandbox.path("a.py"), content: text });
            sandbox.hook("PreToolUse").tool("mcp__files__write", input).guard().run()
        };
        write("print(1)").assert_denied(&["no-print at a.py:1"]);
        assert_eq!(write("x").json(), json!({}), "to allow it would be to allow more than was checked");
    }
    let read = sandbox.hook("PreToolUse").tool("mcp__files__read", json!({ "path": "a.py" }));
    assert_eq!(read.guard().run().json(), json!({}));
}

#[test]
fn mcp_edit_is_reconstructed() {
    let sandbox = sandbox().file("a b.py", "x = 1\r\ny = 2\r\n");
    let uri = format!("file://{}", sandbox.path("a%20b.py").display());
    let edit = |new: &str| {
        let input = json!({ "uri": uri, "edits": [{ "oldText": "x = 1\ny", "newText": new }] });
        sandbox.hook("PreToolUse").tool("mcp__files__edit_file", input).guard().run()
    };
    edit("x = 1\nprint(y)\ny").assert_denied(&["no-print at a b.py:2"]);
    assert_eq!(edit("x = 2\ny").json(), json!({}));
}

#[test]
fn file_named_by_mcp_call_is_checked_afterwards() {
    let sandbox = sandbox().git_init().git_commit("start").file("a.py", "print(1)\n");
    let after = |input: serde_json::Value| {
        let hook = sandbox.hook("PostToolUse").tool("mcp__files__refactor", input);
        hook.with(json!({ "tool_response": [], "duration_ms": 5 })).guard().run()
    };
    for key in ["path", "file", "filename", "relative_path", "uri"] {
        assert_eq!(after(json!({ key: "a.py", "line": 1 })).reported(), ["no-print at a.py:1"], "{key}");
    }
    assert_eq!(after(json!({ "path": "src" })).json(), json!({}), "no file");
}

#[test]
fn a_command_is_never_allowed() {
    let sandbox = sandbox();
    let command = json!({ "command": "echo 'print(1)' > a.py" });
    assert_eq!(sandbox.hook("PreToolUse").tool("Bash", command).guard().run().json(), json!({}));
}

#[test]
fn file_outside_project_is_never_allowed() {
    let sandbox = sandbox();
    let input = json!({ "file_path": sandbox.home().join("a.py"), "content": "x" });
    assert_eq!(sandbox.hook("PreToolUse").tool("Write", input).guard().run().json(), json!({}));
}

#[test]
fn without_flag_only_edits_are_checked() {
    let sandbox = sandbox().file(".claude/phaser.yaml", "protect: deny\n");
    for event in
        ["SessionStart", "SubagentStart", "Stop", "SubagentStop", "ConfigChange", "PostToolUseFailure"]
    {
        let fields = json!({ "agent_type": "k", "tool_name": "Bash" });
        let output = sandbox.hook(event).with(fields).project(sandbox.root()).run();
        assert_eq!(output.json(), json!({}), "{event}");
    }
}

const HOOKS: &str = r#"{ "hooks": { "PreToolUse": [ { "matcher": "Write", "hooks":
    [ { "type": "command", "command": "phaser enforce --stdin --guard" } ] } ] } }"#;

#[test]
fn protected_settings_keep_their_hooks() {
    let change = |sandbox: &Sandbox| {
        let settings = sandbox.path(".claude/settings.json");
        let fields = json!({ "source": "project_settings", "file_path": settings });
        sandbox.hook("ConfigChange").with(fields).guard().run()
    };
    let settings = ".claude/settings.json";
    for policy in ["report", "ask", "deny"] {
        let sandbox = sandbox().file(".claude/phaser.yaml", format!("protect: {policy}\n"));
        let sandbox = sandbox.file(settings, HOOKS);
        assert_eq!(change(&sandbox).json(), json!({}), "they are there");
        let sandbox = sandbox.file(settings, "{}");
        let output = change(&sandbox);
        assert_eq!(output.json()["decision"], "block");
        assert!(output.reason().starts_with("phaser's hooks are gone from the settings. "), "{output}");
        let sandbox = sandbox.file(settings, HOOKS);
        let sandbox = sandbox.file(".claude/settings.local.json", r#"{ "disableAllHooks": true }"#);
        let output = change(&sandbox);
        assert!(output.reason().starts_with("'disableAllHooks' in "), "{output}");
    }
    let elsewhere = sandbox().file(".claude/phaser.yaml", "protect: deny\n").file(settings, "{}");
    let user = elsewhere.home().join(".claude");
    std::fs::create_dir_all(&user).expect("created");
    std::fs::write(user.join("settings.json"), HOOKS).expect("written");
    assert_eq!(change(&elsewhere).json(), json!({}), "all settings count together");
    assert_eq!(change(&sandbox().file(settings, "{}")).json()["decision"], "block", "the guard's default");
    let open = sandbox().file(settings, "{}").file(".claude/phaser.yaml", "protect: allow\n");
    assert_eq!(change(&open).json(), json!({}), "nobody protects them");
}

#[test]
fn settings_that_idle_the_hook_are_blocked() {
    let sandbox =
        sandbox().file(".claude/phaser.yaml", "protect: deny\n").file(".claude/settings.json", HOOKS);
    let change = |name: &str, text: &str| {
        std::fs::write(sandbox.path(name), text).expect("written");
        let output = sandbox.hook("ConfigChange").with(json!({ "source": "project_settings" })).guard().run();
        output.json()["decision"].as_str().unwrap_or_default().to_owned()
    };
    let settings = ".claude/settings.json";
    let with = |more: &str| HOOKS.replace("\"type\"", &format!("{more}, \"type\""));
    for text in [
        HOOKS.replace("\"Write\"", "\"Nothing\""),
        HOOKS.replace("\"Write\"", "\"^Nothing.*\""),
        with(r#""async": true"#),
        with(r#""if": "Bash(never)""#),
        with(r#""timeout": 0.001"#),
    ] {
        assert_eq!(change(settings, &text), "block", "{text}");
    }
    for text in [HOOKS.to_owned(), HOOKS.replace("\"Write\"", "\"^(Edit|Wri.e)$\""), with(r#""timeout": 5"#)]
    {
        assert_eq!(change(settings, &text), "", "{text}");
    }
    let local = ".claude/settings.local.json";
    for variables in [r#""PATH": "/nonexistent""#, r#""BASH_ENV": "x.sh""#, r#""GIT_DIR": "/nowhere""#] {
        assert_eq!(change(local, &format!(r#"{{"env": {{{variables}}}}}"#)), "block", "{variables}");
    }
    assert_eq!(change(local, r#"{"env": {"RUST_LOG": "debug"}}"#), "");
    let known = json!({ "env": { "PATH": sandbox.home().join("bin") } }).to_string();
    assert_eq!(change(local, &known), "", "the session runs with it");
    assert_eq!(change(local, r#"{"disableAllHooks": true}"#), "block");
    assert_eq!(
        change(local, r#"{"enabledPlugins": {"phaser@phaser": false}}"#),
        "",
        "the settings have hooks"
    );
}

#[test]
fn variables_that_disarm_hooks_are_protected() {
    let sandbox =
        sandbox().file(".claude/phaser.yaml", "protect: deny\n").file(".claude/settings.json", HOOKS);
    let write =
        |text: &str| sandbox.hook("PreToolUse").write(".claude/settings.local.json", text).guard().run();
    let output = write(r#"{"env": {"PATH": "/nonexistent"}}"#);
    assert_eq!(output.decision(), "deny", "{output}");
    assert_eq!(write(r#"{"env": {"RUST_LOG": "debug"}}"#).decision(), "allow");
}

#[test]
fn broken_configuration_keeps_guard_armed() {
    let sandbox = sandbox().file(".claude/phaser.yaml", "protect: perhaps\n");
    let output = sandbox.hook("PreToolUse").write("a.py", "print(1)").guard().run();
    assert_eq!(output.decision(), "deny", "{output}");
    assert!(output.message().contains("phaser.yaml:1"), "{output}");
    let output = sandbox.hook("SessionStart").guard().run();
    assert!(output.context().contains("no-print"), "{output}");
    assert!(output.message().contains("phaser.yaml:1"), "{output}");
}

#[test]
fn allows_edit_with_warnings_and_announces_them() {
    let sandbox = Sandbox::new().contract(&warning(&forbid("no-todo", "TODO", "**/*.py")));
    let write = |text: &str| sandbox.hook("PreToolUse").write("a.py", text).guard().run();
    assert_eq!(write("x\n").reason(), "All contracts passed");
    assert_eq!(write("# TODO\n").decision(), "allow");
    assert_eq!(write("# TODO\n").reason(), "1 warning, reported after the edit");
    assert_eq!(write("# TODO\n# TODO 2\n").reason(), "2 warnings, reported after the edit");
}

#[test]
fn old_violations_do_not_trap_the_guard() {
    let sandbox =
        Sandbox::new().contract(&forbid("no-print", "print", "**/*.py")).file("a.py", "print(1)\nx = 1\n");
    let edit = |old: &str, new: &str| sandbox.hook("PreToolUse").edit("a.py", old, new).guard().run();
    assert_eq!(edit("x = 1", "x = 2").decision(), "allow");
    assert_eq!(edit("x = 1", "print(2)").decision(), "deny");
    let sandbox = sandbox.file(".claude/phaser.yaml", "existing: deny\n");
    let output = sandbox.hook("PreToolUse").edit("a.py", "x = 1", "x = 2").guard().run();
    assert_eq!(output.decision(), "deny", "the configuration decides");
}

#[test]
fn guard_asks_before_enforcement_is_weakened() {
    let sandbox = Sandbox::new().contract(&forbid("no-print", "print", "**/*.py"));
    let weak = warning(&forbid("no-print", "print", "**/*.py"));
    let output = sandbox.hook("PreToolUse").write(".claude/contracts/no-print.yaml", &weak).guard().run();
    assert_eq!(output.decision(), "ask", "{output}");
    let ignored = "print(1)  # phaser:ignore no-print -- why\n";
    let output = sandbox.hook("PreToolUse").write("a.py", ignored).guard().run();
    assert!(output.context().contains("no-print"), "{output}");
}
