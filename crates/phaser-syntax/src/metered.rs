//! Syntax trees whose traversal is counted.
//!
//! ast-grep's matcher is generic over the document it searches. This one counts the nodes that the matcher visits, and
//! ends every traversal once the budget is spent or the caller's deadline has passed. What the matcher returns from then
//! on is meaningless and dropped.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::ops::Range;
use std::rc::Rc;

use ast_grep_core::source::{Doc, Edit, SgNode};
use ast_grep_core::{Position, tree_sitter::TsPre};
use ast_grep_language::SupportLang;
use tree_sitter::{Node, Tree};

use crate::tree::{Stop, depth};

/// The nodes that one rule may visit in one text: some seconds of work, where usual rules take milliseconds.
const MAX_STEPS: u64 = 100_000_000;

/// Steps between two looks at the caller's deadline.
const STEPS_BETWEEN_STOPS: u64 = 2048;

/// The steps left.
pub(crate) struct StepMeter {
    left: Cell<u64>,
    /// The value of `left` at which `stop` is called next.
    next_stop: Cell<u64>,
    is_stopped: Cell<bool>,
    /// The steps of a call that finds the parent of a node: tree-sitter descends from the root to it.
    climb: OnceCell<usize>,
    tree: Tree,
    stop: Stop,
}

impl StepMeter {
    /// Counts the steps in `tree`.
    pub fn new(tree: Tree, stop: Stop) -> Self {
        let (left, next_stop) = (Cell::new(MAX_STEPS), Cell::new(MAX_STEPS - STEPS_BETWEEN_STOPS));
        Self { left, next_stop, is_stopped: Cell::new(false), climb: OnceCell::new(), tree, stop }
    }

    /// Starts over, for the next rule.
    pub fn refill(&self) {
        self.left.set(MAX_STEPS);
        self.next_stop.set(MAX_STEPS - STEPS_BETWEEN_STOPS);
    }

    /// Whether the budget is spent, or the caller has stopped the search.
    pub fn is_spent(&self) -> bool {
        self.left.get() == 0
    }

    /// Whether the caller has stopped the search.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.get()
    }

    fn climb(&self) -> usize {
        *self.climb.get_or_init(|| depth(&self.tree) / 16 + 1)
    }

    /// Takes steps; `false` if none are left.
    fn take(&self, steps: usize) -> bool {
        let left = self.left.get().saturating_sub(steps as u64);
        self.left.set(left);
        if left <= self.next_stop.get() {
            self.next_stop.set(left.saturating_sub(STEPS_BETWEEN_STOPS));
            if (self.stop)() {
                self.is_stopped.set(true);
                self.left.set(0);
            }
        }
        self.left.get() > 0
    }
}

/// A parsed text.
#[derive(Clone)]
pub(crate) struct MeteredDoc {
    pub source: Rc<String>,
    pub language: SupportLang,
    pub tree: Tree,
    pub meter: Rc<StepMeter>,
}

impl Doc for MeteredDoc {
    type Source = String;
    type Lang = SupportLang;
    type Node<'r> = MeteredNode<'r>;

    fn get_lang(&self) -> &SupportLang {
        &self.language
    }

    fn get_source(&self) -> &String {
        &self.source
    }

    fn do_edit(&mut self, _: &Edit<String>) -> Result<(), String> {
        Err("a searched text is not edited".to_owned())
    }

    fn root_node(&self) -> MeteredNode<'_> {
        MeteredNode { node: self.tree.root_node(), meter: &self.meter }
    }

    fn get_node_text<'a>(&'a self, node: &MeteredNode<'a>) -> Cow<'a, str> {
        // A grammar may end a node within a character, or after the end of the text.
        let (bytes, range) = (self.source.as_bytes(), node.range());
        String::from_utf8_lossy(bytes.get(range).unwrap_or_default())
    }
}

/// A node whose traversal is counted.
#[derive(Clone)]
pub(crate) struct MeteredNode<'r> {
    node: Node<'r>,
    meter: &'r StepMeter,
}

impl<'r> MeteredNode<'r> {
    fn with(&self, node: Node<'r>) -> Self {
        Self { node, meter: self.meter }
    }

    /// Counts a call that finds the parent and scans its children.
    fn take_siblings(&self, parent: Option<Node<'r>>) -> bool {
        let width = parent.map_or(0, |parent| parent.child_count() as usize / 8);
        self.meter.take(width + self.meter.climb())
    }
}

/// The children of a node.
struct Children<I> {
    nodes: I,
    count: usize,
}

impl<I: Iterator> Iterator for Children<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        self.count = self.count.checked_sub(1)?;
        self.nodes.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.count, Some(self.count))
    }
}

impl<I: Iterator> ExactSizeIterator for Children<I> {}

impl<'r> SgNode<'r> for MeteredNode<'r> {
    fn parent(&self) -> Option<Self> {
        let parent = self.node.parent();
        self.take_siblings(parent).then_some(parent)?.map(|node| self.with(node))
    }

    fn ancestors(&self, root: Self) -> impl Iterator<Item = Self> {
        let all: Vec<_> = SgNode::ancestors(&self.node, root.node).collect();
        let width = |node: &Node<'_>| node.child_count() as usize / 8 + 1;
        let is_left = self.meter.take(all.iter().map(width).sum());
        let this = self.clone();
        all.into_iter().filter(move |_| is_left).map(move |node| this.with(node))
    }

    fn dfs(&self) -> impl Iterator<Item = Self> {
        let this = self.clone();
        TsPre::new(&self.node).take_while(move |_| self.meter.take(1)).map(move |node| this.with(node))
    }

    fn child(&self, nth: usize) -> Option<Self> {
        let child = self.node.child(u32::try_from(nth).ok()?);
        self.meter.take(1).then_some(child)?.map(|node| self.with(node))
    }

    fn children(&self) -> impl ExactSizeIterator<Item = Self> {
        let count = self.node.child_count() as usize;
        let count = if self.meter.take(count + 1) { count } else { 0 };
        let this = self.clone();
        Children { nodes: SgNode::children(&self.node).map(move |node| this.with(node)), count }
    }

    fn child_by_field_id(&self, field: u16) -> Option<Self> {
        self.node.child_by_field_id(field).map(|node| self.with(node))
    }

    fn next(&self) -> Option<Self> {
        let next = self.node.next_sibling();
        self.take_siblings(self.node.parent()).then_some(next)?.map(|node| self.with(node))
    }

    fn prev(&self) -> Option<Self> {
        let prev = self.node.prev_sibling();
        self.take_siblings(self.node.parent()).then_some(prev)?.map(|node| self.with(node))
    }

    fn next_all(&self) -> impl Iterator<Item = Self> {
        self.take_siblings(self.node.parent());
        let this = self.clone();
        let all: Vec<_> = SgNode::next_all(&self.node).take_while(|_| self.meter.take(1)).collect();
        all.into_iter().map(move |node| this.with(node))
    }

    fn prev_all(&self) -> impl Iterator<Item = Self> {
        self.take_siblings(self.node.parent());
        let this = self.clone();
        let all: Vec<_> = SgNode::prev_all(&self.node).take_while(|_| self.meter.take(1)).collect();
        all.into_iter().map(move |node| this.with(node))
    }

    fn is_named(&self) -> bool {
        self.node.is_named()
    }

    fn is_named_leaf(&self) -> bool {
        self.node.named_child_count() == 0
    }

    fn is_leaf(&self) -> bool {
        self.node.child_count() == 0
    }

    fn kind(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.node.kind())
    }

    fn kind_id(&self) -> u16 {
        self.node.kind_id()
    }

    fn node_id(&self) -> usize {
        self.node.id()
    }

    fn range(&self) -> Range<usize> {
        self.node.byte_range()
    }

    fn start_pos(&self) -> Position {
        SgNode::start_pos(&self.node)
    }

    fn end_pos(&self) -> Position {
        SgNode::end_pos(&self.node)
    }

    fn is_missing(&self) -> bool {
        self.node.is_missing()
    }

    fn is_error(&self) -> bool {
        self.node.is_error()
    }

    fn is_extra(&self) -> bool {
        self.node.is_extra()
    }

    fn field(&self, name: &str) -> Option<Self> {
        self.node.child_by_field_name(name).map(|node| self.with(node))
    }

    fn field_children(&self, field: Option<u16>) -> impl Iterator<Item = Self> {
        let this = self.clone();
        let is_left = self.meter.take(self.node.child_count() as usize + 1);
        let nodes = SgNode::field_children(&self.node, field).map(move |node| this.with(node));
        nodes.filter(move |_| is_left)
    }
}
