//! `phaser contracts show`: one contract, its origin and the files it applies to.

use std::fs;
use std::io::{self, Write};

use anyhow::Context;
use clap::Args;
use serde_json::{Value, json};

use super::{LoadedProject, Where, json, print_broken, shown};
use crate::cli::args::shared::OutputArgs;
use crate::cli::completions::CONTRACT_ID;
use crate::cli::environment::Environment;
use crate::cli::first_names;
use crate::cli::output::print;
use crate::cli::project::print_warnings;
use crate::exit::Exit;
use crate::report::palette::Palette;
use crate::report::wrap::wrap;
use phaser_core::contract::keys::{ContractKey, KEYS, Value as KeyValue};
use phaser_core::contract::scope::FileOverride;
use phaser_core::contract::syntax::{document_of, documents};
use phaser_core::contract::{Contract, LayerKind, Warning};
use phaser_core::sanitize::inert;
use phaser_project::packs::{PACKS, Pack};
use phaser_project::path::RelPath;

#[derive(Debug, Args)]
pub struct Show {
    /// Contract id
    #[arg(value_hint = CONTRACT_ID)]
    id: String,

    /// Print the contract's file
    #[arg(long, conflicts_with = "format")]
    yaml: bool,

    #[command(flatten)]
    place: Where,

    #[command(flatten)]
    output: OutputArgs,
}

/// Files listed by name.
const MOST_FILES: usize = 10;

pub fn run(args: &Show, environment: &Environment) -> anyhow::Result<Exit> {
    if args.yaml {
        return show_file(args, environment);
    }
    let project = args.place.project(environment)?;
    let found = project.find_anywhere(&args.id)?;
    let mut own: Vec<&Contract> = project.contracts().iter().filter(|one| one.id == found.id).collect();
    let in_use = !own.is_empty();
    if !in_use {
        own.push(&found);
    }
    print_broken(own.iter().copied());
    let mut details: Vec<ContractDetails<'_>> = Vec::new();
    for contract in own {
        let is_hidden = |one: &&Contract| one.id == contract.id && details.is_empty();
        let shadowed = project.loaded.shadowed.iter().filter(is_hidden).collect();
        details.push(ContractDetails { contract, shadowed, files: project.checked_on(contract), in_use });
    }
    args.output.write(
        environment,
        |out, palette| {
            for (at, details) in details.iter().enumerate() {
                if at > 0 {
                    writeln!(out)?;
                }
                details.write(out, environment.width(), palette)?;
            }
            Ok(())
        },
        || {
            let mut all = details.iter().map(ContractDetails::to_json);
            let mut first = all.next().unwrap_or_default();
            let others: Vec<Value> = all.collect();
            if !others.is_empty() {
                first["others"] = json!(others);
            }
            first
        },
    )?;
    Ok(Exit::Clean)
}

/// Prints the contract's file. Reports no empty files: the shell has just created the target of `show ID --yaml > FILE`.
fn show_file(args: &Show, environment: &Environment) -> anyhow::Result<Exit> {
    let project = args.place.quiet_project(environment)?;
    let is_empty = |warning: &&Warning| {
        let size =
            project.path_of(&warning.file).and_then(|path| path.metadata().ok()).map(|file| file.len());
        size == Some(0)
    };
    print_warnings(project.loaded.warnings.iter().filter(|warning| !is_empty(warning)));
    print(&yaml(&project, &project.find_anywhere(&args.id)?)?)?;
    Ok(Exit::Clean)
}

/// The text of a contract's file, or of its document in a file of several contracts.
fn yaml(project: &LoadedProject, contract: &Contract) -> anyhow::Result<String> {
    if let Some(path) = project.file_of(contract) {
        let text = fs::read_to_string(path).with_context(|| shown(&contract.origin.file))?;
        return Ok(match documents(&text).len() {
            1 => text,
            _ => document_of(&text, &contract.id, &contract.origin)
                .map(|document| document.text.to_owned())
                .unwrap_or(text),
        });
    }
    let file = PACKS.iter().flat_map(Pack::files).find(|file| file.id == contract.id);
    let file =
        file.with_context(|| format!("{}: the file is gone (run this again)", shown(&contract.origin.file)))?;
    Ok(file.text.to_owned())
}

/// A contract as shown, with the contracts it shadows and the files it applies to.
struct ContractDetails<'a> {
    contract: &'a Contract,
    shadowed: Vec<&'a Contract>,
    files: Vec<&'a RelPath>,
    in_use: bool,
}

impl ContractDetails<'_> {
    fn write(&self, out: &mut dyn Write, width: Option<usize>, palette: Palette) -> io::Result<()> {
        let contract = self.contract;
        let state = match (self.in_use, contract.enabled) {
            (false, _) => "not in use",
            (true, true) => "enabled",
            (true, false) => "disabled",
        };
        let (bold, dim, title) = (palette.bold(), palette.dim(), palette.title());
        writeln!(out, "{bold}{}{bold:#} {dim}[{state}]{dim:#}", contract.id)?;
        write_indented(out, &contract.message, width)?;
        writeln!(out)?;
        for key in KEYS.iter().filter(|key| key.in_row) {
            if let Some(value) = shown_value(key, contract) {
                writeln!(out, "{title}{:<10}{title:#} {}", format!("{}:", key.name), inert(&value))?;
            }
        }
        writeln!(out, "{title}from:{title:#}      {}", self.origin(contract))?;
        for shadowed in &self.shadowed {
            writeln!(out, "{title}shadows:{title:#}   {}", self.origin(shadowed))?;
        }
        self.write_scope(out, palette)?;
        self.write_files(out, palette)?;
        if let Some(rationale) = &contract.rationale {
            writeln!(out, "\n{title}why:{title:#}")?;
            write_indented(out, rationale, width)?;
        }
        write_examples(out, contract, palette)
    }

    fn origin(&self, contract: &Contract) -> String {
        let note = match contract.origin.layer {
            LayerKind::Pack if !self.in_use => "built in; use it with --pack",
            LayerKind::Pack => "built in",
            layer => layer.as_str(),
        };
        format!("{} ({note})", shown(&contract.origin.file))
    }

    /// Writes base directories and overrides, which limit the contract beside its globs.
    fn write_scope(&self, out: &mut dyn Write, palette: Palette) -> io::Result<()> {
        let title = palette.title();
        let scope = &self.contract.scope;
        if !scope.base.as_bytes().is_empty() {
            writeln!(out, "{title}below:{title:#}     {}/", inert(&scope.base.to_text()))?;
        }
        for nearer in &scope.nearer {
            writeln!(
                out,
                "{title}not below:{title:#} {}/ (another contract applies there)",
                inert(&nearer.to_text())
            )?;
        }
        for FileOverride { files, change } in scope.overrides() {
            let severity = change.severity.map(|severity| severity.as_str().to_owned());
            let enabled = change.enabled.map(|enabled| if enabled { "on" } else { "off" }.to_owned());
            let what: Vec<String> = severity.into_iter().chain(enabled).collect();
            let globs: Vec<_> = files
                .globs
                .iter()
                .map(|glob| files.base.join(glob.as_str()).to_text().into_owned())
                .collect();
            let place = if globs.is_empty() {
                format!("below {}/", files.base)
            } else {
                format!("in {}", globs.join(", "))
            };
            writeln!(out, "{title}override:{title:#}  {} {}", what.join(", "), inert(&place))?;
        }
        Ok(())
    }

    fn write_files(&self, out: &mut dyn Write, palette: Palette) -> io::Result<()> {
        let title = palette.title();
        let files: Vec<String> = self.files.iter().map(|path| inert(&path.to_text()).into_owned()).collect();
        let shown = match files.as_slice() {
            [] => "none in this project".to_owned(),
            files => first_names(files, MOST_FILES),
        };
        writeln!(out, "{title}files:{title:#}     {shown}")
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

/// The value of a key, on one line.
fn shown_value(key: &ContractKey, contract: &Contract) -> Option<String> {
    Some(match key.value_of(contract)? {
        KeyValue::Text(text) | KeyValue::Literal(text) | KeyValue::Object(text) => text.text.into_owned(),
        KeyValue::Flag(flag) => flag.to_string(),
        KeyValue::List(list) | KeyValue::Scalars(list) => {
            list.iter().map(|word| &*word.text).collect::<Vec<_>>().join(", ")
        }
        KeyValue::Examples(_) | KeyValue::Empty(_) => return None,
    })
}

/// Writes the examples of a contract.
pub fn write_examples(out: &mut dyn Write, contract: &Contract, palette: Palette) -> io::Result<()> {
    let style = palette.title();
    let examples = &contract.examples;
    for (title, examples) in [("violates it", &examples.violating), ("is fine", &examples.passing)] {
        if !examples.is_empty() {
            writeln!(out, "\n{style}{title}:{style:#}")?;
        }
        for example in examples {
            let path = example.path.as_ref().map(|path| format!("({}) ", inert(path))).unwrap_or_default();
            let shown = example.shown();
            let mut lines = shown.split('\n');
            let first = format!("  - {path}{}", inert(lines.next().unwrap_or_default()));
            writeln!(out, "{}", first.trim_end())?;
            lines.try_for_each(|line| writeln!(out, "    {}", inert(line)))?;
        }
    }
    Ok(())
}

/// Writes text with every line indented, wrapped at `width`.
pub fn write_indented(out: &mut dyn Write, text: &str, width: Option<usize>) -> io::Result<()> {
    let width = width.map(|width| width.saturating_sub(2));
    for line in text.trim_end().lines() {
        wrap(&inert(line), width).iter().try_for_each(|line| writeln!(out, "  {line}"))?;
    }
    Ok(())
}
