//! The decision log, `phaser decisions`, and responses to repeated denials.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::agents::{ALL, Client, Deed, When};
use crate::harness::{Output, Sandbox, forbid, warning};

/// A repository with a log, a contract that denies `print` and a warning about `TODO`.
fn sandbox() -> Sandbox {
    without_git().git_init()
}

fn without_git() -> Sandbox {
    Sandbox::new()
        .file(".claude/phaser.yaml", "log: true\n")
        .contract(&forbid("no-print", r"\bprint\(", "**/*.py"))
        .contract(&warning(&forbid("no-todo", "TODO", "**/*.py")))
}

fn log_of(sandbox: &Sandbox) -> PathBuf {
    sandbox.path(".git/phaser/decisions.jsonl")
}

fn records(sandbox: &Sandbox) -> Vec<Value> {
    let text = fs::read_to_string(log_of(sandbox)).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a whole line")).collect()
}

fn write(sandbox: &Sandbox, path: &str, content: &str) -> Output {
    sandbox.hook("PreToolUse").write(path, content).guard().run()
}

#[test]
fn logs_every_judged_event() {
    let sandbox = sandbox();
    write(&sandbox, "src/a.py", "x = 1\nprint(x)  # TODO\n").assert_denied(&["no-print at src/a.py:2"]);
    write(&sandbox, "a.py", "x = 1\n").assert_allowed();
    let sandbox = sandbox.file("b.py", "y = 2  # TODO\n");
    let after = sandbox.hook("PostToolUse").write("b.py", "").guard();
    after.with(json!({ "tool_response": { "originalFile": null } })).run();
    let command = json!({ "command": "KEY=hunter2 /bin/ls -l" });
    sandbox.hook("PostToolUse").tool("Bash", command).with(json!({ "duration_ms": 0 })).guard().run();
    sandbox.hook("Stop").with(json!({ "stop_hook_active": false })).guard().run();
    sandbox.hook("SessionStart").guard().run();
    sandbox.hook("PreToolUse").tool("Read", json!({ "file_path": "a.py" })).guard().run();
    let records = records(&sandbox);
    let shown = |record: &Value| {
        let key = |key: &str| record[key].as_str().unwrap_or("-").to_owned();
        ["agent", "session", "event", "tool", "path", "program", "decision"].map(key).join(" ")
    };
    let expected = [
        "claude s PreToolUse Write src/a.py - deny",
        "claude s PreToolUse Write a.py - allow",
        "claude s PostToolUse Write b.py - -",
        "claude s PostToolUse Bash - ls -",
        "claude s Stop - - - -",
    ];
    assert_eq!(records.iter().map(shown).collect::<Vec<_>>(), expected);
    let denied = &records[0];
    let keys: Vec<&String> = denied.as_object().expect("an object").keys().collect();
    let all = "time agent session event tool path decision contracts fixed repeated ms";
    assert_eq!(keys, all.split(' ').collect::<Vec<_>>());
    let contract = &denied["contracts"][0];
    assert_eq!((&contract["id"], &contract["line"]), (&json!("no-print"), &json!(2)));
    assert_eq!(
        (&contract["severity"], denied["contracts"].as_array().map(Vec::len)),
        (&json!("error"), Some(1))
    );
    assert!(contract["digest"].as_str().is_some_and(|digest| digest.len() == 16), "{denied}");
    assert_eq!((&denied["fixed"], &denied["repeated"]), (&json!(false), &json!(false)));
    assert_eq!(records[2]["contracts"][0]["id"], "no-todo");
    assert_eq!(records[3]["path"], Value::Null);
    let mode = fs::metadata(log_of(&sandbox)).expect("is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn logs_nothing_unless_configured() {
    for config in ["", "log: false\n"] {
        let sandbox = sandbox().file(".claude/phaser.yaml", config);
        write(&sandbox, "a.py", "print(1)\n").assert_denied(&["no-print at a.py:1"]);
        assert!(!sandbox.path(".git/phaser").exists());
    }
}

#[test]
fn log_has_no_text_of_files() {
    let secret = forbid("no-key", "AKIA[A-Z0-9]{12}", "**") + "tags: [secret]\n";
    let sandbox = sandbox().contract(&secret);
    write(&sandbox, "a.py", "key = 'AKIAEXAMPLEKEY22'\nprint('confidential')\n");
    let text = fs::read_to_string(log_of(&sandbox)).expect("is there");
    assert!(text.contains("no-key") && text.contains("no-print"), "{text}");
    assert!(!text.contains("AKIA") && !text.contains("confidential"), "{text}");
}

#[test]
fn logs_fixes_and_plain_hooks() {
    let fixed = forbid("no-none", "== None", "**/*.py") + "fix: is None\n";
    let sandbox = sandbox().contract(&fixed).file(".claude/phaser.yaml", "log: true\nfixes: apply\n");
    write(&sandbox, "a.py", "x == None\n");
    sandbox.hook("PreToolUse").write("a.py", "print(1)\n").run();
    let records = records(&sandbox);
    assert_eq!((&records[0]["fixed"], &records[0]["decision"]), (&json!(true), &Value::Null));
    assert_eq!(records[0]["contracts"][0]["id"], "no-none");
    assert_eq!((&records[1]["fixed"], &records[1]["decision"]), (&json!(false), &json!("deny")));
}

#[test]
fn logs_event_of_every_agent() {
    for client in ALL {
        let sandbox = sandbox();
        let deed = Deed::Write { path: "a.py", content: "print(1)\n" };
        let patch = "*** Begin Patch\n*** Add File: a.py\n+print(1)\n*** End Patch\n";
        let asked = client.answer(&sandbox, When::Before, deed);
        asked.or_else(|| client.answer(&sandbox, When::Before, Deed::Patch(patch))).expect("it can write");
        let records = records(&sandbox);
        assert_eq!(records.len(), 1, "{client:?}: {records:?}");
        let record = &records[0];
        assert_eq!((&record["path"], &record["contracts"][0]["id"]), (&json!("a.py"), &json!("no-print")));
        let decision = if client == Client::Cline { Value::Null } else { json!("deny") };
        assert_eq!(record["decision"], decision, "{client:?}");
        assert!(record["event"].as_str().is_some_and(|event| !event.is_empty()), "{client:?}: {record}");
        if ![Client::Windsurf, Client::Kiro].contains(&client) {
            assert!(record["session"].is_string() && record["tool"].is_string(), "{client:?}: {record}");
        }
    }
}

#[test]
fn worktrees_share_log_of_repository() {
    let sandbox = sandbox().git_add(".").git_commit("start");
    sandbox.git(&["worktree", "add", "--quiet", "--detach", "../linked"]);
    let linked = sandbox.root().with_file_name("linked");
    let input = json!({ "file_path": linked.join("a.py"), "content": "print(1)\n" });
    sandbox.hook("PreToolUse").tool("Write", input).with(json!({ "cwd": linked })).guard().run();
    assert_eq!(records(&sandbox).len(), 1);
}

#[test]
fn project_without_git_logs_to_state_directory() {
    let sandbox = without_git();
    write(&sandbox, "a.py", "print(1)\n");
    let log = sandbox.home().join(".local/state/phaser/decisions.jsonl");
    let record: Value = serde_json::from_str(&fs::read_to_string(&log).expect("is there")).expect("a line");
    assert_eq!((&record["path"], &record["project"]), (&json!("a.py"), &json!(sandbox.root())));
    let summary = sandbox.run(["decisions", "--format", "json"]).json();
    assert_eq!(summary["contracts"][0]["denied"], 1);
}

/// Puts something into the place of the log.
type Obstacle = (&'static str, fn(&Sandbox));

#[test]
fn unwritable_log_changes_no_decision() {
    let obstacles: [Obstacle; 7] = [
        ("a link", |sandbox| {
            fs::create_dir(sandbox.path(".git/phaser")).expect("created");
            fs::write(sandbox.home().join("victim"), "x").expect("written");
            symlink(sandbox.home().join("victim"), log_of(sandbox)).expect("linked");
        }),
        ("a dangling link", |sandbox| {
            fs::create_dir(sandbox.path(".git/phaser")).expect("created");
            symlink(sandbox.home().join("victim"), log_of(sandbox)).expect("linked");
        }),
        ("a linked directory", |sandbox| {
            symlink(sandbox.home(), sandbox.path(".git/phaser")).expect("linked");
        }),
        ("a directory", |sandbox| fs::create_dir_all(log_of(sandbox)).expect("created")),
        ("a file for the directory", |sandbox| fs::write(sandbox.path(".git/phaser"), "x").expect("written")),
        ("a pipe", |sandbox| {
            fs::create_dir(sandbox.path(".git/phaser")).expect("created");
            let made = sandbox.tool("mkfifo").arg(log_of(sandbox)).status();
            assert!(made.expect("mkfifo runs").success());
        }),
        ("a read-only directory", |sandbox| {
            fs::create_dir(sandbox.path(".git/phaser")).expect("created");
            let read_only = fs::Permissions::from_mode(0o555);
            fs::set_permissions(sandbox.path(".git/phaser"), read_only).expect("changed");
        }),
    ];
    for (what, put) in obstacles {
        let sandbox = sandbox();
        let expected = sandbox.file(".claude/phaser.yaml", "");
        let quiet = ["print(1)\n", "x = 1\n"].map(|content| write(&expected, "a.py", content).to_string());
        let sandbox = expected.file(".claude/phaser.yaml", "log: true\n");
        put(&sandbox);
        let logged = ["print(1)\n", "x = 1\n"].map(|content| write(&sandbox, "a.py", content).to_string());
        assert_eq!(logged, quiet, "{what}");
        let victim = fs::read_to_string(sandbox.home().join("victim"));
        assert!(victim.map_or(true, |text| text == "x"), "{what}");
        assert!(!sandbox.home().join("decisions.jsonl").exists(), "{what}");
        if what == "a read-only directory" {
            let writable = fs::Permissions::from_mode(0o755);
            fs::set_permissions(sandbox.path(".git/phaser"), writable).expect("changed");
        }
    }
}

#[test]
fn full_disk_changes_no_decision() {
    let sandbox = sandbox();
    let event = sandbox.hook("PreToolUse").write("a.py", "print(1)\n").json();
    let Some(mut strace) = sandbox.strace() else { return };
    fs::create_dir(sandbox.path(".git/phaser")).expect("created");
    fs::write(log_of(&sandbox), "").expect("written");
    strace.args(["-f", "-qq", "-o", "/dev/null", "-P"]).arg(log_of(&sandbox));
    strace.args(["-e", "trace=write", "-e", "inject=write:error=ENOSPC"]);
    strace.arg(env!("CARGO_BIN_EXE_phaser")).args(["enforce", "--stdin", "--guard"]);
    let output = sandbox.run_with(&mut strace, event.as_bytes());
    output.assert_denied(&["no-print at a.py:1"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output}");
    assert_eq!(fs::read_to_string(log_of(&sandbox)).expect("is there"), "");
}

#[test]
fn concurrent_events_write_whole_lines() {
    let sandbox = sandbox();
    let content = format!("{}x\n", "print(1)\n".repeat(40));
    let event = |at: usize| {
        let hook = sandbox
            .hook("PreToolUse")
            .write("a.py", &content)
            .with(json!({ "session_id": format!("s{at}") }));
        hook.json()
    };
    let mut expected: Vec<String> = (0..200).map(|at| format!("s{at}")).collect();
    for batch in expected.chunks(25).map(<[String]>::len).scan(0, |from, length| {
        *from += length;
        Some(*from - length..*from)
    }) {
        let children: Vec<_> = batch
            .map(|at| {
                let file = sandbox.home().join(format!("event{at}"));
                fs::write(&file, event(at)).expect("written");
                let mut command = sandbox.command();
                command.args(["enforce", "--stdin", "--guard"]).stdout(Stdio::null());
                command.stdin(fs::File::open(file).expect("is there")).spawn().expect("starts")
            })
            .collect();
        for mut child in children {
            assert!(child.wait().expect("ends").success());
        }
    }
    let mut sessions: Vec<String> = records(&sandbox)
        .iter()
        .map(|record| record["session"].as_str().expect("a session").to_owned())
        .collect();
    sessions.sort();
    expected.sort();
    assert_eq!(sessions, expected);
}

/// A contract with a passing example.
fn with_example() -> String {
    forbid("no-print", r"\bprint\(", "**/*.py")
        + "rationale: Other programs read our stdout.\nexamples:\n  violating: ['print(1)']\n  passing: ['log.info(1)']\n"
}

#[test]
fn third_denial_adds_example_and_advice() {
    let sandbox = sandbox().contract(&with_example());
    let denied = |path: &str, session: &str| {
        let hook =
            sandbox.hook("PreToolUse").write(path, "print(1)\n").with(json!({ "session_id": session }));
        hook.guard().run().reason()
    };
    let first = denied("a.py", "s");
    assert_eq!(denied("a.py", "s"), first);
    assert_eq!(denied("b.py", "s"), first.replace("a.py", "b.py"));
    assert_eq!(denied("a.py", "other"), first);
    insta::assert_snapshot!(denied("a.py", "s"), @r"
    no-print: Do not no-print.
    a.py:1: print(1)
    Why: Other programs read our stdout.
    Example that passes no-print:
        log.info(1)
    no-print has denied a.py 3 times in this session. Do not try to get around it: ask the user how to proceed.
    Nothing was written. Fix these lines and retry.
    ");
    let repeated: Vec<bool> = records(&sandbox).iter().map(|record| record["repeated"] == true).collect();
    assert_eq!(repeated, [false, false, false, false, true]);
}

#[test]
fn fifth_denial_asks_if_configured() {
    for (config, expected) in [("", ["deny"; 2]), ("repeated: ask\n", ["deny", "ask"])] {
        let sandbox = sandbox().file(".claude/phaser.yaml", format!("log: true\n{config}"));
        let decisions: Vec<String> =
            (0..5).map(|_| write(&sandbox, "a.py", "print(1)\n").decision()).collect();
        assert_eq!(decisions[3..], expected, "{config:?}");
    }
}

#[test]
fn without_log_transcript_is_counted() {
    let sandbox = sandbox().contract(&with_example()).file(".claude/phaser.yaml", "");
    let transcript = sandbox.home().join("t.jsonl");
    let denied = || {
        let hook = sandbox.hook("PreToolUse").write("a.py", "print(1)\n");
        hook.with(json!({ "transcript_path": transcript })).guard().run().reason()
    };
    let first = denied();
    let entry = |reason: &str| {
        let content = format!("PreToolUse:Write hook error: {reason}");
        json!({ "type": "user", "message": { "role": "user", "content": [
            { "type": "tool_result", "is_error": true, "content": content }] } })
    };
    fs::write(&transcript, format!("{}\n", entry(&first))).expect("written");
    assert_eq!(denied(), first);
    fs::write(&transcript, format!("{0}\n{0}\n", entry(&first))).expect("written");
    assert!(denied().contains("has denied a.py 3 times"), "{}", denied());
}

#[test]
fn example_of_pack_contract_is_shown() {
    let sandbox = sandbox().file(".claude/phaser.yaml", "log: true\npacks: [hygiene]\n");
    let conflict = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n";
    let reason = |_| write(&sandbox, "a.py", conflict).reason();
    let last = &(0..3).map(reason).collect::<Vec<_>>()[2];
    assert!(last.contains("\nExample that passes "), "{last}");
}

#[test]
fn decisions_are_counted_in_every_format() {
    let sandbox = sandbox();
    let none = sandbox.run(["decisions"]);
    assert_eq!(
        (none.code, none.stdout.as_str()),
        (Some(0), "no decisions\n\nnever fired\nno-print\nno-todo\n"),
        "{none}"
    );
    assert!(none.stderr.contains("there is no decision log"), "{none}");
    for content in ["print(1)\n", "print(1)\n", "print(2)\n", "x = 1\n"] {
        write(&sandbox, "a.py", content);
    }
    let json = sandbox.run(["decisions", "--format", "json"]).json();
    let day = json["days"][0]["day"].clone();
    let last = json["contracts"][0]["last"].clone();
    assert_eq!(
        json,
        json!({
            "version": 1,
            "contracts": [{ "id": "no-print", "denied": 3, "fixed": 0, "obeyed": 1, "repeated": 1, "last": last }],
            "agents": [{ "agent": "claude", "events": 4, "denied": 3 }],
            "days": [{ "day": day, "events": 4, "denied": 3 }],
            "never": ["no-todo"],
        })
    );
    let text = sandbox.run(["decisions", "--agent", "claude", "--since", "1 week ago"]).stdout;
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(text.lines().nth(1).expect("a row"))[..5], ["no-print", "3", "0", "1", "1"]);
    assert!(text.ends_with("\nnever fired\nno-todo\n"), "{text}");
    let of = |args: [&str; 5]| sandbox.run(args).json();
    let other = of(["decisions", "--format", "json", "--contract", "no-todo"]);
    assert_eq!((&other["contracts"], &other["never"]), (&json!([]), &json!(["no-todo"])));
    let codex = of(["decisions", "--format", "json", "--agent", "codex"]);
    assert_eq!(codex["agents"], json!([]));
    let page = sandbox.run(["decisions", "--format", "html"]).stdout;
    assert!(page.contains("\"denied\":3") && page.contains("<!doctype html>"), "no page");
}

#[test]
fn doctor_shows_when_hooks_were_seen() {
    let sandbox = sandbox();
    assert!(!sandbox.run(["doctor"]).stdout.contains(" ago"));
    write(&sandbox, "a.py", "x = 1\n");
    let doctor = sandbox.run(["doctor"]).stdout;
    let seen = doctor.lines().find(|line| line.contains("Claude Code: PreToolUse ")).expect("a line");
    assert!(seen.starts_with("ok ") && seen.ends_with(" s ago"), "{seen}");
}
