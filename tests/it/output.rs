//! What a run shows: text and JSON byte for byte, colours only where they are wanted, and the source on a terminal.

use serde_json::json;

use crate::harness::{Output, Sandbox, contract, forbid, warning};

fn no_force_unwrap() -> String {
    "rule_id: no-force-unwrap\ntype: forbid_pattern\npattern: '\\w+!\\s*(?://|$)'\nfile_glob: '**/*.swift'\n\
     message: 'Avoid force unwrapping optionals. Use guard let or if let instead.'\nseverity: error\n"
        .to_owned()
}

fn swift() -> Sandbox {
    Sandbox::new()
        .contract(&no_force_unwrap())
        .file("src/app.swift", "import Foundation\n\nlet value = optional!\n")
}

/// Runs phaser with its standard output on a terminal, whose line endings are taken back.
pub fn on_a_terminal(sandbox: &Sandbox, args: &str, variables: &[(&str, &str)]) -> String {
    typing_on_a_terminal(sandbox, args, variables, "")
}

/// The same, with this text on stdin.
pub fn typing_on_a_terminal(
    sandbox: &Sandbox,
    args: &str,
    variables: &[(&str, &str)],
    typed: &str,
) -> String {
    let phaser = env!("CARGO_BIN_EXE_phaser");
    let mut script = sandbox.tool("script");
    script.args(["-qec", &format!("PATH= '{phaser}' {args}"), "/dev/null"]);
    script.env("TERM", "xterm").envs(variables.iter().copied());
    sandbox.run_with(&mut script, typed.as_bytes()).stdout.replace("\r\n", "\n")
}

fn coloured(text: &str) -> bool {
    text.contains('\u{1b}')
}

#[test]
fn text_is_as_it_is_documented() {
    let output = swift().run(["enforce", "--file", "src/app.swift", "--format", "text"]);
    assert_eq!(
        output.stdout,
        "src/app.swift:3: error: no-force-unwrap\n  Avoid force unwrapping optionals. Use guard let or if let instead.\n\n\
         1 error, 0 warnings\n"
    );
    assert_eq!((output.code, output.stderr.as_str()), (Some(1), ""));
}

#[test]
fn json_is_as_documented() {
    let output = swift().run(["enforce", "--file", "src/app.swift", "--format", "json"]);
    insta::assert_snapshot!(output, @r#"
    exit: 1
    --- stdout
    {
      "files_checked": ["src/app.swift"],
      "violations": [
        {
          "rule_id": "no-force-unwrap",
          "file_path": "src/app.swift",
          "line_number": 3,
          "message": "Avoid force unwrapping optionals. Use guard let or if let instead.",
          "severity": "error",
          "column": 13,
          "end_line": 4,
          "end_column": 1,
          "matched_text": "optional!\n",
          "state": "open",
          "fingerprint": "b85b65916fff5412:1"
        }
      ],
      "summary": { "errors": 1, "warnings": 0, "ignored": 0, "existing": 0, "baselined": 0 },
      "skipped": [],
      "warnings": [],
      "suppressed": [],
      "version": 1
    }

    --- stderr
    "#);
}

#[test]
fn json_has_documented_keys_everywhere() {
    let sandbox = swift()
        .contract(&warning(&contract("needs-header", "require_pattern", Some("header"), "**/*.swift")))
        .contract(&contract("needs-readme", "file_exists", None, "README.md"))
        .file("large.swift", "x".repeat(101));
    let json = sandbox.run(["enforce", "--all", "--format", "json", "--max-file-size", "100"]).json();
    assert_eq!(json["files_checked"], json!(["src/app.swift"]));
    assert_eq!(
        json["summary"],
        json!({ "errors": 2, "warnings": 1, "ignored": 0, "existing": 0, "baselined": 0 })
    );
    assert_eq!(json["version"], 1);
    assert_eq!(json["skipped"][0]["file_path"], "large.swift");
    let lineless = &json["violations"][1];
    assert_eq!(
        *lineless,
        json!({
            "rule_id": "needs-header", "file_path": "src/app.swift", "line_number": null,
            "message": "Do not needs-header.", "severity": "warning", "column": null,
            "end_line": null, "end_column": null, "matched_text": null,
            "state": "open", "fingerprint": lineless["fingerprint"],
        })
    );
    let located = &json["violations"][2];
    let place = ["line_number", "column", "end_line", "end_column"].map(|key| located[key].as_u64());
    assert_eq!(place, [Some(3), Some(13), Some(4), Some(1)]);
    assert_eq!(located["matched_text"], "optional!\n");
}

#[test]
fn empty_result_is_still_a_document() {
    let sandbox = swift().file("src/app.swift", "import Foundation\n");
    assert_eq!(sandbox.run(["enforce", "--all"]).stdout, "0 errors, 0 warnings\n");
    let output = sandbox.run(["enforce", "--all", "--format", "json"]);
    insta::assert_snapshot!(output.stdout, @r#"
    {
      "files_checked": ["src/app.swift"],
      "violations": [],
      "summary": { "errors": 0, "warnings": 0, "ignored": 0, "existing": 0, "baselined": 0 },
      "skipped": [],
      "warnings": [],
      "suppressed": [],
      "version": 1
    }
    "#);
}

#[test]
fn violation_without_line_shows_path() {
    let sandbox = Sandbox::new()
        .contract(&contract("needs-readme", "file_exists", None, "{README,readme}.md"))
        .contract(&warning(&contract("needs-header", "require_pattern", Some("header"), "**/*.txt")))
        .contract(&contract("no-env", "file_not_exists", None, "**/.env"))
        .file("a.txt", "")
        .file("sub/.env", "");
    insta::assert_snapshot!(sandbox.run(["enforce", "--all"]).stdout, @"
    a.txt: warning: needs-header
      Do not needs-header.
    sub/.env: error: no-env
      Do not no-env.
    {README,readme}.md: error: needs-readme
      Do not needs-readme.

    2 errors, 1 warning
    ");
}

#[test]
fn violations_are_sorted() {
    let sandbox = Sandbox::new()
        .contract(&forbid("b", "x", "**/*.txt"))
        .contract(&forbid("a", "x+", "**/*.txt"))
        .contract(&contract("z", "require_pattern", Some("q"), "**/*.txt"))
        .file("b.txt", "x\n x\nx\n")
        .file("a/c.txt", "x x\n")
        .file("a.txt", "x\n");
    let violations = sandbox.run(["enforce", "--all", "--format", "json"]).violations();
    insta::assert_snapshot!(violations.join("\n"), @"
    a.txt z
    a.txt:1:1 a
    a.txt:1:1 b
    a/c.txt z
    a/c.txt:1:1 a
    a/c.txt:1:1 b
    a/c.txt:1:3 a
    a/c.txt:1:3 b
    b.txt z
    b.txt:1:1 a
    b.txt:1:1 b
    b.txt:2:2 a
    b.txt:2:2 b
    b.txt:3:1 a
    b.txt:3:1 b
    ");
}

#[test]
fn counts_agree_with_their_words() {
    let sandbox = Sandbox::new()
        .contract(&forbid("e", r"\be\b", "**/*.txt"))
        .contract(&warning(&forbid("w", "w", "**/*.txt")))
        .file("a.txt", "");
    let summary = |text: &str| {
        std::fs::write(sandbox.path("a.txt"), text).expect("written");
        let stdout = sandbox.run(["enforce", "a.txt"]).stdout;
        stdout.lines().last().expect("a summary").to_owned()
    };
    assert_eq!(summary("e"), "1 error, 0 warnings");
    assert_eq!(summary("e e w"), "2 errors, 1 warning");
    assert_eq!(summary("w # phaser:ignore-all"), "0 errors, 0 warnings, 1 ignored");
}

#[test]
fn a_message_of_several_lines_is_indented() {
    let yaml = forbid("id", "x", "**/*.txt").replace("'Do not id.'", "\"One.\\n\\nThree.\"");
    let output = Sandbox::new().contract(&yaml).file("a.txt", "x").run(["enforce", "a.txt"]);
    assert!(output.stdout.starts_with("a.txt:1: error: id\n  One.\n  \n  Three.\n\n1 "), "{output}");
}

/// A report on a terminal, without the line about `phaser explain` that ends it.
fn without_hint(shown: &str) -> &str {
    shown.trim_end().rsplit_once('\n').expect("several lines").0
}

#[test]
pub fn terminal_shows_source_with_caret() {
    let shown = on_a_terminal(&swift(), "enforce --all", &[("NO_COLOR", "1")]);
    insta::assert_snapshot!(without_hint(&shown), @"
    src/app.swift:3:13: error: no-force-unwrap
      Avoid force unwrapping optionals. Use guard let or if let instead.
      |
    3 | let value = optional!
      |             ^^^^^^^^^

    1 error, 0 warnings
    ");
}

#[test]
pub fn caret_fits_long_lines_tabs_wide_characters() {
    let sandbox = Sandbox::new()
        .contract(&forbid("no-x", "x+", "**/*.txt"))
        .contract(&forbid("no-block", "begin\\n.*\\nend", "**/*.txt"))
        .file(
            "a.txt",
            format!("\tx\n日本 xx\nsay begin\nmiddle\nend\nx{}\n{}x\n", " y".repeat(300), "y ".repeat(300)),
        );
    let shown = on_a_terminal(&sandbox, "enforce --all", &[("NO_COLOR", "1")]);
    insta::assert_snapshot!(without_hint(&shown), @"
    a.txt:1:2: error: no-x
      Do not no-x.
      |
    1 |     x
      |     ^

    a.txt:2:4: error: no-x
      Do not no-x.
      |
    2 | 日本 xx
      |      ^^

    a.txt:3:5: error: no-block
      Do not no-block.
      |
    3 | say begin
      |     ^^^^^

    a.txt:6:1: error: no-x
      Do not no-x.
      |
    6 | x y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y...
      | ^

    a.txt:7:601: error: no-x
      Do not no-x.
      |
    7 | ...y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y y x
      |                                                                    ^

    5 errors, 0 warnings
    ");
}

#[test]
pub fn caret_never_points_elsewhere() {
    let sandbox = Sandbox::new()
        .contract(&forbid("no-x", "x", "**/*.txt"))
        .file("a.txt", format!("{}x\n", "y".repeat(5000)));
    let shown = on_a_terminal(&sandbox, "enforce --all", &[("NO_COLOR", "1")]);
    assert!(shown.starts_with("a.txt:1:5001: error: no-x\n  Do not no-x.\n\n1 "), "{shown}");
}

#[test]
fn full_format_shows_source_and_counts_fixes() {
    let sandbox = Sandbox::new()
        .contract(&(forbid("no-x", "x", "**/*.txt") + "fix: 'y'\n"))
        .contract(&contract("needs-header", "require_pattern", Some("header"), "**/*.txt"))
        .file("a.txt", "say x\n")
        .file("b.txt", "header\n");
    insta::assert_snapshot!(sandbox.run(["enforce", "--all", "--format", "full"]).stdout, @"
    a.txt: error: needs-header
      Do not needs-header.

    a.txt:1:5: error: no-x
      Do not no-x. (fixable)
      |
    1 | say x
      |     ^

    2 errors, 0 warnings
    1 of 2 can be fixed: phaser fix
    run 'phaser explain ID' for the reason and the exceptions that work
    ");
    assert_eq!(sandbox.run(["enforce", "b.txt", "--format", "full"]).stdout, "0 errors, 0 warnings\n");
}

#[test]
fn terminal_text_is_full_format() {
    let sandbox = swift();
    let full = on_a_terminal(&sandbox, "enforce --all --format full", &[]);
    assert_eq!(on_a_terminal(&sandbox, "enforce --all", &[]), full);
    assert!(coloured(&full), "{full}");
    let piped = sandbox.run(["enforce", "--all", "--format", "full"]).stdout;
    assert!(!coloured(&piped), "{piped}");
    assert_eq!(on_a_terminal(&sandbox, "enforce --all", &[("NO_COLOR", "1")]), piped);
    let asked = sandbox.run(["enforce", "--all", "--format", "full", "--color", "always"]).stdout;
    assert!(coloured(&asked), "{asked}");
    sandbox.run(["enforce", "--all", "--format", "full", "--color", "always", "--output", "report"]);
    assert_eq!(std::fs::read_to_string(sandbox.path("report")).expect("written"), piped);
}

#[test]
fn off_a_terminal_text_is_plain() {
    let output = swift().run(["enforce", "--all"]).stdout;
    assert!(!coloured(&output) && !output.contains("3 |"), "{output}");
}

#[test]
fn colour_follows_flag_variables_terminal() {
    let sandbox = swift();
    type Variables<'a> = &'a [(&'a str, &'a str)];
    // Arguments, variables, coloured on a terminal, coloured in a pipe.
    let cases: [(&str, Variables<'_>, bool, bool); 13] = [
        ("", &[], true, false),
        ("--color always", &[], true, true),
        ("--color never", &[], false, false),
        ("--color always", &[("NO_COLOR", "1")], true, true),
        ("--color never", &[("FORCE_COLOR", "1")], false, false),
        ("", &[("NO_COLOR", "1")], false, false),
        ("", &[("NO_COLOR", "")], true, false),
        ("", &[("FORCE_COLOR", "1")], true, true),
        ("", &[("FORCE_COLOR", "0")], false, false),
        ("", &[("CLICOLOR_FORCE", "1")], true, true),
        ("", &[("CLICOLOR", "0")], false, false),
        ("", &[("CLICOLOR", "1")], true, false),
        ("", &[("NO_COLOR", "1"), ("FORCE_COLOR", "1")], false, false),
    ];
    for (args, variables, on_terminal, in_pipe) in cases {
        let shown = on_a_terminal(&sandbox, &format!("enforce --all {args}"), variables);
        assert_eq!(coloured(&shown), on_terminal, "{args} {variables:?} on a terminal: {shown}");
        let mut command = sandbox.command();
        command.args(["enforce", "--all"]).args(args.split_whitespace()).envs(variables.iter().copied());
        let piped = sandbox.run_with(&mut command, b"");
        assert_eq!(coloured(&piped.stdout), in_pipe, "{args} {variables:?} in a pipe: {piped}");
    }
}

#[test]
fn colour_never_reaches_json_or_a_hook() {
    let sandbox = swift();
    let run = |args: &[&str], stdin: &str| -> Output {
        let mut command = sandbox.command();
        command.arg("enforce").args(args).args(["--color", "always"]).env("FORCE_COLOR", "1");
        sandbox.run_with(&mut command, stdin.as_bytes())
    };
    assert!(!coloured(&run(&["--all", "--format", "json"], "").stdout));
    let input = json!({ "file_path": sandbox.path("a.swift"), "content": "a!\n" });
    let event = json!({ "cwd": sandbox.root(), "tool_name": "Write", "tool_input": input }).to_string();
    let output = run(&["--stdin"], &event);
    assert!(!coloured(&output.stdout) && output.decision() == "deny", "{output}");
}

#[test]
fn quiet_keeps_report_and_failures() {
    let sandbox =
        swift().file(".claude/contracts/broken.yaml", "rule_id: [").file("large.swift", "x".repeat(101));
    let args = ["enforce", "--all", "--max-file-size", "100"];
    let loud = sandbox.run(args);
    let mut command = sandbox.command();
    let quiet = sandbox.run_with(command.args(args).arg("--quiet"), b"");
    assert_eq!((quiet.stdout, quiet.stderr), (loud.stdout, loud.stderr));
}

#[test]
fn text_and_json_have_the_same_violations() {
    let sandbox = swift().contract(&forbid("no-import", "^import", "**/*.swift")).contract(&contract(
        "needs-readme",
        "file_exists",
        None,
        "README.md",
    ));
    let text = sandbox.run(["enforce", "--all"]).stdout;
    let heads: Vec<_> = text.lines().filter(|line| line.contains(": error: ")).collect();
    let json = sandbox.run(["enforce", "--all", "--format", "json"]).json();
    let expected: Vec<_> = json["violations"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|violation| {
            let line = violation["line_number"].as_u64().map(|line| format!(":{line}")).unwrap_or_default();
            let text = |key: &str| violation[key].as_str().expect("text").to_owned();
            format!("{}{line}: {}: {}", text("file_path"), text("severity"), text("rule_id"))
        })
        .collect();
    assert_eq!(heads, expected);
    assert_eq!(heads.len(), 3);
}

#[test]
fn text_paths_are_relative_to_directory() {
    let sandbox = Sandbox::new()
        .contract(&forbid("no-x", "x", "**/*.txt"))
        .contract(&contract("needs-readme", "file_exists", None, "README.md"))
        .file("src/a.txt", "x\n")
        .file("web/app/b.txt", "x\n")
        .file("web/c.txt", "x\n")
        .file("website/d.txt", "x\n");
    let run = |args: &[&str]| {
        let mut command = sandbox.command();
        command.current_dir(sandbox.path("web")).arg("enforce").args(args);
        sandbox.run_with(&mut command, b"").stdout
    };
    insta::assert_snapshot!(run(&["--all"]), @"
    ../README.md: error: needs-readme
      Do not needs-readme.
    ../src/a.txt:1: error: no-x
      Do not no-x.
    app/b.txt:1: error: no-x
      Do not no-x.
    c.txt:1: error: no-x
      Do not no-x.
    ../website/d.txt:1: error: no-x
      Do not no-x.

    5 errors, 0 warnings
    ");
    assert_eq!(run(&["c.txt"]).lines().next(), Some("c.txt:1: error: no-x"));
    run(&["--all", "--output", "report"]);
    assert_eq!(std::fs::read_to_string(sandbox.path("web/report")).expect("written"), run(&["--all"]));
    for format in ["json", "sarif", "github", "gitlab", "junit"] {
        let report = run(&["--all", "--format", format]);
        assert!(report.contains("web/c.txt") && !report.contains("../"), "{format}: {report}");
    }
}

#[test]
fn terminal_names_explain_once() {
    let sandbox = swift().file("src/b.swift", "a!\nb!\n");
    let hint = "run 'phaser explain ID' for the reason and the exceptions that work\n";
    let shown = on_a_terminal(&sandbox, "enforce --all", &[("NO_COLOR", "1")]);
    assert!(shown.ends_with(&format!("3 errors, 0 warnings\n{hint}")), "{shown}");
    assert_eq!(shown.matches("phaser explain").count(), 1, "{shown}");
    let quiet = on_a_terminal(&sandbox, "enforce --all --quiet", &[]);
    let clean = on_a_terminal(&sandbox, "enforce .claude", &[]);
    let piped = sandbox.run(["enforce", "--all"]).stdout;
    assert!(![quiet, clean, piped].iter().any(|shown| shown.contains("phaser explain")));
}

#[test]
fn messages_are_relative_to_directory_too() {
    let sandbox = Sandbox::new()
        .contract(&forbid("no-x", "x", "**/*.txt"))
        .file(".claude/contracts/broken.yaml", "rule_id: [")
        .file("src/large.txt", "y".repeat(101))
        .file("web/a.txt", "");
    let run = |args: &[&str]| {
        let mut command = sandbox.command();
        command.current_dir(sandbox.path("web")).args(["enforce", "--max-file-size", "100"]).args(args);
        sandbox.run_with(&mut command, b"").stderr
    };
    let all = run(&["--all"]);
    assert!(all.starts_with("../.claude/contracts/broken.yaml:"), "{all}");
    assert!(all.contains(" ../src/large.txt: 101 bytes"), "{all}");
    let named = run(&["gone.txt"]);
    assert!(named.contains(" gone.txt: "), "{named}");
}

#[test]
fn file_outside_project_has_absolute_path() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "**/*.txt")).file("web/a.txt", "");
    let outside = sandbox.home().join("b.txt");
    std::fs::write(&outside, "x\n").expect("written");
    for directory in ["", "web"] {
        let mut command = sandbox.command();
        command.current_dir(sandbox.path(directory)).arg("enforce").arg(&outside);
        let output = sandbox.run_with(&mut command, b"");
        assert!(output.stdout.starts_with("[HOME]/b.txt:1: error: no-x\n"), "{output}");
    }
}
