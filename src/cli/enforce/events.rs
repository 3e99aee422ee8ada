//! The part of `phaser enforce` that only events of an agent have.

use std::path::PathBuf;

use super::super::event::{About, Asked, Judged, decide_on_settings};
use super::super::install::settings_file;
use super::super::policies::{self, Changing, Policies};
use super::{Resolved, Run};
use crate::agents::Manner;
use crate::agents::decision::{Concern, Decision, MAX_TEXT};
use crate::briefing::briefing;
use crate::install;
use crate::tamper::Protection;
use phaser_core::contract::{Contract, Severity};
use phaser_core::deadline::Deadline;
use phaser_project::config::Policy;
use phaser_project::path::Root;
use phaser_project::project::Project;
use phaser_project::project::load::{Extra, Loaded};
use phaser_project::report::Report;
use phaser_project::scan::AddedIgnores;
use phaser_project::source::swept::Sweep;
use phaser_project::source::{Source, Targets, tree};
use phaser_project::tool_call::{Call, Moment};

impl Run<'_> {
    /// What is said to an event.
    pub(super) fn decision(
        &self,
        resolved: &Resolved,
        asked: &Asked,
        report: &Report,
    ) -> anyhow::Result<Decision> {
        let root = &resolved.root;
        match asked.about {
            About::Beginning => self.briefing(root),
            About::Settings => self.on_settings(root),
            _ => {
                let (manner, concerns, amended) =
                    (self.args.manner(), &*self.concerns, self.amended.as_ref());
                let judged = Judged { asked, root, manner, concerns, amended };
                Ok(judged.decision(resolved.source.as_ref(), report))
            }
        }
    }

    /// The least severity that matters to a guard: before an edit, and at the end of a turn, only errors do.
    pub(super) fn least_severity(
        &self,
        about: Option<About>,
        source: &Source,
        added: AddedIgnores,
    ) -> Severity {
        match (about, source) {
            // Ignore directives for warnings are of interest, too.
            _ if added == AddedIgnores::Wanted => Severity::Warning,
            (Some(About::End), _) => Severity::Error,
            (Some(About::Call), Source::Changes(Call { moment: Moment::Before, .. }))
                if self.args.manner() == Manner::Guard =>
            {
                Severity::Error
            }
            _ => Severity::Warning,
        }
    }

    /// What somebody should know who begins to work: the contracts of the whole project.
    fn briefing(&self, root: &Root) -> anyhow::Result<Decision> {
        let targets = tree::tree(root, &self.environment.git, 1);
        let loaded = self.load(root, &Source::Tree(None), &Ok(targets))?;
        let mut project = Project::new(root.clone(), loaded, self.args.options());
        project.retain(|contract| self.args.wants(contract.severity));
        let context = brief(project.contracts());
        let report = Report { warnings: project.ready().into_warnings(), ..Report::default() };
        Ok(Decision { context, ..Decision::message_only(&report) })
    }

    /// What becomes of settings that changed, if the project protects them.
    fn on_settings(&self, root: &Root) -> anyhow::Result<Decision> {
        let loaded = self.load(root, &Source::Files(Vec::new()), &Ok(Targets::none()))?;
        let protects = loaded.configs.iter().filter_map(|placed| placed.config.protect).max();
        match protects {
            None | Some(Policy::Allow) => Ok(Decision::NOTHING),
            Some(_) => Ok(decide_on_settings(self.environment)),
        }
    }

    /// What the project wants to become of changes that make phaser see less, if an event makes any.
    pub(super) fn policies(
        &self,
        root: &Root,
        changing: Option<Changing<'_>>,
        loaded: &Loaded,
    ) -> anyhow::Result<Option<Policies>> {
        let Some(changing) = changing else { return Ok(None) };
        let mut policies = Policies::of(changing, loaded);
        if policies.watches() {
            policies.narrow(loaded, self.around()?.protection(root, self.deadline));
        }
        Ok(Some(policies))
    }

    /// What is to be said about what an event weakens.
    pub(super) fn on_weakening(
        &self,
        root: &Root,
        policies: &Policies,
        targets: &Targets,
    ) -> anyhow::Result<Option<Concern>> {
        if !policies.watches() {
            return Ok(None);
        }
        let around = self.around()?;
        let protection = around.protection(root, self.deadline);
        Ok(policies.on_weakening(protection, targets, self.args.limits.max_file_size()))
    }

    /// What is to be said about what a command has removed.
    pub(super) fn on_removal(&self, root: &Root, source: &Source) -> anyhow::Result<Option<Concern>> {
        let Source::Swept(Sweep::Command { since, .. }) = source else { return Ok(None) };
        let around = self.around()?;
        let protection = around.protection(root, self.deadline);
        Ok(policies::on_removal(protection, &self.environment.git, *since))
    }

    fn around(&self) -> anyhow::Result<Around> {
        let user_settings = settings_file(install::file::Scope::User, self.environment);
        Ok(Around { extra: self.extra()?, user_settings })
    }
}

/// What enforcement depends on around a project.
struct Around {
    extra: Extra,
    user_settings: Option<PathBuf>,
}

impl Around {
    fn protection<'p>(&'p self, root: &'p Root, deadline: Deadline) -> Protection<'p> {
        let Self { extra, user_settings } = self;
        Protection { root, extra, user_settings: user_settings.as_deref(), deadline }
    }
}

/// The contracts in words for whoever begins to work, if there are any.
fn brief(contracts: &[Contract]) -> Option<String> {
    let (before, after) =
        ("phaser enforces these contracts of the project:", "'phaser explain ID' says more about one.");
    let lines = briefing(contracts, MAX_TEXT - before.len() - after.len() - 2);
    (!lines.is_empty()).then(|| format!("{before}\n{lines}\n{after}"))
}
