//! Applies subsets of the edits of a text on trial, to find those that work together.

use std::ops::Range;

use super::judge::{self, Blame, EditSpan};
use super::{Edit, Fixer, TextState, WhyLeft};
use crate::matcher::FileNames;
use crate::text::{Text, starts_with_mark};
use phaser_data::Tree;

/// Cap on the checks of one round.
const MAX_TRIALS: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EditFate {
    Chosen,
    /// Tried alone, after the others.
    Undecided,
    Refused(WhyLeft),
}

/// The trials of one round.
pub(super) struct Trials<'a> {
    fixer: &'a Fixer<'a>,
    names: FileNames<'a>,
    now: &'a TextState,
    all: &'a [Edit],
    /// The fate of each edit.
    pub fates: Vec<EditFate>,
    /// The number of checks left.
    left: usize,
}

impl<'a> Trials<'a> {
    /// Starts with every edit chosen that does not overlap an earlier one.
    pub fn new(fixer: &'a Fixer<'a>, now: &'a TextState, names: FileNames<'a>, all: &'a [Edit]) -> Self {
        let (mut fates, mut end) = (Vec::with_capacity(all.len()), 0);
        for edit in all {
            let is_free = end <= edit.range.start;
            end = if is_free { edit.range.end } else { end };
            fates.push(if is_free { EditFate::Chosen } else { EditFate::Undecided });
        }
        Self { fixer, names, now, all, fates, left: MAX_TRIALS }
    }

    /// The indices of the chosen edits, and of one more.
    fn chosen(&self, more: Option<usize>) -> Vec<usize> {
        let is_chosen = |at: &usize| self.fates[*at] == EditFate::Chosen || Some(*at) == more;
        (0..self.all.len()).filter(is_chosen).collect()
    }

    /// Drops edits that cause violations until the rest is clean. Edits that share a cause are retried one by one.
    pub fn without_blamed(&mut self) -> Option<TextState> {
        loop {
            let chosen = self.chosen(None);
            if chosen.is_empty() {
                return None;
            }
            let blames = match self.attempt(&chosen) {
                Ok(state) => return Some(state),
                Err(blames) => blames,
            };
            let is_clear = blames.iter().any(|blame| !blame.edits.is_empty());
            for Blame { edits, why } in blames {
                match edits.as_slice() {
                    [edit] => self.refuse(chosen[*edit], why),
                    edits => edits.iter().for_each(|&edit| self.doubt(chosen[edit])),
                }
            }
            if !is_clear {
                chosen.into_iter().for_each(|at| self.doubt(at));
            }
        }
    }

    /// The first reason counts.
    fn refuse(&mut self, at: usize, why: WhyLeft) {
        if !matches!(self.fates[at], EditFate::Refused(_)) {
            self.fates[at] = EditFate::Refused(why);
        }
    }

    fn doubt(&mut self, at: usize) {
        if self.fates[at] == EditFate::Chosen {
            self.fates[at] = EditFate::Undecided;
        }
    }

    /// The text with the chosen edits and one more, or the reason against it.
    pub fn with(&mut self, one: usize) -> Result<TextState, WhyLeft> {
        let Range { start, end } = self.all[one].range;
        let overlaps = |at: &usize| self.all[*at].range.start < end && start < self.all[*at].range.end;
        if self.chosen(None).iter().any(overlaps) {
            return Err(WhyLeft::Overlaps);
        }
        let more = self.chosen(Some(one));
        let blamed =
            |blames: Vec<Blame>| blames.into_iter().next().map_or(WhyLeft::TooMany, |blame| blame.why);
        self.attempt(&more).map_err(blamed)
    }

    /// The text with these edits, or their problems, which refer to edits by index into `chosen`.
    fn attempt(&mut self, chosen: &[usize]) -> Result<TextState, Vec<Blame>> {
        let Some(left) = self.left.checked_sub(1) else {
            return Err(vec![Blame { edits: Vec::new(), why: WhyLeft::TooMany }]);
        };
        self.left = left;
        let id = |edit: &Edit| self.now.violations[edit.violation].contract.id.as_str();
        let edits = chosen.iter().map(|&at| (&self.all[at], id(&self.all[at])));
        let (bytes, spans) = applied(&self.now.text, edits);
        let text = Text::new(bytes.as_slice()).filter(|_| !starts_with_mark(&bytes));
        let Some(text) = text else {
            let why = WhyLeft::NotChecked("it would not be text".to_owned());
            return Err(vec![Blame { edits: Vec::new(), why }]);
        };
        let is_value = |at: &usize| {
            let violation = &self.now.violations[self.all[*at].violation];
            violation.contract.check.value().is_some()
        };
        if chosen.iter().any(is_value) && !parses(self.names, &text) {
            let why = WhyLeft::NotChecked("it would not parse".to_owned());
            return Err(vec![Blame { edits: Vec::new(), why }]);
        }
        let checked = self.fixer.check(self.names, &text);
        drop(text);
        judge::judge(self.now, bytes, checked, &spans)
    }
}

/// Whether a data file parses. A check tells only if it has to parse the file.
fn parses(names: FileNames<'_>, text: &Text<'_>) -> bool {
    let format = names.format();
    let source = std::str::from_utf8(text.bytes()).ok();
    format.zip(source).is_some_and(|(format, source)| Tree::parse(source, format).is_ok())
}

/// Applies edits, each with the id of its contract. They are in order and do not overlap.
pub(super) fn applied<'e>(
    text: &[u8],
    edits: impl Iterator<Item = (&'e Edit, &'e str)>,
) -> (Vec<u8>, Vec<EditSpan<'e>>) {
    let (mut bytes, mut spans, mut copied) = (Vec::with_capacity(text.len()), Vec::new(), 0);
    for (Edit { range, new, .. }, id) in edits {
        bytes.extend_from_slice(&text[copied..range.start]);
        let start = bytes.len();
        bytes.extend_from_slice(new);
        spans.push(EditSpan { old: range.clone(), new: start..bytes.len(), id });
        copied = range.end;
    }
    bytes.extend_from_slice(&text[copied..]);
    (bytes, spans)
}
