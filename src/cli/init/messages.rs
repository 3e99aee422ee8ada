//! Messages of `phaser init`: the plan, and the next steps.

use phaser_core::sanitize::inert;
use std::io::{self, Write};

use super::{Hooks, InitParts, InitPlan, PreCommit, changes, counted, pre_commit};
use crate::cli::environment::Environment;
use crate::install::Edited;
use phaser_project::path::{BASELINE, CONFIG, PROJECT_CONTRACTS};
use phaser_project::project::Recorded;

impl InitPlan {
    /// Prints the plan.
    pub fn write(&self, out: &mut dyn Write, environment: &Environment) -> io::Result<()> {
        if self.root.path() != environment.cwd {
            writeln!(out, "The project is {}.", inert(&self.root.path().display().to_string()))?;
        }
        match self.languages.as_slice() {
            [] => writeln!(out, "Found no language with a pack.\n")?,
            languages => writeln!(out, "Found {}.\n", languages.join(", "))?,
        }
        match &self.config {
            Some(text) => {
                writeln!(out, "The configuration, {CONFIG}:")?;
                write_indented(out, text)?;
            }
            None => writeln!(out, "{CONFIG} exists and stays unchanged.\n")?,
        }
        if self.today.own_contracts > 0 {
            let contracts = counted(self.today.own_contracts, "contract");
            let stays = if self.today.own_contracts == 1 { "stays unchanged" } else { "stay unchanged" };
            writeln!(out, "{contracts} in {PROJECT_CONTRACTS} {stays}.\n")?;
        }
        self.write_hooks(out)?;
        self.write_pre_commit(out)?;
        self.write_today(out)
    }

    fn write_hooks(&self, out: &mut dyn Write) -> io::Result<()> {
        let hooks = match &self.hooks {
            Ok(hooks) => hooks,
            Err(error) => {
                return writeln!(out, "No hooks for Claude Code: {}\n", inert(&format!("{error:#}")));
            }
        };
        let (shown, list) = (&hooks.shown, hooks.hooks().unwrap_or_default());
        match &hooks.edited {
            Edited::Changed(_) | Edited::Emptied(_) => {
                writeln!(out, "Hooks that check every edit of Claude Code, in {shown} (--hook):")?;
                write!(out, "{list}")?;
                writeln!(
                    out,
                    "An edit without violations then skips the permission prompt.\n\
                     'phaser enforce install --on-clean defer' installs hooks that keep the prompt.\n\
                     The guard (--guard) also checks what shell commands write and the end of a turn.\n"
                )
            }
            Edited::Unchanged if changes(&self.guard) => writeln!(
                out,
                "phaser's hooks are already in {shown}. The guard (--guard) would replace them and also check what shell\n\
                 commands write and the end of a turn.\n"
            ),
            Edited::Unchanged => writeln!(out, "phaser's hooks are already in {shown}.\n"),
            Edited::Differs(_) => {
                writeln!(out, "{shown} has other hooks of phaser, which stay unchanged:")?;
                writeln!(out, "{list}")
            }
        }
    }

    fn write_pre_commit(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(PreCommit { before, entry }) = &self.pre_commit else { return Ok(()) };
        let name = pre_commit::FILE;
        match entry {
            pre_commit::EntryEdit::Added(_) => {
                let how = if before.is_some() { "added to" } else { "in a new" };
                writeln!(out, "An entry that checks every commit, {how} {name} (--pre-commit):")?;
                write_indented(out, &pre_commit::entry())
            }
            pre_commit::EntryEdit::There => writeln!(out, "phaser is already in {name}.\n"),
            pre_commit::EntryEdit::ByHand => writeln!(
                out,
                "cannot edit {name} automatically; add this to its 'repos':\n{}",
                pre_commit::entry()
            ),
        }
    }

    fn write_today(&self, out: &mut dyn Write) -> io::Result<()> {
        let report = &self.today.report;
        let open = report.summary().open();
        if report.violations.is_empty() {
            writeln!(out, "No violations today.")?;
        } else if open == 0 {
            writeln!(out, "No open violations today: {}.", report.summary())?;
        } else {
            writeln!(out, "{} today: {}.", counted(open, "violation"), report.summary())?;
        }
        if !matches!(self.today.recorded, Recorded::Nowhere) {
            writeln!(out, "{BASELINE} exists and stays unchanged.")?;
        } else if open > 0 && self.baseline.is_none() {
            writeln!(out, "They cannot be recorded in a baseline (see 'phaser baseline').")?;
        } else if self.baseline.is_some() {
            writeln!(out, "Recorded in {BASELINE} (--baseline), they no longer fail a run; new ones do.")?;
        }
        writeln!(out)
    }

    /// Prints the next steps.
    pub fn write_next(&self, out: &mut dyn Write, wanted: InitParts) -> io::Result<()> {
        writeln!(out)?;
        self.write_left(out, wanted)?;
        writeln!(out, "Next: phaser enforce --all")
    }

    fn write_left(&self, out: &mut dyn Write, wanted: InitParts) -> io::Result<()> {
        if wanted.pre_commit {
            writeln!(out, "Run 'pre-commit install' once in each clone to enable the pre-commit entry.")?;
        }
        if wanted.hooks != Hooks::None {
            writeln!(out, "Start a new Claude Code session to use the hooks; 'phaser doctor' checks them.")?;
        } else if changes(&self.hooks) {
            writeln!(out, "To check every edit of Claude Code: phaser enforce install")?;
        }
        if !wanted.pre_commit && self.adds_entry().is_some() {
            writeln!(out, "To check every commit: phaser init --pre-commit")?;
        }
        match &self.baseline {
            Some(first) if wanted.baseline && first.refused > 0 => {
                let violations = counted(first.refused, "violation");
                writeln!(out, "{violations} of contracts with 'ignorable: false' still count: fix them")?;
            }
            Some(_) if !wanted.baseline => {
                writeln!(out, "To let only new violations count: phaser baseline")?
            }
            _ => {}
        }
        if wanted.baseline {
            writeln!(out, "Commit {BASELINE}: from now on only new violations count.")?;
        }
        Ok(())
    }
}

/// Prints `text` indented, followed by an empty line.
fn write_indented(out: &mut dyn Write, text: &str) -> io::Result<()> {
    text.lines().try_for_each(|line| writeln!(out, "  {line}"))?;
    writeln!(out)
}
