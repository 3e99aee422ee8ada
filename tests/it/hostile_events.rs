//! Events that somebody wrote to exhaust phaser: the hook ends, and says what it did not check.

use serde_json::{Value, json};

use crate::harness::{Output, Sandbox, forbid};

#[track_caller]
fn says(output: &Output, code: i32, what: &str) {
    assert_eq!(output.code, Some(code), "{output}");
    assert!(output.stderr.contains(what), "{output}");
}

#[test]
fn edits_that_ask_for_any_number_of_bytes() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "**")).file("a.txt", "a".repeat(200_000));
    let edit = |tool: &str, mut input: Value| {
        input["file_path"] = json!(sandbox.path("a.txt"));
        sandbox.event("PreToolUse", tool, input, ["--severity", "error"])
    };
    let large =
        edit("Edit", json!({ "old_string": "a", "new_string": "b".repeat(1_000), "replace_all": true }));
    says(&large, 0, "phaser: not checked: The file would have more than 10485760 bytes");
    assert_eq!(large.stdout, "{}\n", "{large}");
    let doubling = json!({ "old_string": "a", "new_string": "aa", "replace_all": true });
    let doubled = edit("MultiEdit", json!({ "edits": vec![doubling; 60] }));
    says(&doubled, 0, "phaser: not checked: The file would have more than 10485760 bytes");
    let again = json!({ "old_string": "a", "new_string": "a" });
    let many = edit("MultiEdit", json!({ "edits": vec![again; 5_000] }));
    says(&many, 0, "phaser: not checked: Too many edits of a large file");
}

#[test]
fn an_event_with_too_many_values() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "**"));
    let event = format!("{{\"tool_name\":\"Write\",\"more\":[{}0]}}", "0,".repeat(1_000_000));
    let output = sandbox.run_with(sandbox.command().args(["enforce", "--stdin"]), event.as_bytes());
    says(&output, 3, "standard input: the hook input has more than 1000000 values");
    assert_eq!(output.stdout, "");
}

#[test]
fn a_path_longer_than_any_is_denied() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "**"));
    let path = format!("{}a.txt", "./".repeat(50_000));
    for (name, denied) in [("PreToolUse", "\"deny\""), ("PostToolUse", "\"block\"")] {
        let input = json!({ "file_path": path, "content": "x" });
        let output = sandbox.event(name, "Write", input.clone(), ["--severity", "error"]);
        assert!(output.stdout.contains(denied), "{output}");
        assert!(output.stdout.contains("Path is longer than 32768 bytes"), "{output}");
        let output = sandbox.event(name, "Write", input, ["--format", "json"]);
        assert!(output.stdout.contains("its path is longer than 32768 bytes"), "{output}");
    }
}
