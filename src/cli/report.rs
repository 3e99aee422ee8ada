//! `phaser report`: merges and converts written reports.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Subcommand};

use super::environment::Environment;
use super::output;
use crate::exit::Exit;
use crate::report::html::Page;
use crate::report::{sarif, trend};

#[derive(Debug, Subcommand)]
pub enum ReportCommand {
    /// Merge SARIF logs, such as those of shards, into one
    Merge(MergeArgs),
    /// Build one HTML page from JSON, SARIF or HTML reports
    Html(HtmlArgs),
    /// Print a history as a Markdown table, for job summaries
    Trend(TrendArgs),
}

#[derive(Debug, Args)]
pub struct TrendArgs {
    /// Output of 'phaser history --format json'
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Write to FILE instead of stdout
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct HtmlArgs {
    /// Reports of 'phaser enforce' in json, sarif or html format
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Add the trend from the output of 'phaser history --format json'
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,

    /// Set the title, such as the project's name
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    title: String,

    /// Write to FILE instead of stdout
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct MergeArgs {
    /// Logs of 'phaser enforce --format sarif'
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Write to FILE instead of stdout
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Runs `phaser report`.
pub fn run(command: &ReportCommand, environment: &Environment) -> anyhow::Result<Exit> {
    match command {
        ReportCommand::Merge(merge) => run_merge(merge, environment),
        ReportCommand::Html(html) => run_html(html, environment),
        ReportCommand::Trend(trend) => run_trend(trend, environment),
    }
}

fn run_html(html: &HtmlArgs, environment: &Environment) -> anyhow::Result<Exit> {
    let HtmlArgs { files, history, title, output } = html;
    let read =
        |file: &PathBuf| fs::read(environment.cwd.join(file)).with_context(|| file.display().to_string());
    let about = match files.as_slice() {
        [_] if !title.is_empty() => String::new(),
        [file] => format!("from {}", file.display()),
        files => format!("from {} reports", files.len()),
    };
    let mut page = Page::new(about).titled(title);
    for file in files {
        page.add_report(&read(file)?).with_context(|| file.display().to_string())?;
    }
    if let Some(file) = history {
        page.add_history(&read(file)?).with_context(|| file.display().to_string())?;
    }
    match output {
        Some(path) => output::to_file(&environment.cwd.join(path), |out| page.write(out))?,
        None => output::to_stdout(|out| page.write(out))?,
    }
    Ok(Exit::Clean)
}

fn run_trend(TrendArgs { file, output }: &TrendArgs, environment: &Environment) -> anyhow::Result<Exit> {
    let bytes = fs::read(environment.cwd.join(file)).with_context(|| file.display().to_string())?;
    let trend = trend::Trend::read(&bytes).with_context(|| file.display().to_string())?;
    match output {
        Some(path) => output::to_file(&environment.cwd.join(path), |out| trend.write_markdown(out))?,
        None => output::to_stdout(|out| trend.write_markdown(out))?,
    }
    Ok(Exit::Clean)
}

fn run_merge(MergeArgs { files, output }: &MergeArgs, environment: &Environment) -> anyhow::Result<Exit> {
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
