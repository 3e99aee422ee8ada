//! JSONPath (RFC 9535): `$.jobs.*.steps[?@.uses].uses`.
//!
//! [`parse`] reads the grammar of the RFC with its rules for types of functions, and names with `-`; [`eval`] selects nodes; [`iregexp`]
//! has the regular expressions of `match` and `search` (RFC 9485). The compliance suite of the RFC is a test.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use crate::tree::{NodeId, Tree};

mod eval;
mod iregexp;
mod parse;

use iregexp::IRegexp;

pub use eval::{MAX_STEPS, Steps, TooManySteps};

/// A parsed path. Equal if written alike.
#[derive(Clone)]
pub struct JsonPath {
    source: String,
    segments: Vec<Segment>,
}

/// A problem of a path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct PathError {
    /// The byte of the path where it is.
    pub at: usize,
    /// What is wrong.
    pub what: &'static str,
}

/// The last step of a path, if it selects at most one child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastStep<'p> {
    /// The value of this key.
    Name(&'p str),
    /// The item at this position; from the end if negative.
    Index(i64),
}

/// Some steps down from a node.
#[derive(Debug, Clone)]
struct Segment {
    /// Whether it applies to all descendants (`..`), too.
    descends: bool,
    selectors: Vec<Selector>,
}

#[derive(Debug, Clone)]
enum Selector {
    Name(String),
    Wildcard,
    Index(i64),
    Slice { start: Option<i64>, end: Option<i64>, step: i64 },
    Filter(Logical),
}

/// A condition.
#[derive(Debug, Clone)]
enum Logical {
    Or(Vec<Logical>),
    And(Vec<Logical>),
    Not(Box<Logical>),
    /// Whether a query selects something.
    Exists(Query),
    Compare(Comparable, Comparison, Comparable),
    /// A function with a logical result.
    Test(Box<Matching>),
}

/// `match` or `search`.
#[derive(Debug, Clone)]
struct Matching {
    text: Comparable,
    pattern: Comparable,
    /// Whether the whole text must match.
    whole: bool,
    /// The compiled pattern, if it is a literal.
    compiled: OnceLock<Option<IRegexp>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// An expression with a value.
#[derive(Debug, Clone)]
enum Comparable {
    Literal(crate::Scalar),
    /// The value of the only node that a singular query selects.
    Singular(Query),
    Length(Box<Comparable>),
    Count(Query),
    /// The value of the only node of a query; nothing if it selects several.
    ValueOf(Query),
}

/// A query in a filter.
#[derive(Debug, Clone)]
struct Query {
    /// Whether it starts at the root (`$`), not at the current node (`@`).
    from_root: bool,
    segments: Vec<Segment>,
}

impl Query {
    /// Whether it selects at most one node.
    fn is_singular(&self) -> bool {
        self.segments.iter().all(|segment| segment.only_child().is_some())
    }
}

impl Segment {
    /// The child it selects, if it selects at most one.
    fn only_child(&self) -> Option<LastStep<'_>> {
        match (self.descends, self.selectors.as_slice()) {
            (false, [Selector::Name(name)]) => Some(LastStep::Name(name)),
            (false, [Selector::Index(index)]) => Some(LastStep::Index(*index)),
            _ => None,
        }
    }
}

impl JsonPath {
    /// Parses a path.
    ///
    /// # Errors
    ///
    /// What is not a valid path of RFC 9535.
    pub fn parse(source: &str) -> Result<Self, PathError> {
        Ok(Self { source: source.to_owned(), segments: parse::path(source)? })
    }

    /// The path as written.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// The nodes selected from `root`, as the RFC orders them, with duplicates.
    ///
    /// # Errors
    ///
    /// The evaluation takes more steps than are left.
    pub fn select(
        &self,
        tree: &Tree<'_>,
        root: NodeId,
        steps: &mut Steps,
    ) -> Result<Vec<NodeId>, TooManySteps> {
        eval::select(tree, &self.segments, root, steps)
    }

    /// The nodes selected in all documents.
    ///
    /// # Errors
    ///
    /// The evaluation takes too many steps.
    pub fn select_all(&self, tree: &Tree<'_>) -> Result<Vec<NodeId>, TooManySteps> {
        let mut steps = Steps::default();
        let mut all = Vec::new();
        for &root in tree.roots() {
            all.append(&mut self.select(tree, root, &mut steps)?);
        }
        Ok(all)
    }

    /// The number of segments.
    pub fn len(&self) -> usize {
        self.segments.len()
    }

    /// Whether it is `$`.
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// The nodes that the first `count` segments select.
    ///
    /// # Errors
    ///
    /// The evaluation takes more steps than are left.
    pub fn select_start(
        &self,
        count: usize,
        tree: &Tree<'_>,
        root: NodeId,
        steps: &mut Steps,
    ) -> Result<Vec<NodeId>, TooManySteps> {
        eval::select(tree, &self.segments[..count.min(self.segments.len())], root, steps)
    }

    /// The last step, if the path ends in a name or an index.
    pub fn last_step(&self) -> Option<LastStep<'_>> {
        self.segments.last()?.only_child()
    }

    /// The children of `parent` that the last segment selects.
    ///
    /// # Errors
    ///
    /// The evaluation takes more steps than are left.
    pub fn select_last(
        &self,
        tree: &Tree<'_>,
        parent: NodeId,
        steps: &mut Steps,
    ) -> Result<Vec<NodeId>, TooManySteps> {
        let last = self.segments.len().saturating_sub(1);
        eval::select(tree, &self.segments[last..], parent, steps)
    }

    /// Whether no document has a result: a slice of the path is empty for every list.
    pub fn selects_nothing(&self) -> bool {
        let is_empty = |selector: &Selector| match selector {
            Selector::Slice { step: 0, .. } => true,
            Selector::Slice { start, end: Some(end), step: 1.. } => {
                let start = start.unwrap_or(0);
                (start < 0) == (*end < 0) && start >= *end
            }
            _ => false,
        };
        self.segments.iter().any(|segment| segment.selectors.iter().all(is_empty))
    }

    /// Names without which no node can be selected: a tree that has a result has each of them as a key.
    pub fn required_names(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().filter_map(|segment| match segment.selectors.as_slice() {
            [Selector::Name(name)] => Some(name.as_str()),
            _ => None,
        })
    }
}

impl PartialEq for JsonPath {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for JsonPath {}

impl Hash for JsonPath {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.source.hash(state);
    }
}

impl fmt::Debug for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

impl fmt::Display for LastStep<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "[{}]", quoted(name)),
            Self::Index(index) => write!(f, "[{index}]"),
        }
    }
}

/// A name as normalized paths write it.
pub(crate) fn quoted(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 2);
    out.push('\'');
    for c in name.chars() {
        match c {
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            c if u32::from(c) < 0x20 => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}
