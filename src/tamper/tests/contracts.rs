//! Contracts: which changes of one, or of what stands in front of it, are weaker.

use super::*;

#[test]
fn reports_weaker_contracts() {
    for (before, after, expected) in [
        ("", "enabled: false\n", "is switched off"),
        ("", "severity: warning\n", "is a warning, and was an error"),
        ("", "pattern: 'print_'\n", "has another pattern"),
        ("", "pattern: '|print'\n", "has another pattern"),
        ("", "pattern: '(print'\n", "has a pattern that cannot be used"),
        ("", "pattern: 'print|.*x'\n", "has another pattern"),
        ("", "type: require_pattern\n", "has another type"),
        ("", "type: file_not_exists\n", "has another type"),
        ("", "file_glob: 'src/**/*.py'\n", "is about 'src/**/*.py', and was about '**/*.py'"),
        (
            "file_glob: ['a/**', 'b/**']\n",
            "file_glob: 'a/**'\n",
            "is about 'a/**', and was about '{a/**,b/**}'",
        ),
        ("", "exclude_glob: 'tests/**'\n", "leaves out 'tests/**'"),
        ("exclude_glob: 'a/**'\n", "exclude_glob: ['a/**', 'b']\n", "leaves out '{a/**,b}'"),
        ("", "exclude_kind: tests\n", "leaves out files of kind tests ('exclude_kind')"),
        ("", "file_kind: tests\n", "is only about files of kind tests ('file_kind')"),
        (
            "file_kind: [tests, vendored]\n",
            "file_kind: tests\n",
            "is only about files of kind tests ('file_kind')",
        ),
        ("", "in: code\n", "looks at fewer places in files ('in')"),
        ("", "verify: github\n", "counts only matches that pass github"),
        ("verify: random\n", "verify: [random, jwt]\n", "counts only matches that pass jwt"),
        ("in: [code, strings]\n", "in: code\n", "looks at fewer places in files ('in')"),
        ("ignorable: false\n", "", "can be suppressed by ignore directives and by the baseline"),
        ("type: require_pattern\n", "type: require_pattern\npattern: 'print|x'\n", "has another pattern"),
        (
            "type: require_pattern\nin: code\n",
            "type: require_pattern\n",
            "is met by more places in files ('in')",
        ),
        (
            "type: file_exists\nfile_glob: 'LICENSE'\n",
            "type: file_exists\nfile_glob: ['LICENSE', 'b']\n",
            "is about '{LICENSE,b}', and was about 'LICENSE'",
        ),
    ] {
        let expected = format!("contract no-print {expected}");
        assert_eq!(between(before, after), [expected], "{before:?} → {after:?}");
    }
    let all = between("", "severity: warning\npattern: x\nfile_glob: 'x'\nin: code\n");
    assert_eq!(all.len(), 4, "{all:?}");
}

#[test]
fn accepts_equally_strict_contracts() {
    for (before, after) in [
        ("", ""),
        ("severity: warning\n", ""),
        ("enabled: false\n", ""),
        ("enabled: false\n", "enabled: false\nseverity: warning\npattern: x\n"),
        ("", "message: another\nrationale: why\ntags: [a, b]\n"),
        ("", "examples:\n  violating: ['print()']\n"),
        ("", "# a comment\n\n\npattern:   \"print\"\n"),
        ("", "pattern: 'print|pprint'\n"),
        ("", "type: file_not_contains\n"),
        ("", "file_glob: ['**/*.py', '**/*.pyi']\n"),
        ("", "file_glob: '**'\n"),
        ("file_glob: 'src/**'\n", "file_glob: ['lib/**', 'src/**']\n"),
        ("exclude_glob: ['a/**', 'b/**']\n", "exclude_glob: 'b/**'\n"),
        ("exclude_glob: 'a/**'\n", ""),
        ("in: code\n", "in: [code, comments]\n"),
        ("verify: random\n", ""),
        ("exclude_kind: [tests, vendored]\n", "exclude_kind: tests\n"),
        ("file_kind: tests\n", "file_kind: [tests, vendored]\n"),
        ("file_kind: tests\n", ""),
        ("in: [code, comments]\n", "in: [comments, code]\n"),
        ("in: code\n", ""),
        ("", "ignorable: false\n"),
        ("type: require_pattern\npattern: 'a|b'\n", "type: require_pattern\npattern: 'a'\n"),
        ("type: require_pattern\n", "type: require_pattern\nin: code\n"),
        ("type: file_exists\nfile_glob: ['a', 'b']\n", "type: file_exists\nfile_glob: 'a'\n"),
        ("pattern: '(broken'\n", "pattern: 'x'\nseverity: warning\n"),
    ] {
        assert_eq!(between(before, after), [""; 0], "{before:?} → {after:?}");
    }
}

#[test]
fn both_file_forms_are_equal() {
    let nested = "rule:\n  id: no-print\n  type: forbid_pattern\n  pattern: 'print'\n  file_glob: '**/*.py'\n  \
                  message: m\n  severity: error\n";
    assert_eq!(weaker(&[(RULE, &rule(""))], &[(RULE, Some(nested))]), [""; 0]);
}

#[test]
fn reports_removed_contracts() {
    let other = ".claude/contracts/security/other.yaml";
    let gone = "contract no-print is gone; it was in .claude/contracts/no-print.yaml";
    assert_eq!(weaker(&[(RULE, &rule(""))], &[(RULE, None)]), [gone]);
    assert_eq!(weaker(&[(RULE, &rule(""))], &[(RULE, Some(&contract("renamed", "")))]), [gone]);
    assert_eq!(
        weaker(&[(RULE, &rule(""))], &[(RULE, Some("rule_id: ["))]),
        ["contract no-print does not count any more: .claude/contracts/no-print.yaml:1 is broken"]
    );
    assert_eq!(
        weaker(&[(RULE, &rule(""))], &[(RULE, Some(&"#".repeat(70_000)))]),
        ["contract no-print does not count any more: .claude/contracts/no-print.yaml is broken"]
    );
    // Moved, or renamed as a file.
    assert_eq!(weaker(&[(RULE, &rule(""))], &[(RULE, None), (other, Some(&rule("")))]), [""; 0]);
    // One that never counted.
    assert_eq!(weaker(&[(RULE, &rule("enabled: false\n"))], &[(RULE, None)]), [""; 0]);
    assert_eq!(weaker(&[(RULE, "rule_id: [")], &[(RULE, None)]), [""; 0]);
    assert_eq!(weaker(&[(RULE, "rule_id: [")], &[(RULE, Some("]"))]), [""; 0]);
    // Hidden from the loader.
    let hidden = ".claude/contracts/.no-print.yaml";
    assert_eq!(weaker(&[(RULE, &rule(""))], &[(RULE, None), (hidden, Some(&rule("")))]), [gone]);
}

#[test]
fn other_files_do_not_weaken() {
    let first = ".claude/contracts/a.yaml";
    for more in ["enabled: false\n", "severity: warning\n", "pattern: '('\n"] {
        let found = weaker(&[(RULE, &rule(""))], &[(first, Some(&rule(more)))]);
        // The first enabled one with an id counts.
        let is_weaker = more.starts_with("severity");
        assert_eq!(!found.is_empty(), is_weaker, "{more}: {found:?}");
    }
    assert_eq!(weaker(&[(RULE, &rule(""))], &[(first, Some(&contract("new", "")))]), [""; 0]);
}

#[test]
fn compares_nested_with_shadowed_contract() {
    let nested = "packages/a/.claude/contracts/x.yaml";
    for (more, expected) in [
        ("", ""),
        ("file_glob: '**'\nmessage: other\n", ""),
        ("enabled: false\n", "is switched off"),
        ("severity: warning\n", "is a warning, and was an error"),
        ("file_glob: 'src/**'\n", "is about 'src/**', and was about '**/*.py'"),
        ("pattern: 'other'\n", "has another pattern"),
    ] {
        let found = weaker(&[(RULE, &rule(""))], &[(nested, Some(&rule(more)))]);
        let expected =
            (!expected.is_empty()).then(|| format!("contract no-print {expected} below packages/a"));
        assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{more}");
    }
    assert_eq!(weaker(&[(RULE, &rule("")), (nested, &rule("enabled: false\n"))], &[(nested, None)]), [""; 0]);
    assert_eq!(
        weaker(&[(nested, &contract("own", ""))], &[(nested, None)]),
        ["contract own is gone; it was in packages/a/.claude/contracts/x.yaml"]
    );
    // The one of the project counts again.
    assert_eq!(weaker(&[(RULE, &rule("")), (nested, &rule(""))], &[(nested, None)]), [""; 0]);
    let wider = weaker(&[(RULE, &rule("severity: warning\n")), (nested, &rule(""))], &[(nested, None)]);
    assert_eq!(wider, ["contract no-print is a warning, and was an error"]);
}
