//! The part of `phaser enforce` that loads contracts.

use super::super::args::Format;
use super::super::{places, say};
use super::Run;
use phaser_core::contract::Warning;
use phaser_core::matcher;
use phaser_project::contracts::layers::{Layer, Loading};
use phaser_project::path::Root;
use phaser_project::project;
use phaser_project::project::load::{Extra, Load, Loaded, Settings};
use phaser_project::source::{Source, Targets, tree};
use phaser_project::tool_call::Call;

impl Run<'_> {
    /// Where contracts come from beside the project.
    pub(super) fn extra(&self) -> anyhow::Result<Extra> {
        places::extra(self.args.contracts_dir.as_deref(), &self.args.packs, self.environment)
    }

    /// Loads the contracts that count for what is looked at: for targets, or for what a call changes.
    pub(super) fn load(
        &self,
        root: &Root,
        source: &Source,
        targets: &Result<Targets, &Call>,
    ) -> anyhow::Result<Loaded> {
        let extra = self.extra()?;
        let folders = match (&self.committed, targets) {
            (Some(committed), _) => committed.folders(),
            (None, Ok(targets)) => project::folders(root, targets),
            (None, Err(call)) => project::folders_of_call(root, call),
        };
        let settings = targets.as_ref().map_or(Settings::OnDisk, |targets| self.settings(source, targets));
        let cwd = Some(self.environment.cwd.as_path());
        let load = Load { root, extra: &extra, folders: &folders, settings, cwd };
        let loading = Loading { deadline: self.deadline, ..Loading::to_enforce(matcher::broken) };
        // A report lists all contracts, and a choice by name has to know them.
        let is_lazy = targets.is_err() && self.format == Format::Hook && self.args.chosen.is_everything();
        let mut loaded = if is_lazy { load.run_lazily(loading) } else { load.run(loading) };
        let is_event = self.args.stdin;
        self.choose(&load, &mut loaded, targets.as_ref().ok().filter(|_| !is_event))?;
        // A hook goes on without what is wrong: it must not be disarmed.
        if !is_event && !loaded.mistakes.is_empty() {
            return Err(project::Error::Config(loaded.mistakes).into());
        }
        if !loaded.layers.has_lazy_packs() {
            self.print_notes(&loaded);
        }
        Ok(loaded)
    }

    /// Loads the packs that [`Self::load`] left, as far as they matter to `targets`. A fix makes another text, which any
    /// contract may matter to.
    pub(super) fn load_lazy_packs(&self, loaded: &mut Loaded, targets: &Targets, fixes: bool) {
        if loaded.layers.has_lazy_packs() {
            loaded.load_packs((!fixes).then_some(targets));
            self.print_notes(loaded);
        }
    }

    /// Prints which contracts are switched off, or differ on disk.
    fn print_notes(&self, loaded: &Loaded) {
        if !self.args.quiet {
            loaded.layers.notes().for_each(|note| say(format_args!("phaser: {note}")));
        }
    }

    /// Which state of the project counts for what is looked at.
    pub(super) fn settings<'t>(&'t self, source: &Source, targets: &'t Targets) -> Settings<'t> {
        match &self.committed {
            Some(committed) => Settings::Committed(committed),
            None => project::settings(source, targets),
        }
    }

    /// Keeps the contracts that were chosen. A pattern that means none is an error where that can be known; a hook goes on
    /// with the others.
    fn choose(&self, load: &Load<'_>, loaded: &mut Loaded, targets: Option<&Targets>) -> anyhow::Result<()> {
        let chosen = &self.args.chosen;
        if chosen.is_everything() {
            return Ok(());
        }
        let mut unknown = chosen.unknown(&loaded.layers.contracts);
        if let (Some(targets), false) = (targets, unknown.is_empty())
            && targets.folders.is_none()
            && self.committed.is_none()
        {
            // Directories that are not looked at may have contracts of their own.
            let all = tree::tree(load.root, &self.environment.git, 1);
            let folders = project::folders(load.root, &all);
            let whole = Load { folders: &folders, ..*load }.run(Loading::to_enforce(matcher::broken));
            unknown = chosen.unknown(&whole.layers.contracts);
        }
        if let (Some(_), Some((flag, what))) = (targets, unknown.first()) {
            anyhow::bail!("{flag}: {what}");
        }
        let warnings = unknown.into_iter().map(|(flag, what)| Warning::about(flag.as_ref(), what));
        loaded.layers.warnings.extend(warnings);
        loaded.layers.contracts.retain(|contract| chosen.includes(contract));
        Ok(())
    }
}

/// Where contracts were looked for, and how to get some.
pub(super) fn hint(loaded: &Loaded) -> String {
    let no =
        if loaded.layers.contracts.is_empty() { "no contracts" } else { "no contracts that are switched on" };
    let directories = loaded.from.iter().filter_map(Layer::directory);
    let places = directories.map(|directory| directory.shown.display().to_string());
    let places = places.collect::<Vec<_>>().join(" or ");
    format!("phaser: {no} in {places}: add one with 'phaser init', or try '--pack secrets'")
}
