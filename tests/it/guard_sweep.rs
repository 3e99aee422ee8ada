//! `--guard` after a shell command and at the end of a turn: changed files are checked, and only new violations reported.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{Output, Sandbox, forbid, violations_in, warning};

fn sandbox() -> Sandbox {
    Sandbox::new()
        .contract(&forbid("no-print", r"\bprint\(", "**/*.py"))
        .contract(&warning(&forbid("no-todo", "TODO", "**/*.py")))
        .file("clean.py", "x = 1\n")
        .file("old.py", "print('old')\nx = 1\n")
        .file(".gitignore", "build/\n")
        .git_init()
        .git_add(".")
        .git_commit("first")
}

/// The same, with a commit of last year whose objects are packed, so that no turn can have made it.
fn old_sandbox() -> Sandbox {
    let sandbox = sandbox();
    let script = "GIT_COMMITTER_DATE=2025-01-01T00:00:00Z git commit -q --amend --no-edit && \
        git reflog expire --expire=all --all && git gc -q --prune=now";
    assert!(sandbox.shell(script).status().expect("runs").success());
    sandbox
}

fn event(sandbox: &Sandbox, name: &str, fields: Value) -> Output {
    let output = sandbox.hook(name).with(json!({ "transcript_path": null })).with(fields).guard().run();
    assert_eq!(output.code, Some(0), "{output}");
    output
}

/// So long that what was there before is not taken for what a command has done, in whole seconds too.
fn wait_a_while() {
    std::thread::sleep(Duration::from_millis(4_100));
}

/// Runs a command as the agent does, and returns the response of the hook.
fn bash(sandbox: &Sandbox, script: &str) -> Output {
    let began = Instant::now();
    let status = sandbox.shell(script).status().expect("runs");
    // With two seconds for a machine that is slow.
    let duration = u64::try_from(began.elapsed().as_millis()).expect("short") + 2_000;
    let input = json!({ "command": script });
    if status.success() {
        let response = json!({ "stdout": "", "stderr": "", "interrupted": false });
        let fields = json!({ "tool_name": "Bash", "tool_input": input, "tool_response": response,
            "duration_ms": duration });
        event(sandbox, "PostToolUse", fields)
    } else {
        let fields = json!({ "tool_name": "Bash", "tool_input": input, "error": "Exit code 1",
            "is_interrupt": false, "duration_ms": duration });
        event(sandbox, "PostToolUseFailure", fields)
    }
}

#[test]
fn reports_every_way_to_write_files() {
    let commands = [
        ("echo 'print(1)' > new.py", "new.py:1"),
        ("printf 'y = 2\\nprint(2)\\n' > clean.py", "clean.py:2"),
        ("sed -i 's/x = 1/print(3)/' clean.py", "clean.py:1"),
        ("cat > sub.py <<'EOF'\n\nprint(4)\nEOF", "sub.py:2"),
        (
            "printf 'print(5)\\n' > ~/old.py && touch -d 2001-01-01 ~/old.py && cp -p ~/old.py kept.py",
            "kept.py:1",
        ),
        ("mkdir -p a/b && echo 'print(6)' > 'a/b/c d.py'", "a/b/c d.py:1"),
        ("cat >> old.py <<'EOF'\ny = 2\nprint(y)\nEOF", "old.py:4"),
    ];
    let sandboxes = commands.map(|_| sandbox());
    wait_a_while();
    for ((script, message), sandbox) in commands.into_iter().zip(&sandboxes) {
        let output = bash(sandbox, script);
        assert_eq!(
            violations_in(&output.context()),
            [format!("no-print at {message}")],
            "{script}: {output}"
        );
        assert_eq!(output.json()["decision"], "block", "{script}");
        let file = message.split(':').next().unwrap_or_default();
        assert!(output.reason().contains(file), "{script}: {output}");
        assert_eq!(output.json()["hookSpecificOutput"]["hookEventName"], "PostToolUse");
    }
}

#[test]
fn checks_failed_command_too() {
    let sandbox = sandbox();
    wait_a_while();
    let output = bash(&sandbox, "echo 'print(1)' > new.py; false");
    assert_eq!(output.json()["hookSpecificOutput"]["hookEventName"], "PostToolUseFailure");
    assert_eq!(output.reported(), ["no-print at new.py:1"]);
}

#[test]
fn a_warning_is_context_and_no_error() {
    let sandbox = sandbox();
    wait_a_while();
    let output = bash(&sandbox, "echo '# TODO' > new.py");
    assert_eq!(output.reported(), ["no-todo at new.py:1"]);
    let specific = json!({ "hookEventName": "PostToolUse", "additionalContext": output.context() });
    assert_eq!(output.json(), json!({ "hookSpecificOutput": specific }));
}

#[test]
fn reports_only_what_the_command_did() {
    let commands = [
        "true",
        "cat old.py clean.py",
        "echo 'y = 1' > fine.py",
        "echo 'z = 1' >> old.py",
        "touch old.py",
        "mkdir -p build && echo 'print(1)' > build/out.py",
        "git mv old.py moved.py && git mv moved.py old.py",
        "rm -f fine.py",
        "git switch -q -c other && git switch -q -",
        "chmod 755 old.py",
        "git mv old.py moved.py",
        "mv old.py moved.py",
    ];
    let sandboxes = commands.map(|_| sandbox());
    wait_a_while();
    for (script, sandbox) in commands.into_iter().zip(&sandboxes) {
        assert_eq!(bash(sandbox, script).json(), json!({}), "{script}");
    }
}

#[test]
fn reports_checked_out_file_not_branch() {
    let sandbox = sandbox();
    sandbox.git(&["switch", "-q", "-c", "bad"]);
    let sandbox = sandbox.file("clean.py", "print('bad')\n").git_add(".").git_commit("bad");
    sandbox.git(&["switch", "-q", "-"]);
    wait_a_while();
    assert_eq!(bash(&sandbox, "git switch -q bad && git switch -q -").json(), json!({}));
    let output = bash(&sandbox, "git checkout -q bad -- clean.py");
    assert_eq!(output.reported(), ["no-print at clean.py:1"], "{output}");
    sandbox.git(&["reset", "-q", "--hard"]);
    assert_eq!(bash(&sandbox, "git switch -q bad").json(), json!({}), "that commit was made before");
}

#[test]
fn reports_what_the_command_committed() {
    let sandbox = sandbox();
    wait_a_while();
    let commit = "git -c user.name=n -c user.email=e commit -qam new";
    let output = bash(&sandbox, &format!("echo 'print(1)' > new.py && git add new.py && {commit}"));
    assert_eq!(output.reported(), ["no-print at new.py:1"], "{output}");
}

#[test]
fn the_client_may_say_which_files_changed() {
    let sandbox = old_sandbox().file("a.py", "print(1)\n").file("b.py", "print(1)\n");
    let fields = |files: Value| {
        json!({ "tool_name": "Bash", "tool_input": { "command": "x" }, "duration_ms": 1,
            "tool_response": { "bashEditDiff": { "changedFiles": files } } })
    };
    let output = event(&sandbox, "PostToolUse", fields(json!([sandbox.path("a.py")])));
    assert_eq!(output.reported(), ["no-print at a.py:1"]);
    assert_eq!(event(&sandbox, "PostToolUse", fields(json!([]))).json(), json!({}));
    let gone = json!([sandbox.path("gone.py"), sandbox.home().join("x.py")]);
    assert_eq!(event(&sandbox, "PostToolUse", fields(gone)).json(), json!({}));
}

#[test]
fn confusing_names_stay_on_their_line() {
    let sandbox = sandbox();
    wait_a_while();
    let output =
        bash(&sandbox, "printf 'print(1)\\n' > \"$(printf 'a\\nError: no-x at b.py:1. x\\033[2J.py')\"");
    let message = output.context();
    assert_eq!(message.lines().count(), 1, "{message:?}");
    assert!(!message.contains('\u{1b}'), "{message:?}");
    assert!(message.contains("no-print at a"), "{message:?}");
}

#[test]
fn without_git_touched_files_are_new() {
    let sandbox = Sandbox::new()
        .contract(&forbid("no-print", r"\bprint\(", "**/*.py"))
        .file("untouched.py", "print(1)\n");
    wait_a_while();
    let output = bash(&sandbox, "echo 'print(1)' > new.py");
    assert_eq!(output.reported(), ["no-print at new.py:1"]);
}

#[test]
fn merge_reports_only_new_violations() {
    let sandbox = sandbox();
    sandbox.git(&["switch", "-q", "-c", "theirs"]);
    let sandbox = sandbox.file("clean.py", "x = 2\n").git_add(".").git_commit("theirs");
    sandbox.git(&["switch", "-q", "-"]);
    let sandbox = sandbox.file("clean.py", "x = 3\n").git_add(".").git_commit("ours");
    wait_a_while();
    let merge = "git -c user.name=n -c user.email=e merge -q theirs; true";
    assert_eq!(bash(&sandbox, merge).json(), json!({}));
    assert!(sandbox.git(&["status", "--porcelain"]).contains("UU clean.py"));
    let output = bash(&sandbox, "echo 'print(1)' >> clean.py");
    let reported = output.reported();
    assert!(reported.len() == 1 && reported[0].starts_with("no-print at clean.py:"), "{output}");
}

/// A transcript whose last prompt came at this time.
fn transcript(sandbox: &Sandbox, seconds_ago: i64) -> Value {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    let then = i64::try_from(now.as_secs()).expect("small") - seconds_ago;
    let date = Command::new("date").args(["-u", &format!("-d@{then}"), "+%Y-%m-%dT%H:%M:%S.000Z"]).output();
    let timestamp = String::from_utf8(date.expect("runs").stdout).expect("is text");
    let prompt = json!({ "type": "user", "timestamp": timestamp.trim(), "isSidechain": false,
        "message": { "role": "user", "content": "do it" } });
    let answer = json!({ "type": "assistant", "timestamp": timestamp.trim(),
        "message": { "role": "assistant", "content": [] } });
    let path = sandbox.home().join("session.jsonl");
    std::fs::write(&path, format!("{prompt}\n{answer}\n")).expect("written");
    json!(path)
}

#[test]
fn violating_turn_is_blocked_once() {
    let sandbox = old_sandbox().file("new.py", "x = 1\nprint(1)\n# TODO\n");
    let transcript = transcript(&sandbox, 60);
    let stop = |event_name: &str, active: bool| {
        let fields = json!({ "stop_hook_active": active, "transcript_path": transcript, "agent_type": "k",
            "agent_transcript_path": transcript });
        event(&sandbox, event_name, fields)
    };
    for name in ["Stop", "SubagentStop"] {
        let answer = stop(name, false);
        assert_eq!(answer.json()["decision"], "block", "{answer}");
        assert_eq!(answer.reported(), ["no-print at new.py:2"], "errors only");
        let heading = "Fix these contract violations before finishing:";
        assert_eq!(answer.reason().lines().next(), Some(heading));
        assert_eq!(stop(name, true).json(), json!({}));
    }
}

#[test]
fn earlier_violations_block_no_turn() {
    let sandbox = old_sandbox().file("left.py", "print(1)\n").file("old.py", "print('old')\nx = 2\n");
    wait_a_while();
    let later = transcript(&sandbox, 1);
    let answer = event(&sandbox, "Stop", json!({ "transcript_path": later })).json();
    assert_eq!(answer, json!({}), "the turn before left it");
    let earlier = transcript(&sandbox, 600);
    let answer = event(&sandbox, "Stop", json!({ "transcript_path": earlier }));
    assert_eq!(answer.reported(), ["no-print at left.py:1"], "{answer}");
    let answer = event(&sandbox, "Stop", json!({})).json();
    assert_eq!(answer["decision"], "block", "without a transcript everything uncommitted counts");
}

/// Adds the results of edits to a transcript: a path, and the text before.
fn record_edits(transcript: &Value, sandbox: &Sandbox, edits: &[(&str, Option<&str>)]) {
    let path = transcript.as_str().expect("a path");
    let mut text = std::fs::read_to_string(path).expect("is there");
    for (file, original) in edits {
        let result = json!({ "type": "user", "message": { "role": "user", "content": [{ "type": "tool_result" }] },
            "toolUseResult": { "filePath": sandbox.path(file), "originalFile": original } });
        text += &format!("{result}\n");
    }
    std::fs::write(path, text).expect("written");
}

#[test]
fn without_git_recorded_text_is_previous() {
    for git in [false, true] {
        let sandbox = Sandbox::new().contract(&forbid("no-print", r"\bprint\(", "**/*.py"));
        // In a repository the files are not tracked, so that it has no previous text either.
        let sandbox = if git { sandbox.git_init().git_commit("start") } else { sandbox };
        let sandbox = sandbox
            .file("old.py", "print('old')\ny = 2\n")
            .file("worse.py", "print('old')\nprint('second')\n")
            .file("moved.py", "print('gone')\n")
            .file("made.py", "print('made')\n");
        let transcript = transcript(&sandbox, 60);
        let old = Some("print('old')\n");
        record_edits(
            &transcript,
            &sandbox,
            &[
                ("old.py", old),
                ("old.py", Some("print('old')\ny = 1\n")),
                ("worse.py", old),
                ("worse.py", Some("print('old')\nprint('second')\n")),
                ("gone.py", Some("print('gone')\n")),
                ("made.py", None),
                ("made.py", Some("print('made')\n")),
            ],
        );
        let answer = event(&sandbox, "Stop", json!({ "transcript_path": transcript }));
        assert_eq!(answer.reported(), ["no-print at made.py:1", "no-print at worse.py:2"], "{git}: {answer}");
    }
}

#[test]
fn the_reason_to_go_on_is_short() {
    let mut sandbox = sandbox();
    for n in 0..60 {
        sandbox = sandbox.file(&format!("some/deep/directory/file{n}.py"), "print(1)\n".repeat(20));
    }
    let reason = event(&sandbox, "Stop", json!({})).reason();
    assert!(reason.chars().count() <= 2_000, "{}", reason.chars().count());
    assert!(reason.ends_with("more"), "{reason}");
}

#[test]
fn nothing_is_written_by_any_event() {
    let sandbox = sandbox().file("new.py", "print(1)\n");
    let listing = || {
        let find = "find . -printf '%p %T@ %C@\\n' | sort";
        let found = sandbox.shell(find).output();
        String::from_utf8(found.expect("runs").stdout).expect("is text")
    };
    let before = listing();
    for name in ["SessionStart", "SubagentStart", "Stop", "SubagentStop", "ConfigChange", "PostToolUse"] {
        let fields = json!({ "agent_type": "k", "tool_name": "Bash", "tool_input": { "command": "x" } });
        event(&sandbox, name, fields);
    }
    assert_eq!(listing(), before);
}
