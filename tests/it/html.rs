//! `--format html` and `phaser report html`: one page for people.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

use serde_json::{Value, json};

use crate::guide;
use crate::harness::{Sandbox, forbid, warning};

/// What a page shows.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once(r#"id="data">"#).expect("has data");
    let (json, rest) = rest.split_once("</script>").expect("ends");
    assert_eq!(rest.matches("</script>").count(), 1, "nothing in the data ends its element");
    serde_json::from_str(json).expect("is JSON")
}

#[test]
fn page_equals_json_and_renders_it() {
    let sandbox = Sandbox::new()
        .contract(&forbid("no-print", r"\bprint\(.*", "**/*.py"))
        .contract(&warning(&forbid("no-todo", "TODO", "**/*.py")))
        .file("a.py", "print('</script><script>alert(1)</script>')\n# TODO\n")
        .file("b.py", "print(2)  # phaser:ignore no-print\n");
    let output = sandbox.run(["enforce", "--all", "--output", "report.html"]);
    assert_eq!(output.code, Some(1), "{output}");
    let page = fs::read_to_string(sandbox.path("report.html")).expect("written");
    let shown = data(&page);
    let expected = json!({ "errors": 1, "warnings": 1, "ignored": 1, "existing": 0, "baselined": 0 });
    assert_eq!(shown["summary"], expected);
    assert_eq!(shown["paths"], json!(["a.py", "b.py"]));
    assert_eq!(shown["rows"][0][5], "print('</script><script>alert(1)</script>')");

    for format in ["json", "sarif"] {
        sandbox.run(["enforce", "--all", "--format", format, "--output", "report"]);
        let output = sandbox.run(["report", "html", "report"]);
        assert_eq!(output.code, Some(0), "{output}");
        let again = data(&output.stdout);
        assert_eq!(
            (&again["summary"]["errors"], &again["summary"]["warnings"]),
            (&json!(1), &json!(1)),
            "{format}"
        );
        assert_eq!(again["rows"][0][2], json!(1), "{format}");
    }
    let output = sandbox.run(["report", "html", "a.py"]);
    assert_eq!(output.code, Some(3), "{output}");
    assert!(output.stderr.contains("a.py: not JSON"), "{output}");
}

const HISTORY: &str = r#"{"version":1,"commits":[
    {"id":"a","time":1756080000,"errors":9,"warnings":0,"contracts":{"no-<x>":9}},
    {"id":"b","time":1763337600,"errors":1,"warnings":2,"contracts":{"no-<x>":1}}]}"#;

#[test]
fn page_names_date_and_commit() {
    let sandbox = Sandbox::new()
        .contract(&forbid("no-x", "x", "*.txt"))
        .file("a.txt", "x\n")
        .git_init()
        .git_commit("first");
    let git = |args: &[&str]| sandbox.git(args).trim().to_owned();
    let provenance = |args: &[&str]| {
        let mut command = sandbox.command();
        command.args(["enforce", "--format", "html"]).args(args);
        data(&sandbox.run_with(&mut command, b"").stdout)["provenance"].clone()
    };
    git(&["checkout", "-q", "-b", "topic/<i>"]);
    let first = git(&["rev-parse", "--short=10", "HEAD"]);
    let expected = json!({ "time": 1_767_225_600, "commit": first, "branch": "topic/<i>" });
    assert_eq!(provenance(&["--all"]), expected);
    let history = data(&sandbox.run(["history", "--format", "html"]).stdout);
    assert_eq!(history["provenance"], expected);
    git(&["commit", "-q", "--allow-empty", "-m", "second"]);
    let older = provenance(&["--diff", "HEAD~1..HEAD~1"]);
    assert_eq!(older, json!({ "time": 1_767_225_600, "commit": first, "branch": "" }), "not HEAD");
    git(&["checkout", "-q", "--detach"]);
    assert_eq!(provenance(&["--all"])["branch"], "");
}

#[test]
fn page_without_repository_has_date_alone() {
    let sandbox = Sandbox::new().contract(&forbid("no-x", "x", "*.txt"));
    let mut command = sandbox.command();
    command.args(["enforce", "--all", "--format", "html"]).env_remove("SOURCE_DATE_EPOCH");
    let now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970").as_secs();
    let before = now();
    let made = data(&sandbox.run_with(&mut command, b"").stdout)["provenance"].clone();
    let time = made["time"].as_u64().expect("a time");
    assert!((before..=now()).contains(&time), "{made}");
    assert_eq!((&made["commit"], &made["branch"]), (&json!(""), &json!("")));
}

#[test]
fn page_marks_matches_and_masks_secrets() {
    let secret = forbid("token", "tok-[a-z0-9]{8}", "*.txt") + "tags: [secret]\n";
    let sandbox = Sandbox::new()
        .contract(&secret)
        .contract(&(forbid("no-tab", "\\t", "*.txt") + "fix: ' '\n"))
        .file("a.txt", "é = tok-abcd1234 # é\n\t\n");
    let shown = data(&sandbox.run(["enforce", "--all", "--format", "html"]).stdout);
    let row = |at: usize| shown["rows"][at].as_array().expect("a row")[2..].to_vec();
    assert_eq!(json!(row(0)), json!([1, 5, 0, "é = tok-******** # é", 12, 0]));
    assert_eq!(json!(row(1)[5]), 1, "phaser fix fixes it");
}

#[test]
fn page_has_title_and_history() {
    let report = r#"{"version":1,"violations":[]}"#;
    let sandbox = Sandbox::new().file("report.json", report).file("past.json", HISTORY);
    let plain = data(&sandbox.run(["report", "html", "report.json"]).stdout);
    let shown = ["title", "about", "history"].map(|key| plain[key].clone());
    assert_eq!(shown, [json!(""), json!("from report.json"), Value::Null]);
    let titled =
        sandbox.run(["report", "html", "report.json", "--title", "</h1>", "--history", "past.json"]).stdout;
    let titled = data(&titled);
    assert_eq!((&titled["title"], &titled["about"]), (&json!("</h1>"), &json!("")));
    assert_eq!(titled["history"][1]["contracts"], json!({ "no-<x>": 1 }));
    let output = sandbox.run(["report", "html", "report.json", "--history", "report.json"]);
    assert_eq!(
        (output.code, output.stderr.contains("report.json: not a history")),
        (Some(3), true),
        "{output}"
    );
}

#[test]
fn history_renders_as_markdown_too() {
    let sandbox = Sandbox::new().file("past.json", HISTORY).file("a.json", "{}");
    let output = sandbox.run(["report", "trend", "past.json"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output}");
    insta::assert_snapshot!(output.stdout, @r#"
    ### phaser: violations over time

    | | 2025-08-25 | 2025-11-17 | change | 2 commits |
    |---|---:|---:|---:|---|
    | errors | 9 | 1 | −8 | `█▂` |
    | warnings | 0 | 2 | +2 | `▁█` |
    | no&#45;&#60;x&#62; | 9 | 1 | −8 | `█▂` |
    "#);
    assert_eq!(sandbox.run(["report", "trend", "past.json", "--output", "trend.md"]).stdout, "");
    assert_eq!(fs::read_to_string(sandbox.path("trend.md")).expect("written"), output.stdout);
    let output = sandbox.run(["report", "trend", "a.json"]);
    assert_eq!((output.code, output.stderr.contains("a.json: not a history")), (Some(3), true), "{output}");
}

#[test]
fn documented_page_commands_work() {
    assert_eq!(guide::follow(include_str!("../../docs/report.md")), 4);
}

/// The SHA-256 of a text, in base 64 as policies have it.
fn digest(text: &str) -> String {
    let directory = tempfile::tempdir().expect("created");
    let file = directory.path().join("text");
    fs::write(&file, text).expect("written");
    let output = Command::new("sha256sum").arg(&file).output().expect("sha256sum runs");
    let hex = String::from_utf8(output.stdout).expect("UTF-8");
    let bits: String =
        hex[..64].chars().map(|c| format!("{:04b}", c.to_digit(16).expect("a digit"))).collect();
    let letters: Vec<char> = ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(['+', '/']).collect();
    let sextets = bits.as_bytes().chunks(6).map(|bits| {
        let bits = format!("{:0<6}", String::from_utf8_lossy(bits));
        letters[usize::from_str_radix(&bits, 2).expect("bits")]
    });
    format!("{}=", sextets.collect::<String>())
}

#[test]
fn policy_allows_only_own_script_and_style() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/report/html/page.html");
    let mut page = fs::read_to_string(&path).expect("readable");
    for element in ["script", "style"] {
        let (_, text) = page.rsplit_once(&format!("<{element}>")).expect("one");
        let (text, _) = text.split_once(&format!("</{element}>")).expect("it ends");
        let wanted = format!("{element}-src 'sha256-{}'", digest(text));
        let (before, rest) = page.split_once(&format!("{element}-src 'sha256-")).expect("a policy");
        let (_, after) = rest.split_once('\'').expect("it ends");
        page = format!("{before}{wanted}{after}");
    }
    if std::env::var_os("PHASER_UPDATE_PAGE").is_some() {
        fs::write(&path, &page).expect("written");
    }
    let is_current = fs::read_to_string(&path).expect("readable") == page;
    assert!(
        is_current,
        "the page has changed: PHASER_UPDATE_PAGE=1 cargo test --test it html:: signs it again"
    );
    assert!(!page.contains("unsafe-inline") && page.matches("<script").count() == 2, "nothing else runs");
}
