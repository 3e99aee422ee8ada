//! `phaser contracts`: one file per subcommand.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::args::shared::{Packs, print_json};
use super::environment::Environment;
use super::project::{self, print_warnings};
use super::to_stderr;
use crate::exit::Exit;
use phaser_core::contract::scope::FileSet;
use phaser_core::contract::syntax::Switch;
use phaser_core::contract::syntax::schema;
use phaser_core::contract::{Contract, LayerKind};
use phaser_core::matcher;
use phaser_core::sanitize::inert;
use phaser_core::suggest::nearest;
use phaser_project::config::{self, DirectoryConfig};
use phaser_project::contracts::layers::{self, Layer, Loading};
use phaser_project::contracts::read::ContractDirectory;
use phaser_project::packs::{PACKS, Pack};
use phaser_project::path::{RelPath, Root};
use phaser_project::project::load::{Extra, Loaded};
use phaser_project::project::{Inspection, Options, Project};
use phaser_project::source::{Source, Targets};

mod backtest;
pub mod check;
pub mod create;
mod export;
mod import;
pub mod json;
mod lint;
mod list;
mod packs;
pub mod show;
mod switch;
mod test;

/// `phaser contracts`.
#[derive(Debug, Args)]
pub struct Contracts {
    #[command(subcommand)]
    command: ContractsCommand,
}

#[derive(Debug, Subcommand)]
enum ContractsCommand {
    /// Check the project and report pass or fail per contract
    Check(check::CheckArgs),
    /// List the contracts
    List(list::List),
    /// Show one contract in full
    Show(show::Show),
    /// Write a new contract
    Create(Box<create::Create>),
    /// Write contracts for the rules of other tools
    Import(import::Import),
    /// Run the examples of contracts
    Test(test::Test),
    /// Show what a contract finds today and which commits it would have refused
    Backtest(backtest::Backtest),
    /// Find contracts and ignore directives that have no effect or a doubtful one
    Lint(lint::Lint),
    /// Write the contracts into AGENTS.md, for agents without hooks
    Export(export::Export),
    /// Enable a contract in its file
    Enable(switch::SwitchArgs),
    /// Disable a contract in its file
    Disable(switch::SwitchArgs),
    /// Print the JSON Schema of contracts or of the configuration
    Schema {
        /// Print the schema of the configuration, .claude/phaser.yaml
        #[arg(long)]
        config: bool,
    },
    /// List the built-in packs, or the contracts of one
    Packs(packs::PacksArgs),
}

/// Runs `phaser contracts`.
pub fn run(args: &Contracts, environment: &Environment) -> anyhow::Result<Exit> {
    match &args.command {
        ContractsCommand::Check(args) => check::run(args, environment, check::to_json),
        ContractsCommand::List(args) => list::run(args, environment),
        ContractsCommand::Show(args) => show::run(args, environment),
        ContractsCommand::Create(args) => create::run(args, environment),
        ContractsCommand::Import(args) => import::run(args, environment),
        ContractsCommand::Test(args) => test::run(args, environment),
        ContractsCommand::Backtest(args) => backtest::run(args, environment),
        ContractsCommand::Lint(args) => lint::run(args, environment),
        ContractsCommand::Export(args) => export::run(args, environment),
        ContractsCommand::Enable(args) => switch::run(args, environment, Switch::On),
        ContractsCommand::Disable(args) => switch::run(args, environment, Switch::Off),
        ContractsCommand::Schema { config } => {
            print_json(&if *config { config::schema() } else { schema() })?;
            Ok(Exit::Clean)
        }
        ContractsCommand::Packs(args) => packs::run(args, environment),
    }
}

/// Where contracts come from.
#[derive(Debug, Default, Args)]
pub struct Where {
    /// Project root [default: found from the current directory]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,

    /// Read contracts from this directory only
    #[arg(long, value_name = "PATH")]
    contracts_dir: Option<PathBuf>,

    #[command(flatten)]
    packs: Packs,
}

/// A project with its files and all its contracts.
pub struct LoadedProject {
    pub root: Root,
    pub loaded: Loaded,
    pub targets: Targets,
    /// Contracts, configurations and the baseline that git ignores.
    pub ignored_by_git: Vec<RelPath>,
}

impl Where {
    /// Loads the project and prints warnings and notes to stderr.
    pub fn project(&self, environment: &Environment) -> anyhow::Result<LoadedProject> {
        let project = self.quiet_project(environment)?;
        print_warnings(&project.loaded.warnings);
        project.loaded.notes().for_each(|note| to_stderr(format_args!("phaser: {note}")));
        Ok(project)
    }

    /// Loads the project and prints nothing.
    pub fn quiet_project(&self, environment: &Environment) -> anyhow::Result<LoadedProject> {
        let root = self.root(environment)?;
        let locations = self.locations(&root, environment)?;
        LoadedProject::load(root, locations, environment)
    }

    /// Whether a contract is the project's own or of a pack that a flag names. A pack of the configuration is neither.
    fn includes(&self, contract: &Contract) -> bool {
        let Some(name) = pack_of(contract) else { return true };
        self.packs.chosen().any(|pack| pack.name == name)
    }

    fn root(&self, environment: &Environment) -> anyhow::Result<Root> {
        let Some(root) = &self.root else { return Ok(environment.root()) };
        let root = environment.cwd.join(root);
        anyhow::ensure!(root.is_dir(), "--root {}: not a directory", root.display());
        Ok(Root::new(root))
    }

    /// The contract directories and packs, those of version 1.2 included.
    fn locations(&self, root: &Root, environment: &Environment) -> anyhow::Result<Extra> {
        project::extra_with_older(self.contracts_dir.as_deref(), &self.packs, root, environment)
    }
}

impl LoadedProject {
    /// Loads the contracts of the whole project.
    pub fn load(root: Root, locations: Extra, environment: &Environment) -> anyhow::Result<Self> {
        let options = Options {
            locations,
            examples: true,
            git: Some(environment.git.clone()),
            baseline: false,
            ..Options::default()
        };
        let project = Project::load(root, options)?;
        let source = Source::Tree(None);
        let inspection = project.inspect(&source)?;
        let Inspection { loaded, targets, ignored_by_git, .. } = inspection;
        Ok(Self { root: project.root().clone(), loaded, targets, ignored_by_git })
    }

    /// The contracts in use, enabled or not.
    pub fn contracts(&self) -> &[Contract] {
        &self.loaded.contracts
    }

    /// The contract with this id.
    pub fn find(&self, id: &str) -> anyhow::Result<&Contract> {
        let found = self.contracts().iter().find(|contract| contract.id == id);
        found.ok_or_else(|| {
            let ids = self.contracts().iter().map(|contract| contract.id.as_str());
            no_such_contract(id, nearest(id, ids).map(str::to_owned))
        })
    }

    /// The contract with this id, from the project or from any pack.
    pub fn any(&self, id: &str) -> Option<Contract> {
        let own = self.contracts().iter().find(|contract| contract.id == id).cloned();
        own.or_else(|| all_packs().contracts.into_iter().find(|contract| contract.id == id))
    }

    /// The same, or an error that suggests the nearest id.
    pub fn find_anywhere(&self, id: &str) -> anyhow::Result<Contract> {
        self.any(id).ok_or_else(|| no_such_contract(id, self.nearest_id(id)))
    }

    /// The nearest id in the project or in any pack.
    pub fn nearest_id(&self, id: &str) -> Option<String> {
        let packs = all_packs();
        let all = self.contracts().iter().chain(&packs.contracts);
        nearest(id, all.map(|contract| contract.id.as_str())).map(str::to_owned)
    }

    /// The file of a contract on disk; pack contracts have none.
    pub fn file_of(&self, contract: &Contract) -> Option<PathBuf> {
        let is_pack = contract.origin.layer == LayerKind::Pack;
        self.path_of(&contract.origin.file).filter(|_| !is_pack)
    }

    /// The path on disk of a contract file, from its displayed path.
    pub fn path_of(&self, shown: &Path) -> Option<PathBuf> {
        let inside = |directory: &ContractDirectory| {
            Some(directory.path.join(shown.strip_prefix(&directory.shown).ok()?))
        };
        self.directories().filter_map(inside).find(|file| file.is_file())
    }

    /// The contract directories.
    pub fn directories(&self) -> impl DoubleEndedIterator<Item = &ContractDirectory> {
        self.loaded.from.iter().filter_map(Layer::directory)
    }

    /// The files that a contract is checked on.
    pub fn checked_on(&self, contract: &Contract) -> Vec<&RelPath> {
        let exempt = self.loaded.exempt(&self.root);
        let excluded: Vec<FileSet> =
            self.loaded.configs.iter().filter_map(DirectoryConfig::excluded).collect();
        let is_read = |path: &RelPath| {
            !exempt.iter().any(|directory| path.below(directory).is_some())
                && !excluded.iter().any(|files| files.contains(path))
        };
        let mut paths = checked_on(contract, &self.targets);
        paths.retain(|path| !contract.check.reads_text() || is_read(path));
        paths
    }
}

/// The targets that a contract applies to.
pub fn checked_on<'t>(contract: &Contract, targets: &'t Targets) -> Vec<&'t RelPath> {
    let exempt = |path: &RelPath| contract.check.reads_text() && path.is_project_contract();
    let paths = targets.targets.iter().map(|target| &target.path);
    paths.filter(|path| contract.applies_to(path, None) && !exempt(path)).collect()
}

/// The name of the pack that a contract is from.
pub fn pack_of(contract: &Contract) -> Option<&str> {
    let file = contract.origin.file.to_str().filter(|_| contract.origin.layer == LayerKind::Pack)?;
    Some(file.strip_prefix("pack:")?.split('/').next().unwrap_or_default())
}

/// The contracts of all packs.
pub fn all_packs() -> Loaded {
    load_packs(PACKS)
}

/// The contracts of these packs.
pub fn load_packs(packs: impl IntoIterator<Item = &'static Pack>) -> Loaded {
    let layers: Vec<_> = packs.into_iter().map(Layer::of_pack).collect();
    layers::load(&layers, Loading::whole(matcher::broken))
}

/// Prints the broken patterns of contracts. Pack contracts are valid.
pub fn print_broken<'a>(contracts: impl IntoIterator<Item = &'a Contract>) {
    let own = contracts.into_iter().filter(|contract| contract.origin.layer != LayerKind::Pack);
    let broken: Vec<_> = own.filter(|contract| contract.enabled).filter_map(matcher::broken).collect();
    print_warnings(&broken);
}

/// A path, sanitised.
pub fn shown(path: &Path) -> String {
    inert(&path.display().to_string()).into_owned()
}

fn no_such_contract(id: &str, meant: Option<String>) -> anyhow::Error {
    let hint = match meant {
        Some(meant) => format!("did you mean '{meant}'?"),
        None => {
            "'phaser contracts list' shows those there are, 'phaser contracts packs' those that are built in"
                .to_owned()
        }
    };
    anyhow::anyhow!("no contract is called '{}' ({hint})", inert(id))
}
