//! Any YAML document as a tree, with the line of each part: for the configuration of a project, whose keys are not those of
//! a contract.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

use super::{Mistake, Subject, as_written, document, line_of};

/// A part of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The line that it starts on.
    pub line: usize,
    /// What it is.
    pub value: NodeValue,
}

/// What a part of a document is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeValue {
    /// Nothing.
    Nothing,
    /// One value, as it is written.
    Scalar(String),
    /// A list.
    List(Vec<Node>),
    /// Keys with their values, in order.
    Mapping(Vec<(Node, Node)>),
}

/// The document in `yaml`; an empty one is nothing. Or what is wrong with it: the line, and what to do.
pub fn node(yaml: &str) -> Result<Node, (usize, String)> {
    let wrong = |Mistake { line, what }: Mistake| (line, what);
    let raw: Option<Spanned<Raw>> = document(yaml, Subject::Configuration).map_err(wrong)?;
    Ok(raw.map_or(Node { line: 1, value: NodeValue::Nothing }, |raw| raw.placed(yaml)))
}

/// A part as the YAML crate reads it.
enum Raw {
    Nothing,
    Text(String),
    /// What YAML takes for a number or a truth value; it counts as it is written.
    OtherScalar,
    List(Vec<Spanned<Raw>>),
    Mapping(Vec<(Spanned<Raw>, Spanned<Raw>)>),
}

trait Place {
    fn placed(self, yaml: &str) -> Node;
}

impl Place for Spanned<Raw> {
    fn placed(self, yaml: &str) -> Node {
        let line = line_of(&self.referenced);
        let value = match self.value {
            Raw::Nothing => NodeValue::Nothing,
            Raw::Text(text) => NodeValue::Scalar(text),
            Raw::OtherScalar => NodeValue::Scalar(as_written(yaml, &self.referenced).unwrap_or_default()),
            Raw::List(list) => NodeValue::List(list.into_iter().map(|one| one.placed(yaml)).collect()),
            Raw::Mapping(entries) => {
                let entry = |(key, value): (Self, Self)| (key.placed(yaml), value.placed(yaml));
                NodeValue::Mapping(entries.into_iter().map(entry).collect())
            }
        };
        Node { line, value }
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, a list, or keys with values (put a text in single quotes)")
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Nothing)
    }

    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Nothing)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Raw, D::Error> {
        Raw::deserialize(deserializer)
    }

    fn visit_str<E>(self, text: &str) -> Result<Raw, E> {
        Ok(Raw::Text(text.to_owned()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Raw, E> {
        Ok(Raw::OtherScalar)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Raw, E> {
        Ok(Raw::OtherScalar)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Raw, E> {
        Ok(Raw::OtherScalar)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Raw, E> {
        Ok(Raw::OtherScalar)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Raw, A::Error> {
        let mut list = Vec::new();
        while let Some(one) = sequence.next_element()? {
            list.push(one);
        }
        Ok(Raw::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Raw::Mapping(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_becomes_a_tree_with_lines() {
        let tree = node("a: [x, 'y']\n# c\nb:\n  - c: no\n    d: 1.50\ne:\n").expect("yaml");
        let NodeValue::Mapping(entries) = &tree.value else { panic!("{tree:?}") };
        let lines: Vec<usize> = entries.iter().map(|(key, _)| key.line).collect();
        assert_eq!(lines, [1, 3, 6]);
        let NodeValue::List(list) = &entries[1].1.value else { panic!("{tree:?}") };
        let NodeValue::Mapping(inner) = &list[0].value else { panic!("{tree:?}") };
        assert_eq!(inner[0].1, Node { line: 4, value: NodeValue::Scalar("no".to_owned()) });
        assert_eq!(inner[1].1, Node { line: 5, value: NodeValue::Scalar("1.50".to_owned()) });
        assert_eq!(entries[2].1.value, NodeValue::Nothing);
        assert_eq!(node("").map(|node| node.value), Ok(NodeValue::Nothing));
        assert_eq!(node("# only\n").map(|node| node.value), Ok(NodeValue::Nothing));
        assert!(node("a: [").is_err());
    }
}
