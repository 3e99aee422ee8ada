//! `phaser init`, `explain`, `completions` and `man`: the first minutes with phaser.

use std::fs;

use insta::assert_snapshot;
use serde_json::Value;

use crate::harness::{Output, Sandbox, forbid};

fn names(sandbox: &Sandbox, directory: &str) -> Vec<String> {
    let entries = fs::read_dir(sandbox.path(directory)).expect("is there");
    let mut names: Vec<_> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

#[test]
fn init_writes_contracts_that_fit_the_languages() {
    let sandbox = Sandbox::new().git_init().file("src/app.py", "x = 1\n").file("web/index.ts", "");
    assert_snapshot!(sandbox.run(["init"]), @"
    exit: 0
    --- stdout
    Found python, javascript.
    New in .claude/contracts:
      aws-access-key-id            error
      github-token                 error
      debugger-javascript          error
      debugger-python              error
      do-not-commit                error
      focused-test                 error
      merge-marker                 error
      private-key                  error
      python-bare-except           warning
      python-mutable-default       warning
      python-raise-notimplemented  error
      javascript-async-foreach     warning
      javascript-nan-comparison    error
      typescript-ts-ignore         warning
    'phaser explain ID' tells what one is about.

    To check every edit of Claude Code: phaser enforce install
    To check a commit before it is made: phaser enforce --staged

    Next: phaser enforce --all

    --- stderr
    ");
    let output = sandbox.run(["contracts", "test", "--quiet"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(sandbox.run(["enforce", "--all", "--strict"]).code, Some(0));
}

#[test]
fn init_never_writes_over_a_file_and_can_run_again() {
    let sandbox = Sandbox::new()
        .file(".claude/contracts/github-token.yaml", "# mine, and broken\n")
        .file(".claude/contracts/own-name.yaml", forbid("merge-marker", "x", "**"));
    let first = sandbox.run(["init"]);
    assert_eq!(first.code, Some(0), "{first}");
    assert!(first.stderr.contains("github-token.yaml is there already"), "{first}");
    let path = sandbox.path(".claude/contracts/github-token.yaml");
    assert_eq!(fs::read_to_string(path).expect("is there"), "# mine, and broken\n");
    let after_first = names(&sandbox, ".claude/contracts");
    assert!(!after_first.contains(&"merge-marker.yaml".to_owned()), "{after_first:?}");
    let second = sandbox.run(["init"]);
    assert!(second.stdout.contains("Nothing to add"), "{second}");
    assert_eq!(names(&sandbox, ".claude/contracts"), after_first);
}

#[test]
fn init_takes_whole_packs() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run(["init", "--pack", "go"]).code, Some(0));
    let written = names(&sandbox, ".claude/contracts");
    assert!(written.len() > 5 && written.iter().all(|name| name.starts_with("go-")), "{written:?}");
}

#[test]
fn init_installs_only_what_it_is_told_to() {
    let sandbox = Sandbox::new().git_init();
    sandbox.run(["init"]);
    assert!(!sandbox.path(".claude/settings.json").exists());
    assert!(!sandbox.path(".pre-commit-config.yaml").exists());
    sandbox.run(["init", "--hook"]);
    assert!(sandbox.path(".claude/settings.json").exists());
    assert!(!sandbox.path(".pre-commit-config.yaml").exists());
    let sandbox =
        Sandbox::new().git_init().file(".pre-commit-config.yaml", "repos:\n- repo: x\n  hooks: []\n");
    assert_snapshot!(sandbox.run(["init", "--yes"]).stdout, @"
    Found no language that has a pack of its own.
    New in .claude/contracts:
      aws-access-key-id            error
      github-token                 error
      do-not-commit                error
      merge-marker                 error
      private-key                  error
    'phaser explain ID' tells what one is about.

    phaser's hooks are in .claude/settings.json:
      PreToolUse   Edit|Write  phaser enforce --stdin --severity error
      PostToolUse  Edit|Write  phaser enforce --stdin --severity warning

    An edit that violates nothing is answered with 'allow': Claude Code then makes it without asking you for permission.
    To keep its permission prompts, run 'phaser enforce install --force --on-clean defer'.

    Next: start a new Claude Code session, which reads its hooks when it starts, and run 'phaser doctor' to see that
    everything is in place.

    phaser is in .pre-commit-config.yaml; 'pre-commit install' switches it on.

    Next: phaser enforce --all
    ");
    assert_snapshot!(fs::read_to_string(sandbox.path(".pre-commit-config.yaml")).expect("is there"), @"
    repos:
    - repo: x
      hooks: []
    - repo: local
      hooks:
        - id: phaser
          name: phaser
          entry: phaser enforce --staged --strict
          args: [--]
          language: system
          pass_filenames: true
          always_run: true
          require_serial: true
          stages: [pre-commit, pre-merge-commit, manual]
          minimum_pre_commit_version: 3.2.0
    ");
    let again = sandbox.run(["init", "--pre-commit"]);
    assert!(again.stdout.contains("phaser is in .pre-commit-config.yaml already"), "{again}");
}

/// The one hook of a configuration of pre-commit.
fn only_hook(configuration: &str) -> Value {
    let configuration: Value = serde_saphyr::from_str(configuration).expect("is YAML");
    let hooks = configuration["repos"][0]["hooks"].as_array().expect("a list").clone();
    assert_eq!(hooks.len(), 1);
    hooks.into_iter().next().expect("one hook")
}

/// Runs a hook as pre-commit does: the entry, its arguments, and the names of the files if it takes them.
fn run_as_pre_commit(sandbox: &Sandbox, hook: &Value, names: &[&str]) -> Output {
    let entry = hook["entry"].as_str().expect("a command");
    let arguments = entry.split(' ').skip(1).map(str::to_owned);
    let more = hook["args"].as_array().expect("arguments").clone();
    let more = more.into_iter().map(|argument| argument.as_str().expect("text").to_owned());
    let names = if hook["pass_filenames"] == Value::Bool(false) { &[] } else { names };
    let mut command = sandbox.command();
    command.args(arguments).args(more).args(names);
    sandbox.run_with(&mut command, b"")
}

#[test]
fn the_pre_commit_entry_also_checks_files_that_are_named_and_not_staged() {
    let sandbox = Sandbox::new().git_init().file("a.py", "def f():\n    raise NotImplemented\n");
    assert_eq!(sandbox.run(["init", "--pre-commit"]).code, Some(0));
    sandbox.git(&["add", "--all"]);
    let sandbox = sandbox.git_commit("first").file("b.py", "x = 1\n").git_add("b.py");
    let configuration = fs::read_to_string(sandbox.path(".pre-commit-config.yaml")).expect("is there");
    let hook = only_hook(&configuration);
    // 'pre-commit run --all-files', and --from-ref with --to-ref: nothing of a.py is staged.
    let all = run_as_pre_commit(&sandbox, &hook, &[".pre-commit-config.yaml", "a.py", "b.py"]);
    assert_eq!(all.code, Some(1), "{all}");
    assert!(all.stdout.contains("a.py:2: error: python-raise-notimplemented"), "{all}");
    // 'git commit': only what is staged.
    assert_eq!(run_as_pre_commit(&sandbox, &hook, &["b.py"]).code, Some(0));
    // A commit that only deletes names no file.
    assert_eq!(run_as_pre_commit(&sandbox, &hook, &[]).code, Some(0));
}

#[test]
fn the_pre_commit_entry_is_the_hook_that_phaser_offers() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let offered = fs::read_to_string(root.join(".pre-commit-hooks.yaml")).expect("is there");
    let offered: Vec<Value> = serde_saphyr::from_str(&offered).expect("is YAML");
    let mut offered = offered.into_iter().find(|hook| hook["id"] == "phaser-system").expect("is offered");
    offered["id"] = "phaser".into();
    offered.as_object_mut().expect("a map").remove("description");
    let sandbox = Sandbox::new().git_init();
    sandbox.run(["init", "--pre-commit"]);
    let written = fs::read_to_string(sandbox.path(".pre-commit-config.yaml")).expect("is there");
    assert_eq!(only_hook(&written), offered);
}

#[test]
fn a_configuration_that_is_not_simple_is_left_to_its_owner() {
    let sandbox = Sandbox::new().git_init().file(".pre-commit-config.yaml", "repos: []\n");
    let output = sandbox.run(["init", "--pre-commit"]);
    assert!(output.stdout.contains("add this to its 'repos':\n- repo: local\n"), "{output}");
    assert_eq!(fs::read_to_string(sandbox.path(".pre-commit-config.yaml")).expect("is there"), "repos: []\n");
}

#[test]
fn explain_tells_whoever_violated_a_contract_what_to_do() {
    let sandbox = Sandbox::new().contract(&forbid("no-print", r"print\(", "**/*.py"));
    assert_snapshot!(sandbox.run(["explain", "no-print"]), @"
    exit: 0
    --- stdout
    no-print (error)

    what to do:
      Do not no-print.

    to ignore one place, in a comment on its line:
      phaser:ignore no-print -- why it is fine here
    or on the line before it:
      phaser:ignore-next-line no-print -- why it is fine here
    or for a whole file, at its top:
      phaser:ignore-file no-print -- why it is fine here
    to switch it off:
      phaser contracts disable no-print

    --- stderr
    ");
    assert_snapshot!(sandbox.run(["explain", "do-not-commit"]), @r#"
    exit: 0
    --- stdout
    do-not-commit (error)

    what to do:
      This text says it must not be committed. Remove it, or remove the mark.

    what counts:
      what starts in comments

    why:
      The author left the mark so that nobody would commit it by accident. Documents are let through: they speak of commits.

    violates it:
      - # NOCOMMIT: local test only
      - (a.go) x = 1  // DO NOT COMMIT
      - (a.c) /* DO-NOT-COMMIT */
      - (a.py) # NO-COMMIT!

    is fine:
      - NOCOMMITTEE
      - please do not commit generated files
      - #if 0 // DO NOT COMMIT CHANGES TO THIS LINE.
      - (a.py) MARK = "NO-COMMIT:"
      - (CONTRIBUTING.md) DO NOT COMMIT.

    to ignore one place, in a comment on its line:
      phaser:ignore do-not-commit -- why it is fine here
    or on the line before it:
      phaser:ignore-next-line do-not-commit -- why it is fine here
    or for a whole file, at its top:
      phaser:ignore-file do-not-commit -- why it is fine here
    to change it or switch it off, make it the project's own:
      phaser contracts show do-not-commit --yaml > .claude/contracts/do-not-commit.yaml

    --- stderr
    "#);
    assert_eq!(sandbox.run(["explain", "do-not-comit"]).code, Some(3));
    let json = sandbox.run(["explain", "no-print", "--format", "json"]).json();
    assert_eq!(json["contract"]["rule_id"], "no-print");
}

#[test]
fn completions_are_there_for_every_shell() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = sandbox.run(["completions", shell]);
        assert_eq!(output.code, Some(0), "{output}");
        assert!(output.stdout.contains("contracts") && output.stdout.contains("pack"), "{shell}");
    }
    assert_eq!(sandbox.run(["completions", "tcsh"]).code, Some(3));
}

#[test]
fn a_manual_page_is_there_for_every_command() {
    let sandbox = Sandbox::new();
    assert!(sandbox.run(["man"]).stdout.contains(".TH phaser 1"), "{}", sandbox.run(["man"]));
    let page = sandbox.run(["man", "contracts", "test"]);
    assert!(page.stdout.contains("phaser\\-contracts\\-test"), "{page}");
    assert_eq!(sandbox.run(["man", "nothing"]).code, Some(3));
}
