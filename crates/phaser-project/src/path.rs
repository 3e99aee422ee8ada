//! The project root, and paths on disk.

use std::io;
use std::path::{Component, Path, PathBuf};

use crate::checkout;

pub use phaser_core::path::{
    BASELINE, CONFIG, LONGEST, PROJECT_CONTRACTS, RelPath, SETTINGS, TOP_BASELINE, TOP_CONFIG,
    directory_of_top_config, has_parent_component, normalize,
};

/// A directory and those above it, without paths that exceed the system's limit.
fn ancestors(path: &Path) -> impl Iterator<Item = &Path> {
    path.ancestors().skip_while(|path| path.as_os_str().len() > LONGEST)
}

/// The project root, as given and with links resolved.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Root {
    spelled: PathBuf,
    real: PathBuf,
}

impl Root {
    /// The root at `path`, which should be absolute.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let spelled = normalize(&path.into());
        let real = real_path(&spelled);
        Self { spelled, real }
    }

    /// The path as given.
    pub fn path(&self) -> &Path {
        &self.spelled
    }

    /// The path with links resolved.
    pub fn real(&self) -> &Path {
        &self.real
    }

    /// An absolute path relative to this root.
    pub fn relative(&self, path: &Path) -> RelPath {
        let path = normalize(path);
        let inside = path.strip_prefix(&self.spelled).or_else(|_| path.strip_prefix(&self.real));
        match inside {
            Ok(inside) => RelPath::from_native(inside),
            Err(_) => RelPath::from_native(path.strip_prefix("/").unwrap_or(&path)),
        }
    }

    /// Whether an absolute path is inside this root.
    pub fn contains(&self, path: &Path) -> bool {
        let path = normalize(path);
        path.starts_with(&self.spelled) || path.starts_with(&self.real)
    }
}

/// Makes `path` absolute, without `.` and `..`. A `..` after a link leads to the parent of the link's target, as in
/// the system.
pub fn resolve(cwd: &Path, path: &Path) -> io::Result<PathBuf> {
    let mut resolved = PathBuf::new();
    for component in cwd.join(path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if resolved.is_symlink() {
                    resolved = resolved.canonicalize()?;
                }
                if !resolved.metadata()?.is_dir() {
                    return Err(io::ErrorKind::NotADirectory.into());
                }
                resolved.pop();
            }
            name => resolved.push(name),
        }
    }
    Ok(resolved)
}

/// The input of [`find_root`].
#[derive(Debug, Clone, Copy)]
pub struct RootHints<'a> {
    /// The project that the caller names, such as the agent's own; used if it contains `file`.
    pub named: Option<&'a Path>,
    /// The current directory.
    pub cwd: &'a Path,
    /// The file that an event is about; absolute.
    pub file: Option<&'a Path>,
    /// The user's home directory, where the search for an outer project ends.
    pub home: Option<&'a Path>,
}

/// Finds the project root, starting from `file`, or from `cwd` if there is none. In this order:
///
/// - the top of the git worktree, if it or a directory between it and the start has contracts or a configuration,
/// - the outermost directory above with contracts or a configuration, below `home` and on the same file system,
/// - the named directory, if it contains the file,
/// - the top of the git worktree,
/// - the same for `cwd`, for a file outside any project,
/// - `cwd`.
///
/// A repository inside a worktree with contracts is part of it, unless git knows it there ([`checkout`](mod@crate::checkout)):
/// making a repository must not lift the contracts around it.
pub fn find_root(hints: RootHints<'_>) -> Root {
    let start = hints.file.and_then(Path::parent).unwrap_or(hints.cwd);
    let Above { settings, git } = Above::of(start, hints.home);
    if let Some(root) = settings {
        return Root::new(root);
    }
    if let Some(named) = hints.named.filter(|named| named.is_dir()) {
        let named = Root::new(named);
        if hints.file.is_none_or(|file| named.contains(file) || named.contains(&real_path(file))) {
            return named;
        }
    }
    // A file below `cwd` has the same ancestors.
    let around_cwd = || Above::of(hints.cwd, hints.home);
    let elsewhere = || (!start.starts_with(hints.cwd)).then(around_cwd);
    let root = git.or_else(|| elsewhere().and_then(|above| above.settings.or(above.git)));
    Root::new(root.unwrap_or(hints.cwd))
}

/// What the ancestors of a directory have, the directory included.
struct Above<'a> {
    /// The project with settings.
    settings: Option<&'a Path>,
    /// The top of the innermost git worktree.
    git: Option<&'a Path>,
}

impl<'a> Above<'a> {
    fn of(start: &'a Path, home: Option<&Path>) -> Self {
        let mut above = Self { settings: None, git: None };
        let mut directories = ancestors(start);
        let is_home = |directory: &Path| Some(directory) == home;
        while let Some(directory) = directories.next() {
            let is_top = directory.join(".git").exists();
            let may_extend = above.settings.is_none_or(|inner| is_on_same_device(inner, directory));
            if (is_top || !is_home(directory)) && may_extend && has_settings(directory) {
                above.settings = Some(directory);
            }
            if is_top {
                above.git = above.git.or(Some(directory));
                if above.settings.is_some() {
                    let outer = directories.take_while(|outer| !is_home(directory) && !is_home(outer));
                    above.settings = Some(around(directory, outer));
                    break;
                }
            }
            if is_home(directory) {
                break;
            }
        }
        above
    }
}

/// The worktree that a worktree at `top` is part of: itself, or one further out with settings in which git does not know it.
fn around<'a>(top: &'a Path, outer: impl Iterator<Item = &'a Path>) -> &'a Path {
    let (mut root, mut between) = (top, Vec::new());
    for directory in outer {
        between.push(directory);
        if !directory.join(".git").exists() {
            continue;
        }
        if checkout::is_known(root, directory) || !is_on_same_device(root, directory) {
            break;
        }
        if between.drain(..).any(has_settings) {
            root = directory;
        }
    }
    root
}

#[cfg(unix)]
fn is_on_same_device(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let device = |path: &Path| path.metadata().map(|metadata| metadata.dev()).ok();
    device(one) == device(other)
}

/// Devices are not known on this system.
#[cfg(not(unix))]
fn is_on_same_device(_: &Path, _: &Path) -> bool {
    true
}

/// Whether a directory has contracts or a configuration.
fn has_settings(directory: &Path) -> bool {
    let settings = directory.join(SETTINGS);
    let is_inside = |name: &&str| directory.join(name).exists();
    (settings.is_dir() && [PROJECT_CONTRACTS, CONFIG].iter().any(is_inside)) || has_top_config(directory)
}

/// Whether a directory has a configuration outside `.claude`.
pub fn has_top_config(directory: &Path) -> bool {
    !directory.ends_with(SETTINGS) && directory.join(TOP_CONFIG).is_file()
}

/// The baseline of a project by its configuration: beside the only one.
pub fn baseline_beside(has_config: bool, has_top_config: bool) -> &'static str {
    if has_top_config && !has_config { TOP_BASELINE } else { BASELINE }
}

/// The path of the root's configuration, relative to the root: the only one that exists, or the usual one.
pub fn config_file(root: &Root) -> &'static str {
    let has = |name: &str| root.path().join(name).exists();
    if has(TOP_CONFIG) && !has(CONFIG) { TOP_CONFIG } else { CONFIG }
}

/// The path of a project's baseline on disk, relative to the root.
pub fn baseline_file(root: &Root) -> &'static str {
    let has = |name: &str| root.path().join(name).exists();
    let has_top = has(TOP_CONFIG);
    baseline_beside(has_top && has(CONFIG), has_top)
}

/// Resolves the links in a path, as far as it exists.
pub fn real_path(path: &Path) -> PathBuf {
    for ancestor in ancestors(path) {
        if let Ok(real) = ancestor.canonicalize() {
            return match path.strip_prefix(ancestor) {
                Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
                _ => real,
            };
        }
    }
    path.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_under_root_are_relative() {
        let root = Root::new("/nowhere/project");
        assert_eq!(root.relative(Path::new("/nowhere/project/./src//a.rs")), RelPath::from("src/a.rs"));
        assert_eq!(root.relative(Path::new("/elsewhere/a.rs")), RelPath::from("elsewhere/a.rs"));
    }

    #[test]
    fn linked_root_contains_files_by_both_names() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let real = directory.path().canonicalize().expect("it exists").join("real");
        std::fs::create_dir(&real).expect("created");
        let link = real.with_file_name("link");
        std::os::unix::fs::symlink(&real, &link).expect("linked");
        let root = Root::new(&link);
        assert_eq!(root.relative(&real.join("a.rs")), RelPath::from("a.rs"));
        assert_eq!(root.relative(&link.join("a.rs")), RelPath::from("a.rs"));
    }

    #[test]
    fn root_is_same_from_every_file() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let top = directory.path().canonicalize().expect("it exists");
        let (contracts, git) = (PROJECT_CONTRACTS, ".git");
        for (made, home, start, expected) in [
            (&[("a", contracts), ("a/b", contracts)][..], None, "a/b/c", "a"),
            (&[("a", contracts), ("a/b", git)], None, "a/b/c", "a"),
            (&[("a", contracts), ("a/b", git), ("a/b/c", contracts)], None, "a/b/c", "a/b"),
            (&[("a", git), ("a/b", contracts)], None, "a/b/c", "a"),
            (&[("a", git), ("a", contracts), ("a/b", git), ("a/b", contracts)], None, "a/b/c", "a"),
            (&[("a", git), ("a/b", git), ("a/b", contracts)], None, "a/b/c", "a/b"),
            (&[("", contracts), ("a/b", contracts)], Some(""), "a/b/c", "a/b"),
            (&[("", contracts), ("", git), ("a/b", git), ("a/b", contracts)], Some(""), "a/b/c", "a/b"),
            (&[("", contracts), ("", git)], Some(""), "a/b/c", ""),
            (&[("", contracts)], Some(""), "a/b/c", "a/b/c"),
        ] {
            let case = tempfile::tempdir_in(&top).expect("a temporary directory");
            let at = |path: &str| normalize(&case.path().join(path));
            for path in made.iter().map(|(directory, name)| at(directory).join(name)).chain([at(start)]) {
                std::fs::create_dir_all(path).expect("created");
            }
            let home = home.map(&at);
            let (cwd, file) = (at(start), at(start).join("x"));
            for file in [Some(file.as_path()), None] {
                let root = find_root(RootHints { named: None, cwd: &cwd, file, home: home.as_deref() });
                assert_eq!(root.path(), at(expected), "{made:?}");
            }
        }
    }

    #[test]
    fn only_a_whole_component_climbs() {
        assert!(has_parent_component(Path::new("/a/../b")));
        assert!(!has_parent_component(Path::new("/a/..b/c..")));
    }

    #[test]
    fn parent_components_resolve_like_system() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let top = directory.path().canonicalize().expect("it exists");
        std::fs::create_dir_all(top.join("a/b")).expect("created");
        std::fs::create_dir_all(top.join("c/d/e")).expect("created");
        std::fs::write(top.join("file"), "").expect("written");
        std::os::unix::fs::symlink("../c/d", top.join("a/link")).expect("linked");
        let cwd = top.join("a");
        for (path, expected) in [
            ("..", ""),
            ("../file", "file"),
            ("b/../../c//./d", "c/d"),
            ("link/e", "a/link/e"),
            ("link/..", "c"),
            ("link/e/..", "a/link"),
            ("link/e/../..", "c"),
            ("../gone/new", "gone/new"),
        ] {
            let resolved = resolve(&cwd, Path::new(path)).expect("it leads somewhere");
            assert_eq!(resolved, normalize(&top.join(expected)), "{path}");
            let same = std::fs::canonicalize(cwd.join(path)).ok();
            assert_eq!(same.as_deref(), resolved.canonicalize().ok().as_deref(), "{path}: the system agrees");
        }
        assert_eq!(resolve(&cwd, Path::new("/../..")).ok(), Some("/".into()));
        let error = |path| resolve(&cwd, Path::new(path)).map_err(|error| error.kind());
        assert_eq!(error("gone/../b"), Err(io::ErrorKind::NotFound));
        assert_eq!(error("../file/../a"), Err(io::ErrorKind::NotADirectory));
    }

    #[test]
    fn contract_files_are_known_by_their_directory() {
        assert!(RelPath::from(".claude/contracts/a.yaml").is_project_contract());
        assert!(!RelPath::from(".claude/contracts-old/a.yaml").is_project_contract());
        assert!(!RelPath::from("docs/.claude/contracts/a.yaml").is_project_contract());
    }

    #[test]
    fn real_path_resolves_directory_of_missing_file() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let real = directory.path().canonicalize().expect("it exists");
        assert_eq!(real_path(&directory.path().join("x/y.rs")), real.join("x/y.rs"));
    }
}
