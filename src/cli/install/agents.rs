//! `phaser enforce install --agent` and `uninstall --agent`: hooks in the configuration of other agents than Claude Code.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::{Install, Place, ScopeArg, Uninstall, list, print_preview, show};
use crate::agents::Client;
use crate::cli::environment::Environment;
use crate::cli::output::print;
use crate::cli::say;
use crate::exit::Exit;
use crate::install::agents::{Base, HookFile, files, homes};
use crate::install::file::{self, FileError};
use crate::install::{Edited, IfInstalled, SettingsError};
use phaser_project::path::{RootHints, find_root};

/// An agent as it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// Those that are in use.
    Auto,
    /// This one.
    Client(Client),
}

/// The agent of this name.
pub fn agent(name: &str) -> Result<Named, String> {
    let known = || Client::ALL.into_iter().filter(|client| is_installable(*client));
    match name {
        "auto" => Ok(Named::Auto),
        name => known().find(|client| client.name() == name).map(Named::Client).ok_or_else(|| {
            let names: Vec<&str> = known().map(Client::name).collect();
            format!("no agent that hooks can be installed for: choose auto, {}", names.join(", "))
        }),
    }
}

fn is_installable(client: Client) -> bool {
    client == Client::Claude || !homes(client).is_empty()
}

/// The clients to install hooks for.
pub(super) fn to_install(
    named: &[Named],
    place: &Place,
    environment: &Environment,
) -> anyhow::Result<Vec<Client>> {
    let found = chosen(named, |client| is_used(client, environment));
    anyhow::ensure!(
        !found.is_empty(),
        "no agent is in use here that phaser knows: name one, such as '--agent claude'"
    );
    check_scope(&found, place)?;
    Ok(found)
}

/// The clients to take the hooks away from.
pub(super) fn to_uninstall(
    named: &[Named],
    place: &Place,
    environment: &Environment,
) -> anyhow::Result<Vec<Client>> {
    let mut found = chosen(named, |client| {
        client == Client::Claude
            || targets(client, place, environment).is_ok_and(|targets| any_hooks(&targets))
    });
    // Both read the same file.
    if found.contains(&Client::Copilot) && named.contains(&Named::Auto) {
        found.retain(|client| *client != Client::VsCode);
    }
    check_scope(&found, place)?;
    Ok(found)
}

fn chosen(named: &[Named], is_meant: impl Fn(Client) -> bool) -> Vec<Client> {
    let is_named = |client: Client| match named {
        [] => client == Client::Claude,
        named => {
            named.contains(&Named::Client(client))
                || (named.contains(&Named::Auto) && is_installable(client) && is_meant(client))
        }
    };
    Client::ALL.into_iter().filter(|client| is_named(*client)).collect()
}

fn check_scope(clients: &[Client], place: &Place) -> anyhow::Result<()> {
    let other = clients.iter().find(|client| **client != Client::Claude);
    if let (Some(client), ScopeArg::Local) = (other, place.scope) {
        anyhow::bail!(
            "{} has no settings for one user in one project: choose --scope project or user",
            client.title()
        );
    }
    Ok(())
}

/// What shows that a client is used: files of the project, directories in the home, and programs.
fn signs(client: Client) -> [&'static [&'static str]; 3] {
    match client {
        Client::Claude => [&[".claude/settings.json", "CLAUDE.md"], &[".claude"], &["claude"]],
        Client::Codex => [&[".codex"], &[".codex"], &["codex"]],
        Client::Copilot => [
            &[".github/copilot-instructions.md", ".github/copilot", ".github/hooks"],
            &[".copilot"],
            &["copilot"],
        ],
        Client::Cursor => [&[".cursor"], &[".cursor"], &["cursor", "cursor-agent"]],
        Client::Gemini => [&[".gemini", "GEMINI.md"], &[".gemini"], &["gemini"]],
        Client::Qwen => [&[".qwen", "QWEN.md"], &[".qwen"], &["qwen"]],
        Client::Droid => [&[".factory"], &[".factory"], &["droid"]],
        Client::Opencode => {
            [&[".opencode", "opencode.json", "opencode.jsonc"], &[".config/opencode"], &["opencode"]]
        }
        Client::Cline => [&[".cline", ".clinerules"], &[".cline"], &["cline"]],
        // It runs Copilot's hooks.
        Client::VsCode => [&[], &[], &[]],
        Client::Windsurf => [&[".windsurf", ".windsurfrules"], &[".codeium/windsurf"], &["windsurf"]],
        Client::Devin => [&[".devin"], &[".config/devin"], &["devin"]],
        Client::Kiro => [&[], &[], &[]],
    }
}

/// Does this project or this machine use the client?
fn is_used(client: Client, environment: &Environment) -> bool {
    let root = find_root(RootHints { named: None, cwd: &environment.cwd, file: None });
    let [in_project, in_home, programs] = signs(client);
    in_project.iter().any(|name| root.path().join(name).exists())
        || environment.home.as_ref().is_some_and(|home| in_home.iter().any(|name| home.join(name).exists()))
        || programs.iter().any(|name| environment.find_program(name).is_some())
}

/// A file with hooks, and where it is.
pub struct Target {
    pub file: HookFile,
    pub path: PathBuf,
}

/// The files of a client in this scope.
fn targets(client: Client, place: &Place, environment: &Environment) -> anyhow::Result<Vec<Target>> {
    let base = match place.scope {
        ScopeArg::User => Base::User,
        ScopeArg::Project | ScopeArg::Local => Base::Project,
    };
    let directory = directory(base, environment)
        .context("there is no home directory: set HOME, or choose --scope project")?;
    let homes = homes(client).into_iter().filter(|home| home.base == base);
    Ok(homes
        .flat_map(|home| files(&home))
        .map(|file| Target { path: directory.join(&file.path), file })
        .collect())
}

/// The directory that paths start at.
fn directory(base: Base, environment: &Environment) -> Option<PathBuf> {
    match base {
        Base::User => environment.home.clone(),
        Base::Project => {
            Some(find_root(RootHints { named: None, cwd: &environment.cwd, file: None }).path().to_owned())
        }
    }
}

/// All files that hooks of a client may be in.
pub fn everywhere(client: Client, environment: &Environment) -> Vec<Target> {
    let homes = homes(client).into_iter();
    let placed = homes.filter_map(|home| Some((files(&home), directory(home.base, environment)?)));
    placed
        .flat_map(|(files, directory)| {
            files.into_iter().map(move |file| Target { path: directory.join(&file.path), file })
        })
        .collect()
}

fn any_hooks(targets: &[Target]) -> bool {
    let has_hooks = |target: &Target| {
        let text = file::read(&target.path).ok();
        text.is_some_and(|text| target.file.survey(&text).is_ok_and(|own| !own.is_empty()))
    };
    targets.iter().any(has_hooks)
}

impl Target {
    fn edit(
        &self,
        place: &Place,
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

#[cfg(unix)]
fn make_executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut permissions = fs::metadata(path)?.permissions();
    permissions.set_mode(permissions.mode() | 0o111);
    fs::set_permissions(path, permissions)
}

#[cfg(not(unix))]
fn make_executable(path: &Path) -> std::io::Result<()> {
    fs::metadata(path).map(drop)
}

/// Installs the hooks of a client.
pub(super) fn install(client: Client, args: &Install, environment: &Environment) -> anyhow::Result<Exit> {
    args.check_for_other_agents(client)?;
    let existing = if args.force { IfInstalled::Replace } else { IfInstalled::Keep };
    let (mut exit, mut changed) = (Exit::Clean, false);
    for target in targets(client, &args.place, environment)? {
        let shown = show(&target.path, environment);
        match target.edit(&args.place, |text| target.file.install(text, existing))? {
            Edited::Changed(text) | Edited::Emptied(text) if args.place.dry_run => {
                print_preview(&shown, &text)?
            }
            Edited::Changed(text) | Edited::Emptied(text) => {
                changed = true;
                let hooks = target.file.survey(&text).with_context(|| shown.clone())?;
                let hooks: Vec<_> = hooks.into_iter().filter(|hook| !hook.command.is_empty()).collect();
                print(&format!("phaser's hooks for {} are in {shown}\n{}", client.title(), list(&hooks)))?;
            }
            Edited::Unchanged => {
                print(&format!(
                    "phaser's hooks for {} are in {shown} already; nothing changed.\n",
                    client.title()
                ))?;
            }
            Edited::Differs(hooks) => {
                say(format_args!(
                    "phaser: {shown} is not as phaser would have it, and nothing changed in it"
                ));
                list(&hooks).lines().for_each(say);
                say("phaser: run again with --force to replace what is there");
                exit = Exit::Trouble;
            }
        }
    }
    if changed {
        print(&format!("{}\n", by_hand(client)))?;
        if environment.find_program("phaser").is_none() {
            say("phaser: 'phaser' is not on the PATH, and the hooks need it there");
        }
    }
    Ok(exit)
}

/// Takes the hooks of a client out again.
pub(super) fn uninstall(client: Client, args: &Uninstall, environment: &Environment) -> anyhow::Result<Exit> {
    for target in targets(client, &args.place, environment)? {
        let shown = show(&target.path, environment);
        match target.edit(&args.place, |text| target.file.uninstall(text))? {
            Edited::Changed(text) if args.place.dry_run => print_preview(&shown, &text)?,
            Edited::Changed(_) => {
                print(&format!("phaser's hooks are out of {shown}; the rest of it is as it was.\n"))?;
            }
            Edited::Emptied(_) if args.place.dry_run => {
                say(format_args!("phaser: {shown} would be removed; nothing was changed"));
            }
            Edited::Emptied(_) => {
                print(&format!(
                    "phaser's hooks were all that was in {shown}; the file is gone with them.\n"
                ))?;
            }
            Edited::Unchanged | Edited::Differs(_) => {
                print(&format!("There are no hooks of phaser's in {shown}; nothing changed.\n"))?;
            }
        }
    }
    Ok(Exit::Clean)
}

impl Install {
    /// What is only for Claude Code is refused for others: their command is the same for ever.
    fn check_for_other_agents(&self, client: Client) -> anyhow::Result<()> {
        let given = [
            ("--on-clean", self.on_clean.is_some()),
            ("--severity", self.severity.is_some()),
            ("--pack", self.packs.chosen().next().is_some()),
            ("--on-fail", self.on_fail.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((flag, _)) => anyhow::bail!(
                "{flag} is for Claude Code's hooks; those of {} take what they need from .claude/phaser.yaml",
                client.title()
            ),
            None => Ok(()),
        }
    }
}

/// What a person has to do before the hooks run, and what they cannot do.
fn by_hand(client: Client) -> &'static str {
    match client {
        Client::Codex => {
            "Codex runs them after you have trusted the project and accepted them once: open it here and enter /hooks. It\n\
             asks again only when the command changes, which phaser does not do."
        }
        Client::Copilot | Client::VsCode => {
            "Copilot CLI runs them in folders that you trust, Visual Studio Code in workspaces that you trust. The cloud agent\n\
             reads them from the default branch: commit the file."
        }
        Client::Cursor => {
            "Cursor runs them in workspaces that you trust. Open the project again for it to read them."
        }
        Client::Gemini => {
            "Gemini CLI shows them once as new, and then runs them; in a folder that you do not trust it runs none."
        }
        Client::Qwen => "Start a new session of Qwen Code, which reads its hooks when it starts.",
        Client::Droid => "Start a new session of droid, which reads its hooks when it starts.",
        Client::Opencode => "Start opencode again, which reads its plugins when it starts.",
        Client::Cline => {
            "A hook of Cline's can refuse an edit only by ending the whole run: the model is told after the edit instead.\n\
             In Visual Studio Code, switch hooks on in Cline's settings."
        }
        Client::Windsurf => {
            "Open the project again for Windsurf to read them. Only edits are checked there: a hook of Windsurf's can tell the\n\
             model nothing but why it refuses."
        }
        Client::Devin => {
            "Enter /hooks in Devin to see them. It runs the hooks of Claude Code's settings, too: one of the two is enough."
        }
        Client::Claude | Client::Kiro => "",
    }
}
