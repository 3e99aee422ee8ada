//! `phaser enforce`: plan, load, check, respond.
//!
//! [`Plan::new`] is the only place that branches on the mode. After it, every mode takes the same four steps.

use std::mem::ManuallyDrop;

use phaser_project::project::Project;

use super::args::{Enforce, EnforceCommand};
use super::environment::Environment;
use super::plan::Plan;
use super::stopwatch::Stopwatch;
use super::{event, install};
use crate::agents::Agent;
use crate::exit::Exit;

/// Runs `phaser enforce`.
pub fn run(args: &Enforce, environment: &Environment) -> anyhow::Result<Exit> {
    let args = match &args.command {
        Some(EnforceCommand::Check(check)) => check,
        Some(EnforceCommand::Install(args)) => return install::run_install(args, environment),
        Some(EnforceCommand::Uninstall(args)) => return install::run_uninstall(args, environment),
        None => &args.check,
    };
    let mut agent = args.agent.map(Agent::from).or(environment.agent);
    let mut stopwatch = Stopwatch::start(args.measure());
    let result = Plan::new(args, environment, &mut agent, &mut stopwatch)
        .and_then(|plan| carry_out(&plan, &mut stopwatch));
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
