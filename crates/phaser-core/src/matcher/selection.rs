//! The contracts that apply to a path, and those of them that a text can match.
//!
//! A selection is *cold* at first: for each text, [`QuickReject`] tests the required literals of all its
//! contracts, and only the patterns that may match are parsed. For a hook with one text that is the cheapest way.
//! Every text adds to a count of bytes tested. Once that exceeds the cost of parsing all patterns ([`READING`]
//! bytes each), the selection is *warm*: all patterns are parsed, and one prefilter serves every further text.
//!
//! With 400 contracts of which 3 may match: a hook tests the literals of 400 and parses 3. A scan parses
//! all 400 as soon as testing and preparing its texts has cost as much. The result is the same either way, which the
//! oracle tests check.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::Matcher;
use super::prefilter::Prefilter;
use super::prefilter::quick_reject::QuickReject;
use crate::check::CheckInput;

/// The cost of parsing one pattern, in bytes of text tested.
const READING: usize = 16 * 1024;

/// The cost of testing the literals of one pattern, beside the bytes of the text.
const REJECTING: usize = 32;

/// The cost of building a prefilter for one text, per pattern that may match in it.
const PREFILTERING: usize = 6 * 1024;

/// The contracts that apply to a path. Shared by all files with the same set.
#[derive(Debug)]
pub struct Selection {
    /// The contracts that need the text, in order.
    contents: Vec<usize>,
    /// The contracts about the presence of the file.
    pub(super) present: Vec<usize>,
    exists: Vec<usize>,
    /// The contracts about the size of the file.
    pub(super) sized: Vec<usize>,
    /// The contracts about changes and companions.
    changes: Vec<usize>,
    /// The contracts about the values of the file.
    pub(super) data: Vec<usize>,
    /// Contracts that were not prepared before the deadline.
    no_time: Vec<usize>,
    /// The cost spent on texts while cold.
    spent: AtomicUsize,
    is_warming: AtomicBool,
    warm: OnceLock<SearchSet>,
}

/// Contracts with parsed patterns, and their prefilter.
#[derive(Debug)]
pub struct SearchSet {
    /// In order, with backtracking patterns last, since they are slow.
    pub contracts: Vec<usize>,
    pub prefilter: Prefilter,
    /// Contracts that cannot match in the text, and whose result depends on it.
    pub unmatched: Vec<usize>,
    /// Contracts whose patterns were not parsed before the deadline.
    pub no_time: Vec<usize>,
}

impl Selection {
    pub(super) fn new(matcher: &Matcher, applicable: &[usize], content: ContentCheck) -> Self {
        let (mut contents, mut no_time) = (Vec::new(), Vec::new());
        let (mut present, mut exists, mut sized) = (Vec::new(), Vec::new(), Vec::new());
        let (mut changes, mut data) = (Vec::new(), Vec::new());
        for &index in applicable {
            let check = &matcher.contracts[index].check;
            match check.input() {
                CheckInput::Path if check.is_about_project() => exists.push(index),
                CheckInput::Command => {}
                _ if content == ContentCheck::Excluded => {}
                // What a change must keep is searched for in both versions, apart from everything else.
                CheckInput::Change if content == ContentCheck::Kept && check.pattern().is_none() => {}
                CheckInput::Change | CheckInput::Companion if !matches!(content, ContentCheck::Kept) => {
                    changes.extend((content != ContentCheck::Message).then_some(index));
                }
                CheckInput::Message if content != ContentCheck::Message => {}
                CheckInput::Path
                | CheckInput::Text
                | CheckInput::Size
                | CheckInput::Data
                | CheckInput::Companion
                    if matches!(content, ContentCheck::Message | ContentCheck::Kept) => {}
                CheckInput::Size => sized.push(index),
                CheckInput::Path => present.push(index),
                CheckInput::Data => {
                    if content == ContentCheck::Judged && matcher.is_valid(index) {
                        data.push(index);
                    }
                }
                CheckInput::Text | CheckInput::Message | CheckInput::Change | CheckInput::Companion => {
                    match content {
                        ContentCheck::Exempt | ContentCheck::Excluded => {}
                        _ if matcher.is_late() => no_time.push(index),
                        _ if matcher.is_valid(index) => contents.push(index),
                        _ => {}
                    }
                }
            }
        }
        Self {
            contents,
            present,
            exists,
            sized,
            changes,
            data,
            no_time,
            spent: AtomicUsize::new(0),
            is_warming: AtomicBool::new(false),
            warm: OnceLock::new(),
        }
    }

    /// Whether no contract has to be checked.
    pub fn is_empty(&self) -> bool {
        self.contents.is_empty()
            && self.present.is_empty()
            && self.sized.is_empty()
            && self.data.is_empty()
            && self.no_time.is_empty()
    }

    /// Whether a contract is about the text of the file.
    pub fn reads_text(&self) -> bool {
        !self.contents.is_empty() || !self.data.is_empty() || !self.no_time.is_empty()
    }

    /// Whether there is a pattern to search for in the text.
    pub(super) fn has_searches(&self) -> bool {
        !self.contents.is_empty()
    }

    /// Contracts that the existence of the file satisfies.
    pub fn satisfied_by_existence(&self) -> &[usize] {
        &self.exists
    }

    /// Whether the size of the file is to be checked.
    pub fn needs_size(&self) -> bool {
        !self.sized.is_empty()
    }

    /// The contracts about changes of the file and about its companions.
    pub fn changes(&self) -> &[usize] {
        &self.changes
    }

    /// Contracts that were not prepared before the deadline.
    pub(super) fn no_time(&self) -> &[usize] {
        &self.no_time
    }

    /// Calls `search` with the contracts that may match in the text.
    pub(super) fn with_searched<T>(
        &self,
        matcher: &Matcher,
        text: &[u8],
        search: impl FnOnce(&SearchSet) -> T,
    ) -> T {
        if let Some(warm) = self.warm.get() {
            return search(warm);
        }
        match self.quick_reject(text) {
            Some(quick) => {
                let (mut possible, mut unmatched) = (Vec::new(), Vec::new());
                for &index in &self.contents {
                    match matcher.required_literals(index) {
                        Some(literals) if !quick.may_match(literals) => {
                            let passes = matcher.contracts[index].check.passes_unmatched();
                            unmatched.extend((!passes).then_some(index));
                        }
                        Some(_) | None => possible.push(index),
                    }
                }
                self.spent.fetch_add(possible.len() * PREFILTERING, Ordering::Relaxed);
                search(&SearchSet { unmatched, ..SearchSet::new(matcher, &possible) })
            }
            None => {
                let all = SearchSet::new(matcher, &self.contents);
                if !all.no_time.is_empty() {
                    return search(&all);
                }
                search(self.warm.get_or_init(|| all))
            }
        }
    }

    #[cfg(test)]
    pub(super) fn contents(&self) -> &[usize] {
        &self.contents
    }

    /// Parses all patterns at once.
    #[cfg(test)]
    pub(super) fn warm_up(&self, matcher: &Matcher) {
        self.warm.get_or_init(|| SearchSet::new(matcher, &self.contents));
    }

    /// The text prepared for testing literals; `None` once parsing all patterns is cheaper.
    fn quick_reject(&self, text: &[u8]) -> Option<QuickReject> {
        let count = self.contents.len();
        let cost = text.len().saturating_add(count * REJECTING);
        let spent = self.spent.fetch_add(cost, Ordering::Relaxed);
        let is_cold = spent < count * READING || self.is_warming.swap(true, Ordering::Relaxed);
        is_cold.then(|| QuickReject::new(text, count)).flatten()
    }
}

/// Which contracts apply to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ContentCheck {
    Judged,
    /// Those about its path: it is a contract file.
    Exempt,
    /// None: the configuration excludes it. It still satisfies contracts that ask for a file.
    Excluded,
    /// Those about commit messages: it is one.
    Message,
    /// Those whose matches a change must keep.
    Kept,
}

impl SearchSet {
    fn new(matcher: &Matcher, contracts: &[usize]) -> Self {
        let (mut patterns, mut no_time) = (Vec::new(), Vec::new());
        for &index in contracts {
            match matcher.prepared.known_pattern(index) {
                Some(pattern) => patterns.push((index, pattern)),
                None if matcher.is_late() => no_time.push(index),
                None => patterns.extend(matcher.pattern(index).map(|pattern| (index, pattern))),
            }
        }
        patterns.sort_by_key(|(_, pattern)| pattern.backtracks().is_some());
        let prefilter = Prefilter::new(patterns.iter().map(|(_, pattern)| pattern.requirements()));
        let contracts = patterns.into_iter().map(|(index, _)| index).collect();
        Self { contracts, prefilter, unmatched: Vec::new(), no_time }
    }
}
