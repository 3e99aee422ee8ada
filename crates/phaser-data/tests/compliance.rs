//! The compliance suite of RFC 9535 (jsonpath-standard/jsonpath-compliance-test-suite), which is not part of the project.
//! `PHASER_JSONPATH_SUITE` names its `cts.json`; by default it is in `../shared/jsonpath` of the project's root.

use std::path::{Path, PathBuf};

use phaser_data::{Format, JsonPath, NodeId, Tree, Value};
use serde_json::Value as Json;

fn suite() -> Option<Json> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = std::env::var_os("PHASER_JSONPATH_SUITE")
        .map_or_else(|| root.join("../shared/jsonpath/cts.json"), PathBuf::from);
    let text = std::fs::read_to_string(path).ok()?;
    Some(serde_json::from_str(&text).expect("the suite is JSON"))
}

fn to_json(tree: &Tree<'_>, id: NodeId) -> Json {
    match &tree.node(id).value {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Number => serde_json::from_str(tree.source(id)).expect("a number"),
        Value::String(text) => Json::String(text.to_string()),
        Value::Array(items) => items.iter().map(|item| to_json(tree, *item)).collect(),
        Value::Object(members) => {
            members.iter().map(|member| (member.name.to_string(), to_json(tree, member.value))).collect()
        }
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "a skipped test has to be seen")]
fn passes_the_suite_of_rfc_9535() {
    let Some(suite) = suite() else {
        eprintln!("skipped: no compliance suite (set PHASER_JSONPATH_SUITE)");
        return;
    };
    let tests = suite["tests"].as_array().expect("has tests");
    assert!(tests.len() > 600, "{}", tests.len());
    let mut failed = Vec::new();
    for test in tests {
        let (name, selector) = (&test["name"], test["selector"].as_str().expect("a selector"));
        let path = JsonPath::parse(selector);
        if test["invalid_selector"] == true {
            if path.is_ok() {
                failed.push(format!("{name}: accepted {selector}"));
            }
            continue;
        }
        let path = match path {
            Ok(path) => path,
            Err(error) => {
                failed.push(format!("{name}: {selector}: {error} at {}", error.at));
                continue;
            }
        };
        let document = test["document"].to_string();
        let tree = Tree::parse(&document, Format::Json).expect("the document parses");
        let ids = path.select_all(&tree).expect("few steps");
        let values: Json = ids.iter().map(|id| to_json(&tree, *id)).collect();
        let locations: Json = ids.iter().map(|id| Json::String(tree.location(*id))).collect();
        let any = |one: &Json, many: &Json, got: &Json| {
            one == got || many.as_array().is_some_and(|many| many.contains(got))
        };
        if !any(&test["result"], &test["results"], &values)
            || !any(&test["result_paths"], &test["results_paths"], &locations)
        {
            failed.push(format!("{name}: {selector} on {document}: {values} {locations}"));
        }
    }
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), tests.len(), failed.join("\n"));
}
