//! Layers of contracts, and which contract counts where several have one id.
//!
//! A layer is a directory or a pack. Layers stand in a list, in the order of their precedence: the first one that has
//! an id decides what the id means, also when its contract is switched off. Where the layers are is not known here.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::compiled;
use super::compiled::record::Sieve;
use super::read::overlaid::Overlay;
use super::read::staged::Staged;
use super::read::{Directory, ExamplesWanted, Reader};
use crate::packs::Pack;
use crate::path::{BASELINE, PROJECT_CONTRACTS, RelPath, Root};
use phaser_core::contract::scope::Case;
use phaser_core::contract::selector::Selector;
use phaser_core::contract::{Contract, LayerKind, MayHold, Warning};
use phaser_core::deadline::Deadline;
use phaser_core::digest::digest;

mod packs;
mod stack;
#[cfg(test)]
mod tests;

use stack::Stack;

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

    /// Can its contracts be judged before they are made?
    fn may_wait(&self) -> bool {
        match &self.from {
            Supply::Pack(_) => true,
            Supply::Directory(directory) => compiled::exists(&directory.path),
            Supply::Staged(..) | Supply::Committed(..) | Supply::Overlaid(..) => false,
        }
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
    /// The directories of all layers, with all links resolved.
    pub directories: Vec<PathBuf>,
    /// Layers that have not been read yet.
    pub left: Option<Left>,
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
    /// When layers are read of which only some contracts may be needed.
    pub made: Made,
}

/// When contracts are made that can be judged before: those of packs, and those that were compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    /// With all others.
    Now,
    /// When it is known which of them can matter: see [`Layers::read_left`].
    Later,
}

impl Loading {
    /// With all there is, however long it takes.
    pub fn whole(broken: Broken) -> Self {
        let (deadline, examples) = (Deadline::NEVER, ExamplesWanted::Yes);
        Self { broken, deadline, examples, made: Made::Now }
    }

    /// With what is needed to check files.
    pub fn to_enforce(broken: Broken) -> Self {
        Self { examples: ExamplesWanted::No, ..Self::whole(broken) }
    }
}

/// Loads layers, which stand in the order of their precedence.
pub fn load(layers: &[Layer], loading: Loading) -> Layers {
    let mut reader = Reader::new(loading.deadline, loading.examples);
    let read_now = match loading.made {
        Made::Now => layers.len(),
        Made::Later => layers.iter().position(Layer::may_wait).unwrap_or(layers.len()),
    };
    let (now, later) = layers.split_at(read_now);
    let read = read(now, &mut reader, None);
    let mut stack = Stack::new(Layers::default(), loading);
    stack.add_all(read);
    let left = (!later.is_empty()).then(|| Left { layers: later.to_vec(), reader });
    let directories = layers.iter().filter_map(Layer::read_from).collect();
    Layers { left, directories, ..stack.finish() }
}

/// Layers that have not been read yet.
#[derive(Debug)]
pub struct Left {
    layers: Vec<Layer>,
    reader: Reader,
}

/// What is in layers.
#[derive(Debug, Default)]
struct Read {
    /// The contracts of each.
    contracts: Vec<Vec<Contract>>,
    /// The digests of the ids of others, which cannot matter.
    passed: Vec<u64>,
    warnings: Vec<Warning>,
    different_on_disk: Vec<PathBuf>,
}

/// Reads layers: all contracts, or those that a sieve keeps.
fn read(layers: &[Layer], reader: &mut Reader, sieve: Option<&Sieve<'_>>) -> Read {
    let mut read = Read::default();
    for layer in layers {
        let mut found = match &layer.from {
            Supply::Directory(directory) => reader.read(directory, sieve),
            Supply::Staged(directory, staged) => {
                let (found, mut different) = reader.read_staged(directory, staged);
                read.different_on_disk.append(&mut different);
                found
            }
            Supply::Committed(directory, files) => reader.read_committed(directory, files),
            Supply::Overlaid(directory, overlay) => reader.read_overlaid(directory, overlay),
            Supply::Pack(pack) => packs::read(pack, reader.examples(), sieve),
        };
        read.warnings.append(&mut found.warnings);
        read.passed.append(&mut found.passed);
        if layer.base != RelPath::default() {
            found.contracts.iter_mut().for_each(|contract| contract.scope.base = layer.base.clone());
        }
        read.contracts.push(found.contracts);
    }
    read
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

    /// Reads the layers that were left: all of their contracts, or those that these texts could violate and maybe others.
    /// There is always one that counts after the changes to come, if there is one in all.
    pub fn read_left(&mut self, texts: Option<&dyn MayHold>, loading: Loading, overrides: &[Override]) {
        let Some(Left { layers, mut reader }) = self.left.take() else { return };
        let some = texts.map(|texts| read(&layers, &mut reader.clone(), Some(&Sieve::new(texts))));
        let some = some.filter(|some| self.suffice_with(some, overrides));
        let read = some.unwrap_or_else(|| read(&layers, &mut reader, None));
        let mut stack = Stack::new(std::mem::take(self), loading);
        stack.add_all(read);
        *self = stack.finish();
    }

    /// Can the contracts that were passed over be left alone? Not if one of them may stand in front of another, or behind
    /// it; nor if it is not certain that one of the others counts.
    fn suffice_with(&self, some: &Read, overrides: &[Override]) -> bool {
        let mut made = self.contracts.iter().chain(some.contracts.iter().flatten());
        let ids = made.clone().map(|contract| digest(contract.id.as_bytes()));
        let mut ids: Vec<u64> = ids.chain(some.passed.iter().copied()).collect();
        ids.sort_unstable();
        let counts = |contract: &Contract| {
            let mut contract = contract.clone();
            change(&mut contract, overrides);
            contract.enabled && contract.scope.cases().is_empty()
        };
        ids.windows(2).all(|pair| pair[0] != pair[1]) && made.any(counts)
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
