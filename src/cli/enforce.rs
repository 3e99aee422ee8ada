//! `phaser enforce`: plan, load, check, respond.
//!
//! [`Plan::new`] is the only place that branches on the mode. After it, every mode takes the same four steps.

use std::mem::ManuallyDrop;
use std::time::Instant;

use super::args::{Enforce, EnforceCommand};
use super::environment::Environment;
use super::plan::Plan;
use super::{event, install, to_stderr};
use crate::exit::Exit;
use crate::report::timings::{self, Timings};
use phaser_project::project::{Inspection, Project};
use phaser_project::report::{Phase, Report};
use phaser_project::scan::Measure;

/// Runs `phaser enforce`.
pub fn run(args: &Enforce, environment: &Environment) -> anyhow::Result<Exit> {
    let args = match &args.command {
        Some(EnforceCommand::Check(check)) => check,
        Some(EnforceCommand::Install(args)) => return install::run_install(args, environment),
        Some(EnforceCommand::Uninstall(args)) => return install::run_uninstall(args, environment),
        None => &args.check,
    };
    let mut agent = args.agent.or(environment.agent);
    let mut stopwatch = Stopwatch::start(args.measure());
    let result = Plan::new(args, environment, &mut agent, &mut stopwatch).and_then(|mut plan| {
        plan.allow_rerun();
        carry_out(&plan, &mut stopwatch)
    });
    if args.stdin { event::fail_open(result, agent) } else { result }
}

fn carry_out(plan: &Plan<'_>, stopwatch: &mut Stopwatch) -> anyhow::Result<Exit> {
    let project = Project::load(plan.root.clone(), plan.options.clone())?;
    // The process ends with the run: freeing the contracts and the report piece by piece would only take time.
    let mut inspection = ManuallyDrop::new(project.inspect(&plan.source)?);
    let mut report = ManuallyDrop::new(inspection.run(&plan.progress()));
    stopwatch.add(&inspection, &mut report);
    let exit = plan.respond(&inspection, &mut report)?;
    stopwatch.print();
    Ok(exit)
}

/// Number of contracts shown, the most expensive first.
const MOST_COSTLY: usize = 10;

/// `--timings`: measures the phases of a run from its start, or nothing at all.
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
            timings.costly = matcher.costly(&spent.costs, MOST_COSTLY);
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
            String::from_utf8_lossy(&text).lines().for_each(to_stderr);
        }
    }
}
