//! Locations as code hosts need them: paths from the root of the repository, and a line for every violation.

use std::path::Path;

use phaser_core::contract::{Contract, LayerKind};
use phaser_core::text::Region;
use phaser_core::violation::Violation;
use phaser_project::path::{RelPath, has_parent_component};

/// The path prefix of the project in its repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RepositoryPrefix {
    prefix: Vec<u8>,
}

impl RepositoryPrefix {
    /// `directory` is the project's path in the repository; empty for the root.
    pub fn new(directory: &RelPath) -> Self {
        let mut prefix = directory.as_bytes().to_vec();
        if !prefix.is_empty() {
            prefix.push(b'/');
        }
        Self { prefix }
    }

    /// The path from the repository's root of a file of the project.
    pub fn path(&self, path: &RelPath) -> RelPath {
        RelPath::from_bytes([&self.prefix, path.as_bytes()].concat())
    }
}

/// The position a code host shows for a violation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostLocation {
    /// From the root of the repository.
    pub path: RelPath,
    /// From 1.
    pub line: usize,
    /// `None` for violations of a whole file or project.
    pub region: Option<Region>,
}

impl HostLocation {
    /// Hosts show no violation without a position: one of a whole file is at line 1, one of the whole project or
    /// of a commit message at its contract.
    pub fn of(top: &RepositoryPrefix, violation: &Violation) -> Self {
        let contract = &violation.contract;
        if contract.check.is_about_project()
            || contract.check.reads_messages()
            || contract.check.reads_commands()
        {
            return Self::of_contract(top, contract);
        }
        let region = violation.found.as_ref().map(|found| found.region);
        let line = region.map_or(1, |region| region.start.line);
        // The columns of a removed text are those of another line now.
        let region = region.filter(|_| !violation.is_removed());
        Self { path: top.path(&violation.path), line, region }
    }

    /// The last line. A match that ends with a newline does not include the next line.
    pub fn last_line(&self) -> usize {
        match self.region {
            Some(region) if region.end.column == 1 && region.end.line > region.start.line => {
                region.end.line - 1
            }
            Some(region) => region.end.line,
            None => self.line,
        }
    }

    /// A contract outside the project has no file in the repository; its glob is shown instead.
    fn of_contract(top: &RepositoryPrefix, contract: &Contract) -> Self {
        let file = RelPath::from_native(&contract.origin.file);
        let (path, line) = match contract.origin.layer {
            LayerKind::Project => (file, contract.glob_line),
            LayerKind::Named | LayerKind::Configured if is_inside(&contract.origin.file) => {
                (file, contract.glob_line)
            }
            LayerKind::Named | LayerKind::Configured | LayerKind::User | LayerKind::Pack => {
                (contract.glob_from_root(), 1)
            }
        };
        Self { path: top.path(&path), line, region: None }
    }
}

/// Whether a path relative to the project stays inside it.
fn is_inside(file: &Path) -> bool {
    file.is_relative() && !has_parent_component(file)
}
