//! I-Regexp (RFC 9485), the regular expressions of `match` and `search`.
//!
//! The syntax is checked here, since the engine knows more than the RFC allows; the engine then gets the same expression,
//! with `.` as the RFC defines it.

use regex_automata::meta::Regex;
use regex_automata::{Input, util::syntax};

/// The largest compiled expression, in bytes.
const MAX_SIZE: usize = 1 << 20;

/// The deepest nesting of groups.
const MAX_NESTING: usize = 64;

/// A compiled expression.
#[derive(Debug, Clone)]
pub(super) struct IRegexp {
    found: Regex,
    whole: Regex,
}

impl IRegexp {
    /// `None` if it is not an I-Regexp, or too large.
    pub fn parse(source: &str) -> Option<Self> {
        let mut checker = Checker { rest: source, out: String::with_capacity(source.len()), depth: 0 };
        checker.alternatives()?;
        if !checker.rest.is_empty() {
            return None;
        }
        let compile = |pattern: &str| {
            let config = Regex::config().nfa_size_limit(Some(MAX_SIZE));
            Regex::builder().configure(config).syntax(syntax::Config::new()).build(pattern).ok()
        };
        Some(Self { found: compile(&checker.out)?, whole: compile(&format!(r"\A(?:{})\z", checker.out))? })
    }

    /// Whether it matches the whole text, or a part of it.
    pub fn is_match(&self, text: &str, whole: bool) -> bool {
        let regex = if whole { &self.whole } else { &self.found };
        regex.is_match(Input::new(text))
    }
}

/// Checks the grammar of RFC 9485, and writes the expression for the engine.
struct Checker<'s> {
    rest: &'s str,
    out: String,
    depth: usize,
}

impl Checker<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    /// Copies the next character, if it is `c`.
    fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.take();
            self.out.push(c);
        }
        found
    }

    fn alternatives(&mut self) -> Option<()> {
        loop {
            while self.peek().is_some_and(|c| !matches!(c, '|' | ')')) {
                self.piece()?;
            }
            if !self.eat('|') {
                return Some(());
            }
        }
    }

    fn piece(&mut self) -> Option<()> {
        match self.take()? {
            '(' => {
                self.depth += 1;
                if self.depth > MAX_NESTING {
                    return None;
                }
                self.out.push_str("(?:");
                self.alternatives()?;
                if !self.eat(')') {
                    return None;
                }
                self.depth -= 1;
            }
            '.' => self.out.push_str(r"[^\n\r]"),
            '[' => self.class()?,
            '\\' => self.escape()?,
            '*' | '+' | '?' | '{' | '}' | ']' | ')' | '|' => return None,
            // The compliance suite takes '^' and '$' for anchors, as engines do.
            c => self.out.push(c),
        }
        self.quantifier()
    }

    fn quantifier(&mut self) -> Option<()> {
        if self.eat('*') || self.eat('+') || self.eat('?') || !self.eat('{') {
            return Some(());
        }
        self.number()?;
        if self.eat(',') && self.peek() != Some('}') {
            self.number()?;
        }
        self.eat('}').then_some(())
    }

    fn number(&mut self) -> Option<()> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        self.out.push_str(&self.rest[..digits]);
        self.rest = &self.rest[digits..];
        (digits > 0).then_some(())
    }

    /// An escape, after its backslash.
    fn escape(&mut self) -> Option<()> {
        match self.take()? {
            c @ ('p' | 'P') => {
                self.out.push('\\');
                self.out.push(c);
                if !self.eat('{') {
                    return None;
                }
                let end = self.rest.find('}')?;
                let name = &self.rest[..end];
                let is_category = matches!(
                    name.as_bytes(),
                    [b'L' | b'M' | b'N' | b'P' | b'Z' | b'S' | b'C'] | [b'A'..=b'Z', b'a'..=b'z']
                );
                self.out.push_str(name);
                self.rest = &self.rest[end..];
                (is_category && self.eat('}')).then_some(())
            }
            c @ ('(' | ')' | '*' | '+' | '-' | '.' | '?' | '[' | '\\' | ']' | '^' | 'n' | 'r' | 't' | '{'
            | '|' | '}') => {
                self.out.push('\\');
                self.out.push(c);
                Some(())
            }
            _ => None,
        }
    }

    /// A class, after its bracket.
    fn class(&mut self) -> Option<()> {
        self.out.push('[');
        self.eat('^');
        let mut is_empty = true;
        loop {
            match self.take()? {
                ']' if is_empty => return None,
                ']' => {
                    self.out.push(']');
                    return Some(());
                }
                '[' => return None,
                '\\' => self.escape()?,
                // A hyphen is a member at the start and the end, and makes a range elsewhere.
                '-' if is_empty || self.peek() == Some(']') => self.out.push_str(r"\-"),
                '-' => return None,
                c => {
                    // The engine has sets in classes: '&&', '--' and '~~'.
                    if matches!(c, '&' | '~' | '^') {
                        self.out.push('\\');
                    }
                    self.out.push(c);
                }
            }
            is_empty = false;
            if self.peek() == Some('-') && !self.rest[1..].starts_with(']') {
                self.take();
                self.out.push('-');
                match self.take()? {
                    '\\' => self.escape()?,
                    '[' | ']' | '-' => return None,
                    c => {
                        if matches!(c, '&' | '~' | '^') {
                            self.out.push('\\');
                        }
                        self.out.push(c);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_what_the_rfc_defines() {
        for (source, text, whole, found) in [
            ("a.c", "abc", true, true),
            ("a.c", "a\nc", false, false),
            ("a|b", "xb", false, true),
            ("^b$", "b", true, true),
            ("[a-c-]+", "b-a", true, true),
            ("[^a&&b]", "&", true, false),
            (r"\p{Lu}x?", "Éx", true, true),
            ("a{2,3}", "aaaa", true, false),
            ("(ab){2,}", "ababab", true, true),
            ("", "", true, true),
        ] {
            let regex = IRegexp::parse(source).unwrap_or_else(|| panic!("{source}"));
            assert_eq!(regex.is_match(text, whole), found, "{source} {text}");
        }
    }

    #[test]
    fn rejects_other_dialects() {
        for source in [
            r"\d",
            r"\bx",
            "(?i)a",
            "a**",
            "a{",
            "[",
            "[]",
            "[a[b]]",
            r"(a)\1",
            "a)",
            r"\p{Greek}",
            "a{99999}",
        ] {
            assert!(IRegexp::parse(source).is_none(), "{source}");
        }
    }
}
