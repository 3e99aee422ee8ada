//! `--timings`: measures the phases of a run.

use std::time::Instant;

use super::say;
use crate::report::timings::{self, Timings};
use phaser_project::project::Inspection;
use phaser_project::report::{Phase, Report};
use phaser_project::scan::Measure;

/// Number of contracts shown, the most expensive first.
const MOST: usize = 10;

/// Measures from its start, or nothing at all.
#[derive(Debug)]
pub struct Stopwatch(Option<(Instant, Timings)>);

impl Stopwatch {
    /// Starts the first phase.
    pub fn start(measure: Measure) -> Self {
        Self(match measure {
            Measure::Costs => Some((Instant::now(), Timings::default())),
            Measure::Nothing => None,
        })
    }

    /// Ends a phase and starts the next.
    pub fn end(&mut self, phase: Phase) {
        if let Some((start, timings)) = &mut self.0 {
            timings.phases.push((phase, start.elapsed()));
            *start = Instant::now();
        }
    }

    /// Takes over the phases and costs of a check.
    pub fn add(&mut self, inspection: &Inspection<'_>, report: &mut Report) {
        let Some((start, timings)) = &mut self.0 else { return };
        timings.phases.append(&mut report.phases);
        if let (Some(spent), Some(matcher)) = (report.spent.take(), inspection.matcher()) {
            timings.costly = matcher.costly(&spent.costs, MOST);
            timings.spent = Some(spent);
        }
        *start = Instant::now();
    }

    /// Ends the last phase and prints the measurements.
    pub fn print(&mut self) {
        self.end(Phase::ReportWritten);
        let Some((_, timings)) = &self.0 else { return };
        let mut text = Vec::new();
        if timings::write(&mut text, timings).is_ok() {
            String::from_utf8_lossy(&text).lines().for_each(say);
        }
    }
}
