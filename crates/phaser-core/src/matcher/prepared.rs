//! The patterns of all contracts, each parsed on first use.
//!
//! Two stages, both cached: the required literals, which come with the contract or from
//! [`literals::scan`](super::literals::scan) and prove the pattern valid; then the parsed pattern, which costs far
//! more.

use std::borrow::Borrow;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::captures::Captures;
use super::limits::{Budget, MAX_ANCHORS};
use super::literals::scan;
use super::pattern::CompiledPattern;
use super::pattern::mistake::{self, PatternMistake};
use super::view::View;
use crate::code::CodePattern;
use crate::code::engine::LazyCode;
use crate::contract::{Contract, RequiredLiterals, Warning};
use crate::sanitize::printable;
use crate::verify::GROUP;

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
    /// The compiled code of a contract about code.
    code: LazyCode,
    /// The pattern with its groups, for a contract with verifiers. `None` if it has no group to verify.
    groups: OnceLock<Option<Captures>>,
}

#[derive(Debug)]
struct PreparedPattern {
    /// `None` if it is invalid, or if the contract has none.
    pattern: Option<Box<CompiledPattern>>,
    warnings: Vec<Warning>,
}

impl LazyPattern {
    /// The problem of code that fits no language of its files, if the languages compiled so far show it.
    fn code_mistake(&self, contract: &Contract) -> Option<Warning> {
        let code = contract.check.code()?;
        let what = self.code.known_mistake(contract, code)?;
        Some(about_code(contract, code, &what))
    }
}

/// The warning about a contract whose code is invalid.
fn about_code(contract: &Contract, code: &CodePattern, what: &str) -> Warning {
    let hint = if code.language.is_some() { "correct it" } else { "correct it, or name its 'language'" };
    let what = format!("{} ({hint})", printable(what));
    Warning::at(&contract.origin.file, code.line, what)
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
        let pattern = contract.check.prefilter()?;
        if pattern.literals.is_some() {
            return pattern.literals.as_deref();
        }
        self.patterns[index].literals.get_or_init(|| scan::required_literals(pattern)).as_ref()
    }

    /// Whether the pattern is valid. Parses it only if its literals are unknown.
    pub fn is_valid(&self, index: usize, contract: &Contract) -> bool {
        contract.check.prefilter().is_none()
            || self.required_literals(index, contract).is_some()
            || self.pattern(index, contract).is_some()
    }

    /// The same, with code compiled in the languages of its files until it fits one.
    pub fn is_valid_everywhere(&self, index: usize, contract: &Contract) -> bool {
        if let Some(code) = contract.check.code() {
            return self.code(index).mistake(contract, code).is_none();
        }
        self.is_valid(index, contract)
    }

    /// The parsed pattern; `None` if there is none, or an invalid one.
    pub fn pattern(&self, index: usize, contract: &Contract) -> Option<&CompiledPattern> {
        self.patterns[index].read.get_or_init(|| self.read(contract)).pattern.as_deref()
    }

    /// The parsed pattern, if it has been parsed already.
    pub fn known_pattern(&self, index: usize) -> Option<&CompiledPattern> {
        self.patterns[index].read.get()?.pattern.as_deref()
    }

    /// The part of a match that verifiers test: the group `secret`, if the pattern has one.
    pub fn secret_of(
        &self,
        index: usize,
        contract: &Contract,
        (view, place): (&View<'_>, &Range<usize>),
    ) -> Option<Range<usize>> {
        let compile = || {
            let pattern = contract.check.pattern()?;
            pattern.source.contains(&format!("<{GROUP}>")).then(|| Captures::of(pattern)).flatten()
        };
        self.patterns[index].groups.get_or_init(compile).as_ref()?.named(GROUP, view, place)
    }

    /// The compiled code of a contract.
    pub fn code(&self, index: usize) -> &LazyCode {
        &self.patterns[index].code
    }

    /// Warnings about the patterns and the code parsed so far, in the order of contracts.
    pub fn warnings<C: Borrow<Contract>>(&self, contracts: &[C]) -> Vec<Warning> {
        let mut warnings = Vec::new();
        for (lazy, contract) in self.patterns.iter().zip(contracts) {
            warnings.extend(lazy.read.get().into_iter().flat_map(|read| read.warnings.iter().cloned()));
            warnings.extend(lazy.code_mistake(contract.borrow()));
        }
        warnings
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

/// The problem of a contract's pattern or code, in every language of its files.
pub fn broken(contract: &Contract) -> Option<Warning> {
    if let Some(code) = contract.check.code() {
        let what = LazyCode::default().mistake(contract, code)?;
        return Some(about_code(contract, code, &what));
    }
    read(contract).err()
}

/// Parses the pattern of a contract, with warnings for its author. `Err` if it is invalid.
pub fn read(contract: &Contract) -> Result<Option<(CompiledPattern, Vec<Warning>)>, Warning> {
    let Some(written) = contract.check.prefilter() else { return Ok(None) };
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
