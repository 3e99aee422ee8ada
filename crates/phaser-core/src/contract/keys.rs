//! The table of contract keys: names in both schemas, shape of the value, meaning, and access to the [`Contract`].
//!
//! YAML readers, the tables of packs, the JSON Schema, and the commands that write and show contracts are derived from it.
//! A new key is a field of [`Contract`] or of [`TypeValues`](crate::check::TypeValues), and a row in `table.rs`.

use std::borrow::Cow;

use serde_json::Value as Json;

use super::{Contract, ContractSchema, ContractType, Examples};
use crate::suggest::nearest;

mod builder;
pub mod doubtful_glob;
mod table;

pub use builder::{ContractBuilder, EVERY_FILE, ParsedContract};
pub use table::KEYS;

/// The limit on the length of a pattern, in bytes.
pub const MAX_PATTERN: usize = 4 * 1024;

/// The limit on the length of a rule object about code, in bytes of JSON.
pub const MAX_RULE: usize = 16 * 1024;

/// The limit on the length of an id or a tag, in bytes.
pub const MAX_ID: usize = 64;

/// The limit on the number of tags.
pub const MAX_TAGS: usize = 32;

/// A row of the table.
#[derive(Debug)]
pub struct ContractKey {
    /// The name in the flat schema, in JSON and in commands.
    pub name: &'static str,
    /// Names that users write by mistake.
    pub mistaken_for: &'static [&'static str],
    /// The position in the v1.2 schema.
    pub v1_2: V1_2Position,
    /// When the key is required.
    pub required: KeyRequired,
    /// The shape of the value, with setter and getter.
    pub shape: ValueShape,
    /// Whether generated YAML always quotes the text.
    pub quoted: bool,
    /// Whether `phaser contracts show` has a row for it.
    pub in_row: bool,
    /// The description for users.
    pub meaning: &'static str,
    /// The description in the v1.2 schema, if different.
    pub v1_2_meaning: Option<&'static str>,
    /// The JSON Schema of its value.
    pub schema: fn() -> Json,
}

/// The position of a key in the v1.2 schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum V1_2Position {
    /// Under `rule`, by one of these names.
    InRule(&'static [&'static str]),
    /// At the top level.
    AtTop,
    /// Under `rule` or at the top level.
    Either,
}

/// When a key is required.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyRequired {
    /// In every contract.
    Always,
    /// In the flat schema.
    InFlat,
    /// In a contract whose type requires it.
    ByType,
    /// In every contract, unless it is optional for the type.
    UnlessOptional,
    /// Never.
    Never,
}

/// The shape of a value, with its setter and getter.
#[derive(Debug, Clone, Copy)]
pub enum ValueShape {
    /// A text.
    Text {
        /// Validates and sets the value.
        set: for<'v> fn(&mut ContractBuilder, LocatedText<'v>),
        /// The value.
        get: for<'c> fn(&'c Contract) -> Option<LocatedText<'c>>,
    },
    /// A natural number.
    Number {
        /// Validates and sets the value.
        set: for<'v> fn(&mut ContractBuilder, LocatedText<'v>),
        /// The value.
        get: fn(&Contract) -> Option<u64>,
    },
    /// A text, or a list that is joined to one.
    TextOrList {
        /// Validates and sets the value.
        set: for<'v> fn(&mut ContractBuilder, &[LocatedText<'v>]),
        /// The value.
        get: for<'c> fn(&'c Contract) -> Option<LocatedText<'c>>,
    },
    /// A text, or an object.
    TextOrObject {
        /// Validates and sets the value; whether the text is an object as JSON.
        set: for<'v> fn(&mut ContractBuilder, LocatedText<'v>, bool),
        /// The value.
        get: for<'c> fn(&'c Contract) -> Option<Value<'c>>,
    },
    /// True or false.
    Flag {
        /// Validates and sets the value.
        set: fn(&mut ContractBuilder, bool),
        /// The value; `None` for a default that is not shown.
        get: fn(&Contract) -> Option<bool>,
    },
    /// A list of words.
    Words {
        /// Validates and sets the values.
        set: for<'v> fn(&mut ContractBuilder, Vec<LocatedText<'v>>),
        /// The values.
        get: for<'c> fn(&'c Contract) -> &'c [String],
    },
    /// A text, or a list of texts.
    Texts {
        /// Validates and sets the values.
        set: for<'v> fn(&mut ContractBuilder, &[LocatedText<'v>]),
        /// The values.
        get: for<'c> fn(&'c Contract) -> &'c [String],
    },
    /// One of a few words, or a list of them.
    Choices {
        /// Validates and sets the values.
        set: for<'v> fn(&mut ContractBuilder, &[LocatedText<'v>]),
        /// The values.
        get: fn(&Contract) -> Vec<&'static str>,
    },
    /// A scalar with its type, or a list of them. Texts are JSON literals.
    Scalars {
        /// Validates and sets the values.
        set: for<'v> fn(&mut ContractBuilder, &[LocatedText<'v>]),
        /// The values.
        get: fn(&Contract) -> Vec<String>,
    },
    /// Examples.
    Examples,
}

/// A text and its line in the contract file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedText<'a> {
    /// The value.
    pub text: Cow<'a, str>,
    /// Counted from 1.
    pub line: usize,
}

impl<'a> LocatedText<'a> {
    /// A text on `line`.
    pub fn new(text: impl Into<Cow<'a, str>>, line: usize) -> Self {
        Self { text: text.into(), line }
    }

    /// A text without a meaningful line.
    fn anywhere(text: &'a str) -> Self {
        Self { text: Cow::Borrowed(text), line: 1 }
    }
}

/// The value of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value<'a> {
    /// For [`ValueShape::Number`], and for a number or boolean of [`ValueShape::Text`]: as written without quotes.
    Literal(LocatedText<'a>),
    /// An empty list at this line, for a shape that is a text or a list.
    Empty(usize),
    /// For [`ValueShape::Scalars`].
    Scalars(Vec<LocatedText<'a>>),
    /// For [`ValueShape::Text`], and for a single text of a shape that is a text or a list.
    Text(LocatedText<'a>),
    /// For [`ValueShape::Words`], and for a list of a shape that is a text or a list.
    List(Vec<LocatedText<'a>>),
    /// For [`ValueShape::TextOrObject`]: an object, as JSON.
    Object(LocatedText<'a>),
    /// For [`ValueShape::Flag`].
    Flag(bool),
    /// For [`ValueShape::Examples`].
    Examples(Examples),
}

/// Ignored keys, with their descriptions.
pub const UNREAD: [(&str, &str); 3] = [
    ("version", "Format version; ignored."),
    ("audit_source", "Source of the contract; ignored."),
    ("created_at", "Creation time; ignored."),
];

/// The key that contains the contract in the v1.2 schema.
pub const RULE: &str = "rule";

/// The level of a mapping in a contract file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyLevel {
    /// The file.
    Top,
    /// The value of `rule`.
    Rule,
}

impl ContractKey {
    /// The index of the key with this name at this level.
    pub fn find(name: &str, level: KeyLevel) -> Option<usize> {
        KEYS.iter().position(|key| match level {
            KeyLevel::Top => key.name == name,
            KeyLevel::Rule => key.names_in_rule().contains(&name),
        })
    }

    /// The names under `rule`; empty if it is not allowed there.
    pub fn names_in_rule(&self) -> &[&'static str] {
        match &self.v1_2 {
            V1_2Position::InRule(names) => names,
            V1_2Position::Either => std::slice::from_ref(&self.name),
            V1_2Position::AtTop => &[],
        }
    }

    /// The preferred name in this schema.
    pub fn name_in(&self, schema: ContractSchema) -> &'static str {
        match (schema, self.names_in_rule()) {
            (ContractSchema::V1_2, [name, ..]) => name,
            _ => self.name,
        }
    }

    /// The value in `contract`; `None` for examples.
    pub fn value_of<'c>(&self, contract: &'c Contract) -> Option<Value<'c>> {
        match self.shape {
            ValueShape::Text { get, .. }
                if self.name == "fix" && contract.fix.as_ref().is_some_and(|fix| fix.is_literal) =>
            {
                get(contract).map(Value::Literal)
            }
            ValueShape::Number { get, .. } => {
                get(contract).map(|number| Value::Literal(LocatedText::new(number.to_string(), 1)))
            }
            ValueShape::Scalars { get, .. } => {
                let scalars: Vec<_> = get(contract).into_iter().map(|one| LocatedText::new(one, 1)).collect();
                (!scalars.is_empty()).then_some(Value::Scalars(scalars))
            }
            ValueShape::Text { get, .. } | ValueShape::TextOrList { get, .. } => {
                get(contract).map(Value::Text)
            }
            ValueShape::TextOrObject { get, .. } => get(contract),
            ValueShape::Flag { get, .. } => get(contract).map(Value::Flag),
            ValueShape::Words { get, .. } => {
                let words: Vec<_> = get(contract).iter().map(|word| LocatedText::anywhere(word)).collect();
                (!words.is_empty()).then_some(Value::List(words))
            }
            ValueShape::Texts { get, .. } => match get(contract) {
                [] => None,
                [one] => Some(Value::Text(LocatedText::anywhere(one))),
                several => Some(Value::List(several.iter().map(|one| LocatedText::anywhere(one)).collect())),
            },
            ValueShape::Choices { get, .. } => match get(contract).as_slice() {
                [] => None,
                [one] => Some(Value::Text(LocatedText::anywhere(one))),
                several => Some(Value::List(several.iter().map(|one| LocatedText::anywhere(one)).collect())),
            },
            ValueShape::Examples => None,
        }
    }

    /// Whether a contract must have it; the type is `None` while it is unknown.
    pub fn is_required(&self, schema: ContractSchema, kind: Option<&ContractType>) -> bool {
        match self.required {
            KeyRequired::Always => true,
            KeyRequired::InFlat => schema == ContractSchema::Flat,
            KeyRequired::ByType => kind.is_some_and(|kind| kind.requires(self.name)),
            KeyRequired::UnlessOptional => !kind.is_some_and(|kind| kind.optional_keys.contains(&self.name)),
            KeyRequired::Never => false,
        }
    }
}

/// A suggestion for an unknown name at this level.
pub fn meant_by(name: &str, level: KeyLevel) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase().replace('-', "_");
    let key = KEYS.iter().find(|key| key.mistaken_for.contains(&lower.as_str()) || key.name == lower);
    let spelled = key.and_then(|key| match level {
        KeyLevel::Top => Some(key.name),
        KeyLevel::Rule => key.names_in_rule().first().copied(),
    });
    spelled.or_else(|| nearest(name, names(level)))
}

/// All names allowed at a level.
pub fn names(level: KeyLevel) -> Vec<&'static str> {
    match level {
        KeyLevel::Top => {
            let around = [RULE].into_iter().chain(UNREAD.map(|(name, _)| name));
            KEYS.iter().map(|key| key.name).chain(around).collect()
        }
        KeyLevel::Rule => KEYS.iter().flat_map(ContractKey::names_in_rule).copied().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for level in [KeyLevel::Top, KeyLevel::Rule] {
            let mut all = names(level);
            let count = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), count);
        }
    }

    #[test]
    fn suggests_meant_key() {
        for (name, meant) in [
            ("patern", Some("pattern")),
            ("id", Some("rule_id")),
            ("regex", Some("pattern")),
            ("File-Glob", Some("file_glob")),
            ("glob", Some("file_glob")),
            ("Severity", Some("severity")),
            ("author", None),
        ] {
            assert_eq!(meant_by(name, KeyLevel::Top), meant, "{name}");
        }
        assert_eq!(meant_by("name", KeyLevel::Rule), Some("id"));
        assert_eq!(meant_by("enable", KeyLevel::Rule), None, "it does not stand there");
    }

    #[test]
    fn finds_every_key_at_its_level() {
        for (at, key) in KEYS.iter().enumerate() {
            assert_eq!(ContractKey::find(key.name, KeyLevel::Top), Some(at), "{}", key.name);
            assert!(
                key.names_in_rule().iter().all(|name| ContractKey::find(name, KeyLevel::Rule) == Some(at))
            );
        }
        assert!(ContractKey::find("id", KeyLevel::Top).is_none());
        assert!(ContractKey::find("enabled", KeyLevel::Rule).is_none());
    }
}
