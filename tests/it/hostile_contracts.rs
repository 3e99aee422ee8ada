//! Contracts that somebody wrote to exhaust phaser: the hook ends, with the right answer. Files that are refused
//! altogether are in `contracts_loading.rs`.

use crate::harness::{Sandbox, forbid};

#[test]
fn five_thousand_contracts() {
    let sandbox = (0..5000).fold(Sandbox::new(), |sandbox, number| {
        sandbox.contract(&forbid(&format!("c{number}"), &format!("word{number}\\b"), "**"))
    });
    let (decision, reason) = sandbox.pre_write("a.txt", "fine\nword4999\n").decision();
    assert_eq!(
        (decision.as_str(), reason.as_str()),
        ("deny", "Contract violation: c4999 at line 2. Do not c4999.")
    );
    assert_eq!(sandbox.pre_write("a.txt", "fine\n").decision().0, "allow");
}

#[test]
fn patterns_that_would_be_huge_once_compiled() {
    let chain = format!("(?i){}", r"\p{L}".repeat(800));
    let text = format!("{}\n é \u{1F600} y\n", "é".repeat(4000));
    for pattern in [chain.as_str(), r"\w{1000}\w{1000}\w{1000}", "(?:(?:x{200}){200}){200}"] {
        let sandbox =
            Sandbox::new().contract(&forbid("huge", pattern, "**")).contract(&forbid("no-y", "y", "**"));
        let output = sandbox.pre_write("a.txt", &text);
        assert_eq!(output.decision().1, "Contract violation: no-y at line 2. Do not no-y.", "{output}");
        assert!(output.stderr.contains("too large"), "{output}");
    }
}

#[test]
fn matches_that_are_quadratic_to_iterate() {
    let sandbox =
        Sandbox::new().contract(&forbid("slow", ".*[^A-Z]|[A-Z]", "**")).contract(&forbid("no-x", "x", "**"));
    let output = sandbox.pre_write("a.txt", &format!("{}\nx\n", "A".repeat(500_000)));
    assert_eq!(output.decision().0, "deny", "{}", output.stderr);
}
