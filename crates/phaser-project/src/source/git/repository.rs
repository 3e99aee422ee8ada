//! Finds and opens the repository as git would, and maps its paths to the project's.
//!
//! Reads the user's configuration only where it decides something: whether a repository of somebody else is trusted
//! (`safe.directory`), and how files of the worktree are stored. Reads no file of the project.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::open::{Options, Permissions};
use gix::sec::trust::Mapping;

use crate::path::{RelPath, Root, normalize, real_path};

use super::blob::{Objects, missing, remember_bases};
use super::error::explain;
use super::{Error, Location};

/// How many bytes of trees are remembered, for whoever compares one after another.
const CACHED_TREES: usize = 16 << 20;

/// An open repository with a worktree.
pub(super) struct Repository {
    pub(super) git: gix::Repository,
    pub(super) objects: Objects,
    pub(super) worktree: PathBuf,
    pub(super) index_file: PathBuf,
    pub(super) nesting: Nesting,
}

/// How the project and the worktree stand in each other; both prefixes are empty, or end in `/`.
#[derive(Debug, Clone)]
pub(super) enum Nesting {
    /// The project is the directory of this prefix.
    ProjectInside(Vec<u8>),
    /// The worktree is the directory of this prefix in the project.
    WorktreeInside(Vec<u8>),
}

impl Nesting {
    /// The path in the worktree of a file of the project, if it is in the worktree.
    pub(super) fn path_in_worktree<'p>(&self, path: &'p [u8]) -> Option<Cow<'p, [u8]>> {
        match self {
            Self::ProjectInside(prefix) if prefix.is_empty() => Some(Cow::Borrowed(path)),
            Self::ProjectInside(prefix) => Some(Cow::Owned([prefix, path].concat())),
            Self::WorktreeInside(prefix) => path.strip_prefix(prefix.as_slice()).map(Cow::Borrowed),
        }
    }
}

/// Whose configuration is read.
#[derive(Clone, Copy)]
pub(super) enum Configuration {
    /// The repository's own.
    Repository,
    /// The user's and the system's as well.
    Everybody,
}

impl Repository {
    pub(super) fn open(
        root: &Root,
        location: &Location,
        configuration: Configuration,
    ) -> Result<Self, Error> {
        let own = match configuration {
            Configuration::Repository => open(location, Permissions::isolated()),
            Configuration::Everybody => open(location, Permissions::all()),
        };
        let objects = match own {
            Err(Error::Untrusted(_)) => open(location, Permissions::all())?,
            opened => opened?,
        };
        let mut git = objects.open();
        let worktree = worktree(&git, location)?;
        if git.workdir().is_some_and(|known| known != worktree) {
            // Where it cannot be read, nothing that is in it will be.
            _ = git.set_workdir(worktree.clone());
        }
        let index_file = match &location.index_file {
            // Git goes to the top of the worktree before it looks at this variable.
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

    /// Remembers objects that were read, for whoever reads many that are alike.
    pub(super) fn with_caches(mut self) -> Self {
        self.git.object_cache_size_if_unset(CACHED_TREES);
        remember_bases(&mut self.git);
        self
    }

    /// The path of a file as the project sees it, if it is in the project.
    pub(super) fn project_path(&self, path: &[u8]) -> Option<RelPath> {
        match &self.nesting {
            Nesting::ProjectInside(prefix) => path.strip_prefix(prefix.as_slice()).map(RelPath::from_bytes),
            Nesting::WorktreeInside(prefix) => Some(RelPath::from_bytes([prefix, path].concat())),
        }
    }

    /// The path in the worktree of a file of the project, if it is in the worktree.
    pub(super) fn path_in_worktree(&self, path: &RelPath) -> Option<Vec<u8>> {
        self.nesting.path_in_worktree(path.as_bytes()).map(Cow::into_owned)
    }

    /// Is this file or directory the project, or in it?
    pub(super) fn is_in_project(&self, path: &[u8]) -> bool {
        match &self.nesting {
            Nesting::ProjectInside(prefix) => {
                path.starts_with(prefix) || prefix.strip_suffix(b"/").is_some_and(|project| project == path)
            }
            Nesting::WorktreeInside(_) => true,
        }
    }

    /// Does the worktree hold the whole project?
    pub(super) fn holds_project(&self) -> bool {
        match &self.nesting {
            Nesting::ProjectInside(_) => true,
            Nesting::WorktreeInside(prefix) => prefix.is_empty(),
        }
    }

    /// The index; empty when there is none yet.
    pub(super) fn index(&self) -> Result<gix::index::File, Error> {
        // The checksum is not verified, which is what git does: it would take longer than everything else.
        gix::index::File::at_or_default(&self.index_file, self.git.object_hash(), true, Default::default())
            .map_err(|error| Error::Index { path: self.index_file.clone(), what: explain(&error) })
    }

    /// The commit that is checked out; none before the first one.
    pub(super) fn head(&self) -> Result<Option<ObjectId>, Error> {
        let head = self.git.head().map_err(|error| match error.classify().is_unsupported() {
            true => Error::ReferenceFormat(self.git.git_dir().to_owned()),
            false => Error::broken("HEAD", &error),
        })?;
        Ok(head.id().map(gix::Id::detach))
    }

    /// The tree of a commit.
    pub(super) fn commit_tree(&self, commit: ObjectId) -> Result<ObjectId, Error> {
        let what = || format!("commit {commit}");
        let object = self.object(commit, what)?;
        let tree = object.try_into_commit().and_then(|commit| Ok(commit.tree_id()?.detach()));
        tree.map_err(|error| Error::broken(what(), &error))
    }

    /// The bytes of the tree that stands at `path`.
    pub(super) fn tree(&self, id: ObjectId, path: &[u8]) -> Result<Vec<u8>, Error> {
        let what = || format!("directory {:?}", String::from_utf8_lossy(path));
        let tree = self.object(id, what)?.try_into_tree();
        let mut tree = tree.map_err(|error| Error::broken(what(), &error))?;
        Ok(std::mem::take(&mut tree.data))
    }

    /// An object; `what` it is for.
    pub(super) fn object(&self, id: ObjectId, what: impl Fn() -> String) -> Result<gix::Object<'_>, Error> {
        let object = self.git.try_find_object(id).map_err(|error| Error::broken(what(), &error))?;
        object.ok_or_else(|| Error::MissingObject { what: what(), missing: missing(&self.git, id) })
    }
}

/// The directory that all worktrees of the project's repository share; none if there is no repository, or one that belongs
/// to somebody else.
pub fn common_directory(root: &Root, location: &Location) -> Option<PathBuf> {
    let here = Location { cwd: root.path().to_owned(), ..location.clone() };
    let location = if location.git_dir.is_some() { location } else { &here };
    let objects = open(location, Permissions::isolated()).ok()?;
    Some(real_path(&normalize(&location.cwd.join(objects.open().common_dir()))))
}

fn open(location: &Location, permissions: Permissions) -> Result<Objects, Error> {
    // What is committed is the object itself, whatever the user has put in its place to look at.
    let options = Options::default()
        .permissions(permissions)
        .bail_if_untrusted(true)
        .config_overrides(["core.useReplaceRefs=false"]);
    let (path, opened) = match &location.git_dir {
        Some(git_dir) => {
            let path = location.cwd.join(git_dir);
            // Who names the repository trusts it; git does not ask either.
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

fn open_error(path: PathBuf, error: &gix::Error) -> Error {
    let io = |error: &(dyn std::error::Error + 'static)| error.is::<std::io::Error>();
    let from_system = error.iter_errors().any(io);
    if error.classify().is_permission_denied() && !from_system {
        let top = path.ancestors().find(|directory| directory.join(".git").exists());
        return Error::Untrusted(top.unwrap_or(&path).to_owned());
    }
    if error.classify().is_not_found() {
        return Error::NotARepository(path);
    }
    Error::Open { path, what: explain(error) }
}

/// The worktree, as git finds it when its own variables are set.
fn worktree(git: &gix::Repository, location: &Location) -> Result<PathBuf, Error> {
    let bare = || Error::Bare(git.git_dir().to_owned());
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

fn nesting(root: &Root, worktree: &Path) -> Result<Nesting, Error> {
    let prefix = |path: &Path| {
        let mut bytes = RelPath::from_native(path).as_bytes().to_vec();
        if !bytes.is_empty() {
            bytes.push(b'/');
        }
        bytes
    };
    let root = real_path(root.path());
    if let Ok(inside) = root.strip_prefix(worktree) {
        return Ok(Nesting::ProjectInside(prefix(inside)));
    }
    match worktree.strip_prefix(&root) {
        Ok(above) => Ok(Nesting::WorktreeInside(prefix(above))),
        Err(_) => Err(Error::Elsewhere { root, worktree: worktree.to_owned() }),
    }
}
