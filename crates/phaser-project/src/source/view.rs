//! The files of a project as the resolution of imports sees them, by source.
//!
//! | source | files |
//! |---|---|
//! | the tree, named files, an edit, a command or a turn | the disk, with the files of the edit |
//! | staged files | the index |
//! | a range of commits, a commit of a backtest or a history | that commit |
//!
//! The disk is asked about single paths, so that a hook lists nothing that no import needs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::git::{Blob, BlobReader, Listing};
use super::{Content, Reader, Target, Targets};
use crate::path::{RelPath, Root};
use phaser_core::imports::{EntryKind, MAX_CONFIG, ProjectView};

/// The files on disk, and those that an edit is about to write.
#[derive(Debug)]
pub struct DiskView {
    root: PathBuf,
    /// The files of the edit; `None` for one that it deletes.
    changed: BTreeMap<String, Option<Content>>,
    /// The directories of files that the edit writes.
    directories: BTreeSet<String>,
}

impl DiskView {
    /// The files of a project, with these targets as its edit.
    pub fn new(root: &Root, targets: &Targets) -> Self {
        let mut changed = BTreeMap::new();
        for path in &targets.gone {
            changed.insert(path.to_text().into_owned(), None);
        }
        let is_in_memory = |target: &&Target| !matches!(target.content, Content::File(_) | Content::Blob(_));
        for target in targets.targets.iter().filter(is_in_memory) {
            let content = target.whole.as_ref().unwrap_or(&target.content);
            changed.insert(target.path.to_text().into_owned(), Some(content.clone()));
        }
        let written = changed.iter().filter(|(_, content)| content.is_some());
        let above = written.flat_map(|(path, _)| {
            RelPath::from(path.as_str())
                .directories()
                .map(|directory| String::from_utf8_lossy(directory).into_owned())
                .collect::<Vec<_>>()
        });
        let directories = above.collect();
        Self { root: root.path().to_owned(), changed, directories }
    }

    fn native(&self, path: &str) -> PathBuf {
        self.root.join(Path::new(path))
    }
}

impl ProjectView for DiskView {
    fn entry(&self, path: &str) -> Option<EntryKind> {
        match self.changed.get(path) {
            Some(Some(_)) => return Some(EntryKind::File),
            Some(None) => return None,
            None => {}
        }
        if self.directories.contains(path) {
            return Some(EntryKind::Directory);
        }
        Some(kind(fs::symlink_metadata(self.native(path)).ok()?.file_type()))
    }

    fn list(&self, directory: &str) -> Vec<(String, EntryKind)> {
        let mut found = BTreeMap::new();
        for entry in fs::read_dir(self.native(directory)).into_iter().flatten().flatten() {
            if let (Ok(name), Ok(of)) = (entry.file_name().into_string(), entry.file_type()) {
                found.insert(name, kind(of));
            }
        }
        let inside = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        for (path, content) in &self.changed {
            match (path.strip_prefix(&inside), content) {
                (Some(rest), Some(_)) => match rest.split_once('/') {
                    Some((name, _)) => drop(found.insert(name.to_owned(), EntryKind::Directory)),
                    None => drop(found.insert(rest.to_owned(), EntryKind::File)),
                },
                (Some(rest), None) => drop(found.remove(rest)),
                (None, _) => {}
            }
        }
        found.into_iter().collect()
    }

    fn read(&self, path: &str) -> Option<String> {
        let mut reader = Reader::new(MAX_CONFIG as u64);
        let bytes = match self.changed.get(path) {
            Some(content) => reader.read(content.as_ref()?).ok()?.into_owned(),
            None => reader.into_file(&self.native(path)).ok()?,
        };
        String::from_utf8(bytes).ok()
    }
}

fn kind(of: fs::FileType) -> EntryKind {
    if of.is_dir() { EntryKind::Directory } else { EntryKind::File }
}

/// The files of the index or of a commit. A link and a submodule have no content.
pub struct ListedView {
    load: Box<dyn Fn() -> ListedFiles + Send + Sync>,
    files: OnceLock<ListedFiles>,
    reader: Mutex<BlobReader>,
}

/// Paths with their content.
pub type ListedFiles = BTreeMap<String, Option<Blob>>;

impl ListedView {
    /// The files of the index, which are listed on first use.
    pub fn of_index(listing: Listing) -> Self {
        Self::lazy(move || listing.files())
    }

    /// These files.
    pub fn of(files: ListedFiles) -> Self {
        let view = Self::lazy(BTreeMap::new);
        let _ = view.files.set(files);
        view
    }

    fn lazy(load: impl Fn() -> ListedFiles + Send + Sync + 'static) -> Self {
        Self { load: Box::new(load), files: OnceLock::new(), reader: Mutex::default() }
    }

    fn files(&self) -> &ListedFiles {
        self.files.get_or_init(|| (self.load)())
    }
}

impl ProjectView for ListedView {
    fn entry(&self, path: &str) -> Option<EntryKind> {
        entry(self.files(), path)
    }

    fn list(&self, directory: &str) -> Vec<(String, EntryKind)> {
        list(self.files(), directory)
    }

    fn read(&self, path: &str) -> Option<String> {
        let blob = self.files().get(path)?.as_ref()?;
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8(reader.read(blob, MAX_CONFIG as u64).ok()?).ok()
    }
}

/// What is at a path of sorted files.
pub fn entry<T>(files: &BTreeMap<String, T>, path: &str) -> Option<EntryKind> {
    if files.contains_key(path) {
        return Some(EntryKind::File);
    }
    let inside = format!("{path}/");
    let is_directory = path.is_empty()
        || files.range(inside.clone()..).next().is_some_and(|(file, _)| file.starts_with(&inside));
    is_directory.then_some(EntryKind::Directory)
}

/// The entries of a directory of sorted files.
pub fn list<T>(files: &BTreeMap<String, T>, directory: &str) -> Vec<(String, EntryKind)> {
    let inside = if directory.is_empty() { String::new() } else { format!("{directory}/") };
    let (mut found, mut from) = (BTreeMap::new(), inside.clone());
    while let Some(rest) = files.range(from.clone()..).next().and_then(|(file, _)| file.strip_prefix(&inside))
    {
        match rest.split_once('/') {
            Some((name, _)) => {
                found.insert(name.to_owned(), EntryKind::Directory);
                // The first path after everything in the directory: `0` follows `/`.
                from = format!("{inside}{name}0");
            }
            None => {
                found.insert(rest.to_owned(), EntryKind::File);
                from = format!("{inside}{rest}\0");
            }
        }
    }
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(found: &[(String, EntryKind)]) -> Vec<String> {
        let mark = |kind: &EntryKind| if *kind == EntryKind::Directory { "/" } else { "" };
        found.iter().map(|(name, kind)| format!("{name}{}", mark(kind))).collect()
    }

    #[test]
    fn sorted_files_have_directories() {
        let files: BTreeMap<String, ()> =
            ["a", "b/c", "b/d/e", "b-f", "b.g", "b0", "h/i"].map(|path| (path.to_owned(), ())).into();
        assert_eq!(names(&list(&files, "")), ["a", "b/", "b-f", "b.g", "b0", "h/"]);
        assert_eq!(names(&list(&files, "b")), ["c", "d/"]);
        assert_eq!(names(&list(&files, "a")), [""; 0]);
        let kinds = ["a", "b", "b/d", "b/c", "c", "b/", ""].map(|path| entry(&files, path));
        let (file, directory) = (Some(EntryKind::File), Some(EntryKind::Directory));
        assert_eq!(kinds, [file, directory, directory, file, None, None, directory]);
    }

    #[test]
    fn edit_lies_over_disk() {
        let root = tempfile::tempdir().expect("a temporary directory");
        for path in ["a/b.txt", "c/d.txt"] {
            fs::create_dir_all(root.path().join(path).parent().expect("has a parent")).expect("created");
            fs::write(root.path().join(path), "disk").expect("written");
        }
        let mut targets = Targets::none();
        for path in ["a/b.txt", "n/o/p.txt"] {
            targets.targets.push(Target::new(RelPath::from(path), Content::Bytes(b"edit".to_vec())));
        }
        targets.gone.push(RelPath::from("c/d.txt"));
        let view = DiskView::new(&Root::new(root.path().to_owned()), &targets);
        assert_eq!(view.read("a/b.txt").as_deref(), Some("edit"));
        assert_eq!(
            (view.entry("n/o"), view.entry("n/o/p.txt")),
            (Some(EntryKind::Directory), Some(EntryKind::File))
        );
        assert_eq!((view.entry("c/d.txt"), view.read("c/d.txt")), (None, None));
        assert_eq!(names(&view.list("")), ["a/", "c/", "n/"]);
        assert_eq!(names(&view.list("c")), [""; 0]);
        assert_eq!(names(&view.list("n")), ["o/"]);
    }
}
