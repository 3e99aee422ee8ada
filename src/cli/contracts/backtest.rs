//! `phaser contracts backtest`: what a contract finds today, and which commits it would have refused.

use std::fs;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, bail};
use clap::Args;

use super::{LoadedProject, Where};
use crate::cli::args::shared::{LimitArgs, OutputArgs, commits};
use crate::cli::completions::CONTRACT_ID;
use crate::cli::environment::Environment;
use crate::cli::output::to_stdout;
use crate::cli::project::{print_gaps, print_warnings};
use crate::cli::{stdin, to_stderr};
use crate::exit::Exit;
use crate::progress::Progress;
use crate::report::backtest::{BacktestSummary, write_json, write_text};
use crate::report::redact::redact;
use phaser_core::contract::{Contract, LayerKind, Origin, syntax};
use phaser_core::matcher;
use phaser_core::skipped::Gap;
use phaser_project::config::DirectoryConfig;
use phaser_project::contracts::layers::apply_overrides;
use phaser_project::contracts::read::MAX_FILE;
use phaser_project::history::backtest::{self, BacktestRange, BacktestResult};
use phaser_project::project::{Options, Project};
use phaser_project::report::Report;
use phaser_project::scan::{self, Existing};
use phaser_project::source::Source;
use phaser_project::source::git::GitError;

#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct Backtest {
    /// Contract id (of the project or a pack), a file, or - for stdin
    #[arg(value_name = "ID|FILE|-", value_hint = CONTRACT_ID)]
    contract: String,

    /// Number of commits to try
    #[arg(long, value_name = "N", default_value = "100", value_parser = commits)]
    commits: usize,

    #[command(flatten)]
    place: Where,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    output: OutputArgs,
}

const AFTER: &str = "\
Examples:
  phaser contracts backtest no-print --commits 500
  phaser contracts backtest draft.yaml

The contract is tried as if it were enabled, with the overrides of the configuration. A commit would
have been refused if it adds violations to its first parent ('phaser enforce --diff PARENT..COMMIT
--new-lines'). Ignore directives apply, the baseline does not.

Exit codes:
  0  it ran
  3  phaser could not run, or could not read everything";

pub fn run(args: &Backtest, environment: &Environment) -> anyhow::Result<Exit> {
    let project = args.place.project(environment)?;
    let contracts = args.contracts(&project, environment)?;
    let Some(contract) = contracts.first().cloned() else {
        bail!("no contract is called '{}'", args.contract)
    };
    let root = project.root.clone();
    let Trial { today, past } = trial(project, contracts, args.commits, args.limits, environment)?;
    let past = past?;
    past.tried.iter().map(|tried| &tried.report).chain([&today]).for_each(print_gaps);
    past.notes.iter().for_each(|note| to_stderr(format_args!("phaser: {note}")));
    let why = match contract.check.is_about_project() {
        true => Some("concerns the whole project"),
        false => contract.check.reads_commands().then_some("is judged before a command runs"),
    };
    if let Some(why) = why {
        to_stderr(format_args!("phaser: {} {why}, so it refuses no commit", contract.id));
    }
    let result = BacktestSummary { contract: &contract, today: &today, past: &past };
    let here = environment.here(&root, [].iter());
    to_stdout(|out| match args.output.is_json() {
        true => write_json(out, result),
        false => write_text(out, result, &here, args.output.palette(environment)),
    })?;
    let today_failed = today.gaps().any(|skipped| skipped.why.gap() == Gap::Failure);
    Ok(if past.has_failed() || today_failed { Exit::Trouble } else { Exit::Clean })
}

/// What contracts find.
pub struct Trial {
    /// In the current files.
    pub today: Report,
    /// In past commits; an error without a readable repository.
    pub past: Result<BacktestResult, GitError>,
}

/// Tries contracts on the project's files and on its last `commits` commits. Secrets are redacted.
pub fn trial(
    project: LoadedProject,
    contracts: Vec<Contract>,
    commits: usize,
    limits: LimitArgs,
    environment: &Environment,
) -> anyhow::Result<Trial> {
    let LoadedProject { root, loaded: project_contracts, .. } = project;
    let options = Options {
        baseline: false,
        existing: Some(Existing::Report),
        cwd: Some(environment.cwd.clone()),
        git: Some(environment.git.clone()),
        ..limits.options()
    };
    let project = Project::load(root.clone(), options)?;
    let source = Source::Tree(None);
    let mut inspection = project.inspect(&source)?;
    inspection.loaded = project_contracts;
    inspection.loaded.contracts = contracts;
    let scanning = scan::ScanOptions { threads: project.threads(), ..inspection.scanning() };
    let visible = environment.stderr_is_terminal();
    let mut today = inspection.run(&Progress::new(visible));
    let Some(matcher) = inspection.matcher() else { bail!("the contract cannot be tried") };
    let range = BacktestRange { root: &root, location: &environment.git, commits };
    let past = backtest::backtest(matcher, range, scanning, &Progress::of("commits", visible));
    redact(&mut today);
    let past = past.map(|mut past| {
        past.tried.iter_mut().for_each(|tried| redact(&mut tried.report));
        past
    });
    Ok(Trial { today, past })
}

impl Backtest {
    /// The contracts to try, enabled. Nested directories can give one id several contracts.
    fn contracts(&self, project: &LoadedProject, environment: &Environment) -> anyhow::Result<Vec<Contract>> {
        let name = self.contract.as_str();
        let own = || project.contracts().iter().filter(|contract| contract.id == name);
        // An id contains neither dots nor slashes.
        let is_file = || name.contains(['/', '.', std::path::MAIN_SEPARATOR]);
        let is_here = || project.any(name).is_none() && environment.cwd.join(name).is_file();
        let mut contracts: Vec<Contract> = if name == "-" {
            vec![with_overrides(from_stdin()?, project)]
        } else if is_file() || is_here() {
            vec![with_overrides(from_file(Path::new(name), environment)?, project)]
        } else if own().next().is_some() {
            own().cloned().collect()
        } else {
            vec![with_overrides(project.find_anywhere(name)?, project)]
        };
        contracts.iter_mut().for_each(|contract| contract.enabled = true);
        Ok(contracts)
    }
}

/// The contract with the overrides of the configuration.
fn with_overrides(mut contract: Contract, project: &LoadedProject) -> Contract {
    let overrides: Vec<_> = project.loaded.configs.iter().flat_map(DirectoryConfig::overrides).collect();
    apply_overrides(&mut contract, &overrides);
    contract
}

fn from_stdin() -> anyhow::Result<Contract> {
    let mut bytes = Vec::new();
    let limit = MAX_FILE as u64 + 1;
    stdin::patient().take(limit).read_to_end(&mut bytes).context("standard input")?;
    parsed(&bytes, Path::new("standard input"))
}

fn from_file(file: &Path, environment: &Environment) -> anyhow::Result<Contract> {
    let path = environment.cwd.join(file);
    let shown = || file.display().to_string();
    let metadata = fs::metadata(&path).with_context(shown)?;
    if !metadata.is_file() {
        bail!("{}: not a regular file", shown());
    }
    let mut bytes = Vec::new();
    let open = fs::File::open(&path).with_context(shown)?;
    open.take(MAX_FILE as u64 + 1).read_to_end(&mut bytes).with_context(shown)?;
    parsed(&bytes, file)
}

fn parsed(bytes: &[u8], file: &Path) -> anyhow::Result<Contract> {
    let shown = file.display();
    if bytes.len() > MAX_FILE {
        bail!("{shown}: larger than {MAX_FILE} bytes (shorten it)");
    }
    let Ok(yaml) = std::str::from_utf8(bytes) else { bail!("{shown}: not UTF-8 (save it as UTF-8)") };
    let built = syntax::read(yaml, Origin { layer: LayerKind::Named, file: file.to_owned() });
    print_warnings(&built.warnings);
    let Some(contract) = built.contract else { bail!("{shown}: not a contract that can be tried") };
    match matcher::broken(&contract) {
        Some(broken) => bail!("{broken}"),
        None => Ok(contract),
    }
}
