//! What became of one file, as bytes and back.
//!
//! Contracts are named by their number, and the path of the file is not repeated. What does not depend on the content of
//! the file alone has no bytes: such a file is searched again in every run.

use std::ops::Range;
use std::sync::Arc;

use crate::contract::Contract;
use crate::matcher::Checked;
use crate::path::RelPath;
use crate::skipped::{Skipped, Why};
use crate::text::{Position, Region};
use crate::violation::{Fingerprint, LineDigest, Match, Note, Replacement, State, Violation};
use crate::wire::{Bytes, put_bytes, put_list, put_long, put_number};

/// What became of a file in an earlier run.
#[derive(Debug, Default)]
pub struct Remembered {
    /// Was it text that contracts apply to?
    pub applied: bool,
    /// What was found; what its existence satisfies is satisfied, too.
    pub checked: Checked,
}

/// What became of a file in this run.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// Is it text that contracts apply to?
    pub applied: bool,
    /// What was found.
    pub checked: &'a Checked,
    /// The contracts about the project as a whole that its existence satisfies, by their number.
    pub exists: &'a [usize],
}

const APPLIED: u8 = 1;
const FOUND_SOMETHING: u8 = 2;

/// What became of a file, unless it might be something else the next time.
pub fn encode(found: Known<'_>, contracts: &[Arc<Contract>], path: &RelPath) -> Option<Vec<u8>> {
    let Known { applied, checked, exists } = found;
    let Checked { violations, skipped, satisfied } = checked;
    let applied = if applied { APPLIED } else { 0 };
    if violations.is_empty() && skipped.is_empty() && satisfied.is_empty() && exists.is_empty() {
        return Some(vec![applied]);
    }
    let mut out = vec![applied | FOUND_SOMETHING];
    put_number(&mut out, violations.len());
    for violation in violations {
        put_violation(&mut out, violation, contracts, path)?;
    }
    put_number(&mut out, skipped.len());
    for skipped in skipped {
        put_skipped(&mut out, skipped, path)?;
    }
    put_number(&mut out, satisfied.len() + exists.len());
    satisfied.iter().chain(exists).for_each(|contract| put_number(&mut out, *contract));
    Some(out)
}

/// What became of a file; nothing if the bytes say nothing of that kind.
pub fn decode(bytes: &[u8], contracts: &[Arc<Contract>], path: &RelPath) -> Option<Remembered> {
    let mut bytes = Bytes(bytes);
    let flags = bytes.byte()?;
    let mut checked = Checked::default();
    if flags & FOUND_SOMETHING != 0 {
        checked.violations = bytes.list(|bytes| take_violation(bytes, contracts, path))?;
        checked.skipped = bytes.list(|bytes| take_skipped(bytes, path))?;
        checked.satisfied = bytes.list(|bytes| bytes.number().filter(|index| *index < contracts.len()))?;
    }
    bytes.0.is_empty().then_some(Remembered { applied: flags & APPLIED != 0, checked })
}

fn put_violation(
    out: &mut Vec<u8>,
    violation: &Violation,
    contracts: &[Arc<Contract>],
    path: &RelPath,
) -> Option<()> {
    let Violation { contract, path: own, found, fingerprint, state, note, fix } = violation;
    let index = contracts.iter().position(|known| Arc::ptr_eq(known, contract))?;
    if own != path {
        return None;
    }
    put_number(out, index);
    let state = match state {
        State::Open => 0,
        State::Ignored => 1,
        // What was before, or is written down, is no matter of the file.
        State::Existing | State::Baselined => return None,
    };
    let note = match note {
        None => 0,
        Some(Note::BareIgnore) => 1,
        Some(Note::NotIgnorable) => 2,
    };
    out.extend([state, note]);
    let Fingerprint { line: LineDigest(line), repeat } = *fingerprint;
    put_long(out, line);
    put_number(out, usize::try_from(repeat).ok()?);
    put_list(out, found.as_slice(), put_match);
    put_list(out, fix.as_slice(), |out, fix| put_fix(out, fix));
    Some(())
}

fn take_violation(bytes: &mut Bytes<'_>, contracts: &[Arc<Contract>], path: &RelPath) -> Option<Violation> {
    let contract = contracts.get(bytes.number()?)?;
    let state = match bytes.byte()? {
        0 => State::Open,
        1 => State::Ignored,
        _ => return None,
    };
    let note = match bytes.byte()? {
        0 => None,
        1 => Some(Note::BareIgnore),
        2 => Some(Note::NotIgnorable),
        _ => return None,
    };
    let line = LineDigest(bytes.long()?);
    let fingerprint = Fingerprint { line, repeat: u32::try_from(bytes.number()?).ok()? };
    let found = bytes.list(take_match)?.pop();
    let fix = bytes.list(take_fix)?.pop().map(Box::new);
    Some(Violation {
        contract: Arc::clone(contract),
        path: path.clone(),
        found,
        fingerprint,
        state,
        note,
        fix,
    })
}

fn put_match(out: &mut Vec<u8>, found: &Match) {
    let Match { range, start, region, text, line } = found;
    put_range(out, range);
    put_number(out, *start);
    put_region(out, *region);
    put_bytes(out, text.as_bytes());
    put_bytes(out, line.as_bytes());
}

fn take_match(bytes: &mut Bytes<'_>) -> Option<Match> {
    Some(Match {
        range: take_range(bytes)?,
        start: bytes.number()?,
        region: take_region(bytes)?,
        text: bytes.text()?.to_owned(),
        line: bytes.text()?.to_owned(),
    })
}

fn put_fix(out: &mut Vec<u8>, fix: &Replacement) {
    let Replacement { range, region, old, text } = fix;
    put_range(out, range);
    put_region(out, *region);
    put_bytes(out, old.as_bytes());
    put_bytes(out, text.as_bytes());
}

fn take_fix(bytes: &mut Bytes<'_>) -> Option<Replacement> {
    Some(Replacement {
        range: take_range(bytes)?,
        region: take_region(bytes)?,
        old: bytes.text()?.to_owned(),
        text: bytes.text()?.to_owned(),
    })
}

fn put_range(out: &mut Vec<u8>, range: &Range<usize>) {
    put_number(out, range.start);
    put_number(out, range.end);
}

fn take_range(bytes: &mut Bytes<'_>) -> Option<Range<usize>> {
    Some(bytes.number()?..bytes.number()?)
}

fn put_region(out: &mut Vec<u8>, Region { start, end }: Region) {
    for Position { line, column } in [start, end] {
        put_number(out, line);
        put_number(out, column);
    }
}

fn take_region(bytes: &mut Bytes<'_>) -> Option<Region> {
    let mut position = || Some(Position { line: bytes.number()?, column: bytes.number()? });
    Some(Region { start: position()?, end: position()? })
}

const BINARY: u8 = 0;
const TOO_MANY_MATCHES: u8 = 1;
const TOO_MANY_VIOLATIONS: u8 = 2;

/// Only what the content alone decides. What failed is tried again.
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

fn take_skipped(bytes: &mut Bytes<'_>, path: &RelPath) -> Option<Skipped> {
    let text = |bytes: &mut Bytes<'_>| bytes.text().map(str::to_owned);
    let why = match bytes.byte()? {
        BINARY => Why::Binary,
        TOO_MANY_MATCHES => Why::TooManyMatches { id: text(bytes)?, limit: bytes.number()? },
        TOO_MANY_VIOLATIONS => Why::TooManyViolations { limit: bytes.number()?, ids: bytes.list(text)? },
        _ => return None,
    };
    Some(Skipped { path: path.clone(), why })
}
