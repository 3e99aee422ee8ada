//! What reports for code hosts share: paths from the top of the repository, and a place for every violation.

use std::path::Path;

use phaser_core::contract::{Contract, LayerKind};
use phaser_core::text::Region;
use phaser_core::violation::Violation;
use phaser_project::path::{RelPath, has_parent_component};

/// Where the project lies in its repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Top {
    prefix: Vec<u8>,
}

impl Top {
    /// The project is this directory of the repository; an empty path is its top.
    pub fn new(directory: &RelPath) -> Self {
        let mut prefix = directory.as_bytes().to_vec();
        if !prefix.is_empty() {
            prefix.push(b'/');
        }
        Self { prefix }
    }

    /// The path of a file of the project, from the top of the repository.
    pub fn path(&self, path: &RelPath) -> RelPath {
        RelPath::from_bytes([&self.prefix, path.as_bytes()].concat())
    }
}

/// Where a violation is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// The file, from the top of the repository.
    pub path: RelPath,
    /// The line, from 1.
    pub line: usize,
    /// Where exactly, if known.
    pub region: Option<Region>,
}

impl Spot {
    /// A place for every violation, because hosts show none without: what has no line is shown at line 1, and what
    /// is about the project as a whole at its contract.
    pub fn of(top: &Top, violation: &Violation) -> Self {
        let contract = &violation.contract;
        if contract.check.is_about_project() {
            return Self::of_contract(top, contract);
        }
        let region = violation.found.as_ref().map(|found| found.region);
        let line = region.map_or(1, |region| region.start.line);
        Self { path: top.path(&violation.path), line, region }
    }

    /// The last line; a match that ends with a newline does not reach the next one.
    pub fn last_line(&self) -> usize {
        match self.region {
            Some(region) if region.end.column == 1 && region.end.line > region.start.line => {
                region.end.line - 1
            }
            Some(region) => region.end.line,
            None => self.line,
        }
    }

    /// A contract outside the project has no file there; its glob says best what is meant.
    fn of_contract(top: &Top, contract: &Contract) -> Self {
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

/// Does a path from the project lead to something in it?
fn is_inside(file: &Path) -> bool {
    file.is_relative() && !has_parent_component(file)
}
