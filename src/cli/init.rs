//! `phaser init`: sets up a project. It shows the plan, asks, and then writes all files or none.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;

use super::args::shared::Packs;
use super::baseline::BaselinePlan;
use super::contracts::create::{self, NewContract};
use super::contracts::{checked_on, load_packs};
use super::environment::Environment;
use super::install::agents::{AgentPreview, next_steps, previews};
use super::install::{self, Preview};
use super::output::to_stdout;
use super::project::{self, Today, print_ignored, print_warnings};
use super::prompt::{OnEnter, Prompt, Question};
use super::{counted, first_names, to_stderr};
use crate::exit::Exit;
use crate::install::{EditTools, Edited, HookForm};
use phaser_core::contract::Contract;
use phaser_core::sanitize::inert;
use phaser_core::skipped::{Gap, Skipped};
use phaser_project::packs::{PACKS, Pack};
use phaser_project::path::{
    CONFIG, PROJECT_CONTRACTS, RelPath, Root, TOP_CONFIG, baseline_beside, baseline_file,
};
use phaser_project::project::Recorded;
use phaser_project::source::Targets;
use phaser_project::source::git::{self, Untracked};

mod git_hook;
mod pre_commit;
mod questions;
pub(super) mod transaction;

use git_hook::{GitHook, HookState};
use transaction::{NewFile, Transaction};

/// `phaser init`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
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

    /// Install a plain git hook without asking; never replaces one
    #[arg(long, conflicts_with = "pre_commit")]
    git_hook: bool,

    /// Record existing violations in a baseline without asking
    #[arg(long)]
    baseline: bool,

    /// Show the plan and write nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    packs: Packs,
}

/// Number of gaps that are printed one by one.
const MOST_GAPS: usize = 10;

const EXAMPLES: &str = "\
Examples:
  phaser init                       ask before each step (on a terminal)
  phaser init --dry-run             show the plan
  phaser init --guard --git-hook    check agents and commits";

/// Runs `phaser init`.
pub fn run(args: &Init, environment: &Environment) -> anyhow::Result<Exit> {
    let plan = InitPlan::make(args, environment.root(), environment)?;
    plan.print_missing_packs(args);
    plan.print_ignored(environment);
    print_warnings(&plan.today.report.warnings);
    to_stdout(|out| plan.write(out, environment))?;
    let wanted = plan.wanted(args)?;
    let is_interactive = environment.is_interactive() && !args.yes && !args.dry_run;
    if !is_interactive {
        return plan.finish(wanted, None, args.dry_run, environment);
    }
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut prompt = Prompt::new(&mut input, &mut output);
    let wanted = plan.ask(wanted, &mut prompt)?;
    let contract = plan.ask_for_contract(&mut prompt, environment)?;
    let files = plan.files(wanted, contract.as_ref())?;
    if !files.is_empty() {
        let text = format!("Write {}?", files.join(", "));
        if !prompt.confirm(Question { text: &text, help: questions::WRITE }, OnEnter::Yes)? {
            to_stdout(|out| writeln!(out, "Nothing written."))?;
            return Ok(Exit::Clean);
        }
    }
    plan.finish(wanted, contract.as_ref(), false, environment)
}

/// Everything that `phaser init` can write, computed in advance.
struct InitPlan {
    root: Root,
    languages: Vec<&'static str>,
    /// Packs that fit the project and are not in use.
    offered: Vec<&'static Pack>,
    /// The path of the configuration, relative to the root.
    config_path: &'static str,
    /// The new configuration; `None` if one exists.
    config: Option<String>,
    hooks: anyhow::Result<Preview>,
    guard: anyhow::Result<Preview>,
    /// Other agents in use.
    agents: Vec<AgentPreview>,
    /// `None` without a git repository.
    pre_commit: Option<PreCommit>,
    /// The `pre-commit` hook; `None` without a git repository.
    git_hook: Option<GitHook>,
    /// The `commit-msg` hook, if it can be installed with the other.
    message_hook: Option<GitHook>,
    today: Today,
    /// The new baseline; `None` without violations, or if one exists.
    baseline: Option<BaselinePlan>,
}

struct PreCommit {
    before: Option<String>,
    entry: pre_commit::EntryEdit,
}

/// The parts to write besides the configuration.
#[derive(Debug, Clone, Copy)]
struct InitParts {
    hooks: Hooks,
    agents: bool,
    pre_commit: bool,
    git_hook: bool,
    baseline: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hooks {
    None,
    Plain,
    Guard,
}

/// The path of a new configuration: the usual one, unless git ignores it and not the other.
fn new_config(root: &Root, environment: &Environment) -> &'static str {
    let is_ignored = |name: &str| {
        let file = root.path().join(name);
        !git::untracked(&environment.git, [file.as_path()].into_iter(), Untracked::Ignored).is_empty()
    };
    if is_ignored(CONFIG) && !is_ignored(TOP_CONFIG) { TOP_CONFIG } else { CONFIG }
}

/// The configuration that the project has.
fn existing_config(root: &Root) -> Option<&'static str> {
    [CONFIG, TOP_CONFIG].into_iter().find(|name| root.path().join(name).symlink_metadata().is_ok())
}

impl InitPlan {
    fn make(args: &Init, root: Root, environment: &Environment) -> anyhow::Result<Self> {
        let targets = project::targets(&root, environment)?;
        let languages = PACKS.iter().filter(|pack| is_about_language(pack) && fits(pack, &targets));
        let languages: Vec<&'static Pack> = languages.collect();
        let named: Vec<&'static Pack> = args.packs.chosen().collect();
        let existing = existing_config(&root);
        let has_config = existing.is_some();
        let config_path = existing.unwrap_or_else(|| new_config(&root, environment));
        let packs: Vec<&'static Pack> = match (has_config, named.is_empty()) {
            (true, _) => Vec::new(),
            (false, false) => named,
            (false, true) => {
                let is_wanted = |pack: &&'static Pack| is_general(pack) || languages.contains(pack);
                PACKS.iter().filter(is_wanted).collect()
            }
        };
        let config = (!has_config).then(|| config(config_path, &packs));
        let today = project::check(&root, environment, packs)?;
        let has_gaps = today.report.skipped.iter().any(|skipped| skipped.why.gap() == Gap::Failure);
        let is_recorded = !matches!(today.recorded, Recorded::Nowhere);
        let first = (!has_gaps && !is_recorded).then(|| BaselinePlan::first(&today.report));
        let baseline = first.filter(|first| first.added > 0).filter(|first| {
            let file = first.file();
            file.as_ref().err().iter().for_each(|error| to_stderr(format_args!("phaser: {error}")));
            file.is_ok()
        });
        let in_git = root.path().join(".git").exists();
        let is_offered = |pack: &&'static Pack| {
            (is_about_changes(pack) && fits(pack, &targets))
                || (is_about_commands(pack) && in_git)
                || is_about_form(pack)
                || is_for_audits(pack)
        };
        let offered = PACKS.iter().filter(|pack| is_offered(pack) && !today.packs.contains(pack));
        Ok(Self {
            offered: offered.collect(),
            languages: languages.iter().map(|pack| pack.name).collect(),
            config_path,
            config,
            hooks: install::preview(HookForm::Plain(EditTools::Edits), environment),
            guard: install::preview(HookForm::Guard, environment),
            agents: previews(environment),
            pre_commit: pre_commit(&root)?,
            git_hook: git_hook::find("pre-commit", &root, environment),
            message_hook: git_hook::find("commit-msg", &root, environment)
                .filter(|hook| hook.state == HookState::Missing),
            baseline,
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
            to_stderr(format_args!(
                "phaser: add '{}' to 'packs' in {} (init does not change it)",
                pack.name, self.config_path
            ));
        }
    }

    /// The path of the baseline, relative to the root: beside the configuration.
    fn baseline_path(&self) -> &'static str {
        match &self.config {
            Some(_) => baseline_beside(self.config_path == CONFIG, self.config_path == TOP_CONFIG),
            None => baseline_file(&self.root),
        }
    }

    /// Whether contracts of the project need a directory that the new configuration names.
    fn needs_directory(&self) -> bool {
        self.config.is_some() && self.config_path == TOP_CONFIG
    }

    /// Prints which files git ignores, of those that exist and those to write.
    fn print_ignored(&self, environment: &Environment) {
        let mut ignored = self.today.report.ignored_by_git.clone();
        if self.config.is_some() {
            let config = self.root.path().join(self.config_path);
            let found = git::untracked(&environment.git, [config.as_path()].into_iter(), Untracked::Ignored);
            ignored.extend(found.into_iter().map(|file| self.root.relative(file)));
        }
        print_ignored(&ignored);
    }

    /// The parts that the arguments ask for, or an error if one is impossible.
    fn wanted(&self, args: &Init) -> anyhow::Result<InitParts> {
        if let (true, Err(error)) = (args.hook || args.guard || args.yes, &self.hooks) {
            bail!("{error:#}; nothing written");
        }
        if args.pre_commit && self.pre_commit.is_none() {
            bail!("--pre-commit: the project is not a git repository (run 'git init')");
        }
        if args.git_hook {
            self.check_git_hook()?;
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
            agents: (args.guard || args.yes) && !self.agents.is_empty(),
            pre_commit: (args.pre_commit || args.yes) && !args.git_hook && self.adds_entry().is_some(),
            git_hook: args.git_hook && self.adds_git_hook().is_some(),
            baseline: (args.baseline || args.yes) && self.baseline.is_some(),
        })
    }

    /// Fails if the git hook cannot be installed.
    fn check_git_hook(&self) -> anyhow::Result<()> {
        let Some(hook) = &self.git_hook else {
            bail!("--git-hook: the project is not a git repository (run 'git init')");
        };
        let (shown, command) = (&hook.shown, git_hook::COMMAND);
        match hook.state {
            HookState::Missing | HookState::Own => Ok(()),
            HookState::Other => bail!("--git-hook: {shown} exists (add '{command}' to it); nothing written"),
            HookState::Shared => bail!(
                "--git-hook: 'core.hooksPath' is outside the project, for other repositories too (add '{command}' to \
                 {shown}, or set it in this repository); nothing written"
            ),
        }
    }

    /// Asks the user for the parts that the arguments do not select.
    fn ask(&self, wanted: InitParts, prompt: &mut Prompt<'_>) -> anyhow::Result<InitParts> {
        let InitParts { mut hooks, mut agents, mut pre_commit, mut git_hook, mut baseline } = wanted;
        if hooks == Hooks::None && changes(&self.hooks) {
            hooks = self.ask_for_hooks(prompt)?;
        }
        if !agents && !self.agents.is_empty() {
            let text = format!("Install the guard for {} as well?", self.agent_names());
            agents = prompt.confirm(Question { text: &text, help: questions::AGENTS }, OnEnter::No)?;
        }
        if !pre_commit && !git_hook && self.adds_entry().is_some() {
            pre_commit = prompt.confirm(questions::PRE_COMMIT, OnEnter::No)?;
        }
        if let (false, false, Some(hook)) = (pre_commit, git_hook, self.offered_git_hook()) {
            let text = format!("Install a plain git hook, {}?", hook.shown);
            git_hook = prompt.confirm(Question { text: &text, help: questions::GIT_HOOK }, OnEnter::No)?;
        }
        if let (false, Some(first)) = (baseline, &self.baseline) {
            let violations = counted(first.added, "violation");
            let them = if first.added == 1 { "it" } else { "them" };
            let text = format!("{violations} today: record {them} as a baseline?");
            baseline = prompt.confirm(Question { text: &text, help: questions::BASELINE }, OnEnter::No)?;
        }
        Ok(InitParts { hooks, agents, pre_commit, git_hook, baseline })
    }

    fn ask_for_hooks(&self, prompt: &mut Prompt<'_>) -> anyhow::Result<Hooks> {
        if !prompt.confirm(questions::HOOKS, OnEnter::No)? {
            return Ok(Hooks::None);
        }
        let guard = changes(&self.guard) && prompt.confirm(questions::GUARD, OnEnter::No)?;
        Ok(if guard { Hooks::Guard } else { Hooks::Plain })
    }

    /// Asks for a first contract, if the project has none of its own.
    fn ask_for_contract(
        &self,
        prompt: &mut Prompt<'_>,
        environment: &Environment,
    ) -> anyhow::Result<Option<NewContract>> {
        if self.today.own_contracts > 0
            || self.needs_directory()
            || !prompt.confirm(questions::CONTRACT, OnEnter::No)?
        {
            return Ok(None);
        }
        create::ask(prompt, environment)
    }

    /// The names of the other agents.
    fn agent_names(&self) -> String {
        let names: Vec<&str> = self.agents.iter().map(|preview| preview.agent.title()).collect();
        names.join(", ")
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

    /// The git hook, if it can be installed.
    fn adds_git_hook(&self) -> Option<&GitHook> {
        self.git_hook.as_ref().filter(|hook| hook.state == HookState::Missing)
    }

    /// The git hook, unless pre-commit runs phaser already.
    fn offered_git_hook(&self) -> Option<&GitHook> {
        let by_pre_commit =
            matches!(&self.pre_commit, Some(PreCommit { entry: pre_commit::EntryEdit::There, .. }));
        self.adds_git_hook().filter(|_| !by_pre_commit)
    }

    /// The files to write besides Claude Code's settings.
    fn new_files(&self, wanted: InitParts, contract: Option<&NewContract>) -> anyhow::Result<Vec<NewFile>> {
        let new = |shown: &str, text: &str| NewFile {
            path: self.root.path().join(shown),
            shown: shown.to_owned(),
            text: text.to_owned(),
            before: None,
            is_program: false,
        };
        let mut files = Vec::new();
        files.extend(self.config.as_ref().map(|text| new(self.config_path, text)));
        files.extend(contract.map(|contract| {
            let path = contract.path.clone();
            NewFile { path, ..new(&contract.shown(), &contract.yaml()) }
        }));
        if let (true, Some(first)) = (wanted.baseline, &self.baseline) {
            files.push(new(self.baseline_path(), &first.file()?));
        }
        if let (true, Some(PreCommit { before, entry: pre_commit::EntryEdit::Added(text) })) =
            (wanted.pre_commit, &self.pre_commit)
        {
            let before = before.clone().map(String::into_bytes);
            files.push(NewFile { before, ..new(pre_commit::FILE, text) });
        }
        let git_hooks =
            [(self.adds_git_hook(), git_hook::TEXT), (self.message_hook.as_ref(), git_hook::MESSAGE_TEXT)];
        let git_hooks = git_hooks.into_iter().filter(|_| wanted.git_hook);
        files.extend(git_hooks.filter_map(|(hook, text)| {
            let path = hook?.path.clone();
            Some(NewFile { path, is_program: true, ..new(&hook?.shown, text) })
        }));
        let of_agents = self.agents.iter().filter(|_| wanted.agents).flat_map(|preview| &preview.files);
        files.extend(of_agents.cloned());
        Ok(files)
    }

    /// The names of the files to write.
    fn files(&self, wanted: InitParts, contract: Option<&NewContract>) -> anyhow::Result<Vec<String>> {
        let files = self.new_files(wanted, contract)?.into_iter().map(|file| file.shown);
        Ok(files.chain(self.installs(wanted.hooks).map(|hooks| hooks.shown.clone())).collect())
    }

    /// Writes the wanted parts and prints the next steps.
    fn finish(
        &self,
        wanted: InitParts,
        contract: Option<&NewContract>,
        dry_run: bool,
        environment: &Environment,
    ) -> anyhow::Result<Exit> {
        let files = self.files(wanted, contract)?.join(", ");
        if files.is_empty() {
            to_stdout(|out| writeln!(out, "Nothing to write."))?;
        } else if dry_run {
            to_stdout(|out| writeln!(out, "Would write: {files}. Nothing written."))?;
            return Ok(Exit::Clean);
        } else {
            self.carry_out(wanted, contract)?;
            to_stdout(|out| writeln!(out, "Written: {files}."))?;
        }
        to_stdout(|out| self.write_next(out, wanted, contract, environment))?;
        if wanted.hooks != Hooks::None || wanted.agents || wanted.git_hook {
            install::print_if_not_on_path(environment);
        }
        Ok(Exit::Clean)
    }

    /// Writes the wanted parts. The hooks come last, because they need the rest.
    fn carry_out(&self, wanted: InitParts, contract: Option<&NewContract>) -> anyhow::Result<()> {
        let mut transaction = Transaction::default();
        for file in self.new_files(wanted, contract)? {
            transaction.write(file)?;
        }
        if let Some(hooks) = self.installs(wanted.hooks) {
            hooks.install().map_err(|error| transaction.roll_back(error.into()))?;
        }
        Ok(())
    }
}

/// Messages: the plan, and the next steps.
impl InitPlan {
    /// Prints the plan.
    fn write(&self, out: &mut dyn Write, environment: &Environment) -> io::Result<()> {
        if self.root.path() != environment.cwd {
            writeln!(out, "The project is {}.", inert(&self.root.path().display().to_string()))?;
        }
        match self.languages.as_slice() {
            [] => writeln!(out, "Found no language with a pack.\n")?,
            languages => writeln!(out, "Found {}.\n", languages.join(", "))?,
        }
        match &self.config {
            Some(text) => {
                let why = if self.config_path == TOP_CONFIG { ", since git ignores .claude" } else { "" };
                writeln!(out, "The configuration, {}{why}:", self.config_path)?;
                write_indented(out, text)?;
            }
            None => writeln!(out, "{} exists and stays unchanged.\n", self.config_path)?,
        }
        if !self.offered.is_empty() {
            let config = self.config_path;
            let width = self.offered.iter().map(|pack| pack.name.len()).max().unwrap_or(0);
            writeln!(out, "Other packs that fit; to use one, add it to 'packs' in {config}:")?;
            for pack in &self.offered {
                writeln!(out, "  {:width$}  {}", pack.name, pack.description)?;
            }
            writeln!(out)?;
        }
        if self.today.own_contracts > 0 {
            let contracts = counted(self.today.own_contracts, "contract");
            let stays = if self.today.own_contracts == 1 { "stays unchanged" } else { "stay unchanged" };
            writeln!(out, "{contracts} in {PROJECT_CONTRACTS} {stays}.\n")?;
        }
        self.write_hooks(out)?;
        self.write_agents(out)?;
        self.write_pre_commit(out)?;
        self.write_git_hook(out)?;
        self.write_today(out)
    }

    fn write_hooks(&self, out: &mut dyn Write) -> io::Result<()> {
        let hooks = match &self.hooks {
            Ok(hooks) => hooks,
            Err(error) => {
                return writeln!(out, "No hooks for Claude Code: {}\n", inert(&format!("{error:#}")));
            }
        };
        let (shown, list) = (&hooks.shown, hooks.hooks().unwrap_or_default());
        match &hooks.edited {
            Edited::Changed(_) | Edited::Emptied(_) => {
                writeln!(out, "Hooks that check every edit of Claude Code, in {shown} (--hook):")?;
                write!(out, "{list}")?;
                writeln!(
                    out,
                    "An edit without violations then skips the permission prompt.\n\
                     'phaser enforce install --on-clean defer' installs hooks that keep the prompt.\n\
                     The guard (--guard) also checks what shell commands write and the end of a turn.\n"
                )
            }
            Edited::Unchanged if changes(&self.guard) => writeln!(
                out,
                "phaser's hooks are already in {shown}. The guard (--guard) would replace them and also check what shell\n\
                 commands write and the end of a turn.\n"
            ),
            Edited::Unchanged => writeln!(out, "phaser's hooks are already in {shown}.\n"),
            Edited::Differs(_) => {
                writeln!(out, "{shown} has other hooks of phaser, which stay unchanged:")?;
                writeln!(out, "{list}")
            }
        }
    }

    fn write_pre_commit(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(PreCommit { before, entry }) = &self.pre_commit else { return Ok(()) };
        let name = pre_commit::FILE;
        match entry {
            pre_commit::EntryEdit::Added(_) => {
                let how = if before.is_some() { "added to" } else { "in a new" };
                writeln!(out, "An entry that checks every commit, {how} {name} (--pre-commit):")?;
                write_indented(out, &pre_commit::entry())
            }
            pre_commit::EntryEdit::There => writeln!(out, "phaser is already in {name}.\n"),
            pre_commit::EntryEdit::ByHand => writeln!(
                out,
                "cannot edit {name} automatically; add this to its 'repos':\n{}",
                pre_commit::entry()
            ),
        }
    }

    fn write_agents(&self, out: &mut dyn Write) -> io::Result<()> {
        for AgentPreview { agent, files } in &self.agents {
            let files: Vec<&str> = files.iter().map(|file| file.shown.as_str()).collect();
            writeln!(out, "Hooks for {}, in {} (--guard).\n", agent.title(), files.join(", "))?;
        }
        Ok(())
    }

    fn write_git_hook(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.git_hook {
            Some(GitHook { shown, state: HookState::Own, .. }) => {
                writeln!(out, "phaser is already in {shown}.\n")
            }
            _ => match self.offered_git_hook() {
                Some(hook) => writeln!(out, "Or a plain git hook, {} (--git-hook).\n", hook.shown),
                None => Ok(()),
            },
        }
    }

    fn write_today(&self, out: &mut dyn Write) -> io::Result<()> {
        let report = &self.today.report;
        let open = report.summary().open();
        if report.violations.is_empty() {
            writeln!(out, "No violations today.")?;
        } else if open == 0 {
            writeln!(out, "No open violations today: {}.", report.summary())?;
        } else {
            writeln!(out, "{} today: {}.", counted(open, "violation"), report.summary())?;
        }
        self.write_gaps(out)?;
        if !matches!(self.today.recorded, Recorded::Nowhere) {
            writeln!(out, "{} exists and stays unchanged.", self.baseline_path())?;
        } else if open > 0 && self.baseline.is_none() {
            writeln!(out, "They cannot be recorded in a baseline (see 'phaser baseline').")?;
        } else if self.baseline.is_some() {
            let file = self.baseline_path();
            writeln!(out, "Recorded in {file} (--baseline), they no longer fail a run; new ones do.")?;
        }
        writeln!(out)
    }

    /// Prints which files were not checked.
    fn write_gaps(&self, out: &mut dyn Write) -> io::Result<()> {
        let gaps: Vec<&Skipped> = self.today.report.gaps().collect();
        for Skipped { path, why } in gaps.iter().take(MOST_GAPS) {
            writeln!(out, "Not checked: {}: {why}.", inert(&path.to_text()))?;
        }
        if let more @ 1.. = gaps.len().saturating_sub(MOST_GAPS) {
            writeln!(out, "Not checked: {}.", counted(more, "more file"))?;
        }
        if !gaps.is_empty() && self.config.is_some() {
            writeln!(out, "With 'strict: true', runs over unchecked files exit with 3.")?;
        }
        Ok(())
    }

    /// Prints the next steps.
    fn write_next(
        &self,
        out: &mut dyn Write,
        wanted: InitParts,
        contract: Option<&NewContract>,
        environment: &Environment,
    ) -> io::Result<()> {
        writeln!(out)?;
        self.write_left(out, wanted)?;
        self.write_untracked(out, wanted, contract, environment)?;
        if self.today.own_contracts == 0 && contract.is_none() {
            let first = if self.needs_directory() { ", name a directory in 'contracts', then" } else { "" };
            writeln!(out, "To write a rule of your own{first}: phaser contracts create")?;
        }
        writeln!(out, "Next: phaser enforce --all")
    }

    fn write_left(&self, out: &mut dyn Write, wanted: InitParts) -> io::Result<()> {
        if wanted.pre_commit {
            writeln!(out, "Run 'pre-commit install' once in each clone to enable the pre-commit entry.")?;
        }
        if wanted.hooks != Hooks::None {
            writeln!(out, "Start a new Claude Code session to use the hooks; 'phaser doctor' checks them.")?;
        } else if changes(&self.hooks) {
            writeln!(out, "To check every edit of Claude Code: phaser enforce install")?;
        }
        for preview in self.agents.iter().filter(|_| wanted.agents) {
            writeln!(out, "{}: {}", preview.agent.title(), next_steps(preview.agent))?;
        }
        let checks_commits = self.git_hook.as_ref().is_some_and(|hook| hook.state == HookState::Own);
        if !wanted.pre_commit && !wanted.git_hook && !checks_commits && self.adds_entry().is_some() {
            writeln!(out, "To check every commit: phaser init --git-hook, or --pre-commit")?;
        }
        match &self.baseline {
            Some(first) if wanted.baseline && first.refused > 0 => {
                let violations = counted(first.refused, "violation");
                writeln!(out, "{violations} of contracts with 'ignorable: false' still count: fix them")?;
            }
            Some(_) if !wanted.baseline => {
                writeln!(out, "To let only new violations count: phaser baseline")?
            }
            _ => {}
        }
        if wanted.baseline {
            writeln!(out, "From now on only new violations count.")?;
        }
        Ok(())
    }

    /// Prints which files of enforcement are to be committed.
    fn write_untracked(
        &self,
        out: &mut dyn Write,
        wanted: InitParts,
        contract: Option<&NewContract>,
        environment: &Environment,
    ) -> io::Result<()> {
        let root = self.root.path();
        let mut written: Vec<PathBuf> = Vec::new();
        written.extend(self.config.is_some().then(|| root.join(self.config_path)));
        written.extend(contract.map(|contract| contract.path.clone()));
        written.extend(wanted.baseline.then(|| root.join(self.baseline_path())));
        let new = git::untracked(&environment.git, written.iter().map(PathBuf::as_path), Untracked::New);
        let new = new.into_iter().map(|file| self.root.relative(file));
        let files: BTreeSet<RelPath> = self.today.untracked.iter().cloned().chain(new).collect();
        if files.is_empty() {
            return Ok(());
        }
        let files: Vec<String> = files.iter().map(ToString::to_string).collect();
        writeln!(out, "Commit {} for other clones and CI.", inert(&first_names(&files, 4)))
    }
}

/// Whether installing changes the settings.
fn changes(hooks: &anyhow::Result<Preview>) -> bool {
    hooks.as_ref().is_ok_and(Preview::changes_something)
}

/// A configuration at `path` with these packs.
fn config(path: &str, packs: &[&Pack]) -> String {
    let names: Vec<_> = packs.iter().map(|pack| pack.name).collect();
    let contracts = if path == TOP_CONFIG {
        "# Directories with contracts of this project: git ignores .claude/contracts.\n\
         # contracts: [contracts]\n"
    } else {
        ""
    };
    format!(
        "# What phaser checks in this project: in Claude Code, at commit time and in CI.\n\
         packs: [{}]\n\
         # An edit or a commit is refused only for the violations that it adds.\n\
         existing: report\n\
         # A broken contract or a file that cannot be checked fails commits and CI.\n\
         strict: true\n\
         {contracts}",
        names.join(", ")
    )
}

/// Whether a pack applies to files of every kind.
fn is_general(pack: &'static Pack) -> bool {
    let some_file = RelPath::from("directory/file");
    let contracts = load_packs([pack]).contracts;
    !is_about_form(pack)
        && !is_for_audits(pack)
        && !is_about_customs(pack)
        && contracts
            .iter()
            .any(|contract| contract.check.reads_text() && contract.applies_to(&some_file, None))
}

/// Whether a pack is about mistakes in one language.
fn is_about_language(pack: &'static Pack) -> bool {
    let is_other = is_general(pack) || is_about_form(pack) || is_for_audits(pack) || is_about_customs(pack);
    !is_other && !is_about_changes(pack) && !is_about_commands(pack)
}

/// Whether a pack has customs that most projects do not have. Such a pack is never picked.
fn is_about_customs(pack: &'static Pack) -> bool {
    matches!(pack.name, "style" | "spelling")
}

/// Whether a pack is about the form of files. Such a pack is offered, not picked: most projects have violations.
fn is_about_form(pack: &'static Pack) -> bool {
    pack.name == "files"
}

/// Whether a pack is about places worth a look. Such a pack is offered, not picked: most of them are intended.
fn is_for_audits(pack: &'static Pack) -> bool {
    pack.name == "audit"
}

/// Whether a pack is about what changes take away. Such a pack is offered, not picked: taking something away is often
/// right.
fn is_about_changes(pack: &'static Pack) -> bool {
    load_packs([pack]).contracts.iter().any(|contract| contract.check.compares_change())
}

/// Whether a pack is about commands of agents. Such a pack is offered, not picked: it needs the guard.
fn is_about_commands(pack: &'static Pack) -> bool {
    load_packs([pack]).contracts.iter().all(|contract| contract.check.reads_commands())
}

/// Whether a pack applies to any of these files: to their content, or to their changes.
fn fits(pack: &'static Pack, targets: &Targets) -> bool {
    let contracts = load_packs([pack]).contracts;
    let about_content =
        |contract: &&Contract| contract.check.reads_text() || contract.check.compares_change();
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

/// Prints `text` indented, followed by an empty line.
fn write_indented(out: &mut dyn Write, text: &str) -> io::Result<()> {
    text.lines().try_for_each(|line| writeln!(out, "  {line}"))?;
    writeln!(out)
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
        assert_eq!(
            language,
            [
                "rust",
                "python",
                "javascript",
                "go",
                "java",
                "ruby",
                "php",
                "csharp",
                "shell",
                "sql",
                "css",
                "docker",
                "terraform",
                "actions"
            ]
        );
    }

    #[test]
    fn writes_valid_configuration() {
        let packs: Vec<&'static Pack> = PACKS.iter().collect();
        let read =
            phaser_project::config::parse(config(CONFIG, &packs).as_bytes(), CONFIG.as_ref()).expect("valid");
        assert_eq!(read.packs, packs);
        assert_eq!(read.existing, Some(phaser_project::config::Existing::Report));
    }
}
