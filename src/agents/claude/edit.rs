//! What a file would contain after an edit, exactly as Claude Code itself writes it.
//!
//! Pure: bytes in, bytes out. Knows nothing of paths, requests or contracts, and refuses nothing that
//! the client might apply: an edit that is wrongly taken for impossible is an edit that is not checked.

use memchr::memmem;

use phaser_core::text::{Bytes, to_str};
use phaser_project::tool_call::{Edit, NotApplied, Occurrences, in_turn};

mod spelling;

use spelling::Spelled;

/// The client decides on line endings by this much of a file, in UTF-16 units.
const LINE_ENDING_SAMPLE: usize = 4096;
const UTF16LE_BOM: &[u8] = b"\xFF\xFE";
const UTF8_BOM: char = '\u{FEFF}';

/// The bytes of the file after `edits`, each made on the result of the one before; `current` is the
/// file as it is, or `None` when there is none.
///
/// The result is UTF-8 whatever the encoding of the file is, and keeps its byte order mark.
///
/// The file may have no more than `limit` bytes: a few edits can ask for any number of them.
pub fn apply_within(current: Option<Bytes>, edits: &[Edit], limit: usize) -> Result<Bytes, NotApplied> {
    let creates = edits.first().is_some_and(|edit| edit.old.is_empty());
    let decoded = match current {
        Some(bytes) => into_utf8(bytes)?,
        None if creates => Bytes::default(),
        None => return Err(NotApplied::FileNotFound),
    };
    let ending = LineEnding::of(&decoded);
    let text = in_turn(without_crlf(decoded), edits, |text, edit| edited(text, edit, limit))?;
    Ok(ending.written(text))
}

/// The text of a file in UTF-8. If it is that already, it is not copied, and looked at but once.
fn into_utf8(mut bytes: Bytes) -> Result<Bytes, NotApplied> {
    if bytes.starts_with(UTF16LE_BOM) {
        return to_str(&bytes).map(|text| text.into_owned().into()).ok_or(NotApplied::BinaryFile);
    }
    let survey = bytes.look().ok_or(NotApplied::BinaryFile)?;
    if survey.is_ascii || std::str::from_utf8(&bytes).is_ok() {
        return Ok(bytes);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned().into())
}

/// `text`, which is UTF-8 and has no CRLF, after one edit. It is changed in place where that is possible, because a file
/// may be large.
fn edited(text: Bytes, edit: &Edit, limit: usize) -> Result<Bytes, NotApplied> {
    if edit.old.is_empty() {
        let blank = spelling::as_str(&text).chars().all(|char| char.is_whitespace() || char == UTF8_BOM);
        return if blank { Ok(edit.new.as_str().into()) } else { Err(NotApplied::OldNotFound) };
    }
    let mut spelled = find(&text, edit).ok_or(NotApplied::OldNotFound)?;
    if edit.new.is_empty() && !spelled.old.ends_with('\n') {
        // When the text ends a line anywhere, the client deletes it only there, and the newline with it.
        let with_newline = format!("{}\n", spelled.old);
        if let Some(at) = memmem::find(&text[spelled.from..], with_newline.as_bytes()) {
            spelled.old = with_newline.into();
            spelled.from += at;
        }
    }
    match edit.occurrences {
        Occurrences::First => first_replaced(text, &spelled, limit),
        Occurrences::All => all_replaced(text, &spelled, limit),
    }
}

/// How the text spells what is to be replaced. The client takes the line endings of an edit as they are; folded ones are
/// tried as well, so that an edit that it might make is not taken for impossible.
fn find(text: &[u8], edit: &Edit) -> Option<Spelled<'static>> {
    let exact = spelling::find(text, &edit.old, &edit.new).map(Spelled::into_owned);
    exact.or_else(|| {
        let old = edit.old.replace("\r\n", "\n");
        spelling::find(text, &old, &edit.new).map(Spelled::into_owned)
    })
}

fn first_replaced(mut text: Bytes, spelled: &Spelled<'_>, limit: usize) -> Result<Bytes, NotApplied> {
    if let Some(start) = memmem::find(&text[spelled.from..], spelled.old.as_bytes()) {
        let start = spelled.from + start;
        text.replace(start..start + spelled.old.len(), spelled.new.as_bytes());
    }
    if text.len() > limit { Err(NotApplied::TooLarge(limit)) } else { Ok(text) }
}

fn all_replaced(text: Bytes, spelled: &Spelled<'_>, limit: usize) -> Result<Bytes, NotApplied> {
    let finder = memmem::Finder::new(spelled.old.as_bytes());
    let mut places = finder.find_iter(&text[spelled.from..]).map(|at| spelled.from + at);
    let (first, second) = (places.next(), places.next());
    if second.is_none() {
        return first_replaced(text, spelled, limit);
    }
    let mut result = Vec::with_capacity(text.len() + spelled.new.len());
    let mut copied = 0;
    for start in first.into_iter().chain(second).chain(places) {
        result.extend_from_slice(&text[copied..start]);
        result.extend_from_slice(spelled.new.as_bytes());
        copied = start + spelled.old.len();
        if result.len() > limit {
            return Err(NotApplied::TooLarge(limit));
        }
    }
    result.extend_from_slice(&text[copied..]);
    if result.len() > limit { Err(NotApplied::TooLarge(limit)) } else { Ok(result.into()) }
}

fn without_crlf(mut text: Bytes) -> Bytes {
    let may_have = text.look().is_none_or(|survey| survey.has_returns);
    if !may_have || memmem::find(&text, b"\r\n").is_none() {
        return text;
    }
    let mut folded = Vec::with_capacity(text.len());
    let mut copied = 0;
    for start in memmem::find_iter(&text, b"\r\n") {
        folded.extend_from_slice(&text[copied..start]);
        copied = start + 1;
    }
    folded.extend_from_slice(&text[copied..]);
    folded.into()
}

/// The line ending a file is written with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineEnding {
    Lf,
    CrLf,
}

impl LineEnding {
    /// CRLF when there are more of them than of bare LFs at the start of the file.
    fn of(text: &[u8]) -> Self {
        // No unit takes more than three bytes.
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

    /// `text` as it is written to the file. With LF nothing is changed, not even a CRLF of the replacement.
    fn written(self, text: Bytes) -> Bytes {
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
        result.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phaser_core::text::Text;
    use proptest::prelude::*;

    fn first(old: &str, new: &str) -> Edit {
        Edit { old: old.to_owned(), new: new.to_owned(), occurrences: Occurrences::First }
    }

    fn all(old: &str, new: &str) -> Edit {
        Edit { old: old.to_owned(), new: new.to_owned(), occurrences: Occurrences::All }
    }

    fn apply(current: Option<Vec<u8>>, edits: &[Edit]) -> Result<Vec<u8>, NotApplied> {
        apply_within(current.map(Bytes::from), edits, usize::MAX).map(Bytes::into_vec)
    }

    fn on(current: impl AsRef<[u8]>, edits: &[Edit]) -> String {
        let bytes = apply(Some(current.as_ref().to_vec()), edits).expect("applies");
        String::from_utf8(bytes).expect("UTF-8")
    }

    fn refused(current: impl AsRef<[u8]>, edit: Edit) -> NotApplied {
        apply(Some(current.as_ref().to_vec()), &[edit]).expect_err("does not apply")
    }

    #[test]
    fn reasons_are_worded_as_documented() {
        assert_eq!(NotApplied::FileNotFound.to_string(), "File not found");
        assert_eq!(NotApplied::BinaryFile.to_string(), "Binary file detected");
        assert_eq!(NotApplied::OldNotFound.to_string(), "old_str not found in file");
    }

    #[test]
    fn only_the_first_occurrence_unless_all_are_asked_for() {
        assert_eq!(on("a b a\n", &[first("a", "x")]), "x b a\n");
        assert_eq!(on("a b a\n", &[all("a", "x")]), "x b x\n");
        assert_eq!(on("aaa", &[all("aa", "b")]), "ba");
    }

    #[test]
    fn a_result_that_would_be_too_large_is_not_made() {
        let within = |edits: &[Edit], limit| apply_within(Some("aaaa".into()), edits, limit);
        let grow = all("a", "0123456789");
        assert_eq!(within(std::slice::from_ref(&grow), 40).map(|text| text.len()), Ok(40));
        assert_eq!(within(&[grow], 39), Err(NotApplied::TooLarge(39)));
        assert_eq!(within(&[first("a", "b")], 3), Err(NotApplied::TooLarge(3)));
        let doubling = vec![all("a", "aa"); 200];
        assert_eq!(within(&doubling, 1_000), Err(NotApplied::TooLarge(1_000)));
    }

    #[test]
    fn edits_of_a_large_file_are_counted() {
        let text = "x".repeat(1024 * 1024) + "a";
        let edits = vec![first("a", "a"); phaser_project::tool_call::MAX_WORK / text.len() + 1];
        assert_eq!(apply(Some(text.as_bytes().to_vec()), &edits), Err(NotApplied::TooMuch));
        assert!(apply(Some(text.as_bytes().to_vec()), &edits[..2]).is_ok());
    }

    #[test]
    fn the_replacement_is_literal() {
        assert_eq!(on("price", &[first("price", "$1 $& $$ \\1")]), "$1 $& $$ \\1");
    }

    #[test]
    fn a_file_that_is_not_there_is_only_made_by_an_empty_old_text() {
        assert_eq!(apply(None, &[first("", "new\r\n")]), Ok(b"new\r\n".to_vec()));
        assert_eq!(apply(None, &[first("a", "b")]), Err(NotApplied::FileNotFound));
        assert_eq!(apply(None, &[]), Err(NotApplied::FileNotFound));
        assert_eq!(apply(None, &[first("", "one\n"), first("one", "two")]), Ok(b"two\n".to_vec()));
    }

    #[test]
    fn an_empty_old_text_replaces_only_a_blank_file() {
        assert_eq!(on("", &[first("", "new")]), "new");
        assert_eq!(on(" \n\t\n", &[first("", "new")]), "new");
        assert_eq!(on("\u{FEFF}", &[first("", "new")]), "new");
        assert_eq!(refused("text", first("", "new")), NotApplied::OldNotFound);
        assert_eq!(refused("text", all("", "new")), NotApplied::OldNotFound);
    }

    #[test]
    fn a_missing_old_text_is_said() {
        assert_eq!(refused("text", first("other", "x")), NotApplied::OldNotFound);
        assert_eq!(refused("it’s", first("its", "x")), NotApplied::OldNotFound);
        assert_eq!(refused("", first("x", "")), NotApplied::OldNotFound);
    }

    #[test]
    fn an_edit_that_changes_nothing_gives_the_file_as_it_is() {
        assert_eq!(on("a\r\nb\r\n", &[first("b", "b")]), "a\r\nb\r\n");
        assert_eq!(on("as it is", &[]), "as it is");
    }

    #[test]
    fn binary_files_are_refused_and_invalid_text_is_not() {
        assert_eq!(refused(b"a\0b", first("a", "b")), NotApplied::BinaryFile);
        assert_eq!(refused(b"\xFF\xFEa\0\0\0", first("a", "b")), NotApplied::BinaryFile);
        assert_eq!(on(b"caf\xE9 = 1", &[first("1", "2")]), "caf\u{FFFD} = 2");
    }

    #[test]
    fn a_utf8_mark_stays() {
        assert_eq!(on("\u{FEFF}one two", &[first("one", "1")]), "\u{FEFF}1 two");
    }

    #[test]
    fn utf16le_is_read_by_its_mark() {
        let mut bytes = vec![0xFF, 0xFE];
        bytes.extend("aé😀\r\nb\r\n".encode_utf16().flat_map(u16::to_le_bytes));
        assert_eq!(on(bytes, &[first("😀\nb", "x\ny")]), "\u{FEFF}aéx\r\ny\r\n");
    }

    #[test]
    fn crlf_is_matched_as_lf_and_written_back() {
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
    fn line_endings_are_judged_by_the_first_4096_units() {
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
    fn an_lf_file_keeps_the_crlf_of_a_replacement() {
        assert_eq!(on("a\nb\n", &[first("b", "x\r\ny")]), "a\nx\r\ny\n");
    }

    #[test]
    fn deleting_takes_the_newline_along() {
        assert_eq!(on("a\nb\nc\n", &[first("b", "")]), "a\nc\n");
        assert_eq!(on("a\r\nb\r\nc\r\n", &[first("b", "")]), "a\r\nc\r\n");
        assert_eq!(on("a\nb\nc\n", &[first("b\n", "")]), "a\nc\n");
        assert_eq!(on("a b c\n", &[first("b ", "")]), "a c\n");
        assert_eq!(on("a\nb", &[first("b", "")]), "a\n");
    }

    #[test]
    fn deleting_prefers_the_occurrence_that_ends_a_line() {
        assert_eq!(on("b a\na b\nc", &[first("b", "")]), "b a\na c");
        assert_eq!(on("b a\na b\nc", &[all("b", "")]), "b a\na c");
    }

    #[test]
    fn curly_quotes_match_straight_ones_and_the_reverse() {
        assert_eq!(on("say “hi” — it’s", &[first("say \"hi\" — it's", "ok")]), "ok");
        assert_eq!(on("ok 'a' \"b\".", &[first("‘a’ “b”", "c")]), "ok c.");
        assert_eq!(on("“x” ‘y’ z", &[first("'y'", "w")]), "“x” w z");
        assert_eq!(on("– “x” …", &[first("\"x\" …", "y")]), "– y");
    }

    #[test]
    fn an_exact_match_is_preferred_to_a_folded_one() {
        assert_eq!(on("‘a’ 'a'", &[first("'a'", "b")]), "‘a’ b");
    }

    #[test]
    fn a_folded_match_replaces_all_that_are_spelled_like_the_first() {
        assert_eq!(on("‘a’ ’a‘ ‘a’", &[all("'a'", "b")]), "b ’a‘ b");
    }

    #[test]
    fn a_folded_match_is_deleted_with_its_newline() {
        assert_eq!(on("x\n‘a’\ny\n", &[first("'a'", "")]), "x\ny\n");
    }

    #[test]
    fn a_carriage_return_of_its_own_is_matched_as_it_is() {
        assert_eq!(on("x = 1\r\r\ny = 2\n", &[first("x = 1\r\ny", "eval(1)\ny")]), "eval(1)\ny = 2\n");
    }

    #[test]
    fn half_a_character_is_found_where_the_file_has_it_as_an_escape() {
        let file = r#"{"face": "\ud83D"}"#;
        assert_eq!(on(file, &[first("\"\u{FFFD}\"", "\"\u{FFFD}x\"")]), r#"{"face": "\ud83Dx"}"#);
        assert_eq!(refused("no face", first("\u{FFFD}", "x")), NotApplied::OldNotFound);
    }

    #[test]
    fn edits_see_the_result_of_the_ones_before() {
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

    /// The client's steps, one after the other, on whole strings.
    fn model(current: &str, edit: &Edit) -> Option<String> {
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

    /// What makes bytes another kind of text, and what an edit here looks for.
    fn units() -> Vec<&'static [u8]> {
        let own = [&b"b"[..], b"a b", b"'", "\u{2018}".as_bytes()];
        phaser_core::text::UNITS.iter().copied().chain(own).collect()
    }

    proptest! {
        #[test]
        fn an_edit_of_any_bytes_is_made_on_their_text_and_what_is_known_of_it_is_true(
            file in prop::collection::vec(prop::sample::select(units()), 0..20),
            old in "[ab\r\né']{1,2}",
            new in "([abé'\n\t\u{1}\u{c}\0\u{FEFF}]|\r\n){0,4}",
        ) {
            let file = file.concat();
            for edit in [first(&old, &new), all(&old, &new)] {
                let made = apply_within(Some(file.clone().into()), std::slice::from_ref(&edit), usize::MAX);
                // The simple way: all of it as one string, and a new look at the result.
                let expected = to_str(&file).and_then(|text| {
                    let folded = Edit { old: edit.old.replace("\r\n", "\n"), ..edit.clone() };
                    model(&text, &edit).or_else(|| model(&text, &folded))
                });
                prop_assert_eq!(made.as_deref().ok(), expected.as_ref().map(String::as_bytes));
                let Ok(made) = made else { continue };
                let facts = |text: Option<Text<'_>>| text.map(|text| (text.bytes().to_vec(), text.is_ascii()));
                prop_assert_eq!(facts(Text::of(&made)), facts(Text::new(made.to_vec())), "{:?}", made);
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
                let folded = Edit { old: edit.old.replace("\r\n", "\n"), ..edit.clone() };
                let expected = model(&text, &edit).or_else(|| model(&text, &folded));
                prop_assert_eq!(result, expected.map(String::into_bytes));
            }
        }

        #[test]
        fn crlf_files_are_edited_as_lf_files_are(
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
