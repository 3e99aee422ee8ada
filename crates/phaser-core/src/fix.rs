//! Fixes: a text that violates contracts, mended as far as that does no harm.
//!
//! Pure: bytes in, bytes out; no file is read or written. A fix is applied only where its contract matches no longer, and
//! where the text then has no open violation that it did not have before: the whole of the text is checked again, with
//! all contracts that apply to its path. What was left alone before (in the baseline, there before an edit) must stay as
//! it was, or it would count.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use crate::contract::Contract;
use crate::matcher::captures::Captures;
use crate::matcher::{Checked, FileNames, Matcher};
use crate::skipped::{Skipped, Why};
use crate::text::{Text, starts_with_mark};
use crate::violation::{self, Match, Violation};

mod judge;
mod replacement;
mod trials;

use trials::{EditFate, Trials};

/// How often a text is looked at again once something was fixed.
const MAX_ROUNDS: usize = 10;

/// Fixes texts with the contracts of a matcher.
#[derive(Debug)]
pub struct Mender<'m> {
    matcher: &'m Matcher,
    /// The contracts whose violations are fixed, if not those of all are.
    chosen: Option<HashSet<String>>,
    /// The groups of patterns, each read when a fix first names one.
    captures: Mutex<HashMap<String, Option<Arc<Captures>>>>,
}

/// What became of a text.
#[derive(Debug, Default)]
pub struct Mended {
    /// The text.
    pub text: Vec<u8>,
    /// What was done to it, one after another.
    pub applied: Vec<Applied>,
    /// What was not, though there is a fix for it.
    pub left: Vec<Left>,
    /// Everything that violates contracts now.
    pub violations: Vec<Violation>,
}

/// A fix that was applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The contract that it is of.
    pub contract: Arc<Contract>,
    /// The line it starts on.
    pub line: usize,
    /// What stood there.
    pub old: String,
    /// What stands there now.
    pub new: String,
}

/// A fix that was not applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// The violation that stays.
    pub violation: Violation,
    /// Why.
    pub why: WhyLeft,
}

/// Why a fix was not applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhyLeft {
    /// Another one stands in the same place.
    Overlaps,
    /// The contract would still match there.
    StillMatches,
    /// Another contract would be violated.
    WouldViolate(String),
    /// Not every contract could be checked on the result.
    NotChecked(String),
    /// What a group matched could not be told.
    NoGroups,
    /// There are too many that depend on each other.
    TooMany,
}

impl fmt::Display for WhyLeft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overlaps => f.write_str("overlaps another fix"),
            Self::StillMatches => f.write_str("the result would still match"),
            Self::WouldViolate(id) => write!(f, "would violate {id}"),
            Self::NotChecked(why) => write!(f, "the result could not be checked: {why}"),
            Self::NoGroups => f.write_str("what its groups matched could not be told"),
            Self::TooMany => f.write_str("too many fixes depend on each other (fix some by hand)"),
        }
    }
}

/// Whether a violation is to be fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FixStanding {
    /// If there is a fix for it.
    Wanted,
    /// It does not count, because it is this, and is left alone.
    Spared(violation::State),
}

/// A text and what violates contracts in it.
#[derive(Debug)]
struct TextState {
    text: Vec<u8>,
    violations: Vec<Violation>,
    /// For each of them.
    standings: Vec<FixStanding>,
    /// Contracts with more violations than were looked for.
    cut: Vec<String>,
}

/// A change of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The index of the violation that it repairs.
    pub violation: usize,
    /// The bytes to replace.
    pub range: Range<usize>,
    /// What to write there.
    pub new: Vec<u8>,
}

/// What one look at a text brings.
#[derive(Debug, Default)]
struct Round {
    /// The changes that do no harm together, in order.
    chosen: Vec<Edit>,
    /// What they make of the text, unless there are none.
    next: Option<TextState>,
    /// The violations that stay, though there is a fix, by their index.
    left: Vec<(usize, WhyLeft)>,
}

impl<'m> Mender<'m> {
    /// One that fixes with these contracts.
    pub fn new(matcher: &'m Matcher) -> Self {
        Self { matcher, chosen: None, captures: Mutex::default() }
    }

    /// One that fixes the violations of these contracts only. What harm is, the others say as well.
    #[must_use]
    pub fn only(self, ids: HashSet<String>) -> Self {
        Self { chosen: Some(ids), ..self }
    }

    /// Fixes a text until nothing changes. Violations that are `spared` are left alone; the others are looked for.
    pub fn mend<'v>(
        &self,
        names: FileNames<'_>,
        text: &Text<'_>,
        spared: impl IntoIterator<Item = &'v Violation>,
    ) -> Mended {
        let checked = self.check(names, text);
        let mut now = TextState::of(text.bytes().to_vec(), checked.violations, &checked.skipped);
        now.spare(spared);
        let mut mended = Mended::default();
        for _ in 0..MAX_ROUNDS {
            let round = self.round(names, &now);
            let stays =
                |(index, why): (usize, WhyLeft)| Left { violation: now.violations[index].clone(), why };
            mended.left = round.left.into_iter().map(stays).collect();
            let Some(next) = round.next else { break };
            mended.applied.extend(round.chosen.iter().map(|edit| now.applied(edit)));
            now = next;
        }
        mended.violations = now.violations();
        mended.text = now.text;
        mended
    }

    /// The fixes for the violations that were found in a text, known by their index, that do no harm when they are applied
    /// together.
    pub fn plan(&self, names: FileNames<'_>, text: &Text<'_>, checked: &Checked) -> Vec<Edit> {
        let state = TextState::of(text.bytes().to_vec(), checked.violations.clone(), &checked.skipped);
        self.round(names, &state).chosen
    }

    /// What violates contracts in a text.
    pub fn violations(&self, names: FileNames<'_>, text: &Text<'_>) -> Vec<Violation> {
        self.check(names, text).violations
    }

    fn check(&self, names: FileNames<'_>, text: &Text<'_>) -> Checked {
        self.matcher.check(&self.matcher.select(names.path, names.alias), names.path, Some(text))
    }

    /// Finds the fixes that do no harm: all of them at once if that is so; without those that are to blame; and one by one
    /// where that cannot be told.
    fn round(&self, names: FileNames<'_>, now: &TextState) -> Round {
        let (mut candidates, mut left) = self.candidates(now);
        candidates.sort_by(|one, other| {
            let id = |edit: &Edit| &now.violations[edit.violation].contract.id;
            let by_place = one.range.start.cmp(&other.range.start).then_with(|| id(one).cmp(id(other)));
            by_place.then_with(|| one.violation.cmp(&other.violation))
        });
        let mut trials = Trials::new(self, now, names, &candidates);
        let mut next = trials.without_blamed();
        for at in 0..candidates.len() {
            if trials.fates[at] == EditFate::Undecided {
                match trials.with(at) {
                    Ok(state) => (next, trials.fates[at]) = (Some(state), EditFate::Chosen),
                    Err(why) => trials.fates[at] = EditFate::Refused(why),
                }
            }
        }
        let fates = trials.fates;
        let mut chosen = Vec::new();
        for (edit, fate) in candidates.into_iter().zip(fates) {
            match fate {
                EditFate::Chosen => chosen.push(edit),
                EditFate::Refused(why) => left.push((edit.violation, why)),
                EditFate::Undecided => {}
            }
        }
        left.sort_by_key(|(index, _)| *index);
        Round { chosen, next, left }
    }

    /// A change for each violation that has a fix, and the violations that have one that cannot be used.
    fn candidates(&self, now: &TextState) -> (Vec<Edit>, Vec<(usize, WhyLeft)>) {
        let (mut candidates, mut left) = (Vec::new(), Vec::new());
        if starts_with_mark(&now.text) {
            return (candidates, left);
        }
        let Some(text) = Text::new(now.text.as_slice()) else { return (candidates, left) };
        let mut by_contract: HashMap<*const Contract, Vec<usize>> = HashMap::new();
        for (index, violation) in now.violations.iter().enumerate() {
            let is_chosen =
                || self.chosen.as_ref().is_none_or(|chosen| chosen.contains(&violation.contract.id));
            if is_fixable(violation) && now.standings[index] == FixStanding::Wanted && is_chosen() {
                by_contract.entry(Arc::as_ptr(&violation.contract)).or_default().push(index);
            }
        }
        for indices in by_contract.into_values() {
            let places: Vec<_> = indices.iter().filter_map(|&index| now.place(index)).collect();
            let contract = &now.violations[indices[0]].contract;
            let written = replacement::of_matches(self, contract, &text, &places);
            for ((violation, range), new) in indices.into_iter().zip(places).zip(written) {
                match new {
                    None => left.push((violation, WhyLeft::NoGroups)),
                    Some(new) if new == now.text[range.clone()] => {
                        left.push((violation, WhyLeft::StillMatches))
                    }
                    Some(new) => candidates.push(Edit { violation, range, new }),
                }
            }
        }
        (candidates, left)
    }

    /// The groups of a contract's pattern.
    fn captures(&self, contract: &Contract) -> Option<Arc<Captures>> {
        let pattern = contract.check.pattern()?;
        let mut known = self.captures.lock().unwrap_or_else(PoisonError::into_inner);
        let groups = known.entry(pattern.source.clone());
        groups.or_insert_with(|| Captures::of(pattern).map(Arc::new)).clone()
    }
}

/// Is there a fix for a violation that counts?
pub fn is_fixable(violation: &Violation) -> bool {
    violation.is_open() && violation.found.is_some() && violation.contract.fix.is_some()
}

impl TextState {
    fn of(text: Vec<u8>, violations: Vec<Violation>, skipped: &[Skipped]) -> Self {
        let cut = skipped.iter().flat_map(|skipped| match &skipped.why {
            Why::TooManyMatches { id, .. } => vec![id.clone()],
            Why::TooManyViolations { ids, .. } => ids.clone(),
            _ => Vec::new(),
        });
        Self { text, cut: cut.collect(), standings: vec![FixStanding::Wanted; violations.len()], violations }
    }

    /// Leaves violations alone that stand where these do.
    fn spare<'v>(&mut self, spared: impl IntoIterator<Item = &'v Violation>) {
        let place = |violation: &Violation| violation.found.as_ref().map(Match::whole);
        let spared: HashMap<_, _> = spared
            .into_iter()
            .map(|violation| ((violation.contract.id.as_str(), place(violation)), violation.state))
            .collect();
        for (violation, standing) in self.violations.iter().zip(&mut self.standings) {
            if let Some(state) = spared.get(&(violation.contract.id.as_str(), place(violation))) {
                *standing = FixStanding::Spared(*state);
            }
        }
    }

    /// The violations, each in its state.
    fn violations(&self) -> Vec<Violation> {
        let state = |violation: &Violation, standing: FixStanding| match standing {
            FixStanding::Spared(state) if violation.is_open() => state,
            FixStanding::Spared(_) | FixStanding::Wanted => violation.state,
        };
        let each = self.violations.iter().zip(&self.standings);
        let own = |(violation, standing): (&Violation, &FixStanding)| Violation {
            state: state(violation, *standing),
            ..violation.clone()
        };
        each.map(own).collect()
    }

    fn place(&self, index: usize) -> Option<Range<usize>> {
        self.violations[index].found.as_ref().map(Match::whole)
    }

    fn applied(&self, edit: &Edit) -> Applied {
        let violation = &self.violations[edit.violation];
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Applied {
            contract: Arc::clone(&violation.contract),
            line: violation.found.as_ref().map_or(1, |found| found.region.start.line),
            old: shown(&self.text[edit.range.clone()]),
            new: shown(&edit.new),
        }
    }
}

#[cfg(test)]
mod tests;
