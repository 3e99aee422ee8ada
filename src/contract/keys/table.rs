//! The table of keys: one row for each.

use serde_json::{Value as Json, json};

use super::super::{Kind, Severity, Zone};
use super::{Builder, Demanded, Key, MAX_ID, MAX_PATTERN, MAX_TAGS, Nested, Placed, Quotes, Shape, Shown};
use crate::glob::MAX_GLOB_LEN;

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
        meaning: "The name of the contract, by which it is shown and ignored: letters, digits and hyphens.",
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
            get: |contract| Some(Placed::anywhere(contract.kind.as_str())),
        },
        quotes: Quotes::IfNeeded,
        shown: Shown::InRow,
        meaning: "What the contract demands.",
        nested_meaning: None,
        schema: || {
            let one = |kind: Kind| json!({ "const": kind.as_str(), "description": kind.meaning() });
            json!({ "oneOf": Kind::ALL.map(one) })
        },
    },
    Key {
        name: "pattern",
        mistaken_for: &["regex", "regexp", "match"],
        nested: Nested::InRule(&["pattern"]),
        demanded: Demanded::WithPattern,
        shape: Shape::Text {
            set: Builder::set_pattern,
            get: |contract| {
                contract.check.pattern().map(|pattern| Placed::new(pattern.source.as_str(), pattern.line))
            },
        },
        quotes: Quotes::Always,
        shown: Shown::InRow,
        meaning: "The regular expression to look for; best written in single quotes.",
        nested_meaning: Some(
            "What to look for: a regular expression, but for `file_contains` and `file_not_contains` the text itself.",
        ),
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
        meaning: "The files it is about, by their path from the project root: `*` and `?` stop at `/`, `**` crosses it; \
                  also `{a,b}`, `[abc]` and `[!abc]`. One glob, or a list of them.",
        nested_meaning: Some(
            "The files it is about, by their path from the project root: one glob, or a list of them.",
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
        meaning: "Files that it is not about, although `file_glob` matches them: one glob, or a list of them.",
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
        meaning: "Where a match must start to count: in `code`, in `comments`, in `strings`, or in one of a list of these. \
                  Anywhere without it, and in files of a language that is not known.",
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
        meaning: "The text that replaces a match when `phaser fix` runs: `$1` and `${name}` are groups of the pattern, \
                  `$$` is a dollar. Only for `forbid_pattern` and `file_not_contains`.",
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
        meaning: "What to tell whoever violates it: say what to do instead.",
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
        meaning: "How bad a violation is: an `error` blocks an edit and fails a run, a `warning` is advice.",
        nested_meaning: Some("How bad a violation is; an `error` unless this says otherwise."),
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
        meaning: "Is the contract switched on? It is, unless this says `false`.",
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
        meaning: "May a comment or the baseline suppress a violation? They may, unless this says `false`.",
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
        meaning: "Words to choose contracts by. What a contract tagged `secret` matches is never shown in full.",
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
        meaning: "Texts that show what the contract means; `phaser contracts test` runs them.",
        nested_meaning: None,
        schema: || json!({ "$ref": "#/$defs/Examples" }),
    },
];

fn globs_schema() -> Json {
    let glob = json!({ "type": "string", "minLength": 1, "maxLength": MAX_GLOB_LEN });
    json!({ "anyOf": [glob, { "type": "array", "items": glob, "minItems": 1 }] })
}
