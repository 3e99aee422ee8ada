//! Notebooks: contracts see the source of each cell as it was written, in every mode.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Sandbox, contract, count_in, forbid};

/// A notebook as Jupyter writes it: a list of lines for each cell.
fn notebook(cells: &[&str]) -> String {
    let cell = |source: &&str| {
        let lines: Vec<&str> = source.split_inclusive('\n').collect();
        json!({ "cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": lines })
    };
    let cells: Vec<Value> = cells.iter().map(cell).collect();
    let notebook = json!({ "cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5 });
    format!("{notebook:#}\n")
}

fn sandbox() -> Sandbox {
    Sandbox::new().git_init().contract(&forbid("no-eval", r"eval\(\s*x", "**/*.ipynb"))
}

const CELLS: [&str; 3] = ["import os\n", "print('a')\nx = \"eval(\"\n", "y = 1\nz = eval(\n    x)\n"];

#[test]
fn cells_are_decoded_in_every_mode() {
    let text = notebook(&CELLS);
    let line = 1 + text.lines().position(|line| line.contains("z = eval(")).expect("is there");
    let sandbox = sandbox().file("a.txt", "").git_add("a.txt").git_commit("start").file("n.ipynb", &text);
    sandbox.git(&["add", "--all"]);
    for args in
        [&["--all"][..], &["n.ipynb"], &["--staged"], &["--diff", "HEAD"], &["--stdin-filename", "n.ipynb"]]
    {
        let run = |format: &str| {
            let mut command = sandbox.command();
            sandbox.run_with(command.arg("enforce").args(args).args(["--format", format]), text.as_bytes())
        };
        assert_eq!(run("text").report(), ["n.ipynb:cell 3:2 error no-eval"], "{args:?}");
        assert_eq!(run("full").report(), ["n.ipynb:cell 3:2:5 error no-eval"], "{args:?}");
        let violation = &run("json").json()["violations"][0];
        assert_eq!(violation["line_number"], line, "{args:?}");
        assert_eq!(violation["cell"], json!({ "number": 3, "line": 2, "column": 5 }), "{args:?}");
        assert_eq!(violation["matched_text"], "eval(\n    x", "{args:?}");
        let sarif = run("sarif").json();
        let region = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
        assert_eq!((&region["startLine"], &region["endLine"]), (&json!(line), &json!(line + 1)), "{args:?}");
    }
}

#[test]
fn hooks_decode_cells() {
    let sandbox = sandbox().file("n.ipynb", notebook(&["a = 1\n"]));
    let escaped = r#"{"cells": [{"source": "\u0065val(x)"}], "nbformat": 4}"#;
    sandbox.pre_write("n.ipynb", escaped).assert_denied(&["no-eval at cell 1, line 1"]);
    sandbox.pre_write("n.ipynb", &notebook(&["a = 'eval('\n", "x"])).assert_allowed();
    sandbox.pre_edit("n.ipynb", "a = 1\\n", "a = eval(x)\\n").assert_denied(&["no-eval at cell 1, line 1"]);
    let output = sandbox.hook("PreToolUse").write("n.ipynb", &notebook(&CELLS)).guard().run();
    output.assert_denied(&["no-eval at n.ipynb:cell 3:2"]);
    let input =
        json!({ "notebook_path": sandbox.path("n.ipynb"), "cell_id": "cell-0", "new_source": "eval(x)" });
    let output = sandbox.hook("PreToolUse").tool("NotebookEdit", input).run();
    output.assert_denied(&["no-eval at line 1"]);
}

#[test]
fn output_and_metadata_hold_secrets_only() {
    let secret = forbid("no-key", "KEY[0-9]+", "**/*.ipynb") + "tags: [secret]\n";
    let text = notebook(&["a = 'KEY1'\n"])
        .replace("\"outputs\": []", "\"outputs\": [{\"text\": \"KEY22 eval(x)\"}]");
    let sandbox = sandbox().contract(&secret).file("n.ipynb", text);
    let output = sandbox.run(["enforce", "--all"]);
    let found = output.report();
    assert_eq!(found.len(), 2, "{output}");
    assert!(found.iter().any(|one| one == "n.ipynb:cell 1:1 error no-key"), "{output}");
    assert!(!output.stdout.contains("KEY22"), "{output}");
}

#[test]
fn requirements_are_about_the_notebook() {
    let sandbox = Sandbox::new()
        .contract(&contract("licence", "require_pattern", Some("Licence"), "**/*.ipynb"))
        .file("with.ipynb", notebook(&["# Licence\n", "x = 1\n"]))
        .file("without.ipynb", notebook(&["x = 1\n", "y = 2\n"]));
    let output = sandbox.run(["enforce", "--all"]);
    assert_eq!(output.report(), ["without.ipynb error licence"]);
}

#[test]
fn directives_of_cells_apply() {
    let line = notebook(&["x = eval(x)  # phaser:ignore no-eval\n", "y = eval(x)\n"]);
    let whole = notebook(&["# phaser:ignore-file no-eval\n", "y = eval(x)\n", "z = eval(x)\n"]);
    let sandbox = sandbox().file("line.ipynb", line).file("whole.ipynb", whole);
    let output = sandbox.run(["enforce", "--all"]);
    assert_eq!(output.report(), ["line.ipynb:cell 2:1 error no-eval"]);
    assert_eq!(output.count("ignored"), 3, "{output}");
}

#[test]
fn baseline_and_history_follow_moved_cells() {
    let sandbox = sandbox().file("n.ipynb", notebook(&["x = eval(x)\n"]));
    sandbox.git(&["add", "--all"]);
    let sandbox = sandbox.git_commit("one");
    assert_eq!(sandbox.run(["baseline"]).code, Some(0));
    let sandbox = sandbox.file("n.ipynb", notebook(&["a = 1\n", "x = eval(x)\n"]));
    let output = sandbox.run(["enforce", "--all", "--strict"]);
    assert_eq!((output.code, count_in(&output.stdout, "baseline")), (Some(0), 1), "{output}");
    let output = sandbox.pre_write("n.ipynb", &notebook(&["x = eval(x)\n", "y = eval(x)\n"]));
    output.assert_denied(&["no-eval at cell 2, line 1"]);
    let history = sandbox.run(["history", "--format", "json"]).json();
    assert_eq!(history["commits"][0]["errors"], 1, "{history}");
    let backtest = sandbox.run(["contracts", "backtest", "no-eval", "--format", "json"]).json();
    assert_eq!(backtest["refused"].as_array().map(Vec::len), Some(1), "{backtest}");
}

#[test]
fn fix_keeps_every_other_byte() {
    let fixed = forbid("no-none", r"== None", "**/*.ipynb") + "fix: 'is \"None\"'\n";
    let spanning = forbid("no-pair", r"a\nb", "**/*.ipynb") + "fix: 'c'\n";
    let text = notebook(&["# é == None\nx == None\n", "a\nb\n"]);
    let sandbox = Sandbox::new().contract(&fixed).contract(&spanning).file("n.ipynb", &text);
    let output = sandbox.run(["fix", "--all"]);
    let expected = text.replace("== None", r#"is \"None\""#);
    assert_eq!(fs::read_to_string(sandbox.path("n.ipynb")).expect("readable"), expected, "{output}");
    assert!(output.stdout.contains("n.ipynb:cell 2:1: not fixed: no-pair"), "{output}");
    assert_eq!(sandbox.run(["enforce", "--all"]).report(), ["n.ipynb:cell 2:1 error no-pair"]);
}

#[test]
fn broken_notebook_is_searched_as_text() {
    let sandbox = sandbox().file("n.ipynb", "{\"cells\": [\neval(x)\n");
    assert_eq!(sandbox.run(["enforce", "--all"]).report(), ["n.ipynb:2 error no-eval"]);
    let sandbox = sandbox.file("n.ipynb", r#"{"cells": [{"source": "eval(x) # \u0000"}]}"#);
    let output = sandbox.run(["enforce", "--all", "--strict"]);
    assert_eq!(output.code, Some(3), "{output}");
}
