//! Parses a configuration. Reports every mistake, with its line.

use std::path::{Path, PathBuf};

use super::keys::{ALL_PACKS, IN_OVERRIDE, KEYS, POLICIES};
use super::{Config, Existing, Fixes, NamedDirectory, Policy, Repeated};
use crate::contracts::layers::Override;
use crate::packs::{self, PACKS, Pack};
use phaser_core::contract::keys::doubtful_glob;
use phaser_core::contract::scope::{FileOverride, FileSet, OverrideValues};
use phaser_core::contract::selector::Selector;
use phaser_core::contract::syntax::{YamlNode, YamlNodeValue, node};
use phaser_core::contract::{Severity, Warning};
use phaser_core::sanitize::printable;
use phaser_core::suggest::nearest;
use phaser_glob::Glob;

/// Parses a configuration, or returns all mistakes in it.
pub fn config(yaml: &str, file: &Path) -> Result<Config, Vec<Warning>> {
    let mut reader = ConfigReader { file, mistakes: Vec::new() };
    let mut config = Config::default();
    match node(yaml) {
        Err((line, what)) => reader.wrong(line, what),
        Ok(YamlNode { value: YamlNodeValue::Nothing, .. }) => {}
        Ok(YamlNode { value: YamlNodeValue::Mapping(entries), .. }) => {
            for (key, value) in &entries {
                reader.entry(key, value, &mut config);
            }
        }
        Ok(YamlNode { line, .. }) => {
            let what = "not a configuration (write one 'key: value' a line, for instance 'packs: [secrets]')";
            reader.wrong(line, what);
        }
    }
    if reader.mistakes.is_empty() { Ok(config) } else { Err(reader.mistakes) }
}

/// Parses values, and collects mistakes.
pub struct ConfigReader<'a> {
    file: &'a Path,
    mistakes: Vec<Warning>,
}

impl ConfigReader<'_> {
    fn wrong(&mut self, line: usize, what: impl Into<String>) {
        self.mistakes.push(Warning::at(self.file, line, what));
    }

    fn entry(&mut self, key: &YamlNode, value: &YamlNode, config: &mut Config) {
        let YamlNodeValue::Scalar(name) = &key.value else {
            return self.wrong(key.line, "a list or a mapping, where a key is expected");
        };
        if let Some(known) = KEYS.iter().find(|known| known.name == *name) {
            if value.value != YamlNodeValue::Nothing {
                (known.set)(self, value, config);
            }
            return;
        }
        let lower = name.to_ascii_lowercase().replace('-', "_");
        let meant = KEYS.iter().find(|key| key.name == lower || key.mistaken_for.contains(&&*lower));
        let names = KEYS.iter().map(|key| key.name);
        let meant = meant.map(|key| key.name).or_else(|| nearest(name, names));
        self.unknown_key(key.line, name, meant, &KEYS.each_ref().map(|key| key.name));
    }

    fn unknown_key(&mut self, line: usize, name: &str, meant: Option<&str>, names: &[&str]) {
        let hint = match meant {
            Some(meant) => format!("did you mean '{meant}'?"),
            None => format!("remove it; the keys are {}", names.join(", ")),
        };
        self.wrong(line, format!("unknown key '{}' ({hint})", printable(name)));
    }

    /// A string or a list of strings, with their lines.
    fn texts<'n>(&mut self, node: &'n YamlNode, key: &str) -> Vec<(&'n str, usize)> {
        let list = match &node.value {
            YamlNodeValue::List(list) => list.as_slice(),
            _ => std::slice::from_ref(node),
        };
        let mut texts = Vec::new();
        for one in list {
            match &one.value {
                YamlNodeValue::Scalar(text) if !text.trim().is_empty() => {
                    texts.push((text.as_str(), one.line))
                }
                _ => self.wrong(one.line, format!("'{key}' takes a text, or a list of texts")),
            }
        }
        texts
    }

    /// One of `words`.
    fn word<'w>(&mut self, node: &YamlNode, key: &str, words: &[&'w str]) -> Option<&'w str> {
        let YamlNodeValue::Scalar(text) = &node.value else {
            let what = format!("'{key}' takes one word (use one of {})", words.join(", "));
            self.wrong(node.line, what);
            return None;
        };
        // YAML 1.1 and 1.2 differ in which of these are booleans.
        let spelled = match text.as_str() {
            "no" | "false" | "False" | "FALSE" | "No" | "NO" | "Off" | "OFF" => "off",
            "yes" | "true" | "True" | "TRUE" | "Yes" | "YES" | "On" | "ON" => "on",
            text => text,
        };
        let found = words.iter().copied().find(|word| *word == spelled);
        if found.is_none() {
            let hint = match nearest(text, words.iter().copied()) {
                Some(meant) => format!("did you mean '{meant}'?"),
                None => format!("use one of {}", words.join(", ")),
            };
            self.wrong(node.line, format!("'{key}: {}' is not known ({hint})", printable(text)));
        }
        found
    }

    pub fn packs(&mut self, node: &YamlNode) -> Vec<&'static Pack> {
        let mut packs: Vec<&'static Pack> = Vec::new();
        for (name, line) in self.texts(node, "packs") {
            match packs::find(name) {
                Some(pack) => packs.push(pack),
                None if name == ALL_PACKS => packs.extend(PACKS),
                None => {
                    let names: Vec<_> = PACKS.iter().map(|pack| pack.name).chain([ALL_PACKS]).collect();
                    let hint = match nearest(name, names.iter().copied()) {
                        Some(meant) => format!("did you mean '{meant}'?"),
                        None => format!("the packs are {}", names.join(", ")),
                    };
                    self.wrong(line, format!("no pack is called '{}' ({hint})", printable(name)));
                }
            }
        }
        packs
    }

    pub fn directories(&mut self, node: &YamlNode) -> Vec<NamedDirectory> {
        let texts = self.texts(node, "contracts");
        texts.into_iter().map(|(path, line)| NamedDirectory { path: PathBuf::from(path), line }).collect()
    }

    pub fn globs(&mut self, node: &YamlNode, key: &str) -> Vec<Glob> {
        let mut globs = Vec::new();
        for (text, line) in self.texts(node, key) {
            match (doubtful_glob::doubt(key, text), Glob::new(text)) {
                (Some(doubt), _) => self.wrong(line, doubt),
                (None, Ok(glob)) => globs.push(glob),
                (None, Err(error)) => {
                    self.wrong(line, format!("'{key}' is not valid: {}", printable(&error.to_string())));
                }
            }
        }
        globs
    }

    pub fn overrides(&mut self, node: &YamlNode) -> Vec<Override> {
        let YamlNodeValue::List(list) = &node.value else {
            let what = "'overrides' takes a list (write '- contracts: …' on a line of its own for each)";
            self.wrong(node.line, what);
            return Vec::new();
        };
        list.iter().filter_map(|one| self.one_override(one)).collect()
    }

    fn one_override(&mut self, node: &YamlNode) -> Option<Override> {
        let YamlNodeValue::Mapping(entries) = &node.value else {
            self.wrong(node.line, "an override needs 'contracts: …' and 'severity: …' or 'enabled: …'");
            return None;
        };
        let before = self.mistakes.len();
        let (mut contracts, mut files, mut change) =
            (Vec::new(), FileSet::default(), OverrideValues::default());
        let mut line = node.line;
        for (key, value) in entries {
            match &key.value {
                YamlNodeValue::Scalar(name) if name == "contracts" => {
                    line = key.line;
                    contracts = self.selectors(value);
                }
                YamlNodeValue::Scalar(name) if name == "files" => files.globs = self.globs(value, "files"),
                YamlNodeValue::Scalar(name) if name == "severity" => {
                    let words = [Severity::Error.as_str(), Severity::Warning.as_str()];
                    change.severity = self.word(value, "severity", &words).map(severity);
                }
                YamlNodeValue::Scalar(name) if name == "enabled" => {
                    change.enabled = self.word(value, "enabled", &["on", "off"]).map(|word| word == "on");
                }
                YamlNodeValue::Scalar(name) => {
                    let meant = nearest(name, IN_OVERRIDE);
                    self.unknown_key(key.line, name, meant, &IN_OVERRIDE);
                }
                _ => self.wrong(key.line, "a list or a mapping, where a key is expected"),
            }
        }
        if self.mistakes.len() > before {
            return None;
        }
        if contracts.is_empty() {
            self.wrong(node.line, "the override names no contracts (add 'contracts: [ID, …]')");
        } else if change == OverrideValues::default() {
            self.wrong(node.line, "the override changes nothing (add 'severity: …' or 'enabled: false')");
        }
        (self.mistakes.len() == before).then_some(Override {
            contracts,
            line,
            case: FileOverride { files, change },
        })
    }

    fn selectors(&mut self, node: &YamlNode) -> Vec<Selector> {
        let mut selectors = Vec::new();
        for (text, line) in self.texts(node, "contracts") {
            match Selector::new(text) {
                Ok(selector) => selectors.push(selector),
                Err(error) => self.wrong(line, format!("'contracts': {}", printable(&error.to_string()))),
            }
        }
        selectors
    }

    pub fn existing(&mut self, node: &YamlNode) -> Option<Existing> {
        self.word(node, "existing", &["deny", "report"]).map(|word| match word {
            "report" => Existing::Report,
            _ => Existing::Deny,
        })
    }

    pub fn policy(&mut self, node: &YamlNode, key: &str) -> Option<Policy> {
        self.word(node, key, &POLICIES).map(|word| match word {
            "report" => Policy::Report,
            "ask" => Policy::Ask,
            "deny" => Policy::Deny,
            _ => Policy::Allow,
        })
    }

    pub fn fixes(&mut self, node: &YamlNode) -> Option<Fixes> {
        self.word(node, "fixes", &["apply", "off"])
            .map(|word| if word == "apply" { Fixes::Apply } else { Fixes::Off })
    }

    pub fn repeated(&mut self, node: &YamlNode) -> Option<Repeated> {
        self.word(node, "repeated", &["deny", "ask"])
            .map(|word| if word == "ask" { Repeated::Ask } else { Repeated::Deny })
    }

    pub fn switch(&mut self, node: &YamlNode, key: &str) -> Option<bool> {
        self.word(node, key, &["on", "off"]).map(|word| word == "on")
    }
}

fn severity(word: &str) -> Severity {
    if word == Severity::Warning.as_str() { Severity::Warning } else { Severity::Error }
}
