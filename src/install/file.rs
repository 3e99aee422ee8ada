//! Settings files: paths, locking and atomic writes.
//!
//! A write that fails at any point leaves the old file unchanged. Symbolic links and file modes are kept.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::{Edited, SettingsError};
use phaser_project::atomic_write;

/// The maximum number of links followed.
const MAX_LINKS: usize = 40;

/// The scope of Claude Code's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum SettingsScope {
    /// One user, all projects.
    User,
    /// One project, all users.
    Project,
    /// One user, one project.
    Local,
}

impl SettingsScope {
    /// All scopes, from the widest to the narrowest.
    pub const ALL: [Self; 3] = [Self::User, Self::Project, Self::Local];

    /// The settings file of this scope; `user` is the directory of the user settings.
    pub fn file(self, user: &Path, root: &Path) -> PathBuf {
        match self {
            Self::User => user.join("settings.json"),
            Self::Project => root.join(".claude/settings.json"),
            Self::Local => root.join(".claude/settings.local.json"),
        }
    }
}

/// Why a settings file cannot be read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    #[error("{}: not a regular file", .0.display())]
    NotAFile(PathBuf),
    #[error("{}: not UTF-8 (save it as UTF-8)", .0.display())]
    NotText(PathBuf),
    #[error("{}:{}: {}", path.display(), refused.line, refused.what)]
    Settings { path: PathBuf, refused: SettingsError },
    #[error("{}: cannot read it", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{}: cannot write it; it is unchanged", path.display())]
    Write { path: PathBuf, source: io::Error },
}

/// The text of the file; empty if it does not exist.
pub fn read(path: &Path) -> Result<String, FileError> {
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => return Err(FileError::NotAFile(path.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
        _ => {}
    }
    let bytes = fs::read(path).map_err(|source| FileError::Read { path: path.to_owned(), source })?;
    String::from_utf8(bytes).map_err(|_| FileError::NotText(path.to_owned()))
}

/// The result of `change` without writing it. An emptied file behind a link is kept.
pub fn preview(
    path: &Path,
    change: impl Fn(&str) -> Result<Edited, SettingsError>,
) -> Result<Edited, FileError> {
    let refused = |refused| FileError::Settings { path: path.to_owned(), refused };
    match change(&read(path)?).map_err(refused)? {
        Edited::Emptied(text) if path.is_symlink() => Ok(Edited::Changed(text)),
        edited => Ok(edited),
    }
}

/// Changes the file under a lock. Writes nothing if nothing changes.
pub fn edit(
    path: &Path,
    change: impl Fn(&str) -> Result<Edited, SettingsError>,
) -> Result<Edited, FileError> {
    let unlocked = preview(path, &change)?;
    if matches!(unlocked, Edited::Unchanged | Edited::Differs(_)) {
        return Ok(unlocked);
    }
    let cannot = |source| FileError::Write { path: path.to_owned(), source };
    let target = follow_links(path).map_err(cannot)?;
    let directory = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory).map_err(cannot)?;
    let _lock = lock(directory).map_err(cannot)?;
    let edited = preview(path, &change)?;
    match &edited {
        Edited::Changed(text) => atomic_write::write(&target, text.as_bytes()).map_err(cannot)?,
        Edited::Emptied(_) => remove(&target).map_err(cannot)?,
        Edited::Unchanged | Edited::Differs(_) => {}
    }
    Ok(edited)
}

/// Removes a file, unless it is read-only.
fn remove(target: &Path) -> io::Result<()> {
    if fs::metadata(target)?.permissions().readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    fs::remove_file(target)
}

/// The target of `path`, which may not exist.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&target) {
            Ok(link) => target = target.parent().unwrap_or(Path::new(".")).join(link),
            Err(_) => return Ok(target),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Locks the directory, because an atomic write replaces the file itself. Dropping the value unlocks it.
fn lock(directory: &Path) -> io::Result<File> {
    let directory = File::open(directory)?;
    match directory.lock() {
        Err(error) if error.kind() != io::ErrorKind::Unsupported => Err(error),
        _ => Ok(directory),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    fn to(text: &'static str) -> impl Fn(&str) -> Result<Edited, SettingsError> {
        move |_| Ok(Edited::Changed(text.to_owned()))
    }

    fn directory() -> tempfile::TempDir {
        tempfile::tempdir().expect("a temporary directory")
    }

    fn names(directory: &Path) -> Vec<String> {
        let names = fs::read_dir(directory).expect("readable");
        let mut names: Vec<_> =
            names.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
        names.sort();
        names
    }

    #[test]
    fn each_scope_has_its_file() {
        let file = |scope: SettingsScope| scope.file(Path::new("/h/.claude"), Path::new("/p"));
        assert_eq!(file(SettingsScope::User), Path::new("/h/.claude/settings.json"));
        assert_eq!(file(SettingsScope::Project), Path::new("/p/.claude/settings.json"));
        assert_eq!(file(SettingsScope::Local), Path::new("/p/.claude/settings.local.json"));
    }

    #[test]
    fn creates_file_with_directory() {
        let directory = directory();
        let path = directory.path().join("a/.claude/settings.json");
        edit(&path, to("{}")).expect("written");
        assert_eq!(fs::read_to_string(&path).expect("read"), "{}");
        assert_eq!(names(&directory.path().join("a/.claude")), ["settings.json"]);
    }

    #[test]
    fn does_not_write_unchanged_file() {
        let directory = directory();
        let path = directory.path().join(".claude/settings.json");
        assert!(matches!(edit(&path, |_| Ok(Edited::Unchanged)), Ok(Edited::Unchanged)));
        assert!(names(directory.path()).is_empty());
    }

    #[test]
    fn keeps_modes() {
        let directory = directory();
        let path = directory.path().join("settings.json");
        for mode in [0o600, 0o640, 0o664] {
            fs::write(&path, "old").expect("written");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("a mode");
            edit(&path, to("new")).expect("written");
            assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, mode);
        }
    }

    #[test]
    fn does_not_write_read_only_file() {
        let directory = directory();
        let path = directory.path().join("settings.json");
        fs::write(&path, "old").expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("a mode");
        let Err(FileError::Write { source, .. }) = edit(&path, to("new")) else { panic!() };
        assert_eq!(source.to_string(), "the file is read-only");
        assert_eq!(fs::read_to_string(&path).expect("read"), "old");
    }

    #[test]
    fn keeps_links() {
        let directory = directory();
        let (real, middle, path) = (
            directory.path().join("real"),
            directory.path().join("middle"),
            directory.path().join("settings.json"),
        );
        fs::write(&real, "old").expect("written");
        symlink("real", &middle).expect("linked");
        symlink(&middle, &path).expect("linked");
        edit(&path, to("new")).expect("written");
        assert!(fs::symlink_metadata(&path).expect("there").is_symlink());
        assert!(fs::symlink_metadata(&middle).expect("there").is_symlink());
        assert_eq!(fs::read_to_string(&real).expect("read"), "new");
    }

    fn emptied(_: &str) -> Result<Edited, SettingsError> {
        Ok(Edited::Emptied("{}\n".to_owned()))
    }

    #[test]
    fn removes_empty_file_but_not_directory() {
        let directory = directory();
        let path = directory.path().join("settings.json");
        fs::write(&path, "old").expect("written");
        assert!(matches!(preview(&path, emptied), Ok(Edited::Emptied(_))));
        assert_eq!(names(directory.path()), ["settings.json"]);
        assert!(matches!(edit(&path, emptied), Ok(Edited::Emptied(_))));
        assert!(names(directory.path()).is_empty());
    }

    #[test]
    fn keeps_empty_file_behind_link() {
        let directory = directory();
        let (real, path) = (directory.path().join("real"), directory.path().join("settings.json"));
        fs::write(&real, "old").expect("written");
        symlink("real", &path).expect("linked");
        assert!(matches!(edit(&path, emptied), Ok(Edited::Changed(_))));
        assert_eq!(fs::read_to_string(&path).expect("read"), "{}\n");
        assert_eq!(names(directory.path()), ["real", "settings.json"]);
    }

    #[test]
    fn does_not_remove_read_only_file() {
        let directory = directory();
        let path = directory.path().join("settings.json");
        fs::write(&path, "old").expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("a mode");
        let Err(FileError::Write { source, .. }) = edit(&path, emptied) else { panic!() };
        assert_eq!(source.to_string(), "the file is read-only");
        assert_eq!(fs::read_to_string(&path).expect("read"), "old");
    }

    #[test]
    fn creates_target_of_dangling_link() {
        let directory = directory();
        let path = directory.path().join("settings.json");
        symlink("dotfiles/claude.json", &path).expect("linked");
        edit(&path, to("new")).expect("written");
        assert_eq!(fs::read_to_string(directory.path().join("dotfiles/claude.json")).expect("read"), "new");
    }

    #[test]
    fn rejects_circular_links() {
        let directory = directory();
        let path = directory.path().join("settings.json");
        symlink("settings.json", &path).expect("linked");
        assert!(matches!(edit(&path, to("new")), Err(FileError::Read { .. })));
        assert!(follow_links(&path).is_err());
    }

    #[test]
    fn rejects_directories_and_binary_files() {
        let directory = directory();
        assert!(matches!(edit(directory.path(), to("new")), Err(FileError::NotAFile(_))));
        let path = directory.path().join("settings.json");
        fs::write(&path, b"\xff").expect("written");
        assert!(matches!(edit(&path, to("new")), Err(FileError::NotText(_))));
    }

    #[test]
    fn reports_line_of_invalid_text() {
        let directory = directory();
        let path = directory.path().join("settings.json");
        fs::write(&path, "{\n//\n}").expect("written");
        let error = edit(&path, super::super::uninstall).expect_err("a comment");
        let expected = format!("{}:2: JSON has no comments; remove this one", path.display());
        assert_eq!(error.to_string(), expected);
        assert_eq!(fs::read_to_string(&path).expect("read"), "{\n//\n}");
    }

    #[test]
    fn concurrent_edits_lose_nothing() {
        let directory = directory();
        let path = directory.path().join("settings.json");
        std::thread::scope(|scope| {
            for _ in 0..20 {
                scope.spawn(|| edit(&path, |text| Ok(Edited::Changed(format!("{text}x")))).expect("written"));
            }
        });
        assert_eq!(fs::read_to_string(&path).expect("read"), "x".repeat(20));
        assert_eq!(names(directory.path()), ["settings.json"]);
    }
}
