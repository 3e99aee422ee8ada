//! What phaser takes from the process it runs in.

use std::env;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::agents::Client;
use phaser_project::source::git::Location;

/// The variables, directories and streams that matter.
#[derive(Debug)]
pub struct Environment {
    /// The current directory.
    pub cwd: PathBuf,
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// Where version 1.2 kept its files, if that was said.
    pub storage_dir: Option<PathBuf>,
    /// The project that the client runs in.
    pub claude_project_dir: Option<PathBuf>,
    /// The file that GitHub shows on the page of a job.
    pub github_step_summary: Option<PathBuf>,
    /// Where git is told to look.
    pub git: Location,
    /// Where the client keeps the user's settings, when that is not `.claude` in the home directory.
    pub claude_config_dir: Option<PathBuf>,
    /// Was phaser started by the client's plugin of that name, and not by settings?
    pub runs_as_a_plugin: bool,
    /// The agent that has put its own variables here, if one has.
    pub client: Option<Client>,
    /// The directories that programs are looked for in.
    pub path: Vec<PathBuf>,
}

impl Environment {
    /// Reads the environment of this process.
    pub fn capture() -> anyhow::Result<Self> {
        let cwd =
            env::current_dir().context("the current directory cannot be found; change to one that exists")?;
        Ok(Self::in_directory(cwd))
    }

    /// Reads the environment of a process whose current directory may be gone: the top of the file system takes its place.
    pub fn capture_without_directory() -> Self {
        Self::in_directory(env::current_dir().unwrap_or_else(|_| PathBuf::from("/")))
    }

    fn in_directory(cwd: PathBuf) -> Self {
        let directory = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = directory("HOME").or_else(|| directory("USERPROFILE"));
        let config_home = || home.as_ref().map(|home| home.join(".config"));
        Self {
            git: Location {
                cwd: cwd.clone(),
                git_dir: directory("GIT_DIR"),
                work_tree: directory("GIT_WORK_TREE"),
                index_file: directory("GIT_INDEX_FILE"),
                config_home: directory("XDG_CONFIG_HOME").or_else(config_home),
            },
            cwd,
            home,
            storage_dir: directory("PHASER_STORAGE_DIR"),
            claude_project_dir: directory("CLAUDE_PROJECT_DIR"),
            github_step_summary: directory("GITHUB_STEP_SUMMARY"),
            claude_config_dir: directory("CLAUDE_CONFIG_DIR"),
            runs_as_a_plugin: directory("CLAUDE_PLUGIN_ROOT").is_some(),
            client: Client::VARIABLES
                .into_iter()
                .find(|(name, _)| directory(name).is_some())
                .map(|(_, client)| client),
            path: env::var_os("PATH").iter().flat_map(env::split_paths).collect(),
        }
    }

    /// The user's directory for what programs keep and can do without.
    pub fn cache_home(&self) -> Option<PathBuf> {
        let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let by_default = || self.home.as_ref().map(|home| home.join(".cache"));
        absolute("XDG_CACHE_HOME").or_else(|| absolute("LOCALAPPDATA")).or_else(by_default)
    }

    /// What tells this program from others of its version: its size, and when it was written.
    pub fn program(&self) -> String {
        let metadata = env::current_exe().and_then(|path| path.metadata());
        metadata
            .map(|metadata| format!("{} {:?}", metadata.len(), metadata.modified().ok()))
            .unwrap_or_default()
    }

    /// The program that a shell here would start by this name.
    pub fn find_program(&self, name: &str) -> Option<PathBuf> {
        if name.contains(std::path::is_separator) {
            return Some(self.cwd.join(name)).filter(|path| is_program(path));
        }
        self.path.iter().map(|directory| directory.join(name)).find(|path| is_program(path))
    }

    /// What the variables say about colours: the first of `NO_COLOR`, `FORCE_COLOR`, `CLICOLOR_FORCE`
    /// and `CLICOLOR` that is set.
    pub fn colour(&self) -> Option<bool> {
        let set = |name| env::var_os(name).filter(|value| !value.is_empty());
        let on = |value: std::ffi::OsString| value != "0";
        if set("NO_COLOR").is_some() {
            return Some(false);
        }
        let forced = set("FORCE_COLOR").or_else(|| set("CLICOLOR_FORCE")).map(on);
        forced.or_else(|| set("CLICOLOR").map(on).filter(|on| !on))
    }

    /// Is there somebody to ask?
    pub fn is_interactive(&self) -> bool {
        io::stdin().is_terminal() && io::stdout().is_terminal()
    }

    /// Is standard output a terminal?
    pub fn stdout_is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// Is standard error a terminal?
    pub fn stderr_is_terminal(&self) -> bool {
        io::stderr().is_terminal()
    }
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file() || path.with_extension("exe").is_file()
}
