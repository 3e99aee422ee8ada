//! Any YAML document as a tree with lines, for the configuration of a project.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

use super::{Subject, YamlMistake, as_written, document, line_of};

/// A node of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlNode {
    /// The first line.
    pub line: usize,
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

/// Parses a document, or returns line and message of an error.
pub fn node(yaml: &str) -> Result<YamlNode, (usize, String)> {
    let wrong = |YamlMistake { line, what }: YamlMistake| (line, what);
    let raw: Option<Spanned<RawNode>> = document(yaml, Subject::Configuration).map_err(wrong)?;
    Ok(raw.map_or(YamlNode { line: 1, value: YamlNodeValue::Nothing }, |raw| raw.placed(yaml)))
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

trait IntoNode {
    fn placed(self, yaml: &str) -> YamlNode;
}

impl IntoNode for Spanned<RawNode> {
    fn placed(self, yaml: &str) -> YamlNode {
        let line = line_of(&self.referenced);
        let value = match self.value {
            RawNode::Nothing => YamlNodeValue::Nothing,
            RawNode::Text(text) => YamlNodeValue::Scalar(text),
            RawNode::OtherScalar => {
                YamlNodeValue::Scalar(as_written(yaml, &self.referenced).unwrap_or_default())
            }
            RawNode::List(list) => {
                YamlNodeValue::List(list.into_iter().map(|one| one.placed(yaml)).collect())
            }
            RawNode::Mapping(entries) => {
                let entry = |(key, value): (Self, Self)| (key.placed(yaml), value.placed(yaml));
                YamlNodeValue::Mapping(entries.into_iter().map(entry).collect())
            }
        };
        YamlNode { line, value }
    }
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
        assert_eq!(inner[0].1, YamlNode { line: 4, value: YamlNodeValue::Scalar("no".to_owned()) });
        assert_eq!(inner[1].1, YamlNode { line: 5, value: YamlNodeValue::Scalar("1.50".to_owned()) });
        assert_eq!(entries[2].1.value, YamlNodeValue::Nothing);
        assert_eq!(node("").map(|node| node.value), Ok(YamlNodeValue::Nothing));
        assert_eq!(node("# only\n").map(|node| node.value), Ok(YamlNodeValue::Nothing));
        assert!(node("a: [").is_err());
    }
}
