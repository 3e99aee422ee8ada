//! The violations of a project today, for `init` and `install`.

use std::collections::BTreeSet;

use super::environment::Environment;
use super::packs::Packs;
use super::places;
use crate::progress::{Progress, Visible};
use phaser_core::contract::{LayerKind, Severity};
use phaser_project::config::Existing;
use phaser_project::contracts::layers::Layer;
use phaser_project::packs::Pack;
use phaser_project::path::{CONFIG, PROJECT_CONTRACTS, RelPath, Root};
use phaser_project::project::by_file::ByFile;
use phaser_project::project::load::Extra;
use phaser_project::project::{Options, Project, Recorded};
use phaser_project::report::Report;
use phaser_project::source::{Source, Targets};

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
}

/// The files of the project.
pub fn targets(root: &Root, environment: &Environment) -> anyhow::Result<Targets> {
    let options = Options { git: Some(environment.git.clone()), ..Options::default() };
    Ok(Project::load(root.clone(), options)?.targets(&Source::Tree(None), None)?)
}

/// Checks the whole project, with these packs in addition to the configured ones.
pub fn check(root: &Root, environment: &Environment, packs: Vec<&'static Pack>) -> anyhow::Result<Today> {
    let options = Options {
        locations: Extra { packs, ..places::extra(None, &Packs::default(), environment)? },
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
    let progress = Progress::new(if environment.stderr_is_terminal() { Visible::Yes } else { Visible::No });
    let report = inspection.run(&progress);
    Ok(Today { report, own_contracts, packs, existing, recorded })
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
    [CONFIG, PROJECT_CONTRACTS, ".git"].iter().any(|name| root.path().join(name).exists())
}
