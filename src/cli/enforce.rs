//! `phaser enforce`: from the arguments to a source, through the one scan, to a report and an exit code.

use std::collections::HashMap;
use std::io::{self, Write};

use anyhow::Context;

use super::args::{Check, Color, Enforce, EnforceCommand, Format, Mode};
use super::environment::Environment;
use super::stopwatch::Stopwatch;
use super::{install, output, places, say};
use crate::contract::load::{self, Directory, Loaded};
use crate::contract::{Contract, Warning};
use crate::deadline::Deadline;
use crate::exit::{self, Exit, Strictness};
use crate::hook::{Request, Response};
use crate::matcher::limits::{FILE_TIME, HOOK_TIME, Limits};
use crate::matcher::{self, Matcher};
use crate::outcome::Outcome;
use crate::path::{RelPath, Root, RootHints, find_root};
use crate::progress::{Progress, Visible};
use crate::report;
use crate::report::host::Top;
use crate::report::stats::Phase;
use crate::report::text::{Colour, Detail};
use crate::scan::{self, scan};
use crate::settle::settle;
use crate::skipped::{Gap, Skipped, Why};
use crate::source::git::Staged;
use crate::source::proposal::{MAX_PATH, Moment, Proposal, Subject};
use crate::source::{Coverage, Target, Targets, files, git, tree};

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
    let mut run = Run { args, environment, format, stopwatch, deadline: Deadline::NEVER };
    let Environment { cwd, git, .. } = environment;
    let exit = match mode {
        Mode::Stdin => run.event(),
        Mode::Files(paths) => run.project(|root| Ok(files::files(root, cwd, &paths))),
        Mode::All => run.project(|root| {
            let targets = tree::tree(root, Some(cwd), args.threads());
            Ok(match args.shard {
                Some(shard) => shard.of(targets),
                None => targets,
            })
        }),
        Mode::Staged(paths) => run.project(|root| {
            let wanted = if paths.is_empty() { Staged::Changed } else { Staged::Named(&paths) };
            Ok(git::staged(root, git, wanted, args.renames())?)
        }),
        Mode::Diff(revisions) => run.project(|root| Ok(git::changed(root, git, &revisions, args.renames())?)),
    }?;
    run.stopwatch.end(Phase::ReportWritten);
    run.stopwatch.say();
    Ok(exit)
}

/// One run of the command.
struct Run<'a> {
    args: &'a Check,
    environment: &'a Environment,
    format: Format,
    stopwatch: Stopwatch,
    /// When everything must have ended.
    deadline: Deadline,
}

impl Run<'_> {
    /// Checks targets of the project, and fails on violations.
    fn project(&mut self, targets: impl FnOnce(&Root) -> anyhow::Result<Targets>) -> anyhow::Result<Exit> {
        let root = find_root(RootHints { named: None, cwd: &self.environment.cwd, file: None });
        let directories = self.directories(&root)?;
        let mut loaded = load::load(&directories, matcher::broken);
        self.args.packs.add_without_examples_to(&mut loaded);
        let switched_off = loaded.contracts.len();
        let contracts = enabled(&mut loaded);
        let none = contracts.is_empty();
        self.stopwatch.end(Phase::ContractsRead);
        let targets = targets(&root)?;
        self.stopwatch.end(Phase::FilesListed);
        let outcome = if none {
            let Targets { skipped, .. } = targets;
            Outcome { warnings: loaded.warnings, skipped, ..Outcome::default() }
        } else {
            self.check(contracts, loaded, targets)
        };
        self.say_gaps(&outcome);
        if none {
            self.say_no_contracts(&directories, switched_off);
        }
        self.show(&outcome, &top(&root))?;
        let strictness = self.args.strictness();
        if none && strictness == Strictness::Strict {
            return Ok(Exit::Trouble);
        }
        Ok(exit::judge(&outcome, self.args.fail_on(), strictness))
    }

    /// Answers one hook event; only trouble makes it fail.
    fn event(&mut self) -> anyhow::Result<Exit> {
        let request = Request::read(io::stdin().lock()).context("standard input")?;
        self.stopwatch.end(Phase::EventRead);
        self.deadline = Deadline::after(HOOK_TIME.max(self.args.timeout()));
        let cwd = request.cwd().filter(|cwd| cwd.len() <= MAX_PATH);
        let cwd = cwd.map_or_else(|| self.environment.cwd.clone(), |cwd| self.environment.cwd.join(cwd));
        let subject = match Subject::of(&request, &cwd) {
            Ok(subject) => subject,
            Err(proposal) => return self.answer_nothing(&proposal),
        };
        let root = find_root(RootHints {
            named: self.environment.claude_project_dir.as_deref(),
            cwd: &cwd,
            file: Some(subject.path.as_path()).filter(|_| !subject.is_too_long()),
        });
        let mut loaded = load::load_until(&self.directories(&root)?, matcher::broken, self.deadline);
        self.args.packs.add_without_examples_to(&mut loaded);
        let mut contracts = enabled(&mut loaded);
        self.stopwatch.end(Phase::ContractsRead);
        if contracts.is_empty() {
            self.say_warnings(&loaded.warnings);
            return self.answer(&Response::empty(), &Outcome::default());
        }
        if subject.is_too_long() {
            let path = RelPath::from(subject.given.chars().take(100).collect::<String>().as_str());
            let why = Why::Unreadable(format!("its path is longer than {MAX_PATH} bytes"));
            let outcome = Outcome { skipped: vec![Skipped { path, why }], ..Outcome::default() };
            return self.answer(&report::hook::too_long(subject.moment), &outcome);
        }
        if subject.climbs() {
            let path = RelPath::from(subject.given.as_str());
            let skipped = vec![Skipped { path, why: Why::ParentComponent }];
            let response = report::hook::climbing(&subject.given, subject.moment);
            return self.answer(&response, &Outcome { skipped, ..Outcome::default() });
        }
        let proposal = subject.proposal(&request, &root, self.args.max_file_size);
        let (Proposal::File(target) | Proposal::PathOnly(target, _)) = &proposal else {
            self.say_warnings(&loaded.warnings);
            return self.answer_nothing(&proposal);
        };
        self.keep_applicable(&mut contracts, target);
        self.stopwatch.end(Phase::FilesListed);
        self.event_outcome(contracts, loaded, (proposal, subject.moment))
    }

    /// Keeps the contracts that apply to the target, and those that there is no time to find it out for.
    fn keep_applicable(&self, contracts: &mut Vec<Contract>, target: &Target) {
        let mut by_glob: HashMap<String, bool> = HashMap::new();
        contracts.retain(|contract| {
            if let Some(&applies) = by_glob.get(contract.glob.as_str()) {
                return applies;
            }
            let applies =
                self.deadline.has_passed() || contract.applies_to(&target.path, target.alias.as_ref());
            by_glob.insert(contract.glob.as_str().to_owned(), applies);
            applies
        });
    }

    fn event_outcome(
        &mut self,
        contracts: Vec<Contract>,
        loaded: Loaded,
        (proposal, moment): (Proposal, Moment),
    ) -> anyhow::Result<Exit> {
        let unchecked = match &proposal {
            Proposal::PathOnly(_, reason) => Some(reason.clone()),
            Proposal::File(_) | Proposal::Skip(_) | Proposal::Nothing => None,
        };
        let outcome = self.check(contracts, loaded, proposal.targets());
        self.say_gaps(&outcome);
        if self.format != Format::Hook {
            self.show(&outcome, &Top::default())?;
            return Ok(Exit::Clean);
        }
        match unchecked {
            Some(reason) if outcome.open().next().is_none() => self.answer_nothing(&Proposal::Skip(reason)),
            _ => {
                let on_clean = self.args.on_clean.into();
                self.answer(&report::hook::response(&outcome, moment, on_clean), &outcome)
            }
        }
    }

    /// The one pipeline: contracts and targets in, an outcome out.
    fn check(&mut self, mut contracts: Vec<Contract>, loaded: Loaded, mut targets: Targets) -> Outcome {
        contracts.retain(|contract| self.args.wants(contract.severity));
        let options = matcher::Options {
            timeout: self.args.timeout(),
            directives: self.args.directives(),
            limits: Limits {
                deadline: self.deadline,
                file_time: FILE_TIME.max(self.args.timeout()),
                ..Limits::default()
            },
        };
        let (matcher, mut warnings) = match targets.few_texts(self.args.max_file_size) {
            Some(texts) => Matcher::for_texts(contracts, options, &texts),
            None => Matcher::new(contracts, options),
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
        self.stopwatch.end(Phase::FilesScanned);
        self.stopwatch.keep(&matcher, &mut outcome);
        outcome.warnings = loaded.warnings;
        outcome.warnings.append(&mut warnings);
        outcome.warnings.sort();
        outcome
    }

    /// Where contracts come from. Those in the current directory are opened from there: each directory on the way to a
    /// file costs time, and there may be many files.
    fn directories(&self, root: &Root) -> anyhow::Result<Vec<Directory>> {
        let mut directories =
            places::directories(self.args.contracts_dir.as_deref(), root, self.environment)?;
        // The top of the file system may stand for a directory that is gone.
        let cwd = Some(&self.environment.cwd).filter(|cwd| cwd.parent().is_some());
        for Directory { path, .. } in &mut directories {
            match cwd.map(|cwd| path.strip_prefix(cwd)) {
                Some(Ok(inside)) if !inside.as_os_str().is_empty() => *path = inside.to_owned(),
                _ => {}
            }
        }
        Ok(directories)
    }

    /// Answers that there is nothing to check, and why.
    fn answer_nothing(&self, proposal: &Proposal) -> anyhow::Result<Exit> {
        if let (Proposal::Skip(reason), false) = (proposal, self.args.quiet) {
            say(format_args!("phaser: not checked: {reason}"));
        }
        self.answer(&Response::empty(), &Outcome::default())
    }

    /// Writes the answer to a hook event, or its outcome in another format.
    fn answer(&self, response: &Response, outcome: &Outcome) -> anyhow::Result<Exit> {
        match self.format {
            Format::Hook => output::to_stdout(|out| report::hook::write(out, response))?,
            _ => self.show(outcome, &Top::default())?,
        }
        Ok(Exit::Clean)
    }

    /// Shows the outcome where it is wanted.
    fn show(&self, outcome: &Outcome, top: &Top) -> anyhow::Result<()> {
        let text = |out: &mut dyn Write| report::text::write(out, outcome, self.detail());
        let report = |out: &mut dyn Write| match self.format {
            Format::Text | Format::Hook => report::text::write(out, outcome, Detail::Plain),
            Format::Json => report::json::write(out, outcome),
            Format::Sarif => report::sarif::write(out, outcome, top),
            Format::Github => report::github::write(out, outcome, top),
            Format::Gitlab => report::gitlab::write(out, outcome, top),
            Format::Junit => report::junit::write(out, outcome, top),
        };
        match (&self.args.output, self.format) {
            (Some(path), _) => {
                output::to_file(&self.environment.cwd.join(path), report)?;
                output::to_stdout(text)?;
            }
            (None, Format::Text) => output::to_stdout(text)?,
            (None, _) => output::to_stdout(report)?,
        }
        match &self.environment.github_step_summary {
            Some(summary) if self.format == Format::Github => {
                output::append(summary, |out| report::github::write_summary(out, outcome, top))
            }
            _ => Ok(()),
        }
    }

    fn detail(&self) -> Detail {
        let terminal = self.environment.stdout_is_terminal();
        let colour = match self.args.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => self.environment.colour().unwrap_or(terminal),
        };
        match (terminal, colour) {
            (_, true) => Detail::Source(Colour::On),
            (true, false) => Detail::Source(Colour::Off),
            (false, false) => Detail::Plain,
        }
    }

    /// Says what is wrong with contract files, and what was not checked.
    fn say_gaps(&self, outcome: &Outcome) {
        self.say_warnings(&outcome.warnings);
        for skipped in outcome.skipped.iter().filter(|skipped| skipped.why.gap() > Gap::None) {
            say(format_args!("phaser: not checked: {}: {}", skipped.path, skipped.why));
        }
    }

    fn say_warnings(&self, warnings: &[Warning]) {
        for warning in warnings {
            say(warning);
        }
    }

    fn say_no_contracts(&self, directories: &[Directory], switched_off: usize) {
        if self.args.quiet {
            return;
        }
        let no = if switched_off == 0 { "no contracts" } else { "no contracts that are switched on" };
        let places: Vec<_> =
            directories.iter().map(|directory| directory.shown.display().to_string()).collect();
        let places = places.join(" or ");
        say(format_args!("phaser: {no} in {places}: add one with 'phaser init', or try '--pack secrets'"));
    }
}

/// Where the project lies in its repository.
fn top(root: &Root) -> Top {
    let repository = root.path().ancestors().find(|directory| directory.join(".git").exists());
    let inside = repository.and_then(|repository| root.path().strip_prefix(repository).ok());
    inside.map_or_else(Top::default, |inside| Top::new(&RelPath::from_native(inside)))
}

/// The contracts that are switched on.
fn enabled(loaded: &mut Loaded) -> Vec<Contract> {
    std::mem::take(&mut loaded.contracts).into_iter().filter(|contract| contract.enabled).collect()
}
