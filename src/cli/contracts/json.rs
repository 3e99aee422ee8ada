//! Contracts as JSON, for the commands that show them to programs.

use serde_json::{Value, json};

use crate::cli::output::to_stdout;
use crate::contract::{Contract, Example, Place};

/// Counts the changes that break a reader.
pub const VERSION: u32 = 1;

/// Everything a contract says, and where it comes from.
pub fn contract(contract: &Contract) -> Value {
    let examples = |examples: &[Example]| -> Vec<Value> {
        examples.iter().map(|example| json!({ "path": example.path, "text": example.text })).collect()
    };
    json!({
        "rule_id": contract.id,
        "enabled": contract.enabled,
        "type": contract.kind.as_str(),
        "pattern": contract.check.pattern().map(|pattern| pattern.source.as_str()),
        "file_glob": contract.glob.as_str(),
        "severity": contract.severity.as_str(),
        "message": contract.message,
        "rationale": contract.rationale,
        "examples": {
            "violating": examples(&contract.examples.violating),
            "passing": examples(&contract.examples.passing),
        },
        "source": place(contract.origin.place),
        "file": contract.origin.file.display().to_string(),
    })
}

/// The word for a kind of place.
pub fn place(place: Place) -> &'static str {
    match place {
        Place::Named => "named",
        Place::Project => "project",
        Place::User => "user",
        Place::Pack => "pack",
    }
}

/// Writes one JSON document to standard output.
pub fn print(value: &Value) -> anyhow::Result<()> {
    to_stdout(|out| writeln!(out, "{value:#}"))
}
