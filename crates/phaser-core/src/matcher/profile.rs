//! The cost of searching per contract, and its reasons. Measured on request only.

use std::time::Duration;

use super::pattern::Haystack;
use super::pattern::dialect::Backtracks;
use super::pattern::linear::Charset;
use super::{Matcher, Scratch};
use crate::deadline::Watch;

/// The measured costs of some checks.
#[derive(Debug, Clone, Default)]
pub struct Costs {
    /// The time spent in the prefilter.
    pub prefilter: Duration,
    contracts: Vec<Cost>,
}

/// The cost of searching for one contract.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    /// Includes compiling the pattern.
    pub time: Duration,
    /// The number of texts searched.
    pub searches: u64,
    /// The number of windows searched.
    pub windows: u64,
    /// Their total length.
    pub bytes: u64,
    /// The part of `bytes` that needed the Unicode form of the pattern.
    pub beyond_ascii: u64,
}

/// The reason for a high cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slow {
    /// Needs the backtracking engine.
    Backtracks(Backtracks),
    /// Has no required literal, so whole texts are searched.
    WholeText,
    /// Most of the searched text is beyond ASCII.
    BeyondAscii,
}

/// A contract with its cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Costly {
    /// The id of the contract.
    pub id: String,
    /// The cost of all its searches.
    pub cost: Cost,
    /// `None` if the cost is due to the number of windows alone.
    pub because: Option<Slow>,
}

impl Costs {
    /// The time of all searches.
    pub fn searching(&self) -> Duration {
        self.contracts.iter().map(|cost| cost.time).sum()
    }

    /// Adds the costs measured by another thread.
    pub fn add(&mut self, other: &Self) {
        self.prefilter += other.prefilter;
        if self.contracts.len() < other.contracts.len() {
            self.contracts.resize(other.contracts.len(), Cost::default());
        }
        for (cost, other) in self.contracts.iter_mut().zip(&other.contracts) {
            cost.time += other.time;
            cost.searches += other.searches;
            cost.windows += other.windows;
            cost.bytes += other.bytes;
            cost.beyond_ascii += other.beyond_ascii;
        }
    }
}

impl Scratch {
    /// Buffers that measure costs.
    pub fn measuring(matcher: &Matcher) -> Self {
        let contracts = vec![Cost::default(); matcher.contracts.len()];
        let meter = Meter(Some(Costs { contracts, ..Costs::default() }));
        Self { meter, ..Self::default() }
    }

    /// The measured costs; `None` unless created with [`Scratch::measuring`].
    pub fn into_costs(self) -> Option<Costs> {
        self.meter.0
    }
}

impl Matcher {
    /// The `most` contracts with the highest cost, highest first, then by id.
    pub fn costly(&self, costs: &Costs, most: usize) -> Vec<Costly> {
        let searched = self.contracts.iter().enumerate().zip(&costs.contracts);
        let mut costly: Vec<Costly> = searched
            .filter(|(_, cost)| cost.searches > 0)
            .map(|((index, contract), cost)| Costly {
                id: contract.id.clone(),
                cost: *cost,
                because: self.slow(index, cost),
            })
            .collect();
        costly.sort_by(|one, other| other.cost.time.cmp(&one.cost.time).then_with(|| one.id.cmp(&other.id)));
        costly.truncate(most);
        costly
    }

    fn slow(&self, contract: usize, cost: &Cost) -> Option<Slow> {
        let pattern = self.prepared.known_pattern(contract)?;
        if let Some(construct) = pattern.backtracks() {
            return Some(Slow::Backtracks(construct));
        }
        if pattern.requirements().anchor.is_none() {
            return Some(Slow::WholeText);
        }
        (cost.beyond_ascii > cost.bytes / 2).then_some(Slow::BeyondAscii)
    }
}

/// Measures if it holds costs.
#[derive(Debug, Default)]
pub(super) struct Meter(Option<Costs>);

impl Meter {
    pub(super) fn start(&self) -> Option<Watch> {
        self.0.is_some().then(Watch::start)
    }

    /// Records a prefilter run that began at `start`.
    pub(super) fn prefiltered(&mut self, start: Option<Watch>) {
        if let (Some(costs), Some(start)) = (&mut self.0, start) {
            costs.prefilter += start.elapsed();
        }
    }

    /// Records a search that began at `start`.
    pub(super) fn searched(&mut self, contract: usize, within: &Haystack<'_>, start: Option<Watch>) {
        let (Some(costs), Some(start)) = (&mut self.0, start) else { return };
        let time = start.elapsed();
        if within.windows.is_empty() {
            return;
        }
        let cost = &mut costs.contracts[contract];
        cost.time += time;
        cost.searches += 1;
        cost.windows += within.windows.len() as u64;
        for window in within.windows {
            cost.bytes += window.len() as u64;
            if within.charset.within(within.text, window) == Charset::Any {
                cost.beyond_ascii += window.len() as u64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::oracle::contract;
    use super::super::{Directives, FileNames, Options};
    use super::*;
    use crate::contract::{Check, Dialect, Pattern};
    use crate::path::RelPath;
    use crate::text::Text;

    fn matcher(sources: &[&str]) -> Matcher {
        let forbid = |source: &&str| {
            Check::forbid(Pattern {
                source: (*source).to_owned(),
                dialect: Dialect::Regex,
                line: 1,
                literals: None,
            })
        };
        let contracts = sources.iter().map(forbid).enumerate().map(|(index, check)| contract(index, check));
        let options = Options::new(Duration::from_secs(3600), Directives::Honoured);
        Matcher::new(contracts.collect(), options)
    }

    fn measured(matcher: &Matcher, texts: &[&str]) -> Costs {
        let mut scratch = Scratch::measuring(matcher);
        let path = RelPath::from("a.txt");
        for text in texts {
            let text = Text::new(text.as_bytes()).expect("is text");
            matcher.check_with(
                &mut scratch,
                &matcher.select(&path, None),
                FileNames { path: &path, alias: None },
                Some(&text),
            );
        }
        scratch.into_costs().expect("was measured")
    }

    #[test]
    fn counts_searches_only() {
        let matcher = matcher(&["needle", "haystack"]);
        let costs = measured(&matcher, &["a needle, a needle", "a needle", "nothing"]);
        let costly = matcher.costly(&costs, 10);
        assert_eq!(costly.len(), 1, "no text has a window for the other one");
        let Cost { searches, windows, bytes, beyond_ascii, time } = costly[0].cost;
        assert_eq!((searches, windows, bytes, beyond_ascii), (2, 3, 18, 0));
        assert_eq!(costs.searching(), time);
        assert_eq!(costly[0].because, None);
    }

    #[test]
    fn names_reason_for_cost() {
        let matcher = matcher(&["a(?!b)", "[a-z]+", "straße"]);
        let costs = measured(&matcher, &["a straße"]);
        let mut because: Vec<_> = matcher.costly(&costs, 10);
        because.sort_by(|one, other| one.id.cmp(&other.id));
        let because: Vec<_> = because.into_iter().map(|costly| costly.because).collect();
        let look_around = Slow::Backtracks(Backtracks::LookAround);
        assert_eq!(because, [Some(look_around), Some(Slow::WholeText), Some(Slow::BeyondAscii)]);
    }

    #[test]
    fn ranks_costs_added_over_threads() {
        let matcher = matcher(&["a", "b", "c"]);
        let cost = |ms| Cost { time: Duration::from_millis(ms), searches: 1, ..Cost::default() };
        let mut costs = Costs { contracts: vec![cost(1), cost(5), cost(1)], ..Costs::default() };
        costs.add(&Costs { prefilter: Duration::from_millis(2), contracts: vec![cost(7); 3] });
        let costly = matcher.costly(&costs, 2);
        let times: Vec<_> = costly.iter().map(|costly| costly.cost.time.as_millis()).collect();
        assert_eq!(times, [12, 8]);
        assert_eq!(costly[1].id, matcher.contracts()[0].id, "equals are in the order of their ids");
        assert_eq!(costly[0].cost.searches, 2);
        assert_eq!(costs.prefilter, Duration::from_millis(2));
    }

    #[test]
    fn measures_on_request_only() {
        assert!(Scratch::default().into_costs().is_none());
        assert!(Meter::default().start().is_none());
    }
}
