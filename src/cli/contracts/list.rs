//! `phaser contracts list`: one line for each contract.

use std::io::{self, Write};

use clap::Args;
use serde_json::{Value, json};

use super::{Format, Where, json};
use crate::cli::environment::Environment;
use crate::cli::output::to_stdout;
use crate::contract::Contract;
use crate::contract::read::ExamplesWanted;
use crate::exit::Exit;
use crate::report::inert;

#[derive(Debug, Args)]
pub struct List {
    /// Leave out contracts that are switched off
    #[arg(long)]
    enabled_only: bool,

    #[command(flatten)]
    place: Where,

    /// How to show them
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

pub fn run(args: &List, environment: &Environment) -> anyhow::Result<Exit> {
    let project = args.place.project(environment, ExamplesWanted::Yes)?;
    let contracts =
        || project.loaded.contracts.iter().filter(|contract| contract.enabled || !args.enabled_only);
    match args.format {
        Format::Json => {
            let contracts: Vec<Value> = contracts().map(json::contract).collect();
            json::print(&json!({ "contracts": contracts, "version": json::VERSION }))?;
        }
        Format::Text if contracts().next().is_none() => {
            to_stdout(|out| writeln!(out, "No contracts found."))?
        }
        Format::Text => to_stdout(|out| contracts().try_for_each(|contract| write_line(out, contract)))?,
    }
    Ok(Exit::Clean)
}

/// The line that stands for a contract.
pub fn write_line(out: &mut dyn Write, contract: &Contract) -> io::Result<()> {
    let state = if contract.enabled { "enabled" } else { "disabled" };
    writeln!(out, "{} [{state}] - {}", contract.id, inert(contract.message.trim_end()))
}
