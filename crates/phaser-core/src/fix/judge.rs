//! Whether fixes do harm: what the text violates with them, against what it violated before.
//!
//! A violation is the same one when its contract matches the same stretch, wherever that has moved to; or, where that
//! cannot be told, when the contract matched the same line before. One that is left alone must keep its line, too: by that
//! it is recognised.

use std::collections::HashMap;
use std::ops::Range;

use super::{FixStanding, TextState, WhyLeft};
use crate::matcher::Checked;
use crate::skipped::Why;
use crate::violation::{LineDigest, Violation};

/// A place that a fix changes.
#[derive(Debug)]
pub(super) struct EditSpan<'a> {
    /// Where it was.
    pub old: Range<usize>,
    /// Where it is.
    pub new: Range<usize>,
    /// The contract whose fix it is.
    pub id: &'a str,
}

/// Something that is against fixes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Blame {
    /// Those that may have brought it about, by their place among the spans; none if that cannot be told.
    pub edits: Vec<usize>,
    /// What it is.
    pub why: WhyLeft,
}

/// The text after fixes with what it violates, unless something is against them.
pub(super) fn judge(
    before: &TextState,
    text: Vec<u8>,
    checked: Checked,
    spans: &[EditSpan<'_>],
) -> Result<TextState, Vec<Blame>> {
    let mut blames: Vec<Blame> =
        checked.skipped.iter().filter_map(|skipped| unchecked(&skipped.why)).collect();
    let looked = TextState::of(text, checked.violations, &checked.skipped);
    let mut known = PreviousViolations::of(before, spans);
    let mut standings: Vec<Option<FixStanding>> = Vec::with_capacity(looked.violations.len());
    for violation in &looked.violations {
        let still: Vec<usize> = (0..spans.len()).filter(|&at| still_matches(violation, &spans[at])).collect();
        if !still.is_empty() {
            blames.extend(still.into_iter().map(|at| Blame { edits: vec![at], why: WhyLeft::StillMatches }));
            standings.push(Some(FixStanding::Wanted));
        } else if violation.is_open() {
            standings.push(known.at_place(violation));
        } else {
            standings.push(Some(FixStanding::Spared(violation.state)));
        }
    }
    for (violation, standing) in looked.violations.iter().zip(&mut standings) {
        if standing.is_some() {
            continue;
        }
        let touching = touching(violation, spans);
        let is_cut = touching.is_empty() && before.cut.contains(&violation.contract.id);
        *standing = known.on_line(violation).or(is_cut.then_some(FixStanding::Wanted));
        if standing.is_none() {
            let why = WhyLeft::WouldViolate(violation.contract.id.clone());
            blames.push(Blame { edits: touching, why });
        }
    }
    if !blames.is_empty() {
        return Err(blames);
    }
    let standings = standings.into_iter().map(|standing| standing.unwrap_or(FixStanding::Wanted)).collect();
    Ok(TextState { standings, ..looked })
}

/// What is against fixes when a search did not come to its end.
fn unchecked(why: &Why) -> Option<Blame> {
    match why {
        Why::TooManyMatches { .. } | Why::TooManyViolations { .. } => None,
        why => Some(Blame { edits: Vec::new(), why: WhyLeft::NotChecked(why.to_string()) }),
    }
}

/// Is this a match of the contract where its fix was applied?
fn still_matches(violation: &Violation, span: &EditSpan<'_>) -> bool {
    let Some(found) = &violation.found else { return false };
    let (found, new) = (found.whole(), &span.new);
    violation.contract.id == span.id
        && if new.is_empty() {
            found.start < new.start && new.start < found.end
        } else {
            found.start < new.end && new.start < found.end
        }
}

/// The spans that a violation touches.
fn touching(violation: &Violation, spans: &[EditSpan<'_>]) -> Vec<usize> {
    let Some(found) = violation.found.as_ref().map(|found| found.whole()) else { return Vec::new() };
    let first = spans.partition_point(|span| span.new.end < found.start);
    (first..spans.len()).take_while(|&at| spans[at].new.start <= found.end).collect()
}

/// A contract, and the place of a violation if it has one.
type SpanKey<'a> = (&'a str, Option<(usize, usize)>);

/// A contract, and the line of a violation if it has one.
type LineKey<'a> = (&'a str, Option<LineDigest>);

/// The violations that there were before, each of which explains one of now.
struct PreviousViolations<'a> {
    before: &'a TextState,
    /// By the places that they have now.
    at_places: HashMap<SpanKey<'a>, Vec<usize>>,
    /// By their lines, as far as they were not fixed.
    on_lines: HashMap<LineKey<'a>, Vec<usize>>,
    used: Vec<bool>,
}

impl<'a> PreviousViolations<'a> {
    fn of(before: &'a TextState, spans: &[EditSpan<'_>]) -> Self {
        let used = vec![false; before.violations.len()];
        let mut known = Self { before, at_places: HashMap::new(), on_lines: HashMap::new(), used };
        for (index, violation) in before.violations.iter().enumerate().rev() {
            if !violation.is_open() {
                continue;
            }
            let id = violation.contract.id.as_str();
            let place = violation.found.as_ref().map(|found| found.whole());
            let is_fixed = |span: &EditSpan<'_>| place.as_ref() == Some(&span.old) && span.id == id;
            if spans.iter().any(is_fixed) {
                continue;
            }
            match place.map(|place| (moved(place.start, spans), moved(place.end, spans))) {
                None => known.at_places.entry((id, None)).or_default().push(index),
                Some((Some(start), Some(end))) => {
                    known.at_places.entry((id, Some((start, end)))).or_default().push(index);
                }
                Some(_) => {}
            }
            known.on_lines.entry((id, violation.line_digest())).or_default().push(index);
        }
        known
    }

    /// The standing of the violation that stood where this one stands now. One that is left alone is known by its line.
    fn at_place(&mut self, violation: &'a Violation) -> Option<FixStanding> {
        let place = violation.found.as_ref().map(|found| (found.whole().start, found.whole().end));
        let indices = self.at_places.get_mut(&(violation.contract.id.as_str(), place))?;
        let index = indices.pop()?;
        let (was, standing) = (&self.before.violations[index], self.before.standings[index]);
        if matches!(standing, FixStanding::Spared(_)) && was.line_digest() != violation.line_digest() {
            return None;
        }
        self.used[index] = true;
        Some(standing)
    }

    /// The standing of a violation on the same line that explains no other one.
    fn on_line(&mut self, violation: &'a Violation) -> Option<FixStanding> {
        let indices = self.on_lines.get_mut(&(violation.contract.id.as_str(), violation.line_digest()))?;
        while let Some(index) = indices.pop() {
            if !self.used[index] {
                self.used[index] = true;
                return Some(self.before.standings[index]);
            }
        }
        None
    }
}

/// Where a place is now, unless it was within a part that was replaced.
fn moved(at: usize, spans: &[EditSpan<'_>]) -> Option<usize> {
    let passed = spans.partition_point(|span| span.old.end <= at);
    if spans.get(passed).is_some_and(|next| next.old.start < at) {
        return None;
    }
    let Some(last) = passed.checked_sub(1) else { return Some(at) };
    Some(spans[last].new.end + (at - spans[last].old.end))
}
