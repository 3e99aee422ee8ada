//! A repository with contracts in several directories: each counts for the files below it.

use crate::harness::{Sandbox, contract, forbid};

fn sandbox() -> Sandbox {
    Sandbox::new()
        .git_init()
        .contract(&forbid("no-x", "x", "**/*.txt"))
        .contract(&forbid("no-y", "y", "**/*.txt"))
        .file("web/.claude/contracts/no-x.yaml", forbid("no-x", "xx", "src/*.txt"))
        .file("web/.claude/contracts/no-z.yaml", forbid("no-z", "z", "**"))
        .file("api/.claude/contracts/off.yaml", forbid("no-y", "y", "**") + "enabled: false\n")
        .file("api/.claude/phaser.yaml", "packs: [hygiene]\nexclude: generated/**\n")
}

const FILES: [(&str, &str); 6] = [
    ("top.txt", "x y z"),
    ("web/src/a.txt", "x xx y z"),
    ("web/other.txt", "xx"),
    ("api/a.txt", "x y z\n\u{E0069}\u{E0074}\u{E0020}\u{E0069}\u{E0073}\n"),
    ("api/generated/b.txt", "x y z"),
    ("deep/down/a.txt", "x"),
];

const EXPECTED: [&str; 8] = [
    "api/a.txt:1:1 no-x",
    "api/a.txt:2:1 no-hidden-text",
    "deep/down/a.txt:1:1 no-x",
    "top.txt:1:1 no-x",
    "top.txt:1:3 no-y",
    "web/src/a.txt:1:3 no-x",
    "web/src/a.txt:1:6 no-y",
    "web/src/a.txt:1:8 no-z",
];

fn with_files() -> Sandbox {
    FILES.iter().fold(sandbox(), |sandbox, (path, text)| sandbox.file(path, text))
}

#[test]
fn nested_contracts_precede_outer_ones() {
    let sandbox = with_files();
    let output = sandbox.run(["enforce", "--all", "--format", "json"]);
    let found: Vec<_> = output.violations();
    let expected: Vec<_> =
        EXPECTED.iter().map(|line| line.replace("no-hidden-text", &hidden(&found))).collect();
    assert_eq!(found, expected, "{output}");
}

/// The id of the pack's contract about hidden text, whatever it is called.
fn hidden(found: &[String]) -> String {
    let line = found.iter().find(|line| line.starts_with("api/a.txt:2:1 ")).expect("the pack counts");
    line.split(' ').next_back().expect("an id").to_owned()
}

#[test]
fn every_mode_agrees() {
    let sandbox = sandbox().git_add(".").git_commit("contracts");
    let sandbox = FILES.iter().fold(sandbox, |sandbox, (path, text)| sandbox.file(path, text)).git_add(".");
    let all = sandbox.run(["enforce", "--all", "--format", "json"]).violations();
    assert_eq!(all.len(), EXPECTED.len());
    for mode in [&["--staged"][..], &["--diff", "HEAD"]] {
        let mut command = sandbox.command();
        command.args(["enforce", "--format", "json"]).args(mode);
        assert_eq!(sandbox.run_with(&mut command, b"").violations(), all, "{mode:?}");
    }
    for (path, text) in FILES {
        let own: Vec<_> = all.iter().filter(|line| line.starts_with(&format!("{path}:"))).cloned().collect();
        assert_eq!(sandbox.run(["enforce", path, "--format", "json"]).violations(), own);
        let output = sandbox.pre_write(path, text);
        let denied = output.decision() == "deny";
        assert_eq!((denied, output.reported().len()), (!own.is_empty(), own.len()), "{path}: {output}");
    }
    let mut inside = sandbox.command();
    inside.current_dir(sandbox.path("web/src")).args(["enforce", "--all", "--format", "json"]);
    assert_eq!(sandbox.run_with(&mut inside, b"").violations(), all, "the project is the whole worktree");
}

#[test]
fn git_ignored_contracts_count_in_every_mode() {
    let sandbox = sandbox().file(".gitignore", "web/.claude/\n").file("web/src/a.txt", "z").git_add(".");
    let found =
        |mode: &str| sandbox.run(["enforce", mode, "--only", "no-z", "--format", "json"]).violations();
    assert_eq!(found("--all"), ["web/src/a.txt:1:1 no-z"]);
    assert_eq!(found("--staged"), ["web/src/a.txt:1:1 no-z"]);
    assert_eq!(found("web/src/a.txt"), ["web/src/a.txt:1:1 no-z"]);
}

#[test]
fn required_file_is_relative_to_contract() {
    let sandbox = Sandbox::new()
        .contract(&contract("readme", "file_exists", None, "README.md"))
        .file("README.md", "")
        .file("web/.claude/contracts/own.yaml", contract("own-readme", "file_exists", None, "README.md"))
        .file("web/a.txt", "");
    let found = || sandbox.run(["enforce", "--all", "--format", "json"]).violations();
    assert_eq!(found(), ["web/README.md own-readme"]);
    std::fs::write(sandbox.path("web/README.md"), "").expect("written");
    assert_eq!(found(), [""; 0]);
}

#[test]
fn list_and_show_name_origin_and_scope() {
    let sandbox = with_files();
    let listed = sandbox.run(["contracts", "list", "--long"]).stdout;
    assert!(listed.contains("web/.claude/contracts/no-x.yaml"), "{listed}");
    let shown = sandbox.run(["contracts", "show", "no-x"]).stdout;
    for line in [
        "from:      web/.claude/contracts/no-x.yaml (project)",
        "below:     web/",
        "files:     web/src/a.txt",
        "from:      .claude/contracts/no-x.yaml (project)",
        "not below: web/ (another contract applies there)",
        "files:     api/a.txt, deep/down/a.txt, top.txt",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
}

#[test]
fn nearest_configuration_decides_on_existing() {
    let sandbox = sandbox()
        .file(".claude/phaser.yaml", "existing: report\n")
        .file("api/.claude/phaser.yaml", "existing: deny\n")
        .file("top.txt", "x\n")
        .file("api/a.txt", "x\n");
    sandbox.git(&["add", "--all"]);
    let sandbox = sandbox.git_commit("old");
    let edit = |path: &str| sandbox.pre_write(path, "x\nmore\n").decision();
    assert_eq!((edit("top.txt").as_str(), edit("api/a.txt").as_str()), ("allow", "deny"));
    let sandbox = sandbox.file("top.txt", "x\nmore\n").file("api/a.txt", "x\nmore\n");
    sandbox.git(&["add", "--all"]);
    let staged = sandbox.run(["enforce", "--staged", "--format", "json"]);
    assert_eq!(staged.violations(), ["api/a.txt:1:1 no-x"], "{staged}");
}

#[test]
fn broken_nested_contract_leaves_outer_one() {
    let sandbox = Sandbox::new()
        .git_init()
        .contract(&forbid("no-x", "x", "**/*.txt"))
        .file("web/.claude/contracts/no-x.yaml", forbid("no-x", "x(", "**"))
        .file("web/a.txt", "x");
    let output = sandbox.run(["enforce", "--all", "--format", "json"]);
    assert_eq!(output.violations(), ["web/a.txt:1:1 no-x"], "{output}");
    assert!(output.stderr.starts_with("web/.claude/contracts/no-x.yaml:3: "), "{output}");
    assert_eq!(sandbox.pre_write("web/a.txt", "x").decision(), "deny");
}

#[test]
fn staged_run_reads_staged_nested_contracts() {
    let sandbox = Sandbox::new()
        .git_init()
        .file("web/.claude/contracts/deep/no-x.yaml", forbid("no-x", "x", "**/*.txt"))
        .file("web/a.txt", "x")
        .git_add(".");
    std::fs::remove_dir_all(sandbox.path("web/.claude")).expect("removed");
    let output = sandbox.run(["enforce", "--staged", "--format", "json"]);
    assert_eq!(output.violations(), ["web/a.txt:1:1 no-x"], "{output}");
}
