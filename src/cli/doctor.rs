//! `phaser doctor`: checks hooks and contracts, and prints a fix for every problem.

use phaser_core::sanitize::inert;
use std::fmt::Write as _;

use clap::{Args, Parser as _};

use super::Cli;
use super::args::shared::ColorArg;
use super::environment::Environment;
use super::output::print;
use crate::exit::Exit;
use crate::install::OwnHook;
use crate::install::command::split_program;
use crate::report::palette::{Palette, Style};

mod agents;
mod contracts;
mod places;
mod probe;
mod seen;

use places::{HookSource, HookSources};
use probe::{ProbeResponse, ProbeResult, Probes};

/// `phaser doctor`.
#[derive(Debug, Args)]
pub struct Doctor {
    #[command(flatten)]
    color: ColorArg,
}

/// Runs `phaser doctor`: exit code 0 without problems, otherwise 1.
pub fn run(args: &Doctor, environment: &Environment) -> anyhow::Result<Exit> {
    let mut diagnosis = Diagnosis::new(args.color.palette(environment));
    let probes = Probes::make(environment.root().path());
    agents::check(probes.as_ref().ok(), environment, &mut diagnosis);
    let found = places::find(environment, &mut diagnosis);
    diagnosis.calls = check_hooks(&found, &probes, environment, &mut diagnosis);
    contracts::check(environment, &mut diagnosis)?;
    seen::check(environment, &mut diagnosis);
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

/// The lines printed so far, and the state of the project.
struct Diagnosis {
    palette: Palette,
    text: String,
    problems: usize,
    calls: Calls,
    contracts: usize,
    /// Other agents with working hooks.
    agents: Vec<&'static str>,
}

/// Whether Claude Code calls phaser before an edit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Calls {
    /// There is no hook.
    #[default]
    Missing,
    /// There is a hook, and it does not work.
    Fail,
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

    /// The summary line.
    fn result(&self) -> String {
        let call = match self.calls {
            Calls::Missing => Some("no hook calls phaser before an edit"),
            Calls::Fail => Some("the hook does not work"),
            Calls::Arrive => None,
        };
        let to_fix = match self.problems {
            0 => String::new(),
            1 => "; 1 problem to fix".to_owned(),
            count => format!("; {count} problems to fix"),
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
            (Some(_), _) => format!("edits in {} are guarded{to_fix}", listed(&self.agents)),
            (None, _) => {
                let all: Vec<&str> =
                    std::iter::once("Claude Code").chain(self.agents.iter().copied()).collect();
                format!("edits in {} are guarded{to_fix}", listed(&all))
            }
        }
    }

    fn ok(&mut self, what: impl AsRef<str>) {
        self.line("ok       ", self.palette.good(), what.as_ref());
    }

    fn problem(&mut self, what: impl AsRef<str>, fix: impl AsRef<str>) {
        self.problem_at(what, None, fix);
    }

    /// A problem, with an excerpt of the text if there is one.
    fn problem_at(&mut self, what: impl AsRef<str>, excerpt: Option<&[String; 2]>, fix: impl AsRef<str>) {
        self.problems += 1;
        self.line("problem  ", self.palette.bad(), what.as_ref());
        for line in excerpt.into_iter().flatten() {
            self.line("             ", self.palette.bold(), line);
        }
        self.line("         fix: ", self.palette.bold(), fix.as_ref());
    }

    fn note(&mut self, what: impl AsRef<str>) {
        self.line("note     ", self.palette.bold(), what.as_ref());
    }

    /// Prints aligned columns.
    fn table(&mut self, rows: &[[String; 4]]) {
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let (event, matcher, response) = (width(0), width(1), width(2));
        for row in rows {
            let line = format!("{:<event$}  {:<matcher$}  {:<response$}  {}", row[0], row[1], row[2], row[3]);
            self.line("           ", self.palette.dim(), &line);
        }
    }

    fn line(&mut self, mark: &str, style: Style, what: &str) {
        writeln!(self.text, "{style}{mark}{style:#}{}", inert(what))
            .expect("writing to a string cannot fail");
    }
}

/// Sends an event to each hook and prints the responses and problems.
fn check_hooks(
    found: &HookSources,
    probes: &anyhow::Result<Probes>,
    environment: &Environment,
    diagnosis: &mut Diagnosis,
) -> Calls {
    let mut denied = false;
    for place in &found.places {
        diagnosis.ok(format!("{} has phaser's hooks for {}", place.shown, listed(&place.events())));
        let responses: Vec<_> = match probes {
            Ok(probes) => place.own.iter().map(|hook| probes.send(place, hook)).collect(),
            Err(_) => Vec::new(),
        };
        diagnosis.table(&rows(&place.own, &responses));
        denied |= responses.iter().zip(&place.own).any(|(response, hook)| {
            hook.event == "PreToolUse" && matches!(response.result, ProbeResult::Denied)
        });
        for (hook, response) in place.own.iter().zip(&responses) {
            check_response(hook, response, environment, diagnosis);
        }
        if let Ok(probes) = probes {
            check_commands_before(place, probes, diagnosis);
        }
    }
    if let Err(error) = probes {
        diagnosis
            .problem(format!("cannot test the hooks: {error:#}"), "make room in the temporary directory");
    }
    check_commands(found, environment, diagnosis);
    check_doubles(found, diagnosis);
    let has_hook = found.own().any(|hook| hook.event == "PreToolUse");
    if has_hook && !found.own().any(OwnHook::is_guard) {
        diagnosis.note(
            "shell commands, ends of turns and settings are not guarded (run 'phaser enforce install --guard')",
        );
    }
    match has_hook {
        false => Calls::Missing,
        true if found.all_disabled || !denied => Calls::Fail,
        true => Calls::Arrive,
    }
}

/// Tests that the guard denies a forbidden command before it runs.
fn check_commands_before(place: &HookSource, probes: &Probes, diagnosis: &mut Diagnosis) {
    let guards = || place.own.iter().filter(|hook| hook.event == "PreToolUse" && hook.is_guard());
    let sees_commands = |hook: &&OwnHook| {
        hook.matcher.as_deref().is_none_or(|matcher| matcher == "*" || matcher.contains("Bash"))
    };
    let fix = "run 'phaser enforce install --guard --force' with the hook's --scope";
    match guards().find(sees_commands) {
        None if guards().next().is_some() => diagnosis.note(format!(
            "{} has no hook before shell commands: contracts of type forbid_command are not judged ({fix})",
            place.shown
        )),
        Some(hook) if is_understood(hook) => match probes.send_command(place, hook).result {
            ProbeResult::Denied | ProbeResult::Failed(_) => {}
            other => diagnosis.problem(
                format!("the hook for PreToolUse should have denied a command; the response was: {other}"),
                fix,
            ),
        },
        _ => {}
    }
}

/// One row per hook, below a header.
fn rows(hooks: &[OwnHook], responses: &[ProbeResponse]) -> Vec<[String; 4]> {
    if responses.is_empty() {
        return Vec::new();
    }
    let head = ["event", "matcher", "response", "time"].map(str::to_owned);
    let row = |(hook, response): (&OwnHook, &ProbeResponse)| {
        let matcher = hook.matcher.clone().unwrap_or_else(|| "*".to_owned());
        let time = format!("{} ms", response.time.as_millis());
        [hook.event.clone(), matcher, response.result.to_string(), time]
    };
    std::iter::once(head).chain(hooks.iter().zip(responses).map(row)).collect()
}

/// Reports a wrong response of a hook that starts and has valid flags.
fn check_response(
    hook: &OwnHook,
    response: &ProbeResponse,
    environment: &Environment,
    diagnosis: &mut Diagnosis,
) {
    let program = split_program(&hook.command).0;
    let starts = program.contains('$') || environment.find_program(&program).is_some();
    if response.is_right(hook) || !starts || !is_understood(hook) {
        return;
    }
    let what = format!(
        "the hook for {} should have {}; the response was: {}",
        hook.event,
        response.expected(hook),
        response.result
    );
    diagnosis.problem(what, format!("run '{}' to see its output", hook.command));
}

/// Checks the programs and flags of the hooks.
fn check_commands(found: &HookSources, environment: &Environment, diagnosis: &mut Diagnosis) {
    let mut programs: Vec<String> = found.own().map(|hook| split_program(&hook.command).0).collect();
    programs.sort();
    programs.dedup();
    for program in programs {
        match environment.find_program(&program) {
            _ if program.contains('$') => {
                diagnosis.ok(format!("the hooks run {program}, a path that Claude Code resolves"))
            }
            Some(path) => diagnosis.ok(format!("the hooks run {}", path.display())),
            None => diagnosis.problem(
                format!("the hooks run '{program}', which is not on the PATH"),
                "add phaser's directory to the PATH of Claude Code",
            ),
        }
    }
    let mut reported: Vec<&str> = Vec::new();
    for hook in found.own().filter(|hook| !is_understood(hook)) {
        if !reported.contains(&hook.command.as_str()) {
            reported.push(&hook.command);
            let what = format!("this version of phaser rejects the flags of the hook '{}'", hook.command);
            diagnosis.problem(what, "run 'phaser enforce install --force' with the hook's --scope");
        }
    }
}

/// Whether this version accepts the flags of the hook.
fn is_understood(hook: &OwnHook) -> bool {
    let words = split_program(&hook.command).1.split_whitespace();
    Cli::try_parse_from(std::iter::once("phaser").chain(words)).is_ok()
}

/// Reports events for which phaser runs twice. Claude Code runs identical commands of several settings files once, but
/// different commands and those of plugins separately.
fn check_doubles(found: &HookSources, diagnosis: &mut Diagnosis) {
    for event in ["PreToolUse", "PostToolUse", "Stop"] {
        let mut running: Vec<(&HookSource, &str)> = Vec::new();
        for place in &found.places {
            let Some(hook) = place.own.iter().find(|hook| hook.event == event) else { continue };
            let is_same = |(other, command): &(&HookSource, &str)| {
                other.plugin.is_none() && place.plugin.is_none() && *command == hook.command
            };
            if !running.iter().any(is_same) {
                running.push((place, &hook.command));
            }
        }
        if let [first, .., last] = running.as_slice() {
            let what =
                format!("phaser runs twice for each event: in {} and in {}", first.0.shown, last.0.shown);
            let fix = match running.iter().find_map(|(place, _)| place.plugin.as_ref()) {
                Some(plugin) => format!(
                    "remove one: 'phaser enforce uninstall' or 'claude plugin disable {}'",
                    plugin.name
                ),
                None => "remove one: 'phaser enforce uninstall --scope …'".to_owned(),
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
