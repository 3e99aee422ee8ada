//! The contracts that apply to a path, and which of them a text can match at all.
//!
//! A group of contracts starts cold: for each text, only the patterns are read whose required part may be in it, which
//! for a hook is hardly any. Once that has cost as much as reading all patterns, they are read, and one prefilter serves
//! every further text. What is found is the same either way.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::Matcher;
use super::prefilter::Prefilter;
use super::prefilter::quick_reject::QuickReject;
use crate::check::CheckInput;

/// What reading one pattern costs, in bytes of text that could be held against needs for it.
const READING: usize = 16 * 1024;

/// What holding one pattern's needs against a text costs beside the bytes of the text, in the same unit.
const REJECTING: usize = 32;

/// What it costs to make a prefilter for one text, for each pattern that may match in it.
const PREFILTERING: usize = 6 * 1024;

/// The contracts that apply to a path.
#[derive(Debug)]
pub struct Selection {
    /// Those about the text, in order.
    contents: Vec<usize>,
    /// Those about the presence of the file.
    pub(super) present: Vec<usize>,
    exists: Vec<usize>,
    /// Those that there was no time to look at.
    no_time: Vec<usize>,
    /// What has been spent on texts while the group was cold.
    spent: AtomicUsize,
    is_warming: AtomicBool,
    warm: OnceLock<SearchSet>,
}

/// Contracts whose patterns have been read.
#[derive(Debug)]
pub struct SearchSet {
    /// In order, those that backtrack last: they are slow.
    pub contracts: Vec<usize>,
    /// Where each of them can match.
    pub prefilter: Prefilter,
    /// Those that demand a match, which there cannot be.
    pub unmatched: Vec<usize>,
    /// Those whose patterns there was no time to read.
    pub no_time: Vec<usize>,
}

impl Selection {
    /// Of the contracts that apply, in order, those that count.
    pub(super) fn new(matcher: &Matcher, applicable: &[usize], content: ContentCheck) -> Self {
        let (mut contents, mut no_time) = (Vec::new(), Vec::new());
        let (mut present, mut exists) = (Vec::new(), Vec::new());
        for &index in applicable {
            let check = &matcher.contracts[index].check;
            match check.input() {
                CheckInput::Path if check.is_about_project() => exists.push(index),
                CheckInput::Path => present.push(index),
                CheckInput::Text => match content {
                    ContentCheck::Exempt => {}
                    ContentCheck::Judged if matcher.is_late() => no_time.push(index),
                    ContentCheck::Judged if matcher.is_valid(index) => contents.push(index),
                    ContentCheck::Judged => {}
                },
            }
        }
        Self {
            contents,
            present,
            exists,
            no_time,
            spent: AtomicUsize::new(0),
            is_warming: AtomicBool::new(false),
            warm: OnceLock::new(),
        }
    }

    /// Is there nothing to check?
    pub fn is_empty(&self) -> bool {
        self.contents.is_empty() && self.present.is_empty() && self.no_time.is_empty()
    }

    /// Contracts that the existence of the file satisfies.
    pub fn satisfied_by_existence(&self) -> &[usize] {
        &self.exists
    }

    /// Contracts about the text that there was no time to look at.
    pub(super) fn no_time(&self) -> &[usize] {
        &self.no_time
    }

    /// Calls `search` with the contracts that can match in the text, and maybe others.
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
                    match matcher.needs(index) {
                        Some(needs) if !quick.may_match(needs) => {
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

    /// Contracts about the text, in order.
    #[cfg(test)]
    pub(super) fn contents(&self) -> &[usize] {
        &self.contents
    }

    /// Reads all patterns, as many texts would have it.
    #[cfg(test)]
    pub(super) fn warm_up(&self, matcher: &Matcher) {
        self.warm.get_or_init(|| SearchSet::new(matcher, &self.contents));
    }

    /// The text to hold needs against, unless it is time to read all patterns.
    fn quick_reject(&self, text: &[u8]) -> Option<QuickReject> {
        let count = self.contents.len();
        let cost = text.len().saturating_add(count * REJECTING);
        let spent = self.spent.fetch_add(cost, Ordering::Relaxed);
        let is_cold = spent < count * READING || self.is_warming.swap(true, Ordering::Relaxed);
        is_cold.then(|| QuickReject::new(text, count)).flatten()
    }
}

/// What becomes of contracts about the text of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ContentCheck {
    /// They are judged.
    Judged,
    /// They do not apply: contracts are read from this file.
    Exempt,
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
