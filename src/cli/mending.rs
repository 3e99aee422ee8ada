//! An agent's edit that phaser mends instead of denying it, where the project wants that.

use crate::agents::Manner;
use crate::in_flight::{Amended, Refused, amend};
use phaser_core::contract::Severity;
use phaser_core::matcher::Matcher;
use phaser_project::config::Fixes;
use phaser_project::path::Root;
use phaser_project::project::Project;
use phaser_project::project::load::Loaded;
use phaser_project::report::Report;
use phaser_project::source::{Source, Target, Targets};
use phaser_project::tool_call::{Call, Moment};

/// What it takes to mend an edit.
pub struct Mending {
    /// All contracts, also those whose severity does not matter before an edit: a fix violates none of them.
    matcher: Matcher,
    call: Call,
    targets: Vec<Target>,
}

/// Does the project want the edit of a call to be mended?
pub fn is_wanted(loaded: &Loaded, root: &Root, source: &Source) -> bool {
    let Source::Changes(call) = source else { return false };
    let is_wanted_at = |change| loaded.fixes_at(&root.relative(&call.path(change))) == Fixes::Apply;
    call.moment == Moment::Before && !call.changes.is_empty() && call.changes.iter().all(is_wanted_at)
}

impl Mending {
    /// The edit of a call, with all contracts of the project; nothing when not all of it is known.
    pub fn of(source: &Source, project: &Project, targets: &Targets) -> Option<Self> {
        let Source::Changes(call) = source else { return None };
        let is_known = targets.skipped.is_empty();
        is_known.then(|| Self {
            matcher: project.matcher(),
            call: call.clone(),
            targets: targets.targets.clone(),
        })
    }

    /// The edit that is to be made instead, if all that is wrong with this one can be mended.
    pub fn amended(&self, report: &Report, manner: Manner) -> Option<Amended> {
        let Self { matcher, call, targets } = self;
        // A guard tells of warnings afterwards.
        let least = match manner {
            Manner::Guard => Severity::Error,
            Manner::Plain => Severity::Warning,
        };
        amend(matcher, Refused { call, targets, report, least })
    }
}
