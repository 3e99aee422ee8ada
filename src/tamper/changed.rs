//! The files of enforcement that a command or a turn changed, with their previous versions.
//!
//! They are found by name, whether git ignores them or not, and judged by the contents that a name leads to. A file may
//! have changed if it, the file that it leads to, or a link or moved directory on the way has a ctime in the window; a
//! missing one, if the directory that it was in has. The previous version comes from the commit that was checked out at
//! the start ([`PreviousSettings`]). Example: `ln -sf ../../weak.yaml .claude/contracts/no-eval.yaml && git commit -qam x`.
//!
//! | path                            | on disk            | in the commit at the start | result                   |
//! |---------------------------------|--------------------|----------------------------|--------------------------|
//! | `.claude/contracts/no-eval.yaml` | text of `weak.yaml` | the old text               | compared                 |
//! | `.claude/contracts/no-drop.yaml` | not in the window   | the same text              | not a candidate          |
//! | `.claude/phaser.yaml`, ignored   | a text              | nothing                    | changed in an unknown way |

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use phaser_project::contracts::read::files;
use phaser_project::path::{
    BASELINE, CONFIG, PROJECT_CONTRACTS, RelPath, SETTINGS, TOP_BASELINE, TOP_CONFIG, real_path,
};
use phaser_project::project::load::{Load, Settings, folders_above};
use phaser_project::source::git::{self, GitError, GitLocation, PreviousSettings, Untracked};
use phaser_project::source::tree::changed_at;
use phaser_project::source::{Content, Reader, Targets};

use super::{CLAUDE_SETTINGS, Protection, Rewritten, is_enforcement_path, shown, written_path};

/// The largest file of enforcement, in bytes: the largest baseline.
const MAX_SIZE: u64 = 64 << 20;

/// Changed files of enforcement.
#[derive(Debug, Default)]
pub struct ChangedFiles {
    /// The changes, once per state before: the first is the commit at the start.
    pub since: Vec<Vec<Rewritten>>,
    /// Sentences about changes whose previous version is not known.
    pub unknown: Vec<String>,
}

/// The time in which files changed.
#[derive(Debug, Clone, Copy)]
struct TimeWindow(Option<SystemTime>);

impl TimeWindow {
    fn has(self, time: Option<SystemTime>) -> bool {
        match (self.0, time) {
            (Some(since), Some(time)) => time >= since,
            (None, _) | (_, None) => true,
        }
    }

    /// Whether a file may have changed, or its place: `above` does not count, only what is below.
    fn has_file(self, path: &Path, above: &Path) -> bool {
        let real = real_path(path);
        let is_recent = |path: &Path| {
            let metadata = path.symlink_metadata();
            metadata.is_ok_and(|metadata| {
                let is_changed = self.has(changed_at(&metadata));
                // A directory also changes with its entries. Then its mtime does, too.
                is_changed && (!metadata.is_dir() || self.0.is_none() || !self.has(metadata.modified().ok()))
            })
        };
        let spelled = path.ancestors().take_while(|part| *part != above);
        let led_to = real.ancestors().take_while(|part| !above.starts_with(part));
        // A link may have lost the file that it led to.
        let lost =
            || !path.exists() && written_path(path).parent().is_some_and(|parent| self.has_directory(parent));
        spelled.chain(led_to).any(is_recent) || lost()
    }

    /// Whether a directory, or the nearest one above that exists, changed.
    fn has_directory(self, directory: &Path) -> bool {
        let metadata = directory.ancestors().find_map(|directory| directory.metadata().ok());
        metadata.is_some_and(|metadata| self.has(changed_at(&metadata)))
    }
}

impl Protection<'_> {
    /// The files of enforcement that changed since `since`; all that differ from the last commit if it is not known.
    /// `targets` are the other files that changed.
    pub fn changed_since(
        &self,
        since: Option<SystemTime>,
        location: &GitLocation,
        targets: &Targets,
    ) -> ChangedFiles {
        let window = TimeWindow(since);
        let folders = self.folders_around(targets);
        let places = Places::new(self, &folders);
        let mut recent: BTreeSet<PathBuf> = BTreeSet::new();
        for file in places.files() {
            if window.has_file(&file, self.root.path()) {
                recent.insert(file);
            }
        }
        // The project's repository counts, wherever the command left the shell.
        let location = match location.git_dir {
            Some(_) => location.clone(),
            None => GitLocation { cwd: self.root.path().to_owned(), ..location.clone() },
        };
        let has_changed_directories = targets.walked.as_ref().is_some_and(|walked| walked.has_changed);
        let may_be_gone = has_changed_directories
            || places.directories().iter().any(|directory| window.has_directory(directory))
            || window.has_directory(self.root.path())
            || since.is_none_or(|since| git::may_have_changed(self.root, &location, since));
        if recent.is_empty() && !may_be_gone {
            return ChangedFiles::default();
        }
        let previous = match PreviousSettings::open(self.root, &location, since) {
            Ok(previous) => Some(previous),
            Err(GitError::NotARepository(_)) => None,
            // The same error is a gap of the sweep.
            Err(_) => return ChangedFiles::default(),
        };
        let mut changed = ChangedFiles::default();
        let mut known: Vec<(PathBuf, Vec<Option<Vec<u8>>>)> = Vec::new();
        if let Some(previous) = &previous {
            let is_wanted = |path: &[u8]| places.has(self, path);
            for path in previous.paths(is_wanted) {
                let file = self.root.path().join(path.to_native());
                let is_gone = read(&file).is_none();
                let parent = file.parent().unwrap_or(self.root.path());
                if recent.remove(&file) || (is_gone && window.has_directory(parent)) {
                    known.push((file, previous.file(&path).versions));
                }
            }
        }
        let states = previous.as_ref().map_or(0, PreviousSettings::states).max(1);
        let mut unknown: Vec<PathBuf> = Vec::new();
        for file in recent {
            // A link on the way may lead to a file that git knows by another name.
            let real = real_path(&file);
            let by_real = previous.as_ref().filter(|_| self.root.contains(&real));
            let by_real = by_real.map(|previous| previous.file(&self.root.relative(&real)).versions);
            let versions = by_real.filter(|versions| versions.iter().any(Option::is_some));
            if versions.is_none() && !is_without_hooks(&file) {
                unknown.push(file.clone());
            }
            known.push((file, versions.unwrap_or_else(|| vec![None; states])));
        }
        for state in 0..states {
            let rewritten = known.iter().map(|(path, versions)| Rewritten {
                path: path.clone(),
                before: versions.get(state).cloned().flatten(),
                after: read(path),
            });
            // An unknown change is kept for its policy.
            let counts = |file: &Rewritten| file.before != file.after || unknown.contains(&file.path);
            changed.since.push(rewritten.filter(counts).collect());
        }
        // In a project that is as new as the change there was nothing before.
        let made = self.root.path().metadata().and_then(|metadata| metadata.created()).ok();
        if made.is_some_and(|made| window.0.is_some() && window.has(Some(made))) {
            return changed;
        }
        if previous.is_some() {
            let paths = unknown.iter().map(PathBuf::as_path);
            let ignored = git::untracked(&location, paths, Untracked::Ignored);
            let ignored: Vec<PathBuf> = ignored.into_iter().map(Path::to_owned).collect();
            unknown.retain(|file| ignored.contains(file) || !self.root.contains(&real_path(file)));
        }
        changed.unknown.extend(unknown.iter().map(|file| {
            format!("{} was changed, and git has no earlier version of it", shown(self.root, file))
        }));
        self.add_emptied(window, &places, previous.as_ref(), &mut changed);
        changed
    }

    /// Adds contract directories that git does not have and that lost a file, as far as their times show it. A file that
    /// changed in a directory explains its time.
    fn add_emptied(
        &self,
        window: TimeWindow,
        places: &Places,
        previous: Option<&PreviousSettings>,
        changed: &mut ChangedFiles,
    ) {
        let known: Vec<PathBuf> = changed.since.iter().flatten().map(|file| file.path.clone()).collect();
        for directory in &places.contracts {
            let there = directory.ancestors().find(|above| above.exists()).unwrap_or(directory);
            if known.iter().any(|file| file.starts_with(there)) {
                continue;
            }
            let inside = self.root.relative(directory);
            let is_below = |path: &[u8]| RelPath::from_bytes(path).below(&inside).is_some();
            let is_tracked = || previous.is_some_and(|previous| !previous.paths(is_below).is_empty());
            let is_gone = !directory.exists() && places.has_configuration();
            let lost_file = directory.is_dir() || is_gone;
            if lost_file && window.0.is_some() && window.has_directory(directory) && !is_tracked() {
                changed.unknown.push(format!(
                    "{} may have lost a contract, and git has no earlier version of it",
                    shown(self.root, directory)
                ));
                let path = directory.clone();
                changed.since.resize_with(1, Vec::new);
                changed.since[0].push(Rewritten { path, before: None, after: None });
            }
        }
    }

    /// The directories of the project that have settings: the root, those that a search has seen, those above the changed
    /// files.
    fn folders_around(&self, targets: &Targets) -> Vec<RelPath> {
        let names = targets.targets.iter().map(|target| &target.path);
        let mut folders = folders_above(self.root, names, None);
        folders.extend(targets.walked.iter().flat_map(|walked| walked.folders.iter().cloned()));
        folders.push(RelPath::default());
        folders.sort_unstable();
        folders.dedup();
        folders
    }
}

/// The places of files of enforcement.
struct Places {
    /// Directories with settings; absolute.
    folders: Vec<PathBuf>,
    /// Directories with contracts; absolute.
    contracts: Vec<PathBuf>,
    /// Their real paths in the project.
    real: Vec<RelPath>,
}

impl Places {
    fn new(protection: &Protection<'_>, folders: &[RelPath]) -> Self {
        let Protection { root, extra, .. } = *protection;
        let load = Load { root, extra, folders, settings: Settings::OnDisk, cwd: None };
        let configured = load.configs().into_iter().flat_map(|placed| {
            let base = root.path().join(placed.base.to_native());
            placed.config.contracts.iter().map(|named| base.join(&named.path)).collect::<Vec<_>>()
        });
        let folders: Vec<PathBuf> =
            folders.iter().map(|folder| root.path().join(folder.to_native())).collect();
        let mut contracts: Vec<PathBuf> =
            folders.iter().map(|folder| folder.join(PROJECT_CONTRACTS)).chain(configured).collect();
        contracts.extend(extra.older.iter().map(|older| older.path.clone()));
        contracts.retain(|directory| root.contains(directory));
        let real = contracts.iter().map(|directory| real_path(directory));
        let real = real.filter(|real| root.contains(real)).map(|real| root.relative(&real)).collect();
        Self { folders, contracts, real }
    }

    /// The files that are there, behind links or not.
    fn files(&self) -> impl Iterator<Item = PathBuf> {
        let names = [CONFIG, TOP_CONFIG, BASELINE, TOP_BASELINE].into_iter().map(PathBuf::from);
        let names = names.chain(CLAUDE_SETTINGS.map(|name| Path::new(SETTINGS).join(name)));
        let names: Vec<PathBuf> = names.collect();
        let others = self
            .folders
            .iter()
            .flat_map(move |folder| names.iter().map(|name| folder.join(name)).collect::<Vec<_>>());
        let contracts = self.contracts.iter().flat_map(|directory| files(directory));
        others.filter(|file| file.symlink_metadata().is_ok()).chain(contracts)
    }

    /// The directories that change when such a file is removed.
    fn directories(&self) -> Vec<PathBuf> {
        let settings = self.folders.iter().map(|folder| folder.join(SETTINGS));
        settings.chain(self.contracts.iter().cloned()).collect()
    }

    /// Whether a path of the project is one of these places, of the root or any directory.
    fn has(&self, protection: &Protection<'_>, path: &[u8]) -> bool {
        let Some(dot) = path.iter().rposition(|&byte| byte == b'.') else { return false };
        if !matches!(&path[dot + 1..], b"yaml" | b"yml" | b"json" | b"jsonl") {
            return false;
        }
        let path = RelPath::from_bytes(path);
        is_enforcement_path(&protection.root.path().join(path.to_native()))
            || self.real.iter().any(|directory| path.below(directory).is_some())
    }

    fn has_configuration(&self) -> bool {
        self.folders.first().is_some_and(|root| root.join(CONFIG).exists() || root.join(TOP_CONFIG).exists())
    }
}

/// Whether this is `settings.local.json` without hooks: Claude Code itself writes the user's permissions there.
fn is_without_hooks(path: &Path) -> bool {
    let has_hooks = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).to_lowercase().contains("hooks");
    path.file_name().is_some_and(|name| name == CLAUDE_SETTINGS[1]) && !read(path).is_some_and(has_hooks)
}

/// The contents that a name leads to; `None` if that is no regular file.
fn read(path: &Path) -> Option<Vec<u8>> {
    match Reader::new(MAX_SIZE).read(&Content::File(path.to_owned())) {
        Ok(bytes) => Some(bytes.into_owned()),
        Err(_) if fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) => Some(Vec::new()),
        Err(_) => None,
    }
}
