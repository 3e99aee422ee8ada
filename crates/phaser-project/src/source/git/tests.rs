//! Git as a source, on repositories that git itself has made.

mod broken;
mod diff;
mod location;
mod staged;

use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;
use crate::path::RelPath;
use crate::source::Reader;

/// A directory with a repository in it.
struct Repo {
    directory: tempfile::TempDir,
    top: PathBuf,
}

impl Repo {
    fn new() -> Self {
        Self::with(["init"])
    }

    fn with<const N: usize>(init: [&str; N]) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let top = directory.path().canonicalize().expect("it exists").join("top");
        std::fs::create_dir(&top).expect("created");
        let repo = Self { directory, top };
        repo.git(init);
        repo
    }

    /// Runs git with nothing of the environment that could change what it does.
    fn git<I: IntoIterator<Item: AsRef<OsStr>>>(&self, arguments: I) -> String {
        self.git_in(&self.top, arguments)
    }

    fn git_in<I: IntoIterator<Item: AsRef<OsStr>>>(&self, directory: &Path, arguments: I) -> String {
        let output =
            git_command(directory, self.directory.path()).args(arguments).output().expect("git runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    fn write(&self, path: &str, text: &str) -> &Self {
        let path = self.top.join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("created");
        std::fs::write(path, text).expect("written");
        self
    }

    fn stage(&self, path: &str, text: &str) -> &Self {
        self.write(path, text).git(["add", "--", path]);
        self
    }

    fn commit(&self) -> &Self {
        self.git(["commit", "-q", "--allow-empty", "-m", "commit"]);
        self
    }

    fn location(&self) -> Location {
        Location { cwd: self.top.clone(), ..Location::default() }
    }

    fn staged(&self) -> Targets {
        staged(&Root::new(&self.top), &self.location(), Staged::Changed, Renames::Similar)
            .expect("a repository")
    }

    fn changed(&self, revisions: &str) -> Targets {
        self.try_changed(revisions).expect("revisions that exist")
    }

    fn try_changed(&self, revisions: &str) -> Result<Targets, Error> {
        let revisions = revisions.parse().expect("revisions");
        changed(&Root::new(&self.top), &self.location(), &revisions, Renames::Similar)
    }
}

fn git_command(directory: &Path, home: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(directory).env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    git.env("HOME", home).env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", home.join("gitconfig"));
    for role in ["AUTHOR", "COMMITTER"] {
        git.env(format!("GIT_{role}_NAME"), "nobody").env(format!("GIT_{role}_EMAIL"), "nobody@example.com");
    }
    git.args(["-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always"]);
    git
}

/// The text of some content, or why it is not read.
fn read(content: &Content) -> Result<String, Why> {
    let mut reader = Reader::new(u64::MAX);
    let bytes = reader.read(content)?;
    Ok(String::from_utf8(bytes.into_owned()).expect("UTF-8"))
}

/// Each target's path, and its text.
fn texts(targets: &Targets) -> Vec<(String, Result<String, Why>)> {
    targets.targets.iter().map(|target| (target.path.to_string(), read(&target.content))).collect()
}

/// What each target was before.
fn befores(targets: &Targets) -> Vec<Option<String>> {
    let before =
        |target: &Target| target.before.as_ref().map(|before| read(&before.content).expect("readable"));
    targets.targets.iter().map(before).collect()
}

fn text(path: &str, text: &str) -> (String, Result<String, Why>) {
    (path.into(), Ok(text.into()))
}

fn paths(targets: &Targets) -> Vec<String> {
    targets.targets.iter().map(|target| target.path.to_string()).collect()
}

fn opaque(path: &str, why: Why) -> (String, Result<String, Why>) {
    (path.into(), Err(why))
}

fn listed(targets: &Targets) -> Vec<String> {
    match &targets.coverage {
        Coverage::Listed(all) => {
            let mut paths = Vec::new();
            let each = |path: &RelPath| {
                paths.push(path.to_string());
                ControlFlow::Continue(())
            };
            all.each_path(each).expect("listed");
            paths
        }
        Coverage::Whole | Coverage::Rest(_) | Coverage::Partial => panic!("not listed"),
    }
}
