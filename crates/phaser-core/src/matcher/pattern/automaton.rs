//! A compiled expression, and searches with it that can be interrupted.
//!
//! The regex engines run in linear time, but a call cannot be stopped, and the constant depends on the pattern:
//! `a[ab]{40}c` on random `a` and `b` takes microseconds per byte. Without a deadline every search runs to its
//! end. Under a deadline (a hook) there are three ways, tried in this order:
//!
//! 1. *Pieces.* A window of 1 MB and a pattern whose matches have at most 50 bytes: the window is searched in
//!    pieces that end where no match crosses, and the clock is read between them. A match that starts before `cut`
//!    lies within [`MatchExtent::from`] of it, so each piece is searched that much further, and a match that
//!    starts behind the cut is left to the next piece.
//! 2. *Frugal.* `.*` crosses any cut. A lazy DFA with little memory gives up when it has to clear its cache too
//!    often; usually it does not, and the search is done.
//! 3. *Thread.* What remains is searched in a thread of its own if it might take longer than the deadline allows.
//!    A thread that is late is abandoned, and the contract is reported as timed out.

use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use regex_automata::hybrid::{dfa, regex as hybrid};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::prefilter::Prefilter;
use regex_automata::{Input, MatchKind, meta};
use regex_syntax::hir::Hir;

use super::Unfinished;
use super::backtracking::SearchScope;
use super::linear::{self, Charset, SIZE_LIMIT};
use crate::deadline::{Deadline, Watch};
use crate::matcher::limits::{Budget, Effort};
use crate::matcher::literals::MatchReach;
use crate::matcher::prefilter::MAX_WIDTH;
use crate::matcher::prefilter::windows::walk;

/// The worst-case cost of one position of an expression per byte of text, in nanoseconds.
const POSITION_COST: u64 = 60;

/// The work, in positions times bytes, that is never split: 60 ms at worst.
const MAX_STEP: usize = 1024 * 1024;

/// The minimum length of a piece, in bytes.
const MIN_PIECE: usize = 16;

/// The maximum length of a piece, in bytes.
const MAX_PIECE: usize = 1024 * 1024;

/// A piece faster than `QUICK` is followed by a longer one, a piece slower than `SLOW` by a shorter one.
const QUICK: Duration = Duration::from_millis(1);
const SLOW: Duration = Duration::from_millis(8);

/// How often the frugal engine may fill its cache before it gives up, and the size of that cache in bytes.
const MAX_FILLS: usize = 3;
const FILL: usize = 2 * 1024 * 1024;

/// Above this number of states (Unicode classes with repetitions) no DFA is built. It would need the reverse
/// automaton too, which takes more memory than everything else, and cache little.
const MANY_STATES: usize = 10_000;

#[derive(Debug)]
pub struct Automaton {
    expression: String,
    charset: Charset,
    regex: meta::Regex,
    /// The number of positions of the expression, repetitions written out.
    positions: usize,
    /// The minimum number of bytes searched at once.
    step: usize,
    frugal: OnceLock<Option<hybrid::Regex>>,
    free: Mutex<Vec<AutomatonCache>>,
}

/// Mutable state of the engine, reused by later searches.
#[derive(Debug)]
struct AutomatonCache {
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
        let positions = positions(&hir);
        Some(Self {
            expression: expression.to_owned(),
            charset,
            regex,
            positions,
            step: (MAX_STEP / positions.max(1)).max(MIN_PIECE),
            frugal: OnceLock::new(),
            free: Mutex::default(),
        })
    }

    /// Heap memory in bytes, without caches.
    pub fn size(&self) -> usize {
        self.regex.memory_usage()
    }

    /// The engine that gives up, built on first use.
    fn frugal(&self, budget: &Budget) -> Option<&hybrid::Regex> {
        let made = self.frugal.get_or_init(|| {
            let frugal = frugal(&linear::parse(&self.expression, self.charset).ok()?)?;
            for dfa in [frugal.forward(), frugal.reverse()] {
                budget.take(dfa.get_nfa().memory_usage());
            }
            Some(frugal)
        });
        made.as_ref()
    }

    fn cache(&self) -> AutomatonCache {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        free.unwrap_or_else(|| AutomatonCache { regex: self.regex.create_cache(), taken: 0 })
    }

    /// Keeps the cache for the next search if the budget allows.
    fn keep(&self, mut cache: AutomatonCache, budget: &Budget) {
        budget.give(cache.taken);
        if budget.is_spent() {
            return;
        }
        cache.taken = cache.regex.memory_usage();
        budget.take(cache.taken);
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(cache);
    }
}

/// The maximum extent of a match.
#[derive(Debug, Clone, Copy)]
pub struct MatchExtent {
    /// In characters.
    pub reach: MatchReach,
    /// The maximum length of a character, in bytes.
    pub width: usize,
}

impl MatchExtent {
    /// The offset up to which a match that starts before `cut` can extend, at most `end`.
    pub fn from(&self, cut: usize, text: &[u8], end: usize) -> usize {
        let most = self.reach.most.map_or(usize::MAX, |most| most.saturating_mul(self.width));
        walk(text, cut, end.min(cut.saturating_add(most)), &self.reach.bytes)
    }
}

/// A search of one text, with its deadline and budget.
#[derive(Debug)]
pub struct AutomatonSearch<'a> {
    automaton: &'a Automaton,
    text: &'a [u8],
    extent: MatchExtent,
    clock: Deadline,
    budget: &'a Budget,
    cache: Option<AutomatonCache>,
    /// New for each search: whether the engine gives up depends on what it has cached.
    frugal: Option<hybrid::Cache>,
    piece: usize,
}

impl<'a> AutomatonSearch<'a> {
    pub fn new(automaton: &'a Automaton, text: &'a [u8], extent: MatchExtent, effort: &Effort<'a>) -> Self {
        let (cache, piece) = (Some(automaton.cache()), automaton.step);
        let (clock, budget) = (effort.clock(), effort.budget);
        Self { automaton, text, extent, clock, budget, cache, frugal: None, piece }
    }

    /// The first match in a window.
    pub fn next(&mut self, window: Range<usize>) -> Result<Option<Range<usize>>, Unfinished> {
        if self.clock.is_never() {
            return Ok(self.find(window));
        }
        let step = self.automaton.step;
        let mut at = window.start;
        loop {
            if window.end - at <= self.piece.max(step) {
                return Ok(self.find(at..window.end));
            }
            let cut = at + self.piece;
            let end = self.extent.from(cut, self.text, window.end);
            if end - cut > self.piece.max(step) {
                return self.find_frugally(at..window.end);
            }
            let watch = Watch::start();
            match self.find(at..end) {
                Some(found) if found.start < cut => return Ok(Some(found)),
                Some(_) | None => at = cut,
            }
            self.adapt(watch.elapsed());
            if self.clock.has_passed() {
                return Err(Unfinished::OutOfTime);
            }
        }
    }

    fn adapt(&mut self, took: Duration) {
        if took < QUICK {
            self.piece = (self.piece * 2).min(MAX_PIECE.max(self.automaton.step));
        } else if took > SLOW {
            self.piece = (self.piece / 2).max(self.automaton.step);
        }
    }

    fn find(&mut self, window: Range<usize>) -> Option<Range<usize>> {
        let input = Input::new(self.text).range(window);
        let cache = self.cache.as_mut().expect("it is there until the end");
        self.automaton.regex.search_with(&mut cache.regex, &input).map(|found| found.range())
    }

    /// The first match in a window that cannot be split.
    fn find_frugally(&mut self, window: Range<usize>) -> Result<Option<Range<usize>>, Unfinished> {
        let automaton = self.automaton;
        if let Some(frugal) = automaton.frugal(self.budget) {
            let cache = self.frugal.get_or_insert_with(|| frugal.create_cache());
            if let Ok(found) = frugal.try_search(cache, &Input::new(self.text).range(window.clone())) {
                return Ok(found.map(|found| found.range()));
            }
        }
        let steps = u64::try_from(window.len().saturating_mul(automaton.positions)).unwrap_or(u64::MAX);
        let at_worst = Duration::from_nanos(steps.saturating_mul(POSITION_COST));
        match self.clock.left() {
            Some(left) if left < at_worst => self.find_in_thread(window),
            Some(_) | None => Ok(self.find(window)),
        }
    }

    /// The first match in a window, searched in a thread that is abandoned at the deadline.
    fn find_in_thread(&self, window: Range<usize>) -> Result<Option<Range<usize>>, Unfinished> {
        // Assertions read one character on each side.
        let start = window.start.saturating_sub(MAX_WIDTH);
        let text = self.text[start..self.text.len().min(window.end + MAX_WIDTH)].to_owned();
        let (regex, range) = (self.automaton.regex.clone(), window.start - start..window.end - start);
        let search = move || regex.search_with(&mut regex.create_cache(), &Input::new(&text).range(range));
        let found = self.budget.in_time(self.clock, search).ok_or(Unfinished::OutOfTime)?;
        Ok(found.map(|found| start + found.start()..start + found.end()))
    }
}

impl Drop for AutomatonSearch<'_> {
    fn drop(&mut self) {
        if let Some(cache) = self.cache.take() {
            self.automaton.keep(cache, self.budget);
        }
    }
}

/// A lazy DFA that gives up after filling its cache [`MAX_FILLS`] times.
fn frugal(hir: &Hir) -> Option<hybrid::Regex> {
    let config = dfa::Config::new()
        .unicode_word_boundary(true)
        .cache_capacity(FILL)
        .skip_cache_capacity_check(true)
        .minimum_cache_clear_count(Some(MAX_FILLS));
    let nfa = thompson::Config::new()
        .utf8(false)
        .which_captures(WhichCaptures::None)
        .nfa_size_limit(Some(SIZE_LIMIT));
    let compile = |nfa| thompson::Compiler::new().configure(nfa).build_from_hir(hir).ok();
    let prefilter = Prefilter::from_hir_prefix(MatchKind::LeftmostFirst, hir);
    let forward = config.clone().prefilter(prefilter);
    let forward = dfa::Builder::new().configure(forward).build_from_nfa(compile(nfa.clone())?).ok()?;
    let reverse = config.match_kind(MatchKind::All);
    let reverse = dfa::Builder::new().configure(reverse).build_from_nfa(compile(nfa.reverse(true))?).ok()?;
    Some(hybrid::Builder::new().build_from_dfas(forward, reverse))
}

/// The number of positions of an expression, repetitions written out.
fn positions(hir: &Hir) -> usize {
    linear::written_out(hir, |_| 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Dialect;
    use crate::matcher::literals::byte_set::ByteSet;
    use crate::matcher::oracle;
    use proptest::prelude::*;

    const UNLIMITED: usize = usize::MAX / 2;
    const HOUR: Duration = Duration::from_secs(3600);
    const ANYWHERE: MatchReach = MatchReach { most: None, bytes: ByteSet::ALL };

    fn effort(deadline: Deadline, budget: &Budget) -> Effort<'_> {
        Effort { timeout: HOUR, deadline, budget }
    }

    /// All matches in `text`, searched in pieces of at least `piece` bytes.
    fn matches(expression: &str, text: &[u8], piece: usize) -> Vec<Range<usize>> {
        let (charset, budget) = (Charset::of(text), Budget::new(UNLIMITED));
        let mut automaton = Automaton::new(expression, Charset::Any, SearchScope::Windows).expect("small");
        automaton.step = piece;
        let whole =
            crate::matcher::literals::of(&linear::parse(expression, Charset::Any).expect("an expression"))
                .whole;
        let width = if charset == Charset::Ascii { 1 } else { 4 };
        let (extent, effort) = (MatchExtent { reach: whole, width }, effort(Deadline::after(HOUR), &budget));
        let mut search = AutomatonSearch::new(&automaton, text, extent, &effort);
        let (mut found, mut at) = (Vec::new(), 0);
        while at <= text.len() {
            let Some(next) = search.next(at..text.len()).expect("there is time") else { break };
            at = next.end.max(next.start + 1);
            found.extend(Some(next).filter(|next| !next.is_empty()));
        }
        found
    }

    proptest! {
        #[test]
        fn pieces_equal_whole_text(
            expression in oracle::expression(),
            text in oracle::content(),
            piece in 1usize..9,
        ) {
            // An automaton that is too large is a gap.
            prop_assume!(Automaton::new(&expression, Charset::Any, SearchScope::Windows).is_some());
            let expected = oracle::matches(&expression, Dialect::Regex, &text);
            prop_assert_eq!(matches(&expression, &text, piece), expected);
        }
    }

    #[test]
    fn nested_repetitions_may_be_too_large() {
        let expression = r"(?:(?:\w){0,40}?){0,40}?";
        assert!(Automaton::new(expression, Charset::Any, SearchScope::Windows).is_none());
        assert!(Automaton::new(expression, Charset::Ascii, SearchScope::Windows).is_some());
    }

    fn search(expression: &str, text: &[u8], clock: Deadline) -> Result<Option<Range<usize>>, Unfinished> {
        let (automaton, budget) =
            (Automaton::new(expression, Charset::Ascii, SearchScope::Whole).expect("small"), Budget::new(0));
        let extent = MatchExtent { reach: ANYWHERE, width: 1 };
        AutomatonSearch::new(&automaton, text, extent, &effort(clock, &budget)).next(0..text.len())
    }

    #[test]
    fn gives_up_slow_searches_at_deadline() {
        let mut seed = 1u32;
        let text: Vec<u8> = std::iter::repeat_with(|| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if seed >> 31 == 0 { b'a' } else { b'b' }
        })
        .take(200_000)
        .collect();
        let late = Deadline::after(Duration::ZERO);
        assert_eq!(search("a[ab]{40}c", &text, late), Err(Unfinished::OutOfTime));
        assert_eq!(search("[ab]*c", &text, late), Ok(None), "what is quick needs no time");
        assert_eq!(search("a[ab]{40}c", &text[..20_000], Deadline::NEVER), Ok(None), "there is no hurry");
    }

    #[test]
    fn keeps_cache_while_budget_lasts() {
        let automaton = Automaton::new(r"\w+x", Charset::Any, SearchScope::Whole).expect("small");
        let extent = MatchExtent { reach: ANYWHERE, width: 4 };
        let kept = |budget: &Budget| {
            AutomatonSearch::new(&automaton, b"abc", extent, &effort(Deadline::NEVER, budget))
                .next(0..3)
                .expect("there is time");
            automaton.free.lock().expect("not poisoned").len()
        };
        assert_eq!(kept(&Budget::new(0)), 0);
        let budget = Budget::new(1);
        assert_eq!(kept(&budget), 1);
        assert!(budget.is_spent(), "its size is counted");
    }

    #[test]
    fn positions_count_repetitions() {
        let positions =
            |expression| positions(&linear::parse(expression, Charset::Any).expect("an expression"));
        assert_eq!(positions("ab|c"), 3);
        assert_eq!(positions(r"(?:\w[a-z]){2,5}x*"), 11);
        assert_eq!(positions("(?:(?:a{900}){900}){900}"), 900 * 900 * 900);
    }
}
