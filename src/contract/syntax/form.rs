//! The keys of a contract file: how they are spelled, what they mean, and the JSON Schema that tells
//! both to editors. The comments on the fields are the documentation that users read.
//!
//! The schema demands what the validation demands, and it is stricter in one point: unknown keys.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::{MAX_ID, MAX_PATTERN, Spanned};
use crate::contract::{Kind, Severity};
use crate::glob::MAX_GLOB_LEN;

/// A rule of the project that phaser keeps true.
#[derive(Deserialize, JsonSchema)]
#[schemars(title = "phaser contract")]
pub(super) struct File {
    /// The name of the contract, by which it is shown and ignored: letters, digits and hyphens.
    #[schemars(schema_with = "id")]
    pub rule_id: Option<Spanned<String>>,
    /// What the contract demands.
    #[serde(rename = "type")]
    #[schemars(schema_with = "kind")]
    pub kind: Option<Spanned<String>>,
    /// The regular expression to look for; best written in single quotes.
    #[schemars(schema_with = "pattern")]
    pub pattern: Option<Spanned<String>>,
    /// The files it is about, by their path from the project root: `*` and `?` stop at `/`, `**` crosses it;
    /// also `{a,b}`, `[abc]` and `[!abc]`.
    #[schemars(schema_with = "glob")]
    pub file_glob: Option<Spanned<String>>,
    /// What to tell whoever violates it: say what to do instead.
    #[schemars(schema_with = "message")]
    pub message: Option<Spanned<String>>,
    /// How bad a violation is: an `error` blocks an edit and fails a run, a `warning` is advice.
    #[schemars(schema_with = "severity")]
    pub severity: Option<Spanned<String>>,
    /// Why the rule exists.
    #[schemars(with = "String")]
    pub rationale: Option<String>,
    /// Is the contract switched on? It is, unless this says `false`.
    #[schemars(with = "bool")]
    pub enabled: Option<Spanned<bool>>,
    /// Texts that show what the contract means; `phaser contracts test` runs them.
    #[schemars(with = "FileExamples")]
    pub examples: Option<FileExamples>,
    /// The contract in the form of version 1.2: its keys stand here instead of at the top.
    #[schemars(with = "Rule")]
    pub rule: Option<Spanned<Rule>>,
    /// The version of the form; not read.
    #[serde(rename = "version")]
    #[schemars(with = "Value")]
    pub _version: Option<IgnoredAny>,
    /// What the contract was made from; not read.
    #[serde(rename = "audit_source")]
    #[schemars(with = "Value")]
    pub _audit_source: Option<IgnoredAny>,
    /// When the contract was made; not read.
    #[serde(rename = "created_at")]
    #[schemars(with = "Value")]
    pub _created_at: Option<IgnoredAny>,
}

/// A contract in the form of version 1.2.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Rule {
    /// The name of the contract, by which it is shown and ignored: letters, digits and hyphens.
    #[serde(alias = "rule_id")]
    #[schemars(schema_with = "id")]
    pub id: Option<Spanned<String>>,
    /// What the contract demands.
    #[serde(rename = "type")]
    #[schemars(schema_with = "kind")]
    pub kind: Option<Spanned<String>>,
    /// What to look for: a regular expression, but for `file_contains` and `file_not_contains` the text itself.
    #[schemars(schema_with = "pattern")]
    pub pattern: Option<Spanned<String>>,
    /// The files it is about, by their path from the project root.
    #[schemars(schema_with = "glob")]
    pub file_glob: Option<Spanned<String>>,
    /// What to tell whoever violates it: say what to do instead.
    #[schemars(schema_with = "message")]
    pub message: Option<Spanned<String>>,
    /// How bad a violation is; an `error` unless this says otherwise.
    #[schemars(schema_with = "severity")]
    pub severity: Option<Spanned<String>>,
    /// Why the rule exists.
    #[schemars(with = "String")]
    pub rationale: Option<String>,
    /// Texts that show what the contract means; `phaser contracts test` runs them.
    #[schemars(with = "FileExamples")]
    pub examples: Option<FileExamples>,
}

/// Texts that show what a contract means.
#[derive(Deserialize, JsonSchema, Default)]
#[schemars(rename = "Examples", deny_unknown_fields)]
pub(super) struct FileExamples {
    /// Texts that violate the contract.
    #[serde(default)]
    #[schemars(with = "Vec<FileExample>")]
    pub violating: Vec<Spanned<FileExample>>,
    /// Texts that do not.
    #[serde(default)]
    #[schemars(with = "Vec<FileExample>")]
    pub passing: Vec<Spanned<FileExample>>,
}

/// A text, or a text with the path that it is judged under.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged, expecting = "an example is a text, or a 'path' and a 'text' (put the text in quotes)")]
#[schemars(rename = "Example")]
pub(super) enum FileExample {
    /// A text, judged under a path that fits the glob.
    Text(String),
    /// A text that YAML takes for a truth value; it counts as it is written.
    Flag(bool),
    /// A text that YAML takes for a number; it counts as it is written.
    Number(f64),
    /// A text and its path.
    Placed(PlacedExample),
}

/// A text and the path that it is judged under.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub(super) struct PlacedExample {
    /// The path that the text is judged under.
    pub path: Option<String>,
    /// The text.
    pub text: String,
}

/// The JSON Schema of contract files, in both forms.
pub fn schema() -> Value {
    let mut schema = SchemaGenerator::default().into_root_schema_for::<File>().to_value();
    let flat = demands("rule_id", &["type", "file_glob", "message", "severity"]);
    schema["additionalProperties"] = json!(false);
    if let Some(root) = schema.as_object_mut() {
        root.remove("required");
        root.insert("if".to_owned(), json!({ "required": ["rule"] }));
        root.insert("then".to_owned(), json!(true));
        root.insert("else".to_owned(), flat);
    }
    if let Some(rule) = schema.pointer_mut("/$defs/Rule").and_then(Value::as_object_mut) {
        rule.insert("additionalProperties".to_owned(), json!(false));
        let Value::Object(nested) = demands("id", &["type", "file_glob", "message"]) else { return schema };
        rule.extend(nested);
    }
    schema
}

/// The keys that a contract must have, and that one of a type with a pattern must have one.
fn demands(id: &str, others: &[&str]) -> Value {
    let required: Vec<_> = std::iter::once(id).chain(others.iter().copied()).collect();
    let with_pattern: Vec<_> =
        Kind::ALL.into_iter().filter(|kind| kind.has_pattern()).map(Kind::as_str).collect();
    json!({
        "required": required,
        "allOf": [{
            "if": { "properties": { "type": { "enum": with_pattern } } },
            "then": { "required": ["pattern"] },
        }],
    })
}

fn id(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "pattern": format!("^[A-Za-z0-9-]{{1,{MAX_ID}}}$") })
}

fn kind(_: &mut SchemaGenerator) -> Schema {
    let one = |kind: Kind| json!({ "const": kind.as_str(), "description": meaning(kind) });
    json_schema!({ "oneOf": Kind::ALL.map(one) })
}

/// What a contract of this type demands, in a sentence for users.
pub fn meaning(kind: Kind) -> &'static str {
    match kind {
        Kind::ForbidPattern => "No file of the glob may match the pattern; each match is a violation.",
        Kind::RequirePattern => "Every file of the glob must match the pattern.",
        Kind::FileExists => "A file of the glob must exist.",
        Kind::FileNotExists => "No file of the glob may exist.",
        Kind::FileContains => "Every file of the glob must contain the pattern.",
        Kind::FileNotContains => "No file of the glob may contain the pattern; each match is a violation.",
    }
}

fn pattern(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "minLength": 1, "maxLength": MAX_PATTERN })
}

fn glob(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "minLength": 1, "maxLength": MAX_GLOB_LEN })
}

fn message(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "pattern": "\\S" })
}

fn severity(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "enum": [Severity::Error.as_str(), Severity::Warning.as_str()] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Origin, Place, syntax};

    /// Enough of JSON Schema for the keywords that the schema uses; an unknown one fails the test.
    fn conforms(schema: &Value, value: &Value, root: &Value) -> bool {
        let Value::Object(keywords) = schema else { return schema != &Value::Bool(false) };
        let holds = |schema: &Value| conforms(schema, value, root);
        let branch = |name: &str| keywords.get(name).is_none_or(holds);
        let length = || value.as_str().map_or(0, str::len) as u64;
        let list = |keyword: &Value| keyword.as_array().cloned().unwrap_or_default();
        keywords.iter().all(|(keyword, given)| match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "then" | "else" => true,
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
            ("message: m", "message: m\nenabled: false"),
            ("message: m", "message: m\nenabled: perhaps"),
            ("message: m", "message: m\nexamples: {violating: [x, {path: a, text: x}], passing: []}"),
            ("message: m", "message: m\nexamples: {violating: [{path: a}]}"),
            ("message: m", "message: m, severity: warning"),
        ];
        for (from, to) in changes {
            for yaml in [flat.replacen(from, to, 1), nested.replacen(from, to, 1)] {
                let origin = Origin { place: Place::Project, file: "a.yaml".into() };
                let valid = syntax::parse(&yaml, origin).is_ok();
                let conforming =
                    serde_saphyr::from_str(&yaml).is_ok_and(|value| conforms(&schema, &value, &schema));
                assert_eq!(conforming, valid, "{yaml}");
            }
        }
    }

    #[test]
    fn the_schema_knows_the_keys_that_are_read() {
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
