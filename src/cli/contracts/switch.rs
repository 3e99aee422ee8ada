//! `phaser contracts enable` and `disable`: edit `enabled` in a contract's file.

use std::fs;

use anyhow::{Context, bail};
use clap::Args;
use serde_json::json;

use super::{Where, json, shown};
use crate::cli::args::shared::FormatArg;
use crate::cli::completions::CONTRACT_ID;
use crate::cli::environment::Environment;
use crate::cli::output::to_stdout;
use crate::cli::to_stderr;
use crate::exit::Exit;
use phaser_core::contract::syntax::{Switch, switched};
use phaser_core::contract::{Contract, LayerKind, Warning};
use phaser_core::sanitize::inert;
use phaser_project::atomic_write;

#[derive(Debug, Args)]
pub struct SwitchArgs {
    /// Contract id
    #[arg(value_hint = CONTRACT_ID)]
    id: String,

    /// Print the change and write nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    place: Where,

    #[command(flatten)]
    format: FormatArg,
}

pub fn run(args: &SwitchArgs, environment: &Environment, to: Switch) -> anyhow::Result<Exit> {
    let project = args.place.project(environment)?;
    let Some(contract) = &project.any(&args.id) else {
        to_stdout(|out| writeln!(out, "Contract not found: {}", inert(&args.id)))?;
        if let Some(meant) = project.nearest_id(&args.id) {
            to_stderr(format_args!("phaser: did you mean '{meant}'?"));
        }
        return Ok(Exit::Violations);
    };
    if contract.origin.layer == LayerKind::Pack {
        let id = &contract.id;
        bail!(
            "{id} is built in and has no file (copy it to change it: phaser contracts show {id} --yaml > \
             .claude/contracts/{id}.yaml)"
        );
    }
    let shown_file = shown(&contract.origin.file);
    let path = project
        .file_of(contract)
        .with_context(|| format!("{shown_file}: the file is gone (run this again)"))?;
    // Keep a symbolic link: replace its target.
    let path = path.canonicalize().with_context(|| shown_file.clone())?;
    let yaml = fs::read_to_string(&path).with_context(|| shown_file.clone())?;
    let edited = switched(&yaml, &contract.id, &contract.origin, to).map_err(first)?;
    if edited != yaml && !args.dry_run {
        atomic_write::write(&path, edited.as_bytes())
            .with_context(|| format!("{shown_file}: cannot write the file; it is unchanged"))?;
    }
    let contract = Contract { enabled: to == Switch::On, ..contract.clone() };
    args.format.write(
        |out| match args.dry_run {
            true if edited == yaml => writeln!(out, "{shown_file} stays unchanged; nothing written"),
            true => writeln!(out, "{shown_file} would have 'enabled: {}'; nothing written", contract.enabled),
            false => writeln!(out, "{}: {}", to.done(), contract.id),
        },
        || {
            let changed = edited != yaml;
            json!({ "contract": json::contract(&contract), "changed": changed, "version": json::VERSION })
        },
    )?;
    Ok(Exit::Clean)
}

fn first(warnings: Vec<Warning>) -> anyhow::Error {
    let shown: Vec<_> = warnings.iter().map(ToString::to_string).collect();
    anyhow::anyhow!(shown.join("; "))
}
