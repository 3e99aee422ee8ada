//! The files that a call of a tool changes: each as it will be, or as it is now, and as it was before.
//!
//! Before the tool runs, the file is worked out from what is on disk and the change; afterwards it is
//! read from disk. What cannot be worked out is skipped, with the reason. Decides nothing about contracts.

use std::fs;
use std::path::PathBuf;

use super::{Before, Content, Coverage, Reader, Target, Targets, files, notebook};
use crate::change::{Call, CellEdit, Change, MAX_PATH, Moment, NotApplied, Original, Rewrite};
use crate::path::{RelPath, Root};
use crate::skipped::{Skipped, Why};
use crate::text::Text;

/// The files that `call` changes. A file with more than `limit` bytes is not checked.
pub fn changes(root: &Root, call: &Call, limit: u64) -> Targets {
    let mut targets = Targets { targets: Vec::new(), coverage: Coverage::Partial, skipped: Vec::new() };
    targets.skipped.extend(call.skipped.iter().cloned());
    for change in &call.changes {
        let skip = |why| Skipped { path: RelPath::from(shortened(&change.path)), why };
        if change.path.len() > MAX_PATH {
            targets.skipped.push(skip(Why::PathTooLong { limit: MAX_PATH }));
            continue;
        }
        if change.climbs() {
            targets.skipped.push(skip(Why::ParentComponent));
            continue;
        }
        let changed = Changed { root, call, change, path: call.path(change), limit };
        match changed.target() {
            Ok(target) => targets.targets.push(target),
            Err(why) => targets.skipped.push(Skipped { path: root.relative(&changed.path), why }),
        }
    }
    targets
}

/// The start of a path that may be very long.
fn shortened(path: &str) -> &str {
    if path.len() <= MAX_PATH {
        return path;
    }
    path.char_indices().nth(100).map_or(path, |(end, _)| &path[..end])
}

/// One file that changes.
struct Changed<'a> {
    root: &'a Root,
    call: &'a Call,
    change: &'a Change,
    path: PathBuf,
    limit: u64,
}

/// What a file will be, or is: the text that contracts see, and the file as a whole where that is something else.
struct Worked {
    bytes: Vec<u8>,
    whole: Option<Content>,
    before: Option<Content>,
}

impl Changed<'_> {
    fn target(&self) -> Result<Target, Why> {
        let worked = match &self.change.rewrite {
            Rewrite::Cell(edit) => self.notebook(edit)?,
            Rewrite::Whole(content) => self.written(content)?,
            Rewrite::Edits { .. } => self.edited()?,
        };
        if worked.bytes.len() as u64 > self.limit {
            return Err(Why::TooLarge { size: worked.bytes.len() as u64, limit: self.limit });
        }
        let content = if Text::new(worked.bytes.as_slice()).is_some() {
            Content::Bytes(worked.bytes)
        } else {
            Content::Opaque(self.not_text())
        };
        let mut target = files::named(self.root, &self.path, content);
        let path = target.path.clone();
        target.whole = worked.whole;
        target.before = worked.before.map(|content| Box::new(Before { path, content }));
        Ok(target)
    }

    /// The file gets this content.
    fn written(&self, content: &str) -> Result<Worked, Why> {
        let given = || content.as_bytes().to_vec();
        let bytes = match self.call.moment {
            Moment::Before => given(),
            Moment::After => self.current()?.unwrap_or_else(given),
        };
        Ok(Worked { bytes, whole: None, before: self.before() })
    }

    /// Texts in the file are replaced.
    fn edited(&self) -> Result<Worked, Why> {
        let current = self.current()?;
        let Rewrite::Edits { edits, algorithm } = &self.change.rewrite else {
            return Err(self.not_applied(&NotApplied::FileNotFound));
        };
        if self.call.moment == Moment::After {
            let bytes = current.ok_or_else(|| self.not_applied(&NotApplied::FileNotFound))?;
            return Ok(Worked { bytes, whole: None, before: self.before() });
        }
        let before = current.clone().map(Content::Bytes);
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let bytes = (algorithm.0)(current, edits, limit).map_err(|error| self.not_applied(&error))?;
        Ok(Worked { bytes, whole: None, before })
    }

    /// A cell is changed. Contracts see its source; what they require of the file is judged on the whole notebook.
    fn notebook(&self, edit: &CellEdit) -> Result<Worked, Why> {
        let current = self.current()?;
        let not_applied = |error: NotApplied| self.not_applied(&error);
        let source = match self.call.moment {
            Moment::Before => notebook::proposed(current.as_deref(), edit),
            Moment::After => notebook::written(current.as_deref(), edit),
        };
        let bytes = source.map_err(not_applied)?.unwrap_or_default().into_bytes();
        let original = match (self.call.moment, &self.change.original) {
            (Moment::Before, _) => current.clone(),
            (Moment::After, Some(Original::Text(text))) => Some(text.clone().into_bytes()),
            (Moment::After, _) => None,
        };
        let before = notebook::written(original.as_deref(), edit).ok().flatten();
        let whole = current.map(|current| match self.call.moment {
            Moment::Before => Content::Notebook(Box::new((current, edit.clone()))),
            Moment::After => Content::Bytes(current),
        });
        Ok(Worked { bytes, whole, before: before.map(|source| Content::Bytes(source.into_bytes())) })
    }

    /// What the file was before, for a change that gives it a new content whatever it was, or that has happened. What
    /// cannot be read counts as nothing.
    fn before(&self) -> Option<Content> {
        match (self.call.moment, &self.change.original) {
            (Moment::Before, _) if self.path.is_file() => Some(Content::File(self.path.clone())),
            (Moment::After, Some(Original::Text(text))) => Some(Content::Bytes(text.clone().into_bytes())),
            (Moment::Before | Moment::After, _) => None,
        }
    }

    /// The bytes of the file on disk, `None` when there is none, or why it cannot be read.
    fn current(&self) -> Result<Option<Vec<u8>>, Why> {
        let unreadable = |error: String| Why::NotReconstructed(format!("Cannot read file: {error}"));
        match fs::metadata(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(error.to_string())),
            Ok(metadata) if !metadata.is_file() => return Err(unreadable(Why::NotAFile.to_string())),
            Ok(_) => {}
        }
        Reader::new(self.limit).into_file(&self.path).map(Some).map_err(|why| match why {
            Why::Unreadable(error) => unreadable(error),
            why => why,
        })
    }

    fn not_text(&self) -> Why {
        Why::NotReconstructed(match &self.change.rewrite {
            Rewrite::Whole(_) => "Binary content detected".to_owned(),
            Rewrite::Edits { .. } | Rewrite::Cell(_) => NotApplied::BinaryFile.to_string(),
        })
    }

    fn not_applied(&self, error: &NotApplied) -> Why {
        Why::NotReconstructed(match error {
            NotApplied::FileNotFound => format!("{error}: {}", self.change.path),
            other => other.to_string(),
        })
    }
}
