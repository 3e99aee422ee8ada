//! `phaser enforce`: from the arguments to a source, through the one scan, to a report and an exit code.

use anyhow::Context;

use super::args::{Check, Enforce, EnforceCommand, Format, Mode};
use super::environment::Environment;
use super::show::Show;
use super::stopwatch::Stopwatch;
use super::{install, output, places, say, stdin};
use crate::agent::decision::{Decision, decide};
use crate::agent::{Answer, claude};
use crate::change::Call;
use crate::contract::Contract;
use crate::contract::layers::{self, Layer, Loading};
use crate::deadline::Deadline;
use crate::exit::{self, Exit};
use crate::hook::Request;
use crate::matcher::limits::{HOOK_TIME, Limits};
use crate::matcher::{self, Matcher};
use crate::outcome::Outcome;
use crate::path::{Root, RootHints, find_root};
use crate::progress::{Progress, Visible};
use crate::report::redact::redact;
use crate::report::stats::Phase;
use crate::scan::{self, scan};
use crate::settle::settle;
use crate::skipped::{Gap, Skipped, Why};
use crate::source::git::Staged;
use crate::source::{Coverage, Targets, changes, files, git, tree};

/// Runs `phaser enforce`.
pub fn run(args: &Enforce, environment: &Environment) -> anyhow::Result<Exit> {
    let args = match &args.command {
        Some(EnforceCommand::Check(check)) => check,
        Some(EnforceCommand::Install(args)) => return install::run_install(args, environment),
        Some(EnforceCommand::Uninstall(args)) => return install::run_uninstall(args, environment),
        None => &args.check,
    };
    let mode = args.mode()?;
    let stopwatch = Stopwatch::start(args.measure());
    let format = args.format(&mode)?;
    let mut run = Run { args, environment, format, stopwatch, deadline: Deadline::NEVER, hint: None };
    let resolved = run.resolve(mode)?;
    let exit = run.enforce(&resolved)?;
    run.stopwatch.end(Phase::ReportWritten);
    run.stopwatch.say();
    Ok(exit)
}

/// What a run is about: decided once, before anything is read.
struct Resolved {
    root: Root,
    from: From,
}

/// Where the text comes from, and so who is answered.
enum From {
    /// Files of the project: a report is written, and violations fail the run.
    Project(Mode),
    /// A call of an agent: the agent is answered.
    Call(Call),
    /// An event that is about no file: the agent is answered that there is nothing to say.
    OtherEvent,
}

/// One run of the command.
struct Run<'a> {
    args: &'a Check,
    environment: &'a Environment,
    format: Format,
    stopwatch: Stopwatch,
    /// When everything must have ended.
    deadline: Deadline,
    /// What to do next, if that is not obvious.
    hint: Option<String>,
}

/// The contracts of a run.
struct Loaded {
    contracts: Vec<Contract>,
    layers: Vec<Layer>,
    switched_off: usize,
}

impl Loaded {
    /// Where contracts were looked for, and how to get some.
    fn hint(&self) -> String {
        let no = if self.switched_off == 0 { "no contracts" } else { "no contracts that are switched on" };
        let directories = self.layers.iter().filter_map(Layer::directory);
        let places = directories.map(|directory| directory.shown.display().to_string());
        let places = places.collect::<Vec<_>>().join(" or ");
        format!("phaser: {no} in {places}: add one with 'phaser init', or try '--pack secrets'")
    }
}

impl Run<'_> {
    /// Works out what the run is about.
    fn resolve(&mut self, mode: Mode) -> anyhow::Result<Resolved> {
        let cwd = &self.environment.cwd;
        if mode != Mode::Stdin {
            let root = find_root(RootHints { named: None, cwd, file: None });
            return Ok(Resolved { root, from: From::Project(mode) });
        }
        let request = Request::read(stdin::patient()).context("standard input")?;
        self.stopwatch.end(Phase::EventRead);
        self.deadline = Deadline::after(HOOK_TIME.max(self.args.timeout()));
        let Some(call) = claude::read(&request, cwd) else {
            return Ok(Resolved { root: Root::new(cwd), from: From::OtherEvent });
        };
        let named = self.environment.claude_project_dir.as_deref();
        let root = find_root(RootHints { named, cwd: &call.cwd, file: call.file().as_deref() });
        Ok(Resolved { root, from: From::Call(call) })
    }

    /// The one pipeline: contracts and targets, the scan, the states, and whoever is to be told.
    fn enforce(&mut self, resolved: &Resolved) -> anyhow::Result<Exit> {
        let outcome = match &resolved.from {
            From::OtherEvent => Outcome::default(),
            From::Call(call) if call.changes.is_empty() => {
                Outcome { skipped: call.skipped.clone(), ..Outcome::default() }
            }
            From::Project(_) | From::Call(_) => self.outcome(resolved)?,
        };
        self.say_gaps(&outcome);
        if let (Some(hint), false) = (&self.hint, self.args.quiet) {
            say(hint);
        }
        match &resolved.from {
            From::Project(_) => {
                self.show(&outcome, Some(&resolved.root))?;
                Ok(exit::judge(&outcome, self.args.fail_on(), self.args.strictness()))
            }
            From::Call(_) | From::OtherEvent if self.format != Format::Hook => {
                self.show(&outcome, None)?;
                Ok(Exit::Clean)
            }
            From::Call(call) => {
                let decision = decide(&resolved.root, call, &outcome);
                self.answer(&claude::answer(&decision, self.args.on_clean.into()))
            }
            From::OtherEvent => self.answer(&claude::answer(&Decision::NOTHING, self.args.on_clean.into())),
        }
    }

    fn outcome(&mut self, resolved: &Resolved) -> anyhow::Result<Outcome> {
        let mut outcome = Outcome::default();
        let loaded = self.load(&resolved.root, &mut outcome)?;
        self.stopwatch.end(Phase::ContractsRead);
        let is_call = matches!(resolved.from, From::Call(_));
        if loaded.contracts.is_empty() {
            outcome.no_contracts = true;
            if !is_call {
                outcome.skipped = self.targets(resolved)?.skipped;
                self.stopwatch.end(Phase::FilesListed);
                self.hint = Some(loaded.hint());
            }
            return Ok(outcome);
        }
        let targets = self.targets(resolved)?;
        self.stopwatch.end(Phase::FilesListed);
        let mut checked = self.check(loaded.contracts, targets);
        checked.warnings.append(&mut outcome.warnings);
        checked.warnings.sort();
        Ok(checked)
    }

    /// Reads the contracts that are switched on; what is wrong with the others goes into the outcome.
    fn load(&self, root: &Root, outcome: &mut Outcome) -> anyhow::Result<Loaded> {
        let named = self.args.contracts_dir.as_deref();
        let layers = places::layers(named, &self.args.packs, root, self.environment)?;
        let loading = Loading { deadline: self.deadline, ..Loading::to_enforce(matcher::broken) };
        let loaded = layers::load(&layers, loading);
        if !self.args.quiet {
            loaded.notes().for_each(|note| say(format_args!("phaser: {note}")));
        }
        let all = loaded.contracts.len();
        let mut contracts = loaded.contracts;
        contracts.retain(|contract| contract.enabled);
        outcome.warnings = loaded.warnings;
        Ok(Loaded { contracts, layers, switched_off: all })
    }

    fn targets(&self, resolved: &Resolved) -> anyhow::Result<Targets> {
        let Resolved { root, from } = resolved;
        let Environment { cwd, git, .. } = self.environment;
        let renames = self.args.renames();
        Ok(match from {
            From::Call(call) => changes::changes(root, call, self.args.max_file_size),
            From::OtherEvent | From::Project(Mode::Stdin) => Targets::none(),
            From::Project(Mode::Files(paths)) => files::files(root, cwd, paths),
            From::Project(Mode::All) => {
                let targets = tree::tree(root, Some(cwd), self.args.threads());
                match self.args.shard {
                    Some(shard) => shard.of(targets),
                    None => targets,
                }
            }
            From::Project(Mode::Staged(paths)) => {
                let wanted = if paths.is_empty() { Staged::Changed } else { Staged::Named(paths) };
                git::staged(root, git, wanted, renames)?
            }
            From::Project(Mode::Diff(revisions)) => git::changed(root, git, revisions, renames)?,
        })
    }

    /// Contracts and targets in, an outcome out.
    fn check(&mut self, mut contracts: Vec<Contract>, targets: Targets) -> Outcome {
        contracts.retain(|contract| self.args.wants(contract.severity));
        let options = matcher::Options {
            limits: Limits { deadline: self.deadline, ..Limits::default() },
            ..matcher::Options::new(self.args.timeout(), self.args.directives())
        };
        // An event looks only at the patterns that concern it.
        let is_event = !self.deadline.is_never();
        let (matcher, mut warnings) = if is_event {
            (Matcher::new(contracts, options), Vec::new())
        } else {
            Matcher::validated(contracts, options)
        };
        self.stopwatch.end(Phase::ContractsCompiled);
        let several = targets.targets.len() > 1 || matches!(targets.coverage, Coverage::Rest(_));
        let options = scan::Options {
            // Finding out how many cores there are reads several files.
            threads: if several { self.args.threads() } else { 1 },
            max_file_size: self.args.max_file_size,
            existing: self.args.existing(),
            measure: self.args.measure(),
        };
        let whole = targets.coverage == Coverage::Whole;
        let bar = whole && self.environment.stderr_is_terminal() && !self.args.quiet;
        let progress = Progress::new(if bar { Visible::Yes } else { Visible::No });
        let mut outcome = scan(&matcher, targets, options, &progress);
        settle(&mut outcome);
        redact(&mut outcome);
        self.stopwatch.end(Phase::FilesScanned);
        self.stopwatch.keep(&matcher, &mut outcome);
        outcome.warnings.append(&mut warnings);
        if is_event {
            outcome.warnings.append(&mut matcher.warnings());
        }
        outcome
    }

    /// Writes the answer to an agent.
    fn answer(&self, answer: &Answer) -> anyhow::Result<Exit> {
        output::answer(|out| writeln!(out, "{}", answer.stdout))?;
        Ok(answer.exit)
    }

    /// Shows the outcome where it is wanted.
    fn show(&self, outcome: &Outcome, root: Option<&Root>) -> anyhow::Result<()> {
        let Self { args, environment, format, .. } = *self;
        Show { args, environment, format, root }.write(outcome)
    }

    /// Says what is wrong with contract files, and what was not checked.
    fn say_gaps(&self, outcome: &Outcome) {
        outcome.warnings.iter().for_each(say);
        for Skipped { path, why } in &outcome.skipped {
            match why {
                // The reasons are whole sentences of their own, and only informational: the client says the same.
                Why::NotReconstructed(reason) if !self.args.quiet => {
                    say(format_args!("phaser: not checked: {reason}"));
                }
                Why::NotReconstructed(_) => {}
                why if why.gap() > Gap::None => say(format_args!("phaser: not checked: {path}: {why}")),
                _ => {}
            }
        }
    }
}
