//! `.claude/phaser.yaml`: it applies in every mode, and its mistakes are reported.

use serde_json::json;

use crate::guide::follow;
use crate::harness::{Output, Sandbox, contract, forbid};

const CONFIG: &str = ".claude/phaser.yaml";

fn sandbox(config: &str) -> Sandbox {
    Sandbox::new()
        .git_init()
        .file(CONFIG, config)
        .contract(&forbid("no-x", "x", "**/*.txt"))
        .contract(&(forbid("no-y", "y", "**/*.txt") + "tags: [style]\n"))
}

/// The violations of a file with this text, which every mode must agree on.
#[track_caller]
fn everywhere(sandbox: Sandbox, path: &str, text: &str) -> Vec<String> {
    let sandbox = sandbox.git_add(".").git_commit("before").file(path, text).git_add(path);
    let modes: [&[&str]; 4] = [&["--all"], &["--staged"], &["--diff", "HEAD"], &["--file", path]];
    let all: Vec<Vec<String>> = modes
        .iter()
        .map(|mode| {
            let output =
                sandbox.run_with(sandbox.command().args(["enforce", "--format", "json"]).args(*mode), b"");
            output.violations()
        })
        .collect();
    assert!(all.iter().all(|violations| *violations == all[0]), "{all:#?}");
    let hook = sandbox.pre_write(path, text);
    let errors = sandbox.run(["enforce", path, "--severity", "error", "--format", "json"]).violations();
    let expected = if hook.stdout == "{}\n" || all[0].is_empty() { "allow" } else { "deny" };
    assert_eq!(hook.decision(), expected, "{hook} {errors:?}");
    all[0].clone()
}

#[test]
fn packs_count_in_every_mode() {
    let sandbox = sandbox("packs: [hygiene]\n");
    let found = everywhere(sandbox, "src/a.py", "<<<<<<< HEAD\nx\n");
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn excluded_files_have_no_violations() {
    let config = "exclude: ['vendor/**', '**/*.min.txt']\n";
    assert_eq!(everywhere(sandbox(config), "vendor/a.txt", "x"), [""; 0]);
    assert_eq!(everywhere(sandbox(config), "src/a.min.txt", "x"), [""; 0]);
    assert_eq!(everywhere(sandbox(config), "src/a.txt", "x"), ["src/a.txt:1:1 no-x"]);
    let gone = contract("no-pem", "file_not_exists", None, "**/*.pem");
    assert_eq!(everywhere(sandbox(config).contract(&gone), "vendor/a.pem", "x"), [""; 0]);
    assert_eq!(everywhere(sandbox(config).contract(&gone), "src/a.pem", "x"), ["src/a.pem no-pem"]);
}

#[test]
fn overrides_change_severity_or_disable() {
    let severities = |output: &Output| -> Vec<String> {
        let json = output.json();
        let list = json["violations"].as_array().expect("a list").iter();
        list.map(|one| {
            format!(
                "{} {} {}",
                one["file_path"].as_str().unwrap_or_default(),
                one["rule_id"],
                one["severity"]
            )
        })
        .collect()
    };
    let config = "\
overrides:
  - contracts: ['no-*']
    files: ['tests/**']
    severity: warning
  - contracts: ['tag:style']
    enabled: false
  - contracts: [no-y]
    files: docs/**
    enabled: true
";
    let sandbox =
        sandbox(config).file("src/a.txt", "x y").file("tests/a.txt", "x y").file("docs/a.txt", "x y");
    let output = sandbox.run(["enforce", "--all", "--format", "json"]);
    assert_eq!(
        severities(&output),
        [
            "docs/a.txt \"no-x\" \"error\"",
            "docs/a.txt \"no-y\" \"error\"",
            "src/a.txt \"no-x\" \"error\"",
            "tests/a.txt \"no-x\" \"warning\"",
        ]
    );
    assert_eq!(sandbox.run(["enforce", "tests/a.txt"]).code, Some(0), "a warning");
    let before = sandbox.run_stdin(
        ["enforce", "--stdin", "--severity", "error"],
        json!({"hook_event_name": "PreToolUse", "tool_name": "Write", "cwd": sandbox.root(),
            "tool_input": {"file_path": sandbox.path("tests/b.txt"), "content": "x"}})
        .to_string(),
    );
    assert_eq!(before.decision(), "allow", "{before}");
    let sarif = sandbox.run(["enforce", "--all", "--format", "sarif"]).json();
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().expect("a list").len();
    assert_eq!(rules, 2, "each id is one rule: {sarif:#}");
}

#[test]
fn further_directories_count_after_the_projects_own() {
    let config = "contracts: [shared/contracts, ../beside]\n";
    let project = sandbox(config)
        .file("shared/contracts/no-x.yaml", forbid("no-x", "nothing", "**"))
        .file("shared/contracts/deep/no-z.yaml", forbid("no-z", "z", "**/*.txt"));
    let beside = project.root().join("../beside");
    std::fs::create_dir(&beside).expect("created");
    std::fs::write(beside.join("no-w.yaml"), forbid("no-w", "w", "**/*.txt")).expect("written");
    let output = project.file("a.txt", "x z w").run(["enforce", "--all", "--format", "json"]);
    assert_eq!(output.violations(), ["a.txt:1:1 no-x", "a.txt:1:3 no-z", "a.txt:1:5 no-w"], "{output}");
}

#[test]
fn only_and_skip_choose_contracts() {
    let sandbox = sandbox("").file("a.txt", "x y");
    let chosen = |args: &[&str]| {
        let mut command = sandbox.command();
        command.args(["enforce", "--all", "--format", "json"]).args(args);
        sandbox.run_with(&mut command, b"").violations()
    };
    assert_eq!(chosen(&["--only", "no-x"]), ["a.txt:1:1 no-x"]);
    assert_eq!(chosen(&["--only", "tag:style"]), ["a.txt:1:3 no-y"]);
    assert_eq!(chosen(&["--only", "no-*", "--skip", "no-x"]), ["a.txt:1:3 no-y"]);
    assert_eq!(chosen(&["--only", "no-x,no-y"]).len(), 2);
    assert_eq!(chosen(&["--skip", "no-x", "--skip", "no-y"]), [""; 0]);
    for mode in ["--all", "a.txt", "--staged"] {
        let output = sandbox.run(["enforce", mode, "--only", "no-xx"]);
        assert_eq!(output.code, Some(3), "{output}");
        let message = "phaser: --only: no contract is called 'no-xx' (did you mean 'no-x'?)\n";
        assert_eq!(output.stderr, message, "{mode}");
    }
    let hook = sandbox.run_stdin(
        ["enforce", "--stdin", "--skip", "no-xx"],
        json!({"hook_event_name": "PreToolUse", "tool_name": "Write", "cwd": sandbox.root(),
            "tool_input": {"file_path": "a.txt", "content": "x"}})
        .to_string(),
    );
    assert_eq!(hook.decision(), "deny", "a mistake does not disarm it: {hook}");
    assert!(hook.json()["systemMessage"].as_str().is_some_and(|message| message.contains("no-xx")), "{hook}");
}

#[test]
fn invalid_configuration_disarms_no_hook() {
    for (config, message) in [
        ("pack: [go]\n", ".claude/phaser.yaml:1: unknown key 'pack' (did you mean 'packs'?)"),
        ("packs: [nope]\n", ".claude/phaser.yaml:1: no pack is called 'nope'"),
        ("\ncontracts: [gone]\n", ".claude/phaser.yaml:2: 'contracts': gone is not a readable directory"),
        ("packs: [\n", ".claude/phaser.yaml:"),
        (
            "existing: maybe\n",
            ".claude/phaser.yaml:1: 'existing: maybe' is not known (use one of deny, report)",
        ),
    ] {
        let sandbox = sandbox(config).file("a.txt", "x").git_add(".");
        for args in [
            &["enforce", "--all"][..],
            &["enforce", "--staged"],
            &["enforce", "a.txt"],
            &["contracts", "list"],
            &["contracts", "check"],
            &["explain", "no-x"],
        ] {
            let output = sandbox.run_with(sandbox.command().args(args), b"");
            assert_eq!((output.code, output.stdout.as_str()), (Some(3), ""), "{args:?} {output}");
            assert!(output.stderr.contains(message), "{args:?} {output}");
        }
        let hook = sandbox.pre_write("a.txt", "x");
        assert_eq!(hook.decision(), "deny", "{hook}");
        assert!(hook.json()["systemMessage"].as_str().is_some_and(|shown| shown.contains(message)), "{hook}");
        let clean = sandbox.pre_write("a.txt", "fine");
        assert!(
            clean.json()["systemMessage"].as_str().is_some_and(|shown| shown.contains(message)),
            "{clean}"
        );
    }
}

#[test]
fn staged_run_reads_staged_configuration() {
    let sandbox = sandbox("").file("a.txt", "x").git_add(".").git_commit("first");
    let sandbox = sandbox.file("vendor/b.txt", "x").git_add("vendor").file(CONFIG, "exclude: vendor/**\n");
    assert_eq!(sandbox.run(["enforce", "--staged"]).code, Some(1), "it is not staged");
    let sandbox = sandbox.git_add(CONFIG);
    assert_eq!(sandbox.run(["enforce", "--staged"]).code, Some(0));
    let sandbox = sandbox.file(CONFIG, "");
    assert_eq!(sandbox.run(["enforce", "--staged"]).code, Some(0), "what is on disk does not count");
    assert_eq!(sandbox.run(["enforce", "--all"]).code, Some(1));
}

#[test]
fn the_schema_is_that_of_the_configuration() {
    let printed = Sandbox::new().run(["contracts", "schema", "--config"]);
    assert_eq!(printed.code, Some(0));
    let in_docs = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/phaser.schema.json"));
    assert_eq!(
        in_docs.expect("it is in docs"),
        printed.stdout,
        "write it again: cargo run -- contracts schema --config > docs/phaser.schema.json"
    );
    let schema = printed.json();
    assert_eq!(schema["$id"], "urn:phaser:schema:configuration");
    assert!(schema["title"].is_string() && schema["description"].is_string());
}

#[test]
fn documented_configuration_is_true() {
    assert_eq!(follow(include_str!("../../docs/configuration.md")), 3);
}

#[test]
fn a_configuration_alone_makes_a_project() {
    let sandbox = Sandbox::new().file(CONFIG, "packs: [hygiene]\n").file("src/a.py", "<<<<<<< HEAD\n");
    let mut command = sandbox.command();
    command.current_dir(sandbox.path("src")).args(["enforce", "--all", "--format", "json"]);
    let output = sandbox.run_with(&mut command, b"");
    assert_eq!(output.violations().len(), 1, "{output}");
}
