//! `phaser contracts import`: writes contracts for the rules of other tools.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use serde_json::{Value, json};

use super::json;
use super::test::explain;
use crate::cli::args::shared::OutputArgs;
use crate::cli::counted;
use crate::cli::environment::Environment;
use crate::cli::to_stderr;
use crate::examples::{self, ExampleOutcome};
use crate::exit::Exit;
use crate::import::{
    Draft, Finished, NotImported, ReadRule, RuleReader, SourceFile, SourceKind, finish, valid_id,
};
use crate::report::palette::Palette;
use phaser_core::contract::{Contract, LayerKind, Warning};
use phaser_core::deadline::Deadline;
use phaser_core::sanitize::{inert, printable};
use phaser_project::atomic_write;
use phaser_project::contracts::read::{ContractDirectory, ContractReader, FileContents};
use phaser_project::project::PATIENT_TIMEOUT;

#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct Import {
    /// Files with rules of other tools
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,

    /// Read the files as rules of this tool [default: recognised from the file]
    #[arg(long, value_name = "KIND", value_parser = kinds())]
    from: Option<SourceKind>,

    /// Write into this directory [default: .claude/contracts]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    dir: Option<PathBuf>,

    /// Overwrite contract files that have other contents
    #[arg(long)]
    force: bool,

    /// Report what would be imported and write nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    output: OutputArgs,
}

const AFTER: &str = "\
Rules without an equivalent, and conditions that a contract does not have, are listed with reasons.

Examples:
  phaser contracts import gitleaks.toml                         secrets, from gitleaks or betterleaks
  phaser contracts import rules/eval.yaml                       semgrep rules, their annotated tests as examples
  phaser contracts import sgconfig.yml                          all rules of an ast-grep project, with their tests
  phaser contracts import .claude/hookify.*.local.md            hookify rules
  phaser contracts import .pre-commit-config.yaml --dry-run     pygrep hooks, and those of prek
  npx commitlint --print-config json > rules.json
  phaser contracts import --from commitlint rules.json";

fn kinds() -> impl TypedValueParser<Value = SourceKind> {
    PossibleValuesParser::new(SourceKind::ALL.map(SourceKind::as_str))
        .try_map(|name| SourceKind::find(&name).ok_or("unknown kind"))
}

pub fn run(args: &Import, environment: &Environment) -> anyhow::Result<Exit> {
    let root = environment.root();
    let directory = match &args.dir {
        Some(directory) => environment.cwd.join(directory),
        None => root.path().join(".claude/contracts"),
    };
    let shown = directory.strip_prefix(root.path()).unwrap_or(&directory).to_path_buf();
    let mut import = ContractImport::new(args, directory, shown);
    let mut is_readable = true;
    for file in &args.files {
        is_readable &= import.add(file, environment);
    }
    if !args.dry_run {
        import.write()?;
    }
    args.output.write(environment, |out, palette| write_text(out, &import, palette), || to_json(&import))?;
    Ok(match (is_readable, import.failing().count()) {
        (false, _) => Exit::Trouble,
        (true, 0) => Exit::Clean,
        (true, _) => Exit::Violations,
    })
}

/// One run of the command.
struct ContractImport {
    reader: RuleReader,
    directory: PathBuf,
    /// The directory in messages.
    shown: PathBuf,
    is_dry: bool,
    overwrites: bool,
    /// The contracts that the directory has.
    existing: Vec<Contract>,
    imported: Vec<ImportedContract>,
    /// Rules that became no contract, each with its source.
    without: Vec<(String, NotImported)>,
}

/// A rule that became a contract.
struct ImportedContract {
    contract: Contract,
    yaml: String,
    left_out: Vec<String>,
    source: String,
    line: usize,
    /// Whether the file already has these contents.
    is_unchanged: bool,
    /// Examples that fail, one line each.
    failures: Vec<String>,
}

impl ContractImport {
    fn new(args: &Import, directory: PathBuf, shown: PathBuf) -> Self {
        let read = ContractDirectory {
            kind: LayerKind::Project,
            path: directory.clone(),
            shown: shown.clone(),
            nested_only: false,
        };
        let existing = ContractReader::new(Deadline::NEVER).read(&read, &FileContents::OnDisk).contracts;
        Self {
            reader: RuleReader::new(args.from),
            directory,
            shown,
            is_dry: args.dry_run,
            overwrites: args.force,
            existing,
            imported: Vec::new(),
            without: Vec::new(),
        }
    }

    /// Adds the rules of a file. Prints why it cannot be read, and returns whether it can.
    fn add(&mut self, path: &Path, environment: &Environment) -> bool {
        let name = printable(&path.display().to_string());
        let text = match fs::read_to_string(environment.cwd.join(path)) {
            Ok(text) => text,
            Err(error) => {
                to_stderr(format_args!("{name}: cannot read the file: {}", reason(&error)));
                return false;
            }
        };
        let file = SourceFile { path: environment.cwd.join(path), shown: origin(path), text };
        if let Some(files) = self.reader.expanded(&file) {
            if files.is_empty() {
                to_stderr(format_args!("{name}: its 'ruleDirs' have no rules (correct them)"));
            }
            let mut is_readable = !files.is_empty();
            for file in &files {
                is_readable &= self.add(file.strip_prefix(&environment.cwd).unwrap_or(file), environment);
            }
            return is_readable;
        }
        match self.reader.read(&file) {
            Ok((kind, rules)) => {
                rules.into_iter().for_each(|rule| self.add_rule(rule, kind, &file));
                true
            }
            Err(error) => {
                let line = error.line.map_or_else(String::new, |line| format!(":{line}"));
                to_stderr(format_args!("{name}{line}: {}", inert(&error.what)));
                false
            }
        }
    }

    fn add_rule(&mut self, rule: ReadRule, kind: SourceKind, file: &SourceFile) {
        let without = match rule {
            ReadRule::Without(without) => without,
            ReadRule::Drafted(draft) => {
                let (id, line) = (Some(draft.id.clone()), draft.line);
                match self.add_draft(*draft, kind, file) {
                    Ok(()) => return,
                    Err(reason) => NotImported { id, line, reason },
                }
            }
        };
        self.without.push((file.shown.clone(), without));
    }

    fn add_draft(&mut self, draft: Draft, kind: SourceKind, file: &SourceFile) -> Result<(), String> {
        let line = draft.line;
        let own = valid_id(&draft.id).ok_or("its id has neither a letter nor a digit")?;
        let Finished { mut contract, mut yaml, left_out } = finish(&draft, &own, kind, &file.shown)?;
        let mut number = 1;
        while let Some(taken) =
            self.imported.iter().find(|one| one.contract.id.eq_ignore_ascii_case(&contract.id))
        {
            if taken.yaml == yaml {
                return Ok(());
            }
            number += 1;
            let id =
                valid_id(&format!("{}-{number}", &own[..own.len().min(58)])).ok_or("its id is not valid")?;
            Finished { contract, yaml, .. } = finish(&draft, &id, kind, &file.shown)?;
        }
        let name = format!("{}.yaml", contract.id);
        let shown = self.shown.join(&name);
        let contract = Contract::from_yaml(&yaml, &shown).map_err(|warnings| first(&warnings))?;
        let other = self.existing.iter().find(|other| other.id == contract.id && other.origin.file != shown);
        if let Some(other) = other {
            return Err(format!("{} already has this id (rename or remove it)", other.origin.file.display()));
        }
        let on_disk = fs::read(self.directory.join(&name));
        let is_unchanged = on_disk.as_ref().is_ok_and(|bytes| bytes == yaml.as_bytes());
        let is_new = on_disk.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        if !is_new && !is_unchanged && !self.overwrites {
            return Err(format!(
                "{} exists with other contents (use '--force' to overwrite it)",
                shown.display()
            ));
        }
        let failures = failures(&contract);
        let source = file.shown.clone();
        self.imported.push(ImportedContract {
            contract,
            yaml,
            left_out,
            source,
            line,
            is_unchanged,
            failures,
        });
        Ok(())
    }

    fn write(&self) -> anyhow::Result<()> {
        let changed = self.imported.iter().filter(|one| !one.is_unchanged);
        for (at, one) in changed.enumerate() {
            if at == 0 {
                let what = || format!("{}: cannot make the directory", self.shown.display());
                fs::create_dir_all(&self.directory).with_context(what)?;
            }
            let path = self.directory.join(format!("{}.yaml", one.contract.id));
            let what = || format!("{}: cannot write the file", one.contract.origin.file.display());
            atomic_write::write(&path, one.yaml.as_bytes()).with_context(what)?;
        }
        Ok(())
    }

    fn failing(&self) -> impl Iterator<Item = &ImportedContract> {
        self.imported.iter().filter(|one| !one.failures.is_empty())
    }
}

/// The path of a source in the contracts: no absolute one, which other clones do not have.
fn origin(path: &Path) -> String {
    let relative = if path.is_absolute() { Path::new(path.file_name().unwrap_or_default()) } else { path };
    printable(&relative.display().to_string())
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::InvalidData => "it is not UTF-8 text".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory (name its files)".to_owned(),
        _ => error.to_string(),
    }
}

fn first(warnings: &[Warning]) -> String {
    warnings.first().map_or_else(String::new, |warning| warning.what.clone())
}

/// The examples of a contract that fail, one line each.
fn failures(contract: &Contract) -> Vec<String> {
    let tested = match examples::test(contract, PATIENT_TIMEOUT, None) {
        Ok(tested) => tested,
        Err(warnings) => return warnings.iter().map(|warning| warning.what.clone()).collect(),
    };
    let failed = tested.iter().filter(|tested| tested.outcome != ExampleOutcome::AsExpected);
    failed
        .map(|tested| {
            let name = format!("{} {}", tested.expected.as_str(), tested.number);
            format!("example {name} (line {}): {}", tested.example.line, explain(contract, tested))
        })
        .collect()
}

/// Rules that share a left-out condition, from this number on, are counted in one line.
const MANY: usize = 4;

fn write_text(out: &mut dyn Write, import: &ContractImport, palette: Palette) -> io::Result<()> {
    let (bad, bold, dim) = (palette.bad(), palette.bold(), palette.dim());
    let mut left_out: BTreeMap<(&str, &str), Vec<&ImportedContract>> = BTreeMap::new();
    for one in &import.imported {
        for condition in &one.left_out {
            left_out.entry((&one.source, condition)).or_default().push(one);
        }
    }
    for one in &import.imported {
        for condition in &one.left_out {
            let sharing = &left_out[&(one.source.as_str(), condition.as_str())];
            if sharing.len() < MANY {
                let place = format!("{}:{}", one.source, one.line);
                writeln!(out, "{dim}{place}:{dim:#} {}: left out: {}", one.contract.id, inert(condition))?;
            }
        }
    }
    for ((source, condition), sharing) in left_out.iter().filter(|(_, sharing)| sharing.len() >= MANY) {
        writeln!(
            out,
            "{dim}{source}:{dim:#} left out of {}: {}",
            counted(sharing.len(), "contract"),
            inert(condition)
        )?;
    }
    for (source, NotImported { id, line, reason }) in &import.without {
        let id = id.as_deref().map_or_else(String::new, |id| format!(" {}:", printable(id)));
        writeln!(out, "{dim}{source}:{line}:{dim:#}{id} {bold}not imported{bold:#}: {}", inert(reason))?;
    }
    for one in import.failing() {
        let file = super::shown(&one.contract.origin.file);
        for failure in &one.failures {
            writeln!(out, "{bad}FAIL{bad:#} {file}: {}", inert(failure))?;
        }
    }
    let (would, directory) =
        (if import.is_dry { "Would import" } else { "Imported" }, super::shown(&import.shown));
    writeln!(
        out,
        "{bold}{would} {} into {directory}, {} not imported, {} failing{bold:#}",
        counted(import.imported.len(), "contract"),
        import.without.len(),
        import.failing().count(),
    )
}

fn to_json(import: &ContractImport) -> Value {
    let imported = import.imported.iter().map(|one| {
        json!({
            "rule_id": one.contract.id,
            "path": one.contract.origin.file.display().to_string(),
            "source": one.source,
            "line": one.line,
            "unchanged": one.is_unchanged,
            "left_out": one.left_out,
            "examples": one.contract.examples.violating.len() + one.contract.examples.passing.len(),
            "failures": one.failures,
        })
    });
    let without = import.without.iter().map(|(source, NotImported { id, line, reason })| {
        json!({ "rule_id": id, "source": source, "line": line, "reason": reason })
    });
    json!({
        "imported": imported.collect::<Vec<_>>(),
        "not_imported": without.collect::<Vec<_>>(),
        "summary": {
            "imported": import.imported.len(),
            "not_imported": import.without.len(),
            "failing": import.failing().count(),
        },
        "dry_run": import.is_dry,
        "version": json::VERSION,
    })
}
