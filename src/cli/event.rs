//! An agent's event: which project and files it concerns, and which decision the report leads to.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use phaser_core::command::{CommandLine, CommandPlace};
use phaser_core::contract::{Contract, Severity, Warning};
use phaser_core::deadline::Deadline;
use phaser_core::matcher::limits::HOOK_TIME;
use phaser_core::violation::{LineDigest, Violation};
use phaser_hook::Request;
use phaser_project::config::{Fixes, Policy, Repeated};
use phaser_project::path::{RelPath, Root, RootHints, config_file, find_root};
use phaser_project::project::load::Loaded;
use phaser_project::project::{Inspection, Project};
use phaser_project::report::Report;
use phaser_project::source::Source;
use phaser_project::source::worktree::ChangeWindow;
use phaser_project::tool_call::Moment;

use super::environment::Environment;
use super::install::settings_file;
use super::{output, to_stderr};
use crate::agents::decision::{
    CheckedCall, CheckedCommand, CommandContracts, CommandViolation, DENIED, HookDecision, HookVerdict,
    MAX_TEXT, NOT_RUN, decide, decide_on_command, decide_on_command_line, decide_on_end, listed_command,
};
use crate::agents::{Agent, EMPTY_RESPONSE, HookEvent, HookMode, Outcome, facts};
use crate::briefing::briefing;
use crate::decisions::log::{Log, timestamp};
use crate::decisions::repeats::{DenialCounts, DeniedCommand, EXPLAINED};
use crate::decisions::{DecisionRecord, RecordedViolation};
use crate::exit::Exit;
use crate::in_flight::RewrittenCall;
use crate::install::file::{self, SettingsScope};
use crate::tamper::hooks::{Running, disarmed};
use crate::tamper::policies;

/// Time limit of the sweep after a command. The user waits for the command anyway.
const COMMAND_TIME: Duration = Duration::from_secs(3);

/// Time limit of the check at the end of a turn.
const END_TIME: Duration = Duration::from_secs(5);

/// Maximum number of violations in a line of the log.
const MAX_RECORDED: usize = 100;

/// An event with its sender.
pub struct AgentEvent {
    /// The event as received.
    pub request: Request,
    /// The sender.
    pub agent: Agent,
    /// What kind of event it is.
    pub kind: AgentEventKind,
    mode: HookMode,
    /// Reasons that already sent this turn back.
    sent_back: Vec<String>,
    /// The command lines that are about to run.
    lines: Vec<String>,
    /// Where they run.
    cwd: PathBuf,
    rules: OnceCell<CommandRules>,
    started: Instant,
}

/// Kinds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentEventKind {
    /// A tool call that edits files.
    ToolCall,
    /// A shell command is about to run.
    Command,
    /// A shell command has run.
    CommandRun,
    /// A turn is about to end.
    TurnEnd,
    /// A session starts.
    SessionStart,
    /// The agent's settings changed.
    SettingsChange,
    /// Any other event.
    Other,
}

impl AgentEventKind {
    /// Time limit of the response.
    pub fn time(self) -> Duration {
        match self {
            Self::ToolCall | Self::Command | Self::Other | Self::SettingsChange => HOOK_TIME,
            Self::CommandRun | Self::SessionStart => COMMAND_TIME,
            Self::TurnEnd => END_TIME,
        }
    }
}

/// Turns an error into the empty response for agents that would treat it as a denial or abort. Claude Code receives the error.
pub fn fail_open(result: anyhow::Result<Exit>, agent: Option<Agent>) -> anyhow::Result<Exit> {
    match (result, agent) {
        (Err(error), Some(agent)) if agent != Agent::Claude => {
            to_stderr(format_args!("phaser: {error:#}"));
            // A closed stdout changes nothing here.
            let _ = output::answer(|out| writeln!(out, "{EMPTY_RESPONSE}"));
            Ok(Exit::Clean)
        }
        (result, _) => result,
    }
}

impl AgentEvent {
    /// Reads an event: the event itself, its project, and the source of the text to check.
    pub fn read(
        request: Request,
        agent: Agent,
        mode: HookMode,
        environment: &Environment,
    ) -> (Self, Root, Source) {
        let started = Instant::now();
        let at = |cwd: &Path| project_at(cwd, environment);
        let (mut sent_back, mut lines, mut command_cwd) = (Vec::new(), Vec::new(), PathBuf::new());
        let (kind, root, source) = match agent.read(&request, &environment.cwd, mode) {
            HookEvent::ToolCall(call) => {
                let named = environment.claude_project_dir.as_deref();
                let (cwd, home) = (&call.cwd, environment.home.as_deref());
                let root = find_root(RootHints { named, cwd, file: call.file().as_deref(), home });
                (AgentEventKind::ToolCall, root, Source::Changes(call))
            }
            HookEvent::Command { cwd, lines: commands } => {
                lines = commands;
                let root = at(&cwd);
                command_cwd = cwd;
                (AgentEventKind::Command, root, Source::Nothing)
            }
            HookEvent::CommandRun { cwd, sweep } => {
                (AgentEventKind::CommandRun, at(&cwd), Source::Worktree(sweep))
            }
            HookEvent::TurnEnd { cwd, sweep, sent_back: reasons } => {
                sent_back = reasons;
                (AgentEventKind::TurnEnd, at(&cwd), Source::Worktree(sweep))
            }
            HookEvent::SessionStart { cwd } => (AgentEventKind::SessionStart, at(&cwd), Source::Nothing),
            HookEvent::SettingsChange { cwd } => (AgentEventKind::SettingsChange, at(&cwd), Source::Nothing),
            HookEvent::Other => (AgentEventKind::Other, Root::new(&environment.cwd), Source::Nothing),
        };
        let cwd = command_cwd;
        let rules = OnceCell::new();
        (Self { request, agent, kind, mode, sent_back, lines, cwd, rules, started }, root, source)
    }

    /// Decides on the event.
    pub fn decide(
        &self,
        inspection: &Inspection<'_>,
        report: &Report,
        rewritten_call: Option<&RewrittenCall>,
        environment: &Environment,
    ) -> anyhow::Result<HookDecision> {
        let project = inspection.project();
        match (self.kind, inspection.source()) {
            (AgentEventKind::SessionStart, _) => brief(project),
            (AgentEventKind::SettingsChange, _) => {
                let file = self.request.raw().get("file_path").and_then(|path| path.as_str());
                let is_gone = file.is_some_and(|file| !Path::new(file).exists());
                decide_on_settings(project, is_gone, environment)
            }
            (AgentEventKind::ToolCall, Source::Changes(call)) => {
                let checked = CheckedCall {
                    root: project.root(),
                    call,
                    mode: self.mode,
                    findings: &self.findings(inspection, report, environment),
                    rewritten_call,
                    denials: &self.earlier_denials(inspection, report, environment),
                    repeated: inspection.loaded.repeated(),
                };
                Ok(decide(checked, report))
            }
            (AgentEventKind::Command, _) => {
                let place = self.command_place(project, environment);
                let rules = self.command_rules(project, &place)?;
                let checked = self.checked_command(rules, &place);
                let (violations, unjudged) = checked.violations();
                for why in unjudged {
                    to_stderr(format_args!("phaser: command not judged: {why}"));
                }
                let denials = self.earlier_command_denials(&violations, inspection, environment);
                let decision = decide_on_command_line(&checked, &violations, &denials);
                let broken = Report { warnings: rules.warnings.clone(), ..Report::default() };
                Ok(HookDecision { message: HookDecision::message_only(&broken).message, ..decision })
            }
            (AgentEventKind::CommandRun, _) => {
                Ok(decide_on_command(report, &self.findings(inspection, report, environment)))
            }
            (AgentEventKind::TurnEnd, _) => {
                Ok(decide_on_end(report, &self.findings(inspection, report, environment), &self.sent_back))
            }
            _ => Ok(HookDecision::message_only(report)),
        }
    }

    /// How often the contracts that deny the call have done so before in the session: from the log or, without one, from the
    /// transcript. Reads nothing without a violation.
    fn earlier_denials(
        &self,
        inspection: &Inspection<'_>,
        report: &Report,
        environment: &Environment,
    ) -> DenialCounts {
        let denied =
            |violation: &Violation| (violation.contract.id.clone(), violation.path.to_text().into_owned());
        let mut wanted: Vec<_> = self.reported(inspection, report).map(denied).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let is_before = matches!(inspection.source(), Source::Changes(call) if call.moment == Moment::Before);
        if wanted.is_empty() || !is_before || self.mode == HookMode::Plain {
            return DenialCounts::default();
        }
        let event = self.request.raw();
        let log = self.log(inspection, environment);
        match (log, facts::session(event), facts::transcript(event)) {
            (Some(log), Some(session), _) => DenialCounts::from_log(&log, &session, &wanted),
            (None, _, Some(transcript)) => {
                DenialCounts::from_transcript(Path::new(transcript), DENIED.trim_start(), &wanted)
            }
            _ => DenialCounts::default(),
        }
    }

    /// What commands are judged by: the contracts of the root, of the directories from there to the directory of the event,
    /// of the user and of configured directories. After `cd DIR` they are those of DIR.
    fn command_rules(&self, project: &Project, place: &CommandPlace<'_>) -> anyhow::Result<&CommandRules> {
        if let Some(rules) = self.rules.get() {
            return Ok(rules);
        }
        let loaded = project.contracts_for_commands(&self.cwd)?;
        let mut contracts =
            vec![CommandContracts { directories: Vec::new(), contracts: command_contracts(&loaded) }];
        contracts.extend(self.contracts_elsewhere(project, place)?);
        let root = project.root();
        let directory = if root.contains(&self.cwd) { root.relative(&self.cwd) } else { RelPath::default() };
        let rules = CommandRules {
            contracts,
            fixes: loaded.fixes_at(&directory.join("command")),
            repeated: loaded.repeated(),
            log: loaded.log(),
            warnings: loaded.warnings,
        };
        Ok(self.rules.get_or_init(|| rules))
    }

    /// The contracts of directories of the project that the lines change to, if they are not those of the event's directory.
    fn contracts_elsewhere(
        &self,
        project: &Project,
        place: &CommandPlace<'_>,
    ) -> anyhow::Result<Vec<CommandContracts>> {
        let changes = self.lines.iter().filter(|line| line.contains("cd") || line.contains("pushd"));
        let parsed = changes.filter_map(|line| CommandLine::parse(line, Deadline::after(HOOK_TIME)).ok());
        let mut directories: Vec<PathBuf> = parsed.flat_map(|line| line.directories(place)).collect();
        directories.sort_unstable();
        directories.dedup();
        let mut by_folders: Vec<(Vec<RelPath>, CommandContracts)> = Vec::new();
        let own = project.folders_of_commands(&self.cwd);
        let inside = directories.into_iter().filter(|directory| project.root().contains(directory));
        for directory in inside.take(MAX_DIRECTORIES) {
            let folders = project.folders_of_commands(&directory);
            if folders == own {
                continue;
            }
            let at = match by_folders.iter().position(|(known, _)| *known == folders) {
                Some(at) => at,
                None => {
                    let contracts = command_contracts(&project.contracts_for_commands(&directory)?);
                    by_folders.push((folders, CommandContracts { directories: Vec::new(), contracts }));
                    by_folders.len() - 1
                }
            };
            by_folders[at].1.directories.push(directory);
        }
        Ok(by_folders.into_iter().map(|(_, contracts)| contracts).collect())
    }

    /// Where the command lines run.
    fn command_place(&self, project: &Project, environment: &Environment) -> CommandPlace<'static> {
        let root = project.root();
        CommandPlace {
            cwd: self.cwd.clone(),
            roots: vec![root.path().to_owned(), root.real().to_owned()],
            home: environment.home.clone(),
            temporary: environment.temporary.clone(),
            exists: Some(&|path| path.exists()),
        }
    }

    /// The command lines, to be judged by these rules.
    fn checked_command<'a>(
        &'a self,
        rules: &'a CommandRules,
        place: &'a CommandPlace<'a>,
    ) -> CheckedCommand<'a> {
        CheckedCommand {
            lines: if rules.is_empty() { &[] } else { &self.lines },
            contracts: &rules.contracts,
            place,
            fixes: rules.fixes,
            repeated: rules.repeated,
            deadline: Deadline::after(HOOK_TIME),
        }
    }

    /// How often the contracts have denied the same commands before in the session.
    fn earlier_command_denials(
        &self,
        violations: &[CommandViolation<'_>],
        inspection: &Inspection<'_>,
        environment: &Environment,
    ) -> DenialCounts {
        if violations.is_empty() {
            return DenialCounts::default();
        }
        let event = self.request.raw();
        let denied = |one: &CommandViolation<'_>| DeniedCommand {
            id: one.contract.id.clone(),
            normalised: one.forbidden.normalised.clone(),
            digest: command_digest(one),
            listed: listed_command(one),
        };
        let wanted: Vec<DeniedCommand> = violations.iter().map(denied).collect();
        match (self.log(inspection, environment), facts::session(event), facts::transcript(event)) {
            (Some(log), Some(session), _) => DenialCounts::of_commands_in_log(&log, &session, &wanted),
            (None, _, Some(transcript)) => {
                DenialCounts::of_commands_in_transcript(Path::new(transcript), NOT_RUN.trim_start(), &wanted)
            }
            _ => DenialCounts::default(),
        }
    }

    /// The violations of a command, for the log, and whether one is denied again and again.
    fn recorded_commands(
        &self,
        inspection: &Inspection<'_>,
        environment: &Environment,
    ) -> (Vec<RecordedViolation>, bool) {
        let Some(rules) = self.rules.get() else { return (Vec::new(), false) };
        let place = self.command_place(inspection.project(), environment);
        let (violations, _) = self.checked_command(rules, &place).violations();
        let denials = self.earlier_command_denials(&violations, inspection, environment);
        let is_repeated = violations
            .iter()
            .any(|one| denials.earlier(&one.contract.id, &one.forbidden.normalised) + 1 >= EXPLAINED);
        let recorded = |one: &CommandViolation<'_>| RecordedViolation {
            id: one.contract.id.clone(),
            line: None,
            digest: command_digest(one),
            severity: one.contract.severity.as_str().to_owned(),
        };
        (violations.iter().take(MAX_RECORDED).map(recorded).collect(), is_repeated)
    }

    /// The open violations that the response reports: before an edit, the guard leaves warnings for the event after it.
    fn reported<'r>(
        &self,
        inspection: &Inspection<'_>,
        report: &'r Report,
    ) -> impl Iterator<Item = &'r Violation> {
        let is_before = matches!(inspection.source(), Source::Changes(call) if call.moment == Moment::Before);
        let least = match self.mode {
            HookMode::Guard if is_before => Severity::Error,
            _ => Severity::Warning,
        };
        report.open().filter(move |violation| violation.contract.severity >= least)
    }

    /// The decision log, if the project has one.
    fn log(&self, inspection: &Inspection<'_>, environment: &Environment) -> Option<Log> {
        let root = inspection.project().root();
        let is_on = self.rules.get().map_or_else(|| inspection.loaded.log(), |rules| rules.log);
        if is_on { Log::of(root, environment.state_home()) } else { None }
    }

    /// Logs the response, if the event was judged and the project has a log. A log that cannot be written changes nothing.
    pub fn record(
        &self,
        inspection: &Inspection<'_>,
        report: &Report,
        outcome: Outcome,
        environment: &Environment,
    ) {
        let Some(log) = self.log(inspection, environment).filter(|_| self.is_judged(inspection)) else {
            return;
        };
        let event = self.request.raw();
        let digest = |violation: &Violation| format!("{:016x}", violation.fingerprint.line.0);
        let recorded = |violation: &Violation| RecordedViolation {
            id: violation.contract.id.clone(),
            line: violation.found.as_ref().map(|found| found.source_region().start.line),
            digest: digest(violation),
            severity: violation.contract.severity.as_str().to_owned(),
        };
        let is_command = self.kind == AgentEventKind::Command
            || (self.kind == AgentEventKind::CommandRun && facts::has_command(event));
        let (commands, is_repeated_command) = match self.kind {
            AgentEventKind::Command => self.recorded_commands(inspection, environment),
            _ => (Vec::new(), false),
        };
        let is_repeated = || {
            if self.kind == AgentEventKind::Command {
                return is_repeated_command;
            }
            let denials = self.earlier_denials(inspection, report, environment);
            self.reported(inspection, report).any(|violation| {
                denials.earlier(&violation.contract.id, &violation.path.to_text()) + 1 >= EXPLAINED
            })
        };
        let record = DecisionRecord {
            time: timestamp(SystemTime::now()),
            agent: self.agent.name().to_owned(),
            session: facts::session(event),
            event: facts::name(event).unwrap_or_else(|| self.event_name(inspection).to_owned()),
            tool: facts::tool(event),
            path: if is_command { None } else { self.path(inspection, report) },
            program: if is_command { facts::program(event) } else { None },
            decision: outcome.decision.map(str::to_owned),
            contracts: match self.kind {
                AgentEventKind::Command => commands,
                _ => self.reported(inspection, report).take(MAX_RECORDED).map(recorded).collect(),
            },
            fixed: outcome.is_fixed,
            repeated: matches!(outcome.decision, Some("deny" | "ask")) && is_repeated(),
            ms: u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
            project: None,
        };
        let _ = log.append(&record);
    }

    /// Whether the event was checked against contracts or policies.
    fn is_judged(&self, inspection: &Inspection<'_>) -> bool {
        match (self.kind, inspection.source()) {
            (AgentEventKind::ToolCall, Source::Changes(call)) => !call.changes.is_empty(),
            (AgentEventKind::Command, _) => self.rules.get().is_some_and(|rules| !rules.is_empty()),
            (AgentEventKind::CommandRun | AgentEventKind::TurnEnd | AgentEventKind::SettingsChange, _) => {
                true
            }
            _ => false,
        }
    }

    /// The file that the event is about.
    fn path(&self, inspection: &Inspection<'_>, report: &Report) -> Option<String> {
        let root = inspection.project().root();
        let of_event = || match inspection.source() {
            Source::Changes(call) => call.changes.first().map(|change| root.relative(&call.path(change))),
            Source::Worktree(ChangeWindow::Command { changed: Some(changed), .. }) => {
                changed.first().map(|path| root.relative(path))
            }
            _ => None,
        };
        let of_violation = self.reported(inspection, report).next().map(|violation| violation.path.clone());
        let path = match self.kind {
            AgentEventKind::ToolCall | AgentEventKind::CommandRun => of_violation.or_else(of_event)?,
            _ => return None,
        };
        Some(path.to_text().into_owned())
    }

    /// Claude Code's name of the event, for agents whose events have none.
    fn event_name(&self, inspection: &Inspection<'_>) -> &'static str {
        match (self.kind, inspection.source()) {
            (AgentEventKind::ToolCall, Source::Changes(call)) if call.moment == Moment::Before => {
                "PreToolUse"
            }
            (AgentEventKind::Command, _) => "PreToolUse",
            (AgentEventKind::ToolCall | AgentEventKind::CommandRun, _) => "PostToolUse",
            (AgentEventKind::TurnEnd, _) => "Stop",
            (AgentEventKind::SettingsChange, _) => "ConfigChange",
            _ => "",
        }
    }

    /// The findings of the project's `ignores` and `protect` policies about the event.
    fn findings(
        &self,
        inspection: &Inspection<'_>,
        report: &Report,
        environment: &Environment,
    ) -> Vec<crate::agents::decision::PolicyFinding> {
        let user_settings = settings_file(SettingsScope::User, environment);
        policies::findings(inspection, report, user_settings.as_deref())
    }
}

/// What commands are judged by.
struct CommandRules {
    /// Those of the event's directory first.
    contracts: Vec<CommandContracts>,
    fixes: Fixes,
    repeated: Repeated,
    log: bool,
    warnings: Vec<Warning>,
}

impl CommandRules {
    fn is_empty(&self) -> bool {
        self.contracts.iter().all(|of| of.contracts.is_empty())
    }
}

/// The limit on directories of one event whose contracts are loaded.
const MAX_DIRECTORIES: usize = 16;

/// The enabled contracts about commands. Overrides count if they are not limited to files.
fn command_contracts(loaded: &Loaded) -> Vec<Contract> {
    let about = loaded.contracts.iter().filter(|one| one.check.command().is_some());
    let overridden = |contract: &Contract| {
        let mut contract = contract.clone();
        for case in contract.scope.overrides().to_vec().iter().filter(|case| case.files.globs.is_empty()) {
            contract.severity = case.change.severity.unwrap_or(contract.severity);
            contract.enabled = case.change.enabled.unwrap_or(contract.enabled);
        }
        contract
    };
    about.map(overridden).filter(|one| one.enabled).collect()
}

/// Identifies a command in the log, without its text.
fn command_digest(violation: &CommandViolation<'_>) -> String {
    format!("{:016x}", LineDigest::of(violation.forbidden.normalised.as_bytes()).0)
}

/// The project of an agent in `cwd`. A command can leave the agent in a directory outside the project.
fn project_at(cwd: &Path, environment: &Environment) -> Root {
    let named = environment.claude_project_dir.as_deref().filter(|named| named.is_dir());
    let start = named.filter(|named| !Root::new(named).contains(cwd)).unwrap_or(cwd);
    find_root(RootHints { named, cwd: start, file: None, home: environment.home.as_deref() })
}

/// The briefing at the start of a session: the contracts of the whole project as context.
fn brief(project: &Project) -> anyhow::Result<HookDecision> {
    let source = Source::Tree(None);
    let mut inspection = project.inspect(&source)?;
    let mut warnings = inspection.compile();
    warnings.sort();
    let contracts = inspection.matcher().map(|matcher| matcher.contracts()).unwrap_or_default();
    let contracts: Vec<Contract> = contracts.iter().map(|contract| Contract::clone(contract)).collect();
    let (before, after) =
        ("phaser enforces these contracts of the project:", "'phaser explain ID' shows the details of one.");
    let lines = briefing(&contracts, MAX_TEXT - before.len() - after.len() - 2);
    let context = (!lines.is_empty()).then(|| format!("{before}\n{lines}\n{after}"));
    let report = Report { warnings, ..Report::default() };
    Ok(HookDecision { context, ..HookDecision::message_only(&report) })
}

/// Blocks a change of settings after which phaser's hooks are gone or cannot work, if the project has a `protect` policy.
/// Claude Code merges all its settings files, so all of them are read. If the settings file itself is gone, and every contract with it, the user is
/// informed.
fn decide_on_settings(
    project: &Project,
    is_file_gone: bool,
    environment: &Environment,
) -> anyhow::Result<HookDecision> {
    let source = Source::Files(Vec::new());
    let Loaded { configs, contracts, .. } = project.inspect(&source)?.loaded;
    let protects =
        configs.iter().any(|placed| placed.config.protect.is_some_and(|policy| policy > Policy::Allow));
    // Without a contract there is nothing to protect, unless the contracts went with the settings.
    if !protects || (contracts.is_empty() && !is_file_gone) {
        return Ok(HookDecision::NOTHING);
    }
    let read = |scope| {
        let path = client_settings(scope, environment)?;
        Some((path.display().to_string(), file::read(&path).ok()?.into_bytes()))
    };
    let settings: Vec<_> = SettingsScope::ALL.into_iter().filter_map(read).collect();
    let running =
        Running { as_plugin: environment.runs_as_a_plugin, variable: &|name| environment.variable(name) };
    let Some(problem) = disarmed(&settings, &running) else { return Ok(HookDecision::NOTHING) };
    if contracts.is_empty() {
        let message = format!("phaser: {problem}, and the project has no contracts");
        return Ok(HookDecision { message: Some(message), ..HookDecision::NOTHING });
    }
    let reason = format!(
        "{problem}. This project protects them ('protect' in {}): only the user may remove them, with 'phaser enforce uninstall'. Restore the settings.",
        config_file(project.root())
    );
    Ok(HookDecision { verdict: HookVerdict::Block(reason), ..HookDecision::NOTHING })
}

/// The settings file that the agent reads: project settings come from the project it was started in.
fn client_settings(scope: SettingsScope, environment: &Environment) -> Option<PathBuf> {
    match (&environment.claude_project_dir, scope) {
        (Some(project), SettingsScope::Project | SettingsScope::Local) => {
            Some(scope.file(Path::new(""), project))
        }
        _ => settings_file(scope, environment),
    }
}
