//! Heredocs: strings that start on the line after their opener and end with a line that contains their tag.
//!
//! `<<` without such a line is a shift operator.

use super::Zone;
use super::code::Opened;
use super::language::is_word;
use super::lexer::{Attempt, HeredocBody, Lexer, LexerFrame, QuoteFrame};
use super::rule::{Heredoc, TagEnd, Tags};

/// The limit of heredocs that start on one line.
const MAX_WAITING: usize = 16;

/// The form of the last line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeredocEnd {
    /// The tag alone.
    Exact,
    /// Blanks and the tag.
    Indented,
    /// Blanks, the tag, and what is not part of a word.
    Followed,
}

/// The tag in an opener.
struct Tag {
    start: usize,
    length: usize,
    /// After its closing quote.
    after: usize,
    content: HeredocContent,
}

enum HeredocContent {
    Live,
    Raw,
}

impl Lexer<'_> {
    /// An opener such as `<<~SQL`, whose body starts on the next line.
    pub(super) fn open_heredoc(&mut self, heredoc: &'static Heredoc, opened: Opened) -> Attempt {
        if !self.may_look_ahead() || self.waiting.len() >= MAX_WAITING {
            return Attempt::Refused;
        }
        let mark = self.byte(opened.after).filter(|mark| heredoc.indent_marks.as_bytes().contains(mark));
        let at = opened.after + usize::from(mark.is_some());
        let tag = match heredoc.tags {
            Tags::Shell => self.shell_tag(at),
            Tags::Script => self.script_tag(at),
            Tags::Perl => self.perl_tag(at),
        };
        let Some(tag) = tag.filter(|tag| tag.length > 0) else { return Attempt::Refused };
        let end = match heredoc.ends {
            TagEnd::Alone if mark.is_none() => HeredocEnd::Exact,
            TagEnd::Alone | TagEnd::Indented => HeredocEnd::Indented,
            TagEnd::Followed => HeredocEnd::Followed,
        };
        let quote = match tag.content {
            HeredocContent::Live => heredoc.live,
            HeredocContent::Raw => heredoc.raw,
        };
        let body = HeredocBody { tag: (tag.start, tag.length), end, quote };
        if self.heredoc_end(&body, self.next_line(self.line_end(tag.after))).is_none() {
            return Attempt::Refused;
        }
        self.waiting.push(body);
        self.tail = tag.after;
        self.zone_until(Zone::String, opened.start, tag.after)
    }

    /// At the end of a line: the waiting bodies follow.
    pub(super) fn start_heredocs(&mut self) {
        self.pass(self.next_line(self.pos));
        let count = self.waiting.len();
        self.due.extend(self.waiting.drain(..).rev());
        self.next_heredoc(count);
    }

    /// Opens the next of `left` bodies that has an end.
    pub(super) fn next_heredoc(&mut self, mut left: usize) {
        while left > 0 {
            left -= 1;
            let Some(body) = self.due.pop() else { return };
            let Some(end) = self.heredoc_end(&body, self.pos) else { continue };
            if self.push(LexerFrame::Heredoc { outer_end: self.end, left }) == Attempt::Refused {
                continue;
            }
            self.end = end;
            self.frames.push(LexerFrame::Quote(QuoteFrame::of(body.quote)));
            self.mark(self.pos, Zone::String);
            return;
        }
    }

    /// The offset after the tag that ends the body at `from`.
    fn heredoc_end(&self, body: &HeredocBody, from: usize) -> Option<usize> {
        if !self.may_look_ahead() {
            return None;
        }
        let (start, length) = body.tag;
        let tag = &self.text[start..start + length];
        let found = memchr::memmem::find_iter(self.rest(from), tag)
            .map(|ahead| from + ahead)
            .find(|&at| self.is_heredoc_end(body.end, from, at..at + length))
            .map(|at| at + length);
        self.looked_ahead(found.unwrap_or(self.end).saturating_sub(from));
        found
    }

    fn is_heredoc_end(&self, end: HeredocEnd, from: usize, tag: std::ops::Range<usize>) -> bool {
        let starts = match end {
            HeredocEnd::Exact => tag.start == from || self.is_line_start(tag.start),
            HeredocEnd::Indented | HeredocEnd::Followed => self.is_first_on_line(tag.start),
        };
        let is_followed = || self.byte(tag.end).is_some_and(|next| !is_word(next));
        starts && (self.is_line_end(tag.end) || (end == HeredocEnd::Followed && is_followed()))
    }

    fn shell_tag(&self, at: usize) -> Option<Tag> {
        let blanks = self.rest(at).iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let at = at + blanks;
        match self.byte(at)? {
            quote @ (b'\'' | b'"') => self.quoted_tag(at, quote, HeredocContent::Raw),
            b'\\' => Some(self.escaped_tag(at + 1, is_shell_word)),
            _ => Some(self.bare_tag(at, is_shell_word)),
        }
    }

    fn script_tag(&self, at: usize) -> Option<Tag> {
        match self.byte(at)? {
            b'\'' => self.quoted_tag(at, b'\'', HeredocContent::Raw),
            quote @ (b'"' | b'`') => self.quoted_tag(at, quote, HeredocContent::Live),
            first if first.is_ascii_digit() => None,
            _ => Some(self.bare_tag(at, is_word)),
        }
    }

    fn perl_tag(&self, at: usize) -> Option<Tag> {
        let blanks = self.rest(at).iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        match self.byte(at + blanks)? {
            b'\\' if blanks == 0 => Some(self.escaped_tag(at + 1, is_word)),
            b'\'' | b'"' | b'`' => self.script_tag(at + blanks),
            _ => self.script_tag(at),
        }
    }

    /// The tag after a backslash, which escapes its first byte.
    fn escaped_tag(&self, at: usize, is_part: fn(u8) -> bool) -> Tag {
        let tag = self.bare_tag(at, is_part);
        let length = tag.length.max(usize::from(!self.is_line_end(at)));
        Tag { length, after: at + length, content: HeredocContent::Raw, ..tag }
    }

    fn quoted_tag(&self, at: usize, quote: u8, content: HeredocContent) -> Option<Tag> {
        let length = memchr::memchr2(quote, b'\n', self.rest(at + 1))?;
        let after = at + 1 + length;
        let is_closed = self.text[after] == quote;
        is_closed.then_some(Tag { start: at + 1, length, after: after + 1, content })
    }

    fn bare_tag(&self, at: usize, is_part: fn(u8) -> bool) -> Tag {
        let length = self.rest(at).iter().take_while(|&&byte| is_part(byte)).count();
        Tag { start: at, length, after: at + length, content: HeredocContent::Live }
    }
}

fn is_shell_word(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !b";&|<>()`\"'\\$".contains(&byte)
}
