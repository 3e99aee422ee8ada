//! The text of one file: its bytes, whether they are text, and line and column of an offset.
//!
//! Positions are computed from milestones every [`APART`] bytes, which are built for the first position.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::{Range, RangeInclusive};

use serde::{Deserialize, Serialize};

use crate::path::RelPath;
use phaser_zones::Language;

mod changed;
mod encoding;

pub use changed::changed_lines;
pub use encoding::decode_utf16le;
pub use encoding::{encode_like, place_in_file, starts_with_mark, unread_encoding};

/// A line and a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
}

/// The range from `start` up to, and not including, `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Region {
    /// The first character.
    pub start: Position,
    /// The character after the last.
    pub end: Position,
}

impl Region {
    /// The last line with a character of the region. A region that ends with a line break does not reach the next line.
    pub fn last_line(&self) -> usize {
        if self.end.column == 1 {
            self.end.line.saturating_sub(1).max(self.start.line)
        } else {
            self.end.line
        }
    }
}

/// The bytes of one file, known to be text.
///
/// A byte order mark is not part of the text, and UTF-16 (by its mark) is decoded. Other invalid bytes stay, and
/// each counts as one character.
#[derive(Debug, Clone)]
pub struct Text<'a> {
    bytes: Cow<'a, [u8]>,
    ascii: bool,
    index: OnceCell<Index>,
}

/// The index for positions.
#[derive(Debug, Clone)]
struct Index {
    milestones: Vec<Milestone>,
    /// For invalid UTF-8: the same bytes with `?` for each invalid one.
    stand_in: Option<Vec<u8>>,
}

/// The distance of milestones, in bytes. The text between two of them is counted for every position, so neither
/// ten million lines nor one line of ten million characters costs much time or memory.
const APART: usize = 4096;

/// The position of every [`APART`]th byte.
#[derive(Debug, Clone, Copy)]
struct Milestone {
    /// From 1.
    line: usize,
    /// The number of characters before it on that line.
    characters: usize,
}

impl<'a> Text<'a> {
    /// `None` if the bytes are binary.
    pub fn new(bytes: impl Into<Cow<'a, [u8]>>) -> Option<Self> {
        let bytes = encoding::decode(bytes.into());
        let ascii = is_ascii_text(&bytes)?;
        Some(Self { bytes, ascii, index: OnceCell::new() })
    }

    /// The bytes that contracts are matched against.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether every byte is ASCII.
    pub fn is_ascii(&self) -> bool {
        self.ascii
    }

    /// The position of `offset`. An offset past the end is the end.
    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.bytes.len());
        let known = offset / APART;
        let Index { milestones, stand_in } = self.index();
        let counted = stand_in.as_deref().unwrap_or(&self.bytes);
        let here = milestones[known].go_on(counted, known * APART..offset);
        Position { line: here.line, column: here.characters + 1 }
    }

    /// The lines and columns of a byte range.
    pub fn region(&self, range: Range<usize>) -> Region {
        Region { start: self.position(range.start), end: self.position(range.end) }
    }

    /// The bytes of a line, from 1, without its line ending. Empty if there is no such line.
    pub fn line(&self, number: usize) -> &[u8] {
        self.line_head(number, self.bytes.len())
    }

    /// The bytes of several lines, from 1, with the line endings between them.
    pub fn lines(&self, numbers: RangeInclusive<usize>) -> &[u8] {
        let Some(start) = self.line_start(*numbers.start()) else { return &[] };
        let end = self.line_start(numbers.end() + 1).unwrap_or(self.bytes.len());
        &self.bytes[start..end.max(start)]
    }

    /// The first `most` bytes of [`Text::line`].
    pub fn line_head(&self, number: usize, most: usize) -> &[u8] {
        let Some(start) = self.line_start(number) else { return &[] };
        let head = &self.bytes[start..self.bytes.len().min(start.saturating_add(most).saturating_add(2))];
        let line = &head[..memchr::memchr(b'\n', head).unwrap_or(head.len())];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        &line[..line.len().min(most)]
    }

    /// The number of lines. A final newline does not start another one.
    pub fn line_count(&self) -> usize {
        let lines = self.position(self.bytes.len()).line;
        if self.bytes.is_empty() || self.bytes.ends_with(b"\n") { lines - 1 } else { lines }
    }

    fn line_start(&self, number: usize) -> Option<usize> {
        let before = number.checked_sub(1)?;
        let milestones = &self.index().milestones;
        let known = milestones.partition_point(|milestone| milestone.line < number);
        let Some(known) = known.checked_sub(1) else { return (before == 0).then_some(0) };
        let (from, newlines) = (known * APART, before - milestones[known].line);
        memchr::memchr_iter(b'\n', &self.bytes[from..]).nth(newlines).map(|at| from + at + 1)
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let stand_in = if self.ascii { None } else { stand_in(&self.bytes) };
            let counted = stand_in.as_deref().unwrap_or(&self.bytes);
            let mut here = Milestone { line: 1, characters: 0 };
            let mut milestones = Vec::with_capacity(counted.len() / APART + 1);
            milestones.push(here);
            for from in (0..counted.len() / APART).map(|known| known * APART) {
                here = here.go_on(counted, from..from + APART);
                milestones.push(here);
            }
            Index { milestones, stand_in }
        })
    }
}

/// The bytes with `?` for each invalid one; `None` if all are valid.
fn stand_in(bytes: &[u8]) -> Option<Vec<u8>> {
    std::str::from_utf8(bytes).err()?;
    let mut all = bytes.to_vec();
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        at += chunk.valid().len();
        let end = at + chunk.invalid().len();
        all[at..end].fill(b'?');
        at = end;
    }
    Some(all)
}

impl Milestone {
    /// The milestone at the end of `range`, which starts at `self`.
    fn go_on(mut self, bytes: &[u8], range: Range<usize>) -> Self {
        let bytes = &bytes[range];
        let Some(last) = memchr::memrchr(b'\n', bytes) else {
            self.characters += count_chars(bytes);
            return self;
        };
        let lines = memchr::memchr_iter(b'\n', &bytes[..=last]).count();
        Self { line: self.line + lines, characters: count_chars(&bytes[last + 1..]) }
    }
}

/// A file as a string: UTF-16LE by its mark, else UTF-8, with U+FFFD for invalid parts. The mark stays. `None` if
/// it is binary.
pub fn to_str(bytes: &[u8]) -> Option<Cow<'_, str>> {
    if bytes.starts_with(encoding::UTF16LE_MARK) {
        let text = decode_utf16le(bytes);
        return is_text(text.as_bytes()).then_some(Cow::Owned(text));
    }
    is_text(bytes).then(|| String::from_utf8_lossy(bytes))
}

/// The more frequent line ending of a text; `\n` if both are as frequent.
pub fn more_frequent_newline(text: &[u8]) -> &'static str {
    let crlf = memchr::memmem::find_iter(text, b"\r\n").count();
    let all = memchr::memchr_iter(b'\n', text).count();
    if crlf > all - crlf { "\r\n" } else { "\n" }
}

/// Text has no NUL, and at most one in ten of its characters is a control character other than newline, carriage
/// return and tab.
pub fn is_text(bytes: &[u8]) -> bool {
    is_ascii_text(bytes).is_some()
}

/// Whether bytes that are not text should be, by the name of their file.
pub fn is_expected(path: &RelPath, bytes: &[u8]) -> bool {
    Language::expects_text(path.as_bytes(), bytes)
}

/// Whether a text is ASCII; `None` if the bytes are not text. One pass, two if there are control characters.
fn is_ascii_text(bytes: &[u8]) -> Option<bool> {
    let (mut has_controls, mut all) = (false, 0);
    for stretch in bytes.chunks(STRETCH) {
        // Minima vectorise, and two of them distinguish tabs, newlines and all visible characters.
        let (mut lowest, mut lowest_beyond_newline) = (u8::MAX, u8::MAX);
        for &byte in stretch {
            lowest = lowest.min(byte);
            lowest_beyond_newline = lowest_beyond_newline.min(byte.wrapping_sub(b'\n' + 1));
            all |= byte;
        }
        if lowest == 0 {
            return None;
        }
        if lowest < b'\t' || lowest_beyond_newline < b' ' - (b'\n' + 1) {
            has_controls |= stretch.iter().fold(false, |any, &byte| any | is_control(byte));
        }
    }
    let few = || bytes.iter().filter(|byte| is_control(**byte)).count() * 10 <= count_chars(bytes);
    (!has_controls || few()).then_some(all.is_ascii())
}

/// The bytes between two tests for NUL.
const STRETCH: usize = 16 * 1024;

/// Without a branch, so that it vectorises.
fn is_control(byte: u8) -> bool {
    (byte < 32) & (byte != b'\n') & (byte != b'\r') & (byte != b'\t')
}

/// The number of characters. In invalid UTF-8, a stray continuation byte does not count.
fn count_chars(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(bytes: &str) -> Text<'_> {
        Text::new(bytes.as_bytes()).expect("is text")
    }

    fn at(line: usize, column: usize) -> Position {
        Position { line, column }
    }

    #[test]
    fn counts_lines_and_columns_from_one() {
        let text = text("ab\nçd\r\n\nlast");
        assert_eq!(text.position(0), at(1, 1));
        assert_eq!(text.position(2), at(1, 3));
        assert_eq!(text.position(3), at(2, 1));
        assert_eq!(text.position(5), at(2, 2));
        assert_eq!(text.position(8), at(3, 1));
        assert_eq!(text.position(99), at(4, 5));
    }

    #[test]
    fn counts_characters_in_very_long_lines() {
        let line = "aé\u{1F600}".repeat(APART);
        let text = Text::new(format!("short é\n{line}\n{line}").into_bytes()).expect("is text");
        for first in ["short é\n".len(), "short é\n".len() + line.len() + 1] {
            for triple in [0, 1, APART / 7, APART / 2, APART - 1, APART] {
                let column = text.position(first + triple * "aé\u{1F600}".len()).column;
                assert_eq!(column, 3 * triple + 1);
            }
        }
    }

    #[test]
    fn lines_exclude_their_ending() {
        let text = text("one\r\ntwo\n\nfour");
        let lines: Vec<_> = (0..=6).map(|number| text.line(number)).collect();
        assert_eq!(lines, [&b""[..], b"one", b"two", b"", b"four", b"", b""]);
        assert_eq!(text.line_count(), 4);
    }

    #[test]
    fn final_newline_starts_no_line() {
        assert_eq!(text("one\n").line_count(), 1);
        assert_eq!(text("").line_count(), 0);
    }

    #[test]
    fn byte_order_mark_is_not_text() {
        assert_eq!(Text::new(&b"\xEF\xBB\xBFhi"[..]).expect("is text").bytes(), b"hi");
        assert_eq!(Text::new(b"\xEF\xBB\xBFhi".to_vec()).expect("is text").bytes(), b"hi");
    }

    #[test]
    fn decodes_utf16_by_its_mark() {
        assert_eq!(Text::new(&b"\xFF\xFEh\0i\0"[..]).expect("is text").bytes(), b"hi");
        assert_eq!(Text::new(&b"\xFE\xFF\0h\0i"[..]).expect("is text").bytes(), b"hi");
        assert!(Text::new(&b"\xFE\xFF\0h\0\0"[..]).is_none());
    }

    #[test]
    fn invalid_byte_counts_as_one_character() {
        let columns = |bytes: &[u8]| {
            let text = Text::new(bytes).expect("is text");
            (0..=bytes.len()).map(|offset| text.position(offset).column).collect::<Vec<_>>()
        };
        assert_eq!(columns(b"\xFCx"), [1, 2, 3]);
        assert_eq!(columns(b"\x80\x80x"), [1, 2, 3, 4], "continuation bytes without a start");
        assert_eq!(columns(b"\xE2\x84x"), [1, 2, 3, 4], "a sequence that is cut off");
        assert_eq!(columns(b"\xED\xA0\x80x"), [1, 2, 3, 4, 5], "half of a surrogate pair");
        assert_eq!(columns(b"\xC0\xAFx"), [1, 2, 3, 4], "a sequence that is too long");
        assert_eq!(columns(b"\xE9\xC3\xA9x"), [1, 2, 3, 3, 4], "a character after it is one character");
    }

    #[test]
    fn counts_invalid_bytes_beyond_milestones() {
        let bytes = b"\xE9\xC3\xA9\x80a".repeat(APART);
        let text = Text::new(bytes.as_slice()).expect("is text");
        for unit in [0, 1, APART / 5, APART / 5 + 1, APART - 1, APART] {
            assert_eq!(text.position(unit * 5).column, unit * 4 + 1);
        }
    }

    #[test]
    fn notices_one_character_beyond_ascii() {
        assert!(text("plain").is_ascii());
        assert!(!text("pl\u{e4}in").is_ascii());
    }

    #[test]
    fn nul_makes_it_binary() {
        assert!(!is_text(b"a\0b"));
        assert!(!is_text(&[&[b'a'; STRETCH][..], b"\0"].concat()));
        assert!(is_text(b""));
    }

    #[test]
    fn surveys_every_byte() {
        for byte in 0..=u8::MAX {
            let is_control = byte < b' ' && !b"\t\n\r".contains(&byte);
            for (before, after) in [(0, 0), (1, 40), (40, 1), (STRETCH - 1, 3), (STRETCH, STRETCH)] {
                let bytes = [&vec![b'a'; before][..], &[byte], &vec![b' '; after]].concat();
                let is_text = byte != 0 && (!is_control || bytes.len() >= 10);
                let expected = is_text.then_some(byte.is_ascii());
                assert_eq!(is_ascii_text(&bytes), expected, "{byte} after {before}, before {after}");
            }
        }
    }

    #[test]
    fn many_control_characters_make_it_binary() {
        assert!(is_text(b"\x01234567890"));
        assert!(is_text(b"\x01234567890"[..10].as_ref()));
        assert!(!is_text(b"\x0123456789"[..9].as_ref()));
        assert!(is_text("\u{1}ççççççççç".as_bytes()));
        assert!(!is_text("\u{1}çççççççç".as_bytes()));
        assert!(is_text(b"\n\r\t\n\r\t"));
        assert!(is_text(b"\x7f\x7f\x7f"));
    }

    /// Characters, line endings and invalid bytes.
    const UNITS: &[&[u8]] =
        &[b"a", b"b", b"\n", b"\r\n", b"\xE9", b"\xC3\xA9", b"\xE2\x84", b"\x80", b"\xF0\x9F\x98\x80"];

    proptest! {
        #[test]
        fn positions_in_invalid_utf8_equal_naive_count(
            units in prop::collection::vec(prop::sample::select(UNITS), 1..60),
            times in prop_oneof![Just(1), 1usize..200],
        ) {
            let units = units.repeat(times);
            let content = units.concat();
            let text = Text::new(content.as_slice()).expect("is text");
            let mut expected = at(1, 1);
            let mut offset = 0;
            for chunk in content.utf8_chunks() {
                let characters = chunk.valid().chars().map(|c| (c.len_utf8(), c == '\n'));
                for (length, ends_line) in characters.chain(chunk.invalid().iter().map(|_| (1, false))) {
                    prop_assert_eq!(text.position(offset), expected, "{}", content.escape_ascii());
                    expected = if ends_line { at(expected.line + 1, 1) } else { at(expected.line, expected.column + 1) };
                    offset += length;
                }
            }
            prop_assert_eq!(text.position(offset), expected);
        }

        #[test]
        fn positions_equal_naive_count(
            content in "[aé\r\n]{0,60}",
            times in prop_oneof![Just(1), 1usize..200],
            offset in any::<prop::sample::Index>(),
        ) {
            let content = content.repeat(times);
            let offset = offset.index(content.len() + 2);
            let text = text(&content);
            let mut offset = offset.min(content.len());
            while !content.is_char_boundary(offset) {
                offset -= 1;
            }
            let before = &content[..offset];
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            prop_assert_eq!(text.position(offset), at(line, column));
            let lines: Vec<_> = content.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
            prop_assert_eq!(text.line(line), lines[line - 1].as_bytes());
            prop_assert_eq!(text.line_head(line, 7), &lines[line - 1].as_bytes()[..lines[line - 1].len().min(7)]);
            let last_is_empty = lines.last() == Some(&"") && (content.is_empty() || content.ends_with('\n'));
            prop_assert_eq!(text.line_count(), lines.len() - usize::from(last_is_empty));
            prop_assert_eq!(text.line(lines.len() + 1), b"");
        }
    }
}
