//! Contracts about code: `forbid_code` and `require_code` in every mode.

use std::fs;

use serde_json::json;

use crate::harness::{Sandbox, forbid};

const NO_EVAL: &str = "rule_id: no-eval\ntype: forbid_code\ncode: 'eval($X)'\nfile_glob: '**/*.{py,js,rb}'\n\
    message: 'Parse the value.'\nseverity: error\n\
    examples:\n  violating: ['eval(x)']\n  passing: ['# eval(x)', '\"eval(x)\"', 'medieval(x)']\n";

const ASSERT: &str = "rule_id: assert-order\ntype: forbid_code\ncode: 'assertEquals($EXPECTED, $ACTUAL)'\n\
    fix: 'assertThat($ACTUAL).isEqualTo($EXPECTED)'\nfile_glob: '**/*.java'\nmessage: 'Use AssertJ.'\nseverity: error\n";

const PRINT: &str = "rule_id: no-print\ntype: forbid_code\ncode: 'print($$$ARGS)'\nfix: 'log.info($$$ARGS)'\n\
    file_glob: '**/*.py'\nmessage: 'Use the logger.'\nseverity: error\n";

fn check(sandbox: &Sandbox) -> Vec<String> {
    sandbox.run(["enforce", "--all", "--format", "json"]).violations()
}

#[test]
fn finds_code_but_no_strings_or_comments() {
    let sandbox = Sandbox::new()
        .contract(NO_EVAL)
        .file("a.py", "x = eval(y)  # eval(z)\ns = 'eval(s)'\n")
        .file("b.js", "f(eval(eval(1)));\n// eval(2)\n`eval(3)`;\n")
        .file("c.rb", "eval(x)\n")
        .file("d.go", "package d\nfunc f() { eval(x) }\n");
    assert_eq!(
        check(&sandbox),
        ["a.py:1:5 no-eval", "b.js:1:3 no-eval", "b.js:1:8 no-eval", "c.rb:1:1 no-eval"],
        "nested matches count, other files do not"
    );
    assert_eq!(sandbox.run(["contracts", "test"]).code, Some(0));
    assert_eq!(sandbox.run(["contracts", "lint"]).code, Some(0));
    sandbox.pre_write("new.py", "y = eval(x)\n").assert_denied(&["no-eval at line 1"]);
    sandbox.pre_write("new.py", "# eval(x)\n").assert_allowed();
    sandbox.pre_write("new.js", "s = \"eval(x)\";\n").assert_allowed();
    let edit = sandbox.hook("PreToolUse").guard().edit("c.rb", "x", "y + 1").run();
    edit.assert_denied(&["no-eval at c.rb:1"]);
}

#[test]
fn reports_span_of_node() {
    let sandbox = Sandbox::new().contract(NO_EVAL).file("a.py", "x = [\n    eval(\n        y),\n]\n");
    let output = sandbox.run(["enforce", "--all", "--format", "sarif"]).json();
    let region = &output["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(
        (&region["startLine"], &region["startColumn"], &region["endLine"], &region["endColumn"]),
        (&json!(2), &json!(5), &json!(3), &json!(11))
    );
}

#[test]
fn requires_code_of_known_languages() {
    let main = "rule_id: needs-main\ntype: require_code\ncode: 'main()'\nfile_glob: 'src/**'\nmessage: 'Call main.'\n\
        severity: error\n";
    let sandbox = Sandbox::new()
        .contract(main)
        .file("src/good.py", "main()\n")
        .file("src/bad.py", "# main()\n")
        .file("src/other.py", "x\n")
        .file("src/note.txt", "x\n")
        .file("src/data.json", "{\"a\": 1}\n");
    assert_eq!(check(&sandbox), ["src/bad.py needs-main", "src/other.py needs-main"]);
}

#[test]
fn takes_rule_objects_and_languages() {
    let rule = "rule_id: no-raw-sql\ntype: forbid_code\nlanguage: python\ncode:\n  any:\n    - pattern: $DB.execute($SQL)\n    \
        - pattern: $DB.execute($SQL, $$$)\n  not: {inside: {kind: class_definition, stopBy: end}}\n  constraints:\n    \
        SQL: {kind: string}\nfile_glob: '**/*.{py,txt}'\nexclude_glob: 'repository/**'\nmessage: 'Use the repository.'\n\
        severity: error\n";
    let text =
        "db.execute('select 1')\ndb.execute(query)\nclass A:\n    def f(self):\n        db.execute('x', 1)\n";
    let sandbox =
        Sandbox::new().contract(rule).file("a.py", text).file("a.txt", text).file("repository/a.py", text);
    assert_eq!(check(&sandbox), ["a.py:1:1 no-raw-sql", "a.txt:1:1 no-raw-sql"]);
    let shown = sandbox.run(["contracts", "show", "no-raw-sql", "--format", "json"]).json();
    assert_eq!(shown["contract"]["code"]["constraints"]["SQL"]["kind"], "string");
    assert_eq!(shown["contract"]["language"], "python");
}

#[test]
fn searches_scripts_in_html() {
    let script = NO_EVAL.replace("'**/*.{py,js,rb}'", "'**/*.html'\nlanguage: javascript");
    let sandbox =
        Sandbox::new().contract(&script).file("a.html", "<p>eval(x)</p>\n<script>\n  eval(y);\n</script>\n");
    assert_eq!(check(&sandbox), ["a.html:3:3 no-eval"]);
}

#[test]
fn searches_cells_of_notebooks() {
    let require = "rule_id: needs-seed\ntype: require_code\ncode: 'seed($X)'\nfile_glob: '**/*.ipynb'\nmessage: m\n\
        severity: warning\n";
    let cell =
        |source: &str| json!({ "cell_type": "code", "metadata": {}, "outputs": [], "source": [source] });
    let notebook = |cells: &[&str]| {
        let cells: Vec<_> = cells.iter().map(|source| cell(source)).collect();
        json!({ "cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5 }).to_string()
    };
    let sandbox = Sandbox::new()
        .contract(&NO_EVAL.replace("{py,js,rb}", "ipynb"))
        .contract(require)
        .file("a.ipynb", notebook(&["x = eval(y)", "seed(1)"]))
        .file("b.ipynb", notebook(&["x = 'eval(y)'", "y = 1"]));
    assert_eq!(check(&sandbox), ["a.ipynb:1:73 no-eval", "b.ipynb needs-seed"]);
}

#[test]
fn directives_and_baseline_apply() {
    let sandbox = Sandbox::new()
        .contract(NO_EVAL)
        .file("a.py", "eval(a)  # phaser:ignore no-eval -- trusted\neval(b)\n")
        .git_init()
        .git_add(".")
        .git_commit("first");
    assert_eq!(check(&sandbox), ["a.py:2:1 no-eval"]);
    assert_eq!(sandbox.run(["baseline"]).code, Some(0));
    assert_eq!(sandbox.run(["enforce", "--all"]).code, Some(0));
    let sandbox = sandbox.file("a.py", "\neval(b)\neval(c)\n").git_add(".");
    let staged = sandbox.run(["enforce", "--staged", "--format", "json"]).violations();
    assert_eq!(staged, ["a.py:3:1 no-eval"]);
}

#[test]
fn existing_code_stays_existing() {
    let sandbox = Sandbox::new()
        .contract(NO_EVAL)
        .file(".claude/phaser.yaml", "existing: report\n")
        .file("a.py", "eval(old)\nx = 1\n")
        .git_init()
        .git_add(".")
        .git_commit("first");
    sandbox.hook("PreToolUse").guard().edit("a.py", "x = 1", "x = 2").run().assert_allowed();
    let added = sandbox.hook("PreToolUse").guard().edit("a.py", "x = 1", "eval(new)").run();
    added.assert_denied(&["no-eval at a.py:2"]);
    let sandbox = sandbox.file("a.py", "x = 1\neval(old)\neval(new)\n").git_add(".");
    let staged = sandbox.run(["enforce", "--staged", "--format", "json"]).violations();
    assert_eq!(staged, ["a.py:3:1 no-eval"]);
}

#[test]
fn fixes_with_metavariables() {
    let sandbox = Sandbox::new()
        .contract(ASSERT)
        .contract(PRINT)
        .file("A.java", "class A {\n  void f() {\n    assertEquals(1, g(2, 3));\n  }\n}\n")
        .file("a.py", "print(a, b=print(c))\r\nprint()\r\n");
    assert_eq!(sandbox.run(["fix", "--all"]).code, Some(0));
    let read = |path| fs::read_to_string(sandbox.path(path)).expect("readable");
    assert_eq!(read("A.java"), "class A {\n  void f() {\n    assertThat(g(2, 3)).isEqualTo(1);\n  }\n}\n");
    assert_eq!(read("a.py"), "log.info(a, b=log.info(c))\r\nlog.info()\r\n");
}

#[test]
fn fixes_edit_in_flight() {
    let sandbox = Sandbox::new()
        .contract(PRINT)
        .file(".claude/phaser.yaml", "fixes: apply\n")
        .file("a.py", "x = 1\ny = 2\n");
    let output = sandbox.hook("PreToolUse").guard().edit("a.py", "y = 2", "print('a', x)").run();
    let answer = output.json();
    assert_eq!(answer["hookSpecificOutput"]["updatedInput"]["new_string"], "log.info('a', x)", "{output}");
    let quoted = output.context();
    assert!(quoted.contains("print('a', x)") && quoted.contains("log.info('a', x)"), "{output}");
}

#[test]
fn reports_invalid_code() {
    let run = |contract: String| {
        let sandbox = Sandbox::new().contract(&contract).file("a.py", "eval(x)\n").file("b.js", "eval(x)\n");
        sandbox.run(["enforce", "--all"])
    };
    let output = run(NO_EVAL.replace("code: 'eval($X)'", "code: {patern: 'eval($X)'}"));
    assert!(
        output.stderr.contains("no-eval.yaml:3: 'code' is not valid: unknown field `patern`"),
        "{output}"
    );
    let output = run(NO_EVAL.replace("code: 'eval($X)'", "code: {kind: function_call}"));
    assert!(output.stderr.contains("no-eval.yaml:3: 'code' is not valid in python"), "{output}");
    let output = run(NO_EVAL.replace("code: 'eval($X)'", "code: 'eval($X)'\nlanguage: pyhton"));
    assert!(output.stderr.contains("language 'pyhton' is not known (did you mean 'python'?)"), "{output}");
    let output = run(NO_EVAL.replace("code: 'eval($X)'", "pattern: 'eval'"));
    assert!(output.stderr.contains("'code' is missing"), "{output}");
    let output = run(NO_EVAL.to_owned() + "fix: 'safe($Y)'\n");
    assert!(output.stderr.contains("'fix' uses '$Y', but 'code' has no such metavariable"), "{output}");
    let output = run(forbid("no-x", "x", "**") + "code: 'x'\n");
    assert!(output.stderr.contains("key 'code' has no effect for forbid_pattern"), "{output}");
    let sandbox =
        Sandbox::new().contract(&NO_EVAL.replace("code: 'eval($X)'", "code: {kind: function_call}"));
    let output = sandbox.pre_write("a.py", "eval(x)\n");
    assert!(
        output.stderr.contains("'code' is not valid") || output.message().contains("not valid"),
        "{output}"
    );
}

#[test]
fn incomplete_code_is_reported_once() {
    let sandbox = Sandbox::new().contract(&NO_EVAL.replace("'eval($X)'", "'eval('")).file("a.py", "x\n");
    let output = sandbox.run(["contracts", "lint"]);
    let what = "no-eval.yaml:3: 'code' is not valid in python: it has a syntax error (correct it, or name its 'language')";
    assert!(output.stdout.contains(what), "{output}");
    assert_eq!(output.stdout.matches("no-eval.yaml:3").count(), 1, "{output}");
    let named = NO_EVAL.replace("'eval($X)'", "'eval('\nlanguage: python");
    let output = Sandbox::new().contract(&named).file("a.py", "x\n").run(["enforce", "--all"]);
    assert!(output.stderr.contains("it has a syntax error (correct it)\n"), "{output}");
}

#[test]
fn lint_reports_languages_that_do_not_fit() {
    let both = NO_EVAL.replace("'eval($X)'", "'if ($A) { $$$ }'").replace("{py,js,rb}", "{py,js}");
    let output = Sandbox::new().contract(&both).file("a.py", "x\n").run(["contracts", "lint"]);
    assert!(output.stdout.contains("no-eval.yaml:3: no-eval: the code does not fit python"), "{output}");
    assert!(!output.stdout.contains("javascript"), "{output}");
    let none = NO_EVAL.replace("{py,js,rb}", "txt");
    let output = Sandbox::new().contract(&none).file("a.txt", "x\n").run(["contracts", "lint"]);
    assert!(output.stdout.contains("no file of the glob is in a language that is parsed"), "{output}");
}

#[test]
fn file_that_cannot_be_parsed_is_a_gap() {
    let sandbox = Sandbox::new()
        .contract(NO_EVAL)
        .file("deep.js", format!("eval(x);{}", "(".repeat(5_000)))
        .file("large.py", "x = eval(y)\n".repeat(400_000));
    let output = sandbox.run(["enforce", "--all", "--format", "json"]);
    let unchecked = output.unchecked();
    assert_eq!(output.code, Some(3), "{unchecked:?}");
    assert!(
        unchecked.iter().any(|one| one.contains("deep.js") && one.contains("nested too deeply")),
        "{unchecked:?}"
    );
    assert!(
        unchecked.iter().any(|one| one.contains("large.py") && one.contains("not parsed")),
        "{unchecked:?}"
    );
    let hook = sandbox.pre_write("new.js", &format!("eval(x);{}", "(".repeat(5_000)));
    assert_eq!(hook.code, Some(0), "{hook}");
    assert!(
        hook.message().contains("nested too deeply") || hook.stderr.contains("nested too deeply"),
        "{hook}"
    );
}

#[test]
fn create_makes_contract_about_code() {
    let sandbox = Sandbox::new().file("a.py", "eval(x)\n");
    let create = |code: &str, more: &[&str]| {
        let mut command = sandbox.command();
        command.args(["contracts", "create", "--rule-id", "made", "--type", "forbid_code", "--code", code]);
        command.args([
            "--glob",
            "**/*.py",
            "--message",
            "No.",
            "--violating",
            "eval(1)",
            "--passing",
            "'eval(1)'",
        ]);
        sandbox.run_with(command.args(more), b"")
    };
    let output = create("evil($X)", &[]);
    assert!(output.stderr.contains("examples fail"), "{output}");
    let output = create("a; b", &[]);
    assert!(output.stderr.contains("'code' is not valid in python"), "{output}");
    assert!(create("eval($X)", &["--pattern", "x"]).stderr.contains("--pattern has no meaning"));
    assert_eq!(create("{\"pattern\": \"eval($X)\"}", &[]).code, Some(0));
    assert_eq!(check(&sandbox), ["a.py:1:1 made"]);
}

#[test]
fn weaker_code_is_noticed() {
    let sandbox = Sandbox::new().contract(NO_EVAL);
    let file = ".claude/contracts/no-eval.yaml";
    let weaker = sandbox.hook("PreToolUse").guard().edit(file, "eval($X)", "evil($X)").run();
    assert!(weaker.reason().contains("has other code"), "{weaker}");
    sandbox.hook("PreToolUse").guard().edit(file, "Parse the value.", "Parse it.").run().assert_allowed();
}
