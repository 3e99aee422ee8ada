//! The text to replace, as the file spells it, when the file does not spell it as the edit does.
//!
//! The client looks for the text as it is; then with curly quotes made straight; then with the
//! `\uXXXX` escapes of the edit read as characters; then with the characters of the edit written as
//! such escapes. What it puts in place follows the spelling it found.

use std::borrow::Cow;
use std::collections::HashMap;

use memchr::memmem;

/// A text to replace and its replacement, both as the file spells them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spelled<'a> {
    pub(super) old: Cow<'a, str>,
    pub(super) new: Cow<'a, str>,
    /// The old text does not start before this.
    pub(super) from: usize,
}

impl Spelled<'_> {
    /// The same, apart from the file.
    pub(super) fn into_owned(self) -> Spelled<'static> {
        let [old, new] = [self.old, self.new].map(|text| Cow::Owned(text.into_owned()));
        Spelled { old, new, from: self.from }
    }
}

/// How `text`, which is UTF-8, spells `old`, and so how `new` is to be spelled, or `None` when `old` is not there.
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

/// A text that is known to be UTF-8, as a string. That is validated again, and so not done where bytes will do.
pub(super) fn as_str(text: &[u8]) -> &str {
    std::str::from_utf8(text)
        .expect("the text of a file was made UTF-8, and strings in it are replaced by strings")
}

/// The first stretch of `text` that equals `old` when the quotes of both are made straight.
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

/// The offset in `text` of what stands at `offset` in its folded form.
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

/// Each curly quote: where it starts, itself, and the straight one it stands for.
fn curly_quotes(text: &str) -> impl Iterator<Item = (usize, char, char)> + '_ {
    // The two bytes that all four of them start with.
    memmem::find_iter(text.as_bytes(), b"\xE2\x80").filter_map(|start| {
        let curly = text[start..].chars().next()?;
        match curly {
            '‘' | '’' => Some((start, curly, '\'')),
            '“' | '”' => Some((start, curly, '"')),
            _ => None,
        }
    })
}

/// `new` with curly quotes, of those kinds that the text `found` in the file has.
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

/// `text` with its `\uXXXX` escapes read; a backslash that is escaped itself starts none.
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

/// The UTF-16 unit of the escape that `text` starts with.
fn escape_at(text: &str) -> Option<u16> {
    let digits = text.strip_prefix(r"\u")?.get(..4)?;
    let hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if hex { u16::from_str_radix(digits, 16).ok() } else { None }
}

/// The first stretch of `text` that spells `old` with escapes for everything that is not ASCII.
fn find_escaped<'t>(text: &'t str, old: &str) -> Option<&'t str> {
    let beyond_ascii = !old.is_ascii();
    if !beyond_ascii || !backslashes_before(old.as_bytes(), old.len()).is_multiple_of(2) {
        return None;
    }
    let (wanted, mut escapes) = escaped(old);
    if old.starts_with('\\') {
        escapes.insert(0, 0);
    }
    let halves = if old.contains(char::REPLACEMENT_CHARACTER) { Halves::Alike } else { Halves::Distinct };
    let folded = fold_hex(text, halves);
    let folded_wanted = fold_hex(&wanted, halves);
    let bytes = text.as_bytes();
    let spells = |&start: &usize| {
        let real = |&at: &usize| backslashes_before(bytes, start + at).is_multiple_of(2);
        escapes.iter().all(real) && same_outside_escapes(&bytes[start..], wanted.as_bytes(), &escapes)
    };
    let start = memmem::find_iter(&folded, &folded_wanted).find(spells)?;
    let found = &text[start..start + wanted.len()];
    (memmem::find(bytes, found.as_bytes()) == Some(start)).then_some(found)
}

/// `text` with escapes for everything that is not ASCII, and where they start.
fn escaped(text: &str) -> (String, Vec<usize>) {
    let (mut result, mut starts) = (String::with_capacity(text.len() * 2), Vec::new());
    for char in text.chars() {
        if char.is_ascii() {
            result.push(char);
            continue;
        }
        for unit in char.encode_utf16(&mut [0; 2]) {
            starts.push(result.len());
            result.push_str(&format!("\\u{unit:04x}"));
        }
    }
    (result, starts)
}

/// What escapes of half a character are taken for. A half that stands alone in an edit reaches phaser as U+FFFD.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Halves {
    /// Themselves.
    Distinct,
    /// U+FFFD, all of them.
    Alike,
}

/// The bytes of `text` with the digits of what looks like an escape in lower case.
fn fold_hex(text: &str, halves: Halves) -> Vec<u8> {
    let mut folded = text.as_bytes().to_owned();
    for start in memmem::find_iter(text.as_bytes(), b"\\u") {
        match escape_at(&text[start..]) {
            Some(0xD800..=0xDFFF) if halves == Halves::Alike => {
                folded[start..start + ESCAPE_LENGTH].copy_from_slice(br"\ufffd");
            }
            Some(_) => folded[start..start + ESCAPE_LENGTH].make_ascii_lowercase(),
            None => {}
        }
    }
    folded
}

/// Is `text` the same as `wanted`, in every letter, outside the escapes?
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

/// `new` with escapes for everything that is not ASCII, spelled as those are that `found` has for `old`.
fn escaped_like(old: &str, found: &str, new: &str) -> String {
    let (_, starts) = escaped(old);
    let units = old
        .chars()
        .filter(|char| !char.is_ascii())
        .flat_map(|char| char.to_string().encode_utf16().collect::<Vec<_>>());
    let spellings = starts.iter().map(|&start| &found[start + 2..start + ESCAPE_LENGTH]);
    let known: HashMap<u16, &str> = units.zip(spellings.clone()).collect();
    let count = |is: fn(&u8) -> bool| spellings.clone().flat_map(str::bytes).filter(is).count();
    let upper = count(u8::is_ascii_uppercase) > count(u8::is_ascii_lowercase);
    let mut result = String::with_capacity(new.len() * 2);
    for char in new.chars() {
        if char.is_ascii() {
            result.push(char);
            continue;
        }
        for unit in char.encode_utf16(&mut [0; 2]) {
            let digits = match known.get(unit) {
                Some(digits) => (*digits).to_owned(),
                None if upper => format!("{unit:04X}"),
                None => format!("{unit:04x}"),
            };
            result.push_str(r"\u");
            result.push_str(&digits);
        }
    }
    result
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
    fn the_text_itself_comes_first() {
        assert_eq!(spelled("“a” \"a\"", "\"a\"", "\"b\""), found("\"a\"", "\"b\""));
        assert_eq!(spelled("a", "b", "c"), None);
    }

    #[test]
    fn a_replacement_gets_the_kinds_of_quotes_that_were_found() {
        assert_eq!(spelled("say “hi”", "\"hi\"", "\"ho\" ('it's')"), found("“hi”", "“ho” ('it's')"));
        assert_eq!(spelled("it’s", "it's", "'don't' \"x\""), found("it’s", "‘don’t’ \"x\""));
        assert_eq!(spelled("“it’s”", "\"it's\"", "(\"a\")\t'b'"), found("“it’s”", "(“a”)\t‘b’"));
    }

    #[test]
    fn escapes_of_the_edit_are_read() {
        assert_eq!(spelled("café", r"caf\u00e9", r"th\u00E9"), found("café", "thé"));
        assert_eq!(spelled("a😀b", r"\ud83d\ude00", "x"), found("😀", "x"));
        assert_eq!(spelled("café", r"caf\\u00e9", "x"), None);
    }

    #[test]
    fn characters_of_the_edit_are_found_as_escapes() {
        assert_eq!(spelled(r"caf\u00E9!", "café", "théâ"), found(r"caf\u00E9", r"th\u00E9\u00E2"));
        assert_eq!(spelled(r"caf\u00e9", "café", "â😀"), found(r"caf\u00e9", r"\u00e2\ud83d\ude00"));
        assert_eq!(spelled(r"caf\\u00e9", "café", "x"), None);
        assert_eq!(spelled(r"Caf\u00e9", "café", "x"), None);
        assert_eq!(spelled(r"\\u00e9 \u00e9", "é", "x"), None);
    }
}
