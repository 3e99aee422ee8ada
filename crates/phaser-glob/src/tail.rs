//! The part after `**/` of common globs, matched without a regex: `*.rs`, `Makefile`, `test_*.py`, `*.{ts,tsx}`,
//! `node_modules/**`, `{tests/**/*,*_test}.py`.

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
        let all = expansion(text)?;
        all.iter().all(|text| is_plain(text)).then_some(Self::OneOf(all.into()))
    }

    /// What is known about the file names of matching paths.
    pub(super) fn names(&self) -> NamePattern<'_> {
        let Self::OneOf(all) = self else { return NamePattern::Any };
        if let [one] = &**all {
            return names(one);
        }
        let mut extensions: Vec<&str> = Vec::new();
        for text in all {
            let NamePattern::Extensions(found) = names(text) else { return NamePattern::Any };
            let new: Vec<_> = found.into_iter().filter(|found| !extensions.contains(found)).collect();
            extensions.extend(new);
        }
        NamePattern::Extensions(extensions)
    }

    pub(super) fn is_match(&self, rest: &[u8]) -> bool {
        match self {
            Self::Anything => true,
            Self::OneOf(all) => all.iter().any(|text| is_plain_match(text, rest)),
        }
    }
}

/// Cap on the texts of an expansion.
const MAX_TEXTS: usize = 64;

/// The texts that the braces of `text` stand for; `None` above the cap, or with classes or escapes.
fn expansion(text: &str) -> Option<Vec<String>> {
    if text.contains(['[', ']', '\\']) {
        return None;
    }
    let mut done = Vec::new();
    let mut open = vec![text.to_owned()];
    while let Some(text) = open.pop() {
        match text.find('{') {
            None => done.push(text),
            Some(start) => {
                let (before, group) = text.split_at(start);
                let choices = choices(group)?;
                let after = &group[choices.iter().map(|choice| choice.len() + 1).sum::<usize>() + 1..];
                // The last one is expanded first.
                open.extend(choices.iter().rev().map(|choice| [before, choice, after].concat()));
            }
        }
        if done.len() + open.len() > MAX_TEXTS {
            return None;
        }
    }
    Some(done)
}

/// The choices of the braces that `text` starts with, without classes and escapes; `None` if they are not closed.
pub(super) fn choices(text: &str) -> Option<Vec<&str>> {
    let (mut depth, mut from, mut choices) = (0_usize, 1, Vec::new());
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b',' if depth == 1 => {
                choices.push(&text[from..at]);
                from = at + 1;
            }
            b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    choices.push(&text[from..at]);
                    return Some(choices);
                }
            }
            _ => {}
        }
    }
    None
}

/// What is known about the file names that a plain text matches.
fn names(text: &str) -> NamePattern<'_> {
    if text.ends_with("/**") {
        return NamePattern::Any;
    }
    let (_, name) = split(text);
    match name.split_once('*') {
        None => NamePattern::Name(name),
        Some((_, end)) => NamePattern::ending_in(end),
    }
}

/// Whether it is a name, a name with one star, `directory/**`, or `directory/**/` and such a name.
fn is_plain(text: &str) -> bool {
    let is_directory = |text: &str| is_literal(text) && !text.is_empty();
    if let Some(inside) = text.strip_suffix("/**") {
        return is_directory(inside);
    }
    let (directory, name) = split(text);
    let (start, end) = name.split_once('*').unwrap_or((name, ""));
    directory.is_none_or(is_directory)
        && !name.is_empty()
        && is_literal(start)
        && is_literal(end)
        && !name.contains('/')
}

/// The directory before `/**/`, and the rest.
fn split(text: &str) -> (Option<&str>, &str) {
    text.split_once("/**/").map_or((None, text), |(directory, name)| (Some(directory), name))
}

/// Whether a plain text, below any directory, matches the rest of a path.
fn is_plain_match(text: &str, rest: &[u8]) -> bool {
    // Whether `directory` and a slash are in `path`, from the start of a name.
    let has = |path: &[u8], directory: &str| {
        let is_in = |start: usize| {
            let after = path[start..].strip_prefix(directory.as_bytes());
            after.is_some_and(|after| after.starts_with(b"/"))
        };
        is_in(0) || memchr::memchr_iter(b'/', path).any(|slash| is_in(slash + 1))
    };
    if let Some(inside) = text.strip_suffix("/**") {
        return has(rest, inside);
    }
    let (parents, name) = rest.split_at(memchr::memrchr(b'/', rest).map_or(0, |slash| slash + 1));
    let (directory, expected) = split(text);
    let is_name = match expected.split_once('*') {
        None => name == expected.as_bytes(),
        Some((start, end)) => {
            let after = name.strip_prefix(start.as_bytes());
            after.is_some_and(|after| after.ends_with(end.as_bytes()))
        }
    };
    is_name && directory.is_none_or(|directory| has(parents, directory))
}
