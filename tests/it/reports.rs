//! Reports for code hosts, where they are written, and how they are merged.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::harness::{Output, Sandbox, contract, forbid, warning};

/// One violation of each kind, odd names, an ignored violation and a broken contract.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new()
        .git_init()
        .contract(&format!("{}rationale: 'Because.'\n", forbid("no-x", "x", "**/*.txt")))
        .contract(&forbid("no-block", r"begin\nend\n", "**/*.txt"))
        .contract(&warning(&contract("needs-y", "require_pattern", Some("y"), "src/*.txt")))
        .contract(&contract("no-env", "file_not_exists", None, "**/.env"))
        .contract(&contract("needs-readme", "file_exists", None, "README*"))
        .file(".claude/contracts/broken.yaml", "rule_id: broken\n")
        .file("src/a b#1.txt", "é x: 100%, y\n")
        .file("src/block.txt", "begin\nend\nrest\n")
        .file("src/fine.txt", "y\n")
        .file("src/café.txt", "x y // phaser:ignore-all\n")
        .file("conf/.env", "A=1\n");
    fs::write(sandbox.root().join(std::ffi::OsStr::from_bytes(b"caf\xE9.txt")), "x\n").expect("written");
    sandbox
}

fn report(sandbox: &Sandbox, format: &str) -> Output {
    sandbox.run(["enforce", "--all", "--format", format])
}

#[test]
fn sarif() {
    let version = format!("\"semanticVersion\": \"{}\"", env!("CARGO_PKG_VERSION"));
    let output = report(&sandbox(), "sarif").to_string();
    insta::assert_snapshot!(output.replace(&version, "\"semanticVersion\": \"[VERSION]\""));
}

#[test]
fn github() {
    insta::assert_snapshot!(report(&sandbox(), "github"));
}

#[test]
fn gitlab() {
    insta::assert_snapshot!(report(&sandbox(), "gitlab"));
}

#[test]
fn junit() {
    insta::assert_snapshot!(report(&sandbox(), "junit"));
}

#[test]
fn a_clean_project_gets_reports_too() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "*.txt")).file("a.txt", "fine\n");
    let report = |format| {
        let output = report(&sandbox, format);
        assert_eq!(output.code, Some(0), "{output}");
        output
    };
    let sarif = report("sarif").json();
    assert_eq!(sarif["runs"][0]["results"], serde_json::json!([]));
    assert_eq!(sarif["runs"][0]["tool"]["driver"]["rules"][0]["id"], "no-x");
    assert_eq!(report("gitlab").json(), serde_json::json!([]));
    assert_eq!(report("github").stdout, "0 errors, 0 warnings\n");
    assert!(report("junit").stdout.contains("failures=\"0\""));
}

#[test]
fn paths_start_at_the_top_of_the_repository() {
    let sandbox = Sandbox::new().git_init().file("part/a.txt", "x\n");
    let sandbox = sandbox.file("part/.claude/contracts/no-x.yaml", forbid("no-x", "x", "*.txt"));
    let run = |format: &str| {
        let mut command = sandbox.command();
        command.current_dir(sandbox.path("part")).args(["enforce", "--all", "--format", format]);
        sandbox.run_with(&mut command, b"")
    };
    let uri = &run("sarif").json()["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(uri["artifactLocation"]["uri"], "part/a.txt");
    assert!(run("github").stdout.starts_with("::error file=part/a.txt,"));
    assert_eq!(run("gitlab").json()[0]["location"]["path"], "part/a.txt");
    assert!(run("junit").stdout.contains("name=\"part/a.txt\""));
    assert_eq!(run("json").json()["violations"][0]["file_path"], "a.txt");
}

/// The fingerprints of a SARIF report, by line.
fn fingerprints(sandbox: &Sandbox) -> Vec<(u64, String)> {
    let json = report(sandbox, "sarif").json();
    let results = json["runs"][0]["results"].as_array().expect("a list");
    let one = |result: &Value| {
        let line =
            result["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64().expect("a line");
        let name = result["partialFingerprints"]["primaryLocationLineHash"].as_str().expect("a name");
        (line, name.to_owned())
    };
    results.iter().map(one).collect()
}

#[test]
fn a_fingerprint_survives_when_lines_move() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "*.txt")).file("a.txt", "x\nx\n  x here\n");
    let before = fingerprints(&sandbox);
    let sandbox = sandbox.file("a.txt", "new\nx\nnew\nx\nx here\n");
    let after = fingerprints(&sandbox);
    assert_eq!(before.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(after.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 4, 5]);
    let names = |found: &[(u64, String)]| found.iter().map(|(_, name)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&before), names(&after));
    assert_ne!(before[0].1, before[1].1);
}

#[test]
fn github_gets_ten_annotations_of_each_kind_and_a_table() {
    let sandbox = Sandbox::new()
        .contract(&format!("{}rationale: r\n", forbid("no-x", "x", "*.txt")))
        .contract(&warning(&forbid("no-y", "y", "*.txt")))
        .file("a|b.txt", "y\nx\n".repeat(12));
    let summary = sandbox.home().join("summary.md");
    fs::write(&summary, "before\n").expect("written");
    let mut command = sandbox.command();
    command.env("GITHUB_STEP_SUMMARY", &summary).args(["enforce", "--all", "--format", "github"]);
    let output = sandbox.run_with(&mut command, b"");
    let commands = |name: &str| output.stdout.lines().filter(|line| line.starts_with(name)).count();
    assert_eq!((commands("::error "), commands("::warning ")), (10, 10), "{output}");
    assert!(output.stdout.lines().take(10).all(|line| line.starts_with("::error ")), "{output}");
    assert!(output.stdout.contains("4 more: GitHub shows 10"), "{output}");
    let table = fs::read_to_string(&summary).expect("readable");
    assert!(table.starts_with("before\n### phaser: 12 errors, 12 warnings\n"), "{table}");
    assert_eq!(table.lines().filter(|line| line.starts_with("| error |")).count(), 12);
    assert!(table.contains("a&#124;b&#46;txt&#58;2"), "{table}");
}

#[test]
fn a_message_cannot_leave_its_annotation() {
    let yaml =
        forbid("no-x", "x", "*.txt").replace("'Do not no-x.'", "\"50% a\\r\\n::set-output name=a::b\"");
    let sandbox = Sandbox::new().contract(&yaml).file("a,b:c.txt", "x\n");
    let output = report(&sandbox, "github");
    let expected = "::error file=a%2Cb%3Ac.txt,line=1,endLine=1,col=1,endColumn=2,title=no-x\
                    ::50%25 a%0D%0A::set-output name=a::b\n1 error, 0 warnings\n";
    assert_eq!(output.stdout, expected);
}

#[test]
fn text_is_no_command_to_github_either() {
    let yaml = forbid("no-x", "x", "*.txt").replace("'Do not no-x.'", "\"::add-mask::a\\n##[debug]b\"");
    let sandbox = Sandbox::new().contract(&yaml).file("::warning::.txt", "x\n");
    let output = report(&sandbox, "text");
    for line in output.stdout.lines() {
        assert!(!line.trim_start().starts_with("::") && !line.contains("##["), "{output}");
    }
}

#[test]
fn a_report_goes_to_a_file_while_text_goes_to_the_terminal() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "*.txt")).file("a.txt", "x\n");
    let output = sandbox.run(["enforce", "--all", "--format", "sarif", "--output", "out.sarif"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout.starts_with("a.txt:1: error: no-x\n"), "{output}");
    let written = fs::read_to_string(sandbox.path("out.sarif")).expect("written");
    assert_eq!(written, report(&sandbox, "sarif").stdout);
    let mode = fs::metadata(sandbox.path("out.sarif")).expect("there").permissions().mode();
    assert_eq!(mode & 0o600, 0o600);
    assert_eq!(fs::read_dir(sandbox.root()).expect("readable").count(), 3, "nothing else is left");
}

#[test]
fn a_file_that_is_there_is_replaced_at_once_and_keeps_its_mode() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "*.txt")).file("real", "old");
    fs::set_permissions(sandbox.path("real"), fs::Permissions::from_mode(0o640)).expect("set");
    std::os::unix::fs::symlink("real", sandbox.path("link")).expect("linked");
    let reader = fs::File::open(sandbox.path("real")).expect("readable");
    sandbox.run(["enforce", "--all", "--format", "gitlab", "--output", "link"]);
    assert_eq!(std::io::read_to_string(reader).expect("readable"), "old");
    assert_eq!(fs::read_to_string(sandbox.path("real")).expect("readable"), "[]\n");
    assert_eq!(fs::metadata(sandbox.path("real")).expect("there").permissions().mode() & 0o777, 0o640);
    assert!(sandbox.path("link").is_symlink());
}

#[test]
fn a_device_is_written_and_not_replaced() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "*.txt"));
    let output = sandbox.run(["enforce", "--all", "--format", "gitlab", "--output", "/dev/null"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(!fs::metadata("/dev/null").expect("there").is_file());
}

#[test]
fn a_report_that_cannot_be_written_is_trouble() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "*.txt"));
    let output = sandbox.run(["enforce", "--all", "--format", "sarif", "--output", "no/where.sarif"]);
    assert_eq!(output.code, Some(3), "{output}");
    assert!(output.stderr.contains("no/where.sarif cannot be written"), "{output}");
}

#[test]
fn logs_of_shards_merge_to_the_log_of_the_whole() {
    let sandbox = sandbox();
    let whole = report(&sandbox, "sarif").json();
    for shard in ["1/3", "2/3", "3/3"] {
        let file = sandbox.home().join(format!("{}.sarif", &shard[..1]));
        let mut command = sandbox.command();
        command.args(["enforce", "--all", "--format", "sarif", "--shard", shard, "--output"]).arg(file);
        sandbox.run_with(&mut command, b"");
    }
    let merge = |names: [&str; 3]| {
        let mut command = sandbox.command();
        command.args(["report", "merge"]).args(names.map(|name| sandbox.home().join(name)));
        sandbox.run_with(&mut command, b"")
    };
    let merged = merge(["1.sarif", "2.sarif", "3.sarif"]);
    assert_eq!(merged.code, Some(0), "{merged}");
    assert_eq!(merged.stdout, merge(["3.sarif", "1.sarif", "2.sarif"]).stdout);
    let sorted = |log: &Value| {
        let list = |at: &Value| {
            let mut list: Vec<_> = at.as_array().into_iter().flatten().map(without_index).collect();
            list.sort();
            list
        };
        let run = &log["runs"][0];
        let said = &run["invocations"][0]["toolConfigurationNotifications"];
        [list(&run["results"]), list(&run["tool"]["driver"]["rules"]), list(said)]
    };
    assert_eq!(sorted(&merged.json()), sorted(&whole));
    for result in merged.json()["runs"][0]["results"].as_array().expect("a list") {
        let index = usize::try_from(result["ruleIndex"].as_u64().expect("an index")).expect("small");
        assert_eq!(merged.json()["runs"][0]["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    }
}

fn without_index(value: &Value) -> String {
    let mut value = value.clone();
    if let Some(object) = value.as_object_mut() {
        object.remove("ruleIndex");
    }
    value.to_string()
}

#[test]
fn only_logs_of_phaser_are_merged() {
    let foreign = r#"{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"other"}},"results":[]}]}"#;
    let sandbox = Sandbox::new().file("a.sarif", "[]").file("b.sarif", foreign);
    for (file, why) in
        [("a.sarif", "not a SARIF log"), ("b.sarif", "written by other"), ("c.sarif", "No such file")]
    {
        let output = sandbox.run(["report", "merge", file]);
        assert_eq!(output.code, Some(3), "{output}");
        assert!(output.stderr.contains(file) && output.stderr.contains(why), "{output}");
    }
}
