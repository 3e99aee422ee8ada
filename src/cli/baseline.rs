//! `phaser baseline`: records the present violations, so that only new ones count.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;

use super::args::shared::CheckingArgs;
use super::contracts::all_packs;
use super::environment::Environment;
use super::project::print_gaps;
use super::{counted, output, to_stderr};
use crate::exit::Exit;
use phaser_core::contract::Contract;
use phaser_core::matcher::{self, Directives, Matcher};
use phaser_core::skipped::Gap;
use phaser_core::violation::{State, Violation};
use phaser_project::atomic_write;
use phaser_project::baseline::{self, BaselineEntry};
use phaser_project::path::{RelPath, Root, baseline_file, real_path};
use phaser_project::project::{Inspection, Project, Recorded};
use phaser_project::report::Report;
use phaser_project::scan::change::has_change;
use phaser_project::source::Source;
use phaser_project::source::git::{self, Revisions};

/// `phaser baseline`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Baseline {
    /// Check only these files and directories
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Add new violations to the baseline
    #[arg(long)]
    add: bool,

    /// Drop entries that are gone; never adds any
    #[arg(long)]
    prune: bool,

    /// With --prune: drop approvals of changes that this revision has
    ///
    /// Default: the default branch of origin, else HEAD.
    #[arg(long, value_name = "REV", requires = "prune")]
    base: Option<String>,

    /// Print what would be written, write nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    checking: CheckingArgs,
}

const EXAMPLES: &str = "\
Examples:
  phaser baseline                                 record every current violation
  phaser baseline --prune                         drop what has been fixed
  phaser baseline --add --only no-print app/a.py  accept one exception
  phaser baseline --add --only keep-asserts       approve the staged change, or the one on disk
  phaser baseline --prune --base main             drop approvals of what main has";

/// Runs `phaser baseline`.
pub fn run(args: &Baseline, environment: &Environment) -> anyhow::Result<Exit> {
    let project = Project::load(environment.root(), args.checking.options(environment)?)?;
    let source = if args.paths.is_empty() { Source::Tree(None) } else { Source::Files(args.paths.clone()) };
    let mut inspection = project.inspect(&source)?;
    let old = match inspection.recorded() {
        Recorded::In(old) => Some(Arc::clone(old)),
        Recorded::Nowhere | Recorded::InFile => None,
    };
    let name = baseline_file(project.root());
    match (&old, args.add, args.prune) {
        (Some(_), false, false) => {
            bail!("{name} already exists ('--prune' drops entries that are gone, '--add' adds new ones)")
        }
        (None, false, true) => bail!("there is no {name} to prune ('phaser baseline' writes one)"),
        _ => {}
    }
    let mut looked = args.look(environment, &mut inspection)?;
    print_gaps(&looked.report);
    if args.add {
        let approved = args.approvals(environment, &project, &looked)?;
        looked.report.violations.extend(approved);
    }
    if let (Some(old), true) = (&old, args.prune) {
        looked.merged = args.merged(environment, &project, old, &looked)?;
    }
    if looked.report.skipped.iter().any(|skipped| skipped.why.gap() == Gap::Failure) {
        to_stderr("phaser: nothing written: not everything could be checked");
        return Ok(Exit::Trouble);
    }
    let plan = args.plan(old.as_deref(), &looked);
    if !args.dry_run && plan.changes(old.as_deref()) {
        write(project.root(), &plan)?;
    }
    output::print(&plan.summary(args, name, old.as_deref()))?;
    Ok(Exit::Clean)
}

/// A finished check.
struct Looked {
    report: Report,
    /// Ids of all contracts, including those that were not checked.
    known: HashSet<String>,
    /// Ids of the contracts about changes, whose entries are approvals.
    about_changes: HashSet<String>,
    /// Approvals of changes that are merged.
    merged: HashSet<BaselineEntry>,
    /// The named paths, relative to the root; empty for the whole project.
    below: Vec<RelPath>,
    root: Root,
}

impl Looked {
    /// Whether a path is one of the named paths, or below one.
    fn covers(&self, path: &str) -> bool {
        let is_below = |directory: &RelPath| {
            let inside = path.as_bytes().strip_prefix(directory.as_bytes());
            directory.as_bytes().is_empty()
                || inside.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
        };
        self.below.is_empty() || self.below.iter().any(is_below)
    }

    /// Whether the check covers an entry: its contract and its file were checked. In a check of some paths, deleted files are
    /// not covered either, because they may have moved elsewhere.
    fn judges(&self, entry: &BaselineEntry) -> bool {
        if self.about_changes.contains(&entry.contract) {
            return self.merged.contains(entry);
        }
        let on_disk = || self.root.path().join(&entry.path).exists();
        let was_seen = self.below.is_empty() || (self.covers(&entry.path) && on_disk());
        if !was_seen {
            return false;
        }
        let is_nobodys = !self.known.contains(&entry.contract);
        is_nobodys || self.report.has_judged(&entry.contract, &entry.path)
    }
}

impl Baseline {
    /// Checks the project with the selected contracts.
    fn look(&self, environment: &Environment, inspection: &mut Inspection<'_>) -> anyhow::Result<Looked> {
        let root = inspection.project().root().clone();
        let of_packs = all_packs();
        let contracts = &mut inspection.loaded.contracts;
        let known = contracts.iter().chain(&of_packs.contracts).map(|contract| contract.id.clone()).collect();
        let filter = self.checking.chosen.filter();
        if let Some((flag, what)) = filter.unknown(contracts).first() {
            bail!("{flag}: {what}");
        }
        let about_changes = contracts.iter().chain(&of_packs.contracts);
        let about_changes = about_changes.filter(|contract| contract.check.needs_approval());
        let about_changes = about_changes.map(|contract| contract.id.clone()).collect();
        contracts.retain(|contract| filter.includes(contract));
        let report = inspection.run(&());
        if report.no_contracts {
            bail!("no contracts to check (add one with 'phaser init', or try '--pack secrets')");
        }
        let below = self.paths.iter().map(|path| {
            let path = phaser_project::path::resolve(&environment.cwd, path)?;
            Ok(root.relative(&path))
        });
        let below = below.collect::<std::io::Result<_>>().context("a path cannot be resolved")?;
        Ok(Looked { report, known, about_changes, merged: HashSet::new(), below, root })
    }

    /// What the staged change, or else the change on disk, violates of the contracts about changes that `--only` names.
    fn approvals(
        &self,
        environment: &Environment,
        project: &Project,
        looked: &Looked,
    ) -> anyhow::Result<Vec<Violation>> {
        let filter = self.checking.chosen.filter();
        let is_named = looked.report.contracts.iter().any(|contract| contract.check.needs_approval());
        if filter.only.is_empty() || !is_named {
            return Ok(Vec::new());
        }
        let on_disk = Revisions { base: "HEAD".to_owned(), head: None };
        for source in [Source::Staged(Vec::new()), Source::Diff(on_disk)] {
            let project = Project::load(environment.root(), project.options().clone())?;
            let mut inspection = project.inspect(&source)?;
            let contracts = &mut inspection.loaded.contracts;
            contracts.retain(|contract| filter.includes(contract) && contract.check.needs_approval());
            let mut report = inspection.run(&());
            print_gaps(&report);
            report.violations.retain(|one| one.is_about_change() && looked.covers(&one.path.to_text()));
            if report.open().next().is_some() {
                return Ok(report.violations);
            }
        }
        Ok(Vec::new())
    }

    /// The approvals of changes that the base has.
    fn merged(
        &self,
        environment: &Environment,
        project: &Project,
        old: &baseline::Baseline,
        looked: &Looked,
    ) -> anyhow::Result<HashSet<BaselineEntry>> {
        let mut approvals =
            old.iter().filter(|(entry, _)| looked.about_changes.contains(&entry.contract)).peekable();
        if approvals.peek().is_none() {
            return Ok(HashSet::new());
        }
        let (root, location) = (project.root(), environment.git.clone());
        let base = match &self.base {
            Some(revision) => git::committed(root, &location, revision)?,
            None => match git::committed(root, &location, "origin/HEAD") {
                Ok(base) => base,
                Err(_) => git::committed(root, &location, "HEAD")?,
            },
        };
        let options = matcher::Options::new(project.options().timeout, Directives::Honoured);
        let mut contracts: Vec<Contract> =
            looked.report.contracts.iter().map(|contract| (**contract).clone()).collect();
        contracts.retain(|contract| contract.check.needs_approval());
        let matcher = Matcher::new(contracts, options);
        let mut merged = HashSet::new();
        for (entry, _) in approvals {
            let content = base.file(&RelPath::from(entry.path.as_str())).map_err(anyhow::Error::msg)?;
            if has_change(&matcher, entry, content.as_deref()) {
                merged.insert(entry.clone());
            }
        }
        Ok(merged)
    }

    /// The new baseline.
    fn plan(&self, old: Option<&baseline::Baseline>, looked: &Looked) -> BaselinePlan {
        let mut plan = BaselinePlan::default();
        for (entry, count) in old.into_iter().flat_map(baseline::Baseline::iter) {
            if !self.prune || !looked.judges(entry) {
                plan.entries.insert(entry.clone(), count);
            }
        }
        if let (Some(old), true) = (old, self.prune) {
            plan.keep(old, looked);
        }
        let before: u32 = old.into_iter().flat_map(baseline::Baseline::iter).map(|(_, count)| count).sum();
        plan.dropped = before.saturating_sub(plan.entries.values().sum());
        if self.add || !self.prune {
            plan.record(&looked.report);
        }
        plan
    }
}

/// The new baseline, and how it differs from the old one.
#[derive(Default)]
pub struct BaselinePlan {
    entries: BTreeMap<BaselineEntry, u32>,
    /// Number of violations recorded in addition.
    pub added: usize,
    dropped: u32,
    /// Number of violations that cannot be recorded.
    pub refused: usize,
}

impl BaselinePlan {
    /// A first baseline, of the open violations.
    pub fn first(report: &Report) -> Self {
        let mut plan = Self::default();
        plan.record(report);
        plan
    }

    /// Adds the open violations, except those of contracts with `ignorable: false`.
    fn record(&mut self, report: &Report) {
        for violation in report.open() {
            if violation.contract.ignorable {
                *self.entries.entry(BaselineEntry::of(violation)).or_default() += 1;
                self.added += 1;
            } else {
                self.refused += 1;
            }
        }
    }

    /// Keeps entries whose violations still exist, under their current path.
    fn keep(&mut self, old: &baseline::Baseline, looked: &Looked) {
        let mut still: BTreeMap<BaselineEntry, u32> = BTreeMap::new();
        let baselined = |violation: &&Violation| violation.state == State::Baselined;
        for violation in looked.report.violations.iter().filter(baselined) {
            // The entry of a file as a whole keeps the digest of its first contents.
            let entry = old.covering(violation).next().map(|at| old.entry(at).0.clone());
            *still.entry(entry.unwrap_or_else(|| BaselineEntry::of(violation))).or_default() += 1;
        }
        for (key, count) in still {
            // In a check of some paths, entries of deleted files stay as they are.
            let count = if looked.below.is_empty() { count } else { count.min(old.count(&key)) };
            if count > 0 {
                self.entries.entry(key).or_insert(count);
            }
        }
    }

    /// The file's text, unless it is too large to be read again.
    pub fn file(&self) -> anyhow::Result<String> {
        let file = baseline::write(self.entries.iter().map(|(key, count)| (key, *count)));
        match baseline::too_large(file.len()) {
            None => Ok(file),
            Some(most) => bail!(
                "the baseline would have more than {most} MB, and nothing was written: switch contracts off, or exclude \
                 files ('phaser enforce --all --statistics' shows where violations are)"
            ),
        }
    }

    /// Whether it differs from the old one.
    fn changes(&self, old: Option<&baseline::Baseline>) -> bool {
        let Some(old) = old else { return !self.entries.is_empty() };
        !old.iter().eq(self.entries.iter().map(|(entry, count)| (entry, *count)))
    }

    /// A summary of what was done and what to do next.
    fn summary(&self, args: &Baseline, name: &str, old: Option<&baseline::Baseline>) -> String {
        let total: u32 = self.entries.values().sum();
        let would = if args.dry_run { "would be " } else { "" };
        let mut summary = match old {
            None if total == 0 => "no violations: there is nothing to record\n".to_owned(),
            None => {
                let contracts: HashSet<&str> = self.entries.keys().map(|key| key.contract.as_str()).collect();
                let files: HashSet<&str> = self.entries.keys().map(|key| key.path.as_str()).collect();
                format!(
                    "{name}: {} of {} in {} {would}recorded\n",
                    counted(total as usize, "violation"),
                    counted(contracts.len(), "contract"),
                    counted(files.len(), "file")
                )
            }
            Some(_) => format!(
                "{name}: {} {would}added, {} {would}dropped; {} in all\n",
                counted(self.added, "violation"),
                self.dropped,
                total
            ),
        };
        if self.refused > 0 {
            let violations = counted(self.refused, "violation");
            summary += &format!("{violations} of contracts that allow no exceptions still count: fix them\n");
        }
        if !args.dry_run && self.changes(old) {
            summary += "commit the file: from now on only what is not in it counts\n";
        }
        summary
    }
}

fn write(root: &Root, plan: &BaselinePlan) -> anyhow::Result<()> {
    let file = plan.file()?;
    let name = baseline_file(root);
    let path = real_path(&root.path().join(name));
    let directory = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    let written = directory.and_then(|()| atomic_write::write(&path, file.as_bytes()));
    written.with_context(|| format!("{name} cannot be written"))
}
