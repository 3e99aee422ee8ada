//! `phaser contracts list`: a table on a terminal, with one line for each pack; the lines of version 1.2 elsewhere.

use std::io::{self, Write};

use clap::Args;
use serde_json::json;

use super::{Where, json, pack_of, print_broken, shown};
use crate::cli::args::shared::OutputArgs;
use crate::cli::completions::CONTRACT_ID;
use crate::cli::counted;
use crate::cli::environment::Environment;
use crate::cli::explain::{EVERYWHERE, judged_in};
use crate::exit::Exit;
use crate::report::palette::{Palette, Style};
use crate::report::wrap::cut;
use phaser_core::contract::Contract;
use phaser_core::sanitize::inert;
use phaser_project::packs::{PACKS, Pack};

#[derive(Debug, Args)]
pub struct List {
    /// Contracts to list [default: all]
    #[arg(value_name = "ID", value_hint = CONTRACT_ID)]
    ids: Vec<String>,

    /// Exclude disabled contracts
    #[arg(long)]
    enabled_only: bool,

    /// Show severity, use and origin, as on a terminal, and every contract of the packs
    #[arg(long, short)]
    long: bool,

    #[command(flatten)]
    place: Where,

    #[command(flatten)]
    output: OutputArgs,
}

pub fn run(args: &List, environment: &Environment) -> anyhow::Result<Exit> {
    let project = args.place.project(environment)?;
    for id in &args.ids {
        project.find(id)?;
    }
    let is_listed = |contract: &&Contract| {
        (contract.enabled || !args.enabled_only) && (args.ids.is_empty() || args.ids.contains(&contract.id))
    };
    let contracts: Vec<&Contract> = project.contracts().iter().filter(is_listed).collect();
    print_broken(contracts.iter().copied());
    args.output.write(
        environment,
        |out, palette| match contracts.as_slice() {
            [] => writeln!(out, "No contracts found."),
            contracts if args.long || environment.stdout_is_terminal() => {
                let is_whole = |contract: &&&Contract| {
                    args.long || !args.ids.is_empty() || args.place.includes(contract)
                };
                let (mut rows, mut of_packs) = (Vec::new(), Vec::new());
                for contract in contracts.iter().filter(is_whole) {
                    let rows = if pack_of(contract).is_some() { &mut of_packs } else { &mut rows };
                    rows.push(Row { shows_modes: args.long, ..Row::of(contract) });
                }
                rows.append(&mut of_packs);
                let width = environment.width();
                write_table(out, &rows, width, palette)?;
                let folded: Vec<_> = contracts.iter().filter(|contract| !is_whole(contract)).collect();
                if !rows.is_empty() && !folded.is_empty() {
                    writeln!(out)?;
                }
                PACKS.iter().try_for_each(|pack| write_pack(out, pack, &folded, width, palette))
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

/// Writes one line for a pack with contracts among `folded`.
fn write_pack(
    out: &mut dyn Write,
    pack: &Pack,
    folded: &[&&Contract],
    width: Option<usize>,
    palette: Palette,
) -> io::Result<()> {
    let of_pack = || folded.iter().filter(|contract| pack_of(contract) == Some(pack.name));
    let all = of_pack().count();
    if all == 0 {
        return Ok(());
    }
    let disabled = match of_pack().filter(|contract| !contract.enabled).count() {
        0 => String::new(),
        disabled => format!(", {disabled} disabled"),
    };
    let (bold, dim) = (palette.bold(), palette.dim());
    let (name, contracts) = (pack.name, counted(all, "contract"));
    let before = "pack : ".len() + name.len() + contracts.len() + disabled.len() + 2;
    let description = cut(pack.description, width.map(|width| width.saturating_sub(before)));
    writeln!(out, "{bold}pack {name}{bold:#}: {contracts}{disabled}  {dim}{description}{dim:#}")
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
    /// Whether a line names the modes that judge it, unless all do.
    pub shows_modes: bool,
}

impl<'a> Row<'a> {
    fn of(contract: &'a Contract) -> Self {
        let unused = (!contract.enabled).then_some("disabled");
        let of_pack = pack_of(contract).map(|name| format!("pack {name}"));
        Self {
            contract,
            unused,
            origin: of_pack.unwrap_or_else(|| shown(&contract.origin.file)),
            shows_modes: false,
        }
    }

    fn usage(&self) -> &'static str {
        self.unused.unwrap_or("in use")
    }
}

/// Columns that a message needs at least; with fewer it has a line of its own.
const LEAST_MESSAGE: usize = 24;

/// Writes id, severity, usage, origin and first line of the message, in columns as wide as their longest value. Messages are cut
/// to fit `width`.
pub fn write_table(
    out: &mut dyn Write,
    rows: &[Row<'_>],
    width: Option<usize>,
    palette: Palette,
) -> io::Result<()> {
    let longest = |text: fn(&Row<'_>) -> usize| rows.iter().map(text).max().unwrap_or(0);
    let ids = longest(|row| row.contract.id.chars().count());
    let uses = longest(|row| row.usage().len());
    let origins = longest(|row| row.origin.chars().count());
    let dim = palette.dim();
    let left = width.map(|width| width.saturating_sub(ids + uses + origins + "  warning  ".len() + 4));
    let (gap, room) = match (left, width) {
        (Some(left), Some(width)) if left < LEAST_MESSAGE => ("\n    ", Some(width.saturating_sub(4))),
        (left, _) => ("  ", left),
    };
    for row in rows {
        let Contract { id, severity, message, .. } = row.contract;
        let (name, colour, text) = match row.unused {
            None => (palette.bold(), palette.severity(*severity), Style::new()),
            Some(_) => (dim, dim, dim),
        };
        let (word, used, origin) = (severity.as_str(), row.usage(), &row.origin);
        let message = inert(message.lines().next().unwrap_or_default().trim_end());
        let message = cut(&message, room);
        let origins = if gap == "  " { origins } else { 0 };
        write!(out, "{name}{id:<ids$}{name:#}  {colour}{word:<7}{colour:#}  ")?;
        writeln!(out, "{dim}{used:<uses$}  {origin:<origins$}{dim:#}{gap}{text}{message}{text:#}")?;
        let modes = judged_in(row.contract);
        if row.shows_modes && modes != EVERYWHERE {
            writeln!(out, "    {dim}judged in: {}{dim:#}", modes.join(", "))?;
        }
    }
    Ok(())
}
