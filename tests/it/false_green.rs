//! A green run means that something was checked: broken and odd contract files never look like a pass.

use crate::harness::{Sandbox, contract, forbid};

/// A contract file with a mistake: its name below the contracts directory, and its text.
struct Mistake {
    name: &'static str,
    text: String,
}

/// A contract against `x`, with one replacement.
fn with(from: &str, to: &str) -> String {
    let yaml = forbid("no-x", "x", "**/*.txt");
    assert!(yaml.contains(from), "{from}");
    yaml.replacen(from, to, 1)
}

/// Contract files that leave their rule unchecked, whole or in part.
fn mistakes() -> Vec<Mistake> {
    let cases: Vec<(&'static str, String)> = vec![
        ("c.yaml", "".into()),
        ("c.yaml", "# only a comment\n".into()),
        ("c.yaml", "- a list\n".into()),
        ("c.yaml", "just text\n".into()),
        ("c.yaml", "rule_id: [\n".into()),
        ("c.yaml", "rule_id: no-x\n\ttype: forbid_pattern\n".into()),
        ("c.yaml", "{\n".into()),
        ("c.yaml", "message: a: b\n".into()),
        ("c.yaml", with("rule_id: no-x\n", "")),
        ("c.yaml", with("rule_id: no-x", "rule_id: 'no x'")),
        ("c.yaml", with("rule_id: no-x", "rule_id: ''")),
        ("c.yaml", with("rule_id: no-x", "id: no-x")),
        ("c.yaml", with("type: forbid_pattern\n", "")),
        ("c.yaml", with("type: forbid_pattern", "type: forbid_patern")),
        ("c.yaml", with("type: forbid_pattern", "type: [forbid_pattern]")),
        ("c.yaml", with("pattern: 'x'\n", "")),
        ("c.yaml", with("pattern: 'x'", "pattern: ''")),
        ("c.yaml", with("pattern: 'x'", "pattern: '('")),
        ("c.yaml", with("pattern: 'x'", "pattern: 'x)'")),
        ("c.yaml", with("pattern: 'x'", "pattern: '[x'")),
        ("c.yaml", with("pattern: 'x'", "pattern: '*x'")),
        ("c.yaml", with("pattern: 'x'", "pattern: 'x{2,1}'")),
        ("c.yaml", with("pattern: 'x'", "pattern: '(?<=x'")),
        ("c.yaml", with("pattern: 'x'", "pattern: '\\K'")),
        ("c.yaml", with("pattern: 'x'", "pattern: x #y")),
        ("c.yaml", with("pattern: 'x'", "patern: 'x'")),
        ("c.yaml", with("pattern: 'x'", "pattern: {a: b}")),
        ("c.yaml", with("file_glob: '**/*.txt'\n", "")),
        ("c.yaml", with("file_glob: '**/*.txt'", "file_glob: ''")),
        ("c.yaml", with("file_glob: '**/*.txt'", "file_glob: 'src'")),
        ("c.yaml", with("file_glob: '**/*.txt'", "file_glob: 'src\\*.txt'")),
        ("c.yaml", with("file_glob: '**/*.txt'", "file_glob: '{a'")),
        ("c.yaml", with("file_glob: '**/*.txt'", "file_glob: '[a'")),
        ("c.yaml", with("file_glob: '**/*.txt'", "file_glob: '!**/*.md'")),
        ("c.yaml", with("file_glob: '**/*.txt'", "file_glob: '**/*.txt, **/*.md'")),
        ("c.yaml", with("message: 'Do not no-x.'\n", "")),
        ("c.yaml", with("severity: error\n", "")),
        ("c.yaml", with("severity: error", "severity: ERROR")),
        ("c.yaml", with("severity: error", "severity: info")),
        ("c.yaml", with("severity: error", "severity: error\nenabled: maybe")),
        ("c.yaml", with("severity: error", "severity: error\nexclude: 'a.txt'")),
        ("c.yaml", with("severity: error", "severity: error\nseverity: error")),
        ("c.yaml.txt", forbid("no-x", "x", "**/*.txt")),
        ("c.yaml", contract("some-file", "file_exists", Some("x"), "a.txt")),
        ("c.yaml", "rule:\n  id: no-x\n".into()),
        ("c.yaml", format!("{}# {}\n", forbid("no-x", "x", "**/*.txt"), "y".repeat(70_000))),
        ("c.yaml", with("pattern: 'x'", &format!("pattern: 'x{}'", "y".repeat(5_000)))),
        ("c.yaml", with("pattern: 'x'", "pattern: 'x'\nin: cod")),
    ];
    cases.into_iter().map(|(name, text)| Mistake { name, text }).collect()
}

/// Whether the file is odd, and its rule is checked all the same: as written, or for more files.
fn is_checked_all_the_same(mistake: &Mistake) -> bool {
    let odd = ["pattern: x #y", "exclude: 'a.txt'", "type: file_exists"];
    odd.iter().any(|odd| mistake.text.contains(odd))
}

/// A project whose `src/a.txt` has an `x`, with this file among its contracts.
fn project(mistake: &Mistake) -> Sandbox {
    let path = format!(".claude/contracts/{}", mistake.name);
    Sandbox::new().file("src/a.txt", "x\n").file("a.txt", "x\n").file(&path, &mistake.text)
}

/// Fails with the texts of these mistakes.
#[track_caller]
fn assert_none(mistakes: Vec<String>) {
    assert!(mistakes.is_empty(), "{} mistakes:\n{}", mistakes.len(), mistakes.join("\n---\n"));
}

#[test]
fn strict_run_fails_for_every_mistake() {
    let passes = |mistake: &Mistake| project(mistake).run(["enforce", "--all", "--strict"]).code != Some(3);
    assert_none(mistakes().into_iter().filter(passes).map(|mistake| mistake.text).collect());
}

#[test]
fn hook_never_allows_beside_a_mistake() {
    let allows = |mistake: &Mistake| {
        let project = project(mistake);
        ["fine\n", "an x\n"].iter().any(|text| project.pre_write("src/b.txt", text).decision() == "allow")
    };
    let unchecked = mistakes().into_iter().filter(|mistake| !is_checked_all_the_same(mistake));
    assert_none(unchecked.filter(allows).map(|mistake| mistake.text).collect());
}

/// A contract whose pattern is no regular expression.
fn broken() -> String {
    forbid("broken", "(", "**/*.txt")
}

/// A project with an `x` in `a.txt`, and a broken contract.
fn broken_project() -> Sandbox {
    Sandbox::new().file("a.txt", "x\n").contract(&broken())
}

#[test]
fn fails_if_no_contract_file_loads() {
    let sandbox = broken_project().git_init().git_add("a.txt").git_commit("first").git_add(".claude");
    for args in
        [&["--all"][..], &["--staged"], &["--diff", "HEAD"], &["a.txt"], &["--all", "--pack", "hygiene"]]
    {
        let output = sandbox.run_with(sandbox.command().arg("enforce").args(args), b"");
        assert_eq!(output.code, Some(3), "{args:?}\n{output}");
        assert_eq!(output.warned(), [".claude/contracts/broken.yaml:3"], "{output}");
    }
    for command in [&["check"][..], &["contracts", "check"]] {
        let output = sandbox.run_with(sandbox.command().args(command), b"");
        assert_eq!(output.code, Some(3), "{command:?}\n{output}");
    }
}

#[test]
fn one_loaded_contract_is_enough() {
    let sandbox = broken_project().contract(&forbid("no-y", "y", "**"));
    let output = sandbox.run(["enforce", "--all"]);
    assert_eq!((output.code, output.warned().len()), (Some(0), 1), "{output}");
    // A disabled contract loads.
    let disabled = forbid("no-y", "y", "**") + "enabled: false\n";
    let output = broken_project().contract(&disabled).run(["enforce", "--all"]);
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn user_contracts_never_replace_broken_project_contracts() {
    let sandbox = broken_project().user_contract(&forbid("no-y", "y", "**"));
    assert_eq!(sandbox.run(["enforce", "--all"]).code, Some(3));
    let sandbox = Sandbox::new().file("a.txt", "x\n").user_contract(&broken());
    assert_eq!(sandbox.run(["enforce", "--all"]).code, Some(3));
}

#[test]
fn fails_if_only_selects_broken_contracts() {
    let sandbox = broken_project().contract(&forbid("no-y", "y", "**"));
    assert_eq!(sandbox.run(["enforce", "--all", "--only", "broken"]).code, Some(3));
    assert_eq!(sandbox.run(["enforce", "--all", "--only", "broken,no-y"]).code, Some(0));
    assert_eq!(sandbox.run(["enforce", "--all", "--only", "no-y"]).code, Some(0));
}

#[test]
fn broken_file_is_the_only_complaint() {
    let output = broken_project().run(["enforce", "--all"]);
    assert!(!output.stderr.contains("no contracts"), "{output}");
}

#[test]
fn configuration_can_be_strict() {
    let sandbox = broken_project().contract(&forbid("no-y", "y", "**"));
    assert_eq!(sandbox.run(["enforce", "--all"]).code, Some(0));
    let sandbox = sandbox.file(".claude/phaser.yaml", "strict: true\n");
    assert_eq!(sandbox.run(["enforce", "--all"]).code, Some(3));
    let sandbox =
        Sandbox::new().contract(&forbid("no-y", "y", "**")).file(".claude/phaser.yaml", "strict: true\n");
    assert_eq!(sandbox.run(["enforce", "--all"]).code, Some(0));
    sandbox.pre_write("a.txt", "fine\n").assert_allowed();
}

/// A repository whose `.gitignore` has this line, with a contract, a configuration and a baseline.
fn ignoring(line: &str) -> Sandbox {
    Sandbox::new()
        .file(".gitignore", format!("{line}\n"))
        .file("a.txt", "fine\n")
        .contract(&forbid("no-y", "y", "**/*.txt"))
        .file(".claude/phaser.yaml", "existing: report\n")
        .file(".claude/phaser-baseline.jsonl", "")
        .git_init()
}

#[test]
fn reports_files_of_enforcement_that_git_ignores() {
    for line in [".claude/", ".claude/contracts", ".claude/phaser.yaml", "*.jsonl"] {
        let sandbox = ignoring(line);
        for mode in ["--all", "--staged", "--diff=HEAD"] {
            let sandbox = ignoring(line).git_add(".gitignore").git_commit("first");
            let output = sandbox.run(["enforce", mode]);
            assert_eq!(output.code, Some(0), "{line} {mode}\n{output}");
            assert!(output.stderr.contains("ignored by git"), "{line} {mode}\n{output}");
            assert_eq!(sandbox.run(["enforce", mode, "--strict"]).code, Some(3), "{line} {mode}");
        }
        let lint = sandbox.run(["contracts", "lint"]);
        assert!(lint.stdout.contains("ignored by git") || lint.stderr.contains("ignored by git"), "{lint}");
        let doctor = sandbox.run(["doctor"]);
        assert!(doctor.stdout.contains("ignored by git"), "{doctor}");
        let init = sandbox.run(["init", "--dry-run"]);
        assert!(init.stderr.contains("ignored by git"), "{init}");
    }
}

#[test]
fn init_warns_about_ignored_configuration_to_write() {
    let ignored = ".claude/\n/phaser.yaml\n";
    let sandbox = Sandbox::new().file(".gitignore", ignored).file("a.txt", "fine\n").git_init();
    let init = sandbox.run(["init", "--dry-run"]);
    assert!(init.stderr.contains(".claude/phaser.yaml is ignored by git"), "{init}");
}

#[test]
fn init_and_doctor_name_untracked_files() {
    let sandbox = ignoring("target/").git_add("a.txt").git_commit("first");
    let init = sandbox.run(["init"]);
    let named = |line: &str| line.starts_with("Commit ") && line.contains(".claude/contracts/no-y.yaml");
    assert!(init.stdout.lines().any(named), "{init}");
    let doctor = sandbox.run(["doctor"]);
    assert!(doctor.stdout.contains("not in git yet"), "{doctor}");
    let sandbox = sandbox.git_add(".claude");
    assert!(!sandbox.run(["init"]).stdout.contains("Commit "));
    assert!(!sandbox.run(["doctor"]).stdout.contains("not in git yet"));
}

#[test]
fn untracked_files_of_enforcement_fail_nothing() {
    let sandbox = ignoring("target/");
    let output = sandbox.run(["enforce", "--all", "--strict"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(!output.stderr.contains("ignored by git"), "{output}");
}

#[test]
fn override_of_unknown_contract_is_an_error() {
    let overrides =
        |selector: &str| format!("overrides:\n  - contracts: ['{selector}']\n    severity: warning\n");
    for (selector, code) in [("no-z", 3), ("tag:nothing", 3), ("zz*", 3), ("no-y", 0), ("no-*", 0)] {
        let sandbox = Sandbox::new()
            .contract(&forbid("no-y", "y", "**"))
            .file("a.txt", "fine\n")
            .file(".claude/phaser.yaml", overrides(selector));
        for args in [&["--all"][..], &["a.txt"]] {
            let output = sandbox.run_with(sandbox.command().arg("enforce").args(args), b"");
            assert_eq!(output.code, Some(code), "{selector} {args:?}\n{output}");
        }
        if selector == "no-z" {
            let output = sandbox.run(["enforce", "--all"]);
            assert!(output.stderr.contains(".claude/phaser.yaml:2: "), "{output}");
            assert!(output.stderr.contains("'no-y'"), "{output}");
        }
    }
}

#[test]
fn override_may_name_nested_or_pack_contract() {
    let sandbox = Sandbox::new()
        .file("a.txt", "fine\n")
        .file("web/.claude/contracts/no-y.yaml", forbid("no-y", "y", "**"))
        .file(
            ".claude/phaser.yaml",
            "packs: [hygiene]\noverrides:\n  - {contracts: [no-y, debugger-javascript], severity: warning}\n",
        );
    for mode in ["--all", "a.txt"] {
        let output = sandbox.run(["enforce", mode]);
        assert_eq!(output.code, Some(0), "{mode}\n{output}");
    }
}

#[test]
fn exclude_covers_every_contract() {
    let sandbox = Sandbox::new()
        .contract(&forbid("no-x", "x", "**/*.txt"))
        .contract(&contract("no-tmp", "file_not_exists", None, "**/*.tmp"))
        .contract(&contract("needs-y", "require_pattern", Some("y"), "**/*.txt"))
        .contract(&contract("needs-license", "file_exists", None, "**/LICENSE"))
        .file("lib/a.txt", "x\n")
        .file("lib/a.tmp", "")
        .file("lib/LICENSE", "");
    assert_eq!(sandbox.run(["enforce", "--all", "--format", "json"]).violations().len(), 3);
    let sandbox = sandbox.file(".claude/phaser.yaml", "exclude: ['lib/**']\n");
    let output = sandbox.run(["enforce", "--all", "--format", "json"]);
    assert_eq!(output.violations(), [""; 0], "{output}");
    let output = sandbox.hook("PreToolUse").write("lib/b.tmp", "x\n").run();
    assert_ne!(output.decision(), "deny", "{output}");
}

#[test]
fn v1_2_check_reports_failure_on_stderr() {
    let sandbox = Sandbox::new().file("a.txt", "x\n").contract(&forbid("no-x", "x", "**/*.txt"));
    for command in [&["check"][..], &["contracts", "check"]] {
        let output = sandbox.run_with(sandbox.command().args(command), b"");
        assert_eq!(output.code, Some(0), "{output}");
        assert!(output.stderr.contains("phaser enforce --all"), "{output}");
        let output = sandbox.run_with(sandbox.command().args(command).arg("--fail-on-error"), b"");
        assert_eq!(output.code, Some(1), "{output}");
    }
}
