//! Compares the matches of rules with those of the ast-grep command, which `scripts/ast-grep-record` records.

use std::fs;
use std::path::Path;
use std::rc::Rc;

use phaser_syntax::{CodeRule, Language, Stop, SyntaxTree};
use serde_json::{Value, json};

fn read(name: &str) -> String {
    let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ast-grep");
    fs::read_to_string(base.join(name)).expect("is there")
}

fn list(name: &str) -> Vec<Value> {
    serde_json::from_str(&read(name)).expect("is a list")
}

/// The files of a directory with their languages, sorted.
fn sources() -> Vec<(String, Language)> {
    let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ast-grep/sources");
    let names = fs::read_dir(base).expect("a directory").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().expect("is text")).collect();
    names.sort();
    names.into_iter().map(|name| (name.clone(), Language::of_path(&name).expect("has a language"))).collect()
}

#[test]
fn matches_equal_those_of_ast_grep() {
    let (rules, recorded, sources) = (list("rules.json"), list("recorded.json"), sources());
    assert!(rules.len() >= 30 && rules.len() == recorded.len());
    let never: Stop = Rc::new(|| false);
    for (rule, recorded) in rules.iter().zip(&recorded) {
        assert_eq!(rule["id"], recorded["id"]);
        let code = match &rule["code"] {
            Value::String(pattern) => CodeRule::pattern(pattern),
            object => CodeRule::object(object),
        };
        let language = Language::find(rule["language"].as_str().expect("is text")).expect("is known");
        let compiled = code.expect("is valid").compile(language).expect("fits");
        let mut found = Vec::new();
        for (name, host) in sources.iter().filter(|(_, host)| *host == language || host.embeds(language)) {
            let text = read(&format!("sources/{name}"));
            let tree = SyntaxTree::parse(&text, *host, &never).expect("is parsed");
            let spans = compiled.find(&tree).expect("is searched");
            found.extend(spans.into_iter().map(|span| json!([name, span.start, span.end])));
        }
        let mut expected = recorded["matches"].as_array().expect("is a list").clone();
        let key = |one: &Value| (one[0].to_string(), one[1].as_u64(), one[2].as_u64());
        expected.sort_by_key(key);
        found.sort_by_key(key);
        assert_eq!(found, expected, "{}", rule["id"]);
    }
    let matches = recorded.iter().map(|one| one["matches"].as_array().map_or(0, Vec::len));
    assert!(matches.sum::<usize>() >= 40, "most rules match something");
}

#[test]
fn prefilter_keeps_every_match() {
    for (rule, recorded) in list("rules.json").iter().zip(&list("recorded.json")) {
        let code = match &rule["code"] {
            Value::String(pattern) => CodeRule::pattern(pattern),
            object => CodeRule::object(object),
        };
        let Some(prefilter) = code.expect("is valid").prefilter() else { continue };
        let words: Vec<&str> =
            prefilter.split('|').map(|word| word.trim_start_matches("(?i:").trim_end_matches(')')).collect();
        for one in recorded["matches"].as_array().expect("is a list") {
            let text = read(&format!("sources/{}", one[0].as_str().expect("is a name")));
            assert!(words.iter().any(|word| text.contains(word)), "{}: {prefilter}", rule["id"]);
        }
    }
}
