//! `--staged`, `--diff` and `--new-lines`, as a user runs them.

use crate::harness::{Output, Sandbox, contract, forbid};

fn sandbox() -> Sandbox {
    Sandbox::new().git_init().contract(&forbid("no-x", "x", "**/*.txt")).git_commit("first")
}

fn staged(sandbox: &Sandbox) -> Output {
    sandbox.run(["enforce", "--staged", "--format", "json"])
}

fn diff(sandbox: &Sandbox, revisions: &str) -> Output {
    sandbox.run(["enforce", "--diff", revisions, "--format", "json"])
}

#[test]
fn checks_staged_bytes_not_worktree() {
    let sandbox = sandbox().file("a.txt", "x").git_add("a.txt").file("a.txt", "fine");
    let output = staged(&sandbox);
    assert_eq!((output.code, output.violations()), (Some(1), vec!["a.txt:1:1 no-x".to_owned()]));
    let sandbox = sandbox.git_add("a.txt").file("a.txt", "x");
    let output = staged(&sandbox);
    assert_eq!((output.code, output.violations()), (Some(0), vec![]));
}

#[test]
fn existence_is_judged_on_the_index() {
    for glob in ["README*", "README.md"] {
        let missing = format!("{glob} needs-readme");
        let sandbox = Sandbox::new()
            .git_init()
            .contract(&contract("needs-readme", "file_exists", None, glob))
            .contract(&contract("no-env", "file_not_exists", None, "**/.env"))
            .file("README.md", "hello")
            .file("a/.env", "SECRET=1")
            .file("b/.env", "SECRET=1")
            .git_add("b/.env");
        assert_eq!(staged(&sandbox).violations(), [&missing, "b/.env no-env"]);
        let sandbox = sandbox.git_add("README.md").git_commit("first");
        assert_eq!(staged(&sandbox).violations(), Vec::<String>::new());
        sandbox.git(&["rm", "-q", "--cached", "README.md"]);
        assert_eq!(staged(&sandbox).violations(), [missing.as_str()]);
        sandbox.git(&["add", "--intent-to-add", "README.md"]);
        assert_eq!(staged(&sandbox).violations(), [missing.as_str()], "a commit would not have it");
    }
}

#[test]
fn file_in_sparse_directory_exists() {
    let sandbox = Sandbox::new()
        .git_init()
        .contract(&contract("needs-notes", "file_exists", None, "docs/deep/notes"))
        .file("docs/deep/notes", "hello")
        .file("src/a", "hello");
    sandbox.git(&["add", "--all"]);
    let sandbox = sandbox.git_commit("first");
    sandbox.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "src", ".claude"]);
    assert!(sandbox.git(&["ls-files", "--sparse"]).lines().any(|line| line == "docs/"));
    assert_eq!(staged(&sandbox).violations(), Vec::<String>::new());
    let sandbox = sandbox.contract(&contract("needs-more", "file_exists", None, "docs/deep/more"));
    assert_eq!(staged(&sandbox).violations(), ["docs/deep/more needs-more"]);
}

#[test]
fn staged_link_is_judged_by_path() {
    let sandbox =
        sandbox().contract(&contract("no-link", "file_not_exists", None, "link.txt")).file("x.txt", "x");
    std::os::unix::fs::symlink("x.txt", sandbox.path("link.txt")).expect("linked");
    let output = staged(&sandbox.git_add("link.txt"));
    assert_eq!(output.violations(), ["link.txt no-link"]);
    assert_eq!(output.json()["skipped"][0]["reason"], "a symbolic link");
}

#[test]
fn named_files_are_read_from_index() {
    let sandbox =
        sandbox().file("a.txt", "x").file("d/b.txt", "x").file("d/c.txt", "fine").file("e.txt", "x");
    sandbox.git(&["add", "--all"]);
    let sandbox = sandbox.git_commit("old").file("a.txt", "fine").file("d/c.txt", "x").git_add("d/c.txt");
    let sandbox = sandbox.file("untracked.txt", "x");
    let named = |paths: &[&str]| {
        let mut command = sandbox.command();
        command.args(["enforce", "--staged", "--format", "json"]).args(paths);
        sandbox.run_with(&mut command, b"")
    };
    assert_eq!(named(&[]).violations(), ["d/c.txt:1:1 no-x"]);
    assert_eq!(
        named(&["a.txt", "d"]).violations(),
        ["a.txt:1:1 no-x", "d/b.txt:1:1 no-x", "d/c.txt:1:1 no-x"]
    );
    assert_eq!(named(&["."]).violations().len(), 4);
    assert_eq!(named(&["a.txt", "d", "--new-lines"]).violations(), ["d/c.txt:1:1 no-x"]);
    for (path, help) in [("untracked.txt", "`git add untracked.txt`"), ("../x", "outside"), ("/", "outside")]
    {
        let output = named(&["e.txt", path]);
        assert_eq!(output.code, Some(3), "{output}");
        assert!(output.stderr.contains(help), "{output}");
        assert_eq!(output.violations(), ["e.txt:1:1 no-x"]);
    }
}

#[test]
fn staged_deletion_is_no_gap() {
    let sandbox = sandbox().file("a.txt", "fine").file("b.txt", "fine");
    sandbox.git(&["add", "--all"]);
    let sandbox = sandbox.git_commit("second");
    let named = |name: &str| sandbox.run(["enforce", "--staged", "--strict", "--", name]);
    sandbox.git(&["rm", "--quiet", "--cached", "a.txt"]);
    assert_eq!(named("a.txt").code, Some(0), "the file itself is still there");
    sandbox.git(&["rm", "--quiet", "b.txt"]);
    assert_eq!(named("b.txt").code, Some(0));
    let unknown = named("c.txt");
    assert_eq!(unknown.code, Some(3));
    assert!(unknown.unchecked().concat().starts_with("c.txt: "), "{unknown}");
}

#[test]
fn named_files_may_be_sparse() {
    let sandbox = sandbox().file("in/a.txt", "x").file("out/deep/b.txt", "x").file("out/c.txt", "x");
    sandbox.git(&["add", "--all"]);
    let sandbox = sandbox.git_commit("old");
    sandbox.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "in", ".claude"]);
    let output = sandbox.run(["enforce", "--staged", "--format", "json", "out/deep/b.txt", "in"]);
    assert_eq!(output.violations(), ["in/a.txt:1:1 no-x", "out/deep/b.txt:1:1 no-x"]);
}

#[test]
fn checks_changed_files_only() {
    let sandbox = sandbox().file("old.txt", "x\n").git_add("old.txt").git_commit("old");
    sandbox.git(&["checkout", "-q", "-b", "topic"]);
    let sandbox = sandbox.file("new.txt", "x\n").git_add("new.txt").git_commit("new");
    let sandbox = sandbox.file("new.txt", "fine\n");
    assert_eq!(diff(&sandbox, "main..topic").violations(), ["new.txt:1:1 no-x"]);
    assert_eq!(diff(&sandbox, "main").violations(), Vec::<String>::new());
    let sandbox = sandbox.file("old.txt", "x\ny\n");
    assert_eq!(diff(&sandbox, "main").violations(), ["old.txt:1:1 no-x"]);
}

#[test]
fn converted_line_endings_are_no_change() {
    let sandbox = Sandbox::new().git_init().contract(&forbid("no-crlf", r"\r\n", "*.sh"));
    let sandbox = sandbox.file("a.sh", "one\ntwo\n").git_add("a.sh").git_commit("first");
    let sandbox = sandbox.file("a.sh", "one\r\ntwo\r\n");
    assert_eq!(diff(&sandbox, "HEAD").violations(), ["a.sh:1:4 no-crlf", "a.sh:2:4 no-crlf"]);
    std::fs::write(sandbox.home().join(".gitconfig"), "[core]\n\tautocrlf = true\n").expect("written");
    assert_eq!(sandbox.git(&["--no-optional-locks", "diff", "--name-only"]), "", "git itself");
    assert_eq!(diff(&sandbox, "HEAD").violations(), [""; 0]);
}

#[test]
fn empty_base_or_head_ends_with_3() {
    let sandbox = sandbox().file("a.txt", "x").git_add("a.txt").git_commit("second");
    for (revisions, what) in [("", "base"), ("..HEAD", "base"), ("...HEAD", "base"), ("HEAD..", "head")] {
        let output = diff(&sandbox, revisions);
        assert_eq!((output.code, output.stdout.as_str()), (Some(3), ""), "{revisions:?}: {output}");
        let message = format!("the {what} is empty: is the variable set?");
        assert!(output.stderr.contains(&message), "{revisions:?}: {output}");
    }
    assert_eq!(diff(&sandbox, "HEAD~1..HEAD").violations(), ["a.txt:1:1 no-x"]);
}

#[test]
fn moved_file_and_removed_directive_add_violations() {
    let sandbox = Sandbox::new()
        .git_init()
        .contract(&forbid("no-x", "x", "src/**"))
        .file("scripts/a.py", "x\n")
        .file("src/b.py", "# phaser:ignore-next-line no-x\nx\n");
    sandbox.git(&["add", "--all"]);
    let sandbox = sandbox.git_commit("old");
    sandbox.git(&["mv", "scripts/a.py", "src/a.py"]);
    let sandbox = sandbox.file("src/b.py", "x\n").git_add("src/b.py");
    let output = sandbox.run(["enforce", "--staged", "--new-lines", "--format", "json"]);
    assert_eq!(output.violations(), ["src/a.py:1:1 no-x", "src/b.py:1:1 no-x"]);
    assert_eq!(output.code, Some(1));
}

#[test]
fn old_violations_survive_moves_and_whitespace() {
    let sandbox = sandbox().file("a.txt", "1 x\n2 x\n3\n");
    sandbox.git(&["add", "--all"]);
    let sandbox = sandbox.git_commit("old").file("a.txt", "new\n\t2 x\r\n1  x\r\nnew x\r\n").git_add("a.txt");
    let output = sandbox.run(["enforce", "--staged", "--new-lines", "--format", "json"]);
    assert_eq!(output.violations(), ["a.txt:4:5 no-x"]);
    assert_eq!(output.json()["summary"]["existing"], 2);
    let states = output.json()["suppressed"].as_array().expect("a list").clone();
    assert!(states.iter().all(|violation| violation["state"] == "existing"), "{output}");
    let text = sandbox.run(["enforce", "--staged", "--new-lines"]);
    assert_eq!((text.count("error"), text.count("existing")), (1, 2), "{text}");
}

#[test]
fn converted_line_endings_add_no_violation() {
    let sandbox = sandbox().file(".gitattributes", "* text eol=crlf\n").file("a.txt", "x 1\ny\n");
    sandbox.git(&["add", "--all"]);
    let sandbox = sandbox.git_commit("old").file("a.txt", "x 1\r\ny x\r\n");
    let output = sandbox.run(["enforce", "--diff", "HEAD", "--new-lines", "--format", "json"]);
    assert_eq!(output.violations(), ["a.txt:2:3 no-x"]);
}

#[test]
fn only_new_violations_count_when_asked() {
    let sandbox = sandbox()
        .contract(&contract("needs-y", "require_pattern", Some("y"), "*.txt"))
        .contract(&contract("no-such", "file_not_exists", None, "moved.txt"))
        .contract(&forbid("no-block", r"begin\nend", "*.txt"))
        .file("a.txt", "x\nx\ny\n")
        .file("b.txt", "x\n")
        .file("c.txt", "y\nbegin\n-\nend\n")
        .file("d.txt", "x\ny\n");
    sandbox.git(&["add", "--all"]);
    let sandbox = sandbox.git_commit("old");
    let sandbox = sandbox
        .file("a.txt", "x\nnew x\nx\n")
        .file("b.txt", "x\nfine\n")
        .file("c.txt", "y\nbegin\nend\n")
        .file("new.txt", "x\n");
    sandbox.git(&["mv", "d.txt", "moved.txt"]);
    sandbox.git(&["add", "--all"]);
    let expected = [
        "a.txt needs-y",
        "a.txt:2:5 no-x",
        "c.txt:2:1 no-block",
        "moved.txt no-such",
        "new.txt needs-y",
        "new.txt:1:1 no-x",
    ];
    let new_lines = |mode: &[&str]| {
        let mut command = sandbox.command();
        command.args(["enforce", "--new-lines", "--format", "json"]).args(mode);
        sandbox.run_with(&mut command, b"")
    };
    assert_eq!(new_lines(&["--staged"]).violations(), expected);
    assert_eq!(new_lines(&["--diff", "HEAD"]).violations(), expected);
    sandbox.git(&["commit", "-q", "-m", "new"]);
    assert_eq!(new_lines(&["--diff", "HEAD~1..HEAD"]).violations(), expected);
    assert_eq!(new_lines(&["--staged"]).violations(), Vec::<String>::new());
}

#[test]
fn flags_that_need_a_mode_say_so() {
    let sandbox = sandbox();
    let output = sandbox.run(["enforce", "--all", "--new-lines"]);
    assert_eq!(output.code, Some(3));
    assert!(output.stderr.contains("use it with --staged or --diff"), "{output}");
    let output = sandbox.run(["enforce", "--staged", "--shard", "1/2"]);
    assert_eq!(output.code, Some(3));
    assert!(output.stderr.contains("use it with --all"), "{output}");
    let output = sandbox.run(["enforce", "--staged", "--all"]);
    assert_eq!(output.code, Some(3));
}

#[test]
fn bad_input_ends_with_3_and_hint() {
    let check = |sandbox: &Sandbox, args: [&str; 2], help: &str| {
        let output = sandbox.run_with(sandbox.command().arg("enforce").args(args), b"");
        assert_eq!(output.code, Some(3), "{output}");
        assert!(output.stderr.contains(help), "{help}: {output}");
        assert_eq!(output.stdout, "", "{output}");
    };
    let staged = ["--staged", "--quiet"];
    let plain = Sandbox::new().contract(&forbid("no-x", "x", "**"));
    check(&plain, staged, "`git init`");
    let bare = Sandbox::new().contract(&forbid("no-x", "x", "**"));
    bare.git(&["init", "-q", "--bare", "."]);
    check(&bare, staged, "`git worktree`");
    let corrupt = sandbox().file(".git/index", "garbage");
    check(&corrupt, staged, "`git reset`");
    check(&sandbox(), ["--diff", "nowhere"], "`git fetch origin nowhere:nowhere`");
    let unborn = Sandbox::new().git_init().contract(&forbid("no-x", "x", "**"));
    check(&unborn, ["--diff", "HEAD"], "`phaser enforce --all`");
}

#[test]
fn a_missing_object_gets_exit_code_3() {
    let sandbox = sandbox().file("a.txt", "fine").git_add("a.txt");
    let id = sandbox.git(&["rev-parse", ":a.txt"]);
    std::fs::remove_file(sandbox.path(&format!(".git/objects/{}/{}", &id[..2], id[2..].trim())))
        .expect("removed");
    let output = staged(&sandbox);
    assert_eq!(output.code, Some(3), "{output}");
    assert!(output.stderr.contains("git fsck"), "{output}");
}

/// Needs the right to give a file away, which only some users have.
#[test]
fn foreign_repository_needs_safe_directory() {
    let sandbox = sandbox().file("a.txt", "x").git_add("a.txt");
    if std::os::unix::fs::chown(sandbox.root(), Some(12345), None).is_err() {
        return;
    }
    let output = staged(&sandbox);
    assert_eq!(output.code, Some(3), "{output}");
    assert!(output.stderr.contains("git config --global --add safe.directory [ROOT]"), "{output}");
    sandbox.git(&["config", "--global", "--add", "safe.directory", sandbox.root().to_str().expect("UTF-8")]);
    assert_eq!(staged(&sandbox).violations(), ["a.txt:1:1 no-x"]);
}

#[test]
fn named_index_is_what_git_commits() {
    let sandbox = sandbox().file("a.txt", "x").git_add("a.txt");
    std::fs::rename(sandbox.path(".git/index"), sandbox.path(".git/other")).expect("moved");
    assert_eq!(staged(&sandbox).violations(), Vec::<String>::new());
    let mut command = sandbox.command();
    command.env("GIT_INDEX_FILE", ".git/other").args(["enforce", "--staged", "--format", "json"]);
    assert_eq!(sandbox.run_with(&mut command, b"").violations(), ["a.txt:1:1 no-x"]);
}

#[test]
fn staged_texts_meet_every_contract() {
    let sandbox = Sandbox::new()
        .git_init()
        .contract(&forbid("no-todo", "TODO", "**/*.txt"))
        .contract(&forbid("no-key", "[0-9a-f]{20}", "**/*.txt"))
        .contract(&forbid("no-fold", "(?i)kelvin", "**/*.txt"))
        .file("utf16.txt", b"\xff\xfeT\0O\0D\0O\0\n\0")
        .file("binary.txt", b"TODO\0")
        .file("fold.txt", "\u{212A}elvin\n")
        .file("large.txt", "x\n".repeat(200_000) + "0123456789abcdef0123\n")
        .git_add(".");
    let output = sandbox.run(["enforce", "--staged", "--format", "json"]);
    let expected = ["fold.txt:1:1 no-fold", "large.txt:200001:1 no-key", "utf16.txt:1:1 no-todo"];
    assert_eq!(output.violations(), expected, "{output}");
    let all = sandbox.run(["enforce", "--all", "--format", "json"]);
    assert_eq!(all.violations(), expected, "{all}");
}

#[test]
fn staged_run_reads_staged_contracts() {
    let sandbox = sandbox().file("a.txt", "y\n").file("b.txt", "z\n");
    sandbox.git(&["add", "--all"]);
    let sandbox = sandbox
        .file(".claude/contracts/no-x.yaml", forbid("no-x", "y", "**/*.txt"))
        .file(".claude/contracts/untracked.yaml", forbid("untracked", "z", "**/*.txt"));
    let output = staged(&sandbox);
    assert_eq!(output.violations(), ["b.txt:1:1 untracked"], "{output}");
    let note = "phaser: .claude/contracts/no-x.yaml: using the staged version, which differs on disk";
    assert!(output.stderr.contains(note), "{output}");
    let sandbox = sandbox.git_add(".claude/contracts/no-x.yaml");
    assert_eq!(staged(&sandbox).violations(), ["a.txt:1:1 no-x", "b.txt:1:1 untracked"]);
    std::fs::remove_file(sandbox.path(".claude/contracts/no-x.yaml")).expect("removed");
    assert_eq!(staged(&sandbox).violations(), ["a.txt:1:1 no-x", "b.txt:1:1 untracked"]);
    assert_eq!(diff(&sandbox, "HEAD").violations(), ["b.txt:1:1 untracked"], "the worktree counts there");
}
