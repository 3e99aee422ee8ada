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
    target: Target,
}

/// Does the project want the edit of a call to be mended?
pub fn is_wanted(loaded: &Loaded, root: &Root, source: &Source) -> bool {
    let Source::Changes(call) = source else { return false };
    let Some(path) = call.file().filter(|_| call.moment == Moment::Before) else { return false };
    loaded.fixes_at(&root.relative(&path)) == Fixes::Apply
}

impl Mending {
    /// The edit of a call, with all contracts of the project.
    pub fn of(source: &Source, project: &Project, targets: &Targets) -> Option<Self> {
        let (Source::Changes(call), [target]) = (source, targets.targets.as_slice()) else { return None };
        Some(Self { matcher: project.matcher(), call: call.clone(), target: target.clone() })
    }

    /// The edit that is to be made instead, if all that is wrong with this one can be mended.
    pub fn amended(&self, outcome: &Outcome, manner: Manner) -> Option<Amended> {
        let Self { matcher, call, target } = self;
        // A guard tells of warnings afterwards.
        let least = match manner {
            Manner::Guard => Severity::Error,
            Manner::Plain => Severity::Warning,
        };
        amend(matcher, Refused { call, target, outcome, least })
    }
}
