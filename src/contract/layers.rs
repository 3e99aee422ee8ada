//! Layers of contracts, and which contract counts where several have one id.
//!
//! A layer is a directory or a pack. Layers stand in a list, in the order of their precedence: the first one that has
//! an id decides what the id means, also when its contract is switched off. Where the layers are is not known here.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use super::read::overlaid::Overlay;
use super::read::staged::Staged;
use super::read::{Directory, ExamplesWanted, Reader};
use super::scope::Case;
use super::selector::Selector;
use super::{Contract, LayerKind, MayHold, Warning};
use crate::deadline::Deadline;
use crate::pack::Pack;
use crate::path::{BASELINE, PROJECT_CONTRACTS, RelPath, Root};

mod packs;
#[cfg(test)]
mod tests;

/// Where version 1.2 keeps contracts in a project.
const OLDER_CONTRACTS: &str = ".phaser/contracts";

/// Contracts from one place, for the files below a directory of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// The directory; the project itself has an empty path.
    pub base: RelPath,
    /// Where they come from.
    pub from: Supply,
}

/// Something that contracts come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Supply {
    /// The files of a directory.
    Directory(Directory),
    /// The files of a directory as they are staged.
    Staged(Directory, Staged),
    /// The files of a directory as a commit has them, whatever is on disk.
    Committed(Directory, BTreeMap<String, Vec<u8>>),
    /// The files of a directory, some of them in another state than on disk.
    Overlaid(Directory, Arc<Overlay>),
    /// A pack built into phaser.
    Pack(&'static Pack),
}

impl Layer {
    /// Those of a directory, for the whole project.
    pub fn of_directory(directory: Directory) -> Self {
        Self { base: RelPath::default(), from: Supply::Directory(directory) }
    }

    /// Those of a pack, for the whole project.
    pub fn of_pack(pack: &'static Pack) -> Self {
        Self { base: RelPath::default(), from: Supply::Pack(pack) }
    }

    /// The pack that they come from, if it is one.
    pub fn pack(&self) -> Option<&'static Pack> {
        match self.from {
            Supply::Pack(pack) => Some(pack),
            Supply::Directory(_) | Supply::Staged(..) | Supply::Committed(..) | Supply::Overlaid(..) => None,
        }
    }

    /// The contracts, for the files that they are for here.
    fn place(&self, mut contracts: Vec<Contract>) -> Vec<Contract> {
        if self.base != RelPath::default() {
            contracts.iter_mut().for_each(|contract| contract.scope.base = self.base.clone());
        }
        contracts
    }

    /// The directory that they come from, with all links resolved. A link that is on disk says nothing about a commit.
    fn read_from(&self) -> Option<PathBuf> {
        match &self.from {
            Supply::Committed(directory, _) => Some(directory.path.clone()),
            _ => self.directory()?.path.canonicalize().ok(),
        }
    }

    /// The directory that they come from, if it is one.
    pub fn directory(&self) -> Option<&Directory> {
        match &self.from {
            Supply::Directory(directory)
            | Supply::Staged(directory, _)
            | Supply::Committed(directory, _)
            | Supply::Overlaid(directory, _) => Some(directory),
            Supply::Pack(_) => None,
        }
    }
}

/// The contracts of all layers.
#[derive(Debug, Default)]
pub struct Layers {
    /// The contract that counts for each id, also when it is switched off.
    pub contracts: Vec<Contract>,
    /// Contracts that another one with the same id stands in front of.
    pub shadowed: Vec<Contract>,
    /// What is wrong with the files.
    pub warnings: Vec<Warning>,
    /// Contract files that count as they are staged, and are something else on disk.
    pub different_on_disk: Vec<PathBuf>,
    /// The directories that were read, with all links resolved.
    pub directories: Vec<PathBuf>,
    /// Packs that have not been read yet.
    pub packs_left: Vec<Layer>,
}

/// Finds out what is wrong with a contract's pattern, which is not for this layer to judge.
pub type Broken = fn(&Contract) -> Option<Warning>;

/// How layers are loaded.
#[derive(Debug, Clone, Copy)]
pub struct Loading {
    /// Judges patterns.
    pub broken: Broken,
    /// When it must have ended; files that there is no time for are counted in a warning.
    pub deadline: Deadline,
    /// Are examples of interest?
    pub examples: ExamplesWanted,
    /// When packs are read.
    pub packs: ReadPacks,
}

/// When the contracts of packs are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadPacks {
    /// With all others.
    Now,
    /// When it is known which of them can matter: see [`Layers::read_packs`].
    Later,
}

impl Loading {
    /// With all there is, however long it takes.
    pub fn whole(broken: Broken) -> Self {
        let (deadline, examples) = (Deadline::NEVER, ExamplesWanted::Yes);
        Self { broken, deadline, examples, packs: ReadPacks::Now }
    }

    /// With what is needed to check files.
    pub fn to_enforce(broken: Broken) -> Self {
        Self { examples: ExamplesWanted::No, ..Self::whole(broken) }
    }
}

/// Loads layers, which stand in the order of their precedence.
pub fn load(layers: &[Layer], loading: Loading) -> Layers {
    let mut reader = Reader::new(loading.deadline, loading.examples);
    let mut stack = Stack { layers: Layers::default(), loading, sound: HashSet::new() };
    let mut contracts = Vec::with_capacity(layers.len());
    for layer in layers {
        let mut found = match &layer.from {
            Supply::Directory(directory) => reader.read(directory),
            Supply::Staged(directory, staged) => {
                let (found, mut different) = reader.read_staged(directory, staged);
                stack.layers.different_on_disk.append(&mut different);
                found
            }
            Supply::Committed(directory, files) => reader.read_committed(directory, files),
            Supply::Overlaid(directory, overlay) => reader.read_overlaid(directory, overlay),
            Supply::Pack(_) if loading.packs == ReadPacks::Later => {
                stack.layers.packs_left.push(layer.clone());
                continue;
            }
            Supply::Pack(pack) => packs::read(pack, loading.examples),
        };
        stack.layers.warnings.append(&mut found.warnings);
        stack.layers.directories.extend(layer.read_from());
        contracts.push(layer.place(found.contracts));
    }
    stack.add_all(contracts);
    stack.layers.warnings.sort();
    stack.layers
}

/// A change to some contracts, for some files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    /// The contracts.
    pub contracts: Vec<Selector>,
    /// The files, and what is changed for them.
    pub case: Case,
}

impl Override {
    /// Makes the change to a contract, if it is meant.
    fn apply_to(&self, contract: &mut Contract) {
        if !self.contracts.iter().any(|selector| selector.means(contract)) {
            return;
        }
        let (base, Case { files, change }) = (&contract.scope.base, &self.case);
        let all_below = *base == files.base || base.below(&files.base).is_some();
        if all_below && files.globs.is_empty() && contract.scope.cases().is_empty() {
            contract.severity = change.severity.unwrap_or(contract.severity);
            contract.enabled = change.enabled.unwrap_or(contract.enabled);
        } else if all_below || files.base.below(base).is_some() {
            contract.scope.add_cases([self.case.clone()]);
        }
    }
}

/// Makes changes to a contract; later ones win.
fn change(contract: &mut Contract, overrides: &[Override]) {
    overrides.iter().for_each(|one| one.apply_to(contract));
}

impl Layers {
    /// Makes changes to contracts; later ones win.
    pub fn apply(&mut self, overrides: &[Override]) {
        self.contracts.iter_mut().for_each(|contract| change(contract, overrides));
    }

    /// Reads the packs that were left, and makes changes to their contracts: to all of them, or to those that these texts
    /// could violate and maybe others. There is always one that counts, if there is one in all.
    pub fn read_packs(&mut self, texts: Option<&dyn MayHold>, loading: Loading, overrides: &[Override]) {
        let left = std::mem::take(&mut self.packs_left);
        let Some(first) = left.iter().find_map(Layer::pack) else { return };
        let mut known: Vec<&str> = self.contracts.iter().map(|contract| contract.id.as_str()).collect();
        known.sort_unstable();
        let is_known = |id: &str| known.binary_search(&id).is_ok();
        let sample = packs::first(first, is_known).filter(|sample| {
            let mut sample = sample.clone();
            change(&mut sample, overrides);
            sample.enabled && sample.scope.cases().is_empty()
        });
        let is_wanted = |id: &str| is_known(id) || sample.as_ref().is_some_and(|sample| sample.id == id);
        let read = |layer: &Layer| {
            let found = match (layer.pack()?, texts) {
                (pack, Some(texts)) if sample.is_some() => packs::read_possible(pack, texts, is_wanted),
                (pack, _) => packs::read(pack, loading.examples),
            };
            Some(layer.place(found.contracts))
        };
        let contracts: Vec<_> = left.iter().filter_map(read).collect();
        let mut stack = Stack { layers: std::mem::take(self), loading, sound: HashSet::new() };
        stack.add_all(contracts);
        *self = stack.layers;
        self.warnings.sort();
        let of_packs = |contract: &&mut Contract| contract.origin.layer == LayerKind::Pack;
        self.contracts.iter_mut().filter(of_packs).for_each(|contract| change(contract, overrides));
    }

    /// The directories that contracts are read from, as files in them are called in this project, with all links
    /// resolved, and the baseline. Contracts about content do not apply there: a pattern would match its own definition.
    pub fn exempt(&self, root: &Root) -> Vec<RelPath> {
        let usual = [PROJECT_CONTRACTS, OLDER_CONTRACTS, BASELINE].map(RelPath::from);
        let read = self.directories.iter().map(|directory| root.relative(directory));
        let mut exempt: Vec<_> = usual.into_iter().chain(read).collect();
        exempt.sort_unstable();
        exempt.dedup();
        exempt
    }

    /// The contracts of the user that the project switches off: first the one that does it, then the one that is meant.
    pub fn switched_off(&self) -> impl Iterator<Item = (&Contract, &Contract)> {
        let users =
            self.shadowed.iter().filter(|hidden| hidden.enabled && hidden.origin.layer == LayerKind::User);
        users.filter_map(|hidden| {
            let counts = self.contracts.iter().find(|contract| contract.id == hidden.id)?;
            let is_the_projects = counts.origin.layer == LayerKind::Project;
            (is_the_projects && !counts.enabled).then_some((counts, hidden))
        })
    }

    /// What whoever wonders should know, a line each: contracts of the user that the project switches off, and contract
    /// files that count as they are staged.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        let switched_off = self.switched_off().map(|(counts, hidden)| {
            let (by, file) = (counts.origin.file.display(), hidden.origin.file.display());
            format!("{} of {file} is switched off by {by}", hidden.id)
        });
        let staged = self.different_on_disk.iter().map(|file| {
            format!(
                "{} counts as it is staged; on disk it is different (stage it, or undo it)",
                file.display()
            )
        });
        switched_off.chain(staged)
    }
}

/// Layers as they are put on top of each other.
struct Stack {
    layers: Layers,
    loading: Loading,
    /// The contracts that are known not to be broken, by their index.
    sound: HashSet<usize>,
}

impl Stack {
    /// Adds the contracts of all layers, those with higher precedence first, and all with lower precedence than those that
    /// are there. Mostly no id is there twice.
    fn add_all(&mut self, mut all: Vec<Vec<Contract>>) {
        if are_unique(self.layers.contracts.iter().chain(all.iter().flatten())) {
            let more: usize = all.iter().map(Vec::len).sum();
            let there = &mut self.layers.contracts;
            if there.is_empty() && !all.is_empty() {
                *there = all.remove(0);
            }
            there.reserve_exact(more);
            all.into_iter().for_each(|contracts| there.extend(contracts));
        } else {
            all.into_iter().for_each(|contracts| self.add(contracts));
        }
    }

    /// Adds the contracts of a layer, which have lower precedence than all that are there.
    ///
    /// Among themselves, the first enabled one with an id counts, so that adding a file cannot disarm one.
    /// Nor can a broken one stand in front of another, whichever comes first. One for the files below a directory stands in
    /// front of others there, and nowhere else.
    fn add(&mut self, contracts: Vec<Contract>) {
        let there = &self.layers.contracts;
        let first_added = there.len();
        let mut by_id: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, contract) in there.iter().enumerate() {
            by_id.entry(contract.id.clone()).or_default().push(at);
        }
        for contract in contracts {
            let same = by_id.entry(contract.id.clone()).or_default();
            let covers =
                |at: &&usize| self.base(**at) == &contract.scope.base || self.is_below(&contract, **at);
            match same.iter().find(covers).copied() {
                Some(at) if self.gives_way(at) => {
                    let hidden = std::mem::replace(&mut self.layers.contracts[at], contract);
                    self.layers.shadowed.push(hidden);
                }
                Some(at) if at < first_added => self.layers.shadowed.push(contract),
                Some(at) => self.choose(at, contract),
                None => {
                    let contract = self.leaving_room(contract, same);
                    same.push(self.layers.contracts.len());
                    self.layers.contracts.push(contract);
                }
            }
        }
    }

    fn base(&self, at: usize) -> &RelPath {
        &self.layers.contracts[at].scope.base
    }

    /// Is the directory of a contract below that of another one?
    fn is_below(&self, contract: &Contract, at: usize) -> bool {
        contract.scope.base.below(self.base(at)).is_some()
    }

    /// A contract that does not count below the directories of those that have its id, unless they are broken.
    fn leaving_room(&self, mut contract: Contract, same: &[usize]) -> Contract {
        for &at in same {
            let nearer = &self.layers.contracts[at];
            let is_sound = !nearer.enabled
                || self.loading.deadline.has_passed()
                || (self.loading.broken)(nearer).is_none();
            if nearer.scope.base.below(&contract.scope.base).is_some() && is_sound {
                contract.scope.nearer.push(nearer.scope.base.clone());
            }
        }
        contract
    }

    /// Is the contract that counts so far broken? Then that is a warning, and another one may take its place.
    fn gives_way(&mut self, at: usize) -> bool {
        let first = &self.layers.contracts[at];
        if self.loading.deadline.has_passed() || !first.enabled || self.sound.contains(&at) {
            return false;
        }
        let Some(warning) = (self.loading.broken)(first) else {
            self.sound.insert(at);
            return false;
        };
        self.layers.warnings.push(warning);
        true
    }

    /// Two contracts of one layer have the same id: the first enabled one counts.
    fn choose(&mut self, at: usize, contract: Contract) {
        let first = &mut self.layers.contracts[at];
        let dropped =
            if contract.enabled && !first.enabled { std::mem::replace(first, contract) } else { contract };
        let what = format!(
            "rule id '{}' is used again, and the one in {} counts (rename one of them)",
            dropped.id,
            first.origin.file.display()
        );
        self.layers.warnings.push(Warning::about(&dropped.origin.file, what));
        self.layers.shadowed.push(dropped);
    }
}

/// Has no id more than one contract?
fn are_unique<'a>(contracts: impl Iterator<Item = &'a Contract>) -> bool {
    let mut ids: Vec<&str> = contracts.map(|contract| contract.id.as_str()).collect();
    ids.sort_unstable();
    ids.windows(2).all(|pair| pair[0] != pair[1])
}
