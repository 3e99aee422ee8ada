//! Finds phaser's hooks in the settings of each scope and in enabled plugins.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Diagnosis;
use crate::cli::environment::Environment;
use crate::cli::install::{settings_file, show};
use crate::install::file::{self, FileError, SettingsScope};
use crate::install::{self, HookSurvey, OwnHook, survey};

/// The name of phaser's plugin, in any marketplace.
const PLUGIN: &str = "phaser@";

/// All files with hooks of phaser.
pub struct HookSources {
    pub places: Vec<HookSource>,
    /// Whether any settings file has `disableAllHooks`.
    pub all_disabled: bool,
}

/// A settings file or plugin with hooks of phaser.
pub struct HookSource {
    /// The name for messages.
    pub shown: String,
    /// `None` for a settings file.
    pub plugin: Option<Plugin>,
    pub own: Vec<OwnHook>,
}

/// A plugin of Claude Code.
pub struct Plugin {
    /// `NAME@MARKETPLACE`.
    pub name: String,
    pub directory: PathBuf,
}

impl HookSources {
    pub fn own(&self) -> impl Iterator<Item = &OwnHook> {
        self.places.iter().flat_map(|place| &place.own)
    }
}

impl HookSource {
    /// The events that it has hooks for.
    pub fn events(&self) -> Vec<&str> {
        self.own.iter().map(|hook| hook.event.as_str()).collect()
    }
}

/// Reads the settings of every scope and the enabled plugins, and reports problems.
pub fn find(environment: &Environment, diagnosis: &mut Diagnosis) -> HookSources {
    let mut found = HookSources { places: Vec::new(), all_disabled: false };
    // A narrower scope wins.
    let mut plugins: BTreeMap<String, bool> = BTreeMap::new();
    for scope in SettingsScope::ALL {
        let Some(path) = settings_file(scope, environment) else { continue };
        let shown = show(&path, environment);
        match read(&path) {
            Ok((HookSurvey { own, all_disabled }, named)) => {
                found.all_disabled |= all_disabled;
                plugins.extend(named);
                if all_disabled {
                    let fix = format!("set 'disableAllHooks' to false in {shown}");
                    diagnosis.problem(format!("{shown} disables all hooks"), fix);
                }
                if !own.is_empty() {
                    found.places.push(HookSource { shown, plugin: None, own });
                }
            }
            Err(error) => {
                let fix = "fix the file; Claude Code ignores all of it";
                diagnosis.problem(format!("{:#}", anyhow::Error::from(error)), fix);
            }
        }
    }
    for (name, _) in plugins.into_iter().filter(|(_, is_on)| *is_on) {
        found.places.extend(plugin(name, environment, diagnosis));
    }
    let is_missing = |event: &&str| !found.own().any(|hook| hook.event == *event);
    let missing: Vec<_> = ["PreToolUse", "PostToolUse"].into_iter().filter(is_missing).collect();
    if !missing.is_empty() {
        let what = format!("no settings have a hook of phaser for {}", missing.join(" and "));
        match diagnosis.agents.as_slice() {
            [] => diagnosis.problem(what, "run 'phaser enforce install'"),
            // The project may use other agents only.
            _ => diagnosis.note(format!("{what} (run 'phaser enforce install' for Claude Code)")),
        }
    }
    found
}

/// The hooks and plugins in a settings file.
fn read(path: &Path) -> Result<(HookSurvey, Vec<(String, bool)>), FileError> {
    let refused = |refused| FileError::Settings { path: path.to_owned(), refused };
    let text = file::read(path)?;
    Ok((survey(&text).map_err(refused)?, install::plugins(&text).map_err(refused)?))
}

/// An enabled plugin, if it has hooks of phaser.
fn plugin(name: String, environment: &Environment, diagnosis: &mut Diagnosis) -> Option<HookSource> {
    let Some(directory) = installed_at(&name, environment) else {
        if name.starts_with(PLUGIN) {
            let what = format!("the plugin {name} is enabled but not installed");
            diagnosis.problem(what, format!("run 'claude plugin install {name}'"));
        }
        return None;
    };
    let own = match read(&directory.join("hooks/hooks.json")) {
        Ok((survey, _)) => survey.own,
        Err(_) if !name.starts_with(PLUGIN) => return None,
        Err(error) => {
            let fix = format!("run 'claude plugin update {name}'");
            diagnosis.problem(format!("{:#}", anyhow::Error::from(error)), fix);
            return None;
        }
    };
    let shown = format!("the plugin {name}");
    (!own.is_empty()).then_some(HookSource { shown, plugin: Some(Plugin { name, directory }), own })
}

/// The directory of a plugin, from Claude Code's list of installed plugins.
fn installed_at(name: &str, environment: &Environment) -> Option<PathBuf> {
    let user = settings_file(SettingsScope::User, environment)?;
    let list = std::fs::read(user.parent()?.join("plugins/installed_plugins.json")).ok()?;
    let list: Value = serde_json::from_slice(&list).ok()?;
    let installed = list["plugins"][name].as_array()?;
    let here = |entry: &&Value| {
        let project = entry["projectPath"].as_str();
        project.is_none_or(|project| environment.cwd.starts_with(project))
    };
    let entry = installed.iter().find(here).or(installed.first())?;
    entry["installPath"].as_str().map(PathBuf::from)
}
