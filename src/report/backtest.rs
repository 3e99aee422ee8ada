//! `phaser contracts backtest` as text and JSON.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::here::Here;
use super::json::json_cell;
use super::palette::Palette;
use phaser_core::contract::{Contract, Severity};
use phaser_core::sanitize::{inert, inert_json};
use phaser_core::violation::Violation;
use phaser_project::history::backtest::{BacktestResult, CheckedCommit};
use phaser_project::path::RelPath;
use phaser_project::report::Report;

const VERSION: u32 = 1;

/// Violations listed per commit in text.
const MAX_LINES: usize = 5;

/// The violations of a contract today, and the commits it would have refused.
#[derive(Debug, Clone, Copy)]
pub struct BacktestSummary<'a> {
    pub contract: &'a Contract,
    /// Its violations in the current files.
    pub today: &'a Report,
    pub past: &'a BacktestResult,
}

/// The verb for a commit that violates the contract.
fn refused(contract: &Contract) -> &'static str {
    match contract.severity {
        Severity::Error => "refused",
        Severity::Warning => "warned about",
    }
}

/// Writes today's violations, then the commits.
pub fn write_text(
    out: &mut dyn Write,
    result: BacktestSummary<'_>,
    here: &Here,
    palette: Palette,
) -> io::Result<()> {
    write_today(out, result.contract, result.today, here, palette)?;
    write_past(out, result, here, palette)
}

/// Writes the contract and its violations in the current files.
pub fn write_today(
    out: &mut dyn Write,
    contract: &Contract,
    today: &Report,
    here: &Here,
    palette: Palette,
) -> io::Result<()> {
    let (bold, style) = (palette.bold(), palette.severity(contract.severity));
    let message = contract.message.lines().next().unwrap_or_default();
    writeln!(
        out,
        "{bold}{}{bold:#} ({style}{}{style:#}): {}\n",
        inert(&contract.id),
        contract.severity.as_str(),
        inert(message.trim_end())
    )?;
    let open: Vec<_> = today.open().collect();
    let files = open.iter().map(|violation| &violation.path).collect::<BTreeSet<_>>().len();
    match open.len() {
        0 => writeln!(out, "today: no violations")?,
        count => writeln!(out, "today: {} in {}", counted(count, "violation"), counted(files, "file"))?,
    }
    write_lines(out, &open, here, palette)
}

/// Writes the commits that the contract would have refused.
fn write_past(
    out: &mut dyn Write,
    BacktestSummary { contract, past, .. }: BacktestSummary<'_>,
    here: &Here,
    palette: Palette,
) -> io::Result<()> {
    let bold = palette.bold();
    let caught: Vec<&CheckedCommit> = past.caught().collect();
    let of_days = match &past.days {
        Some([oldest, newest]) if oldest != newest => format!(" from {oldest} to {newest}"),
        Some([day, _]) => format!(" of {day}"),
        None => String::new(),
    };
    let commits = counted(past.commits, "commit");
    let word = refused(contract);
    let through = past.commits - caught.len();
    writeln!(out, "\nof {commits}{of_days}, {} would have been {word}, {through} let through", caught.len())?;
    for CheckedCommit { commit, report } in caught {
        let dim = palette.dim();
        let (date, id, subject) = (&commit.date, commit.short_id(), inert(&commit.subject));
        writeln!(out, "\n{date}  {dim}{id}{dim:#}  {bold}{subject}{bold:#}")?;
        write_lines(out, &report.open().collect::<Vec<_>>(), here, palette)?;
    }
    Ok(())
}

/// Writes positions and source lines of violations.
fn write_lines(out: &mut dyn Write, open: &[&Violation], here: &Here, palette: Palette) -> io::Result<()> {
    let dim = palette.dim();
    for violation in open.iter().take(MAX_LINES) {
        let path = shown(&violation.path, here);
        match &violation.found {
            Some(found) => writeln!(
                out,
                "  {path}:{}:{}: {dim}{}{dim:#}",
                found.line_place(),
                found.source_region().start.column,
                inert(found.line.trim())
            )?,
            None => writeln!(out, "  {path}")?,
        }
    }
    match open.len().saturating_sub(MAX_LINES) {
        0 => Ok(()),
        more => writeln!(out, "  {dim}and {more} more{dim:#}"),
    }
}

fn shown(path: &RelPath, here: &Here) -> String {
    inert(&here.path(path).to_text()).into_owned()
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Writes one JSON document. Version 1 has `looked_at`, the number of commits.
pub fn write_json(
    out: &mut dyn Write,
    BacktestSummary { contract, today, past }: BacktestSummary<'_>,
) -> io::Result<()> {
    let refused: Vec<Value> = past
        .caught()
        .map(|CheckedCommit { commit, report }| {
            json!({
                "id": commit.id,
                "time": commit.time,
                "subject": commit.subject,
                "violations": violations(report),
            })
        })
        .collect();
    let gaps = past.tried.iter().map(|tried| &tried.report).chain([today]).flat_map(Report::gaps);
    let skipped: Vec<Value> =
        gaps.map(|gap| json!({ "file_path": gap.path.to_text(), "reason": gap.why.to_string() })).collect();
    let value = json!({
        "version": VERSION,
        "rule_id": contract.id,
        "severity": contract.severity.as_str(),
        "today": { "violations": violations(today) },
        "commits": {
            "looked_at": past.commits,
            "refused": refused.len(),
            "let_through": past.commits - refused.len(),
        },
        "refused": refused,
        "skipped": skipped,
        "notes": past.notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
    });
    writeln!(out, "{}", inert_json(&format!("{value:#}")))
}

fn violations(report: &Report) -> Vec<Value> {
    let one = |violation: &Violation| {
        let found = violation.found.as_ref();
        let mut value = json!({
            "file_path": violation.path.to_text(),
            "line_number": found.map(|found| found.region.start.line),
            "column": found.map(|found| found.region.start.column),
            "matched_text": found.map(|found| &found.text),
            "line": found.map(|found| &*found.line),
        });
        if let Some(cell) = found.and_then(|found| found.cell.as_ref()) {
            value["cell"] = json_cell(cell);
        }
        value
    };
    report.open().map(one).collect()
}
