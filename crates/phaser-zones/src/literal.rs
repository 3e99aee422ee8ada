//! Rules without a frame (line comments, nesting comments, characters, numbers), and literals whose delimiter the text
//! chooses.

use super::Zone;
use super::byte_set::ByteSet;
use super::code::Opened;
use super::language::Language;
use super::lexer::{Attempt, Lexer, LexerFrame, QuoteFrame};
use super::quote::mirrored;
use super::rule::{Bracket, Escape, LineRule, NestingComment, Paired};

/// The longest escape between the quotes of a character, such as `'\u{10ffff}'`.
const MAX_ESCAPE: usize = 16;

impl Lexer<'_> {
    /// To the end of the line.
    pub(super) fn line(&mut self, line: &LineRule, opened: Opened) -> Attempt {
        let mut end = self.line_end(opened.after);
        while line.continued_by != 0 && end < self.end && self.is_continued(line.continued_by, end) {
            end = self.line_end(self.next_line(end));
        }
        if !line.stop.is_empty()
            && let Some(length) = memchr::memmem::find(&self.text[opened.after..end], line.stop.as_bytes())
        {
            end = opened.after + length;
        }
        if end > opened.after && self.text[end - 1] == b'\r' && end < self.end {
            end -= 1;
        }
        self.zone_until(line.zone, opened.start, end)
    }

    fn is_continued(&self, by: u8, line_end: usize) -> bool {
        let line = &self.text[..line_end];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        line.last() == Some(&by)
    }

    /// A comment that nests.
    pub(super) fn nesting(&mut self, open: &str, nesting: &NestingComment, opened: Opened) -> Attempt {
        let mut stops = ByteSet::EMPTY.with_first(open).with_first(nesting.close);
        if nesting.reads_strings {
            stops = stops.with(b'"');
        }
        let mut at = opened.after;
        let mut depth = 1_usize;
        while depth > 0 {
            let Some(ahead) = stops.find(self.rest(at)) else {
                at = self.end;
                break;
            };
            at += ahead;
            let rest = self.rest(at);
            if rest.starts_with(nesting.close.as_bytes()) {
                depth -= 1;
                at += nesting.close.len();
            } else if rest.starts_with(open.as_bytes()) {
                depth += 1;
                at += open.len();
            } else if nesting.reads_strings && rest.starts_with(b"\"") {
                at = self.string_in_comment(at);
            } else {
                at += 1;
            }
        }
        self.zone_until(Zone::Comment, opened.start, at)
    }

    /// The offset after the string at `at`. The character `'"'` does not open a string.
    fn string_in_comment(&self, at: usize) -> usize {
        if at > 0 && self.text[at - 1] == b'\'' && self.byte(at + 1) == Some(b'\'') {
            return at + 1;
        }
        let mut end = at + 1;
        while let Some(ahead) = memchr::memchr2(b'"', b'\\', self.rest(end)) {
            end += ahead;
            if self.text[end] == b'"' {
                return end + 1;
            }
            end += self.escape_len(end);
        }
        self.end
    }

    /// One character after the opener, or an escape of one.
    pub(super) fn letter(&mut self, opened: Opened) -> Attempt {
        let length = match self.byte(opened.after) {
            Some(b'\\') if self.text[opened.start] != b'\\' => self.escape_len(opened.after),
            Some(b'\r') if self.byte(opened.after + 1) == Some(b'\n') => 2,
            Some(first) => character_len(first),
            None => 0,
        };
        self.skip((opened.after + length).min(self.end))
    }

    /// `'x'`, or the start of a label, a lifetime, a type variable.
    pub(super) fn char_or_label(&mut self, escapes: &[Escape], opened: Opened) -> Attempt {
        let at = opened.after;
        let closing = match self.byte(at) {
            Some(b'\\') if !escapes.is_empty() => {
                let escape = self.rest(at + 2);
                let escape = &escape[..escape.len().min(MAX_ESCAPE)];
                memchr::memchr2(b'\'', b'\n', escape).map(|length| at + 2 + length)
            }
            Some(b'\'') if !escapes.is_empty() => None,
            Some(b'\n') | None => None,
            Some(first) => Some(at + character_len(first)),
        };
        match closing {
            Some(closing) if self.byte(closing) == Some(b'\'') => {
                self.tail = closing + 1;
                self.zone_until(Zone::String, opened.start, closing + 1)
            }
            _ => self.skip(at),
        }
    }

    /// A number whose digits `'` may separate.
    pub(super) fn number(&mut self, language: &Language) -> Attempt {
        let before = self.pos.checked_sub(1).map(|at| self.text[at]);
        let is_start = before.is_none_or(|byte| !language.is_word(byte));
        if !is_start || !self.byte(self.pos).is_some_and(|byte| byte.is_ascii_digit()) {
            return Attempt::Refused;
        }
        let mut at = self.pos;
        while let Some(byte) = self.byte(at) {
            let goes_on = match byte {
                b'\'' => self.byte(at + 1).is_some_and(|next| next.is_ascii_alphanumeric()),
                b'.' => true,
                _ => language.is_word(byte),
            };
            if !goes_on {
                break;
            }
            at += 1;
        }
        self.skip(at)
    }

    /// Reads up to `to` as code.
    pub(super) fn skip(&mut self, to: usize) -> Attempt {
        self.pass(to);
        Attempt::Taken
    }

    /// The rest of the text.
    pub(super) fn rest_of_text(&mut self, zone: Zone, opened: Opened) -> Attempt {
        self.zone_until(zone, opened.start, self.end)
    }

    /// `case` or `esac` in code that a parenthesis closes.
    pub(super) fn case(&mut self, bracket: Bracket, opened: Opened) -> Attempt {
        if let Some(LexerFrame::Code(frame)) = self.frames.last_mut()
            && frame.hole.is_some()
        {
            match bracket {
                Bracket::Opens => {
                    self.cases.push(frame.depth);
                    frame.cases += 1;
                    frame.depth = 0;
                }
                Bracket::Closes if frame.cases > 0 => {
                    frame.cases -= 1;
                    frame.depth = self.cases.pop().unwrap_or(1);
                }
                Bracket::Closes => {}
            }
        }
        self.skip(opened.after)
    }

    /// A literal whose delimiter the text chooses.
    pub(super) fn open_paired(
        &mut self,
        language: &Language,
        paired: &'static Paired,
        opened: Opened,
    ) -> Attempt {
        let mut at = opened.after;
        if !paired.letters.is_empty() {
            let is_letter = |letter: &&u8| paired.letters.as_bytes().contains(letter);
            let count = self.rest(at).iter().take_while(is_letter).count();
            if count == 0 {
                return Attempt::Refused;
            }
            at += count;
        }
        let is_blank = |byte: &&u8| paired.allows_blanks && byte.is_ascii_whitespace();
        let blanks = self.rest(at).iter().take_while(is_blank).count();
        at += blanks;
        let Some(open) = self.byte(at).filter(|open| paired.delimiters.as_bytes().contains(open)) else {
            return Attempt::Refused;
        };
        let is_comment = open == b'#' && blanks > 0;
        let is_arrow = open == b'=' && self.byte(at + 1) == Some(b'>');
        if is_comment || is_arrow || (language.is_word(open) && at == opened.after) {
            return Attempt::Refused;
        }
        let mut frame = QuoteFrame { parts: paired.parts - 1, ..QuoteFrame::of(&paired.quote) };
        let run = self.rest(at).iter().take_while(|&&byte| byte == open).count();
        let is_triple = matches!(open, b'"' | b'\'') && run >= 3;
        let length = if is_triple { run } else { 1 };
        if is_triple {
            frame.opener.fence = (at, run);
        } else {
            let close = mirrored(open);
            frame.delimiters = Some((if paired.nests { open } else { close }, close));
        }
        self.begin_quote(frame, opened.start, at + length)
    }

    /// Marks `start..end`, followed by code.
    pub(super) fn zone_until(&mut self, zone: Zone, start: usize, end: usize) -> Attempt {
        self.mark(start, zone);
        self.pos = end;
        self.mark(end, Zone::Code);
        Attempt::Taken
    }
}

/// The length of the UTF-8 character with this first byte.
const fn character_len(first: u8) -> usize {
    match first {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0.. => 4,
        _ => 1,
    }
}
