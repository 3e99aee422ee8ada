//! `phaser doctor`: is everything in place for phaser to guard this project, and if not, what to do.

use phaser_core::sanitize::inert;
use std::fmt::Write as _;

use clap::{Args, Parser as _};

use super::Cli;
use super::colour::ColorArg;
use super::environment::Environment;
use super::output::print;
use crate::exit::Exit;
use crate::install::OwnHook;
use crate::install::command::split_program;
use crate::report::palette::{Palette, Style};
use phaser_project::path::{RootHints, find_root};

mod agents;
mod contracts;
mod places;
mod probe;

use places::{Place, Places};
use probe::{Answer, Probes};

/// `phaser doctor`.
#[derive(Debug, Args)]
pub struct Doctor {
    #[command(flatten)]
    color: ColorArg,
}

/// Runs `phaser doctor`: 0 when everything is well, otherwise 1.
pub fn run(args: &Doctor, environment: &Environment) -> anyhow::Result<Exit> {
    let mut diagnosis = Diagnosis::new(args.color.palette(environment));
    let root = find_root(RootHints { named: None, cwd: &environment.cwd, file: None });
    let probes = Probes::make(root.path());
    agents::check(probes.as_ref().ok(), environment, &mut diagnosis);
    let found = places::find(environment, &mut diagnosis);
    diagnosis.calls = check_hooks(&found, &probes, environment, &mut diagnosis);
    contracts::check(environment, &mut diagnosis)?;
    match probe::try_out() {
        Ok(()) => diagnosis
            .ok("this phaser works: in a project made for it, a test edit was denied and another allowed"),
        Err(error) => {
            diagnosis.calls = diagnosis.calls.min(Calls::Fail);
            diagnosis.problem(format!("a test edit went wrong: {error:#}"), "install phaser again");
        }
    }
    let style = if diagnosis.problems == 0 { diagnosis.palette.good() } else { diagnosis.palette.bad() };
    print(&format!("{}\n{style}result{style:#}   {}\n", diagnosis.text, diagnosis.result()))?;
    Ok(if diagnosis.problems == 0 { Exit::Clean } else { Exit::Violations })
}

/// What was looked at, line by line, and what follows from it.
struct Diagnosis {
    palette: Palette,
    text: String,
    problems: usize,
    calls: Calls,
    contracts: usize,
    /// Other agents that call phaser.
    agents: Vec<&'static str>,
}

/// What a line starts with.
struct Mark {
    text: &'static str,
    style: Style,
}

/// Does Claude Code call phaser before an edit?
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Calls {
    /// No hook does.
    #[default]
    Missing,
    /// A hook is there, and does not get through.
    Fail,
    /// It does.
    Arrive,
}

impl Diagnosis {
    fn new(palette: Palette) -> Self {
        Self {
            palette,
            text: String::new(),
            problems: 0,
            calls: Calls::default(),
            contracts: 0,
            agents: Vec::new(),
        }
    }

    /// What all of it means for the project.
    fn result(&self) -> String {
        let call = match self.calls {
            Calls::Missing => Some("no hook calls phaser before an edit"),
            Calls::Fail => Some("the hook does not work"),
            Calls::Arrive => None,
        };
        let to_mend = match self.problems {
            0 => String::new(),
            1 => ", with 1 problem to mend".to_owned(),
            count => format!(", with {count} problems to mend"),
        };
        match (call, self.contracts) {
            (None, 0) => "nothing is guarded: there are no contracts".to_owned(),
            (Some(call), 0) if self.agents.is_empty() => {
                format!("nothing is guarded: there are no contracts, and {call}")
            }
            (Some(_), 0) => "nothing is guarded: there are no contracts".to_owned(),
            (Some(call), _) if self.agents.is_empty() => {
                format!("edits in Claude Code are not guarded: {call}")
            }
            (Some(_), _) => format!("edits in {} are guarded{to_mend}", listed(&self.agents)),
            (None, _) => {
                let all: Vec<&str> =
                    std::iter::once("Claude Code").chain(self.agents.iter().copied()).collect();
                format!("edits in {} are guarded{to_mend}", listed(&all))
            }
        }
    }

    fn ok(&mut self, what: impl AsRef<str>) {
        self.line(Mark { text: "ok       ", style: self.palette.good() }, what.as_ref());
    }

    fn problem(&mut self, what: impl AsRef<str>, fix: impl AsRef<str>) {
        self.problem_at(what, None, fix);
    }

    /// A problem with the text that is wrong, if it is known where.
    fn problem_at(&mut self, what: impl AsRef<str>, excerpt: Option<&[String; 2]>, fix: impl AsRef<str>) {
        self.problems += 1;
        self.line(Mark { text: "problem  ", style: self.palette.bad() }, what.as_ref());
        for line in excerpt.into_iter().flatten() {
            self.line(Mark { text: "             ", style: self.palette.bold() }, line);
        }
        self.line(Mark { text: "         fix: ", style: self.palette.bold() }, fix.as_ref());
    }

    /// Something to know that is no problem.
    fn note(&mut self, what: impl AsRef<str>) {
        self.line(Mark { text: "note     ", style: self.palette.bold() }, what.as_ref());
    }

    /// Rows of words, below each other.
    fn table(&mut self, rows: &[[String; 4]]) {
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let (event, matcher, answer) = (width(0), width(1), width(2));
        for row in rows {
            let line = format!("{:<event$}  {:<matcher$}  {:<answer$}  {}", row[0], row[1], row[2], row[3]);
            self.line(Mark { text: "           ", style: self.palette.dim() }, &line);
        }
    }

    fn line(&mut self, mark: Mark, what: &str) {
        let Mark { text, style } = mark;
        writeln!(self.text, "{style}{text}{style:#}{}", inert(what))
            .expect("writing to a string cannot fail");
    }
}

/// Shows what each hook answers, and what is wrong with them. Does a call arrive before an edit?
fn check_hooks(
    found: &Places,
    probes: &anyhow::Result<Probes>,
    environment: &Environment,
    diagnosis: &mut Diagnosis,
) -> Calls {
    let mut denied = false;
    for place in &found.places {
        diagnosis.ok(format!("{} for {}", place.has_hooks(), listed(&place.events())));
        let answers: Vec<_> = match probes {
            Ok(probes) => place.own.iter().map(|hook| probes.send(place, hook)).collect(),
            Err(_) => Vec::new(),
        };
        diagnosis.table(&rows(&place.own, &answers));
        denied |= answers
            .iter()
            .zip(&place.own)
            .any(|(answer, hook)| hook.event == "PreToolUse" && matches!(answer.said, probe::Said::Denied));
        for (hook, answer) in place.own.iter().zip(&answers) {
            check_answer(hook, answer, environment, diagnosis);
        }
    }
    if let Err(error) = probes {
        diagnosis.problem(
            format!("the hooks could not be tried: {error:#}"),
            "make room in the temporary directory",
        );
    }
    check_commands(found, environment, diagnosis);
    check_doubles(found, diagnosis);
    let has_hook = found.own().any(|hook| hook.event == "PreToolUse");
    if has_hook && !found.own().any(OwnHook::is_guard) {
        diagnosis.note(
            "what shell commands write, the end of a turn and the settings are not guarded: phaser enforce install --guard",
        );
    }
    match has_hook {
        false => Calls::Missing,
        true if found.all_disabled || !denied => Calls::Fail,
        true => Calls::Arrive,
    }
}

/// One line for each hook, under a head.
fn rows(hooks: &[OwnHook], answers: &[Answer]) -> Vec<[String; 4]> {
    if answers.is_empty() {
        return Vec::new();
    }
    let head = ["event", "matcher", "answer", "time"].map(str::to_owned);
    let row = |(hook, answer): (&OwnHook, &Answer)| {
        let matcher = hook.matcher.clone().unwrap_or_else(|| "*".to_owned());
        let time = format!("{} ms", answer.time.as_millis());
        [hook.event.clone(), matcher, answer.said.to_string(), time]
    };
    std::iter::once(head).chain(hooks.iter().zip(answers).map(row)).collect()
}

/// A hook that starts and that this phaser understands should answer as it is meant to.
fn check_answer(hook: &OwnHook, answer: &Answer, environment: &Environment, diagnosis: &mut Diagnosis) {
    let program = split_program(&hook.command).0;
    let starts = program.contains('$') || environment.find_program(&program).is_some();
    if answer.is_right(hook) || !starts || !is_understood(hook) {
        return;
    }
    let what = format!(
        "the hook for {} should have {}, and the answer was: {}",
        hook.event,
        answer.expected(hook),
        answer.said
    );
    diagnosis.problem(what, format!("run '{}' to see what it says", hook.command));
}

/// Can the hooks start phaser, and does it understand them?
fn check_commands(found: &Places, environment: &Environment, diagnosis: &mut Diagnosis) {
    let mut programs: Vec<String> = found.own().map(|hook| split_program(&hook.command).0).collect();
    programs.sort();
    programs.dedup();
    for program in programs {
        match environment.find_program(&program) {
            _ if program.contains('$') => {
                diagnosis.ok(format!("the hooks start {program}; only the client knows where"))
            }
            Some(path) => diagnosis.ok(format!("the hooks start {}", path.display())),
            None => diagnosis.problem(
                format!("the hooks start '{program}', which is not on the PATH"),
                "put the directory of phaser on the PATH that Claude Code is started with",
            ),
        }
    }
    let mut said: Vec<&str> = Vec::new();
    for hook in found.own().filter(|hook| !is_understood(hook)) {
        if !said.contains(&hook.command.as_str()) {
            said.push(&hook.command);
            let what = format!("this phaser does not understand the hook '{}'", hook.command);
            diagnosis.problem(what, "run 'phaser enforce install --force' in the scope it stands in");
        }
    }
}

/// Does this phaser understand the arguments of the hook?
fn is_understood(hook: &OwnHook) -> bool {
    let words = split_program(&hook.command).1.split_whitespace();
    Cli::try_parse_from(std::iter::once("phaser").chain(words)).is_ok()
}

/// The client runs the same command once for all settings, and another one, or that of a plugin, besides.
fn check_doubles(found: &Places, diagnosis: &mut Diagnosis) {
    for event in ["PreToolUse", "PostToolUse", "Stop"] {
        let mut running: Vec<(&Place, &str)> = Vec::new();
        for place in &found.places {
            let Some(hook) = place.own.iter().find(|hook| hook.event == event) else { continue };
            let is_same = |(other, command): &(&Place, &str)| {
                other.plugin.is_none() && place.plugin.is_none() && *command == hook.command
            };
            if !running.iter().any(is_same) {
                running.push((place, &hook.command));
            }
        }
        if let [first, .., last] = running.as_slice() {
            let what = format!(
                "phaser is run twice for each event: by the hooks of {} and by those of {}",
                first.0.shown, last.0.shown
            );
            let fix = match running.iter().find_map(|(place, _)| place.plugin.as_ref()) {
                Some(plugin) => format!(
                    "take out one of them: 'phaser enforce uninstall', or 'claude plugin disable {}'",
                    plugin.name
                ),
                None => "take out one of them: 'phaser enforce uninstall --scope …'".to_owned(),
            };
            diagnosis.problem(what, fix);
            return;
        }
    }
}

/// `a`, `a and b`, `a, b and c`.
fn listed(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
