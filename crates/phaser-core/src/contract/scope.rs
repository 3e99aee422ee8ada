//! For which files a contract counts beside its own globs: those below the directory that it belongs to, but for those
//! below a nearer contract with the same id, and as the overrides of the project's configuration say.

use std::hash::Hash;
use std::sync::Arc;

use super::Severity;
use crate::path::RelPath;
use phaser_glob::Glob;

/// Files of a directory of the project: all below it, or those that a glob matches, from there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct FileSet {
    /// The directory; the project itself has an empty path.
    pub base: RelPath,
    /// The globs; without any, all files below the directory are meant.
    pub globs: Vec<Glob>,
}

impl FileSet {
    /// Is a file of this path one of them?
    pub fn contains(&self, path: &RelPath) -> bool {
        path.below(&self.base).is_some_and(|inside| {
            self.globs.is_empty() || self.globs.iter().any(|glob| glob.is_match(inside))
        })
    }
}

/// What an override changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct OverrideValues {
    /// How bad a violation is.
    pub severity: Option<Severity>,
    /// Is the contract switched on?
    pub enabled: Option<bool>,
}

/// An override for some files.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileOverride {
    /// The files.
    pub files: FileSet,
    /// What it changes there.
    pub change: OverrideValues,
}

/// What a contract means for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OverrideState {
    /// It counts, and a violation is this bad.
    On(Severity),
    /// It is switched off.
    Off,
}

impl OverrideState {
    pub(super) fn of(severity: Severity, enabled: bool) -> Self {
        if enabled { Self::On(severity) } else { Self::Off }
    }
}

/// The files that a contract counts for, before its own globs are asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ContractScope {
    /// The directory that it belongs to, which its globs start at.
    pub base: RelPath,
    /// Directories below it where another contract with the same id counts.
    pub nearer: Vec<RelPath>,
    /// Overrides for some files, if there are any; later ones win.
    overrides: Option<Arc<[FileOverride]>>,
    /// Of the files that overrides make a difference for, those are meant that have this state.
    state: Option<(OverrideState, OverrideValues)>,
}

impl ContractScope {
    /// The path from the directory that the contract belongs to, if the contract counts for this file.
    pub(super) fn inside<'p>(&self, path: &'p RelPath) -> Option<&'p [u8]> {
        let inside = path.below(&self.base)?;
        if self.nearer.iter().any(|nearer| path.below(nearer).is_some()) {
            return None;
        }
        let is_meant = |(state, start): (OverrideState, OverrideValues)| self.state_of(path, start) == state;
        self.state.is_none_or(is_meant).then_some(inside)
    }

    /// What becomes of a file with this path, for a contract that otherwise is as `start` says.
    fn state_of(&self, path: &RelPath, start: OverrideValues) -> OverrideState {
        let mut now = start;
        for one in self.overrides().iter().filter(|one| one.files.contains(path)) {
            now.severity = one.change.severity.or(now.severity);
            now.enabled = one.change.enabled.or(now.enabled);
        }
        OverrideState::of(now.severity.unwrap_or(Severity::Error), now.enabled.unwrap_or(true))
    }

    /// Overrides for some files; later ones win.
    pub fn overrides(&self) -> &[FileOverride] {
        self.overrides.as_deref().unwrap_or_default()
    }

    /// Adds overrides for some files, which win over those that are there.
    pub fn add_overrides(&mut self, more: impl IntoIterator<Item = FileOverride>) {
        let all: Vec<FileOverride> = self.overrides().iter().cloned().chain(more).collect();
        self.overrides = (!all.is_empty()).then(|| all.into());
    }

    /// What it is known by: scopes with the same one mean the same files.
    pub fn key(&self) -> impl Hash + Eq + Copy + '_ {
        let is_everything = self.base.as_bytes().is_empty() && self.nearer.is_empty() && self.state.is_none();
        let overrides = self.overrides.as_ref().map(|overrides| overrides.as_ptr().addr());
        (!is_everything).then_some((&self.base, &self.nearer, overrides, self.state.map(|(state, _)| state)))
    }

    /// The same, but only for files with this state.
    pub(super) fn only(&self, state: OverrideState, start: OverrideValues) -> Self {
        Self { state: Some((state, start)), ..self.clone() }
    }
}
