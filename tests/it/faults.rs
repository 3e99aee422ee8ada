//! When the process around phaser fails it: streams, limits and directories that are not as they should be.
//!
//! Nothing here may panic, hang, or end with 2; every gap is reported. Streams that cannot be written are
//! in `exits.rs`, and an installation that is killed or out of space is in `install.rs`.

use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Output, Sandbox, forbid};

fn sandbox() -> Sandbox {
    Sandbox::new().contract(&forbid("no-x", "x", "**/*.txt")).file("a.txt", "x\n").file("b.txt", "y\n")
}

fn event(sandbox: &Sandbox, content: &str) -> String {
    sandbox.hook("PreToolUse").write("a.txt", content).json()
}

/// Runs a script that changes something about the process before it runs phaser, which is `$0`.
fn in_a_shell(sandbox: &Sandbox, script: &str, stdin: &str) -> Output {
    sandbox.run_with(&mut sandbox.shell(script), stdin.as_bytes())
}

/// A hook whose standard input is in the hands of the test.
fn hook(sandbox: &Sandbox) -> Child {
    let mut command = sandbox.command();
    command.args(["enforce", "--stdin"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().expect("it starts")
}

fn answer(mut child: Child) -> (Option<i32>, Value) {
    let mut stdout = String::new();
    child.stdout.take().expect("is piped").read_to_string(&mut stdout).expect("readable");
    let code = child.wait().expect("it ends").code();
    (code, serde_json::from_str(&stdout).unwrap_or(Value::Null))
}

#[track_caller]
fn denied(answer: (Option<i32>, Value)) {
    assert_eq!(answer.0, Some(0));
    assert_eq!(answer.1["hookSpecificOutput"]["permissionDecision"], "deny", "{}", answer.1);
}

#[test]
fn stdin_closed() {
    let output = in_a_shell(&sandbox(), "\"$0\" enforce --stdin <&-", "");
    assert_eq!((output.code, output.stdout.as_str()), (Some(3), ""), "{output}");
}

#[test]
fn stdin_empty() {
    for script in ["\"$0\" enforce --stdin </dev/null", "printf ' \\n' | \"$0\" enforce --stdin"] {
        let output = in_a_shell(&sandbox(), script, "");
        assert_eq!((output.code, output.stdout.as_str()), (Some(3), ""), "{output}");
    }
}

#[test]
fn stdin_is_a_directory() {
    let output = in_a_shell(&sandbox(), "\"$0\" enforce --stdin <.", "");
    assert_eq!((output.code, output.stdout.as_str()), (Some(3), ""), "{output}");
}

#[test]
fn stdin_never_closed() {
    let sandbox = sandbox();
    let mut child = hook(&sandbox);
    let mut stdin = child.stdin.take().expect("is piped");
    stdin.write_all(event(&sandbox, "x").as_bytes()).expect("written");
    denied(answer(child));
    drop(stdin);
}

#[test]
fn stdin_slow() {
    let sandbox = sandbox();
    let mut child = hook(&sandbox);
    let mut stdin = child.stdin.take().expect("is piped");
    for piece in event(&sandbox, "é x").as_bytes().chunks(7) {
        stdin.write_all(piece).expect("written");
        stdin.flush().expect("flushed");
        thread::sleep(Duration::from_millis(2));
    }
    denied(answer(child));
    drop(stdin);
}

#[test]
fn stdin_at_and_above_size_limit() {
    const LIMIT: usize = 10 * 1024 * 1024;
    let sandbox = sandbox();
    let of_size = |size: usize| {
        let short = event(&sandbox, "x ");
        let padding = "y".repeat(size - short.len());
        event(&sandbox, &format!("x {padding}"))
    };
    let fits = sandbox.run_stdin(["enforce", "--stdin", "--timeout", "60000"], of_size(LIMIT));
    assert_eq!((fits.code, fits.decision().as_str()), (Some(0), "deny"));
    let large = sandbox.run_stdin(["enforce", "--stdin"], of_size(LIMIT + 1));
    assert_eq!((large.code, large.stdout.as_str()), (Some(3), ""));
    assert!(large.stderr.contains("10 MB") || large.stderr.contains("10485760"), "{}", large.stderr);
}

#[test]
fn stdin_endless() {
    let endless = [
        "cat /dev/zero",
        "yes",
        "yes '{\"a\":'",
        "yes '[[[['",
        "{ printf '{\"a\":\"'; tr '\\0' 'x' </dev/zero; }",
    ];
    for endless in endless {
        let output = in_a_shell(&sandbox(), &format!("{endless} 2>/dev/null | \"$0\" enforce --stdin"), "");
        assert_eq!((output.code, output.stdout.as_str()), (Some(3), ""), "{endless}: {output}");
    }
}

#[test]
fn nesting_without_end() {
    let sandbox = sandbox();
    for nested in ["[".repeat(5_000_000), "{\"a\":".repeat(1_000_000)] {
        let unclosed = format!("{{\"a\":{nested}");
        let output = sandbox.run_stdin(["enforce", "--stdin"], unclosed);
        assert_eq!((output.code, output.stdout.as_str()), (Some(3), ""), "{}", output.stderr);
    }
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let event = event(&sandbox, "x").replacen('{', &format!("{{\"deep\":{deep},"), 1);
    let output = sandbox.run_stdin(["enforce", "--stdin"], event);
    assert!(output.code == Some(3) || output.decision() == "deny", "never allowed: {output}");
}

#[test]
fn the_working_directory_is_gone() {
    let sandbox = sandbox();
    let gone = "mkdir gone && cd gone && rmdir ../gone && ";
    let output = in_a_shell(&sandbox, &format!("{gone} \"$0\" enforce --all"), "");
    assert_eq!(output.code, Some(3), "{output}");
    assert!(
        output.stderr.contains("cannot find the current directory (change to one that exists)"),
        "{output}"
    );
}

#[test]
fn hook_needs_no_working_directory() {
    let sandbox = sandbox();
    let gone = "mkdir gone && cd gone && rmdir ../gone && ";
    let output = in_a_shell(&sandbox, &format!("{gone} \"$0\" enforce --stdin"), &event(&sandbox, "x"));
    assert_eq!((output.code, output.decision().as_str()), (Some(0), "deny"), "{output}");
}

#[test]
fn the_clients_directory_is_gone() {
    let sandbox = sandbox();
    let event = json!({ "cwd": "/nowhere/at/all", "tool_name": "Write",
        "tool_input": { "file_path": sandbox.path("a.txt"), "content": "x" } });
    let output = sandbox.run_stdin(["enforce", "--stdin"], event.to_string());
    assert_eq!(output.decision(), "deny", "the file determines the project: {output}");
}

#[test]
fn sixteen_file_descriptors() {
    let sandbox = (0..100).fold(sandbox(), |sandbox, number| sandbox.file(&format!("d{number}/a.txt"), "x"));
    let limit = "ulimit -n 16; ";
    let all = in_a_shell(&sandbox, &format!("{limit} \"$0\" enforce --all --threads 1 --format json"), "");
    assert_eq!((all.code, all.violations().len()), (Some(1), 101), "{}", all.stderr);
    let many = in_a_shell(&sandbox, &format!("{limit} \"$0\" enforce --all --threads 64 --format json"), "");
    let found = many.violations().len();
    assert!(
        many.code == Some(3) || (many.code == Some(1) && found == 101),
        "nothing is lost without a word: {many}"
    );
    let hook = in_a_shell(&sandbox, &format!("{limit} \"$0\" enforce --stdin"), &event(&sandbox, "x"));
    assert_eq!(hook.decision(), "deny");
}

#[test]
fn no_threads_to_be_had() {
    let sandbox = sandbox().git_init().git_commit("first");
    sandbox.git(&["add", "."]);
    std::fs::write(sandbox.home().join(".gitconfig"), "[safe]\n\tdirectory = *\n").expect("written");
    let modes = [&["--all"][..], &["--staged"], &["--diff", "main"], &["."], &["a.txt", "b.txt"]];
    for mode in modes {
        let command = sandbox.unprivileged();
        let mut shell = sandbox.tool("bash");
        shell.args(["-c", "ulimit -u 1; exec \"$0\" enforce --threads 8 --format json \"$@\""]);
        shell.arg(command.get_program()).args(mode);
        if is_root(&sandbox) {
            shell.uid(4_294_900_000); // The limit is for a user, and nobody else has processes of this one.
        }
        let output = sandbox.run_with(&mut shell, b"");
        assert_eq!(output.code, Some(1), "{mode:?}: {output}");
        assert_eq!(output.violations(), ["a.txt:1:1 no-x"], "{mode:?}");
    }
}

fn is_root(sandbox: &Sandbox) -> bool {
    std::fs::metadata(sandbox.root()).expect("it exists").uid() == 0
}

#[test]
fn little_memory() {
    let sandbox = sandbox();
    let limit = "ulimit -v 262144; ";
    let output = in_a_shell(&sandbox, &format!("{limit} \"$0\" enforce --all --format json --threads 2"), "");
    assert_eq!((output.code, output.violations().len()), (Some(1), 1), "{output}");
    let hook = in_a_shell(&sandbox, &format!("{limit} \"$0\" enforce --stdin"), &event(&sandbox, "x"));
    assert_eq!(hook.decision(), "deny");
}

#[test]
fn any_locale() {
    let sandbox = sandbox().file("ü.txt", "é x\n");
    for locale in ["C", "POSIX", "C.UTF-8", "tr_TR.UTF-8", "nonsense", ""] {
        let mut command = sandbox.command();
        command.args(["enforce", "ü.txt"]).env("LC_ALL", locale).env("LANG", locale);
        let output = sandbox.run_with(&mut command, b"");
        assert_eq!(output.report(), ["ü.txt:1 error no-x"], "{locale}");
    }
}

#[test]
fn an_environment_that_is_not_utf8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let sandbox = sandbox();
    let mut command = sandbox.command();
    for name in ["HOME", "CLAUDE_PROJECT_DIR", "NO_COLOR", "GIT_DIR", "TERM", "COLUMNS"] {
        command.env(name, OsStr::from_bytes(b"\xff\xfe/"));
    }
    let output = sandbox.run_with(command.args(["enforce", "--all"]), b"");
    assert_eq!(output.code, Some(1), "{output}");
}

#[test]
fn signal_leaves_nothing_behind() {
    let sandbox = sandbox();
    let mut child = hook(&sandbox);
    child.kill().expect("is ours");
    assert_eq!(child.wait().expect("it ends").code(), None);
    let left = std::fs::read_dir(sandbox.root()).expect("readable").count();
    assert_eq!(left, 3, "the contracts and two files");
}

#[test]
fn silent_stdin_ends_with_3() {
    let sandbox = Sandbox::new();
    let start = std::time::Instant::now();
    let mut command = sandbox.command();
    command.args(["enforce", "--stdin"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let held = child.stdin.take();
    let output = child.wait_with_output().expect("it ends");
    drop(held);
    assert_eq!(output.status.code(), Some(3));
    assert!(start.elapsed() >= std::time::Duration::from_secs(9), "{:?}", start.elapsed());
    assert!(String::from_utf8_lossy(&output.stderr).contains("nothing came for ten seconds"));
}
