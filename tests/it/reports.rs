//! Reports for code hosts, where they are written, and how they are merged.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::harness::{Output, Sandbox, contract, forbid, warning};

/// One violation of each kind, odd names, an ignored violation and a broken contract.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new()
        .git_init()
        .contract(&format!("{}rationale: 'Because.'\n", forbid("no-x", "x", "**/*.txt")))
        .contract(&forbid("no-block", r"begin\nend\n", "**/*.txt"))
        .contract(&warning(&contract("needs-y", "require_pattern", Some("y"), "src/*.txt")))
        .contract(&contract("no-env", "file_not_exists", None, "**/.env"))
        .contract(&contract("needs-readme", "file_exists", None, "README*"))
        .file(".claude/contracts/broken.yaml", "rule_id: broken\n")
        .file("src/a b#1.txt", "é x: 100%, y\n")
        .file("src/block.txt", "begin\nend\nrest\n")
        .file("src/fine.txt", "y\n")
        .file("src/café.txt", "x y // phaser:ignore-all\n")
        .file("conf/.env", "A=1\n");
    fs::write(sandbox.root().join(std::ffi::OsStr::from_bytes(b"caf\xE9.txt")), "x\n").expect("written");
    sandbox
}

fn report(sandbox: &Sandbox, format: &str) -> Output {
    sandbox.run(["enforce", "--all", "--format", format])
}

#[test]
fn sarif() {
    let sandbox = Sandbox::new()
        .contract(&format!("{}rationale: 'Because.'\n", forbid("no-x", "x", "**/*.txt")))
        .contract(&contract("needs-readme", "file_exists", None, "README*"))
        .file(".claude/contracts/broken.yaml", "rule_id: broken\n")
        .file("src/a b#1.txt", "é x: 100%, y\n");
    let version = format!("\"semanticVersion\": \"{}\"", env!("CARGO_PKG_VERSION"));
    let output = report(&sandbox, "sarif").stdout.replace(&version, "\"semanticVersion\": \"[VERSION]\"");
    insta::assert_snapshot!(output, @r#"
    {
      "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
      "runs": [
        {
          "columnKind": "unicodeCodePoints",
          "invocations": [
            {
              "executionSuccessful": true,
              "toolConfigurationNotifications": [
                {
                  "level": "warning",
                  "message": {
                    "text": ".claude/contracts/broken.yaml:1: 'file_glob' is missing (add 'file_glob: …')."
                  }
                },
                {
                  "level": "warning",
                  "message": {
                    "text": ".claude/contracts/broken.yaml:1: 'message' is missing (add 'message: …')."
                  }
                },
                {
                  "level": "warning",
                  "message": {
                    "text": ".claude/contracts/broken.yaml:1: 'severity' is missing (add 'severity: …')."
                  }
                },
                {
                  "level": "warning",
                  "message": {
                    "text": ".claude/contracts/broken.yaml:1: 'type' is missing (add 'type: …')."
                  }
                }
              ]
            }
          ],
          "results": [
            {
              "level": "error",
              "locations": [
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": ".claude/contracts/needs-readme.yaml",
                      "uriBaseId": "%SRCROOT%"
                    },
                    "region": {
                      "startLine": 3
                    }
                  }
                }
              ],
              "message": {
                "text": "Do not needs-readme."
              },
              "partialFingerprints": {
                "primaryLocationLineHash": "a15648f06e55b880:1"
              },
              "ruleId": "needs-readme",
              "ruleIndex": 0
            },
            {
              "level": "error",
              "locations": [
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "src/a%20b%231.txt",
                      "uriBaseId": "%SRCROOT%"
                    },
                    "region": {
                      "endColumn": 4,
                      "endLine": 1,
                      "snippet": {
                        "text": "x"
                      },
                      "startColumn": 3,
                      "startLine": 1
                    }
                  }
                }
              ],
              "message": {
                "text": "Do not no-x."
              },
              "partialFingerprints": {
                "primaryLocationLineHash": "5fa9920d7f01d2b1:1"
              },
              "ruleId": "no-x",
              "ruleIndex": 1
            }
          ],
          "tool": {
            "driver": {
              "name": "phaser",
              "rules": [
                {
                  "defaultConfiguration": {
                    "level": "error"
                  },
                  "fullDescription": {
                    "text": "Do not needs-readme."
                  },
                  "help": {
                    "markdown": "`needs-readme`: Do not needs-readme.",
                    "text": "Do not needs-readme."
                  },
                  "id": "needs-readme",
                  "properties": {
                    "tags": [
                      "file_exists"
                    ],
                    "precision": "high",
                    "problem.severity": "error"
                  },
                  "shortDescription": {
                    "text": "Do not needs-readme."
                  }
                },
                {
                  "defaultConfiguration": {
                    "level": "error"
                  },
                  "fullDescription": {
                    "text": "Because."
                  },
                  "help": {
                    "markdown": "`no-x`: Do not no-x.\n\nWhy: Because.\n\nTo ignore one match, put a comment with `phaser:ignore no-x` on its line.",
                    "text": "Do not no-x.\n\nBecause.\n\nTo ignore one match, put a comment with 'phaser:ignore no-x' on its line."
                  },
                  "id": "no-x",
                  "properties": {
                    "tags": [
                      "forbid_pattern"
                    ],
                    "precision": "high",
                    "problem.severity": "error"
                  },
                  "shortDescription": {
                    "text": "Do not no-x."
                  }
                }
              ],
              "semanticVersion": "[VERSION]"
            }
          }
        }
      ],
      "version": "2.1.0"
    }
    "#);
}

#[test]
fn sarif_shows_examples_of_packs() {
    let sandbox = Sandbox::new().file("a.py", "");
    let log = |pack: &str| sandbox.run(["enforce", "--all", "--pack", pack, "--format", "sarif"]).json();
    let with = |log: &Value, text: &str| {
        let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("a list").clone();
        let help = rules.iter().map(|rule| rule["help"]["markdown"].as_str().expect("Markdown"));
        (help.filter(|help| help.contains(text)).count(), rules.len())
    };
    let (violating, all) = with(&log("python"), "\n\nViolates:\n\n");
    assert_eq!((violating, all > 5), (all, true), "every contract of the pack has examples");
    let secrets = log("secrets");
    assert_eq!(with(&secrets, "\n\nViolates:\n\n").0, 0, "an example of a secret is one");
    assert!(with(&secrets, "\n\nPasses:\n\n").0 > 20);
}

#[test]
fn github() {
    insta::assert_snapshot!(report(&sandbox(), "github").stdout, @r##"
    ::error file=.claude/contracts/needs-readme.yaml,line=3,title=needs-readme::Do not needs-readme.
    ::error file=caf�.txt,line=1,endLine=1,col=1,endColumn=2,title=no-x::Do not no-x.
    ::error file=conf/.env,line=1,title=no-env::Do not no-env.
    ::error file=src/a b#1.txt,line=1,endLine=1,col=3,endColumn=4,title=no-x::Do not no-x.
    ::error file=src/block.txt,line=1,endLine=2,title=no-block::Do not no-block.
    ::warning file=src/block.txt,line=1,title=needs-y::Do not needs-y.
    run 'phaser explain ID' for the reason and the exceptions that work
    5 errors, 1 warning, 1 ignored
    "##);
}

#[test]
fn gitlab() {
    insta::assert_snapshot!(report(&sandbox(), "gitlab").stdout, @r#"
    [
      {
        "description": "Do not needs-readme.",
        "check_name": "needs-readme",
        "fingerprint": "f6bfbf7cd796db2f:a15648f06e55b880:1",
        "severity": "major",
        "location": {
          "path": ".claude/contracts/needs-readme.yaml",
          "lines": {
            "begin": 3,
            "end": 3
          }
        }
      },
      {
        "description": "Do not no-x.",
        "check_name": "no-x",
        "fingerprint": "7de3bf043f05390e:fb707a7f976eb76b:1",
        "severity": "major",
        "location": {
          "path": "caf�.txt",
          "lines": {
            "begin": 1,
            "end": 1
          }
        }
      },
      {
        "description": "Do not no-env.",
        "check_name": "no-env",
        "fingerprint": "1a211234bf084081:21cef22576383ccd:1",
        "severity": "major",
        "location": {
          "path": "conf/.env",
          "lines": {
            "begin": 1,
            "end": 1
          }
        }
      },
      {
        "description": "Do not no-x.",
        "check_name": "no-x",
        "fingerprint": "4876b7e1fae47e2c:5fa9920d7f01d2b1:1",
        "severity": "major",
        "location": {
          "path": "src/a b#1.txt",
          "lines": {
            "begin": 1,
            "end": 1
          }
        }
      },
      {
        "description": "Do not needs-y.",
        "check_name": "needs-y",
        "fingerprint": "366760b66490cf67:e25db007ec97bd96:1",
        "severity": "minor",
        "location": {
          "path": "src/block.txt",
          "lines": {
            "begin": 1,
            "end": 1
          }
        }
      },
      {
        "description": "Do not no-block.",
        "check_name": "no-block",
        "fingerprint": "366760b66490cf67:a800039512c78c50:1",
        "severity": "major",
        "location": {
          "path": "src/block.txt",
          "lines": {
            "begin": 1,
            "end": 2
          }
        }
      }
    ]
    "#);
}

#[test]
fn junit() {
    insta::assert_snapshot!(report(&sandbox(), "junit").stdout, @r##"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="phaser" tests="8" failures="6" errors="0">
        <testsuite name=".claude/contracts/needs-readme.yaml" tests="1" skipped="0" errors="0" failures="1">
            <testcase name="needs-readme:3" classname=".claude/contracts/needs-readme.yaml">
                <failure message="Do not needs-readme." type="error">.claude/contracts/needs-readme.yaml:3: needs-readme: Do not needs-readme.</failure>
            </testcase>
        </testsuite>
        <testsuite name="caf�.txt" tests="1" skipped="0" errors="0" failures="1">
            <testcase name="no-x:1" classname="caf�.txt">
                <failure message="Do not no-x." type="error">caf�.txt:1: no-x: Do not no-x.</failure>
            </testcase>
        </testsuite>
        <testsuite name="conf/.env" tests="1" skipped="0" errors="0" failures="1">
            <testcase name="no-env:1" classname="conf/.env">
                <failure message="Do not no-env." type="error">conf/.env:1: no-env: Do not no-env.</failure>
            </testcase>
        </testsuite>
        <testsuite name="src/a b#1.txt" tests="1" skipped="0" errors="0" failures="1">
            <testcase name="no-x:1" classname="src/a b#1.txt">
                <failure message="Do not no-x." type="error">src/a b#1.txt:1: no-x: Do not no-x.</failure>
            </testcase>
        </testsuite>
        <testsuite name="src/block.txt" tests="2" skipped="0" errors="0" failures="2">
            <testcase name="needs-y:1" classname="src/block.txt">
                <failure message="Do not needs-y." type="warning">src/block.txt:1: needs-y: Do not needs-y.</failure>
            </testcase>
            <testcase name="no-block:1" classname="src/block.txt">
                <failure message="Do not no-block." type="error">src/block.txt:1: no-block: Do not no-block.</failure>
            </testcase>
        </testsuite>
        <testsuite name="src/café.txt" tests="1" skipped="0" errors="0" failures="0">
            <testcase name="contracts" classname="src/café.txt"/>
        </testsuite>
        <testsuite name="src/fine.txt" tests="1" skipped="0" errors="0" failures="0">
            <testcase name="contracts" classname="src/fine.txt"/>
        </testsuite>
    </testsuites>
    "##);
}

#[test]
fn a_clean_project_gets_reports_too() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "*.txt")).file("a.txt", "fine\n");
    let report = |format| {
        let output = report(&sandbox, format);
        assert_eq!(output.code, Some(0), "{output}");
        output
    };
    let sarif = report("sarif").json();
    assert_eq!(sarif["runs"][0]["results"], serde_json::json!([]));
    assert_eq!(sarif["runs"][0]["tool"]["driver"]["rules"][0]["id"], "no-x");
    assert_eq!(report("gitlab").json(), serde_json::json!([]));
    assert_eq!(report("github").stdout.lines().count(), 1);
    assert!(report("junit").stdout.contains("failures=\"0\""));
}

#[test]
fn paths_start_at_repository_root() {
    let sandbox = Sandbox::new().git_init().file("part/a.txt", "x\n");
    let sandbox = sandbox.file("part/.claude/contracts/no-x.yaml", forbid("no-x", "x", "*.txt"));
    let run = |format: &str| {
        let mut command = sandbox.command();
        command.current_dir(sandbox.path("part")).args(["enforce", "--all", "--format", format]);
        sandbox.run_with(&mut command, b"")
    };
    let uri = &run("sarif").json()["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(uri["artifactLocation"]["uri"], "part/a.txt");
    assert!(run("github").stdout.starts_with("::error file=part/a.txt,"));
    assert_eq!(run("gitlab").json()[0]["location"]["path"], "part/a.txt");
    assert!(run("junit").stdout.contains("name=\"part/a.txt\""));
    assert_eq!(run("json").json()["violations"][0]["file_path"], "part/a.txt");
}

/// The fingerprints of a SARIF report, by line.
fn fingerprints(sandbox: &Sandbox) -> Vec<(u64, String)> {
    let json = report(sandbox, "sarif").json();
    let results = json["runs"][0]["results"].as_array().expect("a list");
    let one = |result: &Value| {
        let line =
            result["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64().expect("a line");
        let name = result["partialFingerprints"]["primaryLocationLineHash"].as_str().expect("a name");
        (line, name.to_owned())
    };
    results.iter().map(one).collect()
}

#[test]
fn a_fingerprint_survives_when_lines_move() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "*.txt")).file("a.txt", "x\nx\n  x here\n");
    let before = fingerprints(&sandbox);
    let sandbox = sandbox.file("a.txt", "new\nx\nnew\nx\nx here\n");
    let after = fingerprints(&sandbox);
    assert_eq!(before.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(after.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 4, 5]);
    let names = |found: &[(u64, String)]| found.iter().map(|(_, name)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&before), names(&after));
    assert_ne!(before[0].1, before[1].1);
}

#[test]
fn github_limits_annotations_and_adds_table() {
    let sandbox = Sandbox::new()
        .contract(&format!("{}rationale: r\n", forbid("no-x", "x", "*.txt")))
        .contract(&warning(&forbid("no-y", "y", "*.txt")))
        .file("a|b.txt", "y\nx\n".repeat(12));
    let summary = sandbox.home().join("summary.md");
    fs::write(&summary, "before\n").expect("written");
    let mut command = sandbox.command();
    command.env("GITHUB_STEP_SUMMARY", &summary).args(["enforce", "--all", "--format", "github"]);
    let output = sandbox.run_with(&mut command, b"");
    let commands = |name: &str| output.stdout.lines().filter(|line| line.starts_with(name)).count();
    assert_eq!((commands("::error "), commands("::warning ")), (10, 10), "{output}");
    assert!(output.stdout.lines().take(10).all(|line| line.starts_with("::error ")), "{output}");
    assert!(output.stdout.contains("4 more: GitHub shows 10"), "{output}");
    let table = fs::read_to_string(&summary).expect("readable");
    assert!(table.starts_with("before\n### phaser: 12 errors, 12 warnings\n"), "{table}");
    assert_eq!(table.lines().filter(|line| line.starts_with("| error |")).count(), 12);
    assert!(table.contains("a&#124;b&#46;txt&#58;2"), "{table}");
}

#[test]
fn a_message_cannot_leave_its_annotation() {
    let yaml =
        forbid("no-x", "x", "*.txt").replace("'Do not no-x.'", "\"50% a\\r\\n::set-output name=a::b\"");
    let sandbox = Sandbox::new().contract(&yaml).file("a,b:c.txt", "x\n");
    let output = report(&sandbox, "github");
    let expected = "::error file=a%2Cb%3Ac.txt,line=1,endLine=1,col=1,endColumn=2,title=no-x\
                    ::50%25 a%0D%0A::set-output name=a::b";
    let commands: Vec<_> = output.stdout.lines().filter(|line| line.starts_with("::")).collect();
    assert_eq!(commands, [expected]);
}

#[test]
fn text_is_no_command_to_github_either() {
    let yaml = forbid("no-x", "x", "*.txt").replace("'Do not no-x.'", "\"::add-mask::a\\n##[debug]b\"");
    let sandbox = Sandbox::new().contract(&yaml).file("::warning::.txt", "x\n");
    let output = report(&sandbox, "text");
    for line in output.stdout.lines() {
        assert!(!line.trim_start().starts_with("::") && !line.contains("##["), "{output}");
    }
}

#[test]
fn report_goes_to_file_text_to_terminal() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "*.txt")).file("a.txt", "x\n");
    let output = sandbox.run(["enforce", "--all", "--format", "sarif", "--output", "out.sarif"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout.starts_with("a.txt:1: error: no-x\n"), "{output}");
    let written = fs::read_to_string(sandbox.path("out.sarif")).expect("written");
    assert_eq!(written, report(&sandbox, "sarif").stdout);
    let mode = fs::metadata(sandbox.path("out.sarif")).expect("there").permissions().mode();
    assert_eq!(mode & 0o600, 0o600);
    assert_eq!(fs::read_dir(sandbox.root()).expect("readable").count(), 3, "nothing else is left");
}

#[test]
fn replaces_file_atomically_and_keeps_mode() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "*.txt")).file("real", "old");
    fs::set_permissions(sandbox.path("real"), fs::Permissions::from_mode(0o640)).expect("set");
    std::os::unix::fs::symlink("real", sandbox.path("link")).expect("linked");
    let reader = fs::File::open(sandbox.path("real")).expect("readable");
    sandbox.run(["enforce", "--all", "--format", "gitlab", "--output", "link"]);
    assert_eq!(std::io::read_to_string(reader).expect("readable"), "old");
    assert_eq!(fs::read_to_string(sandbox.path("real")).expect("readable"), "[]\n");
    assert_eq!(fs::metadata(sandbox.path("real")).expect("there").permissions().mode() & 0o777, 0o640);
    assert!(sandbox.path("link").is_symlink());
}

#[test]
fn a_device_is_written_and_not_replaced() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "*.txt"));
    let output = sandbox.run(["enforce", "--all", "--format", "gitlab", "--output", "/dev/null"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(!fs::metadata("/dev/null").expect("there").is_file());
}

#[test]
fn unwritable_report_is_an_error() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "*.txt"));
    let output = sandbox.run(["enforce", "--all", "--format", "sarif", "--output", "no/where.sarif"]);
    assert_eq!(output.code, Some(3), "{output}");
    assert!(output.stderr.contains("no/where.sarif: "), "{output}");
}

#[test]
fn shard_logs_merge_to_whole_log() {
    let sandbox = sandbox();
    let whole = report(&sandbox, "sarif").json();
    for shard in ["1/3", "2/3", "3/3"] {
        let file = sandbox.home().join(format!("{}.sarif", &shard[..1]));
        let mut command = sandbox.command();
        command.args(["enforce", "--all", "--format", "sarif", "--shard", shard, "--output"]).arg(file);
        sandbox.run_with(&mut command, b"");
    }
    let merge = |names: [&str; 3]| {
        let mut command = sandbox.command();
        command.args(["report", "merge"]).args(names.map(|name| sandbox.home().join(name)));
        sandbox.run_with(&mut command, b"")
    };
    let merged = merge(["1.sarif", "2.sarif", "3.sarif"]);
    assert_eq!(merged.code, Some(0), "{merged}");
    assert_eq!(merged.stdout, merge(["3.sarif", "1.sarif", "2.sarif"]).stdout);
    let sorted = |log: &Value| {
        let list = |at: &Value| {
            let mut list: Vec<_> = at.as_array().into_iter().flatten().map(without_index).collect();
            list.sort();
            list
        };
        let run = &log["runs"][0];
        let message = &run["invocations"][0]["toolConfigurationNotifications"];
        [list(&run["results"]), list(&run["tool"]["driver"]["rules"]), list(message)]
    };
    assert_eq!(sorted(&merged.json()), sorted(&whole));
    for result in merged.json()["runs"][0]["results"].as_array().expect("a list") {
        let index = usize::try_from(result["ruleIndex"].as_u64().expect("an index")).expect("small");
        assert_eq!(merged.json()["runs"][0]["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    }
}

fn without_index(value: &Value) -> String {
    let mut value = value.clone();
    if let Some(object) = value.as_object_mut() {
        object.remove("ruleIndex");
    }
    value.to_string()
}

#[test]
fn only_logs_of_phaser_are_merged() {
    let foreign = r#"{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"other"}},"results":[]}]}"#;
    let sandbox = Sandbox::new()
        .file("a.sarif", "[")
        .file("b.sarif", foreign)
        .file("d.sarif", r#"{"version":"2.1.0"}"#);
    for (file, why) in [
        ("a.sarif", "not a SARIF log: EOF"),
        ("b.sarif", "written by other"),
        ("c.sarif", "No such file"),
        ("d.sarif", "not a SARIF log: it has no runs"),
    ] {
        let output = sandbox.run(["report", "merge", file]);
        assert_eq!(output.code, Some(3), "{output}");
        assert!(output.stderr.contains(file) && output.stderr.contains(why), "{output}");
        assert_eq!(output.stderr.matches("at line 1").count(), usize::from(file == "a.sarif"), "{output}");
    }
}

#[test]
fn unwritable_output_is_named_as_given() {
    let sandbox = Sandbox::new().file("a.txt", "");
    for (name, why) in [("nowhere/x.json", "No such file"), ("a.txt/x.json", "not a directory")] {
        let output = sandbox.run(["enforce", "--all", "--output", name]);
        let start = format!("phaser: cannot write [ROOT]/{name}: {why}");
        let message = output.stderr.lines().last().unwrap_or_default();
        assert!(output.code == Some(3) && message.starts_with(&start), "{output}");
        assert!(!message.contains(".phaser."), "the name of a temporary file: {output}");
    }
}
