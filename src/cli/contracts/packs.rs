//! `phaser contracts packs`: what is built in.

use anyhow::anyhow;
use clap::Args;
use serde_json::{Value, json};

use super::{Format, json, list, load_packs};
use crate::cli::output::to_stdout;
use crate::contract::Contract;
use crate::contract::read::ExamplesWanted;
use crate::exit::Exit;
use crate::pack::{self, PACKS, Pack};

#[derive(Debug, Args)]
pub struct PacksArgs {
    /// Show the contracts of this pack
    name: Option<String>,

    /// How to show them
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

pub fn run(args: &PacksArgs) -> anyhow::Result<Exit> {
    match &args.name {
        Some(name) => show_one(name, args.format),
        None => show_all(args.format),
    }?;
    Ok(Exit::Clean)
}

fn show_all(format: Format) -> anyhow::Result<()> {
    match format {
        Format::Text => to_stdout(|out| {
            for pack in PACKS {
                let count = pack.files.len();
                writeln!(out, "{:<12}{count:>3} contracts  {}", pack.name, pack.description)?;
            }
            writeln!(out, "\nTry one: phaser enforce --all --pack {}", PACKS[0].name)
        }),
        Format::Json => {
            let one = |pack: &Pack| json!({ "name": pack.name, "description": pack.description, "contracts": pack.files.len() });
            let packs: Vec<Value> = PACKS.iter().map(one).collect();
            json::print(&json!({ "packs": packs, "version": json::VERSION }))
        }
    }
}

fn show_one(name: &str, format: Format) -> anyhow::Result<()> {
    let pack = pack::find(name).ok_or_else(|| {
        let names: Vec<_> = PACKS.iter().map(|pack| pack.name).collect();
        anyhow!("no pack is called '{name}' (there are {})", names.join(", "))
    })?;
    let loaded = load_packs([pack], ExamplesWanted::Yes);
    let contracts = &loaded.contracts;
    match format {
        Format::Text => to_stdout(|out| {
            contracts.iter().try_for_each(|contract: &Contract| list::write_line(out, contract))
        }),
        Format::Json => {
            let contracts: Vec<Value> = contracts.iter().map(json::contract).collect();
            json::print(&json!({ "name": pack.name, "contracts": contracts, "version": json::VERSION }))
        }
    }
}
