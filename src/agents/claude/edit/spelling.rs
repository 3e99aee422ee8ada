//! Finds the old text of an edit in a file that spells it differently, and adapts the new text to that spelling.
//!
//! | attempt | file | old text | new text | becomes |
//! |---|---|---|---|---|
//! | as given | `it's` | `it's` | `'a'` | `'a'` |
//! | curly quotes made straight | `it’s` | `it's` | `'a'` | `‘a’` |
//! | escapes of the edit decoded | `café` | `caf\u00e9` | `th\u00e9` | `thé` |
//! | characters of the edit escaped | `caf\u00E9` | `café` | `thé` | `th\u00E9` |

use std::borrow::Cow;
use std::collections::HashMap;

use memchr::memmem;

/// The old and the new text in the file's spelling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spelled<'a> {
    pub(super) old: Cow<'a, str>,
    pub(super) new: Cow<'a, str>,
    /// The first occurrence of `old` is at or after this offset.
    pub(super) from: usize,
}

impl Spelled<'_> {
    pub(super) fn into_owned(self) -> Spelled<'static> {
        let [old, new] = [self.old, self.new].map(|text| Cow::Owned(text.into_owned()));
        Spelled { old, new, from: self.from }
    }
}

/// `old` and `new` in the spelling of `text`, which is UTF-8; `None` if `text` has `old` in no spelling.
pub(super) fn find<'a>(text: &'a [u8], old: &'a str, new: &'a str) -> Option<Spelled<'a>> {
    if let Some(from) = memmem::find(text, old.as_bytes()) {
        return Some(Spelled { old: Cow::Borrowed(old), new: Cow::Borrowed(new), from });
    }
    let text = as_str(text);
    if let Some(found) = find_quoted(text, old) {
        return Some(Spelled { old: Cow::Borrowed(found), new: curled(found, Cow::Borrowed(new)), from: 0 });
    }
    let read = read_escapes(old);
    if read != old && memmem::find(text.as_bytes(), read.as_bytes()).is_some() {
        let new = curled(&read, read_escapes(new));
        return Some(Spelled { old: read, new, from: 0 });
    }
    let found = find_escaped(text, old)?;
    Some(Spelled { old: Cow::Borrowed(found), new: escaped_like(old, found, new).into(), from: 0 })
}

/// UTF-8 bytes as a string. Validates again, so it is used only where bytes do not suffice.
pub(super) fn as_str(text: &[u8]) -> &str {
    std::str::from_utf8(text)
        .expect("the text of a file was made UTF-8, and strings in it are replaced by strings")
}

/// The first range of `text` that equals `old` when the quotes of both are made straight.
fn find_quoted<'t>(text: &'t str, old: &str) -> Option<&'t str> {
    let folded = fold_quotes(text);
    let wanted = fold_quotes(old);
    let start = memmem::find(folded.as_bytes(), wanted.as_bytes())?;
    let start = unfolded_offset(text, start);
    let length = unfolded_offset(&text[start..], wanted.len());
    Some(&text[start..start + length])
}

fn fold_quotes(text: &str) -> Cow<'_, str> {
    let mut quotes = curly_quotes(text).peekable();
    if quotes.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let mut folded = String::with_capacity(text.len());
    let mut copied = 0;
    for (start, curly, straight) in quotes {
        folded.push_str(&text[copied..start]);
        folded.push(straight);
        copied = start + curly.len_utf8();
    }
    folded.push_str(&text[copied..]);
    Cow::Owned(folded)
}

/// Maps an offset in the folded text back to `text`.
fn unfolded_offset(text: &str, offset: usize) -> usize {
    let mut longer_by = 0;
    for (start, curly, straight) in curly_quotes(text) {
        if start - longer_by >= offset {
            break;
        }
        longer_by += curly.len_utf8() - straight.len_utf8();
    }
    offset + longer_by
}

/// Each curly quote: its offset, itself, and its straight form.
fn curly_quotes(text: &str) -> impl Iterator<Item = (usize, char, char)> + '_ {
    // All four start with these two bytes.
    memmem::find_iter(text.as_bytes(), b"\xE2\x80").filter_map(|start| {
        let curly = text[start..].chars().next()?;
        match curly {
            '‘' | '’' => Some((start, curly, '\'')),
            '“' | '”' => Some((start, curly, '"')),
            _ => None,
        }
    })
}

/// `new` with curly quotes of the kinds (single, double) that `found` has.
fn curled<'a>(found: &str, new: Cow<'a, str>) -> Cow<'a, str> {
    let double = found.contains(['“', '”']);
    let single = found.contains(['‘', '’']);
    if !double && !single {
        return new;
    }
    let mut result = String::with_capacity(new.len());
    let mut before = None;
    let mut rest = new.chars().peekable();
    while let Some(char) = rest.next() {
        let opens = before.is_none_or(|before| " \t\n\r([{—–".contains(before));
        let within =
            before.is_some_and(char::is_alphabetic) && rest.peek().is_some_and(|next| next.is_alphabetic());
        result.push(match char {
            '"' if double && opens => '“',
            '"' if double => '”',
            '\'' if single && opens && !within => '‘',
            '\'' if single => '’',
            other => other,
        });
        before = Some(char);
    }
    Cow::Owned(result)
}

/// `text` with its `\uXXXX` escapes decoded. An escaped backslash starts no escape.
fn read_escapes(text: &str) -> Cow<'_, str> {
    if memmem::find(text.as_bytes(), b"\\u").is_none() {
        return Cow::Borrowed(text);
    }
    let mut units: Vec<u16> = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        let (unit, length) = match (escape_at(rest), rest.starts_with(r"\\")) {
            (_, true) => (None, 2),
            (Some(unit), false) => (Some(unit), ESCAPE_LENGTH),
            (None, false) => (None, char.len_utf8()),
        };
        match unit {
            Some(unit) => units.push(unit),
            None => units.extend(rest[..length].encode_utf16()),
        }
        rest = &rest[length..];
    }
    Cow::Owned(String::from_utf16_lossy(&units))
}

const ESCAPE_LENGTH: usize = r"\u0000".len();

/// The UTF-16 unit of the escape at the start of `text`.
fn escape_at(text: &str) -> Option<u16> {
    let digits = text.strip_prefix(r"\u")?.get(..4)?;
    let hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if hex { u16::from_str_radix(digits, 16).ok() } else { None }
}

/// The first range of `text` that spells `old` with escapes for all non-ASCII characters.
fn find_escaped<'t>(text: &'t str, old: &str) -> Option<&'t str> {
    let beyond_ascii = !old.is_ascii();
    if !beyond_ascii || !backslashes_before(old.as_bytes(), old.len()).is_multiple_of(2) {
        return None;
    }
    let (wanted, mut escapes) = escaped(old, lower);
    if old.starts_with('\\') {
        escapes.insert(0, 0);
    }
    // A lone surrogate in an edit reaches phaser as U+FFFD.
    let folds_surrogates = old.contains(char::REPLACEMENT_CHARACTER);
    let folded = fold_hex(text, folds_surrogates);
    let folded_wanted = fold_hex(&wanted, folds_surrogates);
    let bytes = text.as_bytes();
    let spells = |&start: &usize| {
        let real = |&at: &usize| backslashes_before(bytes, start + at).is_multiple_of(2);
        escapes.iter().all(real) && same_outside_escapes(&bytes[start..], wanted.as_bytes(), &escapes)
    };
    let start = memmem::find_iter(&folded, &folded_wanted).find(spells)?;
    let found = &text[start..start + wanted.len()];
    (memmem::find(bytes, found.as_bytes()) == Some(start)).then_some(found)
}

/// `text` with escapes for all non-ASCII characters, and their offsets. `digits` spells a UTF-16 unit.
fn escaped(text: &str, digits: impl Fn(u16) -> String) -> (String, Vec<usize>) {
    let (mut result, mut starts) = (String::with_capacity(text.len() * 2), Vec::new());
    for char in text.chars() {
        if char.is_ascii() {
            result.push(char);
            continue;
        }
        for unit in char.encode_utf16(&mut [0; 2]) {
            starts.push(result.len());
            result.push_str(r"\u");
            result.push_str(&digits(*unit));
        }
    }
    (result, starts)
}

fn lower(unit: u16) -> String {
    format!("{unit:04x}")
}

/// The bytes of `text` with the digits of escapes in lower case, and perhaps U+FFFD for every surrogate.
fn fold_hex(text: &str, folds_surrogates: bool) -> Vec<u8> {
    let mut folded = text.as_bytes().to_owned();
    for start in memmem::find_iter(text.as_bytes(), b"\\u") {
        match escape_at(&text[start..]) {
            Some(0xD800..=0xDFFF) if folds_surrogates => {
                folded[start..start + ESCAPE_LENGTH].copy_from_slice(br"\ufffd");
            }
            Some(_) => folded[start..start + ESCAPE_LENGTH].make_ascii_lowercase(),
            None => {}
        }
    }
    folded
}

/// Whether `text` equals `wanted` outside the escapes, case included.
fn same_outside_escapes(text: &[u8], wanted: &[u8], escapes: &[usize]) -> bool {
    let mut from = 0;
    let until =
        escapes.iter().copied().filter(|&start| wanted[start..].starts_with(b"\\u")).chain([wanted.len()]);
    for start in until {
        if text.get(from..start) != wanted.get(from..start) {
            return false;
        }
        from = (start + ESCAPE_LENGTH).min(wanted.len());
    }
    true
}

fn backslashes_before(bytes: &[u8], at: usize) -> usize {
    bytes[..at].iter().rev().take_while(|&&byte| byte == b'\\').count()
}

/// `new` with escapes for all non-ASCII characters, with the digits' case of the escapes in `found`.
fn escaped_like(old: &str, found: &str, new: &str) -> String {
    let (_, starts) = escaped(old, lower);
    let units = old
        .chars()
        .filter(|char| !char.is_ascii())
        .flat_map(|char| char.to_string().encode_utf16().collect::<Vec<_>>());
    let spellings = starts.iter().map(|&start| &found[start + 2..start + ESCAPE_LENGTH]);
    let known: HashMap<u16, &str> = units.zip(spellings.clone()).collect();
    let count = |is: fn(&u8) -> bool| spellings.clone().flat_map(str::bytes).filter(is).count();
    let upper = count(u8::is_ascii_uppercase) > count(u8::is_ascii_lowercase);
    let digits = |unit| match known.get(&unit) {
        Some(digits) => (*digits).to_owned(),
        None if upper => format!("{unit:04X}"),
        None => lower(unit),
    };
    escaped(new, digits).0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(text: &str, old: &str, new: &str) -> Option<(String, String)> {
        find(text.as_bytes(), old, new).map(|spelled| (spelled.old.into_owned(), spelled.new.into_owned()))
    }

    fn found(old: &str, new: &str) -> Option<(String, String)> {
        Some((old.to_owned(), new.to_owned()))
    }

    #[test]
    fn prefers_text_as_given() {
        assert_eq!(spelled("“a” \"a\"", "\"a\"", "\"b\""), found("\"a\"", "\"b\""));
        assert_eq!(spelled("a", "b", "c"), None);
    }

    #[test]
    fn replacement_gets_quotes_of_match() {
        assert_eq!(spelled("say “hi”", "\"hi\"", "\"ho\" ('it's')"), found("“hi”", "“ho” ('it's')"));
        assert_eq!(spelled("it’s", "it's", "'don't' \"x\""), found("it’s", "‘don’t’ \"x\""));
        assert_eq!(spelled("“it’s”", "\"it's\"", "(\"a\")\t'b'"), found("“it’s”", "(“a”)\t‘b’"));
    }

    #[test]
    fn decodes_escapes_of_edit() {
        assert_eq!(spelled("café", r"caf\u00e9", r"th\u00E9"), found("café", "thé"));
        assert_eq!(spelled("a😀b", r"\ud83d\ude00", "x"), found("😀", "x"));
        assert_eq!(spelled("café", r"caf\\u00e9", "x"), None);
    }

    #[test]
    fn finds_characters_as_escapes() {
        assert_eq!(spelled(r"caf\u00E9!", "café", "théâ"), found(r"caf\u00E9", r"th\u00E9\u00E2"));
        assert_eq!(spelled(r"caf\u00e9", "café", "â😀"), found(r"caf\u00e9", r"\u00e2\ud83d\ude00"));
        assert_eq!(spelled(r"caf\\u00e9", "café", "x"), None);
        assert_eq!(spelled(r"Caf\u00e9", "café", "x"), None);
        assert_eq!(spelled(r"\\u00e9 \u00e9", "é", "x"), None);
    }
}
