//! GitHub Actions: workflow commands for annotations, and a Markdown table for the job summary.
//!
//! GitHub shows ten errors and ten warnings per step and drops the others, so only these are written and the others are
//! counted. GitHub executes any log line that looks like a workflow command, so text from contracts and files is always
//! escaped.

use std::io::{self, Write};

use super::host::{HostLocation, RepositoryPrefix};
use super::text::EXPLAIN_HINT;
use phaser_core::contract::Severity;
use phaser_core::sanitize::{inert, is_active};
use phaser_core::text::Region;
use phaser_core::violation::Violation;
use phaser_project::report::{Report, Summary};

/// Annotations of each severity that GitHub shows per step.
const MAX_ANNOTATIONS: usize = 10;
/// Rows of the table. GitHub rejects a summary over 1 MiB.
const MAX_ROWS: usize = 500;
/// Fixes shown below the table.
const MAX_FIXES: usize = 50;
/// Characters of a message in a cell.
const MAX_CELL: usize = 300;

/// Writes workflow commands, errors first, and the summary line.
pub fn write(out: &mut dyn Write, report: &Report, top: &RepositoryPrefix) -> io::Result<()> {
    let summary = report.summary();
    let mut unseen = 0;
    for severity in [Severity::Error, Severity::Warning] {
        unseen += count(summary, severity).saturating_sub(MAX_ANNOTATIONS);
        for violation in by_severity(report, severity, MAX_ANNOTATIONS) {
            annotate(out, violation, &HostLocation::of(top, violation))?;
        }
    }
    if unseen > 0 {
        writeln!(out, "{unseen} more: GitHub shows {MAX_ANNOTATIONS} annotations of each kind for a step")?;
    }
    if summary.open() > 0 {
        writeln!(out, "{EXPLAIN_HINT}")?;
    }
    writeln!(out, "{summary}")
}

/// Writes the summary and the violations as a Markdown table.
pub fn write_summary(out: &mut dyn Write, report: &Report, top: &RepositoryPrefix) -> io::Result<()> {
    let summary = report.summary();
    writeln!(out, "### phaser: {summary}\n")?;
    if summary.open() == 0 {
        return Ok(());
    }
    writeln!(out, "| | Contract | Place | Message |\n|---|---|---|---|")?;
    let errors = by_severity(report, Severity::Error, MAX_ROWS);
    let warnings = by_severity(report, Severity::Warning, MAX_ROWS - errors.len());
    let unseen = summary.open().saturating_sub(MAX_ROWS);
    for violation in errors.into_iter().chain(warnings) {
        let contract = &violation.contract;
        let HostLocation { path, line, .. } = HostLocation::of(top, violation);
        let place = format!("{path}:{line}");
        let message = violation.message();
        let cells = [contract.severity.as_str(), &contract.id, &place, &message];
        writeln!(out, "| {} |", cells.map(cell).join(" | "))?;
    }
    if unseen > 0 {
        writeln!(out, "\n… and {unseen} more")?;
    }
    writeln!(out)?;
    write_fixes(out, report, top)?;
    writeln!(out, "`phaser explain ID` shows the reason and the exceptions that work.\n")
}

/// Writes the fixes as a diff block.
fn write_fixes(out: &mut dyn Write, report: &Report, top: &RepositoryPrefix) -> io::Result<()> {
    let mut shown: Vec<String> = Vec::new();
    let mut all = 0;
    for violation in report.open().filter(|violation| violation.fix.is_some()) {
        all += 1;
        if shown.len() < MAX_FIXES {
            shown.extend(suggestion(violation, top));
        }
    }
    if all == 0 {
        return Ok(());
    }
    writeln!(out, "`phaser fix` fixes {all} of them{}\n", if shown.is_empty() { "." } else { ":" })?;
    if !shown.is_empty() {
        let diff = shown.concat();
        // Longer than any run of backticks in the diff.
        let longest = diff.split(|c| c != '`').map(str::len).max().unwrap_or_default();
        let fence = "`".repeat(longest.max(2) + 1);
        writeln!(out, "{fence}diff\n{diff}{fence}\n")?;
    }
    Ok(())
}

/// The diff of a fix within one line; `None` for longer ones.
fn suggestion(violation: &Violation, top: &RepositoryPrefix) -> Option<String> {
    let (fix, found) = (violation.fix.as_deref()?, violation.found.as_ref()?);
    let Region { start, end } = fix.region;
    let characters = found.line.chars().count();
    let is_one_line = start.line == end.line && start.line == found.region.start.line;
    if !is_one_line
        || found.cell.is_some()
        || fix.text.contains('\n')
        || characters > MAX_CELL
        || characters + 1 < end.column
    {
        return None;
    }
    let before: String = found.line.chars().take(start.column - 1).collect();
    let after: String = found.line.chars().skip(end.column - 1).collect();
    let HostLocation { path, line, .. } = HostLocation::of(top, violation);
    let path = path.to_text();
    let lines = [found.line.to_string(), format!("{before}{}{after}", fix.text)]
        .map(|line| inert(&line).into_owned());
    Some(format!("@@ {}:{line} {} @@\n-{}\n+{}\n", inert(&path), violation.contract.id, lines[0], lines[1]))
}

/// The first `most` open violations of a severity.
fn by_severity(report: &Report, severity: Severity, most: usize) -> Vec<&Violation> {
    let count = count(report.summary(), severity).min(most);
    report.open().filter(|violation| violation.contract.severity == severity).take(count).collect()
}

fn count(summary: Summary, severity: Severity) -> usize {
    match severity {
        Severity::Error => summary.errors,
        Severity::Warning => summary.warnings,
    }
}

fn annotate(out: &mut dyn Write, violation: &Violation, spot: &HostLocation) -> io::Result<()> {
    let contract = &violation.contract;
    let command = contract.severity.as_str();
    write!(out, "::{command} file={},line={}", property(&spot.path.to_text()), spot.line)?;
    if let Some(region) = spot.region {
        write!(out, ",endLine={}", spot.last_line())?;
        if region.end.line == region.start.line {
            write!(out, ",col={},endColumn={}", region.start.column, region.end.column)?;
        }
    }
    writeln!(out, ",title={}::{}", property(&contract.id), data(&violation.message()))
}

fn data(text: &str) -> String {
    inert(&text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")).into_owned()
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Escapes text for a Markdown table cell: punctuation becomes character references.
pub(super) fn cell(text: &str) -> String {
    let mut cell = String::new();
    for c in text.chars().take(MAX_CELL) {
        match c {
            c if is_active(c) => cell.push(' '),
            c if c.is_ascii_punctuation() => cell.push_str(&format!("&#{};", u32::from(c))),
            c => cell.push(c),
        }
    }
    if text.chars().nth(MAX_CELL).is_some() {
        cell.push('…');
    }
    cell
}
