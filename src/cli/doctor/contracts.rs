//! Which contracts a project has, as `phaser doctor` shows them.

use super::Diagnosis;
use crate::cli::args::shared::Packs;
use crate::cli::environment::Environment;
use crate::cli::install::show;
use crate::cli::names_are;
use crate::cli::project::extra;
use phaser_core::contract::Contract;
use phaser_core::matcher;
use phaser_project::cache::used;
use phaser_project::contracts::layers::Layer;
use phaser_project::path::{RootHints, find_root};
use phaser_project::project::load::Loaded;
use phaser_project::project::{Inspection, Options, Project};
use phaser_project::source::Source;
use phaser_project::source::git::Untracked;

/// Which contracts load, and which do not?
pub fn check(environment: &Environment, diagnosis: &mut Diagnosis) -> anyhow::Result<()> {
    let named = environment.claude_project_dir.as_deref();
    let root =
        find_root(RootHints { named, cwd: &environment.cwd, file: None, home: environment.home.as_deref() });
    let options = Options {
        locations: extra(None, &Packs::default(), environment)?,
        lenient: true,
        git: Some(environment.git.clone()),
        ..Options::default()
    };
    let project = Project::load(root, options)?;
    let source = Source::Tree(None);
    let Inspection { loaded, ignored_by_git, .. } = project.inspect(&source)?;
    for path in &ignored_by_git {
        diagnosis.problem(
            format!("{path} is ignored by git"),
            "change .gitignore; other clones and CI run without it",
        );
    }
    let untracked = project.untracked(&loaded, Untracked::New);
    if !untracked.is_empty() {
        diagnosis.note(format!("{} not in git yet: commit, or CI runs without", names_are(&untracked)));
    }
    report_cache(&loaded, &project, environment, diagnosis);
    for placed in &loaded.configs {
        diagnosis.ok(format!("{} is in order", placed.file.display()));
    }
    for mistake in &loaded.mistakes {
        diagnosis.problem(mistake.to_string(), "fix that line; until then the configuration does not apply");
    }
    for pack in loaded.from.iter().filter_map(Layer::pack) {
        diagnosis.ok(format!("the pack {} is in use", pack.name));
    }
    for directory in loaded.from.iter().filter_map(Layer::directory) {
        let here = loaded.contracts.iter().filter(|one| one.origin.file.starts_with(&directory.shown));
        let here: Vec<&Contract> = here.collect();
        if !here.is_empty() {
            diagnosis.ok(format!("{} has {}", directory.shown.display(), named_or_counted(&here)));
        }
    }
    loaded.notes().for_each(|note| diagnosis.ok(note));
    let enabled = loaded.contracts.iter().filter(|contract| contract.enabled);
    for warning in loaded.warnings.iter().cloned().chain(enabled.filter_map(matcher::broken)) {
        let fix = "fix that line; until then the contract is not checked as written";
        diagnosis.problem_at(warning.to_string(), warning.excerpt.as_ref(), fix);
    }
    diagnosis.contracts = loaded.contracts.iter().filter(|contract| contract.enabled).count();
    if diagnosis.contracts == 0 {
        diagnosis.problem("there are no contracts that could be violated", "run 'phaser init'");
    }
    Ok(())
}

/// Where the cache is, and its size.
fn report_cache(loaded: &Loaded, project: &Project, environment: &Environment, diagnosis: &mut Diagnosis) {
    let Some(directory) = project.cache_directory(environment.cache_home()) else { return };
    let (used, shown) = (used(&directory), show(&directory, environment));
    let size = match used.bytes {
        0 => "nothing yet".to_owned(),
        bytes => format!("{} KB", bytes.div_ceil(1024)),
    };
    match (loaded.cache(), used.files) {
        (Some(true), _) => diagnosis.ok(format!("results are kept in {shown} ({size})")),
        (Some(false) | None, 0) => {}
        (Some(false) | None, _) => {
            diagnosis
                .ok(format!("results of runs with --cache are in {shown} ({size}); hooks never use them"));
        }
    }
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

/// Number of contracts listed by name.
const MOST_NAMES: usize = 10;
