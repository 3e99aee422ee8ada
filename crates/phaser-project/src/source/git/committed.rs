//! The files of one commit, from which contracts, configuration and baseline are read.
//!
//! An unreadable file is an error, never skipped: the caller asked for a commit because the worktree is not trusted.

use std::collections::BTreeMap;
use std::fmt;

use gix::objs::tree::EntryKind;

use super::blob::{BlobReader, Objects};
use super::compare::{self, TreeEntry};
use super::repository::{ConfigSource, Repository};
use super::{GitError, GitLocation, revisions};
use crate::path::{RelPath, Root, SETTINGS, directory_of_top_config};

/// The largest file that is read, in bytes: the largest baseline.
const MAX_SIZE: u64 = 64 << 20;

/// The files of one commit.
pub struct Committed {
    revision: String,
    objects: Objects,
    entries: BTreeMap<RelPath, TreeEntry>,
}

impl fmt::Debug for Committed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Committed({}, {} entries)", self.revision, self.entries.len())
    }
}

/// The files of the project in a commit.
pub fn committed(root: &Root, location: &GitLocation, revision: &str) -> Result<Committed, GitError> {
    let repository = Repository::open(root, location, ConfigSource::Repository)?;
    let tree = repository.commit_tree(revisions::commit(&repository, revision)?)?;
    let files = compare::files(&repository, b"", tree)?;
    let entries = files.into_iter().filter_map(|file| Some((repository.project_path(&file.path)?, file.now)));
    let entries = entries.collect();
    Ok(Committed { revision: revision.to_owned(), objects: repository.objects.clone(), entries })
}

impl Committed {
    /// The revision as the caller wrote it.
    pub fn revision(&self) -> &str {
        &self.revision
    }

    /// The directories of the project that have settings, without the project itself.
    pub fn folders(&self) -> Vec<RelPath> {
        let inside = format!("/{SETTINGS}/");
        let settings = |path: &RelPath| {
            let at_end = || directory_of_top_config(path.as_bytes()).map(<[u8]>::len).filter(|end| *end > 0);
            memchr::memmem::find(path.as_bytes(), inside.as_bytes()).or_else(at_end)
        };
        let above = |path: &RelPath| settings(path).map(|end| RelPath::from_bytes(&path.as_bytes()[..end]));
        let mut folders: Vec<_> = self.entries.keys().filter_map(above).collect();
        // Entries of one directory need not be adjacent.
        folders.sort_unstable();
        folders.dedup();
        folders
    }

    /// The bytes of a file; `None` if there is none.
    pub fn file(&self, path: &RelPath) -> Result<Option<Vec<u8>>, String> {
        self.refuse_links(path)?;
        self.entries.get(path).map(|entry| self.read(path, *entry)).transpose()
    }

    /// The files below a directory, by relative path; `None` if there are none.
    pub fn files_in(&self, directory: &RelPath) -> Result<Option<BTreeMap<String, Vec<u8>>>, String> {
        self.refuse_links(directory)?;
        let first = directory.join("");
        let below = self.entries.range(first..).take_while(|(path, _)| path.below(directory).is_some());
        let mut files = BTreeMap::new();
        for (path, entry) in below {
            let name = path.below(directory).unwrap_or_default();
            files.insert(String::from_utf8_lossy(name).into_owned(), self.read(path, *entry)?);
        }
        Ok((!files.is_empty()).then_some(files))
    }

    /// Fails if a component of the path is a link, which would lead to the worktree, or a submodule.
    fn refuse_links(&self, path: &RelPath) -> Result<(), String> {
        let above = path.directories().map(RelPath::from_bytes);
        for at in above.chain([path.clone()]) {
            match self.entries.get(&at).map(|entry| entry.kind) {
                Some(EntryKind::Link) => return Err(self.cannot(&at, "it is a link, which is not followed")),
                Some(EntryKind::Commit) => return Err(self.cannot(&at, "it is a submodule")),
                _ => {}
            }
        }
        Ok(())
    }

    fn read(&self, path: &RelPath, entry: TreeEntry) -> Result<Vec<u8>, String> {
        self.refuse_links(path)?;
        let read = BlobReader::default().read(&self.objects.blob(entry.id), MAX_SIZE);
        read.map_err(|why| self.cannot(path, &why.to_string()))
    }

    fn cannot(&self, path: &RelPath, why: &str) -> String {
        format!("{} cannot be read from {}: {why}", path.to_text(), self.revision)
    }
}
