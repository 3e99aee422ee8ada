use std::cell::Cell;
use std::rc::Rc;

use serde_json::json;

use super::*;

fn language(name: &str) -> Language {
    Language::find(name).expect("is a language")
}

fn never() -> Stop {
    Rc::new(|| false)
}

fn tree(text: &str, name: &str) -> SyntaxTree {
    SyntaxTree::parse(text, language(name), &never()).expect("is parsed")
}

/// The texts of all matches.
fn found<'t>(rule: &CodeRule, name: &str, text: &'t str) -> Vec<&'t str> {
    let compiled = rule.compile(language(name)).expect("is valid");
    compiled.find(&tree(text, name)).expect("is searched").into_iter().map(|span| &text[span]).collect()
}

fn pattern(pattern: &str) -> CodeRule {
    CodeRule::pattern(pattern).expect("is valid")
}

fn object(rule: Value) -> CodeRule {
    CodeRule::object(&rule).expect("is valid")
}

#[test]
fn matches_code_not_strings_or_comments() {
    let text = "x = eval(y)  # eval(z)\ns = 'eval(s)'\nprint(eval(eval(a)))\n";
    assert_eq!(found(&pattern("eval($X)"), "python", text), ["eval(y)", "eval(eval(a))", "eval(a)"]);
}

#[test]
fn finds_pattern_in_every_language() {
    for (name, text) in [
        ("python", "eval(x)"),
        ("javascript", "<div>{eval(x)}</div>;"),
        ("typescript", "let a: string = eval(x);"),
        ("tsx", "const a = <b>{eval(x)}</b>;"),
        ("rust", "fn f() { let a = eval(x); }"),
        ("go", "package a\nfunc f() { a := eval(x) }\n"),
        ("java", "class A { void f() { eval(x); } }"),
        ("cpp", "int f() { return eval(x); }"),
        ("csharp", "class A { void F() { eval(x); } }"),
        ("ruby", "a = eval(x)"),
        ("php", "$a = eval(x);"),
    ] {
        assert_eq!(found(&pattern("eval($X)"), name, text), ["eval(x)"], "{name}");
    }
    let call = object(json!({ "pattern": { "context": "eval($X);", "selector": "call_expression" } }));
    assert_eq!(found(&call, "c", "int f() { return eval(x); }"), ["eval(x)"]);
    assert_eq!(found(&pattern("eval $X"), "bash", "if true; then eval \"$x\"; fi"), ["eval \"$x\""]);
    assert_eq!(
        found(&pattern("<marquee>$$$</marquee>"), "html", "<p><marquee>x</marquee></p>"),
        ["<marquee>x</marquee>"]
    );
    assert_eq!(
        found(&object(json!({ "kind": "property_name", "regex": "^float$" })), "css", "a { float: left }"),
        ["float"]
    );
    assert_eq!(
        found(
            &object(json!({ "kind": "pair", "has": { "field": "key", "regex": "debug" } })),
            "json",
            "{\"debug\": 1}"
        ),
        ["\"debug\": 1"]
    );
    assert_eq!(found(&pattern("privileged: true"), "yaml", "a:\n  privileged: true\n"), ["privileged: true"]);
}

#[test]
fn searches_around_syntax_errors() {
    assert_eq!(found(&pattern("eval($X)"), "python", "def f(:\n\neval(a)\n)\n"), ["eval(a)"]);
}

#[test]
fn rule_object_takes_relations_and_constraints() {
    let rule = object(json!({
        "any": [{ "pattern": "$F($$$ARGS)" }],
        "inside": { "kind": "function_definition", "stopBy": "end" },
        "not": { "pattern": "safe($$$)" },
        "constraints": { "F": { "regex": "^(safe|eval)$" } },
    }));
    assert_eq!(found(&rule, "python", "eval(1)\ndef f():\n    safe(eval(2))\n    other(3)\n"), ["eval(2)"]);
    let rule = object(json!({ "matches": "call", "utils": { "call": { "pattern": "eval($X)" } } }));
    assert_eq!(found(&rule, "python", "eval(1)"), ["eval(1)"]);
}

#[test]
fn reports_invalid_rules() {
    let refused =
        |rule: Value| CodeRule::object(&rule).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(refused(json!({ "patern": "x" })).contains("patern"));
    assert!(refused(json!({ "kind": [] })).contains("expected a string"));
    let fails = |rule: CodeRule, name| {
        rule.compile(language(name)).err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert!(fails(object(json!({ "kind": "call_expresion" })), "rust").contains("call_expresion"));
    assert!(fails(pattern("a; b"), "javascript").contains("Multiple AST nodes"));
    assert!(fails(pattern("$X"), "python").contains("every kind"));
    assert!(
        fails(pattern(&format!("{}1{}", "(".repeat(300), ")".repeat(300))), "javascript")
            .contains("too deeply")
    );
}

#[test]
fn notices_pattern_of_another_language() {
    let rule = pattern("if ($A) { $$$ } else { $$$ }");
    let has_error = |name| rule.compile(language(name)).map(|rule| rule.has_syntax_error());
    assert_eq!(has_error("javascript"), Ok(false));
    assert_ne!(has_error("python"), Ok(false));
}

#[test]
fn replaces_with_metavariables() {
    let rule = pattern("assert.equal($A, $$$REST)");
    let text = "assert.equal(f(1), 2, 'm')";
    let compiled = rule.compile(language("javascript")).expect("is valid");
    let tree = tree(text, "javascript");
    let made = compiled.replacements(&tree, "check($$$REST; $A, $B, 5$)", &[0..text.len(), 0..1]);
    let made = made.expect("is searched");
    assert_eq!(made, [Some(b"check(2, 'm'; f(1), , 5$)".to_vec()), None]);
    assert_eq!(rule.metavariables(), ["A", "REST"]);
}

#[test]
fn searches_scripts_of_html() {
    let text = "<p>eval(x)</p><script>eval(y)</script><style>a { float: left }</style>";
    let html = tree(text, "html");
    let spans = |rule: CodeRule, name| {
        rule.compile(language(name)).expect("is valid").find(&html).expect("is searched")
    };
    assert_eq!(spans(pattern("eval($X)"), "javascript"), std::iter::once(22..29).collect::<Vec<_>>());
    assert_eq!(spans(object(json!({ "kind": "property_name" })), "css").len(), 1);
}

#[test]
fn stops_when_told() {
    let (looks, text) = (Rc::new(Cell::new(0)), "f(x);\n".repeat(20_000));
    let after = |most| {
        let looks = Rc::clone(&looks);
        looks.set(0);
        let stop: Stop = Rc::new(move || {
            looks.set(looks.get() + 1);
            looks.get() > most
        });
        stop
    };
    assert!(matches!(SyntaxTree::parse(&text, language("javascript"), &after(3)), Err(Unfinished::Stopped)));
    let tree = SyntaxTree::parse(&text, language("javascript"), &after(u64::MAX)).expect("is parsed");
    let parsing = looks.get();
    assert!(parsing > 100, "{parsing}");
    let stopped = SyntaxTree::parse(&text, language("javascript"), &after(parsing + 1)).expect("is parsed");
    let rule = pattern("f($X)").compile(language("javascript")).expect("is valid");
    assert_eq!(rule.find(&tree).map(|spans| spans.len()), Ok(20_000));
    assert_eq!(rule.find(&stopped), Err(Unfinished::Stopped));
}

#[test]
fn ends_on_hostile_input() {
    let never = never();
    assert!(matches!(
        SyntaxTree::parse(&"(".repeat(10_000_000), language("javascript"), &never),
        Err(Unfinished::TooLarge)
    ));
    assert!(matches!(
        SyntaxTree::parse(&"%w(".repeat(6_000), language("rust"), &never),
        Err(Unfinished::TooDeep)
    ));
    assert!(matches!(
        SyntaxTree::parse(&"- ".repeat(400), language("yaml"), &never),
        Err(Unfinished::TooDeep)
    ));
    let stairs: String = (0..300).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    assert!(matches!(SyntaxTree::parse(&stairs, language("yaml"), &never), Err(Unfinished::TooDeep)));
    for language in Language::all() {
        for text in ["(", "[", "{", "<a>", "\"", "'", "a+", "- ", "if(", "((", "<", "${", "\u{0}", "\\"] {
            let text = text.repeat(900 / text.len());
            let Ok(tree) = SyntaxTree::parse(&text, language, &never) else { continue };
            let Ok(rule) = pattern("foo($A, $A)").compile(language) else { continue };
            let _ = rule.find(&tree);
        }
    }
}

/// Between two callbacks the scanner of Python reads to the end of the text a hundred times.
#[test]
fn reading_ahead_is_bounded() {
    let text = "\\\n".repeat(200_000);
    let parse = |stop: &Stop| SyntaxTree::parse(&text, language("python"), stop).map(|_| ());
    assert_eq!(parse(&never()), Err(Unfinished::TooComplex));
    let looks = Rc::new(Cell::new(0));
    let stop: Stop = Rc::new(move || {
        looks.set(looks.get() + 1);
        looks.get() > 100
    });
    assert_eq!(parse(&stop), Err(Unfinished::Stopped), "a part of the text is read between two looks");
}

/// The parts of a text end in the middle of its characters.
#[test]
fn tree_does_not_depend_on_parts() {
    for name in ["a", "aé", "aaé", "\u{20ac}"] {
        let text = format!("{name}{} = 1\n", "é".repeat(10_000));
        let tree = tree(&text, "ruby");
        assert!(!tree.has_error_node(), "{name}");
        let assignment = object(json!({ "kind": "identifier" })).compile(language("ruby")).expect("is valid");
        assert_eq!(assignment.find(&tree), Ok(std::iter::once(0..text.len() - 5).collect()), "{name}");
    }
}

#[test]
fn compares_no_nodes_of_deep_trees() {
    let deep = format!("f({0}1, {0}1)", "1+".repeat(2_000));
    let javascript = language("javascript");
    let tree = tree(&deep, "javascript");
    let find = |text: &str| pattern(text).compile(javascript).expect("is valid").find(&tree);
    assert_eq!(find("f($A, $A)"), Err(Unfinished::TooDeep));
    assert_eq!(find("f($A, $B)").map(|spans| spans.len()), Ok(1));
}

#[test]
fn measures_depth_in_one_pass() {
    let text = format!("x = {}1;", "1 ? 2 : ".repeat(50_000));
    let tree = tree(&text, "javascript");
    assert!(tree.depth() > 50_000, "{}", tree.depth());
}

#[test]
fn deep_trees_are_stopped_early() {
    let looks = Rc::new(Cell::new(0));
    let count = Rc::clone(&looks);
    let stop: Stop = Rc::new(move || {
        count.set(count.get() + 1);
        false
    });
    let text = format!("x = {}1;", "zz + ".repeat(4_000));
    let tree = SyntaxTree::parse(&text, language("javascript"), &stop).expect("is parsed");
    let rule = object(json!({ "pattern": "zz", "follows": { "pattern": "yy" } }));
    looks.set(0);
    assert_eq!(rule.compile(language("javascript")).expect("is valid").find(&tree), Ok(Vec::new()));
    assert!(looks.get() > 400, "4,000 searches for a parent descend 4,000 levels: {}", looks.get());
}

#[test]
fn scripts_of_html_share_their_text() {
    let html = tree(&"<script>f(1)</script>".repeat(20_000), "html");
    let rule = pattern("f($X)").compile(language("javascript")).expect("is valid");
    assert_eq!(rule.find(&html).map(|spans| spans.len()), Ok(20_000));
}

#[test]
fn ends_quadratic_searches() {
    let text = format!("f({})", "[1],".repeat(300_000));
    let tree = tree(&text, "javascript");
    let rule = object(json!({ "kind": "array", "follows": { "kind": "string", "stopBy": "end" } }));
    assert_eq!(
        rule.compile(language("javascript")).expect("is valid").find(&tree),
        Err(Unfinished::TooComplex)
    );
}

/// Nodes of real texts as patterns, as they are and with a metavariable for their first word: the literals must neither exclude
/// the text nor a node that matches.
#[test]
fn literals_exclude_no_match() {
    let sources = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ast-grep/sources");
    let mut with_literals = 0;
    for entry in std::fs::read_dir(sources).expect("a directory") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("is text");
        let language = Language::of_path(path.to_str().expect("is text")).expect("has a language");
        let tree = SyntaxTree::parse(&text, language, &never()).expect("is parsed");
        let mut patterns: Vec<String> = Vec::new();
        for node in tree.root.root().dfs() {
            let pattern = node.text().into_owned();
            if (3..=80).contains(&pattern.len()) && !pattern.contains(['\n', '$']) {
                let word = pattern.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(pattern.len());
                patterns.push(format!("$X{}", &pattern[word..]));
                patterns.push(pattern);
            }
        }
        patterns.sort_unstable();
        patterns.dedup();
        for text_of_pattern in patterns {
            let Ok(mut rule) = pattern(&text_of_pattern).compile(language) else { continue };
            if rule.has_syntax_error() {
                continue;
            }
            with_literals += usize::from(!rule.clauses.is_empty());
            let around_literals = rule.find(&tree).expect("is searched");
            let may_match = rule.may_match(&text);
            rule.clauses.clear();
            let everywhere = rule.find(&tree).expect("is searched");
            assert_eq!(around_literals, everywhere, "{text_of_pattern} in {}", path.display());
            assert!(may_match || everywhere.is_empty(), "{text_of_pattern} in {}", path.display());
        }
    }
    assert!(with_literals > 200, "{with_literals}");
}

#[test]
fn parses_only_texts_with_all_words() {
    let rule = pattern("document.write($X)").compile(language("javascript")).expect("is valid");
    assert!(rule.may_match("document /* now */ .write(x)"));
    assert!(!rule.may_match("document.writeln(x); rewrite(document)"));
    assert!(rule.may_match("1document, 2write"), "a number may stand before a word");
    let quoted = pattern("f('admin')").compile(language("javascript")).expect("is valid");
    assert!(quoted.may_match(r#"f("\nadmin")"#), "an escape may stand before a part of a string");
}
