//! Edits of a JSON text that leave the rest of it byte for byte.
//!
//! An edit is an insertion or a removal at an offset of the text; every other byte stays as it is. Only strict JSON is
//! accepted, with each key once, because that is what agents read. Knows nothing of hooks.
//!
//! The concrete syntax tree of jsonc-parser 0.34 (`cst`) was tried in its place. It reformats what surrounds an edit, so
//! that installing and then uninstalling does not give the text back:
//!
//! - Appending a property to `hooks` in `{"model":"opus","hooks":{"Stop":[]}}` breaks that object into lines, and removing
//!   the property again leaves `{"model":"opus","hooks":{\n    "Stop":[]\n  }}`.
//! - Appending to `{\n\n    "z": 1\n\n}` removes both blank lines.
//! - Appending to `[{…}]`, whose brackets stand together, and removing the element again leaves a line break before `]`.

use std::ops::Range;

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde::Serialize as _;

use super::SettingsError;

/// A strict JSON text, whose root is an object.
#[derive(Debug)]
pub(super) struct JsonDocument<'a> {
    text: &'a str,
    root: Value<'a>,
}

/// A value in a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct JsonNode<'d> {
    document: &'d JsonDocument<'d>,
    value: &'d Value<'d>,
}

/// A range of the text and its replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Splice {
    range: Range<usize>,
    new: String,
}

/// A property of an object or an element of an array.
#[derive(Debug)]
pub(super) enum Child<'a> {
    Property(&'a str, serde_json::Value),
    Element(serde_json::Value),
}

impl<'a> JsonDocument<'a> {
    pub(super) fn parse(text: &'a str) -> Result<Self, SettingsError> {
        let parsed = parse_to_ast(text, &CollectOptions::default(), &STRICT).map_err(from_jsonc)?;
        // jsonc-parser accepts some texts that agents do not.
        if let Err(error) = serde_json::from_str::<serde_json::Value>(text) {
            return Err(SettingsError::new(error.line().max(1), format!("this is not valid JSON: {error}")));
        }
        let root = parsed.value.ok_or_else(|| SettingsError::new(1, "the file holds no JSON value"))?;
        let document = Self { text, root };
        if let Some((name, offset)) = repeated_key(&document.root) {
            let what = format!("the key '{name}' is repeated in one object (remove one of them)");
            return Err(SettingsError::new(document.line(offset), what));
        }
        match document.root {
            Value::Object(_) => Ok(document),
            _ => Err(document.root().error("the settings should be an object")),
        }
    }

    pub(super) fn root(&'a self) -> JsonNode<'a> {
        JsonNode { document: self, value: &self.root }
    }

    /// The text after these splices, which must not overlap.
    pub(super) fn apply(&self, mut splices: Vec<Splice>) -> String {
        splices.sort_by_key(|splice| splice.range.start);
        let mut text = self.text.to_owned();
        for splice in splices.iter().rev() {
            text.replace_range(splice.range.clone(), &splice.new);
        }
        text
    }

    fn line(&self, offset: usize) -> usize {
        self.text[..offset].matches('\n').count() + 1
    }

    fn newline(&self) -> &'static str {
        match self.text.find('\n') {
            Some(at) if self.text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        }
    }

    /// The indentation of the line at `offset`.
    fn indent(&self, offset: usize) -> &str {
        let start = self.text[..offset].rfind('\n').map_or(0, |at| at + 1);
        let line = &self.text[start..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// One level of indentation.
    fn indent_unit(&self) -> &str {
        let first = self.root().children().into_iter().next();
        let unit = first.map_or("", |first| self.indent(first.start));
        if unit.is_empty() { "  " } else { unit }
    }

    /// Whether the document is not empty and has one line.
    fn is_one_line(&self) -> bool {
        !self.root().children().is_empty() && !self.text.trim().contains('\n')
    }
}

impl<'d> JsonNode<'d> {
    pub(super) fn as_str(self) -> Option<&'d str> {
        self.value.as_string_lit().map(|text| text.value.as_ref())
    }

    pub(super) fn as_bool(self) -> Option<bool> {
        self.value.as_boolean_lit().map(|boolean| boolean.value)
    }

    pub(super) fn to_value(self) -> serde_json::Value {
        serde_json::from_str(self.value.text(self.document.text)).expect("a part of valid JSON is valid JSON")
    }

    /// The properties of an object, in order.
    pub(super) fn properties(self) -> Option<Vec<(&'d str, JsonNode<'d>)>> {
        let properties = &self.value.as_object()?.properties;
        let pair = |property: &'d jsonc_parser::ast::ObjectProp<'d>| {
            (property.name.as_str(), JsonNode { document: self.document, value: &property.value })
        };
        Some(properties.iter().map(pair).collect())
    }

    pub(super) fn get(self, name: &str) -> Option<JsonNode<'d>> {
        let property = self.value.as_object()?.get(name)?;
        Some(JsonNode { document: self.document, value: &property.value })
    }

    /// The elements of an array, in order.
    pub(super) fn elements(self) -> Option<Vec<JsonNode<'d>>> {
        let elements = &self.value.as_array()?.elements;
        Some(elements.iter().map(|value| JsonNode { document: self.document, value }).collect())
    }

    /// An error at the line of this value.
    pub(super) fn error(self, what: impl Into<String>) -> SettingsError {
        SettingsError::new(self.document.line(self.value.start()), what)
    }

    /// Appends `child` to this object or array, in the style of its other children.
    pub(super) fn insert(self, child: &Child<'_>) -> Splice {
        let document = self.document;
        let (start, end) = (self.value.start(), self.value.end());
        let Some(last) = self.children().pop() else {
            let new = if document.is_one_line() {
                child.compact()
            } else {
                let outer = document.indent(start);
                let inner = format!("{outer}{}", document.indent_unit());
                let newline = document.newline();
                format!("{newline}{inner}{}{newline}{outer}", child.pretty(document, &inner))
            };
            return Splice { range: start + 1..end - 1, new };
        };
        let first = self.children().swap_remove(0);
        let one_per_line = document.text[start..first.start].contains('\n');
        let new = if one_per_line {
            let indent = document.indent(last.start);
            format!(",{}{indent}{}", document.newline(), child.pretty(document, indent))
        } else if document.text[last.clone()].contains('\n') {
            format!(", {}", child.pretty(document, document.indent(last.start)))
        } else if document.is_one_line() {
            format!(",{}", child.compact())
        } else {
            format!(", {}", child.compact())
        };
        Splice { range: last.end..last.end, new }
    }

    /// Replaces this value.
    pub(super) fn replace(self, value: serde_json::Value) -> Splice {
        let (document, range) = (self.document, self.value.start()..self.value.end());
        let child = Child::Element(value);
        let new = if document.text[range.clone()].contains('\n') {
            child.pretty(document, document.indent(range.start))
        } else {
            child.compact()
        };
        Splice { range, new }
    }

    /// Removes the children of this object or array whose index is true in `gone`.
    pub(super) fn remove(self, gone: &[bool]) -> Vec<Splice> {
        let children = self.children();
        let Some(last_kept) = gone.iter().rposition(|&gone| !gone) else {
            let inside = self.value.start() + 1..self.value.end() - 1;
            return vec![Splice { range: inside, new: String::new() }];
        };
        let starts_run = |index: &usize| gone[*index] && (*index == 0 || !gone[index - 1]);
        let runs = (0..gone.len()).filter(starts_run).map(|first| {
            match (first..=last_kept).find(|&index| !gone[index]) {
                Some(kept) => children[first].start..children[kept].start,
                None => children[last_kept].end..children[children.len() - 1].end,
            }
        });
        runs.map(|range| Splice { range, new: String::new() }).collect()
    }

    fn children(self) -> Vec<Range<usize>> {
        let ranges = |ranges: &mut dyn Iterator<Item = jsonc_parser::common::Range>| {
            ranges.map(|range| range.start..range.end).collect()
        };
        match self.value {
            Value::Object(object) => ranges(&mut object.properties.iter().map(|property| property.range)),
            Value::Array(array) => ranges(&mut array.elements.iter().map(|element| element.range())),
            Value::StringLit(_) | Value::NumberLit(_) | Value::BooleanLit(_) | Value::NullKeyword(_) => {
                Vec::new()
            }
        }
    }
}

impl Child<'_> {
    fn compact(&self) -> String {
        match self {
            Self::Property(name, value) => format!("{}:{value}", serde_json::Value::from(*name)),
            Self::Element(value) => value.to_string(),
        }
    }

    /// On several lines, indented by `indent` from the second one on.
    fn pretty(&self, document: &JsonDocument<'_>, indent: &str) -> String {
        let (name, value) = match self {
            Self::Property(name, value) => (format!("{}: ", serde_json::Value::from(*name)), value),
            Self::Element(value) => (String::new(), value),
        };
        let mut bytes = Vec::new();
        let unit = document.indent_unit().as_bytes();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(unit);
        let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
        value.serialize(&mut serializer).expect("writing to memory cannot fail");
        let text = String::from_utf8(bytes).expect("serde_json writes UTF-8");
        format!("{name}{}", text.replace('\n', &format!("{}{indent}", document.newline())))
    }
}

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

fn from_jsonc(error: ParseError) -> SettingsError {
    let what = match error.kind() {
        ParseErrorKind::CommentsNotAllowed => "JSON has no comments; remove this one".to_owned(),
        ParseErrorKind::TrailingCommasNotAllowed => "nothing follows this comma; remove it".to_owned(),
        kind => {
            let kind = kind.to_string();
            let lower = kind[..1].to_ascii_lowercase();
            format!("this is not valid JSON: {lower}{}", &kind[1..])
        }
    };
    SettingsError::new(error.line_display(), what)
}

/// The first repeated key and its offset.
fn repeated_key<'v>(value: &'v Value<'_>) -> Option<(&'v str, usize)> {
    match value {
        Value::Object(object) => {
            let mut seen = std::collections::HashSet::new();
            object.properties.iter().find_map(|property| {
                let name = property.name.as_str();
                let repeated = (!seen.insert(name)).then(|| (name, property.start()));
                repeated.or_else(|| repeated_key(&property.value))
            })
        }
        Value::Array(array) => array.elements.iter().find_map(repeated_key),
        Value::StringLit(_) | Value::NumberLit(_) | Value::BooleanLit(_) | Value::NullKeyword(_) => None,
    }
}
