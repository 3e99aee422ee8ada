//! Loads the contracts of a project: its own directories, nested ones included, with its configuration applied.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::by_file::ByFile;
use crate::config::{self, Config, DirectoryConfig, Existing, Fixes, Policy, PolicyDefaults, Repeated};
pub use crate::contracts::layers::Loaded;
use crate::contracts::layers::{self, Layer, Loading, Supply};
use crate::contracts::read::overlaid::Overlay;
use crate::contracts::read::{ContractDirectory, FileContents};
use crate::packs::Pack;
use crate::path::{
    CONFIG, LONGEST, PROJECT_CONTRACTS, RelPath, Root, SETTINGS, TOP_CONFIG, baseline_beside,
    directory_of_top_config, has_top_config, resolve,
};
use crate::source::git::{Committed, Listing};
use phaser_core::contract::{LayerKind, Warning};

/// Contract directories and packs beside those of the project.
#[derive(Debug, Clone, Default)]
pub struct Extra {
    /// Replaces every other directory (`--contracts-dir`).
    pub named: Option<ContractDirectory>,
    /// Directories of version 1.2, before the project's own.
    pub older: Vec<ContractDirectory>,
    /// The user's directory.
    pub user: Option<ContractDirectory>,
    /// Packs, in addition to the configured ones.
    pub packs: Vec<&'static Pack>,
    /// Policies for keys that the root's configuration does not set.
    pub defaults: PolicyDefaults,
}

/// The user's contract directory.
pub fn user_directory(path: PathBuf) -> ContractDirectory {
    ContractDirectory { kind: LayerKind::User, shown: path.clone(), path, nested_only: false }
}

/// Loads the contracts of one project in one state.
#[derive(Debug, Clone, Copy)]
pub struct Load<'a> {
    /// The root.
    pub root: &'a Root,
    /// Contract directories and packs beside the project's own.
    pub extra: &'a Extra,
    /// The nested directories with settings.
    pub folders: &'a [RelPath],
    /// The state to read settings from.
    pub settings: Settings<'a>,
    /// The current directory; files below it are opened by a relative path.
    pub cwd: Option<&'a Path>,
}

/// The state that contracts, configuration and baseline are read from.
#[derive(Debug, Clone, Copy, Default)]
pub enum Settings<'a> {
    /// The disk.
    #[default]
    OnDisk,
    /// The index; files that git does not track come from the disk.
    Staged(&'a Listing),
    /// A commit.
    Committed(&'a Committed),
    /// The disk, with some files of the project replaced.
    Overlaid(&'a Root, &'a Overlay),
}

impl Settings<'_> {
    /// A settings file in this state.
    pub fn file(&self, path: &RelPath) -> Result<Found, String> {
        match self {
            Self::OnDisk => Ok(Found::OnDisk),
            Self::Staged(listing) => Ok(listing.differing_file(path).map_or(Found::OnDisk, Found::Here)),
            Self::Committed(committed) => Ok(committed.file(path)?.map_or(Found::Nowhere, Found::Here)),
            Self::Overlaid(root, overlay) => Ok(match overlay.file(&root.path().join(path.to_native())) {
                None => Found::OnDisk,
                Some(None) => Found::Nowhere,
                Some(Some(bytes)) => Found::Here(bytes.to_vec()),
            }),
        }
    }

    /// The path of the baseline in this state, relative to the root.
    pub fn baseline_file(&self, root: &Root) -> Result<&'static str, String> {
        let has = |name: &str| {
            Ok::<_, String>(match self.file(&RelPath::from(name))? {
                Found::OnDisk => root.path().join(name).exists(),
                Found::Here(_) => true,
                Found::Nowhere => false,
            })
        };
        let has_top = has(TOP_CONFIG)?;
        Ok(baseline_beside(has_top && has(CONFIG)?, has_top))
    }
}

/// A settings file in some state.
#[derive(Debug)]
pub enum Found {
    /// As on disk, if it exists there.
    OnDisk,
    /// These bytes.
    Here(Vec<u8>),
    /// Absent, whatever is on disk.
    Nowhere,
}

impl Loaded {
    /// Whether violations are compared with the previous text: if any configuration has `existing: report`.
    pub fn existing(&self) -> Existing {
        let is_reported = |placed: &DirectoryConfig| placed.config.existing == Some(Existing::Report);
        if self.configs.iter().any(is_reported) { Existing::Report } else { Existing::Deny }
    }

    /// The `cache` key of the root's configuration.
    pub fn cache(&self) -> Option<bool> {
        self.root_config()?.cache
    }

    /// The `strict` key of the root's configuration.
    pub fn strict(&self) -> bool {
        self.root_config().and_then(|config| config.strict).unwrap_or(false)
    }

    /// The `log` key of the root's configuration.
    pub fn log(&self) -> bool {
        self.root_config().and_then(|config| config.log).unwrap_or(false)
    }

    /// The `repeated` key of the root's configuration.
    pub fn repeated(&self) -> Repeated {
        self.root_config().and_then(|config| config.repeated).unwrap_or_default()
    }

    fn root_config(&self) -> Option<&Config> {
        let own = self.configs.iter().find(|placed| placed.base.as_bytes().is_empty());
        own.map(|placed| &placed.config)
    }

    /// The `fixes` key for a file: the nearest configuration that has it.
    pub fn fixes_at(&self, path: &RelPath) -> Fixes {
        let above = self.configs.iter().filter(|placed| path.below(&placed.base).is_some());
        above.rev().find_map(|placed| placed.config.fixes).unwrap_or(Fixes::Off)
    }

    /// The `existing` key for each file.
    pub fn existing_by_file(&self) -> ByFile<Existing> {
        self.by_file(|config| config.existing)
    }

    /// The `ignores` key for each file.
    pub fn ignores(&self) -> ByFile<Policy> {
        self.by_file(|config| config.ignores)
    }

    /// The `protect` key for each file.
    pub fn protect(&self) -> ByFile<Policy> {
        self.by_file(|config| config.protect)
    }

    fn by_file<T>(&self, value: impl Fn(&Config) -> Option<T>) -> ByFile<T> {
        ByFile::of(self.configs.iter(), value)
    }
}

impl Load<'_> {
    /// Loads all contracts.
    pub fn run(self, loading: Loading) -> Loaded {
        let mut loaded = self.run_lazily(loading);
        loaded.load_packs(None);
        loaded
    }

    /// Loads all contracts except those of packs; [`Loaded::load_packs`] loads them. Few pack contracts can match an edit, and
    /// building all of them takes longer than the rest of a hook.
    pub fn run_lazily(self, loading: Loading) -> Loaded {
        let mut mistakes = Vec::new();
        let top = RelPath::default();
        let folders = self.all_folders(&top);
        let configs = self.configs_of(&folders, &mut mistakes);
        let layers = self.layers(&folders, &configs, &mut mistakes);
        let mut loaded = Loaded { configs, mistakes, ..layers::load_lazily(layers, loading) };
        if !loaded.has_lazy_packs() {
            loaded.load_packs(None);
        }
        loaded
    }

    /// The configurations only, the root's first. A broken one is treated as absent.
    pub fn configs(self) -> Vec<DirectoryConfig> {
        let top = RelPath::default();
        self.configs_of(&self.all_folders(&top), &mut Vec::new())
    }

    /// The configurations of these directories, of which the first is the root, with the defaults filled in.
    fn configs_of(&self, folders: &[&RelPath], mistakes: &mut Vec<Warning>) -> Vec<DirectoryConfig> {
        let mut configs: Vec<_> = folders.iter().filter_map(|folder| self.config(folder, mistakes)).collect();
        self.extra.defaults.fill(&mut configs);
        configs
    }

    /// The root and the nested directories with settings, innermost last.
    fn all_folders<'f>(&self, top: &'f RelPath) -> Vec<&'f RelPath>
    where
        Self: 'f,
    {
        let mut folders: Vec<&RelPath> =
            self.folders.iter().filter(|folder| !folder.as_bytes().is_empty()).collect();
        folders.sort_unstable_by_key(|folder| (folder.directories().count(), *folder));
        folders.insert(0, top);
        folders
    }

    /// The configuration of a directory, if it exists and is valid.
    fn config(&self, folder: &RelPath, mistakes: &mut Vec<Warning>) -> Option<DirectoryConfig> {
        let mut found = Vec::new();
        for name in [CONFIG, TOP_CONFIG] {
            let file = PathBuf::from(folder.join(name).to_text().into_owned());
            match self.config_text(folder, name) {
                Ok(text) => found.extend(text.map(|text| (file, text))),
                Err(what) => {
                    mistakes.push(Warning::about(&file, what));
                    return None;
                }
            }
        }
        let (file, text) = found.pop()?;
        if let Some((other, _)) = found.pop() {
            let what = format!("{} is a configuration, too (keep one of them)", other.display());
            mistakes.push(Warning::about(&file, what));
            return None;
        }
        match config::parse(&text, &file) {
            Ok(config) => Some(DirectoryConfig { base: folder.clone(), config, file }),
            Err(mut wrong) => {
                mistakes.append(&mut wrong);
                None
            }
        }
    }

    fn config_text(&self, folder: &RelPath, name: &str) -> Result<Option<Vec<u8>>, String> {
        match self.settings.file(&folder.join(name))? {
            Found::OnDisk => config::text(&self.on_disk(folder).join(name)),
            Found::Here(bytes) => Ok(Some(bytes)),
            Found::Nowhere => Ok(None),
        }
    }

    fn on_disk(&self, folder: &RelPath) -> PathBuf {
        match folder.as_bytes() {
            [] => self.root.path().to_owned(),
            _ => self.root.path().join(folder.to_native()),
        }
    }

    /// The layers, highest precedence first.
    fn layers(
        &self,
        folders: &[&RelPath],
        configs: &[DirectoryConfig],
        mistakes: &mut Vec<Warning>,
    ) -> Vec<Layer> {
        let mut layers = Vec::new();
        if let Some(named) = &self.extra.named {
            layers.push(self.elsewhere(named));
        } else {
            layers.extend(self.extra.older.iter().map(|older| self.elsewhere(older)));
            for folder in folders.iter().rev() {
                layers.extend(self.own(folder, mistakes));
            }
            for placed in configs.iter().rev() {
                layers.extend(self.configured(placed, mistakes));
            }
            layers.extend(self.extra.user.iter().map(|user| self.elsewhere(user)));
        }
        layers.extend(self.packs(configs));
        layers.iter_mut().for_each(|layer| self.open_from_here(layer));
        layers
    }

    /// A contract directory outside the project. It is the same in every commit.
    fn elsewhere(&self, directory: &ContractDirectory) -> Layer {
        let from = Supply::Directory(directory.clone(), self.uncommitted(directory));
        Layer { base: RelPath::default(), from }
    }

    /// The files of a directory that is read neither from the index nor from a commit.
    fn uncommitted(&self, directory: &ContractDirectory) -> FileContents {
        match self.settings {
            Settings::Overlaid(_, overlay) => overlay.contents_of(directory),
            Settings::OnDisk | Settings::Staged(_) | Settings::Committed(_) => FileContents::OnDisk,
        }
    }

    /// The contract directory of the root or a nested directory.
    fn own(&self, folder: &RelPath, mistakes: &mut Vec<Warning>) -> Option<Layer> {
        let inside = folder.join(PROJECT_CONTRACTS);
        let path = self.on_disk(folder).join(PROJECT_CONTRACTS);
        let shown = PathBuf::from(inside.to_text().into_owned());
        let is_known = self.extra.older.iter().any(|older| older.path == path);
        let directory = ContractDirectory { kind: LayerKind::Project, path, shown, nested_only: false };
        let files = match self.settings {
            Settings::OnDisk | Settings::Overlaid(..) => self.uncommitted(&directory),
            Settings::Staged(listing) => {
                let staged = listing.differing_files_in(&inside).into_iter();
                FileContents::Changed(staged.map(|(name, bytes)| (name.into(), Some(bytes))).collect())
            }
            Settings::Committed(committed) => {
                let files = committed.files_in(&inside).unwrap_or_else(|what| {
                    mistakes.push(Warning::about(&directory.shown, what));
                    None
                });
                FileContents::Only(files.unwrap_or_default())
            }
        };
        (!is_known).then(|| Layer { base: folder.clone(), from: Supply::Directory(directory, files) })
    }

    /// The directories of the `contracts` key.
    fn configured(&self, placed: &DirectoryConfig, mistakes: &mut Vec<Warning>) -> Vec<Layer> {
        let mut layers = Vec::new();
        for named in &placed.config.contracts {
            let path = self.on_disk(&placed.base).join(&named.path);
            let only = match self.settings {
                Settings::Committed(committed) => self.committed_in(committed, &path).map(Some),
                Settings::Overlaid(_, overlay) if overlay.has_files_in(&path) => Ok(None),
                _ => path.read_dir().map(|_| None).map_err(|error| error.to_string()),
            };
            let only = match only {
                Ok(only) => only,
                Err(error) => {
                    let what = format!(
                        "'contracts': {} is not a readable directory: {error} (paths start at the directory that holds {})",
                        named.path.display(),
                        if placed.file.ends_with(CONFIG) { SETTINGS } else { TOP_CONFIG }
                    );
                    mistakes.push(Warning::at(&placed.file, named.line, what));
                    continue;
                }
            };
            let shown = Path::new(&*placed.base.to_text()).join(&named.path);
            let directory =
                ContractDirectory { kind: LayerKind::Configured, path, shown, nested_only: false };
            let files = only.map_or_else(|| self.uncommitted(&directory), FileContents::Only);
            layers.push(Layer { base: placed.base.clone(), from: Supply::Directory(directory, files) });
        }
        layers
    }

    /// The files of a configured directory in a commit.
    fn committed_in(&self, committed: &Committed, path: &Path) -> Result<BTreeMap<String, Vec<u8>>, String> {
        let path = resolve(self.root.path(), path).map_err(|error| error.to_string())?;
        if !self.root.contains(&path) {
            return Err(format!("it is outside the project, so it is not in {}", committed.revision()));
        }
        let files = committed.files_in(&self.root.relative(&path))?;
        files.ok_or_else(|| format!("it is not in {}", committed.revision()))
    }

    /// The packs, each once per directory tree.
    fn packs(&self, configs: &[DirectoryConfig]) -> Vec<Layer> {
        let mut layers: Vec<Layer> = self.extra.packs.iter().copied().map(Layer::of_pack).collect();
        for DirectoryConfig { base, config: Config { packs, .. }, .. } in configs {
            for &pack in packs {
                let covers = |layer: &Layer| {
                    let same = matches!(layer.from, Supply::Pack(known) if known.name == pack.name);
                    same && (layer.base == *base || base.below(&layer.base).is_some())
                };
                if !layers.iter().any(covers) {
                    layers.push(Layer { base: base.clone(), from: Supply::Pack(pack) });
                }
            }
        }
        layers
    }

    /// Opens directories below the current one by relative paths: the kernel resolves fewer components per file.
    fn open_from_here(&self, layer: &mut Layer) {
        // The current directory is `/` if the real one was deleted.
        let Some(cwd) = self.cwd.filter(|cwd| cwd.parent().is_some()) else { return };
        if let Supply::Directory(directory, FileContents::OnDisk | FileContents::Changed(_)) = &mut layer.from
            && let Ok(inside) = directory.path.strip_prefix(cwd)
            && !inside.as_os_str().is_empty()
        {
            directory.path = inside.to_owned();
        }
    }
}

/// The nested directories with settings, on disk or staged, above these files.
pub fn folders_above<'p>(
    root: &Root,
    paths: impl Iterator<Item = &'p RelPath>,
    staged: Option<&Listing>,
) -> Vec<RelPath> {
    let mut seen: BTreeSet<&[u8]> = BTreeSet::new();
    for path in paths {
        for directory in path.directories().filter(|directory| directory.len() <= LONGEST) {
            // Its ancestors are in the set too.
            if !seen.insert(directory) {
                break;
            }
        }
    }
    let folders = seen.into_iter().map(RelPath::from_bytes);
    let is_staged = |folder: &RelPath| {
        staged.is_some_and(|listing| {
            let config = folder.join(TOP_CONFIG);
            listing.has_files_in(&folder.join(SETTINGS))
                || (directory_of_top_config(config.as_bytes()).is_some() && listing.has_file(&config))
        })
    };
    let is_there = |folder: &RelPath| {
        let directory = root.path().join(folder.to_native());
        directory.join(SETTINGS).is_dir() || has_top_config(&directory)
    };
    folders.filter(|folder| is_there(folder) || is_staged(folder)).collect()
}
