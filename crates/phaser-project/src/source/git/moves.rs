//! Files that were moved on disk without telling git: a file that git does not know is one that it does, whose place is
//! empty now.
//!
//! A file that is moved keeps its number in the file system, which the index remembers; one that is copied and deleted keeps
//! its bytes. A number may be used again for another file. Then the wrong text before has few lines in common with it, so
//! little is taken to be old that is new.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, Metadata};
use std::path::PathBuf;

use gix::ObjectId;
use gix::index::State;
use gix::index::entry::Mode;

use super::before::inode;
use super::compare;
use super::repository::Repository;
use super::worktree::{MAX_COMPARED, native};
use phaser_core::deadline::Deadline;

/// How many files are read to find out whether they are the bytes of another one.
const MAX_READ: usize = 1000;

/// A file that git does not know.
pub(super) struct Arrival {
    /// Which of the targets it is.
    pub(super) at: usize,
    /// Its path in the worktree.
    pub(super) path: Vec<u8>,
    /// Where it is.
    pub(super) file: PathBuf,
    pub(super) metadata: Metadata,
}

/// The files that were moved, and from where.
pub(super) fn find<'a>(
    repository: &Repository,
    index: &State,
    arrivals: &[&'a Arrival],
    deadline: Deadline,
) -> Vec<(&'a Arrival, Vec<u8>)> {
    let files: Vec<&Arrival> =
        arrivals.iter().copied().filter(|arrival| arrival.metadata.is_file()).collect();
    let by_number: HashMap<u32, &Arrival> =
        files.iter().filter_map(|file| Some((inode(&file.metadata)?, *file))).collect();
    let may_be_read = |file: &Arrival| (1..=MAX_COMPARED).contains(&file.metadata.len());
    let sizes: HashSet<u32> = files.iter().filter(|file| may_be_read(file)).map(|file| size(file)).collect();
    let mut found: BTreeMap<usize, (&Arrival, Vec<u8>)> = BTreeMap::new();
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

/// The size of a file as the index has it: its lower bits.
fn size(arrival: &Arrival) -> u32 {
    (arrival.metadata.len() & u64::from(u32::MAX)) as u32
}
