//! What an event of an agent does to files, in no client's words: the call, and the changes that it makes.
//!
//! Knows neither the wire format that a call was read from, nor the files themselves.

use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use thiserror::Error;

use phaser_core::skipped::Skipped;
use phaser_core::text::Bytes;

pub mod patch;

/// The longest path that is looked at, in bytes: no system takes a longer one.
pub const MAX_PATH: usize = 32 * 1024;

/// When an event happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Before the tool runs: it can still be denied.
    Before,
    /// After it has run.
    After,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// When the event happens.
    pub moment: Moment,
    /// The directory that relative paths start at; absolute.
    pub cwd: PathBuf,
    /// What the tool does to files.
    pub changes: Vec<Change>,
    /// What the tool does that is not understood.
    pub skipped: Vec<Skipped>,
}

impl Call {
    /// The absolute path of a file that a change names.
    pub fn path(&self, change: &Change) -> PathBuf {
        self.cwd.join(&change.path)
    }

    /// The first file that can be the project's: its path says where the project is.
    pub fn file(&self) -> Option<PathBuf> {
        self.changes.iter().find(|change| change.path.len() <= MAX_PATH).map(|change| self.path(change))
    }
}

/// What a tool does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The path as the client sent it.
    pub path: String,
    /// How the file comes to its new content.
    pub rewrite: Rewrite,
    /// What the file was before a change that has already happened, if the client says.
    pub original: Option<Original>,
}

impl Change {
    /// Does the path have a `..` component?
    pub fn climbs(&self) -> bool {
        crate::path::has_parent_component(Path::new(&self.path))
    }
}

/// What a file was before a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Original {
    /// This text.
    Text(String),
    /// There was no file.
    Nothing,
}

/// How a file comes to its new content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rewrite {
    /// It gets this content.
    Whole(String),
    /// Texts in it are replaced, by the client's own algorithm.
    Edits {
        /// One after another.
        edits: Vec<Edit>,
        /// How the client makes them.
        algorithm: Algorithm,
    },
    /// A patch is applied to it.
    Patch(Patch),
    /// One cell of a notebook is changed.
    Cell(CellEdit),
    /// It is changed in a way that is only known afterwards.
    Unknown,
    /// It is removed.
    Removal,
}

/// What a patch does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// What it starts from.
    pub base: Base,
    /// The updates, each made on the result of the one before.
    pub updates: Vec<Vec<patch::Chunk>>,
}

/// What a patch starts from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Base {
    /// The file itself.
    Itself,
    /// Another file, by its path as the client sent it: that one is moved.
    Moved(String),
    /// This text: the patch makes the file.
    Text(String),
}

/// A client's way to make edits.
#[derive(Clone, Copy)]
pub struct Algorithm(pub MakeEdits);

/// From the bytes of the file, or `None` when there is none, to the bytes that the client writes, which may be no more than
/// the limit.
pub type MakeEdits = fn(current: Option<Bytes>, edits: &[Edit], limit: usize) -> Result<Bytes, NotApplied>;

/// The most text that all edits of one event may read together, in bytes.
pub const MAX_WORK: usize = 512 * 1024 * 1024;

/// `text` after `edits`, each made by `make` on the result of the one before.
pub fn in_turn<T>(
    mut text: T,
    edits: &[Edit],
    mut make: impl FnMut(T, &Edit) -> Result<T, NotApplied>,
) -> Result<T, NotApplied>
where
    T: Deref<Target: AsRef<[u8]>>,
{
    let mut work = 0;
    for edit in edits {
        work += text.as_ref().len();
        if work > MAX_WORK && edits.len() > 1 {
            return Err(NotApplied::TooMuch);
        }
        text = make(text, edit)?;
    }
    Ok(text)
}

impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Algorithm")
    }
}

impl PartialEq for Algorithm {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

impl Eq for Algorithm {}

/// One replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The text to replace; empty to create a file.
    pub old: String,
    /// The text to put in its place, literally.
    pub new: String,
    /// How many occurrences are replaced.
    pub occurrences: Occurrences,
}

/// How many occurrences of a text are replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occurrences {
    /// Only the first.
    First,
    /// Every one.
    All,
}

/// One edit of a notebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellEdit {
    /// The cell that is replaced or deleted, or where one is inserted; without it, that is the start.
    pub cell: Option<Cell>,
    /// The new source.
    pub source: String,
    /// What is done.
    pub action: CellAction,
    /// The type of a cell that is inserted, if it is said.
    pub cell_type: Option<String>,
}

/// How a cell is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// By its id, or by `cell-N` for the index N when no cell has that id. An insertion goes after it.
    Id(String),
    /// By its index, from 0, as old clients do. An insertion goes there.
    Index(usize),
}

/// What an edit does to a notebook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellAction {
    /// Gives a cell a new source.
    Replace,
    /// Adds a cell.
    Insert,
    /// Removes a cell.
    Delete,
}

/// Why a change gives no text to check.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotApplied {
    /// There is no file to edit.
    #[error("File not found")]
    FileNotFound,
    /// The file is not text.
    #[error("Binary file detected")]
    BinaryFile,
    /// The file is changed in a way that only the client knows.
    #[error("Only known after the edit")]
    KnownAfterwards,
    /// The text to replace is not in the file.
    #[error("old_str not found in file")]
    OldNotFound,
    /// The file would be larger than this, in bytes.
    #[error("The file would have more than {0} bytes (raise --max-file-size)")]
    TooLarge(usize),
    /// There are too many edits of a large file.
    #[error("Too many edits of a large file (make fewer at a time)")]
    TooMuch,
    /// The file is not a notebook with a list of cells.
    #[error("Not a valid notebook: {0}")]
    NotANotebook(String),
    /// The notebook has no such cell, or none was named.
    #[error("Cell not found in notebook: {0}")]
    CellNotFound(String),
}
