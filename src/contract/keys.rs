//! Every key of a contract, in one table: how it is spelled in the two forms, what its value is, what it means, and how
//! the value gets into a [`Contract`] and out of it again.
//!
//! The readers of YAML, the compiled index, the JSON Schema, and the commands that write and show contracts all go
//! through the table. A new key is a field of [`Contract`], a row here, and whatever uses the field.

use std::borrow::Cow;

use serde_json::{Value as Json, json};

use super::{Contract, Examples, Form, Kind, Severity};
use crate::glob::MAX_GLOB_LEN;

mod builder;
pub mod doubtful_glob;

pub use builder::{Builder, Built};

/// The longest pattern, in bytes.
pub const MAX_PATTERN: usize = 4 * 1024;

/// The longest id, and the longest tag.
pub const MAX_ID: usize = 64;

/// The most tags of one contract.
pub const MAX_TAGS: usize = 32;

/// One key.
#[derive(Debug)]
pub struct Key {
    /// Its name: how it is spelled in the flat form, in JSON and by commands.
    pub name: &'static str,
    /// Where it stands in the form of version 1.2.
    pub nested: Nested,
    /// When it must be there.
    pub demanded: Demanded,
    /// What its value is, and the way into a contract and out of it.
    pub shape: Shape,
    /// How it is written in a new file.
    pub quotes: Quotes,
    /// How `phaser contracts show` shows it.
    pub shown: Shown,
    /// What it means, for whoever writes a contract.
    pub meaning: &'static str,
    /// What it means in the form of version 1.2, where that is not the same.
    pub nested_meaning: Option<&'static str>,
    /// The JSON Schema of its value.
    pub schema: fn() -> Json,
}

/// Where a key stands in the form of version 1.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nested {
    /// Under `rule`, by one of these names.
    InRule(&'static [&'static str]),
    /// At the top.
    AtTop,
    /// Under `rule`, or at the top.
    Either,
}

/// When a key must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demanded {
    /// In every contract.
    Always,
    /// In the flat form.
    InFlatForm,
    /// In a contract of a type that has a pattern.
    WithPattern,
    /// Never.
    Never,
}

/// Does a text stand in quotes in a new file?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quotes {
    /// Only where YAML would take it for something else.
    IfNeeded,
    /// It does.
    Always,
}

/// How a key is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// In a row of its own, after its name.
    InRow,
    /// In a way of its own.
    Apart,
}

/// What a value is, how it gets into a contract, and how to get it from there.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// A text.
    Text {
        /// Puts it into a contract.
        set: for<'v> fn(&mut Builder, Placed<'v>),
        /// Gets it from a contract.
        get: for<'c> fn(&'c Contract) -> Option<Placed<'c>>,
    },
    /// One text, or a list that becomes one.
    TextOrList {
        /// Puts it into a contract.
        set: for<'v> fn(&mut Builder, Vec<Placed<'v>>),
        /// Gets it from a contract.
        get: for<'c> fn(&'c Contract) -> Option<Placed<'c>>,
    },
    /// True or false.
    Flag {
        /// Puts it into a contract.
        set: fn(&mut Builder, bool),
        /// Gets it from a contract.
        get: fn(&Contract) -> bool,
    },
    /// A list of words.
    Words {
        /// Puts them into a contract.
        set: for<'v> fn(&mut Builder, Vec<Placed<'v>>),
        /// Gets them from a contract.
        get: for<'c> fn(&'c Contract) -> &'c [String],
    },
    /// Texts that show what a contract means.
    Examples,
}

/// A text, and the line of the contract file that it stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// The line.
    pub line: usize,
}

impl<'a> Placed<'a> {
    /// A text that stands on this line.
    pub fn new(text: impl Into<Cow<'a, str>>, line: usize) -> Self {
        Self { text: text.into(), line }
    }

    /// A text whose line nobody asks for.
    fn anywhere(text: &'a str) -> Self {
        Self { text: Cow::Borrowed(text), line: 1 }
    }
}

/// The value of a key, as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value<'a> {
    /// For [`Shape::Text`].
    Text(Placed<'a>),
    /// For [`Shape::TextOrList`] and [`Shape::Words`].
    List(Vec<Placed<'a>>),
    /// For [`Shape::Flag`].
    Flag(bool),
    /// For [`Shape::Examples`].
    Examples(Examples),
}

/// All keys of a contract, in the order in which they are written and shown.
pub static KEYS: [Key; 10] = [
    Key {
        name: "rule_id",
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
        schema: || {
            let glob = json!({ "type": "string", "minLength": 1, "maxLength": MAX_GLOB_LEN });
            json!({ "anyOf": [glob, { "type": "array", "items": glob, "minItems": 1 }] })
        },
    },
    Key {
        name: "message",
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
        nested: Nested::AtTop,
        demanded: Demanded::Never,
        shape: Shape::Flag {
            set: |builder, enabled| builder.contract.enabled = enabled,
            get: |contract| contract.enabled,
        },
        quotes: Quotes::IfNeeded,
        shown: Shown::Apart,
        meaning: "Is the contract switched on? It is, unless this says `false`.",
        nested_meaning: None,
        schema: || json!({ "type": "boolean" }),
    },
    Key {
        name: "tags",
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

/// Keys of a contract file that say nothing about its contract, and what they are.
pub const UNREAD: [(&str, &str); 3] = [
    ("version", "The version of the form; not read."),
    ("audit_source", "What the contract was made from; not read."),
    ("created_at", "When the contract was made; not read."),
];

/// The key that the contract stands under in the form of version 1.2.
pub const RULE: &str = "rule";

/// Where a mapping stands in a contract file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// It is the file.
    Top,
    /// It is the value of `rule`.
    Rule,
}

impl Key {
    /// The key with this name at this level.
    pub fn find(name: &str, level: Level) -> Option<&'static Self> {
        KEYS.iter().find(|key| match level {
            Level::Top => key.name == name,
            Level::Rule => key.names_in_rule().contains(&name),
        })
    }

    /// How it is spelled under `rule`, if it may stand there.
    pub fn names_in_rule(&self) -> &[&'static str] {
        match &self.nested {
            Nested::InRule(names) => names,
            Nested::Either => std::slice::from_ref(&self.name),
            Nested::AtTop => &[],
        }
    }

    /// How it is best spelled in this form.
    pub fn name_in(&self, form: Form) -> &'static str {
        match (form, self.names_in_rule()) {
            (Form::Nested, [name, ..]) => name,
            _ => self.name,
        }
    }

    /// The value that a contract has; examples have none here.
    pub fn value_of<'c>(&self, contract: &'c Contract) -> Option<Value<'c>> {
        match self.shape {
            Shape::Text { get, .. } | Shape::TextOrList { get, .. } => get(contract).map(Value::Text),
            Shape::Flag { get, .. } => Some(Value::Flag(get(contract))),
            Shape::Words { get, .. } => {
                let words: Vec<_> = get(contract).iter().map(|word| Placed::anywhere(word)).collect();
                (!words.is_empty()).then_some(Value::List(words))
            }
            Shape::Examples => None,
        }
    }

    /// Must it be there in a contract of this form and type?
    pub fn is_demanded(&self, form: Form, kind: Kind) -> bool {
        match self.demanded {
            Demanded::Always => true,
            Demanded::InFlatForm => form == Form::Flat,
            Demanded::WithPattern => kind.has_pattern(),
            Demanded::Never => false,
        }
    }
}

/// All names that may stand at a level.
pub fn names(level: Level) -> Vec<&'static str> {
    match level {
        Level::Top => {
            let around = [RULE].into_iter().chain(UNREAD.map(|(name, _)| name));
            KEYS.iter().map(|key| key.name).chain(around).collect()
        }
        Level::Rule => KEYS.iter().flat_map(Key::names_in_rule).copied().collect(),
    }
}
