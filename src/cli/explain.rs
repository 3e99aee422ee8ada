//! `phaser explain`: why a contract exists, what violates it, and how to fix, ignore or disable it.

use std::io::{self, Write};

use clap::Args;
use serde_json::json;

use super::args::shared::OutputArgs;
use super::completions::CONTRACT_ID;
use super::contracts::{self, Where};
use super::environment::Environment;
use crate::exit::Exit;
use crate::report::palette::Palette;
use phaser_core::contract::{Contract, LayerKind};

/// `phaser explain`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Explain {
    /// Contract id
    #[arg(value_hint = CONTRACT_ID)]
    id: String,

    #[command(flatten)]
    place: Where,

    #[command(flatten)]
    output: OutputArgs,
}

const EXAMPLES: &str = "\
Examples:
  phaser explain no-print
  phaser explain no-print --format json";

/// Runs `phaser explain`.
pub fn run(args: &Explain, environment: &Environment) -> anyhow::Result<Exit> {
    let project = args.place.project(environment)?;
    let contract = project.find_anywhere(&args.id)?;
    contracts::print_broken([&contract]);
    args.output.write(
        environment,
        |out, palette| write(out, &contract, palette),
        || {
            let json = contracts::json::contract(&contract);
            json!({ "contract": json, "ignore": directive(&contract), "version": contracts::json::VERSION })
        },
    )?;
    Ok(Exit::Clean)
}

fn write(out: &mut dyn Write, contract: &Contract, palette: Palette) -> io::Result<()> {
    let (bold, title) = (palette.bold(), palette.title());
    let colour = palette.severity(contract.severity);
    let (id, severity) = (&contract.id, contract.severity);
    writeln!(out, "{bold}{id}{bold:#} {colour}({severity}){colour:#}\n\n{title}what to do:{title:#}")?;
    contracts::show::write_indented(out, &contract.message)?;
    if !contract.zones.is_empty() {
        let zones: Vec<_> = contract.zones.iter().map(|zone| zone.as_str()).collect();
        writeln!(out, "\n{title}what counts:{title:#}\n  matches that start in {}", zones.join(" or "))?;
    }
    if contract.fix.is_some() {
        writeln!(out, "\n{title}to fix it:{title:#}\n  phaser fix --only {id} --all")?;
    }
    if let Some(rationale) = &contract.rationale {
        writeln!(out, "\n{title}why:{title:#}")?;
        contracts::show::write_indented(out, rationale)?;
    }
    contracts::show::write_examples(out, contract, palette)?;
    writeln!(
        out,
        "\n{title}to ignore one match, in a comment on its line:{title:#}\n  {}",
        directive(contract)
    )?;
    writeln!(
        out,
        "{title}or on the line before it:{title:#}\n  phaser:ignore-next-line {id} -- why it is fine here"
    )?;
    writeln!(
        out,
        "{title}or for a whole file, at its top:{title:#}\n  phaser:ignore-file {id} -- why it is fine here"
    )?;
    match contract.origin.layer {
        LayerKind::Pack => writeln!(
            out,
            "{title}to change or disable it, copy it into the project:{title:#}\n  phaser contracts show {id} --yaml > .claude/contracts/{id}.yaml"
        ),
        LayerKind::Named | LayerKind::Project | LayerKind::Configured | LayerKind::User => {
            writeln!(out, "{title}to disable it:{title:#}\n  phaser contracts disable {id}")
        }
    }
}

fn directive(contract: &Contract) -> String {
    format!("phaser:ignore {} -- why it is fine here", contract.id)
}
