//! Properties of the trees of all formats.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value as Json;

use crate::{Format, JsonPath, MAX_DEPTH, NodeId, ParseProblem, Scalar, Tree, Value};

fn parse(text: &str, format: Format) -> Tree<'_> {
    Tree::parse(text, format).unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

/// A node as JSON. Numbers are strings, since formats write them differently.
fn to_json(tree: &Tree<'_>, id: NodeId) -> Json {
    match &tree.node(id).value {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Number => Json::from(tree.number(id).expect("a number").as_f64()),
        Value::String(text) => Json::String(text.to_string()),
        Value::Array(items) => items.iter().map(|item| to_json(tree, *item)).collect(),
        Value::Object(members) => {
            members.iter().map(|member| (member.name.to_string(), to_json(tree, member.value))).collect()
        }
    }
}

/// The location, source and JSON of each value that `path` selects.
fn selected(format: Format, text: &str, path: &str) -> Vec<(String, String, String)> {
    let tree = parse(text, format);
    let path = JsonPath::parse(path).expect("a path");
    let mut ids = path.select_all(&tree).expect("few steps");
    ids.sort_unstable();
    ids.dedup();
    ids.into_iter()
        .map(|id| (tree.location(id), tree.source(id).to_owned(), to_json(&tree, id).to_string()))
        .collect()
}

#[track_caller]
fn assert_selected(format: Format, text: &str, path: &str, expected: &[(&str, &str)]) {
    let found = selected(format, text, path);
    let found: Vec<_> =
        found.iter().map(|(location, source, _)| (location.as_str(), source.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn spans_are_those_of_values() {
    assert_selected(
        Format::Json,
        "{\"a\": [1, \"x\\n\" , {\"b\":null}]}",
        "$..*",
        &[
            ("$['a']", "[1, \"x\\n\" , {\"b\":null}]"),
            ("$['a'][0]", "1"),
            ("$['a'][1]", "\"x\\n\""),
            ("$['a'][2]", "{\"b\":null}"),
            ("$['a'][2]['b']", "null"),
        ],
    );
    assert_selected(
        Format::Yaml,
        "a:\n  - x # c\n  - y: 1\n    z: |+ # h\n      one\n\n  - &q 'v'\nb: !Ref foo\n",
        "$..*",
        &[
            ("$['a']", "- x # c\n  - y: 1\n    z: |+ # h\n      one\n\n  - &q 'v'"),
            ("$['a'][0]", "x"),
            ("$['a'][1]", "y: 1\n    z: |+ # h\n      one"),
            ("$['a'][1]['y']", "1"),
            ("$['a'][1]['z']", "|+ # h\n      one"),
            ("$['a'][2]", "'v'"),
            ("$['b']", "foo"),
        ],
    );
    assert_selected(
        Format::Toml,
        "a.b = 1\n[t]\nx = 'y' # c\n[[t.l]]\nn = [1, {i = 2}]\n",
        "$..*",
        &[
            ("$['a']", "a"),
            ("$['a']['b']", "1"),
            ("$['t']", "[t]"),
            ("$['t']['x']", "'y'"),
            ("$['t']['l']", "[[t.l]]"),
            ("$['t']['l'][0]", "[[t.l]]"),
            ("$['t']['l'][0]['n']", "[1, {i = 2}]"),
            ("$['t']['l'][0]['n'][0]", "1"),
            ("$['t']['l'][0]['n'][1]", "{i = 2}"),
            ("$['t']['l'][0]['n'][1]['i']", "2"),
        ],
    );
}

#[test]
fn yaml_has_core_schema() {
    let text = "[on, yes, 3.10, 0o7, 0x1F, ~, null, True, .inf, 1e3, '1', !!str 2, !!int '3', 1_000, 01, +1, 1., 0b1]";
    let tree = parse(text, Format::Yaml);
    let kinds = JsonPath::parse("$[*]").expect("a path").select_all(&tree).expect("few steps");
    let kind = |id: &NodeId| match tree.node(*id).value {
        Value::Null => 'n',
        Value::Bool(_) => 'b',
        Value::Number => '1',
        Value::String(_) => 's',
        _ => '?',
    };
    assert_eq!(kinds.iter().map(kind).collect::<String>(), "ss111nnb11ss1s111s");
}

#[test]
fn documents_aliases_and_merge_keys_resolve() {
    let text =
        "base: &base {image: 'x:1', tag: a}\none:\n  <<: *base\n  tag: b\ntwo: *base\n---\n---\nimage: y\n";
    assert_selected(Format::Yaml, text, "$..image", &[("$['base']['image']", "'x:1'"), ("$['image']", "y")]);
    assert_selected(
        Format::Yaml,
        text,
        "$.one.*",
        &[("$['base']['image']", "'x:1'"), ("$['one']['tag']", "b")],
    );
    assert!(Tree::parse("a: &a [*a]", Format::Yaml).is_err());
}

#[test]
fn alias_bomb_runs_out_of_steps() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let one = format!("*a{}", level - 1);
        text += &format!("a{level}: &a{level} [{}]\n", vec![one; 10].join(", "));
    }
    let tree = parse(&text, Format::Yaml);
    assert!(tree.len() < 200);
    assert!(JsonPath::parse("$..x").expect("a path").select_all(&tree).is_err());
    assert_eq!(JsonPath::parse("$.a11").expect("a path").select_all(&tree).map(|ids| ids.len()), Ok(1));
}

#[test]
fn depth_has_limit() {
    for (format, open, close) in [
        (Format::Json, "[", "]"),
        (Format::JsonWithComments, "{\"a\":", "}"),
        (Format::Yaml, "[", "]"),
        (Format::Yaml, "- ", ""),
        (Format::Toml, "[", "]"),
    ] {
        for count in [10, 300, 100_000] {
            let inner = if format == Format::Json || open == "- " { "1" } else { "" };
            let inner = if open.starts_with('{') { "1" } else { inner };
            let value = open.repeat(count) + inner + &close.repeat(count);
            let text = if format == Format::Toml { format!("a = {value}") } else { value };
            match Tree::parse(&text, format) {
                Ok(tree) => assert!(count == 10 && tree.len() > 9, "{format:?} {count}"),
                Err(error) => {
                    assert!(count > MAX_DEPTH, "{format:?} {error:?}");
                    assert!(matches!(error.problem, ParseProblem::Limit(_)), "{format:?} {count} {error:?}");
                }
            }
        }
    }
}

#[test]
fn errors_have_place() {
    let at = |text: &str, format| Tree::parse(text, format).expect_err("is broken").span.start;
    assert_eq!(at("{\"a\": 1,\n \"b\" 2}", Format::Json), 14);
    assert_eq!(at("{\"a\": 1,}", Format::Json), 7);
    assert_eq!(at("{} // c", Format::Json), 3);
    assert_eq!(at("\"a\nb\"", Format::Json), 2);
    assert_eq!(at("", Format::Json), 0);
    assert_eq!(at("a: 1\nb: [1\nc: 2\n", Format::Yaml), 12);
    assert_eq!(at("a = 1\na = 2\n", Format::Toml), 6);
    assert!(Tree::parse("// c\n{\"a\": [1,],}", Format::JsonWithComments).is_ok());
    assert!(Tree::parse("", Format::JsonWithComments).is_ok_and(|tree| tree.roots().is_empty()));
    assert!(Tree::parse("# only\n", Format::Yaml).is_ok_and(|tree| tree.roots().is_empty()));
}

#[test]
fn comparison_knows_types() {
    let tree = parse("[1, '1', true, 'true', null, 3.10]", Format::Yaml);
    let ids = JsonPath::parse("$[*]").expect("a path").select_all(&tree).expect("few steps");
    let equal = |scalar: &Scalar| -> Vec<usize> {
        (0..ids.len()).filter(|&at| tree.equals(ids[at], scalar)).collect()
    };
    assert_eq!(equal(&Scalar::Number("1.0".to_owned())), [0]);
    assert_eq!(equal(&Scalar::String("1".to_owned())), [1]);
    assert_eq!(equal(&Scalar::Bool(true)), [2]);
    assert_eq!(equal(&Scalar::Null), [4]);
    assert_eq!(tree.scalar_text(ids[5]), Some("3.10"));
}

#[test]
fn path_errors_have_place() {
    for (path, at) in [
        ("a.b", 0),
        ("$.a b", 3),
        ("$.a-b c", 5),
        ("$.-a", 2),
        ("$[?@.a == ]", 10),
        ("$[01]", 2),
        ("$[?foo(@)]", 3),
    ] {
        assert_eq!(JsonPath::parse(path).expect_err(path).at, at, "{path}");
    }
    assert!(JsonPath::parse(&format!("$[?{}@.a{}]", "(".repeat(1_000), ")".repeat(1_000))).is_err());
}

#[test]
fn names_may_have_hyphens() {
    let text = "jobs: {a-b: {timeout-minutes: 5}}";
    let expected = [("$['jobs']['a-b']['timeout-minutes']", "5")];
    for path in
        ["$.jobs.a-b.timeout-minutes", "$..timeout-minutes", "$.jobs[?@.timeout-minutes==5].timeout-minutes"]
    {
        assert_selected(Format::Yaml, text, path, &expected);
    }
}

#[test]
fn required_names_are_those_on_the_way() {
    let names = |path: &str| {
        JsonPath::parse(path)
            .expect("a path")
            .required_names()
            .map(str::to_owned)
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(names("$.a..b['c','d'][?@.e].f[0]"), "a b f");
}

/// JSON documents as serde_json writes them, with various white space.
fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        any::<i32>().prop_map(Json::from),
        (-1000.0..1000.0f64).prop_map(Json::from),
        "[ -~éß\n\t\u{1F600}\u{85}]{0,6}".prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 30, 4, |inner| {
        let key = "[a-c\"\\\\ é]{0,3}";
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Json::Array),
            vec((key, inner), 0..4).prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

/// Numbers as floats, as [`to_json`] has them.
fn normal(value: &Json) -> Json {
    match value {
        Json::Number(number) => Json::from(number.as_f64()),
        Json::Array(items) => items.iter().map(normal).collect(),
        Json::Object(members) => members.iter().map(|(key, value)| (key.clone(), normal(value))).collect(),
        other => other.clone(),
    }
}

/// Fragments of which most texts are broken.
const FRAGMENTS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"a\"",
    "1",
    "-",
    "\n",
    " ",
    "  ",
    "'",
    "\"",
    "\\",
    "# c\n",
    "//",
    "/*",
    "a",
    "=",
    "&x ",
    "*x",
    "<<",
    ": ",
    "- ",
    "|\n",
    ">",
    "!t ",
    "---\n",
    "...\n",
    "%",
    "[[",
    "]]",
    ".",
    "true",
    "\u{feff}",
    "\u{1F600}",
    "\t",
    "? ",
    "\r\n",
];

proptest! {
    #[test]
    fn text_at_span_parses_to_value(value in json(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        let text = text.expect("is JSON");
        for format in [Format::Json, Format::JsonWithComments, Format::Yaml] {
            let tree = parse(&text, format);
            prop_assert_eq!(to_json(&tree, tree.roots()[0]), normal(&value));
            for id in tree.nodes() {
                let part: Json = serde_json::from_str(tree.source(id)).expect("the part is JSON");
                prop_assert_eq!(normal(&part), to_json(&tree, id));
                prop_assert_eq!(tree.at_shown_span(&tree.shown_span(id)), Some(id));
                let location = JsonPath::parse(&tree.location(id)).expect("a path");
                prop_assert_eq!(location.select_all(&tree), Ok(vec![id]));
            }
        }
    }

    #[test]
    fn written_string_is_read_back(value in json(), text in "[ -~éß\n\t\u{85}\u{2028}\u{feff}]{0,8}", at in any::<prop::sample::Index>()) {
        let document = serde_json::to_string(&value).expect("is JSON");
        let toml = "a = 'x'\n[b]\nc = [1, \"y\"]\n";
        let block = "a: x\nb:\n  - y # c\n  - {d: 'z', e: 1}\n";
        for (format, document) in [(Format::Json, document.as_str()), (Format::Yaml, &document), (Format::Toml, toml), (Format::Yaml, block)] {
            let tree = parse(document, format);
            let scalars: Vec<NodeId> = tree.nodes().filter(|id| tree.scalar_text(*id).is_some()).collect();
            if scalars.is_empty() {
                continue;
            }
            let id = scalars[at.index(scalars.len())];
            let (span, location) = (tree.shown_span(id), tree.location(id));
            let changed = [&document[..span.start], &tree.written_string(id, &text), &document[span.end..]].concat();
            let after = parse(&changed, format);
            let found = JsonPath::parse(&location).expect("a path").select_all(&after).expect("few steps");
            prop_assert_eq!(found.len(), 1, "{}", changed);
            prop_assert!(after.equals(found[0], &Scalar::String(text.clone())), "{} {}", changed, location);
        }
    }

    #[test]
    fn json_is_accepted_as_serde_json_does(fragments in vec(proptest::sample::select(FRAGMENTS), 0..8)) {
        let text = fragments.concat();
        let ours = Tree::parse(&text, Format::Json).is_ok();
        prop_assert_eq!(ours, serde_json::from_str::<Json>(&text).is_ok(), "{}", text);
    }

    #[test]
    fn any_text_gives_tree_or_error(fragments in vec(proptest::sample::select(FRAGMENTS), 0..20)) {
        let text = fragments.concat();
        for format in [Format::Json, Format::JsonWithComments, Format::Yaml, Format::Toml] {
            match Tree::parse(&text, format) {
                Ok(tree) => {
                    for id in tree.nodes() {
                        prop_assert!(text.get(tree.node(id).span.clone()).is_some(), "{:?}", text);
                        prop_assert!(text.get(tree.shown_span(id)).is_some(), "{:?}", text);
                        let _ = (tree.location(id), tree.written_string(id, "x"));
                    }
                }
                Err(error) => prop_assert!(text.get(error.span.clone()).is_some(), "{:?} {:?}", text, error),
            }
        }
    }
}
