//! `phaser fix`: the files it writes, the violations it skips, and its report.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::Value;

use crate::guide;
use crate::harness::{Sandbox, forbid};

const NONE: &str = "rule_id: is-none\ntype: forbid_pattern\npattern: '(\\w+) == None'\nfile_glob: '**/*.{py,txt}'\n\
    message: 'Compare with is.'\nseverity: error\nfix: '$1 is None'\n";

const FOO: &str = "rule_id: no-foo\ntype: forbid_pattern\npattern: foo\nfile_glob: '**/*.py'\nmessage: 'No foo.'\n\
    severity: warning\nfix: bar\n";

fn sandbox() -> Sandbox {
    Sandbox::new().contract(NONE)
}

fn read(sandbox: &Sandbox, path: &str) -> Vec<u8> {
    fs::read(sandbox.path(path)).expect("readable")
}

#[test]
fn violations_of_other_types_do_not_hinder() {
    let of = |kind: &str, rest: &str| {
        format!(
            "rule_id: {}\ntype: {kind}\nfile_glob: 'src/*'\nmessage: m\nseverity: error\n{rest}",
            kind.replace('_', "-")
        )
    };
    let sandbox = sandbox()
        .contract(&of("companion_exists", "companion: 'tests/{name}'\n"))
        .contract(&of("companion_changed", "companion: 'docs/{stem}'\n"))
        .contract(&of("file_size", "max_lines: 0\n"))
        .contract(&of("file_not_exists", ""))
        .contract(&of("file_unchanged", ""))
        .file("src/a.py", "a == None\n")
        .file("docs/a", "x\n")
        .git_init()
        .git_add(".")
        .git_commit("first")
        .file("src/a.py", "b == None\n")
        .git_add(".");
    for mode in ["--all", "--staged", "src"] {
        let diff = sandbox.run(["fix", mode, "--diff"]);
        assert_eq!((diff.code, diff.stderr.lines().count()), (Some(1), 1), "{mode}: {diff}");
    }
    let fixed = sandbox.run(["fix", "--all"]);
    assert_eq!(read(&sandbox, "src/a.py"), b"b is None\n");
    assert!(fixed.stdout.ends_with("left: 3 errors, 0 warnings\n"), "{fixed}");
}

#[test]
fn fix_that_makes_file_too_large_is_refused() {
    let long =
        "rule_id: long\ntype: file_size\nmax_lines: 2\nfile_glob: '**'\nmessage: m\nseverity: warning\n";
    let sandbox = Sandbox::new().contract(&FOO.replace("fix: bar", "fix: \"a\\nb\"")).contract(long);
    let sandbox = sandbox.file("one.py", "foo\n").file("two.py", "foo\nx\n").file("three.py", "foo\nx\ny\n");
    let fixed = sandbox.run(["fix", "--all"]);
    assert_eq!(read(&sandbox, "one.py"), b"a\nb\n");
    assert_eq!(read(&sandbox, "two.py"), b"foo\nx\n", "{fixed}");
    assert_eq!(read(&sandbox, "three.py"), b"a\nb\nx\ny\n", "it was too large before");
    assert!(fixed.to_string().contains("two.py"), "{fixed}");
}

#[test]
fn fixes_project_and_reports_rest() {
    let no_bad = "rule_id: no-bad\ntype: forbid_pattern\npattern: bad\nfile_glob: '**'\nmessage: m\nseverity: warning\n";
    let sandbox = sandbox()
        .contract(FOO)
        .contract(no_bad)
        .file("src/a.py", "if a == None:\n    foo()\nbad = b == None\n")
        .file("b.txt", "x == None  # phaser:ignore is-none\n");
    insta::assert_snapshot!(sandbox.run(["fix", "--all"]), @r#"
    exit: 0
    --- stdout
    src/a.py:1: fixed: is-none
    src/a.py:2: fixed: no-foo
    src/a.py:3: fixed: is-none

         2  is-none
         1  no-foo
    3 violations in 1 file fixed
    left: 0 errors, 1 warning, 1 ignored

    --- stderr
    "#);
    assert_eq!(read(&sandbox, "src/a.py"), b"if a is None:\n    bar()\nbad = b is None\n");
    insta::assert_snapshot!(sandbox.run(["fix", "--all"]), @r#"
    exit: 0
    --- stdout
    0 violations in 0 files fixed
    left: 0 errors, 1 warning, 1 ignored

    --- stderr
    "#);
}

#[test]
fn diff_applies_in_git_and_writes_nothing() {
    let content = "1\n2\n3\na == None\n5\n6\n7\n8\n9\n10\n11\nb == None";
    let sandbox = sandbox()
        .git_init()
        .file("src/a b.py", content)
        .file("\u{e9}.py", "x == None\r\ny\r\n")
        .git_add(".")
        .git_commit("one");
    let diff = sandbox.run(["fix", "--all", "--diff"]);
    assert_eq!(diff.code, Some(1), "{diff}");
    assert_eq!(diff.stderr, "phaser: 3 violations in 2 files would be fixed\n");
    assert_eq!(read(&sandbox, "src/a b.py"), content.as_bytes());
    let applied = sandbox.try_git(&["apply", "-"], &diff.stdout);
    assert_eq!(applied.code, Some(0), "{applied}\n{diff}");
    assert_eq!(read(&sandbox, "src/a b.py"), content.replace("== None", "is None").as_bytes());
    assert_eq!(read(&sandbox, "\u{e9}.py"), b"x is None\r\ny\r\n");
    let nothing = sandbox.run(["fix", "--all", "--diff"]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (Some(0), ""), "{nothing}");
}

#[test]
fn preview_counts_only_fixable_violations() {
    let sandbox = sandbox().contract(&forbid("no-x", "xyz", "**/*.txt")).file("a.txt", "xyz\n");
    for preview in ["--diff", "--dry-run"] {
        assert_eq!(sandbox.run(["fix", "--all", preview]).code, Some(0), "{preview}");
    }
    assert_eq!(sandbox.run(["fix", "--all"]).code, Some(1));
}

#[test]
fn dry_run_lists_fixes_and_writes_nothing() {
    let sandbox = sandbox().file("a.py", "a == None\n");
    let output = sandbox.run(["fix", "--all", "--dry-run"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout.contains("a.py:1: would be fixed: "), "{output}");
    assert!(output.stdout.ends_with("1 violation in 1 file would be fixed\n"), "{output}");
    assert_eq!(read(&sandbox, "a.py"), b"a == None\n");
}

#[test]
fn diff_paths_start_at_repository_root() {
    let base = Sandbox::new().file("web/a.py", "a == None\n").git_init();
    let base = base.file("web/.claude/contracts/is-none.yaml", NONE);
    let diff =
        base.run_with(base.command().current_dir(base.path("web")).args(["fix", "--diff", "a.py"]), b"");
    assert!(diff.stdout.starts_with("diff --git a/web/a.py b/web/a.py\n"), "{diff}");
}

#[test]
fn encodings_line_endings_and_modes_stay() {
    let utf16 =
        |text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> { text.encode_utf16().flat_map(bytes).collect() };
    let le = |text: &str| [&b"\xFF\xFE"[..], &utf16(text, u16::to_le_bytes)].concat();
    let be = |text: &str| [&b"\xFE\xFF"[..], &utf16(text, u16::to_be_bytes)].concat();
    let sandbox = sandbox()
        .file("le.txt", le("\u{e9} == None\r\n"))
        .file("be.txt", be("a == None"))
        .file("mark.txt", "\u{feff}a == None\r\nb\r\n")
        .file("latin.txt", b"\xE9 x == None \xFF");
    fs::set_permissions(sandbox.path("mark.txt"), fs::Permissions::from_mode(0o750)).expect("a mode");
    let fixed = sandbox.run(["fix", "."]);
    assert_eq!(fixed.code, Some(0), "{fixed}");
    assert_eq!(read(&sandbox, "le.txt"), le("\u{e9} is None\r\n"));
    assert_eq!(read(&sandbox, "be.txt"), be("a is None"));
    assert_eq!(read(&sandbox, "mark.txt"), "\u{feff}a is None\r\nb\r\n".as_bytes());
    assert_eq!(read(&sandbox, "latin.txt"), b"\xE9 x is None \xFF");
    let mode = fs::metadata(sandbox.path("mark.txt")).expect("it exists").permissions().mode();
    assert_eq!(mode & 0o777, 0o750);
}

#[test]
fn hard_linked_file_is_left_alone() {
    let sandbox = sandbox().file("a.py", "x == None\n");
    fs::hard_link(sandbox.path("a.py"), sandbox.path("b.bin")).expect("linked");
    let output = sandbox.run(["fix", "--all"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stderr.contains("a.py: has several hard links"), "{output}");
    assert_eq!(read(&sandbox, "b.bin"), b"x == None\n");
    fs::remove_file(sandbox.path("b.bin")).expect("removed");
    assert_eq!(sandbox.run(["fix", "--all"]).code, Some(0));
    assert_eq!(read(&sandbox, "a.py"), b"x is None\n");
}

#[test]
fn follows_links_within_project_only() {
    let sandbox = sandbox().file("real/a.txt", "a == None\n");
    let outside = sandbox.home().join("b.txt");
    fs::write(&outside, "b == None\n").expect("written");
    symlink("real/a.txt", sandbox.path("link.txt")).expect("linked");
    symlink(&outside, sandbox.path("out.txt")).expect("linked");
    let fixed = sandbox.run(["fix", "link.txt", "out.txt"]);
    assert_eq!(fixed.code, Some(1), "{fixed}");
    assert!(fixed.stderr.contains("not fixed: out.txt: links out of the project"), "{fixed}");
    assert_eq!(read(&sandbox, "real/a.txt"), b"a is None\n");
    assert!(sandbox.path("link.txt").is_symlink());
    assert_eq!(fs::read(&outside).expect("readable"), b"b == None\n");
}

#[test]
fn read_only_file_stays_with_note() {
    let sandbox = sandbox().file("a.txt", "a == None\n").file("b.txt", "b == None\n");
    fs::set_permissions(sandbox.path("a.txt"), fs::Permissions::from_mode(0o444)).expect("a mode");
    let fixed = sandbox.run(["fix", "--all"]);
    assert_eq!(fixed.code, Some(3), "{fixed}");
    assert!(fixed.stderr.contains("phaser: not fixed: a.txt: read-only"), "{fixed}");
    assert_eq!(read(&sandbox, "a.txt"), b"a == None\n");
    assert_eq!(read(&sandbox, "b.txt"), b"b is None\n");
}

#[test]
fn baselined_violations_stay() {
    let sandbox = sandbox().file("a.txt", "a == None\n");
    assert_eq!(sandbox.run(["baseline"]).code, Some(0));
    let sandbox = sandbox.file("a.txt", "a == None\nb == None\n");
    let fixed = sandbox.run(["fix", "--all"]);
    assert_eq!(fixed.code, Some(0), "{fixed}");
    assert_eq!(read(&sandbox, "a.txt"), b"a == None\nb is None\n");
    assert_eq!(sandbox.run(["fix", "--all", "--no-baseline"]).code, Some(0));
    assert_eq!(read(&sandbox, "a.txt"), b"a is None\nb is None\n");
}

#[test]
fn unselected_contracts_still_veto_fixes() {
    let no_is = "rule_id: no-is\ntype: forbid_pattern\npattern: 'b is None'\nfile_glob: '**'\nmessage: m\nseverity: error\n";
    let sandbox = sandbox().contract(FOO).contract(no_is).file("a.py", "foo\na == None\nb == None\n");
    let fixed = sandbox.run(["fix", "--all", "--only", "is-none"]);
    assert_eq!(read(&sandbox, "a.py"), b"foo\na is None\nb == None\n");
    insta::assert_snapshot!(fixed, @r#"
    exit: 1
    --- stdout
    a.py:2: fixed: is-none
    a.py:3: not fixed: is-none
      would violate no-is

         1  is-none
    1 violation in 1 file fixed
    left: 1 error, 0 warnings

    --- stderr
    "#);
    let unknown = sandbox.run(["fix", "--all", "--only", "is-nun"]);
    assert_eq!(unknown.code, Some(3));
    assert!(unknown.stderr.contains("is-none"), "{unknown}");
}

#[test]
fn fixes_staged_files_in_worktree() {
    let sandbox =
        sandbox().git_init().file("a.py", "a == None\n").file("b.py", "b == None\n").git_add("a.py");
    let fixed = sandbox.run(["fix", "--staged", "--fail-on-fix"]);
    assert_eq!(fixed.code, Some(1), "{fixed}");
    assert_eq!(read(&sandbox, "a.py"), b"a is None\n");
    assert_eq!(read(&sandbox, "b.py"), b"b == None\n");
    assert_eq!(sandbox.git(&["show", ":a.py"]), "a == None\n", "the index stays as it is");
    assert_eq!(sandbox.run(["fix", "--staged", "--fail-on-fix"]).code, Some(0));
}

#[test]
fn requires_targets() {
    let none = sandbox().run(["fix"]);
    assert_eq!(none.code, Some(3));
    assert!(none.stderr.contains("choose --all or --staged, or name files"), "{none}");
    assert_eq!(sandbox().run(["fix", "--all", "a.py"]).code, Some(3));
    let without = Sandbox::new().file("a.py", "a == None\n").run(["fix", "--all"]);
    assert_eq!(without.code, Some(0), "{without}");
}

#[test]
fn reports_carry_fixes() {
    let sandbox =
        sandbox().contract(FOO).file("a.py", "\u{feff}\u{e9} = a == None\n").file("b.py", "foobar\n");
    let text = sandbox.run(["enforce", "--all"]);
    assert!(text.stdout.contains("  Compare with is. (fix with phaser fix)\n"), "{text}");
    let json: Value =
        serde_json::from_str(&sandbox.run(["enforce", "--all", "--format", "json"]).stdout).expect("JSON");
    let fix = &json["violations"][0]["fix"];
    let bytes = read(&sandbox, "a.py");
    let (start, end) = (fix["start"].as_u64().expect("a number"), fix["end"].as_u64().expect("a number"));
    assert_eq!(&bytes[start as usize..end as usize], b"a == None");
    assert_eq!(fix["text"], "a is None");
    let sarif: Value =
        serde_json::from_str(&sandbox.run(["enforce", "--all", "--format", "sarif"]).stdout).expect("JSON");
    let change = &sarif["runs"][0]["results"][0]["fixes"][0]["artifactChanges"][0];
    assert_eq!(change["artifactLocation"]["uri"], "a.py");
    let replacement = &change["replacements"][0];
    assert_eq!(replacement["insertedContent"]["text"], "a is None");
    let region = &replacement["deletedRegion"];
    assert_eq!((&region["startColumn"], &region["endColumn"]), (&Value::from(5), &Value::from(14)));
    let gitlab = sandbox.run(["enforce", "--all", "--format", "gitlab"]);
    assert!(gitlab.stdout.contains("No foo. (fix with phaser fix)"), "{gitlab}");
}

#[test]
fn github_summary_shows_fixes_as_diff() {
    let sandbox = sandbox().file("a.py", "x = a == None  # ```\n");
    let summary = sandbox.path("summary.md");
    let mut command = sandbox.command();
    command.env("GITHUB_STEP_SUMMARY", &summary).args(["enforce", "--all", "--format", "github"]);
    sandbox.run_with(&mut command, b"");
    let summary = fs::read_to_string(summary).expect("written");
    let diff = "````diff\n@@ a.py:1 is-none @@\n-x = a == None  # ```\n+x = a is None  # ```\n````\n";
    assert!(summary.contains(diff), "{summary}");
}

#[test]
fn fix_leaks_no_secret() {
    let secret = "rule_id: no-key\ntype: forbid_pattern\npattern: 'key=(\\w+)'\nfile_glob: '**'\nmessage: m\nseverity: error\n\
        tags: [secret]\nfix: 'key=env($1)'\n";
    let other = "rule_id: no-let\ntype: forbid_pattern\npattern: 'let (.*)'\nfile_glob: '**'\nmessage: m\nseverity: error\nfix: 'var $1'\n";
    let sandbox = Sandbox::new().contract(secret).contract(other).file("a.py", "let key=hunter2hunter2\n");
    for format in ["text", "json", "sarif", "gitlab"] {
        let report = sandbox.run(["enforce", "--all", "--format", format]);
        assert!(!report.stdout.contains("hunter2hunter2"), "{report}");
    }
}

#[test]
fn fix_without_group_warns_and_contract_counts() {
    let sandbox = Sandbox::new()
        .file(".claude/contracts/a.yaml", NONE.replace("$1", "$2"))
        .file(
            ".claude/contracts/b.yaml",
            NONE.replace("is-none", "b").replace("(\\w+)", "(?P<name>\\w+)").replace("$1", "${nmae}"),
        )
        .file(
            ".claude/contracts/c.yaml",
            NONE.replace("is-none", "c").replace("forbid_pattern", "require_pattern"),
        )
        .file("a.py", "a == None\n");
    let report = sandbox.run(["enforce", "--all"]);
    insta::assert_snapshot!(report.stderr, @r#"
    .claude/contracts/a.yaml:7: 'fix' uses '$2', but 'pattern' has 1 group (put what is meant in parentheses in 'pattern')
    .claude/contracts/b.yaml:7: 'fix' uses '${nmae}', but 'pattern' has no group of that name (did you mean '${name}'?)
    .claude/contracts/c.yaml:7: key 'fix' has no effect for require_pattern (remove it: there is no match to replace)
    "#);
    assert!(report.stdout.contains("a.py:1: error: is-none\n  Compare with is.\n"), "{report}");
    assert_eq!(sandbox.run(["enforce", "--all", "--strict"]).code, Some(3));
}

#[test]
fn examples_say_what_a_fix_gives() {
    let with = |fixed: &str| {
        format!("{NONE}examples:\n  violating:\n    - {{text: 'a == None', fixed: '{fixed}'}}\n")
    };
    let right = Sandbox::new().contract(&with("a is None")).run(["contracts", "test"]);
    assert_eq!(right.code, Some(0), "{right}");
    let sandbox = Sandbox::new().contract(&with("a is not None"));
    insta::assert_snapshot!(sandbox.run(["contracts", "test"]), @r#"
    exit: 1
    --- stdout
    FAIL is-none violating 1 (.claude/contracts/is-none.yaml:10)
         the fix gives a different text
         - a is not None
         + a is None

    Examples: 0 ok, 1 failed

    --- stderr
    "#);
    let shown = sandbox.run(["contracts", "show", "is-none"]);
    assert!(
        shown.stdout.contains("fix:       $1 is None\n")
            && shown.stdout.contains("  - a == None\n    => a is not None"),
        "{shown}"
    );
    let explained = sandbox.run(["explain", "is-none"]);
    assert!(explained.stdout.contains("to fix it:\n  phaser fix --only is-none --all\n"), "{explained}");
}

#[test]
fn a_contract_is_created_with_its_fix() {
    let sandbox = Sandbox::new();
    let create = |id: &str, fix: &str| {
        let command = [
            "contracts",
            "create",
            "--rule-id",
            id,
            "--type",
            "forbid_pattern",
            "--pattern",
            "(a)b",
            "--message",
            "m",
        ];
        sandbox.run_with(sandbox.command().args(command).args(["--fix", fix]), b"")
    };
    assert_eq!(create("a", "$1").code, Some(0));
    let written = String::from_utf8(read(&sandbox, ".claude/contracts/a.yaml")).expect("is text");
    assert!(written.contains("fix: '$1'\n"), "{written}");
    let wrong = create("b", "$2");
    assert_eq!(wrong.code, Some(3), "{wrong}");
    assert!(wrong.stderr.contains("'fix' uses '$2', but 'pattern' has 1 group"), "{wrong}");
}

#[test]
fn the_page_about_fixes_is_right() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/fixes.md");
    let mut sandbox = Sandbox::new();
    let mut commands = 0;
    for (info, text) in guide::blocks(&fs::read_to_string(page).expect("is there")) {
        sandbox = match info.split_once(' ').unwrap_or((&info, "")) {
            ("yaml", "") => sandbox.contract(&text),
            (_, path) if !path.is_empty() => sandbox.file(path, &text),
            ("console", "") => {
                commands += 1;
                guide::run(&sandbox, &text);
                sandbox
            }
            (other, _) => panic!("a block of '{other}', which nothing tests"),
        };
    }
    assert_eq!(commands, 3);
    let output = sandbox.run(["contracts", "test"]);
    assert_eq!(output.code, Some(0), "{output}");
}
