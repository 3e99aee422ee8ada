//! `phaser enforce install` and `uninstall`: what they write, and what they never touch.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::harness::{Sandbox, forbid, warning};

const PROJECT: &str = ".claude/settings.json";

const SETTINGS: &str = r#"{
    "permissions": { "allow": ["Bash(ls)"] },
    "cost": 1.50,
    "hooks": {
        "PreToolUse": [
            { "matcher": "Bash", "hooks": [{ "type": "command", "command": "guard.sh" }] }
        ]
    },
    "model": "opus"
}"#;

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn settings(sandbox: &Sandbox) -> Value {
    serde_json::from_str(&read(&sandbox.path(PROJECT))).expect("valid JSON")
}

#[test]
fn reports_result_meaning_and_next_step() {
    let sandbox = Sandbox::new();
    sandbox.install();
    let output = sandbox.run(["enforce", "install"]);
    insta::assert_snapshot!(output, @r"
    exit: 0
    --- stdout
    phaser's hooks are in .claude/settings.json:
      PreToolUse   Edit|Write  phaser enforce --stdin --severity error
      PostToolUse  Edit|Write  phaser enforce --stdin --severity warning

    An edit that violates nothing is answered with 'allow': Claude Code then makes it without asking you for permission.
    To keep its permission prompts, run 'phaser enforce install --force --on-clean defer'.

    Next: start a new Claude Code session, which reads its hooks at the start, and run 'phaser doctor' to check them.

    --- stderr
    ");
    let handler = |severity: &str| {
        let command = format!("phaser enforce --stdin --severity {severity}");
        let handler = json!({"type": "command", "command": command, "timeout": 60});
        json!([{"matcher": "Edit|Write", "hooks": [handler]}])
    };
    let expected = json!({"hooks": {"PreToolUse": handler("error"), "PostToolUse": handler("warning")}});
    let pretty = serde_json::to_string_pretty(&expected).expect("JSON");
    assert_eq!(read(&sandbox.path(PROJECT)), format!("{pretty}\n"));
}

#[test]
fn second_install_changes_nothing() {
    let sandbox = Sandbox::new();
    sandbox.run(["enforce", "install"]);
    let before = read(&sandbox.path(PROJECT));
    for args in [&["enforce", "install"][..], &["enforce", "install", "--force"]] {
        let output = sandbox.run_with(sandbox.command().args(args), b"");
        assert_eq!(output.code, Some(0), "{output}");
        assert!(output.stdout.contains("; nothing changed"), "{output}");
        assert_eq!(read(&sandbox.path(PROJECT)), before);
    }
}

#[test]
fn each_scope_has_its_own_file() {
    let sandbox = Sandbox::new();
    for (scope, file) in [
        ("user", sandbox.home().join(".claude/settings.json")),
        ("project", sandbox.path(PROJECT)),
        ("local", sandbox.path(".claude/settings.local.json")),
    ] {
        let output = sandbox.run(["enforce", "install", "--scope", scope]);
        assert_eq!(output.code, Some(0), "{output}");
        assert!(read(&file).contains("phaser enforce --stdin --severity error"), "{scope}");
        fs::remove_file(file).expect("removed");
    }
}

#[test]
fn the_users_settings_can_stand_elsewhere() {
    let sandbox = Sandbox::new();
    let elsewhere = sandbox.home().join("elsewhere");
    let mut command = sandbox.command();
    command.env("CLAUDE_CONFIG_DIR", &elsewhere).args(["enforce", "install", "--scope", "user"]);
    let output = sandbox.run_with(&mut command, b"");
    assert!(output.stdout.contains("~/elsewhere/settings.json"), "{output}");
    assert!(read(&elsewhere.join("settings.json")).contains("phaser enforce"));
}

#[test]
fn subdirectory_means_project_settings() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "**")).file("src/deep/a.rs", "");
    let output = sandbox
        .run_with(sandbox.command().current_dir(sandbox.path("src/deep")).args(["enforce", "install"]), b"");
    assert_eq!(output.code, Some(0), "{output}");
    assert!(sandbox.path(PROJECT).exists());
    assert!(!sandbox.path("src/deep/.claude").exists());
}

#[test]
fn a_dry_run_prints_and_writes_nothing() {
    let sandbox = Sandbox::new();
    let output = sandbox.run(["enforce", "install", "--dry-run"]);
    assert_eq!(output.json()["hooks"]["PreToolUse"][0]["matcher"], "Edit|Write");
    assert!(!sandbox.path(".claude").exists());
    let sandbox = sandbox.file(PROJECT, SETTINGS);
    let output = sandbox.run(["enforce", "install", "--dry-run"]);
    assert_eq!(output.json()["model"], "opus");
    assert_eq!(read(&sandbox.path(PROJECT)), SETTINGS);
}

#[test]
fn everything_else_in_the_settings_stays() {
    let sandbox = Sandbox::new().file(PROJECT, SETTINGS);
    let output = sandbox.run(["enforce", "install", "--tools", "all", "--on-clean", "defer"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.contains("is left to Claude Code"), "{output}");
    let after = read(&sandbox.path(PROJECT));
    for line in SETTINGS.lines() {
        assert!(after.contains(line.trim_end_matches(['}', ']'])), "{line}");
    }
    let hooks = settings(&sandbox)["hooks"].clone();
    assert_eq!(hooks["PreToolUse"][0]["hooks"][0]["command"], "guard.sh");
    assert_eq!(hooks["PreToolUse"][1]["matcher"], "Edit|Write|MultiEdit|NotebookEdit");
    let command = "phaser enforce --stdin --severity error --on-clean defer";
    assert_eq!(hooks["PreToolUse"][1]["hooks"][0]["command"], command);
    let output = sandbox.run(["enforce", "uninstall"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(read(&sandbox.path(PROJECT)), SETTINGS);
    let output = sandbox.run(["enforce", "uninstall"]);
    assert!(output.stdout.contains("nothing changed"), "{output}");
}

#[test]
fn other_spellings_are_replaced_only_by_force() {
    let old = r#"{"hooks": {"PreToolUse": [{"matcher": "Write", "hooks": [
        {"type": "command", "command": "mine.sh"},
        {"type": "command", "command": "phaser enforce check --stdin"}]}]}}"#;
    let sandbox = Sandbox::new().file(PROJECT, old);
    let output = sandbox.run(["enforce", "install"]);
    assert_eq!(output.code, Some(3), "{output}");
    insta::assert_snapshot!(output.stderr, @"
    phaser: .claude/settings.json has other hooks of phaser; nothing changed:
      PreToolUse   Write  phaser enforce check --stdin
    phaser: run again with --force to replace them
    ");
    assert_eq!(read(&sandbox.path(PROJECT)), old);
    let output = sandbox.run(["enforce", "install", "--force"]);
    assert_eq!(output.code, Some(0), "{output}");
    let after = read(&sandbox.path(PROJECT));
    assert!(after.contains("mine.sh") && !after.contains("enforce check"), "{after}");
}

#[test]
fn refuses_what_is_not_plain_json() {
    for (text, line, what) in [
        ("{\n  // mine\n}\n", 2, "comments"),
        ("{\n  \"a\": 1,\n}\n", 2, "comma"),
        ("{\n  \"a\": 1,\n  \"a\": 2\n}\n", 3, "is repeated"),
        ("{\n  \"a\":\n", 3, "not valid JSON"),
        ("{\n  \"hooks\": []\n}\n", 2, "should be an object"),
    ] {
        let sandbox = Sandbox::new().file(PROJECT, text);
        for command in ["install", "uninstall"] {
            let output = sandbox.run(["enforce", command]);
            assert_eq!(output.code, Some(3), "{output}");
            let place = format!("phaser: [ROOT]/.claude/settings.json:{line}: ");
            assert!(output.stderr.starts_with(&place), "{output}");
            assert!(output.stderr.contains(what) && output.stderr.lines().count() == 1, "{output}");
            assert_eq!(read(&sandbox.path(PROJECT)), text);
        }
    }
}

#[test]
fn hooks_that_are_turned_off_are_mentioned() {
    let sandbox = Sandbox::new().file(PROJECT, "{\"disableAllHooks\": true}");
    let output = sandbox.run(["enforce", "install"]);
    assert!(output.stderr.contains("'disableAllHooks'"), "{output}");
}

#[test]
fn notes_phaser_missing_on_path() {
    let sandbox = Sandbox::new();
    let output = sandbox.run(["enforce", "install"]);
    assert!(output.stderr.contains("'phaser' is not on the PATH"), "{output}");
}

#[test]
fn a_wrong_argument_is_exit_3() {
    let output = Sandbox::new().run(["enforce", "install", "--scope", "everybody"]);
    assert_eq!(output.code, Some(3), "{output}");
}

#[test]
fn installed_hooks_work() {
    let sandbox = Sandbox::new().contract(&forbid("no-todo", "TODO", "**/*.rs"));
    sandbox.run(["enforce", "install"]);
    let hooks = settings(&sandbox)["hooks"].clone();
    let command = hooks["PreToolUse"][0]["hooks"][0]["command"].as_str().expect("a command").to_owned();
    let path = std::env::join_paths([sandbox.install(), "/usr/bin".into(), "/bin".into()]).expect("a PATH");
    let event = sandbox.hook("PreToolUse").write("a.rs", "// TODO\n").json();
    let output = sandbox.run_with(sandbox.shell(&command).env("PATH", path), event.as_bytes());
    assert_eq!(output.decision(), "deny", "{output}");
}

#[test]
fn links_stay_links() {
    let sandbox = Sandbox::new().file("dotfiles/claude.json", SETTINGS).file(".claude/x", "");
    symlink("../dotfiles/claude.json", sandbox.path(PROJECT)).expect("linked");
    let output = sandbox.run(["enforce", "install"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(fs::symlink_metadata(sandbox.path(PROJECT)).expect("there").is_symlink());
    assert!(read(&sandbox.path("dotfiles/claude.json")).contains("phaser enforce"));
}

#[test]
fn concurrent_installs_lose_nothing() {
    let sandbox = Sandbox::new().file(PROJECT, SETTINGS);
    let start = |_| {
        let mut command = sandbox.command();
        command.args(["enforce", "install"]).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("phaser starts")
    };
    let children: Vec<Child> = (0..20).map(start).collect();
    for mut child in children {
        assert!(child.wait().expect("phaser ends").success());
    }
    let after = settings(&sandbox);
    let before: Value = serde_json::from_str(SETTINGS).expect("valid JSON");
    let keys = |value: &Value| value.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&after), keys(&before));
    for event in ["PreToolUse", "PostToolUse"] {
        let groups = after["hooks"][event].as_array().expect("groups");
        let own = groups.iter().filter(|group| group.to_string().contains("phaser enforce"));
        assert_eq!(own.count(), 1, "{event}");
    }
    assert_eq!(after["hooks"]["PreToolUse"][0], before["hooks"]["PreToolUse"][0]);
    let left = fs::read_dir(sandbox.path(".claude")).expect("readable").count();
    assert_eq!(left, 1, "no temporary file stays");
}

#[test]
fn unwritable_directory_keeps_settings() {
    let sandbox = Sandbox::new().file(PROJECT, SETTINGS);
    let directory = sandbox.path(".claude");
    let mode = |mode| fs::set_permissions(&directory, fs::Permissions::from_mode(mode)).expect("a mode");
    mode(0o555);
    let output = sandbox.run_with(sandbox.unprivileged().args(["enforce", "install"]), b"");
    mode(0o755);
    assert_eq!(output.code, Some(3), "{output}");
    assert!(output.stderr.contains("cannot write it; it is unchanged"), "{output}");
    assert_eq!(read(&sandbox.path(PROJECT)), SETTINGS);
    assert_eq!(fs::read_dir(&directory).expect("readable").count(), 1);
}

#[test]
fn a_full_disk_leaves_the_settings_whole() {
    let long = SETTINGS.replace("guard.sh", &format!("guard.sh {}", "x".repeat(5000)));
    // A limit on the size of files, in blocks: the first write fails, or the one that would go over it.
    for blocks in ["0", "1"] {
        let sandbox = Sandbox::new().file(PROJECT, &long);
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" enforce install");
        let mut shell = sandbox.shell(&script);
        let output = sandbox.run_with(&mut shell, b"");
        assert_eq!(output.code, Some(3), "{output}");
        assert!(output.stderr.contains(".claude/settings.json"), "{output}");
        assert_eq!(read(&sandbox.path(PROJECT)), long);
        assert_eq!(fs::read_dir(sandbox.path(".claude")).expect("readable").count(), 1);
    }
}

#[test]
fn killed_install_keeps_settings() {
    let sandbox = Sandbox::new().file(PROJECT, SETTINGS);
    let mut shell = sandbox.shell("ulimit -f 0; exec \"$0\" enforce install");
    let output = sandbox.run_with(&mut shell, b"");
    assert_ne!(output.code, Some(0), "{output}");
    assert_eq!(read(&sandbox.path(PROJECT)), SETTINGS);
}

#[test]
fn uninstalling_takes_the_flags_of_installing() {
    let sandbox = Sandbox::new().file(PROJECT, SETTINGS);
    let installed = sandbox.run(["enforce", "install", "--on-clean", "defer", "--tools", "all"]);
    assert_eq!(installed.code, Some(0), "{installed}");
    let removed = sandbox.run(["enforce", "uninstall", "--force", "--on-clean", "defer", "--tools", "all"]);
    assert_eq!(removed.code, Some(0), "{removed}");
    assert_eq!(read(&sandbox.path(PROJECT)), SETTINGS);
}

#[test]
fn uninstall_removes_file_with_only_hooks() {
    let sandbox = Sandbox::new();
    sandbox.run(["enforce", "install"]);
    let preview = sandbox.run(["enforce", "uninstall", "--dry-run"]);
    assert!(preview.stderr.contains(".claude/settings.json would be empty and removed"), "{preview}");
    assert!(sandbox.path(PROJECT).exists());
    let removed = sandbox.run(["enforce", "uninstall"]);
    assert_eq!(removed.code, Some(0), "{removed}");
    assert_eq!(removed.stdout, "Removed phaser's hooks and the now empty .claude/settings.json.\n");
    assert!(!sandbox.path(PROJECT).exists() && sandbox.path(".claude").exists());
    let again = sandbox.run(["enforce", "uninstall"]);
    assert!(again.stdout.contains("nothing changed"), "{again}");
}

#[test]
fn lists_files_that_hooks_would_block() {
    let mut sandbox = Sandbox::new().contract(&forbid("no-x", "x", "**/*.txt"));
    for number in 1..=7 {
        sandbox = sandbox.file(&format!("{number}.txt"), "x\n");
    }
    let sandbox = sandbox.contract(&warning(&forbid("no-y", "y", "**/*.md"))).file("a.md", "y\n");
    for args in [&["install", "--dry-run"][..], &["install"]] {
        let mut command = sandbox.command();
        let output = sandbox.run_with(command.arg("enforce").args(args), b"");
        assert_eq!(output.code, Some(0), "{output}");
        let message: Vec<_> = output.stderr.lines().filter(|line| !line.contains("PATH")).collect();
        let message = &message[message.len() - 3..];
        insta::allow_duplicates! {
            insta::assert_snapshot!(message.join("\n"), @r#"
            phaser: 7 files have violations of severity 'error' already: 1.txt, 2.txt, 3.txt, 4.txt, 5.txt and 2 more
            phaser: every edit that leaves such a violation in a file is denied, even one that fixes another
            phaser: to accept existing violations, write 'existing: report' into .claude/phaser.yaml or run 'phaser baseline'
            "#);
        }
    }
    assert_eq!(sandbox.pre_edit("1.txt", "x", "x y").decision(), "deny");
    let sandbox = sandbox.file(".claude/phaser.yaml", "existing: report\n");
    let output = sandbox.run(["enforce", "install"]);
    assert!(!output.stderr.contains("already:"), "{output}");
    assert_eq!(sandbox.pre_edit("1.txt", "x", "x y").decision(), "deny");
    assert_eq!(sandbox.pre_edit("1.txt", "\n", "\nfine\n").decision(), "allow");
}

#[test]
fn baselined_files_are_not_listed() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "**/*.txt")).file("a.txt", "x\n");
    assert!(sandbox.run(["enforce", "install", "--dry-run"]).stderr.contains("1 file has"));
    sandbox.run(["baseline"]);
    assert!(!sandbox.run(["enforce", "install", "--dry-run"]).stderr.contains("1 file has"));
}
