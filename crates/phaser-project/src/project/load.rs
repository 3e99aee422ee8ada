//! Which contracts a project has: those of its own directories, nested ones included, with what its configuration says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::by_file::ByFile;
use super::texts::Texts;
use crate::config::{self, Config, Existing, Fixes, Placed, Policy};
use crate::contracts::layers::{self, Layer, Layers, Loading, Supply};
use crate::contracts::read::overlaid::Overlay;
use crate::contracts::read::{Directory, Forms};
use crate::packs::Pack;
use crate::path::{CONFIG, LONGEST, PROJECT_CONTRACTS, RelPath, Root, SETTINGS, resolve};
use crate::source::Targets;
use crate::source::git::{Committed, Listing};
use phaser_core::contract::{LayerKind, Warning};

/// Where contracts come from beside the project itself.
#[derive(Debug, Clone, Default)]
pub struct Extra {
    /// A directory that takes the place of all others.
    pub named: Option<Directory>,
    /// Directories that come before the project's own.
    pub older: Vec<Directory>,
    /// The user's directory.
    pub user: Option<Directory>,
    /// Packs, beside those of the configuration.
    pub packs: Vec<&'static Pack>,
}

/// The user's contract directory.
pub fn user_directory(path: PathBuf) -> Directory {
    Directory { kind: LayerKind::User, shown: path.clone(), path, forms: Forms::Both }
}

/// A project whose contracts are to be loaded.
#[derive(Debug, Clone, Copy)]
pub struct Load<'a> {
    /// The project.
    pub root: &'a Root,
    /// Where else contracts come from.
    pub extra: &'a Extra,
    /// The directories of the project that have settings, itself aside.
    pub folders: &'a [RelPath],
    /// Which state of the project its settings are taken from.
    pub settings: Settings<'a>,
    /// The current directory, which files are opened from if it is known.
    pub cwd: Option<&'a Path>,
}

/// Which state of a project its contracts, configurations and baseline are taken from.
#[derive(Debug, Clone, Copy, Default)]
pub enum Settings<'a> {
    /// What is on disk.
    #[default]
    OnDisk,
    /// What is staged; what git does not track is taken from disk.
    Staged(&'a Listing),
    /// A commit, and nothing that is on disk.
    Committed(&'a Committed),
    /// What is on disk, but for some files of the project, which is this one.
    Overlaid(&'a Root, &'a Arc<Overlay>),
}

impl Settings<'_> {
    /// The bytes of a file of the project, or nothing if it is to be read from disk.
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
}

/// Where a file of the settings is.
#[derive(Debug)]
pub enum Found {
    /// On disk, if there is one.
    OnDisk,
    /// Here.
    Here(Vec<u8>),
    /// There is none, whatever is on disk.
    Nowhere,
}

/// What was loaded.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The contracts, with overrides.
    pub layers: Layers,
    /// Where they came from, in the order of precedence.
    pub from: Vec<Layer>,
    /// The configurations, the project's own first.
    pub configs: Vec<Placed>,
    /// What is wrong with configurations. One that is wrong counts as if it were not there.
    pub mistakes: Vec<Warning>,
}

impl Loaded {
    /// What becomes of violations that were there before a change: they are told from new ones, if a configuration says so
    /// for any file.
    pub fn existing(&self) -> Existing {
        let is_reported = |placed: &Placed| placed.config.existing == Some(Existing::Report);
        if self.configs.iter().any(is_reported) { Existing::Report } else { Existing::Deny }
    }

    /// Whether results are kept for the next run, if the project's own configuration says something about it.
    pub fn cache(&self) -> Option<bool> {
        let own = self.configs.iter().find(|placed| placed.base.as_bytes().is_empty());
        own.and_then(|placed| placed.config.cache)
    }

    /// Whether violations are mended in an agent's edit of this file: the nearest directory that says something counts.
    pub fn fixes_at(&self, path: &RelPath) -> Fixes {
        let said = self.configs.iter().filter(|placed| path.below(&placed.base).is_some());
        said.rev().find_map(|placed| placed.config.fixes).unwrap_or(Fixes::Off)
    }

    /// The same for each file.
    pub fn existing_by_file(&self) -> ByFile<Existing> {
        self.by_file(|config| config.existing)
    }

    /// What becomes of an edit that adds an ignore directive, for each file.
    pub fn ignores(&self) -> ByFile<Policy> {
        self.by_file(|config| config.ignores)
    }

    /// What becomes of an edit that weakens what is enforced, for each file.
    pub fn protect(&self) -> ByFile<Policy> {
        self.by_file(|config| config.protect)
    }

    /// Loads the contracts of packs after [`Load::run_lazily`]: all, or with `targets` those that their texts may violate.
    pub fn load_packs(&mut self, targets: Option<&Targets>) {
        let overrides: Vec<_> = self.configs.iter().flat_map(Placed::overrides).collect();
        let texts = targets.and_then(Texts::of);
        self.layers.load_packs(texts.as_ref().map(|texts| texts as _), &overrides);
    }

    fn by_file<T>(&self, said: impl Fn(&Config) -> Option<T>) -> ByFile<T> {
        ByFile::of(self.configs.iter(), said)
    }
}

impl Load<'_> {
    /// Loads the contracts.
    pub fn run(self, loading: Loading) -> Loaded {
        let mut loaded = self.run_lazily(loading);
        loaded.load_packs(None);
        loaded
    }

    /// Loads the contracts but for packs, which are left to [`Loaded::load_packs`]. Hardly any contract of a pack can match
    /// what an agent changes, and making all of them takes longer than the rest of a hook.
    pub fn run_lazily(self, loading: Loading) -> Loaded {
        let mut loaded = Loaded::default();
        let top = RelPath::default();
        let folders = self.all_folders(&top);
        for folder in &folders {
            loaded.configs.extend(self.config(folder, &mut loaded.mistakes));
        }
        loaded.from = self.layers(&folders, &loaded.configs, &mut loaded.mistakes);
        loaded.layers = layers::load_lazily(&loaded.from, loading);
        if !loaded.layers.has_lazy_packs() {
            loaded.load_packs(None);
        }
        loaded
    }

    /// The configurations alone, the project's own first. One that is wrong counts as if it were not there.
    pub fn configs(self) -> Vec<Placed> {
        let mut mistakes = Vec::new();
        let top = RelPath::default();
        self.all_folders(&top).into_iter().filter_map(|folder| self.config(folder, &mut mistakes)).collect()
    }

    /// The project and its directories that have settings, those further in last.
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

    /// The configuration of a directory, if there is one and it is valid.
    fn config(&self, folder: &RelPath, mistakes: &mut Vec<Warning>) -> Option<Placed> {
        let file = PathBuf::from(folder.join(CONFIG).to_text().into_owned());
        let text = self.settings.file(&folder.join(CONFIG)).and_then(|found| match found {
            Found::OnDisk => config::text(&self.on_disk(folder)),
            Found::Here(bytes) => Ok(Some(bytes)),
            Found::Nowhere => Ok(None),
        });
        let text = text.unwrap_or_else(|what| {
            mistakes.push(Warning::about(&file, what));
            None
        });
        match config::parse(&text?, &file) {
            Ok(config) => Some(Placed { base: folder.clone(), config, file }),
            Err(mut wrong) => {
                mistakes.append(&mut wrong);
                None
            }
        }
    }

    fn on_disk(&self, folder: &RelPath) -> PathBuf {
        match folder.as_bytes() {
            [] => self.root.path().to_owned(),
            _ => self.root.path().join(folder.to_native()),
        }
    }

    /// The layers, in the order of their precedence.
    fn layers(&self, folders: &[&RelPath], configs: &[Placed], mistakes: &mut Vec<Warning>) -> Vec<Layer> {
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

    /// The contracts of a directory that no configuration names. No commit knows it.
    fn elsewhere(&self, directory: &Directory) -> Layer {
        let directory = directory.clone();
        match self.settings {
            Settings::Overlaid(_, overlay) => {
                let from = Supply::Overlaid(directory, Arc::clone(overlay));
                Layer { base: RelPath::default(), from }
            }
            Settings::OnDisk | Settings::Staged(_) | Settings::Committed(_) => Layer::of_directory(directory),
        }
    }

    /// The contracts of a directory of the project, in the state that counts.
    fn own(&self, folder: &RelPath, mistakes: &mut Vec<Warning>) -> Option<Layer> {
        let inside = folder.join(PROJECT_CONTRACTS);
        let path = self.on_disk(folder).join(PROJECT_CONTRACTS);
        let shown = PathBuf::from(inside.to_text().into_owned());
        let is_known = self.extra.older.iter().any(|older| older.path == path);
        let directory = Directory { kind: LayerKind::Project, path, shown, forms: Forms::Both };
        let from = match self.settings {
            Settings::OnDisk => Supply::Directory(directory),
            Settings::Overlaid(_, overlay) => Supply::Overlaid(directory, Arc::clone(overlay)),
            Settings::Staged(listing) => match listing.differing_files_in(&inside) {
                staged if staged.is_empty() => Supply::Directory(directory),
                staged => Supply::Staged(directory, staged.into_iter().collect()),
            },
            Settings::Committed(committed) => {
                let files = committed.files_in(&inside).unwrap_or_else(|what| {
                    mistakes.push(Warning::about(&directory.shown, what));
                    None
                });
                Supply::Committed(directory, files.unwrap_or_default())
            }
        };
        (!is_known).then(|| Layer { base: folder.clone(), from })
    }

    /// The further directories of a configuration.
    fn configured(&self, placed: &Placed, mistakes: &mut Vec<Warning>) -> Vec<Layer> {
        let mut layers = Vec::new();
        for named in &placed.config.contracts {
            let path = self.on_disk(&placed.base).join(&named.path);
            let files = match self.settings {
                Settings::Committed(committed) => self.committed_in(committed, &path).map(Some),
                Settings::Overlaid(_, overlay) if overlay.has_files_in(&path) => Ok(None),
                _ => path.read_dir().map(|_| None).map_err(|error| error.to_string()),
            };
            let files = match files {
                Ok(files) => files,
                Err(error) => {
                    let what = format!(
                        "'contracts': {} is not a readable directory: {error} (paths start at the directory that holds {SETTINGS})",
                        named.path.display()
                    );
                    mistakes.push(Warning::at(&placed.file, named.line, what));
                    continue;
                }
            };
            let shown = Path::new(&*placed.base.to_text()).join(&named.path);
            let directory = Directory { kind: LayerKind::Configured, path, shown, forms: Forms::Both };
            let from = match (files, self.settings) {
                (Some(files), _) => Supply::Committed(directory, files),
                (None, Settings::Overlaid(_, overlay)) => Supply::Overlaid(directory, Arc::clone(overlay)),
                (None, _) => Supply::Directory(directory),
            };
            layers.push(Layer { base: placed.base.clone(), from });
        }
        layers
    }

    /// The files of a directory that a configuration names, in a commit; only the project is in one.
    fn committed_in(&self, committed: &Committed, path: &Path) -> Result<BTreeMap<String, Vec<u8>>, String> {
        let path = resolve(self.root.path(), path).map_err(|error| error.to_string())?;
        if !self.root.contains(&path) {
            return Err(format!("it is outside the project, so it is not in {}", committed.revision()));
        }
        let files = committed.files_in(&self.root.relative(&path))?;
        files.ok_or_else(|| format!("it is not in {}", committed.revision()))
    }

    /// The packs, each once for a directory and all below it.
    fn packs(&self, configs: &[Placed]) -> Vec<Layer> {
        let mut layers: Vec<Layer> = self.extra.packs.iter().copied().map(Layer::of_pack).collect();
        for Placed { base, config: Config { packs, .. }, .. } in configs {
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

    /// Directories in the current one are opened from there: each directory on the way to a file costs time, and there may
    /// be many files.
    fn open_from_here(&self, layer: &mut Layer) {
        // The top of the file system may stand for a directory that is gone.
        let Some(cwd) = self.cwd.filter(|cwd| cwd.parent().is_some()) else { return };
        let (Supply::Directory(directory) | Supply::Staged(directory, _)) = &mut layer.from else { return };
        if let Ok(inside) = directory.path.strip_prefix(cwd)
            && !inside.as_os_str().is_empty()
        {
            directory.path = inside.to_owned();
        }
    }
}

/// The directories above files of the project that have settings on disk or staged, itself aside.
pub fn folders_above<'p>(
    root: &Root,
    paths: impl Iterator<Item = &'p RelPath>,
    staged: Option<&Listing>,
) -> Vec<RelPath> {
    let mut seen: BTreeSet<&[u8]> = BTreeSet::new();
    for path in paths {
        for directory in path.directories().filter(|directory| directory.len() <= LONGEST) {
            // All that are further up have been seen too.
            if !seen.insert(directory) {
                break;
            }
        }
    }
    let folders = seen.into_iter().map(RelPath::from_bytes);
    let is_staged =
        |folder: &RelPath| staged.is_some_and(|listing| listing.has_files_in(&folder.join(SETTINGS)));
    let is_there = |folder: &RelPath| root.path().join(folder.to_native()).join(SETTINGS).is_dir();
    folders.filter(|folder| is_there(folder) || is_staged(folder)).collect()
}
