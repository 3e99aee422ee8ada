//! What shell commands and whole turns leave behind, as the events of Claude Code tell it.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{Output, Sandbox, forbid, scrub};

/// A repository with a file that has an old violation, a branch that has another one, and a bad file outside.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new()
        .contract(&forbid("no-print", r"\bprint\(", "**/*.py"))
        .file("old.py", "print(1)\n")
        .file("fine.py", "x = 1\n")
        .file("../outside.py", "print(3)\n")
        .git_init();
    sandbox.git(&["add", "--all"]);
    let sandbox = sandbox.git_commit("one");
    sandbox.git(&["checkout", "--quiet", "-b", "other"]);
    let sandbox = sandbox.file("fine.py", "x = 1\nprint(2)\n").git_add("fine.py").git_commit("two");
    sandbox.git(&["checkout", "--quiet", "main"]);
    sandbox
}

/// Runs a command, and gives when it began.
fn shell(sandbox: &Sandbox, script: &str) -> Instant {
    let began = Instant::now();
    let mut command = Command::new("sh");
    scrub(&mut command).current_dir(sandbox.root()).arg("-c").arg(script);
    command.output().expect("a shell");
    began
}

fn event(sandbox: &Sandbox, name: &str, mut fields: Value) -> Output {
    fields["hook_event_name"] = json!(name);
    fields["cwd"] = json!(sandbox.root());
    let mut command = sandbox.command();
    command.args(["enforce", "--stdin", "--guard"]).env("CLAUDE_PROJECT_DIR", sandbox.root());
    let output = sandbox.run_with(&mut command, fields.to_string().as_bytes());
    assert_eq!(output.code, Some(0), "{output}");
    output
}

/// The fields of an event after a command, with two seconds for a machine that is slow.
fn bash(began: Instant) -> Value {
    let duration = u64::try_from(began.elapsed().as_millis()).expect("fits") + 2000;
    json!({ "tool_name": "Bash", "tool_input": { "command": "sh" }, "tool_use_id": "t", "duration_ms": duration })
}

/// So long that what was before is not taken for what a command has done, in whole seconds too.
const A_WHILE: Duration = Duration::from_millis(4100);

#[test]
fn what_a_command_leaves_is_told_with_file_and_line() {
    let commands = [
        ("echo 'print(2)' > new.py", "new.py:1"),
        ("sed -i 's/x = 1/print(x)/' fine.py", "fine.py:1"),
        ("cat >> old.py <<END\nx = 2\nprint(x)\nEND", "old.py:3"),
        ("git checkout --quiet other -- fine.py", "fine.py:2"),
        ("touch -d 2001-01-01 ../outside.py; cp -p ../outside.py new.py", "new.py:1"),
        ("echo 'print(2)' > 'a\nb.py'", "b.py:1"),
        ("echo 'print(2)' > new.py; exit 3", "new.py:1"),
    ];
    let sandboxes = commands.map(|_| sandbox());
    std::thread::sleep(A_WHILE);
    for ((script, place), sandbox) in commands.into_iter().zip(&sandboxes) {
        let began = shell(sandbox, script);
        for name in ["PostToolUse", "PostToolUseFailure"] {
            let output = event(sandbox, name, bash(began));
            let told = output.json().to_string();
            assert!(told.contains(place) && told.contains("no-print"), "{name} of {script}: {output}");
            assert_eq!(told.matches("no-print at").count(), 1, "what was there is not told: {output}");
        }
    }
}

#[test]
fn a_clean_command_is_silent() {
    let commands =
        ["true", "touch old.py", "git mv old.py moved.py", "mv old.py moved.py", "git checkout -q other"];
    let sandboxes = commands.map(|_| sandbox());
    std::thread::sleep(A_WHILE);
    for (script, sandbox) in commands.into_iter().zip(&sandboxes) {
        let began = shell(sandbox, script);
        let output = event(sandbox, "PostToolUse", bash(began));
        assert_eq!(output.json(), json!({}), "{script}: {output}");
    }
}

#[test]
fn the_end_of_a_turn_tells_what_the_turn_left() {
    let sandbox = sandbox();
    let stop = |fields: Value| event(&sandbox, "Stop", fields).json().to_string();
    let over = json!({ "stop_hook_active": false });
    assert_eq!(stop(over.clone()), "{}");
    shell(&sandbox, "echo 'print(2)' > new.py; git add new.py");
    let told = stop(over.clone());
    assert!(told.contains("new.py:1") && !told.contains("old.py"), "{told}");
    assert_eq!(stop(json!({ "stop_hook_active": true })), "{}");
    let transcript = sandbox.home().join("transcript.jsonl");
    let prompt = |time: &str| {
        let entry =
            json!({ "type": "user", "timestamp": time, "message": { "role": "user", "content": "go" } });
        std::fs::write(&transcript, format!("{entry}\n")).expect("written");
        stop(json!({ "stop_hook_active": false, "transcript_path": transcript }))
    };
    assert!(prompt("2001-01-01T00:00:00.000Z").contains("new.py:1"));
    assert_eq!(prompt("2101-01-01T00:00:00.000Z"), "{}", "an earlier turn left it");
}
