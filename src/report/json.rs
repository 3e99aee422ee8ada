//! JSON. Keys are only added; `version` is incremented by breaking changes.

use std::io::{self, Write};

use serde::Serialize;

use super::counts::{ContractName, Count, ViolationCounts};
use super::list::write_list;
use phaser_core::sanitize::inert_json;
use phaser_core::violation::{Note, Violation};
use phaser_project::path::RelPath;
use phaser_project::report::Report;

const VERSION: u32 = 1;

#[derive(Serialize)]
struct JsonViolation<'a> {
    rule_id: &'a str,
    file_path: String,
    line_number: Option<usize>,
    message: &'a str,
    severity: &'static str,
    column: Option<usize>,
    end_line: Option<usize>,
    end_column: Option<usize>,
    matched_text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
    state: &'static str,
    fingerprint: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<JsonFix<'a>>,
}

/// Replaces bytes `start..end` of the file by `text`.
#[derive(Serialize)]
struct JsonFix<'a> {
    start: usize,
    end: usize,
    text: &'a str,
}

#[derive(Serialize)]
struct JsonSkipped {
    file_path: String,
    reason: String,
}

#[derive(Serialize)]
struct JsonWarning {
    file_path: String,
    line_number: Option<usize>,
    message: String,
}

#[derive(Serialize)]
struct JsonStatistics<'a> {
    contracts: Vec<JsonContractCount<'a>>,
    directories: Vec<JsonPathCount>,
    files: Vec<JsonPathCount>,
}

#[derive(Serialize)]
struct JsonContractCount<'a> {
    rule_id: &'a str,
    severity: &'static str,
    open: usize,
    suppressed: usize,
}

#[derive(Serialize)]
struct JsonPathCount {
    path: String,
    open: usize,
    suppressed: usize,
}

/// Writes the report as one JSON document.
pub fn write(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    write_document(out, report, None)
}

/// [`write`], with counts by contract, directory and file.
pub fn write_with_statistics(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    write_document(out, report, Some(&ViolationCounts::of(report)))
}

fn write_document(
    out: &mut dyn Write,
    report: &Report,
    statistics: Option<&ViolationCounts>,
) -> io::Result<()> {
    let skipped = report.skipped.iter().map(|skipped| JsonSkipped {
        file_path: skipped.path.to_text().into_owned(),
        reason: skipped.why.to_string(),
    });
    let warnings = report.warnings.iter().map(|warning| JsonWarning {
        file_path: warning.file.display().to_string(),
        line_number: warning.line,
        message: warning.what.clone(),
    });
    let summary = report.summary();
    writeln!(out, "{{")?;
    write!(out, "  \"files_checked\": [")?;
    for (index, path) in report.checked.iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        write!(out, "{comma}{}", inert_json(&serde_json::to_string(&path.to_text())?))?;
    }
    writeln!(out, "],")?;
    write_key(out, "violations", report.open().map(json_violation))?;
    writeln!(
        out,
        "  \"summary\": {{ \"errors\": {}, \"warnings\": {}, \"ignored\": {}, \"existing\": {}, \"baselined\": {} }},",
        summary.errors, summary.warnings, summary.ignored, summary.existing, summary.baselined
    )?;
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

fn json_statistics(statistics: &ViolationCounts) -> JsonStatistics<'_> {
    let contracts = statistics.contracts.iter();
    let contracts = contracts.map(|(ContractName { id, severity }, Count { open, suppressed })| {
        JsonContractCount { rule_id: id, severity: severity.as_str(), open: *open, suppressed: *suppressed }
    });
    let path = |path: &RelPath, &Count { open, suppressed }: &Count| JsonPathCount {
        path: path.to_text().into_owned(),
        open,
        suppressed,
    };
    JsonStatistics {
        contracts: contracts.collect(),
        directories: statistics.directories.iter().map(|(directory, count)| path(directory, count)).collect(),
        files: statistics.files.iter().map(|(file, count)| path(file, count)).collect(),
    }
}

fn json_violation(violation: &Violation) -> JsonViolation<'_> {
    let contract = &violation.contract;
    let region = violation.found.as_ref().map(|found| found.region);
    JsonViolation {
        rule_id: &contract.id,
        file_path: violation.path.to_text().into_owned(),
        line_number: region.map(|region| region.start.line),
        message: &contract.message,
        severity: contract.severity.as_str(),
        column: region.map(|region| region.start.column),
        end_line: region.map(|region| region.end.line),
        end_column: region.map(|region| region.end.column),
        matched_text: violation.found.as_ref().map(|found| found.text.as_str()),
        note: violation.note.map(Note::as_str),
        state: violation.state.as_str(),
        fingerprint: violation.name(),
        fix: violation.fix.as_deref().map(|fix| JsonFix {
            start: fix.range.start,
            end: fix.range.end,
            text: &fix.text,
        }),
    }
}
