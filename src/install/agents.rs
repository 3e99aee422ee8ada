//! Installs phaser's hooks for agents other than Claude Code: text in, text out. Only phaser's own entries are touched.
//!
//! The command never changes between versions, because some agents ask the user to confirm a changed command.

use super::command::{framed, framed_to_deny};
use super::document::{Child, JsonDocument, JsonNode};
use super::{
    Edited, EventHooks, Group, Handler, HookSettings, IfInstalled, OwnHook, SettingsError, command,
    edit_each, edited, split,
};
use crate::agents::Agent;

mod table;

use table::{EVENTS_OF_CLINE, FileShape, WantedHook};
pub use table::{Home, HomeBase, homes};

/// A file with phaser's hooks for an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookFile {
    /// Relative to the directory of its [`HomeBase`].
    pub path: String,
    /// Whether the agent executes it.
    pub is_program: bool,
    holds: Holds,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Holds {
    /// A JSON settings file that may have other content.
    Settings { agent: Agent, shape: FileShape },
    /// A file that is phaser's as a whole.
    Whole(String),
}

/// Text that marks a whole file as phaser's.
const OWN_MARK: &str = "written by 'phaser enforce install --agent ";

/// The hook files of an agent in one home.
pub fn files(home: &Home) -> Vec<HookFile> {
    let file = |holds| HookFile { path: home.path.to_owned(), is_program: false, holds };
    match home.shape {
        FileShape::Plugin => vec![file(Holds::Whole(include_str!("agents/opencode.js").to_owned()))],
        FileShape::Programs => {
            let text = format!("#!/bin/sh\n# {OWN_MARK}cline'\n{}\n", command_of(home.agent));
            let path = |event| format!("{}/{event}", home.path);
            let program =
                |event| HookFile { path: path(event), is_program: true, holds: Holds::Whole(text.clone()) };
            EVENTS_OF_CLINE.iter().map(program).collect()
        }
        shape => vec![file(Holds::Settings { agent: home.agent, shape })],
    }
}

/// The command of an agent's hooks. Copilot's has no `--agent`: Visual Studio Code runs hooks from the same file.
pub fn command_of(agent: Agent) -> String {
    let flag = match agent {
        Agent::Copilot | Agent::VsCode => String::new(),
        agent => format!(" --agent {}", agent.name()),
    };
    let command = format!("phaser enforce --stdin --guard{flag}");
    match agent {
        Agent::Windsurf => framed_to_deny(&command),
        _ => framed(&command),
    }
}

impl HookFile {
    /// Installs phaser's hooks into `text`, which may be empty.
    pub fn install(&self, text: &str, existing: IfInstalled) -> Result<Edited, SettingsError> {
        match &self.holds {
            Holds::Whole(whole) => Ok(whole_file(text, whole, existing)),
            Holds::Settings { agent, shape } => {
                let (_, json) = split(text);
                let versioned = with_version(json, *shape)?;
                let (new, differing) = edit_each(&versioned, WantedHook::of(*agent), |json, wanted| {
                    let document = JsonDocument::parse(json)?;
                    let settings = read(&document, *shape)?;
                    Ok(settings.install(wanted.event, &wanted.entry, existing, |_| false, |_| false))
                })?;
                Ok(edited(text, &new, differing))
            }
        }
    }

    /// Removes all of phaser's hooks from `text`, and the containers that become empty.
    pub fn uninstall(&self, text: &str) -> Result<Edited, SettingsError> {
        let Holds::Settings { shape, .. } = &self.holds else {
            return Ok(if text.contains(OWN_MARK) {
                Edited::Emptied(String::new())
            } else {
                Edited::Unchanged
            });
        };
        let (mark, json) = split(text);
        let document = JsonDocument::parse(json)?;
        let splices = read(&document, *shape)?.removals();
        if splices.is_empty() {
            return Ok(Edited::Unchanged);
        }
        let left = document.apply(splices);
        let is_empty = is_empty(&left, *shape)?;
        let left = format!("{mark}{left}");
        Ok(if is_empty { Edited::Emptied(left) } else { Edited::Changed(left) })
    }

    /// phaser's hooks in `text`.
    pub fn survey(&self, text: &str) -> Result<Vec<OwnHook>, SettingsError> {
        let Holds::Settings { shape, .. } = &self.holds else {
            let event = self.path.rsplit('/').next().unwrap_or_default().to_owned();
            let own = OwnHook { event, matcher: None, command: String::new(), on_failure: None };
            return Ok(if text.contains(OWN_MARK) { vec![own] } else { Vec::new() });
        };
        let (_, json) = split(text);
        let document = JsonDocument::parse(json)?;
        Ok(read(&document, *shape)?.own())
    }
}

/// Installs a file that is phaser's as a whole, unless another file is in its place.
fn whole_file(text: &str, whole: &str, existing: IfInstalled) -> Edited {
    if text == whole {
        return Edited::Unchanged;
    }
    let is_free = text.trim().is_empty() || text.contains(OWN_MARK);
    match (is_free, existing) {
        (true, _) | (false, IfInstalled::Replace) => Edited::Changed(whole.to_owned()),
        (false, IfInstalled::Keep | IfInstalled::Upgrade) => Edited::Differs(Vec::new()),
    }
}

/// The hooks in a settings file. Entries of unknown shape are not phaser's.
fn read<'d>(document: &'d JsonDocument<'d>, shape: FileShape) -> Result<HookSettings<'d>, SettingsError> {
    let root = document.root();
    let container = if shape == FileShape::TopLevel { Some(root) } else { root.get("hooks") };
    let lists = match container {
        Some(hooks) => hooks.properties().ok_or_else(|| hooks.error("'hooks' should be an object"))?,
        None => Vec::new(),
    };
    let mut events = Vec::new();
    for (name, node) in lists {
        match node.elements() {
            Some(entries) => {
                let groups = entries.into_iter().map(|entry| group(entry, shape)).collect();
                events.push(EventHooks { name, node, groups });
            }
            // Top-level keys that are not events may have any value.
            None if shape == FileShape::TopLevel => {}
            None => return Err(node.error(format!("'{name}' should be an array"))),
        }
    }
    Ok(HookSettings { document, container, events })
}

/// An entry in the list of an event: a group of hooks, or one hook.
fn group(node: JsonNode<'_>, shape: FileShape) -> Group<'_> {
    let list = node.get("hooks").unwrap_or(node);
    let handlers = match shape {
        FileShape::Flat | FileShape::Unversioned => vec![node],
        _ => node.get("hooks").and_then(JsonNode::elements).unwrap_or_default(),
    };
    let matcher = node.get("matcher").and_then(JsonNode::as_str);
    Group { node, matcher, list, own: handlers.into_iter().map(own_handler).collect() }
}

/// The hook, if it is phaser's.
fn own_handler(handler: JsonNode<'_>) -> Option<Handler<'_>> {
    let commands = ["command", "bash"].into_iter().filter_map(|key| handler.get(key));
    let command = commands.filter_map(JsonNode::as_str).find(|text| command::is_own(text))?;
    Some(Handler { command, on_failure: None })
}

/// `json` with the `version` that a file without hooks needs.
fn with_version(json: &str, shape: FileShape) -> Result<String, SettingsError> {
    let document = JsonDocument::parse(json)?;
    let has = |key: &str| document.root().get(key).is_some();
    Ok(match shape.version().filter(|_| !has("hooks") && !has("version")) {
        Some(version) => document.apply(vec![document.root().insert(&Child::Property("version", version))]),
        None => json.to_owned(),
    })
}

/// Whether only the `version` that phaser writes is left.
fn is_empty(json: &str, shape: FileShape) -> Result<bool, SettingsError> {
    let document = JsonDocument::parse(json)?;
    let keys = document.root().properties().unwrap_or_default();
    Ok(keys
        .iter()
        .all(|(name, node)| shape.version().is_some() && *name == "version" && node.to_value() == 1))
}

#[cfg(test)]
mod tests;
