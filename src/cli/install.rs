//! `phaser enforce install` and `uninstall`: installs phaser's hooks and removes them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use super::args::shared::{Packs, SeverityFilter};
use super::environment::Environment;
use super::output::print;
use super::{first_names, project, to_stderr};
use crate::agents::{Agent, OnClean};
use crate::exit::Exit;
use crate::install::file::{self, FileError, SettingsScope};
use crate::install::{
    EditTools, Edited, HookForm, HookRequest, HookSet, IfInstalled, Levels, OnFail, OwnHook, SettingsError,
    install, survey, uninstall, wanted,
};
use phaser_core::sanitize::{inert, inert_json};
use phaser_project::path::config_file;

pub(super) mod agents;

const NEXT: &str = "\
Next: start a new Claude Code session, which reads its hooks at the start, and run 'phaser doctor' to check them.
";

/// The guard is not replaced by plain hooks without `--force`.
const GUARD_STAYS: &str = "\
and includes these hooks; nothing changed.
To replace it by the plain hooks, run again with --force.
";

/// Hint for plain hooks over a guard.
const CHANGE_GUARD: &str =
    "phaser: run again with --guard to change them, or with --force to replace them by the plain hooks";

const GUARD: &str = "\
The guard lists the contracts at session start, denies an edit that violates one, checks what shell commands write, and
sends a turn back once if it ends with new violations.
";

const MISSING: &str = "Without phaser on the PATH, the hooks allow everything.\n";

const BLOCKS: &str = "\
When the hook before an edit fails or times out, Claude Code 2.1.325 or later denies the edit; older versions make it.
Without phaser on the PATH every edit is denied, for everyone with these settings, until phaser is installed or the hooks
are installed again with '--on-fail continue'.
";

const EXAMPLES: &str = "\
Examples:
  phaser enforce install --guard                 all hooks for Claude Code
  phaser enforce install --guard --dry-run       show the new settings
  phaser enforce install --agent auto            hooks for every agent in use here";

/// `phaser enforce install`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct Install {
    #[command(flatten)]
    place: SettingsArgs,

    /// Install hooks for these agents, or 'auto' for those in use here [default: claude]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = agents::agent)]
    agent: Vec<agents::AgentChoice>,

    /// Guard shell commands, ends of turns and settings as well, and list the contracts at session start
    #[arg(long)]
    guard: bool,

    /// Replace phaser's installed hooks; other hooks are never touched
    #[arg(long)]
    force: bool,

    /// Respond this to a clean edit; 'allow' skips the permission prompt [default: allow; --guard keeps the installed value]
    #[arg(long, value_enum)]
    on_clean: Option<OnClean>,

    /// Check Edit and Write, or also MultiEdit and NotebookEdit
    #[arg(long, value_enum, default_value = "edit", conflicts_with = "guard")]
    tools: EditTools,

    /// Check only contracts of this severity [default: depends on the event]
    #[arg(long, value_enum)]
    severity: Option<SeverityFilter>,

    #[command(flatten)]
    packs: Packs,

    /// Block edits when the hook fails or phaser is missing; needs Claude Code 2.1.325 [default: continue; --guard keeps the
    /// installed value]
    #[arg(long, value_enum)]
    on_fail: Option<OnFail>,
}

/// `phaser enforce uninstall`.
#[derive(Debug, Args)]
pub struct Uninstall {
    #[command(flatten)]
    place: SettingsArgs,

    /// Remove the hooks of these agents, or 'auto' for all that have any [default: claude]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = agents::agent)]
    agent: Vec<agents::AgentChoice>,

    /// Accepted for symmetry with 'install'; ignored
    #[arg(long, hide = true)]
    force: bool,

    /// Accepted for symmetry with 'install'; ignored
    #[arg(long, value_enum, hide = true)]
    on_clean: Option<OnClean>,

    /// Accepted for symmetry with 'install'; ignored
    #[arg(long, value_enum, hide = true)]
    tools: Option<EditTools>,

    /// Accepted for symmetry with 'install'; ignored
    #[arg(long, hide = true)]
    guard: bool,

    /// Accepted for symmetry with 'install'; ignored
    #[arg(long, value_enum, hide = true)]
    severity: Option<SeverityFilter>,

    /// Accepted for symmetry with 'install'; ignored
    #[arg(long, hide = true)]
    pack: Vec<String>,

    /// Accepted for symmetry with 'install'; ignored
    #[arg(long, value_enum, hide = true)]
    on_fail: Option<OnFail>,
}

#[derive(Debug, Clone, Args)]
struct SettingsArgs {
    /// Edit the settings of the user, of the project, or of the user in this project
    #[arg(long, value_enum, default_value = "project")]
    scope: SettingsScope,

    /// Print the new settings and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// Runs `phaser enforce install`.
pub fn run_install(args: &Install, environment: &Environment) -> anyhow::Result<Exit> {
    let mut exit = Exit::Clean;
    let agents = agents::to_install(&args.agent, &args.place, environment)?;
    // Other agents have the guard only, so that Claude Code beside them gets it, too.
    let has_others = agents.iter().any(|agent| *agent != Agent::Claude);
    let is_mixed = has_others && agents.contains(&Agent::Claude);
    anyhow::ensure!(
        !is_mixed || args.tools == EditTools::Edits,
        "--tools is for Claude Code alone (with another agent, the guard is installed, which checks all tools)"
    );
    let args = &Install { guard: args.guard || is_mixed, ..args.clone() };
    for agent in agents {
        exit = exit.max(match agent {
            Agent::Claude => install_for_claude(args, environment)?,
            agent => agents::install(agent, args, environment)?,
        });
    }
    Ok(exit)
}

fn install_for_claude(args: &Install, environment: &Environment) -> anyhow::Result<Exit> {
    let target = args.place.target(environment)?;
    let asked = args.asked();
    let edited = target.edit(|text| install(text, &asked, args.existing()))?;
    let shown = &target.shown;
    match edited {
        Edited::Changed(text) | Edited::Emptied(text) if args.place.dry_run => print_preview(shown, &text)?,
        Edited::Changed(text) | Edited::Emptied(text) => {
            let hooks = survey(&text).with_context(|| shown.clone())?.own;
            let done = format!("phaser's hooks are in {shown}:\n{}", list(&hooks));
            let meaning = args.meaning(&wanted(&text, &asked).with_context(|| shown.clone())?);
            print(&format!("{done}\n{meaning}\n{}", NEXT))?;
            print_if_not_on_path(environment);
        }
        Edited::Unchanged if asked.form != HookForm::Guard && target.has_guard()? => {
            print(&format!("The guard is already in {shown} {}", GUARD_STAYS))?;
        }
        Edited::Unchanged => print(&format!("phaser's hooks are already in {shown}; nothing changed.\n"))?,
        Edited::Differs(hooks) => {
            to_stderr(format_args!("phaser: {shown} has other hooks of phaser; nothing changed:"));
            list(&hooks).lines().for_each(to_stderr);
            let is_downgrade = asked.form != HookForm::Guard && hooks.iter().any(OwnHook::is_guard);
            to_stderr(if is_downgrade {
                CHANGE_GUARD
            } else {
                "phaser: run again with --force to replace them"
            });
            return Ok(Exit::Trouble);
        }
    }
    target.warn_if_disabled()?;
    if !matches!(args.place.scope, SettingsScope::User) {
        warn_about_trapped(environment);
    }
    Ok(Exit::Clean)
}

/// The result of installing hooks with default options into the project's settings.
pub struct Preview {
    path: PathBuf,
    asked: HookRequest,
    /// The path, for messages.
    pub shown: String,
    pub edited: Edited,
}

/// Computes the settings with these hooks, without writing them.
pub fn preview(form: HookForm, environment: &Environment) -> anyhow::Result<Preview> {
    let path = settings_file(SettingsScope::Project, environment).context("cannot find the project")?;
    let asked = HookRequest::usual(form);
    let edited = file::preview(&path, |text| install(text, &asked, without_force(form)))?;
    Ok(Preview { shown: show(&path, environment), path, asked, edited })
}

impl Preview {
    /// Writes the settings.
    pub fn install(&self) -> Result<Edited, FileError> {
        file::edit(&self.path, |text| install(text, &self.asked, without_force(self.asked.form)))
    }

    /// The resulting hooks, one per line.
    pub fn hooks(&self) -> anyhow::Result<String> {
        match &self.edited {
            Edited::Changed(text) | Edited::Emptied(text) => Ok(list(&survey(text)?.own)),
            Edited::Differs(hooks) => Ok(list(hooks)),
            Edited::Unchanged => Ok(String::new()),
        }
    }

    /// Whether it changes the settings.
    pub fn changes_something(&self) -> bool {
        matches!(self.edited, Edited::Changed(_) | Edited::Emptied(_))
    }
}

/// What happens to installed hooks without `--force`: the guard replaces those that phaser wrote.
fn without_force(form: HookForm) -> IfInstalled {
    match form {
        HookForm::Plain(_) => IfInstalled::Keep,
        HookForm::Guard => IfInstalled::Upgrade,
    }
}

/// Runs `phaser enforce uninstall`.
pub fn run_uninstall(args: &Uninstall, environment: &Environment) -> anyhow::Result<Exit> {
    let mut exit = Exit::Clean;
    for agent in agents::to_uninstall(&args.agent, &args.place, environment)? {
        exit = exit.max(match agent {
            Agent::Claude => uninstall_for_claude(args, environment)?,
            agent => agents::uninstall(agent, args, environment)?,
        });
    }
    Ok(exit)
}

fn uninstall_for_claude(args: &Uninstall, environment: &Environment) -> anyhow::Result<Exit> {
    let target = args.place.target(environment)?;
    let shown = &target.shown;
    print_removed(shown, target.edit(uninstall)?, args.place.dry_run)?;
    Ok(Exit::Clean)
}

/// Prints what uninstalling did to a file.
fn print_removed(shown: &str, edited: Edited, dry_run: bool) -> anyhow::Result<()> {
    match edited {
        Edited::Changed(text) if dry_run => print_preview(shown, &text),
        Edited::Changed(_) => print(&format!("Removed phaser's hooks from {shown}.\n")),
        Edited::Emptied(_) if dry_run => {
            to_stderr(format_args!("phaser: {shown} would be empty and removed; nothing changed"));
            Ok(())
        }
        Edited::Emptied(_) => print(&format!("Removed phaser's hooks and the now empty {shown}.\n")),
        Edited::Unchanged | Edited::Differs(_) => {
            print(&format!("No hooks of phaser in {shown}; nothing changed.\n"))
        }
    }
}

pub fn print_if_not_on_path(environment: &Environment) {
    if environment.find_program("phaser").is_none() {
        to_stderr("phaser: 'phaser' is not on the PATH; the hooks need it there");
    }
}

impl Install {
    fn asked(&self) -> HookRequest {
        let form = match (self.guard, self.tools) {
            (true, _) => HookForm::Guard,
            (false, tools) => HookForm::Plain(tools),
        };
        HookRequest {
            form,
            on_clean: self.on_clean,
            levels: self.severity.map(|severity| severity.only().map_or(Levels::All, Levels::Only)),
            packs: self.packs.chosen().collect(),
            on_fail: self.on_fail,
        }
    }

    /// The effects of the installed hooks.
    fn meaning(&self, wanted: &HookSet) -> String {
        let guard = if self.guard { GUARD } else { "" };
        let on_fail = match wanted.on_fail {
            OnFail::Continue if self.guard => MISSING,
            OnFail::Continue => "",
            OnFail::Block => BLOCKS,
        };
        format!("{guard}{on_fail}{}", self.meaning_when_clean(wanted.on_clean))
    }

    fn meaning_when_clean(&self, on_clean: OnClean) -> String {
        match on_clean {
            OnClean::Allow => format!(
                "An edit that violates nothing is answered with 'allow': Claude Code then makes it without asking \
                 you for permission.\nTo keep its permission prompts, run 'phaser enforce install{}{} --on-clean \
                 defer'.\n",
                match self.place.scope {
                    SettingsScope::User => " --scope user",
                    SettingsScope::Project => "",
                    SettingsScope::Local => " --scope local",
                },
                match (self.guard, self.tools) {
                    (true, _) => " --guard",
                    (false, EditTools::Edits) => " --force",
                    (false, EditTools::All) => " --tools all --force",
                },
            ),
            OnClean::Defer => {
                "An edit that violates nothing is left to Claude Code, which asks you for permission \
                               as it always does.\n"
                    .to_owned()
            }
        }
    }

    fn existing(&self) -> IfInstalled {
        if self.force { IfInstalled::Replace } else { without_force(self.asked().form) }
    }
}

/// The settings file to edit.
struct InstallTarget {
    path: PathBuf,
    shown: String,
    dry_run: bool,
}

impl SettingsArgs {
    fn target(&self, environment: &Environment) -> anyhow::Result<InstallTarget> {
        let path = settings_file(self.scope, environment)
            .context("no home directory (set HOME, or use --scope project)")?;
        let shown = show(&path, environment);
        Ok(InstallTarget { path, shown, dry_run: self.dry_run })
    }
}

impl InstallTarget {
    fn edit(&self, change: impl Fn(&str) -> Result<Edited, SettingsError>) -> Result<Edited, FileError> {
        if self.dry_run { file::preview(&self.path, change) } else { file::edit(&self.path, change) }
    }

    fn has_guard(&self) -> anyhow::Result<bool> {
        Ok(survey(&file::read(&self.path)?)?.own.iter().any(OwnHook::is_guard))
    }

    fn warn_if_disabled(&self) -> anyhow::Result<()> {
        if survey(&file::read(&self.path)?)?.all_disabled {
            let shown = &self.shown;
            to_stderr(format_args!("phaser: {shown} disables all hooks (set 'disableAllHooks' to false)"));
        }
        Ok(())
    }
}

/// The settings file of a scope; `None` without a home directory.
pub fn settings_file(scope: SettingsScope, environment: &Environment) -> Option<PathBuf> {
    let in_home = || environment.home.as_ref().map(|home| home.join(".claude"));
    let user = environment.claude_config_dir.clone().or_else(in_home);
    match scope {
        SettingsScope::User => user.map(|user| scope.file(&user, Path::new(""))),
        SettingsScope::Project | SettingsScope::Local => {
            Some(scope.file(&user.unwrap_or_default(), environment.root().path()))
        }
    }
}

/// A path for messages: relative to the current directory or to `~`, sanitised.
pub fn show(path: &Path, environment: &Environment) -> String {
    let below = |directory: &Path| path.strip_prefix(directory).ok().map(Path::to_owned);
    let home = environment.home.as_deref();
    let short = below(&environment.cwd)
        .or_else(|| home.and_then(below).map(|rest| Path::new("~").join(rest)))
        .unwrap_or_else(|| path.to_owned());
    inert(&short.display().to_string()).into_owned()
}

/// One line per hook.
fn list(hooks: &[OwnHook]) -> String {
    let matcher = |hook: &OwnHook| hook.matcher.clone().unwrap_or_else(|| "*".to_owned());
    let longest = |texts: &mut dyn Iterator<Item = String>| texts.map(|text| text.chars().count()).max();
    let events =
        longest(&mut hooks.iter().map(|hook| hook.event.clone())).unwrap_or(0).max("PostToolUse".len());
    let matchers = longest(&mut hooks.iter().map(matcher)).unwrap_or(0);
    let mut lines = String::new();
    for hook in hooks {
        let line = format!("  {:<events$}  {:<matchers$}  {}", hook.event, matcher(hook), hook.command);
        writeln!(lines, "{}", inert(&line)).expect("writing to a string cannot fail");
    }
    lines
}

/// Prints the new text of a file that is not written.
pub fn print_preview(shown: &str, text: &str) -> anyhow::Result<()> {
    to_stderr(format_args!("phaser: {shown} would be as follows; nothing written"));
    // JSON allows a bare carriage return between tokens, which a terminal would act on.
    print(&inert_json(&text.replace("\r\n", "\n").replace('\r', "\n")))
}

/// Prints a warning about files with existing errors: an edit that leaves such an error is denied. A failure is printed and otherwise ignored.
fn warn_about_trapped(environment: &Environment) {
    let root = environment.root();
    if !project::is_project(&root) {
        return;
    }
    let trapped = match project::check(&root, environment, Vec::new()) {
        Ok(today) => today.trapped(),
        Err(error) => return to_stderr(format_args!("phaser: {error:#}")),
    };
    let files: Vec<String> = trapped.iter().map(|path| path.to_text().into_owned()).collect();
    let count = match files.len() {
        0 => return,
        1 => "1 file has".to_owned(),
        count => format!("{count} files have"),
    };
    let named = first_names(&files, MOST_TRAPPED);
    to_stderr(format_args!("phaser: {count} violations of severity 'error' already: {named}"));
    to_stderr(
        "phaser: every edit that leaves such a violation in a file is denied, even one that fixes another",
    );
    to_stderr(format_args!(
        "phaser: to accept existing violations, write 'existing: report' into {} or run 'phaser baseline'",
        config_file(&root)
    ));
}

/// The maximum number of files named.
const MOST_TRAPPED: usize = 5;
