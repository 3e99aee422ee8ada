//! Splits a glob into parts. Their meaning in context is decided by `translate`.

use std::iter::Peekable;
use std::str::Chars;

/// The nesting limit of braces.
const MAX_DEPTH: usize = 64;

/// A part of a glob.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum GlobPart {
    /// Characters other than `/`, as a regex.
    Text(String),
    /// `/`.
    Slash,
    /// One `*`.
    Star,
    /// `{a,b}`: one of several.
    Choice(Vec<Vec<GlobPart>>),
}

/// The parts of a glob, or an error for users.
pub(super) fn parse(glob: &str) -> Result<Vec<GlobPart>, String> {
    let mut parser = Parser { rest: glob.chars().peekable(), depth: 0 };
    let parts = parser.parts()?;
    match parser.rest.next() {
        None => Ok(parts),
        Some(_) => Err("a '}' has no '{' before it".to_owned()),
    }
}

struct Parser<'a> {
    rest: Peekable<Chars<'a>>,
    /// The number of open braces.
    depth: usize,
}

impl Parser<'_> {
    /// Parts up to the end of the glob, or to a `}` or `,` of an open brace.
    fn parts(&mut self) -> Result<Vec<GlobPart>, String> {
        let mut parts = Vec::new();
        let mut text = String::new();
        while let Some(c) = self.rest.next_if(|&c| c != '}' && (c != ',' || self.depth == 0)) {
            let part = match c {
                '/' => GlobPart::Slash,
                '*' => GlobPart::Star,
                '{' => self.choice()?,
                '?' => {
                    text.push_str("[^/]");
                    continue;
                }
                '[' => {
                    text.push_str(&self.class()?);
                    continue;
                }
                '\\' => match self.rest.next().ok_or("it ends in a backslash")? {
                    '/' => GlobPart::Slash,
                    escaped => {
                        push_literal(&mut text, escaped);
                        continue;
                    }
                },
                other => {
                    push_literal(&mut text, other);
                    continue;
                }
            };
            push_text(&mut parts, &mut text);
            parts.push(part);
        }
        push_text(&mut parts, &mut text);
        Ok(parts)
    }

    /// A choice after its `{`.
    fn choice(&mut self) -> Result<GlobPart, String> {
        if self.depth == MAX_DEPTH {
            return Err(format!("braces stand in each other more than {MAX_DEPTH} deep"));
        }
        self.depth += 1;
        let mut choices = vec![self.parts()?];
        while self.rest.next_if_eq(&',').is_some() {
            choices.push(self.parts()?);
        }
        self.depth -= 1;
        self.rest.next_if_eq(&'}').ok_or("a '{' is not closed")?;
        Ok(GlobPart::Choice(choices))
    }

    /// A class after its `[`. It never matches `/`.
    fn class(&mut self) -> Result<String, String> {
        const UNCLOSED: &str = "a '[' is not closed";
        let negated = self.rest.next_if(|&c| c == '!' || c == '^').is_some();
        let mut members = String::new();
        let mut first = true;
        loop {
            let low = self.rest.next().ok_or(UNCLOSED)?;
            if low == ']' && !first {
                break;
            }
            first = false;
            let mut ahead = self.rest.clone();
            let ranges = ahead.next() == Some('-') && ahead.next().is_some_and(|end| end != ']');
            let high = if ranges { self.rest.nth(1).ok_or(UNCLOSED)? } else { low };
            if low > high {
                return Err(format!("the range '{low}-{high}' runs backwards"));
            }
            members.push_str(&format!("\\x{{{:x}}}-\\x{{{:x}}}", u32::from(low), u32::from(high)));
        }
        Ok(if negated { format!("[^/{members}]") } else { format!("[[{members}]&&[^/]]") })
    }
}

/// Moves `text` to the parts, unless it is empty.
fn push_text(parts: &mut Vec<GlobPart>, text: &mut String) {
    if !text.is_empty() {
        parts.push(GlobPart::Text(std::mem::take(text)));
    }
}

fn push_literal(regex: &mut String, c: char) {
    regex.push_str(&regex_syntax::escape(c.encode_utf8(&mut [0; 4])));
}
