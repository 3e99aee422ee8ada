//! Which files are watched, and what hostile ones do.

use std::os::unix::fs::symlink;

use super::*;

#[test]
fn watches_files_enforcement_depends_on() {
    let with_directory = format!("{DENY}contracts: shared/rules\n");
    let project = TestProject::new(&[
        (CONFIG, &with_directory),
        ("shared/rules/a.yaml", &contract("a", "")),
        ("elsewhere/linked.yaml", &contract("linked", "")),
        ("elsewhere/deep/b.yaml", &contract("b", "")),
        ("elsewhere/base.jsonl", ""),
        (RULE, &rule("")),
    ]);
    symlink("../../elsewhere/linked.yaml", project.path(".claude/contracts/link.yaml")).expect("linked");
    symlink("../../elsewhere/deep", project.path(".claude/contracts/deep")).expect("linked");
    symlink("../elsewhere/base.jsonl", project.path(BASELINE)).expect("linked");
    symlink(".claude/contracts", project.path("way")).expect("linked");
    for path in [
        RULE,
        CONFIG,
        BASELINE,
        SETTINGS_FILE,
        LOCAL,
        ".claude/contracts/new/x.yml",
        ".phaser/contracts/x.yaml",
        "packages/a/.claude/contracts/x.yaml",
        "packages/a/.claude/phaser.yaml",
        "shared/rules/a.yaml",
        "shared/rules/new.yaml",
        "elsewhere/linked.yaml",
        "elsewhere/deep/b.yaml",
        "elsewhere/deep/new.yaml",
        "elsewhere/base.jsonl",
        "way/no-print.yaml",
        "home/.claude/settings.json",
    ] {
        assert!(project.is_protected(path), "{path}");
    }
    for path in [
        "src/a.py",
        "a.yaml",
        "package.json",
        "shared/a.yaml",
        ".claude/notes.json",
        "elsewhere/x.jsonl",
        "x",
    ] {
        assert!(!project.is_protected(path), "{path}");
    }
    // The link is followed, too, to what changes.
    let rewritten = Rewritten {
        path: project.path("elsewhere/linked.yaml"),
        before: Some(contract("linked", "").into_bytes()),
        after: Some(contract("linked", "enabled: false\n").into_bytes()),
    };
    assert_eq!(project.compare(&[rewritten]).weaker, ["contract linked is switched off"]);
    let rewritten = Rewritten {
        path: project.path("way/no-print.yaml"),
        before: Some(rule("").into_bytes()),
        after: None,
    };
    assert_eq!(project.compare(&[rewritten]).weaker.len(), 1);
}

#[test]
fn survives_hostile_files() {
    let project = TestProject::new(&[(CONFIG, DENY), (RULE, &rule(""))]);
    symlink("loop.yaml", project.path(".claude/contracts/loop.yaml")).expect("linked");
    symlink(".", project.path(".claude/contracts/again")).expect("linked");
    let texts: [Option<Vec<u8>>; 6] = [
        None,
        Some(Vec::new()),
        Some(vec![0xff; 100]),
        Some("[".repeat(60_000).into_bytes()),
        Some(vec![b'x'; 100_000]),
        Some(b"rule_id: [\n".to_vec()),
    ];
    let long = format!("{}/.claude/contracts/x.yaml", "a/".repeat(3_000));
    for path in [
        RULE,
        CONFIG,
        BASELINE,
        SETTINGS_FILE,
        "../.claude/contracts/x.yaml",
        "x/../.claude/contracts/../contracts/no-print.yaml",
        ".claude/contracts/loop.yaml",
        ".claude",
        "",
        "/",
        long.as_str(),
    ] {
        project.is_protected(path);
        for before in &texts {
            for after in &texts {
                let rewritten =
                    Rewritten { path: project.path(path), before: before.clone(), after: after.clone() };
                let weaker = project.compare(&[rewritten.clone(), rewritten]).weaker;
                assert!(before != after || weaker.is_empty(), "{path}: {weaker:?}");
                assert!(weaker.iter().all(|what| !what.contains(char::is_control)), "{weaker:?}");
            }
        }
    }
}

#[test]
fn reports_timeout_as_weakening() {
    let project = TestProject::new(&[(CONFIG, DENY), (RULE, &rule(""))]);
    let extra = Extra::default();
    let deadline = Deadline::after(std::time::Duration::ZERO);
    let protection = Protection { root: &project.root, extra: &extra, user_settings: None, deadline };
    let bytes = rule("").into_bytes();
    let rewritten = Rewritten { path: project.path(RULE), before: Some(bytes.clone()), after: Some(bytes) };
    let judged = protection.compare(&[rewritten]);
    assert!(judged.weaker.iter().any(|what| what.starts_with("timed out")), "{judged:?}");
}
