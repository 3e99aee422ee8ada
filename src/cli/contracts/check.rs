//! `phaser contracts check`: every contract on the whole project, with the output of version 1.2.

use std::io::{self, Write};
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use super::{Format, Where, json, say_warnings, threads};
use crate::cli::environment::Environment;
use crate::cli::output::to_stdout;
use crate::cli::say;
use crate::contract::Contract;
use crate::exit::Exit;
use crate::matcher::{self, Directives, Matcher};
use crate::outcome::Outcome;
use crate::report::inert;
use crate::scan::{self, Existing, Measure, scan};
use crate::skipped::{Gap, Skipped};
use crate::violation::Violation;

#[derive(Debug, Args)]
pub struct Check {
    /// Show the violations too
    #[arg(long, short)]
    verbose: bool,

    /// Exit with 1 when a contract is not kept
    #[arg(long)]
    fail_on_error: bool,

    #[command(flatten)]
    place: Where,

    /// How to show the result
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// How long a pattern may take on a file: as long as in `phaser enforce`.
const TIMEOUT: Duration = Duration::from_millis(100);

/// The largest file that is read, in bytes.
const MAX_FILE_SIZE: u64 = 10 * 1024 * 1024;

pub fn run(args: &Check, environment: &Environment) -> anyhow::Result<Exit> {
    let mut project = args.place.project(environment)?;
    let contracts = std::mem::take(&mut project.loaded.contracts);
    let options = matcher::Options::new(TIMEOUT, Directives::Honoured);
    let (matcher, warnings) = Matcher::validated(contracts, options);
    say_warnings(&warnings);
    let outcome = if matcher.contracts().is_empty() {
        Outcome::default()
    } else {
        let options = scan::Options {
            threads: threads(),
            max_file_size: MAX_FILE_SIZE,
            existing: Existing::Deny,
            measure: Measure::Nothing,
        };
        scan(&matcher, project.targets(), options, &())
    };
    let checked: Vec<Checked<'_>> = matcher
        .contracts()
        .iter()
        .map(|contract| Checked {
            contract,
            violations: outcome.open().filter(|violation| violation.contract.id == contract.id).collect(),
            unfinished: outcome.skipped.iter().filter(|skipped| skipped.why.concerns(&contract.id)).collect(),
        })
        .collect();
    match args.format {
        Format::Text => to_stdout(|out| write_text(out, &checked, args))?,
        Format::Json => json::print(&to_json(&checked))?,
    }
    Ok(exit(args, &checked, &outcome))
}

/// A contract, where it is not kept, and where that could not be found out.
struct Checked<'a> {
    contract: &'a Contract,
    violations: Vec<&'a Violation>,
    unfinished: Vec<&'a Skipped>,
}

impl Checked<'_> {
    fn passed(&self) -> bool {
        self.violations.is_empty() && self.unfinished.is_empty()
    }
}

fn write_text(out: &mut dyn Write, checked: &[Checked<'_>], args: &Check) -> io::Result<()> {
    if checked.is_empty() {
        return writeln!(out, "No contracts to check.");
    }
    for checked in checked {
        let (contract, verdict) = (checked.contract, if checked.passed() { "PASS" } else { "FAIL" });
        writeln!(out, "[{verdict}] {}", contract.id)?;
        for violation in checked.violations.iter().filter(|_| args.verbose) {
            let line = violation.found.as_ref().map(|found| format!(":{}", found.region.start.line));
            let path = violation.path.to_text();
            writeln!(
                out,
                "  {}{}: {}",
                inert(&path),
                line.unwrap_or_default(),
                inert(contract.message.trim_end())
            )?;
        }
    }
    let passed = checked.iter().filter(|checked| checked.passed()).count();
    writeln!(out, "\nResults: {passed} passed, {} failed", checked.len() - passed)
}

fn to_json(checked: &[Checked<'_>]) -> Value {
    let one = |checked: &Checked<'_>| {
        let contract = checked.contract;
        let violations = checked.violations.iter().map(|violation| {
            json!({
                "file_path": violation.path.to_text(),
                "line_number": violation.found.as_ref().map(|found| found.region.start.line),
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

fn exit(args: &Check, checked: &[Checked<'_>], outcome: &Outcome) -> Exit {
    let mut exit = Exit::Clean;
    if args.fail_on_error && !checked.iter().all(Checked::passed) {
        exit = Exit::Violations;
    }
    for skipped in outcome.skipped.iter().filter(|skipped| skipped.why.gap() > Gap::None) {
        say(format_args!("phaser: not checked: {}: {}", inert(&skipped.path.to_text()), skipped.why));
        if skipped.why.gap() == Gap::Failure {
            exit = Exit::Trouble;
        }
    }
    exit
}
