//! Escapes outside classes, and helpers shared with those inside.

use super::{Backtracks, DialectError, TranslationPurpose, Translator};

/// The members of `\w`, `\d` and `\s` under the flag `a`.
const ASCII_CLASSES: [(char, &str); 3] = [('w', "0-9A-Za-z_"), ('d', "0-9"), ('s', r"\t\n\x0b\x0c\r\x20")];

/// `\b` and `\B` under the flag `a`, for the backtracking engine, which lacks the flag.
pub(super) const ASCII_BOUNDARY: &str =
    "(?:(?<![0-9A-Za-z_])(?=[0-9A-Za-z_])|(?<=[0-9A-Za-z_])(?![0-9A-Za-z_]))";
const NO_ASCII_BOUNDARY: &str = "(?:(?<![0-9A-Za-z_])(?![0-9A-Za-z_])|(?<=[0-9A-Za-z_])(?=[0-9A-Za-z_]))";

/// Letters with a meaning after a backslash, the same in both engines.
const KNOWN: &str = "abBdDfnrsStvwWzA";

impl Translator<'_> {
    /// Translates an escape outside a class, after its backslash.
    pub(super) fn escape(&mut self) -> Result<(), DialectError> {
        match self.rest.next().ok_or(DialectError::TrailingBackslash)? {
            'Z' => self.push(r"\z"),
            'N' if self.rest.peek() == Some(&'{') => return Err(DialectError::NamedCharacter),
            digit @ '0'..='9' => self.digits(digit),
            'k' => self.named_reference(),
            letter @ ('p' | 'P' | 'x' | 'u' | 'U') => self.code(letter),
            look @ ('b' | 'B') if self.flags.ascii => match (self.purpose, look) {
                (TranslationPurpose::Backtracking, 'b') => self.push(ASCII_BOUNDARY),
                (TranslationPurpose::Backtracking, _) => self.push(NO_ASCII_BOUNDARY),
                _ => self.push(&format!(r"(?-u:\{look})")),
            },
            c => match self.ascii_class(c) {
                Some((not, members)) => self.push(&format!("[{not}{members}]")),
                None => self.push_escaped(c)?,
            },
        }
        Ok(())
    }

    /// `\k<name>` and variants, after the `k`.
    fn named_reference(&mut self) {
        self.needs(Backtracks::BackReference);
        if !self.is_plain() {
            return self.push(r"\k");
        }
        let close = match self.rest.peek() {
            Some('<') => '>',
            Some('{') => '}',
            Some('\'') => '\'',
            _ => return self.push("(?s:.)*"),
        };
        self.rest.next();
        self.rest.find(|&c| c == close);
        self.push("(?:(?s:.)*)");
    }

    /// `\p`, `\x`, `\u` and the like, with optional braces.
    pub(super) fn code(&mut self, letter: char) {
        let mut ahead = self.rest.clone();
        let first = ahead.next();
        match letter {
            'p' | 'P' => {
                self.out.facts.names_beyond_ascii = true;
                self.out.facts.large_classes += 1;
                self.out.facts.properties += 1;
            }
            'x' if matches!(first, Some('0'..='7')) => {}
            _ => self.out.facts.names_beyond_ascii = true,
        }
        self.out.regex.extend(['\\', letter]);
        self.braced();
    }

    /// Under the flag `a`: `^` if `\letter` is negated, and the members of the class.
    pub(super) fn ascii_class(&mut self, letter: char) -> Option<(&'static str, &'static str)> {
        let class = ASCII_CLASSES.iter().find(|(name, _)| *name == letter.to_ascii_lowercase())?;
        let is_negated = letter.is_ascii_uppercase();
        if !self.flags.ascii {
            self.out.facts.large_classes += 1;
            self.out.facts.negates_named_class |= is_negated;
            return None;
        }
        self.out.facts.negates_class |= is_negated;
        Some((if is_negated { "^" } else { "" }, class.1))
    }

    /// Copies the `{…}` of an escape.
    fn braced(&mut self) {
        if self.rest.peek() != Some(&'{') {
            return;
        }
        for c in self.rest.by_ref() {
            self.out.regex.push(c);
            if c == '}' {
                return;
            }
        }
    }

    /// `\0`, `\012` and `\141` are octal. Other numbers are back-references.
    fn digits(&mut self, first: char) {
        let mut ahead = self.rest.clone();
        let next = [ahead.next(), ahead.next()].map(|c| c.and_then(|c| c.to_digit(8)));
        let first_value = first.to_digit(10).unwrap_or_default();
        match next {
            [Some(second), Some(third)] if first_value < 4 => {
                self.skip(2);
                self.push_code(first_value * 64 + second * 8 + third);
            }
            [Some(second), _] if first == '0' => {
                self.skip(1);
                self.push_code(second);
            }
            _ if first == '0' => self.push_code(0),
            _ => {
                self.needs(Backtracks::BackReference);
                let second = self.rest.next_if(char::is_ascii_digit);
                if self.is_plain() {
                    self.push("(?:(?s:.)*)");
                } else {
                    self.out.regex.extend(['\\', first]);
                    self.out.regex.extend(second);
                }
            }
        }
    }

    /// Writes the character with this code, below 256.
    pub(super) fn push_code(&mut self, code: u32) {
        self.out.facts.names_beyond_ascii |= code > 0x7F;
        self.push(&format!("\\x{code:02x}"));
    }

    /// Writes `\c`. For Python, anything but a letter or a digit stands for itself.
    pub(super) fn push_escaped(&mut self, c: char) -> Result<(), DialectError> {
        if !c.is_ascii_alphanumeric() {
            self.push_literal(c);
        } else if KNOWN.contains(c) {
            self.out.regex.extend(['\\', c]);
        } else {
            return Err(DialectError::UnknownEscape(c));
        }
        Ok(())
    }

    /// Writes a character that stands for itself, in or outside a class, in verbose mode too.
    pub(super) fn push_literal(&mut self, c: char) {
        if c.is_ascii_punctuation() && !matches!(c, '<' | '>') {
            self.out.regex.extend(['\\', c]);
        } else if c.is_ascii_whitespace() {
            self.push_code(u32::from(c));
        } else {
            self.out.facts.names_beyond_ascii |= !c.is_ascii();
            self.out.regex.push(c);
        }
    }
}
