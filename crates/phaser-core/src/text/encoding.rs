//! Encodings of text: those that are decoded, and those that are recognised, so that their text is not reported as
//! binary.

use std::borrow::Cow;

const UTF8_MARK: &[u8] = b"\xEF\xBB\xBF";
pub(super) const UTF16LE_MARK: &[u8] = b"\xFF\xFE";
const UTF16BE_MARK: &[u8] = b"\xFE\xFF";
const UTF32LE_MARK: &[u8] = b"\xFF\xFE\0\0";
const UTF32BE_MARK: &[u8] = b"\0\0\xFE\xFF";

/// The bytes without their mark. UTF-16 becomes UTF-8; everything else is unchanged.
pub(super) fn decode(bytes: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let decoded = |units: &[u8], unit| Cow::Owned(decode_utf16(units, unit).into_bytes());
    if let Some(units) = bytes.strip_prefix(UTF16LE_MARK) {
        return decoded(units, u16::from_le_bytes);
    }
    if let Some(units) = bytes.strip_prefix(UTF16BE_MARK) {
        return decoded(units, u16::from_be_bytes);
    }
    if !bytes.starts_with(UTF8_MARK) {
        return bytes;
    }
    match bytes {
        Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[UTF8_MARK.len()..]),
        Cow::Owned(mut bytes) => {
            bytes.drain(..UTF8_MARK.len());
            Cow::Owned(bytes)
        }
    }
}

/// Whether a file starts with the mark of UTF-8 or UTF-16.
pub fn starts_with_mark(bytes: &[u8]) -> bool {
    [UTF8_MARK, UTF16LE_MARK, UTF16BE_MARK].iter().any(|mark| bytes.starts_with(mark))
}

/// Encodes `text` like `file`, with its mark. `None` if encoding the file's own text does not give back the file:
/// then something would be lost.
pub fn encode_like(file: &[u8], text: &[u8]) -> Option<Vec<u8>> {
    let units = |text: &[u8], mark: &[u8], unit: fn(u16) -> [u8; 2]| {
        let text = std::str::from_utf8(text).ok()?;
        Some(mark.iter().copied().chain(text.encode_utf16().flat_map(unit)).collect::<Vec<u8>>())
    };
    let (mark, unit): (_, fn(u16) -> [u8; 2]) = if file.starts_with(UTF16LE_MARK) {
        (UTF16LE_MARK, u16::to_le_bytes)
    } else if file.starts_with(UTF16BE_MARK) {
        (UTF16BE_MARK, u16::to_be_bytes)
    } else {
        let mark = if file.starts_with(UTF8_MARK) { UTF8_MARK } else { &[] };
        return Some([mark, text].concat());
    };
    let own = units(&decode(Cow::Borrowed(file)), mark, unit)?;
    (own == file).then(|| units(text, mark, unit)).flatten()
}

/// The offset in `file` for the offset `at` of its text, in bytes. Counts the mark.
pub fn place_in_file(file: &[u8], text: &[u8], at: usize) -> usize {
    if file.starts_with(UTF16LE_MARK) || file.starts_with(UTF16BE_MARK) {
        let before = String::from_utf8_lossy(&text[..at]);
        return UTF16LE_MARK.len() + 2 * before.encode_utf16().count();
    }
    at + if file.starts_with(UTF8_MARK) { UTF8_MARK.len() } else { 0 }
}

/// UTF-16LE without its mark as a string, with U+FFFD for invalid units.
pub fn decode_utf16le(bytes: &[u8]) -> String {
    decode_utf16(bytes, u16::from_le_bytes)
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks(2).map(|pair| match pair {
        [first, second] => unit([*first, *second]),
        _ => 0xFFFD,
    });
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// The name of an encoding that is recognised but not decoded.
pub fn unread_encoding(bytes: &[u8]) -> Option<&'static str> {
    let is_utf32 = |mark: &[u8], unit: fn([u8; 4]) -> u32| {
        let units = bytes.strip_prefix(mark)?.get(..4)?;
        char::from_u32(unit(units.try_into().ok()?))
    };
    if is_utf32(UTF32LE_MARK, u32::from_le_bytes).is_some() {
        return Some("UTF-32LE");
    }
    if is_utf32(UTF32BE_MARK, u32::from_be_bytes).is_some() {
        return Some("UTF-32BE");
    }
    if !bytes.len().is_multiple_of(2) {
        return None;
    }
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    if looks_like_utf16(sample, u16::from_le_bytes) {
        return Some("UTF-16LE without a byte order mark");
    }
    looks_like_utf16(sample, u16::from_be_bytes).then_some("UTF-16BE without a byte order mark")
}

/// The bytes that are read. Nearly every binary file has something implausible near its start.
const SAMPLE: usize = 8192;

/// The minimum number of characters for a verdict.
const FEWEST: usize = 4;

/// Whether the sample is UTF-16. Every unit must be plausible. In most texts two in three characters are Latin
/// letters, digits or spaces, with one byte NUL. A text with fewer must have line endings and no other control
/// characters.
fn looks_like_utf16(sample: &[u8], unit: fn([u8; 2]) -> u16) -> bool {
    let mut units: Vec<u16> = sample.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    if sample.len() == SAMPLE && units.last().is_some_and(|unit| (0xD800..0xDC00).contains(unit)) {
        units.pop();
    }
    let (mut all, mut latin, mut controls, mut line_ends) = (0, 0, 0, 0);
    for decoded in char::decode_utf16(units) {
        let Some(c) = decoded.ok().filter(|&c| is_plausible(c)) else { return false };
        all += 1;
        latin += usize::from(c <= '\u{FF}');
        controls += usize::from(c.is_control() && !matches!(c, '\n' | '\r' | '\t'));
        line_ends += usize::from(c == '\n');
    }
    let is_mostly_latin = latin * 3 >= all * 2 && controls * 10 <= all;
    let has_lines = line_ends > 0 && latin * 50 >= all && controls == 0;
    all >= FEWEST && (is_mostly_latin || has_lines)
}

/// Not NUL, not private use, and not a noncharacter.
fn is_plausible(c: char) -> bool {
    !matches!(c, '\0' | '\u{E000}'..='\u{F8FF}' | '\u{FDD0}'..='\u{FDEF}') && u32::from(c) & 0xFFFE != 0xFFFE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn encodes_text_like_its_file() {
        let text = "a\u{e9}\u{1F600}\r\n";
        for (mark, bytes) in
            [(UTF16LE_MARK, u16::to_le_bytes as fn(u16) -> _), (UTF16BE_MARK, u16::to_be_bytes)]
        {
            let file = [mark, &utf16(text, bytes)].concat();
            let changed = [mark, &utf16("b", bytes)].concat();
            assert_eq!(encode_like(&file, b"b"), Some(changed));
            assert_eq!(encode_like(&file, text.as_bytes()).as_ref(), Some(&file));
            assert_eq!(place_in_file(&file, text.as_bytes(), text.len()), file.len());
            assert_eq!(encode_like(&[mark, b"a"].concat(), b"b"), None, "half a unit");
        }
        assert_eq!(encode_like(b"\xEF\xBB\xBFa", b"b"), Some(b"\xEF\xBB\xBFb".to_vec()));
        assert_eq!(encode_like(b"\xFF", b"\xFE b"), Some(b"\xFE b".to_vec()));
        assert_eq!((place_in_file(b"\xEF\xBB\xBFab", b"ab", 1), place_in_file(b"ab", b"ab", 1)), (4, 1));
    }

    #[test]
    fn decodes_both_utf16_byte_orders() {
        for (mark, bytes) in
            [(UTF16LE_MARK, u16::to_le_bytes as fn(u16) -> _), (UTF16BE_MARK, u16::to_be_bytes)]
        {
            let text = "fünf\r\n\u{1F600}";
            let encoded = [mark, &utf16(text, bytes)].concat();
            assert_eq!(decode(Cow::Borrowed(&encoded)), text.as_bytes());
            let broken = [mark, &utf16("a", bytes), &[0xD8]].concat();
            assert_eq!(decode(Cow::Owned(broken)), "a\u{FFFD}".as_bytes());
        }
    }

    #[test]
    fn recognises_unread_encodings() {
        let long = "import os\n".repeat(2000);
        let surrogates = format!("{}\u{1F600} and so on\n", "a".repeat(SAMPLE / 2 - 1));
        for text in
            ["forbidden", "x = 1\r\n", "привет, мир\n", "日本語で書かれた文章です。\n", &long, &surrogates]
        {
            let le = utf16(text, u16::to_le_bytes);
            assert_eq!(unread_encoding(&le), Some("UTF-16LE without a byte order mark"), "{text}");
            let be = utf16(text, u16::to_be_bytes);
            assert_eq!(unread_encoding(&be), Some("UTF-16BE without a byte order mark"), "{text}");
        }
        assert_eq!(unread_encoding(b"\xFF\xFE\0\0a\0\0\0"), Some("UTF-32LE"));
        assert_eq!(unread_encoding(b"\0\0\xFE\xFF\0\0\0a"), Some("UTF-32BE"));
    }

    #[test]
    fn binary_is_no_text() {
        for binary in [
            &b"x\0"[..],
            b"TODO\0",
            b"a\0b\0c\0\0\0",
            b"one\0two\0",
            b"\0\x0EAfrica/Abidjan\0\x0AEurope/Rome",
            b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0",
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0",
            b"PK\x03\x04\x14\0\0\0\x08\0\x21\0",
            b"\x01\0\x02\0\x03\0\x04\0\x05\0\x06\0",
            b"a\0\x00\xD8b\0c\0d\0e\0",
            b"a\0\xFF\xFFb\0c\0d\0e\0",
            b"a\0\x00\xE0b\0c\0d\0e\0",
            b"\0\0\xFE\xFF\x7F\0\0\0",
        ] {
            assert_eq!(unread_encoding(binary), None, "{}", binary.escape_ascii());
        }
    }
}
