//! `phaser report`: what can be done with reports that have been written.

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
    /// Make one SARIF log of several, such as those of the shards of one project
    Merge(Merge),
    /// Make one page for people of several reports, in JSON or SARIF, or of other pages
    Html(Html),
    /// Show how it was over time as a table in Markdown, such as for the summary of a job
    Trend(Trend),
}

#[derive(Debug, Args)]
pub struct Trend {
    /// What 'phaser history --format json' has written
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Write to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Html {
    /// The reports that 'phaser enforce' has written with '--format json', 'sarif' or 'html'
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// How it was over time: what 'phaser history --format json' has written
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,

    /// What the page is about, such as the name of the project
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    title: String,

    /// Write to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
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
pub fn run(command: &ReportCommand, environment: &Environment) -> anyhow::Result<Exit> {
    match command {
        ReportCommand::Merge(merge) => run_merge(merge, environment),
        ReportCommand::Html(html) => run_html(html, environment),
        ReportCommand::Trend(trend) => run_trend(trend, environment),
    }
}

fn run_html(html: &Html, environment: &Environment) -> anyhow::Result<Exit> {
    let Html { files, history, title, output } = html;
    let read =
        |file: &PathBuf| fs::read(environment.cwd.join(file)).with_context(|| file.display().to_string());
    let about = match files.as_slice() {
        [_] if !title.is_empty() => String::new(),
        [file] => format!("made of {}", file.display()),
        files => format!("made of {} reports", files.len()),
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

fn run_trend(Trend { file, output }: &Trend, environment: &Environment) -> anyhow::Result<Exit> {
    let bytes = fs::read(environment.cwd.join(file)).with_context(|| file.display().to_string())?;
    let trend = trend::Trend::read(&bytes).with_context(|| file.display().to_string())?;
    match output {
        Some(path) => output::to_file(&environment.cwd.join(path), |out| trend.write_markdown(out))?,
        None => output::to_stdout(|out| trend.write_markdown(out))?,
    }
    Ok(Exit::Clean)
}

fn run_merge(Merge { files, output }: &Merge, environment: &Environment) -> anyhow::Result<Exit> {
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
