//! Ignore directives: what they suppress, and how it is counted.

use crate::harness::{Output, Sandbox, contract, forbid, warning};

fn sandbox() -> Sandbox {
    Sandbox::new()
        .contract(&forbid("no-x", "X", "**"))
        .contract(&warning(&forbid("no-y", "Y", "**")))
        .contract(&contract("needs-z", "require_pattern", Some("Z"), "needs/**"))
}

fn check(path: &str, text: &str) -> Output {
    sandbox().file(path, text).run(["enforce", path, "--format", "json"])
}

/// What is left, and how many are ignored.
fn outcome(path: &str, text: &str) -> (Vec<String>, u64) {
    let output = check(path, text);
    let ignored = output.json()["summary"]["ignored"].as_u64().expect("a number");
    (output.violations(), ignored)
}

#[track_caller]
fn suppresses(path: &str, text: &str, count: u64) {
    assert_eq!(outcome(path, text), (vec![], count), "{path}: {text:?}");
}

#[track_caller]
fn leaves(path: &str, text: &str, violations: &[&str]) {
    let (left, _) = outcome(path, text);
    assert_eq!(left, violations, "{path}: {text:?}");
}

#[test]
fn directive_covers_its_own_line() {
    suppresses("a.py", "X = 1  # phaser:ignore no-x\n", 1);
    leaves("a.py", "X # phaser:ignore no-x\nX\n", &["a.py:2:1 no-x"]);
    leaves("a.py", "# phaser:ignore no-x\nX\n", &["a.py:2:1 no-x"]);
    suppresses("a.py", "X X # phaser:ignore no-x\r\n", 2);
}

#[test]
fn next_line_covers_following_line() {
    suppresses("a.py", "# phaser:ignore-next-line no-y\nY\n", 1);
    leaves("a.py", "# phaser:ignore-next-line no-y\n\nY\n", &["a.py:3:1 no-y"]);
    leaves("a.py", "Y\n# phaser:ignore-next-line no-y\n", &["a.py:1:1 no-y"]);
}

#[test]
fn unignorable_contract_is_never_suppressed() {
    let strict = forbid("no-x", "X", "**") + "ignorable: false\n";
    let text = "# phaser:ignore-file no-x\nX = 1  # phaser:ignore no-x\nX # phaser:ignore-all\n";
    let project = || Sandbox::new().contract(&strict).file("a.py", text);
    let output = project().run(["enforce", "--all", "--format", "json"]);
    assert_eq!(output.violations(), ["a.py:2:1 no-x", "a.py:3:1 no-x"]);
    let note = "phaser:ignore does not count for this contract";
    assert_eq!(output.json()["violations"][0]["note"], note);
    let output = project().run(["enforce", "--all"]);
    assert!(output.stdout.contains("note: 'phaser:ignore' does not count for this contract"));
}

#[test]
fn all_covers_every_contract_on_its_line() {
    suppresses("a.py", "X Y # phaser:ignore-all\n", 2);
    leaves("a.py", "Y # phaser:ignore-all\nY\n", &["a.py:2:1 no-y"]);
}

#[test]
fn file_directive_covers_violations_without_line() {
    suppresses("needs/a.py", "# phaser:ignore-file needs-z\n", 1);
    suppresses("a.py", "# phaser:ignore-file no-y\nY\n\nY\n", 2);
    let ten = format!("{}# phaser:ignore-file no-y\nY\n", "\n".repeat(9));
    suppresses("a.py", &ten, 1);
    leaves("a.py", &format!("\n{ten}"), &["a.py:12:1 no-y"]);
    leaves("needs/a.py", "# phaser:ignore needs-z\n", &["needs/a.py needs-z"]);
}

#[test]
fn commas_separate_ids_before_reason() {
    suppresses("a.py", "X Y # phaser:ignore no-x, no-y\n", 2);
    suppresses("a.py", "X Y # phaser:ignore no-x,no-y -- X marks the spot, as Y does\n", 4);
    leaves("a.py", "Y # phaser:ignore no-x -- no-y\n", &["a.py:1:1 no-y"]);
}

#[test]
fn ids_are_case_sensitive_and_must_exist() {
    leaves("a.py", "Y # phaser:ignore No-y\n", &["a.py:1:1 no-y"]);
    leaves("a.py", "Y # phaser:ignore no-such-rule\n", &["a.py:1:1 no-y"]);
    let output = check("a.py", "Y # phaser:ignore no-such-rule\n");
    assert_eq!(output.stderr, "", "unknown ids are no error");
}

#[test]
fn directive_needs_comment_of_language() {
    leaves("a.py", "Y = 'phaser:ignore no-y'\n", &["a.py:1:1 no-y"]);
    leaves("a.py", "Y = '# phaser:ignore no-y -- why'\n", &["a.py:1:1 no-y"]);
    leaves("a.js", "Y = `\n// phaser:ignore-next-line no-y\nY`\n", &["a.js:1:1 no-y", "a.js:3:1 no-y"]);
    leaves("a.py", "Y // phaser:ignore no-y\n", &["a.py:1:1 no-y"]);
    leaves("a.js", "Y # phaser:ignore no-y\n", &["a.js:1:1 no-y"]);
}

/// The table of the four comment styles, each extension of it.
#[test]
fn every_listed_extension_has_its_comment_style() {
    let styles: [(&str, &[&str]); 4] = [
        ("Y # phaser:ignore no-y\n", &["py", "rb", "sh", "yaml", "yml"]),
        (
            "Y // phaser:ignore no-y\n",
            &["js", "ts", "jsx", "tsx", "swift", "go", "rs", "c", "cpp", "java", "kt"],
        ),
        ("Y <!-- phaser:ignore no-y -->\n", &["html", "xml", "vue", "svelte"]),
        ("Y /* phaser:ignore no-y */\n", &["css", "scss", "less"]),
    ];
    for (text, extensions) in styles {
        for extension in extensions {
            suppresses(&format!("a.{extension}"), text, 1);
        }
    }
}

#[test]
fn other_common_languages_have_theirs() {
    let cases: [(&str, &[&str]); 9] = [
        ("Y # phaser:ignore no-y\n", &["a.toml", "Dockerfile", "Makefile", "a.tf", "a.ps1", ".env"]),
        ("<?php Y # phaser:ignore no-y\n", &["a.php"]),
        ("Y // phaser:ignore no-y\n", &["a.cs", "a.scala", "a.dart", "a.zig"]),
        ("<?php Y // phaser:ignore no-y\n", &["a.php"]),
        ("<script>Y // phaser:ignore no-y\n</script>", &["a.html", "a.vue", "a.svelte"]),
        ("Y /* phaser:ignore no-y */\n", &["a.js", "a.rs", "a.go", "a.sql"]),
        ("Y -- phaser:ignore no-y\n", &["a.sql", "a.lua", "a.hs", "a.elm"]),
        ("Y <!-- phaser:ignore no-y -->\n", &["README.md", "a.svg"]),
        ("Y ; phaser:ignore no-y\n", &["a.ini", "a.clj", "a.el"]),
    ];
    for (text, paths) in cases {
        for path in paths {
            suppresses(path, text, 1);
        }
    }
}

#[test]
fn bare_directive_suppresses_nothing_with_note() {
    let sandbox = sandbox().file("a.py", "Y # phaser:ignore\nY\n# phaser:ignore-next-line\nY\n");
    insta::assert_snapshot!(sandbox.run(["enforce", "a.py"]), @"
    exit: 0
    --- stdout
    a.py:1: warning: no-y
      Do not no-y.
      note: 'phaser:ignore' without an id ignores nothing (write 'phaser:ignore no-y')
    a.py:2: warning: no-y
      Do not no-y.
    a.py:4: warning: no-y
      Do not no-y.
      note: 'phaser:ignore' without an id ignores nothing (write 'phaser:ignore no-y')

    0 errors, 3 warnings

    --- stderr
    ");
    let json = sandbox.run(["enforce", "a.py", "--format", "json"]).json();
    let notes = [0, 1, 2].map(|at| json["violations"][at]["note"].as_str());
    let note = "phaser:ignore without an id ignores nothing";
    assert_eq!(notes, [Some(note), None, Some(note)]);
    let output = sandbox.pre_write("a.py", "X # phaser:ignore\n");
    output.assert_denied(&["no-x at line 1"]);
    assert!(output.reason().ends_with(&format!("({note})")), "{output}");
}

#[test]
fn ignored_violations_are_counted_in_every_summary() {
    let sandbox = sandbox().file("a.py", "Y # phaser:ignore no-y\nX # phaser:ignore-all\n");
    let text = sandbox.run(["enforce", "--all"]);
    assert_eq!((text.count("ignored"), text.stdout.lines().count()), (2, 1), "{text}");
    let json = sandbox.run(["enforce", "--all", "--format", "json"]).json();
    assert_eq!(
        json["summary"].to_string(),
        r#"{"errors":0,"warnings":0,"ignored":2,"existing":0,"baselined":0}"#
    );
    let hook = sandbox.pre_write("b.py", "X # phaser:ignore-all\n");
    hook.assert_allowed();
    assert!(hook.reason().starts_with("1 "), "{hook}");
}

#[test]
fn no_ignores_reports_hidden_violations() {
    let sandbox = sandbox().file("a.py", "X = 1 # phaser:ignore no-x\nY # phaser:ignore\n");
    let output = sandbox.run(["enforce", "--all", "--no-ignores", "--format", "json"]);
    assert_eq!(output.violations(), ["a.py:1:1 no-x", "a.py:2:1 no-y"]);
    assert_eq!(output.json()["summary"]["ignored"], 0);
    assert_eq!(output.json()["violations"][1]["note"], serde_json::Value::Null, "no note");
    assert_eq!(output.code, Some(1));
    let write = sandbox.hook("PreToolUse").write("b.py", "X # phaser:ignore no-x");
    assert_eq!(write.args(["--no-ignores"]).run().decision(), "deny");
}

#[test]
fn forbidden_file_may_excuse_itself() {
    let sandbox = Sandbox::new().contract(&contract("no-env", "file_not_exists", None, "**/.env"));
    let sandbox =
        sandbox.file(".env", "# phaser:ignore-file no-env -- a sample\nA=1\n").file("b/.env", "A=1\n");
    let output = sandbox.run(["enforce", "--all", "--format", "json"]);
    assert_eq!(output.violations(), ["b/.env no-env"]);
    assert_eq!(output.json()["summary"]["ignored"], 1);
}
