//! A parser that crashes or hangs: phaser runs again without syntax trees, and what they were for is a gap.
//!
//! Few inputs are known that make a grammar crash, and none that makes one hang. strace delivers the signal instead: at the
//! system call that starts the timer of a hook, which is the last one before the first tree is parsed.

use std::fs;
use std::hash::{DefaultHasher, Hasher as _};

use serde_json::{Value, json};

use crate::harness::{Hook, Output, Sandbox, forbid, unchecked_in};

const NO_EVAL: &str = "rule_id: no-eval\ntype: forbid_code\ncode: 'eval($X)'\nfile_glob: '**/*.py'\nmessage: m\nseverity: error\n";
const NEEDS_MAIN: &str = "rule_id: needs-main\ntype: require_code\ncode: 'main()'\nfile_glob: '**/*.py'\nmessage: m\nseverity: error\n";
const NO_OS: &str =
    "rule_id: no-os\ntype: forbid_import\nimport: os\nfile_glob: '**/*.py'\nmessage: m\nseverity: error\n";
const NO_VERIFY: &str = "rule_id: no-verify\ntype: forbid_command\ncommand: git commit\nargs: ['-n']\nmessage: m\nseverity: error\n";

const CRASHED: &str = "is not checked: the parser crashed (report the file as a bug of phaser)";
const TIMED_OUT: &str = "ran out of time (simplify its pattern, or raise --timeout)";

/// Violates the contract about text and those about code.
const TEXT: &str = "import os\neval(x)  # TODO\n";

fn sandbox() -> Sandbox {
    Sandbox::new()
        .contract(NO_EVAL)
        .contract(NEEDS_MAIN)
        .contract(NO_OS)
        .contract(NO_VERIFY)
        .contract(&forbid("no-todo", "TODO", "**/*.py"))
}

/// Sends an event. The first tree is about to be parsed when the signal arrives.
fn with_signal(sandbox: &Sandbox, signal: &str, event: &Hook<'_>, args: &[&str]) -> Option<Output> {
    let mut strace = sandbox.strace()?;
    strace.args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=setitimer", "-e"]);
    strace.arg(format!("inject=setitimer:signal={signal}:when=1"));
    strace.arg(env!("CARGO_BIN_EXE_phaser")).args(["enforce", "--stdin"]).args(args);
    Some(sandbox.run_with(&mut strace, event.json().as_bytes()))
}

fn gaps(cause: &str) -> Vec<String> {
    ["needs-main", "no-eval", "no-os"].map(|id| format!("a.py: {id} {cause}")).to_vec()
}

#[test]
fn text_contracts_deny_after_crash() {
    let sandbox = sandbox();
    let event = sandbox.hook("PreToolUse").write("a.py", TEXT);
    for (signal, cause) in [
        ("SIGSEGV", CRASHED),
        ("SIGBUS", CRASHED),
        ("SIGABRT", CRASHED),
        ("SIGILL", CRASHED),
        ("SIGFPE", CRASHED),
        ("SIGALRM", TIMED_OUT),
    ] {
        let Some(output) = with_signal(&sandbox, signal, &event, &[]) else { return };
        output.assert_denied(&["no-todo at line 2"]);
        assert_eq!(unchecked_in(&output.stderr), gaps(cause), "{signal}");
        assert!(output.message().contains(&format!("a.py: needs-main {cause}")), "{signal}: {output}");
    }
}

/// The grammar of Ruby stores the length of a heredoc's word in one byte, and up to 1025 bytes for all open heredocs in a
/// buffer of 1024. Assertions end both.
#[cfg(unix)]
#[test]
fn heredocs_crash_ruby_grammar_only() {
    let word = |letter: &str, len: usize| format!("<<{}", letter.repeat(len));
    let words = [word("A", 200), word("B", 200), word("C", 200), word("D", 200), word("E", 203)].join(", ");
    let no_eval = NO_EVAL.replace("*.py", "*.rb");
    let sandbox = Sandbox::new().contract(&no_eval).contract(&forbid("no-todo", "TODO", "**/*.rb"));
    for heredoc in [word("A", 256), words] {
        let output = sandbox.pre_write("a.rb", &format!("eval(x)  # TODO\nf({heredoc})\n"));
        output.assert_denied(&["no-todo at line 1"]);
        assert_eq!(unchecked_in(&output.stderr), [format!("a.rb: no-eval {CRASHED}")], "{output}");
        let output = sandbox.pre_write("a.rb", &format!("eval(x)\nf({heredoc})\n"));
        assert_eq!((output.code, output.decision().as_str()), (Some(0), ""), "{output}");
        assert!(output.message().contains(&format!("a.rb: no-eval {CRASHED}")), "{output}");
    }
}

#[test]
fn crash_is_no_approval() {
    let sandbox = sandbox();
    let event = sandbox.hook("PreToolUse").write("a.py", "eval(x)\n");
    for signal in ["SIGSEGV", "SIGALRM"] {
        let Some(output) = with_signal(&sandbox, signal, &event, &[]) else { return };
        assert_eq!((output.code, output.decision().as_str()), (Some(0), ""), "{signal}: {output}");
        assert!(output.message().contains("a.py: "), "{signal}: {output}");
    }
}

#[test]
fn crash_on_command_is_reported() {
    let sandbox = sandbox();
    let event = sandbox.hook("PreToolUse").tool("Bash", json!({ "command": "git commit -n" }));
    let Some(output) = with_signal(&sandbox, "SIGSEGV", &event, &["--guard"]) else { return };
    assert_eq!((output.code, output.decision().as_str()), (Some(0), ""), "{output}");
    assert!(output.stderr.contains("command not judged: git commit -n: the parser crashed"), "{output}");
}

/// A scanner that reads to the end of the text for every token, until the deadline.
#[test]
fn slow_scanner_costs_no_denial() {
    let sandbox = Sandbox::new().contract(NO_EVAL).contract(&forbid("no-todo", "TODO", "**/*.py"));
    let text = format!("{TEXT}{}", "\\\n".repeat(500_000));
    let output = sandbox.pre_write("a.py", &text);
    output.assert_denied(&["no-todo at line 2"]);
    assert!(output.message().contains("a.py: no-eval "), "{output}");
}

#[test]
fn nothing_is_prepared_without_a_parse() {
    let sandbox = Sandbox::new().contract(NO_EVAL);
    let log = sandbox.home().join("strace.log");
    for (content, calls) in [("print(x)\n", 0), ("eval(x)\n", 1)] {
        let Some(mut strace) = sandbox.strace() else { return };
        strace.args(["-f", "-qq", "-e", "signal=none", "-e", "trace=setitimer,memfd_create", "-o"]).arg(&log);
        strace.arg(env!("CARGO_BIN_EXE_phaser")).args(["enforce", "--stdin"]);
        let event = sandbox.hook("PreToolUse").write("a.py", content).json();
        sandbox.run_with(&mut strace, event.as_bytes());
        let made = fs::read_to_string(&log).expect("the log");
        for name in ["setitimer", "memfd_create"] {
            assert_eq!(made.matches(name).count(), calls, "{content}: {made}");
        }
    }
}

/// Whoever sets the variable of the second run disables nothing unnoticed.
#[test]
fn variable_is_no_way_around_contracts() {
    let sandbox = sandbox().file("a.py", TEXT);
    let run = |args: &[&str], stdin: &str| {
        let mut command = sandbox.command();
        command.args(args).env("PHASER_ABANDONED", "crashed");
        sandbox.run_with(&mut command, stdin.as_bytes())
    };
    let event = sandbox.hook("PreToolUse").write("a.py", "eval(x)\n").json();
    let output = run(&["enforce", "--stdin"], &event);
    assert_eq!((output.decision().as_str(), output.message().contains(CRASHED)), ("", true), "{output}");
    for args in [&["enforce", "--all"][..], &["enforce", "--all", "--strict"], &["enforce", "a.py"]] {
        let output = run(&[args, &["--format", "json"]].concat(), "");
        assert_eq!(
            (output.code, output.violations()),
            (Some(3), vec!["a.py:2:12 no-todo".to_owned()]),
            "{args:?}"
        );
        assert_eq!(output.unchecked(), gaps(CRASHED), "{args:?}");
        let skipped: Vec<Value> = output.json()["skipped"].as_array().expect("a list").clone();
        assert_eq!(skipped.len(), 3, "{args:?}");
    }
    let check = run(&["contracts", "check", "--format", "json"], "");
    assert_eq!(
        check.stdout,
        sandbox.run(["contracts", "check", "--format", "json"]).stdout,
        "other commands parse"
    );
}

/// Outside a hook, the second run skips the text that crashed and no other.
#[test]
fn other_files_are_checked_after_crash() {
    let sandbox = sandbox().file("a.py", TEXT).file("b.py", TEXT.replace("TODO", "DONE"));
    let mut digest = DefaultHasher::new();
    digest.write(TEXT.as_bytes());
    // The number of Python.
    digest.write_usize(0);
    let mut command = sandbox.command();
    command.args(["enforce", "--all", "--format", "json"]);
    command.env("PHASER_ABANDONED", format!("{:016x}", digest.finish()));
    let output = sandbox.run_with(&mut command, b"");
    // Without the words of its pattern a text needs no tree to violate 'needs-main'.
    assert_eq!((output.code, output.unchecked()), (Some(3), gaps(CRASHED)[1..].to_vec()), "{output}");
    let found =
        ["a.py needs-main", "a.py:2:12 no-todo", "b.py needs-main", "b.py:1:8 no-os", "b.py:2:1 no-eval"];
    assert_eq!(output.violations(), found);
}

/// A crashed run leaves nothing in the cache that a later one takes for a result.
#[test]
fn gap_is_not_cached() {
    let sandbox = sandbox().git_init().file("a.py", TEXT);
    let mut command = sandbox.command();
    command.args(["enforce", "--all", "--cache"]).env("PHASER_ABANDONED", "crashed");
    assert_eq!(sandbox.run_with(&mut command, b"").code, Some(3));
    let output = sandbox.run(["enforce", "--all", "--cache", "--format", "json"]);
    assert_eq!((output.code, output.violations().len()), (Some(1), 4), "{output}");
}
