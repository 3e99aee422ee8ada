//! GitLab's Code Quality report: one JSON list.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;

use super::host::{HostLocation, RepositoryPrefix};
use super::list::write_list;
use phaser_core::contract::Severity;
use phaser_core::digest::digest;
use phaser_core::violation::Violation;
use phaser_project::report::Report;

#[derive(Serialize)]
struct CodeQualityIssue<'a> {
    description: Cow<'a, str>,
    check_name: &'a str,
    fingerprint: String,
    severity: &'static str,
    location: IssueLocation,
}

#[derive(Serialize)]
struct IssueLocation {
    path: String,
    lines: IssueLines,
}

#[derive(Serialize)]
struct IssueLines {
    begin: usize,
    end: usize,
}

/// Writes the open violations.
pub fn write(out: &mut dyn Write, report: &Report, top: &RepositoryPrefix) -> io::Result<()> {
    write_list(out, report.open().map(|violation| issue(violation, top)), 0)?;
    writeln!(out)
}

fn issue<'a>(violation: &'a Violation, top: &RepositoryPrefix) -> CodeQualityIssue<'a> {
    let contract = &violation.contract;
    let location = HostLocation::of(top, violation);
    CodeQualityIssue {
        // The format has no field for a fix.
        description: match violation.fix {
            Some(_) => format!("{} (fix with phaser fix)", contract.message).into(),
            None => contract.message.as_str().into(),
        },
        check_name: &contract.id,
        fingerprint: format!("{:016x}:{}", digest(location.path.as_bytes()), violation.name()),
        severity: match contract.severity {
            Severity::Error => "major",
            Severity::Warning => "minor",
        },
        location: IssueLocation {
            path: location.path.to_text().into_owned(),
            lines: IssueLines { begin: location.line, end: location.last_line() },
        },
    }
}
