//! Markup frames, for pages (HTML, XML) and for elements in code (JSX).
//!
//! Text and tags are code, attribute values are strings, and the content of `script` and `style` is read in its own
//! language. The nesting rules of HTML are not applied.

use super::Zone;
use super::byte_set::ByteSet;
use super::code::Opened;
use super::language::Language;
use super::lexer::{Attempt, Lexer, LexerFrame, QuoteFrame, QuoteOpener};
use super::rule::{Elements, Embedded, Hole, Markup, MarkupComment};

/// The search distance for the closing tag of an element that may be a type parameter.
const LOOK_AHEAD: usize = 1024;

impl Lexer<'_> {
    /// One step in the text between tags.
    pub(super) fn markup_text(&mut self, markup: &'static Markup, depth: u32) {
        if self.pass_to("<", markup.comments, markup.holes) == Attempt::Taken {
            return;
        }
        let rest = self.rest(self.pos);
        if rest.starts_with(b"<![CDATA[") {
            let length = memchr::memmem::find(rest, b"]]>").map_or(rest.len(), |length| length + 3);
            return self.pass(self.pos + length);
        }
        let is_tag = match rest {
            [b'<', b'/' | b'!' | b'?' | b'_' | b':', ..] => true,
            [b'<', b'>', ..] => markup.elements == Elements::Nested,
            [b'<', first, ..] => first.is_ascii_alphabetic() || *first >= 0x80,
            _ => false,
        };
        if is_tag && self.push(LexerFrame::Tag { markup, from: self.pos }) == Attempt::Taken {
            return self.pass(self.pos + 1);
        }
        if depth == 0 && markup.elements == Elements::Nested {
            return self.pop();
        }
        self.pass(self.pos + 1);
    }

    /// One step inside a tag.
    pub(super) fn tag(&mut self, markup: &'static Markup, from: usize) {
        if self.pass_to("\"'>=", markup.tag_comments, markup.holes) == Attempt::Taken {
            return;
        }
        let at = self.pos;
        match self.text[at] {
            b'"' | b'\'' => {
                let value = &markup.values[usize::from(self.text[at] == b'\'')];
                if self.begin_quote(QuoteFrame::of(value), at, at + 1) == Attempt::Refused {
                    self.pass(at + 1);
                }
            }
            b'>' => self.end_tag(markup, from),
            b'=' if markup.elements == Elements::Page => self.bare_value(markup),
            _ => self.pass(at + 1),
        }
    }

    /// A JSX element in code, where an operand is expected.
    pub(super) fn open_element(
        &mut self,
        language: &Language,
        markup: &'static Markup,
        opened: Opened,
    ) -> Attempt {
        let is_name = |byte: u8| language.is_word(byte) || b".:-".contains(&byte);
        let name = self.rest(opened.after);
        let name = &name[..name.iter().take_while(|&&byte| is_name(byte)).count()];
        let after = opened.after + name.len();
        let is_fragment = name.is_empty() && self.byte(after) == Some(b'>');
        let is_element = name.first().is_some_and(|first| !first.is_ascii_digit() && !b".:-".contains(first));
        if !(is_fragment || is_element) || self.is_type_parameter(name, after) {
            return Attempt::Refused;
        }
        if self.push(LexerFrame::Text { markup, depth: 0 }) == Attempt::Refused {
            return Attempt::Refused;
        }
        self.frames.push(LexerFrame::Tag { markup, from: opened.start });
        self.skip(after + self.type_arguments_len(after))
    }

    /// The length of the type arguments at `at`: `<List<string> items="…">`.
    fn type_arguments_len(&self, at: usize) -> usize {
        if self.byte(at) != Some(b'<') || !self.may_look_ahead() {
            return 0;
        }
        let rest = self.rest(at);
        let near = &rest[..rest.len().min(LOOK_AHEAD)];
        self.looked_ahead(near.len());
        let mut depth = 0;
        for end in memchr::memchr2_iter(b'<', b'>', near) {
            let is_arrow = near[..end].ends_with(b"=");
            match near[end] {
                b'<' => depth += 1,
                _ if is_arrow => {}
                _ if depth == 1 => return end + 1,
                _ => depth -= 1,
            }
        }
        0
    }

    /// Whether this is a type parameter rather than an element: `<T,>`, `<T = …>`, `<T extends …>`, and `<T>(` without a
    /// near `</T>`.
    fn is_type_parameter(&self, name: &[u8], after: usize) -> bool {
        let rest = self.rest(after).trim_ascii_start();
        if [&b","[..], b"=", b"extends "].iter().any(|mark| rest.starts_with(mark)) {
            return true;
        }
        if name.is_empty() || !rest.starts_with(b">(") || !self.may_look_ahead() {
            return false;
        }
        let closer = [b"</", name, b">"].concat();
        let near = &rest[..rest.len().min(LOOK_AHEAD)];
        self.looked_ahead(near.len());
        memchr::memmem::find(near, &closer).is_none()
    }

    /// Skips to one of these bytes, a comment or a hole, and reads a comment or a hole. Taken also at the end of the part.
    fn pass_to(&mut self, bytes: &str, comments: &[MarkupComment], holes: &'static [Hole]) -> Attempt {
        let mut stops = ByteSet::of(bytes);
        for comment in comments {
            stops = stops.with_first(comment.open);
        }
        for hole in holes {
            stops = stops.with_first(hole.head);
        }
        let ahead = stops.find(self.rest(self.pos));
        self.pass(ahead.map_or(self.end, |ahead| self.pos + ahead));
        if self.pos >= self.end || self.markup_comment(comments) == Attempt::Taken {
            return Attempt::Taken;
        }
        self.markup_hole(holes)
    }

    /// Reads a comment that opens here.
    pub(super) fn markup_comment(&mut self, comments: &[MarkupComment]) -> Attempt {
        let rest = self.rest(self.pos);
        let opens = |comment: &&MarkupComment| rest.starts_with(comment.open.as_bytes());
        let Some(comment) = comments.iter().find(opens).filter(|_| self.may_look_ahead()) else {
            return Attempt::Refused;
        };
        let from = self.pos + comment.open.len();
        let end = match comment.closers {
            [] => Some(self.line_end(from)),
            closers => self.find_closer(closers, from),
        };
        self.looked_ahead(end.unwrap_or(self.end) - from);
        if end.is_none() && comment.open != "<!--" {
            return Attempt::Refused;
        }
        self.zone_until(Zone::Comment, self.pos, end.unwrap_or(self.end))
    }

    /// The offset after the first of `closers`, which start with the same byte.
    fn find_closer(&self, closers: &[&str], from: usize) -> Option<usize> {
        let rest = self.rest(from);
        let first = *closers.first()?.as_bytes().first()?;
        memchr::memchr_iter(first, rest).find_map(|at| {
            let closer = closers.iter().find(|closer| rest[at..].starts_with(closer.as_bytes()))?;
            Some(from + at + closer.len())
        })
    }

    /// Enters a hole that opens here.
    pub(super) fn markup_hole(&mut self, holes: &'static [Hole]) -> Attempt {
        match self.hole_at(holes, self.pos, &QuoteOpener::default()) {
            Some((hole, length)) => self.enter_hole(hole, self.pos, length),
            None => Attempt::Refused,
        }
    }

    /// A value without quotes after `=`, up to a blank or the end of the tag.
    fn bare_value(&mut self, markup: &Markup) {
        self.pass(self.pos + 1);
        let blanks = self.rest(self.pos).iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let start = self.pos + blanks;
        let is_hole = self.hole_at(markup.holes, start, &QuoteOpener::default()).is_some();
        let rest = self.rest(start);
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'>';
        let length = rest.iter().position(is_end).unwrap_or(rest.len());
        if is_hole || length == 0 || matches!(rest[0], b'"' | b'\'') {
            return;
        }
        self.zone_until(Zone::String, start, start + length);
    }

    fn end_tag(&mut self, markup: &'static Markup, from: usize) {
        self.pass(self.pos + 1);
        self.pop();
        let tag = &self.text[from..self.pos];
        let is_closing = tag.starts_with(b"</");
        let is_empty = tag.ends_with(b"/>") && tag.len() > 2;
        if markup.elements == Elements::Page {
            if !is_closing && !is_empty {
                self.embed(markup.embedded, from);
            }
            return;
        }
        let Some(LexerFrame::Text { depth, .. }) = self.frames.last_mut() else { return };
        if is_closing {
            *depth = depth.saturating_sub(1);
        } else if !is_empty {
            *depth += 1;
        }
        if *depth == 0 {
            self.pop();
        }
    }

    /// Opens the content of an element in another language, whose tag starts at `from` and ends here.
    fn embed(&mut self, embedded: &'static [Embedded], from: usize) {
        let tag = &self.text[from + 1..self.pos];
        let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'-';
        let name = &tag[..tag.iter().take_while(is_name).count()];
        let is_named = |element: &&Embedded| element.name.as_bytes().eq_ignore_ascii_case(name);
        let Some(element) = embedded.iter().find(is_named).filter(|_| self.may_look_ahead()) else { return };
        let rest = self.rest(self.pos);
        let length = memchr::memchr_iter(b'<', rest).find(|&at| {
            let closer = rest[at + 1..].strip_prefix(b"/").and_then(|rest| rest.get(..name.len()));
            closer.is_some_and(|closer| closer.eq_ignore_ascii_case(name))
        });
        self.looked_ahead(tag.len() + length.unwrap_or(rest.len()));
        let tag = tag.to_ascii_lowercase();
        let variant =
            element.variants.iter().find(|(mark, _)| memchr::memmem::find(&tag, mark.as_bytes()).is_some());
        let language = variant.map_or(element.default, |(_, language)| language);
        if self.bound(length.map_or(self.end, |length| self.pos + length), 0) == Attempt::Taken {
            self.frames.push(LexerFrame::of(language));
        }
    }
}
