//! The contract files of a directory as they are staged: what the next commit would contain is held against the contracts
//! that it would contain. A file that git does not track counts as it is on disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::folder::is_named_like_a_contract;
use super::{Candidate, Directory, Found, NoRoom, Reader, files, of_bytes};
use crate::contract::Warning;

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
            match built {
                Ok(built) => found.add(built, directory.forms),
                Err(NoRoom) => {
                    let what = format!("the contracts are larger than {} bytes together", self.room.total);
                    found.warnings.push(Warning::about(&directory.shown, what));
                    break;
                }
            }
        }
        (found, different)
    }
}
