//! Spells a new value as the format does, so that the rest of the file stays as it is.

use std::ops::Range;

use crate::tree::{NodeId, Tree, Value};
use crate::yaml::{self, Plain};
use crate::{Format, Scalar};

impl Tree<'_> {
    /// The bytes that a report shows for the value, and that a fix replaces: its span, or its key where YAML has no value.
    pub fn shown_span(&self, id: NodeId) -> Range<usize> {
        let node = self.node(id);
        match &node.key {
            Some(key) if node.span.is_empty() => key.start..node.span.end,
            _ => node.span.clone(),
        }
    }

    /// The text that replaces [`shown_span`](Self::shown_span), so that the value is a string: in the quotes of the old value
    /// where they fit.
    pub fn written_string(&self, id: NodeId, text: &str) -> String {
        let old = self.source(id);
        let new = match self.format() {
            Format::Json | Format::JsonWithComments => json_string(text),
            Format::Yaml => yaml_string(text, old, self.node(id).in_flow),
            Format::Toml => toml_string(text, old),
        };
        self.written(id, &new)
    }

    /// The text that replaces [`shown_span`](Self::shown_span) by a literal, as given.
    pub fn written(&self, id: NodeId, literal: &str) -> String {
        let span = &self.node(id).span;
        let shown = self.shown_span(id);
        let before = &self.text()[shown.start..span.start];
        let gap = if span.is_empty() { " " } else { "" };
        format!("{before}{gap}{literal}")
    }

    /// Whether a fix that is written as text should keep the value a literal: it is one now, and the text is one.
    pub fn stays_literal(&self, id: NodeId, text: &str) -> bool {
        let is_string = matches!(self.node(id).value, Value::String(_));
        !is_string && !matches!(Scalar::of_plain(text), Scalar::String(_)) && !text.is_empty()
    }
}

/// A JSON string with its quotes.
pub(crate) fn json_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Whether a text needs escapes, or spans lines.
fn needs_escapes(text: &str) -> bool {
    text.chars().any(|c| c.is_control() || matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}'))
}

/// A YAML string. JSON strings are YAML strings, so double quotes take any text.
fn yaml_string(text: &str, old: &str, in_flow: bool) -> String {
    if needs_escapes(text) || old.starts_with('"') {
        return json_string(text);
    }
    if !old.starts_with('\'') && is_plain(text, in_flow) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "''"))
}

/// Whether YAML reads the text as itself without quotes.
fn is_plain(text: &str, in_flow: bool) -> bool {
    const INDICATORS: &[char] = &[
        '-', '?', ':', ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`', '=',
        '<',
    ];
    yaml::resolve(text) == Plain::String
        && text.trim() == text
        && !text.starts_with(INDICATORS)
        && !text.starts_with("...")
        && !text.contains(": ")
        && !text.ends_with(':')
        && !text.contains(" #")
        && !(in_flow && text.contains([',', '[', ']', '{', '}', ':']))
}

fn toml_string(text: &str, old: &str) -> String {
    if old.starts_with('\'') && !needs_escapes(text) && !text.contains('\'') {
        return format!("'{text}'");
    }
    json_string(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with the value at `$.a`, or the only one in a list, replaced.
    fn replaced(format: Format, text: &str, new: &str) -> String {
        let tree = Tree::parse(text, format).expect("parses");
        let path = crate::JsonPath::parse("$..[?!@.*]").expect("a path");
        let ids = path.select_all(&tree).expect("few steps");
        let id = *ids.last().expect("a value");
        let written = tree.written_string(id, new);
        let span = tree.shown_span(id);
        [&text[..span.start], &written, &text[span.end..]].concat()
    }

    #[test]
    fn keeps_quotes_of_the_format() {
        for (format, old, new, expected) in [
            (Format::Json, r#"{"a": "x" }"#, "y\"\n", r#"{"a": "y\"\n" }"#),
            (Format::Json, r#"{"a": 1}"#, "1.0", r#"{"a": "1.0"}"#),
            (Format::Yaml, "a: x # c\n", "y z", "a: y z # c\n"),
            (Format::Yaml, "a: 'x'\n", "it's", "a: 'it''s'\n"),
            (Format::Yaml, "a: \"x\"\n", "y", "a: \"y\"\n"),
            (Format::Yaml, "a: x\n", "3.10", "a: '3.10'\n"),
            (Format::Yaml, "a: x\n", "true", "a: 'true'\n"),
            (Format::Yaml, "a: x\n", "a: b", "a: 'a: b'\n"),
            (Format::Yaml, "a: {b: x}\n", "y,z", "a: {b: 'y,z'}\n"),
            (Format::Yaml, "a: x\n", "y,z", "a: y,z\n"),
            (Format::Yaml, "a: |\n  one\n  two\nb: &c [1]\n", "y", "a: |\n  one\n  two\nb: &c [y]\n"),
            (Format::Yaml, "a:\n", "y", "a: y\n"),
            (Format::Toml, "a = 'x' # c\n", r"\d", "a = '\\d' # c\n"),
            (Format::Toml, "a = 'x'\n", "it's", "a = \"it's\"\n"),
            (Format::Toml, "a = 1\n", "y", "a = \"y\"\n"),
        ] {
            assert_eq!(replaced(format, old, new), expected);
        }
    }
}
