//! Contracts as JSON.

use serde_json::{Map, Value, json};

use phaser_core::contract::keys::{ContractKey, KEYS, Value as KeyValue, ValueShape};
use phaser_core::contract::{Contract, Example};

/// The version of the JSON documents; incremented by breaking changes.
pub const VERSION: u32 = 1;

/// All keys of a contract, and its origin.
pub fn contract(contract: &Contract) -> Value {
    let mut object: Map<String, Value> =
        KEYS.iter().map(|key| (key.name.to_owned(), value(key, contract))).collect();
    object.insert("source".to_owned(), json!(contract.origin.layer.as_str()));
    object.insert("file".to_owned(), json!(contract.origin.file.display().to_string()));
    object.insert("below".to_owned(), json!(contract.scope.base.to_text()));
    Value::Object(object)
}

/// The same, with whether the project uses it.
pub fn used_contract(used: &Contract, in_use: bool) -> Value {
    let mut value = contract(used);
    value["in_use"] = json!(in_use);
    value
}

fn value(key: &ContractKey, contract: &Contract) -> Value {
    match (key.shape, key.value_of(contract)) {
        (ValueShape::Examples, _) => examples(contract),
        (ValueShape::Words { get, .. }, _) => json!(get(contract)),
        // Flags default to true.
        (ValueShape::Flag { .. }, None) => json!(true),
        (ValueShape::Choices { get, .. }, _) => json!(get(contract)),
        (ValueShape::Scalars { get, .. }, Some(_)) => get(contract).iter().map(|one| literal(one)).collect(),
        (_, Some(KeyValue::Literal(text))) => literal(&text.text),
        (_, Some(KeyValue::Text(text))) => json!(text.text),
        (_, Some(KeyValue::Object(object))) => serde_json::from_str(&object.text).unwrap_or_default(),
        (_, Some(KeyValue::Flag(flag))) => json!(flag),
        (
            _,
            Some(KeyValue::List(_) | KeyValue::Scalars(_) | KeyValue::Examples(_) | KeyValue::Empty(_))
            | None,
        ) => Value::Null,
    }
}

/// A literal as JSON. A number that JSON cannot write is a text.
fn literal(literal: &str) -> Value {
    serde_json::from_str(literal).unwrap_or_else(|_| json!(literal))
}

fn examples(contract: &Contract) -> Value {
    let all = |examples: &[Example]| -> Vec<Value> {
        let one = |example: &Example| {
            let mut one = json!({ "path": example.path, "text": example.text });
            if let Some(change) = &example.change {
                one["before"] = json!(change.before);
                one["after"] = json!(change.after);
            }
            if !example.files.is_empty() {
                one["files"] = json!(example.files);
            }
            if let Some(fixed) = &example.fixed {
                one["fixed"] = json!(fixed);
            }
            one
        };
        examples.iter().map(one).collect()
    };
    json!({ "violating": all(&contract.examples.violating), "passing": all(&contract.examples.passing) })
}
