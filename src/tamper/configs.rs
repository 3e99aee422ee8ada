//! Configurations before and after a change: `exclude`, `existing`, `ignores` and `protect`. The effect of `packs`, `contracts`
//! and `overrides` shows in the loaded contracts.

use std::collections::BTreeSet;
use std::path::Path;

use super::globs::{self, Globs};
use super::{States, quoted};
use phaser_core::contract::scope::OverrideValues;
use phaser_core::contract::selector::Selector;
use phaser_core::contract::{Contract, Severity, Warning};
use phaser_core::sanitize::printable;
use phaser_project::config::{Config, DirectoryConfig, Existing};
use phaser_project::contracts::layers::Override;
use phaser_project::path::{CONFIG, RelPath, TOP_CONFIG};
use phaser_project::project::load::Loaded;

/// One sentence per weakening.
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

fn configs(states: &States) -> impl Iterator<Item = &DirectoryConfig> {
    states.before.configs.iter().chain(&states.after.configs)
}

fn of<'l>(loaded: &'l Loaded, base: &RelPath) -> Option<&'l DirectoryConfig> {
    loaded.configs.iter().find(|placed| placed.base == *base)
}

fn file(placed: &DirectoryConfig) -> String {
    printable(&placed.file.display().to_string())
}

/// The file of the configuration with this base, before or after.
fn file_at(states: &States, base: &RelPath) -> String {
    of(&states.after, base).or_else(|| of(&states.before, base)).map(file).unwrap_or_default()
}

/// Configurations that were valid and are broken now.
fn broken(states: &States) -> impl Iterator<Item = String> {
    let gone = states.before.configs.iter().filter(|placed| of(&states.after, &placed.base).is_none());
    gone.filter_map(|placed| {
        let files = [CONFIG, TOP_CONFIG].map(|name| placed.base.join(name).to_text().into_owned());
        let is_about = |mistake: &&Warning| files.iter().any(|file| mistake.file == Path::new(file));
        let mistake = states.after.mistakes.iter().find(is_about)?;
        Some(format!("the configuration does not count any more: {}", printable(&mistake.to_string())))
    })
}

/// Newly excluded files.
fn excluded(states: &States, placed: &DirectoryConfig) -> Vec<String> {
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
    let sentence = |glob: Globs| {
        format!("{} is excluded from all contracts about content ({})", quoted(glob.text), file(placed))
    };
    all.filter(is_new).map(sentence).collect()
}

/// Overrides that may weaken contracts of directories that were not loaded: added ones that lower contracts, and removed ones
/// that raised them. Their effect on loaded contracts shows in those.
pub(super) fn overrides(states: &States) -> Vec<String> {
    let mut found = Vec::new();
    for (placed, one) in overrides_of(&states.after) {
        let earlier = overrides_of(&states.before).filter(|(before, _)| before.base == placed.base);
        if lowers(&one.case.change) && !earlier.into_iter().any(|(_, old)| covers_override(old, one)) {
            found.push(format!("an override lowers contracts, {} ({})", named(one), file(placed)));
        }
    }
    for (placed, one) in overrides_of(&states.before) {
        let mut later = overrides_of(&states.after).filter(|(after, _)| after.base == placed.base);
        let is_meant = |contract: &Contract| one.contracts.iter().any(|selector| selector.selects(contract));
        if raises(&one.case.change)
            && !later.any(|(_, new)| new == one)
            && !states.before.contracts.iter().any(is_meant)
        {
            found.push(format!(
                "an override that raised contracts is gone, {} ({})",
                named(one),
                file(placed)
            ));
        }
    }
    found
}

fn overrides_of(loaded: &Loaded) -> impl Iterator<Item = (&DirectoryConfig, &Override)> {
    loaded.configs.iter().flat_map(|placed| placed.config.overrides.iter().map(move |one| (placed, one)))
}

fn lowers(change: &OverrideValues) -> bool {
    change.enabled == Some(false) || change.severity == Some(Severity::Warning)
}

fn raises(change: &OverrideValues) -> bool {
    change.enabled == Some(true) || change.severity == Some(Severity::Error)
}

/// Whether `old` makes the same change as `new` for at least the same contracts and files.
fn covers_override(old: &Override, new: &Override) -> bool {
    old.case.change == new.case.change
        && new.contracts.iter().all(|selector| old.contracts.contains(selector))
        && (old.case.files.globs.is_empty() || old.case.files == new.case.files)
}

fn named(one: &Override) -> String {
    let selectors: Vec<&str> = one.contracts.iter().map(Selector::as_str).collect();
    quoted(&selectors.join(", "))
}

/// Policies of a directory that are less strict than before.
fn lowered(states: &States, base: &RelPath) -> Vec<String> {
    let is_set = |key: fn(&Config) -> bool| {
        [&states.before, &states.after]
            .iter()
            .any(|loaded| of(loaded, base).is_some_and(|it| key(&it.config)))
    };
    let mut found = Vec::new();
    let existing = |loaded: &Loaded| loaded.existing_by_file().at(base);
    if is_set(|config| config.existing.is_some())
        && (existing(&states.before), existing(&states.after)) == (Existing::Deny, Existing::Report)
    {
        found.push(format!(
            "old violations do not count any more ('existing: report' in {})",
            file_at(states, base)
        ));
    }
    let ignores = |loaded: &Loaded| loaded.ignores().at(base);
    let protect = |loaded: &Loaded| loaded.protect().at(base);
    for (key, is_set, [before, after]) in [
        ("ignores", is_set(|config| config.ignores.is_some()), [&states.before, &states.after].map(ignores)),
        ("protect", is_set(|config| config.protect.is_some()), [&states.before, &states.after].map(protect)),
    ] {
        if is_set && after < before {
            let (before, after) = (before.as_str(), after.as_str());
            found.push(format!("'{key}' is '{after}', and was '{before}' ({})", file_at(states, base)));
        }
    }
    found
}
