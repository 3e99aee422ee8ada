//! Very many violations: the same report in every format that lists violations, with a baseline and
//! with a cache.

use serde_json::Value;

use crate::harness::{Sandbox, forbid};

/// How many violations a file has.
const IN_FILE: usize = 800;

/// Files whose violations take more memory together than is held, and one by one less.
const FILES: usize = 11;

fn sandbox() -> Sandbox {
    let mut sandbox = Sandbox::new()
        .contract(&forbid("no-x", "x[0-9]+", "**/*.txt"))
        .contract(&format!("{}tags: [secret]\n", forbid("no-token", "tok-[a-z]{8}", "**/*.txt")));
    for file in 0..FILES {
        let line = |number: usize| match number % 100 {
            7 => format!("x{number} // phaser:ignore no-x\n"),
            9 => format!("x{number} tok-abcdefgh\n"),
            // Long, because then few take much memory.
            _ => format!("{} x{number}é\n", "word ".repeat(180)),
        };
        let text: String = (0..IN_FILE).map(line).collect();
        sandbox = sandbox.file(&format!("src/{}/{file:02}.txt", file % 3), text);
    }
    sandbox.git_init()
}

/// The violations of a report, of one kind.
fn listed(report: &Value, kind: &str) -> Vec<Value> {
    report[kind].as_array().expect("a list").clone()
}

/// What several reports list together, in the order of their paths.
fn together(reports: &[Value], kind: &str) -> Vec<Value> {
    let mut all: Vec<Value> = reports.iter().flat_map(|report| listed(report, kind)).collect();
    all.sort_by_key(|violation| violation["file_path"].to_string());
    all
}

#[test]
fn whole_equals_sum_of_files() {
    let sandbox = sandbox();
    let whole = sandbox.run(["enforce", "--all", "--format", "json"]);
    assert!(!whole.stdout.contains("tok-abcdefgh"), "a secret is shown");
    let alone: Vec<Value> = (0..FILES)
        .map(|file| {
            let path = format!("src/{}/{file:02}.txt", file % 3);
            sandbox.run(["enforce", "--file", &path, "--format", "json"]).json()
        })
        .collect();
    let report = whole.json();
    assert_eq!(
        listed(&report, "violations").len() + listed(&report, "suppressed").len(),
        FILES * (IN_FILE + 8)
    );
    for kind in ["violations", "suppressed"] {
        assert!(listed(&report, kind) == together(&alone, kind), "{kind}");
    }
    for run in ["the first", "the second"] {
        let cached = sandbox.run(["enforce", "--all", "--format", "json", "--cache"]);
        assert!(cached.stdout == whole.stdout, "{run} run with a cache");
    }
}

#[test]
fn baseline_covers_them_after_a_move() {
    let sandbox = sandbox();
    sandbox.run(["baseline"]);
    std::fs::rename(sandbox.path("src/1/04.txt"), sandbox.path("src/0/moved.txt")).expect("renamed");
    let sandbox = sandbox.file("src/2/05.txt", "x1\n");
    let report = sandbox.run(["enforce", "--all", "--format", "json"]).json();
    let open = listed(&report, "violations");
    assert_eq!(open.len(), 1, "{open:?}");
    assert_eq!(open[0]["file_path"], "src/2/05.txt");
    assert_eq!(report["summary"]["baselined"], (FILES - 1) * IN_FILE);
}
