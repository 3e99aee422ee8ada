//! The effect of an agent's tool call on files, independent of the agent.
//!
//! `agents` translates each agent's events into a [`Call`]; `source::changes` reconstructs the files.

use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use thiserror::Error;

use phaser_core::skipped::Skipped;

pub mod patch;

/// The longest path that is checked, in bytes; no system accepts a longer one.
pub const MAX_PATH: usize = 32 * 1024;

/// When an event is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Before the tool runs: the call can be denied.
    Before,
    /// After the tool has run.
    After,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// When the event was sent.
    pub moment: Moment,
    /// The directory that relative paths start at; absolute.
    pub cwd: PathBuf,
    /// The changes to files.
    pub changes: Vec<FileChange>,
    /// Parts of the call that were not understood.
    pub skipped: Vec<Skipped>,
}

impl Call {
    /// The absolute path of a change.
    pub fn path(&self, change: &FileChange) -> PathBuf {
        self.cwd.join(&change.path)
    }

    /// The first changed file with a valid path, which decides the project.
    pub fn file(&self) -> Option<PathBuf> {
        self.changes.iter().find(|change| change.path.len() <= MAX_PATH).map(|change| self.path(change))
    }
}

/// A change to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The path as the agent sent it.
    pub path: String,
    /// The new content.
    pub rewrite: Rewrite,
    /// The previous content, after the call, if the agent sent it.
    pub original: Option<Original>,
}

impl FileChange {
    /// Whether the path has a `..` component.
    pub fn climbs(&self) -> bool {
        crate::path::has_parent_component(Path::new(&self.path))
    }
}

/// The previous content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Original {
    /// This text.
    Text(String),
    /// The file did not exist.
    Nothing,
}

/// How the new content is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rewrite {
    /// The whole content.
    Whole(String),
    /// Texts are replaced, by the agent's algorithm.
    Edits {
        /// The replacements, in order.
        edits: Vec<TextEdit>,
        /// The agent's algorithm.
        algorithm: Algorithm,
    },
    /// A patch is applied.
    Patch(Patch),
    /// A notebook cell is changed.
    Cell(CellEdit),
    /// The new content is known only after the call.
    Unknown,
    /// The file is deleted.
    Removal,
}

/// The effect of a patch on one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// The content that it is applied to.
    pub base: PatchBase,
    /// The updates, each applied to the result of the previous one.
    pub updates: Vec<Vec<patch::Chunk>>,
}

/// The content that a patch is applied to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchBase {
    /// That of the file itself.
    Itself,
    /// That of another file, which is moved; its path as the agent sent it.
    Moved(String),
    /// This text: the patch creates the file.
    Text(String),
}

/// An agent's algorithm for edits.
#[derive(Clone, Copy)]
pub struct Algorithm(pub MakeEdits);

/// Applies edits to the bytes of a file, `None` if it does not exist. Fails if the result exceeds `limit` bytes.
pub type MakeEdits =
    fn(current: Option<Vec<u8>>, edits: &[TextEdit], limit: usize) -> Result<Vec<u8>, NotApplied>;

/// The limit on bytes that all edits of one event search together.
pub const MAX_WORK: usize = 512 * 1024 * 1024;

/// Applies `edits` to `text` in sequence. Fails if they would search more than [`MAX_WORK`] bytes.
pub fn in_turn<T>(
    mut text: T,
    edits: &[TextEdit],
    mut make: impl FnMut(T, &TextEdit) -> Result<T, NotApplied>,
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

/// A text replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// The text to replace; empty to create a file.
    pub old: String,
    /// The replacement, literal.
    pub new: String,
    /// Which occurrences are replaced.
    pub occurrences: Occurrences,
}

/// Which occurrences of a text are replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occurrences {
    /// The first one.
    First,
    /// All of them.
    All,
}

/// A change to a notebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellEdit {
    /// The cell to replace, delete or insert after; `None` inserts at the start.
    pub cell: Option<Cell>,
    /// The new source.
    pub source: String,
    /// What to do.
    pub action: CellAction,
    /// The type of an inserted cell; `code` if `None`.
    pub cell_type: Option<String>,
}

/// How a cell is identified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// By id, or as `cell-N` by index N if no cell has that id. Inserts after it.
    Id(String),
    /// By index, from 0, as older agents do. Inserts before it.
    Index(usize),
}

/// The action of a notebook change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellAction {
    /// Replace the source of a cell.
    Replace,
    /// Insert a cell.
    Insert,
    /// Delete a cell.
    Delete,
}

/// Why the new content cannot be reconstructed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotApplied {
    /// There is no file to edit.
    #[error("File not found")]
    FileNotFound,
    /// The file is not text.
    #[error("Binary file detected")]
    BinaryFile,
    /// Only the agent knows the new content.
    #[error("Only known after the edit")]
    KnownAfterwards,
    /// The text to replace is not in the file.
    #[error("old_str not found in file")]
    OldNotFound,
    /// The file would exceed this size, in bytes.
    #[error("The file would have more than {0} bytes (raise --max-file-size)")]
    TooLarge(usize),
    /// The edits exceed [`MAX_WORK`].
    #[error("Too many edits of a large file (make fewer at a time)")]
    TooMuch,
    /// The file is not a notebook.
    #[error("Not a valid notebook: {0}")]
    NotANotebook(String),
    /// The notebook does not have the cell, or none was named.
    #[error("Cell not found in notebook: {0}")]
    CellNotFound(String),
}
