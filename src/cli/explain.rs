//! `phaser explain`: what a contract demands, why, where it is judged, and the exceptions that work for it.
//!
//! An exception is shown only if it has an effect for this contract: a directive needs a comment to stand in, and a missing file
//! has no line. So the type of the contract and the files it applies to decide.

use std::io::{self, Write};

use clap::Args;
use serde_json::{Value, json};

use super::args::shared::OutputArgs;
use super::completions::CONTRACT_ID;
use super::contracts::{self, Where};
use super::environment::Environment;
use crate::examples::may_have_comments;
use crate::exit::Exit;
use crate::report::palette::Palette;
use phaser_core::check::{AppendRule, Check, CheckInput, FileSize, FileUnchanged};
use phaser_core::contract::{Contract, LayerKind};
use phaser_core::sanitize::inert;
use phaser_project::path::RelPath;
use phaser_zones::Language;

/// `phaser explain`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Explain {
    /// Contract id
    #[arg(value_hint = CONTRACT_ID)]
    id: String,

    #[command(flatten)]
    place: Where,

    #[command(flatten)]
    output: OutputArgs,
}

const EXAMPLES: &str = "\
Examples:
  phaser explain no-print
  phaser explain no-print --format json";

/// Runs `phaser explain`.
pub fn run(args: &Explain, environment: &Environment) -> anyhow::Result<Exit> {
    let project = args.place.project(environment)?;
    let contract = project.find_anywhere(&args.id)?;
    contracts::print_broken([&contract]);
    let exceptions = exceptions(&contract, &project.checked_on(&contract));
    args.output.write(
        environment,
        |out, palette| write(out, &contract, &exceptions, environment.width(), palette),
        || to_json(&contract, &exceptions),
    )?;
    Ok(Exit::Clean)
}

/// A way to make an exception.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExceptionKind {
    Line,
    NextLine,
    File,
    Baseline,
    Approval,
    Override,
}

impl ExceptionKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Line => "ignore",
            Self::NextLine => "ignore-next-line",
            Self::File => "ignore-file",
            Self::Baseline | Self::Approval => "baseline",
            Self::Override => "override",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Line => "to ignore one match, in a comment on its line",
            Self::NextLine => "or on the line before it",
            Self::File => "to ignore it in a whole file, in a comment in the first ten lines",
            Self::Baseline => "to record it in the baseline",
            Self::Approval => "to approve a change that is staged or on disk, and only that one",
            Self::Override => "to disable it, in .claude/phaser.yaml",
        }
    }
}

/// An exception with the text to write or to run.
#[derive(Debug, PartialEq, Eq)]
struct ContractException {
    kind: ExceptionKind,
    text: String,
}

/// The exceptions that have an effect for a contract, which applies to `files` of this project.
fn exceptions(contract: &Contract, files: &[&RelPath]) -> Vec<ContractException> {
    let id = &contract.id;
    let mut exceptions = Vec::new();
    let mut add = |kind, text| exceptions.push(ContractException { kind, text });
    let is_about_files = !contract.check.is_about_project();
    let has_directives = match contract.check.input() {
        CheckInput::Text | CheckInput::Data | CheckInput::Size | CheckInput::Path => true,
        CheckInput::Companion => !contract.check.needs_approval(),
        CheckInput::Message | CheckInput::Change | CheckInput::Command => false,
    };
    if contract.ignorable && is_about_files && has_directives && has_comments(contract, files) {
        let directive =
            |scope: ExceptionKind| format!("phaser:{} {id} -- why it is fine here", scope.as_str());
        if contract.check.has_lines() {
            add(ExceptionKind::Line, directive(ExceptionKind::Line));
            add(ExceptionKind::NextLine, directive(ExceptionKind::NextLine));
        }
        add(ExceptionKind::File, directive(ExceptionKind::File));
    }
    let only_file = contract.only_file();
    let only_file = only_file.as_ref().or(match files {
        [file] => Some(*file),
        _ => None,
    });
    let only_file = only_file.map(|path| path.to_text().into_owned()).filter(|path| is_plain(path));
    let has_files = !contract.check.reads_messages() && !contract.check.reads_commands();
    if contract.ignorable && has_files {
        // A requirement on the project is judged on the whole project only.
        let path = match (is_about_files, &only_file) {
            (false, _) => String::new(),
            (true, Some(path)) => format!(" {path}"),
            (true, None) => " PATH".to_owned(),
        };
        let kind = match contract.check.needs_approval() {
            true => ExceptionKind::Approval,
            false => ExceptionKind::Baseline,
        };
        add(kind, format!("phaser baseline --add --only {id}{path}"));
    }
    let files = only_file.unwrap_or_else(|| "DIR/**".to_owned());
    let files = if is_about_files && has_files {
        format!("    files: ['{files}'] # all files without this line\n")
    } else {
        String::new()
    };
    add(ExceptionKind::Override, format!("overrides:\n  - contracts: [{id}]\n{files}    enabled: false"));
    exceptions
}

/// Whether the contract can apply to a file that can have a comment.
fn has_comments(contract: &Contract, files: &[&RelPath]) -> bool {
    files.iter().any(|path| Language::has_comments(path.as_bytes())) || may_have_comments(contract)
}

/// Whether a path needs no quoting in a shell, in YAML or in a glob.
fn is_plain(path: &str) -> bool {
    !path.starts_with('-') && path.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c))
}

/// The modes that judge most contracts.
pub const EVERYWHERE: &[&str] = &["edits of agents", "--staged", "--diff", "--all", "PATH"];

/// The modes that judge the contract.
pub fn judged_in(contract: &Contract) -> &'static [&'static str] {
    match (contract.check.is_about_project(), contract.check.reads_text()) {
        _ if contract.check.reads_messages() => &["--commit-msg", "--diff"],
        _ if contract.check.reads_commands() => &["commands of agents, before they run"],
        _ if contract.check.companion().is_some() => match contract.check.needs_approval() {
            true => &["the end of an agent's turn", "--staged", "--diff"],
            false => &["the end of an agent's turn", "--staged", "--diff", "--all"],
        },
        _ if contract.check.compares_change() => {
            &["edits, commands and turns of agents", "--staged", "--diff"]
        }
        (false, _) => EVERYWHERE,
        // The index lists all paths, but not their contents.
        (true, false) => &["--staged", "--all"],
        (true, true) => &["--all"],
    }
}

fn write(
    out: &mut dyn Write,
    contract: &Contract,
    exceptions: &[ContractException],
    width: Option<usize>,
    palette: Palette,
) -> io::Result<()> {
    let (bold, title) = (palette.bold(), palette.title());
    let colour = palette.severity(contract.severity);
    let (id, severity) = (&contract.id, contract.severity);
    writeln!(out, "{bold}{id}{bold:#} {colour}({severity}){colour:#}\n\n{title}what to do:{title:#}")?;
    contracts::show::write_indented(out, &contract.message, width)?;
    writeln!(out, "\n{title}what it demands:{title:#}")?;
    contracts::show::write_indented(out, contract.kind.meaning, width)?;
    if let Some(check) = contract.check.value() {
        writeln!(out, "  path: {}", inert(check.path.as_str()))?;
        let equals: Vec<_> = check.equals.iter().map(ToString::to_string).collect();
        if !equals.is_empty() {
            writeln!(out, "  equals: {}", inert(&equals.join(", ")))?;
        }
    }
    if let Some(pattern) = contract.check.pattern() {
        writeln!(out, "  pattern: {}", inert(&pattern.source))?;
    }
    if let Some(FileSize { lines, bytes }) = contract.check.limit() {
        for (key, limit) in [("max_lines", lines), ("max_bytes", bytes)] {
            limit.map_or(Ok(()), |limit| writeln!(out, "  {key}: {limit}"))?;
        }
    }
    if let Check::Unchanged(FileUnchanged { append: AppendRule::Allow }) = contract.check {
        writeln!(out, "  append: allow")?;
    }
    if let Some(companion) = contract.check.companion() {
        writeln!(out, "  companion: {}", inert(&companion.paths.join(" or ")))?;
    }
    if let Some(code) = contract.check.code() {
        writeln!(out, "  code: {}", inert(code.source.as_str()))?;
        if let Some(language) = &code.language {
            writeln!(out, "  language: {language}")?;
        }
    }
    if let Some(imports) = contract.check.imports() {
        writeln!(out, "  import: {}", inert(&imports.globs.join(" or ")))?;
    }
    if let Some(check) = contract.check.command() {
        if !check.commands.is_empty() {
            writeln!(out, "  command: {}", inert(&check.commands.join(" or ")))?;
        }
        for (what, values) in check.conditions() {
            writeln!(out, "  {what}: {}", inert(&values))?;
        }
    } else if !contract.check.reads_messages() {
        writeln!(out, "  files: {}", inert(&contract.glob_from_root().to_text()))?;
    } else if !contract.is_about_every_file() {
        writeln!(out, "  commits that change: {}", inert(&contract.glob_from_root().to_text()))?;
    }
    if !contract.kinds.only.is_empty() {
        writeln!(out, "  only: {}", contract.kinds.only.names().join(", "))?;
    }
    if !contract.kinds.exclude.is_empty() {
        writeln!(out, "  except kinds: {}", contract.kinds.exclude.names().join(", "))?;
    }
    if let Some(exclude) = &contract.exclude {
        writeln!(out, "  except: {}", inert(&contract.scope.base.join(exclude.glob.as_str()).to_text()))?;
    }
    if !contract.zones.is_empty() {
        let zones: Vec<_> = contract.zones.iter().map(|zone| zone.as_str()).collect();
        writeln!(out, "\n{title}what counts:{title:#}\n  matches that start in {}", zones.join(" or "))?;
    }
    if contract.fix.is_some() && !contract.check.reads_commands() {
        writeln!(out, "\n{title}to fix it:{title:#}\n  phaser fix --only {id} --all")?;
    }
    if let Some(rationale) = &contract.rationale {
        writeln!(out, "\n{title}why:{title:#}")?;
        contracts::show::write_indented(out, rationale, width)?;
    }
    contracts::show::write_examples(out, contract, palette)?;
    writeln!(out, "\n{title}where it is judged:{title:#}\n  {}\n", judged_in(contract).join(", "))?;
    if !contract.ignorable {
        writeln!(out, "{title}ignore directives and the baseline do not count for it{title:#}")?;
    }
    for ContractException { kind, text } in exceptions {
        writeln!(out, "{title}{}:{title:#}", kind.title())?;
        contracts::show::write_indented(out, text, None)?;
    }
    match contract.origin.layer {
        LayerKind::Pack => writeln!(
            out,
            "{title}to change it, copy it into the project:{title:#}\n  phaser contracts show {id} --yaml > .claude/contracts/{id}.yaml"
        ),
        LayerKind::Named | LayerKind::Project | LayerKind::Configured | LayerKind::User => {
            writeln!(out, "{title}to disable it everywhere:{title:#}\n  phaser contracts disable {id}")
        }
    }
}

fn to_json(contract: &Contract, exceptions: &[ContractException]) -> Value {
    let one =
        |exception: &ContractException| json!({ "kind": exception.kind.as_str(), "text": exception.text });
    let line = exceptions.iter().find(|exception| exception.kind == ExceptionKind::Line);
    json!({
        "contract": contracts::json::contract(contract),
        "ignore": line.map(|exception| &exception.text),
        "judged_in": judged_in(contract),
        "exceptions": exceptions.iter().map(one).collect::<Vec<_>>(),
        "version": contracts::json::VERSION,
    })
}
