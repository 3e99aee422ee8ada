//! Merges layers: decides which contract defines each id.

use std::collections::{HashMap, HashSet};
use std::fmt::Display;

use super::{LayerContents, Loaded, Loading};
use crate::path::RelPath;
use phaser_core::contract::{Contract, Warning};

/// The layers merged so far, highest precedence first.
pub(super) struct Stack {
    layers: Loaded,
    loading: Loading,
    /// The indices of contracts whose pattern is known to be valid.
    sound: HashSet<usize>,
}

impl Stack {
    pub(super) fn new(layers: Loaded, loading: Loading) -> Self {
        Self { layers, loading, sound: HashSet::new() }
    }

    pub(super) fn finish(self) -> Loaded {
        self.layers
    }

    /// Adds layers, listed by precedence, below those already merged. Without duplicate ids, the usual case, this is
    /// a concatenation.
    pub(super) fn add_all(&mut self, read: LayerContents) {
        let LayerContents { contracts: mut all, mut warnings, mut broken, mut different_on_disk } = read;
        self.layers.warnings.append(&mut warnings);
        self.layers.broken.append(&mut broken);
        self.layers.different_on_disk.append(&mut different_on_disk);
        if are_unique(self.layers.contracts.iter().chain(all.iter().flatten())) {
            let there = &mut self.layers.contracts;
            if there.is_empty() && !all.is_empty() {
                *there = all.remove(0);
            }
            there.reserve_exact(all.iter().map(Vec::len).sum());
            all.into_iter().for_each(|contracts| there.extend(contracts));
        } else {
            all.into_iter().for_each(|contracts| self.add(contracts));
        }
        self.layers.warnings.sort();
    }

    /// Adds the contracts of one layer, below those already merged.
    ///
    /// Within a layer, the first enabled contract with an id defines it, so that adding a file cannot disable one. A
    /// broken contract never hides another one. A contract of a nested directory hides others below that directory
    /// only.
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

    /// Whether the base of `contract` is below that of the contract at `at`.
    fn is_below(&self, contract: &Contract, at: usize) -> bool {
        contract.scope.base.below(self.base(at)).is_some()
    }

    /// Excludes the bases of nested contracts with the same id from the scope of `contract`, unless they are broken.
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

    /// Whether the contract at `at` is broken. Adds the warning; another contract may take its place.
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

    /// Resolves a duplicate id within a layer: the first enabled contract wins, with a warning.
    fn choose(&mut self, at: usize, contract: Contract) {
        let first = &mut self.layers.contracts[at];
        let dropped =
            if contract.enabled && !first.enabled { std::mem::replace(first, contract) } else { contract };
        let (file, used) = (&dropped.origin.file, first.origin.file.display());
        let what = |used: &dyn Display| {
            format!("duplicate rule id '{}'; using the one in {used} (rename one of them)", dropped.id)
        };
        self.layers.warnings.push(if *file == first.origin.file {
            Warning::at(file, dropped.line, what(&format_args!("line {}", first.line)))
        } else {
            Warning::about(file, what(&used))
        });
        self.layers.shadowed.push(dropped);
    }
}

/// Whether no id occurs twice.
fn are_unique<'a>(contracts: impl Iterator<Item = &'a Contract>) -> bool {
    let mut ids: Vec<&str> = contracts.map(|contract| contract.id.as_str()).collect();
    ids.sort_unstable();
    ids.windows(2).all(|pair| pair[0] != pair[1])
}
