//! Contracts about changes: what may not be taken away, and files that belong together.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{Output, Sandbox};

const KEEP: &str = "rule_id: keep-asserts\ntype: keep_pattern\npattern: 'assert .+'\nfile_glob: 'tests/**'\n\
    message: 'Keep the assertion.'\nrationale: 'A test without it proves nothing.'\nseverity: error\n\
    examples:\n  violating: [{before: \"assert f(1) == 1\\n\", after: \"assert True\\n\"}, {before: 'assert x', after: null}]\n  \
    passing: [{before: \"assert a\\nassert b\\n\", after: \"  assert  b\\nassert a\\n\"}, {before: null, after: 'x'}]\n";

const FROZEN: &str = "rule_id: frozen\ntype: file_unchanged\nfile_glob: 'migrations/*.sql'\n\
    message: 'Add a new migration.'\nseverity: error\n\
    examples:\n  violating: [{before: 'a', after: 'b'}, {before: 'a', after: null}]\n  passing: [{before: null, after: 'a'}]\n";

const APPEND: &str = "rule_id: append-only\ntype: file_unchanged\nappend: allow\nfile_glob: 'log.txt'\n\
    message: 'Only add lines.'\nseverity: error\n";

const COMPANION: &str = "rule_id: has-test\ntype: companion_exists\ncompanion: 'tests/test_{stem}.py'\n\
    file_glob: 'src/*.py'\nmessage: 'Add a test.'\nseverity: error\n";

const LOCKED: &str = "rule_id: lock-file\ntype: companion_changed\ncompanion: ['package-lock.json', 'yarn.lock']\n\
    file_glob: 'package.json'\nmessage: 'Update the lock file.'\nseverity: error\n";

const TEST: &str = "def test_f():\n    assert f(1) == 1\n    assert f(2) == 2\n";

/// A project with one commit of last year, so that no turn can have made it.
fn project(contracts: &[&str]) -> Sandbox {
    let sandbox = contracts.iter().fold(Sandbox::new(), |sandbox, yaml| sandbox.contract(yaml));
    let sandbox = sandbox
        .file("tests/a.py", TEST)
        .file("tests/b.py", "x = 1\n")
        .file("migrations/1.sql", "create table a;\n")
        .file("log.txt", "one\n")
        .git_init()
        .git_add(".")
        .git_commit("first");
    age(&sandbox);
    sandbox
}

fn age(sandbox: &Sandbox) {
    let script = "GIT_COMMITTER_DATE=2025-01-01T00:00:00Z git commit -q --amend --no-edit && \
        git reflog expire --expire=all --all && git gc -q --prune=now";
    assert!(sandbox.shell(script).status().expect("runs").success());
}

fn staged(sandbox: &Sandbox) -> Vec<String> {
    sandbox.run(["enforce", "--staged", "--format", "json"]).violations()
}

fn event(sandbox: &Sandbox, name: &str, fields: Value) -> Output {
    let output = sandbox.hook(name).with(json!({ "transcript_path": null })).with(fields).guard().run();
    assert_eq!(output.code, Some(0), "{output}");
    output
}

fn bash(sandbox: &Sandbox, script: &str) -> Output {
    let began = Instant::now();
    assert!(sandbox.shell(script).status().expect("runs").success());
    let duration = u64::try_from(began.elapsed().as_millis()).expect("short") + 2_000;
    let response = json!({ "stdout": "", "stderr": "", "interrupted": false });
    let fields = json!({ "tool_name": "Bash", "tool_input": { "command": script }, "tool_response": response,
        "duration_ms": duration });
    event(sandbox, "PostToolUse", fields)
}

fn stop(sandbox: &Sandbox) -> Output {
    event(sandbox, "Stop", json!({ "stop_hook_active": false }))
}

mod kept {
    use super::*;

    #[test]
    fn edit_that_removes_match_is_denied_and_quoted() {
        let sandbox = project(&[KEEP]);
        let text = "    assert f(1) == 1\n    assert f(2) == 2\n";
        let output = sandbox.hook("PreToolUse").guard().edit("tests/a.py", text, "    assert True\n").run();
        output.assert_denied(&["keep-asserts at tests/a.py:2", "keep-asserts at tests/a.py:3"]);
        let reason = output.reason();
        for quoted in ["tests/a.py:2: assert f(1) == 1 (removed)", "tests/a.py:3: assert f(2) == 2 (removed)"]
        {
            assert!(reason.contains(quoted), "{reason}");
        }
        assert!(reason.contains("add it to the new place first"), "{reason}");
    }

    #[test]
    fn moving_match_is_allowed() {
        let sandbox = project(&[KEEP]);
        // Within the file, with other white space.
        let moved = "def test_f():\n    assert  f(2) == 2\n    if x:\n        assert f(1) == 1\n";
        sandbox.hook("PreToolUse").guard().write("tests/a.py", moved).run().assert_allowed();
        // To another file, which has it already.
        let sandbox = sandbox.file("tests/new.py", "    assert f(2) == 2\n");
        let without = "def test_f():\n    assert f(1) == 1\n";
        sandbox.hook("PreToolUse").guard().write("tests/a.py", without).run().assert_allowed();
        // A file outside the glob does not count.
        std::fs::rename(sandbox.path("tests/new.py"), sandbox.path("new.py")).expect("moved");
        let output = sandbox.hook("PreToolUse").guard().write("tests/a.py", without).run();
        output.assert_denied(&["keep-asserts at tests/a.py:3"]);
    }

    #[test]
    fn each_copy_counts() {
        let sandbox = project(&[KEEP]).file("tests/c.py", "assert f(2) == 2\n");
        let sandbox = sandbox.git_add(".").git_commit("again");
        let without = "def test_f():\n    assert f(1) == 1\n";
        let output = sandbox.hook("PreToolUse").guard().write("tests/a.py", without).run();
        output.assert_denied(&["keep-asserts at tests/a.py:3"]);
    }

    #[test]
    fn new_file_and_uncommitted_match_are_free() {
        let sandbox = project(&[KEEP]).file("tests/new.py", "assert x\n");
        sandbox.hook("PreToolUse").guard().write("tests/new.py", "pass\n").run().assert_allowed();
        let sandbox = sandbox.file("tests/b.py", "assert y\n");
        sandbox.hook("PreToolUse").guard().write("tests/b.py", "x = 2\n").run().assert_allowed();
    }

    #[test]
    fn earlier_removal_by_someone_else_is_existing() {
        let sandbox = project(&[KEEP]).file("tests/a.py", "def test_f():\n    assert f(2) == 2\n");
        let edit = || sandbox.hook("PreToolUse").guard();
        edit().edit("tests/a.py", "def test_f", "def test_g").run().assert_allowed();
        edit().edit("tests/b.py", "x", "y").run().assert_allowed();
        let output = edit().edit("tests/a.py", "assert f(2) == 2", "pass").run();
        output.assert_denied(&["keep-asserts at tests/a.py:3"]);
    }

    #[test]
    fn works_without_git() {
        let sandbox = Sandbox::new().contract(KEEP).file("tests/a.py", TEST);
        let output = sandbox.hook("PreToolUse").guard().write("tests/a.py", "pass\n").run();
        output.assert_denied(&["keep-asserts at tests/a.py:2", "keep-asserts at tests/a.py:3"]);
        sandbox.hook("PreToolUse").guard().write("tests/new.py", "pass\n").run().assert_allowed();
    }

    #[test]
    fn staged_and_diff_agree() {
        let sandbox = project(&[KEEP]);
        let sandbox = sandbox.file("tests/a.py", "def test_f():\n    assert f(2) == 2\n").git_add(".");
        let expected = ["tests/a.py:2:5 keep-asserts"];
        assert_eq!(staged(&sandbox), expected);
        let json = sandbox.run(["enforce", "--staged", "--format", "json"]).json();
        assert_eq!(json["violations"][0]["change"], "removed", "{json}");
        let diff = |range: &str| sandbox.run(["enforce", "--diff", range, "--format", "json"]).violations();
        assert_eq!(diff("HEAD"), expected);
        let sandbox = sandbox.git_commit("second");
        let diff = |range: &str| sandbox.run(["enforce", "--diff", range, "--format", "json"]).violations();
        assert_eq!(diff("HEAD~..HEAD"), expected);
        assert_eq!(diff("HEAD~"), expected);
        assert_eq!(sandbox.run(["enforce", "--all"]).code, Some(0), "no change is judged");
        let backtest = sandbox.run(["contracts", "backtest", "keep-asserts", "--format", "json"]).json();
        assert_eq!(backtest["commits"]["refused"], 1, "{backtest}");
    }

    #[test]
    fn move_between_staged_files_and_rename_are_allowed() {
        let sandbox = project(&[KEEP]).file("tests/a.py", "def test_f():\n    assert f(1) == 1\n");
        let sandbox = sandbox.file("tests/deep/c.py", "assert f(2) == 2\n").git_add(".");
        assert_eq!(staged(&sandbox), [""; 0]);
        let sandbox = project(&[KEEP]);
        sandbox.git(&["mv", "tests/a.py", "tests/z.py"]);
        assert_eq!(staged(&sandbox), [""; 0]);
        sandbox.git(&["mv", "tests/z.py", "z.py"]);
        let expected = ["tests/a.py:2:5 keep-asserts", "tests/a.py:3:5 keep-asserts"];
        assert_eq!(staged(&sandbox), expected, "it left the glob");
    }

    #[test]
    fn deletion_is_removal() {
        let sandbox = project(&[KEEP]);
        sandbox.git(&["rm", "-q", "tests/a.py"]);
        let expected = ["tests/a.py:2:5 keep-asserts", "tests/a.py:3:5 keep-asserts"];
        assert_eq!(staged(&sandbox), expected);
    }

    #[test]
    fn directive_in_base_excepts_line() {
        let sandbox =
            project(&[KEEP]).file("tests/a.py", "assert a # phaser:ignore keep-asserts\nassert b\n");
        let sandbox = sandbox.git_add(".").git_commit("excepted").file("tests/a.py", "").git_add(".");
        assert_eq!(staged(&sandbox), ["tests/a.py:2:1 keep-asserts"]);
        // A change does not excuse itself.
        let sandbox = sandbox.file("tests/a.py", "# phaser:ignore-file keep-asserts\n").git_add(".");
        assert_eq!(staged(&sandbox), ["tests/a.py:2:1 keep-asserts"]);
    }

    #[test]
    fn command_and_turn_report_removals() {
        let sandbox = project(&[KEEP]);
        let swept = bash(&sandbox, "sed -i '/f(1)/d' tests/a.py");
        assert_eq!(swept.reported(), ["keep-asserts at tests/a.py:2"], "{swept}");
        let stopped = stop(&sandbox);
        assert_eq!(stopped.reported(), ["keep-asserts at tests/a.py:2"], "{stopped}");
    }

    #[test]
    fn command_that_deletes_is_reported() {
        let sandbox = project(&[KEEP, FROZEN]);
        let swept = bash(&sandbox, "rm tests/a.py");
        assert_eq!(
            swept.reported(),
            ["keep-asserts at tests/a.py:2", "keep-asserts at tests/a.py:3"],
            "{swept}"
        );
        let swept = bash(&sandbox, "git checkout -q tests && mv migrations/1.sql migrations/2.sql");
        assert_eq!(swept.reported(), ["frozen at migrations/1.sql"], "{swept}");
        assert!(swept.stdout.contains("renamed to migrations/2.sql"), "{swept}");
    }

    #[test]
    fn switching_branches_is_silent() {
        let sandbox = project(&[KEEP, FROZEN]);
        sandbox.git(&["checkout", "-q", "-b", "other"]);
        sandbox.git(&["rm", "-q", "tests/a.py"]);
        let sandbox = sandbox.file("migrations/1.sql", "other\n").git_add(".").git_commit("other");
        age(&sandbox);
        sandbox.git(&["checkout", "-q", "main"]);
        std::thread::sleep(Duration::from_millis(4_100));
        for script in ["git checkout -q other", "git checkout -q main", "git merge -q --no-edit other"] {
            let swept = bash(&sandbox, script);
            assert_eq!(swept.reported(), [""; 0], "{script}: {swept}");
        }
    }
}

mod frozen {
    use super::*;

    #[test]
    fn committed_file_is_refused_and_new_one_is_free() {
        let sandbox = project(&[FROZEN]).file("migrations/2.sql", "new\n");
        let hook = || sandbox.hook("PreToolUse").guard();
        hook()
            .write("migrations/1.sql", "create table a;\nb\n")
            .run()
            .assert_denied(&["frozen at migrations/1.sql:2"]);
        hook().write("migrations/1.sql", "create table a;\n").run().assert_allowed();
        hook().write("migrations/2.sql", "newer\n").run().assert_allowed();
        hook().write("migrations/3.sql", "newest\n").run().assert_allowed();
    }

    #[test]
    fn deletion_and_rename_name_paths() {
        let sandbox = project(&[FROZEN]);
        sandbox.git(&["mv", "migrations/1.sql", "migrations/9.sql"]);
        let output = sandbox.run(["enforce", "--staged", "--format", "json"]);
        assert_eq!(output.violations(), ["migrations/1.sql frozen"]);
        assert_eq!(output.json()["violations"][0]["change"], "renamed to migrations/9.sql");
        sandbox.git(&["rm", "-qf", "migrations/9.sql"]);
        let output = sandbox.run(["enforce", "--staged", "--format", "json"]);
        assert_eq!(output.json()["violations"][0]["change"], "deleted");
    }

    #[test]
    fn modes_and_line_ends_are_no_change() {
        let sandbox = project(&[FROZEN]);
        sandbox.git(&["update-index", "--chmod=+x", "migrations/1.sql"]);
        assert_eq!(staged(&sandbox), [""; 0]);
        let sandbox = sandbox.file("migrations/1.sql", "create table a;\r\n").git_add(".");
        assert_eq!(staged(&sandbox), [""; 0]);
    }

    #[test]
    fn append_allows_new_lines_at_end() {
        let sandbox = project(&[APPEND]).file("log.txt", "one\ntwo\n").git_add(".");
        assert_eq!(staged(&sandbox), [""; 0]);
        let sandbox = sandbox.file("log.txt", "two\n").git_add(".");
        assert_eq!(staged(&sandbox), ["log.txt:1:1 append-only"]);
    }

    #[test]
    fn repository_without_commit_has_nothing_to_keep() {
        let sandbox = Sandbox::new().contract(FROZEN).contract(KEEP).file("migrations/1.sql", "a\n");
        let sandbox = sandbox.file("tests/a.py", TEST).git_init().git_add(".");
        assert_eq!(staged(&sandbox), [""; 0]);
        sandbox.hook("PreToolUse").guard().write("migrations/1.sql", "b\n").run().assert_allowed();
    }

    #[test]
    fn inner_repository_does_not_make_files_new() {
        let sandbox = project(&[FROZEN]);
        sandbox.git(&["init", "-q", "migrations"]);
        let output = sandbox.hook("PreToolUse").guard().write("migrations/1.sql", "b\n").run();
        output.assert_denied(&["frozen at migrations/1.sql:1"]);
    }

    #[test]
    fn detached_head_worktree_and_merge_work() {
        let sandbox = project(&[FROZEN]);
        sandbox.git(&["checkout", "-q", "--detach"]);
        let output = sandbox.hook("PreToolUse").guard().write("migrations/1.sql", "b\n").run();
        output.assert_denied(&["frozen at migrations/1.sql:1"]);
        // What another branch brings is not the work of the merge.
        sandbox.git(&["checkout", "-q", "-b", "other"]);
        let sandbox = sandbox.file("migrations/1.sql", "other\n").git_add(".").git_commit("other");
        sandbox.git(&["checkout", "-q", "main"]);
        let sandbox = sandbox.file("x", "x").git_add("x").git_commit("main");
        sandbox.git(&["merge", "-q", "--no-commit", "other"]);
        assert_eq!(staged(&sandbox), [""; 0]);
        let sandbox = sandbox.file("migrations/1.sql", "third\n").git_add(".");
        assert_eq!(staged(&sandbox), ["migrations/1.sql:1:1 frozen"]);
    }

    #[test]
    fn rebase_in_progress_compares_with_both_sides() {
        let sandbox = project(&[KEEP]);
        sandbox.git(&["checkout", "-q", "-b", "topic"]);
        let sandbox = sandbox.file("tests/a.py", TEST.replace("f(2) == 2", "f(3) == 3"));
        let sandbox = sandbox.git_add(".").git_commit("topic");
        sandbox.git(&["checkout", "-q", "main"]);
        let sandbox = sandbox.file("tests/a.py", TEST.replace("f(2) == 2", "f(4) == 4"));
        let sandbox = sandbox.git_add(".").git_commit("main");
        sandbox.git(&["checkout", "-q", "topic"]);
        assert!(
            !sandbox.shell("git rebase -q main 2>/dev/null >&2").status().expect("runs").success(),
            "it conflicts"
        );
        // Either side decides about the line in conflict; neither removed the line above.
        let sandbox = sandbox.file("tests/a.py", TEST.replace("f(2) == 2", "f(3) == 3")).git_add(".");
        assert_eq!(staged(&sandbox), [""; 0]);
        let without = "def test_f():\n    assert f(3) == 3\n";
        let output = sandbox.hook("PreToolUse").guard().write("tests/a.py", without).run();
        output.assert_denied(&["keep-asserts at tests/a.py:2"]);
        let sandbox = sandbox.file("tests/a.py", without).git_add(".");
        assert_eq!(staged(&sandbox), ["tests/a.py:2:5 keep-asserts"]);
    }

    #[test]
    fn shallow_clone_without_base_is_no_pass() {
        let sandbox = project(&[FROZEN]).file("migrations/2.sql", "two\n").git_add(".").git_commit("second");
        let script = "git clone -q --depth 1 --bare \"file://$PWD\" shallow && rm -rf .git && mv shallow .git && \
            git config core.bare false";
        assert!(sandbox.shell(script).status().expect("runs").success());
        // The last commit is there.
        let output = sandbox.hook("PreToolUse").guard().write("migrations/1.sql", "b\n").run();
        output.assert_denied(&["frozen at migrations/1.sql:1"]);
        let output = sandbox.run(["enforce", "--diff", "HEAD~1"]);
        assert_eq!(output.code, Some(3), "{output}");
        assert!(output.stderr.contains("--unshallow"), "{output}");
    }

    #[test]
    fn moved_submodule_is_no_change_of_its_files() {
        let sandbox = project(&[&FROZEN.replace("migrations/*.sql", "**")]);
        let script = "git init -q -b main other && git -C other commit -q --allow-empty -m a && \
            git -c protocol.file.allow=always submodule add -q \"$PWD/other\" lib && git commit -qm lib && \
            git -C lib commit -q --allow-empty -m b && git add lib";
        assert!(sandbox.shell(script).status().expect("runs").success());
        assert_eq!(staged(&sandbox), [""; 0]);
        assert_eq!(sandbox.run(["enforce", "--diff", "HEAD"]).code, Some(0));
    }

    #[test]
    fn sparse_checkout_has_no_deletions() {
        let sandbox = project(&[FROZEN, KEEP]);
        sandbox.git(&["sparse-checkout", "set", "--no-cone", "/*", "!/migrations/"]);
        assert!(!sandbox.path("migrations/1.sql").exists());
        assert_eq!(staged(&sandbox), [""; 0]);
        assert_eq!(sandbox.run(["enforce", "--diff", "HEAD"]).code, Some(0));
        assert_eq!(stop(&sandbox).reported(), [""; 0]);
    }

    #[test]
    fn broken_base_is_a_gap() {
        let sandbox = project(&[FROZEN]).file("migrations/2.sql", "two\n").git_add(".").git_commit("loose");
        let id = sandbox.git(&["rev-parse", "HEAD:migrations/2.sql"]);
        let id = id.trim();
        std::fs::remove_file(sandbox.path(&format!(".git/objects/{}/{}", &id[..2], &id[2..])))
            .expect("removed");
        let output = sandbox.hook("PreToolUse").guard().write("migrations/2.sql", "b\n").run();
        assert_ne!(output.decision(), "allow", "{output}");
        assert!(output.stdout.contains("migrations/2.sql"), "the gap is reported: {output}");
    }

    #[test]
    fn decision_ask_asks() {
        let sandbox = project(&[&FROZEN.replace("severity: error", "severity: error\ndecision: ask")]);
        let output = sandbox.hook("PreToolUse").guard().write("migrations/1.sql", "b\n").run();
        assert_eq!(output.decision(), "ask", "{output}");
        let sandbox = sandbox.file("migrations/1.sql", "b\n").git_add(".");
        assert_eq!(sandbox.run(["enforce", "--staged"]).code, Some(1));
    }
}

mod companions {
    use super::*;

    #[test]
    fn missing_companion_is_reported_where_judged() {
        let sandbox = project(&[COMPANION]).file("src/a.py", "x\n").file("src/b.py", "x\n");
        let sandbox = sandbox.file("tests/test_a.py", "x\n").git_add(".");
        let expected = ["src/b.py has-test"];
        assert_eq!(staged(&sandbox), expected);
        let all = sandbox.run(["enforce", "--all", "--format", "json"]);
        assert_eq!(all.violations(), expected);
        assert_eq!(all.json()["violations"][0]["change"], "tests/test_b.py is missing");
        sandbox.hook("PreToolUse").guard().write("src/c.py", "x\n").run().assert_allowed();
        let stopped = stop(&sandbox);
        assert_eq!(stopped.reported(), ["has-test at src/b.py"], "{stopped}");
        let again = event(&sandbox, "Stop", json!({ "stop_hook_active": true }));
        assert_eq!(again.decision(), "", "once: {again}");
    }

    #[test]
    fn deleted_companion_is_missed_by_file_that_needs_it() {
        let sandbox = project(&[COMPANION]).file("src/a.py", "x\n").file("tests/test_a.py", "x\n");
        let sandbox = sandbox.git_add(".").git_commit("both");
        sandbox.git(&["rm", "-q", "tests/test_a.py"]);
        assert_eq!(staged(&sandbox), ["src/a.py has-test"]);
        sandbox.git(&["rm", "-q", "src/a.py"]);
        assert_eq!(staged(&sandbox), [""; 0]);
    }

    #[test]
    fn companion_must_change_with_file() {
        let sandbox = project(&[LOCKED]).file("package.json", "{}\n").file("package-lock.json", "{}\n");
        let sandbox = sandbox.git_add(".").git_commit("both").file("package.json", "{ }\n").git_add(".");
        assert_eq!(staged(&sandbox), ["package.json lock-file"]);
        let stopped = stop(&sandbox);
        assert_eq!(stopped.reported(), ["lock-file at package.json"], "{stopped}");
        let sandbox = sandbox.file("package-lock.json", "{ }\n").git_add(".");
        assert_eq!(staged(&sandbox), [""; 0]);
        assert_eq!(stop(&sandbox).reported(), [""; 0]);
        let sandbox = sandbox.git_commit("changed");
        let backtest = sandbox.run(["contracts", "backtest", "lock-file", "--format", "json"]).json();
        assert_eq!(backtest["commits"]["refused"], 0, "{backtest}");
    }

    #[test]
    fn directive_excepts_file_without_companion() {
        let ignored = "# phaser:ignore-file has-test -- only names\nx\n";
        let sandbox = project(&[COMPANION]).file("src/a.py", ignored).git_add(".");
        assert_eq!(staged(&sandbox), [""; 0]);
        assert_eq!(stop(&sandbox).reported(), [""; 0]);
        for mode in [["--all", "--strict"], ["--diff", "HEAD"]] {
            let mut command = sandbox.command();
            let output = sandbox.run_with(command.arg("enforce").args(mode), b"");
            assert_eq!(
                (output.code, output.stdout.as_str()),
                (Some(0), "0 errors, 0 warnings, 1 ignored\n"),
                "{output}"
            );
        }
        let strict = sandbox.run(["enforce", "--all", "--no-ignores", "--format", "json"]);
        assert_eq!(strict.violations(), ["src/a.py has-test"]);
        assert_eq!(sandbox.run(["contracts", "lint"]).code, Some(0));
        let explained = sandbox.run(["explain", "has-test"]);
        assert!(explained.stdout.contains("phaser:ignore-file has-test"), "{explained}");
        let sandbox = sandbox.file(".claude/phaser.yaml", "ignores: deny\n").git_add(".").git_commit("all");
        let added = sandbox.hook("PreToolUse").guard().write("src/b.py", ignored).run();
        assert_eq!(added.decision(), "deny", "{added}");
        sandbox.hook("PreToolUse").guard().edit("src/a.py", "x\n", "y\n").run().assert_allowed();
        let sandbox = sandbox.file("tests/test_a.py", "x\n").git_add(".").git_commit("test");
        sandbox.git(&["rm", "-q", "tests/test_a.py"]);
        assert_eq!(staged(&sandbox), [""; 0], "the file that needs it is excepted");
    }

    #[test]
    fn lint_accepts_directives_for_changes() {
        let text = "def test():\n    assert a  # phaser:ignore keep-asserts -- flaky\n";
        let sandbox =
            project(&[KEEP]).file("tests/c.py", text).file("d.py", "# phaser:ignore keep-asserts\n");
        let lint = sandbox.run(["contracts", "lint"]);
        let outside = "d.py:1: 'keep-asserts' is not violated here (remove it)\n";
        assert_eq!(lint.stdout, outside, "{lint}");
    }

    #[test]
    fn directive_for_changed_companion_must_be_committed() {
        let paired = LOCKED.replace("'package.json'", "'*.toml'");
        let sandbox = project(&[&paired]).file("package-lock.json", "x\n").file("a.toml", "a = 1\n");
        let sandbox = sandbox.git_add(".").git_commit("both");
        let ignored = "# phaser:ignore-file lock-file\na = 1\n";
        let sandbox = sandbox.file("a.toml", ignored).git_add(".");
        assert_eq!(staged(&sandbox), ["a.toml lock-file"]);
        let sandbox =
            sandbox.git_commit("directive").file("a.toml", format!("{ignored}b = 1\n")).git_add(".");
        assert_eq!(staged(&sandbox), [""; 0]);
        assert_eq!(sandbox.run(["contracts", "lint"]).code, Some(0));
    }

    #[test]
    fn sparse_checkout_has_companions_outside() {
        for sparse_index in ["--no-sparse-index", "--sparse-index"] {
            let there = "rule_id: there\ntype: file_exists\nfile_glob: 'tests/test_a.py'\nmessage: m\nseverity: error\n";
            let sandbox =
                project(&[COMPANION, there]).contract(&LOCKED.replace("package-lock", "locks/package-lock"));
            let sandbox = sandbox
                .file("src/a.py", "x\n")
                .file("src/b.py", "x\n")
                .file("tests/test_a.py", "x\n")
                .file("package.json", "{}\n")
                .file("locks/package-lock.json", "{}\n")
                .git_add(".")
                .git_commit("all");
            sandbox.git(&["sparse-checkout", "set", "--cone", sparse_index, "src", ".claude"]);
            assert!(!sandbox.path("tests").exists() && !sandbox.path("locks").exists());
            let alone = ["src/b.py has-test"];
            let all = sandbox.run(["enforce", "--all", "--format", "json"]);
            assert_eq!(all.violations(), alone, "{sparse_index}");
            let sandbox =
                sandbox.file("src/a.py", "y\n").file("src/b.py", "y\n").file("package.json", "{ }\n");
            let both = ["package.json lock-file", "src/b.py has-test"];
            let diff = sandbox.run(["enforce", "--diff", "HEAD", "--format", "json"]);
            assert_eq!(diff.violations(), both, "{sparse_index}");
            let reported = stop(&sandbox).reported().join(" ");
            assert!(
                !reported.contains("src/a.py") && reported.contains("src/b.py"),
                "{sparse_index} {reported}"
            );
            let sandbox = sandbox.git_add(".");
            assert_eq!(staged(&sandbox), both, "{sparse_index}");
        }
    }

    #[test]
    fn first_commit_needs_companions() {
        let sandbox = Sandbox::new().contract(COMPANION).file("src/a.py", "x\n").git_init().git_add(".");
        assert_eq!(staged(&sandbox), ["src/a.py has-test"]);
        let sandbox = sandbox.git_commit("first");
        let backtest = sandbox.run(["contracts", "backtest", "has-test", "--format", "json"]).json();
        assert_eq!(backtest["commits"]["refused"], 1, "{backtest}");
    }

    #[test]
    fn without_any_companion_nothing_must_change() {
        let sandbox = project(&[LOCKED]).file("package.json", "{}\n").git_add(".").git_commit("alone");
        let sandbox = sandbox.file("package.json", "{ }\n").git_add(".");
        assert_eq!(staged(&sandbox), [""; 0]);
    }
}

mod examples_of_companions {
    use super::*;

    fn with(contract: &str, examples: &str) -> Sandbox {
        Sandbox::new().contract(&format!("{contract}examples:\n{examples}")).file("src/a.py", "x\n")
    }

    const GOOD: &str = "  violating:\n    - src/a.py\n  passing:\n    - files: [src/a.py, tests/test_a.py]\n";

    #[test]
    fn good_examples_pass_and_are_shown() {
        let sandbox = with(COMPANION, GOOD);
        let tested = sandbox.run(["contracts", "test", "-v"]);
        let all = "ok   has-test violating 1\nok   has-test passing 1\n\nExamples: 2 ok, 0 failed\n";
        assert_eq!((tested.code, tested.stdout.as_str()), (Some(0), all), "{tested}");
        let linted = sandbox.run(["contracts", "lint"]);
        assert_eq!((linted.code, linted.stdout.as_str()), (Some(0), "No problems in 1 contract.\n"));
        let shown = "violates it:\n  - files: src/a.py\n\nis fine:\n  - files: src/a.py, tests/test_a.py\n";
        for command in [["explain", "has-test"].as_slice(), &["contracts", "show", "has-test"]] {
            let output = sandbox.run_with(sandbox.command().args(command), b"");
            assert!(output.stdout.contains(shown), "{output}");
        }
        let json = sandbox.run(["contracts", "show", "has-test", "--format", "json"]).json();
        let files = &json["contract"]["examples"]["passing"][0]["files"];
        assert_eq!(*files, json!(["src/a.py", "tests/test_a.py"]), "{json}");
        let yaml = sandbox.run(["contracts", "show", "has-test", "--yaml"]).stdout;
        assert!(yaml.ends_with(&format!("examples:\n{GOOD}")), "{yaml}");
        let copy = "    - files: ['src/a.py', 'tests/test_a.py']\n";
        let created = sandbox.run([
            "contracts",
            "create",
            "--rule-id",
            "b",
            "--type",
            "companion_exists",
            "--companion",
            "tests/test_{stem}.py",
            "--glob",
            "src/*.py",
            "--message",
            "m",
            "--passing",
            "src/a.py,tests/test_a.py",
            "--dry-run",
        ]);
        assert!(created.stdout.contains(copy), "{created}");
    }

    #[test]
    fn failing_examples_name_the_file() {
        let swapped = "  violating:\n    - files: [src/a.py, tests/test_a.py]\n    - lib/a.py\n  passing:\n    - \
            src/a.py\n    - files: lib/a.py\n";
        let output = with(COMPANION, swapped).run(["contracts", "test"]);
        insta::assert_snapshot!(output.stdout, @r"
        FAIL has-test violating 1 (.claude/contracts/has-test.yaml:9)
             missed: no violation in src/a.py, tests/test_a.py
             - src/a.py
             - tests/test_a.py
        FAIL has-test violating 2 (.claude/contracts/has-test.yaml:10)
             missed: 'src/*.py' does not match lib/a.py (correct the path or the glob)
             - lib/a.py
        FAIL has-test passing 1 (.claude/contracts/has-test.yaml:12)
             unexpected violation in src/a.py (tests/test_a.py is missing)
               src/a.py
        FAIL has-test passing 2 (.claude/contracts/has-test.yaml:13)
             tests nothing: 'src/*.py' does not match lib/a.py (correct the path or the glob)
             - lib/a.py

        Examples: 0 ok, 4 failed
        ");
        assert_eq!(output.code, Some(1), "{output}");
        let locked = "  passing:\n    - package.json\n";
        let output = with(LOCKED, locked).run(["contracts", "test"]);
        let what = "unexpected violation in package.json (package-lock.json or yarn.lock did not change)";
        assert!(output.stdout.contains(what), "{output}");
    }

    #[test]
    fn wrong_shapes_have_a_line() {
        let line = COMPANION.lines().count() + 3;
        for (wrong, what) in [
            (
                "files: []",
                "'files' is a path or a list of paths (write 'files: [src/a.py, tests/test_a.py]')",
            ),
            ("{files: a, text: b}", "an example with 'files' has no other key (write the paths only)"),
            (
                "{before: a, after: b}",
                "an example of companion_exists is a list of paths (write 'files: […]')",
            ),
            ("{file: a, text: b}", "unknown key 'file' in examples (did you mean 'files'?)"),
        ] {
            let output =
                with(COMPANION, &format!("  violating:\n    - {wrong}\n")).run(["contracts", "lint"]);
            let expected = format!(".claude/contracts/has-test.yaml:{line}: {what}");
            assert!(output.stdout.contains(&expected), "{expected}\n{output}");
            assert_eq!(output.code, Some(1), "{output}");
        }
    }

    #[test]
    fn companion_above_the_project_is_refused() {
        let sandbox = Sandbox::new().contract(&COMPANION.replace("'tests/test_{stem}.py'", "'../{name}'"));
        let output = sandbox.run(["enforce", "--all"]);
        assert!(output.stderr.contains("has-test.yaml:3: 'companion' leads out of the project"), "{output}");
    }

    #[test]
    fn sarif_help_lists_the_files() {
        let sarif = with(COMPANION, GOOD).run(["enforce", "--all", "--format", "sarif"]).json();
        let help = &sarif["runs"][0]["tool"]["driver"]["rules"][0]["help"]["markdown"];
        let help = help.as_str().expect("has Markdown");
        assert!(help.contains("Passes:\n\n```\nfiles: src/a.py, tests/test_a.py\n```"), "{help}");
    }
}

mod pack {
    use super::*;

    fn project() -> Sandbox {
        Sandbox::new()
            .file(".claude/phaser.yaml", "packs: [change-safety]\n")
            .file("tests/test_a.py", TEST)
            .file("shop/migrations/0001_initial.py", "operations = []\n")
            .file("LICENSE", "Copyright (c) 2025 Ann\nMIT License\n")
            .git_init()
            .git_add(".")
            .git_commit("first")
    }

    #[test]
    fn asks_before_committed_migration_changes() {
        let sandbox = project();
        let write = |path: &str| sandbox.hook("PreToolUse").guard().write(path, "operations = [a]\n").run();
        assert_eq!(write("shop/migrations/0001_initial.py").decision(), "ask");
        write("shop/migrations/0002_carts.py").assert_allowed();
    }

    #[test]
    fn counts_tests_and_assertions() {
        let weak = TEST.replace("assert f(2) == 2", "assert True");
        let sandbox = project().file("tests/test_a.py", &weak).git_add(".");
        assert_eq!(staged(&sandbox), ["tests/test_a.py:3:5 python-assertions-kept"]);
        let rewritten = "def test_g():\n    assert f(3) == 3\n    assert f(4) == 4\n";
        let sandbox = sandbox.file("tests/test_a.py", rewritten).git_add(".");
        assert_eq!(staged(&sandbox), [""; 0]);
        let sandbox = sandbox.file("tests/test_a.py", rewritten.replace("test_g", "g")).git_add(".");
        assert_eq!(staged(&sandbox), ["tests/test_a.py:1:1 python-tests-kept"]);
    }

    #[test]
    fn copyright_line_of_licence_may_change() {
        let sandbox = project().file("LICENSE", "Copyright (c) 2025-2026 Ann\nMIT License\n").git_add(".");
        assert_eq!(staged(&sandbox), [""; 0]);
        let sandbox = sandbox.file("LICENSE", "Copyright (c) 2025 Ann\nAll rights reserved\n").git_add(".");
        assert_eq!(staged(&sandbox), ["LICENSE:2:1 licence-text-kept"]);
    }
}

mod approvals {
    use super::*;

    #[test]
    fn approval_covers_exactly_that_change() {
        let sandbox = project(&[FROZEN, KEEP]).file("migrations/1.sql", "create table b;\n").git_add(".");
        let added = sandbox.run(["baseline", "--add", "--only", "frozen", "migrations/1.sql"]);
        assert_eq!(added.code, Some(0), "{added}");
        assert_eq!(staged(&sandbox), [""; 0]);
        let sandbox = sandbox.file("migrations/1.sql", "create  table b;\n").git_add("migrations");
        assert_eq!(staged(&sandbox), ["migrations/1.sql:1:1 frozen"], "another change");
    }

    #[test]
    fn approval_lets_same_edit_through() {
        let sandbox = project(&[KEEP]);
        let without = "def test_f():\n    assert f(2) == 2\n";
        let sandbox = sandbox.file("tests/a.py", without);
        let added = sandbox.run(["baseline", "--add", "--only", "keep-asserts", "tests/a.py"]);
        assert!(added.stdout.contains("1 violation"), "{added}");
        sandbox.git(&["checkout", "-q", "tests/a.py"]);
        sandbox.hook("PreToolUse").guard().write("tests/a.py", without).run().assert_allowed();
        let output = sandbox.hook("PreToolUse").guard().write("tests/a.py", "pass\n").run();
        output.assert_denied(&["keep-asserts at tests/a.py:3"]);
    }

    #[test]
    fn add_without_only_approves_nothing() {
        let sandbox = project(&[FROZEN]).file("migrations/1.sql", "b\n").git_add(".");
        sandbox.run(["baseline", "--add"]);
        assert_eq!(staged(&sandbox), ["migrations/1.sql:1:1 frozen"]);
    }

    #[test]
    fn approvals_are_stale_after_merge_only() {
        let sandbox = project(&[FROZEN, KEEP]).file("migrations/1.sql", "b\n");
        let sandbox = sandbox.file("tests/a.py", "def test_f():\n    assert f(2) == 2\n").git_add(".");
        for id in ["frozen", "keep-asserts"] {
            assert_eq!(sandbox.run(["baseline", "--add", "--only", id]).code, Some(0));
        }
        let all = sandbox.run(["enforce", "--all"]);
        assert!(!all.stderr.contains("stale") && !all.stdout.contains("stale"), "{all}");
        let entries = || {
            std::fs::read_to_string(sandbox.path(".claude/phaser-baseline.jsonl"))
                .map_or(0, |text| text.lines().count())
        };
        let count = entries();
        assert_eq!(count, 2);
        assert_eq!(sandbox.run(["baseline", "--prune"]).code, Some(0));
        assert_eq!(entries(), 2, "the change is not committed");
        sandbox.git(&["add", "."]);
        sandbox.git(&["commit", "-q", "-m", "approved"]);
        assert_eq!(sandbox.run(["baseline", "--prune", "--base", "HEAD~"]).code, Some(0));
        assert_eq!(entries(), 2);
        assert_eq!(sandbox.run(["baseline", "--prune"]).code, Some(0));
        assert_eq!(entries(), 0);
    }
}

#[test]
fn examples_pass_and_lint_is_clean() {
    let sandbox = project(&[KEEP, FROZEN]);
    let tested = sandbox.run(["contracts", "test"]);
    assert_eq!(tested.code, Some(0), "{tested}");
    assert_eq!(sandbox.run(["contracts", "lint"]).code, Some(0));
    for id in ["keep-asserts", "frozen"] {
        let explained = sandbox.run(["explain", id]);
        assert!(explained.stdout.contains("phaser baseline --add --only"), "{explained}");
        assert!(!explained.stdout.contains("--all"), "{explained}");
    }
}

#[test]
fn every_format_quotes_what_was_removed() {
    let sandbox = project(&[KEEP]).file("tests/a.py", "def test_f():\n    assert f(1) == 1\n").git_add(".");
    for format in ["text", "full", "sarif", "github", "gitlab", "junit", "html"] {
        let output = sandbox.run(["enforce", "--staged", "--format", format]);
        assert_eq!(output.code, Some(1), "{format}: {output}");
        let text = output.stdout.replace("\\u003d", "=");
        assert!(text.contains("assert f(2)") && text.contains("removed"), "{format}: {output}");
    }
    let sarif = sandbox.run(["enforce", "--staged", "--format", "sarif"]).json();
    let region = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], 3, "the line in the base: {region}");
}

#[test]
fn create_writes_contracts_about_changes() {
    let sandbox = project(&[]);
    let create = |args: &[&str]| {
        let mut command = sandbox.command();
        command.args(["contracts", "create", "--message", "Do."]).args(args);
        let output = sandbox.run_with(&mut command, b"");
        assert_eq!(output.code, Some(0), "{output}");
    };
    create(&[
        "--rule-id",
        "keep",
        "--type",
        "keep_pattern",
        "--pattern",
        "assert .+",
        "--glob",
        "tests/**",
        "--violating",
        "assert x",
        "--passing",
        "x = 1",
    ]);
    create(&[
        "--rule-id",
        "stay",
        "--type",
        "file_unchanged",
        "--append",
        "allow",
        "--glob",
        "log.txt",
        "--violating",
        "log.txt",
        "--passing",
        "a.txt",
    ]);
    create(&[
        "--rule-id",
        "tested",
        "--type",
        "companion_exists",
        "--companion",
        "tests/{name}",
        "--glob",
        "src/*",
        "--violating",
        "src/a.py, tests/b.py",
        "--passing",
        "src/a.py,tests/a.py",
    ]);
    let tested = sandbox.run(["contracts", "test"]);
    assert_eq!((tested.code, tested.stdout.as_str()), (Some(0), "Examples: 6 ok, 0 failed\n"), "{tested}");
    let listed = sandbox.run(["contracts", "list", "--long"]);
    assert_eq!(listed.stdout.matches("judged in: ").count(), 3, "{listed}");
    let shown = sandbox.run(["contracts", "show", "tested"]);
    assert!(shown.stdout.contains("tests/{name}"), "{shown}");
}

#[test]
fn hook_opens_git_only_for_contract_that_applies() {
    let sandbox = project(&[KEEP]);
    if sandbox.strace().is_none() {
        return;
    }
    let log = sandbox.home().join("trace");
    let opened = |path: &str| {
        let event = sandbox.hook("PreToolUse").write(path, "x\n").json();
        let mut strace = sandbox.strace().expect("is there");
        strace.args(["-f", "-e", "trace=openat,open", "-o"]).arg(&log).arg(env!("CARGO_BIN_EXE_phaser"));
        strace.args(["enforce", "--stdin", "--guard"]).current_dir(sandbox.root());
        sandbox.run_with(&mut strace, event.as_bytes());
        std::fs::read_to_string(&log).expect("a trace").contains("/.git/HEAD")
    };
    assert!(opened("tests/a.py"));
    assert!(!opened("src/a.py"));
}

mod random {
    //! Random changes of random repositories: what is gone by a simple count is what every mode reports.

    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    type Tree = BTreeMap<&'static str, Vec<&'static str>>;

    const NAMES: &[&str] = &["tests/a.py", "tests/b.py", "tests/deep/c.py", "d.py"];
    const LINES: &[&str] = &["assert a", "assert  a", "    assert b", "pass", "x = 1", ""];

    fn tree() -> impl Strategy<Value = Tree> {
        let lines = prop::collection::vec(prop::sample::select(LINES), 0..8);
        prop::collection::btree_map(prop::sample::select(NAMES), lines, 0..4)
    }

    fn put(sandbox: Sandbox, tree: &Tree) -> Sandbox {
        for name in NAMES {
            let _ = std::fs::remove_file(sandbox.path(name));
        }
        tree.iter().fold(sandbox, |sandbox, (path, lines)| sandbox.file(path, lines.join("\n")))
    }

    fn have(tree: &Tree, text: &str) -> usize {
        let files = tree.iter().filter(|(path, _)| path.starts_with("tests/"));
        files.flat_map(|(_, lines)| lines).filter(|line| line.replace(' ', "") == text).count()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_mode_reports_what_is_gone(base in tree(), after in tree()) {
            let sandbox = put(Sandbox::new().contract(KEEP), &base).git_init().git_add(".").git_commit("base");
            let sandbox = put(sandbox, &after);
            sandbox.git(&["add", "-A"]);
            let gone: usize = ["asserta", "assertb"]
                .into_iter()
                .map(|text| have(&base, text).saturating_sub(have(&after, text)))
                .sum();
            let in_index = staged(&sandbox);
            prop_assert_eq!(in_index.len(), gone, "{:?}", in_index);
            sandbox.git(&["commit", "-q", "--allow-empty", "-m", "after"]);
            for range in ["HEAD~..HEAD", "HEAD~"] {
                let output = sandbox.run(["enforce", "--diff", range, "--format", "json"]);
                prop_assert_eq!(output.violations(), in_index.clone(), "{}", range);
            }
            let backtest = sandbox.run(["contracts", "backtest", "keep-asserts", "--format", "json"]).json();
            prop_assert_eq!(&backtest["commits"]["refused"], &json!(usize::from(gone > 0)));
        }
    }
}
