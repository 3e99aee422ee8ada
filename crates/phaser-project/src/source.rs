//! Sources of text: each lists targets and reports how much of the project they cover.
//!
//! A source knows no contracts. A file is read when the scan asks for it.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::path::RelPath;
use crate::tool_call::{Call, CellEdit, NotApplied};
use phaser_core::skipped::{SkipReason, Skipped};

pub mod change;
pub mod changes;
pub mod files;
pub mod git;
pub mod message;
pub mod notebook;
pub mod present;
pub mod shard;
pub mod tree;
pub mod view;
pub mod worktree;

/// Where the text to check comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The whole project, or one shard of it.
    Tree(Option<shard::Shard>),
    /// Files, and the files below directories.
    Files(Vec<PathBuf>),
    /// A text, as the content of a file that need not exist.
    Text(PathBuf, Content),
    /// The staged files; with paths, these files as they are in the index.
    Staged(Vec<PathBuf>),
    /// The files that changed since a base revision.
    Diff(git::Revisions),
    /// A commit message under way: its file, and its text.
    Message(PathBuf, Vec<u8>),
    /// The files that a tool call of an agent changes.
    Changes(Call),
    /// No text: an event that concerns no file.
    Nothing,
    /// The files that a shell command or a turn of an agent may have written.
    Worktree(worktree::ChangeWindow),
}

impl Source {
    /// Whether there is nothing to check, so that no contract has to be loaded. Only a tool call, a command or a turn can be
    /// empty in this sense: every other source also answers for files that must exist.
    pub fn is_empty(&self, targets: &Targets) -> bool {
        match self {
            Self::Nothing => true,
            Self::Changes(call) => call.changes.is_empty(),
            // A command that only deletes files has no targets, either.
            Self::Worktree(_) => {
                let has_changed = targets.walked.as_ref().is_some_and(|walked| walked.has_changed);
                targets.targets.is_empty()
                    && targets.skipped.is_empty()
                    && targets.gone.is_empty()
                    && !has_changed
            }
            Self::Tree(_)
            | Self::Files(_)
            | Self::Text(..)
            | Self::Staged(_)
            | Self::Diff(_)
            | Self::Message(..) => false,
        }
    }
}

/// One file to check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The path for globs and reports.
    pub path: RelPath,
    /// The real path, if `path` leads through a link. Globs see both.
    pub alias: Option<RelPath>,
    /// The text to check.
    pub content: Content,
    /// The whole file, if `content` is a part of it (a notebook cell). Requirements are judged on it.
    pub whole: Option<Content>,
    /// The previous version, `None` for a new file. A merge has several, chained through `before`.
    pub before: Option<Box<Target>>,
    /// What is compared with the previous version.
    pub compared: Compared,
    /// The files that the commit changes, if the content is its message.
    pub touched: Option<Vec<RelPath>>,
}

/// What is compared with the previous version of a target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Compared {
    /// Violations and ignore directives.
    #[default]
    Everything,
    /// The same; the file is named, and git knows it as unchanged.
    Unchanged,
    /// Ignore directives only.
    Directives,
}

impl Target {
    /// A target without alias or previous version.
    pub fn new(path: RelPath, content: Content) -> Self {
        let compared = Compared::Everything;
        Self { path, alias: None, content, whole: None, before: None, compared, touched: None }
    }
}

/// The bytes of a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// A file on disk.
    File(PathBuf),
    /// Bytes in memory.
    Bytes(Vec<u8>),
    /// A git blob.
    Blob(git::Blob),
    /// A notebook, with an edit of one cell.
    Notebook(Box<(Vec<u8>, CellEdit)>),
    /// Unavailable for this reason; only the path is judged.
    Opaque(SkipReason),
}

/// How much of the project the targets cover. Project-wide requirements need all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Coverage {
    /// Every file is a target.
    Whole,
    /// Every file is a target or one of `rest`.
    Shard {
        /// The files that other shards check, sorted by path.
        rest: Vec<Target>,
        /// Whether this shard judges project-wide requirements. One does.
        judges_project: bool,
    },
    /// Some files are targets; the paths of all can be listed.
    Listed(git::Listing),
    /// Nothing is known beyond the targets.
    Partial,
}

/// The targets of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Targets {
    /// The files to check.
    pub targets: Vec<Target>,
    /// How much of the project they cover.
    pub coverage: Coverage,
    /// Files that cannot be checked, with the reason.
    pub skipped: Vec<Skipped>,
    /// Files that the change deletes, as far as the source lists them.
    pub gone: Vec<RelPath>,
    /// Directories with settings, if all of them are known.
    pub folders: Option<Vec<RelPath>>,
    /// What a search for changes has seen of the directories; `None` if the project was not walked.
    pub walked: Option<WalkedDirectories>,
}

/// The directories that a search for changes has seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkedDirectories {
    /// Those with settings.
    pub folders: Vec<RelPath>,
    /// Whether any directory below the root was changed in its time.
    pub has_changed: bool,
}

impl Targets {
    /// No targets.
    pub fn none() -> Self {
        Self {
            targets: Vec::new(),
            coverage: Coverage::Partial,
            skipped: Vec::new(),
            gone: Vec::new(),
            folders: None,
            walked: None,
        }
    }
}

/// Reads targets one after another into one buffer.
#[derive(Debug)]
pub struct Reader {
    buffer: Vec<u8>,
    blobs: git::BlobReader,
    limit: u64,
}

impl Reader {
    /// A reader for files of at most `limit` bytes.
    pub fn new(limit: u64) -> Self {
        Self { buffer: Vec::new(), blobs: git::BlobReader::default(), limit }
    }

    /// The bytes of a target.
    pub fn read<'a>(&'a mut self, content: &'a Content) -> Result<Cow<'a, [u8]>, SkipReason> {
        match content {
            Content::File(path) => self.read_file(path).map(Cow::Borrowed),
            Content::Bytes(bytes) => Ok(Cow::Borrowed(bytes)),
            Content::Blob(blob) => self.blobs.read(blob, self.limit).map(Cow::Owned),
            Content::Notebook(edited) => {
                let (notebook, edit) = &**edited;
                let whole = notebook::whole(notebook, edit);
                let not_applied = |error: NotApplied| SkipReason::NotReconstructed(error.to_string());
                whole.map(|whole| Cow::Owned(whole.into_bytes())).map_err(not_applied)
            }
            Content::Opaque(why) => Err(why.clone()),
        }
    }

    /// Returns the buffer of a blob for reuse.
    pub fn take_back(&mut self, bytes: Vec<u8>) {
        self.blobs.take_back(bytes);
    }

    /// The bytes of a file on disk, owned.
    pub fn into_file(self, path: &Path) -> Result<Vec<u8>, SkipReason> {
        let (file, expected) = self.open(path)?;
        let mut bytes = vec![0; expected + 1];
        let size = fill(&file, &mut bytes).map_err(unreadable)?;
        if size <= expected {
            bytes.truncate(size);
            return Ok(bytes);
        }
        self.read_rest(&file, &mut bytes)?;
        Ok(bytes)
    }

    /// The bytes of a file on disk.
    pub fn read_file(&mut self, path: &Path) -> Result<&[u8], SkipReason> {
        let (file, expected) = self.open(path)?;
        if self.buffer.len() <= expected {
            self.buffer = vec![0; expected + 1];
        }
        let size = fill(&file, &mut self.buffer[..=expected]).map_err(unreadable)?;
        if size <= expected {
            return Ok(&self.buffer[..size]);
        }
        let mut bytes = std::mem::take(&mut self.buffer);
        bytes.truncate(size);
        self.read_rest(&file, &mut bytes)?;
        self.buffer = bytes;
        Ok(&self.buffer)
    }

    /// Opens a regular file within the limit; returns its expected size.
    fn open(&self, path: &Path) -> Result<(File, usize), SkipReason> {
        let file = File::open(path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        if !metadata.is_file() {
            return Err(SkipReason::NotAFile);
        }
        if metadata.len() > self.limit {
            return Err(SkipReason::TooLarge { size: metadata.len(), limit: self.limit });
        }
        Ok((file, usize::try_from(metadata.len()).unwrap_or_default()))
    }

    /// Reads the rest of a file that is longer than its metadata states.
    fn read_rest(&self, file: &File, bytes: &mut Vec<u8>) -> Result<(), SkipReason> {
        let limit = self.limit;
        let most = limit.saturating_add(1).saturating_sub(bytes.len() as u64);
        file.take(most).read_to_end(bytes).map_err(unreadable)?;
        match bytes.len() as u64 {
            size if size > limit => Err(SkipReason::TooLarge { size, limit }),
            _ => Ok(()),
        }
    }
}

fn unreadable(error: io::Error) -> SkipReason {
    SkipReason::Unreadable(error.to_string())
}

/// Reads a file into a buffer one byte larger than expected, usually in one call. Returns the number of bytes read.
fn fill(mut file: &File, bytes: &mut [u8]) -> io::Result<usize> {
    let expected = bytes.len() - 1;
    let mut size = 0;
    while size <= expected {
        match file.read(&mut bytes[size..]) {
            Ok(0) => return Ok(size),
            // The spare byte is unused: this is the end.
            Ok(read) if size + read == expected => return Ok(expected),
            Ok(read) => size += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_send_and_sync() {
        fn assert_send_and_sync<T: Send + Sync>() {}
        assert_send_and_sync::<Targets>();
        assert_send_and_sync::<git::Listing>();
    }

    #[test]
    fn reads_whole_file_into_reused_buffer() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("a");
        let mut reader = Reader::new(5);
        for content in ["", "12345", "1", "", "123"] {
            std::fs::write(&path, content).expect("written");
            assert_eq!(reader.read_file(&path), Ok(content.as_bytes()));
            assert_eq!(Reader::new(5).into_file(&path), Ok(Vec::from(content)));
        }
        std::fs::write(&path, "123456").expect("written");
        assert_eq!(reader.read_file(&path), Err(SkipReason::TooLarge { size: 6, limit: 5 }));
    }

    #[test]
    fn reads_large_files_between_small_ones() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("a");
        let mut reader = Reader::new(10_000_000);
        for size in [3_000_000, 5, 2 * 1024 * 1024 - 1, 7_000_001, 2 * 1024 * 1024, 1_000_000] {
            let content: Vec<u8> = (0..size).map(|at: u32| at.to_le_bytes()[at as usize % 3]).collect();
            std::fs::write(&path, &content).expect("written");
            assert!(reader.read_file(&path) == Ok(&content), "{size} bytes");
            assert!(Reader::new(10_000_000).into_file(&path) == Ok(content), "{size} bytes");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn reads_file_with_reported_size_zero() {
        let path = Path::new("/proc/self/maps");
        let whole = std::fs::read(path).expect("readable");
        let read = Reader::new(u64::MAX).into_file(path).expect("readable");
        assert!(!read.is_empty() && read.len().abs_diff(whole.len()) < 4096, "{} bytes", read.len());
        assert_eq!(Reader::new(5).into_file(path), Err(SkipReason::TooLarge { size: 6, limit: 5 }));
    }
}
