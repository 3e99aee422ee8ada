//! Writes the report of `phaser enforce`.

use std::io::{self, Write};
use std::path::PathBuf;

use super::args::{EnforceArgs, ReportFormat};
use super::environment::Environment;
use super::project::{path_in_repository, print_ignored};
use super::{output, to_stderr};
use crate::report::counts::ViolationCounts;
use crate::report::here::Here;
use crate::report::host::RepositoryPrefix;
use crate::report::html::Provenance;
use crate::report::palette::Colour;
use crate::report::text::{Detail, TextOptions, Totals};
use crate::report::{self, text};
use phaser_core::contract::Warning;
use phaser_core::skipped::{Gap, SkipReason, Skipped};
use phaser_project::path::{BASELINE, PROJECT_CONTRACTS, RelPath, Root, baseline_file};
use phaser_project::report::Report;
use phaser_project::source::git::commit_name;

/// Number of gaps of an event that are printed one by one.
const MOST_GAPS_OF_AN_EVENT: usize = 20;

/// Where and how to write a report.
#[derive(Debug, Clone, Copy)]
pub struct ReportOutput<'a> {
    /// The arguments.
    pub args: &'a EnforceArgs,
    /// The process environment.
    pub environment: &'a Environment,
    /// The format.
    pub format: ReportFormat,
    /// The root; `None` shows paths as they are.
    pub root: Option<&'a Root>,
}

/// The provenance of a report on `revision`, by default on the worktree.
pub fn provenance(environment: &Environment, root: Option<&Root>, revision: Option<&str>) -> Provenance {
    let commit = root.and_then(|root| commit_name(root, &environment.git, revision));
    let (commit, branch) = commit.map(|commit| (commit.short_id, commit.branch)).unwrap_or_default();
    Provenance { time: Some(environment.time()), commit, branch: branch.unwrap_or_default() }
}

impl ReportOutput<'_> {
    /// Writes the report to `--output` or stdout, and text beside it.
    pub fn write(self, report: &Report) -> anyhow::Result<()> {
        let options = self.text_options();
        let text = |out: &mut dyn Write| text::write(out, report, &options);
        match (&self.args.output, self.format) {
            (Some(path), _) => {
                let path = self.environment.cwd.join(path);
                output::to_file(&path, |out| self.report(out, report))?;
                self.to_stdout(text)?;
            }
            (None, ReportFormat::Text | ReportFormat::Full) => self.to_stdout(text)?,
            (None, _) => self.to_stdout(|out| self.report(out, report))?,
        }
        match &self.environment.github_step_summary {
            Some(summary) if self.format == ReportFormat::Github => {
                output::append(summary, |out| report::github::write_summary(out, report, &self.top()))
            }
            _ => Ok(()),
        }
    }

    /// Prints warnings and gaps to stderr.
    pub fn print_gaps(self, report: &Report) {
        let here = self.here();
        for warning in &report.warnings {
            self.warning_from(&here, warning).lines().for_each(to_stderr);
        }
        if let Some(stale @ 1..) = report.stale
            && (!self.args.quiet || self.args.strict)
        {
            let entries = if stale == 1 { "1 entry is" } else { &format!("{stale} entries are") };
            let file = self.root.map_or(BASELINE, baseline_file);
            to_stderr(format_args!(
                "phaser: {file}: {entries} stale; 'phaser baseline --prune' drops what is gone"
            ));
        }
        // Thousands of stderr lines of a hook help no user.
        let most = if self.args.stdin { MOST_GAPS_OF_AN_EVENT } else { usize::MAX };
        for Skipped { path, why } in report.skipped.iter().take(most) {
            match why {
                // The reason is a sentence of its own, and the agent reports the same.
                SkipReason::NotReconstructed(_) | SkipReason::UnexpectedBinary(_)
                    if self.args.stdin && self.args.quiet => {}
                SkipReason::NotReconstructed(reason) | SkipReason::UnexpectedBinary(reason)
                    if self.args.stdin =>
                {
                    to_stderr(format_args!("phaser: not checked: {reason}"));
                }
                why if why.gap() > Gap::None => {
                    let path = if self.is_as_given(path) { path } else { &here.path(path) };
                    to_stderr(format_args!("phaser: not checked: {path}: {why}"));
                }
                _ => {}
            }
        }
        if let more @ 1.. = report.skipped.len().saturating_sub(most) {
            to_stderr(format_args!("phaser: not checked: {more} more"));
        }
        print_ignored(&report.ignored_by_git);
        for note in report.notes.iter().filter(|_| !self.args.quiet) {
            to_stderr(format_args!("phaser: {note}"));
        }
    }

    /// Whether a path was given on the command line; those are relative to the current directory already.
    fn is_as_given(self, path: &RelPath) -> bool {
        self.given().any(|given| RelPath::from_native(given) == *path)
    }

    /// The paths on the command line.
    fn given(&self) -> impl Iterator<Item = &PathBuf> {
        self.args.file.iter().chain(&self.args.paths)
    }

    /// A warning with its file relative to the current directory, if it is in the project.
    fn warning_from(self, here: &Here, warning: &Warning) -> Warning {
        let is_own = self.args.contracts_dir.is_none() && warning.file.starts_with(PROJECT_CONTRACTS);
        let mut warning = warning.clone();
        if is_own {
            warning.file = here.path(&RelPath::from_native(&warning.file)).to_text().into_owned().into();
        }
        warning
    }

    /// A hook's output must be written completely; a closed pipe ends other output quietly.
    fn to_stdout(self, report: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
        if self.args.stdin { output::answer(report) } else { output::to_stdout(report) }
    }

    fn report(self, out: &mut dyn Write, report: &Report) -> io::Result<()> {
        match self.format {
            ReportFormat::Text | ReportFormat::Hook => {
                let plain = TextOptions { detail: Detail::Plain, ..self.text_options() };
                text::write(out, report, &plain)
            }
            ReportFormat::Full => {
                let full = TextOptions { detail: Detail::Source(Colour::Off), ..self.text_options() };
                text::write(out, report, &full)
            }
            ReportFormat::Json => {
                let statistics = self.args.statistics.then(|| ViolationCounts::of(report));
                report::json::write(out, report, statistics.as_ref())
            }
            ReportFormat::Sarif => report::sarif::write(out, report, &self.top()),
            ReportFormat::Github => report::github::write(out, report, &self.top()),
            ReportFormat::Gitlab => report::gitlab::write(out, report, &self.top()),
            ReportFormat::Junit => report::junit::write(out, report, &self.top()),
            ReportFormat::Html => {
                let head = self.args.diff.as_ref().and_then(|revisions| revisions.head.as_deref());
                report::html::write(out, report, provenance(self.environment, self.root, head))
            }
        }
    }

    fn text_options(self) -> TextOptions {
        let hint = !self.args.quiet;
        let totals = match (self.args.statistics, self.args.quiet) {
            (true, _) => Totals::Always,
            (false, false) => Totals::WhenMany,
            (false, true) => Totals::Never,
        };
        TextOptions { detail: self.detail(), here: self.here(), hint, totals }
    }

    fn detail(self) -> Detail {
        let is_full = self.format == ReportFormat::Full || self.environment.stdout_is_terminal();
        match (self.args.color.on(self.environment), is_full) {
            (Colour::On, _) => Detail::Source(Colour::On),
            (Colour::Off, true) => Detail::Source(Colour::Off),
            (Colour::Off, false) => Detail::Plain,
        }
    }

    /// The project's directory within its repository.
    fn top(self) -> RepositoryPrefix {
        self.root.map(|root| RepositoryPrefix::new(&path_in_repository(root))).unwrap_or_default()
    }

    /// The current directory within the project.
    fn here(self) -> Here {
        self.root.map(|root| self.environment.here(root, self.given())).unwrap_or_default()
    }
}
