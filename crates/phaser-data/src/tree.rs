//! The tree of a data file.

use std::borrow::Cow;
use std::ops::Range;

use crate::scalar::{Number, Scalar};
use crate::{Format, json, toml_tree, yaml};

/// The largest text that is parsed, in bytes.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The largest number of values in a file.
pub const MAX_NODES: usize = 2_000_000;

/// The deepest nesting of lists and mappings. Parsers may have a lower limit.
pub const MAX_DEPTH: usize = 255;

/// A node of a [`Tree`], by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

/// A parsed data file. A YAML alias is the node of its anchor again, so that the tree may be a graph without cycles.
#[derive(Debug)]
pub struct Tree<'t> {
    text: &'t str,
    format: Format,
    nodes: Vec<Node<'t>>,
    roots: Vec<NodeId>,
}

/// One value.
#[derive(Debug)]
pub struct Node<'t> {
    /// The bytes of the value. Of a block in YAML, from the first key or dash to the end of the last value; of a table in
    /// TOML, its header, or its key if it has no header.
    pub span: Range<usize>,
    /// The value.
    pub value: Value<'t>,
    /// The node that contains it at its source, not at an alias.
    parent: Option<NodeId>,
    /// The span of its key, if it is the value of one.
    pub key: Option<Range<usize>>,
    /// Whether it is in a flow collection of YAML, where a comma ends a scalar.
    pub in_flow: bool,
}

/// The content of a node. Scalars other than strings are as written at the span.
#[derive(Debug)]
pub enum Value<'t> {
    /// `null`, `~`, or nothing at all.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer or a float.
    Number,
    /// A text, without quotes and escapes. A date of TOML is a text.
    String(Cow<'t, str>),
    /// A list.
    Array(Vec<NodeId>),
    /// Keys and values in order of their source. A key may occur several times, as JSON allows.
    Object(Vec<Member<'t>>),
}

/// A key with its value.
#[derive(Debug, Clone)]
pub struct Member<'t> {
    /// Without quotes and escapes; a key of YAML that is no text, as written.
    pub name: Cow<'t, str>,
    /// The value.
    pub value: NodeId,
}

/// Why a file has no tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// The bytes that the parser stopped at.
    pub span: Range<usize>,
    /// What is wrong.
    pub problem: ParseProblem,
}

/// What is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseProblem {
    /// A syntax error, in the parser's words.
    #[error("{0}")]
    Syntax(String),
    /// The file may be valid and is too much for the parser.
    #[error("{0}")]
    Limit(&'static str),
}

impl ParseError {
    /// A syntax error.
    pub(crate) fn syntax(span: Range<usize>, what: impl Into<String>) -> Self {
        let mut what = what.into();
        if let Some(first) = what.get(..1) {
            let first = first.to_ascii_lowercase();
            what.replace_range(..1, &first);
        }
        // Some messages have several lines.
        let what = what.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(", ");
        Self { span, problem: ParseProblem::Syntax(what) }
    }

    pub(crate) fn too_deep(at: usize) -> Self {
        Self { span: at..at, problem: ParseProblem::Limit("nested too deep") }
    }

    pub(crate) fn too_many(at: usize) -> Self {
        Self { span: at..at, problem: ParseProblem::Limit("too many values") }
    }
}

impl<'t> Tree<'t> {
    /// Parses a text.
    ///
    /// # Errors
    ///
    /// A syntax error, or a limit of size or depth.
    pub fn parse(text: &'t str, format: Format) -> Result<Self, ParseError> {
        if text.len() > MAX_BYTES {
            return Err(ParseError { span: 0..0, problem: ParseProblem::Limit("too large to be parsed") });
        }
        let mut tree = Self { text, format, nodes: Vec::new(), roots: Vec::new() };
        let roots = match format {
            Format::Json | Format::JsonWithComments => json::parse(&mut tree)?,
            Format::Yaml => yaml::parse(&mut tree)?,
            Format::Toml => toml_tree::parse(&mut tree)?,
        };
        tree.roots = roots;
        Ok(tree)
    }

    /// The text of the file.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The format of the file.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The root of each document. Empty documents are left out.
    pub fn roots(&self) -> &[NodeId] {
        &self.roots
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether it has no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node with this id, which must be of this tree.
    pub fn node(&self, id: NodeId) -> &Node<'t> {
        &self.nodes[id.0 as usize]
    }

    /// All nodes.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> {
        (0..self.nodes.len()).map(|index| NodeId(u32::try_from(index).unwrap_or(u32::MAX)))
    }

    /// The node with this [`shown_span`](Self::shown_span). The innermost one, if several have it.
    pub fn at_shown_span(&self, span: &Range<usize>) -> Option<NodeId> {
        self.nodes().filter(|id| self.shown_span(*id) == *span).last()
    }

    /// Adds a node. Its children must be added with [`Tree::adopt`].
    pub(crate) fn add(&mut self, span: Range<usize>, value: Value<'t>) -> Result<NodeId, ParseError> {
        if self.nodes.len() >= MAX_NODES {
            return Err(ParseError::too_many(span.start));
        }
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(Node { span, value, parent: None, key: None, in_flow: false });
        Ok(id)
    }

    pub(crate) fn node_mut(&mut self, id: NodeId) -> &mut Node<'t> {
        &mut self.nodes[id.0 as usize]
    }

    /// Makes `parent` the parent of `child` at its source.
    pub(crate) fn adopt(&mut self, parent: NodeId, child: NodeId, key: Option<Range<usize>>) {
        let child = self.node_mut(child);
        child.parent = Some(parent);
        child.key = key;
    }

    /// A scalar as text: a string without quotes and escapes, any other scalar as written. `None` for a list or mapping.
    pub fn scalar_text(&self, id: NodeId) -> Option<&str> {
        let node = self.node(id);
        match &node.value {
            Value::String(text) => Some(text),
            Value::Null | Value::Bool(_) | Value::Number => Some(self.source(id)),
            Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// The bytes of the value in the file.
    pub fn source(&self, id: NodeId) -> &'t str {
        self.text.get(self.node(id).span.clone()).unwrap_or_default()
    }

    /// Whether the value is this scalar, with the same type.
    pub fn equals(&self, id: NodeId, scalar: &Scalar) -> bool {
        match (&self.node(id).value, scalar) {
            (Value::Null, Scalar::Null) => true,
            (Value::Bool(one), Scalar::Bool(other)) => one == other,
            (Value::Number, Scalar::Number(other)) => {
                let number = self.number(id);
                number.is_some() && number == Number::parse(other)
            }
            (Value::String(one), Scalar::String(other)) => one == other,
            _ => false,
        }
    }

    pub(crate) fn number(&self, id: NodeId) -> Option<Number> {
        match self.node(id).value {
            Value::Number => Number::parse(self.source(id)),
            _ => None,
        }
    }

    /// The normalized path of the value at its source, as RFC 9535 writes it: `$['jobs']['test'][0]`.
    pub fn location(&self, id: NodeId) -> String {
        self.path_with(id, |index| index.to_string())
    }

    /// The path of the value without positions in lists: `$['jobs']['test'][*]`. It stays the same when a list grows.
    pub fn path_without_positions(&self, id: NodeId) -> String {
        self.path_with(id, |_| "*".to_owned())
    }

    fn path_with(&self, id: NodeId, position: impl Fn(usize) -> String) -> String {
        let mut steps = Vec::new();
        let mut child = id;
        while let Some(parent) = self.node(child).parent {
            match &self.node(parent).value {
                Value::Array(items) => {
                    let at = items.iter().position(|item| *item == child).unwrap_or_default();
                    steps.push(format!("[{}]", position(at)));
                }
                Value::Object(members) => {
                    let name = members.iter().find(|member| member.value == child);
                    steps.push(format!("[{}]", crate::path::quoted(name.map_or("", |member| &member.name))));
                }
                _ => {}
            }
            child = parent;
        }
        steps.push("$".to_owned());
        steps.reverse();
        steps.concat()
    }
}
