//! Encodes the result of one file.
//!
//! Contracts are indices, and the path is implied. A result that does not depend on the content alone is not encoded:
//! such a file is searched in every run.

use std::sync::Arc;

use super::violations::{put_violations, take_violations};
use crate::codec::{Decoder, put_bytes, put_list, put_number};
use crate::path::RelPath;
use phaser_core::contract::Contract;
use phaser_core::matcher::Checked;
use phaser_core::skipped::{Skipped, Why};
use phaser_core::violation::{State, Violation};

/// The result of checking one file.
#[derive(Debug, Default)]
pub struct FileResult {
    /// Whether it is text to which a contract applies.
    pub applied: bool,
    /// The result of the check. When decoded, `satisfied` includes the contracts that the file satisfies by existing.
    pub checked: Checked,
}

const APPLIED: u8 = 1;
const FOUND_SOMETHING: u8 = 2;

/// Encodes a result; `None` if it depends on more than the content.
pub fn encode(
    result: &FileResult,
    exists: &[usize],
    contracts: &[Arc<Contract>],
    path: &RelPath,
) -> Option<Vec<u8>> {
    let FileResult { applied, checked } = result;
    let Checked { violations, skipped, satisfied } = checked;
    let applied = if *applied { APPLIED } else { 0 };
    if violations.is_empty() && skipped.is_empty() && satisfied.is_empty() && exists.is_empty() {
        return Some(vec![applied]);
    }
    let mut out = vec![applied | FOUND_SOMETHING];
    // The previous text and the baseline are not part of the file.
    let is_of_file = |violation: &Violation| matches!(violation.state, State::Open | State::Ignored);
    if !violations.iter().all(is_of_file) {
        return None;
    }
    put_violations(&mut out, violations, contracts, path)?;
    put_number(&mut out, skipped.len());
    for skipped in skipped {
        put_skipped(&mut out, skipped, path)?;
    }
    put_number(&mut out, satisfied.len() + exists.len());
    satisfied.iter().chain(exists).for_each(|contract| put_number(&mut out, *contract));
    Some(out)
}

/// Decodes a result; `None` if the bytes are malformed.
pub fn decode(bytes: &[u8], contracts: &[Arc<Contract>], path: &RelPath) -> Option<FileResult> {
    let mut bytes = Decoder(bytes);
    let flags = bytes.byte()?;
    let mut checked = Checked::default();
    if flags & FOUND_SOMETHING != 0 {
        checked.violations = take_violations(&mut bytes, contracts, path)?;
        checked.skipped = bytes.list(|bytes| take_skipped(bytes, path))?;
        checked.satisfied = bytes.list(|bytes| bytes.number().filter(|index| *index < contracts.len()))?;
    }
    bytes.0.is_empty().then_some(FileResult { applied: flags & APPLIED != 0, checked })
}

const BINARY: u8 = 0;
const TOO_MANY_MATCHES: u8 = 1;
const TOO_MANY_VIOLATIONS: u8 = 2;

/// Encodes a reason that the content alone decides. Failures are not cached, so they are retried.
fn put_skipped(out: &mut Vec<u8>, skipped: &Skipped, path: &RelPath) -> Option<()> {
    if skipped.path != *path {
        return None;
    }
    match &skipped.why {
        Why::Binary => out.push(BINARY),
        Why::TooManyMatches { id, limit } => {
            out.push(TOO_MANY_MATCHES);
            put_bytes(out, id.as_bytes());
            put_number(out, *limit);
        }
        Why::TooManyViolations { limit, ids } => {
            out.push(TOO_MANY_VIOLATIONS);
            put_number(out, *limit);
            put_list(out, ids, |out, id| put_bytes(out, id.as_bytes()));
        }
        Why::Encoding(_)
        | Why::NotAFile
        | Why::Link
        | Why::Submodule
        | Why::TooLarge { .. }
        | Why::Unreadable(_)
        | Why::ParentComponent
        | Why::Outside
        | Why::PathTooLong { .. }
        | Why::NotReconstructed(_)
        | Why::TooComplex { .. }
        | Why::OutOfTime { .. }
        | Why::NoTimeLeft { .. }
        | Why::TimeOver { .. } => return None,
    }
    Some(())
}

fn take_skipped(bytes: &mut Decoder<'_>, path: &RelPath) -> Option<Skipped> {
    let text = |bytes: &mut Decoder<'_>| bytes.text().map(str::to_owned);
    let why = match bytes.byte()? {
        BINARY => Why::Binary,
        TOO_MANY_MATCHES => Why::TooManyMatches { id: text(bytes)?, limit: bytes.number()? },
        TOO_MANY_VIOLATIONS => Why::TooManyViolations { limit: bytes.number()?, ids: bytes.list(text)? },
        _ => return None,
    };
    Some(Skipped { path: path.clone(), why })
}
