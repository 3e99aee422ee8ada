//! Decides what git excludes from a worktree: `.gitignore` files, `info/exclude` and the user's excludes file.
//!
//! A tracked file is never excluded. The index is read when the first rule matches, not before.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gix::bstr::ByteSlice;
use gix::glob::pattern::Case;
use gix::open::{Options, Permissions, permissions};
use gix::sec::trust::Mapping;

use crate::path::RelPath;

use super::GitLocation;
use super::error::explain;
use super::repository::non_regular_file;
pub(in crate::source) use super::rules::PathKind;
use super::rules::{IgnoreRules, RuleVerdict};

/// The worktrees met so far, each opened once.
pub(in crate::source) struct Worktrees<'a> {
    location: &'a GitLocation,
    opened: Mutex<HashMap<PathBuf, Option<Arc<WorktreeRules>>>>,
}

impl<'a> Worktrees<'a> {
    pub(in crate::source) fn new(location: &'a GitLocation) -> Self {
        Self { location, opened: Mutex::new(HashMap::new()) }
    }

    /// The worktree whose top is `directory`, which has no links in its path; `None` if there is no repository.
    /// `outer` is the worktree that contains it.
    pub(in crate::source) fn at(
        &self,
        directory: &Path,
        outer: Option<&WorktreeDirectory>,
    ) -> Option<WorktreeDirectory> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let known = match opened.get(directory) {
            Some(known) => known.clone(),
            None => {
                // A nested repository may have come with an archive and could include any file.
                let follows_includes = outer.is_none();
                let worktree = WorktreeRules::open(directory, self.location, follows_includes).map(Arc::new);
                opened.insert(directory.to_owned(), worktree.clone());
                worktree
            }
        };
        known.map(|worktree| WorktreeDirectory { worktree, path: Vec::new(), rules: None })
    }

    /// `directory` as part of a worktree further up, with all rules on the way.
    pub(in crate::source) fn above(&self, directory: &Path) -> Option<WorktreeDirectory> {
        let (here, _) = self.descend(directory.parent()?, directory)?;
        Some(here)
    }

    /// Whether git excludes the file at `path`, which has no links in it.
    pub(in crate::source) fn leave_out(&self, path: &Path) -> Result<bool, String> {
        let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else { return Ok(false) };
        let Some((mut here, is_excluded)) = self.descend(directory, directory) else { return Ok(false) };
        here.read_rules_in(directory);
        let name = name.as_encoded_bytes();
        let is_excluded = is_excluded || here.excludes(name, PathKind::File);
        Ok(is_excluded && !here.tracks(name)? && !self.is_tracked_further_out(path, &here))
    }

    /// Whether a repository around the innermost one, in which the file is at `here`, tracks the file.
    fn is_tracked_further_out(&self, path: &Path, here: &WorktreeDirectory) -> bool {
        let depth = here.path.iter().filter(|&&byte| byte == b'/').count() + 1;
        let outer = path.ancestors().skip(depth + 1).filter(|top| top.join(".git").exists());
        let mut tracks = outer.filter_map(|top| {
            let inside = RelPath::from_native(path.strip_prefix(top).ok()?);
            self.at(top, None)?.tracks(inside.as_bytes()).ok()
        });
        tracks.any(|tracks| tracks)
    }

    /// The files of `paths` that are in a worktree and that git does not track, by whether git
    /// excludes them. Directories are resolved once each; they may be missing.
    pub(in crate::source) fn untracked_of<'p>(
        &self,
        paths: impl Iterator<Item = &'p Path>,
        are: Untracked,
    ) -> Vec<&'p Path> {
        let mut directories: HashMap<&'p Path, Option<(WorktreeDirectory, bool)>> = HashMap::new();
        let mut is_wanted = |path: &'p Path| {
            let (directory, name) = (path.parent()?, path.file_name()?.as_encoded_bytes());
            let find = || {
                let real = directory.ancestors().find_map(|above| {
                    let missing = directory.strip_prefix(above).ok()?;
                    Some((above.canonicalize().ok()?, missing))
                });
                let (existing, missing) = real?;
                let real = existing.join(missing);
                let (mut here, is_excluded) = self.descend(&existing, &real)?;
                here.read_rules_in(&real);
                Some((here, is_excluded))
            };
            let (here, is_excluded) = directories.entry(directory).or_insert_with(find).as_ref()?;
            let is_excluded = *is_excluded || here.excludes(name, PathKind::File);
            // An unreadable index is reported where files are listed.
            Some((is_excluded == (are == Untracked::Ignored)) && !here.tracks(name).unwrap_or(true))
        };
        paths.filter(|path| is_wanted(path) == Some(true)).collect()
    }

    /// `directory` in the innermost worktree with its top at `start` or above, with the rules of all directories
    /// between them, and whether these rules exclude it.
    fn descend(&self, start: &Path, directory: &Path) -> Option<(WorktreeDirectory, bool)> {
        let holds_repository = |top: &&Path| top.join(".git").symlink_metadata().is_ok();
        let mut tops = start.ancestors().filter(holds_repository);
        let (top, mut here) = tops.find_map(|top| Some((top, self.at(top, None)?)))?;
        let mut above = top.to_owned();
        let mut is_excluded = false;
        for part in directory.strip_prefix(top).ok()?.components() {
            here.read_rules_in(&above);
            let name = RelPath::from_native(part.as_ref());
            is_excluded = is_excluded || here.excludes(name.as_bytes(), PathKind::Directory);
            above.push(part);
            here = here.child(name.as_bytes());
        }
        Some((here, is_excluded))
    }
}

/// Kinds of files that git does not track.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Untracked {
    /// Git ignores them.
    Ignored,
    /// `git add` would add them.
    New,
}

/// A worktree, with the rules that apply to all of it.
struct WorktreeRules {
    case: Case,
    /// `info/exclude` and the user's excludes file.
    shared: Vec<IgnoreRules>,
    /// The path of the index, or why it is unknown.
    index_file: Result<PathBuf, String>,
    hash: gix::hash::Kind,
    index: OnceLock<Result<gix::index::State, String>>,
}

impl WorktreeRules {
    /// The worktree at `top`; `None` if there is no repository.
    fn open(top: &Path, location: &GitLocation, follows_includes: bool) -> Option<Self> {
        if let Some(special) = non_regular_file(top) {
            return Some(Self::unknown(format!("{} is not a regular file", special.display())));
        }
        let options = |follow: bool| {
            let config = permissions::Config { includes: follow, ..permissions::Config::all() };
            Options::default().permissions(Permissions { config, ..Permissions::all() })
        };
        // The owner of the repository decides whether its includes are followed.
        let trust = Mapping { full: options(follows_includes), reduced: options(false) };
        match gix::ThreadSafeRepository::discover_opts(top, Default::default(), trust) {
            Ok(repository) => Self::of(&repository.to_thread_local(), top, location),
            Err(error) if error.classify().is_not_found() => None,
            Err(error) => Some(Self::unknown(explain(&error))),
        }
    }

    /// A worktree whose repository cannot be opened: only its `.gitignore` files apply.
    fn unknown(why: String) -> Self {
        Self {
            case: Case::Sensitive,
            shared: Vec::new(),
            index_file: Err(why),
            hash: gix::hash::Kind::Sha1,
            index: OnceLock::new(),
        }
    }

    fn of(git: &gix::Repository, top: &Path, location: &GitLocation) -> Option<Self> {
        let is_here = |path: &Path| path.canonicalize().is_ok_and(|path| path == top);
        // Discovery goes upwards if `.git` is not a repository here.
        let git_dir = git.git_dir();
        let has_own = is_here(git_dir.parent()?) || git.workdir().is_some_and(is_here);
        if !has_own {
            return None;
        }
        let config = git.config_snapshot();
        let case = match config.boolean("core.ignoreCase") {
            Some(true) => Case::Fold,
            Some(false) | None => Case::Sensitive,
        };
        let configured = config.trusted_path("core.excludesFile").ok().flatten();
        let by_default = || Some(location.config_home.as_ref()?.join("git/ignore"));
        let excludes_file = configured.map(|path| top.join(path)).or_else(by_default);
        let files = [Some(git.common_dir().join("info/exclude")), excludes_file];
        Some(Self {
            case,
            shared: files.iter().flatten().filter_map(|file| IgnoreRules::read(file, case)).collect(),
            index_file: Ok(git_dir.join("index")),
            hash: git.object_hash(),
            index: OnceLock::new(),
        })
    }

    /// The index, or why it cannot be read.
    fn index(&self) -> Result<&gix::index::State, String> {
        let read = || {
            let path = self.index_file.clone()?;
            let index = gix::index::File::at_or_default(path, self.hash, true, Default::default());
            index.map(gix::index::State::from).map_err(|error| explain(&error))
        };
        self.index.get_or_init(read).as_ref().map_err(|error| {
            format!("cannot tell which ignored files are tracked: {error}; see `git status`")
        })
    }
}

/// The rules of one directory. Those of the directory above have lower precedence.
struct RuleLevel {
    rules: IgnoreRules,
    /// The length of the directory's path, with the final `/`.
    base: usize,
    above: Option<Arc<RuleLevel>>,
}

/// A directory in a worktree.
#[derive(Clone)]
pub(in crate::source) struct WorktreeDirectory {
    worktree: Arc<WorktreeRules>,
    /// The path in the worktree, empty or with a final `/`.
    path: Vec<u8>,
    rules: Option<Arc<RuleLevel>>,
}

/// What git tracks at a directory's path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::source) enum TrackedIn {
    Nothing,
    Files,
    /// The directory is a submodule.
    Submodule,
}

impl WorktreeDirectory {
    /// The path in the worktree, empty or with a final `/`.
    pub(in crate::source) fn path(&self) -> &[u8] {
        &self.path
    }

    /// Whether the repository can be opened.
    pub(in crate::source) fn has_repository(&self) -> bool {
        self.worktree.index_file.is_ok()
    }

    /// The directory `name` in this one.
    pub(in crate::source) fn child(&self, name: &[u8]) -> Self {
        Self { path: [&self.path, name, b"/"].concat(), ..self.clone() }
    }

    /// Adds the rules of the `.gitignore` in this directory. Like git, does not follow a link.
    pub(in crate::source) fn read_rules_in(&mut self, directory: &Path) {
        let file = directory.join(".gitignore");
        if file.symlink_metadata().is_ok_and(|file| file.is_file())
            && let Some(rules) = IgnoreRules::read(&file, self.worktree.case)
        {
            self.rules = Some(Arc::new(RuleLevel { rules, base: self.path.len(), above: self.rules.take() }));
        }
    }

    /// Whether the rules exclude `name` in this directory.
    pub(in crate::source) fn excludes(&self, name: &[u8], kind: PathKind) -> bool {
        let mut levels =
            std::iter::successors(self.rules.as_deref(), |level| level.above.as_deref()).peekable();
        if levels.peek().is_none() && self.worktree.shared.is_empty() {
            return false;
        }
        let path = [&self.path, name].concat();
        let of_level =
            |level: &RuleLevel| level.rules.verdict(&path[level.base..], self.path.len() - level.base, kind);
        let of_all =
            || self.worktree.shared.iter().find_map(|rules| rules.verdict(&path, self.path.len(), kind));
        levels.find_map(of_level).or_else(of_all) == Some(RuleVerdict::Excluded)
    }

    /// Whether git tracks the file `name` in this directory, in any stage.
    pub(in crate::source) fn tracks(&self, name: &[u8]) -> Result<bool, String> {
        let path = [&self.path, name].concat();
        Ok(self.worktree.index()?.entry_range(path.as_bstr()).is_some())
    }

    /// What git tracks at the directory `name` in this one.
    pub(in crate::source) fn tracked_in(&self, name: &[u8]) -> Result<TrackedIn, String> {
        let index = self.worktree.index()?;
        let inside = [&self.path, name, b"/"].concat();
        let itself = index.entry_by_path(inside[..inside.len() - 1].as_bstr());
        if itself.is_some_and(|entry| entry.mode.is_submodule()) {
            return Ok(TrackedIn::Submodule);
        }
        // A sparse entry stands for files that are not checked out.
        let mut below = index.prefixed_entries(inside.as_bstr()).unwrap_or_default().iter();
        Ok(if below.any(|entry| !entry.mode.is_sparse()) { TrackedIn::Files } else { TrackedIn::Nothing })
    }
}
