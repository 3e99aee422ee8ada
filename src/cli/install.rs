//! `phaser enforce install` and `uninstall`: phaser's hooks into Claude Code's settings, and out of them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};

use super::args::{OnCleanArg, SeverityFilter};
use super::environment::Environment;
use super::output::print;
use super::packs::Packs;
use super::say;
use crate::agents::Client;
use crate::exit::Exit;
use crate::install::file::{self, FileError, Scope};
use crate::install::{
    Asked, Edited, Form, IfInstalled, Levels, OnFail, OwnHook, SettingsError, Tools, install, survey,
    uninstall, wanted,
};
use phaser_core::contract::Severity;
use phaser_core::sanitize::{inert, inert_json};
use phaser_project::path::{RootHints, find_root};

pub(super) mod agents;
mod trapped;
mod words;

/// `phaser enforce install`.
#[derive(Debug, Args)]
pub struct Install {
    #[command(flatten)]
    place: Place,

    /// The agents to install hooks for, or 'auto' for those that this project or this machine uses [default: claude]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = agents::agent)]
    agent: Vec<agents::Named>,

    /// Guard more than edits: what shell commands write, the end of a turn, and the settings; and tell every session
    /// the contracts. Takes the place of hooks that an older phaser has installed
    #[arg(long)]
    guard: bool,

    /// Replace phaser's own hooks when they are there already; other hooks are never touched
    #[arg(long)]
    force: bool,

    /// What the hook answers when nothing is violated; 'allow' skips the permission prompt [default: allow, or with
    /// --guard what the hooks say that are there]
    #[arg(long, value_enum)]
    on_clean: Option<OnCleanArg>,

    /// The tools to check: Edit and Write, or also MultiEdit and NotebookEdit
    #[arg(long, value_enum, default_value = "edit", conflicts_with = "guard")]
    tools: ToolsArg,

    /// Which contracts the hooks check [default: what the event is for]
    #[arg(long, value_enum)]
    severity: Option<SeverityFilter>,

    #[command(flatten)]
    packs: Packs,

    /// What Claude Code does with an edit when the hook before it fails; 'block' needs version 2.1.325, and then a
    /// phaser that is missing blocks every edit [default: continue, or with --guard what the hooks say that are there]
    #[arg(long, value_enum)]
    on_fail: Option<OnFailArg>,
}

/// `phaser enforce uninstall`.
#[derive(Debug, Args)]
pub struct Uninstall {
    #[command(flatten)]
    place: Place,

    /// The agents to take the hooks away from, or 'auto' for all that have any [default: claude]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = agents::agent)]
    agent: Vec<agents::Named>,

    /// Taken, as 'install' takes it, and without a meaning here
    #[arg(long, hide = true)]
    force: bool,

    /// Taken, as 'install' takes it, and without a meaning here
    #[arg(long, value_enum, hide = true)]
    on_clean: Option<OnCleanArg>,

    /// Taken, as 'install' takes it, and without a meaning here
    #[arg(long, value_enum, hide = true)]
    tools: Option<ToolsArg>,

    /// Taken, as 'install' takes it, and without a meaning here
    #[arg(long, hide = true)]
    guard: bool,

    /// Taken, as 'install' takes it, and without a meaning here
    #[arg(long, value_enum, hide = true)]
    severity: Option<SeverityFilter>,

    /// Taken, as 'install' takes it, and without a meaning here
    #[arg(long, hide = true)]
    pack: Vec<String>,

    /// Taken, as 'install' takes it, and without a meaning here
    #[arg(long, value_enum, hide = true)]
    on_fail: Option<OnFailArg>,
}

#[derive(Debug, Args)]
struct Place {
    /// Whose settings: the user's own, the project's, or the user's own for this project
    #[arg(long, value_enum, default_value = "project")]
    scope: ScopeArg,

    /// Print the settings as they would be, and write nothing
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ScopeArg {
    User,
    Project,
    Local,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ToolsArg {
    Edit,
    All,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum OnFailArg {
    Continue,
    Block,
}

/// Runs `phaser enforce install`.
pub fn run_install(args: &Install, environment: &Environment) -> anyhow::Result<Exit> {
    let mut exit = Exit::Clean;
    for client in agents::to_install(&args.agent, &args.place, environment)? {
        exit = exit.max(match client {
            Client::Claude => install_for_claude(args, environment)?,
            client => agents::install(client, args, environment)?,
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
            print(&format!("{done}\n{meaning}\n{}", words::NEXT))?;
            if environment.find_program("phaser").is_none() {
                say("phaser: 'phaser' is not on the PATH, and the hooks need it there");
            }
        }
        Edited::Unchanged if asked.form != Form::Guard && target.has_guard()? => {
            print(&format!("The guard is in {shown} already, {}", words::GUARD_STAYS))?;
        }
        Edited::Unchanged => print(&format!("phaser's hooks are in {shown} already; nothing changed.\n"))?,
        Edited::Differs(hooks) => {
            say(format_args!("phaser: {shown} has hooks of phaser's already, and nothing changed:"));
            list(&hooks).lines().for_each(say);
            let is_downgrade = asked.form != Form::Guard && hooks.iter().any(OwnHook::is_guard);
            say(if is_downgrade {
                words::CHANGE_GUARD
            } else {
                "phaser: run again with --force to replace them"
            });
            return Ok(Exit::Trouble);
        }
    }
    target.warn_if_disabled()?;
    if !matches!(args.place.scope, ScopeArg::User) {
        trapped::warn(environment);
    }
    Ok(Exit::Clean)
}

/// What installing without any further arguments would do to the project's settings.
pub struct Preview {
    path: PathBuf,
    asked: Asked,
    /// The file, as it is shown.
    pub shown: String,
    /// What would become of it.
    pub edited: Edited,
}

/// What installing these hooks would do.
pub fn preview(form: Form, environment: &Environment) -> anyhow::Result<Preview> {
    let path = settings_file(Scope::Project, environment).context("the project is not known")?;
    let asked = Asked::usual(form);
    let edited = file::preview(&path, |text| install(text, &asked, gently(form)))?;
    Ok(Preview { shown: show(&path, environment), path, asked, edited })
}

impl Preview {
    /// Does it.
    pub fn install(&self) -> Result<Edited, FileError> {
        file::edit(&self.path, |text| install(text, &self.asked, gently(self.asked.form)))
    }

    /// The hooks that there would be, one on each line.
    pub fn hooks(&self) -> anyhow::Result<String> {
        match &self.edited {
            Edited::Changed(text) | Edited::Emptied(text) => Ok(list(&survey(text)?.own)),
            Edited::Differs(hooks) => Ok(list(hooks)),
            Edited::Unchanged => Ok(String::new()),
        }
    }

    /// Would it change anything?
    pub fn changes_something(&self) -> bool {
        matches!(self.edited, Edited::Changed(_) | Edited::Emptied(_))
    }
}

/// What becomes of hooks that are there when nobody insists: the guard takes the place of what phaser has written.
fn gently(form: Form) -> IfInstalled {
    match form {
        Form::Plain(_) => IfInstalled::Keep,
        Form::Guard => IfInstalled::Upgrade,
    }
}

/// Runs `phaser enforce uninstall`.
pub fn run_uninstall(args: &Uninstall, environment: &Environment) -> anyhow::Result<Exit> {
    let mut exit = Exit::Clean;
    for client in agents::to_uninstall(&args.agent, &args.place, environment)? {
        exit = exit.max(match client {
            Client::Claude => uninstall_for_claude(args, environment)?,
            client => agents::uninstall(client, args, environment)?,
        });
    }
    Ok(exit)
}

fn uninstall_for_claude(args: &Uninstall, environment: &Environment) -> anyhow::Result<Exit> {
    let target = args.place.target(environment)?;
    let shown = &target.shown;
    match target.edit(uninstall)? {
        Edited::Changed(text) if args.place.dry_run => print_preview(shown, &text)?,
        Edited::Changed(_) => {
            print(&format!("phaser's hooks are out of {shown}; the rest of it is as it was.\n"))?
        }
        Edited::Emptied(_) if args.place.dry_run => {
            say(format_args!(
                "phaser: {shown} would be removed, with nothing left in it; nothing was changed"
            ));
        }
        Edited::Emptied(_) => {
            print(&format!("phaser's hooks were all that was in {shown}; the file is gone with them.\n"))?
        }
        Edited::Unchanged | Edited::Differs(_) => {
            print(&format!("There are no hooks of phaser's in {shown}; nothing changed.\n"))?;
        }
    }
    Ok(Exit::Clean)
}

impl Install {
    fn asked(&self) -> Asked {
        let form = match (self.guard, self.tools) {
            (true, _) => Form::Guard,
            (false, ToolsArg::Edit) => Form::Plain(Tools::Edits),
            (false, ToolsArg::All) => Form::Plain(Tools::All),
        };
        Asked {
            form,
            on_clean: self.on_clean.map(Into::into),
            levels: self.severity.map(|severity| match severity {
                SeverityFilter::All => Levels::All,
                SeverityFilter::Error => Levels::Only(Severity::Error),
                SeverityFilter::Warning => Levels::Only(Severity::Warning),
            }),
            packs: self.packs.chosen().collect(),
            on_fail: self.on_fail.map(|on_fail| match on_fail {
                OnFailArg::Continue => OnFail::Continue,
                OnFailArg::Block => OnFail::Block,
            }),
        }
    }

    fn existing(&self) -> IfInstalled {
        if self.force { IfInstalled::Replace } else { gently(self.asked().form) }
    }
}

/// The settings file in question.
struct Target {
    path: PathBuf,
    shown: String,
    dry_run: bool,
}

impl Place {
    fn target(&self, environment: &Environment) -> anyhow::Result<Target> {
        let scope = match self.scope {
            ScopeArg::User => Scope::User,
            ScopeArg::Project => Scope::Project,
            ScopeArg::Local => Scope::Local,
        };
        let path = settings_file(scope, environment)
            .context("there is no home directory: set HOME, or choose --scope project")?;
        let shown = show(&path, environment);
        Ok(Target { path, shown, dry_run: self.dry_run })
    }
}

impl Target {
    fn edit(&self, change: impl Fn(&str) -> Result<Edited, SettingsError>) -> Result<Edited, FileError> {
        if self.dry_run { file::preview(&self.path, change) } else { file::edit(&self.path, change) }
    }

    fn has_guard(&self) -> anyhow::Result<bool> {
        Ok(survey(&file::read(&self.path)?)?.own.iter().any(OwnHook::is_guard))
    }

    fn warn_if_disabled(&self) -> anyhow::Result<()> {
        if survey(&file::read(&self.path)?)?.all_disabled {
            let shown = &self.shown;
            say(format_args!("phaser: {shown} turns every hook off: set 'disableAllHooks' to false there"));
        }
        Ok(())
    }
}

/// The settings file of a scope, when it can be known where it is.
pub fn settings_file(scope: Scope, environment: &Environment) -> Option<PathBuf> {
    let in_home = || environment.home.as_ref().map(|home| home.join(".claude"));
    let user = environment.claude_config_dir.clone().or_else(in_home);
    match scope {
        Scope::User => user.map(|user| scope.file(&user, Path::new(""))),
        Scope::Project | Scope::Local => {
            let root = find_root(RootHints { named: None, cwd: &environment.cwd, file: None });
            Some(scope.file(&user.unwrap_or_default(), root.path()))
        }
    }
}

/// A path as it is shown: short where that is possible.
pub fn show(path: &Path, environment: &Environment) -> String {
    let below = |directory: &Path| path.strip_prefix(directory).ok().map(Path::to_owned);
    let home = environment.home.as_deref();
    let short = below(&environment.cwd)
        .or_else(|| home.and_then(below).map(|rest| Path::new("~").join(rest)))
        .unwrap_or_else(|| path.to_owned());
    inert(&short.display().to_string()).into_owned()
}

/// One line for each hook.
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

fn print_preview(shown: &str, text: &str) -> anyhow::Result<()> {
    say(format_args!("phaser: {shown} would be as follows; nothing was written"));
    // Outside of strings JSON may end its lines with a carriage return alone, which a terminal acts on.
    print(&inert_json(&text.replace("\r\n", "\n").replace('\r', "\n")))
}
