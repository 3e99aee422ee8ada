//! Files that are named one by one. A directory stands for the files in it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Content, Coverage, Target, Targets, tree};
use crate::path::{RelPath, Root, has_parent_component, normalize, real_path};
use crate::skipped::{Skipped, Why};

/// The named files; a relative path starts at `cwd`.
pub fn files(root: &Root, cwd: &Path, paths: &[PathBuf]) -> Targets {
    let mut targets = BTreeMap::new();
    let mut skipped = Vec::new();
    for path in paths {
        let absolute = normalize(&cwd.join(path));
        let mut skip = |why| skipped.push(Skipped { path: RelPath::from_native(path), why });
        if has_parent_component(path) {
            skip(Why::ParentComponent);
            continue;
        }
        match fs::metadata(&absolute) {
            Ok(metadata) if metadata.is_dir() => {
                let (found, gaps) = tree::walk((root, &absolute), None, 1);
                skipped.extend(gaps);
                let real = real_path(&absolute);
                for mut target in found {
                    target.alias = alias(root, (&absolute, &real), &target);
                    targets.entry(target.path.clone()).or_insert(target);
                }
            }
            Ok(metadata) if metadata.is_file() => {
                let target = named(root, &absolute, Content::File(absolute.clone()));
                targets.insert(target.path.clone(), target);
            }
            Ok(_) => skip(Why::Unreadable("not a regular file".to_owned())),
            Err(error) => skip(Why::Unreadable(error.to_string())),
        }
    }
    Targets { targets: targets.into_values().collect(), coverage: Coverage::Partial, skipped }
}

/// The second name of a file that was found in a directory which is known by these two.
fn alias(root: &Root, (spelled, real): (&Path, &Path), target: &Target) -> Option<RelPath> {
    let Content::File(path) = &target.content else { return None };
    let inside = path.strip_prefix(spelled).ok()?;
    let alias = root.relative(&real.join(inside));
    (alias != target.path).then_some(alias)
}

/// A target for the file at `path`, which is absolute, under both of its names if it has two.
pub(super) fn named(root: &Root, path: &Path, content: Content) -> Target {
    let given = root.relative(path);
    let real = root.relative(&real_path(path));
    let alias = (real != given).then_some(real);
    Target { alias, ..Target::new(given, content) }
}
