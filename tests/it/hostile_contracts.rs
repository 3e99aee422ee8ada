//! Contracts written to exhaust phaser: the hook ends with the right response. Files that are refused
//! altogether are in `contracts_loading.rs`.

use crate::harness::{Output, Sandbox, contract, forbid};

/// More time than there is by default, for what is slow without optimisation.
const LONG: &str = "60000";

#[test]
fn five_thousand_contracts() {
    let sandbox = (0..5000).fold(Sandbox::new(), |sandbox, number| {
        sandbox.contract(&forbid(&format!("c{number}"), &format!("word{number}\\b"), "**"))
    });
    let write =
        |content: &str| sandbox.hook("PreToolUse").write("a.txt", content).args(["--timeout", LONG]).run();
    write("fine\nword4999\n").assert_denied(&["c4999 at line 2"]);
    write("fine\n").assert_allowed();
}

#[test]
fn patterns_that_would_be_huge_once_compiled() {
    let chain = format!("(?i){}", r"\p{L}".repeat(800));
    let text = format!("{}\n é \u{1F600} y\n", "é".repeat(4000));
    for pattern in [chain.as_str(), r"\w{1000}\w{1000}\w{1000}", "(?:(?:x{200}){200}){200}"] {
        let sandbox =
            Sandbox::new().contract(&forbid("huge", pattern, "**")).contract(&forbid("no-y", "y", "**"));
        let output = sandbox.hook("PreToolUse").write("a.txt", &text).args(["--timeout", LONG]).run();
        assert_eq!(output.reported(), ["no-y at line 2"], "{output}");
        assert!(output.stderr.contains("too large"), "{output}");
    }
}

#[test]
fn matches_that_are_quadratic_to_iterate() {
    let sandbox =
        Sandbox::new().contract(&forbid("slow", ".*[^A-Z]|[A-Z]", "**")).contract(&forbid("no-x", "x", "**"));
    let output = sandbox.pre_write("a.txt", &format!("{}\nx\n", "A".repeat(500_000)));
    assert_eq!(output.decision(), "deny", "{}", output.stderr);
}

/// A text that most automata have many states for.
fn mixed(length: usize) -> String {
    let mut seed = 1u32;
    let letters = std::iter::repeat_with(|| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if seed >> 31 == 0 { 'a' } else { 'b' }
    });
    letters.take(length).collect()
}

/// Contracts that are slow on [`mixed`] text, each for as long as a pattern may be.
fn slow(count: usize) -> Sandbox {
    (0..count).fold(Sandbox::new(), |sandbox, number| {
        sandbox.contract(&forbid(&format!("slow-{number}"), &format!("a[ab]{{{}}}[c-z]", 40 + number), "**"))
    })
}

/// A pattern that backtracks longer than it may on a text of many `a`.
const BACKTRACKS: &str = "(?:(?!x)(?:a|aa))+(?<!a)";

/// The run ends with this code, and a gap that it reports starts with this path and id.
#[track_caller]
fn gap(output: &Output, code: i32, start: &str) {
    assert_eq!(output.code, Some(code), "{output}");
    assert!(output.unchecked().iter().any(|gap| gap.starts_with(start)), "{output}");
}

#[test]
fn hook_timeout_reports_unchecked_rest() {
    let output = slow(60).pre_write("a.txt", &mixed(400_000));
    let timed_out = output.unchecked();
    let last = timed_out.last().expect("a gap");
    assert!(last.starts_with("a.txt: ") && last.contains(" slow-"), "{output}");
    assert_ne!(output.message(), "", "{output}");
    assert_eq!(output.decision(), "", "{output}");
}

#[test]
fn slow_pattern_hides_no_other_violation() {
    let sandbox = Sandbox::new()
        .contract(&forbid("slow", BACKTRACKS, "**"))
        .contract(&forbid("z-no-x", "xyz", "**"))
        .file("a.txt", "a".repeat(5_000) + "\nxyz\n");
    let output = sandbox.run(["enforce", "a.txt", "--timeout", "1"]);
    gap(&output, 3, "a.txt: slow ");
    assert_eq!(output.report(), ["a.txt:2 error z-no-x"], "{output}");
}

#[test]
fn slow_pattern_fails_other_modes() {
    let sandbox = Sandbox::new().contract(&forbid("slow", BACKTRACKS, "**")).file("a.txt", "a".repeat(5_000));
    gap(&sandbox.run(["enforce", "a.txt", "--timeout", "1"]), 3, "a.txt: slow ");
}

#[test]
fn linear_engine_never_times_out_elsewhere() {
    let sandbox = slow(1).file("a.txt", mixed(100_000) + "a" + &mixed(40) + "c\n");
    let output = sandbox.run(["enforce", "a.txt", "--timeout", "1"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(1), ""), "{output}");
}

#[test]
fn unstoppable_look_ahead_times_out() {
    let sandbox = Sandbox::new()
        .contract(&forbid("ahead", "(?=[^x]*x)y(?!z)", "**"))
        .contract(&forbid("no-b", "b(?!a)", "**"))
        .file("a.txt", "a".repeat(300_000) + "b");
    gap(&sandbox.pre_write("a.txt", &"a".repeat(300_000)), 0, "a.txt: ahead ");
    gap(&sandbox.run(["enforce", "a.txt"]), 3, "a.txt: ahead ");
}

#[test]
fn contracts_that_are_too_large_together() {
    let rationale = format!("# {}\n", "x".repeat(1_000)).repeat(60);
    let sandbox = (0..300).fold(Sandbox::new(), |sandbox, number| {
        let yaml = forbid(&format!("c{number:03}"), "x", "**") + &rationale;
        sandbox.contract(&yaml)
    });
    let sandbox = sandbox.file("a.txt", "x");
    let output = sandbox.run(["enforce", "a.txt"]);
    assert_eq!(output.code, Some(1), "{output}");
    let what = ".claude/contracts: contracts exceed 16777216 bytes together: ";
    assert!(output.stderr.contains(what), "{output}");
    assert!(output.stdout.contains("c000") && !output.stdout.contains("c299"), "{output}");
    assert_eq!(sandbox.run(["enforce", "a.txt", "--strict"]).code, Some(3));
}

#[test]
fn violations_that_are_too_many_together() {
    let sandbox = (0..12).fold(Sandbox::new(), |sandbox, number| {
        sandbox.contract(&forbid(&format!("c{number:02}"), "x", "**"))
    });
    let sandbox = sandbox.file("a.txt", "x\n".repeat(1_000));
    let output = sandbox.run(["enforce", "a.txt"]);
    gap(&output, 1, "a.txt: more than 10000 violations; only the first 10000 are reported");
    assert_eq!(output.count("error"), 10_002, "one of each contract in any case: {}", output.stderr);
    gap(&sandbox.run(["enforce", "a.txt", "--strict"]), 3, "a.txt: ");
    let checked = sandbox.run(["contracts", "check"]);
    assert!(checked.stdout.contains("0 passed, 12 failed"), "{checked}");
}

#[test]
fn many_files_with_one_id() {
    let pattern = r"\\p{L}".repeat(90);
    let yaml = contract("same", "forbid_pattern", Some("PATTERN"), "**")
        .replace("'PATTERN'", &format!("\"(?i){pattern}\""));
    let sandbox = (0..40).fold(Sandbox::new(), |sandbox, number| {
        sandbox.file(&format!(".claude/contracts/{number:02}.yaml"), &yaml)
    });
    let output = sandbox.file("a.txt", "x").run(["enforce", "a.txt"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(output.stderr.matches("duplicate rule id 'same'").count(), 39, "{output}");
}
