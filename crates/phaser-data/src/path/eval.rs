//! Selects the nodes of a path.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::iregexp::IRegexp;
use super::{Comparable, Comparison, Logical, Matching, Query, Segment, Selector};
use crate::Scalar;
use crate::scalar::Number;
use crate::tree::{MAX_DEPTH, NodeId, Tree, Value};

/// The most nodes that the evaluation of a path visits in one file.
pub const MAX_STEPS: usize = 10_000_000;

/// The number of nodes that an evaluation may still visit.
#[derive(Debug)]
pub struct Steps(usize);

impl Default for Steps {
    fn default() -> Self {
        Self(MAX_STEPS)
    }
}

impl Steps {
    fn take(&mut self, count: usize) -> Result<(), TooManySteps> {
        self.0 = self.0.checked_sub(count.max(1)).ok_or(TooManySteps)?;
        Ok(())
    }
}

/// The evaluation would visit too many nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the path visits too many values")]
pub struct TooManySteps;

type Evaluated<T> = Result<T, TooManySteps>;

pub(super) fn select(
    tree: &Tree<'_>,
    segments: &[Segment],
    root: NodeId,
    steps: &mut Steps,
) -> Evaluated<Vec<NodeId>> {
    Evaluation { tree, root }.select(segments, root, steps)
}

/// The evaluation of a path in one document.
struct Evaluation<'a, 't> {
    tree: &'a Tree<'t>,
    root: NodeId,
}

/// A value in a filter.
enum Operand<'a> {
    Nothing,
    Node(NodeId),
    Literal(&'a Scalar),
    Number(Number),
}

/// The content of an operand.
enum Content<'a> {
    Nothing,
    Null,
    Bool(bool),
    Number(Number),
    String(Cow<'a, str>),
    Collection(NodeId),
}

impl<'a> Evaluation<'a, '_> {
    fn select(&self, segments: &[Segment], start: NodeId, steps: &mut Steps) -> Evaluated<Vec<NodeId>> {
        let mut nodes = vec![start];
        for segment in segments {
            let mut next = Vec::new();
            for node in nodes {
                if segment.descends {
                    self.descend(segment, node, &mut next, steps)?;
                } else {
                    self.apply(segment, node, &mut next, steps)?;
                }
            }
            nodes = next;
        }
        Ok(nodes)
    }

    /// Applies a segment to a node and its descendants, each before its own. Aliases can make the descent deeper than any
    /// document, so it has its own stack.
    fn descend(
        &self,
        segment: &Segment,
        start: NodeId,
        out: &mut Vec<NodeId>,
        steps: &mut Steps,
    ) -> Evaluated<()> {
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            steps.take(1)?;
            self.apply(segment, node, out, steps)?;
            match &self.tree.node(node).value {
                Value::Array(items) => open.extend(items.iter().rev()),
                Value::Object(members) => open.extend(members.iter().rev().map(|member| member.value)),
                _ => {}
            }
        }
        Ok(())
    }

    fn apply(
        &self,
        segment: &Segment,
        node: NodeId,
        out: &mut Vec<NodeId>,
        steps: &mut Steps,
    ) -> Evaluated<()> {
        for selector in &segment.selectors {
            let before = out.len();
            self.apply_selector(selector, node, out, steps)?;
            steps.take(out.len() - before)?;
        }
        Ok(())
    }

    fn apply_selector(
        &self,
        selector: &Selector,
        node: NodeId,
        out: &mut Vec<NodeId>,
        steps: &mut Steps,
    ) -> Evaluated<()> {
        match (selector, &self.tree.node(node).value) {
            (Selector::Name(name), Value::Object(members)) => {
                steps.take(members.len() / 8)?;
                out.extend(members.iter().filter(|member| member.name == *name).map(|member| member.value));
            }
            (Selector::Wildcard, Value::Array(items)) => out.extend(items),
            (Selector::Wildcard, Value::Object(members)) => {
                out.extend(members.iter().map(|member| member.value));
            }
            (Selector::Index(index), Value::Array(items)) => {
                let from_end = || items.len().checked_sub(usize::try_from(index.unsigned_abs()).ok()?);
                let at = if *index < 0 { from_end() } else { usize::try_from(*index).ok() };
                out.extend(at.and_then(|at| items.get(at)));
            }
            (Selector::Slice { start, end, step }, Value::Array(items)) => {
                slice(items, *start, *end, *step, out);
            }
            (Selector::Filter(condition), Value::Array(items)) => {
                for &item in items {
                    self.filter(condition, item, out, steps)?;
                }
            }
            (Selector::Filter(condition), Value::Object(members)) => {
                for member in members {
                    self.filter(condition, member.value, out, steps)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn filter(
        &self,
        condition: &'a Logical,
        node: NodeId,
        out: &mut Vec<NodeId>,
        steps: &mut Steps,
    ) -> Evaluated<()> {
        steps.take(1)?;
        if self.holds(condition, node, steps)? {
            out.push(node);
        }
        Ok(())
    }

    fn holds(&self, condition: &Logical, current: NodeId, steps: &mut Steps) -> Evaluated<bool> {
        steps.take(1)?;
        match condition {
            Logical::Or(all) => {
                for one in all {
                    if self.holds(one, current, steps)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Logical::And(all) => {
                for one in all {
                    if !self.holds(one, current, steps)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Logical::Not(inner) => Ok(!self.holds(inner, current, steps)?),
            Logical::Exists(query) => Ok(!self.query(query, current, steps)?.is_empty()),
            Logical::Compare(left, comparison, right) => {
                let left = self.operand(left, current, steps)?;
                let right = self.operand(right, current, steps)?;
                self.compare(&left, *comparison, &right, steps)
            }
            Logical::Test(matching) => self.matches(matching, current, steps),
        }
    }

    fn query(&self, query: &Query, current: NodeId, steps: &mut Steps) -> Evaluated<Vec<NodeId>> {
        self.select(&query.segments, if query.from_root { self.root } else { current }, steps)
    }

    fn operand<'c>(
        &self,
        value: &'c Comparable,
        current: NodeId,
        steps: &mut Steps,
    ) -> Evaluated<Operand<'c>> {
        Ok(match value {
            Comparable::Literal(literal) => Operand::Literal(literal),
            Comparable::Singular(query) | Comparable::ValueOf(query) => {
                match self.query(query, current, steps)?.as_slice() {
                    [only] => Operand::Node(*only),
                    _ => Operand::Nothing,
                }
            }
            Comparable::Count(query) => {
                let count = self.query(query, current, steps)?.len();
                Operand::Number(Number::Integer(count as i128))
            }
            Comparable::Length(inner) => {
                let inner = self.operand(inner, current, steps)?;
                let length = match self.content(&inner) {
                    Content::String(text) => {
                        steps.take(text.len() / 64)?;
                        text.chars().count()
                    }
                    Content::Collection(node) => match &self.tree.node(node).value {
                        Value::Array(items) => items.len(),
                        Value::Object(members) => members.len(),
                        _ => return Ok(Operand::Nothing),
                    },
                    _ => return Ok(Operand::Nothing),
                };
                Operand::Number(Number::Integer(length as i128))
            }
        })
    }

    fn content<'c>(&'c self, operand: &'c Operand<'_>) -> Content<'c> {
        match operand {
            Operand::Nothing => Content::Nothing,
            Operand::Number(number) => Content::Number(*number),
            Operand::Literal(literal) => match literal {
                Scalar::Null => Content::Null,
                Scalar::Bool(value) => Content::Bool(*value),
                Scalar::Number(written) => Number::parse(written).map_or(Content::Nothing, Content::Number),
                Scalar::String(text) => Content::String(Cow::Borrowed(text)),
            },
            Operand::Node(id) => match &self.tree.node(*id).value {
                Value::Null => Content::Null,
                Value::Bool(value) => Content::Bool(*value),
                Value::Number => self.tree.number(*id).map_or(Content::Nothing, Content::Number),
                Value::String(text) => Content::String(Cow::Borrowed(text)),
                Value::Array(_) | Value::Object(_) => Content::Collection(*id),
            },
        }
    }

    fn compare(
        &self,
        left: &Operand<'_>,
        comparison: Comparison,
        right: &Operand<'_>,
        steps: &mut Steps,
    ) -> Evaluated<bool> {
        let (left, right) = (self.content(left), self.content(right));
        let mut equal = || self.equal(&left, &right, steps, 0);
        let order = || match (&left, &right) {
            (Content::Number(one), Content::Number(other)) => one.partial_cmp(other),
            (Content::String(one), Content::String(other)) => Some(one.cmp(other)),
            _ => None,
        };
        Ok(match comparison {
            Comparison::Equal => equal()?,
            Comparison::NotEqual => !equal()?,
            Comparison::Less => order() == Some(Ordering::Less),
            Comparison::Greater => order() == Some(Ordering::Greater),
            Comparison::LessOrEqual => order() == Some(Ordering::Less) || equal()?,
            Comparison::GreaterOrEqual => order() == Some(Ordering::Greater) || equal()?,
        })
    }

    fn equal(
        &self,
        left: &Content<'_>,
        right: &Content<'_>,
        steps: &mut Steps,
        depth: usize,
    ) -> Evaluated<bool> {
        steps.take(1)?;
        Ok(match (left, right) {
            (Content::Nothing, Content::Nothing) | (Content::Null, Content::Null) => true,
            (Content::Bool(one), Content::Bool(other)) => one == other,
            (Content::Number(one), Content::Number(other)) => one == other,
            (Content::String(one), Content::String(other)) => one == other,
            (Content::Collection(one), Content::Collection(other)) => {
                return self.equal_collections(*one, *other, steps, depth);
            }
            _ => false,
        })
    }

    fn equal_collections(
        &self,
        one: NodeId,
        other: NodeId,
        steps: &mut Steps,
        depth: usize,
    ) -> Evaluated<bool> {
        // Deeper than a document only through aliases.
        if depth > 2 * MAX_DEPTH {
            return Err(TooManySteps);
        }
        let mut same = |one: NodeId, other: NodeId| {
            let (one, other) = (Operand::Node(one), Operand::Node(other));
            self.equal(&self.content(&one), &self.content(&other), steps, depth + 1)
        };
        match (&self.tree.node(one).value, &self.tree.node(other).value) {
            (Value::Array(one), Value::Array(other)) => {
                if one.len() != other.len() {
                    return Ok(false);
                }
                for (one, other) in one.iter().zip(other) {
                    if !same(*one, *other)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Value::Object(one), Value::Object(other)) => {
                if one.len() != other.len() {
                    return Ok(false);
                }
                for member in one {
                    let Some(partner) = other.iter().find(|partner| partner.name == member.name) else {
                        return Ok(false);
                    };
                    if !same(member.value, partner.value)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// `match` and `search`. False for what is not text, and for a pattern that is not an I-Regexp.
    fn matches(&self, matching: &Matching, current: NodeId, steps: &mut Steps) -> Evaluated<bool> {
        let text = self.operand(&matching.text, current, steps)?;
        let pattern = self.operand(&matching.pattern, current, steps)?;
        let (Content::String(text), Content::String(source)) = (self.content(&text), self.content(&pattern))
        else {
            return Ok(false);
        };
        steps.take(text.len() / 16)?;
        if let Comparable::Literal(_) = matching.pattern {
            let compiled = matching.compiled.get_or_init(|| IRegexp::parse(&source));
            return Ok(compiled.as_ref().is_some_and(|regex| regex.is_match(&text, matching.whole)));
        }
        // A pattern from the file costs far more than a node.
        steps.take(10_000)?;
        Ok(IRegexp::parse(&source).is_some_and(|regex| regex.is_match(&text, matching.whole)))
    }
}

/// The items of a slice, as section 2.3.4.2 of the RFC computes them.
fn slice(items: &[NodeId], start: Option<i64>, end: Option<i64>, step: i64, out: &mut Vec<NodeId>) {
    let Ok(length) = i64::try_from(items.len()) else { return };
    let normal = |index: i64| if index >= 0 { index } else { length + index };
    let mut push = |at: i64| out.extend(usize::try_from(at).ok().and_then(|at| items.get(at)));
    match step {
        0 => {}
        1.. => {
            let lower = normal(start.unwrap_or(0)).clamp(0, length);
            let upper = normal(end.unwrap_or(length)).clamp(0, length);
            let mut at = lower;
            while at < upper {
                push(at);
                at = at.saturating_add(step);
            }
        }
        _ => {
            let upper = start.map_or(length - 1, normal).clamp(-1, length - 1);
            let lower = end.map_or(-1, normal).clamp(-1, length - 1);
            let mut at = upper;
            while lower < at {
                push(at);
                at = at.saturating_add(step);
            }
        }
    }
}
