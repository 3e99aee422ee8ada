//! Messages of `phaser enforce install`.

use super::{Install, ScopeArg, ToolsArg};
use crate::agents::OnClean;
use crate::install::{HookSet, OnFail};

pub const NEXT: &str = "\
Next: start a new Claude Code session, which reads its hooks at the start, and run 'phaser doctor' to check them.
";

/// The guard is not replaced by plain hooks without `--force`.
pub const GUARD_STAYS: &str = "\
and includes these hooks; nothing changed.
To replace it by the plain hooks, run again with --force.
";

/// Hint for plain hooks over a guard.
pub const CHANGE_GUARD: &str =
    "phaser: run again with --guard to change them, or with --force to replace them by the plain hooks";

const GUARD: &str = "\
The guard lists the contracts at session start, denies an edit that violates one, checks what shell commands write, and
sends a turn back once if it ends with new violations.
";

const MISSING: &str = "Without phaser on the PATH, the hooks allow everything.\n";

const BLOCKS: &str = "\
When the hook before an edit fails or times out, Claude Code 2.1.325 or later denies the edit; older versions make it.
Without phaser on the PATH every edit is denied, for everyone with these settings, until phaser is installed or the hooks
are installed again with '--on-fail continue'.
";

impl Install {
    /// The effects of the installed hooks.
    pub(super) fn meaning(&self, wanted: &HookSet) -> String {
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
