//! Paths relative to the project root, and the paths of phaser's own files.

use std::borrow::Cow;
use std::fmt;
use std::path::{Component, Path, PathBuf};

/// The directory of a project's settings for Claude Code and phaser.
pub const SETTINGS: &str = ".claude";

/// The directory of a project's contracts.
pub const PROJECT_CONTRACTS: &str = ".claude/contracts";

/// A project's configuration.
pub const CONFIG: &str = ".claude/phaser.yaml";

/// A project's configuration outside `.claude`.
pub const TOP_CONFIG: &str = "phaser.yaml";

/// A project's baseline.
pub const BASELINE: &str = ".claude/phaser-baseline.jsonl";

/// The directory of a [`TOP_CONFIG`] at this path. `None` for another file, and for one in `.claude`.
pub fn directory_of_top_config(path: &[u8]) -> Option<&[u8]> {
    let directory = path.strip_suffix(TOP_CONFIG.as_bytes())?;
    let directory = if directory.is_empty() { directory } else { directory.strip_suffix(b"/")? };
    (directory.rsplit(|&byte| byte == b'/').next() != Some(SETTINGS.as_bytes())).then_some(directory)
}

/// The baseline of a project whose configuration is [`TOP_CONFIG`].
pub const TOP_BASELINE: &str = "phaser-baseline.jsonl";

/// The limit on the length of a path, in bytes. Deeper directories are not searched.
pub const LONGEST: usize = 4096;

/// A path relative to the project root, `/`-separated, as bytes because names need not be UTF-8.
///
/// A file outside the root has its absolute path without the leading `/`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelPath(Box<[u8]>);

impl RelPath {
    /// From `/`-separated bytes, such as a path in a git tree.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into().into_boxed_slice())
    }

    /// From a relative native path.
    pub fn from_native(path: &Path) -> Self {
        Self(Self::slashed(path).into())
    }

    /// The bytes of a relative native path, `/`-separated.
    pub fn slashed(path: &Path) -> Cow<'_, [u8]> {
        let bytes = path.as_os_str().as_encoded_bytes();
        if std::path::MAIN_SEPARATOR == '/' {
            return Cow::Borrowed(bytes);
        }
        let slashed = bytes.iter().map(|&byte| if byte == b'\\' { b'/' } else { byte });
        Cow::Owned(slashed.collect())
    }

    /// The bytes, `/`-separated.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// As text; bytes that are not UTF-8 become U+FFFD.
    pub fn to_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }

    /// As a native path.
    pub fn to_native(&self) -> PathBuf {
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt as _;
            PathBuf::from(std::ffi::OsStr::from_bytes(&self.0))
        }
        #[cfg(not(unix))]
        PathBuf::from(&*self.to_text())
    }

    /// The last name of the path.
    pub fn file_name(&self) -> &[u8] {
        let start = memchr::memrchr(b'/', &self.0).map_or(0, |at| at + 1);
        &self.0[start..]
    }

    /// The path relative to `directory`, if it is below it. The project root is empty.
    pub fn below(&self, directory: &Self) -> Option<&[u8]> {
        match directory.as_bytes() {
            [] => Some(&self.0),
            directory => self.0.strip_prefix(directory)?.strip_prefix(b"/"),
        }
    }

    /// Appends `inside`. An empty path is the project root.
    pub fn join(&self, inside: &str) -> Self {
        match &*self.0 {
            [] => Self::from(inside),
            directory => Self([directory, b"/", inside.as_bytes()].concat().into()),
        }
    }

    /// Appends a path relative to this one. An empty path is the project root.
    pub fn join_path(&self, inside: &Self) -> Self {
        match &*self.0 {
            [] => inside.clone(),
            directory => Self([directory, b"/", inside.as_bytes()].concat().into()),
        }
    }

    /// The parent directories, nearest first, without the project root.
    pub fn directories(&self) -> impl Iterator<Item = &[u8]> {
        memchr::memrchr_iter(b'/', &self.0).map(|slash| &self.0[..slash])
    }

    /// Whether it is one of the project's contract files. Checks of text do not apply to them, because a pattern would
    /// match its own definition.
    pub fn is_project_contract(&self) -> bool {
        let inside = self.0.strip_prefix(PROJECT_CONTRACTS.as_bytes());
        inside.is_some_and(|rest| rest.starts_with(b"/"))
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

impl From<&str> for RelPath {
    fn from(path: &str) -> Self {
        Self(path.as_bytes().into())
    }
}

/// Whether the path has a `..` component.
pub fn has_parent_component(path: &Path) -> bool {
    path.components().any(|component| component == Component::ParentDir)
}

/// `path` without `.` components and doubled separators; `..` stays.
pub fn normalize(path: &Path) -> PathBuf {
    path.components().filter(|component| *component != Component::CurDir).collect()
}
