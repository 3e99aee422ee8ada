//! The files that a tool call changes, each with its previous version.
//!
//! Before the tool runs, the new text is reconstructed from the file on disk and the call. Afterwards it is read from
//! disk. A file that cannot be reconstructed is skipped, with a reason.

use std::fs;
use std::path::{Path, PathBuf};

use super::change::ChangedFile;
use super::{Content, Reader, Target, Targets, files, notebook};
use crate::path::{RelPath, Root};
use crate::tool_call::patch::apply;
use crate::tool_call::{
    Call, CellAction, CellEdit, FileChange, MAX_PATH, Moment, NotApplied, Original, Patch, PatchBase, Rewrite,
};
use phaser_core::sanitize::head;
use phaser_core::skipped::{SkipReason, Skipped};
use phaser_core::text::Text;

/// The files that `call` changes. A file of more than `limit` bytes is skipped.
pub fn changes(root: &Root, call: &Call, limit: u64) -> Targets {
    let mut targets = Targets::none();
    targets.skipped.extend(call.skipped.iter().cloned());
    for change in &call.changes {
        let skip = |why| Skipped { path: RelPath::from(shortened(&change.path)), why };
        if change.path.len() > MAX_PATH {
            targets.skipped.push(skip(SkipReason::PathTooLong { limit: MAX_PATH }));
            continue;
        }
        if change.climbs() {
            targets.skipped.push(skip(SkipReason::ParentComponent));
            continue;
        }
        if change.rewrite == Rewrite::Removal {
            continue;
        }
        let changed = ReconstructedFile { root, call, change, path: call.path(change), limit };
        match changed.target() {
            Ok(target) => targets.targets.push(target),
            Err(why) => targets.skipped.push(Skipped { path: root.relative(&changed.path), why }),
        }
    }
    targets
}

/// The files that a call changes, for contracts about changes: its targets, and the files that it deletes or moves away.
/// What is in the base is added by the caller.
pub fn changed_files(root: &Root, call: &Call, targets: &[Target]) -> Vec<ChangedFile> {
    let of = |target: &Target, after, previous, moved_to| {
        let (path, alias) = (target.path.clone(), target.alias.clone());
        ChangedFile { path, alias, before: Vec::new(), previous, after, moved_to }
    };
    let mut files: Vec<ChangedFile> = targets
        .iter()
        .map(|target| {
            let whole = target.whole.clone().unwrap_or_else(|| target.content.clone());
            let before = target.before.as_deref().filter(|before| before.path == target.path);
            let previous = before.map(|before| before.whole.as_ref().unwrap_or(&before.content).clone());
            of(target, Some(whole), previous, None)
        })
        .collect();
    for change in call.changes.iter().filter(|change| !change.climbs() && change.path.len() <= MAX_PATH) {
        let lost = match &change.rewrite {
            Rewrite::Removal => Some((call.path(change), None)),
            Rewrite::Patch(Patch { base: PatchBase::Moved(from), .. }) => {
                let from = call.cwd.join(from);
                (from != call.path(change)).then(|| (from, Some(root.relative(&call.path(change)))))
            }
            _ => None,
        };
        let Some((file, moved_to)) = lost else { continue };
        let previous = (call.moment == Moment::Before).then(|| Content::File(file.clone()));
        let target = files::target_at(root, &file, Content::File(file.clone()));
        files.push(of(&target, None, previous, moved_to));
    }
    files
}

/// The start of a path that may be very long.
fn shortened(path: &str) -> &str {
    if path.len() <= MAX_PATH { path } else { head(path, 100).unwrap_or(path) }
}

/// A file that the call changes, and what is needed to reconstruct it.
struct ReconstructedFile<'a> {
    root: &'a Root,
    call: &'a Call,
    change: &'a FileChange,
    path: PathBuf,
    limit: u64,
}

/// The new version of a file: `bytes` is what contracts see, `whole` the whole file where that is more (a notebook).
struct FileVersions {
    bytes: Vec<u8>,
    whole: Option<Content>,
    before: Option<PreviousFile>,
}

/// The previous version, in the same two forms.
struct PreviousFile {
    content: Content,
    whole: Option<Content>,
    /// The previous path, if the file was moved.
    path: Option<PathBuf>,
}

impl From<Content> for PreviousFile {
    fn from(content: Content) -> Self {
        Self { content, whole: None, path: None }
    }
}

impl ReconstructedFile<'_> {
    fn target(&self) -> Result<Target, SkipReason> {
        let worked = match &self.change.rewrite {
            Rewrite::Cell(edit) => self.notebook(edit)?,
            Rewrite::Whole(content) => self.written(content)?,
            Rewrite::Edits { .. } => self.edited()?,
            Rewrite::Patch(patch) => self.patched(patch)?,
            Rewrite::Unknown | Rewrite::Removal => self.known_afterwards(&NotApplied::KnownAfterwards)?,
        };
        if worked.bytes.len() as u64 > self.limit {
            return Err(SkipReason::TooLarge { size: worked.bytes.len() as u64, limit: self.limit });
        }
        let content = if Text::new(worked.bytes.as_slice()).is_some() {
            Content::Bytes(worked.bytes)
        } else {
            Content::Opaque(self.not_text())
        };
        let mut target = files::target_at(self.root, &self.path, content);
        target.whole = worked.whole;
        target.before = worked.before.map(|PreviousFile { content, whole, path }| {
            Box::new(match path {
                Some(path) => files::target_at(self.root, &path, content),
                None => {
                    let alias = target.alias.clone();
                    Target { alias, whole, ..Target::new(target.path.clone(), content) }
                }
            })
        });
        Ok(target)
    }

    /// The call writes the whole file.
    fn written(&self, content: &str) -> Result<FileVersions, SkipReason> {
        let given = || Vec::from(content);
        let bytes = match self.call.moment {
            Moment::Before => given(),
            Moment::After => self.current()?.unwrap_or_else(given),
        };
        Ok(FileVersions { bytes, whole: None, before: self.before().map(PreviousFile::from) })
    }

    /// Reads the file that the call has changed. Before the call it is unknown: returns `otherwise`.
    fn known_afterwards(&self, otherwise: &NotApplied) -> Result<FileVersions, SkipReason> {
        let known = match self.call.moment {
            Moment::Before => None,
            Moment::After => self.current()?,
        };
        let bytes = known.ok_or_else(|| self.not_applied(otherwise))?;
        let before = self.before().map(|before| with_line_endings_of(&bytes, before).into());
        Ok(FileVersions { bytes, whole: None, before })
    }

    /// The call applies a patch.
    fn patched(&self, patch: &Patch) -> Result<FileVersions, SkipReason> {
        if self.call.moment == Moment::After {
            return self.known_afterwards(&NotApplied::FileNotFound);
        }
        let (start, before) = match &patch.base {
            PatchBase::Itself => {
                let current = self.current()?;
                let before = self.on_disk(current.as_deref());
                (current, before)
            }
            PatchBase::Moved(from) => {
                let from = self.call.cwd.join(from);
                let moved = self.read(&from)?;
                let content = Content::File(from.clone());
                let before = moved.as_ref().map(|_| PreviousFile { content, whole: None, path: Some(from) });
                (moved, before)
            }
            PatchBase::Text(text) => (Some(Vec::from(text.as_str())), self.before().map(PreviousFile::from)),
        };
        let start = start.ok_or_else(|| self.not_applied(&NotApplied::FileNotFound))?;
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let bytes = apply(&start, &patch.updates, limit).map_err(|error| self.not_applied(&error))?;
        Ok(FileVersions { bytes, whole: None, before })
    }

    /// The call replaces texts in the file.
    fn edited(&self) -> Result<FileVersions, SkipReason> {
        let Rewrite::Edits { edits, algorithm } = &self.change.rewrite else {
            return Err(self.not_applied(&NotApplied::FileNotFound));
        };
        if self.call.moment == Moment::After {
            return self.known_afterwards(&NotApplied::FileNotFound);
        }
        let current = self.current()?;
        let before = self.on_disk(current.as_deref());
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let bytes = match (algorithm.0)(current, edits, limit) {
            // The file stays binary, whatever the edit.
            Err(NotApplied::BinaryFile) => {
                let current = self.current()?.filter(|bytes| Text::new(bytes.as_slice()).is_none());
                current.ok_or_else(|| self.not_applied(&NotApplied::BinaryFile))?
            }
            edited => edited.map_err(|error| self.not_applied(&error))?,
        };
        Ok(FileVersions { bytes, whole: None, before })
    }

    /// The previous version, if there is a file. It is read again when needed: a copy would cost every edit of a
    /// large file as much as reading it.
    fn on_disk(&self, current: Option<&[u8]>) -> Option<PreviousFile> {
        current.map(|_| Content::File(self.path.clone()).into())
    }

    /// The call changes a notebook cell. Contracts see its source; `require_pattern` is judged on the whole notebook.
    fn notebook(&self, edit: &CellEdit) -> Result<FileVersions, SkipReason> {
        let current = self.current()?;
        let not_applied = |error: NotApplied| self.not_applied(&error);
        let source = match self.call.moment {
            Moment::Before => notebook::proposed(current.as_deref(), edit),
            Moment::After => notebook::written(current.as_deref(), edit),
        };
        let bytes = source.map_err(not_applied)?.unwrap_or_default().into();
        let original = match (self.call.moment, &self.change.original) {
            (Moment::Before, _) => current.clone(),
            (Moment::After, Some(Original::Text(text))) => Some(Vec::from(text.as_str())),
            (Moment::After, _) => None,
        };
        // A new cell has no previous source; the cell at its index is another one.
        let source = match edit.action {
            CellAction::Replace => notebook::written(original.as_deref(), edit).ok().flatten(),
            CellAction::Insert | CellAction::Delete => None,
        };
        let before = original.map(|original| PreviousFile {
            content: Content::Bytes(source.unwrap_or_default().into()),
            whole: Some(Content::Bytes(original)),
            path: None,
        });
        let whole = current.map(|current| match self.call.moment {
            Moment::Before => Content::Notebook(Box::new((current, edit.clone()))),
            Moment::After => Content::Bytes(current),
        });
        Ok(FileVersions { bytes, whole, before })
    }

    /// The previous version: the file on disk before the call, the original that the agent sent after it. `None` if
    /// unreadable.
    fn before(&self) -> Option<Content> {
        match (self.call.moment, &self.change.original) {
            (Moment::Before, _) if self.path.is_file() => Some(Content::File(self.path.clone())),
            (Moment::After, Some(Original::Text(text))) => Some(Content::Bytes(text.as_str().into())),
            (Moment::Before | Moment::After, _) => None,
        }
    }

    /// The bytes of the file on disk; `None` if there is none.
    fn current(&self) -> Result<Option<Vec<u8>>, SkipReason> {
        self.read(&self.path)
    }

    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, SkipReason> {
        let unreadable = |error: String| SkipReason::NotReconstructed(format!("Cannot read file: {error}"));
        match fs::metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(error.to_string())),
            Ok(metadata) if !metadata.is_file() => return Err(unreadable(SkipReason::NotAFile.to_string())),
            Ok(_) => {}
        }
        Reader::new(self.limit).into_file(path).map(Some).map_err(|why| match why {
            SkipReason::Unreadable(error) => unreadable(error),
            why => why,
        })
    }

    fn not_text(&self) -> SkipReason {
        SkipReason::NotReconstructed(match &self.change.rewrite {
            Rewrite::Whole(_) => "Binary content detected".to_owned(),
            Rewrite::Edits { .. }
            | Rewrite::Patch(_)
            | Rewrite::Cell(_)
            | Rewrite::Unknown
            | Rewrite::Removal => NotApplied::BinaryFile.to_string(),
        })
    }

    fn not_applied(&self, error: &NotApplied) -> SkipReason {
        SkipReason::NotReconstructed(match error {
            NotApplied::FileNotFound => format!("{error}: {}", self.change.path),
            other => other.to_string(),
        })
    }
}

/// The previous version with the line endings of the current one. Agents send the original with `\n`, edits keep
/// `\r\n`.
fn with_line_endings_of(now: &[u8], before: Content) -> Content {
    match before {
        Content::Bytes(bytes) if !bytes.contains(&b'\r') && memchr::memmem::find(now, b"\r\n").is_some() => {
            let lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
            Content::Bytes(lines.join(&b"\r\n"[..]))
        }
        before => before,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool_call::{Algorithm, Occurrences, TextEdit};

    /// A client that replaces the first occurrence, or puts the new text into a file that is not there.
    fn simple(current: Option<Vec<u8>>, edits: &[TextEdit], _: usize) -> Result<Vec<u8>, NotApplied> {
        let text = current.ok_or(NotApplied::FileNotFound)?;
        let text = String::from_utf8(text).expect("is text");
        if !text.contains(&edits[0].old) {
            return Err(NotApplied::OldNotFound);
        }
        Ok(text.replacen(&edits[0].old, &edits[0].new, 1).into())
    }

    fn edit(old: &str) -> Rewrite {
        let edit = TextEdit { old: old.to_owned(), new: "new".to_owned(), occurrences: Occurrences::First };
        Rewrite::Edits { edits: vec![edit], algorithm: Algorithm(simple) }
    }

    /// The targets of one change of `a.txt` with this content.
    fn changed(
        moment: Moment,
        rewrite: Rewrite,
        original: Option<Original>,
        on_disk: Option<&str>,
    ) -> Targets {
        let directory = tempfile::tempdir().expect("a temporary directory");
        if let Some(text) = on_disk {
            fs::write(directory.path().join("a.txt"), text).expect("written");
        }
        let change = FileChange { path: "a.txt".to_owned(), rewrite, original };
        let cwd = directory.path().to_owned();
        let call = Call { moment, cwd, changes: vec![change], skipped: Vec::new() };
        let mut targets = changes(&Root::new(directory.path()), &call, 20);
        // The directory is gone after this.
        for target in &mut targets.targets {
            if let Some(before) = &mut target.before {
                let read = Reader::new(100).read(&before.content).expect("readable").into_owned();
                before.content = Content::Bytes(read);
            }
        }
        targets
    }

    fn texts(targets: &Targets) -> (String, Option<String>) {
        let text = |content: &Content| match content {
            Content::Bytes(bytes) => String::from_utf8(bytes.to_vec()).expect("is text"),
            other => panic!("{other:?}"),
        };
        let target = &targets.targets[0];
        (text(&target.content), target.before.as_ref().map(|before| text(&before.content)))
    }

    fn skipped(targets: &Targets) -> String {
        assert_eq!(targets.targets, []);
        targets.skipped[0].why.to_string()
    }

    #[test]
    fn before_call_reconstructs_text() {
        let write = Rewrite::Whole("content".to_owned());
        let both = |now: &str, before: &str| (now.to_owned(), Some(before.to_owned()));
        let before = Moment::Before;
        assert_eq!(
            texts(&changed(before, edit("old"), None, Some("an old one"))),
            both("an new one", "an old one")
        );
        assert_eq!(texts(&changed(before, write.clone(), None, Some("old"))), both("content", "old"));
        assert_eq!(texts(&changed(before, write, None, None)), ("content".to_owned(), None));
    }

    #[test]
    fn after_call_reads_file_from_disk() {
        let write = || Rewrite::Whole("content".to_owned());
        let after = Moment::After;
        let old = Some(Original::Text("old".to_owned()));
        let both = ("on disk".to_owned(), Some("old".to_owned()));
        assert_eq!(texts(&changed(after, write(), old.clone(), Some("on disk"))), both);
        assert_eq!(texts(&changed(after, edit("x"), old, Some("on disk"))), both);
        let new = changed(after, write(), Some(Original::Nothing), None);
        assert_eq!(
            texts(&new),
            ("content".to_owned(), None),
            "a file that is not there has what was written"
        );
    }

    #[test]
    fn skips_unreconstructable_change() {
        let before = Moment::Before;
        assert_eq!(skipped(&changed(before, edit("x"), None, None)), "File not found: a.txt");
        assert_eq!(skipped(&changed(before, edit("x"), None, Some("y"))), "old_str not found in file");
        let large = changed(before, Rewrite::Whole("x".repeat(21)), None, None);
        assert_eq!(large.skipped[0].why, SkipReason::TooLarge { size: 21, limit: 20 });
        let large = changed(before, edit("x"), None, Some(&"x".repeat(21)));
        assert_eq!(large.skipped[0].why, SkipReason::TooLarge { size: 21, limit: 20 });
    }

    #[test]
    fn checks_binary_content_by_path_only() {
        let targets = changed(Moment::Before, Rewrite::Whole("a\0".to_owned()), None, None);
        let binary = SkipReason::NotReconstructed("Binary content detected".to_owned());
        assert_eq!(targets.targets[0].content, Content::Opaque(binary));
    }

    #[test]
    fn refuses_climbing_and_overlong_paths() {
        let root = Root::new("/nowhere");
        let why = |path: String| {
            let change = FileChange { path, rewrite: Rewrite::Whole(String::new()), original: None };
            let cwd = PathBuf::from("/nowhere");
            let call = Call { moment: Moment::Before, cwd, changes: vec![change], skipped: Vec::new() };
            changes(&root, &call, 20).skipped.remove(0)
        };
        assert_eq!(why("a/../b".to_owned()).why, SkipReason::ParentComponent);
        let long = why("é".repeat(MAX_PATH));
        assert_eq!(
            (long.why, long.path.as_bytes().len()),
            (SkipReason::PathTooLong { limit: MAX_PATH }, 200)
        );
    }
}
