//! `--timings`: the time of each phase and the most expensive contracts, on standard error.

use serde_json::json;

use crate::harness::{Sandbox, contract, forbid};

fn sandbox() -> Sandbox {
    Sandbox::new()
        .contract(&forbid("slow-look", r"\bassert\b(?!.*,)", "**/*.py"))
        .contract(&forbid("slow-letters", "[a-z]+[0-9]?", "**/*.py"))
        .contract(&forbid("quick", "needle", "**/*.py"))
        .contract(&forbid("unused", "haystack", "**/*.py"))
        .contract(&contract("present", "file_exists", None, "a.py"))
        .file("a.py", "assert x\nneedle\n")
        .file("b.py", "a needle\n")
}

/// The lines without what differs from run to run: times, and for the contracts their order.
fn shape(stderr: &str) -> Vec<String> {
    let is_time = |word: &str| word.contains('.') && word.parse::<f64>().is_ok();
    let line = |line: &str| {
        line.split_whitespace()
            .map(|word| if is_time(word) { "TIME" } else { word })
            .collect::<Vec<_>>()
            .join(" ")
    };
    let mut lines: Vec<String> = stderr.lines().map(line).collect();
    if let Some(first) = lines.iter().position(|line| line.starts_with("most expensive")) {
        lines[first + 1..].sort();
    }
    lines
}

#[test]
fn shows_phases_and_contracts_with_reason() {
    let output = sandbox().run(["enforce", "--all", "--timings", "--threads", "2"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(
        shape(&output.stderr),
        [
            "phase ms",
            "files listed TIME",
            "contracts read TIME",
            "contracts compiled TIME",
            "files scanned TIME",
            "selecting TIME",
            "reading TIME",
            "prefilter TIME",
            "searching TIME",
            "threads 2",
            "report written TIME",
            "most expensive ms searches windows bytes why",
            "quick TIME 2 2 12",
            "slow-letters TIME 2 2 25 no required literal: the whole text is searched",
            "slow-look TIME 1 1 6 backtracking engine, because of look-around",
        ]
    );
}

#[test]
fn every_mode_has_them() {
    let sandbox = sandbox().git_init().git_add("a.py").git_commit("one").git_add("b.py");
    let modes: [&[&str]; 4] = [&["--all"], &["a.py"], &["--staged"], &["--diff", "HEAD"]];
    for mode in modes {
        let plain = sandbox.run_with(sandbox.command().arg("enforce").args(mode), b"");
        let timings =
            sandbox.run_with(sandbox.command().args(["enforce", "--timings", "--quiet"]).args(mode), b"");
        assert_eq!((plain.code, &plain.stdout), (timings.code, &timings.stdout), "{mode:?}");
        assert_eq!(plain.stderr, "", "{mode:?}");
        let shape = shape(&timings.stderr);
        for phase in ["contracts read TIME", "files scanned TIME", "report written TIME"] {
            assert!(shape.iter().any(|line| line == phase), "{mode:?}: {shape:?}");
        }
    }
}

#[test]
fn hook_response_is_equal() {
    let sandbox = sandbox();
    let input = json!({ "file_path": sandbox.path("c.py"), "content": "a needle" });
    let plain = sandbox.hook("PreToolUse").tool("Write", input.clone()).run();
    let timings = sandbox.hook("PreToolUse").tool("Write", input).args(["--timings"]).run();
    assert_eq!((plain.code, plain.stdout), (timings.code, timings.stdout));
    let shape = shape(&timings.stderr);
    assert_eq!(shape[..3], ["phase ms", "event read TIME", "contracts read TIME"]);
    assert!(shape.iter().any(|line| line == "quick TIME 1 1 6"), "{shape:?}");
}

#[test]
fn unreached_phases_are_not_shown() {
    let output = Sandbox::new().file("a.py", "x").run(["enforce", "--all", "--timings", "--quiet"]);
    let expected = [
        "phase ms",
        "files listed TIME",
        "contracts read TIME",
        "report written TIME",
        "no contract was searched for",
    ];
    assert_eq!(shape(&output.stderr), expected, "{output}");
}
