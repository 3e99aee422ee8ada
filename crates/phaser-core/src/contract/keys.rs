//! Every key of a contract, in one table: how it is spelled in the two forms, what its value is, what it means, and how
//! the value gets into a [`Contract`] and out of it again.
//!
//! The readers of YAML, the tables of packs, the JSON Schema, and the commands that write and show contracts all go
//! through the table. A new key is a field of [`Contract`], a row in `table.rs`, and whatever uses the field.

use std::borrow::Cow;

use serde_json::Value as Json;

use super::{Contract, ContractSchema, ContractType, Examples};
use crate::suggest::nearest;

mod builder;
pub mod doubtful_glob;
mod table;

pub use builder::{ContractBuilder, ParsedContract};
pub use table::KEYS;

/// The longest pattern, in bytes.
pub const MAX_PATTERN: usize = 4 * 1024;

/// The longest id, and the longest tag.
pub const MAX_ID: usize = 64;

/// The most tags of one contract.
pub const MAX_TAGS: usize = 32;

/// One key.
#[derive(Debug)]
pub struct ContractKey {
    /// Its name: how it is spelled in the flat schema, in JSON and by commands.
    pub name: &'static str,
    /// What people write who mean it.
    pub mistaken_for: &'static [&'static str],
    /// Where it stands in the form of version 1.2.
    pub v1_2: V1_2Position,
    /// When it must be there.
    pub required: KeyRequired,
    /// What its value is, and the way into a contract and out of it.
    pub shape: ValueShape,
    /// How it is written in a new file.
    pub quotes: Quotes,
    /// How `phaser contracts show` shows it.
    pub shown: ShownAs,
    /// What it means, for whoever writes a contract.
    pub meaning: &'static str,
    /// What it means in the form of version 1.2, where that is not the same.
    pub v1_2_meaning: Option<&'static str>,
    /// The JSON Schema of its value.
    pub schema: fn() -> Json,
}

/// Where a key stands in the form of version 1.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum V1_2Position {
    /// Under `rule`, by one of these names.
    InRule(&'static [&'static str]),
    /// At the top.
    AtTop,
    /// Under `rule`, or at the top.
    Either,
}

/// When a key must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyRequired {
    /// In every contract.
    Always,
    /// In the flat schema.
    InFlat,
    /// In a contract whose type requires it.
    ByType,
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
pub enum ShownAs {
    /// In a row of its own, after its name.
    InRow,
    /// In a way of its own.
    Apart,
}

/// What a value is, how it gets into a contract, and how to get it from there.
#[derive(Debug, Clone, Copy)]
pub enum ValueShape {
    /// A text.
    Text {
        /// Puts it into a contract.
        set: for<'v> fn(&mut ContractBuilder, LocatedText<'v>),
        /// Gets it from a contract.
        get: for<'c> fn(&'c Contract) -> Option<LocatedText<'c>>,
    },
    /// One text, or a list that becomes one.
    TextOrList {
        /// Puts it into a contract.
        set: for<'v> fn(&mut ContractBuilder, &[LocatedText<'v>]),
        /// Gets it from a contract.
        get: for<'c> fn(&'c Contract) -> Option<LocatedText<'c>>,
    },
    /// True or false.
    Flag {
        /// Puts it into a contract.
        set: fn(&mut ContractBuilder, bool),
        /// Gets it from a contract, unless it goes without saying.
        get: fn(&Contract) -> Option<bool>,
    },
    /// A list of words.
    Words {
        /// Puts them into a contract.
        set: for<'v> fn(&mut ContractBuilder, Vec<LocatedText<'v>>),
        /// Gets them from a contract.
        get: for<'c> fn(&'c Contract) -> &'c [String],
    },
    /// One of a few words, or a list of them.
    Choices {
        /// Puts them into a contract.
        set: for<'v> fn(&mut ContractBuilder, &[LocatedText<'v>]),
        /// Gets them from a contract.
        get: fn(&Contract) -> Vec<&'static str>,
    },
    /// Texts that show what a contract means.
    Examples,
}

/// A text, and the line of the contract file that it stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedText<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// The line.
    pub line: usize,
}

impl<'a> LocatedText<'a> {
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
    /// For [`ValueShape::Text`], and for one text where there may be several.
    Text(LocatedText<'a>),
    /// For [`ValueShape::TextOrList`], [`ValueShape::Words`] and [`ValueShape::Choices`].
    List(Vec<LocatedText<'a>>),
    /// For [`ValueShape::Flag`].
    Flag(bool),
    /// For [`ValueShape::Examples`].
    Examples(Examples),
}

/// Keys of a contract file that say nothing about its contract, and what they are.
pub const UNREAD: [(&str, &str); 3] = [
    ("version", "Format version; ignored."),
    ("audit_source", "Source of the contract; ignored."),
    ("created_at", "Creation time; ignored."),
];

/// The key that the contract stands under in the form of version 1.2.
pub const RULE: &str = "rule";

/// Where a mapping stands in a contract file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyLevel {
    /// It is the file.
    Top,
    /// It is the value of `rule`.
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

    /// How it is spelled under `rule`, if it may stand there.
    pub fn names_in_rule(&self) -> &[&'static str] {
        match &self.v1_2 {
            V1_2Position::InRule(names) => names,
            V1_2Position::Either => std::slice::from_ref(&self.name),
            V1_2Position::AtTop => &[],
        }
    }

    /// How it is best spelled in this schema.
    pub fn name_in(&self, schema: ContractSchema) -> &'static str {
        match (schema, self.names_in_rule()) {
            (ContractSchema::V1_2, [name, ..]) => name,
            _ => self.name,
        }
    }

    /// The value that a contract has; examples have none here.
    pub fn value_of<'c>(&self, contract: &'c Contract) -> Option<Value<'c>> {
        match self.shape {
            ValueShape::Text { get, .. } | ValueShape::TextOrList { get, .. } => {
                get(contract).map(Value::Text)
            }
            ValueShape::Flag { get, .. } => get(contract).map(Value::Flag),
            ValueShape::Words { get, .. } => {
                let words: Vec<_> = get(contract).iter().map(|word| LocatedText::anywhere(word)).collect();
                (!words.is_empty()).then_some(Value::List(words))
            }
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
            KeyRequired::Never => false,
        }
    }
}

/// The key that was probably meant by a name that is no key at this level.
pub fn meant_by(name: &str, level: KeyLevel) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase().replace('-', "_");
    let key = KEYS.iter().find(|key| key.mistaken_for.contains(&lower.as_str()) || key.name == lower);
    let spelled = key.and_then(|key| match level {
        KeyLevel::Top => Some(key.name),
        KeyLevel::Rule => key.names_in_rule().first().copied(),
    });
    spelled.or_else(|| nearest(name, names(level)))
}

/// All names that may stand at a level.
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
    fn no_name_means_two_keys() {
        for level in [KeyLevel::Top, KeyLevel::Rule] {
            let mut all = names(level);
            let count = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), count);
        }
    }

    #[test]
    fn the_key_that_was_meant_is_found() {
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
    fn every_key_is_found_where_it_stands() {
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
