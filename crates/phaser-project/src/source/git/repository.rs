//! Discovers and opens a repository as git does, and maps its paths to the project's.
//!
//! The user's configuration is read only where it matters: for `safe.directory`, and for how files of the worktree
//! are stored. Reads no file of the project.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::open::{Options, Permissions};
use gix::sec::trust::Mapping;

use crate::path::{RelPath, Root, normalize, real_path};

use super::blob::{Objects, missing, remember_bases};
use super::error::explain;
use super::{GitError, GitLocation, revisions};

/// The size of the tree cache, in bytes.
const CACHED_TREES: usize = 16 << 20;

/// An open repository with a worktree.
pub(super) struct Repository {
    pub(super) git: gix::Repository,
    pub(super) objects: Objects,
    pub(super) worktree: PathBuf,
    pub(super) index_file: PathBuf,
    pub(super) nesting: ProjectNesting,
}

/// How project and worktree are nested. Prefixes are empty or end in `/`.
#[derive(Debug, Clone)]
pub(super) enum ProjectNesting {
    /// The project is at this prefix of the worktree.
    ProjectInside(Vec<u8>),
    /// The worktree is at this prefix of the project.
    WorktreeInside(Vec<u8>),
}

impl ProjectNesting {
    /// Maps a path of the project to the worktree; `None` if it is outside.
    pub(super) fn path_in_worktree<'p>(&self, path: &'p [u8]) -> Option<Cow<'p, [u8]>> {
        match self {
            Self::ProjectInside(prefix) if prefix.is_empty() => Some(Cow::Borrowed(path)),
            Self::ProjectInside(prefix) => Some(Cow::Owned([prefix, path].concat())),
            Self::WorktreeInside(prefix) => path.strip_prefix(prefix.as_slice()).map(Cow::Borrowed),
        }
    }
}

/// Which configuration files are read.
#[derive(Clone, Copy)]
pub(super) enum ConfigSource {
    /// The repository's own.
    Repository,
    /// Those of the user and the system as well.
    User,
}

impl Repository {
    pub(super) fn open(
        root: &Root,
        location: &GitLocation,
        configuration: ConfigSource,
    ) -> Result<Self, GitError> {
        let own = match configuration {
            ConfigSource::Repository => open(location, Permissions::isolated()),
            ConfigSource::User => open(location, Permissions::all()),
        };
        let objects = match own {
            Err(GitError::Untrusted(_)) => open(location, Permissions::all())?,
            opened => opened?,
        };
        let mut git = objects.open();
        let worktree = worktree(&git, location)?;
        if git.workdir().is_some_and(|known| known != worktree) {
            // If this fails, nothing in the worktree is readable either.
            _ = git.set_workdir(worktree.clone());
        }
        let index_file = match &location.index_file {
            // Git resolves this variable relative to the top of the worktree.
            Some(file) => worktree.join(file),
            None => git.index_path(),
        };
        let nesting = nesting(root, &worktree)?;
        Ok(Self { git, objects, worktree, index_file, nesting })
    }

    /// The same repository, for another thread.
    pub(super) fn another(&self) -> Self {
        Self {
            git: self.objects.open(),
            objects: self.objects.clone(),
            worktree: self.worktree.clone(),
            index_file: self.index_file.clone(),
            nesting: self.nesting.clone(),
        }
    }

    /// Enables the object caches, for callers that read many similar objects.
    pub(super) fn with_caches(mut self) -> Self {
        self.git.object_cache_size_if_unset(CACHED_TREES);
        remember_bases(&mut self.git);
        self
    }

    /// Maps a path of the worktree to the project; `None` if it is outside.
    pub(super) fn project_path(&self, path: &[u8]) -> Option<RelPath> {
        match &self.nesting {
            ProjectNesting::ProjectInside(prefix) => {
                path.strip_prefix(prefix.as_slice()).map(RelPath::from_bytes)
            }
            ProjectNesting::WorktreeInside(prefix) => Some(RelPath::from_bytes([prefix, path].concat())),
        }
    }

    /// Maps a path of the project to the worktree; `None` if it is outside.
    pub(super) fn path_in_worktree(&self, path: &RelPath) -> Option<Vec<u8>> {
        self.nesting.path_in_worktree(path.as_bytes()).map(Cow::into_owned)
    }

    /// Whether a path of the worktree is the project or inside it.
    pub(super) fn is_in_project(&self, path: &[u8]) -> bool {
        match &self.nesting {
            ProjectNesting::ProjectInside(prefix) => {
                path.starts_with(prefix) || prefix.strip_suffix(b"/").is_some_and(|project| project == path)
            }
            ProjectNesting::WorktreeInside(_) => true,
        }
    }

    /// Whether the worktree contains the whole project.
    pub(super) fn holds_project(&self) -> bool {
        match &self.nesting {
            ProjectNesting::ProjectInside(_) => true,
            ProjectNesting::WorktreeInside(prefix) => prefix.is_empty(),
        }
    }

    /// The index; empty if there is none yet.
    pub(super) fn index(&self) -> Result<gix::index::File, GitError> {
        // Like git, does not verify the checksum, which would take longer than everything else.
        gix::index::File::at_or_default(&self.index_file, self.git.object_hash(), true, Default::default())
            .map_err(|error| GitError::Index { path: self.index_file.clone(), what: explain(&error) })
    }

    /// The commit that is checked out; `None` before the first one.
    pub(super) fn head(&self) -> Result<Option<ObjectId>, GitError> {
        let head = self.git.head().map_err(|error| match error.classify().is_unsupported() {
            true => GitError::ReferenceFormat(self.git.git_dir().to_owned()),
            false => GitError::broken("HEAD", &error),
        })?;
        Ok(head.id().map(gix::Id::detach))
    }

    /// The tree of a commit.
    pub(super) fn commit_tree(&self, commit: ObjectId) -> Result<ObjectId, GitError> {
        let what = || format!("commit {commit}");
        let object = self.object(commit, what)?;
        let tree = object.try_into_commit().and_then(|commit| Ok(commit.tree_id()?.detach()));
        tree.map_err(|error| GitError::broken(what(), &error))
    }

    /// The bytes of a tree; `path` is for the error.
    pub(super) fn tree(&self, id: ObjectId, path: &[u8]) -> Result<Vec<u8>, GitError> {
        let what = || format!("directory {:?}", String::from_utf8_lossy(path));
        let tree = self.object(id, what)?.try_into_tree();
        let mut tree = tree.map_err(|error| GitError::broken(what(), &error))?;
        Ok(std::mem::take(&mut tree.data))
    }

    /// An object; `what` describes it in the error.
    pub(super) fn object(
        &self,
        id: ObjectId,
        what: impl Fn() -> String,
    ) -> Result<gix::Object<'_>, GitError> {
        let object = self.git.try_find_object(id).map_err(|error| GitError::broken(what(), &error))?;
        object.ok_or_else(|| GitError::MissingObject { what: what(), missing: missing(&self.git, id) })
    }
}

/// The directory that all worktrees of the project's repository share. `None` if there is no repository or it is not
/// trusted.
pub fn common_directory(root: &Root, location: &GitLocation) -> Option<PathBuf> {
    let here = GitLocation { cwd: root.path().to_owned(), ..location.clone() };
    let location = if location.git_dir.is_some() { location } else { &here };
    let objects = open(location, Permissions::isolated()).ok()?;
    Some(real_path(&normalize(&location.cwd.join(objects.open().common_dir()))))
}

/// The directory that git runs hooks from: `core.hooksPath`, or `hooks` in git's own directory. `None` if there is no
/// repository or it is not trusted.
pub fn hooks_directory(root: &Root, location: &GitLocation) -> Option<PathBuf> {
    let here = GitLocation { cwd: root.path().to_owned(), ..location.clone() };
    let location = if location.git_dir.is_some() { location } else { &here };
    let repository = Repository::open(root, location, ConfigSource::User).ok()?;
    let config = repository.git.config_snapshot();
    match config.trusted_path("core.hooksPath").ok().flatten() {
        Some(path) => Some(normalize(&repository.worktree.join(path))),
        None => Some(common_directory(root, location)?.join("hooks")),
    }
}

/// The name of a commit, for reports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommitName {
    /// The first ten digits of the id.
    pub short_id: String,
    /// The branch that is checked out; `None` for another commit.
    pub branch: Option<String>,
}

/// The name of a revision, by default of `HEAD`. `None` if it cannot be read.
pub fn commit_name(root: &Root, location: &GitLocation, revision: Option<&str>) -> Option<CommitName> {
    let here = GitLocation { cwd: root.path().to_owned(), ..location.clone() };
    let location = if location.git_dir.is_some() { location } else { &here };
    let repository = Repository::open(root, location, ConfigSource::Repository).ok()?;
    let commit = revisions::commit(&repository, revision.unwrap_or("HEAD")).ok()?;
    let branch = || Some(repository.git.head_name().ok()??.shorten().to_string());
    let branch = if revision.is_none() { branch() } else { None };
    Some(CommitName { short_id: commit.to_hex_with_len(10).to_string(), branch })
}

fn open(location: &GitLocation, permissions: Permissions) -> Result<Objects, GitError> {
    // Replacement refs are ignored: the committed object counts.
    let options = Options::default()
        .permissions(permissions)
        .bail_if_untrusted(true)
        .config_overrides(["core.useReplaceRefs=false"]);
    let (path, opened) = match &location.git_dir {
        Some(git_dir) => {
            let path = location.cwd.join(git_dir);
            // Like git, trusts a repository that is named explicitly.
            let options = options.with(gix::sec::Trust::Full).open_path_as_is(true);
            let opened = options.open(&path);
            (path, opened)
        }
        None => {
            let trust = Mapping { full: options.clone(), reduced: options };
            let opened = gix::ThreadSafeRepository::discover_opts(&location.cwd, Default::default(), trust);
            (location.cwd.clone(), opened)
        }
    };
    opened.map(Objects::new).map_err(|error| open_error(path, &error))
}

fn open_error(path: PathBuf, error: &gix::Error) -> GitError {
    let io = |error: &(dyn std::error::Error + 'static)| error.is::<std::io::Error>();
    let from_system = error.iter_errors().any(io);
    if error.classify().is_permission_denied() && !from_system {
        let top = path.ancestors().find(|directory| directory.join(".git").exists());
        return GitError::Untrusted(top.unwrap_or(&path).to_owned());
    }
    if error.classify().is_not_found() {
        return GitError::NotARepository(path);
    }
    GitError::Open { path, what: explain(error) }
}

/// The worktree, with git's meaning of `GIT_DIR` and `GIT_WORK_TREE`.
fn worktree(git: &gix::Repository, location: &GitLocation) -> Result<PathBuf, GitError> {
    let bare = || GitError::Bare(git.git_dir().to_owned());
    let worktree = match (&location.work_tree, &location.git_dir) {
        (Some(work_tree), _) => location.cwd.join(work_tree),
        (None, None) => git.workdir().ok_or_else(bare)?.to_owned(),
        (None, Some(_)) => {
            let linked = git.common_dir() != git.git_dir();
            let config = git.config_snapshot();
            if !linked && config.boolean("core.bare").unwrap_or(false) {
                return Err(bare());
            }
            let configured = !linked && config.string("core.worktree").is_some();
            let configured = git.workdir().filter(|_| configured);
            configured.unwrap_or(&location.cwd).to_owned()
        }
    };
    Ok(real_path(&normalize(&location.cwd.join(worktree))))
}

fn nesting(root: &Root, worktree: &Path) -> Result<ProjectNesting, GitError> {
    let prefix = |path: &Path| {
        let mut bytes = RelPath::from_native(path).as_bytes().to_vec();
        if !bytes.is_empty() {
            bytes.push(b'/');
        }
        bytes
    };
    let root = real_path(root.path());
    if let Ok(inside) = root.strip_prefix(worktree) {
        return Ok(ProjectNesting::ProjectInside(prefix(inside)));
    }
    match worktree.strip_prefix(&root) {
        Ok(above) => Ok(ProjectNesting::WorktreeInside(prefix(above))),
        Err(_) => Err(GitError::Elsewhere { root, worktree: worktree.to_owned() }),
    }
}

/// The files that are read to open a repository, and its index.
const OPENED_FILES: [&str; 5] = ["HEAD", "config", "config.worktree", "commondir", "index"];

/// The largest `.git` file, in bytes, as in git.
const MAX_GIT_FILE: u64 = 1 << 20;

/// A FIFO or device where git expects a file, which would block its reader forever. A clone cannot contain one, but
/// an archive can.
pub(super) fn non_regular_file(top: &Path) -> Option<PathBuf> {
    let dot_git = top.join(".git");
    let git_dir = match fs::metadata(&dot_git) {
        Ok(metadata) if metadata.is_dir() => dot_git,
        Ok(metadata) if metadata.is_file() && metadata.len() <= MAX_GIT_FILE => {
            let mut text = Vec::new();
            File::open(&dot_git).ok()?.take(MAX_GIT_FILE).read_to_end(&mut text).ok()?;
            let path = text.strip_prefix(b"gitdir:")?.trim_ascii();
            top.join(gix::path::from_byte_slice(path).ok()?)
        }
        Ok(_) => return Some(dot_git),
        Err(_) => return None,
    };
    let is_special = |path: &PathBuf| fs::metadata(path).is_ok_and(|file| !file.is_file() && !file.is_dir());
    OPENED_FILES.iter().map(|name| git_dir.join(name)).find(is_special)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn finds_special_file_of_repository() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let top = directory.path();
        assert_eq!(non_regular_file(top), None);
        fs::create_dir_all(top.join("real")).expect("created");
        fs::write(top.join("real/HEAD"), "ref: refs/heads/main").expect("written");
        symlink("real", top.join(".git")).expect("linked");
        assert_eq!(non_regular_file(top), None);
        symlink("/dev/zero", top.join("real/config")).expect("linked");
        assert_eq!(non_regular_file(top), Some(top.join(".git/config")));
        fs::remove_file(top.join(".git")).expect("removed");
        fs::write(top.join(".git"), "gitdir: real\n").expect("written");
        assert_eq!(non_regular_file(top), Some(top.join("real/config")));
        fs::remove_file(top.join(".git")).expect("removed");
        symlink("/dev/zero", top.join(".git")).expect("linked");
        assert_eq!(non_regular_file(top), Some(top.join(".git")));
    }
}
