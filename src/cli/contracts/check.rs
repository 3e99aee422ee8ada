//! `phaser contracts check` and `phaser check`: pass or fail per contract, in the output format of version 1.2.

use std::collections::{BTreeSet, HashSet};
use std::io::{self, Write};

use clap::Args;
use serde_json::{Value, json};

use super::{Where, json};
use crate::cli::args::shared::OutputArgs;
use crate::cli::environment::Environment;
use crate::cli::project::print_warnings;
use crate::cli::to_stderr;
use crate::exit::Exit;
use crate::report::palette::Palette;
use phaser_core::contract::{Contract, ContractSchema};
use phaser_core::sanitize::inert;
use phaser_core::skipped::{Gap, Skipped};
use phaser_core::violation::Violation;
use phaser_project::project::{Options, Project};
use phaser_project::report::Report;
use phaser_project::scan::Existing;
use phaser_project::source::Source;

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// List the violations
    #[arg(long, short)]
    verbose: bool,

    /// Exit with 1 if a contract failed
    #[arg(long)]
    fail_on_error: bool,

    #[command(flatten)]
    place: Where,

    #[command(flatten)]
    output: OutputArgs,
}

/// Runs `phaser check` or `phaser contracts check`, which differ in their JSON.
pub fn run(
    args: &CheckArgs,
    environment: &Environment,
    to_json: fn(&[Checked<'_>]) -> Value,
) -> anyhow::Result<Exit> {
    let root = args.place.root(environment)?;
    let options = Options {
        locations: args.place.locations(&root, environment)?,
        existing: Some(Existing::Deny),
        git: Some(environment.git.clone()),
        ..Options::default()
    };
    let project = Project::load(root, options)?;
    let source = Source::Tree(None);
    let mut inspection = project.inspect(&source)?;
    inspection.loaded.notes().for_each(|note| to_stderr(format_args!("phaser: {note}")));
    let report = inspection.run(&());
    print_warnings(&report.warnings);
    let mut ids = HashSet::new();
    let checked: Vec<Checked<'_>> = report
        .contracts
        .iter()
        .filter(|contract| ids.insert(&contract.id))
        .map(|contract| Checked {
            contract,
            violations: report.open().filter(|violation| violation.contract.id == contract.id).collect(),
            unfinished: report.skipped.iter().filter(|skipped| skipped.why.concerns(&contract.id)).collect(),
        })
        .collect();
    let text = |out: &mut dyn Write, palette| write_text(out, &checked, args, palette);
    args.output.write(environment, text, || to_json(&checked))?;
    Ok(exit(args, &checked, &report))
}

/// A contract with its violations and its gaps.
pub struct Checked<'a> {
    contract: &'a Contract,
    violations: Vec<&'a Violation>,
    unfinished: Vec<&'a Skipped>,
}

impl Checked<'_> {
    fn passed(&self) -> bool {
        self.violations.is_empty() && self.unfinished.is_empty()
    }

    /// The violations, one per file and line.
    fn places(&self) -> impl Iterator<Item = &Violation> {
        let mut seen = BTreeSet::new();
        self.violations
            .iter()
            .copied()
            .filter(move |violation| seen.insert((&violation.path, line(violation))))
    }

    /// The text of a violation; contracts of version 1.2 keep the wording of that version.
    fn words(&self) -> String {
        let Contract { schema, kind, check, message, .. } = self.contract;
        let pattern = check.pattern().map(|pattern| pattern.source.as_str()).unwrap_or_default();
        match (schema, kind.v1_2_report) {
            (ContractSchema::V1_2, Some(report)) => format!("{report}: {pattern}"),
            _ => message.trim_end().to_owned(),
        }
    }
}

fn line(violation: &Violation) -> Option<usize> {
    violation.found.as_ref().map(|found| found.region.start.line)
}

fn write_text(
    out: &mut dyn Write,
    checked: &[Checked<'_>],
    args: &CheckArgs,
    palette: Palette,
) -> io::Result<()> {
    if checked.is_empty() {
        return writeln!(out, "No contracts to check.");
    }
    let bold = palette.bold();
    for checked in checked {
        let (verdict, colour) =
            if checked.passed() { ("PASS", palette.good()) } else { ("FAIL", palette.bad()) };
        writeln!(out, "{colour}[{verdict}]{colour:#} {}", checked.contract.id)?;
        let words = checked.words();
        for violation in checked.places().filter(|_| args.verbose) {
            let line = line(violation).map(|line| format!(":{line}")).unwrap_or_default();
            let path = violation.path.to_text();
            writeln!(out, "  {bold}{}{line}:{bold:#} {}", inert(&path), inert(&words))?;
        }
    }
    let passed = checked.iter().filter(|checked| checked.passed()).count();
    writeln!(out, "\n{bold}Results: {passed} passed, {} failed{bold:#}", checked.len() - passed)
}

/// The JSON of `phaser contracts check`.
pub fn to_json(checked: &[Checked<'_>]) -> Value {
    let one = |checked: &Checked<'_>| {
        let contract = checked.contract;
        let violations = checked.violations.iter().map(|violation| {
            json!({
                "file_path": violation.path.to_text(),
                "line_number": line(violation),
                "message": contract.message,
            })
        });
        let violations: Vec<Value> = violations.collect();
        json!({ "rule_id": contract.id, "passed": checked.passed(), "violations": violations })
    };
    let passed = checked.iter().filter(|checked| checked.passed()).count();
    json!({
        "contracts": checked.iter().map(one).collect::<Vec<_>>(),
        "summary": { "passed": passed, "failed": checked.len() - passed },
        "version": json::VERSION,
    })
}

/// The JSON of `phaser check`: the list of version 1.2, without the timestamp.
pub fn to_json_list(checked: &[Checked<'_>]) -> Value {
    let one = |checked: &Checked<'_>| {
        let id = &checked.contract.id;
        let words = checked.words();
        let violations = checked.places().map(|violation| {
            json!({ "path": violation.path.to_text(), "line": line(violation), "message": words })
        });
        let violations: Vec<Value> = violations.collect();
        json!({ "contract_id": id, "rule_id": id, "passed": checked.passed(), "violations": violations })
    };
    Value::Array(checked.iter().map(one).collect())
}

fn exit(args: &CheckArgs, checked: &[Checked<'_>], report: &Report) -> Exit {
    let failed = checked.iter().filter(|checked| !checked.passed()).count();
    let mut exit = match failed {
        0 => Exit::Clean,
        _ if args.fail_on_error => Exit::Violations,
        _ => {
            let contracts = if failed == 1 { "1 contract".to_owned() } else { format!("{failed} contracts") };
            to_stderr(format_args!(
                "phaser: {contracts} failed, and the exit code is 0 (run 'phaser enforce --all')"
            ));
            Exit::Clean
        }
    };
    if report.only_broken {
        exit = Exit::Trouble;
    }
    for skipped in report.skipped.iter().filter(|skipped| skipped.why.gap() > Gap::None) {
        to_stderr(format_args!("phaser: not checked: {}: {}", inert(&skipped.path.to_text()), skipped.why));
        if skipped.why.gap() == Gap::Failure {
            exit = Exit::Trouble;
        }
    }
    exit
}
