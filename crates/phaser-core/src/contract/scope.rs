//! The files that a contract applies to, beside its globs.
//!
//! A contract of a nested directory applies below that directory. A nearer contract with the same id replaces it there.
//! Overrides of the configuration change severity or disable it for some files.

use std::hash::Hash;
use std::sync::Arc;

use super::Severity;
use crate::path::RelPath;
use phaser_glob::Glob;

/// Files below a directory, optionally restricted by globs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct FileSet {
    /// The directory; empty for the project root.
    pub base: RelPath,
    /// Relative to the directory; empty means all files.
    pub globs: Vec<Glob>,
}

impl FileSet {
    /// Whether the set contains `path`.
    pub fn contains(&self, path: &RelPath) -> bool {
        path.below(&self.base).is_some_and(|inside| {
            self.globs.is_empty() || self.globs.iter().any(|glob| glob.is_match(inside))
        })
    }
}

/// The values that an override sets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct OverrideValues {
    /// The new severity.
    pub severity: Option<Severity>,
    /// Whether the contract is enabled.
    pub enabled: Option<bool>,
}

/// An override for a set of files.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileOverride {
    /// The files it applies to.
    pub files: FileSet,
    /// The values it sets.
    pub change: OverrideValues,
}

/// The state of a contract for one file, after overrides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OverrideState {
    /// Enabled, with this severity.
    On(Severity),
    /// Disabled.
    Off,
}

impl OverrideState {
    pub(super) fn of(severity: Severity, enabled: bool) -> Self {
        if enabled { Self::On(severity) } else { Self::Off }
    }
}

/// The files that a contract applies to, before its globs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ContractScope {
    /// The directory that the globs are relative to.
    pub base: RelPath,
    /// Directories below it with a nearer contract of the same id.
    pub nearer: Vec<RelPath>,
    /// Overrides by file; later ones win.
    overrides: Option<Arc<[FileOverride]>>,
    /// Restricts the scope to files with this state, computed from these initial values.
    state: Option<(OverrideState, OverrideValues)>,
}

impl ContractScope {
    /// `path` relative to the base, if it is in scope.
    pub fn inside<'p>(&self, path: &'p RelPath) -> Option<&'p [u8]> {
        let inside = path.below(&self.base)?;
        if self.nearer.iter().any(|nearer| path.below(nearer).is_some()) {
            return None;
        }
        let is_meant = |(state, start): (OverrideState, OverrideValues)| self.state_of(path, start) == state;
        self.state.is_none_or(is_meant).then_some(inside)
    }

    /// The state for a file, starting from the contract's own values.
    fn state_of(&self, path: &RelPath, start: OverrideValues) -> OverrideState {
        let mut now = start;
        for one in self.overrides().iter().filter(|one| one.files.contains(path)) {
            now.severity = one.change.severity.or(now.severity);
            now.enabled = one.change.enabled.or(now.enabled);
        }
        OverrideState::of(now.severity.unwrap_or(Severity::Error), now.enabled.unwrap_or(true))
    }

    /// Overrides by file; later ones win.
    pub fn overrides(&self) -> &[FileOverride] {
        self.overrides.as_deref().unwrap_or_default()
    }

    /// Adds overrides, which win over the existing ones.
    pub fn add_overrides(&mut self, more: impl IntoIterator<Item = FileOverride>) {
        let all: Vec<FileOverride> = self.overrides().iter().cloned().chain(more).collect();
        self.overrides = (!all.is_empty()).then(|| all.into());
    }

    /// Scopes with the same key contain the same files.
    pub fn key(&self) -> impl Hash + Eq + Copy + '_ {
        let is_everything = self.base.as_bytes().is_empty() && self.nearer.is_empty() && self.state.is_none();
        let overrides = self.overrides.as_ref().map(|overrides| overrides.as_ptr().addr());
        (!is_everything).then_some((&self.base, &self.nearer, overrides, self.state.map(|(state, _)| state)))
    }

    /// All files below the base, without overrides and nearer contracts.
    pub fn whole(&self) -> Self {
        Self { base: self.base.clone(), ..Self::default() }
    }

    /// Restricts the scope to files with this state.
    pub(super) fn only(&self, state: OverrideState, start: OverrideValues) -> Self {
        Self { state: Some((state, start)), ..self.clone() }
    }
}
