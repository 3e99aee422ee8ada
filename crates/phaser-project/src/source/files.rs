//! Files named on the command line. A directory stands for the files in it. A text may stand for the content of a file.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::git::GitLocation;
use super::tree::{Walk, WalkResult};
use super::{Content, Target, Targets};
use crate::path::{RelPath, Root, has_parent_component, real_path, resolve};
use phaser_core::skipped::{SkipReason, Skipped};

/// The named files. A relative path starts at `location.cwd`.
pub fn files(root: &Root, location: &GitLocation, paths: &[PathBuf]) -> Targets {
    let walk = Walk::new(root, location);
    let mut found = NamedFiles { root, walk, targets: BTreeMap::new(), skipped: Vec::new() };
    for path in paths {
        if let Err(why) = found.add(&location.cwd, path) {
            found.skipped.push(Skipped { path: RelPath::from_native(path), why });
        }
    }
    let NamedFiles { targets, skipped, .. } = found;
    Targets { targets: targets.into_values().collect(), skipped, ..Targets::none() }
}

/// A text as the content of the file at `path`, whatever is there.
pub fn text(root: &Root, location: &GitLocation, path: &Path, text: &Content) -> Targets {
    let mut found = Targets::none();
    match resolved(root, &location.cwd, path) {
        Ok(absolute) => found.targets.push(target_at(root, &absolute, text.clone())),
        Err(why) => found.skipped.push(Skipped { path: RelPath::from_native(path), why }),
    }
    found
}

/// The absolute path, unless it leads out of the project.
fn resolved(root: &Root, cwd: &Path, path: &Path) -> Result<PathBuf, SkipReason> {
    let absolute = resolve(cwd, path).map_err(|error| SkipReason::Unreadable(error.to_string()))?;
    if has_parent_component(path) && !root.contains(&absolute) {
        return Err(SkipReason::Outside);
    }
    Ok(absolute)
}

/// The targets so far, each file once.
struct NamedFiles<'a> {
    root: &'a Root,
    walk: Walk<'a>,
    targets: BTreeMap<RelPath, Target>,
    skipped: Vec<Skipped>,
}

impl NamedFiles<'_> {
    /// Adds the file or directory at `path`.
    fn add(&mut self, cwd: &Path, path: &Path) -> Result<(), SkipReason> {
        let unreadable = |error: io::Error| SkipReason::Unreadable(error.to_string());
        let absolute = resolved(self.root, cwd, path)?;
        let metadata = fs::metadata(&absolute).map_err(unreadable)?;
        if metadata.is_dir() {
            self.add_directory(&absolute);
            return Ok(());
        }
        if !metadata.is_file() {
            return Err(SkipReason::Unreadable("not a regular file".to_owned()));
        }
        let target = target_at(self.root, &absolute, Content::File(absolute.clone()));
        self.targets.insert(target.path.clone(), target);
        Ok(())
    }

    /// Adds the files in a directory. If the path leads through a link, they get their real path as an alias.
    fn add_directory(&mut self, directory: &Path) {
        let WalkResult { targets, skipped, .. } = self.walk.files_in(directory, 1);
        self.skipped.extend(skipped);
        let [given, real] =
            [directory.to_owned(), real_path(directory)].map(|path| self.root.relative(&path));
        for mut target in targets {
            let inside = target.path.as_bytes().strip_prefix(given.as_bytes()).filter(|_| real != given);
            let alias = inside.map(|inside| [real.as_bytes(), inside].concat());
            target.alias = alias.map(RelPath::from_bytes);
            self.targets.entry(target.path.clone()).or_insert(target);
        }
    }
}

/// The target at an absolute path, with its real path as an alias if that differs.
pub(super) fn target_at(root: &Root, path: &Path, content: Content) -> Target {
    let given = root.relative(path);
    let real = root.relative(&real_path(path));
    let alias = (real != given).then_some(real);
    Target { alias, ..Target::new(given, content) }
}
