//! `phaser contracts create`: a new contract file, never over an existing one.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use serde_json::json;

use super::{Format, Where, json, shown};
use crate::cli::environment::Environment;
use crate::cli::output::to_stdout;
use crate::cli::say;
use crate::exit::Exit;
use phaser_core::check::TYPES;
use phaser_core::contract::keys::{
    ContractBuilder, ContractKey, KeyLevel, LocatedText, ParsedContract, Value,
};
use phaser_core::contract::syntax::to_yaml;
use phaser_core::contract::{Contract, ContractSchema, ContractType, LayerKind, Origin};
use phaser_core::matcher::pattern::{CompiledPattern, mistake};
use phaser_project::contracts::read::{Directory, ExamplesWanted, Forms};

#[derive(Debug, Args)]
pub struct Create {
    /// The name of the contract: letters, digits and hyphens
    #[arg(long, value_name = "ID")]
    rule_id: String,

    /// What it demands
    #[arg(long = "type", value_name = "TYPE", value_parser = PossibleValuesParser::new(TYPES.map(|known| known.name)))]
    kind: String,

    /// The regular expression to look for
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    pattern: Option<String>,

    /// What replaces a match when 'phaser fix' runs; $1 and ${name} are groups of the pattern, $$ is a dollar
    #[arg(long, value_name = "TEMPLATE", allow_hyphen_values = true)]
    fix: Option<String>,

    /// The files it is about, for instance '**/*.py'
    #[arg(long, value_name = "GLOB", default_value = "**/*")]
    glob: String,

    /// What to tell whoever violates it
    #[arg(long, value_name = "TEXT")]
    message: String,

    /// Why the rule exists
    #[arg(long, value_name = "TEXT")]
    rationale: Option<String>,

    /// How bad a violation is
    #[arg(long, value_enum, default_value = "error")]
    severity: SeverityArg,

    /// Where a match must start to count: code, comments or strings; may be given several times
    #[arg(long = "in", value_name = "ZONE")]
    zones: Vec<String>,

    /// A word to choose it by; may be given several times
    #[arg(long = "tag", value_name = "WORD")]
    tags: Vec<String>,

    /// Write it for all of your projects instead of this one
    #[arg(long, conflicts_with = "contracts_dir")]
    user: bool,

    #[command(flatten)]
    place: Where,

    /// How to show the result
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SeverityArg {
    Error,
    Warning,
}

pub fn run(args: &Create, environment: &Environment) -> anyhow::Result<Exit> {
    let project = args.place.project(environment, ExamplesWanted::No)?;
    let wanted = if args.user { LayerKind::User } else { LayerKind::Project };
    let fits = |directory: &Directory| directory.kind == LayerKind::Named || directory.kind == wanted;
    let is_older = |directory: &Directory| directory.forms == Forms::NestedOnly;
    let mut directories = project.directories().filter(|directory| !is_older(directory));
    let directory =
        directories.rfind(|directory| fits(directory)).context("there is no home directory (set HOME)")?;
    let name = format!("{}.yaml", args.rule_id);
    let origin = Origin { layer: directory.kind, file: directory.shown.join(&name) };
    let contract = args.contract(origin.clone())?;
    let same_id = |other: &&Contract| other.id == contract.id && other.origin.layer == directory.kind;
    if let Some(existing) = project.loaded.layers.contracts.iter().find(same_id) {
        bail!("{} is there already, in {} (choose another id)", contract.id, shown(&existing.origin.file));
    }
    let path = write_new(&directory.path, &name, &to_yaml(&contract))
        .with_context(|| format!("{}: cannot be written", shown(&origin.file)))?;
    match args.format {
        Format::Text => {
            to_stdout(|out| writeln!(out, "Created contract: {}", contract.id))?;
            let (file, id) = (shown(&origin.file), &contract.id);
            say(format_args!(
                "phaser: {file} is new; add examples to it, and run 'phaser contracts test {id}'"
            ));
        }
        Format::Json => {
            let path = path.display().to_string();
            json::print(
                &json!({ "contract": json::contract(&contract), "path": path, "version": json::VERSION }),
            )?;
        }
    }
    Ok(Exit::Clean)
}

impl Create {
    /// The contract that the arguments describe, if it is valid, its pattern included.
    fn contract(&self, origin: Origin) -> anyhow::Result<Contract> {
        let takes_pattern = ContractType::find(&self.kind).is_some_and(|kind| kind.takes("pattern"));
        if !takes_pattern && self.pattern.is_some() {
            bail!("--pattern means nothing for {} (leave it out)", self.kind);
        }
        let mut builder = ContractBuilder::new(origin, ContractSchema::Flat, 1);
        for (name, value) in self.values() {
            if let Some(key) = ContractKey::find(name, KeyLevel::Top) {
                builder.set(key, value);
            }
        }
        let ParsedContract { contract, warnings, .. } = builder.finish();
        let contract = contract.filter(|_| warnings.is_empty()).ok_or_else(|| {
            let what: Vec<_> = warnings.into_iter().map(|warning| warning.what).collect();
            anyhow::anyhow!(what.join("; "))
        })?;
        if let Some(pattern) = contract.check.pattern()
            && let Err(error) = CompiledPattern::new(pattern)
        {
            bail!(mistake::explain(&pattern.source, &error).what);
        }
        Ok(contract)
    }

    /// The keys that have a value, each with it.
    fn values(&self) -> impl Iterator<Item = (&'static str, Value<'_>)> {
        let severity = match self.severity {
            SeverityArg::Error => "error",
            SeverityArg::Warning => "warning",
        };
        let texts = [
            ("rule_id", Some(self.rule_id.as_str())),
            ("type", Some(self.kind.as_str())),
            ("pattern", self.pattern.as_deref()),
            ("file_glob", Some(self.glob.as_str())),
            ("fix", self.fix.as_deref()),
            ("message", Some(self.message.as_str())),
            ("severity", Some(severity)),
            ("rationale", self.rationale.as_deref()),
        ];
        let text = |text| Value::Text(LocatedText::new(text, 1));
        let texts = texts.into_iter().filter_map(move |(name, value)| Some((name, text(value?))));
        let lists =
            [("in", &self.zones), ("tags", &self.tags)].into_iter().filter(|(_, list)| !list.is_empty());
        let placed = |list: &'_ [String]| list.iter().map(|word| LocatedText::new(word.clone(), 1)).collect();
        texts.chain(lists.map(move |(name, list)| (name, Value::List(placed(list)))))
    }
}

/// Writes a file that is not there yet.
pub fn write_new(directory: &Path, name: &str, text: &str) -> io::Result<PathBuf> {
    fs::create_dir_all(directory)?;
    let path = directory.join(name);
    let mut file = OpenOptions::new().write(true).create_new(true).open(&path)?;
    file.write_all(text.as_bytes())?;
    Ok(path)
}
