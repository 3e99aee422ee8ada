//! Layers of contracts, and which contract applies if several have one id.
//!
//! A layer is a directory or a pack. Layers are listed by precedence. The first one with an id defines it, even if it
//! disables the contract.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::read::{ContractDirectory, ContractReader, FileContents};
use crate::config::DirectoryConfig;
use crate::packs::Pack;
use crate::path::{BASELINE, PROJECT_CONTRACTS, RelPath, Root, TOP_BASELINE, TOP_CONFIG};
use phaser_core::contract::scope::FileOverride;
use phaser_core::contract::selector::Selector;
use phaser_core::contract::{Contract, LayerKind, LiteralFilter, Warning};
use phaser_core::deadline::Deadline;
use phaser_core::file_kind::FileKinds;

mod packs;
mod stack;
#[cfg(test)]
mod tests;

use packs::record;
use stack::Stack;

/// The contract directory of version 1.2.
const OLDER_CONTRACTS: &str = ".phaser/contracts";

/// Contracts of one origin, for the files below a directory of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// The directory; empty for the project itself.
    pub base: RelPath,
    /// The origin.
    pub from: Supply,
}

/// The origin of a layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Supply {
    /// The files of a directory.
    Directory(ContractDirectory, FileContents),
    /// A pack built into phaser.
    Pack(&'static Pack),
}

impl Layer {
    /// The layer of a directory, for the whole project.
    pub fn of_directory(directory: ContractDirectory) -> Self {
        Self { base: RelPath::default(), from: Supply::Directory(directory, FileContents::OnDisk) }
    }

    /// The layer of a pack, for the whole project.
    pub fn of_pack(pack: &'static Pack) -> Self {
        Self { base: RelPath::default(), from: Supply::Pack(pack) }
    }

    /// The pack, if it is one.
    pub fn pack(&self) -> Option<&'static Pack> {
        match self.from {
            Supply::Pack(pack) => Some(pack),
            Supply::Directory(..) => None,
        }
    }

    /// The directory with links resolved. Not resolved for a commit, which the links on disk do not belong to.
    fn read_from(&self) -> Option<PathBuf> {
        match &self.from {
            Supply::Directory(directory, FileContents::Only(_)) => Some(directory.path.clone()),
            Supply::Directory(directory, _) => directory.path.canonicalize().ok(),
            Supply::Pack(_) => None,
        }
    }

    /// The directory, if it is one.
    pub fn directory(&self) -> Option<&ContractDirectory> {
        match &self.from {
            Supply::Directory(directory, _) => Some(directory),
            Supply::Pack(_) => None,
        }
    }
}

/// Whose contracts a layer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ContractOwner {
    /// The project: its directories, configured ones, or those of `--contracts-dir`.
    Project,
    /// The user.
    User,
    /// phaser.
    Pack,
}

impl From<LayerKind> for ContractOwner {
    fn from(kind: LayerKind) -> Self {
        match kind {
            LayerKind::Named | LayerKind::Project | LayerKind::Configured => Self::Project,
            LayerKind::User => Self::User,
            LayerKind::Pack => Self::Pack,
        }
    }
}

/// The contracts of a project, with its configurations.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The contract that defines each id, with overrides applied, disabled ones included.
    pub contracts: Vec<Contract>,
    /// Contracts whose id a contract of higher precedence defines.
    pub shadowed: Vec<Contract>,
    /// Problems in contract files.
    pub warnings: Vec<Warning>,
    /// The owners of files that hold no valid contract.
    pub broken: BTreeSet<ContractOwner>,
    /// Contract files that apply as staged and differ on disk.
    pub different_on_disk: Vec<PathBuf>,
    /// The layers that the contracts come from, highest precedence first.
    pub from: Vec<Layer>,
    /// How [`Self::load_packs`] loads the packs, if they are not loaded yet.
    pub lazy_packs: Option<Loading>,
    /// The configurations, the root's first.
    pub configs: Vec<DirectoryConfig>,
    /// Errors in configurations. A broken configuration is treated as absent.
    pub mistakes: Vec<Warning>,
}

/// Validates the pattern of a contract. A function, because the matcher belongs to a higher level.
pub type Broken = fn(&Contract) -> Option<Warning>;

/// How to load layers.
#[derive(Debug, Clone, Copy)]
pub struct Loading {
    /// Validates patterns.
    pub broken: Broken,
    /// When to stop; a warning counts the files that were not read.
    pub deadline: Deadline,
    /// Whether examples are needed.
    pub examples: bool,
}

impl Loading {
    /// Loads everything, without a deadline.
    pub fn whole(broken: Broken) -> Self {
        let (deadline, examples) = (Deadline::NEVER, true);
        Self { broken, deadline, examples }
    }

    /// Loads what enforcing needs: no examples.
    pub fn to_enforce(broken: Broken) -> Self {
        Self { examples: false, ..Self::whole(broken) }
    }
}

/// Loads layers, listed by precedence, packs last.
pub fn load(layers: &[Layer], loading: Loading) -> Loaded {
    let mut loaded = load_lazily(layers.to_vec(), loading);
    loaded.load_packs(None);
    loaded
}

/// Loads layers without packs, which [`Loaded::load_packs`] loads.
pub fn load_lazily(layers: Vec<Layer>, loading: Loading) -> Loaded {
    let mut stack = Stack::new(Loaded::default(), loading);
    stack.add_all(read(layers.iter().filter(|layer| layer.pack().is_none()), loading));
    Loaded { lazy_packs: Some(loading), from: layers, ..stack.finish() }
}

/// The contents of layers.
#[derive(Debug, Default)]
struct LayerContents {
    /// The contracts of each layer.
    contracts: Vec<Vec<Contract>>,
    warnings: Vec<Warning>,
    broken: BTreeSet<ContractOwner>,
    different_on_disk: Vec<PathBuf>,
}

fn read<'l>(layers: impl Iterator<Item = &'l Layer>, loading: Loading) -> LayerContents {
    let mut reader = ContractReader::new(loading.deadline);
    let mut read = LayerContents::default();
    for layer in layers {
        let mut found = match &layer.from {
            Supply::Directory(directory, contents) => reader.read(directory, contents),
            Supply::Pack(pack) => packs::read(pack, loading.examples),
        };
        if let Some(directory) = layer.directory()
            && found.warnings.iter().any(Warning::skips_contract)
        {
            read.broken.insert(directory.kind.into());
        }
        read.warnings.append(&mut found.warnings);
        read.different_on_disk.append(&mut found.different_on_disk);
        read.add(found.contracts, &layer.base);
    }
    read
}

impl LayerContents {
    /// Adds the contracts of a layer, for the files below `base`.
    fn add(&mut self, mut contracts: Vec<Contract>, base: &RelPath) {
        if *base != RelPath::default() {
            contracts.iter_mut().for_each(|contract| contract.scope.base = base.clone());
        }
        self.contracts.push(contracts);
    }
}

/// A change to some contracts, for some files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    /// The contracts.
    pub contracts: Vec<Selector>,
    /// The line of `contracts` in the configuration.
    pub line: usize,
    /// The files and the change.
    pub case: FileOverride,
}

impl Override {
    /// Applies the change to a contract that it selects.
    fn apply_to(&self, contract: &mut Contract) {
        if !self.contracts.iter().any(|selector| selector.selects(contract)) {
            return;
        }
        let (base, FileOverride { files, change }) = (&contract.scope.base, &self.case);
        let all_below = *base == files.base || base.below(&files.base).is_some();
        if all_below && files.globs.is_empty() && contract.scope.overrides().is_empty() {
            contract.severity = change.severity.unwrap_or(contract.severity);
            contract.enabled = change.enabled.unwrap_or(contract.enabled);
        } else if all_below || files.base.below(base).is_some() {
            contract.scope.add_overrides([self.case.clone()]);
        }
    }
}

/// Applies changes to a contract; later ones win.
pub fn apply_overrides(contract: &mut Contract, overrides: &[Override]) {
    overrides.iter().for_each(|one| one.apply_to(contract));
}

/// What is known about the targets before the contracts of packs are built. May return false positives, never false
/// negatives.
pub trait TargetFilter: LiteralFilter {
    /// Whether a target may have a file name that `fits`.
    fn may_have_name(&self, fits: &dyn Fn(&[u8]) -> bool) -> bool;

    /// Whether a target may have a path that shows none of these kinds.
    fn may_be_outside(&self, kinds: FileKinds) -> bool;
}

impl Loaded {
    /// Whether there is no contract, enabled or not.
    pub fn is_empty(&self) -> bool {
        self.contracts.is_empty() && !self.has_lazy_packs()
    }

    /// Whether there are packs for [`Self::load_packs`].
    pub fn has_lazy_packs(&self) -> bool {
        self.lazy_packs.is_some() && self.packs().next().is_some()
    }

    fn packs(&self) -> impl Iterator<Item = &Layer> {
        self.from.iter().filter(|layer| layer.pack().is_some())
    }

    /// Loads the packs that [`load_lazily`] left, and applies the overrides of the configurations to all contracts.
    /// Does nothing the second time.
    ///
    /// With `targets`, contracts that no target can violate may be left out. If any layer has a contract enabled for all
    /// files, at least one is loaded.
    pub fn load_packs(&mut self, targets: Option<&dyn TargetFilter>) {
        let Some(loading) = self.lazy_packs.take() else { return };
        let overrides: Vec<_> = self.configs.iter().flat_map(DirectoryConfig::overrides).collect();
        if self.packs().next().is_some() {
            let targets = targets.filter(|_| !loading.examples);
            let candidates = targets.and_then(|targets| self.candidates(targets, &overrides));
            let read = candidates.unwrap_or_else(|| read(self.packs(), loading));
            let mut stack = Stack::new(std::mem::take(self), loading);
            stack.add_all(read);
            *self = stack.finish();
        }
        self.contracts.iter_mut().for_each(|contract| apply_overrides(contract, &overrides));
    }

    /// The contracts of packs that `targets` may violate, and the first one of all. `None` if leaving out the others
    /// would change the result: ids collide, or none of these is certain to be enabled.
    fn candidates(&self, targets: &dyn TargetFilter, overrides: &[Override]) -> Option<LayerContents> {
        let (mut read, mut ids): (_, Vec<&str>) = (LayerContents::default(), Vec::new());
        for layer in self.packs() {
            let mut is_first = read.contracts.is_empty();
            let is_wanted =
                |record: &[u8]| std::mem::take(&mut is_first) || record::may_match(record, targets);
            let selected = packs::select(layer.pack()?, is_wanted)?;
            read.warnings.extend(selected.warning(layer.pack()?));
            ids.extend(selected.skipped);
            read.add(selected.contracts, &layer.base);
        }
        let mut known = self.contracts.iter().chain(read.contracts.iter().flatten());
        ids.extend(known.clone().map(|contract| contract.id.as_str()));
        // Stable sort: fast, because the ids of each pack are sorted already.
        ids.sort();
        let is_enabled = |contract: &Contract| {
            let mut contract = contract.clone();
            apply_overrides(&mut contract, overrides);
            contract.enabled && contract.scope.overrides().is_empty()
        };
        let are_unique = ids.windows(2).all(|pair| pair[0] != pair[1]);
        let is_complete = are_unique && known.any(is_enabled);
        is_complete.then_some(read)
    }

    /// The directories of all layers, with links resolved.
    pub fn directories(&self) -> impl Iterator<Item = PathBuf> {
        self.from.iter().filter_map(Layer::read_from)
    }

    /// Paths to which contracts about content do not apply: the contract directories, with links resolved, and the
    /// baseline. A pattern would match its own definition.
    pub fn exempt(&self, root: &Root) -> Vec<RelPath> {
        let usual = [PROJECT_CONTRACTS, OLDER_CONTRACTS, BASELINE].map(RelPath::from);
        let read = self.directories().map(|directory| root.relative(&directory));
        let is_at_top = self.configs.iter().any(|placed| placed.file == Path::new(TOP_CONFIG));
        let baseline = is_at_top.then(|| RelPath::from(TOP_BASELINE));
        let mut exempt: Vec<_> = usual.into_iter().chain(read).chain(baseline).collect();
        exempt.sort_unstable();
        exempt.dedup();
        exempt
    }

    /// The user's contracts that the project disables, as pairs of the disabling and the disabled contract.
    pub fn switched_off(&self) -> impl Iterator<Item = (&Contract, &Contract)> {
        let users =
            self.shadowed.iter().filter(|hidden| hidden.enabled && hidden.origin.layer == LayerKind::User);
        users.filter_map(|hidden| {
            let counts = self.contracts.iter().find(|contract| contract.id == hidden.id)?;
            let is_the_projects = counts.origin.layer == LayerKind::Project;
            (is_the_projects && !counts.enabled).then_some((counts, hidden))
        })
    }

    /// Notes: user contracts that the project disables, and contract files that differ from their staged version.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        let switched_off = self.switched_off().map(|(counts, hidden)| {
            let (by, file) = (counts.origin.file.display(), hidden.origin.file.display());
            format!("{} of {file} is disabled by {by}", hidden.id)
        });
        let staged = self.different_on_disk.iter().map(|file| {
            format!(
                "{}: using the staged version, which differs on disk (stage or revert the file)",
                file.display()
            )
        });
        switched_off.chain(staged)
    }
}
