//! How long the phases of a run take, for whoever asks.

use std::time::Instant;

use super::say;
use crate::report::timings::{self, Phase, Timings};
use phaser_core::matcher::Matcher;
use phaser_project::report::Report;
use phaser_project::scan::Measure;

/// How many of the most expensive contracts are shown.
const MOST: usize = 10;

/// Runs from its start, unless nothing is to be measured.
#[derive(Debug)]
pub struct Stopwatch(Option<(Instant, Timings)>);

impl Stopwatch {
    /// Starts.
    pub fn start(measure: Measure) -> Self {
        Self(match measure {
            Measure::Costs => Some((Instant::now(), Timings::default())),
            Measure::Nothing => None,
        })
    }

    /// This phase ends now, and the next one begins.
    pub fn end(&mut self, phase: Phase) {
        if let Some((start, timings)) = &mut self.0 {
            timings.phases.push((phase, start.elapsed()));
            *start = Instant::now();
        }
    }

    /// Keeps what the scan has cost.
    pub fn keep(&mut self, matcher: &Matcher, report: &mut Report) {
        if let (Some((_, timings)), Some(spent)) = (&mut self.0, report.spent.take()) {
            timings.costly = matcher.costly(&spent.costs, MOST);
            timings.spent = Some(spent);
        }
    }

    /// Says what was measured.
    pub fn say(&self) {
        let Some((_, timings)) = &self.0 else { return };
        let mut text = Vec::new();
        if timings::write(&mut text, timings).is_ok() {
            String::from_utf8_lossy(&text).lines().for_each(say);
        }
    }
}
