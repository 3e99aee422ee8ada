//! Finds files that were moved without `git mv`: an untracked file that was a tracked one whose path is now empty.
//!
//! A moved file keeps its inode, which the index records; a copied and deleted one keeps its bytes. One that was changed in
//! between (editors write a new file) keeps most of its lines. An inode may be reused by another file. Then the wrong previous version is chosen, but it shares few lines with the new file, so
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
        // An entry that git wrote without the file has no size.
        let may_be_it = arrival.is_some() || entry.stat.size == 0 || sizes.contains(&entry.stat.size);
        if !is_file || !may_be_it || deadline.has_passed() {
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

/// The limit on pairs of files whose lines are compared.
const MAX_PAIRS: usize = 10_000;

/// The files that were changed and then moved, each with the previous path: the tracked file with the same extension whose
/// path is empty and that shares the most lines, at least half of them.
pub(super) fn find_similar<'a>(
    repository: &Repository,
    index: &State,
    arrivals: &[&'a UntrackedFile],
    deadline: Deadline,
) -> Vec<(&'a UntrackedFile, Vec<u8>)> {
    let may_be_read = |file: &&&UntrackedFile| (1..=MAX_COMPARED).contains(&file.metadata.len());
    let files: Vec<&UntrackedFile> =
        arrivals.iter().filter(|file| file.metadata.is_file()).filter(may_be_read).copied().collect();
    let extensions: HashSet<Option<&[u8]>> = files.iter().map(|file| extension(&file.path)).collect();
    let is_candidate = |entry: &&gix::index::Entry| {
        let is_small = u64::from(entry.stat.size) <= MAX_COMPARED;
        is_small
            && matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE)
            && extensions.contains(&extension(entry.path(index)))
            && !deadline.has_passed()
            && native(entry.path(index))
                .is_some_and(|path| fs::symlink_metadata(repository.worktree.join(path)).is_err())
    };
    let mut left = MAX_PAIRS.min(MAX_READ * files.len());
    let mut gone: Vec<(&[u8], _)> = Vec::new();
    for entry in index.entries().iter().filter(|entry| compare::is_committed(entry)).filter(is_candidate) {
        if gone.len() < MAX_READ
            && let Ok(blob) = repository.git.find_object(entry.id)
        {
            gone.push((entry.path(index), lines(&blob.data)));
        }
    }
    let mut found = Vec::new();
    for file in files {
        let Some(now) = fs::read(&file.file).ok().filter(|_| !gone.is_empty() && !deadline.has_passed())
        else {
            continue;
        };
        let now = lines(&now);
        let total: usize = now.values().sum();
        let mut best: Option<(usize, &[u8])> = None;
        for (path, was) in gone.iter().filter(|(path, _)| extension(path) == extension(&file.path)) {
            let Some(rest) = left.checked_sub(1) else { break };
            left = rest;
            let shared: usize = now.iter().map(|(line, n)| was.get(line).map_or(0, |was| *n.min(was))).sum();
            let most = total.max(was.values().sum());
            if shared * 2 >= most && best.is_none_or(|(known, _)| shared > known) {
                best = Some((shared, path));
            }
        }
        found.extend(best.map(|(_, path)| (file, path.to_vec())));
    }
    found
}

/// How often each line occurs.
fn lines(bytes: &[u8]) -> HashMap<Vec<u8>, usize> {
    let mut count = HashMap::new();
    for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        *count.entry(line.to_vec()).or_default() += 1;
    }
    count
}

fn extension(path: &[u8]) -> Option<&[u8]> {
    let name = path.rsplit(|&byte| byte == b'/').next()?;
    let dot = name.iter().rposition(|&byte| byte == b'.')?;
    Some(&name[dot..])
}

/// The size as the index stores it: the lower 32 bits.
fn size(arrival: &UntrackedFile) -> u32 {
    (arrival.metadata.len() & u64::from(u32::MAX)) as u32
}
