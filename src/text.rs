//! The text of one file: its bytes, whether they are text at all, and where a byte offset stands.
//!
//! Knows nothing of paths, files or contracts. Line starts are indexed only when a position is asked for.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

const UTF8_BOM: &[u8] = b"\xEF\xBB\xBF";
const UTF16LE_BOM: &[u8] = b"\xFF\xFE";

/// A place in a text: line and column, both counted from 1, the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// A stretch of text from `start` up to, and not including, `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Region {
    /// Where the stretch starts.
    pub start: Position,
    /// The first place after it.
    pub end: Position,
}

/// The bytes of one file, known to be text.
///
/// A UTF-8 byte order mark is not part of the text, and UTF-16LE (by its mark) is decoded; other
/// bytes that are not valid UTF-8 stay as they are.
#[derive(Debug, Clone)]
pub struct Text<'a> {
    bytes: Cow<'a, [u8]>,
    ascii: bool,
    milestones: OnceCell<Vec<Milestone>>,
}

/// How far milestones are apart, in bytes. What lies between two of them is counted whenever a position is asked for,
/// so that neither ten million lines nor one line of ten million characters is a reason to be slow or large.
const APART: usize = 4096;

/// What is known of every [`APART`]th byte.
#[derive(Debug, Clone, Copy)]
struct Milestone {
    /// Its line, from 1.
    line: usize,
    /// The characters before it on that line.
    characters: usize,
}

impl<'a> Text<'a> {
    /// The text in `bytes`, or `None` when they are binary.
    pub fn new(bytes: impl Into<Cow<'a, [u8]>>) -> Option<Self> {
        let bytes = decode(bytes.into());
        let ascii = survey(&bytes)?.ascii;
        Some(Self { bytes, ascii, milestones: OnceCell::new() })
    }

    /// The bytes that contracts are matched against.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Is every character ASCII?
    pub fn is_ascii(&self) -> bool {
        self.ascii
    }

    /// Where the byte at `offset` stands. An offset past the end is the end.
    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.bytes.len());
        let known = offset / APART;
        let here = self.milestones()[known].go_on(&self.bytes, known * APART..offset);
        Position { line: here.line, column: here.characters + 1 }
    }

    /// Where the bytes of `range` stand.
    pub fn region(&self, range: Range<usize>) -> Region {
        Region { start: self.position(range.start), end: self.position(range.end) }
    }

    /// The bytes of a line, counted from 1, without its line ending; empty when there is no such line.
    pub fn line(&self, number: usize) -> &[u8] {
        self.line_head(number, self.bytes.len())
    }

    /// The same, or the first `most` bytes of it.
    pub fn line_head(&self, number: usize, most: usize) -> &[u8] {
        let Some(start) = self.line_start(number) else { return &[] };
        let head = &self.bytes[start..self.bytes.len().min(start.saturating_add(most).saturating_add(2))];
        let line = &head[..memchr::memchr(b'\n', head).unwrap_or(head.len())];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        &line[..line.len().min(most)]
    }

    /// How many lines there are; a final newline does not start another one.
    pub fn line_count(&self) -> usize {
        let lines = self.position(self.bytes.len()).line;
        if self.bytes.is_empty() || self.bytes.ends_with(b"\n") { lines - 1 } else { lines }
    }

    fn line_start(&self, number: usize) -> Option<usize> {
        let before = number.checked_sub(1)?;
        let milestones = self.milestones();
        let known = milestones.partition_point(|milestone| milestone.line < number);
        let Some(known) = known.checked_sub(1) else { return (before == 0).then_some(0) };
        let (from, newlines) = (known * APART, before - milestones[known].line);
        memchr::memchr_iter(b'\n', &self.bytes[from..]).nth(newlines).map(|at| from + at + 1)
    }

    fn milestones(&self) -> &[Milestone] {
        self.milestones.get_or_init(|| {
            let mut here = Milestone { line: 1, characters: 0 };
            let mut milestones = Vec::with_capacity(self.bytes.len() / APART + 1);
            milestones.push(here);
            for from in (0..self.bytes.len() / APART).map(|known| known * APART) {
                here = here.go_on(&self.bytes, from..from + APART);
                milestones.push(here);
            }
            milestones
        })
    }
}

impl Milestone {
    /// The end of `range`, which starts here.
    fn go_on(mut self, bytes: &[u8], range: Range<usize>) -> Self {
        let mut counted = range.start;
        for at in memchr::memchr_iter(b'\n', &bytes[range.clone()]) {
            counted = range.start + at + 1;
            self = Self { line: self.line + 1, characters: 0 };
        }
        self.characters += count_chars(&bytes[counted..range.end]);
        self
    }
}

fn decode(bytes: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    if bytes.starts_with(UTF16LE_BOM) {
        return Cow::Owned(decode_utf16le(&bytes[UTF16LE_BOM.len()..]).into_bytes());
    }
    if !bytes.starts_with(UTF8_BOM) {
        return bytes;
    }
    match bytes {
        Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[UTF8_BOM.len()..]),
        Cow::Owned(mut bytes) => {
            bytes.drain(..UTF8_BOM.len());
            Cow::Owned(bytes)
        }
    }
}

/// UTF-16LE without its mark as a string; what is not valid becomes U+FFFD.
pub(crate) fn decode_utf16le(bytes: &[u8]) -> String {
    let units = bytes.chunks(2).map(|unit| match unit {
        [low, high] => u16::from_le_bytes([*low, *high]),
        _ => 0xFFFD,
    });
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// A file as a string: UTF-16LE by its mark, else UTF-8, with U+FFFD for what is invalid. The mark stays. `None` when it
/// is not text.
pub fn to_str(bytes: &[u8]) -> Option<Cow<'_, str>> {
    if bytes.starts_with(UTF16LE_BOM) {
        let text = decode_utf16le(bytes);
        return is_text(text.as_bytes()).then_some(Cow::Owned(text));
    }
    is_text(bytes).then(|| String::from_utf8_lossy(bytes))
}

/// Text has no NUL, and at most one in ten of its characters is a control character other than
/// newline, carriage return and tab.
pub fn is_text(bytes: &[u8]) -> bool {
    survey(bytes).is_some()
}

/// What one pass over a text shows.
struct Survey {
    ascii: bool,
}

/// Looks at all bytes once, unless they hold control characters; `None` when they are not text.
fn survey(bytes: &[u8]) -> Option<Survey> {
    let (mut any_control, mut all) = (false, 0);
    for stretch in bytes.chunks(STRETCH) {
        let mut control_here = false;
        for &byte in stretch {
            control_here |= is_control(byte);
            all |= byte;
        }
        if control_here && memchr::memchr(0, stretch).is_some() {
            return None;
        }
        any_control |= control_here;
    }
    let few = || bytes.iter().filter(|byte| is_control(**byte)).count() * 10 <= count_chars(bytes);
    (!any_control || few()).then_some(Survey { ascii: all.is_ascii() })
}

/// How many bytes are looked at before a NUL can stop it.
const STRETCH: usize = 16 * 1024;

/// Without a branch, so that many bytes are tested at a time.
fn is_control(byte: u8) -> bool {
    (byte < 32) & (byte != b'\n') & (byte != b'\r') & (byte != b'\t')
}

/// Characters in `bytes`; in text that is not valid UTF-8, a stray continuation byte counts for none.
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
    fn positions_count_lines_and_characters_from_one() {
        let text = text("ab\nçd\r\n\nlast");
        assert_eq!(text.position(0), at(1, 1));
        assert_eq!(text.position(2), at(1, 3));
        assert_eq!(text.position(3), at(2, 1));
        assert_eq!(text.position(5), at(2, 2));
        assert_eq!(text.position(8), at(3, 1));
        assert_eq!(text.position(99), at(4, 5));
    }

    #[test]
    fn columns_in_very_long_lines_count_characters() {
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
    fn lines_come_without_their_ending() {
        let text = text("one\r\ntwo\n\nfour");
        let lines: Vec<_> = (0..=6).map(|number| text.line(number)).collect();
        assert_eq!(lines, [&b""[..], b"one", b"two", b"", b"four", b"", b""]);
        assert_eq!(text.line_count(), 4);
    }

    #[test]
    fn a_final_newline_starts_no_line() {
        assert_eq!(text("one\n").line_count(), 1);
        assert_eq!(text("").line_count(), 0);
    }

    #[test]
    fn a_byte_order_mark_is_not_text() {
        assert_eq!(Text::new(&b"\xEF\xBB\xBFhi"[..]).expect("is text").bytes(), b"hi");
        assert_eq!(Text::new(b"\xEF\xBB\xBFhi".to_vec()).expect("is text").bytes(), b"hi");
    }

    #[test]
    fn utf16le_is_decoded_by_its_mark() {
        assert_eq!(Text::new(&b"\xFF\xFEh\0i\0"[..]).expect("is text").bytes(), b"hi");
    }

    #[test]
    fn one_character_outside_ascii_is_noticed() {
        assert!(text("plain").is_ascii());
        assert!(!text("pl\u{e4}in").is_ascii());
    }

    #[test]
    fn a_nul_makes_it_binary() {
        assert!(!is_text(b"a\0b"));
        assert!(!is_text(&[&[b'a'; STRETCH][..], b"\0"].concat()));
        assert!(is_text(b""));
    }

    #[test]
    fn more_than_one_control_character_in_ten_makes_it_binary() {
        assert!(is_text(b"\x01234567890"));
        assert!(is_text(b"\x01234567890"[..10].as_ref()));
        assert!(!is_text(b"\x0123456789"[..9].as_ref()));
        assert!(is_text("\u{1}ççççççççç".as_bytes()));
        assert!(!is_text("\u{1}çççççççç".as_bytes()));
        assert!(is_text(b"\n\r\t\n\r\t"));
        assert!(is_text(b"\x7f\x7f\x7f"));
    }

    proptest! {
        #[test]
        fn positions_equal_a_slow_count(
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
