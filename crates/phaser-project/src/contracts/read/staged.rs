//! The contract files of a directory as git has them. Staged: what the next commit would contain is held against the
//! contracts that it would contain, and a file that git does not track counts as it is on disk. Committed: nothing that is
//! on disk counts.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::folder::is_named_like_a_contract;
use super::{Candidate, Directory, Found, NoRoom, Reader, files, of_bytes};
use phaser_core::contract::Warning;
use phaser_core::contract::keys::ParsedContract;

/// The bytes of the files of a directory that are staged, by their paths from there; those that are the same on disk may
/// be missing.
pub type Staged = BTreeMap<String, Vec<u8>>;

impl Reader {
    /// The contracts of a directory with these files staged, and the files that are something else on disk.
    pub fn read_staged(&mut self, directory: &Directory, staged: &Staged) -> (Found, Vec<PathBuf>) {
        let (mut found, mut different) = (Found::default(), Vec::new());
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

    /// The contracts of a directory that has these files.
    pub fn read_committed(&mut self, directory: &Directory, files: &BTreeMap<String, Vec<u8>>) -> Found {
        let mut found = Found::default();
        for (name, bytes) in files.iter().filter(|(name, _)| is_named_like_a_contract(Path::new(name))) {
            let origin = Candidate::new(directory, name.as_ref()).origin;
            let built = of_bytes(bytes, origin, &mut self.room);
            if self.keep(&mut found, built, directory).is_err() {
                break;
            }
        }
        found
    }

    /// Adds what is in a file; if there was no room for it, that is a warning.
    pub(super) fn keep(
        &self,
        found: &mut Found,
        built: Result<ParsedContract, NoRoom>,
        from: &Directory,
    ) -> Result<(), NoRoom> {
        match built {
            Ok(built) => {
                found.add(built, from.forms);
                Ok(())
            }
            Err(NoRoom) => {
                let what = format!("the contracts are larger than {} bytes together", self.room.total);
                found.warnings.push(Warning::about(&from.shown, what));
                Err(NoRoom)
            }
        }
    }
}
