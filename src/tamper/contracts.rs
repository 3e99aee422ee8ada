//! Contracts before and after a change: which ones are gone, disabled, check less, or apply to fewer files.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::globs::{self, Globs};
use super::{States, overrides, patterns, quoted};
use phaser_core::check::{ForbidCommand, ValueCheck, ValueDemand};
use phaser_core::contract::{BlockDecision, Contract, LayerKind, Severity, Warning, WarningEffect, Zone};
use phaser_core::matcher;
use phaser_core::sanitize::printable;
use phaser_data::Scalar;
use phaser_project::contracts::layers::Layer;
use phaser_project::project::load::Loaded;

/// One sentence per weakening, sorted by contract id.
pub(super) fn weaker(states: &States) -> Vec<String> {
    let States { before, after } = states;
    let mut by_id: HashMap<&str, Vec<&Contract>> = HashMap::new();
    for contract in &after.contracts {
        by_id.entry(&contract.id).or_default().push(contract);
    }
    let mut found: Vec<(&str, String)> = Vec::new();
    let mut gone = Vec::new();
    for was in before.contracts.iter().filter(|was| counts(was)) {
        let same = by_id.get(was.id.as_str()).map(Vec::as_slice).unwrap_or_default();
        let Some(is) = successor(was, same) else {
            gone.push(was);
            continue;
        };
        let mut report = |what: String| found.push((&was.id, format!("contract {} {what}", was.id)));
        differences(was, is).into_iter().for_each(&mut report);
        for nested in same.iter().filter(|nested| takes_over(nested, was, is)) {
            let below = printable(&nested.scope.base.to_text());
            differences(was, nested).into_iter().for_each(|what| report(format!("{what} below {below}")));
        }
    }
    let mut sentences = unused_layers(states, &mut gone);
    let gone = gone.into_iter().filter(|was| matcher::broken(was).is_none());
    found.extend(gone.map(|was| (was.id.as_str(), is_gone(was, after))));
    found.sort();
    found.dedup();
    sentences.extend(found.into_iter().map(|(_, what)| what));
    sentences
}

/// Whether every command that meets the conditions of `old` meets those of `new`.
fn has_wider_conditions(old: &ForbidCommand, new: &ForbidCommand) -> bool {
    let is_wider = |old: &[String], new: &[String]| {
        new.is_empty() || (!old.is_empty() && old.iter().all(|one| new.contains(one)))
    };
    is_wider(&old.piped_to, &new.piped_to)
        && (new.operands.is_none() || new.operands == old.operands)
        && is_wider(&old.when_exists, &new.when_exists)
        && new.unless_exists.iter().all(|file| old.unless_exists.contains(file))
}

/// Whether it is enabled for any file.
fn counts(contract: &Contract) -> bool {
    contract.enabled || contract.scope.overrides().iter().any(|case| case.change.enabled == Some(true))
}

/// The contract that replaces `was`: the one of the same directory, or else of the nearest directory above it.
fn successor<'c>(was: &Contract, same: &[&'c Contract]) -> Option<&'c Contract> {
    let base = &was.scope.base;
    let covers = |is: &&&Contract| is.scope.base == *base || base.below(&is.scope.base).is_some();
    same.iter().filter(covers).max_by_key(|is| is.scope.base.as_bytes().len()).copied()
}

/// Whether `nested` newly shadows the contract below its directory.
fn takes_over(nested: &Contract, was: &Contract, is: &Contract) -> bool {
    let base = &nested.scope.base;
    base.below(&was.scope.base).is_some()
        && is.scope.nearer.contains(base)
        && !was.scope.nearer.contains(base)
}

fn is_gone(was: &Contract, after: &Loaded) -> String {
    let (id, file) = (&was.id, &was.origin.file);
    let is_broken =
        |warning: &&Warning| warning.file == *file && warning.effect == WarningEffect::ContractSkipped;
    let shown = printable(&file.display().to_string());
    match after.warnings.iter().find(is_broken) {
        Some(warning) => {
            let line = warning.line.map(|line| format!(":{line}")).unwrap_or_default();
            format!("contract {id} does not count any more: {shown}{line} is broken")
        }
        None => format!("contract {id} is gone; it was in {shown}"),
    }
}

/// One sentence per pack or contract directory that is no longer used. Removes their contracts from `gone`.
fn unused_layers(states: &States, gone: &mut Vec<&Contract>) -> Vec<String> {
    let is_used = |layer: &Layer| {
        let same = |other: &&Layer| match (layer.pack(), other.pack()) {
            (Some(one), Some(other)) => one.name == other.name,
            (None, None) => layer.directory().map(|one| &one.path) == other.directory().map(|one| &one.path),
            _ => false,
        };
        let covers = |other: &&Layer| other.base == layer.base || layer.base.below(&other.base).is_some();
        states.after.from.iter().filter(same).any(|other| covers(&other))
    };
    let unused: Vec<&Layer> = states.before.from.iter().filter(|layer| !is_used(layer)).collect();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    gone.retain(|was| {
        let from = unused.iter().find(|layer| layer.base == was.scope.base && is_from(was, layer));
        let Some(from) = from else { return true };
        let name = match (from.pack(), from.directory()) {
            (Some(pack), _) => format!("pack {}", pack.name),
            (None, Some(directory)) => {
                format!("directory {}", printable(&directory.shown.display().to_string()))
            }
            (None, None) => return true,
        };
        *counts.entry(name).or_default() += 1;
        false
    });
    let plural = |count: usize| if count == 1 { "contract" } else { "contracts" };
    let sentence = |(name, count): (String, usize)| {
        format!("{name} is not used any more, and with it go {count} {}", plural(count))
    };
    counts.into_iter().map(sentence).collect()
}

fn is_from(contract: &Contract, layer: &Layer) -> bool {
    let origin = &contract.origin;
    match (layer.pack(), layer.directory()) {
        (Some(pack), _) => {
            let prefix = format!("pack:{}/", pack.name);
            origin.layer == LayerKind::Pack && origin.file.to_string_lossy().starts_with(&prefix)
        }
        (None, Some(directory)) => {
            origin.layer == LayerKind::Configured && origin.file.starts_with(&directory.shown)
        }
        (None, None) => false,
    }
}

/// How `is` is weaker than `was`, as predicates of sentences.
fn differences(was: &Contract, is: &Contract) -> Vec<String> {
    if means_the_same(was, is) {
        return Vec::new();
    }
    if was.enabled && !is.enabled && is.scope.overrides().iter().all(|case| case.change.enabled != Some(true))
    {
        return vec!["is switched off".to_owned()];
    }
    let mut found = Vec::new();
    match pattern(was, is) {
        Some(Fault::WasBroken) => return Vec::new(),
        Some(Fault::Is(what)) => found.push(what.to_owned()),
        None => {}
    }
    if was.enabled && !is.enabled {
        found.push("is switched off for some files".to_owned());
    }
    if was.severity == Severity::Error && is.severity == Severity::Warning {
        found.push("is a warning, and was an error".to_owned());
    }
    if was.decision == BlockDecision::Deny && is.decision == BlockDecision::Ask {
        found.push("asks the user, and denied".to_owned());
    }
    found.extend(files(was, is));
    found.extend(kinds(was, is));
    found.extend(zones(was, is).map(str::to_owned));
    found.extend(verifiers(was, is));
    if !was.ignorable && is.ignorable {
        found.push("can be suppressed by ignore directives and by the baseline".to_owned());
    }
    found.extend(overrides::weaker(was, is));
    found
}

/// The verifiers that a match did not have to pass before.
fn verifiers(was: &Contract, is: &Contract) -> Option<String> {
    let added = is.check.verifiers().iter().filter(|one| !was.check.verifiers().contains(one));
    let names: Vec<_> = added.map(|one| one.as_str()).collect();
    (!names.is_empty()).then(|| format!("counts only matches that pass {}", names.join(" and ")))
}

fn means_the_same(was: &Contract, is: &Contract) -> bool {
    was.check == is.check
        && was.glob == is.glob
        && was.exclude.as_ref().map(|exclude| &exclude.glob)
            == is.exclude.as_ref().map(|exclude| &exclude.glob)
        && was.kinds == is.kinds
        && was.zones == is.zones
        && (was.severity, was.enabled, was.ignorable, was.decision)
            == (is.severity, is.enabled, is.ignorable, is.decision)
        && was.scope.base == is.scope.base
        && was.scope.overrides() == is.scope.overrides()
}

/// A difference of type or pattern.
enum Fault {
    /// The pattern was broken before, so nothing was enforced.
    WasBroken,
    Is(&'static str),
}

/// How the type or the pattern is weaker.
fn pattern(was: &Contract, is: &Contract) -> Option<Fault> {
    if was.check == is.check {
        return None;
    }
    if let (Some(old), Some(new)) = (was.check.value(), is.check.value()) {
        if old.demand == new.demand && old.path != new.path {
            return Some(Fault::Is("has another path"));
        }
        if old.demand == new.demand
            && (old.equals != new.equals || old.pattern.is_some() != new.pattern.is_some())
        {
            return (!values_cover(old, new)).then_some(Fault::Is("has other values"));
        }
    }
    let same_text = match (was.check.pattern(), is.check.pattern()) {
        (Some(one), Some(other)) => (&one.source, one.dialect) == (&other.source, other.dialect),
        _ => false,
    };
    let code =
        |contract: &Contract| contract.check.code().map(|code| (code.source.clone(), code.language.clone()));
    let same_text = same_text || code(was).is_some() && code(was) == code(is);
    let same_type = std::mem::discriminant(&was.check) == std::mem::discriminant(&is.check)
        && was.check.passes_unmatched() == is.check.passes_unmatched();
    if same_text && same_type {
        return None;
    }
    if matcher::broken(was).is_some() {
        return Some(Fault::WasBroken);
    }
    if matcher::broken(is).is_some() {
        return Some(Fault::Is("has a pattern that cannot be used"));
    }
    if let (Some(old), Some(new)) = (was.check.limit(), is.check.limit()) {
        let is_lower =
            |old: Option<u64>, new: Option<u64>| old.is_none_or(|old| new.is_some_and(|new| new <= old));
        let as_strict = is_lower(old.lines, new.lines) && is_lower(old.bytes, new.bytes);
        return (!as_strict).then_some(Fault::Is("allows larger files"));
    }
    if let (Some(old), Some(new)) = (was.check.imports(), is.check.imports()) {
        let covers = old.globs.iter().all(|glob| new.globs.contains(glob));
        return (!covers).then_some(Fault::Is("forbids fewer imports"));
    }
    if code(was).is_some() && code(is).is_some() && same_type {
        return Some(Fault::Is("has other code"));
    }
    if let (Some(old), Some(new)) = (was.check.command(), is.check.command())
        && !has_wider_conditions(old, new)
    {
        return Some(Fault::Is("forbids fewer commands"));
    }
    if let (Some(old), Some(new)) = (was.check.command(), is.check.command())
        && (old.pattern.is_none() || new.pattern.is_none())
    {
        let as_strict = old.pattern.is_none()
            && old.commands.iter().all(|command| new.commands.contains(command))
            && (new.args.is_empty()
                || (!old.args.is_empty() && old.args.iter().all(|arg| new.args.contains(arg))));
        return (!as_strict).then_some(Fault::Is("forbids fewer commands"));
    }
    let everywhere = was.zones.is_empty() && is.zones.is_empty();
    let (Some(old), Some(new)) = (was.check.pattern(), is.check.pattern()) else {
        return (!same_type).then_some(Fault::Is("has another type"));
    };
    if !same_type {
        // Every file has to match where one was enough.
        let stricter = was.check.is_about_project() && is.check.needs_whole_file() && same_text;
        return (!stricter).then_some(Fault::Is("has another type"));
    }
    let (narrow, wide) = if is.check.passes_unmatched() { (old, new) } else { (new, old) };
    let as_strict = everywhere && patterns::is_wider(narrow, wide);
    (!as_strict).then_some(Fault::Is("has another pattern"))
}

/// Whether a check on values with other comparisons is as strict: it forbids more values, or allows fewer.
fn values_cover(old: &ValueCheck, new: &ValueCheck) -> bool {
    if old.pattern.is_some() || new.pattern.is_some() {
        // Without a comparison, every value is forbidden, and every value is allowed.
        let unlimited = if old.demand == ValueDemand::Forbids { new } else { old };
        return unlimited.pattern.is_none() && unlimited.equals.is_empty();
    }
    let is_in = |some: &[Scalar], all: &[Scalar]| {
        all.is_empty() || (!some.is_empty() && some.iter().all(|one| all.contains(one)))
    };
    match old.demand {
        ValueDemand::Forbids => is_in(&old.equals, &new.equals),
        ValueDemand::Requires => is_in(&new.equals, &old.equals),
    }
}

/// How the set of files is weaker.
fn files(was: &Contract, is: &Contract) -> Option<String> {
    let (old, new) = (globs_of(was), globs_of(is));
    let (old_exclude, new_exclude) = (excluded(was), excluded(is));
    // For a contract that some file must satisfy, more files are weaker.
    let about_project = is.check.is_about_project();
    let (large, small) = if about_project { (&old, &new) } else { (&new, &old) };
    if !globs::cover(large, small) {
        let (from, to) = (quoted(was.glob.as_str()), quoted(is.glob.as_str()));
        return Some(match was.glob == is.glob {
            true => format!("is about {to} from another directory on"),
            false => format!("is about {to}, and was about {from}"),
        });
    }
    let (fewer, more) =
        if about_project { (&old_exclude, &new_exclude) } else { (&new_exclude, &old_exclude) };
    let is_covered = match (fewer, more) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(fewer), Some(more)) => globs::cover(more, fewer),
    };
    let exclude = is.exclude.as_ref().map(|exclude| quoted(exclude.glob.as_str()));
    (!is_covered).then(|| match exclude {
        Some(exclude) => format!("leaves out {exclude}"),
        None => "leaves out fewer files where one must exist".to_owned(),
    })
}

fn globs_of(contract: &Contract) -> Globs<'_> {
    Globs { base: &contract.scope.base, text: contract.glob.as_str() }
}

fn excluded(contract: &Contract) -> Option<Globs<'_>> {
    let text = contract.exclude.as_ref()?.glob.as_str();
    Some(Globs { base: &contract.scope.base, text })
}

/// How the kinds of files are weaker.
fn kinds(was: &Contract, is: &Contract) -> Option<String> {
    let about_project = is.check.is_about_project();
    let (large, small) = if about_project { (was.kinds, is.kinds) } else { (is.kinds, was.kinds) };
    let is_covered = small.exclude.is_superset(large.exclude)
        && (large.only.is_empty() || (!small.only.is_empty() && large.only.is_superset(small.only)));
    (!is_covered).then(|| match (about_project, is.kinds.exclude == was.kinds.exclude) {
        (true, _) => "leaves out fewer kinds of files where one must exist".to_owned(),
        (false, true) => {
            format!("is only about files of kind {} ('file_kind')", is.kinds.only.names().join(", "))
        }
        (false, false) => {
            format!("leaves out files of kind {} ('exclude_kind')", is.kinds.exclude.names().join(", "))
        }
    })
}

/// How the zones (`in`) are weaker.
fn zones(was: &Contract, is: &Contract) -> Option<&'static str> {
    let all = |zones: &[Zone]| zones.is_empty();
    let set = |zones: &[Zone]| zones.iter().copied().collect::<HashSet<_>>();
    let (old, new) = (was.zones.as_slice(), is.zones.as_slice());
    let narrower = |one: &[_], other: &[_]| !all(one) && (all(other) || !set(one).is_superset(&set(other)));
    if !is.check.reads_text() {
        None
    } else if is.check.passes_unmatched() {
        narrower(new, old).then_some("looks at fewer places in files ('in')")
    } else {
        narrower(old, new).then_some("is met by more places in files ('in')")
    }
}
