//! Writes several files, all or none.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::anyhow;

use crate::cli::install::agents::make_executable;
use phaser_project::atomic_write;
use phaser_project::path::real_path;

/// A file to write.
#[derive(Debug, Clone)]
pub struct NewFile {
    pub path: PathBuf,
    /// The path, for messages.
    pub shown: String,
    pub text: String,
    /// The current content; `None` if the file does not exist.
    pub before: Option<Vec<u8>>,
    pub is_program: bool,
}

/// The files and directories written so far.
#[derive(Debug, Default)]
pub struct Transaction {
    files: Vec<NewFile>,
    directories: Vec<PathBuf>,
}

impl Transaction {
    /// Writes one more file. If that fails, rolls back the previous ones.
    pub fn write(&mut self, file: NewFile) -> anyhow::Result<()> {
        let written = self.make_directory(&file.path).and_then(|()| {
            let is_new = fs::symlink_metadata(&file.path).is_err();
            if is_new != file.before.is_none() {
                return Err(io::Error::other("it has changed in the meantime"));
            }
            atomic_write::write(&real_path(&file.path), file.text.as_bytes())
        });
        let cannot = |error: io::Error| anyhow!("cannot write {}: {error}", file.shown);
        if let Err(error) = written {
            return Err(self.roll_back(cannot(error)));
        }
        let made = if file.is_program { make_executable(&file.path) } else { Ok(()) };
        let made = made.map_err(cannot);
        self.files.push(file);
        made.map_err(|error| self.roll_back(error))
    }

    /// Undoes all writes. The returned error names files that could not be restored.
    pub fn roll_back(&mut self, error: anyhow::Error) -> anyhow::Error {
        let mut left = Vec::new();
        for file in self.files.drain(..).rev() {
            let undone = match &file.before {
                Some(before) => atomic_write::write(&real_path(&file.path), before),
                None => fs::remove_file(&file.path),
            };
            if undone.is_err() {
                left.push(file.shown);
            }
        }
        for directory in self.directories.drain(..).rev() {
            // A directory in use by others stays.
            let _ = fs::remove_dir(directory);
        }
        match left.as_slice() {
            [] => anyhow!("{error:#}; nothing changed"),
            left => anyhow!("{error:#}; could not restore: {}", left.join(", ")),
        }
    }

    /// Creates the directory of a file and records the new ones.
    fn make_directory(&mut self, file: &Path) -> io::Result<()> {
        let missing: Vec<&Path> =
            file.ancestors().skip(1).take_while(|directory| !directory.exists()).collect();
        for directory in missing.into_iter().rev() {
            fs::create_dir(directory)?;
            self.directories.push(directory.to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: PathBuf, text: &str, before: Option<&str>) -> NewFile {
        NewFile {
            path,
            shown: "a file".to_owned(),
            text: text.to_owned(),
            before: before.map(|text| text.into()),
            is_program: false,
        }
    }

    #[test]
    fn rolls_back_on_failure() {
        let top = tempfile::tempdir().expect("a directory");
        let (old, new) = (top.path().join("old"), top.path().join("a/b/new"));
        fs::write(&old, "as it was").expect("written");
        let mut transaction = Transaction::default();
        transaction.write(file(new.clone(), "new", None)).expect("written");
        transaction.write(file(old.clone(), "other", Some("as it was"))).expect("written");
        assert_eq!(fs::read_to_string(&new).expect("is there"), "new");
        assert_eq!(fs::read_to_string(&old).expect("is there"), "other");
        let error = transaction.write(file(old.join("below"), "", None)).expect_err("a file is no directory");
        assert!(error.to_string().ends_with("; nothing changed"), "{error}");
        assert_eq!(fs::read_to_string(&old).expect("is there"), "as it was");
        assert!(!top.path().join("a").exists());
    }

    #[test]
    fn keeps_file_created_in_the_meantime() {
        let top = tempfile::tempdir().expect("a directory");
        let path = top.path().join("new");
        fs::write(&path, "mine").expect("written");
        let error = Transaction::default().write(file(path.clone(), "other", None)).expect_err("is there");
        assert!(error.to_string().contains("changed in the meantime"), "{error}");
        assert_eq!(fs::read_to_string(&path).expect("is there"), "mine");
    }

    #[test]
    fn names_files_it_cannot_restore() {
        let top = tempfile::tempdir().expect("a directory");
        let path = top.path().join("new");
        let mut transaction = Transaction::default();
        transaction.write(file(path.clone(), "new", None)).expect("written");
        fs::remove_file(&path).expect("removed");
        fs::create_dir(&path).expect("made");
        let error = transaction.roll_back(anyhow!("no")).to_string();
        assert_eq!(error, "no; could not restore: a file");
    }
}
