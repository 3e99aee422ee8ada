//! The full YAML parser, and the only user of serde-saphyr. Unknown keys are collected for warnings.

use std::ops::Range;

use serde_json::Value as Json;

use super::{ContractDocument, UnknownKey, UnknownKeyPlace, counts_beside_rule};
use crate::contract::keys::{ContractKey, KEYS, KeyLevel, LocatedText, RULE, UNREAD, Value, ValueShape};
use crate::contract::{ContractSchema, Example, ExampleChange, Examples};
use phaser_data::Scalar;

mod mistake;
mod node;

pub(super) use mistake::{Subject, YamlMistake};
pub use node::{YamlNode, YamlNodeValue, node};

/// The keys of `examples` and of one example.
const IN_EXAMPLES: &[&str] = &["violating", "passing"];
const IN_EXAMPLE: &[&str] = &["path", "text", "before", "after", "files", "fixed"];

/// Parses the only document in `yaml`; an error is one of syntax.
pub(super) fn parse(yaml: &str) -> Result<YamlNode, YamlMistake> {
    node::parse(yaml, Subject::Contract)
}

/// Reads the contract of a document that starts in line `first`.
pub(super) fn read(file: YamlNode, first: usize) -> Result<ContractDocument<'static>, YamlMistake> {
    if file.value == YamlNodeValue::Nothing {
        return Err(YamlMistake::at(1, "the file is empty (a contract starts with 'rule_id: …')"));
    }
    let mut outer = YamlKeys::of(file, KeyLevel::Top)?;
    let (schema, top, inner, outer) = match outer.rule.take() {
        Some(rule) => (ContractSchema::V1_2, rule.line, YamlKeys::of(rule, KeyLevel::Rule)?, outer),
        None => (ContractSchema::Flat, first, outer, YamlKeys::default()),
    };
    let unknown_keys = inner.unknown.into_iter().chain(outer.unknown).collect();
    let mut document = ContractDocument { schema, first, top, values: Vec::new(), unknown_keys };
    let present: Vec<usize> = inner.known.iter().map(|entry| entry.key).collect();
    for entry in inner.known {
        document.put(entry)?;
    }
    for entry in outer.known {
        if !counts_beside_rule(entry.key) {
            let (name, line) = (KEYS[entry.key].name.to_owned(), entry.line);
            document.unknown_keys.push(UnknownKey { name, line, place: UnknownKeyPlace::BesideRule });
        } else if !present.contains(&entry.key) {
            document.put(entry)?;
        }
    }
    Ok(document)
}

/// The byte range of a boolean at the top level.
pub(super) fn place_of_flag(yaml: &str, name: &str) -> Option<Range<usize>> {
    let file = parse(yaml).ok()?;
    let keys = YamlKeys::of(file, KeyLevel::Top).ok()?;
    keys.known.into_iter().find(|entry| KEYS[entry.key].name == name)?.value.span
}

/// The keys of a mapping. Those without a value are left out.
#[derive(Default)]
struct YamlKeys {
    known: Vec<YamlEntry>,
    unknown: Vec<UnknownKey>,
    rule: Option<YamlNode>,
}

/// A known key with its value.
struct YamlEntry {
    /// The index of the key.
    key: usize,
    line: usize,
    value: YamlNode,
}

impl YamlKeys {
    fn of(mapping: YamlNode, level: KeyLevel) -> Result<Self, YamlMistake> {
        let YamlNodeValue::Mapping(entries) = mapping.value else {
            let what = "not a contract (write one 'key: value' a line, from 'rule_id: …' on)";
            return Err(YamlMistake::at(mapping.line, what));
        };
        let mut keys = Self::default();
        for (name, value) in entries {
            let line = name.line;
            let name = text(name)?.text.into_owned();
            let is_null = |key: usize| matches!(KEYS[key].shape, ValueShape::Scalars { .. });
            let is_read = value.value != YamlNodeValue::Nothing;
            let at_top = level == KeyLevel::Top;
            match ContractKey::find(&name, level) {
                Some(key) if is_read || is_null(key) => keys.known.push(YamlEntry { key, line, value }),
                Some(_) => {}
                None if at_top && name == RULE => keys.rule = is_read.then_some(value),
                None if at_top && UNREAD.iter().any(|(unread, _)| *unread == name) => {}
                None => {
                    keys.unknown.push(UnknownKey { name, line, place: UnknownKeyPlace::Unknown(level) });
                }
            }
        }
        Ok(keys)
    }
}

impl ContractDocument<'static> {
    /// Adds the value of a key, which must have the key's shape.
    fn put(&mut self, YamlEntry { key, line, value }: YamlEntry) -> Result<(), YamlMistake> {
        let value = match KEYS[key].shape {
            ValueShape::Text { .. } => {
                let is_literal = !value.is_text && value.value != YamlNodeValue::Nothing;
                let text = text(value)?;
                if is_literal { Value::Literal(text) } else { Value::Text(text) }
            }
            ValueShape::Number { .. } => match value.value {
                YamlNodeValue::Scalar(_) => Value::Literal(text(value)?),
                _ => {
                    let what = format!("'{}' is not a number (write digits)", KEYS[key].name);
                    return Err(YamlMistake::at(line, what));
                }
            },
            ValueShape::Scalars { .. }
            | ValueShape::TextOrList { .. }
            | ValueShape::Texts { .. }
            | ValueShape::Choices { .. }
                if matches!(&value.value, YamlNodeValue::List(list) if list.is_empty()) =>
            {
                Value::Empty(line)
            }
            ValueShape::Scalars { .. } => {
                let list = match value.value {
                    YamlNodeValue::List(list) => list,
                    _ => vec![value],
                };
                Value::Scalars(list.into_iter().map(scalar).collect::<Result<_, _>>()?)
            }
            ValueShape::TextOrList { .. } | ValueShape::Texts { .. } | ValueShape::Choices { .. } => {
                match value.value {
                    YamlNodeValue::List(list) => Value::List(texts(list)?),
                    YamlNodeValue::Mapping(_) => {
                        let what = "expected a text, or a list of texts (put a text in single quotes)";
                        return Err(YamlMistake::at(value.line, what));
                    }
                    YamlNodeValue::Scalar(_) | YamlNodeValue::Nothing => Value::Text(text(value)?),
                }
            }
            ValueShape::TextOrObject { .. } => match value.value {
                YamlNodeValue::Mapping(_) => {
                    let line = value.line;
                    Value::Object(LocatedText::new(json(value)?.to_string(), line))
                }
                _ => Value::Text(text(value)?),
            },
            ValueShape::Flag { .. } => Value::Flag(flag(value)?),
            ValueShape::Words { .. } => Value::List(texts(list(value)?)?),
            ValueShape::Examples => Value::Examples(self.examples(value)?),
        };
        self.values.push((key, value));
        Ok(())
    }

    fn examples(&mut self, value: YamlNode) -> Result<Examples, YamlMistake> {
        let YamlNodeValue::Mapping(entries) = value.value else {
            let what = "expected two lists (write 'violating: […]' and 'passing: […]')";
            return Err(YamlMistake::at(value.line, what));
        };
        let mut examples = Examples::default();
        for (name, value) in entries {
            let line = name.line;
            let name = text(name)?.text.into_owned();
            let list_of = match name.as_str() {
                "violating" => &mut examples.violating,
                "passing" => &mut examples.passing,
                _ => {
                    let place = UnknownKeyPlace::InExamples(IN_EXAMPLES);
                    self.unknown_keys.push(UnknownKey { name, line, place });
                    continue;
                }
            };
            if value.value != YamlNodeValue::Nothing {
                let all = list(value)?.into_iter().map(|value| self.example(value));
                *list_of = all.collect::<Result<_, _>>()?;
            }
        }
        Ok(examples)
    }

    fn example(&mut self, value: YamlNode) -> Result<Example, YamlMistake> {
        let line = value.line;
        let wrong = || {
            let what = "an example is a text, or a 'path' and a 'text' (put the text in quotes)";
            YamlMistake::at(line, what)
        };
        let entries = match value.value {
            YamlNodeValue::Scalar(text) => return Ok(Example { text, line, ..Example::default() }),
            YamlNodeValue::Mapping(entries) => entries,
            YamlNodeValue::List(_) | YamlNodeValue::Nothing => return Err(wrong()),
        };
        let (mut path, mut content, mut fixed) = (None, None, None);
        let (mut before, mut after) = (None, None);
        let mut files = None;
        for (name, value) in entries {
            let name = text(name)?.text.into_owned();
            let field = match name.as_str() {
                "path" => &mut path,
                "text" => &mut content,
                "fixed" => &mut fixed,
                "files" => {
                    files = Some(paths(value)?);
                    continue;
                }
                "before" | "after" => {
                    let version = match value.value {
                        YamlNodeValue::Scalar(text) if value.is_text => Some(text),
                        YamlNodeValue::Nothing => None,
                        _ => return Err(wrong()),
                    };
                    *(if name == "before" { &mut before } else { &mut after }) = Some(version);
                    continue;
                }
                _ => {
                    let place = UnknownKeyPlace::InExamples(IN_EXAMPLE);
                    self.unknown_keys.push(UnknownKey { name, line, place });
                    continue;
                }
            };
            *field = match value.value {
                YamlNodeValue::Scalar(text) if value.is_text => Some(text),
                YamlNodeValue::Nothing => None,
                _ => return Err(wrong()),
            };
        }
        if let Some(files) = files {
            let is_alone = [&path, &content, &fixed].iter().all(|key| key.is_none())
                && before.is_none()
                && after.is_none();
            if !is_alone {
                let what = "an example with 'files' has no other key (write the paths only)";
                return Err(YamlMistake::at(line, what));
            }
            let mut example = Example { line, ..Example::default() };
            example.set_files(files);
            return Ok(example);
        }
        let change = match (before, after, &content) {
            (None, None, _) => None,
            (Some(before), Some(after), None) => Some(Box::new(ExampleChange { before, after })),
            _ => {
                let what = "an example of a change has 'before' and 'after', and no 'text' (null is no file)";
                return Err(YamlMistake::at(line, what));
            }
        };
        let text = match &change {
            Some(change) => change.after.clone().unwrap_or_default(),
            None => content.ok_or_else(wrong)?,
        };
        Ok(Example { path, text, change, files: Vec::new(), fixed, line })
    }
}

/// The value of `files`: a path, or a list of paths.
fn paths(value: YamlNode) -> Result<Vec<String>, YamlMistake> {
    let line = value.line;
    let wrong = |line| {
        let what = "'files' is a path or a list of paths (write 'files: [src/a.py, tests/test_a.py]')";
        YamlMistake::at(line, what)
    };
    let list = match value.value {
        YamlNodeValue::List(list) => list,
        _ => vec![value],
    };
    let path = |node: YamlNode| match node.value {
        YamlNodeValue::Scalar(path) if node.is_text && !path.is_empty() => Ok(path),
        _ => Err(wrong(node.line)),
    };
    let paths = list.into_iter().map(path).collect::<Result<Vec<_>, _>>()?;
    if paths.is_empty() { Err(wrong(line)) } else { Ok(paths) }
}

fn text(node: YamlNode) -> Result<LocatedText<'static>, YamlMistake> {
    match node.value {
        YamlNodeValue::Scalar(text) => Ok(LocatedText::new(text, node.line)),
        YamlNodeValue::Nothing => Ok(LocatedText::new("", node.line)),
        YamlNodeValue::List(_) | YamlNodeValue::Mapping(_) => {
            let what = "a list or a mapping, where text is expected (put the text in single quotes)";
            Err(YamlMistake::at(node.line, what))
        }
    }
}

/// A scalar as a JSON literal.
fn scalar(node: YamlNode) -> Result<LocatedText<'static>, YamlMistake> {
    let line = node.line;
    let scalar = match node.value {
        YamlNodeValue::Nothing => Scalar::Null,
        YamlNodeValue::Scalar(text) if node.is_text => Scalar::String(text),
        YamlNodeValue::Scalar(text) => Scalar::of_plain(&text),
        YamlNodeValue::List(_) | YamlNodeValue::Mapping(_) => {
            let what = "a list or a mapping, where a single value is expected (compare with its values)";
            return Err(YamlMistake::at(line, what));
        }
    };
    Ok(LocatedText::new(scalar.to_json(), line))
}

/// A node as JSON: a number or a boolean if it is written as one.
fn json(node: YamlNode) -> Result<Json, YamlMistake> {
    Ok(match node.value {
        YamlNodeValue::Nothing => Json::Null,
        YamlNodeValue::Scalar(text) if node.is_text => Json::String(text),
        YamlNodeValue::Scalar(text) => serde_json::from_str(&text).unwrap_or(Json::String(text)),
        YamlNodeValue::List(list) => Json::Array(list.into_iter().map(json).collect::<Result<_, _>>()?),
        YamlNodeValue::Mapping(entries) => {
            let one = |(name, value): (YamlNode, YamlNode)| Ok((text(name)?.text.into_owned(), json(value)?));
            Json::Object(entries.into_iter().map(one).collect::<Result<_, _>>()?)
        }
    })
}

fn texts(list: Vec<YamlNode>) -> Result<Vec<LocatedText<'static>>, YamlMistake> {
    list.into_iter().map(text).collect()
}

fn list(node: YamlNode) -> Result<Vec<YamlNode>, YamlMistake> {
    match node.value {
        YamlNodeValue::List(list) => Ok(list),
        _ => {
            let hint = "(put it in brackets, or write '- ' before it on a line of its own)";
            Err(YamlMistake::at(node.line, format!("one value, where a list is expected {hint}")))
        }
    }
}

/// A boolean as YAML 1.1 and Python spell it.
fn flag(node: YamlNode) -> Result<bool, YamlMistake> {
    let line = node.line;
    let written = text(node)?.text.to_ascii_lowercase();
    match written.trim() {
        "true" | "yes" | "y" | "on" => Ok(true),
        "false" | "no" | "n" | "off" => Ok(false),
        _ => Err(YamlMistake::at(line, "neither true nor false (write one of them)")),
    }
}
