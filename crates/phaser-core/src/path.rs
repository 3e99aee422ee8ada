//! Paths as contracts see them: relative to the project root, with `/` between the names.
//!
//! A [`RelPath`] is bytes: names need not be UTF-8. The names of the files phaser reads are here too.

use std::borrow::Cow;
use std::fmt;
use std::path::{Component, Path, PathBuf};

/// The directory in a project that holds what agents and phaser are told.
pub const SETTINGS: &str = ".claude";

/// The directory in a project that holds its contracts.
pub const PROJECT_CONTRACTS: &str = ".claude/contracts";

/// The file in a project that holds its configuration.
pub const CONFIG: &str = ".claude/phaser.yaml";

/// The file in a project that holds its baseline.
pub const BASELINE: &str = ".claude/phaser-baseline.jsonl";

/// The longest path that any system takes, in bytes. What would be further down is not looked for: a name may have very many
/// parts.
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

    /// The path from `directory`, if it lies below that; the project itself has an empty path.
    pub fn below(&self, directory: &Self) -> Option<&[u8]> {
        match directory.as_bytes() {
            [] => Some(&self.0),
            directory => self.0.strip_prefix(directory)?.strip_prefix(b"/"),
        }
    }

    /// The path of something in this directory, which may be the project itself.
    pub fn join(&self, inside: &str) -> Self {
        match &*self.0 {
            [] => Self::from(inside),
            directory => Self([directory, b"/", inside.as_bytes()].concat().into()),
        }
    }

    /// The directories that it lies in, the nearest first; the project itself, whose path is empty, is not among them.
    pub fn directories(&self) -> impl Iterator<Item = &[u8]> {
        memchr::memrchr_iter(b'/', &self.0).map(|slash| &self.0[..slash])
    }

    /// Is this one of the project's own contract files? Those are exempt from content contracts,
    /// because a pattern would match its own definition.
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

/// Does the path have a `..` component?
pub fn has_parent_component(path: &Path) -> bool {
    path.components().any(|component| component == Component::ParentDir)
}

/// `path` without `.` components and doubled separators; `..` stays.
pub fn normalize(path: &Path) -> PathBuf {
    path.components().filter(|component| *component != Component::CurDir).collect()
}
