//! The hooks in `examples/`, run as the client runs them.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// The example's program; `cargo test` builds it beside the tests.
fn program(name: &str) -> PathBuf {
    let tests = std::env::current_exe().expect("the path of this program");
    let target = tests.parent().and_then(Path::parent).expect("tests stand in a directory of the target");
    let program = target.join("examples").join(name).with_extension(std::env::consts::EXE_EXTENSION);
    assert!(program.is_file(), "{} is not built: run `cargo build --examples`", program.display());
    program
}

/// What the example prints for an event, and nothing at all as null.
fn run(name: &str, event: Value) -> Value {
    let mut child = Command::new(program(name))
        .env_remove("CLAUDE_ENV_FILE")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the example starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(event.to_string().as_bytes()).expect("written");
    // The pipe stays open: a hook answers when the event is complete.
    let output = child.wait_with_output().expect("the example ends");
    drop(stdin);
    assert!(output.status.success());
    match output.stdout.as_slice() {
        [] => Value::Null,
        stdout => serde_json::from_slice(stdout).expect("one JSON document"),
    }
}

#[test]
fn embedding_example_prints_open_violations() {
    let sandbox = crate::harness::Sandbox::new()
        .contract(&crate::harness::forbid("no-x", "x", "**/*.txt"))
        .file("a.txt", "fine\nx\n");
    let output = sandbox.run_with(&mut sandbox.tool(program("embed")), b"");
    assert_eq!(output.stdout, "a.txt:2: Do not no-x.\n1 error, 0 warnings\n");
    assert_eq!(output.code, Some(0));
}

#[test]
fn bash_guard_asks_with_safer_command() {
    let event = |command: &str| {
        json!({
            "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": command, "timeout": 30},
        })
    };
    let output = run("bash_guard", event("git push --force origin main"));
    let output = &output["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "ask");
    let safer = json!({"command": "git push --force-with-lease origin main", "timeout": 30});
    assert_eq!(output["updatedInput"], safer);
    assert_eq!(run("bash_guard", event("git push origin main")), json!({}));
}

#[test]
fn the_reminder_speaks_only_of_migrations() {
    let event = |path: &str, error: Value| {
        json!({
            "hook_event_name": "PostToolUse", "tool_name": "Write",
            "tool_input": {"file_path": path, "content": ""}, "tool_error": error,
        })
    };
    let output = run("post_reminder", event("/p/migrations/1.sql", Value::Null));
    let context = output["hookSpecificOutput"]["additionalContext"].as_str().expect("context");
    assert!(context.starts_with("/p/migrations/1.sql changes the schema"), "{context}");
    assert_eq!(run("post_reminder", event("/p/migrations/1.sql", json!("disk full"))), Value::Null);
    assert_eq!(run("post_reminder", event("/p/src/a.sql", Value::Null)), Value::Null);
}

#[test]
fn session_hook_gives_context_and_variable() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let env_file = directory.path().join("env");
    let event = json!({"hook_event_name": "SessionStart", "cwd": directory.path(), "env_file": env_file});
    let plain = json!({"hookSpecificOutput": {"hookEventName": "SessionStart"}});
    assert_eq!(run("session_context", event.clone()), plain);
    fs::write(directory.path().join("HOUSE_RULES.md"), "No shouting.\n").expect("written");
    let output = run("session_context", event);
    assert_eq!(output["hookSpecificOutput"]["additionalContext"], "No shouting.\n");
    let script = fs::read_to_string(env_file).expect("the variables");
    assert_eq!(script, "export PAGER='cat'\nexport PAGER='cat'\n");
}

#[test]
fn every_example_is_short() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for entry in fs::read_dir(examples).expect("the examples") {
        let path = entry.expect("an entry").path();
        let lines = fs::read_to_string(&path).expect("source").lines().count();
        assert!(lines < 40, "{} has {lines} lines", path.display());
    }
}
