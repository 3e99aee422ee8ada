//! A YAML document as a tree with line numbers. Reads contracts that need more than the plain reader, and the
//! configuration.

use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Location, Spanned, options};

use super::mistake::{self, Subject, YamlMistake};

/// A node of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlNode {
    /// The first line.
    pub line: usize,
    /// The byte range in the document, if known.
    pub span: Option<Range<usize>>,
    /// Whether it is text, not a number or boolean.
    pub is_text: bool,
    /// Scalar, list or mapping.
    pub value: YamlNodeValue,
}

/// The content of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum YamlNodeValue {
    /// Null or empty.
    Nothing,
    /// A scalar; numbers and booleans as written.
    Scalar(String),
    /// A list.
    List(Vec<YamlNode>),
    /// Keys with their values, in order.
    Mapping(Vec<(YamlNode, YamlNode)>),
}

/// Parses a configuration, or returns line and message of an error.
pub fn node(yaml: &str) -> Result<YamlNode, (usize, String)> {
    parse(yaml, Subject::Configuration).map_err(|YamlMistake { line, what }| (line, what))
}

/// Parses the only document in `yaml`, within limits of depth and size.
pub fn parse(yaml: &str, subject: Subject) -> Result<YamlNode, YamlMistake> {
    let options = options! {
        budget: serde_saphyr::budget! {
            max_depth: 32,
            max_nodes: 10_000,
            max_aliases: 100,
            max_documents: 1,
        },
        with_snippet: false,
    };
    let raw: Option<Spanned<RawNode>> = serde_saphyr::from_str_with_options(yaml, options)
        .map_err(|error| mistake::of(yaml, &error, subject))?;
    let nothing = YamlNode { line: 1, span: None, is_text: false, value: YamlNodeValue::Nothing };
    Ok(raw.map_or(nothing, |raw| placed(raw, yaml)))
}

/// The line of a location, from 1.
pub fn line_of(location: &Location) -> usize {
    usize::try_from(location.line()).unwrap_or(usize::MAX).max(1)
}

fn span_of(location: &Location) -> Option<Range<usize>> {
    let span = location.span();
    let start = usize::try_from(span.byte_offset()?).ok()?;
    Some(start..start + usize::try_from(span.byte_len()?).ok()?)
}

/// A deserialized node.
enum RawNode {
    Nothing,
    Text(String),
    /// A number or boolean; its source text is used.
    OtherScalar,
    List(Vec<Spanned<RawNode>>),
    Mapping(Vec<(Spanned<RawNode>, Spanned<RawNode>)>),
}

/// The node with its location and, for numbers and booleans, its source text.
fn placed(raw: Spanned<RawNode>, yaml: &str) -> YamlNode {
    let span = span_of(&raw.referenced).filter(|span| yaml.get(span.clone()).is_some());
    let is_text = matches!(raw.value, RawNode::Text(_));
    let value = match raw.value {
        RawNode::Nothing => YamlNodeValue::Nothing,
        RawNode::Text(text) => YamlNodeValue::Scalar(text),
        RawNode::OtherScalar => {
            let written = span_of(&raw.defined).and_then(|span| yaml.get(span));
            YamlNodeValue::Scalar(written.unwrap_or_default().to_owned())
        }
        RawNode::List(list) => YamlNodeValue::List(list.into_iter().map(|one| placed(one, yaml)).collect()),
        RawNode::Mapping(entries) => {
            let entries = entries.into_iter().map(|(key, value)| (placed(key, yaml), placed(value, yaml)));
            YamlNodeValue::Mapping(entries.collect())
        }
    };
    YamlNode { line: line_of(&raw.referenced), span, is_text, value }
}

impl<'de> Deserialize<'de> for RawNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawNodeVisitor)
    }
}

struct RawNodeVisitor;

impl<'de> Visitor<'de> for RawNodeVisitor {
    type Value = RawNode;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, a list, or keys with values (put a text in single quotes)")
    }

    fn visit_unit<E>(self) -> Result<RawNode, E> {
        Ok(RawNode::Nothing)
    }

    fn visit_none<E>(self) -> Result<RawNode, E> {
        Ok(RawNode::Nothing)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<RawNode, D::Error> {
        RawNode::deserialize(deserializer)
    }

    fn visit_str<E>(self, text: &str) -> Result<RawNode, E> {
        Ok(RawNode::Text(text.to_owned()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<RawNode, E> {
        Ok(RawNode::OtherScalar)
    }

    fn visit_i64<E>(self, _: i64) -> Result<RawNode, E> {
        Ok(RawNode::OtherScalar)
    }

    fn visit_u64<E>(self, _: u64) -> Result<RawNode, E> {
        Ok(RawNode::OtherScalar)
    }

    fn visit_f64<E>(self, _: f64) -> Result<RawNode, E> {
        Ok(RawNode::OtherScalar)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<RawNode, A::Error> {
        let mut list = Vec::new();
        while let Some(one) = sequence.next_element()? {
            list.push(one);
        }
        Ok(RawNode::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawNode, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(RawNode::Mapping(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_becomes_a_tree_with_lines() {
        let tree = node("a: [x, 'y']\n# c\nb:\n  - c: no\n    d: 1.50\ne:\n").expect("yaml");
        let YamlNodeValue::Mapping(entries) = &tree.value else { panic!("{tree:?}") };
        let lines: Vec<usize> = entries.iter().map(|(key, _)| key.line).collect();
        assert_eq!(lines, [1, 3, 6]);
        let YamlNodeValue::List(list) = &entries[1].1.value else { panic!("{tree:?}") };
        let YamlNodeValue::Mapping(inner) = &list[0].value else { panic!("{tree:?}") };
        let scalar = |text: &str| YamlNodeValue::Scalar(text.to_owned());
        assert_eq!((inner[0].1.line, &inner[0].1.value), (4, &scalar("no")));
        assert_eq!((inner[1].1.line, &inner[1].1.value), (5, &scalar("1.50")));
        assert_eq!(entries[2].1.value, YamlNodeValue::Nothing);
        assert_eq!(node("").map(|node| node.value), Ok(YamlNodeValue::Nothing));
        assert_eq!(node("# only\n").map(|node| node.value), Ok(YamlNodeValue::Nothing));
        assert!(node("a: [").is_err());
    }
}
