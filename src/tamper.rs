//! Which changes of files weaken what is enforced: of contracts, configurations, the baseline, and of settings of Claude
//! Code in which phaser's hooks stand.
//!
//! Meaning is compared, not text: the project is loaded as it was and as it is, through the one loader, with the changed
//! files in memory. What cannot be shown to be as strict as before counts as weaker; adding a contract never does.
//! Who is told, and what becomes of the change, is decided elsewhere.

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use phaser_core::deadline::Deadline;
use phaser_core::matcher;
use phaser_core::sanitize::{cut, printable};
use phaser_project::config::{Placed, Policy};
use phaser_project::contracts::layers::{Layer, Loading};
use phaser_project::contracts::read::linked;
use phaser_project::contracts::read::overlaid::Overlay;
use phaser_project::path::{BASELINE, CONFIG, LONGEST, RelPath, Root, SETTINGS, real_path};
use phaser_project::project::by_file::ByFile;
use phaser_project::project::load::{Extra, Load, Loaded, Settings, folders_above};

mod baseline;
mod command;
mod configs;
mod contracts;
mod globs;
mod hooks;
mod overrides;
mod patterns;
pub mod policies;
mod removed;
#[cfg(test)]
mod tests;
pub mod words;

/// One file before and after a change; nothing where there is no such file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// The file; absolute.
    pub path: PathBuf,
    /// What it was.
    pub before: Option<Vec<u8>>,
    /// What it is, or will be.
    pub after: Option<Vec<u8>>,
}

/// A project whose enforcement is watched.
#[derive(Debug, Clone, Copy)]
pub struct Protection<'a> {
    /// The project.
    pub root: &'a Root,
    /// Where contracts come from beside the project itself.
    pub extra: &'a Extra,
    /// The settings of Claude Code that the user has for all projects; absolute.
    pub user_settings: Option<&'a Path>,
    /// When it must have ended.
    pub deadline: Deadline,
}

/// What became of enforcement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// What happens to such a change: the strictest that counted for any of the files before they changed.
    pub policy: Policy,
    /// What is weaker than before, a sentence each; nothing is looked for where the policy is to allow it.
    pub weaker: Vec<String>,
}

/// Could a file of this name be one that enforcement depends on? Looks at the name alone, so that a change of very many
/// files costs little.
pub fn is_candidate(path: &Path) -> bool {
    let ending = path.extension().map(OsStr::as_encoded_bytes);
    matches!(ending, Some(b"yaml" | b"yml" | b"json" | b"jsonl"))
}

/// The files of a project that enforcement depends on.
#[derive(Debug)]
pub struct Watched<'a> {
    protection: Protection<'a>,
    loaded: &'a Loaded,
    /// What links among the settings lead to, once somebody asks.
    linked: OnceCell<Linked>,
}

/// Real paths that links lead to.
#[derive(Debug)]
struct Linked {
    contracts: Vec<PathBuf>,
    others: Vec<PathBuf>,
}

impl Watched<'_> {
    /// Could a change of this file, which is absolute, weaken anything?
    pub fn has(&self, path: &Path) -> bool {
        if !is_candidate(path) || path.as_os_str().len() > LONGEST {
            return false;
        }
        let real = real_path(path);
        [path, &real].into_iter().any(is_named_like_settings)
            || self.loaded.layers.directories.iter().any(|directory| real.starts_with(directory))
            || self.is_linked(&real)
    }

    fn is_linked(&self, real: &Path) -> bool {
        let Linked { contracts, others } = self.linked.get_or_init(|| self.linked());
        let is_contract = real.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
        others.iter().any(|file| file == real)
            // A directory may be linked, and get a new file.
            || contracts.iter().any(|file| file == real || (is_contract && file.parent() == real.parent()))
    }

    fn linked(&self) -> Linked {
        let Protection { root, user_settings, .. } = self.protection;
        let bases = self.loaded.configs.iter().map(|placed| &placed.base);
        let configs = bases.map(|base| root.path().join(base.join(CONFIG).to_native()));
        let in_settings = CLAUDE_SETTINGS.map(|name| root.path().join(SETTINGS).join(name));
        let others = configs.chain(in_settings).chain([root.path().join(BASELINE)]);
        let others = others.chain(user_settings.map(Path::to_owned)).map(|file| real_path(&file)).collect();
        let directories = self.loaded.from.iter().filter_map(Layer::directory);
        Linked { contracts: directories.flat_map(linked).collect(), others }
    }
}

impl<'a> Protection<'a> {
    /// The files that a project depends on which is loaded like this.
    pub fn watched(self, loaded: &'a Loaded) -> Watched<'a> {
        Watched { protection: self, loaded, linked: OnceCell::new() }
    }

    /// What is weaker after the changes than before. A file that is not among them is as it is on disk.
    pub fn judge(&self, changes: &[Rewritten]) -> Judged {
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
            return Judged { policy, weaker: Vec::new() };
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
            weaker.push(
                "there was no time to compare all of it, so that nobody knows what else is weaker".to_owned(),
            );
        }
        Judged { policy, weaker }
    }

    fn load<'l>(&'l self, folders: &'l [RelPath], overlay: &'l Arc<Overlay>) -> Load<'l> {
        let settings = Settings::Overlaid(self.root, overlay);
        Load { root: self.root, extra: self.extra, folders, settings, cwd: None }
    }

    /// The directories of the project that have settings, on disk or in the changes, as far as files below them change.
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
        folders.sort_unstable();
        folders.dedup();
        folders
    }

    /// The strictest policy for these files. One outside the project is as if it stood at its top.
    fn policy(&self, configs: &[Placed], changes: &[&Rewritten]) -> Policy {
        let by_file = ByFile::of(configs.iter(), |config| config.protect);
        let at = |path: &Path| match self.root.contains(path) {
            true => by_file.at(&self.root.relative(path)),
            false => by_file.at(&RelPath::default()),
        };
        let all = changes.iter().flat_map(|change| [at(&change.path), at(&real_path(&change.path))]);
        all.max().unwrap_or(Policy::Allow)
    }

    /// Is this a file of Claude Code's settings, by any of its names?
    fn is_settings(&self, path: &Path) -> bool {
        let real = real_path(path);
        let own = CLAUDE_SETTINGS.map(|name| self.root.path().join(SETTINGS).join(name));
        let known = own.iter().map(PathBuf::as_path).chain(self.user_settings);
        [path, &real].into_iter().any(is_claude_settings) || known.into_iter().any(|it| real_path(it) == real)
    }

    /// The settings that change, and those that count wherever they do.
    fn hooks_of<'c>(&self, change: &'c Rewritten, after: &Overlay) -> hooks::Change<'c> {
        let is_local = change.path.file_name().is_some_and(|name| name == "settings.local.json");
        let shared = is_local.then(|| change.path.with_file_name("settings.json"));
        let wider = shared.iter().map(PathBuf::as_path).chain(self.user_settings.filter(|_| is_local));
        let bytes = |path: &Path| match after.file(path) {
            Some(bytes) => bytes.map(<[u8]>::to_vec),
            None => std::fs::read(path).ok(),
        };
        hooks::Change {
            shown: shown(self.root, &change.path),
            before: change.before.as_deref(),
            after: change.after.as_deref(),
            wider: wider.filter_map(bytes).collect(),
        }
    }
}

/// The project before and after.
struct States {
    before: Loaded,
    after: Loaded,
}

/// The settings of Claude Code in a directory for settings.
const CLAUDE_SETTINGS: [&str; 2] = ["settings.json", "settings.local.json"];

/// Does the path say that contracts, a configuration, a baseline or the settings of Claude Code are there?
fn is_named_like_settings(path: &Path) -> bool {
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

/// How a file is shown: from the project, if it is in it.
fn shown(root: &Root, path: &Path) -> String {
    match root.contains(path) {
        true => printable(&root.relative(path).to_text()),
        false => printable(&path.display().to_string()),
    }
}

/// A text of a contract or a configuration in quotes, in one line and cut if it is long.
fn quoted(text: &str) -> String {
    format!("'{}'", cut(&printable(text), 80))
}
