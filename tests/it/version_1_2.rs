//! The commands of version 1.2: what they print, byte for byte, and where they look.

use std::fs;

use insta::assert_snapshot;
use serde_json::json;

use crate::harness::{Output, Sandbox, contract, forbid};

/// A contract in the form of version 1.2.
fn nested(id: &str, kind: &str, pattern: Option<&str>, glob: &str) -> String {
    let pattern = pattern.map(|pattern| format!("  pattern: '{pattern}'\n")).unwrap_or_default();
    format!(
        "version: 1\naudit_source:\n  id: a-1\n  slug: review\n  date: '2025-12-05'\n  phase: 3\nrule:\n  id: {id}\n  \
         type: {kind}\n  severity: error\n{pattern}  file_glob: '{glob}'\n  message: 'Message of {id}.'\n  rationale: ''\n\
         created_at: '2025-12-05T10:30:00Z'\nenabled: true\n"
    )
}

/// Adds a contract to the project's `.phaser/contracts`.
fn stored(sandbox: Sandbox, id: &str, yaml: &str) -> Sandbox {
    sandbox.file(&format!(".phaser/contracts/{id}.yaml"), yaml)
}

/// A project with a contract of each type, each of which is not kept.
fn violated() -> Sandbox {
    let contracts = [
        ("contains", "file_contains", Some("a.*b"), "a.py"),
        ("exists", "file_exists", None, "LICENSE"),
        ("forbid", "forbid_pattern", Some(r"print\("), "**/*.py"),
        ("not-contains", "file_not_contains", Some("x = "), "a.py"),
        ("not-exists", "file_not_exists", None, "**/*.zip"),
        ("require", "require_pattern", Some("^# owner"), "**/*.py"),
    ];
    let sandbox = Sandbox::new()
        .file("a.py", "x = 1\nprint(x); print(2); x = 2\nprint(3)\n")
        .file("src/b.py", "print(1)\n")
        .file("b.zip", "");
    contracts.into_iter().fold(sandbox, |sandbox, (id, kind, pattern, glob)| {
        stored(sandbox, id, &nested(id, kind, pattern, glob))
    })
}

fn list(sandbox: &Sandbox, directory: &str, storage: Option<&str>) -> Output {
    let mut command = sandbox.command();
    command.args(["contracts", "list"]).current_dir(sandbox.path(directory));
    if let Some(storage) = storage {
        command.env("PHASER_STORAGE_DIR", storage);
    }
    sandbox.run_with(&mut command, b"")
}

#[test]
fn check_reports_pass_or_fail_per_contract() {
    let sandbox = violated();
    let sandbox = stored(sandbox, "kept", &nested("kept", "file_exists", None, "a.py"));
    let off = nested("off", "file_exists", None, "gone").replace("enabled: true", "enabled: false");
    let sandbox = stored(sandbox, "off", &off);
    let expected = "\
[FAIL] contains
[FAIL] exists
[FAIL] forbid
[PASS] kept
[FAIL] not-contains
[FAIL] not-exists
[FAIL] require

Results: 1 passed, 6 failed
";
    for command in [&["contracts", "check"][..], &["check"]] {
        let run = |args: &[&str]| {
            let output = sandbox.run_with(sandbox.command().args(command).args(args), b"");
            (output.code, output.stdout)
        };
        assert_eq!(run(&[]), (Some(0), expected.to_owned()));
        assert_eq!(run(&["--format", "text", "--fail-on-error"]), (Some(1), expected.to_owned()));
    }
}

#[test]
fn verbose_adds_line_per_violation() {
    let expected = r"[FAIL] contains
  a.py: Message of contains.
[FAIL] exists
  LICENSE: Message of exists.
[FAIL] forbid
  a.py:2: Forbidden pattern found: print\(
  a.py:3: Forbidden pattern found: print\(
  src/b.py:1: Forbidden pattern found: print\(
[FAIL] not-contains
  a.py:1: Message of not-contains.
  a.py:2: Message of not-contains.
[FAIL] not-exists
  b.zip: Message of not-exists.
[FAIL] require
  **/*.py: Required pattern not found: ^# owner

Results: 0 passed, 6 failed
";
    let sandbox = violated();
    for flag in ["-v", "--verbose"] {
        let output = sandbox.run(["contracts", "check", flag]);
        assert_eq!((output.code, output.stdout.as_str()), (Some(0), expected));
    }
}

#[test]
fn flat_contract_shows_its_message() {
    let sandbox = Sandbox::new()
        .contract(&forbid("no-print", r"print\(", "**/*.py"))
        .contract(&contract("owner", "require_pattern", Some("owner"), "**/*.py"))
        .file("a.py", "print(1) print(2)\n");
    assert_eq!(
        sandbox.run(["contracts", "check", "-v"]).stdout,
        "[FAIL] no-print\n  a.py:1: Do not no-print.\n[FAIL] owner\n  a.py: Do not owner.\n\n\
         Results: 0 passed, 2 failed\n"
    );
}

#[test]
fn without_contracts_there_is_nothing_to_check() {
    let sandbox = Sandbox::new();
    for command in [&["contracts", "check"][..], &["check"], &["check", "--root", ".", "--fail-on-error"]] {
        let output = sandbox.run_with(sandbox.command().args(command), b"");
        assert_eq!((output.code, output.stdout.as_str()), (Some(0), "No contracts to check.\n"));
        assert_eq!(output.stderr, "");
    }
    assert_eq!(sandbox.run(["check", "--format", "json"]).stdout, "[]\n");
    assert_eq!(sandbox.run(["contracts", "list"]).stdout, "No contracts found.\n");
}

#[test]
fn check_json_is_a_list() {
    let sandbox = Sandbox::new().file("a.py", "print(1); print(2)\n");
    let sandbox = stored(sandbox, "forbid", &nested("forbid", "forbid_pattern", Some("print"), "*.py"));
    let sandbox = stored(sandbox, "kept", &nested("kept", "file_exists", None, "a.py"));
    let output = sandbox.run(["check", "--format", "json", "--fail-on-error"]);
    assert_eq!(output.code, Some(1));
    let violation = json!({ "path": "a.py", "line": 1, "message": "Forbidden pattern found: print" });
    assert_eq!(
        output.json(),
        json!([
            { "contract_id": "forbid", "rule_id": "forbid", "passed": false, "violations": [violation] },
            { "contract_id": "kept", "rule_id": "kept", "passed": true, "violations": [] },
        ])
    );
}

#[test]
fn other_root_uses_contracts_from_here() {
    let sandbox = Sandbox::new().file("inner/a.py", "print(1)\n").file("b.py", "print(1)\n");
    let sandbox = stored(sandbox, "forbid", &nested("forbid", "forbid_pattern", Some("print"), "**/*.py"));
    let output = sandbox.run(["check", "--root", "inner", "-v"]);
    assert_eq!(
        output.stdout,
        "[FAIL] forbid\n  a.py:1: Forbidden pattern found: print\n\nResults: 0 passed, 1 failed\n"
    );
    assert_eq!(sandbox.run(["check", "--root", "nowhere"]).code, Some(3));
}

#[test]
fn list_has_a_line_for_each_contract() {
    let sandbox = stored(Sandbox::new(), "a", &nested("a", "file_exists", None, "x"));
    let off = nested("b", "file_exists", None, "x").replace("enabled: true", "enabled: false");
    let sandbox = stored(sandbox, "b", &off);
    let output = sandbox.run(["contracts", "list"]);
    assert_eq!(output.stdout, "a [enabled] - Message of a.\nb [disabled] - Message of b.\n");
    assert_eq!(sandbox.run(["contracts", "list", "--enabled-only"]).stdout, "a [enabled] - Message of a.\n");
}

#[test]
fn switching_reports_and_changes_nothing_else() {
    let yaml = nested("a", "file_exists", None, "x");
    let sandbox = stored(Sandbox::new(), "a", &yaml);
    let text = || fs::read_to_string(sandbox.path(".phaser/contracts/a.yaml")).expect("is there");
    let run = |command: &str| {
        let output = sandbox.run(["contracts", command, "a"]);
        assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
        output.stdout
    };
    assert_eq!(run("disable"), "Disabled: a\n");
    assert_eq!(text(), yaml.replace("enabled: true", "enabled: false"));
    assert_eq!(run("enable"), "Enabled: a\n");
    assert_eq!(text(), yaml);
}

#[test]
fn an_unknown_contract_is_not_found() {
    let sandbox = Sandbox::new().contract(&forbid("no-print", "x", "**"));
    for command in ["enable", "disable"] {
        let output = sandbox.run(["contracts", command, "nothing-like-it"]);
        assert_eq!((output.code, output.stdout.as_str()), (Some(1), "Contract not found: nothing-like-it\n"));
        assert_eq!(output.stderr, "");
    }
    let near = sandbox.run(["contracts", "disable", "no-prin"]);
    assert_eq!((near.code, near.stdout.as_str()), (Some(1), "Contract not found: no-prin\n"));
    assert_eq!(near.stderr, "phaser: did you mean 'no-print'?\n");
}

#[test]
fn dry_run_switches_nothing() {
    let sandbox = Sandbox::new().contract(&forbid("a", "x", "**"));
    let before = fs::read_to_string(sandbox.path(".claude/contracts/a.yaml")).expect("is there");
    let disable = sandbox.run(["contracts", "disable", "a", "--dry-run"]);
    assert_eq!(disable.code, Some(0), "{disable}");
    assert!(disable.stdout.contains(".claude/contracts/a.yaml would have 'enabled: false'"), "{disable}");
    let enable = sandbox.run(["contracts", "enable", "a", "--dry-run"]);
    assert!(enable.stdout.contains("stays unchanged"), "{enable}");
    assert_eq!(fs::read_to_string(sandbox.path(".claude/contracts/a.yaml")).expect("is there"), before);
}

#[test]
fn create_says_what_it_made() {
    let sandbox = Sandbox::new();
    let output = sandbox.run([
        "contracts",
        "create",
        "--rule-id",
        "no-x",
        "--type",
        "forbid_pattern",
        "--pattern",
        "x",
        "--message",
        "No x.",
        "--rationale",
        "",
        "--severity",
        "warning",
    ]);
    assert_eq!((output.code, output.stdout.as_str()), (Some(0), "Created contract: no-x\n"));
    let yaml = fs::read_to_string(sandbox.path(".claude/contracts/no-x.yaml")).expect("is there");
    assert!(yaml.contains("file_glob: '**/*'\n"), "the glob that version 1.2 took: {yaml}");
}

#[test]
fn places_of_version_1_2_come_first() {
    let from = |id: &str, place: &str| {
        nested(id, "forbid_pattern", Some("x"), "**").replace(&format!("Message of {id}."), place)
    };
    let sandbox = Sandbox::new()
        .file("store/contracts/a.yaml", from("a", "stored"))
        .file(".phaser/contracts/a.yaml", from("a", "near"))
        .file(".phaser/contracts/b.yaml", from("b", "near"))
        .contract(&forbid("b", "x", "**"))
        .contract(&forbid("c", "x", "**"))
        .user_contract(&forbid("d", "x", "**"));
    assert_snapshot!(list(&sandbox, "", Some("store")), @"
    exit: 0
    --- stdout
    a [enabled] - stored
    b [enabled] - near
    c [enabled] - Do not c.

    --- stderr
    ");
}

#[test]
fn nearest_storage_directory_replaces_users() {
    let sandbox = Sandbox::new()
        .contract(&forbid("a", "x", "**"))
        .user_contract(&forbid("d", "x", "**"))
        .file("sub/deep/keep", "");
    let both = "a [enabled] - Do not a.\nd [enabled] - Do not d.\n";
    assert_eq!(list(&sandbox, "sub/deep", None).stdout, both);
    fs::create_dir_all(sandbox.path("sub/.phaser")).expect("created");
    let own = "a [enabled] - Do not a.\n";
    assert_eq!(list(&sandbox, "sub/deep", None).stdout, own, "although it holds no contracts");
    assert_eq!(list(&sandbox, "", None).stdout, both, "it is not above this one");
    fs::remove_dir(sandbox.path("sub/.phaser")).expect("removed");
    fs::write(sandbox.path("sub/.phaser"), "").expect("written");
    assert_eq!(list(&sandbox, "sub/deep", None).stdout, both, "a file is no directory");
}

#[test]
fn flat_contracts_count_outside_storage_only() {
    let sandbox = Sandbox::new()
        .file(".phaser/contracts/flat.yaml", forbid("flat", "x", "**"))
        .file(".phaser/contracts/broken-flat.yaml", "rule_id: [a]\n")
        .file(".phaser/contracts/worse.yaml", "rule_id: a_b\n")
        .file("store/contracts/flat.yaml", forbid("flat", "x", "**"))
        .contract(&forbid("a", "x", "**"));
    let sandbox = stored(sandbox, "nested", &nested("nested", "file_exists", None, "x"));
    assert_snapshot!(list(&sandbox, "", Some("store")), @"
    exit: 0
    --- stdout
    nested [enabled] - Message of nested.
    a [enabled] - Do not a.

    --- stderr
    .phaser/contracts/broken-flat.yaml:1: a list or a mapping, where text is expected (put the text in single quotes)
    ");
    let user = Sandbox::new().user_contract(&forbid("d", "x", "**"));
    assert_eq!(
        list(&user, "", None).stdout,
        "d [enabled] - Do not d.\n",
        "the user's own count in both forms"
    );
}

#[test]
fn enforce_knows_nothing_of_the_storage_directory() {
    let sandbox = Sandbox::new().file("a.py", "x\n").contract(&forbid("a", "x", "*.py"));
    let sandbox = stored(sandbox, "n", &nested("n", "forbid_pattern", Some("x"), "*.py"));
    let output = sandbox.run(["enforce", "--all", "--format", "json"]);
    assert_eq!(output.violations(), ["a.py:1:1 a"]);
}

#[test]
fn help_says_what_the_program_is_called() {
    let output = Sandbox::new().run(["--help"]);
    assert!(output.code == Some(0) && output.stdout.contains("Phaser"), "{output}");
}
