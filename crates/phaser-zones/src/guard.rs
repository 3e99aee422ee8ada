//! Guards: whether a rule may open here, decided by the bytes before and at most one byte after.
//!
//! `/` is the hard case. It starts a regular expression where an operand is expected:
//!
//! | before | example | decision |
//! |---|---|---|
//! | start of the text, an operator, `(`, `,` | `x = /a/` | operand: regular expression |
//! | a keyword of the table | `return /a/` | operand |
//! | `++`, `--` before an operand | `++/a/.lastIndex` | operand |
//! | `)` of a condition, `}` of a block | `if (a) /b/.test(c)` | operand |
//! | any other word, `)`, `]`, `}`, a literal | `a / b`, `f() / b`, `{} / b` | operator: division |
//!
//! Braces hold a value where a value is expected (`x = {`, `return {`) and after the parameters of a function expression
//! (`x = function() {`); elsewhere they hold statements.
//!
//! It is a guess: `a\n/b/` is one or the other depending on the grammar around it.

use super::code::Opened;
use super::language::{Language, LineBreak, contains_word, is_word};
use super::lexer::{Group, Lexer};
use super::rule::At;

/// The longest string that is distinguished from a character, in bytes.
const MAX_STRING: usize = 64;

impl Lexer<'_> {
    /// Whether a rule of `language` may open at `opened`.
    pub(super) fn allows(&self, language: &Language, at: At, opened: &Opened) -> bool {
        let before = self.before(opened.start);
        match at {
            At::Anywhere => true,
            At::TextStart => opened.start == self.start,
            At::LineStart => self.is_line_start(opened.start),
            At::FirstOnLine => self.is_first_on_line(opened.start) && self.ends_word(opened.after),
            At::AfterBlank => before.is_none_or(|byte| byte.is_ascii_whitespace()),
            At::ShellWord => before.is_none_or(|byte| {
                let ends_word = b";&|()`".contains(&byte) && opened.start != self.literal_end;
                byte.is_ascii_whitespace() || ends_word
            }),
            At::Command => self.is_command(language, opened),
            At::NotAfterWord => {
                before.is_none_or(|byte| !language.is_word(byte)) && self.ends_word(opened.after)
            }
            At::NotAfterValue => {
                before.is_none_or(|byte| !language.is_word(byte) && !b")]}'\".".contains(&byte))
                    && self.ends_word(opened.after)
            }
            At::NotInOperator(bytes) => self.is_not_in_operator(bytes.as_bytes(), opened),
            At::Bareword => self.is_bareword(language, opened),
            At::Operand => self.expects_operand(language),
            At::TightOperand => {
                let next = self.byte(opened.after);
                next.is_some_and(|byte| !byte.is_ascii_whitespace() && !b"),".contains(&byte))
                    && self.expects_operand(language)
            }
            At::Argument => self.is_argument(language, opened),
            At::OperandOrArgument => self.expects_operand(language) || self.is_argument(language, opened),
            At::Character => {
                self.expects_operand(language)
                    || (self.is_argument(language, opened) && self.is_lone_character(language, opened.after))
            }
            At::MethodName => {
                (before == Some(b'.') && self.before(opened.start - 1) != Some(b'.'))
                    || [&b"def"[..], b"alias", b"undef"].contains(&self.word_before(language, self.tail))
            }
            At::Body => {
                let word = self.word_before(language, self.tail);
                [&b"as"[..], b"do"].iter().any(|keyword| keyword.eq_ignore_ascii_case(word))
            }
            At::Scalar => self.is_scalar_start(opened.start),
        }
    }

    /// Whether no word continues at `offset`.
    fn ends_word(&self, offset: usize) -> bool {
        let goes_on = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphabetic());
        !(goes_on(self.before(offset)) && goes_on(self.byte(offset)))
    }

    /// Whether an operand is expected here rather than an operator.
    pub(super) fn expects_operand(&self, language: &Language) -> bool {
        if language.operands.line_break == LineBreak::Ends && self.is_on_new_line(self.pos) {
            return true;
        }
        match self.text[..self.tail] {
            [.., one, two] if one == two && matches!(two, b'+' | b'-') => {
                !self.ends_value(language, self.code_before(self.tail - 2))
            }
            _ => !self.ends_value(language, self.tail),
        }
    }

    /// Whether an operand ends at `tail`.
    fn ends_value(&self, language: &Language, tail: usize) -> bool {
        let Some(at) = tail.checked_sub(1) else { return false };
        match self.text[at] {
            _ if tail == self.literal_end => true,
            b'"' | b'\'' | b'`' => true,
            b'.' => self.before(at) != Some(b'.'),
            b')' | b'}' if tail == self.statement_end => false,
            byte if language.operands.closers.as_bytes().contains(&byte) => true,
            b'!' => self.before(at).is_some_and(|byte| {
                b")]".contains(&byte) || (language.is_word(byte) && !self.is_keyword(language, at))
            }),
            byte if language.is_word(byte) => {
                let word = self.word_before(language, tail);
                word.iter().any(|&byte| is_word(byte)) && !self.is_keyword(language, tail)
            }
            _ => false,
        }
    }

    /// Whether the word before `end` is a keyword that an operand follows.
    fn is_keyword(&self, language: &Language, end: usize) -> bool {
        let word = self.word_before(language, end);
        let start = end - word.len();
        let is_name = self.before(start).is_some_and(|byte| b".$@%".contains(&byte));
        if is_name || !contains_word(language.operands.keywords, word) {
            return false;
        }
        if !contains_word(language.operands.infix, word) {
            return true;
        }
        let before = self.code_before(start);
        let is_value = |byte| language.is_word(byte) || language.operands.closers.as_bytes().contains(&byte);
        self.before(before).is_some_and(is_value)
            && !contains_word(language.operands.keywords, self.word_before(language, before))
    }

    /// Records a bracket, if what it holds decides about operands.
    pub(super) fn group(&mut self, language: &Language, byte: u8) {
        let operands = &language.operands;
        match byte {
            b'(' if !operands.conditions.is_empty() => {
                let is_condition = contains_word(operands.conditions, self.word_before(language, self.tail));
                self.groups.push(if is_condition {
                    Group::Condition
                } else if self.is_function_expression(language) {
                    Group::Parameters
                } else {
                    Group::Plain
                });
            }
            b'{' if !operands.blocks.is_empty() => {
                let is_value =
                    self.tail == self.parameters_end || self.is_value_position(language, self.tail);
                self.groups.push(if is_value { Group::Value } else { Group::Block });
            }
            b')' | b'}' => {
                let is_brace = |group: &mut Group| matches!(group, Group::Value | Group::Block);
                let group = self.groups.pop_if(|group| is_brace(group) == (byte == b'}'));
                match group {
                    Some(Group::Condition | Group::Block) => self.statement_end = self.pos + 1,
                    Some(Group::Parameters) => self.parameters_end = self.pos + 1,
                    Some(Group::Plain | Group::Value) | None => {}
                }
            }
            _ => {}
        }
    }

    /// Whether the parenthesis here follows `function` or `function name` in the position of a value.
    fn is_function_expression(&self, language: &Language) -> bool {
        let starts_value = |end: usize| {
            let word = self.word_before(language, end);
            word == b"function" && self.is_value_position(language, self.code_before(end - word.len()))
        };
        let name = self.word_before(language, self.tail);
        starts_value(self.tail) || starts_value(self.code_before(self.tail - name.len()))
    }

    /// Whether `tail` is followed by a value rather than by a statement.
    fn is_value_position(&self, language: &Language, tail: usize) -> bool {
        match self.before(tail) {
            None | Some(b';' | b'{' | b'}' | b')' | b'>') => false,
            Some(b':') => matches!(self.groups.last(), Some(Group::Value | Group::Plain)),
            Some(byte) if language.is_word(byte) => {
                let word = self.word_before(language, tail);
                self.is_keyword(language, tail) && !contains_word(language.operands.blocks, word)
            }
            Some(_) => !self.ends_value(language, tail),
        }
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

    /// Whether the character at `at` is a whole literal, not the start of a string or a word.
    fn is_lone_character(&self, language: &Language, at: usize) -> bool {
        let near = self.rest(at);
        let near = &near[..near.len().min(MAX_STRING)];
        let Some((&first, rest)) = near.split_first() else { return false };
        self.looked_back(near.len());
        let end = memchr::memchr2(first, b'\n', rest).filter(|_| matches!(first, b'"' | b'\''));
        let is_branch =
            |end: usize| rest[end] == first && rest[end + 1..].trim_ascii_start().starts_with(b":");
        !end.is_some_and(is_branch) && rest.first().is_none_or(|&next| !language.is_word(next))
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
        if offset > self.start { Some(self.text[offset - 1]) } else { None }
    }
}
