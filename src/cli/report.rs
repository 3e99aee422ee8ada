//! `phaser report`: merges and converts written reports.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Subcommand};

use super::environment::Environment;
use super::output::to_file_or_stdout;
use crate::exit::Exit;
use crate::report::html::Page;
use crate::report::{decisions, sarif, trend};

/// `phaser report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    #[command(subcommand)]
    command: ReportCommand,

    /// Write to FILE instead of stdout
    #[arg(long, value_name = "FILE", global = true)]
    output: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum ReportCommand {
    /// Merge SARIF logs, such as those of shards, into one
    Merge {
        /// Logs of 'phaser enforce --format sarif'
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
    },
    /// Build one HTML page from JSON, SARIF or HTML reports
    Html {
        /// Reports of 'phaser enforce' in json, sarif or html format
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,

        /// Add the trend from the output of 'phaser history --format json'
        #[arg(long, value_name = "FILE")]
        history: Option<PathBuf>,

        /// Add the output of 'phaser decisions --format json'
        #[arg(long, value_name = "FILE")]
        decisions: Option<PathBuf>,

        /// Set the title, such as the project's name
        #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
        title: String,
    },
    /// Print a history as a Markdown table, for job summaries
    Trend {
        /// Output of 'phaser history --format json'
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

/// Runs `phaser report`.
pub fn run(args: &ReportArgs, environment: &Environment) -> anyhow::Result<Exit> {
    let output = args.output.as_deref();
    match &args.command {
        ReportCommand::Merge { files } => {
            let logs = files.iter().map(|file| read(file, environment, sarif::read));
            let logs = logs.collect::<anyhow::Result<Vec<_>>>()?;
            to_file_or_stdout(output, environment, |out| sarif::merge(out, logs))
        }
        ReportCommand::Html { files, history, decisions, title } => {
            let about = match files.as_slice() {
                [_] if !title.is_empty() => String::new(),
                [file] => format!("from {}", file.display()),
                files => format!("from {} reports", files.len()),
            };
            let mut page = Page::new(about).titled(title);
            for file in files {
                read(file, environment, |bytes| page.add_report(bytes))?;
            }
            if let Some(file) = history {
                read(file, environment, |bytes| page.add_history(bytes))?;
            }
            if let Some(file) = decisions {
                page.add_decisions(read(file, environment, decisions::read)?);
            }
            to_file_or_stdout(output, environment, |out| page.write(out))
        }
        ReportCommand::Trend { file } => {
            let trend = read(file, environment, trend::Trend::read)?;
            to_file_or_stdout(output, environment, |out| trend.write_markdown(out))
        }
    }?;
    Ok(Exit::Clean)
}

/// Reads and parses a file. Errors name it.
fn read<T, E>(
    file: &Path,
    environment: &Environment,
    parse: impl FnOnce(&[u8]) -> Result<T, E>,
) -> anyhow::Result<T>
where
    Result<T, E>: Context<T, E>,
{
    let shown = || file.display().to_string();
    let bytes = fs::read(environment.cwd.join(file)).with_context(shown)?;
    parse(&bytes).with_context(shown)
}
