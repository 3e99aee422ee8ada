//! What git leaves out of a worktree although it is there: the rules of `.gitignore` files, of `info/exclude` and of the
//! user's excludes file.
//!
//! A file that git tracks is never left out. So the index is read once a rule matches something, and not before.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gix::bstr::ByteSlice;
use gix::glob::pattern::Case;
use gix::open::{Options, Permissions, permissions};
use gix::sec::trust::Mapping;

use crate::path::RelPath;

use super::error::explain;
pub(in crate::source) use super::rules::Kind;
use super::rules::{Rules, Verdict};
use super::{Location, special};

/// The worktrees that were met, each opened once.
pub(in crate::source) struct Worktrees<'a> {
    location: &'a Location,
    opened: Mutex<HashMap<PathBuf, Option<Arc<Worktree>>>>,
}

impl<'a> Worktrees<'a> {
    pub(in crate::source) fn new(location: &'a Location) -> Self {
        Self { location, opened: Mutex::new(HashMap::new()) }
    }

    /// The top of the worktree at `directory`, which has no links in its path and may be in another worktree, if there is
    /// a repository.
    pub(in crate::source) fn at(
        &self,
        directory: &Path,
        outer: Option<&WorktreeDirectory>,
    ) -> Option<WorktreeDirectory> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let known = match opened.get(directory) {
            Some(known) => known.clone(),
            None => {
                let configuration = match outer {
                    None => Configuration::Whole,
                    Some(_) => Configuration::WithoutIncludes,
                };
                let worktree = Worktree::open(directory, self.location, configuration).map(Arc::new);
                opened.insert(directory.to_owned(), worktree.clone());
                worktree
            }
        };
        known.map(|worktree| WorktreeDirectory { worktree, path: Vec::new(), rules: None })
    }

    /// Where `directory`, which has no links in its path, is in a worktree above it.
    pub(in crate::source) fn above(&self, directory: &Path) -> Option<WorktreeDirectory> {
        let holds_repository = |top: &&Path| top.join(".git").symlink_metadata().is_ok();
        let mut tops = directory.ancestors().skip(1).filter(holds_repository);
        let (top, mut here) = tops.find_map(|top| Some((top, self.at(top, None)?)))?;
        let mut above = top.to_owned();
        for name in directory.strip_prefix(top).ok()?.components() {
            here.read_rules_in(&above);
            above.push(name);
            here = here.child(RelPath::from_native(name.as_ref()).as_bytes());
        }
        Some(here)
    }
}

impl Worktrees<'_> {
    /// Does git leave out the file at `path`, which has no links in its path? One that is tracked is not left out.
    pub(in crate::source) fn leave_out(&self, path: &Path) -> Result<bool, String> {
        let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else { return Ok(false) };
        let holds_repository = |top: &&Path| top.join(".git").symlink_metadata().is_ok();
        let mut tops = directory.ancestors().filter(holds_repository);
        let found = tops.find_map(|top| Some((top, self.at(top, None)?)));
        let Some((top, mut here)) = found else { return Ok(false) };
        let mut at = top.to_owned();
        let mut is_excluded = false;
        for part in directory.strip_prefix(top).unwrap_or(Path::new("")).components() {
            here.read_rules_in(&at);
            let name = RelPath::from_native(part.as_ref());
            is_excluded |= here.excludes(name.as_bytes(), Kind::Directory);
            at.push(part);
            here = here.child(name.as_bytes());
        }
        here.read_rules_in(&at);
        let name = name.as_encoded_bytes();
        Ok((is_excluded || here.excludes(name, Kind::File)) && !here.tracks(name)?)
    }
}

/// How much of a repository's configuration is read.
#[derive(Clone, Copy)]
enum Configuration {
    /// All of it, as git does.
    Whole,
    /// Only what is in its own files: a repository inside another one may have come with an archive, and could name any
    /// file.
    WithoutIncludes,
}

/// The worktree of a repository, and what it leaves out everywhere.
struct Worktree {
    case: Case,
    /// `info/exclude`, and the user's excludes file.
    shared: Vec<Rules>,
    /// Where the index is, or why that is not known.
    index_file: Result<PathBuf, String>,
    hash: gix::hash::Kind,
    index: OnceLock<Result<gix::index::State, String>>,
}

impl Worktree {
    /// The worktree at `top`; none when there is no repository.
    fn open(top: &Path, location: &Location, configuration: Configuration) -> Option<Self> {
        if let Some(special) = special::find(top) {
            return Some(Self::unknown(format!("{} is not a regular file", special.display())));
        }
        let options = |follow: bool| {
            let config = permissions::Config { includes: follow, ..permissions::Config::all() };
            Options::default().permissions(Permissions { config, ..Permissions::all() })
        };
        let follow = matches!(configuration, Configuration::Whole);
        // Who owns the repository decides what is believed of its configuration.
        let trust = Mapping { full: options(follow), reduced: options(false) };
        match gix::ThreadSafeRepository::discover_opts(top, Default::default(), trust) {
            Ok(repository) => Self::of(&repository.to_thread_local(), top, location),
            Err(error) if error.classify().is_not_found() => None,
            Err(error) => Some(Self::unknown(explain(&error))),
        }
    }

    /// A worktree of which only `.gitignore` files are known, for this reason.
    fn unknown(why: String) -> Self {
        Self {
            case: Case::Sensitive,
            shared: Vec::new(),
            index_file: Err(why),
            hash: gix::hash::Kind::Sha1,
            index: OnceLock::new(),
        }
    }

    fn of(git: &gix::Repository, top: &Path, location: &Location) -> Option<Self> {
        let is_here = |path: &Path| path.canonicalize().is_ok_and(|path| path == top);
        // What was found may be a repository above, if `.git` is something else here.
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
            shared: files.iter().flatten().filter_map(|file| Rules::read(file, case)).collect(),
            index_file: Ok(git_dir.join("index")),
            hash: git.object_hash(),
            index: OnceLock::new(),
        })
    }

    /// What git tracks here, or why that is not known.
    fn index(&self) -> Result<&gix::index::State, String> {
        let read = || {
            let path = self.index_file.clone()?;
            let index = gix::index::File::at_or_default(path, self.hash, true, Default::default());
            index.map(gix::index::State::from).map_err(|error| explain(&error))
        };
        self.index.get_or_init(read).as_ref().map_err(|error| {
            format!("cannot tell which of the files that git ignores are tracked: {error}; see what `git status` says")
        })
    }
}

/// The rules of one directory, before those of the directories it is in.
struct Level {
    rules: Rules,
    /// How long the path of the directory is, with the final `/`.
    base: usize,
    above: Option<Arc<Level>>,
}

/// A directory in a worktree.
#[derive(Clone)]
pub(in crate::source) struct WorktreeDirectory {
    worktree: Arc<Worktree>,
    /// Its path in the worktree, empty or with a final `/`.
    path: Vec<u8>,
    rules: Option<Arc<Level>>,
}

/// What git tracks in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::source) enum TrackedIn {
    Nothing,
    Files,
    /// The directory itself, as a submodule.
    Submodule,
}

impl WorktreeDirectory {
    /// Its path in the worktree, empty or with a final `/`.
    pub(in crate::source) fn path(&self) -> &[u8] {
        &self.path
    }

    /// Is it in a repository that can be read?
    pub(in crate::source) fn has_repository(&self) -> bool {
        self.worktree.index_file.is_ok()
    }

    /// The directory of this name in it.
    pub(in crate::source) fn child(&self, name: &[u8]) -> Self {
        Self { path: [&self.path, name, b"/"].concat(), ..self.clone() }
    }

    /// Adds the rules of the `.gitignore` in this directory. Git does not follow a link there.
    pub(in crate::source) fn read_rules_in(&mut self, directory: &Path) {
        let file = directory.join(".gitignore");
        if file.symlink_metadata().is_ok_and(|file| file.is_file())
            && let Some(rules) = Rules::read(&file, self.worktree.case)
        {
            self.rules = Some(Arc::new(Level { rules, base: self.path.len(), above: self.rules.take() }));
        }
    }

    /// Do the rules leave out what has this name here?
    pub(in crate::source) fn excludes(&self, name: &[u8], kind: Kind) -> bool {
        let mut levels =
            std::iter::successors(self.rules.as_deref(), |level| level.above.as_deref()).peekable();
        if levels.peek().is_none() && self.worktree.shared.is_empty() {
            return false;
        }
        let path = [&self.path, name].concat();
        let of_level =
            |level: &Level| level.rules.verdict(&path[level.base..], self.path.len() - level.base, kind);
        let of_all =
            || self.worktree.shared.iter().find_map(|rules| rules.verdict(&path, self.path.len(), kind));
        levels.find_map(of_level).or_else(of_all) == Some(Verdict::Excluded)
    }

    /// Does git track the file of this name here? One with a conflict is tracked in several stages.
    pub(in crate::source) fn tracks(&self, name: &[u8]) -> Result<bool, String> {
        let path = [&self.path, name].concat();
        Ok(self.worktree.index()?.entry_range(path.as_bstr()).is_some())
    }

    /// What git tracks in the directory of this name here.
    pub(in crate::source) fn tracked_in(&self, name: &[u8]) -> Result<TrackedIn, String> {
        let index = self.worktree.index()?;
        let inside = [&self.path, name, b"/"].concat();
        let itself = index.entry_by_path(inside[..inside.len() - 1].as_bstr());
        if itself.is_some_and(|entry| entry.mode.is_submodule()) {
            return Ok(TrackedIn::Submodule);
        }
        // The directory itself may be an entry that stands for files that are not checked out.
        let mut below = index.prefixed_entries(inside.as_bstr()).unwrap_or_default().iter();
        Ok(if below.any(|entry| !entry.mode.is_sparse()) { TrackedIn::Files } else { TrackedIn::Nothing })
    }
}
