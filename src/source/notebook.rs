//! The cell of a notebook that a NotebookEdit touches: its source as it would be, or as it is after the edit.
//!
//! Contracts see the source of that cell alone, so nothing else of the notebook is kept: neither the type
//! of the cell, which its source does not depend on, nor its outputs. Pure: bytes in, text out.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::edit::{NotApplied, decode};
use crate::hook::mend;

/// The most cells of a notebook.
const MAX_CELLS: usize = 100_000;

/// One edit of a notebook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellEdit<'a> {
    /// The cell that is replaced or deleted, or where one is inserted; without it, that is the start.
    pub cell: Option<Cell<'a>>,
    /// The new source.
    pub source: &'a str,
    /// What is done.
    pub mode: Mode,
}

/// How a cell is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell<'a> {
    /// By its id, or by `cell-N` for the index N when no cell has that id. An insertion goes after it.
    Id(&'a str),
    /// By its index, from 0, as old clients do. An insertion goes there.
    Index(usize),
}

/// What an edit does to a notebook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Gives a cell a new source.
    Replace,
    /// Adds a cell.
    Insert,
    /// Removes a cell.
    Delete,
}

/// The source that the cell will have, or `None` when nothing is left of it; `current` is the notebook
/// as it is, or `None` when there is none.
pub fn proposed(current: Option<&[u8]>, edit: &CellEdit<'_>) -> Result<Option<String>, NotApplied> {
    let notebook = Notebook::<IgnoredAny>::parse(current)?;
    let index = notebook.index(edit)?;
    let end = match edit.mode {
        // The client turns the replacement of the cell after the last one into an insertion.
        Mode::Replace | Mode::Insert => notebook.cells.len() + 1,
        Mode::Delete => notebook.cells.len(),
    };
    if index >= end {
        return Err(not_found(edit));
    }
    Ok((edit.mode != Mode::Delete).then(|| edit.source.to_owned()))
}

/// The source that the cell has in `current`, a notebook in which `edit` has been made.
pub fn written(current: Option<&[u8]>, edit: &CellEdit<'_>) -> Result<Option<String>, NotApplied> {
    let notebook = Notebook::<WireText>::parse(current)?;
    if edit.mode == Mode::Delete {
        return Ok(None);
    }
    let index = notebook.index(edit)?;
    let cell = notebook.cells.into_iter().nth(index).ok_or_else(|| not_found(edit))?;
    Ok(Some(cell.source.0.unwrap_or_default()))
}

fn not_found(edit: &CellEdit<'_>) -> NotApplied {
    NotApplied::CellNotFound(match edit.cell {
        Some(Cell::Id(id)) => id.to_owned(),
        Some(Cell::Index(index)) => index.to_string(),
        None => "no cell_id".to_owned(),
    })
}

/// A notebook, with the sources of its cells read as `S`: one that cannot be read stops only what needs it.
#[derive(Deserialize)]
struct Notebook<S: Default + DeserializeOwned> {
    #[serde(deserialize_with = "cells")]
    cells: Vec<WireCell<S>>,
}

#[derive(Deserialize)]
struct WireCell<S: Default> {
    #[serde(default)]
    id: WireText,
    #[serde(default)]
    source: S,
}

/// The cells of a notebook, as long as they are not too many.
fn cells<'de, D: Deserializer<'de>, S: Default + DeserializeOwned>(
    deserializer: D,
) -> Result<Vec<WireCell<S>>, D::Error> {
    struct Cells<S>(PhantomData<S>);
    impl<'de, S: Default + DeserializeOwned> Visitor<'de> for Cells<S> {
        type Value = Vec<WireCell<S>>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of cells")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut cells = Vec::new();
            while let Some(cell) = seq.next_element()? {
                if cells.len() == MAX_CELLS {
                    return Err(A::Error::custom(format_args!("more than {MAX_CELLS} cells")));
                }
                cells.push(cell);
            }
            Ok(cells)
        }
    }
    deserializer.deserialize_seq(Cells(PhantomData))
}

/// A text, whole or as a list of lines with their newlines; anything else counts as no text.
#[derive(Default)]
struct WireText(Option<String>);

impl<'de> Deserialize<'de> for WireText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Lists::Joined.deserialize(deserializer).map(Self)
    }
}

/// Reads a text and keeps nothing else of what is there, however much that is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lists {
    /// A list of texts is a text.
    Joined,
    /// A list is none.
    Other,
}

impl<'de> DeserializeSeed<'de> for Lists {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Lists {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut joined = (self == Self::Joined).then(String::new);
        while let Some(line) = seq.next_element_seed(Self::Other)? {
            joined = joined.zip(line).map(|(joined, line)| joined + &line);
        }
        Ok(joined)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }
}

impl<S: Default + DeserializeOwned> Notebook<S> {
    fn parse(current: Option<&[u8]>) -> Result<Self, NotApplied> {
        let text = decode(current.ok_or(NotApplied::FileNotFound)?)?;
        let json = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
        serde_json::from_str(json)
            .or_else(|_| serde_json::from_str(&mend(json)))
            .map_err(|error| NotApplied::NotANotebook(error.to_string()))
    }

    /// Where the edited cell is, or will be; it may lie past the end.
    fn index(&self, edit: &CellEdit<'_>) -> Result<usize, NotApplied> {
        match (edit.cell, edit.mode) {
            (Some(Cell::Index(index)), _) => Ok(index),
            (Some(Cell::Id(id)), Mode::Insert) => {
                self.named(id).map(|index| index + 1).ok_or_else(|| not_found(edit))
            }
            (Some(Cell::Id(id)), Mode::Replace | Mode::Delete) => {
                self.named(id).ok_or_else(|| not_found(edit))
            }
            (None, Mode::Insert) => Ok(0),
            (None, Mode::Replace | Mode::Delete) => Err(not_found(edit)),
        }
    }

    fn named(&self, id: &str) -> Option<usize> {
        let has_id = |cell: &WireCell<S>| cell.id.0.as_deref() == Some(id);
        self.cells.iter().position(has_id).or_else(|| id.strip_prefix("cell-")?.parse().ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTEBOOK: &[u8] = br##"{
        "cells": [
            {"cell_type": "markdown", "id": "intro", "metadata": {}, "source": ["# Title\n", "text"]},
            {"cell_type": "code", "id": "cell-0", "source": "x = 1\ny = 2", "outputs": [{"text": "\ud800"}]},
            {"cell_type": "code", "source": null}
        ],
        "nbformat": 4
    }"##;

    fn edit<'a>(cell: impl Into<Option<Cell<'a>>>, mode: Mode) -> CellEdit<'a> {
        CellEdit { cell: cell.into(), source: "new\nsource", mode }
    }

    fn new_source() -> Result<Option<String>, NotApplied> {
        Ok(Some("new\nsource".to_owned()))
    }

    fn missing(name: &str) -> Result<Option<String>, NotApplied> {
        Err(NotApplied::CellNotFound(name.to_owned()))
    }

    #[test]
    fn a_replaced_or_inserted_cell_has_the_new_source() {
        for mode in [Mode::Replace, Mode::Insert] {
            assert_eq!(proposed(Some(NOTEBOOK), &edit(Cell::Id("intro"), mode)), new_source());
            assert_eq!(proposed(Some(NOTEBOOK), &edit(Cell::Index(2), mode)), new_source());
        }
    }

    #[test]
    fn a_deleted_cell_leaves_nothing() {
        let delete = edit(Cell::Id("intro"), Mode::Delete);
        assert_eq!(proposed(Some(NOTEBOOK), &delete), Ok(None));
        assert_eq!(written(Some(NOTEBOOK), &delete), Ok(None));
    }

    #[test]
    fn cells_go_by_index_when_no_cell_has_the_id() {
        let source = |id| written(Some(NOTEBOOK), &edit(Cell::Id(id), Mode::Replace));
        assert_eq!(source("cell-0"), Ok(Some("x = 1\ny = 2".to_owned())));
        assert_eq!(source("cell-1"), Ok(Some("x = 1\ny = 2".to_owned())));
        assert_eq!(source("cell-2"), Ok(Some(String::new())));
        assert_eq!(source("cell-x"), missing("cell-x"));
        assert_eq!(source("other"), missing("other"));
    }

    #[test]
    fn lists_of_lines_are_joined() {
        let intro = written(Some(NOTEBOOK), &edit(Cell::Id("intro"), Mode::Replace));
        assert_eq!(intro, Ok(Some("# Title\ntext".to_owned())));
    }

    #[test]
    fn an_inserted_cell_stands_after_the_named_one_or_first() {
        let source = |cell| written(Some(NOTEBOOK), &edit(cell, Mode::Insert));
        assert_eq!(source(Some(Cell::Id("intro"))), Ok(Some("x = 1\ny = 2".to_owned())));
        assert_eq!(source(Some(Cell::Index(1))), Ok(Some("x = 1\ny = 2".to_owned())));
        assert_eq!(source(None), Ok(Some("# Title\ntext".to_owned())));
        assert_eq!(proposed(Some(NOTEBOOK), &edit(None, Mode::Insert)), new_source());
    }

    #[test]
    fn a_cell_can_be_appended_and_no_further() {
        assert_eq!(proposed(Some(NOTEBOOK), &edit(Cell::Index(3), Mode::Replace)), new_source());
        assert_eq!(proposed(Some(NOTEBOOK), &edit(Cell::Index(3), Mode::Insert)), new_source());
        assert_eq!(proposed(Some(NOTEBOOK), &edit(Cell::Id("cell-2"), Mode::Insert)), new_source());
        assert_eq!(proposed(Some(NOTEBOOK), &edit(Cell::Index(4), Mode::Replace)), missing("4"));
        assert_eq!(proposed(Some(NOTEBOOK), &edit(Cell::Id("cell-3"), Mode::Insert)), missing("cell-3"));
        assert_eq!(proposed(Some(NOTEBOOK), &edit(Cell::Index(3), Mode::Delete)), missing("3"));
    }

    #[test]
    fn a_replacement_needs_a_cell() {
        assert_eq!(proposed(Some(NOTEBOOK), &edit(None, Mode::Replace)), missing("no cell_id"));
        assert_eq!(proposed(Some(NOTEBOOK), &edit(None, Mode::Delete)), missing("no cell_id"));
    }

    #[test]
    fn what_is_no_notebook_is_said() {
        let replace = edit(Cell::Index(0), Mode::Replace);
        let reason = |bytes: &[u8]| proposed(Some(bytes), &replace).expect_err("no notebook").to_string();
        assert!(reason(b"{\"cells\": [").starts_with("Not a valid notebook: "));
        assert!(reason(b"{}").contains("cells"));
        assert_eq!(reason(b"\0"), "Binary file detected");
        assert_eq!(proposed(None, &replace), Err(NotApplied::FileNotFound));
    }

    #[test]
    fn a_source_that_cannot_be_read_does_not_stop_a_proposal() {
        let broken = br#"{"cells": [{"id": "a", "source": "\ud800"}]}"#;
        assert_eq!(proposed(Some(broken), &edit(Cell::Id("a"), Mode::Replace)), new_source());
    }

    #[test]
    fn half_a_character_in_any_cell_stops_no_check() {
        let notebook =
            br#"{"cells": [{"id": "a", "source": "x\ud800"}, {"id": "b", "source": ["y\n", "z\udc00"]}]}"#;
        let source = |id| written(Some(notebook), &edit(Cell::Id(id), Mode::Replace)).expect("readable");
        assert_eq!(source("a").as_deref(), Some("x\u{FFFD}"));
        assert_eq!(source("b").as_deref(), Some("y\nz\u{FFFD}"));
    }

    #[test]
    fn what_is_no_text_is_none_and_is_not_kept() {
        let source = |source: &str| {
            let notebook = format!(r#"{{"cells": [{{"id": "a", "source": {source}}}]}}"#);
            written(Some(notebook.as_bytes()), &edit(Cell::Id("a"), Mode::Replace)).expect("readable")
        };
        for other in ["0", "-1", "1.5", "true", "null", r#"{"a": [1]}"#, r#"["a", 0]"#, r#"[["a"]]"#, "[]"] {
            assert_eq!(source(other).as_deref(), Some(""), "{other}");
        }
        assert_eq!(source(r#"["a\n", "b"]"#).as_deref(), Some("a\nb"));
    }

    #[test]
    fn a_notebook_has_so_many_cells() {
        let notebook = |count: usize| format!(r#"{{"cells": [{}]}}"#, vec!["{}"; count].join(","));
        let made = |count| proposed(Some(notebook(count).as_bytes()), &edit(Cell::Index(0), Mode::Replace));
        assert_eq!(made(MAX_CELLS), new_source());
        assert!(
            matches!(made(MAX_CELLS + 1), Err(NotApplied::NotANotebook(what)) if what.contains("100000"))
        );
    }

    #[test]
    fn a_byte_order_mark_is_not_part_of_the_notebook() {
        let marked = [b"\xEF\xBB\xBF", NOTEBOOK].concat();
        assert_eq!(proposed(Some(&marked), &edit(Cell::Index(0), Mode::Replace)), new_source());
    }
}
