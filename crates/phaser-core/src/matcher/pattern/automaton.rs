//! A compiled expression for the linear engine, with caches that later searches reuse.
//!
//! The regex engines run in linear time, but a call cannot be stopped, and the constant depends on the pattern:
//! `a[ab]{40}c` on random `a` and `b` takes microseconds per byte. Without a deadline every search runs to its end.
//! Under a deadline (a hook) a search that [might take longer](Automaton::worst_case) than is left runs in a thread of
//! its own, which is abandoned when the deadline passes.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::{Input, meta};

use super::backtracking::SearchScope;
use super::linear::{self, Charset, SIZE_LIMIT};
use crate::matcher::limits::Budget;

/// The worst-case cost of one position of an expression per byte of text, in nanoseconds.
const POSITION_COST: u64 = 60;

/// The work, in positions times bytes, that any deadline allows: 60 ms at worst.
const LITTLE_WORK: usize = 1024 * 1024;

/// Above this number of states (Unicode classes with repetitions) no DFA is built. It would need the reverse
/// automaton too, which takes more memory than everything else, and cache little.
const MANY_STATES: usize = 10_000;

#[derive(Debug)]
pub struct Automaton {
    regex: meta::Regex,
    /// The number of positions of the expression, repetitions written out.
    positions: usize,
    free: Mutex<Vec<AutomatonCache>>,
}

/// Mutable state of the engine, reused by later searches.
#[derive(Debug)]
pub struct AutomatonCache {
    regex: meta::Cache,
    /// The bytes taken from the shared budget.
    taken: usize,
}

impl Automaton {
    /// `None` if the automaton exceeds the size limit.
    pub fn new(expression: &str, charset: Charset, scope: SearchScope) -> Option<Self> {
        let hir = linear::parse(expression, charset).ok()?;
        // A DFA pays off on more text than that.
        let is_worth_it = linear::estimated_states(&hir) <= MANY_STATES && scope != SearchScope::Little;
        // In a small window a prefilter has nothing to skip.
        let has_small_windows = match scope {
            SearchScope::Windows => hir.properties().maximum_len().is_some(),
            SearchScope::Little => true,
            SearchScope::Whole => false,
        };
        let config = meta::Config::new()
            .utf8_empty(false)
            .nfa_size_limit(Some(SIZE_LIMIT))
            .which_captures(WhichCaptures::Implicit)
            .auto_prefilter(!has_small_windows)
            .hybrid(is_worth_it)
            .dfa(is_worth_it)
            .onepass(is_worth_it);
        let regex = meta::Builder::new().configure(config).build_from_hir(&hir).ok()?;
        Some(Self { regex, positions: linear::written_out(&hir, |_| 1), free: Mutex::default() })
    }

    /// Heap memory in bytes, without caches.
    pub fn size(&self) -> usize {
        self.regex.memory_usage()
    }

    /// An upper bound for the time of a search of this many bytes; zero for little work.
    pub fn worst_case(&self, bytes: usize) -> Duration {
        let work = bytes.saturating_mul(self.positions);
        if work <= LITTLE_WORK {
            return Duration::ZERO;
        }
        Duration::from_nanos(u64::try_from(work).unwrap_or(u64::MAX).saturating_mul(POSITION_COST))
    }

    /// The first match in a window.
    pub fn find(
        &self,
        cache: &mut AutomatonCache,
        text: &[u8],
        window: Range<usize>,
    ) -> Option<Range<usize>> {
        let input = Input::new(text).range(window);
        self.regex.search_with(&mut cache.regex, &input).map(|found| found.range())
    }

    /// A cache for searches. [`keep`](Self::keep) takes it back.
    pub fn cache(&self) -> AutomatonCache {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        free.unwrap_or_else(|| AutomatonCache { regex: self.regex.create_cache(), taken: 0 })
    }

    /// Keeps the cache for the next search if the budget allows.
    pub fn keep(&self, mut cache: AutomatonCache, budget: &Budget) {
        budget.give(cache.taken);
        if budget.is_spent() {
            return;
        }
        cache.taken = cache.regex.memory_usage();
        budget.take(cache.taken);
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(cache);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_repetitions_may_be_too_large() {
        let expression = r"(?:(?:\w){0,40}?){0,40}?";
        assert!(Automaton::new(expression, Charset::Any, SearchScope::Windows).is_none());
        assert!(Automaton::new(expression, Charset::Ascii, SearchScope::Windows).is_some());
    }

    #[test]
    fn keeps_cache_while_budget_lasts() {
        let automaton = Automaton::new(r"\w+x", Charset::Any, SearchScope::Whole).expect("small");
        let kept = |budget: &Budget| {
            let mut cache = automaton.cache();
            assert_eq!(automaton.find(&mut cache, b"abc", 0..3), None);
            automaton.keep(cache, budget);
            automaton.free.lock().expect("not poisoned").len()
        };
        assert_eq!(kept(&Budget::new(0)), 0);
        let budget = Budget::new(1);
        assert_eq!(kept(&budget), 1);
        assert!(budget.is_spent(), "its size is counted");
    }

    #[test]
    fn worst_case_counts_repetitions() {
        let positions = |expression| {
            let automaton = Automaton::new(expression, Charset::Ascii, SearchScope::Whole).expect("small");
            automaton.worst_case(LITTLE_WORK).as_nanos() / u128::from(POSITION_COST) / LITTLE_WORK as u128
        };
        assert_eq!(positions("a"), 0, "little work");
        assert_eq!(positions("ab|c"), 3);
        assert_eq!(positions(r"(?:\w[a-z]){2,5}x*"), 11);
    }
}
