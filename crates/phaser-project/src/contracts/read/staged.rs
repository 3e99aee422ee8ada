//! Reads contract files from git.
//!
//! Staged: the next commit is checked with the contracts that it would contain; untracked files apply as on disk.
//! Committed: nothing on disk applies.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::folder::is_named_like_a_contract;
use super::{Candidate, ContractDirectory, ContractReader, OverBudget, ReadContracts, files, of_bytes};
use phaser_core::contract::Warning;
use phaser_core::contract::keys::ParsedContract;

/// The staged bytes of files of a directory, by relative path. Files that are the same on disk may be missing.
pub type StagedBytes = BTreeMap<String, Vec<u8>>;

impl ContractReader {
    /// Reads the contracts of a directory as staged, and lists the files that differ on disk.
    pub fn read_staged(
        &mut self,
        directory: &ContractDirectory,
        staged: &StagedBytes,
    ) -> (ReadContracts, Vec<PathBuf>) {
        let (mut found, mut different) = (ReadContracts::default(), Vec::new());
        let mut all = files(directory, &mut found.warnings);
        let on_disk: Vec<_> = all.iter().map(|file| file.path.clone()).collect();
        for name in staged.keys().filter(|name| is_named_like_a_contract(Path::new(name))) {
            let file = Candidate::new(directory, name.as_ref());
            all.extend((!on_disk.contains(&file.path)).then_some(file));
        }
        all.sort_unstable_by(|one, other| one.path.as_os_str().cmp(other.path.as_os_str()));
        for Candidate { path, origin } in all {
            let bytes = directory.name_of(&path).and_then(|name| staged.get(name));
            let built = match bytes {
                Some(bytes) => {
                    if fs::read(&path).ok().as_ref() != Some(bytes) {
                        different.push(origin.file.clone());
                    }
                    of_bytes(bytes, origin, &mut self.room)
                }
                None => super::read(&path, origin, &mut self.room, &mut self.bytes),
            };
            if self.keep(&mut found, built, directory).is_err() {
                break;
            }
        }
        (found, different)
    }

    /// Reads the contracts of a directory with exactly these files.
    pub fn read_committed(
        &mut self,
        directory: &ContractDirectory,
        files: &BTreeMap<String, Vec<u8>>,
    ) -> ReadContracts {
        let mut found = ReadContracts::default();
        for (name, bytes) in files.iter().filter(|(name, _)| is_named_like_a_contract(Path::new(name))) {
            let origin = Candidate::new(directory, name.as_ref()).origin;
            let built = of_bytes(bytes, origin, &mut self.room);
            if self.keep(&mut found, built, directory).is_err() {
                break;
            }
        }
        found
    }

    /// Adds the contents of a file, or a warning if the size limit is exceeded.
    pub(super) fn keep(
        &self,
        found: &mut ReadContracts,
        built: Result<ParsedContract, OverBudget>,
        from: &ContractDirectory,
    ) -> Result<(), OverBudget> {
        match built {
            Ok(built) => {
                found.add(built, from.forms);
                Ok(())
            }
            Err(OverBudget) => {
                let what = format!("contracts exceed {} bytes together", self.room.total);
                found.warnings.push(Warning::about(&from.shown, what));
                Err(OverBudget)
            }
        }
    }
}
