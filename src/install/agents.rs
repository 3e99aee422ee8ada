//! Installs phaser's hooks for agents other than Claude Code: text in, text out. Only phaser's own entries are touched.
//!
//! The command never changes between versions, because some agents ask the user to confirm a changed command.

use serde_json::json;

use super::command::{framed, framed_to_deny};
use super::document::{Child, JsonDocument, JsonNode, Splice};
use super::{Edited, IfInstalled, OwnHook, SettingsError, command, split};
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
    let settings = |shape| {
        let holds = Holds::Settings { agent: home.agent, shape };
        vec![HookFile { path: home.path.to_owned(), is_program: false, holds }]
    };
    match home.shape {
        FileShape::Plugin => {
            let holds = Holds::Whole(include_str!("agents/opencode.js").to_owned());
            vec![HookFile { path: home.path.to_owned(), is_program: false, holds }]
        }
        FileShape::Programs => EVENTS_OF_CLINE
            .iter()
            .map(|event| {
                let text = format!("#!/bin/sh\n# {OWN_MARK}cline'\n{}\n", command_of(home.agent));
                let path = format!("{}/{event}", home.path);
                HookFile { path, is_program: true, holds: Holds::Whole(text) }
            })
            .collect(),
        shape => settings(shape),
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
                let (mark, json) = split(text);
                let mut new = json.to_owned();
                let mut differing = Vec::new();
                for wanted in WantedHook::of(*agent) {
                    match install_at(&new, *shape, &wanted, existing)? {
                        Edited::Changed(text) | Edited::Emptied(text) => new = text,
                        Edited::Differs(hooks) => differing.extend(hooks),
                        Edited::Unchanged => {}
                    }
                }
                match differing.as_slice() {
                    [] if new == json => Ok(Edited::Unchanged),
                    [] => Ok(Edited::Changed(format!("{mark}{new}"))),
                    _ => Ok(Edited::Differs(differing)),
                }
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
        let mut left = json.to_owned();
        while let Some(less) = removal(&left, *shape)? {
            left = less;
        }
        if left == json {
            return Ok(Edited::Unchanged);
        }
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
        let mut found = Vec::new();
        for (event, list) in events(&document, *shape)? {
            for entry in list.elements().unwrap_or_default() {
                let matcher = entry.get("matcher").and_then(JsonNode::as_str).map(str::to_owned);
                let hook = |command: &str| OwnHook {
                    event: event.to_owned(),
                    matcher: matcher.clone(),
                    command: command.to_owned(),
                    on_failure: None,
                };
                found.extend(own_commands(entry, *shape).into_iter().flatten().map(hook));
            }
        }
        Ok(found)
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

/// The lists of hooks by event.
fn events<'d>(
    document: &'d JsonDocument<'d>,
    shape: FileShape,
) -> Result<Vec<(&'d str, JsonNode<'d>)>, SettingsError> {
    let Some(container) = container(document, shape) else { return Ok(Vec::new()) };
    let lists = container.properties().ok_or_else(|| container.error("'hooks' should be an object"))?;
    match lists.iter().find(|(_, list)| list.elements().is_none()) {
        // Top-level keys that are not events may have any value.
        Some((name, list)) if shape != FileShape::TopLevel => {
            Err(list.error(format!("'{name}' should be an array")))
        }
        _ => Ok(lists.into_iter().filter(|(_, list)| list.elements().is_some()).collect()),
    }
}

/// The object with the events.
fn container<'d>(document: &'d JsonDocument<'d>, shape: FileShape) -> Option<JsonNode<'d>> {
    match shape {
        FileShape::TopLevel => Some(document.root()),
        _ => document.root().get("hooks"),
    }
}

/// The commands of an entry; `None` for a command that is not phaser's.
fn own_commands<'d>(entry: JsonNode<'d>, shape: FileShape) -> Vec<Option<&'d str>> {
    let own = |handler: JsonNode<'d>| {
        let commands = ["command", "bash"].into_iter().filter_map(|key| handler.get(key));
        commands.filter_map(JsonNode::as_str).find(|text| command::is_own(text))
    };
    match shape {
        FileShape::Flat | FileShape::Unversioned => vec![own(entry)],
        _ => {
            entry.get("hooks").and_then(JsonNode::elements).unwrap_or_default().into_iter().map(own).collect()
        }
    }
}

fn install_at(
    json: &str,
    shape: FileShape,
    wanted: &WantedHook,
    existing: IfInstalled,
) -> Result<Edited, SettingsError> {
    let document = JsonDocument::parse(json)?;
    let changed = |splices| Ok(Edited::Changed(document.apply(splices)));
    let lists = events(&document, shape)?;
    let Some((_, list)) = lists.iter().find(|(name, _)| *name == wanted.event) else {
        let first = json!([wanted.entry]);
        let splice = match container(&document, shape) {
            Some(container) => container.insert(&Child::Property(wanted.event, first)),
            None => {
                let hooks = json!({ wanted.event: first });
                let hooks = document.root().insert(&Child::Property("hooks", hooks));
                return match shape.version().filter(|_| document.root().get("version").is_none()) {
                    // Two steps, because both are appended.
                    Some(version) => {
                        let versioned = document
                            .apply(vec![document.root().insert(&Child::Property("version", version))]);
                        install_at(&versioned, shape, wanted, existing)
                    }
                    None => changed(vec![hooks]),
                };
            }
        };
        return changed(vec![splice]);
    };
    let entries = list.elements().unwrap_or_default();
    let own: Vec<JsonNode<'_>> =
        entries.into_iter().filter(|entry| own_commands(*entry, shape).iter().any(Option::is_some)).collect();
    match (own.as_slice(), existing) {
        ([], _) => changed(vec![list.insert(&Child::Element(wanted.entry.clone()))]),
        ([entry], _) if entry.to_value() == wanted.entry => Ok(Edited::Unchanged),
        (own, IfInstalled::Keep | IfInstalled::Upgrade) => {
            let commands = own.iter().flat_map(|entry| own_commands(*entry, shape)).flatten();
            let hook = |command: &str| OwnHook {
                event: wanted.event.to_owned(),
                matcher: None,
                command: command.to_owned(),
                on_failure: None,
            };
            Ok(Edited::Differs(commands.map(hook).collect()))
        }
        (_, IfInstalled::Replace) => {
            // Remove phaser's hooks, then install.
            let mut less = json.to_owned();
            while let Some(without) = removal_at(&less, shape, Some(wanted.event))? {
                less = without;
            }
            install_at(&less, shape, wanted, existing)
        }
    }
}

/// The text without one of phaser's entries; `None` if there are none.
fn removal(json: &str, shape: FileShape) -> Result<Option<String>, SettingsError> {
    removal_at(json, shape, None)
}

fn removal_at(json: &str, shape: FileShape, only: Option<&str>) -> Result<Option<String>, SettingsError> {
    let document = JsonDocument::parse(json)?;
    let lists = events(&document, shape)?;
    for (name, list) in lists.iter().filter(|(name, _)| only.is_none_or(|only| only == *name)) {
        for (at, entry) in list.elements().unwrap_or_default().into_iter().enumerate() {
            let gone: Vec<bool> = own_commands(entry, shape).iter().map(Option::is_some).collect();
            if !gone.contains(&true) {
                continue;
            }
            let splices = match entry.get("hooks").filter(|_| gone.contains(&false)) {
                Some(handlers) => handlers.remove(&gone),
                None => without(&document, shape, *list, EntryPosition { event: name, at }),
            };
            return Ok(Some(document.apply(splices)));
        }
    }
    Ok(None)
}

/// The position of an entry.
struct EntryPosition<'n> {
    event: &'n str,
    at: usize,
}

/// Removes an entry, and the containers that become empty.
fn without<'d>(
    document: &'d JsonDocument<'d>,
    shape: FileShape,
    list: JsonNode<'d>,
    entry: EntryPosition<'_>,
) -> Vec<Splice> {
    let entries = list.elements().unwrap_or_default().len();
    if entries > 1 {
        return list.remove(&(0..entries).map(|at| at == entry.at).collect::<Vec<_>>());
    }
    let Some(container) = container(document, shape) else { return Vec::new() };
    let events = container.properties().unwrap_or_default();
    if events.len() > 1 || shape == FileShape::TopLevel {
        return container.remove(&events.iter().map(|(name, _)| *name == entry.event).collect::<Vec<_>>());
    }
    let keys = document.root().properties().unwrap_or_default();
    document.root().remove(&keys.iter().map(|(name, _)| *name == "hooks").collect::<Vec<_>>())
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
