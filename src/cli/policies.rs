//! What a project wants to become of changes that make phaser see less: ignore directives that are added, and anything that
//! weakens what is enforced.

use std::path::PathBuf;
use std::time::SystemTime;

use super::event::About;
use crate::agents::decision::Concern;
use crate::tamper::{Protection, Rewritten, is_candidate, words};
use phaser_project::config::Policy;
use phaser_project::path::{CONFIG, PROJECT_CONTRACTS, Root, SETTINGS};
use phaser_project::project::by_file::ByFile;
use phaser_project::project::load::Loaded;
use phaser_project::report::{AddedIgnore, Report};
use phaser_project::scan::AddedIgnores;
use phaser_project::source::git::{self, Location};
use phaser_project::source::tree::changed_at;
use phaser_project::source::{Content, Reader, Source, Target, Targets};
use phaser_project::tool_call::{Call, Moment, Rewrite};

/// The policies that count for an event.
#[derive(Debug)]
pub struct Policies {
    moment: Moment,
    ignores: ByFile<Policy>,
    /// The strictest of what is said about ignore directives.
    strictest: Policy,
    /// The files that change and that enforcement depends on; absolute.
    watched: Vec<PathBuf>,
    /// Those of them that go.
    gone: Vec<PathBuf>,
}

/// What changes, as an event knows it.
#[derive(Debug, Clone, Copy)]
pub enum Changing<'a> {
    /// A call is about to change files.
    Call(&'a Call),
    /// A command has changed them.
    Command(&'a Targets),
}

impl<'a> Changing<'a> {
    /// What an event is about that policies count for.
    pub fn of(
        about: Option<About>,
        source: &'a Source,
        targets: &'a Result<Targets, &'a Call>,
    ) -> Option<Self> {
        match (about?, source, targets) {
            (About::Call, Source::Changes(call), _) if call.moment == Moment::Before => {
                Some(Self::Call(call))
            }
            (About::Command, _, Ok(targets)) => Some(Self::Command(targets)),
            _ => None,
        }
    }

    fn moment(self) -> Moment {
        match self {
            Self::Call(_) => Moment::Before,
            Self::Command(_) => Moment::After,
        }
    }

    /// The files that go.
    fn gone(self) -> Vec<PathBuf> {
        match self {
            Self::Call(call) => {
                let gone = call.changes.iter().filter(|change| change.rewrite == Rewrite::Removal);
                gone.map(|change| call.path(change)).collect()
            }
            Self::Command(_) => Vec::new(),
        }
    }

    /// The files that change, as far as enforcement may depend on one of such a name.
    fn candidates(self) -> Vec<PathBuf> {
        let paths: Vec<PathBuf> = match self {
            Self::Call(call) => call.changes.iter().map(|change| call.path(change)).collect(),
            Self::Command(targets) => targets.targets.iter().filter_map(file).cloned().collect(),
        };
        paths.into_iter().filter(|path| is_candidate(path)).collect()
    }
}

/// The file that a target is on disk.
fn file(target: &Target) -> Option<&PathBuf> {
    match &target.content {
        Content::File(path) => Some(path),
        _ => None,
    }
}

impl Policies {
    /// Those that count for what changes in a project which is loaded like this. Which of the files that change are
    /// watched is still to be told, if there are any.
    pub fn of(changing: Changing<'_>, loaded: &Loaded) -> Self {
        let ignores = ByFile::of(loaded.configs.iter(), |config| config.ignores);
        let strictest = ignores.strictest();
        let protects = ByFile::of(loaded.configs.iter(), |config| config.protect).strictest() > Policy::Allow;
        // A command may have lowered the policy itself.
        let may_matter = protects || matches!(changing, Changing::Command(_));
        let watched = if may_matter { changing.candidates() } else { Vec::new() };
        let gone = if watched.is_empty() { Vec::new() } else { changing.gone() };
        Self { moment: changing.moment(), ignores, strictest, watched, gone }
    }

    /// Does a file change that enforcement may depend on?
    pub fn watches(&self) -> bool {
        !self.watched.is_empty()
    }

    /// Keeps only files that enforcement does depend on.
    pub fn narrow(&mut self, loaded: &Loaded, protection: Protection<'_>) {
        let watched = protection.watched(loaded);
        // A configuration that changes may have named directories that nobody knows of any more.
        if !self.watched.iter().any(|path| path.ends_with(CONFIG)) {
            self.watched.retain(|path| watched.has(path));
        }
    }

    /// Is it of interest which ignore directives are new?
    pub fn added_ignores(&self) -> AddedIgnores {
        match self.strictest {
            Policy::Allow => AddedIgnores::NotWanted,
            Policy::Report | Policy::Ask | Policy::Deny => AddedIgnores::Wanted,
        }
    }

    /// What is to be said about what the changes weaken.
    pub fn on_weakening(&self, protection: Protection<'_>, targets: &Targets, limit: u64) -> Option<Concern> {
        let reading = Reading { root: protection.root, targets, gone: &self.gone, limit };
        let changes: Vec<Rewritten> =
            self.watched.iter().filter_map(|path| reading.rewritten(path, self.moment)).collect();
        if changes.is_empty() {
            return None;
        }
        concern(protection, self.moment, &changes)
    }

    /// What is to be said about ignore directives that were added.
    pub fn on_ignores(&self, report: &Report) -> Vec<Concern> {
        let said = |policy: Policy| {
            let at = |added: &&AddedIgnore| self.ignores.at(&added.path) == policy;
            let added: Vec<AddedIgnore> = report.added_ignores.iter().filter(at).cloned().collect();
            Some(Concern { policy, what: words::of_ignores(policy, self.moment, &added)? })
        };
        [Policy::Deny, Policy::Ask, Policy::Report].into_iter().filter_map(said).collect()
    }
}

/// Where the states of changed files are read from.
struct Reading<'a> {
    root: &'a Root,
    targets: &'a Targets,
    /// The files that are gone afterwards.
    gone: &'a [PathBuf],
    limit: u64,
}

impl Reading<'_> {
    /// A file before and after, if both can be known.
    fn rewritten(&self, path: &PathBuf, moment: Moment) -> Option<Rewritten> {
        let read =
            |content: &Content| Reader::new(self.limit).read(content).ok().map(std::borrow::Cow::into_owned);
        let on_disk = Content::File(path.clone());
        if self.gone.contains(path) {
            return Some(Rewritten { path: path.clone(), before: read(&on_disk), after: None });
        }
        let name = self.root.relative(path);
        let is_it = |target: &&Target| target.path == name || file(target) == Some(path);
        let target = self.targets.targets.iter().find(is_it)?;
        let before = match moment {
            Moment::Before => path.exists().then(|| read(&on_disk)).flatten(),
            Moment::After => target.before.as_ref().and_then(|before| read(&before.content)),
        };
        // What is not text, or too large, is a broken file to whoever reads it.
        Some(Rewritten { path: path.clone(), before, after: Some(read(&target.content).unwrap_or_default()) })
    }
}

/// What is to be said about changes of files that enforcement depends on.
fn concern(protection: Protection<'_>, moment: Moment, changes: &[Rewritten]) -> Option<Concern> {
    let judged = protection.judge(changes);
    let files: Vec<String> =
        changes.iter().map(|change| protection.root.relative(&change.path).to_text().into_owned()).collect();
    let what = words::of_weakening(judged.policy, moment, &files, &judged.weaker)?;
    Some(Concern { policy: judged.policy, what })
}

/// What is to be said about files that a command has removed and that enforcement depended on: those of the last commit
/// that are not there any more, if something has gone from their directory since the command began.
pub fn on_removal(protection: Protection<'_>, git: &Location, since: SystemTime) -> Option<Concern> {
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
    if !may_be_gone {
        return None;
    }
    let committed = git::committed(root, git, "HEAD").ok()?;
    let gone = protection.removed(&committed);
    if gone.is_empty() { None } else { concern(protection, Moment::After, &gone) }
}
