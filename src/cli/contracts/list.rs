//! `phaser contracts list`: a table on a terminal, the lines of version 1.2 elsewhere.

use std::io::{self, Write};

use clap::Args;
use serde_json::json;

use super::{Where, json, print_broken, shown};
use crate::cli::args::shared::OutputArgs;
use crate::cli::environment::Environment;
use crate::exit::Exit;
use crate::report::palette::{Palette, Style};
use phaser_core::contract::Contract;
use phaser_core::sanitize::inert;

#[derive(Debug, Args)]
pub struct List {
    /// Exclude disabled contracts
    #[arg(long)]
    enabled_only: bool,

    /// Show severity, use and origin, as on a terminal
    #[arg(long, short)]
    long: bool,

    #[command(flatten)]
    place: Where,

    #[command(flatten)]
    output: OutputArgs,
}

pub fn run(args: &List, environment: &Environment) -> anyhow::Result<Exit> {
    let project = args.place.project(environment)?;
    let contracts = project.contracts().iter().filter(|contract| contract.enabled || !args.enabled_only);
    let contracts: Vec<&Contract> = contracts.collect();
    print_broken(contracts.iter().copied());
    let is_long = args.long || environment.stdout_is_terminal();
    args.output.write(
        environment,
        |out, palette| match contracts.as_slice() {
            [] => writeln!(out, "No contracts found."),
            contracts if is_long => {
                let rows: Vec<_> = contracts.iter().map(|contract| Row::of(contract)).collect();
                write_table(out, &rows, palette)
            }
            contracts => contracts.iter().try_for_each(|contract| write_line(out, contract)),
        },
        || {
            let one = |contract: &&Contract| json::used_contract(contract, contract.enabled);
            json!({ "contracts": contracts.iter().map(one).collect::<Vec<_>>(), "version": json::VERSION })
        },
    )?;
    Ok(Exit::Clean)
}

fn write_line(out: &mut dyn Write, contract: &Contract) -> io::Result<()> {
    let state = if contract.enabled { "enabled" } else { "disabled" };
    writeln!(out, "{} [{state}] - {}", contract.id, inert(contract.message.trim_end()))
}

/// A contract in a table.
pub struct Row<'a> {
    pub contract: &'a Contract,
    /// Why the contract is not in use; `None` if it is.
    pub unused: Option<&'static str>,
    /// The file shown; empty for none.
    pub origin: String,
}

impl<'a> Row<'a> {
    fn of(contract: &'a Contract) -> Self {
        let unused = (!contract.enabled).then_some("disabled");
        Self { contract, unused, origin: shown(&contract.origin.file) }
    }

    fn usage(&self) -> &'static str {
        self.unused.unwrap_or("in use")
    }
}

/// Writes id, severity, usage, origin and first line of the message, in columns as wide as their longest value.
pub fn write_table(out: &mut dyn Write, rows: &[Row<'_>], palette: Palette) -> io::Result<()> {
    let width = |text: fn(&Row<'_>) -> usize| rows.iter().map(text).max().unwrap_or(0);
    let ids = width(|row| row.contract.id.chars().count());
    let uses = width(|row| row.usage().len());
    let origins = width(|row| row.origin.chars().count());
    let dim = palette.dim();
    for row in rows {
        let Contract { id, severity, message, .. } = row.contract;
        let (name, colour, text) = match row.unused {
            None => (palette.bold(), palette.severity(*severity), Style::new()),
            Some(_) => (dim, dim, dim),
        };
        let (word, used, origin) = (severity.as_str(), row.usage(), &row.origin);
        let message = inert(message.lines().next().unwrap_or_default().trim_end());
        write!(out, "{name}{id:<ids$}{name:#}  {colour}{word:<7}{colour:#}  ")?;
        writeln!(out, "{dim}{used:<uses$}  {origin:<origins$}{dim:#}  {text}{message}{text:#}")?;
    }
    Ok(())
}
