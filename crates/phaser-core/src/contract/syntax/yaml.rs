//! The full YAML parser, and the only user of serde-saphyr. Unknown keys are collected for warnings.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::{Error, Location, MessageFormatter, Spanned, UserMessageFormatter, options};

use super::{ContractDocument, UnknownKey, UnknownKeyPlace, counts_beside_rule};
use crate::contract::keys::{ContractKey, KEYS, KeyLevel, LocatedText, RULE, UNREAD, Value, ValueShape};
use crate::contract::{ContractSchema, Example, Examples};

mod mistake;
mod node;

pub(super) use mistake::{Subject, YamlMistake};
pub use node::{YamlNode, YamlNodeValue, node};

/// Parses a contract file.
pub(super) fn read(yaml: &str) -> Result<ContractDocument<'static>, YamlMistake> {
    let Some(TopMapping(mapping)) = document(yaml, Subject::Contract)? else {
        return Err(YamlMistake::at(1, "the file is empty (a contract starts with 'rule_id: …')"));
    };
    let (schema, top, inner, outer) = match mapping.rule.map(|rule| *rule) {
        Some(Spanned { value: RuleMapping(rule), referenced, .. }) => {
            (ContractSchema::V1_2, line_of(&referenced), rule.written, mapping.written)
        }
        None => (ContractSchema::Flat, 1, mapping.written, YamlKeys::default()),
    };
    let mut document = ContractDocument { schema, top, values: Vec::new(), unknown_keys: Vec::new() };
    document.unknown_keys.extend(inner.unknown_keys.into_iter().chain(outer.unknown_keys));
    let present: Vec<usize> = inner.entries.iter().map(|entry| entry.key).collect();
    for entry in inner.entries {
        entry.put_into(&mut document, yaml);
    }
    for entry in outer.entries {
        let is_there = present.contains(&entry.key);
        if !counts_beside_rule(entry.key) {
            let (name, line) = (KEYS[entry.key].name.to_owned(), entry.line);
            document.unknown_keys.push(UnknownKey { name, line, place: UnknownKeyPlace::BesideRule });
        } else if !is_there {
            entry.put_into(&mut document, yaml);
        }
    }
    Ok(document)
}

/// The byte range of a boolean at the top level.
pub(super) fn place_of_flag(yaml: &str, name: &str) -> Option<Range<usize>> {
    let TopMapping(mapping) = document::<Option<TopMapping>>(yaml, Subject::Contract).ok()??;
    let entry = mapping.written.entries.into_iter().find(|entry| KEYS[entry.key].name == name)?;
    let YamlValue::Flag(flag) = entry.raw else { return None };
    span(&flag.referenced).filter(|range| yaml.get(range.clone()).is_some())
}

/// Deserializes the only document in `yaml`, within limits of depth and size.
fn document<'de, T: Deserialize<'de>>(yaml: &'de str, subject: Subject) -> Result<T, YamlMistake> {
    let options = options! {
        budget: serde_saphyr::budget! {
            max_depth: 32,
            max_nodes: 10_000,
            max_aliases: 100,
            max_documents: 1,
        },
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(yaml, options).map_err(|error| mistake::of(yaml, &error, subject))
}

fn line_of(location: &Location) -> usize {
    usize::try_from(location.line()).unwrap_or(usize::MAX).max(1)
}

fn span(location: &Location) -> Option<Range<usize>> {
    let span = location.span();
    let start = usize::try_from(span.byte_offset()?).ok()?;
    Some(start..start + usize::try_from(span.byte_len()?).ok()?)
}

/// The known and unknown keys of a mapping.
#[derive(Default)]
struct YamlKeys {
    entries: Vec<YamlEntry>,
    unknown_keys: Vec<UnknownKey>,
}

/// A key with its value.
struct YamlEntry {
    /// The index of the key.
    key: usize,
    line: usize,
    raw: YamlValue,
}

/// A deserialized value with its location.
enum YamlValue {
    Text(Spanned<String>),
    TextOrList(Spanned<TextOrList>),
    Flag(Spanned<bool>),
    Words(Vec<Spanned<String>>),
    Examples(RawExamples),
}

impl YamlEntry {
    fn put_into(self, document: &mut ContractDocument<'static>, yaml: &str) {
        let value = match self.raw {
            YamlValue::Text(text) => Value::Text(placed(text)),
            YamlValue::TextOrList(spanned) => {
                let place = spanned.referenced;
                match spanned.value {
                    TextOrList::Text(text) => Value::Text(LocatedText::new(text, line_of(&place))),
                    TextOrList::OtherScalar => {
                        let written = as_written(yaml, &place).unwrap_or_default();
                        Value::Text(LocatedText::new(written, line_of(&place)))
                    }
                    TextOrList::List(list) => Value::List(list.into_iter().map(placed).collect()),
                }
            }
            YamlValue::Flag(flag) => Value::Flag(flag.value),
            YamlValue::Words(words) => Value::List(words.into_iter().map(placed).collect()),
            YamlValue::Examples(examples) => Value::Examples(examples.read(document, yaml)),
        };
        document.values.push((self.key, value));
    }
}

fn placed(spanned: Spanned<String>) -> LocatedText<'static> {
    let line = line_of(&spanned.referenced);
    LocatedText::new(spanned.value, line)
}

/// The source text of a value.
fn as_written(yaml: &str, location: &Location) -> Option<String> {
    span(location).and_then(|range| yaml.get(range)).map(str::to_owned)
}

/// The whole file.
struct TopMapping(Mapping);

/// The value of `rule`.
struct RuleMapping(Mapping);

/// A mapping, and the value of `rule` in it.
#[derive(Default)]
struct Mapping {
    written: YamlKeys,
    rule: Option<Box<Spanned<RuleMapping>>>,
}

impl<'de> Deserialize<'de> for TopMapping {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MappingVisitor(KeyLevel::Top)).map(Self)
    }
}

impl<'de> Deserialize<'de> for RuleMapping {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MappingVisitor(KeyLevel::Rule)).map(Self)
    }
}

struct MappingVisitor(KeyLevel);

impl<'de> Visitor<'de> for MappingVisitor {
    type Value = Mapping;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the keys of a contract")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Mapping, A::Error> {
        let mut mapping = Mapping::default();
        while let Some(name) = map.next_key::<Spanned<String>>()? {
            let line = line_of(&name.referenced);
            let name = name.value;
            let at_top = self.0 == KeyLevel::Top;
            if let Some(key) = ContractKey::find(&name, self.0) {
                let raw = next_value(&mut map, KEYS[key].shape)?;
                mapping.written.entries.extend(raw.map(|raw| YamlEntry { key, line, raw }));
            } else if at_top && name == RULE {
                mapping.rule = map.next_value::<Option<Spanned<RuleMapping>>>()?.map(Box::new);
            } else {
                map.next_value::<IgnoredAny>()?;
                if !(at_top && UNREAD.iter().any(|(unread, _)| *unread == name)) {
                    let place = UnknownKeyPlace::Unknown(self.0);
                    mapping.written.unknown_keys.push(UnknownKey { name, line, place });
                }
            }
        }
        Ok(mapping)
    }
}

/// The next value, with this shape; `None` for null.
fn next_value<'de, A: MapAccess<'de>>(map: &mut A, shape: ValueShape) -> Result<Option<YamlValue>, A::Error> {
    Ok(match shape {
        ValueShape::Text { .. } => map.next_value::<Option<_>>()?.map(YamlValue::Text),
        ValueShape::TextOrList { .. } | ValueShape::Choices { .. } => {
            map.next_value::<Option<_>>()?.map(YamlValue::TextOrList)
        }
        ValueShape::Flag { .. } => map.next_value::<Option<_>>()?.map(YamlValue::Flag),
        ValueShape::Words { .. } => map.next_value::<Option<_>>()?.map(YamlValue::Words),
        ValueShape::Examples => map.next_value::<Option<_>>()?.map(YamlValue::Examples),
    })
}

/// A text, or a list of texts.
enum TextOrList {
    Text(String),
    /// A number or boolean; its source text is used.
    OtherScalar,
    List(Vec<Spanned<String>>),
}

impl<'de> Deserialize<'de> for TextOrList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextOrListVisitor)
    }
}

struct TextOrListVisitor;

impl<'de> Visitor<'de> for TextOrListVisitor {
    type Value = TextOrList;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, or a list of texts (put a text in single quotes)")
    }

    fn visit_str<E>(self, text: &str) -> Result<TextOrList, E> {
        Ok(TextOrList::Text(text.to_owned()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<TextOrList, E> {
        Ok(TextOrList::OtherScalar)
    }

    fn visit_i64<E>(self, _: i64) -> Result<TextOrList, E> {
        Ok(TextOrList::OtherScalar)
    }

    fn visit_u64<E>(self, _: u64) -> Result<TextOrList, E> {
        Ok(TextOrList::OtherScalar)
    }

    fn visit_f64<E>(self, _: f64) -> Result<TextOrList, E> {
        Ok(TextOrList::OtherScalar)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<TextOrList, A::Error> {
        let mut list = Vec::new();
        while let Some(text) = sequence.next_element()? {
            list.push(text);
        }
        Ok(TextOrList::List(list))
    }
}

/// The keys of `examples` and of one example.
const IN_EXAMPLES: &[&str] = &["violating", "passing"];
const IN_EXAMPLE: &[&str] = &["path", "text", "fixed"];

/// Deserialized examples.
#[derive(Default)]
struct RawExamples {
    violating: Vec<Spanned<RawExample>>,
    passing: Vec<Spanned<RawExample>>,
    unknown_keys: Vec<UnknownKey>,
}

/// A text, or a mapping with a text and its path.
#[derive(Deserialize)]
#[serde(untagged, expecting = "an example is a text, or a 'path' and a 'text' (put the text in quotes)")]
enum RawExample {
    Text(String),
    /// The source text is used.
    Flag(bool),
    /// The source text is used.
    Number(f64),
    LocatedText(RawPlacedExample),
}

#[derive(Deserialize)]
struct RawPlacedExample {
    path: Option<String>,
    text: String,
    fixed: Option<String>,
    #[serde(flatten)]
    unknown_keys: BTreeMap<String, IgnoredAny>,
}

impl<'de> Deserialize<'de> for RawExamples {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ExamplesVisitor)
    }
}

struct ExamplesVisitor;

impl<'de> Visitor<'de> for ExamplesVisitor {
    type Value = RawExamples;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("two lists (write 'violating: […]' and 'passing: […]')")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawExamples, A::Error> {
        let mut examples = RawExamples::default();
        while let Some(name) = map.next_key::<Spanned<String>>()? {
            match name.value.as_str() {
                "violating" => examples.violating = map.next_value::<Option<_>>()?.unwrap_or_default(),
                "passing" => examples.passing = map.next_value::<Option<_>>()?.unwrap_or_default(),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    let (line, place) = (line_of(&name.referenced), UnknownKeyPlace::InExamples(IN_EXAMPLES));
                    examples.unknown_keys.push(UnknownKey { name: name.value, line, place });
                }
            }
        }
        Ok(examples)
    }
}

impl RawExamples {
    fn read(self, document: &mut ContractDocument<'static>, yaml: &str) -> Examples {
        document.unknown_keys.extend(self.unknown_keys);
        let mut all = |raw: Vec<Spanned<RawExample>>| -> Vec<Example> {
            raw.into_iter().map(|raw| example(raw, &mut document.unknown_keys, yaml)).collect()
        };
        Examples { violating: all(self.violating), passing: all(self.passing) }
    }
}

fn example(raw: Spanned<RawExample>, unknown_keys: &mut Vec<UnknownKey>, yaml: &str) -> Example {
    let (place, line) = (raw.referenced, line_of(&raw.referenced));
    match raw.value {
        RawExample::Text(text) => Example { path: None, text, fixed: None, line },
        RawExample::Flag(flag) => {
            let text = as_written(yaml, &place).unwrap_or_else(|| flag.to_string());
            Example { path: None, text, fixed: None, line }
        }
        RawExample::Number(number) => {
            let text = as_written(yaml, &place).unwrap_or_else(|| number.to_string());
            Example { path: None, text, fixed: None, line }
        }
        RawExample::LocatedText(placed) => {
            unknown_keys.extend(placed.unknown_keys.into_keys().map(|name| UnknownKey {
                name,
                line,
                place: UnknownKeyPlace::InExamples(IN_EXAMPLE),
            }));
            Example { path: placed.path, text: placed.text, fixed: placed.fixed, line }
        }
    }
}
