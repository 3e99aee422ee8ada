//! `phaser contracts packs`: the built-in packs and whether this project uses them.

use anyhow::anyhow;
use clap::Args;
use serde_json::{Value, json};

use super::list::{Row, write_table};
use super::{LoadedProject, Where, json, load_packs, shown};
use crate::cli::args::shared::OutputArgs;
use crate::cli::environment::Environment;
use crate::exit::Exit;
use crate::report::wrap::cut;
use phaser_core::contract::{Contract, LayerKind, Severity};
use phaser_project::contracts::layers::Layer;
use phaser_project::packs::{self, PACKS, Pack};

#[derive(Debug, Args)]
pub struct PacksArgs {
    /// List the contracts of this pack
    name: Option<String>,

    #[command(flatten)]
    place: Where,

    #[command(flatten)]
    output: OutputArgs,
}

pub fn run(args: &PacksArgs, environment: &Environment) -> anyhow::Result<Exit> {
    let project = args.place.quiet_project(environment)?;
    match &args.name {
        Some(name) => show_one(name, &project, &args.output, environment),
        None => show_all(&project, &args.output, environment),
    }?;
    Ok(Exit::Clean)
}

fn show_all(project: &LoadedProject, output: &OutputArgs, environment: &Environment) -> anyhow::Result<()> {
    let is_used = |pack: &Pack| project.loaded.from.iter().filter_map(Layer::pack).any(|used| used == pack);
    output.write(
        environment,
        |out, palette| {
            let (bold, good) = (palette.bold(), palette.good());
            for pack in PACKS {
                let used = if is_used(pack) { "in use" } else { "" };
                let (errors, warnings) = count(pack);
                let counts = format!("{errors:>3} errors {warnings:>3} warnings");
                let before = 12 + counts.len() + 2 + 6 + 2;
                let description =
                    cut(pack.description, environment.width().map(|width| width.saturating_sub(before)));
                write!(out, "{bold}{:<12}{bold:#}{counts}  ", pack.name)?;
                writeln!(out, "{good}{used:<6}{good:#}  {description}")?;
            }
            writeln!(out, "\nTry one: phaser enforce --all --pack {}", PACKS[0].name)
        },
        || {
            let one = |pack: &'static Pack| {
                let (errors, warnings) = count(pack);
                json!({
                    "name": pack.name,
                    "description": pack.description,
                    "contracts": pack.files().len(),
                    "errors": errors,
                    "warnings": warnings,
                    "in_use": is_used(pack),
                })
            };
            json!({ "packs": PACKS.iter().map(one).collect::<Vec<Value>>(), "version": json::VERSION })
        },
    )
}

/// The number of errors and of warnings in a pack.
fn count(pack: &'static Pack) -> (usize, usize) {
    let contracts = load_packs([pack]).contracts;
    let errors = contracts.iter().filter(|contract| contract.severity == Severity::Error).count();
    (errors, contracts.len() - errors)
}

fn show_one(
    name: &str,
    project: &LoadedProject,
    output: &OutputArgs,
    environment: &Environment,
) -> anyhow::Result<()> {
    let pack = packs::find(name).ok_or_else(|| {
        let names: Vec<_> = PACKS.iter().map(|pack| pack.name).collect();
        anyhow!("unknown pack '{name}' (choose one of {})", names.join(", "))
    })?;
    let contracts = load_packs([pack]).contracts;
    let rows: Vec<Row<'_>> = contracts.iter().map(|contract| row(contract, project)).collect();
    output.write(
        environment,
        |out, palette| write_table(out, &rows, environment.width(), palette),
        || {
            let one = |row: &Row<'_>| json::used_contract(row.contract, row.unused.is_none());
            let contracts: Vec<Value> = rows.iter().map(one).collect();
            json!({ "name": pack.name, "contracts": contracts, "version": json::VERSION })
        },
    )
}

/// A contract of a pack, with the project's file that replaces it.
fn row<'a>(contract: &'a Contract, project: &LoadedProject) -> Row<'a> {
    let (unused, origin) = match project.contracts().iter().find(|other| other.id == contract.id) {
        None => (Some("not in use"), String::new()),
        Some(other) if other.origin.layer == LayerKind::Pack => (None, String::new()),
        Some(other) => {
            let state = if other.enabled { "replaced" } else { "disabled" };
            (Some(state), shown(&other.origin.file))
        }
    };
    Row { contract, unused, origin, shows_modes: false }
}
