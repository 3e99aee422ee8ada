//! Environment variables, directories and streams of the process.

use std::env;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context;

use crate::agents::Agent;
use phaser_project::source::git::GitLocation;

/// The process environment, read once at the start.
#[derive(Debug)]
pub struct Environment {
    pub cwd: PathBuf,
    pub home: Option<PathBuf>,
    /// `TMPDIR`.
    pub temporary: Option<PathBuf>,
    /// `PHASER_STORAGE_DIR`: the contracts directory of version 1.2.
    pub storage_dir: Option<PathBuf>,
    /// `CLAUDE_PROJECT_DIR`: the project the agent runs in.
    pub claude_project_dir: Option<PathBuf>,
    /// `GITHUB_STEP_SUMMARY`: the file of the job summary.
    pub github_step_summary: Option<PathBuf>,
    /// Git's own variables.
    pub git: GitLocation,
    /// `CLAUDE_CONFIG_DIR`: replaces `~/.claude`.
    pub claude_config_dir: Option<PathBuf>,
    /// Whether the plugin started phaser, as opposed to a hook in settings.
    pub runs_as_a_plugin: bool,
    /// The agent detected by its variables.
    pub agent: Option<Agent>,
    /// The directories of `PATH`.
    pub path: Vec<PathBuf>,
}

impl Environment {
    /// Reads the environment of this process. The event of a hook carries its directory: the current one may be gone, and `/`
    /// replaces it.
    pub fn capture(is_hook: bool) -> anyhow::Result<Self> {
        let cwd = match env::current_dir() {
            Err(_) if is_hook => PathBuf::from("/"),
            cwd => cwd.context("cannot find the current directory (change to one that exists)")?,
        };
        let directory = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = directory("HOME").or_else(|| directory("USERPROFILE"));
        let config_home = || home.as_ref().map(|home| home.join(".config"));
        Ok(Self {
            git: GitLocation {
                cwd: cwd.clone(),
                git_dir: directory("GIT_DIR"),
                work_tree: directory("GIT_WORK_TREE"),
                index_file: directory("GIT_INDEX_FILE"),
                config_home: directory("XDG_CONFIG_HOME").or_else(config_home),
            },
            cwd,
            temporary: directory("TMPDIR"),
            home,
            storage_dir: directory("PHASER_STORAGE_DIR"),
            claude_project_dir: directory("CLAUDE_PROJECT_DIR"),
            github_step_summary: directory("GITHUB_STEP_SUMMARY"),
            claude_config_dir: directory("CLAUDE_CONFIG_DIR"),
            runs_as_a_plugin: directory("CLAUDE_PLUGIN_ROOT").is_some(),
            agent: Agent::VARIABLES
                .into_iter()
                .find(|(name, _)| directory(name).is_some())
                .map(|(_, agent)| agent),
            path: env::var_os("PATH").iter().flat_map(env::split_paths).collect(),
        })
    }

    /// The user's cache directory.
    pub fn cache_home(&self) -> Option<PathBuf> {
        let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let by_default = || self.home.as_ref().map(|home| home.join(".cache"));
        absolute("XDG_CACHE_HOME").or_else(|| absolute("LOCALAPPDATA")).or_else(by_default)
    }

    /// The user's directory for state that is no cache.
    pub fn state_home(&self) -> Option<PathBuf> {
        let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let by_default = || self.home.as_ref().map(|home| home.join(".local/state"));
        absolute("XDG_STATE_HOME").or_else(|| absolute("LOCALAPPDATA")).or_else(by_default)
    }

    /// A variable of this process.
    pub fn variable(&self, name: &str) -> Option<String> {
        env::var(name).ok()
    }

    /// Identifies this build: the size and modification time of the executable.
    pub fn program(&self) -> String {
        let metadata = env::current_exe().and_then(|path| path.metadata());
        metadata
            .map(|metadata| format!("{} {:?}", metadata.len(), metadata.modified().ok()))
            .unwrap_or_default()
    }

    /// The time in seconds since 1970: `SOURCE_DATE_EPOCH`, for reproducible output, or the clock.
    pub fn time(&self) -> i64 {
        let set = env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse().ok());
        let now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        set.unwrap_or_else(|| i64::try_from(now()).unwrap_or(i64::MAX))
    }

    /// The executable a shell would run for this name.
    pub fn find_program(&self, name: &str) -> Option<PathBuf> {
        if name.contains(std::path::is_separator) {
            return Some(self.cwd.join(name)).filter(|path| is_program(path));
        }
        self.path.iter().map(|directory| directory.join(name)).find(|path| is_program(path))
    }

    /// The first of `NO_COLOR`, `FORCE_COLOR`, `CLICOLOR_FORCE` and `CLICOLOR` that is set, as on or off.
    pub fn colour(&self) -> Option<bool> {
        let set = |name| env::var_os(name).filter(|value| !value.is_empty());
        let on = |value: std::ffi::OsString| value != "0";
        if set("NO_COLOR").is_some() {
            return Some(false);
        }
        let forced = set("FORCE_COLOR").or_else(|| set("CLICOLOR_FORCE")).map(on);
        forced.or_else(|| set("CLICOLOR").map(on).filter(|on| !on))
    }

    /// Whether questions can be asked: stdin and stdout are terminals.
    pub fn is_interactive(&self) -> bool {
        io::stdin().is_terminal() && io::stdout().is_terminal()
    }

    pub fn stdout_is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// The number of columns of the terminal that stdout is, `COLUMNS` first; `None` if it is none or has no size.
    pub fn width(&self) -> Option<usize> {
        if !self.stdout_is_terminal() {
            return None;
        }
        let set = env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let asked = || terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
        set.or_else(asked).filter(|width| *width > 0)
    }

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
