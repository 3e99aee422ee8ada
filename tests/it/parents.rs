//! Paths with `..` on the command line: they lead where they lead the system, as long as that is in the project.

use std::os::unix::fs::symlink;

use crate::harness::{Output, Sandbox, forbid};

fn sandbox() -> Sandbox {
    Sandbox::new()
        .git_init()
        .contract(&forbid("no-x", "x", "**/*.txt"))
        .file("src/a.txt", "x")
        .file("src/deep/b.txt", "x")
        .file("web/c.txt", "x")
}

/// Runs `phaser enforce` in a directory of the project.
fn enforce(sandbox: &Sandbox, directory: &str, args: &[&str]) -> Output {
    let mut command = sandbox.command();
    command.current_dir(sandbox.path(directory)).args(["enforce", "--format", "json"]).args(args);
    sandbox.run_with(&mut command, b"")
}

#[test]
fn a_path_may_climb_inside_the_project() {
    let sandbox = sandbox();
    sandbox.git(&["add", "--all"]);
    let (a, b, c) = ("src/a.txt:1:1 no-x", "src/deep/b.txt:1:1 no-x", "web/c.txt:1:1 no-x");
    for (directory, path, expected) in [
        ("web", "../src", &[a, b][..]),
        ("web", "../src/a.txt", &[a]),
        ("web", "../web/../src/deep/./../a.txt", &[a]),
        ("src/deep", "../../web/c.txt", &[c]),
        ("src/deep", "..", &[a, b]),
        ("src", "../", &[a, b, c]),
        ("src", "../src", &[a, b]),
    ] {
        for mode in [&[][..], &["--staged"]] {
            let output = enforce(&sandbox, directory, &[mode, &[path]].concat());
            assert_eq!(
                (output.code, output.violations()),
                (Some(1), expected.iter().map(|&s| s.to_owned()).collect()),
                "{path}: {output}"
            );
        }
    }
    let named = enforce(&sandbox, "web", &["--file", "../src/a.txt", "--file", "../web/c.txt"]);
    assert_eq!(named.violations(), [a, c]);
}

#[test]
fn parent_of_link_is_targets_directory() {
    let sandbox = sandbox().file("other/src/a.txt", "fine");
    symlink("../src/deep", sandbox.path("other/link")).expect("linked");
    sandbox.git(&["add", "--all"]);
    for mode in [&[][..], &["--staged"]] {
        let output = enforce(&sandbox, "other", &[mode, &["link/../a.txt"]].concat());
        assert_eq!(output.violations(), ["src/a.txt:1:1 no-x"], "{output}");
    }
    let through = enforce(&sandbox, "other", &["link/b.txt"]);
    assert_eq!(
        through.violations(),
        ["other/link/b.txt:1:1 no-x"],
        "a path without '..' stays as it was given"
    );
}

#[test]
fn paths_outside_project_are_refused() {
    let outside = Sandbox::new().file("a.txt", "x");
    let sandbox = sandbox();
    symlink(outside.root(), sandbox.path("way-out")).expect("linked");
    sandbox.git(&["add", "--all"]);
    for path in ["../..", "../../elsewhere.txt", "../way-out/..", "../way-out/../a.txt"] {
        let output = enforce(&sandbox, "web", &[path, "c.txt"]);
        assert_eq!((output.code, output.violations()), (Some(3), vec!["web/c.txt:1:1 no-x".to_owned()]));
        let message = "it lies outside the project; run phaser in the project that it belongs to";
        assert_eq!(output.unchecked(), [format!("{path}: {message}")], "{output}");
        let staged = enforce(&sandbox, "web", &["--staged", path, "c.txt"]);
        assert_eq!((staged.code, staged.violations()), (Some(3), vec!["web/c.txt:1:1 no-x".to_owned()]));
        assert!(staged.stderr.contains(path), "{staged}");
    }
}

#[test]
fn partial_contracts_make_one_project() {
    let sandbox = Sandbox::new()
        .git_init()
        .file("part/.claude/contracts/no-x.yaml", forbid("no-x", "x", "**/*.txt"))
        .file("part/a.txt", "x")
        .file("b.txt", "x");
    sandbox.git(&["add", "--all"]);
    for args in [&["../b.txt", "a.txt"][..], &["--staged", "../b.txt", "a.txt"]] {
        let output = enforce(&sandbox, "part", args);
        assert_eq!(
            (output.code, output.violations()),
            (Some(1), vec!["part/a.txt:1:1 no-x".to_owned()]),
            "{output}"
        );
        assert_eq!(output.stderr, "", "no contract is about the other one");
    }
    assert_eq!(enforce(&sandbox, "part", &["--staged", "."]).violations(), ["part/a.txt:1:1 no-x"]);
    assert_eq!(enforce(&sandbox, "part", &["--staged", "../part"]).violations(), ["part/a.txt:1:1 no-x"]);
}

#[test]
fn dangling_path_is_reported() {
    let sandbox = sandbox();
    for (path, why) in [("gone/../src/a.txt", "No such file"), ("src/a.txt/../a.txt", "ot a directory")] {
        let output = enforce(&sandbox, ".", &[path]);
        assert_eq!(output.code, Some(3), "{output}");
        assert!(output.stderr.contains(path) && output.stderr.contains(why), "{output}");
    }
}
