//! A git repository in a temporary directory, for the tests of sources.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::source::git::GitLocation;

/// A directory `top` for a project, next to git's home directory. Both are deleted with the value.
pub struct TestRepo {
    /// git's home directory, which contains `top`.
    pub home: tempfile::TempDir,
    /// The top of the worktree, without links in its path.
    pub top: PathBuf,
}

impl TestRepo {
    /// An empty repository.
    pub fn new() -> Self {
        Self::init(["init", "--quiet"])
    }

    /// A repository made by `git` with these arguments.
    pub fn init<const N: usize>(arguments: [&str; N]) -> Self {
        let repo = Self::without_git();
        repo.git(arguments);
        repo
    }

    /// An empty directory.
    pub fn without_git() -> Self {
        let home = tempfile::tempdir().expect("a temporary directory");
        let top = home.path().canonicalize().expect("it exists").join("top");
        fs::create_dir(&top).expect("created");
        Self { home, top }
    }

    /// A command in `directory` that sees neither the user's nor the system's git configuration.
    pub fn command(&self, program: &str, directory: &Path) -> Command {
        let home = self.home.path();
        let mut command = Command::new(program);
        command.current_dir(directory).env_clear();
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command.env("HOME", home).env("XDG_CONFIG_HOME", home.join("config")).env("GIT_EDITOR", "true");
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", home.join("gitconfig"));
        for role in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{role}_NAME"), "nobody")
                .env(format!("GIT_{role}_EMAIL"), "n@example.com");
        }
        let settings = [("init.defaultBranch", "main"), ("protocol.file.allow", "always")];
        command.env("GIT_CONFIG_COUNT", settings.len().to_string());
        for (at, (key, value)) in settings.iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{at}"), key).env(format!("GIT_CONFIG_VALUE_{at}"), value);
        }
        command
    }

    /// Runs git at the top of the worktree and returns its output. Panics if git fails.
    #[track_caller]
    pub fn git<I: IntoIterator<Item: AsRef<OsStr>>>(&self, arguments: I) -> String {
        self.git_in(&self.top, arguments)
    }

    /// [`Self::git`] in another directory.
    #[track_caller]
    pub fn git_in<I: IntoIterator<Item: AsRef<OsStr>>>(&self, directory: &Path, arguments: I) -> String {
        let output = self.command("git", directory).args(arguments).output().expect("git runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Writes a file of the worktree, and the directories above it.
    pub fn write(&self, path: &str, text: &str) -> &Self {
        let path = self.top.join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("created");
        fs::write(path, text).expect("written");
        self
    }

    /// Where git starts: at the top, with the configuration of [`Self::command`].
    pub fn location(&self) -> GitLocation {
        let config_home = Some(self.home.path().join("config"));
        GitLocation { cwd: self.top.clone(), config_home, ..GitLocation::default() }
    }
}
