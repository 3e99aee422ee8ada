//! Where hooks of phaser's are: in the settings of each scope, and in plugins that the settings switch on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Diagnosis;
use crate::cli::environment::Environment;
use crate::cli::install::{settings_file, show};
use crate::install::file::{self, FileError, Scope};
use crate::install::{self, OwnHook, Survey, survey};

/// The name of phaser's own plugin, in whichever marketplace.
const PLUGIN: &str = "phaser@";

/// Everywhere that hooks of phaser's are.
pub struct Places {
    /// Each place that has any.
    pub places: Vec<Place>,
    /// Does any of the settings turn every hook off?
    pub all_disabled: bool,
}

/// One file with hooks of phaser's.
pub struct Place {
    /// How it is shown.
    pub shown: String,
    /// The plugin that the file belongs to, if it is not a settings file.
    pub plugin: Option<Plugin>,
    /// The hooks.
    pub own: Vec<OwnHook>,
}

/// A plugin of the client's.
pub struct Plugin {
    /// Its name, with that of its marketplace.
    pub name: String,
    /// Where it is.
    pub directory: PathBuf,
}

impl Places {
    /// All hooks of phaser's.
    pub fn own(&self) -> impl Iterator<Item = &OwnHook> {
        self.places.iter().flat_map(|place| &place.own)
    }
}

impl Place {
    /// That it has hooks.
    pub fn has_hooks(&self) -> String {
        format!("{} has phaser's hooks", self.shown)
    }

    /// The events that it has hooks for.
    pub fn events(&self) -> Vec<&str> {
        self.own.iter().map(|hook| hook.event.as_str()).collect()
    }
}

/// Looks at the settings of every scope and at the plugins, and says what is wrong with them.
pub fn find(environment: &Environment, diagnosis: &mut Diagnosis) -> Places {
    let mut found = Places { places: Vec::new(), all_disabled: false };
    // A narrower scope decides.
    let mut plugins: BTreeMap<String, bool> = BTreeMap::new();
    for scope in Scope::ALL {
        let Some(path) = settings_file(scope, environment) else { continue };
        let shown = show(&path, environment);
        match read(&path) {
            Ok((Survey { own, all_disabled }, named)) => {
                found.all_disabled |= all_disabled;
                plugins.extend(named);
                if all_disabled {
                    let fix = format!("set 'disableAllHooks' to false in {shown}");
                    diagnosis.problem(format!("{shown} turns every hook off"), fix);
                }
                if !own.is_empty() {
                    found.places.push(Place { shown, plugin: None, own });
                }
            }
            Err(error) => {
                let fix = "mend the file; Claude Code passes over all of it as it is";
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
        let what = format!("no settings have a hook of phaser's for {}", missing.join(" and "));
        match diagnosis.agents.as_slice() {
            [] => diagnosis.problem(what, "run 'phaser enforce install'"),
            // Not everybody uses Claude Code.
            _ => diagnosis.note(format!("{what}; 'phaser enforce install' is for Claude Code")),
        }
    }
    found
}

/// What a file says about hooks, and the plugins that it names.
fn read(path: &Path) -> Result<(Survey, Vec<(String, bool)>), FileError> {
    let refused = |refused| FileError::Settings { path: path.to_owned(), refused };
    let text = file::read(path)?;
    Ok((survey(&text).map_err(refused)?, install::plugins(&text).map_err(refused)?))
}

/// A plugin that is switched on, if it has hooks of phaser's.
fn plugin(name: String, environment: &Environment, diagnosis: &mut Diagnosis) -> Option<Place> {
    let Some(directory) = installed_at(&name, environment) else {
        if name.starts_with(PLUGIN) {
            let what = format!("the plugin {name} is switched on, and not installed here");
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
    (!own.is_empty()).then_some(Place { shown, plugin: Some(Plugin { name, directory }), own })
}

/// Where the client has put a plugin, as far as its own notes say.
fn installed_at(name: &str, environment: &Environment) -> Option<PathBuf> {
    let user = settings_file(Scope::User, environment)?;
    let notes = std::fs::read(user.parent()?.join("plugins/installed_plugins.json")).ok()?;
    let notes: Value = serde_json::from_slice(&notes).ok()?;
    let installed = notes["plugins"][name].as_array()?;
    let here = |entry: &&Value| {
        let project = entry["projectPath"].as_str();
        project.is_none_or(|project| environment.cwd.starts_with(project))
    };
    let entry = installed.iter().find(here).or(installed.first())?;
    entry["installPath"].as_str().map(PathBuf::from)
}
