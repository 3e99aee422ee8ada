//! What `phaser init` says: what it is about to do, and what is left to do after it.

use phaser_core::sanitize::inert;
use std::io::{self, Write};

use super::{Hooks, Parts, Plan, PreCommit, changes, counted, pre_commit};
use crate::cli::environment::Environment;
use crate::install::Edited;
use phaser_project::path::{BASELINE, CONFIG, PROJECT_CONTRACTS};
use phaser_project::project::Recorded;

impl Plan {
    /// Shows everything that can be done.
    pub fn write(&self, out: &mut dyn Write, environment: &Environment) -> io::Result<()> {
        if self.root.path() != environment.cwd {
            writeln!(out, "The project is {}.", inert(&self.root.path().display().to_string()))?;
        }
        match self.languages.as_slice() {
            [] => writeln!(out, "Found no language that has a pack of its own.\n")?,
            languages => writeln!(out, "Found {}.\n", languages.join(", "))?,
        }
        match &self.config {
            Some(text) => {
                writeln!(out, "The configuration, {CONFIG}:")?;
                write_indented(out, text)?;
            }
            None => writeln!(out, "{CONFIG} is there, and stays as it is.\n")?,
        }
        if self.today.own_contracts > 0 {
            let contracts = counted(self.today.own_contracts, "contract");
            let stays = if self.today.own_contracts == 1 { "stays as it is" } else { "stay as they are" };
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
                    "With them, an edit that violates nothing is made without asking you for permission.\n\
                     'phaser enforce install --on-clean defer' installs hooks that leave the question to Claude Code.\n\
                     The guard (--guard) does the same, and looks at what shell commands write and at the end of a turn.\n"
                )
            }
            Edited::Unchanged if changes(&self.guard) => writeln!(
                out,
                "phaser's hooks are in {shown} already. The guard (--guard) would take their place, and look at what \
                 shell\ncommands write and at the end of a turn as well.\n"
            ),
            Edited::Unchanged => writeln!(out, "phaser's hooks are in {shown} already.\n"),
            Edited::Differs(_) => {
                writeln!(out, "{shown} has hooks of phaser's already, and they stay as they are:")?;
                writeln!(out, "{list}")
            }
        }
    }

    fn write_pre_commit(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(PreCommit { before, entry }) = &self.pre_commit else { return Ok(()) };
        let name = pre_commit::FILE;
        match entry {
            pre_commit::Entry::Added(_) => {
                let how = if before.is_some() { "added to" } else { "in a new" };
                writeln!(out, "An entry that checks every commit, {how} {name} (--pre-commit):")?;
                write_indented(out, &pre_commit::entry())
            }
            pre_commit::Entry::There => writeln!(out, "phaser is in {name} already.\n"),
            pre_commit::Entry::ByHand => writeln!(
                out,
                "{name} is not simple enough to be edited; add this to its 'repos':\n{}",
                pre_commit::entry()
            ),
        }
    }

    fn write_today(&self, out: &mut dyn Write) -> io::Result<()> {
        let report = &self.today.report;
        let open = report.summary().open();
        if report.violations.is_empty() {
            writeln!(out, "Today nothing is violated.")?;
        } else if open == 0 {
            writeln!(out, "Today nothing is violated that counts: {}.", report.summary())?;
        } else {
            writeln!(out, "{} today: {}.", counted(open, "violation"), report.summary())?;
        }
        if !matches!(self.today.recorded, Recorded::Nowhere) {
            writeln!(out, "{BASELINE} is there, and stays as it is.")?;
        } else if open > 0 && self.baseline.is_none() {
            writeln!(out, "They cannot be recorded in a baseline: 'phaser baseline' says why.")?;
        } else if self.baseline.is_some() {
            writeln!(out, "Recorded in {BASELINE} (--baseline), they no longer fail a run; new ones do.")?;
        }
        writeln!(out)
    }

    /// Says what is left to do.
    pub fn write_next(&self, out: &mut dyn Write, wanted: Parts) -> io::Result<()> {
        writeln!(out)?;
        self.write_left(out, wanted)?;
        writeln!(out, "Next: phaser enforce --all")
    }

    fn write_left(&self, out: &mut dyn Write, wanted: Parts) -> io::Result<()> {
        if wanted.pre_commit {
            writeln!(out, "'pre-commit install' switches the entry for pre-commit on, once in each clone.")?;
        }
        if wanted.hooks != Hooks::None {
            writeln!(
                out,
                "A new Claude Code session reads the hooks; 'phaser doctor' sees whether they work."
            )?;
        } else if changes(&self.hooks) {
            writeln!(out, "To check every edit of Claude Code: phaser enforce install")?;
        }
        if !wanted.pre_commit && self.adds_entry().is_some() {
            writeln!(out, "To check every commit: phaser init --pre-commit")?;
        }
        match &self.baseline {
            Some(first) if wanted.baseline && first.refused > 0 => {
                let violations = counted(first.refused, "violation");
                writeln!(out, "{violations} of contracts that allow no exceptions still count: repair them")?;
            }
            Some(_) if !wanted.baseline => {
                writeln!(out, "To let only new violations count: phaser baseline")?
            }
            _ => {}
        }
        if wanted.baseline {
            writeln!(out, "Commit {BASELINE}: from now on only what is not in it counts.")?;
        }
        Ok(())
    }
}

/// A text with every line indented, and an empty line after it.
fn write_indented(out: &mut dyn Write, text: &str) -> io::Result<()> {
    text.lines().try_for_each(|line| writeln!(out, "  {line}"))?;
    writeln!(out)
}
