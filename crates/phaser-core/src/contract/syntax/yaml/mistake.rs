//! Translates errors of serde-saphyr into messages with a hint.

use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::{Error, MessageFormatter as _, UserMessageFormatter};

use super::node::line_of;
use crate::sanitize::printable;

/// The kind of file, for messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// A contract.
    Contract,
    /// The configuration of a project.
    Configuration,
}

impl Subject {
    fn noun(self) -> &'static str {
        match self {
            Self::Contract => "a contract",
            Self::Configuration => "a configuration",
        }
    }
}

/// An error that makes a file unreadable.
#[derive(Debug)]
pub struct YamlMistake {
    /// Counted from 1.
    pub line: usize,
    /// The problem and a hint.
    pub what: String,
}

impl YamlMistake {
    /// An error on `line`.
    pub fn at(line: usize, what: impl Into<String>) -> Self {
        Self { line, what: what.into() }
    }
}

/// Translates `error` for the author of `yaml`.
pub fn of(yaml: &str, error: &Error, subject: Subject) -> YamlMistake {
    let line = error.location().map_or(1, |location| line_of(&location));
    match control_character(yaml) {
        Some((at, c)) if at >= line && is_about_characters(error) => YamlMistake::at(
            at,
            format!(
                "a control character, U+{code:04X}, which YAML does not allow (remove it, or write it as '\\u{code:04x}' \
                 in double quotes)",
                code = u32::from(c)
            ),
        ),
        _ => match tab_before_text(yaml, line) {
            Some(at) if is_about_tabs(error) => {
                YamlMistake::at(at, "a tab where YAML allows only spaces (indent with spaces)")
            }
            _ => YamlMistake::at(line, describe(error, subject)),
        },
    }
}

fn describe(error: &Error, subject: Subject) -> String {
    let noun = subject.noun();
    match error {
        Error::AliasError { error, .. } | Error::WithSnippet { error, .. } => describe(error, subject),
        Error::DuplicateMappingKey { key: Some(key), .. } => {
            format!("the key '{}' is there twice (keep one of them)", printable(key))
        }
        Error::UnknownAnchor { .. } => {
            "a '*' at the start of a value means something else in YAML (put the value in single quotes)"
                .to_owned()
        }
        Error::Budget { breach: BudgetBreach::Documents { .. }, .. } => {
            format!("more than one YAML document (one file holds {})", noun.replacen("a ", "one ", 1))
        }
        Error::Budget { .. } => format!("too deep or too large for {noun} (write plain values)"),
        other => {
            let what = UserMessageFormatter.format_message(other);
            let hint = "put the value in single quotes, and indent with spaces";
            format!("not {noun}: {} ({hint})", printable(&what))
        }
    }
}

fn message(error: &Error) -> String {
    UserMessageFormatter.format_message(error).into_owned()
}

fn is_about_characters(error: &Error) -> bool {
    message(error).contains("character")
}

fn is_about_tabs(error: &Error) -> bool {
    message(error).contains("tab")
}

/// The first control character that YAML does not allow, and its line.
fn control_character(yaml: &str) -> Option<(usize, char)> {
    let is_refused = |c: char| {
        let is_allowed = matches!(c, '\n' | '\r' | '\t' | '\u{85}');
        (c.is_control() && !is_allowed) || matches!(c, '\u{FFFE}' | '\u{FFFF}')
    };
    let found = yaml.char_indices().find(|(_, c)| is_refused(*c));
    found.map(|(at, c)| (yaml[..at].matches('\n').count() + 1, c))
}

/// The first line from `line` on that has a tab before its text.
fn tab_before_text(yaml: &str, line: usize) -> Option<usize> {
    let has_tab = |text: &str| text.bytes().take_while(u8::is_ascii_whitespace).any(|byte| byte == b'\t');
    (1..).zip(yaml.lines()).skip(line.saturating_sub(1)).find(|(_, text)| has_tab(text)).map(|(at, _)| at)
}
