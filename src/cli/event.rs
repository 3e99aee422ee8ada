//! One event of an agent: what the run is about, and what is said to it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::environment::Environment;
use super::install::settings_file;
use super::{output, say};
use crate::agents::decision::{Concern, Decision, Matter, Verdict, decide, decide_on_command, decide_on_end};
use crate::agents::{Client, Manner, NOTHING, Occasion, Worktree};
use crate::exit::Exit;
use crate::in_flight::Amended;
use crate::install::file::{self, Scope};
use crate::install::{Survey, survey};
use phaser_core::matcher::limits::HOOK_TIME;
use phaser_hook::Request;
use phaser_project::path::{Root, RootHints, find_root};
use phaser_project::report::Report;
use phaser_project::source::Source;
use phaser_project::tool_call::Call;

/// How long a look at what a command left may take. Whoever runs a command waits for it anyway.
const COMMAND_TIME: Duration = Duration::from_secs(3);

/// How long a look at what a turn left may take: there is one at its end.
const END_TIME: Duration = Duration::from_secs(5);

/// An event, and what it is about.
pub struct Asked {
    /// The event as it came.
    pub request: Request,
    /// Who sent it.
    pub client: Client,
    /// What it is about.
    pub about: About,
    /// What the turn was sent back for already.
    pub told: Vec<String>,
}

/// What an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// A call of a tool.
    Call,
    /// What a command left.
    Command,
    /// What a turn left.
    End,
    /// Somebody begins to work.
    Beginning,
    /// Settings of the client.
    Settings,
    /// Nothing that matters.
    Nothing,
}

impl About {
    /// How long the answer may take.
    pub fn time(self) -> Duration {
        match self {
            Self::Call | Self::Nothing | Self::Settings => HOOK_TIME,
            Self::Command | Self::Beginning => COMMAND_TIME,
            Self::End => END_TIME,
        }
    }
}

/// An event with the project it is about and where its text comes from, if there is any to look at.
pub struct Read {
    /// The event.
    pub asked: Asked,
    /// The project.
    pub root: Root,
    /// Where its text comes from.
    pub source: Option<Source>,
}

/// How a run for an event ends. Other agents than Claude Code take a failure for a denial, or end altogether: they are told
/// that there is nothing to say.
pub fn ended(ended: anyhow::Result<Exit>, client: Option<Client>) -> anyhow::Result<Exit> {
    match (ended, client) {
        (Err(error), Some(client)) if client != Client::Claude => {
            say(format_args!("phaser: {error:#}"));
            // Whoever reads no answer needs none.
            let _ = output::answer(|out| writeln!(out, "{NOTHING}"));
            Ok(Exit::Clean)
        }
        (ended, _) => ended,
    }
}

/// Reads what an event is about.
pub fn read(request: Request, client: Client, manner: Manner, environment: &Environment) -> Read {
    let occasion = client.read(&request, &environment.cwd, manner);
    let read = |about, root, source| {
        let asked = Asked { request, client, about, told: Vec::new() };
        Read { asked, root, source }
    };
    match occasion {
        Occasion::Call(call) => {
            let named = environment.claude_project_dir.as_deref();
            let root = find_root(RootHints { named, cwd: &call.cwd, file: call.file().as_deref() });
            read(About::Call, root, Some(Source::Changes(call)))
        }
        Occasion::Command(Worktree { cwd, sweep }) => {
            read(About::Command, project_at(&cwd, environment), Some(Source::Swept(sweep)))
        }
        Occasion::End { worktree: Worktree { cwd, sweep }, told } => {
            let mut read = read(About::End, project_at(&cwd, environment), Some(Source::Swept(sweep)));
            read.asked.told = told;
            read
        }
        Occasion::Beginning { cwd } => read(About::Beginning, project_at(&cwd, environment), None),
        Occasion::Settings { cwd } => read(About::Settings, project_at(&cwd, environment), None),
        Occasion::Nothing => read(About::Nothing, Root::new(&environment.cwd), None),
    }
}

/// The project of an agent that is in this directory, which may be outside: a command can leave it anywhere.
fn project_at(cwd: &Path, environment: &Environment) -> Root {
    let named = environment.claude_project_dir.as_deref().filter(|named| named.is_dir());
    let start = named.filter(|named| !Root::new(named).contains(cwd)).unwrap_or(cwd);
    find_root(RootHints { named, cwd: start, file: None })
}

/// What is decided about an event whose files were looked at.
pub struct Judged<'a> {
    /// The event.
    pub asked: &'a Asked,
    /// The project.
    pub root: &'a Root,
    /// In which manner the client is answered.
    pub manner: Manner,
    /// What there is to say beside violations.
    pub concerns: &'a [Concern],
    /// What a call should do instead.
    pub amended: Option<&'a Amended>,
}

impl Judged<'_> {
    /// Decides on what was found in files that came from the source.
    pub fn decision(&self, source: Option<&Source>, report: &Report) -> Decision {
        match (self.asked.about, source) {
            (About::Call, Some(Source::Changes(call))) => self.on_call(call, report),
            (About::Command, _) => decide_on_command(report, self.concerns),
            (About::End, _) => decide_on_end(report, &self.asked.told),
            _ => Decision::message_only(report),
        }
    }

    fn on_call(&self, call: &Call, report: &Report) -> Decision {
        let Self { root, manner, concerns, amended, .. } = *self;
        decide(Matter { root, call, manner, concerns, amended }, report)
    }
}

/// What is decided about settings that changed: they do not count if they take phaser's hooks away. All settings of the
/// client count together.
pub fn decide_on_settings(environment: &Environment) -> Decision {
    let (mut guards, mut switching_off) = (environment.runs_as_a_plugin, None);
    for scope in Scope::ALL {
        let Some(path) = client_settings(scope, environment) else { continue };
        // What cannot be read has no hooks for the client either.
        let Some(Survey { own, all_disabled }) = file::read(&path).ok().and_then(|text| survey(&text).ok())
        else {
            continue;
        };
        guards |= own.iter().any(|hook| hook.event == "PreToolUse");
        if all_disabled {
            switching_off.get_or_insert(path);
        }
    }
    let what = match (switching_off, guards) {
        (Some(path), _) => format!("'disableAllHooks' in {} switches phaser off", path.display()),
        (None, false) => "phaser's hooks are gone from the settings".to_owned(),
        (None, true) => return Decision::NOTHING,
    };
    let reason = format!(
        "{what}. This project protects them ('protect' in .claude/phaser.yaml): a person has to take them out, with 'phaser enforce uninstall'. Put the settings back as they were."
    );
    Decision { verdict: Verdict::Block(reason), ..Decision::NOTHING }
}

/// The settings that the client reads: those of the project that it was started in.
fn client_settings(scope: Scope, environment: &Environment) -> Option<PathBuf> {
    match (&environment.claude_project_dir, scope) {
        (Some(project), Scope::Project | Scope::Local) => Some(scope.file(Path::new(""), project)),
        _ => settings_file(scope, environment),
    }
}
