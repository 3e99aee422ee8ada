//! TOML, by the toml crate.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use crate::tree::{Member, NodeId, ParseError, Tree, Value};

pub(crate) fn parse(tree: &mut Tree<'_>) -> Result<Vec<NodeId>, ParseError> {
    let text = tree.text();
    let table = DeTable::parse(text).map_err(|error| {
        let span = error.span().unwrap_or(text.len()..text.len());
        match error.message() {
            // The crate has no kind of error for its limit on nesting.
            message if message.contains("recursion depth") => ParseError::too_deep(span.start),
            message => ParseError::syntax(span, message),
        }
    })?;
    let root = tree.add(0..text.len(), Value::Null)?;
    fill(tree, root, table.into_inner())?;
    Ok(vec![root])
}

fn fill<'t>(tree: &mut Tree<'t>, id: NodeId, table: DeTable<'t>) -> Result<(), ParseError> {
    let mut entries: Vec<_> = table.into_iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let mut members = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        let span = key.span();
        let value = add(tree, value)?;
        tree.adopt(id, value, Some(span));
        members.push(Member { name: key.into_inner(), value });
    }
    tree.node_mut(id).value = Value::Object(members);
    Ok(())
}

fn add<'t>(tree: &mut Tree<'t>, value: Spanned<DeValue<'t>>) -> Result<NodeId, ParseError> {
    let span = value.span();
    match value.into_inner() {
        DeValue::String(text) => tree.add(span, Value::String(text)),
        DeValue::Integer(_) | DeValue::Float(_) => tree.add(span, Value::Number),
        DeValue::Boolean(flag) => tree.add(span, Value::Bool(flag)),
        DeValue::Datetime(_) => {
            let written = tree.text().get(span.clone()).unwrap_or_default();
            tree.add(span, Value::String(written.into()))
        }
        DeValue::Array(array) => add_array(tree, span, array),
        DeValue::Table(table) => {
            let id = tree.add(span, Value::Null)?;
            fill(tree, id, table)?;
            Ok(id)
        }
    }
}

fn add_array<'t>(tree: &mut Tree<'t>, span: Range<usize>, array: DeArray<'t>) -> Result<NodeId, ParseError> {
    let id = tree.add(span, Value::Null)?;
    let mut items = Vec::with_capacity(array.len());
    for element in array {
        let item = add(tree, element)?;
        tree.adopt(id, item, None);
        items.push(item);
    }
    tree.node_mut(id).value = Value::Array(items);
    Ok(id)
}
