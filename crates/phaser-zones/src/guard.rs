//! Guards: whether a rule may open here, decided by the bytes before and at most one byte after.
//!
//! `/` is the hard case. It starts a regular expression where an operand is expected:
//!
//! | before | example | decision |
//! |---|---|---|
//! | start of the text, an operator, `(`, `,` | `x = /a/` | operand: regular expression |
//! | a keyword of the table | `return /a/` | operand |
//! | `)` of a condition | `if (a) /b/.test(c)` | operand |
//! | any other word, `)`, `]`, a literal | `a / b`, `f() / b` | operator: division |
//!
//! It is a guess: `a\n/b/` is one or the other depending on the grammar around it.

use super::code::Opened;
use super::language::{Language, LineBreak, is_word};
use super::lexer::Lexer;
use super::rule::At;

/// The distance searched backwards for a line break.
const MAX_GAP: usize = 256;

impl Lexer<'_> {
    /// Whether a rule of `language` may open at `opened`.
    pub(super) fn allows(&self, language: &Language, at: At, opened: &Opened) -> bool {
        let before = self.before(opened.start);
        match at {
            At::Anywhere => true,
            At::TextStart => {
                opened.start == 0 || (opened.start == 3 && self.text.starts_with(b"\xef\xbb\xbf"))
            }
            At::LineStart => before.is_none_or(|byte| byte == b'\n'),
            At::FirstOnLine => self.is_first_on_line(opened.start) && self.ends_word(opened.after),
            At::AfterBlank => before.is_none_or(|byte| byte.is_ascii_whitespace()),
            At::ShellWord => {
                before.is_none_or(|byte| byte.is_ascii_whitespace() || b";&|()`".contains(&byte))
            }
            At::Command => self.is_command(language, opened),
            At::NotAfterWord => before.is_none_or(|byte| !language.is_word(byte)),
            At::NotAfterValue => {
                before.is_none_or(|byte| !language.is_word(byte) && !b")]}'\".".contains(&byte))
            }
            At::NotInOperator(bytes) => self.is_not_in_operator(bytes.as_bytes(), opened),
            At::Bareword => self.is_bareword(language, opened),
            At::Operand => self.expects_operand(language),
            At::Argument => self.is_argument(language, opened),
            At::OperandOrArgument => self.expects_operand(language) || self.is_argument(language, opened),
            At::Scalar => self.is_scalar_start(opened.start),
        }
    }

    /// Whether only blanks precede `offset` on its line.
    pub(super) fn is_first_on_line(&self, offset: usize) -> bool {
        let line = &self.text[..offset];
        let blanks = line.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        self.looked_back(blanks);
        line[..offset - blanks].last().is_none_or(|&byte| byte == b'\n')
    }

    /// Whether no word continues at `offset`.
    fn ends_word(&self, offset: usize) -> bool {
        let goes_on = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphabetic());
        !(goes_on(self.before(offset)) && goes_on(self.byte(offset)))
    }

    /// Whether an operand is expected here rather than an operator.
    pub(super) fn expects_operand(&self, language: &Language) -> bool {
        let Some(at) = self.tail.checked_sub(1) else { return true };
        let operands = &language.operands;
        if operands.line_break == LineBreak::Ends && self.is_on_new_line(self.pos) {
            return true;
        }
        match self.text[at] {
            b'"' | b'\'' | b'`' => false,
            b'.' => self.before(at) == Some(b'.'),
            b')' if self.tail == self.condition_end => true,
            byte if operands.closers.as_bytes().contains(&byte) => false,
            byte @ (b'+' | b'-') => self.before(at) != Some(byte),
            b'!' => self.before(at).is_none_or(|byte| {
                !b")]".contains(&byte) && (!language.is_word(byte) || self.is_keyword(language, at))
            }),
            byte if language.is_word(byte) => self.is_keyword(language, self.tail),
            _ => true,
        }
    }

    /// Whether a line break lies between the last code and `offset`.
    fn is_on_new_line(&self, offset: usize) -> bool {
        let from = self.tail.max(offset.saturating_sub(MAX_GAP)).min(offset);
        self.looked_back(offset - from);
        memchr::memrchr(b'\n', &self.text[from..offset]).is_some()
    }

    /// Whether the word before `end` is a keyword that an operand follows.
    fn is_keyword(&self, language: &Language, end: usize) -> bool {
        let word = self.word_before(language, end);
        let before = self.before(end - word.len());
        let is_name = before.is_some_and(|byte| b".$@%".contains(&byte));
        !is_name && language.operands.keywords.iter().any(|keyword| keyword.as_bytes() == word)
    }

    /// Whether an argument of a call without parentheses may start here.
    fn is_argument(&self, language: &Language, opened: &Opened) -> bool {
        let word = self.word_before(language, self.tail);
        let before = self.before(self.tail - word.len());
        let is_call = word.first().is_some_and(|first| !first.is_ascii_digit())
            && word != b"def"
            && before.is_none_or(|byte| !b"$@%&:".contains(&byte));
        let is_apart = self.tail < self.pos && !self.is_on_new_line(self.pos);
        let next = self.byte(opened.after);
        is_call && is_apart && next.is_some_and(|byte| !byte.is_ascii_whitespace() && byte != b'=')
    }

    fn is_command(&self, language: &Language, opened: &Opened) -> bool {
        let is_word = |byte: Option<u8>| byte.is_some_and(|byte| language.is_word(byte) || byte == b'-');
        let goes_on = is_word(self.before(opened.after)) && is_word(self.byte(opened.after));
        if goes_on || is_word(self.before(opened.start)) {
            return false;
        }
        let Some(last) = self.before(self.tail) else { return true };
        b";&|({[)`".contains(&last)
            || self.is_on_new_line(opened.start)
            || self.is_keyword(language, self.tail)
    }

    fn is_not_in_operator(&self, bytes: &[u8], opened: &Opened) -> bool {
        let last = self.text[opened.after - 1];
        let before = self.before(opened.start);
        if before == Some(last) {
            return false;
        }
        let next = self.rest(opened.after).iter().find(|&&byte| byte != last);
        !before.is_some_and(|byte| bytes.contains(&byte)) && !next.is_some_and(|byte| bytes.contains(byte))
    }

    fn is_bareword(&self, language: &Language, opened: &Opened) -> bool {
        let Some(before) = self.before(opened.start) else { return true };
        let two = self.before(opened.start - 1);
        let is_member = match before {
            b'$' | b'@' | b'%' | b'*' | b':' | b'\'' | b'-' | b'\\' => true,
            b'&' => two != Some(b'&'),
            b'>' => two == Some(b'-'),
            b'{' => self.byte(opened.after) == Some(b'}'),
            byte => is_word(byte),
        };
        !is_member && self.word_before(language, self.tail) != b"sub"
    }

    fn before(&self, offset: usize) -> Option<u8> {
        offset.checked_sub(1).map(|at| self.text[at])
    }
}
