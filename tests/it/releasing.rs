//! What is checked before a release, and what a release is verified by.

use std::fs;
use std::path::Path;

use crate::harness::{Output, Sandbox};

/// A project that can be released, with the scripts of this one.
fn project() -> Sandbox {
    let sandbox = Sandbox::new()
        .git_init()
        .file("Cargo.toml", "[package]\nname = \"a-name\"\nversion = \"1.2.3\"\n")
        .file("Cargo.lock", "[[package]]\nname = \"a-name\"\nversion = \"1.2.3\"\n")
        .file(
            "CHANGELOG.md",
            "# Changelog\n\n## Unreleased\n\n## 1.2.3 - 2030-01-02\n\n- New.\n\n## 1.2.2 - 2029-01-02\n\n- Old.\n",
        );
    fs::create_dir(sandbox.path("scripts")).expect("created");
    for script in ["release", "checksums"] {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts").join(script);
        fs::copy(from, sandbox.path("scripts").join(script)).expect("copied");
    }
    commit(&sandbox);
    sandbox
}

fn commit(sandbox: &Sandbox) {
    sandbox.git(&["add", "--all"]);
    sandbox.git(&["commit", "-q", "-m", "a change"]);
}

fn run(sandbox: &Sandbox, script: &str, arguments: &[&str]) -> Output {
    let mut command = sandbox.tool(sandbox.path("scripts").join(script));
    sandbox.run_with(command.args(arguments), b"")
}

#[test]
fn correct_version_can_be_released() {
    let sandbox = project();
    let before = run(&sandbox, "release", &[]);
    assert_eq!(before.code, Some(0), "{before}");
    sandbox.git(&["tag", "v1.2.3"]);
    let tagged = run(&sandbox, "release", &["--tag", "v1.2.3"]);
    assert_eq!((tagged.code, tagged.stdout.as_str()), (Some(0), "v1.2.3 can be released\n"), "{tagged}");
    assert_eq!(run(&sandbox, "release", &["--notes"]).stdout, "\n- New.\n\n");
    let again = run(&sandbox, "release", &[]);
    assert!(again.stderr.contains("the tag v1.2.3 is there already"), "{again}");
}

#[test]
fn mistakes_stop_the_release() {
    let refused = |change: fn(&Sandbox), arguments: &[&str]| {
        let sandbox = project();
        change(&sandbox);
        let output = run(&sandbox, "release", arguments);
        assert_eq!(output.code, Some(1), "{output}");
        output.stderr
    };
    let message = refused(|sandbox| edit(sandbox, "Cargo.lock", "1.2.3", "1.2.2"), &[]);
    assert!(
        message.contains("Cargo.lock has a-name with 'version = \"1.2.2\"' instead of 1.2.3"),
        "{message}"
    );
    let message = refused(|sandbox| edit(sandbox, "CHANGELOG.md", "## 1.2.3", "## 1.2.30"), &[]);
    assert!(message.contains("has no section '## 1.2.3 - YEAR-MONTH-DAY'"), "{message}");
    let message = refused(|sandbox| edit(sandbox, "CHANGELOG.md", " - 2030-01-02", ""), &[]);
    assert!(message.contains("write '## 1.2.3' as"), "{message}");
    let message = refused(|sandbox| edit(sandbox, "CHANGELOG.md", "- New.\n", ""), &[]);
    assert!(message.contains("has no entry for 1.2.3"), "{message}");
    let message =
        refused(|sandbox| edit(sandbox, "CHANGELOG.md", "Unreleased\n", "Unreleased\n- More.\n"), &[]);
    assert!(message.contains("still has entries under 'Unreleased'"), "{message}");
    let message = refused(|sandbox| fs::write(sandbox.path("a.txt"), "").expect("written"), &[]);
    assert!(message.contains("the worktree is not clean"), "{message}");
    let message = refused(|sandbox| drop(sandbox.git(&["tag", "v1.2.4"])), &["--tag", "v1.2.4"]);
    assert!(message.contains("the tag v1.2.4 does not name the version 1.2.3"), "{message}");
    let message = refused(|_| {}, &["--tag", "v1.2.3"]);
    assert!(message.contains("the tag v1.2.3 is not on this commit"), "{message}");
}

fn edit(sandbox: &Sandbox, file: &str, from: &str, to: &str) {
    let text = fs::read_to_string(sandbox.path(file)).expect("readable");
    assert!(text.contains(from));
    fs::write(sandbox.path(file), text.replacen(from, to, 1)).expect("written");
    commit(sandbox);
}

#[test]
fn checksums_are_those_that_sha256sum_accepts() {
    let sandbox = project().file("dist/b.whl", "b").file("dist/npm/a.tgz", "a").file("dist/a.tgz.sha256", "");
    for _ in 0..2 {
        let output = run(&sandbox, "checksums", &["dist"]);
        assert_eq!(output.code, Some(0), "{output}");
    }
    let sums = fs::read_to_string(sandbox.path("dist/SHA256SUMS")).expect("written");
    assert_eq!(
        sums,
        "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb  a.tgz\n\
         3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d  b.whl\n"
    );
    let sandbox = sandbox.file("dist/a.tgz", "another");
    let output = run(&sandbox, "checksums", &["dist"]);
    assert_eq!(output.code, Some(3), "{output}");
    assert!(output.stderr.contains("more than one file is called a.tgz"), "{output}");
}

/// Everything that runs with privileges is pinned by digest, not by a name that can move.
#[test]
fn workflows_pin_actions_and_drop_permissions() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for file in [".github/workflows/ci.yml", ".github/workflows/release.yml", "action.yml"] {
        let text = fs::read_to_string(root.join(file)).expect("readable");
        for line in
            text.lines().filter(|line| line.trim_start().trim_start_matches("- ").starts_with("uses:"))
        {
            let (_, pin) = line.split_once('@').expect("a third-party action");
            let (hash, version) = pin.split_once(" # v").expect("the version beside the hash");
            assert!(hash.len() == 40 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{file}: {line}");
            assert!(version.starts_with(|c: char| c.is_ascii_digit()), "{file}: {line}");
        }
        assert!(file == "action.yml" || text.contains("\npermissions: {}\n"), "{file}");
        assert_eq!(
            text.matches("actions/checkout@").count(),
            text.matches("persist-credentials: false").count()
        );
    }
}
