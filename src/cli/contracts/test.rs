//! `phaser contracts test`: runs the examples of contracts.

use std::io::{self, Write};

use clap::Args;
use serde_json::{Value, json};

use super::{Where, json, shown};
use crate::cli::args::shared::OutputArgs;
use crate::cli::completions::CONTRACT_ID;
use crate::cli::environment::Environment;
use crate::cli::project::print_warnings;
use crate::cli::to_stderr;
use crate::examples::{self, ExampleOutcome, Expectation, FixDifference, Missed, Tested};
use crate::exit::Exit;
use crate::lint::needs_examples;
use crate::report::palette::Palette;
use phaser_core::contract::{Contract, Warning};
use phaser_core::sanitize::inert;
use phaser_core::violation::Violation;
use phaser_project::project::PATIENT_TIMEOUT;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Test {
    /// Contracts to test [default: the project's own and those of --pack]
    #[arg(value_name = "ID", value_hint = CONTRACT_ID)]
    ids: Vec<String>,

    /// Print examples that pass, too
    #[arg(long, short)]
    verbose: bool,

    /// Print only failures and the summary: the default
    #[arg(long, short, hide = true, conflicts_with = "verbose")]
    quiet: bool,

    #[command(flatten)]
    place: Where,

    #[command(flatten)]
    output: OutputArgs,
}

const EXAMPLES: &str = "\
Examples:
  phaser contracts test              run the examples of the project's own contracts
  phaser contracts test no-print     run those of one
  phaser contracts test --pack all   run those of every pack, too";

/// Lines shown of an example.
const MOST_LINES: usize = 20;

pub fn run(args: &Test, environment: &Environment) -> anyhow::Result<Exit> {
    let project = args.place.project(environment)?;
    let contracts: Vec<&Contract> = match args.ids.as_slice() {
        [] => project.contracts().iter().filter(|contract| args.place.includes(contract)).collect(),
        ids => ids.iter().map(|id| project.find(id)).collect::<anyhow::Result<_>>()?,
    };
    if contracts.is_empty() {
        to_stderr(
            "phaser: no contracts of the project's own to test (use '--pack NAME' for those of a pack)",
        );
    }
    let mut broken: Vec<Warning> = Vec::new();
    let mut all = Vec::new();
    for contract in contracts {
        match examples::test(contract, PATIENT_TIMEOUT, Some(&project.root)) {
            Ok(tested) => all.push((contract, tested)),
            Err(warnings) => broken.extend(warnings),
        }
    }
    print_warnings(&broken);
    let text = |out: &mut dyn Write, palette| write_text(out, &all, args, palette);
    args.output.write(environment, text, || to_json(&all))?;
    let broken = !broken.is_empty() || (args.ids.is_empty() && !project.loaded.warnings.is_empty());
    Ok(match (broken, count(&all).failed) {
        (true, _) => Exit::Trouble,
        (false, 0) => Exit::Clean,
        (false, _) => Exit::Violations,
    })
}

type Results<'a> = [(&'a Contract, Vec<Tested<'a>>)];

/// The number of examples by outcome, and of contracts without examples.
struct TestCounts {
    ok: usize,
    failed: usize,
    without: usize,
}

fn count(all: &Results<'_>) -> TestCounts {
    let tested = || all.iter().flat_map(|(_, tested)| tested);
    let ok = tested().filter(|tested| tested.outcome == ExampleOutcome::AsExpected).count();
    let is_without = |contract: &Contract, tested: &[_]| tested.is_empty() && needs_examples(contract);
    let without = all.iter().filter(|(contract, tested)| is_without(contract, tested)).count();
    TestCounts { ok, failed: tested().count() - ok, without }
}

fn write_text(out: &mut dyn Write, all: &Results<'_>, args: &Test, palette: Palette) -> io::Result<()> {
    let (good, bad, bold, dim) = (palette.good(), palette.bad(), palette.bold(), palette.dim());
    let mut has_lines = false;
    for (contract, tested) in all {
        for tested in tested {
            let name = format!("{} {} {}", contract.id, tested.expected.as_str(), tested.number);
            if tested.outcome != ExampleOutcome::AsExpected {
                let place = format!("{}:{}", shown(&contract.origin.file), tested.example.line);
                writeln!(out, "{bad}FAIL{bad:#} {bold}{name}{bold:#} {dim}({place}){dim:#}")?;
                writeln!(out, "     {}", explain(contract, tested))?;
                write_difference(out, tested, palette)?;
                has_lines = true;
            } else if args.verbose {
                writeln!(out, "{good}ok{good:#}   {name}")?;
                has_lines = true;
            }
        }
    }
    let TestCounts { ok, failed, without } = count(all);
    let without = match without {
        0 => String::new(),
        1 => ", 1 contract without examples".to_owned(),
        without => format!(", {without} contracts without examples"),
    };
    let gap = if has_lines { "\n" } else { "" };
    writeln!(out, "{gap}{bold}Examples: {ok} ok, {failed} failed{without}{bold:#}")
}

/// Why an example failed, in one line.
pub fn explain(contract: &Contract, tested: &Tested<'_>) -> String {
    let path = match tested.example.files.as_slice() {
        [] => tested.path.to_text(),
        files => files.join(", ").into(),
    };
    let (path, glob) = (inert(&path), inert(contract.glob.as_str()));
    match &tested.outcome {
        ExampleOutcome::AsExpected => String::new(),
        ExampleOutcome::Missed(Missed::NothingFound) => format!("missed: no violation in {path}"),
        ExampleOutcome::Missed(Missed::OutsideGlob) => {
            let what = match tested.expected {
                Expectation::Violating => "missed",
                Expectation::Passing => "tests nothing",
            };
            format!("{what}: '{glob}' does not match {path} (correct the path or the glob)")
        }
        ExampleOutcome::Missed(Missed::NoPath) => {
            format!("missed: cannot derive a path from '{glob}' (give the example a path)")
        }
        ExampleOutcome::Missed(Missed::Ignored) => {
            "missed: an ignore directive suppresses it (remove the directive)".to_owned()
        }
        ExampleOutcome::FixDiffers(_) if contract.fix.is_none() => {
            "has 'fixed', but the contract has no 'fix' (add one)".to_owned()
        }
        ExampleOutcome::FixDiffers(FixDifference { why: Some(why), .. }) => format!("not fixed: {why}"),
        ExampleOutcome::FixDiffers(_) => "the fix gives a different text".to_owned(),
        ExampleOutcome::Unexpected(violations) => {
            let places: Vec<_> = violations.iter().map(|violation| place(violation, &path)).collect();
            format!("unexpected violation {}", places.join(", "))
        }
        ExampleOutcome::Unchecked(skipped) => {
            let reasons: Vec<_> = skipped.iter().map(|skipped| skipped.why.to_string()).collect();
            format!("not checked: {}", reasons.join(", "))
        }
    }
}

fn place(violation: &Violation, path: &str) -> String {
    match &violation.found {
        Some(found) => {
            let start = found.region.start;
            format!("at {path}:{}:{} on '{}'", start.line, start.column, inert(&found.text))
        }
        None => match violation.detail.as_ref().and_then(|detail| detail.describe()) {
            Some(what) => format!("in {} ({})", inert(&violation.path.to_text()), inert(&what)),
            None => format!("in {path}"),
        },
    }
}

/// Writes the example: `-` before lines of a missed violation, `+` before lines with an unexpected one.
fn write_difference(out: &mut dyn Write, tested: &Tested<'_>, palette: Palette) -> io::Result<()> {
    let fired: Vec<usize> = match &tested.outcome {
        ExampleOutcome::Unexpected(violations) => violations
            .iter()
            .filter_map(|violation| Some(violation.found.as_ref()?.region.start.line))
            .collect(),
        ExampleOutcome::FixDiffers(FixDifference { got, .. }) => {
            return write_fixed(out, tested, got, palette);
        }
        ExampleOutcome::AsExpected | ExampleOutcome::Missed(_) | ExampleOutcome::Unchecked(_) => Vec::new(),
    };
    let missed = matches!(tested.outcome, ExampleOutcome::Missed(_));
    for (number, line) in (1..).zip(tested.example.text.lines()).take(MOST_LINES) {
        let (sign, style) = if missed {
            ('-', palette.bad())
        } else if fired.contains(&number) {
            ('+', palette.bad())
        } else {
            (' ', palette.dim())
        };
        writeln!(out, "     {style}{sign} {}{style:#}", inert(line))?;
    }
    Ok(())
}

/// Writes the expected and the actual result of a fix.
fn write_fixed(out: &mut dyn Write, tested: &Tested<'_>, got: &str, palette: Palette) -> io::Result<()> {
    let expected = tested.example.fixed.as_deref().unwrap_or_default();
    for (sign, text, style) in [('-', expected, palette.good()), ('+', got, palette.bad())] {
        for line in text.lines().take(MOST_LINES) {
            writeln!(out, "     {style}{sign} {}{style:#}", inert(line))?;
        }
    }
    Ok(())
}

fn to_json(all: &Results<'_>) -> Value {
    let one = |contract: &Contract, tested: &Tested<'_>| {
        json!({
            "purpose": tested.expected.as_str(),
            "number": tested.number,
            "line": tested.example.line,
            "path": tested.path.to_text(),
            "ok": tested.outcome == ExampleOutcome::AsExpected,
            "explanation": (tested.outcome != ExampleOutcome::AsExpected).then(|| explain(contract, tested)),
        })
    };
    let contracts = all.iter().map(|(contract, tested)| {
        let examples: Vec<Value> = tested.iter().map(|tested| one(contract, tested)).collect();
        let file = contract.origin.file.display().to_string();
        json!({ "rule_id": contract.id, "file": file, "examples": examples })
    });
    let TestCounts { ok, failed, without } = count(all);
    json!({
        "contracts": contracts.collect::<Vec<_>>(),
        "summary": { "ok": ok, "failed": failed, "without_examples": without },
        "version": json::VERSION,
    })
}
