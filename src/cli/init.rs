//! `phaser init`: sets up a project. It shows the plan, asks, and then writes all files or none.

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
use crate::install::{EditTools, HookForm};
use phaser_core::contract::Contract;
use phaser_core::skipped::Gap;
use phaser_project::contracts::read::ExamplesWanted;
use phaser_project::packs::{PACKS, Pack};
use phaser_project::path::{BASELINE, CONFIG, RelPath, Root, RootHints, find_root};
use phaser_project::project::Recorded;
use phaser_project::source::Targets;

mod messages;
mod pre_commit;
mod transaction;

use transaction::{NewFile, Transaction};

/// `phaser init`.
#[derive(Debug, Args)]
pub struct Init {
    /// Do everything without asking: configuration, hooks, pre-commit entry, baseline
    #[arg(long, short)]
    yes: bool,

    /// Install the Claude Code hooks without asking
    #[arg(long)]
    hook: bool,

    /// Install the guard without asking: hooks for shell commands and ends of turns as well
    #[arg(long)]
    guard: bool,

    /// Add phaser to .pre-commit-config.yaml without asking
    #[arg(long)]
    pre_commit: bool,

    /// Record existing violations in a baseline without asking
    #[arg(long)]
    baseline: bool,

    /// Show the plan and write nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    packs: Packs,
}

/// Runs `phaser init`.
pub fn run(args: &Init, environment: &Environment) -> anyhow::Result<Exit> {
    let root = find_root(RootHints { named: None, cwd: &environment.cwd, file: None });
    let plan = InitPlan::make(args, root, environment)?;
    plan.print_missing_packs(args);
    plan.today.report.warnings.iter().flat_map(|warning| warning.lines()).for_each(say);
    to_stdout(|out| plan.write(out, environment))?;
    let wanted = plan.wanted(args)?;
    let is_interactive = environment.is_interactive() && !args.yes && !args.dry_run;
    let wanted = if is_interactive { plan.ask(wanted)? } else { wanted };
    let files = plan.files(wanted);
    if files.is_empty() {
        to_stdout(|out| writeln!(out, "Nothing to write."))?;
    } else if args.dry_run {
        to_stdout(|out| writeln!(out, "Would write: {}. Nothing written.", files.join(", ")))?;
        return Ok(Exit::Clean);
    } else if is_interactive && !asked(&format!("Write {}?", files.join(", ")), OnEnter::Yes)? {
        to_stdout(|out| writeln!(out, "Nothing written."))?;
        return Ok(Exit::Clean);
    } else {
        plan.carry_out(wanted)?;
        to_stdout(|out| writeln!(out, "Written: {}.", files.join(", ")))?;
    }
    to_stdout(|out| plan.write_next(out, wanted))?;
    if wanted.hooks != Hooks::None && environment.find_program("phaser").is_none() {
        say("phaser: 'phaser' is not on the PATH; the hooks need it there");
    }
    Ok(Exit::Clean)
}

/// Everything that `phaser init` can write, computed in advance.
struct InitPlan {
    root: Root,
    languages: Vec<&'static str>,
    /// The new configuration; `None` if one exists.
    config: Option<String>,
    hooks: anyhow::Result<Preview>,
    guard: anyhow::Result<Preview>,
    /// `None` without a git repository.
    pre_commit: Option<PreCommit>,
    today: Today,
    /// The new baseline; `None` without violations, or if one exists.
    baseline: Option<First>,
}

struct PreCommit {
    before: Option<String>,
    entry: pre_commit::EntryEdit,
}

/// The parts to write besides the configuration.
#[derive(Debug, Clone, Copy)]
struct InitParts {
    hooks: Hooks,
    pre_commit: bool,
    baseline: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hooks {
    None,
    Plain,
    Guard,
}

impl InitPlan {
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
            hooks: install::preview(HookForm::Plain(EditTools::Edits), environment),
            guard: install::preview(HookForm::Guard, environment),
            pre_commit: pre_commit(&root)?,
            baseline: first.filter(|first| first.recorded > 0),
            today,
            root,
        })
    }

    /// Prints the requested packs that an existing configuration does not have.
    fn print_missing_packs(&self, args: &Init) {
        if self.config.is_some() {
            return;
        }
        for pack in args.packs.chosen().filter(|pack| !self.today.packs.contains(pack)) {
            say(format_args!("phaser: add '{}' to 'packs' in {CONFIG} (init does not change it)", pack.name));
        }
    }

    /// The parts that the arguments ask for, or an error if one is impossible.
    fn wanted(&self, args: &Init) -> anyhow::Result<InitParts> {
        if let (true, Err(error)) = (args.hook || args.guard || args.yes, &self.hooks) {
            bail!("{error:#}; nothing written");
        }
        if args.pre_commit && self.pre_commit.is_none() {
            bail!("--pre-commit: the project is not a git repository (run 'git init')");
        }
        let can_record = matches!(self.today.recorded, Recorded::Nowhere) && self.baseline.is_none();
        if args.baseline && can_record && self.today.report.gaps().next().is_some() {
            bail!("--baseline: some files are unchecked (see 'phaser enforce --all'); nothing written");
        }
        Ok(InitParts {
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

    /// Asks the user for the parts that the arguments do not select.
    fn ask(&self, wanted: InitParts) -> anyhow::Result<InitParts> {
        let InitParts { mut hooks, mut pre_commit, mut baseline } = wanted;
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
        Ok(InitParts { hooks, pre_commit, baseline })
    }

    fn ask_for_hooks(&self) -> anyhow::Result<Hooks> {
        let hooks = "Install the hooks? An edit that violates nothing then skips the permission prompt.";
        if !asked(hooks, OnEnter::No)? {
            return Ok(Hooks::None);
        }
        let guard = "The whole guard, for shell commands and the end of a turn as well?";
        Ok(if changes(&self.guard) && asked(guard, OnEnter::No)? { Hooks::Guard } else { Hooks::Plain })
    }

    fn installs(&self, hooks: Hooks) -> Option<&Preview> {
        match hooks {
            Hooks::None => None,
            Hooks::Plain => self.hooks.as_ref().ok(),
            Hooks::Guard => self.guard.as_ref().ok(),
        }
    }

    /// The new text of the pre-commit configuration, if the entry can be added.
    fn adds_entry(&self) -> Option<&String> {
        match &self.pre_commit {
            Some(PreCommit { entry: pre_commit::EntryEdit::Added(text), .. }) => Some(text),
            _ => None,
        }
    }

    /// The files to write, for messages.
    fn files(&self, wanted: InitParts) -> Vec<&str> {
        let mut files = Vec::new();
        files.extend(self.config.is_some().then_some(CONFIG));
        files.extend(wanted.baseline.then_some(BASELINE));
        files.extend(wanted.pre_commit.then_some(pre_commit::FILE));
        files.extend(self.installs(wanted.hooks).map(|hooks| &*hooks.shown));
        files
    }

    /// Writes the wanted parts. The hooks come last, because they need the rest.
    fn carry_out(&self, wanted: InitParts) -> anyhow::Result<()> {
        let mut transaction = Transaction::default();
        let new = |shown: &'static str, text: &str, before: Option<&String>| NewFile {
            path: self.root.path().join(shown),
            shown,
            text: text.to_owned(),
            before: before.map(|text| text.clone().into_bytes()),
        };
        if let Some(text) = &self.config {
            transaction.write(new(CONFIG, text, None))?;
        }
        if let (true, Some(first)) = (wanted.baseline, &self.baseline) {
            transaction.write(new(BASELINE, &first.text, None))?;
        }
        if let (true, Some(PreCommit { before, entry: pre_commit::EntryEdit::Added(text) })) =
            (wanted.pre_commit, &self.pre_commit)
        {
            transaction.write(new(pre_commit::FILE, text, before.as_ref()))?;
        }
        if let Some(hooks) = self.installs(wanted.hooks) {
            hooks.install().map_err(|error| transaction.roll_back(error.into()))?;
        }
        Ok(())
    }
}

/// Whether installing changes the settings.
fn changes(hooks: &anyhow::Result<Preview>) -> bool {
    hooks.as_ref().is_ok_and(Preview::changes_something)
}

/// A configuration with these packs.
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

/// Whether a pack applies to files of every kind.
fn is_general(pack: &'static Pack) -> bool {
    let some_file = RelPath::from("directory/file");
    let contracts = load_packs([pack], ExamplesWanted::No).contracts;
    contracts.iter().any(|contract| contract.check.reads_text() && contract.applies_to(&some_file, None))
}

/// Whether a pack is about mistakes in one language. A pack in which every contract has a fix is a matter of style and
/// is not suggested.
fn is_about_language(pack: &'static Pack) -> bool {
    let contracts = load_packs([pack], ExamplesWanted::No).contracts;
    !is_general(pack) && contracts.iter().any(|contract| contract.fix.is_none())
}

/// Whether a pack applies to the content of any of these files.
fn fits(pack: &'static Pack, targets: &Targets) -> bool {
    let contracts = load_packs([pack], ExamplesWanted::No).contracts;
    let about_content = |contract: &&Contract| contract.check.reads_text();
    contracts.iter().filter(about_content).any(|contract| !checked_on(contract, targets).is_empty())
}

/// The pre-commit configuration before and after.
fn pre_commit(root: &Root) -> anyhow::Result<Option<PreCommit>> {
    if !root.path().join(".git").exists() {
        return Ok(None);
    }
    let name = pre_commit::FILE;
    let before = match std::fs::read_to_string(root.path().join(name)) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| format!("cannot read {name}")),
    };
    let entry = pre_commit::with_entry(before.as_deref());
    Ok(Some(PreCommit { before, entry }))
}

/// The default answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OnEnter {
    Yes,
    No,
}

/// Asks a yes/no question. End of input means no.
fn asked(question: &str, on_enter: OnEnter) -> anyhow::Result<bool> {
    let choices = match on_enter {
        OnEnter::Yes => "[Y/n]",
        OnEnter::No => "[y/N]",
    };
    to_stdout(|out| write!(out, "{question} {choices} "))?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).context("cannot read stdin")?;
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
    fn separates_general_and_language_packs() {
        let general: Vec<_> = PACKS.iter().filter(|pack| is_general(pack)).map(|pack| pack.name).collect();
        assert_eq!(general, ["secrets", "hygiene"]);
        let language: Vec<_> =
            PACKS.iter().filter(|pack| is_about_language(pack)).map(|pack| pack.name).collect();
        assert_eq!(language, ["rust", "python", "javascript", "go"]);
    }

    #[test]
    fn writes_valid_configuration() {
        let packs: Vec<&'static Pack> = PACKS.iter().collect();
        let read = phaser_project::config::parse(config(&packs).as_bytes(), CONFIG.as_ref()).expect("valid");
        assert_eq!(read.packs, packs);
        assert_eq!(read.existing, Some(phaser_project::config::Existing::Report));
    }
}
