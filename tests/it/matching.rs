//! What counts as a match, and where it is: leading white space, several lines, bytes that are not UTF-8, links into the
//! directory of contracts.

use std::os::unix::fs::symlink;

use crate::harness::{Sandbox, forbid};

#[test]
fn match_is_placed_after_leading_blank_lines() {
    let sandbox = Sandbox::new()
        .contract(&forbid("no-print", r"^\s*print\(", "**/*.py"))
        .file("a.py", "import logging\n\nprint('debug')\n")
        .file("b.py", "x = 1\n\n    print('x')  # phaser:ignore no-print -- wanted\n");
    let output = sandbox.run(["enforce", "--all", "--format", "json"]);
    assert_eq!(output.violations(), ["a.py:3:1 no-print"], "{output}");
    let lint = sandbox.run(["contracts", "lint"]).stdout;
    assert!(!lint.contains("b.py"), "the directive is needed: {lint}");
    assert!(lint.contains("no-print: the pattern starts with white space that crosses line ends"), "{lint}");
}

#[test]
fn link_among_contracts_is_judged_by_target() {
    let sandbox =
        Sandbox::new().contract(&forbid("no-x", "forbidden", "**/*.py")).file("src/app.py", "fine\n");
    symlink("../../src", sandbox.path(".claude/contracts/link")).expect("linked");
    sandbox.pre_write(".claude/contracts/link/app.py", "forbidden\n").assert_denied(&["no-x at line 1"]);
    sandbox.pre_write(".claude/contracts/own.py", "forbidden\n").assert_denied(&["no-x at line 1"]);
}

#[test]
fn invalid_utf8_is_equal_before_and_after() {
    let sandbox = Sandbox::new()
        .contract(&forbid("plain", r#"password = "[^"]+""#, "**"))
        .contract(&forbid("looks", r#"password = "[^"]+"(?!z)"#, "**"))
        .file("a.py", b"password = \"gr\xfc\xdfe\"\nx = 1\n");
    let output = sandbox.run(["enforce", "a.py", "--format", "json"]);
    assert_eq!(output.violations(), ["a.py:1:1 looks", "a.py:1:1 plain"], "{output}");
    sandbox.pre_edit("a.py", "x = 1", "x = 2").assert_denied(&["looks at line 1", "plain at line 1"]);
}

#[test]
fn carriage_return_before_dollar_warns() {
    let sandbox =
        Sandbox::new().contract(&forbid("no-crlf", r";\r$", "**/*.py")).file("a.py", "x = 1;\r\ny = 2;\r\n");
    let what = r"'\r$' matches nothing, because '$' stands before the '\r\n' that ends a line (write '\r\n')";
    assert!(sandbox.run(["enforce", "--all"]).stderr.contains(what));
    assert!(sandbox.pre_write("a.py", "fine\n").stderr.contains(what));
}
