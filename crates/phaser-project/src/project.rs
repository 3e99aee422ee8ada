//! A project with its contracts, ready to be checked: the door to everything else.
//!
//! What the command line does, it does through this, and so can any other program. Nothing here reads the environment,
//! and nothing is printed.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use crate::baseline::Baseline;
use crate::cache;
use crate::config;
use crate::contracts::layers::Loading;
use crate::path::{RelPath, Root};
use crate::report::Report;
use crate::scan::{self, AddedIgnores, Existing, Measure, Propose, Watch, scan};
use crate::source::git::{Location, Renames, Staged};
use crate::source::present::Present;
use crate::source::tree::Stamps;
use crate::source::{Coverage, Source, Targets, changes, files, git, swept, tree};
use crate::states::{Seen, Tolerated, settle};
use crate::tool_call::Call;
use phaser_core::contract::scope::FileSet;
use phaser_core::contract::{Contract, Warning};
use phaser_core::deadline::Deadline;
use phaser_core::matcher::limits::Limits;
use phaser_core::matcher::{self, Directives, Matcher};

pub mod by_file;
mod kept;
pub mod load;
mod recorded;
pub mod texts;

pub use recorded::Recorded;
use recorded::recorded;

use load::{Extra, Load, Loaded, Settings, folders_above};

/// Default size of the largest file that is read, in bytes.
pub const MAX_FILE_SIZE: u64 = 10 * 1024 * 1024;

/// Default work limit of a backtracking pattern on one file.
pub const TIMEOUT: Duration = Duration::from_millis(100);

/// The same limit for `contracts test` and `contracts lint`, where no hook waits.
pub const PATIENT_TIMEOUT: Duration = Duration::from_secs(10);

/// A project with its contracts.
#[derive(Debug)]
pub struct Project {
    root: Root,
    contracts: Vec<Contract>,
    warnings: Vec<Warning>,
    exempt: Vec<RelPath>,
    exclude: Vec<FileSet>,
    options: Options,
}

/// How a project is checked.
#[derive(Debug, Clone)]
pub struct Options {
    /// How much work a pattern that backtracks may do on each file: what takes about so long.
    pub timeout: Duration,
    /// What ignore directives do.
    pub directives: Directives,
    /// What becomes of violations that were there before a change.
    pub existing: Existing,
    /// How many threads are used at most; one for each core if nothing is said.
    pub threads: Option<usize>,
    /// The largest file that is read, in bytes.
    pub max_file_size: u64,
    /// When everything must have ended. Only where there is such a time does the clock matter.
    pub deadline: Deadline,
    /// Whether to measure what a check costs.
    pub measure: Measure,
    /// What violations are to carry beside what was found.
    pub propose: Propose,
    /// The directory that relative paths start at, if that is not the project's own.
    pub cwd: Option<PathBuf>,
    /// Where git is to look, if not from there.
    pub git: Option<Location>,
    /// The old violations that are written down.
    pub recorded: Recorded,
    /// Whether to look for ignore directives that a change adds.
    pub added_ignores: AddedIgnores,
    /// Where results are kept for the next run, if they are.
    pub cache: Option<cache::Place>,
    /// Whether to take the states of files while they are looked for: the cache needs them.
    pub stamps: Stamps,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            timeout: TIMEOUT,
            directives: Directives::Honoured,
            existing: Existing::Deny,
            threads: None,
            max_file_size: MAX_FILE_SIZE,
            deadline: Deadline::NEVER,
            measure: Measure::Nothing,
            propose: Propose::Nothing,
            cwd: None,
            git: None,
            recorded: Recorded::Nowhere,
            added_ignores: AddedIgnores::NotWanted,
            cache: None,
            stamps: Stamps::NotTaken,
        }
    }
}

/// Why a project cannot be checked.
#[derive(Debug, Error)]
pub enum Error {
    /// There is no such directory.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The configuration is wrong: what is wrong with it, a line each.
    #[error("{}", lines(.0))]
    Config(Vec<Warning>),
    /// The baseline is broken.
    #[error("{0}")]
    Baseline(Warning),
    /// A git repository cannot be read.
    #[error(transparent)]
    Git(#[from] git::Error),
}

fn lines(mistakes: &[Warning]) -> String {
    mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

impl Project {
    /// The project in this directory, with the contracts in its `.claude/contracts` its baseline, and what its
    /// `.claude/phaser.yaml` says. What is wrong with a contract file is in the report of a check; the others count.
    ///
    /// # Errors
    ///
    /// When there is no such directory, or its configuration or its baseline is wrong.
    pub fn open(root: impl AsRef<Path>) -> Result<Self, Error> {
        let root = Root::new(std::path::absolute(root)?.canonicalize()?);
        let recorded = match Baseline::read(&root, None).map_err(Error::Baseline)? {
            Some(baseline) => Recorded::In(Arc::new(baseline)),
            None => Recorded::Nowhere,
        };
        Self::with_folders(root, Options { recorded, ..Options::default() }, &[], Settings::OnDisk)
    }

    /// The project with the contracts of these directories in it too.
    fn with_folders(
        root: Root,
        options: Options,
        folders: &[RelPath],
        settings: Settings<'_>,
    ) -> Result<Self, Error> {
        let extra = Extra::default();
        let load = Load { root: &root, extra: &extra, folders, settings, cwd: None };
        let loaded = load.run(Loading::to_enforce(matcher::broken));
        if !loaded.mistakes.is_empty() {
            return Err(Error::Config(loaded.mistakes));
        }
        Ok(Self::new(root, loaded, options))
    }

    /// A project with these contracts.
    pub fn new(root: Root, loaded: Loaded, options: Options) -> Self {
        let Loaded { layers, configs, mut mistakes, .. } = loaded;
        let exempt = layers.exempt(&root);
        let exclude = configs.iter().filter_map(config::Placed::excluded).collect();
        let mut warnings = layers.warnings;
        warnings.append(&mut mistakes);
        let contracts = Contract::all_with_overrides(layers.contracts);
        Self { root, contracts, warnings, exempt, exclude, options }
    }

    /// Checks in another way.
    #[must_use]
    pub fn with_options(self, options: Options) -> Self {
        let recorded = self.options.recorded.clone();
        Self { options: Options { recorded, ..options }, ..self }
    }

    /// The contracts that are switched on.
    pub fn contracts(&self) -> &[Contract] {
        &self.contracts
    }

    /// What there is to say when no contract is switched on.
    pub fn report_without_contracts(&mut self) -> Report {
        let warnings = std::mem::take(&mut self.warnings);
        Report { warnings, no_contracts: true, ..Report::default() }
    }

    /// Keeps only some contracts.
    pub fn retain(&mut self, wanted: impl FnMut(&Contract) -> bool) {
        self.contracts.retain(wanted);
    }

    /// Checks what the source gives.
    ///
    /// # Errors
    ///
    /// When a git repository cannot be read, or the configuration of a directory of the project is wrong. What goes wrong
    /// with one file is in the report.
    pub fn check(self, source: &Source) -> Result<Report, Error> {
        let targets = targets(&self.root, &self.options, source)?;
        let (folders, settings) = (folders(&self.root, &targets), settings(source, &targets));
        let project = match settings {
            Settings::OnDisk if folders.is_empty() => self,
            _ => Self::with_folders(self.root, self.options, &folders, settings)?,
        };
        Ok(project.ready().check(&targets, &()).0)
    }

    /// A matcher of all its contracts, which reads no pattern before a path selects it.
    pub fn matcher(&self) -> Matcher {
        let (exempt, exclude) = (self.exempt.clone(), self.exclude.clone());
        Matcher::new(self.contracts.clone(), matching(&self.options, exempt, exclude))
    }

    /// Makes the contracts ready to be matched.
    pub fn ready(self) -> Ready {
        let Self { root, contracts, mut warnings, exempt, exclude, options } = self;
        let matching = matching(&options, exempt, exclude);
        // Where time matters, only the patterns are looked at that concern a target.
        let matcher = if options.deadline.is_never() {
            let (matcher, mut broken) = Matcher::validated(contracts, matching);
            warnings.append(&mut broken);
            matcher
        } else {
            Matcher::new(contracts, matching)
        };
        Ready { root, matcher, warnings, options }
    }
}

/// How a matcher searches.
fn matching(options: &Options, exempt: Vec<RelPath>, exclude: Vec<FileSet>) -> matcher::Options {
    matcher::Options {
        limits: Limits { deadline: options.deadline, ..Limits::default() },
        exempt,
        exclude,
        ..matcher::Options::new(options.timeout, options.directives)
    }
}

/// What there is to check.
pub fn targets(root: &Root, options: &Options, source: &Source) -> Result<Targets, git::Error> {
    let Options { cwd, git, existing, max_file_size, .. } = options;
    let from = cwd.as_deref().unwrap_or(root.path());
    let location = || git.clone().unwrap_or_else(|| Location { cwd: from.to_owned(), ..Location::default() });
    let renames = match existing {
        Existing::Deny => Renames::Exact,
        Existing::Report => Renames::Similar,
    };
    Ok(match source {
        Source::Changes(call) => changes::changes(root, call, *max_file_size),
        Source::Files(paths) => files::files(root, &location(), paths),
        Source::Tree(shard) => {
            let targets = tree::stamped(root, &location(), threads(options), options.stamps);
            match shard {
                Some(shard) => shard.of(targets),
                None => targets,
            }
        }
        Source::Staged(paths) => {
            let wanted = if paths.is_empty() { Staged::Changed } else { Staged::Named(paths) };
            git::staged(root, &location(), wanted, renames)?
        }
        Source::Diff(revisions) => git::changed(root, &location(), revisions, renames)?,
        Source::Swept(sweep) => {
            let looking = swept::Looking { threads: threads(options), deadline: options.deadline };
            swept::swept(root, &location(), sweep, looking)
        }
    })
}

/// The directories of the project with settings of their own, as far as targets are below them.
pub fn folders(root: &Root, targets: &Targets) -> Vec<RelPath> {
    match &targets.folders {
        Some(folders) => folders.iter().filter(|folder| !folder.as_bytes().is_empty()).cloned().collect(),
        None => {
            let names = targets.targets.iter().flat_map(|target| [Some(&target.path), target.alias.as_ref()]);
            let staged = match &targets.coverage {
                Coverage::Listed(listing) => Some(listing),
                Coverage::Whole | Coverage::Rest(_) | Coverage::Partial => None,
            };
            folders_above(root, names.flatten(), staged)
        }
    }
}

/// The same for the files that a call changes.
pub fn folders_of_call(root: &Root, call: &Call) -> Vec<RelPath> {
    let paths = call.changes.iter().map(|change| call.path(change));
    let names = paths.flat_map(|path| [root.relative(&path), root.relative(&root.real_path(&path))]);
    folders_above(root, names.collect::<Vec<_>>().iter(), None)
}

/// Which state of the project a source goes by: what is staged, if it looks at that.
pub fn settings<'t>(source: &Source, targets: &'t Targets) -> Settings<'t> {
    match (source, &targets.coverage) {
        (Source::Staged(_), Coverage::Listed(listing)) => Settings::Staged(listing),
        _ => Settings::OnDisk,
    }
}

/// Counting cores reads several files, so a hook for one file does not ask.
fn threads(options: &Options) -> usize {
    options.threads.unwrap_or_else(default_threads)
}

/// Default number of threads: one per core.
pub fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// How targets are scanned.
fn scanning(options: &Options, threads: usize) -> scan::Options<'static> {
    scan::Options {
        threads,
        max_file_size: options.max_file_size,
        existing: options.existing,
        added_ignores: options.added_ignores,
        measure: options.measure,
        propose: options.propose,
        cache: None,
    }
}

/// Contracts that are ready to be matched.
#[derive(Debug)]
pub struct Ready {
    root: Root,
    matcher: Matcher,
    warnings: Vec<Warning>,
    options: Options,
}

impl Ready {
    /// What is wrong with contract files.
    pub fn into_warnings(mut self) -> Vec<Warning> {
        self.warnings.sort();
        self.warnings
    }

    /// How many targets are scanned.
    pub fn scanning(&self) -> scan::Options<'static> {
        scanning(&self.options, threads(&self.options))
    }

    /// The contracts as a matcher, for whoever looks at something else than a source, and what is wrong with their files.
    pub fn into_matcher(self) -> (Matcher, Vec<Warning>) {
        (self.matcher, self.warnings)
    }

    /// Checks targets. Gives the matcher back, which knows what was expensive.
    pub fn check(self, targets: &Targets, watch: &dyn Watch) -> (Report, Matcher) {
        let Self { root, matcher, mut warnings, options } = self;
        let several = targets.targets.len() > 1 || matches!(targets.coverage, Coverage::Rest(_));
        let threads = if several { threads(&options) } else { 1 };
        let cache = kept::open(&root, &matcher, &options, targets);
        let scanning = scan::Options { cache: cache.as_ref(), ..scanning(&options, threads) };
        let mut report = scan(&matcher, targets, scanning, watch);
        report.notes = cache.map(|cache| kept::save(cache, targets)).unwrap_or_default();
        let baseline = recorded(&options.recorded, &root, &report).unwrap_or_else(|broken| {
            warnings.push(broken);
            None
        });
        let present = Present { root: &root, targets };
        let is_gone = |path: &RelPath| !present.has(path);
        let tolerated = baseline.as_ref().map(|baseline| Tolerated {
            baseline,
            is_gone: &is_gone,
            seen: if targets.coverage == Coverage::Whole { Seen::Everything } else { Seen::Some },
        });
        settle(&mut report, tolerated.as_ref());
        if !options.deadline.is_never() {
            warnings.append(&mut matcher.warnings());
        }
        warnings.sort();
        report.warnings = warnings;
        (report, matcher)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn project() -> tempfile::TempDir {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let write = |path: &str, text: &str| {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().expect("has a parent")).expect("created");
            fs::write(path, text).expect("written");
        };
        let contract =
            "rule_id: no-x\ntype: forbid_pattern\npattern: x\nfile_glob: '**'\nmessage: m\nseverity: error\n";
        write(".claude/contracts/no-x.yaml", contract);
        write(".claude/contracts/broken.yaml", "rule_id: [");
        write(".phaser/contracts/old.yaml", "x");
        write("src/a.txt", "x");
        directory
    }

    #[test]
    fn a_project_is_checked_in_two_steps() {
        let directory = project();
        let project = Project::open(directory.path()).expect("a project");
        assert_eq!(project.contracts().len(), 1);
        let report = project.check(&Source::Tree(None)).expect("checked");
        let found: Vec<_> = report.open().map(|violation| violation.path.to_string()).collect();
        assert_eq!(found, ["src/a.txt"], "files that hold contracts are exempt");
        assert_eq!(report.warnings.len(), 1);
        assert!(Project::open(directory.path().join("gone")).is_err());
    }

    #[test]
    fn a_project_and_its_outcome_go_to_other_threads() {
        fn is_send<T: Send>() {}
        is_send::<Project>();
        is_send::<Report>();
        is_send::<Targets>();
        is_send::<Matcher>();
    }
}
