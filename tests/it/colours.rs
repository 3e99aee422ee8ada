//! Colours: only on a terminal or on request, and never a different text.

use insta::assert_snapshot;

use crate::harness::{Sandbox, forbid};
use crate::output::on_a_terminal;

fn sandbox() -> Sandbox {
    let examples = "examples: { violating: ['x', 'y'], passing: ['z'] }\n";
    Sandbox::new()
        .contract(&format!("{}rationale: 'Because.'\n{examples}", forbid("no-x", "x", "**/*.txt")))
        .contract(&forbid("broken", "a(b", "**/*.txt"))
        .file("a.txt", "x\n")
}

const COMMANDS: [&[&str]; 11] = [
    &["contracts", "list"],
    &["contracts", "list", "--long"],
    &["contracts", "check"],
    &["contracts", "check", "--verbose"],
    &["contracts", "test"],
    &["contracts", "lint"],
    &["contracts", "show", "no-x"],
    &["contracts", "packs"],
    &["contracts", "packs", "go"],
    &["explain", "no-x"],
    &["doctor"],
];

/// What is left without colours.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        rest = after.split_once('m').expect("only styles").1;
    }
    plain + rest
}

#[test]
fn colours_change_nothing_but_colours() {
    let sandbox = sandbox();
    for command in COMMANDS {
        let run = |more: &[&str], variable: Option<(&str, &str)>| {
            let mut phaser = sandbox.command();
            phaser.args(command).args(more).envs(variable);
            sandbox.run_with(&mut phaser, b"")
        };
        let piped = run(&[], None);
        assert!(!piped.stdout.contains('\u{1b}'), "{command:?}: {piped}");
        let asked = run(&["--color", "always"], None);
        assert_eq!(plain(&asked.stdout), piped.stdout, "{command:?}");
        let is_styled = command != ["contracts", "list"];
        assert_eq!(asked.stdout.contains('\u{1b}'), is_styled, "{command:?}: {asked}");
        assert_eq!(run(&[], Some(("FORCE_COLOR", "1"))).stdout, asked.stdout, "{command:?}");
        assert_eq!(
            run(&["--color", "never"], Some(("FORCE_COLOR", "1"))).stdout,
            piped.stdout,
            "{command:?}"
        );
        assert_eq!(run(&[], Some(("NO_COLOR", "1"))).stdout, piped.stdout, "{command:?}");
    }
}

/// The signs under a broken pattern are there whatever command meets it.
#[test]
fn every_command_points_at_broken_pattern() {
    let sandbox = sandbox();
    for command in [
        &["contracts", "list"][..],
        &["contracts", "check"],
        &["contracts", "test"],
        &["contracts", "lint"],
        &["contracts", "show", "broken"],
        &["explain", "broken"],
        &["doctor"],
        &["enforce", "--all"],
        &["init", "--dry-run"],
        &["baseline", "--dry-run"],
    ] {
        let mut phaser = sandbox.command();
        let output = sandbox.run_with(phaser.args(command), b"");
        let all = format!("{}{}", output.stdout, output.stderr);
        let lines: Vec<&str> = all.lines().collect();
        let at = lines.iter().position(|line| line.trim() == "a(b");
        let at = at.unwrap_or_else(|| panic!("{command:?}: {output}"));
        assert_eq!(lines[at + 1].trim(), "^", "{command:?}: {output}");
        assert_eq!(lines[at + 1].find('^'), lines[at].find('('), "{command:?}: {output}");
    }
}

#[test]
fn terminal_has_colours_unless_disabled() {
    let sandbox = sandbox();
    for command in ["contracts lint", "contracts list", "contracts show no-x", "explain no-x", "doctor"] {
        let coloured = on_a_terminal(&sandbox, command, &[]);
        assert!(coloured.contains("\u{1b}[1m"), "{command}: {coloured}");
        let without = on_a_terminal(&sandbox, command, &[("NO_COLOR", "1")]);
        assert_eq!(without, plain(&coloured), "{command}");
        assert_eq!(on_a_terminal(&sandbox, &format!("{command} --color never"), &[]), without, "{command}");
    }
}

#[test]
fn doctor_shows_place_below_problem() {
    let output = sandbox().run(["doctor"]);
    let (_, problem) = output.stdout.split_once("problem  .claude/contracts/broken.yaml").expect("a problem");
    assert!(problem.starts_with(":3: "), "{output}");
    assert_snapshot!(problem.lines().skip(1).take(3).collect::<Vec<_>>().join("\n"), @r#"
                 a(b
                  ^
             fix: fix that line; until then the contract is not checked as written
    "#);
}
