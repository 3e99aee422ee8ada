//! Compares the violations of a text after edits with those before, and names the edits to blame for new ones.
//!
//! Each violation after the edits is paired with one before: first by contract and span, with the span moved along
//! with the edits; then by contract and line, if an edit touched the span. What has no partner is new. A spared
//! violation must keep its line, since it is recognised by it.

use std::collections::HashMap;
use std::ops::Range;

use super::{FixStanding, TextState, WhyLeft};
use crate::matcher::Checked;
use crate::skipped::SkipReason;
use crate::violation::{MatchDigests, Violation};

/// A span that an edit changes.
#[derive(Debug)]
pub(super) struct EditSpan<'a> {
    /// The span before the edits.
    pub old: Range<usize>,
    /// The span after the edits.
    pub new: Range<usize>,
    /// The contract of the fix.
    pub id: &'a str,
}

/// A problem caused by edits.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Blame {
    /// The indices of the edits that may have caused it; empty if unknown.
    pub edits: Vec<usize>,
    pub why: WhyLeft,
}

/// The state of the text after the edits, or the problems that they cause.
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
        let is_still = |span: &EditSpan<'_>| {
            still_matches(violation, span) && !(encloses(violation, span) && known.has_place(violation))
        };
        let still: Vec<usize> = (0..spans.len()).filter(|&at| is_still(&spans[at])).collect();
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

/// The problem of an unfinished search.
fn unchecked(why: &SkipReason) -> Option<Blame> {
    match why {
        SkipReason::TooManyMatches { .. } | SkipReason::TooManyViolations { .. } => None,
        why => Some(Blame { edits: Vec::new(), why: WhyLeft::NotChecked(why.to_string()) }),
    }
}

/// Whether the contract of a fix still matches at its span.
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

/// Whether a match is larger than the span of a fix. Syntax nodes nest: the fix of an inner one leaves the outer one.
fn encloses(violation: &Violation, span: &EditSpan<'_>) -> bool {
    let Some(found) = violation.found.as_ref().map(|found| found.whole()) else { return false };
    found.start <= span.new.start && span.new.end <= found.end && found != span.new
}

/// The indices of the spans that a violation touches.
fn touching(violation: &Violation, spans: &[EditSpan<'_>]) -> Vec<usize> {
    let Some(found) = violation.found.as_ref().map(|found| found.whole()) else { return Vec::new() };
    let first = spans.partition_point(|span| span.new.end < found.start);
    (first..spans.len()).take_while(|&at| spans[at].new.start <= found.end).collect()
}

/// A contract id and the span of a violation.
type SpanKey<'a> = (&'a str, Option<(usize, usize)>);

/// A contract id and the lines of a violation.
type LineKey<'a> = (&'a str, Option<MatchDigests>);

/// The violations before the edits. Each is paired with at most one.
struct PreviousViolations<'a> {
    before: &'a TextState,
    /// By moved span. Violations whose span an edit changed are missing.
    at_places: HashMap<SpanKey<'a>, Vec<usize>>,
    /// By line.
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
            known.on_lines.entry((id, violation.match_digests())).or_default().push(index);
        }
        known
    }

    /// Whether a violation had this span before the edits.
    fn has_place(&self, violation: &'a Violation) -> bool {
        let place = violation.found.as_ref().map(|found| (found.whole().start, found.whole().end));
        let key = (violation.contract.id.as_str(), place);
        self.at_places.get(&key).is_some_and(|indices| !indices.is_empty())
    }

    /// The standing of the violation with this span before the edits. A spared one must have the same line.
    fn at_place(&mut self, violation: &'a Violation) -> Option<FixStanding> {
        let place = violation.found.as_ref().map(|found| (found.whole().start, found.whole().end));
        let indices = self.at_places.get_mut(&(violation.contract.id.as_str(), place))?;
        let index = indices.pop()?;
        let (was, standing) = (&self.before.violations[index], self.before.standings[index]);
        if matches!(standing, FixStanding::Spared(_)) && was.match_digests() != violation.match_digests() {
            return None;
        }
        self.used[index] = true;
        Some(standing)
    }

    /// The standing of an unpaired violation on the same line.
    fn on_line(&mut self, violation: &'a Violation) -> Option<FixStanding> {
        let indices = self.on_lines.get_mut(&(violation.contract.id.as_str(), violation.match_digests()))?;
        while let Some(index) = indices.pop() {
            if !self.used[index] {
                self.used[index] = true;
                return Some(self.before.standings[index]);
            }
        }
        None
    }
}

/// The offset after the edits; `None` inside a replaced span.
fn moved(at: usize, spans: &[EditSpan<'_>]) -> Option<usize> {
    let passed = spans.partition_point(|span| span.old.end <= at);
    if spans.get(passed).is_some_and(|next| next.old.start < at) {
        return None;
    }
    let Some(last) = passed.checked_sub(1) else { return Some(at) };
    Some(spans[last].new.end + (at - spans[last].old.end))
}
