//! The table of configuration keys: how each is parsed, its meaning, and the JSON Schema of its value.

use serde_json::{Map, Value as Json, json};

use super::Config;
use super::read::ConfigReader;
use crate::packs::PACKS;
use phaser_core::contract::syntax::YamlNode;
use phaser_glob::MAX_GLOB_LEN;

/// Selects every pack.
pub const ALL_PACKS: &str = "all";

/// One key.
pub struct ConfigKey {
    /// The name.
    pub name: &'static str,
    /// Other spellings, for the hint.
    pub mistaken_for: &'static [&'static str],
    /// The description in the schema.
    pub meaning: &'static str,
    /// Parses the value into a configuration.
    pub set: fn(&mut ConfigReader<'_>, &YamlNode, &mut Config),
    /// The JSON Schema of the value.
    pub schema: fn() -> Json,
}

/// All keys, in the order of the documentation.
pub static KEYS: [ConfigKey; 12] = [
    ConfigKey {
        name: "packs",
        mistaken_for: &["pack"],
        meaning: "Built-in packs to use, in every mode.",
        set: |reader, node, config| config.packs = reader.packs(node),
        schema: || {
            let names =
                PACKS.iter().map(|pack| json!({ "const": pack.name, "description": pack.description }));
            let all = json!({ "const": ALL_PACKS, "description": "every pack" });
            one_or_more(&json!({ "oneOf": names.chain([all]).collect::<Vec<_>>() }))
        },
    },
    ConfigKey {
        name: "contracts",
        mistaken_for: &["contracts_dir", "directories", "extends", "include"],
        meaning: "Further contract directories, relative to the directory that contains `.claude`; the project's own come first.",
        set: |reader, node, config| config.contracts = reader.directories(node),
        schema: || one_or_more(&json!({ "type": "string", "minLength": 1 })),
    },
    ConfigKey {
        name: "exclude",
        mistaken_for: &["excludes", "exclude_glob", "ignore", "skip"],
        meaning: "Files that no contract reports anything in: one glob, or a list. `file_exists` still finds its file there.",
        set: |reader, node, config| config.exclude = reader.globs(node, "exclude"),
        schema: globs,
    },
    ConfigKey {
        name: "overrides",
        mistaken_for: &["override", "rules"],
        meaning: "Changes to contracts, everywhere or for some files; later ones win.",
        set: |reader, node, config| config.overrides = reader.overrides(node),
        schema: override_schema,
    },
    ConfigKey {
        name: "existing",
        mistaken_for: &["old"],
        meaning: "Whether violations from before a change count like all others (`deny`), or only new ones count (`report`).",
        set: |reader, node, config| config.existing = reader.existing(node),
        schema: || json!({ "enum": ["deny", "report"] }),
    },
    ConfigKey {
        name: "ignores",
        mistaken_for: &["directives"],
        meaning: "The response to an agent's edit that adds an ignore directive.",
        set: |reader, node, config| config.ignores = reader.policy(node, "ignores"),
        schema: || json!({ "enum": POLICIES }),
    },
    ConfigKey {
        name: "protect",
        mistaken_for: &["protected"],
        meaning: "The response to an agent's edit that weakens enforcement.",
        set: |reader, node, config| config.protect = reader.policy(node, "protect"),
        schema: || json!({ "enum": POLICIES }),
    },
    ConfigKey {
        name: "fixes",
        mistaken_for: &["fix"],
        meaning: "Whether to fix violations in an agent's edit, where the contract has a fix.",
        set: |reader, node, config| config.fixes = reader.fixes(node),
        schema: || json!({ "enum": ["apply", "off", false] }),
    },
    ConfigKey {
        name: "cache",
        mistaken_for: &["caching"],
        meaning: "Whether to cache results for the next run.",
        set: |reader, node, config| config.cache = reader.switch(node, "cache"),
        schema: switch,
    },
    ConfigKey {
        name: "strict",
        mistaken_for: &["fail_closed"],
        meaning: "Whether broken contracts, skipped files and stale baseline entries fail a run, as with `--strict`. Hooks ignore it.",
        set: |reader, node, config| config.strict = reader.switch(node, "strict"),
        schema: switch,
    },
    ConfigKey {
        name: "log",
        mistaken_for: &["logging", "decisions"],
        meaning: "Whether hooks log their decisions in git's directory, for `phaser decisions`.",
        set: |reader, node, config| config.log = reader.switch(node, "log"),
        schema: switch,
    },
    ConfigKey {
        name: "repeated",
        mistaken_for: &["repeat", "repeats"],
        meaning: "The response from the fifth denial on of the same contract for the same file in a session.",
        set: |reader, node, config| config.repeated = reader.repeated(node),
        schema: || json!({ "enum": ["deny", "ask"] }),
    },
];

/// The values of `ignores` and `protect`.
pub const POLICIES: [&str; 4] = ["allow", "report", "ask", "deny"];

/// The keys of an override.
pub const IN_OVERRIDE: [&str; 4] = ["contracts", "files", "severity", "enabled"];

/// The `$id` of the schema: a name, because phaser has no fixed address.
const SCHEMA_ID: &str = "urn:phaser:schema:configuration";

/// The JSON Schema of a configuration.
pub fn schema() -> Json {
    let described = |key: &ConfigKey| {
        let mut schema = (key.schema)();
        schema["description"] = json!(key.meaning);
        (key.name.to_owned(), schema)
    };
    let properties: Map<String, Json> = KEYS.iter().map(described).collect();
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": SCHEMA_ID,
        "title": "phaser configuration",
        "description": "The configuration of a project, .claude/phaser.yaml.",
        "type": ["object", "null"],
        "properties": properties,
        "additionalProperties": false,
    })
}

fn one_or_more(one: &Json) -> Json {
    json!({ "anyOf": [one, { "type": "array", "items": one }] })
}

fn switch() -> Json {
    json!({ "enum": [true, false, "on", "off"] })
}

fn globs() -> Json {
    one_or_more(&json!({ "type": "string", "minLength": 1, "maxLength": MAX_GLOB_LEN }))
}

fn override_schema() -> Json {
    let contracts = one_or_more(&json!({ "type": "string", "minLength": 1 }));
    json!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "contracts": { "description": "Ids, globs over ids, or `tag:NAME`.", "anyOf": contracts["anyOf"] },
                "files": { "description": "Only for these files.", "anyOf": globs()["anyOf"] },
                "severity": { "description": "The severity there.", "enum": ["error", "warning"] },
                "enabled": { "description": "Whether the contract applies there.", "type": "boolean" },
            },
            "required": ["contracts"],
            "anyOf": [{ "required": ["severity"] }, { "required": ["enabled"] }],
            "additionalProperties": false,
        },
    })
}
