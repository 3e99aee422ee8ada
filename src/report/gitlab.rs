//! GitLab's code quality report: one JSON list.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::{Serialize, Serializer};

use super::host::{Spot, Top};
use super::list::write_list;
use phaser_core::contract::Severity;
use phaser_core::digest::digest;
use phaser_core::violation::Violation;
use phaser_project::report::Report;

#[derive(Serialize)]
struct WireViolation<'a> {
    description: Cow<'a, str>,
    check_name: &'a str,
    fingerprint: String,
    severity: &'static str,
    location: WireLocation,
}

#[derive(Serialize)]
struct WireLocation {
    path: String,
    lines: WireLines,
}

#[derive(Serialize)]
struct WireLines {
    begin: usize,
    end: usize,
}

/// Writes the violations as GitLab's code quality report.
pub fn write(out: &mut dyn Write, report: &Report, top: &Top) -> io::Result<()> {
    write_list(out, report.open().map(|violation| Shown { violation, top }), 0)?;
    writeln!(out)
}

/// A violation as GitLab takes it.
struct Shown<'a> {
    violation: &'a Violation,
    top: &'a Top,
}

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { violation, top } = self;
        let contract = &violation.contract;
        let spot = Spot::of(top, violation);
        let wire = WireViolation {
            // The format has no place for a fix.
            description: match violation.fix {
                Some(_) => format!("{} (fix with phaser fix)", contract.message).into(),
                None => contract.message.as_str().into(),
            },
            check_name: &contract.id,
            fingerprint: format!("{:016x}:{}", digest(spot.path.as_bytes()), violation.name()),
            severity: match contract.severity {
                Severity::Error => "major",
                Severity::Warning => "minor",
            },
            location: WireLocation {
                path: spot.path.to_text().into_owned(),
                lines: WireLines { begin: spot.line, end: spot.last_line() },
            },
        };
        wire.serialize(serializer)
    }
}
