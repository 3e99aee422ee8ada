//! The cells of a Jupyter notebook, decoded from its JSON.
//!
//! Contracts see the source of each cell as its author wrote it, not as JSON spells it. A match in a cell has a range in the
//! decoded source and one in the file; [`NotebookCell::in_file`] translates the first into the second:
//!
//! ```text
//! file     "source": ["x = 1\n", "print(\"a\")"]      source   x = 1⏎print("a")
//! offsets             ^12        ^22                           ^0     ^6
//! ```
//!
//! `print(` at 6..12 of the source is at 22..28 of the file. The match `("a")` at 11..16 of the source is at 27..34 of the
//! file, because each quote has a backslash there.
//!
//! Keys may be escaped and repeated; all of them count, whichever one a reader of the notebook takes. A text that is not
//! JSON, or has no list of cells, is no notebook and is searched as it is.

use std::ops::Range;

use crate::path::RelPath;

/// The cells of a notebook.
#[derive(Debug, PartialEq, Eq)]
pub struct Notebook {
    /// In their order.
    pub cells: Vec<NotebookCell>,
}

/// The source of one cell.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct NotebookCell {
    /// From 1.
    pub number: usize,
    /// The decoded source.
    pub source: Vec<u8>,
    pieces: Vec<Piece>,
}

/// A part of a source that the file has as it is, or one escaped character.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    /// The first byte in the source.
    start: usize,
    /// The bytes in the file.
    file: Range<usize>,
    is_escape: bool,
    /// The number of its string within the source.
    string: usize,
}

/// Whether the file at this path is a notebook, by its name.
pub fn is_named(path: &RelPath) -> bool {
    let name = path.as_bytes();
    name.len() > 6 && name[name.len() - 6..].eq_ignore_ascii_case(b".ipynb")
}

impl Notebook {
    /// Parses a notebook; `None` if the text is none.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let mut json = Json { text, at: 0 };
        let (mut cells, mut has_cells) = (Vec::new(), false);
        json.object(|json, key| {
            if key != b"cells" || json.peek()? != b'[' {
                return json.skip();
            }
            has_cells = true;
            let mut number = 0;
            json.array(|json| {
                number += 1;
                json.cell(number, &mut cells)
            })
        })?;
        json.peek().is_none().then_some(())?;
        has_cells.then_some(Self { cells })
    }

    /// Whether a range of the file is in the source of a cell.
    pub fn has_source_at(&self, range: &Range<usize>) -> bool {
        let is_within = |piece: &Piece| piece.file.start < range.end && range.start < piece.file.end;
        self.cells.iter().any(|cell| cell.pieces.iter().any(is_within))
    }
}

impl NotebookCell {
    /// The bytes of the file with a range of the source.
    pub fn in_file(&self, range: Range<usize>) -> Range<usize> {
        let start = match self.piece_at(range.start) {
            Some(piece) if piece.is_escape => piece.file.start,
            Some(piece) => piece.file.start + (range.start - piece.start),
            None => self.pieces.last().map_or(0, |piece| piece.file.end),
        };
        let end = match range.end.checked_sub(1).and_then(|last| self.piece_at(last)) {
            Some(piece) if piece.is_escape => piece.file.end,
            Some(piece) => piece.file.start + (range.end - piece.start),
            None => start,
        };
        start..end.max(start)
    }

    /// Whether a range of the source is in one string of the file.
    pub fn is_in_one_string(&self, range: &Range<usize>) -> bool {
        let string = |at: usize| self.piece_at(at).map(|piece| piece.string);
        !range.is_empty() && string(range.start).is_some() && string(range.start) == string(range.end - 1)
    }

    fn piece_at(&self, at: usize) -> Option<&Piece> {
        if at >= self.source.len() {
            return None;
        }
        let next = self.pieces.partition_point(|piece| piece.start <= at);
        self.pieces.get(next.checked_sub(1)?)
    }

    /// Appends a string of the file.
    fn push(&mut self, text: &[u8], string: Range<usize>) {
        let number = self.pieces.last().map_or(0, |piece| piece.string + 1);
        let mut at = string.start;
        while at < string.end {
            let start = self.source.len();
            let rest = &text[at..string.end];
            let length = match memchr::memchr(b'\\', rest) {
                Some(0) => {
                    let (character, length) = unescaped(rest);
                    let mut buffer = [0; 4];
                    self.source.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
                    length
                }
                found => {
                    let plain = &rest[..found.unwrap_or(rest.len())];
                    self.source.extend_from_slice(plain);
                    plain.len()
                }
            };
            let is_escape = rest[0] == b'\\';
            self.pieces.push(Piece { start, file: at..at + length, is_escape, string: number });
            at += length;
        }
    }
}

/// The character that an escape sequence stands for, and the length of the sequence. A lone surrogate is U+FFFD.
fn unescaped(text: &[u8]) -> (char, usize) {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
        digits.iter().all(u8::is_ascii_hexdigit).then_some(())?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    match text.get(1) {
        Some(b'n') => ('\n', 2),
        Some(b't') => ('\t', 2),
        Some(b'r') => ('\r', 2),
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{C}', 2),
        Some(&other @ (b'"' | b'\\' | b'/')) => (char::from(other), 2),
        Some(b'u') => match (unit(0), unit(6)) {
            (Some(high @ 0xD800..0xDC00), Some(low @ 0xDC00..0xE000)) => {
                let code = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 12)
            }
            (Some(code), _) => (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 6),
            (None, _) => ('\\', 1),
        },
        _ => ('\\', 1),
    }
}

/// A text as the contents of a JSON string.
pub fn escaped(text: &[u8]) -> Vec<u8> {
    let mut json = Vec::with_capacity(text.len());
    for &byte in text {
        match byte {
            b'"' | b'\\' => json.extend_from_slice(&[b'\\', byte]),
            b'\n' => json.extend_from_slice(b"\\n"),
            b'\r' => json.extend_from_slice(b"\\r"),
            b'\t' => json.extend_from_slice(b"\\t"),
            0..0x20 => json.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            _ => json.push(byte),
        }
    }
    json
}

/// A reader of JSON that knows where it is. Every method returns `None` for what is not JSON.
struct Json<'t> {
    text: &'t [u8],
    at: usize,
}

impl Json<'_> {
    /// The next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        let blanks = self.text[self.at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.at += blanks;
        self.text.get(self.at).copied()
    }

    fn expect(&mut self, wanted: u8) -> Option<()> {
        (self.peek()? == wanted).then(|| self.at += 1)
    }

    /// An object; `value` reads the value of each key.
    fn object(&mut self, mut value: impl FnMut(&mut Self, &[u8]) -> Option<()>) -> Option<()> {
        self.expect(b'{')?;
        if self.peek()? == b'}' {
            return self.expect(b'}');
        }
        loop {
            let mut key = NotebookCell::default();
            let range = self.string()?;
            key.push(self.text, range);
            self.expect(b':')?;
            value(self, &key.source)?;
            match self.peek()? {
                b',' => self.expect(b',')?,
                _ => return self.expect(b'}'),
            }
        }
    }

    /// An array; `value` reads each element.
    fn array(&mut self, mut value: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.expect(b'[')?;
        if self.peek()? == b']' {
            return self.expect(b']');
        }
        loop {
            value(self)?;
            match self.peek()? {
                b',' => self.expect(b',')?,
                _ => return self.expect(b']'),
            }
        }
    }

    /// A cell: one source for each of its keys `source`.
    fn cell(&mut self, number: usize, cells: &mut Vec<NotebookCell>) -> Option<()> {
        if self.peek()? != b'{' {
            return self.skip();
        }
        self.object(|json, key| {
            if key != b"source" {
                return json.skip();
            }
            let mut cell = NotebookCell { number, ..NotebookCell::default() };
            match json.peek()? {
                b'"' => {
                    let string = json.string()?;
                    cell.push(json.text, string);
                }
                b'[' => json.array(|json| match json.peek()? {
                    b'"' => {
                        let string = json.string()?;
                        cell.push(json.text, string);
                        Some(())
                    }
                    _ => json.skip(),
                })?,
                _ => json.skip()?,
            }
            cells.push(cell);
            Some(())
        })
    }

    /// The contents of a string.
    fn string(&mut self) -> Option<Range<usize>> {
        self.expect(b'"')?;
        let start = self.at;
        loop {
            let found = memchr::memchr2(b'"', b'\\', &self.text[self.at..])?;
            self.at += found;
            if self.text[self.at] == b'"' {
                self.at += 1;
                return Some(start..self.at - 1);
            }
            self.at += 2;
            self.text.get(self.at)?;
        }
    }

    /// Any value. The kinds of brackets that nest are kept, so that no depth exhausts the stack.
    fn skip(&mut self) -> Option<()> {
        let mut open: Vec<u8> = Vec::new();
        loop {
            match self.peek()? {
                b'"' => {
                    self.string()?;
                }
                first @ (b'{' | b'[') => {
                    self.at += 1;
                    open.push(first + 2);
                    continue;
                }
                close @ (b'}' | b']') => {
                    (open.pop()? == close).then(|| self.at += 1)?;
                }
                b',' | b':' if !open.is_empty() => {
                    self.at += 1;
                    continue;
                }
                _ => {
                    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
                    let length = self.text[self.at..].iter().take_while(is_part).count();
                    (length > 0).then(|| self.at += length)?;
                }
            }
            if open.is_empty() {
                return Some(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sources(text: &str) -> Option<Vec<(usize, String)>> {
        let notebook = Notebook::parse(text.as_bytes())?;
        let source =
            |cell: &NotebookCell| (cell.number, String::from_utf8(cell.source.clone()).expect("UTF-8"));
        Some(notebook.cells.iter().map(source).collect())
    }

    #[test]
    fn decodes_sources_of_cells() {
        let text = r#"{"cells": [
            {"cell_type": "code", "source": ["x = 1\n", "print(\"a\")"], "outputs": [{"text": ["source"]}]},
            {"source": "\u0065val(\ud83d\ude00\ud800)", "id": null}, {"source": 7}, 5, {"so\u0075rce": "b", "source": "c"}
        ], "nbformat": 4, "x": [NaN, {"y": []}]}"#;
        let expected =
            [(1, "x = 1\nprint(\"a\")"), (2, "eval(\u{1F600}\u{FFFD})"), (3, ""), (5, "b"), (5, "c")];
        assert_eq!(sources(text), Some(expected.map(|(number, text)| (number, text.to_owned())).into()));
    }

    #[test]
    fn what_is_no_notebook_has_no_cells() {
        for text in [
            "",
            "x = 1",
            "{}",
            "[]",
            r#"{"cells": {}}"#,
            r#"{"cells": [}"#,
            r#"{"cells": []} x"#,
            r#"{"cells": ["#,
        ] {
            assert_eq!(sources(text), None, "{text}");
        }
        assert_eq!(sources(r#"{"cells": []}"#), Some(Vec::new()));
        let deep = format!(r#"{{"a": {}{}, "cells": []}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(sources(&deep), Some(Vec::new()));
    }

    #[test]
    fn translates_ranges() {
        let text = br#"{"cells": [{"source": ["x = 1\n", "print(\"a\")"]}]}"#;
        let notebook = Notebook::parse(text).expect("a notebook");
        let cell = &notebook.cells[0];
        let at = |range: Range<usize>| std::str::from_utf8(&text[cell.in_file(range)]).expect("UTF-8");
        assert_eq!(at(6..12), "print(");
        assert_eq!(at(11..16), r#"(\"a\")"#);
        assert_eq!(at(0..6), r"x = 1\n");
        assert_eq!(at(4..8), r#"1\n", "pr"#);
        assert!(cell.is_in_one_string(&(6..12)) && !cell.is_in_one_string(&(4..8)));
        assert!(notebook.has_source_at(&cell.in_file(6..12)) && !notebook.has_source_at(&(0..8)));
    }

    proptest! {
        #[test]
        fn escaped_text_is_decoded(text in "(?s).{0,20}") {
            let json = format!(r#"{{"cells":[{{"source":"{}"}}]}}"#, String::from_utf8(escaped(text.as_bytes())).expect("UTF-8"));
            prop_assert_eq!(sources(&json), Some(vec![(1, text)]));
        }

        #[test]
        fn no_text_panics(text in proptest::collection::vec(proptest::sample::select(&b"{}[]\",:\\u0ns cellsource1"[..]), 0..60)) {
            if let Some(notebook) = Notebook::parse(&text) {
                for cell in &notebook.cells {
                    for start in 0..=cell.source.len() {
                        for end in start..=cell.source.len() {
                            let file = cell.in_file(start..end);
                            prop_assert!(file.end <= text.len());
                        }
                    }
                }
            }
        }
    }
}
