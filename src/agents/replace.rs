//! Text replacement as most agents do it: an exact match that ignores the difference between CRLF and LF and keeps the
//! file's line endings.
//!
//! Agents' fallbacks for text without an exact match are not repeated here; such an edit is checked after it is made.

use std::borrow::Cow;

use memchr::memmem;

use phaser_core::text::to_str;
use phaser_project::tool_call::{Algorithm, NotApplied, Occurrences, TextEdit, in_turn};

/// Replaces an exact match, line endings aside. An empty old text creates a file.
pub const EXACT: Algorithm = Algorithm(exact);

/// Appends the new text to the file, on a new line.
pub const APPEND: Algorithm = Algorithm(append);

fn exact(current: Option<Vec<u8>>, edits: &[TextEdit], limit: usize) -> Result<Vec<u8>, NotApplied> {
    let creates = edits.first().is_some_and(|edit| edit.old.is_empty());
    let file = match &current {
        Some(bytes) => to_str(bytes).ok_or(NotApplied::BinaryFile)?,
        None if creates => Cow::Borrowed(""),
        None => return Err(NotApplied::FileNotFound),
    };
    let crlf = file.contains("\r\n");
    let mut text = in_turn(folded(&file).into_owned(), edits, |text, edit| replaced(&text, edit, limit))?;
    if crlf {
        text = text.replace('\n', "\r\n");
    }
    Ok(text.into())
}

fn replaced(text: &str, edit: &TextEdit, limit: usize) -> Result<String, NotApplied> {
    let (old, new) = (folded(&edit.old), folded(&edit.new));
    if old.is_empty() {
        return if text.trim().is_empty() { Ok(new.into_owned()) } else { Err(NotApplied::OldNotFound) };
    }
    let most = match edit.occurrences {
        Occurrences::First => 1,
        Occurrences::All => usize::MAX,
    };
    memmem::find(text.as_bytes(), old.as_bytes()).ok_or(NotApplied::OldNotFound)?;
    let bytes = replace(text.as_bytes(), [&old, &new], most, limit)?;
    String::from_utf8(bytes).map_err(|_| NotApplied::BinaryFile)
}

/// `text` with `new` for the first `most` occurrences of `old`, if it has at most `limit` bytes.
pub fn replace(text: &[u8], [old, new]: [&str; 2], most: usize, limit: usize) -> Result<Vec<u8>, NotApplied> {
    let mut result = Vec::with_capacity(text.len() + new.len());
    let mut copied = 0;
    for start in memmem::find_iter(text, old.as_bytes()).take(most) {
        result.extend_from_slice(&text[copied..start]);
        result.extend_from_slice(new.as_bytes());
        copied = start + old.len();
        if result.len() > limit {
            return Err(NotApplied::TooLarge(limit));
        }
    }
    result.extend_from_slice(&text[copied..]);
    if result.len() > limit { Err(NotApplied::TooLarge(limit)) } else { Ok(result) }
}

fn append(current: Option<Vec<u8>>, edits: &[TextEdit], limit: usize) -> Result<Vec<u8>, NotApplied> {
    let mut bytes = current.unwrap_or_default();
    for edit in edits {
        if bytes.last().is_some_and(|last| *last != b'\n') {
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(edit.new.as_bytes());
        if bytes.len() > limit {
            return Err(NotApplied::TooLarge(limit));
        }
    }
    Ok(bytes)
}

/// `text` with LF for CRLF.
fn folded(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(old: &str, new: &str, occurrences: Occurrences) -> TextEdit {
        TextEdit { old: old.to_owned(), new: new.to_owned(), occurrences }
    }

    fn on(file: &str, edits: &[TextEdit]) -> Result<String, NotApplied> {
        exact(Some(file.into()), edits, 100).map(|bytes| String::from_utf8(bytes).expect("UTF-8"))
    }

    #[test]
    fn replaces_first_or_all() {
        assert_eq!(on("a a", &[edit("a", "$1", Occurrences::First)]), Ok("$1 a".into()));
        assert_eq!(on("a a", &[edit("a", "b", Occurrences::All)]), Ok("b b".into()));
        let both = [edit("a", "b", Occurrences::First), edit("b", "c", Occurrences::First)];
        assert_eq!(on("a", &both), Ok("c".into()));
        assert_eq!(on("a", &[edit("x", "b", Occurrences::All)]), Err(NotApplied::OldNotFound));
        assert_eq!(
            on("aaaa", &[edit("a", &"b".repeat(30), Occurrences::All)]),
            Err(NotApplied::TooLarge(100))
        );
    }

    #[test]
    fn keeps_line_endings() {
        let edits = [edit("a\nb", "c\nd", Occurrences::First)];
        assert_eq!(on("a\r\nb\r\n", &edits), Ok("c\r\nd\r\n".into()));
        assert_eq!(on("a\nb\n", &edits), Ok("c\nd\n".into()));
        assert_eq!(on("a\nb\n", &[edit("a\r\nb", "c\r\nd", Occurrences::First)]), Ok("c\nd\n".into()));
    }

    #[test]
    fn empty_old_text_creates_file() {
        assert_eq!(exact(None, &[edit("", "new", Occurrences::First)], 100), Ok("new".into()));
        assert_eq!(exact(None, &[edit("a", "new", Occurrences::First)], 100), Err(NotApplied::FileNotFound));
        assert_eq!(on("text", &[edit("", "new", Occurrences::First)]), Err(NotApplied::OldNotFound));
    }

    #[test]
    fn appends_on_new_line() {
        let append = |file: &str| append(Some(file.into()), &[edit("", "x", Occurrences::First)], 100);
        assert_eq!(append("a"), Ok("a\nx".into()));
        assert_eq!(append("a\n"), Ok("a\nx".into()));
        assert_eq!(append(""), Ok("x".into()));
    }
}
