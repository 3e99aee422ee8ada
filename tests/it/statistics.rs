//! `--statistics`: how many violations there are, by contract, directory and file.

use std::fmt::Write as _;

use insta::assert_snapshot;

use crate::harness::{Sandbox, contract, forbid, warning};

/// A few violations of each kind.
fn sandbox() -> Sandbox {
    Sandbox::new()
        .contract(&forbid("no-x", "x", "**/*.txt"))
        .contract(&warning(&forbid("no-y", "y", "**/*.txt")))
        .contract(&contract("needs-readme", "file_exists", None, "README*"))
        .file("top.txt", "y\n")
        .file("src/a.txt", "x\nx\ny\n")
        .file("src/b.txt", "x // phaser:ignore-all\n")
        .file("src/deep/c.txt", "y\n")
}

/// A project with `count` violations, two in each file.
fn with_violations(count: usize) -> Sandbox {
    let mut sandbox = Sandbox::new().contract(&forbid("no-x", "x", "**/*.txt"));
    for number in 0..count / 2 {
        sandbox = sandbox.file(&format!("d{}/{number:03}.txt", number % 12), "x\nx\n");
    }
    if count % 2 == 1 { sandbox.file("odd.txt", "x\n") } else { sandbox }
}

#[test]
fn the_text_report_ends_with_counts() {
    assert_snapshot!(sandbox().run(["enforce", "--all", "--statistics"]), @r#"
    exit: 1
    --- stdout
    README*: error: needs-readme
      Do not needs-readme.
    src/a.txt:1: error: no-x
      Do not no-x.
    src/a.txt:2: error: no-x
      Do not no-x.
    src/a.txt:3: warning: no-y
      Do not no-y.
    src/deep/c.txt:1: warning: no-y
      Do not no-y.
    top.txt:1: warning: no-y
      Do not no-y.

        open  suppressed  severity  contract
           3           0  warning   no-y
           2           1  error     no-x
           1           0  error     needs-readme

        open  suppressed  directory
           3           1  src/
           1           0  ./
           1           0  src/deep/

        open  suppressed  file
           3           0  src/a.txt
           1           0  src/deep/c.txt
           1           0  top.txt
           0           1  src/b.txt

    3 errors, 3 warnings, 1 ignored

    --- stderr
    "#);
}

#[test]
fn clean_project_has_nothing_to_count() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "**/*.txt")).file("a.txt", "fine\n");
    assert_eq!(sandbox.run(["enforce", "--all", "--statistics"]).stdout.lines().count(), 1);
}

#[test]
fn counts_appear_above_fifty_violations() {
    let fifty = with_violations(50).run(["enforce", "--all"]);
    assert!(
        fifty.stdout.ends_with("\n\n50 errors, 0 warnings\n") && !fifty.stdout.contains("open"),
        "{fifty}"
    );
    let sandbox = with_violations(51);
    let more = sandbox.run(["enforce", "--all"]);
    let (_, counts) = more.stdout.split_once("\n\n").expect("an empty line");
    assert_snapshot!(counts, @r#"
        open  suppressed  severity  contract
          51           0  error     no-x

        open  suppressed  directory
           6           0  d0/
           4           0  d1/
           4           0  d10/
           4           0  d11/
           4           0  d2/
           4           0  d3/
           4           0  d4/
           4           0  d5/
           4           0  d6/
           4           0  d7/
                          and 3 more

        open  suppressed  file
           2           0  d0/000.txt
           2           0  d0/012.txt
           2           0  d0/024.txt
           2           0  d1/001.txt
           2           0  d1/013.txt
           2           0  d10/010.txt
           2           0  d10/022.txt
           2           0  d11/011.txt
           2           0  d11/023.txt
           2           0  d2/002.txt
                          and 16 more

    51 errors, 0 warnings
    "#);
    let quiet = sandbox.run(["enforce", "--all", "--quiet"]);
    assert!(!quiet.stdout.contains("open"), "{quiet}");
    let asked = sandbox.run(["enforce", "--all", "--quiet", "--statistics"]);
    assert!(asked.stdout.contains("open"), "{asked}");
}

#[test]
fn suppressed_violations_add_no_counts() {
    let mut text = String::new();
    for _ in 0..60 {
        writeln!(text, "x // phaser:ignore no-x").expect("written");
    }
    let sandbox = Sandbox::new().contract(&forbid("no-x", "^x", "**/*.py.txt")).file("a.py.txt", text);
    let output = sandbox.run(["enforce", "--all"]);
    assert!(!output.stdout.contains("suppressed"), "{output}");
}

#[test]
fn paths_start_at_the_current_directory() {
    let sandbox = sandbox();
    let mut command = sandbox.command();
    command.current_dir(sandbox.path("src")).args(["enforce", "--all", "--statistics"]);
    let output = sandbox.run_with(&mut command, b"");
    for row in ["  ./\n", "  ../\n", "  deep/\n", "  a.txt\n", "  ../top.txt\n"] {
        assert!(output.stdout.contains(row), "{row}: {output}");
    }
}

#[test]
fn json_has_counts_on_request_only() {
    let sandbox = sandbox();
    let without = sandbox.run(["enforce", "--all", "--format", "json"]).json();
    assert_eq!(without.get("statistics"), None);
    let with = sandbox.run(["enforce", "--all", "--format", "json", "--statistics"]).json();
    assert_snapshot!(format!("{:#}", with["statistics"]), @r#"
    {
      "contracts": [
        {
          "rule_id": "no-y",
          "severity": "warning",
          "open": 3,
          "suppressed": 0
        },
        {
          "rule_id": "no-x",
          "severity": "error",
          "open": 2,
          "suppressed": 1
        },
        {
          "rule_id": "needs-readme",
          "severity": "error",
          "open": 1,
          "suppressed": 0
        }
      ],
      "directories": [
        {
          "path": "src/",
          "open": 3,
          "suppressed": 1
        },
        {
          "path": "",
          "open": 1,
          "suppressed": 0
        },
        {
          "path": "src/deep/",
          "open": 1,
          "suppressed": 0
        }
      ],
      "files": [
        {
          "path": "src/a.txt",
          "open": 3,
          "suppressed": 0
        },
        {
          "path": "src/deep/c.txt",
          "open": 1,
          "suppressed": 0
        },
        {
          "path": "top.txt",
          "open": 1,
          "suppressed": 0
        },
        {
          "path": "src/b.txt",
          "open": 0,
          "suppressed": 1
        }
      ]
    }
    "#);
    assert_eq!(with["version"], without["version"]);
}

#[test]
fn other_formats_stay_as_they_are() {
    let sandbox = sandbox();
    for format in ["sarif", "github", "gitlab", "junit"] {
        let without = sandbox.run(["enforce", "--all", "--format", format]).stdout;
        let with = sandbox.run(["enforce", "--all", "--format", format, "--statistics"]).stdout;
        assert_eq!(with, without, "{format}");
    }
}

#[test]
fn a_hook_is_answered_as_without() {
    let sandbox = sandbox();
    let input = serde_json::json!({ "file_path": sandbox.path("n.txt"), "content": "x\n" });
    let with = sandbox.hook("PreToolUse").tool("Write", input.clone()).args(["--statistics"]).run();
    let without = sandbox.hook("PreToolUse").tool("Write", input).run();
    assert_eq!(with.stdout, without.stdout);
}
