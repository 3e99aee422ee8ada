//! All violations of a run, in their order: as they are, or, when there are very many, packed.
//!
//! Beyond some megabytes the scan packs the violations of a file as soon as it has found them, and whoever looks at them
//! gets them unpacked, one file at a time. That is enough, because what becomes of violations later is of two kinds: a state
//! is decided, which is kept beside what is packed; or those of a file are changed by a function that needs nothing else,
//! which is remembered, and called whenever they are unpacked. Nothing is written to a disk, which might be full, and might
//! not be the place for what was found.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;
use std::{slice, vec};

use crate::contract::{Contract, Severity};
use crate::path::RelPath;
use crate::violation::{State, Violation};

mod packed;
pub(crate) mod record;

use packed::{Kind, Unpacking};
pub(crate) use packed::{Packed, Packer};

/// All violations of a run, by path, place and rule id. Those of a file stand together.
#[derive(Debug, Default)]
pub struct Violations {
    /// In the order of their paths. The violations of a file are all in one part, and no part is empty.
    parts: Vec<Part>,
    /// The contracts that packed violations name by their numbers.
    contracts: Vec<Arc<Contract>>,
    /// What has happened to the violations of each file since they were packed, but for their states.
    changes: Vec<Change>,
}

/// Changes the violations of one file, but for their number and their states.
pub(crate) type Change = fn(&mut [Violation]);

#[derive(Debug)]
enum Part {
    /// The violations of some files.
    Held(Vec<Violation>),
    /// The violations of one file.
    Packed(Packed),
}

impl Part {
    fn first_path(&self) -> Option<&RelPath> {
        match self {
            Self::Held(violations) => violations.first().map(|violation| &violation.path),
            Self::Packed(file) => Some(file.path()),
        }
    }
}

/// The order of violations.
pub(crate) fn in_order(one: &Violation, other: &Violation) -> Ordering {
    let place = |violation: &'_ Violation| violation.found.as_ref().map(|found| found.region);
    let by_place = one.path.cmp(&other.path).then_with(|| place(one).cmp(&place(other)));
    by_place.then_with(|| one.contract.id.cmp(&other.contract.id))
}

/// How much memory violations take, in bytes, roughly.
pub(crate) fn size(violations: &[Violation]) -> usize {
    let texts = violations.iter().map(|violation| {
        violation.found.as_ref().map_or(0, |found| found.text.capacity() + found.line.capacity())
            + violation.path.as_bytes().len()
    });
    size_of_val(violations) + texts.sum::<usize>()
}

/// These violations, which are in order.
impl From<Vec<Violation>> for Violations {
    fn from(violations: Vec<Violation>) -> Self {
        Self { parts: held(violations).into_iter().collect(), ..Self::default() }
    }
}

fn held(violations: Vec<Violation>) -> Option<Part> {
    (!violations.is_empty()).then_some(Part::Held(violations))
}

impl FromIterator<Violation> for Violations {
    fn from_iter<I: IntoIterator<Item = Violation>>(violations: I) -> Self {
        Vec::from_iter(violations).into()
    }
}

impl Violations {
    /// What was found, in any order; some files are packed.
    pub(crate) fn gathered(
        mut found: Vec<Violation>,
        mut packed: Vec<Packed>,
        contracts: &[Arc<Contract>],
    ) -> Self {
        if packed.is_empty() {
            found.sort_by(in_order);
            return found.into();
        }
        packed.sort_by(|one, other| one.path().cmp(other.path()));
        // The violations of a file are to stand together.
        let mut shared: HashSet<RelPath> = found.iter().map(|violation| violation.path.clone()).collect();
        let twice = packed.windows(2).filter(|pair| pair[0].path() == pair[1].path());
        shared.extend(twice.map(|pair| pair[0].path().clone()));
        let (to_unpack, packed): (Vec<_>, Vec<_>) =
            packed.into_iter().partition(|file| shared.contains(file.path()));
        let unpacking = Unpacking { contracts, changes: &[] };
        found.extend(to_unpack.iter().flat_map(|file| file.unpack(unpacking)));
        found.sort_by(in_order);
        let mut found = found.into_iter().peekable();
        let mut parts = Vec::new();
        for file in packed {
            let before = std::iter::from_fn(|| found.next_if(|violation| violation.path < *file.path()));
            parts.extend(held(before.collect()));
            parts.push(Part::Packed(file));
        }
        parts.extend(held(found.collect()));
        Self { parts, contracts: contracts.to_vec(), changes: Vec::new() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        let of_part = |part: &Part| match part {
            Part::Held(violations) => violations.len(),
            Part::Packed(file) => file.kinds().len(),
        };
        self.parts.iter().map(of_part).sum()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// One after another.
    pub fn iter(&self) -> Iter<'_> {
        self.of_states(|_| true)
    }

    /// Those in certain states.
    pub(crate) fn of_states(&self, wanted: fn(State) -> bool) -> Iter<'_> {
        Iter { all: self, parts: self.parts.iter(), now: Now::Held([].iter()), wanted }
    }

    /// The violations of one file after another.
    pub(crate) fn files(&self) -> impl Iterator<Item = Cow<'_, [Violation]>> {
        self.parts.iter().flat_map(|part| {
            let (held, packed) = match part {
                Part::Held(violations) => (violations.as_slice(), None),
                Part::Packed(file) => (&[][..], Some(file)),
            };
            let held = held.chunk_by(|one, next| one.path == next.path).map(Cow::Borrowed);
            held.chain(packed.map(|file| Cow::Owned(file.unpack(self.unpacking()))))
        })
    }

    /// The state and the severity of each: nothing is unpacked for that.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = (State, Severity)> {
        let kinds = self.parts.iter().flat_map(|part| {
            let (held, packed) = match part {
                Part::Held(violations) => (violations.as_slice(), &[][..]),
                Part::Packed(file) => (&[][..], file.kinds()),
            };
            held.iter().map(Kind::of).chain(packed.iter().copied())
        });
        kinds.map(|Kind { state, severity }| (state, severity))
    }

    /// Changes the violations of each file, now or when they are unpacked. Their number and their states stay.
    pub(crate) fn change_files(&mut self, change: Change) {
        let mut is_packed = false;
        for part in &mut self.parts {
            match part {
                Part::Held(violations) => {
                    violations.chunk_by_mut(|one, next| one.path == next.path).for_each(change);
                }
                Part::Packed(_) => is_packed = true,
            }
        }
        if is_packed {
            self.changes.push(change);
        }
    }

    /// Decides on the state of each open violation, in their order.
    pub(crate) fn decide_open(&mut self, mut decide: impl FnMut(&mut Violation)) {
        let Self { parts, contracts, changes } = self;
        let mut each = |violations: &mut [Violation]| {
            violations.iter_mut().filter(|violation| violation.is_open()).for_each(&mut decide);
        };
        for part in parts {
            match part {
                Part::Held(violations) => each(violations),
                Part::Packed(file) if file.has(|state| state == State::Open) => {
                    file.decide(Unpacking { contracts, changes }, &mut each);
                }
                Part::Packed(_) => {}
            }
        }
    }

    /// Decides on the states of the violations of one file.
    pub(crate) fn decide_in(&mut self, path: &RelPath, decide: impl FnOnce(&mut [Violation])) {
        let Self { parts, contracts, changes } = self;
        let after = parts.partition_point(|part| part.first_path().is_some_and(|first| first <= path));
        match after.checked_sub(1).map(|at| &mut parts[at]) {
            Some(Part::Held(violations)) => {
                let start = violations.partition_point(|violation| violation.path < *path);
                let count = violations[start..].partition_point(|violation| violation.path == *path);
                decide(&mut violations[start..start + count]);
            }
            Some(Part::Packed(file)) if file.path() == path => {
                file.decide(Unpacking { contracts, changes }, decide);
            }
            Some(Part::Packed(_)) | None => decide(&mut []),
        }
    }

    /// All of them at once, in as much memory as they take.
    pub fn into_vec(mut self) -> Vec<Violation> {
        match self.parts.as_mut_slice() {
            [Part::Held(violations)] => std::mem::take(violations),
            _ => self.iter().map(Cow::into_owned).collect(),
        }
    }

    fn unpacking(&self) -> Unpacking<'_> {
        Unpacking { contracts: &self.contracts, changes: &self.changes }
    }
}

impl<'a> IntoIterator for &'a Violations {
    type Item = Cow<'a, Violation>;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

/// Violations one after another. One that is packed is made for whoever asks, and is theirs.
#[derive(Debug)]
pub struct Iter<'a> {
    all: &'a Violations,
    parts: slice::Iter<'a, Part>,
    now: Now<'a>,
    wanted: fn(State) -> bool,
}

/// What is left of a part.
#[derive(Debug)]
enum Now<'a> {
    Held(slice::Iter<'a, Violation>),
    Unpacked(vec::IntoIter<Violation>),
}

impl<'a> Iterator for Iter<'a> {
    type Item = Cow<'a, Violation>;

    fn next(&mut self) -> Option<Self::Item> {
        let wanted = self.wanted;
        loop {
            let next = match &mut self.now {
                Now::Held(held) => held.find(|violation| wanted(violation.state)).map(Cow::Borrowed),
                Now::Unpacked(own) => own.find(|violation| wanted(violation.state)).map(Cow::Owned),
            };
            if next.is_some() {
                return next;
            }
            self.now = match self.parts.next()? {
                Part::Held(violations) => Now::Held(violations.iter()),
                Part::Packed(file) if !file.has(wanted) => continue,
                Part::Packed(file) => Now::Unpacked(file.unpack(self.all.unpacking()).into_iter()),
            };
        }
    }
}

#[cfg(test)]
mod tests;
