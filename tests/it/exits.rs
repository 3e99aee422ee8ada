//! How a run ends: every exit code of every mode, and never 2, which Claude Code takes for "block the tool".

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use crate::harness::{Hook, Output, Sandbox, forbid, warning};

/// A pattern that needs the backtracking engine, and does not get through [`slow_text`].
const SLOW: &str = r"(?:(?!x)(?:a|aa))+(?<!a)";

fn slow_text() -> String {
    format!("{}!", "a".repeat(5000))
}

fn sandbox() -> Sandbox {
    Sandbox::new()
        .contract(&forbid("no-x", "x", "**/*.txt"))
        .contract(&warning(&forbid("no-w", "w", "**/*.txt")))
        .file("clean.txt", "a\n")
        .file("error.txt", "x\n")
        .file("warning.txt", "w\n")
}

fn write<'a>(sandbox: &'a Sandbox, content: &str) -> Hook<'a> {
    sandbox.hook("PreToolUse").write("a.txt", content)
}

#[track_caller]
fn ends(output: &Output, code: i32) {
    assert_eq!(output.code, Some(code), "{output}");
}

#[test]
fn hook_ends_with_0_whatever_it_decides() {
    let sandbox = sandbox();
    for (content, decision) in [("a", "allow"), ("x", "deny"), ("w", "deny")] {
        for strictness in [&[][..], &["--strict"], &["--fail-on", "warning"]] {
            let output = write(&sandbox, content).args(strictness).run();
            ends(&output, 0);
            assert_eq!(output.decision(), decision, "{content}");
        }
    }
}

#[test]
fn strict_hook_with_gaps_ends_with_0() {
    let sandbox = Sandbox::new()
        .contract(&forbid("slow", SLOW, "**"))
        .file(".claude/contracts/broken.yaml", "rule_id: [");
    let output = write(&sandbox, &slow_text()).args(["--strict"]).run();
    ends(&output, 0);
    assert_eq!(output.json()["hookSpecificOutput"], serde_json::Value::Null);
    for shown in [&output.message(), &output.stderr] {
        assert!(shown.contains("a.txt: slow ") && shown.contains("broken.yaml"), "{output}");
    }
}

#[test]
fn failed_hook_ends_with_3_without_decision() {
    let sandbox = sandbox();
    let large = format!("{{\"a\": \"{}\"}}", "x".repeat(10 * 1024 * 1024));
    for input in ["", "[]", "{", "null", "nonsense", &large] {
        let output = sandbox.run_stdin(["enforce", "--stdin"], input);
        ends(&output, 3);
        assert_eq!(output.stdout, "");
        assert!(output.stderr.starts_with("phaser: standard input: "), "{output}");
    }
    let output = write(&sandbox, "x").args(["--contracts-dir", "gone"]).run();
    ends(&output, 3);
    assert_eq!(output.stdout, "");
}

#[test]
fn violations_from_fail_on_end_with_1() {
    let sandbox = sandbox();
    for mode in [&["--file"][..], &[]] {
        for (file, fail_on, code) in [
            ("clean.txt", "warning", 0),
            ("warning.txt", "error", 0),
            ("warning.txt", "warning", 1),
            ("warning.txt", "never", 0),
            ("error.txt", "error", 1),
            ("error.txt", "warning", 1),
            ("error.txt", "never", 0),
        ] {
            let mut command = sandbox.command();
            command.args(["enforce", "--fail-on", fail_on]).args(mode).arg(file);
            let output = sandbox.run_with(&mut command, b"");
            assert_eq!(output.code, Some(code), "{file} with --fail-on {fail_on}: {output}");
        }
    }
    ends(&sandbox.run(["enforce", "error.txt"]), 1);
    ends(&sandbox.run(["enforce", "warning.txt"]), 0);
    ends(&sandbox.run(["enforce", "--all"]), 1);
    ends(&sandbox.run(["enforce", "--all", "--fail-on", "never"]), 0);
    ends(&sandbox.run(["enforce", "check", "--all"]), 1);
}

#[test]
fn severity_selects_contracts_and_exit_code() {
    let sandbox = sandbox();
    let run = |severity: &str| {
        let output = sandbox.run(["enforce", "--all", "--format", "json", "--severity", severity]);
        (output.code, output.violations())
    };
    let (error, warning) = ("error.txt:1:1 no-x".to_owned(), "warning.txt:1:1 no-w".to_owned());
    assert_eq!(run("error"), (Some(1), vec![error.clone()]));
    assert_eq!(run("warning"), (Some(0), vec![warning.clone()]));
    assert_eq!(run("all"), (Some(1), vec![error, warning]));
}

#[test]
fn ignored_violations_do_not_fail_the_run() {
    let sandbox = sandbox().file("error.txt", "x # phaser:ignore no-x\n");
    ends(&sandbox.run(["enforce", "--all"]), 0);
    ends(&sandbox.run(["enforce", "--all", "--no-ignores"]), 1);
}

#[test]
fn wrong_usage_ends_with_3_and_hint() {
    let sandbox = sandbox();
    let cases: [(&[&str], &str); 28] = [
        (&[], "Usage: phaser"),
        (&["enfroce"], "a similar subcommand exists: 'enforce'"),
        (&["lint"], "a similar subcommand exists: 'phaser contracts lint'"),
        (&["create"], "a similar subcommand exists: 'phaser contracts create'"),
        (&["tests"], "a similar subcommand exists: 'phaser contracts test'"),
        (&["contracts", "fix"], "a similar subcommand exists: 'phaser fix'"),
        (&["enforce", "--all", "--fix"], "a similar subcommand exists: 'phaser fix'"),
        (&["--all"], "unexpected argument '--all'"),
        (
            &["enforce"],
            "nothing to check (choose --all, --staged, --diff BASE, --commit-msg FILE, --file PATH, --stdin-filename PATH or --stdin)",
        ),
        (&["enforce", "check"], "--all"),
        (&["enforce", "--all", "--stdin"], "--stdin and --all"),
        (&["enforce", "--all", "clean.txt"], "--all"),
        (&["enforce", "--all", "--file", "clean.txt"], "--all"),
        (&["enforce", "--stdin", "clean.txt"], "--stdin"),
        (&["enforce", "--al"], "a similar argument exists: '--all'"),
        (&["enforce", "--all", "--all"], "cannot be used multiple times"),
        (&["enforce", "--file"], "a value is required for '--file <PATH>'"),
        (&["enforce", "--all", "--severity", "fatal"], "[possible values: error, warning, all]"),
        (&["enforce", "--all", "--severity", "Error"], "[possible values: error, warning, all]"),
        (&["enforce", "--all", "--format", "xml"], "[possible values: "),
        (
            &["enforce", "--all", "--format", "hook"],
            "--format hook is the response to a hook event (use it with --stdin)",
        ),
        (&["enforce", "--all", "--fail-on", "all"], "[possible values: error, warning, never]"),
        (&["enforce", "--all", "--on-clean", "deny"], "[possible values: allow, defer]"),
        (&["enforce", "--all", "--timeout", "0"], "from 1 to 3600000"),
        (&["enforce", "--all", "--timeout", "1s"], "from 1 to 3600000"),
        (&["enforce", "--all", "--threads", "-1"], "'-1'"),
        (&["enforce", "--all", "--max-file-size", "99999999999999999999"], "'99999999999999999999'"),
        (&["enforce", "--all", "--color", "red"], "[possible values: auto, always, never]"),
    ];
    for (args, message) in cases {
        let mut command = sandbox.command();
        let output = sandbox.run_with(command.args(args), b"");
        assert_eq!((output.code, output.stdout.as_str()), (Some(3), ""), "{args:?}: {output}");
        assert!(output.stderr.contains(message), "{args:?} should report {message}: {output}");
    }
}

#[test]
fn help_and_version_end_with_0() {
    let sandbox = Sandbox::new();
    for args in [&["--help"][..], &["-h"], &["help"], &["enforce", "--help"], &["--version"], &["-V"]] {
        let output = sandbox.run_with(sandbox.command().args(args), b"");
        ends(&output, 0);
        assert!(!output.stdout.is_empty() && output.stderr.is_empty(), "{args:?}: {output}");
    }
    let help = sandbox.run(["enforce", "--help"]).stdout;
    for code in ["  0  ", "  1  ", "  3  "] {
        assert!(help.contains(code), "{help}");
    }
    assert!(!help.contains("\n  check"), "the alias is hidden: {help}");
}

#[test]
fn unreadable_contracts_directory_ends_with_3() {
    let sandbox = sandbox().file("file", "").file("locked/a.yaml", forbid("a", "a", "**"));
    for (directory, message) in [
        ("gone", "phaser: --contracts-dir gone: not a readable directory: No such file or directory"),
        ("file", "--contracts-dir file: "),
        ("", "a value is required for '--contracts-dir <PATH>'"),
    ] {
        let output = sandbox.run(["enforce", "--all", "--contracts-dir", directory]);
        ends(&output, 3);
        assert!(output.stderr.contains(message), "{output}");
    }
    let locked = sandbox.path("locked");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).expect("a mode");
    let mut command = sandbox.unprivileged();
    let output = sandbox.run_with(command.args(["enforce", "--all", "--contracts-dir", "locked"]), b"");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).expect("a mode");
    ends(&output, 3);
    assert!(output.stderr.contains("locked: ") && output.stderr.contains("Permission denied"), "{output}");
}

#[test]
fn unreadable_target_ends_with_3_and_report() {
    let sandbox = sandbox();
    fs::set_permissions(sandbox.path("clean.txt"), fs::Permissions::from_mode(0o000)).expect("a mode");
    for args in [&["--all"][..], &["--file", "clean.txt", "--file", "error.txt"], &["."]] {
        let mut command = sandbox.unprivileged();
        let output = sandbox.run_with(command.arg("enforce").args(args), b"");
        ends(&output, 3);
        let gap = output.unchecked().concat();
        assert!(gap.starts_with("clean.txt: cannot be read: Permission denied"), "{output}");
        assert!(output.report().contains(&"error.txt:1 error no-x".to_owned()), "{output}");
    }
    let gone = sandbox.run(["enforce", "gone.txt", "error.txt"]);
    ends(&gone, 3);
    assert!(gone.unchecked().concat().starts_with("gone.txt: "), "{gone}");
    assert_eq!(gone.report(), ["error.txt:1 error no-x"], "3 wins over 1: {gone}");
}

#[test]
fn path_outside_project_ends_with_3() {
    let output = sandbox().run(["enforce", "../elsewhere.txt", "error.txt"]);
    ends(&output, 3);
    assert!(output.unchecked().concat().starts_with("../elsewhere.txt: "), "{output}");
    assert_eq!(output.report(), ["error.txt:1 error no-x"], "3 wins over 1: {output}");
}

#[test]
fn timed_out_pattern_ends_with_3() {
    let sandbox = sandbox().contract(&forbid("slow", SLOW, "**")).file("slow.txt", slow_text());
    for args in [&["--all"][..], &["--all", "--fail-on", "never"], &["slow.txt", "error.txt"]] {
        let output =
            sandbox.run_with(sandbox.command().args(["enforce", "--format", "json"]).args(args), b"");
        ends(&output, 3);
        assert!(output.unchecked().concat().starts_with("slow.txt: slow "), "{output}");
        assert!(output.violations().contains(&"error.txt:1:1 no-x".to_owned()), "{output}");
        let skipped = &output.json()["skipped"][0];
        assert_eq!(skipped["file_path"], "slow.txt");
    }
}

#[test]
fn git_modes_outside_repository_end_with_3() {
    let sandbox = sandbox();
    for args in [&["--staged"][..], &["--diff", "main"]] {
        let output = sandbox.run_with(sandbox.command().arg("enforce").args(args), b"");
        ends(&output, 3);
        assert!(output.stderr.starts_with("phaser: "), "{output}");
    }
}

#[test]
fn strict_turns_every_gap_into_3() {
    let large = || sandbox().file("large.txt", "y".repeat(2000));
    let many = || sandbox().contract(&forbid("no-y", "y", "**")).file("many.txt", "y\n".repeat(1001));
    let cases: [(&str, Sandbox, &[&str]); 6] = [
        ("no gap", sandbox(), &[]),
        ("a broken contract", sandbox().file(".claude/contracts/z.yaml", "rule_id: ["), &[]),
        ("a broken pattern", sandbox().contract(&forbid("z", "(", "**")), &[]),
        ("a file over the limit", large(), &["--max-file-size", "1000"]),
        ("too many matches", many(), &[]),
        ("no contracts", Sandbox::new(), &[]),
    ];
    for (name, sandbox, args) in cases {
        let run = |strict: &[&str]| {
            let mut command = sandbox.command();
            command
                .args(["enforce", "--all", "--fail-on", "never", "--format", "json"])
                .args(args)
                .args(strict);
            sandbox.run_with(&mut command, b"")
        };
        let (normal, strict) = (run(&[]), run(&["--strict"]));
        ends(&normal, 0);
        assert_eq!(strict.code, Some(if name == "no gap" { 0 } else { 3 }), "{name}: {strict}");
        assert_eq!(normal.stdout, strict.stdout, "{name}: the report is still written");
        assert_eq!(normal.stderr, strict.stderr, "{name}");
    }
}

#[test]
fn three_beats_one_and_report_is_written() {
    let sandbox = sandbox().file(".claude/contracts/z.yaml", "rule_id: [");
    ends(&sandbox.run(["enforce", "--all"]), 1);
    let output = sandbox.run(["enforce", "--all", "--strict"]);
    ends(&output, 3);
    assert_eq!(output.report(), ["error.txt:1 error no-x", "warning.txt:1 warning no-w"], "{output}");
    assert_eq!((output.count("error"), output.count("warning")), (1, 1), "{output}");
}

#[test]
fn without_contracts_names_places_and_next_step() {
    let sandbox = Sandbox::new().file("a.txt", "x");
    insta::assert_snapshot!(sandbox.run(["enforce", "--all"]), @"
    exit: 0
    --- stdout
    0 errors, 0 warnings

    --- stderr
    phaser: no contracts in .claude/contracts or ~/.phaser/contracts: add one with 'phaser init', or try '--pack secrets'
    ");
    let quiet = sandbox.run(["enforce", "--all", "--quiet"]);
    assert_eq!((quiet.code, quiet.stderr.as_str()), (Some(0), ""));
    let named = sandbox.file("rules/README", "").run(["enforce", "--all", "--contracts-dir", "rules"]);
    assert!(named.stderr.contains(" rules: "), "{named}");
}

#[test]
fn reports_that_every_contract_is_disabled() {
    let off = forbid("no-x", "x", "**") + "enabled: false\n";
    let output = Sandbox::new().contract(&off).file("a.txt", "x").run(["enforce", "--all"]);
    ends(&output, 0);
    assert!(output.stderr.starts_with("phaser: every contract is disabled"), "{output}");
}

#[test]
fn without_a_home_the_projects_contracts_count() {
    let sandbox = sandbox();
    for home in [None, Some(""), Some("/nowhere")] {
        let mut command = sandbox.command();
        command.args(["enforce", "--all", "--format", "json"]).env_remove("HOME");
        home.map(|home| command.env("HOME", home));
        let output = sandbox.run_with(&mut command, b"");
        ends(&output, 1);
        assert_eq!(output.stderr, "");
    }
    let mut command = sandbox.command();
    command.args(["enforce", "--stdin"]).env_remove("HOME");
    let output = sandbox.run_with(&mut command, write(&sandbox, "x").json().as_bytes());
    assert_eq!(output.decision(), "deny");
}

#[test]
fn unwritable_output_ends_with_3() {
    let sandbox = sandbox();
    let full = || File::options().write(true).open("/dev/full").expect("a device that is always full");
    for args in
        [&["enforce", "--all"][..], &["enforce", "--all", "--format", "json"], &["--help"], &["--version"]]
    {
        let output =
            sandbox.command().args(args).stdout(full()).stderr(Stdio::piped()).output().expect("it runs");
        assert_eq!(output.status.code(), Some(3), "{args:?}");
    }
    let output = sandbox.command().args(["enforce", "--all"]).stdout(full()).output().expect("it runs");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.starts_with("phaser: cannot write to stdout: "), "{message}");
}

#[test]
fn unwritable_decision_ends_with_3() {
    use std::io::Write as _;
    let sandbox = sandbox();
    let full = File::options().write(true).open("/dev/full").expect("a device that is always full");
    let mut command = sandbox.command();
    command.args(["enforce", "--stdin"]).stdin(Stdio::piped()).stdout(full).stderr(Stdio::null());
    let mut child = command.spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("is piped");
    stdin.write_all(write(&sandbox, "x").json().as_bytes()).expect("written");
    drop(stdin);
    assert_eq!(child.wait().expect("it ends").code(), Some(3));
}

/// Runs phaser with a closed pipe as its standard output. Returns its exit code and stderr.
fn unread(sandbox: &Sandbox, args: &[&str], stdin: &str) -> (Option<i32>, String) {
    use std::io::Write as _;
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = sandbox.command();
    command.args(args).stdin(Stdio::piped()).stdout(writer).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    drop(command);
    child.stdin.take().expect("is piped").write_all(stdin.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("it ends");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn closed_reader_changes_no_exit_code() {
    let sandbox = sandbox().file("many.txt", "x\n".repeat(1000));
    for (args, code) in [
        (&["enforce", "--all"][..], 1),
        (&["enforce", "--all", "--format", "json"], 1),
        (&["enforce", "--all", "--format", "sarif", "--fail-on", "never"], 0),
        (&["enforce", "clean.txt"], 0),
        (&["enforce", "gone.txt", "--quiet"], 3),
        (&["contracts", "list"], 0),
        (&["explain", "no-x"], 0),
        (&["enforce", "install", "--dry-run"], 0),
        (&["doctor"], 1),
        (&["--help"], 0),
    ] {
        let (ended, message) = unread(&sandbox, args, "");
        assert_eq!(ended, Some(code), "{args:?}: {message}");
        assert!(!message.contains("standard output"), "{args:?}: {message}");
    }
}

#[test]
fn unread_response_ends_with_3() {
    let sandbox = sandbox();
    for (content, format) in [("a", "hook"), ("x", "hook"), ("x", "json")] {
        let args = ["enforce", "--stdin", "--format", format];
        let (ended, message) = unread(&sandbox, &args, &write(&sandbox, content).json());
        assert_eq!(ended, Some(3));
        assert!(message.contains("Broken pipe"), "{message}");
    }
}

/// The runtime opens `/dev/null` in place of a closed stream, so a closed standard output is like one that is thrown away.
#[test]
fn closed_streams_change_no_exit_code() {
    let sandbox = sandbox();
    for (redirection, code) in [(">&-", 1), ("2>&-", 1), ("<&-", 1), ("<&- >&- 2>&-", 1)] {
        let mut shell = sandbox.shell(&format!("\"$0\" enforce --all {redirection}"));
        let output = sandbox.run_with(&mut shell, b"");
        assert_eq!(output.code, Some(code), "{redirection}: {output}");
    }
}

#[test]
fn unwritable_stderr_changes_nothing() {
    let sandbox = sandbox().file(".claude/contracts/broken.yaml", "rule_id: [");
    for redirection in ["2>/dev/full", "2>&-"] {
        let mut shell = sandbox.shell(&format!("\"$0\" enforce --stdin {redirection}"));
        let output = sandbox.run_with(&mut shell, write(&sandbox, "x").json().as_bytes());
        ends(&output, 0);
        assert_eq!(output.decision(), "deny", "{redirection}");
        let mut shell = sandbox.shell(&format!("\"$0\" enforce --bogus {redirection}"));
        ends(&sandbox.run_with(&mut shell, b""), 3);
    }
}

#[test]
fn unreadable_target_fails_without_contracts_too() {
    let sandbox = Sandbox::new();
    for args in [["enforce", "--file", "gone.txt"], ["enforce", "--staged", "--quiet"]] {
        let output = sandbox.run(args);
        assert_eq!(output.code, Some(3), "{args:?}: {output}");
    }
}
