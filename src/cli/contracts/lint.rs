//! `phaser contracts lint`: doubtful contracts and ignore directives.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

use super::{LoadedProject, Where, all_packs, json};
use crate::cli::args::shared::OutputArgs;
use crate::cli::counted;
use crate::cli::environment::Environment;
use crate::exit::Exit;
use crate::lint;
use crate::report::warning;
use phaser_core::contract::Warning;
use phaser_core::matcher::{self, Directives, Matcher};
use phaser_project::path::RelPath;
use phaser_project::project::{MAX_FILE_SIZE, PATIENT_TIMEOUT};
use phaser_project::source::view::DiskView;
use phaser_project::source::{Reader, Targets};

#[derive(Debug, Args)]
pub struct Lint {
    #[command(flatten)]
    place: Where,

    #[command(flatten)]
    output: OutputArgs,
}

pub fn run(args: &Lint, environment: &Environment) -> anyhow::Result<Exit> {
    let project = args.place.quiet_project(environment)?;
    let targets = &project.targets;
    let mut warnings = project.loaded.warnings.clone();
    let paths: Vec<RelPath> = targets.targets.iter().map(|target| target.path.clone()).collect();
    warnings.extend(lint::contracts(project.contracts(), &paths));
    warnings.extend(directives(&project, targets));
    warnings.extend(project.ignored_by_git.iter().map(|path| {
        let what = "ignored by git: other clones and CI run without it (change .gitignore)";
        Warning::about(Path::new(&*path.to_text()), what)
    }));
    warnings.sort();
    warnings.dedup();
    let notes = lint::missing_examples(project.contracts());
    args.output.write(
        environment,
        |out, palette| {
            let width = environment.width();
            warnings.iter().chain(&notes).try_for_each(|one| warning::write(out, one, width, palette))?;
            if warnings.is_empty() {
                writeln!(out, "No problems in {}.", counted(project.contracts().len(), "contract"))?;
            }
            Ok(())
        },
        || to_json(&warnings, &notes),
    )?;
    Ok(if warnings.is_empty() { Exit::Clean } else { Exit::Violations })
}

/// Warnings about patterns and about directives for them.
fn directives(project: &LoadedProject, targets: &Targets) -> Vec<Warning> {
    let loaded = &project.loaded;
    let exempt = loaded.exempt(&project.root);
    let options =
        matcher::Options { exempt, ..matcher::Options::new(PATIENT_TIMEOUT, Directives::Disregarded) };
    let (matcher, mut warnings) = Matcher::validated(loaded.contracts.clone(), options);
    matcher.resolve_in(Arc::new(DiskView::new(&project.root, &Targets::none())));
    let packs = all_packs();
    let others: BTreeSet<&str> =
        loaded.contracts.iter().chain(&packs.contracts).map(|contract| contract.id.as_str()).collect();
    let mut reader = Reader::new(MAX_FILE_SIZE);
    warnings.extend(lint::directives::directives(&matcher, &others, &targets.targets, &mut reader));
    warnings
}

fn to_json(warnings: &[Warning], notes: &[Warning]) -> Value {
    let one = |warning: &Warning| {
        json!({
            "file_path": warning.file.display().to_string(),
            "line_number": warning.line,
            "message": warning.what,
        })
    };
    let list = |warnings: &[Warning]| warnings.iter().map(one).collect::<Vec<_>>();
    json!({ "warnings": list(warnings), "notes": list(notes), "version": json::VERSION })
}
