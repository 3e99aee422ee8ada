//! Configurations, packs, directories of contracts, and the baseline.

use super::*;

#[test]
fn reports_weaker_configurations() {
    let files = |config: &'static str| [(CONFIG, config), (RULE, rule("").leak() as &str)];
    for (before, after, expected) in [
        (
            "",
            "exclude: 'vendor/**'\n",
            "'vendor/**' is excluded from all contracts about content (.claude/phaser.yaml)",
        ),
        (
            "existing: deny\n",
            "existing: report\n",
            "old violations do not count any more ('existing: report' in .claude/phaser.yaml)",
        ),
        (
            "",
            "existing: report\n",
            "old violations do not count any more ('existing: report' in .claude/phaser.yaml)",
        ),
        ("ignores: deny\n", "ignores: ask\n", "'ignores' is 'ask', and was 'deny' (.claude/phaser.yaml)"),
        ("ignores: report\n", "", "'ignores' is 'allow', and was 'report' (.claude/phaser.yaml)"),
        ("", "overrides: [{contracts: no-print, enabled: false}]\n", "contract no-print is switched off"),
        (
            "",
            "overrides: [{contracts: 'no-*', severity: warning}]\n",
            "contract no-print is a warning, and was an error",
        ),
        (
            "",
            "overrides: [{contracts: '*', files: 'tests/**', enabled: false}]\n",
            "contract no-print is switched off by an override for 'tests/**'",
        ),
        (
            "",
            "overrides: [{contracts: '*', files: ['a/**', b], severity: warning}]\n",
            "contract no-print is made a warning by an override for 'a/**, b'",
        ),
        (
            "overrides: [{contracts: '*', enabled: false}, {contracts: '*', files: a, enabled: true}]\n",
            "overrides: [{contracts: '*', enabled: false}]\n",
            "contract no-print has lost the override that made it stricter for 'a'",
        ),
        (
            "overrides: [{contracts: '*', files: 'a*', severity: warning}, {contracts: '*', files: ab, severity: error}]\n",
            "overrides: [{contracts: '*', files: ab, severity: error}, {contracts: '*', files: 'a*', severity: warning}]\n",
            "contract no-print has its overrides in another order",
        ),
    ] {
        let (before, after) = (format!("{DENY}{before}"), format!("{DENY}{after}"));
        let found = weaker(&files(before.leak()), &[(CONFIG, Some(&after))]);
        assert_eq!(found, [expected], "{after}");
    }
    let lowered = |after| judged(&files(DENY), &[(CONFIG, after)]);
    let expected = TamperReport {
        policy: Policy::Deny,
        weaker: vec!["'protect' is 'allow', and was 'deny' (.claude/phaser.yaml)".to_owned()],
    };
    assert_eq!(lowered(Some("protect: allow\n")), expected);
    assert_eq!(lowered(None), expected);
    assert_eq!(lowered(Some("protect: [\n")).weaker.len(), 2);
    assert!(
        lowered(Some("protect: [\n")).weaker[0]
            .starts_with("the configuration does not count any more: .claude/phaser.yaml:")
    );
}

#[test]
fn reports_overrides_of_unloaded_contracts() {
    let nested = "packages/a/.claude/contracts/x.yaml";
    let config = |more: &str| format!("{DENY}{more}");
    let found = |before: &str, after: &str| {
        let files = [(CONFIG, config(before)), (nested, contract("nested", ""))];
        let files: Vec<_> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        weaker(&files, &[(CONFIG, Some(&config(after)))])
    };
    let off = "overrides: [{contracts: nested, enabled: false}]\n";
    let raised = "overrides: [{contracts: 'nest*', severity: error}]\n";
    assert_eq!(found("", off), ["an override lowers contracts, 'nested' (.claude/phaser.yaml)"]);
    assert_eq!(
        found(raised, ""),
        ["an override that raised contracts is gone, 'nest*' (.claude/phaser.yaml)"]
    );
    assert_eq!(found(off, ""), [""; 0]);
    assert_eq!(found("", raised), [""; 0]);
    assert_eq!(found(off, &format!("# why\n{off}")), [""; 0]);
}

#[test]
fn accepts_equally_strict_configurations() {
    let files = |config: &'static str| [(CONFIG, config), (RULE, rule("").leak() as &str)];
    let tests = "{contracts: '*', files: 'tests/**', severity: warning}";
    for (before, after) in [
        ("exclude: ['vendor/**', 'a']\n".to_owned(), "exclude: 'vendor/x/**'\n".to_owned()),
        ("existing: report\n".to_owned(), String::new()),
        (String::new(), "ignores: ask\nexisting: deny\ncache: true\n".to_owned()),
        ("packs: hygiene\n".to_owned(), "packs: [secrets, hygiene]\n".to_owned()),
        (format!("overrides: [{tests}]\n"), String::new()),
        (format!("overrides: [{tests}]\n"), format!("# more\noverrides:\n  - {tests}\n")),
        (
            format!("overrides: [{tests}]\n"),
            format!("overrides: [{tests}, {{contracts: '*', files: 'tests/x', severity: error}}]\n"),
        ),
        (String::new(), "overrides: [{contracts: '*', severity: error}]\n".to_owned()),
        (
            "overrides: [{contracts: '*', severity: warning}]\n".to_owned(),
            "overrides: [{contracts: '*', files: a, severity: warning}, {contracts: '*', severity: warning}]\n"
                .to_owned(),
        ),
    ] {
        let (before, after) = (format!("{DENY}{before}"), format!("{DENY}{after}"));
        let found = weaker(&files(before.leak()), &[(CONFIG, Some(&after))]);
        assert_eq!(found, [""; 0], "{after}");
    }
}

#[test]
fn reports_unused_packs_and_directories() {
    let with_pack = format!("{DENY}packs: [hygiene]\n");
    let found = weaker(&[(CONFIG, &with_pack)], &[(CONFIG, Some(DENY))]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("pack hygiene is not used any more, and with it go "), "{found:?}");
    let shared = "shared/rules/no-print.yaml";
    let with_directory = format!("{DENY}contracts: shared/rules\n");
    let files = [(CONFIG, with_directory.as_str()), (shared, &rule(""))];
    let gone = "directory shared/rules is not used any more, and with it go 1 contract";
    assert_eq!(weaker(&files, &[(CONFIG, Some(DENY))]), [gone]);
    let off = weaker(&files, &[(shared, Some(&rule("enabled: false\n")))]);
    assert_eq!(off, ["contract no-print is switched off"]);
    assert_eq!(
        weaker(&files, &[(CONFIG, Some(DENY)), (RULE, Some(&rule("")))]),
        [""; 0],
        "it is in front now"
    );
    // A pack for a directory that is used everywhere now.
    let nested = "packages/a/.claude/phaser.yaml";
    let files = [(CONFIG, DENY), (nested, "packs: [hygiene]\n")];
    assert_eq!(weaker(&files, &[(nested, None), (CONFIG, Some(&with_pack))]), [""; 0]);
    assert_eq!(weaker(&files, &[(nested, None)]).len(), 1);
}

#[test]
fn nearest_policy_before_change_decides() {
    let nested = "packages/a/.claude/contracts/x.yaml";
    let config = "packages/a/.claude/phaser.yaml";
    let policy = |files: &[(&str, &str)], changes: &[(&str, Option<&str>)]| judged(files, changes).policy;
    assert_eq!(policy(&[], &[(RULE, Some(""))]), Policy::Allow);
    assert_eq!(policy(&[(CONFIG, "protect: ask\n")], &[(nested, Some(""))]), Policy::Ask);
    let files = [(CONFIG, DENY), (config, "protect: report\n"), (nested, ""), (RULE, "")];
    assert_eq!(policy(&files, &[(nested, None)]), Policy::Report);
    assert_eq!(policy(&files, &[(nested, None), (RULE, None)]), Policy::Deny);
    assert_eq!(policy(&files, &[(CONFIG, None)]), Policy::Deny);
    assert_eq!(policy(&[(CONFIG, DENY)], &[(config, Some("protect: allow\n"))]), Policy::Deny);
    let lowered = weaker(&[(CONFIG, DENY)], &[(config, Some("protect: allow\n"))]);
    assert_eq!(lowered, ["'protect' is 'allow', and was 'deny' (packages/a/.claude/phaser.yaml)"]);
    // `allow` skips the comparison.
    let files = [(RULE, rule("").leak() as &str)];
    assert_eq!(judged(&files, &[(RULE, None)]), TamperReport { policy: Policy::Allow, weaker: Vec::new() });
}

#[test]
fn reports_baseline_that_grows() {
    let entry = |path: &str, digest: u64, count: u32| {
        format!(
            "{{\"contract\":\"no-print\",\"path\":\"{path}\",\"digest\":\"{digest:016x}\",\"count\":{count}}}\n"
        )
    };
    let (one, two, more) = (entry("a.py", 1, 1), entry("b.py", 2, 2), entry("b.py", 2, 3));
    let found = |before: &str, after: Option<&str>| {
        weaker(&[(BASELINE, before), ("a.py", ""), ("b.py", "")], &[(BASELINE, after)])
    };
    let both = format!("{one}{two}");
    assert_eq!(found(&both, Some(&one)), [""; 0]);
    assert_eq!(found(&both, Some(&format!("{two}{one}"))), [""; 0]);
    assert_eq!(found(&both, None), [""; 0]);
    assert_eq!(found(&both, Some("broken")), [""; 0]);
    assert_eq!(
        found(&one, Some(&both)),
        ["the baseline covers 2 violations more: no-print in b.py (.claude/phaser-baseline.jsonl)"]
    );
    assert_eq!(
        found(&two, Some(&more)),
        ["the baseline covers 1 violation more: no-print in b.py (.claude/phaser-baseline.jsonl)"]
    );
    let conflict = format!("<<<<<<< ours\n{one}=======\n{two}>>>>>>> theirs\n");
    assert_eq!(found(&conflict, Some(&both)), [""; 0], "a conflict is resolved");
    let many: String = (0..30).map(|at| entry(&format!("f{at}"), 1, 1)).collect();
    assert!(found("", Some(&many))[0].contains("30 violations more"));
    assert!(found("", Some(&many))[0].contains(", … ("));
    // A file that is gone may have moved, and its entries with it.
    assert_eq!(found(&entry("gone.py", 2, 1), Some(&entry("b.py", 2, 1))), [""; 0]);
    assert_eq!(found(&entry("a.py", 2, 1), Some(&entry("b.py", 2, 1))).len(), 1);
    let new = weaker(&[], &[(BASELINE, Some(&one))]);
    assert_eq!(new.len(), 1, "{new:?}");
}
