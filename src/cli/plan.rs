//! What one run of `phaser enforce` does: root, source, options and audience, decided before anything is checked.

use std::io::Read as _;
use std::time::Instant;

use anyhow::Context;
use phaser_core::contract::Severity;
use phaser_core::deadline::Deadline;
use phaser_core::matcher::Directives;
use phaser_core::skipped::SkipReason;
use phaser_hook::Request;
use phaser_project::config::PolicyDefaults;
use phaser_project::path::Root;
use phaser_project::project::{CacheUse, FixMode, Inspection, Options};
use phaser_project::report::{Phase, Report};
use phaser_project::scan::Existing;
use phaser_project::source::{Content, Source};
use phaser_project::tool_call::Moment;
use phaser_rerun::Rerun;

use super::args::{EnforceArgs, ReportFormat};
use super::enforce::Stopwatch;
use super::environment::Environment;
use super::event::{AgentEvent, AgentEventKind};
use super::show::ReportOutput;
use super::{output, project, stdin};
use crate::agents::{Agent, HookMode};
use crate::exit::{self, Exit};
use crate::in_flight;
use crate::progress::Progress;
use crate::report::redact::redact;

/// What a run does.
pub struct Plan<'a> {
    args: &'a EnforceArgs,
    environment: &'a Environment,
    /// The project root.
    pub root: Root,
    /// Where the text to check comes from.
    pub source: Source,
    /// How the project is loaded and checked.
    pub options: Options,
    format: ReportFormat,
    audience: Audience,
    /// What was read from stdin.
    stdin: Option<Vec<u8>>,
}

/// Who receives the result.
enum Audience {
    /// A user or a program: receives a report, and violations fail the run.
    Reader,
    /// The author of a commit, whose files have been reported: receives a report of violations only.
    Author,
    /// An agent: receives a response to its event, or a report if a format is named.
    Agent(Box<AgentEvent>),
}

impl<'a> Plan<'a> {
    /// Decides what to do from the arguments or, with `--stdin`, from the event. Sets `agent` to the sender of the event.
    pub fn new(
        args: &'a EnforceArgs,
        environment: &'a Environment,
        agent: &mut Option<Agent>,
        stopwatch: &mut Stopwatch,
    ) -> anyhow::Result<Self> {
        let mut stdin = None;
        let source = args.source(|| text_on_stdin(args.limits.max_file_size(), &mut stdin))?;
        let format = args.format()?;
        let options = Options { examples: format == ReportFormat::Sarif, ..options(args, environment)? };
        if let Some(source) = source {
            let root = environment.root();
            let is_text = matches!(format, ReportFormat::Text | ReportFormat::Full);
            let audience = match &source {
                Source::Message(..) if is_text => Audience::Author,
                _ => Audience::Reader,
            };
            return Ok(Self { args, environment, root, source, options, format, audience, stdin });
        }
        let mut stdin = stdin::patient();
        let request = Request::read(&mut stdin).context("standard input")?;
        stopwatch.end(Phase::EventRead);
        let sender = args.agent.unwrap_or_else(|| Agent::of(request.raw(), environment.agent));
        *agent = Some(sender);
        let (event, root, source) = AgentEvent::read(request, sender, args.hook_mode(), environment);
        let mut locations = options.locations;
        if args.hook_mode() == HookMode::Guard {
            locations.defaults = PolicyDefaults::Guard;
        }
        let time = event.kind.time().max(args.limits.timeout());
        // The first run has taken its time already.
        let time = if environment.variable(phaser_rerun::VARIABLE).is_some() { time / 2 } else { time };
        let options = Options {
            locations,
            deadline: Deadline::after(time),
            lenient: true,
            lazy_packs: format == ReportFormat::Hook,
            new_ignores: judges_new_ignores(event.kind, &source),
            min_severity: min_severity(event.kind),
            fixes: if format == ReportFormat::Hook { FixMode::InFlight } else { FixMode::Off },
            // A command or a turn answers only for what it added.
            existing: if matches!(source, Source::Worktree(_)) {
                Some(Existing::Report)
            } else {
                options.existing
            },
            ..options
        };
        Ok(Self {
            args,
            environment,
            root,
            source,
            options,
            format,
            audience: Audience::Agent(Box::new(event)),
            stdin: Some(stdin.copy),
        })
    }

    /// Lets this process run again without syntax trees if a parser crashes or hangs. Nothing has been written so far.
    pub fn allow_rerun(&mut self) {
        let variable = self.environment.variable(phaser_rerun::VARIABLE);
        let deadline = self.options.deadline.left().and_then(|left| Instant::now().checked_add(left));
        phaser_rerun::allow(variable.as_deref(), Rerun { stdin: self.stdin.take(), deadline });
    }

    /// A progress bar on stderr, for runs over the whole project on a terminal.
    pub fn progress(&self) -> Progress {
        let whole = matches!(self.source, Source::Tree(None));
        Progress::new(whole && self.environment.stderr_is_terminal() && !self.args.quiet)
    }

    /// Writes the report or the agent's response.
    pub fn respond(&self, inspection: &Inspection<'_>, report: &mut Report) -> anyhow::Result<Exit> {
        let Self { args, environment, format, .. } = *self;
        let fixed = in_flight::fixed_call(inspection, report, args.hook_mode());
        redact(report);
        let root = (!matches!(self.audience, Audience::Agent(_))).then_some(&self.root);
        let show = ReportOutput { args, environment, format, root };
        show.print_gaps(report);
        match &self.audience {
            Audience::Agent(event) if format == ReportFormat::Hook => {
                let decision = event.decide(inspection, report, fixed.as_ref(), environment)?;
                let response = event.agent.respond(&event.request, &decision, args.on_clean);
                output::answer(|out| writeln!(out, "{}", response.stdout))?;
                event.record(inspection, report, response.outcome, environment);
                Ok(response.exit)
            }
            Audience::Agent(_) => {
                show.write(report)?;
                Ok(Exit::Clean)
            }
            Audience::Reader | Audience::Author => {
                if matches!(self.audience, Audience::Reader) || report.open().next().is_some() {
                    show.write(report)?;
                }
                Ok(exit::judge(report, args.fail_on.severity(), args.strict))
            }
        }
    }
}

/// The text on stdin, like a file: skipped if it is larger than `limit` bytes.
fn text_on_stdin(limit: u64, copy: &mut Option<Vec<u8>>) -> anyhow::Result<Content> {
    let (mut text, mut stdin) = (Vec::new(), stdin::patient());
    let most = limit.saturating_add(1);
    (&mut stdin).take(most).read_to_end(&mut text).context("standard input")?;
    *copy = Some(stdin.copy);
    let size = text.len() as u64;
    if size > limit {
        return Ok(Content::Opaque(SkipReason::TooLarge { size, limit }));
    }
    Ok(Content::Bytes(text))
}

/// The options that arguments and environment decide alone.
fn options(args: &EnforceArgs, environment: &Environment) -> anyhow::Result<Options> {
    let wanted = match (args.cache, args.no_cache) {
        (_, true) => Some(false),
        (true, false) => Some(true),
        (false, false) => None,
    };
    Ok(Options {
        locations: project::extra(args.contracts_dir.as_deref(), &args.packs, environment)?,
        filter: args.chosen.filter(),
        severity: args.severity.only(),
        contracts_from: args.contracts_from.clone(),
        baseline: !args.no_baseline,
        existing: args.existing(),
        fixes: FixMode::Propose,
        directives: if args.no_ignores { Directives::Disregarded } else { Directives::Honoured },
        measure: args.measure(),
        cwd: Some(environment.cwd.clone()),
        git: Some(environment.git.clone()),
        cache: match args.stdin || args.stdin_filename.is_some() {
            true => CacheUse::Off,
            false => CacheUse::On { wanted, home: environment.cache_home(), program: environment.program() },
        },
        ..args.limits.options()
    })
}

/// Whether new ignore directives are judged: before an edit, after a command and at the end of a turn.
fn judges_new_ignores(kind: AgentEventKind, source: &Source) -> bool {
    match (kind, source) {
        (AgentEventKind::ToolCall, Source::Changes(call)) => call.moment == Moment::Before,
        (AgentEventKind::CommandRun | AgentEventKind::TurnEnd, _) => true,
        _ => false,
    }
}

/// The lowest severity that matters: at the end of a turn only errors do.
fn min_severity(kind: AgentEventKind) -> Severity {
    match kind {
        AgentEventKind::TurnEnd => Severity::Error,
        _ => Severity::Warning,
    }
}
