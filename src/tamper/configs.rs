//! Configurations before and after: what is excluded, and what becomes of old violations, ignore directives and edits that
//! weaken something. What they say about contracts shows in the contracts.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::globs::{self, Globs};
use super::{States, quoted};
use phaser_core::contract::scope::OverrideValues;
use phaser_core::contract::selector::Selector;
use phaser_core::contract::{Contract, Severity};
use phaser_core::sanitize::printable;
use phaser_project::config::{Config, Existing, Placed};
use phaser_project::contracts::layers::Override;
use phaser_project::path::{CONFIG, RelPath};
use phaser_project::project::load::Loaded;

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

/// Overrides that may weaken contracts of directories that were not looked into: those that are new and lower something,
/// and those that are gone and raised something. What they do to the contracts that were loaded shows there.
pub(super) fn overrides(states: &States) -> Vec<String> {
    let mut found = Vec::new();
    for (placed, one) in overrides_of(&states.after) {
        let earlier = overrides_of(&states.before).filter(|(before, _)| before.base == placed.base);
        if lowers(&one.case.change) && !earlier.into_iter().any(|(_, old)| says_as_much(old, one)) {
            found.push(format!("an override lowers contracts, {} ({})", named(one), file(&placed.base)));
        }
    }
    for (placed, one) in overrides_of(&states.before) {
        let mut later = overrides_of(&states.after).filter(|(after, _)| after.base == placed.base);
        let is_meant = |contract: &Contract| one.contracts.iter().any(|selector| selector.selects(contract));
        if raises(&one.case.change)
            && !later.any(|(_, new)| new == one)
            && !states.before.layers.contracts.iter().any(is_meant)
        {
            found.push(format!(
                "an override that raised contracts is gone, {} ({})",
                named(one),
                file(&placed.base)
            ));
        }
    }
    found
}

fn overrides_of(loaded: &Loaded) -> impl Iterator<Item = (&Placed, &Override)> {
    loaded.configs.iter().flat_map(|placed| placed.config.overrides.iter().map(move |one| (placed, one)))
}

fn lowers(change: &OverrideValues) -> bool {
    change.enabled == Some(false) || change.severity == Some(Severity::Warning)
}

fn raises(change: &OverrideValues) -> bool {
    change.enabled == Some(true) || change.severity == Some(Severity::Error)
}

/// Does an override change the same, and at least for the same contracts and files?
fn says_as_much(old: &Override, new: &Override) -> bool {
    old.case.change == new.case.change
        && new.contracts.iter().all(|selector| old.contracts.contains(selector))
        && (old.case.files.globs.is_empty() || old.case.files == new.case.files)
}

fn named(one: &Override) -> String {
    let selectors: Vec<&str> = one.contracts.iter().map(Selector::as_str).collect();
    quoted(&selectors.join(", "))
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
