//! `.claude/phaser.yaml`: what a project says once for the hook, for commits and for CI.
//!
//! A directory of the project may have one of its own, for the files below it. What is in one is read and validated here;
//! what follows from it is decided where it is used.

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

/// The largest that is read, in bytes.
const MAX_SIZE: u64 = 64 * 1024;

/// What a configuration says. What it does not say is left to what counts without it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// Packs to use.
    pub packs: Vec<&'static Pack>,
    /// Further directories with contracts, from the directory that holds `.claude`.
    pub contracts: Vec<NamedDirectory>,
    /// Files that no contract about content looks at.
    pub exclude: Vec<Glob>,
    /// Changes to contracts; later ones win. Their files are still without a directory.
    pub overrides: Vec<Override>,
    /// What becomes of violations that were there before a change.
    pub existing: Option<Existing>,
    /// What becomes of an edit that adds an ignore directive.
    pub ignores: Option<Policy>,
    /// What becomes of an edit that weakens what is enforced.
    pub protect: Option<Policy>,
    /// Are violations mended in an agent's edit?
    pub fixes: Option<Fixes>,
    /// Are results kept for the next run?
    pub cache: Option<bool>,
}

/// A directory that a configuration names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedDirectory {
    /// The directory, as it is written.
    pub path: PathBuf,
    /// The line it stands on.
    pub line: usize,
}

/// What becomes of violations that were there before a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// They count like all others; what was there before is not looked at.
    Deny,
    /// They are told from new ones, which are the only ones that count.
    Report,
}

/// What becomes of an edit that makes phaser see less; a later one outranks the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Policy {
    /// Nothing.
    Allow,
    /// The model and the person are told.
    Report,
    /// The person is asked.
    Ask,
    /// It is denied.
    Deny,
}

/// Whether violations are mended in an agent's edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fixes {
    /// No.
    Off,
    /// Yes.
    Apply,
}

/// The configuration of a directory of the project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Placed {
    /// The directory; the project itself has an empty path.
    pub base: RelPath,
    /// What it says.
    pub config: Config,
    /// How the file is shown.
    pub file: PathBuf,
}

/// The text of the configuration of a directory, if there is one; or why it cannot be read.
pub fn text(directory: &Path) -> Result<Option<Vec<u8>>, String> {
    let path = directory.join(CONFIG);
    match path.metadata() {
        Err(error) if is_missing(error.kind()) => return Ok(None),
        Err(error) => return Err(format!("cannot be read: {error}")),
        // Opening anything else might hang.
        Ok(metadata) if !metadata.is_file() => {
            return Err("not a regular file (move it away, or put a file there)".to_owned());
        }
        Ok(_) => {}
    }
    let mut bytes = Vec::new();
    match File::open(&path).and_then(|file| file.take(MAX_SIZE + 1).read_to_end(&mut bytes)) {
        Ok(_) => Ok(Some(bytes)),
        Err(error) => Err(format!("cannot be read: {error}")),
    }
}

fn is_missing(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// What the bytes of a configuration say, or everything that is wrong with them. The file is only named.
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
    /// The word used in configurations.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Report => "report",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl Placed {
    /// The files that no contract about content looks at.
    pub fn excluded(&self) -> Option<FileSet> {
        let globs = self.config.exclude.clone();
        (!globs.is_empty()).then(|| FileSet { base: self.base.clone(), globs })
    }

    /// Changes to contracts, for files below this directory.
    pub fn overrides(&self) -> impl Iterator<Item = Override> {
        self.config.overrides.iter().cloned().map(|mut one| {
            one.case.files.base = self.base.clone();
            one
        })
    }
}

#[cfg(test)]
mod tests;
