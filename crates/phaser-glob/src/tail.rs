//! The part after `**/` of common globs, matched without a regex: `*.rs`, `Makefile`, `test_*.py`, `*.{ts,tsx}`,
//! `node_modules/**`.

use super::{NamePattern, is_literal};

/// The part after `**/`.
#[derive(Debug, Clone)]
pub(super) enum Tail {
    /// Empty, or `*`.
    Anything,
    /// One of these texts, each [plain](is_plain): the expansion of the braces, if there are any.
    OneOf(Box<[String]>),
}

impl Tail {
    pub(super) fn of(text: &str) -> Option<Self> {
        let all: Box<[String]> = match braces(text) {
            None => [text.to_owned()].into(),
            Some((before, choices, after)) => {
                choices.split(',').map(|choice| [before, choice, after].concat()).collect()
            }
        };
        all.iter().all(|text| is_plain(text)).then_some(Self::OneOf(all))
    }

    /// What is known about the file names of matching paths.
    pub(super) fn names(&self) -> NamePattern<'_> {
        let Self::OneOf(all) = self else { return NamePattern::Any };
        if let [one] = &**all {
            return names(one);
        }
        let extension = |text| match names(text) {
            NamePattern::Extensions(extensions) => extensions.into_iter().next(),
            NamePattern::Any | NamePattern::Name(_) => None,
        };
        let extensions = all.iter().map(|text| extension(text)).collect::<Option<_>>();
        extensions.map_or(NamePattern::Any, NamePattern::Extensions)
    }

    pub(super) fn is_match(&self, rest: &[u8]) -> bool {
        match self {
            Self::Anything => true,
            Self::OneOf(all) => all.iter().any(|text| is_plain_match(text, rest)),
        }
    }
}

/// The parts before, in and after the first braces.
fn braces(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('{')?;
    let (choices, after) = rest.split_once('}')?;
    Some((before, choices, after))
}

/// What is known about the file names that a plain text matches.
fn names(text: &str) -> NamePattern<'_> {
    match text.split_once('*') {
        _ if text.ends_with("/**") => NamePattern::Any,
        None => NamePattern::Name(text),
        Some((_, end)) => NamePattern::ending_in(end),
    }
}

/// Whether it is a name, a name with one star, or `directory/**`.
fn is_plain(text: &str) -> bool {
    if let Some(inside) = text.strip_suffix("/**").filter(|inside| is_literal(inside)) {
        return !inside.is_empty();
    }
    let (start, end) = text.split_once('*').unwrap_or((text, ""));
    !text.is_empty() && is_literal(start) && is_literal(end) && !text.contains('/')
}

/// Whether a plain text, below any directory, matches the rest of a path.
fn is_plain_match(text: &str, rest: &[u8]) -> bool {
    if let Some(inside) = text.strip_suffix("/**") {
        let is_in = |start: usize| {
            let after = rest[start..].strip_prefix(inside.as_bytes());
            after.is_some_and(|after| after.starts_with(b"/"))
        };
        return is_in(0) || memchr::memchr_iter(b'/', rest).any(|slash| is_in(slash + 1));
    }
    let name = &rest[memchr::memrchr(b'/', rest).map_or(0, |slash| slash + 1)..];
    match text.split_once('*') {
        None => name == text.as_bytes(),
        Some((start, end)) => {
            let after = name.strip_prefix(start.as_bytes());
            after.is_some_and(|after| after.ends_with(end.as_bytes()))
        }
    }
}
