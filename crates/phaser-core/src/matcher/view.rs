//! A text as patterns see it: always valid UTF-8.
//!
//! An invalid byte counts as one character that is no letter, digit or space. To make all engines agree, U+FFFD
//! replaces each invalid byte: `a\xFFb` (3 bytes) is searched as `a\u{FFFD}b` (5 bytes), and the match 1..4 is the
//! range 1..2 of the file. Text that is valid UTF-8 is borrowed.

use std::borrow::Cow;
use std::ops::Range;

use super::pattern::linear::Charset;
use crate::text::Text;

/// The replacement for an invalid byte.
const STAND_IN: &str = "\u{FFFD}";

/// How many bytes longer it is.
const LONGER: usize = STAND_IN.len() - 1;

#[derive(Debug)]
pub struct View<'t> {
    bytes: Cow<'t, [u8]>,
    charset: Charset,
    /// The offset of each replacement in the view.
    stand_ins: Vec<u32>,
}

impl<'t> View<'t> {
    pub fn of(text: &'t Text<'_>) -> Self {
        let bytes = text.bytes();
        let charset = if text.is_ascii() { Charset::Ascii } else { Charset::Any };
        if text.is_ascii() || std::str::from_utf8(bytes).is_ok() {
            return Self { bytes: Cow::Borrowed(bytes), charset, stand_ins: Vec::new() };
        }
        let (mut valid, mut stand_ins) = (Vec::with_capacity(bytes.len() + bytes.len() / 8), Vec::new());
        for chunk in bytes.utf8_chunks() {
            valid.extend_from_slice(chunk.valid().as_bytes());
            for _ in chunk.invalid() {
                stand_ins.push(u32::try_from(valid.len()).unwrap_or(u32::MAX));
                valid.extend_from_slice(STAND_IN.as_bytes());
            }
        }
        Self { bytes: Cow::Owned(valid), charset, stand_ins }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn charset(&self) -> Charset {
        self.charset
    }

    /// The range of the file for a range of the view. A range that cuts a replacement includes its byte.
    pub fn in_file(&self, range: Range<usize>) -> Range<usize> {
        if self.stand_ins.is_empty() {
            return range;
        }
        self.offset_in_file(range.start, 0)..self.offset_in_file(range.end, 1)
    }

    /// The offset in the view for an offset in the file.
    pub fn in_view(&self, offset: usize) -> usize {
        let (mut low, mut high) = (0, self.stand_ins.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.stand_ins[middle] as usize - middle * LONGER < offset {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        offset + low * LONGER
    }

    /// The offset in the file for an offset in the view. Inside a replacement it is `within` bytes after its byte
    /// starts.
    fn offset_in_file(&self, at: usize, within: usize) -> usize {
        let before = self.stand_ins.partition_point(|&start| (start as usize) < at);
        match before.checked_sub(1).map(|last| self.stand_ins[last] as usize) {
            Some(start) if at < start + STAND_IN.len() => start - (before - 1) * LONGER + within,
            _ => at - before * LONGER,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_invalid_bytes() {
        let text = Text::new(&b"a\xFF\xE2\x84b\xC3\xA9\xC3"[..]).expect("is text");
        let view = View::of(&text);
        assert_eq!(view.bytes(), "a\u{FFFD}\u{FFFD}\u{FFFD}b\u{E9}\u{FFFD}".as_bytes());
        let places = [(0, 0), (1, 1), (4, 2), (7, 3), (10, 4), (11, 5), (13, 7), (16, 8)];
        for (at, expected) in places {
            assert_eq!(view.in_file(at..at), expected..expected);
            assert_eq!(view.in_view(expected), at);
        }
        assert_eq!(view.in_file(2..3), 1..2, "a part of a stand-in is the whole byte");
    }

    #[test]
    fn borrows_valid_text() {
        for content in ["abc", "\u{E9}\u{FFFD}b"] {
            let text = Text::new(content.as_bytes()).expect("is text");
            let view = View::of(&text);
            assert!(matches!(view.bytes, Cow::Borrowed(bytes) if bytes == content.as_bytes()));
            assert_eq!(view.in_file(1..3), 1..3);
        }
    }
}
