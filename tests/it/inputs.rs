//! What phaser reads: files with several contracts, configuration files, text on standard input, roots, notebooks.

use std::fs;

use crate::harness::{Sandbox, contract, forbid};

fn no_x(id: &str) -> String {
    forbid(id, "x", "**/*.txt")
}

fn two() -> String {
    format!("# house rules\n---\n{}---\n{}", no_x("first"), forbid("second", "y", "**/*.txt"))
}

fn sandbox() -> Sandbox {
    Sandbox::new().file("a.txt", "x\ny\n")
}

const HOUSE: &str = ".claude/contracts/house.yaml";

#[test]
fn one_file_holds_several_contracts() {
    let sandbox = sandbox().file(HOUSE, two());
    let output = sandbox.run(["enforce", "--all", "--format", "json"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(1), ""), "{output}");
    assert_eq!(output.violations(), ["a.txt:1:1 first", "a.txt:2:1 second"]);
    sandbox.pre_write("b.txt", "y\n").assert_denied(&["second at line 1"]);
    let linted = sandbox.run(["contracts", "lint"]);
    for place in ["house.yaml:3: note: first has no examples", "house.yaml:10: note: second has no examples"]
    {
        assert!(linted.to_string().contains(place), "{linted}");
    }
    let shown = sandbox.run(["contracts", "show", "second", "--yaml"]);
    assert_eq!(shown.stdout, forbid("second", "y", "**/*.txt"));
}

#[test]
fn invalid_document_is_skipped_alone() {
    let broken =
        two().replace("type: forbid_pattern\n", "type: nope\n").replacen("nope", "forbid_pattern", 1);
    let sandbox = sandbox().file(HOUSE, broken);
    let output = sandbox.run(["enforce", "--all", "--format", "json"]);
    assert_eq!(output.violations(), ["a.txt:1:1 first"]);
    assert!(output.stderr.contains("house.yaml:11: type 'nope'"), "{output}");

    let sandbox = sandbox.file(HOUSE, format!("{}---\nrule_id: 'open\n", two()));
    let output = sandbox.run(["enforce", "--all", "--format", "json"]);
    assert_eq!(output.violations().len(), 0, "{output}");
    assert!(output.stderr.contains("house.yaml:18: not a contract: "), "{output}");
}

#[test]
fn switches_one_contract_of_several() {
    let sandbox = sandbox().file(HOUSE, two());
    assert_eq!(sandbox.run(["contracts", "disable", "first"]).code, Some(0));
    let edited = fs::read_to_string(sandbox.path(HOUSE)).expect("read");
    assert_eq!(edited, two().replacen("---\nrule_id: second", "enabled: false\n---\nrule_id: second", 1));
    assert_eq!(sandbox.run(["enforce", "--all", "--format", "json"]).violations(), ["a.txt:2:1 second"]);
}

#[test]
fn removing_one_document_is_tampering() {
    let sandbox = sandbox().file(HOUSE, two()).file(".claude/phaser.yaml", "protect: deny\n");
    let output = sandbox.pre_write(HOUSE, &no_x("first"));
    assert_eq!(output.decision(), "deny", "{output}");
    assert!(output.reason().contains("second"), "{output}");
    assert_ne!(sandbox.pre_write(HOUSE, &two().replace("# house", "# our")).decision(), "deny");
}

#[test]
fn duplicate_id_in_file_names_lines() {
    let sandbox = sandbox().file(HOUSE, format!("{}---\n{}", no_x("first"), no_x("first")));
    let output = sandbox.run(["enforce", "--all", "--format", "json"]);
    assert!(
        output.stderr.contains("house.yaml:8: duplicate rule id 'first'; using the one in line 1"),
        "{output}"
    );
}

/// A project without `.claude`: its configuration is `phaser.yaml`.
fn at_top() -> Sandbox {
    sandbox().file("phaser.yaml", "contracts: [rules]\nprotect: deny\n").file("rules/no-x.yaml", no_x("no-x"))
}

fn all(sandbox: &Sandbox) -> Vec<String> {
    sandbox.run(["enforce", "--all", "--format", "json"]).violations()
}

#[test]
fn configuration_may_be_at_top() {
    let sandbox = at_top().file("src/b.txt", "x\n");
    assert_eq!(all(&sandbox), ["a.txt:1:1 no-x", "src/b.txt:1:1 no-x"]);
    sandbox.pre_write("src/c.txt", "x\n").assert_denied(&["no-x at line 1"]);
    let mut command = sandbox.command();
    command.args(["enforce", "--all", "--format", "json"]).current_dir(sandbox.path("src"));
    assert_eq!(sandbox.run_with(&mut command, b"").violations().len(), 2, "the root is above");
}

#[test]
fn baseline_is_beside_configuration() {
    let sandbox = at_top();
    let output = sandbox.run(["baseline"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.starts_with("phaser-baseline.jsonl: 1 violation"), "{output}");
    assert!(sandbox.path("phaser-baseline.jsonl").exists() && !sandbox.path(".claude").exists());
    assert_eq!(all(&sandbox), [""; 0]);
    assert_ne!(sandbox.pre_edit("a.txt", "y", "z").decision(), "deny", "a hook reads it");
}

#[test]
fn two_configurations_are_an_error() {
    let sandbox = at_top().file(".claude/phaser.yaml", "packs: [secrets]\n").contract(&no_x("own"));
    let output = sandbox.run(["enforce", "--all"]);
    assert_eq!(output.code, Some(3), "{output}");
    assert_eq!(
        output.stderr.lines().next(),
        Some("phaser: phaser.yaml: .claude/phaser.yaml is a configuration, too (keep one of them)"),
        "{output}"
    );
    let output = sandbox.pre_write("b.txt", "x\n");
    output.assert_denied(&["own at line 1"]);
    assert!(output.message().contains("phaser.yaml"), "{output}");
}

#[test]
fn nested_directory_may_have_configuration_at_top() {
    let sandbox = Sandbox::new()
        .file(".claude/phaser.yaml", "")
        .file("web/phaser.yaml", "contracts: [rules]\n")
        .file("web/rules/no-x.yaml", no_x("no-x"))
        .file("a.txt", "x\n")
        .file("web/a.txt", "x\n");
    assert_eq!(all(&sandbox), ["web/a.txt:1:1 no-x"]);
    sandbox.pre_write("web/b.txt", "x\n").assert_denied(&["no-x at line 1"]);
}

#[test]
fn weakening_configuration_at_top_is_tampering() {
    let sandbox = at_top();
    for (path, text) in [
        ("phaser.yaml", "contracts: [rules]\nprotect: deny\nexclude: ['**']\n"),
        ("phaser.yaml", "protect: deny\n"),
        (".claude/phaser.yaml", ""),
        ("rules/no-x.yaml", "# gone\n"),
    ] {
        assert_eq!(sandbox.pre_write(path, text).decision(), "deny", "{path}: {text}");
    }
    let same = sandbox.pre_write("phaser.yaml", "# same\ncontracts: [rules]\nprotect: deny\n");
    assert_ne!(same.decision(), "deny", "{same}");
}

#[test]
fn git_modes_read_configuration_at_top() {
    let sandbox =
        at_top().git_init().git_add(".").git_commit("first").file("phaser.yaml", "exclude: ['**']\n");
    let sandbox = sandbox.file("a.txt", "x\nx\n").git_add("a.txt");
    let staged = sandbox.run(["enforce", "--staged", "--format", "json"]);
    assert_eq!(staged.violations(), ["a.txt:1:1 no-x", "a.txt:2:1 no-x"], "{staged}");
    let from = sandbox.run(["enforce", "--all", "--contracts-from", "HEAD", "--format", "json"]);
    assert_eq!(from.violations(), ["a.txt:1:1 no-x", "a.txt:2:1 no-x"], "{from}");
}

#[test]
fn text_on_stdin_is_checked_as_file() {
    let required = contract("licence", "file_exists", None, "LICENSE");
    let sandbox = sandbox().contract(&no_x("no-x")).contract(&required);
    let check = |path: &str, text: &[u8]| {
        sandbox.run_stdin(["enforce", "--stdin-filename", path, "--format", "json"], text)
    };
    let output = check("new/b.txt", b"y\nx\n");
    assert_eq!(
        (output.code, output.violations()),
        (Some(1), vec!["new/b.txt:2:1 no-x".to_owned()]),
        "{output}"
    );
    let output = check("a.txt", b"y\n");
    assert_eq!(
        (output.code, output.violations().len()),
        (Some(0), 0),
        "the text counts, not the file: {output}"
    );
    assert_eq!(check("b.md", b"x\n").violations().len(), 0);
    let mut below = sandbox.command();
    below
        .args(["enforce", "--stdin-filename", "b.txt", "--format", "json"])
        .current_dir(sandbox.path(".claude"));
    assert_eq!(sandbox.run_with(&mut below, b"x\n").violations(), [".claude/b.txt:1:1 no-x"]);
}

#[test]
fn text_on_stdin_has_limits_of_files() {
    let sandbox = sandbox().contract(&no_x("no-x"));
    let args =
        ["enforce", "--stdin-filename", "b.txt", "--max-file-size", "9", "--strict", "--format", "json"];
    let large = sandbox.run_stdin(args, "0123456789 x\n");
    assert_eq!((large.code, large.violations().len()), (Some(3), 0), "{large}");
    let utf16 =
        sandbox.run_stdin(["enforce", "--stdin-filename", "b.txt", "--format", "json"], b"\xff\xfex\0\n\0");
    assert_eq!(utf16.violations(), ["b.txt:1:1 no-x"]);
}

#[test]
fn text_on_stdin_is_baselined() {
    let sandbox = sandbox().contract(&no_x("no-x"));
    assert_eq!(sandbox.run(["baseline"]).code, Some(0));
    let check = |text: &str| {
        sandbox.run_stdin(["enforce", "--stdin-filename", "a.txt", "--format", "json"], text).violations()
    };
    assert_eq!(check("\nx\n"), [""; 0]);
    assert_eq!(check("x\n x x\n"), ["a.txt:2:2 no-x", "a.txt:2:4 no-x"]);
}

#[test]
fn stdin_text_excludes_other_modes() {
    let sandbox = sandbox().contract(&no_x("no-x"));
    for more in ["--all", "--staged", "a.txt"] {
        let output = sandbox.run_stdin(["enforce", "--stdin-filename", "b.txt", more], "x");
        assert_eq!((output.code, output.stdout.as_str()), (Some(3), ""), "{output}");
        assert!(output.stderr.contains("more than one mode"), "{output}");
    }
    let output = sandbox.run_stdin(["enforce", "--stdin-filename", "b.txt", "--format", "hook"], "x");
    assert_eq!(output.code, Some(3), "{output}");
}
