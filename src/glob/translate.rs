//! A glob as a regular expression over one path, which is valid UTF-8.

use std::iter::Peekable;
use std::str::Chars;

/// The deepest that braces may stand in each other.
const MAX_DEPTH: usize = 64;

/// The expression that matches the whole of a path, or what is wrong with the glob.
pub(super) fn translate(glob: &str) -> Result<String, String> {
    let mut translator =
        Translator { rest: glob.chars().peekable(), regex: String::from("^"), braces: Vec::new() };
    translator.run()?;
    translator.regex.push('$');
    Ok(translator.regex)
}

struct Translator<'a> {
    rest: Peekable<Chars<'a>>,
    regex: String,
    /// For each open brace: does it stand where a name starts?
    braces: Vec<bool>,
}

impl Translator<'_> {
    fn run(&mut self) -> Result<(), String> {
        let mut starts_name = true;
        while let Some(c) = self.rest.next() {
            let at_start = std::mem::replace(&mut starts_name, c == '/');
            match c {
                '*' if self.rest.next_if_eq(&'*').is_some() => {
                    while self.rest.next_if_eq(&'*').is_some() {}
                    if at_start && self.rest.next_if_eq(&'/').is_some() {
                        self.regex.push_str("(?:(?s:.*)/)?");
                        starts_name = true;
                    } else {
                        self.regex.push_str("(?s:.*)");
                    }
                }
                '*' => self.regex.push_str("[^/]*"),
                '?' => self.regex.push_str("[^/]"),
                '[' => self.class()?,
                '{' => {
                    if self.braces.len() == MAX_DEPTH {
                        return Err(format!("braces stand in each other more than {MAX_DEPTH} deep"));
                    }
                    self.braces.push(at_start);
                    self.regex.push_str("(?:");
                    starts_name = at_start;
                }
                ',' if !self.braces.is_empty() => {
                    self.regex.push('|');
                    starts_name = self.braces.last() == Some(&true);
                }
                '}' => {
                    self.braces.pop().ok_or("a '}' has no '{' before it")?;
                    self.regex.push(')');
                }
                '\\' => {
                    let escaped = self.rest.next().ok_or("it ends in a backslash")?;
                    self.literal(escaped);
                }
                other => self.literal(other),
            }
        }
        if self.braces.is_empty() { Ok(()) } else { Err("a '{' is not closed".to_owned()) }
    }

    fn literal(&mut self, c: char) {
        self.regex.push_str(&regex_syntax::escape(c.encode_utf8(&mut [0; 4])));
    }

    /// A class, whose `[` has been read. It never matches a `/`.
    fn class(&mut self) -> Result<(), String> {
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
        let class = if negated { format!("[^/{members}]") } else { format!("[[{members}]&&[^/]]") };
        self.regex.push_str(&class);
        Ok(())
    }
}
