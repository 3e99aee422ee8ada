//! The table of keys: one row for each.

use serde_json::{Value as Json, json};

use super::super::{ContractType, Severity, Zone};
use super::{Builder, Demanded, Key, MAX_ID, MAX_PATTERN, MAX_TAGS, Nested, Placed, Quotes, Shape, Shown};
use crate::check::TYPES;
use phaser_glob::MAX_GLOB_LEN;

/// All keys of a contract, in the order in which they are written and shown.
pub static KEYS: [Key; 14] = [
    Key {
        name: "rule_id",
        mistaken_for: &["id", "name"],
        nested: Nested::InRule(&["id", "rule_id"]),
        demanded: Demanded::Always,
        shape: Shape::Text { set: Builder::set_id, get: |contract| Some(Placed::anywhere(&contract.id)) },
        quotes: Quotes::IfNeeded,
        shown: Shown::Apart,
        meaning: "Unique name, used in reports and ignore directives: letters, digits and hyphens.",
        nested_meaning: None,
        schema: || json!({ "type": "string", "pattern": format!("^[A-Za-z0-9-]{{1,{MAX_ID}}}$") }),
    },
    Key {
        name: "type",
        mistaken_for: &["kind"],
        nested: Nested::InRule(&["type"]),
        demanded: Demanded::Always,
        shape: Shape::Text {
            set: Builder::set_kind,
            get: |contract| Some(Placed::anywhere(contract.kind.name)),
        },
        quotes: Quotes::IfNeeded,
        shown: Shown::InRow,
        meaning: "What the contract requires or forbids.",
        nested_meaning: None,
        schema: || {
            let one = |kind: &ContractType| json!({ "const": kind.name, "description": kind.meaning });
            json!({ "oneOf": TYPES.map(one) })
        },
    },
    Key {
        name: "pattern",
        mistaken_for: &["regex", "regexp", "match"],
        nested: Nested::InRule(&["pattern"]),
        demanded: Demanded::ByType,
        shape: Shape::Text {
            set: Builder::set_pattern,
            get: |contract| {
                contract.check.pattern().map(|pattern| Placed::new(pattern.source.as_str(), pattern.line))
            },
        },
        quotes: Quotes::Always,
        shown: Shown::InRow,
        meaning: "Regular expression, in single quotes.",
        nested_meaning: Some("Regular expression; literal text for `file_contains` and `file_not_contains`."),
        schema: || json!({ "type": "string", "minLength": 1, "maxLength": MAX_PATTERN }),
    },
    Key {
        name: "file_glob",
        mistaken_for: &["glob", "globs", "files", "path", "paths", "include"],
        nested: Nested::InRule(&["file_glob"]),
        demanded: Demanded::Always,
        shape: Shape::TextOrList {
            set: Builder::set_globs,
            get: |contract| Some(Placed::new(contract.glob.as_str(), contract.glob_line)),
        },
        quotes: Quotes::Always,
        shown: Shown::InRow,
        meaning: "Files the contract applies to, relative to the project root: one glob or a list. `*` and `?` do \
                  not match `/`, `**` does; `{a,b}`, `[abc]` and `[!abc]` are supported.",
        nested_meaning: Some(
            "Files the contract applies to, relative to the project root: one glob or a list.",
        ),
        schema: globs_schema,
    },
    Key {
        name: "exclude_glob",
        mistaken_for: &["exclude", "excludes", "exclude_globs", "ignore", "except", "skip"],
        nested: Nested::InRule(&["exclude_glob"]),
        demanded: Demanded::Never,
        shape: Shape::TextOrList {
            set: Builder::set_exclude,
            get: |contract| {
                contract.exclude.as_ref().map(|exclude| Placed::new(exclude.glob.as_str(), exclude.line))
            },
        },
        quotes: Quotes::Always,
        shown: Shown::InRow,
        meaning: "Files the contract does not apply to: one glob or a list.",
        nested_meaning: None,
        schema: globs_schema,
    },
    Key {
        name: "in",
        mistaken_for: &["zone", "zones", "where", "within", "scope"],
        nested: Nested::InRule(&["in"]),
        demanded: Demanded::Never,
        shape: Shape::Choices {
            set: Builder::set_zones,
            get: |contract| contract.zones.iter().map(|zone| zone.as_str()).collect(),
        },
        quotes: Quotes::IfNeeded,
        shown: Shown::InRow,
        meaning: "Zone in which a match must start: `code`, `comments`, `strings`, or a list. Without it, and in \
                  files of an unknown language, every match counts.",
        nested_meaning: None,
        schema: || {
            let zone = json!({ "enum": Zone::ALL.map(Zone::as_str) });
            json!({ "anyOf": [zone, { "type": "array", "items": zone, "minItems": 1 }] })
        },
    },
    Key {
        name: "fix",
        mistaken_for: &["replacement", "replace", "replace_with", "autofix", "fixes", "fixed"],
        nested: Nested::InRule(&["fix"]),
        demanded: Demanded::Never,
        shape: Shape::Text {
            set: Builder::set_fix,
            get: |contract| contract.fix.as_ref().map(|fix| Placed::new(fix.template.as_str(), fix.line)),
        },
        quotes: Quotes::Always,
        shown: Shown::InRow,
        meaning: "Replacement for a match, applied by `phaser fix`: `$1` and `${name}` are capture groups, `$$` is \
                  a dollar sign. Only for `forbid_pattern` and `file_not_contains`.",
        nested_meaning: None,
        schema: || json!({ "type": "string", "maxLength": MAX_PATTERN }),
    },
    Key {
        name: "message",
        mistaken_for: &["description", "msg", "text"],
        nested: Nested::InRule(&["message"]),
        demanded: Demanded::Always,
        shape: Shape::Text {
            set: Builder::set_message,
            get: |contract| Some(Placed::anywhere(&contract.message)),
        },
        quotes: Quotes::Always,
        shown: Shown::Apart,
        meaning: "Text of a violation: what to do instead.",
        nested_meaning: None,
        schema: || json!({ "type": "string", "pattern": "\\S" }),
    },
    Key {
        name: "severity",
        mistaken_for: &["level"],
        nested: Nested::InRule(&["severity"]),
        demanded: Demanded::InFlatForm,
        shape: Shape::Text {
            set: Builder::set_severity,
            get: |contract| Some(Placed::anywhere(contract.severity.as_str())),
        },
        quotes: Quotes::IfNeeded,
        shown: Shown::InRow,
        meaning: "`error` blocks an edit and fails a run; `warning` is only reported.",
        nested_meaning: Some("`error` (default) or `warning`."),
        schema: || json!({ "enum": [Severity::Error.as_str(), Severity::Warning.as_str()] }),
    },
    Key {
        name: "rationale",
        mistaken_for: &["reason", "why"],
        nested: Nested::InRule(&["rationale"]),
        demanded: Demanded::Never,
        shape: Shape::Text {
            set: Builder::set_rationale,
            get: |contract| contract.rationale.as_deref().map(Placed::anywhere),
        },
        quotes: Quotes::Always,
        shown: Shown::Apart,
        meaning: "Why the rule exists.",
        nested_meaning: None,
        schema: || json!({ "type": "string" }),
    },
    Key {
        name: "enabled",
        mistaken_for: &["enable", "active"],
        nested: Nested::AtTop,
        demanded: Demanded::Never,
        shape: Shape::Flag {
            set: |builder, enabled| builder.contract.enabled = enabled,
            get: |contract| Some(contract.enabled),
        },
        quotes: Quotes::IfNeeded,
        shown: Shown::Apart,
        meaning: "`false` disables the contract. Default: `true`.",
        nested_meaning: None,
        schema: || json!({ "type": "boolean" }),
    },
    Key {
        name: "ignorable",
        mistaken_for: &["ignoreable", "suppressible", "allow_ignore"],
        nested: Nested::InRule(&["ignorable"]),
        demanded: Demanded::Never,
        shape: Shape::Flag {
            set: |builder, ignorable| builder.contract.ignorable = ignorable,
            get: |contract| (!contract.ignorable).then_some(false),
        },
        quotes: Quotes::IfNeeded,
        shown: Shown::InRow,
        meaning: "`false` means that no ignore directive and no baseline entry suppresses a violation. Default: \
                  `true`.",
        nested_meaning: None,
        schema: || json!({ "type": "boolean" }),
    },
    Key {
        name: "tags",
        mistaken_for: &["tag", "labels"],
        nested: Nested::InRule(&["tags"]),
        demanded: Demanded::Never,
        shape: Shape::Words { set: Builder::set_tags, get: |contract| &contract.tags },
        quotes: Quotes::IfNeeded,
        shown: Shown::InRow,
        meaning: "Labels to select contracts by. Reports mask the matches of a contract tagged `secret`.",
        nested_meaning: None,
        schema: || {
            let tag = json!({ "type": "string", "pattern": format!("^[A-Za-z0-9-]{{1,{MAX_ID}}}$") });
            json!({ "type": "array", "items": tag, "maxItems": MAX_TAGS })
        },
    },
    Key {
        name: "examples",
        mistaken_for: &["example", "tests"],
        nested: Nested::Either,
        demanded: Demanded::Never,
        shape: Shape::Examples,
        quotes: Quotes::Always,
        shown: Shown::Apart,
        meaning: "Texts that must violate the contract and texts that must pass; `phaser contracts test` runs them.",
        nested_meaning: None,
        schema: || json!({ "$ref": "#/$defs/Examples" }),
    },
];

fn globs_schema() -> Json {
    let glob = json!({ "type": "string", "minLength": 1, "maxLength": MAX_GLOB_LEN });
    json!({ "anyOf": [glob, { "type": "array", "items": glob, "minItems": 1 }] })
}
