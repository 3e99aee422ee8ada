//! Files that are named one by one. A directory stands for the files in it.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::git::Location;
use super::tree::{Found, Walk};
use super::{Content, Coverage, Target, Targets};
use crate::path::{RelPath, Root, has_parent_component, real_path, resolve};
use phaser_core::skipped::{Skipped, Why};

/// The named files; a relative path starts where `location` says.
pub fn files(root: &Root, location: &Location, paths: &[PathBuf]) -> Targets {
    let walk = Walk::new(root, location);
    let mut found = Named { root, walk, targets: BTreeMap::new(), skipped: Vec::new() };
    for path in paths {
        if let Err(why) = found.add(&location.cwd, path) {
            found.skipped.push(Skipped { path: RelPath::from_native(path), why });
        }
    }
    let Named { targets, skipped, .. } = found;
    Targets { targets: targets.into_values().collect(), coverage: Coverage::Partial, skipped, folders: None }
}

/// What was found so far; each file once, however often it was named.
struct Named<'a> {
    root: &'a Root,
    walk: Walk<'a>,
    targets: BTreeMap<RelPath, Target>,
    skipped: Vec<Skipped>,
}

impl Named<'_> {
    /// Adds the file or the directory that `path` names, or says why not.
    fn add(&mut self, cwd: &Path, path: &Path) -> Result<(), Why> {
        let unreadable = |error: io::Error| Why::Unreadable(error.to_string());
        let absolute = resolve(cwd, path).map_err(unreadable)?;
        if has_parent_component(path) && !self.root.contains(&absolute) {
            return Err(Why::Outside);
        }
        let metadata = fs::metadata(&absolute).map_err(unreadable)?;
        if metadata.is_dir() {
            self.add_directory(&absolute);
            return Ok(());
        }
        if !metadata.is_file() {
            return Err(Why::Unreadable("not a regular file".to_owned()));
        }
        let target = named(self.root, &absolute, Content::File(absolute.clone()));
        self.targets.insert(target.path.clone(), target);
        Ok(())
    }

    /// Adds the files in a directory. Where a link leads to it, they have two names.
    fn add_directory(&mut self, directory: &Path) {
        let Found { targets, skipped, .. } = self.walk.files_in(directory, 1);
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

/// A target for the file at `path`, which is absolute, under both of its names if it has two.
pub(super) fn named(root: &Root, path: &Path, content: Content) -> Target {
    let given = root.relative(path);
    let real = root.relative(&root.real_path(path));
    let alias = (real != given).then_some(real);
    Target { alias, ..Target::new(given, content) }
}
