//! Several files that are written together or not at all.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::anyhow;

use phaser_project::atomic_write::replace;
use phaser_project::path::real_path;

/// A file to write.
#[derive(Debug)]
pub struct NewFile {
    /// Where.
    pub path: PathBuf,
    /// How it is shown.
    pub shown: &'static str,
    /// What it will say.
    pub text: String,
    /// What it says now; nothing if it is not there.
    pub before: Option<Vec<u8>>,
}

/// What has been written so far, and can be taken back.
#[derive(Debug, Default)]
pub struct Writing {
    files: Vec<NewFile>,
    directories: Vec<PathBuf>,
}

impl Writing {
    /// Writes one more file. When that fails, everything before it is taken back.
    pub fn write(&mut self, file: NewFile) -> anyhow::Result<()> {
        let written = self.make_directory(&file.path).and_then(|()| {
            let is_new = fs::symlink_metadata(&file.path).is_err();
            if is_new != file.before.is_none() {
                return Err(io::Error::other("it was changed meanwhile"));
            }
            replace(&real_path(&file.path), file.text.as_bytes())
        });
        match written {
            Ok(()) => {
                self.files.push(file);
                Ok(())
            }
            Err(error) => Err(self.take_back(anyhow!("{} cannot be written: {error}", file.shown))),
        }
    }

    /// Takes everything back because of `error`, which then also says what is left.
    pub fn take_back(&mut self, error: anyhow::Error) -> anyhow::Error {
        let mut left = Vec::new();
        for file in self.files.drain(..).rev() {
            let undone = match &file.before {
                Some(before) => replace(&real_path(&file.path), before),
                None => fs::remove_file(&file.path),
            };
            if undone.is_err() {
                left.push(file.shown);
            }
        }
        for directory in self.directories.drain(..).rev() {
            // One that somebody else uses by now stays.
            let _ = fs::remove_dir(directory);
        }
        match left.as_slice() {
            [] => anyhow!("{error:#}; nothing was changed"),
            left => anyhow!("{error:#}; these are written, and could not be taken back: {}", left.join(", ")),
        }
    }

    /// Makes the directory of a file, and remembers which ones are new.
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
        NewFile { path, shown: "a file", text: text.to_owned(), before: before.map(|text| text.into()) }
    }

    #[test]
    fn what_was_written_before_a_failure_is_taken_back() {
        let top = tempfile::tempdir().expect("a directory");
        let (old, new) = (top.path().join("old"), top.path().join("a/b/new"));
        fs::write(&old, "as it was").expect("written");
        let mut writing = Writing::default();
        writing.write(file(new.clone(), "new", None)).expect("written");
        writing.write(file(old.clone(), "other", Some("as it was"))).expect("written");
        assert_eq!(fs::read_to_string(&new).expect("is there"), "new");
        assert_eq!(fs::read_to_string(&old).expect("is there"), "other");
        let error = writing.write(file(old.join("below"), "", None)).expect_err("a file is no directory");
        assert!(error.to_string().ends_with("; nothing was changed"), "{error}");
        assert_eq!(fs::read_to_string(&old).expect("is there"), "as it was");
        assert!(!top.path().join("a").exists());
    }

    #[test]
    fn a_file_that_came_to_be_meanwhile_is_kept() {
        let top = tempfile::tempdir().expect("a directory");
        let path = top.path().join("new");
        fs::write(&path, "mine").expect("written");
        let error = Writing::default().write(file(path.clone(), "other", None)).expect_err("is there");
        assert!(error.to_string().contains("changed meanwhile"), "{error}");
        assert_eq!(fs::read_to_string(&path).expect("is there"), "mine");
    }

    #[test]
    fn what_cannot_be_taken_back_is_named() {
        let top = tempfile::tempdir().expect("a directory");
        let path = top.path().join("new");
        let mut writing = Writing::default();
        writing.write(file(path.clone(), "new", None)).expect("written");
        fs::remove_file(&path).expect("removed");
        fs::create_dir(&path).expect("made");
        let error = writing.take_back(anyhow!("no")).to_string();
        assert_eq!(error, "no; these are written, and could not be taken back: a file");
    }
}
