//! Configurations before and after: what is excluded, and what becomes of old violations, ignore directives and edits that
//! weaken something. What they say about contracts shows in the contracts.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::globs::{self, Globs};
use super::{States, quoted};
use crate::config::{Config, Existing, Placed};
use crate::contract::printable;
use crate::path::{CONFIG, RelPath};
use crate::project::load::Loaded;

/// What is weaker, a sentence each.
pub(super) fn weaker(states: &States) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    found.extend(broken(states));
    for placed in &states.after.configs {
        found.extend(excluded(states, placed));
    }
    let bases: BTreeSet<&RelPath> = configs(states).map(|placed| &placed.base).collect();
    for base in bases {
        found.extend(lowered(states, base));
    }
    found
}

fn configs(states: &States) -> impl Iterator<Item = &Placed> {
    states.before.configs.iter().chain(&states.after.configs)
}

fn of<'l>(loaded: &'l Loaded, base: &RelPath) -> Option<&'l Placed> {
    loaded.configs.iter().find(|placed| placed.base == *base)
}

fn file(base: &RelPath) -> String {
    printable(&base.join(CONFIG).to_text())
}

/// Configurations that were valid and are not.
fn broken(states: &States) -> impl Iterator<Item = String> {
    let gone = states.before.configs.iter().filter(|placed| of(&states.after, &placed.base).is_none());
    gone.filter_map(|placed| {
        let file = PathBuf::from(placed.base.join(CONFIG).to_text().into_owned());
        let mistake = states.after.mistakes.iter().find(|mistake| mistake.file == file)?;
        Some(format!("the configuration does not count any more: {}", printable(&mistake.to_string())))
    })
}

/// Files that no contract looks at any more.
fn excluded(states: &States, placed: &Placed) -> Vec<String> {
    let before = || {
        states.before.configs.iter().flat_map(|placed| {
            placed.config.exclude.iter().map(|glob| Globs { base: &placed.base, text: glob.as_str() })
        })
    };
    let all = placed.config.exclude.iter().map(|glob| Globs { base: &placed.base, text: glob.as_str() });
    let is_new = |glob: &Globs| {
        let above = |old: &Globs| *old.base == placed.base || placed.base.below(old.base).is_some();
        !before().any(|old| above(&old) && globs::cover(&old, glob))
    };
    let said = |glob: Globs| {
        format!("no contract about content looks at {} any more ({})", quoted(glob.text), file(&placed.base))
    };
    all.filter(is_new).map(said).collect()
}

/// What a directory says that is less strict than what counted there.
fn lowered(states: &States, base: &RelPath) -> Vec<String> {
    let said = |key: fn(&Config) -> bool| {
        [&states.before, &states.after]
            .iter()
            .any(|loaded| of(loaded, base).is_some_and(|it| key(&it.config)))
    };
    let mut found = Vec::new();
    let existing = |loaded: &Loaded| loaded.existing_by_file().at(base);
    if said(|config| config.existing.is_some())
        && (existing(&states.before), existing(&states.after)) == (Existing::Deny, Existing::Report)
    {
        found.push(format!("old violations do not count any more ('existing: report' in {})", file(base)));
    }
    let (before, after) = (states.before.ignores().at(base), states.after.ignores().at(base));
    if said(|config| config.ignores.is_some()) && after < before {
        found.push(from_to("ignores", before.as_str(), after.as_str(), base));
    }
    let (before, after) = (states.before.protect().at(base), states.after.protect().at(base));
    if said(|config| config.protect.is_some()) && after < before {
        found.push(from_to("protect", before.as_str(), after.as_str(), base));
    }
    found
}

fn from_to(key: &str, before: &str, after: &str, base: &RelPath) -> String {
    format!("'{key}' is '{after}', and was '{before}' ({})", file(base))
}
