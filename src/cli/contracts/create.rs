//! `phaser contracts create`: writes a new contract file. Never overwrites one.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::json;

use super::{Where, json, shown};
use crate::cli::args::shared::FormatArg;
use crate::cli::environment::Environment;
use crate::cli::say;
use crate::exit::Exit;
use phaser_core::check::TYPES;
use phaser_core::contract::keys::{
    ContractBuilder, ContractKey, KeyLevel, LocatedText, ParsedContract, Value,
};
use phaser_core::contract::syntax::to_yaml;
use phaser_core::contract::{Contract, ContractSchema, ContractType, LayerKind, Origin};
use phaser_core::matcher::pattern::{CompiledPattern, mistake};
use phaser_project::contracts::read::{ContractDirectory, Forms};

#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct Create {
    /// Set the id: letters, digits and hyphens
    #[arg(long, value_name = "ID")]
    rule_id: String,

    /// Set the type, such as forbid_pattern or file_exists
    #[arg(long = "type", value_name = "TYPE", hide_possible_values = true, value_parser = PossibleValuesParser::new(TYPES.map(|known| known.name)))]
    kind: String,

    /// Set the regular expression
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    pattern: Option<String>,

    /// Set the replacement for 'phaser fix'; $1 and ${name} are groups
    #[arg(long, value_name = "TEMPLATE", allow_hyphen_values = true)]
    fix: Option<String>,

    /// Apply to these files, such as '**/*.py'
    #[arg(long, value_name = "GLOB", default_value = "**/*")]
    glob: String,

    /// Set the message of a violation
    #[arg(long, value_name = "TEXT")]
    message: String,

    /// Set the reason for the rule
    #[arg(long, value_name = "TEXT")]
    rationale: Option<String>,

    /// Set the severity: error or warning
    #[arg(long, value_name = "LEVEL", default_value = "error", hide_possible_values = true, value_parser = ["error", "warning"])]
    severity: String,

    /// Match only in code, comments or strings (repeatable)
    #[arg(long = "in", value_name = "ZONE")]
    zones: Vec<String>,

    /// Add a tag (repeatable)
    #[arg(long = "tag", value_name = "WORD")]
    tags: Vec<String>,

    /// Write a contract for all your projects
    #[arg(long, conflicts_with = "contracts_dir")]
    user: bool,

    #[command(flatten)]
    place: Where,

    #[command(flatten)]
    format: FormatArg,
}

const AFTER: &str = "\
Examples:
  phaser contracts create --rule-id no-print --type forbid_pattern --pattern '\\bprint\\(' --glob '**/*.py' \\
    --message 'Use the logger instead of print.'";

pub fn run(args: &Create, environment: &Environment) -> anyhow::Result<Exit> {
    let project = args.place.project(environment)?;
    let wanted = if args.user { LayerKind::User } else { LayerKind::Project };
    let fits = |directory: &ContractDirectory| directory.kind == LayerKind::Named || directory.kind == wanted;
    let is_older = |directory: &ContractDirectory| directory.forms == Forms::NestedOnly;
    let mut directories = project.directories().filter(|directory| !is_older(directory));
    let directory = directories.rfind(|directory| fits(directory)).context("no home directory (set HOME)")?;
    let name = format!("{}.yaml", args.rule_id);
    let origin = Origin { layer: directory.kind, file: directory.shown.join(&name) };
    let contract = args.contract(origin.clone())?;
    let same_id = |other: &&Contract| other.id == contract.id && other.origin.layer == directory.kind;
    if let Some(existing) = project.contracts().iter().find(same_id) {
        bail!("{} already exists in {} (choose another id)", contract.id, shown(&existing.origin.file));
    }
    let path = write_new(&directory.path, &name, &to_yaml(&contract))
        .with_context(|| format!("{}: cannot write the file", shown(&origin.file)))?;
    let (file, id) = (shown(&origin.file), &contract.id);
    args.format.write(
        |out| writeln!(out, "Created contract: {id}"),
        || {
            let path = path.display().to_string();
            json!({ "contract": json::contract(&contract), "path": path, "version": json::VERSION })
        },
    )?;
    if !args.format.is_json() {
        say(format_args!("phaser: wrote {file} (add examples to it, then run 'phaser contracts test {id}')"));
    }
    Ok(Exit::Clean)
}

impl Create {
    /// The contract the arguments describe. Fails if it or its pattern is invalid.
    fn contract(&self, origin: Origin) -> anyhow::Result<Contract> {
        let takes_pattern = ContractType::find(&self.kind).is_some_and(|kind| kind.takes("pattern"));
        if !takes_pattern && self.pattern.is_some() {
            bail!("--pattern has no meaning for {} (remove it)", self.kind);
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

    /// The contract keys given, with their values.
    fn values(&self) -> impl Iterator<Item = (&'static str, Value<'_>)> {
        let texts = [
            ("rule_id", Some(self.rule_id.as_str())),
            ("type", Some(self.kind.as_str())),
            ("pattern", self.pattern.as_deref()),
            ("file_glob", Some(self.glob.as_str())),
            ("fix", self.fix.as_deref()),
            ("message", Some(self.message.as_str())),
            ("severity", Some(self.severity.as_str())),
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

/// Writes a new file. Fails if it exists.
pub fn write_new(directory: &Path, name: &str, text: &str) -> io::Result<PathBuf> {
    fs::create_dir_all(directory)?;
    let path = directory.join(name);
    let mut file = OpenOptions::new().write(true).create_new(true).open(&path)?;
    file.write_all(text.as_bytes())?;
    Ok(path)
}
