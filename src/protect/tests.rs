//! Pairs of states of a project, and what is weaker in the second one.

use std::fs;
use std::os::unix::fs::symlink;

use proptest::prelude::*;

use super::*;

const RULE: &str = ".claude/contracts/no-print.yaml";
const DENY: &str = "protect: deny\n";

fn contract(id: &str, more: &str) -> String {
    let known = |key: &str| more.lines().any(|line| line.starts_with(key));
    let mut yaml = format!("rule_id: {id}\n{more}");
    for (key, value) in [
        ("type:", "forbid_pattern"),
        ("pattern:", "'print'"),
        ("file_glob:", "'**/*.py'"),
        ("message:", "m"),
        ("severity:", "error"),
    ] {
        if !known(key) {
            yaml.push_str(&format!("{key} {value}\n"));
        }
    }
    yaml
}

fn rule(more: &str) -> String {
    contract("no-print", more)
}

struct Place {
    directory: tempfile::TempDir,
    root: Root,
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let root = Root::new(directory.path());
        let place = Self { directory, root };
        files.iter().for_each(|(path, text)| place.write(path, Some(text)));
        place
    }

    fn write(&self, path: &str, text: Option<&str>) {
        let path = self.path(path);
        match text {
            Some(text) => {
                fs::create_dir_all(path.parent().expect("has a parent")).expect("created");
                fs::write(path, text).expect("written");
            }
            None => fs::remove_file(path).expect("removed"),
        }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.directory.path().join(path)
    }

    fn judge(&self, changes: &[Rewritten]) -> Judged {
        let home = self.path("home/.claude/settings.json");
        let extra = Extra::default();
        let protection = Protection {
            root: &self.root,
            extra: &extra,
            user_settings: Some(&home),
            deadline: Deadline::NEVER,
        };
        protection.judge(changes)
    }

    fn is_protected(&self, path: &str) -> bool {
        let extra = Extra::default();
        let names = [RelPath::from(path)];
        let folders = folders_above(&self.root, names.iter(), None);
        let load = Load {
            root: &self.root,
            extra: &extra,
            folders: &folders,
            settings: Settings::OnDisk,
            cwd: None,
        };
        let loaded = load.run(Loading::to_enforce(matcher::broken));
        let home = self.path("home/.claude/settings.json");
        let user_settings = Some(home.as_path());
        let deadline = Deadline::NEVER;
        Protection { root: &self.root, extra: &extra, user_settings, deadline }
            .watched(&loaded)
            .has(&self.path(path))
    }
}

/// What is weaker: found before the change is made, and again afterwards, when the disk has it.
fn judged(files: &[(&str, &str)], changes: &[(&str, Option<&str>)]) -> Judged {
    let place = Place::new(files);
    let read = |path: &str| fs::read(place.path(path)).ok();
    let of = |(path, after): &(&str, Option<&str>)| Rewritten {
        path: place.path(path),
        before: read(path),
        after: after.map(|text| text.as_bytes().to_vec()),
    };
    let rewritten: Vec<_> = changes.iter().map(of).collect();
    let proposed = place.judge(&rewritten);
    changes.iter().for_each(|(path, after)| place.write(path, *after));
    let made = place.judge(&rewritten);
    assert_eq!(proposed, made, "the same before and after it is on disk");
    made
}

fn weaker(files: &[(&str, &str)], changes: &[(&str, Option<&str>)]) -> Vec<String> {
    let mut files = files.to_vec();
    if !files.iter().any(|(path, _)| *path == CONFIG) {
        files.push((CONFIG, DENY));
    }
    judged(&files, changes).weaker
}

/// What is weaker when one contract becomes another one.
fn between(before: &str, after: &str) -> Vec<String> {
    weaker(&[(RULE, &rule(before))], &[(RULE, Some(&rule(after)))])
}

#[test]
fn a_contract_that_says_less_is_weaker() {
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
        ("", "in: code\n", "looks at fewer places in files ('in')"),
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
fn a_contract_that_says_as_much_is_not_weaker() {
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
fn the_two_forms_of_a_file_mean_the_same() {
    let nested = "rule:\n  id: no-print\n  type: forbid_pattern\n  pattern: 'print'\n  file_glob: '**/*.py'\n  \
                  message: m\n  severity: error\n";
    assert_eq!(weaker(&[(RULE, &rule(""))], &[(RULE, Some(nested))]), [""; 0]);
}

#[test]
fn a_contract_that_is_gone_is_weaker_wherever_it_was() {
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
fn another_file_can_take_nothing_away() {
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
fn a_nested_contract_must_be_as_strict_as_the_one_it_stands_in_front_of() {
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

#[test]
fn a_configuration_that_says_less_is_weaker() {
    let files = |config: &'static str| [(CONFIG, config), (RULE, rule("").leak() as &str)];
    for (before, after, expected) in [
        (
            "",
            "exclude: 'vendor/**'\n",
            "no contract about content looks at 'vendor/**' any more (.claude/phaser.yaml)",
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
    let expected = Judged {
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
fn overrides_reach_contracts_of_directories_that_were_not_looked_into() {
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
fn a_configuration_that_says_as_much_is_not_weaker() {
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
fn packs_and_directories_of_contracts_are_not_taken_out() {
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
fn the_policy_is_that_of_the_nearest_directory_before_the_change() {
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
    // Nothing is looked for where everything is allowed.
    let files = [(RULE, rule("").leak() as &str)];
    assert_eq!(judged(&files, &[(RULE, None)]), Judged { policy: Policy::Allow, weaker: Vec::new() });
}

#[test]
fn a_baseline_only_shrinks() {
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

const SETTINGS_FILE: &str = ".claude/settings.json";
const LOCAL: &str = ".claude/settings.local.json";

fn hooks(matcher: &str, command: &str, more: &str) -> String {
    format!(
        r#"{{"hooks": {{"PreToolUse": [{{"matcher": "{matcher}", "hooks": [{{"type": "command", "command": "{command}"{more}}}]}}]}}}}"#
    )
}

#[test]
fn hooks_of_phaser_stay_in_the_settings() {
    let was = hooks("Edit|Write", "phaser enforce --stdin", r#", "timeout": 60, "onFailure": "block""#);
    let block = r#", "onFailure": "block""#;
    let found = |after: Option<&str>| weaker(&[(SETTINGS_FILE, &was)], &[(SETTINGS_FILE, after)]);
    let hook = |what: &str| format!("the hook for PreToolUse in .claude/settings.json {what}");
    let command = "phaser enforce --stdin";
    for (after, expected) in [
        ("{}".to_owned(), hook("is gone")),
        (hooks("Edit|Write", "other", block), hook("is gone")),
        (was.replace("PreToolUse", "PostToolUse"), hook("is gone")),
        (hooks("Edit", command, block), hook("is not for Write any more")),
        (hooks("Ed.*", command, block), hook("is not for Edit, Write any more")),
        (hooks("Edit|Write", "phaser enforce --stdin --skip x", block), hook("runs phaser with '--skip x'")),
        (hooks("Edit|Write", command, ""), hook("lets calls through when it fails ('onFailure')")),
        (
            hooks("Edit|Write", command, r#", "onFailure": "block", "timeout": 1"#),
            hook("has too little time ('timeout')"),
        ),
        (
            hooks("Edit|Write", command, r#", "onFailure": "block", "async": true"#),
            hook("is not waited for any more ('async')"),
        ),
        (
            hooks("Edit|Write", command, r#", "onFailure": "block", "if": "Bash(x)""#),
            hook("has a condition ('if')"),
        ),
        (
            was.replacen('{', r#"{"disableAllHooks": true, "#, 1),
            "'disableAllHooks' in .claude/settings.json switches all hooks off".to_owned(),
        ),
        (
            "{".to_owned(),
            ".claude/settings.json cannot be read any more, so that the hooks in it do nothing".to_owned(),
        ),
    ] {
        assert_eq!(found(Some(&after)), [expected], "{after}");
    }
    assert_eq!(found(None), [hook("is gone")]);
    for after in [
        was.replace("Edit|Write", "*"),
        was.replace("Edit|Write", "Write, Edit, NotebookEdit"),
        was.replace("60", "30").replace("--stdin", "--stdin --guard"),
        format!("\u{feff}{}", was.replacen('{', r#"{"model": "x", "#, 1)),
    ] {
        assert_eq!(found(Some(&after)), [""; 0], "{after}");
    }
    // Two groups that are for the same tools together.
    let group = |tool: &str| {
        format!(r#"{{"matcher": "{tool}", "hooks": [{{"type": "command", "command": "{command}"{block}}}]}}"#)
    };
    let apart = format!(r#"{{"hooks": {{"PreToolUse": [{}, {}]}}}}"#, group("Edit"), group("Write"));
    assert_eq!(found(Some(&apart)), [""; 0]);
}

#[test]
fn settings_that_count_for_more_take_the_place_of_others() {
    let was = hooks("Edit|Write", "phaser enforce --stdin", "");
    let files = [(SETTINGS_FILE, was.as_str()), (LOCAL, was.as_str())];
    assert_eq!(weaker(&files, &[(LOCAL, Some("{}"))]), [""; 0]);
    assert_eq!(weaker(&files, &[(SETTINGS_FILE, Some("{}"))]).len(), 1, "others do not have the local one");
    assert_eq!(weaker(&files, &[(SETTINGS_FILE, None), (LOCAL, None)]).len(), 2);
    let off = weaker(&[], &[(LOCAL, Some(r#"{"disableAllHooks": true}"#))]);
    assert_eq!(off, ["'disableAllHooks' in .claude/settings.local.json switches all hooks off"]);
    let user = "home/.claude/settings.json";
    assert_eq!(weaker(&[(user, &was)], &[(user, Some("{}"))]).len(), 1);
    let plugin = r#"{"enabledPlugins": {"phaser@phaser": true, "other@x": true}}"#;
    let without = plugin.replacen("true", "false", 1);
    let found = weaker(&[(SETTINGS_FILE, plugin)], &[(SETTINGS_FILE, Some(&without))]);
    assert_eq!(found, ["the plugin phaser@phaser is switched off in .claude/settings.json"]);
    let other = plugin.replace(r#""other@x": true"#, r#""other@x": false"#);
    assert_eq!(weaker(&[(SETTINGS_FILE, plugin)], &[(SETTINGS_FILE, Some(&other))]), [""; 0]);
}

#[test]
fn what_may_weaken_something_is_told_from_other_files() {
    let with_directory = format!("{DENY}contracts: shared/rules\n");
    let place = Place::new(&[
        (CONFIG, &with_directory),
        ("shared/rules/a.yaml", &contract("a", "")),
        ("elsewhere/linked.yaml", &contract("linked", "")),
        ("elsewhere/deep/b.yaml", &contract("b", "")),
        ("elsewhere/base.jsonl", ""),
        (RULE, &rule("")),
    ]);
    symlink("../../elsewhere/linked.yaml", place.path(".claude/contracts/link.yaml")).expect("linked");
    symlink("../../elsewhere/deep", place.path(".claude/contracts/deep")).expect("linked");
    symlink("../elsewhere/base.jsonl", place.path(BASELINE)).expect("linked");
    symlink(".claude/contracts", place.path("way")).expect("linked");
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
        assert!(place.is_protected(path), "{path}");
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
        assert!(!place.is_protected(path), "{path}");
    }
    // The link is followed, too, to what changes.
    let rewritten = Rewritten {
        path: place.path("elsewhere/linked.yaml"),
        before: Some(contract("linked", "").into_bytes()),
        after: Some(contract("linked", "enabled: false\n").into_bytes()),
    };
    assert_eq!(place.judge(&[rewritten]).weaker, ["contract linked is switched off"]);
    let rewritten =
        Rewritten { path: place.path("way/no-print.yaml"), before: Some(rule("").into_bytes()), after: None };
    assert_eq!(place.judge(&[rewritten]).weaker.len(), 1);
}

#[test]
fn nothing_hostile_stops_it() {
    let place = Place::new(&[(CONFIG, DENY), (RULE, &rule(""))]);
    symlink("loop.yaml", place.path(".claude/contracts/loop.yaml")).expect("linked");
    symlink(".", place.path(".claude/contracts/again")).expect("linked");
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
        place.is_protected(path);
        for before in &texts {
            for after in &texts {
                let rewritten =
                    Rewritten { path: place.path(path), before: before.clone(), after: after.clone() };
                let weaker = place.judge(&[rewritten.clone(), rewritten]).weaker;
                assert!(before != after || weaker.is_empty(), "{path}: {weaker:?}");
                assert!(weaker.iter().all(|what| !what.contains(char::is_control)), "{weaker:?}");
            }
        }
    }
}

#[test]
fn without_time_nothing_is_said_to_be_well() {
    let place = Place::new(&[(CONFIG, DENY), (RULE, &rule(""))]);
    let extra = Extra::default();
    let deadline = Deadline::after(std::time::Duration::ZERO);
    let protection = Protection { root: &place.root, extra: &extra, user_settings: None, deadline };
    let bytes = rule("").into_bytes();
    let rewritten = Rewritten { path: place.path(RULE), before: Some(bytes.clone()), after: Some(bytes) };
    let judged = protection.judge(&[rewritten]);
    assert!(judged.weaker.iter().any(|what| what.starts_with("there was no time")), "{judged:?}");
}

/// A contract, as a list of its lines.
fn lines() -> impl Strategy<Value = Vec<String>> {
    let glob = prop_oneof![Just("'**/*.py'"), Just("['src/**', 'lib/*.py']"), Just("'{a,b}/**'")];
    let more = prop::sample::subsequence(
        vec![
            "exclude_glob: 'tests/**'",
            "in: code",
            "ignorable: false",
            "tags: [x]",
            "enabled: true",
            "rationale: r",
        ],
        0..=6,
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
    fn a_contract_written_in_another_way_is_never_weaker(
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
