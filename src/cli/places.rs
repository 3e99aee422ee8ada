//! Contract directories beside the project's own.

use std::path::{Path, PathBuf};

use anyhow::bail;

use super::environment::Environment;
use super::packs::Packs;
use phaser_core::contract::LayerKind;
use phaser_project::contracts::read::{ContractDirectory, Forms};
use phaser_project::path::Root;
use phaser_project::project::load::Extra;

/// The user's directory, also used by version 1.2, in the home directory or in a project.
const STORAGE: &str = ".phaser";
const CONTRACTS: &str = "contracts";

/// The directories and packs of a run. `--contracts-dir` replaces every directory; the user's comes after the project's.
pub fn extra(named: Option<&Path>, packs: &Packs, environment: &Environment) -> anyhow::Result<Extra> {
    let named = named.map(|named| named_directory(named, environment)).transpose()?;
    let user = user(environment);
    Ok(Extra { named, older: Vec::new(), user, packs: packs.chosen().collect() })
}

/// The same for `phaser contracts`, which also searches the directories of version 1.2, first.
pub fn extra_with_older(
    named: Option<&Path>,
    packs: &Packs,
    root: &Root,
    environment: &Environment,
) -> anyhow::Result<Extra> {
    let extra = extra(named, packs, environment)?;
    Ok(if extra.named.is_some() { extra } else { with_older(extra, root, environment) })
}

fn user(environment: &Environment) -> Option<ContractDirectory> {
    let inside = Path::new(STORAGE).join(CONTRACTS);
    environment.home.as_ref().map(|home| ContractDirectory {
        kind: LayerKind::User,
        path: home.join(&inside),
        shown: Path::new("~").join(&inside),
        forms: Forms::Both,
    })
}

/// Adds the directories of version 1.2. A `.phaser` directory in or above the current one replaces the user's, even if empty.
fn with_older(extra: Extra, root: &Root, environment: &Environment) -> Extra {
    let user = extra.user;
    let nearest = environment.cwd.ancestors().map(|above| above.join(STORAGE)).find(|path| path.is_dir());
    let nearest = nearest.map(|storage| storage.join(CONTRACTS));
    let is_users = |path: &PathBuf| user.as_ref().is_some_and(|user| user.path == *path);
    let nearest = nearest.filter(|path| !is_users(path));
    let stored =
        environment.storage_dir.as_ref().map(|storage| environment.cwd.join(storage).join(CONTRACTS));
    let user = user.filter(|_| nearest.is_none());
    let mut older: Vec<ContractDirectory> = Vec::new();
    for path in stored.into_iter().chain(nearest) {
        let shown = path.strip_prefix(root.path()).unwrap_or(&path).to_owned();
        if !older.iter().any(|known| known.path == path) {
            older.push(ContractDirectory { kind: LayerKind::Project, path, shown, forms: Forms::NestedOnly });
        }
    }
    let user = user.filter(|user| !older.iter().any(|known| known.path == user.path));
    Extra { older, user, ..extra }
}

fn named_directory(named: &Path, environment: &Environment) -> anyhow::Result<ContractDirectory> {
    let path = environment.cwd.join(named);
    if let Err(error) = std::fs::read_dir(&path) {
        bail!("--contracts-dir {}: not a readable directory: {error}; name one that is", named.display());
    }
    Ok(ContractDirectory { kind: LayerKind::Named, path, shown: named.to_owned(), forms: Forms::Both })
}
