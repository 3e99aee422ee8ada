//! Where contracts are looked for, and how the places are shown.

use std::path::{Path, PathBuf};

use anyhow::bail;

use super::environment::Environment;
use super::packs::Packs;
use crate::contract::LayerKind;
use crate::contract::layers::Layer;
use crate::contract::read::{Directory, Forms};
use crate::path::{PROJECT_CONTRACTS, Root};

/// Where the user's own files are, and those of version 1.2, in a home directory or in a project.
const STORAGE: &str = ".phaser";
const CONTRACTS: &str = "contracts";

/// The layers of a run, in the order of their precedence: the named directory alone, or the project's and the user's;
/// then packs.
///
/// Directories in the current one are opened from there: each directory on the way to a file costs time, and there may be
/// many files.
pub fn layers(
    named: Option<&Path>,
    packs: &Packs,
    root: &Root,
    environment: &Environment,
) -> anyhow::Result<Vec<Layer>> {
    let mut directories = directories(named, root, environment)?;
    // The top of the file system may stand for a directory that is gone.
    let cwd = Some(&environment.cwd).filter(|cwd| cwd.parent().is_some());
    for Directory { path, .. } in &mut directories {
        match cwd.map(|cwd| path.strip_prefix(cwd)) {
            Some(Ok(inside)) if !inside.as_os_str().is_empty() => *path = inside.to_owned(),
            _ => {}
        }
    }
    Ok(with_packs(directories, packs))
}

/// The layers that `phaser contracts` looks in: those of version 1.2, then the ones of every run.
pub fn all_layers(
    named: Option<&Path>,
    packs: &Packs,
    root: &Root,
    environment: &Environment,
) -> anyhow::Result<Vec<Layer>> {
    let directories = match named {
        Some(_) => directories(named, root, environment)?,
        None => all_directories(root, environment),
    };
    Ok(with_packs(directories, packs))
}

/// The directories of a run, in the order of their precedence.
pub fn directories(
    named: Option<&Path>,
    root: &Root,
    environment: &Environment,
) -> anyhow::Result<Vec<Directory>> {
    match named {
        Some(named) => Ok(vec![named_directory(named, environment)?]),
        None => Ok(std::iter::once(project(root)).chain(user(environment)).collect()),
    }
}

fn with_packs(directories: Vec<Directory>, packs: &Packs) -> Vec<Layer> {
    directories.into_iter().map(Layer::Directory).chain(packs.chosen().map(Layer::Pack)).collect()
}

fn project(root: &Root) -> Directory {
    let path = root.path().join(PROJECT_CONTRACTS);
    Directory { kind: LayerKind::Project, path, shown: PathBuf::from(PROJECT_CONTRACTS), forms: Forms::Both }
}

fn user(environment: &Environment) -> Option<Directory> {
    let inside = Path::new(STORAGE).join(CONTRACTS);
    environment.home.as_ref().map(|home| Directory {
        kind: LayerKind::User,
        path: home.join(&inside),
        shown: Path::new("~").join(&inside),
        forms: Forms::Both,
    })
}

/// Where version 1.2 kept contracts, and where every run looks. A `.phaser` directory in or above the current one takes
/// the place of the user's, whatever it holds.
fn all_directories(root: &Root, environment: &Environment) -> Vec<Directory> {
    let user = user(environment);
    let nearest = environment.cwd.ancestors().map(|above| above.join(STORAGE)).find(|path| path.is_dir());
    let nearest = nearest.map(|storage| storage.join(CONTRACTS));
    let is_users = |path: &PathBuf| user.as_ref().is_some_and(|user| user.path == *path);
    let nearest = nearest.filter(|path| !is_users(path));
    let stored =
        environment.storage_dir.as_ref().map(|storage| environment.cwd.join(storage).join(CONTRACTS));
    let user = user.filter(|_| nearest.is_none());
    let older = stored.into_iter().chain(nearest).map(|path| {
        let shown = path.strip_prefix(root.path()).unwrap_or(&path).to_owned();
        Directory { kind: LayerKind::Project, path, shown, forms: Forms::NestedOnly }
    });
    let mut all: Vec<Directory> = Vec::new();
    for directory in older.chain([project(root)]).chain(user) {
        if !all.iter().any(|known| known.path == directory.path) {
            all.push(directory);
        }
    }
    all
}

fn named_directory(named: &Path, environment: &Environment) -> anyhow::Result<Directory> {
    let path = environment.cwd.join(named);
    if let Err(error) = std::fs::read_dir(&path) {
        bail!("--contracts-dir {}: not a readable directory: {error}; name one that is", named.display());
    }
    Ok(Directory { kind: LayerKind::Named, path, shown: named.to_owned(), forms: Forms::Both })
}
