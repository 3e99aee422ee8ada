//! `phaser contracts compile`: every mode gives the same answers with what was compiled as without, whatever happens to
//! the contract files.

use std::fs;
use std::process::Command;

use crate::harness::{Output, Sandbox, contract, forbid, warning};

/// Texts to write, some of which violate contracts.
const TEXTS: [&str; 6] = [
    "",
    "fn main() {}\n// TODO: more\nprint(1)\n",
    "key = 0123456789abcdef0123456789ABCDEF\n",
    "été \u{212A}ey print(é)\r\nTODO\r\n",
    "foo foobar licence\n",
    "begin\nend // phaser:ignore no-print\n",
];

/// A project with contracts of every type, and of everything that can be wrong with one.
fn sandbox() -> Sandbox {
    let off = "enabled: false\n";
    Sandbox::new()
        .contract(&forbid("no-print", r"\bprint\(", "**/*.rs"))
        .contract(&forbid("no-block", r"begin\nend", "src/**"))
        .contract(&forbid("no-bare-foo", "foo(?!bar)", "**/*.rs"))
        .contract(&forbid("no-key", "[0-9a-fA-F]{32}", "**"))
        .contract(&forbid("no-folding", "(?i)kEY", "**"))
        .contract(&forbid("elsewhere", "TODO", "docs/**"))
        .contract(&warning(&forbid("no-todo", "TODO|FIXME", "**")))
        .contract(&(forbid("off", "e", "**") + off))
        .contract(&contract("needs-licence", "require_pattern", Some("licence"), "**/*.rs"))
        .contract(&contract("no-such-file", "file_not_exists", None, "**/b.rs"))
        .contract(&contract("readme", "file_exists", None, "README.md"))
        .contract(&forbid("posix", "[[:digit:]]x", "**"))
        .contract(&forbid("broken", "(", "**"))
        .user_contract(&forbid("no-todo", "nothing", "**"))
        .user_contract(&forbid("no-main", "fn main", "**"))
        .file(".claude/contracts/again.yaml", forbid("no-print", "x", "**"))
        .file(
            ".claude/contracts/examples.yaml",
            forbid("e", "y{3}", "**") + "examples:\n  violating: [yyy]\n",
        )
        .file(".claude/contracts/not-one.yaml", "a: [\n")
}

fn answers(sandbox: &Sandbox) -> Vec<String> {
    let mut answers = Vec::new();
    for text in TEXTS {
        for path in ["src/a.rs", "src/b.rs", "docs/c.md"] {
            for output in [sandbox.pre_write(path, text), sandbox.post_write(path, text)] {
                answers.push(output.to_string());
            }
        }
    }
    answers
}

/// What every other mode says of a project with these texts in its files, in every format.
fn reports(sandbox: &Sandbox) -> Vec<String> {
    let modes: [&[&str]; 8] = [
        &["enforce", "--all"],
        &["enforce", "--all", "--strict"],
        &["enforce", "--staged"],
        &["enforce", "--diff", "HEAD"],
        &["enforce", "--file", "src/a1.rs", "--file", "docs/c1.md"],
        &["enforce", "--all", "--pack", "all"],
        &["contracts", "check", "--verbose"],
        &["check"],
    ];
    let formats = ["text", "json", "sarif", "github", "gitlab", "junit"];
    let mut reports = Vec::new();
    for mode in modes {
        let formats = if mode[0] == "enforce" { &formats[..] } else { &formats[..2] };
        for format in formats {
            let output = sandbox.run_with(sandbox.command().args(mode).args(["--format", format]), b"");
            reports.push(format!("{mode:?} {format}\n{output}"));
        }
    }
    reports
}

#[track_caller]
fn compile(sandbox: &Sandbox) -> Output {
    let output = sandbox.run(["contracts", "compile"]);
    assert_eq!(output.code, Some(0), "{output}");
    output
}

/// Writes as much as before, and puts the time of modification back.
fn overwrite(sandbox: &Sandbox, path: &str, from: &str, to: &str) {
    let path = sandbox.path(path);
    let modified = fs::metadata(&path).and_then(|metadata| metadata.modified()).expect("a time");
    let text = fs::read_to_string(&path).expect("text");
    assert!(text.contains(from) && from.len() == to.len(), "{text}");
    fs::write(&path, text.replace(from, to)).expect("written");
    let file = fs::File::options().write(true).open(&path).expect("open");
    file.set_modified(modified).expect("set");
}

#[test]
fn the_answers_are_the_same() {
    let sandbox = sandbox();
    let before = answers(&sandbox);
    assert!(before.iter().any(|answer| answer.contains("no-key")) && before[0] != before[6]);
    let output = compile(&sandbox);
    insta::assert_snapshot!(output.stdout, @r"
    .claude/contracts: 15 contracts compiled
      left out, and read as before: .claude/contracts/not-one.yaml
    ~/.phaser/contracts: 2 contracts compiled
    ");
    assert_eq!(output.warned(), [".claude/contracts/no-print.yaml", ".claude/contracts/not-one.yaml:1"]);
    assert_eq!(answers(&sandbox), before);
}

#[test]
fn decisions_are_equal_with_skipped_contracts() {
    let off = "overrides:\n  - contracts: [no-key]\n    enabled: false\n";
    for config in ["", "packs: [all]\n", off, "existing: report\n", "fixes: apply\n"] {
        let sandbox = sandbox().file(".claude/phaser.yaml", config);
        // No id is there twice.
        fs::remove_file(sandbox.path(".claude/contracts/again.yaml")).expect("removed");
        let sandbox = sandbox.user_contract(&forbid("no-todo", "nothing", "**").replace("no-todo", "other"));
        fs::remove_file(sandbox.home().join(".phaser/contracts/no-todo.yaml")).expect("removed");
        let before = answers(&sandbox);
        compile(&sandbox);
        assert_eq!(answers(&sandbox), before, "{config}");
        overwrite(&sandbox, ".claude/contracts/no-bare-foo.yaml", "foo(?!bar)", "fn(?! bar)");
        let changed = answers(&sandbox);
        fs::remove_dir_all(sandbox.path(".claude/contracts/.compiled")).expect("removed");
        assert_ne!(changed, before, "{config}");
        assert_eq!(answers(&sandbox), changed, "{config}");
    }
}

#[test]
fn messages_are_equal() {
    let off = forbid("theirs", "aaa", "**") + "enabled: false\n";
    let sandbox = Sandbox::new().contract(&off).user_contract(&forbid("theirs", "bbb", "**"));
    let before = sandbox.pre_write("x", "bbb");
    assert!(before.stderr.contains("~/.phaser/contracts/theirs.yaml"), "{before}");
    compile(&sandbox);
    assert_eq!(sandbox.pre_write("x", "bbb").to_string(), before.to_string());
}

#[test]
fn a_compiled_directory_is_protected() {
    let config = "contracts: [shared]\nprotect: deny\n";
    let [strict, weak] = ["**", "nowhere"].map(|glob| forbid("one", "aaa", glob));
    let sandbox = Sandbox::new().file(".claude/phaser.yaml", config).file("shared/one.yaml", &strict);
    let before = sandbox.pre_write("shared/one.yaml", &weak);
    assert_eq!(before.decision(), "deny", "{before}");
    compile(&sandbox);
    assert!(sandbox.path("shared/.compiled").exists());
    assert_eq!(sandbox.pre_write("shared/one.yaml", &weak).to_string(), before.to_string());
}

#[test]
fn reports_of_every_mode_are_equal() {
    let mut sandbox = sandbox().git_init().git_add(".").git_commit("contracts");
    for (number, text) in TEXTS.iter().enumerate() {
        sandbox = sandbox
            .file(&format!("src/a{number}.rs"), text)
            .file(&format!("docs/c{number}.md"), text)
            .file(&format!("src/{number}/b.rs"), text);
    }
    let sandbox = sandbox.git_add("src").git_add("docs");
    let before = reports(&sandbox);
    for expected in ["no-key", "needs-licence", "no-such-file", "readme", "used again", "unclosed group"] {
        assert!(before.iter().filter(|report| report.contains(expected)).count() > 3, "{expected}");
    }
    compile(&sandbox);
    for (compiled, before) in reports(&sandbox).iter().zip(&before) {
        assert_eq!(compiled, before);
    }
}

/// The contract files that a run opens, and whether it lists a directory of contracts.
fn opened(sandbox: &Sandbox, args: &[&str], stdin: &str) -> Option<(Vec<String>, bool)> {
    let mut strace = sandbox.strace()?;
    strace.args(["-f", "-qq", "-y", "-e", "signal=none", "-e", "trace=open,openat,openat2,getdents64"]);
    strace.arg(env!("CARGO_BIN_EXE_phaser")).args(args);
    let output = sandbox.run_with(&mut strace, stdin.as_bytes());
    let opened = output.stderr.lines().filter(|line| line.contains("open") && line.contains(".yaml\""));
    let names = opened.filter_map(|line| line.split('"').nth(1)?.rsplit('/').next());
    let listed =
        output.stderr.lines().any(|line| line.contains("getdents64") && line.contains("/contracts>"));
    Some((names.map(str::to_owned).collect(), listed))
}

#[test]
fn compiled_files_are_not_opened() {
    let sandbox = sandbox().git_init().git_add(".").git_commit("contracts");
    let sandbox = sandbox.file("src/a.rs", "x").git_add("src");
    let event = format!(
        r#"{{"hook_event_name": "PreToolUse", "cwd": {:?}, "tool_name": "Write",
            "tool_input": {{"file_path": "src/a.rs", "content": "x"}}}}"#,
        sandbox.root()
    );
    let modes: [&[&str]; 4] = [
        &["enforce", "--stdin"],
        &["enforce", "--staged", "--pack", "all"],
        &["enforce", "--diff", "HEAD"],
        &["enforce", "src/a.rs"],
    ];
    let Some((before, listed)) = opened(&sandbox, modes[0], &event) else { return };
    assert!(before.len() > 15 && listed, "{before:?}");
    compile(&sandbox);
    for mode in modes {
        let Some((mut opened, listed)) = opened(&sandbox, mode, &event) else { return };
        // A hook looks twice, because an id is there twice.
        opened.dedup();
        assert_eq!((opened, listed), (vec!["not-one.yaml".to_owned()], false), "{mode:?}");
    }
}

#[test]
fn leaves_out_doubtful_file_and_warns() {
    let doubtful = forbid("two", "bbb", "./**") + "ownr: me\n";
    let sandbox = Sandbox::new().contract(&forbid("one", "aaa", "**")).contract(&doubtful);
    let before = sandbox.run(["enforce", "--all"]).stderr;
    assert_eq!(before.lines().count(), 2, "{before}");
    let output = compile(&sandbox);
    assert!(output.stdout.contains(".claude/contracts/two.yaml"), "{output}");
    assert_eq!(sandbox.run(["enforce", "--all"]).stderr, before);
}

#[test]
fn a_change_counts_at_once() {
    let sandbox = Sandbox::new().contract(&forbid("one", "aaa", "**")).contract(&forbid("two", "bbb", "**"));
    compile(&sandbox);
    assert_eq!(sandbox.pre_write("x", "aaa").decision(), "deny");
    overwrite(&sandbox, ".claude/contracts/one.yaml", "aaa", "ccc");
    assert_eq!(sandbox.pre_write("x", "aaa").decision(), "allow");
    assert_eq!(sandbox.pre_write("x", "ccc").decision(), "deny");
    assert_eq!(sandbox.pre_write("x", "bbb").decision(), "deny");
    let sandbox = sandbox.contract(&forbid("three", "ddd", "**"));
    assert_eq!(sandbox.pre_write("x", "ddd").decision(), "deny");
    fs::remove_file(sandbox.path(".claude/contracts/two.yaml")).expect("removed");
    assert_eq!(sandbox.pre_write("x", "bbb").decision(), "allow");
    let output = sandbox.run(["contracts", "disable", "three"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(sandbox.pre_write("x", "ddd").decision(), "allow");
    compile(&sandbox);
    assert_eq!(sandbox.pre_write("x", "ccc").decision(), "deny");
    assert_eq!(sandbox.pre_write("x", "ddd").decision(), "allow");
}

#[test]
fn ignores_copy_of_compiled_directory() {
    let one = Sandbox::new().contract(&forbid("one", "aaa", "**"));
    compile(&one);
    let other = Sandbox::new();
    let status = Command::new("cp").arg("-a").arg(one.path(".claude")).arg(other.root()).status();
    assert!(status.expect("cp runs").success());
    overwrite(&other, ".claude/contracts/one.yaml", "aaa", "bbb");
    assert_eq!(other.pre_write("x", "aaa").decision(), "allow");
    assert_eq!(other.pre_write("x", "bbb").decision(), "deny");
}

#[test]
fn ignores_what_is_no_compiled_directory() {
    let sandbox = Sandbox::new().contract(&forbid("one", "aaa", "**"));
    compile(&sandbox);
    let index = sandbox.path(".claude/contracts/.compiled/index");
    let bytes = fs::read(&index).expect("it was written");
    for wrong in [
        &b""[..],
        b"\0",
        &[0xFF; 1000],
        &bytes[..bytes.len() / 2],
        b"\x14phaser 0.1.0 index 3\0\xFF\xFF\xFF\x7F",
    ] {
        fs::write(&index, wrong).expect("written");
        assert_eq!(sandbox.pre_write("x", "aaa").decision(), "deny");
    }
    fs::remove_file(&index).expect("removed");
    let made = Command::new("mkfifo").arg(&index).status().expect("mkfifo runs");
    assert!(made.success());
    assert_eq!(sandbox.pre_write("x", "aaa").decision(), "deny");
    fs::remove_file(&index).expect("removed");
    fs::create_dir(&index).expect("created");
    assert_eq!(sandbox.pre_write("x", "aaa").decision(), "deny");
}

#[test]
fn git_and_scan_skip_compiled_directory() {
    let sandbox = Sandbox::new().git_init().contract(&forbid("one", "aaa", "**"));
    let sandbox = sandbox.git_add(".").git_commit("one");
    let before = sandbox.run(["enforce", "--all", "--format", "json"]).stdout;
    compile(&sandbox);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    assert_eq!(sandbox.run(["enforce", "--all", "--format", "json"]).stdout, before);
}

#[test]
fn compiles_named_directory_alone() {
    let sandbox = Sandbox::new()
        .contract(&forbid("one", "aaa", "**"))
        .file("rules/two.yaml", forbid("two", "bbb", "**"));
    let args = ["contracts", "compile", "--contracts-dir", "rules", "--format", "json"];
    insta::assert_snapshot!(sandbox.run(args), @r#"
    exit: 0
    --- stdout
    {
      "directories": [
        {
          "directory": "rules",
          "compiled": 1,
          "left_out": []
        }
      ],
      "version": 1
    }

    --- stderr
    "#);
    assert!(!sandbox.path(".claude/contracts/.compiled").exists());
}

#[test]
fn without_contracts_there_is_nothing_to_compile() {
    insta::assert_snapshot!(Sandbox::new().run(["contracts", "compile"]), @r"
    exit: 3
    --- stdout

    --- stderr
    phaser: no contracts in .claude/contracts or ~/.phaser/contracts (add one with 'phaser init')
    ");
}

#[test]
fn unwritable_directory_stays_unchanged() {
    let sandbox = Sandbox::new().contract(&forbid("one", "aaa", "**"));
    let output = sandbox.run_with(sandbox.unprivileged().args(["contracts", "compile"]), b"");
    let expected =
        "phaser: .claude/contracts cannot be compiled; its files are read as before: Permission denied";
    assert!(output.code == Some(3) && output.stderr.contains(expected), "{output}");
    assert_eq!(sandbox.pre_write("x", "aaa").decision(), "deny");
}
