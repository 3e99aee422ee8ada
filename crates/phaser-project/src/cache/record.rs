//! Encodes the result of one file.
//!
//! Contracts are indices, and the path is implied. A result that does not depend on the content alone is not encoded:
//! such a file is searched in every run.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::path::RelPath;
use phaser_core::contract::Contract;
use phaser_core::matcher::Checked;
use phaser_core::skipped::{SkipReason, Skipped};
use phaser_core::violation::{Fingerprint, Match, Note, Replacement, State, Violation, ViolationDetail};

/// The result of checking one file.
#[derive(Debug, Default)]
pub struct FileResult {
    /// Whether it is text to which a contract applies.
    pub applied: bool,
    /// The result of the check. When decoded, `satisfied` includes the contracts that the file satisfies by existing.
    pub checked: Checked,
}

/// A [`FileResult`] as stored.
#[derive(Serialize, Deserialize)]
struct Record {
    applied: bool,
    violations: Vec<RecordedViolation>,
    skipped: Vec<StableReason>,
    satisfied: Vec<usize>,
}

/// A [`Violation`] as stored.
#[derive(Serialize, Deserialize)]
struct RecordedViolation {
    contract: usize,
    found: Option<Box<Match>>,
    fingerprint: Fingerprint,
    state: State,
    note: Option<Note>,
    fix: Option<Box<Replacement>>,
    /// Why the file does not parse.
    problem: Option<String>,
}

/// A reason that the content alone decides. Failures are not cached, so they are retried.
#[derive(Serialize, Deserialize)]
enum StableReason {
    Binary,
    UnexpectedBinary(String),
    TooManyMatches { id: String, limit: usize },
    TooManyViolations { limit: usize, ids: Vec<String> },
}

/// Encodes a result; `None` if it depends on more than the content.
pub(super) fn encode(
    result: &FileResult,
    exists: &[usize],
    contracts: &[Arc<Contract>],
    path: &RelPath,
) -> Option<Vec<u8>> {
    let Checked { violations, skipped, satisfied } = &result.checked;
    let violation = |violation: &Violation| {
        // The previous text and the baseline are not part of the file.
        let is_of_file = violation.path == *path
            && violation.is_of_content()
            && matches!(violation.state, State::Open | State::Ignored);
        let contract = contracts.iter().position(|known| Arc::ptr_eq(known, &violation.contract));
        let Violation { found, fingerprint, state, note, fix, detail, .. } = violation.clone();
        let problem = match detail.map(|detail| *detail) {
            Some(ViolationDetail::Syntax(problem)) => Some(problem),
            _ => None,
        };
        let contract = contract.filter(|_| is_of_file)?;
        Some(RecordedViolation { contract, found, fingerprint, state, note, fix, problem })
    };
    let reason = |skipped: &Skipped| match skipped.why.clone() {
        _ if skipped.path != *path => None,
        SkipReason::Binary => Some(StableReason::Binary),
        SkipReason::UnexpectedBinary(reason) => Some(StableReason::UnexpectedBinary(reason)),
        SkipReason::TooManyMatches { id, limit } => Some(StableReason::TooManyMatches { id, limit }),
        SkipReason::TooManyViolations { limit, ids } => Some(StableReason::TooManyViolations { limit, ids }),
        _ => None,
    };
    let record = Record {
        applied: result.applied,
        violations: violations.iter().map(violation).collect::<Option<_>>()?,
        skipped: skipped.iter().map(reason).collect::<Option<_>>()?,
        satisfied: satisfied.iter().chain(exists).copied().collect(),
    };
    postcard::to_stdvec(&record).ok()
}

/// Decodes a result; `None` if the bytes are malformed.
pub(super) fn decode(bytes: &[u8], contracts: &[Arc<Contract>], path: &RelPath) -> Option<FileResult> {
    let (record, rest): (Record, _) = postcard::take_from_bytes(bytes).ok()?;
    let Record { applied, violations, skipped, satisfied } = record;
    if !rest.is_empty() || satisfied.iter().any(|&contract| contract >= contracts.len()) {
        return None;
    }
    let violation = |RecordedViolation { contract, found, fingerprint, state, note, fix, problem }| {
        let contract = Arc::clone(contracts.get(contract)?);
        let detail = problem.map(|problem| Box::new(ViolationDetail::Syntax(problem)));
        Some(Violation { contract, path: path.clone(), found, fingerprint, state, note, fix, detail })
    };
    let mut violations: Vec<Violation> = violations.into_iter().map(violation).collect::<Option<_>>()?;
    share_lines(&mut violations);
    let skipped = skipped.into_iter().map(|reason| {
        let why = match reason {
            StableReason::Binary => SkipReason::Binary,
            StableReason::UnexpectedBinary(reason) => SkipReason::UnexpectedBinary(reason),
            StableReason::TooManyMatches { id, limit } => SkipReason::TooManyMatches { id, limit },
            StableReason::TooManyViolations { limit, ids } => SkipReason::TooManyViolations { limit, ids },
        };
        Skipped { path: path.clone(), why }
    });
    let checked = Checked { violations, skipped: skipped.collect(), satisfied };
    Some(FileResult { applied, checked })
}

/// Lets violations on one line share its text.
fn share_lines(violations: &mut [Violation]) {
    let mut last: Option<Arc<str>> = None;
    for found in violations.iter_mut().filter_map(|violation| violation.found.as_mut()) {
        match &last {
            Some(line) if *line == found.line => found.line = Arc::clone(line),
            _ => last = Some(Arc::clone(&found.line)),
        }
    }
}
