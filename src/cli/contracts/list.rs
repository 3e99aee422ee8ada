//! `phaser contracts list`: a table on a terminal, the lines of version 1.2 elsewhere.

use std::io::{self, Write};

use clap::Args;
use serde_json::{Value, json};

use super::columns::{self, ContractLine, Usage};
use super::{Format, Where, json, say_broken, shown};
use crate::cli::colour::ColorArg;
use crate::cli::environment::Environment;
use crate::cli::output::to_stdout;
use crate::exit::Exit;
use phaser_core::contract::Contract;
use phaser_core::sanitize::inert;
use phaser_project::contracts::read::ExamplesWanted;

#[derive(Debug, Args)]
pub struct List {
    /// Exclude disabled contracts
    #[arg(long)]
    enabled_only: bool,

    /// Show severity, use and origin, as on a terminal
    #[arg(long, short)]
    long: bool,

    #[command(flatten)]
    place: Where,

    /// Set the format: text or json
    #[arg(long, value_enum, default_value = "text", hide_possible_values = true)]
    format: Format,

    #[command(flatten)]
    color: ColorArg,
}

pub fn run(args: &List, environment: &Environment) -> anyhow::Result<Exit> {
    let examples = match args.format {
        Format::Text => ExamplesWanted::No,
        Format::Json => ExamplesWanted::Yes,
    };
    let project = args.place.project(environment, examples)?;
    let contracts: Vec<&Contract> =
        project.loaded.contracts.iter().filter(|contract| contract.enabled || !args.enabled_only).collect();
    say_broken(contracts.iter().copied());
    let is_long = args.long || environment.stdout_is_terminal();
    match args.format {
        Format::Json => {
            let contracts: Vec<Value> = contracts.into_iter().map(with_use).collect();
            json::print(&json!({ "contracts": contracts, "version": json::VERSION }))?;
        }
        Format::Text if contracts.is_empty() => to_stdout(|out| writeln!(out, "No contracts found."))?,
        Format::Text if is_long => {
            let rows: Vec<_> = contracts.into_iter().map(row).collect();
            to_stdout(|out| columns::write(out, &rows, args.color.palette(environment)))?;
        }
        Format::Text => {
            to_stdout(|out| contracts.iter().try_for_each(|contract| write_line(out, contract)))?;
        }
    }
    Ok(Exit::Clean)
}

fn write_line(out: &mut dyn Write, contract: &Contract) -> io::Result<()> {
    let state = if contract.enabled { "enabled" } else { "disabled" };
    writeln!(out, "{} [{state}] - {}", contract.id, inert(contract.message.trim_end()))
}

fn row(contract: &Contract) -> ContractLine {
    let used = if contract.enabled { Usage::InUse } else { Usage::NotInUse("disabled") };
    ContractLine::of(contract, used, shown(&contract.origin.file))
}

fn with_use(contract: &Contract) -> Value {
    let mut value = json::contract(contract);
    value["in_use"] = json!(contract.enabled);
    value
}
