//! The `ignores` and `protect` policies of a project, applied to one event.
//!
//! `ignores` concerns violations that a directive suppresses and none suppressed before; the scan reports them. `protect`
//! concerns files of enforcement: the project is loaded twice, with these files as they were and as they are or would be,
//! and compared. Both are judged before an edit, after a command and at the end of a turn.

use std::path::{Path, PathBuf};

use phaser_project::config::Policy;
use phaser_project::path::{Root, config_file};
use phaser_project::project::Inspection;
use phaser_project::project::by_file::ByFile;
use phaser_project::report::{AddedIgnore, Report};
use phaser_project::source::{Content, Reader, Source, Target};
use phaser_project::tool_call::{Call, Moment, Rewrite};

use super::changed::ChangedFiles;
use super::{Protection, Rewritten, TamperReport, messages};
use crate::agents::decision::PolicyFinding;

/// The findings about an edit, a command or a turn, strictest first within each policy.
pub fn findings(
    inspection: &Inspection<'_>,
    report: &Report,
    user_settings: Option<&Path>,
) -> Vec<PolicyFinding> {
    let project = inspection.project();
    let options = project.options();
    let protection = Protection {
        root: project.root(),
        extra: &options.locations,
        user_settings,
        deadline: options.deadline,
    };
    let (moment, on_weakening) = match inspection.source() {
        Source::Changes(call) if call.moment == Moment::Before => {
            (Moment::Before, on_edit(protection, call, inspection))
        }
        Source::Worktree(window) => {
            let location = options.git.clone().unwrap_or_default();
            let changed = protection.changed_since(window.since(), &location, &inspection.targets);
            (Moment::After, on_changes(protection, &changed))
        }
        _ => return Vec::new(),
    };
    let ignores = ByFile::of(inspection.loaded.configs.iter(), |config| config.ignores);
    let mut findings: Vec<PolicyFinding> = on_weakening.into_iter().collect();
    findings.extend(on_ignores(&ignores, IgnoreScope { root: project.root(), moment }, report));
    findings
}

/// The project and the time that a message is about.
#[derive(Clone, Copy)]
struct IgnoreScope<'a> {
    root: &'a Root,
    moment: Moment,
}

/// The finding about files of enforcement that an edit is about to weaken.
fn on_edit(protection: Protection<'_>, call: &Call, inspection: &Inspection<'_>) -> Option<PolicyFinding> {
    let loaded = &inspection.loaded;
    let protects = ByFile::of(loaded.configs.iter(), |config| config.protect).strictest() > Policy::Allow;
    if !protects || inspection.matcher().is_none() {
        return None;
    }
    let watched = protection.watched(loaded);
    let changes: Vec<Rewritten> = call
        .changes
        .iter()
        .filter_map(|change| {
            let path = call.path(change);
            let file = watched.find(&path)?;
            rewritten(inspection, change.rewrite == Rewrite::Removal, &path, file)
        })
        .collect();
    if changes.is_empty() { None } else { judged(protection, Moment::Before, &changes, &[]) }
}

/// The finding about files of enforcement that a command or a turn has weakened. Of several states before, one that is not
/// stronger excuses the change.
fn on_changes(protection: Protection<'_>, changed: &ChangedFiles) -> Option<PolicyFinding> {
    let mut findings = changed.since.iter().map(|changes| {
        let is_empty = changes.is_empty() && changed.unknown.is_empty();
        if is_empty { None } else { judged(protection, Moment::After, changes, &changed.unknown) }
    });
    let first = findings.next()??;
    findings.all(|other| other.is_some()).then_some(first)
}

/// The findings about violations that directives suppress only since the change.
fn on_ignores(ignores: &ByFile<Policy>, subject: IgnoreScope<'_>, report: &Report) -> Vec<PolicyFinding> {
    let finding = |policy: Policy| {
        let applies = |added: &&AddedIgnore| ignores.at(&added.path) == policy;
        let added: Vec<AddedIgnore> = report.added_ignores.iter().filter(applies).cloned().collect();
        let IgnoreScope { root, moment } = subject;
        let change = messages::Change { policy, moment, config: config_file(root) };
        Some(PolicyFinding { policy, is_uncertain: false, what: change.added_ignores(&added)? })
    };
    [Policy::Deny, Policy::Ask, Policy::Report].into_iter().filter_map(finding).collect()
}

/// Both versions of a file that an edit changes under the name `path`.
fn rewritten(
    inspection: &Inspection<'_>,
    is_removal: bool,
    path: &PathBuf,
    file: PathBuf,
) -> Option<Rewritten> {
    let limit = inspection.project().options().max_file_size;
    let read = |content: &Content| Reader::new(limit).read(content).ok().map(std::borrow::Cow::into_owned);
    let before = path.exists().then(|| read(&Content::File(path.clone()))).flatten();
    if is_removal {
        return Some(Rewritten { path: file, before, after: None });
    }
    let name = inspection.project().root().relative(path);
    let is_it = |target: &&Target| {
        target.path == name || matches!(&target.content, Content::File(known) if known == path)
    };
    let target = inspection.targets.targets.iter().find(is_it)?;
    // An unreadable version is a broken file to the loader.
    Some(Rewritten { path: file, before, after: Some(read(&target.content).unwrap_or_default()) })
}

fn judged(
    protection: Protection<'_>,
    moment: Moment,
    changes: &[Rewritten],
    unknown: &[String],
) -> Option<PolicyFinding> {
    let TamperReport { policy, mut weaker } = protection.compare(changes);
    let is_uncertain = weaker.is_empty();
    weaker.extend(unknown.iter().cloned());
    let files: Vec<String> =
        changes.iter().map(|change| protection.root.relative(&change.path).to_text().into_owned()).collect();
    let change = messages::Change { policy, moment, config: config_file(protection.root) };
    let what = if is_uncertain {
        change.perhaps_weakened(&files, &weaker)?
    } else {
        change.weakened(&files, &weaker)?
    };
    Some(PolicyFinding { policy, is_uncertain, what })
}
