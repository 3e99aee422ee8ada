//! `phaser init`: the first contracts of a project, and the two places that check them without being asked.

use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};

use anyhow::Context;
use clap::Args;

use super::contracts::create::write_new;
use super::contracts::{all_packs, checked_on, load_packs, threads};
use super::environment::Environment;
use super::install::{self, Install};
use super::output::to_stdout;
use super::packs::Packs;
use super::{places, say};
use crate::contract::layers::{Layers, Loading};
use crate::contract::read::ExamplesWanted;
use crate::contract::{Contract, LayerKind};
use crate::exit::Exit;
use crate::matcher;
use crate::pack::{PACKS, Pack};
use crate::path::{PROJECT_CONTRACTS, Root, RootHints, find_root};
use crate::project;
use crate::project::load::{Load, Loaded};
use crate::replace::replace;
use crate::source::{Targets, tree};

mod pre_commit;

/// `phaser init`.
#[derive(Debug, Args)]
pub struct Init {
    /// Install the Claude Code hook and the pre-commit entry, without asking
    #[arg(long, short)]
    yes: bool,

    /// Install the Claude Code hook, without asking
    #[arg(long)]
    hook: bool,

    /// Add phaser to .pre-commit-config.yaml, without asking
    #[arg(long)]
    pre_commit: bool,

    #[command(flatten)]
    packs: Packs,
}

/// What a project starts with, as far as it is about files that are there.
const STARTERS: &[&str] = &[
    "aws-access-key-id",
    "github-token",
    "private-key",
    "merge-marker",
    "do-not-commit",
    "debugger-javascript",
    "debugger-python",
    "focused-test",
    "rust-dbg-macro",
    "rust-todo-macro",
    "python-bare-except",
    "python-mutable-default",
    "python-raise-notimplemented",
    "javascript-nan-comparison",
    "javascript-async-foreach",
    "typescript-ts-ignore",
    "go-waitgroup-add-inside",
    "go-error-comparison",
];

/// The glob of contracts about every file.
const EVERY_FILE: &str = "**/*";

/// Runs `phaser init`.
pub fn run(args: &Init, environment: &Environment) -> anyhow::Result<Exit> {
    let root = find_root(RootHints { named: None, cwd: &environment.cwd, file: None });
    let targets = tree::tree(&root, &environment.git, threads());
    let extra = places::extra(None, &Packs::default(), environment)?;
    let folders = project::folders(&root, &targets);
    let load = Load { root: &root, extra: &extra, folders: &folders, staged: None, cwd: None };
    let Loaded { layers: existing, mistakes, .. } = load.run(Loading::to_enforce(matcher::broken));
    if !mistakes.is_empty() {
        return Err(project::Error::Config(mistakes).into());
    }
    let written = write_contracts(&root, &existing, &chosen(args, &targets))?;
    to_stdout(|out| say_written(out, &languages(&targets), &written, &existing))?;
    let mut exit = Exit::Clean;
    let with_hook = args.hook
        || args.yes
        || asked(environment, "Check every edit of Claude Code, with a hook in .claude/settings.json?")?;
    if with_hook {
        exit = install::run_install(&Install::default(), environment).unwrap_or_else(|error| {
            say(format_args!("phaser: {error:#}"));
            Exit::Trouble
        });
    } else {
        to_stdout(|out| writeln!(out, "To check every edit of Claude Code: phaser enforce install"))?;
    }
    if root.path().join(".git").exists() {
        if with_hook {
            to_stdout(|out| writeln!(out))?;
        }
        if args.pre_commit
            || args.yes
            || asked(environment, "Check every commit, with an entry in .pre-commit-config.yaml?")?
        {
            add_pre_commit(&root)?;
        } else {
            to_stdout(|out| writeln!(out, "To check a commit before it is made: phaser enforce --staged"))?;
        }
    }
    to_stdout(|out| writeln!(out, "\nNext: phaser enforce --all"))?;
    Ok(exit)
}

/// The languages of the project that have a pack of their own.
fn languages(targets: &Targets) -> Vec<&'static str> {
    let is_there = |pack: &&'static Pack| {
        let loaded = load_packs([*pack], ExamplesWanted::No);
        let about_code = |contract: &&Contract| contract.kind.has_pattern();
        loaded.contracts.iter().all(|contract| contract.glob.as_str() != EVERY_FILE)
            && loaded
                .contracts
                .iter()
                .filter(about_code)
                .any(|contract| !checked_on(contract, targets).is_empty())
    };
    PACKS.iter().filter(is_there).map(|pack| pack.name).collect()
}

/// The contracts to write: all of the packs that were named, or a few that fit the project.
fn chosen(args: &Init, targets: &Targets) -> Vec<Contract> {
    let named = load_packs(args.packs.chosen(), ExamplesWanted::No);
    if !named.contracts.is_empty() {
        return named.contracts;
    }
    let fits = |contract: &Contract| {
        STARTERS.contains(&contract.id.as_str())
            && (contract.glob.as_str() == EVERY_FILE || !checked_on(contract, targets).is_empty())
    };
    all_packs().contracts.into_iter().filter(fits).collect()
}

/// Writes the files of those contracts that the project does not have, and returns them.
fn write_contracts(root: &Root, existing: &Layers, chosen: &[Contract]) -> anyhow::Result<Vec<Contract>> {
    let own = existing
        .contracts
        .iter()
        .chain(&existing.shadowed)
        .filter(|contract| contract.origin.layer == LayerKind::Project);
    let ids: BTreeSet<&str> = own.map(|contract| contract.id.as_str()).collect();
    let directory = root.path().join(PROJECT_CONTRACTS);
    let mut written = Vec::new();
    for contract in chosen.iter().filter(|contract| !ids.contains(contract.id.as_str())) {
        let name = format!("{}.yaml", contract.id);
        let Some(file) = PACKS.iter().flat_map(|pack| pack.files).find(|file| file.name == name) else {
            continue;
        };
        match write_new(&directory, &name, file.text) {
            Ok(_) => written.push(contract.clone()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                say(format_args!("phaser: {PROJECT_CONTRACTS}/{name} is there already, and stays as it is"));
            }
            Err(error) => {
                return Err(error).with_context(|| format!("{PROJECT_CONTRACTS}/{name}: cannot be written"));
            }
        }
    }
    Ok(written)
}

fn say_written(
    out: &mut dyn Write,
    languages: &[&str],
    written: &[Contract],
    existing: &Layers,
) -> io::Result<()> {
    match languages {
        [] => writeln!(out, "Found no language that has a pack of its own.")?,
        languages => writeln!(out, "Found {}.", languages.join(", "))?,
    }
    if written.is_empty() {
        let count = existing.contracts.len();
        return writeln!(out, "Nothing to add to {PROJECT_CONTRACTS}; {count} contracts are there.\n");
    }
    writeln!(out, "New in {PROJECT_CONTRACTS}:")?;
    for contract in written {
        writeln!(out, "  {:<28} {}", contract.id, contract.severity)?;
    }
    writeln!(out, "'phaser explain ID' tells what one is about.\n")
}

/// Does whoever sits at the terminal want it? Without a terminal, nobody does.
fn asked(environment: &Environment, question: &str) -> anyhow::Result<bool> {
    if !environment.is_interactive() {
        return Ok(false);
    }
    to_stdout(|out| write!(out, "{question} [y/N] "))?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).context("standard input cannot be read")?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

fn add_pre_commit(root: &Root) -> anyhow::Result<()> {
    let name = pre_commit::FILE;
    let path = root.path().join(name);
    let before = match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| format!("{name}: cannot be read")),
    };
    let done = match pre_commit::with_entry(before.as_deref()) {
        pre_commit::Entry::Added(text) => {
            let path = if before.is_some() { path.canonicalize().with_context(|| name)? } else { path };
            replace(&path, text.as_bytes())
                .with_context(|| format!("{name}: cannot be written, and is as it was"))?;
            format!("phaser is in {name}; 'pre-commit install' switches it on.")
        }
        pre_commit::Entry::There => format!("phaser is in {name} already."),
        pre_commit::Entry::ByHand => format!(
            "{name} is not simple enough to be edited; add this to its 'repos':\n{}",
            pre_commit::entry()
        ),
    };
    to_stdout(|out| writeln!(out, "{done}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_project_starts_with_is_in_the_packs() {
        let packs = all_packs();
        for id in STARTERS {
            assert!(packs.contracts.iter().any(|contract| contract.id == *id), "{id}");
        }
    }
}
