//! `phaser contracts backtest`: a contract tried on what there is and on the past.

use crate::harness::{Sandbox, contract, forbid, warning};
use crate::history::{MONDAY, project};

const DAY: i64 = 86_400;

fn sandbox() -> Sandbox {
    project(&[
        (MONDAY, &[("a.py", Some("eval(1)\n")), ("b.py", Some("x = 1\n"))]),
        (MONDAY + DAY, &[("a.py", Some("eval(1)\neval(2)\n"))]),
        (MONDAY + 2 * DAY, &[("b.py", Some("y = 2\n"))]),
        (MONDAY + 3 * DAY, &[("a.py", None), ("moved.py", Some("eval(1)\neval(2)\n"))]),
        (MONDAY + 4 * DAY, &[("b.py", Some("eval(3)  # phaser:ignore no-eval\n"))]),
    ])
}

fn no_eval() -> String {
    forbid("no-eval", r"\beval\(", "**/*.py")
}

#[test]
fn tries_file_before_it_is_contract() {
    let sandbox = sandbox().file("try.yaml", no_eval());
    let output = sandbox.run(["contracts", "backtest", "try.yaml"]);
    insta::assert_snapshot!(output, @r#"
    exit: 0
    --- stdout
    no-eval (error): Do not no-eval.

    today: 2 violations in 1 file
      moved.py:1:1: eval(1)
      moved.py:2:1: eval(2)

    of 5 commits from 2026-01-05 to 2026-01-09, 2 would have been refused, 3 let through

    2026-01-06  5f601dbef5  change 2
      a.py:2:1: eval(2)

    2026-01-05  c9b74b52fc  change 1
      a.py:1:1: eval(1)

    --- stderr
    "#);
    let json = sandbox.run(["contracts", "backtest", "./try.yaml", "--commits", "4", "--format", "json"]);
    insta::assert_snapshot!(json, @r#"
    exit: 0
    --- stdout
    {
      "version": 1,
      "rule_id": "no-eval",
      "severity": "error",
      "today": {
        "violations": [
          {
            "file_path": "moved.py",
            "line_number": 1,
            "column": 1,
            "matched_text": "eval(",
            "line": "eval(1)"
          },
          {
            "file_path": "moved.py",
            "line_number": 2,
            "column": 1,
            "matched_text": "eval(",
            "line": "eval(2)"
          }
        ]
      },
      "commits": {
        "looked_at": 4,
        "refused": 1,
        "let_through": 3
      },
      "refused": [
        {
          "id": "5f601dbef545bdb160ee9a8c84d594259710cc65",
          "time": 1767657600,
          "subject": "change 2",
          "violations": [
            {
              "file_path": "a.py",
              "line_number": 2,
              "column": 1,
              "matched_text": "eval(",
              "line": "eval(2)"
            }
          ]
        }
      ],
      "skipped": [],
      "notes": []
    }

    --- stderr
    "#);
}

#[test]
fn standard_input_is_tried_too() {
    let output = sandbox().run_stdin(["contracts", "backtest", "-"], warning(&no_eval()));
    assert_eq!(output.code, Some(0), "{output}");
    assert!(
        output.stdout.contains(
            "of 5 commits from 2026-01-05 to 2026-01-09, 2 would have been warned about, 3 let through"
        ),
        "{output}"
    );
    let broken = sandbox().run_stdin(["contracts", "backtest", "-"], "rule_id: [");
    assert_eq!(broken.code, Some(3), "{broken}");
    assert!(broken.stderr.contains("standard input: not a contract that can be tried"), "{broken}");
    let pattern = sandbox().run_stdin(["contracts", "backtest", "-"], forbid("a", "(", "**"));
    assert_eq!(pattern.code, Some(3), "{pattern}");
}

#[test]
fn tries_disabled_contract_by_id() {
    let sandbox = sandbox().contract(&format!("{}enabled: false\n", no_eval()));
    let output = sandbox.run(["contracts", "backtest", "no-eval", "--format", "json"]);
    assert_eq!(output.json()["commits"]["refused"], 2, "{output}");
    let pack = sandbox.run(["contracts", "backtest", "python-os-system", "--format", "json"]);
    assert_eq!((pack.code, &pack.json()["commits"]["let_through"]), (Some(0), &5.into()), "{pack}");
    let config = "overrides:\n  - contracts: [no-eval]\n    files: ['a.py']\n    enabled: false\n";
    let sandbox = sandbox.file(".claude/phaser.yaml", config);
    let output = sandbox.run(["contracts", "backtest", "no-eval", "--format", "json"]);
    // The contract did not apply to the moved file before.
    assert_eq!(output.json()["commits"]["refused"], 1, "{output}");
}

#[test]
fn reports_contract_that_cannot_be_tried() {
    let sandbox = sandbox().contract(&contract("readme", "file_exists", None, "README.md"));
    for (name, message) in [
        ("no-prnt", "did you mean 'no-print'?"),
        ("gone.yaml", "gone.yaml: No such file"),
        (".claude", ".claude: not a regular file"),
        ("a/b", "a/b: No such file"),
    ] {
        let output = sandbox.run(["contracts", "backtest", name]);
        assert_eq!(output.code, Some(3), "{output}");
        assert!(output.stderr.contains(message), "{output}");
    }
    let whole = sandbox.run(["contracts", "backtest", "readme"]);
    assert_eq!(whole.code, Some(0), "{whole}");
    assert!(whole.stderr.contains("concerns the whole project, so it refuses no commit"), "{whole}");
    assert!(whole.stdout.contains("today: 1 violation"), "{whole}");
    let command = sandbox.contract(
        "rule_id: no-verify\ntype: forbid_command\ncommand: git commit\nargs: -n\nmessage: m\nseverity: error\n",
    );
    let command = command.run(["contracts", "backtest", "no-verify"]);
    assert!(command.stderr.contains("is judged before a command runs, so it refuses no commit"), "{command}");
    let nowhere = Sandbox::new().contract(&no_eval()).run(["contracts", "backtest", "no-eval"]);
    assert_eq!(nowhere.code, Some(3), "{nowhere}");
}

#[test]
fn secrets_stay_secret() {
    let secret = format!("{}tags: [secret]\n", forbid("no-key", "key_[a-z]+", "**"));
    let sandbox = project(&[(MONDAY, &[("a.py", Some("key_abcdefghij\n"))])]).file("s.yaml", secret);
    for format in ["text", "json"] {
        let output = sandbox.run(["contracts", "backtest", "s.yaml", "--format", format]);
        assert!(output.stdout.contains("key_") && !output.stdout.contains("abcdefghij"), "{output}");
    }
}
