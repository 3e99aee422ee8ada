//! `phaser fix`: applies the fixes of contracts to files of the worktree.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use anyhow::bail;
use clap::Args;

use super::args::{FailOn, LimitArgs};
use super::chosen::Chosen;
use super::colour::ColorArg;
use super::environment::Environment;
use super::packs::Packs;
use super::{output, places, say};
use crate::exit::{self, Exit, Strictness};
use crate::progress::{Progress, Visible};
use crate::report::redact::redact;
use phaser_core::contract::Severity;
use phaser_core::fix::{Fixer, is_fixable};
use phaser_core::matcher::Matcher;
use phaser_core::skipped::Gap;
use phaser_core::violation::Violation;
use phaser_project::path::{RelPath, Root, RootHints, find_root};
use phaser_project::project::{BaselineUse, Options, Project};
use phaser_project::report::Report;
use phaser_project::scan::{Existing, ProgressSink as _};
use phaser_project::source::{Source, Target, Targets};

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

    #[command(flatten)]
    chosen: Chosen,

    #[command(flatten)]
    packs: Packs,

    /// Read contracts from this directory only
    #[arg(long, value_name = "PATH")]
    contracts_dir: Option<PathBuf>,

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

    #[command(flatten)]
    limits: LimitArgs,

    /// Suppress notes
    #[arg(long, short)]
    quiet: bool,

    #[command(flatten)]
    color: ColorArg,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  nothing at or above --fail-on is left
  1  violations at or above --fail-on are left; with --diff: there is something to fix
  3  phaser could not run, or could not check or write everything; never 2";

/// Runs `phaser fix`.
pub fn run(args: &Fix, environment: &Environment) -> anyhow::Result<Exit> {
    let root = find_root(RootHints { named: None, cwd: &environment.cwd, file: None });
    let project = Project::load(root, args.options(environment)?)?;
    let source = args.source(&project)?;
    let mut inspection = project.inspect(&source)?;
    if let Some((flag, what)) = args.chosen.filter().unknown(&inspection.loaded.contracts).first() {
        bail!("{flag}: {what}");
    }
    let bar = args.all && environment.stderr_is_terminal() && !args.quiet;
    let visible = if bar { Visible::Yes } else { Visible::No };
    let mut report = inspection.run(&Progress::new(visible));
    let Some(matcher) = inspection.matcher() else {
        say("phaser: no contracts (add one with 'phaser init', or try '--pack all')");
        return Ok(if args.strict { Exit::Trouble } else { Exit::Clean });
    };
    let (root, targets) = (project.root(), &inspection.targets);
    let done = args.fix(&Looked { root, matcher, targets, visible }, &report);
    args.take_over(&mut report, &done);
    redact(&mut report);
    summary::print_gaps(&report);
    let summary = summary::FixSummary { args, environment, root, done: &done };
    output::to_stdout(|out| summary.write(out, &report))?;
    summary.print_problems();
    Ok(args.exit(&report, &done))
}

/// The checked files and the matcher to fix them with.
struct Looked<'a> {
    root: &'a Root,
    matcher: &'a Matcher,
    targets: &'a Targets,
    visible: Visible,
}

impl Fix {
    fn options(&self, environment: &Environment) -> anyhow::Result<Options> {
        Ok(Options {
            locations: places::extra(self.contracts_dir.as_deref(), &self.packs, environment)?,
            baseline: if self.no_baseline { BaselineUse::Ignore } else { BaselineUse::Apply },
            existing: Some(Existing::Deny),
            cwd: Some(environment.cwd.clone()),
            git: Some(environment.git.clone()),
            ..self.limits.options()
        })
    }

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
    fn fix(&self, looked: &Looked<'_>, report: &Report) -> Vec<Done> {
        let filter = self.chosen.filter();
        let chosen = looked.matcher.contracts().iter().filter(|contract| filter.includes(contract));
        let chosen: HashSet<String> = chosen.map(|contract| contract.id.clone()).collect();
        let is_wanted = |one: &Violation| is_fixable(one) && chosen.contains(&one.contract.id);
        let found: Vec<_> = report.by_file().filter(|file| file.iter().any(is_wanted)).collect();
        let targets: HashMap<&RelPath, &Target> =
            looked.targets.targets.iter().map(|target| (&target.path, target)).collect();
        let fixer = Fixer::new(looked.matcher).only(chosen);
        let progress = Progress::new(looked.visible);
        progress.start(found.len());
        let mut done = Vec::new();
        for violations in found {
            if let Some(target) = violations.first().and_then(|first| targets.get(&first.path)) {
                let job =
                    Job { root: looked.root, fixer: &fixer, target, limit: self.limits.max_file_size() };
                done.push(job.run(violations, if self.diff { file::Write::No } else { file::Write::Yes }));
            }
            progress.advance();
        }
        progress.finish();
        done
    }

    /// Replaces the violations of fixed files by those that remain, and drops contracts that were not selected.
    fn take_over(&self, report: &mut Report, done: &[Done]) {
        let violations = &mut report.violations;
        if !self.diff {
            let fixed: HashMap<&RelPath, &Done> =
                done.iter().filter(|one| one.is_written()).map(|one| (&one.path, one)).collect();
            violations.retain(|violation| !fixed.contains_key(&violation.path));
            violations.extend(fixed.values().flat_map(|one| one.violations.iter().cloned()));
            violations.sort_by(|one, other| one.path.cmp(&other.path));
        }
        let filter = self.chosen.filter();
        if !filter.is_empty() {
            violations.retain(|violation| filter.includes(&violation.contract));
            report.stale = None;
        }
    }

    fn exit(&self, report: &Report, done: &[Done]) -> Exit {
        let fail_on = match self.fail_on {
            FailOn::Error => Some(Severity::Error),
            FailOn::Warning => Some(Severity::Warning),
            FailOn::Never => None,
        };
        let strictness = if self.strict { Strictness::Strict } else { Strictness::Normal };
        let left = exit::judge(report, fail_on, strictness);
        let is_something = done.iter().any(|one| !one.applied.is_empty());
        let fixed =
            if (self.diff || self.fail_on_fix) && is_something { Exit::Violations } else { Exit::Clean };
        let failed = done.iter().any(|one| one.gap() == Gap::Failure);
        left.max(fixed).max(if failed { Exit::Trouble } else { Exit::Clean })
    }
}
