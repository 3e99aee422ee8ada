//! Encodes the violations of one file.
//!
//! Positions are deltas to the previous violation. A line equal to the previous one, a digest that follows from the
//! line, and a match that is part of the line are not repeated.

use std::ops::Range;
use std::sync::Arc;

use crate::codec::{Decoder, put_bytes, put_long, put_number};
use crate::path::RelPath;
use phaser_core::contract::Contract;
use phaser_core::text::{Position, Region};
use phaser_core::violation::{Fingerprint, LineDigest, Match, Note, Replacement, State, Violation};

const HAS_PLACE: u8 = 1 << 4;
const HAS_FIX: u8 = 1 << 5;
/// The digest does not follow from the line or path.
const HAS_DIGEST: u8 = 1 << 6;
/// The line is that of the previous violation.
const SAME_LINE: u8 = 1 << 7;

/// Encodes violations of the file at `path`; `None` if one is of another file or contract.
pub fn put_violations(
    out: &mut Vec<u8>,
    violations: &[Violation],
    contracts: &[Arc<Contract>],
    path: &RelPath,
) -> Option<()> {
    put_number(out, violations.len());
    let mut number = 0;
    let mut before: Option<&Match> = None;
    for violation in violations {
        // Mostly the contract of the previous violation.
        if !contracts.get(number).is_some_and(|known| Arc::ptr_eq(known, &violation.contract)) {
            number = contracts.iter().position(|known| Arc::ptr_eq(known, &violation.contract))?;
        }
        if violation.path != *path {
            return None;
        }
        put_number(out, number);
        put_violation(out, violation, before);
        before = violation.found.as_ref();
    }
    Some(())
}

/// Decodes violations of the file at `path`; `None` if the bytes are malformed.
pub fn take_violations(
    bytes: &mut Decoder<'_>,
    contracts: &[Arc<Contract>],
    path: &RelPath,
) -> Option<Vec<Violation>> {
    let count = bytes.number()?;
    // Each violation takes at least a byte, so a wrong count cannot allocate more than the input's length.
    let mut violations: Vec<Violation> = Vec::with_capacity(count.min(bytes.0.len()));
    for _ in 0..count {
        let contract = contracts.get(bytes.number()?)?;
        let before = violations.last().and_then(|before| before.found.as_ref());
        let violation = take_violation(bytes, Violation::of_file(contract, path), before)?;
        violations.push(violation);
    }
    Some(violations)
}

fn put_violation(out: &mut Vec<u8>, violation: &Violation, before: Option<&Match>) {
    let Violation { found, fingerprint, state, note, fix, .. } = violation;
    let state = match state {
        State::Open => 0,
        State::Ignored => 1,
        State::Existing => 2,
        State::Baselined => 3,
    };
    let note = match note {
        None => 0,
        Some(Note::BareIgnore) => 1,
        Some(Note::NotIgnorable) => 2,
    };
    let has_digest = fingerprint.line != expected_digest(violation, found.as_ref());
    let is_same = matches!((found, before), (Some(found), Some(before)) if found.line == before.line);
    let mut flags = state | note << 2;
    for (flag, is_set) in [
        (HAS_PLACE, found.is_some()),
        (HAS_FIX, fix.is_some()),
        (HAS_DIGEST, has_digest),
        (SAME_LINE, is_same),
    ] {
        flags |= if is_set { flag } else { 0 };
    }
    out.push(flags);
    put_number(out, fingerprint.repeat as usize);
    if let Some(found) = found {
        if !is_same {
            put_bytes(out, found.line.as_bytes());
        }
        put_match(out, found, before);
    }
    if has_digest {
        put_long(out, fingerprint.line.0);
    }
    if let Some(fix) = fix {
        put_fix(out, fix);
    }
}

/// Decodes into `whole`, which has contract and path.
fn take_violation(bytes: &mut Decoder<'_>, whole: Violation, before: Option<&Match>) -> Option<Violation> {
    let flags = bytes.byte()?;
    let state = match flags & 3 {
        0 => State::Open,
        1 => State::Ignored,
        2 => State::Existing,
        _ => State::Baselined,
    };
    let note = match flags >> 2 & 3 {
        0 => None,
        1 => Some(Note::BareIgnore),
        2 => Some(Note::NotIgnorable),
        _ => return None,
    };
    let has = |flag: u8| flags & flag != 0;
    let repeat = u32::try_from(bytes.number()?).ok()?;
    let mut found = None;
    if has(HAS_PLACE) {
        let line = if has(SAME_LINE) { Arc::clone(&before?.line) } else { bytes.text()?.into() };
        found = Some(take_match(bytes, line, before)?);
    }
    let line = match has(HAS_DIGEST) {
        true => LineDigest(bytes.long()?),
        false => expected_digest(&whole, found.as_ref()),
    };
    let fix = if has(HAS_FIX) { Some(Box::new(take_fix(bytes)?)) } else { None };
    Some(Violation { found, fingerprint: Fingerprint { line, repeat }, state, note, fix, ..whole })
}

/// The digest, unless the line was truncated or is not UTF-8.
fn expected_digest(violation: &Violation, found: Option<&Match>) -> LineDigest {
    match found {
        Some(found) => LineDigest::of(found.line.as_bytes()),
        None => Fingerprint::of_path(&violation.path).line,
    }
}

fn put_match(out: &mut Vec<u8>, found: &Match, before: Option<&Match>) {
    let Match { range, start, region, text, line } = found;
    let (last_start, last_line) = last_place(before);
    put_difference(out, *start, last_start);
    put_difference(out, range.start, *start);
    put_difference(out, range.end, range.start);
    put_difference(out, region.start.line, last_line);
    put_number(out, region.start.column);
    put_difference(out, region.end.line, region.start.line);
    put_difference(out, region.end.column, region.start.column);
    match at_column(line, region.start.column) {
        Some(rest) if rest.starts_with(text.as_str()) => put_number(out, text.len() + 1),
        _ => {
            put_number(out, 0);
            put_bytes(out, text.as_bytes());
        }
    }
}

fn take_match(bytes: &mut Decoder<'_>, line: Arc<str>, before: Option<&Match>) -> Option<Match> {
    let (last_start, last_line) = last_place(before);
    let start = take_difference(bytes, last_start)?;
    let from = take_difference(bytes, start)?;
    let range = from..take_difference(bytes, from)?;
    let first = Position { line: take_difference(bytes, last_line)?, column: bytes.number()? };
    let last =
        Position { line: take_difference(bytes, first.line)?, column: take_difference(bytes, first.column)? };
    let text = match bytes.number()?.checked_sub(1) {
        Some(length) => at_column(&line, first.column)?.get(..length)?.to_owned(),
        None => bytes.text()?.to_owned(),
    };
    Some(Match { range, start, region: Region { start: first, end: last }, text, line })
}

/// The rest of a line from a column (1-based, in characters).
fn at_column(line: &str, column: usize) -> Option<&str> {
    let before = column.checked_sub(1)?;
    let at = match line.as_bytes().get(..before) {
        Some(bytes) if bytes.is_ascii() => before,
        _ => line.char_indices().nth(before)?.0,
    };
    line.get(at..)
}

/// The byte offset and line of the previous match.
fn last_place(before: Option<&Match>) -> (usize, usize) {
    before.map_or((0, 0), |before| (before.start, before.region.start.line))
}

fn put_fix(out: &mut Vec<u8>, fix: &Replacement) {
    let Replacement { range, region: Region { start, end }, old, text } = fix;
    for number in [range.start, range.end, start.line, start.column, end.line, end.column] {
        put_number(out, number);
    }
    put_bytes(out, old.as_bytes());
    put_bytes(out, text.as_bytes());
}

fn take_fix(bytes: &mut Decoder<'_>) -> Option<Replacement> {
    let range: Range<usize> = bytes.number()?..bytes.number()?;
    let mut position = || Some(Position { line: bytes.number()?, column: bytes.number()? });
    let region = Region { start: position()?, end: position()? };
    Some(Replacement { range, region, old: bytes.text()?.to_owned(), text: bytes.text()?.to_owned() })
}

/// Encodes a signed difference, zigzag: small differences take one byte.
fn put_difference(out: &mut Vec<u8>, number: usize, from: usize) {
    let difference = number.wrapping_sub(from).cast_signed();
    put_number(out, (difference << 1 ^ difference >> (isize::BITS - 1)).cast_unsigned());
}

fn take_difference(bytes: &mut Decoder<'_>, from: usize) -> Option<usize> {
    let folded = bytes.number()?;
    Some(from.wrapping_add(folded >> 1 ^ (folded & 1).wrapping_neg()))
}
