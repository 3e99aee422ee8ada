//! The configuration of other agents than Claude Code, as far as phaser's own hooks are concerned: which files, and what
//! becomes of their text. Text in, text out; nothing but phaser's own entries is ever touched.
//!
//! The command is the same for ever, because a client may have it confirmed by a person whenever it changes.

use serde_json::json;

use super::command::{framed, framed_to_refuse};
use super::document::{Child, Document, Node, Splice};
use super::{Edited, IfInstalled, OwnHook, SettingsError, command, split};
use crate::agents::Client;

mod table;

pub use table::{Base, Home, homes};
use table::{EVENTS_OF_CLINE, Shape, Wanted};

/// A file that holds phaser's hooks for a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookFile {
    /// Where it lies, from the directory of its [`Base`].
    pub path: String,
    /// Does the client execute it?
    pub is_program: bool,
    /// What it holds.
    holds: Holds,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Holds {
    /// Settings in JSON, other people's among them.
    Settings { client: Client, shape: Shape },
    /// A whole file of phaser's.
    Whole(String),
}

/// The line that says that a whole file is phaser's.
const OWN: &str = "written by 'phaser enforce install --agent ";

/// The files of a client at this place.
pub fn files(home: &Home) -> Vec<HookFile> {
    let settings = |shape| {
        let holds = Holds::Settings { client: home.client, shape };
        vec![HookFile { path: home.path.to_owned(), is_program: false, holds }]
    };
    match home.shape {
        Shape::Plugin => {
            let holds = Holds::Whole(include_str!("agents/opencode.js").to_owned());
            vec![HookFile { path: home.path.to_owned(), is_program: false, holds }]
        }
        Shape::Programs => EVENTS_OF_CLINE
            .iter()
            .map(|event| {
                let text = format!("#!/bin/sh\n# {OWN}cline'\n{}\n", command_of(home.client));
                let path = format!("{}/{event}", home.path);
                HookFile { path, is_program: true, holds: Holds::Whole(text) }
            })
            .collect(),
        shape => settings(shape),
    }
}

/// The command of every hook. The events of Visual Studio Code come from the same file as Copilot's.
pub fn command_of(client: Client) -> String {
    let agent = match client {
        Client::Copilot | Client::VsCode => String::new(),
        client => format!(" --agent {}", client.name()),
    };
    let command = format!("phaser enforce --stdin --guard{agent}");
    match client {
        Client::Windsurf => framed_to_refuse(&command),
        _ => framed(&command),
    }
}

impl HookFile {
    /// Puts phaser's hooks into `text`, which may be empty.
    pub fn install(&self, text: &str, existing: IfInstalled) -> Result<Edited, SettingsError> {
        match &self.holds {
            Holds::Whole(whole) => Ok(whole_file(text, whole, existing)),
            Holds::Settings { client, shape } => {
                let (mark, json) = split(text);
                let mut new = json.to_owned();
                let mut differing = Vec::new();
                for wanted in Wanted::of(*client) {
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

    /// Takes every hook of phaser's out of `text`, and what is left empty by that.
    pub fn uninstall(&self, text: &str) -> Result<Edited, SettingsError> {
        let Holds::Settings { shape, .. } = &self.holds else {
            return Ok(if text.contains(OWN) { Edited::Emptied(String::new()) } else { Edited::Unchanged });
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

    /// The hooks of phaser's in `text`.
    pub fn survey(&self, text: &str) -> Result<Vec<OwnHook>, SettingsError> {
        let Holds::Settings { shape, .. } = &self.holds else {
            let event = self.path.rsplit('/').next().unwrap_or_default().to_owned();
            let own = OwnHook { event, matcher: None, command: String::new(), on_failure: None };
            return Ok(if text.contains(OWN) { vec![own] } else { Vec::new() });
        };
        let (_, json) = split(text);
        let document = Document::parse(json)?;
        let mut found = Vec::new();
        for (event, list) in events(&document, *shape)? {
            for entry in list.elements().unwrap_or_default() {
                let matcher = entry.get("matcher").and_then(Node::as_str).map(str::to_owned);
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

/// A file that is phaser's or somebody else's, as a whole.
fn whole_file(text: &str, whole: &str, existing: IfInstalled) -> Edited {
    if text == whole {
        return Edited::Unchanged;
    }
    let is_free = text.trim().is_empty() || text.contains(OWN);
    match (is_free, existing) {
        (true, _) | (false, IfInstalled::Replace) => Edited::Changed(whole.to_owned()),
        (false, IfInstalled::Keep | IfInstalled::Upgrade) => Edited::Differs(Vec::new()),
    }
}

/// The lists of hooks by their events.
fn events<'d>(document: &'d Document<'d>, shape: Shape) -> Result<Vec<(&'d str, Node<'d>)>, SettingsError> {
    let Some(container) = container(document, shape) else { return Ok(Vec::new()) };
    let lists = container.properties().ok_or_else(|| container.error("'hooks' should be an object"))?;
    match lists.iter().find(|(_, list)| list.elements().is_none()) {
        // Where events stand beside other things, those are not lists.
        Some((name, list)) if shape != Shape::TopLevel => {
            Err(list.error(format!("'{name}' should be an array")))
        }
        _ => Ok(lists.into_iter().filter(|(_, list)| list.elements().is_some()).collect()),
    }
}

/// The object that holds the events.
fn container<'d>(document: &'d Document<'d>, shape: Shape) -> Option<Node<'d>> {
    match shape {
        Shape::TopLevel => Some(document.root()),
        _ => document.root().get("hooks"),
    }
}

/// The commands of an entry: each one, if it is phaser's own.
fn own_commands<'d>(entry: Node<'d>, shape: Shape) -> Vec<Option<&'d str>> {
    let own = |handler: Node<'d>| {
        let commands = ["command", "bash"].into_iter().filter_map(|key| handler.get(key));
        commands.filter_map(Node::as_str).find(|text| command::is_own(text))
    };
    match shape {
        Shape::Flat | Shape::Unversioned => vec![own(entry)],
        _ => entry.get("hooks").and_then(Node::elements).unwrap_or_default().into_iter().map(own).collect(),
    }
}

fn install_at(
    json: &str,
    shape: Shape,
    wanted: &Wanted,
    existing: IfInstalled,
) -> Result<Edited, SettingsError> {
    let document = Document::parse(json)?;
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
                    // One after the other: both go to the end.
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
    let own: Vec<Node<'_>> =
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
            // Without its own ones there is none in the way.
            let mut less = json.to_owned();
            while let Some(without) = removal_at(&less, shape, Some(wanted.event))? {
                less = without;
            }
            install_at(&less, shape, wanted, existing)
        }
    }
}

/// The text without one of phaser's own hooks, or without something that is empty for want of them; `None` when there is
/// nothing left to take out.
fn removal(json: &str, shape: Shape) -> Result<Option<String>, SettingsError> {
    removal_at(json, shape, None)
}

fn removal_at(json: &str, shape: Shape, only: Option<&str>) -> Result<Option<String>, SettingsError> {
    let document = Document::parse(json)?;
    let lists = events(&document, shape)?;
    for (name, list) in lists.iter().filter(|(name, _)| only.is_none_or(|only| only == *name)) {
        for (at, entry) in list.elements().unwrap_or_default().into_iter().enumerate() {
            let gone: Vec<bool> = own_commands(entry, shape).iter().map(Option::is_some).collect();
            if !gone.contains(&true) {
                continue;
            }
            let splices = match entry.get("hooks").filter(|_| gone.contains(&false)) {
                Some(handlers) => handlers.remove(&gone),
                None => without(&document, shape, *list, Entry { event: name, at }),
            };
            return Ok(Some(document.apply(splices)));
        }
    }
    Ok(None)
}

/// Which entry of an event's list.
struct Entry<'n> {
    event: &'n str,
    at: usize,
}

/// Takes an entry out of a list, with everything around it that has nothing else in it.
fn without<'d>(document: &'d Document<'d>, shape: Shape, list: Node<'d>, entry: Entry<'_>) -> Vec<Splice> {
    let entries = list.elements().unwrap_or_default().len();
    if entries > 1 {
        return list.remove(&(0..entries).map(|at| at == entry.at).collect::<Vec<_>>());
    }
    let Some(container) = container(document, shape) else { return Vec::new() };
    let events = container.properties().unwrap_or_default();
    if events.len() > 1 || shape == Shape::TopLevel {
        return container.remove(&events.iter().map(|(name, _)| *name == entry.event).collect::<Vec<_>>());
    }
    let keys = document.root().properties().unwrap_or_default();
    document.root().remove(&keys.iter().map(|(name, _)| *name == "hooks").collect::<Vec<_>>())
}

/// Is nothing left but what phaser puts into an empty file?
fn is_empty(json: &str, shape: Shape) -> Result<bool, SettingsError> {
    let document = Document::parse(json)?;
    let keys = document.root().properties().unwrap_or_default();
    Ok(keys
        .iter()
        .all(|(name, node)| shape.version().is_some() && *name == "version" && node.to_value() == 1))
}

#[cfg(test)]
mod tests;
