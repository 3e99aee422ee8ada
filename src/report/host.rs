//! What reports for code hosts share: paths from the top of the repository, a place for every violation, and
//! names for violations that survive when lines move.

use std::collections::HashMap;

use crate::contract::{Check, Contract, Place};
use crate::digest::digest;
use crate::matcher::Violation;
use crate::path::RelPath;
use crate::text::Region;

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
    pub fn of(top: &Top, contract: &Contract, violation: &Violation) -> Self {
        if matches!(contract.check, Check::Exists | Check::RequireSomewhere(_)) {
            return Self::of_contract(top, contract);
        }
        let region = violation.place.as_ref().map(|found| found.region);
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
        let (path, line) = match contract.origin.place {
            Place::Project => (file, contract.glob_line),
            Place::Named if contract.origin.file.is_relative() => (file, contract.glob_line),
            Place::Named | Place::User | Place::Pack => (RelPath::from(contract.glob.as_str()), 1),
        };
        Self { path: top.path(&path), line, region: None }
    }
}

/// A name for each violation: the rule and the text of the line, counted where a file has the same several times.
pub fn fingerprints(contracts: &[Contract], violations: &[Violation]) -> Vec<String> {
    let mut seen: HashMap<(&RelPath, u64), usize> = HashMap::new();
    let name = |violation: &'_ Violation| {
        let line = violation.place.as_ref().map_or("", |found| found.line.trim());
        digest(format!("{}\0{line}", contracts[violation.contract].id).as_bytes())
    };
    let mut names = Vec::with_capacity(violations.len());
    for violation in violations {
        let hash = name(violation);
        let count = seen.entry((&violation.path, hash)).or_default();
        *count += 1;
        names.push(format!("{hash:016x}:{count}"));
    }
    names
}
