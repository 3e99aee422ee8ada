//! Contracts in columns: what a person wants to know of each at a glance.

use std::io::{self, Write};

use crate::report::palette::{Palette, Style};
use phaser_core::contract::{Contract, Severity};
use phaser_core::sanitize::inert;

/// Is a contract used? If not, why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Used {
    Yes,
    No(&'static str),
}

impl Used {
    fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "in use",
            Self::No(why) => why,
        }
    }
}

/// What is shown of a contract.
pub struct Row {
    id: String,
    severity: Severity,
    used: Used,
    origin: String,
    message: String,
}

impl Row {
    /// The row of a contract, with whether it is used, and where it comes from.
    pub fn of(contract: &Contract, used: Used, origin: String) -> Self {
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
pub fn write(out: &mut dyn Write, rows: &[Row], palette: Palette) -> io::Result<()> {
    let width = |text: fn(&Row) -> &str| rows.iter().map(|row| text(row).chars().count()).max().unwrap_or(0);
    let (ids, uses) = (width(|row| &row.id), width(|row| row.used.as_str()));
    let origins = width(|row| &row.origin);
    let dim = palette.dim();
    for Row { id, severity, used, origin, message } in rows {
        let (name, colour, text) = match used {
            Used::Yes => (palette.bold(), palette.severity(*severity), Style::new()),
            Used::No(_) => (dim, dim, dim),
        };
        let (word, used) = (severity.as_str(), used.as_str());
        write!(out, "{name}{id:<ids$}{name:#}  {colour}{word:<7}{colour:#}  ")?;
        writeln!(out, "{dim}{used:<uses$}  {origin:<origins$}{dim:#}  {text}{message}{text:#}")?;
    }
    Ok(())
}
