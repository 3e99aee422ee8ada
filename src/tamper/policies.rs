//! The `ignores` and `protect` policies of a project, applied to one event.
//!
//! `ignores` concerns directives that a change adds; the scan reports them. `protect` concerns files of enforcement: the
//! project is loaded twice, with these files as they were and as they would be, and compared. Both are judged before an edit
//! and after a command.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use phaser_project::config::Policy;
use phaser_project::path::{PROJECT_CONTRACTS, SETTINGS, TOP_CONFIG};
use phaser_project::project::Inspection;
use phaser_project::project::by_file::ByFile;
use phaser_project::report::{AddedIgnore, Report};
use phaser_project::source::git;
use phaser_project::source::tree::changed_at;
use phaser_project::source::worktree::ChangeWindow;
use phaser_project::source::{Content, Reader, Source, Target, Targets};
use phaser_project::tool_call::{Call, Moment, Rewrite};

use super::{Protection, Rewritten, is_candidate, messages};
use crate::agents::decision::PolicyFinding;

/// The findings about an edit or a command, strictest first within each policy.
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
    let changing = match inspection.source() {
        Source::Changes(call) if call.moment == Moment::Before => Changing::Call(call),
        Source::Worktree(ChangeWindow::Command { .. }) => Changing::Command(&inspection.targets),
        _ => return Vec::new(),
    };
    let mut findings = Vec::new();
    if let Source::Worktree(ChangeWindow::Command { since, .. }) = inspection.source() {
        findings.extend(on_removal(protection, options.git.as_ref(), *since));
    }
    if report.contracts.is_empty() {
        return findings;
    }
    let ignores = ByFile::of(inspection.loaded.configs.iter(), |config| config.ignores);
    findings.extend(on_weakening(protection, changing, inspection));
    findings.extend(on_ignores(&ignores, changing.moment(), report));
    findings
}

/// Files that an event changes.
#[derive(Debug, Clone, Copy)]
enum Changing<'a> {
    /// A tool call is about to change them.
    Call(&'a Call),
    /// A command has changed them.
    Command(&'a Targets),
}

impl Changing<'_> {
    fn moment(self) -> Moment {
        match self {
            Self::Call(_) => Moment::Before,
            Self::Command(_) => Moment::After,
        }
    }

    /// The files that the change deletes.
    fn gone(self) -> Vec<PathBuf> {
        match self {
            Self::Call(call) => {
                let gone = call.changes.iter().filter(|change| change.rewrite == Rewrite::Removal);
                gone.map(|change| call.path(change)).collect()
            }
            Self::Command(_) => Vec::new(),
        }
    }

    /// The changed files that, by name, may be files of enforcement.
    fn candidates(self) -> Vec<PathBuf> {
        let paths: Vec<PathBuf> = match self {
            Self::Call(call) => call.changes.iter().map(|change| call.path(change)).collect(),
            Self::Command(targets) => targets.targets.iter().filter_map(file).cloned().collect(),
        };
        paths.into_iter().filter(|path| is_candidate(path)).collect()
    }
}

/// The file of a target on disk.
fn file(target: &Target) -> Option<&PathBuf> {
    match &target.content {
        Content::File(path) => Some(path),
        _ => None,
    }
}

/// The finding about files of enforcement that an event weakens.
fn on_weakening(
    protection: Protection<'_>,
    changing: Changing<'_>,
    inspection: &Inspection<'_>,
) -> Option<PolicyFinding> {
    let loaded = &inspection.loaded;
    let protects = ByFile::of(loaded.configs.iter(), |config| config.protect).strictest() > Policy::Allow;
    // A command may have lowered the policy itself, so the previous state decides later.
    if !protects && matches!(changing, Changing::Call(_)) {
        return None;
    }
    let mut files = changing.candidates();
    if files.is_empty() {
        return None;
    }
    // A changed configuration may have named directories that are unknown now, so every candidate counts then.
    if !files.iter().any(|path| path.file_name().is_some_and(|name| name == TOP_CONFIG)) {
        let watched = protection.watched(loaded);
        files.retain(|path| watched.has(path));
    }
    let gone = changing.gone();
    let changes: Vec<Rewritten> =
        files.iter().filter_map(|path| rewritten(inspection, &gone, path, changing.moment())).collect();
    if changes.is_empty() { None } else { judged(protection, changing.moment(), &changes) }
}

/// The findings about ignore directives that a change adds.
fn on_ignores(ignores: &ByFile<Policy>, moment: Moment, report: &Report) -> Vec<PolicyFinding> {
    let finding = |policy: Policy| {
        let applies = |added: &&AddedIgnore| ignores.at(&added.path) == policy;
        let added: Vec<AddedIgnore> = report.added_ignores.iter().filter(applies).cloned().collect();
        Some(PolicyFinding { policy, what: messages::added_ignores(policy, moment, &added)? })
    };
    [Policy::Deny, Policy::Ask, Policy::Report].into_iter().filter_map(finding).collect()
}

/// Both versions of a file, if it is among the targets or `gone`.
fn rewritten(
    inspection: &Inspection<'_>,
    gone: &[PathBuf],
    path: &PathBuf,
    moment: Moment,
) -> Option<Rewritten> {
    let limit = inspection.project().options().max_file_size;
    let read = |content: &Content| Reader::new(limit).read(content).ok().map(std::borrow::Cow::into_owned);
    let on_disk = Content::File(path.clone());
    if gone.contains(path) {
        return Some(Rewritten { path: path.clone(), before: read(&on_disk), after: None });
    }
    let name = inspection.project().root().relative(path);
    let is_it = |target: &&Target| target.path == name || file(target) == Some(path);
    let target = inspection.targets.targets.iter().find(is_it)?;
    let before = match moment {
        Moment::Before => path.exists().then(|| read(&on_disk)).flatten(),
        Moment::After => target.before.as_ref().and_then(|before| read(&before.content)),
    };
    // An unreadable version is a broken file to the loader.
    Some(Rewritten { path: path.clone(), before, after: Some(read(&target.content).unwrap_or_default()) })
}

fn judged(protection: Protection<'_>, moment: Moment, changes: &[Rewritten]) -> Option<PolicyFinding> {
    let judged = protection.compare(changes);
    let files: Vec<String> =
        changes.iter().map(|change| protection.root.relative(&change.path).to_text().into_owned()).collect();
    let what = messages::weakened(judged.policy, moment, &files, &judged.weaker)?;
    Some(PolicyFinding { policy: judged.policy, what })
}

/// The finding about files of enforcement that a command removed: files of HEAD that are gone from a directory that changed
/// since the command began.
fn on_removal(
    protection: Protection<'_>,
    git: Option<&git::GitLocation>,
    since: SystemTime,
) -> Option<PolicyFinding> {
    let root = protection.root;
    let [contracts, settings, top] = [PROJECT_CONTRACTS, SETTINGS, ""].map(|name| root.path().join(name));
    let changed = |directory: &PathBuf| {
        let metadata = directory.metadata().ok();
        metadata.is_some_and(|metadata| changed_at(&metadata).is_none_or(|changed| changed >= since))
    };
    let may_be_gone = match (contracts.exists(), settings.exists()) {
        (true, _) => changed(&contracts) || changed(&settings),
        (false, true) => changed(&settings),
        (false, false) => changed(&top),
    };
    let may_be_gone = may_be_gone || (!top.join(TOP_CONFIG).exists() && changed(&top));
    if !may_be_gone {
        return None;
    }
    let committed = git::committed(root, git?, "HEAD").ok()?;
    let gone = protection.removed(&committed);
    if gone.is_empty() { None } else { judged(protection, Moment::After, &gone) }
}
