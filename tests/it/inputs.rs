//! What phaser reads: files with several contracts, configuration files, text on standard input, roots, notebooks.

use std::fs;

use crate::harness::{Sandbox, forbid};

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
    for place in ["house.yaml:3: first has no examples", "house.yaml:10: second has no examples"] {
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
