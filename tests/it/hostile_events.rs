//! Events written to exhaust phaser: the hook ends and reports what it did not check.

use serde_json::{Value, json};

use crate::harness::{Sandbox, forbid};

#[test]
fn edits_of_any_size_end() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "**")).file("a.txt", "a".repeat(200_000));
    let edit = |tool: &str, mut input: Value| {
        input["file_path"] = json!(sandbox.path("a.txt"));
        sandbox.hook("PreToolUse").tool(tool, input).args(["--severity", "error"]).run()
    };
    let large =
        edit("Edit", json!({ "old_string": "a", "new_string": "b".repeat(1_000), "replace_all": true }));
    assert_eq!((large.code, large.stdout.as_str()), (Some(0), "{}\n"), "{large}");
    assert_eq!(
        large.unchecked(),
        ["The file would have more than 10485760 bytes (raise --max-file-size)"],
        "{large}"
    );
    let doubling = json!({ "old_string": "a", "new_string": "aa", "replace_all": true });
    let doubled = edit("MultiEdit", json!({ "edits": vec![doubling; 60] }));
    assert_eq!((doubled.code, doubled.unchecked().len()), (Some(0), 1), "{doubled}");
    let again = json!({ "old_string": "a", "new_string": "a" });
    let many = edit("MultiEdit", json!({ "edits": vec![again; 5_000] }));
    assert_eq!(many.code, Some(0), "{many}");
    assert!(many.unchecked().concat().starts_with("Too many edits of a large file"), "{many}");
}

#[test]
fn an_event_with_too_many_values() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "**"));
    let event = format!("{{\"tool_name\":\"Write\",\"more\":[{}0]}}", "0,".repeat(1_000_000));
    let output = sandbox.run_with(sandbox.command().args(["enforce", "--stdin"]), event.as_bytes());
    assert_eq!((output.code, output.stdout.as_str()), (Some(3), ""), "{output}");
    assert!(
        output.stderr.contains("standard input: the hook input has more than 1000000 values"),
        "{output}"
    );
}

#[test]
fn a_path_longer_than_any_is_denied() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "**"));
    let path = format!("{}a.txt", "./".repeat(50_000));
    for (name, denied) in [("PreToolUse", "\"deny\""), ("PostToolUse", "\"block\"")] {
        let input = json!({ "file_path": path, "content": "x" });
        let output = sandbox.hook(name).tool("Write", input.clone()).args(["--severity", "error"]).run();
        assert!(output.stdout.contains(denied), "{output}");
        assert!(output.stdout.contains("Path is longer than 32768 bytes"), "{output}");
        let output = sandbox.hook(name).tool("Write", input).args(["--format", "json"]).run();
        assert!(output.stdout.contains("its path is longer than 32768 bytes"), "{output}");
    }
}
