//! The command line itself: which flags there are, how they are spelled, and that its help is complete.

use crate::harness::{Sandbox, forbid};

fn sandbox() -> Sandbox {
    Sandbox::new()
        .contract(&forbid("no-x", "x", "**/*.txt"))
        .file("a.txt", "x\n")
        .file("b.txt", "x\n")
        .file("sub/c.txt", "x\n")
}

fn violations(sandbox: &Sandbox, args: &[&str]) -> Vec<String> {
    let mut command = sandbox.command();
    let output = sandbox.run_with(command.args(["enforce", "--format", "json"]).args(args), b"");
    output.violations()
}

#[test]
fn files_may_be_given_in_every_way() {
    let sandbox = sandbox();
    let both = ["a.txt:1:1 no-x", "b.txt:1:1 no-x"];
    for args in [
        &["--file", "a.txt", "--file", "b.txt"][..],
        &["--file=a.txt", "--file=b.txt"],
        &["a.txt", "b.txt"],
        &["b.txt", "--file", "a.txt"],
        &["a.txt", "b.txt", "a.txt", "./b.txt"],
        &["--", "a.txt", "b.txt"],
    ] {
        assert_eq!(violations(&sandbox, args), both, "{args:?}");
    }
    let absolute = sandbox.path("sub/c.txt");
    assert_eq!(violations(&sandbox, &[absolute.to_str().expect("is text")]), ["sub/c.txt:1:1 no-x"]);
}

#[test]
fn accepts_file_named_like_flag() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "**")).file("--all", "x").file("-q", "x");
    assert_eq!(violations(&sandbox, &["--", "--all", "-q"]), ["--all:1:1 no-x", "-q:1:1 no-x"]);
    assert_eq!(violations(&sandbox, &["./--all"]), ["--all:1:1 no-x"]);
}

#[test]
fn check_is_another_name_of_enforce_itself() {
    let sandbox = sandbox();
    for args in
        [&["--all"][..], &["a.txt"], &["--file", "a.txt", "--severity", "warning"], &["--quiet", "--all"]]
    {
        let run = |name: &[&str]| {
            let mut command = sandbox.command();
            sandbox.run_with(command.arg("enforce").args(name).args(args), b"").to_string()
        };
        assert_eq!(run(&["check"]), run(&[]), "{args:?}");
    }
    let event = serde_json::json!({ "cwd": sandbox.root(), "tool_name": "Write",
        "tool_input": { "file_path": "a.txt", "content": "x" } });
    let output = sandbox.run_stdin(["enforce", "check", "--stdin", "--severity", "error"], event.to_string());
    assert_eq!(output.decision(), "deny");
}

#[test]
fn help_describes_every_flag() {
    let help = Sandbox::new().run(["enforce", "--help"]).stdout;
    let flags = [
        "--stdin",
        "--file",
        "--all",
        "--staged",
        "--diff",
        "--severity",
        "--format",
        "--contracts-dir",
        "--timeout",
        "--quiet",
        "--fail-on",
        "--on-clean",
        "--strict",
        "--timings",
        "--no-ignores",
        "--threads",
        "--max-file-size",
        "--color",
    ];
    for flag in flags {
        let line = help.lines().position(|line| line.split_whitespace().any(|word| word == flag));
        let line = line.unwrap_or_else(|| panic!("{flag} is not in {help}"));
        let described: String = help.lines().skip(line).take(2).collect();
        assert!(described.split_whitespace().count() > 4, "{flag}: {described}");
    }
    for default in
        ["[default: all]", "[default: 100]", "[default: error]", "[default: allow]", "[default: auto]"]
    {
        assert!(help.contains(default), "{default} is not in {help}");
    }
}

#[test]
fn help_lists_modes_first() {
    let sandbox = Sandbox::new();
    assert!(sandbox.run(["--help"]).stdout.starts_with("Phaser enforces"), "{}", sandbox.run(["--help"]));
    let help = sandbox.run(["enforce", "-h"]).stdout;
    assert!(help.contains("Usage: phaser enforce --all | --staged | --diff BASE | --stdin | PATH"), "{help}");
    let at = |text: &str| help.find(text).unwrap_or_else(|| panic!("no {text} in {help}"));
    assert!(at("Modes:") < at("--severity"), "{help}");
    let first: Vec<_> = help.lines().skip_while(|line| *line != "Modes:").skip(1).take(2).collect();
    assert!(first[0].contains("--all") && first[1].contains("--staged"), "{help}");
}

#[test]
fn help_of_common_commands_has_examples() {
    let sandbox = Sandbox::new();
    for command in [
        &["enforce"][..],
        &["init"],
        &["fix"],
        &["baseline"],
        &["explain"],
        &["completions"],
        &["enforce", "install"],
        &["contracts", "create"],
        &["contracts", "test"],
        &["contracts", "backtest"],
    ] {
        let help = sandbox.run_with(sandbox.command().args(command).arg("--help"), b"").stdout;
        let (_, examples) = help.split_once("Examples:\n").unwrap_or_else(|| panic!("no examples in {help}"));
        let named = format!("  phaser {} ", command.join(" "));
        assert!(examples.contains(&named) || examples.contains(&named.replacen("  ", "<(", 1)), "{help}");
    }
}

#[test]
fn prose_of_help_is_not_broken_twice() {
    let sandbox = Sandbox::new();
    for command in [
        &["contracts", "create"][..],
        &["contracts", "backtest"],
        &["contracts", "import"],
        &["decisions"],
        &["history"],
    ] {
        let help = sandbox.run_with(sandbox.command().args(command).arg("--help"), b"").stdout;
        let prose = |line: &&str| line.starts_with(char::is_alphabetic);
        let lines: Vec<&str> = help.lines().collect();
        let broken = lines
            .windows(3)
            .find(|lines| lines.iter().all(prose) && lines[1].len() < 40 && lines[0].len() > 80);
        assert_eq!(broken, None, "{command:?}");
    }
}

#[test]
fn distant_words_get_no_suggestion() {
    let output = Sandbox::new().run(["watch"]);
    assert_eq!(output.code, Some(3));
    assert!(!output.stderr.contains("tip:"), "{output}");
}

#[test]
fn packs_take_commas_and_repetition() {
    let sandbox = Sandbox::new();
    let list = |args: &[&str]| {
        let mut command = sandbox.command();
        sandbox.run_with(command.args(["contracts", "list"]).args(args), b"").stdout
    };
    let both = list(&["--pack", "secrets", "--pack", "hygiene"]);
    assert!(both.contains("merge-marker") && both.contains("github-token"), "{both}");
    assert_eq!(list(&["--pack", "secrets,hygiene"]), both);
}

#[test]
fn usage_error_escapes_argument() {
    let sandbox = sandbox();
    let evil = "--\u{1b}[31mred\u{202e}\u{7}";
    for args in [
        &["enforce", evil][..],
        &[evil],
        &["enforce", "--severity", evil],
        &["enforce", "--contracts-dir", "\u{1b}[31m", "--all"],
    ] {
        let output = sandbox.run_with(sandbox.command().args(args), b"");
        assert_eq!(output.code, Some(3), "{output}");
        let active = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!output.stderr.contains(active), "{:?}", output.stderr);
    }
}

#[test]
fn arguments_need_not_be_utf8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let sandbox = sandbox();
    let name = OsStr::from_bytes(b"\xff.txt");
    std::fs::write(sandbox.root().join(name), "x").expect("written");
    let mut command = sandbox.command();
    let output = sandbox.run_with(command.args(["enforce", "--format", "json"]).arg(name), b"");
    assert_eq!(output.violations(), ["\u{fffd}.txt:1:1 no-x"]);
}

#[test]
fn the_version_is_the_packages() {
    let output = Sandbox::new().run(["--version"]);
    assert_eq!(output.stdout, format!("phaser {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn two_modes_are_both_named() {
    let sandbox = sandbox();
    for (args, message) in [
        (
            &["--all", "sub"][..],
            "phaser: more than one mode: --all and the path 'sub' (remove one of them)\n",
        ),
        (
            &["--diff", "HEAD", "--file", "a.txt"],
            "phaser: more than one mode: --diff and the path 'a.txt' (remove one of them)\n",
        ),
        (&["--all", "--staged"], "phaser: more than one mode: --all and --staged (remove one of them)\n"),
    ] {
        let output = sandbox.run_with(sandbox.command().arg("enforce").args(args), b"");
        assert_eq!((output.code, output.stderr.as_str()), (Some(3), message));
    }
}

#[test]
fn invalid_number_reports_valid_range() {
    let sandbox = sandbox();
    for (flag, value, message) in [
        (
            "--max-file-size",
            "1XB",
            "write a number of bytes, optionally with k, M or G, such as 512k or 10MB",
        ),
        ("--timeout", "abc", "write a number of milliseconds from 1 to 3600000"),
        ("--threads", "0", "write a number of threads from 1 to 512"),
    ] {
        let output = sandbox.run(["enforce", "--all", flag, value]);
        assert_eq!(output.code, Some(3), "{output}");
        assert!(output.stderr.contains(message) && output.stderr.contains(flag), "{output}");
    }
}

#[test]
fn a_size_may_have_a_unit() {
    let sandbox = Sandbox::new()
        .contract(&forbid("no-x", "x", "*.txt"))
        .file("a.txt", "x".to_owned() + &"y".repeat(2047));
    let code = |size: &str| sandbox.run(["enforce", "--all", "--strict", "--max-file-size", size]).code;
    assert_eq!((code("1k"), code("2k"), code("2KiB"), code("1MB")), (Some(3), Some(1), Some(1), Some(1)));
}

#[test]
fn output_name_selects_format() {
    let sandbox = sandbox();
    for (name, start) in [
        ("r.sarif", "{\n  \"$schema\""),
        ("r.sarif.json", "{\n  \"$schema\""),
        ("r.json", "{\n  \"files_checked\""),
        ("r.XML", "<?xml"),
        ("r.txt", "a.txt:1: error: no-x\n"),
        ("report", "a.txt:1: error: no-x\n"),
    ] {
        let output = sandbox.run(["enforce", "--all", "--output", name]);
        assert!(output.stdout.starts_with("a.txt:1: error: no-x\n"), "{output}");
        let report = std::fs::read_to_string(sandbox.path(name)).expect("written");
        assert!(report.starts_with(start), "{name}: {report}");
        std::fs::remove_file(sandbox.path(name)).expect("removed");
    }
    sandbox.run(["enforce", "--all", "--output", "r.sarif", "--format", "text"]);
    let report = std::fs::read_to_string(sandbox.path("r.sarif")).expect("written");
    assert!(report.starts_with("a.txt:1: error: no-x\n"), "the flag overrides the extension: {report}");
}
