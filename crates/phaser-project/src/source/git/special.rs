//! Repositories that somebody made to trip up whoever opens them: a FIFO or a device where a file should be, which would
//! be read forever. Git cannot put one into a clone, but an archive can hold one.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The files that are read to open a repository, and its index.
const READ: [&str; 5] = ["HEAD", "config", "config.worktree", "commondir", "index"];

/// The longest that a `.git` which is a file may be, as git has it.
const MAX_GIT_FILE: u64 = 1 << 20;

/// What must not be opened of the repository whose worktree is at `top`, if there is something.
pub(super) fn find(top: &Path) -> Option<PathBuf> {
    let dot_git = top.join(".git");
    let git_dir = match fs::metadata(&dot_git) {
        Ok(metadata) if metadata.is_dir() => dot_git,
        Ok(metadata) if metadata.is_file() && metadata.len() <= MAX_GIT_FILE => {
            let mut text = Vec::new();
            File::open(&dot_git).ok()?.take(MAX_GIT_FILE).read_to_end(&mut text).ok()?;
            let path = text.strip_prefix(b"gitdir:")?.trim_ascii();
            top.join(gix::path::from_byte_slice(path).ok()?)
        }
        Ok(_) => return Some(dot_git),
        Err(_) => return None,
    };
    let is_special = |path: &PathBuf| fs::metadata(path).is_ok_and(|file| !file.is_file() && !file.is_dir());
    READ.iter().map(|name| git_dir.join(name)).find(is_special)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_repository_is_opened_unless_a_file_of_it_is_special() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let top = directory.path();
        assert_eq!(find(top), None);
        fs::create_dir_all(top.join("real")).expect("created");
        fs::write(top.join("real/HEAD"), "ref: refs/heads/main").expect("written");
        symlink("real", top.join(".git")).expect("linked");
        assert_eq!(find(top), None);
        symlink("/dev/zero", top.join("real/config")).expect("linked");
        assert_eq!(find(top), Some(top.join(".git/config")));
        fs::remove_file(top.join(".git")).expect("removed");
        fs::write(top.join(".git"), "gitdir: real\n").expect("written");
        assert_eq!(find(top), Some(top.join("real/config")));
        fs::remove_file(top.join(".git")).expect("removed");
        symlink("/dev/zero", top.join(".git")).expect("linked");
        assert_eq!(find(top), Some(top.join(".git")));
    }
}
