//! The hooks of git that run phaser, without a framework: `pre-commit` and `commit-msg`.

use std::fs;
use std::path::PathBuf;

use crate::cli::environment::Environment;
use crate::cli::install::show;
use phaser_project::path::{Root, real_path};
use phaser_project::source::git::{common_directory, hooks_directory};

/// The `pre-commit` hook.
pub const TEXT: &str = "#!/bin/sh\nexec phaser enforce --staged --strict --format full\n";

/// The `commit-msg` hook, which checks the message.
pub const MESSAGE_TEXT: &str = "#!/bin/sh\nexec phaser enforce --commit-msg \"$1\" --strict --format full\n";

/// The command to add to another hook.
pub const COMMAND: &str = "phaser enforce --staged --strict --format full";

/// The hook file of a repository.
#[derive(Debug, PartialEq, Eq)]
pub struct GitHook {
    pub path: PathBuf,
    /// The path, for messages.
    pub shown: String,
    pub state: HookState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookState {
    /// There is no such hook.
    Missing,
    /// It runs phaser.
    Own,
    /// It does something else, and stays.
    Other,
    /// `core.hooksPath` is outside the project, so that other repositories run the hook too.
    Shared,
}

/// The hook that git runs in this project by this name; `None` without a repository.
pub fn find(name: &str, root: &Root, environment: &Environment) -> Option<GitHook> {
    let directory = hooks_directory(root, &environment.git)?;
    let path = directory.join(name);
    let is_own = |path: &PathBuf| fs::read_to_string(path).is_ok_and(|text| text.contains("phaser enforce"));
    let inside = [Some(real_path(root.path())), common_directory(root, &environment.git)];
    let is_inside = inside.iter().flatten().any(|above| real_path(&directory).starts_with(above));
    let state = match path.symlink_metadata() {
        Ok(_) if is_own(&path) => HookState::Own,
        Ok(_) => HookState::Other,
        Err(_) if is_inside => HookState::Missing,
        Err(_) => HookState::Shared,
    };
    Some(GitHook { shown: show(&path, environment), path, state })
}
