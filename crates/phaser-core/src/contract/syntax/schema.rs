//! The JSON Schema of contract files for editors, derived from the tables of keys and types.
//!
//! It accepts what the parser accepts, except that an unknown key is an error.

use serde_json::{Map, Value, json};

use crate::check::TYPES;
use crate::contract::ContractSchema;
use crate::contract::keys::{ContractKey, KEYS, KeyRequired, RULE, UNREAD};

/// The `$id` of the schema: a name, because phaser has no fixed address.
const ID: &str = "urn:phaser:schema:contract";

/// The JSON Schema of both contract schemas.
pub fn schema() -> Value {
    let mut top: Map<String, Value> =
        KEYS.iter().map(|key| (key.name.to_owned(), described((key.schema)(), key.meaning))).collect();
    let rule = "The contract in the version 1.2 format; its keys are here instead of at the top level.";
    top.insert(RULE.to_owned(), described(json!({ "$ref": "#/$defs/Rule" }), rule));
    for (name, meaning) in UNREAD {
        top.insert(name.to_owned(), described(json!({}), meaning));
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": ID,
        "title": "phaser contract",
        "description": "A project rule that phaser enforces.",
        "type": "object",
        "properties": top,
        "additionalProperties": false,
        "if": { "required": [RULE] },
        "then": true,
        "else": demands(ContractSchema::Flat),
        "$defs": { "Rule": rule_schema(), "Examples": examples_schema(), "Example": example_schema() },
    })
}

/// The schema of `rule`.
fn rule_schema() -> Value {
    let in_rule = KEYS.iter().filter(|key| !key.names_in_rule().is_empty());
    let property = |key: &ContractKey| {
        let meaning = key.v1_2_meaning.unwrap_or(key.meaning);
        (key.name_in(ContractSchema::V1_2).to_owned(), described((key.schema)(), meaning))
    };
    let mut rule = json!({
        "description": "A contract in the version 1.2 format.",
        "type": "object",
        "properties": in_rule.map(property).collect::<Map<_, _>>(),
        "additionalProperties": false,
    });
    if let (Some(rule), Value::Object(demands)) = (rule.as_object_mut(), demands(ContractSchema::V1_2)) {
        rule.extend(demands);
    }
    rule
}

/// The keys that every contract must have, and those that its type requires.
fn demands(schema: ContractSchema) -> Value {
    let is_by_type =
        |key: &&ContractKey| matches!(key.required, KeyRequired::ByType | KeyRequired::UnlessOptional);
    let always = KEYS.iter().filter(|key| !is_by_type(key) && key.is_required(schema, None));
    let required = always.map(|key| key.name_in(schema));
    let by_type = KEYS.iter().filter(is_by_type).filter_map(|key| {
        let requires = |kind: &&&crate::check::ContractType| key.is_required(schema, Some(kind));
        let types: Vec<_> = TYPES.iter().filter(requires).map(|kind| kind.name).collect();
        (!types.is_empty()).then(|| {
            json!({
                "if": { "properties": { "type": { "enum": types } } },
                "then": { "required": [key.name_in(schema)] },
            })
        })
    });
    let one_of = TYPES.iter().filter(|kind| !kind.one_of_keys.is_empty()).map(|kind| {
        let keys = kind.one_of_keys.iter().map(|key| json!({ "required": [key] }));
        json!({
            "if": { "properties": { "type": { "const": kind.name } } },
            "then": { "anyOf": keys.collect::<Vec<_>>() },
        })
    });
    json!({ "required": required.collect::<Vec<_>>(), "allOf": by_type.chain(one_of).collect::<Vec<_>>() })
}

fn examples_schema() -> Value {
    let list =
        |meaning| described(json!({ "type": "array", "items": { "$ref": "#/$defs/Example" } }), meaning);
    json!({
        "description": "Texts that must violate the contract and texts that must pass.",
        "type": "object",
        "properties": {
            "violating": list("Texts that violate the contract."),
            "passing": list("Texts that pass."),
        },
        "additionalProperties": false,
    })
}

fn example_schema() -> Value {
    let placed = json!({
        "type": "object",
        "properties": {
            "path": { "type": ["string", "null"], "description": "The path of the text." },
            "text": { "type": "string", "description": "The text." },
            "fixed": { "type": ["string", "null"], "description": "The text after `phaser fix`." },
        },
        "required": ["text"],
        "additionalProperties": false,
    });
    let version = |meaning: &str| json!({ "type": ["string", "null"], "description": meaning });
    let change = json!({
        "type": "object",
        "properties": {
            "path": { "type": ["string", "null"], "description": "The path of the file." },
            "before": version("The text before the change; null for a new file."),
            "after": version("The text after the change; null for a deleted file."),
        },
        "required": ["before", "after"],
        "additionalProperties": false,
    });
    let path = json!({ "type": "string", "minLength": 1 });
    let paths = json!({ "anyOf": [path, { "type": "array", "items": path, "minItems": 1 }] });
    let files = json!({
        "type": "object",
        "properties": { "files": described(paths, "The paths of the files.") },
        "required": ["files"],
        "additionalProperties": false,
    });
    json!({
        "description": "A text, a text with its path and the text after the fix, a change, or files.",
        "anyOf": [
            described(json!({ "type": "string" }), "A text, checked under a path that matches the glob."),
            described(
                json!({ "type": "boolean" }),
                "A text that YAML reads as a boolean; used as written.",
            ),
            described(
                json!({ "type": "number" }),
                "A text that YAML reads as a number; used as written.",
            ),
            described(placed, "A text, its path, and the text after `phaser fix`."),
            described(change, "Both versions of a file, for a contract about changes."),
            described(files, "Files of a project or of a change, for a contract about companions."),
        ],
    })
}

/// Puts a description in front of a schema.
fn described(schema: Value, meaning: &str) -> Value {
    let mut described = Map::from_iter([("description".to_owned(), json!(meaning))]);
    if let Value::Object(schema) = schema {
        described.extend(schema);
    }
    Value::Object(described)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::keys::{MAX_PATTERN, MAX_TAGS};
    use crate::contract::{LayerKind, Origin, syntax};

    /// Enough of JSON Schema for the keywords that the schema uses; an unknown one fails the test.
    fn conforms(schema: &Value, value: &Value, root: &Value) -> bool {
        let Value::Object(keywords) = schema else { return schema != &Value::Bool(false) };
        let holds = |schema: &Value| conforms(schema, value, root);
        let branch = |name: &str| keywords.get(name).is_none_or(holds);
        let length = || value.as_str().map_or(0, str::len) as u64;
        let list = |keyword: &Value| keyword.as_array().cloned().unwrap_or_default();
        keywords.iter().all(|(keyword, given)| match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" | "then" | "else" => true,
            "$ref" => {
                let target = given.as_str().and_then(|path| root.pointer(path.trim_start_matches('#')));
                target.is_some_and(holds)
            }
            "type" => match given {
                Value::Array(types) => types.iter().any(|kind| is_a(value, kind)),
                kind => is_a(value, kind),
            },
            "enum" => list(given).contains(value),
            "const" => given == value,
            "oneOf" => list(given).iter().filter(|&schema| holds(schema)).count() == 1,
            "anyOf" => list(given).iter().any(holds),
            "allOf" => list(given).iter().all(holds),
            "if" => {
                if holds(given) {
                    branch("then")
                } else {
                    branch("else")
                }
            }
            "minItems" => given.as_u64() <= Some(value.as_array().map_or(u64::MAX, |list| list.len() as u64)),
            "maxItems" => given.as_u64() >= Some(value.as_array().map_or(0, |list| list.len() as u64)),
            "minLength" => given.as_u64() <= Some(length()),
            "maxLength" => given.as_u64() >= Some(length()),
            "pattern" => {
                let regex = regex_automata::meta::Regex::new(given.as_str().expect("text")).expect("valid");
                value.as_str().is_none_or(|text| regex.is_match(text))
            }
            "required" => value.as_object().is_none_or(|object| {
                list(given).iter().all(|key| object.contains_key(key.as_str().expect("text")))
            }),
            "items" => {
                value.as_array().is_none_or(|items| items.iter().all(|item| conforms(given, item, root)))
            }
            "properties" => value.as_object().is_none_or(|object| {
                object
                    .iter()
                    .all(|(key, value)| given.get(key).is_none_or(|given| conforms(given, value, root)))
            }),
            "additionalProperties" => value.as_object().is_none_or(|object| {
                object.keys().all(|key| keywords["properties"].get(key).is_some() || given != &json!(false))
            }),
            unknown => panic!("keyword {unknown}"),
        })
    }

    fn is_a(value: &Value, kind: &Value) -> bool {
        match kind.as_str().expect("text") {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "null" => value.is_null(),
            "number" => value.is_number(),
            other => panic!("type {other}"),
        }
    }

    #[test]
    fn the_schema_and_the_validation_agree() {
        let flat =
            "rule_id: a\ntype: forbid_pattern\npattern: x\nfile_glob: '**'\nmessage: m\nseverity: error\n";
        let nested =
            "version: '1.2'\nrule: {id: a, type: forbid_pattern, pattern: x, file_glob: '**', message: m}\n";
        let schema = schema();
        let long = format!("pattern: {}", "a".repeat(MAX_PATTERN + 1));
        let many_tags = format!("message: m\ntags: [{}]", "x, ".repeat(MAX_TAGS + 1));
        let changes = [
            ("", ""),
            ("rule_id: a", "rule_id: 'a_b'"),
            ("rule_id: a", "rule_id: ''"),
            ("rule_id: a\n", ""),
            ("id: a, ", ""),
            ("forbid_pattern", "forbid"),
            ("forbid_pattern\npattern: x", "file_exists"),
            ("forbid_pattern, pattern: x", "file_not_exists"),
            ("pattern: x\n", ""),
            ("pattern: x,", ""),
            ("pattern: x", "pattern: ''"),
            ("pattern: x", long.as_str()),
            ("file_glob: '**'", "file_glob: ''"),
            ("message: m", "message: ' '"),
            ("severity: error\n", ""),
            ("error", "warning"),
            ("error", "fatal"),
            ("file_glob: '**'", "file_glob: ['a', b]"),
            ("file_glob: '**'", "file_glob: [a, '']"),
            ("file_glob: '**'", "file_glob: []"),
            ("file_glob: '**'", "file_glob: {a: b}"),
            ("message: m", "message: m\ntags: [a, b-1]"),
            ("message: m", "message: m\ntags: []"),
            ("message: m", "message: m\ntags: [a b]"),
            ("message: m", "message: m\ntags: a"),
            ("message: m", many_tags.as_str()),
            ("message: m", "message: m, tags: [a]"),
            ("message: m", "message: m\nin: code"),
            ("message: m", "message: m\nin: [comments, strings]"),
            ("message: m", "message: m\nin: []"),
            ("message: m", "message: m\nin: comment"),
            ("message: m", "message: m\nin: [code, 1]"),
            ("message: m", "message: m\nin: {code: true}"),
            ("message: m", "message: m\nfix: ''"),
            ("message: m", "message: m\nfix: '$0 y'"),
            ("message: m", "message: m\nfix: [a]"),
            ("message: m", "message: m, fix: why"),
            ("message: m", "message: m\nexamples: {violating: [{text: x, fixed: y}]}"),
            ("message: m", "message: m\nenabled: false"),
            ("message: m", "message: m\nenabled: perhaps"),
            ("message: m", "message: m\nexamples: {violating: [x, {path: a, text: x}], passing: []}"),
            ("message: m", "message: m\nexamples: {violating: [{path: a}]}"),
            ("message: m", "message: m\nexamples: {violating: [{files: []}]}"),
            ("message: m", "message: m\nexamples: {violating: [{files: [a, '']}]}"),
            ("message: m", "message: m\nexamples: {violating: [{files: a, text: x}]}"),
            ("message: m", "message: m, severity: warning"),
        ];
        for (from, to) in changes {
            for yaml in [flat.replacen(from, to, 1), nested.replacen(from, to, 1)] {
                let origin = Origin { layer: LayerKind::Project, file: "a.yaml".into() };
                let valid = syntax::parse(&yaml, origin).is_ok();
                let conforming =
                    serde_saphyr::from_str(&yaml).is_ok_and(|value| conforms(&schema, &value, &schema));
                assert_eq!(conforming, valid, "{yaml}");
            }
        }
    }

    #[test]
    fn schema_has_every_key() {
        let schema = schema();
        let conforming = |yaml| {
            let value = serde_saphyr::from_str(yaml).expect("is YAML");
            conforms(&schema, &value, &schema)
        };
        let contract = "rule_id: a\ntype: file_exists\nfile_glob: x\nmessage: m\nseverity: error\n";
        assert!(conforming(contract));
        assert!(!conforming(&format!("{contract}enable: false\n")));
    }
}
