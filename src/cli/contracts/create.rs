//! `phaser contracts create`: a new contract file, never over an existing one.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use serde_json::json;

use super::{Format, Where, json, shown};
use crate::cli::environment::Environment;
use crate::cli::output::to_stdout;
use crate::contract::load::Directory;
use crate::contract::syntax::{self, Draft};
use crate::contract::{Contract, Kind, Origin, Place, Severity};
use crate::exit::Exit;
use crate::matcher::pattern::Pattern;

#[derive(Debug, Args)]
pub struct Create {
    /// The name of the contract: letters, digits and hyphens
    #[arg(long, value_name = "ID")]
    rule_id: String,

    /// What it demands
    #[arg(long = "type", value_name = "TYPE", value_parser = PossibleValuesParser::new(Kind::ALL.map(Kind::as_str)))]
    kind: String,

    /// The regular expression to look for
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    pattern: Option<String>,

    /// The files it is about, for instance '**/*.py'
    #[arg(long, value_name = "GLOB")]
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
    let project = args.place.project(environment)?;
    let wanted = if args.user { Place::User } else { Place::Project };
    let fits = |directory: &&Directory| matches!(directory.place, Place::Named) || directory.place == wanted;
    let directory =
        project.directories.iter().rfind(fits).context("there is no home directory (set HOME)")?;
    let name = format!("{}.yaml", args.rule_id);
    let origin = Origin { place: directory.place, file: directory.shown.join(&name) };
    let yaml = args.draft()?.to_yaml();
    let contract = validated(&yaml, &origin)?;
    let same_id = |other: &&Contract| other.id == contract.id && other.origin.place == directory.place;
    if let Some(existing) = project.loaded.contracts.iter().find(same_id) {
        bail!("{} is there already, in {} (choose another id)", contract.id, shown(&existing.origin.file));
    }
    let path = write_new(&directory.path, &name, &yaml)
        .with_context(|| format!("{}: cannot be written", shown(&origin.file)))?;
    match args.format {
        Format::Text => to_stdout(|out| {
            writeln!(out, "Created {}", shown(&origin.file))?;
            writeln!(out, "Add examples to it, and run 'phaser contracts test {}'.", contract.id)
        })?,
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
    fn draft(&self) -> anyhow::Result<Draft<'_>> {
        let kind = Kind::ALL.into_iter().find(|kind| kind.as_str() == self.kind).context("not a type")?;
        if !kind.has_pattern() && self.pattern.is_some() {
            bail!("--pattern means nothing for {kind} (leave it out)");
        }
        Ok(Draft {
            id: &self.rule_id,
            kind,
            pattern: self.pattern.as_deref(),
            glob: &self.glob,
            message: &self.message,
            severity: match self.severity {
                SeverityArg::Error => Severity::Error,
                SeverityArg::Warning => Severity::Warning,
            },
            rationale: self.rationale.as_deref(),
        })
    }
}

/// The contract in `yaml`, whose pattern is valid too.
fn validated(yaml: &str, origin: &Origin) -> anyhow::Result<Contract> {
    let contract = syntax::parse(yaml, origin.clone()).map_err(|warnings| {
        let what: Vec<_> = warnings.into_iter().map(|warning| warning.what).collect();
        anyhow::anyhow!(what.join("; "))
    })?;
    if let Some(pattern) = contract.check.pattern() {
        Pattern::new(pattern, Duration::from_secs(1))?;
    }
    Ok(contract)
}

/// Writes a file that is not there yet.
pub fn write_new(directory: &Path, name: &str, text: &str) -> io::Result<PathBuf> {
    fs::create_dir_all(directory)?;
    let path = directory.join(name);
    let mut file = OpenOptions::new().write(true).create_new(true).open(&path)?;
    file.write_all(text.as_bytes())?;
    Ok(path)
}
