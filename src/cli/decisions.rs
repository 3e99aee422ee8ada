//! `phaser decisions`: what hooks decided, counted from the decision log.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use clap::{Args, ValueEnum};

use super::args::agent;
use super::args::shared::{ColorArg, Packs};
use super::environment::Environment;
use super::project::{extra, print_warnings};
use super::show::provenance;
use super::{output, to_stderr};
use crate::agents::Agent;
use crate::cli::completions::CONTRACT_ID;
use crate::cli::contracts::LoadedProject;
use crate::decisions::log::{Log, timestamp};
use crate::decisions::summary::{RecordFilter, Summary};
use crate::exit::Exit;
use crate::report::decisions;
use crate::report::palette::Palette;
use phaser_project::path::config_file;
use phaser_project::source::git::history::seconds_of;

/// `phaser decisions`.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct Decisions {
    /// Start at this date, such as 2026-01-31 or '6 weeks ago'
    #[arg(long, value_name = "DATE", value_parser = since)]
    since: Option<i64>,

    /// Count only this contract
    #[arg(long, value_name = "ID", value_hint = CONTRACT_ID)]
    contract: Option<String>,

    /// Count only the events of this agent
    #[arg(long, value_parser = agent(), value_name = "NAME", hide_possible_values = true)]
    agent: Option<Agent>,

    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,

    /// Write to this file instead of stdout
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    color: ColorArg,
}

const AFTER: &str = "\
Counts the log that hooks write with 'log: true' in the configuration: per contract how often it
denied an edit, fixed one, was obeyed by the next edit of the file, and denied the same file for the
third time or later in a session.

Exit codes:
  0  it ran
  3  phaser could not run";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Html,
}

fn since(text: &str) -> Result<i64, String> {
    seconds_of(text, SystemTime::now())
}

/// Runs `phaser decisions`.
pub fn run(args: &Decisions, environment: &Environment) -> anyhow::Result<Exit> {
    let root = environment.root();
    let project =
        LoadedProject::load(root.clone(), extra(None, &Packs::default(), environment)?, environment)?;
    print_warnings(&project.loaded.warnings);
    let contracts = project.loaded.contracts.iter().filter(|contract| contract.enabled);
    let known: BTreeSet<String> = contracts.map(|contract| contract.id.clone()).collect();
    let log = Log::of(&root, environment.state_home());
    let records = log.map(|log| log.read()).unwrap_or_default();
    if records.is_empty() {
        let hint = match project.loaded.log() {
            true => "hooks write it when an agent edits a file".to_owned(),
            false => format!("set 'log: true' in {}", config_file(&root)),
        };
        to_stderr(format_args!("phaser: there is no decision log ({hint})"));
    }
    let filter = RecordFilter {
        since: args.since.map(|seconds| {
            let since = Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
            timestamp(SystemTime::UNIX_EPOCH + since)
        }),
        contract: args.contract.clone(),
        agent: args.agent.map(|agent| agent.name().to_owned()),
    };
    let summary = Summary::of(&records, &known, &filter);
    let palette = args.color.palette(environment);
    let report = |out: &mut dyn Write, palette: Palette| match args.format {
        Format::Text => decisions::write_text(out, &summary, palette),
        Format::Json => decisions::write_json(out, &summary),
        Format::Html => decisions::write_html(out, &summary, provenance(environment, Some(&root), None)),
    };
    match &args.output {
        Some(path) => output::to_file(&environment.cwd.join(path), |out| report(out, Palette::PLAIN))?,
        None => output::to_stdout(|out| report(out, palette))?,
    }
    Ok(Exit::Clean)
}
