//! Fixes: computes a text with fewer violations. Bytes in, bytes out; no file is read or written.
//!
//! A fix replaces a match by a template, and may break something else. So every fix is applied on trial and the
//! whole text is checked again, with all contracts that apply to its path. A fix is kept if its contract no longer
//! matches there and the text has no open violation that it did not have before.
//!
//! With the contracts `foo(.?)` → `bar$1` and `bar!` (no fix), the text `foo. foo! bar! foo?` is fixed as follows:
//!
//! 1. All three fixes at once give `bar. bar! bar! bar?`. The first `bar!` is a new violation at the span of the
//!    second fix.
//! 2. Without that fix: `bar. foo! bar! bar?`. No new violation, so the other two are kept.
//! 3. `foo!` stays, with the reason "would violate" and the id of the second contract.
//!
//! The next round starts from the result, as a fix may produce another match, up to [`MAX_ROUNDS`]. A violation
//! that does not count (baselined, or older than an edit) must keep its line unchanged, because it is recognised
//! by that line; otherwise it would count as new.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use crate::check::FileSize;
use crate::contract::Contract;
use crate::matcher::captures::Captures;
use crate::matcher::{Checked, FileNames, Matcher, Scratch};
use crate::notebook::{self, Notebook};
use crate::skipped::{SkipReason, Skipped};
use crate::text::{Text, starts_with_mark};
use crate::violation::{self, CellMatch, Match, Violation};

mod judge;
mod replacement;
mod trials;

use trials::{EditFate, Trials};

/// Cap on the rounds for one text.
const MAX_ROUNDS: usize = 10;

/// Fixes texts with the contracts of a matcher.
#[derive(Debug)]
pub struct Fixer<'m> {
    matcher: &'m Matcher,
    /// The ids of the contracts whose violations are fixed; `None` for all.
    chosen: Option<HashSet<String>>,
    /// Compiled groups by pattern source, built when a fix refers to a group.
    captures: Mutex<HashMap<String, Option<Arc<Captures>>>>,
}

/// The result of fixing a text.
#[derive(Debug, Default)]
pub struct FixResult {
    /// The fixed text.
    pub text: Vec<u8>,
    /// In the order of application.
    pub applied: Vec<Applied>,
    /// Violations that have a fix and stay.
    pub left: Vec<Left>,
    /// The violations of `text`.
    pub violations: Vec<Violation>,
}

/// A fix that was applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The contract of the violation.
    pub contract: Arc<Contract>,
    /// The line of the match, from 1, in the text of its round.
    pub line: usize,
    /// The replaced text.
    pub old: String,
    /// The replacement.
    pub new: String,
}

/// A violation whose fix was not applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// The violation, which has a fix.
    pub violation: Violation,
    /// Why the fix was not applied.
    pub why: WhyLeft,
}

/// Why a fix was not applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhyLeft {
    /// It overlaps another fix.
    Overlaps,
    /// The contract would still match there.
    StillMatches,
    /// The contract with this id would be violated.
    WouldViolate(String),
    /// The result could not be checked with every contract.
    NotChecked(String),
    /// The groups of the match are unknown.
    NoGroups,
    /// Too many fixes depend on each other.
    TooMany,
    /// The match spans several strings of a notebook.
    SeveralStrings,
}

impl fmt::Display for WhyLeft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overlaps => f.write_str("overlaps another fix"),
            Self::StillMatches => f.write_str("the result would still match"),
            Self::WouldViolate(id) => write!(f, "would violate {id}"),
            Self::NotChecked(why) => write!(f, "the result could not be checked: {why}"),
            Self::NoGroups => f.write_str("the text of its groups is unknown"),
            Self::TooMany => f.write_str("too many fixes depend on each other (fix some by hand)"),
            Self::SeveralStrings => f.write_str("spans several strings of the notebook (fix it by hand)"),
        }
    }
}

/// Whether a violation is to be fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FixStanding {
    /// Fixed if it has a fix.
    Wanted,
    /// Does not count; keep it unchanged.
    Spared(violation::State),
}

/// A text with its violations.
#[derive(Debug)]
struct TextState {
    text: Vec<u8>,
    violations: Vec<Violation>,
    /// One for each violation.
    standings: Vec<FixStanding>,
    /// The ids of contracts with more violations than are reported.
    cut: Vec<String>,
}

/// A replacement in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The index of the violation that it removes.
    pub violation: usize,
    /// The bytes to replace.
    pub range: Range<usize>,
    /// The replacement.
    pub new: Vec<u8>,
}

/// One round of fixing.
#[derive(Debug, Default)]
struct Round {
    /// Compatible edits, in text order.
    chosen: Vec<Edit>,
    /// The text after these edits; `None` if there are none.
    next: Option<TextState>,
    /// The indices of violations that stay although they have a fix.
    left: Vec<(usize, WhyLeft)>,
}

impl<'m> Fixer<'m> {
    /// A fixer for the violations of all contracts.
    pub fn new(matcher: &'m Matcher) -> Self {
        Self { matcher, chosen: None, captures: Mutex::default() }
    }

    /// Restricts fixes to the violations of these contracts. Results are still checked with all contracts.
    #[must_use]
    pub fn only(self, ids: HashSet<String>) -> Self {
        Self { chosen: Some(ids), ..self }
    }

    /// Fixes a text until nothing changes. Violations equal to one of `spared` are kept.
    pub fn fix<'v>(
        &self,
        names: FileNames<'_>,
        text: &Text<'_>,
        spared: impl IntoIterator<Item = &'v Violation>,
    ) -> FixResult {
        let checked = self.check(names, text);
        let mut now = TextState::of(text.bytes().to_vec(), checked.violations, &checked.skipped);
        now.spare(spared);
        let mut fixed = FixResult::default();
        for _ in 0..MAX_ROUNDS {
            let round = self.round(names, &now);
            let stays =
                |(index, why): (usize, WhyLeft)| Left { violation: now.violations[index].clone(), why };
            fixed.left = round.left.into_iter().map(stays).collect();
            let Some(next) = round.next else { break };
            fixed.applied.extend(round.chosen.iter().map(|edit| now.applied(edit)));
            now = next;
        }
        fixed.violations = now.violations();
        fixed.text = now.text;
        fixed
    }

    /// The edits for the violations in `checked` that can be applied together. An edit refers to its violation by
    /// index.
    pub fn plan(&self, names: FileNames<'_>, text: &Text<'_>, checked: &Checked) -> Vec<Edit> {
        let state = TextState::of(text.bytes().to_vec(), checked.violations.clone(), &checked.skipped);
        self.round(names, &state).chosen
    }

    /// The violations of a text.
    pub fn violations(&self, names: FileNames<'_>, text: &Text<'_>) -> Vec<Violation> {
        self.check(names, text).violations
    }

    fn check(&self, names: FileNames<'_>, text: &Text<'_>) -> Checked {
        let selection = self.matcher.select(names.path, names.alias);
        let mut checked = self.matcher.check_with(&mut Scratch::default(), &selection, names, Some(text));
        if selection.needs_size() {
            let size = FileSize::of(text.bytes(), Some(text.bytes()));
            checked.violations.extend(self.matcher.check_size(&selection, names.path, size, Some(text)));
        }
        checked
    }

    /// Selects edits that can be applied together: all of them; else without those that cause a problem; then one
    /// by one where the cause is unclear.
    fn round(&self, names: FileNames<'_>, now: &TextState) -> Round {
        let (mut candidates, mut left) = self.candidates(names, now);
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

    /// An edit for each violation with a fix, and the violations whose fix cannot be computed.
    fn candidates(&self, names: FileNames<'_>, now: &TextState) -> (Vec<Edit>, Vec<(usize, WhyLeft)>) {
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
        let notebook = now.in_cells().then(|| Notebook::parse(text.bytes())).flatten();
        for mut indices in by_contract.into_values() {
            if let Some(notebook) = &notebook {
                let (of_cells, others) = indices.into_iter().partition(|&index| now.cell(index).is_some());
                self.candidates_in_cells(now, notebook, of_cells, (&mut candidates, &mut left));
                indices = others;
                if indices.is_empty() {
                    continue;
                }
            }
            let places: Vec<_> = indices.iter().filter_map(|&index| now.place(index)).collect();
            let contract = &now.violations[indices[0]].contract;
            let written = match contract.check.value() {
                Some(_) => replacement::of_values(self, contract, names, &text, &places),
                None => replacement::of_matches(self, contract, (names.path, &text), &places),
            };
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

    /// The edits for violations of one contract in the cells of a notebook. A replacement is written as JSON, and only within
    /// one string, so that every other byte of the file stays.
    fn candidates_in_cells(
        &self,
        now: &TextState,
        notebook: &Notebook,
        indices: Vec<usize>,
        (candidates, left): (&mut Vec<Edit>, &mut Vec<(usize, WhyLeft)>),
    ) {
        for cell in &notebook.cells {
            let Some(source) = Text::new(cell.source.as_slice()) else { continue };
            let is_here = |index: &usize| {
                now.cell(*index).is_some_and(|found| {
                    found.number == cell.number
                        && Some(cell.in_file(found.start..found.range.end)) == now.place(*index)
                })
            };
            let here: Vec<usize> = indices.iter().copied().filter(is_here).collect();
            let places: Vec<Range<usize>> = here
                .iter()
                .filter_map(|&index| now.cell(index))
                .map(|found| found.start..found.range.end)
                .collect();
            let Some(&first) = here.first() else { continue };
            let Violation { contract, path, .. } = &now.violations[first];
            let written = replacement::of_matches(self, contract, (path, &source), &places);
            for ((violation, range), new) in here.into_iter().zip(places).zip(written) {
                match new {
                    None => left.push((violation, WhyLeft::NoGroups)),
                    Some(new) if new == cell.source[range.clone()] => {
                        left.push((violation, WhyLeft::StillMatches))
                    }
                    Some(_) if !cell.is_in_one_string(&range) => {
                        left.push((violation, WhyLeft::SeveralStrings))
                    }
                    Some(new) => {
                        candidates.push(Edit {
                            violation,
                            range: cell.in_file(range),
                            new: notebook::escaped(&new),
                        });
                    }
                }
            }
        }
    }

    /// The groups of a contract's pattern.
    fn captures(&self, contract: &Contract) -> Option<Arc<Captures>> {
        let pattern = contract.check.pattern()?;
        let mut known = self.captures.lock().unwrap_or_else(PoisonError::into_inner);
        let groups = known.entry(pattern.source.clone());
        groups.or_insert_with(|| Captures::of(pattern).map(Arc::new)).clone()
    }
}

/// Whether a violation is open and has a fix.
pub fn is_fixable(violation: &Violation) -> bool {
    violation.is_open() && violation.found.is_some() && violation.contract.fix.is_some()
}

impl TextState {
    fn of(text: Vec<u8>, violations: Vec<Violation>, skipped: &[Skipped]) -> Self {
        let cut = skipped.iter().flat_map(|skipped| match &skipped.why {
            SkipReason::TooManyMatches { id, .. } => vec![id.clone()],
            SkipReason::TooManyViolations { ids, .. } => ids.clone(),
            _ => Vec::new(),
        });
        Self { text, cut: cut.collect(), standings: vec![FixStanding::Wanted; violations.len()], violations }
    }

    /// Marks the violations with the same contract and span as one of `spared`.
    fn spare<'v>(&mut self, spared: impl IntoIterator<Item = &'v Violation>) {
        let place = |violation: &Violation| violation.found.as_deref().map(Match::whole);
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

    /// The violations, with the state of those that are spared.
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

    /// Whether a violation is in the cell of a notebook.
    fn in_cells(&self) -> bool {
        (0..self.violations.len()).any(|index| self.cell(index).is_some())
    }

    fn cell(&self, index: usize) -> Option<&CellMatch> {
        self.violations[index].found.as_ref()?.cell.as_ref()
    }

    fn place(&self, index: usize) -> Option<Range<usize>> {
        self.violations[index].found.as_deref().map(Match::whole)
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
