//! The patterns of all contracts, each read when a text first needs it.
//!
//! Reading a pattern costs far more than seeing that a small text cannot match it. So there are two steps: what a
//! pattern needs, which is kept with the contract or seen at a glance and also tells that the pattern is valid; and
//! the pattern itself.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::limits::{Budget, MAX_ANCHORS};
use super::literals::scan;
use super::pattern::CompiledPattern;
use super::pattern::mistake::{self, PatternMistake};
use crate::contract::{Contract, Needs, Warning};

/// What is known of the patterns of some contracts, which are known by their index.
#[derive(Debug)]
pub struct Prepared {
    patterns: Vec<LazyPattern>,
    budget: Budget,
    /// The bytes that the anchors of all patterns take so far.
    anchors: AtomicUsize,
}

/// The pattern of one contract, as far as it is known.
#[derive(Debug, Default)]
struct LazyPattern {
    /// What a glance tells, if the contract itself does not.
    needs: OnceLock<Option<Needs>>,
    read: OnceLock<PreparedPattern>,
}

/// A pattern that has been read.
#[derive(Debug)]
struct PreparedPattern {
    /// Nothing if it is not valid, or if the contract has none.
    pattern: Option<Box<CompiledPattern>>,
    warnings: Vec<Warning>,
}

impl Prepared {
    /// For so many contracts, with so much memory for what is kept.
    pub fn new(count: usize, kept: usize) -> Self {
        let patterns = std::iter::repeat_with(LazyPattern::default).take(count).collect();
        Self { patterns, budget: Budget::new(kept), anchors: AtomicUsize::new(0) }
    }

    /// Forgets the contracts that are not to be kept; the others move up.
    pub fn keep(&mut self, kept: &[bool]) {
        let mut kept = kept.iter();
        self.patterns.retain(|_| kept.next().is_none_or(|kept| *kept));
    }

    /// What all patterns share.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// What every match of the contract's pattern holds, if that is known without reading it; then it is also valid.
    pub fn needs<'a>(&'a self, index: usize, contract: &'a Contract) -> Option<&'a Needs> {
        let pattern = contract.check.pattern()?;
        if pattern.needs.is_some() {
            return pattern.needs.as_deref();
        }
        self.patterns[index].needs.get_or_init(|| scan::needs(pattern)).as_ref()
    }

    /// Is the contract's pattern valid? It is read if nothing else tells.
    pub fn is_valid(&self, index: usize, contract: &Contract) -> bool {
        contract.check.pattern().is_none()
            || self.needs(index, contract).is_some()
            || self.pattern(index, contract).is_some()
    }

    /// The contract's pattern, unless it has none or one that is not valid.
    pub fn pattern(&self, index: usize, contract: &Contract) -> Option<&CompiledPattern> {
        self.patterns[index].read.get_or_init(|| self.read(contract)).pattern.as_deref()
    }

    /// The contract's pattern, if it has been read and is valid.
    pub fn known_pattern(&self, index: usize) -> Option<&CompiledPattern> {
        self.patterns[index].read.get()?.pattern.as_deref()
    }

    /// What is wrong with the patterns that have been read, in the order of their contracts.
    pub fn warnings(&self) -> Vec<Warning> {
        let read = self.patterns.iter().filter_map(|lazy| lazy.read.get());
        read.flat_map(|read| read.warnings.iter().cloned()).collect()
    }

    fn read(&self, contract: &Contract) -> PreparedPattern {
        match read(contract) {
            Ok(None) => PreparedPattern { pattern: None, warnings: Vec::new() },
            Ok(Some((mut pattern, warnings))) => {
                let room = MAX_ANCHORS.saturating_sub(self.anchors.load(Ordering::Relaxed));
                let size = pattern.limit_memory(&self.budget, room);
                self.anchors.fetch_add(size, Ordering::Relaxed);
                PreparedPattern { pattern: Some(Box::new(pattern)), warnings }
            }
            Err(warning) => PreparedPattern { pattern: None, warnings: vec![warning] },
        }
    }
}

/// The pattern of a contract, if it has one, with what its author should know; or what is wrong with it.
pub fn read(contract: &Contract) -> Result<Option<(CompiledPattern, Vec<Warning>)>, Warning> {
    let Some(written) = contract.check.pattern() else { return Ok(None) };
    let warning = |what: String| Warning::at(&contract.origin.file, written.line, what);
    match CompiledPattern::new(written) {
        Ok((pattern, notes)) => Ok(Some((
            pattern,
            notes.into_iter().map(|note| warning(note.to_owned()).only_a_doubt()).collect(),
        ))),
        Err(error) => {
            let PatternMistake { what, span } = mistake::explain(&written.source, &error);
            Err(warning(what).pointing(&written.source, span))
        }
    }
}
