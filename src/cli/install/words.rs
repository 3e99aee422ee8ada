//! What `phaser enforce install` says about the hooks that it has written.

use super::{Install, ScopeArg, ToolsArg};
use crate::agents::OnClean;
use crate::install::{OnFail, Wanted};

/// What is left to do.
pub const NEXT: &str = "\
Next: start a new Claude Code session, which reads its hooks when it starts, and run 'phaser doctor' to see that
everything is in place.
";

/// That plain hooks do not take the place of the guard.
pub const GUARD_STAYS: &str = "\
and does what these hooks would do and more; nothing changed.
To have the plain hooks in its place, run again with --force.
";

/// How to change the guard, for whoever has asked for plain hooks.
pub const CHANGE_GUARD: &str =
    "phaser: run again with --guard to change them, or with --force to have the plain hooks in their place";

const GUARD: &str = "\
The guard tells every session the contracts, denies an edit that violates one, looks at what shell commands have
written, and sends a turn back that ends with new violations, once.
";

const MISSING: &str = "Where no phaser is on the PATH, the hooks let everything through.\n";

const BLOCKS: &str = "\
When the hook before an edit fails or runs out of time, Claude Code refuses the edit, from version 2.1.325 on; an older
one makes it. A phaser that is not on the PATH is such a failure: then every edit is blocked, for everybody who works
with these settings, until phaser is installed or these hooks are installed again with '--on-fail continue'.
";

impl Install {
    /// What the hooks mean for whoever works with them.
    pub(super) fn meaning(&self, wanted: &Wanted) -> String {
        let guard = if self.guard { GUARD } else { "" };
        let on_fail = match wanted.on_fail() {
            OnFail::Continue if self.guard => MISSING,
            OnFail::Continue => "",
            OnFail::Block => BLOCKS,
        };
        format!("{guard}{on_fail}{}", self.meaning_when_clean(wanted.on_clean()))
    }

    fn meaning_when_clean(&self, on_clean: OnClean) -> String {
        match on_clean {
            OnClean::Allow => format!(
                "An edit that violates nothing is answered with 'allow': Claude Code then makes it without asking \
                 you for permission.\nTo keep its permission prompts, run 'phaser enforce install{}{} --on-clean \
                 defer'.\n",
                match self.place.scope {
                    ScopeArg::User => " --scope user",
                    ScopeArg::Project => "",
                    ScopeArg::Local => " --scope local",
                },
                match (self.guard, self.tools) {
                    (true, _) => " --guard",
                    (false, ToolsArg::Edit) => " --force",
                    (false, ToolsArg::All) => " --tools all --force",
                },
            ),
            OnClean::Defer => {
                "An edit that violates nothing is left to Claude Code, which asks you for permission \
                               as it always does.\n"
                    .to_owned()
            }
        }
    }
}
