//! JSON and JSON with comments, by jsonc-parser.

use std::borrow::Cow;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::ParseErrorKind;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use crate::Format;
use crate::tree::{MAX_DEPTH, Member, NodeId, ParseError, Tree, Value};

/// What RFC 8259 allows.
const STRICT: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

pub(crate) fn parse(tree: &mut Tree<'_>) -> Result<Vec<NodeId>, ParseError> {
    let has_comments = tree.format() == Format::JsonWithComments;
    let options =
        ParseOptions { allow_comments: has_comments, allow_trailing_commas: has_comments, ..STRICT };
    let parsed = parse_to_ast(tree.text(), &CollectOptions::default(), &options).map_err(|error| {
        let range = error.range();
        match error.kind() {
            ParseErrorKind::NestingDepthExceeded => ParseError::too_deep(range.start),
            kind => ParseError::syntax(range.start..range.end, kind.to_string()),
        }
    })?;
    match parsed.value {
        Some(value) => Ok(vec![add(tree, value, 0)?]),
        // Editors take an empty settings file for an empty object.
        None if has_comments => Ok(Vec::new()),
        None => Err(ParseError::syntax(tree.text().len()..tree.text().len(), "expected a value")),
    }
}

fn add<'t>(tree: &mut Tree<'t>, value: ast::Value<'t>, depth: usize) -> Result<NodeId, ParseError> {
    if depth > MAX_DEPTH {
        return Err(ParseError::too_deep(value.start()));
    }
    match value {
        ast::Value::StringLit(text) => {
            check_string(tree.text(), &text)?;
            tree.add(text.range.start..text.range.end, Value::String(text.value))
        }
        ast::Value::NumberLit(number) => tree.add(number.range.start..number.range.end, Value::Number),
        ast::Value::BooleanLit(flag) => tree.add(flag.range.start..flag.range.end, Value::Bool(flag.value)),
        ast::Value::NullKeyword(null) => tree.add(null.range.start..null.range.end, Value::Null),
        ast::Value::Array(array) => {
            let id = tree.add(array.range.start..array.range.end, Value::Null)?;
            let mut items = Vec::with_capacity(array.elements.len());
            for element in array.elements {
                let item = add(tree, element, depth + 1)?;
                tree.adopt(id, item, None);
                items.push(item);
            }
            tree.node_mut(id).value = Value::Array(items);
            Ok(id)
        }
        ast::Value::Object(object) => {
            let id = tree.add(object.range.start..object.range.end, Value::Null)?;
            let mut members = Vec::with_capacity(object.properties.len());
            for property in object.properties {
                let (name, key) = match property.name {
                    ast::ObjectPropName::String(text) => {
                        check_string(tree.text(), &text)?;
                        (text.value, text.range.start..text.range.end)
                    }
                    ast::ObjectPropName::Word(word) => {
                        (Cow::Borrowed(word.value), word.range.start..word.range.end)
                    }
                };
                let value = add(tree, property.value, depth + 1)?;
                tree.adopt(id, value, Some(key));
                members.push(Member { name, value });
            }
            tree.node_mut(id).value = Value::Object(members);
            Ok(id)
        }
    }
}

/// Reports a control character in a string, which the parser accepts and RFC 8259 does not.
fn check_string(source: &str, text: &ast::StringLit<'_>) -> Result<(), ParseError> {
    let written = &source.as_bytes()[text.range.start..text.range.end];
    match written.iter().position(|byte| *byte < b' ') {
        Some(at) => {
            let at = text.range.start + at;
            Err(ParseError::syntax(at..at + 1, "control character in a string (escape it)"))
        }
        None => Ok(()),
    }
}

/// The text of a JSON string with its quotes.
pub(crate) fn string(literal: &str) -> Option<String> {
    let parsed = parse_to_ast(literal, &CollectOptions::default(), &STRICT).ok()?;
    match parsed.value? {
        ast::Value::StringLit(text) => Some(text.value.into_owned()),
        _ => None,
    }
}
