//! Which files `--all` looks at.

use crate::harness::{Sandbox, forbid};

#[test]
fn gits_own_rules_decide_and_hidden_files_count() {
    let sandbox = Sandbox::new()
        .git_init()
        .contract(&forbid("no-x", "x", "**"))
        .file(".gitignore", "build/\n")
        .file("build/a.txt", "x")
        .file(".hidden/a.txt", "x")
        .file("a.txt", "x")
        .file(".git/info/exclude", "excluded.txt\n")
        .file("excluded.txt", "x")
        .git_add("a.txt")
        .git_commit("first");
    let output = sandbox.run(["enforce", "--all", "--format", "json"]);
    assert_eq!(output.violations(), [".hidden/a.txt:1:1 no-x", "a.txt:1:1 no-x"]);
}
