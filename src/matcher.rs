//! The matcher: a path and its text in, violations out. Pure: it opens no file and prints nothing.
//!
//! Built once from all contracts. For each file: which contracts apply to its path, which of those
//! can match its text at all, where they match, and which matches an ignore directive covers.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::contract::{Check, Contract, Warning};
use crate::path::RelPath;
use crate::skipped::{Skipped, Why};
use crate::text::{Region, Text};

mod comments;
pub mod dialect;
pub mod ignores;
pub mod pattern;
pub mod prefilter;

use ignores::{Cover, Ignores};
use pattern::{Charset, Pattern, Unfinished};
use prefilter::Prefilter;

/// The most matches that are reported for one contract in one file.
pub const MAX_MATCHES: usize = 1_000;

/// The longest matched text or source line that a violation carries, in bytes.
const MAX_EXCERPT: usize = 1_000;

/// How a matcher searches.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// How long each pattern may take on each file.
    pub timeout: Duration,
    /// What ignore directives do.
    pub directives: Directives,
}

/// What ignore directives do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Directives {
    /// They suppress violations.
    Honoured,
    /// Nothing.
    Disregarded,
}

/// A contract that is not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Which one: its index among the matcher's contracts.
    pub contract: usize,
    /// The file; for a contract about the project as a whole, the contract's glob.
    pub path: RelPath,
    /// Where in the file, if at a place.
    pub place: Option<Found>,
    /// Something to say next to it.
    pub note: Option<Note>,
}

/// The place and the text of a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where it is.
    pub region: Region,
    /// What matched; cut if it is very long.
    pub matched: String,
    /// The line it starts on; cut if it is very long.
    pub line: String,
}

/// Something to say next to a violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Note {
    /// An ignore directive without an id stands where one with an id would have suppressed it.
    BareIgnore,
}

/// What became of one file.
#[derive(Debug, Default)]
pub struct Checked {
    /// The violations left.
    pub violations: Vec<Violation>,
    /// The violations that ignore directives suppress.
    pub ignored: Vec<Violation>,
    /// Searches that did not come to their end.
    pub skipped: Vec<Skipped>,
    /// Contracts about the project as a whole that this file satisfies.
    pub satisfied: Vec<usize>,
}

/// All contracts, ready to be matched.
#[derive(Debug)]
pub struct Matcher {
    contracts: Vec<Contract>,
    patterns: Vec<Option<Pattern>>,
    globs: Vec<(usize, Vec<usize>)>,
    groups: Mutex<HashMap<Vec<usize>, Arc<Selection>>>,
    options: Options,
}

/// The contracts that apply to a path.
#[derive(Debug)]
pub struct Selection {
    searched: Vec<usize>,
    prefilter: Prefilter,
    not_exists: Vec<usize>,
    exists: Vec<usize>,
}

impl Selection {
    /// Is there nothing to check?
    pub fn is_empty(&self) -> bool {
        self.searched.is_empty() && self.not_exists.is_empty()
    }

    /// Contracts that the existence of the file satisfies.
    pub fn satisfied_by_existence(&self) -> &[usize] {
        &self.exists
    }
}

impl Matcher {
    /// A matcher for those of the `contracts` that are enabled, and what is wrong with the patterns
    /// of the others; they are left out.
    pub fn new(contracts: Vec<Contract>, options: Options) -> (Self, Vec<Warning>) {
        let mut warnings = Vec::new();
        let (mut kept, mut patterns) = (Vec::new(), Vec::new());
        for contract in contracts.into_iter().filter(|contract| contract.enabled) {
            match compile(&contract, options.timeout, &mut warnings) {
                Ok(pattern) => {
                    patterns.push(pattern);
                    kept.push(contract);
                }
                Err(warning) => warnings.push(warning),
            }
        }
        let mut by_glob: HashMap<&str, usize> = HashMap::new();
        let mut globs: Vec<(usize, Vec<usize>)> = Vec::new();
        for (index, contract) in kept.iter().enumerate() {
            let at = *by_glob.entry(contract.glob.as_str()).or_insert_with(|| {
                globs.push((index, Vec::new()));
                globs.len() - 1
            });
            globs[at].1.push(index);
        }
        let matcher = Self { contracts: kept, patterns, globs, groups: Mutex::default(), options };
        (matcher, warnings)
    }

    /// The contracts, in the order that [`Violation::contract`] counts them.
    pub fn contracts(&self) -> &[Contract] {
        &self.contracts
    }

    /// The contracts, when nothing is to be matched any more.
    pub fn into_contracts(self) -> Vec<Contract> {
        self.contracts
    }

    /// The contracts that apply to a file known by these names.
    pub fn select(&self, path: &RelPath, alias: Option<&RelPath>) -> Arc<Selection> {
        let applies = |&at: &usize| self.contracts[self.globs[at].0].applies_to(path, alias);
        let mut key: Vec<usize> = (0..self.globs.len()).filter(applies).collect();
        let exempt = path.is_project_contract() || alias.is_some_and(RelPath::is_project_contract);
        if exempt {
            key.push(usize::MAX);
        }
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(selection) = groups.get(&key) {
            return Arc::clone(selection);
        }
        let matching = key.iter().filter_map(|&at| self.globs.get(at));
        let mut applicable: Vec<usize> = matching.flat_map(|(_, contracts)| contracts).copied().collect();
        applicable.sort_unstable();
        let selection = Arc::new(self.selection(&applicable, exempt));
        groups.insert(key, Arc::clone(&selection));
        selection
    }

    fn selection(&self, applicable: &[usize], exempt: bool) -> Selection {
        let having = |wanted: fn(&Check) -> bool| {
            applicable
                .iter()
                .copied()
                .filter(|&index| wanted(&self.contracts[index].check))
                .collect::<Vec<_>>()
        };
        let searched = if exempt { Vec::new() } else { having(|check| check.pattern().is_some()) };
        let patterns: Vec<_> = searched.iter().filter_map(|&index| self.patterns[index].as_ref()).collect();
        Selection {
            prefilter: Prefilter::new(patterns.into_iter()),
            searched,
            not_exists: having(|check| *check == Check::NotExists),
            exists: having(|check| *check == Check::Exists),
        }
    }

    /// Checks one file. Without a text, only its presence is judged.
    pub fn check(&self, selection: &Selection, path: &RelPath, text: Option<&Text<'_>>) -> Checked {
        let mut checked = Checked::default();
        for &contract in &selection.not_exists {
            checked.violations.push(Violation { contract, path: path.clone(), place: None, note: None });
        }
        let Some(text) = text else { return checked };
        let charset = Charset::of(text.bytes());
        let candidates = selection.prefilter.candidates(text.bytes());
        let mut candidates = candidates.iter().peekable();
        for (at, &contract) in selection.searched.iter().enumerate() {
            let possible = candidates.next_if_eq(&&at).is_some();
            self.apply(contract, possible.then_some(charset), (path, text), &mut checked);
        }
        self.apply_directives(path, text, &mut checked);
        checked
    }

    /// Checks one contract that has a pattern; without a charset, it is known not to match.
    fn apply(
        &self,
        contract: usize,
        possible: Option<Charset>,
        (path, text): (&RelPath, &Text<'_>),
        checked: &mut Checked,
    ) {
        let most = match self.contracts[contract].check {
            Check::Forbid(_) => MAX_MATCHES + 1,
            Check::Require(_) | Check::RequireSomewhere(_) | Check::Exists | Check::NotExists => 1,
        };
        let mut matches = Vec::new();
        let mut finished = Ok(());
        if let (Some(charset), Some(pattern)) = (possible, &self.patterns[contract]) {
            finished = pattern.search(text.bytes(), charset, |range| {
                matches.push(range);
                if matches.len() == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        }
        let id = || self.contracts[contract].id.clone();
        let mut skip = |why| checked.skipped.push(Skipped { path: path.clone(), why });
        match finished {
            Ok(()) => {}
            Err(Unfinished::OutOfTime) => skip(Why::OutOfTime { id: id() }),
            Err(Unfinished::TooLarge) => skip(Why::TooComplex { id: id() }),
        }
        match &self.contracts[contract].check {
            Check::Forbid(_) => {
                if matches.len() == most {
                    skip(Why::TooManyMatches { id: id(), limit: MAX_MATCHES });
                    matches.truncate(MAX_MATCHES);
                }
                for range in matches {
                    let place = Some(found(text, range));
                    checked.violations.push(Violation { contract, path: path.clone(), place, note: None });
                }
            }
            Check::Require(_) if matches.is_empty() && finished.is_ok() => {
                checked.violations.push(Violation { contract, path: path.clone(), place: None, note: None });
            }
            Check::RequireSomewhere(_) if !matches.is_empty() => checked.satisfied.push(contract),
            Check::Require(_) | Check::RequireSomewhere(_) | Check::Exists | Check::NotExists => {}
        }
    }

    fn apply_directives(&self, path: &RelPath, text: &Text<'_>, checked: &mut Checked) {
        if checked.violations.is_empty() || self.options.directives == Directives::Disregarded {
            return;
        }
        let ignores = Ignores::parse(path, text);
        for mut violation in std::mem::take(&mut checked.violations) {
            let line = violation.place.as_ref().map(|place| place.region.start.line);
            match ignores.covers(&self.contracts[violation.contract].id, line) {
                Cover::Suppressed => checked.ignored.push(violation),
                Cover::BareIgnore => {
                    violation.note = Some(Note::BareIgnore);
                    checked.violations.push(violation);
                }
                Cover::No => checked.violations.push(violation),
            }
        }
    }
}

fn compile(
    contract: &Contract,
    timeout: Duration,
    warnings: &mut Vec<Warning>,
) -> Result<Option<Pattern>, Warning> {
    let Some(written) = contract.check.pattern() else { return Ok(None) };
    let file = &contract.origin.file;
    match Pattern::new(written, timeout) {
        Ok((pattern, notes)) => {
            warnings.extend(notes.iter().map(|note| Warning::at(file, written.line, *note)));
            Ok(Some(pattern))
        }
        Err(error) => Err(Warning::at(file, written.line, error.to_string())),
    }
}

fn found(text: &Text<'_>, range: std::ops::Range<usize>) -> Found {
    let region = text.region(range.clone());
    Found { region, matched: excerpt(&text.bytes()[range]), line: excerpt(text.line(region.start.line)) }
}

fn excerpt(bytes: &[u8]) -> String {
    let mut end = bytes.len().min(MAX_EXCERPT);
    while end < bytes.len() && bytes[end] & 0xC0 == 0x80 {
        end -= 1;
    }
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}
