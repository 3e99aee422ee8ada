//! Contracts as a table: id, severity, whether it is in use, origin, first line of the message.

use std::io::{self, Write};

use crate::report::palette::{Palette, Style};
use phaser_core::contract::{Contract, Severity};
use phaser_core::sanitize::inert;

/// Whether a contract is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Usage {
    InUse,
    /// With the reason, as shown.
    NotInUse(&'static str),
}

impl Usage {
    fn as_str(self) -> &'static str {
        match self {
            Self::InUse => "in use",
            Self::NotInUse(reason) => reason,
        }
    }
}

/// One row of the table.
pub struct ContractLine {
    id: String,
    severity: Severity,
    used: Usage,
    origin: String,
    message: String,
}

impl ContractLine {
    /// `origin` is the file shown; empty for none.
    pub fn of(contract: &Contract, used: Usage, origin: String) -> Self {
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

/// Writes the rows with columns as wide as their longest value.
pub fn write(out: &mut dyn Write, rows: &[ContractLine], palette: Palette) -> io::Result<()> {
    let width =
        |text: fn(&ContractLine) -> &str| rows.iter().map(|row| text(row).chars().count()).max().unwrap_or(0);
    let (ids, uses) = (width(|row| &row.id), width(|row| row.used.as_str()));
    let origins = width(|row| &row.origin);
    let dim = palette.dim();
    for ContractLine { id, severity, used, origin, message } in rows {
        let (name, colour, text) = match used {
            Usage::InUse => (palette.bold(), palette.severity(*severity), Style::new()),
            Usage::NotInUse(_) => (dim, dim, dim),
        };
        let (word, used) = (severity.as_str(), used.as_str());
        write!(out, "{name}{id:<ids$}{name:#}  {colour}{word:<7}{colour:#}  ")?;
        writeln!(out, "{dim}{used:<uses$}  {origin:<origins$}{dim:#}  {text}{message}{text:#}")?;
    }
    Ok(())
}
