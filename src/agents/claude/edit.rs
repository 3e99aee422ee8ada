//! The result of an `Edit` call, byte for byte as Claude Code writes it.
//!
//! phaser checks the file that an edit *would* leave, so it has to repeat Claude Code's algorithm exactly. An edit that is
//! wrongly taken for impossible would not be checked; where Claude Code's behaviour is in doubt, the edit is applied.
//!
//! # Algorithm
//!
//! 1. Decode the file: UTF-16LE with a byte order mark, otherwise UTF-8 (lossy). Binary files are an error.
//! 2. Determine the line ending: CRLF if the first 4096 UTF-16 units have more CRLFs than bare LFs.
//! 3. Replace every CRLF by LF.
//! 4. For each edit, find the old text ([`spelling`]): as given; else with curly quotes made straight; else with the
//!    edit's `\uXXXX` escapes decoded; else with the edit's non-ASCII characters written as escapes. The new text is
//!    adapted to the spelling found.
//! 5. If the new text is empty and the old text is followed by a newline somewhere, delete that occurrence with its newline.
//! 6. Replace the first occurrence, or all of them (`replace_all`).
//! 7. Write the result with the line ending of step 2.
//!
//! # Example
//!
//! The file is `say “hi”\r\nbye\r\n`, the edit replaces `say "hi"` by `say "ho"\nagain`.
//!
//! - Two CRLFs, no bare LF: the line ending is CRLF. The text to search is `say “hi”\nbye\n`.
//! - `say "hi"` is not in it. With straight quotes the text is `say "hi"\nbye\n`, where it starts at 0; the file spells it
//!   `say “hi”`.
//! - The match has curly double quotes, so the new text gets them as well: `say “ho”\nagain`. A quote after white space, an
//!   opening bracket or a dash opens; every other one closes.
//! - The text is now `say “ho”\nagain\nbye\n`; with CRLF, the file is `say “ho”\r\nagain\r\nbye\r\n`.
//!
//! # Limits
//!
//! The result is UTF-8 whatever the encoding of the file is: contracts match text, not bytes. Old text with CRLF is tried
//! with LF as well, which Claude Code may not do.

use memchr::memmem;

use crate::agents::replace::replace;
use phaser_core::text::{is_text, to_str};
use phaser_project::tool_call::{NotApplied, Occurrences, TextEdit, in_turn};

mod spelling;

use spelling::Spelled;

/// The length of the sample that determines the line ending, in UTF-16 units.
const LINE_ENDING_SAMPLE: usize = 4096;
const UTF16LE_BOM: &[u8] = b"\xFF\xFE";
const UTF8_BOM: char = '\u{FEFF}';

/// The file after `edits`, each applied to the result of the previous one; `current` is `None` if there is no file.
///
/// The result is UTF-8 and keeps the byte order mark. It has at most `limit` bytes: a few edits with `replace_all` could
/// produce any number of them.
pub fn apply_within(
    current: Option<Vec<u8>>,
    edits: &[TextEdit],
    limit: usize,
) -> Result<Vec<u8>, NotApplied> {
    let creates = edits.first().is_some_and(|edit| edit.old.is_empty());
    let decoded = match current {
        Some(bytes) => into_utf8(bytes)?,
        None if creates => Vec::new(),
        None => return Err(NotApplied::FileNotFound),
    };
    let ending = LineEnding::of(&decoded);
    let text = in_turn(without_crlf(decoded), edits, |text, edit| edited(text, edit, limit))?;
    Ok(ending.written(text))
}

/// The text of a file in UTF-8, without a copy if it is UTF-8 already.
fn into_utf8(bytes: Vec<u8>) -> Result<Vec<u8>, NotApplied> {
    if bytes.starts_with(UTF16LE_BOM) {
        return to_str(&bytes).map(|text| text.into_owned().into()).ok_or(NotApplied::BinaryFile);
    }
    if !is_text(&bytes) {
        return Err(NotApplied::BinaryFile);
    }
    match std::str::from_utf8(&bytes) {
        Ok(_) => Ok(bytes),
        Err(_) => Ok(String::from_utf8_lossy(&bytes).into_owned().into()),
    }
}

/// `text`, which is UTF-8 without CRLF, after one edit; changed in place where possible, because files may be large.
fn edited(text: Vec<u8>, edit: &TextEdit, limit: usize) -> Result<Vec<u8>, NotApplied> {
    if edit.old.is_empty() {
        let blank = spelling::as_str(&text).chars().all(|char| char.is_whitespace() || char == UTF8_BOM);
        return if blank { Ok(edit.new.as_str().into()) } else { Err(NotApplied::OldNotFound) };
    }
    let mut spelled = find(&text, edit).ok_or(NotApplied::OldNotFound)?;
    if edit.new.is_empty() && !spelled.old.ends_with('\n') {
        // Step 5: prefer an occurrence at the end of a line and delete its newline too.
        let with_newline = format!("{}\n", spelled.old);
        if let Some(at) = memmem::find(&text[spelled.from..], with_newline.as_bytes()) {
            spelled.old = with_newline.into();
            spelled.from += at;
        }
    }
    match edit.occurrences {
        Occurrences::First => first_replaced(text, &spelled, limit),
        Occurrences::All => replace(&text, [&spelled.old, &spelled.new], usize::MAX, limit),
    }
}

/// The old and new text as the file spells them. Claude Code takes the line endings of an edit as given; LF for CRLF is
/// tried as well, so that no possible edit is missed.
fn find(text: &[u8], edit: &TextEdit) -> Option<Spelled<'static>> {
    let exact = spelling::find(text, &edit.old, &edit.new).map(Spelled::into_owned);
    exact.or_else(|| {
        let old = edit.old.replace("\r\n", "\n");
        spelling::find(text, &old, &edit.new).map(Spelled::into_owned)
    })
}

fn first_replaced(mut text: Vec<u8>, spelled: &Spelled<'_>, limit: usize) -> Result<Vec<u8>, NotApplied> {
    if let Some(start) = memmem::find(&text[spelled.from..], spelled.old.as_bytes()) {
        let start = spelled.from + start;
        text.splice(start..start + spelled.old.len(), spelled.new.bytes());
    }
    if text.len() > limit { Err(NotApplied::TooLarge(limit)) } else { Ok(text) }
}

fn without_crlf(text: Vec<u8>) -> Vec<u8> {
    if memmem::find(&text, b"\r\n").is_none() {
        return text;
    }
    let mut folded = Vec::with_capacity(text.len());
    let mut copied = 0;
    for start in memmem::find_iter(&text, b"\r\n") {
        folded.extend_from_slice(&text[copied..start]);
        copied = start + 1;
    }
    folded.extend_from_slice(&text[copied..]);
    folded
}

/// The line ending of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineEnding {
    Lf,
    CrLf,
}

impl LineEnding {
    /// CRLF if the sample has more CRLFs than bare LFs.
    fn of(text: &[u8]) -> Self {
        // A UTF-16 unit takes at most three bytes of UTF-8.
        let head = &text[..text.len().min(3 * LINE_ENDING_SAMPLE)];
        let head = head.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        let mut units = 0;
        let sample = head.chars().take_while(|char| {
            units += char.len_utf16();
            units <= LINE_ENDING_SAMPLE
        });
        let (mut bare, mut crlf, mut before) = (0, 0, None);
        for char in sample {
            match (before, char) {
                (Some('\r'), '\n') => crlf += 1,
                (_, '\n') => bare += 1,
                _ => {}
            }
            before = Some(char);
        }
        if crlf > bare { Self::CrLf } else { Self::Lf }
    }

    /// `text` with this line ending. LF changes nothing, not even a CRLF in the replacement.
    fn written(self, text: Vec<u8>) -> Vec<u8> {
        if self == Self::Lf {
            return text;
        }
        let mut result = Vec::with_capacity(text.len() + text.len() / 16);
        let mut copied = 0;
        for newline in memchr::memchr_iter(b'\n', &text) {
            let line = &text[copied..newline];
            result.extend_from_slice(line.strip_suffix(b"\r").unwrap_or(line));
            result.extend_from_slice(b"\r\n");
            copied = newline + 1;
        }
        result.extend_from_slice(&text[copied..]);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn first(old: &str, new: &str) -> TextEdit {
        TextEdit { old: old.to_owned(), new: new.to_owned(), occurrences: Occurrences::First }
    }

    fn all(old: &str, new: &str) -> TextEdit {
        TextEdit { old: old.to_owned(), new: new.to_owned(), occurrences: Occurrences::All }
    }

    fn apply(current: Option<Vec<u8>>, edits: &[TextEdit]) -> Result<Vec<u8>, NotApplied> {
        apply_within(current, edits, usize::MAX)
    }

    fn on(current: impl AsRef<[u8]>, edits: &[TextEdit]) -> String {
        let bytes = apply(Some(current.as_ref().to_vec()), edits).expect("applies");
        String::from_utf8(bytes).expect("UTF-8")
    }

    fn not_applied(current: impl AsRef<[u8]>, edit: TextEdit) -> NotApplied {
        apply(Some(current.as_ref().to_vec()), &[edit]).expect_err("does not apply")
    }

    #[test]
    fn reasons_are_worded_as_documented() {
        assert_eq!(NotApplied::FileNotFound.to_string(), "File not found");
        assert_eq!(NotApplied::BinaryFile.to_string(), "Binary file detected");
        assert_eq!(NotApplied::OldNotFound.to_string(), "old_str not found in file");
    }

    #[test]
    fn replaces_first_or_all_occurrences() {
        assert_eq!(on("a b a\n", &[first("a", "x")]), "x b a\n");
        assert_eq!(on("a b a\n", &[all("a", "x")]), "x b x\n");
        assert_eq!(on("aaa", &[all("aa", "b")]), "ba");
    }

    #[test]
    fn limits_size_of_result() {
        let within = |edits: &[TextEdit], limit| apply_within(Some("aaaa".into()), edits, limit);
        let grow = all("a", "0123456789");
        assert_eq!(within(std::slice::from_ref(&grow), 40).map(|text| text.len()), Ok(40));
        assert_eq!(within(&[grow], 39), Err(NotApplied::TooLarge(39)));
        assert_eq!(within(&[first("a", "b")], 3), Err(NotApplied::TooLarge(3)));
        let doubling = vec![all("a", "aa"); 200];
        assert_eq!(within(&doubling, 1_000), Err(NotApplied::TooLarge(1_000)));
    }

    #[test]
    fn limits_work_on_large_files() {
        let text = "x".repeat(1024 * 1024) + "a";
        let edits = vec![first("a", "a"); phaser_project::tool_call::MAX_WORK / text.len() + 1];
        assert_eq!(apply(Some(text.as_bytes().to_vec()), &edits), Err(NotApplied::TooMuch));
        assert!(apply(Some(text.as_bytes().to_vec()), &edits[..2]).is_ok());
    }

    #[test]
    fn replacement_is_literal() {
        assert_eq!(on("price", &[first("price", "$1 $& $$ \\1")]), "$1 $& $$ \\1");
    }

    #[test]
    fn empty_old_text_creates_file() {
        assert_eq!(apply(None, &[first("", "new\r\n")]), Ok(b"new\r\n".to_vec()));
        assert_eq!(apply(None, &[first("a", "b")]), Err(NotApplied::FileNotFound));
        assert_eq!(apply(None, &[]), Err(NotApplied::FileNotFound));
        assert_eq!(apply(None, &[first("", "one\n"), first("one", "two")]), Ok(b"two\n".to_vec()));
    }

    #[test]
    fn empty_old_text_replaces_blank_file() {
        assert_eq!(on("", &[first("", "new")]), "new");
        assert_eq!(on(" \n\t\n", &[first("", "new")]), "new");
        assert_eq!(on("\u{FEFF}", &[first("", "new")]), "new");
        assert_eq!(not_applied("text", first("", "new")), NotApplied::OldNotFound);
        assert_eq!(not_applied("text", all("", "new")), NotApplied::OldNotFound);
    }

    #[test]
    fn reports_missing_old_text() {
        assert_eq!(not_applied("text", first("other", "x")), NotApplied::OldNotFound);
        assert_eq!(not_applied("it’s", first("its", "x")), NotApplied::OldNotFound);
        assert_eq!(not_applied("", first("x", "")), NotApplied::OldNotFound);
    }

    #[test]
    fn keeps_file_on_empty_edit() {
        assert_eq!(on("a\r\nb\r\n", &[first("b", "b")]), "a\r\nb\r\n");
        assert_eq!(on("as it is", &[]), "as it is");
    }

    #[test]
    fn rejects_binary_but_not_invalid_text() {
        assert_eq!(not_applied(b"a\0b", first("a", "b")), NotApplied::BinaryFile);
        assert_eq!(not_applied(b"\xFF\xFEa\0\0\0", first("a", "b")), NotApplied::BinaryFile);
        assert_eq!(on(b"caf\xE9 = 1", &[first("1", "2")]), "caf\u{FFFD} = 2");
    }

    #[test]
    fn keeps_utf8_byte_order_mark() {
        assert_eq!(on("\u{FEFF}one two", &[first("one", "1")]), "\u{FEFF}1 two");
    }

    #[test]
    fn decodes_utf16le_by_its_mark() {
        let mut bytes = vec![0xFF, 0xFE];
        bytes.extend("aé😀\r\nb\r\n".encode_utf16().flat_map(u16::to_le_bytes));
        assert_eq!(on(bytes, &[first("😀\nb", "x\ny")]), "\u{FEFF}aéx\r\ny\r\n");
    }

    #[test]
    fn matches_crlf_as_lf() {
        assert_eq!(on("a\r\nb\r\nc\r\n", &[first("a\nb", "x\ny\nz")]), "x\r\ny\r\nz\r\nc\r\n");
        assert_eq!(on("a\r\nb\r\nc\r\n", &[first("a\r\nb", "x\r\ny")]), "x\r\ny\r\nc\r\n");
    }

    #[test]
    fn bare_carriage_returns_are_text() {
        assert_eq!(on("a\rb\n", &[first("a\rb", "c\rd")]), "c\rd\n");
        assert_eq!(on("a\rb\r\n", &[first("b", "c")]), "a\rc\r\n");
    }

    #[test]
    fn crlf_must_outnumber_bare_lf() {
        assert_eq!(on("a\r\nb\nc\r\n", &[first("b", "x")]), "a\r\nx\r\nc\r\n");
        assert_eq!(on("a\r\nb\n", &[first("b", "x")]), "a\nx\n");
        assert_eq!(on("a\nb\r\nc\n", &[first("b", "x")]), "a\nx\nc\n");
    }

    #[test]
    fn samples_first_4096_units() {
        let crlf_at = |offset: usize, filler: char| {
            let before = filler.to_string().repeat(offset / filler.len_utf16());
            on(format!("{before}\r\nz\r\n"), &[first("z", "y")]).contains("\r\n")
        };
        assert!(crlf_at(4094, 'x'));
        assert!(!crlf_at(4095, 'x'));
        assert!(crlf_at(4094, '😀'));
        assert!(!crlf_at(4096, '😀'));
        assert!(crlf_at(4094, 'é'));
        assert!(crlf_at(4094, '€') && !crlf_at(4095, '€'), "three bytes are one unit");
    }

    #[test]
    fn lf_file_keeps_crlf_of_replacement() {
        assert_eq!(on("a\nb\n", &[first("b", "x\r\ny")]), "a\nx\r\ny\n");
    }

    #[test]
    fn deletes_newline_with_text() {
        assert_eq!(on("a\nb\nc\n", &[first("b", "")]), "a\nc\n");
        assert_eq!(on("a\r\nb\r\nc\r\n", &[first("b", "")]), "a\r\nc\r\n");
        assert_eq!(on("a\nb\nc\n", &[first("b\n", "")]), "a\nc\n");
        assert_eq!(on("a b c\n", &[first("b ", "")]), "a c\n");
        assert_eq!(on("a\nb", &[first("b", "")]), "a\n");
    }

    #[test]
    fn deletes_occurrence_at_line_end_first() {
        assert_eq!(on("b a\na b\nc", &[first("b", "")]), "b a\na c");
        assert_eq!(on("b a\na b\nc", &[all("b", "")]), "b a\na c");
    }

    #[test]
    fn curly_and_straight_quotes_match() {
        assert_eq!(on("say “hi” — it’s", &[first("say \"hi\" — it's", "ok")]), "ok");
        assert_eq!(on("ok 'a' \"b\".", &[first("‘a’ “b”", "c")]), "ok c.");
        assert_eq!(on("“x” ‘y’ z", &[first("'y'", "w")]), "“x” w z");
        assert_eq!(on("– “x” …", &[first("\"x\" …", "y")]), "– y");
    }

    #[test]
    fn prefers_exact_match() {
        assert_eq!(on("‘a’ 'a'", &[first("'a'", "b")]), "‘a’ b");
    }

    #[test]
    fn replaces_all_with_same_spelling() {
        assert_eq!(on("‘a’ ’a‘ ‘a’", &[all("'a'", "b")]), "b ’a‘ b");
    }

    #[test]
    fn deletes_folded_match_with_newline() {
        assert_eq!(on("x\n‘a’\ny\n", &[first("'a'", "")]), "x\ny\n");
    }

    #[test]
    fn matches_lone_carriage_return() {
        assert_eq!(on("x = 1\r\r\ny = 2\n", &[first("x = 1\r\ny", "eval(1)\ny")]), "eval(1)\ny = 2\n");
    }

    #[test]
    fn finds_escaped_lone_surrogate() {
        let file = r#"{"face": "\ud83D"}"#;
        assert_eq!(on(file, &[first("\"\u{FFFD}\"", "\"\u{FFFD}x\"")]), r#"{"face": "\ud83Dx"}"#);
        assert_eq!(not_applied("no face", first("\u{FFFD}", "x")), NotApplied::OldNotFound);
    }

    #[test]
    fn applies_edits_in_order() {
        assert_eq!(on("one\r\n", &[first("one", "two"), all("two", "three\nfour")]), "three\r\nfour\r\n");
        assert_eq!(
            apply(Some(b"one".to_vec()), &[first("one", "two"), first("one", "x")]),
            Err(NotApplied::OldNotFound)
        );
    }

    /// `new` with the kinds of curly quotes that `found` has, one quote after the other.
    fn curl(found: &str, new: &str) -> String {
        let chars: Vec<char> = new.chars().collect();
        let opens = |at: usize| at == 0 || ['\n', '\r', '\t', ' '].contains(&chars[at - 1]);
        let quote = |at: usize, pair: [char; 2]| if opens(at) { pair[0] } else { pair[1] };
        let curled = chars.iter().enumerate().map(|(at, &char)| match char {
            '\'' if found.contains(['‘', '’']) => quote(at, ['‘', '’']),
            '"' if found.contains(['“', '”']) => quote(at, ['“', '”']),
            _ => char,
        });
        curled.collect()
    }

    /// The agent's steps, one after the other, on whole strings.
    fn model(current: &str, edit: &TextEdit) -> Option<String> {
        let crlf = current.matches("\r\n").count() > current.matches('\n').count() / 2;
        let text = current.replace("\r\n", "\n");
        let straight = |text: &str| text.replace(['‘', '’'], "'").replace(['“', '”'], "\"");
        let old = if text.contains(&edit.old) {
            edit.old.clone()
        } else {
            let start = straight(&text).find(&straight(&edit.old))?;
            let start = straight(&text)[..start].chars().count();
            text.chars().skip(start).take(edit.old.chars().count()).collect()
        };
        let new = if old == edit.old { edit.new.clone() } else { curl(&old, &edit.new) };
        let line = format!("{old}\n");
        let takes_newline = edit.new.is_empty() && !old.ends_with('\n') && text.contains(&line);
        let old = if takes_newline { line } else { old };
        let text = match edit.occurrences {
            Occurrences::First => text.replacen(&old, &new, 1),
            Occurrences::All => text.replace(&old, &new),
        };
        Some(if crlf { text.replace("\r\n", "\n").replace('\n', "\r\n") } else { text })
    }

    /// Marks, control characters, NUL, line endings, characters, and halves of them.
    const UNITS: &[&[u8]] = &[
        b"a",
        b"bc",
        b"\n",
        b"\r",
        b"\r\n",
        b"\t",
        b"\x01",
        b"\x0C",
        b"\x1F",
        b"\0",
        b"\x7F",
        b"\xC3\xA9",
        b"\xC3",
        b"\xA9",
        b"\xEF\xBB\xBF",
        b"\xEF",
        b"\xBB\xBF",
        b"\xFF",
        b"\xFE",
        b"\xFF\xFE",
        b"0123456789abcdef",
    ];

    /// [`UNITS`], and the pieces that the edits below replace.
    fn units() -> Vec<&'static [u8]> {
        let own = [&b"b"[..], b"a b", b"'", "\u{2018}".as_bytes()];
        UNITS.iter().copied().chain(own).collect()
    }

    proptest! {
        #[test]
        fn edits_arbitrary_bytes(
            file in prop::collection::vec(prop::sample::select(units()), 0..20),
            old in "[ab\r\né']{1,2}",
            new in "([abé'\n\t\u{1}\u{c}\0\u{FEFF}]|\r\n){0,4}",
        ) {
            let file = file.concat();
            for edit in [first(&old, &new), all(&old, &new)] {
                let made = apply_within(Some(file.clone()), std::slice::from_ref(&edit), usize::MAX);
                // The simple way: the whole text as one string, read again.
                let expected = to_str(&file).and_then(|text| {
                    let folded = TextEdit { old: edit.old.replace("\r\n", "\n"), ..edit.clone() };
                    model(&text, &edit).or_else(|| model(&text, &folded))
                });
                prop_assert_eq!(made.as_deref().ok(), expected.as_ref().map(String::as_bytes));
            }
        }

        #[test]
        fn plain_text_is_replaced_as_str_does(
            text in "[ab\n]{0,40}",
            old in "[ab\n]{1,3}",
            new in "[abc$]{1,3}",
        ) {
            let expected = text.contains(&old).then(|| text.replacen(&old, &new, 1).into_bytes());
            prop_assert_eq!(apply(Some(text.as_bytes().to_vec()), &[first(&old, &new)]).ok(), expected);
            let expected = text.contains(&old).then(|| text.replace(&old, &new).into_bytes());
            prop_assert_eq!(apply(Some(text.as_bytes().to_vec()), &[all(&old, &new)]).ok(), expected);
        }

        #[test]
        fn edits_equal_the_model(
            text in "([ab'’“\"é]|\n|\r\n|\r\r\n){0,30}",
            old in "([ab'’“\"é\n]|\r\n){1,3}",
            new in "([ab'’\"]|\r?\n){0,3}",
        ) {
            for edit in [first(&old, &new), all(&old, &new)] {
                let result = apply(Some(text.as_bytes().to_vec()), std::slice::from_ref(&edit)).ok();
                let folded = TextEdit { old: edit.old.replace("\r\n", "\n"), ..edit.clone() };
                let expected = model(&text, &edit).or_else(|| model(&text, &folded));
                prop_assert_eq!(result, expected.map(String::into_bytes));
            }
        }

        #[test]
        fn crlf_equals_lf(
            text in "[abé\n]{0,30}\n",
            old in "[abé\n]{1,3}",
            new in "[abé\n]{0,3}",
        ) {
            let crlf = text.replace('\n', "\r\n");
            let expected = apply(Some(text.as_bytes().to_vec()), &[first(&old, &new)]).ok();
            let with_crlf = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).replace('\n', "\r\n").into_bytes();
            let expected = expected.map(with_crlf);
            prop_assert_eq!(apply(Some(crlf.as_bytes().to_vec()), &[first(&old, &new)]).ok(), expected);
        }

        #[test]
        fn nothing_outside_the_replaced_text_changes(
            before in "[a-y’“é\n]{0,40}",
            after in "[a-y’“é\n]{0,40}",
            new in "[a-y$\n]{1,9}",
        ) {
            let text = format!("{before}Z'Z{after}");
            prop_assert_eq!(on(&text, &[first("Z’Z", &new)]), format!("{before}{new}{after}"));
        }
    }
}
