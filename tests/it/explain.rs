//! `phaser explain`: every exception it shows works, and none that works is missing.

use insta::assert_snapshot;
use serde_json::Value;

use crate::harness::{Sandbox, contract, forbid};
use crate::output::on_a_terminal;

#[test]
fn explains_contract() {
    let sandbox = Sandbox::new().contract(&forbid("no-print", r"print\(", "**/*.py"));
    assert_snapshot!(sandbox.run(["explain", "no-print"]), @r"
    exit: 0
    --- stdout
    no-print (error)

    what to do:
      Do not no-print.

    what it demands:
      No file of the glob may match the pattern; each match is a violation.
      pattern: print\(
      files: **/*.py

    where it is judged:
      edits of agents, --staged, --diff, --all, PATH

    to ignore one match, in a comment on its line:
      phaser:ignore no-print -- why it is fine here
    or on the line before it:
      phaser:ignore-next-line no-print -- why it is fine here
    to ignore it in a whole file, in a comment in the first ten lines:
      phaser:ignore-file no-print -- why it is fine here
    to record it in the baseline:
      phaser baseline --add --only no-print PATH
    to disable it, in .claude/phaser.yaml:
      overrides:
        - contracts: [no-print]
          files: ['DIR/**'] # all files without this line
          enabled: false
    to disable it everywhere:
      phaser contracts disable no-print

    --- stderr
    ");
    let of_pack = sandbox.run(["explain", "do-not-commit"]).stdout;
    for part in [
        "\nwhat counts:\n  matches that start in comments\n",
        "\nwhy:\n  The author added the mark ",
        "\nviolates it:\n  - (a.sh) # NOCOMMIT: local test only\n",
        "\nis fine:\n  - NOCOMMITTEE\n",
        "\n  phaser contracts show do-not-commit --yaml > .claude/contracts/do-not-commit.yaml\n",
    ] {
        assert!(of_pack.contains(part), "{part} {of_pack}");
    }
    assert_eq!(sandbox.run(["explain", "do-not-comit"]).code, Some(3));
    let json = sandbox.run(["explain", "no-print", "--format", "json"]).json();
    assert_eq!(json["contract"]["rule_id"], "no-print");
}

fn exceptions(sandbox: &Sandbox, id: &str) -> Vec<(String, String)> {
    let json = sandbox.run(["explain", id, "--format", "json"]).json();
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let exceptions = json["exceptions"].as_array().expect("a list").iter();
    exceptions.map(|one| (text(&one["kind"]), text(&one["text"]))).collect()
}

fn kinds(sandbox: &Sandbox, id: &str) -> String {
    exceptions(sandbox, id).into_iter().map(|(kind, _)| kind).collect::<Vec<_>>().join(" ")
}

#[test]
fn shown_exceptions_work() {
    let forbidden = forbid("a", "bad", "src/*.{py,json}");
    let required = contract("a", "require_pattern", Some("good"), "src/*.py");
    let absent = contract("a", "file_not_exists", None, "src/*.py");
    let present = contract("a", "file_exists", None, "README.md");
    let small = contract("a", "file_size", None, "src/*.py") + "max_bytes: 5\n";
    let strict = format!("{forbidden}ignorable: false\n");
    let (all, file) =
        ("ignore ignore-next-line ignore-file baseline override", "ignore-file baseline override");
    for (yaml, path, expected) in [
        (&forbidden, "src/x.py", all),
        (&required, "src/x.py", file),
        (&absent, "src/x.py", file),
        (&small, "src/x.py", file),
        (&present, "src/x.py", "baseline override"),
        (&strict, "src/x.py", "override"),
        (&forbid("a", "bad", "**/package.json"), "src/package.json", "baseline override"),
        (&forbid("a", "bad", "**/*.yaml"), "src/x.yaml", all),
    ] {
        let sandbox = || {
            let other = forbid("other", "unheard-of", "**");
            Sandbox::new().contract(yaml).contract(&other).file(path, "first\nbad\n")
        };
        assert_eq!(sandbox().run(["enforce", "--all"]).code, Some(1), "{yaml}");
        assert_eq!(kinds(&sandbox(), "a"), expected, "{yaml}");
        for (kind, text) in exceptions(&sandbox(), "a") {
            let sandbox = match kind.as_str() {
                "ignore" => sandbox().file(path, format!("first\nbad # {text}\n")),
                "ignore-next-line" => sandbox().file(path, format!("first\n# {text}\nbad\n")),
                "ignore-file" => sandbox().file(path, format!("# {text}\nbad\n")),
                "override" => sandbox().file(".claude/phaser.yaml", text.replace("DIR", "src")),
                _ => {
                    let sandbox = sandbox();
                    let command = text.replace("PATH", path);
                    let mut phaser = sandbox.command();
                    let output = sandbox.run_with(phaser.args(command.split(' ').skip(1)), b"");
                    assert_eq!(output.code, Some(0), "{text}: {output}");
                    sandbox
                }
            };
            let output = sandbox.run(["enforce", "--all"]);
            assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{yaml}{kind} {text}: {output}");
        }
    }
}

#[test]
fn glob_with_commented_files_has_directives() {
    let directives = |glob: &str| {
        let sandbox = Sandbox::new().contract(&forbid("a", "bad", glob)).file("a.json", "{}\n");
        kinds(&sandbox, "a").contains("ignore")
    };
    assert!(directives("**") && directives("**/*.{json,py}") && directives("{a.json,b.toml}"));
    assert!(!directives("**/*.json") && !directives("{a,b}.json"));
}

#[test]
fn names_modes_that_judge() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "**/*.py")).contract(&contract(
        "readme",
        "file_exists",
        None,
        "README.md",
    ));
    let judged = |id: &str| sandbox.run(["explain", id, "--format", "json"]).json()["judged_in"].to_string();
    assert_eq!(judged("no-x"), r#"["edits of agents","--staged","--diff","--all","PATH"]"#);
    assert_eq!(judged("readme"), r#"["--staged","--all"]"#);
}

#[test]
fn terminal_breaks_lines_between_words() {
    let yaml = forbid("a", "x", "**").replace("Do not a.", "extraordinarily long words, all kept whole");
    let sandbox = Sandbox::new().contract(&yaml);
    let shown = on_a_terminal(&sandbox, "explain a", &[("NO_COLOR", "1"), ("COLUMNS", "24")]);
    assert!(shown.contains("  extraordinarily long\n  words, all kept whole\n"), "{shown}");
}
