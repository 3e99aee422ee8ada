//! `phaser contracts import`: contracts for the rules of other tools.

use std::fs;

use serde_json::{Value, json};

use crate::guide::{blocks, run};
use crate::harness::{Output, Sandbox};

fn import(sandbox: &Sandbox, args: &[&str]) -> Output {
    let mut command = sandbox.command();
    command.args(["contracts", "import", "--format", "json"]).args(args);
    sandbox.run_with(&mut command, b"")
}

/// The sorted ids of a list of the output.
fn ids(output: &Output, list: &str) -> Vec<String> {
    let json = output.json();
    let id = |one: &Value| one["rule_id"].as_str().unwrap_or("-").to_owned();
    let mut ids: Vec<String> = json[list].as_array().expect("a list").iter().map(id).collect();
    ids.sort();
    ids
}

/// Imports one file, all of which becomes contracts with these ids.
#[track_caller]
fn imported(name: &str, text: &str, expected: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new().git_init().file(name, text);
    let output = import(&sandbox, &[name]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output}");
    assert_eq!(
        (ids(&output, "imported"), ids(&output, "not_imported").len()),
        (expected.iter().map(|id| (*id).to_owned()).collect(), 0),
        "{output}"
    );
    sandbox
}

/// The reasons for rules that were not imported, by id.
fn reasons(output: &Output) -> Vec<(String, String)> {
    let json = output.json();
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let one = |one: &Value| (text(&one["rule_id"]), text(&one["reason"]));
    json["not_imported"].as_array().expect("a list").iter().map(one).collect()
}

fn left_out(output: &Output, id: &str) -> Vec<String> {
    let json = output.json();
    let found = json["imported"].as_array().expect("a list").iter().find(|one| one["rule_id"] == id);
    let list =
        found.unwrap_or_else(|| panic!("no {id}: {output}"))["left_out"].as_array().expect("a list").clone();
    list.iter().map(|one| one.as_str().expect("a text").to_owned()).collect()
}

/// The contract file with this id.
fn contract(sandbox: &Sandbox, id: &str) -> String {
    fs::read_to_string(sandbox.path(&format!(".claude/contracts/{id}.yaml"))).expect("is there")
}

/// The violations of a text, as `id:line`.
fn found(sandbox: &Sandbox, path: &str, text: &str) -> Vec<String> {
    fs::create_dir_all(sandbox.path(path).parent().expect("has one")).expect("created");
    fs::write(sandbox.path(path), text).expect("written");
    let output = sandbox.run(["enforce", "--format", "json", path]);
    let json = output.json();
    let one = |one: &Value| format!("{}:{}", one["rule_id"].as_str().expect("an id"), one["line_number"]);
    json["violations"].as_array().expect("a list").iter().map(one).collect()
}

/// The contracts that a commit message violates.
fn in_message(sandbox: &Sandbox, message: &str) -> Vec<String> {
    fs::write(sandbox.path("MESSAGE"), message).expect("written");
    let json = sandbox.run(["enforce", "--format", "json", "--commit-msg", "MESSAGE"]).json();
    let one = |one: &Value| one["rule_id"].as_str().expect("an id").to_owned();
    json["violations"].as_array().expect("a list").iter().map(one).collect()
}

const GITLEAKS: &str = "[[rules]]\nid = 'acme'\ndescription = 'A key.'\nregex = '''^key_[a-z0-9]{4}$'''\n";

#[test]
fn page_shows_what_happens() {
    let page = include_str!("../../docs/import.md");
    let (mut sandbox, mut commands, mut contracts) = (Sandbox::new().git_init(), 0, 0);
    for (info, text) in blocks(page) {
        sandbox = match info.split_once(' ').unwrap_or((&info, "")) {
            (_, path) if !path.is_empty() => sandbox.file(path, &text),
            ("console", _) => {
                run(&sandbox, &text);
                commands += 1;
                sandbox
            }
            ("yaml", _) => {
                let id = text.lines().find_map(|line| line.strip_prefix("rule_id: ")).expect("an id");
                assert_eq!(contract(&sandbox, id), text);
                contracts += 1;
                sandbox
            }
            (other, _) => panic!("a block of '{other}', which nothing tests"),
        };
    }
    assert_eq!((commands, contracts), (7, 7));
    let output = sandbox.run(["contracts", "test"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output}");
}

#[test]
fn kinds_are_recognised() {
    let semgrep = "rules: [{id: a, languages: [regex], message: m, severity: ERROR, pattern-regex: x}]\n";
    for (name, text, kind) in [
        ("a.toml", GITLEAKS.to_owned(), "gitleaks"),
        ("b.toml", GITLEAKS.to_owned() + "filter = 'entropy(finding[\"secret\"]) <= 3.0'\n", "betterleaks"),
        ("c.yaml", semgrep.to_owned(), "semgrep"),
        ("d.yml", "id: a\nlanguage: python\nrule: {pattern: eval($X)}\n".to_owned(), "ast-grep"),
        ("e.md", "---\nname: a\nevent: file\npattern: x\n---\nNo x.\n".to_owned(), "hookify"),
        (
            "prek.toml",
            "[[repos]]\nrepo = 'builtin'\nhooks = [{id = 'deny-pattern', name = 'a', args = ['x']}]\n"
                .to_owned(),
            "prek",
        ),
        (
            ".pre-commit-config.yaml",
            "repos: [{repo: local, hooks: [{id: a, language: pygrep, entry: x}]}]\n".to_owned(),
            "pre-commit",
        ),
        (".pre-commit-hooks.yaml", "- {id: a, language: pygrep, entry: x}\n".to_owned(), "pre-commit"),
        (
            ".commitlintrc",
            "{\"rules\": {\"header-max-length\": [2, \"always\", 50]}}\n".to_owned(),
            "commitlint",
        ),
        (
            "package.json",
            "{\"commitlint\": {\"rules\": {\"header-max-length\": [2, \"always\", 50]}}}\n".to_owned(),
            "commitlint",
        ),
        (
            "config.json",
            "{\"rules\": {\"header-max-length\": [2, \"always\", 50]}}\n".to_owned(),
            "commitlint",
        ),
    ] {
        let sandbox = Sandbox::new().file(name, &text);
        let output = import(&sandbox, &[name]);
        assert_eq!(output.code, Some(0), "{name}: {output}");
        let id = ids(&output, "imported").remove(0);
        let tags = contract(&sandbox, &id)
            .lines()
            .find(|line| line.starts_with("tags: "))
            .expect("has tags")
            .to_owned();
        assert!(tags.ends_with(&format!("{kind}]")), "{name}: {tags}");
    }
}

#[test]
fn source_that_cannot_be_read_exits_3() {
    let sandbox = Sandbox::new()
        .file("broken.toml", "[[rules]]\nid = 'a\n")
        .file("broken.yaml", "rules:\n  - id: [\n")
        .file("empty.yaml", " \n")
        .file("other.yaml", "a: 1\n")
        .file("none.toml", "title = 'x'\nrules = []\n")
        .file("notes.txt", "hello\n")
        .file("binary.toml", [0xff, 0xfe, 0])
        .file("rules/a.toml", GITLEAKS);
    for (name, place) in [
        ("broken.toml", "broken.toml:2: not valid TOML: "),
        ("broken.yaml", "broken.yaml:"),
        ("empty.yaml", "empty.yaml: the file is empty "),
        ("other.yaml", "other.yaml: the kind of rules is not recognised "),
        ("none.toml", "none.toml: there are no gitleaks rules "),
        ("notes.txt", "notes.txt: the kind of rules is not recognised "),
        ("binary.toml", "binary.toml: cannot read the file: "),
        ("missing.toml", "missing.toml: cannot read the file: "),
        ("rules", "rules: cannot read the file: "),
    ] {
        let output = import(&sandbox, &[name]);
        assert_eq!(output.code, Some(3), "{name}: {output}");
        assert!(output.stderr.starts_with(place) && output.stderr.lines().count() == 1, "{output}");
        assert_eq!(output.json()["summary"]["imported"], 0);
    }
    // The others are imported.
    let output = import(&sandbox, &["broken.toml", "rules/a.toml"]);
    assert_eq!((output.code, ids(&output, "imported")), (Some(3), vec!["acme".to_owned()]), "{output}");
    assert!(sandbox.path(".claude/contracts/acme.yaml").is_file());
    for args in [&["--from", "eslint", "rules/a.toml"][..], &[]] {
        assert_eq!(import(&sandbox, args).code, Some(3), "{args:?}");
    }
}

#[test]
fn second_import_changes_nothing() {
    let sandbox = Sandbox::new().file("a.toml", GITLEAKS);
    assert_eq!(import(&sandbox, &["a.toml"]).code, Some(0));
    let path = sandbox.path(".claude/contracts/acme.yaml");
    let (text, time) = (
        fs::read(&path).expect("there"),
        fs::metadata(&path).and_then(|data| data.modified()).expect("has a time"),
    );
    let again = import(&sandbox, &["a.toml", "a.toml"]);
    assert_eq!(
        (again.code, again.json()["imported"][0]["unchanged"].clone()),
        (Some(0), json!(true)),
        "{again}"
    );
    assert_eq!(ids(&again, "imported"), ["acme"]);
    assert_eq!(fs::read(&path).expect("there"), text);
    assert_eq!(fs::metadata(&path).and_then(|data| data.modified()).expect("has a time"), time);
}

#[test]
fn other_contents_are_kept_without_force() {
    let own = "rule_id: acme\ntype: forbid_pattern\npattern: 'x'\nfile_glob: '**/*'\nmessage: 'm'\nseverity: error\n";
    let sandbox = Sandbox::new().file("a.toml", GITLEAKS).contract(own);
    let output = import(&sandbox, &["a.toml"]);
    assert_eq!((output.code, ids(&output, "not_imported")), (Some(0), vec!["acme".to_owned()]), "{output}");
    assert_eq!(contract(&sandbox, "acme"), own);
    let output = import(&sandbox, &["a.toml", "--force"]);
    assert_eq!((output.code, ids(&output, "imported")), (Some(0), vec!["acme".to_owned()]), "{output}");
    assert!(contract(&sandbox, "acme").contains("key_"));
    // A contract with this id in another file would win or lose by its name.
    fs::rename(sandbox.path(".claude/contracts/acme.yaml"), sandbox.path(".claude/contracts/b.yaml"))
        .expect("moved");
    let output = import(&sandbox, &["a.toml", "--force"]);
    assert_eq!(ids(&output, "not_imported"), ["acme"], "{output}");
    assert!(!sandbox.path(".claude/contracts/acme.yaml").exists());
}

#[test]
fn dry_run_writes_nothing() {
    let sandbox = Sandbox::new().file("a.toml", GITLEAKS);
    let output = import(&sandbox, &["a.toml", "--dry-run"]);
    assert_eq!((output.code, ids(&output, "imported")), (Some(0), vec!["acme".to_owned()]), "{output}");
    assert!(!sandbox.path(".claude").exists());
    let output = import(&sandbox, &["a.toml", "--dir", "rules/new"]);
    assert_eq!(output.json()["imported"][0]["path"], "rules/new/acme.yaml");
    assert!(sandbox.path("rules/new/acme.yaml").is_file() && !sandbox.path(".claude").exists());
}

#[test]
fn hostile_ids_stay_in_the_directory() {
    let rule = |id: &str| format!("[[rules]]\nid = {}\nregex = 'a{}'\n", json!(id), id.len());
    let rules = ["../../x", "/etc/x", "a/b", "..", "con\u{1b}[31m", "", "A", "a", &"l".repeat(300)]
        .map(rule)
        .concat();
    let sandbox = Sandbox::new().file("a.toml", rules);
    let output = import(&sandbox, &["a.toml"]);
    assert_eq!(output.code, Some(0), "{output}");
    let long = "l".repeat(64);
    assert_eq!(ids(&output, "imported"), ["A", "a-2", "a-b", "con-31m", "etc-x", &long, "x"], "{output}");
    assert_eq!(ids(&output, "not_imported").len(), 2, "{output}");
    let mut files: Vec<_> = fs::read_dir(sandbox.path(".claude/contracts"))
        .expect("there")
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    files.sort();
    assert_eq!(files.len(), 7, "{files:?}");
    assert!(!contract(&sandbox, "con-31m").contains('\u{1b}'));
    let text = sandbox.run(["contracts", "import", "a.toml"]);
    assert!(!text.stdout.contains('\u{1b}'), "{text}");
}

#[test]
fn hostile_texts_stay_in_their_values() {
    let rule = "[[rules]]\nid = 'a\\nb'\nregex = 'x'\ndescription = \"m\\nrule_id: evil\\n# \\u001b[31m\"\n"
        .replace('\'', "\"");
    let sandbox = Sandbox::new().file("a.toml", rule);
    let output = import(&sandbox, &["a.toml"]);
    assert_eq!((output.code, ids(&output, "imported")), (Some(0), vec!["a-b".to_owned()]), "{output}");
    let listed = sandbox.run(["contracts", "list"]);
    assert!(listed.stdout.starts_with("a-b [enabled] - ") && !listed.stdout.contains('\u{1b}'), "{listed}");
}

#[test]
fn colliding_ids_get_numbers() {
    let rule = |regex: &str| format!("[[rules]]\nid = 'a.b'\nregex = '{regex}'\n");
    let sandbox = Sandbox::new().file("a.toml", rule("one") + &rule("two")).file("b.toml", rule("one"));
    let output = import(&sandbox, &["a.toml", "b.toml"]);
    assert_eq!(ids(&output, "imported"), ["a-b", "a-b-2", "a-b-3"], "{output}");
    assert!(contract(&sandbox, "a-b").contains("'one'") && contract(&sandbox, "a-b-2").contains("'two'"));
    let again = import(&sandbox, &["a.toml", "b.toml"]);
    assert!(
        again.json()["imported"].as_array().expect("a list").iter().all(|one| one["unchanged"] == true),
        "{again}"
    );
}

#[test]
fn limits_of_contracts_are_reasons() {
    let long = format!("[[rules]]\nid = 'long'\nregex = '{}'\n", "a".repeat(5000));
    let wrong = "[[rules]]\nid = 'wrong'\nregex = 'a('\n";
    let large = format!("[[rules]]\nid = 'large'\nregex = 'a'\ndescription = '{}'\n", "m".repeat(70_000));
    let sandbox = Sandbox::new().file("a.toml", long + wrong + &large);
    let output = import(&sandbox, &["a.toml"]);
    assert_eq!(output.code, Some(0), "{output}");
    let reasons = reasons(&output);
    assert_eq!(reasons.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>(), ["long", "wrong", "large"]);
    for ((_, reason), part) in
        reasons.iter().zip(["5000 bytes", "not a regular expression", "over 65536 bytes"])
    {
        assert!(reason.contains(part), "{reason}");
    }
}

#[test]
fn examples_over_the_limit_are_left_out() {
    let test = |count: usize| format!("id: a\nvalid: ['{}']\ninvalid: [eval(1)]\n", "x\n".repeat(count));
    let sandbox = Sandbox::new()
        .file("sgconfig.yml", "ruleDirs: [rules]\ntestConfigs: [{testDir: tests}]\n")
        .file("rules/a.yml", "id: a\nlanguage: python\nrule: {pattern: eval($X)}\n")
        .file("tests/a-test.yml", test(1))
        .file("tests/b-test.yml", test(60_000));
    let output = import(&sandbox, &["rules/a.yml"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(
        (output.json()["imported"][0]["examples"].clone(), left_out(&output, "a").len()),
        (json!(3), 1),
        "{output}"
    );
    assert!(fs::metadata(sandbox.path(".claude/contracts/a.yaml")).expect("there").len() <= 65_536);
}

#[test]
fn failing_example_exits_1() {
    let sandbox = Sandbox::new()
        .file("a.yml", "id: a\nlanguage: python\nmessage: m\nrule: {pattern: eval($X)}\n")
        .file("a-test.yml", "id: a\nvalid: [eval(1)]\ninvalid: [exec(1)]\n");
    let output = import(&sandbox, &["a.yml"]);
    assert_eq!((output.code, output.json()["summary"]["failing"].clone()), (Some(1), json!(1)), "{output}");
    assert_eq!(output.json()["imported"][0]["failures"].as_array().map(Vec::len), Some(2), "{output}");
    assert_eq!(
        sandbox.run(["contracts", "test", "a"]).code,
        Some(1),
        "the file is written, so that it can be corrected"
    );
    // A broken source counts for more.
    assert_eq!(import(&sandbox, &["a.yml", "none.yml"]).code, Some(3));
}

#[test]
fn gitleaks_rules_keep_their_meaning() {
    let rules = "[allowlist]\npaths = ['''(^|/)vendor/''', '''\\d+''']\nstopwords = ['x']\n\
        [[rules]]\nid = 'anchored'\nregex = '''^key_[a-z0-9]{4}$'''\n\
        [[rules]]\nid = 'word'\nregex = '''(?i)\\bpass\\w{3}\\b'''\nentropy = 3.5\nkeywords = ['other']\n\
        [[rules]]\nid = 'quoted'\nregex = '''\\Qa.b\\E{,2}'''\npath = '''\\.env$'''\n\
        [[rules]]\nid = 'file'\npath = '''\\.pem$'''\n\
        [[rules.allowlists]]\ncondition = 'AND'\npaths = ['''^docs/''']\nregexes = ['''x''']\n";
    let sandbox = imported("gitleaks.toml", rules, &["anchored", "file", "quoted", "word"]);
    assert_eq!(found(&sandbox, "a.txt", "key_ab12"), ["anchored:1"]);
    assert_eq!(found(&sandbox, "a.txt", "x\nkey_ab12\n"), [""; 0], "'^' and '$' are those of the text");
    assert_eq!(found(&sandbox, "a.txt", "PASSabc passäöü"), ["word:1"], "\\w is ASCII");
    assert_eq!(found(&sandbox, "vendor/a.txt", "passabc"), [""; 0], "the allowlist");
    assert_eq!(found(&sandbox, "a.env", "a.b{,2} axb{,2}"), ["quoted:1"]);
    assert_eq!(found(&sandbox, "b.pem", "x"), ["file:null"]);
    let output = import(&sandbox, &["gitleaks.toml"]);
    assert_eq!(left_out(&output, "word").len(), 3, "entropy, keywords, the rest of the allowlist: {output}");
    assert!(sandbox.run(["contracts", "show", "word"]).stdout.contains("secret"));
}

#[test]
fn betterleaks_conditions_are_listed() {
    let rules = "prefilter = 'true'\n[[rules]]\nid = 'a'\nregex = 'abc'\nfilter = 'x'\nvalidate = 'y'\n\
        [[rules]]\nid = 'b'\nregex = 'abc'\nskipReport = true\n\
        [[rules]]\nid = 'c'\nregex = 'abc'\n[[rules.required]]\nid = 'b'\n\
        [extend]\nuseDefault = true\n";
    let sandbox = Sandbox::new().file("a.toml", rules);
    let output = import(&sandbox, &["a.toml"]);
    assert_eq!(
        (ids(&output, "imported"), ids(&output, "not_imported")),
        (vec!["a".to_owned()], ["-", "b", "c"].map(str::to_owned).to_vec())
    );
    assert_eq!(left_out(&output, "a").len(), 3, "{output}");
}

#[test]
fn semgrep_code_becomes_forbid_code() {
    let rules = "rules:\n\
        - {id: call, languages: [python], message: m, severity: ERROR, pattern: 'run(..., shell=True, ...)'}\n\
        - {id: either, languages: [js, ts], message: m, severity: WARNING, pattern-either: [{pattern: 'alert(...)'}, {pattern: \"f('a')\"}]}\n\
        - id: inside\n  languages: [python]\n  message: m\n  severity: ERROR\n  patterns: [{pattern: $X.send(...)}, {pattern-inside: 'for $Y in $Z: ...'}, {metavariable-regex: {metavariable: $X, regex: sock}}]\n\
        - {id: go-call, languages: [go], message: m, severity: ERROR, pattern: 'os.Exit(...)'}\n\
        - {id: string, languages: [python], message: m, severity: ERROR, pattern: 'connect(\"...\")'}\n\
        - {id: text, languages: [generic], message: m, severity: ERROR, pattern-regex: 'AKIA\\h+\\w+', metadata: {cwe: ['CWE-798: x']}}\n";
    let sandbox = imported("rules.yaml", rules, &["call", "either", "go-call", "inside", "string", "text"]);
    assert_eq!(
        found(&sandbox, "a.py", "run(x, shell=True)\nrun(shell=True, y=1)\nrun(x)\n"),
        ["call:1", "call:2"]
    );
    assert_eq!(found(&sandbox, "a.ts", "alert(1)\nf(\"a\")\nf('b')\n"), ["either:1", "either:2"]);
    assert_eq!(
        found(&sandbox, "b.py", "for a in b:\n    sock.send(1)\n    other.send(1)\nsock.send(2)\n"),
        ["inside:2"]
    );
    assert_eq!(found(&sandbox, "a.go", "package a\nfunc f() { os.Exit(1) }\n"), ["go-call:2"]);
    assert_eq!(found(&sandbox, "c.py", "connect('a')\nconnect(b)\n"), ["string:1"]);
    assert_eq!(found(&sandbox, "a.txt", "AKIA abc\n"), ["text:1"]);
    assert!(contract(&sandbox, "text").contains("tags: [secret, CWE-798, semgrep]"));
}

#[test]
fn semgrep_rules_without_equivalent_are_listed() {
    let rule = |id: &str, rest: &str| {
        format!("- {{id: {id}, languages: [python], message: m, severity: ERROR, {rest}}}\n")
    };
    let rules = "rules:\n".to_owned()
        + &rule("taint", "mode: taint, pattern-sources: [], pattern-sinks: []")
        + &rule("deep", "pattern: 'f(<... $X ...>)'")
        + &rule("typed", "pattern: '($X: int)'")
        + &rule("compare", "patterns: [{pattern: f($X)}, {metavariable-comparison: {comparison: $X > 1}}]")
        + &rule("two", "pattern: \"import x\\n...\\nx.f()\"")
        + &rule("not-regex", "patterns: [{pattern-regex: a}, {pattern-not-regex: b}]")
        + "- {id: hcl, languages: [terraform], message: m, severity: ERROR, pattern: 'a = 1'}\n";
    let sandbox = Sandbox::new().file("rules.yaml", rules);
    let output = import(&sandbox, &["rules.yaml"]);
    assert_eq!((output.code, ids(&output, "imported").len()), (Some(0), 0), "{output}");
    assert_eq!(
        ids(&output, "not_imported"),
        ["compare", "deep", "hcl", "not-regex", "taint", "two", "typed"],
        "{output}"
    );
}

#[test]
fn semgrep_paths_become_globs() {
    let rules = "rules:\n- {id: a, languages: [python], message: m, severity: ERROR, pattern: f(), paths: {include: [src/*.py], exclude: [/src/gen.py, tests/]}}\n";
    let sandbox = imported("rules.yaml", rules, &["a"]);
    for (path, expected) in
        [("src/a.py", 1), ("x/src/a.py", 1), ("a.py", 0), ("src/gen.py", 0), ("tests/src/a.py", 0)]
    {
        assert_eq!(found(&sandbox, path, "f()\n").len(), expected, "{path}");
    }
}

#[test]
fn ast_grep_rule_brings_its_utilities() {
    let sandbox = Sandbox::new()
        .file("sgconfig.yml", "ruleDirs: [rules]\nutilDirs: [utils]\n")
        .file("utils/a.yml", "id: is-call\nlanguage: js\nrule: {any: [{kind: call_expression}, {matches: is-new}]}\n")
        .file("utils/b.yml", "id: is-new\nlanguage: js\nrule: {kind: new_expression}\n")
        .file("rules/a.yml", "id: a\nlanguage: js\nseverity: off\nrule: {matches: is-call, regex: ^f}\n---\nid: b\nlanguage: js\nseverity: error\nrule: {matches: 'f(...)'}\nutils: {'f(...)': {pattern: f($$$)}}\nfix: {template: g(), expandEnd: {regex: ','}}\n")
        .file("rules/c.yml", "id: c\nlanguage: kotlin\nrule: {pattern: f()}\n");
    let output = import(&sandbox, &["sgconfig.yml"]);
    assert_eq!(
        (output.code, ids(&output, "imported"), ids(&output, "not_imported")),
        (Some(0), vec!["a".to_owned(), "b".to_owned()], vec!["c".to_owned()]),
        "{output}"
    );
    assert!(contract(&sandbox, "a").contains("enabled: false"));
    assert_eq!(left_out(&output, "b").len(), 1, "{output}");
    assert_eq!(found(&sandbox, "x.js", "f(1)\n"), ["b:1"]);
    assert_eq!(found(&sandbox, "x.html", "<p>f(1)</p><script>\nf(1)\n</script>\n"), ["b:2"]);
    assert_eq!(sandbox.run(["contracts", "enable", "a"]).code, Some(0));
    assert_eq!(found(&sandbox, "x.js", "f(1)\nnew g()\n"), ["a:1", "b:1"]);
}

#[test]
fn hookify_rules_keep_their_meaning() {
    let sandbox = Sandbox::new()
        .git_init()
        .file("a.md", "---\nname: no-log\nevent: file\nconditions:\n  - field: file_path\n    operator: regex_match\n    pattern: \\.tsx?$\n  - field: new_text\n    operator: contains\n    pattern: console.log(\n---\n⚠️ **No logging!**\n\nUse the logger.\n")
        .file("b.md", "---\nname: no-rm\nevent: bash\npattern: \"rm\\s+-rf\"\naction: block\n---\nDo not.\n")
        .file("c.md", "---\nname: pipe\nevent: bash\npattern: curl.*\\|\\s*sh\n---\nDo not.\n")
        .file("d.md", "---\nname: tests\nevent: stop\npattern: .*\n---\nRun them.\n")
        .file("e.md", "---\nname: env\nevent: file\nconditions:\n  - field: file_path\n    operator: regex_match\n    pattern: \\.env$\n---\nKeep it.\n")
        .file("f.md", "---\nname: off\nenabled: false\nevent: file\npattern: TODO\n---\n");
    let output = import(&sandbox, &["a.md", "b.md", "c.md", "d.md", "e.md", "f.md"]);
    assert_eq!(
        (output.code, ids(&output, "imported")),
        (Some(0), ["no-log", "no-rm", "off"].map(str::to_owned).to_vec()),
        "{output}"
    );
    assert_eq!(ids(&output, "not_imported"), ["env", "pipe", "tests"]);
    let text = contract(&sandbox, "no-log");
    assert!(
        text.contains("message: 'No logging!'")
            && text.contains("rationale: 'Use the logger.'")
            && text.contains("severity: warning"),
        "{text}"
    );
    assert_eq!(found(&sandbox, "a.ts", "console.log(1)\nconsoleXlog(1)\n"), ["no-log:1"]);
    assert_eq!(found(&sandbox, "a.js", "console.log(1) // todo\n"), [""; 0]);
    let bash = |command: &str| {
        sandbox.hook("PreToolUse").tool("Bash", json!({ "command": command })).guard().run().decision()
    };
    assert_eq!((bash("cd x && RM -rf y").as_str(), bash("sudo rm  -rf /").as_str()), ("deny", "deny"));
    assert_eq!((bash("rm -r x").as_str(), bash("echo 'rm -rf x'").as_str()), ("", ""));
}

#[test]
fn hooks_keep_their_files_and_flags() {
    let hooks = "exclude: ^gen/\nrepos:\n- repo: local\n  hooks:\n\
        \x20 - {id: no-tabs, name: No tabs, language: pygrep, entry: '\\t', types: [markdown]}\n\
        \x20 - {id: header, name: Add the header, language: pygrep, entry: copyright, args: [--negate, -i], files: '\\.rs$'}\n\
        \x20 - {id: block, language: pygrep, entry: 'begin.*end', args: [--multiline], files: '^docs/'}\n\
        \x20 - {id: line, language: pygrep, entry: 'import\\s+x', types: [python]}\n\
        \x20 - {id: wip, name: No WIP, language: pygrep, entry: ^WIP, stages: [commit-msg]}\n\
        - repo: builtin\n  hooks:\n\
        \x20 - {id: deny-pattern, name: no-a-or-b, args: [-i, aaa, bbb], types_or: [toml, json]}\n\
        \x20 - {id: require-pattern, name: has-c, args: [ccc], files: '\\.c$', exclude: ^old/}\n\
        \x20 - {id: replace-pattern, name: colour, args: ['colo(u?)r', 'x${1}y'], files: '\\.css$'}\n";
    let sandbox = imported(
        ".pre-commit-config.yaml",
        hooks,
        &["block", "colour", "has-c", "header", "line", "no-a-or-b", "no-tabs", "wip"],
    );
    for (path, text, expected) in [
        ("a.md", "a\tb\n", vec!["no-tabs:1"]),
        ("gen/a.md", "a\tb\n", vec![]),
        ("a.rs", "// COPYRIGHT\n", vec![]),
        ("b.rs", "fn f() {}\n", vec!["header:null"]),
        ("docs/a.txt", "begin\nend\n", vec!["block:1"]),
        ("a.py", "import\nx\nimport  x\n", vec!["line:3"]),
        ("a.toml", "AAA\nbbb\n", vec!["no-a-or-b:1", "no-a-or-b:2"]),
        ("old/a.c", "", vec![]),
        ("a.c", "x\n", vec!["has-c:null"]),
        ("a.css", "color\n", vec!["colour:1"]),
    ] {
        assert_eq!(found(&sandbox, path, text), expected, "{path}");
    }
    assert_eq!(in_message(&sandbox, "WIP: x\n"), ["wip"]);
    assert_eq!(sandbox.run(["fix", "a.css"]).code, Some(0));
    assert_eq!(fs::read_to_string(sandbox.path("a.css")).expect("there"), "xy\n");
}

#[test]
fn hooks_without_equivalent_are_listed() {
    let hooks = "repos:\n- {repo: https://example.com/x, hooks: [{id: remote}]}\n- repo: local\n  hooks:\n\
        \x20 - {id: program, language: system, entry: make}\n\
        \x20 - {id: ahead, language: pygrep, entry: x, files: '^(?!a)'}\n\
        \x20 - {id: type, language: pygrep, entry: x, types: [executable]}\n\
        \x20 - {id: kept, language: pygrep, entry: x, exclude: '\\d+', exclude_types: [executable]}\n";
    let sandbox = Sandbox::new().file(".pre-commit-config.yaml", hooks);
    let output = import(&sandbox, &[".pre-commit-config.yaml"]);
    assert_eq!(
        (ids(&output, "imported"), ids(&output, "not_imported")),
        (vec!["kept".to_owned()], ["ahead", "program", "remote", "type"].map(str::to_owned).to_vec()),
        "{output}"
    );
    assert_eq!(left_out(&output, "kept").len(), 2, "{output}");
}

#[test]
fn commitlint_rules_judge_messages() {
    let rules = "rules:\n  type-enum: [2, always, [feat, fix]]\n  type-empty: [2, never]\n  type-case: [2, always, lower-case]\n\
        \x20 subject-empty: [2, never]\n  subject-case: [2, never, [sentence-case, start-case, pascal-case, upper-case]]\n\
        \x20 subject-full-stop: [2, never, .]\n  header-max-length: [2, always, 30]\n  subject-min-length: [2, always, 3]\n\
        \x20 body-leading-blank: [1, always]\n  body-max-line-length: [2, always, 10]\n";
    let all = [
        "body-leading-blank",
        "body-max-line-length",
        "header-max-length",
        "subject-case",
        "subject-empty",
        "subject-full-stop",
        "subject-min-length",
        "type-case",
        "type-empty",
        "type-enum",
    ];
    let sandbox = imported(".commitlintrc.yml", rules, &all);
    for (message, expected) in [
        ("feat(api)!: add a call\n", vec![]),
        ("feat: add a call\n\nshort\n", vec![]),
        ("chore: add a call\n", vec!["type-enum"]),
        ("Feat: add a call\n", vec!["type-case", "type-enum"]),
        ("just words\n", vec!["subject-empty", "type-empty"]),
        ("fix: Add a call\n", vec!["subject-case"]),
        ("fix: add a call.\n", vec!["subject-full-stop"]),
        ("fix: add a call. Really\n", vec![]),
        ("fix: ad\n", vec!["subject-min-length"]),
        ("fix: a call of thirty-one bytes\n", vec!["header-max-length"]),
        ("fix: add a call\nbody\n", vec!["body-leading-blank"]),
        ("fix: add a call\n\na long line of text\n", vec!["body-max-line-length"]),
    ] {
        let mut found = in_message(&sandbox, message);
        found.sort();
        assert_eq!(found, expected, "{message}");
    }
}

#[test]
fn text_output_counts_and_groups() {
    let rule = |at: usize| format!("[[rules]]\nid = 'r{at}'\nregex = 'abc{at}'\nentropy = 3\n");
    let rules: String = (0..5).map(rule).collect();
    let sandbox = Sandbox::new().file("a.toml", rules + "[[rules]]\nid = 'none'\n");
    let output = sandbox.run(["contracts", "import", "--dry-run", "a.toml"]);
    assert_eq!(output.code, Some(0), "{output}");
    insta::assert_snapshot!(output.stdout, @r"
    a.toml: left out of 5 contracts: the entropy of the secret, at least 3
    a.toml:21: none: not imported: it has neither 'regex' nor 'path'
    Would import 5 contracts into .claude/contracts, 1 not imported, 0 failing
    ");
}

#[test]
fn completions_offer_the_kinds() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish"] {
        let output = sandbox.run(["completions", shell]);
        assert!(output.stdout.contains("betterleaks") && output.stdout.contains("commitlint"), "{shell}");
    }
}
