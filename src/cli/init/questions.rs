//! The questions of `phaser init`, with their explanations.

use crate::cli::prompt::Question;

pub const HOOKS: Question<'_> = Question {
    text: "Install the hooks? An edit that violates nothing then skips the permission prompt.",
    help: "Claude Code runs phaser before and after each edit. An edit that adds a violation is denied, and Claude\n\
           receives the reason. 'phaser enforce uninstall' removes the hooks.",
};

pub const GUARD: Question<'_> = Question {
    text: "The whole guard, for shell commands and the end of a turn as well?",
    help: "The guard lists the contracts at session start, checks what shell commands write, and sends a turn back once\n\
           if it ends with new violations.",
};

pub const AGENTS: &str = "\
These agents are in use in this project or on this machine. Their hooks go into files of the project.\n\
'phaser enforce uninstall --agent NAME' removes them.";

pub const PRE_COMMIT: Question<'_> = Question {
    text: "Add the entry for pre-commit?",
    help: "For projects that use the pre-commit framework (pre-commit.com). phaser checks what is staged.\n\
           If you do not use it, answer no: the next question offers a hook that needs no framework.",
};

pub const GIT_HOOK: &str = "\
Scripts of two lines that git runs before each commit, and on its message: they refuse a commit that adds violations.\n\
Git does not share hooks: each clone runs 'phaser init --git-hook' once.";

pub const BASELINE: &str = "\
The baseline is a file that lists today's violations. They no longer fail a run; new ones do.\n\
Commit it. 'phaser baseline --prune' drops what has been fixed.";

pub const CONTRACT: Question<'_> = Question {
    text: "Write a first contract of your own?",
    help: "Packs hold rules for everybody. A contract is a rule of this project, in one file of .claude/contracts.\n\
           Yes asks for it; 'phaser contracts create' does the same later.",
};

pub const WRITE: &str = "yes: writes these files, all or none. no: writes nothing.";
