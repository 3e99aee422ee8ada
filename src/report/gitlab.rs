//! GitLab's Code Quality report: one JSON list.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::host::{HostLocation, RepositoryPrefix};
use super::list::write_list;
use phaser_core::contract::Severity;
use phaser_core::digest::digest;
use phaser_core::violation::Violation;
use phaser_project::report::Report;

/// Writes the open violations.
pub fn write(out: &mut dyn Write, report: &Report, top: &RepositoryPrefix) -> io::Result<()> {
    write_list(out, report.open().map(|violation| issue(violation, top)), 0)?;
    writeln!(out)
}

fn issue(violation: &Violation, top: &RepositoryPrefix) -> Value {
    let contract = &violation.contract;
    let location = HostLocation::of(top, violation);
    // The format has no field for a fix.
    let hint = if violation.fix.is_some() { " (fix with phaser fix)" } else { "" };
    json!({
        "description": format!("{}{hint}", violation.message()),
        "check_name": contract.id,
        "fingerprint": format!("{:016x}:{}", digest(location.path.as_bytes()), violation.name()),
        "severity": match contract.severity {
            Severity::Error => "major",
            Severity::Warning => "minor",
        },
        "location": {
            "path": location.path.to_text(),
            "lines": { "begin": location.line, "end": location.last_line() },
        },
    })
}
