//! `phaser doctor`: is everything in place for phaser to guard this project, and if not, what to do.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;
use clap::{Args, Parser as _};
use serde_json::{Value, json};

use super::colour::ColorArg;
use super::contracts::threads;
use super::environment::Environment;
use super::install::{settings_file, show};
use super::output::print;
use super::packs::Packs;
use super::{Cli, places};
use crate::contract::layers::{Layer, Loading};
use crate::contract::{Contract, compiled};
use crate::exit::Exit;
use crate::matcher;
use crate::path::{PROJECT_CONTRACTS, RootHints, find_root};
use crate::project;
use crate::project::load::{Load, Loaded, Settings};
use crate::report::inert;
use crate::report::palette::{Palette, Style};
use crate::settings::command::split_program;
use crate::settings::file::{self, FileError, Scope};
use crate::settings::{OwnHook, Survey, survey};
use crate::source::tree;

/// `phaser doctor`.
#[derive(Debug, Args)]
pub struct Doctor {
    #[command(flatten)]
    color: ColorArg,
}

/// Runs `phaser doctor`: 0 when everything is well, otherwise 1.
pub fn run(args: &Doctor, environment: &Environment) -> anyhow::Result<Exit> {
    let mut report = Report::new(args.color.palette(environment));
    let found = check_settings(environment, &mut report);
    check_commands(&found.own, environment, &mut report);
    report.calls = calls(&found, environment);
    check_contracts(environment, &mut report)?;
    match try_out() {
        Ok(()) => report
            .ok("this phaser works: in a project made for it, a test edit was denied and another allowed"),
        Err(error) => {
            report.calls = report.calls.min(Calls::Fail);
            report.problem(format!("a test edit went wrong: {error:#}"), "install phaser again");
        }
    }
    let style = if report.problems == 0 { report.palette.good() } else { report.palette.bad() };
    print(&format!("{}\n{style}result{style:#}   {}\n", report.text, report.result()))?;
    Ok(if report.problems == 0 { Exit::Clean } else { Exit::Violations })
}

/// What was looked at, line by line, and what follows from it.
struct Report {
    palette: Palette,
    text: String,
    problems: usize,
    calls: Calls,
    contracts: usize,
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

impl Report {
    fn new(palette: Palette) -> Self {
        Self { palette, text: String::new(), problems: 0, calls: Calls::default(), contracts: 0 }
    }

    /// What all of it means for the project.
    fn result(&self) -> String {
        let call = match self.calls {
            Calls::Missing => Some("no hook calls phaser before an edit"),
            Calls::Fail => Some("the hook does not work"),
            Calls::Arrive => None,
        };
        match (call, self.contracts, self.problems) {
            (None, 0, _) => "nothing is guarded: there are no contracts".to_owned(),
            (Some(call), 0, _) => format!("nothing is guarded: there are no contracts, and {call}"),
            (Some(call), _, _) => format!("edits in Claude Code are not guarded: {call}"),
            (None, _, 0) => "edits in Claude Code are guarded".to_owned(),
            (None, _, 1) => "edits in Claude Code are guarded, with 1 problem to mend".to_owned(),
            (None, _, count) => format!("edits in Claude Code are guarded, with {count} problems to mend"),
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

    fn line(&mut self, mark: Mark, what: &str) {
        let Mark { text, style } = mark;
        writeln!(self.text, "{style}{text}{style:#}{}", inert(what))
            .expect("writing to a string cannot fail");
    }
}

/// Looks at the settings of every scope, and gives what they say together.
fn check_settings(environment: &Environment, report: &mut Report) -> Survey {
    let mut found = Survey { own: Vec::new(), all_disabled: false };
    for scope in Scope::ALL {
        let Some(path) = settings_file(scope, environment) else { continue };
        let shown = show(&path, environment);
        match read_survey(&path) {
            Ok(Survey { own, all_disabled }) => {
                found.all_disabled |= all_disabled;
                if all_disabled {
                    let fix = format!("set 'disableAllHooks' to false in {shown}");
                    report.problem(format!("{shown} turns every hook off"), fix);
                }
                if !own.is_empty() {
                    let events: Vec<_> = own.iter().map(|hook| hook.event.as_str()).collect();
                    report.ok(format!("{shown} has phaser's hooks for {}", events.join(" and ")));
                }
                found.own.extend(own);
            }
            Err(error) => {
                let fix = "mend the file; Claude Code passes over all of it as it is";
                report.problem(format!("{error:#}"), fix);
            }
        }
    }
    let is_missing = |event: &&str| !found.own.iter().any(|hook| hook.event == *event);
    let missing: Vec<_> = ["PreToolUse", "PostToolUse"].into_iter().filter(is_missing).collect();
    if !missing.is_empty() {
        let what = format!("no settings have a hook of phaser's for {}", missing.join(" and "));
        report.problem(what, "run 'phaser enforce install'");
    }
    found
}

fn read_survey(path: &Path) -> anyhow::Result<Survey> {
    let refused = |refused| FileError::Settings { path: path.to_owned(), refused };
    Ok(survey(&file::read(path)?).map_err(refused)?)
}

/// Can the hooks start phaser, and does it understand them?
fn check_commands(hooks: &[OwnHook], environment: &Environment, report: &mut Report) {
    let mut programs: Vec<String> = hooks.iter().map(|hook| split_program(&hook.command).0).collect();
    programs.sort();
    programs.dedup();
    for program in programs {
        match environment.find_program(&program) {
            _ if program.contains('$') => {
                report.ok(format!("the hooks start {program}; only the client knows where"))
            }
            Some(path) => report.ok(format!("the hooks start {}", path.display())),
            None => report.problem(
                format!("the hooks start '{program}', which is not on the PATH"),
                "put the directory of phaser on the PATH that Claude Code is started with",
            ),
        }
    }
    for hook in hooks {
        if !is_understood(hook) {
            let what = format!("this phaser does not understand the hook '{}'", hook.command);
            report.problem(what, "run 'phaser enforce install --force' in the scope it stands in");
        }
    }
}

/// Does this phaser understand the arguments of the hook?
fn is_understood(hook: &OwnHook) -> bool {
    let words = split_program(&hook.command).1.split_whitespace();
    Cli::try_parse_from(std::iter::once("phaser").chain(words)).is_ok()
}

/// Does a call arrive before an edit?
fn calls(found: &Survey, environment: &Environment) -> Calls {
    let before: Vec<_> = found.own.iter().filter(|hook| hook.event == "PreToolUse").collect();
    let works = |hook: &&OwnHook| {
        let program = split_program(&hook.command).0;
        is_understood(hook) && (program.contains('$') || environment.find_program(&program).is_some())
    };
    match before.is_empty() {
        true => Calls::Missing,
        false if found.all_disabled || !before.iter().any(works) => Calls::Fail,
        false => Calls::Arrive,
    }
}

/// Which contracts load, and which do not?
fn check_contracts(environment: &Environment, report: &mut Report) -> anyhow::Result<()> {
    let named = environment.claude_project_dir.as_deref();
    let root = find_root(RootHints { named, cwd: &environment.cwd, file: None });
    let extra = places::extra(None, &Packs::default(), environment)?;
    let targets = tree::tree(&root, &environment.git, threads());
    let folders = project::folders(&root, &targets);
    let load = Load { root: &root, extra: &extra, folders: &folders, settings: Settings::OnDisk, cwd: None };
    let Loaded { layers: loaded, from, configs, mistakes } = load.run(Loading::to_enforce(matcher::broken));
    for placed in &configs {
        report.ok(format!("{} is in order", placed.file.display()));
    }
    for mistake in &mistakes {
        report.problem(mistake.to_string(), "mend that line; until then the configuration does not count");
    }
    for pack in from.iter().filter_map(Layer::pack) {
        report.ok(format!("the pack {} is in use", pack.name));
    }
    for directory in from.iter().filter_map(Layer::directory) {
        let here = loaded.contracts.iter().filter(|one| one.origin.file.starts_with(&directory.shown));
        let here: Vec<&Contract> = here.collect();
        if !here.is_empty() {
            report.ok(format!("{} has {}", directory.shown.display(), named_or_counted(&here)));
        }
        if let Some((fresh, all)) = compiled::fresh(directory) {
            let shown = directory.shown.display();
            report.ok(if fresh == all {
                format!("{shown} is compiled")
            } else {
                let stale = all - fresh;
                format!(
                    "{shown} is compiled, but for {stale} of {all} files (run 'phaser contracts compile')"
                )
            });
        }
    }
    loaded.notes().for_each(|note| report.ok(note));
    let enabled = loaded.contracts.iter().filter(|contract| contract.enabled);
    for warning in loaded.warnings.iter().cloned().chain(enabled.filter_map(matcher::broken)) {
        let fix = "mend that line; until then the contract does not do what it should";
        report.problem_at(warning.to_string(), warning.excerpt.as_ref(), fix);
    }
    report.contracts = loaded.contracts.iter().filter(|contract| contract.enabled).count();
    if report.contracts == 0 {
        report.problem("there are no contracts that could be violated", "run 'phaser init'");
    }
    Ok(())
}

/// The contracts by their names, or how many there are when that would be too long to read.
fn named_or_counted(contracts: &[&Contract]) -> String {
    let disabled = contracts.iter().filter(|contract| !contract.enabled).count();
    match (contracts.len(), disabled) {
        (count, 0) if count > MOST_NAMES => format!("{count} contracts"),
        (count, disabled) if count > MOST_NAMES => format!("{count} contracts, {disabled} of them disabled"),
        _ => {
            let name = |contract: &&Contract| {
                let state = if contract.enabled { "" } else { " (disabled)" };
                format!("{}{state}", contract.id)
            };
            contracts.iter().map(name).collect::<Vec<_>>().join(", ")
        }
    }
}

/// So many contracts are named; more are counted.
const MOST_NAMES: usize = 10;

const TEST_CONTRACT: &str = "\
rule_id: doctor
type: forbid_pattern
pattern: forbidden
file_glob: '**'
message: a test
severity: error
";

/// Puts two edits to this very program, as the client would, in a project made for that.
fn try_out() -> anyhow::Result<()> {
    let project = tempfile::tempdir().context("no temporary directory can be made")?;
    let contracts = project.path().join(PROJECT_CONTRACTS);
    std::fs::create_dir_all(&contracts)?;
    std::fs::write(contracts.join("doctor.yaml"), TEST_CONTRACT)?;
    for (content, expected) in [("forbidden\n", "deny"), ("fine\n", "allow")] {
        let answer = ask(project.path(), content)?;
        let decision = &answer["hookSpecificOutput"]["permissionDecision"];
        anyhow::ensure!(decision == expected, "expected {expected}, and the answer was {answer}");
    }
    Ok(())
}

/// What phaser answers to the writing of a file with this content.
fn ask(project: &Path, content: &str) -> anyhow::Result<Value> {
    let program: PathBuf = std::env::current_exe().context("the path of this program is not known")?;
    let event = json!({
        "hook_event_name": "PreToolUse", "cwd": project, "tool_name": "Write",
        "tool_input": {"file_path": project.join("test.txt"), "content": content},
    });
    let mut child = Command::new(&program)
        .args(["enforce", "--stdin", "--severity", "error"])
        .current_dir(project)
        .env("HOME", project)
        .env_remove("CLAUDE_PROJECT_DIR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("{} does not start", program.display()))?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(event.to_string().as_bytes())?;
    }
    let output = child.wait_with_output()?;
    anyhow::ensure!(output.status.success(), "{} ended with {}", program.display(), output.status);
    serde_json::from_slice(&output.stdout).context("the answer is not JSON")
}
