//! JSON. Keys are only added; `version` is incremented by breaking changes.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value, json};

use super::counts::{ContractName, Count, ViolationCounts};
use super::list::write_list;
use phaser_core::sanitize::inert_json;
use phaser_core::violation::{CellMatch, Violation, ViolationDetail};
use phaser_project::path::RelPath;
use phaser_project::report::{Report, Summary};

const VERSION: u32 = 1;

/// Writes the report as one JSON document, with counts by contract, directory and file if given.
pub fn write(out: &mut dyn Write, report: &Report, statistics: Option<&ViolationCounts>) -> io::Result<()> {
    let skipped = report.skipped.iter();
    let skipped = skipped
        .map(|skipped| json!({ "file_path": skipped.path.to_text(), "reason": skipped.why.to_string() }));
    let warnings = report.warnings.iter().map(|warning| {
        json!({
            "file_path": warning.file.display().to_string(),
            "line_number": warning.line,
            "message": warning.what,
        })
    });
    writeln!(out, "{{")?;
    write!(out, "  \"files_checked\": [")?;
    for (index, path) in report.checked.iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        write!(out, "{comma}{}", inert_json(&serde_json::to_string(&path.to_text())?))?;
    }
    writeln!(out, "],")?;
    write_key(out, "violations", report.open().map(json_violation))?;
    let Summary { errors, warnings: warned, ignored, existing, baselined } = report.summary();
    write!(out, "  \"summary\": {{ \"errors\": {errors}, \"warnings\": {warned}, \"ignored\": {ignored}, ")?;
    writeln!(out, "\"existing\": {existing}, \"baselined\": {baselined} }},")?;
    if let Some(stale) = report.stale {
        writeln!(out, "  \"baseline\": {{ \"stale\": {stale} }},")?;
    }
    write_key(out, "skipped", skipped)?;
    write_key(out, "warnings", warnings)?;
    write_key(out, "suppressed", report.suppressed().map(json_violation))?;
    if let Some(statistics) = statistics {
        writeln!(out, "  \"statistics\": {},", indented(&json_statistics(statistics))?)?;
    }
    writeln!(out, "  \"version\": {VERSION}")?;
    writeln!(out, "}}")
}

/// Writes a key whose value is a list.
fn write_key(out: &mut dyn Write, key: &str, items: impl Iterator<Item = impl Serialize>) -> io::Result<()> {
    write!(out, "  \"{key}\": ")?;
    write_list(out, items, 1)?;
    writeln!(out, ",")
}

/// Pretty-printed JSON, indented by one level. Newlines in it are layout: JSON strings escape theirs.
fn indented(value: &impl Serialize) -> io::Result<String> {
    Ok(inert_json(&serde_json::to_string_pretty(value)?).replace('\n', "\n  "))
}

fn json_statistics(statistics: &ViolationCounts) -> Value {
    let contract = |(ContractName { id, severity }, Count { open, suppressed }): &(ContractName, Count)| json!({ "rule_id": id, "severity": severity.as_str(), "open": open, "suppressed": suppressed });
    let path = |(path, Count { open, suppressed }): &(RelPath, Count)| json!({ "path": path.to_text(), "open": open, "suppressed": suppressed });
    json!({
        "contracts": statistics.contracts.iter().map(contract).collect::<Vec<_>>(),
        "directories": statistics.directories.iter().map(path).collect::<Vec<_>>(),
        "files": statistics.files.iter().map(path).collect::<Vec<_>>(),
    })
}

/// The place in the cell of a notebook.
pub fn json_cell(cell: &CellMatch) -> Value {
    let start = cell.region.start;
    json!({ "number": cell.number, "line": start.line, "column": start.column })
}

/// A violation. `fix` replaces the bytes `start..end` of the file by `text`.
fn json_violation(violation: &Violation) -> Value {
    let contract = &violation.contract;
    let region = violation.found.as_ref().map(|found| found.region);
    let mut value = json!({
        "rule_id": contract.id,
        "file_path": violation.path.to_text(),
        "line_number": region.map(|region| region.start.line),
        "message": contract.message,
        "severity": contract.severity.as_str(),
        "column": region.map(|region| region.start.column),
        "end_line": region.map(|region| region.end.line),
        "end_column": region.map(|region| region.end.column),
        "matched_text": violation.found.as_ref().map(|found| &found.text),
    });
    if let Some(cell) = violation.found.as_ref().and_then(|found| found.cell.as_ref()) {
        value["cell"] = json_cell(cell);
    }
    match violation.detail.as_deref() {
        None => {}
        Some(ViolationDetail::Syntax(problem)) => value["problem"] = problem.as_str().into(),
        Some(change) => value["change"] = change.describe().unwrap_or_else(|| "modified".to_owned()).into(),
    }
    if let Some(note) = violation.note {
        value["note"] = note.as_str().into();
    }
    value["state"] = violation.state.as_str().into();
    value["fingerprint"] = violation.name().into();
    if let Some(fix) = &violation.fix {
        value["fix"] = json!({ "start": fix.range.start, "end": fix.range.end, "text": fix.text });
    }
    value
}
