//! `phaser contracts packs`: the built-in packs and whether this project uses them.

use anyhow::anyhow;
use clap::Args;
use serde_json::{Value, json};

use super::columns::{self, ContractLine, Usage};
use super::{Format, LoadedProject, Where, json, load_packs, shown};
use crate::cli::colour::ColorArg;
use crate::cli::environment::Environment;
use crate::cli::output::to_stdout;
use crate::exit::Exit;
use crate::report::palette::Palette;
use phaser_core::contract::{Contract, LayerKind, Severity};
use phaser_project::contracts::layers::Supply;
use phaser_project::contracts::read::ExamplesWanted;
use phaser_project::packs::{self, PACKS, Pack};

#[derive(Debug, Args)]
pub struct PacksArgs {
    /// List the contracts of this pack
    name: Option<String>,

    #[command(flatten)]
    place: Where,

    /// Set the format: text or json
    #[arg(long, value_enum, default_value = "text", hide_possible_values = true)]
    format: Format,

    #[command(flatten)]
    color: ColorArg,
}

pub fn run(args: &PacksArgs, environment: &Environment) -> anyhow::Result<Exit> {
    let project = args.place.quiet_project(environment, ExamplesWanted::No)?;
    let palette = args.color.palette(environment);
    match &args.name {
        Some(name) => show_one(name, &project, args.format, palette),
        None => show_all(&project, args.format, palette),
    }?;
    Ok(Exit::Clean)
}

fn show_all(project: &LoadedProject, format: Format, palette: Palette) -> anyhow::Result<()> {
    let is_used = |pack: &Pack| {
        project.loaded.from.iter().any(|layer| matches!(layer.from, Supply::Pack(used) if used == pack))
    };
    match format {
        Format::Text => to_stdout(|out| {
            let (bold, good) = (palette.bold(), palette.good());
            for pack in PACKS {
                let used = if is_used(pack) { "in use" } else { "" };
                let PackCounts { errors, warnings } = PackCounts::of(pack);
                let counts = format!("{errors:>3} errors {warnings:>3} warnings");
                write!(out, "{bold}{:<12}{bold:#}{counts}  ", pack.name)?;
                writeln!(out, "{good}{used:<6}{good:#}  {}", pack.description)?;
            }
            writeln!(out, "\nTry one: phaser enforce --all --pack {}", PACKS[0].name)
        }),
        Format::Json => {
            let one = |pack: &'static Pack| {
                let PackCounts { errors, warnings } = PackCounts::of(pack);
                json!({
                    "name": pack.name,
                    "description": pack.description,
                    "contracts": pack.files().len(),
                    "errors": errors,
                    "warnings": warnings,
                    "in_use": is_used(pack),
                })
            };
            let packs: Vec<Value> = PACKS.iter().map(one).collect();
            json::print(&json!({ "packs": packs, "version": json::VERSION }))
        }
    }
}

/// The number of contracts of each severity in a pack.
struct PackCounts {
    errors: usize,
    warnings: usize,
}

impl PackCounts {
    fn of(pack: &'static Pack) -> Self {
        let contracts = load_packs([pack], ExamplesWanted::No).contracts;
        let errors = contracts.iter().filter(|contract| contract.severity == Severity::Error).count();
        Self { errors, warnings: contracts.len() - errors }
    }
}

fn show_one(name: &str, project: &LoadedProject, format: Format, palette: Palette) -> anyhow::Result<()> {
    let pack = packs::find(name).ok_or_else(|| {
        let names: Vec<_> = PACKS.iter().map(|pack| pack.name).collect();
        anyhow!("unknown pack '{name}' (choose one of {})", names.join(", "))
    })?;
    let contracts = load_packs([pack], ExamplesWanted::Yes).contracts;
    match format {
        Format::Text => {
            let row = |contract: &Contract| {
                let (used, origin) = PackContractUse::of(contract, project).shown();
                ContractLine::of(contract, used, origin)
            };
            let rows: Vec<_> = contracts.iter().map(row).collect();
            to_stdout(|out| columns::write(out, &rows, palette))
        }
        Format::Json => {
            let one = |contract: &Contract| {
                let mut value = json::contract(contract);
                value["in_use"] =
                    json!(matches!(PackContractUse::of(contract, project), PackContractUse::InUse));
                value
            };
            let contracts: Vec<Value> = contracts.iter().map(one).collect();
            json::print(&json!({ "name": pack.name, "contracts": contracts, "version": json::VERSION }))
        }
    }
}

/// How a project uses a contract of a pack.
enum PackContractUse<'a> {
    InUse,
    Unused,
    /// A contract of the project has the same id.
    Replaced(&'a Contract),
}

impl<'a> PackContractUse<'a> {
    fn of(contract: &Contract, project: &'a LoadedProject) -> Self {
        match project.loaded.contracts.iter().find(|other| other.id == contract.id) {
            Some(other) if other.origin.layer != LayerKind::Pack => Self::Replaced(other),
            Some(_) => Self::InUse,
            None => Self::Unused,
        }
    }

    /// The usage shown, and the file that replaces the contract.
    fn shown(&self) -> (Usage, String) {
        match self {
            Self::InUse => (Usage::InUse, String::new()),
            Self::Unused => (Usage::NotInUse("not in use"), String::new()),
            Self::Replaced(other) if other.enabled => {
                (Usage::NotInUse("replaced"), shown(&other.origin.file))
            }
            Self::Replaced(other) => (Usage::NotInUse("disabled"), shown(&other.origin.file)),
        }
    }
}
