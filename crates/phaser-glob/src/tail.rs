//! The part after `**/` of common globs, matched without a regex: `*.rs`, `Makefile`, `test_*.py`, `*.{ts,tsx}`,
//! `node_modules/**`.

use super::{NamePattern, Whole, is_literal};

/// The part after `**/`. Literals are read from the glob's text.
#[derive(Debug, Clone)]
pub(super) enum Tail {
    /// Empty, or `*`.
    Anything,
    /// A [plain](is_plain) text.
    Plain,
    /// `*.{a,b}`: a star, then braces of literals at the end.
    Endings,
    /// Braces around plain choices.
    OneOf,
    /// The expansion of other braces, all of it plain.
    WrittenOut(Box<[String]>),
}

impl Tail {
    pub(super) fn of(text: &str) -> Option<Self> {
        let Some((before, choices, after)) = braces(text) else {
            return is_plain(text).then_some(Self::Plain);
        };
        let stem = before.strip_prefix('*').filter(|_| after.is_empty());
        if stem.is_some_and(|stem| [stem, choices].iter().all(|part| is_literal(part) && !part.contains('/')))
        {
            return Some(Self::Endings);
        }
        let nests = |byte: u8| matches!(byte, b'{' | b'}' | b'[' | b'\\');
        if [before, choices, after].iter().any(|part| part.bytes().any(nests)) {
            return None;
        }
        if before.is_empty() && after.is_empty() {
            return choices.split(',').all(is_plain).then_some(Self::OneOf);
        }
        let written_out: Box<[String]> =
            choices.split(',').map(|choice| [before, choice, after].concat()).collect();
        written_out.iter().all(|text| is_plain(text)).then_some(Self::WrittenOut(written_out))
    }

    pub(super) fn names<'a>(&self, text: &'a str) -> NamePattern<'a> {
        match self {
            Self::Anything | Self::OneOf | Self::WrittenOut(_) => NamePattern::Any,
            Self::Plain if text.ends_with("/**") => NamePattern::Any,
            Self::Plain => match text.split_once('*') {
                None => NamePattern::Name(text),
                Some((_, end)) => NamePattern::ending_in(end, Whole::No),
            },
            Self::Endings => {
                let Some((stem, choices, _)) = braces(text) else { return NamePattern::Any };
                let extension = |choice: &'a str| match choice.rsplit_once('.') {
                    Some((_, extension)) => Some(extension),
                    None => stem.ends_with('.').then_some(choice),
                };
                choices
                    .split(',')
                    .map(extension)
                    .collect::<Option<_>>()
                    .map_or(NamePattern::Any, NamePattern::Extensions)
            }
        }
    }

    pub(super) fn is_match(&self, text: &str, rest: &[u8]) -> bool {
        match self {
            Self::Anything => true,
            Self::Plain => is_plain_match(text, rest),
            Self::Endings => braces(text).is_some_and(|(before, choices, _)| {
                let stem = &before.as_bytes()[1..];
                let ends = |choice: &str| rest.strip_suffix(choice.as_bytes());
                choices.split(',').filter_map(ends).any(|before| before.ends_with(stem))
            }),
            Self::OneOf => {
                let choices = braces(text).map_or("", |(_, choices, _)| choices);
                choices.split(',').any(|choice| is_plain_match(choice, rest))
            }
            Self::WrittenOut(all) => all.iter().any(|text| is_plain_match(text, rest)),
        }
    }
}

/// The parts before, in and after the first braces.
fn braces(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('{')?;
    let (choices, after) = rest.split_once('}')?;
    Some((before, choices, after))
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
