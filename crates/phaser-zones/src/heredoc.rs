//! Heredocs: texts that start on the line after their opener and end with a line that holds their tag.
//!
//! An opener without such a line later on is none: then it is a shift operator.

use super::Zone;
use super::code::Opened;
use super::language::is_word;
use super::lexer::{Body, Frame, Lexer, QuoteFrame, Tried};
use super::rule::{Heredoc, TagEnd, Tags};

/// More heredocs than this on one line are not read.
const MAX_WAITING: usize = 16;

/// What the line with the tag must look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The tag alone.
    Exact,
    /// Blanks and the tag.
    Indented,
    /// Blanks, the tag, and what is not part of a word.
    Followed,
}

/// A tag as it is spelled.
struct Tag {
    start: usize,
    length: usize,
    /// After its closing quote.
    after: usize,
    content: Content,
}

enum Content {
    Live,
    Raw,
}

impl Lexer<'_> {
    /// An opener such as `<<~SQL`, whose text follows on the next line.
    pub(super) fn open_heredoc(&mut self, heredoc: &'static Heredoc, opened: Opened) -> Tried {
        if !self.may_look_ahead() || self.waiting.len() >= MAX_WAITING {
            return Tried::Refused;
        }
        let mark = self.byte(opened.after).filter(|mark| heredoc.indent_marks.as_bytes().contains(mark));
        let at = opened.after + usize::from(mark.is_some());
        let tag = match heredoc.tags {
            Tags::Shell => self.shell_tag(at),
            Tags::Script => self.script_tag(at),
            Tags::Perl => self.perl_tag(at),
        };
        let Some(tag) = tag.filter(|tag| tag.length > 0) else { return Tried::Refused };
        let end = match heredoc.ends {
            TagEnd::Alone if mark.is_none() => End::Exact,
            TagEnd::Alone | TagEnd::Indented => End::Indented,
            TagEnd::Followed => End::Followed,
        };
        let quote = match tag.content {
            Content::Live => heredoc.live,
            Content::Raw => heredoc.raw,
        };
        let body = Body { tag: (tag.start, tag.length), end, quote };
        if self.heredoc_end(&body, self.line_end(tag.after) + 1).is_none() {
            return Tried::Refused;
        }
        self.waiting.push(body);
        self.tail = tag.after;
        self.zone_until(Zone::String, opened.start, tag.after)
    }

    /// The line ends: the texts that wait are next.
    pub(super) fn start_heredocs(&mut self) {
        self.pass(self.pos + 1);
        let count = self.waiting.len();
        self.due.extend(self.waiting.drain(..).rev());
        self.next_heredoc(count);
    }

    /// The next of `left` texts, if it has an end.
    pub(super) fn next_heredoc(&mut self, mut left: usize) {
        while left > 0 {
            left -= 1;
            let Some(body) = self.due.pop() else { return };
            let Some(end) = self.heredoc_end(&body, self.pos) else { continue };
            if self.push(Frame::Heredoc { outer_end: self.end, left }) == Tried::Refused {
                continue;
            }
            self.end = end;
            self.frames.push(Frame::Quote(QuoteFrame::of(body.quote)));
            self.mark(self.pos, Zone::String);
            return;
        }
    }

    /// Where the tag ends that ends the text starting at `from`.
    fn heredoc_end(&self, body: &Body, from: usize) -> Option<usize> {
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

    fn is_heredoc_end(&self, end: End, from: usize, tag: std::ops::Range<usize>) -> bool {
        let starts = match end {
            End::Exact => tag.start == from || self.text[tag.start - 1] == b'\n',
            End::Indented | End::Followed => self.is_first_on_line(tag.start),
        };
        let ends = match self.byte(tag.end) {
            None | Some(b'\n') => true,
            Some(b'\r') => self.byte(tag.end + 1).is_none_or(|next| next == b'\n'),
            Some(next) => end == End::Followed && !is_word(next),
        };
        starts && ends
    }

    fn shell_tag(&self, at: usize) -> Option<Tag> {
        let blanks = self.rest(at).iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let at = at + blanks;
        match self.byte(at)? {
            quote @ (b'\'' | b'"') => self.quoted_tag(at, quote, Content::Raw),
            b'\\' => Some(Tag { content: Content::Raw, ..self.bare_tag(at + 1, is_shell_word) }),
            _ => Some(self.bare_tag(at, is_shell_word)),
        }
    }

    fn script_tag(&self, at: usize) -> Option<Tag> {
        match self.byte(at)? {
            b'\'' => self.quoted_tag(at, b'\'', Content::Raw),
            quote @ (b'"' | b'`') => self.quoted_tag(at, quote, Content::Live),
            first if first.is_ascii_digit() => None,
            _ => Some(self.bare_tag(at, is_word)),
        }
    }

    fn perl_tag(&self, at: usize) -> Option<Tag> {
        let blanks = self.rest(at).iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let is_quoted = self.byte(at + blanks).is_some_and(|byte| matches!(byte, b'\'' | b'"'));
        self.script_tag(if is_quoted { at + blanks } else { at })
    }

    fn quoted_tag(&self, at: usize, quote: u8, content: Content) -> Option<Tag> {
        let length = memchr::memchr2(quote, b'\n', self.rest(at + 1))?;
        let after = at + 1 + length;
        let is_closed = self.text[after] == quote;
        is_closed.then_some(Tag { start: at + 1, length, after: after + 1, content })
    }

    fn bare_tag(&self, at: usize, is_part: fn(u8) -> bool) -> Tag {
        let length = self.rest(at).iter().take_while(|&&byte| is_part(byte)).count();
        Tag { start: at, length, after: at + length, content: Content::Live }
    }
}

fn is_shell_word(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !b";&|<>()`\"'\\$".contains(&byte)
}
