//! `phaser enforce`: from the arguments to a source, through the one scan, to a report and an exit code.

use std::collections::HashSet;
use std::mem::ManuallyDrop;

use anyhow::Context;

use super::args::{Enforce, EnforceArgs, EnforceCommand, Format, Mode};
use super::environment::Environment;
use super::event::{self, About, Asked};
use super::mending::{self, Mending};
use super::policies::{Changing, Policies};
use super::show::Show;
use super::stopwatch::Stopwatch;
use super::{baseline, cache, install, output, say, stdin};
use crate::agents::Client;
use crate::agents::decision::Concern;
use crate::exit::{self, Exit};
use crate::in_flight::Amended;
use crate::progress::{Progress, Visible};
use crate::report::redact::redact;
use crate::report::timings::Phase;
use phaser_core::contract::Severity;
use phaser_core::deadline::Deadline;
use phaser_hook::Request;
use phaser_project::path::{RelPath, Root, RootHints, find_root};
use phaser_project::project::{self, Options, Project, Recorded};
use phaser_project::report::Report;
use phaser_project::scan::{Existing, Propose};
use phaser_project::source::git::{self, Committed};
use phaser_project::source::{Coverage, Source, Targets};
use phaser_project::tool_call::Call;

use loading::hint;

mod events;
mod loading;

/// Runs `phaser enforce`.
pub fn run(args: &Enforce, environment: &Environment) -> anyhow::Result<Exit> {
    let args = match &args.command {
        Some(EnforceCommand::Check(check)) => check,
        Some(EnforceCommand::Install(args)) => return install::run_install(args, environment),
        Some(EnforceCommand::Uninstall(args)) => return install::run_uninstall(args, environment),
        None => &args.check,
    };
    let mut client = args.agent.map(Client::from).or(environment.client);
    let ended = check(args, environment, &mut client);
    if args.stdin { event::ended(ended, client) } else { ended }
}

/// Runs what these arguments ask for. Finds out which agent an event comes from.
fn check(args: &EnforceArgs, environment: &Environment, client: &mut Option<Client>) -> anyhow::Result<Exit> {
    let mode = args.mode()?;
    let stopwatch = Stopwatch::start(args.measure());
    let format = args.format(&mode)?;
    let mut run = Run {
        args,
        environment,
        format,
        client,
        stopwatch,
        deadline: Deadline::NEVER,
        committed: None,
        hint: None,
        concerns: Vec::new(),
        amended: None,
    };
    let resolved = run.resolve(mode)?;
    let exit = run.enforce(&resolved)?;
    run.stopwatch.end(Phase::ReportWritten);
    run.stopwatch.say();
    Ok(exit)
}

/// What a run is about: decided once, before anything is read.
struct Resolved {
    root: Root,
    /// Where the text comes from; nothing for an event that is about no file.
    source: Option<Source>,
    asks: Asks,
}

/// Who is answered.
enum Asks {
    /// A person or a program: a report is written, and violations fail the run.
    Somebody,
    /// An agent, about one of its events.
    Agent(Asked),
}

impl Asks {
    /// What an event is about, if that is what is asked.
    fn about(&self) -> Option<About> {
        match self {
            Self::Somebody => None,
            Self::Agent(asked) => Some(asked.about),
        }
    }
}

/// One run of the command.
struct Run<'a> {
    args: &'a EnforceArgs,
    environment: &'a Environment,
    format: Format,
    /// The agent that is answered, as far as that is known.
    client: &'a mut Option<Client>,
    stopwatch: Stopwatch,
    /// When everything must have ended.
    deadline: Deadline,
    /// The commit that contracts are read from, if that was asked for.
    committed: Option<Committed>,
    /// What to do next, if that is not obvious.
    hint: Option<String>,
    /// What there is to say to an event beside violations.
    concerns: Vec<Concern>,
    amended: Option<Amended>,
}

impl Run<'_> {
    /// Works out what the run is about.
    fn resolve(&mut self, mode: Mode) -> anyhow::Result<Resolved> {
        let cwd = &self.environment.cwd;
        if let Some(source) = mode.source(self.args.shard) {
            let root = find_root(RootHints { named: None, cwd, file: None });
            return Ok(Resolved { root, source: Some(source), asks: Asks::Somebody });
        }
        let request = Request::read(stdin::patient()).context("standard input")?;
        self.stopwatch.end(Phase::EventRead);
        let named = self.args.agent.map(Client::from);
        let client = named.unwrap_or_else(|| Client::of(request.raw(), self.environment.client));
        *self.client = Some(client);
        let event::Read { asked, root, source } =
            event::read(request, client, self.args.manner(), self.environment);
        self.deadline = Deadline::after(asked.about.time().max(self.args.limits.timeout()));
        Ok(Resolved { root, source, asks: Asks::Agent(asked) })
    }

    /// The one pipeline: contracts and targets, the scan, the states, and whoever is to be told.
    fn enforce(&mut self, resolved: &Resolved) -> anyhow::Result<Exit> {
        // The process ends with the run: to give every piece of memory back before would only take time.
        let report = ManuallyDrop::new(match &resolved.source {
            None => Report::default(),
            // Nothing of it is understood, so no contract can say anything to it.
            Some(Source::Changes(call)) if call.changes.is_empty() => {
                Report { skipped: call.skipped.clone(), ..Report::default() }
            }
            Some(source) => self.report(resolved, source)?,
        });
        let show = self.show(resolved);
        show.say_gaps(&report);
        if let (Some(hint), false) = (&self.hint, self.args.quiet) {
            say(hint);
        }
        match &resolved.asks {
            Asks::Somebody => {
                show.write(&report)?;
                Ok(exit::judge(&report, self.args.fail_on(), self.args.strictness()))
            }
            Asks::Agent(_) if self.format != Format::Hook => {
                show.write(&report)?;
                Ok(Exit::Clean)
            }
            Asks::Agent(asked) => {
                let decision = self.decision(resolved, asked, &report)?;
                let answer = asked.client.answer(&asked.request, &decision, self.args.on_clean.into());
                output::answer(|out| writeln!(out, "{}", answer.stdout))?;
                Ok(answer.exit)
            }
        }
    }

    /// How the report is shown; paths of an event are the client's business.
    fn show<'a>(&'a self, resolved: &'a Resolved) -> Show<'a> {
        let Self { args, environment, format, .. } = self;
        let root = matches!(resolved.asks, Asks::Somebody).then_some(&resolved.root);
        Show { args, environment, format: *format, root }
    }

    fn report(&mut self, resolved: &Resolved, source: &Source) -> anyhow::Result<Report> {
        let Resolved { root, asks, .. } = resolved;
        let mut options = self.options(root)?;
        let mut targets = self.first_targets(resolved, source, &options)?;
        self.concerns.extend(self.on_removal(root, source)?);
        if let (Source::Swept(_), Ok(Targets { targets, skipped, .. })) = (source, &targets)
            && targets.is_empty()
            && skipped.is_empty()
        {
            return Ok(Report::default());
        }
        options.recorded = match &targets {
            _ if self.args.no_baseline => Recorded::Nowhere,
            Ok(targets) if asks.about().is_none() => baseline::of_run(root, self.settings(source, targets))?,
            _ => Recorded::InFile,
        };
        let mut loaded = self.load(root, source, &targets)?;
        let asked = self.existing(source);
        options.existing = asked.unwrap_or_else(|| loaded.existing());
        let compares = asked.is_none() && options.existing == Existing::Report;
        let policies = self.policies(root, Changing::of(asks.about(), source, &targets), &loaded)?;
        options.added_ignores = policies.as_ref().map(Policies::added_ignores).unwrap_or_default();
        if let (true, Ok(found)) = (compares, &mut targets) {
            compare(root, &options, source, found)?;
        }
        options.cache = cache::of_run(self.args, &loaded, root, self.environment);
        let hint = hint(&loaded);
        let by_file = compares.then(|| loaded.existing_by_file());
        let mends = self.format == Format::Hook && mending::is_wanted(&loaded, root, source);
        let mended = mends.then_some(source);
        self.stopwatch.end(Phase::ContractsRead);
        let mut targets = match targets {
            Ok(targets) => targets,
            Err(_) if loaded.layers.is_empty() => Targets::none(),
            Err(_) => {
                let targets = project::targets(root, &options, source)?;
                self.stopwatch.end(Phase::FilesListed);
                targets
            }
        };
        self.load_lazy_packs(&mut loaded, &targets, mends);
        let mut project = Project::new(root.clone(), loaded, options.clone());
        if let Some(by_file) = by_file {
            by_file.forget_before(&mut targets);
        }
        if project.contracts().is_empty() {
            let is_event = asks.about().is_some();
            self.hint = (!is_event).then_some(hint);
            let skipped = if is_event { Vec::new() } else { targets.skipped };
            return Ok(Report { skipped, ..project.report_without_contracts() });
        }
        if let Some(policies) = &policies {
            self.concerns.extend(self.on_weakening(root, policies, &targets)?);
        }
        let least = self.least_severity(asks.about(), source, options.added_ignores);
        let report = self.check(project, targets, least, mended);
        self.concerns.extend(policies.iter().flat_map(|policies| policies.on_ignores(&report)));
        Ok(report)
    }

    /// What is to become of violations that were there before, if that is known without the configuration.
    fn existing(&self, source: &Source) -> Option<Existing> {
        match source {
            // What was there before a command or a turn is never its doing.
            Source::Swept(_) => Some(Existing::Report),
            _ => self.args.existing(),
        }
    }

    /// The targets, where files decide which contracts there are. An agent waits, so what it changes is only worked out for
    /// contracts.
    fn first_targets<'s>(
        &mut self,
        resolved: &Resolved,
        source: &'s Source,
        options: &Options,
    ) -> anyhow::Result<Result<Targets, &'s Call>> {
        if let (Asks::Agent(_), Source::Changes(call)) = (&resolved.asks, source) {
            return Ok(Err(call));
        }
        let targets = project::targets(&resolved.root, options, source)?;
        self.stopwatch.end(Phase::FilesListed);
        Ok(Ok(targets))
    }

    /// How the project is checked, as far as that is known before anything of it is read.
    fn options(&mut self, root: &Root) -> anyhow::Result<Options> {
        if let Some(revision) = &self.args.contracts_from {
            self.committed = Some(git::committed(root, &self.environment.git, revision)?);
        }
        Ok(Options {
            deadline: self.deadline,
            cwd: Some(self.environment.cwd.clone()),
            git: Some(self.environment.git.clone()),
            propose: if self.args.stdin { Propose::Nothing } else { Propose::Fixes },
            stamps: cache::stamps(self.args, root),
            ..self.args.options()
        })
    }

    /// Checks targets with the contracts that are severe enough. What an edit violates is mended, where there is one to mend.
    fn check(
        &mut self,
        mut project: Project,
        targets: Targets,
        least: Severity,
        mended: Option<&Source>,
    ) -> Report {
        let mending = mended.and_then(|source| Mending::of(source, &project, &targets));
        project.retain(|contract| self.args.wants(contract.severity) && contract.severity >= least);
        let ready = project.ready();
        self.stopwatch.end(Phase::ContractsCompiled);
        let whole = targets.coverage == Coverage::Whole;
        let bar = whole && self.environment.stderr_is_terminal() && !self.args.quiet;
        let progress = Progress::new(if bar { Visible::Yes } else { Visible::No });
        let (mut report, matcher) = ready.check(&ManuallyDrop::new(targets), &progress);
        // A contract may be of another severity in some files, so what was left out there cannot be told.
        // Nor can a change drop an entry from a baseline that is not its own.
        let says_stale = self.args.checks_every_severity() && self.committed.is_none();
        report.stale = report.stale.filter(|_| says_stale);
        self.amended = mending.and_then(|mending| mending.amended(&report, self.args.manner()));
        redact(&mut report);
        self.stopwatch.end(Phase::FilesScanned);
        self.stopwatch.keep(&matcher, &mut report);
        // As with the report.
        let _ = ManuallyDrop::new(matcher);
        report
    }
}

/// Makes targets ready to be compared with what was before, because the configuration says so.
fn compare(root: &Root, options: &Options, source: &Source, found: &mut Targets) -> anyhow::Result<()> {
    if matches!(source, Source::Staged(_) | Source::Diff(_)) {
        // Files that moved are looked for more closely.
        *found = project::targets(root, options, source)?;
    }
    if let Source::Staged(named) = source
        && !named.is_empty()
    {
        // Whoever names a file of which nothing is staged, as 'pre-commit run --all-files' does, asks about all of it.
        let staged = project::targets(root, options, &Source::Staged(Vec::new()))?;
        let staged: HashSet<&RelPath> = staged.targets.iter().map(|target| &target.path).collect();
        let unchanged = found.targets.iter_mut().filter(|target| !staged.contains(&target.path));
        unchanged.for_each(|target| target.before = None);
    }
    Ok(())
}
