//! Contracts in columns: what a person wants to know of each at a glance.

use std::io::{self, Write};

use crate::contract::{Contract, Severity};
use crate::report::inert;

/// What is shown of a contract.
pub struct Row {
    id: String,
    severity: Severity,
    used: String,
    origin: String,
    message: String,
}

impl Row {
    /// The row of a contract, with whether it is used, and where it comes from.
    pub fn of(contract: &Contract, used: String, origin: String) -> Self {
        let first_line = contract.message.lines().next().unwrap_or_default();
        Self {
            id: contract.id.clone(),
            severity: contract.severity,
            used,
            origin,
            message: inert(first_line.trim_end()).into_owned(),
        }
    }
}

/// Writes the rows in columns that are as wide as they must be.
pub fn write(out: &mut dyn Write, rows: &[Row]) -> io::Result<()> {
    let width = |text: fn(&Row) -> &str| rows.iter().map(|row| text(row).chars().count()).max().unwrap_or(0);
    let (ids, uses) = (width(|row| &row.id), width(|row| &row.used));
    let origins = width(|row| &row.origin);
    for Row { id, severity, used, origin, message } in rows {
        let severity = severity.as_str();
        writeln!(out, "{id:<ids$}  {severity:<7}  {used:<uses$}  {origin:<origins$}  {message}")?;
    }
    Ok(())
}
