//! An agent's edit that phaser mends instead of denying it, where the project wants that.

use crate::agent::Manner;
use crate::amend::{Amended, Refused, amend};
use crate::change::{Call, Moment};
use crate::config::Fixes;
use crate::contract::Severity;
use crate::matcher::Matcher;
use crate::outcome::Outcome;
use crate::path::Root;
use crate::project::Project;
use crate::project::load::Loaded;
use crate::source::{Source, Target, Targets};

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
    pub fn amended(&self, outcome: &Outcome, manner: Manner) -> Option<Amended> {
        let Self { matcher, call, targets } = self;
        // A guard tells of warnings afterwards.
        let least = match manner {
            Manner::Guard => Severity::Error,
            Manner::Plain => Severity::Warning,
        };
        amend(matcher, Refused { call, targets, outcome, least })
    }
}
