//! Where contracts are looked for, and how the places are shown.

use std::path::{Path, PathBuf};

use anyhow::bail;

use super::environment::Environment;
use crate::contract::Place;
use crate::contract::load::Directory;
use crate::path::{PROJECT_CONTRACTS, Root};

const USER_CONTRACTS: &str = ".phaser/contracts";

/// The directories to load, in the order of their precedence: the named one alone, or the project's and the user's.
pub fn directories(
    named: Option<&Path>,
    root: &Root,
    environment: &Environment,
) -> anyhow::Result<Vec<Directory>> {
    if let Some(named) = named {
        return Ok(vec![named_directory(named, environment)?]);
    }
    let project = Directory {
        place: Place::Project,
        path: root.path().join(PROJECT_CONTRACTS),
        shown: PathBuf::from(PROJECT_CONTRACTS),
    };
    let user = environment.home.as_ref().map(|home| Directory {
        place: Place::User,
        path: home.join(USER_CONTRACTS),
        shown: Path::new("~").join(USER_CONTRACTS),
    });
    Ok(std::iter::once(project).chain(user).collect())
}

/// The directories that `phaser contracts` looks in: those of version 1.2, then the ones of every run.
pub fn all_directories(
    named: Option<&Path>,
    root: &Root,
    environment: &Environment,
) -> anyhow::Result<Vec<Directory>> {
    let current = directories(named, root, environment)?;
    if named.is_some() {
        return Ok(current);
    }
    let storage =
        environment.storage_dir.as_ref().map(|storage| environment.cwd.join(storage).join("contracts"));
    let nearest =
        root.path().ancestors().map(|directory| directory.join(USER_CONTRACTS)).find(|path| path.is_dir());
    let older = storage.into_iter().chain(nearest).map(|path| {
        let shown = path.strip_prefix(root.path()).unwrap_or(&path).to_owned();
        Directory { place: Place::Project, path, shown }
    });
    let mut all: Vec<Directory> = Vec::new();
    for directory in older.filter(|older| !current.iter().any(|current| current.path == older.path)) {
        if !all.iter().any(|known| known.path == directory.path) {
            all.push(directory);
        }
    }
    all.extend(current);
    Ok(all)
}

fn named_directory(named: &Path, environment: &Environment) -> anyhow::Result<Directory> {
    let path = environment.cwd.join(named);
    if let Err(error) = std::fs::read_dir(&path) {
        bail!("--contracts-dir {}: not a readable directory: {error}; name one that is", named.display());
    }
    Ok(Directory { place: Place::Named, path, shown: named.to_owned() })
}
