//! `phaser fix`: applies the fixes of contracts to files of the worktree.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use anyhow::bail;
use clap::Args;

use super::args::shared::{CheckingArgs, ColorArg, FailOn};
use super::environment::Environment;
use super::project::print_gaps;
use super::{output, to_stderr};
use crate::exit::{self, Exit};
use crate::progress::Progress;
use crate::report::redact::redact;
use phaser_core::fix::{Fixer, is_fixable};
use phaser_core::skipped::Gap;
use phaser_core::violation::Violation;
use phaser_project::path::RelPath;
use phaser_project::project::{Inspection, Options, Project};
use phaser_project::report::Report;
use phaser_project::scan::{Existing, ProgressSink as _};
use phaser_project::source::{Source, Target};

mod diff;
mod file;
mod summary;

use file::{Done, Job};

/// `phaser fix`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct Fix {
    /// Fix these files and directories
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Fix the whole project
    #[arg(long, conflicts_with_all = ["paths", "staged"])]
    all: bool,

    /// Fix the staged files in the worktree; stage them again afterwards
    #[arg(long, conflicts_with = "paths")]
    staged: bool,

    /// Print a unified diff for 'git apply' and write nothing
    #[arg(long)]
    diff: bool,

    /// Print what would be fixed and write nothing
    #[arg(long, conflicts_with = "diff")]
    dry_run: bool,

    #[command(flatten)]
    checking: CheckingArgs,

    /// Also fix violations in the baseline
    #[arg(long)]
    no_baseline: bool,

    /// Lowest remaining severity that fails the run
    #[arg(long, value_enum, default_value = "error")]
    fail_on: FailOn,

    /// Exit with 1 if anything was fixed
    #[arg(long)]
    fail_on_fix: bool,

    /// Exit with 3 if a contract file is broken or anything was not checked
    #[arg(long)]
    strict: bool,

    /// Suppress notes
    #[arg(long, short)]
    quiet: bool,

    #[command(flatten)]
    color: ColorArg,
}

const EXIT_CODES: &str = "\
Examples:
  phaser fix --all --diff      show the fixes of the whole project
  phaser fix --all             apply them
  phaser fix src --only no-tabs

Exit codes:
  0  nothing at or above --fail-on is left
  1  violations at or above --fail-on are left; with --diff or --dry-run: there is something to fix
  3  phaser could not run, or could not check or write everything; never 2";

/// Runs `phaser fix`.
pub fn run(args: &Fix, environment: &Environment) -> anyhow::Result<Exit> {
    let options = Options {
        baseline: !args.no_baseline,
        existing: Some(Existing::Deny),
        ..args.checking.options(environment)?
    };
    let project = Project::load(environment.root(), options)?;
    let source = args.source(&project)?;
    let mut inspection = project.inspect(&source)?;
    let contracts = &inspection.loaded.contracts;
    if let Some((flag, what)) = args.checking.chosen.filter().unknown(contracts).first() {
        bail!("{flag}: {what}");
    }
    let visible = args.all && environment.stderr_is_terminal() && !args.quiet;
    let mut report = inspection.run(&Progress::new(visible));
    if inspection.matcher().is_none() {
        to_stderr("phaser: no contracts (add one with 'phaser init', or try '--pack all')");
        return Ok(if args.strict { Exit::Trouble } else { Exit::Clean });
    }
    let done = args.fix(&inspection, &report, &Progress::new(visible));
    args.take_over(&mut report, &done);
    redact(&mut report);
    print_gaps(&report);
    let summary = summary::FixSummary { args, environment, root: project.root(), done: &done };
    output::to_stdout(|out| summary.write(out, &report))?;
    summary.print_problems();
    Ok(args.exit(&report, &done))
}

impl Fix {
    /// The files to fix. Staged files are fixed in the worktree.
    fn source(&self, project: &Project) -> anyhow::Result<Source> {
        if self.all {
            return Ok(Source::Tree(None));
        }
        if !self.staged {
            if self.paths.is_empty() {
                bail!("nothing to fix: choose --all or --staged, or name files and directories");
            }
            return Ok(Source::Files(self.paths.clone()));
        }
        let staged = project.targets(&Source::Staged(Vec::new()), None)?;
        let paths = staged.targets.iter().map(|target| project.root().path().join(target.path.to_native()));
        Ok(Source::Files(paths.filter(|path| path.is_file()).collect()))
    }

    /// Fixes the files that have a fixable violation, one after another.
    fn fix(&self, inspection: &Inspection<'_>, report: &Report, progress: &Progress) -> Vec<Done> {
        let Some(matcher) = inspection.matcher() else { return Vec::new() };
        let filter = self.checking.chosen.filter();
        let chosen = matcher.contracts().iter().filter(|contract| filter.includes(contract));
        let chosen: HashSet<String> = chosen.map(|contract| contract.id.clone()).collect();
        let is_wanted = |one: &Violation| is_fixable(one) && chosen.contains(&one.contract.id);
        let found: Vec<_> = report.by_file().filter(|file| file.iter().any(is_wanted)).collect();
        let targets = inspection.targets.targets.iter();
        let targets: HashMap<&RelPath, &Target> = targets.map(|target| (&target.path, target)).collect();
        let fixer = Fixer::new(matcher).only(chosen);
        let (root, limit) = (inspection.project().root(), self.checking.limits.max_file_size());
        progress.start(found.len());
        let mut done = Vec::new();
        for violations in found {
            if let Some(target) = violations.first().and_then(|first| targets.get(&first.path)) {
                let job = Job { root, fixer: &fixer, target, limit, write: self.writes() };
                done.push(job.run(violations));
            }
            progress.advance();
        }
        progress.finish();
        done
    }

    /// Replaces the violations of fixed files by those that remain, and drops contracts that were not selected.
    fn take_over(&self, report: &mut Report, done: &[Done]) {
        let violations = &mut report.violations;
        if self.writes() {
            let fixed: HashMap<&RelPath, &Done> =
                done.iter().filter(|one| one.is_written()).map(|one| (&one.path, one)).collect();
            violations.retain(|one| !one.is_of_content() || !fixed.contains_key(&one.path));
            violations.extend(fixed.values().flat_map(|one| one.violations.iter().cloned()));
            violations.sort_by(|one, other| one.path.cmp(&other.path));
        }
        let filter = self.checking.chosen.filter();
        if !filter.is_empty() {
            violations.retain(|violation| filter.includes(&violation.contract));
            report.stale = None;
        }
    }

    /// Whether files are written, as opposed to previewed.
    fn writes(&self) -> bool {
        !self.diff && !self.dry_run
    }

    /// The exit code. In a preview, only violations that can be fixed count.
    fn exit(&self, report: &Report, done: &[Done]) -> Exit {
        let counted = self.fail_on.severity().filter(|_| self.writes());
        let left = exit::judge(report, counted, self.strict);
        let is_something = done.iter().any(|one| !one.applied.is_empty());
        let fixed =
            if (!self.writes() || self.fail_on_fix) && is_something { Exit::Violations } else { Exit::Clean };
        let failed = done.iter().any(|one| one.gap() == Gap::Failure);
        left.max(fixed).max(if failed { Exit::Trouble } else { Exit::Clean })
    }
}
