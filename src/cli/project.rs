//! The project of a command: its root, where its contracts come from, how its paths are shown, and what a check of all of it
//! finds today.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::bail;

use super::args::shared::Packs;
use super::environment::Environment;
use super::{names_are, to_stderr};
use crate::progress::Progress;
use crate::report::here::Here;
use phaser_core::contract::{LayerKind, Severity, Warning};
use phaser_project::config::Existing;
use phaser_project::contracts::layers::Layer;
use phaser_project::contracts::read::ContractDirectory;
use phaser_project::packs::Pack;
use phaser_project::path::{CONFIG, PROJECT_CONTRACTS, RelPath, Root, RootHints, TOP_CONFIG, find_root};
use phaser_project::project::by_file::ByFile;
use phaser_project::project::load::Extra;
use phaser_project::project::{Options, Project, Recorded};
use phaser_project::report::Report;
use phaser_project::source::git::Untracked;
use phaser_project::source::{Source, Targets};

impl Environment {
    /// The root of the project that the current directory is in.
    pub fn root(&self) -> Root {
        find_root(RootHints { named: None, cwd: &self.cwd, file: None, home: self.home.as_deref() })
    }

    /// The current directory within the project. Of the given paths, those outside the project are shown as absolute.
    pub fn here<'a>(&self, root: &Root, given: impl Iterator<Item = &'a PathBuf>) -> Here {
        if !root.contains(&self.cwd) {
            return Here::default();
        }
        let given = given.map(|path| self.cwd.join(path));
        let outside = given.filter(|path| !root.contains(path)).map(|path| root.relative(&path));
        Here::new(&root.relative(&self.cwd), outside.collect())
    }
}

/// The project's path in its repository; empty without a repository.
pub fn path_in_repository(root: &Root) -> RelPath {
    let root = root.path();
    let repository = root.ancestors().find(|directory| directory.join(".git").exists());
    let inside = repository.and_then(|repository| root.strip_prefix(repository).ok());
    inside.map_or_else(|| RelPath::from(""), RelPath::from_native)
}

/// Prints warnings about contract files to stderr.
pub fn print_warnings<'a>(warnings: impl IntoIterator<Item = &'a Warning>) {
    warnings.into_iter().flat_map(Warning::lines).for_each(to_stderr);
}

/// Prints to stderr which files of enforcement git ignores.
pub fn print_ignored(paths: &[RelPath]) {
    if !paths.is_empty() {
        let are = names_are(paths);
        to_stderr(format_args!(
            "phaser: {are} ignored by git: other clones and CI run without (change .gitignore)"
        ));
    }
}

/// Prints warnings about contract files, and gaps, to stderr.
pub fn print_gaps(report: &Report) {
    print_warnings(&report.warnings);
    for skipped in report.gaps() {
        to_stderr(format_args!("phaser: not checked: {}: {}", skipped.path, skipped.why));
    }
}

/// The user's directory, also used by version 1.2, in the home directory or in a project.
const STORAGE: &str = ".phaser";
const CONTRACTS: &str = "contracts";

/// The directories and packs of a run. `--contracts-dir` replaces every directory; the user's comes after the project's.
pub fn extra(named: Option<&Path>, packs: &Packs, environment: &Environment) -> anyhow::Result<Extra> {
    let named = named.map(|named| named_directory(named, environment)).transpose()?;
    let user = user(environment);
    Ok(Extra { named, user, packs: packs.chosen().collect(), ..Extra::default() })
}

/// The same for `phaser contracts`, which also searches the directories of version 1.2, first.
pub fn extra_with_older(
    named: Option<&Path>,
    packs: &Packs,
    root: &Root,
    environment: &Environment,
) -> anyhow::Result<Extra> {
    let extra = extra(named, packs, environment)?;
    Ok(if extra.named.is_some() { extra } else { with_older(extra, root, environment) })
}

fn user(environment: &Environment) -> Option<ContractDirectory> {
    let inside = Path::new(STORAGE).join(CONTRACTS);
    environment.home.as_ref().map(|home| ContractDirectory {
        kind: LayerKind::User,
        path: home.join(&inside),
        shown: Path::new("~").join(&inside),
        nested_only: false,
    })
}

/// Adds the directories of version 1.2. A `.phaser` directory in or above the current one replaces the user's, even if empty.
fn with_older(extra: Extra, root: &Root, environment: &Environment) -> Extra {
    let user = extra.user;
    let nearest = environment.cwd.ancestors().map(|above| above.join(STORAGE)).find(|path| path.is_dir());
    let nearest = nearest.map(|storage| storage.join(CONTRACTS));
    let is_users = |path: &PathBuf| user.as_ref().is_some_and(|user| user.path == *path);
    let nearest = nearest.filter(|path| !is_users(path));
    let stored =
        environment.storage_dir.as_ref().map(|storage| environment.cwd.join(storage).join(CONTRACTS));
    let user = user.filter(|_| nearest.is_none());
    let mut older: Vec<ContractDirectory> = Vec::new();
    for path in stored.into_iter().chain(nearest) {
        let shown = path.strip_prefix(root.path()).unwrap_or(&path).to_owned();
        if !older.iter().any(|known| known.path == path) {
            older.push(ContractDirectory { kind: LayerKind::Project, path, shown, nested_only: true });
        }
    }
    let user = user.filter(|user| !older.iter().any(|known| known.path == user.path));
    Extra { older, user, ..extra }
}

fn named_directory(named: &Path, environment: &Environment) -> anyhow::Result<ContractDirectory> {
    let path = environment.cwd.join(named);
    if let Err(error) = std::fs::read_dir(&path) {
        bail!("--contracts-dir {}: not a readable directory: {error}; name one that is", named.display());
    }
    Ok(ContractDirectory { kind: LayerKind::Named, path, shown: named.to_owned(), nested_only: false })
}

/// The violations of a project today.
pub struct Today {
    /// The report; open violations are in no baseline.
    pub report: Report,
    /// Number of contracts of the project's own.
    pub own_contracts: usize,
    /// The enabled packs.
    pub packs: Vec<&'static Pack>,
    /// How previous violations of each file count.
    pub existing: ByFile<Existing>,
    /// The baseline.
    pub recorded: Recorded,
    /// Contracts, configurations and baseline that are not in git yet.
    pub untracked: Vec<RelPath>,
}

/// The files of the project.
pub fn targets(root: &Root, environment: &Environment) -> anyhow::Result<Targets> {
    let options = Options { git: Some(environment.git.clone()), ..Options::default() };
    Ok(Project::load(root.clone(), options)?.targets(&Source::Tree(None), None)?)
}

/// Checks the whole project, with these packs in addition to the configured ones.
pub fn check(root: &Root, environment: &Environment, packs: Vec<&'static Pack>) -> anyhow::Result<Today> {
    let options = Options {
        locations: Extra { packs, ..extra(None, &Packs::default(), environment)? },
        existing: Some(Existing::Deny),
        cwd: Some(environment.cwd.clone()),
        git: Some(environment.git.clone()),
        ..Options::default()
    };
    let project = Project::load(root.clone(), options)?;
    let source = Source::Tree(None);
    let mut inspection = project.inspect(&source)?;
    let loaded = &inspection.loaded;
    let existing = loaded.existing_by_file();
    let packs = loaded.from.iter().filter_map(Layer::pack).collect();
    let all = loaded.contracts.iter().chain(&loaded.shadowed);
    let own_contracts = all.filter(|contract| contract.origin.layer == LayerKind::Project).count();
    let recorded = inspection.recorded().clone();
    let untracked = project.untracked(loaded, Untracked::New);
    let progress = Progress::new(environment.stderr_is_terminal());
    let report = inspection.run(&progress);
    Ok(Today { report, own_contracts, packs, existing, recorded, untracked })
}

impl Today {
    /// Files that no agent can edit: an old error denies every edit.
    pub fn trapped(&self) -> BTreeSet<RelPath> {
        let errors = self.report.open().filter(|violation| violation.contract.severity == Severity::Error);
        let in_files = errors.filter(|violation| !violation.contract.check.is_about_project());
        let denied = in_files.filter(|violation| self.existing.at(&violation.path) == Existing::Deny);
        denied.map(|violation| violation.path.clone()).collect()
    }
}

/// Whether the directory is a project, so that scanning all of it is expected.
pub fn is_project(root: &Root) -> bool {
    [CONFIG, TOP_CONFIG, PROJECT_CONTRACTS, ".git"].iter().any(|name| root.path().join(name).exists())
}
