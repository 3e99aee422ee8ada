//! `phaser init`, `completions` and `man`: the first minutes with phaser.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;
use serde_json::Value;

use crate::harness::{Output, Sandbox, forbid, warning};
use crate::output::typing_on_a_terminal;

fn names(sandbox: &Sandbox, directory: &str) -> Vec<String> {
    let entries = fs::read_dir(sandbox.path(directory)).expect("is there");
    let mut names: Vec<_> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

fn read(sandbox: &Sandbox, path: &str) -> String {
    fs::read_to_string(sandbox.path(path)).expect("is there")
}

/// Everything in the project but what git keeps.
fn all_files(sandbox: &Sandbox) -> Vec<String> {
    let mut found = Vec::new();
    let mut left = vec![sandbox.root()];
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(directory).expect("readable") {
            let path = entry.expect("an entry").path();
            if path.is_dir() && !path.ends_with(".git") {
                left.push(path.clone());
            }
            found.push(path.strip_prefix(sandbox.root()).expect("is inside").display().to_string());
        }
    }
    found.sort();
    found
}

/// A project with two old violations: an error and a warning.
fn old_code() -> Sandbox {
    let sandbox = Sandbox::new()
        .git_init()
        .contract(&forbid("no-old", "old", "**/*.txt"))
        .contract(&warning(&forbid("no-odd", "odd", "**/*.txt")))
        .file("a.txt", "old\nodd\n")
        .file("b.py", "x = 1\n");
    sandbox.git(&["add", "--all"]);
    sandbox.git_commit("old")
}

#[test]
fn init_names_packs_that_fit_the_languages() {
    let sandbox = Sandbox::new().git_init().file("src/app.py", "x = 1\n").file("web/index.ts", "");
    let output = sandbox.run(["init"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output}");
    for offered in ["python, javascript", "--hook", "--guard", "--pre-commit"] {
        assert!(output.stdout.contains(offered), "{offered}: {output}");
    }
    let config = read(&sandbox, ".claude/phaser.yaml");
    assert!(config.contains("packs: [secrets, hygiene, python, javascript]\n"), "{config}");
    assert_eq!(all_files(&sandbox).iter().filter(|path| path.starts_with(".claude")).count(), 2);
    assert_eq!(sandbox.run(["enforce", "--all", "--strict"]).code, Some(0));
    let list = sandbox.run(["contracts", "list"]).stdout;
    assert!(list.contains("python-bare-except") && !list.contains("go-"), "{list}");
}

#[test]
fn offers_pack_about_changes_without_picking_it() {
    let offer = "\n  change-safety  ";
    let sandbox = Sandbox::new().file("src/app.py", "x = 1\n");
    assert!(!sandbox.run(["init", "--dry-run"]).stdout.contains(offer));
    let sandbox = sandbox.file("tests/test_app.py", "assert x\n");
    let output = sandbox.run(["init", "--yes"]);
    assert!(output.stdout.contains(offer), "{output}");
    assert!(read(&sandbox, ".claude/phaser.yaml").contains("packs: [secrets, hygiene, python]\n"));
    let sandbox = sandbox.file(".claude/phaser.yaml", "packs: [change-safety]\n");
    assert!(!sandbox.run(["init"]).stdout.contains(offer), "it is in use");
}

#[test]
fn picks_packs_by_files() {
    for (file, pack) in [
        (".github/workflows/ci.yml", "actions"),
        ("actions/setup/action.yaml", "actions"),
        ("api/Dockerfile", "docker"),
        ("build.sh", "shell"),
        ("src/A.java", "java"),
        ("lib/a.rb", "ruby"),
        ("index.php", "php"),
        ("A.cs", "csharp"),
        ("main.tf", "terraform"),
        ("db/a.sql", "sql"),
        ("a.scss", "css"),
    ] {
        let sandbox = Sandbox::new().file(file, "");
        assert_eq!(sandbox.run(["init"]).code, Some(0), "{file}");
        let config = read(&sandbox, ".claude/phaser.yaml");
        assert!(config.contains(&format!("packs: [secrets, hygiene, {pack}]\n")), "{file}: {config}");
    }
}

#[test]
fn offers_noisy_packs_without_picking_them() {
    let sandbox = Sandbox::new().file("a.txt", "a \n");
    let output = sandbox.run(["init"]);
    assert!(output.stdout.contains("\n  files "), "{output}");
    assert!(output.stdout.contains("\n  audit "), "{output}");
    assert!(read(&sandbox, ".claude/phaser.yaml").contains("packs: [secrets, hygiene]\n"));
    let sandbox = sandbox.file(".claude/phaser.yaml", "packs: [files]\n");
    let output = sandbox.run(["init"]);
    assert!(!output.stdout.contains("The pack files"), "{output}");
}

#[test]
fn second_run_keeps_what_exists() {
    let sandbox = Sandbox::new().contract(&forbid("merge-marker", "x", "**"));
    let first = sandbox.run(["init"]);
    assert_eq!(first.code, Some(0), "{first}");
    assert_eq!(names(&sandbox, ".claude/contracts"), ["merge-marker.yaml"]);
    let config = "packs: [go]\nexclude: ['vendor/**']\n";
    let sandbox = sandbox.file(".claude/phaser.yaml", config);
    let again = sandbox.run(["init", "--pack", "rust", "--pack", "go"]);
    assert_eq!(again.code, Some(0), "{again}");
    assert_eq!(
        again.stderr,
        "phaser: add 'rust' to 'packs' in .claude/phaser.yaml (init does not change it)\n"
    );
    assert_eq!(read(&sandbox, ".claude/phaser.yaml"), config);
}

#[test]
fn broken_configuration_stops_it() {
    let sandbox = Sandbox::new().git_init().file(".claude/phaser.yaml", "pakcs: [go]\n");
    let before = all_files(&sandbox);
    let output = sandbox.run(["init", "--yes"]);
    assert_eq!(output.code, Some(3), "{output}");
    assert!(output.stderr.contains(".claude/phaser.yaml:1:"), "{output}");
    assert_eq!(all_files(&sandbox), before);
}

#[test]
fn init_takes_the_packs_that_are_named() {
    let sandbox = Sandbox::new().file("a.py", "");
    assert_eq!(sandbox.run(["init", "--pack", "go"]).code, Some(0));
    assert!(read(&sandbox, ".claude/phaser.yaml").contains("packs: [go]\n"));
}

#[test]
fn customs_are_never_picked() {
    let languages = ["a.py", "a.ts", "a.go", "src/a.rs"];
    let sandbox = languages.iter().fold(Sandbox::new().git_init(), |sandbox, path| sandbox.file(path, ""));
    let output = sandbox.run(["init"]);
    let config = read(&sandbox, ".claude/phaser.yaml");
    assert!(config.contains("packs: [secrets, hygiene, rust, python, javascript, go]\n"), "{config}");
    assert!(!output.stdout.contains("style") && !output.stdout.contains("spelling"), "{output}");
    let named = Sandbox::new().file("a.py", "");
    assert_eq!(named.run(["init", "--pack", "style"]).code, Some(0));
    assert!(read(&named, ".claude/phaser.yaml").contains("packs: [style]\n"));
}

#[test]
fn does_only_what_flags_ask() {
    for (flag, written) in [
        ("--hook", ".claude/settings.json"),
        ("--pre-commit", ".pre-commit-config.yaml"),
        ("--baseline", ".claude/phaser-baseline.jsonl"),
    ] {
        let sandbox = old_code();
        let mut expected = all_files(&sandbox);
        assert_eq!(sandbox.run(["init", flag]).code, Some(0));
        expected.extend([".claude/phaser.yaml".to_owned(), written.to_owned()]);
        expected.sort_unstable();
        assert_eq!(all_files(&sandbox), expected, "{flag}");
    }
}

#[test]
fn yes_does_all_of_it() {
    let sandbox = old_code().file(".pre-commit-config.yaml", "repos:\n- repo: x\n  hooks: []\n");
    let output = sandbox.run(["init", "--yes"]);
    assert_snapshot!(output, @r#"
    exit: 0
    --- stdout
    Found python.

    The configuration, .claude/phaser.yaml:
      # What phaser checks in this project: in Claude Code, at commit time and in CI.
      packs: [secrets, hygiene, python]
      # An edit or a commit is refused only for the violations that it adds.
      existing: report
      # A broken contract or a file that cannot be checked fails commits and CI.
      strict: true

    Other packs that fit; to use one, add it to 'packs' in .claude/phaser.yaml:
      audit     worth a look, often intended: weak secrets, shells, eval, disabled checks, unpinned versions, binary files
      files     line ends and final newlines, syntax of JSON, YAML and TOML, large files
      commands  commands an agent should not run: skipped hooks, force pushes, rm outside the project, the wrong package manager

    2 contracts in .claude/contracts stay unchanged.

    Hooks that check every edit of Claude Code, in .claude/settings.json (--hook):
      PreToolUse   Edit|Write  phaser enforce --stdin --severity error
      PostToolUse  Edit|Write  phaser enforce --stdin --severity warning
    An edit without violations then skips the permission prompt.
    'phaser enforce install --on-clean defer' installs hooks that keep the prompt.
    The guard (--guard) also checks what shell commands write and the end of a turn.

    An entry that checks every commit, added to .pre-commit-config.yaml (--pre-commit):
      - repo: local
        hooks:
          - id: phaser
            name: phaser
            entry: phaser enforce --staged --strict --format full
            args: [--]
            language: system
            pass_filenames: true
            always_run: true
            require_serial: true
            stages: [pre-commit, pre-merge-commit, manual]
            minimum_pre_commit_version: 3.2.0

    Or a plain git hook, .git/hooks/pre-commit (--git-hook).

    2 violations today: 1 error, 1 warning.
    Recorded in .claude/phaser-baseline.jsonl (--baseline), they no longer fail a run; new ones do.

    Written: .claude/phaser.yaml, .claude/phaser-baseline.jsonl, .pre-commit-config.yaml, .claude/settings.json.

    Run 'pre-commit install' once in each clone to enable the pre-commit entry.
    Start a new Claude Code session to use the hooks; 'phaser doctor' checks them.
    From now on only new violations count.
    Commit .claude/phaser-baseline.jsonl, .claude/phaser.yaml for other clones and CI.
    Next: phaser enforce --all

    --- stderr
    phaser: 'phaser' is not on the PATH; the hooks need it there
    "#);
    assert_snapshot!(read(&sandbox, ".pre-commit-config.yaml"), @r#"
    repos:
    - repo: x
      hooks: []
    - repo: local
      hooks:
        - id: phaser
          name: phaser
          entry: phaser enforce --staged --strict --format full
          args: [--]
          language: system
          pass_filenames: true
          always_run: true
          require_serial: true
          stages: [pre-commit, pre-merge-commit, manual]
          minimum_pre_commit_version: 3.2.0
    "#);
    assert_snapshot!(read(&sandbox, ".claude/phaser.yaml"), @r#"
    # What phaser checks in this project: in Claude Code, at commit time and in CI.
    packs: [secrets, hygiene, python]
    # An edit or a commit is refused only for the violations that it adds.
    existing: report
    # A broken contract or a file that cannot be checked fails commits and CI.
    strict: true
    "#);
    let all = sandbox.run(["enforce", "--all", "--strict"]);
    assert_eq!((all.code, all.count("baseline")), (Some(0), 2), "{all}");
    let again = sandbox.run(["init", "--yes"]);
    assert_snapshot!(again, @r#"
    exit: 0
    --- stdout
    Found python.

    .claude/phaser.yaml exists and stays unchanged.

    Other packs that fit; to use one, add it to 'packs' in .claude/phaser.yaml:
      audit     worth a look, often intended: weak secrets, shells, eval, disabled checks, unpinned versions, binary files
      files     line ends and final newlines, syntax of JSON, YAML and TOML, large files
      commands  commands an agent should not run: skipped hooks, force pushes, rm outside the project, the wrong package manager

    2 contracts in .claude/contracts stay unchanged.

    phaser's hooks are already in .claude/settings.json. The guard (--guard) would replace them and also check what shell
    commands write and the end of a turn.

    phaser is already in .pre-commit-config.yaml.

    No open violations today: 0 errors, 0 warnings, 2 in the baseline.
    .claude/phaser-baseline.jsonl exists and stays unchanged.

    Nothing to write.

    Commit .claude/phaser-baseline.jsonl, .claude/phaser.yaml for other clones and CI.
    Next: phaser enforce --all

    --- stderr
    "#);
    // The baseline is the one that its own command writes.
    let recorded = read(&sandbox, ".claude/phaser-baseline.jsonl");
    fs::remove_file(sandbox.path(".claude/phaser-baseline.jsonl")).expect("removed");
    assert_eq!(sandbox.run(["baseline"]).code, Some(0));
    assert_eq!(read(&sandbox, ".claude/phaser-baseline.jsonl"), recorded);
}

#[test]
fn dry_run_shows_all_writes_nothing() {
    let sandbox = old_code();
    let before = all_files(&sandbox);
    let output = sandbox.run(["init", "--yes", "--dry-run"]);
    assert_eq!(output.code, Some(0), "{output}");
    for shown in [
        "packs: [secrets, hygiene, python]",
        "phaser enforce --stdin --severity error",
        "- repo: local",
        "Would write: .claude/phaser.yaml, .claude/phaser-baseline.jsonl, .pre-commit-config.yaml, \
         .claude/settings.json. Nothing written.",
    ] {
        assert!(output.stdout.contains(shown), "{shown}: {output}");
    }
    assert_eq!(all_files(&sandbox), before);
}

#[test]
fn a_set_up_is_never_half_made() {
    for broken in [".claude/settings.json", ".pre-commit-config.yaml"] {
        let content = if broken.ends_with("json") { "{}" } else { "repos:\n- repo: x\n  hooks: []\n" };
        let sandbox = old_code().file(broken, content);
        let path = sandbox.path(broken);
        let mut permissions = fs::metadata(&path).expect("is there").permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).expect("a mode");
        let before = all_files(&sandbox);
        let output = sandbox.run(["init", "--yes"]);
        assert_eq!(output.code, Some(3), "{output}");
        assert!(output.stderr.contains("nothing changed"), "{output}");
        assert_eq!(all_files(&sandbox), before, "{broken}");
        assert_eq!(read(&sandbox, broken), content);
    }
}

#[test]
fn uneditable_settings_stop_only_hooks() {
    let sandbox = old_code().file(".claude/settings.json", "{ broken");
    let before = all_files(&sandbox);
    let output = sandbox.run(["init", "--hook"]);
    assert_eq!(output.code, Some(3), "{output}");
    assert!(output.stderr.contains("settings.json:1:"), "{output}");
    assert!(output.stderr.contains("nothing written"), "{output}");
    assert_eq!(all_files(&sandbox), before);
    let output = sandbox.run(["init"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.contains("No hooks for Claude Code: "), "{output}");
    assert!(sandbox.path(".claude/phaser.yaml").exists());
}

#[test]
fn pre_commit_entry_needs_repository() {
    let sandbox = Sandbox::new();
    let output = sandbox.run(["init", "--pre-commit"]);
    assert_eq!(output.code, Some(3), "{output}");
    assert!(output.stderr.contains("git init"), "{output}");
    assert!(!sandbox.path(".claude").exists());
    assert_eq!(sandbox.run(["init", "--yes"]).code, Some(0));
}

#[test]
fn incomplete_check_makes_no_baseline() {
    let sandbox = old_code().contract(&forbid("slow", r"(?:(?!x)(?:a|aa))+(?<!a)", "**/*.slow"));
    let sandbox = sandbox.file("x.slow", format!("{}!", "a".repeat(5000)));
    let all = sandbox.run(["enforce", "--all"]);
    assert_eq!(all.code, Some(3), "the pattern is meant to run out of time: {all}");
    let output = sandbox.run(["init", "--baseline"]);
    assert_eq!(output.code, Some(3), "{output}");
    assert!(output.stderr.contains("some files are unchecked"), "{output}");
    assert!(!sandbox.path(".claude/phaser.yaml").exists());
    let output = sandbox.run(["init", "--yes"]);
    assert!(output.stdout.contains("cannot be recorded in a baseline"), "{output}");
    assert!(!sandbox.path(".claude/phaser-baseline.jsonl").exists());
}

#[test]
fn names_unchecked_files() {
    let sandbox = old_code().file("data.txt", "a\0b");
    let output = sandbox.run(["init", "--yes"]);
    assert!(output.stdout.contains("Not checked: data.txt: binary, "), "{output}");
    assert!(output.stdout.contains("exit with 3"), "{output}");
    assert_eq!(sandbox.run(["enforce", "--all"]).code, Some(3));
}

#[test]
fn ignored_directory_is_avoided() {
    let sandbox = old_code().file(".gitignore", ".claude/\n");
    fs::remove_dir_all(sandbox.path(".claude")).expect("removed");
    let output = sandbox.run(["init", "--yes", "--pack", "python"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.contains("phaser.yaml, since git ignores .claude:"), "{output}");
    assert!(output.stdout.contains("name a directory in 'contracts'"), "{output}");
    assert!(!output.stderr.contains("ignored by git"), "{output}");
    assert!(!sandbox.path(".claude/phaser.yaml").exists());
    let all = sandbox.run(["enforce", "--all"]);
    assert_eq!(all.code, Some(0), "{all}");

    // The line that the configuration has for them.
    let config = read(&sandbox, "phaser.yaml").replace("# contracts: [contracts]", "contracts: [contracts]");
    let sandbox = sandbox.file("phaser.yaml", config);
    fs::create_dir(sandbox.path("contracts")).expect("created");
    let created = sandbox.run([
        "contracts",
        "create",
        "--rule-id",
        "a",
        "--type",
        "forbid_pattern",
        "--pattern",
        "x",
        "--glob",
        "**/*.py",
        "--message",
        "m",
    ]);
    assert_eq!(created.code, Some(0), "{created}");
    assert!(sandbox.path("contracts/a.yaml").exists(), "{created}");
}

#[test]
fn terminal_asks_before_writing() {
    let run = |sandbox: &Sandbox, typed: &str| typing_on_a_terminal(sandbox, "init", &[], typed);
    let sandbox = old_code();
    let before = all_files(&sandbox);
    let no = run(&sandbox, "y\nn\ny\ny\nn\n");
    assert!(no.contains("skips the permission prompt. [y/N/?]"), "{no}");
    assert!(
        no.contains("The whole guard, for shell commands and the end of a turn as well? [y/N/?]"),
        "{no}"
    );
    assert!(no.contains("2 violations today: record them as a baseline? [y/N/?]"), "{no}");
    assert!(no.contains("Nothing written."), "{no}");
    assert_eq!(all_files(&sandbox), before);
    let some = run(&sandbox, "n\nn\nn\ny\n\n");
    assert!(some.contains("Write .claude/phaser.yaml, .claude/phaser-baseline.jsonl? [Y/n/?]"), "{some}");
    assert_eq!(all_files(&sandbox).len(), before.len() + 2);
}

#[test]
fn the_guard_is_offered_with_the_hooks() {
    let sandbox = old_code();
    let run = |typed: &str| typing_on_a_terminal(&sandbox, "init", &[], typed);
    let yes = run("y\ny\nn\nn\nn\n\n");
    assert!(yes.contains(".claude/phaser.yaml, .claude/settings.json"), "{yes}");
    assert_eq!(read(&sandbox, ".claude/settings.json").matches("--stdin --guard;").count(), 8);
    let again = sandbox.run(["init", "--guard"]);
    assert_eq!(again.code, Some(0), "{again}");
    assert_eq!(read(&sandbox, ".claude/settings.json").matches("--stdin --guard;").count(), 8);
}

#[test]
fn named_guard_replaces_plain_hooks() {
    let sandbox = old_code();
    assert_eq!(sandbox.run(["init", "--hook"]).code, Some(0));
    let plain = sandbox.run(["init", "--hook", "--dry-run"]);
    assert!(plain.stdout.contains("--guard"), "{plain}");
    assert!(!read(&sandbox, ".claude/settings.json").contains("--guard"));
    let guard = sandbox.run(["init", "--guard"]);
    assert_eq!(guard.code, Some(0), "{guard}");
    assert_eq!(read(&sandbox, ".claude/settings.json").matches("--stdin --guard;").count(), 8);
}

#[test]
fn git_hook_refuses_commit_with_violation() {
    let sandbox = old_code();
    let output = sandbox.run(["init", "--git-hook"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(
        output.stdout.contains("Written: .claude/phaser.yaml, .git/hooks/pre-commit, .git/hooks/commit-msg."),
        "{output}"
    );
    assert!(!sandbox.path(".pre-commit-config.yaml").exists());
    let hook = sandbox.path(".git/hooks/pre-commit");
    assert_eq!(
        read(&sandbox, ".git/hooks/pre-commit"),
        "#!/bin/sh\nexec phaser enforce --staged --strict --format full\n"
    );
    assert_eq!(fs::metadata(&hook).expect("is there").permissions().mode() & 0o111, 0o111);
    let again = sandbox.run(["init", "--git-hook"]);
    assert_eq!(again.code, Some(0), "{again}");
    assert!(again.stdout.contains("phaser is already in .git/hooks/pre-commit."), "{again}");
}

#[test]
fn git_hook_follows_hooks_path() {
    let sandbox = old_code();
    sandbox.git(&["config", "core.hooksPath", ".githooks"]);
    assert_eq!(sandbox.run(["init", "--git-hook"]).code, Some(0));
    assert!(sandbox.path(".githooks/pre-commit").exists());
    // A directory outside the project serves other repositories too.
    let sandbox = old_code();
    let outside = sandbox.home().join("hooks");
    sandbox.git(&["config", "core.hooksPath", outside.to_str().expect("text")]);
    let output = sandbox.run(["init", "--git-hook"]);
    assert_eq!(output.code, Some(3), "{output}");
    assert!(output.stderr.contains("core.hooksPath"), "{output}");
    assert!(!outside.exists() && !sandbox.path(".claude/phaser.yaml").exists());
}

#[test]
fn git_hook_never_replaces_a_hook() {
    let sandbox = old_code().file(".git/hooks/pre-commit", "#!/bin/sh\ntrue\n");
    let output = sandbox.run(["init", "--git-hook"]);
    assert_eq!(output.code, Some(3), "{output}");
    assert!(output.stderr.contains(".git/hooks/pre-commit exists"), "{output}");
    assert_eq!(read(&sandbox, ".git/hooks/pre-commit"), "#!/bin/sh\ntrue\n");
    assert!(!sandbox.path(".claude/phaser.yaml").exists());
    let no_repository = Sandbox::new().run(["init", "--git-hook"]);
    assert_eq!(no_repository.code, Some(3), "{no_repository}");
}

#[test]
fn guard_covers_agents_in_use() {
    let sandbox = old_code().file(".cursor/rules", "");
    let dry = sandbox.run(["init", "--guard", "--dry-run"]);
    assert!(dry.stdout.contains("Hooks for Cursor, in .cursor/hooks.json (--guard)."), "{dry}");
    assert!(!sandbox.path(".cursor/hooks.json").exists());
    let output = sandbox.run(["init", "--guard"]);
    assert_eq!(output.code, Some(0), "{output}");
    let installed = read(&sandbox, ".cursor/hooks.json");
    assert_eq!(sandbox.run(["enforce", "install", "--agent", "cursor"]).code, Some(0));
    assert_eq!(read(&sandbox, ".cursor/hooks.json"), installed);
}

#[test]
fn question_mark_explains() {
    let sandbox = old_code().file(".cursor/rules", "");
    let before = all_files(&sandbox);
    let typed = "?\ny\n?\nn\n?\ny\n?\nn\n?\ny\n?\ny\n?\nn\n";
    let output = typing_on_a_terminal(&sandbox, "init", &[], typed);
    for explained in [
        "Claude Code runs phaser before and after each edit.",
        "The guard lists the contracts",
        "These agents are in use",
        "(pre-commit.com)",
        "git runs before each commit",
        "The baseline is a file",
        "all or none",
    ] {
        assert!(output.contains(explained), "{explained}: {output}");
    }
    let files = "Write .claude/phaser.yaml, .claude/phaser-baseline.jsonl, .git/hooks/pre-commit, \
                 .git/hooks/commit-msg, .cursor/hooks.json, .claude/settings.json?";
    assert!(output.contains(files) && output.contains("Nothing written."), "{output}");
    assert_eq!(all_files(&sandbox), before);
}

#[test]
fn first_contract_is_written_with_the_rest() {
    let sandbox = Sandbox::new().file("a.py", "x = 1\n");
    let contract = "\n**/*.py\nprint\nprint(1)\nlog(1)\nUse the logger.\n\nno-print\n";
    let run = |last: &str| typing_on_a_terminal(&sandbox, "init", &[], &format!("n\ny\n{contract}{last}"));
    let no = run("n\n");
    assert!(no.contains("Write .claude/phaser.yaml, .claude/contracts/no-print.yaml? [Y/n/?]"), "{no}");
    assert!(!sandbox.path(".claude").exists(), "{no}");
    let yes = run("\n");
    assert!(!yes.contains("phaser contracts create"), "{yes}");
    assert!(read(&sandbox, ".claude/contracts/no-print.yaml").starts_with("rule_id: no-print\n"), "{yes}");
    assert_eq!(sandbox.run(["contracts", "lint"]).code, Some(0));
    let without = Sandbox::new().run(["init"]);
    assert!(without.stdout.contains("phaser contracts create"), "{without}");
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
fn pre_commit_entry_checks_named_files() {
    let sandbox = Sandbox::new().git_init().file("a.py", "def f():\n    raise NotImplemented\n");
    assert_eq!(sandbox.run(["init", "--pre-commit"]).code, Some(0));
    assert!(read(&sandbox, ".claude/phaser.yaml").contains("existing: report"));
    sandbox.git(&["add", "--all"]);
    let sandbox = sandbox.git_commit("first").file("b.py", "x = 1\n").git_add("b.py");
    let configuration = fs::read_to_string(sandbox.path(".pre-commit-config.yaml")).expect("is there");
    let hook = only_hook(&configuration);
    // 'pre-commit run --all-files', and --from-ref with --to-ref: nothing of a.py is staged.
    let all = run_as_pre_commit(&sandbox, &hook, &[".pre-commit-config.yaml", "a.py", "b.py"]);
    assert_eq!(all.code, Some(1), "{all}");
    assert!(all.stdout.contains("a.py:2:5: error: python-raise-notimplemented"), "{all}");
    // 'git commit': only what is staged.
    assert_eq!(run_as_pre_commit(&sandbox, &hook, &["b.py"]).code, Some(0));
    // A commit that only deletes names no file.
    assert_eq!(run_as_pre_commit(&sandbox, &hook, &[]).code, Some(0));
}

#[test]
fn pre_commit_entry_equals_offered_hook() {
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
fn complex_pre_commit_configuration_stays() {
    let sandbox = Sandbox::new().git_init().file(".pre-commit-config.yaml", "repos: []\n");
    let output = sandbox.run(["init", "--pre-commit"]);
    assert!(output.stdout.contains("add this to its 'repos':\n- repo: local\n"), "{output}");
    assert_eq!(fs::read_to_string(sandbox.path(".pre-commit-config.yaml")).expect("is there"), "repos: []\n");
}

#[test]
fn completions_are_there_for_every_shell() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "nushell", "powershell", "elvish"] {
        let output = sandbox.run(["completions", shell]);
        assert_eq!(output.code, Some(0), "{output}");
        assert!(output.stdout.contains("contracts") && output.stdout.contains("pack"), "{shell}");
    }
    assert_eq!(sandbox.run(["completions", "tcsh"]).code, Some(3));
}

#[test]
fn ids_are_silent_on_failure() {
    let sandbox = Sandbox::new().contract(&forbid("b", "x", "**")).contract(&forbid("a", "x", "**"));
    let ids = sandbox.run(["completions", "--ids"]);
    assert_eq!((ids.code, ids.stdout.as_str(), ids.stderr.as_str()), (Some(0), "a\nb\n", ""));
    let broken = sandbox.file(".claude/phaser.yaml", "pakcs: [go]\n").run(["completions", "--ids"]);
    assert_eq!((broken.code, broken.stdout.as_str(), broken.stderr.as_str()), (Some(0), "", ""));
}

#[test]
fn bash_completes_contract_ids() {
    let sandbox =
        Sandbox::new().contract(&forbid("no-print", "x", "**")).contract(&forbid("todo", "x", "**"));
    for (line, expected) in [
        ("explain no-", "no-print"),
        ("explain ", "no-print todo"),
        ("contracts show t", "todo"),
        ("contracts test no-print to", "todo"),
        ("contracts backtest no-", "no-print"),
        ("enforce --all --only no-", "no-print"),
        ("enforce --all --skip todo,no-", "todo,no-print"),
        ("decisions --contract no-", "no-print"),
        ("contracts dis", "disable"),
        ("explain --forma", "--format"),
    ] {
        let script = format!(
            "source <(\"$0\" completions bash); COMP_WORDS=(\"$0\" {line}{}); \
             COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _phaser_with_ids \"$0\" \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; \
             echo \"${{COMPREPLY[*]}}\"",
            if line.ends_with(' ') { "''" } else { "" }
        );
        let output = sandbox.run_with(&mut sandbox.shell(&script), b"");
        assert_eq!((output.stdout.trim(), output.stderr.as_str()), (expected, ""), "{line}");
    }
}

#[test]
fn other_shells_ask_for_contract_ids() {
    let sandbox = Sandbox::new();
    let zsh = sandbox.run(["completions", "zsh"]).stdout;
    assert!(
        zsh.contains(":PATTERN:_phaser_ids'") && zsh.contains("':id -- Contract id:_phaser_ids'"),
        "{zsh}"
    );
    let fish = sandbox.run(["completions", "fish"]).stdout;
    assert!(fish.contains("__fish_seen_subcommand_from backtest\" -f -a \"(__fish_phaser_ids)\""), "{fish}");
    for script in [zsh, fish] {
        assert!(!script.contains("hosts") && !script.contains("hostnames"), "{script}");
    }
}

#[test]
fn every_command_has_manual_page() {
    let sandbox = Sandbox::new();
    assert!(sandbox.run(["man"]).stdout.contains(".TH phaser 1"), "{}", sandbox.run(["man"]));
    let page = sandbox.run(["man", "contracts", "test"]);
    assert!(page.stdout.contains("phaser\\-contracts\\-test"), "{page}");
    assert_eq!(sandbox.run(["man", "nothing"]).code, Some(3));
}
