//! Contracts about the values of JSON, YAML and TOML files, in every mode.

use std::fs;
use std::os::unix::fs::symlink;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::harness::{Output, Sandbox, forbid};

const PINNED: &str = "rule_id: pinned\ntype: forbid_value\npath: $.dependencies.*\npattern: '^[~^](.*)'\n\
    file_glob: '**/package.json'\nmessage: 'Pin the version.'\nseverity: error\nfix: '$1'\n\
    examples:\n  violating: [{text: '{\"dependencies\": {\"a\": \"^1.2.3\"}}', fixed: '{\"dependencies\": {\"a\": \"1.2.3\"}}'}]\n  \
    passing: ['{\"dependencies\": {\"a\": \"1.2.3\"}, \"devDependencies\": {\"b\": \"^1\"}}']\n";

const TIMEOUT: &str = "rule_id: timeout\ntype: require_value\npath: $.jobs.*['timeout-minutes']\n\
    file_glob: '.github/workflows/*.{yml,yaml}'\nmessage: 'Give the job a timeout.'\nseverity: error\n\
    examples:\n  violating: ['jobs: {a: {steps: []}}']\n  passing: ['jobs: {a: {timeout-minutes: 5}}']\n";

const PARSES: &str = "rule_id: parses\ntype: file_parses\nfile_glob: '**/*.{json,yaml,toml}'\n\
    message: 'Correct the syntax.'\nseverity: error\n\
    examples:\n  violating: ['{\"a\": 1,}']\n  passing: ['{\"a\": 1}']\n";

const PACKAGE: &str =
    "{\n  \"name\": \"x\",\n  \"dependencies\": {\n    \"a\": \"1.2.3\",\n    \"b\": \"^2.0.0\"\n  }\n}\n";

fn sandbox() -> Sandbox {
    Sandbox::new().contract(PINNED)
}

fn all(sandbox: &Sandbox) -> Output {
    sandbox.run(["enforce", "--all", "--format", "json"])
}

fn text(sandbox: &Sandbox, path: &str) -> String {
    fs::read_to_string(sandbox.path(path)).expect("readable")
}

/// Contracts for `doc.json` and others, each with its id and the lines that are special to it.
fn with(contracts: &[(&str, &str)]) -> Sandbox {
    contracts.iter().fold(Sandbox::new(), |sandbox, (id, rest)| {
        let glob = if rest.contains("file_glob") { "" } else { "file_glob: '**/doc.*'\n" };
        sandbox.contract(&format!("rule_id: {id}\n{rest}\n{glob}message: 'Not this.'\nseverity: error\n"))
    })
}

#[test]
fn value_is_reported_in_every_mode() {
    let sandbox = sandbox().file("package.json", PACKAGE).git_init().git_add(".");
    let expected = ["package.json:5:10 pinned"];
    assert_eq!(all(&sandbox).violations(), expected);
    assert_eq!(sandbox.run(["enforce", "--staged", "--format", "json"]).violations(), expected);
    assert_eq!(sandbox.run(["enforce", "package.json", "--format", "json"]).violations(), expected);
    let json = all(&sandbox).json();
    assert_eq!(json["violations"][0]["matched_text"], "\"^2.0.0\"", "{json}");
    sandbox.pre_write("app/package.json", PACKAGE).assert_denied(&["pinned at line 5"]);
    sandbox.pre_edit("package.json", "\"^2.0.0\"", "\"2.0.0\"").assert_allowed();
    let denied = sandbox.hook("PreToolUse").guard().edit("package.json", "1.2.3", "~1.2.3").run();
    assert!(denied.reason().contains("package.json:4: \"a\": \"~1.2.3\","), "{denied}");
    let after = sandbox.hook("PostToolUse").guard().write("package.json", PACKAGE).run();
    assert!(after.stdout.contains("pinned at package.json:5"), "{after}");
    let sandbox = sandbox.git_commit("first");
    let sandbox =
        sandbox.file("package.json", PACKAGE.replace("1.2.3", "~1.2.3")).git_add(".").git_commit("second");
    let diff = sandbox.run(["enforce", "--diff", "HEAD~1..HEAD", "--existing", "report", "--format", "json"]);
    assert_eq!(diff.count("open"), 0);
    assert_eq!(diff.json()["violations"][0]["line_number"], 4, "{diff}");
}

#[test]
fn contracts_pass_test_lint_and_commands() {
    let sandbox = sandbox()
        .contract(TIMEOUT)
        .contract(PARSES)
        .file("package.json", "{}")
        .file(".github/workflows/ci.yml", "jobs: {a: {timeout-minutes: 5}}\n");
    for command in
        [["contracts", "test"], ["contracts", "lint"], ["contracts", "list"], ["contracts", "export"]]
    {
        let output = sandbox.run(command);
        assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output}");
    }
    let shown = sandbox.run(["contracts", "show", "timeout", "--format", "json"]).json();
    assert_eq!(shown["contract"]["path"], "$.jobs.*['timeout-minutes']", "{shown}");
    let explained = sandbox.run(["explain", "timeout"]);
    assert!(explained.stdout.contains("path: $.jobs.*['timeout-minutes']"), "{explained}");
    assert!(explained.stdout.contains("phaser:ignore timeout"), "{explained}");
}

#[test]
fn comparison_knows_types() {
    let sandbox = with(&[
        ("number", "type: forbid_value\npath: $.list[*]\nequals: 1"),
        ("text", "type: forbid_value\npath: $.list[*]\nequals: '1'"),
        ("several", "type: forbid_value\npath: $.list[*]\nequals: [true, null, 'on']"),
        ("any", "type: forbid_value\npath: $.gone"),
        ("strict", "type: require_value\npath: $.strict\nequals: true"),
    ])
    .file("doc.yaml", "list:\n- 1\n- '1'\n- true\n-\n- on\n- 'true'\n- [1]\nstrict: yes\n")
    .file("doc.toml", "list = [1.0, '1']\ngone = {}\nstrict = true\n");
    assert_eq!(
        all(&sandbox).violations(),
        [
            "doc.toml:1:9 number",
            "doc.toml:1:14 text",
            "doc.toml:2:8 any",
            "doc.yaml:2:3 number",
            "doc.yaml:3:3 text",
            "doc.yaml:4:3 several",
            "doc.yaml:5:2 several",
            "doc.yaml:6:3 several",
            "doc.yaml:9:9 strict",
        ]
    );
}

#[test]
fn missing_value_is_at_its_parent() {
    let workflow =
        "name: ci\njobs:\n  build:\n    runs-on: x\n  test: {timeout-minutes: 5}\n  lint:\n    steps: []\n";
    let sandbox = Sandbox::new().contract(TIMEOUT).file(".github/workflows/ci.yml", workflow);
    assert_eq!(
        all(&sandbox).violations(),
        [".github/workflows/ci.yml:4:5 timeout", ".github/workflows/ci.yml:7:5 timeout"]
    );
    let sandbox =
        sandbox.file(".github/workflows/ci.yml", "name: ci\non: push\n").file(".github/workflows/a.yml", "");
    assert_eq!(
        all(&sandbox).violations(),
        [".github/workflows/a.yml timeout", ".github/workflows/ci.yml:1:1 timeout"]
    );
}

#[test]
fn aliases_lead_to_one_violation() {
    let sandbox =
        with(&[("latest", "type: forbid_value\npath: $..image\npattern: ':latest$'\nfix: 'x:1.0'")]).file(
            "doc.yaml",
            "a: &a\n  image: &i 'x:latest' # c\nb: *a\nc:\n  <<: *a\n  other: *i\n---\nimage: y:1\n",
        );
    assert_eq!(all(&sandbox).violations(), ["doc.yaml:2:13 latest"]);
    assert_eq!(sandbox.run(["fix", "--all"]).code, Some(0));
    assert_eq!(
        text(&sandbox, "doc.yaml"),
        "a: &a\n  image: &i 'x:1.0' # c\nb: *a\nc:\n  <<: *a\n  other: *i\n---\nimage: y:1\n"
    );
}

#[test]
fn unparsable_file_is_gap() {
    let broken = "{\n  \"dependencies\": {\n    \"a\" \"^1\"\n}}\n";
    let sandbox = sandbox().file("package.json", broken);
    let output = all(&sandbox);
    assert_eq!((output.code, output.violations()), (Some(3), Vec::new()), "{output}");
    let unchecked = output.unchecked();
    assert!(
        unchecked.len() == 1 && unchecked[0].starts_with("package.json: line 3 does not parse: "),
        "{output}"
    );
    let hook = sandbox.pre_write("package.json", broken);
    assert_eq!(hook.decision(), "", "{hook}");
    assert!(hook.message().contains("pinned"), "{hook}");
    let other = sandbox.pre_write("package.json", "{\"name\": ");
    assert_eq!(other.decision(), "allow", "no such key, so nothing to parse: {other}");
}

#[test]
fn hostile_data_is_gap() {
    let sandbox = with(&[
        ("deep", "type: forbid_value\npath: $..x"),
        ("pairs", "type: forbid_value\npath: $..*..*..*\nequals: z"),
    ]);
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        bomb += &format!("a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 10].join(", "));
    }
    let nested = "[".repeat(1_000_000) + "x";
    let blocks = "- ".repeat(100_000) + "x";
    for (path, content) in
        [("doc.yaml", &bomb), ("doc.yaml", &nested), ("doc.yaml", &blocks), ("doc.json", &nested)]
    {
        let output = sandbox.pre_write(path, content);
        assert_eq!((output.code, output.decision().as_str()), (Some(0), ""), "{output}");
        assert!(output.message().contains("deep") || output.message().contains("pairs"), "{output}");
    }
}

#[test]
fn file_that_does_not_parse_violates() {
    let sandbox = Sandbox::new()
        .contract(PARSES)
        .file("a.json", "{\n  \"a\": 1,\n}\n")
        .file("b.yaml", "a: 1\n  b: 2\n")
        .file("c.toml", "a = 1\nb = \n")
        .file("tsconfig.json", "{ // c\n \"a\": [1,], }\n")
        .file(".vscode/settings.json", "// c\n")
        .file("two.yaml", "a: 1\n---\nb: 2\n")
        .file("not-utf8.json", b"{\"a\": \"\xFF\"}\n")
        .file("empty.json", "");
    assert_eq!(
        all(&sandbox).violations(),
        [
            "a.json:2:9 parses",
            "b.yaml:2:4 parses",
            "c.toml:2:5 parses",
            "empty.json:1:1 parses",
            "not-utf8.json:1:8 parses"
        ]
    );
    sandbox.pre_write("x.json", "[1 2]").assert_denied(&["parses at line 1"]);
    // The second cached run reads the reasons from the cache.
    for _ in 0..2 {
        let json = sandbox.run(["enforce", "--all", "--cache", "--format", "json"]).json();
        assert_eq!(json["violations"][0]["problem"], "trailing commas are not allowed", "{json}");
        let problems = json["violations"].as_array().expect("a list").iter().map(|one| &one["problem"]);
        assert!(problems.clone().all(Value::is_string), "{json}");
    }
    let text = sandbox.run(["enforce", "a.json"]);
    assert!(text.stdout.contains("Correct the syntax. (trailing commas are not allowed)"), "{text}");
    let deep = "[".repeat(10_000);
    let hook = sandbox.pre_write("x.json", &deep);
    assert_eq!((hook.decision().as_str(), hook.message().contains("nested too deep")), ("", true), "{hook}");
}

#[test]
fn notebooks_are_data_as_a_whole() {
    let notebook = |kernel: &str| {
        json!({ "cells": [{ "cell_type": "code", "id": "a", "metadata": {}, "outputs": [], "source": ["x = 1\n"] }],
            "metadata": { "kernelspec": { "name": kernel } }, "nbformat": 4, "nbformat_minor": 5 })
        .to_string()
    };
    let kernel =
        "type: forbid_value\npath: $.metadata.kernelspec.name\nequals: local\nfile_glob: '**/*.ipynb'";
    let sandbox = with(&[("kernel", kernel)]).contract(&forbid("no-y", "y = ", "**/*.ipynb"));
    let sandbox = sandbox.file("a.ipynb", notebook("local")).file("b.ipynb", notebook("python3"));
    let output = all(&sandbox);
    assert_eq!(output.json()["violations"].as_array().map(Vec::len), Some(1), "{output}");
    assert_eq!(
        (output.code, output.json()["violations"][0]["file_path"].as_str()),
        (Some(1), Some("a.ipynb"))
    );
    let edit = |path: &str, source: &str| {
        let input = json!({ "notebook_path": sandbox.path(path), "cell_id": "a", "new_source": source, "edit_mode": "replace" });
        sandbox.hook("PreToolUse").tool("NotebookEdit", input).args(["--severity", "error"]).run()
    };
    edit("b.ipynb", "z = 1\n").assert_allowed();
    assert_eq!(edit("b.ipynb", "y = 1\n").decision(), "deny");
    assert_eq!(edit("a.ipynb", "z = 1\n").decision(), "deny");
}

#[test]
fn link_has_format_of_its_file() {
    let sandbox = sandbox().file("package.json", PACKAGE);
    symlink(sandbox.path("package.json"), sandbox.path("link")).expect("linked");
    sandbox.pre_edit("link", "1.2.3", "^1.2.3").assert_denied(&["pinned at line 4", "pinned at line 5"]);
}

#[test]
fn directives_suppress_values() {
    let sandbox = with(&[("no-a", "type: forbid_value\npath: $.a\nfile_glob: '**/*.{yaml,toml,json}'")])
        .file("a.yaml", "a: 1 # phaser:ignore no-a -- here\n")
        .file("b.yaml", "# phaser:ignore-next-line no-a -- here\na: 1\n")
        .file("c.toml", "a = 1 # phaser:ignore no-a -- here\n")
        .file("tsconfig.json", "{ // phaser:ignore-file no-a -- here\n \"a\": 1 }\n")
        .file("d.json", "{\"a\": 1, \"b\": \"phaser:ignore-file no-a\"}\n");
    assert_eq!(all(&sandbox).violations(), ["d.json:1:7 no-a"]);
}

#[test]
fn existing_value_is_recognised_by_path_and_text() {
    let sandbox = sandbox()
        .file(".claude/phaser.yaml", "existing: report\n")
        .file("package.json", PACKAGE)
        .git_init()
        .git_add(".")
        .git_commit("first");
    let edit = |old: &str, new: &str| sandbox.hook("PreToolUse").guard().edit("package.json", old, new).run();
    edit("\"name\": \"x\"", "\"name\": \"y\"").assert_allowed();
    let swapped =
        edit("    \"a\": \"1.2.3\",\n    \"b\": \"^2.0.0\"", "    \"b\": \"^2.0.0\", \"a\": \"1.2.3\"");
    assert_eq!(swapped.decision(), "allow", "{swapped}");
    assert_eq!(edit("\"b\": \"^2.0.0\"", "\"c\": \"^2.0.0\"").decision(), "deny", "another key");
    assert_eq!(edit("^2.0.0", "^2.0.1").decision(), "deny", "another text");
    let moved = "{\"dependencies\": {\"b\": \"^2.0.0\"}, \"name\": \"x\"}\n";
    let moved = sandbox.hook("PreToolUse").guard().write("package.json", moved).run();
    assert_eq!(moved.decision(), "allow", "{moved}");
}

#[test]
fn baseline_covers_value_wherever_it_is() {
    let sandbox = sandbox().contract(TIMEOUT).file("package.json", PACKAGE);
    let sandbox = sandbox.file(".github/workflows/ci.yml", "jobs:\n  a:\n    steps: []\n");
    assert_eq!(sandbox.run(["baseline"]).code, Some(0));
    assert_eq!(all(&sandbox).code, Some(0));
    let sandbox = sandbox
        .file("package.json", "{\"dependencies\": {\"b\":\n\"^2.0.0\"}}")
        .file(".github/workflows/ci.yml", "on: push\njobs: {a: {steps: [], if: x}}\n");
    assert_eq!(all(&sandbox).code, Some(0), "{}", all(&sandbox));
    let sandbox = sandbox.file("package.json", "{\"dependencies\": {\"c\": \"^2.0.0\"}}");
    assert_eq!(all(&sandbox).code, Some(1));
}

#[test]
fn fix_keeps_every_other_byte() {
    let sandbox = with(&[
        ("strict", "type: forbid_value\npath: $..strict\nequals: false\nfix: true"),
        ("level", "type: forbid_value\npath: $..level\npattern: '^[0-2]$'\nfix: '3'"),
        ("host", "type: forbid_value\npath: $..host\npattern: '^http:(.*)'\nfix: 'https:$1'"),
    ])
    .file("doc.json", "{ \"strict\":false,\t\"level\" : 1,\r\n \"host\":\"http://x\\u0041\" }")
    .file("doc.yaml", "# c\nstrict:   false # c\nlevel: '2'\nhost: http://x # c\nl: [{host: \"http://y\"}]\n")
    .file("doc.toml", "strict=false # c\nlevel = 0\n[a]\nhost = 'http://x' # c\n");
    let diff = sandbox.run(["fix", "--all", "--diff"]);
    assert_eq!(diff.code, Some(1), "{diff}");
    assert_eq!(sandbox.run(["fix", "--all"]).code, Some(0));
    assert_eq!(
        text(&sandbox, "doc.json"),
        "{ \"strict\":true,\t\"level\" : 3,\r\n \"host\":\"https://xA\" }"
    );
    assert_eq!(
        text(&sandbox, "doc.yaml"),
        "# c\nstrict:   true # c\nlevel: '3'\nhost: https://x # c\nl: [{host: \"https://y\"}]\n"
    );
    assert_eq!(text(&sandbox, "doc.toml"), "strict=true # c\nlevel = 3\n[a]\nhost = 'https://x' # c\n");
    assert_eq!(all(&sandbox).violations(), [""; 0]);
}

#[test]
fn edit_is_fixed_in_flight() {
    let sandbox = sandbox()
        .file(".claude/phaser.yaml", "fixes: apply\n")
        .file("package.json", PACKAGE.replace('^', ""));
    let output = sandbox.hook("PreToolUse").guard().edit("package.json", "\"2.0.0\"", "\"^2.1.0\"").run();
    let response: Value = output.json()["hookSpecificOutput"].clone();
    assert_eq!(response["updatedInput"]["new_string"], "\"2.1.0\"", "{output}");
    assert!(
        output.context().contains("package.json:5 pinned: \"\\\"^2.1.0\\\"\" → \"\\\"2.1.0\\\"\""),
        "{output}"
    );
}

#[test]
fn unsafe_fix_is_refused() {
    let sandbox =
        with(&[("map", "type: forbid_value\npath: $.a\nfix: 'x'")]).file("doc.toml", "[a]\nb = 1\n");
    let output = sandbox.run(["fix", "--all"]);
    assert_eq!((output.code, text(&sandbox, "doc.toml").as_str()), (Some(1), "[a]\nb = 1\n"), "{output}");
}

#[test]
fn broken_contracts_are_reported_with_line() {
    for (rest, place, problem) in [
        (
            "type: forbid_value\npath: dependencies.*",
            3,
            "'path' is not a JSONPath: a path starts with '$' at character 1",
        ),
        ("type: forbid_value\npath: '$.a[01]'", 3, "'path' is not a JSONPath: not an integer at character 5"),
        ("type: require_value", 1, "'path' is missing (add 'path: …')"),
        (
            "type: forbid_value\npath: $.a\npattern: x\nequals: 1",
            5,
            "'equals' and 'pattern' exclude each other",
        ),
        (
            "type: forbid_value\npath: $.a\nequals: {a: 1}",
            4,
            "a list or a mapping, where a single value is expected",
        ),
        ("type: forbid_value\npath: $.a\nequals: []", 4, "'equals' is an empty list"),
        (
            "type: forbid_value\npath: $.[",
            3,
            "'path' is not a JSONPath: expected a name or '*' at character 3 (put other names in brackets and quotes: ['a b'])",
        ),
        ("type: forbid_pattern\npattern: x\npath: $.a", 4, "key 'path' has no effect for forbid_pattern"),
        ("type: require_value\npath: $.a\nfix: x", 4, "key 'fix' has no effect for require_value"),
        ("type: forbid_value\npath: $.a\nfix: $1", 4, "'fix' uses a group, but there is no 'pattern'"),
        ("type: forbid_value\npath: $.a\npattern: '('", 4, "'pattern' is not a regular expression"),
    ] {
        let output = with(&[("a", rest)]).file("doc.json", "{\"a\": 1}").run(["enforce", "--all"]);
        let expected = format!(".claude/contracts/a.yaml:{place}: {problem}");
        assert!(output.stderr.contains(&expected), "{rest}\n{output}");
    }
}

#[test]
fn lint_reports_doubtful_paths_and_globs() {
    let sandbox = with(&[
        ("root", "type: forbid_value\npath: $\nequals: x"),
        ("slice", "type: require_value\npath: '$.a[::0]'"),
        ("text", "type: forbid_value\npath: $.a\nfile_glob: '**/*.{txt,json}'"),
    ])
    .file("doc.json", "{}")
    .file("a.txt", "");
    let output = sandbox.run(["contracts", "lint"]);
    for id in ["root.yaml:1", "slice.yaml:1", "text.yaml:4"] {
        let (name, _) = id.split_once('.').expect("a name");
        assert!(output.stdout.contains(&format!(".claude/contracts/{id}: {name}: ")), "{id}\n{output}");
    }
}

#[test]
fn create_takes_path_and_values() {
    let sandbox = Sandbox::new().file("tsconfig.json", "{\"compilerOptions\": {\"strict\": false}}");
    let mut command = sandbox.command();
    command.args(["contracts", "create", "--rule-id", "strict", "--type", "require_value"]);
    command.args(["--path", "$.compilerOptions.strict", "--equals", "true", "--glob", "**/tsconfig.json"]);
    command.args(["--message", "Keep strict.", "--violating", "{}"]);
    command.args(["--passing", "{\"compilerOptions\": {\"strict\": true}}"]);
    let output = sandbox.run_with(&mut command, b"");
    assert_eq!(output.code, Some(0), "{output}");
    assert!(text(&sandbox, ".claude/contracts/strict.yaml").contains("\nequals: true\n"));
    assert_eq!(sandbox.run(["contracts", "lint"]).code, Some(0));
    assert_eq!(all(&sandbox).violations(), ["tsconfig.json:1:32 strict"]);
    let mut command = sandbox.command();
    command.args(["contracts", "create", "--rule-id", "x", "--type", "forbid_pattern", "--pattern", "x"]);
    command.args(["--message", "m", "--path", "$.a"]);
    assert_eq!(sandbox.run_with(&mut command, b"").code, Some(3));
}

#[test]
fn weaker_value_contract_is_reported() {
    let strict = "rule_id: strict\ntype: require_value\npath: $.strict\nequals: [true, 'yes']\n\
        file_glob: '**/*.json'\nmessage: m\nseverity: error\n";
    let sandbox = Sandbox::new().contract(strict);
    let edit = |old: &str, new: &str| {
        sandbox.hook("PreToolUse").guard().edit(".claude/contracts/strict.yaml", old, new).run()
    };
    for (old, new, what) in [
        ("$.strict", "$.other", "has another path"),
        ("[true, 'yes']", "[true, 'yes', false]", "has other values"),
        ("equals: [true, 'yes']\n", "", "has other values"),
    ] {
        let output = edit(old, new);
        assert!(output.reason().contains(what), "{old}\n{output}");
    }
    assert!(!edit("[true, 'yes']", "true").reason().contains("values"));
}

#[test]
fn spans_reach_other_reports() {
    let sandbox = sandbox().file("package.json", PACKAGE);
    let sarif = sandbox.run(["enforce", "--all", "--format", "sarif"]).json();
    let region = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(
        (&region["startLine"], &region["startColumn"], &region["endColumn"]),
        (&json!(5), &json!(10), &json!(18))
    );
    let html = sandbox.run(["enforce", "--all", "--format", "html"]);
    assert!(html.stdout.contains("pinned"), "{html}");
    let cached =
        |sandbox: &Sandbox| sandbox.run(["enforce", "--all", "--cache", "--format", "json"]).violations();
    assert_eq!(cached(&sandbox), cached(&sandbox));
}

#[test]
fn backtest_counts_commits() {
    let sandbox = sandbox().git_init().file("package.json", "{}").git_add(".").git_commit("first");
    let sandbox = sandbox.file("package.json", PACKAGE).git_add(".").git_commit("second");
    let output = sandbox.run(["contracts", "backtest", "pinned", "--format", "json"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.contains("package.json"), "{output}");
}

/// A document in which every leaf named `bad` is a violation, with its keys in this order.
fn document(order: &[usize]) -> String {
    let member = |key: &usize| match key % 4 {
        0 => format!("\"k{key}\": {{\"bad\": \"x\", \"good\": {key}}}"),
        1 => format!("\"k{key}\": [{{\"bad\": {key}}}, 1]"),
        2 => format!("\"k{key}\": {{\n  \"deep\": {{\"bad\": null}}}}"),
        _ => format!("\"k{key}\": true"),
    };
    format!("{{{}}}\n", order.iter().map(member).collect::<Vec<_>>().join(", "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reordered_keys_make_nothing_new(order in Just((0..8).collect::<Vec<usize>>()).prop_shuffle(), more in any::<bool>()) {
        let sandbox = with(&[("bad", "type: forbid_value\npath: $..bad")])
            .file(".claude/phaser.yaml", "existing: report\n")
            .file("doc.json", document(&(0..8).collect::<Vec<_>>()))
            .git_init()
            .git_add(".")
            .git_commit("first");
        let mut order = order;
        order.extend(more.then_some(9));
        let output = sandbox.hook("PreToolUse").guard().write("doc.json", &document(&order)).run();
        prop_assert_eq!(output.decision(), if more { "deny" } else { "allow" }, "{}", output);
    }
}
