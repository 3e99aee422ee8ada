//! `phaser contracts show`: everything about one contract.

use std::fs;
use std::io::{self, Write};

use anyhow::Context;
use clap::Args;
use serde_json::{Value, json};

use super::{Format, Project, Where, checked_on, json, say_warnings, shown};
use crate::cli::environment::Environment;
use crate::cli::output::to_stdout;
use crate::contract::keys::{KEYS, Key, Shown, Value as KeyValue};
use crate::contract::read::ExamplesWanted;
use crate::contract::{Contract, Example, LayerKind, Warning};
use crate::exit::Exit;
use crate::pack::PACKS;
use crate::path::RelPath;
use crate::report::inert;

#[derive(Debug, Args)]
pub struct Show {
    /// The contract
    id: String,

    /// Print the contract's file as it is
    #[arg(long, conflicts_with = "format")]
    yaml: bool,

    #[command(flatten)]
    place: Where,

    /// How to show it
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// So many files are named; the rest is counted.
const MOST_FILES: usize = 10;

pub fn run(args: &Show, environment: &Environment) -> anyhow::Result<Exit> {
    if args.yaml {
        return show_file(args, environment);
    }
    let project = args.place.project(environment, ExamplesWanted::Yes)?;
    let contract = &project.find_anywhere(&args.id)?;
    let targets = project.targets();
    let about = About {
        contract,
        shadowed: project.loaded.shadowed.iter().filter(|shadowed| shadowed.id == contract.id).collect(),
        files: checked_on(contract, &targets),
        in_use: project.loaded.contracts.iter().any(|loaded| loaded.id == contract.id),
    };
    match args.format {
        Format::Text => to_stdout(|out| about.write(out))?,
        Format::Json => json::print(&about.to_json())?,
    }
    Ok(Exit::Clean)
}

/// Prints the contract's file. A shell that writes this into a file makes the file first, so nothing is said about files
/// that are empty.
fn show_file(args: &Show, environment: &Environment) -> anyhow::Result<Exit> {
    let project = args.place.quiet_project(environment, ExamplesWanted::No)?;
    let is_empty = |warning: &&Warning| {
        let size =
            project.path_of(&warning.file).and_then(|path| path.metadata().ok()).map(|file| file.len());
        size == Some(0)
    };
    let (_, others): (Vec<&Warning>, Vec<&Warning>) = project.loaded.warnings.iter().partition(is_empty);
    say_warnings(others);
    let yaml = yaml(&project, &project.find_anywhere(&args.id)?)?;
    to_stdout(|out| out.write_all(yaml.as_bytes()))?;
    Ok(Exit::Clean)
}

/// The text of a contract's file.
fn yaml(project: &Project, contract: &Contract) -> anyhow::Result<String> {
    if let Some(path) = project.file_of(contract) {
        return fs::read_to_string(path).with_context(|| shown(&contract.origin.file));
    }
    let name = format!("{}.yaml", contract.id);
    let file = PACKS.iter().flat_map(|pack| pack.files).find(|file| file.name == name);
    let file = file.with_context(|| format!("{}: is gone; run this again", shown(&contract.origin.file)))?;
    Ok(file.text.to_owned())
}

struct About<'a> {
    contract: &'a Contract,
    shadowed: Vec<&'a Contract>,
    files: Vec<&'a RelPath>,
    in_use: bool,
}

impl About<'_> {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let contract = self.contract;
        let state = match (self.in_use, contract.enabled) {
            (false, _) => "not in use",
            (true, true) => "enabled",
            (true, false) => "disabled",
        };
        writeln!(out, "{} [{state}]", contract.id)?;
        write_indented(out, &contract.message)?;
        writeln!(out)?;
        for key in KEYS.iter().filter(|key| key.shown == Shown::InRow) {
            if let Some(value) = shown_value(key, contract) {
                writeln!(out, "{:<10} {}", format!("{}:", key.name), inert(&value))?;
            }
        }
        writeln!(out, "from:      {}", self.origin(contract))?;
        for shadowed in &self.shadowed {
            writeln!(out, "shadows:   {}", self.origin(shadowed))?;
        }
        self.write_files(out)?;
        if let Some(rationale) = &contract.rationale {
            writeln!(out, "\nwhy:")?;
            write_indented(out, rationale)?;
        }
        write_examples(out, contract)
    }

    fn origin(&self, contract: &Contract) -> String {
        let note = match contract.origin.layer {
            LayerKind::Pack if !self.in_use => "built in; use it with --pack",
            LayerKind::Pack => "built in",
            layer => layer.as_str(),
        };
        format!("{} ({note})", shown(&contract.origin.file))
    }

    fn write_files(&self, out: &mut dyn Write) -> io::Result<()> {
        match self.files.len() {
            0 => writeln!(out, "files:     none in this project"),
            count => {
                let named: Vec<_> = self
                    .files
                    .iter()
                    .take(MOST_FILES)
                    .map(|path| inert(&path.to_text()).into_owned())
                    .collect();
                let more = match count.saturating_sub(MOST_FILES) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                writeln!(out, "files:     {}{more}", named.join(", "))
            }
        }
    }

    fn to_json(&self) -> Value {
        let files: Vec<_> = self.files.iter().map(|path| path.to_text()).collect();
        let shadowed: Vec<Value> = self.shadowed.iter().map(|shadowed| json::contract(shadowed)).collect();
        json!({
            "contract": json::contract(self.contract),
            "in_use": self.in_use && self.contract.enabled,
            "shadows": shadowed,
            "files": files,
            "version": json::VERSION,
        })
    }
}

/// The value of a key on one line, if the contract has one.
fn shown_value(key: &Key, contract: &Contract) -> Option<String> {
    Some(match key.value_of(contract)? {
        KeyValue::Text(text) => text.text.into_owned(),
        KeyValue::Flag(flag) => flag.to_string(),
        KeyValue::List(list) => list.iter().map(|word| &*word.text).collect::<Vec<_>>().join(", "),
        KeyValue::Examples(_) => return None,
    })
}

/// The examples of a contract, if it has any.
pub fn write_examples(out: &mut dyn Write, contract: &Contract) -> io::Result<()> {
    let examples = &contract.examples;
    for (title, examples) in [("violates it", &examples.violating), ("is fine", &examples.passing)] {
        if !examples.is_empty() {
            writeln!(out, "\n{title}:")?;
        }
        for Example { path, text, .. } in examples {
            let path = path.as_ref().map(|path| format!("({}) ", inert(path))).unwrap_or_default();
            let mut lines = text.trim_end().lines();
            writeln!(out, "  - {path}{}", inert(lines.next().unwrap_or_default()))?;
            lines.try_for_each(|line| writeln!(out, "    {}", inert(line)))?;
        }
    }
    Ok(())
}

/// Text with every line indented.
pub fn write_indented(out: &mut dyn Write, text: &str) -> io::Result<()> {
    text.trim_end().lines().try_for_each(|line| writeln!(out, "  {}", inert(line)))
}
