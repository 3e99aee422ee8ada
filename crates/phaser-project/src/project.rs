//! A project and its contracts: the entry point of every command.
//!
//! [`Project::load`] fixes where contracts come from and how files are checked. [`Project::check`] checks any number of
//! sources against them. Each check is two steps, which a command can also take one by one:
//!
//! 1. [`Project::inspect`] lists the targets of the source, loads the contracts that apply to them (nested directories
//!    have their own), reads the baseline, and returns an [`Inspection`].
//! 2. [`Inspection::run`] scans the targets, decides the state of each violation, and returns the [`Report`].
//!
//! What makes a hook fast is laziness in these two steps, not a second path: files of a tool call are reconstructed only if
//! a contract exists, pack contracts are built only if the text can match, a pattern is parsed only if a path selects it,
//! and the baseline is read only if a violation is open.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use phaser_core::check::Check;
use phaser_core::contract::selector::Selector;
use phaser_core::contract::{Contract, LayerKind, Severity, Warning};
use phaser_core::deadline::Deadline;
use phaser_core::imports::ProjectView;
use phaser_core::matcher::limits::Limits;
use phaser_core::matcher::{self, Directives, Matcher};
use phaser_core::skipped::{SkipReason, Skipped};
use phaser_core::violation::Violation;
use thiserror::Error;

use crate::baseline::Baseline;
use crate::cache::{self, Cache};
use crate::config::{self, Fixes, Policy};
use crate::contracts::layers::{self, ContractOwner, Layer, Loading};
use crate::packs::{PACKS, Pack};
use crate::path::{RelPath, Root, baseline_file, real_path};
use crate::report::{Phase, Report};
use crate::scan::change::{ChangeOptions, judge_change, judge_companions};
use crate::scan::{self, Existing, Measure, ProgressSink, scan};
use crate::source::change::{ChangeSet, ChangedFile};
use crate::source::git::{
    self, ChangeBase, CommitMessage, Committed, FilesOutsideCheckout, GitError, GitLocation, Renames,
    StagedFiles, Untracked,
};
use crate::source::present::ProjectFiles;
use crate::source::view::{DiskView, ListedView};
use crate::source::{Compared, Coverage, Source, Targets, changes, files, message, tree, worktree};
use crate::states::{BaselineInput, OtherFiles, Scanned, decide_states};
use crate::tool_call::{Call, Moment};

pub mod by_file;
mod known_targets;
pub mod load;
mod recorded;

pub use recorded::Recorded;
use recorded::recorded;

use known_targets::{KnownTargets, NoTargets};
use load::{Extra, Found, Load, Loaded, Settings, folders_above};

/// Default of [`Options::max_file_size`]: 10 MiB.
pub const MAX_FILE_SIZE: u64 = 10 * 1024 * 1024;

/// Fewer files than this are checked sooner than the cache is read.
const FEW: usize = 100;

/// The number of files that a hook searches between two looks at the clock.
const CHUNK: usize = 512;

/// Default of [`Options::timeout`].
pub const TIMEOUT: Duration = Duration::from_millis(100);

/// The timeout of `contracts test` and `contracts lint`, where no hook waits.
pub const PATIENT_TIMEOUT: Duration = Duration::from_secs(10);

/// A project: its root, where its contracts come from, and how it is checked.
#[derive(Debug)]
pub struct Project {
    root: Root,
    options: Options,
    /// The commit to read contracts from, with [`Options::contracts_from`].
    committed: Option<Committed>,
}

/// How a project is loaded and checked.
#[derive(Debug, Clone)]
pub struct Options {
    /// Contract directories and packs beside the project's own.
    pub locations: Extra,
    /// Which contracts to check.
    pub filter: ContractFilter,
    /// Check only contracts of this severity.
    pub severity: Option<Severity>,
    /// Skip contracts below this severity. Ignored while new ignore directives are tracked, which concern every severity.
    pub min_severity: Severity,
    /// Read contracts, configuration and baseline from this revision instead of the disk.
    pub contracts_from: Option<String>,
    /// Whether the baseline applies.
    pub baseline: bool,
    /// How violations from before a change count; `None` leaves it to the configuration.
    pub existing: Option<Existing>,
    /// Whether to report ignore directives that a change adds, where the configuration has a policy for them.
    pub new_ignores: bool,
    /// What to do with fixes.
    pub fixes: FixMode,
    /// Whether broken configuration is a warning instead of an error. Hooks set this: one bad line must not disarm them.
    pub lenient: bool,
    /// Whether pack contracts are built only if the text of a tool call can match. A report that lists contracts needs all.
    pub lazy_packs: bool,
    /// Whether contracts keep their examples.
    pub examples: bool,
    /// Work a backtracking pattern may do on one file, expressed as the time it takes on a typical machine.
    pub timeout: Duration,
    /// Whether ignore directives apply.
    pub directives: Directives,
    /// Number of threads; one per core if `None`.
    pub threads: Option<usize>,
    /// Largest file that is read, in bytes.
    pub max_file_size: u64,
    /// When the check must end. The clock matters only if it is set.
    pub deadline: Deadline,
    /// Whether to measure phases and patterns.
    pub measure: Measure,
    /// Directory that relative paths start at; the root if `None`.
    pub cwd: Option<PathBuf>,
    /// Where git looks; from `cwd` if `None`.
    pub git: Option<GitLocation>,
    /// Whether results are cached.
    pub cache: CacheUse,
}

/// What a check does with the fixes of contracts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixMode {
    /// Nothing.
    Off,
    /// Attaches the fix to each violation that has one.
    Propose,
    /// Keeps what is needed to rewrite a tool call, where the configuration has `fixes: apply`.
    InFlight,
}

/// Whether results are cached, and where.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum CacheUse {
    /// No.
    #[default]
    Off,
    /// In git's directory, or in the user's.
    On {
        /// `None` leaves it to the configuration.
        wanted: Option<bool>,
        /// The user's cache directory, for projects without git.
        home: Option<PathBuf>,
        /// Identifies this build of phaser; results of another build are ignored.
        program: String,
    },
}

/// Contracts selected by `--only` and `--skip`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContractFilter {
    /// Check only these; everything if empty.
    pub only: Vec<Selector>,
    /// Leave these out.
    pub skip: Vec<Selector>,
}

impl ContractFilter {
    /// Whether every contract passes.
    pub fn is_empty(&self) -> bool {
        self.only.is_empty() && self.skip.is_empty()
    }

    /// Whether a contract passes.
    pub fn includes(&self, contract: &Contract) -> bool {
        let matches = |selectors: &[Selector]| selectors.iter().any(|selector| selector.selects(contract));
        (self.only.is_empty() || matches(&self.only)) && !matches(&self.skip)
    }

    /// The selectors that match no contract: the flag, and a message with the nearest id.
    pub fn unknown(&self, contracts: &[Contract]) -> Vec<(&'static str, String)> {
        let only = self.only.iter().map(|selector| ("--only", selector));
        let all = only.chain(self.skip.iter().map(|selector| ("--skip", selector)));
        let unknown = all.filter(|(_, one)| !contracts.iter().any(|contract| one.selects(contract)));
        unknown.map(|(flag, one)| (flag, one.no_match_message(contracts.iter()))).collect()
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            locations: Extra::default(),
            filter: ContractFilter::default(),
            severity: None,
            min_severity: Severity::Warning,
            contracts_from: None,
            baseline: true,
            existing: None,
            new_ignores: false,
            fixes: FixMode::Off,
            lenient: false,
            lazy_packs: false,
            examples: false,
            timeout: TIMEOUT,
            directives: Directives::Honoured,
            threads: None,
            max_file_size: MAX_FILE_SIZE,
            deadline: Deadline::NEVER,
            measure: Measure::Nothing,
            cwd: None,
            git: None,
            cache: CacheUse::Off,
        }
    }
}

/// Why a project cannot be checked.
#[derive(Debug, Error)]
pub enum Error {
    /// The root is not a readable directory.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The configuration is invalid; one warning per mistake.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Config(Vec<Warning>),
    /// `--only` or `--skip` matches no contract.
    #[error("{0}: {1}")]
    UnknownContract(&'static str, String),
    /// The baseline is broken.
    #[error("{0}")]
    Baseline(String),
    /// A git repository cannot be read.
    #[error(transparent)]
    Git(#[from] git::GitError),
}

/// Builds a [`Project`]: `Project::builder(root).packs(["secrets"]).build()`.
#[derive(Debug)]
pub struct ProjectBuilder {
    root: PathBuf,
    packs: Vec<&'static Pack>,
    unknown_pack: Option<String>,
    options: Options,
}

impl ProjectBuilder {
    /// Adds the contracts of these packs. The configuration may name more.
    #[must_use]
    pub fn packs<N: AsRef<str>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        for name in names {
            match crate::packs::find(name.as_ref()) {
                Some(pack) => self.packs.push(pack),
                None => self.unknown_pack = Some(name.as_ref().to_owned()),
            }
        }
        self
    }

    /// Adds the user's contracts: the files of this directory, after the project's own.
    #[must_use]
    pub fn user_contracts(mut self, directory: impl Into<PathBuf>) -> Self {
        self.options.locations.user = Some(load::user_directory(directory.into()));
        self
    }

    /// Sets how violations from before a change count, whatever the configuration has.
    #[must_use]
    pub fn existing(mut self, existing: Existing) -> Self {
        self.options.existing = Some(existing);
        self
    }

    /// Sets the number of threads.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.options.threads = Some(threads);
        self
    }

    /// The project.
    ///
    /// # Errors
    ///
    /// If the root is not a directory, or no pack has one of the names.
    pub fn build(self) -> Result<Project, Error> {
        let Self { root, packs, unknown_pack, mut options } = self;
        if let Some(name) = unknown_pack {
            return Err(Error::Config(vec![Warning::about(
                Path::new("packs"),
                format!("no pack is called '{name}'"),
            )]));
        }
        options.locations.packs = packs;
        Project::load(Root::new(std::path::absolute(root)?.canonicalize()?), options)
    }
}

impl Project {
    /// A builder for the project in this directory, with its own contracts, configuration and baseline.
    pub fn builder(root: impl Into<PathBuf>) -> ProjectBuilder {
        let options = Options { fixes: FixMode::Propose, ..Options::default() };
        ProjectBuilder { root: root.into(), packs: Vec::new(), unknown_pack: None, options }
    }

    /// The project at `root`. Reads nothing yet, except the revision of [`Options::contracts_from`].
    ///
    /// # Errors
    ///
    /// If that revision cannot be read.
    pub fn load(root: Root, options: Options) -> Result<Self, Error> {
        let mut project = Self { root, options, committed: None };
        if let Some(revision) = &project.options.contracts_from {
            project.committed = Some(git::committed(&project.root, &project.location(), revision)?);
        }
        Ok(project)
    }

    /// The root.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// How it is loaded and checked.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Checks a source: [`Self::inspect`], then [`Inspection::run`].
    ///
    /// # Errors
    ///
    /// If a git repository cannot be read, or configuration or baseline are invalid. A problem with one file or one contract
    /// is part of the report instead.
    pub fn check(&self, source: &Source) -> Result<Report, Error> {
        Ok(self.inspect(source)?.run(&()))
    }

    /// Lists the targets of a source and loads the contracts that apply to them.
    ///
    /// # Errors
    ///
    /// As for [`Self::check`].
    pub fn inspect<'p>(&'p self, source: &'p Source) -> Result<Inspection<'p>, Error> {
        let mut phases = Phases::new(self.options.measure);
        let deferred = match source {
            Source::Changes(call) => Some(call),
            _ => None,
        };
        // The files of a tool call are known by name; their texts are reconstructed below, if a contract exists.
        let mut targets = match deferred {
            Some(_) => Targets::none(),
            None => {
                let targets = self.targets(source, self.options.existing)?;
                phases.end(Phase::FilesListed);
                targets
            }
        };
        let nothing = Inspection {
            project: self,
            source,
            targets: Targets::none(),
            loaded: Loaded::default(),
            change: None,
            view: None,
            matcher: None,
            fix_contracts: None,
            existing: Existing::Deny,
            recorded: Recorded::Nowhere,
            new_ignores: false,
            cache: None,
            notes: Vec::new(),
            ignored_by_git: Vec::new(),
            dropped: Vec::new(),
            phases: Phases(None),
        };
        if source.is_empty(&targets) {
            targets.skipped.extend(deferred.into_iter().flat_map(|call| call.skipped.iter().cloned()));
            return Ok(Inspection { targets, phases, ..nothing });
        }
        let recorded = self.recorded(source, &targets)?;
        let mut loaded = self.contracts(source, &targets)?;
        let existing = self.options.existing.unwrap_or_else(|| loaded.existing());
        let by_configuration = self.options.existing.is_none() && existing == Existing::Report;
        if by_configuration && deferred.is_none() {
            self.compare_with_previous(source, &mut targets)?;
        }
        let in_flight = self.fixes_in_flight(source, &loaded);
        phases.end(Phase::ContractsRead);
        if let (Some(_), false) = (deferred, loaded.is_empty()) {
            targets = self.targets(source, Some(existing))?;
            phases.end(Phase::FilesListed);
        }
        self.add_messages(source, &loaded, &mut targets)?;
        if loaded.has_lazy_packs() {
            // A fixed text can match contracts that the text itself cannot.
            let known = (!in_flight).then(|| KnownTargets::of(source, &targets));
            loaded.load_packs(known.as_ref().map(|known| known as _));
        }
        let change = self.change(source, &loaded, &mut targets)?;
        let view = self.view(source, &loaded, &targets)?;
        if by_configuration {
            loaded.existing_by_file().limit_comparison(&mut targets);
        }
        let new_ignores = self.options.new_ignores && loaded.ignores().strictest() > Policy::Allow;
        let (cache, notes) = self.cache(&loaded);
        Ok(Inspection {
            ignored_by_git: self.ignored_by_git(source, &loaded),
            fix_contracts: in_flight.then(Vec::new),
            change,
            view,
            targets,
            loaded,
            existing,
            recorded,
            new_ignores,
            cache,
            notes,
            phases,
            ..nothing
        })
    }

    fn location(&self) -> GitLocation {
        let cwd = self.options.cwd.as_deref().unwrap_or(self.root.path());
        self.options
            .git
            .clone()
            .unwrap_or_else(|| GitLocation { cwd: cwd.to_owned(), ..GitLocation::default() })
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        // Counting cores reads several files, so it waits until the number is needed.
        self.options.threads.unwrap_or_else(default_threads)
    }

    /// The targets of a source. Renamed files are paired by similarity only if violations are compared.
    pub fn targets(&self, source: &Source, existing: Option<Existing>) -> Result<Targets, git::GitError> {
        let root = &self.root;
        let renames = match existing {
            Some(Existing::Report) => Renames::Similar,
            Some(Existing::Deny) | None => Renames::Exact,
        };
        Ok(match source {
            // The messages are added once it is known that a contract is about them.
            Source::Nothing | Source::Message(..) => Targets::none(),
            Source::Changes(call) => changes::changes(root, call, self.options.max_file_size),
            Source::Files(paths) => files::files(root, &self.location(), paths),
            Source::Text(path, text) => files::text(root, &self.location(), path, text),
            Source::Tree(shard) => {
                let targets = tree::tree(root, &self.location(), self.threads());
                match shard {
                    Some(shard) => shard.of(targets),
                    None => targets,
                }
            }
            Source::Staged(paths) => {
                let wanted = if paths.is_empty() { StagedFiles::Changed } else { StagedFiles::Named(paths) };
                git::staged(root, &self.location(), wanted, renames)?
            }
            Source::Diff(revisions) => git::changed(root, &self.location(), revisions, renames)?,
            Source::Worktree(sweep) => {
                let looking =
                    worktree::WalkLimits { threads: self.threads(), deadline: self.options.deadline };
                worktree::changed_files(root, &self.location(), sweep, looking)
            }
        })
    }

    /// Adds the commit messages of a source to its targets, if a contract is about them.
    fn add_messages(&self, source: &Source, loaded: &Loaded, targets: &mut Targets) -> Result<(), Error> {
        let about_messages = || loaded.contracts.iter().filter(|one| one.check.reads_messages());
        if about_messages().next().is_none() {
            return Ok(());
        }
        let (root, location) = (&self.root, &self.location());
        match source {
            Source::Message(file, text) => {
                let comment = git::comment_prefix(root, location, text);
                let is_limited = about_messages().any(|one| !one.is_about_every_file());
                let touched = if is_limited { git::staged_paths(root, location)? } else { Vec::new() };
                let text = message::cleaned(text, &comment);
                targets.targets.push(message::target(root.relative(file), text, touched));
            }
            Source::Diff(revisions) => {
                let messages = git::messages(root, location, revisions)?;
                targets.targets.extend(messages.into_iter().map(CommitMessage::into_target));
            }
            _ => {}
        }
        Ok(())
    }

    /// The change that a source is, if a contract is about changes and applies to it. Git is opened only then. In a hook, a
    /// repository that cannot be read is a gap.
    fn change(
        &self,
        source: &Source,
        loaded: &Loaded,
        targets: &mut Targets,
    ) -> Result<Option<ChangeSet>, Error> {
        let about_changes: Vec<&Contract> =
            loaded.contracts.iter().filter(|one| one.enabled && one.check.compares_change()).collect();
        if about_changes.is_empty() {
            return Ok(None);
        }
        let root = &self.root;
        match source {
            Source::Staged(_) => Ok(Some(git::staged_change(root, &self.location())?)),
            Source::Diff(range) => Ok(Some(git::change_since(root, &self.location(), range)?)),
            Source::Worktree(window) => {
                let has_companions = about_changes.iter().any(|one| one.check.companion().is_some());
                let is_turn = matches!(window, worktree::ChangeWindow::Turn { .. });
                let wanted = |path: &RelPath| {
                    (has_companions && is_turn) || about_changes.iter().any(|one| one.applies_to(path, None))
                };
                let (location, deadline) = (self.project_location(), self.options.deadline);
                let change = git::change_of_window(
                    root,
                    &location,
                    window.since(),
                    &targets.targets,
                    &wanted,
                    deadline,
                );
                Ok(self.or_gap(change, targets).map(|mut change| {
                    // Companions come with a later command.
                    change.state.take_if(|_| !is_turn);
                    change
                }))
            }
            Source::Changes(call) => {
                let applies = |file: &ChangedFile| {
                    about_changes.iter().any(|one| {
                        one.check.companion().is_none() && one.applies_to(&file.path, file.alias.as_ref())
                    })
                };
                let mut files = changes::changed_files(root, call, &targets.targets);
                files.retain(applies);
                if files.is_empty() {
                    return Ok(None);
                }
                let change = self.change_of_edit(files);
                Ok(self.or_gap(change, targets))
            }
            Source::Tree(_) | Source::Files(_) | Source::Text(..) | Source::Message(..) | Source::Nothing => {
                Ok(None)
            }
        }
    }

    /// The files in which imports are resolved, if a contract is about imports.
    fn view(&self, source: &Source, loaded: &Loaded, targets: &Targets) -> Result<Option<View>, Error> {
        if !loaded.contracts.iter().any(|contract| contract.enabled && contract.check.reads_project()) {
            return Ok(None);
        }
        let at_head = match source {
            Source::Diff(range) => git::files_at_head(&self.root, &self.location(), range)?,
            _ => None,
        };
        Ok(Some(View(match (source, &targets.coverage, at_head) {
            (Source::Staged(_), Coverage::Listed(listing), _) => {
                Arc::new(ListedView::of_index(listing.clone()))
            }
            (_, _, Some(files)) => Arc::new(ListedView::of(files)),
            _ => Arc::new(DiskView::new(&self.root, targets)),
        })))
    }

    /// The files of an edit with their base: the last commit, or the file on disk without git.
    fn change_of_edit(&self, mut files: Vec<ChangedFile>) -> Result<ChangeSet, GitError> {
        let base = match ChangeBase::last_commit(&self.root, &self.project_location()) {
            Err(GitError::NotARepository(_)) => None,
            base => Some(base?),
        };
        for file in &mut files {
            file.before = match &base {
                Some(base) => self.versions(base, &file.path)?,
                None => vec![file.previous.clone()],
            };
        }
        Ok(ChangeSet { files, state: None, has_others: base.is_some() })
    }

    /// The content of a file in the last commit: of the project's repository, else of the innermost one around the file.
    fn versions(
        &self,
        base: &ChangeBase,
        path: &RelPath,
    ) -> Result<Vec<Option<crate::source::Content>>, GitError> {
        let versions = base.versions(path)?;
        if versions.iter().any(Option::is_some) {
            return Ok(versions);
        }
        let file = self.root.path().join(path.to_native());
        let above = file.ancestors().skip(1).take_while(|above| *above != self.root.path());
        let Some(inner) = above.into_iter().find(|above| above.join(".git").exists()) else {
            return Ok(versions);
        };
        let inner = GitLocation { cwd: inner.to_owned(), ..GitLocation::default() };
        match ChangeBase::last_commit(&self.root, &inner) {
            Ok(base) => base.versions(path),
            Err(GitError::NotARepository(_)) => Ok(versions),
            Err(error) => Err(error),
        }
    }

    /// The change, or a gap for the whole project. Without git there is none.
    fn or_gap(&self, change: Result<ChangeSet, GitError>, targets: &mut Targets) -> Option<ChangeSet> {
        match change {
            Ok(change) => Some(change),
            Err(GitError::NotARepository(_)) => None,
            Err(error) => {
                targets.skipped.push(unreadable(&error));
                None
            }
        }
    }

    /// Where git looks for the repository of the project, wherever a command left the shell.
    fn project_location(&self) -> GitLocation {
        let location = self.location();
        match location.git_dir {
            Some(_) => location,
            None => GitLocation { cwd: self.root.path().to_owned(), ..location },
        }
    }

    /// Lists targets again with renames paired by similarity, because the configuration compares violations. (Nested
    /// configurations are known only once files are listed.)
    fn compare_with_previous(&self, source: &Source, targets: &mut Targets) -> Result<(), Error> {
        if matches!(source, Source::Staged(_) | Source::Diff(_)) {
            *targets = self.targets(source, Some(Existing::Report))?;
        }
        // A named file with nothing staged (`pre-commit run --all-files`) is checked whole.
        let unchanged = targets.targets.iter_mut().filter(|target| target.compared == Compared::Unchanged);
        unchanged.for_each(|target| target.before = None);
        Ok(())
    }

    /// Which state of the project its contracts, configuration and baseline are read from.
    fn settings<'t>(&'t self, source: &Source, targets: &'t Targets) -> Settings<'t> {
        match (&self.committed, source, &targets.coverage) {
            (Some(committed), _, _) => Settings::Committed(committed),
            (None, Source::Staged(_), Coverage::Listed(listing)) => Settings::Staged(listing),
            (None, _, _) => Settings::OnDisk,
        }
    }

    /// The contracts that apply to the targets, filtered by [`Options::filter`]. Packs may still be lazy.
    fn contracts(&self, source: &Source, targets: &Targets) -> Result<Loaded, Error> {
        let filter = &self.options.filter;
        let folders = match (&self.committed, source) {
            (Some(committed), _) => committed.folders(),
            (None, Source::Changes(call)) => self.folders_of_call(call),
            // A nested contract may be about files that are gone.
            (None, Source::Worktree(_)) => {
                let mut all = folders(&self.root, targets);
                let walked = targets.walked.iter().flat_map(|walked| &walked.folders);
                all.extend(walked.filter(|folder| !folder.as_bytes().is_empty()).cloned());
                all.sort_unstable();
                all.dedup();
                all
            }
            (None, _) => folders(&self.root, targets),
        };
        let is_lazy = matches!(source, Source::Changes(_)) && self.options.lazy_packs && filter.is_empty();
        self.contracts_of(source, targets, &folders, is_lazy)
    }

    /// The contracts that commands in `cwd` are judged by: those of the root and of the directories from there to `cwd`.
    /// Of packs, contracts about files may be left out.
    pub fn contracts_for_commands(&self, cwd: &Path) -> Result<Loaded, Error> {
        let folders = self.folders_of_commands(cwd);
        let is_lazy = self.options.lazy_packs && self.options.filter.is_empty();
        let nothing = Source::Files(Vec::new());
        let mut loaded = self.contracts_of(&nothing, &Targets::none(), &folders, is_lazy)?;
        loaded.load_packs(Some(&NoTargets));
        Ok(loaded)
    }

    /// The directories with settings of their own that decide on commands in `cwd`. Where they are equal, the contracts are.
    pub fn folders_of_commands(&self, cwd: &Path) -> Vec<RelPath> {
        let below = self.root.contains(cwd).then(|| self.root.relative(cwd).join("command"));
        match &self.committed {
            Some(committed) => committed.folders(),
            None => folders_above(&self.root, below.iter(), None),
        }
    }

    /// The contracts of the root and of `folders`, filtered by [`Options::filter`].
    fn contracts_of(
        &self,
        source: &Source,
        targets: &Targets,
        folders: &[RelPath],
        is_lazy: bool,
    ) -> Result<Loaded, Error> {
        let Options { lenient, filter, .. } = &self.options;
        let load = Load {
            root: &self.root,
            extra: &self.options.locations,
            folders,
            settings: self.settings(source, targets),
            cwd: self.options.cwd.as_deref(),
        };
        // A filter by id has to see every contract.
        let mut loaded = if is_lazy { load.run_lazily(self.loading()) } else { load.run(self.loading()) };
        self.warn_about_directories(&mut loaded);
        // The contracts above the files of an event do not show whether an override of the root is mistaken.
        if !lenient || matches!(source, Source::Tree(_)) {
            self.check_overrides(&load, targets, &mut loaded);
        }
        if !filter.is_empty() {
            self.filter(&load, targets, &mut loaded)?;
        }
        if !lenient && !loaded.mistakes.is_empty() {
            return Err(Error::Config(loaded.mistakes));
        }
        Ok(loaded)
    }

    fn loading(&self) -> Loading {
        let Options { deadline, examples, .. } = self.options;
        Loading { deadline, examples, ..Loading::to_enforce(matcher::broken) }
    }

    /// Adds a warning for each contract whose glob is the name of a directory: such a contract checks nothing.
    fn warn_about_directories(&self, loaded: &mut Loaded) {
        let is_name = |contract: &&Contract| !contract.glob.as_str().contains(['*', '?', '[', '{', '\\']);
        let own = loaded.contracts.iter().filter(|contract| contract.origin.layer != LayerKind::Pack);
        let of_directories = own.filter(is_name).filter(|contract| {
            let base = self.root.path().join(contract.scope.base.to_native());
            base.join(contract.glob.as_str()).is_dir()
        });
        let warnings: Vec<Warning> = of_directories
            .map(|contract| {
                let glob = contract.glob.as_str();
                let what =
                    format!("'file_glob': '{glob}' is a directory, which is no file (write '{glob}/**')");
                Warning::at(&contract.origin.file, contract.glob_line, what)
            })
            .collect();
        loaded.warnings.extend(warnings);
    }

    /// Every contract of the project, nested ones included, beside `loaded`, which has those above the targets.
    fn contracts_elsewhere(&self, load: &Load<'_>, targets: &Targets) -> Vec<Contract> {
        if targets.folders.is_some() || self.committed.is_some() {
            return Vec::new();
        }
        let tree = tree::tree(&self.root, &self.location(), 1);
        let folders = folders(&self.root, &tree);
        Load { folders: &folders, ..*load }.run(self.loading()).contracts
    }

    /// Adds a mistake for each selector of an override that matches no contract of the project and of no pack.
    fn check_overrides(&self, load: &Load<'_>, targets: &Targets, loaded: &mut Loaded) {
        if self.options.locations.named.is_some() {
            return;
        }
        let all = loaded
            .configs
            .iter()
            .flat_map(|placed| placed.config.overrides.iter().map(move |one| (placed, one)));
        let all = all
            .flat_map(|(placed, one)| one.contracts.iter().map(move |selector| (placed, one.line, selector)));
        let is_known =
            |selector: &Selector, contracts: &[Contract]| contracts.iter().any(|one| selector.selects(one));
        let mut unknown: Vec<_> = all
            .filter(|(_, _, selector)| {
                !is_known(selector, &loaded.contracts) && !is_known(selector, &loaded.shadowed)
            })
            .collect();
        if unknown.is_empty() {
            return;
        }
        let mut others = self.contracts_elsewhere(load, targets);
        others.extend({
            let packs: Vec<_> = PACKS.iter().map(Layer::of_pack).collect();
            layers::load(&packs, self.loading()).contracts
        });
        unknown.retain(|(_, _, selector)| !is_known(selector, &others));
        others.extend(loaded.contracts.iter().cloned());
        let mistakes = unknown.into_iter().map(|(placed, line, selector)| {
            let what = format!("'overrides': {}", selector.no_match_message(others.iter()));
            Warning::at(&placed.file, line, what)
        });
        let mistakes: Vec<_> = mistakes.collect();
        loaded.mistakes.extend(mistakes);
    }

    /// Applies [`Options::filter`]. A selector that matches no contract of the whole project is an error, or a warning in a
    /// hook.
    fn filter(&self, load: &Load<'_>, targets: &Targets, loaded: &mut Loaded) -> Result<(), Error> {
        let Options { lenient, filter, .. } = &self.options;
        let mut unknown = filter.unknown(&loaded.contracts);
        if !unknown.is_empty() && !lenient {
            // Directories without a target may have contracts of their own.
            let mut all = self.contracts_elsewhere(load, targets);
            all.extend(loaded.contracts.iter().cloned());
            unknown = filter.unknown(&all);
        }
        if !lenient && !unknown.is_empty() {
            let (flag, message) = unknown.swap_remove(0);
            return Err(Error::UnknownContract(flag, message));
        }
        let warnings = unknown.into_iter().map(|(flag, message)| Warning::about(flag.as_ref(), message));
        loaded.warnings.extend(warnings);
        loaded.contracts.retain(|contract| filter.includes(contract));
        Ok(())
    }

    /// The directories with settings above the files of a tool call.
    fn folders_of_call(&self, call: &Call) -> Vec<RelPath> {
        let paths = call.changes.iter().map(|change| call.path(change));
        let names = paths.flat_map(|path| [self.root.relative(&path), self.root.relative(&real_path(&path))]);
        folders_above(&self.root, names.collect::<Vec<_>>().iter(), None)
    }

    /// The baseline. A hook reads it later, if a violation is open; then a broken file is a warning.
    fn recorded(&self, source: &Source, targets: &Targets) -> Result<Recorded, Error> {
        if !self.options.baseline {
            return Ok(Recorded::Nowhere);
        }
        if self.options.lenient {
            return Ok(Recorded::InFile);
        }
        let settings = self.settings(source, targets);
        let file = settings.baseline_file(&self.root).map_err(Error::Baseline)?;
        let found = settings.file(&RelPath::from(file)).map_err(Error::Baseline)?;
        let read = match found {
            Found::Here(bytes) => Baseline::parse_as(file, &bytes).map(Some),
            Found::OnDisk => Baseline::read_file(&self.root, file),
            Found::Nowhere => Ok(None),
        };
        let read = read.map_err(|broken| Error::Baseline(broken.to_string()))?;
        Ok(read.map_or(Recorded::Nowhere, |baseline| Recorded::In(Arc::new(baseline))))
    }

    /// The files of enforcement that git ignores, if the source is a state of the repository.
    fn ignored_by_git(&self, source: &Source, loaded: &Loaded) -> Vec<RelPath> {
        let is_asked = matches!(source, Source::Tree(_) | Source::Staged(_) | Source::Diff(_));
        if !is_asked || self.committed.is_some() {
            return Vec::new();
        }
        self.untracked(loaded, Untracked::Ignored)
    }

    /// The project's contracts, configurations and baseline that git does not track.
    pub fn untracked(&self, loaded: &Loaded, are: Untracked) -> Vec<RelPath> {
        let contracts = loaded.contracts.iter().chain(&loaded.shadowed);
        let own =
            contracts.filter(|one| matches!(one.origin.layer, LayerKind::Project | LayerKind::Configured));
        let mut files: Vec<PathBuf> = own.map(|contract| contract.origin.file.clone()).collect();
        files.extend(loaded.configs.iter().map(|placed| placed.file.clone()));
        files.push(baseline_file(&self.root).into());
        let mut files: Vec<PathBuf> = files.into_iter().map(|file| self.root.path().join(file)).collect();
        files.retain(|file| self.root.contains(file) && file.exists());
        files.sort_unstable();
        files.dedup();
        let found = git::untracked(&self.location(), files.iter().map(PathBuf::as_path), are);
        found.into_iter().map(|file| self.root.relative(file)).collect()
    }

    /// Whether the edit of this source is to be rewritten without its violations.
    fn fixes_in_flight(&self, source: &Source, loaded: &Loaded) -> bool {
        let (FixMode::InFlight, Source::Changes(call)) = (self.options.fixes, source) else { return false };
        let applies = |change| loaded.fixes_at(&self.root.relative(&call.path(change))) == Fixes::Apply;
        call.moment == Moment::Before && !call.changes.is_empty() && call.changes.iter().all(applies)
    }

    /// Where results are cached, if they are, and notes about it.
    fn cache(&self, loaded: &Loaded) -> (Option<cache::CacheLocation>, Vec<String>) {
        let CacheUse::On { wanted, home, program } = &self.options.cache else { return (None, Vec::new()) };
        if !wanted.or(loaded.cache()).unwrap_or(false) {
            return (None, Vec::new());
        }
        match self.cache_directory(home.clone()) {
            Some(directory) => {
                (Some(cache::CacheLocation { directory, program: program.clone() }), Vec::new())
            }
            None => (None, vec!["no directory for the cache (set HOME or XDG_CACHE_HOME)".to_owned()]),
        }
    }

    /// The cache directory: in git's directory, else in `home`, the user's cache directory.
    pub fn cache_directory(&self, home: Option<PathBuf>) -> Option<PathBuf> {
        let git = git::common_directory(&self.root, &self.location());
        git.or(home).map(|directory| directory.join(cache::FOLDER))
    }
}

/// Default number of threads: one per core.
pub fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The directories of the project that have settings of their own and hold targets.
pub fn folders(root: &Root, targets: &Targets) -> Vec<RelPath> {
    match &targets.folders {
        Some(folders) => folders.iter().filter(|folder| !folder.as_bytes().is_empty()).cloned().collect(),
        None => {
            let names = targets.targets.iter().flat_map(|target| [Some(&target.path), target.alias.as_ref()]);
            let names = names.chain(targets.gone.iter().map(Some));
            let staged = match &targets.coverage {
                Coverage::Listed(listing) => Some(listing),
                Coverage::Whole | Coverage::Shard { .. } | Coverage::Partial => None,
            };
            folders_above(root, names.flatten(), staged)
        }
    }
}

/// The files in which imports are resolved.
#[derive(Clone)]
struct View(Arc<dyn ProjectView>);

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("View")
    }
}

/// One source with its targets and the contracts that apply to them.
#[derive(Debug)]
pub struct Inspection<'p> {
    project: &'p Project,
    source: &'p Source,
    /// The files to check.
    pub targets: Targets,
    /// Contracts, configurations and what is wrong with them. [`Self::run`] takes the contracts.
    pub loaded: Loaded,
    /// The change that the source is, for contracts about changes.
    change: Option<ChangeSet>,
    /// The files in which imports are resolved.
    view: Option<View>,
    /// The matcher of the last run.
    matcher: Option<Matcher>,
    /// Every contract, kept by [`Self::run`] to fix an edit in flight.
    fix_contracts: Option<Vec<Contract>>,
    existing: Existing,
    recorded: Recorded,
    new_ignores: bool,
    cache: Option<cache::CacheLocation>,
    notes: Vec<String>,
    /// Contracts, configurations and the baseline that git ignores.
    pub ignored_by_git: Vec<RelPath>,
    /// The owners of contracts whose pattern is broken.
    dropped: Vec<ContractOwner>,
    phases: Phases,
}

impl<'p> Inspection<'p> {
    /// The project.
    pub fn project(&self) -> &'p Project {
        self.project
    }

    /// The source.
    pub fn source(&self) -> &'p Source {
        self.source
    }

    /// The baseline.
    pub fn recorded(&self) -> &Recorded {
        &self.recorded
    }

    /// The matcher that [`Self::run`] or [`Self::compile`] built.
    pub fn matcher(&self) -> Option<&Matcher> {
        self.matcher.as_ref()
    }

    /// A matcher of every contract whatever its severity, if the edit is to be fixed in flight.
    pub fn fix_matcher(&self) -> Option<Matcher> {
        Some(self.resolving(Matcher::new(self.fix_contracts.clone()?, self.matching())))
    }

    /// How targets are scanned.
    pub fn scanning(&self) -> scan::ScanOptions<'static> {
        let Options { max_file_size, measure, fixes, .. } = self.project.options;
        let several =
            self.targets.targets.len() > 1 || matches!(self.targets.coverage, Coverage::Shard { .. });
        scan::ScanOptions {
            threads: if several { self.project.threads() } else { 1 },
            max_file_size,
            existing: self.existing,
            added_ignores: self.new_ignores,
            measure,
            propose_fixes: fixes == FixMode::Propose,
            cache: None,
        }
    }

    /// The matcher, with imports resolved in the files of the source.
    fn resolving(&self, matcher: Matcher) -> Matcher {
        if let Some(View(view)) = &self.view {
            matcher.resolve_in(Arc::clone(view));
        }
        matcher
    }

    fn matching(&self) -> matcher::Options {
        let Options { deadline, timeout, directives, .. } = self.project.options;
        matcher::Options {
            limits: Limits { deadline, ..Limits::default() },
            exempt: self.loaded.exempt(&self.project.root),
            exclude: self.loaded.configs.iter().filter_map(config::DirectoryConfig::excluded).collect(),
            ..matcher::Options::new(timeout, directives)
        }
    }

    /// Builds the matcher from the enabled contracts. Returns the warnings about contract files.
    pub fn compile(&mut self) -> Vec<Warning> {
        let contracts = self.take_contracts();
        self.build_matcher(contracts)
    }

    /// The enabled contracts, with overrides applied.
    fn take_contracts(&mut self) -> Vec<Contract> {
        Contract::all_with_overrides(std::mem::take(&mut self.loaded.contracts))
    }

    /// The warnings about contract files and configuration.
    fn take_warnings(&mut self) -> Vec<Warning> {
        let mut warnings = std::mem::take(&mut self.loaded.warnings);
        warnings.append(&mut self.loaded.mistakes);
        warnings
    }

    /// Without a deadline every pattern is parsed and validated; with one, only those that a path selects.
    fn build_matcher(&mut self, mut contracts: Vec<Contract>) -> Vec<Warning> {
        let mut warnings = self.take_warnings();
        if let Some(kept) = &mut self.fix_contracts {
            kept.clone_from(&contracts);
        }
        let Options { severity, min_severity, deadline, .. } = self.project.options;
        let min = if self.new_ignores { Severity::Warning } else { min_severity };
        if severity.is_some() || min > Severity::Warning {
            contracts.retain(|contract| {
                contract.severity >= min && severity.is_none_or(|severity| contract.severity == severity)
            });
        }
        let matcher = match deadline.is_never() {
            true => {
                let mut dropped = owners(&contracts);
                let (matcher, mut broken) = Matcher::validated(contracts, self.matching());
                warnings.append(&mut broken);
                for contract in matcher.contracts() {
                    let owner = ContractOwner::from(contract.origin.layer);
                    if let Some(at) = dropped.iter().position(|one| *one == owner) {
                        dropped.swap_remove(at);
                    }
                }
                self.dropped = dropped;
                matcher
            }
            false => Matcher::new(contracts, self.matching()),
        };
        self.matcher = Some(self.resolving(matcher));
        self.phases.end(Phase::ContractsCompiled);
        warnings
    }

    /// Scans the targets and decides the state of each violation.
    pub fn run(&mut self, watch: &dyn ProgressSink) -> Report {
        let mut notes = self.notes();
        let has_contracts = !self.loaded.contracts.is_empty();
        let loads = LoadedFiles::of(&self.loaded);
        let contracts = self.take_contracts();
        if contracts.is_empty() {
            let only_broken = loads.are_all_broken(&self.project.options.filter, &[]);
            let report = self.without_contracts(has_contracts, notes);
            return Report { only_broken, ..report };
        }
        let mut warnings = self.build_matcher(contracts);
        let Some(matcher) = &self.matcher else { return Report::default() };
        let cache = self.open_cache(matcher);
        let options = scan::ScanOptions { cache: cache.as_ref(), ..self.scanning() };
        let mut report = scan(matcher, &self.targets, options, watch);
        notes.extend(cache.map(|cache| cache.save(&self.targets)).unwrap_or_default());
        let root = &self.project.root;
        let outside = FilesOutsideCheckout::new(root, self.project.project_location());
        // The staged files include those that a sparse checkout leaves out.
        if !matches!(self.source, Source::Staged(_)) {
            report.violations.retain(|Violation { contract, .. }| {
                contract.check != Check::Exists || !outside.any(&|path| contract.applies_to(path, None))
            });
        }
        self.judge_changes(matcher, &outside, &mut report);
        let baseline = recorded(&self.recorded, root, &report).unwrap_or_else(|broken| {
            warnings.push(broken);
            None
        });
        let present = ProjectFiles { root, targets: &self.targets };
        let is_gone = |path: &RelPath| !present.has(path) && !outside.has(path);
        if self.targets.coverage == Coverage::Whole {
            let entries = baseline.iter().flat_map(|baseline| baseline.iter()).map(|(entry, _)| &entry.path);
            let is_outside = |path: &&String| {
                let path = RelPath::from(path.as_str());
                !present.has(&path) && outside.has(&path)
            };
            report.outside_checkout = entries.filter(is_outside).cloned().collect();
        }
        let search = |ids: &BTreeSet<&str>| self.violations_elsewhere(matcher, ids);
        let is_part = matches!(self.targets.coverage, Coverage::Shard { .. }) || self.project.options.lenient;
        let tolerated = baseline.as_ref().map(|baseline| BaselineInput {
            baseline,
            is_gone: &is_gone,
            others: if is_part { OtherFiles::Search(&search) } else { OtherFiles::None },
            seen: if self.targets.coverage == Coverage::Whole { Scanned::Everything } else { Scanned::Some },
        });
        decide_states(&mut report, tolerated.as_ref());
        // With part of the contracts, or a baseline that the change cannot edit, stale entries are unknown.
        let Options { severity, deadline, .. } = self.project.options;
        if severity.is_some() || self.project.committed.is_some() {
            report.stale = None;
        }
        if !deadline.is_never() {
            warnings.append(&mut matcher.warnings());
        }
        warnings.sort();
        self.phases.end(Phase::FilesScanned);
        Report {
            warnings,
            only_broken: loads.are_all_broken(&self.project.options.filter, &self.dropped),
            ignored_by_git: std::mem::take(&mut self.ignored_by_git),
            strict: self.loaded.strict(),
            notes,
            phases: self.phases.taken(),
            ..report
        }
    }

    /// Judges the contracts about changes and companions.
    fn judge_changes(&self, matcher: &Matcher, outside: &FilesOutsideCheckout<'_>, report: &mut Report) {
        let project = self.project;
        if let Some(change) = &self.change {
            let others = |wanted: &dyn Fn(&RelPath) -> bool| {
                let (location, deadline) = (project.project_location(), project.options.deadline);
                git::uncommitted(&project.root, &location, wanted, deadline)
                    .map_err(|error| unreadable(&error))
            };
            let max_file_size = project.options.max_file_size;
            let options = ChangeOptions { max_file_size, existing: self.existing, others: &others };
            judge_change(matcher, change, &options, report);
        } else if let Source::Tree(_) = self.source {
            let present = ProjectFiles { root: &project.root, targets: &self.targets };
            let max_file_size = project.options.max_file_size;
            let has = |path: &RelPath| present.has(path) || outside.has(path);
            judge_companions(matcher, &self.targets.targets, &has, max_file_size, report);
        }
    }

    /// The violations of these contracts in the files of the project that are not targets; `None` if there is not enough time.
    fn violations_elsewhere(&self, matcher: &Matcher, ids: &BTreeSet<&str>) -> Option<Vec<Violation>> {
        let project = self.project;
        let rest = match &self.targets.coverage {
            Coverage::Shard { rest, .. } => rest.clone(),
            _ => {
                let own: BTreeSet<&RelPath> =
                    self.targets.targets.iter().map(|target| &target.path).collect();
                let mut rest = tree::tree(&project.root, &project.location(), project.threads()).targets;
                rest.retain(|target| !own.contains(&target.path));
                rest
            }
        };
        let contracts = matcher.contracts().iter().filter(|contract| ids.contains(contract.id.as_str()));
        let matcher = Matcher::new(contracts.map(|contract| (**contract).clone()).collect(), self.matching());
        let matcher = self.resolving(matcher);
        let options = scan::ScanOptions {
            threads: project.threads(),
            existing: Existing::Deny,
            added_ignores: false,
            measure: Measure::Nothing,
            propose_fixes: false,
            ..self.scanning()
        };
        let mut violations = Vec::new();
        for some in rest.chunks(CHUNK) {
            let some = Targets { targets: some.to_vec(), ..Targets::none() };
            violations.extend(scan(&matcher, &some, options, &()).violations);
            if project.options.deadline.has_passed() {
                return None;
            }
        }
        Some(violations)
    }

    /// The report if no contract is enabled, or if the source has nothing to check.
    fn without_contracts(&mut self, has_disabled: bool, mut notes: Vec<String>) -> Report {
        let no_contracts = !self.source.is_empty(&self.targets);
        let is_lenient = self.project.options.lenient;
        let mut warnings = self.take_warnings();
        let is_broken = warnings.iter().any(Warning::skips_contract);
        if no_contracts && !is_lenient && !is_broken {
            let places = self.loaded.from.iter().filter_map(Layer::directory);
            let places: Vec<String> = places.map(|one| one.shown.display().to_string()).collect();
            let places = places.join(" or ");
            notes.push(match has_disabled {
                true => "every contract is disabled ('phaser contracts list --long' shows where)".to_owned(),
                false => {
                    format!("no contracts in {places}: add one with 'phaser init', or try '--pack secrets'")
                }
            });
        }
        let skipped = match no_contracts && is_lenient {
            true => Vec::new(),
            false => std::mem::take(&mut self.targets.skipped),
        };
        warnings.sort();
        Report {
            warnings,
            skipped,
            no_contracts,
            ignored_by_git: std::mem::take(&mut self.ignored_by_git),
            strict: self.loaded.strict(),
            notes,
            phases: self.phases.taken(),
            ..Report::default()
        }
    }

    fn notes(&mut self) -> Vec<String> {
        let mut notes: Vec<String> = self.loaded.notes().collect();
        notes.append(&mut self.notes);
        notes
    }

    /// The cache, unless it is off or reading it would take longer than the check.
    fn open_cache(&self, matcher: &Matcher) -> Option<Cache> {
        let place = self.cache.as_ref()?;
        if self.new_ignores || !self.project.options.deadline.is_never() {
            return None;
        }
        let is_whole = matches!(self.targets.coverage, Coverage::Whole | Coverage::Shard { .. });
        if !is_whole && self.targets.targets.len() <= FEW {
            return None;
        }
        let Options { max_file_size, fixes, .. } = self.project.options;
        let inputs = cache::Inputs {
            root: &self.project.root,
            contracts: matcher.contracts(),
            options: matcher.options(),
            max_file_size,
            has_fixes: fixes == FixMode::Propose,
        };
        Some(Cache::open(place, inputs))
    }
}

/// The gap that a repository leaves which cannot be read.
fn unreadable(error: &GitError) -> Skipped {
    Skipped { path: RelPath::from("."), why: SkipReason::Unreadable(error.to_string()) }
}

/// The owners of contracts.
fn owners<'c>(contracts: impl IntoIterator<Item = &'c Contract>) -> Vec<ContractOwner> {
    contracts.into_iter().map(|contract| contract.origin.layer.into()).collect()
}

/// The contract files of a run, by owner: a run in which none of them loads has checked nothing.
struct LoadedFiles {
    /// The owners of contracts that were read, disabled ones included.
    read: Vec<ContractOwner>,
    /// The owners of files that hold no contract.
    broken: BTreeSet<ContractOwner>,
}

impl LoadedFiles {
    fn of(loaded: &Loaded) -> Self {
        let read = owners(loaded.contracts.iter().chain(&loaded.shadowed));
        Self { read, broken: loaded.broken.clone() }
    }

    /// Whether an owner has contract files of which none loads, or the filter selects only broken contracts. `dropped` has
    /// the owners of contracts whose pattern is broken.
    fn are_all_broken(&self, filter: &ContractFilter, dropped: &[ContractOwner]) -> bool {
        if !filter.is_empty() {
            return !dropped.is_empty() && dropped.len() == self.read.len();
        }
        let count = |owners: &[ContractOwner], owner| owners.iter().filter(|one| **one == owner).count();
        let is_broken = |owner| self.broken.contains(&owner) || dropped.contains(&owner);
        let owners = [ContractOwner::Project, ContractOwner::User];
        owners.into_iter().any(|owner| is_broken(owner) && count(&self.read, owner) == count(dropped, owner))
    }
}

/// Measures the phases of a check, if that is wanted.
#[derive(Debug)]
struct Phases(Option<(std::time::Instant, Vec<(Phase, Duration)>)>);

impl Phases {
    fn new(measure: Measure) -> Self {
        Self((measure == Measure::Costs).then(|| (std::time::Instant::now(), Vec::new())))
    }

    /// Ends a phase; the next one starts.
    fn end(&mut self, phase: Phase) {
        if let Some((start, phases)) = &mut self.0 {
            phases.push((phase, start.elapsed()));
            *start = std::time::Instant::now();
        }
    }

    fn taken(&mut self) -> Vec<(Phase, Duration)> {
        self.0.as_mut().map(|(_, phases)| std::mem::take(phases)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use std::collections::HashSet;

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

    fn open_paths(report: &Report) -> Vec<String> {
        report.open().map(|violation| violation.path.to_string()).collect()
    }

    #[test]
    fn checks_same_project_twice() {
        let directory = project();
        let project = Project::builder(directory.path()).build().expect("a project");
        let report = project.check(&Source::Tree(None)).expect("checked");
        assert_eq!(open_paths(&report), ["src/a.txt"], "contract files are exempt");
        assert_eq!(report.warnings.len(), 1);
        fs::write(directory.path().join("src/a.txt"), "y").expect("written");
        assert_eq!(open_paths(&project.check(&Source::Tree(None)).expect("checked")), [""; 0]);
    }

    #[test]
    fn rejects_missing_root_and_unknown_pack() {
        let directory = project();
        assert!(Project::builder(directory.path().join("gone")).build().is_err());
        assert!(Project::builder(directory.path()).packs(["no-such-pack"]).build().is_err());
    }

    #[test]
    fn adds_packs_and_user_contracts() {
        let directory = project();
        let user = tempfile::tempdir().expect("a temporary directory");
        let contract =
            "rule_id: no-q\ntype: forbid_pattern\npattern: q\nfile_glob: '**'\nmessage: m\nseverity: error\n";
        fs::write(user.path().join("no-q.yaml"), contract).expect("written");
        fs::write(directory.path().join("q.js"), "q\ndebugger;\n").expect("written");
        let builder = Project::builder(directory.path()).packs(["hygiene"]).user_contracts(user.path());
        let report = builder.build().expect("a project").check(&Source::Tree(None)).expect("checked");
        let ids: HashSet<&str> = report.open().map(|violation| violation.contract.id.as_str()).collect();
        assert!(ids.contains("no-q") && ids.contains("debugger-javascript"), "{ids:?}");
    }

    #[test]
    fn goes_to_other_threads() {
        fn is_send<T: Send>() {}
        is_send::<Project>();
        is_send::<Report>();
        is_send::<Targets>();
        is_send::<Matcher>();
    }
}
