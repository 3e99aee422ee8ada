//! `phaser report`: what can be done with reports that have been written.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Subcommand};

use super::environment::Environment;
use super::output;
use crate::exit::Exit;
use crate::report::sarif;

#[derive(Debug, Subcommand)]
pub enum Report {
    /// Make one SARIF log of several, such as those of the shards of one project
    Merge(Merge),
}

#[derive(Debug, Args)]
pub struct Merge {
    /// The logs that 'phaser enforce --format sarif' has written
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Write to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Runs `phaser report`.
pub fn run(command: &Report, environment: &Environment) -> anyhow::Result<Exit> {
    let Report::Merge(Merge { files, output }) = command;
    let mut logs = Vec::new();
    for file in files {
        let bytes = fs::read(environment.cwd.join(file)).with_context(|| file.display().to_string())?;
        logs.push(sarif::read(&bytes).with_context(|| file.display().to_string())?);
    }
    match output {
        Some(path) => output::to_file(&environment.cwd.join(path), |out| sarif::merge(out, logs))?,
        None => output::to_stdout(|out| sarif::merge(out, logs))?,
    }
    Ok(Exit::Clean)
}
