//! Line terminators, which differ by language: a lone CR ends a comment of Python and continues one of Ruby.

use super::byte_set::ByteSet;
use super::lexer::{Lexer, LexerFrame};

/// The distance searched backwards for a line break.
const MAX_GAP: usize = 256;

/// The line terminators of a language. CRLF is one wherever LF is.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineEnds {
    texts: &'static [&'static str],
    /// The first bytes of the terminators.
    pub stops: ByteSet,
}

impl LineEnds {
    pub const LF: Self = Self::of(&["\n"]);
    pub const CR: Self = Self::of(&["\n", "\r"]);
    /// With LINE SEPARATOR and PARAGRAPH SEPARATOR.
    pub const UNICODE: Self = Self::of(&["\n", "\r", "\u{2028}", "\u{2029}"]);
    /// With NEXT LINE as well.
    pub const DOT_NET: Self = Self::of(&["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"]);

    const fn of(texts: &'static [&'static str]) -> Self {
        let mut stops = ByteSet::EMPTY;
        let mut index = 0;
        while index < texts.len() {
            stops = stops.with_first(texts[index]);
            index += 1;
        }
        Self { texts, stops }
    }
}

impl Lexer<'_> {
    /// The line terminators of the innermost language.
    pub fn line_ends(&self) -> LineEnds {
        let language = self.frames.iter().rev().find_map(|frame| match frame {
            LexerFrame::Code(frame) => Some(frame.language),
            _ => None,
        });
        language.map_or(LineEnds::LF, |language| language.line_ends)
    }

    /// The offset of the next line terminator, or the end of the part.
    pub fn line_end(&self, offset: usize) -> usize {
        let ends = self.line_ends();
        let mut at = offset;
        while let Some(ahead) = ends.stops.find(self.rest(at)) {
            at += ahead;
            if self.line_break_len(ends, at).is_some() {
                return at;
            }
            at += 1;
        }
        self.end
    }

    /// The start of the line after the terminator at `line_end`.
    pub fn next_line(&self, line_end: usize) -> usize {
        line_end + self.line_break_len(self.line_ends(), line_end).unwrap_or(1)
    }

    /// The start of the line that contains `offset`.
    pub fn line_start(&self, offset: usize) -> usize {
        let texts = self.line_ends().texts;
        let is_start = |&at: &usize| texts.iter().any(|text| self.text[..at].ends_with(text.as_bytes()));
        let start = (1..=offset).rev().find(is_start).unwrap_or(0);
        self.looked_back(offset - start);
        start
    }

    /// Whether a line starts at `offset`.
    pub fn is_line_start(&self, offset: usize) -> bool {
        let before = &self.text[..offset];
        offset <= self.start || self.line_ends().texts.iter().any(|text| before.ends_with(text.as_bytes()))
    }

    /// Whether only blanks precede `offset` on its line.
    pub fn is_first_on_line(&self, offset: usize) -> bool {
        let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
        let blanks = self.text[..offset].iter().rev().take_while(is_blank).count();
        self.looked_back(blanks);
        self.is_line_start(offset - blanks)
    }

    /// Whether a line break lies between the last code and `offset`.
    pub fn is_on_new_line(&self, offset: usize) -> bool {
        let from = self.tail.max(offset.saturating_sub(MAX_GAP)).min(offset);
        self.looked_back(offset - from);
        (from + 1..=offset).any(|at| self.is_line_start(at))
    }

    /// Whether the line ends at `offset`.
    pub fn is_line_end(&self, offset: usize) -> bool {
        offset >= self.end || self.line_break_len(self.line_ends(), offset).is_some()
    }

    /// The length of the line terminator at `offset`.
    pub fn line_break_len(&self, ends: LineEnds, offset: usize) -> Option<usize> {
        let rest = self.rest(offset);
        if rest.starts_with(b"\r\n") {
            return Some(2);
        }
        ends.texts.iter().find(|text| rest.starts_with(text.as_bytes())).map(|text| text.len())
    }

    /// The offset after the last byte before `offset` that is not white space, within reach.
    pub fn code_before(&self, offset: usize) -> usize {
        let from = offset.saturating_sub(MAX_GAP);
        let blanks =
            self.text[from..offset].iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.looked_back(blanks);
        offset - blanks
    }
}
