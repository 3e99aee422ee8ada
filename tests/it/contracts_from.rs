//! `--contracts-from REV`: contracts, configuration and baseline as a commit has them, so that a change cannot switch off
//! what judges it.

use std::fs;
use std::os::unix::fs::symlink;

use crate::harness::{Output, Sandbox, forbid};

/// A project whose `main` forbids `x`, on a branch that may do what it likes.
fn project() -> Sandbox {
    let sandbox = Sandbox::new()
        .git_init()
        .contract(&forbid("no-x", "x", "**/*.txt"))
        .file(".claude/phaser.yaml", "exclude: [vendor/**]\n")
        .file("part/.claude/contracts/no-y.yaml", forbid("no-y", "y", "**/*.txt"))
        .file("old.txt", "fine\n");
    commit(&sandbox);
    sandbox.git(&["checkout", "-q", "-b", "change"]);
    sandbox
}

fn commit(sandbox: &Sandbox) {
    sandbox.git(&["add", "--all"]);
    sandbox.git(&["commit", "-q", "--allow-empty", "-m", "a change"]);
}

fn found(output: &Output) -> Vec<&str> {
    output.stdout.lines().filter(|line| line.contains(": error: ")).collect()
}

/// The violations that every mode finds.
fn judged(sandbox: &Sandbox) -> Vec<String> {
    commit(sandbox);
    let all = sandbox.run(["enforce", "--strict", "--contracts-from", "main", "--all"]);
    let diff = sandbox.run(["enforce", "--strict", "--contracts-from", "main", "--diff", "main..HEAD"]);
    assert_eq!(found(&all), found(&diff), "{all}{diff}");
    assert_eq!(all.code, Some(i32::from(!found(&all).is_empty())), "{all}");
    found(&all).into_iter().map(str::to_owned).collect()
}

/// What a change does, and how.
type Way = (&'static str, fn(&Sandbox));

#[test]
fn change_cannot_disable_its_judge() {
    let in_both = ["new.txt:1: error: no-x", "part/new.txt:1: error: no-y"];
    let ways: [Way; 8] = [
        ("nothing", |_| {}),
        ("the contracts are gone", |sandbox| {
            sandbox.git(&["rm", "-q", "-r", ".claude", "part/.claude"]);
        }),
        ("one is switched off", |sandbox| {
            let path = sandbox.path(".claude/contracts/no-x.yaml");
            let text = fs::read_to_string(&path).expect("readable") + "enabled: false\n";
            fs::write(path, text).expect("written");
        }),
        ("the configuration leaves everything out", |sandbox| {
            fs::write(sandbox.path(".claude/phaser.yaml"), "exclude: ['**']\n").expect("written");
        }),
        ("the configuration switches off", |sandbox| {
            let text = "overrides:\n  - contracts: ['*']\n    enabled: false\n";
            fs::write(sandbox.path(".claude/phaser.yaml"), text).expect("written");
        }),
        ("a directory further in has the same contract", |sandbox| {
            fs::create_dir_all(sandbox.path("part/.claude/contracts")).expect("created");
            let text = forbid("no-y", "never", "**/*.txt");
            fs::write(sandbox.path("part/.claude/contracts/no-y.yaml"), text).expect("written");
        }),
        ("there is a baseline", |sandbox| {
            let output = sandbox.run(["baseline"]);
            assert_eq!(output.code, Some(0), "{output}");
        }),
        ("the directory of contracts is a link to everything", |sandbox| {
            fs::remove_dir_all(sandbox.path(".claude/contracts")).expect("removed");
            symlink("../part", sandbox.path(".claude/contracts")).expect("linked");
        }),
    ];
    for (what, change) in ways {
        let sandbox =
            project().file("new.txt", "x\n").file("part/new.txt", "y\n").file("vendor/a.txt", "x\n");
        change(&sandbox);
        assert_eq!(judged(&sandbox), in_both, "{what}");
    }
}

#[test]
fn added_contracts_do_not_count_yet() {
    let sandbox = project().contract(&forbid("no-z", "z", "**/*.txt")).file("new.txt", "z\n");
    assert_eq!(judged(&sandbox), [""; 0]);
}

#[test]
fn extra_directories_and_baseline_come_from_commit() {
    let sandbox = Sandbox::new()
        .git_init()
        .file(".claude/phaser.yaml", "contracts: [shared/rules]\n")
        .file("shared/rules/no-x.yaml", forbid("no-x", "x", "**/*.txt"))
        .file("old.txt", "x\n");
    assert_eq!(sandbox.run(["baseline"]).code, Some(0));
    commit(&sandbox);
    sandbox.git(&["checkout", "-q", "-b", "change"]);
    fs::remove_dir_all(sandbox.path("shared")).expect("removed");
    let sandbox = sandbox.file("new.txt", "x\n");
    assert_eq!(judged(&sandbox), ["new.txt:1: error: no-x"]);
    // What the baseline covers may be fixed without a change to the baseline.
    let sandbox = sandbox.file("new.txt", "fine\n").file("old.txt", "fine\n");
    assert_eq!(judged(&sandbox), [""; 0]);
}

#[test]
fn unreadable_contracts_of_commit_are_an_error() {
    let run = |sandbox: &Sandbox, revision: &str| {
        let output = sandbox.run(["enforce", "--all", "--contracts-from", revision]);
        assert_eq!((output.code, output.stdout.as_str()), (Some(3), ""), "{output}");
        output.stderr
    };
    let sandbox = project();
    assert!(run(&sandbox, "nowhere").contains("unknown revision \"nowhere\""));

    fs::create_dir(sandbox.path("elsewhere")).expect("created");
    fs::rename(sandbox.path(".claude/contracts"), sandbox.path("elsewhere/rules")).expect("moved");
    symlink("../elsewhere/rules", sandbox.path(".claude/contracts")).expect("linked");
    commit(&sandbox);
    let message = run(&sandbox, "HEAD");
    assert!(
        message.contains(".claude/contracts cannot be read from HEAD: it is a link, which is not followed"),
        "{message}"
    );

    let sandbox = project().file(".claude/phaser.yaml", "contracts: [../shared, gone]\n");
    commit(&sandbox);
    let message = run(&sandbox, "HEAD");
    assert!(message.contains("outside the project, so it is not in HEAD"), "{message}");
    assert!(message.contains("gone is not a readable directory: it is not in HEAD"), "{message}");

    let sandbox = project();
    sandbox.git(&["rm", "-q", "-r", ".claude", "part"]);
    commit(&sandbox);
    let output = sandbox.run(["enforce", "--all", "--strict", "--contracts-from", "HEAD"]);
    assert_eq!(output.code, Some(3), "a commit without contracts is none to judge by: {output}");
}

#[test]
fn refuses_hooks_and_contracts_dir() {
    let sandbox = project();
    for [flag, value] in [["--stdin", "--quiet"], ["--contracts-dir", ".claude/contracts"]] {
        let output = sandbox.run(["enforce", "--contracts-from", "main", flag, value]);
        assert_eq!(output.code, Some(3), "{output}");
        assert!(output.stderr.contains("cannot be used with"), "{output}");
    }
}
