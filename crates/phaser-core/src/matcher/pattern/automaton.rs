//! One compiled expression, and searches with it that can be interrupted.
//!
//! The engines of the regex crates take time in proportion to the text, but they cannot be stopped. Where there is a
//! deadline, a search that could take long is cut into pieces where no match can lie across the cut, and the clock is
//! looked at between them. What cannot be cut is searched by an engine that gives up rather than become slow, and then
//! in a thread that is given up, which is said. Without a deadline every search goes to its end.

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

/// What one place of an expression can cost on one byte of text at worst, in nanoseconds.
const PLACE_COST: u64 = 60;

/// A search is not cut into pieces if it takes no more than this at worst, in places times bytes: some 60 ms.
const MAX_STEP: usize = 1024 * 1024;

/// The shortest piece that a text is cut into.
const MIN_PIECE: usize = 16;

/// The longest piece.
const MAX_PIECE: usize = 1024 * 1024;

/// A piece that took less than this is followed by a longer one, and one that took more than the other by a shorter one.
const QUICK: Duration = Duration::from_millis(1);
const SLOW: Duration = Duration::from_millis(8);

/// How often the engine for what cannot be cut may fill its memory before it gives up, and how much that is in bytes.
const MAX_FILLS: usize = 3;
const FILL: usize = 2 * 1024 * 1024;

/// An expression with more states, such as a class of Unicode with repetitions, is searched without a DFA. That would
/// need the automaton of the reverse, too, which takes more memory than all else, and remember little of what it builds.
const MANY_STATES: usize = 10_000;

/// A compiled expression.
#[derive(Debug)]
pub struct Automaton {
    expression: String,
    charset: Charset,
    regex: meta::Regex,
    /// How many places of the expression a match can be at, at most.
    places: usize,
    /// How many bytes are searched in one go at least.
    step: usize,
    frugal: OnceLock<Option<hybrid::Regex>>,
    free: Mutex<Vec<AutomatonCache>>,
}

/// Memory that searches with one automaton use one after another.
#[derive(Debug)]
struct AutomatonCache {
    regex: meta::Cache,
    /// How much of it has been taken from what is shared.
    taken: usize,
}

impl Automaton {
    /// The automaton of an expression for text of this character set, or `None` when it would be too large.
    pub fn new(expression: &str, charset: Charset, scope: SearchScope) -> Option<Self> {
        let hir = linear::parse(expression, charset).ok()?;
        // A table of states is for more text than that.
        let is_worth_it = linear::estimated_states(&hir) <= MANY_STATES && scope != SearchScope::Little;
        // In a small window there is nothing to skip that would be worth looking for.
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
        let places = places(&hir);
        Some(Self {
            expression: expression.to_owned(),
            charset,
            regex,
            places,
            step: (MAX_STEP / places.max(1)).max(MIN_PIECE),
            frugal: OnceLock::new(),
            free: Mutex::default(),
        })
    }

    /// How much memory it takes, without what searches use.
    pub fn size(&self) -> usize {
        self.regex.memory_usage()
    }

    /// The engine that gives up.
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

    /// Keeps the cache for the next search, if there is memory for it.
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

/// How far a match reaches.
#[derive(Debug, Clone, Copy)]
pub struct MatchExtent {
    /// In characters.
    pub reach: MatchReach,
    /// The most bytes of one character.
    pub width: usize,
}

impl MatchExtent {
    /// How far a match that starts before `cut` can reach, at most to `end`.
    pub fn from(&self, cut: usize, text: &[u8], end: usize) -> usize {
        let most = self.reach.most.map_or(usize::MAX, |most| most.saturating_mul(self.width));
        walk(text, cut, end.min(cut.saturating_add(most)), &self.reach.bytes)
    }
}

/// One expression, one text, and the time there is.
#[derive(Debug)]
pub struct AutomatonSearch<'a> {
    automaton: &'a Automaton,
    text: &'a [u8],
    extent: MatchExtent,
    clock: Deadline,
    budget: &'a Budget,
    cache: Option<AutomatonCache>,
    /// Made anew for each search: whether that engine gives up depends on what it remembers.
    frugal: Option<hybrid::Cache>,
    piece: usize,
}

impl<'a> AutomatonSearch<'a> {
    /// A search of `text`, in which a match reaches so far.
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

    /// The first match in a window that cannot be cut.
    fn find_frugally(&mut self, window: Range<usize>) -> Result<Option<Range<usize>>, Unfinished> {
        let automaton = self.automaton;
        if let Some(frugal) = automaton.frugal(self.budget) {
            let cache = self.frugal.get_or_insert_with(|| frugal.create_cache());
            if let Ok(found) = frugal.try_search(cache, &Input::new(self.text).range(window.clone())) {
                return Ok(found.map(|found| found.range()));
            }
        }
        let steps = u64::try_from(window.len().saturating_mul(automaton.places)).unwrap_or(u64::MAX);
        let at_worst = Duration::from_nanos(steps.saturating_mul(PLACE_COST));
        match self.clock.left() {
            Some(left) if left < at_worst => self.find_apart(window),
            Some(_) | None => Ok(self.find(window)),
        }
    }

    /// The first match in a window that may take longer than there is time, though it hardly ever does.
    fn find_apart(&self, window: Range<usize>) -> Result<Option<Range<usize>>, Unfinished> {
        // A character to each side tells where words and lines end.
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

/// The engine that gives up when it has filled its memory too often.
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

/// How many places of an expression a match can be at, at most.
fn places(hir: &Hir) -> usize {
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

    /// All matches in `text`, searched for in pieces of this length to start with.
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
        fn pieces_hold_what_the_whole_text_holds(
            expression in oracle::expression(),
            text in oracle::content(),
            piece in 1usize..9,
        ) {
            // What is too large for an automaton is a gap, which is said.
            prop_assume!(Automaton::new(&expression, Charset::Any, SearchScope::Windows).is_some());
            let expected = oracle::matches(&expression, Dialect::Regex, &text);
            prop_assert_eq!(matches(&expression, &text, piece), expected);
        }
    }

    #[test]
    fn what_repeats_what_repeats_may_be_too_large() {
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
    fn what_would_be_slow_is_given_up_when_there_is_no_time_for_it() {
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
    fn a_cache_is_kept_as_long_as_there_is_memory() {
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
    fn places_count_repetitions() {
        let places = |expression| places(&linear::parse(expression, Charset::Any).expect("an expression"));
        assert_eq!(places("ab|c"), 3);
        assert_eq!(places(r"(?:\w[a-z]){2,5}x*"), 11);
        assert_eq!(places("(?:(?:a{900}){900}){900}"), 900 * 900 * 900);
    }
}
