//! Every contract type about values, code and imports, with everything that a contract can do.

use std::fs;

use serde_json::{Value, json};

use crate::harness::Sandbox;
use crate::history::{MONDAY, import};

/// A contract with a file that violates it.
struct Case {
    kind: &'static str,
    /// The keys of the type, and examples.
    keys: &'static str,
    path: &'static str,
    passing: &'static str,
    /// Ends in a comment, so that a directive can follow it, unless it has no comments.
    violating: &'static str,
    /// The place of the violation: line, column and end column; `None` for a violation of the whole file. The end is 0 if it is the end of a line.
    place: Option<(u64, u64, u64)>,
    /// A directive that suppresses it, in the language of the file; empty if there is none.
    directive: &'static str,
    /// The file after `phaser fix`.
    fixed: Option<&'static str>,
    /// A change elsewhere in the violating file: what is replaced, and by what.
    elsewhere: (&'static str, &'static str),
    /// What `explain` prints about the type.
    explained: &'static str,
    /// Keys that `lint` warns about, instead of `keys`.
    idle: Option<&'static str>,
}

const CASES: [Case; 7] = [
    Case {
        kind: "forbid_value",
        keys: "path: $.version\npattern: '^\\^'\nfix: '1'\nfile_glob: 'src/*.yaml'\nexamples:\n  violating: ['version: ^1']\n  \
               passing: ['version: 1']\n",
        path: "src/a.yaml",
        passing: "name: a\nversion: 1.0\n",
        violating: "name: a\nversion: ^1.2\n",
        place: Some((2, 10, 14)),
        directive: "name: a\nversion: ^1.2  # phaser:ignore contract -- why\n",
        fixed: Some("name: a\nversion: '1'\n"),
        elsewhere: ("name: a", "name: b"),
        explained: "  path: $.version",
        idle: Some("path: '$[3:1]'\npattern: x\nfile_glob: 'src/*.yaml'\n"),
    },
    Case {
        kind: "require_value",
        keys: "path: $.strict\nequals: true\nfile_glob: 'src/*.toml'\nexamples:\n  violating: ['strict = false']\n  passing: ['strict = true']\n",
        path: "src/a.toml",
        passing: "name = 'a'\nstrict = true\n",
        violating: "name = 'a'\nstrict = false\n",
        place: Some((2, 10, 15)),
        directive: "name = 'a'\nstrict = false  # phaser:ignore contract -- why\n",
        fixed: None,
        elsewhere: ("'a'", "'b'"),
        explained: "  equals: true",
        idle: Some("path: $\nequals: true\nfile_glob: 'src/*.toml'\n"),
    },
    Case {
        kind: "file_parses",
        keys: "file_glob: 'src/*.json'\nexamples:\n  violating: ['{']\n  passing: ['{}']\n",
        path: "src/a.json",
        passing: "{\"a\": 1}\n",
        violating: "{\"a\": 1,\n \"b\" 2}\n",
        place: Some((2, 6, 7)),
        directive: "",
        fixed: None,
        elsewhere: ("\"a\": 1", "\"a\": 3"),
        explained: "must parse",
        idle: Some("file_glob: 'src/*.txt'\n"),
    },
    Case {
        kind: "same_line_endings",
        keys: "fix: \"\\n\"\nfile_glob: 'src/*.c'\nexamples:\n  violating: [\"a\\r\\nb\\n\"]\n  passing: [\"a\\r\\nb\\r\\n\"]\n",
        path: "src/a.c",
        passing: "a;\r\nb;\r\nc;\r\n",
        violating: "a;\nb;\r\nc;\n",
        place: Some((2, 3, 0)),
        directive: "a;\nb; // phaser:ignore contract -- why\r\nc;\n",
        fixed: Some("a;\nb;\nc;\n"),
        elsewhere: ("a;", "d;"),
        explained: "violates it:\n  - a\\r\n    b\n",
        idle: None,
    },
    Case {
        kind: "forbid_code",
        keys: "code: 'eval($X)'\nfix: 'parse($X)'\nfile_glob: 'src/*.py'\nexamples:\n  violating: ['eval(x)']\n  passing: ['\"eval(x)\"']\n",
        path: "src/a.py",
        passing: "x = 1\ns = 'eval(y)'\n",
        violating: "x = 1\ny = eval(x)\n",
        place: Some((2, 5, 12)),
        directive: "x = 1\ny = eval(x)  # phaser:ignore contract -- why\n",
        fixed: Some("x = 1\ny = parse(x)\n"),
        elsewhere: ("x = 1", "x = 2"),
        explained: "  code: eval($X)",
        idle: Some("code: 'eval($X)'\nfile_glob: 'src/*.txt'\n"),
    },
    Case {
        kind: "require_code",
        keys: "code: 'main()'\nfile_glob: 'src/*.py'\nexamples:\n  violating: ['# main()']\n  passing: ['main()']\n",
        path: "src/a.py",
        passing: "x = 1\nmain()\n",
        violating: "x = 1\n# main()\n",
        place: None,
        directive: "# phaser:ignore-file contract -- why\nx = 1\n# main()\n",
        fixed: None,
        elsewhere: ("x = 1", "x = 2"),
        explained: "  code: main()",
        idle: Some("code: 'main()'\nfile_glob: 'src/*.txt'\n"),
    },
    Case {
        kind: "forbid_import",
        keys: "import: 'infra/**'\nfile_glob: 'src/*.py'\nexamples:\n  violating: [import infra.db]\n  passing: ['# import infra.db']\n",
        path: "src/a.py",
        passing: "x = 1\n# import infra.db\n",
        violating: "x = 1\nimport infra.db\n",
        place: Some((2, 8, 16)),
        directive: "x = 1\nimport infra.db  # phaser:ignore contract -- why\n",
        fixed: None,
        elsewhere: ("x = 1", "x = 2"),
        explained: "  import: infra/**",
        idle: Some("import: '/infra/**'\nfile_glob: 'src/*.py'\n"),
    },
];

impl Case {
    fn contract(&self, keys: &str) -> String {
        format!("rule_id: contract\ntype: {}\nmessage: Mind it.\nseverity: error\n{keys}", self.kind)
    }

    fn sandbox(&self) -> Sandbox {
        Sandbox::new()
            .contract(&self.contract(self.keys))
            .file("infra/__init__.py", "")
            .file("infra/db.py", "y\n")
    }

    /// The violation in a report with places.
    fn found(&self) -> Vec<String> {
        vec![match self.place {
            Some((line, column, _)) => format!("{}:{line}:{column} contract", self.path),
            None => format!("{} contract", self.path),
        }]
    }
}

fn violations(sandbox: &Sandbox, mode: &str) -> Vec<String> {
    sandbox.run(["enforce", mode, "--format", "json"]).violations()
}

#[test]
fn every_mode_finds_the_same() {
    for case in &CASES {
        let found = case.found();
        let sandbox =
            case.sandbox().file(case.path, case.passing).git_init().git_add(".").git_commit("first");
        assert_eq!(violations(&sandbox, "--all"), [""; 0], "{}", case.kind);
        let denied = sandbox.pre_write(case.path, case.violating);
        assert_eq!(denied.decision(), "deny", "{}: {denied}", case.kind);
        sandbox.pre_write(case.path, case.passing).assert_allowed();
        let sandbox = sandbox.file(case.path, case.violating);
        assert_eq!(violations(&sandbox, "--all"), found, "{}", case.kind);
        assert_eq!(violations(&sandbox, case.path), found, "{}", case.kind);
        let sandbox = sandbox.git_add(".");
        assert_eq!(violations(&sandbox, "--staged"), found, "{}", case.kind);
        let sandbox = sandbox.git_commit("second");
        let diff = sandbox.run(["enforce", "--diff", "HEAD~1..HEAD", "--format", "json"]);
        assert_eq!(diff.violations(), found, "{}", case.kind);
    }
}

#[test]
fn reports_have_its_span() {
    for case in &CASES {
        let sandbox = case.sandbox().file(case.path, case.violating);
        let sarif = sandbox.run(["enforce", "--all", "--format", "sarif"]).json();
        let result = &sarif["runs"][0]["results"][0];
        let region = &result["locations"][0]["physicalLocation"]["region"];
        if let Some((line, column, end)) = case.place {
            let span = ["startLine", "startColumn", "endColumn"].map(|key| region[key].as_u64());
            let end = (end > 0).then_some(end);
            assert_eq!(span, [Some(line), Some(column), end], "{}: {region}", case.kind);
        }
        let html = sandbox.run(["enforce", "--all", "--format", "html"]).stdout;
        assert!(html.contains(case.path) && html.contains("Mind it."), "{}", case.kind);
    }
}

#[test]
fn directives_baseline_and_existing_apply() {
    for case in &CASES {
        if !case.directive.is_empty() {
            let sandbox = case.sandbox().file(case.path, case.directive);
            let output = sandbox.run(["enforce", "--all"]);
            assert_eq!(output.code, Some(0), "{}: {output}", case.kind);
        }
        let sandbox =
            case.sandbox().file(case.path, case.violating).git_init().git_add(".").git_commit("first");
        assert_eq!(sandbox.run(["baseline"]).code, Some(0));
        assert_eq!(sandbox.run(["enforce", "--all"]).code, Some(0), "{}: baselined", case.kind);
        fs::remove_file(sandbox.path(".claude/phaser-baseline.jsonl")).expect("removed");
        let sandbox =
            sandbox.file(".claude/phaser.yaml", "existing: report\n").git_add(".").git_commit("second");
        let (old, new) = case.elsewhere;
        let edit = sandbox.hook("PreToolUse").guard().edit(case.path, old, new).run();
        assert_ne!(edit.decision(), "deny", "{}: existing {edit}", case.kind);
        let moved = format!(
            "{}{}",
            "\n".repeat(usize::from(case.kind != "file_parses")),
            case.violating.replace(old, new)
        );
        let sandbox = sandbox.file(case.path, moved).git_add(".");
        assert_eq!(sandbox.run(["enforce", "--staged"]).code, Some(0), "{}: existing by content", case.kind);
    }
}

#[test]
fn fixes_apply_on_disk_and_in_flight() {
    for case in CASES.iter().filter(|case| case.fixed.is_some()) {
        let sandbox = case.sandbox().file(".claude/phaser.yaml", "fixes: apply\n").git_init();
        let output = sandbox.hook("PreToolUse").guard().write(case.path, case.violating).run();
        let updated = &output.json()["hookSpecificOutput"]["updatedInput"]["content"];
        assert_eq!(updated.as_str(), case.fixed, "{}: {output}", case.kind);
        let sandbox = sandbox.file(case.path, case.violating);
        assert_eq!(sandbox.run(["fix", "--all"]).code, Some(0), "{}", case.kind);
        let fixed = fs::read_to_string(sandbox.path(case.path)).expect("readable");
        assert_eq!(Some(fixed.as_str()), case.fixed, "{}", case.kind);
    }
}

#[test]
fn commands_about_contracts_know_it() {
    let schema = Sandbox::new().run(["contracts", "schema"]).json();
    let types = schema["properties"]["type"]["oneOf"].to_string();
    for case in &CASES {
        let sandbox = case.sandbox().file(case.path, case.passing);
        let test = sandbox.run(["contracts", "test"]);
        assert_eq!(test.code, Some(0), "{}: {test}", case.kind);
        let lint = sandbox.run(["contracts", "lint"]);
        assert_eq!(lint.code, Some(0), "{}: {lint}", case.kind);
        let explained = sandbox.run(["explain", "contract"]).stdout;
        assert!(explained.contains(case.explained), "{}: {explained}", case.kind);
        let shown = sandbox.run(["contracts", "show", "contract", "--format", "json"]).json();
        assert_eq!(shown["contract"]["type"], json!(case.kind));
        let briefing = sandbox.hook("SessionStart").guard().with(json!({ "source": "startup" })).run();
        assert!(briefing.stdout.contains("Mind it."), "{}: {briefing}", case.kind);
        assert!(types.contains(case.kind), "{types}");
        if let Some(idle) = case.idle {
            let sandbox = Sandbox::new()
                .contract(&case.contract(idle))
                .file("src/a.yaml", "a: 1\n")
                .file("src/a.txt", "a\n");
            let sandbox =
                sandbox.file("src/a.toml", "a = 1\n").file("src/a.py", "a\n").file("infra/db.py", "y\n");
            let lint = sandbox.run(["contracts", "lint"]);
            assert_eq!(lint.code, Some(1), "{}: {lint}", case.kind);
        }
    }
}

#[test]
fn creates_contract_from_flags() {
    for (kind, flags) in [
        ("forbid_value", &["--path", "$.version", "--pattern", "^x"][..]),
        ("require_value", &["--path", "$.strict", "--equals", "true"]),
        ("file_parses", &[]),
        ("same_line_endings", &[]),
        ("forbid_code", &["--code", "eval($X)"]),
        ("require_code", &["--code", "main()"]),
        ("forbid_import", &["--import", "infra/**", "--import", "requests"]),
    ] {
        let sandbox = Sandbox::new();
        let glob = if kind.ends_with("value") || kind == "file_parses" { "src/*.json" } else { "src/*.py" };
        let mut command = sandbox.command();
        command.args([
            "contracts",
            "create",
            "--rule-id",
            "contract",
            "--type",
            kind,
            "--message",
            "m",
            "--glob",
            glob,
        ]);
        let output = sandbox.run_with(command.args(flags), b"");
        assert_eq!(output.code, Some(0), "{kind}: {output}");
        let shown: Value = sandbox.run(["contracts", "show", "contract", "--format", "json"]).json();
        assert_eq!(shown["contract"]["type"], json!(kind), "{shown}");
        let mut command = sandbox.command();
        command.args([
            "contracts",
            "create",
            "--rule-id",
            "other",
            "--type",
            "file_exists",
            "--message",
            "m",
            "--glob",
            glob,
        ]);
        if let Some(flag) = flags.first() {
            let output = sandbox.run_with(command.args([flag, "x"]), b"");
            assert_eq!(output.code, Some(3), "{flag} means nothing there: {output}");
        }
    }
}

#[test]
fn past_commits_have_it() {
    for case in &CASES {
        let sandbox = Sandbox::new().git_init();
        import(
            &sandbox,
            &[
                (
                    MONDAY,
                    &[
                        ("infra/__init__.py", Some("")),
                        ("infra/db.py", Some("y\n")),
                        (case.path, Some(case.passing)),
                    ],
                ),
                (MONDAY + 86_400, &[(case.path, Some(case.violating))]),
                (MONDAY + 2 * 86_400, &[(case.path, Some(case.passing))]),
            ],
        );
        sandbox.git(&["checkout", "--quiet", "--force", "main"]);
        let contract = case.contract(case.keys);
        let sandbox = sandbox.contract(&contract).file("try.yaml", &contract);
        let history = sandbox.run(["history", "--every", "1", "--format", "json"]).json();
        let errors: Vec<_> = history["commits"]
            .as_array()
            .expect("commits")
            .iter()
            .map(|commit| commit["errors"].clone())
            .collect();
        assert_eq!(errors, [json!(0), json!(1), json!(0)], "{}", case.kind);
        let backtest = sandbox.run(["contracts", "backtest", "try.yaml"]).stdout;
        assert!(
            backtest.contains("of 3 commits") && backtest.contains("1 would have been refused"),
            "{}: {backtest}",
            case.kind
        );
    }
}
