//! Bracketed classes, with Python's meaning.

use super::{DialectError, Translator};

pub(super) const POSIX_CLASS: &str =
    "'[[:name:]]' is a POSIX class here; in Python it is a set of single characters";

pub(super) const UNKNOWN_POSIX_CLASS: &str = "'[[:name:]]' is a class only for alnum, alpha, ascii, blank, cntrl, digit, graph, \
     lower, print, punct, space, upper, word and xdigit; with another name it is a set of single characters";

const POSIX_NAMES: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "word", "xdigit",
];

impl Translator<'_> {
    /// Translates a class after its `[`.
    pub(super) fn class(&mut self) -> Result<(), DialectError> {
        self.push("[");
        if self.rest.next_if_eq(&'^').is_some() {
            self.out.facts.negates_class = true;
            self.out.facts.large_classes += 1;
            self.push("^");
        }
        let mut first = true;
        loop {
            let c = self.rest.next().ok_or(DialectError::UnclosedClass)?;
            if c == ']' && !first {
                self.push("]");
                return Ok(());
            }
            first = false;
            if c == '[' && self.posix_class() {
                continue;
            }
            self.class_member(c)?;
            let mut ahead = self.rest.clone();
            if ahead.next() == Some('-') && ahead.next().is_some_and(|end| end != ']') {
                self.rest.next();
                self.push("-");
                let end = self.rest.next().ok_or(DialectError::UnclosedClass)?;
                self.class_member(end)?;
            }
        }
    }

    fn class_member(&mut self, c: char) -> Result<(), DialectError> {
        if c != '\\' {
            self.push_literal(c);
            return Ok(());
        }
        match self.rest.next().ok_or(DialectError::UnclosedClass)? {
            'b' => self.push_code(8),
            'N' if self.rest.peek() == Some(&'{') => return Err(DialectError::NamedCharacter),
            digit @ '0'..='7' => {
                let mut code = digit.to_digit(8).unwrap_or_default();
                for _ in 0..2 {
                    let Some(next) = self.rest.peek().and_then(|c| c.to_digit(8)) else { break };
                    code = code * 8 + next;
                    self.rest.next();
                }
                if code > 0o377 {
                    return Err(DialectError::OctalTooLarge);
                }
                self.push_code(code);
            }
            letter @ ('p' | 'P' | 'x' | 'u' | 'U') => self.code(letter),
            c => match self.ascii_class(c) {
                Some(("", members)) => self.push(members),
                Some((not, members)) => self.push(&format!("[{not}{members}]")),
                None => self.push_escaped(c)?,
            },
        }
        Ok(())
    }

    /// Translates `[:alpha:]` inside a class, after its `[`. Returns whether there was one.
    fn posix_class(&mut self) -> bool {
        let mut ahead = self.rest.clone();
        if ahead.next() != Some(':') {
            return false;
        }
        let name: String = ahead.take_while(|c| c.is_ascii_alphabetic() || *c == '^').collect();
        let spelled = format!(":{name}:]");
        if name.is_empty() || !self.starts_with(&spelled) {
            return false;
        }
        if !POSIX_NAMES.contains(&name.trim_start_matches('^')) {
            self.note(UNKNOWN_POSIX_CLASS);
            return false;
        }
        self.out.facts.negates_class |= name.starts_with('^');
        self.skip(spelled.chars().count());
        self.push(&format!("[{spelled}"));
        self.note(POSIX_CLASS);
        true
    }

    fn note(&mut self, note: &'static str) {
        if !self.out.notes.contains(&note) {
            self.out.notes.push(note);
        }
    }
}
