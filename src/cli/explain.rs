//! `phaser explain`: a contract for whoever has just violated it.

use std::io::{self, Write};

use clap::Args;
use serde_json::json;

use super::contracts::{self, Format, Where};
use super::environment::Environment;
use super::output::to_stdout;
use crate::contract::read::ExamplesWanted;
use crate::contract::{Contract, LayerKind};
use crate::exit::Exit;

/// `phaser explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// The contract, as reports name it
    id: String,

    #[command(flatten)]
    place: Where,

    /// How to show it
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Runs `phaser explain`.
pub fn run(args: &Explain, environment: &Environment) -> anyhow::Result<Exit> {
    let project = args.place.project(environment, ExamplesWanted::Yes)?;
    let contract = project.find_anywhere(&args.id)?;
    match args.format {
        Format::Text => to_stdout(|out| write(out, &contract))?,
        Format::Json => {
            contracts::json::print(&json!({
                "contract": contracts::json::contract(&contract),
                "ignore": directive(&contract),
                "version": contracts::json::VERSION,
            }))?;
        }
    }
    Ok(Exit::Clean)
}

fn write(out: &mut dyn Write, contract: &Contract) -> io::Result<()> {
    let (id, severity) = (&contract.id, contract.severity);
    writeln!(out, "{id} ({severity})\n\nwhat to do:")?;
    contracts::show::write_indented(out, &contract.message)?;
    if !contract.zones.is_empty() {
        let zones: Vec<_> = contract.zones.iter().map(|zone| zone.as_str()).collect();
        writeln!(out, "\nwhat counts:\n  what starts in {}", zones.join(" or "))?;
    }
    if let Some(rationale) = &contract.rationale {
        writeln!(out, "\nwhy:")?;
        contracts::show::write_indented(out, rationale)?;
    }
    contracts::show::write_examples(out, contract)?;
    writeln!(out, "\nto ignore one place, in a comment on its line:\n  {}", directive(contract))?;
    writeln!(out, "or on the line before it:\n  phaser:ignore-next-line {id} -- why it is fine here")?;
    writeln!(out, "or for a whole file, at its top:\n  phaser:ignore-file {id} -- why it is fine here")?;
    match contract.origin.layer {
        LayerKind::Pack => writeln!(
            out,
            "to change it or switch it off, make it the project's own:\n  phaser contracts show {id} --yaml > .claude/contracts/{id}.yaml"
        ),
        LayerKind::Named | LayerKind::Project | LayerKind::Configured | LayerKind::User => {
            writeln!(out, "to switch it off:\n  phaser contracts disable {id}")
        }
    }
}

fn directive(contract: &Contract) -> String {
    format!("phaser:ignore {} -- why it is fine here", contract.id)
}
