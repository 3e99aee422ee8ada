//! Contracts about imports: `forbid_import` in every mode.

use std::fs;

use serde_json::json;

use crate::harness::{Sandbox, forbid};
use crate::history::{MONDAY, import};

const LAYERS: &str = "rule_id: layers\ntype: forbid_import\nimport: 'src/infra/**'\nfile_glob: 'src/domain/**'\n\
    message: 'The domain knows no infrastructure.'\nseverity: error\n\
    examples:\n  violating: [{path: src/domain/a.py, text: 'from ..infra import db'}]\n  \
    passing: [{path: src/domain/a.py, text: 'from . import order'}, 'import json']\n";

fn layered() -> Sandbox {
    Sandbox::new()
        .contract(LAYERS)
        .file("src/infra/__init__.py", "")
        .file("src/infra/db.py", "def connect(): ...\n")
        .file("src/infra/client.ts", "export const client = 1;\n")
        .file("tsconfig.json", "{\"compilerOptions\": {\"paths\": {\"@infra/*\": [\"./src/infra/*\"]}}}\n")
}

fn all(sandbox: &Sandbox) -> Vec<String> {
    sandbox.run(["enforce", "--all", "--format", "json"]).violations()
}

#[test]
fn finds_imports_across_layers() {
    let sandbox = layered()
        .file(
            "src/domain/order.py",
            "import json\nfrom infra.db import connect\nfrom infra import db as store\n# import infra\n",
        )
        .file(
            "src/domain/page.ts",
            "import { client } from '@infra/client';\nimport x from '../infra/gone';\nimport 'infra';\n",
        )
        .file("src/web/page.py", "import infra.db\n");
    assert_eq!(
        all(&sandbox),
        [
            "src/domain/order.py:2:6 layers",
            "src/domain/order.py:3:6 layers",
            "src/domain/page.ts:1:25 layers",
            "src/domain/page.ts:2:16 layers",
        ]
    );
    assert_eq!(sandbox.run(["contracts", "test"]).code, Some(0));
    assert_eq!(sandbox.run(["contracts", "lint"]).code, Some(0));
    let sarif = sandbox.run(["enforce", "--all", "--format", "sarif"]).json();
    let region = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    let span = (&region["startLine"], &region["startColumn"], &region["endLine"], &region["endColumn"]);
    assert_eq!(span, (&json!(2), &json!(6), &json!(2), &json!(14)), "the module");
}

#[test]
fn every_mode_resolves_the_same() {
    let text = "import json\nfrom infra.db import connect\n";
    let expected = ["src/domain/order.py:2:6 layers"];
    let sandbox = layered().git_init().git_add(".").git_commit("first");
    sandbox.pre_write("src/domain/order.py", text).assert_denied(&["layers at line 2"]);
    sandbox.pre_write("src/domain/order.py", "import json\n").assert_allowed();
    let sandbox = sandbox.file("src/domain/order.py", text);
    assert_eq!(all(&sandbox), expected);
    assert_eq!(sandbox.run(["enforce", "src/domain/order.py", "--format", "json"]).violations(), expected);
    let sandbox = sandbox.git_add(".");
    // The index counts, and not the disk.
    fs::remove_dir_all(sandbox.path("src/infra")).expect("removed");
    assert_eq!(sandbox.run(["enforce", "--staged", "--format", "json"]).violations(), expected);
    assert_eq!(all(&sandbox), [""; 0], "no such module on disk");
    let sandbox = sandbox.git_commit("second");
    let diff = sandbox.run(["enforce", "--diff", "HEAD~1..HEAD", "--format", "json"]);
    assert_eq!(diff.violations(), expected, "the commit counts, and not the disk");
}

#[test]
fn edit_of_several_files_resolves_in_itself() {
    let sandbox = Sandbox::new().contract(LAYERS).git_init();
    let patch = "*** Begin Patch\n*** Add File: src/infra/db.py\n+x = 1\n*** Add File: src/domain/a.py\n+import infra.db\n*** End Patch\n";
    let event = json!({ "hook_event_name": "PreToolUse", "tool_name": "apply_patch", "tool_input": { "command": patch },
        "cwd": sandbox.root() });
    let output = sandbox.run_stdin(["enforce", "--stdin", "--agent", "codex"], event.to_string());
    assert!(output.stdout.contains("layers"), "{output}");
}

#[test]
fn compares_other_modules_by_name() {
    let contract = "rule_id: no-requests\ntype: forbid_import\nimport: [requests, 'requests.*', 'lodash/**', 'System.Web', \
        'App/Legacy/**', 'unsafe']\nfile_glob: '**/*'\nmessage: m\nseverity: error\n";
    let sandbox = Sandbox::new()
        .contract(contract)
        .file("a.py", "import requests\nfrom requests.adapters import A\nimport requests_mock\nfrom . import requests\n")
        .file("b.js", "require('lodash');\nimport 'lodash/fp';\nimport 'lodash-es';\n")
        .file("c.cs", "using System.Web;\nusing System.Text;\n")
        .file("d.php", "<?php\nuse App\\Legacy\\Thing;\nuse App\\Modern;\n")
        .file("e.go", "package e\nimport \"unsafe\"\n")
        .file("f.txt", "import requests\n");
    assert_eq!(
        all(&sandbox),
        [
            "a.py:1:8 no-requests",
            "a.py:2:6 no-requests",
            "b.js:1:10 no-requests",
            "b.js:2:9 no-requests",
            "c.cs:1:7 no-requests",
            "d.php:2:5 no-requests",
            "e.go:2:9 no-requests",
        ]
    );
}

#[test]
fn nested_contract_starts_at_its_directory() {
    let sandbox = layered();
    let nested = LAYERS
        .replace("src/infra/**", "infra/**")
        .replace("src/domain/**", "domain/**")
        .replace("layers", "inner");
    let sandbox = sandbox
        .file("src/.claude/contracts/inner.yaml", nested)
        .file("src/domain/a.ts", "import '../infra/client';\n");
    assert_eq!(all(&sandbox), ["src/domain/a.ts:1:9 inner", "src/domain/a.ts:1:9 layers"]);
}

#[test]
fn cached_results_follow_other_files() {
    let sandbox = layered().git_init().file("src/domain/order.py", "import infra.db\n");
    let cached = || sandbox.run(["enforce", "--all", "--cache", "--format", "json"]).violations();
    let found = ["src/domain/order.py:1:8 layers"];
    assert_eq!((cached(), cached()), (vec![found[0].to_owned()], vec![found[0].to_owned()]));
    fs::remove_dir_all(sandbox.path("src/infra")).expect("removed");
    assert_eq!(cached(), [""; 0]);
    fs::create_dir(sandbox.path("src/infra")).expect("created");
    fs::write(sandbox.path("src/infra/db.py"), "").expect("written");
    assert_eq!(cached(), found);
}

#[test]
fn history_and_backtest_resolve_in_each_commit() {
    let sandbox = Sandbox::new().git_init();
    import(
        &sandbox,
        &[
            (MONDAY, &[("src/domain/a.py", Some("import infra.db\n"))]),
            (MONDAY + 86_400, &[("src/infra/db.py", Some("x = 1\n"))]),
            (MONDAY + 2 * 86_400, &[("src/domain/a.py", Some("import infra.db\nx = 1\n"))]),
            (MONDAY + 3 * 86_400, &[("src/domain/b.py", Some("from infra import db\n"))]),
            (MONDAY + 4 * 86_400, &[("src/infra/db.py", None), ("src/other/c.py", Some("x\n"))]),
        ],
    );
    sandbox.git(&["checkout", "--quiet", "--force", "main"]);
    let sandbox = sandbox.contract(LAYERS).file("try.yaml", LAYERS);
    let history = sandbox.run(["history", "--every", "1", "--format", "json"]).json();
    let errors: Vec<_> = history["commits"]
        .as_array()
        .expect("commits")
        .iter()
        .map(|commit| commit["errors"].clone())
        .collect();
    assert_eq!(errors, [json!(0), json!(1), json!(1), json!(2), json!(0)]);
    let backtest = sandbox.run(["contracts", "backtest", "try.yaml", "--format", "json"]).json();
    let caught = backtest["refused"].as_array().or(backtest["commits"].as_array()).map(Vec::len);
    assert!(backtest.to_string().contains("src/domain/b.py"), "{backtest} {caught:?}");
    assert!(
        !backtest.to_string().contains("src/domain/a.py"),
        "the import is older than the module: {backtest}"
    );
}

#[test]
fn lint_reports_idle_globs() {
    let contract = |id: &str, import: &str, glob: &str| {
        format!(
            "rule_id: {id}\ntype: forbid_import\nimport: '{import}'\nfile_glob: '{glob}'\nmessage: m\nseverity: error\n\
                 examples:\n  violating: ['import x']\n  passing: ['x']\n"
        )
    };
    let sandbox = layered()
        .file("src/domain/a.py", "")
        .file("a.css", "")
        .contract(&contract("rooted", "/src/infra/**", "src/**/*.py"))
        .contract(&contract("gone", "src/infrastructure/**", "src/**/*.py"))
        .contract(&contract("styles", "src/infra/**", "**/*.css"))
        .contract(&contract("named", "lodash/**", "src/**/*.py"));
    let lint = sandbox.run(["contracts", "lint", "--format", "json"]).json();
    let about: Vec<String> = lint["warnings"]
        .as_array()
        .expect("warnings")
        .iter()
        .map(|one| one["message"].as_str().expect("a text").split(':').next().expect("an id").to_owned())
        .collect();
    assert_eq!(about, ["gone", "rooted", "styles"]);
}

#[test]
fn rejects_invalid_values() {
    for (import, expected) in [
        ("import: []", "'import' is an empty list"),
        ("import: ''", "'import' is not valid: the glob is empty (for instance 'src/infra/**')"),
        ("import: 'a{b'", "'import' is not valid: a '{' is not closed (for instance 'src/infra/**')"),
        ("", "'import' is missing"),
    ] {
        let sandbox = Sandbox::new().contract(&LAYERS.replace("import: 'src/infra/**'", import));
        let output = sandbox.run(["enforce", "--all"]);
        assert!(output.stderr.contains("c.yaml") || output.stderr.contains("layers.yaml"), "{output}");
        assert!(
            output.stderr.contains(expected.split(" needs").next().expect("a text")),
            "{import}: {output}"
        );
    }
}

#[test]
fn unparsable_file_is_a_gap() {
    let sandbox = layered().contract(&forbid("no-x", "never", "**"));
    let deep = format!("import infra.db\nx = {}\n", "(".repeat(100_000));
    let sandbox = sandbox.file("src/domain/deep.py", &deep);
    let output = sandbox.run(["enforce", "--all"]);
    assert_eq!((output.code, output.unchecked().len()), (Some(3), 1), "{output}");
    let hook = sandbox.pre_write("src/domain/new.py", &deep);
    assert!(hook.stdout.contains("layers is not checked"), "{hook}");
}

#[test]
fn hook_survives_hostile_source() {
    let code = "rule_id: no-eval\ntype: forbid_code\ncode: 'eval($X)'\nfile_glob: '**'\nmessage: m\nseverity: error\n";
    let imports = "rule_id: no-import\ntype: forbid_import\nimport: infra\nfile_glob: '**'\nmessage: m\nseverity: error\n";
    let sandbox = Sandbox::new().contract(code).contract(imports);
    // Words that the prefilters ask for, so that every text is parsed.
    let start = "eval import use using require include ";
    let extensions =
        ["py", "js", "ts", "tsx", "rs", "go", "java", "c", "cpp", "cs", "rb", "php", "sh", "html", "css"];
    for extension in extensions {
        let path = format!("a.{extension}");
        for (what, many) in [
            ("(", 5_000_000),
            ("{[(", 2_000),
            ("<a ${\"'`", 40_000),
            ("a+", 60_000),
            ("\u{1}\u{7f}é", 20_000),
        ] {
            let output = sandbox.pre_write(&path, &format!("{start}{}", what.repeat(many)));
            assert_eq!(output.code, Some(0), "{path} {what}: {output}");
            assert_ne!(output.decision(), "deny", "{path} {what}");
            // The pattern does not fit CSS, so no contract judges such a file.
            let is_deep = (many == 5_000_000 || what == "{[(") && extension != "css";
            assert!(!is_deep || output.stdout.contains("not checked"), "{path} {what}: no gap {output}");
        }
    }
}
