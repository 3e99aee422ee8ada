//! A contract that means the same is never weaker, however it is written.

use proptest::prelude::*;

use super::*;

/// A contract, as a list of its lines.
fn lines() -> impl Strategy<Value = Vec<String>> {
    let glob = prop_oneof![Just("'**/*.py'"), Just("['src/**', 'lib/*.py']"), Just("'{a,b}/**'")];
    let more = prop::sample::subsequence(
        vec![
            "exclude_glob: 'tests/**'",
            "in: code",
            "exclude_kind: [tests, vendored]",
            "ignorable: false",
            "tags: [x]",
            "enabled: true",
            "rationale: r",
        ],
        0..=7,
    );
    let kind = prop_oneof![Just("forbid_pattern"), Just("require_pattern"), Just("file_not_contains")];
    (glob, more, kind, "[a-z]{1,5}", prop::bool::ANY).prop_map(|(glob, more, kind, pattern, is_error)| {
        let severity = if is_error { "error" } else { "warning" };
        let mut lines = vec![
            "rule_id: some".to_owned(),
            format!("type: {kind}"),
            format!("pattern: '{pattern}'"),
            format!("file_glob: {glob}"),
            "message: m".to_owned(),
            format!("severity: {severity}"),
        ];
        lines.extend(more.into_iter().map(str::to_owned));
        lines
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Neither order, comments, quotes, the message nor the file's name are a part of what a contract means.
    #[test]
    fn rewriting_a_contract_is_never_weaker(
        (before, after) in lines().prop_flat_map(|lines| (Just(lines.clone()), Just(lines).prop_shuffle())),
        message in "[a-z ]{1,20}",
        renamed in prop::bool::ANY,
        others in prop::collection::vec(lines(), 0..3),
    ) {
        let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let after: Vec<String> = after.into_iter().map(|line| match line.as_str() {
            "message: m" => format!("message: \"x{message}\"  # said otherwise"),
            line => format!("{}\n# a comment\n", line.replace('\'', "\"")),
        }).collect();
        let name = if renamed { ".claude/contracts/deep/renamed.yml" } else { RULE };
        let mut changes = vec![(name.to_owned(), Some(text(&after)))];
        if renamed {
            changes.push((RULE.to_owned(), None));
        }
        // Adding others is never weaker.
        for (at, other) in others.iter().enumerate() {
            let other = text(other).replace("rule_id: some", &format!("rule_id: other-{at}"));
            changes.push((format!(".claude/contracts/{at}.yaml"), Some(other)));
        }
        let changes: Vec<(&str, Option<&str>)> =
            changes.iter().map(|(path, text)| (path.as_str(), text.as_deref())).collect();
        prop_assert_eq!(weaker(&[(RULE, &text(&before))], &changes), [""; 0]);
    }
}
