//! `phaser contracts compile`: what a run needs of all contracts, in one file.

use std::io::{self, Write};

use anyhow::{Context, bail};
use clap::Args;
use serde_json::{Value, json};

use super::{Format, Location, json, say_warnings, shown};
use crate::cli::environment::Environment;
use crate::cli::output::to_stdout;
use crate::cli::packs::Packs;
use crate::exit::Exit;
use phaser_core::matcher;
use phaser_project::contracts::compiled::{self, Summary};
use phaser_project::contracts::read::{Directory, ExamplesWanted, Forms};

#[derive(Debug, Args)]
pub struct Compile {
    #[command(flatten)]
    location: Location,

    /// How to show the result
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

pub fn run(args: &Compile, environment: &Environment) -> anyhow::Result<Exit> {
    let project = args.location.project(environment, &Packs::default(), ExamplesWanted::Yes)?;
    say_warnings(&project.loaded.layers.warnings);
    let is_read = |directory: &&Directory| directory.forms == Forms::Both;
    let directories: Vec<&Directory> = project.directories().filter(is_read).collect();
    let mut done = Vec::new();
    for directory in &directories {
        let summary = compiled::compile(directory, matcher::needs).with_context(|| {
            format!("{} cannot be compiled; its files are read as before", shown(&directory.shown))
        })?;
        done.extend(summary.map(|summary| (directory, summary)));
    }
    if done.is_empty() {
        let places: Vec<_> = directories.iter().map(|directory| shown(&directory.shown)).collect();
        bail!("no contracts in {} (add one with 'phaser init')", places.join(" or "));
    }
    match args.format {
        Format::Text => {
            to_stdout(|out| done.iter().try_for_each(|(directory, summary)| write(out, directory, summary)))?;
        }
        Format::Json => {
            let directories: Vec<Value> =
                done.iter().map(|(directory, summary)| as_json(directory, summary)).collect();
            json::print(&json!({ "directories": directories, "version": json::VERSION }))?;
        }
    }
    Ok(Exit::Clean)
}

fn write(out: &mut dyn Write, directory: &Directory, summary: &Summary) -> io::Result<()> {
    let plural = if summary.compiled == 1 { "" } else { "s" };
    writeln!(out, "{}: {} contract{plural} compiled", shown(&directory.shown), summary.compiled)?;
    for file in &summary.left_out {
        writeln!(out, "  left out, and read as before: {}", shown(file))?;
    }
    Ok(())
}

fn as_json(directory: &Directory, summary: &Summary) -> Value {
    let left_out: Vec<_> = summary.left_out.iter().map(|file| file.display().to_string()).collect();
    json!({
        "directory": directory.shown.display().to_string(),
        "compiled": summary.compiled,
        "left_out": left_out,
    })
}
