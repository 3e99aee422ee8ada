//! The patterns of all contracts, each parsed on first use.
//!
//! Two stages, both cached: the required literals, which come with the contract or from
//! [`literals::scan`](super::literals::scan) and prove the pattern valid; then the parsed pattern, which costs far
//! more.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::limits::{Budget, MAX_ANCHORS};
use super::literals::scan;
use super::pattern::CompiledPattern;
use super::pattern::mistake::{self, PatternMistake};
use crate::contract::{Contract, RequiredLiterals, Warning};

/// Lazily parsed patterns, by contract index.
#[derive(Debug)]
pub struct Prepared {
    patterns: Vec<LazyPattern>,
    budget: Budget,
    /// The memory of all anchors so far, in bytes.
    anchors: AtomicUsize,
}

#[derive(Debug, Default)]
struct LazyPattern {
    /// The scanned literals, if the contract has none.
    literals: OnceLock<Option<RequiredLiterals>>,
    read: OnceLock<PreparedPattern>,
}

#[derive(Debug)]
struct PreparedPattern {
    /// `None` if it is invalid, or if the contract has none.
    pattern: Option<Box<CompiledPattern>>,
    warnings: Vec<Warning>,
}

impl Prepared {
    /// For `count` contracts; `kept` is the memory for automata, in bytes.
    pub fn new(count: usize, kept: usize) -> Self {
        let patterns = std::iter::repeat_with(LazyPattern::default).take(count).collect();
        Self { patterns, budget: Budget::new(kept), anchors: AtomicUsize::new(0) }
    }

    /// Drops the contracts whose flag is `false`. Indices shift.
    pub fn keep(&mut self, kept: &[bool]) {
        let mut kept = kept.iter();
        self.patterns.retain(|_| kept.next().is_none_or(|kept| *kept));
    }

    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The required literals of a pattern, if they are known without parsing it. `Some` proves it valid.
    pub fn required_literals<'a>(
        &'a self,
        index: usize,
        contract: &'a Contract,
    ) -> Option<&'a RequiredLiterals> {
        let pattern = contract.check.pattern()?;
        if pattern.literals.is_some() {
            return pattern.literals.as_deref();
        }
        self.patterns[index].literals.get_or_init(|| scan::required_literals(pattern)).as_ref()
    }

    /// Whether the pattern is valid. Parses it only if its literals are unknown.
    pub fn is_valid(&self, index: usize, contract: &Contract) -> bool {
        contract.check.pattern().is_none()
            || self.required_literals(index, contract).is_some()
            || self.pattern(index, contract).is_some()
    }

    /// The parsed pattern; `None` if there is none, or an invalid one.
    pub fn pattern(&self, index: usize, contract: &Contract) -> Option<&CompiledPattern> {
        self.patterns[index].read.get_or_init(|| self.read(contract)).pattern.as_deref()
    }

    /// The parsed pattern, if it has been parsed already.
    pub fn known_pattern(&self, index: usize) -> Option<&CompiledPattern> {
        self.patterns[index].read.get()?.pattern.as_deref()
    }

    /// Warnings about the patterns parsed so far, in the order of contracts.
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

/// Parses the pattern of a contract, with warnings for its author. `Err` if it is invalid.
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
