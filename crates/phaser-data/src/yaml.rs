//! YAML, by the events of granit-parser: the 1.2 core schema, several documents, anchors, aliases and merge keys.
//!
//! An alias becomes the node of its anchor. A merge key (`<<`) adds the members of its mappings that the mapping does not
//! have itself; the added members are the nodes of their source, too. So a file of aliases to aliases stays small here,
//! and only a path that walks it has much to do.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, Span, StructureStyle, Tag};

use crate::tree::{MAX_DEPTH, MAX_NODES, Member, NodeId, ParseError, Tree, Value};

/// What an unquoted scalar is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plain {
    Null,
    Bool(bool),
    Number,
    String,
}

/// The type of an unquoted scalar by the 1.2 core schema.
pub(crate) fn resolve(text: &str) -> Plain {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Plain::Null,
        "true" | "True" | "TRUE" => Plain::Bool(true),
        "false" | "False" | "FALSE" => Plain::Bool(false),
        ".nan" | ".NaN" | ".NAN" => Plain::Number,
        _ if is_number(text) => Plain::Number,
        _ => Plain::String,
    }
}

fn is_number(text: &str) -> bool {
    let all = |digits: &str, is_digit: fn(&u8) -> bool| {
        !digits.is_empty() && digits.as_bytes().iter().all(is_digit)
    };
    if let Some(digits) = text.strip_prefix("0o") {
        return all(digits, |byte| matches!(byte, b'0'..=b'7'));
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return all(digits, u8::is_ascii_hexdigit);
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return true;
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let has_digits = match mantissa.split_once('.') {
        Some(("", fraction)) => all(fraction, u8::is_ascii_digit),
        Some((whole, fraction)) => {
            all(whole, u8::is_ascii_digit) && fraction.bytes().all(|byte| byte.is_ascii_digit())
        }
        None => all(mantissa, u8::is_ascii_digit),
    };
    let is_exponent =
        |exponent: &str| all(exponent.strip_prefix(['-', '+']).unwrap_or(exponent), u8::is_ascii_digit);
    has_digits && exponent.is_none_or(is_exponent)
}

/// A list or mapping that is not finished.
struct Open<'t> {
    id: NodeId,
    anchor: usize,
    is_flow: bool,
    content: OpenContent<'t>,
    /// The end of the last value in it.
    end: usize,
}

enum OpenContent<'t> {
    List(Vec<NodeId>),
    Mapping { members: Vec<Member<'t>>, key: Option<Key<'t>>, merged: Vec<NodeId> },
}

struct Key<'t> {
    name: Cow<'t, str>,
    span: Range<usize>,
    merges: bool,
}

struct Builder<'a, 't> {
    tree: &'a mut Tree<'t>,
    stack: Vec<Open<'t>>,
    anchors: HashMap<usize, NodeId>,
    roots: Vec<NodeId>,
    /// The number of members that merge keys added.
    merged: usize,
}

pub(crate) fn parse(tree: &mut Tree<'_>) -> Result<Vec<NodeId>, ParseError> {
    let text = tree.text();
    let options = granit_parser::options! {
        emit_comments: false,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    let mut builder =
        Builder { tree, stack: Vec::new(), anchors: HashMap::new(), roots: Vec::new(), merged: 0 };
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| {
            let at = error.marker().byte_offset().unwrap_or(0).min(text.len());
            match error.kind() {
                ErrorKind::RecursionLimitExceeded => ParseError::too_deep(at),
                kind => ParseError::syntax(at..at, kind.to_string()),
            }
        })?;
        let span = range(&span, text);
        builder.event(event, span)?;
    }
    Ok(builder.roots)
}

/// The bytes of an event.
fn range(span: &Span, text: &str) -> Range<usize> {
    let offset = |at: Option<usize>| at.unwrap_or(0).min(text.len());
    let start = offset(span.start.byte_offset());
    start..offset(span.end.byte_offset()).max(start)
}

impl<'t> Builder<'_, 't> {
    fn event(&mut self, event: Event<'t>, span: Range<usize>) -> Result<(), ParseError> {
        match event {
            Event::Scalar(text, style, anchor, tag) => self.scalar(text, style, anchor, tag.as_deref(), span),
            Event::SequenceStart(style, anchor, _) => {
                self.open(style, anchor, span, OpenContent::List(Vec::new()))
            }
            Event::MappingStart(style, anchor, _) => {
                let content = OpenContent::Mapping { members: Vec::new(), key: None, merged: Vec::new() };
                self.open(style, anchor, span, content)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            Event::Alias(anchor) => match self.anchors.get(&anchor) {
                Some(&id) => self.alias(id, span),
                None => Err(ParseError::syntax(span, "the alias refers to a value that contains it")),
            },
            _ => Ok(()),
        }
    }

    fn is_in_flow(&self) -> bool {
        self.stack.last().is_some_and(|open| open.is_flow)
    }

    fn scalar(
        &mut self,
        text: Cow<'t, str>,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        span: Range<usize>,
    ) -> Result<(), ParseError> {
        let core = tag.and_then(Tag::core_suffix);
        let is_plain = match (tag, core) {
            (None, _) => style == ScalarStyle::Plain,
            (Some(_), Some("null" | "bool" | "int" | "float")) => true,
            (Some(_), _) => false,
        };
        // The parser gives a value that is not there as an empty span.
        let is_nothing = style == ScalarStyle::Plain && span.is_empty();
        let text = if is_nothing { Cow::Borrowed("") } else { text };
        if self.stack.is_empty() && is_nothing && anchor == 0 {
            return Ok(());
        }
        if self.wants_key() {
            let merges = is_plain && tag.is_none() && text == "<<";
            return self.key(Key { name: text, span, merges });
        }
        let value = match if is_plain { resolve(&text) } else { Plain::String } {
            Plain::Null => Value::Null,
            Plain::Bool(flag) => Value::Bool(flag),
            Plain::Number => Value::Number,
            Plain::String => Value::String(text),
        };
        let span = match style {
            _ if is_nothing => self.empty_span(span),
            ScalarStyle::Literal | ScalarStyle::Folded => self.block_span(span),
            _ => span,
        };
        let end = span.end;
        let id = self.tree.add(span, value)?;
        self.tree.node_mut(id).in_flow = self.is_in_flow();
        self.anchor(anchor, id);
        self.put(id, end, true)
    }

    /// The place of a value that is not there: directly after the colon of its key.
    fn empty_span(&self, span: Range<usize>) -> Range<usize> {
        let here = span.start..span.start;
        let Some(Open { content: OpenContent::Mapping { key: Some(key), .. }, .. }) = self.stack.last()
        else {
            return here;
        };
        let rest = &self.tree.text()[key.span.end..];
        let blank = rest.len() - rest.trim_start().len();
        match rest[blank..].starts_with(':') {
            true => key.span.end + blank + 1..key.span.end + blank + 1,
            false => here,
        }
    }

    /// The span of a block scalar, from its `|` or `>` to its last visible character. The parser's starts after the header
    /// and may end with empty lines.
    fn block_span(&self, span: Range<usize>) -> Range<usize> {
        let text = self.tree.text();
        let before = self.stack.last().map_or(0, |open| open.end).min(span.start);
        let header = text[before..span.start].find(['|', '>']);
        let start = header.map_or(span.start, |at| before + at);
        start..start + text[start..span.end].trim_end().len()
    }

    fn anchor(&mut self, anchor: usize, id: NodeId) {
        if anchor != 0 {
            self.anchors.insert(anchor, id);
        }
    }

    /// Whether the next node is a key.
    fn wants_key(&self) -> bool {
        matches!(self.stack.last(), Some(Open { content: OpenContent::Mapping { key: None, .. }, .. }))
    }

    fn key(&mut self, new: Key<'t>) -> Result<(), ParseError> {
        if let Some(Open { content: OpenContent::Mapping { key, .. }, end, .. }) = self.stack.last_mut() {
            *end = (*end).max(new.span.end);
            *key = Some(new);
        }
        Ok(())
    }

    fn open(
        &mut self,
        style: StructureStyle,
        anchor: usize,
        span: Range<usize>,
        content: OpenContent<'t>,
    ) -> Result<(), ParseError> {
        if self.stack.len() >= MAX_DEPTH {
            return Err(ParseError::too_deep(span.start));
        }
        let (end, is_flow) = (span.end, style == StructureStyle::Flow || self.is_in_flow());
        let in_flow = self.is_in_flow();
        let id = self.tree.add(span, Value::Null)?;
        self.tree.node_mut(id).in_flow = in_flow;
        self.stack.push(Open { id, anchor, is_flow, content, end });
        Ok(())
    }

    fn close(&mut self, span: Range<usize>) -> Result<(), ParseError> {
        let Some(open) = self.stack.pop() else { return Ok(()) };
        let Open { id, anchor, is_flow, content, end } = open;
        let end = if is_flow { span.end.max(end) } else { end };
        let value = match content {
            OpenContent::List(items) => Value::Array(items),
            OpenContent::Mapping { members, merged, .. } => Value::Object(self.merge(members, &merged, end)?),
        };
        let node = self.tree.node_mut(id);
        node.value = value;
        node.span.end = end.max(node.span.start);
        self.anchor(anchor, id);
        if self.wants_key() {
            let span = self.tree.node(id).span.clone();
            let name = Cow::Borrowed(self.tree.source(id));
            return self.key(Key { name, span, merges: false });
        }
        self.put(id, end, true)
    }

    /// Adds the members of the merged mappings that `members` lacks. Earlier mappings win.
    fn merge(
        &mut self,
        mut members: Vec<Member<'t>>,
        merged: &[NodeId],
        at: usize,
    ) -> Result<Vec<Member<'t>>, ParseError> {
        if merged.is_empty() {
            return Ok(members);
        }
        let mut sources = Vec::new();
        for &id in merged {
            match &self.tree.node(id).value {
                Value::Array(items) => sources.extend(items.iter().copied()),
                _ => sources.push(id),
            }
        }
        let mut names: HashSet<Cow<'t, str>> = members.iter().map(|member| member.name.clone()).collect();
        for source in sources {
            let Value::Object(others) = &self.tree.node(source).value else { continue };
            for other in others {
                if names.insert(other.name.clone()) {
                    self.merged += 1;
                    members.push(other.clone());
                }
            }
            if self.merged > MAX_NODES {
                return Err(ParseError::too_many(at));
            }
        }
        Ok(members)
    }

    fn alias(&mut self, id: NodeId, span: Range<usize>) -> Result<(), ParseError> {
        if self.wants_key() {
            let name = match self.tree.scalar_text(id) {
                Some(text) => Cow::Owned(text.to_owned()),
                None => Cow::Borrowed(self.tree.source(id)),
            };
            return self.key(Key { name, span, merges: false });
        }
        self.put(id, span.end, false)
    }

    /// Puts a finished node into the collection it is in. `is_source` is false for an alias.
    fn put(&mut self, id: NodeId, end: usize, is_source: bool) -> Result<(), ParseError> {
        let Some(open) = self.stack.last_mut() else {
            self.roots.push(id);
            return Ok(());
        };
        open.end = open.end.max(end);
        let parent = open.id;
        let mut key_span = None;
        match &mut open.content {
            OpenContent::List(items) => items.push(id),
            OpenContent::Mapping { members, key, merged } => {
                let Some(Key { name, span, merges }) = key.take() else { return Ok(()) };
                if merges && is_mergeable(self.tree, id) {
                    merged.push(id);
                } else {
                    members.push(Member { name, value: id });
                }
                key_span = Some(span);
            }
        }
        if is_source {
            self.tree.adopt(parent, id, key_span);
        }
        Ok(())
    }
}

/// Whether a node is a mapping, or a list of mappings.
fn is_mergeable(tree: &Tree<'_>, id: NodeId) -> bool {
    let is_mapping = |id: NodeId| matches!(tree.node(id).value, Value::Object(_));
    match &tree.node(id).value {
        Value::Object(_) => true,
        Value::Array(items) => items.iter().all(|item| is_mapping(*item)),
        _ => false,
    }
}
