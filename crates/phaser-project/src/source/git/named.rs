//! Files of the index by name, changed or not.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use gix::index::State;

use super::GitError;
use super::compare::{self, TreeChange, TreeChanges, TreeEntry};
use super::repository::Repository;
use crate::path::{RelPath, real_path, resolve};
use phaser_core::skipped::{SkipReason, Skipped};

/// The named files in the index, and the names that are not in it. A directory stands for its files.
pub(super) fn find(
    repository: &Repository,
    index: &State,
    mut names: IndexNames,
    changes: &TreeChanges,
) -> Result<(Vec<TreeChange>, Vec<Skipped>), GitError> {
    let changed: HashMap<&[u8], &TreeChange> =
        changes.present.iter().map(|change| (change.path.as_slice(), change)).collect();
    let mut found = Vec::new();
    let mut add = |path: &[u8], now: TreeEntry| {
        let was = changed.get(path).map_or(Some(now), |change| change.was);
        found.push(TreeChange { path: path.to_vec(), now, was });
    };
    for entry in index.entries().iter().filter(|entry| compare::is_committed(entry)) {
        let path = entry.path(index);
        if !entry.mode.is_sparse() {
            if names.cover(path) {
                add(path, TreeEntry::of_index(entry));
            }
        } else if names.reach_into(path) {
            for file in compare::files(repository, path, entry.id)? {
                if names.cover(&file.path) {
                    add(&file.path, file.now);
                }
            }
        }
    }
    // A staged deletion is a known name without content.
    for (path, _) in &changes.gone {
        if index.entry_index_by_path(path.as_slice().into()).is_err() {
            names.cover(path);
        }
    }
    Ok((found, names.unknown()))
}

/// Names from the command line, by path in the worktree.
pub(super) struct IndexNames {
    seen: HashMap<Vec<u8>, (PathBuf, bool)>,
    refused: Vec<Skipped>,
}

impl IndexNames {
    /// Resolves names; a relative one starts at `cwd`.
    pub(super) fn new(repository: &Repository, cwd: &Path, paths: &[PathBuf]) -> Self {
        let mut names = Self { seen: HashMap::new(), refused: Vec::new() };
        for path in paths {
            match in_project(repository, cwd, path) {
                Ok(inside) => {
                    names.seen.insert(inside.as_bytes().to_vec(), (path.clone(), false));
                }
                Err(why) => names.refused.push(Skipped { path: RelPath::from_native(path), why }),
            }
        }
        names
    }

    /// Whether the file at `path`, or a directory above it, is named. Marks the name as used.
    fn cover(&mut self, path: &[u8]) -> bool {
        let directories = memchr::memchr_iter(b'/', path).map(|at| &path[..at]);
        let mut covered = false;
        for name in std::iter::once(&b""[..]).chain(directories).chain([path]) {
            if let Some((_, seen)) = self.seen.get_mut(name) {
                *seen = true;
                covered = true;
            }
        }
        covered
    }

    /// Whether a name is inside the directory at `path`, or contains it.
    fn reach_into(&mut self, path: &[u8]) -> bool {
        self.seen.keys().any(|name| name.starts_with(path) || path.starts_with(name))
    }

    fn unknown(self) -> Vec<Skipped> {
        let unseen = self.seen.into_values().filter(|(_, seen)| !seen);
        let unknown = unseen.map(|(path, _)| Skipped {
            why: SkipReason::Unreadable(format!(
                "it is not in the index; add it with `git add {}`",
                path.display()
            )),
            path: RelPath::from_native(&path),
        });
        self.refused.into_iter().chain(unknown).collect()
    }
}

/// The path in the worktree of a file of the project. The last component is not followed if it is a link; those above
/// are.
fn in_project(repository: &Repository, cwd: &Path, path: &Path) -> Result<RelPath, SkipReason> {
    let file = resolve(cwd, path).map_err(|error| SkipReason::Unreadable(error.to_string()))?;
    let real = match (file.parent(), file.file_name()) {
        (Some(parent), Some(name)) => real_path(parent).join(name),
        _ => real_path(&file),
    };
    let inside = real
        .strip_prefix(&repository.worktree)
        .map_err(|_| SkipReason::Unreadable("it is outside the git worktree".to_owned()))?;
    let inside = RelPath::from_native(inside);
    if repository.is_in_project(inside.as_bytes()) { Ok(inside) } else { Err(SkipReason::Outside) }
}
