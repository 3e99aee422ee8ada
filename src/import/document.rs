//! Data files with the lines of their values.

use phaser_data::{Format, Node, NodeId, Tree, Value};
use serde_json::{Map, Value as Json};

use super::SourceError;

/// The documents of a data file.
pub struct Documents<'t> {
    tree: Tree<'t>,
}

/// A value of a data file.
#[derive(Clone, Copy)]
pub struct DataNode<'a> {
    tree: &'a Tree<'a>,
    id: NodeId,
}

/// The depth of a value that is copied; a graph of aliases has exponentially many paths.
const MAX_DEPTH: usize = 64;

/// The number of values copied.
const MAX_VALUES: usize = 20_000;

impl<'t> Documents<'t> {
    pub fn parse(text: &'t str, format: Format) -> Result<Self, SourceError> {
        let tree = Tree::parse(text, format).map_err(|error| SourceError {
            line: Some(line_at(text, error.span.start)),
            what: format!("not valid {}: {} (correct it)", format.as_str(), error.problem),
        })?;
        Ok(Self { tree })
    }

    pub fn format(&self) -> Format {
        self.tree.format()
    }

    pub fn roots(&self) -> impl Iterator<Item = DataNode<'_>> {
        self.tree.roots().iter().map(|id| DataNode { tree: &self.tree, id: *id })
    }
}

fn line_at(text: &str, at: usize) -> usize {
    1 + text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count()
}

impl<'a> DataNode<'a> {
    fn node(self) -> &'a Node<'a> {
        self.tree.node(self.id)
    }

    /// The value of a key of an object.
    pub fn get(self, key: &str) -> Option<Self> {
        self.members().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// The keys and values of an object; nothing for any other value.
    pub fn members(self) -> impl Iterator<Item = (&'a str, Self)> {
        let members = match &self.node().value {
            Value::Object(members) => members.as_slice(),
            _ => &[],
        };
        members.iter().map(move |member| (&*member.name, Self { id: member.value, ..self }))
    }

    /// The items of a list; nothing for any other value.
    pub fn items(self) -> impl Iterator<Item = Self> {
        let items = match &self.node().value {
            Value::Array(items) => items.as_slice(),
            _ => &[],
        };
        items.iter().map(move |item| Self { id: *item, ..self })
    }

    pub fn is_list(self) -> bool {
        matches!(self.node().value, Value::Array(_))
    }

    pub fn is_object(self) -> bool {
        matches!(self.node().value, Value::Object(_))
    }

    /// A scalar as text.
    pub fn text(self) -> Option<&'a str> {
        self.tree.scalar_text(self.id).filter(|_| !matches!(self.node().value, Value::Null))
    }

    /// The scalar at a key, as text.
    pub fn text_of(self, key: &str) -> Option<&'a str> {
        self.get(key)?.text()
    }

    /// The flag at a key.
    pub fn flag_of(self, key: &str) -> Option<bool> {
        match self.get(key)?.node().value {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The texts at a key: a scalar, or a list of scalars.
    pub fn texts_of(self, key: &str) -> Vec<&'a str> {
        self.get(key).map_or_else(Vec::new, Self::texts)
    }

    /// A scalar, or the scalars of a list.
    pub fn texts(self) -> Vec<&'a str> {
        match self.text() {
            Some(text) => vec![text],
            None => self.items().filter_map(Self::text).collect(),
        }
    }

    /// The line of the value, from 1.
    pub fn line(self) -> usize {
        let node = self.node();
        let start = node.key.as_ref().map_or(node.span.start, |key| key.start);
        line_at(self.tree.text(), start)
    }

    /// The value as JSON; `None` if it is too large.
    pub fn json(self) -> Option<Json> {
        self.copied(0, &mut 0)
    }

    fn copied(self, depth: usize, count: &mut usize) -> Option<Json> {
        *count += 1;
        if depth > MAX_DEPTH || *count > MAX_VALUES {
            return None;
        }
        Some(match &self.node().value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Number => {
                let written = self.tree.source(self.id);
                serde_json::from_str(written).unwrap_or_else(|_| Json::String(written.to_owned()))
            }
            Value::String(text) => Json::String(text.to_string()),
            Value::Array(_) => {
                Json::Array(self.items().map(|item| item.copied(depth + 1, count)).collect::<Option<_>>()?)
            }
            Value::Object(_) => {
                let mut object = Map::new();
                for (name, value) in self.members() {
                    object.insert(name.to_owned(), value.copied(depth + 1, count)?);
                }
                Json::Object(object)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_lines() {
        let documents = Documents::parse("a: 1\nb:\n  - x\n  - c: 'y'\n", Format::Yaml).expect("parses");
        let root = documents.roots().next().expect("one document");
        let second = root.get("b").expect("has b").items().nth(1).expect("two items");
        assert_eq!((second.text_of("c"), second.get("c").map(DataNode::line)), (Some("y"), Some(4)));
        assert_eq!((root.text_of("a"), root.texts_of("a")), (Some("1"), vec!["1"]));
        assert_eq!(root.json(), Some(serde_json::json!({ "a": 1, "b": ["x", { "c": "y" }] })));
    }

    #[test]
    fn graph_of_aliases_is_bounded() {
        let mut text = "a0: &a0 [x, x]\n".to_owned();
        for at in 1..40 {
            text.push_str(&format!("a{at}: &a{at} [*a{0}, *a{0}]\n", at - 1));
        }
        let documents = Documents::parse(&text, Format::Yaml).expect("parses");
        assert_eq!(documents.roots().next().and_then(DataNode::json), None);
    }
}
