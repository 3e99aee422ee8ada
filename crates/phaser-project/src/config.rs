//! The configuration of a project, `.claude/phaser.yaml` or `phaser.yaml`, shared by hook, commit and CI.
//!
//! A directory of the project may have its own configuration for the files below it. This module reads and validates
//! one file; how they combine is decided by their users.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use crate::contracts::layers::Override;
use crate::packs::Pack;
use crate::path::{CONFIG, RelPath};
use phaser_core::contract::Warning;
use phaser_core::contract::scope::FileSet;
use phaser_glob::Glob;

mod keys;
mod read;

pub use keys::schema;

/// The largest configuration, in bytes.
const MAX_SIZE: u64 = 64 * 1024;

/// The values of a configuration; `None` or empty where it has no value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// Packs to use.
    pub packs: Vec<&'static Pack>,
    /// Further directories with contracts, relative to the directory that contains `.claude`.
    pub contracts: Vec<NamedDirectory>,
    /// Files that no contract reports anything in.
    pub exclude: Vec<Glob>,
    /// Changes to contracts; later ones win. Their base directory is set by [`DirectoryConfig::overrides`].
    pub overrides: Vec<Override>,
    /// Whether violations from before a change count.
    pub existing: Option<Existing>,
    /// The response to an edit that adds an ignore directive.
    pub ignores: Option<Policy>,
    /// The response to an edit that weakens enforcement.
    pub protect: Option<Policy>,
    /// Whether to fix violations in an agent's edit.
    pub fixes: Option<Fixes>,
    /// Whether to cache results.
    pub cache: Option<bool>,
    /// Whether every gap fails a run.
    pub strict: Option<bool>,
    /// Whether hooks log their decisions.
    pub log: Option<bool>,
    /// The response to an edit that a contract has denied several times.
    pub repeated: Option<Repeated>,
}

/// A directory named by a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedDirectory {
    /// The path as written.
    pub path: PathBuf,
    /// Its line in the configuration, from 1.
    pub line: usize,
}

/// Whether violations from before a change count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// They count; the previous text is not read.
    Deny,
    /// They are reported as existing; only new ones count.
    Report,
}

/// The response to an edit that weakens enforcement, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Policy {
    /// Allow it.
    Allow,
    /// Allow it, and report it to the model and the user.
    Report,
    /// Ask the user.
    Ask,
    /// Deny it.
    Deny,
}

/// Whether to fix violations in an agent's edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fixes {
    /// Deny the edit.
    Off,
    /// Apply the contracts' fixes to the edit.
    Apply,
}

/// The response to an edit that a contract has denied several times in a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Repeated {
    /// Deny it again.
    #[default]
    Deny,
    /// Ask the user.
    Ask,
}

/// The configuration of a directory of the project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DirectoryConfig {
    /// The directory; empty for the project itself.
    pub base: RelPath,
    /// Its values.
    pub config: Config,
    /// The path of the file, for messages.
    pub file: PathBuf,
}

/// Policies that apply where the root's configuration does not set them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PolicyDefaults {
    /// Existing violations count; directives and weakened enforcement are allowed.
    #[default]
    Lenient,
    /// The guard's: `existing: report`, `ignores: report`, `protect: ask`.
    Guard,
}

impl PolicyDefaults {
    /// Adds the defaults to the root's configuration, which is the first of `configs` if it exists.
    pub fn fill(self, configs: &mut Vec<DirectoryConfig>) {
        if self == Self::Lenient {
            return;
        }
        if configs.first().is_none_or(|first| !first.base.as_bytes().is_empty()) {
            configs.insert(0, DirectoryConfig { file: CONFIG.into(), ..DirectoryConfig::default() });
        }
        let config = &mut configs[0].config;
        config.existing.get_or_insert(Existing::Report);
        config.ignores.get_or_insert(Policy::Report);
        config.protect.get_or_insert(Policy::Ask);
    }
}

/// Reads a configuration; `None` if there is none.
pub fn text(path: &Path) -> Result<Option<Vec<u8>>, String> {
    match path.metadata() {
        Err(error) if is_missing(error.kind()) => return Ok(None),
        Err(error) => return Err(format!("cannot be read: {error}")),
        // Opening anything else may block.
        Ok(metadata) if !metadata.is_file() => {
            return Err("not a regular file (move it away, or put a file there)".to_owned());
        }
        Ok(_) => {}
    }
    let mut bytes = Vec::new();
    match File::open(path).and_then(|file| file.take(MAX_SIZE + 1).read_to_end(&mut bytes)) {
        Ok(_) => Ok(Some(bytes)),
        Err(error) => Err(format!("cannot be read: {error}")),
    }
}

fn is_missing(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Parses a configuration. Returns all mistakes, with `file` as their location.
pub fn parse(bytes: &[u8], file: &Path) -> Result<Config, Vec<Warning>> {
    if bytes.len() as u64 > MAX_SIZE {
        let what = format!("larger than {MAX_SIZE} bytes (put contracts into files of their own)");
        return Err(vec![Warning::about(file, what)]);
    }
    match std::str::from_utf8(bytes) {
        Ok(yaml) => read::config(yaml, file),
        Err(error) => {
            let newlines = bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
            Err(vec![Warning::at(file, newlines + 1, "not UTF-8 (save the file as UTF-8)")])
        }
    }
}

impl Policy {
    /// The word in a configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Report => "report",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl DirectoryConfig {
    /// The files that no contract reports anything in.
    pub fn excluded(&self) -> Option<FileSet> {
        let globs = self.config.exclude.clone();
        (!globs.is_empty()).then(|| FileSet { base: self.base.clone(), globs })
    }

    /// The changes to contracts, restricted to files below this directory.
    pub fn overrides(&self) -> impl Iterator<Item = Override> {
        self.config.overrides.iter().cloned().map(|mut one| {
            one.case.files.base = self.base.clone();
            one
        })
    }
}

#[cfg(test)]
mod tests;
