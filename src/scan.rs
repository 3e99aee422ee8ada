//! The scan: every target through the matcher, in parallel, into one outcome.
//!
//! Cannot tell a hook from a CI run: where targets come from and how the outcome is shown are
//! decided elsewhere. The only user of rayon; one target, or one thread, starts no pool.

use rayon::prelude::*;

use crate::contract::{Check, Contract, Severity, Warning};
use crate::matcher::{Checked, Matcher, Violation};
use crate::path::RelPath;
use crate::progress::Progress;
use crate::skipped::{Skipped, Why};
use crate::source::{Coverage, Reader, Target, Targets};
use crate::text::Text;

/// How to scan.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// How many threads.
    pub threads: usize,
    /// The largest file that is read, in bytes.
    pub max_file_size: u64,
}

/// Everything a run found out.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The files that at least one contract was checked on, in order.
    pub checked: Vec<RelPath>,
    /// The violations, by path, place and rule id.
    pub violations: Vec<Violation>,
    /// Violations that ignore directives suppress, in the same order.
    pub ignored: Vec<Violation>,
    /// What was not checked, and why.
    pub skipped: Vec<Skipped>,
    /// What is wrong with contract files.
    pub warnings: Vec<Warning>,
}

/// How many violations there are of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// Violations of contracts with severity `error`.
    pub errors: usize,
    /// Violations of contracts with severity `warning`.
    pub warnings: usize,
    /// Violations that ignore directives suppress.
    pub ignored: usize,
}

impl Outcome {
    /// Counts the violations.
    pub fn summary(&self, contracts: &[Contract]) -> Summary {
        let is_error = |violation: &&Violation| contracts[violation.contract].severity == Severity::Error;
        let errors = self.violations.iter().filter(is_error).count();
        Summary { errors, warnings: self.violations.len() - errors, ignored: self.ignored.len() }
    }
}

/// Checks all targets.
pub fn scan(matcher: &Matcher, targets: Targets, options: Options, progress: &Progress) -> Outcome {
    let Targets { targets, coverage, skipped } = targets;
    progress.start(targets.len());
    let check = |reader: &mut Reader, target: &Target| {
        let scanned = check_target(matcher, reader, target);
        progress.advance();
        scanned
    };
    let reader = || Reader::new(options.max_file_size);
    let sequential = || {
        let mut reader = reader();
        targets.iter().map(|target| check(&mut reader, target)).collect()
    };
    let scanned: Vec<Scanned> = if options.threads <= 1 || targets.len() <= 1 {
        sequential()
    } else {
        match rayon::ThreadPoolBuilder::new().num_threads(options.threads).build() {
            Ok(pool) => pool.install(|| targets.par_iter().map_init(reader, check).collect()),
            Err(_) => sequential(),
        }
    };
    progress.finish();
    let mut outcome = Outcome { skipped, ..Outcome::default() };
    let satisfied = gather(&targets, scanned, &mut outcome);
    judge_project(matcher, &coverage, satisfied, &mut outcome);
    sort(matcher.contracts(), &mut outcome);
    outcome
}

/// What became of one target: nothing, when no contract applies to it.
#[derive(Debug, Default)]
struct Scanned {
    applied: bool,
    checked: Checked,
}

fn check_target(matcher: &Matcher, reader: &mut Reader, target: &Target) -> Scanned {
    let selection = matcher.select(&target.path, target.alias.as_ref());
    let mut scanned = Scanned::default();
    if !selection.is_empty() {
        let content = reader.read(&target.content);
        let text = content.as_ref().map(|bytes| Text::new(&**bytes));
        scanned.checked =
            matcher.check(&selection, &target.path, text.as_ref().ok().and_then(Option::as_ref));
        scanned.applied = matches!(text, Ok(Some(_)));
        let why = match text {
            Ok(Some(_)) => None,
            Ok(None) => Some(Why::Binary),
            Err(why) => Some(why.clone()),
        };
        scanned.checked.skipped.extend(why.map(|why| Skipped { path: target.path.clone(), why }));
    }
    scanned.checked.satisfied.extend(selection.satisfied_by_existence());
    scanned
}

/// Moves what was found into the outcome, and returns the contracts that some file satisfies.
fn gather(targets: &[Target], scanned: Vec<Scanned>, outcome: &mut Outcome) -> Vec<usize> {
    let mut satisfied = Vec::new();
    for (target, scanned) in targets.iter().zip(scanned) {
        if scanned.applied {
            outcome.checked.push(target.path.clone());
        }
        outcome.violations.extend(scanned.checked.violations);
        outcome.ignored.extend(scanned.checked.ignored);
        outcome.skipped.extend(scanned.checked.skipped);
        satisfied.extend(scanned.checked.satisfied);
    }
    satisfied
}

/// Contracts about the project as a whole, which need to have seen all of it.
fn judge_project(matcher: &Matcher, coverage: &Coverage, mut satisfied: Vec<usize>, outcome: &mut Outcome) {
    match coverage {
        Coverage::Partial => return,
        Coverage::Whole => {}
        Coverage::Listed(paths) => {
            for path in paths {
                satisfied.extend(matcher.select(path, None).satisfied_by_existence());
            }
        }
    }
    for (index, contract) in matcher.contracts().iter().enumerate() {
        let judged = match contract.check {
            Check::Exists => true,
            Check::RequireSomewhere(_) => *coverage == Coverage::Whole,
            Check::Forbid(_) | Check::Require(_) | Check::NotExists => false,
        };
        if judged && !satisfied.contains(&index) {
            let path = RelPath::from(contract.glob.as_str());
            outcome.violations.push(Violation { contract: index, path, place: None, note: None });
        }
    }
}

fn sort(contracts: &[Contract], outcome: &mut Outcome) {
    let key = |violation: &Violation| {
        let place = violation.place.as_ref().map(|found| found.region);
        (violation.path.clone(), place, contracts[violation.contract].id.clone())
    };
    outcome.violations.sort_by_cached_key(key);
    outcome.ignored.sort_by_cached_key(key);
    outcome.checked.sort_unstable();
    outcome.skipped.sort_unstable();
}
