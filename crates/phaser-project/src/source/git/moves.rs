//! Finds files that were moved without `git mv`: an untracked file that was a tracked one whose path is now empty.
//!
//! A moved file keeps its inode, which the index records; a copied and deleted one keeps its bytes. An inode may be
//! reused by another file. Then the wrong previous version is chosen, but it shares few lines with the new file, so
//! few violations are mistaken for existing ones.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, Metadata};
use std::path::PathBuf;

use gix::ObjectId;
use gix::index::State;
use gix::index::entry::Mode;

use super::compare;
use super::previous::inode;
use super::repository::Repository;
use super::tracked::{MAX_COMPARED, native};
use phaser_core::deadline::Deadline;

/// The limit on files that are read to compare their bytes.
const MAX_READ: usize = 1000;

/// An untracked file.
pub(super) struct UntrackedFile {
    /// The index of its target.
    pub(super) at: usize,
    /// The path in the worktree.
    pub(super) path: Vec<u8>,
    /// The path on disk.
    pub(super) file: PathBuf,
    pub(super) metadata: Metadata,
}

/// The moved files, each with its previous path in the worktree.
pub(super) fn find<'a>(
    repository: &Repository,
    index: &State,
    arrivals: &[&'a UntrackedFile],
    deadline: Deadline,
) -> Vec<(&'a UntrackedFile, Vec<u8>)> {
    let files: Vec<&UntrackedFile> =
        arrivals.iter().copied().filter(|arrival| arrival.metadata.is_file()).collect();
    let by_number: HashMap<u32, &UntrackedFile> =
        files.iter().filter_map(|file| Some((inode(&file.metadata)?, *file))).collect();
    let may_be_read = |file: &UntrackedFile| (1..=MAX_COMPARED).contains(&file.metadata.len());
    let sizes: HashSet<u32> = files.iter().filter(|file| may_be_read(file)).map(|file| size(file)).collect();
    let mut found: BTreeMap<usize, (&UntrackedFile, Vec<u8>)> = BTreeMap::new();
    let mut gone: HashMap<ObjectId, &[u8]> = HashMap::new();
    for entry in index.entries().iter().filter(|entry| compare::is_committed(entry)) {
        let arrival = by_number.get(&entry.stat.ino);
        let is_file = matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE);
        if !is_file || (arrival.is_none() && !sizes.contains(&entry.stat.size)) || deadline.has_passed() {
            continue;
        }
        let path: &[u8] = entry.path(index);
        let is_gone = |path: PathBuf| fs::symlink_metadata(repository.worktree.join(path)).is_err();
        if native(path).is_some_and(is_gone) {
            gone.insert(entry.id, path);
            if let Some(arrival) = arrival {
                found.entry(arrival.at).or_insert_with(|| (arrival, path.to_vec()));
            }
        }
    }
    let kind = repository.git.object_hash();
    let left = files.iter().filter(|file| may_be_read(file)).take(MAX_READ);
    for file in left.filter(|_| !gone.is_empty() && !deadline.has_passed()) {
        if let Entry::Vacant(vacant) = found.entry(file.at)
            && let Ok(bytes) = fs::read(&file.file)
            && let Ok(id) = gix::objs::compute_hash(kind, gix::objs::Kind::Blob, &bytes)
            && let Some(path) = gone.get(&id)
        {
            vacant.insert((file, path.to_vec()));
        }
    }
    found.into_values().collect()
}

/// The size as the index stores it: the lower 32 bits.
fn size(arrival: &UntrackedFile) -> u32 {
    (arrival.metadata.len() & u64::from(u32::MAX)) as u32
}
