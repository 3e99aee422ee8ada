//! Text written to act on the reader of a report: in messages, paths, sources, globs and contract files,
//! for every format there is. It is shown, and it does nothing.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use serde_json::{Value, json};

use crate::harness::{Output, Sandbox, contract, forbid};

/// What each text tries, and the text.
const EVIL: [(&str, &str); 18] = [
    ("terminal colours", "\u{1b}[31mred"),
    ("a terminal title", "\u{1b}]0;title\u{7}"),
    ("a terminal hyperlink", "\u{1b}]8;;https://example.com\u{1b}\\here"),
    ("the one-byte form of an escape", "\u{9b}31mred"),
    ("going back over the line", "evil\u{8}\u{8}\u{8}\u{8}good"),
    ("starting the line over", "evil\rgood"),
    ("deleted characters", "a\u{7f}b"),
    ("reversed text", "\u{202e}drawkcab"),
    ("isolated text", "\u{2066}inside\u{2069}\u{200f}"),
    ("separators of lines and paragraphs", "one\u{2028}two\u{2029}three"),
    ("a workflow command", "::error file=a.txt,line=1::fake"),
    ("a workflow command on its own line", "one\n::error::fake\n##[error]fake"),
    ("a command to Azure", "##vso[task.setvariable variable=PATH]/evil"),
    ("commands within a line", "x ##vso[task.complete]y ##[endgroup]"),
    ("a workflow command, encoded", "one%0A::error::fake"),
    ("the end of character data", "a]]><failure/><!--"),
    ("markup", "</testcase><script>alert(1)</script>&lt;\"'"),
    ("another violation", "one\n\nb.txt:1: error: fake\n  Fake.\n\n0 errors, 0 warnings"),
];

const FORMATS: [&str; 6] = ["text", "json", "sarif", "github", "gitlab", "junit"];

/// Is this something that a terminal or a reader acts on rather than shows?
fn active(c: char) -> bool {
    let bidirectional =
        ['\u{61c}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}'];
    let isolates = ['\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}', '\u{2028}', '\u{2029}'];
    (c.is_control() && c != '\n') || bidirectional.contains(&c) || isolates.contains(&c)
}

/// Would the log of a CI do something other than show this line?
fn is_command(line: &str) -> bool {
    line.trim_start().starts_with("::") || line.contains("##[") || line.contains("##vso[")
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("is JSON")
}

/// A contract whose message is this text; YAML in double quotes reads what JSON writes.
fn saying(id: &str, message: &str, pattern: &str) -> String {
    let message = quoted(message).replace('\u{7f}', "\\u007f").replace('\u{9b}', "\\u009b");
    forbid(id, pattern, "**/*.txt").replace(&format!("'Do not {id}.'"), &message)
}

#[track_caller]
fn inert(what: &str, format: &str, output: &Output) {
    for (stream, text) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        let found = text.chars().find(|c| active(*c));
        assert!(found.is_none(), "{what} as {format}: {found:?} on {stream}:\n{text:?}");
        let commands = text.lines().filter(|line| is_command(line)).filter(|line| {
            !(format == "github"
                && ["::error file=", "::warning file="].iter().any(|own| line.starts_with(own)))
        });
        assert_eq!(commands.collect::<Vec<_>>(), [""; 0], "{what} as {format} on {stream}");
    }
}

/// Nobody can add a violation to a report, or a command to a log.
#[track_caller]
fn shaped(what: &str, format: &str, stdout: &str, violations: usize) {
    let lines_with = |start: &str| stdout.lines().filter(|line| line.starts_with(start)).count();
    match format {
        "text" => {
            let heads = stdout.lines().filter(|line| !line.starts_with("  ") && !line.is_empty()).count();
            assert_eq!(heads, violations + 1, "{what}: each violation and the summary\n{stdout}");
        }
        "github" => {
            assert_eq!(lines_with("::"), violations, "{what}\n{stdout}");
            assert_eq!(lines_with("::error file="), violations, "{what}\n{stdout}");
            assert_eq!(lines_with("##"), 0, "{what}\n{stdout}");
            assert_eq!(stdout.lines().count(), violations + 2, "{what}\n{stdout}");
        }
        "junit" => {
            let report = quick_junit::Report::deserialize_from_str(stdout);
            let report = report.unwrap_or_else(|error| panic!("{what}: {error}\n{stdout}"));
            assert_eq!(report.failures, violations, "{what}\n{stdout}");
            assert!(!stdout.contains("<script>") && !stdout.contains("]]>"), "{what}\n{stdout}");
        }
        _ => {
            let json: Value =
                serde_json::from_str(stdout).unwrap_or_else(|error| panic!("{what}: {error}\n{stdout}"));
            let list = match format {
                "json" => &json["violations"],
                "sarif" => &json["runs"][0]["results"],
                _ => &json,
            };
            assert_eq!(list.as_array().map(Vec::len), Some(violations), "{what} as {format}\n{stdout}");
        }
    }
}

#[test]
fn messages() {
    for (what, evil) in EVIL {
        let sandbox = Sandbox::new().contract(&saying("id", evil, "x")).file("a.txt", "x\n");
        for format in FORMATS {
            let output = sandbox.run(["enforce", "a.txt", "--format", format]);
            assert_eq!(output.code, Some(1), "{what} as {format}: {output}");
            inert(what, format, &output);
            shaped(what, format, &output.stdout, 1);
        }
        let json = sandbox.run(["enforce", "a.txt", "--format", "json"]).json();
        assert_eq!(json["violations"][0]["message"], evil, "{what}: to a program it is what it was");
    }
}

#[test]
fn paths() {
    for (what, evil) in EVIL {
        let name = format!("{}.txt", evil.replace('/', "_"));
        let sandbox = Sandbox::new().contract(&forbid("id", "x", "**/*.txt"));
        fs::write(sandbox.root().join(OsStr::from_bytes(name.as_bytes())), "x\n").expect("written");
        for format in FORMATS {
            let output = sandbox.run(["enforce", "--all", "--format", format]);
            assert_eq!(output.code, Some(1), "{what} as {format}: {output}");
            inert(what, format, &output);
            shaped(what, format, &output.stdout, 1);
        }
        let json = sandbox.run(["enforce", "--all", "--format", "json"]).json();
        assert_eq!(json["violations"][0]["file_path"], name.as_str(), "{what}");
    }
}

#[test]
fn paths_that_cannot_be_checked() {
    for (what, evil) in EVIL {
        let name = format!("{}.txt", evil.replace('/', "_"));
        let sandbox = Sandbox::new().contract(&forbid("id", "x", "**/*.txt"));
        for format in ["text", "json", "sarif", "junit"] {
            let mut command = sandbox.command();
            let output = sandbox.run_with(command.args(["enforce", "--format", format, "--", &name]), b"");
            assert_eq!(output.code, Some(3), "{what} as {format}: {output}");
            inert(what, format, &output);
            assert_eq!(output.stderr.lines().count(), 1, "{what}: {output}");
        }
    }
}

#[test]
fn sources() {
    for (what, evil) in EVIL {
        let first = evil.lines().next().expect("a line");
        let text = format!("{}{evil}x{evil}\n", "padding ".repeat(20));
        let sandbox = Sandbox::new().contract(&forbid("id", "(?s).*x.*", "**/*.txt")).file("a.txt", &text);
        for format in FORMATS {
            let output = sandbox.run(["enforce", "a.txt", "--format", format]);
            assert_eq!(output.code, Some(1), "{what} as {format}: {output}");
            inert(what, format, &output);
            shaped(what, format, &output.stdout, 1);
        }
        let shown = sandbox.run(["enforce", "a.txt", "--color", "always"]).stdout;
        let without_colours = without_colours(&shown);
        assert!(!without_colours.chars().any(active), "{what}: {shown:?}");
        assert!(
            !shown.lines().any(is_command) && !without_colours.lines().any(is_command),
            "{what}: {shown:?}"
        );
        let plain: String = first.chars().take_while(|c| c.is_ascii_alphanumeric()).collect();
        assert!(without_colours.contains(&plain), "{what}: {shown}");
    }
}

/// The text without the escapes that phaser itself writes: `ESC [ numbers m`.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (numbers, rest) = part.split_once('m').expect("a colour");
        assert!(numbers.chars().all(|c| c.is_ascii_digit() || c == ';'), "{numbers:?}");
        plain.push_str(rest);
    }
    plain
}

#[test]
fn globs() {
    for (what, evil) in EVIL {
        let glob = evil.replace(['[', ']', '\\', '{', '}', '*', '?', '!'], "_");
        let spelled = quoted(&glob).replace('\u{7f}', "\\u007f").replace('\u{9b}', "\\u009b");
        let yaml = contract("id", "file_exists", None, "GLOB").replace("'GLOB'", &spelled);
        let sandbox = Sandbox::new().contract(&yaml);
        for format in FORMATS {
            let output = sandbox.run(["enforce", "--all", "--format", format]);
            assert_eq!(output.code, Some(1), "{what} as {format}: {output}");
            inert(what, format, &output);
            shaped(what, format, &output.stdout, 1);
        }
    }
}

#[test]
fn contract_files() {
    for (what, evil) in EVIL {
        let name = format!(".claude/contracts/{}.yaml", evil.replace('/', "_").trim_start_matches('.'));
        let value = quoted(evil).replace('\u{7f}', "\\u007f").replace('\u{9b}', "\\u009b");
        for yaml in [
            format!(
                "rule_id: {value}\ntype: {value}\nseverity: {value}\nfile_glob: {value}\nmessage: m\npattern: {value}\n"
            ),
            format!("rule_id: a\n{value}: b\n{value}: c\n"),
            format!("rule_id: a\n{}\n", evil.replace('\n', " ")),
        ] {
            let sandbox = Sandbox::new()
                .file(&name, yaml)
                .contract(&forbid("good", "x", "**/*.txt"))
                .file("a.txt", "x");
            for format in ["text", "json", "sarif"] {
                let output = sandbox.run(["enforce", "a.txt", "--format", format]);
                assert_eq!(output.code, Some(1), "{what} as {format}: {output}");
                assert!(output.stderr.contains(".claude/contracts/"), "{what}: {output}");
                inert(what, format, &output);
                shaped(what, format, &output.stdout, 1);
            }
        }
    }
}

#[test]
fn answers_to_a_hook() {
    for (what, evil) in EVIL {
        let sandbox = Sandbox::new().contract(&saying("id", evil, "x"));
        let output = sandbox.pre_write("a.txt", "x\nx\n");
        inert(what, "hook", &output);
        let reason = output.reason();
        output.assert_denied(&["id at line 1", "id at line 2"]);
        assert_eq!(reason.lines().count(), 2, "{what}: {reason:?}");
        assert!(!reason.chars().any(active), "{what}: the client shows the reason as it is: {reason:?}");

        let climbing = json!({ "file_path": format!("../{evil}"), "content": "" });
        let output = sandbox.hook("PreToolUse").tool("Write", climbing).run();
        inert(what, "hook", &output);
        let reason = output.reason();
        assert!(!reason.chars().any(|c| active(c) || c == '\n'), "{what}: {reason:?}");

        let missing =
            json!({ "file_path": format!("/nowhere/{evil}.txt"), "old_string": "a", "new_string": "b" });
        let output = sandbox.hook("PreToolUse").tool("Edit", missing).run();
        inert(what, "hook", &output);
        assert_eq!((output.stdout.as_str(), output.stderr.lines().count()), ("{}\n", 1), "{what}: {output}");

        let output = sandbox.hook("PreToolUse").tool(evil, json!({})).run();
        inert(what, "hook", &output);
        assert_eq!(output.stderr.lines().count(), 1, "{what}: {output}");
    }
}

#[test]
fn the_summary_of_a_job() {
    for (what, evil) in EVIL {
        let name = format!("{}.txt", evil.replace('/', "_"));
        let sandbox = Sandbox::new().contract(&saying("id", evil, "x"));
        fs::write(sandbox.root().join(&name), "x\n").expect("written");
        let summary = sandbox.home().join("summary.md");
        let mut command = sandbox.command();
        command.args(["enforce", "--all", "--format", "github"]).env("GITHUB_STEP_SUMMARY", &summary);
        let output = sandbox.run_with(&mut command, b"");
        inert(what, "github", &output);
        let markdown = fs::read_to_string(&summary).expect("written");
        assert!(!markdown.chars().any(active), "{what}: {markdown:?}");
        let rows: Vec<_> = markdown.lines().filter(|line| line.starts_with("| error")).collect();
        assert_eq!(rows.len(), 1, "{what}: {markdown}");
        assert_eq!(rows[0].matches(" | ").count(), 3, "{what}: {markdown}");
        assert!(!rows[0].contains('<') && !rows[0].contains("]("), "{what}: {markdown}");
    }
}

#[test]
fn commands_about_contracts() {
    for (what, evil) in EVIL {
        let evil_text = quoted(evil).replace('\u{7f}', "\\u007f").replace('\u{9b}', "\\u009b");
        let yaml = saying("id", evil, "x");
        let yaml = format!(
            "{yaml}rationale: {evil_text}\nexamples:\n  violating: [{evil_text}]\n  passing: [{evil_text}]\n"
        );
        let sandbox = Sandbox::new().contract(&yaml).file("a.txt", "x");
        let commands = [
            &["contracts", "list"][..],
            &["contracts", "show", "id"],
            &["contracts", "check", "-v"],
            &["contracts", "lint"],
            &["contracts", "test"],
            &["explain", "id"],
            &["explain", evil],
            &["contracts", "show", evil],
        ];
        for command in commands {
            let output = sandbox.run_with(sandbox.command().args(command), b"");
            assert!(matches!(output.code, Some(0 | 1 | 3)), "{what} for {command:?}: {output}");
            inert(what, &format!("{command:?}"), &output);
            let json = sandbox.run_with(sandbox.command().args(command).args(["--format", "json"]), b"");
            inert(what, &format!("{command:?} as JSON"), &json);
        }
    }
}

#[test]
fn settings_of_the_client() {
    for (what, evil) in EVIL {
        let text = serde_json::to_string(&json!({
            evil: evil,
            "hooks": { "PreToolUse": [{ "matcher": evil, "hooks": [
                { "type": "command", "command": "phaser enforce --stdin --severity warning" },
                { "type": "command", "command": evil },
            ] }] },
        }));
        let text = format!("{}\r\n \r", text.expect("is JSON"));
        let sandbox = Sandbox::new().file(".claude/settings.json", &text);
        for command in [
            &["doctor"][..],
            &["enforce", "install"],
            &["enforce", "install", "--dry-run", "--force"],
            &["enforce", "uninstall", "--dry-run"],
        ] {
            let output = sandbox.run_with(sandbox.command().args(command), b"");
            assert!(matches!(output.code, Some(0 | 1 | 3)), "{what} for {command:?}: {output}");
            inert(what, &format!("{command:?}"), &output);
            if command.contains(&"--dry-run") {
                assert_eq!(output.json()[evil], evil, "{what}: to a program it is what it was");
            }
        }
        let kept = fs::read_to_string(sandbox.path(".claude/settings.json")).expect("is there");
        assert_eq!(kept, text, "{what}");
    }
}
