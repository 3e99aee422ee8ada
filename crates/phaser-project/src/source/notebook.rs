//! The notebook cell that a NotebookEdit changes: its source before or after the edit.
//!
//! Contracts see the source of that cell alone; the rest of the notebook, its outputs included, is parsed but not
//! kept.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Value, json};

use crate::tool_call::{Cell, CellAction, CellEdit, NotApplied};
use phaser_core::text::to_str;
use phaser_hook::normalize_json;

/// The largest number of cells.
const MAX_CELLS: usize = 100_000;

/// The source that the cell will have, or `None` if the edit deletes it. `current` is the notebook on disk, if any.
pub fn proposed(current: Option<&[u8]>, edit: &CellEdit) -> Result<Option<String>, NotApplied> {
    let notebook = Notebook::parse(current)?;
    let index = notebook.index(edit)?;
    let end = match edit.action {
        // The agent turns a replacement at the index after the last cell into an insertion.
        CellAction::Replace | CellAction::Insert => notebook.cells.len() + 1,
        CellAction::Delete => notebook.cells.len(),
    };
    if index >= end {
        return Err(not_found(edit));
    }
    Ok((edit.action != CellAction::Delete).then(|| edit.source.clone()))
}

/// The source of the cell in `current`, a notebook after the edit.
pub fn written(current: Option<&[u8]>, edit: &CellEdit) -> Result<Option<String>, NotApplied> {
    let notebook = Notebook::parse(current)?;
    if edit.action == CellAction::Delete {
        return Ok(None);
    }
    let index = notebook.index(edit)?;
    let cell = notebook.cells.get(index).ok_or_else(|| not_found(edit))?;
    Ok(Some(cell.source_text()))
}

/// The whole notebook after the edit, in the agent's layout.
pub fn whole(current: &[u8], edit: &CellEdit) -> Result<String, NotApplied> {
    let index = Notebook::parse(Some(current))?.index(edit)?;
    let mut notebook: Value = parse(current)?;
    let no_cells = || NotApplied::NotANotebook("it has no list of cells".to_owned());
    let cells = notebook.get_mut("cells").and_then(Value::as_array_mut).ok_or_else(no_cells)?;
    match edit.action {
        CellAction::Replace if index < cells.len() => replace(&mut cells[index], edit),
        CellAction::Replace | CellAction::Insert if index <= cells.len() => {
            cells.insert(index, new_cell(edit))
        }
        CellAction::Delete if index < cells.len() => drop(cells.remove(index)),
        CellAction::Replace | CellAction::Insert | CellAction::Delete => return Err(not_found(edit)),
    }
    let mut json = Vec::new();
    let layout = PrettyFormatter::with_indent(b" ");
    let written = notebook.serialize(&mut Serializer::with_formatter(&mut json, layout));
    written.map_err(|error| NotApplied::NotANotebook(error.to_string()))?;
    Ok(String::from_utf8_lossy(&json).into_owned())
}

/// Sets the source of a cell, and clears its outputs.
fn replace(cell: &mut Value, edit: &CellEdit) {
    let Some(cell) = cell.as_object_mut() else { return };
    cell.insert("source".to_owned(), json!(edit.source));
    if cell.get("cell_type").is_some_and(|kind| kind == "code") {
        cell.insert("execution_count".to_owned(), Value::Null);
        cell.insert("outputs".to_owned(), json!([]));
    }
}

fn new_cell(edit: &CellEdit) -> Value {
    match edit.cell_type.as_deref() {
        Some("markdown") => json!({ "cell_type": "markdown", "source": edit.source, "metadata": {} }),
        _ => json!({
            "cell_type": "code", "source": edit.source, "metadata": {}, "execution_count": null, "outputs": [],
        }),
    }
}

fn not_found(edit: &CellEdit) -> NotApplied {
    NotApplied::CellNotFound(match &edit.cell {
        Some(Cell::Id(id)) => id.clone(),
        Some(Cell::Index(index)) => index.to_string(),
        None => "no cell_id".to_owned(),
    })
}

/// The part of a notebook that matters here.
#[derive(Deserialize)]
struct Notebook {
    cells: Vec<WireCell>,
}

#[derive(Deserialize)]
struct WireCell {
    #[serde(default)]
    id: Value,
    /// A string, or a list of lines with their newlines.
    #[serde(default)]
    source: Value,
}

impl WireCell {
    /// The source; empty if it is not text.
    fn source_text(&self) -> String {
        match &self.source {
            Value::String(text) => text.clone(),
            Value::Array(lines) => lines.iter().map(Value::as_str).collect::<Option<_>>().unwrap_or_default(),
            _ => String::new(),
        }
    }
}

fn parse<T: DeserializeOwned>(notebook: &[u8]) -> Result<T, NotApplied> {
    let text = to_str(notebook).ok_or(NotApplied::BinaryFile)?;
    let json = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    serde_json::from_str(json)
        .or_else(|_| serde_json::from_str(&normalize_json(json)))
        .map_err(|error| NotApplied::NotANotebook(error.to_string()))
}

impl Notebook {
    fn parse(current: Option<&[u8]>) -> Result<Self, NotApplied> {
        let notebook: Self = parse(current.ok_or(NotApplied::FileNotFound)?)?;
        if notebook.cells.len() > MAX_CELLS {
            return Err(NotApplied::NotANotebook(format!("more than {MAX_CELLS} cells")));
        }
        Ok(notebook)
    }

    /// The index of the edited cell, which may be past the end.
    fn index(&self, edit: &CellEdit) -> Result<usize, NotApplied> {
        match (&edit.cell, edit.action) {
            (Some(Cell::Index(index)), _) => Ok(*index),
            (Some(Cell::Id(id)), CellAction::Insert) => {
                self.named(id).map(|index| index + 1).ok_or_else(|| not_found(edit))
            }
            (Some(Cell::Id(id)), CellAction::Replace | CellAction::Delete) => {
                self.named(id).ok_or_else(|| not_found(edit))
            }
            (None, CellAction::Insert) => Ok(0),
            (None, CellAction::Replace | CellAction::Delete) => Err(not_found(edit)),
        }
    }

    fn named(&self, id: &str) -> Option<usize> {
        let has_id = |cell: &WireCell| cell.id == id;
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

    fn edit(cell: impl Into<Option<Cell>>, action: CellAction) -> CellEdit {
        CellEdit { cell: cell.into(), source: "new\nsource".to_owned(), action, cell_type: None }
    }

    fn id(id: &str) -> Cell {
        Cell::Id(id.to_owned())
    }

    fn new_source() -> Result<Option<String>, NotApplied> {
        Ok(Some("new\nsource".to_owned()))
    }

    fn missing(name: &str) -> Result<Option<String>, NotApplied> {
        Err(NotApplied::CellNotFound(name.to_owned()))
    }

    #[test]
    fn replaced_or_inserted_cell_has_new_source() {
        for mode in [CellAction::Replace, CellAction::Insert] {
            assert_eq!(proposed(Some(NOTEBOOK), &edit(id("intro"), mode)), new_source());
            assert_eq!(proposed(Some(NOTEBOOK), &edit(Cell::Index(2), mode)), new_source());
        }
    }

    #[test]
    fn a_deleted_cell_leaves_nothing() {
        let delete = edit(id("intro"), CellAction::Delete);
        assert_eq!(proposed(Some(NOTEBOOK), &delete), Ok(None));
        assert_eq!(written(Some(NOTEBOOK), &delete), Ok(None));
    }

    #[test]
    fn finds_cell_by_index_without_id() {
        let source = |name| written(Some(NOTEBOOK), &edit(id(name), CellAction::Replace));
        assert_eq!(source("cell-0"), Ok(Some("x = 1\ny = 2".to_owned())));
        assert_eq!(source("cell-1"), Ok(Some("x = 1\ny = 2".to_owned())));
        assert_eq!(source("cell-2"), Ok(Some(String::new())));
        assert_eq!(source("cell-x"), missing("cell-x"));
        assert_eq!(source("other"), missing("other"));
    }

    #[test]
    fn lists_of_lines_are_joined() {
        let intro = written(Some(NOTEBOOK), &edit(id("intro"), CellAction::Replace));
        assert_eq!(intro, Ok(Some("# Title\ntext".to_owned())));
    }

    #[test]
    fn inserts_cell_after_named_one_or_first() {
        let source = |cell| written(Some(NOTEBOOK), &edit(cell, CellAction::Insert));
        assert_eq!(source(Some(id("intro"))), Ok(Some("x = 1\ny = 2".to_owned())));
        assert_eq!(source(Some(Cell::Index(1))), Ok(Some("x = 1\ny = 2".to_owned())));
        assert_eq!(source(None), Ok(Some("# Title\ntext".to_owned())));
        assert_eq!(proposed(Some(NOTEBOOK), &edit(None, CellAction::Insert)), new_source());
    }

    #[test]
    fn appends_cell_but_no_further() {
        assert_eq!(proposed(Some(NOTEBOOK), &edit(Cell::Index(3), CellAction::Replace)), new_source());
        assert_eq!(proposed(Some(NOTEBOOK), &edit(Cell::Index(3), CellAction::Insert)), new_source());
        assert_eq!(proposed(Some(NOTEBOOK), &edit(id("cell-2"), CellAction::Insert)), new_source());
        assert_eq!(proposed(Some(NOTEBOOK), &edit(Cell::Index(4), CellAction::Replace)), missing("4"));
        assert_eq!(proposed(Some(NOTEBOOK), &edit(id("cell-3"), CellAction::Insert)), missing("cell-3"));
        assert_eq!(proposed(Some(NOTEBOOK), &edit(Cell::Index(3), CellAction::Delete)), missing("3"));
    }

    #[test]
    fn a_replacement_needs_a_cell() {
        assert_eq!(proposed(Some(NOTEBOOK), &edit(None, CellAction::Replace)), missing("no cell_id"));
        assert_eq!(proposed(Some(NOTEBOOK), &edit(None, CellAction::Delete)), missing("no cell_id"));
    }

    #[test]
    fn rejects_what_is_no_notebook() {
        let replace = edit(Cell::Index(0), CellAction::Replace);
        let reason = |bytes: &[u8]| proposed(Some(bytes), &replace).expect_err("no notebook").to_string();
        assert!(reason(b"{\"cells\": [").starts_with("Not a valid notebook: "));
        assert!(reason(b"{}").contains("cells"));
        assert_eq!(reason(b"\0"), "Binary file detected");
        assert_eq!(proposed(None, &replace), Err(NotApplied::FileNotFound));
    }

    #[test]
    fn unreadable_source_does_not_stop_proposal() {
        let broken = br#"{"cells": [{"id": "a", "source": "\ud800"}]}"#;
        assert_eq!(proposed(Some(broken), &edit(id("a"), CellAction::Replace)), new_source());
    }

    #[test]
    fn lone_surrogates_stop_no_check() {
        let notebook =
            br#"{"cells": [{"id": "a", "source": "x\ud800"}, {"id": "b", "source": ["y\n", "z\udc00"]}]}"#;
        let source = |name| written(Some(notebook), &edit(id(name), CellAction::Replace)).expect("readable");
        assert_eq!(source("a").as_deref(), Some("x\u{FFFD}"));
        assert_eq!(source("b").as_deref(), Some("y\nz\u{FFFD}"));
    }

    #[test]
    fn non_strings_are_no_text() {
        let source = |source: &str| {
            let notebook = format!(r#"{{"cells": [{{"id": "a", "source": {source}}}]}}"#);
            written(Some(notebook.as_bytes()), &edit(id("a"), CellAction::Replace)).expect("readable")
        };
        for other in ["0", "-1", "1.5", "true", "null", r#"{"a": [1]}"#, r#"["a", 0]"#, r#"[["a"]]"#, "[]"] {
            assert_eq!(source(other).as_deref(), Some(""), "{other}");
        }
        assert_eq!(source(r#"["a\n", "b"]"#).as_deref(), Some("a\nb"));
    }

    #[test]
    fn a_notebook_has_so_many_cells() {
        let notebook = |count: usize| format!(r#"{{"cells": [{}]}}"#, vec!["{}"; count].join(","));
        let made =
            |count| proposed(Some(notebook(count).as_bytes()), &edit(Cell::Index(0), CellAction::Replace));
        assert_eq!(made(MAX_CELLS), new_source());
        assert!(
            matches!(made(MAX_CELLS + 1), Err(NotApplied::NotANotebook(what)) if what.contains("100000"))
        );
    }

    #[test]
    fn skips_byte_order_mark_of_notebook() {
        let marked = [b"\xEF\xBB\xBF", NOTEBOOK].concat();
        assert_eq!(proposed(Some(&marked), &edit(Cell::Index(0), CellAction::Replace)), new_source());
    }
}
