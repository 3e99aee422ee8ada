//! Claude Code's settings before and after a change: which of phaser's hooks are gone or weaker.
//!
//! Every command that runs `phaser enforce --stdin` counts as a hook of phaser, whatever shell code is around it. Settings
//! that Claude Code cannot parse have no hooks. Hooks inherit the variables in `env`, so one that decides which program
//! runs, or how, can disarm them ([`disarms`]).

use phaser_core::sanitize::printable;
use std::collections::{BTreeMap, BTreeSet};

use regex_automata::meta::Regex;
use serde_json::{Map, Value};

use super::command::HookCommand;
use crate::agents::Agent;

/// A change of a settings file.
pub(super) struct SettingsEdit<'c> {
    /// The path, for messages.
    pub(super) shown: String,
    pub(super) before: Option<&'c [u8]>,
    pub(super) after: Option<&'c [u8]>,
    /// The settings of wider scopes, after the change.
    pub(super) wider: Vec<Vec<u8>>,
}

/// The timeout that is enough for a hook, in seconds. A reduced timeout is weaker only below it.
const ENOUGH: f64 = 10.0;

/// Claude Code's default timeout, in seconds.
const DEFAULT_TIMEOUT: f64 = 600.0;

/// The timeout below which a hook cannot run, in seconds.
const TOO_SHORT: f64 = 1.0;

/// Variables that decide which program a hook runs, or how: the search path, what shells and loaders execute first, where
/// settings, contracts and repositories are, and by which phaser recognises another agent.
const DISARMING: [&str; 19] = [
    "PATH",
    "SHELL",
    "BASH_ENV",
    "ENV",
    "ZDOTDIR",
    "SHELLOPTS",
    "BASHOPTS",
    "HOME",
    "XDG_CONFIG_HOME",
    "NODE_OPTIONS",
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_SIMPLE",
    "GIT_DIR",
    "GIT_COMMON_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_CEILING_DIRECTORIES",
];

/// Prefixes of such variables.
const DISARMING_PREFIXES: [&str; 7] =
    ["PHASER_", "GIT_CONFIG", "LD_", "DYLD_", "BASH_FUNC_", "CLAUDE_CODE_SHELL", "CLAUDE_PLUGIN_"];

/// Whether a variable of this name can disarm hooks.
fn disarms(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    DISARMING.contains(&name.as_str())
        || DISARMING_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || Agent::VARIABLES.iter().any(|(known, _)| *known == name)
}

/// The tools whose calls a hook before a call has to see. One of them is enough.
const EDITING: [&str; 2] = ["Write", "Edit"];

/// The process that judges settings.
pub struct Running<'a> {
    /// Whether Claude Code started it as a plugin.
    pub as_plugin: bool,
    /// The variables of its environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

/// What keeps phaser's hooks from running, as a sentence without its end; `None` if nothing does. `settings` has the path and
/// the contents of the settings of all scopes, the widest first. A variable that the process has already is no news.
pub fn disarmed(settings: &[(String, Vec<u8>)], running: &Running<'_>) -> Option<String> {
    let read = |(shown, bytes): &(String, Vec<u8>)| Some((shown.clone(), GuardSettings::read(bytes)?));
    let settings: Vec<(String, GuardSettings)> = settings.iter().filter_map(read).collect();
    if let Some((shown, _)) = settings.iter().find(|(_, settings)| settings.disabled) {
        return Some(format!("'disableAllHooks' in {shown} disables phaser"));
    }
    for (shown, GuardSettings { env, .. }) in &settings {
        let is_new = |(name, value): &(&String, &String)| (running.variable)(name).as_ref() != Some(value);
        if let Some((name, _)) = env.iter().find(is_new) {
            return Some(inherits(name, shown));
        }
    }
    let plugin = settings.iter().rev().find_map(|(_, settings)| settings.plugin_switch);
    if plugin.unwrap_or(running.as_plugin) {
        return None;
    }
    let hooks =
        settings.iter().flat_map(|(shown, settings)| settings.hooks.iter().map(move |hook| (shown, hook)));
    let mut idle = None;
    for (shown, hook) in hooks.filter(|(_, hook)| hook.event == "PreToolUse") {
        let what = hook.idle()?;
        idle.get_or_insert_with(|| format!("the hook for PreToolUse in {shown} {what}"));
    }
    Some(idle.unwrap_or_else(|| "phaser's hooks are gone from the settings".to_owned()))
}

/// The sentence about a variable of a settings file.
fn inherits(name: &str, shown: &str) -> String {
    format!("'env' in {shown} sets {}, which can keep hooks from running", printable(name))
}

/// One sentence per weakening.
pub(super) fn weaker(change: &SettingsEdit) -> Vec<String> {
    let before = change.before.and_then(GuardSettings::read).unwrap_or_default();
    let read = change.after.map(GuardSettings::read);
    let shown = &change.shown;
    let mut found = Vec::new();
    if matches!(read, Some(None)) && !before.is_empty() {
        return vec![format!("{shown} cannot be read any more, so that the hooks in it do nothing")];
    }
    let after = read.flatten().unwrap_or_default();
    if after.disabled && !before.disabled {
        found.push(format!("'disableAllHooks' in {shown} switches all hooks off"));
    }
    let wider: Vec<GuardSettings> =
        change.wider.iter().filter_map(|bytes| GuardSettings::read(bytes)).collect();
    let now: Vec<&Hook> =
        after.hooks.iter().chain(wider.iter().flat_map(|settings| &settings.hooks)).collect();
    for was in &before.hooks {
        let event = printable(&was.event);
        found.extend(was.lost_in(&now).map(|what| format!("the hook for {event} in {shown} {what}")));
    }
    let has = |plugin: &String| {
        after.plugins.contains(plugin) || wider.iter().any(|it| it.plugins.contains(plugin))
    };
    for plugin in before.plugins.iter().filter(|plugin| !has(plugin)) {
        found.push(format!("the plugin {} is switched off in {shown}", printable(plugin)));
    }
    for (name, value) in &after.env {
        if before.env.get(name) != Some(value) {
            found.push(inherits(name, shown));
        }
    }
    found.dedup();
    found
}

/// phaser's hooks and plugins in a settings file.
#[derive(Debug, Default)]
struct GuardSettings {
    hooks: Vec<Hook>,
    /// Enabled plugins of phaser.
    plugins: BTreeSet<String>,
    /// Whether a plugin of phaser is enabled or disabled, if one is named.
    plugin_switch: Option<bool>,
    /// The variables that [can disarm hooks](disarms).
    env: BTreeMap<String, String>,
    disabled: bool,
}

#[derive(Debug)]
struct Hook {
    event: String,
    tools: MatchedTools,
    command: HookCommand,
    /// The condition `if`.
    condition: Option<String>,
    /// In seconds.
    timeout: f64,
    /// Whether the call does not wait for it.
    is_async: bool,
    /// Whether the call is denied when the hook fails.
    blocks_on_failure: bool,
}

/// The tools that a matcher selects.
#[derive(Debug, Clone, PartialEq, Eq)]
enum MatchedTools {
    All,
    Names(BTreeSet<String>),
    Expression(String),
}

impl MatchedTools {
    /// Parses a matcher as Claude Code does.
    fn of(matcher: Option<&str>) -> Self {
        match matcher.map(str::trim) {
            None | Some("" | "*" | ".*") => Self::All,
            Some(text) if text.chars().all(|c| c.is_alphanumeric() || "_|,- ".contains(c)) => {
                Self::Names(text.split(['|', ',']).map(|name| name.trim().to_owned()).collect())
            }
            Some(text) => Self::Expression(text.to_owned()),
        }
    }

    /// Whether a tool is selected. An expression that only JavaScript has is taken to select the tools that it names.
    fn matches(&self, tool: &str) -> bool {
        match self {
            Self::All => true,
            Self::Names(names) => names.contains(tool),
            Self::Expression(expression) => Regex::new(expression)
                .map_or_else(|_| expression.contains(tool), |regex| regex.is_match(tool)),
        }
    }

    /// How `others` select fewer tools, as the predicate of a sentence.
    fn left_by(&self, others: &[&Self]) -> Option<String> {
        if others.contains(&&Self::All) || others.contains(&self) {
            return None;
        }
        let Self::Names(names) = self else { return Some("is for fewer tools".to_owned()) };
        let is_named = |name: &&String| {
            !others.iter().any(|tools| matches!(tools, Self::Names(others) if others.contains(*name)))
        };
        let left: Vec<&str> = names.iter().filter(is_named).map(String::as_str).collect();
        (!left.is_empty()).then(|| format!("is not for {} any more", printable(&left.join(", "))))
    }
}

impl GuardSettings {
    /// Parses a settings file; `None` if Claude Code could not.
    fn read(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?.trim_start_matches('\u{feff}');
        if text.trim().is_empty() {
            return Some(Self::default());
        }
        let Value::Object(top) = serde_json::from_str(text).ok()? else { return None };
        let disabled = top.get("disableAllHooks") == Some(&Value::Bool(true));
        let own_plugin = |(name, on): (&String, &Value)| {
            let own = name.split('@').next() == Some("phaser");
            Some((name.clone(), on.as_bool()?)).filter(|_| own)
        };
        let plugins = top.get("enabledPlugins").and_then(Value::as_object);
        let plugins: Vec<(String, bool)> = plugins.into_iter().flatten().filter_map(own_plugin).collect();
        let plugin_switch = plugins.iter().map(|(_, on)| *on).max();
        let plugins = plugins.into_iter().filter_map(|(name, on)| on.then_some(name)).collect();
        let env = top.get("env").and_then(Value::as_object).into_iter().flatten();
        let env = env.filter(|(name, _)| disarms(name)).map(|(name, value)| {
            (name.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        });
        let env = env.collect();
        let mut hooks = Vec::new();
        for (event, groups) in top.get("hooks").and_then(Value::as_object).into_iter().flatten() {
            for group in groups.as_array().into_iter().flatten().filter_map(Value::as_object) {
                hooks.extend(Hook::all(event, group));
            }
        }
        Some(Self { hooks, plugins, plugin_switch, env, disabled })
    }

    fn is_empty(&self) -> bool {
        self.hooks.is_empty() && self.plugins.is_empty()
    }
}

impl Hook {
    /// phaser's hooks in one group of an event.
    fn all(event: &str, group: &Map<String, Value>) -> Vec<Self> {
        let tools = MatchedTools::of(group.get("matcher").and_then(Value::as_str));
        let handlers = group.get("hooks").and_then(Value::as_array);
        let handlers = handlers.into_iter().flatten().filter_map(Value::as_object);
        let one = |handler: &Map<String, Value>| {
            let text = |name: &str| handler.get(name).and_then(Value::as_str);
            let command = text("command").filter(|_| text("type") == Some("command"))?;
            let words = handler.get("args").and_then(Value::as_array);
            let words = words.map(|words| words.iter().filter_map(Value::as_str).collect::<Vec<_>>());
            Some(Self {
                event: event.to_owned(),
                tools: tools.clone(),
                command: HookCommand::read(command, words.as_deref())?,
                condition: text("if").map(str::to_owned),
                timeout: handler.get("timeout").and_then(Value::as_f64).unwrap_or(DEFAULT_TIMEOUT),
                is_async: handler.get("async") == Some(&Value::Bool(true))
                    || handler.get("asyncRewake") == Some(&Value::Bool(true)),
                blocks_on_failure: text("onFailure") == Some("block"),
            })
        };
        handlers.filter_map(one).collect()
    }

    /// Why the hook stops no edit, as the predicate of a sentence; `None` if it can.
    fn idle(&self) -> Option<&'static str> {
        if !EDITING.iter().any(|tool| self.tools.matches(tool)) {
            Some("is for no tool that edits files ('matcher')")
        } else if self.condition.is_some() {
            Some("has a condition ('if')")
        } else if self.is_async {
            Some("is not waited for ('async')")
        } else if self.timeout < TOO_SHORT {
            Some("has too little time ('timeout')")
        } else {
            None
        }
    }

    /// How the hooks in `now` are weaker than this one, as the predicate of a sentence.
    fn lost_in(&self, now: &[&Self]) -> Option<String> {
        let same_event: Vec<&&Self> = now.iter().filter(|is| is.event == self.event).collect();
        if same_event.is_empty() {
            return Some("is gone".to_owned());
        }
        let as_strong: Vec<&MatchedTools> =
            same_event.iter().filter(|is| self.less_in(is).is_none()).map(|is| &is.tools).collect();
        match as_strong.as_slice() {
            [] => same_event.first().and_then(|is| self.less_in(is)),
            tools => self.tools.left_by(tools),
        }
    }

    /// How `is` is weaker than this hook, tools aside.
    fn less_in(&self, is: &Self) -> Option<String> {
        if let Some(what) = self.command.less_in(&is.command) {
            return Some(what);
        }
        let what = if is.condition.is_some() && is.condition != self.condition {
            "has a condition ('if')"
        } else if is.is_async && !self.is_async {
            "is not waited for any more ('async')"
        } else if is.timeout < self.timeout && is.timeout < ENOUGH {
            "has too little time ('timeout')"
        } else if self.blocks_on_failure && !is.blocks_on_failure {
            "lets calls through when it fails ('onFailure')"
        } else {
            return None;
        };
        Some(what.to_owned())
    }
}
