//! `phaser history`: violations of past commits, counted with the contracts of today.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clap::{Args, ValueEnum};

use super::args::shared::{CheckingArgs, ColorArg, commits};
use super::environment::Environment;
use super::project::print_warnings;
use super::show::provenance;
use super::{output, to_stderr};
use crate::exit::Exit;
use crate::progress::Progress;
use crate::report::history;
use crate::report::palette::Palette;
use crate::report::redact::redact;
use phaser_project::history::{Unchecked, ViolationHistory, count};
use phaser_project::path::Root;
use phaser_project::project::{Options, Project};
use phaser_project::report::Report;
use phaser_project::scan::{self, Existing};
use phaser_project::source::Source;
use phaser_project::source::git::history::{CommitSelection, Every, HistoryReach, past, seconds_of};

/// Number of gaps that are printed one by one.
const MOST_GAPS: usize = 20;

/// `phaser history`.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct History {
    /// Start at this date, such as 2026-01-31 or '6 weeks ago'
    /// [default: the year before the newest commit]
    #[arg(long, value_name = "DATE", value_parser = since, conflicts_with = "commits")]
    since: Option<i64>,

    /// Use the last N commits
    #[arg(long, value_name = "N", value_parser = commits)]
    commits: Option<usize>,

    /// Sample every Nth commit, or the last of each day or week
    #[arg(long, value_name = "N|day|week", default_value = "week", value_parser = every)]
    every: Every,

    /// Output format [default: by the extension of --output, otherwise text]
    #[arg(long, value_enum)]
    format: Option<Format>,

    /// Write to this file instead of stdout; .json and .html select the format
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    checking: CheckingArgs,

    #[command(flatten)]
    color: ColorArg,

    /// Suppress notes
    #[arg(long, short)]
    quiet: bool,
}

const AFTER: &str = "\
Applies the contracts on disk to the first-parent history of HEAD. Ignore directives apply, the
baseline does not. Checks nothing out and writes nothing.

Exit codes:
  0  it ran
  3  phaser could not run, or could not read everything";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Html,
}

impl Format {
    /// The format for a file name.
    fn of_file(path: &Path) -> Self {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("json") => Self::Json,
            Some("html" | "htm") => Self::Html,
            _ => Self::Text,
        }
    }
}

fn since(text: &str) -> Result<i64, String> {
    seconds_of(text, SystemTime::now())
}

fn every(text: &str) -> Result<Every, String> {
    match text {
        "day" => Ok(Every::Day),
        "week" => Ok(Every::Week),
        number => commits(number)
            .map(Every::Commits)
            .map_err(|_| "write a number of commits from 1 on, day or week".to_owned()),
    }
}

/// Runs `phaser history`.
pub fn run(args: &History, environment: &Environment) -> anyhow::Result<Exit> {
    let options = Options {
        filter: args.checking.chosen.filter(),
        baseline: false,
        existing: Some(Existing::Deny),
        ..args.checking.options(environment)?
    };
    let project = Project::load(environment.root(), options)?;
    let past = past(project.root(), &environment.git, args.wanted(), project.threads())?;
    let source = Source::Tree(None);
    let mut inspection = project.inspect(&source)?;
    let scanning = scan::ScanOptions { threads: project.threads(), ..inspection.scanning() };
    let visible = environment.stderr_is_terminal() && !args.quiet;
    let (today, warnings) = match args.format() {
        Format::Html => {
            let mut today = inspection.run(&Progress::new(visible));
            redact(&mut today);
            let warnings = today.warnings.clone();
            (Some(today), warnings)
        }
        Format::Text | Format::Json => (None, inspection.compile()),
    };
    print_warnings(&warnings);
    // Without contracts the run has built no matcher.
    if inspection.matcher().is_none_or(|matcher| matcher.contracts().is_empty()) {
        to_stderr("phaser: no contracts (add one with 'phaser init', or try '--pack secrets')");
        inspection.compile();
    }
    let Some(matcher) = inspection.matcher() else { return Ok(Exit::Trouble) };
    let counted = count(matcher, past, scanning, &Progress::of("versions of files", visible));
    args.say_gaps(&counted);
    args.write(environment, project.root(), &counted, today.as_ref())?;
    Ok(if counted.has_failed() { Exit::Trouble } else { Exit::Clean })
}

impl History {
    /// The selected commits.
    fn wanted(&self) -> CommitSelection {
        let reach = match (self.since, self.commits) {
            (Some(since), _) => HistoryReach::Since(since),
            (None, Some(commits)) => HistoryReach::Commits(commits),
            (None, None) => HistoryReach::Year,
        };
        CommitSelection { reach, every: self.every }
    }

    fn format(&self) -> Format {
        let of_file = || self.output.as_deref().map_or(Format::Text, Format::of_file);
        self.format.unwrap_or_else(of_file)
    }

    /// Prints gaps, and where the history ends early.
    fn say_gaps(&self, counted: &ViolationHistory) {
        if counted.samples.is_empty() {
            to_stderr("phaser: there is no commit since then: name an earlier time with --since");
        }
        for note in counted.notes.iter().filter(|note| !self.quiet || note.is_end()) {
            to_stderr(format_args!("phaser: {note}"));
        }
        for (path, Unchecked { why, versions }) in counted.gaps.iter().take(MOST_GAPS) {
            let versions = match versions {
                1 => String::new(),
                versions => format!(" ({versions} versions of it)"),
            };
            to_stderr(format_args!("phaser: not checked: {path}: {why}{versions}"));
        }
        if let more @ 1.. = counted.gaps.len().saturating_sub(MOST_GAPS) {
            to_stderr(format_args!("phaser: not checked: {more} more files"));
        }
        if let (Some(first), false) = (counted.pointers.first(), self.quiet) {
            let count = counted.pointers.len();
            let files = if count == 1 { "file is a pointer" } else { "files are pointers" };
            to_stderr(format_args!(
                "phaser: {count} {files} of Git LFS, of which the text is not in the repository: {first}{}",
                if count == 1 { "" } else { ", …" }
            ));
        }
    }

    /// Writes the report to `--output` or stdout.
    fn write(
        &self,
        environment: &Environment,
        root: &Root,
        counted: &ViolationHistory,
        today: Option<&Report>,
    ) -> anyhow::Result<()> {
        let palette = self.color.palette(environment);
        let provenance = || provenance(environment, Some(root), None);
        let report = |out: &mut dyn Write, palette: Palette| match (self.format(), today) {
            (Format::Json, _) => history::write_json(out, counted),
            (Format::Html, Some(today)) => history::write_html(out, counted, today, provenance()),
            (Format::Html, None) | (Format::Text, _) => history::write_text(out, counted, palette),
        };
        match &self.output {
            Some(path) => {
                output::to_file(&environment.cwd.join(path), |out| report(out, Palette::PLAIN))?;
                output::to_stdout(|out| history::write_text(out, counted, palette))
            }
            None => output::to_stdout(|out| report(out, palette)),
        }
    }
}
