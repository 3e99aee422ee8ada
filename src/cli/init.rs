//! `phaser init`: what a project needs to be guarded. It is shown first; nothing is written before the last answer; and it is
//! written as a whole or not at all.

use std::io::{self, BufRead};

use anyhow::{Context, bail};
use clap::Args;

use super::baseline::First;
use super::contracts::{checked_on, load_packs};
use super::environment::Environment;
use super::install::{self, Preview};
use super::output::to_stdout;
use super::packs::Packs;
use super::say;
use super::today::{self, Today};
use crate::exit::Exit;
use crate::install::{Form, Tools};
use phaser_core::contract::Contract;
use phaser_core::skipped::Gap;
use phaser_project::contracts::read::ExamplesWanted;
use phaser_project::packs::{PACKS, Pack};
use phaser_project::path::{BASELINE, CONFIG, RelPath, Root, RootHints, find_root};
use phaser_project::project::Recorded;
use phaser_project::source::Targets;

mod pre_commit;
mod words;
mod writing;

use writing::{NewFile, Writing};

/// `phaser init`.
#[derive(Debug, Args)]
pub struct Init {
    /// Do all of it without asking: the configuration, the hooks, the pre-commit entry, and a baseline of what is
    /// violated today
    #[arg(long, short)]
    yes: bool,

    /// Install the Claude Code hooks, without asking
    #[arg(long)]
    hook: bool,

    /// Install the guard, without asking: hooks for what shell commands write and for the end of a turn as well
    #[arg(long)]
    guard: bool,

    /// Add phaser to .pre-commit-config.yaml, without asking
    #[arg(long)]
    pre_commit: bool,

    /// Record what is violated today in a baseline, without asking
    #[arg(long)]
    baseline: bool,

    /// Show what would be done, and write nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    packs: Packs,
}

/// Runs `phaser init`.
pub fn run(args: &Init, environment: &Environment) -> anyhow::Result<Exit> {
    let root = find_root(RootHints { named: None, cwd: &environment.cwd, file: None });
    let plan = Plan::make(args, root, environment)?;
    plan.say_packs_that_are_missing(args);
    plan.today.report.warnings.iter().flat_map(|warning| warning.lines()).for_each(say);
    to_stdout(|out| plan.write(out, environment))?;
    let wanted = plan.wanted(args)?;
    let somebody = environment.is_interactive() && !args.yes && !args.dry_run;
    let wanted = if somebody { plan.ask(wanted)? } else { wanted };
    let files = plan.files(wanted);
    if files.is_empty() {
        to_stdout(|out| writeln!(out, "There is nothing to write."))?;
    } else if args.dry_run {
        to_stdout(|out| writeln!(out, "These would be written: {}. Nothing was.", files.join(", ")))?;
        return Ok(Exit::Clean);
    } else if somebody && !asked(&format!("Write {}?", files.join(", ")), OnEnter::Yes)? {
        to_stdout(|out| writeln!(out, "Nothing was written."))?;
        return Ok(Exit::Clean);
    } else {
        plan.carry_out(wanted)?;
        to_stdout(|out| writeln!(out, "Written: {}.", files.join(", ")))?;
    }
    to_stdout(|out| plan.write_next(out, wanted))?;
    if wanted.hooks != Hooks::None && environment.find_program("phaser").is_none() {
        say("phaser: 'phaser' is not on the PATH, and the hooks need it there");
    }
    Ok(Exit::Clean)
}

/// Everything that can be done, worked out before anything is.
struct Plan {
    root: Root,
    languages: Vec<&'static str>,
    /// The configuration; none if there is one.
    config: Option<String>,
    hooks: anyhow::Result<Preview>,
    /// The hooks of the guard, which do more.
    guard: anyhow::Result<Preview>,
    /// The configuration of pre-commit; none where there is no repository.
    pre_commit: Option<PreCommit>,
    today: Today,
    /// What could be recorded.
    baseline: Option<First>,
}

struct PreCommit {
    before: Option<String>,
    entry: pre_commit::Entry,
}

/// Which parts are wanted, beside the configuration.
#[derive(Debug, Clone, Copy)]
struct Parts {
    hooks: Hooks,
    pre_commit: bool,
    baseline: bool,
}

/// Which hooks are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hooks {
    None,
    Plain,
    Guard,
}

impl Plan {
    fn make(args: &Init, root: Root, environment: &Environment) -> anyhow::Result<Self> {
        let targets = today::targets(&root, environment)?;
        let languages = PACKS.iter().filter(|pack| is_about_language(pack) && fits(pack, &targets));
        let languages: Vec<&'static Pack> = languages.collect();
        let named: Vec<&'static Pack> = args.packs.chosen().collect();
        let has_config = root.path().join(CONFIG).symlink_metadata().is_ok();
        let packs: Vec<&'static Pack> = match (has_config, named.is_empty()) {
            (true, _) => Vec::new(),
            (false, false) => named,
            (false, true) => {
                let is_wanted = |pack: &&'static Pack| is_general(pack) || languages.contains(pack);
                PACKS.iter().filter(is_wanted).collect()
            }
        };
        let config = (!has_config).then(|| config(&packs));
        let today = today::check(&root, environment, packs)?;
        let has_gaps = today.report.skipped.iter().any(|skipped| skipped.why.gap() == Gap::Failure);
        let is_recorded = !matches!(today.recorded, Recorded::Nowhere);
        let first = (!has_gaps && !is_recorded).then(|| First::of(&today.report)).transpose();
        let first = first.unwrap_or_else(|error| {
            say(format_args!("phaser: {error}"));
            None
        });
        Ok(Self {
            languages: languages.iter().map(|pack| pack.name).collect(),
            config,
            hooks: install::preview(Form::Plain(Tools::Edits), environment),
            guard: install::preview(Form::Guard, environment),
            pre_commit: pre_commit(&root)?,
            baseline: first.filter(|first| first.recorded > 0),
            today,
            root,
        })
    }

    /// Packs that were named, where a configuration is there that does not name them.
    fn say_packs_that_are_missing(&self, args: &Init) {
        if self.config.is_some() {
            return;
        }
        for pack in args.packs.chosen().filter(|pack| !self.today.packs.contains(pack)) {
            say(format_args!("phaser: add '{}' to 'packs' in {CONFIG}, which stays as it is", pack.name));
        }
    }

    /// Which parts the arguments ask for. What they name must be possible.
    fn wanted(&self, args: &Init) -> anyhow::Result<Parts> {
        if let (true, Err(error)) = (args.hook || args.guard || args.yes, &self.hooks) {
            bail!("{error:#}; nothing was written");
        }
        if args.pre_commit && self.pre_commit.is_none() {
            bail!("--pre-commit: there is no git repository at the top of the project; run 'git init' first");
        }
        let can_record = matches!(self.today.recorded, Recorded::Nowhere) && self.baseline.is_none();
        if args.baseline && can_record && self.today.report.gaps().next().is_some() {
            bail!(
                "--baseline: not everything could be checked ('phaser enforce --all' says why); nothing was written"
            );
        }
        Ok(Parts {
            hooks: match (args.guard && changes(&self.guard), (args.hook || args.yes) && changes(&self.hooks))
            {
                (true, _) => Hooks::Guard,
                (false, true) => Hooks::Plain,
                (false, false) => Hooks::None,
            },
            pre_commit: (args.pre_commit || args.yes) && self.adds_entry().is_some(),
            baseline: (args.baseline || args.yes) && self.baseline.is_some(),
        })
    }

    /// Asks whoever sits at the terminal for what was not asked for yet.
    fn ask(&self, wanted: Parts) -> anyhow::Result<Parts> {
        let Parts { mut hooks, mut pre_commit, mut baseline } = wanted;
        if hooks == Hooks::None && changes(&self.hooks) {
            hooks = self.ask_for_hooks()?;
        }
        if !pre_commit && self.adds_entry().is_some() {
            pre_commit = asked("Add the entry for pre-commit?", OnEnter::No)?;
        }
        if let (false, Some(first)) = (baseline, &self.baseline) {
            let violations = counted(first.recorded, "violation");
            let them = if first.recorded == 1 { "it" } else { "them" };
            baseline = asked(&format!("{violations} today: record {them} as a baseline?"), OnEnter::No)?;
        }
        Ok(Parts { hooks, pre_commit, baseline })
    }

    fn ask_for_hooks(&self) -> anyhow::Result<Hooks> {
        let hooks = "Install the hooks? An edit that violates nothing then skips the permission prompt.";
        if !asked(hooks, OnEnter::No)? {
            return Ok(Hooks::None);
        }
        let guard = "The whole guard, for shell commands and the end of a turn as well?";
        Ok(if changes(&self.guard) && asked(guard, OnEnter::No)? { Hooks::Guard } else { Hooks::Plain })
    }

    /// What installs the hooks that are wanted.
    fn installs(&self, hooks: Hooks) -> Option<&Preview> {
        match hooks {
            Hooks::None => None,
            Hooks::Plain => self.hooks.as_ref().ok(),
            Hooks::Guard => self.guard.as_ref().ok(),
        }
    }

    /// The text of the configuration of pre-commit with the entry, if that can be written.
    fn adds_entry(&self) -> Option<&String> {
        match &self.pre_commit {
            Some(PreCommit { entry: pre_commit::Entry::Added(text), .. }) => Some(text),
            _ => None,
        }
    }

    /// The files that are written, as they are shown.
    fn files(&self, wanted: Parts) -> Vec<&str> {
        let mut files = Vec::new();
        files.extend(self.config.is_some().then_some(CONFIG));
        files.extend(wanted.baseline.then_some(BASELINE));
        files.extend(wanted.pre_commit.then_some(pre_commit::FILE));
        files.extend(self.installs(wanted.hooks).map(|hooks| &*hooks.shown));
        files
    }

    /// Writes what is wanted. The hooks come last: they need the rest.
    fn carry_out(&self, wanted: Parts) -> anyhow::Result<()> {
        let mut writing = Writing::default();
        let new = |shown: &'static str, text: &str, before: Option<&String>| NewFile {
            path: self.root.path().join(shown),
            shown,
            text: text.to_owned(),
            before: before.map(|text| text.clone().into_bytes()),
        };
        if let Some(text) = &self.config {
            writing.write(new(CONFIG, text, None))?;
        }
        if let (true, Some(first)) = (wanted.baseline, &self.baseline) {
            writing.write(new(BASELINE, &first.text, None))?;
        }
        if let (true, Some(PreCommit { before, entry: pre_commit::Entry::Added(text) })) =
            (wanted.pre_commit, &self.pre_commit)
        {
            writing.write(new(pre_commit::FILE, text, before.as_ref()))?;
        }
        if let Some(hooks) = self.installs(wanted.hooks) {
            hooks.install().map_err(|error| writing.take_back(error.into()))?;
        }
        Ok(())
    }
}

/// Would this change the settings?
fn changes(hooks: &anyhow::Result<Preview>) -> bool {
    hooks.as_ref().is_ok_and(Preview::changes_something)
}

/// A configuration that names these packs.
fn config(packs: &[&Pack]) -> String {
    let names: Vec<_> = packs.iter().map(|pack| pack.name).collect();
    format!(
        "# What phaser checks in this project: in Claude Code, at commit time and in CI.\n\
         packs: [{}]\n\
         # An edit or a commit is refused only for the violations that it adds.\n\
         existing: report\n",
        names.join(", ")
    )
}

/// Is a pack about files of every kind?
fn is_general(pack: &'static Pack) -> bool {
    let some_file = RelPath::from("directory/file");
    let contracts = load_packs([pack], ExamplesWanted::No).contracts;
    contracts.iter().any(|contract| contract.check.reads_text() && contract.applies_to(&some_file, None))
}

/// Is a pack about mistakes in a language? One in which everything is only a matter of spelling, and so has a fix, is for
/// whoever asks for it.
fn is_about_language(pack: &'static Pack) -> bool {
    let contracts = load_packs([pack], ExamplesWanted::No).contracts;
    !is_general(pack) && contracts.iter().any(|contract| contract.fix.is_none())
}

/// Is a pack about the content of any of these files?
fn fits(pack: &'static Pack, targets: &Targets) -> bool {
    let contracts = load_packs([pack], ExamplesWanted::No).contracts;
    let about_content = |contract: &&Contract| contract.check.reads_text();
    contracts.iter().filter(about_content).any(|contract| !checked_on(contract, targets).is_empty())
}

/// What the configuration of pre-commit is, and would be.
fn pre_commit(root: &Root) -> anyhow::Result<Option<PreCommit>> {
    if !root.path().join(".git").exists() {
        return Ok(None);
    }
    let name = pre_commit::FILE;
    let before = match std::fs::read_to_string(root.path().join(name)) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| format!("{name} cannot be read")),
    };
    let entry = pre_commit::with_entry(before.as_deref());
    Ok(Some(PreCommit { before, entry }))
}

/// What it means to press Enter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OnEnter {
    Yes,
    No,
}

/// Does whoever sits at the terminal want it? Whoever goes away does not.
fn asked(question: &str, on_enter: OnEnter) -> anyhow::Result<bool> {
    let choices = match on_enter {
        OnEnter::Yes => "[Y/n]",
        OnEnter::No => "[y/N]",
    };
    to_stdout(|out| write!(out, "{question} {choices} "))?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).context("standard input cannot be read")?;
    Ok(match answer.trim().to_ascii_lowercase().as_str() {
        "" => on_enter == OnEnter::Yes && answer.ends_with('\n'),
        answer => matches!(answer, "y" | "yes"),
    })
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packs_for_every_project_are_told_from_those_for_a_language() {
        let general: Vec<_> = PACKS.iter().filter(|pack| is_general(pack)).map(|pack| pack.name).collect();
        assert_eq!(general, ["secrets", "hygiene"]);
        let language: Vec<_> =
            PACKS.iter().filter(|pack| is_about_language(pack)).map(|pack| pack.name).collect();
        assert_eq!(language, ["rust", "python", "javascript", "go"]);
    }

    #[test]
    fn the_configuration_says_what_it_is_meant_to() {
        let packs: Vec<&'static Pack> = PACKS.iter().collect();
        let read = phaser_project::config::parse(config(&packs).as_bytes(), CONFIG.as_ref()).expect("valid");
        assert_eq!(read.packs, packs);
        assert_eq!(read.existing, Some(phaser_project::config::Existing::Report));
    }
}
