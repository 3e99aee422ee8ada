//! The tamper check: whether a change of contracts, configuration, baseline or Claude Code's settings weakens enforcement.
//!
//! The check compares meaning, not text. It loads the project twice, before and after the change, through the usual loader
//! with the changed files in memory, and compares contract by contract. A change is weaker unless it can be shown to be as
//! strict; adding a contract is never weaker. What happens to the change is the caller's decision, by the policy returned.
//!
//! # Example
//!
//! An edit of `.claude/contracts/no-print.yaml` changes the message, `pattern: print` to `pattern: print|pprint`, and
//! `file_glob: '**/*.py'` to `file_glob: 'src/**/*.py'`.
//!
//! - The message is not part of what is enforced.
//! - The new pattern is the old one with a further alternative that is a plain word, so it matches whatever the old one
//!   does ([`patterns`]): not weaker.
//! - `src/**/*.py` does not match every path that `**/*.py` matches ([`globs`]): weaker.
//!
//! The result is one sentence, `contract no-print is about 'src/**/*.py', and was about '**/*.py'`, with the strictest
//! `protect` policy of the files' directories *before* the change: an edit cannot lower its own policy.
//!
//! # Limits
//!
//! Regexes and globs are compared by simple rules that never call a weaker one as strict; an equivalent rewrite that the
//! rules do not recognise counts as weaker.

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use phaser_core::deadline::Deadline;
use phaser_core::matcher;
use phaser_core::sanitize::{cut, printable};
use phaser_project::config::{DirectoryConfig, Policy};
use phaser_project::contracts::layers::{Layer, Loading};
use phaser_project::contracts::read::overlaid::Overlay;
use phaser_project::contracts::read::{self, linked};
use phaser_project::path::{
    BASELINE, LONGEST, RelPath, Root, SETTINGS, TOP_BASELINE, TOP_CONFIG, directory_of_top_config, normalize,
    real_path,
};
use phaser_project::project::by_file::ByFile;
use phaser_project::project::load::{Extra, Load, Loaded, Settings, folders_above};

mod baseline;
mod changed;
mod command;
mod configs;
mod contracts;
mod globs;
pub mod hooks;
pub mod messages;
mod overrides;
mod patterns;
pub mod policies;
#[cfg(test)]
mod tests;

/// A file before and after a change; `None` where it does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// Absolute.
    pub path: PathBuf,
    pub before: Option<Vec<u8>>,
    pub after: Option<Vec<u8>>,
}

/// The tamper check of a project.
#[derive(Debug, Clone, Copy)]
pub struct Protection<'a> {
    pub root: &'a Root,
    /// Contract sources outside the project.
    pub extra: &'a Extra,
    /// Claude Code's user settings file; absolute.
    pub user_settings: Option<&'a Path>,
    pub deadline: Deadline,
}

/// The result of a tamper check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TamperReport {
    /// The strictest policy of the changed files, before the change.
    pub policy: Policy,
    /// One sentence per weakening; empty without a check if the policy is `allow`.
    pub weaker: Vec<String>,
}

/// Whether enforcement may depend on a file of this name.
fn is_candidate(path: &Path) -> bool {
    let ending = path.extension().map(OsStr::as_encoded_bytes);
    matches!(ending, Some(b"yaml" | b"yml" | b"json" | b"jsonl"))
}

/// The path that a write to `path` changes: links are followed, also to a file that does not exist yet.
fn written_path(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(target) = path.read_link() else { break };
        path = normalize(&path.parent().unwrap_or(Path::new("/")).join(target));
    }
    real_path(&path)
}

/// The limit on links from one file to another.
const MAX_LINKS: usize = 10;

/// Device and inode of a file that has several names.
#[cfg(unix)]
fn shared_inode(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = path.metadata().ok().filter(|metadata| metadata.is_file() && metadata.nlink() > 1)?;
    Some((metadata.dev(), metadata.ino()))
}

/// Inodes are not known on this system.
#[cfg(not(unix))]
fn shared_inode(_: &Path) -> Option<(u64, u64)> {
    None
}

/// The files that enforcement depends on.
#[derive(Debug)]
pub struct WatchedFiles<'a> {
    protection: Protection<'a>,
    loaded: &'a Loaded,
    /// Targets of symbolic links, computed on first use.
    linked: OnceCell<LinkTargets>,
}

/// Real paths of linked files.
#[derive(Debug)]
struct LinkTargets {
    contracts: Vec<PathBuf>,
    others: Vec<PathBuf>,
}

impl WatchedFiles<'_> {
    /// The file of enforcement that a change of this absolute path changes: itself, the file that it leads to, or another
    /// name of the same inode.
    pub fn find(&self, path: &Path) -> Option<PathBuf> {
        if path.as_os_str().len() > LONGEST {
            return None;
        }
        let real = written_path(path);
        if [path, &real].into_iter().any(is_candidate) && self.has(path, &real) {
            return Some(if path.exists() { path.to_owned() } else { real });
        }
        let inode = shared_inode(&real)?;
        self.names().into_iter().find(|name| shared_inode(name) == Some(inode))
    }

    fn has(&self, path: &Path, real: &Path) -> bool {
        [path, real].into_iter().any(is_enforcement_path)
            || self.loaded.directories().any(|directory| real.starts_with(directory))
            || self.is_linked(real)
    }

    /// All files of enforcement that are there.
    fn names(&self) -> Vec<PathBuf> {
        let directories = self.loaded.from.iter().filter_map(Layer::directory);
        let contracts = directories.flat_map(|directory| read::files(&directory.path));
        contracts.chain(self.others()).collect()
    }

    fn is_linked(&self, real: &Path) -> bool {
        let LinkTargets { contracts, others } = self.linked.get_or_init(|| self.linked());
        let is_contract = real.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
        others.iter().any(|file| file == real)
            // A linked directory may get a new file.
            || contracts.iter().any(|file| file == real || (is_contract && file.parent() == real.parent()))
    }

    /// Configurations, baselines and settings, there or not.
    fn others(&self) -> impl Iterator<Item = PathBuf> {
        let Protection { root, user_settings, .. } = self.protection;
        let configs = self.loaded.configs.iter().map(|placed| root.path().join(&placed.file));
        let in_settings = CLAUDE_SETTINGS.map(|name| root.path().join(SETTINGS).join(name));
        let baselines = [BASELINE, TOP_BASELINE].map(|name| root.path().join(name));
        configs.chain(in_settings).chain(baselines).chain(user_settings.map(Path::to_owned))
    }

    fn linked(&self) -> LinkTargets {
        let directories = self.loaded.from.iter().filter_map(Layer::directory);
        let others = self.others().map(|file| real_path(&file)).collect();
        LinkTargets { contracts: directories.flat_map(linked).collect(), others }
    }
}

impl<'a> Protection<'a> {
    pub fn watched(self, loaded: &'a Loaded) -> WatchedFiles<'a> {
        WatchedFiles { protection: self, loaded, linked: OnceCell::new() }
    }

    /// Compares the project before and after `changes`. Files that are not among them are read from disk.
    pub fn compare(&self, changes: &[Rewritten]) -> TamperReport {
        let is_possible = |change: &&Rewritten| change.path.as_os_str().len() <= LONGEST;
        let changes: Vec<&Rewritten> = changes.iter().filter(is_possible).collect();
        let overlay = |state: fn(&Rewritten) -> &Option<Vec<u8>>| {
            let files = changes.iter().map(|change| (change.path.clone(), state(change).clone()));
            Arc::new(Overlay::new(files))
        };
        let folders = self.folders(&changes);
        let before = overlay(|change| &change.before);
        let policy = self.policy(&self.load(&folders, &before).configs(), &changes);
        if policy == Policy::Allow {
            return TamperReport { policy, weaker: Vec::new() };
        }
        let after = overlay(|change| &change.after);
        let load = |overlay| {
            let loading = Loading { deadline: self.deadline, ..Loading::whole(matcher::broken) };
            self.load(&folders, overlay).run(loading)
        };
        let states = States { before: load(&before), after: load(&after) };
        let mut weaker = configs::weaker(&states);
        let of_contracts = contracts::weaker(&states);
        if of_contracts.is_empty() {
            weaker.extend(configs::overrides(&states));
        }
        weaker.extend(of_contracts);
        weaker.extend(baseline::weaker(self.root, &before, &after));
        for change in changes.into_iter().filter(|change| self.is_settings(&change.path)) {
            weaker.extend(hooks::weaker(&self.hooks_of(change, &after)));
        }
        if self.deadline.has_passed() {
            weaker.push("timed out: not everything was compared".to_owned());
        }
        TamperReport { policy, weaker }
    }

    fn load<'l>(&'l self, folders: &'l [RelPath], overlay: &'l Arc<Overlay>) -> Load<'l> {
        let settings = Settings::Overlaid(self.root, overlay);
        Load { root: self.root, extra: self.extra, folders, settings, cwd: None }
    }

    /// Directories with settings of their own, on disk or in the changes, above the changed files.
    fn folders(&self, changes: &[&Rewritten]) -> Vec<RelPath> {
        let names = changes.iter().flat_map(|change| [change.path.clone(), real_path(&change.path)]);
        let names = names.filter(|path| self.root.contains(path));
        let names: Vec<RelPath> = names.map(|path| self.root.relative(&path)).collect();
        let mut folders = folders_above(self.root, names.iter(), None);
        let new = names.iter().flat_map(RelPath::directories).filter_map(|directory| {
            let folder = directory.strip_suffix(SETTINGS.as_bytes())?.strip_suffix(b"/")?;
            Some(RelPath::from_bytes(folder))
        });
        folders.extend(new);
        let at_top = names.iter().filter_map(|name| directory_of_top_config(name.as_bytes()));
        folders.extend(at_top.map(RelPath::from_bytes));
        folders.sort_unstable();
        folders.dedup();
        folders
    }

    /// The strictest policy for these files. A file outside the project has the root's policy.
    fn policy(&self, configs: &[DirectoryConfig], changes: &[&Rewritten]) -> Policy {
        let by_file = ByFile::of(configs.iter(), |config| config.protect);
        let at = |path: &Path| match self.root.contains(path) {
            true => by_file.at(&self.root.relative(path)),
            false => by_file.at(&RelPath::default()),
        };
        let all = changes.iter().flat_map(|change| [at(&change.path), at(&real_path(&change.path))]);
        all.max().unwrap_or(Policy::Allow)
    }

    /// Whether this is a settings file of Claude Code, by its given or its real path.
    fn is_settings(&self, path: &Path) -> bool {
        let real = real_path(path);
        let own = CLAUDE_SETTINGS.map(|name| self.root.path().join(SETTINGS).join(name));
        let known = own.iter().map(PathBuf::as_path).chain(self.user_settings);
        [path, &real].into_iter().any(is_claude_settings) || known.into_iter().any(|it| real_path(it) == real)
    }

    /// A change of settings, with the settings of wider scopes.
    fn hooks_of<'c>(&self, change: &'c Rewritten, after: &Overlay) -> hooks::SettingsEdit<'c> {
        let is_local = change.path.file_name().is_some_and(|name| name == "settings.local.json");
        let shared = is_local.then(|| change.path.with_file_name("settings.json"));
        let wider = shared.iter().map(PathBuf::as_path).chain(self.user_settings.filter(|_| is_local));
        let bytes = |path: &Path| match after.file(path) {
            Some(bytes) => bytes.map(<[u8]>::to_vec),
            None => std::fs::read(path).ok(),
        };
        hooks::SettingsEdit {
            shown: shown(self.root, &change.path),
            before: change.before.as_deref(),
            after: change.after.as_deref(),
            wider: wider.filter_map(bytes).collect(),
        }
    }
}

/// The project before and after a change.
struct States {
    before: Loaded,
    after: Loaded,
}

/// Claude Code's settings files in `.claude`.
const CLAUDE_SETTINGS: [&str; 2] = ["settings.json", "settings.local.json"];

/// Whether the path names contracts, a configuration, a baseline or Claude Code's settings.
fn is_enforcement_path(path: &Path) -> bool {
    if path.file_name().is_some_and(|name| name == TOP_CONFIG || name == TOP_BASELINE) {
        return true;
    }
    let mut names = path.iter().map(OsStr::as_encoded_bytes).peekable();
    while let Some(name) = names.next() {
        let next = names.peek().copied();
        let own = ["contracts", "phaser.yaml", "phaser-baseline.jsonl"];
        let mut in_settings = own.iter().chain(&CLAUDE_SETTINGS);
        let is_settings = match name {
            b".claude" => next.is_some_and(|next| in_settings.any(|name| name.as_bytes() == next)),
            b".phaser" => next == Some(b"contracts"),
            _ => false,
        };
        if is_settings {
            return true;
        }
    }
    false
}

fn is_claude_settings(path: &Path) -> bool {
    let in_settings = path.parent().and_then(Path::file_name).is_some_and(|name| name == SETTINGS);
    in_settings && path.file_name().is_some_and(|name| CLAUDE_SETTINGS.iter().any(|known| name == *known))
}

/// A path for messages: relative to the project if it is inside.
fn shown(root: &Root, path: &Path) -> String {
    match root.contains(path) {
        true => printable(&root.relative(path).to_text()),
        false => printable(&path.display().to_string()),
    }
}

/// A text of a contract or configuration in quotes, sanitised and cut.
fn quoted(text: &str) -> String {
    format!("'{}'", cut(&printable(text), 80))
}
