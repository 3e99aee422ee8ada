//! A pre-commit hook, installed where git looks for it and run by git.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::harness::{Output, Sandbox, forbid};

/// A project with one commit, whose hook checks what is staged.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new()
        .git_init()
        .contract(&forbid("no-print", r"print\(", "**/*.py"))
        .file("a.py", "one = 1\n\n\n\n\n\n\n\ntwo = 2\n")
        .file("b.py", "three = 3\n");
    sandbox.git(&["add", "--all"]);
    let sandbox = sandbox.git_commit("first");
    let hook = sandbox.path(".git/hooks/pre-commit");
    let phaser = env!("CARGO_BIN_EXE_phaser");
    fs::create_dir_all(hook.parent().expect("a parent")).expect("created");
    fs::write(&hook, format!("#!/bin/sh\nexec '{phaser}' enforce --staged --strict\n")).expect("written");
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).expect("made executable");
    sandbox
}

fn commits(sandbox: &Sandbox) -> usize {
    sandbox.git(&["rev-list", "HEAD"]).lines().count()
}

fn assert_blocked(sandbox: &Sandbox, commit: &Output, place: &str) {
    assert_eq!(commit.code, Some(1), "{commit}");
    assert!(commit.stderr.contains(place) || commit.stdout.contains(place), "{commit}");
    assert_eq!(commits(sandbox), 1);
}

fn assert_committed(sandbox: &Sandbox, commit: &Output) {
    assert_eq!(commit.code, Some(0), "{commit}");
    assert_eq!(commits(sandbox), 2);
}

#[test]
fn staged_violation_stops_commit() {
    let sandbox = sandbox().file("b.py", "print(1)\n").git_add("b.py").file("b.py", "fine = 1\n");
    assert_blocked(&sandbox, &sandbox.try_git(&["commit", "-m", "x"], ""), "b.py:1");
}

#[test]
fn unstaged_violation_stops_no_commit() {
    let sandbox = sandbox().file("b.py", "fine = 1\n").git_add("b.py").file("b.py", "print(1)\n");
    assert_committed(&sandbox, &sandbox.try_git(&["commit", "-m", "x"], ""));
}

#[test]
fn commit_all_checks_what_it_stages() {
    let sandbox = sandbox().file("b.py", "print(1)\n");
    assert_blocked(&sandbox, &sandbox.try_git(&["commit", "-a", "-m", "x"], ""), "b.py:1");
    let sandbox = sandbox.file("b.py", "fine = 1\n").file("untracked.py", "print(1)\n");
    assert_committed(&sandbox, &sandbox.try_git(&["commit", "-a", "-m", "x"], ""));
}

#[test]
fn commit_of_path_checks_that_path() {
    let sandbox = sandbox().file("a.py", "print(1)\n").git_add("a.py").file("b.py", "print(2)\n");
    assert_blocked(&sandbox, &sandbox.try_git(&["commit", "-m", "x", "b.py"], ""), "b.py:1");
    let sandbox = sandbox.file("b.py", "fine = 1\n");
    assert_committed(&sandbox, &sandbox.try_git(&["commit", "-m", "x", "b.py"], ""));
}

#[test]
fn commit_of_path_works_from_below() {
    let sandbox = sandbox().file("d/c.py", "fine = 1\n").git_add("d/c.py").file("d/c.py", "print(1)\n");
    let below = ["-C", "d", "commit", "-m", "x", "c.py"];
    assert_blocked(&sandbox, &sandbox.try_git(&below, ""), "d/c.py:1");
    let sandbox = sandbox.file("d/c.py", "fine = 1\n");
    assert_committed(&sandbox, &sandbox.try_git(&below, ""));
}

#[test]
fn commit_of_patches_checks_the_chosen_ones() {
    let sandbox = sandbox().file("a.py", "print(1)\n\n\n\n\n\n\n\nfine = 2\n");
    let commit = ["commit", "-p", "-m", "x"];
    assert_blocked(&sandbox, &sandbox.try_git(&commit, "y\nn\n"), "a.py:1");
    assert_committed(&sandbox, &sandbox.try_git(&commit, "n\ny\n"));
    assert_eq!(sandbox.git(&["show", "HEAD:a.py"]), "one = 1\n\n\n\n\n\n\n\nfine = 2\n");
}

#[test]
fn amending_checks_what_is_added() {
    let sandbox = sandbox().file("b.py", "print(1)\n").git_add("b.py");
    assert_blocked(&sandbox, &sandbox.try_git(&["commit", "--amend", "--no-edit"], ""), "b.py:1");
}

#[test]
fn linked_worktree_uses_same_hook() {
    let sandbox = sandbox();
    sandbox.git(&["worktree", "add", "-q", "../linked"]);
    let linked = sandbox.root().with_file_name("linked");
    let linked_path = linked.to_str().expect("UTF-8");
    fs::write(linked.join("b.py"), "print(1)\n").expect("written");
    let commit = sandbox.try_git(&["-C", linked_path, "commit", "-a", "-m", "x"], "");
    assert_eq!(commit.code, Some(1), "{commit}");
    assert!(commit.stdout.contains("b.py:1") || commit.stderr.contains("b.py:1"), "{commit}");
    fs::write(linked.join("b.py"), "fine = 1\n").expect("written");
    let commit = sandbox.try_git(&["-C", linked_path, "commit", "-a", "-m", "x"], "");
    assert_eq!(commit.code, Some(0), "{commit}");
}

#[test]
fn merge_is_checked_before_commit() {
    let sandbox = sandbox();
    sandbox.git(&["checkout", "-q", "-b", "topic"]);
    let sandbox = sandbox.file("c.py", "print(1)\n").git_add("c.py");
    sandbox.git(&["commit", "-q", "--no-verify", "-m", "topic"]);
    sandbox.git(&["checkout", "-q", "main"]);
    let sandbox = sandbox.file("d.py", "fine = 1\n").git_add("d.py").git_commit("main");
    sandbox.git(&["merge", "-q", "--no-commit", "topic"]);
    let commit = sandbox.try_git(&["commit", "-m", "merge"], "");
    assert_eq!(commit.code, Some(1), "{commit}");
    assert!(commit.stdout.contains("c.py:1") || commit.stderr.contains("c.py:1"), "{commit}");
}
