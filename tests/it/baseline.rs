//! The baseline: what is in it does not count, in any mode; what is new does.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Output, Sandbox, contract, count_in, forbid, violations_in, warning};

const FILE: &str = ".claude/phaser-baseline.jsonl";
const OLD: usize = 29;

fn old_file() -> String {
    (1..=OLD).map(|n| format!("def f{n}():\n    print({n})\n\n")).collect()
}

/// A project with 29 old violations in one file, which are written down.
fn recorded() -> Sandbox {
    let sandbox = Sandbox::new()
        .git_init()
        .contract(&forbid("no-print", r"\bprint\(", "**/*.py"))
        .file("src/old.py", old_file());
    ran(&sandbox, ["baseline"]);
    sandbox.git(&["add", "--all"]);
    sandbox.git_commit("old")
}

fn ran<const N: usize>(sandbox: &Sandbox, args: [&str; N]) -> String {
    let output = sandbox.run(args);
    assert_eq!(output.code, Some(0), "{args:?}: {output}");
    output.stdout
}

fn file(sandbox: &Sandbox) -> String {
    fs::read_to_string(sandbox.path(FILE)).expect("a baseline")
}

fn total(sandbox: &Sandbox) -> u64 {
    let count = |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["count"].as_u64();
    file(sandbox).lines().map(|line| count(line).expect("a number")).sum()
}

fn all(sandbox: &Sandbox) -> Output {
    sandbox.run(["enforce", "--all", "--format", "json"])
}

fn pre_edit(sandbox: &Sandbox, old: &str, new: &str) -> Output {
    sandbox.pre_edit("src/old.py", old, new)
}

#[test]
fn entries_outside_sparse_checkout_are_kept() {
    let sandbox = Sandbox::new()
        .contract(&forbid("no-x", "x", "src/**"))
        .file("src/a.py", "fine\n")
        .file("src/deep/b.py", "x\n")
        .git_init()
        .git_add(".")
        .git_commit("first");
    assert_eq!(sandbox.run(["baseline"]).code, Some(0));
    let baseline = std::fs::read_to_string(sandbox.path(".claude/phaser-baseline.jsonl")).expect("readable");
    let sandbox = sandbox.git_add(".").git_commit("baseline");
    sandbox.git(&["sparse-checkout", "set", "--no-cone", "/*", "!/src/deep/"]);
    assert!(!sandbox.path("src/deep").exists());
    let strict = sandbox.run(["enforce", "--all", "--strict"]);
    assert_eq!((strict.code, strict.stderr.as_str()), (Some(0), ""), "{strict}");
    sandbox.run(["baseline", "--prune"]);
    let pruned = std::fs::read_to_string(sandbox.path(".claude/phaser-baseline.jsonl")).expect("readable");
    assert_eq!(pruned, baseline);
}

#[test]
fn records_first_baseline_and_refuses_second() {
    let sandbox = Sandbox::new()
        .contract(&forbid("no-print", r"\bprint\(", "**/*.py"))
        .contract(&contract("no-lock", "file_not_exists", None, "**/*.lock"))
        .file("a.py", "print(1)\n  print( 1 )\nprint(2)\n")
        .file("x.lock", "");
    assert_eq!(sandbox.run(["enforce", "--all"]).code, Some(1));
    insta::assert_snapshot!(ran(&sandbox, ["baseline", "--dry-run"]), @".claude/phaser-baseline.jsonl: 4 violations of 2 contracts in 2 files would be recorded");
    assert!(!sandbox.path(FILE).exists());
    insta::assert_snapshot!(ran(&sandbox, ["baseline"]), @r"
    .claude/phaser-baseline.jsonl: 4 violations of 2 contracts in 2 files recorded
    commit the file: from now on only what is not in it counts
    ");
    insta::assert_snapshot!(file(&sandbox), @r#"
    {"contract":"no-lock","path":"x.lock","digest":"cbf29ce44fd0bfc1","count":1}
    {"contract":"no-print","path":"a.py","digest":"2661097131ed8eaf","count":2}
    {"contract":"no-print","path":"a.py","digest":"2664317131eb30dc","count":1}
    "#);
    let output = sandbox.run(["enforce", "--all"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output}");
    assert_eq!((output.count("baseline"), output.stdout.lines().count()), (4, 1), "{output}");
    let again = sandbox.run(["baseline"]);
    assert_eq!((again.code, again.stdout.as_str()), (Some(3), ""), "{again}");
    assert!(again.stderr.contains("--prune") && again.stderr.contains("--add"), "{again}");
}

#[test]
fn without_violations_there_is_nothing_to_record() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "**/*.txt")).file("a.txt", "y");
    assert_eq!(ran(&sandbox, ["baseline"]), "no violations: there is nothing to record\n");
    assert!(!sandbox.path(FILE).exists());
    let output = sandbox.run(["baseline", "--prune"]);
    assert_eq!(output.code, Some(3), "{output}");
}

#[test]
fn only_new_code_counts_in_every_mode() {
    let sandbox = recorded();
    let modes: [&[&str]; 5] =
        [&["--all"], &["src/old.py"], &["--staged"], &["--diff", "HEAD"], &["--staged", "src/old.py"]];
    let run = |sandbox: &Sandbox, args: &[&str]| {
        let mut command = sandbox.command();
        sandbox.run_with(command.args(["enforce", "--format", "json"]).args(args), b"")
    };
    for args in modes {
        let output = run(&sandbox, args);
        assert_eq!(output.code, Some(0), "{args:?}: {output}");
    }
    assert_eq!(all(&sandbox).json()["summary"]["baselined"], OLD);
    assert_eq!(all(&sandbox).json()["suppressed"][0]["state"], "baselined");
    let sandbox = sandbox.file("src/old.py", format!("print('new')\n{}", old_file())).git_add("src/old.py");
    for args in modes {
        let output = run(&sandbox, args);
        assert_eq!(
            (output.code, output.violations()),
            (Some(1), vec!["src/old.py:1:1 no-print".to_owned()]),
            "{args:?}"
        );
        let mut without = args.to_vec();
        without.push("--no-baseline");
        assert_eq!(run(&sandbox, &without).violations().len(), OLD + 1, "{args:?}");
    }
    let sarif = sandbox.run(["enforce", "--all", "--format", "sarif"]).json();
    assert_eq!(sarif["runs"][0]["results"].as_array().map(Vec::len), Some(1));
    let gitlab = sandbox.run(["enforce", "--all", "--format", "gitlab"]).json();
    assert_eq!(gitlab.as_array().map(Vec::len), Some(1));
    let junit = sandbox.run(["enforce", "--all", "--format", "junit"]).stdout;
    assert_eq!(junit.matches("<failure").count(), 1, "{junit}");
    let github = sandbox.run(["enforce", "--all", "--format", "github"]);
    assert_eq!((github.count("error"), github.count("baseline")), (1, OLD), "{github}");
    assert_eq!(github.stdout.matches("::error").count(), 1, "{github}");
}

#[test]
fn agent_may_edit_but_not_extend_baseline() {
    let sandbox = recorded();
    let output = pre_edit(&sandbox, "def f3():", "def f3(x):");
    output.assert_allowed();
    assert_eq!(count_in(&output.reason(), "baseline"), OLD, "{output}");
    let output = pre_edit(&sandbox, "def f3():\n", "def f3():\n    print('new')\n");
    output.assert_denied(&["no-print at line 8"]);
    assert_eq!(pre_edit(&sandbox, "    print(3)\n", "    return 3\n").decision(), "allow");
    let output = sandbox.hook("PreToolUse").edit("src/old.py", "f3()", "f3(x)").args(["--no-baseline"]).run();
    assert_eq!(output.decision(), "deny");
}

#[test]
fn a_file_may_move_and_be_reformatted() {
    let sandbox = recorded();
    sandbox.git(&["mv", "src/old.py", "moved.py"]);
    let sandbox = sandbox.file("moved.py", old_file().replace("    ", "\t\t").replace("\n\n", "\n"));
    sandbox.git(&["add", "--all"]);
    for args in [["enforce", "--all"], ["enforce", "--staged"], ["enforce", "moved.py"]] {
        let output = sandbox.run(args);
        assert_eq!(output.code, Some(0), "{args:?}: {output}");
    }
    let output = sandbox.pre_edit("moved.py", "def f3():", "def f3(x):");
    assert_eq!(output.decision(), "allow", "{output}");
    let output = sandbox.pre_edit("moved.py", "def f3():", "print(3)\ndef f3():");
    assert_eq!(output.decision(), "deny", "one more of the same: {output}");
    let copied = sandbox.file("src/old.py", old_file());
    assert_eq!(copied.run(["enforce", "--all"]).code, Some(1), "a copy is not a move");
    fs::remove_file(copied.path("src/old.py")).expect("removed");
    ran(&copied, ["baseline", "--prune"]);
    assert_eq!(total(&copied), 29);
    assert!(file(&copied).lines().all(|line| line.contains("\"path\":\"moved.py\"")), "{}", file(&copied));
}

#[test]
fn violations_of_whole_files_may_move() {
    let sandbox = Sandbox::new()
        .contract(&contract("no-lock", "file_not_exists", None, "**/*.lock"))
        .contract(&contract("licence", "require_pattern", Some("Copyright"), "**/*.py"))
        .contract(&contract("readme", "file_exists", None, "README*"))
        .file("a/x.lock", [0, 1, 2])
        .file("a.py", "");
    ran(&sandbox, ["baseline"]);
    let baselined = || {
        let output = sandbox.run(["enforce", "--all"]);
        (output.code, output.count("baseline"))
    };
    assert_eq!(baselined(), (Some(0), 3));
    fs::rename(sandbox.path("a/x.lock"), sandbox.path("y.lock")).expect("moved");
    fs::rename(sandbox.path("a.py"), sandbox.path("b.py")).expect("moved");
    assert_eq!(baselined(), (Some(0), 3));
    assert_eq!(sandbox.pre_write("b.py", "x = 1\n").decision(), "deny", "the contents are others");
    ran(&sandbox, ["baseline", "--prune"]);
    sandbox.pre_write("b.py", "x = 1\n").assert_allowed();
    let sandbox = sandbox.file("z.lock", "");
    assert_eq!(all(&sandbox).violations(), ["z.lock no-lock"], "there is one more than before");
}

#[test]
fn prune_only_lowers_count() {
    let sandbox = recorded();
    let repaired = old_file().replace("    print(3)\n", "    pass\n").replace("    print(7)\n", "    pass\n");
    let sandbox =
        sandbox.file("src/old.py", repaired + "print('new')\n").file("other.py", "print(1)\nprint(2)\n");
    let output = sandbox.run(["baseline", "--prune", "--dry-run"]);
    assert!(output.stdout.contains("0 violations would be added, 2 would be dropped; 27 in all"), "{output}");
    assert_eq!(total(&sandbox), 29);
    ran(&sandbox, ["baseline", "--prune"]);
    assert_eq!(total(&sandbox), 27);
    assert_eq!(all(&sandbox).violations().len(), 3);
    let sandbox = sandbox.contract(&warning(&forbid("no-two", "2", "other.py")));
    let message = ran(&sandbox, ["baseline", "--add", "--only", "no-print", "other.py"]);
    assert!(message.contains("2 violations added, 0 dropped; 29 in all"), "{message}");
    assert_eq!(total(&sandbox), 29);
    assert_eq!(all(&sandbox).violations(), ["other.py:2:7 no-two", "src/old.py:88:1 no-print"]);
    ran(&sandbox, ["baseline", "--add", "--prune"]);
    assert_eq!(total(&sandbox), 31);
    assert_eq!(all(&sandbox).code, Some(0));
    let before = file(&sandbox);
    ran(&sandbox, ["baseline", "--add"]);
    assert_eq!(file(&sandbox), before);
    let output = sandbox.run(["baseline", "--add", "--only", "no-prnt"]);
    assert_eq!(output.code, Some(3), "{output}");
    assert!(output.stderr.contains("no-print"), "{output}");
}

#[test]
fn partial_prune_keeps_unchecked_entries() {
    let sandbox = Sandbox::new()
        .contract(&forbid("no-x", "x", "**/*.txt"))
        .contract(&forbid("no-y", "y", "**/*.txt"))
        .file("a/1.txt", "x y")
        .file("b/2.txt", "x y");
    ran(&sandbox, ["baseline"]);
    let sandbox = sandbox.file("a/1.txt", "").file("b/2.txt", "");
    ran(&sandbox, ["baseline", "--prune", "--only", "no-x", "a"]);
    assert_eq!(total(&sandbox), 3);
    ran(&sandbox, ["baseline", "--prune", "b"]);
    assert_eq!(total(&sandbox), 1);
    fs::remove_file(sandbox.path(".claude/contracts/no-y.yaml")).expect("removed");
    ran(&sandbox, ["baseline", "--prune"]);
    assert_eq!(total(&sandbox), 0, "nobody knows its contract");
}

#[test]
fn full_run_counts_stale_entries() {
    let sandbox = recorded();
    let sandbox = sandbox.file("src/old.py", old_file().replace("print(3)", "pass"));
    let output = sandbox.run(["enforce", "--all"]);
    assert_eq!(output.code, Some(0));
    insta::assert_snapshot!(output.stderr, @"phaser: .claude/phaser-baseline.jsonl: 1 entry is stale; 'phaser baseline --prune' drops what is gone");
    assert_eq!(all(&sandbox).json()["baseline"], json!({ "stale": 1 }));
    let output = sandbox.run(["enforce", "--all", "--strict"]);
    assert_eq!(output.code, Some(3), "{output}");
    let sandbox = sandbox.contract(&warning(&forbid("no-such-word", "nonsense", "**/*.py")));
    let partial: [&[&str]; 6] = [
        &["src/old.py"],
        &["--staged"],
        &["--diff", "HEAD"],
        &["--all", "--shard", "1/2"],
        &["--all", "--severity", "warning"],
        &["--all", "--no-baseline", "--fail-on", "never"],
    ];
    for args in partial {
        let mut command = sandbox.command();
        let output = sandbox.run_with(command.args(["enforce", "--strict"]).args(args), b"");
        assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{args:?}");
    }
    ran(&sandbox, ["baseline", "--prune"]);
    assert_eq!(sandbox.run(["enforce", "--all", "--strict"]).code, Some(0));
}

#[test]
fn large_baseline_works_in_any_order() {
    let sandbox = recorded();
    let other = |number: usize| {
        format!(
            "{{\"contract\":\"no-print\",\"path\":\"lib/{number:05}.py\",\"digest\":\"{number:016x}\",\"count\":1}}"
        )
    };
    let others: Vec<String> = (0..4_000).map(other).collect();
    let own = file(&sandbox);
    let mut lines: Vec<&str> = others.iter().map(String::as_str).chain(own.lines()).collect();
    lines.sort_unstable();
    for order in 0..3 {
        match order {
            0 => {}
            1 => lines.reverse(),
            _ => lines.rotate_left(777),
        }
        let sandbox = recorded().file(FILE, lines.join("\n") + "\n");
        assert!(file(&sandbox).len() > 256 << 10, "large enough not to be read as a whole");
        let output = pre_edit(&sandbox, "print(1)", "print(1)  # same");
        assert_eq!(output.decision(), "deny", "the line is another one: {output}");
        assert_eq!(pre_edit(&sandbox, "def f1", "def g1").decision(), "allow", "order {order}");
        assert_eq!(pre_edit(&sandbox, "def f1", "print(30)\ndef f1").decision(), "deny", "order {order}");
    }
}

#[test]
fn broken_baseline_is_reported_with_line() {
    let sandbox = recorded();
    let text = file(&sandbox);
    for (broken, what) in [
        (format!("{text}<<<<<<< HEAD\n"), "merge conflict"),
        (format!("{text}nonsense\n"), "not a baseline entry"),
    ] {
        let sandbox = recorded().file(FILE, broken);
        let shown = format!("phaser: {FILE}:30: {what}");
        for args in [
            &["enforce", "--all"][..],
            &["enforce", "src/old.py"],
            &["enforce", "--diff", "HEAD"],
            &["baseline", "--prune"],
        ] {
            let mut command = sandbox.command();
            let output = sandbox.run_with(command.args(args), b"");
            assert_eq!((output.code, output.stdout.as_str()), (Some(3), ""), "{args:?}");
            assert!(output.stderr.starts_with(&shown), "{output}");
        }
        let output = pre_edit(&sandbox, "f3()", "f3(x)");
        assert_eq!(output.decision(), "deny", "{output}");
        assert!(
            output.json()["systemMessage"].as_str().is_some_and(|message| message.starts_with(&shown)),
            "{output}"
        );
        assert_eq!(sandbox.run(["enforce", "--all", "--no-baseline"]).code, Some(1));
    }
    let large = fs::File::create(sandbox.path(FILE)).expect("created");
    large.set_len((64 << 20) + 1).expect("grown");
    let output = sandbox.run(["enforce", "--all"]);
    assert_eq!(output.code, Some(3), "{output}");
    assert!(output.stderr.contains("more than 64 MB"), "{output}");
    fs::remove_file(sandbox.path(FILE)).expect("removed");
    fs::create_dir(sandbox.path(FILE)).expect("created");
    let output = sandbox.run(["enforce", "--all"]);
    assert_eq!(output.code, Some(3), "{output}");
    assert!(output.stderr.contains("not a regular file"), "{output}");
}

#[test]
fn staged_run_reads_staged_baseline() {
    let sandbox = recorded().file("new.py", "print(1)\n").git_add("new.py");
    assert_eq!(sandbox.run(["enforce", "--staged"]).code, Some(1));
    ran(&sandbox, ["baseline", "--add"]);
    assert_eq!(sandbox.run(["enforce", "--staged"]).code, Some(1), "the commit would not have it");
    let sandbox = sandbox.git_add(FILE);
    let output = sandbox.run(["enforce", "--staged"]);
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn ignored_precedes_baselined_precedes_existing() {
    let sandbox = recorded();
    let ignored = old_file().replace("print(3)", "print(3) # phaser:ignore no-print");
    let sandbox = sandbox.file("src/old.py", ignored).git_add("src/old.py");
    let output = sandbox.run(["enforce", "--staged", "--new-lines", "--format", "json"]);
    let summary = output.json()["summary"].clone();
    assert_eq!(summary, json!({ "errors": 0, "warnings": 0, "ignored": 1, "existing": 0, "baselined": 28 }));
    let copies = old_file() + "print(1)\nprint(1)\n";
    let sandbox = sandbox.file("src/old.py", &copies).git_add("src/old.py").git_commit("one is not recorded");
    let sandbox = sandbox.file("src/old.py", copies + "print(1)\n").git_add("src/old.py");
    let output = sandbox.run(["enforce", "--staged", "--new-lines"]);
    assert_eq!((output.count("existing"), output.count("baseline")), (2, 29), "{output}");
    assert_eq!(output.report(), ["src/old.py:90 error no-print"]);
}

#[test]
fn skips_contracts_that_allow_no_exceptions() {
    let strict = forbid("no-x", "x", "**/*.txt") + "ignorable: false\n";
    let sandbox =
        Sandbox::new().contract(&strict).contract(&forbid("no-y", "y", "**/*.txt")).file("a.txt", "x y");
    let message = ran(&sandbox, ["baseline"]);
    assert!(message.contains("1 violation of contracts that allow no exceptions still count"), "{message}");
    assert_eq!(all(&sandbox).violations(), ["a.txt:1:1 no-x"]);
    let by_hand = file(&sandbox) + &file(&sandbox).replace("no-y", "no-x");
    let sandbox = sandbox.file(FILE, by_hand);
    assert_eq!(all(&sandbox).violations(), ["a.txt:1:1 no-x"]);
}

#[test]
fn baseline_file_is_not_checked() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "**")).file("x.txt", "x\n");
    ran(&sandbox, ["baseline"]);
    let output = sandbox.run(["enforce", "--all", "--strict"]);
    assert_eq!((output.code, output.count("baseline")), (Some(0), 1), "{output}");
}

#[test]
fn records_path_that_is_not_utf8() {
    use std::os::unix::ffi::OsStrExt as _;
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "**/*.txt"));
    let name = std::ffi::OsStr::from_bytes(b"b\xFF.txt");
    if fs::write(sandbox.root().join(name), "x").is_err() {
        return; // Not every file system takes such a name.
    }
    ran(&sandbox, ["baseline"]);
    assert!(file(&sandbox).contains("\"path\":\"b\u{FFFD}.txt\""));
    assert_eq!(sandbox.run(["enforce", "--all", "--strict"]).code, Some(0));
}

#[test]
fn writes_nothing_after_incomplete_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox =
        Sandbox::new().contract(&forbid("no-x", "x", "**/*.txt")).file("a.txt", "x").file("b.txt", "x");
    fs::set_permissions(sandbox.path("b.txt"), fs::Permissions::from_mode(0o000)).expect("a mode");
    let output = sandbox.run_with(sandbox.unprivileged().arg("baseline"), b"");
    assert_eq!(output.code, Some(3), "{output}");
    assert!(output.stderr.contains("nothing written"), "{output}");
    assert!(!sandbox.path(FILE).exists());
}

#[test]
fn reports_touched_entries_with_existing_report() {
    let sandbox = recorded();
    let edit = sandbox.hook("PreToolUse").edit("src/old.py", "    print(3)", "  print(3)");
    let output = edit.args(["--existing", "report"]).run();
    assert_eq!(output.decision(), "allow", "{output}");
    assert_eq!(violations_in(&output.context()), ["no-print at line 8"], "{output}");
}

#[test]
fn lineless_entry_follows_only_same_contents() {
    let sandbox = Sandbox::new()
        .contract(&contract("needs-licence", "require_pattern", Some("licence"), "**/*.py"))
        .file("old.py", "x = 1\n");
    ran(&sandbox, ["baseline"]);
    let sandbox = sandbox.file("old.py", "y = 2\n");
    assert_eq!(all(&sandbox).violations(), [""; 0], "its own file may change");
    let before = file(&sandbox);
    ran(&sandbox, ["baseline", "--prune"]);
    ran(&sandbox, ["baseline", "--prune", "old.py"]);
    assert_eq!(file(&sandbox), before, "the entry is in use");
    fs::remove_file(sandbox.path("old.py")).expect("removed");
    let sandbox = sandbox.file("unrelated.py", "z = 3\n");
    assert_eq!(all(&sandbox).violations(), ["unrelated.py needs-licence"]);
    assert_eq!(all(&sandbox).json()["baseline"], json!({ "stale": 1 }));
    let sandbox = sandbox.file("renamed.py", "x = 1\n");
    assert_eq!(all(&sandbox).violations(), ["unrelated.py needs-licence"]);
}

#[test]
fn shards_share_entry_of_deleted_file() {
    let sandbox = Sandbox::new().contract(&forbid("no-print", r"\bprint\(", "**/*.py"));
    let sandbox = sandbox.file("old.py", "print(1)\nprint(1)\n");
    ran(&sandbox, ["baseline"]);
    fs::remove_file(sandbox.path("old.py")).expect("removed");
    let sandbox = (0..6).fold(sandbox, |sandbox, n| sandbox.file(&format!("new{n}.py"), "print(1)\n"));
    let expected = all(&sandbox).violations();
    assert_eq!(expected.len(), 4);
    for shards in [2, 3, 5] {
        let mut found: Vec<String> = (1..=shards)
            .flat_map(|shard| {
                let shard = format!("{shard}/{shards}");
                sandbox.run(["enforce", "--all", "--shard", &shard, "--format", "json"]).violations()
            })
            .collect();
        found.sort();
        assert_eq!(found, expected, "{shards} shards");
    }
}

#[test]
fn hook_uses_entry_of_deleted_file_once() {
    let sandbox = Sandbox::new()
        .contract(&forbid("no-print", r"\bprint\(", "**/*.py"))
        .file("old.py", "print(1)\n")
        .file("b.py", "x = 1\n");
    ran(&sandbox, ["baseline"]);
    fs::remove_file(sandbox.path("old.py")).expect("removed");
    sandbox.pre_write("m.py", "print(1)\n").assert_allowed();
    let sandbox = sandbox.file("m.py", "print(1)\n");
    sandbox.pre_write("z.py", "print(1)\n").assert_denied(&["no-print at line 1"]);
    sandbox.pre_edit("m.py", "print(1)", "print(1)\nx = 2").assert_allowed();
    let output = sandbox.hook("PreToolUse").edit("b.py", "x = 1", "print(1)").guard().run();
    assert_eq!(output.decision(), "deny", "an edit adds it: {output}");
}

#[test]
fn broken_baseline_leaves_clean_edit_undecided() {
    let sandbox = recorded();
    for broken in
        ["nonsense\n", "<<<<<<< HEAD\n", "{\"contract\":\"a\",\"path\":\"b\",\"digest\":\"0\",\"count\":1}\n"]
    {
        let sandbox = recorded().file(FILE, file(&sandbox) + broken);
        let output = sandbox.pre_write("new.py", "x = 1\n");
        assert_eq!(output.decision(), "", "{output}");
        assert!(output.message().starts_with(&format!("phaser: {FILE}:30: ")), "{output}");
    }
    sandbox.pre_write("new.py", "x = 1\n").assert_allowed();
}

#[test]
fn documented_commands_and_line_work() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/enforce.md");
    let page = fs::read_to_string(page).expect("readable");
    let section =
        page.split("### The baseline").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("a section");
    let commands = section.lines().filter_map(|line| line.strip_prefix("| `phaser ")?.split('`').next());
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "**/*.txt")).file("a.txt", "x");
    let mut ran = 0;
    for command in commands {
        let command = command.replace("ID", "no-x").replace("PATH", "a.txt");
        let output = sandbox.run_with(sandbox.command().args(command.split(' ')), b"");
        assert_eq!(output.code, Some(0), "{command}: {output}");
        ran += 1;
    }
    assert!(ran >= 4, "{ran} commands");
    let line = section.lines().find(|line| line.starts_with("{\"contract\"")).expect("a line");
    let sandbox = sandbox.file(FILE, format!("{line}\n"));
    assert_eq!(sandbox.run(["enforce", "--all"]).code, Some(1));
}
