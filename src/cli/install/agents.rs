//! `phaser enforce install --agent` and `uninstall --agent` for agents other than Claude Code.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::{
    Install, SettingsArgs, Uninstall, list, print_if_not_on_path, print_preview, print_removed, show,
};
use crate::agents::Agent;
use crate::cli::environment::Environment;
use crate::cli::init::transaction::NewFile;
use crate::cli::output::print;
use crate::cli::to_stderr;
use crate::exit::Exit;
use crate::install::agents::{Home, HomeBase, HookFile, files, homes};
use crate::install::file::{self, FileError, SettingsScope};
use crate::install::{Edited, IfInstalled, SettingsError};

/// A value of `--agent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentChoice {
    /// All agents in use.
    Auto,
    One(Agent),
}

/// Parses a value of `--agent`.
pub fn agent(name: &str) -> Result<AgentChoice, String> {
    let known = || Agent::ALL.into_iter().filter(|agent| is_installable(*agent));
    match name {
        "auto" => Ok(AgentChoice::Auto),
        name => known().find(|agent| agent.name() == name).map(AgentChoice::One).ok_or_else(|| {
            let names: Vec<&str> = known().map(Agent::name).collect();
            format!("hooks cannot be installed for this agent (use auto, {})", names.join(", "))
        }),
    }
}

fn is_installable(agent: Agent) -> bool {
    agent == Agent::Claude || !homes(agent).is_empty()
}

pub(super) fn to_install(
    named: &[AgentChoice],
    place: &SettingsArgs,
    environment: &Environment,
) -> anyhow::Result<Vec<Agent>> {
    let found = chosen(named, |agent| is_used(agent, environment));
    anyhow::ensure!(!found.is_empty(), "found no agent in use (name one, such as '--agent claude')");
    check_scope(&found, place)?;
    Ok(found)
}

pub(super) fn to_uninstall(
    named: &[AgentChoice],
    place: &SettingsArgs,
    environment: &Environment,
) -> anyhow::Result<Vec<Agent>> {
    let mut found = chosen(named, |agent| {
        agent == Agent::Claude || targets(agent, place, environment).is_ok_and(|targets| any_hooks(&targets))
    });
    // Both read the same file.
    if found.contains(&Agent::Copilot) && named.contains(&AgentChoice::Auto) {
        found.retain(|agent| *agent != Agent::VsCode);
    }
    check_scope(&found, place)?;
    Ok(found)
}

fn chosen(named: &[AgentChoice], is_meant: impl Fn(Agent) -> bool) -> Vec<Agent> {
    let is_named = |agent: Agent| match named {
        [] => agent == Agent::Claude,
        named => {
            named.contains(&AgentChoice::One(agent))
                || (named.contains(&AgentChoice::Auto) && is_installable(agent) && is_meant(agent))
        }
    };
    Agent::ALL.into_iter().filter(|agent| is_named(*agent)).collect()
}

fn check_scope(agents: &[Agent], place: &SettingsArgs) -> anyhow::Result<()> {
    let other = agents.iter().find(|agent| **agent != Agent::Claude);
    if let (Some(agent), SettingsScope::Local) = (other, place.scope) {
        anyhow::bail!(
            "{} has no settings for one user in one project (use --scope project or user)",
            agent.title()
        );
    }
    Ok(())
}

/// Signs that an agent is in use: files in the project, paths in the home directory, programs.
fn signs(agent: Agent) -> [&'static [&'static str]; 3] {
    match agent {
        Agent::Claude => [&[".claude", "CLAUDE.md"], &[".claude"], &["claude"]],
        Agent::Codex => [&[".codex"], &[".codex"], &["codex"]],
        Agent::Copilot => [
            &[".github/copilot-instructions.md", ".github/copilot", ".github/hooks"],
            &[".copilot"],
            &["copilot"],
        ],
        Agent::Cursor => [&[".cursor"], &[".cursor"], &["cursor", "cursor-agent"]],
        Agent::Gemini => [&[".gemini", "GEMINI.md"], &[".gemini"], &["gemini"]],
        Agent::Qwen => [&[".qwen", "QWEN.md"], &[".qwen"], &["qwen"]],
        Agent::Droid => [&[".factory"], &[".factory"], &["droid"]],
        Agent::Opencode => {
            [&[".opencode", "opencode.json", "opencode.jsonc"], &[".config/opencode"], &["opencode"]]
        }
        Agent::Cline => [&[".cline", ".clinerules"], &[".cline"], &["cline"]],
        // Runs Copilot's hooks.
        Agent::VsCode => [&[], &[], &[]],
        Agent::Windsurf => [&[".windsurf", ".windsurfrules"], &[".codeium/windsurf"], &["windsurf"]],
        Agent::Devin => [&[".devin"], &[".config/devin"], &["devin"]],
        Agent::Kiro => [&[], &[], &[]],
    }
}

/// New hook files of an agent in the project, not written.
pub struct AgentPreview {
    pub agent: Agent,
    pub files: Vec<NewFile>,
}

/// The agents in use here, other than Claude Code, whose hooks are not installed in the project.
pub fn previews(environment: &Environment) -> Vec<AgentPreview> {
    let others = Agent::ALL.into_iter().filter(|agent| *agent != Agent::Claude && is_installable(*agent));
    let used = others.filter(|agent| is_used(*agent, environment));
    let previews = used.map(|agent| AgentPreview { agent, files: new_files(agent, environment) });
    previews.filter(|preview| !preview.files.is_empty()).collect()
}

/// The hook files that installing would change. Files that cannot be edited are left out.
fn new_files(agent: Agent, environment: &Environment) -> Vec<NewFile> {
    let root = environment.root();
    let homes = homes(agent).into_iter().filter(|home| home.base == HomeBase::Project);
    let targets = homes.flat_map(|home| HookTarget::all(&home, root.path()));
    let new = |target: HookTarget| {
        let install = |text: &str| target.file.install(text, IfInstalled::Keep);
        let Ok(Edited::Changed(text)) = file::preview(&target.path, install) else { return None };
        let before = target.path.exists().then(|| file::read(&target.path)).transpose().ok()?;
        let (shown, is_program) = (show(&target.path, environment), target.file.is_program);
        Some(NewFile { path: target.path, shown, before: before.map(String::into_bytes), text, is_program })
    };
    targets.filter_map(new).collect()
}

/// Whether the agent is used in this project or on this machine.
fn is_used(agent: Agent, environment: &Environment) -> bool {
    let root = environment.root();
    let [in_project, in_home, programs] = signs(agent);
    in_project.iter().any(|name| root.path().join(name).exists())
        || environment.home.as_ref().is_some_and(|home| in_home.iter().any(|name| home.join(name).exists()))
        || programs.iter().any(|name| environment.find_program(name).is_some())
}

/// A hook file and its absolute path.
pub struct HookTarget {
    pub file: HookFile,
    pub path: PathBuf,
}

/// The hook files of an agent in the selected scope.
fn targets(agent: Agent, place: &SettingsArgs, environment: &Environment) -> anyhow::Result<Vec<HookTarget>> {
    let base = match place.scope {
        SettingsScope::User => HomeBase::User,
        SettingsScope::Project | SettingsScope::Local => HomeBase::Project,
    };
    let directory =
        directory(base, environment).context("no home directory (set HOME, or use --scope project)")?;
    let homes = homes(agent).into_iter().filter(|home| home.base == base);
    Ok(homes.flat_map(|home| HookTarget::all(&home, &directory)).collect())
}

fn directory(base: HomeBase, environment: &Environment) -> Option<PathBuf> {
    match base {
        HomeBase::User => environment.home.clone(),
        HomeBase::Project => Some(environment.root().path().to_owned()),
    }
}

/// The hook files of an agent in all scopes.
pub fn everywhere(agent: Agent, environment: &Environment) -> Vec<HookTarget> {
    let placed = homes(agent).into_iter().filter_map(|home| Some((directory(home.base, environment)?, home)));
    placed.flat_map(|(directory, home)| HookTarget::all(&home, &directory)).collect()
}

fn any_hooks(targets: &[HookTarget]) -> bool {
    let has_hooks = |target: &HookTarget| {
        let text = file::read(&target.path).ok();
        text.is_some_and(|text| target.file.survey(&text).is_ok_and(|own| !own.is_empty()))
    };
    targets.iter().any(has_hooks)
}

impl HookTarget {
    /// The hook files of one home, below its base directory.
    fn all(home: &Home, directory: &Path) -> Vec<Self> {
        files(home).into_iter().map(|file| Self { path: directory.join(&file.path), file }).collect()
    }

    fn edit(
        &self,
        place: &SettingsArgs,
        change: impl Fn(&str) -> Result<Edited, SettingsError>,
    ) -> Result<Edited, FileError> {
        if place.dry_run {
            return file::preview(&self.path, change);
        }
        let edited = file::edit(&self.path, change)?;
        if matches!(edited, Edited::Changed(_)) && self.file.is_program {
            make_executable(&self.path)
                .map_err(|source| FileError::Write { path: self.path.clone(), source })?;
        }
        Ok(edited)
    }
}

/// Adds the permission to execute the file.
#[cfg(unix)]
pub fn make_executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut permissions = fs::metadata(path)?.permissions();
    permissions.set_mode(permissions.mode() | 0o111);
    fs::set_permissions(path, permissions)
}

#[cfg(not(unix))]
pub fn make_executable(path: &Path) -> std::io::Result<()> {
    fs::metadata(path).map(drop)
}

pub(super) fn install(agent: Agent, args: &Install, environment: &Environment) -> anyhow::Result<Exit> {
    args.check_for_other_agents(agent)?;
    let existing = if args.force { IfInstalled::Replace } else { IfInstalled::Keep };
    let (mut exit, mut changed) = (Exit::Clean, false);
    for target in targets(agent, &args.place, environment)? {
        let shown = show(&target.path, environment);
        match target.edit(&args.place, |text| target.file.install(text, existing))? {
            Edited::Changed(text) | Edited::Emptied(text) if args.place.dry_run => {
                print_preview(&shown, &text)?
            }
            Edited::Changed(text) | Edited::Emptied(text) => {
                changed = true;
                let hooks = target.file.survey(&text).with_context(|| shown.clone())?;
                let hooks: Vec<_> = hooks.into_iter().filter(|hook| !hook.command.is_empty()).collect();
                print(&format!("phaser's hooks for {} are in {shown}\n{}", agent.title(), list(&hooks)))?;
            }
            Edited::Unchanged => {
                print(&format!(
                    "phaser's hooks for {} are already in {shown}; nothing changed.\n",
                    agent.title()
                ))?;
            }
            Edited::Differs(hooks) => {
                to_stderr(format_args!("phaser: {shown} has other hooks of phaser; nothing changed"));
                list(&hooks).lines().for_each(to_stderr);
                to_stderr("phaser: run again with --force to replace them");
                exit = Exit::Trouble;
            }
        }
    }
    if changed {
        print(&format!("{}\n", next_steps(agent)))?;
        print_if_not_on_path(environment);
    }
    Ok(exit)
}

pub(super) fn uninstall(agent: Agent, args: &Uninstall, environment: &Environment) -> anyhow::Result<Exit> {
    for target in targets(agent, &args.place, environment)? {
        let shown = show(&target.path, environment);
        let edited = target.edit(&args.place, |text| target.file.uninstall(text))?;
        print_removed(&shown, edited, args.place.dry_run)?;
    }
    Ok(Exit::Clean)
}

impl Install {
    /// Rejects flags that only Claude Code's hooks support.
    fn check_for_other_agents(&self, agent: Agent) -> anyhow::Result<()> {
        let given = [
            ("--on-clean", self.on_clean.is_some()),
            ("--severity", self.severity.is_some()),
            ("--pack", self.packs.chosen().next().is_some()),
            ("--on-fail", self.on_fail.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((flag, _)) => anyhow::bail!(
                "{flag} is for Claude Code only (for {}, use .claude/phaser.yaml)",
                agent.title()
            ),
            None => Ok(()),
        }
    }
}

/// Steps for the user before the hooks run, and their limits.
pub fn next_steps(agent: Agent) -> &'static str {
    match agent {
        Agent::Codex => {
            "Trust the project in Codex and accept the hooks once with /hooks. Codex asks again only when the command changes."
        }
        Agent::Copilot | Agent::VsCode => {
            "Copilot CLI runs them in trusted folders, Visual Studio Code in trusted workspaces. The cloud agent reads them from\n\
             the default branch: commit the file."
        }
        Agent::Cursor => "Reopen the project: Cursor reads hooks when it opens a trusted workspace.",
        Agent::Gemini => "Gemini CLI announces them once and then runs them, in trusted folders only.",
        Agent::Qwen => "Start a new session of Qwen Code: it reads hooks at the start.",
        Agent::Droid => "Start a new session of droid: it reads hooks at the start.",
        Agent::Opencode => "Restart opencode: it reads plugins at the start.",
        Agent::Cline => {
            "Cline's hooks can deny an edit only by ending the whole run: violations are reported after the edit instead.\n\
             In Visual Studio Code, enable hooks in Cline's settings."
        }
        Agent::Windsurf => {
            "Reopen the project for Windsurf to read them. Only edits are checked: Windsurf's hooks can report nothing but a\n\
             denial."
        }
        Agent::Devin => {
            "Enter /hooks in Devin to list them. Devin also runs the hooks in Claude Code's settings: one of the two is enough."
        }
        Agent::Claude | Agent::Kiro => "",
    }
}
