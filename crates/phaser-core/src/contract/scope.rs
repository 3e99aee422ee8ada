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
pub struct Change {
    /// How bad a violation is.
    pub severity: Option<Severity>,
    /// Is the contract switched on?
    pub enabled: Option<bool>,
}

/// An override for some files.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Case {
    /// The files.
    pub files: FileSet,
    /// What it changes there.
    pub change: Change,
}

/// What a contract means for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fate {
    /// It counts, and a violation is this bad.
    Counts(Severity),
    /// It is switched off.
    Off,
}

impl Fate {
    pub(super) fn of(severity: Severity, enabled: bool) -> Self {
        if enabled { Self::Counts(severity) } else { Self::Off }
    }
}

/// The files that a contract counts for, before its own globs are asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Scope {
    /// The directory that it belongs to, which its globs start at.
    pub base: RelPath,
    /// Directories below it where another contract with the same id counts.
    pub nearer: Vec<RelPath>,
    /// Overrides for some files, if there are any; later ones win.
    cases: Option<Arc<[Case]>>,
    /// Of the files that overrides make a difference for, those are meant that have this fate.
    fate: Option<(Fate, Change)>,
}

impl Scope {
    /// The path from the directory that the contract belongs to, if the contract counts for this file.
    pub(super) fn inside<'p>(&self, path: &'p RelPath) -> Option<&'p [u8]> {
        let inside = path.below(&self.base)?;
        if self.nearer.iter().any(|nearer| path.below(nearer).is_some()) {
            return None;
        }
        let is_meant = |(fate, start): (Fate, Change)| self.fate_of(path, start) == fate;
        self.fate.is_none_or(is_meant).then_some(inside)
    }

    /// What becomes of a file with this path, for a contract that otherwise is as `start` says.
    fn fate_of(&self, path: &RelPath, start: Change) -> Fate {
        let mut now = start;
        for case in self.cases().iter().filter(|case| case.files.contains(path)) {
            now.severity = case.change.severity.or(now.severity);
            now.enabled = case.change.enabled.or(now.enabled);
        }
        Fate::of(now.severity.unwrap_or(Severity::Error), now.enabled.unwrap_or(true))
    }

    /// Overrides for some files; later ones win.
    pub fn cases(&self) -> &[Case] {
        self.cases.as_deref().unwrap_or_default()
    }

    /// Adds overrides for some files, which win over those that are there.
    pub fn add_cases(&mut self, more: impl IntoIterator<Item = Case>) {
        let all: Vec<Case> = self.cases().iter().cloned().chain(more).collect();
        self.cases = (!all.is_empty()).then(|| all.into());
    }

    /// What it is known by: scopes with the same one mean the same files.
    pub fn key(&self) -> impl Hash + Eq + Copy + '_ {
        let is_everything = self.base.as_bytes().is_empty() && self.nearer.is_empty() && self.fate.is_none();
        let cases = self.cases.as_ref().map(|cases| cases.as_ptr().addr());
        (!is_everything).then_some((&self.base, &self.nearer, cases, self.fate.map(|(fate, _)| fate)))
    }

    /// The same, but only for files with this fate.
    pub(super) fn only(&self, fate: Fate, start: Change) -> Self {
        Self { fate: Some((fate, start)), ..self.clone() }
    }
}
