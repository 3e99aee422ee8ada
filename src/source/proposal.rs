//! What a hook event is about: the file as a tool would leave it, or as it has left it.
//!
//! Before the tool runs, the file is reconstructed from the tool's input; afterwards it is read from
//! disk. Decides nothing about contracts.

use std::fs;
use std::path::{Path, PathBuf};

use super::edit::{self, Edit, NotApplied, Occurrences};
use super::notebook::{self, Cell, CellEdit, Mode};
use super::{Content, Coverage, Reader, Target, Targets, files};
use crate::hook::{Event, Request, Tool, ToolInput};
use crate::path::{Root, has_parent_component};
use crate::skipped::Why;
use crate::text::Text;

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

/// What there is to check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proposal {
    /// This file.
    File(Target),
    /// This file by its path alone; its content cannot be checked, for this reason.
    PathOnly(Target, String),
    /// Nothing, for this reason.
    Skip(String),
    /// Nothing: the event touches no file.
    Nothing,
}

impl Proposal {
    /// The targets to scan.
    pub fn targets(self) -> Targets {
        let targets = match self {
            Self::File(target) | Self::PathOnly(target, _) => vec![target],
            Self::Skip(_) | Self::Nothing => Vec::new(),
        };
        Targets { targets, coverage: Coverage::Partial, skipped: Vec::new() }
    }
}

/// The file a hook event is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// When the event happens.
    pub moment: Moment,
    /// The path as the client sent it.
    pub given: String,
    /// The same, absolute.
    pub path: PathBuf,
}

impl Subject {
    /// What the event is about, or why there is nothing to check; a relative path starts at `cwd`.
    pub fn of(request: &Request, cwd: &Path) -> Result<Self, Proposal> {
        let moment = match request.event() {
            Event::PreToolUse(_) => Moment::Before,
            Event::PostToolUse(_) => Moment::After,
            _ => return Err(Proposal::Nothing),
        };
        let input = request.tool_input();
        let given = match request.tool() {
            Some(Tool::Write | Tool::Edit | Tool::MultiEdit) => input.file_path(),
            Some(Tool::NotebookEdit) => input.notebook_path().or(input.file_path()),
            other => {
                let name = other.map_or("(none)", Tool::name);
                return Err(Proposal::Skip(format!("Unknown tool: {name}")));
            }
        };
        match given.filter(|path| !path.is_empty()) {
            Some(given) => Ok(Self { moment, given: given.to_owned(), path: cwd.join(given) }),
            None => Err(Proposal::Skip("Missing file_path".to_owned())),
        }
    }

    /// Is the path longer than any file's?
    pub fn is_too_long(&self) -> bool {
        self.given.len() > MAX_PATH
    }

    /// Does the path have a `..` component?
    pub fn climbs(&self) -> bool {
        has_parent_component(Path::new(&self.given))
    }

    /// The file as it would be, or as it is.
    pub fn proposal(&self, request: &Request, root: &Root, limit: u64) -> Proposal {
        let input = request.tool_input();
        let proposed = match (request.tool(), self.moment) {
            (Some(Tool::NotebookEdit), _) => self.notebook(input, limit),
            (Some(Tool::Write), Moment::Before) => Ok(Some(input.content().unwrap_or_default().into())),
            (Some(Tool::Write), Moment::After) => match self.current(limit) {
                Ok(None) => Ok(Some(input.content().unwrap_or_default().into())),
                current => current,
            },
            (Some(Tool::Edit), Moment::Before) => self.edit(&[edit_of(input)], limit),
            (Some(Tool::MultiEdit), Moment::Before) => {
                let edits: Vec<_> = input.edits().map(edit_of).collect();
                self.edit(&edits, limit)
            }
            (_, Moment::After) => match self.current(limit) {
                Ok(None) => Err(self.unchecked(&NotApplied::FileNotFound)),
                current => current,
            },
            (_, Moment::Before) => Ok(None),
        };
        match proposed {
            Err(Unchecked::Binary) => self.path_only(root, NotApplied::BinaryFile.to_string()),
            Err(Unchecked::Because(reason)) => Proposal::Skip(reason),
            Ok(None) => Proposal::Nothing,
            Ok(Some(bytes)) if Text::new(bytes.as_slice()).is_none() => {
                let write = request.tool() == Some(Tool::Write);
                let reason = if write { "Binary content detected" } else { "Binary file detected" };
                self.path_only(root, reason.to_owned())
            }
            Ok(Some(bytes)) => Proposal::File(files::named(root, &self.path, Content::Bytes(bytes))),
        }
    }

    fn path_only(&self, root: &Root, reason: String) -> Proposal {
        Proposal::PathOnly(files::named(root, &self.path, Content::Opaque(Why::Binary)), reason)
    }

    /// The bytes of the file on disk, `None` when there is none, or why it cannot be read.
    fn current(&self, limit: u64) -> Result<Option<Vec<u8>>, Unchecked> {
        let unreadable =
            |error: &dyn std::fmt::Display| Err(Unchecked::Because(format!("Cannot read file: {error}")));
        match fs::metadata(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return unreadable(&error),
            Ok(metadata) if !metadata.is_file() => return unreadable(&Why::NotAFile),
            Ok(_) => {}
        }
        match Reader::new(limit).into_file(&self.path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(Why::Unreadable(error)) => unreadable(&error),
            Err(why) => unreadable(&why),
        }
    }

    fn edit(&self, edits: &[Edit<'_>], limit: u64) -> Result<Option<Vec<u8>>, Unchecked> {
        let current = self.current(limit)?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let edited = edit::apply_within(current, edits, limit);
        edited.map(Some).map_err(|error| self.unchecked(&error))
    }

    fn notebook(&self, input: ToolInput<'_>, limit: u64) -> Result<Option<Vec<u8>>, Unchecked> {
        let current = self.current(limit)?;
        let number = input.get("cell_number").and_then(serde_json::Value::as_u64);
        let by_number = || number.and_then(|number| usize::try_from(number).ok()).map(Cell::Index);
        let edit = CellEdit {
            cell: input.cell_id().map(Cell::Id).or_else(by_number),
            source: input.new_source().unwrap_or_default(),
            mode: match input.edit_mode() {
                Some("insert") => Mode::Insert,
                Some("delete") => Mode::Delete,
                _ => Mode::Replace,
            },
        };
        let source = match self.moment {
            Moment::Before => notebook::proposed(current.as_deref(), &edit),
            Moment::After => notebook::written(current.as_deref(), &edit),
        };
        source.map(|source| source.map(String::into_bytes)).map_err(|error| self.unchecked(&error))
    }

    fn unchecked(&self, error: &NotApplied) -> Unchecked {
        match error {
            NotApplied::BinaryFile => Unchecked::Binary,
            NotApplied::FileNotFound => Unchecked::Because(format!("{error}: {}", self.given)),
            other => Unchecked::Because(other.to_string()),
        }
    }
}

/// Why there is no text to check.
enum Unchecked {
    /// The file is not text.
    Binary,
    /// Something else.
    Because(String),
}

fn edit_of(input: ToolInput<'_>) -> Edit<'_> {
    Edit {
        old: input.old_string().unwrap_or_default(),
        new: input.new_string().unwrap_or_default(),
        occurrences: if input.replace_all() { Occurrences::All } else { Occurrences::First },
    }
}
